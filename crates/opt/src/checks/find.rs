//! Decides what can be done about each check.

use super::demand::{Demand, demand};
use fehu_base::IdVec;
use fehu_facts::Ranges;
use fehu_facts::flow::{Client, Effort, Level, walk};
use fehu_facts::poly::Poly;
use fehu_facts::ranges::cond::Cond;
use fehu_facts::ranges::{Certs, join};
use fehu_ir::pass::{RemarkKind, Remarks};
use fehu_ir::{Atom, Body, Exp, Loc, Stm, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// What was found out about the checks of a function, by their certificates.
#[derive(Default)]
pub(super) struct Found {
    /// Checks of which something was proved.
    pub(super) proved: FxHashMap<Var, Proved>,
    /// Checks that can be made before a nest of loops outside of all operators' functions.
    pub(super) demands: FxHashMap<Var, Demand>,
    /// Checks that can be made before the surrounding loop, inside of such a function.
    pub(super) hoisted: FxHashMap<Var, Ends>,
    /// Branches of which it is known which one is taken, and what the proofs rest on, by the first variable that they bind.
    pub(super) taken: FxHashMap<Var, (bool, Certs)>,
    /// The places of the checks that are left in loops.
    left: Vec<(Var, Option<Loc>)>,
    /// The checks that were looked at.
    seen: FxHashSet<Var>,
    /// The statements with bodies that are looked at, if not all are.
    around: Option<FxHashSet<Var>>,
}

/// What was proved of a check.
pub(super) struct Proved {
    /// The parts that are not proved.
    pub(super) rest: Vec<Atom>,
    /// What the proofs rest on.
    pub(super) certs: Certs,
}

/// A loop that a check can leave.
pub(super) struct Ends {
    /// The counters, which all have the same value.
    pub(super) vars: Vec<Var>,
    /// Their bound.
    pub(super) bound: Atom,
    /// Whether the first iteration must be tested.
    pub(super) first: bool,
    /// Whether the last one must be.
    pub(super) last: bool,
    /// What falls with the counters, and must not be negative.
    pub(super) falling: Vec<Falling>,
    /// What is the same in all iterations, and must hold.
    pub(super) same: Vec<Atom>,
    /// Whether these two are all that may fail after the first iteration.
    pub(super) is_known: bool,
}

/// Something that begins with a value, and is less in each iteration than in the one before.
pub(super) struct Falling {
    /// The value in the first iteration.
    pub(super) first: Poly,
    /// By how much it falls.
    pub(super) step: i64,
}

/// Looks at all checks of a body.
pub(super) fn find(vars: &IdVec<Var, VarInfo>, params: &[Var], body: &Body) -> Found {
    let mut found = Found::default();
    walk(vars, params, body, &mut found, Effort::Full);
    found
}

/// Looks again, after these checks were hoisted: only at bodies that have some of them.
pub(super) fn find_again(
    vars: &IdVec<Var, VarInfo>,
    params: &[Var],
    body: &Body,
    before: Found,
    moved: &FxHashSet<Var>,
) -> Found {
    let mut around = FxHashSet::default();
    surround(body, moved, &mut around);
    let mut found = Found { around: Some(around), ..Found::default() };
    // What is new are simple conditions on sizes.
    walk(vars, params, body, &mut found, Effort::Less);
    let mut left = before.left;
    left.retain(|(cert, _)| !found.seen.contains(cert));
    left.append(&mut found.left);
    found.left = left;
    found
}

/// Finds the statements with bodies that have one of these checks, by the first variable they bind.
fn surround(body: &Body, moved: &FxHashSet<Var>, around: &mut FxHashSet<Var>) -> bool {
    let mut any = false;
    for stm in &body.stms {
        let mut has = stm.pat.iter().any(|var| moved.contains(var));
        stm.exp.for_each_body(&mut |inner| has |= surround(inner, moved, around));
        if has {
            around.extend(stm.pat.first());
            any = true;
        }
    }
    any
}

impl Found {
    /// Reports the checks that are left in loops.
    pub(super) fn remark(&self, remarks: &mut Remarks) {
        for (_, loc) in &self.left {
            let text = "a check is performed in every iteration";
            remarks.add("checks", RemarkKind::Check, loc.as_ref(), None, text);
        }
    }
}

impl Client for Found {
    fn enters(&self, stm: &Stm) -> bool {
        match (&self.around, stm.pat.first()) {
            (Some(around), Some(first)) => around.contains(first),
            (None, _) | (_, None) => true,
        }
    }

    fn stm(&mut self, ranges: &mut Ranges<'_>, stm: &Stm, path: &[Level]) {
        if let (Exp::If(cond @ Atom::Var(_), _), [first, ..]) = (&stm.exp, stm.pat.as_slice()) {
            let proof = [true, false]
                .into_iter()
                .find_map(|truth| Some((truth, ranges.prove(*cond, truth)?)));
            self.taken.extend(proof.map(|proof| (*first, proof)));
        }
        let (Exp::Assert(cond, check), [cert]) = (&stm.exp, stm.pat.as_slice()) else { return };
        self.seen.insert(*cert);
        if *cond == Atom::bool(true) {
            // Others find such checks, but what relies on one should not.
            self.proved.insert(*cert, Proved { rest: Vec::new(), certs: Certs::new() });
            return;
        }
        let mut parts = Vec::new();
        conjuncts(ranges, *cond, &mut parts);
        let mut certs = Certs::new();
        let mut rest: Vec<Atom> = Vec::new();
        for part in &parts {
            match ranges.prove(*part, true) {
                Some(why) => join(&mut certs, &why),
                None if rest.contains(part) => {}
                None => rest.push(*part),
            }
        }
        if !rest.is_empty() && path.iter().any(|level| *level != Level::Branch) {
            // Users do not know the prelude.
            let own = check.trace.iter().find(|loc| !loc.in_prelude());
            let loc = own.or(check.trace.first()).or(stm.loc.as_ref()).cloned();
            self.left.push((*cert, loc));
        }
        if !rest.is_empty() {
            let relies = |ranges: &Ranges<'_>, cert: Var, start: u32| {
                ranges.order(cert) <= start
                    || self.demands.get(&cert).is_some_and(|demand| demand.start <= start)
            };
            let mut demand = demand(ranges, &rest, path, &relies);
            if let Some(found) = &demand {
                let mut others = stm.certs.iter().chain(&certs);
                if !others.all(|cert| relies(ranges, *cert, found.start)) {
                    demand = None;
                }
            }
            if let Some(demand) = demand {
                self.demands.insert(*cert, demand);
            }
        }
        if !rest.is_empty()
            && !self.demands.contains_key(cert)
            && let Some(Level::Each { counters, bound, start, .. }) = path.last()
            && stm.certs.iter().chain(&certs).all(|cert| ranges.order(*cert) <= *start)
        {
            let positions = counters.iter().filter(|counter| counter.is_position());
            let mut ends = Ends {
                vars: positions.map(|counter| counter.var).collect(),
                bound: *bound,
                first: false,
                last: false,
                falling: Vec::new(),
                same: Vec::new(),
                is_known: true,
            };
            if rest.iter().all(|part| is_steady(ranges, *part, &mut ends, *start, 4)) {
                self.hoisted.insert(*cert, ends);
            }
        }
        if rest.len() < parts.len() {
            self.proved.insert(*cert, Proved { rest, certs });
        }
    }
}

/// The parts of a condition, all of which have to hold.
fn conjuncts(ranges: &Ranges<'_>, cond: Atom, parts: &mut Vec<Atom>) {
    // A long chain is one part.
    let mut work = vec![cond];
    let mut steps = 0;
    while let Some(atom) = work.pop() {
        steps += 1;
        match ranges.cond(atom) {
            Some(Cond::And(a, b)) if steps < 64 => work.extend([b, a]),
            Some(Cond::Same(a)) if steps < 64 => work.push(a),
            _ => parts.push(atom),
        }
    }
}

/// Whether a condition holds in all iterations if it does in the first and the last one: it says that something
/// that grows or falls steadily with the counters is not negative, or that something holds which is the same in
/// all iterations. Notes which of the two are needed.
fn is_steady(ranges: &mut Ranges<'_>, part: Atom, ends: &mut Ends, start: u32, depth: u32) -> bool {
    if is_same(ranges, part, start, depth) {
        ends.same.push(part);
        return true;
    }
    if let Some((poly, certs)) = ranges.as_inequality(part, true) {
        let fixed = |var: &Var| ranges.order(*var) <= start;
        let mut counters = poly.vars().into_iter().filter(|var| ends.vars.contains(var));
        let (Some(counter), None) = (counters.next(), counters.next()) else { return false };
        let Some((growth, rest)) = poly.split(counter) else { return false };
        let steady = certs.iter().all(fixed)
            && growth.vars().iter().all(fixed)
            && rest.vars().iter().all(fixed);
        let growth = growth.as_constant();
        ends.first |= growth.is_none_or(|growth| growth > 0);
        ends.last |= growth.is_none_or(|growth| growth < 0);
        match growth {
            Some(growth) if growth >= 0 => {}
            Some(growth) if steady => match i64::try_from(-growth) {
                Ok(step) => ends.falling.push(Falling { first: rest, step }),
                Err(_) => ends.is_known = false,
            },
            Some(_) | None => ends.is_known = false,
        }
        return steady;
    }
    match ranges.cond(part) {
        // The alternative is the same in all iterations, as for checks that were hoisted out of an inner loop.
        Some(Cond::Or(a, b)) if depth > 0 => {
            (is_same(ranges, a, start, depth - 1) && is_steady(ranges, b, ends, start, depth - 1))
                || (is_same(ranges, b, start, depth - 1)
                    && is_steady(ranges, a, ends, start, depth - 1))
        }
        Some(Cond::And(a, b)) if depth > 0 => {
            is_steady(ranges, a, ends, start, depth - 1)
                && is_steady(ranges, b, ends, start, depth - 1)
        }
        _ => false,
    }
}

/// Whether a condition is the same in all iterations.
fn is_same(ranges: &mut Ranges<'_>, part: Atom, start: u32, depth: u32) -> bool {
    let Atom::Var(var) = part else { return true };
    if ranges.order(var) <= start {
        return true;
    }
    if let Some((poly, certs)) = ranges.as_inequality(part, true) {
        return poly.vars().iter().chain(&certs).all(|var| ranges.order(*var) <= start);
    }
    match ranges.cond(part) {
        Some(Cond::Or(a, b) | Cond::And(a, b)) if depth > 0 => {
            is_same(ranges, a, start, depth - 1) && is_same(ranges, b, start, depth - 1)
        }
        _ => false,
    }
}
