//! Integers of all widths and both signs.

use fehu_ir::{BinOp, UnOp};

/// What the operations below need of an integer type.
pub(crate) trait Int: Copy + Ord {
    const BITS: u32;
    const ZERO: Self;
    const ONE: Self;
    /// Whether the type is signed.
    const SIGNED: bool;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    /// Quotient towards zero; the divisor is not zero.
    fn quot(self, b: Self) -> Self;
    /// Remainder of `quot`.
    fn rem(self, b: Self) -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn xor(self, b: Self) -> Self;
    fn not(self) -> Self;
    /// The shifts' distances are less than the width.
    fn shl(self, by: u32) -> Self;
    fn lshr(self, by: u32) -> Self;
    fn ashr(self, by: u32) -> Self;
    /// The value as a distance or exponent, if it is not negative.
    fn unsigned(self) -> Option<u64>;
    /// Upper half of the product.
    fn mul_hi(self, b: Self) -> Self;
    fn popc(self) -> u32;
    fn clz(self) -> u32;
    fn ctz(self) -> u32;
}

macro_rules! int {
    ($type:ty, $signed_type:ty, $unsigned_type:ty, $wide:ty, $signed:literal) => {
        impl Int for $type {
            const BITS: u32 = <$type>::BITS;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const SIGNED: bool = $signed;
            fn add(self, b: Self) -> Self {
                self.wrapping_add(b)
            }
            fn sub(self, b: Self) -> Self {
                self.wrapping_sub(b)
            }
            fn mul(self, b: Self) -> Self {
                self.wrapping_mul(b)
            }
            fn quot(self, b: Self) -> Self {
                self.wrapping_div(b)
            }
            fn rem(self, b: Self) -> Self {
                self.wrapping_rem(b)
            }
            fn and(self, b: Self) -> Self {
                self & b
            }
            fn or(self, b: Self) -> Self {
                self | b
            }
            fn xor(self, b: Self) -> Self {
                self ^ b
            }
            fn not(self) -> Self {
                !self
            }
            fn shl(self, by: u32) -> Self {
                self << by
            }
            fn lshr(self, by: u32) -> Self {
                (self as $unsigned_type >> by) as $type
            }
            fn ashr(self, by: u32) -> Self {
                (self as $signed_type >> by) as $type
            }
            fn unsigned(self) -> Option<u64> {
                u64::try_from(self).ok()
            }
            fn mul_hi(self, b: Self) -> Self {
                ((self as $wide * b as $wide) >> <$type>::BITS) as $type
            }
            fn popc(self) -> u32 {
                self.count_ones()
            }
            fn clz(self) -> u32 {
                self.leading_zeros()
            }
            fn ctz(self) -> u32 {
                self.trailing_zeros()
            }
        }
    };
}

int!(i8, i8, u8, i16, true);
int!(i16, i16, u16, i32, true);
int!(i32, i32, u32, i64, true);
int!(i64, i64, u64, i128, true);
int!(u8, i8, u8, u16, false);
int!(u16, i16, u16, u32, false);
int!(u32, i32, u32, u64, false);
int!(u64, i64, u64, u128, false);

pub(crate) fn unop<T: Int>(op: UnOp, a: T) -> T {
    let negative = a < T::ZERO;
    match op {
        UnOp::Neg => T::ZERO.sub(a),
        UnOp::Not => a.not(),
        UnOp::Abs if negative => T::ZERO.sub(a),
        UnOp::Abs => a,
        UnOp::Sgn if negative => T::ZERO.sub(T::ONE),
        UnOp::Sgn => a.min(T::ONE),
    }
}

#[inline]
pub(crate) fn binop<T: Int>(op: BinOp, a: T, b: T) -> Option<T> {
    Some(match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul => a.mul(b),
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem if b == T::ZERO => return None,
        BinOp::Div => {
            let quotient = a.quot(b);
            if rounds_up(a, b) { quotient.sub(T::ONE) } else { quotient }
        }
        BinOp::Mod => {
            let remainder = a.rem(b);
            if rounds_up(a, b) { remainder.add(b) } else { remainder }
        }
        BinOp::Quot => a.quot(b),
        BinOp::Rem => a.rem(b),
        BinOp::Pow => pow(a, b),
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::And => a.and(b),
        BinOp::Or => a.or(b),
        BinOp::Xor => a.xor(b),
        BinOp::Shl => distance(b).map_or(T::ZERO, |by| a.shl(by)),
        BinOp::Lshr => lshr(a, b),
        BinOp::Ashr => ashr(a, b),
        BinOp::Shr if T::SIGNED => ashr(a, b),
        BinOp::Shr => lshr(a, b),
    })
}

/// Whether rounding towards zero has rounded up: the signs differ, and there is a remainder.
fn rounds_up<T: Int>(a: T, b: T) -> bool {
    (a < T::ZERO) != (b < T::ZERO) && a.rem(b) != T::ZERO
}

/// The distance of a shift, if it is neither negative nor too far.
fn distance<T: Int>(by: T) -> Option<u32> {
    by.unsigned().filter(|&by| by < u64::from(T::BITS)).map(|by| by as u32)
}

fn lshr<T: Int>(a: T, by: T) -> T {
    distance(by).map_or(T::ZERO, |by| a.lshr(by))
}

fn ashr<T: Int>(a: T, by: T) -> T {
    a.ashr(distance(by).unwrap_or(T::BITS - 1))
}

/// Power by squaring. With a negative exponent it is the power of the reciprocal, rounded towards
/// zero: only 1 and -1 have one that is not zero (and zero has none; it yields zero, too).
fn pow<T: Int>(base: T, exponent: T) -> T {
    let minus_one = T::ZERO.sub(T::ONE);
    let Some(mut exponent) = exponent.unsigned() else {
        let odd = exponent.and(T::ONE) == T::ONE;
        return if base == T::ONE || (base == minus_one && !odd) {
            T::ONE
        } else if base == minus_one {
            minus_one
        } else {
            T::ZERO
        };
    };
    let mut result = T::ONE;
    let mut square = base;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.mul(square);
        }
        square = square.mul(square);
        exponent >>= 1;
    }
    result
}
