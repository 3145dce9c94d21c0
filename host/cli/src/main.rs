//! The `switchboard` binary: parses, calls, and exits.

use std::process::ExitCode;

use clap::Parser;
use switchboard_cli::arguments::Arguments;

fn main() -> ExitCode {
    switchboard_cli::commands::run(Arguments::parse()).into()
}
