//! Scans.
//!
//! ```text
//! ys = scan op e as
//!
//! r_(n-1) = adjoint of y_(n-1);   r_i = adjoint of y_i + (adjoint of x in x op a_(i+1) at y_i, for r_(i+1))
//! ```
//!
//! From these adjoints of the prefixes, those of the elements follow as for reductions. The recurrence is a scan from the end:
//!
//! * of sums, for `+`;
//! * of linear functions `r -> b + c * r`, for operators on single numbers, where `c` is a number;
//! * of triples, for all others: `(x1, a1, z1) * (x2, a2, z2) = (x1, a1 op a2, z1 + (adjoint of x in x op a1 at x1, for z2))`,
//!   of elements `(y_i, a_(i+1), adjoint of y_i)`.

use super::Reverse;
use super::fold::{left_adjoints, less_and_first, zeros};
use crate::differentiate::Res;
use crate::differentiate::num::{
    add, add_lambda, identity, mul, number, outer, reverse, rows, with_presence, zero,
};
use fehu_base::OrBug;
use fehu_facts::operators::is_sum;
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, Exp, Lambda, Scan, Screma, Stm, Type, Var};

impl Reverse {
    pub(super) fn scan_back(&mut self, b: &mut Builder<'_>, stm: &Stm, op: &Screma) -> Res<()> {
        let ([scan], []) = (&op.scans[..], &op.reds[..]) else {
            return self.refuse("the derivative of this scan");
        };
        let (width, elements) = (op.width, &op.inputs);
        if is_sum(&scan.op) {
            for (var, array) in stm.pat.iter().zip(elements) {
                let Some(adjoint) = self.take(b, *var) else { continue };
                let row = b.ty(*array).row().or_bug("row of an array");
                let adjoint = reverse(b, adjoint.var().or_bug("adjoint of an array"));
                let neutral = vec![zero(b, &row)];
                let sums = Scan { op: add_lambda(b, &row, 0), neutral };
                let sums = scan_of(b, width, vec![adjoint], sums)[0];
                let back = reverse(b, sums);
                self.contribute(b, (*array).into(), back.into());
            }
            return Ok(());
        }
        let mut adjoints = Vec::new();
        for var in &stm.pat {
            adjoints.push(self.take_or_zero(b, *var).var().or_bug("adjoint of an array"));
        }
        let (less, first) = less_and_first(b, width);
        let scalar = match &scan.op.ret[..] {
            [ty] => prim_of(ty),
            _ => None,
        };
        let prefixes: Vec<Var> = stm.pat.iter().map(|ys| rows(b, *ys, 0.into(), less, 1)).collect();
        let tails: Vec<Var> = elements.iter().map(|a| rows(b, *a, 1.into(), less, 1)).collect();
        let totals = match scalar {
            Some(prim) => {
                let ones = b.exp("ones", Exp::Replicate(vec![less], number(prim, 1.0)));
                let sides = (&prefixes[..], &tails[..]);
                let slopes =
                    left_adjoints(self, b, less, sides, &scan.op, vec![Some(ones.into())])?;
                let last = b.exp("last", Exp::Replicate(vec![first], number(prim, 1.0)));
                let slope = slopes[0].unwrap_or_else(|| zeros(b, elements[0], less));
                let slopes = b.exp("slopes", Exp::Concat(width, vec![slope, last]));
                let inputs = vec![reverse(b, adjoints[0]), reverse(b, slopes)];
                let linear = linear(b, &Type::prim(prim));
                let neutral = vec![number(prim, 0.0), number(prim, 1.0)];
                let sums = scan_of(b, width, inputs, Scan { op: linear, neutral });
                vec![reverse(b, sums[0])]
            }
            None => {
                // The element that the last prefix lacks is never used.
                let mut next = Vec::new();
                for (tail, neutral) in tails.iter().zip(&scan.neutral) {
                    let last = b.exp("last", Exp::Replicate(vec![first], *neutral));
                    next.push(b.exp("next", Exp::Concat(width, vec![*tail, last])));
                }
                let full = b.exp("full", Exp::Replicate(vec![width], Atom::bool(true)));
                let mut inputs = vec![full];
                for array in stm.pat.iter().chain(&next).chain(&adjoints) {
                    inputs.push(reverse(b, *array));
                }
                let triple = self.triple(b, &scan.op)?;
                let mut neutral = vec![Atom::bool(false)];
                neutral.extend_from_slice(&scan.neutral);
                neutral.extend_from_slice(&scan.neutral);
                for ty in &scan.op.ret {
                    neutral.push(zero(b, ty));
                }
                let all = scan_of(b, width, inputs, Scan { op: triple, neutral });
                let count = scan.op.ret.len();
                all[1 + 2 * count..].iter().map(|array| reverse(b, *array)).collect()
            }
        };
        let totals: Vec<Option<Var>> = totals.into_iter().map(Some).collect();
        self.elements_back(b, elements, &prefixes, &totals, &scan.op, (width, less, first))
    }

    /// The operator on triples, with its operands exchanged because it goes from the end; the first part says whether
    /// there is an element at all.
    fn triple(&mut self, b: &mut Builder<'_>, op: &Lambda) -> Res<Lambda> {
        let count = op.ret.len();
        let parts: Vec<Type> = std::iter::repeat_n(op.ret.clone(), 3).flatten().collect();
        let mut params = Vec::new();
        for ty in parts.iter().chain(&parts) {
            params.push(b.param("t", ty.clone()));
        }
        let (right, left) = params.split_at(parts.len());
        let mut both = Builder::new(b.vars_mut());
        let combined = copy_lambda(op, both.vars_mut());
        let operands = left[count..][..count].iter().chain(&right[count..][..count]);
        let elements = crate::differentiate::inline(
            &mut both,
            combined,
            operands.map(|var| Atom::Var(*var)).collect(),
        );
        let mut only = Reverse { loc: self.loc.clone(), ..Reverse::default() };
        let mut again = copy_lambda(op, both.vars_mut());
        let operands = left[..2 * count].iter();
        for ((param, operand), index) in again.params.iter().zip(operands).zip(0..) {
            both.stm(vec![*param], Exp::Atom((*operand).into()));
            if index < count {
                only.varied.insert(*param);
            }
        }
        let wanted: Vec<Var> = again.params[..count].to_vec();
        let body = std::mem::take(&mut again.body);
        let seeds: Vec<Option<Atom>> =
            right[2 * count..].iter().map(|var| Some(Atom::Var(*var))).collect();
        only.scope(&mut both, body, &seeds)?;
        let mut results: Vec<Atom> = left[..count].iter().map(|var| Atom::Var(*var)).collect();
        results.extend(elements);
        for (var, adjoint) in wanted.iter().zip(&left[2 * count..]) {
            let part = only.take_or_zero(&mut both, *var);
            results.push(add(&mut both, (*adjoint).into(), part));
        }
        let body = both.finish(results);
        Ok(with_presence(b, Lambda { params, body, ret: parts }, 0))
    }
}

/// The composition of linear functions `r -> b + c * r`; the first operand is applied first.
fn linear(b: &mut Builder<'_>, ty: &Type) -> Lambda {
    let params = ["b1", "c1", "b2", "c2"].map(|name| (name.into(), ty.clone())).to_vec();
    b.lambda(params, vec![ty.clone(), ty.clone()], |b, p| {
        let moved = mul(b, p[3].into(), p[0].into());
        let sum = add(b, p[2].into(), moved);
        let product = mul(b, p[3].into(), p[1].into());
        vec![sum, product]
    })
}

fn scan_of(b: &mut Builder<'_>, width: Atom, inputs: Vec<Var>, scan: Scan) -> Vec<Var> {
    let map = identity(b, &scan.op.ret);
    let types = outer(&scan.op.ret, width);
    let screma = Screma { width, inputs, map, scans: vec![scan], reds: Vec::new() };
    b.several("scanned", types, Exp::Screma(Box::new(screma)))
}
