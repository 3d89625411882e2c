//! The derivatives of operations on scalars: one table for both modes.

use super::num::{binary, number, select};
use fehu_base::Prim;
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::{Atom, BinOp, CmpOp, Exp, LoopForm, LoopParam, MathFn, Type, UnOp};
use std::f64::consts::{LN_2, LN_10, PI};

/// How the result of an operation changes with an operand. Those that are known to be zero or one are not written as
/// products: zero times infinity is not zero.
#[derive(Clone, Copy, Debug)]
pub(super) enum Partial {
    Zero,
    One,
    Minus,
    Times(Atom),
    /// One if this holds, otherwise zero.
    When(Atom),
    /// The other way round.
    Unless(Atom),
    /// The tangent times two to this power.
    Scaled(Atom),
    /// Converted to the type of the result, and back.
    Converted,
    /// The bits are taken for those of the result's type, and back.
    Reinterpreted,
}

impl Partial {
    /// The derivative times a tangent, of type `to`; or an adjoint, if `to` is the operand's type.
    pub(super) fn times(self, b: &mut Builder<'_>, x: Atom, to: Prim) -> Option<Atom> {
        Some(match self {
            Partial::Zero => return None,
            Partial::One => x,
            Partial::Minus => super::num::neg(b, x),
            Partial::Times(factor) => super::num::mul(b, factor, x),
            Partial::When(cond) => super::num::when(b, cond, x),
            Partial::Unless(cond) => {
                let ty = Type::prim(to);
                select(b, cond, &ty, |b| super::num::zero(b, &Type::prim(to)), |_| x)
            }
            Partial::Scaled(k) => b.exp("d", Exp::Math(MathFn::Ldexp, vec![x, k])).into(),
            Partial::Converted => b.exp("d", Exp::Convert(to, x)).into(),
            Partial::Reinterpreted => b.exp("d", Exp::Reinterpret(to, x)).into(),
        })
    }
}

/// The operands of an operation whose result is `y`, and the derivatives with respect to those that are wanted. Nothing
/// if it is no operation on scalars.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no operations on scalars")]
pub(super) fn partials(
    b: &mut Builder<'_>,
    exp: &Exp,
    y: Atom,
    wanted: &dyn Fn(Atom) -> bool,
) -> Option<Vec<(Atom, Partial)>> {
    let mut all = Vec::new();
    match exp {
        Exp::UnOp(op, a) => {
            if wanted(*a) {
                all.push((*a, unary(b, *op, *a)));
            }
        }
        Exp::BinOp(op, x, z) => {
            let want = (wanted(*x), wanted(*z));
            let (p, q) = two(b, *op, *x, *z, y, want);
            all.extend(want.0.then_some((*x, p)));
            all.extend(want.1.then_some((*z, q)));
        }
        Exp::CmpOp(_, x, z) => all.extend([(*x, Partial::Zero), (*z, Partial::Zero)]),
        Exp::Math(f, args) => {
            for (index, arg) in args.iter().enumerate() {
                if wanted(*arg) {
                    all.push((*arg, math(b, *f, args, index, y)));
                }
            }
        }
        Exp::Convert(_, a) => all.push((*a, Partial::Converted)),
        Exp::Reinterpret(_, a) => all.push((*a, Partial::Reinterpreted)),
        _ => return None,
    }
    Some(all)
}

fn prim(b: &Builder<'_>, a: Atom) -> Prim {
    prim_of(&b.atom_ty(a)).unwrap_or(Prim::F64)
}

fn unary(b: &mut Builder<'_>, op: UnOp, a: Atom) -> Partial {
    match op {
        UnOp::Neg => Partial::Minus,
        UnOp::Not if prim(b, a) == Prim::Bool => Partial::Times(a),
        UnOp::Not => Partial::Minus,
        UnOp::Abs => Partial::Times(b.exp("d", Exp::UnOp(UnOp::Sgn, a)).into()),
        UnOp::Sgn => Partial::Zero,
    }
}

/// The derivatives of an operation with two operands.
fn two(
    b: &mut Builder<'_>,
    op: BinOp,
    x: Atom,
    z: Atom,
    y: Atom,
    want: (bool, bool),
) -> (Partial, Partial) {
    let p = prim(b, x);
    match op {
        BinOp::Add => (Partial::One, Partial::One),
        BinOp::Sub => (Partial::One, Partial::Minus),
        BinOp::Mul => (Partial::Times(z), Partial::Times(x)),
        BinOp::Div if p.is_float() => {
            // One division for both, which reciprocals have made already: a division takes as long as several products.
            // It overflows only where the divisor is subnormal.
            let part = binary(b, BinOp::Div, number(p, 1.0), z);
            let first = if want.0 { Partial::Times(part) } else { Partial::Zero };
            if !want.1 {
                return (first, Partial::Zero);
            }
            let slope = binary(b, BinOp::Mul, y, part);
            (first, Partial::Times(super::num::neg(b, slope)))
        }
        BinOp::Div | BinOp::Quot => {
            let first = if want.0 {
                Partial::Times(binary(b, BinOp::Quot, number(p, 1.0), z))
            } else {
                Partial::Zero
            };
            if !want.1 {
                return (first, Partial::Zero);
            }
            // One after the other, because the square may be zero.
            let quotient = binary(b, BinOp::Quot, x, z);
            let quotient = binary(b, BinOp::Quot, quotient, z);
            (first, Partial::Times(super::num::neg(b, quotient)))
        }
        BinOp::Mod if p.is_float() => {
            if !want.1 {
                return (Partial::One, Partial::Zero);
            }
            // trunc(x/z) is (x - y)/z, but exactly an integer.
            let whole = binary(b, BinOp::Sub, x, y);
            let count = binary(b, BinOp::Div, whole, z);
            let count: Atom = b.exp("d", Exp::Math(MathFn::Round, vec![count])).into();
            (Partial::One, Partial::Times(super::num::neg(b, count)))
        }
        BinOp::Mod | BinOp::Rem => (Partial::One, Partial::Zero),
        BinOp::Pow => power(b, x, z, y, p, want),
        BinOp::Min | BinOp::Max => {
            let (low, high) = if op == BinOp::Min { (x, z) } else { (z, x) };
            let mut left: Atom = b.exp("c", Exp::CmpOp(CmpOp::Le, low, high)).into();
            if p.is_float() {
                let nan = b.exp("c", Exp::Math(MathFn::Isnan, vec![z])).into();
                left = binary(b, BinOp::Or, left, nan);
            }
            (Partial::When(left), Partial::Unless(left))
        }
        BinOp::And if p == Prim::Bool => (Partial::Times(z), Partial::Times(x)),
        BinOp::Or if p == Prim::Bool => (Partial::One, Partial::Zero),
        BinOp::And | BinOp::Or | BinOp::Xor => (Partial::Zero, Partial::Zero),
        BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr => {
            let power = binary(b, BinOp::Shl, number(p, 1.0), z);
            let factor = match op == BinOp::Shl {
                true => power,
                false => {
                    // A distance that is too large leaves no power to divide by.
                    let none = b.exp("c", Exp::CmpOp(CmpOp::Eq, power, number(p, 0.0))).into();
                    let ty = Type::prim(p);
                    let safe = select(b, none, &ty, |_| number(p, 1.0), |_| power);
                    let quotient = binary(b, BinOp::Quot, number(p, 1.0), safe);
                    select(b, none, &ty, |_| number(p, 0.0), |_| quotient)
                }
            };
            (Partial::Times(factor), Partial::Zero)
        }
    }
}

/// The derivatives of `x ** z`, for the smallest exponents without a power. The operands of what is not defined
/// everywhere are made safe first, so that no NaN is left when this is differentiated in turn.
fn power(
    b: &mut Builder<'_>,
    x: Atom,
    z: Atom,
    y: Atom,
    p: Prim,
    want: (bool, bool),
) -> (Partial, Partial) {
    let ty = Type::prim(p);
    let (zero, one) = (number(p, 0.0), number(p, 1.0));
    let first = if !want.0 || z == zero {
        Partial::Zero
    } else if z == one {
        Partial::One
    } else if z == number(p, 2.0) {
        Partial::Times(binary(b, BinOp::Mul, z, x))
    } else {
        let none = b.exp("c", Exp::CmpOp(CmpOp::Eq, z, zero)).into();
        let at_zero = b.exp("c", Exp::CmpOp(CmpOp::Eq, x, zero)).into();
        let small = b.exp("c", Exp::CmpOp(CmpOp::Lt, z, one)).into();
        let corner = binary(b, BinOp::And, at_zero, small);
        let undefined = binary(b, BinOp::Or, none, corner);
        let base = select(b, undefined, &ty, |_| one, |_| x);
        let less = binary(b, BinOp::Sub, z, one);
        let less = select(b, undefined, &ty, |_| one, |_| less);
        let rest = binary(b, BinOp::Pow, base, less);
        let slope = binary(b, BinOp::Mul, z, rest);
        Partial::Times(select(b, undefined, &ty, |_| zero, |_| slope))
    };
    if !want.1 || !p.is_float() {
        return (first, Partial::Zero);
    }
    let positive: Atom = b.exp("c", Exp::CmpOp(CmpOp::Lt, zero, x)).into();
    let safe = select(b, positive, &ty, |_| x, |_| one);
    let log: Atom = b.exp("d", Exp::Math(MathFn::Log, vec![safe])).into();
    let slope = binary(b, BinOp::Mul, y, log);
    (first, Partial::Times(select(b, positive, &ty, |_| slope, |_| zero)))
}

/// The derivative of a function with respect to one of its arguments.
fn math(b: &mut Builder<'_>, f: MathFn, args: &[Atom], index: usize, y: Atom) -> Partial {
    let p = prim(b, args[0]);
    let a = args[0];
    let c = |value: f64| number(p, value);
    let mut e = Slope { b };
    Partial::Times(match f {
        // Its reciprocal is often there.
        MathFn::Sqrt => {
            let part = e.div(c(1.0), y);
            e.mul(c(0.5), part)
        }
        MathFn::Rsqrt => {
            let cube = e.mul(y, y);
            let cube = e.mul(cube, y);
            e.mul(c(-0.5), cube)
        }
        MathFn::Cbrt => {
            let square = e.mul(y, y);
            let three = e.mul(c(3.0), square);
            e.div(c(1.0), three)
        }
        MathFn::Exp => y,
        MathFn::Log => e.div(c(1.0), a),
        MathFn::Log2 | MathFn::Log10 => {
            let base = if f == MathFn::Log2 { LN_2 } else { LN_10 };
            let scaled = e.mul(a, c(base));
            e.div(c(1.0), scaled)
        }
        MathFn::Log1p => {
            let one = e.add(c(1.0), a);
            e.div(c(1.0), one)
        }
        MathFn::Sin => e.call(MathFn::Cos, a),
        MathFn::Cos => {
            let sin = e.call(MathFn::Sin, a);
            e.neg(sin)
        }
        MathFn::Tan => e.one_plus_square(y, p),
        MathFn::Sinpi => {
            let cos = e.call(MathFn::Cospi, a);
            e.mul(c(PI), cos)
        }
        MathFn::Cospi => {
            let sin = e.call(MathFn::Sinpi, a);
            e.mul(c(-PI), sin)
        }
        MathFn::Tanpi => {
            let one = e.one_plus_square(y, p);
            e.mul(c(PI), one)
        }
        MathFn::Tanh => {
            let square = e.mul(y, y);
            e.sub(c(1.0), square)
        }
        MathFn::Asin | MathFn::Acos | MathFn::Asinpi | MathFn::Acospi => {
            let (low, high) = (e.sub(c(1.0), a), e.add(c(1.0), a));
            let product = e.mul(low, high);
            let root = e.call(MathFn::Sqrt, product);
            let scale = if matches!(f, MathFn::Asin | MathFn::Acos) { 1.0 } else { 1.0 / PI };
            let sign = if matches!(f, MathFn::Asin | MathFn::Asinpi) { 1.0 } else { -1.0 };
            e.div(c(sign * scale), root)
        }
        MathFn::Atan | MathFn::Atanpi => {
            let one = e.one_plus_square(a, p);
            e.div(c(if f == MathFn::Atan { 1.0 } else { 1.0 / PI }), one)
        }
        MathFn::Sinh => e.call(MathFn::Cosh, a),
        MathFn::Cosh => e.call(MathFn::Sinh, a),
        MathFn::Asinh => {
            let one = e.one_plus_square(a, p);
            let root = e.call(MathFn::Sqrt, one);
            e.div(c(1.0), root)
        }
        MathFn::Acosh => {
            let (low, high) = (e.sub(a, c(1.0)), e.add(a, c(1.0)));
            let product = e.mul(low, high);
            let root = e.call(MathFn::Sqrt, product);
            e.div(c(1.0), root)
        }
        MathFn::Atanh => {
            let (low, high) = (e.sub(c(1.0), a), e.add(c(1.0), a));
            let product = e.mul(low, high);
            e.div(c(1.0), product)
        }
        MathFn::Gamma => {
            let psi = digamma(e.b, a, p);
            e.mul(y, psi)
        }
        MathFn::Lgamma => digamma(e.b, a, p),
        MathFn::Erf | MathFn::Erfc => {
            let square = e.mul(a, a);
            let minus = e.neg(square);
            let exp = e.call(MathFn::Exp, minus);
            let factor = if f == MathFn::Erf { 2.0 } else { -2.0 } / PI.sqrt();
            e.mul(c(factor), exp)
        }
        MathFn::Ceil | MathFn::Floor | MathFn::Round => return Partial::Zero,
        MathFn::Atan2 | MathFn::Atan2pi => {
            let (xx, yy) = (e.mul(args[1], args[1]), e.mul(a, a));
            let norm = e.add(xx, yy);
            let top = if index == 0 { args[1] } else { e.neg(a) };
            let slope = e.div(top, norm);
            if f == MathFn::Atan2 { slope } else { e.mul(c(1.0 / PI), slope) }
        }
        MathFn::Hypot => {
            let ty = Type::prim(p);
            let none = e.b.exp("c", Exp::CmpOp(CmpOp::Eq, y, c(0.0))).into();
            let safe = select(e.b, none, &ty, |_| c(1.0), |_| y);
            let slope = e.div(args[index], safe);
            select(e.b, none, &ty, |_| c(0.0), |_| slope)
        }
        MathFn::Copysign if index == 0 => {
            // The product of the signs: of one with the sign of each.
            let first = e.call2(MathFn::Copysign, c(1.0), a);
            let second = e.call2(MathFn::Copysign, c(1.0), args[1]);
            e.mul(first, second)
        }
        MathFn::Nextafter if index == 0 => return Partial::One,
        MathFn::Ldexp if index == 0 => return Partial::Scaled(args[1]),
        MathFn::Copysign | MathFn::Nextafter | MathFn::Ldexp => return Partial::Zero,
        MathFn::Lerp => match index {
            0 => e.sub(c(1.0), args[2]),
            1 => args[2],
            _ => e.sub(args[1], a),
        },
        MathFn::Mad | MathFn::Fma | MathFn::MadHi => match index {
            0 => args[1],
            1 => a,
            _ => return Partial::One,
        },
        MathFn::MulHi => args[1 - index],
        MathFn::Isnan | MathFn::Isinf | MathFn::Popc | MathFn::Clz | MathFn::Ctz => {
            return Partial::Zero;
        }
    })
}

/// Arithmetic for slopes.
struct Slope<'b, 'a> {
    b: &'b mut Builder<'a>,
}

impl Slope<'_, '_> {
    fn add(&mut self, x: Atom, y: Atom) -> Atom {
        binary(self.b, BinOp::Add, x, y)
    }

    fn sub(&mut self, x: Atom, y: Atom) -> Atom {
        binary(self.b, BinOp::Sub, x, y)
    }

    fn mul(&mut self, x: Atom, y: Atom) -> Atom {
        binary(self.b, BinOp::Mul, x, y)
    }

    fn div(&mut self, x: Atom, y: Atom) -> Atom {
        binary(self.b, BinOp::Div, x, y)
    }

    fn neg(&mut self, x: Atom) -> Atom {
        super::num::neg(self.b, x)
    }

    fn call(&mut self, f: MathFn, x: Atom) -> Atom {
        self.b.exp("d", Exp::Math(f, vec![x])).into()
    }

    fn call2(&mut self, f: MathFn, x: Atom, y: Atom) -> Atom {
        self.b.exp("d", Exp::Math(f, vec![x, y])).into()
    }

    fn one_plus_square(&mut self, x: Atom, p: Prim) -> Atom {
        let square = self.mul(x, x);
        self.add(number(p, 1.0), square)
    }
}

/// The logarithmic derivative of the gamma function, as code that can be differentiated again: reflected for arguments
/// that are not positive, moved up to 8 by the recurrence, and from there by the asymptotic series.
fn digamma(b: &mut Builder<'_>, a: Atom, p: Prim) -> Atom {
    let ty = Type::prim(p);
    let c = |value: f64| number(p, value);
    let negative: Atom = b.exp("c", Exp::CmpOp(CmpOp::Le, a, c(0.0))).into();
    let mirror = binary(b, BinOp::Sub, c(1.0), a);
    let start = select(b, negative, &ty, |_| mirror, |_| a);
    // At most eight steps up.
    let (x, psi) = (b.param("x", ty.clone()), b.param("psi", ty.clone()));
    let counter = b.param("i", Type::I64);
    let body = b.body(|b| {
        let small: Atom = b.exp("c", Exp::CmpOp(CmpOp::Lt, x.into(), c(8.0))).into();
        let part = binary(b, BinOp::Div, c(1.0), x.into());
        let less = binary(b, BinOp::Sub, psi.into(), part);
        let more = binary(b, BinOp::Add, x.into(), c(1.0));
        let next_psi = select(b, small, &ty, |_| less, |_| psi.into());
        let next_x = select(b, small, &ty, |_| more, |_| x.into());
        vec![next_x, next_psi]
    });
    let params = vec![LoopParam { var: x, init: start }, LoopParam { var: psi, init: c(0.0) }];
    let exp = Exp::Loop(params, LoopForm::For(counter, 8.into()), Box::new(body));
    let moved = b.several("x", vec![ty.clone(), ty.clone()], exp);
    let (x, psi): (Atom, Atom) = (moved[0].into(), moved[1].into());
    let square = binary(b, BinOp::Mul, x, x);
    let z = binary(b, BinOp::Div, c(1.0), square);
    let terms = [12.0, 120.0, 252.0, 240.0, 132.0, 32760.0 / 691.0, 12.0];
    let mut series = c(0.0);
    for term in terms.into_iter().rev() {
        let inner = binary(b, BinOp::Sub, c(1.0 / term), series);
        series = binary(b, BinOp::Mul, z, inner);
    }
    let log: Atom = b.exp("d", Exp::Math(MathFn::Log, vec![x])).into();
    let double = binary(b, BinOp::Mul, c(2.0), x);
    let half = binary(b, BinOp::Div, c(1.0), double);
    let value = binary(b, BinOp::Sub, log, half);
    let value = binary(b, BinOp::Sub, value, series);
    let value = binary(b, BinOp::Add, value, psi);
    let safe = select(b, negative, &ty, |_| a, |_| c(0.25));
    let tan: Atom = b.exp("d", Exp::Math(MathFn::Tanpi, vec![safe])).into();
    let reflection = binary(b, BinOp::Div, c(PI), tan);
    let reflected = binary(b, BinOp::Sub, value, reflection);
    select(b, negative, &ty, |_| reflected, |_| value)
}
