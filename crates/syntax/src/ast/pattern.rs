//! Patterns.

use super::{Attr, AttrKind, Ident, Lit, NodeId, TypeExp};
use fehu_base::Span;

/// A pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct Pat {
    /// The node.
    pub id: NodeId,
    /// The place.
    pub span: Span,
    /// What it is.
    pub kind: PatKind,
}

impl Pat {
    /// Whether a type that is written in the pattern is as asked. All are asked for until one is.
    pub fn any_type<'a>(&'a self, asked: &mut dyn FnMut(&'a TypeExp) -> bool) -> bool {
        match &self.kind {
            PatKind::Ascribe(inner, ty) => inner.any_type(asked) || asked(ty),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => inner.any_type(asked),
            PatKind::Tuple(parts) | PatKind::Ctor(_, parts) => {
                parts.iter().any(|part| part.any_type(asked))
            }
            PatKind::Record(fields) => {
                fields.iter().filter_map(|f| f.pat.as_ref()).any(|pat| pat.any_type(asked))
            }
            PatKind::Var(_) | PatKind::Wildcard | PatKind::Lit(_) | PatKind::Error => false,
        }
    }

    /// Whether the whole of it is marked `#[stream]`.
    pub fn is_streamed(&self) -> bool {
        match &self.kind {
            PatKind::Attr(attr, inner) => {
                matches!(&attr.kind, AttrKind::Name(name) if name == "stream")
                    || inner.is_streamed()
            }
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => inner.is_streamed(),
            PatKind::Var(_)
            | PatKind::Wildcard
            | PatKind::Lit(_)
            | PatKind::Tuple(_)
            | PatKind::Record(_)
            | PatKind::Ctor(..)
            | PatKind::Error => false,
        }
    }
}

/// See [`Pat`].
#[derive(Clone, PartialEq, Debug)]
pub enum PatKind {
    /// `x`, or `(+)`
    Var(Ident),
    /// `_`
    Wildcard,
    /// A literal.
    Lit(PatLit),
    /// `(p)`
    Paren(Box<Pat>),
    /// `()` or `(p, q, ...)`: never exactly one.
    Tuple(Vec<Pat>),
    /// `{f = p, g}`
    Record(Vec<PatField>),
    /// `#c p q`
    Ctor(Ident, Vec<Pat>),
    /// `p : t`
    Ascribe(Box<Pat>, Box<TypeExp>),
    /// `#[attr] p`
    Attr(Attr, Box<Pat>),
    /// Text that was not understood; reported.
    Error,
}

/// A literal in a pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct PatLit {
    /// Whether a minus stands before it.
    pub negative: bool,
    /// The literal; never a string.
    pub lit: Lit,
}

/// `f = p`, or `f` alone, which binds `f`.
#[derive(Clone, PartialEq, Debug)]
pub struct PatField {
    /// The node; the variable's, in the short form.
    pub id: NodeId,
    /// The field.
    pub name: Ident,
    /// The pattern, if written.
    pub pat: Option<Pat>,
}
