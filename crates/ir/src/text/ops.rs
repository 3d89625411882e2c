//! The names of scalar operations.

use crate::{BinOp, CmpOp, UnOp};

macro_rules! names {
    ($type:ident: $($variant:ident $name:literal),* $(,)?) => {
        impl $type {
            /// All of them.
            pub const ALL: &[$type] = &[$($type::$variant),*];

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name),*
                }
            }

            /// The operation with this name.
            pub fn from_name(name: &str) -> Option<$type> {
                match name {
                    $($name => Some($type::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

names!(UnOp: Neg "neg", Not "not", Abs "abs", Sgn "sgn");
names!(BinOp:
    Add "add", Sub "sub", Mul "mul", Div "div", Mod "mod", Quot "quot", Rem "rem", Pow "pow",
    Min "min", Max "max", And "and", Or "or", Xor "xor", Shl "shl", Shr "shr", Lshr "lshr",
    Ashr "ashr",
);
names!(CmpOp: Eq "eq", Lt "lt", Le "le");
