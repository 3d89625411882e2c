//! From imp to imp, for devices.
//!
//! All tests are one program, because linking is what takes long.

mod ahead;
mod deferred;
mod merged;
mod overlaid;
mod skewed;
mod verified;
