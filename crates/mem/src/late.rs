//! Updates come after the last read of what they store.
//!
//! ```text
//! let v = map ...                                    let v = map ...
//! let ys = update xs[i] = v                 ==>      let s = reduce ... v
//! let s = reduce ... v                               let ys = update xs[i] = v
//! ```
//!
//! An array is made where an update stores it (see [`crate::short_circuit`]) only if nothing reads it afterwards,
//! because the other array may change. Derivatives keep what each iteration of a loop computes in this way, and go on
//! to compute with it. An update moves over statements that have nothing to do with the array that it changes, and that
//! only read the one that it stores.

use fehu_base::IdVec;
use fehu_facts::{Share, consumed};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{Atom, Body, Exp, Prog, Stm, Var, VarInfo, free};
use rustc_hash::FxHashSet;

/// An update moves over no more statements than this.
const MAX_DISTANCE: usize = 200;

/// Moves updates in the body of a function or constant and all bodies in it.
pub(crate) fn late(prog: &Prog, body: &mut Body, vars: &IdVec<Var, VarInfo>, share: &Share) {
    Late { prog, vars, share }.body(body);
}

struct Late<'a> {
    prog: &'a Prog,
    vars: &'a IdVec<Var, VarInfo>,
    share: &'a Share,
}

impl VisitMut for Late<'_> {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        if !body.stms.iter().any(|stm| self.update(stm).is_some()) {
            return;
        }
        let mut mentioned: Vec<FxHashSet<usize>> =
            body.stms.iter().map(|stm| self.classes(stm)).collect();
        for index in (0..body.stms.len()).rev() {
            if let Some(last) = self.last_read(body, &mentioned, index) {
                body.stms[index..=last].rotate_left(1);
                mentioned[index..=last].rotate_left(1);
            }
        }
    }
}

impl Late<'_> {
    /// The classes of the arrays that a statement mentions.
    fn classes(&self, stm: &Stm) -> FxHashSet<usize> {
        let mentioned = free::free_in_stm(stm, self.vars);
        mentioned.iter().filter_map(|var| self.share.class(*var)).collect()
    }

    /// The last statement that reads what an update stores, if that comes after the update and the update can come after it.
    fn last_read(
        &self,
        body: &Body,
        mentioned: &[FxHashSet<usize>],
        index: usize,
    ) -> Option<usize> {
        let (array, value) = self.update(&body.stms[index])?;
        let (array, value) = (self.share.class(array)?, self.share.class(value)?);
        let is_value = |var: &Var| self.share.class(*var) == Some(value);
        let last = mentioned.iter().rposition(|classes| classes.contains(&value))?;
        let over = index + 1..=last;
        let is_result = body.results.iter().filter_map(|atom| atom.var()).any(|var| is_value(&var));
        let is_made_here = || body.stms[..index].iter().any(|stm| stm.pat.iter().any(is_value));
        let is_free = |at: usize| {
            let consumed = consumed(self.prog, &body.stms[at]);
            !mentioned[at].contains(&array) && !consumed.iter().any(is_value)
        };
        let can_move = last > index
            && last - index <= MAX_DISTANCE
            && array != value
            && !is_result
            && is_made_here()
            && over.into_iter().all(is_free);
        can_move.then_some(last)
    }

    /// The array that a statement changes, and the one that it stores there.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others store nothing")]
    fn update(&self, stm: &Stm) -> Option<(Var, Var)> {
        match &stm.exp {
            Exp::Update(array, _, Atom::Var(value)) if self.vars[*value].ty.is_array() => {
                Some((*array, *value))
            }
            Exp::FlatUpdate(array, _, _, value) => Some((*array, *value)),
            _ => None,
        }
    }
}
