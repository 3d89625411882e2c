//! How much work imperative code is, and how much of it there is. `facts::cost` is the same for the IR.

use crate::visit::each_stm;
use crate::{Exp, Stm};
use fehu_ir::BinOp;

/// Reading an element.
const READ: usize = 4;
/// Functions that take more cycles than this are expensive.
const CHEAP: u32 = 8;

impl Exp {
    /// About how many cycles it keeps a processor busy.
    pub fn cycles(&self) -> usize {
        let mut total = match self {
            Exp::Const(_) | Exp::Var(_) => 0,
            Exp::Bin(op, prim, ..) => op.cycles(prim.is_float()) as usize,
            Exp::Math(f, ..) => f.cycles() as usize,
            Exp::Load(..) => READ,
            Exp::Un(..)
            | Exp::Cmp(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Index(_)
            | Exp::Select(_) => 1,
        };
        self.each_child(&mut |child| total += child.cycles());
        total
    }

    /// Whether there is a function in it that takes many cycles.
    pub fn is_expensive(&self) -> bool {
        self.any(&|e| match e {
            Exp::Math(f, ..) => f.cycles() > CHEAP,
            Exp::Bin(op, ..) => *op == BinOp::Pow,
            Exp::Const(_)
            | Exp::Var(_)
            | Exp::Un(..)
            | Exp::Cmp(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Load(..)
            | Exp::Index(_)
            | Exp::Select(_) => false,
        })
    }

    /// The number of expressions that it consists of.
    pub fn size(&self) -> usize {
        let mut size = 1;
        self.each_child(&mut |child| size += child.size());
        size
    }
}

/// The number of statements of a block, at any depth.
pub fn count(block: &[Stm]) -> usize {
    let mut count = 0;
    each_stm(block, &mut |_| count += 1);
    count
}
