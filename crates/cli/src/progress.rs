//! A line on the terminal that says what takes so long.

use crate::output;
use std::io::IsTerminal;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Does something; if it takes long, people see what and for how long.
pub(crate) fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let ticker = Ticker::start(what);
    let result = work();
    drop(ticker);
    result
}

/// Something that is going on. While it takes longer than a moment, there is a line about it on standard error, if that
/// is a terminal. The line is gone in the end.
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    /// Nothing if nobody would see it.
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    what: String,
    since: Instant,
    over: bool,
    drawn: bool,
}

/// What takes less time needs no explanation.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often the seconds are counted.
const TICK: Duration = Duration::from_secs(1);

impl Ticker {
    /// Begins.
    pub(crate) fn start(what: &str) -> Ticker {
        let state =
            State { what: what.to_owned(), since: Instant::now(), over: false, drawn: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let seen = std::io::stderr().is_terminal();
        let thread = seen.then(|| std::thread::spawn(move || own.run()));
        Ticker { shared, thread }
    }

    /// Something else is going on from now on.
    pub(crate) fn say(&self, what: &str) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.what != what {
            what.clone_into(&mut state.what);
        }
        state.since = Instant::now();
    }
}

impl Shared {
    fn run(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.over {
            let waited = self.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            let elapsed = state.since.elapsed();
            if !state.over && !state.what.is_empty() && elapsed >= PATIENCE {
                state.drawn = true;
                output::stderr(&format!("\r\x1b[K{}: {} s", state.what, elapsed.as_secs()));
            }
        }
        if state.drawn {
            output::stderr("\r\x1b[K");
        }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).over = true;
        self.shared.changed.notify_all();
        // It only writes to standard error.
        let _ = thread.join();
    }
}
