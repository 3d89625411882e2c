//! Makes a program smaller as long as it still shows a fault.
//!
//! The fault is a question that the caller answers for each candidate. Candidates are valid programs with less in
//! them: parts are removed, branches taken, operands replaced by constants. Whatever is not valid is never asked
//! about, so the edits need not be careful, only plentiful.
//!
//! - `stm`: edits of one statement; `whole`: edits of functions, constants and entry points.

mod stm;
mod whole;

use fehu_ir::text::renumber;
use fehu_ir::verify::verify;
use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{Atom, Exp, Prog, Stm, Var};

/// Reduces a program for which the answer is yes. At most `budget` questions are asked.
pub fn reduce(prog: &Prog, budget: usize, fails: &mut dyn FnMut(&Prog) -> bool) -> Prog {
    let best = renumber(prog);
    let mut reducer = Reducer { weight: weight(&best), best, budget, fails };
    loop {
        let before = reducer.weight;
        for edit in whole::EDITS {
            reducer.each(edit);
        }
        for len in [64, 16, 4, 1] {
            reducer.each(|prog, at| stm::edit(prog, at, &stm::Edit::Default(len)));
        }
        for edit in stm::EDITS {
            reducer.each(|prog, at| stm::edit(prog, at, edit));
        }
        if reducer.weight == before || reducer.budget == 0 {
            return reducer.best;
        }
    }
}

/// What became of an edit at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edited {
    /// Something was changed.
    Yes,
    /// There is nothing for it there.
    No,
    /// There is no such place.
    End,
}

struct Reducer<'a> {
    best: Prog,
    weight: usize,
    budget: usize,
    fails: &'a mut dyn FnMut(&Prog) -> bool,
}

impl Reducer<'_> {
    /// Tries an edit at each place in turn, from the last to the first: what is removed is then no longer used.
    fn each(&mut self, edit: impl Fn(&mut Prog, usize) -> Edited) {
        let mut end = 0;
        while edit(&mut self.best.clone(), end) != Edited::End {
            end += 1;
        }
        for at in (0..end).rev() {
            // Several edits may be possible at one place, one after the other.
            loop {
                if self.budget == 0 {
                    return;
                }
                let mut candidate = self.best.clone();
                if edit(&mut candidate, at) != Edited::Yes || !self.attempt(candidate) {
                    break;
                }
            }
        }
    }

    fn attempt(&mut self, candidate: Prog) -> bool {
        let weight = weight(&candidate);
        if weight >= self.weight || verify(&candidate).is_err() {
            return false;
        }
        self.budget -= 1;
        let candidate = renumber(&candidate);
        if !(self.fails)(&candidate) {
            return false;
        }
        (self.best, self.weight) = (candidate, weight);
        true
    }
}

/// How much there is in a program. Every edit that is accepted makes it less, so reduction ends.
fn weight(prog: &Prog) -> usize {
    let mut scale = Scale(0);
    for (_, item) in prog.consts.iter() {
        scale.0 += 20 + 5 * item.results.len();
        scale.body(&item.body);
    }
    for (_, fun) in prog.funs.iter() {
        scale.0 += 20 + 5 * (fun.results.len() + fun.params.len()) + fun.attrs.len();
        scale.body(&fun.body);
    }
    scale.0 + 10 * prog.entries.len()
}

struct Scale(usize);

impl Visit for Scale {
    fn use_atom(&mut self, atom: &Atom) {
        self.0 += match atom {
            Atom::Const(scalar) if scalar.bits() <= 1 => 1,
            Atom::Const(_) => 2,
            Atom::Var(_) => 3,
        };
    }

    fn use_var(&mut self, _: &Var) {
        self.0 += 3;
    }

    fn bind(&mut self, _: &Var) {
        self.0 += 2;
    }

    fn stm(&mut self, stm: &Stm) {
        let plain = matches!(stm.exp, Exp::Atom(_) | Exp::Replicate(..));
        self.0 += if plain { 10 } else { 20 };
        self.0 += stm.attrs.len() + usize::from(stm.loc.is_some());
        if let Exp::Assert(_, check) | Exp::Fail(check) = &stm.exp {
            self.0 += check.parts.len() + check.trace.len();
        }
        walk_stm(self, stm);
    }
}
