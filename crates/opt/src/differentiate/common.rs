//! What the derivatives of a program have in common.

use super::once::Repeats;
use super::reuse::Known;
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_facts::Effects;
use fehu_ir::visit::{Visit, walk_exp, walk_lambda};
use fehu_ir::{Atom, ConstId, Exp, FunId, Lambda, Loc, Prog, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Forward,
    Reverse,
}

/// A derivative of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Derivative {
    pub(super) of: FunId,
    pub(super) mode: Mode,
    /// The parameters that have tangents, or whose adjoints are wanted.
    pub(super) active: Vec<bool>,
}

/// What is common to all derivatives of a program: the functions that stay functions in them, and what there is to tell.
#[derive(Default, Debug)]
pub(super) struct Common {
    /// Those of the program that call themselves, with the positions of parameters that they consume.
    recursive: FxHashMap<FunId, Vec<usize>>,
    /// How many functions the program has; the derivatives come after them.
    first: usize,
    wanted: RefCell<Vec<Derivative>>,
    /// Functions that are called by the functions of operators.
    parallel: FxHashSet<FunId>,
    /// Constants that can end the program.
    failing: FxHashSet<ConstId>,
    pub(super) notes: RefCell<Vec<Note>>,
    /// What is evaluated in both sweeps.
    pub(super) repeats: RefCell<Repeats>,
    pub(super) twice: RefCell<Known>,
}

/// What a derivative keeps or computes again.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) loc: Option<Loc>,
    pub(super) text: String,
}

impl Common {
    pub(super) fn new(prog: &Prog) -> Common {
        let mut callees: Vec<(FunId, Vec<FunId>)> = Vec::new();
        let mut parallel: FxHashSet<FunId> = FxHashSet::default();
        for (id, fun) in prog.funs.iter() {
            let mut find = Find::default();
            find.body(&fun.body);
            parallel.extend(&find.inside);
            callees.push((id, find.all));
        }
        // And what those call.
        loop {
            let before = parallel.len();
            let inside = callees.iter().filter(|(id, _)| parallel.contains(id));
            let more: Vec<FunId> = inside.flat_map(|(_, all)| all.iter().copied()).collect();
            parallel.extend(more);
            if parallel.len() == before {
                break;
            }
        }
        // Those that call something of the set and are called by something of it: what is left are the cycles, and the
        // ways between them.
        let mut recursive: FxHashSet<FunId> = prog.funs.iter().map(|(id, _)| id).collect();
        loop {
            let before = recursive.len();
            let in_set = |all: &[FunId]| all.iter().any(|callee| recursive.contains(callee));
            let left = callees.iter().filter(|(id, all)| recursive.contains(id) && in_set(all));
            let called: FxHashSet<FunId> = left.clone().flat_map(|(_, all)| all.clone()).collect();
            recursive = left.map(|(id, _)| *id).filter(|id| called.contains(id)).collect();
            if recursive.len() == before {
                break;
            }
        }
        let consumed = |id: FunId| {
            let params = prog.funs[id].params.iter().enumerate();
            params.filter(|(_, param)| param.consumed).map(|(index, _)| index).collect()
        };
        let recursive = recursive.into_iter().map(|id| (id, consumed(id))).collect();
        let effects = Effects::of(prog);
        let all = prog.consts.iter().map(|(id, _)| id);
        let failing = all.filter(|id| effects.constant(*id)).collect();
        Common { recursive, first: prog.funs.len(), parallel, failing, ..Common::default() }
    }

    /// Whether evaluating a constant can end the program.
    pub(super) fn can_fail(&self, id: ConstId) -> bool {
        self.failing.contains(&id)
    }

    /// Whether a function is executed by the host, and not in an operator.
    pub(super) fn is_host(&self, id: FunId) -> bool {
        !self.parallel.contains(&id)
    }

    /// The derivative that is made next, if there are so many functions.
    pub(super) fn wanted(&self, made: usize) -> Option<Derivative> {
        self.wanted.borrow().get(made - self.first).cloned()
    }

    /// Tells people something.
    pub(super) fn note(&self, loc: Option<Loc>, text: String) {
        self.notes.borrow_mut().push(Note { loc, text });
    }

    /// Whether a function stays a function.
    pub(super) fn stays(&self, id: FunId) -> bool {
        id.index() >= self.first || self.recursive.contains_key(&id)
    }

    /// Whether a function is a reverse derivative: what it yields is new, or what it consumed.
    pub(super) fn is_reverse(&self, id: FunId) -> bool {
        let made = id.index().checked_sub(self.first);
        made.is_some_and(|index| self.wanted.borrow()[index].mode == Mode::Reverse)
    }

    /// The arguments of a call that are consumed.
    pub(super) fn consumed(
        &self,
        id: FunId,
        args: &[Atom],
        vars: &IdVec<Var, VarInfo>,
    ) -> Vec<usize> {
        let Some(made) = id.index().checked_sub(self.first) else {
            return self.recursive.get(&id).cloned().unwrap_or_default();
        };
        let derivative = &self.wanted.borrow()[made];
        if derivative.mode == Mode::Forward {
            return Vec::new();
        }
        // The last ones are the adjoints of arrays.
        let is_array = |(arg, active): (&Atom, &bool)| {
            *active && arg.var().is_some_and(|var| vars[var].ty.is_array())
        };
        let count = args.iter().zip(&derivative.active).filter(|pair| is_array(*pair)).count();
        (args.len() - count..args.len()).collect()
    }

    /// The derivative of a function, which is made later.
    pub(super) fn derivative(&self, of: FunId, mode: Mode, active: Vec<bool>) -> FunId {
        let mut wanted = self.wanted.borrow_mut();
        let derivative = Derivative { of, mode, active };
        let found = wanted.iter().position(|known| *known == derivative);
        let index = found.unwrap_or_else(|| {
            wanted.push(derivative);
            wanted.len() - 1
        });
        FunId::from_index(self.first + index)
    }
}

/// The functions that a body calls, and those of them that are called by the functions of operators.
#[derive(Default)]
struct Find {
    all: Vec<FunId>,
    inside: Vec<FunId>,
    depth: usize,
}

impl Visit for Find {
    fn exp(&mut self, exp: &Exp) {
        if let Exp::Call(id, _) = exp {
            self.all.push(*id);
            if self.depth > 0 {
                self.inside.push(*id);
            }
        }
        walk_exp(self, exp);
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.depth += 1;
        walk_lambda(self, lambda);
        self.depth -= 1;
    }
}
