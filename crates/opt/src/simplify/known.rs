//! Constants of the program that turned out to be numbers are put where they are referred to.
//!
//! Such a constant was worth a computation before it was simplified; now the number is worth less than the reference, and
//! operators whose functions mention it need nothing from outside any more.

use fehu_base::IdVec;
use fehu_ir::visit::{VisitMut, walk_stm_mut};
use fehu_ir::{Atom, Body, Const, ConstId, Exp, Stm};

/// The number that a constant is, if it is one.
pub(super) fn number(item: &Const) -> Option<Atom> {
    match item.body.results.as_slice() {
        [atom @ Atom::Const(_)] if item.body.stms.is_empty() => Some(*atom),
        _ => None,
    }
}

/// Puts numbers in place of references to the constants that are known.
pub(super) fn replace(known: &IdVec<ConstId, Option<Atom>>, body: &mut Body) {
    if known.iter().any(|(_, atom)| atom.is_some()) {
        Replace(known).body(body);
    }
}

struct Replace<'a>(&'a IdVec<ConstId, Option<Atom>>);

impl VisitMut for Replace<'_> {
    fn stm(&mut self, stm: &mut Stm) {
        if let Exp::Const(id) = stm.exp
            && let Some(Some(atom)) = self.0.get(id)
        {
            stm.exp = Exp::Atom(*atom);
        }
        walk_stm_mut(self, stm);
    }
}
