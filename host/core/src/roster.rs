//! Rosters: what those who may look at an agent are told of it (OBS-1).

use std::sync::Arc;

use crate::activity::Activity;
use crate::ids::AgentId;
use crate::kinship::{Relationship, Verb};
use crate::name::AgentName;

/// Whom a roster lists. Nobody is in it whom the caller may not observe (REACH-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those directly below the caller.
    Children,
    /// All below the caller.
    Descendants,
    /// All whom the caller may observe.
    Reachable,
}

/// A question for one page of a roster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RosterQuery {
    /// Who is to be listed.
    pub scope: Scope,
    /// How many rows, 1 to [`Roster::MOST`]; [`Roster::USUAL`] if none.
    pub limit: Option<u32>,
    /// The page begins behind this agent: [`Roster::next`] of the page before.
    pub after: Option<AgentId>,
}

/// One page of a roster: the parent first, then siblings, then those below, each with its own
/// below it, and all of one parent by id. Under the policy `tree` it is the tree, from its root
/// down. So whoever was there before the first page is in exactly one of them, whoever else comes
/// or goes meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    /// The agents of this page.
    pub rows: Vec<Row>,
    /// Behind whom the next page begins; none if this is the last.
    pub next: Option<AgentId>,
}

impl Roster {
    /// Rows of a page unless it is said.
    pub const USUAL: u32 = 20;
    /// Rows of a page at most.
    pub const MOST: u32 = 50;
}

/// One agent, as those who may observe it see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub agent: AgentId,
    /// Its name among its siblings.
    pub name: AgentName,
    /// What it is to the caller; no kin, if that is the person.
    pub relationship: Relationship,
    /// Levels below its root.
    pub depth: u32,
    /// What it is there for: one line of at most 200 characters.
    pub description: Arc<str>,
    /// What it is doing.
    pub activity: Activity,
    /// How many messages wait for it.
    pub pending: u32,
    /// How many it still has to acknowledge or to answer (FATE-4, HAND-3).
    pub obligations: u32,
    /// How many messages were ever accepted for it.
    pub messages: u64,
    /// The last thing it wrote: one line of at most 200 characters.
    pub last_words: Option<Arc<str>>,
    /// What the caller can do to it.
    pub may: Vec<Verb>,
}

/// Characters of a line about an agent, which is for lists and never routed on (FRAME-3).
const LINE_CHARS: usize = 200;

/// The beginning of a text in one line, with `…` in place of what is cut; none if it is blank.
pub(crate) fn line(text: &str) -> Option<Arc<str>> {
    let (mut line, mut chars, mut gap) = (String::new(), 0, false);
    for letter in text.chars() {
        if letter.is_whitespace() || letter.is_control() {
            gap = chars > 0;
            continue;
        }
        if std::mem::take(&mut gap) {
            line.push(' ');
            chars += 1;
        }
        line.push(letter);
        chars += 1;
        if chars > LINE_CHARS {
            let kept = line.char_indices().nth(LINE_CHARS - 1).map_or(0, |(place, _)| place);
            line.truncate(kept);
            line.push('…');
            break;
        }
    }
    (chars > 0).then(|| line.into())
}
