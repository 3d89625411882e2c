//! Checks are made once, and the function is not evaluated for its checks alone.
//!
//! The return sweep evaluates the functions of maps and the bodies of branches again, with the checks in them. Of the two:
//!
//! * If nothing uses the results of the forward sweep's one, it goes away: its checks are made in the return sweep.
//! * Otherwise it stays, and the return sweep relies on its checks.
//!
//! What nothing uses, and has no effect, goes away as well; so the derivative `vjp` of a function does not compute what
//! only its value needs.

use super::common::Common;
use fehu_base::IdVec;
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::visit::{Visit, VisitMut, walk_body_mut, walk_exp};
use fehu_ir::{Body, Exp, Family, Scalar, Stm, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement of the forward sweep that the return sweep evaluates again.
#[derive(Debug)]
pub(super) struct Repeated {
    /// What the statement binds.
    forward: Vec<Var>,
    /// The certificates of the checks that the return sweep makes again.
    certs: Vec<Var>,
    /// The one inside of which it is evaluated again.
    parent: Option<usize>,
    /// Whether the return sweep makes all of its checks.
    covered: bool,
}

/// Those of a program, and which of them the return sweep is evaluating at the moment; nothing stands for code that is
/// not evaluated in the forward sweep.
#[derive(Default, Debug)]
pub(super) struct Repeats {
    all: Vec<Repeated>,
    open: Vec<Option<usize>>,
}

impl Common {
    /// The contributions of a statement are made, which is evaluated again if `again`.
    pub(super) fn open(&self, pat: &[Var], again: bool) {
        let mut repeats = self.repeats.borrow_mut();
        if !again {
            return repeats.open.push(None);
        }
        let parent = repeats.open.last().copied().flatten();
        let index = repeats.all.len();
        let forward = pat.to_vec();
        repeats.all.push(Repeated { forward, certs: Vec::new(), parent, covered: false });
        repeats.open.push(Some(index));
    }

    /// Whether the return sweep evaluates the statement as a whole.
    pub(super) fn covers(&self, whole: bool) {
        let mut repeats = self.repeats.borrow_mut();
        let open = repeats.open.last().copied().flatten();
        if let Some(repeated) = open.and_then(|index| repeats.all.get_mut(index)) {
            repeated.covered = whole;
        }
    }

    /// How many statements are evaluated again up to now.
    pub(super) fn repeated(&self) -> usize {
        self.repeats.borrow().all.len()
    }

    /// It is not known whether the return sweep evaluates those from here on, which would be evaluated as a whole.
    pub(super) fn uncover(&self, first: usize) -> Vec<usize> {
        let mut repeats = self.repeats.borrow_mut();
        let all = repeats.all.iter_mut().enumerate().skip(first);
        all.filter_map(|(index, one)| std::mem::take(&mut one.covered).then_some(index)).collect()
    }

    /// It does.
    pub(super) fn cover(&self, which: &[usize]) {
        let mut repeats = self.repeats.borrow_mut();
        which.iter().for_each(|index| repeats.all[*index].covered = true);
    }

    /// They are made.
    pub(super) fn close(&self) {
        self.repeats.borrow_mut().open.pop();
    }

    /// This body is evaluated again.
    pub(super) fn repeats(&self, body: &Body) {
        let mut repeats = self.repeats.borrow_mut();
        let open = repeats.open.last().copied().flatten();
        if let Some(repeated) = open.and_then(|index| repeats.all.get_mut(index)) {
            let mut find = Certs(Vec::new());
            find.body(body);
            repeated.certs.append(&mut find.0);
        }
    }
}

struct Certs(Vec<Var>);

impl Visit for Certs {
    fn body(&mut self, body: &Body) {
        let is_check = |stm: &&Stm| matches!(stm.exp, Exp::Assert(..));
        self.0.extend(body.stms.iter().filter(is_check).flat_map(|stm| &stm.pat));
        fehu_ir::visit::walk_body(self, body);
    }
}

/// What a traced value is, where it is evaluated again: it has been printed.
pub(super) struct Quiet;

impl VisitMut for Quiet {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        for stm in &mut body.stms {
            if let Exp::Trace(_, atom) = stm.exp {
                stm.exp = Exp::Atom(atom);
            }
        }
    }
}

/// A statement that is evaluated again, without its checks.
pub(super) fn unchecked(stm: Stm, vars: &mut IdVec<Var, VarInfo>) -> Stm {
    let mut only = Body { stms: vec![stm.clone()], results: Vec::new() };
    Quiet.body(&mut only);
    let mut find = Certs(Vec::new());
    find.body(&only);
    without(&mut only, vars, &find.0.into_iter().collect());
    only.stms.pop().unwrap_or(stm)
}

/// Removes these checks.
fn without(body: &mut Body, vars: &mut IdVec<Var, VarInfo>, certs: &FxHashSet<Var>) {
    struct Without<'a>(&'a FxHashSet<Var>);
    impl VisitMut for Without<'_> {
        fn body(&mut self, body: &mut Body) {
            let is_gone = |stm: &Stm| {
                matches!(stm.exp, Exp::Assert(..)) && stm.pat.iter().all(|v| self.0.contains(v))
            };
            body.stms.retain(|stm| !is_gone(stm));
            walk_body_mut(self, body);
        }
    }
    if certs.is_empty() {
        return;
    }
    Without(certs).body(body);
    let made: Subst = certs.iter().map(|cert| (*cert, Scalar::Unit.into())).collect();
    subst_body(body, vars, &made);
}

/// Removes from the body of a function what it need not evaluate.
pub(super) fn once(body: &mut Body, vars: &mut IdVec<Var, VarInfo>, common: &Common) {
    let all = std::mem::take(&mut common.repeats.borrow_mut().all);
    let mut forwards = FxHashMap::default();
    for (index, repeated) in all.iter().enumerate() {
        forwards.extend(repeated.forward.iter().map(|var| (*var, index)));
    }
    let covered = all.iter().map(|repeated| repeated.covered).collect();
    let mut live = Live { vars, common, forwards, covered, stays: vec![false; all.len()] };
    live.body(body);
    let stays = live.stays;
    let is_checked = |mut index: usize| loop {
        if stays[index] {
            break true;
        }
        match all[index].parent {
            Some(parent) => index = parent,
            None => break false,
        }
    };
    let checked = (0..all.len()).filter(|index| is_checked(*index));
    let certs = checked.flat_map(|index| all[index].certs.iter().copied()).collect();
    without(body, vars, &certs);
}

/// Removes what nothing uses and has no effect: code that is made, and of which it is known only later what was needed.
pub(super) fn prune(body: &mut Body, vars: &IdVec<Var, VarInfo>, common: &Common) {
    let (forwards, covered, stays) = (FxHashMap::default(), Vec::new(), Vec::new());
    Live { vars, common, forwards, covered, stays }.body(body);
}

struct Live<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    common: &'a Common,
    /// What the statements bind that are evaluated again, by their number.
    forwards: FxHashMap<Var, usize>,
    /// Those of them that the return sweep evaluates as a whole.
    covered: Vec<bool>,
    /// Those of them that stay.
    stays: Vec<bool>,
}

impl Live<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut used: FxHashSet<Var> = body.results.iter().filter_map(|atom| atom.var()).collect();
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms).into_iter().rev() {
            let repeated = stm.pat.iter().find_map(|var| self.forwards.get(var)).copied();
            if !stm.pat.iter().any(|var| used.contains(var)) {
                let mut effects = Effects { common: self.common, checks: false, others: false };
                effects.stm(&stm);
                let covered = repeated.is_some_and(|index| self.covered[index]);
                if !effects.others && (!effects.checks || covered) {
                    continue;
                }
            }
            if let Some(index) = repeated {
                self.stays[index] = true;
            }
            stm.exp.map_bodies(&mut |body| self.body(body));
            used.extend(free_in_stm(&stm, self.vars));
            out.push(stm);
        }
        out.reverse();
        body.stms = out;
    }
}

/// What a statement does beside yielding results.
struct Effects<'a> {
    common: &'a Common,
    checks: bool,
    others: bool,
}

impl Visit for Effects<'_> {
    fn exp(&mut self, exp: &Exp) {
        match (exp.family(), exp) {
            (Family::Check, _) => self.checks = true,
            (_, Exp::Const(id)) => self.others |= self.common.can_fail(*id),
            // What it calls may do anything.
            (Family::Fixed | Family::Reference | Family::Asked, _) => self.others = true,
            (
                Family::Scalar
                | Family::View
                | Family::Fresh
                | Family::Change
                | Family::Control
                | Family::Operator,
                _,
            ) => {}
        }
        walk_exp(self, exp);
    }
}
