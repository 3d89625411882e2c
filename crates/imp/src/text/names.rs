//! Numbering of variables in the order of their declarations.

use crate::visit::{Item, each_stm};
use crate::{Block, Fun, Prim, Program, Ty, V, VarInfo};
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::text::sanitise;
use rustc_hash::FxHashMap;

/// The same program with the variables of each function numbered in the order of their declarations: parameters,
/// results, then the body in the order of its text. Variables that do not occur are dropped, and hints are made such
/// that they can be written.
pub fn renumber(program: &Program) -> Program {
    let mut program = program.clone();
    program.funs.values_mut().for_each(renumber_fun);
    program
}

/// Numbers the variables of one function.
pub fn renumber_fun(fun: &mut Fun) {
    let order = order(fun);
    let new: FxHashMap<V, V> =
        order.iter().enumerate().map(|(number, old)| (*old, V::from_index(number))).collect();
    let mut table = IdVec::new();
    for old in &order {
        table.push(VarInfo { hint: hint(fun, *old), ty: ty(fun, *old) });
    }
    fun.vars = table;
    let of = |v: &mut V| *v = new.get(v).copied().unwrap_or(*v);
    fun.params.iter_mut().chain(&mut fun.results).for_each(of);
    rename(&mut fun.body, &new);
}

/// The variables of a function in the order in which they are numbered.
pub(super) fn order(fun: &Fun) -> Vec<V> {
    let mut order: Vec<V> = Vec::new();
    let mut seen: FxHashMap<V, ()> = FxHashMap::default();
    let mut note = |v: V| {
        if seen.insert(v, ()).is_none() {
            order.push(v);
        }
    };
    fun.params.iter().chain(&fun.results).for_each(|v| note(*v));
    each_stm(&fun.body, &mut |stm| stm.each_declared(&mut note));
    // What is used without being declared is wrong, but can be printed.
    each_stm(&fun.body, &mut |stm| {
        stm.each_used(&mut note);
        stm.each_set(&mut note);
    });
    order
}

/// The hint of a variable as it can be written.
pub(super) fn hint(fun: &Fun, v: V) -> ecow::EcoString {
    sanitise(fun.vars.get(v).map_or("", |info| &info.hint), "v")
}

fn ty(fun: &Fun, v: V) -> Ty {
    fun.vars.get(v).map_or(Ty::Scalar(Prim::I64), |info| info.ty)
}

/// Other variables in the same expressions; a substitution would change their form.
fn rename(block: &mut Block, new: &FxHashMap<V, V>) {
    let of = |v: &mut V| *v = new.get(v).copied().unwrap_or(*v);
    for stm in block {
        stm.each_item_mut(&mut |item| match item {
            Item::Block(inner) => rename(inner, new),
            Item::Exp(e) => e.each_var_mut(&mut |v| of(v)),
            Item::Use(v) | Item::Set(v) | Item::Update(v) | Item::Declare(v) => of(v),
        });
    }
}
