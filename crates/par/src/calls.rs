//! Calls inside of operators: one thread executes the functions that are called there. Where such a function has Segs, there is
//! a copy of it without them, as it was before, so that calls from the host keep their parallelism.

use ecow::eco_format;
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::visit::{Visit, VisitMut, walk_exp, walk_exp_mut};
use fehu_ir::{Body, Exp, Fun, FunId, Prog};
use rustc_hash::FxHashMap;

/// Lets calls inside operators refer to copies of the functions, as they were in `before`.
pub(crate) fn separate_calls(prog: &mut Prog, before: &IdVec<FunId, Fun>) {
    let worth = containing(before, |exp| exp.operator().is_some());
    let mut calls = Calls {
        worth: &worth,
        next: prog.funs.len(),
        copies: FxHashMap::default(),
        work: Vec::new(),
        inside: false,
    };
    prog.for_each_body(|_, _, body| calls.body(body));
    calls.inside = true;
    while let Some(id) = calls.work.first().copied() {
        calls.work.remove(0);
        let mut fun = before[id].clone();
        fun.name = eco_format!("{}_sequential", fun.name);
        calls.body(&mut fun.body);
        prog.funs.push(fun);
    }
}

struct Calls<'a> {
    worth: &'a IdVec<FunId, bool>,
    next: usize,
    copies: FxHashMap<FunId, FunId>,
    /// The functions that are yet to be copied, in the order of their copies.
    work: Vec<FunId>,
    inside: bool,
}

impl VisitMut for Calls<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no functions")]
    fn exp(&mut self, exp: &mut Exp) {
        let was = self.inside;
        match exp {
            Exp::Call(id, _) if was && self.worth.get(*id).is_some_and(|worth| *worth) => {
                let copy = self.copies.entry(*id).or_insert_with(|| {
                    self.work.push(*id);
                    self.next += 1;
                    FunId::from_index(self.next - 1)
                });
                *id = *copy;
            }
            Exp::Screma(_) | Exp::Hist(_) | Exp::Scatter(_) => self.inside = true,
            Exp::Stream(_) | Exp::Partition(_) | Exp::Flatmap(_) | Exp::Diff(_) | Exp::Seg(_) => {
                self.inside = true
            }
            Exp::WithAcc(inputs, lambda) => {
                self.inside = true;
                for (op, _) in inputs.iter_mut().filter_map(|input| input.op.as_mut()) {
                    self.lambda(op);
                }
                self.inside = was;
                return self.lambda(lambda);
            }
            _ => {}
        }
        walk_exp_mut(self, exp);
        self.inside = was;
    }
}

/// The functions that contain such expressions, or call such functions.
pub(crate) fn containing(funs: &IdVec<FunId, Fun>, wanted: fn(&Exp) -> bool) -> IdVec<FunId, bool> {
    let mut found = IdVec::filled(false, funs.len());
    loop {
        let mut changed = false;
        for (id, fun) in funs.iter() {
            // What a foreign function does is not executed by our threads.
            if !found[id] && fun.foreign.is_none() {
                let mut look = Look { wanted, known: &found, found: false };
                look.body(&fun.body);
                if look.found {
                    found[id] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return found;
        }
    }
}

struct Look<'a> {
    wanted: fn(&Exp) -> bool,
    known: &'a IdVec<FunId, bool>,
    found: bool,
}

impl Visit for Look<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others say it themselves")]
    fn exp(&mut self, exp: &Exp) {
        self.found |= match exp {
            Exp::Call(id, _) => self.known.get(*id).is_some_and(|known| *known),
            _ => (self.wanted)(exp),
        };
        if !self.found {
            walk_exp(self, exp);
        }
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }
}
