//! `unview`: views do not cross calls. A function that is given a view gets the array and takes the view itself; one that
//! returns its result in another order returns it as it is, and the caller turns it round.
//!
//! ```text
//! let t = index a[0:n:1, j]               let r = call f' (m, j, n, a)
//! let r = call f (n, t)            ==>
//!                                         fun f' (m, j, n, a: [n][m]t) =
//! fun f (n, x: [n]t) = ...                  let x = index a[0:n:1, j]
//!                                           ...
//!
//! let r = call f (n, m, x)                let s = call f' (n, m, x)
//!                                         let r = rearrange (1, 0) s
//! fun f (n, m, x) =                ==>    fun f' (n, m, x) =
//!   let v = map ... x                       let v = map ... x
//!   let t = rearrange (1, 0) v              in v
//!   in t
//! ```
//!
//! Arrays are passed as pointers, so that a view with gaps, or in another order, would be copied first
//! ([`crate::assign`]). Which views these are is known before there is memory: those of an array in row-major order
//! whose LMAD is not contiguous. What a view needs (its array, sizes and indices) becomes further arguments, and the
//! call comes after the checks that guard the view.
//!
//! A function is made for each form of views that it is given, up to a few. Functions that call themselves stay as they
//! are: theirs would be views of views without an end. So do those that others have written. An argument that is
//! consumed is an array of its own.

use crate::assign::calls_itself;
use crate::lmad::{Lmad, Pick};
use crate::table::{contents, flat, pick, row_major};
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::subst::{Subst, subst_exp, subst_type};
use fehu_ir::visit::{VisitMut, walk_exp_mut};
use fehu_ir::{Atom, Body, Exp, Fun, FunId, Item, Param, Prog, Stm, Type, Var, VarInfo, free};
use rustc_hash::FxHashMap;

/// How many functions are made of one.
const MAX_VARIANTS: usize = 4;
/// How many views of views are looked at.
const MAX_VIEWS: usize = 8;

/// Removes views from the calls of a program.
pub fn unview(prog: &mut Prog) {
    let mut variants = Variants::default();
    let mut items: Vec<Item> = prog.items().collect();
    let mut next = 0;
    while let Some(item) = items.get(next).copied() {
        next += 1;
        let (mut vars, mut body) = (prog.vars(item).clone(), prog.body(item).clone());
        let before = prog.funs.len();
        let views = FxHashMap::default();
        let mut calls =
            Calls { prog, vars: &mut vars, variants: &mut variants, views, changed: false };
        calls.body(&mut body);
        if calls.changed {
            prog.change(item, |_, own_vars, own_body| (*own_vars, *own_body) = (vars, body));
            items
                .extend((before..prog.funs.len()).map(|index| Item::Fun(FunId::from_index(index))));
        }
    }
}

/// The functions that were made of others, as they were then.
#[derive(Default)]
struct Variants(FxHashMap<FunId, Vec<(Fun, FunId)>>);

impl Variants {
    /// The function that has become of another one, unless there are too many.
    fn get(&mut self, prog: &mut Prog, of: FunId, made: Fun) -> Option<FunId> {
        let known = self.0.entry(of).or_default();
        if let Some((_, id)) = known.iter().find(|(other, _)| *other == made) {
            return Some(*id);
        }
        if known.len() == MAX_VARIANTS {
            return None;
        }
        let id = prog.funs.push(made.clone());
        known.push((made, id));
        Some(id)
    }
}

/// Rewrites the calls of a function.
struct Calls<'a> {
    prog: &'a mut Prog,
    vars: &'a mut IdVec<Var, VarInfo>,
    variants: &'a mut Variants,
    /// The statements that make views, by what they bind.
    views: FxHashMap<Var, Stm>,
    changed: bool,
}

impl VisitMut for Calls<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            walk_exp_mut(self, &mut stm.exp);
            if let ([var], true) = (stm.pat.as_slice(), is_view(&stm.exp)) {
                self.views.insert(*var, stm.clone());
            }
            self.arguments(&mut stm);
            let after = self.results(&mut stm);
            stms.push(stm);
            stms.extend(after);
        }
        body.stms = stms;
    }
}

impl Calls<'_> {
    /// Another function is called, with arrays instead of views of them.
    fn arguments(&mut self, stm: &mut Stm) {
        let Exp::Call(id, args) = &mut stm.exp else { return };
        let is_view = |arg: &Atom| arg.var().is_some_and(|arg| self.views.contains_key(&arg));
        if !args.iter().any(is_view) || !can_change(self.prog, *id) {
            return;
        }
        let mut fun = self.prog.funs[*id].clone();
        let (mut new_args, mut certs) = (args.clone(), stm.certs.clone());
        let mut found = false;
        for param in self.prog.funs[*id].params.iter().filter(|param| !param.consumed) {
            found |= self.take(&mut fun, &mut new_args, param.var, &mut certs).is_some();
        }
        if found && let Some(variant) = self.variants.get(self.prog, *id, fun) {
            *id = variant;
            *args = new_args;
            stm.certs = certs;
            self.changed = true;
        }
    }

    /// A function takes the view that it is given for a parameter itself.
    fn take(
        &self,
        fun: &mut Fun,
        args: &mut Vec<Atom>,
        param: Var,
        certs: &mut Vec<Var>,
    ) -> Option<()> {
        let k = fun.params.iter().position(|other| other.var == param)?;
        let given = args[k].var()?;
        let views = self.views_with_gaps(given)?;
        let array = viewed(&views.first()?.exp)?;
        // What the function calls by names of its own, and what it must be told.
        let mut names = Subst::default();
        for (param, arg) in fun.params.iter().zip(&*args) {
            if let Atom::Var(arg) = arg {
                names.entry(*arg).or_insert(Atom::Var(param.var));
            }
        }
        names.remove(&array);
        let bound: Vec<Var> = views.iter().flat_map(|view| view.pat.iter().copied()).collect();
        let mut needed: Vec<Var> = Vec::new();
        for view in &views {
            needed.extend(free::free_in_stm(view, self.vars));
            needed.retain(|var| !view.certs.contains(var));
        }
        needed.extend(self.vars[array].ty.shape().iter().filter_map(|size| size.var()));
        needed.retain(|var| *var != array && !bound.contains(var));
        let mut more: Vec<(Var, Atom)> = Vec::new();
        let mut new = fun.vars.clone();
        for var in needed {
            if !matches!(self.vars[var].ty, Type::Scalar(_)) {
                return None;
            }
            names.entry(var).or_insert_with(|| {
                let told = new.push(VarInfo { hint: "x".into(), ty: self.vars[var].ty.clone() });
                more.push((told, Atom::Var(var)));
                Atom::Var(told)
            });
        }
        let named = |ty: &Type, names: &Subst| {
            let mut ty = ty.clone();
            subst_type(&mut ty, names);
            ty
        };
        if named(&self.vars[given].ty, &names) != fun.vars[param].ty {
            return None;
        }
        let ty = named(&self.vars[array].ty, &names);
        let whole = new.push(VarInfo { hint: "whole".into(), ty });
        names.insert(array, Atom::Var(whole));
        let mut stms = Vec::with_capacity(views.len());
        for view in &views {
            let [var] = view.pat[..] else { return None };
            let result = match var == given {
                true => param,
                false => {
                    let ty = named(&self.vars[var].ty, &names);
                    new.push(VarInfo { hint: "view".into(), ty })
                }
            };
            let mut exp = view.exp.clone();
            subst_exp(&mut exp, &mut new, &names);
            names.insert(var, Atom::Var(result));
            stms.push(Stm::new(vec![result], exp));
            certs.extend(&view.certs);
        }
        fun.vars = new;
        fun.params[k] = Param { var: whole, consumed: false };
        args[k] = Atom::Var(array);
        let told = more.iter().map(|(var, _)| Param { var: *var, consumed: false });
        fun.params.splice(0..0, told.collect::<Vec<_>>());
        args.splice(0..0, more.iter().map(|(_, arg)| *arg));
        fun.body.stms.splice(0..0, stms);
        certs.sort_unstable();
        certs.dedup();
        Some(())
    }

    /// The views that lead from an array that can be passed to one that cannot, the first first.
    fn views_with_gaps(&self, given: Var) -> Option<Vec<Stm>> {
        let mut views = Vec::new();
        let mut array = given;
        while let (Some(view), true) = (self.views.get(&array), views.len() < MAX_VIEWS) {
            array = viewed(&view.exp)?;
            views.push(view.clone());
        }
        views.reverse();
        contents(&self.vars[array].ty)?;
        let mut lmad = row_major(self.vars[array].ty.shape())?;
        let mut gaps = 0;
        for (index, view) in views.iter().enumerate() {
            lmad = seen(&view.exp, &lmad)?;
            if lmad.is_contiguous() {
                gaps = index + 1;
            }
        }
        let with_gaps = views.split_off(gaps);
        (!with_gaps.is_empty()).then_some(with_gaps)
    }

    /// Another function is called, which returns arrays in the order in which it has made them. What makes the results of them.
    fn results(&mut self, stm: &mut Stm) -> Vec<Stm> {
        let Exp::Call(id, _) = &mut stm.exp else { return Vec::new() };
        let callee = &self.prog.funs[*id];
        let orders: Vec<(usize, Var, Vec<usize>)> =
            (0..stm.pat.len()).filter_map(|k| returned_in_order(callee, k)).collect();
        if orders.is_empty() || !can_change(self.prog, *id) {
            return Vec::new();
        }
        let mut fun = callee.clone();
        for (k, made, order) in &orders {
            let declared = fun.results[*k];
            let ty = unordered(&fun.vars[declared].ty, order);
            fun.results[*k] = fun.vars.push(VarInfo { hint: fun.vars[declared].hint.clone(), ty });
            fun.body.results[*k] = Atom::Var(*made);
        }
        let Some(variant) = self.variants.get(self.prog, *id, fun) else { return Vec::new() };
        *id = variant;
        self.changed = true;
        let mut after = Vec::with_capacity(orders.len());
        for (k, _, order) in orders {
            let VarInfo { hint, ty } = self.vars[stm.pat[k]].clone();
            let made = self.vars.push(VarInfo { hint, ty: unordered(&ty, &order) });
            let result = std::mem::replace(&mut stm.pat[k], made);
            let view = Stm::new(vec![result], Exp::Rearrange(made, order));
            self.views.insert(result, view.clone());
            after.push(view);
        }
        after
    }
}

/// Whether there can be other functions like this one.
fn can_change(prog: &Prog, id: FunId) -> bool {
    prog.funs[id].foreign.is_none() && !calls_itself(prog, id)
}

fn is_view(exp: &Exp) -> bool {
    viewed(exp).is_some()
}

/// The array that something is a view of.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others are no views that an LMAD describes"
)]
fn viewed(exp: &Exp) -> Option<Var> {
    match exp {
        Exp::Index(array, _) | Exp::FlatIndex(array, ..) | Exp::Rearrange(array, _) => Some(*array),
        _ => None,
    }
}

/// The places of a view of an array at others.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others are no views that an LMAD describes"
)]
fn seen(exp: &Exp, array: &Lmad) -> Option<Lmad> {
    match exp {
        Exp::Index(_, dims) => array.slice(&dims.iter().map(pick).collect::<Vec<Pick>>()),
        Exp::FlatIndex(_, offset, dims) => array.flat_slice(&flat(*offset, dims)),
        Exp::Rearrange(_, order) => array.rearrange(order),
        _ => None,
    }
}

/// A result that a function only gives another order, with the array that has its own.
fn returned_in_order(fun: &Fun, k: usize) -> Option<(usize, Var, Vec<usize>)> {
    let result = fun.body.results.get(k)?.var()?;
    let stm = fun.body.stms.iter().find(|stm| stm.pat == [result])?;
    let Exp::Rearrange(array, order) = &stm.exp else { return None };
    contents(&fun.vars[*array].ty)?;
    let in_order = row_major(fun.vars[*array].ty.shape())?.rearrange(order)?;
    let declared = unordered(&fun.vars[*fun.results.get(k)?].ty, order);
    let is_same = declared == fun.vars[*array].ty && !in_order.is_contiguous();
    is_same.then(|| (k, *array, order.clone()))
}

/// The type of an array whose dimensions in an order are those of a type.
fn unordered(ty: &Type, order: &[usize]) -> Type {
    let mut ty = ty.clone();
    if let Type::Array(_, shape) = &mut ty {
        let sizes = shape.clone();
        for (size, dim) in sizes.iter().zip(order) {
            shape[*dim] = *size;
        }
    }
    ty
}
