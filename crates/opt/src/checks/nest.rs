//! Makes checks before a nest of loops, for all iterations at once.
//!
//! ```text
//! let ok = ...                                      -- what the checks demand (`demand`)
//! let (which, i') = if ok then (0, 0) else { ... }  -- the first check that fails, and the values of its message (`search`)
//! let c = not (which == 1)
//! let cert = assert c "Index [" $i' "] ..."
//! ```
//!
//! If the demands are not met, a check will fail. Which one fails first, and with which values, is found out by executing
//! just the checks and what they are computed from, iteration by iteration, so that the message is the one that
//! the program would have ended with. If none of them fails after all, because a number wraps around and is in bounds again, the
//! program goes on. All checks that leave a nest do so together: they fail in the order in which they stand.

use super::demand::{Demand, Nest, Small, sides};
use super::find::Found;
use super::search::Search;
use fehu_base::{IdVec, Prim};
use fehu_facts::poly::Poly;
use fehu_ir::builder::Builder;
use fehu_ir::visit::Visit;
use fehu_ir::{
    Atom, BinOp, Body, Check, CmpOp, Exp, Family, LoopForm, Scalar, Stm, Type, UnOp, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// No group of checks takes more statements to compute.
const MAX_STMS: usize = 128;

/// Moves checks out of nests; returns the certificates of those that moved.
pub(super) fn leave(
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
    found: &Found,
) -> FxHashSet<Var> {
    let mut moved = FxHashSet::default();
    if !found.demands.is_empty() {
        Nests { vars, found, moved: &mut moved }.body(body);
    }
    moved
}

struct Nests<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    found: &'a Found,
    moved: &'a mut FxHashSet<Var>,
}

impl Nests<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            let group = Group::of(&stm, self.found, self.vars);
            if !group.checks.is_empty() {
                self.before(&stm, &group, &mut stms);
                self.moved.extend(group.checks.iter().map(|check| check.cert));
                remove(&mut stm, self.moved);
            }
            stm.exp.map_bodies(&mut |inner| self.body(inner));
            stms.push(stm);
        }
        body.stms = stms;
    }

    /// Makes the checks of a group before the nest.
    fn before(&mut self, nest: &Stm, group: &Group<'_>, before: &mut Vec<Stm>) {
        let mut b = Builder::new(self.vars);
        let (mut all, mut small) = (None, Vec::new());
        for check in &group.checks {
            let holds = test(&mut b, check.demand, &group.inside);
            all = Some(join(&mut b, BinOp::And, all, holds));
            check.demand.small.iter().for_each(|demand| demand.clone().add_to(&mut small));
        }
        for small in &small {
            let holds = is_small(&mut b, small);
            all = Some(join(&mut b, BinOp::And, all, holds));
        }
        let ok = all.unwrap_or(Atom::bool(true));
        let (which, shown) = Search::new(group).run(&mut b, nest, ok);
        for (number, check) in (1..).zip(&group.checks) {
            let is = |b: &mut Builder<'_>, number| {
                b.exp("c", Exp::CmpOp(CmpOp::Eq, which, Atom::i64(number)))
            };
            let passes = match group.checks.len() {
                1 => is(&mut b, 0),
                _ => {
                    let fails = is(&mut b, number);
                    b.exp("c", Exp::UnOp(UnOp::Not, fails.into()))
                }
            };
            let mut certs: Vec<Var> = check.stm.certs.clone();
            certs.extend(&check.demand.certs);
            certs.sort_unstable();
            certs.dedup();
            b.push(Stm {
                pat: vec![check.cert],
                certs,
                attrs: check.stm.attrs.clone(),
                loc: check.stm.loc.clone(),
                exp: Exp::Assert(passes.into(), check.told(&shown)),
            });
        }
        before.extend(b.finish(Vec::new()).stms);
    }
}

/// Removes the checks that moved from the levels of a nest.
fn remove(stm: &mut Stm, moved: &FxHashSet<Var>) {
    stm.exp.map_bodies(&mut |body| {
        body.stms.retain(|stm| !is_check(stm).is_some_and(|(cert, ..)| moved.contains(&cert)));
        body.stms.iter_mut().for_each(|stm| remove(stm, moved));
    });
}

/// The certificate, the condition and the message of a check.
fn is_check(stm: &Stm) -> Option<(Var, Atom, &Check)> {
    match (&stm.exp, stm.pat.as_slice()) {
        (Exp::Assert(cond, check), [cert]) => Some((*cert, *cond, check)),
        _ => None,
    }
}

/// The bound and the body of what is executed for each position.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are not levels of a nest")]
pub(super) fn level(exp: &Exp) -> Option<(Atom, &Body)> {
    match exp {
        Exp::Loop(_, LoopForm::For(_, bound), body) => Some((*bound, body)),
        Exp::Screma(op) => Some((op.width, &op.map.body)),
        Exp::Hist(op) => Some((op.width, &op.map.body)),
        Exp::Scatter(op) => Some((op.width, &op.map.body)),
        Exp::Partition(op) => Some((op.width, &op.map.body)),
        Exp::Flatmap(op) => Some((op.width, &op.map.body)),
        _ => None,
    }
}

/// The checks that leave a nest.
pub(super) struct Group<'a> {
    /// In the order in which they stand.
    pub(super) checks: Vec<Leaving<'a>>,
    /// The statements that their conditions, their messages and the bounds of levels are computed by, by what they bind.
    pub(super) needed: FxHashSet<Var>,
    /// Whether one of them depends on a counter. What does not is moved by the pass `hoist`, without a search.
    varies: bool,
    /// Everything that is bound inside of the nest.
    pub(super) inside: FxHashMap<Var, Option<&'a Stm>>,
}

/// A check that leaves a nest.
pub(super) struct Leaving<'a> {
    pub(super) cert: Var,
    pub(super) cond: Atom,
    pub(super) check: &'a Check,
    pub(super) stm: &'a Stm,
    pub(super) demand: &'a Demand,
}

impl<'a> Group<'a> {
    fn of(nest: &'a Stm, found: &'a Found, vars: &IdVec<Var, VarInfo>) -> Group<'a> {
        let (needed, inside) = (FxHashSet::default(), FxHashMap::default());
        let mut group = Group { checks: Vec::new(), needed, varies: false, inside };
        group.collect(&nest.exp, 1, found);
        if group.checks.is_empty() {
            return group;
        }
        group.bind(&nest.exp);
        // A check that cannot leave takes those along that rely on it.
        loop {
            let before = group.checks.len();
            let certs: Vec<Var> = group.checks.iter().map(|check| check.cert).collect();
            group.needed.clear();
            group.varies = false;
            let checks = std::mem::take(&mut group.checks);
            group.checks =
                checks.into_iter().filter(|check| group.needs(check, &certs, vars)).collect();
            if group.checks.len() == before {
                break;
            }
        }
        if !group.varies {
            group.checks.clear();
        }
        group
    }

    /// Finds the checks that leave so many levels.
    fn collect(&mut self, exp: &'a Exp, depth: usize, found: &'a Found) {
        let Some((_, body)) = level(exp) else { return };
        for stm in &body.stms {
            if let Some((cert, cond, check)) = is_check(stm)
                && let Some(demand) = found.demands.get(&cert)
                && demand.levels.len() == depth
            {
                self.checks.push(Leaving { cert, cond, check, stm, demand });
            }
            self.collect(&stm.exp, depth + 1, found);
        }
    }

    /// Notes what is bound inside, with the statements of the levels.
    fn bind(&mut self, exp: &'a Exp) {
        let mut bound = Bound(Vec::new());
        bound.exp(exp);
        self.inside.extend(bound.0.into_iter().map(|var| (var, None)));
        self.define(exp);
    }

    fn define(&mut self, exp: &'a Exp) {
        let Some((_, body)) = level(exp) else { return };
        for stm in &body.stms {
            self.inside.extend(stm.pat.iter().map(|var| (*var, Some(stm))));
            self.define(&stm.exp);
        }
    }

    /// Whether the iterations of a check can be executed alone; notes what that takes.
    fn needs(&mut self, check: &Leaving<'_>, certs: &[Var], vars: &IdVec<Var, VarInfo>) -> bool {
        let is_sound = |cert: &Var| !self.inside.contains_key(cert) || certs.contains(cert);
        if !check.stm.certs.iter().chain(&check.demand.certs).all(is_sound) {
            return false;
        }
        let mut work = vec![check.cond];
        work.extend(check.values());
        for Nest { counters, bound } in &check.demand.levels {
            work.push(*bound);
            work.extend(counters.iter().map(|counter| counter.first));
        }
        let levels = &check.demand.levels;
        let mut needed = FxHashSet::default();
        while let Some(atom) = work.pop() {
            let Atom::Var(var) = atom else { continue };
            let is_counter = |nest: &Nest| nest.counters.iter().any(|counter| counter.var == var);
            if levels.iter().any(is_counter) {
                self.varies = true;
                continue;
            }
            let Some(stm) = self.inside.get(&var) else { continue };
            let Some(stm) = stm.filter(|stm| {
                let sound = stm.certs.iter().all(|cert| !self.inside.contains_key(cert));
                sound
                    && stm.exp.family() == Family::Scalar
                    && matches!(vars[var].ty, Type::Scalar(_))
            }) else {
                return false;
            };
            if needed.insert(var) {
                stm.exp.for_each_operand(&mut |atom| work.push(atom));
            }
        }
        self.needed.extend(needed);
        self.needed.len() <= MAX_STMS
    }
}

/// All variables that are bound.
struct Bound(Vec<Var>);

impl Visit for Bound {
    fn bind(&mut self, var: &Var) {
        self.0.push(*var);
    }
}

/// A condition under which the demands of a check are met, if numbers are small.
fn test(b: &mut Builder<'_>, demand: &Demand, inside: &FxHashMap<Var, Option<&Stm>>) -> Atom {
    let mut all = None;
    for poly in &demand.nonneg {
        let (small, large) = match sides(poly) {
            Some((small, large)) => (wide(b, small), wide(b, large)),
            None => (Atom::i64(0), sum(b, poly)),
        };
        let holds = b.exp("c", Exp::CmpOp(CmpOp::Le, small, large)).into();
        all = Some(join(b, BinOp::And, all, holds));
    }
    let mut ok = all.unwrap_or(Atom::bool(true));
    // Nothing fails where there is no iteration.
    for Nest { bound, .. } in &demand.levels {
        if bound.var().is_some_and(|var| !inside.contains_key(&var)) {
            let none = b.exp("none", Exp::CmpOp(CmpOp::Le, *bound, Atom::i64(0)));
            ok = b.exp("c", Exp::BinOp(BinOp::Or, none.into(), ok)).into();
        }
    }
    ok
}

/// The value of a polynomial that does not wrap.
pub(crate) fn sum(b: &mut Builder<'_>, poly: &Poly) -> Atom {
    let mut all = None;
    for (monomial, factor) in poly.terms() {
        let mut product = None;
        for var in monomial {
            let var = wide(b, Atom::Var(*var));
            product = Some(join(b, BinOp::Mul, product, var));
        }
        if *factor != 1 || product.is_none() {
            // Factors that are too large for 64 bits are known not to be small.
            let factor = Atom::i64(i64::try_from(*factor).unwrap_or(i64::MAX));
            product = Some(join(b, BinOp::Mul, product, factor));
        }
        let product = product.unwrap_or(Atom::i64(1));
        all = Some(join(b, BinOp::Add, all, product));
    }
    all.unwrap_or(Atom::i64(0))
}

/// One operand, or an operation on two.
fn join(b: &mut Builder<'_>, op: BinOp, first: Option<Atom>, second: Atom) -> Atom {
    match first {
        Some(first) => b.exp("n", Exp::BinOp(op, first, second)).into(),
        None => second,
    }
}

/// A number as one of 64 bits.
fn wide(b: &mut Builder<'_>, atom: Atom) -> Atom {
    match b.atom_ty(atom) == Type::I64 {
        true => atom,
        false => b.exp("n", Exp::Convert(Prim::I64, atom)).into(),
    }
}

/// Whether a polynomial of absolute values is small.
fn is_small(b: &mut Builder<'_>, Small { size, bits }: &Small) -> Atom {
    let number = |value: f64| Atom::Const(Scalar::F64(value));
    let mut all = None;
    for (monomial, factor) in size.terms() {
        let mut product = (*factor != 1 || monomial.is_empty()).then(|| number(*factor as f64));
        for var in monomial {
            let var = b.exp("x", Exp::Convert(Prim::F64, Atom::Var(*var)));
            let var = b.exp("x", Exp::UnOp(UnOp::Abs, var.into()));
            product = Some(join(b, BinOp::Mul, product, var.into()));
        }
        all = product.map(|product| join(b, BinOp::Add, all, product));
    }
    let all = all.unwrap_or(number(0.0));
    let limit = number((1u64 << bits) as f64);
    b.exp("small", Exp::CmpOp(CmpOp::Lt, all, limit)).into()
}
