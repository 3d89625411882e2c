//! Reverse mode: the statements of a body, the *forward sweep*, and then from the last to the first what each of them
//! contributes to the adjoints of its operands, the *return sweep*.
//!
//! Both sweeps of straight code are in one scope, so that the return sweep refers to the values of the forward sweep. A
//! branch and the function of an operator are entered anew, and evaluate their forward sweep again; loops save what the
//! return sweep needs.
//!
//! * `adjoint`: contributions to adjoints, of whole arrays, slices, and in accumulators;
//! * `structure`: operations on arrays without functions;
//! * `map`: maps, with accumulators for the arrays that their functions read;
//! * `fold`: reductions; `select`: minima and maxima; `choose`: other choices; `product`, `regular`, `product_bins`:
//!   products; `scan`: scans; `write`: histograms and scatters; `bins`, `sorted_bins`: histograms by any operator;
//!   `few_bins`: those of few values in loops; `accumulate`: accumulators in the primal;
//! * `control`: branches; `through`: elements that they read; `single`: those that are loops; `repeat`: loops; `keep`:
//!   what they save, by a minimum `cut`; `tape`: where; `chain`: state that is made there; `undo` with `undo_change`,
//!   `undo_branch`, `undo_write`, `places` and `place_code`: arrays that change in place; `invert`: integers that are
//!   computed backwards; `ahead`: the first iterations of others; `blank`: who writes where; `strip`: loops in strips.

mod accumulate;
mod adjoint;
mod ahead;
mod bins;
mod blank;
mod chain;
mod choose;
mod control;
mod cut;
mod few_bins;
mod fold;
mod invert;
mod keep;
mod map;
mod place_code;
mod places;
mod product;
mod product_bins;
mod regular;
mod repeat;
mod scan;
mod select;
mod single;
mod sorted_bins;
mod strip;
mod structure;
mod tape;
mod through;
mod undo;
mod undo_branch;
mod undo_change;
mod undo_write;
mod write;

use self::adjoint::{Adjoint, Part};
use self::blank::Frame;
pub(super) use self::control::resize;
use self::product_bins::multiplied;
use self::regular::Products;
use self::select::{Bins, OneHot};
use self::single::as_loops;
pub use self::strip::limit_memory;
use super::activity::{self, Set};
use super::common::Common;
use super::num::{has_numbers, zero};
use super::once::Quiet;
use super::scalar::partials;
use super::spread::spread;
use super::{Refused, Res};
use fehu_base::OrBug;
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::free::free_in_stm;
use fehu_ir::visit::VisitMut;
use fehu_ir::{Atom, Body, Exp, Lambda, Loc, Seeds, Stm, Type, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The results of a function, which is applied here, and the adjoints of its arguments; with several directions, the
/// return sweep is spread.
pub(super) fn vjp(
    b: &mut Builder<'_>,
    mut reverse: Reverse,
    fun: Lambda,
    args: &[Atom],
    seeds: &Seeds,
    unroll: bool,
) -> Res<Vec<Atom>> {
    let mut by = Set::default();
    for (param, arg) in fun.params.iter().zip(args) {
        b.stm(vec![*param], Exp::Atom(*arg));
        if has_numbers(b.ty(*param)) {
            by.insert(*param);
        }
    }
    let results = fun.body.results.clone();
    let steps = reverse.begin(b, &by, fun.body)?;
    let mut all = results.clone();
    let Seeds { values: seeds, directions } = seeds;
    match *directions {
        None => all.extend(reverse.return_sweep(b, &steps, &results, seeds, &fun.params)?),
        Some(directions) => {
            let ones = super::one_direction(b, seeds);
            let mut inner = Builder::new(b.vars_mut());
            let seeds: Vec<Atom> = ones.iter().map(|(seed, _)| Atom::Var(*seed)).collect();
            let (first, loc) = (reverse.common.repeated(), reverse.loc.clone());
            let adjoints =
                reverse.return_sweep(&mut inner, &steps, &results, &seeds, &fun.params)?;
            let body = inner.finish(adjoints);
            let (adjoints, checked) = spread(b, body, &ones, 0, (directions, unroll, loc))?;
            if !checked {
                // There may be no direction at all.
                reverse.common.uncover(first);
            }
            all.extend(adjoints);
        }
    }
    Ok(all)
}

/// The state of the sweeps through the bodies of one function.
#[derive(Default)]
pub(super) struct Reverse {
    /// What depends on the variables that adjoints are wanted of.
    varied: Set,
    /// What the results with adjoints depend on.
    useful: Set,
    /// The adjoints of variables in scope; others are zero.
    adjoints: FxHashMap<Var, Adjoint>,
    /// What will be added to adjoints of arrays.
    parts: FxHashMap<Var, Vec<Part>>,
    /// What comes to that for arrays of the scope that have another adjoint than zero at one index.
    one_hots: FxHashMap<Var, OneHot>,
    /// The variables that the statements of the scope bind.
    local: Set,
    /// For accumulators of the primal, by their certificates: the adjoints of their arrays, or none if these are zero.
    accs: FxHashMap<Var, Vec<Option<Var>>>,
    pub(super) common: Rc<Common>,
    /// What loops do not save, even where they could.
    unsaved: Set,
    /// Of arrays that loops have changed: what they were before, where the return sweep has undone that.
    restored: FxHashMap<Var, Var>,
    /// The loops around what is swept, from the outermost one: not those outside of the function of an operator or a branch.
    frames: Vec<Frame>,
    products: Products,
    /// Whether loops are executed by the host, one after the other: not in the function of an operator.
    pub(super) is_host: bool,
    loc: Option<Loc>,
}

/// A statement of the forward sweep, and what the return sweep needs beside the values of the program.
pub(super) struct Step {
    stm: Stm,
    saved: Saved,
}

enum Saved {
    Nothing,
    Loop(Box<repeat::Taped>),
    /// Which element a reduction has selected.
    Winner(Var),
    /// It selects one, which the return sweep looks for.
    Selected,
    /// Whether all products in the function of a map are normal numbers.
    Normal(Var),
    /// The bins of a histogram of minima, maxima or products, as they were before.
    Bins(Var),
    /// The bins of a histogram by another operator, as they were before.
    AnyBins(Vec<Var>),
    /// Those that have values, of a histogram in a loop.
    FewBins(Box<few_bins::FewBins>),
    /// For each destination of a scatter, which positions write what stays.
    Winners(Vec<Var>),
}

impl Reverse {
    pub(super) fn of(common: Rc<Common>, loc: Option<Loc>) -> Reverse {
        Reverse { common, loc, ..Reverse::default() }
    }

    /// The forward sweep of a function by which variables, its parameters among them, are differentiated.
    pub(super) fn begin(&mut self, b: &mut Builder<'_>, by: &Set, body: Body) -> Res<Vec<Step>> {
        self.varied.extend(by);
        activity::varied(&body, b.vars(), &mut self.varied);
        self.useful.extend(body.results.iter().filter_map(|result| result.var()));
        activity::useful(&body, &mut self.useful);
        self.sweep(b, body.stms)
    }

    fn refuse<T>(&self, what: impl Into<String>) -> Res<T> {
        Err(Refused { loc: self.loc.clone(), what: what.into() })
    }

    pub(super) fn is_varied(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.varied.contains(&var))
    }

    /// The forward sweep.
    fn sweep(&mut self, b: &mut Builder<'_>, stms: Vec<Stm>) -> Res<Vec<Step>> {
        let mut steps = Vec::with_capacity(stms.len());
        for stm in stms {
            self.at(&stm.loc);
            b.set_loc(stm.loc.clone());
            let known = self.products;
            self.products = known.inside(&stm, b.vars());
            self.forward(b, stm, &mut steps)?;
            self.products = known;
        }
        Ok(steps)
    }

    fn at(&mut self, loc: &Option<Loc>) {
        if loc.is_some() {
            self.loc.clone_from(loc);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are executed as they are")]
    fn forward(&mut self, b: &mut Builder<'_>, stm: Stm, steps: &mut Vec<Step>) -> Res<()> {
        let active = stm.pat.iter().any(|var| self.varied.contains(var));
        if !active {
            b.push(stm);
            return Ok(());
        }
        let Some(stm) = self.select_forward(b, stm, steps) else { return Ok(()) };
        match &stm.exp {
            Exp::Screma(op) if self.tests_products(op, b.vars()) => {
                return self.products_forward(b, stm, steps);
            }
            Exp::Loop(..) => return self.repeat_forward(b, stm, steps),
            Exp::If(..) | Exp::Switch(..)
                if !self.frames.is_empty()
                    && let Some(loops) = as_loops(b, &stm) =>
            {
                return self.forward_all(b, loops, steps);
            }
            Exp::Hist(_) => return self.hist_forward(b, stm, steps),
            Exp::Scatter(_) => return self.scatter_forward(b, stm, steps),
            Exp::Stream(_) | Exp::Partition(_) | Exp::Flatmap(_) | Exp::Seg(_) => {
                return self.refuse("the derivative of this operation");
            }
            Exp::Call(id, args) => self.call_forward(b, &stm, *id, args),
            Exp::Diff(op) => {
                let results = super::inline(b, op.fun.clone(), op.args.clone());
                let mut out = Vec::new();
                super::bind_new(&stm.pat, results, b.vars_mut(), &mut out);
                out.into_iter().for_each(|stm| b.push(stm));
            }
            _ => {
                if let Some(stm) = self.without_accs(b, &stm) {
                    b.push(stm);
                }
            }
        }
        steps.push(Step { stm, saved: Saved::Nothing });
        Ok(())
    }

    /// Statements in place of one that is active.
    fn forward_all(
        &mut self,
        b: &mut Builder<'_>,
        stms: Vec<Stm>,
        steps: &mut Vec<Step>,
    ) -> Res<()> {
        let all = Body { stms, results: Vec::new() };
        activity::varied(&all, b.vars(), &mut self.varied);
        activity::useful(&all, &mut self.useful);
        all.stms.into_iter().try_for_each(|stm| self.forward(b, stm, steps))
    }

    /// The return sweep, from the adjoints of results to those of the wanted variables.
    fn return_sweep(
        &mut self,
        b: &mut Builder<'_>,
        steps: &[Step],
        results: &[Atom],
        seeds: &[Atom],
        wanted: &[Var],
    ) -> Res<Vec<Atom>> {
        let outside = std::mem::take(&mut self.adjoints);
        for (result, seed) in results.iter().zip(seeds) {
            self.contribute(b, *result, *seed);
        }
        self.back(b, steps)?;
        let mut all = Vec::new();
        for var in wanted {
            all.push(self.take_or_zero(b, *var));
        }
        self.adjoints = outside;
        Ok(all)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are evaluated once")]
    pub(super) fn back(&mut self, b: &mut Builder<'_>, steps: &[Step]) -> Res<()> {
        let local = steps.iter().flat_map(|step| step.stm.pat.iter().copied()).collect();
        let outside = std::mem::replace(&mut self.local, local);
        // What waits outside waits for all bodies: the first one must not take it away from the others.
        let waiting = std::mem::take(&mut self.parts);
        let one_hots = std::mem::take(&mut self.one_hots);
        for step in steps.iter().rev() {
            self.at(&step.stm.loc);
            b.set_loc(step.stm.loc.clone());
            let certs = b.set_certs(step.stm.certs.clone());
            let again = match &step.stm.exp {
                Exp::If(..) | Exp::Switch(..) => true,
                Exp::Screma(op) => op.scans.is_empty() && op.reds.is_empty(),
                _ => false,
            };
            self.common.open(&step.stm.pat, again);
            let known = self.products;
            self.products = known.inside(&step.stm, b.vars());
            self.step(b, step)?;
            self.products = known;
            self.common.close();
            b.set_certs(certs);
        }
        let parts: Vec<Var> = self.parts.keys().copied().collect();
        self.settle_all(b, parts.into_iter());
        self.parts = waiting;
        self.one_hots = one_hots;
        self.local = outside;
        Ok(())
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others contribute only if they have an adjoint"
    )]
    fn step(&mut self, b: &mut Builder<'_>, step: &Step) -> Res<()> {
        let stm = &step.stm;
        match &stm.exp {
            Exp::UpdateAcc(acc, indices, values) => {
                return self.update_acc_back(b, *acc, indices, values);
            }
            Exp::Screma(op) if op.inputs.iter().any(|input| !b.ty(*input).is_array()) => {}
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) => {}
            // Nothing depends on it.
            _ if !stm.pat.iter().any(|var| self.has_adjoint(*var)) => return Ok(()),
            _ => {}
        }
        if !self.parts.is_empty() && stm.exp.has_bodies() {
            // Inside, it contributes to adjoints of arrays from outside.
            self.settle_all(b, free_in_stm(stm, b.vars()).into_iter());
        }
        if self.one_back(b, stm) {
            return Ok(());
        }
        match (&stm.exp, &step.saved) {
            (Exp::Loop(..), Saved::Loop(taped)) => self.repeat_back(b, stm, taped),
            (Exp::If(..) | Exp::Switch(..), _) => self.branch_back(b, stm),
            (Exp::Screma(op), _) if op.scans.is_empty() && op.reds.is_empty() => {
                if self.map_back_at_one(b, stm, op)? {
                    self.common.covers(false);
                    return Ok(());
                }
                if let Saved::Normal(all) = step.saved {
                    return self.products_back(b, stm, all);
                }
                let adjoints = self.take_all(b, &stm.pat);
                self.map_back(b, op.width, &op.inputs, &op.map, adjoints)
            }
            (Exp::Screma(op), Saved::Winner(winner)) => self.select_back(b, stm, op, Some(*winner)),
            (Exp::Screma(op), Saved::Selected) => self.select_back(b, stm, op, None),
            (Exp::Screma(op), _) if op.scans.is_empty() => self.reduce_back(b, stm, op),
            (Exp::Screma(op), _) => self.scan_back(b, stm, op),
            (Exp::Hist(op), Saved::Bins(before)) => {
                let (dest, after) = (op.ops[0].dests[0], stm.pat[0]);
                let bins = Bins { dest, before: *before, after };
                if let Some(prim) = multiplied(op, b) {
                    return self.product_bins_back(b, op, bins, prim);
                }
                self.bins_back(b, op.width, bins, (op.inputs[0], op.inputs[1]));
                Ok(())
            }
            (Exp::Hist(op), Saved::AnyBins(before)) => self.any_bins_back(b, stm, op, before),
            (Exp::Hist(op), Saved::FewBins(few)) => self.few_bins_back(b, stm, op, few),
            (Exp::Hist(op), _) => self.hist_back(b, stm, op),
            (Exp::Scatter(op), Saved::Winners(winners)) => self.scatter_back(b, stm, op, winners),
            (Exp::WithAcc(inputs, lambda), _) => self.with_acc_back(b, stm, inputs, lambda),
            (Exp::Diff(op), _) => self.custom_back(b, stm, op),
            (Exp::Call(id, args), _) => self.call_back(b, &stm.pat, *id, args),
            (exp, _) => {
                let y = *stm.pat.first().or_bug("result of an operation");
                let varied = &self.varied;
                let wanted = |atom: Atom| atom.var().is_some_and(|var| varied.contains(&var));
                let Some(parts) = partials(b, exp, y.into(), &wanted) else {
                    return self.structure_back(b, stm);
                };
                let Some(adjoint) = self.take(b, y) else { return Ok(()) };
                for (operand, partial) in parts {
                    let Some(prim) = prim_of(&b.atom_ty(operand)) else { continue };
                    if !self.is_varied(operand) {
                        continue;
                    }
                    if let Some(part) = partial.times(b, adjoint, prim) {
                        self.contribute(b, operand, part);
                    }
                }
                Ok(())
            }
        }
    }

    /// A function whose adjoint the program gives.
    fn custom_back(&mut self, b: &mut Builder<'_>, stm: &Stm, op: &fehu_ir::Diff) -> Res<()> {
        let fehu_ir::DiffForm::Custom(adjoint) = &op.form else {
            return self.refuse("a derivative inside of this one");
        };
        let mut args: Vec<Atom> = stm.pat.iter().map(|var| Atom::Var(*var)).collect();
        for var in &stm.pat {
            args.push(self.take_or_zero(b, *var));
        }
        let fun = fehu_ir::subst::copy_lambda(adjoint, b.vars_mut());
        let results = super::inline(b, fun, args);
        for (arg, result) in op.args.iter().zip(results) {
            self.contribute(b, *arg, result);
        }
        Ok(())
    }

    /// Zero of the type of a variable.
    fn zero_like(&self, b: &mut Builder<'_>, var: Var) -> Atom {
        let ty = b.ty(var).clone();
        zero(b, &ty)
    }

    /// Runs both sweeps of a body in a scope of its own: `b` is the builder of the scope. The adjoints of its results are given.
    fn scope(&mut self, b: &mut Builder<'_>, mut body: Body, adjoints: &[Option<Atom>]) -> Res<()> {
        self.common.repeats(&body);
        let frames = std::mem::take(&mut self.frames);
        Quiet.body(&mut body);
        activity::varied(&body, b.vars(), &mut self.varied);
        let results = body.results.clone();
        for (result, adjoint) in results.iter().zip(adjoints) {
            let is_acc = matches!(b.atom_ty(*result), Type::Acc(_));
            if adjoint.is_some() || is_acc {
                self.useful.extend(result.var());
            }
        }
        activity::useful(&body, &mut self.useful);
        let loc = self.loc.clone();
        let steps = self.sweep(b, body.stms)?;
        for (result, adjoint) in results.iter().zip(adjoints) {
            if let Some(adjoint) = adjoint {
                // The sizes of results have other names inside.
                let adjoint = resize(b, *result, *adjoint);
                self.contribute(b, *result, adjoint);
            }
        }
        self.back(b, &steps)?;
        self.loc = loc;
        self.frames = frames;
        Ok(())
    }
}
