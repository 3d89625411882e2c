//! `cargo xtask bench-lower`: how long lowering takes, and how large its result is.
//!
//! Programs with many calls of polymorphic higher-order functions are made in several sizes; the time
//! and the number of variables of the IR should grow no faster than the program. Files can be given
//! instead: then each is a row, with the message if it cannot be lowered.

use fehu_driver::check::Warnings;
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use fehu_driver::run::compile;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Programs to lower instead of the generated ones.
    files: Vec<String>,
    /// How often each generated program is lowered.
    #[arg(long, default_value_t = 3)]
    runs: usize,
}

const SIZES: [usize; 4] = [1_000, 2_000, 5_000, 10_000];

pub(crate) fn run(args: &Args) -> ExitCode {
    println!(
        "{:24} {:>9} {:>9} {:>9} {:>9}",
        "program", "check ms", "lower ms", "verify ms", "vars"
    );
    if !args.files.is_empty() {
        for file in &args.files {
            println!("{:24} {}", file, measure(&Root::Path(file.clone())));
        }
        return ExitCode::SUCCESS;
    }
    let mut failed = false;
    for (name, program) in SHAPES {
        for size in SIZES {
            let text = program(size);
            let root = || Root::Bytes("program.fut".to_owned(), text.clone().into_bytes());
            let runs = (0..args.runs.max(1)).map(|_| measure(&root()));
            let Some(best) = runs.min_by_key(|found| found.lower) else { continue };
            failed |= best.problem.is_some();
            println!("{:24} {best}", format!("{name} {size}"));
        }
    }
    ExitCode::from(u8::from(failed))
}

/// What one program took.
struct Measured {
    check: Duration,
    lower: Duration,
    verify: Duration,
    vars: usize,
    problem: Option<String>,
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for time in [self.check, self.lower, self.verify] {
            write!(f, "{:9.1} ", time.as_secs_f64() * 1e3)?;
        }
        write!(f, "{:9}", self.vars)?;
        match &self.problem {
            Some(problem) => write!(f, "  {problem}"),
            None => Ok(()),
        }
    }
}

fn measure(root: &Root) -> Measured {
    let (outcome, compiled) = compile(&Disk, root, Warnings::Hide, Default::default());
    let rows = outcome.timings.rows();
    let time = |stage| rows.iter().find(|(row, _)| *row == stage).map_or(Duration::ZERO, |r| r.1);
    let prog = compiled.as_ref().and_then(|compiled| compiled.prog());
    let vars = prog.map_or(0, |prog| prog.funs.iter().map(|(_, fun)| fun.vars.len()).sum());
    let problem = outcome.diagnostics.first().map(|found| {
        let place = found.primary.as_ref().map(|label| outcome.sources.describe(label.span));
        format!("{}: {} at {}", found.code, found.message, place.unwrap_or_default())
    });
    Measured { check: time("check"), lower: time("lower"), verify: time("verify"), vars, problem }
}

type Shape = (&'static str, fn(usize) -> String);

const SHAPES: [Shape; 4] = [
    ("calls in one function", one_function),
    ("calls in many functions", many_functions),
    ("functions in functions", nested),
    ("functions that capture", capturing),
];

/// Own combinators, used at several types.
const COMBINATORS: &str = "
def twice 'a (f: a -> a) (x: a): a = f (f x)
def on 'a 'b 'c (f: b -> b -> c) (g: a -> b) (x: a) (y: a): c = f (g x) (g y)
def mapped [n] 'a 'b (f: a -> b) (xs: [n]a): [n]b = map f xs
def total [n] 'a 'b (op: b -> b -> b) (ne: b) (f: a -> b) (xs: [n]a): b =
  reduce op ne (mapped f xs)
";

/// An expression with one call, which takes `v` and `xs` and yields an i32.
fn call(i: usize, v: &str) -> String {
    let k = i % 100;
    match i % 5 {
        0 => format!("twice (\\x -> x + {k}) {v}"),
        1 => format!("total (+) {v} (\\x -> x * {k}) xs"),
        2 => format!("on (\\a b -> i32.i64 (a - b)) i64.i32 {v} {k}"),
        3 => format!("i32.f32 (total (+) 0 (\\x -> f32.i32 x * {k}) (mapped (+ {v}) xs))"),
        _ => format!("(twice (\\(a, b) -> (b, a + {k})) ({v}, {k})).0"),
    }
}

fn one_function(count: usize) -> String {
    let mut text = format!("{COMBINATORS}\ndef main [n] (xs: [n]i32) (v0: i32): i32 =\n");
    for i in 0..count {
        // The write to a string cannot fail.
        let _ = writeln!(text, "  let v{} = {}", i + 1, call(i, &format!("v{i}")));
    }
    let _ = writeln!(text, "  in v{count}");
    text
}

fn many_functions(count: usize) -> String {
    let mut text = format!("{COMBINATORS}\ndef fun0 [n] (xs: [n]i32) (v: i32) = v + xs[0]\n");
    for i in 0..count {
        let v = format!("(fun{i} xs v)");
        let _ = writeln!(text, "def fun{} [n] (xs: [n]i32) (v: i32) = {}", i + 1, call(i, &v));
    }
    let _ = writeln!(text, "def main [n] (xs: [n]i32) (v: i32) = fun{count} xs v");
    text
}

/// Each function is applied twice by the next, ten deep.
fn nested(count: usize) -> String {
    let mut text = format!("{COMBINATORS}\ndef main (v0: i32): i32 =\n");
    for i in 0..count / 10 {
        let f = (0..9).fold(format!("(+ {i})"), |f, _| format!("(twice {f})"));
        let _ = writeln!(text, "  let v{} = {f} v{i}", i + 1);
    }
    let _ = writeln!(text, "  in v{}", count / 10);
    text
}

/// Local functions, each of which calls the one before it twice, ten deep.
fn capturing(count: usize) -> String {
    let mut text = format!("{COMBINATORS}\ndef main (v0: i32): i32 =\n");
    for i in 0..count / 10 {
        let _ = writeln!(text, "  let g0 (x: i32) = x + v{i}");
        for j in 1..10 {
            let _ = writeln!(text, "  let g{j} (x: i32) = g{} (g{} x + v{i})", j - 1, j - 1);
        }
        let _ = writeln!(text, "  let v{} = g9 v{i}", i + 1);
    }
    let _ = writeln!(text, "  in v{}", count / 10);
    text
}
