-- | The numeric modules, one for each primitive type, and their module types.
--
-- The overloaded operators work on primitive types only. Code that is generic
-- in a number type takes one of these modules as parameter instead. The modules
-- are also the way to convert: `f32.i64 x` makes an `f32` from an `i64`.
--
-- Every module is written out directly over the compiler's operations, one line
-- each. Inside a module, an operator means the module's own once it is defined,
-- a conversion hides the module of the same name, and prefix `-` and `!` are
-- always the compiler's.

-- | Conversions from all primitive types.
--
-- Integers are cut to a narrower type. To a wider one they are extended by their
-- sign if both types are signed, and by zeros otherwise: `u64.i32 (-1)` is
-- 4294967295, not the greatest `u64`. Floats are rounded towards zero to
-- integers; the result is unspecified if that is out of range, or for NaN.
-- Everything but zero becomes `true`, and `true` becomes one.
module type from_prim = {
  -- | The type converted to.
  type t

  -- | From signed integers.
  val i8 : i8 -> t
  val i16 : i16 -> t
  val i32 : i32 -> t
  val i64 : i64 -> t

  -- | From unsigned integers.
  val u8 : u8 -> t
  val u16 : u16 -> t
  val u32 : u32 -> t
  val u64 : u64 -> t

  -- | From floats.
  val f16 : f16 -> t
  val f32 : f32 -> t
  val f64 : f64 -> t

  -- | From a truth value.
  val bool : bool -> t
}

-- | What all number types can do.
module type numeric = {
  include from_prim

  -- | Arithmetic. Integers wrap around; `/` and `%` of integers round towards
  -- negative infinity, and a zero divisor is a run-time error; `%` of floats has
  -- the sign of the dividend. `**` is power; a negative exponent of an integer is
  -- a run-time error.
  val (+) : t -> t -> t
  val (-) : t -> t -> t
  val (*) : t -> t -> t
  val (/) : t -> t -> t
  val (%) : t -> t -> t
  val (**) : t -> t -> t

  -- | Conversion to `i64`, as `i64` converts from this type.
  val to_i64 : t -> i64

  -- | Comparisons. With a NaN all are false but `!=`.
  val (==) : t -> t -> bool
  val (<) : t -> t -> bool
  val (>) : t -> t -> bool
  val (<=) : t -> t -> bool
  val (>=) : t -> t -> bool
  val (!=) : t -> t -> bool

  -- | Arithmetic negation; for unsigned types modulo two to the width.
  val neg : t -> t

  -- | The greater and the lesser of two numbers. If one is NaN, the other.
  val max : t -> t -> t
  val min : t -> t -> t

  -- | Absolute value. That of the least signed integer is itself.
  val abs : t -> t

  -- | The sign: -1, 0 or 1. Floats keep signed zeros and NaN.
  val sgn : t -> t

  -- | The greatest number; infinity for floats.
  val highest : t

  -- | The least number; negative infinity for floats.
  val lowest : t

  -- | The sum; zero if there are no elements. Work O(n), span O(log n), like the
  -- three that follow.
  val sum [n] : [n]t -> t

  -- | The product; one if there are no elements.
  val product [n] : [n]t -> t

  -- | The greatest element; `lowest` if there are none.
  val maximum [n] : [n]t -> t

  -- | The least element; `highest` if there are none.
  val minimum [n] : [n]t -> t
}

-- | What all integer types can do.
module type integral = {
  include numeric

  -- | Division and remainder that round towards zero.
  val (//) : t -> t -> t
  val (%%) : t -> t -> t

  -- | Bitwise and, or, exclusive or.
  val (&) : t -> t -> t
  val (|) : t -> t -> t
  val (^) : t -> t -> t

  -- | Shifts. `>>` copies the top bit, *also in the modules of unsigned types*,
  -- while the plain operator `>>` on unsigned numbers shifts in zeros; `>>>`
  -- always shifts in zeros. The count must be from 0 to `num_bits - 1`.
  val (<<) : t -> t -> t
  val (>>) : t -> t -> t
  val (>>>) : t -> t -> t

  -- | Bitwise complement.
  val not : t -> t

  -- | The number of bits of the type.
  val num_bits : i32

  -- | `get_bit i x` is bit i of x, 0 or 1, where bit 0 is the least significant.
  val get_bit : i32 -> t -> i32

  -- | `set_bit i x b` is x with bit i replaced by b, which must be 0 or 1.
  val set_bit : i32 -> t -> i32 -> t

  -- | The number of one bits.
  val popc : t -> i32

  -- | The number of zero bits above the highest one; `num_bits` for zero.
  val clz : t -> i32

  -- | The number of zero bits below the lowest one; `num_bits` for zero.
  val ctz : t -> i32

  -- | The upper half of the product computed at twice the width.
  val mul_hi : (x: t) -> (y: t) -> t

  -- | `mul_hi a b + c`.
  val mad_hi : (a: t) -> (b: t) -> (c: t) -> t
}

-- | What numbers can do that stand for real numbers. Arguments outside the
-- domain of a function give NaN.
module type real = {
  include numeric

  -- | One divided by the number.
  val recip : t -> t

  -- | Square root, its reciprocal, and cube root.
  val sqrt : t -> t
  val rsqrt : t -> t
  val cbrt : t -> t

  -- | e to the power of the number.
  val exp : t -> t

  -- | Trigonometric functions of an angle in radians.
  val sin : t -> t
  val cos : t -> t
  val tan : t -> t

  -- | Trigonometric functions of an angle in multiples of pi.
  val sinpi : t -> t
  val cospi : t -> t
  val tanpi : t -> t

  -- | Inverse trigonometric functions, in radians.
  val asin : t -> t
  val acos : t -> t
  val atan : t -> t

  -- | Inverse trigonometric functions, in multiples of pi.
  val asinpi : t -> t
  val acospi : t -> t
  val atanpi : t -> t

  -- | Hyperbolic functions and their inverses.
  val sinh : t -> t
  val cosh : t -> t
  val tanh : t -> t
  val asinh : t -> t
  val acosh : t -> t
  val atanh : t -> t

  -- | The gamma function, and the natural logarithm of its absolute value.
  val gamma : t -> t
  val lgamma : t -> t

  -- | The error function, and one minus it, computed without cancellation.
  val erf : t -> t
  val erfc : t -> t

  -- | Logarithms: natural, to base 2 and 10, and the natural one of one plus the
  -- number, computed without cancellation.
  val log : t -> t
  val log2 : t -> t
  val log10 : t -> t
  val log1p : t -> t

  -- | Round to an integer: up, down, towards zero, to the nearest with ties to
  -- the even one. These work for all magnitudes, infinities and NaN (`trunc`
  -- deliberately too, though it was once defined by conversion to an integer and
  -- back).
  val ceil : t -> t
  val floor : t -> t
  val trunc : t -> t
  val round : t -> t

  -- | `atan2 y x` is the angle of the point (x, y), in radians; `atan2pi` in
  -- multiples of pi.
  val atan2 : t -> t -> t
  val atan2pi : t -> t -> t

  -- | The length of a hypotenuse, without overflow in between.
  val hypot : t -> t -> t

  -- | `lerp a b x` is `a + (b - a) * x`.
  val lerp : t -> t -> t -> t

  -- | `a * b + c`. `fma` rounds once; `mad` may round twice if that is faster.
  val mad : (a: t) -> (b: t) -> (c: t) -> t
  val fma : (a: t) -> (b: t) -> (c: t) -> t

  -- | The quotient of two integers.
  val from_fraction : i64 -> i64 -> t

  -- | Conversion to `i64`, rounding towards zero.
  val to_i64 : t -> i64

  -- | Conversion to `f64`.
  val to_f64 : t -> f64

  -- | Is it an infinity? Is it NaN?
  val isinf : t -> bool
  val isnan : t -> bool

  -- | Infinity, not-a-number, and the constants pi and e.
  val inf : t
  val nan : t
  val pi : t
  val e : t
}

-- | What floating-point numbers can do.
module type float = {
  include real

  -- | The unsigned integer type of the same width.
  type int_t

  -- | Reinterpretation of the bits.
  val from_bits : int_t -> t
  val to_bits : t -> int_t

  -- | The number of bits of the type.
  val num_bits : i32

  -- | As for integers, on the bits of the representation.
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t

  -- | The distance from one to the next greater number (in `f16` deliberately
  -- that of `f16`, which was once that of `f32`).
  val epsilon : t

  -- | The next number after x in the direction of y.
  val nextafter : (x: t) -> (y: t) -> t

  -- | A number with the magnitude of x and the sign of y.
  val copysign : (x: t) -> (y: t) -> t

  -- | `ldexp x i` is x times two to the power of i.
  val ldexp : t -> i32 -> t
}

-- | Conversions to truth values.
module bool : from_prim with t = bool = {
  type t = bool

  def i8 (x: i8) = intrinsics.itob_i8_bool x
  def i16 (x: i16) = intrinsics.itob_i16_bool x
  def i32 (x: i32) = intrinsics.itob_i32_bool x
  def i64 (x: i64) = intrinsics.itob_i64_bool x
  def u8 (x: u8) = intrinsics.itob_i8_bool (intrinsics.sign_i8 x)
  def u16 (x: u16) = intrinsics.itob_i16_bool (intrinsics.sign_i16 x)
  def u32 (x: u32) = intrinsics.itob_i32_bool (intrinsics.sign_i32 x)
  def u64 (x: u64) = intrinsics.itob_i64_bool (intrinsics.sign_i64 x)
  def f16 (x: f16) = intrinsics.ftob_f16_bool x
  def f32 (x: f32) = intrinsics.ftob_f32_bool x
  def f64 (x: f64) = intrinsics.ftob_f64_bool x
  def bool (x: bool) = x
}

-- | Signed 8-bit integers.
module i8 : (integral with t = i8) = {
  type t = i8

  def i8 (x: i8) = x
  def i16 (x: i16) = intrinsics.sext_i16_i8 x
  def i32 (x: i32) = intrinsics.sext_i32_i8 x
  def i64 (x: i64) = intrinsics.sext_i64_i8 x
  def u8 (x: u8) = intrinsics.sign_i8 x
  def u16 (x: u16) = intrinsics.zext_i16_i8 (intrinsics.sign_i16 x)
  def u32 (x: u32) = intrinsics.zext_i32_i8 (intrinsics.sign_i32 x)
  def u64 (x: u64) = intrinsics.zext_i64_i8 (intrinsics.sign_i64 x)
  def f16 (x: f16) = intrinsics.fptosi_f16_i8 x
  def f32 (x: f32) = intrinsics.fptosi_f32_i8 x
  def f64 (x: f64) = intrinsics.fptosi_f64_i8 x
  def bool (x: bool) = intrinsics.btoi_bool_i8 x
  def to_i64 (x: i8) = intrinsics.sext_i8_i64 x

  def (+) (x: i8) (y: i8) = x intrinsics.+ y
  def (-) (x: i8) (y: i8) = x intrinsics.- y
  def (*) (x: i8) (y: i8) = x intrinsics.* y
  def (/) (x: i8) (y: i8) = x intrinsics./ y
  def (%) (x: i8) (y: i8) = x intrinsics.% y
  def (**) (x: i8) (y: i8) = x intrinsics.** y
  def (//) (x: i8) (y: i8) = x intrinsics.// y
  def (%%) (x: i8) (y: i8) = x intrinsics.%% y
  def (&) (x: i8) (y: i8) = x intrinsics.& y
  def (|) (x: i8) (y: i8) = x intrinsics.| y
  def (^) (x: i8) (y: i8) = x intrinsics.^ y
  def (<<) (x: i8) (y: i8) = x intrinsics.<< y

  def (==) (x: i8) (y: i8) = x intrinsics.== y
  def (<) (x: i8) (y: i8) = x intrinsics.< y
  def (>) (x: i8) (y: i8) = x intrinsics.> y
  def (<=) (x: i8) (y: i8) = x intrinsics.<= y
  def (>=) (x: i8) (y: i8) = x intrinsics.>= y
  def (!=) (x: i8) (y: i8) = x intrinsics.!= y

  def (>>) (x: i8) (y: i8) = intrinsics.ashr8 (x, y)
  def (>>>) (x: i8) (y: i8) = intrinsics.lshr8 (x, y)
  def not (x: i8) = !x
  def neg (x: i8) = -x
  def max (x: i8) (y: i8) = intrinsics.smax8 (x, y)
  def min (x: i8) (y: i8) = intrinsics.smin8 (x, y)
  def abs (x: i8) = intrinsics.abs8 x
  def sgn (x: i8) = intrinsics.ssignum8 x
  def highest : i8 = 127
  def lowest : i8 = highest intrinsics.+ 1

  def num_bits : i32 = 8
  def popc (x: i8) = intrinsics.popc8 x
  def clz (x: i8) = intrinsics.clz8 x
  def ctz (x: i8) = intrinsics.ctz8 x
  def get_bit (i: i32) (x: i8) = intrinsics.zext_i8_i32 ((x >>> i32 i) & 1)
  def set_bit (i: i32) (x: i8) (b: i32) = (x & !(1 << i32 i)) | (i32 b << i32 i)
  def mul_hi (x: i8) (y: i8) = intrinsics.smul_hi8 (x, y)
  def mad_hi (a: i8) (b: i8) (c: i8) = intrinsics.smad_hi8 (a, b, c)

  def sum [n] (xs: [n]i8) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]i8) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]i8) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]i8) = intrinsics.reduce_comm min highest xs
}

-- | Signed 16-bit integers.
module i16 : (integral with t = i16) = {
  type t = i16

  def i8 (x: i8) = intrinsics.sext_i8_i16 x
  def i16 (x: i16) = x
  def i32 (x: i32) = intrinsics.sext_i32_i16 x
  def i64 (x: i64) = intrinsics.sext_i64_i16 x
  def u8 (x: u8) = intrinsics.zext_i8_i16 (intrinsics.sign_i8 x)
  def u16 (x: u16) = intrinsics.sign_i16 x
  def u32 (x: u32) = intrinsics.zext_i32_i16 (intrinsics.sign_i32 x)
  def u64 (x: u64) = intrinsics.zext_i64_i16 (intrinsics.sign_i64 x)
  def f16 (x: f16) = intrinsics.fptosi_f16_i16 x
  def f32 (x: f32) = intrinsics.fptosi_f32_i16 x
  def f64 (x: f64) = intrinsics.fptosi_f64_i16 x
  def bool (x: bool) = intrinsics.btoi_bool_i16 x
  def to_i64 (x: i16) = intrinsics.sext_i16_i64 x

  def (+) (x: i16) (y: i16) = x intrinsics.+ y
  def (-) (x: i16) (y: i16) = x intrinsics.- y
  def (*) (x: i16) (y: i16) = x intrinsics.* y
  def (/) (x: i16) (y: i16) = x intrinsics./ y
  def (%) (x: i16) (y: i16) = x intrinsics.% y
  def (**) (x: i16) (y: i16) = x intrinsics.** y
  def (//) (x: i16) (y: i16) = x intrinsics.// y
  def (%%) (x: i16) (y: i16) = x intrinsics.%% y
  def (&) (x: i16) (y: i16) = x intrinsics.& y
  def (|) (x: i16) (y: i16) = x intrinsics.| y
  def (^) (x: i16) (y: i16) = x intrinsics.^ y
  def (<<) (x: i16) (y: i16) = x intrinsics.<< y

  def (==) (x: i16) (y: i16) = x intrinsics.== y
  def (<) (x: i16) (y: i16) = x intrinsics.< y
  def (>) (x: i16) (y: i16) = x intrinsics.> y
  def (<=) (x: i16) (y: i16) = x intrinsics.<= y
  def (>=) (x: i16) (y: i16) = x intrinsics.>= y
  def (!=) (x: i16) (y: i16) = x intrinsics.!= y

  def (>>) (x: i16) (y: i16) = intrinsics.ashr16 (x, y)
  def (>>>) (x: i16) (y: i16) = intrinsics.lshr16 (x, y)
  def not (x: i16) = !x
  def neg (x: i16) = -x
  def max (x: i16) (y: i16) = intrinsics.smax16 (x, y)
  def min (x: i16) (y: i16) = intrinsics.smin16 (x, y)
  def abs (x: i16) = intrinsics.abs16 x
  def sgn (x: i16) = intrinsics.ssignum16 x
  def highest : i16 = 32767
  def lowest : i16 = highest intrinsics.+ 1

  def num_bits : i32 = 16
  def popc (x: i16) = intrinsics.popc16 x
  def clz (x: i16) = intrinsics.clz16 x
  def ctz (x: i16) = intrinsics.ctz16 x
  def get_bit (i: i32) (x: i16) = intrinsics.zext_i16_i32 ((x >>> i32 i) & 1)
  def set_bit (i: i32) (x: i16) (b: i32) = (x & !(1 << i32 i)) | (i32 b << i32 i)
  def mul_hi (x: i16) (y: i16) = intrinsics.smul_hi16 (x, y)
  def mad_hi (a: i16) (b: i16) (c: i16) = intrinsics.smad_hi16 (a, b, c)

  def sum [n] (xs: [n]i16) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]i16) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]i16) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]i16) = intrinsics.reduce_comm min highest xs
}

-- | Signed 32-bit integers.
module i32 : (integral with t = i32) = {
  type t = i32

  def i8 (x: i8) = intrinsics.sext_i8_i32 x
  def i16 (x: i16) = intrinsics.sext_i16_i32 x
  def i32 (x: i32) = x
  def i64 (x: i64) = intrinsics.sext_i64_i32 x
  def u8 (x: u8) = intrinsics.zext_i8_i32 (intrinsics.sign_i8 x)
  def u16 (x: u16) = intrinsics.zext_i16_i32 (intrinsics.sign_i16 x)
  def u32 (x: u32) = intrinsics.sign_i32 x
  def u64 (x: u64) = intrinsics.zext_i64_i32 (intrinsics.sign_i64 x)
  def f16 (x: f16) = intrinsics.fptosi_f16_i32 x
  def f32 (x: f32) = intrinsics.fptosi_f32_i32 x
  def f64 (x: f64) = intrinsics.fptosi_f64_i32 x
  def bool (x: bool) = intrinsics.btoi_bool_i32 x
  def to_i64 (x: i32) = intrinsics.sext_i32_i64 x

  def (+) (x: i32) (y: i32) = x intrinsics.+ y
  def (-) (x: i32) (y: i32) = x intrinsics.- y
  def (*) (x: i32) (y: i32) = x intrinsics.* y
  def (/) (x: i32) (y: i32) = x intrinsics./ y
  def (%) (x: i32) (y: i32) = x intrinsics.% y
  def (**) (x: i32) (y: i32) = x intrinsics.** y
  def (//) (x: i32) (y: i32) = x intrinsics.// y
  def (%%) (x: i32) (y: i32) = x intrinsics.%% y
  def (&) (x: i32) (y: i32) = x intrinsics.& y
  def (|) (x: i32) (y: i32) = x intrinsics.| y
  def (^) (x: i32) (y: i32) = x intrinsics.^ y
  def (<<) (x: i32) (y: i32) = x intrinsics.<< y

  def (==) (x: i32) (y: i32) = x intrinsics.== y
  def (<) (x: i32) (y: i32) = x intrinsics.< y
  def (>) (x: i32) (y: i32) = x intrinsics.> y
  def (<=) (x: i32) (y: i32) = x intrinsics.<= y
  def (>=) (x: i32) (y: i32) = x intrinsics.>= y
  def (!=) (x: i32) (y: i32) = x intrinsics.!= y

  def (>>) (x: i32) (y: i32) = intrinsics.ashr32 (x, y)
  def (>>>) (x: i32) (y: i32) = intrinsics.lshr32 (x, y)
  def not (x: i32) = !x
  def neg (x: i32) = -x
  def max (x: i32) (y: i32) = intrinsics.smax32 (x, y)
  def min (x: i32) (y: i32) = intrinsics.smin32 (x, y)
  def abs (x: i32) = intrinsics.abs32 x
  def sgn (x: i32) = intrinsics.ssignum32 x
  def highest : i32 = 2147483647
  def lowest : i32 = highest intrinsics.+ 1

  def num_bits : i32 = 32
  def popc (x: i32) = intrinsics.popc32 x
  def clz (x: i32) = intrinsics.clz32 x
  def ctz (x: i32) = intrinsics.ctz32 x
  def get_bit (i: i32) (x: i32) = (x >>> i32 i) & 1
  def set_bit (i: i32) (x: i32) (b: i32) = (x & !(1 << i32 i)) | (i32 b << i32 i)
  def mul_hi (x: i32) (y: i32) = intrinsics.smul_hi32 (x, y)
  def mad_hi (a: i32) (b: i32) (c: i32) = intrinsics.smad_hi32 (a, b, c)

  def sum [n] (xs: [n]i32) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]i32) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]i32) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]i32) = intrinsics.reduce_comm min highest xs
}

-- | Signed 64-bit integers.
module i64 : (integral with t = i64) = {
  type t = i64

  def i8 (x: i8) = intrinsics.sext_i8_i64 x
  def i16 (x: i16) = intrinsics.sext_i16_i64 x
  def i32 (x: i32) = intrinsics.sext_i32_i64 x
  def i64 (x: i64) = x
  def u8 (x: u8) = intrinsics.zext_i8_i64 (intrinsics.sign_i8 x)
  def u16 (x: u16) = intrinsics.zext_i16_i64 (intrinsics.sign_i16 x)
  def u32 (x: u32) = intrinsics.zext_i32_i64 (intrinsics.sign_i32 x)
  def u64 (x: u64) = intrinsics.sign_i64 x
  def f16 (x: f16) = intrinsics.fptosi_f16_i64 x
  def f32 (x: f32) = intrinsics.fptosi_f32_i64 x
  def f64 (x: f64) = intrinsics.fptosi_f64_i64 x
  def bool (x: bool) = intrinsics.btoi_bool_i64 x
  def to_i64 (x: i64) = x

  def (+) (x: i64) (y: i64) = x intrinsics.+ y
  def (-) (x: i64) (y: i64) = x intrinsics.- y
  def (*) (x: i64) (y: i64) = x intrinsics.* y
  def (/) (x: i64) (y: i64) = x intrinsics./ y
  def (%) (x: i64) (y: i64) = x intrinsics.% y
  def (**) (x: i64) (y: i64) = x intrinsics.** y
  def (//) (x: i64) (y: i64) = x intrinsics.// y
  def (%%) (x: i64) (y: i64) = x intrinsics.%% y
  def (&) (x: i64) (y: i64) = x intrinsics.& y
  def (|) (x: i64) (y: i64) = x intrinsics.| y
  def (^) (x: i64) (y: i64) = x intrinsics.^ y
  def (<<) (x: i64) (y: i64) = x intrinsics.<< y

  def (==) (x: i64) (y: i64) = x intrinsics.== y
  def (<) (x: i64) (y: i64) = x intrinsics.< y
  def (>) (x: i64) (y: i64) = x intrinsics.> y
  def (<=) (x: i64) (y: i64) = x intrinsics.<= y
  def (>=) (x: i64) (y: i64) = x intrinsics.>= y
  def (!=) (x: i64) (y: i64) = x intrinsics.!= y

  def (>>) (x: i64) (y: i64) = intrinsics.ashr64 (x, y)
  def (>>>) (x: i64) (y: i64) = intrinsics.lshr64 (x, y)
  def not (x: i64) = !x
  def neg (x: i64) = -x
  def max (x: i64) (y: i64) = intrinsics.smax64 (x, y)
  def min (x: i64) (y: i64) = intrinsics.smin64 (x, y)
  def abs (x: i64) = intrinsics.abs64 x
  def sgn (x: i64) = intrinsics.ssignum64 x
  def highest : i64 = 9223372036854775807
  def lowest : i64 = highest intrinsics.+ 1

  def num_bits : i32 = 64
  def popc (x: i64) = intrinsics.popc64 x
  def clz (x: i64) = intrinsics.clz64 x
  def ctz (x: i64) = intrinsics.ctz64 x
  def get_bit (i: i32) (x: i64) = intrinsics.zext_i64_i32 ((x >>> i32 i) & 1)
  def set_bit (i: i32) (x: i64) (b: i32) = (x & !(1 << i32 i)) | (i32 b << i32 i)
  def mul_hi (x: i64) (y: i64) = intrinsics.smul_hi64 (x, y)
  def mad_hi (a: i64) (b: i64) (c: i64) = intrinsics.smad_hi64 (a, b, c)

  def sum [n] (xs: [n]i64) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]i64) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]i64) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]i64) = intrinsics.reduce_comm min highest xs
}

-- | Unsigned 8-bit integers.
module u8 : (integral with t = u8) = {
  type t = u8

  local def signed (x: u8) = intrinsics.sign_i8 x
  local def unsigned (x: i8) = intrinsics.unsign_i8 x

  def i8 (x: i8) = unsigned x
  def i16 (x: i16) = unsigned (intrinsics.zext_i16_i8 x)
  def i32 (x: i32) = unsigned (intrinsics.zext_i32_i8 x)
  def i64 (x: i64) = unsigned (intrinsics.zext_i64_i8 x)
  def u8 (x: u8) = x
  def u16 (x: u16) = unsigned (intrinsics.zext_i16_i8 (intrinsics.sign_i16 x))
  def u32 (x: u32) = unsigned (intrinsics.zext_i32_i8 (intrinsics.sign_i32 x))
  def u64 (x: u64) = unsigned (intrinsics.zext_i64_i8 (intrinsics.sign_i64 x))
  def f16 (x: f16) = unsigned (intrinsics.fptoui_f16_i8 x)
  def f32 (x: f32) = unsigned (intrinsics.fptoui_f32_i8 x)
  def f64 (x: f64) = unsigned (intrinsics.fptoui_f64_i8 x)
  def bool (x: bool) = unsigned (intrinsics.btoi_bool_i8 x)
  def to_i64 (x: u8) = intrinsics.zext_i8_i64 (signed x)

  def (+) (x: u8) (y: u8) = x intrinsics.+ y
  def (-) (x: u8) (y: u8) = x intrinsics.- y
  def (*) (x: u8) (y: u8) = x intrinsics.* y
  def (/) (x: u8) (y: u8) = x intrinsics./ y
  def (%) (x: u8) (y: u8) = x intrinsics.% y
  def (**) (x: u8) (y: u8) = x intrinsics.** y
  def (//) (x: u8) (y: u8) = x intrinsics.// y
  def (%%) (x: u8) (y: u8) = x intrinsics.%% y
  def (&) (x: u8) (y: u8) = x intrinsics.& y
  def (|) (x: u8) (y: u8) = x intrinsics.| y
  def (^) (x: u8) (y: u8) = x intrinsics.^ y
  def (<<) (x: u8) (y: u8) = x intrinsics.<< y

  def (==) (x: u8) (y: u8) = x intrinsics.== y
  def (<) (x: u8) (y: u8) = x intrinsics.< y
  def (>) (x: u8) (y: u8) = x intrinsics.> y
  def (<=) (x: u8) (y: u8) = x intrinsics.<= y
  def (>=) (x: u8) (y: u8) = x intrinsics.>= y
  def (!=) (x: u8) (y: u8) = x intrinsics.!= y

  def (>>) (x: u8) (y: u8) = unsigned (intrinsics.ashr8 (signed x, signed y))
  def (>>>) (x: u8) (y: u8) = x intrinsics.>> y
  def not (x: u8) = !x
  def neg (x: u8) = -x
  def max (x: u8) (y: u8) = unsigned (intrinsics.umax8 (signed x, signed y))
  def min (x: u8) (y: u8) = unsigned (intrinsics.umin8 (signed x, signed y))
  def abs (x: u8) = x
  def sgn (x: u8) = unsigned (intrinsics.usignum8 (signed x))
  def highest : u8 = 255
  def lowest : u8 = 0

  def num_bits : i32 = 8
  def popc (x: u8) = intrinsics.popc8 (signed x)
  def clz (x: u8) = intrinsics.clz8 (signed x)
  def ctz (x: u8) = intrinsics.ctz8 (signed x)
  def get_bit (i: i32) (x: u8) = intrinsics.zext_i8_i32 (signed ((x >>> i32 i) & 1))
  def set_bit (i: i32) (x: u8) (b: i32) = (x & !(1 << i32 i)) | (i32 b << i32 i)
  def mul_hi (x: u8) (y: u8) = unsigned (intrinsics.umul_hi8 (signed x, signed y))
  def mad_hi (a: u8) (b: u8) (c: u8) = unsigned (intrinsics.umad_hi8 (signed a, signed b, signed c))

  def sum [n] (xs: [n]u8) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]u8) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]u8) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]u8) = intrinsics.reduce_comm min highest xs
}

-- | Unsigned 16-bit integers.
module u16 : (integral with t = u16) = {
  type t = u16

  local def signed (x: u16) = intrinsics.sign_i16 x
  local def unsigned (x: i16) = intrinsics.unsign_i16 x

  def i8 (x: i8) = unsigned (intrinsics.zext_i8_i16 x)
  def i16 (x: i16) = unsigned x
  def i32 (x: i32) = unsigned (intrinsics.zext_i32_i16 x)
  def i64 (x: i64) = unsigned (intrinsics.zext_i64_i16 x)
  def u8 (x: u8) = unsigned (intrinsics.zext_i8_i16 (intrinsics.sign_i8 x))
  def u16 (x: u16) = x
  def u32 (x: u32) = unsigned (intrinsics.zext_i32_i16 (intrinsics.sign_i32 x))
  def u64 (x: u64) = unsigned (intrinsics.zext_i64_i16 (intrinsics.sign_i64 x))
  def f16 (x: f16) = unsigned (intrinsics.fptoui_f16_i16 x)
  def f32 (x: f32) = unsigned (intrinsics.fptoui_f32_i16 x)
  def f64 (x: f64) = unsigned (intrinsics.fptoui_f64_i16 x)
  def bool (x: bool) = unsigned (intrinsics.btoi_bool_i16 x)
  def to_i64 (x: u16) = intrinsics.zext_i16_i64 (signed x)

  def (+) (x: u16) (y: u16) = x intrinsics.+ y
  def (-) (x: u16) (y: u16) = x intrinsics.- y
  def (*) (x: u16) (y: u16) = x intrinsics.* y
  def (/) (x: u16) (y: u16) = x intrinsics./ y
  def (%) (x: u16) (y: u16) = x intrinsics.% y
  def (**) (x: u16) (y: u16) = x intrinsics.** y
  def (//) (x: u16) (y: u16) = x intrinsics.// y
  def (%%) (x: u16) (y: u16) = x intrinsics.%% y
  def (&) (x: u16) (y: u16) = x intrinsics.& y
  def (|) (x: u16) (y: u16) = x intrinsics.| y
  def (^) (x: u16) (y: u16) = x intrinsics.^ y
  def (<<) (x: u16) (y: u16) = x intrinsics.<< y

  def (==) (x: u16) (y: u16) = x intrinsics.== y
  def (<) (x: u16) (y: u16) = x intrinsics.< y
  def (>) (x: u16) (y: u16) = x intrinsics.> y
  def (<=) (x: u16) (y: u16) = x intrinsics.<= y
  def (>=) (x: u16) (y: u16) = x intrinsics.>= y
  def (!=) (x: u16) (y: u16) = x intrinsics.!= y

  def (>>) (x: u16) (y: u16) = unsigned (intrinsics.ashr16 (signed x, signed y))
  def (>>>) (x: u16) (y: u16) = x intrinsics.>> y
  def not (x: u16) = !x
  def neg (x: u16) = -x
  def max (x: u16) (y: u16) = unsigned (intrinsics.umax16 (signed x, signed y))
  def min (x: u16) (y: u16) = unsigned (intrinsics.umin16 (signed x, signed y))
  def abs (x: u16) = x
  def sgn (x: u16) = unsigned (intrinsics.usignum16 (signed x))
  def highest : u16 = 65535
  def lowest : u16 = 0

  def num_bits : i32 = 16
  def popc (x: u16) = intrinsics.popc16 (signed x)
  def clz (x: u16) = intrinsics.clz16 (signed x)
  def ctz (x: u16) = intrinsics.ctz16 (signed x)
  def get_bit (i: i32) (x: u16) = intrinsics.zext_i16_i32 (signed ((x >>> i32 i) & 1))
  def set_bit (i: i32) (x: u16) (b: i32) = (x & !(1 << i32 i)) | (i32 b << i32 i)
  def mul_hi (x: u16) (y: u16) = unsigned (intrinsics.umul_hi16 (signed x, signed y))
  def mad_hi (a: u16) (b: u16) (c: u16) = unsigned (intrinsics.umad_hi16 (signed a, signed b, signed c))

  def sum [n] (xs: [n]u16) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]u16) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]u16) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]u16) = intrinsics.reduce_comm min highest xs
}

-- | Unsigned 32-bit integers.
module u32 : (integral with t = u32) = {
  type t = u32

  local def signed (x: u32) = intrinsics.sign_i32 x
  local def unsigned (x: i32) = intrinsics.unsign_i32 x

  def i8 (x: i8) = unsigned (intrinsics.zext_i8_i32 x)
  def i16 (x: i16) = unsigned (intrinsics.zext_i16_i32 x)
  def i32 (x: i32) = unsigned x
  def i64 (x: i64) = unsigned (intrinsics.zext_i64_i32 x)
  def u8 (x: u8) = unsigned (intrinsics.zext_i8_i32 (intrinsics.sign_i8 x))
  def u16 (x: u16) = unsigned (intrinsics.zext_i16_i32 (intrinsics.sign_i16 x))
  def u32 (x: u32) = x
  def u64 (x: u64) = unsigned (intrinsics.zext_i64_i32 (intrinsics.sign_i64 x))
  def f16 (x: f16) = unsigned (intrinsics.fptoui_f16_i32 x)
  def f32 (x: f32) = unsigned (intrinsics.fptoui_f32_i32 x)
  def f64 (x: f64) = unsigned (intrinsics.fptoui_f64_i32 x)
  def bool (x: bool) = unsigned (intrinsics.btoi_bool_i32 x)
  def to_i64 (x: u32) = intrinsics.zext_i32_i64 (signed x)

  def (+) (x: u32) (y: u32) = x intrinsics.+ y
  def (-) (x: u32) (y: u32) = x intrinsics.- y
  def (*) (x: u32) (y: u32) = x intrinsics.* y
  def (/) (x: u32) (y: u32) = x intrinsics./ y
  def (%) (x: u32) (y: u32) = x intrinsics.% y
  def (**) (x: u32) (y: u32) = x intrinsics.** y
  def (//) (x: u32) (y: u32) = x intrinsics.// y
  def (%%) (x: u32) (y: u32) = x intrinsics.%% y
  def (&) (x: u32) (y: u32) = x intrinsics.& y
  def (|) (x: u32) (y: u32) = x intrinsics.| y
  def (^) (x: u32) (y: u32) = x intrinsics.^ y
  def (<<) (x: u32) (y: u32) = x intrinsics.<< y

  def (==) (x: u32) (y: u32) = x intrinsics.== y
  def (<) (x: u32) (y: u32) = x intrinsics.< y
  def (>) (x: u32) (y: u32) = x intrinsics.> y
  def (<=) (x: u32) (y: u32) = x intrinsics.<= y
  def (>=) (x: u32) (y: u32) = x intrinsics.>= y
  def (!=) (x: u32) (y: u32) = x intrinsics.!= y

  def (>>) (x: u32) (y: u32) = unsigned (intrinsics.ashr32 (signed x, signed y))
  def (>>>) (x: u32) (y: u32) = x intrinsics.>> y
  def not (x: u32) = !x
  def neg (x: u32) = -x
  def max (x: u32) (y: u32) = unsigned (intrinsics.umax32 (signed x, signed y))
  def min (x: u32) (y: u32) = unsigned (intrinsics.umin32 (signed x, signed y))
  def abs (x: u32) = x
  def sgn (x: u32) = unsigned (intrinsics.usignum32 (signed x))
  def highest : u32 = 4294967295
  def lowest : u32 = 0

  def num_bits : i32 = 32
  def popc (x: u32) = intrinsics.popc32 (signed x)
  def clz (x: u32) = intrinsics.clz32 (signed x)
  def ctz (x: u32) = intrinsics.ctz32 (signed x)
  def get_bit (i: i32) (x: u32) = signed ((x >>> i32 i) & 1)
  def set_bit (i: i32) (x: u32) (b: i32) = (x & !(1 << i32 i)) | (i32 b << i32 i)
  def mul_hi (x: u32) (y: u32) = unsigned (intrinsics.umul_hi32 (signed x, signed y))
  def mad_hi (a: u32) (b: u32) (c: u32) = unsigned (intrinsics.umad_hi32 (signed a, signed b, signed c))

  def sum [n] (xs: [n]u32) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]u32) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]u32) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]u32) = intrinsics.reduce_comm min highest xs
}

-- | Unsigned 64-bit integers.
module u64 : (integral with t = u64) = {
  type t = u64

  local def signed (x: u64) = intrinsics.sign_i64 x
  local def unsigned (x: i64) = intrinsics.unsign_i64 x

  def i8 (x: i8) = unsigned (intrinsics.zext_i8_i64 x)
  def i16 (x: i16) = unsigned (intrinsics.zext_i16_i64 x)
  def i32 (x: i32) = unsigned (intrinsics.zext_i32_i64 x)
  def i64 (x: i64) = unsigned x
  def u8 (x: u8) = unsigned (intrinsics.zext_i8_i64 (intrinsics.sign_i8 x))
  def u16 (x: u16) = unsigned (intrinsics.zext_i16_i64 (intrinsics.sign_i16 x))
  def u32 (x: u32) = unsigned (intrinsics.zext_i32_i64 (intrinsics.sign_i32 x))
  def u64 (x: u64) = x
  def f16 (x: f16) = unsigned (intrinsics.fptoui_f16_i64 x)
  def f32 (x: f32) = unsigned (intrinsics.fptoui_f32_i64 x)
  def f64 (x: f64) = unsigned (intrinsics.fptoui_f64_i64 x)
  def bool (x: bool) = unsigned (intrinsics.btoi_bool_i64 x)
  def to_i64 (x: u64) = signed x

  def (+) (x: u64) (y: u64) = x intrinsics.+ y
  def (-) (x: u64) (y: u64) = x intrinsics.- y
  def (*) (x: u64) (y: u64) = x intrinsics.* y
  def (/) (x: u64) (y: u64) = x intrinsics./ y
  def (%) (x: u64) (y: u64) = x intrinsics.% y
  def (**) (x: u64) (y: u64) = x intrinsics.** y
  def (//) (x: u64) (y: u64) = x intrinsics.// y
  def (%%) (x: u64) (y: u64) = x intrinsics.%% y
  def (&) (x: u64) (y: u64) = x intrinsics.& y
  def (|) (x: u64) (y: u64) = x intrinsics.| y
  def (^) (x: u64) (y: u64) = x intrinsics.^ y
  def (<<) (x: u64) (y: u64) = x intrinsics.<< y

  def (==) (x: u64) (y: u64) = x intrinsics.== y
  def (<) (x: u64) (y: u64) = x intrinsics.< y
  def (>) (x: u64) (y: u64) = x intrinsics.> y
  def (<=) (x: u64) (y: u64) = x intrinsics.<= y
  def (>=) (x: u64) (y: u64) = x intrinsics.>= y
  def (!=) (x: u64) (y: u64) = x intrinsics.!= y

  def (>>) (x: u64) (y: u64) = unsigned (intrinsics.ashr64 (signed x, signed y))
  def (>>>) (x: u64) (y: u64) = x intrinsics.>> y
  def not (x: u64) = !x
  def neg (x: u64) = -x
  def max (x: u64) (y: u64) = unsigned (intrinsics.umax64 (signed x, signed y))
  def min (x: u64) (y: u64) = unsigned (intrinsics.umin64 (signed x, signed y))
  def abs (x: u64) = x
  def sgn (x: u64) = unsigned (intrinsics.usignum64 (signed x))
  def highest : u64 = 18446744073709551615
  def lowest : u64 = 0

  def num_bits : i32 = 64
  def popc (x: u64) = intrinsics.popc64 (signed x)
  def clz (x: u64) = intrinsics.clz64 (signed x)
  def ctz (x: u64) = intrinsics.ctz64 (signed x)
  def get_bit (i: i32) (x: u64) = intrinsics.zext_i64_i32 (signed ((x >>> i32 i) & 1))
  def set_bit (i: i32) (x: u64) (b: i32) = (x & !(1 << i32 i)) | (i32 b << i32 i)
  def mul_hi (x: u64) (y: u64) = unsigned (intrinsics.umul_hi64 (signed x, signed y))
  def mad_hi (a: u64) (b: u64) (c: u64) = unsigned (intrinsics.umad_hi64 (signed a, signed b, signed c))

  def sum [n] (xs: [n]u64) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]u64) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]u64) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]u64) = intrinsics.reduce_comm min highest xs
}

-- The conversions inside the float modules hide the modules of unsigned numbers.
local module bits16 = u16
local module bits32 = u32
local module bits64 = u64

-- | Half precision floats, computed in single precision where there is no hardware.
module f16 : (float with t = f16 with int_t = u16) = {
  type t = f16
  type int_t = u16

  def i8 (x: i8) = intrinsics.sitofp_i8_f16 x
  def i16 (x: i16) = intrinsics.sitofp_i16_f16 x
  def i32 (x: i32) = intrinsics.sitofp_i32_f16 x
  def i64 (x: i64) = intrinsics.sitofp_i64_f16 x
  def u8 (x: u8) = intrinsics.uitofp_i8_f16 (intrinsics.sign_i8 x)
  def u16 (x: u16) = intrinsics.uitofp_i16_f16 (intrinsics.sign_i16 x)
  def u32 (x: u32) = intrinsics.uitofp_i32_f16 (intrinsics.sign_i32 x)
  def u64 (x: u64) = intrinsics.uitofp_i64_f16 (intrinsics.sign_i64 x)
  def f16 (x: f16) = x
  def f32 (x: f32) = intrinsics.fpconv_f32_f16 x
  def f64 (x: f64) = intrinsics.fpconv_f64_f16 x
  def bool (x: bool) = intrinsics.btof_bool_f16 x
  def to_i64 (x: f16) = intrinsics.fptosi_f16_i64 x
  def to_f64 (x: f16) = intrinsics.fpconv_f16_f64 x
  def from_fraction (x: i64) (y: i64) = i64 x intrinsics./ i64 y

  def (+) (x: f16) (y: f16) = x intrinsics.+ y
  def (-) (x: f16) (y: f16) = x intrinsics.- y
  def (*) (x: f16) (y: f16) = x intrinsics.* y
  def (/) (x: f16) (y: f16) = x intrinsics./ y
  def (%) (x: f16) (y: f16) = x intrinsics.% y
  def (**) (x: f16) (y: f16) = x intrinsics.** y

  def (==) (x: f16) (y: f16) = x intrinsics.== y
  def (<) (x: f16) (y: f16) = x intrinsics.< y
  def (>) (x: f16) (y: f16) = x intrinsics.> y
  def (<=) (x: f16) (y: f16) = x intrinsics.<= y
  def (>=) (x: f16) (y: f16) = x intrinsics.>= y
  def (!=) (x: f16) (y: f16) = x intrinsics.!= y

  def neg (x: f16) = -x
  def recip (x: f16) = 1 intrinsics./ x
  def max (x: f16) (y: f16) = intrinsics.fmax16 (x, y)
  def min (x: f16) (y: f16) = intrinsics.fmin16 (x, y)
  def abs (x: f16) = intrinsics.fabs16 x
  def sgn (x: f16) = intrinsics.fsignum16 x

  def sqrt (x: f16) = intrinsics.sqrt16 x
  def rsqrt (x: f16) = intrinsics.rsqrt16 x
  def cbrt (x: f16) = intrinsics.cbrt16 x
  def exp (x: f16) = intrinsics.exp16 x
  def log (x: f16) = intrinsics.log16 x
  def log2 (x: f16) = intrinsics.log2_16 x
  def log10 (x: f16) = intrinsics.log10_16 x
  def log1p (x: f16) = intrinsics.log1p_16 x
  def sin (x: f16) = intrinsics.sin16 x
  def cos (x: f16) = intrinsics.cos16 x
  def tan (x: f16) = intrinsics.tan16 x
  def asin (x: f16) = intrinsics.asin16 x
  def acos (x: f16) = intrinsics.acos16 x
  def atan (x: f16) = intrinsics.atan16 x
  def sinpi (x: f16) = intrinsics.sinpi16 x
  def cospi (x: f16) = intrinsics.cospi16 x
  def tanpi (x: f16) = intrinsics.tanpi16 x
  def asinpi (x: f16) = intrinsics.asinpi16 x
  def acospi (x: f16) = intrinsics.acospi16 x
  def atanpi (x: f16) = intrinsics.atanpi16 x
  def sinh (x: f16) = intrinsics.sinh16 x
  def cosh (x: f16) = intrinsics.cosh16 x
  def tanh (x: f16) = intrinsics.tanh16 x
  def asinh (x: f16) = intrinsics.asinh16 x
  def acosh (x: f16) = intrinsics.acosh16 x
  def atanh (x: f16) = intrinsics.atanh16 x
  def atan2 (y: f16) (x: f16) = intrinsics.atan2_16 (y, x)
  def atan2pi (y: f16) (x: f16) = intrinsics.atan2pi_16 (y, x)
  def hypot (x: f16) (y: f16) = intrinsics.hypot16 (x, y)
  def gamma (x: f16) = intrinsics.gamma16 x
  def lgamma (x: f16) = intrinsics.lgamma16 x
  def erf (x: f16) = intrinsics.erf16 x
  def erfc (x: f16) = intrinsics.erfc16 x

  def ceil (x: f16) = intrinsics.ceil16 x
  def floor (x: f16) = intrinsics.floor16 x
  def round (x: f16) = intrinsics.round16 x
  def trunc (x: f16) = if x intrinsics.< 0 then intrinsics.ceil16 x else intrinsics.floor16 x
  def lerp (a: f16) (b: f16) (x: f16) = intrinsics.lerp16 (a, b, x)
  def mad (a: f16) (b: f16) (c: f16) = intrinsics.mad16 (a, b, c)
  def fma (a: f16) (b: f16) (c: f16) = intrinsics.fma16 (a, b, c)
  def isinf (x: f16) = intrinsics.isinf16 x
  def isnan (x: f16) = intrinsics.isnan16 x

  def inf : f16 = intrinsics.bitstofp_i16_f16 0x7c00
  def nan : f16 = intrinsics.bitstofp_i16_f16 0x7e00
  def highest = inf
  def lowest = -inf
  def epsilon : f16 = 9.765625e-4
  def pi : f16 = 3.141592653589793
  def e : f16 = 2.718281828459045

  def to_bits (x: f16) = intrinsics.unsign_i16 (intrinsics.fptobits_f16_i16 x)
  def from_bits (x: u16) = intrinsics.bitstofp_i16_f16 (intrinsics.sign_i16 x)
  def num_bits : i32 = 16
  def get_bit (i: i32) (x: f16) = bits16.get_bit i (to_bits x)
  def set_bit (i: i32) (x: f16) (b: i32) = from_bits (bits16.set_bit i (to_bits x) b)
  def nextafter (x: f16) (y: f16) = intrinsics.nextafter16 (x, y)
  def copysign (x: f16) (y: f16) = intrinsics.copysign16 (x, y)
  def ldexp (x: f16) (i: i32) = intrinsics.ldexp16 (x, i)

  def sum [n] (xs: [n]f16) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]f16) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]f16) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]f16) = intrinsics.reduce_comm min highest xs
}

-- | Single precision floats.
module f32 : (float with t = f32 with int_t = u32) = {
  type t = f32
  type int_t = u32

  def i8 (x: i8) = intrinsics.sitofp_i8_f32 x
  def i16 (x: i16) = intrinsics.sitofp_i16_f32 x
  def i32 (x: i32) = intrinsics.sitofp_i32_f32 x
  def i64 (x: i64) = intrinsics.sitofp_i64_f32 x
  def u8 (x: u8) = intrinsics.uitofp_i8_f32 (intrinsics.sign_i8 x)
  def u16 (x: u16) = intrinsics.uitofp_i16_f32 (intrinsics.sign_i16 x)
  def u32 (x: u32) = intrinsics.uitofp_i32_f32 (intrinsics.sign_i32 x)
  def u64 (x: u64) = intrinsics.uitofp_i64_f32 (intrinsics.sign_i64 x)
  def f16 (x: f16) = intrinsics.fpconv_f16_f32 x
  def f32 (x: f32) = x
  def f64 (x: f64) = intrinsics.fpconv_f64_f32 x
  def bool (x: bool) = intrinsics.btof_bool_f32 x
  def to_i64 (x: f32) = intrinsics.fptosi_f32_i64 x
  def to_f64 (x: f32) = intrinsics.fpconv_f32_f64 x
  def from_fraction (x: i64) (y: i64) = i64 x intrinsics./ i64 y

  def (+) (x: f32) (y: f32) = x intrinsics.+ y
  def (-) (x: f32) (y: f32) = x intrinsics.- y
  def (*) (x: f32) (y: f32) = x intrinsics.* y
  def (/) (x: f32) (y: f32) = x intrinsics./ y
  def (%) (x: f32) (y: f32) = x intrinsics.% y
  def (**) (x: f32) (y: f32) = x intrinsics.** y

  def (==) (x: f32) (y: f32) = x intrinsics.== y
  def (<) (x: f32) (y: f32) = x intrinsics.< y
  def (>) (x: f32) (y: f32) = x intrinsics.> y
  def (<=) (x: f32) (y: f32) = x intrinsics.<= y
  def (>=) (x: f32) (y: f32) = x intrinsics.>= y
  def (!=) (x: f32) (y: f32) = x intrinsics.!= y

  def neg (x: f32) = -x
  def recip (x: f32) = 1 intrinsics./ x
  def max (x: f32) (y: f32) = intrinsics.fmax32 (x, y)
  def min (x: f32) (y: f32) = intrinsics.fmin32 (x, y)
  def abs (x: f32) = intrinsics.fabs32 x
  def sgn (x: f32) = intrinsics.fsignum32 x

  def sqrt (x: f32) = intrinsics.sqrt32 x
  def rsqrt (x: f32) = intrinsics.rsqrt32 x
  def cbrt (x: f32) = intrinsics.cbrt32 x
  def exp (x: f32) = intrinsics.exp32 x
  def log (x: f32) = intrinsics.log32 x
  def log2 (x: f32) = intrinsics.log2_32 x
  def log10 (x: f32) = intrinsics.log10_32 x
  def log1p (x: f32) = intrinsics.log1p_32 x
  def sin (x: f32) = intrinsics.sin32 x
  def cos (x: f32) = intrinsics.cos32 x
  def tan (x: f32) = intrinsics.tan32 x
  def asin (x: f32) = intrinsics.asin32 x
  def acos (x: f32) = intrinsics.acos32 x
  def atan (x: f32) = intrinsics.atan32 x
  def sinpi (x: f32) = intrinsics.sinpi32 x
  def cospi (x: f32) = intrinsics.cospi32 x
  def tanpi (x: f32) = intrinsics.tanpi32 x
  def asinpi (x: f32) = intrinsics.asinpi32 x
  def acospi (x: f32) = intrinsics.acospi32 x
  def atanpi (x: f32) = intrinsics.atanpi32 x
  def sinh (x: f32) = intrinsics.sinh32 x
  def cosh (x: f32) = intrinsics.cosh32 x
  def tanh (x: f32) = intrinsics.tanh32 x
  def asinh (x: f32) = intrinsics.asinh32 x
  def acosh (x: f32) = intrinsics.acosh32 x
  def atanh (x: f32) = intrinsics.atanh32 x
  def atan2 (y: f32) (x: f32) = intrinsics.atan2_32 (y, x)
  def atan2pi (y: f32) (x: f32) = intrinsics.atan2pi_32 (y, x)
  def hypot (x: f32) (y: f32) = intrinsics.hypot32 (x, y)
  def gamma (x: f32) = intrinsics.gamma32 x
  def lgamma (x: f32) = intrinsics.lgamma32 x
  def erf (x: f32) = intrinsics.erf32 x
  def erfc (x: f32) = intrinsics.erfc32 x

  def ceil (x: f32) = intrinsics.ceil32 x
  def floor (x: f32) = intrinsics.floor32 x
  def round (x: f32) = intrinsics.round32 x
  def trunc (x: f32) = if x intrinsics.< 0 then intrinsics.ceil32 x else intrinsics.floor32 x
  def lerp (a: f32) (b: f32) (x: f32) = intrinsics.lerp32 (a, b, x)
  def mad (a: f32) (b: f32) (c: f32) = intrinsics.mad32 (a, b, c)
  def fma (a: f32) (b: f32) (c: f32) = intrinsics.fma32 (a, b, c)
  def isinf (x: f32) = intrinsics.isinf32 x
  def isnan (x: f32) = intrinsics.isnan32 x

  def inf : f32 = intrinsics.bitstofp_i32_f32 0x7f800000
  def nan : f32 = intrinsics.bitstofp_i32_f32 0x7fc00000
  def highest = inf
  def lowest = -inf
  def epsilon : f32 = 1.1920929e-7
  def pi : f32 = 3.141592653589793
  def e : f32 = 2.718281828459045

  def to_bits (x: f32) = intrinsics.unsign_i32 (intrinsics.fptobits_f32_i32 x)
  def from_bits (x: u32) = intrinsics.bitstofp_i32_f32 (intrinsics.sign_i32 x)
  def num_bits : i32 = 32
  def get_bit (i: i32) (x: f32) = bits32.get_bit i (to_bits x)
  def set_bit (i: i32) (x: f32) (b: i32) = from_bits (bits32.set_bit i (to_bits x) b)
  def nextafter (x: f32) (y: f32) = intrinsics.nextafter32 (x, y)
  def copysign (x: f32) (y: f32) = intrinsics.copysign32 (x, y)
  def ldexp (x: f32) (i: i32) = intrinsics.ldexp32 (x, i)

  def sum [n] (xs: [n]f32) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]f32) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]f32) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]f32) = intrinsics.reduce_comm min highest xs
}

-- | Double precision floats.
module f64 : (float with t = f64 with int_t = u64) = {
  type t = f64
  type int_t = u64

  def i8 (x: i8) = intrinsics.sitofp_i8_f64 x
  def i16 (x: i16) = intrinsics.sitofp_i16_f64 x
  def i32 (x: i32) = intrinsics.sitofp_i32_f64 x
  def i64 (x: i64) = intrinsics.sitofp_i64_f64 x
  def u8 (x: u8) = intrinsics.uitofp_i8_f64 (intrinsics.sign_i8 x)
  def u16 (x: u16) = intrinsics.uitofp_i16_f64 (intrinsics.sign_i16 x)
  def u32 (x: u32) = intrinsics.uitofp_i32_f64 (intrinsics.sign_i32 x)
  def u64 (x: u64) = intrinsics.uitofp_i64_f64 (intrinsics.sign_i64 x)
  def f16 (x: f16) = intrinsics.fpconv_f16_f64 x
  def f32 (x: f32) = intrinsics.fpconv_f32_f64 x
  def f64 (x: f64) = x
  def bool (x: bool) = intrinsics.btof_bool_f64 x
  def to_i64 (x: f64) = intrinsics.fptosi_f64_i64 x
  def to_f64 (x: f64) = x
  def from_fraction (x: i64) (y: i64) = i64 x intrinsics./ i64 y

  def (+) (x: f64) (y: f64) = x intrinsics.+ y
  def (-) (x: f64) (y: f64) = x intrinsics.- y
  def (*) (x: f64) (y: f64) = x intrinsics.* y
  def (/) (x: f64) (y: f64) = x intrinsics./ y
  def (%) (x: f64) (y: f64) = x intrinsics.% y
  def (**) (x: f64) (y: f64) = x intrinsics.** y

  def (==) (x: f64) (y: f64) = x intrinsics.== y
  def (<) (x: f64) (y: f64) = x intrinsics.< y
  def (>) (x: f64) (y: f64) = x intrinsics.> y
  def (<=) (x: f64) (y: f64) = x intrinsics.<= y
  def (>=) (x: f64) (y: f64) = x intrinsics.>= y
  def (!=) (x: f64) (y: f64) = x intrinsics.!= y

  def neg (x: f64) = -x
  def recip (x: f64) = 1 intrinsics./ x
  def max (x: f64) (y: f64) = intrinsics.fmax64 (x, y)
  def min (x: f64) (y: f64) = intrinsics.fmin64 (x, y)
  def abs (x: f64) = intrinsics.fabs64 x
  def sgn (x: f64) = intrinsics.fsignum64 x

  def sqrt (x: f64) = intrinsics.sqrt64 x
  def rsqrt (x: f64) = intrinsics.rsqrt64 x
  def cbrt (x: f64) = intrinsics.cbrt64 x
  def exp (x: f64) = intrinsics.exp64 x
  def log (x: f64) = intrinsics.log64 x
  def log2 (x: f64) = intrinsics.log2_64 x
  def log10 (x: f64) = intrinsics.log10_64 x
  def log1p (x: f64) = intrinsics.log1p_64 x
  def sin (x: f64) = intrinsics.sin64 x
  def cos (x: f64) = intrinsics.cos64 x
  def tan (x: f64) = intrinsics.tan64 x
  def asin (x: f64) = intrinsics.asin64 x
  def acos (x: f64) = intrinsics.acos64 x
  def atan (x: f64) = intrinsics.atan64 x
  def sinpi (x: f64) = intrinsics.sinpi64 x
  def cospi (x: f64) = intrinsics.cospi64 x
  def tanpi (x: f64) = intrinsics.tanpi64 x
  def asinpi (x: f64) = intrinsics.asinpi64 x
  def acospi (x: f64) = intrinsics.acospi64 x
  def atanpi (x: f64) = intrinsics.atanpi64 x
  def sinh (x: f64) = intrinsics.sinh64 x
  def cosh (x: f64) = intrinsics.cosh64 x
  def tanh (x: f64) = intrinsics.tanh64 x
  def asinh (x: f64) = intrinsics.asinh64 x
  def acosh (x: f64) = intrinsics.acosh64 x
  def atanh (x: f64) = intrinsics.atanh64 x
  def atan2 (y: f64) (x: f64) = intrinsics.atan2_64 (y, x)
  def atan2pi (y: f64) (x: f64) = intrinsics.atan2pi_64 (y, x)
  def hypot (x: f64) (y: f64) = intrinsics.hypot64 (x, y)
  def gamma (x: f64) = intrinsics.gamma64 x
  def lgamma (x: f64) = intrinsics.lgamma64 x
  def erf (x: f64) = intrinsics.erf64 x
  def erfc (x: f64) = intrinsics.erfc64 x

  def ceil (x: f64) = intrinsics.ceil64 x
  def floor (x: f64) = intrinsics.floor64 x
  def round (x: f64) = intrinsics.round64 x
  def trunc (x: f64) = if x intrinsics.< 0 then intrinsics.ceil64 x else intrinsics.floor64 x
  def lerp (a: f64) (b: f64) (x: f64) = intrinsics.lerp64 (a, b, x)
  def mad (a: f64) (b: f64) (c: f64) = intrinsics.mad64 (a, b, c)
  def fma (a: f64) (b: f64) (c: f64) = intrinsics.fma64 (a, b, c)
  def isinf (x: f64) = intrinsics.isinf64 x
  def isnan (x: f64) = intrinsics.isnan64 x

  def inf : f64 = intrinsics.bitstofp_i64_f64 0x7ff0000000000000
  def nan : f64 = intrinsics.bitstofp_i64_f64 0x7ff8000000000000
  def highest = inf
  def lowest = -inf
  def epsilon : f64 = 2.220446049250313e-16
  def pi : f64 = 3.141592653589793
  def e : f64 = 2.718281828459045

  def to_bits (x: f64) = intrinsics.unsign_i64 (intrinsics.fptobits_f64_i64 x)
  def from_bits (x: u64) = intrinsics.bitstofp_i64_f64 (intrinsics.sign_i64 x)
  def num_bits : i32 = 64
  def get_bit (i: i32) (x: f64) = bits64.get_bit i (to_bits x)
  def set_bit (i: i32) (x: f64) (b: i32) = from_bits (bits64.set_bit i (to_bits x) b)
  def nextafter (x: f64) (y: f64) = intrinsics.nextafter64 (x, y)
  def copysign (x: f64) (y: f64) = intrinsics.copysign64 (x, y)
  def ldexp (x: f64) (i: i32) = intrinsics.ldexp64 (x, i)

  def sum [n] (xs: [n]f64) = intrinsics.reduce_comm (+) 0 xs
  def product [n] (xs: [n]f64) = intrinsics.reduce_comm (*) 1 xs
  def maximum [n] (xs: [n]f64) = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]f64) = intrinsics.reduce_comm min highest xs
}
