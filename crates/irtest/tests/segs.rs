//! Random programs with Segs: the interpreter gives what it gives for nested maps.

use fehu_ir::text::parse;
use fehu_ir::verify::{render, verify};
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Exp, Level, Seg, SegParts};
use fehu_irgen::{Config, random_segs};
use fehu_irtest::count;
use fehu_irtest::nested::nested_maps;
use fehu_irtest::oracle::{Oracle, Runs, agree};
use std::collections::BTreeMap;

/// What the Segs of programs are.
#[derive(Default)]
struct Kinds {
    /// Level and number of dimensions.
    spaces: BTreeMap<(Level, usize), usize>,
    operators: BTreeMap<&'static str, usize>,
    /// With statements before the operator, with inputs, with results left out.
    prologues: usize,
    inputs: usize,
    partial: usize,
    /// With rows that differ: by level, and with scans, reductions and plain results.
    rows: BTreeMap<(Level, &'static str), usize>,
    /// Inside of another.
    nested: usize,
    depth: usize,
}

impl Visit for Kinds {
    fn exp(&mut self, exp: &Exp) {
        let Exp::Seg(seg) = exp else { return walk_exp(self, exp) };
        *self.spaces.entry((seg.level, seg.space.len())).or_default() += 1;
        let SegParts { before, op, .. } = seg.parts().expect("a verified seg has an operator");
        *self.operators.entry(count::name(&op.exp)).or_default() += 1;
        if let (Some(_), Exp::Screma(op)) = (seg.rows, &op.exp) {
            let plain = op.map.ret.len() > op.folded();
            for (name, has) in
                [("scan", !op.scans.is_empty()), ("red", !op.reds.is_empty()), ("map", plain)]
            {
                *self.rows.entry((seg.level, name)).or_default() += usize::from(has);
            }
        }
        self.prologues += usize::from(!before.is_empty());
        self.inputs += usize::from(!seg.inputs.is_empty());
        let returned = Seg::returned(&seg.body.body).expect("a verified seg returns results");
        self.partial += usize::from(returned.len() < op.pat.len());
        self.nested += usize::from(self.depth > 0);
        self.depth += 1;
        walk_exp(self, exp);
        self.depth -= 1;
    }
}

#[test]
fn segs_mean_nested_maps() {
    let mut kinds = Kinds::default();
    let mut all = Runs::default();
    for seed in 0..500 {
        let statements = 2 + (seed % 3) as usize * 2;
        let config = Config { statements, failing: seed % 5 == 0, ..Config::default() };
        let prog = random_segs(seed, config);
        prog.funs.iter().for_each(|(_, fun)| kinds.body(&fun.body));
        let nested = nested_maps(&prog, 1);
        if let Err(errors) = verify(&nested) {
            panic!("seed {seed}:\n{prog}\n{}", render(&nested, &errors));
        }
        let oracle = Oracle { seed, rounds: 1, ..Oracle::default() };
        match oracle.entries(&prog).and_then(|entries| entries.agree(&nested)) {
            Ok(runs) => all.add(runs),
            Err(message) => panic!("seed {seed}: {message}\n{prog}\n{nested}"),
        }
    }
    assert!(all.succeeded > 600 && all.failed > 8, "{all:?}");
    for level in Level::ALL {
        for rank in 0..4 {
            let found = kinds.spaces.get(&(*level, rank)).copied().unwrap_or(0);
            assert!(found >= 3, "{found} segs of level {level:?} and rank {rank}");
        }
    }
    for name in [
        "screma",
        "hist",
        "scatter",
        "partition",
        "copy",
        "manifest",
        "replicate",
        "iota",
        "concat",
    ] {
        let found = kinds.operators.get(name).copied().unwrap_or(0);
        assert!(found >= 3, "{found} segs around {name}");
    }
    for level in [Level::Task, Level::Grid] {
        for name in ["scan", "red", "map"] {
            let found = kinds.rows.get(&(level, name)).copied().unwrap_or(0);
            assert!(found >= 3, "{found} segs of level {level:?} with rows that differ and {name}");
        }
    }
    let Kinds { prologues, inputs, partial, nested, .. } = kinds;
    assert!(
        prologues.min(inputs).min(partial).min(nested) >= 30,
        "{prologues} {inputs} {partial} {nested}"
    );
}

#[test]
fn programs_are_compared_with_one_and_with_several_threads() {
    let text = |then: &str| {
        let text = format!(
            "prog segs fun f (x: i64) -> (r: i64) =
            let (n: i64) = threads
            let (c: bool) = lt 1 n
            let (y: i64) = if c then {{ let (a: i64) = {then} in (a) }} else {{ let (b: i64) = add x 1 in (b) }}
            in (y)"
        );
        parse(&text).unwrap_or_else(|error| panic!("{error}"))
    };
    let plain = nested_maps(&text("sub x 1"), 1);
    assert!(agree(&plain, &text("add 1 x"), 0).is_ok());
    let message = agree(&plain, &text("sub x 1"), 0).expect_err("the version for threads is wrong");
    assert!(message.contains("differs with several threads"), "{message}");
    let threads = nested_maps(&text("sub x 1"), 2);
    let message = agree(&plain, &threads, 0).expect_err("so many threads take the other version");
    assert!(message.contains("differs for the arguments"), "{message}");
}
