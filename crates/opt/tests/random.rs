//! Random programs mean the same after each pass and after all of them, and large ones do not take long.
//! `FEHU_RANDOM_PROGRAMS` sets how many, `FEHU_RANDOM_START` where they start.

use fehu_ir::Prog;
use fehu_ir::pass::Pass;
use fehu_irgen::{Config, random_prog};
use fehu_irtest::{file, oracle};
use fehu_opt::{cse, hoist, inline};

const PASSES: [Pass; 3] = [inline::INLINE, cse::CSE, hoist::HOIST];

fn number(name: &str, default: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn seeds(default: u64) -> std::ops::Range<u64> {
    let start = number("FEHU_RANDOM_START", 0);
    start..start + number("FEHU_RANDOM_PROGRAMS", default)
}

/// Runs the passes and compares each program with the one before it.
fn check(seed: u64, before: &Prog, passes: &[Pass]) {
    let mut prog = before.clone();
    for pass in passes {
        let after = match file::run(pass, &prog) {
            Ok(after) => after,
            Err(error) => panic!("seed {seed}: {error}\nbefore:\n{prog}"),
        };
        if let Err(error) = oracle::agree(&prog, &after, seed) {
            panic!("seed {seed}, {}: {error}\nbefore:\n{prog}\nafter:\n{after}", pass.name);
        }
        prog = after;
    }
}

#[test]
fn each_pass_keeps_the_meaning() {
    for seed in seeds(150) {
        let config = Config { statements: 12, inexact: seed % 2 == 0 };
        let prog = random_prog(seed, config);
        for pass in PASSES {
            check(seed, &prog, &[pass]);
        }
    }
}

#[test]
fn all_passes_keep_the_meaning() {
    let [inline, cse, hoist] = PASSES;
    for seed in seeds(150) {
        let config = Config { statements: 10, inexact: seed % 2 == 0 };
        let prog = random_prog(seed + 1_000_000, config);
        check(seed, &prog, &[inline, cse, hoist, cse, hoist]);
    }
}
