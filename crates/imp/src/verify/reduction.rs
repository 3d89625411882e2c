//! The reductions of independent loops are only combined.
//!
//! An iteration adds its part to a scalar: `s = op(s, part)`, perhaps by way of other variables, and perhaps not in all
//! cases. What depends on the scalar may flow nowhere else, since the iterations before are not known.

use crate::visit::each_stm;
use crate::{Block, Exp, Fun, RedOp, Stm, V};
use rustc_hash::FxHashSet;

/// Whether iterations only combine the scalars with their parts; what they do otherwise.
#[expect(clippy::wildcard_enum_match_arm, reason = "only loops have reductions")]
pub(super) fn check(fun: &Fun, reductions: &[(V, RedOp)], body: &Block) -> Result<(), String> {
    reductions.iter().try_for_each(|(v, op)| {
        let mut carriers = FxHashSet::from_iter([*v]);
        let mut before = 0;
        while std::mem::replace(&mut before, carriers.len()) != carriers.len() {
            each_stm(body, &mut |stm| match stm {
                Stm::Declare(to, Some(e)) | Stm::Assign(to, e) if depends(&carriers, e) => {
                    carriers.insert(*to);
                }
                _ => {}
            });
        }
        let mut wrong = false;
        each_stm(body, &mut |stm| wrong |= !keeps(&carriers, *op, stm));
        if wrong {
            let hint = fun.vars.get(*v).map_or("?", |info| &info.hint);
            return Err(format!("\"{hint}\" is not only combined by {}", op.name()));
        }
        Ok(())
    })
}

/// Whether a value depends on the scalar.
fn depends(carriers: &FxHashSet<V>, e: &Exp) -> bool {
    let mut found = false;
    e.each_var(&mut |v| found |= carriers.contains(&v));
    found
}

/// Whether a statement itself does nothing else with what depends on the scalar.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others keep a partial result if their parts do"
)]
fn keeps(carriers: &FxHashSet<V>, op: RedOp, stm: &Stm) -> bool {
    match stm {
        Stm::Declare(to, Some(e)) | Stm::Assign(to, e) if carriers.contains(to) => {
            // A variable that carries the scalar on one path may have another value on another.
            !depends(carriers, e) || combines(carriers, op, e)
        }
        Stm::For { kind, from, to, .. } if kind.reductions().is_some() => {
            let inner = kind.reductions().unwrap_or_default();
            inner.iter().all(|(v, other)| !carriers.contains(v) || *other == op)
                && !depends(carriers, from)
                && !depends(carriers, to)
        }
        _ => {
            let mut uses = false;
            stm.each_used(&mut |v| uses |= carriers.contains(&v));
            !uses
        }
    }
}

/// Whether an expression is the scalar combined with something else.
#[expect(clippy::wildcard_enum_match_arm, reason = "other expressions combine nothing")]
fn combines(carriers: &FxHashSet<V>, op: RedOp, e: &Exp) -> bool {
    match e {
        Exp::Var(_) => true,
        Exp::Bin(other, _, a, b) if *other == op.bin_op() => {
            match (depends(carriers, a), depends(carriers, b)) {
                (true, false) => combines(carriers, op, a),
                (false, true) => combines(carriers, op, b),
                _ => false,
            }
        }
        Exp::Select(parts) => {
            let [cond, yes, no] = &**parts;
            let fine = |e: &Exp| !depends(carriers, e) || combines(carriers, op, e);
            !depends(carriers, cond) && fine(yes) && fine(no)
        }
        _ => false,
    }
}
