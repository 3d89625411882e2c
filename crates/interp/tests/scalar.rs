//! Operations on scalars against independent definitions: 128-bit integers, wider floats, known values.

use fehu_base::Prim;
use fehu_interp::scalar::{binop, cmpop, convert, divides_by_zero, math, reinterpret, show, unop};
use fehu_ir::{BinOp, CmpOp, MathFn, Scalar, UnOp};
use half::f16;

const INTEGERS: [Prim; 8] =
    [Prim::I8, Prim::I16, Prim::I32, Prim::I64, Prim::U8, Prim::U16, Prim::U32, Prim::U64];

const BIN_OPS: [BinOp; 17] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Mod,
    BinOp::Quot,
    BinOp::Rem,
    BinOp::Pow,
    BinOp::Min,
    BinOp::Max,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::Lshr,
    BinOp::Ashr,
];

/// The value of an integer.
fn value(a: Scalar) -> i128 {
    match a {
        Scalar::I8(v) => v.into(),
        Scalar::I16(v) => v.into(),
        Scalar::I32(v) => v.into(),
        Scalar::I64(v) => v.into(),
        other => other.bits().into(),
    }
}

/// The integer of a type that is congruent to a value.
fn wrapped(prim: Prim, value: i128) -> Scalar {
    let mask = (1u128 << prim.bits()) - 1;
    Scalar::from_bits(prim, (value as u128 & mask) as u64)
}

/// The definition of an operation on integers, in 128 bits.
fn defined(op: BinOp, prim: Prim, a: i128, b: i128) -> Option<i128> {
    let width = i128::from(prim.bits());
    let unsigned = |v: i128| v & ((1 << width) - 1);
    let signed = |v: i128| {
        if unsigned(v) >> (width - 1) == 1 { unsigned(v) - (1 << width) } else { unsigned(v) }
    };
    let far = b < 0 || b >= width;
    Some(match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem if b == 0 => return None,
        // Euclidean division and floor division differ if the divisor is negative.
        BinOp::Div => {
            if b > 0 {
                a.div_euclid(b)
            } else {
                (-a).div_euclid(-b)
            }
        }
        BinOp::Mod => {
            if b > 0 {
                a.rem_euclid(b)
            } else {
                -(-a).rem_euclid(-b)
            }
        }
        BinOp::Quot => a / b,
        BinOp::Rem => a % b,
        BinOp::Pow if b < 0 => match a {
            1 => 1,
            -1 => {
                if b % 2 == 0 {
                    1
                } else {
                    -1
                }
            }
            _ => 0,
        },
        BinOp::Pow => {
            // One step at a time; large exponents go through the period of the powers of two.
            let mut result: i128 = 1;
            for bit in (0..64).rev() {
                result = unsigned(result.wrapping_mul(result));
                if b >> bit & 1 == 1 {
                    result = unsigned(result.wrapping_mul(unsigned(a)));
                }
            }
            result
        }
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => {
            if far {
                0
            } else {
                unsigned(a) << b
            }
        }
        BinOp::Shr if prim.is_signed() => signed(a) >> if far { 100 } else { b },
        BinOp::Shr | BinOp::Lshr => {
            if far {
                0
            } else {
                unsigned(a) >> b
            }
        }
        BinOp::Ashr => signed(a) >> if far { 100 } else { b },
    })
}

fn check_integers(op: BinOp, prim: Prim, a: Scalar, b: Scalar) {
    let expected = defined(op, prim, value(a), value(b)).map(|result| wrapped(prim, result));
    assert_eq!(binop(op, a, b), expected, "{op:?} {a:?} {b:?}");
    assert_eq!(expected.is_none(), divides_by_zero(op, b));
    let (x, y) = (value(a), value(b));
    assert_eq!(cmpop(CmpOp::Eq, a, b), Some(x == y));
    assert_eq!(cmpop(CmpOp::Lt, a, b), Some(x < y));
    assert_eq!(cmpop(CmpOp::Le, a, b), Some(x <= y));
}

/// Pseudorandom numbers, with the corners in between.
fn samples() -> impl Iterator<Item = u64> {
    let corners = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 0x7f, 0x80, 0x7fff, 0x8000];
    let more = [0x7fff_ffff, 0x8000_0000, i64::MAX as u64, 1 << 63, u64::MAX, u64::MAX - 1];
    let mut state = 12345u64;
    let random = std::iter::from_fn(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        Some(state ^ state >> 31)
    });
    corners.into_iter().chain(more).chain(random.take(60))
}

#[test]
fn bytes_in_all_combinations() {
    for prim in [Prim::I8, Prim::U8] {
        for op in BIN_OPS {
            for a in 0..256 {
                for b in 0..256 {
                    let (a, b) = (Scalar::from_bits(prim, a), Scalar::from_bits(prim, b));
                    check_integers(op, prim, a, b);
                }
            }
        }
    }
}

#[test]
fn wider_integers_at_corners_and_at_random() {
    for prim in INTEGERS {
        for op in BIN_OPS {
            for a in samples() {
                for b in samples() {
                    let (a, b) = (Scalar::from_bits(prim, a), Scalar::from_bits(prim, b));
                    check_integers(op, prim, a, b);
                }
            }
        }
    }
}

#[test]
fn unary_operations_and_counts_of_integers() {
    for prim in INTEGERS {
        for bits in samples().chain(0..256) {
            let a = Scalar::from_bits(prim, bits);
            let v = value(a);
            assert_eq!(unop(UnOp::Neg, a), Some(wrapped(prim, -v)));
            assert_eq!(unop(UnOp::Not, a), Some(wrapped(prim, -v - 1)));
            assert_eq!(unop(UnOp::Abs, a), Some(wrapped(prim, v.abs())));
            assert_eq!(unop(UnOp::Sgn, a), Some(wrapped(prim, v.signum())));
            let width = prim.bits() as i32;
            let digits = format!("{:0width$b}", a.bits(), width = width as usize);
            let count = |c: char| digits.chars().filter(|&d| d == c).count() as i32;
            let leading = digits.chars().take_while(|&d| d == '0').count() as i32;
            let trailing = digits.chars().rev().take_while(|&d| d == '0').count() as i32;
            assert_eq!(math(MathFn::Popc, &[a]), Some(Scalar::I32(count('1'))));
            assert_eq!(math(MathFn::Clz, &[a]), Some(Scalar::I32(leading)));
            assert_eq!(math(MathFn::Ctz, &[a]), Some(Scalar::I32(trailing)));
            for other in samples() {
                let b = Scalar::from_bits(prim, other);
                let product = if prim.is_signed() {
                    v * value(b)
                } else {
                    (v as u128 * value(b) as u128) as i128
                };
                let high = if prim.is_signed() {
                    wrapped(prim, product >> prim.bits())
                } else {
                    wrapped(prim, (product as u128 >> prim.bits()) as i128)
                };
                assert_eq!(math(MathFn::MulHi, &[a, b]), Some(high));
                let sum = wrapped(prim, value(high) + value(a));
                assert_eq!(math(MathFn::MadHi, &[a, b, a]), Some(sum));
            }
        }
    }
}

#[test]
fn conversions_between_integers() {
    for from in INTEGERS {
        for to in INTEGERS {
            for bits in samples() {
                let a = Scalar::from_bits(from, bits);
                let source = if to.is_signed() { value(a) } else { i128::from(a.bits()) };
                assert_eq!(convert(to, a), Some(wrapped(to, source)), "{a:?} to {to}");
            }
        }
        assert_eq!(convert(Prim::Bool, wrapped(from, 0)), Some(Scalar::Bool(false)));
        assert_eq!(convert(Prim::Bool, wrapped(from, -2)), Some(Scalar::Bool(true)));
        assert_eq!(convert(from, Scalar::Bool(true)), Some(wrapped(from, 1)));
    }
    // A narrower signed integer becomes a wider unsigned one by its bits.
    assert_eq!(convert(Prim::U16, Scalar::I8(-1)), Some(Scalar::U16(255)));
    assert_eq!(convert(Prim::I16, Scalar::U8(255)), Some(Scalar::I16(255)));
}

#[test]
fn conversions_from_floats_truncate_and_keep_the_low_bits() {
    let cases: [(f64, i8, u8, i64, u64); 10] = [
        (0.0, 0, 0, 0, 0),
        (-0.9, 0, 0, 0, 0),
        (3.99, 3, 3, 3, 3),
        (-3.99, -3, 253, -3, u64::MAX - 2),
        (200.5, -56, 200, 200, 200),
        (65537.0, 1, 1, 65537, 65537),
        (9_223_372_036_854_775_808.0, 0, 0, i64::MIN, 1 << 63),
        (-1e30, 0, 0, i64::MIN, 1 << 63),
        (f64::INFINITY, 0, 0, 0, 0),
        (f64::NAN, 0, 0, 0, 0),
    ];
    for (float, i8, u8, i64, u64) in cases {
        for a in [Scalar::F64(float), Scalar::F32(float as f32)] {
            assert_eq!(convert(Prim::I8, a), Some(Scalar::I8(i8)));
            assert_eq!(convert(Prim::U8, a), Some(Scalar::U8(u8)));
            assert_eq!(convert(Prim::I64, a), Some(Scalar::I64(i64)));
            assert_eq!(convert(Prim::U64, a), Some(Scalar::U64(u64)));
        }
    }
    let at_the_borders: [(f64, i32, u32); 8] = [
        (2_147_483_647.5, i32::MAX, i32::MAX as u32),
        (2_147_483_648.0, i32::MIN, 1 << 31),
        (4_294_967_295.5, i32::MIN, u32::MAX),
        (4_294_967_296.0, i32::MIN, 1 << 31),
        (-2_147_483_648.5, i32::MIN, 1 << 31),
        (-2_147_483_649.0, i32::MIN, 1 << 31),
        (-2_147_483_647.5, -i32::MAX, (1 << 31) + 1),
        (f64::NEG_INFINITY, 0, 0),
    ];
    for (float, i32, u32) in at_the_borders {
        assert_eq!(convert(Prim::I32, Scalar::F64(float)), Some(Scalar::I32(i32)), "{float}");
        assert_eq!(convert(Prim::U32, Scalar::F64(float)), Some(Scalar::U32(u32)), "{float}");
    }
    let whole = 18_446_742_974_197_923_840.0;
    assert_eq!(convert(Prim::U64, Scalar::F32(whole)), Some(Scalar::U64(whole as u64)));
    assert_eq!(convert(Prim::Bool, Scalar::F32(f32::NAN)), Some(Scalar::Bool(true)));
    assert_eq!(convert(Prim::Bool, Scalar::F64(-0.0)), Some(Scalar::Bool(false)));
    assert_eq!(convert(Prim::F32, Scalar::F64(1e300)), Some(Scalar::F32(f32::INFINITY)));
    assert_eq!(convert(Prim::F32, Scalar::I64((1 << 24) + 1)), Some(Scalar::F32(16_777_216.0)));
}

/// The value of an f16, by the definition of its bits.
fn half_value(bits: u16) -> f64 {
    let (exponent, fraction) = ((bits >> 10) & 31, f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction / 16_777_216.0,
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) / 1024.0 * 2f64.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[test]
fn every_f16_converts_exactly_and_rounds_to_nearest_even() {
    for bits in 0..=u16::MAX {
        let a = Scalar::F16(f16::from_bits(bits));
        let expected = half_value(bits);
        if expected.is_nan() {
            assert_eq!(math(MathFn::Isnan, &[a]), Some(Scalar::Bool(true)));
            continue;
        }
        assert_eq!(convert(Prim::F64, a), Some(Scalar::F64(expected)));
        assert_eq!(convert(Prim::F16, Scalar::F64(expected)), Some(a));
        assert_eq!(convert(Prim::F16, Scalar::F32(expected as f32)), Some(a));
        // The middle of two neighbours goes to the even one, a trifle off it to the nearer one.
        let magnitude = bits & 0x7fff;
        if magnitude < 0x7bff && bits >> 15 == 0 {
            let next = half_value(bits + 1);
            let middle = (expected + next) / 2.0;
            let even = if bits & 1 == 0 { bits } else { bits + 1 };
            let to_f16 = |v: f64| convert(Prim::F16, Scalar::F64(v)).map(|s| s.bits() as u16);
            assert_eq!(to_f16(middle), Some(even));
            assert_eq!(to_f16(middle.next_down()), Some(bits));
            assert_eq!(to_f16(middle.next_up()), Some(bits + 1));
            assert_eq!(to_f16(-middle.next_up()), Some((bits + 1) | 0x8000));
        }
    }
    assert_eq!(convert(Prim::F16, Scalar::F64(65520.0)), Some(Scalar::F16(f16::INFINITY)));
    assert_eq!(convert(Prim::F16, Scalar::F64(65519.9999)), Some(Scalar::F16(f16::MAX)));
    assert_eq!(convert(Prim::F16, Scalar::F64(1e-30)), Some(Scalar::F16(f16::ZERO)));
    assert_eq!(convert(Prim::F16, Scalar::I64(i64::MAX)), Some(Scalar::F16(f16::INFINITY)));
    assert_eq!(convert(Prim::F16, Scalar::U16(2049)), Some(Scalar::F16(f16::from_f32(2048.0))));
}

#[test]
fn f16_arithmetic_is_correctly_rounded() {
    // Sums, products and quotients of f16 are rounded once from f64, where f32 rounds twice; they agree.
    let bits: Vec<u16> =
        (0..=u16::MAX).step_by(331).chain([0, 1, 0x8001, 0x7bff, 0x3c00]).collect();
    for &x in &bits {
        for &y in &bits {
            let (a, b) = (half_value(x), half_value(y));
            let pairs = [
                (BinOp::Add, a + b),
                (BinOp::Sub, a - b),
                (BinOp::Mul, a * b),
                (BinOp::Div, a / b),
            ];
            for (op, exact) in pairs {
                let operands = (Scalar::F16(f16::from_bits(x)), Scalar::F16(f16::from_bits(y)));
                let result = binop(op, operands.0, operands.1);
                if exact.is_nan() {
                    assert!(matches!(result, Some(Scalar::F16(r)) if r.is_nan()));
                } else {
                    assert_eq!(result, convert(Prim::F16, Scalar::F64(exact)), "{op:?} {a} {b}");
                }
            }
        }
    }
}

#[test]
fn f16_neighbours() {
    let next = |a: u16, b: u16| {
        let args = [Scalar::F16(f16::from_bits(a)), Scalar::F16(f16::from_bits(b))];
        math(MathFn::Nextafter, &args).map(|result| result.bits())
    };
    assert_eq!(next(0x3c00, 0x7c00), Some(0x3c01));
    assert_eq!(next(0x3c00, 0), Some(0x3bff));
    assert_eq!(next(0, 0x3c00), Some(1));
    assert_eq!(next(0x8000, 0x3c00), Some(1));
    assert_eq!(next(0, 0xbc00), Some(0x8001));
    assert_eq!(next(0xbc00, 0x3c00), Some(0xbbff));
    assert_eq!(next(0xbc00, 0xfc00), Some(0xbc01));
    assert_eq!(next(0x7bff, 0x7c00), Some(0x7c00));
    assert_eq!(next(0x3c00, 0x3c00), Some(0x3c00));
}

#[test]
fn signs_of_floats() {
    for (float, sign) in [(2.5, 1.0), (-2.5, -1.0), (0.0, 0.0), (-0.0, 0.0), (f64::INFINITY, 1.0)] {
        assert_eq!(unop(UnOp::Sgn, Scalar::F64(float)), Some(Scalar::F64(sign)));
        assert_eq!(unop(UnOp::Sgn, Scalar::F32(float as f32)), Some(Scalar::F32(sign as f32)));
        let half = Scalar::F16(f16::from_f64(float));
        assert_eq!(unop(UnOp::Sgn, half), Some(Scalar::F16(f16::from_f64(sign))));
        assert_eq!(unop(UnOp::Neg, Scalar::F64(float)), Some(Scalar::F64(-float)));
        assert_eq!(unop(UnOp::Abs, Scalar::F64(float)), Some(Scalar::F64(float.abs())));
    }
    assert!(matches!(unop(UnOp::Sgn, Scalar::F64(f64::NAN)), Some(Scalar::F64(v)) if v.is_nan()));
    assert_eq!(unop(UnOp::Not, Scalar::F64(1.0)), None);
    assert_eq!(unop(UnOp::Not, Scalar::Bool(true)), Some(Scalar::Bool(false)));
}

#[test]
fn minimum_and_maximum_prefer_numbers_and_order_zeros() {
    let min = |a, b| binop(BinOp::Min, Scalar::F64(a), Scalar::F64(b));
    let max = |a, b| binop(BinOp::Max, Scalar::F64(a), Scalar::F64(b));
    for (a, b) in [(1.0, 2.0), (-1.0, 0.0), (f64::NEG_INFINITY, f64::INFINITY), (-0.0, 0.0)] {
        assert_eq!(min(a, b), Some(Scalar::F64(a)));
        assert_eq!(min(b, a), Some(Scalar::F64(a)));
        assert_eq!(max(a, b), Some(Scalar::F64(b)));
        assert_eq!(max(b, a), Some(Scalar::F64(b)));
    }
    for f in [min, max] {
        assert_eq!(f(f64::NAN, 3.0), Some(Scalar::F64(3.0)));
        assert_eq!(f(3.0, f64::NAN), Some(Scalar::F64(3.0)));
        assert!(matches!(f(f64::NAN, f64::NAN), Some(Scalar::F64(v)) if v.is_nan()));
    }
}

#[test]
fn comparisons_of_floats_and_truth_values() {
    let nan = Scalar::F32(f32::NAN);
    for op in [CmpOp::Eq, CmpOp::Lt, CmpOp::Le] {
        assert_eq!(cmpop(op, nan, nan), Some(false));
        assert_eq!(cmpop(op, nan, Scalar::F32(1.0)), Some(false));
    }
    assert_eq!(cmpop(CmpOp::Eq, Scalar::F64(0.0), Scalar::F64(-0.0)), Some(true));
    assert_eq!(cmpop(CmpOp::Lt, Scalar::Bool(false), Scalar::Bool(true)), Some(true));
    assert_eq!(cmpop(CmpOp::Lt, Scalar::Bool(true), Scalar::Bool(false)), Some(false));
    assert_eq!(cmpop(CmpOp::Eq, Scalar::Bool(true), Scalar::I64(1)), None);
}

#[test]
fn operations_on_truth_values() {
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let of = |op| binop(op, Scalar::Bool(a), Scalar::Bool(b));
        assert_eq!(of(BinOp::And), Some(Scalar::Bool(a & b)));
        assert_eq!(of(BinOp::Or), Some(Scalar::Bool(a | b)));
        assert_eq!(of(BinOp::Xor), Some(Scalar::Bool(a ^ b)));
        assert_eq!(of(BinOp::Add), None);
        assert_eq!(of(BinOp::Div), None);
        assert!(!divides_by_zero(BinOp::Div, Scalar::Bool(false)));
    }
}

#[test]
fn remainders_and_powers_of_floats() {
    let of = |op, a, b| binop(op, Scalar::F64(a), Scalar::F64(b));
    assert_eq!(of(BinOp::Mod, 7.5, 2.0), Some(Scalar::F64(1.5)));
    assert_eq!(of(BinOp::Mod, -7.5, 2.0), Some(Scalar::F64(-1.5)));
    assert_eq!(of(BinOp::Mod, 7.5, -2.0), Some(Scalar::F64(1.5)));
    assert_eq!(of(BinOp::Pow, 2.0, 0.5), Some(Scalar::F64(std::f64::consts::SQRT_2)));
    assert_eq!(of(BinOp::Pow, 2.0, -1.0), Some(Scalar::F64(0.5)));
    assert_eq!(of(BinOp::Div, 1.0, 0.0), Some(Scalar::F64(f64::INFINITY)));
    assert!(!divides_by_zero(BinOp::Div, Scalar::F64(0.0)));
    assert_eq!(of(BinOp::Quot, 1.0, 1.0), None);
    assert_eq!(of(BinOp::Shl, 1.0, 1.0), None);
}

#[test]
fn reinterpretation_keeps_the_bits() {
    assert_eq!(reinterpret(Prim::U32, Scalar::F32(1.0)), Some(Scalar::U32(0x3f80_0000)));
    assert_eq!(reinterpret(Prim::F16, Scalar::I16(0x3c00)), Some(Scalar::F16(f16::ONE)));
    assert_eq!(reinterpret(Prim::I8, Scalar::U8(255)), Some(Scalar::I8(-1)));
    assert_eq!(reinterpret(Prim::U32, Scalar::F64(1.0)), None);
    assert_eq!(reinterpret(Prim::U8, Scalar::Bool(true)), None);
}

/// Known values of functions of one number; to a few units in the last place.
#[test]
fn functions_have_known_values() {
    use std::f64::consts::{E, FRAC_1_SQRT_2, LN_2, PI, SQRT_2};
    let cases: &[(MathFn, f64, f64)] = &[
        (MathFn::Sqrt, 2.0, SQRT_2),
        (MathFn::Rsqrt, 4.0, 0.5),
        (MathFn::Cbrt, -27.0, -3.0),
        (MathFn::Exp, 1.0, E),
        (MathFn::Log, E, 1.0),
        (MathFn::Log2, 8.0, 3.0),
        (MathFn::Log10, 1000.0, 3.0),
        (MathFn::Log1p, 1.0, LN_2),
        (MathFn::Sin, PI / 6.0, 0.5),
        (MathFn::Cos, PI / 3.0, 0.5),
        (MathFn::Tan, PI / 4.0, 1.0),
        (MathFn::Asin, 0.5, PI / 6.0),
        (MathFn::Acos, 0.5, PI / 3.0),
        (MathFn::Atan, 1.0, PI / 4.0),
        (MathFn::Asinpi, 0.5, 1.0 / 6.0),
        (MathFn::Acospi, 0.5, 1.0 / 3.0),
        (MathFn::Atanpi, 1.0, 0.25),
        (MathFn::Sinh, 1.0, 1.175_201_193_643_801_4),
        (MathFn::Cosh, 1.0, 1.543_080_634_815_243_7),
        (MathFn::Tanh, 1.0, 0.761_594_155_955_764_9),
        (MathFn::Asinh, 1.0, 0.881_373_587_019_543),
        (MathFn::Acosh, 2.0, 1.316_957_896_924_816_6),
        (MathFn::Atanh, 0.5, 0.549_306_144_334_054_8),
        (MathFn::Gamma, 5.0, 24.0),
        (MathFn::Gamma, 0.5, 1.772_453_850_905_516),
        (MathFn::Lgamma, 10.0, 12.801_827_480_081_469),
        (MathFn::Erf, 0.5, 0.520_499_877_813_046_5),
        (MathFn::Erfc, 0.5, 0.479_500_122_186_953_5),
        (MathFn::Sinpi, 1.0 / 6.0, 0.5),
        (MathFn::Cospi, 1.0 / 3.0, 0.5),
        (MathFn::Tanpi, 0.25, 1.0),
        (MathFn::Sinpi, 2.5, 1.0),
        (MathFn::Sinpi, -0.5, -1.0),
        (MathFn::Sinpi, 1.5, -1.0),
        (MathFn::Sinpi, 3.0, 0.0),
        (MathFn::Cospi, 0.5, 0.0),
        (MathFn::Cospi, 1.0, -1.0),
        (MathFn::Cospi, -1.25, -FRAC_1_SQRT_2),
        (MathFn::Cospi, 1e15, 1.0),
    ];
    for &(function, a, expected) in cases {
        let near = |result: f64, digits: f64| {
            (result - expected).abs() <= digits * expected.abs().max(0.1)
        };
        let f64_result = math(function, &[Scalar::F64(a)]);
        assert!(
            matches!(f64_result, Some(Scalar::F64(v)) if near(v, 4e-15)),
            "{function:?} {a}: {f64_result:?}"
        );
        let f32_result = math(function, &[Scalar::F32(a as f32)]);
        assert!(
            matches!(f32_result, Some(Scalar::F32(v)) if near(v.into(), 1e-6)),
            "{function:?} {a}: {f32_result:?}"
        );
        if a.abs() < 1e4 {
            let f16_result = math(function, &[Scalar::F16(f16::from_f64(a))]);
            assert!(
                matches!(f16_result, Some(Scalar::F16(v)) if near(v.to_f64(), 3e-3)),
                "{function:?} {a}: {f16_result:?}"
            );
        }
    }
}

#[test]
fn rounding_to_integers() {
    let cases = [
        (2.5, 2.0, 2.0, 3.0),
        (3.5, 4.0, 3.0, 4.0),
        (-2.5, -2.0, -3.0, -2.0),
        (-0.5, -0.0, -1.0, -0.0),
        (0.499_999_999_999_999_94, 0.0, 0.0, 1.0),
        (1e300, 1e300, 1e300, 1e300),
    ];
    for (a, round, floor, ceil) in cases {
        let of = |function| math(function, &[Scalar::F64(a)]);
        assert_eq!(of(MathFn::Round), Some(Scalar::F64(round)));
        assert_eq!(of(MathFn::Floor), Some(Scalar::F64(floor)));
        assert_eq!(of(MathFn::Ceil), Some(Scalar::F64(ceil)));
    }
}

#[test]
fn functions_of_several_numbers() {
    let f = Scalar::F64;
    let of = |function, args: &[Scalar]| math(function, args);
    assert_eq!(of(MathFn::Atan2, &[f(1.0), f(-1.0)]), Some(f(2.356_194_490_192_345)));
    assert_eq!(of(MathFn::Atan2pi, &[f(1.0), f(0.0)]), Some(f(0.5)));
    assert_eq!(of(MathFn::Hypot, &[f(3.0), f(4.0)]), Some(f(5.0)));
    assert_eq!(of(MathFn::Copysign, &[f(3.0), f(-0.0)]), Some(f(-3.0)));
    assert_eq!(of(MathFn::Nextafter, &[f(1.0), f(2.0)]), Some(f(1.0f64.next_up())));
    assert_eq!(of(MathFn::Ldexp, &[f(3.0), Scalar::I32(4)]), Some(f(48.0)));
    assert_eq!(of(MathFn::Ldexp, &[f(3.0), Scalar::I32(i32::MAX)]), Some(f(f64::INFINITY)));
    let half = |v| Scalar::F16(f16::from_f64(v));
    assert_eq!(of(MathFn::Ldexp, &[half(1.5), Scalar::I32(-3)]), Some(half(0.1875)));
    assert_eq!(of(MathFn::Ldexp, &[half(1.5), Scalar::I32(i32::MIN)]), Some(half(0.0)));
    assert_eq!(of(MathFn::Lerp, &[f(1.0), f(3.0), f(0.25)]), Some(f(1.5)));
    // The product is not a double; only the fused operation keeps its last bits.
    let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
    assert_eq!(of(MathFn::Mad, &[f(a), f(b), f(-1.0)]), Some(f(0.0)));
    assert_eq!(of(MathFn::Fma, &[f(a), f(b), f(-1.0)]), Some(f(-f64::EPSILON * f64::EPSILON)));
    assert_eq!(of(MathFn::Isinf, &[f(f64::NEG_INFINITY)]), Some(Scalar::Bool(true)));
    assert_eq!(of(MathFn::Isnan, &[f(0.0)]), Some(Scalar::Bool(false)));
}

#[test]
fn every_function_is_defined_for_its_operands_and_nothing_else() {
    for &function in MathFn::ALL {
        for prim in Prim::ALL {
            let mut args = vec![convert(prim, Scalar::I32(1)).expect("a number"); function.arity()];
            if function == MathFn::Ldexp {
                args[1] = Scalar::I32(1);
            }
            let on_ints = matches!(
                function,
                MathFn::Popc | MathFn::Clz | MathFn::Ctz | MathFn::MulHi | MathFn::MadHi
            );
            let defined = if on_ints { prim.is_integer() } else { prim.is_float() };
            assert_eq!(math(function, &args).is_some(), defined, "{function:?} of {prim}");
            args.push(Scalar::Unit);
            assert_eq!(math(function, &args), None);
        }
    }
}

#[test]
fn scalars_in_messages_have_no_type() {
    assert_eq!(show(Scalar::I8(-5)), "-5");
    assert_eq!(show(Scalar::U64(u64::MAX)), "18446744073709551615");
    assert_eq!(show(Scalar::F32(1.5)), "1.500000");
    assert_eq!(show(Scalar::F64(f64::NAN)), "nan");
    assert_eq!(show(Scalar::F64(f64::NEG_INFINITY)), "-inf");
    assert_eq!(show(Scalar::Bool(true)), "true");
}
