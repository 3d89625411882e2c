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
//! An array can be made where an update stores it (see [`crate::short_circuit`]) only if there is such a place, which
//! nobody knows before the check of the index, and only if the place can be computed. Likewise, an operand of a
//! concatenation is made in the result only if all sizes are known. Scalars move up with those that they need, elements
//! of arrays included: these are read before a statement only if it does not change the array. A check does not move
//! beyond another check: which of several fails first is something that users see. Elements do not move beyond anything
//! that can fail or print: that they exist may rest on it.

use fehu_base::IdVec;
use fehu_facts::{Effects, Share, consumed};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{Atom, Body, Exp, Family, Prog, Stm, Type, Var, VarInfo, free};
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement moves over no more statements than this.
const MAX_DISTANCE: usize = 200;

/// Moves checks and scalars in a body and all bodies in it.
pub(crate) fn early(
    prog: &Prog,
    effects: &Effects,
    body: &mut Body,
    vars: &IdVec<Var, VarInfo>,
    share: &Share,
) {
    Early { prog, effects, vars, share }.body(body);
}

struct Early<'a> {
    prog: &'a Prog,
    effects: &'a Effects,
    vars: &'a IdVec<Var, VarInfo>,
    share: &'a Share,
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

    /// The arrays that a statement reads elements of, if it can move: a check, or one that makes scalars of others and
    /// of elements.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are more than scalars")]
    fn reads(&self, stm: &Stm) -> Option<Vec<Var>> {
        let is_scalar = |var: &Var| matches!(self.vars[*var].ty, Type::Scalar(_));
        match &stm.exp {
            Exp::Assert(..) => Some(Vec::new()),
            Exp::Index(array, _) if stm.pat.iter().all(is_scalar) => Some(vec![*array]),
            Exp::If(_, bodies) if stm.pat.iter().all(is_scalar) => {
                let mut found = Vec::new();
                for stm in bodies.iter().flat_map(|body| &body.stms) {
                    if matches!(stm.exp, Exp::Assert(..)) {
                        return None;
                    }
                    found.extend(self.reads(stm)?);
                }
                Some(found)
            }
            exp => (exp.family() == Family::Scalar).then(Vec::new),
        }
    }

    /// Moves a check or scalar and what it needs up as far as that goes.
    fn raise(&self, body: &mut Body, bound: &mut FxHashMap<Var, usize>, var: Var) {
        let Some(from) = bound.get(&var).copied() else { return };
        let Some(mut reads) = self.reads(&body.stms[from]) else { return };
        let mut lowest = from.saturating_sub(MAX_DISTANCE);
        let mut moved = FxHashSet::from_iter([from]);
        let mut open = vec![from];
        while let Some(index) = open.pop() {
            for var in free::free_in_stm(&body.stms[index], self.vars) {
                let Some(at) = bound.get(&var).copied() else { continue };
                if at < lowest || moved.contains(&at) {
                    continue;
                }
                match self.reads(&body.stms[at]) {
                    Some(more) => {
                        reads.extend(more);
                        moved.insert(at);
                        open.push(at);
                    }
                    None => lowest = at + 1,
                }
            }
        }
        let is_check = |at: &usize| matches!(body.stms[*at].exp, Exp::Assert(..));
        if !reads.is_empty() || moved.iter().any(is_check) {
            let changes = |stm: &Stm| {
                let changed = consumed(self.prog, stm);
                changed.iter().any(|var| reads.iter().any(|read| self.share.may_share(*var, *read)))
            };
            let may_fail = |stm: &Stm| !reads.is_empty() && self.effects.exp(&stm.exp);
            let stays = |at: &usize| {
                let stm = &body.stms[*at];
                !moved.contains(at) && (is_check(at) || may_fail(stm) || changes(stm))
            };
            lowest = (lowest..from).rfind(stays).map_or(lowest, |at| at + 1);
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
