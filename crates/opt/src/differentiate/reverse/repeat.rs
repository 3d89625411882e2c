//! Loops. The forward sweep saves, for every iteration, the values that the return sweep needs and that cannot be computed for next to
//! nothing; the return sweep is a loop in the other direction, which reads these *tapes*.
//!
//! ```text
//! r = loop (x = a) for i < n do x * b[i]
//! ==>
//! (r, tape) = loop (x = a, t = scratch n) for i < n do (x * b[i], t with [i] = x)
//! (gx, gb) = loop (gy = gr, gb = gb) for j < n do
//!   i = n-1-j;  x = tape[i];  (gy * b[i], gb with [i] += gy * x)
//! ```
//!
//! To know what is needed, the return sweep of the body is made first, as if all values were there. A loop that updates one element of an array in
//! each iteration so saves only the elements that it reads.
//!
//! The iterations of a `while` loop are counted by a first run.

use super::adjoint::Adjoint;
use super::{Reverse, Saved, Step};
use crate::differentiate::Res;
use crate::differentiate::activity;
use crate::differentiate::num::{binary, has_numbers, whole};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::free::{bound_in_body, free_in_body, free_in_stm};
use fehu_ir::subst::{Subst, copy_stm, subst_body, subst_stm, subst_type};
use fehu_ir::{Atom, BinOp, Body, Dim, Exp, Family, LoopForm, LoopParam, Scalar, Stm, Type, Var};
use rustc_hash::FxHashSet;

/// A loop of the forward sweep.
pub(super) struct Taped {
    /// The bound, and the type of the counter.
    bound: Atom,
    prim: Prim,
    counter: Var,
    params: Vec<LoopParam>,
    /// The forward sweep of the body.
    steps: Vec<Step>,
    /// What it binds, and its results.
    body: Body,
    /// Whether it contributes to accumulators of the primal.
    contributes: bool,
    /// The statement of the return sweep, made ahead.
    back: Option<Back>,
}

/// The return sweep of a loop.
struct Back {
    /// The positions of results whose adjoints are carried, with the parameters that carry them.
    carried: Vec<(usize, Var)>,
    /// Variables from outside, with the parameters that carry their adjoints.
    threaded: Vec<(Var, Var)>,
    index: Var,
    body: Body,
}

impl Reverse {
    pub(super) fn repeat_forward(
        &mut self,
        b: &mut Builder<'_>,
        stm: Stm,
        steps: &mut Vec<Step>,
    ) -> Res<()> {
        let stm = if matches!(stm.exp, Exp::Loop(_, LoopForm::While(_), _)) {
            counted(b, stm)
        } else {
            stm
        };
        // Copies of what is bound inside, because the return sweep binds the same again.
        let copy = copy_stm(&stm, b.vars_mut());
        let Exp::Loop(params, LoopForm::For(counter, bound), body) = copy.exp else {
            return self.refuse("this loop");
        };
        for ((param, var), copy) in params.iter().zip(&stm.pat).zip(&copy.pat) {
            if self.varied.contains(var) {
                self.varied.insert(param.var);
            }
            if self.useful.contains(var) || matches!(b.ty(*var), Type::Acc(_)) {
                self.useful.insert(*copy);
            }
        }
        let form = LoopForm::For(counter, bound);
        let again = Stm::new(copy.pat, Exp::Loop(params, form, body));
        let only = Body { stms: vec![again.clone()], results: Vec::new() };
        activity::useful(&only, &mut self.useful);
        // Accumulators of the primal are not carried where it is evaluated again.
        let contributes = stm.pat.iter().any(|var| matches!(b.ty(*var), Type::Acc(_)));
        let (stm, again) = (without_accs(b, stm), without_accs(b, again));
        let Exp::Loop(params, _, body) = again.exp else { return self.refuse("this loop") };
        activity::varied(&body, b.vars(), &mut self.varied);
        let mut inner = Builder::new(b.vars_mut());
        let body_results = body.results.clone();
        let body_steps = self.sweep(&mut inner, body.stms)?;
        let body = inner.finish(body_results);
        let prim = prim_of(b.ty(counter)).or_bug("type of a counter");
        let mut taped = Taped {
            bound,
            prim,
            counter,
            params,
            steps: body_steps,
            body,
            contributes,
            back: None,
        };
        self.prepare_back(b, &mut taped)?;
        let new = self.emit_forward(b, &stm, &mut taped)?;
        b.push(new);
        steps.push(Step { stm, saved: Saved::Loop(taped) });
        Ok(())
    }

    /// Makes the return sweep of the body, with adjoints for everything varied.
    fn prepare_back(&mut self, b: &mut Builder<'_>, taped: &mut Taped) -> Res<()> {
        let outside = std::mem::take(&mut self.adjoints);
        let mut carried = Vec::new();
        for (index, param) in taped.params.iter().enumerate() {
            let active = self.varied.contains(&param.var) && self.useful.contains(&param.var);
            if !active || !has_numbers(b.ty(param.var)) {
                continue;
            }
            let ty = b.ty(param.var).clone();
            let inside = |size: &Atom| {
                size.var().is_some_and(|var| taped.params.iter().any(|param| param.var == var))
            };
            if ty.shape().iter().any(inside) {
                return self.refuse("the derivative of a loop with an array whose size changes");
            }
            carried.push((index, b.param("adjoint", ty)));
        }
        let own: FxHashSet<Var> = bound_in_body(&taped.body).into_iter().collect();
        let is_param = |var: &Var| taped.params.iter().any(|param| param.var == *var);
        let mut used: Vec<Var> = Vec::new();
        let original = Body {
            stms: taped.steps.iter().map(|step| step.stm.clone()).collect(),
            results: taped.body.results.clone(),
        };
        for var in free_in_body(&original, b.vars()) {
            if self.varied.contains(&var)
                && self.useful.contains(&var)
                && !own.contains(&var)
                && !is_param(&var)
                && has_numbers(b.ty(var))
            {
                used.push(var);
            }
        }
        let mut threaded = Vec::new();
        for var in used {
            // Where the adjoint is an accumulator, it is carried as such.
            let ty = match outside.get(&var) {
                Some(Adjoint::Acc(acc)) => b.ty(*acc).clone(),
                Some(Adjoint::Value(_)) | None => b.ty(var).clone(),
            };
            let is_acc = matches!(ty, Type::Acc(_));
            let param = b.param("adjoint", ty);
            let adjoint = if is_acc { Adjoint::Acc(param) } else { Adjoint::Value(param.into()) };
            self.adjoints.insert(var, adjoint);
            threaded.push((var, param));
        }
        let mut inner = Builder::new(b.vars_mut());
        for (index, param) in &carried {
            self.contribute(&mut inner, taped.body.results[*index], (*param).into());
        }
        let loc = self.loc.clone();
        self.back(&mut inner, &taped.steps)?;
        self.loc = loc;
        let mut results = Vec::new();
        for (index, _) in &carried {
            results.push(self.take_or_zero(&mut inner, taped.params[*index].var));
        }
        for (var, _) in &threaded {
            results.push(match self.adjoints.get(var) {
                Some(Adjoint::Value(value)) => *value,
                Some(Adjoint::Acc(acc)) => (*acc).into(),
                None => self.zero_like(&mut inner, *var),
            });
        }
        let body = inner.finish(results);
        self.adjoints = outside;
        let index = b.param("j", Type::prim(taped.prim));
        taped.back = Some(Back { carried, threaded, index, body });
        Ok(())
    }

    /// The loop with its tapes; completes the return sweep.
    fn emit_forward(&mut self, b: &mut Builder<'_>, stm: &Stm, taped: &mut Taped) -> Res<Stm> {
        let mut back = taped.back.take().or_bug("return sweep of a loop");
        let Some(kept) = Kept::choose(b, taped, &back.body) else {
            return self.refuse("the derivative of a loop that needs an array whose size changes");
        };
        let mut subst = kept.outside.clone();
        let mut inner = Builder::new(b.vars_mut());
        // The iteration, counted from the other end.
        let one = crate::differentiate::num::number(taped.prim, 1.0);
        let last = binary(&mut inner, BinOp::Sub, taped.bound, one);
        let counter = binary(&mut inner, BinOp::Sub, last, back.index.into());
        subst.insert(taped.counter, counter);
        let wide = as_i64(&mut inner, taped.prim, counter);
        let mut prelude = inner.finish(Vec::new());
        let count = as_i64(b, taped.prim, taped.bound);
        let count: Atom = b.exp("n", Exp::BinOp(BinOp::Max, count, 0.into())).into();
        let (mut params, mut pat) = (taped.params.clone(), stm.pat.clone());
        let mut body = taped.body.clone();
        let mut updates = Builder::new(b.vars_mut());
        let place = as_i64(&mut updates, taped.prim, taped.counter.into());
        let mut tapes = Vec::new();
        for var in &kept.saved {
            // With sizes that are known outside.
            let mut ty = updates.ty(*var).clone();
            subst_type(&mut ty, &kept.outside);
            let mut value = *var;
            if ty != *updates.ty(*var) {
                value = updates.exp("saved", Exp::Reshape(*var, ty.shape().to_vec()));
            }
            let tape = ty.array_of(count).or_bug("tape of values");
            let param = updates.param("tape", tape.clone());
            let dims = |place: Atom| {
                let rest = ty.shape().iter().map(|size| whole(*size));
                std::iter::once(Dim::Fix(place)).chain(rest).collect::<Vec<Dim>>()
            };
            let next = updates.exp("tape", Exp::Update(param, dims(place), value.into()));
            let read = updates.param("saved", ty.clone());
            let result = updates.param("tape", tape.clone());
            subst.insert(*var, read.into());
            prelude.stms.push(Stm::new(vec![read], Exp::Index(result, dims(wide))));
            body.results.push(next.into());
            pat.push(result);
            tapes.push((param, tape));
        }
        body.stms.extend(updates.finish(Vec::new()).stms);
        for (param, tape) in tapes {
            let elem = tape.elem().or_bug("type of elements");
            let scratch = b.exp("tape", Exp::Scratch(elem, tape.shape().to_vec()));
            params.push(LoopParam { var: param, init: scratch.into() });
        }
        for cert in kept.certs {
            // The check was made in the forward sweep.
            subst.insert(cert, Scalar::Unit.into());
        }
        for stm in kept.again {
            let mut again = copy_stm(&stm, b.vars_mut());
            subst_stm(&mut again, b.vars_mut(), &subst);
            for (old, new) in stm.pat.iter().zip(&again.pat) {
                subst.insert(*old, (*new).into());
            }
            prelude.stms.push(again);
        }
        subst_body(&mut back.body, b.vars_mut(), &subst);
        prelude.stms.append(&mut back.body.stms);
        back.body.stms = prelude.stms;
        taped.back = Some(back);
        let exp = Exp::Loop(params, LoopForm::For(taped.counter, taped.bound), Box::new(body));
        Ok(Stm { pat, exp, ..stm.clone() })
    }

    pub(super) fn repeat_back(&mut self, b: &mut Builder<'_>, stm: &Stm, taped: &Taped) -> Res<()> {
        let adjoints = self.take_all(b, &stm.pat);
        if adjoints.iter().all(Option::is_none) && !taped.contributes {
            return Ok(());
        }
        let back = taped.back.as_ref().or_bug("return sweep of a loop");
        let mut params = Vec::new();
        let mut types = Vec::new();
        for (index, var) in &back.carried {
            let init = match adjoints[*index] {
                Some(adjoint) => adjoint,
                None => self.zero_like(b, stm.pat[*index]),
            };
            params.push(LoopParam { var: *var, init });
        }
        for (var, param) in &back.threaded {
            let init = match self.adjoints.get(var) {
                Some(Adjoint::Value(value)) => *value,
                Some(Adjoint::Acc(acc)) => (*acc).into(),
                None => self.zero_like(b, *var),
            };
            params.push(LoopParam { var: *param, init });
        }
        for param in &params {
            types.push(b.ty(param.var).clone());
        }
        // The return sweep may be made several times, for several directions.
        let form = LoopForm::For(back.index, taped.bound);
        let made = Stm::new(Vec::new(), Exp::Loop(params, form, Box::new(back.body.clone())));
        let mut made = copy_stm(&made, b.vars_mut());
        made.loc.clone_from(&stm.loc);
        let new: Vec<Var> = types.into_iter().map(|ty| b.param("adjoint", ty)).collect();
        made.pat.clone_from(&new);
        b.push(made);
        let (carried, threaded) = new.split_at(back.carried.len());
        for ((var, _), new) in back.threaded.iter().zip(threaded) {
            let adjoint = match b.ty(*new) {
                Type::Acc(_) => Adjoint::Acc(*new),
                Type::Scalar(_) | Type::Array(..) => Adjoint::Value((*new).into()),
            };
            self.adjoints.insert(*var, adjoint);
        }
        for ((index, _), new) in back.carried.iter().zip(carried) {
            let Exp::Loop(params, ..) = &stm.exp else { return self.refuse("this loop") };
            self.contribute(b, params[*index].init, (*new).into());
        }
        Ok(())
    }
}

/// A loop without parameters for accumulators of the primal; contributions to them stay in its body.
fn without_accs(b: &Builder<'_>, mut stm: Stm) -> Stm {
    let Exp::Loop(params, _, body) = &mut stm.exp else { return stm };
    let keep: Vec<bool> =
        params.iter().map(|param| !matches!(b.ty(param.var), Type::Acc(_))).collect();
    let mut kept = keep.iter();
    params.retain(|_| kept.next().copied().unwrap_or(true));
    let mut kept = keep.iter();
    body.results.retain(|_| kept.next().copied().unwrap_or(true));
    let mut kept = keep.iter();
    stm.pat.retain(|_| kept.next().copied().unwrap_or(true));
    stm
}

/// A loop that counts, in place of one with a condition; the iterations are counted before.
fn counted(b: &mut Builder<'_>, stm: Stm) -> Stm {
    let copy = copy_stm(&stm, b.vars_mut());
    let (mut pat, mut counting) = (copy.pat, copy.exp);
    let counter = b.param("count", Type::I64);
    if let Exp::Loop(params, _, body) = &mut counting {
        params.push(LoopParam { var: counter, init: 0.into() });
        let mut inner = Builder::new(b.vars_mut());
        std::mem::take(&mut body.stms).into_iter().for_each(|stm| inner.push(stm));
        let next = binary(&mut inner, BinOp::Add, counter.into(), 1.into());
        let mut results = body.results.clone();
        results.push(next);
        **body = inner.finish(results);
    }
    let count = b.param("count", Type::I64);
    pat.push(count);
    b.push(Stm { pat, exp: counting, certs: copy.certs, attrs: copy.attrs, loc: copy.loc });
    let mut stm = stm;
    if let Exp::Loop(_, form, _) = &mut stm.exp {
        *form = LoopForm::For(b.param("i", Type::I64), count.into());
    }
    stm
}

fn as_i64(b: &mut Builder<'_>, prim: Prim, atom: Atom) -> Atom {
    match prim == Prim::I64 {
        true => atom,
        false => b.exp("i", Exp::Convert(Prim::I64, atom)).into(),
    }
}

/// How the return sweep of a loop's body gets the values that it needs.
struct Kept {
    /// By tapes.
    saved: Vec<Var>,
    /// By these statements of the body, again.
    again: Vec<Stm>,
    /// Certificates of checks that the forward sweep has made.
    certs: Vec<Var>,
    /// What does not change from iteration to iteration, computed before the loop.
    outside: Subst,
}

impl Kept {
    /// What costs next to nothing is computed again, and so is what cannot be saved because its size changes; all else is
    /// saved. Nothing, if there is a parameter among what cannot be saved.
    fn choose(b: &mut Builder<'_>, taped: &Taped, back: &Body) -> Option<Kept> {
        let mut own: FxHashSet<Var> =
            taped.body.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        own.extend(taped.params.iter().map(|param| param.var));
        own.insert(taped.counter);
        let mut kept = Kept {
            saved: Vec::new(),
            again: Vec::new(),
            certs: Vec::new(),
            outside: Subst::default(),
        };
        let mut cheap: FxHashSet<Var> = FxHashSet::default();
        cheap.insert(taped.counter);
        for stm in &taped.body.stms {
            let [var] = stm.pat[..] else { continue };
            let element = |dim: &Dim| matches!(dim, Dim::Fix(_));
            let is_scalar = stm.exp.family() == Family::Scalar && !b.ty(var).is_array();
            let is_read = matches!(&stm.exp, Exp::Index(_, dims) if dims.iter().all(element));
            let (mut invariant, mut known) =
                (is_scalar && is_total(&stm.exp), is_scalar || is_read);
            stm.exp.for_each_operand(&mut |atom| {
                if let Atom::Var(operand) = atom
                    && own.contains(&operand)
                {
                    invariant &= kept.outside.contains_key(&operand);
                    known &= kept.outside.contains_key(&operand) || cheap.contains(&operand);
                }
            });
            if invariant {
                let mut copy = copy_stm(stm, b.vars_mut());
                copy.certs.clear();
                subst_stm(&mut copy, b.vars_mut(), &kept.outside);
                kept.outside.insert(var, copy.pat[0].into());
                b.push(copy);
            } else if known {
                cheap.insert(var);
            }
        }
        let mut needed: FxHashSet<Var> = FxHashSet::default();
        let need = |vars: Vec<Var>, needed: &mut FxHashSet<Var>, kept: &Kept| {
            let mine = |var: &Var| own.contains(var) && !kept.outside.contains_key(var);
            needed.extend(vars.into_iter().filter(mine));
        };
        need(free_in_body(back, b.vars()), &mut needed, &kept);
        for stm in taped.body.stms.iter().rev() {
            let wanted: Vec<Var> =
                stm.pat.iter().copied().filter(|var| needed.contains(var)).collect();
            let cert = |var: &Var| *b.ty(*var) == Type::CERT;
            if wanted.is_empty() {
                continue;
            }
            if wanted.iter().all(cert) {
                kept.certs.extend(wanted);
                continue;
            }
            let is_cheap = wanted.iter().all(|var| cheap.contains(var));
            if !is_cheap && wanted.iter().all(|var| kept.can_save(b, *var, &own)) {
                kept.saved.extend(wanted);
                continue;
            }
            let mut again = stm.clone();
            again.certs.clear();
            need(free_in_stm(&again, b.vars()), &mut needed, &kept);
            kept.again.push(again);
        }
        kept.again.reverse();
        for param in &taped.params {
            if !needed.contains(&param.var) {
                continue;
            }
            if !kept.can_save(b, param.var, &own) {
                return None;
            }
            kept.saved.push(param.var);
        }
        Some(kept)
    }

    fn can_save(&self, b: &Builder<'_>, var: Var, own: &FxHashSet<Var>) -> bool {
        let ty = b.ty(var);
        let fixed = |size: &Atom| match size {
            Atom::Var(size) => !own.contains(size) || self.outside.contains_key(size),
            Atom::Const(_) => true,
        };
        !matches!(ty, Type::Acc(_)) && ty.shape().iter().all(fixed)
    }
}

/// Whether an operation on scalars is defined for all operands.
fn is_total(exp: &Exp) -> bool {
    !matches!(exp, Exp::BinOp(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow, ..))
}
