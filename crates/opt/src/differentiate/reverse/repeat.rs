//! Loops. The forward sweep saves, for every iteration, the values that the return sweep needs and that cannot be
//! computed for next to nothing; the return sweep is a loop in the other direction, which reads these *tapes*.
//!
//! ```text
//! r = loop (x = a) for i < n do x * b[i]
//! ==>
//! (r, tape) = loop (x = a, t = scratch n) for i < n do (x * b[i], t with [i] = x)
//! (gx, gb) = loop (gy = gr, gb = gb) for j < n do
//!   i = n-1-j;  x = tape[i];  (gy * b[i], gb with [i] += gy * x)
//! ```
//!
//! To know what is needed, the return sweep of the body is made first, as if all values were there. A loop that updates
//! one element of an array in each iteration so saves only the elements that it reads; if the array is needed as a
//! whole, the return sweep undoes its changes (`undo`).
//!
//! A `while` loop counts its iterations. How large its tapes are is said by `#[bound(n)]`; they grow, if the loop is
//! executed by the host; or the iterations are counted by a first run ([`super::ahead`]).

use super::adjoint::Adjoint;
use super::blank::Frame;
use super::strip::{is_strip, strips};
use super::undo::Carried;
use super::{Reverse, Saved, Step, resize};
use crate::differentiate::Res;
use crate::differentiate::activity;
use crate::differentiate::num::{binary, has_numbers};
use crate::differentiate::once::prune;
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::free::{bound_in_body, free_in_body};
use fehu_ir::subst::{Subst, copy_stm, subst_type};
use fehu_ir::{Atom, BinOp, Body, Exp, LoopForm, LoopParam, Stm, Type, Var};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// A loop of the forward sweep.
pub(super) struct Taped {
    pub(super) form: LoopForm,
    /// The number of iterations, known after the loop, and the type of the counter.
    pub(super) count: Atom,
    pub(super) prim: Prim,
    pub(super) counter: Var,
    /// How many iterations there is room for on the tapes.
    pub(super) room: Room,
    pub(super) params: Vec<LoopParam>,
    /// The forward sweep of the body.
    steps: Vec<Step>,
    /// What it binds, and its results.
    pub(super) body: Body,
    /// Whether it contributes to accumulators of the primal.
    pub(super) contributes: bool,
    /// What counts its iterations before.
    pub(super) counting: Option<Counting>,
    /// The statement of the return sweep, made ahead.
    pub(super) back: Option<Back>,
    /// What it evaluates again as a whole.
    covered: Vec<usize>,
}

/// The first run of a loop with a condition.
pub(super) struct Counting {
    pub(super) stm: Stm,
    /// How many parameters the loop has, and the position of the one that is the condition.
    pub(super) params: usize,
    pub(super) condition: usize,
}

/// How large tapes are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// As the number of iterations.
    Count,
    /// As the program says; more iterations are an error.
    Bound(i64),
    /// They grow.
    Grows,
}

/// The return sweep of a loop.
pub(super) struct Back {
    /// The positions of parameters that are sizes of others, with the parameters that have them in the return sweep.
    sizes: Vec<(usize, Var)>,
    /// The positions of results whose adjoints are carried, with the parameters that carry them.
    carried: Vec<(usize, Var)>,
    /// Variables from outside, with the parameters that carry their adjoints.
    threaded: Vec<(Var, Var)>,
    /// Arrays whose changes it undoes, and integers that it computes backwards.
    pub(super) undone: Vec<Carried>,
    pub(super) index: Var,
    pub(super) body: Body,
    /// Whether it has been made before.
    made: Cell<bool>,
}

impl Reverse {
    /// A loop with a condition that counts its iterations.
    fn counting(&self, b: &mut Builder<'_>, stm: Stm) -> (Stm, Room, Option<Counting>) {
        let bound = stm.attrs.iter().find(|attr| attr.name == "bound");
        let bound = bound.and_then(|attr| attr.args.first()?.name.parse().ok());
        match bound {
            Some(bound) => (with_count(b, stm), Room::Bound(bound), None),
            None if self.is_host => (with_count(b, stm), Room::Grows, None),
            None => {
                let (stm, counting) = self.counted(b, stm);
                (stm, Room::Count, Some(counting))
            }
        }
    }

    /// A loop that counts, in place of one with a condition; the iterations are counted before, without what they
    /// contribute to accumulators of the primal.
    fn counted(&self, b: &mut Builder<'_>, mut stm: Stm) -> (Stm, Counting) {
        let plain = self.without_accs(b, &stm).or_bug("condition of a loop");
        let copy = copy_stm(&plain, b.vars_mut());
        let counting = with_count(b, copy);
        let count = *counting.pat.last().or_bug("number of iterations");
        let (mut size, mut place) = (0, None);
        if let Exp::Loop(params, form, _) = &mut stm.exp {
            let is_condition = |param: &LoopParam| *form == LoopForm::While(param.var);
            (size, place) = (params.len(), params.iter().position(is_condition));
            *form = LoopForm::For(b.param("i", Type::I64), count.into());
        }
        let condition = place.or_bug("condition of a loop");
        (stm, Counting { stm: counting, params: size, condition })
    }

    pub(super) fn repeat_forward(
        &mut self,
        b: &mut Builder<'_>,
        stm: Stm,
        steps: &mut Vec<Step>,
    ) -> Res<()> {
        let is_strip = is_strip(&stm);
        let stm = strips(b, stm);
        let is_while = matches!(stm.exp, Exp::Loop(_, LoopForm::While(_), _));
        let (stm, room, counting) = match is_while {
            true => self.counting(b, stm),
            false => (stm, Room::Count, None),
        };
        // Copies of what is bound inside, because the return sweep binds the same again.
        let copy = copy_stm(&stm, b.vars_mut());
        let Exp::Loop(params, form, body) = copy.exp else { return self.refuse("this loop") };
        let (counter, count) = match (form, params.last(), stm.pat.last()) {
            (LoopForm::For(counter, bound), ..) => (counter, bound),
            (LoopForm::While(_), Some(number), Some(count)) => (number.var, (*count).into()),
            (LoopForm::While(_), ..) => return self.refuse("this loop"),
        };
        for ((param, var), copy) in params.iter().zip(&stm.pat).zip(&copy.pat) {
            if self.varied.contains(var) {
                self.varied.insert(param.var);
            }
            if self.useful.contains(var) || matches!(b.ty(*var), Type::Acc(_)) {
                self.useful.insert(*copy);
            }
        }
        let again = Stm::new(copy.pat, Exp::Loop(params, form, body));
        let only = Body { stms: vec![again.clone()], results: Vec::new() };
        activity::useful(&only, &mut self.useful);
        // If this is evaluated again, then so are the copies of its checks.
        self.common.repeats(&only);
        // Accumulators of the primal are not carried where it is evaluated again.
        let contributes = stm.pat.iter().any(|var| matches!(b.ty(*var), Type::Acc(_)));
        let (mut stm, again) = (without_accs(b, stm), without_accs(b, again));
        let Exp::Loop(mut params, _, body) = again.exp else { return self.refuse("this loop") };
        activity::varied(&body, b.vars(), &mut self.varied);
        let mut inner = Builder::new(b.vars_mut());
        let mut body_results = body.results.clone();
        self.frames.push(Frame::of(&params, counter, &body));
        let body_steps = self.sweep(&mut inner, body.stms)?;
        let body_stms = inner.finish(Vec::new()).stms;
        if let Some(frame) = self.frames.pop() {
            self.hand_on(b, frame, &mut params, (&mut body_results, &mut stm.pat));
        }
        let body = Body { stms: body_stms, results: body_results };
        let prim = prim_of(b.ty(counter)).or_bug("type of a counter");
        let mut taped = Taped {
            form,
            count,
            prim,
            counter,
            room,
            params,
            steps: body_steps,
            body,
            contributes,
            counting,
            back: None,
            covered: Vec::new(),
        };
        let first = self.common.repeated();
        self.prepare_back(b, &mut taped)?;
        taped.covered = self.common.uncover(first);
        for new in self.emit_forward(b, &stm, &mut taped) {
            if is_strip {
                self.unsaved.extend(&new.pat);
            }
            b.push(new);
        }
        steps.push(Step { stm, saved: Saved::Loop(Box::new(taped)) });
        Ok(())
    }

    /// Makes the return sweep of the body, with adjoints for everything varied.
    fn prepare_back(&mut self, b: &mut Builder<'_>, taped: &mut Taped) -> Res<()> {
        let outside = std::mem::take(&mut self.adjoints);
        let (mut sizes, mut carried) = (Vec::new(), Vec::new());
        let mut names = Subst::default();
        for (index, param) in taped.params.iter().enumerate() {
            let active = self.varied.contains(&param.var) && self.useful.contains(&param.var);
            if !active || !has_numbers(b.ty(param.var)) {
                continue;
            }
            let mut ty = b.ty(param.var).clone();
            for (index, size) in taped.params.iter().enumerate() {
                let is_size = ty.shape().contains(&Atom::Var(size.var));
                if is_size && !names.contains_key(&size.var) {
                    let var = b.param("size", b.ty(size.var).clone());
                    names.insert(size.var, var.into());
                    sizes.push((index, var));
                }
            }
            subst_type(&mut ty, &names);
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
            let result = taped.body.results[*index];
            let adjoint = resize(&mut inner, result, (*param).into());
            self.contribute(&mut inner, result, adjoint);
        }
        let loc = self.loc.clone();
        self.back(&mut inner, &taped.steps)?;
        self.loc = loc;
        let mut results: Vec<Atom> =
            sizes.iter().map(|(index, _)| taped.params[*index].var.into()).collect();
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
        let mut body = inner.finish(results);
        // What it evaluates again for nothing must not be kept for it.
        prune(&mut body, b.vars(), &self.common);
        self.adjoints = outside;
        let index = b.param("j", Type::prim(taped.prim));
        taped.back = Some(Back {
            sizes,
            carried,
            threaded,
            undone: Vec::new(),
            index,
            body,
            made: Cell::new(false),
        });
        Ok(())
    }

    pub(super) fn repeat_back(&mut self, b: &mut Builder<'_>, stm: &Stm, taped: &Taped) -> Res<()> {
        let adjoints = self.take_all(b, &stm.pat);
        if adjoints.iter().all(Option::is_none) && !taped.contributes {
            return Ok(());
        }
        let back = taped.back.as_ref().or_bug("return sweep of a loop");
        self.common.cover(&taped.covered);
        let mut params = Vec::new();
        let mut types = Vec::new();
        for (index, var) in &back.sizes {
            params.push(LoopParam { var: *var, init: stm.pat[*index].into() });
        }
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
        for array in &back.undone {
            params.push(LoopParam { var: array.param, init: stm.pat[array.index].into() });
        }
        for param in &params {
            types.push(b.ty(param.var).clone());
        }
        // The return sweep may be made several times, for several directions.
        let form = LoopForm::For(back.index, taped.count);
        let made = Stm::new(Vec::new(), Exp::Loop(params, form, Box::new(back.body.clone())));
        let mut made = if back.made.replace(true) { copy_stm(&made, b.vars_mut()) } else { made };
        made.loc.clone_from(&stm.loc);
        let mut names = Subst::default();
        let mut new: Vec<Var> = Vec::new();
        for (index, mut ty) in types.into_iter().enumerate() {
            subst_type(&mut ty, &names);
            new.push(b.param("adjoint", ty));
            if let Some((_, size)) = back.sizes.get(index) {
                names.insert(*size, new[index].into());
            }
        }
        made.pat.clone_from(&new);
        b.push(made);
        let (new, restored) = new.split_at(new.len() - back.undone.len());
        for (array, before) in back.undone.iter().zip(restored) {
            self.restored.insert(stm.pat[array.index], *before);
        }
        let (carried, threaded) = new[back.sizes.len()..].split_at(back.carried.len());
        for ((var, _), new) in back.threaded.iter().zip(threaded) {
            let adjoint = match b.ty(*new) {
                Type::Acc(_) => Adjoint::Acc(*new),
                Type::Scalar(_) | Type::Array(..) => Adjoint::Value((*new).into()),
            };
            self.adjoints.insert(*var, adjoint);
        }
        for ((index, _), new) in back.carried.iter().zip(carried) {
            let Exp::Loop(params, ..) = &stm.exp else { return self.refuse("this loop") };
            let init = params[*index].init;
            let adjoint = resize(b, init, (*new).into());
            self.contribute(b, init, adjoint);
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

/// A loop with a condition whose last parameter is the number of the iteration.
fn with_count(b: &mut Builder<'_>, mut stm: Stm) -> Stm {
    let Exp::Loop(params, _, body) = &mut stm.exp else { return stm };
    let number = b.param("i", Type::I64);
    params.push(LoopParam { var: number, init: 0.into() });
    let mut inner = Builder::new(b.vars_mut());
    std::mem::take(&mut body.stms).into_iter().for_each(|stm| inner.push(stm));
    let next = binary(&mut inner, BinOp::Add, number.into(), 1.into());
    let mut results = std::mem::take(&mut body.results);
    results.push(next);
    **body = inner.finish(results);
    stm.pat.push(b.param("count", Type::I64));
    stm
}
