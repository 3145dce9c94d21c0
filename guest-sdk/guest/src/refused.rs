//! What does not compile, each for the reason that stands above it.
//!
//! A model chooses a tool by its description.
//! ```compile_fail
//! # use switchboard_guest::{Failure, Output, tool};
//! #[tool]
//! fn nameless() -> Result<Output, Failure> { Ok(Output::text("")) }
//! ```
//! A component has one kind of host, else it would need two grants.
//! ```compile_fail
//! # use switchboard_guest::{Delegation, Failure, Output, Subagents, tools};
//! #[tools]
//! mod both {
//!     # use super::*;
//!     /// Sends.
//!     #[tool]
//!     fn send(host: &impl Subagents) -> Result<Output, Failure> { Ok(Output::text("")) }
//!     /// Starts.
//!     #[tool]
//!     fn start(host: &impl Delegation) -> Result<Output, Failure> { Ok(Output::text("")) }
//! }
//! # fn main() {}
//! ```
//! A tool that speaks to other agents can do nothing else.
//! ```compile_fail
//! # use switchboard_guest::{Failure, Output, Subagents, tool};
//! /// Sends.
//! #[tool(diag)]
//! fn send(host: &impl Subagents) -> Result<Output, Failure> { Ok(Output::text("")) }
//! # fn main() {}
//! ```
//! An example call names arguments that there are.
//! ```compile_fail
//! # use switchboard_guest::{Arguments, Failure, Output, tool};
//! # #[derive(Arguments)]
//! # struct Given { message: String }
//! /// Reports.
//! #[tool(reports(mesage = "..."))]
//! fn report(given: Given) -> Result<Output, Failure> { Ok(Output::text(given.message)) }
//! # fn main() { let _ = Component::DESCRIPTION; }
//! ```
//! The same with its arguments spelt right does compile.
//! ```
//! # use switchboard_guest::{Arguments, Failure, Output, tool};
//! # #[derive(Arguments)]
//! # struct Given { message: String }
//! /// Reports.
//! #[tool(reports(message = "..."))]
//! fn report(given: Given) -> Result<Output, Failure> { Ok(Output::text(given.message)) }
//! # fn main() { let _ = Component::DESCRIPTION; }
//! ```
