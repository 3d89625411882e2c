//! The sub-commands. Each returns the exit code.

use crate::args::{CheckArgs, CheckSyntaxArgs, ExplainArgs, FmtArgs, LspArgs};
use crate::output;
use fehu_driver::check::{self, Outcome, Warnings};
use fehu_driver::explain;
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use fehu_driver::save::save;
use std::io::Read;

pub(crate) const SUCCESS: u8 = 0;
pub(crate) const FAILURE: u8 = 1;

/// `fehu check`
pub(crate) fn check(args: &CheckArgs) -> u8 {
    let warnings = match (args.no_warnings, args.werror) {
        (true, _) => Warnings::Hide,
        (false, true) => Warnings::Deny,
        (false, false) => Warnings::Show,
    };
    let Some(root) = root(&args.file) else {
        return FAILURE;
    };
    let outcome = check::check(&Disk, &root, warnings);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    if args.timings {
        output::stderr(&outcome.timings.to_string());
    }
    exit(outcome)
}

/// `fehu check-syntax`
pub(crate) fn check_syntax(args: &CheckSyntaxArgs) -> u8 {
    let Some(root) = root(&args.file) else {
        return FAILURE;
    };
    let outcome = check::check_syntax(&Disk, &root);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    exit(outcome)
}

/// `fehu fmt`
pub(crate) fn fmt(args: &FmtArgs) -> u8 {
    if args.files.is_empty() {
        return fmt_stdin(args);
    }
    let mut code = SUCCESS;
    for file in &args.files {
        let one = fmt_file(args, file);
        // A failure of one file does not keep the others from being formatted; the first is told.
        if code == SUCCESS {
            code = one;
        }
    }
    code
}

/// `fehu lsp`
pub(crate) fn lsp(_: &LspArgs) -> u8 {
    let served = fehu_lsp::serve(&mut std::io::stdin().lock(), std::io::stdout());
    if served { SUCCESS } else { FAILURE }
}

/// `fehu explain`
pub(crate) fn explain(args: &ExplainArgs) -> u8 {
    let Some(code) = &args.code else {
        let list: String =
            explain::codes().map(|(_, page)| format!("{}\n", explain::title(page))).collect();
        output::stdout(&list);
        return SUCCESS;
    };
    // People paste what they saw: `error[code]:` or `[code]`.
    let code = code.trim_start_matches("error").trim_start_matches("warning");
    let code = code.trim_matches(['[', ']', ':']);
    match explain::page(code) {
        Some(page) => {
            output::stdout(page);
            SUCCESS
        }
        None => {
            let hint = match explain::nearest(code) {
                Some(nearest) => format!("did you mean \"{nearest}\"?"),
                None => "run `fehu explain` to list all codes".to_owned(),
            };
            output::stderr(&format!("fehu: there is no error code \"{code}\"; {hint}\n"));
            FAILURE
        }
    }
}

fn fmt_stdin(args: &FmtArgs) -> u8 {
    let Some(root) = root("-") else {
        return FAILURE;
    };
    let (formatted, outcome) = check::format(&Disk, &root);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let Some(formatted) = formatted else {
        return exit(outcome);
    };
    if !args.check {
        output::stdout(&formatted);
        return SUCCESS;
    }
    compare(&outcome, "standard input", &formatted)
}

fn fmt_file(args: &FmtArgs, file: &str) -> u8 {
    let (formatted, outcome) = check::format(&Disk, &Root::Path(file.to_owned()));
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let Some(formatted) = formatted else {
        return exit(outcome);
    };
    if args.check {
        return compare(&outcome, file, &formatted);
    }
    if original(&outcome) == formatted {
        return SUCCESS;
    }
    match save(file, formatted) {
        Ok(()) => SUCCESS,
        Err(error) => {
            output::stderr(&format!("fehu: cannot write \"{file}\": {error}\n"));
            FAILURE
        }
    }
}

fn compare(outcome: &Outcome, name: &str, formatted: &str) -> u8 {
    if original(outcome) == formatted {
        return SUCCESS;
    }
    output::stderr(&format!("{name}: not formatted\n"));
    FAILURE
}

/// The text as it was read; it is the only file of the run.
fn original(outcome: &Outcome) -> &str {
    outcome.sources.iter().next().map_or("", |(_, file)| &file.text)
}

pub(crate) fn root(file: &str) -> Option<Root> {
    if file != "-" {
        return Some(Root::Path(file.to_owned()));
    }
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Some(Root::Bytes("<stdin>".to_owned(), bytes)),
        Err(error) => {
            output::stderr(&format!("fehu: cannot read standard input: {error}\n"));
            None
        }
    }
}

/// The exit code of a run. Its texts and trees are not freed: the process is about to end anyway.
pub(crate) fn exit(outcome: Outcome) -> u8 {
    let code = outcome.exit.code();
    std::mem::forget(outcome);
    code
}
