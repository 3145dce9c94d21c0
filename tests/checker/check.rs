//! Walks worlds by name: `all`, `small`, or a part of a name; `--list` says which there are.

mod checker;

use std::process::ExitCode;

use checker::{report, worlds};

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "small".to_owned());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut passed = true;
    for configuration in worlds::ALL {
        let chosen = match wanted.as_str() {
            "all" | "--list" => true,
            "small" => configuration.small,
            part => configuration.name.contains(part),
        };
        if wanted == "--list" {
            println!("{}", configuration.name);
        } else if chosen {
            let report = report::walk(*configuration, threads);
            print!("{}", report.text);
            passed &= report.passed;
        }
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
