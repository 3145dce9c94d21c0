//! What is called, and with what.

/// The tool that sends.
pub(crate) const COMPONENT: &[u8] = include_bytes!("../../../../plugins/dist/send-message.wasm");

/// Arguments of a `send_message` with 200 characters to say.
pub(crate) fn arguments(target: &str) -> String {
    format!(r#"{{"agent_id":"{target}","message":"{}"}}"#, "x".repeat(200))
}
