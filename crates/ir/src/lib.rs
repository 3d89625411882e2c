//! The core IR: one data structure for the whole middle of the compiler.
//!
//! A [`Prog`] is a set of first-order, monomorphic functions in A-normal form. There are no tuples,
//! records, sums, closures or modules: an expression has several results instead, and an array of
//! tuples is several arrays. Sizes are ordinary `i64` variables. Checks are statements that yield a
//! certificate, and the statements that rely on a check name its certificate.
//!
//! # Variables and scope
//!
//! Every function (and constant) owns its variables: a [`Var`] is an index into [`Fun::vars`], which
//! gives its type and a hint for its name. A variable is bound exactly once: as a parameter, in the
//! pattern of a statement, or as a parameter of a lambda or loop inside. It is in scope from there to
//! the end of the innermost body. Nothing is ever shadowed.
//!
//! # Results whose size is not known beforehand
//!
//! Types mention variables, and the types of a pattern may mention variables of the same pattern. So
//! an expression with a result of unknown size returns the size, too, and no special form is needed:
//!
//! ```text
//! let (k: i64, ys: [k]i32) = if c then {n, xs} else {m, zs}
//! ```
//!
//! The same holds for loop parameters and for the results of functions ([`Fun::results`]), which are
//! variables as well, used only in each other's types.
//!
//! # Consumption
//!
//! [`Exp::Update`], [`Exp::Scatter`], [`Exp::Hist`], [`Exp::WithAcc`], calls with consuming parameters
//! and loops consume arrays: after that, neither the array nor anything that may share its memory is
//! used. The checker has made sure of it in the source program; the verifier does after every pass.
//!
//! # Stages
//!
//! One data structure serves all stages; [`Exp::legal_in`] says which operations a stage allows.
//! A program's text begins with its stage, prints with `Display` (`text::print`), and parses back
//! (`text::parse`) to an equal program.
//!
//! # Tools
//!
//! - [`text`]: the text form, its grammar, printer and parser;
//! - [`verify`]: whether a program keeps all these rules;
//! - [`visit`], [`free`], [`subst`]: traversals, free variables, substitution and copies;
//! - [`pass`]: what a pass is;
//! - [`builder`]: making bodies, and types that follow from operands.

mod atom;
mod exp;
mod external;
mod op;
mod prog;
mod soac;
mod stage;
mod types;

pub mod builder;
pub mod free;
pub mod pass;
pub mod subst;
pub mod text;
pub mod verify;
pub mod visit;

pub use atom::{Atom, Scalar};
pub use exp::{Check, CheckPart, Dim, Exp, LoopForm, LoopParam, Switch};
pub use external::{External, Field, OpaqueArray, OpaqueKind, OpaqueType, Variant};
pub use op::{BinOp, CmpOp, MathFn, UnOp};
pub use prog::{
    Attr, Body, Const, ConstId, Entry, Fun, FunId, Lambda, Loc, Param, Place, Prog, Stm, Var,
    VarInfo,
};
pub use soac::{AccInput, Hist, HistOp, Partition, Red, Scan, Scatter, Screma, Stream, StreamForm};
pub use stage::Stage;
pub use types::{Elem, Type};
