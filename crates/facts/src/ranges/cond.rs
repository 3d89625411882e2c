//! Conditions: what follows from the truth of a condition, and proofs of conditions.

use super::{Certs, Ranges, join};
use crate::poly::Poly;
use fehu_ir::{Atom, BinOp, CmpOp, Exp, Scalar, UnOp, Var};
use std::collections::hash_map::Entry;

/// How many parts of a condition are looked at.
const PARTS: u32 = 200;

/// How a boolean is computed.
#[derive(Clone, Copy, Debug)]
pub enum Cond {
    /// A comparison of integers.
    Cmp(CmpOp, Atom, Atom),
    /// Both.
    And(Atom, Atom),
    /// At least one.
    Or(Atom, Atom),
    /// The other boolean.
    Not(Atom),
    /// The second if the first holds, otherwise the third.
    If(Atom, Atom, Atom),
    /// The same.
    Same(Atom),
}

impl Ranges<'_> {
    /// Notes how a boolean is computed.
    #[expect(clippy::wildcard_enum_match_arm, reason = "of other expressions nothing is known")]
    pub(super) fn learn_cond(&mut self, var: Var, exp: &Exp) {
        let cond = match exp {
            Exp::Atom(a) => Cond::Same(*a),
            Exp::CmpOp(op, a, b) if self.poly(*a).is_some() => Cond::Cmp(*op, *a, *b),
            Exp::BinOp(BinOp::And, a, b) => Cond::And(*a, *b),
            Exp::BinOp(BinOp::Or, a, b) => Cond::Or(*a, *b),
            Exp::UnOp(UnOp::Not, a) => Cond::Not(*a),
            _ => return,
        };
        self.conds.insert(var, cond);
    }

    /// Notes that a boolean is one of two, by another.
    pub fn learn_choice(&mut self, var: Var, cond: Atom, yes: Atom, no: Atom) {
        self.conds.insert(var, Cond::If(cond, yes, no));
    }

    /// How a boolean is computed, if that is known.
    pub fn cond(&self, atom: Atom) -> Option<Cond> {
        match atom {
            Atom::Var(var) => self.conds.get(&var).copied(),
            Atom::Const(_) => None,
        }
    }

    /// Notes that a condition holds, or that it does not.
    pub fn assume(&mut self, cond: Atom, truth: bool, certs: &Certs) {
        let mut parts = PARTS;
        self.assume_part(cond, truth, certs, &mut parts);
    }

    /// Whether a condition holds, or does not, and which certificates this rests on.
    pub fn prove(&mut self, cond: Atom, truth: bool) -> Option<Certs> {
        let mut parts = PARTS;
        self.prove_part(cond, truth, &mut parts)
    }

    /// The polynomials that are not negative if a condition holds.
    pub fn implied(&mut self, cond: Atom) -> Vec<(Poly, Certs)> {
        let mut found = Vec::new();
        let mut parts = PARTS;
        let mut work = vec![(cond, true)];
        while let Some((atom, truth)) = work.pop() {
            if parts == 0 {
                break;
            }
            parts -= 1;
            match self.cond(atom) {
                Some(Cond::Same(a)) => work.push((a, truth)),
                Some(Cond::Not(a)) => work.push((a, !truth)),
                Some(Cond::And(a, b)) if truth => work.extend([(b, true), (a, true)]),
                Some(Cond::Or(a, b)) if !truth => work.extend([(b, false), (a, false)]),
                Some(Cond::If(cond, yes, no)) if is(no, !truth) => {
                    work.extend([(yes, truth), (cond, true)]);
                }
                Some(Cond::If(cond, yes, no)) if is(yes, !truth) => {
                    work.extend([(no, truth), (cond, false)]);
                }
                Some(Cond::Cmp(..)) => found.extend(self.as_inequality(atom, truth)),
                Some(Cond::And(..) | Cond::Or(..) | Cond::If(..)) | None => {}
            }
        }
        found
    }

    fn assume_part(&mut self, atom: Atom, truth: bool, certs: &Certs, parts: &mut u32) {
        let Atom::Var(var) = atom else { return };
        if *parts == 0 {
            return;
        }
        *parts -= 1;
        if let Entry::Vacant(entry) = self.truths.entry(var) {
            entry.insert((truth, certs.clone()));
            self.trail.push(super::Undo::Truth(var));
        }
        match self.cond(atom) {
            Some(Cond::Same(a)) => self.assume_part(a, truth, certs, parts),
            Some(Cond::Not(a)) => self.assume_part(a, !truth, certs, parts),
            Some(Cond::And(a, b)) if truth => {
                self.assume_part(a, truth, certs, parts);
                self.assume_part(b, truth, certs, parts);
            }
            Some(Cond::Or(a, b)) if !truth => {
                self.assume_part(a, truth, certs, parts);
                self.assume_part(b, truth, certs, parts);
            }
            Some(Cond::And(a, b) | Cond::Or(a, b)) => {
                // One of them has this truth value; if it cannot be the one, it is the other.
                for (one, other) in [(a, b), (b, a)] {
                    if let Some(why) = self.prove_part(one, !truth, parts) {
                        let mut certs = certs.clone();
                        join(&mut certs, &why);
                        self.assume_part(other, truth, &certs, parts);
                        return;
                    }
                }
            }
            Some(Cond::If(cond, yes, no)) => {
                // Only one of the alternatives can have this truth value.
                if is(no, !truth) {
                    self.assume_part(cond, true, certs, parts);
                    self.assume_part(yes, truth, certs, parts);
                } else if is(yes, !truth) {
                    self.assume_part(cond, false, certs, parts);
                    self.assume_part(no, truth, certs, parts);
                }
            }
            Some(Cond::Cmp(op, a, b)) => self.assume_cmp(op, a, b, truth, certs),
            None => {}
        }
    }

    fn assume_cmp(&mut self, op: CmpOp, a: Atom, b: Atom, truth: bool, certs: &Certs) {
        let Some((difference, why)) = self.difference(a, b) else { return };
        let mut certs = certs.clone();
        join(&mut certs, &why);
        match (op, truth) {
            (CmpOp::Le | CmpOp::Lt, _) => {
                if let Some(poly) = inequality(op, truth, &difference) {
                    self.assume_nonneg(&poly, &certs);
                }
            }
            (CmpOp::Eq, true) => self.assume_zero(&difference, &certs),
            (CmpOp::Eq, false) => {
                self.nonzero.push((difference.clone(), certs.clone()));
                self.trail.push(super::Undo::Nonzero);
                for poly in [Some(difference.clone()), difference.neg()].into_iter().flatten() {
                    if let Some(why) = self.prove_nonneg(&poly)
                        && let Some(more) = poly.plus(-1)
                    {
                        join(&mut certs, &why);
                        self.assume_nonneg(&more, &certs);
                        return;
                    }
                }
            }
        }
    }

    fn prove_part(&mut self, atom: Atom, truth: bool, parts: &mut u32) -> Option<Certs> {
        let var = match atom {
            Atom::Const(Scalar::Bool(value)) => return (value == truth).then(Certs::new),
            Atom::Const(_) => return None,
            Atom::Var(var) => var,
        };
        *parts = parts.checked_sub(1)?;
        if let Some((known, certs)) = self.truths.get(&var) {
            return (*known == truth).then(|| certs.clone());
        }
        match self.cond(atom)? {
            Cond::Same(a) => self.prove_part(a, truth, parts),
            Cond::Not(a) => self.prove_part(a, !truth, parts),
            Cond::And(a, b) if truth => self.prove_both((a, true), (b, true), parts),
            Cond::Or(a, b) if !truth => self.prove_both((a, false), (b, false), parts),
            Cond::And(a, b) | Cond::Or(a, b) => {
                // One of them is enough, and the other one may be assumed to have the other value.
                for (one, other) in [(a, b), (b, a)] {
                    if let Some(certs) = self.under(other, !truth, one, truth, parts) {
                        return Some(certs);
                    }
                }
                None
            }
            Cond::If(cond, yes, no) => {
                let mut certs = self.under(cond, true, yes, truth, parts)?;
                join(&mut certs, &self.under(cond, false, no, truth, parts)?);
                Some(certs)
            }
            Cond::Cmp(op, a, b) => self.prove_cmp(op, a, b, truth),
        }
    }

    fn prove_both(&mut self, a: (Atom, bool), b: (Atom, bool), parts: &mut u32) -> Option<Certs> {
        let mut certs = self.prove_part(a.0, a.1, parts)?;
        join(&mut certs, &self.prove_part(b.0, b.1, parts)?);
        Some(certs)
    }

    /// Proves a condition under the assumption that another has this truth value.
    fn under(
        &mut self,
        assumed: Atom,
        value: bool,
        goal: Atom,
        truth: bool,
        parts: &mut u32,
    ) -> Option<Certs> {
        if is(assumed, !value) {
            return Some(Certs::new());
        }
        let mark = self.enter();
        self.assume_part(assumed, value, &Certs::new(), parts);
        let certs = self.prove_part(goal, truth, parts);
        self.leave(mark);
        certs
    }

    fn prove_cmp(&mut self, op: CmpOp, a: Atom, b: Atom, truth: bool) -> Option<Certs> {
        let (difference, mut certs) = self.difference(a, b)?;
        match (op, truth) {
            (CmpOp::Le | CmpOp::Lt, _) => {
                let poly = inequality(op, truth, &difference)?;
                join(&mut certs, &self.prove_nonneg(&poly)?);
            }
            (CmpOp::Eq, true) => {
                join(&mut certs, &self.prove_nonneg(&difference)?);
                join(&mut certs, &self.prove_nonneg(&difference.neg()?)?);
            }
            (CmpOp::Eq, false) => {
                let negated = difference.neg()?;
                let known = self.nonzero.iter().find(|(p, _)| *p == difference || *p == negated);
                let why = match known {
                    Some((_, why)) => why.clone(),
                    None => [difference, negated]
                        .iter()
                        .find_map(|poly| self.prove_nonneg(&poly.plus(-1)?))?,
                };
                join(&mut certs, &why);
            }
        }
        Some(certs)
    }

    /// `b - a`
    fn difference(&mut self, a: Atom, b: Atom) -> Option<(Poly, Certs)> {
        let (a, mut certs) = self.settled(a)?;
        let (b, why) = self.settled(b)?;
        join(&mut certs, &why);
        Some((b.sub(&a)?, certs))
    }

    /// For a comparison that has this truth value exactly if one polynomial of variables is not negative: that one.
    pub fn as_inequality(&mut self, atom: Atom, truth: bool) -> Option<(Poly, Certs)> {
        match self.cond(atom)? {
            Cond::Cmp(op @ (CmpOp::Le | CmpOp::Lt), a, b) => {
                let (difference, certs) = self.difference(a, b)?;
                Some((inequality(op, truth, &difference)?, certs))
            }
            Cond::Same(a) => self.as_inequality(a, truth),
            Cond::Not(a) => self.as_inequality(a, !truth),
            Cond::Cmp(CmpOp::Eq, ..) | Cond::And(..) | Cond::Or(..) | Cond::If(..) => None,
        }
    }
}

/// What is not negative exactly if `a op b` has this truth value, for `b - a`.
fn inequality(op: CmpOp, truth: bool, difference: &Poly) -> Option<Poly> {
    match (op, truth) {
        (CmpOp::Le, true) => Some(difference.clone()),
        (CmpOp::Lt, true) => difference.plus(-1),
        (CmpOp::Le, false) => difference.neg()?.plus(-1),
        (CmpOp::Lt, false) => difference.neg(),
        (CmpOp::Eq, _) => None,
    }
}

fn is(atom: Atom, value: bool) -> bool {
    atom == Atom::bool(value)
}
