//! What one run collects, and how a bug in a stage becomes a message.
//!
//! Stages run inside [`run`]: on a large stack, and with panics caught. The panic hook writes nothing while a stage
//! runs; it remembers where the panic was, and [`run`] makes the message. What the run had collected until then is
//! kept. Where panics abort, as in WebAssembly, the hook that was there before has the last word.

use crate::errors;
use crate::paths;
use fehu_base::timing::Timings;
use fehu_base::{Diagnostic, FileId, SourceMap, stack};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

/// Runs the stages of `work`. After a panic the session has an `internal-error` more.
pub fn run(session: &mut Session, work: impl FnOnce(&mut Session) + Send) {
    install_hook();
    stack::with_large_stack(|| {
        STAGE.set(Some("start"));
        let result = panic::catch_unwind(AssertUnwindSafe(|| work(session)));
        STAGE.set(None);
        if result.is_err() {
            let crash = CRASH.take().unwrap_or_default();
            session.diagnostics.push(errors::internal_error(&crash));
            session.crashed = true;
        }
    });
}

/// What a run of the compiler collects.
#[derive(Debug, Default)]
pub struct Session {
    /// The files that were read.
    pub sources: SourceMap,
    /// The messages.
    pub diagnostics: Vec<Diagnostic>,
    /// How long the stages took.
    pub timings: Timings,
    /// Whether a stage panicked.
    pub crashed: bool,
    /// Whether a stage could not go on with a program that may well be right.
    pub limited: bool,
    /// The files of the program, each after those that it imports; the root is the last.
    pub order: Vec<FileId>,
}

impl Session {
    /// Runs one stage: measures it, and names it should it panic.
    pub fn stage<T>(&mut self, name: &'static str, work: impl FnOnce(&mut SourceMap) -> T) -> T {
        let outer = STAGE.replace(Some(name));
        let Session { sources, timings, .. } = self;
        let result = timings.time(name, || work(sources));
        STAGE.set(outer);
        result
    }

    /// Whether any message refuses the program.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Sorts the messages by place and removes repetitions. Those without a place come first; a file
    /// comes after those that it imports, because what is wrong there may be the cause.
    pub fn sort_diagnostics(&mut self) {
        let ranks: FxHashMap<FileId, usize> =
            self.order.iter().enumerate().map(|(rank, file)| (*file, rank)).collect();
        let place = |d: &Diagnostic| {
            let span = d.primary.as_ref()?.span;
            Some((ranks.get(&span.file).copied(), span))
        };
        self.diagnostics.sort_by_key(place);
        self.diagnostics.dedup();
    }

    /// Removes warnings about files of packages: who imports them cannot change them. The package
    /// that contains the root is the user's own.
    pub fn drop_warnings_about_packages(&mut self) {
        let package = |file: FileId| paths::package(&self.sources.file(file).name);
        let own = self.order.last().and_then(|root| package(*root));
        self.diagnostics.retain(|d| {
            let place = d.primary.as_ref().map(|label| package(label.span.file));
            d.is_error() || place.is_none_or(|found| found.is_none() || found == own)
        });
    }
}

/// The place and the words of the panic that was just caught.
pub(crate) fn take_crash_message() -> String {
    let Crash { place, message, .. } = CRASH.take().unwrap_or_default();
    format!("it panicked at {place}: {message}")
}

/// Where and why a stage panicked.
#[derive(Clone, Debug)]
pub(crate) struct Crash {
    pub(crate) stage: &'static str,
    pub(crate) place: String,
    pub(crate) message: String,
}

impl Default for Crash {
    fn default() -> Crash {
        Crash { stage: "unknown", place: "unknown place".to_owned(), message: String::new() }
    }
}

thread_local! {
    /// The stage that runs on this thread.
    static STAGE: Cell<Option<&'static str>> = const { Cell::new(None) };
    /// The last panic of a stage on this thread.
    static CRASH: RefCell<Option<Crash>> = const { RefCell::new(None) };
}

fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| match STAGE.get() {
            Some(stage) if cfg!(panic = "unwind") => CRASH.set(Some(crash(stage, info))),
            Some(_) | None => previous(info),
        }));
    });
}

fn crash(stage: &'static str, info: &PanicHookInfo<'_>) -> Crash {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    let place = info.location().map_or("unknown place".to_owned(), |place| place.to_string());
    Crash { stage, place, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_message_and_keeps_earlier_ones() {
        let mut session = Session::default();
        run(&mut session, |session| {
            session.diagnostics.push(Diagnostic::error_without_place("earlier", "earlier"));
            session.stage("parse", |_| panic!("unexpected {}", "thing"));
        });
        assert!(session.crashed);
        let messages: Vec<&str> = session.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, ["earlier", "the compiler itself failed in the stage \"parse\""]);
        assert_eq!(session.diagnostics[1].code, "internal-error");
        let note = &session.diagnostics[1].notes[0];
        assert!(note.contains("session.rs") && note.ends_with("unexpected thing"), "{note}");
    }
}
