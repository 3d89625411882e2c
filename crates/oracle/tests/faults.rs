//! Tables that are wrong on purpose: the heap machine says what is wrong with them.

use fehu_facts::poly::Poly;
use fehu_interp::{Buffer, Value};
use fehu_ir::text::parse;
use fehu_ir::{FunId, Scalar, Var};
use fehu_mem::assign::assign;
use fehu_mem::lmad::Lmad;
use fehu_mem::short_circuit::short_circuit;
use fehu_mem::table::{Origin, Place, Placed, Table};
use fehu_oracle::heap::{Fault, Limits, call};

/// A row for each element, and their sum.
const ROWS: &str = "prog arrays
fun f (n: i64, xs: [n]i32) -> (r: [n][100]i32, t: i32) =
  let (rows: [n][100]i32) = screma n (xs) map \\(x: i32) -> ([100]i32) {
    let (y: i32) = add x 1i32
    let (row: [100]i32) = replicate (100) y
    in (row)
  }
  let (s: i32) = screma n (xs) map \\(a: i32) -> (i32) { (a) }
    red \\(b: i32, c: i32) -> (i32) {
      let (d: i32) = add b c
      in (d)
    } neutral (0i32)
  in (rows, s)
";

fn placed(text: &str) -> Placed {
    let prog = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    fehu_ir::verify::verify(&prog).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assign(prog).expect("it is simple")
}

fn fun() -> FunId {
    FunId(0)
}

/// The variable with this name.
fn var(placed: &Placed, name: &str) -> Var {
    let vars = &placed.prog.funs[fun()].vars;
    vars.iter().find(|(_, info)| info.hint == name).map(|(var, _)| var).expect("there is one")
}

fn table(placed: &mut Placed) -> &mut Table {
    &mut placed.funs[fun()]
}

fn place(placed: &Placed, name: &str) -> Place {
    placed.funs[fun()].place(var(placed, name)).expect("it is an array").clone()
}

fn run(placed: &Placed, args: &[Value]) -> Result<Vec<Value>, Fault> {
    call(placed, fun(), args, Limits::default())
}

fn three() -> Vec<Value> {
    let size = Value::Scalar(Scalar::I64(3));
    vec![size, Value::vector(Buffer::I32(vec![5, 6, 7]))]
}

/// What is wrong.
fn complaint(placed: &Placed, args: &[Value]) -> String {
    match run(placed, args) {
        Err(Fault::Memory(message)) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn right_tables_give_results() {
    let mut placed = placed(ROWS);
    let first = run(&placed, &three()).expect("there is nothing wrong");
    assert_eq!(first[1].as_scalar(), Some(Scalar::I32(18)));
    let rows = first[0].as_array().expect("an array");
    assert_eq!((rows.shape(), rows.get(&[2, 99])), (vec![3, 100], Some(Scalar::I32(8))));
    short_circuit(&mut placed, false);
    let second = run(&placed, &three()).expect("there is nothing wrong");
    assert!(first.iter().zip(&second).all(|(a, b)| a.same_bits(b)));
}

#[test]
fn iterations_that_write_the_same_place_race() {
    let mut placed = placed(ROWS);
    // All rows are made in the same block, which is there before the map begins.
    let (row, before) = (place(&placed, "row"), var(&placed, "rows"));
    let size = vec![100.into()];
    table(&mut placed).blocks[row.block].origin = Origin::Fresh { before, size };
    let complaint = complaint(&placed, &three());
    assert!(complaint.contains("a race: iteration 1 writes element 0"), "{complaint}");
}

#[test]
fn iterations_that_read_what_others_write_race() {
    let text = "prog arrays
fun f (n: i64, xs: [n]i32) -> (r: [n]i32) =
  let (ys: [n]i32) = screma n (xs) map \\(x: i32) -> (i32) {
    let (y: i32) = add x 1i32
    in (y)
  }
  in (ys)
";
    let mut placed = placed(text);
    // Each element is written to where the next one is read.
    let (xs, ys) = (place(&placed, "xs"), var(&placed, "ys"));
    let lmad = Lmad { offset: Poly::constant(1), dims: xs.lmad.dims.clone() };
    table(&mut placed).set(ys, Place { block: xs.block, lmad });
    let complaint = complaint(&placed, &three());
    assert!(complaint.contains("a race: iteration 1 reads element 1"), "{complaint}");
    // In its own place it may be changed.
    table(&mut placed).set(ys, xs);
    assert!(run(&placed, &three()).is_ok());
}

#[test]
fn places_that_do_not_fit_are_told() {
    let mut placed = placed(ROWS);
    // The result begins where the input is, so that rows overwrite what later iterations read.
    let (xs, rows) = (place(&placed, "xs"), var(&placed, "rows"));
    let old = place(&placed, "rows");
    table(&mut placed).set(rows, Place { block: xs.block, lmad: old.lmad });
    let mut big = vec![Value::Scalar(Scalar::I64(1))];
    big.push(Value::vector(Buffer::I32(vec![5])));
    let outside = complaint(&placed, &big);
    assert!(outside.contains("outside of block"), "{outside}");
    let lmad = Lmad::row_major(&[Poly::constant(3), Poly::constant(0)]).expect("it is small");
    table(&mut placed).set(rows, Place { block: xs.block, lmad });
    let strange = complaint(&placed, &three());
    assert!(strange.contains("another number of elements"), "{strange}");
}

#[test]
fn blocks_on_the_stack_end_with_their_body() {
    let text = "prog arrays\nfun f (c: bool) -> (out: [4]i32) =
  let (r: [4]i32) = if c then {
    let (a: [4]i32) = replicate (4) 1i32
    in (a)
  } else {
    let (b: [4]i32) = replicate (4) 2i32
    in (b)
  }
  in (r)
";
    let mut placed = placed(text);
    let args = [Value::Scalar(Scalar::Bool(true))];
    assert!(run(&placed, &args).is_ok());
    // Nobody copies the result of the branch any more: it carries the block of `a`, which is gone.
    let names = ["a", "b"].map(|name| place(&placed, name).block);
    let result = {
        let vars = &placed.prog.funs[fun()].body.stms[0].pat;
        vars[0]
    };
    let block = table(&mut placed).place(result).expect("an array").block;
    table(&mut placed).blocks[block].origin = Origin::Carried(result);
    for block in names {
        table(&mut placed).blocks[block].heap = false;
    }
    assert!(complaint(&placed, &args).contains("used after its end"));
}

#[test]
fn what_has_to_be_contiguous_is_looked_at() {
    let text = "prog arrays\nfun f (n: i64, xs: [n][2]i32) -> (r: [2][n]i32) =
  let (t: [2][n]i32) = rearrange (1, 0) xs
  in (t)
";
    let mut placed = placed(text);
    // The copy that `assign` added is taken away again.
    let body = &mut placed.prog.funs[fun()].body;
    body.stms.truncate(1);
    body.results = vec![body.stms[0].pat[0].into()];
    let size = Value::Scalar(Scalar::I64(2));
    let args = [size, Value::array(&[2, 2], Buffer::I32(vec![1, 2, 3, 4])).expect("it fits")];
    assert!(complaint(&placed, &args).contains("contiguous"));
}

#[test]
fn arrays_that_share_a_block_by_mistake_differ() {
    let text = "prog arrays\nfun f (n: i64) -> (r: [n]i32, s: [n]i32) =
  let (a: [n]i32) = replicate (n) 1i32
  let (b: [n]i32) = replicate (n) 2i32
  in (a, b)
";
    let mut placed = placed(text);
    let (a, b) = (place(&placed, "a"), var(&placed, "b"));
    table(&mut placed).set(b, a);
    let values = run(&placed, &[Value::Scalar(Scalar::I64(2))]).expect("it is just wrong");
    assert_eq!(values[0].as_array().and_then(|a| a.get(&[0])), Some(Scalar::I32(2)));
}

#[test]
fn overlapping_copies_are_refused() {
    let text = "prog arrays\nfun f () -> (r: [3]i32) =
  let (a: [4]i32) = iota i32 4 0i32 1i32
  let (b: [3]i32) = index a[0:3:1]
  let (c: [3]i32) = copy b
  in (c)
";
    let mut placed = placed(text);
    let (a, c) = (place(&placed, "a"), var(&placed, "c"));
    let lmad =
        Lmad { offset: Poly::constant(1), ..Lmad::row_major(&[Poly::constant(3)]).expect("small") };
    table(&mut placed).set(c, Place { block: a.block, lmad });
    assert!(complaint(&placed, &[]).contains("overlap"));
}

#[test]
fn memory_that_nobody_has_made_or_filled_is_not_zero() {
    let text = "prog arrays\nfun f (n: i64) -> (r: [n]i32) =
  let (a: [n]i32) = replicate (n) 0i32
  in (a)
";
    let mut placed = placed(text);
    let (a, old) = (var(&placed, "a"), place(&placed, "a"));
    let empty = Lmad::row_major(&[Poly::default()]).expect("it is small");
    let args = [Value::Scalar(Scalar::I64(2))];
    // Nothing is written, because the table says that there is nothing.
    table(&mut placed).set(a, Place { block: old.block, lmad: empty });
    let values = run(&placed, &args).expect("it is just wrong");
    assert_ne!(values[0].as_array().and_then(|a| a.get(&[0])), Some(Scalar::I32(0)));
    table(&mut placed).forget(old.block);
    table(&mut placed).set(a, old);
    assert!(complaint(&placed, &args).contains("before it is made"));
}

#[test]
fn a_map_that_updates_rows_leaves_them_where_they_are() {
    let updated = "prog arrays
fun main (n: i64, m: i64, *xss: [n][m]i32, ys: [n]i32) -> (r: [n][m]i32) =
  let (zss: [n][m]i32) = screma n (xss, ys) map \\(xs: [m]i32, y: i32) -> ([m]i32) {
    let (zs: [m]i32) = scatter n (ys) map \\(v: i32) -> (i64, i32) {(0, y)} dest [m] xs
    in (zs)
  }
  in (zss)
";
    let updated = placed(updated);
    assert_eq!(place(&updated, "zss").block, place(&updated, "xss").block);
    // Rows that nobody updates may be needed elsewhere.
    let same = "prog arrays
fun main (n: i64, m: i64, xss: [n][m]i32) -> (r: [n][m]i32) =
  let (zss: [n][m]i32) = screma n (xss) map \\(xs: [m]i32) -> ([m]i32) {(xs)}
  in (zss)
";
    let same = placed(same);
    assert_ne!(place(&same, "zss").block, place(&same, "xss").block);
}

#[test]
fn what_loops_update_is_where_it_begins() {
    let text = |update: &str| {
        format!(
            "prog arrays
fun main (n: i64, m: i64, xss: [n][m]i32) -> (r: [n][m]i32) =
  let (zss: [n][m]i32) = screma n (xss) map \\(xs: [m]i32) -> ([m]i32) {{
    let (first: [m]i32) = replicate (m) 7i32
    let (second: [m]i32) = loop (p: [m]i32 = first) for i: i64 < m {{
      let (x: i32) = index xs[i]
      let (q: [m]i32) = update p[i] = x
      in (q)
    }}
    let (last: [m]i32) = loop (s: [m]i32 = second) for j: i64 < n {{
      let (inner: [m]i32) = loop (t: [m]i32 = s) for k: i64 < m {{
        let (y: i32) = index t[k]
        let (z: i32) = add y 1i32
        {update}
        in (u)
      }}
      in (inner)
    }}
    in (last)
  }}
  in (zss)
"
        )
    };
    let mut updated = placed(&text("let (u: [m]i32) = update t[k] = z"));
    short_circuit(&mut updated, false);
    for name in ["first", "second", "p", "q", "last", "s", "inner", "t", "u"] {
        assert_eq!(place(&updated, name).block, place(&updated, "zss").block, "{name}");
    }
    // With a new array each time, nothing says that there is only one place.
    let replaced = placed(&text("let (u: [m]i32) = replicate (m) z"));
    assert_ne!(place(&replaced, "last").block, place(&replaced, "second").block);
}

/// A function that returns every other element, and one that reads them.
const VIEW: &str = "prog arrays
fun f (n: i64, xs: [n]i32) -> (r: i32) =
  let (m: i64) = call size (n)
  let (view: [m]i32) = call g (n, m, xs)
  let (s: i32) = screma m (view) map \\(a: i32) -> (i32) { (a) }
    red \\(b: i32, c: i32) -> (i32) {
      let (d: i32) = add b c
      in (d)
    } neutral (0i32)
  in (s)
fun size (n: i64) -> (r: i64) =
  let (m: i64) = sub n 1
  in (m)
fun g (n: i64, m: i64, xs: [n]i32) -> (r: [m]i32) =
  let (v: [m]i32) = index xs[0:m:2]
  in (v)
entry \"f\" = f (\"xs\": [n]i32) -> i32
";

#[test]
fn callers_know_the_strides_of_the_views_that_functions_return() {
    let mut placed = placed(VIEW);
    let args = [Value::Scalar(Scalar::I64(3)), Value::vector(Buffer::I32(vec![5, 6, 7]))];
    let result = run(&placed, &args).expect("there is nothing wrong");
    assert_eq!(result[0].as_scalar(), Some(Scalar::I32(12)));
    let (view, mut wrong) = (var(&placed, "view"), place(&placed, "view"));
    wrong.lmad.dims[0].stride = Poly::constant(1);
    table(&mut placed).set(view, wrong);
    let complaint = complaint(&placed, &args);
    assert!(complaint.contains("a caller does not know the strides of a view"), "{complaint}");
}
