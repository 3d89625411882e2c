//! Work that is stopped when it takes too long.

use crate::script::ScriptError;
use fehu_driver::run::Compiled;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How work ended.
pub(crate) enum Ran<T> {
    /// With a result, or an error.
    Ended(Result<T, ScriptError>),
    /// It was interrupted.
    TooSlow,
    /// With a panic, which is our fault.
    Panic(String),
}

/// Does something with a program, and interrupts it after the time limit.
pub(crate) fn limited<T>(
    compiled: &mut Compiled,
    limit: Duration,
    work: impl FnOnce(&mut Compiled) -> Result<T, ScriptError>,
) -> Ran<T> {
    let flag = Arc::new(AtomicBool::new(false));
    compiled.interp_mut().options_mut().interrupt = Some(Arc::clone(&flag));
    let (finished, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // The other end is dropped when the work is over.
            if waiting.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        let result = panic::catch_unwind(AssertUnwindSafe(|| work(compiled)));
        drop(finished);
        match result {
            Ok(Err(ScriptError::Run(error))) if error.is_interrupt() => Ran::TooSlow,
            Ok(result) => Ran::Ended(result),
            Err(payload) => {
                let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
                Ran::Panic(text.unwrap_or_default())
            }
        }
    })
}
