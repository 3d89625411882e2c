//! Loops and branches below levels: if they are the same for all positions, they are moved to the host, around the
//! nests of their contents (G7).
//!
//! ```text
//! map (\x -> loop y = x for i < n do f y) xs    ==>    loop ys = xs for i < n do map f ys
//! map (\x -> if c then f x else g x) xs         ==>    if c then map f xs else map g xs
//! ```

use crate::context::Cx;
use fehu_base::bug;
use fehu_ir::free::free_in_stm;
use fehu_ir::pass::RemarkKind;
use fehu_ir::{Atom, Body, Exp, Family, LoopForm, LoopParam, Stm, Switch, Type, Var};
use rustc_hash::FxHashSet;

impl Cx<'_> {
    /// Whether a loop is worth being interchanged with the levels, and can be. Its bound is the host's.
    pub(crate) fn interchanges(
        &mut self,
        stm: &Stm,
        params: &[LoopParam],
        counter: Var,
        body: &Body,
    ) -> bool {
        let mut known: Vec<Var> = self.invariant(params, counter, body);
        let of = |param: &LoopParam| known.contains(&param.var);
        let places: Vec<Var> = (params.iter().zip(&stm.pat))
            .filter(|(param, _)| of(param))
            .map(|(_, var)| *var)
            .collect();
        known.extend(places);
        known.push(counter);
        let removed: Vec<Var> = known.into_iter().filter(|var| self.local.remove(var)).collect();
        let regular = params.iter().all(|param| self.is_regular(&self.vars[param.var].ty));
        let fits = regular && self.binds_regular(stm) && self.has_parallelism(body);
        self.local.extend(removed);
        fits
    }

    /// The parameters whose values the host can compute: scalars that start and go on the same for all positions.
    fn invariant(&self, params: &[LoopParam], counter: Var, body: &Body) -> Vec<Var> {
        let mut places: Vec<usize> = (0..params.len())
            .filter(|place| {
                let param = params[*place];
                matches!(self.vars[param.var].ty, Type::Scalar(_)) && self.is_host(param.init)
            })
            .collect();
        loop {
            let mut known: FxHashSet<Var> = places.iter().map(|place| params[*place].var).collect();
            known.insert(counter);
            for stm in &body.stms {
                let fits = stm.exp.family() == Family::Scalar
                    && self.effects.speculable(&stm.exp, self.vars);
                let mut needs = free_in_stm(stm, self.vars).into_iter();
                if fits && needs.all(|var| known.contains(&var) || self.is_host(var.into())) {
                    known.extend(&stm.pat);
                }
            }
            let fine = |place: &usize| match body.results.get(*place) {
                Some(Atom::Var(var)) => known.contains(var) || self.is_host((*var).into()),
                Some(Atom::Const(_)) => true,
                None => false,
            };
            let before = places.len();
            places.retain(fine);
            if places.len() == before {
                return places.into_iter().map(|place| params[place].var).collect();
            }
        }
    }

    /// A loop of the innermost level becomes one of the host.
    pub(crate) fn interchange(&mut self, stm: &Stm) {
        let Exp::Loop(params, LoopForm::For(counter, bound), body) = &stm.exp else { return };
        let invariant = self.invariant(params, *counter, body);
        let mut outer: Vec<LoopParam> = Vec::new();
        let mut pat = Vec::new();
        let mut arrays: Vec<Option<Var>> = Vec::new();
        self.local.remove(counter);
        let inits: Vec<Atom> = (params.iter().filter(|param| !invariant.contains(&param.var)))
            .map(|param| param.init)
            .collect();
        let mut inits = self.results(&inits).into_iter();
        for (param, var) in params.iter().zip(&stm.pat) {
            if invariant.contains(&param.var) {
                self.local.remove(&param.var);
                self.local.remove(var);
                outer.push(*param);
                pat.push(*var);
                arrays.push(None);
                continue;
            }
            let Some(init) = inits.next() else { return };
            let ty = self.lifted_type(&self.vars[param.var].ty, self.levels.len());
            let array = self.fresh(param.var.into(), ty);
            self.alias(array, init);
            self.store(param.var, array);
            outer.push(LoopParam { var: array, init: init.into() });
            let ty = self.lifted_type(&self.vars[*var].ty, self.levels.len());
            let result = self.fresh((*var).into(), ty);
            self.alias(result, array);
            pat.push(result);
            arrays.push(Some(array));
        }
        let (stms, results) = self.inside(|cx| cx.iteration(body, &arrays));
        let body = Box::new(Body { stms, results });
        let text = "interchanged with the surrounding map";
        self.remark(RemarkKind::Done, stm.loc.as_ref(), text);
        let exp = Exp::Loop(outer, LoopForm::For(*counter, *bound), body);
        for ((var, result), array) in stm.pat.iter().zip(&pat).zip(&arrays) {
            if array.is_some() {
                self.store(*var, *result);
            }
        }
        self.out.push(Stm { pat, exp, certs: self.certs(stm), ..stm.clone() });
    }

    /// The body of a loop of the host, of which some parameters are arrays; its results.
    fn iteration(&mut self, body: &Body, arrays: &[Option<Var>]) -> Vec<Atom> {
        let plan = self.plan(body);
        self.unit_by_unit(&plan, body);
        let varying: Vec<Atom> = (body.results.iter().zip(arrays))
            .filter(|(_, array)| array.is_some())
            .map(|(result, _)| *result)
            .collect();
        let mut next = self.results(&varying).into_iter();
        let mut results = Vec::new();
        for (result, array) in body.results.iter().zip(arrays) {
            match array {
                None => results.push(*result),
                Some(array) => {
                    if let Some(value) = next.next() {
                        self.alias(*array, value);
                        results.push(value.into());
                    }
                }
            }
        }
        results
    }

    /// A branch of the innermost level becomes one of the host.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(crate) fn branch(&mut self, stm: &Stm) -> Vec<Var> {
        let mut made: Vec<Vec<Var>> = Vec::new();
        let exp = match &stm.exp {
            Exp::If(cond, bodies) => {
                let [yes, no] = &**bodies;
                let yes = self.alternative(yes, &mut made);
                let no = self.alternative(no, &mut made);
                Exp::If(*cond, Box::new([yes, no]))
            }
            Exp::Switch(value, switch) => {
                let mut cases = Vec::new();
                for (case, body) in &switch.cases {
                    cases.push((*case, self.alternative(body, &mut made)));
                }
                let default = self.alternative(&switch.default, &mut made);
                Exp::Switch(*value, Box::new(Switch { cases, default }))
            }
            other => bug(format_args!("{other:?} has no alternatives")),
        };
        let mut pat = Vec::new();
        for (index, var) in stm.pat.iter().enumerate() {
            let ty = self.lifted_type(&self.vars[*var].ty, self.levels.len());
            let result = self.fresh((*var).into(), ty);
            for array in made.iter().filter_map(|arrays| arrays.get(index)) {
                self.alias(result, *array);
            }
            pat.push(result);
        }
        self.out.push(Stm { pat: pat.clone(), exp, certs: self.certs(stm), ..stm.clone() });
        pat
    }

    fn alternative(&mut self, body: &Body, made: &mut Vec<Vec<Var>>) -> Body {
        let (stms, arrays) = self.inside(|cx| {
            let plan = cx.plan(body);
            cx.distribute(&plan, body)
        });
        let results = arrays.iter().map(|array| Atom::Var(*array)).collect();
        made.push(arrays);
        Body { stms, results }
    }

    /// The certificates of a statement that the host still needs.
    fn certs(&self, stm: &Stm) -> Vec<Var> {
        stm.certs.iter().copied().filter(|cert| self.is_host((*cert).into())).collect()
    }
}
