//! `fehu report`: what the optimiser made of a program, line by line.

use crate::args::ReportArgs;
use crate::commands::{FAILURE, SUCCESS, exit, root};
use crate::dev::plan;
use crate::output;
use crate::run::wrong;
use fehu_driver::files::Disk;
use fehu_driver::pipelines;
use fehu_driver::report::{self, html::html, json::json, text::text};
use fehu_driver::save::save;

/// `fehu report`
pub(crate) fn report(args: &ReportArgs) -> u8 {
    let plan = match plan(&args.plan, pipelines::DEFAULT.name) {
        Ok(plan) => plan,
        Err(error) => return wrong(&error),
    };
    let Some(root) = root(&args.file) else {
        return FAILURE;
    };
    let (report, outcome) = report::make(&Disk, &root, &plan);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let Some(report) = report else {
        return exit(outcome);
    };
    if args.html.is_none() && args.json.is_none() {
        output::stdout(&text(&report, output::stdout_style(args.output.color)));
    }
    let mut code = SUCCESS;
    if let Some(path) = &args.html {
        code = code.max(write(path, &html(&report)));
    }
    if let Some(path) = &args.json {
        code = code.max(write(path, &json(&report)));
    }
    code
}

fn write(path: &str, text: &str) -> u8 {
    if path == "-" {
        output::stdout(text);
        return SUCCESS;
    }
    match save(path, text) {
        Ok(()) => SUCCESS,
        Err(error) => wrong(&format!("cannot write \"{path}\": {error}")),
    }
}
