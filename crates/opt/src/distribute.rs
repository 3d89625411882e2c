//! `distribute`: what takes long in the function of a map, and is the same whenever the map is evaluated again,
//! becomes a map before the loop or operator around it.
//!
//! ```text
//! screma n (xs) map \(x) {                         ts = screma m (ds) map \(d) { t = call f (d) in (t) }
//!   ys = screma m (ds) map \(d) {                  screma n (xs) map \(x) {
//!     t = call f (d)                        ==>      ys = screma m (ds, ts) map \(d, t) {
//!     y = mul t x in (y)                               y = mul t x in (y)
//!   }                                                }
//!   in (ys)                                          in (ys)
//! }                                                }
//! ```
//!
//! The numbers are stored and read again, so they must be worth that: what leads to one of them weighs at least
//! [`LEAST`]. They need no more memory than what the map stores for as many elements, whatever is around it. Outside of
//! all operators of what is called from outside, they may instead need as much as arrays that the map reads; where
//! there are only numbers (`iota`), nothing is stored. What moves can be evaluated anywhere, and is evaluated only if
//! what it leaves has any positions or iterations. Nothing leaves a branch, or a `while` loop, of which nobody knows
//! whether it has iterations. After fusion, which would only see the maps apart, and before `hoist`, for which the whole
//! map would have to be the same.

use fehu_base::IdVec;
use fehu_base::Prim;
use fehu_base::id::Id;
use fehu_facts::{Effects, cost};
use fehu_ir::free::{bound_in_body, free_in_stm};
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::{Subst, copy_lambda, subst_lambda};
use fehu_ir::{
    Atom, Body, CmpOp, Elem, Exp, FunId, Item, Lambda, LoopForm, Prog, Scalar, Screma, Stm, Type,
    Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is worth an array: several elementary functions.
const LEAST: u32 = 100;

/// More arrays than this would cost too much, for what leads to their elements may be the same.
const MOST_ARRAYS: usize = 4;

/// The pass.
pub const DISTRIBUTE: Pass = Pass {
    name: "distribute",
    about: "computes the costly parts of maps that stay the same before the loops around them",
    run,
};

fn run(prog: &mut Prog, _: &mut Remarks) {
    let effects = Effects::of(prog);
    let funs = weights(prog, &effects);
    for item in prog.items() {
        prog.change(item, |prog, vars, body| {
            let is_once = matches!(item, Item::Fun(fun) if prog.is_called_from_outside(fun));
            let (computed, repeated) = Default::default();
            let mut cx = Cx { effects: &effects, funs: &funs, vars, computed, repeated, is_once };
            cx.body(body, &[], false);
        });
    }
}

/// The weights of the functions that can be called anywhere.
fn weights(prog: &Prog, effects: &Effects) -> IdVec<FunId, Option<u32>> {
    let mut funs = IdVec::filled(None, prog.funs.len());
    // A function comes after those that it calls, however they stand; recursive ones have no weight.
    loop {
        let mut changed = false;
        for index in 0..prog.funs.len() {
            let id = FunId::from_index(index);
            let fun = &prog.funs[id];
            if funs[id].is_none() && fun.foreign.is_none() {
                funs[id] = weigh_body(&fun.body, effects, &funs, &fun.vars);
                changed |= funs[id].is_some();
            }
        }
        if !changed {
            return funs;
        }
    }
}

/// The weight of a body that can be evaluated anywhere and consists of operations on scalars, branches and calls.
fn weigh_body(
    body: &Body,
    effects: &Effects,
    funs: &IdVec<FunId, Option<u32>>,
    vars: &IdVec<Var, VarInfo>,
) -> Option<u32> {
    let mut sum = 0u32;
    for stm in &body.stms {
        sum = sum.saturating_add(weigh(stm, effects, funs, vars)?);
    }
    Some(sum)
}

/// The weight of such a statement.
#[expect(clippy::wildcard_enum_match_arm, reason = "others have a weight of their own, or none")]
fn weigh(
    stm: &Stm,
    effects: &Effects,
    funs: &IdVec<FunId, Option<u32>>,
    vars: &IdVec<Var, VarInfo>,
) -> Option<u32> {
    let is_number = |var: &Var| matches!(vars[*var].ty, Type::Scalar(_));
    if !stm.certs.is_empty() || !stm.pat.iter().all(is_number) {
        return None;
    }
    match &stm.exp {
        Exp::Call(id, _) => funs[*id],
        Exp::If(_, bodies) => {
            let [yes, no] = &**bodies;
            let weight = |body| weigh_body(body, effects, funs, vars);
            Some(1 + weight(yes)?.max(weight(no)?))
        }
        Exp::Switch(_, switch) => {
            let bodies = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
            let weights = bodies.map(|body| weigh_body(body, effects, funs, vars));
            weights.reduce(|a, b| Some(a?.max(b?)))?.map(|weight| weight + 1)
        }
        exp if effects.speculable(exp, vars) => cost::weigh_stm(stm, vars),
        _ => None,
    }
}

struct Cx<'a> {
    effects: &'a Effects,
    funs: &'a IdVec<FunId, Option<u32>>,
    vars: &'a mut IdVec<Var, VarInfo>,
    /// The arrays that are not in memory.
    computed: FxHashSet<Var>,
    /// What is bound in operators: there may be as many of it as they have positions, at the same time.
    repeated: FxHashSet<Var>,
    /// Whether what is bound elsewhere is there once.
    is_once: bool,
}

impl Cx<'_> {
    /// Changes a body; what goes before the statement that it belongs to, which nothing does unless the body may be
    /// evaluated several times for that.
    fn body(&mut self, body: &mut Body, params: &[Var], repeats: bool) -> Vec<Stm> {
        let mut bound: FxHashSet<Var> = body.stms.iter().flat_map(|stm| stm.pat.clone()).collect();
        bound.extend(params);
        let (mut out, mut stms) = (Vec::new(), Vec::with_capacity(body.stms.len()));
        for mut stm in std::mem::take(&mut body.stms) {
            for moved in self.inside(&mut stm.exp) {
                let stays = free_in_stm(&moved, self.vars).iter().any(|var| bound.contains(var));
                if stays || !repeats {
                    bound.extend(&moved.pat);
                    stms.push(moved);
                } else {
                    out.push(moved);
                }
            }
            if matches!(stm.exp, Exp::Iota(..) | Exp::Replicate(..)) {
                self.computed.extend(&stm.pat);
            }
            if let Exp::Screma(op) = &mut stm.exp
                && repeats
            {
                out.extend(self.distribute(op, &bound));
            }
            stms.push(stm);
        }
        body.stms = stms;
        out
    }

    /// Changes the bodies of an expression.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing leaves the bodies of the others")]
    fn inside(&mut self, exp: &mut Exp) -> Vec<Stm> {
        match exp {
            Exp::Screma(op) => {
                let Lambda { params, body, .. } = &mut op.map;
                self.repeated.extend(params.iter().copied().chain(bound_in_body(body)));
                let moved = self.body(body, params, true);
                self.only_if_any(op.width, moved)
            }
            Exp::Loop(params, LoopForm::For(var, bound), body) => {
                let vars: Vec<Var> = params.iter().map(|param| param.var).chain([*var]).collect();
                let moved = self.body(body, &vars, true);
                self.only_if_any(*bound, moved)
            }
            _ => {
                let is_control = matches!(exp, Exp::If(..) | Exp::Switch(..) | Exp::Loop(..));
                let was_once = self.is_once;
                self.is_once &= is_control;
                exp.map_bodies(&mut |body| {
                    self.body(body, &[], false);
                });
                self.is_once = was_once;
                Vec::new()
            }
        }
    }

    /// What leaves something with so many positions or iterations: it has nothing to do if there are none.
    fn only_if_any(&mut self, count: Atom, mut moved: Vec<Stm>) -> Vec<Stm> {
        let is_known = matches!(count, Atom::Const(Scalar::I64(1..)));
        if is_known || moved.is_empty() {
            return moved;
        }
        let truth = Type::Scalar(Elem::Prim(Prim::Bool));
        let any = self.vars.push(VarInfo { hint: "any".into(), ty: truth });
        for stm in &mut moved {
            let Exp::Screma(op) = &mut stm.exp else { continue };
            let Lambda { body, ret, .. } = &mut op.map;
            let zeros = ret.iter().map(|ty| match ty {
                Type::Scalar(Elem::Prim(prim)) => Atom::Const(Scalar::zero(*prim)),
                Type::Scalar(Elem::Unit) | Type::Array(..) | Type::Acc(_) => {
                    unreachable!("only numbers leave a map")
                }
            });
            let nothing = Body { stms: Vec::new(), results: zeros.collect() };
            let hints = std::mem::take(&mut body.results);
            let pat: Vec<Var> = ret
                .iter()
                .zip(&hints)
                .map(|(ty, result)| {
                    let hint = result.var().map(|var| self.vars[var].hint.clone());
                    let ty = ty.clone();
                    self.vars.push(VarInfo { hint: hint.unwrap_or_default(), ty })
                })
                .collect();
            let results = pat.iter().map(|var| Atom::Var(*var)).collect();
            let something = Body { stms: std::mem::take(&mut body.stms), results: hints };
            let chosen = Exp::If(Atom::Var(any), Box::new([something, nothing]));
            *body = Body { stms: vec![Stm::new(pat, chosen)], results };
        }
        let is_any = Exp::CmpOp(CmpOp::Lt, Atom::Const(Scalar::I64(0)), count);
        moved.insert(0, Stm::new(vec![any], is_any));
        moved
    }

    /// Whether arrays of these numbers need no more memory than there is anyhow.
    fn has_room(&self, op: &Screma, needed: &[Var], free: impl Iterator<Item = Var>) -> bool {
        let bytes = |ty: &Type| match ty {
            Type::Scalar(Elem::Prim(prim)) | Type::Array(Elem::Prim(prim), _) => prim.bits() / 8,
            Type::Scalar(Elem::Unit) | Type::Array(Elem::Unit, _) | Type::Acc(_) => 0,
        };
        let stored: u32 = op.map.ret[op.folded()..].iter().map(bytes).sum();
        let new: u32 = needed.iter().map(|var| bytes(&self.vars[*var].ty)).sum();
        let read = op.inputs.iter().filter(|input| !self.computed.contains(input));
        let read: u32 = read.map(|input| bytes(&self.vars[*input].ty)).sum();
        let is_once = || self.is_once && !{ free }.any(|var| self.repeated.contains(&var));
        new <= stored || new <= read && is_once()
    }

    /// Takes out of the function of an operator what depends on nothing that is bound around it.
    fn distribute(&mut self, op: &mut Screma, bound: &FxHashSet<Var>) -> Option<Stm> {
        let is_outside = |atom: Atom| atom.var().is_none_or(|var| !bound.contains(&var));
        if !is_outside(op.width) || op.inputs.iter().all(|input| self.computed.contains(input)) {
            return None;
        }
        let lambda = &op.map;
        // What is not known to be the same: the parameters for other arrays, and what is computed of them.
        let mut other: FxHashSet<Var> = bound_in_body(&lambda.body).into_iter().collect();
        let params = lambda.params.iter().zip(&op.inputs);
        other.extend(
            params.clone().filter(|(_, input)| bound.contains(input)).map(|(param, _)| *param),
        );
        let mut same: FxHashMap<Var, usize> = FxHashMap::default();
        let mut weights = Vec::new();
        for (at, stm) in lambda.body.stms.iter().enumerate() {
            let weight = weigh(stm, self.effects, self.funs, self.vars);
            let free = free_in_stm(stm, self.vars);
            let is_same = |var: &Var| !bound.contains(var) && !other.contains(var);
            let weight = weight.filter(|_| free.iter().all(is_same));
            if weight.is_some() {
                stm.pat.iter().for_each(|var| {
                    other.remove(var);
                    same.insert(*var, at);
                });
            }
            weights.push(weight);
        }
        // The numbers that something else needs.
        let stms = &lambda.body.stms;
        let mut needed: Vec<Var> =
            lambda.body.results.iter().filter_map(|atom| atom.var()).collect();
        for (stm, weight) in stms.iter().zip(&weights) {
            if weight.is_none() {
                needed.extend(free_in_stm(stm, self.vars));
            }
        }
        let mut seen = FxHashSet::default();
        needed.retain(|var| same.contains_key(var) && seen.insert(*var));
        needed.retain(|var| {
            let mut sum = 0u32;
            leading_to(&lambda.body, &same, &[*var], self.vars, |at| {
                sum = sum.saturating_add(weights[at].unwrap_or(0));
                sum >= LEAST
            });
            sum >= LEAST
        });
        if needed.is_empty() || needed.len() > MOST_ARRAYS {
            return None;
        }
        let mut steps = leading_to(&lambda.body, &same, &needed, self.vars, |_| false);
        steps.sort_unstable();
        let moved: Vec<Stm> = steps.iter().map(|at| stms[*at].clone()).collect();
        let used: FxHashSet<Var> =
            moved.iter().flat_map(|stm| free_in_stm(stm, self.vars)).collect();
        let (params, inputs): (Vec<Var>, Vec<Var>) =
            params.filter(|(param, _)| used.contains(param)).unzip();
        // Without inputs, it is the same at all positions: `hoist` moves it.
        let free = used.iter().copied().chain(op.width.var()).chain(inputs.iter().copied());
        let free = free.filter(|var| !params.contains(var) && !same.contains_key(var));
        if inputs.is_empty() || !self.has_room(op, &needed, free) {
            return None;
        }
        let ret: Vec<Type> = needed.iter().map(|var| self.vars[*var].ty.clone()).collect();
        let results = needed.iter().map(|var| Atom::Var(*var)).collect();
        let loc = moved.iter().find_map(|stm| stm.loc.clone());
        let map =
            copy_lambda(&Lambda { params, body: Body { stms: moved, results }, ret }, self.vars);
        // The statements that nothing needs any more are left to `simplify`.
        let (mut arrays, mut subst) = (Vec::new(), Subst::default());
        for var in &needed {
            let VarInfo { hint, ty } = self.vars[*var].clone();
            let array = ty.array_of(op.width)?;
            arrays.push(self.vars.push(VarInfo { hint: hint.clone(), ty: array }));
            let param = self.vars.push(VarInfo { hint, ty });
            subst.insert(*var, Atom::Var(param));
            op.map.params.push(param);
        }
        op.inputs.extend(&arrays);
        subst_lambda(&mut op.map, self.vars, &subst);
        let op = Screma { width: op.width, inputs, map, scans: Vec::new(), reds: Vec::new() };
        Some(Stm { loc, ..Stm::new(arrays, Exp::Screma(Box::new(op))) })
    }
}

/// The statements of a body that lead to some variables, until there are enough of them.
fn leading_to(
    body: &Body,
    at: &FxHashMap<Var, usize>,
    roots: &[Var],
    vars: &IdVec<Var, VarInfo>,
    mut is_enough: impl FnMut(usize) -> bool,
) -> Vec<usize> {
    let (mut steps, mut seen, mut open) = (Vec::new(), FxHashSet::default(), roots.to_vec());
    while let Some(var) = open.pop() {
        let Some(step) = at.get(&var).copied().filter(|step| seen.insert(*step)) else { continue };
        steps.push(step);
        if is_enough(step) {
            break;
        }
        open.extend(free_in_stm(&body.stms[step], vars));
    }
    steps
}
