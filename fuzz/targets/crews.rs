//! Whatever stands in a crew file: it is a crew that a ledger can keep, or everything that is wrong
//! with it is said, with a place inside the file.
#![no_main]

use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use switchboard_cli::crew::parse::parse;
use switchboard_cli::crew::resolve::{Overrides, resolve};
use switchboard_cli::crew::resolved::ResolvedCrew;
use switchboard_cli::crew::source::{Problems, Source};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crews/review");

fuzz_target!(|text: String| {
    let base = PathBuf::from(FOLDER);
    let source = Source { name: "crew.toml".to_owned(), text, base };
    match parse(&source) {
        Err(problems) => are_said(&source, &problems),
        Ok(file) => match resolve("crew.toml", &source, &file, Overrides::default()) {
            Err(failure) => assert!(!failure.to_string().trim().is_empty()),
            Ok(crew) => is_kept(&crew),
        },
    }
});

fn are_said(source: &Source, problems: &Problems) {
    assert!(!problems.found.is_empty());
    let lines = source.text.matches('\n').count() + 1;
    for problem in &problems.found {
        assert!(!problem.what.trim().is_empty());
        assert!(!problem.what.contains('\n'), "a problem is one line: {:?}", problem.what);
        assert!(problem.at.is_none_or(|(line, column)| line <= lines && column > 0));
    }
}

/// A run that is taken up again reads its crew from the ledger.
fn is_kept(crew: &ResolvedCrew) {
    let kept = serde_json::to_string(crew).expect("a crew can be written down");
    let read: ResolvedCrew = serde_json::from_str(&kept).expect("a kept crew can be read");
    assert_eq!(read, *crew);
}
