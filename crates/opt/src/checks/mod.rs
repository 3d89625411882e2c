//! Removes checks that always pass, and hoists checks out of loops.
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
//! **Hoisting** (`hoist`). A part `p >= 0` where `p` is monotonic in the counter of a loop, or in the element of `iota`
//! in an array operator, holds in all iterations if it holds in the first and in the last one. If all parts of a check
//! are of this form, and the check is performed in every iteration, then it is performed for these two iterations
//! before the loop, unless there are none. The message then contains the values of the first iteration that
//! fails, if that is known, as it is where all steps are constants; otherwise those of the last one. Then the hoisted checks are considered
//! again, to be proved or to be hoisted further; loops and operators without hoisted checks are skipped, since
//! analysing everything again takes as long as the first time and hardly finds anything.
//!
//! Checks that remain in loops and operators are reported as remarks.

mod demand;
mod find;
mod hoist;
mod nest;
mod rewrite;
mod search;

use fehu_base::IdVec;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::{Body, Prog, Var, VarInfo};

/// How often hoisted checks are looked at again, to be proved or to be hoisted further.
const ROUNDS: usize = 4;

/// The pass.
pub const CHECKS: Pass = Pass {
    name: "checks",
    about: "removes checks that always pass, and hoists checks out of loops",
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
