//! Random programs whose functions are foreign where they can be: calls of them are moved and shared, and their bodies are
//! what they mean.

use fehu_facts::Effects;
use fehu_ir::pass::Pass;
use fehu_ir::verify::verify;
use fehu_ir::{Foreign, Platform, Prog, Symbol};
use fehu_irtest::random::{Part, each_list, each_program};
use fehu_opt::{CSE, FUSE, HOIST, INLINE, SIMPLIFY, VECTORISE};

/// The program with as many foreign functions as there can be. What its functions check is part of what they mean, and would be
/// lost if calls were removed.
fn marked(prog: &Prog) -> Prog {
    let (mut prog, effects) = (prog.clone(), Effects::of(prog));
    let ids: Vec<fehu_ir::FunId> = prog.funs.iter().map(|(id, _)| id).collect();
    for id in ids.into_iter().filter(|id| !effects.fun(*id)) {
        let named = |name: &str| vec![Symbol { platform: Platform::C, name: name.into() }];
        prog.funs[id].foreign = Some(Foreign { symbols: named("f"), vectorised: named("g") });
        if verify(&prog).is_err() {
            prog.funs[id].foreign = None;
        }
    }
    prog
}

#[test]
fn passes_keep_what_foreign_functions_mean() {
    let lists: [Vec<Pass>; 3] = [
        vec![VECTORISE],
        vec![VECTORISE, SIMPLIFY, CSE, HOIST, FUSE],
        vec![INLINE, SIMPLIFY, CSE, HOIST, SIMPLIFY, VECTORISE, FUSE, SIMPLIFY, CSE],
    ];
    let all = each_program(Part { number: 0, of: 1 }, 60, 2, |prog, seed| {
        each_list(&marked(prog), &lists, seed)
    });
    let all = all.unwrap_or_else(|message| panic!("{message}"));
    assert!(all.succeeded > 100, "{all:?}");
}
