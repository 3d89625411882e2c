//! Executes two rows at a time, where the lanes of one wait for their sums.
//!
//! ```text
//! for i { for j in lanes { s = 0; for d { s = s + k[d] * a[n*i + j + d] }; b[n*i + j] = s } }
//! ```
//!
//! A block of lanes is a few vectors, each of which is a chain of additions, and a processor could have more of them in
//! flight. So blocks of two rows are executed side by side:
//!
//! ```text
//! for i, 2 at a time {
//!   for j, a block at a time {
//!     for each lane: s0 = 0
//!     for each lane: s1 = 0
//!     for d {
//!       for each lane: s0 = s0 + k[d] * a[n*i + j + d]
//!       for each lane: s1 = s1 + k[d] * a[n*(i + 1) + j + d]
//!     }
//!     ...
//! ```
//!
//! (In one loop over lanes, C compilers would not keep the sums in registers.)
//!
//! With four rows there would be more accumulators than registers of 256 bits.
//!
//! Conditions: rows are independent, and do nothing but compute, load and store; the loop with the lanes has the same
//! bounds in all rows; an inner loop of it adds up floats, and no inner loop stores anything or has many sums.

use super::unroll_jam::carried_floats;
use super::{constant_count, rule, uniform};
use fehu_base::IdVec;
use fehu_imp::cost::count;
use fehu_imp::{Block, Kind, Prim, Stm, Ty, V, VarInfo, visit};
use rustc_hash::FxHashSet;

/// How many.
pub(super) const ROWS: i64 = 2;
/// A body with more statements than this is not worth copying.
const MOST_STATEMENTS: usize = 200;
/// Loops with more sums than this need the registers for one row.
const MOST_SUMS: usize = 2;

/// Whether to execute two iterations of a loop side by side.
pub(super) fn fits(vars: &mut IdVec<V, VarInfo>, row: V, body: &Block) -> bool {
    let is_plain = vars[row].ty == Ty::Scalar(Prim::I64)
        && body.iter().all(|stm| is_plain(vars, stm))
        && rule::sets_only_its_own(body, &[])
        && count(body) <= MOST_STATEMENTS;
    if !is_plain {
        return false;
    }
    let varying = uniform::varying(vars, body, [row], &FxHashSet::default());
    body.iter().any(|stm| {
        let Stm::For { var, from, to, step: 1, kind: Kind::Lanes(reductions, _), body } = stm
        else {
            return false;
        };
        let bounds = [from, to];
        reductions.is_empty()
            && !bounds.iter().any(|bound| uniform::varies(&varying, bound))
            && adds_up(vars, body)
            && rule::plan(vars, *var, constant_count(from, to), &[], body).is_ok()
    })
}

/// Whether a row consists of what can be done side by side.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements do not fit")]
fn is_plain(vars: &IdVec<V, VarInfo>, stm: &Stm) -> bool {
    let mut plain = match stm {
        Stm::Comment(_) | Stm::Assign(..) | Stm::Store(..) | Stm::If(..) | Stm::For { .. } => true,
        Stm::Declare(v, _) => matches!(vars[*v].ty, Ty::Scalar(_) | Ty::Local(..)),
        _ => false,
    };
    stm.each_block(&mut |block| plain = plain && block.iter().all(|stm| is_plain(vars, stm)));
    plain
}

/// Whether the loops of a body add up floats, and do little else.
fn adds_up(vars: &IdVec<V, VarInfo>, body: &Block) -> bool {
    let (mut sums, mut most, mut stores) = (0, 0, false);
    visit::each_stm(body, &mut |stm| {
        if let Stm::For { body, .. } = stm {
            let own = carried_floats(vars, body);
            (sums, most) = (sums + own, most.max(own));
            visit::each_stm(body, &mut |stm| stores |= matches!(stm, Stm::Store(..)));
        }
    });
    sums > 0 && most <= MOST_SUMS && !stores
}
