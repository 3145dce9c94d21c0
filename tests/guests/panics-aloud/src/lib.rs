//! A tool that computes, panics on what nobody thought of, and is granted the host's log.

use switchboard_guest::{Arguments, Failure, Output, tool};

#[derive(Arguments)]
struct Sentence {
    /// The words, at least two.
    words: String,
}

/// Says the second word of a sentence.
#[tool(diag)]
fn second_of(sentence: Sentence) -> Result<Output, Failure> {
    Ok(Output::text(second_word(&sentence.words)))
}

#[inline(never)]
fn second_word(words: &str) -> &str {
    words.split(' ').nth(1).expect("a sentence has two words")
}
