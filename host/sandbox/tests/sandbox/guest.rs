//! Guests written as text.

use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// A guest in the making. `body` is the body of `tool.call`: it gives the address of an answer,
/// and has `$name`, `$name_len`, `$args` and `$args_len` at hand.
pub(crate) struct Guest {
    world: &'static str,
    body: String,
    items: String,
    realloc: String,
    pages: u32,
    most_pages: Option<u32>,
    description: Option<String>,
}

impl Guest {
    pub(crate) fn new(body: impl Into<String>) -> Self {
        Self {
            world: "pure-tool",
            body: body.into(),
            items: String::new(),
            realloc: BUMP.to_owned(),
            pages: 2,
            most_pages: None,
            description: Some(description(&["tool"])),
        }
    }

    /// One that imports `subagents` and sends the envelope at 2048, with its answer at 4096.
    pub(crate) fn sending(body: impl Into<String>) -> Self {
        let import = r#"(import "switchboard:plugin/subagents@0.1.0" "send-message"
            (func $send_message (param i32 i32)))"#;
        Self { world: "control-tool", ..Self::new(body) }.with(import)
    }

    /// One that imports `delegation`.
    pub(crate) fn starting(body: impl Into<String>) -> Self {
        let import = r#"(import "switchboard:plugin/delegation@0.1.0" "start"
            (func $start (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))"#;
        Self { world: "delegation-tool", ..Self::new(body) }.with(import)
    }

    /// One that imports `observation`.
    pub(crate) fn looking(body: impl Into<String>) -> Self {
        let imports = r#"(import "switchboard:plugin/observation@0.1.0" "list-agents"
            (func $list (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
            (import "switchboard:plugin/observation@0.1.0" "recent-messages"
            (func $recent
                (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))"#;
        Self { world: "observation-tool", ..Self::new(body) }.with(imports)
    }

    /// One that imports `workspace`.
    pub(crate) fn reading(body: impl Into<String>) -> Self {
        let import = r#"(import "switchboard:plugin/workspace@0.1.0" "watch"
            (func $watch (param i32 i32 i32 i32)))"#;
        Self { world: "workspace-tool", ..Self::new(body) }.with(import)
    }

    /// One that imports `diag`.
    pub(crate) fn telling(body: impl Into<String>) -> Self {
        let imports = r#"(import "switchboard:plugin/diag@0.1.0" "log"
            (func $log (param i32 i32 i32)))
            (import "switchboard:plugin/diag@0.1.0" "panicked"
            (func $panicked (param i32 i32 i32 i32 i32)))"#;
        Self { world: "diag-tool", ..Self::new(body) }.with(imports)
    }

    /// More of its module. Imports come first.
    pub(crate) fn with(mut self, items: &str) -> Self {
        self.items.push_str(items);
        self
    }

    /// Another body for its `cabi_realloc`, with which the host asks for room for what it hands
    /// over: four numbers in, the last of them the size, an address out.
    pub(crate) fn allocating(self, realloc: impl Into<String>) -> Self {
        Self { realloc: realloc.into(), ..self }
    }

    pub(crate) fn pages(self, pages: u32) -> Self {
        Self { pages, ..self }
    }

    /// Its own word for how far its memory may grow.
    pub(crate) fn at_most(self, pages: u32) -> Self {
        Self { most_pages: Some(pages), ..self }
    }

    pub(crate) fn described(self, description: Option<String>) -> Self {
        Self { description, ..self }
    }

    /// The component.
    pub(crate) fn build(self) -> Vec<u8> {
        let mut module = wat::parse_str(self.text()).unwrap();
        if let Some(description) = &self.description {
            section(&mut module, description);
        }
        component(module, self.world)
    }

    /// The core module alone.
    pub(crate) fn module(self) -> Vec<u8> {
        wat::parse_str(self.text()).unwrap()
    }

    fn text(&self) -> String {
        let Self { body, items, realloc, pages, .. } = self;
        let most = self.most_pages.map_or(String::new(), |most| most.to_string());
        format!(
            r#"(module
                {items}
                (memory (export "memory") {pages} {most})
                (global $heap (mut i32) (i32.const 65536))
                (func $allocate (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                    {realloc})
                {SAY}
                (func (export "switchboard:plugin/tool@0.1.0#call")
                    (param $name i32) (param $name_len i32)
                    (param $args i32) (param $args_len i32) (result i32)
                    {body})
                (data (i32.const 64) "yes")
                (data (i32.const 68) "no")
                (data (i32.const 72) "parent")
                (data (i32.const 80) "children")
            )"#
        )
    }
}

/// Hands out memory upwards and takes none back.
const BUMP: &str = "
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
    (global.set $heap (i32.add (local.get $at) (local.get 3)))
    (local.get $at)";

/// The answer of one text block, and the failure of a text.
const SAY: &str = "
    (func $say (param $ptr i32) (param $len i32) (result i32)
        (i32.store (i32.const 1064) (i32.const 0))
        (i32.store (i32.const 1068) (local.get $ptr))
        (i32.store (i32.const 1072) (local.get $len))
        (i32.store (i32.const 1032) (i32.const 1064))
        (i32.store (i32.const 1036) (i32.const 1))
        (i32.const 1024))
    (func $fail (param $ptr i32) (param $len i32) (result i32)
        (i32.store (i32.const 1024) (i32.const 1))
        (i32.store (i32.const 1028) (i32.const 64))
        (i32.store (i32.const 1032) (i32.const 3))
        (i32.store (i32.const 1036) (local.get $ptr))
        (i32.store (i32.const 1040) (local.get $len))
        (i32.const 1024))";

pub(crate) const ECHO: &str = "(call $say (local.get $args) (local.get $args_len))";
pub(crate) const SPIN: &str = "(loop $again (br $again)) (unreachable)";

/// Sends its arguments to the parent and says the code of a refusal, or `yes`. `edits` change the
/// envelope before that.
pub(crate) fn send(edits: &str) -> String {
    send_and(edits, SAY_CODE)
}

/// The same, and another end.
pub(crate) fn send_and(edits: &str, say: &str) -> String {
    format!(
        "(i32.store (i32.const 2048) (i32.const 2))
        (i32.store (i32.const 2052) (i32.const 72))
        (i32.store (i32.const 2056) (i32.const 6))
        (i32.store (i32.const 2080) (i32.const 2200))
        (i32.store (i32.const 2084) (i32.const 1))
        (i32.store (i32.const 2204) (local.get $args))
        (i32.store (i32.const 2208) (local.get $args_len))
        {edits}
        (call $send_message (i32.const 2048) (i32.const 4096))
        {say}"
    )
}

/// Says the code of the refusal or failure at 4096, or `yes`.
pub(crate) const SAY_CODE: &str = "
        (if (result i32) (i32.load8_u (i32.const 4096))
            (then (call $say (i32.load (i32.const 4104)) (i32.load (i32.const 4108))))
            (else (call $say (i32.const 64) (i32.const 3))))";

/// Says the text of the refusal at 4096, or `yes`.
pub(crate) const SAY_TEXT: &str = "
        (if (result i32) (i32.load8_u (i32.const 4096))
            (then (call $say (i32.load (i32.const 4112)) (i32.load (i32.const 4116))))
            (else (call $say (i32.const 64) (i32.const 3))))";

/// What a component says of tools with these names.
pub(crate) fn description(names: &[&str]) -> String {
    let tools: Vec<_> = names
        .iter()
        .map(|name| {
            serde_json::json!({
                "name": name,
                "description": "A tool of a test.",
                "input_schema": { "type": "object", "properties": {} },
                "annotations": { "read_only": false },
            })
        })
        .collect();
    serde_json::json!({ "format": 1, "sdk": "0.1.0", "world": "test", "tools": tools }).to_string()
}

/// Makes a component of a core module.
pub(crate) fn component(mut module: Vec<u8>, world: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|dir| dir.join("wit"));
    let wit = above.find(|wit| wit.is_dir()).unwrap();
    let (package, _) = resolve.push_dir(wit).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

/// Appends the section a component describes itself in.
pub(crate) fn section(module: &mut Vec<u8>, text: &str) {
    const NAME: &[u8] = b"switchboard:tool";
    module.push(0);
    leb(module, 1 + NAME.len() + text.len());
    leb(module, NAME.len());
    module.extend_from_slice(NAME);
    module.extend_from_slice(text.as_bytes());
}

pub(crate) fn leb(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
