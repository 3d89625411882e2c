//! Runs the examples of documentation comments in an interactive session.

use crate::examples::{Example, examples};
use fehu_base::stack;
use fehu_driver::files::Disk;
use fehu_driver::prelude;
use fehu_driver::repl::{Breaks, Outcome, Repl};
use fehu_driver::stages;
use fehu_syntax::ast::{
    Dec, DecKind, Doc, ModExp, ModExpKind, ModTypeExp, ModTypeExpKind, Spec, SpecKind,
};
use std::fmt;

/// What came of the examples of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// How many there are.
    pub count: usize,
    /// What is wrong with some of them.
    pub failures: Vec<Failure>,
}

/// An example that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The file.
    pub file: String,
    /// The line of the example, from 1.
    pub line: usize,
    /// The example.
    pub example: Example,
    /// What the session answered.
    pub answer: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { file, line, example, answer } = self;
        let indented = |text: &str| text.replace('\n', "\n    ");
        write!(
            f,
            "{file}:{line}: this example is wrong\n  {}\n  expected:\n    {}\n  got:\n    {}",
            indented(&example.input),
            indented(&example.answer),
            indented(answer)
        )
    }
}

/// Runs the examples of a program. The error says why it cannot be loaded.
pub fn program(path: &str) -> Result<Checked, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("\"{path}\" cannot be read: {error}"))?;
    let found = of_text(&text);
    if found.is_empty() {
        return Ok(Checked::default());
    }
    let mut repl = Repl::new(Disk, Breaks::Always);
    let loaded = repl.load(path);
    if !matches!(loaded.outcome, Outcome::Done) {
        let first = loaded.diagnostics.first().map(|found| found.message.clone());
        return Err(first.unwrap_or_else(|| format!("\"{path}\" cannot be loaded")));
    }
    Ok(run(&mut repl, path, found))
}

/// Runs the examples of the prelude.
pub fn prelude() -> Checked {
    let mut all = Checked::default();
    for (name, text) in prelude::files() {
        let found = of_text(text);
        if !found.is_empty() {
            let mut repl = Repl::new(Disk, Breaks::Always);
            let checked = run(&mut repl, &format!("/prelude/{name}.fut"), found);
            all.count += checked.count;
            all.failures.extend(checked.failures);
        }
    }
    all
}

fn run(repl: &mut Repl, file: &str, found: Vec<(usize, Example)>) -> Checked {
    let mut checked = Checked { count: found.len(), failures: Vec::new() };
    for (line, example) in found {
        let answer = answer(repl, &example.input);
        if !agrees(repl, &answer, &example.answer) {
            let file = file.to_owned();
            checked.failures.push(Failure { file, line, example, answer });
        }
    }
    checked
}

/// What a session answers.
pub fn answer(repl: &mut Repl, input: &str) -> String {
    let given = repl.feed_last(input);
    match given.outcome {
        Outcome::Value(shown) => shown.text,
        Outcome::Text(text) | Outcome::Stopped(text) | Outcome::Misused(text) => text,
        Outcome::Done | Outcome::Quit | Outcome::Incomplete => String::new(),
        Outcome::Failed(error) => error.to_string(),
        Outcome::Interrupted => "Error: interrupted".to_owned(),
        Outcome::Refused(_) => {
            let first = given.diagnostics.iter().find(|found| found.is_error());
            first.map_or_else(|| "Error".to_owned(), |found| format!("Error: {}", found.message))
        }
    }
}

/// Whether an answer is what was expected: the same words, or a value that is written in another way.
fn agrees(repl: &mut Repl, got: &str, expected: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<String>();
    if words(got) == words(expected) {
        return true;
    }
    if expected.starts_with("Error") || got.starts_with("Error") || expected.is_empty() {
        let wanted = expected.trim_start_matches("Error").trim_start_matches(':').trim();
        return expected.starts_with("Error") && got.starts_with("Error") && got.contains(wanted);
    }
    let meant = answer(repl, expected);
    words(got) == words(&meant)
}

/// The examples in the documentation comments of a text, with their lines.
fn of_text(text: &str) -> Vec<(usize, Example)> {
    stack::with_large_stack(|| {
        let mut sources = fehu_base::SourceMap::new();
        let file = sources.add("", text);
        let (tree, _) = stages::parse(file, text);
        let mut docs: Vec<&Doc> = tree.doc.iter().collect();
        tree.decs.iter().for_each(|dec| dec_docs(dec, &mut docs));
        let mut found = Vec::new();
        for doc in docs {
            let first = sources.file(file).line_col(doc.span.start).0;
            found.extend(examples(&doc.text).into_iter().map(|e| (first + e.line, e)));
        }
        found
    })
}

fn dec_docs<'a>(dec: &'a Dec, found: &mut Vec<&'a Doc>) {
    found.extend(&dec.doc);
    match &dec.kind {
        DecKind::Module(bind) => {
            if let Some(ty) = &bind.ty {
                type_docs(ty, found);
            }
            module_docs(&bind.body, found);
        }
        DecKind::ModuleType(bind) => type_docs(&bind.body, found),
        DecKind::Local(inner) => dec_docs(inner, found),
        DecKind::Val(_)
        | DecKind::Type(_)
        | DecKind::Open(_)
        | DecKind::Import(..)
        | DecKind::Error => {}
    }
}

fn module_docs<'a>(exp: &'a ModExp, found: &mut Vec<&'a Doc>) {
    match &exp.kind {
        ModExpKind::Decs(decs) => decs.iter().for_each(|dec| dec_docs(dec, found)),
        ModExpKind::Paren(inner) => module_docs(inner, found),
        ModExpKind::Ascribe(inner, ty) => {
            module_docs(inner, found);
            type_docs(ty, found);
        }
        ModExpKind::Lambda(_, _, body) => module_docs(body, found),
        ModExpKind::Name(_)
        | ModExpKind::Import(..)
        | ModExpKind::Apply(..)
        | ModExpKind::Error => {}
    }
}

fn type_docs<'a>(ty: &'a ModTypeExp, found: &mut Vec<&'a Doc>) {
    match &ty.kind {
        ModTypeExpKind::Specs(specs) => specs.iter().for_each(|spec| spec_docs(spec, found)),
        ModTypeExpKind::Paren(inner) => type_docs(inner, found),
        ModTypeExpKind::Name(_)
        | ModTypeExpKind::With(..)
        | ModTypeExpKind::Arrow(..)
        | ModTypeExpKind::Error => {}
    }
}

fn spec_docs<'a>(spec: &'a Spec, found: &mut Vec<&'a Doc>) {
    found.extend(&spec.doc);
    match &spec.kind {
        SpecKind::Module(_, ty) | SpecKind::Include(ty) => type_docs(ty, found),
        SpecKind::Val { .. }
        | SpecKind::TypeAbstract { .. }
        | SpecKind::Type(_)
        | SpecKind::Error => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_prelude_are_right() {
        let checked = prelude();
        let failures: Vec<String> = checked.failures.iter().map(ToString::to_string).collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
        assert!(checked.count > 20, "only {} examples were found", checked.count);
    }

    #[test]
    fn wrong_examples_are_found() {
        let text = "-- | A\n--\n-- >>> 1 + 1\n-- 2\n-- >>> 1 + 1\n-- 3\ndef x = 1i32\nmodule m = {\n  -- | >>> 2 + 2\n  -- 2 * 2\n  def y = 1i32\n}";
        let found = of_text(text);
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [3, 5, 9]);
        let mut repl = Repl::new(Disk, Breaks::Always);
        let checked = run(&mut repl, "a.fut", found);
        let failures: Vec<(usize, &str)> = checked
            .failures
            .iter()
            .map(|failure| (failure.line, failure.answer.as_str()))
            .collect();
        assert_eq!((checked.count, failures), (3, vec![(5, "2")]));
    }

    #[test]
    fn errors_may_be_expected() {
        let mut repl = Repl::new(Disk, Breaks::Always);
        for (input, expected) in
            [("[1, 2][2]", "Error"), ("[1, 2][2]", "Error: out of bounds"), ("1 +", "Error")]
        {
            let got = answer(&mut repl, input);
            assert!(agrees(&mut repl, &got, expected), "{input}: {got}");
        }
        assert!(!agrees(&mut repl, "1", "Error"));
    }
}
