//! The backward sweep: removes what nothing depends on.
//!
//! First everything is found that the function's results and effects depend on (`depend`, `mark`), then
//! the rest is removed (`prune`): statements, but also single results of branches, loops, operators and
//! accumulators, with the parameters and inputs that only they need. A loop's parameter that only its own next value
//! needs is dead as well.
//!
//! Checks, traces and failures are effects, and so is everything that leads to them.

mod depend;
mod mark;
mod prune;

use fehu_base::IdVec;
use fehu_facts::Effects;
use fehu_ir::{Body, Var, VarInfo};

/// Removes what is dead in the body of a function or constant. Whether there was something.
pub(super) fn remove(body: &mut Body, vars: &IdVec<Var, VarInfo>, effects: &Effects) -> bool {
    let mut graph = depend::of(body, vars, effects);
    for result in &body.results {
        graph.mark_atom(*result);
    }
    let live = graph.finish();
    prune::prune(body, &live)
}
