//! Walks over a function and keeps [`Ranges`] up to date: at every statement, a client can ask what is known.
//!
//! The following is known: how scalars are computed; the ranges of loop variables and of the elements of `iota`; that a
//! check has passed, in the rest of its body; that a condition holds or does not hold, in the bodies of a branch; and
//! loop invariants of the parameters of a loop, which are guessed and then checked (`repeat`).
//!
//! # Sizes
//!
//! Sizes are not negative, but this is assumed only where a check has ensured it, because an array that is never used
//! may be removed together with the error that creating it would cause. This applies to the sizes of parameters and
//! results of calls, and of arrays that `iota`, `replicate`, `concat` and slices create. The rows of the result of an
//! array operator need not exist: `map (\_ -> iota m) (iota 0)` never looks at `m`.

mod known;
mod repeat;
mod soac;

pub use known::Known;
pub use soac::is_sum;

use super::poly::Poly;
use super::ranges::{Certs, MAX_ELEMENTS, Ranges, join};
use fehu_base::IdVec;
use fehu_ir::builder::prim_of;
use fehu_ir::{Atom, Body, Dim, Elem, Exp, Fun, Scalar, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// Looks at statements with what is known before them.
pub trait Client {
    /// A statement that is evaluated next. The path leads to its body, outermost first.
    fn stm(&mut self, ranges: &mut Ranges<'_>, stm: &Stm, path: &[Level]);

    /// Whether the bodies of a loop or operator are of interest. If not, nothing is found out about its results.
    fn enters(&self, _stm: &Stm) -> bool {
        true
    }
}

/// What a body is part of.
#[derive(Clone, PartialEq, Debug)]
pub enum Level {
    /// A branch: not always evaluated.
    Branch,
    /// A body that is evaluated once for every position from zero to a bound, exclusively; `start` is the number of the
    /// last binding before it.
    Each {
        /// The variables that say which position it is.
        counters: Vec<Counter>,
        /// The bound.
        bound: Atom,
        /// See [`Ranges::now`].
        start: u32,
        /// Whether it is the function of an operator, and not the body of a loop.
        operator: bool,
    },
    /// The body of another loop, evaluated any number of times.
    Loop,
    /// Another function that is evaluated any number of times.
    Repeated,
}

/// A variable that is `first + step * i` at position `i`, unless that wraps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Counter {
    /// The variable.
    pub var: Var,
    /// Its value at the first position.
    pub first: Atom,
    /// By how much it grows.
    pub step: i64,
}

impl Counter {
    /// A variable that is the position itself.
    pub fn position(var: Var) -> Counter {
        Counter { var, first: Atom::i64(0), step: 1 }
    }

    /// Whether it is the position itself.
    pub fn is_position(&self) -> bool {
        *self == Counter::position(self.var)
    }
}

/// Walks over a function.
pub fn walk_fun(fun: &Fun, client: &mut dyn Client) {
    let params: Vec<Var> = fun.params.iter().map(|param| param.var).collect();
    walk(&fun.vars, &params, &fun.body, client, Effort::Full);
}

/// How much work is put into proofs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// As much as is reasonable once.
    Full,
    /// A part of it, for a body that was looked at before.
    Less,
}

/// Walks over the body of a function or constant with these variables and parameters.
pub fn walk(
    vars: &IdVec<Var, VarInfo>,
    params: &[Var],
    body: &Body,
    client: &mut dyn Client,
    effort: Effort,
) {
    let spared = match effort {
        Effort::Full => 0,
        Effort::Less => 1,
    };
    let mut flow = Flow {
        spared,
        ranges: Ranges::new(vars),
        client: Some(client),
        path: Vec::new(),
        iotas: FxHashMap::default(),
        certs: FxHashMap::default(),
        trial: 0,
    };
    flow.ranges.set_trial(spared);
    for param in params {
        flow.ranges.bind(*param);
    }
    for param in params {
        flow.argument(*param);
    }
    flow.body(body);
}

/// The elements of an array: `start + step * i`, this many.
#[derive(Clone)]
struct Progression {
    count: Atom,
    start: Atom,
    step: Atom,
}

struct Flow<'a, 'c> {
    ranges: Ranges<'a>,
    /// Who looks at statements. Without it, the bodies of statements are not entered.
    client: Option<&'c mut dyn Client>,
    path: Vec<Level>,
    iotas: FxHashMap<Var, Progression>,
    /// The certificates of the statements that bind sizes.
    certs: FxHashMap<Var, Certs>,
    /// How many guesses this is part of: the client is not told anything then.
    trial: u32,
    /// By how many guesses more is spared in proofs.
    spared: usize,
}

impl<'a> Flow<'a, '_> {
    /// An array that exists in memory.
    fn argument(&mut self, var: Var) {
        let vars = self.ranges.vars();
        let Type::Array(elem, shape) = &vars[var].ty else { return };
        self.sizes(shape, &Certs::new());
        if *elem == Elem::Unit {
            return;
        }
        let product = shape.iter().try_fold(Poly::constant(1), |product, size| {
            let (size, _) = self.ranges.poly(*size)?;
            product.mul(&size)
        });
        if let Some(rest) = product.and_then(|p| Poly::constant(MAX_ELEMENTS - 1).sub(&p)) {
            self.ranges.assume_nonneg(&rest, &Certs::new());
        }
    }

    /// Sizes that a check has made sure of.
    fn sizes(&mut self, sizes: &[Atom], certs: &Certs) {
        for size in sizes {
            if let Some((poly, why)) = self.ranges.poly(*size)
                && self.ranges.prove_nonneg(&poly).is_none()
            {
                let mut all = certs.clone();
                join(&mut all, &why);
                if let Atom::Var(var) = size
                    && let Some(more) = self.certs.get(var)
                {
                    join(&mut all, more);
                }
                self.ranges.assume_nonneg(&poly, &all);
            }
        }
    }

    fn body(&mut self, body: &'a Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }

    /// A body with facts of its own.
    fn inside<T>(&mut self, level: Level, work: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.ranges.enter();
        self.path.push(level);
        let result = work(self);
        self.path.pop();
        self.ranges.leave(mark);
        result
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "of other expressions nothing is known")]
    fn stm(&mut self, stm: &'a Stm) {
        if self.trial == 0
            && let Some(client) = &mut self.client
        {
            client.stm(&mut self.ranges, stm, &self.path);
        }
        match &stm.exp {
            Exp::If(cond, bodies) if self.is_shallow() => {
                self.bind(stm);
                (0..stm.pat.len()).for_each(|index| self.boolean(stm, *cond, bodies, index));
            }
            Exp::Switch(..) if self.is_shallow() => self.bind(stm),
            Exp::If(cond, bodies) => self.branch(stm, *cond, bodies),
            Exp::Switch(value, switch) => {
                for (case, body) in &switch.cases {
                    self.inside(Level::Branch, |flow| {
                        flow.assume_equal(*value, Atom::Const(*case));
                        flow.body(body);
                    });
                }
                self.inside(Level::Branch, |flow| flow.body(&switch.default));
                self.bind(stm);
            }
            Exp::Loop(..) if !self.enters(stm) => self.bind(stm),
            Exp::Loop(params, form, body) => self.repeat(stm, params, *form, body),
            Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Stream(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
            | Exp::Seg(_)
            | Exp::WithAcc(..) => self.soac(stm),
            _ => {
                self.bind(stm);
                self.plain(stm);
            }
        }
        self.result_sizes(stm);
    }

    fn bind(&mut self, stm: &Stm) {
        for var in &stm.pat {
            self.ranges.bind(*var);
            if !stm.certs.is_empty() {
                self.certs.insert(*var, stm.certs.iter().copied().collect());
            }
        }
    }

    /// A statement without bodies.
    #[expect(clippy::wildcard_enum_match_arm, reason = "of other expressions nothing is known")]
    fn plain(&mut self, stm: &Stm) {
        let [var] = stm.pat.as_slice() else { return };
        match &stm.exp {
            Exp::Assert(cond, _) => {
                self.ranges.assume(*cond, true, &Certs::from_slice(&[*var]));
            }
            Exp::Iota(_, count, start, step) => {
                let iota = Progression { count: *count, start: *start, step: *step };
                self.iotas.insert(*var, iota);
            }
            Exp::Atom(Atom::Var(array))
            | Exp::Reshape(array, _)
            | Exp::Copy(array)
            | Exp::Manifest(array)
                if self.ranges.vars()[*var].ty.rank() == 1 =>
            {
                if let Some(iota) = self.iotas.get(array) {
                    let iota = iota.clone();
                    self.iotas.insert(*var, iota);
                }
            }
            Exp::Index(array, dims) => {
                if let ([Dim::Fix(index)], Some(iota)) = (dims.as_slice(), self.iotas.get(array)) {
                    let iota = iota.clone();
                    self.element(*var, &iota, *index);
                }
            }
            exp => self.ranges.learn(*var, exp),
        }
    }

    /// An element of a progression at an index that is in bounds.
    fn element(&mut self, var: Var, iota: &Progression, index: Atom) {
        let zero = |atom| matches!(atom, Atom::Const(Scalar::I64(0)));
        if zero(iota.start) && iota.step == Atom::i64(1) {
            self.ranges.learn(var, &Exp::Atom(index));
        }
    }

    fn assume_equal(&mut self, a: Atom, b: Atom) {
        if let (Some((a, mut certs)), Some((b, why))) =
            (self.ranges.settled(a), self.ranges.settled(b))
            && let Some(difference) = a.sub(&b)
        {
            join(&mut certs, &why);
            self.ranges.assume_zero(&difference, &certs);
        }
    }

    /// The sizes of what a statement makes, as far as a check has made sure of them.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the sizes of other results are not trusted"
    )]
    fn result_sizes(&mut self, stm: &Stm) {
        let certs: Certs = stm.certs.iter().copied().collect();
        let vars = self.ranges.vars();
        for var in &stm.pat {
            let shape = vars[*var].ty.shape();
            if shape.is_empty() {
                continue;
            }
            let trusted = match &stm.exp {
                Exp::Call(..) | Exp::Const(_) => shape.len(),
                Exp::Iota(..)
                | Exp::Replicate(..)
                | Exp::Concat(..)
                | Exp::If(..)
                | Exp::Loop(..)
                | Exp::Partition(_) => 1,
                Exp::Index(_, dims) => {
                    dims.iter().filter(|dim| matches!(dim, Dim::Slice { .. })).count()
                }
                _ => 0,
            };
            self.sizes(&shape[..trusted.min(shape.len())], &certs);
        }
    }

    fn branch(&mut self, stm: &'a Stm, cond: Atom, bodies: &'a [Body; 2]) {
        let start = self.ranges.now();
        // For every result and alternative: its polynomial, bounds outside, and whether it is nonnegative.
        let mut found: [Vec<Option<Found>>; 2] = [Vec::new(), Vec::new()];
        for (index, body) in bodies.iter().enumerate() {
            found[index] = self.inside(Level::Branch, |flow| {
                flow.ranges.assume(cond, index == 0, &Certs::new());
                flow.body(body);
                body.results.iter().map(|result| flow.found(*result, start)).collect()
            });
        }
        self.bind(stm);
        let [yes, no] = found;
        for (index, (yes, no)) in yes.into_iter().zip(no).enumerate() {
            let Some(var) = stm.pat.get(index).copied() else { continue };
            if let (Some(yes), Some(no)) = (yes, no) {
                self.choice(var, cond, &yes, &no);
            } else {
                self.boolean(stm, cond, bodies, index);
            }
        }
    }

    /// A result of a branch, if it is a boolean: both of two conditions, for instance.
    fn boolean(&mut self, stm: &Stm, cond: Atom, bodies: &[Body; 2], index: usize) {
        let var = stm.pat[index];
        if prim_of(&self.ranges.vars()[var].ty) == Some(fehu_base::Prim::Bool) {
            let [yes, no] = bodies.each_ref().map(|body| body.results[index]);
            self.ranges.learn_choice(var, cond, yes, no);
        }
    }

    /// What is known of a result at the end of a body that means something outside.
    fn found(&mut self, result: Atom, start: u32) -> Option<Found> {
        let (poly, certs) = self.ranges.settled(result)?;
        let mut found = Found::default();
        if self.is_outer(&poly, &certs, start) {
            found.exact = Some((poly.clone(), certs.clone()));
            found.low.push((poly.clone(), certs.clone()));
            found.high.push((poly.clone(), certs.clone()));
        }
        for (lower, bound, mut why) in self.ranges.bounds(&poly) {
            join(&mut why, &certs);
            if self.is_outer(&bound, &why, start) {
                let list = if lower { &mut found.low } else { &mut found.high };
                list.push((bound, why));
            }
        }
        for number in [1, 0] {
            // A bound by a number may rest on checks inside: whoever asks for it uses the result.
            if let Some(mut why) = poly.plus(-number).and_then(|p| self.ranges.prove_nonneg(&p)) {
                join(&mut why, &certs);
                why.retain(|cert| self.ranges.order(*cert) <= start);
                found.low.push((Poly::constant(number), why));
            }
        }
        Some(found)
    }

    /// Whether a polynomial and what it rests on were bound before.
    fn is_outer(&self, poly: &Poly, certs: &Certs, start: u32) -> bool {
        poly.vars().iter().chain(certs).all(|var| self.ranges.order(*var) <= start)
    }

    /// A result that is one of two: bounds of one are tried as bounds of the other.
    fn choice(&mut self, var: Var, cond: Atom, yes: &Found, no: &Found) {
        if let (Some((a, certs)), Some((b, why))) = (&yes.exact, &no.exact)
            && a == b
        {
            let mut certs = certs.clone();
            join(&mut certs, why);
            self.ranges.define(var, a.clone(), certs);
            return;
        }
        for lower in [true, false] {
            let (mine, others) = if lower { (&yes.low, &no.low) } else { (&yes.high, &no.high) };
            for (bounds, others, truth) in [(mine, others, false), (others, mine, true)] {
                for (bound, certs) in bounds {
                    let Some(why) = self.bounds_all(bound, others, lower, cond, truth) else {
                        continue;
                    };
                    let mut certs = certs.clone();
                    join(&mut certs, &why);
                    let bound = Some(bound.clone());
                    let (low, high) = if lower { (bound, None) } else { (None, bound) };
                    self.ranges.between(var, low, high, &certs);
                }
            }
        }
    }

    /// Whether a bound of one alternative is weaker than one of the other's, where the condition has this value.
    fn bounds_all(
        &mut self,
        bound: &Poly,
        others: &[(Poly, Certs)],
        lower: bool,
        cond: Atom,
        truth: bool,
    ) -> Option<Certs> {
        if let Some((_, certs)) = others.iter().find(|(other, _)| other == bound) {
            return Some(certs.clone());
        }
        let mark = self.ranges.enter();
        self.ranges.assume(cond, truth, &Certs::new());
        let certs = others.iter().take(4).find_map(|(other, certs)| {
            let difference = if lower { other.sub(bound) } else { bound.sub(other) };
            let mut all = self.ranges.prove_nonneg(&difference?)?;
            join(&mut all, certs);
            Some(all)
        });
        self.ranges.leave(mark);
        certs
    }
}

/// Bounds of a body's result that mean something outside, with what they rest on.
#[derive(Default)]
struct Found {
    exact: Option<(Poly, Certs)>,
    low: Vec<(Poly, Certs)>,
    high: Vec<(Poly, Certs)>,
}
