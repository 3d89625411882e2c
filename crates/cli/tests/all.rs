//! The command `fehu`, and the programs that it compiles.
//!
//! All tests are one program, because linking is what takes long.

mod autotune;
mod book;
mod cli;
mod clients;
mod common;
mod compile;
mod dev;
mod editors;
mod failures;
mod foreign;
mod hostile;
mod interface;
mod kernels;
mod leftovers;
mod literate;
#[path = "../../backend/tests/nvrtc_compiler/mod.rs"]
mod nvrtc_compiler;
mod packages;
mod pages;
mod parts;
mod profile;
mod protocol;
mod python;
#[path = "../../backend/tests/python_packages/mod.rs"]
mod python_packages;
mod report;
mod rust;
mod sanitized;
mod stream_callers;
mod streams;
mod surroundings;
mod survival;
mod terminal;
mod values;
mod vector;
