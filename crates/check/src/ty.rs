//! Types, sizes and type schemes as the checker knows them.
//!
//! A [`Ty`] is structural; abbreviations are expanded when a type expression is read. Only abstract
//! types and type parameters are nominal ([`Ty::Con`]). Tuples are records with fields `0`, `1`, ...
//!
//! A [`Size`] is a term over variables. Two sizes are equal if they are equal as polynomials, with
//! everything that is not arithmetic compared by its shape: see [`crate::size`].
//!
//! The first phase of inference ([`crate::infer`]) looks at types without their sizes and knows
//! [`Ty::Meta`]; the second ([`crate::size`]) adds the sizes and knows [`Size::Meta`]. A finished
//! type has neither.

mod code;
mod print;
pub mod small_map;
mod subst;

pub use code::{Code, Part};
use ecow::EcoString;
use fehu_base::{Prim, define_id};
pub use fehu_syntax::ast::{Lifted, RangeKind};
pub use print::Printer;
pub use small_map::SmallMap;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
pub use subst::{Subst, TypeFn, TypeFnParam};

define_id!(
    /// Anything bound in the term namespace, and every size that has no name of its own.
    pub struct VarId, "v"
);
define_id!(
    /// A nominal type: an abstract type or a type parameter.
    pub struct TypeId, "t"
);
define_id!(
    /// A type still to be found in the first phase.
    pub struct Meta, "?t"
);
define_id!(
    /// A size still to be found in the second phase.
    pub struct SizeMeta, "?n"
);

/// A type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ty {
    /// A primitive type.
    Prim(Prim),
    /// `[n]t`
    Array(Size, Arc<Ty>),
    /// `{f: t, ...}` and tuples; sorted by [`field_order`].
    Record(Arc<[(EcoString, Ty)]>),
    /// `#a t u | #b`; sorted by name.
    Sum(Arc<[(EcoString, Vec<Ty>)]>),
    /// `a -> b`
    Fun(Arc<FunTy>),
    /// An abstract type or type parameter with its arguments.
    Con(TypeId, Arc<[Arg]>),
    /// To be found by the first phase.
    Meta(Meta),
    /// `*t`. Only in type expressions and in results of functions, where it says which parts are
    /// fresh; everywhere else it has been taken off.
    Unique(Arc<Ty>),
    /// The type of something that was already reported; agrees with every type.
    Error,
}

/// `(x: param) -> ?[exts]. ret`
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunTy {
    /// The parameter's name, in scope in the sizes of `ret`.
    pub name: Option<VarId>,
    /// Whether the argument is consumed.
    pub consumes: bool,
    /// The parameter's type, without `*`.
    pub param: Ty,
    /// The sizes that are only known when the function returns.
    pub exts: Vec<VarId>,
    /// The result; may contain [`Ty::Unique`].
    pub ret: Ty,
}

/// An argument of a nominal type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arg {
    /// For a size parameter.
    Size(Size),
    /// For a type parameter.
    Type(Ty),
}

/// A size: a term of type i64, or a part of one, which may have any type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Size {
    /// A number.
    Const(i64),
    /// A variable.
    Var(VarId),
    /// To be found by the second phase.
    Meta(SizeMeta),
    /// `a + b`
    Add(Arc<[Size; 2]>),
    /// `a - b`
    Sub(Arc<[Size; 2]>),
    /// `a * b`
    Mul(Arc<[Size; 2]>),
    /// Anything else.
    Term(Arc<Term>),
    /// No size at all: the types of the first phase before sizes are known.
    Any,
}

/// A term that is not arithmetic.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// What it does.
    pub head: Head,
    /// To what.
    pub args: Vec<Size>,
}

/// See [`Term`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Head {
    /// `args[0] args[1] ...`
    Apply,
    /// A built-in or user operator that is not one of `+ - *` on i64; the operands are `args`.
    Op(EcoString),
    /// A literal, as its text.
    Lit(EcoString),
    /// A number of a known type other than i64, as its text.
    Number(EcoString, Prim),
    /// `args[0].field`
    Project(EcoString),
    /// `args[0][args[1], ...]`
    Index,
    /// `args[0][...]` with slices; the parts that are written are the other `args`.
    Slice(Vec<TermDim>),
    /// `a..<b`, with `true` for `a..b..<c`.
    Range(RangeKind, bool),
    /// `(op e)`, with the operator as `args[0]`.
    SectionRight,
    /// `(a, b, ...)`, or a record with the fields named.
    Record(Vec<EcoString>),
    /// `[a, b, ...]`
    Array(Elem),
    /// `if a then b else c`
    If,
    /// `#c a b`
    Ctor(EcoString),
    /// `(.f[i])`; the parts of the indices that are written are the `args`.
    Access(Vec<TermStep>),
    /// `args[0] with .f[i] = args[1]`; the parts of the indices are the other `args`.
    Update(Vec<TermStep>),
    /// `???`
    Hole,
    /// An expression that binds names; its free variables are the `args`.
    Code(Arc<Code>),
}

/// A step of [`Head::Access`] and [`Head::Update`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TermStep {
    /// `.f`
    Field(EcoString),
    /// `[i, j:k]`
    Index(Vec<TermDim>),
}

/// A dimension of [`Head::Slice`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TermDim {
    /// An index.
    Fix,
    /// Whether the start, the end and the step of a slice are written.
    Slice([bool; 3]),
}

/// What the elements of an array without elements are, if that is known: a type of scalars. Terms are compared by their form,
/// and this is no part of it.
#[derive(Clone, Debug)]
pub struct Elem(pub Option<Ty>);

impl PartialEq for Elem {
    fn eq(&self, _: &Elem) -> bool {
        true
    }
}

impl Eq for Elem {}

impl PartialOrd for Elem {
    fn partial_cmp(&self, other: &Elem) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Elem {
    fn cmp(&self, _: &Elem) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Elem {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A type with parameters that each use may choose.
#[derive(Clone, PartialEq, Debug)]
pub struct Scheme {
    /// The size parameters.
    pub sizes: Vec<VarId>,
    /// The type parameters.
    pub types: Vec<SchemeType>,
    /// The type.
    pub ty: Ty,
}

/// A type parameter of a scheme.
#[derive(Clone, PartialEq, Debug)]
pub struct SchemeType {
    /// The parameter.
    pub id: TypeId,
    /// What it may be instantiated with.
    pub lifted: Lifted,
    /// The further condition of a built-in operator.
    pub needs: Needs,
}

/// What a type must be able to do: the conditions of overloaded operators and literals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Anything.
    Nothing,
    /// To be compared for equality: no functions.
    Equality,
    /// To be one of these primitive types.
    OneOf(PrimSet),
}

/// A set of primitive types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrimSet(u16);

impl PrimSet {
    /// i8 to i64.
    pub const SIGNED: PrimSet = PrimSet(0b0000_0000_1111);
    /// i8 to u64.
    pub const INTEGER: PrimSet = PrimSet(0b0000_1111_1111);
    /// f16 to f64.
    pub const FLOAT: PrimSet = PrimSet(0b0111_0000_0000);
    /// All but bool.
    pub const NUMERIC: PrimSet = PrimSet(0b0111_1111_1111);
    /// Integers and bool.
    pub const BITS: PrimSet = PrimSet(0b1000_1111_1111);
    /// All.
    pub const ALL: PrimSet = PrimSet(0b1111_1111_1111);

    /// Whether `prim` is in the set.
    pub fn contains(self, prim: Prim) -> bool {
        self.0 & (1 << prim as u16) != 0
    }

    /// What both have.
    pub fn and(self, other: PrimSet) -> PrimSet {
        PrimSet(self.0 & other.0)
    }

    /// Whether nothing is left.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The only type in the set, if it has one.
    pub fn single(self) -> Option<Prim> {
        let mut all = self.iter();
        match (all.next(), all.next()) {
            (Some(prim), None) => Some(prim),
            _ => None,
        }
    }

    /// The types in the set.
    pub fn iter(self) -> impl Iterator<Item = Prim> {
        Prim::ALL.into_iter().filter(move |&p| self.contains(p))
    }
}

/// Where in a sequence an element is. Nothing in a program is of this type: it makes a sequence of a function
/// type, and so a sequence obeys the rules for functions without anything being said about it. It is not in arrays, not chosen by
/// `if`, not handed on by loops; the sizes of its elements may differ from one to the next as the sizes of a function's
/// results do from call to call. Only the operators of the module `seq` can read the elements.
pub const POSITION: TypeId = TypeId(0);
/// The parameter of the type `seq`.
pub const SEQ_ELEMENT: TypeId = TypeId(1);

impl Ty {
    /// `seq elem`; the sizes in `exts` differ from element to element.
    pub fn seq(exts: Vec<VarId>, elem: Ty) -> Ty {
        let param = Ty::Con(POSITION, Arc::new([]));
        Ty::Fun(Arc::new(FunTy { name: None, consumes: false, param, exts, ret: elem }))
    }

    /// If it is a sequence: the sizes that differ from element to element, and the type of the elements.
    pub fn as_seq(&self) -> Option<&FunTy> {
        match self {
            Ty::Fun(fun) if fun.is_seq() => Some(fun),
            Ty::Unique(inner) => inner.as_seq(),
            Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Record(_)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Con(..)
            | Ty::Meta(_)
            | Ty::Error => None,
        }
    }

    /// The type i64 of sizes.
    pub const I64: Ty = Ty::Prim(Prim::I64);
    /// The type of conditions.
    pub const BOOL: Ty = Ty::Prim(Prim::Bool);

    /// `[size]elem`
    pub fn array(size: Size, elem: Ty) -> Ty {
        Ty::Array(size, Arc::new(elem))
    }

    /// The tuple of these types.
    pub fn tuple(parts: impl IntoIterator<Item = Ty>) -> Ty {
        Ty::Record(parts.into_iter().enumerate().map(|(i, t)| (tuple_field(i), t)).collect())
    }

    /// The record of these fields, in any order.
    pub fn record(mut fields: Vec<(EcoString, Ty)>) -> Ty {
        fields.sort_by(|a, b| field_order(&a.0, &b.0));
        Ty::Record(fields.into())
    }

    /// The sum of these constructors, in any order.
    pub fn sum(mut ctors: Vec<(EcoString, Vec<Ty>)>) -> Ty {
        ctors.sort_by(|a, b| a.0.cmp(&b.0));
        Ty::Sum(ctors.into())
    }

    /// `param -> ret`, unnamed and observing.
    pub fn fun(param: Ty, ret: Ty) -> Ty {
        Ty::Fun(Arc::new(FunTy { name: None, consumes: false, param, exts: Vec::new(), ret }))
    }

    /// Whether the type has unknowns of the first phase.
    pub fn has_meta(&self) -> bool {
        match self {
            Ty::Prim(_) | Ty::Error => false,
            Ty::Meta(_) => true,
            Ty::Array(_, inner) | Ty::Unique(inner) => inner.has_meta(),
            Ty::Record(fields) => fields.iter().any(|(_, t)| t.has_meta()),
            Ty::Sum(ctors) => ctors.iter().any(|(_, ts)| ts.iter().any(Ty::has_meta)),
            Ty::Fun(fun) => fun.param.has_meta() || fun.ret.has_meta(),
            Ty::Con(_, args) => args.iter().any(|arg| match arg {
                Arg::Size(_) => false,
                Arg::Type(ty) => ty.has_meta(),
            }),
        }
    }

    /// The type without `*` at its top.
    pub fn unwrap_unique(&self) -> &Ty {
        match self {
            Ty::Unique(inner) => inner.unwrap_unique(),
            other @ (Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Record(_)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Con(..)
            | Ty::Meta(_)
            | Ty::Error) => other,
        }
    }

    /// Whether it is a record or tuple with this field, and the field's type.
    pub fn field(&self, name: &str) -> Option<&Ty> {
        match self.unwrap_unique() {
            Ty::Record(fields) => fields.iter().find(|(f, _)| f == name).map(|(_, t)| t),
            Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Con(..)
            | Ty::Meta(_)
            | Ty::Unique(_)
            | Ty::Error => None,
        }
    }

    /// Whether the record is a tuple: fields `0`, `1`, ..., and not exactly one.
    pub fn is_tuple(fields: &[(EcoString, Ty)]) -> bool {
        fields.len() != 1 && fields.iter().enumerate().all(|(i, (f, _))| *f == tuple_field(i))
    }

    /// The number of outer array dimensions.
    pub fn rank(&self) -> usize {
        match self {
            Ty::Array(_, elem) => 1 + elem.rank(),
            Ty::Unique(inner) => inner.rank(),
            Ty::Prim(_)
            | Ty::Record(_)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Con(..)
            | Ty::Meta(_)
            | Ty::Error => 0,
        }
    }
}

impl FunTy {
    /// Whether it is the type of sequences: see [`POSITION`].
    pub fn is_seq(&self) -> bool {
        matches!(&self.param, Ty::Con(id, _) if *id == POSITION)
    }
}

impl Size {
    /// `a + b`
    pub fn plus(a: Size, b: Size) -> Size {
        Size::Add(Arc::new([a, b]))
    }

    /// `a - b`
    pub fn minus(a: Size, b: Size) -> Size {
        Size::Sub(Arc::new([a, b]))
    }

    /// `a * b`
    pub fn times(a: Size, b: Size) -> Size {
        Size::Mul(Arc::new([a, b]))
    }

    /// A term that is not arithmetic.
    pub fn term(head: Head, args: Vec<Size>) -> Size {
        Size::Term(Arc::new(Term { head, args }))
    }

    /// The size with its direct parts replaced by what `f` makes of them.
    pub fn map_parts(&self, f: &mut dyn FnMut(&Size) -> Size) -> Size {
        let mut both = |ab: &[Size; 2]| [f(&ab[0]), f(&ab[1])].into();
        match self {
            Size::Add(ab) => Size::Add(both(ab)),
            Size::Sub(ab) => Size::Sub(both(ab)),
            Size::Mul(ab) => Size::Mul(both(ab)),
            Size::Term(term) => Size::term(term.head.clone(), term.args.iter().map(f).collect()),
            Size::Const(_) | Size::Var(_) | Size::Meta(_) | Size::Any => self.clone(),
        }
    }

    /// Calls `f` with every variable in the size.
    pub fn for_each_var(&self, f: &mut dyn FnMut(VarId)) {
        match self {
            Size::Var(v) => f(*v),
            Size::Add(ab) | Size::Sub(ab) | Size::Mul(ab) => {
                ab[0].for_each_var(f);
                ab[1].for_each_var(f);
            }
            Size::Term(term) => term.args.iter().for_each(|a| a.for_each_var(f)),
            Size::Const(_) | Size::Meta(_) | Size::Any => {}
        }
    }

    /// Calls `f` with every meta in the size.
    pub fn for_each_meta(&self, f: &mut dyn FnMut(SizeMeta)) {
        match self {
            Size::Meta(m) => f(*m),
            Size::Add(ab) | Size::Sub(ab) | Size::Mul(ab) => {
                ab[0].for_each_meta(f);
                ab[1].for_each_meta(f);
            }
            Size::Term(term) => term.args.iter().for_each(|a| a.for_each_meta(f)),
            Size::Const(_) | Size::Var(_) | Size::Any => {}
        }
    }
}

impl Scheme {
    /// A type without parameters.
    pub fn mono(ty: Ty) -> Scheme {
        Scheme { sizes: Vec::new(), types: Vec::new(), ty }
    }

    /// Whether there is nothing to instantiate.
    pub fn is_mono(&self) -> bool {
        self.sizes.is_empty() && self.types.is_empty()
    }
}

/// The name of the i-th field of a tuple.
pub fn tuple_field(i: usize) -> EcoString {
    ecow::eco_format!("{i}")
}

/// The order of fields in a record: numbers first, by value, then names.
pub fn field_order(a: &str, b: &str) -> std::cmp::Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        (Ok(_), Err(_)) => std::cmp::Ordering::Less,
        (Err(_), Ok(_)) => std::cmp::Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}
