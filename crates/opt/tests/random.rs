//! Random programs through the passes: each alone, all in order, and a few in random order.
//!
//! The verifier accepts what they make, and it means the same. When a pass fails, the program is reduced and
//! printed, as an `.ir` file that can be put into `tests/ir`. `FEHU_RANDOM_PROGRAMS` sets how many programs are
//! tried, `FEHU_RANDOM_SEED` the first.

use fehu_ir::Prog;
use fehu_ir::pass::Pass;
use fehu_irgen::rng::Rng;
use fehu_irgen::{Config, random_prog};
use fehu_irtest::oracle::{Oracle, Runs};
use fehu_irtest::passes::examine;
use fehu_irtest::reduce::reduce;
use fehu_opt::PASSES;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The lists of passes that a program goes through.
fn lists(seed: u64) -> Vec<Vec<Pass>> {
    let mut lists: Vec<Vec<Pass>> = PASSES.iter().map(|pass| vec![*pass]).collect();
    lists.push(PASSES.to_vec());
    let mut rng = Rng::new(seed);
    let count = if PASSES.is_empty() { 0 } else { 2 + rng.below(6) };
    lists.push((0..count).filter_map(|_| rng.pick(PASSES)).collect());
    lists
}

fn config(seed: u64) -> Config {
    Config {
        statements: 4 + (seed % 3) as usize * 4,
        inexact: false,
        failing: seed.is_multiple_of(2),
    }
}

/// Examines a program; what is wrong, with the smallest program that shows it.
fn try_program(prog: &Prog, passes: &[Pass], seed: u64) -> Result<Runs, String> {
    let oracle = Oracle { seed, ..Oracle::default() };
    let failure = match examine(prog, passes, &oracle) {
        Ok(runs) => return Ok(runs),
        Err(failure) => failure,
    };
    let kind = failure.kind();
    // Fewer passes, if the same goes wrong with them.
    let mut passes = passes.to_vec();
    for at in (0..passes.len()).rev() {
        let mut fewer = passes.clone();
        fewer.remove(at);
        if examine(prog, &fewer, &oracle).is_err_and(|failure| failure.kind() == kind) {
            passes = fewer;
        }
    }
    let mut fails =
        |prog: &Prog| examine(prog, &passes, &oracle).is_err_and(|failure| failure.kind() == kind);
    let small = reduce(prog, 3000, &mut fails);
    let what = match examine(&small, &passes, &oracle) {
        Ok(_) => failure.to_string(),
        Err(failure) => failure.to_string(),
    };
    let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
    Err(format!("seed {seed}:\n-- pass {}\n{small}\n{what}", names.join(", ")))
}

#[test]
fn passes_keep_what_random_programs_mean() {
    let (first, count) = (number("FEHU_RANDOM_SEED", 0), number("FEHU_RANDOM_PROGRAMS", 200));
    let mut all = Runs::default();
    let mut failures = Vec::new();
    for seed in first..first + count {
        let prog = random_prog(seed, config(seed));
        for passes in lists(seed) {
            match try_program(&prog, &passes, seed) {
                Ok(runs) => {
                    all.succeeded += runs.succeeded;
                    all.failed += runs.failed;
                    all.undefined += runs.undefined;
                }
                Err(message) => {
                    failures.push(message);
                    break;
                }
            }
        }
        if failures.len() == 3 {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    // The programs are made for running, and for checks that fail now and then.
    assert!(all.succeeded > 10 * all.undefined, "{all:?}");
    assert!(all.failed * 50 > all.succeeded && all.succeeded > all.failed, "{all:?}");
}
