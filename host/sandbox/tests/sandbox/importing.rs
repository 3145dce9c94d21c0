//! What a component may import, and what is said of what it may not (SAND-1).

use switchboard_sandbox::{Grants, ImportProblem, LoadError, LoadRequest, inspect};

use crate::guest::{ECHO, Guest, description, send};
use crate::host::{bytes, sandbox};

async fn refused(component: Vec<u8>, grants: Grants) -> (Vec<ImportProblem>, String) {
    let request = LoadRequest::new(bytes("tools/a.wasm", component), grants);
    let error = sandbox().load(request).await.unwrap_err();
    let text = error.to_string();
    match error {
        LoadError::Imports { problems, .. } => (problems, text),
        other => panic!("{other}"),
    }
}

/// A component that imports an interface of this name, with one function in it.
fn importing(import: &str, function: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (import "{import}" (instance $i (export "{function}" (func))))
            (component $inner (export "call" (func (import "f"))))
        )"#
    );
    let text = text.replace(r#"(component $inner (export "call" (func (import "f"))))"#, "");
    let text = text.trim_end().strip_suffix(')').unwrap().to_owned()
        + r#"(instance $tool) (export "switchboard:plugin/tool@0.1.0" (instance $tool)))"#;
    let mut component = wat::parse_str(text).unwrap();
    crate::guest::section(&mut component, &description(&["tool"]));
    component
}

#[tokio::test]
async fn sand_1_an_import_that_is_not_granted_is_named_with_the_line_to_add() {
    let (problems, text) = refused(Guest::sending(send("")).build(), Grants::default()).await;
    assert!(matches!(&problems[..], [ImportProblem::NotGranted { .. }]));
    assert_eq!(
        text,
        "tools/a.wasm cannot be loaded: it imports `switchboard:plugin/subagents@0.1.0`, which is \
         not granted; to grant it, add to the tool's table in the crew file: grants = { subagents \
         = { kinds = [\"content\"] } }"
    );
}

#[tokio::test]
async fn sand_1_each_grant_permits_its_own_interface_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let diag = Grants { diag: true, ..Grants::default() };
    let grants = [
        Grants::content(),
        Grants::starting(),
        Grants::observing(),
        Grants::reading(folder.path()),
        diag,
    ];
    let imports = ["subagents", "delegation", "observation", "workspace", "diag"];
    for (place, name) in imports.into_iter().enumerate() {
        let component = importing(&format!("switchboard:plugin/{name}@0.1.0"), "nothing-of-ours");
        for (other, grants) in grants.iter().enumerate() {
            let (problems, text) = refused(component.clone(), grants.clone()).await;
            let granted = matches!(&problems[..], [ImportProblem::UnknownFunction { .. }]);
            assert_eq!(granted, place == other, "{text}");
        }
    }
}

#[tokio::test]
async fn sand_1_wasi_is_granted_to_nobody() {
    let component = importing("wasi:cli/environment@0.2.0", "get-environment");
    let (problems, text) = refused(component, Grants::content()).await;
    assert!(matches!(&problems[..], [ImportProblem::Wasi { .. }]));
    assert!(text.contains("no WASI is granted to any tool"), "{text}");
}

#[tokio::test]
async fn sand_1_another_version_of_ours_is_called_that() {
    let component = importing("switchboard:plugin/subagents@0.2.0", "send-message");
    let (problems, text) = refused(component, Grants::content()).await;
    assert!(matches!(&problems[..], [ImportProblem::OtherVersion { .. }]));
    assert!(text.contains("this host has `switchboard:plugin/subagents@0.1.0`"), "{text}");
}

#[tokio::test]
async fn sand_1_an_interface_nobody_knows_is_called_that_with_those_there_are() {
    for import in ["acme:things/stuff@1.0.0", "switchboard:plugin/observe@0.1.0", "plain"] {
        let (problems, text) = refused(importing(import, "f"), Grants::content()).await;
        assert!(matches!(&problems[..], [ImportProblem::Unknown { .. }]), "{text}");
        assert!(text.contains("`switchboard:plugin/workspace@0.1.0`"), "{text}");
    }
}

#[tokio::test]
async fn sand_1_a_function_newer_than_the_host_is_called_that() {
    let component = importing("switchboard:plugin/subagents@0.1.7", "send-many");
    let (problems, text) = refused(component, Grants::content()).await;
    assert!(matches!(&problems[..], [ImportProblem::UnknownFunction { .. }]), "{text}");
    assert!(text.contains("it uses `send-many`"), "{text}");
}

#[test]
fn tool_1_a_control_tool_imports_one_interface_and_a_pure_one_none() {
    let control = inspect(&Guest::sending(send("")).build()).unwrap();
    assert_eq!(control.imports, ["switchboard:plugin/subagents@0.1.0"]);
    assert_eq!(control.grants_needed, [r#"grants = { subagents = { kinds = ["content"] } }"#]);
    let pure = inspect(&Guest::new(ECHO).build()).unwrap();
    assert_eq!(pure.imports, [] as [&str; 0]);
    assert_eq!(pure.exports, ["switchboard:plugin/tool@0.1.0"]);
}
