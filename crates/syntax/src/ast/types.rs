//! Type expressions and type parameters.

use super::{Exp, Ident, NodeId, QualName};
use fehu_base::Span;

/// A type expression.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeExp {
    /// The node.
    pub id: NodeId,
    /// The place.
    pub span: Span,
    /// What it is.
    pub kind: TypeExpKind,
}

/// See [`TypeExp`].
#[derive(Clone, PartialEq, Debug)]
pub enum TypeExpKind {
    /// `t`, or `m.t [n] a` with arguments.
    Name(QualName, Vec<TypeArg>),
    /// `[e]t`, or `[]t`
    Array(Option<Box<Exp>>, Box<TypeExp>),
    /// `()` or `(a, b, ...)`: never exactly one.
    Tuple(Vec<TypeExp>),
    /// `{f: t, ...}`
    Record(Vec<(Ident, TypeExp)>),
    /// `#a t u | #b`
    Sum(Vec<(Ident, Vec<TypeExp>)>),
    /// `a -> b` or `(x: a) -> b`
    Fun(Option<Ident>, Box<TypeExp>, Box<TypeExp>),
    /// `*t`
    Unique(Box<TypeExp>),
    /// `?[n][m].t`
    Exists(Vec<TypeParam>, Box<TypeExp>),
    /// `(t)`
    Paren(Box<TypeExp>),
    /// Text that was not understood; reported.
    Error,
}

/// An argument of a type constructor.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeArg {
    /// `[e]`, or `[]`; with its place.
    Size(Option<Box<Exp>>, Span),
    /// A type.
    Type(TypeExp),
}

/// A type or size parameter, or a size bound by `let`, `loop` or `?`.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeParam {
    /// The node.
    pub id: NodeId,
    /// The place, brackets or apostrophe included.
    pub span: Span,
    /// Size or type.
    pub kind: TypeParamKind,
    /// The name.
    pub name: Ident,
}

/// See [`TypeParam`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeParamKind {
    /// `[n]`
    Size,
    /// `'a`, `'~a`, `'^a`
    Type(Lifted),
}

/// What values a type may have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lifted {
    /// `type t`, `'a`: values of one size, no functions.
    Unlifted,
    /// `type~ t`, `'~a`: sizes may differ between values.
    SizeLifted,
    /// `type^ t`, `'^a`: may contain functions.
    Lifted,
}
