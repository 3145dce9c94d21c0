//! Ctrl-C, heard on a thread of its own: whatever else hangs, the second one ends the process. A
//! SIGTERM, which is how a service manager asks, counts as one.

use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::watch::{Receiver, Sender, channel};

use crate::exit::Exit;
use crate::failure::Failure;

/// How long a run that is to stop at once may take for that. A third Ctrl-C does not wait for it.
const GRACE: Duration = Duration::from_secs(3);

/// How often Ctrl-C was pressed.
#[derive(Debug)]
pub struct Interrupts(Receiver<u8>);

impl Interrupts {
    /// Listens from now on, until the process ends. Once this is dropped, the run is over: the
    /// next Ctrl-C ends the process, which then only writes what came of it.
    ///
    /// # Errors
    /// The system does not let it listen.
    pub fn listen() -> Result<Self, Failure> {
        let cannot = |error| Failure::new("cannot listen for Ctrl-C").because(error);
        let runtime = Builder::new_current_thread().enable_all().build().map_err(cannot)?;
        let presses = {
            let _inside = runtime.enter();
            presses().map_err(cannot)?
        };
        let (tell, count) = channel(0);
        std::thread::spawn(move || runtime.block_on(hear(presses, &tell)));
        Ok(Self(count))
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            // Nobody listens any more, so none will come.
            std::future::pending().await
        }
    }
}

/// None is lost between two calls of its `recv`.
#[cfg(unix)]
struct Presses {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
fn presses() -> std::io::Result<Presses> {
    use tokio::signal::unix::{SignalKind, signal};
    let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
    Ok(Presses { interrupt: signal(interrupt)?, terminate: signal(terminate)? })
}

#[cfg(unix)]
impl Presses {
    async fn recv(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => (),
            _ = self.terminate.recv() => (),
        }
    }
}

#[cfg(windows)]
fn presses() -> std::io::Result<Presses> {
    tokio::signal::windows::ctrl_c()
}

#[cfg(windows)]
type Presses = tokio::signal::windows::CtrlC;

async fn hear(mut presses: Presses, tell: &Sender<u8>) {
    presses.recv().await;
    if tell.send(1).is_ok() {
        presses.recv().await;
        if tell.send(2).is_ok() {
            // At most so long, or until the third.
            let _ = tokio::time::timeout(GRACE, presses.recv()).await;
        }
    }
    std::process::exit(Exit::Stopped.number().into());
}
