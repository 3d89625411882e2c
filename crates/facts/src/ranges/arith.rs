//! What follows from the way an integer is computed.

use super::{Certs, Extreme, Pending, Quotient, Ranges, Undo, int_range, join};
use crate::poly::Poly;
use fehu_base::Prim;
use fehu_ir::builder::{atom_type, prim_of};
use fehu_ir::{Atom, BinOp, Exp, UnOp, Var};

impl Ranges<'_> {
    /// Notes what a scalar is: an integer or a boolean that an expression without bodies yields.
    #[expect(clippy::wildcard_enum_match_arm, reason = "of other expressions nothing is known")]
    pub fn learn(&mut self, var: Var, exp: &Exp) {
        let Some(prim) = self.vars.get(var).and_then(|info| prim_of(&info.ty)) else { return };
        if prim == Prim::Bool {
            self.learn_cond(var, exp);
        } else if prim.is_integer() {
            match exp {
                Exp::Atom(a) => {
                    if let Some((poly, certs)) = self.poly(*a) {
                        self.define(var, poly, certs);
                    }
                }
                Exp::Convert(_, a) => self.converted(var, *a),
                Exp::UnOp(op, a) => self.unary(var, *op, *a),
                Exp::BinOp(op, a, b) => self.binary(var, prim, *op, *a, *b),
                _ => {}
            }
        }
    }

    /// The polynomial of an operand, tried again if it was not known to be exact before.
    pub fn settled(&mut self, atom: Atom) -> Option<(Poly, Certs)> {
        if let Atom::Var(var) = atom
            && let Some(pending) = self.pending.get(&var)
        {
            let (poly, certs) = (pending.poly.clone(), pending.certs.clone());
            self.try_exact(var, &poly, certs);
        }
        self.poly(atom)
    }

    /// Tries again whether a variable is exact, and before it those that it is computed from: more may be known than
    /// where they were bound.
    pub fn settle(&mut self, var: Var) {
        let Some(pending) = self.pending.get(&var).cloned() else { return };
        let Pending { poly, certs, whole } = *pending;
        for part in poly.vars() {
            self.settle(part);
        }
        if !self.try_exact(var, &poly, certs) {
            self.try_exact(var, &whole.0, whole.1);
        }
    }

    /// Notes that a result that might wrap is a polynomial, if that follows from what is known now; whether it does.
    fn try_exact(&mut self, var: Var, poly: &Poly, certs: Certs) -> bool {
        let Some((low, high)) = self.type_range(var) else { return false };
        let Some(why) = self.prove_within(poly, low, high) else { return false };
        let old = self.pending.remove(&var);
        self.trail.push(Undo::Pending(var, old));
        // Facts about the variable itself are known already, so it is not replaced.
        if let Some(difference) = poly.sub(&Poly::var(var)) {
            self.assume_zero(&difference, &with(certs, &why));
        }
        true
    }

    /// Notes that a result is this polynomial, unless it wraps.
    fn exact(&mut self, var: Var, poly: Option<Poly>, certs: Certs) {
        let Some(poly) = poly else { return };
        if self.fits(var, &poly, &certs) {
            return;
        }
        let whole = self.whole(var, &poly, &certs);
        if whole.0 != poly {
            if self.fits(var, &whole.0, &whole.1) {
                return;
            }
            self.beside(var, &whole.0, &whole.1);
        }
        self.beside(var, &poly, &certs);
        self.postpone(var, Pending { poly, certs, whole });
    }

    /// Notes that a result is this polynomial, if the type is known to have all its values.
    fn fits(&mut self, var: Var, poly: &Poly, certs: &Certs) -> bool {
        let Some((low, high)) = self.type_range(var) else { return false };
        let Some(why) = self.prove_within(poly, low, high) else { return false };
        self.define(var, poly.clone(), with(certs.clone(), &why));
        true
    }

    /// Notes on which side of a polynomial a result is that differs from it by a multiple of a power of two: it is
    /// smaller than one that is too large for the type, and larger than one that is too small. Only for products:
    /// sums that may wrap are many, and what is known of them this way is seldom asked for.
    fn beside(&mut self, var: Var, poly: &Poly, certs: &Certs) {
        if poly.is_linear() {
            return;
        }
        let Some((low, high)) = self.type_range(var) else { return };
        let me = Poly::var(var);
        let sides =
            [(poly.plus(-low), poly.sub(&me)), (Poly::constant(high).sub(poly), me.sub(poly))];
        for side in sides {
            if let (Some(goal), Some(fact)) = side
                && let Some(why) = self.prove_nonneg(&goal)
            {
                self.assume_nonneg(&fact, &with(certs.clone(), &why));
            }
        }
    }

    /// Notes what a result may be, to be tried again.
    fn postpone(&mut self, var: Var, pending: Pending) {
        let old = self.pending.insert(var, Box::new(pending));
        self.trail.push(Undo::Pending(var, old));
    }

    fn type_range(&self, var: Var) -> Option<(i128, i128)> {
        int_range(prim_of(&self.vars.get(var)?.ty)?)
    }

    /// A polynomial with those of results that may wrap in their place, and what that rests on. A result differs
    /// from its polynomial by a multiple of a power of two, which is also one of the variable's power of two unless
    /// the variable has more bits.
    fn whole(&self, var: Var, poly: &Poly, certs: &Certs) -> (Poly, Certs) {
        let bits = |var: Var| Some(prim_of(&self.vars.get(var)?.ty)?.bits());
        let mut whole = (poly.clone(), certs.clone());
        for other in poly.vars() {
            if let Some(Pending { whole: (by, why), .. }) =
                self.pending.get(&other).map(AsRef::as_ref)
                && bits(other) >= bits(var)
                && let Some(replaced) = whole.0.replace(other, by)
            {
                whole.0 = replaced;
                join(&mut whole.1, why);
            }
        }
        whole
    }

    /// The same number, if the type has it.
    fn converted(&mut self, var: Var, a: Atom) {
        let (from, to) = (prim_of(&atom_type(a, self.vars)), prim_of(&self.vars[var].ty));
        if let Some((poly, certs)) = self.settled(a) {
            // Signed numbers are extended by zeros for unsigned types, which adds the wrong power of two.
            let extended = |(from, to): (Prim, Prim)| {
                from.is_signed() && !to.is_signed() && from.bits() < to.bits()
            };
            if from.zip(to).is_none_or(extended) {
                if !self.fits(var, &poly, &certs) {
                    let whole = (Poly::var(var), Certs::new());
                    self.postpone(var, Pending { poly, certs, whole });
                }
            } else {
                self.exact(var, Some(poly), certs);
            }
        } else if from == Some(Prim::Bool) {
            self.between(var, Some(Poly::default()), Some(Poly::constant(1)), &Certs::new());
        }
    }

    fn unary(&mut self, var: Var, op: UnOp, a: Atom) {
        let Some((poly, certs)) = self.settled(a) else { return };
        match op {
            UnOp::Neg => self.exact(var, poly.neg(), certs),
            UnOp::Abs => {
                // The absolute value of the smallest number is itself, which no case here yields.
                if let Some(why) = self.prove_nonneg(&poly) {
                    self.exact(var, Some(poly), with(certs, &why));
                } else if let Some(negated) = poly.neg()
                    && let Some(why) = self.prove_nonneg(&negated)
                {
                    self.exact(var, Some(negated), with(certs, &why));
                }
            }
            UnOp::Sgn => {
                let me = Poly::var(var);
                for bound in [me.plus(1), Poly::constant(1).sub(&me)].into_iter().flatten() {
                    self.assume_nonneg(&bound, &Certs::new());
                }
                let sign = |poly: Poly, value: i128| Some((poly.plus(-1)?, value));
                let cases = [sign(poly.clone(), 1), poly.neg().and_then(|p| sign(p, -1))];
                for (poly, value) in cases.into_iter().flatten() {
                    if let Some(why) = self.prove_nonneg(&poly) {
                        self.define(var, Poly::constant(value), with(certs, &why));
                        return;
                    }
                }
            }
            UnOp::Not => {}
        }
    }

    fn binary(&mut self, var: Var, prim: Prim, op: BinOp, a: Atom, b: Atom) {
        let (Some((x, mut certs)), Some((y, why))) = (self.settled(a), self.settled(b)) else {
            return;
        };
        join(&mut certs, &why);
        match op {
            BinOp::Add => self.exact(var, x.add(&y), certs),
            BinOp::Sub => self.exact(var, x.sub(&y), certs),
            BinOp::Mul => self.exact(var, x.mul(&y), certs),
            BinOp::Min | BinOp::Max => self.extreme(var, op, &x, &y, &certs),
            BinOp::Div | BinOp::Quot => self.quotient(var, op, &x, &y, &certs),
            BinOp::Mod | BinOp::Rem => self.remainder(var, op, &x, &y, &certs),
            BinOp::Shl => {
                if let Some(power) = power(&y, prim) {
                    self.exact(var, x.scale(power), certs);
                }
            }
            BinOp::Shr | BinOp::Ashr | BinOp::Lshr => {
                // The logical shift is a division of what is not negative; the arithmetic one looks at a sign,
                // which unsigned numbers do not have.
                let nonnegative = self.prove_nonneg(&x);
                let divides = (op != BinOp::Ashr || prim.is_signed())
                    && (op != BinOp::Lshr || nonnegative.is_some());
                if let Some(power) = power(&y, prim)
                    && divides
                {
                    let certs = with(certs, &nonnegative.unwrap_or_default());
                    self.quotient(var, BinOp::Div, &x, &Poly::constant(power), &certs);
                }
            }
            BinOp::And => {
                for operand in [&x, &y] {
                    if let Some(why) = self.prove_nonneg(operand) {
                        let certs = with(certs.clone(), &why);
                        self.between(var, Some(Poly::default()), Some(operand.clone()), &certs);
                    }
                }
            }
            BinOp::Or | BinOp::Xor => {
                if let (Some(mut why), Some(more)) = (self.prove_nonneg(&x), self.prove_nonneg(&y))
                {
                    join(&mut why, &more);
                    self.between(var, Some(Poly::default()), None, &with(certs, &why));
                }
            }
            BinOp::Pow => {}
        }
    }

    fn extreme(&mut self, var: Var, op: BinOp, x: &Poly, y: &Poly, certs: &Certs) {
        let Some(difference) = y.sub(x) else { return };
        let negated = difference.neg();
        if let Some(why) = self.prove_nonneg(&difference) {
            let poly = if op == BinOp::Min { x } else { y };
            self.define(var, poly.clone(), with(certs.clone(), &why));
        } else if let Some(why) = negated.and_then(|poly| self.prove_nonneg(&poly)) {
            let poly = if op == BinOp::Min { y } else { x };
            self.define(var, poly.clone(), with(certs.clone(), &why));
        } else {
            let larger = op == BinOp::Max;
            let extreme = Extreme { of: [x.clone(), y.clone()], larger, certs: certs.clone() };
            let old = self.extremes.insert(var, Box::new(extreme));
            self.trail.push(Undo::Extreme(var, old));
            for poly in [x, y] {
                let (low, high) = if larger { (Some(poly), None) } else { (None, Some(poly)) };
                self.between(var, low.cloned(), high.cloned(), certs);
            }
            self.hull(var, &[x, y], !larger, certs);
        }
    }

    /// Notes a bound of a variable that is one of these polynomials: a number, or one of them.
    fn hull(&mut self, var: Var, polys: &[&Poly], low: bool, certs: &Certs) {
        // Zero and one are the bounds that checks ask for.
        let numbers = [1, 0].map(Poly::constant);
        for bound in numbers.iter().chain(polys.iter().copied()) {
            let mut all = certs.clone();
            let holds = polys.iter().all(|poly| {
                let difference = if low { poly.sub(bound) } else { bound.sub(poly) };
                match difference.and_then(|difference| self.prove_nonneg(&difference)) {
                    Some(why) => {
                        join(&mut all, &why);
                        true
                    }
                    None => false,
                }
            });
            if holds && low {
                self.between(var, Some(bound.clone()), None, &all);
            } else if holds {
                self.between(var, None, Some(bound.clone()), &all);
            }
        }
    }

    fn quotient(&mut self, var: Var, op: BinOp, x: &Poly, y: &Poly, certs: &Certs) {
        let Some(why) = y.plus(-1).and_then(|less| self.prove_nonneg(&less)) else { return };
        let mut certs = with(certs.clone(), &why);
        let nonnegative = self.prove_nonneg(x);
        if let Some(why) = &nonnegative {
            join(&mut certs, why);
            self.between(var, Some(Poly::default()), Some(x.clone()), &certs);
        } else if op == BinOp::Quot {
            return;
        }
        // y * var <= x <= y * var + y - 1
        let me = Poly::var(var);
        if let Some(product) = me.mul(y)
            && let Some(rest) = x.sub(&product)
        {
            self.assume_nonneg(&rest, &certs);
            if let Some(over) = y.plus(-1).and_then(|y| y.sub(&rest)) {
                self.assume_nonneg(&over, &certs);
            }
        }
        if y.as_constant().is_none() {
            let quotient = Quotient { dividend: x.clone(), divisor: y.clone(), certs };
            let old = self.quotients.insert(var, Box::new(quotient));
            self.trail.push(Undo::Quotient(var, old));
        }
    }

    /// Notes that a count is at least one. If it is a quotient, the divisor is at most the dividend.
    pub fn assume_some(&mut self, count: &Poly, certs: &Certs) {
        if let Some(less) = count.plus(-1) {
            self.assume_nonneg(&less, certs);
        }
        let quotient = count.as_var().and_then(|var| self.quotients.get(&var));
        if let Some(Quotient { dividend, divisor, certs: why }) = quotient.map(AsRef::as_ref)
            && let Some(rest) = dividend.sub(divisor)
        {
            let certs = with(certs.clone(), why);
            self.assume_nonneg(&rest, &certs);
        }
    }

    fn remainder(&mut self, var: Var, op: BinOp, x: &Poly, y: &Poly, certs: &Certs) {
        let Some(why) = y.plus(-1).and_then(|less| self.prove_nonneg(&less)) else { return };
        let certs = with(certs.clone(), &why);
        let nonnegative = self.prove_nonneg(x);
        if op == BinOp::Rem && nonnegative.is_none() {
            // It has the sign of the dividend.
            self.between(var, y.neg().and_then(|y| y.plus(1)), y.plus(-1), &certs);
            return;
        }
        if let Some(why) = nonnegative {
            let certs = with(certs.clone(), &why);
            self.between(var, None, Some(x.clone()), &certs);
            if op == BinOp::Rem {
                self.between(var, Some(Poly::default()), y.plus(-1), &certs);
                return;
            }
        }
        self.between(var, Some(Poly::default()), y.plus(-1), &certs);
    }

    /// Notes bounds of a variable.
    pub fn between(&mut self, var: Var, low: Option<Poly>, high: Option<Poly>, certs: &Certs) {
        let me = Poly::var(var);
        if let Some(poly) = low.and_then(|low| me.sub(&low)) {
            self.assume_nonneg(&poly, certs);
        }
        if let Some(poly) = high.and_then(|high| high.sub(&me)) {
            self.assume_nonneg(&poly, certs);
        }
    }
}

fn with(mut certs: Certs, others: &[Var]) -> Certs {
    join(&mut certs, others);
    certs
}

/// Two to the power of a constant distance that is smaller than the width of the type.
fn power(distance: &Poly, prim: Prim) -> Option<i128> {
    let distance = distance.as_constant()?;
    (0..i128::from(prim.bits())).contains(&distance).then(|| 1i128 << distance)
}
