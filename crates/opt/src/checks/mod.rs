//! Removes checks that always pass, hoists checks out of loops, and decides branches.
//!
//! ```text
//! loop (...) for i < n { let c = le 0 i  let d = lt i n  let e = and c d  let cert = assert e ...  #[cert cert] let x = index xs[i] }
//!     -->
//! loop (...) for i < n { let x = index xs[i] }
//! ```
//!
//! **Proofs** (`find`). At every check, each part of its condition is proved from what is known there
//! ([`facts::flow`](fehu_facts::flow), [`facts::Ranges`](fehu_facts::Ranges), which documents the treatment of
//! wrapping arithmetic). If all parts are proved, the check is removed, and what relied on it now relies on the checks
//! that the proof used. If only some are proved, only the others are still tested. A check that is known to fail stays
//! as it is.
//!
//! **Branches** whose condition is proved, or whose condition is proved to be false, get a constant in its place;
//! `simplify` then takes the branch.
//!
//! **Leaving nests** (`demand`, `nest`, `search`). A part `p >= 0` where `p` is linear in the counters of loops, and in
//! the elements of ranges in array operators, holds in all iterations if it holds where each counter has its first or
//! last value. A check all of whose parts are of this form, and that is performed in every iteration, leaves all loops
//! and operators around it, as far as sizes and indices are known there: one test is performed before the outermost of
//! them. Only if it fails is it found out, by a loop without anything but the checks, which of them fails first and
//! with which values; so the message is the same as without the pass, and where indices wrap around into bounds,
//! nothing fails.
//!
//! The order among checks that leave one nest is kept. One that stays, because it is about elements of arrays or stands in a
//! branch, comes after those that have left: of two that fail, another one may be reported than before.
//!
//! **Hoisting** (`hoist`), inside of the function of an operator that a check cannot leave. There nothing but a few
//! operations on scalars is added, because code in front of an inner operator is in the way of flattening: the check is
//! performed for the first and the last iteration of one loop, if `p` is known not to wrap. The message then contains
//! the values of the first iteration that fails, if that is known, as it is where all steps are constants; otherwise
//! those of the last one.
//!
//! Then the hoisted checks are considered again, to be proved or to be hoisted further; loops and operators without hoisted
//! checks are skipped, since analysing everything again takes as long as the first time and hardly finds anything.
//!
//! Checks that remain in loops and operators are reported as remarks.

mod demand;
mod find;
mod hoist;
mod nest;
mod rewrite;
mod search;

pub(crate) use nest::sum;

use fehu_base::IdVec;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::{Body, Prog, Var, VarInfo};

/// How often hoisted checks are looked at again, to be proved or to be hoisted further.
const ROUNDS: usize = 4;

/// The pass.
pub const CHECKS: Pass = Pass {
    name: "checks",
    about: "removes checks that always pass, decides branches that are known, and hoists checks out of loops",
    run,
};

fn run(prog: &mut Prog, remarks: &mut Remarks) {
    for item in prog.items() {
        let params = prog.params(item);
        prog.change(item, |_, vars, body| improve(&params, vars, body, remarks));
    }
}

/// Changes a body.
fn improve(params: &[Var], vars: &mut IdVec<Var, VarInfo>, body: &mut Body, remarks: &mut Remarks) {
    let mut found = find::find(vars, params, body);
    for _ in 1..ROUNDS {
        rewrite::rewrite(body, vars, &found);
        let mut moved = nest::leave(body, vars, &found);
        moved.extend(hoist::hoist(body, vars, &found));
        if moved.is_empty() {
            found.remark(remarks);
            return;
        }
        found = find::find_again(vars, params, body, found, &moved);
    }
    rewrite::rewrite(body, vars, &found);
    found.remark(remarks);
}
