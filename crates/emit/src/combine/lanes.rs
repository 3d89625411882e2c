//! The lanes of a warp combine their values, without memory: they pass them to each other by shuffles.

use super::super::Emit;
use super::super::grid::{bin, eq, lt};
use super::{Partial, Sofar};
use fehu_base::Prim;
use fehu_imp::device::DEVICE;
use fehu_imp::kernel::to_its_end;
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Lane, Stm, Ty};
use fehu_ir::BinOp;

/// The lanes of a warp.
pub(crate) const LANES: i64 = DEVICE.warp as i64;

/// Whether lanes can pass these values to each other: arrays are in memory.
pub(crate) fn fit_lanes(partials: &[Partial<'_>]) -> bool {
    let is_array = |part: &Sofar<'_>| matches!(part, Sofar::Array(_));
    !partials.iter().flat_map(|partial| &partial.parts).any(is_array)
}

impl<'a> Emit<'a> {
    /// The values of other lanes, as new variables.
    pub(crate) fn shuffled(&mut self, parts: &[Sofar<'a>], lane: Lane, by: &Exp) -> Vec<Sofar<'a>> {
        let mut others = Vec::with_capacity(parts.len());
        for part in parts {
            others.push(match part {
                Sofar::Scalar(v) => {
                    let to = self.new_var("other", Ty::Scalar(self.scalar_prim(*v)));
                    self.out.push(Stm::Declare(to, None));
                    let of = Exp::Var(*v);
                    self.out.push(Stm::Shuffle { to, lane, by: by.clone(), of });
                    Sofar::Scalar(to)
                }
                Sofar::Array(_) | Sofar::Nothing => Sofar::Nothing,
            });
        }
        others
    }

    /// Combines the values of the lanes of each warp; the first lane gets the result, in the order of the lanes. All
    /// threads of the block take part.
    pub(crate) fn reduce_lanes(&mut self, partials: &[Partial<'a>], thread: &Exp) {
        self.doubling(|this, distance| {
            let twice = bin(BinOp::Mul, distance.clone(), Exp::int(2));
            let mask = bin(BinOp::Sub, twice, Exp::int(1));
            let needed = eq(bin(BinOp::And, thread.clone(), mask), Exp::int(0));
            let others: Vec<_> = (partials.iter())
                .map(|partial| this.shuffled(&partial.parts, Lane::Down, distance))
                .collect();
            let combine = this.block(|this| {
                for (partial, other) in partials.iter().zip(&others) {
                    this.combine_parts(partial.op, &partial.parts, other);
                }
            });
            // What the other lanes combine is of no use, but takes no time, either.
            match is_quick(&combine) {
                true => this.out.extend(combine),
                false => this.out.push(Stm::If(needed, to_its_end(combine), Block::new())),
            }
        });
    }

    /// The combined values of the lanes of a warp up to each of them. `lane` is the number of the lane.
    pub(crate) fn scan_lanes(&mut self, partials: &[Partial<'a>], lane: &Exp) {
        self.doubling(|this, distance| {
            let others: Vec<_> = (partials.iter())
                .map(|partial| this.shuffled(&partial.parts, Lane::Up, distance))
                .collect();
            let combine = this.block(|this| {
                for (partial, other) in partials.iter().zip(&others) {
                    this.prepend(partial, other);
                }
            });
            let takes_part = lt(distance.clone(), bin(BinOp::Add, lane.clone(), Exp::int(1)));
            this.out.push(Stm::If(takes_part, to_its_end(combine), Block::new()));
        });
    }

    /// Executes code for all distances between lanes that are powers of two, from small to large.
    fn doubling(&mut self, step: impl FnOnce(&mut Self, &Exp)) {
        let v = self.declare("distance", Prim::I64, Some(Exp::int(1)));
        let distance = Exp::Var(v);
        let body = self.block(|this| {
            step(this, &distance);
            let twice = bin(BinOp::Mul, distance.clone(), Exp::int(2));
            this.out.push(Stm::Assign(v, twice));
        });
        self.out.push(Stm::While(lt(distance, Exp::int(LANES)), body));
    }

    /// `own = left op own`
    pub(crate) fn prepend(&mut self, own: &Partial<'a>, left: &[Sofar<'a>]) {
        let value = self.copied(&own.parts);
        self.copy_parts(&own.parts, left);
        self.combine_parts(own.op, &own.parts, &value);
    }
}

/// Whether code neither fails nor repeats anything.
fn is_quick(code: &[Stm]) -> bool {
    let mut quick = true;
    each_stm(code, &mut |stm| {
        quick &= matches!(
            stm,
            Stm::Comment(_) | Stm::Declare(..) | Stm::Assign(..) | Stm::If(..) | Stm::Switch(..)
        );
    });
    quick
}
