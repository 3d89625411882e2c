//! Expressions: trees without effects.

use crate::V;
pub use fehu_base::Prim;
use fehu_ir::{BinOp, CmpOp, MathFn, Scalar, UnOp};

/// An expression. The meaning of the operators is defined in [`fehu_ir`]; they never fail, because divisors have been
/// checked, or a division is not evaluated.
#[derive(Clone, PartialEq, Debug)]
pub enum Exp {
    /// A constant.
    Const(Scalar),
    /// The value of a scalar variable.
    Var(V),
    /// `op a`, on operands of this type.
    Un(UnOp, Prim, Box<Exp>),
    /// `a op b`, on operands of this type, with wrapping arithmetic as the language requires.
    Bin(BinOp, Prim, Box<Exp>, Box<Exp>),
    /// `a op b`, a boolean, on operands of this type.
    Cmp(CmpOp, Prim, Box<Exp>, Box<Exp>),
    /// A function of numbers; the type is that of the first operand.
    Math(MathFn, Prim, Vec<Exp>),
    /// A number of the first type converted to the second.
    Convert(Prim, Prim, Box<Exp>),
    /// The bits of the first type reinterpreted as the second.
    Reinterpret(Prim, Prim, Box<Exp>),
    /// Index arithmetic, which is known not to overflow: a sum of products of variables.
    Index(Vec<(i64, Vec<V>)>),
    /// The element at an index of a pointer or local array.
    Load(V, Box<Exp>),
    /// One of two values.
    Select(Box<[Exp; 3]>),
}

/// An operator whose partial results can be combined in any order, and which C compilers can vectorise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RedOp {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Exclusive disjunction.
    Xor,
}

impl RedOp {
    /// All operators.
    pub const ALL: [RedOp; 7] =
        [RedOp::Add, RedOp::Mul, RedOp::Min, RedOp::Max, RedOp::And, RedOp::Or, RedOp::Xor];

    /// The operator's name.
    pub fn name(self) -> &'static str {
        self.bin_op().name()
    }

    /// The operator with this name.
    pub fn from_name(name: &str) -> Option<RedOp> {
        RedOp::ALL.into_iter().find(|op| op.name() == name)
    }

    /// Whether a statement combines the elements of an array of this type up to each position
    /// ([`Stm::Prefixes`](crate::Stm::Prefixes)). Those of narrow numbers are rarely a bottleneck; products wait no
    /// longer for each other than vectors of them take.
    pub fn has_prefixes(self, prim: Prim) -> bool {
        let is_wide = prim != Prim::Bool && prim.bits() >= 32;
        is_wide && matches!(self, RedOp::Add | RedOp::Min | RedOp::Max)
    }

    /// The operator on two operands.
    pub fn bin_op(self) -> BinOp {
        match self {
            RedOp::Add => BinOp::Add,
            RedOp::Mul => BinOp::Mul,
            RedOp::Min => BinOp::Min,
            RedOp::Max => BinOp::Max,
            RedOp::And => BinOp::And,
            RedOp::Or => BinOp::Or,
            RedOp::Xor => BinOp::Xor,
        }
    }
}

impl Exp {
    /// An `i64`.
    pub fn int(value: i64) -> Exp {
        Exp::Const(Scalar::I64(value))
    }
}
