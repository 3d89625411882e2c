//! What operators of the host do, for profiles: [`Stm::Begin`] before them, with the bytes and operations of each line
//! of the source that is part of them, and [`Stm::End`] after them.
//!
//! - *operators* do the work: maps, reductions, copies, loops of scalars. Their time is shared by the lines of their
//!   code ([`tally`]).
//! - *frames* contain operators: calls, and loops around operators. They have no parts.
//!
//! For a device only what becomes kernels is marked, so that work of the host can still be left to the device, and amounts are in
//! terms of sizes, which the host needs in any case: it fetches nothing for the sake of a profile.

mod tally;

use super::Emit;
use ecow::EcoString;
use fehu_imp::{Share, Stm, Work};
use fehu_ir::{self as ir, Atom, Body, Exp, Type, Var};
use rustc_hash::FxHashSet;

/// What a profile makes of a statement.
enum Marked {
    Operator(&'static str),
    Frame(EcoString),
}

impl<'a> Emit<'a> {
    /// A statement, marked for profiles where that makes sense.
    pub(super) fn profiled(&mut self, stm: &'a ir::Stm, emit: impl FnOnce(&mut Self)) {
        let marked = (self.marks && self.is_host()).then(|| self.marked(stm)).flatten();
        let Some(marked) = marked else { return emit(self) };
        let is_frame = matches!(marked, Marked::Frame(_));
        let place = stm.loc.as_ref().map_or(self.loc.clone(), |loc| loc.0.clone());
        let work = match marked {
            Marked::Frame(name) => Work { name, place, exact: true, parts: Vec::new() },
            Marked::Operator(name) => {
                let (parts, exact) = self.shares(stm, &place);
                Work { name: name.into(), place, exact, parts }
            }
        };
        self.out.push(Stm::Begin(Box::new(work)));
        // What is inside of an operator is its own.
        let marks = std::mem::replace(&mut self.marks, is_frame);
        emit(self);
        self.marks = marks;
        self.out.push(Stm::End);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others take no time")]
    fn marked(&self, stm: &ir::Stm) -> Option<Marked> {
        let launches = !self.options.device || has_segs(&stm.exp);
        match &stm.exp {
            Exp::Loop(_, _, body) if has_operators(body) => {
                (!self.options.device || body_has_segs(body)).then(|| Marked::Frame("loop".into()))
            }
            Exp::Loop(..) => launches.then_some(Marked::Operator("loop")),
            Exp::Call(fun, _) => {
                let callee = &self.placed.prog.funs[*fun];
                let name = &callee.name;
                Some(Marked::Frame(name.strip_prefix("entry_").unwrap_or(name).into()))
            }
            exp if exp.operator().is_some() => {
                launches.then(|| Marked::Operator(exp.operator().unwrap_or_default()))
            }
            Exp::Update(_, _, Atom::Var(value)) if self.ir[*value].ty.is_array() => {
                Some(Marked::Operator("update"))
            }
            exp => {
                let name = moves(exp)?;
                let is_stored = |var: &Var| {
                    matches!(self.ir[*var].ty, Type::Array(..)) && self.table.place(*var).is_some()
                };
                stm.pat.iter().any(is_stored).then_some(Marked::Operator(name))
            }
        }
    }

    /// What an operator does for each line.
    fn shares(&self, stm: &'a ir::Stm, place: &EcoString) -> (Vec<Share>, bool) {
        let known = match self.options.device {
            true => Some(self.array_sizes()),
            false => None,
        };
        let mut tally = tally::Tally::new(self, known, stm, place);
        tally.whole(stm);
        tally.shares()
    }

    /// The variables that are sizes of arrays.
    fn array_sizes(&self) -> FxHashSet<Var> {
        let shapes = self.ir.iter().flat_map(|(_, info)| info.ty.shape());
        shapes.filter_map(|size| size.var()).collect()
    }
}

/// What people call an operation that makes or changes an array without computing anything.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others move nothing")]
fn moves(exp: &Exp) -> Option<&'static str> {
    match exp {
        Exp::Replicate(..) | Exp::Iota(..) => Some("fill"),
        Exp::FlatUpdate(..) => Some("update"),
        Exp::Concat(..) => Some("concat"),
        Exp::Copy(_) | Exp::Manifest(_) => Some("copy"),
        _ => None,
    }
}

/// Whether there are operators in a body, or calls, which may have some.
fn has_operators(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = stm.exp.operator().is_some()
            || matches!(stm.exp, Exp::Call(..) | Exp::Concat(..) | Exp::Copy(_) | Exp::Manifest(_));
        stm.exp.for_each_body(&mut |body| found = found || has_operators(body));
        found
    })
}

fn body_has_segs(body: &Body) -> bool {
    body.stms.iter().any(|stm| has_segs(&stm.exp))
}

fn has_segs(exp: &Exp) -> bool {
    let mut found = matches!(exp, Exp::Seg(_));
    exp.for_each_body(&mut |body| found = found || body_has_segs(body));
    found
}
