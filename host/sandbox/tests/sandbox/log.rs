//! What an operator reads.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// A log that can be read.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Has what this thread logs go here, for as long as the answer lives.
    pub(crate) fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let log = self.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_writer(move || log.clone());
        let subscriber = subscriber.with_max_level(tracing::Level::DEBUG);
        tracing::subscriber::set_default(subscriber.finish())
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
