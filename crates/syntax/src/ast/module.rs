//! Declarations, modules and module types.

use super::{Attr, Doc, Exp, Ident, Lifted, NodeId, Pat, QualName, TypeExp, TypeParam};
use ecow::EcoString;
use fehu_base::Span;

/// A declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct Dec {
    /// The node.
    pub id: NodeId,
    /// The place, without documentation and attributes.
    pub span: Span,
    /// Its documentation.
    pub doc: Option<Doc>,
    /// Its attributes.
    pub attrs: Vec<Attr>,
    /// What it declares.
    pub kind: DecKind,
}

/// See [`Dec`].
#[derive(Clone, PartialEq, Debug)]
pub enum DecKind {
    /// `def f x = e`
    Val(Box<ValBind>),
    /// `type t 'a = ...`
    Type(TypeBind),
    /// `module m = ...`
    Module(ModBind),
    /// `module type m = ...`
    ModuleType(ModTypeBind),
    /// `open m`
    Open(ModExp),
    /// `import "file"`, with the place of the string.
    Import(EcoString, Span),
    /// `local dec`
    Local(Box<Dec>),
    /// Text that was not understood; reported.
    Error,
}

/// The keyword of a value binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValKeyword {
    /// `def`
    Def,
    /// `let`, deprecated at top level
    Let,
    /// `entry`
    Entry,
}

/// `def f 'a [n] p q : t = e`
#[derive(Clone, PartialEq, Debug)]
pub struct ValBind {
    /// Which keyword.
    pub keyword: ValKeyword,
    /// The name, which may be an operator.
    pub name: Ident,
    /// Whether it was written `def p op q = ...`; then there are two parameters.
    pub infix: bool,
    /// Type and size parameters.
    pub type_params: Vec<TypeParam>,
    /// Value parameters.
    pub params: Vec<Pat>,
    /// The result type.
    pub ret: Option<TypeExp>,
    /// The body.
    pub body: Exp,
}

/// `type t 'a [n] = ...`
#[derive(Clone, PartialEq, Debug)]
pub struct TypeBind {
    /// `type`, `type~` or `type^`.
    pub lifted: Lifted,
    /// The name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<TypeParam>,
    /// Its meaning.
    pub body: TypeExp,
}

/// `module m (P: mt) : mt = me`
#[derive(Clone, PartialEq, Debug)]
pub struct ModBind {
    /// The name.
    pub name: Ident,
    /// Parameters, which make it parametric.
    pub params: Vec<ModParam>,
    /// The ascribed module type.
    pub ty: Option<ModTypeExp>,
    /// The module.
    pub body: ModExp,
}

/// `(P: mt)`
#[derive(Clone, PartialEq, Debug)]
pub struct ModParam {
    /// The node.
    pub id: NodeId,
    /// The place, parentheses included.
    pub span: Span,
    /// The name.
    pub name: Ident,
    /// Its module type.
    pub ty: ModTypeExp,
}

/// `module type mt = ...`
#[derive(Clone, PartialEq, Debug)]
pub struct ModTypeBind {
    /// The name.
    pub name: Ident,
    /// Its meaning.
    pub body: ModTypeExp,
}

/// A module expression.
#[derive(Clone, PartialEq, Debug)]
pub struct ModExp {
    /// The node.
    pub id: NodeId,
    /// The place.
    pub span: Span,
    /// What it is.
    pub kind: ModExpKind,
}

/// See [`ModExp`].
#[derive(Clone, PartialEq, Debug)]
pub enum ModExpKind {
    /// `m`, `m.n`
    Name(QualName),
    /// `(me)`
    Paren(Box<ModExp>),
    /// `{ decs }`
    Decs(Vec<Dec>),
    /// `import "file"`, with the place of the string.
    Import(EcoString, Span),
    /// `me : mt`
    Ascribe(Box<ModExp>, Box<ModTypeExp>),
    /// `f m`
    Apply(Box<ModExp>, Box<ModExp>),
    /// `\(P: mt) : mt -> me`
    Lambda(Box<ModParam>, Option<Box<ModTypeExp>>, Box<ModExp>),
    /// Text that was not understood; reported.
    Error,
}

/// A module type expression.
#[derive(Clone, PartialEq, Debug)]
pub struct ModTypeExp {
    /// The node.
    pub id: NodeId,
    /// The place.
    pub span: Span,
    /// What it is.
    pub kind: ModTypeExpKind,
}

/// See [`ModTypeExp`].
#[derive(Clone, PartialEq, Debug)]
pub enum ModTypeExpKind {
    /// `mt`
    Name(QualName),
    /// `(mt)`
    Paren(Box<ModTypeExp>),
    /// `{ specs }`
    Specs(Vec<Spec>),
    /// `mt with t 'a = ty`
    With(Box<ModTypeExp>, QualName, Vec<TypeParam>, TypeExp),
    /// `mt -> mt`, `(P: mt) -> mt`
    Arrow(Option<Ident>, Box<ModTypeExp>, Box<ModTypeExp>),
    /// Text that was not understood; reported.
    Error,
}

/// A part of a module type.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    /// The node.
    pub id: NodeId,
    /// The place, without documentation and attributes.
    pub span: Span,
    /// Its documentation.
    pub doc: Option<Doc>,
    /// Its attributes.
    pub attrs: Vec<Attr>,
    /// What it asks for.
    pub kind: SpecKind,
}

/// See [`Spec`].
#[derive(Clone, PartialEq, Debug)]
pub enum SpecKind {
    /// `val f 'a [n] : t`
    Val {
        /// The name, which may be an operator.
        name: Ident,
        /// Type and size parameters.
        type_params: Vec<TypeParam>,
        /// The type.
        ty: TypeExp,
    },
    /// `type t 'a [n]`
    TypeAbstract {
        /// `type`, `type~` or `type^`.
        lifted: Lifted,
        /// The name.
        name: Ident,
        /// Its parameters.
        params: Vec<TypeParam>,
    },
    /// `type t 'a = ...`
    Type(TypeBind),
    /// `module m : mt`
    Module(Ident, ModTypeExp),
    /// `include mt`
    Include(ModTypeExp),
    /// Text that was not understood; reported.
    Error,
}
