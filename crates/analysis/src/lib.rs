//! Questions that people have about a program while they write it: what is this, where is it defined, who uses it, what could
//! stand here.
//!
//! Everything is a function of a [`View`]: the texts and trees of a program, and what the checker found out about them. Trees may
//! have error nodes, and the checker may have refused parts of the program. Answers are places and texts of ours; no protocol is
//! in here, no files and no threads, so that the language server, commands, sessions and the browser can ask the same questions.
//!
//! - [`position`]: lines and columns as editors count them;
//! - [`tree`]: the nodes of a tree in a uniform way, and those around a place;
//! - [`index`]: every name of a file with what it refers to; [`declared`]: where things are declared, with documentation;
//! - [`hover`], [`hints`], [`signature`], [`complete`] (with [`scope`]), [`symbols`], [`paint`], [`ranges`], [`rename`]: one
//!   question each.
//!
//! The functions recurse over trees: call them inside [`fehu_base::stack::with_large_stack`].

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod complete;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a question is about some kinds of nodes; all others have nothing to say to it"
)]
pub mod declared;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a question is about some kinds of nodes; all others have nothing to say to it"
)]
pub mod hints;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a question is about some kinds of nodes; all others have nothing to say to it"
)]
pub mod hover;
pub mod index;
pub mod paint;
pub mod position;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a question is about some kinds of nodes; all others have nothing to say to it"
)]
pub mod ranges;
pub mod rename;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a question is about some kinds of nodes; all others have nothing to say to it"
)]
pub mod scope;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a question is about some kinds of nodes; all others have nothing to say to it"
)]
pub mod signature;
pub mod symbols;
pub mod tree;

use fehu_base::{FileId, SourceMap, Span};
use fehu_check::program::{Program, Tables};
use fehu_syntax::ast;

/// A program to ask questions about.
pub struct View<'a> {
    /// The texts.
    pub sources: &'a SourceMap,
    /// What the checker knows.
    pub program: &'a Program,
    /// The files, each after those that it imports.
    pub units: Vec<Unit<'a>>,
}

/// A file of a [`View`].
pub struct Unit<'a> {
    /// Its text's id.
    pub id: FileId,
    /// Its tree.
    pub ast: &'a ast::File,
    /// The places of the strings in its imports, and the files that they lead to.
    pub imports: Vec<(Span, FileId)>,
    /// Whether it is part of the prelude.
    pub in_prelude: bool,
}

impl<'a> View<'a> {
    /// The file with this id.
    pub fn unit(&self, file: FileId) -> Option<&Unit<'a>> {
        self.units.iter().find(|unit| unit.id == file)
    }

    /// The tree of a file.
    pub fn ast(&self, file: FileId) -> Option<&'a ast::File> {
        self.unit(file).map(|unit| unit.ast)
    }

    /// What the checker knows about the nodes of a file.
    pub fn tables(&self, file: FileId) -> Option<&'a Tables> {
        self.program.files.get(&file)
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &'a str {
        self.sources.text(span)
    }
}
