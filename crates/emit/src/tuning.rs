//! Tuning parameters: numbers that users may set to replace the program's defaults.

use super::Emit;
use ecow::EcoString;
use fehu_base::{Prim, bug};
use fehu_imp::{Stm, Tuning};
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Atom, Body, ConstId, Exp, FunId, Prog, Var};
use rustc_hash::FxHashSet;

/// The parameters of a program, in the order of their names.
pub(super) fn parameters(prog: &Prog) -> Vec<Tuning> {
    let mut all: Vec<Tuning> = Vec::new();
    for entry in &prog.entries {
        let steps = prog.streams.iter().filter(|streaming| streaming.entry == entry.name);
        let funs = std::iter::once(entry.fun).chain(steps.flat_map(|steps| steps.funs()));
        for name in funs.flat_map(|fun| Reach::from(prog, &prog.funs[fun].body)) {
            match all.iter_mut().find(|param| param.name == name) {
                Some(param) if param.entries.contains(&entry.name) => {}
                Some(param) => param.entries.push(entry.name.clone()),
                None => all.push(Tuning { name, entries: vec![entry.name.clone()] }),
            }
        }
    }
    // Constants are computed whether an entry point needs them or not.
    for (_, constant) in prog.consts.iter() {
        for name in Reach::from(prog, &constant.body) {
            if all.iter().all(|param| param.name != name) {
                all.push(Tuning { name, entries: Vec::new() });
            }
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// The parameters that a body depends on, also by the functions and constants that it uses.
struct Reach {
    names: Vec<EcoString>,
    funs: Vec<FunId>,
    consts: Vec<ConstId>,
}

impl Reach {
    fn from(prog: &Prog, body: &Body) -> Vec<EcoString> {
        let mut reach = Reach { names: Vec::new(), funs: Vec::new(), consts: Vec::new() };
        let (mut funs, mut consts) = (FxHashSet::default(), FxHashSet::default());
        reach.body(body);
        loop {
            if let Some(fun) = reach.funs.pop() {
                if funs.insert(fun) {
                    reach.body(&prog.funs[fun].body);
                }
            } else if let Some(id) = reach.consts.pop() {
                if consts.insert(id) {
                    reach.body(&prog.consts[id].body);
                }
            } else {
                return reach.names;
            }
        }
    }
}

impl Visit for Reach {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others refer to nothing")]
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Tuning(name, _) if !self.names.contains(name) => self.names.push(name.clone()),
            Exp::Call(fun, _) => self.funs.push(*fun),
            Exp::Const(id) => self.consts.push(*id),
            _ => {}
        }
        walk_exp(self, exp);
    }
}

impl Emit<'_> {
    pub(super) fn tuning(&mut self, pat: &[Var], name: &EcoString, standard: Atom) {
        let standard = self.atom(standard);
        let [var] = pat else { bug("a tuning parameter is one number") };
        // A parameter that no entry point reaches is in code that is never executed.
        let Some(number) = self.tuning.get(name).copied() else { return self.bind(*var, standard) };
        let v = self.declare(&self.ir[*var].hint.clone(), Prim::I64, None);
        self.out.push(Stm::Tuning(v, number, standard));
        self.scalars.insert(*var, fehu_imp::Exp::Var(v));
    }
}
