//! Random programs made of irregular nests (`fehu_irgen::irregular_text`) mean the same when they are lifted.
//!
//! `FEHU_RANDOM_PROGRAMS` sets how many are tried, `FEHU_RANDOM_SEED` the first.

use crate::nested::{check, number};
use fehu_ir::pass::{RemarkKind, Remarks};
use fehu_ir::text::parse;
use fehu_ir::verify::{render, verify};
use fehu_irgen::irregular_text;
use fehu_opt::{CSE, FUSE, HOIST, SIMPLIFY, UNPARTITION};
use fehu_par::{EPILOGUE, FLATTEN, GRID_IRREGULAR, IRREGULAR, TASKS};

#[test]
fn irregular_programs_mean_the_same() {
    let (first, count) = (number("FEHU_RANDOM_SEED", 0), number("FEHU_RANDOM_PROGRAMS", 150));
    let (mut succeeded, mut failures) = (0, Vec::new());
    let mut remarks = Remarks::default();
    for seed in first..first + count {
        let text = irregular_text(seed);
        let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        if let Err(errors) = verify(&prog) {
            panic!("seed {seed}: {}", render(&prog, &errors));
        }
        (GRID_IRREGULAR.run)(&mut prog.clone(), &mut remarks);
        let lists = [
            vec![GRID_IRREGULAR],
            vec![IRREGULAR],
            vec![
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
            vec![SIMPLIFY, FUSE, IRREGULAR, SIMPLIFY, CSE, HOIST, SIMPLIFY, TASKS, EPILOGUE],
        ];
        for passes in lists {
            match check(&prog, &passes, seed) {
                Ok(runs) => succeeded += runs,
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
    assert!(succeeded as u64 > 4 * count, "only {succeeded} runs have results");
    let of = |kind| remarks.list.iter().filter(|remark| remark.kind == kind).count() as u64;
    let (done, missed) = (of(RemarkKind::Done), of(RemarkKind::Missed));
    assert!(done * 2 > count && missed * 4 < done, "{done} maps are lifted, {missed} are not");
}
