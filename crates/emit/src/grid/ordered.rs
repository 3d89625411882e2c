//! Long reductions by operators that are not commutative.
//!
//! Each thread has elements that follow each other, so that the order of operands is kept. Were it to load them,
//! neighbouring threads would load from places far apart. So all threads bring the next few elements of every thread to
//! shared memory, and then each combines its own.

use super::super::Emit;
use super::super::combine::{Kept, Partial};
use super::bin;
use super::reduce::Reduction;
use super::stage::{Stage, is_short, padded, short_int, u32_bin, up_to, wide};
use super::{lt, quot_up};
use fehu_base::Prim;
use fehu_imp::{Block, Exp, Stm, Ty};
use fehu_ir::BinOp;

impl<'a> Emit<'a> {
    /// Combines the elements of a range, each thread those of its part. All threads of the block take part; after a barrier.
    pub(super) fn reduce_in_order(
        &mut self,
        all: &Reduction<'a, '_>,
        (partials, arrays): (&[Partial<'a>], &[Kept]),
        (low, high): (Exp, Exp),
        thread: &Exp,
        stage: &Stage,
    ) {
        let items = Exp::int(i64::from(stage.items));
        let count = bin(BinOp::Max, bin(BinOp::Sub, high.clone(), low.clone()), Exp::int(0));
        let rounds = quot_up(count, Exp::int(i64::from(stage.elements())));
        let rounds = self.simple("rounds", &rounds);
        let share = self.simple("share", &bin(BinOp::Mul, rounds.clone(), items.clone()));
        let number = self.short("thread", thread);
        let last = self.simple("last", &bin(BinOp::Sub, high.clone(), Exp::int(1)));
        let round = self.new_var("round", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let before = bin(BinOp::Mul, Exp::Var(round), items.clone());
            let begin = this.simple("begin", &bin(BinOp::Add, low.clone(), before));
            // The position of an element by its number.
            let position = |e: Exp| {
                let log = short_int(stage.items.trailing_zeros());
                let owner = wide(u32_bin(BinOp::Lshr, e.clone(), log));
                let inside = wide(u32_bin(BinOp::And, e, short_int(stage.items - 1)));
                let before = bin(BinOp::Mul, owner, share.clone());
                bin(BinOp::Add, bin(BinOp::Add, begin.clone(), before), inside)
            };
            let locate = |_: &mut Self, e: Exp, is_clamped: bool| match is_clamped {
                true => bin(BinOp::Min, position(e), last.clone()),
                false => position(e),
            };
            let inside = |e: Exp| lt(position(e), high.clone());
            this.stage_elements(all, stage, arrays, &number, &locate, &inside);
            this.out.push(Stm::Barrier);
            let own =
                bin(BinOp::Add, begin.clone(), bin(BinOp::Mul, thread.clone(), share.clone()));
            let left = bin(BinOp::Min, bin(BinOp::Sub, high.clone(), own), items.clone());
            let left = this.simple("left", &left);
            let s = this.new_var("s", Ty::Scalar(Prim::I64));
            let combine = this.block(|this| {
                let first = u32_bin(BinOp::Mul, number.clone(), short_int(stage.items));
                let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(s)));
                let place = this.number("place", u32_bin(BinOp::Add, first, turn));
                let place = this.number("place", padded(place));
                this.append(partials, arrays, &place);
            });
            // If the bound is a variable, the loop is not unrolled.
            let bound = match is_short(&combine) {
                true => items.clone(),
                false => Exp::Var(this.declare("items", Prim::I64, Some(items.clone()))),
            };
            let one = vec![Stm::If(lt(Exp::Var(s), left), combine, Block::new())];
            this.out.push(Stm::Section(vec![up_to(s, bound, one)]));
            this.out.push(Stm::Barrier);
        });
        self.out.push(up_to(round, rounds, body));
    }
}
