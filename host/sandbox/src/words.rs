//! A stranger's words made fit for the log: cut, and harmless in a line.

/// Bytes of one text.
pub(crate) const MOST: usize = 4 << 10;

/// As much of it as is kept, without what moves a cursor or turns a line around.
pub(crate) fn line(text: &str) -> String {
    let kept = &text[..text.floor_char_boundary(MOST)];
    kept.chars().map(|letter| if is_hidden(letter) { '\u{fffd}' } else { letter }).collect()
}

/// The letters that show nothing and change how others show.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{MOST, line};

    #[test]
    fn what_a_tool_says_is_one_harmless_line_of_the_log() {
        assert_eq!(line("a\nb\u{1b}[31m\u{202e}c"), "a\u{fffd}b\u{fffd}[31m\u{fffd}c");
        assert_eq!(line("a\u{61c}b\u{e0041}c\u{fff9}"), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(line(&"é".repeat(MOST)).len(), MOST);
    }
}
