//! The trees of a session: each input is a file that opens the one before it.
//!
//! Thus a name can be declared again, and what was declared with the old one goes on to mean it. That
//! every input opens all earlier ones makes checking a session quadratic in the number of names, with a
//! very small factor: a thousand of them are milliseconds.

use ecow::EcoString;
use fehu_base::{FileId, Span};
use fehu_syntax::ast::{Dec, DecKind, File, ModExp, ModExpKind, NodeId};

/// The import that leads to the input before. No file has such a name.
pub(super) const PREVIOUS: &str = "\0previous";

/// The name of what holds the value of an expression. No program can name it.
pub(super) const VALUE: &str = "the expression";

/// Makes a tree a part of a session.
pub(super) fn unit(file: FileId, mut tree: File) -> File {
    export_all(&mut tree);
    open_previous(file, &mut tree);
    tree
}

/// Makes what is visible to the rest of a file visible to later inputs: imports are opened, and
/// `local` declarations are not local.
pub(super) fn export_all(tree: &mut File) {
    let mut decs = std::mem::take(&mut tree.decs);
    for dec in &mut decs {
        while let DecKind::Local(inner) = &mut dec.kind {
            let inner = std::mem::replace(&mut **inner, nothing(dec.span));
            *dec = inner;
        }
        if let DecKind::Import(name, span) = &dec.kind {
            let kind = ModExpKind::Import(name.clone(), *span);
            let module = ModExp { id: node(tree), span: *span, kind };
            dec.kind = DecKind::Open(module);
        }
    }
    tree.decs = decs;
}

fn open_previous(file: FileId, tree: &mut File) {
    let span = Span::new(file, 0, 0);
    let kind = ModExpKind::Import(EcoString::from(PREVIOUS), span);
    let module = ModExp { id: node(tree), span, kind };
    let kind = DecKind::Open(module);
    let dec = Dec { id: node(tree), span, doc: None, attrs: Vec::new(), kind };
    tree.decs.insert(0, dec);
}

fn nothing(span: Span) -> Dec {
    Dec { id: NodeId(0), span, doc: None, attrs: Vec::new(), kind: DecKind::Error }
}

fn node(tree: &mut File) -> NodeId {
    let id = NodeId(tree.node_count);
    tree.node_count += 1;
    id
}
