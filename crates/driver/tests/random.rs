//! Random programs mean the same after whole pipelines: those for CPUs and GPUs, both of which begin with the default one.
//!
//! See `irtest/src/random.rs` for longer runs, `opt/tests/random.rs` for single passes and others in any order.

use fehu_driver::pipelines::{CPU, GPU};
use fehu_irtest::random::{Part, each_list, each_program};

/// Half of the programs: tests run at the same time, and a single one would be the last to end.
fn half(number: u64) {
    let lists = [CPU.passes.to_vec(), GPU.passes.to_vec()];
    let part = Part { number, of: 2 };
    let all = each_program(part, 300, 2, |prog, seed| each_list(prog, &lists, seed));
    let all = all.unwrap_or_else(|message| panic!("{message}"));
    assert!(all.succeeded > 10 * all.undefined && all.succeeded > all.failed, "{all:?}");
}

#[test]
fn pipelines_keep_what_random_programs_mean_first() {
    half(0);
}

#[test]
fn pipelines_keep_what_random_programs_mean_second() {
    half(1);
}
