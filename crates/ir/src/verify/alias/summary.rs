//! What the results of each function may share, found out callees first.

use super::super::Owner;
use super::super::control::Uses;
use super::{Alias, Summary};
use crate::visit::Visit;
use crate::{FunId, Prog};
use fehu_base::id::Id;

/// What the results of all functions may share.
pub(super) fn summaries(prog: &Prog) -> Vec<Summary> {
    let mut summaries: Vec<Summary> =
        prog.funs.iter().map(|(_, fun)| vec![Vec::new(); fun.results.len()]).collect();
    let (order, circular) = callees_first(prog);
    loop {
        let mut changed = false;
        for id in &order {
            let fun = &prog.funs[*id];
            let mut alias = Alias::new(prog, &fun.vars, &summaries, Owner::Fun(*id));
            let summary = alias.fun(fun);
            let old = &mut summaries[id.index()];
            if *old != summary {
                *old = summary;
                changed = true;
            }
        }
        if !changed || !circular {
            return summaries;
        }
    }
}

/// All functions, callees before callers where possible, and whether it was not.
fn callees_first(prog: &Prog) -> (Vec<FunId>, bool) {
    let mut callees = Vec::new();
    for (_, fun) in prog.funs.iter() {
        let mut uses = Uses::default();
        uses.body(&fun.body);
        callees.push(uses.funs);
    }
    let mut order = Vec::new();
    let mut circular = false;
    // 0: not seen, 1: on the stack, 2: done.
    let mut state = vec![0u8; callees.len()];
    for (root, _) in prog.funs.iter() {
        if state[root.index()] != 0 {
            continue;
        }
        state[root.index()] = 1;
        let mut stack = vec![(root, 0)];
        while let Some((id, next)) = stack.pop() {
            match callees[id.index()].get(next) {
                Some(callee) => {
                    stack.push((id, next + 1));
                    match state[callee.index()] {
                        0 => {
                            state[callee.index()] = 1;
                            stack.push((*callee, 0));
                        }
                        1 => circular = true,
                        _ => {}
                    }
                }
                None => {
                    state[id.index()] = 2;
                    order.push(id);
                }
            }
        }
    }
    (order, circular)
}
