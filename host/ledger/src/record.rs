//! How an event is written down, and read again: the text of a record is its JSON and nothing
//! else.

use switchboard_core::{Event, WallTime};

use crate::{LedgerError, Quarantined, Stored};

/// The text of a record, in place of what `room` held.
pub(crate) fn write<'a>(event: &Event, room: &'a mut Vec<u8>) -> Result<&'a str, LedgerError> {
    room.clear();
    serde_json::to_writer(&mut *room, event).map_err(|error| {
        let doing = format!("writing a {} event down as JSON", event.kind());
        LedgerError::new(doing, error.to_string())
    })?;
    Ok(std::str::from_utf8(room).expect("JSON is text"))
}

/// The record of this text.
pub(crate) fn read(seq: u64, at: WallTime, text: &str) -> Result<Stored, Quarantined> {
    match serde_json::from_str(text) {
        Ok(event) => Ok(Stored { seq, at, event }),
        Err(error) => Err(Quarantined { seq, problem: format!("it is not an event: {error}") }),
    }
}
