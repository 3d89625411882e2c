//! Functions and what they return: an array of their own, or a parameter that they have changed.
//!
//! A result that is where a parameter is needs not be returned; the caller knows where it is. Callers must therefore come after
//! what they call. Functions that call each other in a circle return everything.

use crate::table::Table;
use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{Atom, Exp, FunId, Item, Prog, Stm, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// All functions and constants, each after the functions that it calls, unless they call each other.
pub(super) fn callees_first(prog: &Prog) -> Vec<Item> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    for item in prog.items() {
        add(prog, item, &mut seen, &mut order);
    }
    order
}

fn add(prog: &Prog, item: Item, seen: &mut FxHashSet<Item>, order: &mut Vec<Item>) {
    if seen.insert(item) {
        for fun in callees(prog, item) {
            add(prog, Item::Fun(fun), seen, order);
        }
        order.push(item);
    }
}

fn callees(prog: &Prog, item: Item) -> Vec<FunId> {
    let mut calls = Calls(Vec::new());
    calls.body(prog.body(item));
    calls.0
}

/// The functions that are called.
struct Calls(Vec<FunId>);

impl Visit for Calls {
    fn stm(&mut self, stm: &Stm) {
        if let Exp::Call(fun, _) = stm.exp {
            self.0.push(fun);
        }
        walk_stm(self, stm);
    }
}

/// For each result of a function that has a table, the parameter that it is. What is called from outside, or was
/// written by others, returns everything.
pub(super) fn returned_in_place(
    prog: &Prog,
    item: Item,
    tables: &FxHashMap<Item, Table>,
) -> Vec<Option<usize>> {
    let Item::Fun(id) = item else { return Vec::new() };
    let fun = &prog.funs[id];
    if prog.is_called_from_outside(id) || fun.foreign.is_some() || calls_itself(prog, id) {
        return vec![None; fun.results.len()];
    }
    let table = &tables[&item];
    let param = |(result, ty): (&Atom, &Var)| {
        let place = table.place(result.var()?)?;
        fun.params.iter().position(|param| {
            param.consumed
                && fun.vars[param.var].ty == fun.vars[*ty].ty
                && table.place(param.var) == Some(place)
        })
    };
    fun.body.results.iter().zip(&fun.results).map(param).collect()
}

/// Whether a function calls itself, by way of others.
pub(crate) fn calls_itself(prog: &Prog, id: FunId) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = callees(prog, Item::Fun(id));
    while let Some(fun) = open.pop() {
        if fun == id {
            return true;
        }
        if seen.insert(fun) {
            open.extend(callees(prog, Item::Fun(fun)));
        }
    }
    false
}
