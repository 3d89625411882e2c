//! The twelve primitive types.

use std::fmt;

/// A primitive type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the variants are the types' own names")]
pub enum Prim {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    Bool,
}

impl Prim {
    /// All primitive types.
    pub const ALL: [Prim; 12] = [
        Prim::I8,
        Prim::I16,
        Prim::I32,
        Prim::I64,
        Prim::U8,
        Prim::U16,
        Prim::U32,
        Prim::U64,
        Prim::F16,
        Prim::F32,
        Prim::F64,
        Prim::Bool,
    ];

    /// The type's name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Prim::I8 => "i8",
            Prim::I16 => "i16",
            Prim::I32 => "i32",
            Prim::I64 => "i64",
            Prim::U8 => "u8",
            Prim::U16 => "u16",
            Prim::U32 => "u32",
            Prim::U64 => "u64",
            Prim::F16 => "f16",
            Prim::F32 => "f32",
            Prim::F64 => "f64",
            Prim::Bool => "bool",
        }
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<Prim> {
        Prim::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Whether this is i8, i16, i32 or i64.
    pub fn is_signed(self) -> bool {
        matches!(self, Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64)
    }

    /// Whether this is u8, u16, u32 or u64.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64)
    }

    /// Whether this is an integer type.
    pub fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether this is f16, f32 or f64.
    pub fn is_float(self) -> bool {
        matches!(self, Prim::F16 | Prim::F32 | Prim::F64)
    }

    /// The number of bits of a value; 8 for bool.
    pub fn bits(self) -> u32 {
        match self {
            Prim::I8 | Prim::U8 | Prim::Bool => 8,
            Prim::I16 | Prim::U16 | Prim::F16 => 16,
            Prim::I32 | Prim::U32 | Prim::F32 => 32,
            Prim::I64 | Prim::U64 | Prim::F64 => 64,
        }
    }
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
