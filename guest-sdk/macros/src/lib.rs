//! The macros of `switchboard-guest`, which documents and re-exports them.

use proc_macro::TokenStream;
use syn::parse_macro_input;

mod argument;
mod component;
mod docs;
mod tool;

/// Makes a function a tool, and the crate a component that has this tool.
///
/// The name of the function is the name of the tool and its doc comment what a model reads
/// about it. It takes its arguments (a struct that derives [`Arguments`]), and a host if it
/// needs one: `&impl Subagents`, `&impl Delegation`, `&impl Observation` or `&impl Workspace`.
/// The kind of host decides what the component imports. It gives `Result<Output, Failure>`, or a
/// `Reply` in place of the `Output`.
///
/// - `#[tool(read_only)]`: calling it changes nothing.
/// - `#[tool(writes)]`: calling it changes something, though nothing that it is granted would. An
///   agent whose plan is not approved yet cannot call it.
/// - `#[tool(diag)]`: it writes to the host's log (`diag::log`), and so does a panic, with its
///   words and where it happened. The host has to grant it, and no tool has it that speaks to
///   other agents or looks at them.
/// - `#[tool(reports(agent_id = "{parent}", message = "..."))]`: an agent can report to its
///   parent by calling it like this. The host puts the parent's id in place of `{parent}`.
///
/// Beside the function stands a `Component`: `Component::call` is what a host calls, and
/// `Component::DESCRIPTION` is the JSON in the section `switchboard:tool`.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(options as tool::Options);
    let function = parse_macro_input!(item as syn::ItemFn);
    component::of_function(options, function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the crate a component with several tools: the functions of this module that have the
/// attribute `#[tool]`. All of them must take the same kind of host.
///
/// The module contains the `Component`, and the module's parent re-exports it.
#[proc_macro_attribute]
pub fn tools(options: TokenStream, item: TokenStream) -> TokenStream {
    let _ = parse_macro_input!(options as syn::parse::Nothing);
    let module = parse_macro_input!(item as syn::ItemMod);
    component::of_module(module).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct with named fields the arguments of a tool.
#[proc_macro_derive(Arguments)]
pub fn derive_arguments(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as syn::DeriveInput);
    argument::of_struct(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes an enum without fields the type of an argument.
#[proc_macro_derive(Argument)]
pub fn derive_argument(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as syn::DeriveInput);
    argument::of_enum(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
