//! One file for each command. Each takes its arguments and a console, and answers with an exit
//! code, or with what went wrong.

mod doctor;
mod init;
mod inspect;
mod ledger;
mod run;
mod welcome;

use crate::arguments::{Arguments, Command, LedgerCommand, PluginCommand};
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::log;

/// Does what was asked, and says what went wrong if something did.
pub fn run(arguments: Arguments) -> Exit {
    let console = Console::new(arguments.color);
    let done = log::begin().and_then(|()| match arguments.command {
        None => welcome::welcome(&console),
        Some(command) => dispatch(command, &console),
    });
    done.unwrap_or_else(|failure| {
        console.fail(&failure);
        failure.exit()
    })
}

fn dispatch(command: Command, console: &Console) -> Result<Exit, Failure> {
    match command {
        Command::Run(arguments) => run::run(arguments, console),
        Command::Resume(arguments) => run::resume(arguments, console),
        Command::Ledger(LedgerCommand::Show(arguments)) => ledger::show(arguments, console),
        Command::Ledger(LedgerCommand::Message(arguments)) => ledger::message(arguments, console),
        Command::Ledger(LedgerCommand::Verify(arguments)) => ledger::verify(arguments, console),
        Command::Plugin(PluginCommand::Inspect(arguments)) => inspect::inspect(&arguments, console),
        Command::Doctor(arguments) => doctor::doctor(arguments, console),
        Command::Init(arguments) => init::init(&arguments, console),
    }
}
