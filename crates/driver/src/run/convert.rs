//! Values of the outside world to those of the interpreter, and back.

use super::RunError;
use fehu_data::{Array, Data, Value, ValueType};
use fehu_interp::Buffer;
use fehu_ir::{Elem, Scalar, Type};

/// The type of a part as the outside world sees it.
pub(super) fn value_type(ty: &Type) -> Result<ValueType, RunError> {
    match ty.elem() {
        Some(Elem::Prim(elem)) => Ok(ValueType { elem, rank: ty.rank() }),
        Some(Elem::Unit) | None => Err(unrepresentable()),
    }
}

/// Whether a value is a unit, or an array of units: it has no contents that could be shown.
pub(super) fn is_unit(value: &fehu_interp::Value) -> bool {
    use fehu_interp::Value as Inner;
    match value {
        Inner::Scalar(scalar) => scalar.elem() == Elem::Unit,
        Inner::Array(array) => array.elem() == Elem::Unit,
        Inner::Acc(_) | Inner::Gone => false,
    }
}

/// A value for the interpreter.
pub fn to_interp(value: Value) -> Result<fehu_interp::Value, RunError> {
    let array = match value {
        Value::Scalar(scalar) => {
            return Ok(Scalar::from_bits(scalar.prim(), scalar.to_bits()).into());
        }
        Value::Array(array) => array,
    };
    let (shape, data) = array.into_parts();
    let shape: Vec<i64> = shape.into_iter().map(|size| size as i64).collect();
    let buffer = match data {
        Data::I8(items) => Buffer::I8(items),
        Data::I16(items) => Buffer::I16(items),
        Data::I32(items) => Buffer::I32(items),
        Data::I64(items) => Buffer::I64(items),
        Data::U8(items) => Buffer::U8(items),
        Data::U16(items) => Buffer::U16(items),
        Data::U32(items) => Buffer::U32(items),
        Data::U64(items) => Buffer::U64(items),
        Data::F16(items) => Buffer::F16(items),
        Data::F32(items) => Buffer::F32(items),
        Data::F64(items) => Buffer::F64(items),
        Data::Bool(items) => Buffer::Bool(items),
    };
    fehu_interp::Value::array(&shape, buffer).ok_or_else(unrepresentable)
}

/// A value from the interpreter.
pub fn from_interp(value: fehu_interp::Value) -> Result<Value, RunError> {
    use fehu_interp::Value as Inner;
    let array = match value {
        Inner::Scalar(scalar) => {
            return match scalar.elem() {
                Elem::Prim(prim) => Ok(fehu_data::Scalar::from_bits(prim, scalar.bits()).into()),
                Elem::Unit => Err(unrepresentable()),
            };
        }
        Inner::Array(array) => array,
        Inner::Acc(_) | Inner::Gone => return Err(unrepresentable()),
    };
    let shape: Vec<usize> = array.shape().into_iter().map(|size| size as usize).collect();
    let data = match array.into_buffer() {
        Buffer::I8(items) => Data::I8(items),
        Buffer::I16(items) => Data::I16(items),
        Buffer::I32(items) => Data::I32(items),
        Buffer::I64(items) => Data::I64(items),
        Buffer::U8(items) => Data::U8(items),
        Buffer::U16(items) => Data::U16(items),
        Buffer::U32(items) => Data::U32(items),
        Buffer::U64(items) => Data::U64(items),
        Buffer::F16(items) => Data::F16(items),
        Buffer::F32(items) => Data::F32(items),
        Buffer::F64(items) => Data::F64(items),
        Buffer::Bool(items) => Data::Bool(items),
        Buffer::Unit => return Err(unrepresentable()),
    };
    Array::new(shape, data).map(Value::Array).map_err(|_| unrepresentable())
}

fn unrepresentable() -> RunError {
    RunError::Unrepresentable(
        "a value of a type without contents cannot be read or written".to_owned(),
    )
}
