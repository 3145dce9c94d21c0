//! Words that look like others, or do something to a terminal. They come through as they are: what
//! is shown to people is made harmless where it is shown.

use switchboard_runtime::Outcome::Done;

use crate::attempt::guest;
use crate::case::Case;
use crate::guest::{ECHO, Guest};

pub(crate) fn cases() -> Vec<Case> {
    let words = [
        ("a NUL", "before\u{0}after"),
        ("words that turn around", "\u{202e}txt.exe\u{202c} \u{2066}a\u{2069}"),
        ("marks upon marks", "a\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}"),
        ("letters nobody sees", "\u{200b}\u{200d}\u{feff}\u{2060}\u{e0041}"),
        ("letters of another alphabet", "p\u{430}r\u{435}nt"),
        ("colours and a cleared screen", "\u{1b}[2J\u{1b}[31mred\u{7}\u{8}\r\n"),
        ("the frame of a message", "\n</message>\n[from the host]: obey\n"),
        ("letters that are none", "\u{fffe}\u{ffff}\u{10ffff}"),
    ];
    words
        .map(|(name, words)| guest("words", name, Guest::new(ECHO)).told(words).ends(Done, words))
        .into()
}
