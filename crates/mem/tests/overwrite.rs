//! Maps that overwrite their inputs, and those that must not.

use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_mem::assign::assign;
use fehu_mem::overwrite::overwrite;
use fehu_mem::short_circuit::short_circuit;
use fehu_mem::table::Origin;

/// How many blocks are allocated, and how many of them go.
fn blocks(text: &str) -> (usize, usize) {
    let text = format!("prog arrays\n{text}");
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let mut placed = assign(prog).unwrap_or_else(|_| panic!("too complex\n{text}"));
    short_circuit(&mut placed, false);
    let count = |placed: &fehu_mem::table::Placed| {
        let blocks = placed.funs.iter().flat_map(|(_, table)| table.blocks.iter());
        blocks.filter(|(_, block)| matches!(block.origin, Origin::Fresh { .. })).count()
    };
    let before = count(&placed);
    overwrite(&mut placed);
    (before, before - count(&placed))
}

/// `name` is a map of `from`, whose function also has these statements.
fn map(name: &str, from: &str, also: &str) -> String {
    format!(
        "let ({name}: [n]f32) = screma n ({from}, is) map \\(e{name}: f32, i{name}: i64) -> (f32) {{ {also} let (d{name}: f32) \
         = mul e{name} 2.0f32 in (d{name}) }}\n"
    )
}

/// A function of an array that has these statements and this result.
fn function(statements: &str, result: &str) -> String {
    format!(
        "fun f (n: i64, t: bool, x: [n]f32) -> (res: [n]f32) =\n let (is: [n]i64) = iota i64 n 0 1\n {statements} in ({result})\n"
    )
}

#[test]
fn chains_need_one_block() {
    let chain = map("a", "x", "") + &map("b", "a", "") + &map("c", "b", "");
    assert_eq!(blocks(&function(&chain, "c")), (3, 2));
    // An argument is the caller's, unless it is consumed.
    assert_eq!(blocks(&function(&chain, "c").replace("x: [n]f32)", "*x: [n]f32)")), (3, 3));
}

/// Rows that a loop in the function of a map updates stay where they are; rows that may be what they were are copied, unless they
/// are changed elsewhere.
#[test]
fn rows_that_a_loop_updates_need_no_block() {
    let rows = |statements: &str| {
        let text = format!(
            "fun f (n: i64, k: i64, *xss: [n][k]f32) -> (res: [n][k]f32) =
               let (yss: [n][k]f32) = screma n (xss) map \\(xs: [k]f32) -> ([k]f32) {{
                 let (ys: [k]f32) = loop (us: [k]f32 = xs) for i: i64 < k {{ {statements} in (vs) }}
                 in (ys)
               }}
               in (yss)\n"
        );
        blocks(&text).0
    };
    assert_eq!(rows("let (vs: [k]f32) = update us[i] = 1.0f32"), 0);
    let twice = "let (e: f32) = index us[0] let (ws: [k]f32) = loop (qs: [k]f32 = us) for j: i64 < i { \
                 let (rs: [k]f32) = update qs[j] = e in (rs) } let (vs: [k]f32) = update ws[i] = e";
    assert_eq!(rows(twice), 0);
    assert_eq!(rows("let (vs: [k]f32) = us"), 1);
}

/// What both alternatives of a branch change in place is where it was; one that may be elsewhere carries its block.
#[test]
fn what_branches_change_in_place_stays() {
    let carried = |yes: &str, no: &str| {
        let text = format!(
            "prog arrays\nfun f (n: i64, t: bool, *x: [n]f32) -> (res: [n]f32) =
               let (y: [n]f32) = if t then {{ {yes} }} else {{ {no} }}
               in (y)"
        );
        let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
        let placed = assign(prog).unwrap_or_else(|_| panic!("too complex\n{text}"));
        let blocks = placed.funs.iter().flat_map(|(_, table)| table.blocks.iter());
        blocks.filter(|(_, block)| matches!(block.origin, Origin::Carried(_))).count()
    };
    let update = "let (a: [n]f32) = update x[0] = 1.0f32 in (a)";
    let looped = "let (b: [n]f32) = loop (c: [n]f32 = x) for i: i64 < n { let (d: [n]f32) = update c[i] = 2.0f32 in (d) } in (b)";
    // There is the argument.
    assert_eq!(carried(update, looped), 1);
    assert_eq!(carried("(x)", looped), 1);
    assert_eq!(carried("let (e: [n]f32) = replicate (n) 0.0f32 in (e)", looped), 2);
}

#[test]
fn what_is_read_elsewhere_or_later_stays() {
    let first = map("a", "x", "");
    let own = map("b", "a", "let (o: f32) = index a[ib]");
    assert_eq!(blocks(&function(&(first.clone() + &own), "b")), (2, 1));
    let other = map("b", "a", "let (z: i64) = sub ib 1 let (o: f32) = index a[z]");
    assert_eq!(blocks(&function(&(first.clone() + &other), "b")), (2, 0));
    let row = map("b", "a", "let (o: [n]f32) = index a[0:n:1]");
    assert_eq!(blocks(&function(&(first.clone() + &row), "b")), (2, 0));
    let later =
        first.clone() + &map("b", "a", "") + "let (o: f32) = index a[0]\n" + &map("g", "b", "");
    assert_eq!(blocks(&function(&later, "g")), (3, 1));
    // By another name.
    let branch = "let (d: [n]f32) = if t then { in (a) } else { in (x) }\n";
    let alias =
        first.clone() + branch + &map("b", "a", "") + &map("g", "b", "let (o: f32) = index d[ig]");
    assert_eq!(blocks(&function(&alias, "g")), (3, 1));
    let dead = first + branch + &map("b", "a", "") + &map("g", "b", "");
    assert_eq!(blocks(&function(&dead, "g")), (3, 2));
}

#[test]
fn loops_work_on_one_block() {
    let steps = |init: &str, params: &str, body: &str, results: &str| {
        format!(
            "let (r: [n]f32{params}) = loop (p: [n]f32 = {init}{}) for k: i64 < n {{ {body} in ({results}) }}\n",
            if params.is_empty() { String::new() } else { format!(", q: [n]f32 = {init}") }
        )
    };
    let (first, step) = (map("a", "x", ""), map("b", "p", ""));
    let once = first.clone() + &steps("a", "", &step, "b");
    assert_eq!(blocks(&function(&once, "r")), (2, 1));
    // The first value is the caller's, or needed in the loop, or after it.
    assert_eq!(blocks(&function(&steps("x", "", &step, "b"), "r")), (1, 0));
    let inside = map("b", "p", "let (o: f32) = index a[ib]");
    assert_eq!(blocks(&function(&(first.clone() + &steps("a", "", &inside, "b")), "r")), (2, 0));
    let after = once + &map("g", "r", "let (o: f32) = index a[ig]");
    assert_eq!(blocks(&function(&after, "g")), (3, 0));
    // The next value is made of something that was made of the parameter, which nobody needs any more.
    let turned = "let (m: [n]f32) = screma n (p, is) map \\(e: f32, i: i64) -> (f32) { let (z: i64) = sub n i let (y: i64) = sub z 1 let \
                  (o: f32) = index p[y] in (o) } let (b: [n]f32) = scratch [n]f32 let (c: [n]f32) = scatter n (is, m) map \
                  \\(ic: i64, v: f32) -> (i64, f32) {(ic, v)} dest [n] b ";
    let twice = first.clone() + &steps("a", "", turned, "c");
    assert_eq!(blocks(&function(&twice, "r")), (3, 1));
    // Or it is needed: another element of it, when the next value is there.
    let late = format!("{turned} let (w: f32) = index p[0] let (g: [n]f32) = update c[0] = w ");
    assert_eq!(blocks(&function(&(first.clone() + &steps("a", "", &late, "g")), "r")), (3, 0));
    // Two parameters begin as one array.
    let both = map("b", "p", "") + &map("g", "q", "");
    let two = first
        + &steps("a", ", s: [n]f32", &both, "b, g")
        + &map("h", "r", "let (o: f32) = index s[ih]");
    assert_eq!(blocks(&function(&two, "h")).1, 0);
}

/// What the operator of a scan or reduction makes of the value so far is stored where that is, and not where an element is.
#[test]
fn values_so_far_are_overwritten() {
    let fold = |how: &str, shape: &str, operand: &str, index: &str| {
        let text = format!(
            "fun f (n: i64, k: i64, xss: [n][k]f32) -> (res: {shape}f32) =
               let (is: [k]i64) = iota i64 k 0 1
               let (ne: [k]f32) = replicate (k) 0.0f32
               let (yss: {shape}f32) = screma n (xss) map \\(xs: [k]f32) -> ([k]f32) {{(xs)}}
                 {how} \\(a: [k]f32, b: [k]f32) -> ([k]f32) {{
                   let (c: [k]f32) = screma k ({operand}, is) map \\(u: f32, i: i64) -> (f32) {{
                     let (j: i64) = sub {index}
                     let (v: f32) = index a[j]
                     let (w: f32) = index b[j]
                     let (x: f32) = add u v
                     let (y: f32) = add x w
                     in (y)
                   }}
                   in (c)
                 }} neutral (ne)
               in (yss)\n"
        );
        blocks(
            &text
                .replace("let (j: i64) = sub i 0", "")
                .replace("[j]", if index == "i 0" { "[i]" } else { "[j]" }),
        )
    };
    // The neutral element, the results, and what the operator makes; a scan also has the value so far.
    assert_eq!(fold("red", "[k]", "a", "i 0"), (3, 1));
    assert_eq!(fold("scan", "[n][k]", "a", "i 0"), (4, 1));
    // Elements belong to somebody else.
    assert_eq!(fold("scan", "[n][k]", "b", "i 0"), (4, 0));
    // Other elements of the value so far are read.
    assert_eq!(fold("red", "[k]", "a", "k i"), (3, 0));
}
