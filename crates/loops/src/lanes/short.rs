//! Which branches become selections.

use super::uniform::varies;
use fehu_imp::{Exp, Stm, V, visit};
use rustc_hash::FxHashSet;

/// A branch that costs at most this much is executed by all lanes, whether it is needed or not.
const SHORT: usize = 40;

/// Whether a branch has no loops, costs little, and only does what all lanes can do at once: to load something that does not
/// vary is left to code outside the lanes, and so are assignments to what does not vary.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do; other statements do not fit"
)]
pub(super) fn is_short(varying: &FxHashSet<V>, stm: &Stm) -> bool {
    let (mut total, mut fits) = (0, true);
    let mut declared = FxHashSet::default();
    let loads_same = |e: &Exp| match e {
        Exp::Load(p, index) => !varying.contains(p) && !varies(varying, index),
        _ => false,
    };
    visit::each_stm(std::slice::from_ref(stm), &mut |inner| {
        match inner {
            Stm::Declare(v, _) => {
                declared.insert(*v);
            }
            Stm::Assign(v, _) => fits &= declared.contains(v) || varying.contains(v),
            Stm::Store(..) | Stm::If(..) | Stm::Comment(_) => {}
            _ => fits = false,
        }
        inner.each_exp(&mut |e| {
            total += e.cycles();
            fits &= !e.any(&loads_same);
        });
    });
    fits && total <= SHORT
}

/// Whether a branch loads or stores something: if all lanes take the same side, it is better to do that than to load
/// what is not there under a mask.
pub(super) fn accesses(stm: &Stm) -> bool {
    let mut found = false;
    visit::each_stm(std::slice::from_ref(stm), &mut |stm| {
        found |= matches!(stm, Stm::Store(..));
        stm.each_exp(&mut |e| found |= e.any(&|e| matches!(e, Exp::Load(..))));
    });
    found
}
