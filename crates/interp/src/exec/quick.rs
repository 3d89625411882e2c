//! The quick paths of scalars: operations whose operands and results never leave the frame.
//!
//! A scalar is moved variant by variant and not as a whole. Copying the whole enumeration reads its
//! bytes in other pieces than they were written in, and a processor waits long for that: it makes the
//! interpreter half as fast. Types that are rare in inner loops take the general path.

use super::{Frame, binop, ill_typed, scalar};
use crate::array::Array;
use crate::buffer::Buffer;
use crate::code::{Arg, Slot};
use crate::error::Res;
use crate::scalar as ops;
use crate::value::Value;
use fehu_ir::{BinOp, CmpOp, Scalar};

/// `target = a op b`
#[inline(always)]
pub(super) fn bin(frame: &mut Frame, op: BinOp, a: &Arg, b: &Arg, target: Slot) -> Res<()> {
    if let (Some(x), Some(y)) = (operand(frame, a), operand(frame, b))
        && let Some(result) = match (x, y) {
            (&Scalar::I64(x), &Scalar::I64(y)) => ops::int::binop(op, x, y).map(Quick::I64),
            (&Scalar::F64(x), &Scalar::F64(y)) => ops::float::binop(op, x, y).map(Quick::F64),
            (&Scalar::F32(x), &Scalar::F32(y)) => ops::float::binop(op, x, y).map(Quick::F32),
            (&Scalar::I32(x), &Scalar::I32(y)) => ops::int::binop(op, x, y).map(Quick::I32),
            _ => None,
        }
    {
        put(&mut frame[target as usize], result);
        return Ok(());
    }
    // Also the path of division by zero, which has no result.
    let result = binop(op, scalar(frame, a)?, scalar(frame, b)?)?;
    frame[target as usize] = Value::Scalar(result);
    Ok(())
}

/// `state = state op arg`, where the state is outside of the frame.
#[inline]
pub(super) fn accumulate(state: &mut Scalar, op: BinOp, frame: &Frame, arg: &Arg) -> Res<()> {
    match (&mut *state, operand(frame, arg)) {
        (Scalar::I64(x), Some(&Scalar::I64(y))) if !divides(op) => {
            *x = ops::int::binop(op, *x, y).unwrap_or(*x);
        }
        (Scalar::F64(x), Some(&Scalar::F64(y))) => {
            *x = ops::float::binop(op, *x, y).ok_or_else(|| ill_typed("an operator"))?;
        }
        (Scalar::F32(x), Some(&Scalar::F32(y))) => {
            *x = ops::float::binop(op, *x, y).ok_or_else(|| ill_typed("an operator"))?;
        }
        (Scalar::I32(x), Some(&Scalar::I32(y))) if !divides(op) => {
            *x = ops::int::binop(op, *x, y).unwrap_or(*x);
        }
        _ => *state = binop(op, *state, scalar(frame, arg)?)?,
    }
    Ok(())
}

/// Whether an operation on integers may have no result.
fn divides(op: BinOp) -> bool {
    matches!(op, BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem)
}

/// `target = a op b`, a truth value.
#[inline(always)]
pub(super) fn cmp(frame: &mut Frame, op: CmpOp, a: &Arg, b: &Arg, target: Slot) -> Res<()> {
    let result = match (operand(frame, a), operand(frame, b)) {
        (Some(&Scalar::I64(x)), Some(&Scalar::I64(y))) => ops::compare(op, x, y),
        (Some(&Scalar::F64(x)), Some(&Scalar::F64(y))) => ops::compare(op, x, y),
        (Some(&Scalar::F32(x)), Some(&Scalar::F32(y))) => ops::compare(op, x, y),
        (Some(&Scalar::I32(x)), Some(&Scalar::I32(y))) => ops::compare(op, x, y),
        _ => match ops::cmpop(op, scalar(frame, a)?, scalar(frame, b)?) {
            Some(result) => result,
            None => return Err(ill_typed("a comparison")),
        },
    };
    frame[target as usize] = Value::Scalar(Scalar::Bool(result));
    Ok(())
}

/// `target = arg`, which is taken out of the frame if it is not needed again.
#[inline]
pub(super) fn assign(frame: &mut Frame, arg: &Arg, target: Slot) {
    match operand(frame, arg).and_then(quick) {
        Some(result) => put(&mut frame[target as usize], result),
        None => frame[target as usize] = super::take(frame, arg),
    }
}

/// Likewise, with the target in another frame.
#[inline]
pub(super) fn assign_to(target: &mut Value, frame: &mut Frame, arg: &Arg) {
    match operand(frame, arg).and_then(quick) {
        Some(result) => put(target, result),
        None => *target = super::take(frame, arg),
    }
}

/// `target = array[at]`, by the position in the buffer. Whether there is such an element.
#[inline]
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are not as quick")]
pub(super) fn load(target: &mut Value, array: &Array, at: i64) -> bool {
    let at = at as usize;
    let element = match array.buffer() {
        Buffer::I64(items) => items.get(at).map(|&v| Quick::I64(v)),
        Buffer::F64(items) => items.get(at).map(|&v| Quick::F64(v)),
        Buffer::F32(items) => items.get(at).map(|&v| Quick::F32(v)),
        Buffer::I32(items) => items.get(at).map(|&v| Quick::I32(v)),
        other => {
            return match other.get(at) {
                Some(element) => {
                    *target = Value::Scalar(element);
                    true
                }
                None => false,
            };
        }
    };
    match element {
        Some(element) => {
            put(target, element);
            true
        }
        None => false,
    }
}

/// Appends a scalar to a buffer of its type; whether it has that type.
#[inline]
pub(super) fn append(buffer: &mut Buffer, value: &Scalar) -> bool {
    match (buffer, value) {
        (Buffer::I64(items), &Scalar::I64(v)) => items.push(v),
        (Buffer::F64(items), &Scalar::F64(v)) => items.push(v),
        (Buffer::F32(items), &Scalar::F32(v)) => items.push(v),
        (Buffer::I32(items), &Scalar::I32(v)) => items.push(v),
        (buffer, value) => return buffer.push(*value).is_some(),
    }
    true
}

/// Where the scalar of an operand is, if it is one.
#[inline(always)]
pub(super) fn operand<'f>(frame: &'f Frame, arg: &'f Arg) -> Option<&'f Scalar> {
    match arg {
        Arg::Const(scalar) => Some(scalar),
        Arg::Slot(slot) | Arg::Last(slot) => match &frame[*slot as usize] {
            Value::Scalar(scalar) => Some(scalar),
            Value::Array(_) | Value::Acc(_) | Value::Gone => None,
        },
    }
}

/// A scalar of a type that is frequent in inner loops, in registers.
enum Quick {
    I64(i64),
    I32(i32),
    F64(f64),
    F32(f32),
    Bool(bool),
}

#[inline(always)]
fn quick(scalar: &Scalar) -> Option<Quick> {
    match *scalar {
        Scalar::I64(v) => Some(Quick::I64(v)),
        Scalar::I32(v) => Some(Quick::I32(v)),
        Scalar::F64(v) => Some(Quick::F64(v)),
        Scalar::F32(v) => Some(Quick::F32(v)),
        Scalar::Bool(v) => Some(Quick::Bool(v)),
        Scalar::I8(_)
        | Scalar::I16(_)
        | Scalar::U8(_)
        | Scalar::U16(_)
        | Scalar::U32(_)
        | Scalar::U64(_)
        | Scalar::F16(_)
        | Scalar::Unit => None,
    }
}

#[inline(always)]
fn put(target: &mut Value, result: Quick) {
    *target = Value::Scalar(match result {
        Quick::I64(v) => Scalar::I64(v),
        Quick::I32(v) => Scalar::I32(v),
        Quick::F64(v) => Scalar::F64(v),
        Quick::F32(v) => Scalar::F32(v),
        Quick::Bool(v) => Scalar::Bool(v),
    });
}
