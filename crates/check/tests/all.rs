//! Parts of the checker by themselves; what it says of programs is tested in `tests/check`.
//!
//! All tests are one program, because linking is what takes long, and outside of the library, which would be compiled twice.

mod alias;
mod exhaust;
mod small_map;
mod unused;
