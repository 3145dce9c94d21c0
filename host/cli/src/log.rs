//! What the host tells those who look for a fault, on standard error, if it is asked to.

use tracing_subscriber::EnvFilter;

use crate::failure::Failure;

const VARIABLE: &str = "SWITCHBOARD_LOG";

/// What `--help` says of it.
pub const HELP: &str = "\
Environment:
  SWITCHBOARD_LOG  what to log on standard error: error, warn, info, debug or trace, or parts of
                   it, such as SWITCHBOARD_LOG=switchboard_runtime=debug; unset, nothing";

/// Begins to log what the environment asks for. Without that there is no log, and what a person is
/// to know is said by the commands.
///
/// # Errors
/// The environment asks for what is no filter.
pub fn begin() -> Result<(), Failure> {
    let Some(wanted) = std::env::var_os(VARIABLE).filter(|wanted| !wanted.is_empty()) else {
        return Ok(());
    };
    let wanted = wanted.to_string_lossy();
    let filter = EnvFilter::try_new(&wanted).map_err(|error| {
        Failure::usage(format!("{VARIABLE}={wanted} says nothing about what to log"))
            .because(error)
            .next(format!("{VARIABLE}=debug switchboard ..."))
    })?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // One who embeds these commands may have a log already.
    let _ = log.try_init();
    Ok(())
}
