//! Blocks that are as large as the largest iteration needs, and those that are not.

use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{Atom, Exp, Scalar, Stm, Var, visit::Visit};
use fehu_mem::assign::assign;
use fehu_mem::enlarge::enlarge;
use fehu_mem::short_circuit::short_circuit;
use fehu_mem::table::{Origin, Placed};
use rustc_hash::FxHashMap;

/// The sizes of the blocks that are larger than before, in the order of their text.
fn enlarged(text: &str) -> Vec<String> {
    let text = format!("prog arrays\n{text}");
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let mut placed = assign(prog).unwrap_or_else(|_| panic!("too complex\n{text}"));
    short_circuit(&mut placed, false);
    let before = placed.clone();
    enlarge(&mut placed);
    verify(&placed.prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let mut all = Vec::new();
    for ((_, old), (fun, new)) in before.funs.iter().zip(placed.funs.iter()) {
        for ((_, old), (_, new)) in old.blocks.iter().zip(new.blocks.iter()) {
            let (Origin::Fresh { size: old, .. }, Origin::Fresh { size: new, .. }) =
                (&old.origin, &new.origin)
            else {
                continue;
            };
            if old != new {
                let body = &placed.prog.funs[fun].body;
                let mut defs = Defs { defs: FxHashMap::default() };
                defs.body(body);
                let sizes: Vec<String> = new.iter().map(|size| defs.text(&placed, *size)).collect();
                all.push(sizes.join(" x "));
            }
        }
    }
    all.sort();
    all
}

/// How variables are computed.
struct Defs {
    defs: FxHashMap<Var, Exp>,
}

impl Visit for Defs {
    fn stm(&mut self, stm: &Stm) {
        if let [var] = stm.pat.as_slice() {
            self.defs.insert(*var, stm.exp.clone());
        }
        fehu_ir::visit::walk_stm(self, stm);
    }
}

impl Defs {
    fn text(&self, placed: &Placed, atom: Atom) -> String {
        match atom {
            Atom::Const(Scalar::I64(number)) => number.to_string(),
            Atom::Const(other) => format!("{other:?}"),
            Atom::Var(var) => match self.defs.get(&var) {
                Some(Exp::BinOp(op, a, b)) => {
                    let [a, b] = [a, b].map(|atom| self.text(placed, *atom));
                    format!("{}({a}, {b})", format!("{op:?}").to_lowercase())
                }
                _ => placed
                    .prog
                    .funs
                    .iter()
                    .next()
                    .map_or(String::new(), |(_, fun)| fun.vars[var].hint.to_string()),
            },
        }
    }
}

/// An array of this size, and one of its elements.
fn array(name: &str, size: &str) -> String {
    format!(
        "let (a{name}: [{size}]i64) = replicate ({size}) u let (r{name}: [{size}]i64) = rearrange (0) a{name} \
         let (v{name}: i64) = index r{name}[0] "
    )
}

/// A loop of `count` iterations that counts by `i` and adds `result` to a number.
fn counts(count: &str, body: &str, result: &str) -> String {
    format!(
        "let (x: i64) = loop (s: i64 = 0) for i: i64 < {count} {{ let (k: i64) = add i 1 {body} let (t: i64) = add s {result} \
         in (t) }}"
    )
}

fn function(statements: &str, result: &str) -> String {
    format!(
        "fun f (n: i64, m: i64, c: bool, u: i64, xs: [m]i64) -> (res: i64) =\n {statements} in ({result})\n"
    )
}

fn looped(body: &str, result: &str) -> String {
    function(&counts("n", body, result), "x")
}

/// A map over `m` positions, `i`.
fn mapped(body: &str, result: &str) -> String {
    let map = format!(
        "let (is: [m]i64) = iota i64 m 0 1 let (ys: [m]i64) = screma m (is) map \\(i: i64) -> (i64) {{ let (k: i64) = add i 1 \
         {body} in ({result}) }} let (y: i64) = index ys[0]"
    );
    function(&map, "y")
}

#[test]
fn what_grows_in_a_loop_has_the_last_size() {
    assert_eq!(enlarged(&looped(&array("", "k"), "v")), ["max(n, 0)"]);
    // Sizes from outside are what they are.
    assert_eq!(enlarged(&looped(&array("", "m"), "v")), [""; 0]);
    let twice = format!("let (d: i64) = mul k 2 {}", array("", "d"));
    assert_eq!(enlarged(&looped(&twice, "v")), ["max(mul(2, min(n, 281474976710656)), 0)"]);
    let both = "let (b: [m, k]i64) = replicate (m, k) u let (q: [k, m]i64) = rearrange (1, 0) b let (v: i64) = index q[0, 0]";
    let both = both.replace("[m, k]", "[m][k]").replace("[k, m]", "[k][m]");
    assert_eq!(enlarged(&looped(&both, "v")), ["m x max(n, 0)"]);
}

#[test]
fn loops_in_loops() {
    let inner = format!(
        "let (w: i64) = loop (p: i64 = 0) for j: i64 < k {{ let (l: i64) = add j 3 {} let (q: i64) = add p v in (q) }} ",
        array("", "l")
    );
    assert_eq!(enlarged(&looped(&inner, "w")), ["max(add(2, min(n, 281474976710656)), 0)"]);
}

#[test]
fn an_array_that_is_handed_on_grows() {
    let text = function(
        "let (e: [1]i64) = array i64 (u) let (d: i64, a: [d]i64) = loop (d0: i64 = 1, x: [d0]i64 = e) for i: i64 < n { \
         let (g: i64) = add d0 1 let (b: [1]i64) = array i64 (i) let (y: [g]i64) = concat g (x, b) in (g, y) } \
         let (z: i64) = index a[0]",
        "z",
    );
    assert_eq!(enlarged(&text), ["max(add(1, n), 0)"]);
}

#[test]
fn branches_need_not_be_taken() {
    let branch =
        format!("let (b: i64) = if c then {{ {} in (v) }} else {{ in (0) }} ", array("", "k"));
    assert_eq!(enlarged(&looped(&branch, "b")), [""; 0]);
    assert_eq!(enlarged(&mapped(&branch, "b")), [""; 0]);
    // A loop in a branch is another matter.
    let inside = counts("n", &array("", "k"), "v");
    let text = format!("let (b: i64) = if c then {{ {inside} in (x) }} else {{ in (0) }} ");
    assert_eq!(enlarged(&function(&text, "b")), ["max(n, 0)"]);
}

#[test]
fn what_shrinks_in_a_loop_of_the_host_leaves_memory_to_others() {
    let shrinks = format!("let (g: i64) = sub n i {}", array("2", "g"));
    assert_eq!(enlarged(&looped(&shrinks, "v2")), [""; 0]);
    let both = format!("{} {shrinks} let (o: i64) = add v1 v2", array("1", "k"));
    assert_eq!(enlarged(&looped(&both, "o")), [""; 0]);
    // Positions of operators have their memory one after the other.
    let shrinks = format!("let (g: i64) = sub m i {}", array("2", "g"));
    let both = format!("{} {shrinks} let (o: i64) = add v1 v2", array("1", "k"));
    assert_eq!(enlarged(&mapped(&both, "o")), ["m", "m"]);
}

#[test]
fn what_only_an_iteration_knows_stays() {
    let read = format!("let (g: i64) = index xs[i] {}", array("", "g"));
    assert_eq!(enlarged(&looped(&read, "v")), [""; 0]);
    assert_eq!(enlarged(&mapped(&read, "v")), [""; 0]);
    // Nor is anything said of what a loop needs besides.
    let both = format!("{read} {} let (o: i64) = add v v1", array("1", "k"));
    assert_eq!(enlarged(&looped(&both, "o")), [""; 0]);
}

#[test]
fn a_loop_at_each_position() {
    let inside =
        counts("n", &array("", "k"), "v").replace("(k: i64)", "(k2: i64)").replace("[k]", "[k2]");
    let inside = inside
        .replace("replicate (k)", "replicate (k2)")
        .replace("i: i64 <", "j: i64 <")
        .replace("add i 1", "add j 1");
    assert_eq!(enlarged(&mapped(&inside, "x")), ["max(n, 0)"]);
}
