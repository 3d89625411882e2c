//! Random programs through `flatten`, alone and after what the optimiser makes of them.
//!
//! The verifier accepts what it makes, and it means the same. When that is not so, the program is reduced and printed, as
//! an `.ir` file that can be put into `tests/ir/flatten`; see `irtest/src/random.rs`.

use fehu_ir::pass::Pass;
use fehu_ir::visit::{VisitMut, walk_exp_mut};
use fehu_ir::{Atom, Exp, Prog};
use fehu_irtest::oracle::Runs;
use fehu_irtest::random::{ALL, each_list, each_program};
use fehu_opt::{FUSE, GRID_UNSTREAM, SIMPLIFY, UNSTREAM, UNSTREAM_1, UNSTREAM_3};
use fehu_par::{CHUNKS, EPILOGUE, EXPOSE, FLATTEN, GRID_CHUNKS, GRID_IRREGULAR, IRREGULAR, TASKS};

/// Takes the first version wherever there are two: otherwise the small arrays of tests never would.
const OUTER: Pass =
    Pass { name: "outer", about: "all thresholds are zero", run: |prog, _| lower(prog) };

/// Cuts streams into three chunks, instead of as many as the small arrays of tests have elements.
const FEW: Pass = Pass {
    name: "few",
    about: "streams have three chunks",
    run: |prog, _| set(prog, ".chunks_", 3),
};

fn lower(prog: &mut Prog) {
    set(prog, ".suff_outer_par_", 0);
}

/// Gives tuning parameters a value.
fn set(prog: &mut Prog, names: &'static str, value: i64) {
    struct Set(&'static str, i64);
    impl VisitMut for Set {
        fn exp(&mut self, exp: &mut Exp) {
            if let Exp::Tuning(name, default) = exp
                && name.contains(self.0)
            {
                *default = Atom::i64(self.1);
            }
            walk_exp_mut(self, exp);
        }
    }
    for fun in prog.funs.values_mut() {
        Set(names, value).body(&mut fun.body);
    }
}

fn try_program(prog: &Prog, seed: u64) -> Result<Runs, String> {
    let lists = [
        vec![FLATTEN],
        vec![FLATTEN, OUTER],
        vec![EXPOSE],
        vec![EPILOGUE],
        vec![TASKS, EPILOGUE],
        vec![CHUNKS],
        vec![CHUNKS, FEW],
        vec![GRID_CHUNKS, FEW],
        vec![SIMPLIFY, FUSE, GRID_CHUNKS, GRID_UNSTREAM, SIMPLIFY, FLATTEN, SIMPLIFY, EPILOGUE],
        vec![SIMPLIFY, FUSE, CHUNKS, UNSTREAM, SIMPLIFY, IRREGULAR, SIMPLIFY, TASKS, EPILOGUE],
        vec![GRID_IRREGULAR],
        vec![SIMPLIFY, FUSE, UNSTREAM, SIMPLIFY, GRID_IRREGULAR, SIMPLIFY, FLATTEN, EPILOGUE],
        vec![SIMPLIFY, FUSE, UNSTREAM_1, EXPOSE, SIMPLIFY, FLATTEN, SIMPLIFY, EPILOGUE],
        vec![UNSTREAM_3, SIMPLIFY],
    ];
    each_list(prog, &lists, seed)
}

#[test]
fn flattened_programs_mean_the_same() {
    let all = each_program(ALL, 50, 2, try_program).unwrap_or_else(|message| panic!("{message}"));
    assert!(all.succeeded > 10 * all.undefined && all.succeeded > all.failed, "{all:?}");
}
