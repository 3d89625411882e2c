//! Random programs through `flatten`, alone and after what the optimiser makes of them.
//!
//! The verifier accepts what it makes, and it means the same. When that is not so, the program is reduced and printed, as
//! an `.ir` file that can be put into `tests/ir/flatten`. `FEHU_RANDOM_PROGRAMS` sets how many programs are tried,
//! `FEHU_RANDOM_SEED` the first.

use fehu_ir::pass::Pass;
use fehu_ir::visit::{VisitMut, walk_exp_mut};
use fehu_ir::{Atom, Exp, Prog};
use fehu_irgen::{Config, random_prog};
use fehu_irtest::oracle::{Oracle, Runs};
use fehu_irtest::passes::{examine, transform};
use fehu_irtest::reduce::reduce;
use fehu_opt::{FUSE, SIMPLIFY, UNSTREAM};
use fehu_par::{EXPOSE, FLATTEN, nest};

/// Takes the first version wherever there are two: otherwise the small arrays of tests never would.
const OUTER: Pass =
    Pass { name: "outer", about: "all thresholds are zero", run: |prog, _| lower(prog) };

fn lower(prog: &mut Prog) {
    struct Lower;
    impl VisitMut for Lower {
        fn exp(&mut self, exp: &mut Exp) {
            if let Exp::Tuning(name, default) = exp
                && name.contains(".suff_outer_par_")
            {
                *default = Atom::i64(0);
            }
            walk_exp_mut(self, exp);
        }
    }
    for fun in prog.funs.values_mut() {
        Lower.body(&mut fun.body);
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
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
    let flat = passes.iter().any(|pass| pass.name == FLATTEN.name);
    if flat && let Ok(after) = transform(prog, passes) {
        nest::check(&after).map_err(|stm| format!("seed {seed}: not a nest: {stm}\n{prog}"))?;
    }
    let failure = match examine(prog, passes, &oracle) {
        Ok(runs) => return Ok(runs),
        Err(failure) => failure,
    };
    let kind = failure.kind();
    let mut fails =
        |prog: &Prog| examine(prog, passes, &oracle).is_err_and(|failure| failure.kind() == kind);
    let small = reduce(prog, 3000, &mut fails);
    let what = match examine(&small, passes, &oracle) {
        Ok(_) => failure.to_string(),
        Err(failure) => failure.to_string(),
    };
    let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
    Err(format!("seed {seed}:\n-- pass {}\n{small}\n{what}", names.join(", ")))
}

#[test]
fn flattened_programs_mean_the_same() {
    let (first, count) = (number("FEHU_RANDOM_SEED", 0), number("FEHU_RANDOM_PROGRAMS", 200));
    let mut all = Runs::default();
    let mut failures = Vec::new();
    for seed in first..first + count {
        let prog = random_prog(seed, config(seed));
        let lists = [
            vec![FLATTEN],
            vec![FLATTEN, OUTER],
            vec![EXPOSE],
            vec![SIMPLIFY, FUSE, UNSTREAM, EXPOSE, SIMPLIFY, FLATTEN, SIMPLIFY],
        ];
        for passes in lists {
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
    assert!(all.succeeded > 10 * all.undefined && all.succeeded > all.failed, "{all:?}");
}
