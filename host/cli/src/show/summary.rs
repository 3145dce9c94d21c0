//! A run in a few numbers.

use std::collections::BTreeMap;

use switchboard_core::Usage;

use crate::show::chronicle::Chronicle;
use crate::show::standing::word;
use crate::show::words::{bytes, count, duration, turn_end};

/// What was said, done and how long it took: pairs of a heading and a line.
pub fn summary(chronicle: &Chronicle) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("messages", messages(chronicle)),
        ("turns", turns(chronicle)),
        ("tool calls", calls(chronicle)),
    ];
    lines.extend(sandbox(chronicle).map(|line| ("sandbox", line)));
    lines
}

/// The value below which so many percent of these lie; exact, since a run has few calls.
pub fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

fn messages(chronicle: &Chronicle) -> String {
    let ends = tally(chronicle.messages.values().map(|mail| word(mail.standing)));
    let steered = chronicle
        .messages
        .values()
        .filter(|mail| mail.showings.iter().any(|showing| showing.steered));
    let all = told(chronicle.messages.values().count(), "accepted", &ends);
    match steered.count() {
        0 => all,
        some => format!("{all}; {some} steered into a running turn"),
    }
}

fn turns(chronicle: &Chronicle) -> String {
    let ends = tally(chronicle.turns.values().map(|turn| match &turn.end {
        Some((end, _)) => turn_end(*end),
        None => "open".to_owned(),
    }));
    // A ledger somebody altered may count any number of them.
    let steps = chronicle.turns.values().fold(0, |all: u32, turn| all.saturating_add(turn.steps));
    let steps = count(usize::try_from(steps).unwrap_or(usize::MAX), "step");
    format!("{}; {steps}", told(chronicle.turns.len(), "run", &ends))
}

fn calls(chronicle: &Chronicle) -> String {
    let ends = tally(chronicle.calls.iter().map(|call| match &call.end {
        Some((outcome, _)) => crate::show::safe::line(outcome, 24),
        None if call.cut => "cut".to_owned(),
        None => "without a result".to_owned(),
    }));
    let ended = chronicle.calls.iter().filter_map(|call| call.end.as_ref());
    let mut took: Vec<u64> = ended.map(|(_, usage)| usage.ran().0).collect();
    took.sort_unstable();
    let all = told(chronicle.calls.len(), "made", &ends);
    match (percentile(&took, 50), percentile(&took, 99)) {
        (Some(p50), Some(p99)) => {
            format!("{all}; p50 {}, p99 {}", duration(p50), duration(p99))
        }
        _ => all,
    }
}

/// What the calls that came into the sandbox used there, all together; none if none did.
fn sandbox(chronicle: &Chronicle) -> Option<String> {
    let ended = chronicle.calls.iter().filter_map(|call| call.end.as_ref());
    let used: Vec<Usage> =
        ended.map(|(_, usage)| *usage).filter(|usage| *usage != Usage::default()).collect();
    if used.is_empty() {
        return None;
    }
    let all = used.iter().fold(Usage::default(), |all, usage| all + *usage);
    let host_calls = usize::try_from(all.host_calls).unwrap_or(usize::MAX);
    let times = [
        (all.queued, "waiting".to_owned()),
        (all.instantiating, "starting".to_owned()),
        (all.guest, "in guests".to_owned()),
        (all.host, format!("in {}", count(host_calls, "host call"))),
    ];
    let times = times.map(|(time, what)| format!("{} {what}", duration(time.0))).join(", ");
    let (calls, memory) = (count(used.len(), "call"), bytes(all.peak_memory));
    Some(format!("{calls}, in total {times}; at most {memory} each"))
}

fn tally(ends: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut tally = BTreeMap::new();
    ends.for_each(|end| *tally.entry(end).or_default() += 1);
    tally
}

fn told(all: usize, done: &str, ends: &BTreeMap<String, usize>) -> String {
    if ends.is_empty() {
        return "none".to_owned();
    }
    let each = ends.iter().map(|(end, number)| format!("{number} {end}"));
    format!("{all} {done}: {}", each.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn a_percentile_is_a_value_that_occurred() {
        let took: Vec<u64> = (1..=100).collect();
        assert_eq!(percentile(&took, 50), Some(50));
        assert_eq!(percentile(&took, 99), Some(99));
        assert_eq!(percentile(&[7], 99), Some(7));
        assert_eq!(percentile(&[], 50), None);
    }
}
