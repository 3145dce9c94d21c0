//! The events of one agent, each pointing at the one before: found from the last one on, without an
//! index that every batch would have to write.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

use super::problem::Problem;

const LAST: &str =
    "SELECT agent, max(seq) FROM events WHERE agent IS NOT NULL AND seq > ?1 GROUP BY agent";
const BEFORE: &str = "SELECT agent, previous FROM events WHERE seq = ?1";

/// Where the last event of each agent stands. An agent is the number in the column of that name.
#[derive(Debug, Default)]
pub(super) struct Links {
    last: HashMap<i64, i64>,
    /// Up to where the file was looked at.
    known: u64,
}

impl Links {
    /// Learns of what was stored behind the place up to which it knows.
    pub(super) fn learn(&mut self, connection: &Connection, last: u64) -> Result<(), Problem> {
        if self.known == last {
            return Ok(());
        }
        let mut select = connection.prepare_cached(LAST)?;
        let mut rows = select.query([self.known.cast_signed()])?;
        while let Some(row) = rows.next()? {
            self.last.insert(row.get(0)?, row.get(1)?);
        }
        self.known = last;
        Ok(())
    }

    /// Links the next event, and answers with the one of its agent before.
    pub(super) fn link(&mut self, agent: Option<i64>, seq: u64) -> Option<i64> {
        self.known = seq;
        agent.and_then(|agent| self.last.insert(agent, seq.cast_signed()))
    }

    /// The places of an agent's events, in order; none if a link is broken, since somebody has
    /// altered the file.
    pub(super) fn places(
        &self,
        connection: &Connection,
        agent: i64,
    ) -> Result<Option<Vec<i64>>, Problem> {
        let mut select = connection.prepare_cached(BEFORE)?;
        let mut places = Vec::new();
        let mut next = self.last.get(&agent).copied();
        while let Some(seq) = next {
            let row = |row: &rusqlite::Row<'_>| {
                Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?))
            };
            let Some((Some(owner), previous)) = select.query_row([seq], row).optional()? else {
                return Ok(None);
            };
            if owner != agent || previous.is_some_and(|previous| previous >= seq) {
                return Ok(None);
            }
            places.push(seq);
            next = previous;
        }
        places.reverse();
        Ok(Some(places))
    }
}
