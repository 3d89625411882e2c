//! The core IR: one data structure for the whole middle of the compiler.
//!
//! A [`Prog`] is a set of first-order, monomorphic functions in A-normal form. There are no tuples,
//! records, sums, closures or modules: instead, an expression has several results, and an array of
//! tuples is represented as several arrays. Sizes are ordinary `i64` variables. A check is a statement
//! that produces a certificate, and the statements that rely on the check name its certificate.
//!
//! # Variables and scope
//!
//! Every function (and constant) owns its variables: a [`Var`] is an index into [`Fun::vars`], which
//! gives its type and a hint for its name. A variable is bound exactly once: as a parameter, in the
//! pattern of a statement, or as a parameter of a lambda or loop inside. It is in scope from there to
//! the end of the innermost body. Nothing is ever shadowed.
//!
//! # Results whose size is not known in advance
//!
//! Types mention variables, and the types in a pattern may mention variables of the same pattern. An
//! expression with a result of unknown size therefore also returns the size, and needs no special form:
//!
//! ```text
//! let (k: i64, ys: [k]i32) = if c then {n, xs} else {m, zs}
//! ```
//!
//! The same holds for loop parameters and for the results of functions ([`Fun::results`]), which are
//! also variables, used only in each other's types.
//!
//! # Consumption
//!
//! [`Exp::Update`], [`Exp::Scatter`], [`Exp::Hist`], [`Exp::WithAcc`], calls with consuming parameters
//! and loops consume arrays: from then on, neither the array nor anything that may share its memory is
//! used. The checker ensures this for the source program, and the verifier after every pass.
//!
//! # Stages
//!
//! One data structure serves all stages; [`Exp::legal_in`] says which operations a stage allows.
//! The text form of a program begins with its stage; it is printed with `Display` (`text::print`), and
//! parses back (`text::parse`) to an equal program.
//!
//! # Tools
//!
//! - [`text`]: the text form, its grammar, printer and parser;
//! - [`verify`]: checks that a program obeys all these rules;
//! - [`visit`], [`free`], [`subst`]: traversals, free variables, substitution and copies;
//! - [`pass`]: what a pass is;
//! - [`streaming`]: the steps of entry points on sequences, which the run-time executes;
//! - [`builder`]: constructing bodies, and types that follow from operands.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod atom;
mod diff;
mod exp;
mod external;
mod family;
mod foreign;
mod guard;
mod items;
mod op;
mod prog;
mod seg;
mod soac;
mod stage;
mod tiling;
mod types;

pub mod builder;
pub mod free;
pub mod pass;
pub mod streaming;
pub mod subst;
pub mod text;
pub mod verify;
pub mod visit;

pub use atom::{Atom, Scalar};
pub use diff::{Diff, DiffForm, Seeds};
pub use exp::{Check, CheckPart, Dim, Exp, LoopForm, LoopParam, Notice, Switch};
pub use external::{External, Field, OpaqueArray, OpaqueKind, OpaqueType, Variant};
pub use family::Family;
pub use fehu_base::Platform;
pub use foreign::{Foreign, Symbol};
pub use guard::{Guarded, exists};
pub use items::Item;
pub use op::{BinOp, CmpOp, MathFn, UnOp};
pub use prog::{
    Attr, Body, Const, ConstId, Entry, Fun, FunId, Lambda, Loc, Param, Place, Prog, Stm, Var,
    VarInfo,
};
pub use seg::{After, Level, Rows, Seg, SegParts, takes_elements};
pub use soac::{
    AccInput, Flatmap, Hist, HistOp, Partition, Pieces, Red, Scan, Scatter, Screma, Stream,
    StreamForm,
};
pub use stage::Stage;
pub use tiling::{
    Axis, Border, Distance, FoldTiling, Guard, Origin, Tiling, Window, WindowRead, WindowTiling,
};
pub use types::{Elem, Type};
