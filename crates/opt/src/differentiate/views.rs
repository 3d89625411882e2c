//! Which arrays the results of a body may share memory with.

use super::activity::Set;
use fehu_base::IdVec;
use fehu_ir::free::free_in_stm;
use fehu_ir::{Body, Exp, Var, VarInfo};

/// The arrays that a result of the body may be, or be a view of.
pub(super) fn seen(body: &Body, vars: &IdVec<Var, VarInfo>) -> Set {
    let is_array = |var: &Var| vars[*var].ty.is_array();
    let mut seen: Set =
        body.results.iter().filter_map(|atom| atom.var()).filter(is_array).collect();
    for stm in body.stms.iter().rev() {
        if stm.pat.iter().any(|var| seen.contains(var)) && !is_new(&stm.exp) {
            seen.extend(free_in_stm(stm, vars).into_iter().filter(is_array));
        }
    }
    seen
}

/// Whether the arrays that an expression yields are in new memory, whatever it reads.
fn is_new(exp: &Exp) -> bool {
    matches!(
        exp,
        Exp::Screma(_)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::Concat(..)
            | Exp::Replicate(..)
            | Exp::Array(..)
            | Exp::Iota(..)
            | Exp::Scratch(..)
            | Exp::Diff(_)
    )
}
