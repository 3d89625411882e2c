//! Positions in a space by their numbers.
//!
//! To find the indices of a position takes a division for each dimension but the first, and devices have no instruction
//! for that. So the host computes reciprocals, and threads multiply:
//!
//! ```text
//! n / d = (n * ceil(2^(31 + l) / d)) >> (31 + l)    where l = ceil(log2(d)), for n < 2^31
//! ```
//!
//! That this is exact is the theorem 4.2 of "Division by invariant integers using multiplication" (Granlund,
//! Montgomery, 1994). The factor has 32 bits, the product 63.

use super::super::Emit;
use super::{bin, lt, quick_quot, quot_up};
use fehu_base::Prim;
use fehu_imp::{Exp, Stm};
use fehu_ir::BinOp;

/// Numbers below this are divided by multiplication.
const SMALL: i64 = 1 << 31;

/// A space of positions.
pub(super) struct Space {
    /// The number of positions.
    pub(super) total: Exp,
    /// The sizes but the first, and for each of them the factor and the distance of the shift, unless it is a constant.
    inner: Vec<(Exp, Option<(Exp, Exp)>)>,
    /// Whether there is no dimension at all.
    is_point: bool,
}

impl<'a> Emit<'a> {
    /// The space of these sizes, which are variables or constants. This is code of the host.
    pub(super) fn space(&mut self, sizes: &[Exp]) -> Space {
        let total = self.total(sizes);
        let mut inner = Vec::with_capacity(sizes.len());
        for size in sizes.iter().skip(1) {
            let is_constant = matches!(size, Exp::Const(_));
            let reciprocal = (!is_constant).then(|| self.reciprocal(size));
            inner.push((size.clone(), reciprocal));
        }
        Space { total, inner, is_point: sizes.is_empty() }
    }

    fn reciprocal(&mut self, size: &Exp) -> (Exp, Exp) {
        let shift = self.declare("shift", Prim::I64, Some(Exp::int(31)));
        // Larger sizes are not used.
        let power = bin(BinOp::Shl, Exp::int(1), bin(BinOp::Sub, Exp::Var(shift), Exp::int(31)));
        let more = Exp::Bin(
            BinOp::And,
            Prim::Bool,
            Box::new(lt(Exp::Var(shift), Exp::int(62))),
            Box::new(lt(power, size.clone())),
        );
        let next = Stm::Assign(shift, bin(BinOp::Add, Exp::Var(shift), Exp::int(1)));
        self.out.push(Stm::While(more, vec![next]));
        let power = bin(BinOp::Shl, Exp::int(1), Exp::Var(shift));
        let factor = quot_up(power, bin(BinOp::Max, size.clone(), Exp::int(1)));
        (self.simple("factor", &factor), Exp::Var(shift))
    }

    /// The indices of a position, by its number in row-major order.
    pub(super) fn position_in(&mut self, at: Exp, space: &Space) -> Vec<Exp> {
        let mut indices = Vec::with_capacity(space.inner.len() + 1);
        let mut rest = at;
        for (size, reciprocal) in space.inner.iter().rev() {
            let whole = match reciprocal {
                None => quick_quot(rest.clone(), size.clone()),
                Some((factor, shift)) => {
                    let wide = |e: &Exp| {
                        let low = Exp::Convert(Prim::I64, Prim::U32, Box::new(e.clone()));
                        Box::new(Exp::Convert(Prim::U32, Prim::U64, Box::new(low)))
                    };
                    let product = Exp::Bin(BinOp::Mul, Prim::U64, wide(&rest), wide(factor));
                    let shifted = Exp::Bin(BinOp::Lshr, Prim::U64, Box::new(product), wide(shift));
                    let quick = Exp::Convert(Prim::U64, Prim::I64, Box::new(shifted));
                    let slow = bin(BinOp::Quot, rest.clone(), size.clone());
                    let is_small = lt(space.total.clone(), Exp::int(SMALL));
                    Exp::Select(Box::new([is_small, quick, slow]))
                }
            };
            let whole = self.simple("rest", &whole);
            let before = bin(BinOp::Mul, whole.clone(), size.clone());
            let index = self.simple("i", &bin(BinOp::Sub, rest.clone(), before));
            self.note_linear(&index, &[(1, &[&rest]), (-1, &[&whole, size])]);
            indices.push(index);
            rest = whole;
        }
        if !space.is_point {
            indices.push(rest);
        }
        indices.reverse();
        indices
    }
}
