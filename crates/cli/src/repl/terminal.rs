//! A session at a terminal: the line editor, its history, completion, and Ctrl-C.
//!
//! While a line is edited, Ctrl-C is a key like others, which clears it. While something runs, the
//! terminal turns it into a signal, whose handler sets the flag that the interpreter looks at.

use super::print;
use crate::args::OutputArgs;
use crate::commands::{FAILURE, SUCCESS};
use crate::output;
use fehu_driver::repl::{Outcome, Repl};
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Runs a session until the user leaves.
pub(super) fn run(repl: Repl, args: &OutputArgs) -> u8 {
    let interrupt = repl.interrupt();
    if let Err(error) = ctrlc::set_handler(move || interrupt.store(true, Ordering::Relaxed)) {
        output::stderr(&format!(
            "fehu: Ctrl-C will end the session instead of interrupting an evaluation: {error}\n"
        ));
    }
    let config = Config::builder().completion_type(CompletionType::List).build();
    let mut editor = match Editor::<Assistant, FileHistory>::with_config(config) {
        Ok(editor) => editor,
        Err(error) => return failed(&error),
    };
    editor.set_helper(Some(Assistant { repl, files: FilenameCompleter::new() }));
    let history = history_file();
    if let Some(path) = &history {
        // The first session has none yet.
        let _ = editor.load_history(path);
    }
    output::stdout(&format!("fehu {}; :help lists the commands\n", env!("CARGO_PKG_VERSION")));
    loop {
        let prompt = editor.helper().map(|assistant| {
            let waits = if assistant.repl.is_stopped() { " (break)" } else { "" };
            format!("[{}]{waits}> ", assistant.repl.number())
        });
        let text = match editor.readline(&prompt.unwrap_or_default()) {
            Ok(text) => text,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return SUCCESS,
            Err(error) => return failed(&error),
        };
        if !text.trim().is_empty() {
            let added = editor.add_history_entry(&text);
            // Written at once, so that a session that is killed loses nothing. A history that
            // cannot be written is no reason to bother the user with every line.
            if let (Ok(true), Some(path)) = (added, &history) {
                let _ = editor.append_history(path);
            }
        }
        let Some(assistant) = editor.helper_mut() else { return FAILURE };
        let mut inputs = Repl::inputs(&text);
        if inputs.is_empty() {
            // An empty line goes on from a breakpoint.
            inputs.push(String::new());
        }
        for input in inputs {
            let answer = assistant.repl.feed(&input);
            let interrupted = matches!(answer.outcome, Outcome::Interrupted);
            if interrupted {
                // The terminal has written `^C`.
                output::stderr("\n");
            }
            print(args, &assistant.repl, &answer);
            if matches!(answer.outcome, Outcome::Quit) {
                return SUCCESS;
            }
            if interrupted {
                // What was pasted after it is not wanted any more.
                break;
            }
        }
    }
}

fn failed(error: &ReadlineError) -> u8 {
    output::stderr(&format!("fehu: cannot read from the terminal: {error}\n"));
    FAILURE
}

/// Where earlier input is kept: `FEHU_HISTORY`, or a file in the folder that the system has for such
/// things. Nowhere if there is no such folder, or the variable is empty.
fn history_file() -> Option<PathBuf> {
    let folder =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = std::env::var_os("FEHU_HISTORY") {
        return (!path.is_empty()).then(|| path.into());
    }
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".local/state")))
        .or_else(|| folder("LOCALAPPDATA"))?
        .join("fehu");
    std::fs::create_dir_all(&state).ok()?;
    Some(state.join("repl_history"))
}

/// What the line editor asks while a line is edited.
struct Assistant {
    repl: Repl,
    files: FilenameCompleter,
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..pos).unwrap_or(line);
        let command = before.split_whitespace().next().unwrap_or_default();
        let loads = command.len() > 1 && ":load".starts_with(command);
        if loads && before.len() > command.len() {
            return self.files.complete(line, pos, context);
        }
        let found = self.repl.complete(before);
        let pair = |name: String| Pair { display: name.clone(), replacement: name };
        Ok((found.start, found.candidates.into_iter().map(pair).collect()))
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match Repl::is_complete(context.input()) {
            true => ValidationResult::Valid(None),
            false => ValidationResult::Incomplete,
        })
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}
