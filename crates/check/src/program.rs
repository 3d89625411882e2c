//! What checking yields: a typed program, as side tables beside the syntax trees.
//!
//! The trees stay as they were parsed. For every file there is a [`Tables`] that says, by
//! [`NodeId`], what each name refers to and what type each expression and pattern has. Variables
//! and nominal types are numbered over the whole program.

use crate::scope::{ModEnv, Module};
use crate::ty::{Scheme, Size, Ty, TypeFn, TypeId, VarId};
use ecow::EcoString;
use fehu_base::{FileId, IdMap, IdVec, Span};
use fehu_syntax::ast::{Lifted, NodeId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A checked program.
#[derive(Debug)]
pub struct Program {
    /// Every variable.
    pub vars: IdVec<VarId, VarInfo>,
    /// Every nominal type.
    pub types: IdVec<TypeId, TypeInfo>,
    /// The tables of every file that was checked.
    pub files: FxHashMap<FileId, Tables>,
    /// The entry points of the root file, in order.
    pub entries: Vec<Entry>,
    /// The module that every file opens.
    pub prelude: Option<VarId>,
    /// What every file sees, and what the root file exports: see [`crate::lookup`].
    pub(crate) scopes: [Arc<ModEnv>; 2],
    /// The modules that have a variable: declared, opened, or parameters of others. For [`crate::lookup`], too.
    pub(crate) modules: FxHashMap<VarId, Arc<Module>>,
}

/// A program without files: only the types that the compiler itself has are there.
impl Default for Program {
    fn default() -> Program {
        let built_in = |name: &str, lifted, sort| TypeInfo {
            name: name.into(),
            span: None,
            lifted,
            params: Vec::new(),
            level: 0,
            sort,
        };
        let mut types = IdVec::new();
        // The ids are POSITION and SEQ_ELEMENT.
        types.push(built_in("position", Lifted::Unlifted, TypeSort::Abstract));
        types.push(built_in("a", Lifted::SizeLifted, TypeSort::Parameter));
        Program {
            vars: IdVec::new(),
            types,
            files: FxHashMap::default(),
            entries: Vec::new(),
            prelude: None,
            scopes: Default::default(),
            modules: FxHashMap::default(),
        }
    }
}

/// A variable: a value, a parameter, a module, or a size.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// The name; for sizes without one, a name that was made up.
    pub name: EcoString,
    /// Where it is bound.
    pub span: Option<Span>,
    /// What it is.
    pub kind: VarKind,
    /// Its type, once known; modules have none.
    pub scheme: Option<Arc<Scheme>>,
    /// The size it is equal to: for `let n = e` and for sizes bound by patterns.
    pub def: Option<Size>,
    /// How deep inside bindings of its function it is bound; 0 for globals and parameters of types.
    pub level: u32,
    /// Whether its definition was refused; its type may be wrong, and uses say nothing about that.
    pub poisoned: bool,
    /// For a global function that returns a function: how many arguments it takes before its body runs.
    /// The type does not tell: `def f (x: t) : u -> v` and `def f (x: t) (y: u) : v` have the same. It
    /// is unknown if the function that comes back consumes one of those arguments when it is called.
    pub arity: Option<usize>,
}

/// See [`VarInfo`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// Bound at the top of a file or module, or specified by a module type.
    Global,
    /// Built into the compiler.
    Builtin,
    /// A local variable or function.
    Local,
    /// A parameter of a function.
    Param,
    /// A parameter's name in a function type.
    TypeName,
    /// A size parameter.
    SizeParam,
    /// An existential size of a function's result.
    Ext,
    /// `[]` in a type expression.
    Anonymous,
    /// A size that exists only at run time.
    Unknown(Unknown),
    /// A module.
    Module,
}

/// Where an unknown size comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The result of a function.
    Result,
    /// The result of a function that was passed as an argument.
    ArgumentResult,
    /// Branches of different sizes.
    Branches,
    /// A loop that changes the size.
    Loop,
    /// A range.
    Range,
    /// A slice.
    Slice,
    /// A name that went out of scope.
    OutOfScope,
    /// An expression that cannot be a size.
    Expression,
}

/// A nominal type.
#[derive(Clone, Debug)]
pub struct TypeInfo {
    /// The name, qualified as the user would write it.
    pub name: EcoString,
    /// Where it is bound or specified.
    pub span: Option<Span>,
    /// What values it may have.
    pub lifted: Lifted,
    /// Which of its parameters are sizes.
    pub params: Vec<ParamKind>,
    /// How deep inside a function's bindings it is bound; 0 for abstract types.
    pub level: u32,
    /// What kind of declaration it comes from.
    pub sort: TypeSort,
}

/// What a nominal type is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeSort {
    /// A type parameter: anything that its declaration allows.
    Parameter,
    /// A type whose definition a module hides. It has one representation, which is known when the program
    /// is compiled.
    Abstract,
}

/// The kind of a parameter of a nominal type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// A size.
    Size,
    /// A type.
    Type(Lifted),
}

/// What is known about the nodes of one file.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// What names in expressions, operators and short record fields refer to.
    pub names: IdMap<NodeId, Resolved>,
    /// The variables that patterns, declarations and size binders introduce.
    pub binders: IdMap<NodeId, VarId>,
    /// The types of expressions, patterns and operators.
    pub types: IdMap<NodeId, Ty>,
    /// Type expressions, with the variables of the anonymous sizes in them.
    pub type_exps: IdMap<NodeId, (Ty, Vec<VarId>)>,
    /// What the type and size parameters of a name's scheme stand for at this use.
    pub instances: IdMap<NodeId, Instance>,
    /// The unknown sizes that come into being at an expression: results of calls, branches, loops,
    /// ranges and slices.
    pub unknowns: FxHashMap<NodeId, Vec<VarId>>,
    /// Expressions whose values are sizes elsewhere, as these terms: arguments, and parts of them. What was evaluated once
    /// need not be evaluated again, where an array in it may have been consumed.
    pub sizes: FxHashMap<NodeId, Size>,
    /// Whether there are sizes that are code ([`crate::codes`]).
    pub codes: bool,
    /// The sizes of loop parameters that change from one iteration to the next.
    pub loop_sizes: FxHashMap<NodeId, Vec<VarId>>,
    /// The abstract types that an ascription creates, and what implements them.
    pub abstractions: FxHashMap<NodeId, Vec<(TypeId, TypeFn)>>,
    /// The values of the module that an ascription makes, which are those of another module.
    pub members: FxHashMap<NodeId, Vec<Member>>,
    /// Applications of parametric modules.
    pub applications: FxHashMap<NodeId, Application>,
    /// Every name that is used, part by part, in the order in which they were resolved. One that was resolved twice is
    /// there twice, and the last is right.
    pub mentions: Vec<Mention>,
    /// Expressions marked `#[warn(safety_checks)]`: the user wants to know which checks are left in them.
    pub watched: Vec<Span>,
}

/// A name, or one part of a qualified name, where it is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mention {
    /// The place of the name.
    pub span: Span,
    /// What it refers to.
    pub target: Target,
}

/// What a [`Mention`] refers to. Types and module types are known by the place of their definition, and those of the compiler
/// itself have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A value, a size or a module.
    Var(VarId),
    /// A type.
    Type(Option<Span>),
    /// A module type.
    ModType(Option<Span>),
}

/// A value of a module that is seen through a module type.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// The names that lead to it from the module.
    pub path: Vec<EcoString>,
    /// Its variable: the one that sizes mention.
    pub var: VarId,
    /// What the parameters of the implementation's scheme are, in terms of those of `var`.
    pub instance: Instance,
}

/// An application of a parametric module.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Application {
    /// The abstract types of the parameter, and what they are in the argument.
    pub params: Vec<(TypeId, TypeFn)>,
    /// The abstract types that the application creates, and those of the parametric module's body
    /// that they stand for.
    pub results: Vec<(TypeId, TypeId)>,
    /// The values of the parameter, which are those of the argument.
    pub param_members: Vec<Member>,
    /// The values of the result, which are those of the parametric module's body.
    pub result_members: Vec<Member>,
}

/// What a name refers to.
#[derive(Clone, PartialEq, Debug)]
pub struct Resolved {
    /// The variable.
    pub var: VarId,
    /// How to reach it: a variable in scope, which is a module if `path` is not empty.
    pub root: VarId,
    /// The names to follow from the root.
    pub path: Vec<EcoString>,
    /// How many of the last parts of the qualified name are fields of a record.
    pub fields: usize,
}

/// See [`Tables::instances`].
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Instance {
    /// One for each size parameter of the scheme.
    pub sizes: Vec<Size>,
    /// One for each type parameter.
    pub types: Vec<Ty>,
}

/// An entry point.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The name users call it by.
    pub name: EcoString,
    /// The function or value.
    pub var: VarId,
    /// The declaration in the root file.
    pub dec: NodeId,
}
