//! The pages about errors tell the truth: their examples trigger the code and no
//! other, their repairs are accepted without a warning.

use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Outcome, Warnings};
use fehu_driver::compile::{self, Floats, Request};
use fehu_driver::explain;
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines;
use fehu_driver::stages::{Mode, Target};

#[test]
fn examples_trigger_their_code() {
    for (code, page) in explain::codes() {
        let Some(program) = program(page, "## Example") else { continue };
        let mut outcome = run(&program);
        if outcome.diagnostics.is_empty() {
            // Some warnings are only known when the program has been optimised.
            outcome = compile(&program);
        }
        let codes: Vec<&str> = outcome.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(codes, [code], "the example says instead:\n{}", messages(&outcome));
    }
}

#[test]
fn repairs_are_accepted() {
    for (code, page) in explain::codes() {
        let Some(program) = program(page, "## How to fix it") else { continue };
        let outcome = run(&program);
        assert!(outcome.diagnostics.is_empty(), "{code}:\n{}", messages(&outcome));
    }
}

fn root(program: &str) -> Root {
    Root::Bytes("example.fut".to_owned(), program.as_bytes().to_vec())
}

fn run(program: &str) -> Outcome {
    check::check(&Memory::default(), &root(program), Warnings::Show)
}

fn compile(program: &str) -> Outcome {
    let request = Request {
        target: Target::C,
        mode: Mode::Library,
        warnings: Warnings::Show,
        entry_points: Vec::new(),
        safe: false,
        floats: Floats::default(),
        foreign: Default::default(),
        plan: Plan::of(pipelines::CPU.passes),
        profiled: false,
    };
    compile::generate(&Memory::default(), &root(program), &request).0
}

fn messages(outcome: &Outcome) -> String {
    let draw = |diagnostic| render::text(&outcome.sources, diagnostic, Style::Plain);
    outcome.diagnostics.iter().map(draw).collect()
}

/// The first block marked `futhark` of a section.
fn program(page: &str, section: &str) -> Option<String> {
    let (_, rest) = page.split_once(section)?;
    let section = rest.split("\n## ").next()?;
    let (_, block) = section.split_once("```futhark\n")?;
    let (program, _) = block.split_once("```")?;
    Some(program.to_owned())
}
