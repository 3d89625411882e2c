//! The syntax tree.
//!
//! Trees own their children; every node that later stages talk about has a [`NodeId`], unique in
//! its file, under which they keep what they find out (types, resolved names) in side tables. The
//! tree says what was written, parentheses included, so that the formatter can print it again.
//!
//! Two shapes are flat on purpose, because generated programs make them long: a chain of `let`s is
//! one [`ExpKind::Let`] with many bindings, and an application has all its arguments.

mod module;
mod pattern;
mod types;

use ecow::EcoString;
use fehu_base::{Prim, Span, define_id};

pub use module::{
    Dec, DecKind, ModBind, ModExp, ModExpKind, ModParam, ModTypeBind, ModTypeExp, ModTypeExpKind,
    Spec, SpecKind, TypeBind, ValBind, ValKeyword,
};
pub use pattern::{Pat, PatField, PatKind, PatLit};
pub use types::{Lifted, TypeArg, TypeExp, TypeExpKind, TypeParam, TypeParamKind};

define_id!(
    /// A node of one file's tree.
    pub struct NodeId, "node"
);

/// A whole file.
#[derive(Clone, PartialEq, Debug)]
pub struct File {
    /// The documentation comment at the start of the file that belongs to no declaration.
    pub doc: Option<Doc>,
    /// The declarations in order.
    pub decs: Vec<Dec>,
    /// All comments in order of their place, documentation comments included.
    pub comments: Vec<Comment>,
    /// One more than the largest [`NodeId`].
    pub node_count: u32,
    /// For every declaration with a syntax error in it a node: its own, or one inside.
    pub broken: Vec<NodeId>,
}

/// A `--` comment, one line.
#[derive(Clone, PartialEq, Debug)]
pub struct Comment {
    /// From the `--` to the end of the line, without the line break.
    pub span: Span,
}

/// A documentation comment: `-- |` and the comment lines that follow it.
#[derive(Clone, PartialEq, Debug)]
pub struct Doc {
    /// The text without the comment signs, lines separated by line breaks.
    pub text: EcoString,
    /// From the first `--` to the end of the last line.
    pub span: Span,
}

/// A name as written: an identifier, an operator, or a field, which may be a number.
#[derive(Clone, PartialEq, Debug)]
pub struct Ident {
    /// The text, without parentheses or backticks.
    pub name: EcoString,
    /// The place.
    pub span: Span,
}

/// A name with qualifiers: `m.n.x`, `m.+`.
///
/// In expressions `a.b.c` is parsed as one qualified name, because only name resolution can tell
/// modules from records: some of the leading parts are modules, the rest are fields.
#[derive(Clone, PartialEq, Debug)]
pub struct QualName {
    /// The parts before the last dot.
    pub quals: Vec<Ident>,
    /// The last part.
    pub name: Ident,
    /// All of it.
    pub span: Span,
}

/// An attribute: `name`, `42`, or `name(a, b)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Attr {
    /// The place, without `#[` and `]`.
    pub span: Span,
    /// What it says.
    pub kind: AttrKind,
}

/// See [`Attr`].
#[derive(Clone, PartialEq, Debug)]
pub enum AttrKind {
    /// A name alone.
    Name(EcoString),
    /// A number.
    Int(i128),
    /// A name with arguments.
    Call(EcoString, Vec<Attr>),
}

/// A literal in an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Lit {
    /// An integer. Values that do not fit are reported by the lexer and kept as the maximum.
    Int {
        /// The value; never negative, as a sign is an operator.
        value: u128,
        /// The type suffix, an integer or a float type.
        suffix: Option<Prim>,
    },
    /// A decimal or hexadecimal floating-point number.
    Float {
        /// The value as the nearest `f64`.
        value: f64,
        /// The type suffix.
        suffix: Option<Prim>,
    },
    /// `true` or `false`.
    Bool(bool),
    /// `'x'`, an integer literal.
    Char(char),
    /// `"text"`, an array of bytes.
    String(EcoString),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Exp {
    /// The node.
    pub id: NodeId,
    /// The place.
    pub span: Span,
    /// What it is.
    pub kind: ExpKind,
}

/// See [`Exp`].
#[derive(Clone, PartialEq, Debug)]
pub enum ExpKind {
    /// A literal.
    Lit(Lit),
    /// `x`, `m.x`, `r.f`, `m.r.f.g`: see [`QualName`].
    Var(QualName),
    /// `???`
    Hole,
    /// `(e)`
    Paren(Box<Exp>),
    /// `()` or `(a, b, ...)`: never exactly one.
    Tuple(Vec<Exp>),
    /// `{f = e, g}`
    Record(Vec<RecordField>),
    /// `[a, b, ...]`
    Array(Vec<Exp>),
    /// `e.f` where `e` is not a plain qualified name.
    Project(Box<Exp>, Ident),
    /// `e[i, j:k]`
    Index(Box<Exp>, Vec<DimIndex>),
    /// `m.(e)`
    LocalOpen(QualName, Box<Exp>),
    /// `e : t`
    Ascribe(Box<Exp>, Box<TypeExp>),
    /// `e :> t`
    Coerce(Box<Exp>, Box<TypeExp>),
    /// `-e`
    Negate(Box<Exp>),
    /// `!e`
    Not(Box<Exp>),
    /// `a op b`, `` a `f` b ``, `a && b`, `a |> b`.
    BinOp(Box<BinOp>),
    /// `f a b`; at least one argument.
    Apply(Box<Exp>, Vec<Exp>),
    /// `#c a b`
    Ctor(Ident, Vec<Exp>),
    /// `a..b..<c`
    Range(Box<Range>),
    /// `if c then a else b`
    If(Box<[Exp; 3]>),
    /// `let p = e let f x = e let a[i] = e in body`
    Let(Vec<LetBind>, Box<Exp>),
    /// `\p q : t -> e`
    Lambda(Box<Lambda>),
    /// `loop p = e for i < n do body`
    Loop(Box<Loop>),
    /// `e with path = e`
    Update(Box<Update>),
    /// `match e case p -> e ...`
    Match(Box<Exp>, Vec<Case>),
    /// `assert cond e`
    Assert(Box<Exp>, Box<Exp>),
    /// `#[attr] e`
    Attr(Attr, Box<Exp>),
    /// `(+)`, `` (`f`) ``
    Section(Operator),
    /// `(e +)`
    SectionLeft(Box<Exp>, Operator),
    /// `(+ e)`
    SectionRight(Operator, Box<Exp>),
    /// `(.f[i].g)`; at least one step.
    SectionAccess(Vec<Access>),
    /// Text that was not understood; reported.
    Error,
}

/// An infix operator as written.
#[derive(Clone, PartialEq, Debug)]
pub struct Operator {
    /// The node, under which the operator's own type is kept.
    pub id: NodeId,
    /// Its name.
    pub name: QualName,
    /// Whether it is an ordinary name in backticks.
    pub backticks: bool,
}

/// See [`ExpKind::BinOp`].
#[derive(Clone, PartialEq, Debug)]
pub struct BinOp {
    /// The operator.
    pub op: Operator,
    /// Left operand.
    pub lhs: Exp,
    /// Right operand.
    pub rhs: Exp,
}

/// `f = e`, or `f` alone for `f = f`.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordField {
    /// The node; holds the resolved variable of the short form.
    pub id: NodeId,
    /// The field.
    pub name: Ident,
    /// The value, if written.
    pub value: Option<Exp>,
}

/// One position of an index: an index or a slice.
#[derive(Clone, PartialEq, Debug)]
pub enum DimIndex {
    /// `i`
    Fix(Exp),
    /// `start:end:step`, each optional.
    Slice {
        /// First index.
        start: Option<Box<Exp>>,
        /// One past the last.
        end: Option<Box<Exp>>,
        /// Stride.
        step: Option<Box<Exp>>,
        /// The place.
        span: Span,
    },
}

/// A step into a value: `.f` or `[i, j]`.
#[derive(Clone, PartialEq, Debug)]
pub enum Access {
    /// `.f`
    Field(Ident),
    /// `[i, j]`, with its place.
    Index(Vec<DimIndex>, Span),
}

/// See [`ExpKind::Range`].
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    /// First element.
    pub start: Exp,
    /// Second element.
    pub second: Option<Exp>,
    /// How the end is meant.
    pub kind: RangeKind,
    /// The end.
    pub end: Exp,
}

/// The end of a range.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RangeKind {
    /// `...`
    Inclusive,
    /// `..<`
    UpTo,
    /// `..>`
    DownTo,
}

/// One binding of a `let` chain.
#[derive(Clone, PartialEq, Debug)]
pub struct LetBind {
    /// The node.
    pub id: NodeId,
    /// From `let` to the end of the bound expression.
    pub span: Span,
    /// What it binds.
    pub kind: LetKind,
}

/// See [`LetBind`].
#[derive(Clone, PartialEq, Debug)]
pub enum LetKind {
    /// `let [n] p = e`
    Pat {
        /// The sizes bound.
        sizes: Vec<TypeParam>,
        /// The pattern.
        pat: Pat,
        /// The value.
        value: Exp,
    },
    /// `let f 'a [n] p q : t = e`; at least one parameter.
    Fun {
        /// The function's name.
        name: Ident,
        /// Type and size parameters.
        type_params: Vec<TypeParam>,
        /// Value parameters.
        params: Vec<Pat>,
        /// The result type.
        ret: Option<TypeExp>,
        /// The body.
        body: Exp,
    },
    /// `let x.f[i] = e`, which rebinds `x`.
    Update {
        /// The variable.
        name: Ident,
        /// The place in it; at least one step.
        path: Vec<Access>,
        /// The new value.
        value: Exp,
    },
}

/// See [`ExpKind::Lambda`].
#[derive(Clone, PartialEq, Debug)]
pub struct Lambda {
    /// The parameters; at least one.
    pub params: Vec<Pat>,
    /// The result type.
    pub ret: Option<TypeExp>,
    /// The body.
    pub body: Exp,
}

/// See [`ExpKind::Loop`].
#[derive(Clone, PartialEq, Debug)]
pub struct Loop {
    /// The sizes bound: `loop [n] (xs: [n]t) = ...`.
    pub sizes: Vec<TypeParam>,
    /// The loop parameters.
    pub pat: Pat,
    /// Their initial values; without it, the variables of the same names.
    pub init: Option<Exp>,
    /// How often.
    pub form: LoopForm,
    /// The body.
    pub body: Exp,
}

/// How a loop runs.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopForm {
    /// `for i < n`; the node is the index variable's.
    For(NodeId, Ident, Exp),
    /// `for p in e`
    ForIn(Pat, Exp),
    /// `while c`
    While(Exp),
}

/// See [`ExpKind::Update`].
#[derive(Clone, PartialEq, Debug)]
pub struct Update {
    /// What is updated.
    pub base: Exp,
    /// The place in it; at least one step.
    pub path: Vec<Access>,
    /// The new value.
    pub value: Exp,
}

/// `case p -> e`
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// From `case` to the end of the body.
    pub span: Span,
    /// The pattern.
    pub pat: Pat,
    /// The result.
    pub body: Exp,
}
