//! The runtime's scalar operations in C against the interpreter, which defines them to the bit.
//!
//! A C program is generated that evaluates every operation, for every type that the interpreter defines it
//! for, on all combinations of edge values. It is compiled once with the undefined-behaviour sanitizer and
//! once as programs are, with vector code; both must print what the interpreter computes.

use crate::c_program::{self, compile, run};
use crate::scalar_cases::{Case, c_type, cases, compare, tuples, values};
use fehu_base::Prim;
use std::fmt::Write;

#[test]
fn every_operation_agrees_with_the_interpreter_under_the_sanitizer() {
    agree("sanitized", &["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"]);
}

#[test]
fn every_operation_agrees_with_the_interpreter_in_vector_code() {
    agree("vectorised", &["-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math"]);
}

/// Compiles the program with these options and compares what it prints.
fn agree(name: &str, options: &[&str]) {
    let cases = cases();
    let program = compile(name, &program(&cases), options);
    compare(&cases, run(&program, &[]));
}

/// The C program: for every case arrays of operands, a loop that the compiler may vectorise, and the
/// results' bits as 64-bit numbers on standard output. That loop is all that is compiled for each case.
fn program(cases: &[Case]) -> String {
    let mut text = c_program::runtime();
    text.push_str(HELPERS);
    for prim in Prim::ALL {
        let (name, values) = (prim.name(), values(prim));
        let numbers: Vec<String> = values.iter().map(|v| format!("{:#x}u", v.bits())).collect();
        let bits = prim.bits().max(8);
        let _ = writeln!(
            text,
            "typedef {} T_{name};\nstatic uint{bits}_t V_{name}[] = {{{}}};",
            c_type(prim),
            numbers.join(",")
        );
    }
    let mut main = String::new();
    for (i, case) in cases.iter().enumerate() {
        let count = tuples(&case.params).len();
        let _ = writeln!(
            text,
            "static void test_{i}(void) {{\n  static T_{} r[{count}];",
            case.result.name()
        );
        // The last operand changes first.
        let mut repeated = count;
        for (p, prim) in case.params.iter().enumerate() {
            let (name, size) = (prim.name(), values(*prim).len());
            repeated /= size;
            let _ = writeln!(
                text,
                "  static T_{name} p{p}[{count}];\n  fill(p{p}, V_{name}, sizeof p{p}[0], {size}, {repeated}, {count});"
            );
        }
        let args: Vec<String> = (0..case.params.len()).map(|p| format!("p{p}[k]")).collect();
        let call = format!("{}({})", case.function, args.join(", "));
        let _ = writeln!(text, "  for (int k = 0; k < {count}; k++) r[k] = {call};");
        let _ = writeln!(text, "  print(r, sizeof r[0], {count});\n}}");
        let _ = writeln!(main, "  test_{i}();");
    }
    let _ = writeln!(text, "int main(void) {{\n{main}  return 0;\n}}");
    text
}

/// `fill` writes operands of so many bytes: each of so many values, repeated, and again from the first one. `print` writes
/// results as 64-bit numbers.
const HELPERS: &str = r"
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) static void fill(void *to, const void *values, size_t bytes, int size, int repeated, int count) {
  for (int n = 0; n < count; n++) {
    memcpy((char *)to + (size_t)n * bytes, (const char *)values + (size_t)(n / repeated % size) * bytes, bytes);
  }
}
__attribute__((noinline)) static void print(const void *from, size_t bytes, int count) {
  for (int n = 0; n < count; n++) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)from + (size_t)n * bytes, bytes);
    fwrite(&bits, sizeof bits, 1, stdout);
  }
}
";
