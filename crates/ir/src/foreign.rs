//! Foreign functions: those that another language also computes.
//!
//! The body of such a function is its meaning: what the interpreter runs, and what every back end without a symbol of its own
//! compiles. A back end with a symbol calls that instead, and trusts it to be pure and to compute the same. So a call may be
//! removed, shared, moved or repeated like that of any other function, but nothing looks into the body for what a call does.
//!
//! # The interface
//!
//! The parameters of the symbol are those of the function: sizes and other scalars by value, arrays as addresses of
//! their elements in row-major order. What a function of scalars with a single result computes is returned
//! ([`Fun::returned`]). All other results are written to where additional parameters point, which is memory of the
//! caller, and the symbol returns a status: everything but zero ends the program with an error.
//!
//! On a device, a function of scalars is one that kernels call, and any other is called by the host, with addresses in the
//! memory of the device and, as its first argument, the stream on which to work.

use crate::{Elem, Fun, Type};
use ecow::EcoString;
use fehu_base::{Platform, Prim};

/// What is known of a foreign function besides its body. There is at least one symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Foreign {
    /// The symbols, at most one for each platform.
    pub symbols: Vec<Symbol>,
    /// Those that do the work of a whole map of the function: every parameter and result has an additional dimension, whose
    /// size is the first parameter.
    pub vectorised: Vec<Symbol>,
}

/// A function in another language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The language.
    pub platform: Platform,
    /// The name, an identifier.
    pub name: EcoString,
}

impl Foreign {
    /// The symbol for a platform.
    pub fn symbol(&self, platform: Platform) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.platform == platform)
    }

    /// The symbol for a platform that does a whole map.
    pub fn vectorised(&self, platform: Platform) -> Option<&Symbol> {
        self.vectorised.iter().find(|symbol| symbol.platform == platform)
    }
}

impl Fun {
    /// Whether all parameters and results are scalars.
    pub fn is_scalar(&self) -> bool {
        let params = self.params.iter().map(|param| param.var);
        params.chain(self.results.iter().copied()).all(|var| !self.vars[var].ty.is_array())
    }

    /// The type of what a foreign function returns, if that is its result and no status.
    pub fn returned(&self) -> Option<Prim> {
        match self.results.as_slice() {
            [result] if self.is_scalar() => match self.vars[*result].ty {
                Type::Scalar(Elem::Prim(prim)) => Some(prim),
                Type::Scalar(Elem::Unit) | Type::Array(..) | Type::Acc(_) => None,
            },
            _ => None,
        }
    }

    /// Whether a foreign function is called by the host of a device only.
    pub fn is_for_host(&self) -> bool {
        let on_device = |foreign: &Foreign| foreign.symbols.iter().any(|s| s.platform.is_device());
        self.foreign.as_ref().is_some_and(on_device) && !self.is_scalar()
    }
}
