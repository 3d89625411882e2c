//! Which loops C compilers are told to vectorise, and what is unrolled for that.

use fehu_backend::{Mode, Target, c};
use std::fmt::Write;

/// A loop over points with two loops inside that are as long as this, and have so many products each.
fn program(count: usize, products: usize) -> String {
    let inside = |name: &str| {
        let mut text = format!("    for {name} = 0 .. {count} independent {{\n");
        let _ = writeln!(text, "      var {name}_0: f64 = parts[{name}]");
        for k in 0..products {
            let _ = writeln!(text, "      var {name}_{}: f64 = mul_f64({name}_{k}, 3f64)", k + 1);
        }
        text + &format!("      parts[{name}] = {name}_{products}\n    }}\n")
    };
    let mut text = "prog imp\n\nfun f(n: i64, xs_mem: mem) -> () {\n  var xs: *f64\n".to_owned();
    text += "  xs = data xs_mem[0]\n  for i = 0 .. n independent {\n    var parts: f64[16]\n";
    text += &(inside("j") + &inside("k"));
    text + "    xs[i] = parts[0]\n  }\n}\n"
}

/// Of each loop, what is said about it.
fn said(text: &str) -> Vec<String> {
    let program = fehu_imp::text::parse(text).expect("the program is right");
    let text = c::functions(&program, Target::C, Mode::Server, "").text;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let loops = lines.windows(2).filter(|pair| pair[1].starts_with("for ("));
    loops.map(|pair| pair[0].to_owned()).collect()
}

#[test]
fn loops_inside_of_a_vectorised_loop_are_unrolled() {
    assert_eq!(said(&program(8, 100)), ["#pragma omp simd", "FE_UNROLL", "FE_UNROLL"]);
}

#[test]
fn where_too_much_would_come_of_that_the_loops_inside_are_vectorised() {
    let [outer, first, second] = said(&program(16, 400)).try_into().expect("there are three loops");
    assert!(!outer.contains("simd"), "{outer}");
    assert_eq!([first, second], ["#pragma omp simd", "#pragma omp simd"]);
}

#[test]
fn where_one_of_them_is_long_too() {
    let [outer, first, second] = said(&program(17, 2)).try_into().expect("there are three loops");
    assert!(!outer.contains("simd"), "{outer}");
    assert_eq!([first, second], ["#pragma omp simd", "#pragma omp simd"]);
}

/// A loop over rows of eight numbers, with this in the place of an element of a row.
fn rows(element: &str) -> Vec<String> {
    said(&format!(
        "prog imp\n\nfun f(n: i64, xs_mem: mem) -> () {{\n  var xs: *f64\n  xs = data xs_mem[0]\n  \
         for i = 0 .. n independent {{\n    for j = 0 .. 8 independent {{\n      \
         xs[{element}] = mul_f64(xs[{element}], xs[(8 * i)])\n    }}\n  }}\n}}\n"
    ))
}

#[test]
fn rows_that_are_next_to_each_other_are_vectorised() {
    let [outer, inner] = rows("(8 * i + j)").try_into().expect("there are two loops");
    assert!(!outer.contains("simd"), "{outer}");
    assert_eq!(inner, "#pragma omp simd");
}

#[test]
fn of_columns_that_are_next_to_each_other_the_loop_around_is() {
    assert_eq!(rows("(i + n * j)"), ["#pragma omp simd", "FE_UNROLL"]);
}

/// The lines of a function that has a sine and a cosine, of one number at first and then of all numbers.
fn circular() -> [String; 4] {
    let text = "prog imp\n\nfun f(n: i64, a: f64, xs_mem: mem) -> () {\n  var xs: *f64\n  xs = data xs_mem[0]\n  \
                var s: f64 = sin_f64(a)\n  var c: f64 = cos_f64(a)\n  for i = 0 .. n independent {\n    \
                var t: f64 = sin_f64(xs[i])\n    var d: f64 = cos_f64(xs[i])\n    \
                xs[i] = add_f64(mul_f64(t, s), mul_f64(d, c))\n  }\n}\n";
    let program = fehu_imp::text::parse(text).expect("the program is right");
    let text = c::functions(&program, Target::C, Mode::Server, "").text;
    let is_circular = |line: &&str| line.contains("sin_f64") || line.contains("cos_f64");
    let lines: Vec<String> = text.lines().filter(is_circular).map(str::to_owned).collect();
    lines.try_into().expect("there are four of them")
}

#[test]
fn a_sine_and_a_cosine_can_be_one_call_unless_there_are_vectors_of_them() {
    let [sine, cosine, sines, cosines] = circular();
    assert!(sine.contains("fe_alone_sin_f64"), "{sine}");
    assert!(cosine.contains("fe_alone_cos_f64"), "{cosine}");
    assert!(sines.contains(" fe_sin_f64"), "{sines}");
    assert!(cosines.contains(" fe_cos_f64"), "{cosines}");
}
