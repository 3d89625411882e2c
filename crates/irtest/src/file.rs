//! Tests of passes in files: a program before, the passes, the program after.
//!
//! ```text
//! -- pass simplify, cse           the passes, in order
//! -- count: map 0, redomap 1      operators that must be left, see `count`; optional
//! -- arguments f: 2 [1, 2]        instead of random arguments for a function; optional, may be repeated
//! -- inexact                      floats may differ a little, because sums are regrouped; optional
//! -- fails                        every run ends with a failed check; optional
//! prog arrays
//! ...
//! -- result
//! prog arrays
//! ...
//! ```
//!
//! A file passes if the verifier accepts the program before and after each pass, the text after the last one is
//! the one written down, the counts are right, and [`Oracle::agree`] holds. A program whose runs say nothing fails
//! the test: at least one run of each file has results, or a failed check if it says `-- fails`.

use crate::oracle::{Oracle, Runs};
use crate::passes::transform;
use crate::{count, folder};
use fehu_ir::Prog;
use fehu_ir::pass::Pass;
use fehu_ir::text::parse;
use fehu_ir::verify::{render, verify};
use std::path::Path;

/// What the comments at the head of a file ask for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The names of the passes.
    pub passes: Vec<String>,
    /// How often operators must occur at the end.
    pub counts: Vec<(String, usize)>,
    /// Arguments by function.
    pub arguments: Vec<(String, String)>,
    /// Whether floats may differ a little.
    pub inexact: bool,
    /// Whether all runs fail.
    pub fails: bool,
}

/// Runs the test in a file; its folder is the pass that it is about. `passes` are those that it may name.
pub fn run(path: &Path, passes: &[Pass]) -> Result<(), String> {
    let text = folder::read(path, "ir")?;
    let about = folder::folder(path);
    if !header(&text)?.passes.iter().any(|name| name == about) {
        return Err(format!("the folder is that of \"{about}\", which the file does not run"));
    }
    folder::expect(path, &check(&text, passes)?)
}

/// Runs the test. The text as it should be, with the result that the passes gave, or what is wrong other than that.
pub fn check(text: &str, passes: &[Pass]) -> Result<String, String> {
    let (input, _) = folder::split(text);
    let header = header(input)?;
    let before = parse(input).map_err(|error| error.to_string())?;
    if let Err(errors) = verify(&before) {
        return Err(format!("the program is rejected:\n{}", render(&before, &errors)));
    }
    let find = |name: &String| {
        let found = passes.iter().find(|pass| pass.name == name);
        found.copied().ok_or_else(|| format!("there is no pass \"{name}\""))
    };
    let list = header.passes.iter().map(find).collect::<Result<Vec<Pass>, String>>()?;
    let after = transform(&before, &list).map_err(|failure| failure.to_string())?;
    let printed = after.to_string();
    match parse(&printed) {
        Ok(again) if again.to_string() == printed => {}
        Ok(_) => return Err(format!("the result reads as another program:\n{printed}")),
        Err(error) => return Err(format!("the result does not read: {error}\n{printed}")),
    }
    check_counts(&header, &after)?;
    // The interpreter knows no derivatives: their values are tested by `tests/programs/derivatives.fut`.
    if before.has_derivatives() {
        return Ok(folder::join(input, &printed));
    }
    check_runs(&header, &before, &after).map_err(|error| format!("{error}\n\n{printed}"))?;
    Ok(folder::join(input, &printed))
}

/// Reads the comments at the head of a file.
pub fn header(text: &str) -> Result<Header, String> {
    let mut header = Header::default();
    for line in text.lines().map_while(|line| line.strip_prefix("--")) {
        let line = line.trim();
        if let Some(list) = line.strip_prefix("pass ") {
            header.passes.extend(list.split(',').map(|name| name.trim().to_owned()));
        } else if let Some(list) = line.strip_prefix("count:") {
            for item in list.split(',') {
                let (name, number) = item.trim().rsplit_once(' ').unwrap_or((item, ""));
                let number = number.parse().map_err(|_| format!("`{item}` is not a count"))?;
                if !count::is_name(name) {
                    return Err(format!("there is no operator `{name}` to count"));
                }
                header.counts.push((name.to_owned(), number));
            }
        } else if let Some(rest) = line.strip_prefix("arguments ") {
            let Some((name, values)) = rest.split_once(':') else {
                return Err(format!("`{line}` has no `:` after the function"));
            };
            header.arguments.push((name.trim().to_owned(), values.trim().to_owned()));
        } else if line == "inexact" {
            header.inexact = true;
        } else if line == "fails" {
            header.fails = true;
        }
    }
    if header.passes.is_empty() {
        return Err("the file does not say `-- pass NAME`".to_owned());
    }
    Ok(header)
}

fn check_counts(header: &Header, after: &Prog) -> Result<(), String> {
    let counts = count::count(after);
    for (name, wanted) in &header.counts {
        let found = counts.get(name.as_str()).copied().unwrap_or(0);
        if found != *wanted {
            return Err(format!("{found} instead of {wanted} times `{name}` is left:\n{after}"));
        }
    }
    Ok(())
}

fn check_runs(header: &Header, before: &Prog, after: &Prog) -> Result<Runs, String> {
    let oracle = Oracle {
        rounds: 12,
        tolerance: header.inexact.then_some(1e-3),
        written: header.arguments.clone(),
        ..Oracle::default()
    };
    let runs = oracle.agree(before, after)?;
    match (header.fails, runs.succeeded, runs.failed) {
        (false, 0, _) => {
            Err("no run had results, so the test says nothing; write `-- arguments`, or `-- fails`"
                .to_owned())
        }
        (true, 1.., _) => Err("some run has results, although the file says `-- fails`".to_owned()),
        (true, 0, 0) => Err("no run failed, although the file says `-- fails`".to_owned()),
        (false, 1.., _) | (true, 0, 1..) => Ok(runs),
    }
}
