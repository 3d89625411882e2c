//! Random programs through the passes: each alone, all in order, and a few in random order.
//!
//! The verifier accepts what they make, and it means the same. When a pass fails, the program is reduced and
//! printed, as an `.ir` file that can be put into `tests/ir`; see `irtest/src/random.rs`.

use fehu_ir::pass::Pass;
use fehu_irgen::rng::Rng;
use fehu_irtest::random::{Part, each_list, each_program};
use fehu_opt::PASSES;

/// The lists of passes that a program goes through.
fn lists(seed: u64) -> Vec<Vec<Pass>> {
    let mut lists: Vec<Vec<Pass>> = PASSES.iter().map(|pass| vec![*pass]).collect();
    lists.push(PASSES.to_vec());
    let mut rng = Rng::new(seed);
    let count = 2 + rng.below(6);
    lists.push((0..count).filter_map(|_| rng.pick(PASSES)).collect());
    lists
}

/// A quarter of the programs: tests run at the same time, and this one would be the last to end.
fn quarter(number: u64) {
    let part = Part { number, of: 4 };
    let all = each_program(part, 160, 2, |prog, seed| each_list(prog, &lists(seed), seed));
    let all = all.unwrap_or_else(|message| panic!("{message}"));
    // The programs are made for running, and for checks that fail now and then.
    assert!(all.succeeded >= 10 * all.undefined, "{all:?}");
    assert!(all.failed * 50 >= all.succeeded && all.succeeded >= all.failed, "{all:?}");
}

#[test]
fn passes_keep_what_random_programs_mean_first() {
    quarter(0);
}

#[test]
fn passes_keep_what_random_programs_mean_second() {
    quarter(1);
}

#[test]
fn passes_keep_what_random_programs_mean_third() {
    quarter(2);
}

#[test]
fn passes_keep_what_random_programs_mean_fourth() {
    quarter(3);
}
