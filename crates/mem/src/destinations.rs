//! `destinations`: a function whose result becomes a part of another array gets the memory for it.
//!
//! ```text
//! let r = call f (n, x)                   let d = scratch [n]
//! let b = update a[i] = r          ==>    let r = call f' (n, x, d)
//!                                         let b = update a[i] = r
//!
//! fun f (n, x: [n]t) =                    fun f' (n, x: [n]t, *d: [n]t) =
//!   let v = map ... x                       let v = map ... x
//!   in v                                    let w = update d[0:n:1] = v
//!                                           in w
//! ```
//!
//! The result of `f'` is its parameter `d`, changed in place ([`crate::table::Table::returned`]), and `d` is an array
//! that fills a block of its own: the caller makes it where it belongs, as any other, and the function makes `v` in
//! `d`. Nothing of this is new to [`crate::short_circuit`], which does both.
//!
//! That is done for results that are used once, in the body of the call, and become parts of an array there, perhaps
//! after changes in place; if the function makes them, so that no copy is added; and if their sizes are those of
//! arguments, because memory cannot be asked for before a size is checked. In programs for devices, only the host does
//! so.

use crate::table::contents;
use fehu_base::IdVec;
use fehu_facts::{Uses, changed, returned};
use fehu_ir::subst::{Subst, subst_type};
use fehu_ir::visit::{Visit, VisitMut, walk_body, walk_body_mut, walk_exp, walk_exp_mut};
use fehu_ir::{
    Atom, Body, Dim, Exp, Fun, FunId, Item, Param, Prog, Screma, Stm, Type, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Calls inside of functions that are looked at.
const MAX_DEPTH: usize = 4;

/// Gives memory to the functions of a program; with `host_only`, not to those that are called in operators.
pub fn destinations(prog: &mut Prog, host_only: bool) {
    let mut variants = FxHashMap::default();
    let mut items: Vec<Item> = prog.items().collect();
    let mut next = 0;
    while let Some(item) = items.get(next).copied() {
        next += 1;
        let calls = Wanted::of(prog, item, host_only);
        if calls.is_empty() {
            continue;
        }
        let (mut vars, mut body) = (prog.vars(item).clone(), prog.body(item).clone());
        let before = prog.funs.len();
        Give { prog, vars: &mut vars, variants: &mut variants, calls }.body(&mut body);
        prog.change(item, |_, own_vars, own_body| (*own_vars, *own_body) = (vars, body));
        items.extend(
            prog.items().filter(|item| matches!(item, Item::Fun(id) if is_new(*id, before))),
        );
    }
}

fn is_new(fun: FunId, before: usize) -> bool {
    use fehu_base::id::Id;
    fun.index() >= before
}

/// The calls whose results are to be made in memory that is given: by the first variable of the statement, which results.
struct Wanted<'a> {
    prog: &'a Prog,
    vars: &'a IdVec<Var, VarInfo>,
    uses: Uses,
    host_only: bool,
    found: FxHashMap<Var, Vec<usize>>,
}

impl<'a> Wanted<'a> {
    fn of(prog: &'a Prog, item: Item, host_only: bool) -> FxHashMap<Var, Vec<usize>> {
        let (vars, body) = (prog.vars(item), prog.body(item));
        let uses = Uses::of(body, vars);
        let mut wanted = Wanted { prog, vars, uses, host_only, found: FxHashMap::default() };
        wanted.body(body);
        wanted.found
    }

    /// The calls of a body whose results become parts of arrays, there or as rows.
    fn look(&mut self, body: &Body, rows: &[Atom]) {
        let mut parts: FxHashSet<Var> = rows.iter().filter_map(|atom| atom.var()).collect();
        for stm in body.stms.iter().rev() {
            parts.extend(stored(&stm.exp));
            let pat = stm.pat.iter().enumerate().filter(|(_, var)| parts.contains(var));
            let changed: Vec<Var> = pat.filter_map(|(k, _)| changed(self.prog, stm, k)).collect();
            parts.extend(changed);
        }
        for stm in &body.stms {
            let (Exp::Call(fun, _), Some(first)) = (&stm.exp, stm.pat.first()) else { continue };
            let is_part = |var: &Var| parts.contains(var) && self.uses.count(*var) == 1;
            let wanted = stm.pat.iter().enumerate().filter(|(k, var)| {
                is_part(var)
                    && contents(&self.vars[**var].ty).is_some()
                    && can_be_given(self.prog, *fun, *k, MAX_DEPTH)
            });
            let wanted: Vec<usize> = wanted.map(|(k, _)| k).collect();
            if !wanted.is_empty() {
                self.found.entry(*first).or_insert(wanted);
            }
        }
    }
}

impl Visit for Wanted<'_> {
    fn body(&mut self, body: &Body) {
        self.look(body, &[]);
        walk_body(self, body);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others with bodies are operators")]
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) => walk_exp(self, exp),
            _ if self.host_only => {}
            Exp::Screma(op) => {
                self.look(&op.map.body, rows(op));
                walk_exp(self, exp);
            }
            _ => walk_exp(self, exp),
        }
    }
}

/// The results of a map's function that become rows.
fn rows(op: &Screma) -> &[Atom] {
    op.map.body.results.get(op.folded()..).unwrap_or_default()
}

/// The arrays that a statement makes parts of another one, or copies.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others store nothing")]
fn stored(exp: &Exp) -> Vec<Var> {
    match exp {
        Exp::Update(_, _, Atom::Var(value)) | Exp::FlatUpdate(_, _, _, value) => vec![*value],
        Exp::Copy(array) | Exp::Manifest(array) => vec![*array],
        Exp::Concat(_, parts) => parts.clone(),
        Exp::Array(_, atoms) => atoms.iter().filter_map(|atom| atom.var()).collect(),
        _ => Vec::new(),
    }
}

/// Whether a result of a function can be made in memory that it is given.
fn can_be_given(prog: &Prog, id: FunId, k: usize, depth: usize) -> bool {
    let fun = &prog.funs[id];
    let (Some(declared), Some(Atom::Var(result))) = (fun.results.get(k), fun.body.results.get(k))
    else {
        return false;
    };
    let ty = &fun.vars[*declared].ty;
    let is_size = |size: &Atom| {
        let mut params = fun.params.iter().map(|param| &fun.vars[param.var].ty);
        matches!(size, Atom::Const(_)) || params.any(|ty| ty.shape().contains(size))
    };
    fun.foreign.is_none()
        && *ty == fun.vars[*result].ty
        && ty.shape().iter().all(is_size)
        && returned(prog, id, k).is_none()
        && is_made(prog, &fun.body, *result, depth)
}

/// Whether a body makes an array, as far as that can be seen.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others make no array, or views")]
fn is_made(prog: &Prog, body: &Body, var: Var, depth: usize) -> bool {
    let Some(stm) = body.stms.iter().find(|stm| stm.pat.contains(&var)) else { return false };
    let Some(k) = stm.pat.iter().position(|other| *other == var) else { return false };
    let made = |var: Var| is_made(prog, body, var, depth);
    let result = |body: &Body| {
        let result = body.results.get(k).and_then(|atom| atom.var());
        result.is_some_and(|result| is_made(prog, body, result, depth))
    };
    match &stm.exp {
        Exp::Screma(op) => k >= op.folded(),
        Exp::Replicate(..)
        | Exp::Iota(..)
        | Exp::Scratch(..)
        | Exp::Concat(..)
        | Exp::Array(..)
        | Exp::Copy(_) => true,
        Exp::If(_, bodies) => bodies.iter().all(result),
        Exp::Call(fun, _) if depth > 0 && can_be_given(prog, *fun, k, depth - 1) => true,
        _ => changed(prog, stm, k).is_some_and(made),
    }
}

/// Rewrites the calls of a function.
struct Give<'a> {
    prog: &'a mut Prog,
    vars: &'a mut IdVec<Var, VarInfo>,
    variants: &'a mut FxHashMap<(FunId, Vec<usize>), FunId>,
    calls: FxHashMap<Var, Vec<usize>>,
}

impl VisitMut for Give<'_> {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            let wanted = stm.pat.first().and_then(|var| self.calls.remove(var));
            if let (Some(wanted), Exp::Call(fun, args)) = (wanted, &mut stm.exp) {
                self.give(fun, args, wanted, &mut stms);
            }
            stms.push(stm);
        }
        body.stms = stms;
    }

    fn exp(&mut self, exp: &mut Exp) {
        walk_exp_mut(self, exp);
    }
}

impl Give<'_> {
    /// Another function is called, with memory for some of its results.
    fn give(
        &mut self,
        fun: &mut FunId,
        args: &mut Vec<Atom>,
        wanted: Vec<usize>,
        out: &mut Vec<Stm>,
    ) {
        let callee = &self.prog.funs[*fun];
        let params = callee.params.iter().map(|param| param.var);
        let subst: Subst = params.zip(args.iter().copied()).collect();
        for k in &wanted {
            let mut ty = callee.vars[callee.results[*k]].ty.clone();
            subst_type(&mut ty, &subst);
            let Type::Array(elem, shape) = &ty else { continue };
            let memory = Exp::Scratch(*elem, shape.clone());
            let dest = self.vars.push(VarInfo { hint: "dest".into(), ty });
            out.push(Stm::new(vec![dest], memory));
            args.push(Atom::Var(dest));
        }
        let key = (*fun, wanted);
        *fun = match self.variants.get(&key) {
            Some(variant) => *variant,
            None => {
                let made = variant(callee, &key.1);
                let id = self.prog.funs.push(made);
                self.variants.insert(key, id);
                id
            }
        };
    }
}

/// The function with memory for some of its results as additional parameters.
fn variant(fun: &Fun, wanted: &[usize]) -> Fun {
    let mut fun = fun.clone();
    for k in wanted {
        let info = fun.vars[fun.results[*k]].clone();
        let all = info.ty.shape().iter().map(|size| Dim::Slice {
            start: Atom::i64(0),
            len: *size,
            stride: Atom::i64(1),
        });
        let all: Vec<Dim> = all.collect();
        let dest = fun.vars.push(VarInfo { hint: "dest".into(), ty: info.ty.clone() });
        let result = fun.vars.push(info);
        fun.params.push(Param { var: dest, consumed: true });
        fun.body.stms.push(Stm::new(vec![result], Exp::Update(dest, all, fun.body.results[*k])));
        fun.body.results[*k] = Atom::Var(result);
    }
    fun
}
