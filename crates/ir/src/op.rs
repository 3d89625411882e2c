//! Operations on scalars.
//!
//! Integers wrap. The type of the operands decides between signed, unsigned and floating-point
//! arithmetic; both operands have the same type, which is also the result's, but for comparisons and
//! shifts as noted. What every operation computes, to the bit, is defined by the interpreter.

/// One operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Negation of a number.
    Neg,
    /// Negation of a truth value; complement of an integer.
    Not,
    /// Absolute value of a number.
    Abs,
    /// -1, 0 or 1 by the sign of a number; NaN for NaN.
    Sgn,
}

/// Two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient; of integers rounded towards negative infinity.
    Div,
    /// Remainder of [`BinOp::Div`]; of floats as by C's `fmod`.
    Mod,
    /// Quotient of integers rounded towards zero.
    Quot,
    /// Remainder of [`BinOp::Quot`].
    Rem,
    /// Power; of integers with a negative exponent zero, or 1 or -1 for those bases.
    Pow,
    /// The smaller one; of floats the one that is not NaN.
    Min,
    /// The larger one; of floats the one that is not NaN.
    Max,
    /// Conjunction of truth values, bit by bit of integers. Both operands are evaluated.
    And,
    /// Disjunction, likewise.
    Or,
    /// Exclusive disjunction, likewise.
    Xor,
    /// Left shift; zero for distances of the width or more, or negative ones.
    Shl,
    /// Right shift: arithmetic for signed, logical for unsigned integers; all sign bits for distances
    /// of the width or more, or negative ones.
    Shr,
    /// Logical right shift of any integer.
    Lshr,
    /// Arithmetic right shift of any integer.
    Ashr,
}

/// Two operands of one type, result bool. Other comparisons are these with operands swapped or the
/// result negated, except that `!(a < b)` is not `a >= b` for floats: `a >= b` is `b <= a`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    /// Equal.
    Eq,
    /// Less; false before true.
    Lt,
    /// Less or equal.
    Le,
}

/// Functions of one to three floats, and a few of integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "named as in C or in the prelude, where each is documented")]
pub enum MathFn {
    Sqrt,
    Rsqrt,
    Cbrt,
    Exp,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Sinpi,
    Cospi,
    Tanpi,
    Asin,
    Acos,
    Atan,
    Asinpi,
    Acospi,
    Atanpi,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Gamma,
    Lgamma,
    Erf,
    Erfc,
    Ceil,
    Floor,
    /// To the nearest integer, ties to even.
    Round,
    Atan2,
    Atan2pi,
    Hypot,
    Copysign,
    Nextafter,
    /// A float and an i32.
    Ldexp,
    Lerp,
    Mad,
    Fma,
    /// Float to bool.
    Isnan,
    Isinf,
    /// Integer to i32: number of one bits.
    Popc,
    /// Integer to i32: leading zeros.
    Clz,
    /// Integer to i32: trailing zeros.
    Ctz,
    /// Upper half of the product of two integers.
    MulHi,
    /// [`MathFn::MulHi`] of the first two, plus the third.
    MadHi,
}

impl MathFn {
    /// All functions.
    pub const ALL: &[MathFn] = &[
        MathFn::Sqrt,
        MathFn::Rsqrt,
        MathFn::Cbrt,
        MathFn::Exp,
        MathFn::Log,
        MathFn::Log2,
        MathFn::Log10,
        MathFn::Log1p,
        MathFn::Sin,
        MathFn::Cos,
        MathFn::Tan,
        MathFn::Sinpi,
        MathFn::Cospi,
        MathFn::Tanpi,
        MathFn::Asin,
        MathFn::Acos,
        MathFn::Atan,
        MathFn::Asinpi,
        MathFn::Acospi,
        MathFn::Atanpi,
        MathFn::Sinh,
        MathFn::Cosh,
        MathFn::Tanh,
        MathFn::Asinh,
        MathFn::Acosh,
        MathFn::Atanh,
        MathFn::Gamma,
        MathFn::Lgamma,
        MathFn::Erf,
        MathFn::Erfc,
        MathFn::Ceil,
        MathFn::Floor,
        MathFn::Round,
        MathFn::Atan2,
        MathFn::Atan2pi,
        MathFn::Hypot,
        MathFn::Copysign,
        MathFn::Nextafter,
        MathFn::Ldexp,
        MathFn::Lerp,
        MathFn::Mad,
        MathFn::Fma,
        MathFn::Isnan,
        MathFn::Isinf,
        MathFn::Popc,
        MathFn::Clz,
        MathFn::Ctz,
        MathFn::MulHi,
        MathFn::MadHi,
    ];

    /// The name in the text form: that of the prelude's function.
    pub fn name(self) -> &'static str {
        match self {
            MathFn::Sqrt => "sqrt",
            MathFn::Rsqrt => "rsqrt",
            MathFn::Cbrt => "cbrt",
            MathFn::Exp => "exp",
            MathFn::Log => "log",
            MathFn::Log2 => "log2",
            MathFn::Log10 => "log10",
            MathFn::Log1p => "log1p",
            MathFn::Sin => "sin",
            MathFn::Cos => "cos",
            MathFn::Tan => "tan",
            MathFn::Sinpi => "sinpi",
            MathFn::Cospi => "cospi",
            MathFn::Tanpi => "tanpi",
            MathFn::Asin => "asin",
            MathFn::Acos => "acos",
            MathFn::Atan => "atan",
            MathFn::Asinpi => "asinpi",
            MathFn::Acospi => "acospi",
            MathFn::Atanpi => "atanpi",
            MathFn::Sinh => "sinh",
            MathFn::Cosh => "cosh",
            MathFn::Tanh => "tanh",
            MathFn::Asinh => "asinh",
            MathFn::Acosh => "acosh",
            MathFn::Atanh => "atanh",
            MathFn::Gamma => "gamma",
            MathFn::Lgamma => "lgamma",
            MathFn::Erf => "erf",
            MathFn::Erfc => "erfc",
            MathFn::Ceil => "ceil",
            MathFn::Floor => "floor",
            MathFn::Round => "round",
            MathFn::Atan2 => "atan2",
            MathFn::Atan2pi => "atan2pi",
            MathFn::Hypot => "hypot",
            MathFn::Copysign => "copysign",
            MathFn::Nextafter => "nextafter",
            MathFn::Ldexp => "ldexp",
            MathFn::Lerp => "lerp",
            MathFn::Mad => "mad",
            MathFn::Fma => "fma",
            MathFn::Isnan => "isnan",
            MathFn::Isinf => "isinf",
            MathFn::Popc => "popc",
            MathFn::Clz => "clz",
            MathFn::Ctz => "ctz",
            MathFn::MulHi => "mul_hi",
            MathFn::MadHi => "mad_hi",
        }
    }

    /// The function with this name.
    pub fn from_name(name: &str) -> Option<MathFn> {
        MathFn::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// The number of operands.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others have one operand")]
    pub fn arity(self) -> usize {
        match self {
            MathFn::Atan2
            | MathFn::Atan2pi
            | MathFn::Hypot
            | MathFn::Copysign
            | MathFn::Nextafter
            | MathFn::Ldexp
            | MathFn::MulHi => 2,
            MathFn::Lerp | MathFn::Mad | MathFn::Fma | MathFn::MadHi => 3,
            _ => 1,
        }
    }
}
