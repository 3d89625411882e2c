//! Times a few programs: `cargo run --release -p fehu-interp --example bench`.

#![expect(clippy::print_stdout, reason = "it reports to a person")]

use fehu_base::id::Id;
use fehu_interp::{Interp, Value};
use fehu_ir::{FunId, Scalar};
use std::time::Instant;

/// Name, how many units of work, the argument, the program.
const PROGRAMS: &[(&str, f64, i64, &str)] = &[
    (
        "sum of 10^7",
        1e7,
        10_000_000,
        "fun f(n: i64) -> (r: i64) =
            let (xs: [n]i64) = iota i64 n 0 1
            let (s: i64) = screma n (xs) map \\(x: i64) -> (i64) { (x) }
                red \\(a: i64, b: i64) -> (i64) { let (c: i64) = add a b in (c) } neutral (0)
            in (s)",
    ),
    (
        "map and scan of 10^6",
        1e6,
        1_000_000,
        "fun f(n: i64) -> (r: i64) =
            let (xs: [n]i64) = iota i64 n 0 1
            let (ys: [n]i64) = screma n (xs) map \\(x: i64) -> (i64) {
                    let (y: i64) = mul x x
                    let (z: i64) = mod y 7
                    in (z)
                }
                scan \\(a: i64, b: i64) -> (i64) {
                    let (c: i64) = add a b
                    let (d: i64) = xor c 1
                    in (d)
                } neutral (0)
            let (l: i64) = sub n 1
            let (e: i64) = index ys[l]
            in (e)",
    ),
    (
        "matrix product 128^3",
        128.0 * 128.0 * 128.0,
        128,
        "fun f(n: i64) -> (r: f64) =
            let (a: [n][n]f64) = replicate (n, n) 1.5f64
            let (b: [n][n]f64) = replicate (n, n) 0.5f64
            let (t: [n][n]f64) = rearrange (1, 0) b
            let (c: [n][n]f64) = screma n (a) map \\(row: [n]f64) -> ([n]f64) {
                let (d: [n]f64) = screma n (t) map \\(col: [n]f64) -> (f64) {
                    let (s: f64) = screma n (row, col) map \\(x: f64, y: f64) -> (f64) {
                            let (z: f64) = mul x y in (z)
                        }
                        red \\(p: f64, q: f64) -> (f64) { let (u: f64) = add p q in (u) } neutral (0.0f64)
                    in (s)
                }
                in (d)
            }
            let (r: f64) = index c[3, 4]
            in (r)",
    ),
    (
        "mandelbrot loop of 10^6",
        1e6,
        1_000_000,
        "fun f(n: i64) -> (r: f64) =
            let (a: f64, b: f64) = loop (x: f64 = 0.0f64, y: f64 = 0.0f64) for i: i64 < n {
                let (xx: f64) = mul x x
                let (yy: f64) = mul y y
                let (xy: f64) = mul x y
                let (d: f64) = sub xx yy
                let (e: f64) = add d -0.1f64
                let (g: f64) = add xy xy
                let (h: f64) = add g 0.65f64
                in (e, h)
            }
            let (c: f64) = add a b
            in (c)",
    ),
    (
        "10^6 updates in place",
        1e6,
        1_000_000,
        "fun f(n: i64) -> (r: i64) =
            let (xs: [n]i64) = replicate (n) 1
            let (ys: [n]i64) = loop (zs: [n]i64 = xs) for i: i64 < n {
                let (a: i64) = index zs[i]
                let (b: i64) = add a i
                let (us: [n]i64) = update zs[i] = b
                in (us)
            }
            let (e: i64) = index ys[10]
            in (e)",
    ),
    (
        "histogram of 10^6",
        1e6,
        1_000_000,
        "fun f(n: i64) -> (r: i64) =
            let (is: [n]i64) = iota i64 n 0 1
            let (d: [100]i64) = replicate (100) 0
            let (h: [100]i64) = hist n (is) map \\(i: i64) -> (i64, i64) {
                    let (k: i64) = mod i 100 in (k, i)
                }
                dest [100] race 1 (d) \\(x: i64, y: i64) -> (i64) { let (z: i64) = add x y in (z) } neutral (0)
            let (e: i64) = index h[10]
            in (e)",
    ),
    (
        "calls: fib of 25",
        242_785.0,
        25,
        "fun f(n: i64) -> (r: i64) =
            let (c: bool) = lt n 2
            let (r: i64) = if c then { (n) } else {
                let (a: i64) = sub n 1
                let (b: i64) = sub n 2
                let (x: i64) = call f(a)
                let (y: i64) = call f(b)
                let (z: i64) = add x y
                in (z)
            }
            in (r)",
    ),
];

fn main() {
    for &(name, work, size, text) in PROGRAMS {
        let prog = match fehu_ir::text::parse(&format!("prog arrays\n{text}")) {
            Ok(prog) => prog,
            Err(error) => return println!("{name}: {error:?}"),
        };
        let mut interp = Interp::new(&prog);
        let start = Instant::now();
        let result = interp.call(FunId::from_index(0), vec![Value::Scalar(Scalar::I64(size))]);
        let seconds = start.elapsed().as_secs_f64();
        let shown = match &result {
            Ok(values) => format!("{:?}", values[0].as_scalar()),
            Err(error) => error.to_string(),
        };
        let each = seconds / work * 1e9;
        let steps = interp.stats().steps;
        println!("{name:24} {seconds:7.3} s {each:7.1} ns each {steps:10} steps  {shown}");
    }
}
