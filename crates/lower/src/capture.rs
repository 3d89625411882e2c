//! Functions made for closures: what they use from around them becomes parameters.
//!
//! While a program is built, a function made for a closure uses the variables of the functions around
//! it, in one numbering ([`crate::build::Building`]), and calls of it have only the arguments of the
//! source. When all is built, [`close`] adds what it captures, and what the functions that it calls
//! capture, to its parameters and to the arguments of all calls.

use fehu_base::{IdVec, OrBug};
use fehu_ir::visit::{Visit, VisitMut, walk_exp, walk_exp_mut, walk_type};
use fehu_ir::{Atom, Body, Exp, FunId, Param, Prog, Type, Var, VarInfo};
use rustc_hash::FxHashMap;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What a function uses from around it.
#[derive(Clone)]
pub(crate) struct Captured {
    /// The first variable of its own.
    pub(crate) first: u32,
    /// The variables from outside, with what tells them from others.
    pub(crate) vars: BTreeMap<Var, (VarInfo, u64)>,
}

impl Captured {
    /// Whether an accumulator is among them; these cannot be passed to functions.
    pub(crate) fn has_acc(&self) -> bool {
        self.vars.values().any(|(info, _)| matches!(info.ty, Type::Acc(_)))
    }
}

/// What a finished function captures. `info` tells about variables from outside.
pub(crate) fn find(
    first: u32,
    body: &Body,
    vars: &IdVec<Var, VarInfo>,
    info: impl Fn(Var) -> (VarInfo, u64),
) -> Captured {
    let mut outer = Outer { first, found: BTreeSet::new() };
    outer.body(body);
    for (_, known) in vars.iter() {
        walk_type(&mut outer, &known.ty);
    }
    let mut captured = BTreeMap::new();
    // The sizes of what is captured are captured, too.
    while let Some(var) = outer.found.pop_last() {
        if let Entry::Vacant(place) = captured.entry(var) {
            let info = info(var);
            walk_type(&mut outer, &info.0.ty);
            place.insert(info);
        }
    }
    Captured { first, vars: captured }
}

struct Outer {
    first: u32,
    found: BTreeSet<Var>,
}

impl Visit for Outer {
    fn use_var(&mut self, var: &Var) {
        if var.0 < self.first {
            self.found.insert(*var);
        }
    }
}

/// Makes what functions capture parameters of theirs, and arguments of calls of them.
pub(crate) fn close(prog: &mut Prog, mut captured: BTreeMap<FunId, Captured>) {
    if captured.is_empty() {
        return;
    }
    spread(prog, &mut captured);
    for index in 0..prog.consts.len() {
        let id = fehu_ir::ConstId(index as u32);
        Closer::new(&captured, None, 0).body(&mut prog.consts[id].body);
    }
    for index in 0..prog.funs.len() {
        let id = FunId(index as u32);
        let fun = &mut prog.funs[id];
        let own = captured.get(&id);
        let mut closer = Closer::new(&captured, own, fun.vars.len() as u32);
        closer.body(&mut fun.body);
        let Some(own) = own else { continue };
        for param in &mut fun.params {
            closer.use_var(&mut param.var);
        }
        for result in &mut fun.results {
            closer.use_var(result);
        }
        for (info, _) in own.vars.values() {
            let var = fun.vars.push(info.clone());
            fun.params.push(Param { var, consumed: false });
        }
        for index in 0..fun.vars.len() {
            closer.ty(&mut fun.vars[Var(index as u32)].ty);
        }
    }
}

/// Adds to what each function captures what the functions that it calls capture.
fn spread(prog: &Prog, captured: &mut BTreeMap<FunId, Captured>) {
    let mut callers: BTreeMap<FunId, Vec<FunId>> = BTreeMap::new();
    for id in captured.keys() {
        let mut calls = Calls(BTreeSet::new());
        calls.body(&prog.funs[*id].body);
        for callee in calls.0 {
            callers.entry(callee).or_default().push(*id);
        }
    }
    let mut todo: Vec<FunId> = captured.keys().copied().collect();
    while let Some(callee) = todo.pop() {
        let passed = captured[&callee].vars.clone();
        for caller in callers.get(&callee).into_iter().flatten() {
            let outer = captured.get_mut(caller).or_bug("function that calls");
            let before = outer.vars.len();
            for (var, info) in &passed {
                if var.0 < outer.first {
                    outer.vars.entry(*var).or_insert_with(|| info.clone());
                }
            }
            if outer.vars.len() > before {
                todo.push(*caller);
            }
        }
    }
}

struct Calls(BTreeSet<FunId>);

impl Visit for Calls {
    fn exp(&mut self, exp: &Exp) {
        if let Exp::Call(fun, _) = exp {
            self.0.insert(*fun);
        }
        walk_exp(self, exp);
    }
}

/// Renumbers the variables of a function, and completes its calls.
struct Closer<'c> {
    captured: &'c BTreeMap<FunId, Captured>,
    /// The first variable of the function's own.
    first: u32,
    /// The new variables for those from outside.
    outer: FxHashMap<Var, Var>,
}

impl<'c> Closer<'c> {
    /// For a function with `count` variables of its own.
    fn new(
        captured: &'c BTreeMap<FunId, Captured>,
        own: Option<&Captured>,
        count: u32,
    ) -> Closer<'c> {
        let vars = own.into_iter().flat_map(|own| own.vars.keys());
        let outer = vars.zip(count..).map(|(var, new)| (*var, Var(new))).collect();
        Closer { captured, first: own.map_or(0, |own| own.first), outer }
    }

    fn renumber(&self, var: Var) -> Var {
        match self.outer.get(&var) {
            Some(new) => *new,
            None => Var(var.0 - self.first),
        }
    }
}

impl VisitMut for Closer<'_> {
    fn use_var(&mut self, var: &mut Var) {
        *var = self.renumber(*var);
    }

    fn bind(&mut self, var: &mut Var) {
        *var = self.renumber(*var);
    }

    fn exp(&mut self, exp: &mut Exp) {
        walk_exp_mut(self, exp);
        if let Exp::Call(fun, args) = exp
            && let Some(callee) = self.captured.get(fun)
        {
            args.extend(callee.vars.keys().map(|var| Atom::Var(self.renumber(*var))));
        }
    }
}
