//! Foreign functions: what a back end does with them.
//!
//! * [`choose`] comes before all passes: a function that the back end has a symbol for stays foreign, and all others are
//!   functions like any others. After that, no pass looks into the body of a foreign function for what a call does.
//! * [`VECTORISE`] lets one call of a symbol do the work of a map (`vectorise`).
//! * Where symbols are checked, their results are compared with those of the bodies (`check`).

mod check;
mod vectorise;

use fehu_ir::{Foreign, Platform, Prog, Symbol};
pub use vectorise::VECTORISE;

/// Which foreign functions are called as such.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Choice {
    /// None: bodies are what counts.
    #[default]
    Bodies,
    /// Those that have a symbol for the platform.
    Symbols(Platform),
    /// The same, and what they compute is compared with what the bodies compute.
    Checked(Platform),
}

/// Leaves those functions foreign that are called as such, with the symbols for one platform.
pub fn choose(prog: &mut Prog, choice: Choice) {
    let platform = match choice {
        Choice::Bodies => None,
        Choice::Symbols(platform) | Choice::Checked(platform) => Some(platform),
    };
    for fun in prog.funs.values_mut() {
        let chosen = |foreign: &Foreign| {
            let list = |symbol: Option<&Symbol>| symbol.cloned().into_iter().collect();
            let platform = platform?;
            let symbols: Vec<Symbol> = list(foreign.symbol(platform));
            let vectorised = list(foreign.vectorised(platform));
            (!symbols.is_empty()).then_some(Foreign { symbols, vectorised })
        };
        fun.foreign = fun.foreign.as_ref().and_then(chosen);
    }
    if let Choice::Checked(_) = choice {
        check::check(prog);
    }
}
