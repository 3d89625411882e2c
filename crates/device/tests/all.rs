//! All integration tests of the crate.

mod late;
mod verified;
