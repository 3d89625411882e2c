//! Statements on scalars, one map over the directions for several of them; and statements that are executed apart.

use super::{Directions, Spread, inwards, outwards};
use crate::differentiate::Res;
use crate::differentiate::num::{identity, map_exp, outer};
use fehu_base::{IdVec, OrBug};
use fehu_ir::builder::Builder;
use fehu_ir::free::{bound_in_stm, free_in_stm};
use fehu_ir::subst::{Subst, copy_body, subst_body};
use fehu_ir::{
    Atom, BinOp, Body, Check, CheckPart, Exp, Family, Lambda, Red, Screma, Stm, Type, Var, VarInfo,
};
use rustc_hash::FxHashSet;

/// The variables that statements use and none of them binds, in the order of their first use.
pub(super) fn free_in_group(group: &[Stm], vars: &IdVec<Var, VarInfo>) -> Vec<Var> {
    let bound: FxHashSet<Var> = group.iter().flat_map(bound_in_stm).collect();
    let mut free: Vec<Var> = Vec::new();
    for var in group.iter().flat_map(|stm| free_in_stm(stm, vars)) {
        if !bound.contains(&var) && !free.contains(&var) {
            free.push(var);
        }
    }
    free
}

/// The variables that an expression itself may consume; it may do so for each direction.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others consume nothing")]
fn may_consume(exp: &Exp) -> Vec<Var> {
    match exp {
        Exp::Call(_, args) => args.iter().filter_map(|arg| arg.var()).collect(),
        Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => vec![*array],
        Exp::Scatter(op) => op.dests.iter().map(|(_, array)| *array).collect(),
        Exp::Hist(op) => op.ops.iter().flat_map(|hist| hist.dests.iter().copied()).collect(),
        Exp::WithAcc(inputs, _) => inputs.iter().flat_map(|input| input.arrays.clone()).collect(),
        _ => Vec::new(),
    }
}

impl Spread {
    /// Whether a statement that depends on the seeds is executed for each direction in a map over them: an operation on
    /// scalars, or a branch that consists of such operations.
    pub(super) fn is_each(&self, b: &Builder<'_>, stm: &Stm) -> bool {
        let is_number = |var: &Var| matches!(b.ty(*var), ty @ Type::Scalar(_) if *ty != Type::CERT);
        let depends = |var: &&Var| self.dependent.has(**var, b.vars());
        let free = free_in_stm(stm, b.vars());
        let same = |var: &Var| !self.dependent.has(*var, b.vars());
        if !free.iter().filter(depends).chain(&stm.pat).all(is_number) || stm.pat.iter().any(same) {
            return false;
        }
        if !matches!(stm.exp, Exp::If(..) | Exp::Switch(..)) {
            return stm.exp.family() == Family::Scalar || matches!(stm.exp, Exp::Opaque(_));
        }
        let mut all = true;
        stm.exp.for_each_body(&mut |body| {
            all &= body.stms.iter().all(|stm| {
                let free = free_in_stm(stm, b.vars());
                free.iter().any(|var| depends(&var)) && self.is_each(b, stm)
            });
        });
        all
    }

    /// A choice between scalars as two: of those that are the same in all directions, and of the others.
    pub(super) fn split(&self, b: &Builder<'_>, stm: Stm) -> Vec<Stm> {
        let which = self.which(b, &stm.pat);
        let is_choice = matches!(stm.exp, Exp::If(..) | Exp::Switch(..));
        let mut has_stms = false;
        stm.exp.for_each_body(&mut |body| has_stms |= !body.stms.is_empty());
        if !is_choice || has_stms || which.iter().all(|one| *one == which[0]) {
            return vec![stm];
        }
        let part = |wanted: bool| {
            let mut part = stm.clone();
            let mut at = which.iter();
            part.pat.retain(|_| at.next() == Some(&wanted));
            part.exp.map_bodies(&mut |body| {
                let mut at = which.iter();
                body.results.retain(|_| at.next() == Some(&wanted));
            });
            part
        };
        vec![part(false), part(true)]
    }

    /// Statements on scalars, of which those of `wanted` are used by others.
    pub(super) fn each(&mut self, b: &mut Builder<'_>, group: Vec<Stm>, wanted: &FxHashSet<Var>) {
        let bound = group.iter().flat_map(|stm| stm.pat.iter().copied());
        let results: Vec<Var> = bound.filter(|var| wanted.contains(var)).collect();
        if results.is_empty() {
            return;
        }
        let loc = group.iter().find_map(|stm| stm.loc.clone());
        let free: Vec<Var> = free_in_group(&group, b.vars())
            .into_iter()
            .filter(|var| self.dependent.has(*var, b.vars()))
            .collect();
        b.set_loc(loc);
        let body =
            Body { stms: group, results: results.iter().map(|var| Atom::Var(*var)).collect() };
        let all = self.repeated(b, &free, body);
        for (var, lanes) in results.into_iter().zip(all) {
            self.lanes.insert(var, lanes);
        }
    }

    /// Code that uses these variables in one direction, in all of them: for each of its results, what stands for it.
    fn repeated(&mut self, b: &mut Builder<'_>, free: &[Var], body: Body) -> Vec<Vec<Atom>> {
        let count = match self.directions {
            Directions::Vector(count) => count,
            Directions::Lanes(count) => {
                let mut all = vec![Vec::new(); body.results.len()];
                for lane in 0..count {
                    let mut copy = copy_body(&body, b.vars_mut());
                    let mut subst = Subst::default();
                    for var in free {
                        subst.insert(*var, self.lanes_of(b, (*var).into())[lane]);
                    }
                    subst_body(&mut copy, b.vars_mut(), &subst);
                    copy.stms.into_iter().for_each(|stm| b.push(stm));
                    for (all, result) in all.iter_mut().zip(copy.results) {
                        all.push(result);
                    }
                }
                return all;
            }
        };
        let (mut inputs, mut params, mut subst) = (Vec::new(), Vec::new(), Subst::default());
        for var in free {
            let lane = self.arrays(b, *var)[0];
            inputs.push(outwards(b, lane));
            let param = b.param("x", b.ty(*var).clone());
            subst.insert(*var, param.into());
            params.push(param);
        }
        let ret: Vec<Type> = body.results.iter().map(|atom| b.atom_ty(*atom)).collect();
        let mut copy = copy_body(&body, b.vars_mut());
        subst_body(&mut copy, b.vars_mut(), &subst);
        let types = outer(&ret, count);
        let exp = map_exp(count, inputs, Lambda { params, body: copy, ret });
        let rows = b.several("d", types, exp);
        rows.into_iter().map(|rows| vec![inwards(b, rows).into()]).collect()
    }

    /// A statement for each direction on its own.
    pub(super) fn apart(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        if let Exp::Assert(cond, check) = &stm.exp {
            self.check(b, stm.pat[0], *cond, check);
            return Ok(());
        }
        let free: Vec<Var> = free_in_stm(&stm, b.vars())
            .into_iter()
            .filter(|var| self.dependent.has(*var, b.vars()))
            .collect();
        let is_acc = |var: &Var| matches!(b.ty(*var), Type::Acc(_));
        if free.iter().chain(&stm.pat).any(is_acc) {
            return self.refuse("several directions of this accumulation");
        }
        let (certs, free): (Vec<Var>, Vec<Var>) =
            free.into_iter().partition(|var| *b.ty(*var) == Type::CERT);
        let sizes = stm.pat.iter().flat_map(|var| b.ty(*var).shape().to_vec());
        if sizes.collect::<Vec<_>>().into_iter().any(|size| self.depends(b, size)) {
            return self.refuse("several directions of arrays whose sizes differ");
        }
        // The map relies on the checks of all directions.
        let mut stm = stm;
        stm.certs.retain(|cert| !certs.contains(cert));
        // It may consume arrays.
        let mut inner = Builder::new(b.vars_mut());
        let mut subst = Subst::default();
        for var in free.iter().copied().chain(may_consume(&stm.exp)) {
            if inner.ty(var).is_array() && !subst.contains_key(&var) {
                subst.insert(var, inner.exp("own", Exp::Copy(var)).into());
            }
        }
        fehu_ir::subst::subst_exp(&mut stm.exp, inner.vars_mut(), &subst);
        let pat = stm.pat.clone();
        inner.push(stm);
        let body = inner.finish(pat.iter().map(|var| Atom::Var(*var)).collect());
        let all = self.repeated(b, &free, body);
        for (var, lanes) in pat.into_iter().zip(all) {
            self.lanes.insert(var, lanes);
        }
        Ok(())
    }

    /// A check whose condition depends on the seeds. Its certificate holds if that of all directions does.
    fn check(&mut self, b: &mut Builder<'_>, cert: Var, cond: Atom, check: &Check) {
        let values = check.parts.iter().filter_map(|part| match part {
            CheckPart::Value(atom) => Some(*atom),
            CheckPart::Text(_) => None,
        });
        let mut free: Vec<Var> = values.chain([cond]).filter_map(Atom::var).collect();
        free.retain(|var| self.dependent.has(*var, b.vars()));
        free.sort_unstable();
        free.dedup();
        let mut inner = Builder::new(b.vars_mut());
        let one = inner.assert(cond, check.clone());
        let certs = match self.directions {
            Directions::Lanes(_) => {
                let body = inner.finish(vec![one.into()]);
                self.repeated(b, &free, body).remove(0)
            }
            Directions::Vector(width) => {
                inner.set_certs(vec![one]);
                let holds = inner.exp("holds", Exp::Atom(cond));
                let body = inner.finish(vec![holds.into()]);
                let holds = self.repeated(b, &free, body).remove(0);
                let op = b.lambda(
                    vec![("x".into(), Type::BOOL), ("y".into(), Type::BOOL)],
                    vec![Type::BOOL],
                    |b, p| {
                        vec![b.exp("c", Exp::BinOp(BinOp::And, p[0].into(), p[1].into())).into()]
                    },
                );
                let reds = vec![Red { op, neutral: vec![Atom::bool(true)], commutative: true }];
                let map = identity(b, &[Type::BOOL]);
                let inputs = vec![holds[0].var().or_bug("condition in several directions")];
                let screma = Screma { width, inputs, map, scans: Vec::new(), reds };
                let all = b.typed("all", Type::BOOL, Exp::Screma(Box::new(screma)));
                // One of the others has failed before.
                let parts = vec![CheckPart::Text("a check in one of several directions".into())];
                vec![b.assert(all.into(), Check { parts, trace: check.trace.clone() }).into()]
            }
        };
        self.lanes.insert(cert, certs);
    }
}
