//! Which functions call themselves, directly or by way of others.

use fehu_base::id::Id;
use fehu_imp::{FunId, Program, Stm, visit};

/// For each function of a program, whether it calls itself: whether it is in a cycle of calls.
pub(super) fn recursive(program: &Program) -> Vec<bool> {
    let mut calls: Vec<Vec<usize>> = Vec::new();
    for (_, fun) in program.funs.iter() {
        let mut callees = Vec::new();
        visit::each_stm(&fun.body, &mut |stm| {
            if let Stm::Call(callee, ..) = stm {
                callees.push(FunId::index(*callee));
            }
        });
        callees.sort_unstable();
        callees.dedup();
        calls.push(callees);
    }
    // A function that is only called by later ones is in no cycle; most programs have nothing else.
    let early = |caller: usize| calls[caller].iter().any(|callee| *callee >= caller);
    if !(0..calls.len()).any(early) {
        return vec![false; calls.len()];
    }
    (0..calls.len()).map(|fun| reaches(&calls, fun)).collect()
}

/// Whether a function reaches itself.
fn reaches(calls: &[Vec<usize>], fun: usize) -> bool {
    let mut seen = vec![false; calls.len()];
    let mut waiting = calls[fun].clone();
    while let Some(next) = waiting.pop() {
        if next == fun {
            return true;
        }
        if let Some(seen) = seen.get_mut(next)
            && !std::mem::replace(seen, true)
        {
            waiting.extend(&calls[next]);
        }
    }
    false
}
