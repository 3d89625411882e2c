//! The colours of a text: each token and comment with what it means.

use crate::View;
use crate::index::{Index, Occurrence};
use fehu_base::{FileId, Span};
use fehu_check::program::{Target, VarKind};
use fehu_check::ty::Ty;
use fehu_syntax::lexeme::{Class, lexemes};

/// A token with its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Painted {
    /// The place, on one line.
    pub span: Span,
    /// What it is.
    pub paint: Paint,
    /// Whether it is declared here.
    pub definition: bool,
    /// Whether it is part of the prelude, or of the compiler.
    pub library: bool,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    /// A module.
    Module,
    /// A type.
    Type,
    /// A type parameter.
    TypeParameter,
    /// A module type.
    ModuleType,
    /// A parameter of a function.
    Parameter,
    /// A variable.
    Variable,
    /// A size parameter.
    Size,
    /// A field of a record.
    Field,
    /// A constructor.
    Constructor,
    /// A function.
    Function,
    /// A reserved word.
    Keyword,
    /// A number, or a character, which is one.
    Number,
    /// A string.
    String,
    /// An operator.
    Operator,
    /// A comment.
    Comment,
    /// A word of an attribute.
    Attribute,
}

/// The tokens of a file in order; brackets and the like are left out.
pub fn paint(view: &View<'_>, index: &Index, file: FileId) -> Vec<Painted> {
    let text = &view.sources.file(file).text;
    let mut all = Vec::new();
    // How many brackets of an attribute are open.
    let mut attribute = 0usize;
    for lexeme in lexemes(file, text) {
        let span = lexeme.span;
        let word = view.text(span);
        attribute = match (attribute, word) {
            (_, "#[") => 1,
            (0, _) => 0,
            (depth, "(" | "[") => depth + 1,
            (depth, ")" | "]") => depth - 1,
            (depth, _) => depth,
        };
        let plain = |paint| Some(Painted { span, paint, definition: false, library: false });
        let painted = match lexeme.class {
            Class::Name if attribute > 0 => plain(Paint::Attribute),
            Class::Name if word == "_" => None,
            Class::Name => match index.starting_at(span.start) {
                Some(found) => Some(of_name(view, found)),
                None => plain(unresolved(text, span)),
            },
            Class::Operator => match index.starting_at(span.start) {
                Some(found) => {
                    Some(Painted { paint: Paint::Operator, span, ..of_name(view, found) })
                }
                None => plain(Paint::Operator),
            },
            Class::Keyword => plain(Paint::Keyword),
            Class::Constructor => plain(Paint::Constructor),
            Class::Number | Class::Character => plain(Paint::Number),
            Class::String => plain(Paint::String),
            Class::Comment => plain(Paint::Comment),
            Class::Punctuation | Class::Bad => None,
        };
        all.extend(painted);
    }
    all
}

/// A name that was not resolved: a field, if a dot is before it, or `=` or `:` behind it in a record.
fn unresolved(text: &str, span: Span) -> Paint {
    let before = text.get(..span.start as usize).unwrap_or("").trim_end();
    match before.ends_with(['.', '{', ',']) {
        true => Paint::Field,
        false => Paint::Variable,
    }
}

fn of_name(view: &View<'_>, found: &Occurrence) -> Painted {
    let place = crate::index::place(view.program, found.target);
    let in_prelude = |place: Span| view.unit(place.file).is_some_and(|unit| unit.in_prelude);
    let library = place.is_none_or(in_prelude);
    let paint = match found.target {
        Target::Type(Some(place)) if before(view, place) == Some('\'') => Paint::TypeParameter,
        Target::Type(_) => Paint::Type,
        Target::ModType(_) => Paint::ModuleType,
        Target::Var(var) => {
            let info = &view.program.vars[var];
            let function = || info.scheme.as_ref().is_some_and(|s| matches!(s.ty, Ty::Fun(_)));
            match info.kind {
                VarKind::Module => Paint::Module,
                VarKind::SizeParam => Paint::Size,
                _ if function() => Paint::Function,
                VarKind::Param | VarKind::TypeName => Paint::Parameter,
                VarKind::Global
                | VarKind::Builtin
                | VarKind::Local
                | VarKind::Ext
                | VarKind::Anonymous
                | VarKind::Unknown(_) => Paint::Variable,
            }
        }
    };
    Painted { span: found.span, paint, definition: found.definition, library }
}

/// The sign before a type parameter, if this is one: `'`, also in `'~a` and `'^a`.
fn before(view: &View<'_>, place: Span) -> Option<char> {
    let text = view.sources.file(place.file).text.get(..place.start as usize)?;
    text.trim_end_matches(['~', '^']).chars().next_back()
}
