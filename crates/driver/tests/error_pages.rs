//! The pages about errors tell the truth: their examples trigger the code and no
//! other, their repairs are accepted without a warning.

use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Outcome, Warnings};
use fehu_driver::explain;
use fehu_driver::files::Memory;
use fehu_driver::load::Root;

#[test]
fn examples_trigger_their_code() {
    for (code, page) in explain::codes() {
        let Some(program) = program(page, "## Example") else { continue };
        let outcome = run(&program);
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

fn run(program: &str) -> Outcome {
    let root = Root::Bytes("example.fut".to_owned(), program.as_bytes().to_vec());
    check::check(&Memory::default(), &root, Warnings::Show)
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
