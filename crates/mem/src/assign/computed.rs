//! Arrays that need no memory, because their elements are computed wherever they are read.
//!
//! An `iota`, or a one-dimensional `replicate` of a scalar, is such an array if it is only read element by element: as
//! an input of operators, or by indexing.

use crate::table::Computed;
use fehu_base::IdVec;
use fehu_ir::visit::{Visit, walk_exp, walk_stm};
use fehu_ir::{Body, Dim, Exp, Stm, Var, VarInfo};
use rustc_hash::FxHashMap;

/// The arrays of a body that need no memory.
pub(super) fn computed(body: &Body, vars: &IdVec<Var, VarInfo>) -> FxHashMap<Var, Computed> {
    let mut look = Look { vars, uses: FxHashMap::default(), found: Vec::new() };
    look.body(body);
    let Look { uses, found, .. } = look;
    found.into_iter().filter(|(var, _)| uses.get(var).is_none_or(|others| *others == 0)).collect()
}

struct Look<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    /// How often a variable is used other than by reading elements.
    uses: FxHashMap<Var, isize>,
    found: Vec<(Var, Computed)>,
}

impl Look<'_> {
    fn reads(&mut self, vars: &[Var]) {
        for var in vars {
            *self.uses.entry(*var).or_default() -= 1;
        }
    }
}

impl Visit for Look<'_> {
    fn use_var(&mut self, var: &Var) {
        *self.uses.entry(*var).or_default() += 1;
    }

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

    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Index(array, dims) if dims.iter().all(|dim| matches!(dim, Dim::Fix(_))) => {
                self.reads(&[*array]);
            }
            Exp::Screma(op) => self.reads(&op.inputs),
            Exp::Hist(op) => self.reads(&op.inputs),
            Exp::Scatter(op) => self.reads(&op.inputs),
            Exp::Partition(op) => self.reads(&op.inputs),
            _ => {}
        }
        walk_exp(self, exp);
    }
}
