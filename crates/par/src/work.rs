//! How much work the operators of a loop are, as far as that decides who executes the loop.
//!
//! The unit is a position with a cheap function. What is compared is the *mean* over the operators, because each of
//! them costs a launch of its own otherwise: a few wide ones do not matter among many that are small. Unless these are
//! repeated less often: of loops inside, each has a mean of its own, and the largest one counts.
//!
//! - A launch costs about 2.5 us, whatever is launched. A block of 1024 threads needs 0.1 us for an operator with a
//!   position for each thread: a barrier, a few accesses of shared memory, and some instructions that wait for each
//!   other.
//! - A multiprocessor executes 128 operations on `f32` in a cycle, or 64 on `f64`, at 1.7 GHz. [`CHEAP`] operations at
//!   1024 positions keep it busy for about as long as that. So the work of a function is counted in multiples of
//!   [`CHEAP`].
//! - On the grid, all threads of the machine share what operators inside of maps do. In a block, each does that for its
//!   own position, and those that have none wait.
//! - Arrays that do not fit into shared memory are read at 64 bytes in a cycle, so that operators take about three times as long.
//!
//! In shared memory, 20 to 25 rounds of 1024 positions take as long as a launch, otherwise 8: [`MOST`] is the safe choice.

use crate::block::WARP;
use fehu_base::{IdVec, OrBug};
use fehu_facts::cost;
use fehu_ir::builder::{Builder, atom_type};
use fehu_ir::{Atom, BinOp, Body, Exp, Family, LoopForm, Scalar, Screma, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashSet;

/// Up to so much work of an operator, a block executes loops, unless the user says something else.
pub(crate) const MOST: i64 = 1 << 13;

/// The weight of a function that counts once.
const CHEAP: u32 = 16;

/// The weight of what has none ([`cost`]), besides operators and loops.
const HEAVY: u32 = 64;

/// The threads of a block, about.
const THREADS: i64 = 1024;

/// How often something is repeated, if the host does not know it.
const REPEATED: i64 = 8;

/// The work of the operators of a body: the mean of all, and of those in each loop inside that has other sizes.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    all: Mean,
    loops: Vec<Mean>,
}

/// The work of some operators, and how many they are.
#[derive(Clone, Debug, Default)]
struct Mean {
    terms: Vec<Term>,
    operators: i64,
}

/// A multiple of a product of sizes that the host knows.
#[derive(Clone, Debug)]
struct Term {
    /// The sizes of the positions that threads share.
    positions: Vec<Atom>,
    /// How often something is done at each of them.
    steps: Vec<Atom>,
    times: i64,
    /// Whether the grid would share the steps, too.
    is_inside: bool,
}

impl Term {
    /// Whether the sizes are the same.
    fn is_like(&self, other: &Term) -> bool {
        (&self.positions, &self.steps, self.is_inside)
            == (&other.positions, &other.steps, other.is_inside)
    }
}

impl Work {
    /// The work of the operators of a body, each of them once; nothing if there are none, or if the host does not know
    /// how many positions they have.
    pub(crate) fn of(
        body: &Body,
        vars: &IdVec<Var, VarInfo>,
        known: &dyn Fn(Atom) -> bool,
    ) -> Option<Work> {
        let mean = |body: &Body| {
            let mut count = Count { vars, known, mean: Mean::default(), fits: true, stores: false };
            count.operators(body);
            (count.fits && count.mean.operators > 0).then_some(count.mean)
        };
        let all = mean(body)?;
        let mut loops = Vec::new();
        each_loop(body, &mut |body| {
            loops.extend(mean(body).filter(|one| !one.is_like(&all)));
        });
        Some(Work { all, loops })
    }

    /// An array of this shape is copied once.
    pub(crate) fn copies(&mut self, shape: &[Atom]) {
        let positions = shape.to_vec();
        self.all.add(Term { positions, steps: Vec::new(), times: 1, is_inside: false });
    }

    /// Whether operators with the same sizes are all that there is in a loop around this one.
    pub(crate) fn is_like(&self, around: &Work) -> bool {
        self.all.is_like(&around.all)
    }

    /// Whether a warp has a thread for each position of all operators and copies.
    pub(crate) fn is_narrow(&self) -> bool {
        let is_narrow = |term: &Term| {
            let mut sizes = term.positions.iter();
            let product = sizes.try_fold(1i64, |product, size| match size {
                Atom::Const(Scalar::I64(size)) => product.checked_mul(*size),
                Atom::Const(_) | Atom::Var(_) => None,
            });
            product.is_some_and(|positions| positions <= WARP)
        };
        self.all.terms.iter().all(is_narrow)
    }

    /// Whether the mean is more than [`MOST`], whatever the sizes are, unless they are zero.
    pub(crate) fn is_too_much(&self) -> bool {
        self.all.is_too_much() || self.loops.iter().any(Mean::is_too_much)
    }

    /// Computes the largest mean.
    pub(crate) fn mean(&self, builder: &mut Builder<'_>) -> Atom {
        let all = self.all.compute(builder);
        self.loops.iter().fold(all, |most, one| {
            let mean = one.compute(builder);
            builder.exp("work", Exp::BinOp(BinOp::Max, most, mean)).into()
        })
    }
}

impl Mean {
    fn add(&mut self, term: Term) {
        match self.terms.iter_mut().find(|other| other.is_like(&term)) {
            Some(other) => other.times = other.times.saturating_add(term.times),
            None => self.terms.push(term),
        }
    }

    /// Whether there is nothing in another one with other sizes.
    fn is_like(&self, around: &Mean) -> bool {
        around.terms.iter().all(|term| self.terms.iter().any(|other| other.is_like(term)))
    }

    fn is_too_much(&self) -> bool {
        let least = |sizes: &[Atom]| {
            sizes.iter().fold(1i64, |product, size| match size {
                Atom::Const(Scalar::I64(size)) => product.saturating_mul(*size),
                Atom::Const(_) | Atom::Var(_) => product,
            })
        };
        let all = self.terms.iter().fold(0i64, |sum, term| {
            let threads = if term.is_inside { THREADS } else { 1 };
            let positions = least(&term.positions).max(threads);
            let steps = least(&term.steps).saturating_mul(term.times);
            sum.saturating_add(positions.saturating_mul(steps))
        });
        all / self.operators > MOST
    }

    fn compute(&self, builder: &mut Builder<'_>) -> Atom {
        let mut combined = |op, a: Option<Atom>, b: Atom| {
            let exp = a.map(|a| Exp::BinOp(op, a, b));
            exp.map_or(b, |exp| builder.exp("work", exp).into())
        };
        let mut sum = None;
        for Term { positions, steps, times, is_inside } in &self.terms {
            let product = positions.iter();
            let mut value = product.fold(None, |a, b| Some(combined(BinOp::Mul, a, *b)));
            if *is_inside {
                value = Some(combined(BinOp::Max, value, Atom::i64(THREADS)));
            }
            let times = Some(Atom::i64(*times)).filter(|_| *times != 1 || value.is_none());
            for size in steps.iter().copied().chain(times) {
                value = Some(combined(BinOp::Mul, value, size));
            }
            sum = value.map(|value| combined(BinOp::Add, sum, value));
        }
        let sum = sum.or_bug("the work of operators");
        combined(BinOp::Quot, Some(sum), Atom::i64(self.operators))
    }
}

/// The bodies of the loops that all threads execute.
fn each_loop(body: &Body, f: &mut dyn FnMut(&Body)) {
    for stm in &body.stms {
        if let Exp::Loop(_, _, body) = &stm.exp {
            f(body);
        }
        if matches!(stm.exp, Exp::Loop(..) | Exp::If(..) | Exp::Switch(..)) {
            stm.exp.for_each_body(&mut |body| each_loop(body, f));
        }
    }
}

/// What a body needs in memory, whatever it is: what is changed in place, and what is handed on.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others store nothing")]
fn stored(body: &Body) -> FxHashSet<Var> {
    let mut found: FxHashSet<Var> = body.results.iter().filter_map(|atom| atom.var()).collect();
    for stm in &body.stms {
        match &stm.exp {
            Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => {
                found.insert(*array);
            }
            Exp::Scatter(op) => found.extend(op.dests.iter().map(|(_, array)| *array)),
            Exp::Hist(op) => found.extend(op.ops.iter().flat_map(|op| &op.dests)),
            Exp::Loop(params, ..) => {
                found.extend(params.iter().filter_map(|param| param.init.var()));
            }
            _ => {}
        }
    }
    found
}

/// Counts the work of a body.
struct Count<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    known: &'a dyn Fn(Atom) -> bool,
    mean: Mean,
    /// Whether the positions of all operators are known.
    fits: bool,
    /// Whether scalars are stored.
    stores: bool,
}

impl Count<'_> {
    /// The operators of a body that all threads execute.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others cost no launch")]
    fn operators(&mut self, body: &Body) {
        let stored = stored(body);
        let is_stored = |stm: &Stm| stm.pat.iter().any(|var| stored.contains(var));
        for stm in &body.stms {
            match &stm.exp {
                Exp::Screma(op) => {
                    let (positions, inner) = self.shared(op);
                    self.operator(positions, inner);
                }
                Exp::Scatter(op) => self.operator(vec![op.width], &op.map.body),
                Exp::Hist(op) => self.operator(vec![op.width], &op.map.body),
                Exp::Loop(_, _, body) => self.operators(body),
                Exp::If(..) | Exp::Switch(..) => {
                    stm.exp.for_each_body(&mut |body| self.operators(body))
                }
                Exp::Update(_, _, value) => self.written(value.var()),
                Exp::FlatUpdate(_, _, _, value) => self.written(Some(*value)),
                // Nobody needs what is not initialised, and numbers that are computed from the position are computed
                // where they are read.
                Exp::Scratch(..) => {}
                Exp::Iota(..) | Exp::Replicate(..) if !is_stored(stm) => {}
                exp if exp.family() == Family::Fresh => self.written(stm.pat.first().copied()),
                _ => {}
            }
        }
    }

    /// An array that is copied. Scalars, of which one thread stores all that it can, count once.
    fn written(&mut self, value: Option<Var>) {
        let shape = value.map_or(Vec::new(), |var| self.vars[var].ty.shape().to_vec());
        if shape.is_empty() && std::mem::replace(&mut self.stores, true) {
            return;
        }
        self.operator(shape, &Body { stms: Vec::new(), results: Vec::new() });
    }

    fn operator(&mut self, positions: Vec<Atom>, function: &Body) {
        self.mean.operators += 1;
        self.fits &= positions.iter().all(|size| (self.known)(*size));
        self.function(function, &Term { positions, steps: Vec::new(), times: 1, is_inside: false });
    }

    /// The positions that threads share, of maps inside of each other, and the function that is executed at each of them.
    fn shared<'b>(&self, op: &'b Screma) -> (Vec<Atom>, &'b Body) {
        let (mut positions, mut function) = (vec![op.width], &op.map.body);
        let mut is_map = op.folded() == 0;
        while let (true, Some(stm)) = (is_map, function.stms.last())
            && let Exp::Screma(inner) = &stm.exp
            && inner.folded() == 0
            && (self.known)(inner.width)
            && function
                .stms
                .iter()
                .all(|other| other.pat == stm.pat || cost::is_private(other, self.vars))
        {
            positions.push(inner.width);
            (function, is_map) = (&inner.map.body, true);
        }
        (positions, function)
    }

    /// A function that is executed so often.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no functions")]
    fn function(&mut self, body: &Body, around: &Term) {
        let mut weight = 0u32;
        for stm in &body.stms {
            if let Some(more) = cost::weigh_stm(stm, self.vars) {
                weight = weight.saturating_add(more);
                continue;
            }
            let inside = match &stm.exp {
                Exp::Screma(op) => self.inside(around, op.width),
                Exp::Scatter(op) => self.inside(around, op.width),
                Exp::Hist(op) => self.inside(around, op.width),
                Exp::Loop(_, LoopForm::For(_, bound), _) => self.repeated(around, *bound),
                Exp::Loop(_, LoopForm::While(_), _) => self.repeated(around, Atom::i64(REPEATED)),
                Exp::If(..) | Exp::Switch(..) => around.clone(),
                _ => {
                    weight = weight.saturating_add(HEAVY);
                    around.clone()
                }
            };
            match &stm.exp {
                // What combines elements is cheap.
                Exp::Screma(op) => self.function(&op.map.body, &inside),
                exp => exp.for_each_body(&mut |body| self.function(body, &inside)),
            }
        }
        let times = around.times.saturating_mul(i64::from(weight.div_ceil(CHEAP).max(1)));
        self.mean.add(Term { times, ..around.clone() });
    }

    /// What an operator does inside of a function.
    fn inside(&self, around: &Term, width: Atom) -> Term {
        Term { is_inside: true, ..self.repeated(around, width) }
    }

    /// This many times as often.
    fn repeated(&self, around: &Term, times: Atom) -> Term {
        let mut inside = around.clone();
        match (self.known)(times) && atom_type(times, self.vars) == Type::I64 {
            true => inside.steps.push(times),
            false => inside.times = inside.times.saturating_mul(REPEATED),
        }
        inside
    }
}
