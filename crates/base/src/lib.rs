//! What every stage shares: ids, places in source text, diagnostics and primitive types.
//!
//! This crate knows nothing of the language's grammar or its compiler. It gives the other crates
//!
//! - [`id`]: typed indices ([`crate::define_id!`]), vectors and side tables ([`id_map`]) keyed by them;
//! - [`source`]: files in memory ([`SourceMap`]) and places in them ([`Span`]);
//! - [`diagnostic`]: one structure for every message to the user ([`Diagnostic`]), and
//!   [`render`], the only code that knows how a message looks;
//! - [`prim`]: the twelve primitive types;
//! - [`stack`]: running deep recursion on a stack that is large enough;
//! - [`timing`]: how long the stages took.

pub mod diagnostic;
pub mod id;
pub mod id_map;
pub mod prim;
pub mod render;
pub mod source;
pub mod stack;
pub mod timing;

pub use diagnostic::{Diagnostic, Fix, Label, Severity};
pub use id::IdVec;
pub use id_map::IdMap;
pub use prim::Prim;
pub use source::{FileId, SourceFile, SourceMap, Span};
