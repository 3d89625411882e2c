//! Segs: where each level may stand, and that all walks over a program see what they consist of.

use fehu_base::id::Id;
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::{Subst, subst_stm};
use fehu_ir::text::{parse, show_stm};
use fehu_ir::verify::verify;
use fehu_ir::{Atom, Exp, FunId, Level, Prog, Scalar};

/// The levels that may stand in the functions of a Seg of a level, or outside of all.
const NESTING: &[(Option<Level>, &[Level])] = &[
    (None, &[Level::Task, Level::Grid, Level::Blocks, Level::Warps, Level::Thread]),
    (Some(Level::Task), &[Level::Task, Level::Thread]),
    (Some(Level::Grid), &[Level::Thread]),
    (Some(Level::Blocks), &[Level::Block]),
    (Some(Level::Warps), &[Level::Block]),
    (Some(Level::Block), &[Level::Thread]),
    (Some(Level::Thread), &[Level::Thread]),
];

fn read(text: &str) -> Prog {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Segs in each other: each level is that of a Seg around a map whose function has the next one; the innermost makes a
/// progression.
fn nest(levels: &[Level]) -> String {
    let sizes = |depth: usize| "[n]".repeat(levels.len() - depth);
    let mut text = String::new();
    for (depth, level) in levels.iter().enumerate() {
        let (ty, level) = (format!("{}i64", sizes(depth)), level.name());
        text.push_str(&format!("let (a{depth}: {ty}) = seg {level} [] () \\() -> ({ty}) {{\n"));
        if depth + 1 < levels.len() {
            let row = format!("{}i64", sizes(depth + 1));
            text.push_str(&format!("let (b{depth}: {ty}) = screma n () map \\() -> ({row}) {{\n"));
        } else {
            text.push_str(&format!("let (b{depth}: {ty}) = iota i64 n 0 1\n"));
        }
    }
    for depth in (0..levels.len()).rev() {
        text.push_str(&format!("in (b{depth})\n}}\n in (a{depth})\n"));
        if depth > 0 {
            text.push_str("}\n");
        }
    }
    format!("prog segs fun f (n: i64) -> (r: {}i64) =\n{text}", sizes(0))
}

#[test]
fn levels_stand_in_each_other_as_the_table_says() {
    for (outer, allowed) in NESTING {
        for inner in Level::ALL {
            // What is around the outer one must be allowed itself.
            let around: &[Level] = match outer {
                None => &[],
                Some(Level::Block) => &[Level::Blocks, Level::Block],
                Some(Level::Task) => &[Level::Task],
                Some(Level::Grid) => &[Level::Grid],
                Some(Level::Blocks) => &[Level::Blocks],
                Some(Level::Warps) => &[Level::Warps],
                Some(Level::Thread) => &[Level::Thread],
            };
            let text = nest(&[around, &[*inner]].concat());
            let prog = read(&text);
            assert_eq!(inner.within(*outer), allowed.contains(inner), "{inner:?} in {outer:?}");
            match verify(&prog) {
                Ok(()) => assert!(allowed.contains(inner), "accepted: {inner:?} in {outer:?}"),
                Err(errors) => {
                    let inner_name = inner.name();
                    let place = match outer {
                        None => "outside of all others".to_owned(),
                        Some(outer) => format!("inside of one of level \"{}\"", outer.name()),
                    };
                    let wanted = format!("a seg of level \"{inner_name}\" stands {place}");
                    let found: Vec<&str> =
                        errors.iter().map(|error| error.message.as_str()).collect();
                    assert_eq!(found, [wanted], "{text}");
                    assert!(!allowed.contains(inner), "refused: {inner:?} in {outer:?}");
                }
            }
        }
    }
}

/// A function whose map, in a Seg of the outer level, calls one that calls one with a Seg of the inner level. The first two
/// call each other in a circle.
fn calling(outer: Option<Level>, inner: Level) -> String {
    let inner = inner.name();
    let called = format!(
        "fun g (n: i64) -> (r: [n]i64) =
           let (a: [n]i64) = seg {inner} [] () \\() -> ([n]i64) {{ let (b: [n]i64) = iota i64 n 0 1 in (b) }}
           in (a)
         fun h (n: i64) -> (r: [n]i64) =
           let (c: bool) = lt 9 n
           let (d: [n]i64) = if c then {{ let (e: [n]i64) = call k (n) in (e) }} else {{ let (j: [n]i64) = call g (n) in (j) }}
           in (d)
         fun k (n: i64) -> (r: [n]i64) =
           let (l: [n]i64) = call h (n)
           in (l)"
    );
    let map = "screma n () map \\() -> ([n]i64) { let (q: [n]i64) = call k (n) in (q) }";
    let made = match outer {
        None => map.to_owned(),
        Some(outer) => format!(
            "seg {} [] () \\() -> ([n][n]i64) {{ let (p: [n][n]i64) = {map} in (p) }}",
            outer.name()
        ),
    };
    format!(
        "prog segs {called} fun f (n: i64) -> (r: [n][n]i64) = let (o: [n][n]i64) = {made} in (o)"
    )
}

#[test]
fn levels_stand_in_each_other_through_calls_as_the_table_says() {
    // A Seg of level `block` stands in no function by itself, neither as one that calls nor as one that is called.
    let alone = |level: &&Level| level.within(None);
    for (outer, allowed) in NESTING.iter().filter(|(outer, _)| outer != &Some(Level::Block)) {
        for inner in Level::ALL.iter().filter(alone) {
            let text = calling(*outer, *inner);
            let messages = match verify(&read(&text)) {
                Ok(()) => Vec::new(),
                Err(errors) => errors.into_iter().map(|error| error.message).collect(),
            };
            let wanted = match outer {
                Some(outer) if !allowed.contains(inner) => vec![format!(
                    "function \"k\" has a seg of level \"{}\", but is called inside of one of level \"{}\"",
                    inner.name(),
                    outer.name()
                )],
                _ => Vec::new(),
            };
            assert_eq!(messages, wanted, "{inner:?} in {outer:?}\n{text}");
        }
    }
}

#[test]
fn a_level_has_a_word() {
    for level in Level::ALL {
        assert_eq!(Level::from_name(level.name()), Some(*level));
    }
    assert_eq!(Level::from_name("tasks"), None);
    let text = "prog segs fun f () -> () = let () = seg tasks [] () \\() -> () {()} in ()";
    let error = parse(text).expect_err("there is no such level");
    assert_eq!(
        error.to_string(),
        "1:41: expected `task`, `grid`, `blocks`, `warps`, `block`, `thread`, found `tasks`"
    );
}

/// A statement with a Seg whose function uses things from outside.
const USES: &str = "prog segs
    fun f (n: i64, m: i64, k: i64, xss: [n][m]i64, z: i64) -> (r: [n][m][k]i64) =
    let (a: [n][m][k]i64) = seg grid [n, m] (xss) \\(i: i64, j: i64, x: i64) -> ([k]i64) {
        let (y: i64) = add x z
        let (b: [k]i64) = replicate (k) y
        in (b)
    }
    in (a)";

#[test]
fn free_variables_are_in_the_space_the_inputs_and_the_function() {
    let prog = read(USES);
    let fun = &prog.funs[FunId::from_index(0)];
    let free = free_in_stm(&fun.body.stms[0], &fun.vars);
    let mut names: Vec<&str> = free.iter().map(|var| fun.vars[*var].hint.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["k", "m", "n", "xss", "z"]);
}

#[test]
fn variables_are_replaced_in_the_space_the_inputs_and_the_function() {
    let mut prog = read(USES);
    let fun = &mut prog.funs[FunId::from_index(0)];
    let named = |name: &str| {
        let (var, _) = fun.vars.iter().find(|(_, info)| info.hint == name).expect("a variable");
        var
    };
    let (m, z, k, n) = (named("m"), named("z"), named("k"), named("n"));
    let subst: Subst =
        [(m, Atom::Const(Scalar::I64(7))), (z, Atom::Var(n)), (k, Atom::Const(Scalar::I64(9)))]
            .into_iter()
            .collect();
    subst_stm(&mut fun.body.stms[0], &mut fun.vars, &subst);
    let free = free_in_stm(&fun.body.stms[0], &fun.vars);
    assert!(![m, z, k].iter().any(|var| free.contains(var)), "{free:?}");
    let text = show_stm(&fun.body.stms[0], &fun.vars);
    assert!(text.contains("seg grid [n_0, 7]"), "{text}");
    assert!(text.contains("add x_9 n_0"), "{text}");
    assert!(text.contains("replicate (9)"), "{text}");
}

#[test]
fn the_parts_of_a_seg() {
    let prog = read(USES);
    let fun = &prog.funs[FunId::from_index(0)];
    let Exp::Seg(seg) = &fun.body.stms[0].exp else { panic!("there is no seg") };
    let parts = seg.parts().expect("an operator");
    assert!(matches!(parts.op.exp, Exp::Replicate(..)));
    assert_eq!(parts.before.len(), 1);
    let hints = |vars: &[fehu_ir::Var]| -> Vec<String> {
        vars.iter().map(|var| fun.vars[*var].hint.to_string()).collect()
    };
    assert_eq!(hints(seg.indices()), ["i", "j"]);
    assert_eq!(hints(seg.elements()), ["x"]);
    assert_eq!(fehu_ir::Seg::returned(&seg.body.body), Some(vec![0]));
}
