//! Operands: variables and constants.

use crate::{Elem, Var};
use fehu_base::Prim;
use half::f16;

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A variable.
    Var(Var),
    /// A constant scalar.
    Const(Scalar),
}

/// A scalar value. Floats are equal if their bits are, so that programs can be compared.
#[derive(Clone, Copy, Debug)]
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
    Unit,
}

impl Atom {
    /// The i64 constant.
    pub fn i64(value: i64) -> Atom {
        Atom::Const(Scalar::I64(value))
    }

    /// The truth value.
    pub fn bool(value: bool) -> Atom {
        Atom::Const(Scalar::Bool(value))
    }

    /// The variable, if it is one.
    pub fn var(self) -> Option<Var> {
        match self {
            Atom::Var(var) => Some(var),
            Atom::Const(_) => None,
        }
    }
}

impl From<Var> for Atom {
    fn from(var: Var) -> Atom {
        Atom::Var(var)
    }
}

impl From<Scalar> for Atom {
    fn from(value: Scalar) -> Atom {
        Atom::Const(value)
    }
}

impl Scalar {
    /// Its type.
    pub fn elem(self) -> Elem {
        let prim = match self {
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
            Scalar::Unit => return Elem::Unit,
        };
        Elem::Prim(prim)
    }

    /// The bits, zero-extended.
    pub fn bits(self) -> u64 {
        match self {
            Scalar::I8(v) => u64::from(v as u8),
            Scalar::I16(v) => u64::from(v as u16),
            Scalar::I32(v) => u64::from(v as u32),
            Scalar::I64(v) => v as u64,
            Scalar::U8(v) => u64::from(v),
            Scalar::U16(v) => u64::from(v),
            Scalar::U32(v) => u64::from(v),
            Scalar::U64(v) => v,
            Scalar::F16(v) => u64::from(v.to_bits()),
            Scalar::F32(v) => u64::from(v.to_bits()),
            Scalar::F64(v) => v.to_bits(),
            Scalar::Bool(v) => u64::from(v),
            Scalar::Unit => 0,
        }
    }

    /// The scalar of a type with these bits; the reverse of [`Scalar::bits`].
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
            Prim::Bool => Scalar::Bool(bits != 0),
        }
    }

    /// Zero, or false.
    pub fn zero(prim: Prim) -> Scalar {
        Scalar::from_bits(prim, 0)
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        self.elem() == other.elem() && self.bits() == other.bits()
    }
}

impl Eq for Scalar {}

impl std::hash::Hash for Scalar {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.elem().hash(state);
        self.bits().hash(state);
    }
}
