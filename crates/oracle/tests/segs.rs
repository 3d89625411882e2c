//! Programs with Segs by their tables: random ones mean what they should, and tables that are wrong on purpose are found
//! to be.

use fehu_facts::poly::Poly;
use fehu_interp::{Buffer, Value};
use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{FunId, Prog, Scalar, Var};
use fehu_irgen::{Config, random_segs};
use fehu_irtest::oracle::{Oracle, Outcome, Runs};
use fehu_irtest::random::each_way;
use fehu_mem::assign::{assign, assign_in};
use fehu_mem::enlarge::enlarge;
use fehu_mem::layout::Layouts;
use fehu_mem::lmad::{Dim, Lmad};
use fehu_mem::merge::merge;
use fehu_mem::overwrite::overwrite;
use fehu_mem::short_circuit::short_circuit;
use fehu_mem::table::{Block, Origin, Place, Placed, Table};
use fehu_oracle::heap::{Fault, Limits, call};

/// How a table is made.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    /// As it is at first.
    Plain,
    /// Arrays are made where they would be copied to.
    Circuit,
    /// Likewise, and those of kernels are in any order.
    Orders,
}

fn examine(prog: &Prog, way: Way, seed: u64) -> Result<Runs, String> {
    // What is too complex for a table has none.
    let layouts = if way == Way::Orders { Layouts::Any(seed) } else { Layouts::RowMajor };
    let Ok(mut placed) = assign_in(prog.clone(), layouts) else { return Ok(Runs::default()) };
    verify(&placed.prog).map_err(|errors| errors[0].to_string())?;
    if way != Way::Plain {
        short_circuit(&mut placed, false);
        overwrite(&mut placed);
        enlarge(&mut placed);
        merge(&mut placed);
    }
    let oracle = Oracle { seed, rounds: 2, ..Oracle::default() };
    oracle.agree_with(prog, &mut |fun, args| {
        let limits = Limits { steps: 3_000_000, ..Limits::default() };
        match call(&placed, fun, args, limits) {
            Ok(values) => Outcome::Values(values),
            Err(Fault::Check(message, _)) => Outcome::Check(message),
            Err(Fault::Undefined(message) | Fault::Memory(message)) => Outcome::Wrong(message),
            Err(Fault::Limit) => Outcome::Limit,
        }
    })
}

#[test]
fn random_programs_with_segs_mean_the_same_by_their_tables() {
    let mut all = Runs::default();
    for seed in 0..120 {
        let statements = 3 + (seed % 3) as usize * 3;
        let prog = random_segs(seed, Config { statements, ..Config::default() });
        let ways = [Way::Plain, Way::Circuit, Way::Orders];
        let examine = |prog: &Prog, way| examine(prog, way, seed);
        match each_way(&prog, &ways, examine, |_, _| String::new()) {
            Ok(runs) => all.add(runs),
            Err(message) => panic!("seed {seed}{message}"),
        }
    }
    assert!(all.succeeded > 1000 && all.succeeded > 10 * all.undefined, "{all:?}");
}

/// A row for each element, and the sum of each.
const ROWS: &str = "prog segs
fun f (n: i64, xs: [n]i32) -> (r: [n][100]i32, t: [n]i32) =
  let (rows: [n][100]i32) = seg task [n] (xs) \\(i: i64, x: i32) -> ([100]i32) {
    let (y: i32) = add x 1i32
    let (row: [100]i32) = replicate (100) y
    in (row)
  }
  let (sums: [n]i32) = seg task [n] (rows) \\(j: i64, line: [100]i32) -> (i32) {
    let (s: i32) = screma 100 (line) map \\(a: i32) -> (i32) { (a) }
      red \\(b: i32, c: i32) -> (i32) { let (d: i32) = add b c in (d) } neutral (0i32)
    in (s)
  }
  in (rows, sums)
";

fn placed() -> Placed {
    let prog = parse(ROWS).unwrap_or_else(|error| panic!("{error}"));
    fehu_ir::verify::verify(&prog).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assign(prog).expect("it is simple")
}

/// The variable with this name.
fn var(placed: &Placed, name: &str) -> Var {
    let vars = &placed.prog.funs[FunId(0)].vars;
    vars.iter().find(|(_, info)| info.hint == name).map(|(var, _)| var).expect("there is one")
}

fn table(placed: &mut Placed) -> &mut Table {
    &mut placed.funs[FunId(0)]
}

fn place(placed: &Placed, name: &str) -> Place {
    placed.funs[FunId(0)].place(var(placed, name)).expect("it is an array").clone()
}

fn run(placed: &Placed) -> Result<Vec<Value>, Fault> {
    let args = [Value::Scalar(Scalar::I64(3)), Value::vector(Buffer::I32(vec![5, 6, 7]))];
    call(placed, FunId(0), &args, Limits::default())
}

/// What is wrong.
fn complaint(placed: &Placed) -> String {
    match run(placed) {
        Err(Fault::Memory(message)) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn right_tables_give_results() {
    let values = run(&placed()).expect("there is nothing wrong");
    let rows = values[0].as_array().expect("an array");
    assert_eq!((rows.shape(), rows.get(&[2, 99])), (vec![3, 100], Some(Scalar::I32(8))));
    assert!(values[1].same_bits(&Value::vector(Buffer::I32(vec![600, 700, 800]))));
}

#[test]
fn positions_that_write_the_same_place_race() {
    let mut placed = placed();
    let (rows, row) = (place(&placed, "rows"), var(&placed, "row"));
    let lmad = rows.lmad.fix(&[Poly::constant(0)]).expect("it is a row");
    table(&mut placed).set(row, Place { block: rows.block, lmad });
    let complaint = complaint(&placed);
    assert!(complaint.contains("a race: iteration 1 writes element 0"), "{complaint}");
}

#[test]
fn positions_that_read_what_others_write_race() {
    let mut placed = placed();
    // Each sum is written to the beginning of the next row.
    let (rows, sums) = (place(&placed, "rows"), var(&placed, "sums"));
    let dim = Dim { size: Poly::constant(3), stride: Poly::constant(100) };
    let lmad = Lmad { offset: Poly::constant(100), dims: vec![dim] };
    table(&mut placed).set(sums, Place { block: rows.block, lmad });
    let complaint = complaint(&placed);
    assert!(complaint.contains("a race: iteration 1 reads element 100"), "{complaint}");
}

#[test]
fn nobody_copies_what_the_operator_makes() {
    let mut placed = placed();
    let (old, row) = (place(&placed, "rows"), var(&placed, "row"));
    let elem = placed.funs[FunId(0)].blocks[old.block].elem;
    let origin = Origin::Fresh { before: row, size: vec![100.into()] };
    let block = Block { elem, origin, hint: "row".into(), heap: true };
    let block = table(&mut placed).blocks.push(block);
    let lmad = Lmad::row_major(&[Poly::constant(100)]).expect("it is small");
    table(&mut placed).set(row, Place { block, lmad });
    let complaint = complaint(&placed);
    assert_eq!(complaint, "the operator of a seg does not write \"rows\" where it belongs");
}

/// The sum of each row, where rows differ, and twice its elements.
const DIFFERENT: &str = "prog segs
fun f (n: i64, ends: [n]i64, total: i64, xs: [total]i32) -> (r: [n]i32, t: [total]i32) =
  let (sums: [n]i32, twice: [total]i32) =
    seg task [n] rows ends total () \\(i: i64, start: i64, w: i64) -> (i32, [w]i32) {
      let (row: [w]i32) = index xs[start:w:1]
      let (sum: i32, more: [w]i32) = screma w (row) map \\(x: i32) -> (i32, i32) {
        let (y: i32) = add x x
        in (x, y)
      } red \\(a: i32, b: i32) -> (i32) { let (c: i32) = add a b in (c) } neutral (0i32)
      in (sum, more)
    }
  in (sums, twice)
";

fn different() -> Placed {
    let prog = parse(DIFFERENT).unwrap_or_else(|error| panic!("{error}"));
    fehu_ir::verify::verify(&prog).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assign(prog).expect("it is simple")
}

/// Calls a function with rows that end there.
fn with_ends(placed: &Placed, ends: &[i64], total: i64) -> Result<Vec<Value>, Fault> {
    let args = [
        Value::Scalar(Scalar::I64(ends.len() as i64)),
        Value::vector(Buffer::I64(ends.to_vec())),
        Value::Scalar(Scalar::I64(total)),
        Value::vector(Buffer::I32((1..=total as i32).collect())),
    ];
    call(placed, FunId(0), &args, Limits::default())
}

#[test]
fn rows_that_differ_are_one_after_the_other() {
    let values = with_ends(&different(), &[0, 2, 2, 5, 5], 5).expect("there is nothing wrong");
    assert!(values[0].same_bits(&Value::vector(Buffer::I32(vec![0, 3, 0, 12, 0]))));
    assert!(values[1].same_bits(&Value::vector(Buffer::I32(vec![2, 4, 6, 8, 10]))));
    let values = with_ends(&different(), &[], 0).expect("there is nothing wrong");
    assert!(values[0].same_bits(&Value::vector(Buffer::I32(Vec::new()))));
}

#[test]
fn rows_that_are_not_where_their_ends_say_are_found() {
    for (ends, total, expected) in [
        (&[3, 2, 5][..], 5, "the rows of a seg are not where it says"),
        (&[2, 7], 5, "the rows of a seg are not where it says"),
        (&[2, 4], 5, "the rows of a seg are not all there are"),
    ] {
        match with_ends(&different(), ends, total) {
            Err(Fault::Memory(message)) => assert_eq!(message, expected),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn rows_that_are_written_to_the_same_place_race() {
    let mut placed = different();
    let (twice, more) = (place(&placed, "twice"), var(&placed, "more"));
    let width = place(&placed, "row").lmad.dims[0].clone();
    let lmad = Lmad { offset: Poly::constant(0), dims: vec![width] };
    table(&mut placed).set(more, Place { block: twice.block, lmad });
    match with_ends(&placed, &[2, 2, 5], 5) {
        Err(Fault::Memory(message)) => {
            assert!(message.contains("a race: iteration 2 writes element 0"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn rows_that_differ_are_made_where_they_belong() {
    let mut placed = different();
    let (twice, more) = (place(&placed, "twice"), var(&placed, "more"));
    // Backwards.
    let row = place(&placed, "row").lmad;
    let lmad = row.reverse(0).expect("it is simple");
    table(&mut placed).set(more, Place { block: twice.block, lmad });
    match with_ends(&placed, &[2, 2, 5], 5) {
        Err(Fault::Memory(message)) => {
            let expected = "the operator of a seg does not write \"twice\" where it belongs";
            assert_eq!(message, expected);
        }
        other => panic!("{other:?}"),
    }
}
