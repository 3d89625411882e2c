//! What a program shows when it runs: the text and the results of its directives, as in a literate program; then the
//! results of its test blocks; and if it has neither, the values of its entry points that have no parameters.

use crate::{Program, Say, done, messages, refused};
use fehu_base::markup::escape;
use fehu_driver::check::{self, Exit, Warnings};
use fehu_driver::run::{self, Compiled};
use fehu_harness::blocks::{Case, Test};
use fehu_harness::executor::interpreted::Interpreted;
use fehu_harness::prepare::Programs;
use fehu_harness::run::{Options, Verdict, skipped};
use fehu_harness::script::{Exp, Machine, Name};
use fehu_harness::{blocks as tests, case};
use fehu_literate::blocks::{Block, blocks};
use fehu_literate::directive::{Directive, Echo, Kind, Show};
use fehu_literate::reach::Reach;
use fehu_literate::{Part, Shown, evaluate, form, html};
use serde_json::{Value, json};
use std::path::Path;

/// Runs a program.
pub(crate) fn run(program: &Program, say: &Say) -> Value {
    let (text, (files, root)) = (program.text.as_str(), program.files());
    let outcome = check::check(&files, &root, Warnings::Hide);
    if outcome.exit != Exit::Success {
        messages(say, &outcome.sources, &outcome.diagnostics);
        return refused();
    }
    let reach = Reach::new(&outcome);
    let blocks = blocks(text);
    let shows = |block: &Block| matches!(block, Block::Directive(_));
    let is_literate = blocks.iter().any(shows);
    let mut names: Vec<String> = (blocks.iter())
        .filter_map(|block| match block {
            Block::Directive(directive) => Some(directive.show.as_ref().ok()?.exp.free_names()),
            Block::Text(_) | Block::Code(_) => None,
        })
        .flatten()
        .filter(|name| reach.declares(name))
        .collect();
    names.sort();
    names.dedup();
    let (outcome, compiled) = run::compile_entries(&files, &root, &names);
    let Some(mut compiled) = compiled else {
        messages(say, &outcome.sources, &outcome.diagnostics);
        return refused();
    };
    let to = say.clone();
    compiled.trace(Box::new(move |line| to(&json!({"event": "trace", "text": line}))));
    let values = without_parameters(&compiled);
    let tested = Box::new(Interpreted::new(compiled));
    let mut programs =
        Programs { tested, reference: None, entries: Vec::new(), warnings: Vec::new() };
    if is_literate {
        blocks.into_iter().for_each(|block| show(block, &mut programs, say));
    }
    let tested = test(text, &mut programs, say);
    if !is_literate && !tested {
        match values.is_empty() {
            true => put(say, NOTHING),
            false => values.iter().for_each(|name| show(call(name), &mut programs, say)),
        }
    }
    done()
}

const NOTHING: &str = "<p class=\"hint\">The program is right, but it does not say what to show. Add a comment such as \
<code>-- &gt; main 10</code> after an empty line, or evaluate an expression below.</p>\n";

fn put(say: &Say, html: &str) {
    say(&json!({"event": "html", "html": html}));
}

/// Shows a part of a literate program.
fn show(block: Block, programs: &mut Programs, say: &Say) {
    let part = match block {
        // What is about the declaration below it.
        Block::Text(text) if text.starts_with('|') => return,
        Block::Text(text) => Part::Text(text),
        Block::Code(_) => return,
        Block::Directive(directive) => {
            let result = match &directive.show {
                Ok(show) => shown(show, programs),
                Err(why) => Err(why.clone()),
            };
            Part::Shown { directive, result }
        }
    };
    put(say, &html::part(&part));
}

fn shown(show: &Show, programs: &mut Programs) -> Result<Shown, String> {
    let read = |file: &str| -> Result<Vec<u8>, String> {
        Err(format!("\"{file}\" cannot be read: there are no files here"))
    };
    let mut machine = Machine { program: programs.tested.as_mut(), builtins: &read };
    let contents = evaluate::evaluate(&mut machine, show);
    programs.tested.forget(0);
    Ok(Shown { form: form(&show.kind), file: evaluate::ending(&show.kind), contents: contents? })
}

/// The directive that shows the value of an entry point.
fn call(name: &str) -> Block {
    let exp = Exp::Call(Name::Plain(name.to_owned()), Vec::new());
    let show = Ok(Show { exp, kind: Kind::Value });
    let directive = Directive { source: name.to_owned(), echo: Echo::Full, line: 0, show };
    Block::Directive(Box::new(directive))
}

/// The entry points that are values.
fn without_parameters(compiled: &Compiled) -> Vec<String> {
    let entries = compiled.prog().into_iter().flat_map(|prog| &prog.entries);
    entries.filter(|entry| entry.params.is_empty()).map(|entry| entry.name.to_string()).collect()
}

/// Runs the test blocks of a program. Says whether there are any.
fn test(text: &str, programs: &mut Programs, say: &Say) -> bool {
    let cases = match tests::read(text) {
        Ok(Test { cases, .. }) => cases,
        Err(error) => {
            let why = escape(&error.to_string());
            put(say, &format!("<p class=\"verdict failed\">test block, {why}</p>\n"));
            return true;
        }
    };
    let options = Options::default();
    for case in &cases {
        for entry in &case.entries {
            let verdict = match skipped(case, &options) {
                Some(why) => Verdict::Skipped(why),
                None => case::run(programs, Path::new(""), entry, case, &options),
            };
            put(say, &judged(entry, case, verdict));
        }
    }
    !cases.is_empty()
}

/// What became of a case.
fn judged(entry: &str, case: &Case, verdict: Verdict) -> String {
    let (class, why) = match verdict {
        Verdict::Passed => ("passed", String::new()),
        Verdict::NotCompiled => ("skipped", String::new()),
        Verdict::Failed(why) => ("failed", why),
        Verdict::Skipped(why) => ("skipped", why),
        Verdict::Limit(limit) => ("failed", limit.to_string()),
    };
    let (entry, name) = (escape(entry), escape(&case.name));
    let mut out = format!("<p class=\"verdict {class}\"><code>{entry}</code> {name}</p>\n");
    if !why.is_empty() {
        out.push_str(&format!("<pre class=\"{class}\">{}</pre>\n", escape(&why)));
    }
    out
}
