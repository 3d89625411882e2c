//! Scalars, values and their types.

use crate::array::{Array, Elem};
use crate::text;
use fehu_base::Prim;
use half::f16;
use std::fmt;

/// A scalar or an array.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// One number or truth value.
    Scalar(Scalar),
    /// A regular array of at least one dimension.
    Array(Array),
}

/// A number or truth value.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(missing_docs, reason = "the variants are the types' own names")]
pub enum Scalar {
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F16(f16),
    F32(f32),
    F64(f64),
    Bool(bool),
}

/// The type of a value without its sizes; prints as `[][]i32`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueType {
    /// The type of the elements, or of the scalar.
    pub elem: Prim,
    /// The number of dimensions; 0 for scalars.
    pub rank: usize,
}

/// The type of a value with its sizes; prints as `[10][3]i32`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SizedType {
    /// The type of the elements, or of the scalar.
    pub elem: Prim,
    /// The sizes; none for scalars.
    pub shape: Vec<usize>,
}

impl Value {
    /// The type, without sizes.
    pub fn value_type(&self) -> ValueType {
        ValueType { elem: self.elem(), rank: self.shape().len() }
    }

    /// The type, with sizes.
    pub fn sized_type(&self) -> SizedType {
        SizedType { elem: self.elem(), shape: self.shape().to_vec() }
    }

    /// The type of the elements, or of the scalar.
    pub fn elem(&self) -> Prim {
        match self {
            Value::Scalar(scalar) => scalar.prim(),
            Value::Array(array) => array.elem(),
        }
    }

    /// The sizes; none for scalars.
    pub fn shape(&self) -> &[usize] {
        match self {
            Value::Scalar(_) => &[],
            Value::Array(array) => array.shape(),
        }
    }

    /// The number of elements; 1 for scalars.
    pub fn len(&self) -> usize {
        match self {
            Value::Scalar(_) => 1,
            Value::Array(array) => array.len(),
        }
    }

    /// Whether this is an array without elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The scalar, if this is one.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(scalar) => Some(*scalar),
            Value::Array(_) => None,
        }
    }

    /// The array, if this is one.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Scalar(_) => None,
            Value::Array(array) => Some(array),
        }
    }

    /// Whether types, sizes and bits are the same: a NaN is identical to itself, 0 is not to -0.
    pub fn identical(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Scalar(a), Value::Scalar(b)) => a.identical(*b),
            (Value::Array(a), Value::Array(b)) => a.identical(b),
            (Value::Scalar(_), Value::Array(_)) | (Value::Array(_), Value::Scalar(_)) => false,
        }
    }
}

impl Scalar {
    /// The type.
    pub fn prim(self) -> Prim {
        match self {
            Scalar::I8(_) => Prim::I8,
            Scalar::I16(_) => Prim::I16,
            Scalar::I32(_) => Prim::I32,
            Scalar::I64(_) => Prim::I64,
            Scalar::U8(_) => Prim::U8,
            Scalar::U16(_) => Prim::U16,
            Scalar::U32(_) => Prim::U32,
            Scalar::U64(_) => Prim::U64,
            Scalar::F16(_) => Prim::F16,
            Scalar::F32(_) => Prim::F32,
            Scalar::F64(_) => Prim::F64,
            Scalar::Bool(_) => Prim::Bool,
        }
    }

    /// The integer of this type whose low bits are those of `bits`; floats and bools from their bits.
    pub fn from_bits(prim: Prim, bits: u64) -> Scalar {
        match prim {
            Prim::I8 => Scalar::I8(bits as i8),
            Prim::I16 => Scalar::I16(bits as i16),
            Prim::I32 => Scalar::I32(bits as i32),
            Prim::I64 => Scalar::I64(bits as i64),
            Prim::U8 => Scalar::U8(bits as u8),
            Prim::U16 => Scalar::U16(bits as u16),
            Prim::U32 => Scalar::U32(bits as u32),
            Prim::U64 => Scalar::U64(bits),
            Prim::F16 => Scalar::F16(f16::from_bits(bits as u16)),
            Prim::F32 => Scalar::F32(f32::from_bits(bits as u32)),
            Prim::F64 => Scalar::F64(f64::from_bits(bits)),
            Prim::Bool => Scalar::Bool(bits & 1 == 1),
        }
    }

    /// The bits of the number, with zeros above them.
    pub fn to_bits(self) -> u64 {
        match self {
            Scalar::I8(x) => u64::from(x as u8),
            Scalar::I16(x) => u64::from(x as u16),
            Scalar::I32(x) => u64::from(x as u32),
            Scalar::I64(x) => x as u64,
            Scalar::U8(x) => u64::from(x),
            Scalar::U16(x) => u64::from(x),
            Scalar::U32(x) => u64::from(x),
            Scalar::U64(x) => x,
            Scalar::F16(x) => u64::from(x.to_bits()),
            Scalar::F32(x) => u64::from(x.to_bits()),
            Scalar::F64(x) => x.to_bits(),
            Scalar::Bool(x) => u64::from(x),
        }
    }

    /// The float as f64, which is exact; `None` for integers and bools.
    pub fn as_float(self) -> Option<f64> {
        match self {
            Scalar::F16(x) => Some(x.to_f64()),
            Scalar::F32(x) => Some(f64::from(x)),
            Scalar::F64(x) => Some(x),
            _ => None,
        }
    }

    /// The integer; `None` for floats and bools.
    pub fn as_integer(self) -> Option<i128> {
        match self {
            Scalar::I8(x) => Some(x.into()),
            Scalar::I16(x) => Some(x.into()),
            Scalar::I32(x) => Some(x.into()),
            Scalar::I64(x) => Some(x.into()),
            Scalar::U8(x) => Some(x.into()),
            Scalar::U16(x) => Some(x.into()),
            Scalar::U32(x) => Some(x.into()),
            Scalar::U64(x) => Some(x.into()),
            Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) | Scalar::Bool(_) => None,
        }
    }

    /// Whether type and bits are the same.
    pub fn identical(self, other: Scalar) -> bool {
        self.prim() == other.prim() && self.to_bits() == other.to_bits()
    }
}

impl ValueType {
    /// The type of scalars of type `elem`.
    pub fn scalar(elem: Prim) -> ValueType {
        ValueType { elem, rank: 0 }
    }

    /// The type of arrays with `rank` dimensions.
    pub fn array(elem: Prim, rank: usize) -> ValueType {
        ValueType { elem, rank }
    }

    /// Reads `[][]i32`, the form in which the type is printed.
    pub fn parse(text: &str) -> Option<ValueType> {
        let name = text.trim_start_matches("[]");
        let rank = (text.len() - name.len()) / 2;
        Some(ValueType { elem: Prim::from_name(name)?, rank })
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..self.rank {
            f.write_str("[]")?;
        }
        write!(f, "{}", self.elem)
    }
}

impl fmt::Display for SizedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for size in &self.shape {
            write!(f, "[{size}]")?;
        }
        write!(f, "{}", self.elem)
    }
}

/// With suffix, floats in the shortest form: `1i32`, `0.1f32`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::scalar_to_string(*self, text::Style::SHORT))
    }
}

/// On one line, floats in the shortest form.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::to_string(self, text::Style::SHORT))
    }
}

impl<T: Elem> From<T> for Scalar {
    fn from(x: T) -> Scalar {
        x.scalar()
    }
}

impl<T: Elem> From<T> for Value {
    fn from(x: T) -> Value {
        Value::Scalar(x.scalar())
    }
}

impl From<Scalar> for Value {
    fn from(scalar: Scalar) -> Value {
        Value::Scalar(scalar)
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Value {
        Value::Array(array)
    }
}
