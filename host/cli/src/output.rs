//! Writing that holds nobody up: each stream has a thread of its own, behind a queue. Who reads a
//! run's output slowly, or not at all, must not keep the run from hearing a Ctrl-C.

use std::collections::VecDeque;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

/// How many lines the thread is given ahead.
const AHEAD: usize = 64;

/// What is to be written to one stream.
#[derive(Debug)]
pub struct Output {
    /// Lines the thread had no room for.
    waiting: VecDeque<String>,
    thread: mpsc::Sender<String>,
    done: oneshot::Receiver<()>,
}

impl Output {
    /// Writes lines with `write`, which may take as long as it likes.
    pub fn begin(write: impl Fn(&str) + Send + 'static) -> Self {
        let (thread, mut lines) = mpsc::channel::<String>(AHEAD);
        let (finished, done) = oneshot::channel();
        std::thread::spawn(move || {
            while let Some(line) = lines.blocking_recv() {
                write(&line);
            }
            // Nobody waits for it when the output was given up.
            let _ = finished.send(());
        });
        Self { waiting: VecDeque::new(), thread, done }
    }

    /// The next line. It waits here if the thread has enough: give no more until it
    /// [is not behind](Self::is_behind).
    pub fn say(&mut self, line: String) {
        self.waiting.push_back(line);
        self.hand_over();
    }

    /// Whether lines wait here.
    pub fn is_behind(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Waits until the thread takes one more. Nothing is lost when this is given up.
    pub async fn catch_up(&mut self) {
        match self.thread.reserve().await {
            Ok(room) => {
                if let Some(line) = self.waiting.pop_front() {
                    room.send(line);
                }
            }
            Err(_) => self.waiting.clear(),
        }
        self.hand_over();
    }

    /// Waits until everything is written.
    pub async fn end(mut self) {
        while self.is_behind() {
            self.catch_up().await;
        }
        drop(self.thread);
        // The thread answers or has panicked; there is nothing more to wait for either way.
        let _ = self.done.await;
    }

    fn hand_over(&mut self) {
        while let Some(line) = self.waiting.pop_front() {
            if let Err(TrySendError::Full(line)) = self.thread.try_send(line) {
                self.waiting.push_front(line);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::{AHEAD, Output};

    #[tokio::test]
    async fn a_writer_that_is_stuck_holds_nobody_up_and_loses_nothing() {
        let (go, stuck) = mpsc::channel::<()>();
        let (wrote, written) = mpsc::channel();
        let mut output = Output::begin(move |line| {
            stuck.recv().ok();
            wrote.send(line.to_owned()).unwrap();
        });
        let lines: Vec<_> = (0..3 * AHEAD).map(|number| number.to_string()).collect();
        lines.iter().cloned().for_each(|line| output.say(line));
        assert!(output.is_behind());
        drop(go);
        output.end().await;
        assert_eq!(written.iter().collect::<Vec<_>>(), lines);
    }
}
