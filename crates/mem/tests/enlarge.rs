//! Blocks that are as large as the largest iteration needs, and those that are not.

use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{Atom, BinOp, Exp, Scalar, Stm, Var, visit::Visit};
use fehu_mem::assign::assign;
use fehu_mem::enlarge::enlarge;
use fehu_mem::short_circuit::short_circuit;
use fehu_mem::table::Origin;
use rustc_hash::FxHashMap;

/// More elements than any memory has, as sizes say it that are computed: at least half of this.
const TOO_MANY: i64 = 1 << 48;

/// The sizes of the blocks that get others, in ascending order, for these values of `n`, `m` and `l`.
fn known_sizes(text: &str, values: [i64; 3]) -> Option<Vec<i64>> {
    let text = format!("prog {}\n{text}", if text.contains("seg ") { "segs" } else { "arrays" });
    let prog = parse(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let mut placed = assign(prog).unwrap_or_else(|_| panic!("too complex\n{text}"));
    short_circuit(&mut placed, false);
    let before = placed.clone();
    enlarge(&mut placed);
    verify(&placed.prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let mut all = Vec::new();
    for ((_, old), (fun, new)) in before.funs.iter().zip(placed.funs.iter()) {
        let fun = &placed.prog.funs[fun];
        let mut defs = Defs { defs: FxHashMap::default() };
        defs.body(&fun.body);
        for (param, value) in fun.params.iter().zip(values) {
            defs.defs.insert(param.var, Exp::Atom(Atom::i64(value)));
        }
        for ((_, old), (_, new)) in old.blocks.iter().zip(new.blocks.iter()) {
            if old.origin != new.origin
                && let Origin::Fresh { size, .. } = &new.origin
            {
                all.push(size.iter().map(|size| defs.value(*size)).product::<Option<i64>>()?);
            }
        }
    }
    all.sort_unstable();
    Some(all)
}

/// Likewise; they depend on nothing else.
fn sizes(text: &str, values: [i64; 3]) -> Vec<i64> {
    known_sizes(text, values).unwrap_or_else(|| panic!("a size depends on a counter\n{text}"))
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
    /// What an atom is, unless it depends on a counter.
    fn value(&self, atom: Atom) -> Option<i64> {
        let var = match atom {
            Atom::Const(Scalar::I64(number)) => return Some(number),
            Atom::Const(other) => panic!("{other:?}"),
            Atom::Var(var) => var,
        };
        match self.defs.get(&var)? {
            Exp::Atom(atom) => self.value(*atom),
            Exp::BinOp(op, a, b) => {
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                Some(match op {
                    BinOp::Add => a.wrapping_add(b),
                    BinOp::Sub => a.wrapping_sub(b),
                    BinOp::Mul => a.wrapping_mul(b),
                    BinOp::Quot => a.wrapping_div(b),
                    BinOp::Min => a.min(b),
                    BinOp::Max => a.max(b),
                    other => panic!("{other:?}"),
                })
            }
            other => panic!("{other:?}"),
        }
    }
}

/// An array of this size, and one of its elements, `v` with the name.
fn array(name: &str, size: &str) -> String {
    let shape = size.replace(", ", "][");
    let dims: Vec<String> = (0..size.split(", ").count()).map(|dim| dim.to_string()).collect();
    let zeros = vec!["0"; dims.len()].join(", ");
    format!(
        "let (a{name}: [{shape}]i64) = replicate ({size}) u let (r{name}: [{shape}]i64) = rearrange ({}) a{name} \
         let (v{name}: i64) = index r{name}[{zeros}] ",
        dims.join(", ")
    )
}

/// `let (name: i64) = exp`
fn number(name: &str, exp: &str) -> String {
    format!("let ({name}: i64) = {exp} ")
}

/// A loop of `count` iterations that counts by `i` and adds up `result`; its sum has the name `s` and that of the
/// counter.
fn counts(i: &str, count: &str, body: &str, result: &str) -> String {
    format!(
        "let (s{i}: i64) = loop (p{i}: i64 = 0) for {i}: i64 < {count} {{ {body} \
         let (t{i}: i64) = add p{i} {result} in (t{i}) }} "
    )
}

const HEAD: &str = "fun f (n: i64, m: i64, l: i64, c: bool, u: i64, xs: [m]i64) -> (res: i64) =";

/// A map over `m` positions, `h`.
fn mapped(body: &str, result: &str) -> String {
    format!(
        "{HEAD} let (is: [m]i64) = iota i64 m 0 1 let (ys: [m]i64) = screma m (is) map \\(h: i64) -> (i64) {{ \
         {body} in ({result}) }} let (y: i64) = index ys[0] in (y)"
    )
}

/// The same, at a level.
fn at(level: &str, body: &str, result: &str) -> String {
    format!(
        "{HEAD} let (is: [m]i64) = iota i64 m 0 1 let (ys: [m]i64) = seg {level} [] () \\() -> ([m]i64) {{ \
         let (zs: [m]i64) = screma m (is) map \\(h: i64) -> (i64) {{ {body} in ({result}) }} in (zs) }} let (y: i64) = index ys[0] in (y)"
    )
}

/// A loop of `n` iterations with an array of `size`, which may be computed first.
fn looped(first: &str, size: &str) -> String {
    counts("i", "n", &format!("{first}{}", array("", size)), "v")
}

fn next() -> String {
    number("k", "add i 1")
}

#[test]
fn what_grows_has_the_last_size() {
    let text = mapped(&looped(&next(), "k"), "si");
    assert_eq!(sizes(&text, [500, 3, 0]), [500]);
    assert_eq!(sizes(&text, [1, 3, 0]), [1]);
    // Sizes from outside are what they are.
    assert_eq!(sizes(&mapped(&looped("", "l"), "si"), [5, 3, 7]), [0; 0]);
    let with_rows = mapped(&looped(&next(), "m, k"), "si");
    assert_eq!(sizes(&with_rows, [5, 3, 0]), [15]);
    assert_eq!(sizes(&mapped(&(number("k", "add h 1") + &array("", "k")), "v"), [0, 9, 0]), [9]);
}

#[test]
fn loops_in_loops() {
    let inner = counts("j", "k", &(number("d", "add j 1") + &array("", "d")), "v");
    let text = mapped(&counts("i", "n", &(next() + &inner), "sj"), "si");
    assert_eq!(sizes(&text, [6, 2, 0]), [6]);
    // The larger of both is largest at the end of both.
    let inner = counts("j", "h", &(number("d", "add j h") + &array("", "d")), "v");
    let text = mapped(&counts("i", "n", &inner, "sj"), "si");
    assert_eq!(sizes(&text, [6, 4, 0]), [5]);
    assert_eq!(sizes(&text, [0, 4, 0]), [0]);
    // No position has an inner iteration.
    assert_eq!(sizes(&text, [6, 1, 0]), [0]);
}

#[test]
fn without_iterations_there_is_no_memory() {
    let text = mapped(&looped(&next(), "k"), "si");
    for values in [[0, 3, 0], [-7, 3, 0], [500, 0, 0], [i64::MIN, 3, 0]] {
        assert_eq!(sizes(&text, values), [0], "{values:?}");
    }
    let text = mapped(&(counts("o", "l", &looped(&next(), "k"), "si")), "so");
    assert_eq!(sizes(&text, [500, 3, 2]), [500]);
    assert_eq!(sizes(&text, [500, 3, 0]), [0]);
    assert_eq!(sizes(&text, [500, 3, -1]), [0]);
}

#[test]
fn kernels_know_all_or_nothing() {
    let growing = looped(&next(), "k");
    let other = counts("o", "l", &array("2", "n"), "v2");
    let both = format!("{growing} {other} {}", number("w", "add si so"));
    // What is made in another loop has no size without iterations.
    let text = at("grid", &both, "w");
    assert_eq!(sizes(&text, [50, 3, 2]), [50, 50]);
    assert_eq!(sizes(&text, [50, 3, 0]), [0, 50]);
    // What only a branch makes could be too large.
    let branch =
        format!("let (b: i64) = if c then {{ {} in (v2) }} else {{ in (0) }}", array("2", "n"));
    let both = format!("{growing} {branch} {}", number("w", "add si b"));
    assert_eq!(sizes(&at("grid", &both, "w"), [50, 3, 0]), [0; 0]);
    // Others have nothing to reserve.
    assert_eq!(sizes(&mapped(&both, "w"), [50, 3, 0]), [50]);
}

#[test]
fn branches_need_not_be_taken() {
    let branch =
        format!("let (b: i64) = if c then {{ {} in (v) }} else {{ in (0) }} ", array("", "k"));
    let text = counts("i", "n", &(next() + &branch), "b");
    assert_eq!(sizes(&mapped(&text, "si"), [5, 3, 0]), [0; 0]);
    assert_eq!(sizes(&at("grid", &text, "si"), [5, 3, 0]), [0; 0]);
    let loops = format!(
        "let (b: i64, g: bool) = loop (b0: i64 = 0, g0: bool = c) while g0 {{ {} in (si, false) }} ",
        looped(&next(), "k")
    );
    assert_eq!(sizes(&mapped(&loops, "b"), [5, 3, 0]), [0; 0]);
}

#[test]
fn what_a_check_ends_need_not_be_made() {
    let check = "let (e: i64) = index xs[h] let (o: bool) = lt i e let (z: unit) = assert o \"no\" at \"1\" ";
    assert_eq!(sizes(&mapped(&looped(&(next() + check), "k"), "si"), [5, 3, 0]), [0; 0]);
}

#[test]
fn what_is_too_large_stays_too_large() {
    let is_too_large = |text: &str, values: [i64; 3]| {
        let sizes = sizes(text, values);
        assert!(
            matches!(sizes.as_slice(), [size] if (TOO_MANY / 2..=TOO_MANY).contains(size)),
            "{sizes:?}"
        );
    };
    is_too_large(&mapped(&looped(&next(), "k"), "si"), [i64::MAX, 3, 0]);
    // These products would be zero.
    let rows = mapped(&looped(&next(), "m, k"), "si");
    is_too_large(&rows, [1 << 33, 1 << 31, 0]);
    is_too_large(&rows, [1 << 32, 1 << 32, 0]);
    is_too_large(&rows, [1 << 62, 4, 0]);
    assert_eq!(sizes(&rows, [0, 1 << 62, 0]), [0]);
    assert_eq!(sizes(&rows, [1 << 16, 1 << 31, 0]), [1 << 47]);
}

#[test]
fn what_may_wrap_where_it_is_made_stays() {
    // Nobody knows how large the product is, so a check follows in programs.
    assert_eq!(sizes(&mapped(&looped(&number("k", "mul i l"), "k"), "si"), [5, 3, 2]), [0; 0]);
    assert_eq!(sizes(&mapped(&looped(&number("k", "add i l"), "k"), "si"), [5, 3, 2]), [0; 0]);
    // That of an array is not.
    assert_eq!(sizes(&mapped(&looped(&number("k", "add h m"), "k"), "si"), [5, 3, 2]), [5]);
}

#[test]
fn what_shrinks_stays() {
    let shrinks = number("g", "sub n i");
    assert_eq!(sizes(&mapped(&looped(&shrinks, "g"), "si"), [5, 3, 0]), [0; 0]);
    // The product is largest in the middle.
    let both = shrinks + &next();
    assert_eq!(sizes(&mapped(&looped(&both, "g, k"), "si"), [5, 3, 0]), [0; 0]);
    let inner = counts("j", "g", &(number("d", "add j 1") + &array("", "d")), "v");
    let text = counts("i", "n", &(number("g", "sub n i") + &inner), "sj");
    assert_eq!(sizes(&mapped(&text, "si"), [5, 3, 0]), [0; 0]);
}

#[test]
fn what_only_an_iteration_knows_stays() {
    let read = number("g", "index xs[h]");
    assert_eq!(sizes(&mapped(&looped(&read, "g"), "si"), [5, 3, 0]), [0; 0]);
    let bound = read + &counts("i", "g", &(next() + &array("", "k")), "v");
    assert_eq!(sizes(&mapped(&bound, "si"), [5, 3, 0]), [0; 0]);
}

/// An array with `first` elements at first to which `more` are appended in each of `n` iterations.
fn appended(first: &str, more: i64) -> String {
    format!(
        "let (e: [{first}]i64) = replicate ({first}) u let (d: i64, ea: [d]i64) = loop (d0: i64 = {first}, x: \
        [d0]i64 = e) \
         for q: i64 < n {{ let (g: i64) = add d0 {more} let (b: [{more}]i64) = replicate ({more}) q let (w: [g]i64) = \
         concat g (x, b) in (g, w) }} let (z: i64) = index ea[0] "
    )
}

#[test]
fn what_is_handed_on_stays() {
    // Two of them alternate, and the one before the last is only as large as it is; what it begins with may be larger.
    for text in [appended("1", 1), appended("m", 2)] {
        assert_eq!(sizes(&at("grid", &text, "z"), [5, 1000, 0]), [0; 0]);
        assert_eq!(sizes(&mapped(&text, "z"), [5, 1000, 0]), [0; 0]);
        // A kernel would reserve two of them, even for one iteration.
        let both = text.clone() + &looped(&next(), "k") + &number("o", "add z si");
        assert_eq!(sizes(&at("grid", &both, "o"), [5, 1000, 0]), [0; 0]);
        assert_eq!(sizes(&mapped(&both, "o"), [5, 1000, 0]), [5]);
    }
}

#[test]
fn loops_of_the_host_stay() {
    let text = |loops: &str| format!("{HEAD} {loops} in (si)");
    assert_eq!(sizes(&text(&looped(&next(), "k")), [5, 3, 0]), [0; 0]);
    let with_map = counts(
        "i",
        "n",
        &format!(
            "let (is: [m]i64) = iota i64 m 0 1 {} let (ys: [m]i64) = screma m (is) map \\(h: i64) -> (i64) {{ \
             {} in (sj) }} let (y: i64) = index ys[0]",
            next(),
            counts("j", "k", &(number("d", "add j 1") + &array("", "d")), "v")
        ),
        "y",
    );
    // Operators in them do not: their sizes are computed in each iteration.
    assert_eq!(known_sizes(&text(&with_map), [5, 3, 0]), None);
}

#[test]
fn positions_of_a_task_are_its_own() {
    let text = number("k", "add h 1") + &array("", "k");
    assert_eq!(sizes(&at("task", &text, "v"), [5, 3, 0]), [0; 0]);
    assert_eq!(sizes(&at("grid", &text, "v"), [5, 3, 0]), [3]);
    assert_eq!(sizes(&at("task", &looped(&next(), "k"), "si"), [5, 3, 0]), [5]);
}
