//! Arithmetic of floats.

use super::via_f32;
use fehu_ir::{BinOp, UnOp};
use half::f16;

/// What the operations below need of a float type; f16 goes through f32.
pub(crate) trait Float: Copy + PartialOrd {
    const ZERO: Self;
    const ONE: Self;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    fn rem(self, b: Self) -> Self;
    fn pow(self, b: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    /// Whether the sign bit is set.
    fn negative(self) -> bool;
}

macro_rules! float {
    ($type:ty, $fmod:path, $pow:path) => {
        impl Float for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            fn add(self, b: Self) -> Self {
                self + b
            }
            fn sub(self, b: Self) -> Self {
                self - b
            }
            fn mul(self, b: Self) -> Self {
                self * b
            }
            fn div(self, b: Self) -> Self {
                self / b
            }
            fn rem(self, b: Self) -> Self {
                $fmod(self, b)
            }
            fn pow(self, b: Self) -> Self {
                $pow(self, b)
            }
            fn neg(self) -> Self {
                -self
            }
            fn abs(self) -> Self {
                self.abs()
            }
            fn negative(self) -> bool {
                self.is_sign_negative()
            }
        }
    };
}

float!(f32, libm::fmodf, libm::powf);
float!(f64, libm::fmod, libm::pow);

pub(crate) fn unop<T: Float>(op: UnOp, a: T) -> Option<T> {
    Some(match op {
        UnOp::Neg => a.neg(),
        UnOp::Abs => a.abs(),
        UnOp::Sgn if a > T::ZERO => T::ONE,
        UnOp::Sgn if a < T::ZERO => T::ONE.neg(),
        UnOp::Sgn if a == T::ZERO => T::ZERO,
        UnOp::Sgn => a,
        UnOp::Not => return None,
    })
}

pub(crate) fn unop_f16(op: UnOp, a: f16) -> Option<f16> {
    match op {
        // The sign bit is changed in place, so that the bits of NaN survive.
        UnOp::Neg => Some(f16::from_bits(a.to_bits() ^ 0x8000)),
        UnOp::Abs => Some(f16::from_bits(a.to_bits() & 0x7fff)),
        UnOp::Sgn => Some(via_f32(a, |a| unop(op, a).unwrap_or(a))),
        UnOp::Not => None,
    }
}

#[inline]
pub(crate) fn binop<T: Float>(op: BinOp, a: T, b: T) -> Option<T> {
    Some(match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul => a.mul(b),
        BinOp::Div => a.div(b),
        BinOp::Mod => a.rem(b),
        BinOp::Pow => a.pow(b),
        BinOp::Min => pick(a, b, a < b || (a == b && a.negative())),
        BinOp::Max => pick(a, b, a > b || (a == b && b.negative())),
        BinOp::Quot
        | BinOp::Rem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Lshr
        | BinOp::Ashr => return None,
    })
}

pub(crate) fn binop_f16(op: BinOp, a: f16, b: f16) -> Option<f16> {
    binop(op, a.to_f32(), b.to_f32()).map(f16::from_f32)
}

/// The first operand if it is `chosen`, otherwise the second, but never NaN if there is a choice.
/// Negative zero counts as less than zero, which makes the results independent of the order.
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
fn pick<T: Float>(a: T, b: T, chosen: bool) -> T {
    if chosen || b != b { a } else { b }
}
