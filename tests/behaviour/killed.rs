//! Killed anywhere: a host process is killed at every place its life has, and another one goes on
//! with the ledger. What was said, and the report, are those of a run nobody disturbed.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::harness::{CLASSES, Death, Ended, Folder, Recovered, Told, two_at_a_time};
use switchboard_core::Event;

use crate::HOST;

const FILES: &[(&str, &str)] = &[
    ("README.md", "# A small thing\n\nTODO: say what it is for.\n"),
    (
        "src/main.rs",
        "fn main() {\n    let it = read().unwrap();\n    // FIXME: shows it twice\n}\n",
    ),
    ("src/read.rs", "pub fn read() -> Option<String> {\n    todo!()\n}\n"),
    ("src/store.rs", "// HACK: holds everything in memory\n// TODO: a file\npub struct Store;\n"),
    ("tests/all.rs", "#[test]\nfn it_reads() {}\n"),
];

/// The kinds of events that come by the fail points in a review, and which further occurrences
/// of them a host is killed at, beside the first.
const KILLED_AT: &[(&str, &[usize])] = &[
    ("agent-registered", &[]),
    ("start-admitted", &[2]),
    ("resume-ordered", &[]),
    ("published", &[3, 4]),
    ("accepted", &[2, 5, 9]),
    ("turn-opened", &[2, 4]),
    ("claimed", &[2]),
    ("step-recorded", &[4, 9, 15]),
    ("call-ended", &[5, 13]),
    ("turn-ended", &[2, 5]),
    ("interrupt-admitted", &[]),
    ("closing", &[3]),
    ("released", &[2, 3]),
];

const AT_OPENING: &str = "written by the opening of a ledger, before there is an owner task";

/// The kinds that do not come by them, and why.
const EXPECTED_ABSENT: &[(&str, &str)] = &[
    ("forest-opened", AT_OPENING),
    ("host-started", AT_OPENING),
    ("start-withdrawn", "no child of a review fails to come up"),
    ("resume-failed", "no agent of a review fails to come back"),
    ("claim-returned", "written by the opening of a ledger after a crash, or by a drain"),
    ("request-raised", "nobody of a review asks the person for anything"),
    ("request-closed", "nobody of a review asks for one answer"),
    ("deleted", "nobody of a review is deleted"),
    ("paused", "the person of a review pauses nobody"),
    ("resumed", "the person of a review pauses nobody"),
    ("dropped", "no message of a review is shown often enough to be given up"),
];

/// A run nobody disturbed, and the folder it looked at.
struct Undisturbed {
    folder: Folder,
    told: Told,
}

impl Undisturbed {
    fn run() -> Self {
        let folder = Folder::of(FILES);
        let ledger = folder.ledger("undisturbed");
        let ended = HOST.review(&folder, &ledger, None);
        assert!(ended.status.success(), "{}", ended.complaint);
        let told = Told::of(&ledger);
        assert_eq!(told.problems(), [] as [&str; 0]);
        Self { folder, told }
    }

    /// Goes on with a ledger whose host was killed, and says what is then not as it should be.
    fn differs(&self, ledger: &Path) -> Vec<String> {
        let ended = HOST.resume(&self.folder, ledger);
        if !ended.status.success() {
            return vec![format!("resume failed: {}", ended.complaint)];
        }
        let told = Told::of(ledger);
        let mut problems = told.problems();
        if told.said() != self.told.said() {
            problems.push(format!("said {:#?}\ninstead of {:#?}", told.said(), self.told.said()));
        }
        if told.report() != self.told.report() {
            problems.push(format!("reported {}", told.report()));
        }
        problems
    }

    /// The ledgers are kept if something was not as it should be.
    fn judge(self, problems: &[String]) {
        if !problems.is_empty() {
            let kept = self.folder.keep();
            panic!(
                "{} problems, ledgers in {}:\n{}",
                problems.len(),
                kept.display(),
                problems.join("\n")
            );
        }
    }
}

/// One death by a fail point, and what came of it.
struct Case {
    death: Death,
    hit: bool,
    recovered: Recovered,
    problems: Vec<String>,
}

impl Case {
    fn of(undisturbed: &Undisturbed, death: &Death) -> Self {
        let Death { class, kind, nth } = death;
        let ledger = undisturbed.folder.ledger(&format!("{kind}-{nth}-{class}"));
        let ended = HOST.review(&undisturbed.folder, &ledger, Some(death.clone()));
        let mut problems = undisturbed.differs(&ledger);
        if !ended.was_killed() {
            problems.push(format!("was not killed there, but {}", ended.status));
        }
        let at = |problem| format!("{class}, {kind} {nth}: {problem}");
        let problems = problems.into_iter().map(at).collect();
        let recovered = Recovered::of(&Told::of(&ledger));
        Self { death: death.clone(), hit: ended.was_killed(), recovered, problems }
    }
}

fn deaths() -> Vec<Death> {
    let mut deaths = Vec::new();
    for (kind, later) in KILLED_AT {
        for nth in [1].iter().chain(*later) {
            for (class, _) in CLASSES {
                deaths.push(Death { class: class.to_owned(), kind: (*kind).to_owned(), nth: *nth });
            }
        }
    }
    deaths
}

/// Which occurrences a host was killed at, by kind and class.
fn table(cases: &[Case]) -> String {
    let heads = CLASSES.map(|(class, _)| format!("{class:<14}"));
    let mut table = format!("{:<20}{}\n", "killed at", heads.concat());
    for (kind, _) in KILLED_AT {
        let cells = CLASSES.map(|(class, _)| format!("{:<14}", cell(cases, kind, class)));
        writeln!(table, "{kind:<20}{}", cells.concat()).unwrap();
    }
    for (kind, why) in EXPECTED_ABSENT {
        writeln!(table, "{kind:<20}-  {why}").unwrap();
    }
    table
}

fn cell(cases: &[Case], kind: &str, class: &str) -> String {
    let here = cases.iter().filter(|case| case.death.kind == kind && case.death.class == class);
    let hits = here.map(|case| if case.hit { case.death.nth.to_string() } else { "?".to_owned() });
    hits.collect::<Vec<_>>().join(", ")
}

#[test]
fn killed_anywhere_turn_3_led_4_a_review_goes_on_and_comes_to_the_same_end() {
    let start = Instant::now();
    let undisturbed = Undisturbed::run();
    let deaths = deaths();
    let cases = two_at_a_time(&deaths, |death| Case::of(&undisturbed, death));
    println!("\n{}", table(&cases));
    let recovered: Recovered = cases.iter().map(|case| case.recovered).sum();
    println!("{} deaths in {:.1} s; {recovered:?}", cases.len(), start.elapsed().as_secs_f64());
    let problems: Vec<_> = cases.into_iter().flat_map(|case| case.problems).collect();
    undisturbed.judge(&problems);
    let Recovered { shown_again, brought_back, run_again } = recovered;
    assert!(shown_again > 0 && brought_back > 0 && run_again > 0, "all of it was needed");
}

#[test]
fn every_kind_of_event_is_one_to_be_killed_at_or_is_absent_for_a_reason() {
    let named = KILLED_AT.iter().map(|(kind, _)| *kind);
    let absent = EXPECTED_ABSENT.iter().map(|(kind, _)| *kind);
    let listed: Vec<_> = named.clone().chain(absent).collect();
    assert_eq!(listed.len(), Event::KINDS.len(), "each is listed once");
    assert_eq!(BTreeSet::from_iter(listed), BTreeSet::from_iter(Event::KINDS.iter().copied()));
    let told = Undisturbed::run().told;
    let opening = EXPECTED_ABSENT.iter().filter(|(_, why)| *why == AT_OPENING);
    let occur = BTreeSet::from_iter(named.chain(opening.map(|(kind, _)| *kind)));
    assert_eq!(told.events().map(Event::kind).collect::<BTreeSet<_>>(), occur);
}

/// How many random kills are asked for.
const KILLS: &str = "SWITCHBOARD_KILLS";
/// The seed of an earlier run, to have the same again.
const SEED: &str = "SWITCHBOARD_SEED";

fn asked(name: &str) -> Option<u64> {
    let set = std::env::var(name).ok()?;
    Some(set.parse().unwrap_or_else(|_| panic!("{name} is no number: {set}")))
}

fn some_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    u64::from(now.unwrap().subsec_nanos())
}

/// A number from 1 to `most`, always the same for one seed and place (SplitMix64).
fn chance(seed: u64, place: u64, most: usize) -> usize {
    let mut bits = seed.wrapping_add(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    1 + usize::try_from((bits ^ (bits >> 31)) % most as u64).unwrap()
}

/// After how many shown events a host is shot, and every other time the one that goes on with its
/// ledger too.
#[derive(Debug)]
struct Shots {
    first: usize,
    second: Option<usize>,
}

impl Shots {
    fn of(seed: u64, number: u64, events: usize) -> Self {
        let second = (number % 2 == 1).then(|| chance(seed, 2 * number + 1, events / 2));
        Self { first: chance(seed, 2 * number, events - 1), second }
    }

    fn fire(&self, undisturbed: &Undisturbed, ledger: &Path) -> Vec<Ended> {
        let folder = &undisturbed.folder;
        let first = HOST.review_shot(folder, ledger, self.first);
        let second = self.second.map(|after| HOST.resume_shot(folder, ledger, after));
        std::iter::once(first).chain(second).collect()
    }
}

/// A run that was shot at, with its number among them.
fn shot(undisturbed: &Undisturbed, shots: &Shots, ledger: PathBuf) -> (usize, Vec<String>) {
    let ended = shots.fire(undisturbed, &ledger);
    let killed = ended.iter().filter(|ended| ended.was_killed()).count();
    let failed = ended.iter().filter(|ended| !ended.was_killed() && !ended.status.success());
    let failed = failed.map(|ended| format!("failed by itself: {}", ended.complaint));
    let problems = failed.chain(undisturbed.differs(&ledger));
    (killed, problems.map(|problem| format!("{shots:?}: {problem}")).collect())
}

#[test]
fn killed_at_any_moment_fate_1_every_message_has_one_fate_and_the_report_is_the_same() {
    let (kills, seed) = (asked(KILLS).unwrap_or(12), asked(SEED).unwrap_or_else(some_seed));
    println!("{SEED}={seed} {KILLS}={kills}");
    let (start, undisturbed) = (Instant::now(), Undisturbed::run());
    let events = undisturbed.told.reading.events.len();
    let numbers: Vec<u64> = (0..kills).collect();
    let runs = two_at_a_time(&numbers, |number| {
        let ledger = undisturbed.folder.ledger(&format!("shot-{number}"));
        shot(&undisturbed, &Shots::of(seed, *number, events), ledger)
    });
    let killed: usize = runs.iter().map(|(killed, _)| killed).sum();
    let elapsed = start.elapsed().as_secs_f64();
    println!("{kills} runs were shot at, {killed} hosts killed, in {elapsed:.1} s");
    let mut problems: Vec<_> = runs.into_iter().flat_map(|(_, problems)| problems).collect();
    if (killed as u64) < kills / 2 {
        problems.push("most shots came too late".to_owned());
    }
    undisturbed.judge(&problems);
}
