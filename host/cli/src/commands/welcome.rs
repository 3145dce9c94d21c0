//! `switchboard` alone: what this is, and where to begin.

use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::paint::Role;

const STEPS: [(&str, &str); 5] = [
    ("switchboard run review", "three agents review this folder, without any key or network"),
    ("switchboard init", "write a crew file of your own, every line explained"),
    ("switchboard ledger verify --story", "who said what to whom in the last run, and was it kept"),
    ("switchboard doctor", "is this machine fit for it"),
    ("switchboard --help", "everything else"),
];

pub(super) fn welcome(console: &Console) -> Result<Exit, Failure> {
    let paint = console.paint;
    console
        .line("Switchboard runs agents that start each other, write to each other and stop each");
    console.line("other, keeps every word in a ledger, and runs their tools in a sandbox.");
    console.line("");
    for (command, what) in STEPS {
        let command = paint.paint(Role::Strong, &format!("{command:<34}"));
        console.line(&format!("  {command} {what}"));
    }
    Ok(Exit::Done)
}
