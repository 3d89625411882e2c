//! The tuning tree: which thresholds a program has, and which of them are tested only after the test of another one
//! succeeded or failed.
//!
//! ```text
//! let (a: i64) = tuning "main.suff_outer_par_0" 32768
//! let (enough: bool) = le a n
//! if enough then { ... } else {
//!   let (b: i64) = tuning "main.suff_intra_par_1" 2048
//!   let (small: bool) = le m b
//!   if small then ... else ...
//! }
//! ==>
//! main.suff_outer_par_0: at least 32768
//! main.suff_intra_par_1: at most 2048, after main.suff_outer_par_0 has failed
//! ```
//!
//! The tree is derived from the program after all passes, and not recorded when versions are created, because the
//! simplifier may have decided some of the tests. The analysis looks through negation, conjunction and disjunction of
//! conditions. If a function is called from several places, only what is known at all of them counts.

use ecow::EcoString;
use fehu_ir::visit::{Visit, walk_body, walk_exp};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, FunId, Prog, Scalar, Stm, UnOp, Var};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// When the version that a threshold guards is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wants {
    /// If the program's number is at least the threshold.
    AtLeast,
    /// If it is at most the threshold.
    AtMost,
}

/// A test of a threshold, and whether it succeeded.
pub type Outcome = (EcoString, bool);

/// A threshold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Threshold {
    /// The name of the tuning parameter.
    pub name: EcoString,
    /// Its value, unless the user says something else.
    pub default: i64,
    /// When its test succeeds.
    pub wants: Wants,
    /// The tests that come before, outermost first; otherwise this one is not reached.
    pub path: Vec<Outcome>,
}

/// All thresholds of a program that are tested anywhere, by name.
pub fn thresholds(prog: &Prog) -> Vec<Threshold> {
    let mut found: BTreeMap<EcoString, Threshold> = BTreeMap::new();
    let mut paths: FxHashMap<FunId, Vec<Outcome>> = FxHashMap::default();
    let mut work: Vec<FunId> = Vec::new();
    let reach =
        |work: &mut Vec<FunId>, paths: &mut FxHashMap<FunId, Vec<Outcome>>, calls: Calls| {
            for (fun, path) in calls {
                match paths.get_mut(&fun) {
                    None => {
                        paths.insert(fun, path);
                        work.push(fun);
                    }
                    // A path only becomes shorter, so that this comes to an end.
                    Some(known) => {
                        let before = known.len();
                        known.retain(|outcome| path.contains(outcome));
                        if known.len() < before {
                            work.push(fun);
                        }
                    }
                }
            }
        };
    for (_, constant) in prog.consts.iter() {
        let calls = Walk::through(&constant.body, Vec::new(), &mut found);
        reach(&mut work, &mut paths, calls);
    }
    let entries = prog.roots().into_iter().map(|fun| (fun, Vec::new())).collect();
    reach(&mut work, &mut paths, entries);
    while let Some(fun) = work.pop() {
        let path = paths.get(&fun).cloned().unwrap_or_default();
        let calls = Walk::through(&prog.funs[fun].body, path, &mut found);
        reach(&mut work, &mut paths, calls);
    }
    found.into_values().collect()
}

/// Functions that are called, with what is known there.
type Calls = Vec<(FunId, Vec<Outcome>)>;

/// A walk through one body.
struct Walk<'a> {
    /// What conditions are made of.
    defs: FxHashMap<Var, Exp>,
    path: Vec<Outcome>,
    calls: Calls,
    found: &'a mut BTreeMap<EcoString, Threshold>,
}

impl Walk<'_> {
    fn through(
        body: &Body,
        path: Vec<Outcome>,
        found: &mut BTreeMap<EcoString, Threshold>,
    ) -> Calls {
        let mut walk = Walk { defs: FxHashMap::default(), path, calls: Vec::new(), found };
        walk.body(body);
        walk.calls
    }

    /// The threshold that an atom is.
    fn threshold(&self, atom: Atom) -> Option<(EcoString, i64)> {
        let Atom::Var(var) = atom else { return None };
        match self.defs.get(&var) {
            Some(Exp::Tuning(name, Atom::Const(Scalar::I64(default))))
                if name.contains(".suff_") =>
            {
                Some((name.clone(), *default))
            }
            _ => None,
        }
    }

    /// The threshold that an expression compares something with.
    fn test(&self, exp: &Exp) -> Option<(EcoString, i64, Wants)> {
        let Exp::CmpOp(CmpOp::Le, a, b) = exp else { return None };
        match (self.threshold(*a), self.threshold(*b)) {
            (Some((name, default)), None) => Some((name, default, Wants::AtLeast)),
            (None, Some((name, default))) => Some((name, default, Wants::AtMost)),
            (None, None) | (Some(_), Some(_)) => None,
        }
    }

    /// What follows for tests if a condition has this value.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other conditions imply nothing")]
    fn implied(&self, cond: Atom, value: bool) -> Vec<Outcome> {
        let Atom::Var(var) = cond else { return Vec::new() };
        let Some(exp) = self.defs.get(&var) else { return Vec::new() };
        if let Some((name, ..)) = self.test(exp) {
            return vec![(name, value)];
        }
        match exp {
            Exp::Atom(atom) => self.implied(*atom, value),
            Exp::UnOp(UnOp::Not, a) => self.implied(*a, !value),
            Exp::BinOp(op @ (BinOp::And | BinOp::Or), a, b) => {
                let (mut first, second) = (self.implied(*a, value), self.implied(*b, value));
                // Both operands have this value, or at least one of them does.
                match (op == &BinOp::And) == value {
                    true => first.extend(second),
                    false => first.retain(|outcome| second.contains(outcome)),
                }
                first
            }
            _ => Vec::new(),
        }
    }

    /// A threshold is tested here.
    fn note(&mut self, (name, default, wants): (EcoString, i64, Wants)) {
        let path: Vec<Outcome> =
            self.path.iter().filter(|(other, _)| *other != name).cloned().collect();
        match self.found.get_mut(&name) {
            Some(known) => known.path.retain(|outcome| path.contains(outcome)),
            None => {
                self.found.insert(name.clone(), Threshold { name, default, wants, path });
            }
        }
    }

    fn under(&mut self, outcomes: Vec<Outcome>, body: &Body) {
        let before = self.path.len();
        for outcome in outcomes {
            if !self.path.contains(&outcome) {
                self.path.push(outcome);
            }
        }
        self.body(body);
        self.path.truncate(before);
    }
}

impl Visit for Walk<'_> {
    fn body(&mut self, body: &Body) {
        walk_body(self, body);
    }

    fn stm(&mut self, stm: &Stm) {
        if let [var] = stm.pat.as_slice()
            && matches!(
                stm.exp,
                Exp::Tuning(..) | Exp::CmpOp(..) | Exp::BinOp(..) | Exp::UnOp(..) | Exp::Atom(_)
            )
        {
            if let Some(test) = self.test(&stm.exp) {
                self.note(test);
            }
            self.defs.insert(*var, stm.exp.clone());
        }
        self.exp(&stm.exp);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no paths of their own")]
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::If(cond, bodies) => {
                let [yes, no] = &**bodies;
                self.under(self.implied(*cond, true), yes);
                self.under(self.implied(*cond, false), no);
            }
            Exp::Call(fun, _) => self.calls.push((*fun, self.path.clone())),
            _ => walk_exp(self, exp),
        }
    }
}
