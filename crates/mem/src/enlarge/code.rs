//! Code for the largest sizes: no operation wraps whose result matters.
//!
//! If an array is made, all numbers here are what they stand for, as long as these are at most [`LARGEST`]; what is
//! larger may be any number from half of that on, and is still more than any memory has. If no array is made, the
//! numbers mean nothing, but the size is zero, because it is multiplied with the truth value (as a number) that says so
//! of each dimension.

use super::growth::{Form, LARGEST, Largest};
use crate::arith;
use fehu_base::IdVec;
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, BinOp, Exp, Scalar, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// A product of a number that is not larger with [`LARGEST`] does not wrap.
const SMALL: i64 = 1 << 12;

/// Statements that compute sizes.
pub(super) struct Code<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    pub(super) stms: Vec<Stm>,
    /// What was computed already.
    known: FxHashMap<(BinOp, Atom, Atom), Atom>,
    /// What is from zero to [`LARGEST`], and what is zero or one.
    sizes: FxHashSet<Atom>,
    truths: FxHashSet<Atom>,
}

impl Code<'_> {
    pub(super) fn new(vars: &mut IdVec<Var, VarInfo>) -> Code<'_> {
        let (sizes, truths) = (FxHashSet::default(), FxHashSet::default());
        Code { vars, stms: Vec::new(), known: FxHashMap::default(), sizes, truths }
    }

    /// The number of elements where all counters are largest; zero if there is nothing to count.
    pub(super) fn largest(&mut self, largest: &Largest) -> Atom {
        let mut last: FxHashMap<Var, Atom> = FxHashMap::default();
        let mut is_made = Atom::i64(1);
        for (counters, bound) in &largest.crossed {
            let count = self.value(bound, &last);
            let some = self.op(BinOp::Min, count, Atom::i64(1));
            self.truths.insert(some);
            let most = self.op(BinOp::Sub, count, some);
            self.sizes.insert(most);
            last.extend(counters.iter().map(|counter| (*counter, most)));
            is_made = self.op(BinOp::Mul, is_made, some);
            self.truths.insert(is_made);
        }
        let mut size = Atom::i64(1);
        for form in &largest.size {
            let value = self.value(form, &last);
            size = self.product(size, value);
        }
        self.product(size, is_made)
    }

    /// A form where the counters have these values: from zero to [`LARGEST`].
    fn value(&mut self, form: &Form, last: &FxHashMap<Var, Atom>) -> Atom {
        let mut sum = Atom::i64(0);
        for term in &form.terms {
            let mut part = self.outside(&term.factor);
            if !term.is_bounded {
                part = self.op(BinOp::Min, part, Atom::i64(LARGEST));
            }
            for counter in &term.counters {
                // A factor of a counter is not negative.
                self.sizes.insert(part);
                let counter = last.get(counter).copied().unwrap_or(Atom::i64(0));
                part = self.product(part, counter);
            }
            sum = self.op(BinOp::Add, sum, part);
        }
        if self.is_size(sum) {
            return sum;
        }
        let sum = self.op(BinOp::Max, sum, Atom::i64(0));
        if form.terms.len() == 1 {
            self.sizes.insert(sum);
            return sum;
        }
        self.at_most(sum)
    }

    /// A factor. It is exact where it matters, so operations on the way there may wrap.
    fn outside(&mut self, factor: &Poly) -> Atom {
        arith::value_of(factor, &mut |op, a, b| self.op(op, a, b))
    }

    /// The product of numbers from zero to [`LARGEST`], which is one as well.
    fn product(&mut self, a: Atom, b: Atom) -> Atom {
        let product = match (self.is_truth(a) || self.is_truth(b), number(a).or(number(b))) {
            (true, _) => self.op(BinOp::Mul, a, b),
            (false, Some(0..=SMALL)) => {
                let product = self.op(BinOp::Mul, a, b);
                return self.at_most(product);
            }
            _ => {
                // As many `b` as fit.
                let divisor = self.op(BinOp::Max, b, Atom::i64(1));
                let fitting = self.op(BinOp::Quot, Atom::i64(LARGEST), divisor);
                let count = self.op(BinOp::Min, a, fitting);
                self.op(BinOp::Mul, count, b)
            }
        };
        self.sizes.insert(product);
        product
    }

    fn at_most(&mut self, a: Atom) -> Atom {
        let size = self.op(BinOp::Min, a, Atom::i64(LARGEST));
        self.sizes.insert(size);
        size
    }

    fn is_size(&self, atom: Atom) -> bool {
        number(atom).is_some_and(|number| (0..=LARGEST).contains(&number))
            || self.sizes.contains(&atom)
    }

    fn is_truth(&self, atom: Atom) -> bool {
        number(atom).is_some_and(|number| (0..=1).contains(&number)) || self.truths.contains(&atom)
    }

    /// An operation, unless its result is known.
    fn op(&mut self, op: BinOp, a: Atom, b: Atom) -> Atom {
        let (zero, one) = (Atom::i64(0), Atom::i64(1));
        let same = match (op, number(a), number(b)) {
            (BinOp::Add, Some(x), Some(y)) => x.checked_add(y).map(Atom::i64),
            (BinOp::Sub, Some(x), Some(y)) => x.checked_sub(y).map(Atom::i64),
            (BinOp::Mul, Some(x), Some(y)) => x.checked_mul(y).map(Atom::i64),
            (BinOp::Min, Some(x), Some(y)) => Some(Atom::i64(x.min(y))),
            (BinOp::Max, Some(x), Some(y)) => Some(Atom::i64(x.max(y))),
            (BinOp::Mul, ..) if a == zero || b == zero => Some(zero),
            (BinOp::Add, Some(0), _) | (BinOp::Mul, Some(1), _) => Some(b),
            (BinOp::Add | BinOp::Sub, _, Some(0)) => Some(a),
            (BinOp::Mul, ..) if b == one || a == b && self.is_truth(a) => Some(a),
            (BinOp::Min, _, Some(LARGEST)) | (BinOp::Max, _, Some(0)) if self.is_size(a) => Some(a),
            _ => self.known.get(&(op, a, b)).copied(),
        };
        same.unwrap_or_else(|| {
            let var = self.vars.push(VarInfo { hint: "most".into(), ty: Type::I64 });
            self.stms.push(Stm::new(vec![var], Exp::BinOp(op, a, b)));
            self.known.insert((op, a, b), Atom::Var(var));
            Atom::Var(var)
        })
    }
}

/// The number that a constant is.
fn number(atom: Atom) -> Option<i64> {
    match atom {
        Atom::Const(Scalar::I64(number)) => Some(number),
        Atom::Const(_) | Atom::Var(_) => None,
    }
}
