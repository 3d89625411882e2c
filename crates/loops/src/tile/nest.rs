//! Takes nests apart: a loop over positions, in which scalars are accumulated by an inner loop and stored, possibly
//! with a surrounding loop.

use fehu_imp::{Exp, Prim, Stm, Ty, V};
use rustc_hash::FxHashMap;

/// What an expression depends on: a set of these.
pub(super) type Deps = u8;
pub(super) const I: Deps = 1;
pub(super) const J: Deps = 2;
pub(super) const K: Deps = 4;
/// It depends on an accumulator.
pub(super) const ACC: Deps = 8;

/// With more lines than this in the innermost loop, copying does not pay off.
const MOST_LINES: usize = 24;

/// The head of a loop.
#[derive(Clone)]
pub(super) struct Head {
    pub(super) var: V,
    pub(super) from: Exp,
    pub(super) to: Exp,
}

/// A scalar is set: for the first time or, if it accumulates, again.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) var: V,
    pub(super) value: Exp,
    pub(super) is_new: bool,
}

/// `for j { before; for k { body }; after }`, where the body accumulates.
pub(super) struct Nest {
    pub(super) j: Head,
    pub(super) k: Head,
    /// Scalars, among them the accumulators with their first values.
    pub(super) before: Vec<Line>,
    pub(super) accs: Vec<(V, Prim)>,
    pub(super) body: Vec<Line>,
    /// Declarations of scalars, and stores.
    pub(super) after: Vec<Stm>,
    /// What the variables depend on that depend on anything.
    pub(super) deps: FxHashMap<V, Deps>,
}

impl Nest {
    /// The nest that a statement is. `deps` has what the variables of a loop around it depend on.
    pub(super) fn of(
        stm: &Stm,
        mut deps: FxHashMap<V, Deps>,
        ty: &dyn Fn(V) -> Ty,
    ) -> Option<Nest> {
        let (j, stms) = head(stm)?;
        if !matches!(stm, Stm::For { kind, .. } if kind.is_map()) {
            return None;
        }
        let at = stms.iter().position(|stm| matches!(stm, Stm::For { .. }))?;
        let before = lines(&stms[..at])?;
        let (k, inner) = head(&stms[at])?;
        let body = lines(inner)?;
        if before.iter().any(|line| !line.is_new) || body.len() > MOST_LINES {
            return None;
        }
        let mut accs = Vec::new();
        for line in body.iter().filter(|line| !line.is_new) {
            let Ty::Scalar(prim) = ty(line.var) else { return None };
            let is_ours = before.iter().any(|other| other.var == line.var);
            if !is_ours || !is_for_vectors(prim) {
                return None;
            }
            if !accs.contains(&(line.var, prim)) {
                accs.push((line.var, prim));
            }
        }
        let after = stms[at + 1..].to_vec();
        let fits =
            |stm: &Stm| matches!(stm, Stm::Comment(_) | Stm::Declare(_, Some(_)) | Stm::Store(..));
        if accs.is_empty() || !after.iter().all(fits) {
            return None;
        }
        deps.insert(j.var, J);
        deps.insert(k.var, K);
        for line in before.iter().chain(&body) {
            let own = depends(&line.value, &deps);
            let is_acc = accs.iter().any(|(acc, _)| *acc == line.var);
            let is_before = !is_acc && before.iter().any(|other| other.var == line.var);
            if is_before && own & ACC != 0 {
                return None;
            }
            // An accumulator is at hand wherever it is needed.
            deps.insert(line.var, if is_acc { J | ACC } else { own });
        }
        let fixed = [&j.from, &j.to, &k.from, &k.to].iter().all(|e| depends(e, &deps) == 0);
        fixed.then_some(Nest { j, k, before, accs, body, after, deps })
    }

    pub(super) fn depends(&self, e: &Exp) -> Deps {
        depends(e, &self.deps)
    }

    pub(super) fn is_acc(&self, v: V) -> bool {
        self.accs.iter().any(|(acc, _)| *acc == v)
    }
}

/// The head of a loop with step one, and its body.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
pub(super) fn head(stm: &Stm) -> Option<(Head, &[Stm])> {
    match stm {
        Stm::For { var, from, to, step: 1, kind: _, body } => {
            Some((Head { var: *var, from: from.clone(), to: to.clone() }, body))
        }
        _ => None,
    }
}

/// Straight-line code on scalars.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
pub(super) fn lines(stms: &[Stm]) -> Option<Vec<Line>> {
    let mut lines = Vec::new();
    for stm in stms {
        let (var, value, is_new) = match stm {
            Stm::Comment(_) => continue,
            Stm::Declare(v, Some(e)) => (*v, e, true),
            Stm::Assign(v, e) => (*v, e, false),
            _ => return None,
        };
        // What is loaded under a condition must not be loaded without it.
        let hides = |e: &Exp| matches!(e, Exp::Select(_)) && e.any(&|e| matches!(e, Exp::Load(..)));
        if value.any(&hides) {
            return None;
        }
        lines.push(Line { var, value: value.clone(), is_new });
    }
    Some(lines)
}

/// Whether vector units compute with numbers of a type as they are, so that accumulators stay in registers: half
/// precision is converted.
pub(super) fn is_for_vectors(prim: Prim) -> bool {
    prim != Prim::F16
}

/// What an expression depends on.
pub(super) fn depends(e: &Exp, deps: &FxHashMap<V, Deps>) -> Deps {
    let mut all = 0;
    e.each_var(&mut |v| all |= deps.get(&v).copied().unwrap_or(0));
    all
}

/// The loads of an expression.
pub(super) fn loads<'a>(e: &'a Exp, visit: &mut dyn FnMut(V, &'a Exp)) {
    if let Exp::Load(p, at) = e {
        visit(*p, at);
    }
    e.each_child(&mut |child| loads(child, visit));
}

/// The variables that some expressions need, with what those lines need that compute them.
pub(super) fn needed<'a>(exps: impl Iterator<Item = &'a Exp>, lines: &[Line]) -> Vec<V> {
    let mut all: Vec<V> = Vec::new();
    for e in exps {
        e.each_var(&mut |v| all.push(v));
    }
    for line in lines.iter().rev() {
        if all.contains(&line.var) {
            line.value.each_var(&mut |v| all.push(v));
        }
    }
    all
}
