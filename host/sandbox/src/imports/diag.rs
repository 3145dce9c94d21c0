//! `diag`: a tool's words for the log. They are a stranger's: cut, and made harmless in a line.

use crate::generated::switchboard::plugin::diag::{Host, Level};
use crate::state::CallState;

/// Bytes of one text.
const MOST: usize = 4 << 10;

impl Host for CallState {
    async fn log(&mut self, level: Level, text: String) -> wasmtime::Result<()> {
        self.enter_other()?;
        let (text, of) = (line(&text), self.place());
        match level {
            Level::Debug => tracing::debug!(%of, text, "a tool says"),
            Level::Info => tracing::info!(%of, text, "a tool says"),
            Level::Warn => tracing::warn!(%of, text, "a tool says"),
            Level::Error => tracing::error!(%of, text, "a tool says"),
        }
        Ok(())
    }

    async fn panicked(&mut self, message: String, file: String, at: u32) -> wasmtime::Result<()> {
        self.enter_other()?;
        let (message, file, of) = (line(&message), line(&file), self.place());
        tracing::error!(%of, message, file, line = at, "a tool panicked");
        Ok(())
    }
}

/// As much of it as is kept, without what moves a cursor or turns a line around.
fn line(text: &str) -> String {
    let kept = &text[..text.floor_char_boundary(MOST)];
    let harmful = |letter: char| letter.is_control() || is_format(letter);
    kept.chars().map(|letter| if harmful(letter) { '\u{fffd}' } else { letter }).collect()
}

/// The letters that show nothing and change how others show.
fn is_format(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{MOST, line};

    #[test]
    fn sand_6_what_a_tool_says_is_one_harmless_line_of_the_log() {
        assert_eq!(line("a\nb\u{1b}[31m\u{202e}c"), "a\u{fffd}b\u{fffd}[31m\u{fffd}c");
        assert_eq!(line(&"é".repeat(MOST)).len(), MOST);
    }
}
