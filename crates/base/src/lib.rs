//! What all stages share: ids, source locations, diagnostics and primitive types.
//!
//! This crate knows nothing about the grammar of the language or its compiler. It provides
//!
//! - [`id`]: typed indices ([`crate::define_id!`]), and vectors and side tables ([`id_map`]) keyed by them;
//! - [`source`]: files in memory ([`SourceMap`]) and locations in them ([`Span`]);
//! - [`diagnostic`]: a single structure for all messages to the user ([`Diagnostic`]), and
//!   [`render`], the only code that knows what a message looks like;
//! - [`bug`](mod@bug): places that do not know what to do;
//! - [`prim`]: the twelve primitive types, and [`platform`]: the languages of foreign functions;
//! - [`hash`]: names that do not collide;
//! - [`markup`]: text in pages;
//! - [`stack`]: running deep recursion on a sufficiently large stack;
//! - [`timing`]: how long the stages took.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod bug;
pub mod diagnostic;
pub mod hash;
pub mod id;
pub mod id_map;
pub mod markup;
pub mod platform;
pub mod prim;
pub mod render;
pub mod source;
pub mod stack;
pub mod timing;

pub use bug::{OrBug, bug};
pub use diagnostic::{Diagnostic, Fix, Label, Severity};
pub use id::IdVec;
pub use id_map::IdMap;
pub use platform::Platform;
pub use prim::Prim;
pub use source::{FileId, SourceFile, SourceMap, Span};
