//! What can be asked on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::show::paint::Choice;
use crate::{exit, log};

/// A control plane for agents that talk to each other, with their tools in a sandbox.
#[derive(Clone, Debug, Parser)]
#[command(name = "switchboard", version, disable_help_subcommand = true)]
#[command(after_help = format!("{}\n\n{}", exit::HELP, log::HELP))]
pub struct Arguments {
    /// When to use colour; NO_COLOR is honoured.
    #[arg(long, global = true, value_enum, default_value_t, hide_possible_values = true)]
    #[arg(value_name = "auto|always|never", hide_default_value = true)]
    pub color: Choice,
    /// What to do; without one, what this is and where to begin.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Run a crew of agents until nothing is left to do, and print its report.
    #[command(after_help = concat!(
        "Examples:\n",
        "  switchboard run review\n",
        "  switchboard run review --workspace src --input \"Look at the parser first.\"\n",
        "  switchboard run crews/mine.toml --json > events.jsonl\n\n",
        "What happens is kept in a ledger: .switchboard/NAME-N.db, or what --ledger says.\n",
        "Ctrl-C or SIGTERM lets calls in flight finish and stops; `switchboard resume` goes on.",
    ))]
    Run(Run),
    /// Go on with a run that was stopped or broke off.
    #[command(after_help = concat!(
        "Examples:\n",
        "  switchboard resume\n",
        "  switchboard resume .switchboard/review-2.db\n\n",
        "Nothing else is needed: the ledger has the crew, its scripts and its workspace.",
    ))]
    Resume(Resume),
    /// Read a ledger, also while a host writes it.
    #[command(subcommand, after_help = concat!(
        "Examples:\n",
        "  switchboard ledger show\n",
        "  switchboard ledger message msg_7k2m9-12\n",
        "  switchboard ledger verify --story",
    ))]
    Ledger(LedgerCommand),
    /// Look at a tool's component.
    #[command(subcommand)]
    #[command(after_help = "Examples:\n  switchboard plugin inspect builtin:send-message")]
    Plugin(PluginCommand),
    /// Say whether this machine and folder are fit to run crews.
    #[command(after_help = "Examples:\n  switchboard doctor\n  switchboard doctor --json")]
    Doctor(Doctor),
    /// Write a crew file to begin with, every line explained.
    #[command(after_help = "Examples:\n  switchboard init\n  switchboard init my-crew")]
    Init(Init),
}

/// `run`
#[derive(Clone, Debug, Args)]
pub struct Run {
    /// The name of a built-in crew (`review`), or a path to a crew file.
    #[arg(value_name = "CREW")]
    pub crew: String,
    /// The folder all workspace grants are for, in place of the ones in the crew file.
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Keep the ledger in this new file.
    #[arg(long, value_name = "FILE")]
    pub ledger: Option<PathBuf>,
    /// Begin anew, even if the last run of this crew is not over.
    #[arg(long)]
    pub new: bool,
    /// What to tell the root, in place of the crew file's input.
    #[arg(long, value_name = "TEXT")]
    pub input: Option<String>,
    /// How it is shown.
    #[command(flatten)]
    pub show: Show,
}

/// How a run is shown.
#[derive(Clone, Copy, Debug, Args)]
pub struct Show {
    /// One JSON object for each event on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
    /// Not the events, only the report and the summary.
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

/// `resume`
#[derive(Clone, Debug, Args)]
pub struct Resume {
    /// The ledger; without one, the newest in .switchboard that is not over.
    #[arg(value_name = "LEDGER")]
    pub ledger: Option<PathBuf>,
    /// How it is shown.
    #[command(flatten)]
    pub show: Show,
}

/// `ledger ...`
#[derive(Clone, Debug, Subcommand)]
pub enum LedgerCommand {
    /// Show what happened, one line for each event.
    #[command(after_help = concat!(
        "Examples:\n",
        "  switchboard ledger show\n",
        "  switchboard ledger show .switchboard/review-1.db --agent reviewer\n",
        "  switchboard ledger show --json | jq -c 'select(.event == \"accepted\")'",
    ))]
    Show(LedgerShow),
    /// Say what became of one message: when it was read, and how it ended.
    #[command(after_help = concat!(
        "Examples:\n",
        "  switchboard ledger message msg_7k2m9-12\n",
        "  switchboard ledger message msg_7k2m9-12 .switchboard/review-1.db --json\n\n",
        "Ids are in what `switchboard ledger show` prints. A message waits, is claimed by a\n",
        "turn, and ends once: consumed by a step, or dropped for a reason.",
    ))]
    Message(LedgerMessage),
    /// Replay a ledger and check what it promises; exits 1 if it does not hold.
    #[command(after_help = concat!(
        "Examples:\n",
        "  switchboard ledger verify\n",
        "  switchboard ledger verify .switchboard/review-1.db --story",
    ))]
    Verify(LedgerVerify),
}

/// `ledger show`
#[derive(Clone, Debug, Args)]
pub struct LedgerShow {
    /// The ledger; without one, the newest in .switchboard.
    #[arg(value_name = "LEDGER")]
    pub ledger: Option<PathBuf>,
    /// One JSON object for each event.
    #[arg(long)]
    pub json: bool,
    /// Only what belongs to this agent: its name or its id.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

/// `ledger message`
#[derive(Clone, Debug, Args)]
pub struct LedgerMessage {
    /// The message's id.
    #[arg(value_name = "ID")]
    pub id: String,
    /// The ledger; without one, the newest in .switchboard.
    #[arg(value_name = "LEDGER")]
    pub ledger: Option<PathBuf>,
    /// One JSON object, with the whole message.
    #[arg(long)]
    pub json: bool,
}

/// `ledger verify`
#[derive(Clone, Debug, Args)]
pub struct LedgerVerify {
    /// The ledger; without one, the newest in .switchboard.
    #[arg(value_name = "LEDGER")]
    pub ledger: Option<PathBuf>,
    /// Also tell the whole story: who said what to whom, and at which step it was read.
    #[arg(long)]
    pub story: bool,
    /// One JSON object with every check.
    #[arg(long)]
    pub json: bool,
}

/// `plugin ...`
#[derive(Clone, Debug, Subcommand)]
pub enum PluginCommand {
    /// Show what a component imports, exports and says of itself, without running it.
    #[command(after_help = concat!(
        "Examples:\n",
        "  switchboard plugin inspect target/my-tool.wasm\n",
        "  switchboard plugin inspect builtin:workspace-files --json",
    ))]
    Inspect(Inspect),
}

/// `plugin inspect`
#[derive(Clone, Debug, Args)]
pub struct Inspect {
    /// The component: a file, or `builtin:NAME`.
    #[arg(value_name = "FILE")]
    pub file: String,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `doctor`
#[derive(Clone, Copy, Debug, Args)]
pub struct Doctor {
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `init`
#[derive(Clone, Debug, Args)]
pub struct Init {
    /// The folder to write crew.toml into; it is made if it is not there.
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_hold_together() {
        super::Arguments::command().debug_assert();
    }
}
