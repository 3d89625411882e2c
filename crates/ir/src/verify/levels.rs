//! Which levels functions have, as those see them who call them.

use crate::visit::{Visit, walk_exp};
use crate::{Exp, FunId, Level, Prog};
use fehu_base::IdVec;
use std::collections::BTreeSet;

/// For each function, the levels of its Segs that stand inside of no other one; those of the functions that it calls there are
/// among them. A call may stand where all of these may.
pub(super) type Levels = IdVec<FunId, BTreeSet<Level>>;

/// The levels of all functions of a program.
pub(super) fn find(prog: &Prog) -> Levels {
    let mut levels = Levels::filled(BTreeSet::new(), prog.funs.len());
    let mut calls: IdVec<FunId, Vec<FunId>> = IdVec::filled(Vec::new(), prog.funs.len());
    for (id, fun) in prog.funs.iter() {
        let mut outermost = Outermost { levels: &mut levels[id], calls: &mut calls[id] };
        outermost.body(&fun.body);
    }
    // Functions may call each other in circles.
    loop {
        let mut changed = false;
        for (id, called) in calls.iter() {
            for fun in called {
                let more = levels.get(*fun).cloned().unwrap_or_default();
                let before = levels[id].len();
                levels[id].extend(more);
                changed |= levels[id].len() > before;
            }
        }
        if !changed {
            return levels;
        }
    }
}

/// What a body has outside of all Segs.
struct Outermost<'a> {
    levels: &'a mut BTreeSet<Level>,
    calls: &'a mut Vec<FunId>,
}

impl Visit for Outermost<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no level of their own")]
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Seg(seg) => {
                self.levels.insert(seg.level);
            }
            Exp::Call(fun, _) => self.calls.push(*fun),
            _ => walk_exp(self, exp),
        }
    }
}
