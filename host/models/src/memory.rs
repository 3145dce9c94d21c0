//! An agent's transcript, sorted by who spoke.

use switchboard_core::ToolUse;
use switchboard_runtime::Entry;

/// What an agent can look back on. It is made anew from the transcript for every answer, so that
/// an agent that was brought back remembers the same as one that never stopped.
#[derive(Debug, Default)]
pub(crate) struct Memory<'a> {
    /// The frames it has read.
    pub(crate) read: Vec<&'a str>,
    /// What its tools returned.
    pub(crate) results: Vec<ToolAnswer<'a>>,
    /// What it has said, and each call as one line: the tool, a space, the arguments as JSON.
    pub(crate) said: Vec<String>,
    /// Frames and results in the order in which they came.
    heard: Vec<&'a str>,
    /// How many of them it had heard when it last answered.
    answered: usize,
}

/// One call and what came of it.
#[derive(Debug)]
pub(crate) struct ToolAnswer<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a str,
    pub(crate) text: &'a str,
    pub(crate) failed: bool,
}

impl<'a> Memory<'a> {
    pub(crate) fn of(transcript: &'a [Entry]) -> Self {
        let mut memory = Self::default();
        let mut asked: &[ToolUse] = &[];
        for entry in transcript {
            match entry {
                Entry::Read(frames) => frames.iter().for_each(|frame| memory.read(frame)),
                Entry::Said { text, calls } => {
                    memory.said(text, calls);
                    asked = calls;
                }
                Entry::Returned { call, tool, text, failed } => {
                    let arguments = asked.get(*call as usize).map_or("{}", |call| &call.arguments);
                    memory.returned(ToolAnswer { tool, arguments, text, failed: *failed });
                }
                Entry::Interrupted => {}
            }
        }
        memory
    }

    /// What came since it last answered, newest first.
    pub(crate) fn fresh(&self) -> impl Iterator<Item = &'a str> {
        self.heard[self.answered..].iter().rev().copied()
    }

    /// All that ever came, newest first.
    pub(crate) fn heard(&self) -> impl Iterator<Item = &'a str> {
        self.heard.iter().rev().copied()
    }

    fn read(&mut self, frame: &'a str) {
        self.read.push(frame);
        self.heard.push(frame);
    }

    fn said(&mut self, text: &str, calls: &[ToolUse]) {
        self.said.push(text.to_owned());
        self.said.extend(calls.iter().map(|call| format!("{} {}", call.tool, call.arguments)));
        self.answered = self.heard.len();
    }

    fn returned(&mut self, answer: ToolAnswer<'a>) {
        self.heard.push(answer.text);
        self.results.push(answer);
    }
}
