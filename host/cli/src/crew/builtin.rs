//! What the binary brings along: crews by name, and components.

use std::borrow::Cow;

use switchboard_sandbox::{BodyKind, Grants};

/// The built-in crews, by name.
pub const CREWS: &[(&str, &str)] = &[
    ("review", include_str!("../../../../crews/review/crew.toml")),
    ("family", include_str!("../../../../crews/family/crew.toml")),
    ("approval", include_str!("../../../../crews/approval/crew.toml")),
    ("shutdown", include_str!("../../../../crews/shutdown/crew.toml")),
    ("mixed", include_str!("../../../../crews/mixed/crew.toml")),
];

/// What stands in front of a built-in component's name in a crew file.
pub const PREFIX: &str = "builtin:";

/// A component that is part of the binary.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name behind [`PREFIX`].
    pub name: &'static str,
    /// The component.
    pub bytes: &'static [u8],
    /// What it is granted without a table; none needs a table.
    pub grants: Option<fn() -> Grants>,
}

/// All of them. Those that only talk to other agents, or look at those whom their agent may observe
/// anyway, need no table that grants them anything.
pub const COMPONENTS: &[Builtin] = &[
    Builtin {
        name: "send-message",
        bytes: include_bytes!("../../../../plugins/dist/send-message.wasm"),
        grants: Some(Grants::content),
    },
    Builtin {
        name: "agent-message",
        bytes: include_bytes!("../../../../plugins/dist/agent-message.wasm"),
        grants: Some(Grants::content),
    },
    Builtin {
        name: "named-send-message",
        bytes: include_bytes!("../../../../plugins/dist/named-send-message.wasm"),
        grants: Some(named),
    },
    Builtin {
        name: "acknowledge",
        bytes: include_bytes!("../../../../plugins/dist/acknowledge.wasm"),
        grants: Some(Grants::acknowledge),
    },
    Builtin {
        name: "request-shutdown",
        bytes: include_bytes!("../../../../plugins/dist/request-shutdown.wasm"),
        grants: Some(|| Grants::sending([BodyKind::ShutdownRequest])),
    },
    Builtin {
        name: "respond-shutdown",
        bytes: include_bytes!("../../../../plugins/dist/respond-shutdown.wasm"),
        grants: Some(|| Grants::sending([BodyKind::ShutdownResponse])),
    },
    Builtin {
        name: "request-plan-approval",
        bytes: include_bytes!("../../../../plugins/dist/request-plan-approval.wasm"),
        grants: Some(|| Grants::sending([BodyKind::PlanRequest])),
    },
    Builtin {
        name: "respond-plan",
        bytes: include_bytes!("../../../../plugins/dist/respond-plan.wasm"),
        grants: Some(|| Grants::sending([BodyKind::PlanResponse])),
    },
    Builtin {
        name: "interrupt-agent",
        bytes: include_bytes!("../../../../plugins/dist/interrupt-agent.wasm"),
        grants: Some(Grants::interrupt),
    },
    Builtin {
        name: "subagent",
        bytes: include_bytes!("../../../../plugins/dist/subagent.wasm"),
        grants: Some(Grants::starting),
    },
    Builtin {
        name: "subagent-fork",
        bytes: include_bytes!("../../../../plugins/dist/subagent-fork.wasm"),
        grants: Some(Grants::forking),
    },
    Builtin {
        name: "close-agent",
        bytes: include_bytes!("../../../../plugins/dist/close-agent.wasm"),
        grants: Some(Grants::closing),
    },
    Builtin {
        name: "delete-subagent",
        bytes: include_bytes!("../../../../plugins/dist/delete-subagent.wasm"),
        grants: Some(Grants::deleting),
    },
    Builtin {
        name: "list-agents",
        bytes: include_bytes!("../../../../plugins/dist/list-agents.wasm"),
        grants: Some(Grants::observing),
    },
    Builtin {
        name: "agent-observe",
        bytes: include_bytes!("../../../../plugins/dist/agent-observe.wasm"),
        grants: Some(Grants::observing),
    },
    Builtin {
        name: "message-status",
        bytes: include_bytes!("../../../../plugins/dist/message-status.wasm"),
        grants: Some(Grants::observing),
    },
    Builtin {
        name: "wait-for-messages",
        bytes: include_bytes!("../../../../plugins/dist/wait-for-messages.wasm"),
        grants: Some(Grants::observing),
    },
    Builtin {
        name: "workspace-files",
        bytes: include_bytes!("../../../../plugins/dist/workspace-files.wasm"),
        grants: None,
    },
];

/// Words, and the requests and answers that are objects there; all of it is talk.
fn named() -> Grants {
    Grants::sending([
        BodyKind::Content,
        BodyKind::ShutdownRequest,
        BodyKind::ShutdownResponse,
        BodyKind::PlanRequest,
        BodyKind::PlanResponse,
    ])
}

impl Builtin {
    /// The built-in component of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        COMPONENTS.iter().find(|component| component.name == name)
    }

    /// The component, for a loader that may own its bytes.
    pub fn bytes(&self) -> Cow<'static, [u8]> {
        Cow::Borrowed(self.bytes)
    }
}

/// The text of a built-in crew.
pub fn crew(name: &str) -> Option<&'static str> {
    CREWS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
