//! What does not depend on a loop, or on the function of an array operator, is computed before it.
//!
//! ```text
//! screma n (xs) map \(x) {               let e = le n 0
//!   let ok = lt i k                      let ok = lt i k
//!   let c = assert ok "..."         =>   let ok2 = or e ok
//!   #[cert c] let y = index ys[i]        let c = assert ok2 "..."
//!   let z = add x y in (z)               screma n (xs) map \(x) {
//! }                                        #[cert c] let y = index ys[i] ... }
//! ```
//!
//! One traversal, innermost first: each variable has a *level*, the number of bodies around its binding, and a
//! statement goes out as many levels as what it uses and the rules for it allow (`rules`). It ends up before the
//! statement that it was part of, in the order in which it stood, so everything that it needs is there.
//!
//! # Bodies that are left, and those that are not
//!
//! A statement leaves the body of a loop or the function of an operator, where it would be evaluated many times. It
//! never leaves a branch, nor the function of a `withacc`: there it is evaluated at most once, and perhaps not at all.
//! In the function of a stream, and where a histogram or an accumulator combines values, it is not known whether
//! it is evaluated at all.
//!
//! # What may move
//!
//! 1. **Speculable** expressions ([`Effects::speculable`](fehu_facts::Effects::speculable)), scalars and arrays, may move
//!    anywhere. A loop that is never entered then pays for them. Arrays that are made must be *fixed*
//!    ([`Share`]): if an iteration updates its array, every iteration needs one of its own.
//!    `iota` and `replicate` are among these once their sizes are known not to be negative, because they are
//!    constants or sizes of arrays in scope there.
//! 2. **Checks** are evaluated by the first iteration, if there is one, so they move with the guard
//!    `empty || condition`: `bound <= 0` for a loop with a counter, the negated first condition for another, `width
//!    <= 0` for an operator. No guard is needed if the number of iterations is a constant above zero. Statements that
//!    rely on the check stay, and name the certificate from inside, where it means what it did.
//! 3. **Other expressions with scalar results** (an element of an array, a division, a sum over an array, a call) are
//!    evaluated under the guard: `if 0 < n then {...} else {0}`; without guard if that is a constant above zero. They do not
//!    move past something that may end the program or not end, because it might be why they are defined. Out of
//!    functions of operators only what is not [cheap](fehu_facts::cost) moves so: reading an element is better done there
//!    than before a kernel is started.
//! 4. **Other expressions that make arrays** move, under the same conditions, if the number of iterations is a constant
//!    above zero.
//!
//! Nothing moves that prints or is opaque, that consumes, or that involves accumulators; and no check moves
//! before something that prints.
//!
//! # What moves only along with others
//!
//! `iota`, `replicate`, views, and maps with cheap functions cost little or nothing where an operator uses them, once they
//! are fused; outside the body they would be arrays in memory. They stay where they are unless an expression
//! that needs them moves: then they move with it.

mod frame;
mod place;
mod rules;
mod walk;

use fehu_facts::{Effects, Prints, Share};
use fehu_ir::Prog;
use fehu_ir::pass::{Pass, Remarks};
use walk::Hoist;

/// Moves statements out of loops and functions of operators.
pub const HOIST: Pass =
    Pass { name: "hoist", about: "hoists loop-invariant code out of loops and operators", run };

fn run(prog: &mut Prog, _: &mut Remarks) {
    let effects = Effects::of(prog);
    let prints = Prints::of(prog);
    for item in prog.items() {
        prog.change(item, |prog, vars, body| {
            let share = Share::of(prog, body, vars);
            Hoist::new(&effects, &prints, vars, share).whole(&prog.params(item), body);
        });
    }
}
