//! Random programs through `flatten`, alone and after what the optimiser makes of them.
//!
//! The verifier accepts what it makes, and it means the same. When that is not so, the program is reduced and printed, as
//! an `.ir` file that can be put into `tests/ir/flatten`; see `irtest/src/random.rs`.

use fehu_ir::pass::Pass;
use fehu_ir::visit::{VisitMut, walk_exp_mut};
use fehu_ir::{Atom, Exp, Prog};
use fehu_irtest::oracle::Runs;
use fehu_irtest::random::{ALL, each_list, each_program};
use fehu_opt::{FUSE, SIMPLIFY, UNSTREAM};
use fehu_par::{EPILOGUE, EXPOSE, FLATTEN, TASKS};

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

fn try_program(prog: &Prog, seed: u64) -> Result<Runs, String> {
    let lists = [
        vec![FLATTEN],
        vec![FLATTEN, OUTER],
        vec![EXPOSE],
        vec![EPILOGUE],
        vec![TASKS, EPILOGUE],
        vec![SIMPLIFY, FUSE, UNSTREAM, EXPOSE, SIMPLIFY, FLATTEN, SIMPLIFY, EPILOGUE],
    ];
    each_list(prog, &lists, seed)
}

#[test]
fn flattened_programs_mean_the_same() {
    let all = each_program(ALL, 100, 2, try_program).unwrap_or_else(|message| panic!("{message}"));
    assert!(all.succeeded > 10 * all.undefined && all.succeeded > all.failed, "{all:?}");
}
