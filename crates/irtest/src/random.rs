//! Random programs for the tests of passes and stages: one loop, and the smallest program that shows what is wrong.
//!
//! `FEHU_RANDOM_PROGRAMS` sets how many programs such a test tries, `FEHU_RANDOM_SEED` the first: a failure names its
//! seed, so that it can be repeated. A long run is
//! `FEHU_RANDOM_PROGRAMS=100000 cargo test --release -p fehu-opt --test all random`.

use crate::oracle::{Oracle, Runs};
use crate::passes::{Failure, examine, transform};
use crate::reduce::reduce;
use fehu_base::bug;
use fehu_ir::Prog;
use fehu_ir::pass::Pass;
use fehu_ir::text::parse;
use fehu_irgen::{Config, box_text, growing_text, random_prog, update_text};
use std::fmt::Debug;

/// After so many programs that fail the others are not tried.
const ENOUGH: usize = 3;

/// How often smaller programs are tried when one fails.
const REDUCTIONS: usize = 3000;

/// One of several equal parts of the programs: tests that run at the same time end sooner than a single long one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which one, from 0 on.
    pub number: u64,
    /// How many there are.
    pub of: u64,
}

/// All programs.
pub const ALL: Part = Part { number: 0, of: 1 };

/// Tries random programs; the runs of all of them, or what is wrong with the first few that fail.
///
/// `count` is the number of programs in all parts together if the environment says nothing. Every `failing`th program has
/// checks that may fail.
pub fn each_program(
    part: Part,
    count: u64,
    failing: u64,
    mut try_one: impl FnMut(&Prog, u64) -> Result<Runs, String>,
) -> Result<Runs, String> {
    let (first, count) = (number("FEHU_RANDOM_SEED", 0), number("FEHU_RANDOM_PROGRAMS", count));
    let mut all = Runs::default();
    let mut failures = Vec::new();
    // Seeds next to each other differ in size and in what may fail: each part has some of all kinds.
    for seed in (first..first + count).filter(|seed| seed / 6 % part.of == part.number) {
        match try_one(&program(seed, failing), seed) {
            Ok(runs) => all.add(runs),
            Err(message) => failures.push(format!("seed {seed}{message}")),
        }
        if failures.len() == ENOUGH {
            break;
        }
    }
    if failures.is_empty() { Ok(all) } else { Err(failures.join("\n\n")) }
}

/// The program of a seed. Most have something of everything. One of eight changes matrices in place, and one of sixteen
/// each has arrays whose sizes grow or scatters to boxes, which others hardly have.
fn program(seed: u64, failing: u64) -> Prog {
    let text = match seed % 16 {
        5 | 13 => Some(update_text(seed / 8)),
        3 => Some(growing_text(seed / 16)),
        11 => Some(box_text(seed / 16)),
        _ => None,
    };
    if let Some(text) = text {
        return parse(&text).unwrap_or_else(|why| bug(format!("seed {seed}: {why}\n{text}")));
    }
    let failing = seed.is_multiple_of(failing);
    random_prog(seed, Config { statements: 4 + (seed % 3) as usize * 4, inexact: false, failing })
}

/// Sends a program through lists of passes, each time from the beginning; what is wrong with the first list that fails,
/// with the fewest passes and the smallest program that show it, as a file for `tests/ir`.
pub fn each_list(prog: &Prog, lists: &[Vec<Pass>], seed: u64) -> Result<Runs, String> {
    let oracle = Oracle { seed, ..Oracle::default() };
    let mut reference = oracle.reference(prog);
    let mut all = Runs::default();
    for passes in lists {
        match transform(prog, passes) {
            // Most programs have nothing for some passes, and running them twice would say nothing.
            Ok(after) if after == *prog => {}
            Ok(after) => match reference.agree(&after) {
                Ok(runs) => all.add(runs),
                Err(text) => {
                    return Err(smallest(prog, passes, &oracle, Failure::Differs(text)));
                }
            },
            Err(failure) => return Err(smallest(prog, passes, &oracle, failure)),
        }
    }
    Ok(all)
}

/// Examines a program in several ways; what is wrong in the first way that fails, with the smallest program that shows it
/// and what `show` says of that one.
pub fn each_way<W: Copy + Debug>(
    prog: &Prog,
    ways: &[W],
    mut examine: impl FnMut(&Prog, W) -> Result<Runs, String>,
    show: impl Fn(&Prog, W) -> String,
) -> Result<Runs, String> {
    let mut all = Runs::default();
    for way in ways {
        match examine(prog, *way) {
            Ok(runs) => all.add(runs),
            Err(first) => {
                let small = reduce(prog, REDUCTIONS, &mut |prog| examine(prog, *way).is_err());
                let what = examine(&small, *way).err().unwrap_or(first);
                return Err(format!(", {way:?}:\n{small}\n{}\n{what}", show(&small, *way)));
            }
        }
    }
    Ok(all)
}

/// The fewest passes and the smallest program that show a failure of this kind.
fn smallest(prog: &Prog, passes: &[Pass], oracle: &Oracle, failure: Failure) -> String {
    let kind = failure.kind();
    let fails = |prog: &Prog, passes: &[Pass]| {
        examine(prog, passes, oracle).is_err_and(|failure| failure.kind() == kind)
    };
    let mut passes = passes.to_vec();
    for at in (0..passes.len()).rev() {
        let mut fewer = passes.clone();
        fewer.remove(at);
        if fails(prog, &fewer) {
            passes = fewer;
        }
    }
    let small = reduce(prog, REDUCTIONS, &mut |prog| fails(prog, &passes));
    let what = examine(&small, &passes, oracle).err().unwrap_or(failure);
    let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
    format!(":\n-- pass {}\n{small}\n{what}", names.join(", "))
}

/// A number of the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
