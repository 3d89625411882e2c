//! A session for another process: requests from standard input, answers on standard output, a line each.
//!
//! The signal of Ctrl-C stops what is being evaluated, and not the session.

use crate::commands::{FAILURE, SUCCESS};
use crate::output;
use fehu_driver::repl::{Repl, Service};
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Answers requests until there are no more, or the user leaves.
pub(super) fn run(repl: Repl) -> u8 {
    let interrupt = repl.interrupt();
    if let Err(error) = ctrlc::set_handler(move || interrupt.store(true, Ordering::Relaxed)) {
        output::stderr(&format!("fehu: evaluations cannot be interrupted: {error}\n"));
        return FAILURE;
    }
    let mut service = Service::new(repl, Arc::new(|line| output::stdout(&format!("{line}\n"))));
    for line in std::io::stdin().lock().lines() {
        match line {
            Ok(line) if service.answer(&line) => {}
            Ok(_) => break,
            Err(error) => {
                output::stderr(&format!("fehu: cannot read standard input: {error}\n"));
                return FAILURE;
            }
        }
    }
    SUCCESS
}
