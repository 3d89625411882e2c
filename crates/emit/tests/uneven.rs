//! Operators over rows that differ in length, as kernels: empty rows, many of them, and rows that cross the borders of tiles.

use fehu_emit::{Options, emit};
use fehu_imp::verify::Phase;
use fehu_interp::{Buffer, Interp, Value};
use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{FunId, Prog, Scalar};
use fehu_oracle::heap::{Fault, Limits};
use fehu_oracle::machine::{Settings, Tally, call_device};

/// The function of two operators whose order matters, which the tests combine elements with: linear functions, one after the
/// other, and the last of several numbers.
const LINEAR: &str = "\\(a: i32, b: i32, c: i32, d: i32) -> (i32, i32) {
      let (e: i32) = mul a c
      let (f: i32) = mul b c
      let (g: i32) = add f d
      in (e, g)
    } neutral (1i32, 0i32)";
const LAST: &str = "\\(p: i8, q: i8) -> (i8) {
      let (none: bool) = eq q -128i8
      let (r: i8) = if none then {(p)} else {(q)}
      in (r)
    } neutral (-128i8)";

/// A program with one Seg over `n` rows; `vs` has an element for each of them, and `data` one for each position.
fn program(results: &[&str], function: &str) -> Prog {
    let named =
        |(number, ty): (usize, &&str)| format!("x{number}: {}", ty.replace("[w]", "[total]"));
    let pat: Vec<String> = results.iter().enumerate().map(named).collect();
    let pat = pat.join(", ").replace(": i", ": [n]i").replace("[total][n]", "[total]");
    let names: Vec<String> = (0..results.len()).map(|number| format!("x{number}")).collect();
    let text = format!(
        "prog segs
fun f (n: i64, ends: [n]i64, total: i64, data: [total]i32, vs: [n]i32) -> ({}) =
  let ({pat}) = seg grid [n] rows ends total (vs) \\(i: i64, start: i64, w: i64, v: i32) -> ({}) {{
    let (xs: [w]i32) = index data[start : w : 1]
    {function}
  }}
  in ({})",
        pat.replace('x', "r"),
        results.join(", "),
        names.join(", ")
    );
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    prog
}

/// Lengths of rows. Blocks have 64 threads with 1 to 3 steps each if they are few.
fn samples() -> Vec<Vec<i64>> {
    let many = |count: i64, length: &dyn Fn(i64) -> i64| (0..count).map(length).collect::<Vec<_>>();
    let mut long_among_short = many(300, &|row| row % 3);
    long_among_short[150] = 1000;
    let mut after_empty = vec![0; 500];
    after_empty.extend([3, 0, 0, 200]);
    let mut before_empty = vec![70, 130];
    before_empty.extend([0; 400]);
    vec![
        vec![],
        vec![0],
        vec![1],
        vec![0; 700],
        vec![1000],
        vec![191],
        vec![192],
        vec![95; 7],
        vec![64; 9],
        many(200, &|_| 1),
        many(60, &|row| row * row % 23),
        many(90, &|row| if row % 7 == 0 { row } else { 0 }),
        long_among_short,
        after_empty,
        before_empty,
    ]
}

fn arguments(widths: &[i64]) -> Vec<Value> {
    let mut ends = Vec::new();
    let mut total = 0;
    for width in widths {
        total += width;
        ends.push(total);
    }
    let data: Vec<i32> = (0..total).map(|k| (k * 7 % 31 - 11) as i32).collect();
    let vs: Vec<i32> = (0..widths.len()).map(|row| (row * 5 % 17) as i32 - 3).collect();
    let size = |size: i64| Value::Scalar(Scalar::I64(size));
    vec![
        size(widths.len() as i64),
        Value::vector(Buffer::I64(ends)),
        size(total),
        Value::vector(Buffer::I32(data)),
        Value::vector(Buffer::I32(vs)),
    ]
}

/// What the kernels of a program make of each sample; they launch these kernels.
fn each_sample(
    prog: &Prog,
    kernels: &[&str],
    check: impl Fn(&[i64], Result<Vec<Value>, Fault>, &dyn Fn() -> String),
) {
    let placed = fehu_mem::assign::assign(prog.clone()).expect("it has a table");
    let mut tally = Tally::new();
    for few in [true, false] {
        let options = Options { device: true, few, strict_float: true, ..Options::default() };
        let code = emit(&placed, options);
        fehu_imp::verify::verify(&code, Phase::Emitted)
            .unwrap_or_else(|why| panic!("{why:?}\n{code}"));
        for (number, widths) in samples().into_iter().enumerate() {
            let settings = Settings::of_seed(number as u64);
            let args = arguments(&widths);
            let limits = Limits { steps: 30_000_000, ..Limits::default() };
            let found = call_device(prog, &code, FunId(0), &args, limits, &settings, &mut tally);
            check(&widths, found, &|| format!("{widths:?}\n{settings:?}\n{code}"));
        }
    }
    // Rows that are a single tile need fewer.
    for kernel in kernels {
        assert!(tally.contains_key(*kernel), "there is no kernel \"{kernel}\": {tally:?}");
    }
}

/// Kernels give the results of the interpreter.
fn agrees(prog: &Prog, kernels: &[&str]) {
    each_sample(prog, kernels, |widths, found, show| {
        let wanted = Interp::new(prog).call(FunId(0), arguments(widths)).expect("it has results");
        let found = found.unwrap_or_else(|fault| panic!("{fault:?}\n{}", show()));
        for (wanted, found) in wanted.iter().zip(&found) {
            assert!(wanted.same_bits(found), "{wanted:?}\n{found:?}\n{}", show());
        }
    });
}

#[test]
fn maps_know_their_rows() {
    let map = "let (ys: [w]i32, zss: [w][2]i64) = screma w (xs) map \\(x: i32) -> (i32, [2]i64) {
      let (y: i32) = mul x v
      let (z: i64) = mul i 1000
      let (u: i64) = add z w
      let (us: [2]i64) = array i64 (u, start)
      in (y, us)
    }
    in (ys, zss)";
    agrees(&program(&["[w]i32", "[w][2]i64"], map), &["path", "map"]);
}

#[test]
fn maps_know_their_positions() {
    let map = "let (ks: [w]i64) = iota i64 w 0 1
    let (ys: [w]i64) = screma w (ks) map \\(k: i64) -> (i64) {
      let (y: i64) = mul k i
      in (y)
    }
    in (ys)";
    agrees(&program(&["[w]i64"], map), &["path", "map"]);
}

#[test]
fn reductions_keep_the_order() {
    let sum = format!(
        "let (s: i32, t: i32, l: i8) = screma w (xs) map \\(x: i32) -> (i32, i32, i8) {{
      let (y: i32) = mul x v
      let (z: i8) = convert i8 x
      in (x, y, z)
    }} red {LINEAR} red {LAST}
    in (s, t, l)"
    );
    agrees(&program(&["i32", "i32", "i8"], &sum), &["clear", "rows"]);
}

#[test]
fn reductions_with_maps() {
    let sum = "let (s: i32, ys: [w]i32, zss: [w][2]i32) = screma w (xs) map \\(x: i32) -> (i32, i32, [2]i32) {
      let (y: i32) = mul x v
      let (zs: [2]i32) = replicate (2) x
      in (y, x, zs)
    } red \\(p: i32, q: i32) -> (i32) {let (r: i32) = add p q in (r)} neutral (0i32)
    in (s, ys, zss)";
    agrees(&program(&["i32", "[w]i32", "[w][2]i32"], sum), &["rows"]);
    let scalars = "let (s: i32, ys: [w]i32) = screma w (xs) map \\(x: i32) -> (i32, i32) {
      let (y: i32) = mul x v
      in (y, x)
    } red \\(p: i32, q: i32) -> (i32) {let (r: i32) = max p q in (r)} neutral (-100000i32)
    in (s, ys)";
    agrees(&program(&["i32", "[w]i32"], scalars), &["rows"]);
}

#[test]
fn scans_begin_with_each_row() {
    let scan = format!(
        "let (es: [w]i32, gs: [w]i32, ls: [w]i8, ys: [w]i32) = screma w (xs) map \\(x: i32) -> (i32, i32, i8, i32) {{
      let (y: i32) = mul x v
      let (z: i8) = convert i8 x
      in (x, y, z, y)
    }} scan {LINEAR} scan {LAST}
    in (es, gs, ls, ys)"
    );
    agrees(&program(&["[w]i32", "[w]i32", "[w]i8", "[w]i32"], &scan), &["clear", "scan"]);
}

#[test]
fn scans_and_reductions_together() {
    let both = format!(
        "let (ls: [w]i8, s: i32, t: i32, ys: [w]i32) = screma w (xs) map \\(x: i32) -> (i8, i32, i32, i32) {{
      let (y: i32) = mul x v
      let (z: i8) = convert i8 x
      in (z, x, y, y)
    }} scan {LAST} red {LINEAR}
    in (ls, s, t, ys)"
    );
    agrees(&program(&["[w]i8", "i32", "i32", "[w]i32"], &both), &["scan", "rows"]);
}

/// What an operator mentions may differ from row to row, as may its neutral element.
#[test]
fn operators_of_rows() {
    let by_row = "let (m: i32) = mul v v
    let (k: i32) = add m 7i32
    let (ss: [w]i32, t: i32, ys: [w]i32) = screma w (xs) map \\(x: i32) -> (i32, i32, i32) {
      let (y: i32) = mul x k
      in (x, y, y)
    } scan \\(p: i32, q: i32) -> (i32) {
      let (r: i32) = add p q
      let (r_1: i32) = mod r k
      in (r_1)
    } neutral (0i32) red \\(a: i32, b: i32) -> (i32) {
      let (c: i32) = max a b
      in (c)
    } neutral (v)
    in (ss, t, ys)";
    agrees(&program(&["[w]i32", "i32", "[w]i32"], by_row), &["alone"]);
}

/// A check that fails in a row ends the program, and no thread waits for ever; the operator itself may fail as well.
#[test]
fn checks_fail() {
    let checked = |op: &str| {
        let (fold, result) = match op {
            "red" => ("s: i32", "i32"),
            _ => ("s: [w]i32", "[w]i32"),
        };
        let text = format!(
            "let ({fold}) = screma w (xs) map \\(x: i32) -> (i32) {{
      let (ok: bool) = lt x 19i32
      let (c: unit) = assert ok \"large \" $x \".\"
      in (x)
    }} {op} \\(p: i32, q: i32) -> (i32) {{
      let (r: i32) = add p q
      let (fits: bool) = lt r 1000i32
      let (c_1: unit) = assert fits \"sum.\"
      in (r)
    }} neutral (0i32)
    in (s)"
        );
        program(&[result], &text)
    };
    for op in ["red", "scan"] {
        let prog = checked(op);
        each_sample(&prog, &[], |widths, found, show| {
            let wanted = Interp::new(&prog).call(FunId(0), arguments(widths));
            match (wanted, found) {
                (Ok(wanted), Ok(found)) => {
                    assert!(wanted[0].same_bits(&found[0]), "{wanted:?}\n{found:?}\n{}", show());
                }
                (Err(_), Err(Fault::Check(..))) => {}
                (wanted, found) => panic!("{wanted:?}\n{found:?}\n{}", show()),
            }
        });
    }
}
