//! What is known about integers at a point of a program, and proofs from it.
//!
//! Every integer variable is either *defined* by a polynomial of other variables or stands for itself, and facts
//! `p >= 0` are kept about polynomials `p`. [`flow`](super::flow) walks over a function and records what it encounters;
//! a client asks [`Ranges::prove_le`], [`Ranges::prove_eq`], or [`Ranges::prove`] for a whole condition.
//!
//! # Wrapping
//!
//! Polynomials are about mathematical integers, but machine arithmetic wraps. The result of an operation is therefore
//! equated with a polynomial only once that polynomial is *proved* to lie in the range of the operation's type;
//! until then the result is a variable about which nothing is known except its type. When more facts become known,
//! the proof is tried again. So `i + 1` is exact if `i < n` holds for any `n` whatsoever, `n - 1` if `n` is a
//! size, and `i * m + j` if `n * m` is the number of elements of an array.
//!
//! Something is known even about a result that may wrap: it differs from the polynomial by a multiple of a power of
//! two. It is therefore not larger than a polynomial that is at least the smallest number of the type, and
//! likewise from the other side. `n * m` of two sizes is at most the mathematical product, whether it wraps or not.
//! Sums and products of such results differ from those of their polynomials in the same way, so `n * m * p`
//! is exact if it is the number of elements of an array, even where `n * m` is not.
//!
//! # Assumptions
//!
//! * The sizes of an array are not negative: where an array of negative size would be created, the program has
//!   ended with an error. This is used only for arrays whose creation is guarded by a check, see [`super::flow`].
//! * An array that is an argument of a function, and whose elements occupy memory, has fewer than
//!   [`MAX_ELEMENTS`] elements: no machine addresses more.
//!
//! # Certificates
//!
//! Every fact has the certificates of the checks that it comes from, and a proof returns those of all facts that
//! it used: statements that relied on the proved check must rely on them instead, or they could be moved before them.

mod arith;
pub mod cond;
mod prove;

use super::poly::Poly;
use cond::Cond;
use fehu_base::id::Id;
use fehu_base::{IdVec, Prim};
use fehu_ir::builder::prim_of;
use fehu_ir::{Atom, Scalar, Var, VarInfo};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// No array in memory has as many elements.
pub const MAX_ELEMENTS: i128 = 1 << 48;

/// Certificates that something rests on.
pub type Certs = SmallVec<[Var; 2]>;

/// What is known at a point of a program.
pub struct Ranges<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    /// When a variable was bound: what is bound later is eliminated first.
    order: Vec<u32>,
    clock: u32,
    facts: Vec<Fact>,
    by_var: FxHashMap<Var, Vec<u32>>,
    nonlinear: Vec<u32>,
    low: FxHashMap<Var, Bound>,
    high: FxHashMap<Var, Bound>,
    defs: FxHashMap<Var, (Poly, Certs)>,
    /// Results that are this polynomial unless it wraps.
    pending: FxHashMap<Var, Box<Pending>>,
    /// Variables that are the smaller or the larger of two polynomials, nobody knows which.
    extremes: FxHashMap<Var, Box<Extreme>>,
    /// Variables that are quotients by something that is not a number.
    quotients: FxHashMap<Var, Box<Quotient>>,
    conds: FxHashMap<Var, Cond>,
    truths: FxHashMap<Var, (bool, Certs)>,
    nonzero: Vec<(Poly, Certs)>,
    trail: Vec<Undo>,
    /// How many guesses what is assumed is part of: less work is put into proofs then.
    trial: usize,
    /// How many facts and bounds have been added in all.
    stamp: u64,
    /// The proofs that failed, and after how many facts: without new ones they are not tried again.
    failed: RefCell<FxHashMap<Poly, u64>>,
    /// How much work proofs have been, in terms of the goals that were looked at.
    work: Cell<u64>,
}

/// A polynomial that is not negative.
#[derive(Clone, Debug)]
struct Fact {
    poly: Poly,
    certs: Certs,
    /// The number of the binding of the variable that was bound last.
    newest: u32,
}

/// A constant bound of a variable.
#[derive(Clone, Debug)]
struct Bound {
    value: i128,
    certs: Certs,
}

/// What a result is, unless that wraps.
#[derive(Clone, Debug)]
struct Pending {
    poly: Poly,
    certs: Certs,
    /// The same with the polynomials of other such results in their place.
    whole: (Poly, Certs),
}

/// The smaller or the larger of two polynomials.
#[derive(Clone, Debug)]
struct Extreme {
    of: [Poly; 2],
    larger: bool,
    certs: Certs,
}

/// A dividend by a positive divisor, rounded down.
#[derive(Clone, Debug)]
struct Quotient {
    dividend: Poly,
    divisor: Poly,
    certs: Certs,
}

/// How to forget something.
enum Undo {
    Extreme(Var, Option<Box<Extreme>>),
    Quotient(Var, Option<Box<Quotient>>),
    Fact,
    Low(Var, Option<Bound>),
    High(Var, Option<Bound>),
    Def(Var),
    Pending(Var, Option<Box<Pending>>),
    Truth(Var),
    Nonzero,
}

/// A point to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

impl<'a> Ranges<'a> {
    /// Nothing is known but the types of the variables.
    pub fn new(vars: &'a IdVec<Var, VarInfo>) -> Ranges<'a> {
        Ranges {
            vars,
            order: vec![0; vars.len()],
            clock: 0,
            facts: Vec::new(),
            by_var: FxHashMap::default(),
            nonlinear: Vec::new(),
            low: FxHashMap::default(),
            high: FxHashMap::default(),
            defs: FxHashMap::default(),
            pending: FxHashMap::default(),
            extremes: FxHashMap::default(),
            quotients: FxHashMap::default(),
            conds: FxHashMap::default(),
            truths: FxHashMap::default(),
            nonzero: Vec::new(),
            trail: Vec::new(),
            trial: 0,
            stamp: 0,
            failed: RefCell::default(),
            work: Cell::new(0),
        }
    }

    /// The variables.
    pub fn vars(&self) -> &'a IdVec<Var, VarInfo> {
        self.vars
    }

    /// Whether `a <= b` holds, of integers of one type.
    pub fn prove_le(&mut self, a: Atom, b: Atom) -> bool {
        let (Some((a, _)), Some((b, _))) = (self.settled(a), self.settled(b)) else { return false };
        b.sub(&a).is_some_and(|difference| self.prove_nonneg(&difference).is_some())
    }

    /// Whether `a < b` holds.
    pub fn prove_lt(&mut self, a: Atom, b: Atom) -> bool {
        let (Some((a, _)), Some((b, _))) = (self.settled(a), self.settled(b)) else { return false };
        let difference = b.sub(&a).and_then(|difference| difference.plus(-1));
        difference.is_some_and(|difference| self.prove_nonneg(&difference).is_some())
    }

    /// Whether `a == b` holds.
    pub fn prove_eq(&mut self, a: Atom, b: Atom) -> bool {
        a == b || (self.prove_le(a, b) && self.prove_le(b, a))
    }

    /// Says how many guesses what is assumed from now on is part of; returns how many it was.
    pub fn set_trial(&mut self, trial: usize) -> usize {
        // What failed with less work may succeed with more.
        self.stamp += 1;
        std::mem::replace(&mut self.trial, trial)
    }

    /// The point to which [`Ranges::leave`] goes back.
    pub fn enter(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Forgets everything that was learned since.
    pub fn leave(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            match self.trail.pop() {
                Some(Undo::Fact) => self.forget_fact(),
                Some(Undo::Low(var, old)) => restore(&mut self.low, var, old),
                Some(Undo::High(var, old)) => restore(&mut self.high, var, old),
                Some(Undo::Extreme(var, old)) => restore(&mut self.extremes, var, old),
                Some(Undo::Quotient(var, old)) => restore(&mut self.quotients, var, old),
                Some(Undo::Def(var)) => restore(&mut self.defs, var, None),
                Some(Undo::Pending(var, old)) => restore(&mut self.pending, var, old),
                Some(Undo::Truth(var)) => restore(&mut self.truths, var, None),
                Some(Undo::Nonzero) => {
                    self.nonzero.pop();
                }
                None => break,
            }
        }
    }

    /// Notes that a variable comes after all that were bound before.
    pub fn bind(&mut self, var: Var) {
        self.clock += 1;
        if let Some(order) = self.order.get_mut(var.index()) {
            *order = self.clock;
        }
    }

    /// A number that is larger than that of all variables bound so far.
    pub fn now(&self) -> u32 {
        self.clock
    }

    /// The number of a variable's binding.
    pub fn order(&self, var: Var) -> u32 {
        self.order.get(var.index()).copied().unwrap_or(u32::MAX)
    }

    /// The polynomial of an integer operand, and what its exactness rests on.
    pub fn poly(&self, atom: Atom) -> Option<(Poly, Certs)> {
        match atom {
            Atom::Const(value) => Some((Poly::constant(int_value(value)?), Certs::new())),
            Atom::Var(var) => {
                int_range(prim_of(&self.vars.get(var)?.ty)?)?;
                match self.defs.get(&var) {
                    Some(def) => Some(def.clone()),
                    None => Some((Poly::var(var), Certs::new())),
                }
            }
        }
    }

    /// Notes that a variable is a polynomial of variables bound before.
    pub fn define(&mut self, var: Var, poly: Poly, certs: Certs) {
        if self.defs.insert(var, (poly, certs)).is_none() {
            self.trail.push(Undo::Def(var));
        }
    }

    /// Notes that a polynomial is not negative.
    pub fn assume_nonneg(&mut self, poly: &Poly, certs: &Certs) {
        if poly.as_constant().is_some() {
            return;
        }
        let vars = poly.vars();
        if let [var] = vars.as_slice()
            && let Some((a, b)) = poly.split(*var)
            && let (Some(a), Some(b)) = (a.as_constant(), b.as_constant())
        {
            self.assume_bound(*var, a, b, certs);
            return;
        }
        let known = vars.first().and_then(|var| self.by_var.get(var)).is_some_and(|list| {
            list.iter().rev().take(8).any(|index| self.facts[*index as usize].poly == *poly)
        });
        if known {
            return;
        }
        let index = self.facts.len() as u32;
        for var in &vars {
            self.by_var.entry(*var).or_default().push(index);
        }
        if !poly.is_linear() {
            self.nonlinear.push(index);
        }
        let newest = vars.iter().map(|var| self.order(*var)).max().unwrap_or(0);
        self.facts.push(Fact { poly: poly.clone(), certs: certs.clone(), newest });
        self.stamp += 1;
        self.trail.push(Undo::Fact);
    }

    /// Notes that a polynomial is zero.
    pub fn assume_zero(&mut self, poly: &Poly, certs: &Certs) {
        self.assume_nonneg(poly, certs);
        if let Some(negated) = poly.neg() {
            self.assume_nonneg(&negated, certs);
        }
    }

    /// `a * var + b >= 0`
    fn assume_bound(&mut self, var: Var, a: i128, b: i128, certs: &Certs) {
        let (low, high) = self.interval(var);
        if a > 0 {
            let value = -b.div_euclid(a);
            if value > low {
                let bound = Bound { value, certs: certs.clone() };
                let old = self.low.insert(var, bound);
                self.trail.push(Undo::Low(var, old));
                self.stamp += 1;
            }
        } else if a < 0 {
            let value = b.div_euclid(-a);
            if value < high {
                let bound = Bound { value, certs: certs.clone() };
                let old = self.high.insert(var, bound);
                self.trail.push(Undo::High(var, old));
                self.stamp += 1;
            }
        }
    }

    /// The smallest and largest value of a variable.
    pub fn interval(&self, var: Var) -> (i128, i128) {
        let prim = self.vars.get(var).and_then(|info| prim_of(&info.ty));
        let (low, high) = prim.and_then(int_range).unwrap_or((i128::MIN >> 32, i128::MAX >> 32));
        (
            self.low.get(&var).map_or(low, |bound| bound.value.max(low)),
            self.high.get(&var).map_or(high, |bound| bound.value.min(high)),
        )
    }

    /// Bounds of a polynomial that is a variable, by the facts about it: lower ones are marked.
    pub fn bounds(&self, poly: &Poly) -> Vec<(bool, Poly, Certs)> {
        let Some(var) = poly.as_var() else { return Vec::new() };
        let facts = self.by_var.get(&var).map_or(&[][..], Vec::as_slice);
        let known = facts.iter().rev().take(32).filter_map(|index| {
            let fact = &self.facts[*index as usize];
            let (factor, rest) = fact.poly.split(var)?;
            let (lower, bound) = match factor.as_constant()? {
                1 => (true, rest.neg()?),
                -1 => (false, rest),
                _ => return None,
            };
            Some((lower, bound, fact.certs.clone()))
        });
        let mut bounds: Vec<(bool, Poly, Certs)> = known.take(6).collect();
        for (lower, bound) in [(true, self.low.get(&var)), (false, self.high.get(&var))] {
            if let Some(bound) = bound {
                bounds.push((lower, Poly::constant(bound.value), bound.certs.clone()));
            }
        }
        bounds
    }

    /// What a result is unless it wraps, if that is not known; and what this rests on.
    pub fn may_wrap(&self, var: Var) -> Option<(Poly, Certs)> {
        self.pending.get(&var).map(|pending| (pending.poly.clone(), pending.certs.clone()))
    }

    /// What a result is unless it wraps, if nothing better is known.
    pub fn unless_wrapped(&self, atom: Atom) -> Option<Poly> {
        match atom.var().and_then(|var| self.pending.get(&var)) {
            Some(pending) => Some(pending.poly.clone()),
            None => self.poly(atom).map(|(poly, _)| poly),
        }
    }

    /// Likewise, unless this or what it is computed of wraps: it differs from that by a multiple of a power of two.
    pub fn unless_any_wrapped(&self, atom: Atom) -> Option<Poly> {
        match atom.var().and_then(|var| self.pending.get(&var)) {
            Some(pending) => Some(pending.whole.0.clone()),
            None => self.poly(atom).map(|(poly, _)| poly),
        }
    }

    fn forget_fact(&mut self) {
        let Some(fact) = self.facts.pop() else { return };
        let index = self.facts.len() as u32;
        for var in fact.poly.vars() {
            if let Some(list) = self.by_var.get_mut(&var) {
                list.pop_if(|last| *last == index);
            }
        }
        self.nonlinear.pop_if(|last| *last == index);
    }
}

fn restore<T>(map: &mut FxHashMap<Var, T>, var: Var, old: Option<T>) {
    match old {
        Some(old) => map.insert(var, old),
        None => map.remove(&var),
    };
}

/// All certificates of both, each once.
pub fn join(certs: &mut Certs, others: &[Var]) {
    for cert in others {
        if !certs.contains(cert) {
            certs.push(*cert);
        }
    }
}

/// The smallest and largest number of an integer type.
pub fn int_range(prim: Prim) -> Option<(i128, i128)> {
    if !prim.is_integer() {
        return None;
    }
    let bits = prim.bits();
    Some(if prim.is_signed() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    })
}

/// The number that a constant of an integer type is.
pub fn int_value(value: Scalar) -> Option<i128> {
    match value {
        Scalar::I8(v) => Some(v.into()),
        Scalar::I16(v) => Some(v.into()),
        Scalar::I32(v) => Some(v.into()),
        Scalar::I64(v) => Some(v.into()),
        Scalar::U8(v) => Some(v.into()),
        Scalar::U16(v) => Some(v.into()),
        Scalar::U32(v) => Some(v.into()),
        Scalar::U64(v) => Some(v.into()),
        Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) | Scalar::Bool(_) | Scalar::Unit => None,
    }
}
