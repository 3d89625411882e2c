//! The memory of arrays: vectors of one type each.

use fehu_base::Prim;
use fehu_ir::{Elem, Scalar};
use half::f16;

/// The elements of an array, or of several that share memory.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the variants are the types' own names")]
pub enum Buffer {
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F16(Vec<f16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
    /// The elements of unit arrays, of which any number takes no memory.
    Unit,
}

/// Evaluates an expression with `$items` bound to the vector, whatever its type; another for unit.
macro_rules! with_items {
    ($buffer:expr, $items:ident => $body:expr, unit => $unit:expr) => {
        match $buffer {
            $crate::buffer::Buffer::I8($items) => $body,
            $crate::buffer::Buffer::I16($items) => $body,
            $crate::buffer::Buffer::I32($items) => $body,
            $crate::buffer::Buffer::I64($items) => $body,
            $crate::buffer::Buffer::U8($items) => $body,
            $crate::buffer::Buffer::U16($items) => $body,
            $crate::buffer::Buffer::U32($items) => $body,
            $crate::buffer::Buffer::U64($items) => $body,
            $crate::buffer::Buffer::F16($items) => $body,
            $crate::buffer::Buffer::F32($items) => $body,
            $crate::buffer::Buffer::F64($items) => $body,
            $crate::buffer::Buffer::Bool($items) => $body,
            $crate::buffer::Buffer::Unit => $unit,
        }
    };
}

/// Likewise for two buffers of one type; the last expression if their types differ.
macro_rules! with_both {
    ($a:expr, $b:expr, $x:ident, $y:ident => $body:expr, unit => $unit:expr, else $other:expr) => {
        match ($a, $b) {
            ($crate::buffer::Buffer::I8($x), $crate::buffer::Buffer::I8($y)) => $body,
            ($crate::buffer::Buffer::I16($x), $crate::buffer::Buffer::I16($y)) => $body,
            ($crate::buffer::Buffer::I32($x), $crate::buffer::Buffer::I32($y)) => $body,
            ($crate::buffer::Buffer::I64($x), $crate::buffer::Buffer::I64($y)) => $body,
            ($crate::buffer::Buffer::U8($x), $crate::buffer::Buffer::U8($y)) => $body,
            ($crate::buffer::Buffer::U16($x), $crate::buffer::Buffer::U16($y)) => $body,
            ($crate::buffer::Buffer::U32($x), $crate::buffer::Buffer::U32($y)) => $body,
            ($crate::buffer::Buffer::U64($x), $crate::buffer::Buffer::U64($y)) => $body,
            ($crate::buffer::Buffer::F16($x), $crate::buffer::Buffer::F16($y)) => $body,
            ($crate::buffer::Buffer::F32($x), $crate::buffer::Buffer::F32($y)) => $body,
            ($crate::buffer::Buffer::F64($x), $crate::buffer::Buffer::F64($y)) => $body,
            ($crate::buffer::Buffer::Bool($x), $crate::buffer::Buffer::Bool($y)) => $body,
            ($crate::buffer::Buffer::Unit, $crate::buffer::Buffer::Unit) => $unit,
            _ => $other,
        }
    };
}

pub(crate) use with_both;

/// The number of bytes of an element.
pub(crate) fn bytes(elem: Elem) -> u64 {
    match elem {
        Elem::Prim(prim) => u64::from(prim.bits() / 8),
        Elem::Unit => 0,
    }
}

impl Buffer {
    /// An empty buffer with room for this many elements; `None` if there is not so much memory.
    pub(crate) fn with_capacity(elem: Elem, capacity: usize) -> Option<Buffer> {
        let mut buffer = Buffer::empty(elem);
        with_items!(&mut buffer, items => items.try_reserve_exact(capacity).ok()?, unit => ());
        Some(buffer)
    }

    /// An empty buffer.
    pub fn empty(elem: Elem) -> Buffer {
        match elem {
            Elem::Prim(Prim::I8) => Buffer::I8(Vec::new()),
            Elem::Prim(Prim::I16) => Buffer::I16(Vec::new()),
            Elem::Prim(Prim::I32) => Buffer::I32(Vec::new()),
            Elem::Prim(Prim::I64) => Buffer::I64(Vec::new()),
            Elem::Prim(Prim::U8) => Buffer::U8(Vec::new()),
            Elem::Prim(Prim::U16) => Buffer::U16(Vec::new()),
            Elem::Prim(Prim::U32) => Buffer::U32(Vec::new()),
            Elem::Prim(Prim::U64) => Buffer::U64(Vec::new()),
            Elem::Prim(Prim::F16) => Buffer::F16(Vec::new()),
            Elem::Prim(Prim::F32) => Buffer::F32(Vec::new()),
            Elem::Prim(Prim::F64) => Buffer::F64(Vec::new()),
            Elem::Prim(Prim::Bool) => Buffer::Bool(Vec::new()),
            Elem::Unit => Buffer::Unit,
        }
    }

    /// The type of the elements.
    pub fn elem(&self) -> Elem {
        Elem::Prim(match self {
            Buffer::I8(_) => Prim::I8,
            Buffer::I16(_) => Prim::I16,
            Buffer::I32(_) => Prim::I32,
            Buffer::I64(_) => Prim::I64,
            Buffer::U8(_) => Prim::U8,
            Buffer::U16(_) => Prim::U16,
            Buffer::U32(_) => Prim::U32,
            Buffer::U64(_) => Prim::U64,
            Buffer::F16(_) => Prim::F16,
            Buffer::F32(_) => Prim::F32,
            Buffer::F64(_) => Prim::F64,
            Buffer::Bool(_) => Prim::Bool,
            Buffer::Unit => return Elem::Unit,
        })
    }

    /// The number of elements; `None` for unit, which holds any number.
    pub fn len(&self) -> Option<usize> {
        with_items!(self, items => Some(items.len()), unit => None)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len().unwrap_or(0) == 0
    }

    /// The element at a position.
    #[inline]
    pub fn get(&self, at: usize) -> Option<Scalar> {
        Some(match self {
            Buffer::I8(items) => Scalar::I8(*items.get(at)?),
            Buffer::I16(items) => Scalar::I16(*items.get(at)?),
            Buffer::I32(items) => Scalar::I32(*items.get(at)?),
            Buffer::I64(items) => Scalar::I64(*items.get(at)?),
            Buffer::U8(items) => Scalar::U8(*items.get(at)?),
            Buffer::U16(items) => Scalar::U16(*items.get(at)?),
            Buffer::U32(items) => Scalar::U32(*items.get(at)?),
            Buffer::U64(items) => Scalar::U64(*items.get(at)?),
            Buffer::F16(items) => Scalar::F16(*items.get(at)?),
            Buffer::F32(items) => Scalar::F32(*items.get(at)?),
            Buffer::F64(items) => Scalar::F64(*items.get(at)?),
            Buffer::Bool(items) => Scalar::Bool(*items.get(at)?),
            Buffer::Unit => Scalar::Unit,
        })
    }

    /// Replaces the element at a position; `None` if there is none or it has another type.
    #[inline]
    pub fn set(&mut self, at: usize, value: Scalar) -> Option<()> {
        match (self, value) {
            (Buffer::I8(items), Scalar::I8(v)) => *items.get_mut(at)? = v,
            (Buffer::I16(items), Scalar::I16(v)) => *items.get_mut(at)? = v,
            (Buffer::I32(items), Scalar::I32(v)) => *items.get_mut(at)? = v,
            (Buffer::I64(items), Scalar::I64(v)) => *items.get_mut(at)? = v,
            (Buffer::U8(items), Scalar::U8(v)) => *items.get_mut(at)? = v,
            (Buffer::U16(items), Scalar::U16(v)) => *items.get_mut(at)? = v,
            (Buffer::U32(items), Scalar::U32(v)) => *items.get_mut(at)? = v,
            (Buffer::U64(items), Scalar::U64(v)) => *items.get_mut(at)? = v,
            (Buffer::F16(items), Scalar::F16(v)) => *items.get_mut(at)? = v,
            (Buffer::F32(items), Scalar::F32(v)) => *items.get_mut(at)? = v,
            (Buffer::F64(items), Scalar::F64(v)) => *items.get_mut(at)? = v,
            (Buffer::Bool(items), Scalar::Bool(v)) => *items.get_mut(at)? = v,
            (Buffer::Unit, Scalar::Unit) => {}
            _ => return None,
        }
        Some(())
    }

    /// Appends an element; `None` if it has another type.
    #[inline]
    pub fn push(&mut self, value: Scalar) -> Option<()> {
        match (self, value) {
            (Buffer::I8(items), Scalar::I8(v)) => items.push(v),
            (Buffer::I16(items), Scalar::I16(v)) => items.push(v),
            (Buffer::I32(items), Scalar::I32(v)) => items.push(v),
            (Buffer::I64(items), Scalar::I64(v)) => items.push(v),
            (Buffer::U8(items), Scalar::U8(v)) => items.push(v),
            (Buffer::U16(items), Scalar::U16(v)) => items.push(v),
            (Buffer::U32(items), Scalar::U32(v)) => items.push(v),
            (Buffer::U64(items), Scalar::U64(v)) => items.push(v),
            (Buffer::F16(items), Scalar::F16(v)) => items.push(v),
            (Buffer::F32(items), Scalar::F32(v)) => items.push(v),
            (Buffer::F64(items), Scalar::F64(v)) => items.push(v),
            (Buffer::Bool(items), Scalar::Bool(v)) => items.push(v),
            (Buffer::Unit, Scalar::Unit) => {}
            _ => return None,
        }
        Some(())
    }

    /// Appends copies of an element until there are `len`; `None` if it has another type.
    pub(crate) fn fill(&mut self, len: usize, value: Scalar) -> Option<()> {
        match (self, value) {
            (Buffer::I8(items), Scalar::I8(v)) => items.resize(len, v),
            (Buffer::I16(items), Scalar::I16(v)) => items.resize(len, v),
            (Buffer::I32(items), Scalar::I32(v)) => items.resize(len, v),
            (Buffer::I64(items), Scalar::I64(v)) => items.resize(len, v),
            (Buffer::U8(items), Scalar::U8(v)) => items.resize(len, v),
            (Buffer::U16(items), Scalar::U16(v)) => items.resize(len, v),
            (Buffer::U32(items), Scalar::U32(v)) => items.resize(len, v),
            (Buffer::U64(items), Scalar::U64(v)) => items.resize(len, v),
            (Buffer::F16(items), Scalar::F16(v)) => items.resize(len, v),
            (Buffer::F32(items), Scalar::F32(v)) => items.resize(len, v),
            (Buffer::F64(items), Scalar::F64(v)) => items.resize(len, v),
            (Buffer::Bool(items), Scalar::Bool(v)) => items.resize(len, v),
            (Buffer::Unit, Scalar::Unit) => {}
            _ => return None,
        }
        Some(())
    }

    /// Appends zeros, or false, until there are `len` elements.
    pub(crate) fn fill_zero(&mut self, len: usize) {
        let zero = match self.elem() {
            Elem::Prim(prim) => Scalar::zero(prim),
            Elem::Unit => Scalar::Unit,
        };
        // The types agree by construction.
        let _ = self.fill(len, zero);
    }

    /// Appends the first `count` elements again, `times` times.
    pub(crate) fn repeat_first(&mut self, count: usize, times: usize) {
        with_items!(self, items => {
            for _ in 0..times {
                items.extend_from_within(..count.min(items.len()));
            }
        }, unit => ());
    }
}

macro_rules! from_vec {
    ($($variant:ident $type:ty),*) => {
        $(impl From<Vec<$type>> for Buffer {
            fn from(items: Vec<$type>) -> Buffer {
                Buffer::$variant(items)
            }
        })*
    };
}

from_vec!(I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 f16, F32 f32,
    F64 f64, Bool bool);
