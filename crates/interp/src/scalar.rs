//! What every operation on scalars computes, to the bit.
//!
//! Pure functions on [`Scalar`]: the interpreter runs programs with them and the optimiser folds
//! constants with them, so that both agree by construction. `None` means that the operation has no
//! result: an integer was divided by zero ([`divides_by_zero`] tells), or the operands have types
//! that the operation is not defined for, which no verified program contains.
//!
//! Integers wrap. Floats follow IEEE 754 in their own precision; f16 is computed in f32 and rounded,
//! which gives the correctly rounded result for `+ - * /` and `sqrt`. Functions come from the crate
//! `libm` and not from the host, so that results are the same on every machine.

mod convert;
pub(crate) mod float;
pub(crate) mod int;
mod math;

pub use convert::{convert, reinterpret};
pub use math::math;

use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};
use half::f16;

/// The result of an operation with one operand.
pub fn unop(op: UnOp, a: Scalar) -> Option<Scalar> {
    Some(match a {
        Scalar::I8(a) => Scalar::I8(int::unop(op, a)),
        Scalar::I16(a) => Scalar::I16(int::unop(op, a)),
        Scalar::I32(a) => Scalar::I32(int::unop(op, a)),
        Scalar::I64(a) => Scalar::I64(int::unop(op, a)),
        Scalar::U8(a) => Scalar::U8(int::unop(op, a)),
        Scalar::U16(a) => Scalar::U16(int::unop(op, a)),
        Scalar::U32(a) => Scalar::U32(int::unop(op, a)),
        Scalar::U64(a) => Scalar::U64(int::unop(op, a)),
        Scalar::F16(a) => Scalar::F16(float::unop_f16(op, a)?),
        Scalar::F32(a) => Scalar::F32(float::unop(op, a)?),
        Scalar::F64(a) => Scalar::F64(float::unop(op, a)?),
        Scalar::Bool(a) => match op {
            UnOp::Not => Scalar::Bool(!a),
            UnOp::Neg | UnOp::Abs | UnOp::Sgn => return None,
        },
        Scalar::Unit => return None,
    })
}

/// The result of an operation with two operands of one type.
#[inline]
pub fn binop(op: BinOp, a: Scalar, b: Scalar) -> Option<Scalar> {
    Some(match (a, b) {
        (Scalar::I8(a), Scalar::I8(b)) => Scalar::I8(int::binop(op, a, b)?),
        (Scalar::I16(a), Scalar::I16(b)) => Scalar::I16(int::binop(op, a, b)?),
        (Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(int::binop(op, a, b)?),
        (Scalar::I64(a), Scalar::I64(b)) => Scalar::I64(int::binop(op, a, b)?),
        (Scalar::U8(a), Scalar::U8(b)) => Scalar::U8(int::binop(op, a, b)?),
        (Scalar::U16(a), Scalar::U16(b)) => Scalar::U16(int::binop(op, a, b)?),
        (Scalar::U32(a), Scalar::U32(b)) => Scalar::U32(int::binop(op, a, b)?),
        (Scalar::U64(a), Scalar::U64(b)) => Scalar::U64(int::binop(op, a, b)?),
        (Scalar::F16(a), Scalar::F16(b)) => Scalar::F16(float::binop_f16(op, a, b)?),
        (Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(float::binop(op, a, b)?),
        (Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(float::binop(op, a, b)?),
        (Scalar::Bool(a), Scalar::Bool(b)) => Scalar::Bool(bool_binop(op, a, b)?),
        _ => return None,
    })
}

/// The result of a comparison of two operands of one type.
#[inline]
pub fn cmpop(op: CmpOp, a: Scalar, b: Scalar) -> Option<bool> {
    Some(match (a, b) {
        (Scalar::I8(a), Scalar::I8(b)) => compare(op, a, b),
        (Scalar::I16(a), Scalar::I16(b)) => compare(op, a, b),
        (Scalar::I32(a), Scalar::I32(b)) => compare(op, a, b),
        (Scalar::I64(a), Scalar::I64(b)) => compare(op, a, b),
        (Scalar::U8(a), Scalar::U8(b)) => compare(op, a, b),
        (Scalar::U16(a), Scalar::U16(b)) => compare(op, a, b),
        (Scalar::U32(a), Scalar::U32(b)) => compare(op, a, b),
        (Scalar::U64(a), Scalar::U64(b)) => compare(op, a, b),
        (Scalar::F16(a), Scalar::F16(b)) => compare(op, a.to_f32(), b.to_f32()),
        (Scalar::F32(a), Scalar::F32(b)) => compare(op, a, b),
        (Scalar::F64(a), Scalar::F64(b)) => compare(op, a, b),
        (Scalar::Bool(a), Scalar::Bool(b)) => compare(op, a, b),
        _ => return None,
    })
}

/// Whether the operation has no result because it divides an integer by zero.
pub fn divides_by_zero(op: BinOp, b: Scalar) -> bool {
    let divides = matches!(op, BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem);
    let float = matches!(b, Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_));
    divides && !float && b.bits() == 0 && !matches!(b, Scalar::Bool(_) | Scalar::Unit)
}

/// An integer, sign- or zero-extended as its type says; u64 beyond i64's range wraps.
pub fn to_i64(a: Scalar) -> Option<i64> {
    Some(match a {
        Scalar::I8(a) => i64::from(a),
        Scalar::I16(a) => i64::from(a),
        Scalar::I32(a) => i64::from(a),
        Scalar::I64(a) => a,
        Scalar::U8(a) => i64::from(a),
        Scalar::U16(a) => i64::from(a),
        Scalar::U32(a) => i64::from(a),
        Scalar::U64(a) => a as i64,
        Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) | Scalar::Bool(_) | Scalar::Unit => {
            return None;
        }
    })
}

/// A scalar as it stands in messages: without its type. Floats have six decimals, as by C's `%f`.
pub fn show(a: Scalar) -> String {
    match a {
        Scalar::I8(a) => a.to_string(),
        Scalar::I16(a) => a.to_string(),
        Scalar::I32(a) => a.to_string(),
        Scalar::I64(a) => a.to_string(),
        Scalar::U8(a) => a.to_string(),
        Scalar::U16(a) => a.to_string(),
        Scalar::U32(a) => a.to_string(),
        Scalar::U64(a) => a.to_string(),
        Scalar::F16(a) => show_float(f64::from(a.to_f32())),
        Scalar::F32(a) => show_float(f64::from(a)),
        Scalar::F64(a) => show_float(a),
        Scalar::Bool(a) => a.to_string(),
        Scalar::Unit => "()".to_owned(),
    }
}

fn show_float(a: f64) -> String {
    if a.is_nan() { "nan".to_owned() } else { format!("{a:.6}") }
}

#[inline]
pub(crate) fn compare<T: PartialOrd>(op: CmpOp, a: T, b: T) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
    }
}

fn bool_binop(op: BinOp, a: bool, b: bool) -> Option<bool> {
    match op {
        BinOp::And => Some(a && b),
        BinOp::Or => Some(a || b),
        BinOp::Xor => Some(a != b),
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Div
        | BinOp::Mod
        | BinOp::Quot
        | BinOp::Rem
        | BinOp::Pow
        | BinOp::Min
        | BinOp::Max
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Lshr
        | BinOp::Ashr => None,
    }
}

/// A function of f32 applied to f16: computed in f32 and rounded.
fn via_f32(a: f16, f: impl FnOnce(f32) -> f32) -> f16 {
    f16::from_f32(f(a.to_f32()))
}
