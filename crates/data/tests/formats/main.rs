//! Properties of all formats, on random values and on damaged input.

mod any_bytes;
mod round_trip;
mod values;
