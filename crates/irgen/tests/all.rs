//! What random programs are like, and what they say about traversals.
//!
//! All tests are one program, because linking is what takes long.

mod growing;
mod kernels;
mod properties;
mod traversals;
mod updates;
