//! Loops: invariants of their parameters.
//!
//! Invariants are guessed and then checked: a parameter is not smaller than its initial value, or not larger, or not
//! negative; in a loop with a counter `i`, a parameter that grows by a number `c` is its initial value plus `c * i`.
//! The body is traversed with all guesses as facts, and a guess that does not follow for the next iteration is dropped,
//! until all remaining ones do. For a `while` loop, what its condition says about the next values is translated into
//! what it says about the parameters: in the body of
//!
//! ```text
//! loop (go = lt 0 n, i = 0) while go { let j = add i 1  let go' = lt j n  in (go', j) }
//! ```
//!
//! `i < n` holds, because it holds initially and `j < n` holds for the `j` that becomes `i`.
//!
//! A loop inside a loop is traversed again for every guess about the outer one; guesses are nested only [`MAX_TRIALS`]
//! deep, so that the time is linear in the size of the program times the depth of loops.

use super::{Counter, Flow, Level};
use crate::poly::Poly;
use crate::ranges::{Certs, join};
use fehu_ir::{Atom, Body, LoopForm, LoopParam, Stm, Type, Var};

/// How deep guesses are nested.
const MAX_TRIALS: u32 = 2;
/// How often failed guesses are dropped before all are.
const ROUNDS: usize = 3;

/// Something that may hold of a parameter in every iteration.
#[derive(Clone, Debug)]
struct Guess {
    /// The number of the parameter.
    index: usize,
    kind: Kind,
    certs: Certs,
}

#[derive(Clone, Debug)]
enum Kind {
    /// At least this.
    Low(Poly),
    /// At most this.
    High(Poly),
    /// This plus a number times the counter.
    Linear(Poly, i128),
}

/// The parts of a loop.
#[derive(Clone, Copy)]
struct Repeat<'a> {
    params: &'a [LoopParam],
    form: LoopForm,
    body: &'a Body,
    start: u32,
}

impl<'a> Flow<'a, '_> {
    pub(super) fn repeat(
        &mut self,
        stm: &'a Stm,
        params: &'a [LoopParam],
        form: LoopForm,
        body: &'a Body,
    ) {
        let it = Repeat { params, form, body, start: self.ranges.now() };
        let mut guesses = Vec::new();
        let mut goes = Vec::new();
        if self.trial < MAX_TRIALS {
            self.trial += 1;
            let outer = self.ranges.set_trial(self.spared + self.trial as usize);
            guesses = self.guesses(params);
            if !guesses.is_empty() {
                self.attempt(it, &[], &[], |flow| {
                    flow.linear(it, &mut guesses);
                    goes = flow.conditions(it);
                });
                goes.retain_mut(|(poly, certs)| match self.holds_first(it, poly) {
                    Some(why) => {
                        join(certs, &why);
                        true
                    }
                    None => false,
                });
            }
            self.settle(it, &mut guesses, &goes);
            self.trial -= 1;
            self.ranges.set_trial(outer);
        }
        self.attempt(it, &guesses, &goes, |_| ());
        self.bind(stm);
        for guess in &guesses {
            let Some(var) = stm.pat.get(guess.index) else { continue };
            match &guess.kind {
                Kind::Low(low) => {
                    self.ranges.between(*var, Some(low.clone()), None, &guess.certs);
                }
                Kind::High(high) => {
                    self.ranges.between(*var, None, Some(high.clone()), &guess.certs);
                }
                Kind::Linear(first, step) => self.last(*var, form, first, *step, &guess.certs),
            }
        }
    }

    /// Drops guesses until the others hold in every iteration.
    fn settle(&mut self, it: Repeat<'a>, guesses: &mut Vec<Guess>, goes: &[(Poly, Certs)]) {
        for round in 0..=ROUNDS {
            if guesses.is_empty() {
                return;
            }
            if round == ROUNDS {
                guesses.clear();
                return;
            }
            let assumed = guesses.clone();
            let mut kept = Vec::new();
            self.attempt(it, &assumed, goes, |flow| {
                for guess in &assumed {
                    if let Some(certs) = flow.keeps(it, guess) {
                        let mut guess = guess.clone();
                        // Checks inside have passed in the iterations before.
                        join(&mut guess.certs, &certs);
                        guess.certs.retain(|cert| flow.ranges.order(*cert) <= it.start);
                        kept.push(guess);
                    }
                }
            });
            let done = kept.len() == guesses.len();
            *guesses = kept;
            if done {
                return;
            }
        }
    }

    /// Walks over the body with these facts, and does something at its end.
    fn attempt(
        &mut self,
        it: Repeat<'a>,
        guesses: &[Guess],
        goes: &[(Poly, Certs)],
        at_end: impl FnOnce(&mut Self),
    ) {
        let level = match it.form {
            LoopForm::For(var, bound) if self.ranges.vars()[var].ty == Type::I64 => {
                let counters = vec![Counter::position(var)];
                Level::Each { counters, bound, start: it.start, operator: false }
            }
            LoopForm::For(..) | LoopForm::While(_) => Level::Loop,
        };
        self.inside(level, |flow| {
            for param in it.params {
                flow.ranges.bind(param.var);
            }
            let vars = flow.ranges.vars();
            match it.form {
                LoopForm::For(var, bound) => {
                    flow.ranges.bind(var);
                    let (high, certs) = match flow.ranges.settled(bound) {
                        Some((bound, certs)) => {
                            flow.ranges.assume_some(&bound, &certs);
                            (bound.plus(-1), certs)
                        }
                        None => (None, Certs::new()),
                    };
                    flow.ranges.between(var, Some(Poly::default()), high, &certs);
                }
                LoopForm::While(var) => flow.ranges.assume(Atom::Var(var), true, &Certs::new()),
            }
            for param in it.params {
                let shape = vars[param.var].ty.shape();
                flow.sizes(&shape[..shape.len().min(1)], &Certs::new());
            }
            for guess in guesses {
                flow.assume_guess(it, guess);
            }
            for (poly, certs) in goes {
                flow.ranges.assume_nonneg(poly, certs);
            }
            flow.body(it.body);
            at_end(flow);
        });
    }

    /// Bounds of the integer parameters by their first values.
    fn guesses(&mut self, params: &[LoopParam]) -> Vec<Guess> {
        let mut guesses = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let Some((first, certs)) = self.ranges.settled(param.init) else { continue };
            if self.ranges.poly(Atom::Var(param.var)).is_none() {
                continue;
            }
            let mut add = |kind, certs: &Certs| {
                guesses.push(Guess { index, kind, certs: certs.clone() });
            };
            add(Kind::Low(first.clone()), &certs);
            add(Kind::High(first.clone()), &certs);
            if first.as_constant() != Some(0)
                && let Some(why) = self.ranges.prove_nonneg(&first)
            {
                let mut certs = certs.clone();
                join(&mut certs, &why);
                add(Kind::Low(Poly::default()), &certs);
            }
        }
        guesses
    }

    /// Adds guesses for parameters that grow by a number; at the end of the body.
    fn linear(&mut self, it: Repeat<'a>, guesses: &mut Vec<Guess>) {
        let LoopForm::For(..) = it.form else { return };
        for (index, param) in it.params.iter().enumerate() {
            let Some((first, certs)) = self.ranges.poly(param.init) else { continue };
            if let Some(step) = self.step(it, index) {
                guesses.push(Guess { index, kind: Kind::Linear(first, step), certs });
            }
        }
    }

    /// By how much a parameter grows, unless that wraps.
    fn step(&self, it: Repeat<'a>, index: usize) -> Option<i128> {
        let param = it.params.get(index)?.var;
        let next = self.ranges.unless_wrapped(*it.body.results.get(index)?)?;
        self.ranges.poly(Atom::Var(param))?;
        next.sub(&Poly::var(param))?.as_constant()
    }

    fn assume_guess(&mut self, it: Repeat<'a>, guess: &Guess) {
        let var = it.params[guess.index].var;
        match &guess.kind {
            Kind::Low(low) => self.ranges.between(var, Some(low.clone()), None, &guess.certs),
            Kind::High(high) => self.ranges.between(var, None, Some(high.clone()), &guess.certs),
            Kind::Linear(..) => {
                let zero = |flow: &Self| {
                    let value = flow.value_at(it, guess, 0)?;
                    value.sub(&Poly::var(var))
                };
                if let Some(difference) = zero(self) {
                    self.ranges.assume_zero(&difference, &guess.certs);
                }
            }
        }
    }

    /// The value of a linear parameter, this many iterations later.
    fn value_at(&self, it: Repeat<'a>, guess: &Guess, later: i128) -> Option<Poly> {
        let (LoopForm::For(counter, _), Kind::Linear(first, step)) = (it.form, &guess.kind) else {
            return None;
        };
        Poly::var(counter).plus(later)?.scale(*step)?.add(first)
    }

    /// Whether a guess holds of the next values, too; at the end of the body.
    fn keeps(&mut self, it: Repeat<'a>, guess: &Guess) -> Option<Certs> {
        // Few proofs, on which many others depend.
        let trial = self.ranges.set_trial(self.spared + (self.trial as usize).saturating_sub(1));
        let certs = self.follows(it, guess);
        self.ranges.set_trial(trial);
        certs
    }

    fn follows(&mut self, it: Repeat<'a>, guess: &Guess) -> Option<Certs> {
        let (next, mut certs) = self.ranges.settled(*it.body.results.get(guess.index)?)?;
        let goals = match &guess.kind {
            Kind::Low(low) => [Some(next.sub(low)?), None],
            Kind::High(high) => [Some(high.sub(&next)?), None],
            Kind::Linear(..) => {
                let difference = next.sub(&self.value_at(it, guess, 1)?)?;
                [Some(difference.neg()?), Some(difference)]
            }
        };
        for goal in goals.into_iter().flatten() {
            join(&mut certs, &self.ranges.prove_nonneg(&goal)?);
        }
        Some(certs)
    }

    /// The value of a linear parameter after the loop.
    fn last(&mut self, var: Var, form: LoopForm, first: &Poly, step: i128, certs: &Certs) {
        let LoopForm::For(_, bound) = form else { return };
        if let Some((bound, why)) = self.ranges.settled(bound)
            && let Some(more) = self.ranges.prove_nonneg(&bound)
            && let Some(value) = bound.scale(step).and_then(|growth| growth.add(first))
            && let Some(difference) = value.sub(&Poly::var(var))
        {
            let mut certs = certs.clone();
            join(&mut certs, &why);
            join(&mut certs, &more);
            self.ranges.assume_zero(&difference, &certs);
        }
    }

    /// What the condition for another iteration says of the parameters then; at the end of the body.
    fn conditions(&mut self, it: Repeat<'a>) -> Vec<(Poly, Certs)> {
        let LoopForm::While(go) = it.form else { return Vec::new() };
        let Some(index) = it.params.iter().position(|param| param.var == go) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let next = it.body.results.get(index).copied();
        for (poly, mut certs) in next.map_or_else(Vec::new, |next| self.ranges.implied(next)) {
            if let Some(poly) = self.translate(it, poly) {
                certs.retain(|cert| self.ranges.order(*cert) <= it.start);
                found.push((poly, certs));
            }
        }
        found
    }

    /// A polynomial of next values, and of what does not change, in terms of the parameters.
    fn translate(&self, it: Repeat<'a>, mut poly: Poly) -> Option<Poly> {
        let before = poly.clone();
        let mut done: Vec<Var> = Vec::new();
        for (index, param) in it.params.iter().enumerate() {
            let Some(Atom::Var(next)) = it.body.results.get(index) else { continue };
            if self.ranges.order(*next) > it.start
                && poly.mentions(*next)
                && !it.params.iter().any(|param| param.var == *next)
            {
                if before.mentions(param.var) {
                    // The value before and the next one cannot have the same name.
                    return None;
                }
                poly = poly.replace(*next, &Poly::var(param.var))?;
                done.push(param.var);
            }
        }
        for (index, param) in it.params.iter().enumerate() {
            if !poly.mentions(param.var) {
                continue;
            }
            // The value before, of a parameter whose next value is not known by name. Exactly known steps only.
            if done.contains(&param.var) {
                continue;
            }
            let (next, _) = self.ranges.poly(*it.body.results.get(index)?)?;
            let step = next.sub(&Poly::var(param.var))?.as_constant()?;
            poly = poly.replace(param.var, &Poly::var(param.var).plus(-step)?)?;
        }
        let mut vars = poly.vars().into_iter();
        let known = |var: Var| {
            self.ranges.order(var) <= it.start || it.params.iter().any(|param| param.var == var)
        };
        vars.all(known).then_some(poly)
    }

    /// Whether what the condition says holds in the first iteration.
    fn holds_first(&mut self, it: Repeat<'a>, poly: &Poly) -> Option<Certs> {
        let LoopForm::While(go) = it.form else { return None };
        let mut first = poly.clone();
        let mut certs = Certs::new();
        for param in it.params {
            if first.mentions(param.var) {
                let (init, why) = self.ranges.settled(param.init)?;
                first = first.replace(param.var, &init)?;
                join(&mut certs, &why);
            }
        }
        let mark = self.ranges.enter();
        if let Some(param) = it.params.iter().find(|param| param.var == go) {
            self.ranges.assume(param.init, true, &Certs::new());
        }
        let why = self.ranges.prove_nonneg(&first);
        self.ranges.leave(mark);
        join(&mut certs, &why?);
        Some(certs)
    }
}
