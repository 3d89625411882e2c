//! Contributions whose index is chosen by a condition, as in the adjoint of a rotation: two contributions under the
//! condition and its opposite.
//!
//! ```text
//! update_acc acc [if i + r < n then i + r else i + r - n] (g[i])
//! ==>
//! if i + r < n then update_acc acc [i + r] (g[i]) else update_acc acc [i + r - n] (g[i])
//! ```
//!
//! Each of them is moved by something that does not vary. So a rotation goes back as two slices do, and not as a histogram.

use super::scope::{Def, Scopes, Update};
use fehu_ir::{Atom, Exp};

/// The two contributions, if an index is chosen.
pub(super) fn alternatives(update: &Update, scopes: &Scopes<'_>) -> Option<[Update; 2]> {
    let chosen = |index: &Atom| {
        let Some(Def::Made(_, stm, number)) = scopes.defs.get(&index.var()?) else { return None };
        let Exp::If(cond, bodies) = &stm.exp else { return None };
        Some((*cond, bodies.each_ref().map(|body| body.results[*number])))
    };
    let all = update.indices.iter().enumerate();
    let (at, (cond, results)) =
        all.into_iter().find_map(|(at, index)| Some((at, chosen(index)?)))?;
    Some([true, false].map(|taken| {
        let mut one = update.clone();
        one.indices[at] = results[usize::from(!taken)];
        one.branches.push((cond, taken));
        one
    }))
}
