//! `uncopy`: what is only read is not copied, if the original does not change in the meantime.
//!
//! ```text
//! let c = copy x                         let s = reduce ... x
//! let s = reduce ... c            ==>    let y = update x[0] = s
//! let y = update x[0] = s
//! ```
//!
//! Before this stage, arrays are values, and passes ask whether an array changes at all ([`Share`]), not when: then
//! statements may move. Here they do not move any more. The copy must not change, nor be a result of the body that
//! makes it; and between the copy and the last statement that mentions it, or something that may share its memory, no
//! statement may change what shares memory with the original.

use fehu_base::IdVec;
use fehu_facts::{Share, consumed};
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{Atom, Body, Exp, Prog, Stm, Var, VarInfo, free};

/// At most this many statements between a copy and its last use are considered.
const MAX_DISTANCE: usize = 500;

/// Removes copies from all bodies of a program.
pub fn uncopy(prog: &mut Prog) {
    prog.for_each_body(|prog, vars, body| {
        let share = Share::of(prog, body, vars);
        let mut look = Uncopy { prog, vars, share, gone: Subst::default() };
        look.body(body);
        subst_body(body, vars, &look.gone);
    });
}

struct Uncopy<'a> {
    prog: &'a Prog,
    vars: &'a IdVec<Var, VarInfo>,
    share: Share,
    /// What is read instead of copies.
    gone: Subst,
}

impl VisitMut for Uncopy<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut index = 0;
        while index < body.stms.len() {
            match self.original(body, index) {
                Some((copy, original)) => {
                    self.gone.insert(copy, Atom::Var(original));
                    self.share.join(copy, original);
                    body.stms.remove(index);
                }
                None => index += 1,
            }
        }
        walk_body_mut(self, body);
    }
}

impl Uncopy<'_> {
    /// The copy that a statement makes, and what can be read instead.
    fn original(&self, body: &Body, index: usize) -> Option<(Var, Var)> {
        let stm = &body.stms[index];
        let (Exp::Copy(source), [copy]) = (&stm.exp, stm.pat.as_slice()) else { return None };
        let source = match self.gone.get(source) {
            Some(other) => other.var()?,
            None => *source,
        };
        if self.vars[source].ty != self.vars[*copy].ty || !stm.certs.is_empty() {
            return None;
        }
        let is_copy = |var: &Var| self.share.may_share(*var, *copy);
        let mut results = body.results.iter().filter_map(|atom| atom.var());
        if !self.share.is_fixed(*copy) || results.any(|var| is_copy(&var)) {
            return None;
        }
        let rest = &body.stms[index + 1..];
        let used = |stm: &Stm| free::free_in_stm(stm, self.vars).iter().any(is_copy);
        let last = rest.iter().rposition(used)?;
        let is_original = |var: &Var| self.share.may_share(*var, source);
        let changes = |stm: &Stm| consumed(self.prog, stm).iter().any(is_original);
        (last < MAX_DISTANCE && !rest[..=last].iter().any(changes)).then_some((*copy, source))
    }
}
