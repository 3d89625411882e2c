//! The versions of the tiles of a product, where its sizes are known and where they are not.

use fehu_emit::{Options, emit};
use fehu_imp::Program;
use fehu_imp::verify::Phase;
use fehu_interp::{Buffer, Interp, Value};
use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{FunId, Prog, Scalar};
use fehu_oracle::heap::Limits;
use fehu_oracle::machine::{Settings, Tally, call_device};

/// A matrix product with this many rows and columns, which are numbers, or `n` and `p`.
fn product(rows: &str, columns: &str) -> Prog {
    let text = format!(
        "prog segs
fun f (n: i64, m: i64, p: i64, a: [{rows}][m]i32, b: [{columns}][m]i32) -> (r: [{rows}][{columns}]i32) =
  let (cs: [{rows}][{columns}]i32) = seg grid [{rows}] tile [0, 1] ([0], [1]) () \\(i: i64) -> ([{columns}]i32) {{
    let (as: [m]i32) = index a[i]
    let (ds: [{columns}]i32) = screma {columns} (b) map \\(bs: [m]i32) -> (i32) {{
      let (d: i32) = screma m (as, bs) map \\(x: i32, y: i32) -> (i32) {{
        let (z: i32) = mul x y
        in (z)
      }} red comm \\(u: i32, v: i32) -> (i32) {{ let (w: i32) = add u v in (w) }} neutral (0i32)
      in (d)
    }}
    in (ds)
  }}
  in (cs)"
    );
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    prog
}

fn code(prog: &Prog, few: bool) -> Program {
    let placed = fehu_mem::assign::assign(prog.clone()).expect("it has a table");
    let options = Options { device: true, tiling: true, few, ..Options::default() };
    let code = emit(&placed, options);
    fehu_imp::verify::verify(&code, Phase::Emitted).unwrap_or_else(|why| panic!("{why:?}\n{code}"));
    code
}

/// The rows and columns of the tiles in each kernel for them, in the order of the code.
fn tiles(code: &Program) -> Vec<[i64; 2]> {
    let text = code.to_string();
    let mut found = Vec::new();
    for kernel in text.split("launch \"tile\"").skip(1) {
        // Both halves of a few steps, with gaps.
        let mut places = kernel.split("shared i32[").skip(1).map(|rest| {
            let places: i64 = rest.split(']').next().unwrap_or("").parse().expect("a number");
            match places {
                2112 => 128,
                2176 => 64,
                1152 => 32,
                _ => panic!("{places} elements in shared memory\n{text}"),
            }
        });
        found.push([places.next(), places.next()].map(|side| side.expect("two inputs")));
    }
    found
}

#[test]
fn known_sizes_rule_versions_out() {
    let [large, usual, narrow] = [[128, 128], [64, 64], [32, 32]];
    let cases: [(&str, &str, &[[i64; 2]]); 9] = [
        ("n", "p", &[large, usual, [64, 32], [32, 64], narrow]),
        ("200", "200", &[large, usual]),
        ("70", "70", &[usual]),
        ("n", "70", &[usual, [32, 64]]),
        ("200", "p", &[large, usual, [64, 32]]),
        ("30", "70", &[[32, 64]]),
        ("n", "40", &[usual, [32, 64]]),
        ("n", "30", &[[64, 32], narrow]),
        ("20", "p", &[]),
    ];
    for (rows, columns, wanted) in cases {
        let found = tiles(&code(&product(rows, columns), false));
        assert_eq!(found, wanted, "{rows} x {columns}");
    }
}

/// The tiles of products of some sizes give the results of the interpreter.
fn agrees(rows: &str, columns: &str, few: bool, sizes: &[[i64; 3]]) {
    let prog = product(rows, columns);
    let code = code(&prog, few);
    let mut tally = Tally::new();
    for (seed, [n, m, p]) in sizes.iter().enumerate() {
        let matrix = |rows: i64, factor: i64| {
            let elements = (0..rows * m).map(|k| (k * factor % 31 - 11) as i32);
            Value::array(&[rows, *m], Buffer::I32(elements.collect())).expect("it is full")
        };
        let size = |size: &i64| Value::Scalar(Scalar::I64(*size));
        let known = |text: &str, size: &i64| text.parse().unwrap_or(*size);
        let (a, b) = (matrix(known(rows, n), 7), matrix(known(columns, p), 5));
        let args = [size(n), size(m), size(p), a, b];
        let wanted = Interp::new(&prog).call(FunId(0), args.to_vec()).expect("it has results");
        let limits = Limits { steps: 100_000_000, ..Limits::default() };
        let settings = Settings::of_seed(seed as u64);
        let found = call_device(&prog, &code, FunId(0), &args, limits, &settings, &mut tally)
            .unwrap_or_else(|fault| panic!("{n} {m} {p}: {fault:?}\n{code}"));
        assert!(wanted[0].same_bits(&found[0]), "{n} {m} {p}: {found:?}\n{code}");
    }
    let launches = |kernel: &str| tally.get(kernel).copied().unwrap_or(0);
    assert_eq!(launches("tile"), sizes.len() as u64, "{tally:?}");
    // The machine keeps few blocks busy.
    assert_eq!(launches("sums") > 0, few, "{tally:?}");
}

#[test]
fn narrow_matrices_have_narrow_tiles() {
    agrees("n", "p", false, &[[70, 17, 30], [24, 33, 70], [40, 130, 25]]);
    agrees("n", "70", false, &[[30, 33, 0], [24, 130, 0]]);
    agrees("70", "p", false, &[[0, 33, 30], [0, 130, 24]]);
    agrees("30", "40", false, &[[0, 17, 0]]);
}

#[test]
fn all_versions_have_tiles_if_few_are_enough() {
    agrees(
        "n",
        "p",
        true,
        &[[3, 20, 4], [4, 20, 9], [9, 40, 3], [6, 33, 5], [130, 20, 8], [5, 70, 6]],
    );
    agrees("4", "p", true, &[[0, 70, 4], [0, 70, 4], [0, 75, 5]]);
}
