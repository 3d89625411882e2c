//! The second phase of inference: sizes.
//!
//! All types are known but for the sizes in them. This phase walks over the binding once more and
//! gives every array its size: a term over variables, an unknown to be solved ([`Size::Meta`]), or a
//! new variable for a size that only exists at run time. What polymorphic functions are applied at
//! is known from the first phase, so a type argument is that type with new unknowns for its sizes
//! ([`dress`](crate::checker::Checker::dress)).
//!
//! Scope is kept by levels. Every binding raises the level; a variable has the level it is bound at,
//! an unknown the level it was made at, and an unknown may only be solved by terms whose variables
//! are not deeper than it is. When a scope ends, the sizes that mention its variables are replaced:
//! by what the variable is defined as, if that is a term, and otherwise by a new unknown size, or in
//! a function's result by an existential one.
//!
//! - [`term`]: expressions as sizes
//! - [`code`]: written sizes that bind names
//! - [`normal`]: equality of sizes as polynomials
//! - [`unify`]: making sizes, and types with sizes, equal
//! - `expression`, `apply`, `access`, `local`, `join`, `loops`, `pattern`, `binding`: the walk
//! - [`close`]: ends of scopes

mod access;
mod apply;
mod binding;
mod close;
mod code;
mod dress;
mod expression;
mod join;
mod local;
mod loops;
mod normal;
mod pattern;
mod term;
mod unify;
mod zonk;

use crate::checker::Checker;
use crate::errors::Expect;
use crate::program::{Unknown, VarKind};
use crate::ty::{Meta, Size, SizeMeta, Ty, VarId};
use ecow::EcoString;
use fehu_base::{IdVec, Span};
use fehu_syntax::ast::NodeId;
use rustc_hash::FxHashMap;

pub(crate) use close::mentions;
pub(crate) use term::Binders;
pub(crate) use unify::{INSIDE, SizeClash};

/// The unknown sizes of the binding being inferred.
#[derive(Default)]
pub(crate) struct SizeMetas {
    infos: IdVec<SizeMeta, SizeMetaInfo>,
    /// Types that contain functions and are not known yet.
    types: IdVec<Meta, TypeMetaInfo>,
    /// What was changed, to be undone if an attempt fails.
    trail: Vec<Change>,
    /// Equations that could not be solved yet.
    postponed: Vec<Postponed>,
    /// Unknown sizes that came into being while an argument was unified.
    opened: Vec<VarId>,
    /// Those of them that are existential sizes of what the present application yields.
    settled: Vec<VarId>,
    /// Those of them that belong to more than one part of a result.
    repeated: Vec<VarId>,
    /// Types of nodes, to be finished at the end of the binding.
    node_types: Vec<(NodeId, Ty)>,
    /// Sizes chosen for size parameters, and types for type parameters, likewise.
    instances: Vec<(NodeId, Vec<Size>, Vec<Ty>)>,
    /// Holes, with their types.
    holes: Vec<(Span, Ty)>,
    /// The sizes that are unknown because branches differ or a scope ended, the oldest first.
    joined: Vec<join::Joined>,
    /// What may not be solved just now.
    freeze: Freeze,
    /// Sizes bound by patterns, whose definitions are unknowns until the end.
    let_sizes: Vec<VarId>,
    counters: FxHashMap<&'static str, u32>,
    /// The expression being checked.
    current: Option<Span>,
    /// The levels of the bodies of the loops we are in.
    loops: Vec<u32>,
    /// The parameters of functions inside of it that have names.
    pub(crate) local_params: Vec<Span>,
    /// The function that is being checked.
    pub(crate) head: Option<FunctionHead>,
}

/// The places in the head of a function, for messages.
pub(crate) struct FunctionHead {
    /// Where another size parameter would be; operators between their parameters have none.
    pub(crate) sizes: Option<Span>,
    pub(crate) params: Vec<Span>,
    pub(crate) whole: Span,
}

struct SizeMetaInfo {
    solution: Option<Size>,
    level: u32,
    /// Whether it stands in the argument for a lifted type parameter, so that it may become a size
    /// that a function argument's result has.
    existential: bool,
    /// Whether that type parameter is in the function's result more than once. Each time it may then be
    /// another call of the argument that made the value.
    repeated: bool,
    /// The place of the function's parameter that has this size, which is a parameter itself unless something
    /// determines it.
    param: Option<Span>,
    /// Whether it is the size of a parameter of a loop that we are in.
    looped: bool,
    span: Span,
    origin: Origin,
}

/// Which unknowns are treated as if they were known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Freeze {
    #[default]
    Nothing,
    /// Sizes of parameters of loops.
    Loops,
    /// Sizes of parameters of loops and functions.
    Params,
}

struct TypeMetaInfo {
    solution: Option<Ty>,
    level: u32,
    existential: bool,
    span: Span,
    /// The type without sizes.
    shape: Ty,
}

enum Change {
    Size(SizeMeta, Option<Size>, u32),
    Type(Meta, Option<Ty>),
    Def(VarId, Option<Size>),
}

struct Postponed {
    a: Size,
    b: Size,
    /// The types that were compared, for messages.
    types: Option<Compared>,
}

/// Two types that have to agree at a place.
#[derive(Clone)]
struct Compared {
    span: Span,
    want: Ty,
    found: Ty,
    why: Expect,
}

/// Where an unknown size comes from.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Origin {
    /// The size parameter of a function at a use of it.
    SizeParam(VarId, EcoString),
    /// The argument for a type parameter of a function.
    TypeArg(EcoString),
    /// The size of an element of an empty array literal.
    EmptyArray,
    Hole,
    /// `let [n] ...`
    LetSize(EcoString),
    /// A constructor of a sum type: sizes of the payloads of the others.
    Ctor,
    /// The size of something that is coerced to another size.
    Coerced,
    /// Anything whose size must follow from something else: parameters, loop parameters,
    /// ascriptions.
    Inferred,
}

impl Origin {
    /// How much the user has to do with it.
    fn rank(&self) -> u32 {
        match self {
            Origin::LetSize(_) => 5,
            Origin::SizeParam(..) => 4,
            Origin::Hole => 3,
            Origin::EmptyArray => 2,
            Origin::Coerced | Origin::Ctor => 1,
            Origin::TypeArg(_) | Origin::Inferred => 0,
        }
    }
}

impl SizeMetas {
    /// A new name that begins with `hint`.
    pub(crate) fn next_name(&mut self, hint: &'static str) -> EcoString {
        let counter = self.counters.entry(hint).or_default();
        let name = ecow::eco_format!("{hint}{counter}");
        *counter += 1;
        name
    }

    /// Whether a size of this level came into being in the body of a loop that we are in.
    pub(crate) fn made_in_loop(&self, level: u32) -> bool {
        self.loops.iter().any(|&body| level >= body)
    }
}

impl Checker<'_> {
    /// A new unknown size.
    fn fresh_size(&mut self, span: Span, origin: Origin) -> Size {
        let level = self.level;
        Size::Meta(self.size_metas.infos.push(SizeMetaInfo {
            solution: None,
            level,
            existential: false,
            repeated: false,
            param: None,
            looped: false,
            span,
            origin,
        }))
    }

    /// A new size that is only known at run time.
    pub(crate) fn unknown_size(&mut self, span: Span, why: Unknown) -> VarId {
        let name = self.size_metas.next_name("k");
        self.new_var(name, Some(span), VarKind::Unknown(why), Some(Ty::I64))
    }

    /// Notes that an expression brings unknown sizes into being.
    fn note_unknowns(&mut self, node: NodeId, vars: impl IntoIterator<Item = VarId>) {
        let mut vars = vars.into_iter().peekable();
        if vars.peek().is_some() {
            self.tables.unknowns.entry(node).or_default().extend(vars);
        }
    }
}
