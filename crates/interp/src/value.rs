//! Values at run time.

use crate::array::{Array, Shape};
use crate::buffer::Buffer;
use crate::error::{Error, Res};
use fehu_ir::Scalar;

/// A value. Scalars stand in place; arrays are behind a box, so that values are small.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// A scalar.
    Scalar(Scalar),
    /// An array.
    Array(Box<Array>),
    /// An accumulator: its number among those that are open.
    Acc(usize),
    /// No value: a variable that is not bound yet, or has been given up.
    #[default]
    Gone,
}

impl Value {
    /// The array with this shape and these elements in row-major order; `None` if they do not match.
    pub fn array(shape: &[i64], items: impl Into<Buffer>) -> Option<Value> {
        Array::new(shape, items).map(Value::from)
    }

    /// An array of rank one.
    pub fn vector(items: impl Into<Buffer>) -> Value {
        let buffer = items.into();
        let size = buffer.len().unwrap_or(0) as i64;
        Value::from(Array::row_major(&[size], buffer))
    }

    /// The scalar, if it is one.
    #[inline]
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(scalar) => Some(*scalar),
            Value::Array(_) | Value::Acc(_) | Value::Gone => None,
        }
    }

    /// The array, if it is one.
    #[inline]
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Array(array) => Some(array),
            Value::Scalar(_) | Value::Acc(_) | Value::Gone => None,
        }
    }

    /// Whether it is an array without elements.
    pub(crate) fn is_empty_array(&self) -> bool {
        self.as_array().is_some_and(|array| array.sizes().any(|size| size == 0))
    }

    /// Whether both have the same type, shape and bits.
    pub fn same_bits(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Scalar(a), Value::Scalar(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a.same_bits(b),
            _ => false,
        }
    }

    /// Puts the elements after others; the value is a scalar or an array of the given shape.
    pub(crate) fn append_to(&self, buffer: &mut Buffer, shape: &[i64]) -> Res<()> {
        let appended = match self {
            Value::Scalar(scalar) if shape.is_empty() => buffer.push(*scalar),
            Value::Array(array) if array.has_shape(shape) => array.append_to(buffer),
            Value::Array(array) => {
                let found: Shape = array.sizes().collect();
                return Err(Error::internal(format!(
                    "an element has shape {found:?} instead of {shape:?}"
                )));
            }
            Value::Scalar(_) | Value::Acc(_) | Value::Gone => None,
        };
        appended.ok_or_else(|| Error::internal("an element has the wrong type"))
    }
}

impl From<Scalar> for Value {
    fn from(scalar: Scalar) -> Value {
        Value::Scalar(scalar)
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Value {
        Value::Array(Box::new(array))
    }
}
