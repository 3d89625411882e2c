//! Every statement and expression survives being printed and read; what cannot be read is explained.

use fehu_imp::text::{parse, renumber};
use fehu_imp::{Exp, Program, Stm};

/// A program with everything that there is.
const ALL: &str = r#"prog imp sites 2
tuning "main.suff_outer" ("main", "other")
tuning "x" ()
constant table

fun table() -> (size.0: i64, mem.1: mem) {
  size.0 = 8
  mem.1 = alloc i32[size.0]
}

removed

fun callee(n.0: i64, xs.1: mem) -> (ys.2: mem) {
  ys.2 = share xs.1
}

fun main(n.0: i64, xs.1: mem, h.2: f16) -> (r.3: f64, ys.4: mem) {
  comment "text with \"quotes\"\nand lines"
  var p.5: *f32
  p.5 = data xs.1[0]
  var q.6: *f32
  q.6 = &p.5[(2*n.0 + n.0*n.0 + -3)]
  var local.7: i32[16]
  var sum.8: i32 = 0i32
  sum.8 = prefixes add local.7
  for i.9 = 0 .. n.0 by 4 independent add(sum.8) {
    sum.8 = add_i32(sum.8, local.7[i.9])
  }
  for k.10: i32 = 0i32 .. i64_to_i32(n.0) {
    local.7[i32_to_i64(k.10)] = neg_i32(select(lt_i32(k.10, 3i32), k.10, 1i32))
  }
  while le_i64(n.0, 3) {
  }
  if true {
    free ys.4
  } else {
    copy p.5[0] <- q.6[(+)], (7)
  }
  switch sum.8 {
  case 1i32 {
    leave
  }
  case -2i32 {
  }
  default {
    assert false, "index " $n.0: i64 " out of bounds" at "a.fut:1:2" "b.fut:3:4"
  }
  }
  ys.4 = call callee(n.0, &p.5[(n.0)] in xs.1)
  ys.4 = call callee(n.0, &p.5[0])
  call callee(n.0, &p.5[0])
  foreign fft stream (n.0, &p.5[0] in xs.1) -> (*q.6, r.3) status sum.8
  foreign half (h.2) -> (r.3)
  const 0 (0 -> n.0, 1 -> ys.4)
  ys.4 = export &p.5[2] in xs.1
  ys.4 = export &p.5[2]
  trace "tag" h.2: f16
  trace_array "tag" p.5[n.0, 3]
  atomic min p.5[n.0], 1.5f32
  locked n.0 {
  }
  n.0 = chunks 1 of n.0
  tasks at 0 low.11 .. high.12 of n.0 chunk chunk.13 {
  }
  tasks at 1 low.14 .. high.15 of n.0 chunk chunk.16 of n.0 grain 16 {
  }
  n.0 = tuning 1 or 256
  n.0 = threads
  n.0 = blocks
  launch "map" at "a.fut:1:2-3" block b.17 of n.0 thread t.18 of 256 residents 4 by_block shared 1024 changes p.5[1] of n.0, p.5[0] of 1 read_only p.5 {
    var s.19: shared f32[64]
    p.5 = shared[0]
    barrier
    warp barrier
    warp {
      warp barrier
    }
    section {
      leave
    }
    var c.20: i32
    c.20 = poll local.7[0]
    c.20 = count local.7[t.18]
    c.20 = shuffle down 1 of c.20
    c.20 = shuffle up t.18 of add_i32(c.20, 1i32)
    c.20 = shuffle at 31 of c.20
    exchange old.21: f32 = s.19[t.18] {
      var new.22: f32 = add_f32(old.21, 1.0f32)
    } for new.22
    guarded local.7[0] {
    }
  }
  var x.23: f32
  x.23 = fetch p.5[0]
  ask p.5[1]
  x.23 = receive
  r.3 = sqrt_f64(f32_to_f64(fma_f32(x.23, i32_bits_f32(7i32), -f32.inf)))
  r.3 = add_f64(f64.nan, add_f64(-0.0f64, f64.bits(0xfff8000000000001)))
  h.2 = add_f16(1.5f16, add_f16(f16.inf, f16.bits(0x7e01)))
  var u.24: u64 = 18446744073709551615u64
  var v.25: bool = and_bool(eq_u64(u.24, 1u64), not_bool(isnan_f64(r.3)))
  var w.26: *shared f32
  var z.27: *own f32
  var last.28: bool
  last.28 = arrive n.0 of add_i64(n.0, 1)
}
"#;

#[test]
fn everything_survives() {
    let program = parse(ALL).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(program.to_string(), ALL);
    assert_eq!(parse(&program.to_string()), Ok(program.clone()));
    assert_eq!(renumber(&program), program);
}

#[test]
fn kinds_of_loops_survive() {
    for kind in [
        "",
        " independent",
        " independent max(s.1)",
        " lanes",
        " lanes max(s.1)",
        " square",
        " square lanes",
        " columns",
        " columns lanes",
    ] {
        let text = format!(
            "prog imp\n\nfun f(n.0: i64, s.1: i64) -> () {{\n  for i.2 = 0 .. n.0{kind} {{\n  }}\n}}\n"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(program.to_string(), text);
    }
    // Tiles add nothing to scalars.
    assert!(parse("prog imp fun f(n: i64) -> () { for i = 0 .. n square add(n) {} }").is_err());
}

#[test]
fn numbers_follow_the_declarations() {
    let text = "prog imp fun f(a: i64) -> (b.7: i64) { var c.1: i64 = a b.7 = c.1 }";
    let program = parse(text).expect("it is a program");
    let expected = "prog imp\n\nfun f(a.0: i64) -> (b.1: i64) {\n  var c.2: i64 = a.0\n  \
                    b.1 = c.2\n}\n";
    assert_eq!(program.to_string(), expected);
}

#[test]
#[expect(clippy::wildcard_enum_match_arm, reason = "anything else fails the test")]
fn forms_of_the_same_value_differ() {
    let first = |text: &str| {
        let program = parse(&format!("prog imp fun f(x: i64) -> () {{ x = {text} }}"));
        let program: Program = program.unwrap_or_else(|error| panic!("{error}"));
        let (_, fun) = program.funs.iter().next().expect("a function");
        match &fun.body[0] {
            Stm::Assign(_, e) => e.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(first("0"), Exp::int(0));
    assert_eq!(first("(0)"), Exp::Index(vec![(0, vec![])]));
    assert_eq!(first("(+)"), Exp::Index(vec![]));
    assert!(matches!(first("(x)"), Exp::Index(_)) && matches!(first("x"), Exp::Var(_)));
}

#[test]
fn errors_say_what_was_expected() {
    for (text, message) in [
        ("fun f", "1:1: expected `prog`, found `fun`"),
        ("prog imp\nfun f() -> () {\n  x = 1\n}", "3:3: variable `x` is not declared anywhere"),
        ("prog imp\nfun f() -> () { jump }", "2:17: expected a statement, found `jump`"),
        ("prog imp fun f() -> () { var x: i65 }", "expected a type, found `i65`"),
        ("prog imp fun f(x: i64) -> (x: i32) {}", "variable `x` was declared as i64 before"),
        ("prog imp fun f(x: i64) -> () { x = add_i64(x) }", "`add_i64` has 2 operands, not 1"),
        ("prog imp fun f(x: i64) -> () { x = plus_i64(x) }", "there is no operator `plus`"),
        ("prog imp fun f(x: i64) -> () { x = sqrt(x) }", "expected `select` or an operator"),
        ("prog imp fun f(x: i64) -> () { x = (x - 1) }", "1:39: unexpected character `-`"),
        ("prog imp fun f() -> () { call g() }", "there is no function `g`"),
        ("prog imp constant g", "there is no function `g`"),
        ("prog imp removed fun f() -> () {} fun f() -> () {}", "function `f` is defined twice"),
        ("prog imp fun f() -> () {", "expected a statement, found the end of the text"),
        ("prog imp fun f() -> () { switch 1 { } }", "expected `case` or `default`, found `}`"),
        ("prog imp fun f() -> () { var a: i32[-1] }", "`-1` is not a number of elements"),
        ("prog imp fun f() -> () { leave ) }", "expected a statement, found `)`"),
    ] {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}\n{error}");
    }
}
