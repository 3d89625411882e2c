//! Arrays that need no memory, because their elements are computed wherever they are read.
//!
//! An `iota`, or a one-dimensional `replicate` of a scalar, is such an array if it is only read element by element: as
//! an input of operators, or by indexing.

use crate::table::Computed;
use fehu_base::IdVec;
use fehu_facts::Reads;
use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{Body, Exp, Stm, Var, VarInfo};
use rustc_hash::FxHashMap;

/// The arrays of a body that need no memory.
pub(super) fn computed(body: &Body, vars: &IdVec<Var, VarInfo>) -> FxHashMap<Var, Computed> {
    let reads = Reads::of_body(body);
    let mut look = Look { vars, found: Vec::new() };
    look.body(body);
    look.found.into_iter().filter(|(var, _)| reads.only_elements(*var)).collect()
}

struct Look<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    found: Vec<(Var, Computed)>,
}

impl Visit for Look<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other arrays have elements in memory")]
    fn stm(&mut self, stm: &Stm) {
        if let [var] = stm.pat.as_slice() {
            match &stm.exp {
                Exp::Iota(prim, _, start, step) => {
                    self.found.push((*var, Computed::Iota(*prim, *start, *step)));
                }
                Exp::Replicate(shape, value)
                    if shape.len() == 1 && self.vars[*var].ty.rank() == 1 =>
                {
                    self.found.push((*var, Computed::Replicate(*value)));
                }
                _ => {}
            }
        }
        walk_stm(self, stm);
    }
}
