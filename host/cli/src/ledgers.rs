//! Where ledgers lie, and how one is read.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use switchboard_core::{
    AgentName, Event, Forest, LedgerTag, Limits, MessageId, ReachPolicy, Sender,
};
use switchboard_ledger::{Ledger, Quarantined, Sqlite, Stored};

use crate::crew::resolved::ResolvedCrew;
use crate::failure::Failure;

/// The folder ledgers lie in unless told otherwise.
pub const FOLDER: &str = ".switchboard";
/// Ledgers that are opened to find one.
const OPENED: usize = 50;

/// The ledgers of a folder.
#[derive(Clone, Debug)]
pub struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    /// The ledgers of the current folder.
    pub fn here() -> Self {
        Self::of(Path::new("."))
    }

    /// The ledgers of this folder.
    pub fn of(dir: &Path) -> Self {
        Self { folder: if dir == Path::new(".") { FOLDER.into() } else { dir.join(FOLDER) } }
    }

    /// All of them, the newest first.
    pub fn all(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let ledgers = entries.map(|entry| entry.path()).filter(|path| numbered(path).is_some());
        let mut found: Vec<_> =
            ledgers.map(|path| (written(&path), numbered(&path), path)).collect();
        found.sort();
        found.into_iter().rev().map(|(_, _, path)| path).collect()
    }

    /// The last one of a crew.
    pub fn newest_of(&self, crew: &str) -> Option<PathBuf> {
        let named = self.all().into_iter().filter_map(|path| Some((numbered(&path)?, path)));
        let own = named.filter(|((name, _), _)| name == crew);
        own.max_by_key(|((_, number), _)| *number).map(|(_, path)| path)
    }

    /// A place for the next one of a crew. The folder is made, and kept out of git.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn next_of(&self, crew: &str) -> Result<PathBuf, Failure> {
        let cannot = |error| {
            Failure::new(format!("cannot make the folder `{}` for ledgers", self.folder.display()))
                .because(error)
                .next("run it in a folder you may write to, or name a file with `--ledger FILE`")
        };
        fs::create_dir_all(&self.folder).map_err(cannot)?;
        let ignore = self.folder.join(".gitignore");
        if !ignore.exists() {
            fs::write(ignore, "*\n").map_err(cannot)?;
        }
        let last =
            self.newest_of(crew).and_then(|path| numbered(&path)).map_or(0, |(_, last)| last);
        Ok(self.folder.join(format!("{crew}-{}.db", last + 1)))
    }
}

/// `review-3.db` is the third of `review`.
fn numbered(path: &Path) -> Option<(String, u64)> {
    let (crew, number) = path.file_name()?.to_str()?.strip_suffix(".db")?.rsplit_once('-')?;
    // The last number there is has none behind it: such a file is somebody's own.
    let number = number.parse().ok().filter(|number| *number < u64::MAX)?;
    Some((crew.to_owned(), number))
}

/// When it was written last. The side file has what is not yet in the main one; readers leave
/// empty ones behind, which say nothing.
fn written(path: &Path) -> Option<SystemTime> {
    let time = |path: &Path| {
        let file = fs::metadata(path).ok().filter(|file| file.len() > 0)?;
        file.modified().ok()
    };
    time(path).max(time(&path.with_extension("db-wal")))
}

/// A ledger that was read whole.
#[derive(Debug)]
pub struct Reading {
    /// The file.
    pub path: PathBuf,
    /// Its events, in order.
    pub events: Vec<Stored>,
    /// What could not be read.
    pub quarantined: Vec<Quarantined>,
    /// What is filed under another kind or agent than its own.
    pub misfiled: Vec<Quarantined>,
    /// The bounds it was written under, if it keeps its crew; otherwise the usual ones.
    pub limits: Limits,
    /// The same of who may write to whom.
    pub reach: ReachPolicy,
}

impl Reading {
    /// The machine as these events leave it.
    ///
    /// # Errors
    /// An event does not fit those before it.
    pub fn replayed(&self) -> Result<Forest, String> {
        replayed(&self.events, self.limits.clone(), self.reach)
    }

    /// The tag in all its ids.
    pub fn tag(&self) -> Option<LedgerTag> {
        self.events.iter().find_map(|stored| match &stored.event {
            Event::ForestOpened { tag, .. } => Some(*tag),
            _ => None,
        })
    }

    /// See [`is_over`], under the crew's own limits.
    pub fn is_over(&self) -> bool {
        is_told(&self.events) && self.replayed().is_ok_and(|forest| forest.is_quiet())
    }
}

/// Reads a ledger, without a claim on it: a host may be writing it.
///
/// # Errors
/// It is not there, it is something else, or a newer version wrote it.
pub fn read(path: &Path) -> Result<Reading, Failure> {
    let cannot = |error: switchboard_ledger::LedgerError| {
        let failure = Failure::new(format!("cannot read the ledger `{}`", path.display()));
        let failure = failure.because(error.problem);
        match instead(path) {
            Some(instead) => failure.next(instead),
            None => failure.next(format!(
                "look for ledgers in {FOLDER}, or make one: `switchboard run review`"
            )),
        }
    };
    let mut ledger = Sqlite::open_reader(path).map_err(cannot)?;
    let mut events = Vec::new();
    let quarantined = ledger.replay(&mut |stored| events.push(stored)).map_err(cannot)?;
    let misfiled = ledger.misfiled().map_err(cannot)?;
    let (limits, reach) = bounds(&mut ledger);
    Ok(Reading { path: path.to_owned(), events, quarantined, misfiled, limits, reach })
}

/// What somebody wanted who named this as a ledger, if it looks like something else.
pub fn instead(path: &Path) -> Option<String> {
    let named = path.to_str()?;
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Some(format!("run a crew file: `switchboard run {named}`"));
    }
    if named.parse::<MessageId>().is_ok() {
        return Some(format!("ask for a message: `switchboard ledger message {named}`"));
    }
    let is_agent = !path.exists() && AgentName::new(named).is_ok();
    is_agent.then(|| format!("ask for an agent: `switchboard ledger show --agent {named}`"))
}

/// The newest ledger in this folder whose ids have this tag, of so many as are worth opening.
pub fn of_tag(tag: LedgerTag) -> Option<PathBuf> {
    let begins = |path: &PathBuf| read(path).is_ok_and(|reading| reading.tag() == Some(tag));
    Shelf::here().all().into_iter().take(OPENED).find(begins)
}

/// What the kept crew says. A host program keeps none, and what a newer version kept may be
/// something else; neither makes the events unreadable.
fn bounds(ledger: &mut Sqlite) -> (Limits, ReachPolicy) {
    let kept = ledger.document(ResolvedCrew::DOCUMENT).ok().flatten();
    let crew = kept.and_then(|text| serde_json::from_str::<ResolvedCrew>(&text).ok());
    crew.map_or_else(Default::default, |crew| (crew.limits, crew.reach))
}

/// The ledger that was named, or the newest one here.
///
/// # Errors
/// There is none.
pub fn named_or_newest(named: Option<PathBuf>) -> Result<PathBuf, Failure> {
    named.or_else(|| Shelf::here().all().into_iter().next()).ok_or_else(|| {
        Failure::new(format!("there is no ledger in `{FOLDER}`"))
            .next("make one: `switchboard run review`")
            .next("name the file")
    })
}

fn replayed(events: &[Stored], limits: Limits, reach: ReachPolicy) -> Result<Forest, String> {
    let replay = || {
        let mut forest = Forest::replaying(limits, reach);
        for stored in events {
            let applied = forest.apply(&stored.event);
            applied.map_err(|unfit| format!("record {}: {unfit}", stored.seq))?;
        }
        Ok(forest)
    };
    // A ledger somebody altered may break what the machine takes for granted.
    catch_unwind(AssertUnwindSafe(replay))
        .unwrap_or_else(|_| Err("the machine's own rules do not hold for these records".to_owned()))
}

/// Whether the run of these events is over: the root was told something, and nothing runs, is due
/// or on its way. What does not fit together is not over. The usual limits are taken for its own.
pub fn is_over(events: &[Stored]) -> bool {
    let replayed = || replayed(events, Limits::default(), ReachPolicy::default());
    is_told(events) && replayed().is_ok_and(|forest| forest.is_quiet())
}

fn is_told(events: &[Stored]) -> bool {
    events.iter().any(|stored| match &stored.event {
        Event::Accepted { message, .. } => message.from == Sender::User,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Shelf, numbered};

    #[test]
    fn a_ledger_is_named_after_its_crew_and_a_number() {
        assert_eq!(numbered(Path::new("x/my-crew-12.db")), Some(("my-crew".into(), 12)));
        assert_eq!(numbered(Path::new("x/my-crew.db-wal")), None);
        assert_eq!(numbered(Path::new("x/my-crew-18446744073709551615.db")), None);
    }

    #[test]
    fn the_next_ledger_has_the_next_number_and_stays_out_of_git() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf::of(dir.path());
        let first = shelf.next_of("review").unwrap();
        assert!(first.ends_with(".switchboard/review-1.db"));
        fs::write(&first, "").unwrap();
        fs::write(first.with_file_name("review-10.db"), "").unwrap();
        assert!(shelf.next_of("review").unwrap().ends_with("review-11.db"));
        assert!(shelf.next_of("other").unwrap().ends_with("other-1.db"));
        assert_eq!(fs::read_to_string(dir.path().join(".switchboard/.gitignore")).unwrap(), "*\n");
    }
}
