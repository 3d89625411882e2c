//! Which variables a block uses and sets.

use fehu_imp::visit::{free_vars, set_vars};
use fehu_imp::{Arg, Block, Exp, FunId, Kind, Prim, RedOp, Stm, Tasks, V};

fn for_loop(var: V, kind: Kind, body: Block) -> Stm {
    Stm::For { var, from: Exp::int(0), to: Exp::Var(V(1)), step: 1, kind, body }
}

fn tasks(body: Block) -> Stm {
    let (chunk, low, high) = (V(10), V(11), V(12));
    let total = Exp::Var(V(13));
    let chunks = Some(V(14));
    Stm::Tasks(Box::new(Tasks { site: 0, total, chunks, grain: 1, chunk, low, high, body }))
}

#[test]
fn what_is_used_or_set_and_not_declared_is_free() {
    let index = Exp::Index(vec![(1, vec![V(2), V(3)]), (4, vec![])]);
    let block = vec![
        Stm::Declare(V(5), Some(Exp::Load(V(4), Box::new(index)))),
        for_loop(
            V(3),
            Kind::Independent(vec![(V(6), RedOp::Add)]),
            vec![tasks(vec![Stm::Store(V(7), Exp::Var(V(11)), Exp::Var(V(5)))])],
        ),
        Stm::Alloc(V(8), Prim::I64, Exp::Var(V(5))),
        Stm::Call(
            FunId(0),
            vec![V(9)],
            vec![Arg::Mem { block: Some(V(8)), ptr: V(4), index: Exp::Var(V(15)) }],
        ),
    ];
    let free = [4, 2, 6, 1, 14, 13, 7, 8, 15, 9].map(V);
    assert_eq!(free_vars(&block), free);
}

#[test]
fn what_is_set_at_any_depth_counts() {
    let inner = vec![Stm::Assign(V(2), Exp::Var(V(1))), Stm::Share(V(4), V(5))];
    let block =
        vec![Stm::If(Exp::Var(V(0)), vec![for_loop(V(3), Kind::Sequential, inner)], vec![])];
    let set = set_vars(&block);
    let expected = [V(2), V(3), V(4)];
    assert!(expected.iter().all(|v| set.contains(v)) && set.len() == expected.len(), "{set:?}");
}
