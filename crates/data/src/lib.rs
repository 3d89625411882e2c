//! Values as users see them: what goes into a compiled program, and what comes out of it.
//!
//! A [`Value`] is a scalar of one of the twelve primitive types, or a regular array of them. This crate
//! reads and writes values, makes random ones, and compares them. It touches no files: bytes come in
//! as slices and leave through [`std::io::Write`].
//!
//! # Text
//!
//! ```text
//! values  = { value }                               separated by blanks; `--` comments to the end of a line
//! value   = number | bool | array | empty | string
//! number  = [+-] digits [suffix]                    42, -1i8, 0x1F, 0b101, 1_000u64, 1f32
//!         | [+-] decimal [float suffix]             1.5, 1e3, 1.5e-3f32, 0x1.8p3f64
//!         | [-] float `.nan` | [-] float `.inf`     f32.nan, -f64.inf
//! bool    = true | false
//! array   = `[` value { `,` value } [`,`] `]`       all rows of one shape
//! empty   = `empty(` { `[` size `]` } prim `)`      at least one size is 0
//! string  = `"` characters `"`                      the UTF-8 bytes, of type []u8
//! ```
//!
//! A number without suffix is an i32, or an f64 if it has a point or an exponent; in an array it has
//! the type of the first element; if the reader was told which type to expect, it has that type. With an
//! expected type `[]` is read too.
//!
//! An integer with a suffix stands for its low bits, as existing data relies on: `255i8` is `-1i8`. Without
//! suffix an integer that does not fit its type is an error, but hexadecimal and binary ones may use all bits.
//!
//! The writer puts the suffix on every number. See [`text::Style`] for the two ways in which floats and
//! rows are laid out; both are read back to the same value, except that all NaNs become one.
//!
//! # Binary
//!
//! Little endian, values one after the other, blanks before each of them allowed:
//!
//! | bytes | content |
//! |---|---|
//! | 1 | the letter `b` |
//! | 1 | the version, 2 |
//! | 1 | the number of dimensions, 0 for a scalar |
//! | 4 | the type, padded with blanks on the left: `"  i8"`, `" f32"`, `"bool"` |
//! | 8 each | the dimensions, unsigned |
//! | rest | the elements in row-major order; a bool is a byte, 0 or 1 |
//!
//! Text and binary values may follow each other in one stream; [`Reader`] looks at the first byte.
//!
//! # NumPy
//!
//! `.npy` files of versions 1.0, 2.0 and 3.0 with simple element types, see [`npy`]. A [`Reader`] takes them
//! as well, among values of the other formats.

pub mod array;
pub mod binary;
mod bytes;
pub mod compare;
pub mod error;
mod float16;
pub mod generate;
mod ieee;
pub mod npy;
pub mod reader;
pub mod text;
pub mod value;

pub use array::{Array, Data, Elem, ShapeError};
pub use error::ReadError;
pub use reader::Reader;
pub use value::{Scalar, SizedType, Value, ValueType};
