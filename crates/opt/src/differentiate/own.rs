//! Copies that derivatives do not need: of arrays that are not used any more afterwards.
//!
//! ```text
//! loop (g = g0) for j < n do                 c0 = copy g0
//!   c = copy g                        =>     loop (g = c0) for j < n do
//!   c with [i] = 0                             g with [i] = 0
//! ```
//!
//! Derivatives are made as if nothing changed in place: everything that is consumed is a copy. Here, a copy becomes its
//! source if the source was made in the same body, or is a parameter of the loop around it, or one of several such
//! arrays, as branches yield, and neither it nor a view of it is used later. So loops that update one element in each
//! iteration take time in proportion to their iterations, and their derivatives do as well.

use super::common::Common;
use fehu_base::IdVec;
use fehu_ir::free::{bound_in_body, free_in_stm};
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::{AccInput, Atom, Body, Exp, Family, Lambda, LoopParam, Stm, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// Removes copies of a function's or constant's body.
///
/// Those of `allowed`, its parameters, it may consume.
pub(super) fn own(
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
    common: &Common,
    allowed: &FxHashSet<Var>,
) {
    // The second time, loops begin with copies of what they change, and what they yield is new.
    for _ in 0..2 {
        let (consumed, chosen) = (FxHashSet::default(), FxHashSet::default());
        let mut own = Own { vars, common, consumed, chosen, bases: Bases::default() };
        own.body(body, allowed);
    }
}

struct Own<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    common: &'a Common,
    /// What has become its copy, and may be consumed.
    consumed: FxHashSet<Var>,
    /// Results of branches and loops, which are one of several arrays as a whole.
    chosen: FxHashSet<Var>,
    /// Those of the bodies up to now: what a branch reads may be a view that was bound outside of it.
    bases: Bases,
}

/// For variables, the arrays that they may be views of.
type Bases = FxHashMap<Var, Vec<Var>>;

impl Own<'_> {
    /// `allowed` are arrays from outside of the body that it may consume.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the bodies of the others consume only what they make"
    )]
    fn body(&mut self, body: &mut Body, allowed: &FxHashSet<Var>) {
        let mut fresh = self.fresh(body);
        let mut later: FxHashSet<Var> = body.results.iter().filter_map(|atom| atom.var()).collect();
        let mut subst = Subst::default();
        let mut work: Vec<Stm> = std::mem::take(&mut body.stms);
        let mut out: Vec<Stm> = Vec::with_capacity(work.len());
        let mut made: FxHashSet<Var> = FxHashSet::default();
        while let Some(mut stm) = work.pop() {
            let mut is_given_copies = false;
            match &mut stm.exp {
                Exp::Copy(source) => {
                    let (source, copy) = (*source, stm.pat[0]);
                    let is_mine = |array: &Var| fresh.contains(array) || allowed.contains(array);
                    let same = self.vars[source].ty == self.vars[copy].ty;
                    let all = self.choices(source);
                    let is_last = |array: &Var| !self.is_used(*array, &later);
                    if same && all.iter().all(|array| is_mine(array) && is_last(array)) {
                        subst.insert(copy, source.into());
                        self.consumed.insert(source);
                        self.consumed.extend(all);
                        later.insert(source);
                        continue;
                    }
                }
                Exp::If(..) | Exp::Switch(..) => {
                    // A body knows what it yields itself, and the other one is not executed.
                    let mut others = later.clone();
                    stm.pat.iter().for_each(|var| {
                        others.remove(var);
                    });
                    let inside: FxHashSet<Var> = fresh
                        .iter()
                        .chain(allowed)
                        .filter(|array| !self.is_used(**array, &others))
                        .copied()
                        .collect();
                    stm.exp.map_bodies(&mut |body| self.body(body, &inside));
                }
                Exp::Loop(params, _, body) => {
                    let before: FxHashSet<Var> = self.consumable(params, body);
                    self.body(body, &before);
                    for param in params {
                        if !self.consumed.contains(&param.var) || made.contains(&param.var) {
                            continue;
                        }
                        // The first value is consumed, too.
                        if let Atom::Var(init) = param.init {
                            let copy = self.vars.push(self.vars[init].clone());
                            param.init = copy.into();
                            made.insert(param.var);
                            work.push(Stm::new(vec![copy], Exp::Copy(init)));
                            is_given_copies = true;
                        }
                    }
                }
                exp => exp.map_bodies(&mut |body| self.body(body, &FxHashSet::default())),
            }
            if is_given_copies {
                // Neither its results nor views of them are views of what it began with any more. There are few such loops.
                self.note(&stm, &mut fresh);
                out.iter().rev().for_each(|stm| self.note(stm, &mut fresh));
            }
            later.extend(free_in_stm(&stm, self.vars));
            out.push(stm);
        }
        out.reverse();
        body.stms = out;
        // Sources may be copies that are gone, too.
        let resolved: Subst =
            subst.iter().map(|(copy, source)| (*copy, resolve(*source, &subst))).collect();
        subst_body(body, self.vars, &resolved);
    }

    /// The parameters of a loop that its body may consume: the next value is a new array, or the parameter itself, and
    /// no other result is a view of it.
    fn consumable(&mut self, params: &[LoopParam], body: &Body) -> FxHashSet<Var> {
        let fresh = self.fresh(body);
        let bound: FxHashSet<Var> = bound_in_body(body).into_iter().collect();
        let mut allowed = FxHashSet::default();
        for (index, (param, result)) in params.iter().zip(&body.results).enumerate() {
            let Some(next) = result.var() else { continue };
            if !self.vars[param.var].ty.is_array() || next == param.var {
                continue;
            }
            let mine = self.with_bases(result);
            // What is bound inside is new, or a name of others among them.
            let known = |var: &Var| {
                fresh.contains(var)
                    || *var == param.var
                    || bound.contains(var)
                    || !self.vars[*var].ty.is_array()
            };
            let others = body.results.iter().enumerate().filter(|(other, _)| *other != index);
            let shared = others
                .flat_map(|(_, atom)| self.with_bases(atom))
                .any(|var| mine.contains(&var) || var == param.var);
            if mine.iter().all(known) && !shared {
                allowed.insert(param.var);
            }
        }
        allowed
    }

    /// The array, or if it is the result of a branch or a loop, those that it may be.
    fn choices(&self, array: Var) -> Vec<Var> {
        if !self.chosen.contains(&array) {
            return vec![array];
        }
        let of = self.bases.get(&array).into_iter().flatten().copied();
        of.filter(|array| !self.chosen.contains(array)).collect()
    }

    /// Whether the array or a view of it is among these variables.
    fn is_used(&self, array: Var, later: &FxHashSet<Var>) -> bool {
        let is_view =
            |var: &Var| *var == array || self.bases.get(var).is_some_and(|of| of.contains(&array));
        later.iter().any(is_view)
    }

    /// Notes what the results of a branch or a loop may be views of: what their bodies yield, arrays that are made
    /// inside included.
    fn joined(&mut self, stm: &Stm, fresh: &mut FxHashSet<Var>) {
        let mut of: Vec<Vec<Var>> = vec![Vec::new(); stm.pat.len()];
        stm.exp.for_each_body(&mut |body| {
            fresh.extend(self.fresh(body));
            for (of, result) in of.iter_mut().zip(&body.results) {
                of.extend(self.with_bases(result));
            }
        });
        if let Exp::Loop(params, ..) = &stm.exp {
            let inits: Vec<_> = params.iter().map(|param| self.with_bases(&param.init)).collect();
            through_params(params, &inits, &mut of);
        }
        for (var, mut of) in stm.pat.iter().zip(of) {
            if self.vars[*var].ty.is_array() {
                of.sort_unstable();
                of.dedup();
                self.bases.insert(*var, of);
                self.chosen.insert(*var);
            }
        }
    }

    /// An array, and what it may be a view of.
    fn with_bases(&self, atom: &Atom) -> Vec<Var> {
        let Some(var) = atom.var().filter(|var| self.vars[*var].ty.is_array()) else {
            return Vec::new();
        };
        let mut all = self.bases.get(&var).cloned().unwrap_or_default();
        all.push(var);
        all
    }

    /// The arrays that a body makes; what the others are views of is noted.
    fn fresh(&mut self, body: &Body) -> FxHashSet<Var> {
        let mut fresh = FxHashSet::default();
        body.stms.iter().for_each(|stm| self.note(stm, &mut fresh));
        fresh
    }

    /// Notes which arrays a statement makes, and what its other results are views of.
    fn note(&mut self, stm: &Stm, fresh: &mut FxHashSet<Var>) {
        if stm.exp.family() == Family::Control {
            return self.joined(stm, fresh);
        }
        if let Exp::WithAcc(inputs, lambda) = &stm.exp {
            return self.accumulated(&stm.pat, inputs, lambda, fresh);
        }
        let view = match stm.exp.family() {
            Family::Fresh => false,
            Family::Reference => {
                !matches!(&stm.exp, Exp::Call(id, _) if self.common.is_reverse(*id))
            }
            Family::Operator => false,
            Family::Change => matches!(stm.exp, Exp::UpdateAcc(..)),
            Family::Scalar
            | Family::Asked
            | Family::View
            | Family::Control
            | Family::Check
            | Family::Fixed => true,
        };
        if !view {
            fresh.extend(stm.pat.iter().copied().filter(|var| self.vars[*var].ty.is_array()));
            return;
        }
        // Whatever it mentions, it may be a view of.
        let mut of: Vec<Var> = Vec::new();
        for var in free_in_stm(stm, self.vars) {
            if self.vars[var].ty.is_array() {
                of.push(var);
                of.extend(self.bases.get(&var).into_iter().flatten().copied());
            }
        }
        of.sort_unstable();
        of.dedup();
        for var in stm.pat.iter().filter(|var| self.vars[**var].ty.is_array()) {
            self.bases.insert(*var, of.clone());
        }
    }

    /// Notes what the results of an accumulation are. Its arrays are consumed, and nothing else can be a view of what
    /// becomes of them; all other results are those of its function, which is evaluated once.
    fn accumulated(
        &mut self,
        pat: &[Var],
        inputs: &[AccInput],
        lambda: &Lambda,
        fresh: &mut FxHashSet<Var>,
    ) {
        fresh.extend(self.fresh(&lambda.body));
        let (arrays, others) = pat.split_at(inputs.iter().map(|input| input.arrays.len()).sum());
        fresh.extend(arrays);
        for (var, result) in others.iter().zip(&lambda.body.results[inputs.len()..]) {
            if self.vars[*var].ty.is_array() {
                let of = self.with_bases(result);
                self.bases.insert(*var, of);
                self.chosen.insert(*var);
            }
        }
    }
}

/// Adds what a loop's parameters stand for to what its results may be views of.
fn through_params(params: &[LoopParam], inits: &[Vec<Var>], of: &mut [Vec<Var>]) {
    for (of, init) in of.iter_mut().zip(inits) {
        of.extend(init);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for index in 0..of.len() {
            for (number, param) in params.iter().enumerate() {
                if !of[index].contains(&param.var) {
                    continue;
                }
                let more: Vec<Var> =
                    of[number].iter().filter(|var| !of[index].contains(var)).copied().collect();
                changed |= !more.is_empty();
                of[index].extend(more);
            }
        }
    }
    for of in of {
        of.retain(|var| params.iter().all(|param| param.var != *var));
    }
}

fn resolve(mut atom: Atom, subst: &Subst) -> Atom {
    while let Some(next) = atom.var().and_then(|var| subst.get(&var)) {
        atom = *next;
    }
    atom
}
