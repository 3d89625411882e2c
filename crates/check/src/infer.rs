//! The first phase of inference: types without their sizes.
//!
//! Every expression of one top-level binding gets a type with unknowns ([`Ty::Meta`]), which
//! unification solves; what an unknown must be able to do (have a field, be a number, be compared)
//! is kept with it until it is solved, so the order of an expression's parts does not matter. What
//! is left over becomes a type parameter, or a literal's default type. Sizes in types are carried
//! along but never looked at; [`crate::size`] computes them anew once all types are known.
//!
//! Names are resolved here, once: later phases look into [`Tables::names`].
//!
//! [`Ty::Meta`]: crate::ty::Ty::Meta
//! [`Tables::names`]: crate::program::Tables::names

mod advice;
mod apply;
mod binding;
mod expression;
mod finish;
mod habits;
mod local;
mod meta;
mod names;
mod pattern;
mod signature;
mod size_exp;
mod type_exp;
mod unify;
mod update;

pub(crate) use binding::Outline;
pub(crate) use meta::{LitValue, Metas, Restriction};
pub(crate) use names::{Found, nearest};
pub(crate) use type_exp::used_constructively;
pub(crate) use unify::Clash;
