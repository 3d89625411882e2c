//! Functions of one to three numbers.

use super::int::Int;
use fehu_ir::{MathFn, Scalar};
use half::f16;

/// The result of a function, if it has one for operands of these types.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have other operands")]
pub fn math(function: MathFn, args: &[Scalar]) -> Option<Scalar> {
    Some(match *args {
        [Scalar::F16(a)] => match of_one_f32(function, a.to_f32())? {
            One::Float(result) => Scalar::F16(f16::from_f32(result)),
            One::Bool(result) => Scalar::Bool(result),
        },
        [Scalar::F32(a)] => match of_one_f32(function, a)? {
            One::Float(result) => Scalar::F32(result),
            One::Bool(result) => Scalar::Bool(result),
        },
        [Scalar::F64(a)] => match of_one_f64(function, a)? {
            One::Float(result) => Scalar::F64(result),
            One::Bool(result) => Scalar::Bool(result),
        },
        [Scalar::F16(a), Scalar::F16(b)] => Scalar::F16(match function {
            MathFn::Nextafter => nextafter_f16(a, b),
            _ => f16::from_f32(of_two_f32(function, a.to_f32(), b.to_f32())?),
        }),
        [Scalar::F32(a), Scalar::F32(b)] => Scalar::F32(of_two_f32(function, a, b)?),
        [Scalar::F64(a), Scalar::F64(b)] => Scalar::F64(of_two_f64(function, a, b)?),
        [a, Scalar::I32(b)] if function == MathFn::Ldexp => match a {
            // Scaled in f64, where nothing is lost, and rounded once.
            Scalar::F16(a) => {
                let scaled = libm::ldexp(f64::from(a.to_f32()), b.clamp(-100, 100));
                super::convert(fehu_base::Prim::F16, Scalar::F64(scaled))?
            }
            Scalar::F32(a) => Scalar::F32(libm::ldexpf(a, b)),
            Scalar::F64(a) => Scalar::F64(libm::ldexp(a, b)),
            _ => return None,
        },
        [Scalar::F16(a), Scalar::F16(b), Scalar::F16(c)] => {
            Scalar::F16(f16::from_f32(of_three_f32(function, a.to_f32(), b.to_f32(), c.to_f32())?))
        }
        [Scalar::F32(a), Scalar::F32(b), Scalar::F32(c)] => {
            Scalar::F32(of_three_f32(function, a, b, c)?)
        }
        [Scalar::F64(a), Scalar::F64(b), Scalar::F64(c)] => {
            Scalar::F64(of_three_f64(function, a, b, c)?)
        }
        _ => return of_ints(function, args),
    })
}

/// The result of a function of one float.
enum One<T> {
    Float(T),
    Bool(bool),
}

macro_rules! functions {
    ($one:ident, $two:ident, $three:ident, $type:ident,
     sqrt $sqrt:ident, cbrt $cbrt:ident, exp $exp:ident, log $log:ident, log2 $log2:ident,
     log10 $log10:ident, log1p $log1p:ident, sin $sin:ident, cos $cos:ident, tan $tan:ident,
     asin $asin:ident, acos $acos:ident, atan $atan:ident, sinh $sinh:ident, cosh $cosh:ident,
     tanh $tanh:ident, asinh $asinh:ident, acosh $acosh:ident, atanh $atanh:ident,
     gamma $gamma:ident, lgamma $lgamma:ident, erf $erf:ident, erfc $erfc:ident,
     ceil $ceil:ident, floor $floor:ident, round $round:ident, atan2 $atan2:ident,
     hypot $hypot:ident, nextafter $nextafter:ident, fma $fma:ident) => {
        fn $one(function: MathFn, a: $type) -> Option<One<$type>> {
            const PI: $type = std::f64::consts::PI as $type;
            Some(One::Float(match function {
                MathFn::Sqrt => libm::$sqrt(a),
                MathFn::Rsqrt => 1.0 / libm::$sqrt(a),
                MathFn::Cbrt => libm::$cbrt(a),
                MathFn::Exp => libm::$exp(a),
                MathFn::Log => libm::$log(a),
                MathFn::Log2 => libm::$log2(a),
                MathFn::Log10 => libm::$log10(a),
                MathFn::Log1p => libm::$log1p(a),
                MathFn::Sin => libm::$sin(a),
                MathFn::Cos => libm::$cos(a),
                MathFn::Tan => libm::$tan(a),
                MathFn::Sinpi => sinpi(f64::from(a)) as $type,
                MathFn::Cospi => cospi(f64::from(a)) as $type,
                MathFn::Tanpi => tanpi(f64::from(a)) as $type,
                MathFn::Asin => libm::$asin(a),
                MathFn::Acos => libm::$acos(a),
                MathFn::Atan => libm::$atan(a),
                MathFn::Asinpi => libm::$asin(a) / PI,
                MathFn::Acospi => libm::$acos(a) / PI,
                MathFn::Atanpi => libm::$atan(a) / PI,
                MathFn::Sinh => libm::$sinh(a),
                MathFn::Cosh => libm::$cosh(a),
                MathFn::Tanh => libm::$tanh(a),
                MathFn::Asinh => libm::$asinh(a),
                MathFn::Acosh => libm::$acosh(a),
                MathFn::Atanh => libm::$atanh(a),
                MathFn::Gamma => libm::$gamma(a),
                MathFn::Lgamma => libm::$lgamma(a),
                MathFn::Erf => libm::$erf(a),
                MathFn::Erfc => libm::$erfc(a),
                MathFn::Ceil => libm::$ceil(a),
                MathFn::Floor => libm::$floor(a),
                MathFn::Round => libm::$round(a),
                MathFn::Isnan => return Some(One::Bool(a.is_nan())),
                MathFn::Isinf => return Some(One::Bool(a.is_infinite())),
                _ => return None,
            }))
        }

        fn $two(function: MathFn, a: $type, b: $type) -> Option<$type> {
            Some(match function {
                MathFn::Atan2 => libm::$atan2(a, b),
                MathFn::Atan2pi => libm::$atan2(a, b) / std::f64::consts::PI as $type,
                MathFn::Hypot => libm::$hypot(a, b),
                MathFn::Copysign => a.copysign(b),
                MathFn::Nextafter => libm::$nextafter(a, b),
                _ => return None,
            })
        }

        fn $three(function: MathFn, a: $type, b: $type, c: $type) -> Option<$type> {
            Some(match function {
                MathFn::Lerp => a + (b - a) * c,
                MathFn::Mad => a * b + c,
                MathFn::Fma => libm::$fma(a, b, c),
                _ => return None,
            })
        }
    };
}

functions!(of_one_f32, of_two_f32, of_three_f32, f32,
    sqrt sqrtf, cbrt cbrtf, exp expf, log logf, log2 log2f, log10 log10f, log1p log1pf,
    sin sinf, cos cosf, tan tanf, asin asinf, acos acosf, atan atanf, sinh sinhf, cosh coshf,
    tanh tanhf, asinh asinhf, acosh acoshf, atanh atanhf, gamma tgammaf, lgamma lgammaf,
    erf erff, erfc erfcf, ceil ceilf, floor floorf, round rintf, atan2 atan2f, hypot hypotf,
    nextafter nextafterf, fma fmaf);

functions!(of_one_f64, of_two_f64, of_three_f64, f64,
    sqrt sqrt, cbrt cbrt, exp exp, log log, log2 log2, log10 log10, log1p log1p,
    sin sin, cos cos, tan tan, asin asin, acos acos, atan atan, sinh sinh, cosh cosh,
    tanh tanh, asinh asinh, acosh acosh, atanh atanh, gamma tgamma, lgamma lgamma,
    erf erf, erfc erfc, ceil ceil, floor floor, round rint, atan2 atan2, hypot hypot,
    nextafter nextafter, fma fma);

/// The sine of a number of half turns. The reduction is exact, so that integers yield zero.
fn sinpi(a: f64) -> f64 {
    let turn = libm::fmod(a, 2.0);
    let magnitude = turn.abs();
    // The sine of a half turn and more is that of the rest, negated; it is symmetric about a quarter.
    let (rest, sign) = if magnitude >= 1.0 { (magnitude - 1.0, -1.0) } else { (magnitude, 1.0) };
    let rest = if rest > 0.5 { 1.0 - rest } else { rest };
    let value = sign * libm::sin(rest * std::f64::consts::PI);
    if turn.is_sign_negative() { -value } else { value }
}

/// The cosine of a number of half turns, likewise.
fn cospi(a: f64) -> f64 {
    let magnitude = libm::fmod(a, 2.0).abs();
    let rest = if magnitude > 1.0 { 2.0 - magnitude } else { magnitude };
    if rest == 0.5 {
        0.0
    } else if rest > 0.5 {
        -libm::cos((1.0 - rest) * std::f64::consts::PI)
    } else {
        libm::cos(rest * std::f64::consts::PI)
    }
}

/// The tangent of a number of half turns, likewise.
fn tanpi(a: f64) -> f64 {
    sinpi(a) / cospi(a)
}

/// The next f16 from one number towards another.
fn nextafter_f16(a: f16, b: f16) -> f16 {
    if a.is_nan() || b.is_nan() {
        return f16::NAN;
    }
    if a == b {
        return b;
    }
    if a == f16::ZERO {
        return f16::from_bits((b.to_bits() & 0x8000) | 1);
    }
    let outwards = (b > a) == (a > f16::ZERO);
    let bits = a.to_bits();
    f16::from_bits(if outwards { bits + 1 } else { bits - 1 })
}

fn of_ints(function: MathFn, args: &[Scalar]) -> Option<Scalar> {
    match *args {
        [Scalar::I8(a)] => count(function, a),
        [Scalar::I16(a)] => count(function, a),
        [Scalar::I32(a)] => count(function, a),
        [Scalar::I64(a)] => count(function, a),
        [Scalar::U8(a)] => count(function, a),
        [Scalar::U16(a)] => count(function, a),
        [Scalar::U32(a)] => count(function, a),
        [Scalar::U64(a)] => count(function, a),
        [a, b] if function == MathFn::MulHi => Some(match (a, b) {
            (Scalar::I8(a), Scalar::I8(b)) => Scalar::I8(a.mul_hi(b)),
            (Scalar::I16(a), Scalar::I16(b)) => Scalar::I16(a.mul_hi(b)),
            (Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(a.mul_hi(b)),
            (Scalar::I64(a), Scalar::I64(b)) => Scalar::I64(a.mul_hi(b)),
            (Scalar::U8(a), Scalar::U8(b)) => Scalar::U8(a.mul_hi(b)),
            (Scalar::U16(a), Scalar::U16(b)) => Scalar::U16(a.mul_hi(b)),
            (Scalar::U32(a), Scalar::U32(b)) => Scalar::U32(a.mul_hi(b)),
            (Scalar::U64(a), Scalar::U64(b)) => Scalar::U64(a.mul_hi(b)),
            _ => return None,
        }),
        [a, b, c] if function == MathFn::MadHi => {
            super::binop(fehu_ir::BinOp::Add, of_ints(MathFn::MulHi, &[a, b])?, c)
        }
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others have other operands")]
fn count<T: Int>(function: MathFn, a: T) -> Option<Scalar> {
    let bits = match function {
        MathFn::Popc => a.popc(),
        MathFn::Clz => a.clz(),
        MathFn::Ctz => a.ctz(),
        _ => return None,
    };
    Some(Scalar::I32(bits as i32))
}
