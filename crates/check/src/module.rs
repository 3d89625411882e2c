//! Declarations, modules and module types.
//!
//! A module is a set of names with their meanings ([`ModEnv`]), or a parametric module. A module type
//! is a module together with a list of the nominal types in it that are abstract. Using a module type
//! always makes a copy of it with new nominal types and variables, so that two modules of one type
//! do not share them.
//!
//! - `dec`: declarations
//! - `type_dec`: type abbreviations
//! - `exp`: module expressions
//! - `mod_type`: module type expressions
//! - `matching`: whether a module has a module type
//! - `copy`: copies with substitution
//!
//! [`ModEnv`]: crate::scope::ModEnv

mod copy;
mod dec;
mod exp;
mod matching;
mod mod_type;
mod type_dec;

pub(crate) use dec::{Block, Defined};
