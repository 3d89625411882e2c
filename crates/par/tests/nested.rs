//! Random programs made of nested parallelism (`fehu_irgen::nested_text`) mean the same when they are flattened.
//!
//! `FEHU_RANDOM_PROGRAMS` sets how many are tried, `FEHU_RANDOM_SEED` the first.

use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::text::parse;
use fehu_ir::verify::{render, verify};
use fehu_ir::visit::{VisitMut, walk_exp_mut};
use fehu_ir::{Atom, Exp, Prog};
use fehu_irgen::nested_text;
use fehu_irtest::oracle::Oracle;
use fehu_irtest::passes::examine;
use fehu_irtest::reduce::reduce;
use fehu_opt::{FUSE, SIMPLIFY, UNSTREAM};
use fehu_par::FLATTEN;

/// All thresholds are zero, so that those on sizes hold.
pub(crate) const LEAST: Pass =
    Pass { name: "least", about: "all thresholds are zero", run: |prog, _| least(prog) };

fn least(prog: &mut Prog) {
    struct Lower;
    impl VisitMut for Lower {
        fn exp(&mut self, exp: &mut Exp) {
            if let Exp::Tuning(_, default) = exp {
                *default = Atom::i64(0);
            }
            walk_exp_mut(self, exp);
        }
    }
    prog.funs.values_mut().for_each(|fun| Lower.body(&mut fun.body));
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn check(prog: &Prog, passes: &[Pass], seed: u64) -> Result<usize, String> {
    let oracle = Oracle { seed, rounds: 3, max_size: 4, ..Oracle::default() };
    let failure = match examine(prog, passes, &oracle) {
        Ok(runs) => return Ok(runs.succeeded),
        Err(failure) => failure,
    };
    let kind = failure.kind();
    let mut fails =
        |prog: &Prog| examine(prog, passes, &oracle).is_err_and(|failure| failure.kind() == kind);
    let small = reduce(prog, 3000, &mut fails);
    let what = examine(&small, passes, &oracle).err().unwrap_or(failure);
    let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
    Err(format!("seed {seed}:\n-- pass {}\n{small}\n{what}", names.join(", ")))
}

/// Compares random programs before and after each of these lists of passes. Returns how many there are, and the remarks
/// of a pass about them.
pub(crate) fn compare(
    text: fn(u64) -> String,
    default: u64,
    pass: Pass,
    lists: &[&[Pass]],
) -> (u64, Remarks) {
    let (first, count) = (number("FEHU_RANDOM_SEED", 0), number("FEHU_RANDOM_PROGRAMS", default));
    let (mut succeeded, mut failures) = (0, Vec::new());
    let mut remarks = Remarks::default();
    for seed in first..first + count {
        let text = text(seed);
        let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        if let Err(errors) = verify(&prog) {
            panic!("seed {seed}: {}", render(&prog, &errors));
        }
        (pass.run)(&mut prog.clone(), &mut remarks);
        for passes in lists {
            match check(&prog, passes, seed) {
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
    (count, remarks)
}

#[test]
fn nested_programs_mean_the_same() {
    let lists: [&[Pass]; 3] =
        [&[FLATTEN], &[FLATTEN, LEAST], &[SIMPLIFY, FUSE, UNSTREAM, SIMPLIFY, FLATTEN, SIMPLIFY]];
    let (count, remarks) = compare(nested_text, 100, FLATTEN, &lists);
    // What the programs are about happens.
    for text in ["interchanged", "two versions", "of its columns", "varies"] {
        let found = remarks.list.iter().filter(|remark| remark.text.contains(text)).count();
        assert!(found as u64 * 20 > count, "{found} remarks say \"{text}\"");
    }
}
