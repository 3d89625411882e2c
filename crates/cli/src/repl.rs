//! `fehu eval` and `fehu repl`: expressions in, values out. What they do is `driver::repl`; here it is
//! printed, and lines are read that do not come from a terminal.

mod json;
mod terminal;

use crate::args::{EvalArgs, Format, OutputArgs, ReplArgs};
use crate::commands::{FAILURE, SUCCESS};
use crate::output;
use fehu_driver::files::Disk;
use fehu_driver::repl::{Answer, AtBreakpoints, Breaks, Outcome, Repl, Shown};
use std::io::{BufRead, IsTerminal};

/// `fehu eval`
pub(crate) fn eval(args: &EvalArgs) -> u8 {
    let mut repl = traced(Repl::of_texts(Disk, Breaks::Always, &args.expressions));
    let print = |repl: &Repl, mut answer: Answer| {
        if args.no_warnings {
            answer.diagnostics.retain(|found| found.is_error());
        }
        print(&args.output, repl, &answer)
    };
    if let Some(file) = &args.file {
        let answer = repl.load(file);
        let code = print(&repl, answer);
        if code != SUCCESS {
            return code;
        }
    }
    let mut code = SUCCESS;
    for (index, text) in args.expressions.iter().enumerate() {
        let answer = repl.evaluate(&format!("<argument {}>", index + 1), text);
        code = print(&repl, answer);
        if code != SUCCESS {
            break;
        }
    }
    // The process ends, which frees all that the session knows of the prelude at once.
    std::mem::forget(repl);
    code
}

/// `fehu repl`
pub(crate) fn repl(args: &ReplArgs) -> u8 {
    if args.json {
        return json::run(Repl::new(Disk, Breaks::WhenLong));
    }
    let args_out = OutputArgs { format: Format::Text, color: args.color };
    let mut repl = traced(Repl::new(Disk, Breaks::WhenLong));
    repl.set_at_breakpoints(AtBreakpoints::Wait);
    if let Some(file) = &args.file {
        // A file that is wrong can be repaired and loaded again.
        let answer = repl.load(file);
        print(&args_out, &repl, &answer);
    }
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return terminal::run(repl, &args_out);
    }
    lines(repl, &args_out)
}

/// A session with the lines of standard input, without any decoration.
fn lines(mut repl: Repl, args: &OutputArgs) -> u8 {
    let mut text = String::new();
    for line in std::io::stdin().lock().lines() {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                output::stderr(&format!("fehu: cannot read standard input: {error}\n"));
                return FAILURE;
            }
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
        if !Repl::is_complete(&text) {
            continue;
        }
        let answer = repl.feed(&std::mem::take(&mut text));
        print(args, &repl, &answer);
        if matches!(answer.outcome, Outcome::Quit) {
            return SUCCESS;
        }
    }
    // The end of the input is no empty line, which would go on from a breakpoint.
    if !text.is_empty() {
        let answer = repl.feed_last(&text);
        print(args, &repl, &answer);
    }
    SUCCESS
}

fn traced(mut repl: Repl) -> Repl {
    repl.set_trace(Box::new(|line| output::stderr(&format!("{line}\n"))));
    repl
}

/// Prints what came of an input: values on standard output, what is wrong on standard error. The
/// code is that with which a command would end.
fn print(args: &OutputArgs, repl: &Repl, answer: &Answer) -> u8 {
    output::diagnostics(args, repl.sources(), &answer.diagnostics);
    match &answer.outcome {
        Outcome::Incomplete | Outcome::Done | Outcome::Quit => SUCCESS,
        Outcome::Value(Shown { text, .. }) | Outcome::Text(text) | Outcome::Stopped(text) => {
            output::stdout(&format!("{text}\n"));
            SUCCESS
        }
        Outcome::Refused(exit) => exit.code(),
        Outcome::Misused(message) => {
            output::stderr(&format!("{message}\n"));
            FAILURE
        }
        Outcome::Failed(error) => {
            output::stderr(&format!("{error}\n"));
            FAILURE
        }
        Outcome::Interrupted => {
            output::stderr("interrupted\n");
            FAILURE
        }
    }
}
