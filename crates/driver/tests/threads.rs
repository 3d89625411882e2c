//! Machine code that shares all its loops between threads does what the interpreter does.

use fehu_driver::check::Warnings;
use fehu_driver::code::{self, Code, Settings};
use fehu_driver::dev;
use fehu_driver::files::Memory;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines::JIT;
use fehu_driver::stages::Target;
use fehu_interp::{Error, Interp, Value};
use fehu_ir::{Prog, Scalar};
use fehu_irtest::oracle::show;

const PROGRAM: &str = "
entry elements [n] [m] (xs: [n]i64) (is: [m]i64) : [m]i64 = map (\\i -> xs[i] * 3) is
entry rows (n: i64) : [n][4]f32 =
  map (\\i -> map (\\j -> let x = f32.i64 (i * j) in f32.sqrt x + 1) (iota 4)) (iota n)
entry blocks (n: i64) : [n]i64 =
  map (\\i -> let xs = scan (+) 0 (iota (i % 7 + 1)) in (filter (\\x -> x % 2 == 1) xs |> length) + xs[i % 7])
      (iota n)
entry rounds (n: i64) : [n]i64 =
  loop xs = iota n for k < 5 do map (\\i -> xs[(i * 7 + k) % n] + 1) (iota n)
";

/// The program after the passes, and its machine code.
fn compiled() -> (Prog, Code) {
    let files = Memory::new([("threads.fut", PROGRAM)]);
    let plan = Plan::of(JIT.passes);
    let mut made = None;
    let outcome = dev::run(
        &files,
        "threads.fut",
        Warnings::Hide,
        &plan,
        |_| {},
        &mut |_, _| {},
        |_, prog, _| made = Some(prog),
    );
    let prog = made.unwrap_or_else(|| panic!("{outcome:?}"));
    let settings = Settings { few: true, ..Settings::of(Target::C) };
    let code = code::apply(prog.clone(), JIT.stages, &settings).unwrap();
    (prog, code)
}

#[test]
fn results_and_the_first_failure_are_those_of_one_thread() {
    let (prog, code) = compiled();
    let mut interp = Interp::new(&prog);
    let number = |n: i64| Value::Scalar(Scalar::I64(n));
    let array = |items: Vec<i64>| Value::array(&[items.len() as i64], items).unwrap();
    let mut cases: Vec<(&str, Vec<Value>)> = Vec::new();
    for n in [0, 1, 2, 3, 100, 1001] {
        cases.extend(["rows", "blocks", "rounds"].map(|name| (name, vec![number(n)])));
    }
    // Elements that are not there, in several ranges: the first is reported, whoever finds his first.
    let place = |bad: &[i64], i: i64| if bad.contains(&i) { 1000 + i } else { i % 10 };
    for bad in [&[][..], &[996], &[990, 400, 30, 700], &[501, 500]] {
        let (sizes, items) = ([number(10), number(997)], array((0..10).collect()));
        let [n, m] = sizes;
        cases.push((
            "elements",
            vec![n, m, items, array((0..997).map(|i| place(bad, i)).collect())],
        ));
    }
    for (name, args) in cases {
        let fun = prog.entries.iter().find(|entry| entry.name == name).unwrap().fun;
        let shown = |result: Result<Vec<Value>, Error>| match result {
            Ok(values) => values.iter().map(show).collect::<Vec<_>>().join(" "),
            Err(error) => error.message,
        };
        let expected = shown(interp.call(fun, args.clone()));
        for _ in 0..5 {
            let found = shown(code.call(fun, &args, Default::default()));
            assert_eq!(found, expected, "{name}");
        }
    }
}
