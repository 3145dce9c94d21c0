//! `tests/cases.toml` says which situation is shown by which test: that the tests are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;

use serde::Deserialize;

use crate::harness::workspace;

/// What there is to say about one situation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The guarantee that decides it.
    clause: Option<String>,
    /// Which tests show it, each as `file::function`.
    #[serde(default)]
    tests: Vec<String>,
    /// How it is decided otherwise here.
    note: Option<String>,
    /// What of it is not there yet.
    later: Option<String>,
    /// Why there is nothing to show.
    why_not: Option<String>,
}

impl Case {
    /// What is wrong with the row itself.
    fn fault(&self) -> Option<&'static str> {
        let silent = |words: &Option<String>| words.as_ref().is_some_and(|is| is.trim().is_empty());
        let (tested, later) = (!self.tests.is_empty(), self.later.is_some());
        let unique: BTreeSet<&String> = self.tests.iter().collect();
        match () {
            () if [&self.note, &self.later, &self.why_not].into_iter().any(silent) => {
                Some("says nothing")
            }
            () if self.why_not.is_some() && (tested || later) => Some("has tests and does not"),
            () if !tested && !later && self.why_not.is_none() => Some("is neither shown nor not"),
            () if tested != self.clause.is_some() => {
                Some("has tests without a clause, or one alone")
            }
            () if unique.len() != self.tests.len() => Some("names a test twice"),
            () => None,
        }
    }
}

/// The rows; a table that is there twice is no TOML.
fn cases() -> BTreeMap<String, Case> {
    let text = read_to_string(workspace().join("tests/cases.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

/// `DSH-019`, or `r023`.
fn is_an_id(id: &str) -> bool {
    let digits = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    let families = ["DSH", "DSL", "DST", "PRM", "CDX"];
    match id.split_once('-') {
        Some((family, number)) => families.contains(&family) && digits(number),
        None => id.strip_prefix('r').is_some_and(digits),
    }
}

/// Whether the file has this test.
fn is_there(test: &str) -> bool {
    let Some((file, name)) = test.split_once("::") else { return false };
    let text = read_to_string(workspace().join(file)).unwrap_or_default();
    let begins = [format!("fn {name}("), format!("async fn {name}(")];
    let pairs = text.lines().zip(text.lines().skip(1));
    let its = |line: &str| begins.iter().any(|begin| line.trim_start().starts_with(begin));
    pairs.into_iter().any(|(above, line)| its(line) && above.trim_start().starts_with("#["))
}

#[test]
fn every_case_is_shown_by_tests_that_are_there_or_it_is_said_why_not() {
    let page = read_to_string(workspace().join("docs/semantics.md")).unwrap();
    let mut wrong = Vec::new();
    for (id, case) in &cases() {
        if !is_an_id(id) {
            wrong.push(format!("{id} is no id"));
        }
        wrong.extend(case.fault().map(|fault| format!("{id} {fault}")));
        let promised = |clause: &&String| page.contains(&format!(" **{clause}** "));
        let unknown = case.clause.iter().filter(|clause| !promised(clause));
        wrong.extend(unknown.map(|clause| format!("{id} names {clause}, which is not promised")));
        let missing = case.tests.iter().filter(|test| !is_there(test));
        wrong.extend(missing.map(|test| format!("{id} names {test}, which is not there")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The figures are for whoever reads them: `-- --nocapture`.
#[test]
fn the_cases_are_counted() {
    let cases = cases();
    let count = |which: fn(&Case) -> bool| cases.values().filter(|case| which(case)).count();
    let shown = count(|case| !case.tests.is_empty() && case.later.is_none());
    let in_part = count(|case| !case.tests.is_empty() && case.later.is_some());
    let later = count(|case| case.tests.is_empty() && case.later.is_some());
    let not = count(|case| case.why_not.is_some());
    println!(
        "{} cases: {shown} shown, {in_part} in part, {later} later, {not} do not apply",
        cases.len()
    );
    assert_eq!(shown + in_part + later + not, cases.len());
}
