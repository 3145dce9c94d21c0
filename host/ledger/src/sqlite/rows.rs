//! How events become rows, and rows events.

use rusqlite::types::FromSqlResult;
use rusqlite::{Connection, Params, Row, TransactionBehavior, params};
use switchboard_core::{AgentId, Event, WallTime};

use super::links::Links;
use super::problem::Problem;
use crate::{Quarantined, Stored, Visit, record};

const INSERT: &str = "INSERT INTO events (seq, at, kind, agent, previous, data)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const ALL: &str = "SELECT seq, at, data FROM events WHERE seq > ?1 ORDER BY seq";
const OF_AGENT: &str = "SELECT seq, at, data FROM events WHERE agent = ?1 ORDER BY seq";
const ONE: &str = "SELECT seq, at, data FROM events WHERE seq = ?1";
const FILED: &str = "SELECT seq, at, data, kind, agent, previous FROM events ORDER BY seq";
const KEEP_TAG: &str = "INSERT OR REPLACE INTO meta (key, value) VALUES ('tag', ?1)";

/// The place of the last event; 0 if there is none.
pub(super) fn last(connection: &Connection) -> Result<u64, Problem> {
    let query = "SELECT coalesce(max(seq), 0) FROM events";
    let last: i64 = connection.query_row(query, [], |row| row.get(0))?;
    Ok(last.cast_unsigned())
}

/// Stores a batch behind `last`, all of it or nothing, and answers with the new last place. The
/// places are given and not left to SQLite, so a second writer is noticed and no gap can arise.
pub(super) fn append(
    connection: &mut Connection,
    last: u64,
    at: WallTime,
    batch: &[Event],
    links: &mut Links,
) -> Result<u64, Problem> {
    links.learn(connection, last)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut insert = transaction.prepare_cached(INSERT)?;
    let (mut seq, mut room) = (last, Vec::new());
    for event in batch {
        seq += 1;
        let agent = column(event);
        let previous = links.link(agent, seq);
        let (place, at) = (seq.cast_signed(), at.0.cast_signed());
        let data = record::write(event, &mut room)?;
        insert.execute(params![place, at, event.kind(), agent, previous, data])?;
        if let Event::ForestOpened { tag, .. } = event {
            transaction.execute(KEEP_TAG, [tag.to_string()])?;
        }
    }
    drop(insert);
    transaction.commit()?;
    Ok(seq)
}

/// Reads every event behind a place, in order, and reports what is bad or gone.
pub(super) fn replay(
    connection: &Connection,
    after: u64,
    visit: Visit<'_>,
) -> Result<Vec<Quarantined>, Problem> {
    let mut quarantined = Vec::new();
    let mut last = after;
    each(connection, ALL, [after.cast_signed()], |seq, read| {
        if seq > last + 1 {
            quarantined.push(gone(last + 1, seq - 1));
        }
        last = seq;
        match read {
            Ok(stored) => visit(stored),
            Err(bad) => quarantined.push(bad),
        }
    })?;
    Ok(quarantined)
}

/// Reads what belongs to one agent, in order, and reports what is bad. Without links, or with a
/// broken one, every row is looked at.
pub(super) fn of_agent(
    connection: &Connection,
    agent: AgentId,
    links: Option<&Links>,
    visit: Visit<'_>,
) -> Result<Vec<Quarantined>, Problem> {
    let number = agent.number().cast_signed();
    let mut quarantined = Vec::new();
    let mut take = |_, read| match read {
        // The column has the number alone; another ledger's agent may have the same.
        Ok(Stored { event, .. }) if event.agent() != Some(agent) => {}
        Ok(stored) => visit(stored),
        Err(bad) => quarantined.push(bad),
    };
    let places = links.map(|links| links.places(connection, number)).transpose()?.flatten();
    match places {
        None => each(connection, OF_AGENT, [number], take)?,
        Some(places) => {
            places.iter().try_for_each(|seq| each(connection, ONE, [seq], &mut take))?
        }
    }
    Ok(quarantined)
}

/// Compares what a record says with the columns it is selected by.
pub(super) fn misfiled(connection: &Connection) -> Result<Vec<Quarantined>, Problem> {
    let mut found = Vec::new();
    let mut links = Links::default();
    let mut select = connection.prepare_cached(FILED)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let seq = row.get::<_, i64>(0)?.cast_unsigned();
        let agent = row.get::<_, Option<i64>>(4)?;
        let previous = links.link(agent, seq);
        if previous != row.get::<_, Option<i64>>(5)? {
            let problem = "it does not point at the record of its agent before it".to_owned();
            found.push(Quarantined { seq, problem });
        }
        // What cannot be read is replay's to report.
        let Ok(stored) = read(seq, row) else { continue };
        let kind = row.get::<_, String>(3)?;
        if kind != stored.event.kind() || agent != column(&stored.event) {
            let agent = agent.map_or("no agent".to_owned(), |agent| format!("agent {agent}"));
            let problem = format!("it is filed as {kind} of {agent}, which it is not");
            found.push(Quarantined { seq, problem });
        }
    }
    Ok(found)
}

/// What stands in the column of the agent.
fn column(event: &Event) -> Option<i64> {
    event.agent().map(|agent| agent.number().cast_signed())
}

fn each(
    connection: &Connection,
    query: &str,
    of: impl Params,
    mut take: impl FnMut(u64, Result<Stored, Quarantined>),
) -> Result<(), Problem> {
    let mut select = connection.prepare_cached(query)?;
    let mut rows = select.query(of)?;
    while let Some(row) = rows.next()? {
        let seq = row.get::<_, i64>(0)?.cast_unsigned();
        take(seq, read(seq, row));
    }
    Ok(())
}

/// Whatever is wrong with a row is said of the row: it must not end the reading.
fn read(seq: u64, row: &Row<'_>) -> Result<Stored, Quarantined> {
    match columns(row) {
        Ok((at, data)) => record::read(seq, at, data),
        Err(error) => Err(Quarantined { seq, problem: format!("its columns are odd: {error}") }),
    }
}

fn columns<'a>(row: &'a Row<'_>) -> rusqlite::Result<(WallTime, &'a str)> {
    let at: FromSqlResult<i64> = row.get_ref(1)?.as_i64();
    let data = row.get_ref(2)?.as_str()?;
    Ok((WallTime(at?.cast_unsigned()), data))
}

fn gone(first: u64, last: u64) -> Quarantined {
    let problem = match last - first {
        0 => "it is gone from the file".to_owned(),
        more => format!("it and the {more} behind it are gone from the file"),
    };
    Quarantined { seq: first, problem }
}
