//! From the crate of a tool to the component that a host loads, and from a component back to
//! what it says of itself.

mod build;
mod check;
mod digest;
mod inspect;
mod record;

pub use build::{Crate, has_target, workspace};
pub use check::{Verdict, check};
pub use digest::sources;
pub use inspect::Inspected;
pub use record::Record;
