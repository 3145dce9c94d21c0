//! Text of others made harmless for a terminal: nothing in it moves the cursor, changes a colour,
//! turns the writing direction, hides, or piles up marks over other lines.

use unicode_width::UnicodeWidthChar;

/// How many marks without a width of their own one character may carry.
const MARKS: usize = 4;

/// One line of at most `width` columns; what is left out is marked with `…`. Line ends and runs
/// of blanks become one space.
pub fn line(text: &str, width: usize) -> String {
    let mut kept = Kept::default();
    let mut blank = false;
    for character in text.chars() {
        if character.is_whitespace() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) && kept.width > 0 {
            kept.take(' ');
        }
        kept.take(character);
        if kept.width > width {
            return kept.cut(width);
        }
    }
    kept.text
}

/// A name or a path: all of it, with nothing folded and line ends shown like other controls.
pub fn name(text: &str) -> String {
    let mut kept = Kept::default();
    text.chars().for_each(|character| kept.take(character));
    kept.text
}

/// JSON with its harmful characters escaped; it means the same. They stand in strings alone.
pub fn json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units).iter();
            units.for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Several lines, each harmless; line ends and indentation stay.
pub fn paragraphs(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut kept = Kept::default();
        line.replace('\t', "    ").chars().for_each(|character| kept.take(character));
        kept.text
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// How many columns a harmless text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

/// The text, with spaces behind it up to `columns`.
pub fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

#[derive(Default)]
struct Kept {
    text: String,
    width: usize,
    marks: usize,
}

impl Kept {
    fn take(&mut self, character: char) {
        if is_hidden(character) {
            let shown = format!("<U+{:04X}>", u32::from(character));
            self.width += shown.len();
            self.text.push_str(&shown);
            self.marks = 0;
            return;
        }
        let columns = character.width().unwrap_or(0);
        self.marks = if columns == 0 { self.marks + 1 } else { 0 };
        if self.marks <= MARKS {
            self.width += columns;
            self.text.push(character);
        }
    }

    /// The longest beginning that fits with the mark of the cut behind it.
    fn cut(self, width: usize) -> String {
        let mut used = 0;
        let fits = |character: &char| {
            used += character.width().unwrap_or(0);
            used < width
        };
        let beginning: String = self.text.chars().take_while(fits).collect();
        format!("{}…", beginning.trim_end())
    }
}

/// Characters that act instead of being seen: controls, writing direction, line and paragraph
/// separators, and what is invisible without joining anything.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            u32::from(character),
            0x061c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f
                | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe007f
        )
}

#[cfg(test)]
mod tests {
    use super::{json, line, name, padded, paragraphs, width};

    #[test]
    fn escape_sequences_are_shown_and_do_nothing() {
        assert_eq!(line("\u{1b}[2Jgone\u{7}", 80), "<U+001B>[2Jgone<U+0007>");
        assert_eq!(line("\u{9b}31mred", 80), "<U+009B>31mred");
    }

    #[test]
    fn the_writing_direction_stays() {
        let hostile = "abc\u{202e}txt.exe\u{2066}\u{2069}\u{200f}";
        let shown = line(hostile, 80);
        assert_eq!(shown, "abc<U+202E>txt.exe<U+2066><U+2069><U+200F>");
    }

    #[test]
    fn sixteen_thousand_combining_marks_become_a_few() {
        let tower = format!("a{}b", "\u{301}".repeat(16_000));
        let shown = line(&tower, 80);
        assert!(shown.chars().count() <= 6, "{shown:?}");
        assert!(shown.starts_with('a') && shown.ends_with('b'));
    }

    #[test]
    fn a_body_is_folded_to_one_line_and_cut_at_a_column() {
        assert_eq!(line("  two\n\n  lines\r\n", 80), "two lines");
        assert_eq!(line("0123456789", 10), "0123456789");
        assert_eq!(line("0123456789a", 10), "012345678…");
        assert!(width(&line(&"漢".repeat(40), 11)) <= 11);
    }

    #[test]
    fn paragraphs_keep_their_lines_and_lose_their_teeth() {
        assert_eq!(paragraphs("a\n  b\tc\n\u{1b}c"), "a\n  b    c\n<U+001B>c");
    }

    #[test]
    fn a_name_is_shown_whole_and_stays_on_its_line() {
        assert_eq!(name("a  b\nnext: evil\u{1b}[m"), "a  b<U+000A>next: evil<U+001B>[m");
    }

    #[test]
    fn json_means_the_same_and_does_nothing_to_a_terminal() {
        let hostile = "\u{9b}31m \u{202e} \u{e0041} \u{7f} é";
        let text = json(&serde_json::to_string(hostile).unwrap());
        assert_eq!(text, r#""\u009b31m \u202e \udb40\udc41 \u007f é""#);
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }

    #[test]
    fn padding_counts_columns_and_not_characters() {
        assert_eq!(padded("漢", 4), "漢  ");
        assert_eq!(padded("long", 2), "long");
    }
}
