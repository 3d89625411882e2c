//! Random programs made of irregular nests (`fehu_irgen::irregular_text`) mean the same when they are lifted.
//!
//! `FEHU_RANDOM_PROGRAMS` sets how many are tried, `FEHU_RANDOM_SEED` the first.

use crate::nested::{LEAST, compare};
use fehu_ir::pass::{Pass, RemarkKind};
use fehu_irgen::irregular_text;
use fehu_opt::{CSE, FUSE, HOIST, SIMPLIFY, UNPARTITION};
use fehu_par::{EPILOGUE, FLATTEN, GRID_IRREGULAR, IRREGULAR, TASKS};

#[test]
fn irregular_programs_mean_the_same() {
    let lists: [&[Pass]; 5] = [
        &[GRID_IRREGULAR],
        &[GRID_IRREGULAR, LEAST],
        &[IRREGULAR],
        &[
            SIMPLIFY,
            FUSE,
            GRID_IRREGULAR,
            SIMPLIFY,
            CSE,
            HOIST,
            SIMPLIFY,
            UNPARTITION,
            SIMPLIFY,
            FLATTEN,
            SIMPLIFY,
            EPILOGUE,
        ],
        &[SIMPLIFY, FUSE, IRREGULAR, SIMPLIFY, CSE, HOIST, SIMPLIFY, TASKS, EPILOGUE],
    ];
    let (count, remarks) = compare(irregular_text, 150, GRID_IRREGULAR, &lists);
    let of = |kind| remarks.list.iter().filter(|remark| remark.kind == kind).count() as u64;
    let (done, missed) = (of(RemarkKind::Done), of(RemarkKind::Missed));
    assert!(done * 2 > count && missed * 10 < done, "{done} maps are lifted, {missed} are not");
}
