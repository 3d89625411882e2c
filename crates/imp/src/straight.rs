//! Which code is straight, so that a loop around it can be executed by vectors as it is.
//!
//! C compilers vectorise a loop of straight-line code, with branches if need be. Loops in it must disappear before:
//! those with a few iterations, a number that is known, are unrolled. They would do that themselves only where little
//! comes of it (gcc: 200 instructions), so they are told (`FE_UNROLL`). How much there may be in the end is decided
//! here, once for all who ask: the transformations, which say in which order floats are added up, and C, which says
//! what is to be vectorised. Where it is too much, it is the loops inside that are executed by vectors.
//!
//! A nest over the rows of an array, which are short and next to each other, is an exception: its inner loop is
//! executed by vectors, which read and write what is side by side. The outer loop would read each element of a vector
//! from another row.
//!
//! Vectors go through both sides of every branch. Where the shortest way through a body is a small part of it, as in a
//! stencil whose condition for the border is followed by what is done there, one element after the other is faster: fluid
//! takes half the time, and so does compiling it.
//!
//! A Jacobian of a function of eight numbers, in eight directions with three loops, is 2,000 instructions: of 20,000,
//! eight at a time, it takes 1.0 ms, with vectors in the loops inside 2.4, and without vectors 120.

use crate::cpu::CPU;
use crate::rewrite::is_unit;
use crate::{Exp, Stm, V};
use fehu_ir::Scalar;

/// Whether a loop with this body can be executed by vectors, as it is.
pub fn is_straight(body: &[Stm]) -> bool {
    let fits = |Size { all, least }| {
        all <= CPU.straight_instructions && all <= FEW.max(least.saturating_mul(MOST_SIDES))
    };
    !is_over_rows(body) && instructions(body).is_some_and(fits)
}

/// So many instructions are executed by vectors, however few of them an iteration needs, ...
const FEW: i64 = 128;
/// ... and otherwise this many times those on the shortest way.
const MOST_SIDES: i64 = 6;

/// Numbers of instructions.
struct Size {
    /// On all ways together, ...
    all: i64,
    /// ... and on the shortest.
    least: i64,
}

/// Whether a body is a loop over a row that fills vectors, and does nothing else.
fn is_over_rows(body: &[Stm]) -> bool {
    let [Stm::For { var, from, to, step: 1, kind, body }] = body else { return false };
    let fills = |count: i64| count >= i64::from(CPU.vector_bytes / 8);
    unrolled_iterations(from, to, 1).is_some_and(fills)
        && kind.reductions().is_some_and(<[_]>::is_empty)
        && body.iter().all(|stm| is_side_by_side(stm, *var))
}

/// Whether neighbouring iterations store next to each other, and load what is there or the same.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not known to fit does not")]
fn is_side_by_side(stm: &Stm, var: V) -> bool {
    let mut loads = true;
    stm.each_exp(&mut |e| loads &= loads_side_by_side(e, var));
    loads
        && match stm {
            Stm::Comment(_) | Stm::Declare(..) | Stm::Assign(..) => true,
            Stm::Store(_, index, _) => is_unit(index, var),
            Stm::If(_, yes, no) => yes.iter().chain(no).all(|stm| is_side_by_side(stm, var)),
            _ => false,
        }
}

fn loads_side_by_side(e: &Exp, var: V) -> bool {
    let mut fits = true;
    if let Exp::Load(_, index) = e {
        fits = is_unit(index, var) || !index.mentions(var);
    }
    e.each_child(&mut |child| fits &= loads_side_by_side(child, var));
    fits
}

/// The number of iterations of a loop if it is known, and so small that the loop may be unrolled.
pub fn unrolled_iterations(from: &Exp, to: &Exp, step: i64) -> Option<i64> {
    let (Exp::Const(Scalar::I64(from)), Exp::Const(Scalar::I64(to))) = (from, to) else {
        return None;
    };
    let (span, step) = (to.saturating_sub(*from).max(0), step.max(1));
    let count = span / step + i64::from(span % step != 0);
    (count <= CPU.unrolled_iterations).then_some(count)
}

/// The number of instructions when all loops are unrolled, if they can be.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not known to fit does not")]
fn instructions(block: &[Stm]) -> Option<Size> {
    let mut size = Size { all: 0, least: 0 };
    for stm in block {
        let Size { all, least } = match stm {
            Stm::Comment(_) => Size { all: 0, least: 0 },
            Stm::Declare(..) | Stm::Assign(..) | Stm::Store(..) | Stm::Point(..) => {
                let mut all = 0;
                stm.each_exp(&mut |e| all += operations(e));
                Size { all, least: all }
            }
            Stm::If(cond, yes, no) => {
                let (cond, yes, no) = (operations(cond), instructions(yes)?, instructions(no)?);
                Size {
                    all: cond.saturating_add(yes.all).saturating_add(no.all),
                    least: cond.saturating_add(yes.least.min(no.least)),
                }
            }
            Stm::For { from, to, step, body, .. } => {
                let (count, body) = (unrolled_iterations(from, to, *step)?, instructions(body)?);
                Size {
                    all: count.saturating_mul(body.all),
                    least: count.saturating_mul(body.least),
                }
            }
            _ => return None,
        };
        size.all = size.all.saturating_add(all);
        size.least = size.least.saturating_add(least);
    }
    Some(size)
}

/// The operations of an expression. Indices of arrays are parts of instructions, once loops are unrolled.
fn operations(e: &Exp) -> i64 {
    let mut all = i64::from(!matches!(e, Exp::Const(_) | Exp::Var(_) | Exp::Index(_)));
    e.each_child(&mut |child| all += operations(child));
    all
}
