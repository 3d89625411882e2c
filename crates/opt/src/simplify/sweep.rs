//! The forward sweep: substitution, rules, and nested bodies.
//!
//! A statement is considered twice: before its bodies are entered, to avoid work on code that is removed, and again
//! afterwards, when they have been simplified. If a rule produces several statements, they are considered in turn;
//! their bodies are entered again, which counts against the budget.

use super::cx::Cx;
use super::rules::{Rewrite, rules_for, taking_rules_for};
use fehu_base::Prim;
use fehu_ir::builder::count_stms;
use fehu_ir::visit::{VisitMut, walk_exp_mut, walk_type_mut};
use fehu_ir::{Atom, Body, Exp, Lambda, LoopForm, Scalar, Seg, Stm, Type, Var};

impl Cx<'_> {
    /// Sweeps over a whole function.
    pub(super) fn whole(&mut self, params: &[Var], body: &mut Body) {
        for param in params {
            self.bind_param(*param);
        }
        self.body(body);
    }

    /// Sweeps over a body.
    fn body(&mut self, body: &mut Body) {
        let mark = self.mark();
        let stms = std::mem::take(&mut body.stms);
        let mut out = Vec::with_capacity(stms.len());
        for stm in stms {
            self.stm(stm, &mut out);
        }
        for result in &mut body.results {
            *result = self.resolve(*result);
        }
        body.stms = out;
        self.leave(mark);
    }

    /// Sweeps over a statement and adds what becomes of it.
    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        Apply(self).stm(&mut stm);
        if !self.rules(&mut stm, out, false) {
            return;
        }
        if stm.exp.has_bodies() {
            self.enter(&mut stm.exp);
            if !self.rules(&mut stm, out, true) {
                return;
            }
        }
        self.define(&stm);
        out.push(stm);
    }

    /// Tries rules until none fires. Whether the statement is still there.
    fn rules(&mut self, stm: &mut Stm, out: &mut Vec<Stm>, entered: bool) -> bool {
        loop {
            if let (Exp::Atom(atom), [var]) = (&stm.exp, stm.pat.as_slice()) {
                // Copies of operands are the operands.
                if self.refuses(*var, *atom) {
                    return true;
                }
                self.replace(*var, *atom);
                return false;
            }
            if self.budget() == 0 {
                return true;
            }
            let mut found = None;
            for rule in rules_for(&stm.exp) {
                found = (rule.apply)(self, stm);
                if found.is_some() {
                    self.note(rule.name);
                    break;
                }
            }
            if found.is_none() {
                for rule in taking_rules_for(&stm.exp) {
                    found = (rule.apply)(self, stm);
                    if found.is_some() {
                        self.note(rule.name);
                        break;
                    }
                }
            }
            match found {
                None => return true,
                Some(Rewrite::Exp(exp)) => {
                    self.fire(0);
                    stm.exp = exp;
                }
                Some(Rewrite::Atoms(atoms)) => {
                    self.fire(0);
                    let pat = std::mem::take(&mut stm.pat);
                    for (var, atom) in pat.into_iter().zip(atoms) {
                        self.stm(Stm::new(vec![var], Exp::Atom(atom)), out);
                    }
                    return false;
                }
                Some(Rewrite::Stms(stms)) => {
                    let again = if entered { stms.iter().map(size).sum() } else { 0 };
                    self.fire(again);
                    for stm in stms {
                        self.stm(stm, out);
                    }
                    return false;
                }
            }
        }
    }

    /// Enters the bodies of an expression whose operands are resolved.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what is inside of the others is visited alike"
    )]
    fn enter(&mut self, exp: &mut Exp) {
        match exp {
            Exp::If(cond, bodies) => {
                for (body, value) in bodies.iter_mut().zip([true, false]) {
                    let assumed = self.assume(*cond, value);
                    self.body(body);
                    self.forget(assumed);
                }
            }
            Exp::Switch(value, switch) => {
                for (case, body) in &mut switch.cases {
                    let assumed = self.assume_equal(*value, *case);
                    self.body(body);
                    self.forget(assumed);
                }
                self.body(&mut switch.default);
            }
            Exp::Loop(params, form, body) => {
                let mark = self.mark_frame();
                for param in params.iter() {
                    self.bind_param(param.var);
                }
                if let LoopForm::For(var, bound) = form {
                    self.bind(*var);
                    self.counts(*var, *bound);
                }
                self.body(body);
                self.leave(mark);
            }
            Exp::Screma(op) => {
                self.count_inputs(&op.map.params, &op.inputs);
                walk_exp_mut(&mut Enter(self), exp);
            }
            Exp::Hist(op) => {
                self.count_inputs(&op.map.params, &op.inputs);
                walk_exp_mut(&mut Enter(self), exp);
            }
            Exp::Scatter(op) => {
                self.count_inputs(&op.map.params, &op.inputs);
                walk_exp_mut(&mut Enter(self), exp);
            }
            Exp::Seg(seg) => self.seg(seg),
            _ => walk_exp_mut(&mut Enter(self), exp),
        }
    }

    /// The function of a Seg. Its operator stays an operator: rules apply to what is before it, and inside of it.
    fn seg(&mut self, seg: &mut Seg) {
        let mark = self.mark_frame();
        for param in &mut seg.body.params {
            Apply(self).bind(param);
            self.bind_param(*param);
        }
        for (index, size) in seg.indices().iter().zip(&seg.space) {
            self.counts(*index, *size);
        }
        for ty in &mut seg.body.ret {
            Apply(self).ty(ty);
        }
        let operators = Seg::operators(&seg.body.body);
        let mut stms = std::mem::take(&mut seg.body.body.stms);
        let mut out = Vec::with_capacity(stms.len());
        let operators = stms.split_off(stms.len() - operators);
        for stm in stms {
            self.stm(stm, &mut out);
        }
        for mut op in operators {
            Apply(self).stm(&mut op);
            self.enter(&mut op.exp);
            self.define(&op);
            out.push(op);
        }
        seg.body.body.stms = out;
        self.leave(mark);
    }

    /// Elements of `iota n` count from zero to `n`.
    fn count_inputs(&mut self, params: &[Var], inputs: &[Var]) {
        for (param, input) in params.iter().zip(inputs) {
            if let Some(Exp::Iota(Prim::I64, count, start, step)) = self.def(Atom::Var(*input))
                && (*start, *step) == (Atom::i64(0), Atom::i64(1))
            {
                let count = *count;
                self.counts(*param, count);
            }
        }
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        let mark = self.mark_frame();
        for param in &mut lambda.params {
            Apply(self).bind(param);
            self.bind_param(*param);
        }
        for ty in &mut lambda.ret {
            Apply(self).ty(ty);
        }
        self.body(&mut lambda.body);
        self.leave(mark);
    }
}

/// Replaces the operands of a statement and the sizes in the types of what it binds, but not those of
/// the bodies inside.
struct Apply<'c, 'a>(&'c mut Cx<'a>);

impl VisitMut for Apply<'_, '_> {
    fn use_var(&mut self, var: &mut Var) {
        if let Atom::Var(new) = self.0.resolve(Atom::Var(*var)) {
            *var = new;
        }
    }

    fn use_atom(&mut self, atom: &mut Atom) {
        *atom = self.0.resolve(*atom);
    }

    fn bind(&mut self, var: &mut Var) {
        if matches!(self.0.vars[*var].ty, Type::Scalar(_)) {
            return;
        }
        let mut ty = std::mem::replace(&mut self.0.vars[*var].ty, Type::CERT);
        walk_type_mut(self, &mut ty);
        self.0.vars[*var].ty = ty;
    }

    fn stm(&mut self, stm: &mut Stm) {
        // A certificate that became the constant is one that always holds.
        stm.certs.retain(|cert| self.0.resolve(Atom::Var(*cert)) != Atom::Const(Scalar::Unit));
        fehu_ir::visit::walk_stm_mut(self, stm);
        if stm.certs.len() > 1 {
            stm.certs.sort_unstable();
            stm.certs.dedup();
        }
    }

    fn body(&mut self, _: &mut Body) {}

    fn lambda(&mut self, _: &mut Lambda) {}
}

struct Enter<'c, 'a>(&'c mut Cx<'a>);

impl VisitMut for Enter<'_, '_> {
    fn body(&mut self, body: &mut Body) {
        self.0.body(body);
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        self.0.lambda(lambda);
    }
}

/// The number of statements inside a statement.
fn size(stm: &Stm) -> usize {
    let mut size = 0;
    stm.exp.for_each_body(&mut |body| size += count_stms(body));
    size
}
