//! Reductions.
//!
//! ```text
//! y = reduce op e as
//!
//! P_i = a_0 op .. op a_i                        S_i = a_(i+1) op .. op a_(n-1)
//! r_i = adjoint of x in x op S_i at P_i, for y's adjoint;  r_(n-1) is y's adjoint
//! a_0 gets r_0;  a_i, and what the operator captures, get those of P_(i-1) op a_i for r_i
//! ```
//!
//! That needs two scans, and the operator's own derivative in maps. If there are no elements, the neutral element gets
//! the adjoint. For sums, all elements get the adjoint of the sum; for products, see [`product`].

use super::regular::Products;
use super::{Reverse, product};
use crate::differentiate::Res;
use crate::differentiate::num::{binary, identity, reverse, rows, when, zero};
use fehu_base::OrBug;
use fehu_facts::operators::is_sum;
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, BinOp, CmpOp, Exp, Lambda, Scan, Screma, Stm, Var};

impl Reverse {
    pub(super) fn reduce_back(&mut self, b: &mut Builder<'_>, stm: &Stm, op: &Screma) -> Res<()> {
        let [red] = &op.reds[..] else { return self.refuse("the derivative of this reduction") };
        let (width, elements) = (op.width, &op.inputs);
        if is_sum(&red.op) {
            for (var, array) in stm.pat.iter().zip(elements) {
                if let Some(adjoint) = self.take(b, *var)
                    && self.varied.contains(array)
                {
                    let all = b.exp("adjoint", Exp::Replicate(vec![width], adjoint));
                    self.contribute(b, (*array).into(), all.into());
                }
            }
            return Ok(());
        }
        let adjoints = self.take_all(b, &stm.pat);
        // Nothing to reduce.
        let none: Atom = b.exp("none", Exp::CmpOp(CmpOp::Le, width, 0.into())).into();
        for (neutral, adjoint) in red.neutral.iter().zip(&adjoints) {
            if let Some(adjoint) = adjoint
                && self.is_varied(*neutral)
            {
                let part = when(b, none, *adjoint);
                self.contribute(b, *neutral, part);
            }
        }
        match (product::of_floats(&red.op, b.vars()), &adjoints[..]) {
            (Some(_), [Some(adjoint)]) if self.products == Products::Normal => {
                self.quotients(b, op, stm.pat[0].into(), *adjoint);
                Ok(())
            }
            (Some(prim), [Some(adjoint)]) if self.is_host => {
                self.product_back(b, op, (prim, stm.pat[0].into()), *adjoint)
            }
            _ => self.fold_back(b, op, &adjoints),
        }
    }

    /// By the rule for any operator.
    pub(super) fn fold_back(
        &mut self,
        b: &mut Builder<'_>,
        op: &Screma,
        adjoints: &[Option<Atom>],
    ) -> Res<()> {
        let (red, width, elements) = (&op.reds[0], op.width, &op.inputs);
        let (less, first) = less_and_first(b, width);
        // The prefixes of all but the last, and the suffixes that follow them.
        let heads: Vec<Var> = elements.iter().map(|a| rows(b, *a, 0.into(), less, 1)).collect();
        let tails: Vec<Var> = elements.iter().map(|a| rows(b, *a, 1.into(), less, 1)).collect();
        let prefixes = scan(b, less, &heads, &red.op, &red.neutral, false);
        let backwards: Vec<Var> = tails.iter().map(|tail| reverse(b, *tail)).collect();
        let suffixes = scan(b, less, &backwards, &red.op, &red.neutral, true);
        let suffixes: Vec<Var> = suffixes.iter().map(|array| reverse(b, *array)).collect();
        let all = |b: &mut Builder<'_>, len: Atom, adjoint: &Option<Atom>| {
            adjoint.map(|adjoint| b.exp("adjoint", Exp::Replicate(vec![len], adjoint)))
        };
        let seeds = adjoints.iter().map(|adjoint| all(b, less, adjoint).map(Atom::Var)).collect();
        let before = left_adjoints(self, b, less, (&prefixes, &suffixes), &red.op, seeds)?;
        let mut totals = Vec::new();
        for ((before, adjoint), element) in before.into_iter().zip(adjoints).zip(elements) {
            let last = all(b, first, adjoint);
            totals.push(match (before, last) {
                (None, None) => None,
                (before, last) => {
                    let before = before.unwrap_or_else(|| zeros(b, *element, less));
                    let last = last.unwrap_or_else(|| zeros(b, *element, first));
                    Some(b.exp("adjoint", Exp::Concat(width, vec![before, last])))
                }
            });
        }
        self.elements_back(b, elements, &prefixes, &totals, &red.op, (width, less, first))
    }

    /// From the adjoints of all prefixes, of those parts that have some, to those of the elements, and of what the
    /// operator captures.
    pub(super) fn elements_back(
        &mut self,
        b: &mut Builder<'_>,
        elements: &[Var],
        prefixes: &[Var],
        adjoints: &[Option<Var>],
        op: &Lambda,
        (width, less, first): (Atom, Atom, Atom),
    ) -> Res<()> {
        let tails: Vec<Var> = elements.iter().map(|a| rows(b, *a, 1.into(), less, 1)).collect();
        for (tail, element) in tails.iter().zip(elements) {
            if self.varied.contains(element) {
                self.varied.insert(*tail);
            }
        }
        let inputs: Vec<Var> = prefixes.iter().chain(&tails).copied().collect();
        let part = |b: &mut Builder<'_>, array: Option<Var>, start: i64, len: Atom| {
            array.map(|array| rows(b, array, start.into(), len, 1))
        };
        let later = adjoints.iter().map(|array| part(b, *array, 1, less).map(Atom::Var)).collect();
        self.map_back(b, less, &inputs, op, later)?;
        for ((tail, element), adjoint) in tails.iter().zip(elements).zip(adjoints) {
            if !self.varied.contains(element) {
                continue;
            }
            let later = self.take(b, *tail).and_then(Atom::var);
            let start = part(b, *adjoint, 0, first);
            if later.is_none() && start.is_none() {
                continue;
            }
            let later = later.unwrap_or_else(|| zeros(b, *element, less));
            let start = start.unwrap_or_else(|| zeros(b, *element, first));
            let all = b.exp("adjoint", Exp::Concat(width, vec![start, later]));
            self.contribute(b, (*element).into(), all.into());
        }
        Ok(())
    }
}

/// Zeros in place of so many rows of an array.
pub(super) fn zeros(b: &mut Builder<'_>, array: Var, len: Atom) -> Var {
    let row = b.ty(array).row().or_bug("row of an array");
    let ty = row.array_of(len).or_bug("rows of numbers");
    zero(b, &ty).var().or_bug("zeros of an array")
}

/// The number of elements but one, and how many that one is: both are zero if there are none.
pub(super) fn less_and_first(b: &mut Builder<'_>, width: Atom) -> (Atom, Atom) {
    let less = binary(b, BinOp::Sub, width, 1.into());
    let less = binary(b, BinOp::Max, less, 0.into());
    (less, binary(b, BinOp::Sub, width, less))
}

/// The prefixes of arrays; with the operands exchanged, if they are in the other order.
fn scan(
    b: &mut Builder<'_>,
    width: Atom,
    arrays: &[Var],
    op: &Lambda,
    neutral: &[Atom],
    exchanged: bool,
) -> Vec<Var> {
    let mut op = copy_lambda(op, b.vars_mut());
    if exchanged {
        op.params.rotate_left(neutral.len());
    }
    let map = identity(b, &op.ret);
    let types = crate::differentiate::num::outer(&op.ret, width);
    let scans = vec![Scan { op, neutral: neutral.to_vec() }];
    let screma = Screma { width, inputs: arrays.to_vec(), map, scans, reds: Vec::new() };
    b.several("scanned", types, Exp::Screma(Box::new(screma)))
}

/// The adjoints of the left operands of an operator at every position, for adjoints of its results; nothing where they are zero.
pub(super) fn left_adjoints(
    reverse: &Reverse,
    b: &mut Builder<'_>,
    width: Atom,
    (left, right): (&[Var], &[Var]),
    op: &Lambda,
    seeds: Vec<Option<Atom>>,
) -> Res<Vec<Option<Var>>> {
    let mut only = Reverse::of(reverse.common.clone(), reverse.loc.clone());
    // Other names, because the same array may be on the right.
    let mut wanted = Vec::new();
    for array in left {
        let name = b.exp("left", Exp::Atom((*array).into()));
        only.varied.insert(name);
        wanted.push(name);
    }
    let inputs: Vec<Var> = wanted.iter().chain(right).copied().collect();
    only.map_back(b, width, &inputs, op, seeds)?;
    Ok(only.take_all(b, &wanted).into_iter().map(|adjoint| adjoint.and_then(Atom::var)).collect())
}
