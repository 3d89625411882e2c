//! Branches, loops and calls.

use crate::state::Gen;
use fehu_base::Prim;
use fehu_ir::subst::{Subst, subst_type};
use fehu_ir::{
    Atom, BinOp, Body, Check, CheckPart, CmpOp, Elem, Exp, LoopForm, LoopParam, Scalar, Switch,
    Type, Var,
};

impl Gen<'_> {
    pub(crate) fn control_stm(&mut self) {
        match self.rng.below(10) {
            0..3 => self.if_stm(),
            3 => self.switch_stm(),
            4 | 5 => self.for_stm(),
            6 => self.while_stm(),
            7 => self.fail_stm(),
            8 => self.const_stm(),
            _ => self.call_stm(),
        }
    }

    /// The types of a few results; an array of unknown size is a size and an array that mentions it.
    /// Returns the pattern and whether its last two variables are such.
    fn results(&mut self) -> (Vec<Var>, bool) {
        let mut pat = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let ty = self.any_type();
            pat.push(self.var("r", ty));
        }
        let unknown = self.rng.chance(35);
        if unknown {
            let size = self.var("k", Type::I64);
            let elem = self.prim();
            pat.push(size);
            pat.push(self.var("ks", Type::Array(elem.into(), vec![size.into()])));
        }
        (pat, unknown)
    }

    /// A body with random statements and values for a pattern; also the bound of the unknown size.
    fn branch(&mut self, pat: &[Var], unknown: bool) -> (Body, i64) {
        let mut bound = 0;
        let body = self.body(|g| {
            let known = if unknown { &pat[..pat.len() - 2] } else { pat };
            let types: Vec<Type> = known.iter().map(|var| g.vars[*var].ty.clone()).collect();
            let mut results = g.random_results(&types);
            if unknown {
                let elem = g.vars[pat[pat.len() - 1]].ty.elem();
                let (size, array) = g.some_vector(elem);
                bound = g.bound(size);
                results.push(size);
                results.push(array.into());
            }
            results
        });
        (body, bound)
    }

    /// Any array of rank one with these elements, and its size.
    fn some_vector(&mut self, elem: Option<Elem>) -> (Atom, Var) {
        let fits = |ty: &Type| ty.rank() == 1 && ty.elem() == elem;
        let array = match self.pick(fits) {
            Some(array) => array,
            None => {
                let size = self.size();
                self.new_array(&Type::Array(elem.unwrap_or(Elem::Unit), vec![size]))
            }
        };
        self.shared(array);
        (self.vars[array].ty.shape()[0], array)
    }

    fn if_stm(&mut self) {
        let cond = self.scalar(Prim::Bool);
        let (pat, unknown) = self.results();
        let (yes, a) = self.branch(&pat, unknown);
        let (no, b) = self.branch(&pat, unknown);
        self.bind(pat, unknown, a.max(b), Exp::If(cond, Box::new([yes, no])));
    }

    fn bind(&mut self, pat: Vec<Var>, unknown: bool, bound: i64, exp: Exp) {
        if unknown {
            self.bounds.insert(pat[pat.len() - 2], bound);
        }
        self.stm(pat, exp);
    }

    fn switch_stm(&mut self) {
        let prim = self.integer();
        let value = self.scalar(prim);
        let (pat, unknown) = self.results();
        let mut cases = Vec::new();
        let mut bound = 0;
        for index in 0..self.rng.below(3) {
            let (body, more) = self.branch(&pat, unknown);
            bound = bound.max(more);
            cases.push((Scalar::from_bits(prim, index as u64), body));
        }
        let (default, more) = self.branch(&pat, unknown);
        let exp = Exp::Switch(value, Box::new(Switch { cases, default }));
        self.bind(pat, unknown, bound.max(more), exp);
    }

    /// A branch that ends the program; it is never taken, or rarely if checks may fail.
    fn fail_stm(&mut self) {
        let any = self.scalar(Prim::I32);
        let low = self.exp("low", Exp::BinOp(BinOp::And, any, Atom::Const(Scalar::I32(15))));
        let limit = i32::from(self.config.failing && self.rng.chance(50));
        let zero = Atom::Const(Scalar::I32(limit));
        let never = self.exp("never", Exp::CmpOp(CmpOp::Lt, low.into(), zero));
        let ty = self.any_type();
        let parts = vec![CheckPart::Text("impossible: ".into()), CheckPart::Value(low.into())];
        let check = Check { parts, trace: Vec::new() };
        let fail = self.body(|g| vec![g.typed("x", ty.clone(), Exp::Fail(check)).into()]);
        let go = self.body(|g| g.random_results(std::slice::from_ref(&ty)));
        self.typed("r", ty, Exp::If(never.into(), Box::new([fail, go])));
    }

    fn for_stm(&mut self) {
        let prim = self.integer();
        let bound = if self.rng.chance(50) {
            Atom::Const(Scalar::from_bits(prim, self.rng.below(4) as u64))
        } else {
            let any = self.scalar(prim);
            let three = Atom::Const(Scalar::from_bits(prim, 3));
            self.exp("trips", Exp::BinOp(BinOp::And, any, three)).into()
        };
        let var = self.var("i", Type::prim(prim));
        self.loop_stm(Some((var, bound)));
    }

    fn while_stm(&mut self) {
        self.loop_stm(None);
    }

    /// A loop: some parameters, an array that is updated in place, an array that grows.
    fn loop_stm(&mut self, counter: Option<(Var, Atom)>) {
        let mut params: Vec<LoopParam> = Vec::new();
        // A loop without counter counts by itself.
        let go = counter.is_none().then(|| {
            let go = self.var("go", Type::BOOL);
            let count = self.var("count", Type::I64);
            params.push(LoopParam { var: go, init: Atom::bool(true) });
            params.push(LoopParam { var: count, init: Atom::i64(0) });
            (go, count)
        });
        let first_plain = params.len();
        for _ in 0..self.rng.below(3) {
            let ty = self.any_type();
            let init = self.value(&ty);
            self.shared_atom(init);
            params.push(LoopParam { var: self.var("p", ty), init });
        }
        let plain: Vec<Var> = params[first_plain..].iter().map(|param| param.var).collect();
        let in_place = self.rng.chance(50).then(|| {
            let array = self.any_array();
            let own = self.own(array);
            self.consume(own);
            let var = self.var("place", self.vars[own].ty.clone());
            params.push(LoopParam { var, init: own.into() });
            var
        });
        let growing = self.rng.chance(30).then(|| {
            let elem = self.prim();
            let size = self.var("k", Type::I64);
            let array = self.var("grow", Type::Array(elem.into(), vec![size.into()]));
            let (init_size, init) = self.some_vector(Some(elem.into()));
            params.push(LoopParam { var: size, init: init_size });
            params.push(LoopParam { var: array, init: init.into() });
            let bound = self.bound(init_size) + 8;
            self.bounds.insert(size, bound);
            (size, array, bound, elem)
        });
        let body = self.frame_body(4, |g| {
            for param in &params {
                g.bring(param.var);
            }
            if let Some((var, _)) = counter {
                g.bring(var);
            }
            if let Some(var) = in_place {
                g.set_fresh(var);
            }
            let mut results = Vec::new();
            if let Some((_, count)) = go {
                let next = g.exp("count", Exp::BinOp(BinOp::Add, count.into(), Atom::i64(1)));
                let limit = Atom::i64(g.rng.range(0, 3));
                let more = g.exp("go", Exp::CmpOp(CmpOp::Lt, next.into(), limit));
                results.extend([Atom::Var(more), Atom::Var(next)]);
            }
            let types: Vec<Type> = plain.iter().map(|var| g.vars[*var].ty.clone()).collect();
            results.extend(g.random_results(&types));
            if let Some(var) = in_place {
                let next = if g.is_own(var) {
                    g.update_own(var)
                } else {
                    let ty = g.vars[var].ty.clone();
                    g.new_array(&ty)
                };
                g.shared(next);
                results.push(next.into());
            }
            if let Some((size, _, bound, elem)) = growing {
                let more = g.exp("more", Exp::BinOp(BinOp::Add, size.into(), Atom::i64(2)));
                let exp = Exp::BinOp(BinOp::Min, more.into(), Atom::i64(bound));
                let next = g.new_size("k", bound, exp);
                let array = g.new_array(&Type::Array(elem.into(), vec![next]));
                results.extend([next, array.into()]);
            }
            results
        });
        // The pattern has the parameters' types with its own variables as sizes.
        let mut subst = Subst::default();
        let mut pat = Vec::new();
        for param in &params {
            let mut ty = self.vars[param.var].ty.clone();
            subst_type(&mut ty, &subst);
            let var = self.var("l", ty);
            subst.insert(param.var, var.into());
            pat.push(var);
        }
        if let Some((size, ..)) = growing
            && let Some(Atom::Var(new)) = subst.get(&size).copied()
        {
            let bound = self.bound(size.into());
            self.bounds.insert(new, bound);
        }
        let form = match (counter, go) {
            (Some((var, bound)), _) => LoopForm::For(var, bound),
            (None, Some((go, _))) => LoopForm::While(go),
            (None, None) => return,
        };
        self.stm(pat, Exp::Loop(params, form, Box::new(body)));
    }

    fn const_stm(&mut self) {
        let ids: Vec<_> = self.consts.iter().map(|(id, _)| id).collect();
        let Some(id) = self.rng.pick(&ids) else { return };
        let consts = self.consts;
        let item = &consts[id];
        let mut subst = Subst::default();
        let mut pat = Vec::new();
        for result in &item.results {
            let mut ty = item.vars[*result].ty.clone();
            subst_type(&mut ty, &subst);
            let var = self.var("g", ty);
            subst.insert(*result, var.into());
            pat.push(var);
        }
        self.stm(pat, Exp::Const(id));
    }

    fn call_stm(&mut self) {
        // Functions have Segs of their own, which do not stand in others.
        if self.level.is_some() {
            return;
        }
        let ids: Vec<_> = self.funs.iter().map(|(id, _)| id).collect();
        let Some(id) = self.rng.pick(&ids) else { return };
        let cost = self.fun_costs.get(id.0 as usize).copied().unwrap_or(i64::MAX);
        if !self.affordable(cost) {
            return;
        }
        self.cost += self.repeat.saturating_mul(cost);
        let funs = self.funs;
        let callee = &funs[id];
        let mut subst = Subst::default();
        let mut args = Vec::new();
        for param in &callee.params {
            let mut ty = callee.vars[param.var].ty.clone();
            subst_type(&mut ty, &subst);
            let hint = &callee.vars[param.var].hint;
            let arg = if hint == "n" {
                let size = self.size();
                if self.bound(size) <= crate::MAX_PARAM_SIZE { size } else { Atom::i64(2) }
            } else if param.consumed {
                let array = self.array_of(&ty);
                let own = self.own(array);
                self.consume(own);
                own.into()
            } else {
                let value = self.value(&ty);
                self.shared_atom(value);
                value
            };
            subst.insert(param.var, arg);
            args.push(arg);
        }
        let mut pat = Vec::new();
        for result in &callee.results {
            let mut ty = callee.vars[*result].ty.clone();
            subst_type(&mut ty, &subst);
            let var = self.var("c", ty);
            if callee.vars[*result].hint == "k" {
                self.bounds.insert(var, 100);
            }
            subst.insert(*result, var.into());
            pat.push(var);
        }
        self.stm(pat, Exp::Call(id, args));
    }
}
