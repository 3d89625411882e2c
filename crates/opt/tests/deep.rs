//! Bodies inside of each other, more than `hoist` has levels for.

use fehu_ir::pass::Remarks;
use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_opt::HOIST;

/// Loops inside of each other, each with a statement that could leave some of them.
fn program(depth: usize) -> String {
    let mut text = "prog arrays\nfun f (x0: i64) -> (r: i64) =\n".to_owned();
    for level in 1..=depth {
        let outer = level - 1;
        text += &format!(
            "let (y{level}: i64) = loop (x{level}: i64 = x{outer}) for i{level}: i64 < 2 {{\n\
             let (s{level}: i64) = add x{} i{}\n",
            level.saturating_sub(2),
            outer.max(1),
        );
    }
    text += &format!("let (y{}: i64) = add s{depth} x{depth}\n", depth + 1);
    for level in (1..=depth).rev() {
        text += &format!("in (y{})\n}}\n", level + 1);
    }
    text + "in (y1)\n"
}

#[test]
fn what_is_deep_inside_stays_in_scope() {
    for depth in [3, 62, 63, 64, 65, 80] {
        let text = program(depth);
        let mut prog = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        verify(&prog).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        (HOIST.run)(&mut prog, &mut Remarks::default());
        verify(&prog).unwrap_or_else(|error| panic!("{depth} loops: {error:?}"));
    }
}
