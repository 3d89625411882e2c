//! Printing that survives a reader who has gone.

use crate::args::{Color, Format, OutputArgs};
use fehu_base::render::{self, Style, json};
use fehu_base::{Diagnostic, SourceMap};
use fehu_driver::temporary;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// The most messages that are drawn; more do not help anybody.
const MAX_SHOWN: usize = 100;

/// Prints messages as the arguments ask.
pub(crate) fn diagnostics(args: &OutputArgs, sources: &SourceMap, diagnostics: &[Diagnostic]) {
    match args.format {
        Format::Json => {
            let lines: String = diagnostics.iter().map(|d| json::line(sources, d)).collect();
            stdout(&lines);
        }
        Format::Text => {
            let style = style(args.color, io::stderr().is_terminal());
            let mut text = String::new();
            for diagnostic in diagnostics.iter().take(MAX_SHOWN) {
                text.push_str(&render::text(sources, diagnostic, style));
                text.push('\n');
            }
            text.push_str(&summary(diagnostics));
            stderr(&text);
        }
    }
}

/// Writes to standard output.
pub(crate) fn stdout(text: &str) {
    finish(io::stdout().lock().write_all(text.as_bytes()));
    finish(io::stdout().lock().flush());
}

/// Lets a function write to standard output.
pub(crate) fn write_stdout(work: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut out = io::BufWriter::new(io::stdout().lock());
    finish(work(&mut out).and_then(|()| out.flush()));
}

/// Writes to standard error.
pub(crate) fn stderr(text: &str) {
    // If it cannot be written, there is nowhere left to complain, but in the exit code.
    if io::stderr().lock().write_all(text.as_bytes()).is_err() {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Whether something that was to be said could not be.
static LOST: AtomicBool = AtomicBool::new(false);

/// The exit code: one that says success is none if messages were lost, since nobody knows what they said.
pub(crate) fn exit_code(code: u8) -> u8 {
    if LOST.load(Ordering::Relaxed) { code.max(1) } else { code }
}

/// A closed pipe ends the program quietly, as for other filters; other failures are told. Neither is a success: what was to be
/// written is not there, and what was to be found out is not known.
#[expect(clippy::disallowed_methods, reason = "what is left of temporary files is removed before")]
pub(crate) fn finish(result: io::Result<()>) {
    match result {
        Ok(()) => {}
        Err(error) => {
            if error.kind() != io::ErrorKind::BrokenPipe {
                stderr(&format!("fehu: cannot write the output: {error}\n"));
            }
            temporary::clean();
            std::process::exit(1);
        }
    }
}

fn summary(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    let warnings = diagnostics.len() - errors;
    let count = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let counts: Vec<String> =
        [count(errors, "error"), count(warnings, "warning")].into_iter().flatten().collect();
    match diagnostics.len() {
        0 | 1 => String::new(),
        n if n > MAX_SHOWN => {
            format!("{} (only the first {MAX_SHOWN} are shown)\n", counts.join(", "))
        }
        _ => format!("{}\n", counts.join(", ")),
    }
}

/// Whether what is written to standard output has colours.
pub(crate) fn stdout_style(color: Color) -> Style {
    style(color, io::stdout().is_terminal())
}

fn style(color: Color, terminal: bool) -> Style {
    let coloured = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            terminal && !set("NO_COLOR") && !dumb
        }
    };
    if coloured { Style::Coloured } else { Style::Plain }
}
