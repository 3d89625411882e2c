//! Constants of the program that nobody refers to are not computed, unless that might fail.

use fehu_facts::Effects;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Body, Const, ConstId, Exp, Prog};
use rustc_hash::FxHashSet;

/// Empties such constants.
pub(super) fn remove(prog: &mut Prog, effects: &Effects) {
    let is_left = |(id, item): (ConstId, &Const)| {
        (!item.body.stms.is_empty() && !effects.constant(id)).then_some(id)
    };
    let left: Vec<ConstId> = prog.consts.iter().filter_map(is_left).collect();
    if left.is_empty() {
        return;
    }
    let mut found = References::default();
    prog.items().for_each(|item| found.body(prog.body(item)));
    for id in left.into_iter().filter(|id| !found.0.contains(id)) {
        prog.consts[id].results.clear();
        prog.consts[id].body = Body::default();
    }
}

/// The constants that are referred to.
#[derive(Default)]
struct References(FxHashSet<ConstId>);

impl Visit for References {
    fn exp(&mut self, exp: &Exp) {
        if let Exp::Const(id) = exp {
            self.0.insert(*id);
        }
        walk_exp(self, exp);
    }
}
