//! What plugins/send-message does, written as Extism's documentation has it: arguments as JSON,
//! one call of the host with an envelope, a receipt back, and a sentence about it.

use extism_pdk::{FnResult, FromBytes, Json, ToBytes, host_fn, plugin_fn};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Message {
    agent_id: String,
    message: String,
}

#[derive(Serialize, ToBytes)]
#[encoding(Json)]
struct Envelope {
    to: String,
    text: String,
}

#[derive(Deserialize, FromBytes)]
#[encoding(Json)]
struct Receipt {
    message: String,
    to: String,
    name: String,
    pending: u32,
}

#[host_fn]
extern "ExtismHost" {
    fn send(envelope: Envelope) -> Receipt;
}

#[plugin_fn]
pub fn send_message(Json(Message { agent_id, message }): Json<Message>) -> FnResult<String> {
    let receipt = unsafe { send(Envelope { to: agent_id, text: message })? };
    let Receipt { message, to, name, pending } = receipt;
    Ok(format!(
        "Queued for {name} ({to}) as {message}, {pending} waiting there. Accepted is not read: an \
         answer comes as a message."
    ))
}
