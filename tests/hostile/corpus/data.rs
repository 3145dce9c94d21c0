//! Answers that are none, or far too much of one.

use switchboard_runtime::Outcome::{Done, Failed, InvalidData, OutputTooLarge};
use switchboard_sandbox::{Grants, ToolLimits};

use crate::attempt::{Attempt, guest, short};
use crate::case::Case;
use crate::guest::{Guest, send};

const NOT_UTF_8: &str = "the tool is faulty: it handed over text that is not UTF-8";
const MALFORMED: &str = "the tool is faulty: it handed over data that is malformed";

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![
        at("text outside its memory", say(200_000, 1)).ends(InvalidData, MALFORMED),
        at("text that reaches outside by a byte", say(131_071, 2)).ends(InvalidData, MALFORMED),
        at("text that wraps around", say(-1, -1)).ends(InvalidData, MALFORMED),
        at("text of four gigabytes", say(0, -1)).ends(InvalidData, MALFORMED),
        at("blocks outside its memory", blocks(131_064, 1)).ends(InvalidData, MALFORMED),
        at("four billion blocks", blocks(8_192, -1)).ends(InvalidData, MALFORMED),
        at("blocks at an odd address", blocks(8_193, 1)).ends(InvalidData, MALFORMED),
        at("an answer outside its memory", answer("", -4)).ends(InvalidData, MALFORMED),
        at("an answer that reaches outside", answer("", 131_068)).ends(InvalidData, MALFORMED),
        at("an answer at an odd address", answer("", 1_025)).ends(InvalidData, MALFORMED),
        at("neither an answer nor a failure", setting(1_024, 2)).ends(InvalidData, MALFORMED),
        at("neither now nor later", setting(1_028, 255)).ends(InvalidData, MALFORMED),
        at("a block of no kind", one_block_of(3)).ends(InvalidData, MALFORMED),
        at("neither some nor none", setting(1_040, 2)).ends(InvalidData, MALFORMED),
        at("a truth value of 255, which is true", failing_with(255)).ends(Failed, "again may"),
        at("a ticket nobody gave", setting(1_028, 1)).ends(InvalidData, "ticket"),
        at("JSON that is cut", structured(50_000, 49_999)).ends(InvalidData, "not JSON"),
        at("JSON fifty thousand lists deep", structured(50_000, 50_000)).ends(Done, "[[[["),
        at("a hundred megabytes: one page of text, 1,600 times", repeated(1_600, 65_536))
            .ends(InvalidData, MALFORMED),
        at("a hundred megabytes in fact", Guest::new(SAY_ALL).pages(1_600))
            .within(ToolLimits { memory: 100 << 20, ..short() })
            .ends(OutputTooLarge, "104857600 bytes, 1048576 are allowed"),
        at("a byte more than it may", say(0, (1 << 20) + 1).pages(17))
            .ends(OutputTooLarge, "1048577 bytes, 1048576 are allowed"),
        at("seven hundred thousand empty blocks", blocks(131_072, 700_000).pages(256))
            .ends(InvalidData, MALFORMED),
        at("forty thousand empty blocks", blocks(131_072, 40_000).pages(256))
            .ends(Done, "[cut: these are the first 32768 of 39999 bytes]"),
    ];
    cases.extend(NO_TEXTS.map(|(name, bytes)| {
        let guest = say(131_000, 4).with(&format!(r#"(data (i32.const 131000) "{bytes}")"#));
        at(name, guest).ends(InvalidData, NOT_UTF_8)
    }));
    cases.extend(NO_ENVELOPES.map(|(name, edit)| {
        let guest = Guest::sending(send(edit));
        at(name, guest).granted(Grants::content()).ends(InvalidData, "the tool is faulty: ")
    }));
    cases
}

fn at(name: &'static str, hostile: Guest) -> Attempt {
    guest("data", name, hostile)
}

/// Bytes that look like text.
const NO_TEXTS: [(&str, &str); 5] = [
    ("a byte that is in no text", r"\ff..."),
    ("a letter that is cut", r"...\c3"),
    ("a slash written too long", r"\c0\af.."),
    ("half a pair of UTF-16", r"\ed\a0\80."),
    ("a letter after the last there is", r"\f4\90\80\80"),
];

/// Edits of an envelope that make it none. It begins at 2048; see `wit/subagents.wit`.
const NO_ENVELOPES: [(&str, &str); 7] = [
    ("an envelope for nobody there could be", "(i32.store8 (i32.const 2048) (i32.const 5))"),
    ("an envelope of no kind", "(i32.store8 (i32.const 2072) (i32.const 8))"),
    ("an envelope of no urgency", "(i32.store8 (i32.const 2145) (i32.const 2))"),
    ("an envelope with an option that is none", "(i32.store8 (i32.const 2112) (i32.const 9))"),
    ("an envelope that is outside", "(call $send_message (i32.const -4) (i32.const 4096))"),
    ("an envelope at an odd address", "(call $send_message (i32.const 2049) (i32.const 4096))"),
    ("an answer to it wanted outside", "(call $send_message (i32.const 2048) (i32.const -8))"),
];

fn say(at: i32, len: i32) -> Guest {
    Guest::new(format!("(call $say (i32.const {at}) (i32.const {len}))"))
}

/// The answer stands elsewhere.
fn answer(edit: &str, at: i32) -> Guest {
    Guest::new(format!("{edit} (i32.const {at})"))
}

/// The answer with one byte of it changed. It begins at 1024; see `wit/tool.wit`.
fn setting(at: i32, byte: u8) -> Guest {
    answer(&format!("(i32.store8 (i32.const {at}) (i32.const {byte}))"), 1_024)
}

fn blocks(at: i32, len: i32) -> Guest {
    let edit = format!(
        "(i32.store (i32.const 1032) (i32.const {at}))
        (i32.store (i32.const 1036) (i32.const {len}))"
    );
    answer(&edit, 1_024)
}

fn one_block_of(kind: u8) -> Guest {
    let edit = format!(
        "(i32.store8 (i32.const 8192) (i32.const {kind}))
        (i32.store (i32.const 1032) (i32.const 8192))
        (i32.store (i32.const 1036) (i32.const 1))"
    );
    answer(&edit, 1_024)
}

fn failing_with(retry: u8) -> Guest {
    Guest::new(format!(
        "(i32.store8 (i32.const 1044) (i32.const {retry}))
        (call $fail (i32.const 64) (i32.const 3))"
    ))
}

/// No block, and a structured value of so many brackets.
fn structured(open: i32, close: i32) -> Guest {
    let edit = format!(
        "(memory.fill (i32.const 8192) (i32.const 91) (i32.const {open}))
        (memory.fill (i32.const {}) (i32.const 93) (i32.const {close}))
        (i32.store (i32.const 1040) (i32.const 1))
        (i32.store (i32.const 1044) (i32.const 8192))
        (i32.store (i32.const 1048) (i32.const {}))",
        8_192 + open,
        open + close,
    );
    answer(&edit, 1_024)
}

/// So many blocks, each of the same bytes.
fn repeated(blocks: i32, bytes: i32) -> Guest {
    let edit = format!(
        "(local $at i32)
        (local.set $at (i32.const 8192))
        (loop $next
            (i32.store offset=8 (local.get $at) (i32.const {bytes}))
            (local.set $at (i32.add (local.get $at) (i32.const 20)))
            (br_if $next (i32.lt_u (local.get $at) (i32.const {}))))
        (i32.store (i32.const 1032) (i32.const 8192))
        (i32.store (i32.const 1036) (i32.const {blocks}))",
        8_192 + 20 * blocks,
    );
    answer(&edit, 1_024)
}

const SAY_ALL: &str = "(call $say (i32.const 0) (i32.const 104857600))";
