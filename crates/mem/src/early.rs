//! What says where arrays are stored comes before these arrays: the checks of updates, and scalars.
//!
//! ```text
//! let v = map ...                           let c = i < n
//! let c = i < n                             let cert = assert c
//! let cert = assert c                ==>    let j = add i 1
//! let j = add i 1                           let v = map ...
//! #[cert cert] let r = update xs[j] = v     #[cert cert] let r = update xs[j] = v
//! ```
//!
//! An array can be made where an update stores it (see [`crate::short_circuit`]) only if there is such a place, which nobody knows before the
//! check of the index, and only if the place can be computed. Likewise, an operand of a concatenation is made in the
//! result only if all sizes are known. Scalars move up with those that they need. A check does not move beyond another
//! check: which of several fails first is something that users see.

use fehu_base::IdVec;
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{Atom, Body, Exp, Family, Stm, Type, Var, VarInfo, free};
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement moves over no more statements than this.
const MAX_DISTANCE: usize = 200;

/// Moves checks and scalars in a body and all bodies in it.
pub(crate) fn early(body: &mut Body, vars: &IdVec<Var, VarInfo>) {
    Early { vars }.body(body);
}

struct Early<'a> {
    vars: &'a IdVec<Var, VarInfo>,
}

impl VisitMut for Early<'_> {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        if !body.stms.iter().any(|stm| !self.stored(stm).is_empty()) {
            return;
        }
        let mut bound: FxHashMap<Var, usize> = FxHashMap::default();
        for (index, stm) in body.stms.iter().enumerate() {
            bound.extend(stm.pat.iter().map(|var| (*var, index)));
        }
        for index in 0..body.stms.len() {
            let stored = self.stored(&body.stms[index]);
            let made = stored.iter().filter_map(|value| bound.get(value)).min().copied();
            let Some(made) = made else { continue };
            let stm = &body.stms[index];
            let mut wanted = stm.certs.clone();
            // The sizes of what is made, too: of a concatenation.
            for var in &stm.pat {
                wanted.extend(self.vars[*var].ty.shape().iter().filter_map(|size| size.var()));
            }
            stm.exp.for_each_operand(&mut |atom| wanted.extend(atom.var()));
            for var in wanted {
                if bound.get(&var).is_some_and(|at| *at > made) {
                    self.raise(body, &mut bound, var);
                }
            }
        }
    }
}

impl Early<'_> {
    /// The arrays that a statement makes parts of another one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others store nothing")]
    fn stored(&self, stm: &Stm) -> Vec<Var> {
        let mut values = match &stm.exp {
            Exp::Update(_, _, Atom::Var(value)) | Exp::FlatUpdate(_, _, _, value) => vec![*value],
            Exp::Concat(_, values) => values.clone(),
            _ => Vec::new(),
        };
        values.retain(|value| matches!(self.vars[*value].ty, Type::Array(..)));
        values
    }

    /// Moves a check or scalar and what it needs up as far as that goes.
    fn raise(&self, body: &mut Body, bound: &mut FxHashMap<Var, usize>, var: Var) {
        let Some(from) = bound.get(&var).copied() else { return };
        let is_check = matches!(body.stms[from].exp, Exp::Assert(..));
        if !is_check && body.stms[from].exp.family() != Family::Scalar {
            return;
        }
        let mut lowest = from.saturating_sub(MAX_DISTANCE);
        let mut moved = FxHashSet::from_iter([from]);
        let mut open = vec![from];
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
        if is_check {
            let mut checks =
                (lowest..from).filter(|at| matches!(body.stms[*at].exp, Exp::Assert(..)));
            lowest = checks.next_back().map_or(lowest, |at| at + 1);
        }
        let mut up: Vec<Stm> = Vec::with_capacity(moved.len());
        let mut down: Vec<Stm> = Vec::with_capacity(from + 1 - lowest);
        for (place, stm) in body.stms.drain(lowest..=from).enumerate() {
            let list = if moved.contains(&(lowest + place)) { &mut up } else { &mut down };
            list.push(stm);
        }
        up.append(&mut down);
        for (place, stm) in up.iter().enumerate() {
            bound.extend(stm.pat.iter().map(|var| (*var, lowest + place)));
        }
        body.stms.splice(lowest..lowest, up);
    }
}
