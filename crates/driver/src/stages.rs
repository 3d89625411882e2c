//! The calls of the other crates, one function each: the only place where stages are wired.

use crate::load::Loaded;
use fehu_base::{Diagnostic, FileId, SourceMap};
pub use fehu_check::Depth;
use fehu_check::program::Program;
use fehu_check::{Role, Unit};
use fehu_syntax::ast;

/// Text to tree.
pub fn parse(file: FileId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    fehu_syntax::parse(file, text)
}

/// Text of the prelude to tree, without the bodies of modules that have a module type.
pub fn parse_signatures(file: FileId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    fehu_syntax::parse_signatures(file, text)
}

/// Trees to a typed program.
pub fn check(loaded: &Loaded, sources: &SourceMap, depth: Depth) -> (Program, Vec<Diagnostic>) {
    let mut units = Vec::with_capacity(loaded.files.len());
    for (index, file) in loaded.files.iter().enumerate() {
        let role = match () {
            () if Some(index) == loaded.intrinsics => Role::Intrinsics,
            () if Some(index) == loaded.prelude => Role::PreludeRoot,
            () if Some(index) == loaded.root => Role::Root,
            () if file.in_prelude => Role::Prelude,
            () => Role::Library,
        };
        let imports = file
            .imports
            .iter()
            .filter_map(|import| Some((import.name.clone(), import.target?)))
            .collect();
        units.push(Unit { id: file.id, ast: &file.ast, imports, role });
    }
    fehu_check::check(sources, &units, depth)
}

/// Tree to formatted text.
pub fn format(tree: &ast::File, text: &str) -> String {
    fehu_syntax::fmt::format(text, tree)
}
