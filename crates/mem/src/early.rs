//! Checks of updates come before the arrays that are stored.
//!
//! ```text
//! let v = map ...                           let c = i < n
//! let c = i < n                             let cert = assert c
//! let cert = assert c                ==>    let v = map ...
//! #[cert cert] let r = update xs[i] = v     #[cert cert] let r = update xs[i] = v
//! ```
//!
//! An array can be made where an update stores it (see [`crate::short_circuit`]) only if there is such a place, which nobody knows before the
//! check of the index. A check moves up with the scalars that it needs, but not beyond another check: which of several
//! fails first is something that users see.

use fehu_base::IdVec;
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{Atom, Body, Exp, Family, Stm, Type, Var, VarInfo, free};
use rustc_hash::{FxHashMap, FxHashSet};

/// A check moves over no more statements than this.
const MAX_DISTANCE: usize = 200;

/// Moves the checks of updates in a body and all bodies in it.
pub(crate) fn early(body: &mut Body, vars: &IdVec<Var, VarInfo>) {
    Early { vars }.body(body);
}

struct Early<'a> {
    vars: &'a IdVec<Var, VarInfo>,
}

impl VisitMut for Early<'_> {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        if !body.stms.iter().any(|stm| self.stores(stm).is_some()) {
            return;
        }
        let mut bound: FxHashMap<Var, usize> = FxHashMap::default();
        for (index, stm) in body.stms.iter().enumerate() {
            bound.extend(stm.pat.iter().map(|var| (*var, index)));
        }
        for index in 0..body.stms.len() {
            let Some(value) = self.stores(&body.stms[index]) else { continue };
            let Some(made) = bound.get(&value).copied() else { continue };
            for cert in body.stms[index].certs.clone() {
                if bound.get(&cert).is_some_and(|check| *check > made) {
                    self.raise(body, &mut bound, cert);
                }
            }
        }
    }
}

impl Early<'_> {
    /// The array that a statement stores in another one if a check succeeds.
    fn stores(&self, stm: &Stm) -> Option<Var> {
        let Exp::Update(_, _, Atom::Var(value)) = &stm.exp else { return None };
        let is_array = matches!(self.vars[*value].ty, Type::Array(..));
        (is_array && !stm.certs.is_empty()).then_some(*value)
    }

    /// Moves a check and what it needs up as far as that goes.
    fn raise(&self, body: &mut Body, bound: &mut FxHashMap<Var, usize>, cert: Var) {
        let Some(check) = bound.get(&cert).copied() else { return };
        if !matches!(body.stms[check].exp, Exp::Assert(..)) {
            return;
        }
        let mut lowest = check.saturating_sub(MAX_DISTANCE);
        let mut moved = FxHashSet::from_iter([check]);
        let mut open = vec![check];
        while let Some(index) = open.pop() {
            for var in free::free_in_stm(&body.stms[index], self.vars) {
                let Some(at) = bound.get(&var).copied() else { continue };
                if at < lowest || moved.contains(&at) {
                    continue;
                }
                if body.stms[at].exp.family() == Family::Scalar {
                    moved.insert(at);
                    open.push(at);
                } else {
                    lowest = at + 1;
                }
            }
        }
        let mut checks = (lowest..check).filter(|at| matches!(body.stms[*at].exp, Exp::Assert(..)));
        lowest = checks.next_back().map_or(lowest, |at| at + 1);
        let range = &mut body.stms[lowest..=check];
        let taken: Vec<Stm> = range.to_vec();
        let is_moved = |at: &usize| moved.contains(&(lowest + at));
        let (up, down): (Vec<usize>, Vec<usize>) = (0..taken.len()).partition(is_moved);
        for (place, from) in up.into_iter().chain(down).enumerate() {
            range[place] = taken[from].clone();
            bound.extend(range[place].pat.iter().map(|var| (*var, lowest + place)));
        }
    }
}
