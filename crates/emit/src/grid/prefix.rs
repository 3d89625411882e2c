//! A scan across the threads of a block: each thread gets the combination of the values of all threads before it, and
//! of all threads.
//!
//! The threads of a warp scan their values in five steps, without waiting for other warps. Then all threads meet at a
//! barrier once, and each combines the results of the warps.

use super::super::Emit;
use super::super::combine::{Partial, Sofar};
use super::elements::{Thread, Tile, WARP};
use super::stage::{is_short, short_int, u32_bin, u32_lt, up_to};
use fehu_base::Prim;
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{BinOp, CmpOp, Scalar};

/// The combined values of the threads before one, and of all threads.
pub(super) struct Sums<'a> {
    pub(super) before: Vec<Partial<'a>>,
    pub(super) before_cut: V,
    pub(super) all: Vec<Partial<'a>>,
    pub(super) cut: V,
}

impl<'a> Emit<'a> {
    /// The threads of the block scan their values: first within each warp, then across warps.
    pub(super) fn scan_threads(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) -> Sums<'a> {
        let lane = u32_bin(BinOp::And, own.short.clone(), short_int(WARP - 1));
        let lane = self.number("lane", lane);
        self.scan_warps(own, &lane);
        self.out.push(Stm::Barrier);
        let no = Exp::Const(Scalar::Bool(false));
        let sums = Sums {
            before: self.start_folds(&tile.folds),
            before_cut: self.declare("before_cut", Prim::Bool, Some(no.clone())),
            all: self.start_folds(&tile.folds),
            cut: self.declare("all_cut", Prim::Bool, Some(no)),
        };
        let warp = u32_bin(BinOp::Lshr, own.short.clone(), short_int(WARP.trailing_zeros()));
        let warp = self.number("warp", warp);
        let w = self.new_var("w", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(w)));
            let keep = this.block(|this| {
                for (before, all) in sums.before.iter().zip(&sums.all) {
                    this.copy_parts(&before.parts, &all.parts);
                }
                this.out.push(Stm::Assign(sums.before_cut, Exp::Var(sums.cut)));
            });
            let is_own = Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(turn.clone()), Box::new(warp));
            this.out.push(Stm::If(is_own, keep, Block::new()));
            let end = u32_bin(BinOp::Mul, turn, short_int(WARP));
            let end = this.number("end", u32_bin(BinOp::Add, end, short_int(WARP - 1)));
            this.append_each(own, (&sums.all, sums.cut), &end);
        });
        let warps = Exp::int(i64::from(tile.threads / WARP));
        let steps = self.few(warps, &body);
        self.out.push(Stm::Section(vec![up_to(w, steps, body)]));
        let others = self.block(|this| {
            let left = u32_bin(BinOp::Sub, own.short.clone(), short_int(1));
            let left = this.number("left", left);
            this.append_each(own, (&sums.before, sums.before_cut), &left);
        });
        let some = vec![Stm::If(u32_lt(short_int(0), lane), others, Block::new())];
        self.out.push(Stm::Section(some));
        sums
    }

    /// Combines values with those of a thread.
    fn append_each(&mut self, own: &Thread<'a>, (values, cut): (&[Partial<'a>], V), at: &Exp) {
        let there_cut = own.cuts.map(|cuts| {
            let there = Exp::Load(cuts, Box::new(at.clone()));
            Exp::Var(self.declare("there_cut", Prim::Bool, Some(there)))
        });
        for (value, each) in values.iter().zip(&own.each) {
            let there = self.load_kept(each, at);
            self.combine_unless(there_cut.as_ref(), value, &there);
        }
        if let Some(there_cut) = there_cut {
            let either =
                Exp::Bin(BinOp::Or, Prim::Bool, Box::new(Exp::Var(cut)), Box::new(there_cut));
            self.out.push(Stm::Assign(cut, either));
        }
    }

    /// Combines a value with one that comes after it; or begins with that one, if a segment begins there.
    pub(super) fn combine_unless(
        &mut self,
        begins: Option<&Exp>,
        value: &Partial<'a>,
        there: &[Sofar<'a>],
    ) {
        let combine = self.block(|this| this.combine_parts(value.op, &value.parts, there));
        match begins {
            None => self.out.extend(combine),
            Some(begins) => {
                let begin = self.block(|this| this.copy_parts(&value.parts, there));
                self.out.push(Stm::If(begins.clone(), begin, combine));
            }
        }
    }

    /// The threads of each warp scan their values.
    fn scan_warps(&mut self, own: &Thread<'a>, lane: &Exp) {
        let put = |this: &mut Self| {
            this.store_each(&own.sofar, &own.each, &own.short);
            if let Some(cuts) = own.cuts {
                this.out.push(Stm::Store(cuts, own.short.clone(), Exp::Var(own.cut)));
            }
            this.out.push(Stm::WarpBarrier);
        };
        put(self);
        let s = self.new_var("s", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(s)));
            let distance = u32_bin(BinOp::Shl, short_int(1), turn);
            let distance = this.number("distance", distance);
            let none = u32_lt(lane.clone(), distance.clone());
            let none = this.declare("none", Prim::Bool, Some(none));
            let left = u32_bin(BinOp::Sub, own.short.clone(), distance);
            let from = Exp::Select(Box::new([Exp::Var(none), own.short.clone(), left]));
            let from = this.number("from", from);
            let lefts: Vec<_> = own.each.iter().map(|each| this.load_kept(each, &from)).collect();
            let left_cut = own.cuts.map(|cuts| {
                let left_cut = Exp::Load(cuts, Box::new(from));
                this.declare("left_cut", Prim::Bool, Some(left_cut))
            });
            this.out.push(Stm::WarpBarrier);
            let combine = this.block(|this| {
                for (sofar, left) in own.sofar.iter().zip(&lefts) {
                    this.combine_parts(sofar.op, left, &sofar.parts);
                    this.copy_parts(&sofar.parts, left);
                }
                if let Some(left_cut) = left_cut {
                    this.out.push(Stm::Assign(own.cut, Exp::Var(left_cut)));
                }
            });
            let stays = Exp::Bin(
                BinOp::Or,
                Prim::Bool,
                Box::new(Exp::Var(none)),
                Box::new(Exp::Var(own.cut)),
            );
            this.out.push(Stm::Section(vec![Stm::If(stays, Block::new(), combine)]));
            put(this);
        });
        let steps = self.few(Exp::int(i64::from(WARP.trailing_zeros())), &body);
        self.out.push(up_to(s, steps, body));
    }

    /// The number of rounds of a loop: if it is a variable, the loop is not unrolled.
    pub(super) fn few(&mut self, rounds: Exp, body: &[Stm]) -> Exp {
        match is_short(body) {
            true => rounds,
            false => Exp::Var(self.declare("rounds", Prim::I64, Some(rounds))),
        }
    }
}
