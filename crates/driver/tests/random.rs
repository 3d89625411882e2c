//! Random programs mean the same after whole pipelines: those for CPUs and GPUs, both of which begin with the default one.
//!
//! See `irtest/src/random.rs` for longer runs, `opt/tests/random.rs` for single passes and others in any order.

use fehu_driver::pipelines::{CPU, GPU};
use fehu_irtest::random::{each_list, each_program};

#[test]
fn pipelines_keep_what_random_programs_mean() {
    let lists = [CPU.passes.to_vec(), GPU.passes.to_vec()];
    let all = each_program(2000, 2, |prog, seed| each_list(prog, &lists, seed));
    let all = all.unwrap_or_else(|message| panic!("{message}"));
    assert!(all.succeeded > 10 * all.undefined && all.succeeded > all.failed, "{all:?}");
}
