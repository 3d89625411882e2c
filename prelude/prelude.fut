-- | The prelude: open in every file without being asked for.

open import "functional"
open import "zip"
open import "soacs"
open import "array"
open import "math"
open import "ad"
open import "stream"
open import "seq"
open import "view"

-- | The nearest `f32` to an `i32`.
def r32 (x: i32) : f32 = intrinsics.sitofp_i32_f32 x

-- | An `f32` rounded towards zero to an `i32`.
def t32 (x: f32) : i32 = intrinsics.fptosi_f32_i32 x

-- | The `f64` equal to an `i32`.
def r64 (x: i32) : f64 = intrinsics.sitofp_i32_f64 x

-- | An `f64` rounded towards zero to an `i32`.
def t64 (x: f64) : i32 = intrinsics.fptosi_f64_i32 x

-- | The opposite truth value.
def not (x: bool) : bool = !x

-- | The same value, hidden from optimisation: the compiler may assume nothing
-- about it. For benchmarks and tests of the compiler.
def opaque 't (x: t) : t = #[opaque] x

-- | The same value, printed when it is computed, in the interpreter.
def trace 't (x: t) : t = #[trace] x

-- | The same value; the interpreter stops for inspection when it comes here.
def break 't (x: t) : t = #[break] x
