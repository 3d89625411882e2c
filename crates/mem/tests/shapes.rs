//! Programs of the shapes that short-circuiting was invented for: how many copies are left, and why.

use fehu_base::id::Id;
use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{FunId, Item};
use fehu_mem::assign::assign;
use fehu_mem::copies::{Copied, copies};
use fehu_mem::destinations::destinations;
use fehu_mem::short_circuit::{Refusals, Why, short_circuit};
use fehu_mem::unview::unview;

/// The copies of a program with the first table, and those that are left.
fn left(text: &str) -> (usize, Vec<Copied>) {
    let stage = if text.contains(" seg ") { "segs" } else { "arrays" };
    let text = format!("prog {stage}\n{text}");
    let mut prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    unview(&mut prog);
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{prog}", errors[0]));
    destinations(&mut prog, false);
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{prog}", errors[0]));
    let mut placed = assign(prog).unwrap_or_else(|_| panic!("too complex\n{text}"));
    let before = copies(&placed, &Refusals::default()).len();
    let refusals = short_circuit(&mut placed, false);
    (before, copies(&placed, &refusals))
}

#[track_caller]
fn none(text: &str) {
    let (before, left) = left(text);
    assert!(before > 0 && left.is_empty(), "{before} copies, then {left:?}\n{text}");
}

#[track_caller]
fn refused(text: &str, why: Why) {
    let (_, left) = left(text);
    assert_eq!(left.iter().filter_map(|copy| copy.why).collect::<Vec<_>>(), [why], "{text}");
}

/// A new array of this type, of the elements of another one.
fn map(name: &str, size: &str, from: &str) -> String {
    format!(
        "let ({name}: [{size}]f32) = screma {size} ({from}) map \\(e{name}: f32) -> (f32) {{ let (d{name}: f32) = mul \
         e{name} 2.0f32 in (d{name}) }}\n"
    )
}

/// A row, column or part of a matrix is replaced by a map of what was there, with something in between.
fn replaced(index: &str, size: &str, between: &str) -> String {
    format!(
        "fun f (n: i64, *x: [n][n]f32) -> (res: [n][n]f32) =\n let (y: [n][n]f32) = loop (a: [n][n]f32 = x) for i: i64 < n {{\n \
         let (k: i64) = sub n i\n let (u: [{size}]f32) = index a[{index}]\n {} {between}\n let (b: [n][n]f32) = update \
         a[{index}] = v\n in (b) }}\n in (y)\n",
        map("v", size, "u")
    )
}

#[test]
fn rows_columns_and_parts_of_them_are_made_in_place() {
    none(&replaced("i", "n", ""));
    none(&replaced("0:n:1, i", "n", ""));
    none(&replaced("i, 0:i:1", "i", ""));
    none(&replaced("i:k:1, i", "k", ""));
}

#[test]
fn reads_in_between_must_be_elsewhere() {
    none(&replaced("i, 0:i:1", "i", "let (c: f32) = index a[i, i]"));
    none(&replaced("0:i:1, i", "i", "let (c: f32) = index a[i, i]"));
    refused(&replaced("i", "n", "let (c: f32) = index a[i, 0]"), Why::Overlap);
    refused(&replaced("0:n:1, i", "n", "let (c: f32) = index a[i, i]"), Why::Overlap);
}

#[test]
fn positions_read_only_their_own_elements() {
    // Position `j` reads what another position has replaced.
    let text = "fun f (n: i64, *x: [n]f32) -> (res: [n]f32) =\n let (is: [n]i64) = iota i64 n 0 1\n let (v: [n]f32) = screma n (is) map \
                \\(i: i64) -> (f32) { let (l: i64) = sub n 1 let (j: i64) = sub l i let (e: f32) = index x[j] in (e) }\n let (r: \
                [n]f32) = update x[0:n:1] = v in (r)\n";
    refused(text, Why::Overlap);
    none(&text.replace("index x[j]", "index x[i]"));
}

/// A function with somebody else's code writes to what it is given, which must be without gaps and apart from what it reads.
#[test]
fn foreign_functions_write_to_where_their_results_belong() {
    let foreign = "foreign (c double)\nfun g (k: i64, u: [k]f32) -> (r: [k]f32) =\n let (v: [k]f32) = replicate (k) 1.0f32\n in (v)\n";
    none(&format!(
        "{foreign}fun f (n: i64, m: i64, x: [n][m]f32) -> (res: [n][m]f32) =\n let (y: [n][m]f32) = screma n (x) map \\(u: [m]f32) -> \
         ([m]f32) {{ let (v: [m]f32) = call g (m, u) in (v) }}\n in (y)\n"
    ));
    let replaced = |index: &str, of: &str| {
        format!(
            "{foreign}fun f (n: i64, *x: [n][n]f32, w: [n]f32) -> (res: [n][n]f32) =\n let (a: [n]f32) = index x[0]\n let (v: [n]f32) = \
             call g (n, {of})\n let (y: [n][n]f32) = update x[{index}] = v\n in (y)\n"
        )
    };
    none(&replaced("0", "w"));
    refused(&replaced("0:n:1, 0", "w"), Why::Boundary);
    // As far as is known, results of calls may be their arguments.
    refused(&replaced("0", "a"), Why::Read);
}

/// A function that makes an array, and one that changes its argument.
const FUNCTIONS: &str = "fun g (k: i64, u: [k]f32) -> (r: [k]f32) =\n let (v: [k]f32) = screma k (u) map \\(e: f32) -> (f32) { let (d: f32) = mul e \
                         2.0f32 in (d) }\n in (v)\nfun h (k: i64, *u: [k]f32) -> (r: [k]f32) =\n let (v: [k]f32) = update u[0] = 1.0f32\n in (v)\n";

#[test]
fn functions_make_their_results_where_they_belong() {
    // As rows, through two functions.
    let row = |body: &str| {
        format!(
            "{FUNCTIONS}fun f (n: i64, m: i64, x: [n][m]f32) -> (res: [n][m]f32) =\n let (y: [n][m]f32) = screma n (x) map \\(u: [m]f32) -> \
             ([m]f32) {{ {body} }}\n in (y)\nentry \"f\" = f (\"x\": [n][m]f32) -> [n][m]f32\n"
        )
    };
    none(&row("let (v: [m]f32) = call g (m, u) in (v)"));
    none(&row("let (v: [m]f32) = call g (m, u) let (w: [m]f32) = call h (m, v) in (w)"));
    // As a part of an array that the function does not read there.
    let replaced = |index: &str, of: &str| {
        format!(
            "{FUNCTIONS}fun f (n: i64, *x: [n][n]f32, w: [n]f32) -> (res: [n][n]f32) =\n let (a: [n]f32) = index x[0]\n let (b: [n]f32) = index x[1]\n \
             let (v: [n]f32) = call g (n, {of})\n let (y: [n][n]f32) = update x[{index}] = v\n in (y)\nentry \"f\" = f (\"x\": *[n][n]f32, \"w\": [n]f32) -> [n][n]f32\n"
        )
    };
    none(&replaced("0", "w"));
    none(&replaced("0", "b"));
    refused(&replaced("0", "a"), Why::Overlap);
    refused(&replaced("0:n:1, 0", "w"), Why::Boundary);
    // As operands of a concatenation.
    none(&format!(
        "{FUNCTIONS}fun f (n: i64, x: [n]f32, y: [n]f32) -> (k: i64, res: [k]f32) =\n let (m: i64) = add n n\n let (v: [n]f32) = call g (n, x)\n let (w: \
         [n]f32) = call g (n, y)\n let (c: [m]f32) = concat m (v, w)\n in (m, c)\nentry \"f\" = f (\"x\": [n]f32, \"y\": [n]f32) -> [k]f32\n"
    ));
}

#[test]
fn blocks_of_lu_decomposition() {
    // The perimeters and the inside of a matrix of blocks, all of the same one, and stored at the end.
    none(&format!(
        "fun f (n: i64, *x: [n][n][8]f32) -> (res: [n][n][8]f32) =\n let (y: [n][n][8]f32) = loop (a: [n][n][8]f32 = x) for s: i64 < \
         n {{\n let (t: i64) = add s 1\n let (k: i64) = sub n t\n let (p: [k][8]f32) = index a[s, t:k:1]\n {} let (q: [k][8]f32) = \
         index a[t:k:1, s]\n {} let (i: [k][k][8]f32) = index a[t:k:1, t:k:1]\n let (vi: [k][k][8]f32) = screma k (i, vq) map \
         \\(ir: [k][8]f32, lq: [8]f32) -> ([k][8]f32) {{\n let (vr: [k][8]f32) = screma k (ir, vp) map \\(ib: [8]f32, tp: [8]f32) \
         -> ([8]f32) {{ let (vb: [8]f32) = screma 8 (ib, tp, lq) map \\(e: f32, g: f32, h: f32) -> (f32) {{ let (z: f32) = mul g h \
         let (w: f32) = sub e z in (w) }} in (vb) }} in (vr) }}\n let (b: [n][n][8]f32) = update a[s, t:k:1] = vp\n let (c: \
         [n][n][8]f32) = update b[t:k:1, s] = vq\n let (d: [n][n][8]f32) = update c[t:k:1, t:k:1] = vi\n in (d) }}\n in (y)\n",
        rows("vp", "p"),
        rows("vq", "q"),
    ));
}

fn rows(name: &str, from: &str) -> String {
    format!(
        "let ({name}: [k][8]f32) = screma k ({from}) map \\(r{name}: [8]f32) -> ([8]f32) {{ {} in (m{name}) }}\n",
        map(&format!("m{name}"), "8", &format!("r{name}"))
    )
}

#[test]
fn an_array_is_made_transposed() {
    none(
        "fun f (n: i64, m: i64, *x: [n][m]f32, b: [m][n]f32) -> (res: [n][m]f32) =\n let (v: [m][n]f32) = screma m (b) map \\(row: \
         [n]f32) -> ([n]f32) { let (w: [n]f32) = screma n (row) map \\(e: f32) -> (f32) { let (d: f32) = mul e 2.0f32 in (d) } in \
         (w) }\n let (t: [n][m]f32) = rearrange (1, 0) v\n let (r: [n][m]f32) = update x[0:n:1, 0:m:1] = t in (r)\n",
    );
}

#[test]
fn segs_inside_of_a_map_read_the_rows_of_their_position() {
    // Two versions share the rows, or the elements of each row as well.
    let text = "fun f (n: i64, c: bool, *x: [n][n]f32) -> (res: [n][n]f32) =\n let (k: i64) = sub n 1\n let (u: [n][k]f32) = index x[0:n:1, \
                1:k:1]\n let (v: [n][k]f32) = if c then { let (v1: [n][k]f32) = seg task [] () \\() -> ([n][k]f32) { let (v2: [n][k]f32) = screma n (u) \
                map \\(row: [k]f32) -> ([k]f32) { let (w: [k]f32) = seg task [] () \\() -> ([k]f32) { let (w2: [k]f32) = screma k (row) map \\(e: f32) \
                -> (f32) { let (y: f32) = index x[0, 0] let (d: f32) = mul e y in (d) } in (w2) } in (w) } in (v2) } in (v1) } else { let (z: \
                [n][k]f32) = replicate (n, k) 0.0f32 in (z) }\n let (r: [n][n]f32) = update x[0:n:1, 1:k:1] = v in (r)\n";
    none(text);
    // Another position has replaced this element by then, or has not.
    refused(&text.replace("index x[0, 0]", "index x[0, 1]"), Why::Overlap);
}

#[test]
fn results_of_branches_inside_of_branches_are_made_in_place() {
    let rows = |kind: &str, number: usize| {
        let (p, q) = (format!("p{number}"), format!("q{number}"));
        format!(
            "let ({p}: [n]f32, {q}: [n]f32) = seg {kind} [] () \\() -> ([n]f32, [n]f32) {{ let (a{p}: [n]f32, a{q}: [n]f32) = screma n (u, v) map \
             \\(x{p}: f32, x{q}: f32) -> (f32, f32) {{ let (d{p}: f32) = add x{p} 1.0f32 let (d{q}: f32) = mul x{q} y in (d{p}, d{q}) }} in (a{p}, \
             a{q}) }} in ({p}, {q})"
        )
    };
    let text = format!(
        "fun f (n: i64, c: bool, e: bool, *x: [4][n]f32) -> (res: [4][n]f32) =\n let (y: f32) = index x[0, 0]\n let (u: [n]f32) = index x[1]\n let \
         (v: [n]f32) = index x[2]\n let (p: [n]f32, q: [n]f32) = if c then {{ {} }} else {{ let (p4: [n]f32, q4: [n]f32) = if e then {{ {} }} else \
         {{ {} }} in (p4, q4) }}\n let (z: [4][n]f32) = update x[1, 0:n:1] = p\n let (w: [4][n]f32) = update z[2, 0:n:1] = q in (w)\n",
        rows("grid", 1),
        rows("grid", 2),
        rows("grid", 3)
    );
    none(&text);
    // What one version makes of a row depends on another one, which may have been replaced by then.
    let (_, left) = left(&text.replacen("mul xq3 y", "mul xq3 xp3", 1));
    assert!(left.is_empty(), "{left:?}");
    let (_, left) =
        self::left(&text.replacen("let (dp2: f32)", "let (o: f32) = index v[0] let (dp2: f32)", 1));
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn rows_that_others_concatenate_are_made_in_place() {
    let rows = |name: &str, size: &str| {
        format!(
            "let ({name}: [n][{size}]f32) = seg grid [n] () \\(i{name}: i64) -> ([{size}]f32) {{ let (u{name}: [{size}]f32) = replicate ({size}) \
             y in (u{name}) }}\n"
        )
    };
    let text = format!(
        "fun f (n: i64, p: i64, y: f32, old: [p]f32) -> (s: i64, res: [n][s]f32) =\n let (k: i64) = add p 2\n {}{} let (c: [n][k]f32) = seg grid [n] () \
         \\(i: i64) -> ([k]f32) {{ let (x: [p]f32) = index a[i] let (z: [2]f32) = index b[i] let (w: [k]f32) = concat k (x, z) in (w) }}\n in (k, \
         c)\n",
        rows("a", "p"),
        rows("b", "2")
    );
    none(&text);
    // Other rows than those of the position.
    let (_, left) = left(&text.replace(
        "let (z: [2]f32) = index b[i]",
        "let (j: i64) = sub n i let (z: [2]f32) = index b[j]",
    ));
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn the_threads_of_a_block_read_the_rows_of_their_position() {
    let text = "fun f (n: i64, *x: [2][n][n]f32) -> (res: [2][n][n]f32) =\n let (u: [n][n]f32) = index x[1]\n let (v: [n][n]f32) = seg blocks [] () \\() -> \
                ([n][n]f32) { let (v2: [n][n]f32) = screma n (u) map \\(row: [n]f32) -> ([n]f32) { let (s: f32) = seg block [] () \\() -> (f32) { let (s2: \
                f32) = screma n (row) map \\(e: f32) -> (f32) {(e)} red comm \\(a: f32, b: f32) -> (f32) { let (c: f32) = add a b in (c) } neutral (0.0f32) \
                in (s2) } let (w: [n]f32) = seg block [] () \\() -> ([n]f32) { let (w2: [n]f32) = screma n (row) map \\(g: f32) -> (f32) { let (d: f32) = \
                mul g s in (d) } in (w2) } in (w) } in (v2) }\n let (r: [2][n][n]f32) = update x[1, 0:n:1, 0:n:1] = v in (r)\n";
    none(text);
    // A row that other blocks have replaced, or have not.
    refused(
        &text
            .replace("screma n (row) map \\(e: f32)", "screma n (first) map \\(e: f32)")
            .replace("let (v: [n]", "let (first: [n]f32) = index x[1, 0] let (v: [n]"),
        Why::Overlap,
    );
}

#[test]
fn an_update_waits_for_those_who_read_what_it_stores() {
    let text = format!(
        "fun f (n: i64, *x: [4][n]f32, u: [n]f32) -> (res: [4][n]f32, sum: f32) =\n {} let (r: [4][n]f32) = update x[1, 0:n:1] = v\n let (s: f32) = index \
         v[0]\n in (r, s)\n",
        map("v", "n", "u")
    );
    none(&text);
    // Here somebody changes the other array before that.
    refused(
        &text
            .replace("let (s:", "let (q: [4][n]f32) = update r[1, 0] = 1.0f32 let (s:")
            .replace("in (r, s)", "in (q, s)"),
        Why::Read,
    );
}

#[test]
fn anti_diagonals_are_replaced_in_place() {
    let text = format!(
        "fun f (*x: [100]f32) -> (res: [100]f32) =\n let (u: [10]f32) = flat_index x[9; 10:9]\n {} let (r: [100]f32) = flat_update \
         x[9; 10:9] = v in (r)\n",
        map("v", "10", "u")
    );
    none(&text);
    // Position 0 reads what position 1 replaces.
    refused(&text.replace("flat_index x[9; 10:9]", "flat_index x[18; 10:8]"), Why::Overlap);
    // Elements share an address.
    refused(&text.replace("flat_update x[9; 10:9]", "flat_update x[9; 10:0]"), Why::Overlapping);
}

#[test]
fn blocks_on_anti_diagonals_as_in_needleman_wunsch() {
    // Blocks are made of the column on their left; n = q*b + 1.
    let text = "fun f (q: i64, b: i64, n: i64, nn: i64, *x: [nn]i32) -> (res: [nn]i32) =\n let (ok: bool) = le 2 q let (c1: unit) = \
                assert ok \"q\"\n let (ok2: bool) = le 2 b let (c2: unit) = assert ok2 \"b\"\n let (qb: i64) = mul q b let (qb1: i64) \
                = add qb 1 let (ok3: bool) = eq n qb1 let (c3: unit) = assert ok3 \"n\"\n let (y: [nn]i32) = loop (a: [nn]i32 = x) \
                for i: i64 < q {\n let (k: i64) = add i 1 let (nb: i64) = mul n b let (s: i64) = sub nb b let (b1: i64) = add b 1 let \
                (ib: i64) = mul i b let (w0: i64) = add n ib let (w: i64) = add w0 1\n let (left: [k][b1]i32) = flat_index a[ib; \
                k:s, b1:n]\n let (v: [k][b][b]i32) = screma k (left) map \\(l: [b1]i32) -> ([b][b]i32) { let (is: [b]i64) = iota \
                i64 b 0 1 let (vs: [b][b]i32) = screma b (is) map \\(j: i64) -> ([b]i32) { let (e: i32) = index l[j] let (row: \
                [b]i32) = replicate (b) e in (row) } in (vs) }\n let (c: [nn]i32) = flat_update a[w; k:s, b:n, b:1] = v\n in (c) \
                }\n in (y)\n";
    let (before, left) = left(text);
    assert!(before >= 2, "{before}");
    assert!(left.len() < before, "{left:?}");
}

#[test]
fn parts_of_a_stencil_are_concatenated_without_copies() {
    // The borders and the inside of a row, as in Hotspot; the size of the result comes after them.
    none(&format!(
        "fun f (n: i64, x: [n]f32) -> (k: i64, res: [k]f32) =\n let (a: [1]f32) = replicate (1) 0.0f32\n {} let (c: [1]f32) = replicate \
         (1) 1.0f32\n let (n1: i64) = add n 1\n let (n2: i64) = add n1 1\n let (r: [n2]f32) = concat n2 (a, v, c)\n in (n2, r)\n",
        map("v", "n", "x")
    ));
}

#[test]
fn what_is_read_afterwards_or_is_a_part_is_copied() {
    let text = format!(
        "fun f (n: i64, *x: [n][n]f32, u: [n]f32) -> (res: [n][n]f32, vs: [n]f32) =\n {} let (r: [n][n]f32) = update x[0:n:1, 0] = v\n in \
         (r, v)\n",
        map("v", "n", "u")
    );
    refused(&text, Why::Read);
    let text = format!(
        "fun f (n: i64, *x: [n]f32, u: [9]f32) -> (res: [n]f32) =\n {} let (w: [4]f32) = index v[0:4:2]\n let (r: [n]f32) = update x[0:4:1] = \
         w\n in (r)\n",
        map("v", "9", "u")
    );
    refused(&text, Why::Part);
}

#[test]
fn a_new_array_in_a_loop_is_not_the_old_one() {
    // The next value is made of parts; the first one is read until the end.
    none(
        "fun f (n: i64, x: [n][n]f32) -> (res: [n][n]f32) =\n let (y: [n][n]f32) = loop (a: [n][n]f32 = x) for i: i64 < n {\n let (s: \
         [n][n]f32) = replicate (n, n) 0.0f32\n let (u: [n]f32) = index a[i]\n let (v: [n]f32) = screma n (u) map \\(e: f32) -> \
         (f32) { let (g: f32) = index a[0, i] let (d: f32) = mul e g in (d) }\n let (h: f32) = index a[i, 0]\n let (t: [n][n]f32) = \
         update s[0:n:1, i] = v\n in (t) }\n in (y)\n",
    );
}

#[test]
fn loops_update_views_where_they_are() {
    // The transposition of an array that nobody else needs.
    let text = "fun f (n: i64, m: i64, *x: [n][m]f32) -> (res: f32) =\n let (t: [m][n]f32) = rearrange (1, 0) x\n let (y: [m][n]f32) = \
                loop (a: [m][n]f32 = t) for i: i64 < m { let (b: [m][n]f32) = update a[i, 0] = 1.0f32 in (b) }\n let (r: f32) = \
                index y[0, 0] in (r)\n";
    let (before, left) = left(text);
    assert!(before == 0 && left.is_empty(), "{left:?}");
}

#[test]
fn arrays_are_made_backwards() {
    // The last element is at `n - 1`, which has a name of its own.
    let reversed = |from: &str| {
        format!(
            "fun f (n: i64, m: i64, *x: [m][n]f32, u: [n]f32) -> (res: [m][n]f32) =\n {} let (l: i64) = sub n 1\n let (w: [n]f32) = index \
             v[{from}:n:-1]\n let (r: [m][n]f32) = update x[0] = w\n in (r)\n",
            map("v", "n", "u")
        )
    };
    none(&reversed("l"));
    refused(&reversed("m"), Why::Part);
}

#[test]
fn a_copy_of_what_nobody_needs_is_made_at_once() {
    let copied = |row: &str| {
        format!(
            "fun f (n: i64, m: i64) -> (res: [{row}][n]f32, re: f32) =\n let (i: [n]i64) = iota i64 n 0 1\n let (v: [n][{row}]f32) = screma n (i) \
             map \\(e: i64) -> ([{row}]f32) {{ let (g: f32) = convert f32 e let (d: [{row}]f32) = replicate ({row}) g in (d) }}\n let (t: \
             [{row}][n]f32) = rearrange (1, 0) v\n let (c: f32) = index v[0, 0]\n in (t, c)\n"
        )
    };
    // A result of a function is in row-major order.
    none(&copied("9"));
    refused(&copied("m"), Why::Order);
    let text = format!(
        "fun f (n: i64, u: [n]f32) -> (res: [n]f32, re: f32) =\n {} let (c: [n]f32) = copy v\n let (r: [n]f32) = update c[0] = 1.0f32\n let (e: \
         f32) = index v[0]\n in (r, e)\n",
        map("v", "n", "u")
    );
    refused(&text, Why::Read);
    none(&text.replace("index v[0]", "index u[0]"));
}

/// A function that doubles an array, and how another one calls it.
fn called(result: &str, body: &str) -> String {
    let doubled = map("v", "n", "x");
    format!(
        "fun double (n: i64, x: [n]f32) -> (res: [n]f32) =\n {doubled} in (v)\n fun f (n: i64, m: i64, j: i64, a: [n][m]f32) -> \
         (res: {result}) =\n {body}\n"
    )
}

#[test]
fn a_view_with_gaps_is_taken_by_the_function_that_it_is_given_to() {
    let column = "let (c: bool) = lt j m let (cert: unit) = assert c \"too far\" at \"a.fut:1:1-2\" #[cert cert] let (t: [n]f32) = \
                  index a[0:n:1, j] let (r: [n]f32) = call double (n, t) in (r)";
    copies_left(&called("[n]f32", column), 0);
    // Views of views; the row of a transposed array has gaps as well.
    let row = "let (t: [m][n]f32) = rearrange (1, 0) a let (u: [n]f32) = index t[j, 0:n:1] let (r: [n]f32) = call double (n, u) in \
               (r)";
    copies_left(&called("[n]f32", row), 0);
    // A row has none, and is passed as it is.
    let row = "let (u: [m]f32) = index a[j, 0:m:1] let (r: [m]f32) = call double (m, u) in (r)";
    copies_left(&called("[m]f32", row), 0);
    // Sizes that the function calls by one name must be one.
    let constant =
        "let (u: [8]f32) = index a[0:8:1, j] let (r: [8]f32) = call double (8, u) in (r)";
    copies_left(&called("[8]f32", constant), 1);
}

#[test]
fn a_function_that_turns_its_result_round_leaves_that_to_its_caller() {
    let body =
        "let (t: [m][n]f32) = call turned (n, m, a) let (r: [n][m]f32) = rearrange (1, 0) t in (r)";
    let turned = "fun turned (n: i64, m: i64, a: [n][m]f32) -> (res: [m][n]f32) =\n let (c: [n][m]f32) = copy a let (t: [m][n]f32) = \
                  rearrange (1, 0) c in (t)\n";
    let (_, left) = left(&format!("{turned}{}", called("[n][m]f32", body)));
    // Nothing but the function for callers from outside still copies what it returns.
    let boundaries: Vec<Item> =
        left.iter().filter(|copy| copy.by == "boundary").map(|copy| copy.item).collect();
    assert_eq!(boundaries, [Item::Fun(FunId::from_index(0))]);
}

#[test]
fn a_loop_hands_views_on() {
    let text = |next: &str| {
        format!(
            "fun f (n: i64, k: i64, a: [n][n]f32) -> (res: f32) =\n let (t: [n][n]f32) = rearrange (1, 0) a\n let (s: [n][n]f32) = loop (x: \
             [n][n]f32 = t) for i: i64 < k {{ {next} in (u) }}\n let (r: f32) = index s[0, 1] in (r)\n"
        )
    };
    let turned = "let (c: [n][n]f32) = replicate (n, n) 2.0f32 let (d: [n][n]f32) = update c[0, 0] = 1.0f32 let (u: [n][n]f32) = \
                  rearrange (1, 0) d";
    copies_left(&text(turned), 0);
    let straight =
        "let (c: [n][n]f32) = replicate (n, n) 2.0f32 let (u: [n][n]f32) = update c[0, 0] = 1.0f32";
    // The strides are parameters of the loop.
    copies_left(&text(straight), 0);
}

/// How many copies are left.
#[track_caller]
fn copies_left(text: &str, count: usize) {
    let (_, left) = left(text);
    assert_eq!(left.len(), count, "{left:?}\n{text}");
}
