//! Components that want more of the host than they are granted (SAND-1).

use switchboard_sandbox::Grants;

use crate::attempt::{Attempt, component, guest};
use crate::case::{Case, Fault};
use crate::guest::{Guest, description, section, send};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        guest("grants", "messages, not granted", Guest::sending(send("")))
            .refused(Fault::NotGranted, "grants = { subagents"),
        guest("grants", "a folder, granted messages", Guest::reading("(unreachable)"))
            .granted(Grants::content())
            .refused(Fault::NotGranted, "grants = { workspace"),
        from("the environment", "wasi:cli/environment@0.2.0", "get-environment")
            .refused(Fault::Wasi, "no WASI"),
        from("files", "wasi:filesystem/preopens@0.2.0", "get-directories")
            .refused(Fault::Wasi, "no WASI"),
        from("the network", "wasi:sockets/tcp@0.2.0", "connect").refused(Fault::Wasi, "no WASI"),
        from("another version", "switchboard:plugin/subagents@0.2.0", "send-message")
            .refused(Fault::OtherVersion, "this host has"),
        from("a version before", "switchboard:plugin/subagents@0.1.0-rc.1", "send-message")
            .refused(Fault::OtherVersion, "this host has"),
        from("no version", "switchboard:plugin/subagents", "send-message")
            .refused(Fault::UnknownImport, "does not have"),
        from("an interface nobody knows", "switchboard:plugin/kill@0.1.0", "kill")
            .refused(Fault::UnknownImport, "does not have"),
        from("a name that looks like ours", "switchboards:plugin/subagents@0.1.0", "send-message")
            .refused(Fault::UnknownImport, "does not have"),
        from("a package of others", "acme:things/stuff@1.0.0", "f")
            .refused(Fault::UnknownImport, "does not have"),
        from("a function nobody knows", "switchboard:plugin/subagents@0.1.7", "send-as")
            .refused(Fault::UnknownFunction, "`send-as`"),
        from("a function of another type", "switchboard:plugin/subagents@0.1.0", "send-message")
            .refused(Fault::Compile, ""),
        importing("a function of no interface", r#"(import "exit" (func))"#)
            .refused(Fault::UnknownImport, "does not have"),
        importing("a module of the host's", r#"(import "m" (core module))"#)
            .refused(Fault::UnknownImport, "does not have"),
        importing("a component of the host's", r#"(import "c" (component))"#)
            .refused(Fault::UnknownImport, "does not have"),
        importing("a thousand of them", &a_thousand()).refused(Fault::UnknownImport, "f999"),
        importing("a resource of the host's", r#"(import "r" (type (sub resource)))"#)
            .refused(Fault::UnknownImport, "does not have"),
    ]
}

/// A component that imports this function of this interface, and is granted messages.
fn from(name: &'static str, interface: &str, function: &str) -> Attempt {
    let instance = format!(r#"(instance (export "{function}" (func)))"#);
    importing(name, &format!(r#"(import "{interface}" {instance})"#))
}

fn importing(name: &'static str, imports: &str) -> Attempt {
    let tool = r#"(instance $tool) (export "switchboard:plugin/tool@0.1.0" (instance $tool))"#;
    let text = format!("(component {imports} {tool})");
    let built = move || {
        let mut component = wat::parse_str(text).unwrap();
        section(&mut component, &description(&["tool"]));
        component
    };
    component("grants", name, built).granted(Grants::content())
}

fn a_thousand() -> String {
    (0..1_000).map(|number| format!(r#"(import "f{number}" (func))"#)).collect()
}
