//! Tables of memory as text.

use fehu_ir::text::parse;
use fehu_mem::assign::assign;
use fehu_mem::short_circuit::short_circuit;

#[test]
fn tables_are_shown_after_the_program_and_do_not_change_its_text() {
    let text = "prog arrays\n\
        fun f (n: i64, xs: [n]i32) -> (r: [n][100]i32) =\n  \
          let (rs: [n][100]i32) = screma n (xs) map \\(x: i32) -> ([100]i32) {\n    \
            let (v: [100]i32) = replicate (100) x\n    \
            in (v)\n  \
          }\n  \
          in (rs)\n";
    let prog = parse(text).expect("it is a program");
    let mut placed = assign(prog.clone()).expect("it is simple");
    short_circuit(&mut placed, false);
    let shown = placed.to_string();
    assert_eq!(parse(&shown).map(|prog| prog.to_string()), Ok(prog.to_string()));
    let table: Vec<&str> = shown.lines().filter(|line| line.starts_with("--")).collect();
    let expected =
        ["-- memory of f", "--   m0 comes with xs_1: i32", "--   m2 before rs_3: i32, n_0*100"];
    assert_eq!(&table[..3], expected, "{shown}");
    // The row is made in its place.
    assert!(table.iter().any(|line| line.starts_with("--   v_5: m2, 100*i.")), "{shown}");
}
