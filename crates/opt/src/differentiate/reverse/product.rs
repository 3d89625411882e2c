//! Products of floating-point numbers.
//!
//! An element gets the product of all others. If the product of all is a normal number, then none is zero, and that is
//! a quotient:
//!
//! ```text
//! y = reduce (*) 1 as      a_i gets y / a_i
//! ```
//!
//! That is one map, where the rule for any operator needs two scans, which are there for all other cases: zeros, and
//! products that are too large or too small for a number. What they yield is an array that has no elements otherwise,
//! so that the quotients are a map that is fused with what makes the elements, and with what needs their adjoints. An
//! operator inside of another one has no such choice, since all of its threads would do both: see
//! [`regular`](super::regular).

use super::Reverse;
use crate::differentiate::Res;
use crate::differentiate::num::{binary, map, mul, number, select};
use fehu_base::{IdVec, OrBug, Prim};
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::{Atom, BinOp, CmpOp, Dim, Exp, Lambda, Screma, Type, UnOp, Var, VarInfo};

/// The type of the numbers that an operator multiplies, if they have fractions.
pub(super) fn of_floats(op: &Lambda, vars: &IdVec<Var, VarInfo>) -> Option<Prim> {
    let ([x, y], [result], [stm]) = (&op.params[..], &op.body.results[..], &op.body.stms[..])
    else {
        return None;
    };
    let Exp::BinOp(BinOp::Mul, a, b) = stm.exp else { return None };
    let both = [(*x, *y), (*y, *x)].map(|(x, y)| (Atom::Var(x), Atom::Var(y)));
    let is_product = both.contains(&(a, b)) && *result == Atom::Var(stm.pat[0]);
    prim_of(&vars[*x].ty).filter(|prim| is_product && smallest(*prim).is_some())
}

/// The smallest normal number.
fn smallest(prim: Prim) -> Option<f64> {
    match prim {
        Prim::F16 => Some(f64::from(half::f16::MIN_POSITIVE)),
        Prim::F32 => Some(f64::from(f32::MIN_POSITIVE)),
        Prim::F64 => Some(f64::MIN_POSITIVE),
        Prim::I8
        | Prim::I16
        | Prim::I32
        | Prim::I64
        | Prim::U8
        | Prim::U16
        | Prim::U32
        | Prim::U64
        | Prim::Bool => None,
    }
}

impl Reverse {
    /// The elements of a product that is a normal number.
    pub(super) fn quotients(
        &mut self,
        b: &mut Builder<'_>,
        op: &Screma,
        value: Atom,
        adjoint: Atom,
    ) {
        let array = op.inputs[0];
        let row = b.ty(array).row().into_iter().collect();
        let all = map(b, op.width, &[array], row, |b, args| {
            let others = binary(b, BinOp::Div, value, args[0].into());
            vec![mul(b, adjoint, others)]
        });
        self.contribute(b, array.into(), all[0].into());
    }

    /// A product of numbers of this type, and its value.
    pub(super) fn product_back(
        &mut self,
        b: &mut Builder<'_>,
        op: &Screma,
        (prim, value): (Prim, Atom),
        adjoint: Atom,
    ) -> Res<()> {
        let (width, array) = (op.width, op.inputs[0]);
        let ty = Type::prim(prim);
        let is_regular = regular(b, value, prim);
        let nothing = b.body(|b| {
            let zero = number(prim, 0.0);
            let none = b.exp("none", Exp::Replicate(vec![0.into()], zero));
            vec![0.into(), none.into()]
        });
        let mut only = Reverse::of(self.common.clone(), self.loc.clone());
        only.varied.insert(array);
        let mut inner = Builder::new(b.vars_mut());
        only.fold_back(&mut inner, op, &[Some(adjoint)])?;
        let all = only.take_or_zero(&mut inner, array);
        let rare = inner.finish(vec![width, all]);
        let size = b.param("size", Type::I64);
        let rest = b.param("rest", ty.array_of(size.into()).or_bug("array of numbers"));
        b.stm(vec![size, rest], Exp::If(is_regular, Box::new([nothing, rare])));
        let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
        let all = map(b, width, &[array, iota], vec![ty.clone()], |b, args| {
            let quotient = |b: &mut Builder<'_>| {
                let others = binary(b, BinOp::Div, value, args[0].into());
                mul(b, adjoint, others)
            };
            let at = vec![Dim::Fix(args[1].into())];
            let there = |b: &mut Builder<'_>| b.exp("part", Exp::Index(rest, at)).into();
            vec![select(b, is_regular, &ty, quotient, there)]
        });
        self.contribute(b, array.into(), all[0].into());
        Ok(())
    }
}

/// Whether a product is a normal number.
pub(super) fn regular(b: &mut Builder<'_>, product: Atom, prim: Prim) -> Atom {
    let size = b.exp("size", Exp::UnOp(UnOp::Abs, product)).into();
    let least = number(prim, smallest(prim).or_bug("numbers with fractions"));
    let large = b.exp("large", Exp::CmpOp(CmpOp::Le, least, size)).into();
    let infinite = number(prim, f64::INFINITY);
    let finite = b.exp("finite", Exp::CmpOp(CmpOp::Lt, size, infinite)).into();
    binary(b, BinOp::And, large, finite)
}
