//! What is no tool, and what the tools of a component are called.

use switchboard_runtime::{Outcome, ToolHost};
use switchboard_sandbox::{
    ComponentError, Grants, LoadError, LoadRequest, Sandbox, SandboxConfig, Source, ToolLimits,
    inspect,
};

use crate::guest::{ECHO, Guest, description, section};
use crate::host::{bytes, call, config, in_time, sandbox};

fn problem(component: &[u8]) -> String {
    inspect(component).unwrap_err().to_string()
}

#[test]
fn a_core_module_is_told_from_a_component() {
    let error = inspect(&Guest::new(ECHO).module()).unwrap_err();
    assert!(matches!(error, ComponentError::Module), "{error}");
}

#[test]
fn what_is_damaged_is_called_that() {
    assert!(matches!(inspect(b"no wasm"), Err(ComponentError::Malformed(_))));
    let whole = Guest::new(ECHO).build();
    assert!(matches!(inspect(&whole[..whole.len() / 2]), Err(ComponentError::Malformed(_))));
    assert!(matches!(inspect(&[]), Err(ComponentError::Malformed(_))));
}

#[test]
fn a_component_without_a_tool_is_told_what_is_missing() {
    let mut empty = wat::parse_str("(component)").unwrap();
    section(&mut empty, &description(&["tool"]));
    assert!(matches!(inspect(&empty), Err(ComponentError::NoTool)));
    let newer =
        r#"(component (instance $i) (export "switchboard:plugin/tool@0.2.0" (instance $i)))"#;
    let newer = wat::parse_str(newer).unwrap();
    assert!(matches!(inspect(&newer), Err(ComponentError::OtherTool(_))));
}

#[test]
fn a_component_that_is_nested_too_deep_is_refused_before_it_is_compiled() {
    let deep = format!("{}{}", "(component ".repeat(6), ")".repeat(6));
    let deep = wat::parse_str(deep).unwrap();
    assert!(matches!(inspect(&deep), Err(ComponentError::TooComplex(_))));
    let parts = "(core instance (instantiate $m))".repeat(9);
    let many = wat::parse_str(format!("(component (core module $m) {parts})")).unwrap();
    assert!(matches!(inspect(&many), Err(ComponentError::TooComplex(_))));
}

#[test]
fn parts_of_parts_are_counted_as_often_as_they_are_made() {
    let parts = |core: usize, twice: usize| {
        let core = "(core instance (instantiate $m))".repeat(core);
        let twice = "(instance (instantiate $c))".repeat(twice);
        let text = format!("(component (component $c (core module $m) {core}) {twice})");
        problem(&wat::parse_str(text).unwrap())
    };
    assert!(parts(4, 2).contains("does not export"), "eight are allowed");
    assert!(parts(3, 3).contains("it makes 9 core instances and 3 of components inside it"));
    assert!(parts(0, 9).contains("it makes 0 core instances and 9 of components inside it"));
}

#[tokio::test]
async fn sand_3_a_component_that_could_never_be_called_is_refused_whatever_gives_the_memory() {
    let tables = Guest::new(ECHO).with(&"(table 1 funcref)".repeat(5)).build();
    let memories = format!(
        r#"(component (core module $m (memory 1)) {} (instance $tool)
            (export "switchboard:plugin/tool@0.1.0" (instance $tool)))"#,
        "(core instance (instantiate $m))".repeat(3)
    );
    let mut memories = wat::parse_str(memories).unwrap();
    section(&mut memories, &description(&["tool"]));
    for pooling in [true, false] {
        let sandbox = Sandbox::new(SandboxConfig { pooling, ..config() }).unwrap();
        let load = |component, limits| {
            let request = LoadRequest::new(bytes("a test", component), Grants::default());
            sandbox.load(LoadRequest { limits, ..request })
        };
        let error = load(tables.clone(), ToolLimits::default()).await.unwrap_err();
        assert!(error.to_string().contains("tables"), "{error}");
        let error = load(memories.clone(), ToolLimits::default()).await.unwrap_err();
        assert!(error.to_string().contains("memories"), "{error}");
        let none = ToolLimits { instances: 0, ..ToolLimits::default() };
        let error = load(Guest::new(ECHO).build(), none).await.unwrap_err();
        assert!(error.to_string().contains("`instances` must be at least 1"), "{error}");
    }
}

#[test]
fn what_a_component_says_of_itself_is_read_without_running_it() {
    let found = inspect(&Guest::new("(unreachable)").build()).unwrap();
    assert_eq!(found.description.tools[0].name, "tool");
    assert_eq!(found.description.sdk, "0.1.0");
    assert!(found.digest.to_string().len() == 64);
}

#[test]
fn what_a_component_says_of_itself_is_checked() {
    let said = |text: &str| problem(&Guest::new(ECHO).described(Some(text.to_owned())).build());
    assert!(problem(&Guest::new(ECHO).described(None).build()).contains("is missing"));
    assert!(said("{").contains("cannot be read"));
    assert!(said(r#"{"format": 2, "something": "new"}"#).contains("this host reads 1"));
    assert!(said(&description(&[])).contains("0 tools"));
    let many: Vec<_> = (0..65).map(|number| format!("tool-{number}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    assert!(said(&description(&many)).contains("65 tools"));
    let mut twice = Guest::new(ECHO).build();
    section(&mut twice, &description(&["tool"]));
    assert!(problem(&twice).contains("more than once"));
    let reports = description(&["a"]).replace(r#""name":"a""#, r#""name":"a","reports":1"#);
    assert!(said(&reports).contains("`reports`"), "{}", said(&reports));
    assert!(said(&description(&["a", "a"])).contains("two tools `a`"));
    assert!(said(&description(&["a b"])).contains("`a b`, which is not a name"));
    let schema = |schema: &str| {
        said(&description(&["a"]).replace(r#"{"properties":{},"type":"object"}"#, schema))
    };
    assert!(schema("true").contains("is not an object"));
    assert!(schema(r#"{"type":"string"}"#).contains("at its top"));
    assert!(schema(r#"{"type":"object","oneOf":[]}"#).contains("combines schemas"));
    assert!(schema(r##"{"type":"object","a":[{"$ref":"#"}]}"##).contains("`$ref`"));
    assert!(said(&format!("{}{}", description(&["a"]), " ".repeat(300_000))).contains("more than"));
    assert!(said(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))).contains("cannot be"));
}

#[tokio::test]
async fn a_component_that_is_too_large_is_not_even_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.wasm");
    std::fs::write(&path, [0; 1_000]).unwrap();
    let small = SandboxConfig { most_component: 999, ..config() };
    let sandbox = Sandbox::new(small).unwrap();
    let request = LoadRequest::new(Source::Path(path.clone()), Grants::default());
    let error = sandbox.load(request).await.unwrap_err();
    assert!(error.to_string().ends_with("it has 1000 bytes, at most 999 are allowed"), "{error}");
    let gone = LoadRequest::new(Source::Path(path.join("gone")), Grants::default());
    assert!(matches!(sandbox.load(gone).await, Err(LoadError::Unreadable { .. })));
}

#[tokio::test]
async fn a_component_is_a_regular_file_and_nothing_that_has_no_end() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe, "/dev/zero".into(), folder.path().to_owned()] {
        let request = LoadRequest::new(Source::Path(path), Grants::default());
        let error = in_time(sandbox().load(request)).await.unwrap_err();
        assert!(matches!(error, LoadError::Unreadable { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_says_it_is_empty_is_read_no_further_than_is_allowed() {
    let small = SandboxConfig { most_component: 99, ..config() };
    let request = LoadRequest::new(Source::Path("/proc/self/maps".into()), Grants::default());
    let error = Sandbox::new(small).unwrap().load(request).await.unwrap_err();
    assert!(error.to_string().ends_with("it has 100 bytes, at most 99 are allowed"), "{error}");
}

#[tokio::test]
async fn a_component_can_be_loaded_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wasm");
    std::fs::write(&path, Guest::new(ECHO).build()).unwrap();
    let sandbox = sandbox();
    let request = LoadRequest::new(Source::Path(path), Grants::default());
    assert_eq!(sandbox.load(request).await.unwrap().tools[0].name, "tool");
}

fn two(source: &str) -> LoadRequest {
    let guest = Guest::new("(call $say (local.get $name) (local.get $name_len))");
    let guest = guest.described(Some(description(&["one", "two"])));
    LoadRequest::new(bytes(source, guest.build()), Grants::default())
}

#[tokio::test]
async fn a_tool_goes_by_the_name_it_is_given_and_knows_itself_by_its_own() {
    let sandbox = sandbox();
    let names = [("one".to_owned(), "first".to_owned())].into();
    let loaded = sandbox.load(LoadRequest { names, ..two("a") }).await.unwrap();
    let names: Vec<_> = loaded.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["first", "two"]);
    assert!(sandbox.spec("one").is_none());
    let result = in_time(sandbox.call(call("first", "", &Default::default()), Default::default()));
    let result = result.await;
    assert_eq!((result.outcome, result.text.as_str()), (Outcome::Done, "one"));
}

#[tokio::test]
async fn a_clash_of_names_says_which_and_offers_a_way_out() {
    let sandbox = sandbox();
    sandbox.load(two("a.wasm")).await.unwrap();
    let names = [("one".to_owned(), "first".to_owned())].into();
    let error = sandbox.load(LoadRequest { names, ..two("b.wasm") }).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "b.wasm has a tool `two`, and a.wasm has one too: give one of them another name, for \
         example `as = \"two_2\"`"
    );
    assert!(sandbox.spec("first").is_none(), "all of its tools, or none");
    let same = [("one".to_owned(), "x".to_owned()), ("two".to_owned(), "x".to_owned())].into();
    let error = sandbox.load(LoadRequest { names: same, ..two("c.wasm") }).await.unwrap_err();
    assert!(matches!(error, LoadError::NameTaken { .. }));
}

#[tokio::test]
async fn a_name_for_a_tool_that_is_not_there_lists_those_that_are() {
    let names = [("three".to_owned(), "x".to_owned())].into();
    let error = sandbox().load(LoadRequest { names, ..two("a.wasm") }).await.unwrap_err();
    assert_eq!(error.to_string(), "a.wasm has no tool `three`; it has `one`, `two`");
    let names = [("one".to_owned(), "a name".to_owned())].into();
    let error = sandbox().load(LoadRequest { names, ..two("a.wasm") }).await.unwrap_err();
    assert!(matches!(error, LoadError::BadName { .. }));
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let request = LoadRequest { grants: Grants::reading("/not/there"), ..two("a.wasm") };
    let error = sandbox().load(request).await.unwrap_err();
    assert!(error.to_string().starts_with("a.wasm is granted the folder /not/there"), "{error}");
}
