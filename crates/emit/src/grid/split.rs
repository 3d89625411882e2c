//! Tiles whose steps are divided among several blocks.
//!
//! A product of small matrices with many steps, such as the gradient of weights in a batch, has fewer tiles than a
//! device has multiprocessors. If the fold is a reduction, a block computes a tile for a share of the steps only, and
//! stores what it has; another kernel combines the shares of each position, in their order. If there is one share,
//! which is only known when the kernel is launched, it is the whole tile, and nothing is to be combined.
//!
//! ```text
//! kernel tile:  for a tile and a share s:  acc = neutral; for k in share s: acc = f(acc, a[i, k], b[k, j])
//!                                          if several: partial[s, i, j] = acc, else: out[i, j] = g(acc)
//! kernel sums:  for a position:            acc = neutral; for s: acc = f(acc, partial[s, i, j]); out[i, j] = g(acc)
//! ```

use super::super::Emit;
use super::super::combine::{Kept, Partial, Room, Sofar};
use super::square::Shape;
use super::stage::up_to;
use super::tile::Inner;
use super::{bin, lt, quot_up};
use fehu_base::{OrBug, Prim};
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{self as ir, Atom, BinOp, Screma};

/// A share has at least this many steps: what it stores has to be worth it.
const LEAST_STEPS: i64 = 64;

/// So many tiles, or shares of tiles, keep a device busy: one of so many of the blocks that reside there if they need
/// few registers.
const BUSY: i64 = 4;

/// How steps are divided.
pub(super) struct Shares {
    /// The number of a block's share.
    pub(super) number: V,
    /// How many shares there are, and how many steps each has; the last one has the rest as well.
    pub(super) count: Exp,
    pub(super) steps: Exp,
}

/// The steps that a block executes.
pub(super) struct Steps {
    /// The first one; none if that is the first of all.
    pub(super) low: Option<Exp>,
    pub(super) count: Exp,
}

impl Steps {
    /// The number of a step that is this one for the block.
    pub(super) fn step(&self, number: Exp) -> Exp {
        match &self.low {
            Some(low) => bin(BinOp::Add, low.clone(), number),
            None => number,
        }
    }
}

impl Shares {
    /// The steps of a share.
    pub(super) fn steps(&self, emit: &mut Emit<'_>, inner: &Inner) -> Steps {
        let number = Exp::Var(self.number);
        let low = bin(BinOp::Mul, number.clone(), self.steps.clone());
        let low = emit.simple("low", &low);
        let rest = bin(BinOp::Sub, inner.trips.clone(), low.clone());
        let last = bin(BinOp::Sub, self.count.clone(), Exp::int(1));
        let count = Exp::Select(Box::new([lt(number, last), self.steps.clone(), rest]));
        let count = emit.simple("count", &count);
        Steps { low: Some(low), count }
    }
}

/// The reduction that the function of a map begins with, if all it makes are numbers.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is a fold")]
fn reduction(op: &Screma) -> Option<&Screma> {
    let fold = op.map.body.stms.iter().find_map(|stm| match &stm.exp {
        ir::Exp::Screma(fold) => Some(Some(&**fold)),
        ir::Exp::Loop(..) => Some(None),
        _ => None,
    })??;
    let is_bare = fold.scans.is_empty() && fold.folded() == fold.map.ret.len();
    is_bare.then_some(fold)
}

impl<'a> Emit<'a> {
    /// Tiles of this shape. If these are few, and may be divided, several blocks have a share of the steps of each.
    pub(super) fn tiles_or_shares(
        &mut self,
        op: &'a Screma,
        (sizes, indices): (&[Exp], &[V]),
        inner: &Inner,
        shape: &Shape,
        may_divide: bool,
    ) -> Block {
        let fold = reduction(op).filter(|fold| {
            let values: usize = fold.reds.iter().map(|red| red.op.ret.len()).sum();
            // The sums of shares begin with what is the same at all positions.
            let mut neutral = fold.reds.iter().flat_map(|red| &red.neutral);
            let is_same =
                |atom: &Atom| atom.var().is_none_or(|var| self.scalars.contains_key(&var));
            neutral.all(is_same)
                && may_divide
                && !self.options.strict_float
                && values == inner.accs.len()
        });
        let scalars = self.scalars.clone();
        let code = self.block(|this| {
            this.afresh(|this| match fold {
                Some(fold) => {
                    let shares = this.divided(sizes, inner, shape);
                    this.tiles_in_shares(fold, (sizes, indices), inner, shape, &shares);
                }
                None => this.tiles(sizes, indices, inner, shape, None),
            });
        });
        self.scalars = scalars;
        code
    }

    /// As many shares as keep a device busy, if that leaves enough for each.
    fn divided(&mut self, sizes: &[Exp], inner: &Inner, shape: &Shape) -> Shares {
        let depth = Exp::int(i64::from(shape.depth));
        let space = self.squares_of(sizes, inner.dims, shape);
        let tiles = self.total(&space);
        let busy = bin(BinOp::Quot, self.busy_blocks(), Exp::int(self.unless_few(BUSY, 1)));
        let at_least_one = |e| bin(BinOp::Max, e, Exp::int(1));
        let wanted = at_least_one(quot_up(busy, at_least_one(tiles)));
        let wanted = self.simple("wanted", &wanted);
        let fair = quot_up(inner.trips.clone(), bin(BinOp::Mul, wanted, depth.clone()));
        let least = Exp::int(self.unless_few(LEAST_STEPS, i64::from(shape.depth)));
        let steps = bin(BinOp::Max, bin(BinOp::Mul, fair, depth), least);
        let steps = self.simple("steps", &steps);
        let count = at_least_one(bin(BinOp::Quot, inner.trips.clone(), steps.clone()));
        let count = self.simple("shares", &count);
        let number = self.new_var("share", Ty::Scalar(Prim::I64));
        Shares { number, count, steps }
    }

    /// Both kernels, the second of which is launched if there is more than one share.
    fn tiles_in_shares(
        &mut self,
        fold: &'a Screma,
        (sizes, indices): (&[Exp], &[V]),
        inner: &Inner,
        shape: &Shape,
        shares: &Shares,
    ) {
        let positions = self.total(sizes);
        let several = lt(Exp::int(1), shares.count.clone());
        let room = bin(BinOp::Mul, positions.clone(), shares.count.clone());
        let room = Exp::Select(Box::new([several.clone(), room, Exp::int(0)]));
        let ops = fold.reds.iter().map(|red| &red.op);
        let partials = self.keep_each("partial", ops, &Room::Memory(room));
        let place = |share: V| {
            let at = bin(BinOp::Mul, Exp::Var(share), positions.clone());
            let inside = indices.iter().zip(sizes).fold(Exp::int(0), |at, (index, size)| {
                bin(BinOp::Add, bin(BinOp::Mul, at, size.clone()), Exp::Var(*index))
            });
            bin(BinOp::Add, at, inside)
        };
        let mut accs = inner.accs.iter().map(|(acc, _)| Sofar::Scalar(*acc));
        let own = fold.reds.iter().map(|red| {
            let parts = accs.by_ref().take(red.op.ret.len()).collect();
            Partial { op: &red.op, parts }
        });
        let own: Vec<Partial<'a>> = own.collect();
        let stored = self.block(|this| this.store_each(&own, &partials, &place(shares.number)));
        let after = vec![Stm::If(several.clone(), stored, inner.after.clone())];
        let of_share = Inner { after, ..inner.clone() };
        self.afresh(|this| this.tiles(sizes, indices, &of_share, shape, Some(shares)));
        let sums = self.block(|this| {
            this.combine_shares(fold, (sizes, indices), inner, shares, (&partials, &place));
        });
        self.out.push(Stm::If(several, sums, Block::new()));
        self.free(&partials);
    }

    /// The kernel for what shares have in common: a thread for each position.
    fn combine_shares(
        &mut self,
        fold: &'a Screma,
        (sizes, indices): (&[Exp], &[V]),
        inner: &Inner,
        shares: &Shares,
        (partials, place): (&[Kept], &dyn Fn(V) -> Exp),
    ) {
        self.grid("sums", sizes, |this, at| {
            for (v, index) in indices.iter().zip(at) {
                this.out.push(Stm::Declare(*v, Some(index.clone())));
            }
            this.out.extend(inner.before.iter().cloned());
            let sums = this.start_reds(fold);
            let share = this.new_var("share", Ty::Scalar(Prim::I64));
            let body = this.block(|this| this.append(&sums, partials, &place(share)));
            this.out.push(up_to(share, shares.count.clone(), body));
            let values = sums.iter().flat_map(|sum| &sum.parts).map(Sofar::value);
            for ((acc, _), value) in inner.accs.iter().zip(values) {
                this.out.push(Stm::Assign(*acc, value.or_bug("the value of a reduction")));
            }
            this.out.extend(inner.after.iter().cloned());
        });
    }
}
