//! Products of floating-point numbers.
//!
//! An element gets the product of all others, which is a quotient, unless there are zeros:
//!
//! ```text
//! y = reduce (*) 1 as
//!
//! y is a normal number:    a_i gets y / a_i
//! otherwise, let z be the product of those that are not zero, and k the number of zeros; if z is a normal number:
//! k = 0: a_i gets z / a_i;    k = 1: the zero gets z;    otherwise nobody gets anything
//! ```
//!
//! That is one map in the first case, and a reduction more in the second, where the rule for any operator needs two scans. Quotients are useless if z is too large or
//! too small for a number, so the two scans are there for that case. What the rarer cases yield is an array that has no elements in the first case, so that
//! the quotients are a map that is fused with what makes the elements, and with what needs their adjoints. An operator inside of another one has no such choice: all of its
//! threads would do both.

use super::Reverse;
use crate::differentiate::Res;
use crate::differentiate::num::{binary, map, mul, number, select, sum_red};
use fehu_base::{IdVec, OrBug, Prim};
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, BinOp, CmpOp, Dim, Exp, Lambda, Red, Screma, Type, UnOp, Var, VarInfo};

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
        let mut inner = Builder::new(b.vars_mut());
        let all = self.rare_product(&mut inner, op, prim, adjoint)?;
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

    /// The adjoints of the elements, if their product is no normal number.
    fn rare_product(
        &self,
        b: &mut Builder<'_>,
        op: &Screma,
        prim: Prim,
        adjoint: Atom,
    ) -> Res<Atom> {
        let (width, array) = (op.width, op.inputs[0]);
        let zero = number(prim, 0.0);
        let (product, zeros) = of_others(b, op, prim);
        let is_regular = regular(b, product, prim);

        let ty = Type::prim(prim);
        let none: Atom = b.exp("none", Exp::CmpOp(CmpOp::Eq, zeros, 0.into())).into();
        let single: Atom = b.exp("single", Exp::CmpOp(CmpOp::Eq, zeros, 1.into())).into();
        let quotients = |b: &mut Builder<'_>| -> Atom {
            let made = map(b, width, &[array], vec![ty.clone()], |b, x| {
                let x: Atom = x[0].into();
                let is_zero = b.exp("is_zero", Exp::CmpOp(CmpOp::Eq, x, zero)).into();
                let others = select(
                    b,
                    none,
                    &ty,
                    |b| binary(b, BinOp::Div, product, x),
                    |b| {
                        let alone = binary(b, BinOp::And, single, is_zero);
                        select(b, alone, &ty, |_| product, |_| zero)
                    },
                );
                vec![mul(b, adjoint, others)]
            });
            made[0].into()
        };
        let mut only = Reverse::of(self.common.clone(), self.loc.clone());
        only.varied.insert(array);
        let mut done = Ok(());
        let scans = |b: &mut Builder<'_>| -> Atom {
            done = only.fold_back(b, op, &[Some(adjoint)]);
            only.take_or_zero(b, array)
        };
        let arrays = b.ty(array).clone();
        let all = select(b, is_regular, &arrays, quotients, scans);
        done?;
        Ok(all)
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

/// The product of the elements that are not zero, and the number of the others.
fn of_others(b: &mut Builder<'_>, op: &Screma, prim: Prim) -> (Atom, Atom) {
    let ty = Type::prim(prim);
    let function = b.lambda(vec![("x".into(), ty.clone())], vec![ty.clone(), Type::I64], |b, x| {
        let x: Atom = x[0].into();
        let is_zero = b.exp("is_zero", Exp::CmpOp(CmpOp::Eq, x, number(prim, 0.0))).into();
        let factor = select(b, is_zero, &ty, |_| number(prim, 1.0), |_| x);
        vec![factor, b.exp("zero", Exp::Convert(Prim::I64, is_zero)).into()]
    });
    let product = copy_lambda(&op.reds[0].op, b.vars_mut());
    let product = Red { op: product, neutral: vec![number(prim, 1.0)], commutative: true };
    let reds = vec![product, sum_red(b, &Type::I64)];
    let (width, inputs) = (op.width, op.inputs.clone());
    let both = Screma { width, inputs, map: function, scans: Vec::new(), reds };
    let both = b.several("others", vec![ty, Type::I64], Exp::Screma(Box::new(both)));
    (both[0].into(), both[1].into())
}
