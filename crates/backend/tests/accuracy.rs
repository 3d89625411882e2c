//! How far the runtime's functions of floats are from the exact values, in units in the last place.
//!
//! A C program evaluates each function in loops that the compiler vectorises, and compares with the C library's
//! function of a wider type. CI looks at a sample of the arguments, the ignored test at all f32:
//! `cargo test -p fehu-backend --test all accuracy -- --ignored --nocapture`, some 20 minutes, prints a table.

use crate::c_program::{self, compile, run};
use std::fmt::Write;
use std::io::Write as _;

/// A function of one number, with the largest error of its vector code for f32 and f64.
const ONE: [(&str, f64, f64); 20] = [
    ("exp", 1.1, 4.0),
    ("log", 1.0, 4.0),
    ("log2", 1.2, 4.0),
    ("log10", 1.2, 4.0),
    ("log1p", 4.0, 4.0),
    ("cbrt", 4.0, 4.0),
    ("sin", 4.0, 4.0),
    ("cos", 4.0, 4.0),
    ("tan", 4.0, 4.0),
    ("asin", 4.0, 4.0),
    ("acos", 4.0, 4.0),
    ("atan", 4.0, 4.0),
    ("sinh", 4.0, 4.0),
    ("cosh", 4.0, 4.0),
    ("tanh", 4.0, 4.0),
    ("asinh", 4.0, 4.0),
    ("acosh", 4.0, 4.0),
    ("atanh", 4.0, 4.0),
    ("erf", 4.0, 4.0),
    ("erfc", 4.5, 4.5),
];

/// Functions of two numbers, likewise.
const TWO: [(&str, f64, f64); 3] = [("pow", 4.0, 4.0), ("atan2", 4.0, 4.0), ("hypot", 4.0, 4.0)];

const VECTORS: &[&str] = &["-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math"];

#[test]
fn functions_are_as_accurate_as_stated() {
    measure("accuracy", VECTORS, 100_003, None, Special::Right);
}

#[test]
fn functions_are_as_accurate_without_fused_multiplication() {
    measure("accuracy_plain", &["-O2"], 200_003, None, Special::Right);
}

#[test]
fn functions_of_the_library_are_accurate_in_strict_programs() {
    measure("accuracy_strict", &["-O2", "-DFE_STRICT_FLOAT"], 400_009, Some(4.0), Special::Right);
}

#[test]
fn functions_are_as_accurate_with_fast_math() {
    let options = [VECTORS, &["-DFE_FAST_MATH"]].concat();
    measure("accuracy_fast", &options, 100_003, None, Special::Any);
}

#[test]
#[ignore = "takes minutes"]
fn functions_are_as_accurate_for_all_arguments() {
    let table = measure("accuracy_all", VECTORS, 1, None, Special::Right);
    std::io::stdout().write_all(table.as_bytes()).expect("the table is printed");
}

/// What NaN, infinities and zeros with a sign have to become.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    Right,
    Any,
}

/// Compiles and runs the program, checks its results, and returns them as a table. A bound replaces those of
/// our own functions.
fn measure(
    name: &str,
    options: &[&str],
    stride: u32,
    bound: Option<f64>,
    special: Special,
) -> String {
    let replaced = bound;
    let program = compile(name, &program(stride), options);
    let results = run(&program, &[]);
    let expected = ONE.iter().chain(&TWO).flat_map(|&(f, a, b)| [(f, "f32", a), (f, "f64", b)]);
    let mut table = String::new();
    let mut wrong = String::new();
    assert_eq!(results.len(), 3 * 2 * (ONE.len() + TWO.len()));
    for ((function, prim, bound), result) in expected.zip(results.chunks_exact(3)) {
        let bound = replaced.unwrap_or(bound);
        let (error, at) = (f64::from_bits(result[0]), f64::from_bits(result[1]));
        let line = format!("{function}_{prim}: {error:.3} at {at:e}, {} special values", result[2]);
        let _ = writeln!(table, "{line}");
        let special = special == Special::Right && result[2] != 0;
        if error.is_nan() || error > bound || special {
            let _ = writeln!(wrong, "{line}; at most {bound}");
        }
    }
    assert!(wrong.is_empty(), "too far from the exact value, or wrong special values:\n{wrong}");
    table
}

/// The C program: it prints for each function the largest error, where, and the number of wrong special values.
fn program(stride: u32) -> String {
    let mut text = c_program::runtime();
    text.push_str(CALLS);
    ONE.iter().for_each(|(name, ..)| text.push_str(&format!("CALLS_ONE({name})\n")));
    TWO.iter().for_each(|(name, ..)| text.push_str(&format!("CALLS_TWO({name})\n")));
    // What looks at the results has to know NaN.
    text.push_str("FE_FAST_MATH_END\n");
    text.push_str(HELPERS);
    let mut main = String::new();
    for (name, ..) in ONE {
        let _ = writeln!(text, "ONE({name})");
        let _ = writeln!(main, "  test_f32_{name}({stride}u);\n  test_f64_{name}({stride}u);");
    }
    for (name, ..) in TWO {
        let _ = writeln!(text, "TWO({name})");
        let _ = writeln!(main, "  test2_f32_{name}();\n  test2_f64_{name}();");
    }
    let _ = writeln!(text, "int main(void) {{\n{main}  return 0;\n}}");
    text
}

/// The functions, called in loops.
const CALLS: &str = r"
enum { BLOCK = 4096 };

#define CALLS_ONE(F)                                                                                      \
  static void all_f32_##F(const float *restrict x, float *restrict y) {                                   \
    for (int i = 0; i < BLOCK; i++) y[i] = fe_##F##_f32(x[i]);                                            \
  }                                                                                                       \
  static void all_f64_##F(const double *restrict x, double *restrict y) {                                 \
    for (int i = 0; i < BLOCK; i++) y[i] = fe_##F##_f64(x[i]);                                            \
  }

#define CALLS_TWO(F)                                                                                      \
  static void all2_f32_##F(const float *restrict a, const float *restrict b, float *restrict y) {         \
    for (int i = 0; i < BLOCK; i++) y[i] = fe_##F##_f32(a[i], b[i]);                                      \
  }                                                                                                       \
  static void all2_f64_##F(const double *restrict a, const double *restrict b, double *restrict y) {      \
    for (int i = 0; i < BLOCK; i++) y[i] = fe_##F##_f64(a[i], b[i]);                                      \
  }
";

const HELPERS: &str = r"
#include <stdio.h>
#include <string.h>

struct worst { double error, at; uint64_t special; };

// The distance of a result from the exact value, in units of the last place of a type with these parameters.
static void look(struct worst *w, double at, long double got, long double exact, int digits, int least, long double most) {
  if (exact != exact || got != got) {
    w->special += (exact == exact) != (got == got);
    return;
  }
  if (exact == 0 && got == 0) w->special += !signbit(exact) != !signbit(got);
  long double above = most * 1.000000001L;
  long double e = exact > above ? above : exact < -above ? -above : exact;
  long double g = got > above ? above : got < -above ? -above : got;
  int exponent;
  frexpl(fabsl(e) > most ? most : e, &exponent);
  long double error = fabsl(g - e) / ldexpl(1, (exponent < least ? least : exponent) - digits);
  if ((double)error > w->error) {
    w->error = (double)error;
    w->at = at;
  }
}
static void put(const struct worst *w) { fwrite(w, sizeof *w, 1, stdout); }
static uint64_t mix(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state ^ (*state >> 29);
}

#define LOOK_F32(w, at, got, exact) look(w, (double)(at), (long double)(got), (long double)(exact), 24, -125, 0x1.fffffep127L)
#define LOOK_F64(w, at, got, exact) look(w, at, (long double)(got), exact, 53, -1021, 0x1.fffffffffffffp1023L)

#define ONE(F)                                                                                            \
  static void test_f32_##F(uint32_t stride) {                                                             \
    static float x[BLOCK], y[BLOCK];                                                                      \
    struct worst w = {0, 0, 0};                                                                           \
    for (uint64_t start = 0; start >> 32 == 0; start += (uint64_t)BLOCK * stride) {                       \
      for (uint32_t i = 0; i < BLOCK; i++) x[i] = fe_bits_u32_f32((uint32_t)start + i * stride);          \
      all_f32_##F(x, y);                                                                                  \
      for (int i = 0; i < BLOCK; i++) LOOK_F32(&w, x[i], y[i], F((double)x[i]));                          \
    }                                                                                                     \
    put(&w);                                                                                              \
  }                                                                                                       \
  /* Random bits in one half, numbers of moderate size in the other. */                                  \
  static void test_f64_##F(uint32_t stride) {                                                             \
    static double x[BLOCK], y[BLOCK];                                                                     \
    struct worst w = {0, 0, 0};                                                                           \
    uint64_t state = 1;                                                                                   \
    for (uint64_t count = (1ull << 32) / stride; count > 0; count -= count < BLOCK ? count : BLOCK) {     \
      for (int i = 0; i < BLOCK; i++) {                                                                   \
        uint64_t bits = mix(&state);                                                                      \
        if (i % 2 == 0) bits = (bits & 0x803fffffffffffffu) | ((uint64_t)(1008 + (bits >> 54) % 20) << 52); \
        x[i] = fe_bits_u64_f64(bits);                                                                     \
      }                                                                                                   \
      all_f64_##F(x, y);                                                                                  \
      for (int i = 0; i < BLOCK; i++) LOOK_F64(&w, x[i], y[i], F##l((long double)x[i]));                  \
      if (count < BLOCK) break;                                                                           \
    }                                                                                                     \
    put(&w);                                                                                              \
  }

#define TWO(F)                                                                                            \
  static void test2_f32_##F(void) {                                                                       \
    static float a[BLOCK], b[BLOCK], y[BLOCK];                                                            \
    struct worst w = {0, 0, 0};                                                                           \
    uint64_t state = 2;                                                                                   \
    for (int round = 0; round < 64; round++) {                                                            \
      for (int i = 0; i < BLOCK; i++) {                                                                   \
        double few[8] = {0.0, -0.0, 1.0, -1.0, 0.5, (double)INFINITY, -(double)INFINITY, (double)NAN};    \
        uint64_t bits = mix(&state), other = mix(&state);                                                 \
        float small = (float)((int32_t)(other >> 20) % 2000) / 16.0f;                                     \
        a[i] = i % 8 == 0 ? (float)few[bits >> 61] : fe_bits_u32_f32((uint32_t)(bits >> 32));             \
        b[i] = i % 16 < 2 ? (float)few[other >> 61] : i % 4 == 2 ? small : fe_bits_u32_f32((uint32_t)(other >> 32)); \
        if (i % 4 == 2) a[i] = (float)(bits >> 40) / 65536.0f;                                            \
        /* Signalling NaNs are different, and not tested. */                                              \
        a[i] = a[i] == a[i] ? a[i] : NAN;                                                                 \
        b[i] = b[i] == b[i] ? b[i] : NAN;                                                                 \
      }                                                                                                   \
      all2_f32_##F(a, b, y);                                                                              \
      for (int i = 0; i < BLOCK; i++) LOOK_F32(&w, a[i], y[i], F((double)a[i], (double)b[i]));            \
    }                                                                                                     \
    put(&w);                                                                                              \
  }                                                                                                       \
  static void test2_f64_##F(void) {                                                                       \
    static double a[BLOCK], b[BLOCK], y[BLOCK];                                                           \
    struct worst w = {0, 0, 0};                                                                           \
    uint64_t state = 3;                                                                                   \
    for (int round = 0; round < 64; round++) {                                                            \
      for (int i = 0; i < BLOCK; i++) {                                                                   \
        double few[8] = {0.0, -0.0, 1.0, -1.0, 0.5, (double)INFINITY, -(double)INFINITY, (double)NAN};    \
        uint64_t bits = mix(&state), other = mix(&state);                                                 \
        a[i] = i % 8 == 0 ? few[bits >> 61] : (double)(bits >> 32) / 65536.0;                             \
        b[i] = i % 16 < 2 ? few[other >> 61] : (double)(int32_t)(other >> 32) / 0x1p25;                   \
      }                                                                                                   \
      all2_f64_##F(a, b, y);                                                                              \
      for (int i = 0; i < BLOCK; i++) LOOK_F64(&w, a[i], y[i], F##l((long double)a[i], (long double)b[i])); \
    }                                                                                                     \
    put(&w);                                                                                              \
  }
";
