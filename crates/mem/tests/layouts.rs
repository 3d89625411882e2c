//! In which order arrays of kernels lie in memory: what the table says, and how many copies that takes.

use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{Body, Exp, Stm};
use fehu_mem::assign::assign_in;
use fehu_mem::layout::Layouts;
use fehu_mem::table::Placed;

fn placed(text: &str) -> Placed {
    let text = format!("prog segs\n{text}");
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    assign_in(prog, Layouts::Coalesced).unwrap_or_else(|_| panic!("too complex\n{text}"))
}

/// The orders that were chosen for arrays of the last function, each with a `*` if it is a copy, and the statements
/// that copy arrays: those outside of loops, and those inside.
#[track_caller]
fn check(text: &str, orders: &[&str], copies: [usize; 2]) {
    let placed = placed(text);
    let (last, fun) = placed.prog.funs.iter().last().expect("a function");
    let chosen = placed.chosen.iter().filter(|(item, _)| *item == fehu_ir::Item::Fun(last));
    let chosen = chosen.map(|(_, chosen)| {
        let sign = if chosen.is_copy { "*" } else { "" };
        format!("{sign}{} {:?}", fun.vars[chosen.array].hint, chosen.order)
    });
    assert_eq!(chosen.collect::<Vec<String>>(), orders, "{text}");
    let mut found = [0, 0];
    count(&fun.body, 0, &mut found);
    assert_eq!(found, copies, "copies outside and inside of loops\n{text}");
}

fn count(body: &Body, depth: usize, found: &mut [usize; 2]) {
    for Stm { exp, .. } in &body.stms {
        match exp {
            Exp::Manifest(_) => found[depth] += 1,
            Exp::Loop(_, _, body) => count(body, 1, found),
            _ => exp.for_each_body(&mut |body| count(body, depth, found)),
        }
    }
}

/// A kernel in which each thread goes through a row of an array twice.
fn through_rows(name: &str, array: &str) -> String {
    format!(
        "let ({name}: [n]f32) = seg grid [] () \\() -> ([n]f32) {{
           let (u{name}: [n]f32) = screma n ({array}) map \\(row{name}: [m]f32) -> (f32) {{
             let (s{name}: f32) = loop (a{name}: f32 = 0.0f32) for k{name}: i64 < m {{
               let (x{name}: f32) = index row{name}[k{name}]
               let (b{name}: f32) = add a{name} x{name}
               in (b{name}) }}
             let (t{name}: f32) = loop (c{name}: f32 = s{name}) for l{name}: i64 < m {{
               let (y{name}: f32) = index row{name}[l{name}]
               let (d{name}: f32) = mul c{name} y{name}
               in (d{name}) }}
             in (t{name}) }}
           in (u{name}) }}\n"
    )
}

/// A kernel in which each thread makes a row.
fn made_rows(name: &str, from: &str) -> String {
    format!(
        "let ({name}: [n][m]f32) = seg grid [] () \\() -> ([n][m]f32) {{
           let (u{name}: [n][m]f32) = screma n ({from}) map \\(e{name}: f32) -> ([m]f32) {{
             let (r{name}: [m]f32) = replicate (m) e{name}
             in (r{name}) }}
           in (u{name}) }}\n"
    )
}

/// A kernel with a thread for each element of an array.
fn each_element(name: &str, array: &str) -> String {
    format!(
        "let ({name}: [n][m]f32) = seg grid [n] ({array}) \\(i{name}: i64, row{name}: [m]f32) -> ([m]f32) {{
           let (u{name}: [m]f32) = screma m (row{name}) map \\(x{name}: f32) -> (f32) {{
             let (y{name}: f32) = mul x{name} 2.0f32
             in (y{name}) }}
           in (u{name}) }}\n"
    )
}

fn fun(params: &str, results: &str, body: &[String], returned: &str) -> String {
    format!("fun f (n: i64, m: i64{params}) -> ({results}) =\n {} in ({returned})\n", body.concat())
}

#[test]
fn rows_of_an_argument_are_read_from_a_copy() {
    let body = [through_rows("s", "a")];
    check(&fun(", a: [n][m]f32", "r: [n]f32", &body, "s"), &["*a [1, 0]"], [1, 0]);
}

#[test]
fn rows_that_are_read_once_are_not_worth_a_copy() {
    let once = through_rows("s", "a").replace("index rows[ls]", "add cs 1.0f32");
    check(&fun(", a: [n][m]f32", "r: [n]f32", &[once], "s"), &[], [0, 0]);
}

#[test]
fn columns_that_blocks_go_through_are_read_from_a_copy() {
    let sums = "let (s: [m]f32) = seg grid [m] () \\(i: i64) -> (f32) {
        let (column: [n]f32) = index a[0:n:1, i]
        let (t: f32) = screma n (column) map \\(x: f32) -> (f32) { (x) }
          red \\(y: f32, z: f32) -> (f32) { let (w: f32) = add y z in (w) } neutral (0.0f32)
        in (t) }\n";
    let text = fun(", a: [n][m]f32", "r: [m]f32", &[sums.to_owned()], "s");
    check(&text, &["*a [1, 0]"], [1, 0]);
}

#[test]
fn columns_that_blocks_copy_are_read_from_a_copy() {
    let columns = "let (t: [m][n]f32) = rearrange (1, 0) a
        let (s: [m][n]f32) = seg blocks [] () \\() -> ([m][n]f32) {
          let (u: [m][n]f32) = screma m (t) map \\(column: [n]f32) -> ([n]f32) {
            let (own: [n]f32) = copy column
            in (own) }
          in (u) }\n";
    let text = |columns: &str| fun(", a: [n][m]f32", "r: [m][n]f32", &[columns.to_owned()], "s");
    check(&text(columns), &["*t [0, 1]"], [1, 0]);
    // Threads by themselves read neighbours as they are, and write columns, which become the rows of the result.
    check(&text(&columns.replace("seg blocks", "seg grid")), &["s [1, 0]"], [1, 0]);
}

#[test]
fn columns_and_elements_are_read_as_they_are() {
    let columns = ["let (t: [n][m]f32) = rearrange (1, 0) a\n".to_owned(), through_rows("s", "t")];
    check(&fun(", a: [m][n]f32", "r: [n]f32", &columns, "s"), &[], [0, 0]);
    check(&fun(", a: [n][m]f32", "r: [n][m]f32", &[each_element("s", "a")], "s"), &[], [0, 0]);
}

#[test]
fn one_copy_is_enough_for_all_that_read_it() {
    let body = [through_rows("s", "a"), through_rows("t", "a")];
    check(&fun(", a: [n][m]f32", "r: [n]f32, q: [n]f32", &body, "s, t"), &["*a [1, 0]"], [1, 0]);
}

#[test]
fn kernels_write_the_order_that_others_read() {
    let body = [made_rows("a", "v"), through_rows("s", "a")];
    check(&fun(", v: [n]f32", "r: [n]f32", &body, "s"), &["a [1, 0]"], [0, 0]);
}

#[test]
fn results_are_in_row_major_order() {
    let body = [made_rows("a", "v"), through_rows("s", "a")];
    let text = fun(", v: [n]f32", "r: [n][m]f32, q: [n]f32", &body, "a, s");
    check(&text, &["a [1, 0]"], [1, 0]);
}

#[test]
fn elements_that_a_kernel_reads_in_their_own_order_count_as_well() {
    // Written and read by elements, and once by rows, for which there is a copy.
    let body = [each_element("a", "v"), each_element("b", "a"), through_rows("s", "a")];
    let text = fun(", v: [n][m]f32", "r: [n][m]f32, q: [n]f32", &body, "b, s");
    check(&text, &["*a [1, 0]"], [1, 0]);
}

/// A loop around statements, with an array that it replaces.
fn looped(body: &[String], result: &str) -> String {
    format!(
        "let (q: [n][m]f32) = loop (p: [n][m]f32 = a) for step: i64 < n {{\n {} in ({result}) }}\n",
        body.concat()
    )
}

#[test]
fn what_does_not_change_in_a_loop_is_copied_before_it() {
    let body = [looped(&[through_rows("s", "c"), made_rows("b", "s")], "b")];
    let text = fun(", a: [n][m]f32, c: [n][m]f32", "r: [n][m]f32", &body, "q");
    // The one that changes is copied when the loop begins, and when it has ended.
    check(&text, &["b [1, 0]", "*c [1, 0]"], [3, 0]);
}

#[test]
fn arrays_of_loops_keep_their_order() {
    let body = [looped(&[through_rows("s", "p"), made_rows("b", "s")], "b")];
    let text = fun(", a: [n][m]f32", "r: [n][m]f32", &body, "q");
    check(&text, &["b [1, 0]"], [2, 0]);
}

#[test]
fn arrays_of_branches_keep_their_order() {
    let branch = |name: &str| format!("{{\n {} in ({name}) }}\n", made_rows(name, "v"));
    let both = format!("let (p: [n][m]f32) = if c then {} else {}", branch("a"), branch("b"));
    let text = fun(", c: bool, v: [n]f32", "r: [n]f32", &[both, through_rows("s", "p")], "s");
    check(&text, &["a [1, 0]", "b [1, 0]"], [0, 0]);
}

#[test]
fn rows_that_are_passed_on_as_pointers_stay_as_they_are() {
    let called = "fun g (m: i64, row: [m]f32) -> (s: f32) = let (x: f32) = index row[0] in (x)\n";
    let body = "let (s: [n]f32) = seg grid [] () \\() -> ([n]f32) {
        let (u: [n]f32) = screma n (a) map \\(row: [m]f32) -> (f32) {
          let (t: f32) = loop (b: f32 = 0.0f32) for k: i64 < m {
            let (x: f32) = index row[k]
            let (y: f32) = call g (m, row)
            let (z: f32) = add x y
            in (z) }
          in (t) }
        in (u) }\n";
    let made = made_rows("a", "v");
    let text = fun(", v: [n]f32", "r: [n]f32", &[made, body.to_owned()], "s");
    check(&format!("{called}{text}"), &[], [0, 0]);
}

#[test]
fn what_is_known_to_be_small_is_not_worth_a_copy() {
    let text = fun(", a: [n][m]f32", "r: [n]f32", &[through_rows("s", "a")], "s");
    let text = text.replace("n: i64, m: i64, ", "").replace("[n]", "[40]").replace("[m]", "[30]");
    let text = text.replace("screma n", "screma 40").replace("< m", "< 30");
    check(&text, &[], [0, 0]);
}

#[test]
fn what_tiles_hold_is_read_as_it_is() {
    // The distances between all rows of two arrays: threads along a row of the result read a row of `b` each, and so do
    // those of all other rows.
    let text = "fun f (n: i64, m: i64, k: i64, a: [n][k]f32, b: [m][k]f32) -> (r: [n][m]f32) =
      let (s: [n][m]f32) = seg grid [n] tile [0, 1] ([0], [1]) () \\(i: i64) -> ([m]f32) {
        let (x: [k]f32) = index a[i]
        let (u: [m]f32) = screma m (b) map \\(y: [k]f32) -> (f32) {
          let (t: f32) = screma k (x, y) map \\(c: f32, d: f32) -> (f32) {
            let (e: f32) = sub c d
            in (e) }
            red \\(g: f32, h: f32) -> (f32) { let (j: f32) = add g h in (j) } neutral (0.0f32)
          in (t) }
        in (u) }
      in (s)\n";
    check(text, &[], [0, 0]);
}

#[test]
fn views_with_gaps_go_through_branches_as_they_are() {
    let columns = |other: &str| {
        format!(
            "prog arrays
             fun f (c: bool, n: i64, m: i64, a: [n][m]f32, b: [n][m]f32) -> (r: f32) =
               let (column: [n]f32) = if c then {{
                 let (x: [n]f32) = index a[0:n:1, 0]
                 in (x) }} else {{
                 let (y: [n]f32) = index b[{other}]
                 in (y) }}
               let (z: f32) = index column[1]
               in (z)\n"
        )
    };
    let found = |text: &str| {
        let placed = fehu_mem::assign::assign(parse(text).expect("a program")).expect("a table");
        let mut found = [0, 0];
        count(&placed.prog.funs.iter().next().expect("a function").1.body, 0, &mut found);
        found
    };
    assert_eq!(found(&columns("0:n:1, 1")), [0, 0]);
    // The last one first: the stride is a result of the branch.
    assert_eq!(found(&columns("0:n:-1, 1")), [0, 0]);
}
