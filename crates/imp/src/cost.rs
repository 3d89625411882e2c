//! How much work imperative code is, and how much of it there is. `facts::cost` is the same for the IR; but what is left here is
//! mostly executed by vector units, whose divisions and functions take longer beside other operations.

use crate::visit::each_stm;
use crate::{Exp, Stm};
use fehu_ir::{BinOp, MathFn};

/// Reading an element.
const READ: usize = 4;

impl Exp {
    /// About how many cycles it keeps a vector unit busy.
    pub fn cycles(&self) -> usize {
        let mut total = match self {
            Exp::Const(_) | Exp::Var(_) => 0,
            Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, ..) => 8,
            Exp::Bin(BinOp::Pow, ..) | Exp::Math(..) => 16,
            Exp::Load(..) => READ,
            Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Index(_)
            | Exp::Select(_) => 1,
        };
        self.each_child(&mut |child| total += child.cycles());
        total
    }

    /// Whether there is a function in it that is more than an instruction.
    pub fn is_expensive(&self) -> bool {
        self.any(&|e| match e {
            Exp::Math(f, ..) => !matches!(
                f,
                MathFn::Sqrt | MathFn::Rsqrt | MathFn::Fma | MathFn::Mad | MathFn::Lerp
            ),
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

/// Whether there are functions in a block that are many instructions, and a loop of their own where numbers are large:
/// copies of them do not fit into the cache of instructions.
pub fn calls_functions(block: &[Stm]) -> bool {
    let mut found = false;
    each_stm(block, &mut |stm| stm.each_exp(&mut |e| found |= e.is_expensive()));
    found
}

/// The number of statements of a block, at any depth.
pub fn count(block: &[Stm]) -> usize {
    let mut count = 0;
    each_stm(block, &mut |_| count += 1);
    count
}
