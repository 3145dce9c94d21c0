//! Crews: the file people write, and what it comes to.

pub mod builtin;
pub mod document;
pub mod file;
pub mod keys;
pub mod parse;
pub mod resolve;
pub mod resolved;
pub mod source;
pub mod units;

use std::path::Path;

use crate::crew::resolve::Overrides;
use crate::crew::resolved::ResolvedCrew;
use crate::crew::source::Source;
use crate::failure::Failure;

/// The crew of this name or at this path.
///
/// # Errors
/// There is none, or everything that is wrong with it.
pub fn read(asked: &str, overrides: Overrides) -> Result<ResolvedCrew, Failure> {
    let source = find(asked)?;
    let file = parse::parse(&source)?;
    resolve::resolve(asked, &source, &file, overrides)
}

/// A name without a dot or a slash is a built-in crew; anything else is a path. The paths of a
/// built-in crew are relative to the current folder.
fn find(asked: &str) -> Result<Source, Failure> {
    if let Some(text) = builtin::crew(asked) {
        let name = format!("the built-in crew {asked}");
        return Ok(Source { name, text: text.to_owned(), base: ".".into() });
    }
    let path = Path::new(asked);
    let is_name = !asked.contains(['.', '/', '\\']) && !path.exists();
    if is_name {
        let hint = keys::suggestion(asked, builtin::CREWS.iter().map(|(name, _)| *name));
        let failure = Failure::usage(format!("there is no built-in crew `{asked}`{hint}"));
        let beside = format!("{asked}.toml");
        return Err(if Path::new(&beside).is_file() {
            failure.next(format!("run the crew file that is here: `switchboard run {beside}`"))
        } else {
            failure.next("name a crew file by its path, or write one with `switchboard init`")
        });
    }
    let inside = path.join("crew.toml");
    Source::read(if path.is_dir() { &inside } else { path })
}
