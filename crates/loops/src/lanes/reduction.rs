//! Reductions: one partial result for each lane, and what becomes of them.

use super::control::{Lanes, lane_info, not};
use crate::scalar::scalar;
use fehu_base::bug;
use fehu_imp::{Block, Exp, Kind, Prim, RedOp, Stm, V};
use fehu_ir::{CmpOp, Scalar};

impl Lanes<'_> {
    /// Declares the partial results.
    pub(super) fn start(&mut self, reductions: &[(V, RedOp)], out: &mut Block) {
        let lane = self.vars.push(lane_info());
        let mut stores = Block::new();
        for (v, op) in reductions {
            let home = self.home(*v);
            out.push(Stm::Declare(home, None));
            let first = first(*v, scalar(self.vars[*v].ty), *op);
            stores.push(Stm::Store(home, Exp::Var(lane), self.encoded(*v, first)));
        }
        out.push(self.lane_loop(lane, Kind::Independent(Vec::new()), stores));
    }

    /// Combines the partial results with what there was before.
    pub(super) fn combine(&mut self, reductions: &[(V, RedOp)], out: &mut Block) {
        let lane = self.vars.push(lane_info());
        let mut combined = Block::new();
        for (v, op) in reductions {
            let prim = scalar(self.vars[*v].ty);
            let part = Exp::Load(self.home(*v), Box::new(Exp::Var(lane)));
            let part = if prim == Prim::Bool {
                let zero = Box::new(Exp::Const(Scalar::zero(self.truth)));
                not(Exp::Cmp(CmpOp::Eq, self.truth, Box::new(part), zero))
            } else {
                part
            };
            let all = Exp::Bin(op.bin_op(), prim, Box::new(Exp::Var(*v)), Box::new(part));
            combined.push(Stm::Assign(*v, all));
        }
        out.push(self.lane_loop(lane, Kind::Sequential, combined));
    }
}

/// What a lane begins with: something neutral. Where it does no harm to count a value twice, it is the one that the variable has.
pub(crate) fn first(v: V, prim: Prim, op: RedOp) -> Exp {
    let neutral = match op {
        RedOp::Min | RedOp::Max | RedOp::And | RedOp::Or => return Exp::Var(v),
        RedOp::Xor => Scalar::zero(prim),
        // Only the negative zero changes nothing when added.
        RedOp::Add => match prim {
            Prim::F16 => Scalar::from_bits(prim, 0x8000),
            Prim::F32 => Scalar::F32(-0.0),
            Prim::F64 => Scalar::F64(-0.0),
            Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 | Prim::Bool => Scalar::zero(prim),
            Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => Scalar::zero(prim),
        },
        RedOp::Mul => match prim {
            Prim::F16 => Scalar::from_bits(prim, 0x3c00),
            Prim::F32 => Scalar::F32(1.0),
            Prim::F64 => Scalar::F64(1.0),
            Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 => Scalar::from_bits(prim, 1),
            Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => Scalar::from_bits(prim, 1),
            Prim::Bool => bug("truth values are not multiplied"),
        },
    };
    Exp::Const(neutral)
}
