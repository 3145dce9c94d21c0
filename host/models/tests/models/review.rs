//! The built-in crew, played over several folders in many orders.

use std::sync::LazyLock;

use proptest::prelude::*;
use switchboard_models::{Models, Script};

use crate::world::{Course, Folder, Outcome, Schedule, World};

const CREW: &str = include_str!("../../../../crews/review/crew.toml");

/// Read once: every test plays it, some of them hundreds of times.
static MODELS: LazyLock<Models> = LazyLock::new(|| {
    let crew: toml::Table = toml::from_str(CREW).unwrap();
    let scripts = crew["scripts"].as_table().unwrap().iter();
    let parsed = |(name, tables): (&String, &toml::Value)| {
        let script = Script::parse(name, tables.clone()).unwrap_or_else(|fault| panic!("{fault}"));
        (name.clone(), script)
    };
    Models::new(scripts.map(parsed))
});

fn small() -> Folder {
    Folder::of([
        ("README.md", "# A thing\n\nTODO: say what it is\n"),
        ("src/lib.rs", "fn a() {}\n// XXX odd\nfn b() { x.unwrap() }\n"),
        ("src/main.rs", "fn main() {\n    // FIXME: it crashes on empty input\n    todo!()\n}\n"),
    ])
}

fn play(folder: Folder, schedule: Schedule) -> (Outcome, Course) {
    World::new(MODELS.clone(), folder).play("Review the files.", schedule)
}

fn undisturbed(folder: Folder) -> (Outcome, Course) {
    play(folder, Schedule::undisturbed())
}

fn report(folder: Folder) -> String {
    undisturbed(folder).0.report
}

/// Folders of every kind a run may meet.
fn folders() -> Vec<Folder> {
    let many = (0..700).fold(Folder::default(), |folder, n| {
        folder.with(&format!("many/{n:04}.txt"), "one\n// BUG here\n\tTODO \"quoted\" {{ name }}\n")
    });
    vec![
        small(),
        Folder::of([("notes.txt", "nothing special\nfixme in small letters\n")]),
        Folder::of([("only open.md", "TODO: a: 3: b\n")]),
        Folder::of([("(odd)/a:1: b.rs", "x.unwrap() // ünïcödé \u{2028} `tick`\r\n")]),
        Folder::of([("long.js", "TODO ".repeat(4_000).as_str()), ("z", "BUG BUG")]),
        // A crew that reviews itself finds its own words in what it reads.
        Folder::of([("crew.toml", CREW), ("FIXME", CREW)]),
        many,
    ]
}

#[test]
fn the_report_is_made_of_what_the_tools_returned() {
    assert_report(&report(small()), include_str!("review/small.md"));
}

#[test]
fn an_empty_folder_is_reported_as_one() {
    let (outcome, course) = undisturbed(Folder::default());
    assert_report(&outcome.report, include_str!("review/empty.md"));
    assert_eq!((outcome.sent.len(), course.watches_cut), (0, 0), "nobody had anything to do");
}

#[test]
fn with_nothing_marked_a_file_that_is_there_is_watched() {
    let (outcome, _) = undisturbed(Folder::of([("notes.txt", "nothing special\n")]));
    let watch = "Watch notes.txt until it changes, and tell me that you do.";
    assert!(outcome.sent.iter().any(|(_, _, words)| words.trim() == watch), "{:?}", outcome.sent);
}

#[track_caller]
fn assert_report(report: &str, expected: &str) {
    assert_eq!(report.trim_end(), expected.trim_end(), "the report is now:\n{report}");
}

#[test]
fn changing_one_file_changes_the_report() {
    let before = report(small());
    assert_ne!(report(small().with("src/new.rs", "")), before);
    assert_ne!(report(small().with("README.md", "# A thing\n")), before);
    assert_ne!(report(small().with("src/main.rs", "// FIXME: it crashes on long input")), before);
}

#[test]
fn the_story_has_an_early_word_a_cut_watch_and_a_cold_resume() {
    for folder in folders() {
        let (outcome, course) = undisturbed(folder);
        assert_eq!(outcome.sent.len(), STORY.len());
        for ((from, to, words), start) in outcome.sent.iter().zip(STORY) {
            let message = format!("{from} to {to}: {words}");
            assert!(message.starts_with(start), "{message}");
        }
        assert_eq!(course.watches_cut, 1);
        assert_eq!(course.cold_resumes, 1);
        assert!(course.read_in_mid_turn >= 3, "{course:?}");
    }
}

const STORY: [&str; 13] = [
    "lead to reviewer: Find what",
    "lead to reviewer: Question: ",
    "lead to reviewer-2: Find the",
    "lead to reviewer-2: Stop waiting;",
    "lead to reviewer-2: Watch ",
    "reviewer to lead: ## To",
    "reviewer to lead: ## What",
    "reviewer to lead: Early finding:",
    "reviewer to lead: at rest:",
    "reviewer to lead: at rest:",
    "reviewer-2 to lead: ## Open",
    "reviewer-2 to lead: Watching ",
    "reviewer-2 to lead: at rest:",
];

#[test]
fn every_message_fits_into_one() {
    for folder in folders() {
        for (_, _, words) in undisturbed(folder).0.sent {
            assert!(words.chars().count() <= 16_384, "{} characters", words.chars().count());
        }
    }
}

/// Of the orders below none is interesting by itself; together they must be wild enough.
#[test]
fn in_other_orders_the_host_dies_and_the_watch_ends_by_itself() {
    let mut state: u32 = 1;
    let mut choice = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as u16
    };
    let orders = (0..24).map(|_| (0..300).map(|_| choice()).collect());
    let courses: Vec<_> = orders.map(|choices| play(small(), Schedule::new(choices)).1).collect();
    assert!(courses.iter().any(|course| course.crashes > 1), "{courses:?}");
    assert!(courses.iter().any(|course| course.watches_cut == 0), "{courses:?}");
    assert!(courses.iter().any(|course| course.watches_cut == 1), "{courses:?}");
    assert!(courses.iter().all(|course| course.cold_resumes == 1), "{courses:?}");
}

/// The folders, each with what comes of it undisturbed.
static EXPECTED: LazyLock<Vec<(Folder, Outcome)>> = LazyLock::new(|| {
    folders().into_iter().map(|folder| (folder.clone(), undisturbed(folder).0)).collect()
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_first_the_messages_and_the_report_are_the_same(
        which in any::<prop::sample::Index>(),
        choices in prop::collection::vec(any::<u16>(), 0..400),
    ) {
        let (folder, expected) = which.get(&EXPECTED);
        let (outcome, _) = play(folder.clone(), Schedule::new(choices));
        prop_assert_eq!(&outcome, expected);
    }
}
