//! Applications: what they consume.

use super::alias::{Alias, Region, Set};
use super::exp::{callee, copy_edits, exp_name};
use super::share::Passed;
use super::state::{By, Consumption, Owner, has_function};
use super::{Checker, errors};
use crate::order;
use crate::ty::{FunTy, Ty, VarId};
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{Exp, ExpKind, NodeId, Operator};
use std::rc::Rc;

/// An argument that was evaluated.
pub(super) struct Argument<'a> {
    /// What was written.
    pub(super) exp: &'a Exp,
    /// Its value.
    pub(super) alias: Alias,
    /// Something from outside that evaluating it consumed.
    pub(super) consumed: Option<Region>,
}

/// What is known of a function by the way it was written.
pub(super) struct Callee {
    /// The name by which messages call it.
    pub(super) name: Option<EcoString>,
    /// How many arguments it needs until its body runs, if what the body returns can be called often.
    pub(super) missing: Option<usize>,
}

impl<'a> Checker<'a> {
    /// `function args...`
    pub(super) fn apply(&mut self, function: &'a Exp, args: &'a [Exp], span: Span) -> Alias {
        let last = order::is_function_last(function, args, self.tables, self.vars);
        let first = if last { None } else { Some(self.exp(function)) };
        let mut arguments: Vec<Argument<'a>> =
            args.iter().rev().map(|arg| self.argument(arg)).collect();
        arguments.reverse();
        let alias = first.unwrap_or_else(|| self.exp(function));
        self.still_alive(&alias, function.span);
        self.call(&alias, self.ty(function.id), arguments, span, self.callee_of(function))
    }

    /// What is known of a function by the way it was written.
    pub(super) fn callee_of(&self, function: &Exp) -> Callee {
        Callee { name: exp_name(function), missing: self.missing(function) }
    }

    /// As [`Self::callee_of`], for an operator.
    pub(super) fn callee_of_operator(&self, op: &Operator) -> Callee {
        Callee { name: Some(callee(&op.name)), missing: self.arity(op.id) }
    }

    fn arity(&self, name: NodeId) -> Option<usize> {
        let resolved = self.tables.names.get(&name)?;
        if resolved.fields > 0 { None } else { self.vars.get(resolved.var)?.arity }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "how many arguments other functions need is not known"
    )]
    fn missing(&self, function: &Exp) -> Option<usize> {
        match &function.kind {
            ExpKind::Var(_) => self.arity(function.id),
            ExpKind::Paren(inner) => self.missing(inner),
            ExpKind::Apply(inner, args) => self.missing(inner)?.checked_sub(args.len()),
            _ => None,
        }
    }

    /// Calls a function value with arguments that were evaluated.
    pub(super) fn call(
        &mut self,
        function: &Alias,
        ty: Option<&'a Ty>,
        args: Vec<Argument<'a>>,
        span: Span,
        callee: Callee,
    ) -> Alias {
        for arg in &args {
            self.still_alive(&arg.alias, arg.exp.span);
        }
        let mut rest = ty;
        let mut consumes = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let by_body = match function {
                Alias::Fun(fun) => {
                    fun.summary.consumes.get(fun.bound.len() + i).copied().unwrap_or(false)
                }
                Alias::None | Alias::Set(_) | Alias::Record(_) | Alias::Sum(_) | Alias::Made(_) => {
                    false
                }
            };
            let fun = arrow(rest);
            consumes.push(by_body || fun.is_some_and(|fun| fun.consumes));
            if let Some(fun) = fun {
                self.function_argument(arg, &fun.param);
            }
            rest = fun.map(|fun| &fun.ret);
        }
        self.disjoint_arguments(function, &args, &consumes);
        for (arg, _) in args.iter().zip(&consumes).filter(|(_, consumed)| **consumed) {
            let by = By::Call(callee.name.clone());
            let consumption = self.consumption(arg.exp, by);
            self.consume(&arg.alias.regions(), &consumption);
        }
        self.spend(function, span);
        let passed: Vec<Passed> = args
            .into_iter()
            .zip(consumes)
            .map(|(arg, consumed)| Passed { alias: arg.alias, consumed })
            .collect();
        self.result(function, ty, &passed, callee.missing)
    }

    /// `(op operand)`: a function of the left operand.
    pub(super) fn section_right(
        &mut self,
        op: &'a Operator,
        operand: &'a Exp,
        span: Span,
    ) -> Alias {
        let arg = self.argument(operand);
        let function = match self.tables.names.get(&op.id) {
            Some(resolved) => self.var(resolved.var),
            None => Alias::None,
        };
        self.observe(&function, op.name.span, None);
        let second = arrow(self.ty(op.id)).and_then(|first| arrow(Some(&first.ret)));
        let mut set = self.returned_or_all(&function, true);
        if let Some(second) = second {
            self.function_argument(&arg, &second.param);
            if second.consumes {
                let by = By::Call(Some(callee(&op.name)));
                let consumption = self.consumption(operand, by);
                self.consume(&arg.alias.regions(), &consumption);
                set = set.union(&Set::one(self.region(Owner::Closure)));
                return Alias::made(set, self.returned_or_all(&function, false));
            }
        }
        self.spend(&function, span);
        let returns = self.returned_or_all(&function, false);
        let returns = returns.union(&self.returned_or_all(&arg.alias, false));
        Alias::made(set.union(&arg.alias.regions()), returns)
    }

    /// The consumption of an expression's value.
    fn consumption(&self, exp: &Exp, by: By) -> Rc<Consumption> {
        Consumption::new(exp.span, self.exp_var(exp), by, copy_edits(exp))
    }

    /// The variable that an expression names.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions do not name a variable")]
    pub(super) fn exp_var(&self, exp: &Exp) -> Option<VarId> {
        match &exp.kind {
            ExpKind::Var(_) => self.tables.names.get(&exp.id).map(|resolved| resolved.var),
            ExpKind::Paren(inner) | ExpKind::Ascribe(inner, _) | ExpKind::Coerce(inner, _) => {
                self.exp_var(inner)
            }
            _ => None,
        }
    }

    /// Functions that are passed to functions may be called any number of times, so they must not
    /// consume anything.
    fn function_argument(&mut self, arg: &Argument<'a>, param: &Ty) {
        let Some(ty) = self.ty(arg.exp.id) else {
            return;
        };
        if !has_function(ty) {
            return;
        }
        let closure = arg.alias.regions().iter().find(|&r| self.regions[r].owner == Owner::Closure);
        if let Some(region) = arg.consumed.or(closure) {
            if !self.regions[region].reported {
                self.regions[region].reported = true;
                let error = errors::argument_contains_consumption(self, region, arg.exp);
                self.diagnostics.push(error);
            }
        } else if consumes_more(ty, param) {
            self.diagnostics.push(errors::consuming_argument(self, arg.exp, ty, param));
        }
    }

    /// A consumed argument must share nothing with the others, with the function, or with itself.
    fn disjoint_arguments(&mut self, function: &Alias, args: &[Argument<'a>], consumes: &[bool]) {
        if !consumes.contains(&true) {
            return;
        }
        let sets: Vec<Set> = args.iter().map(|arg| self.expand(&arg.alias.regions())).collect();
        let captured = self.expand(&function.regions());
        for i in (0..args.len()).filter(|&i| consumes[i]) {
            let arg = &args[i];
            if let Some(region) = repeated(&self.expand_all(arg.alias.clone())) {
                let fix = copy_edits(arg.exp);
                self.report_once(region, |this| {
                    errors::self_aliasing_arg(this, region, arg.exp.span, fix, None)
                });
            }
            let others = (0..args.len())
                .filter(|&j| j != i && !(consumes[j] && j < i))
                .map(|j| (&sets[j], Some(args[j].exp.span)))
                .chain([(&captured, None)]);
            for (other, span) in others {
                if let Some(region) = sets[i].common(other) {
                    self.report_once(region, |this| {
                        errors::aliased_argument(this, region, arg.exp, span)
                    });
                }
            }
        }
    }

    /// Reports an error about a region, unless one was reported.
    pub(super) fn report_once(
        &mut self,
        region: Region,
        error: impl FnOnce(&Self) -> fehu_base::Diagnostic,
    ) {
        if !self.regions[region].reported {
            self.regions[region].reported = true;
            let error = error(self);
            self.diagnostics.push(error);
        }
    }

    /// Calling a function that was given a consumed argument earlier consumes that now.
    fn spend(&mut self, function: &Alias, span: Span) {
        let captured = function.regions();
        let owned: Vec<Region> =
            captured.iter().filter(|&r| self.regions[r].owner == Owner::Closure).collect();
        if !owned.is_empty() {
            let consumption = Consumption::new(span, None, By::LaterCall, Vec::new());
            self.consume(&Set::of(owned), &consumption);
        }
    }
}

/// The function type, if it is one.
pub(super) fn arrow(ty: Option<&Ty>) -> Option<&FunTy> {
    match ty?.unwrap_unique() {
        Ty::Fun(fun) => Some(fun),
        Ty::Prim(_)
        | Ty::Array(..)
        | Ty::Record(_)
        | Ty::Sum(_)
        | Ty::Con(..)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error => None,
    }
}

/// Whether a function of type `ty` consumes an argument where `param` promises that none is.
fn consumes_more(ty: &Ty, param: &Ty) -> bool {
    match (ty.unwrap_unique(), param.unwrap_unique()) {
        (Ty::Fun(f), Ty::Fun(p)) => {
            (f.consumes && !p.consumes)
                || consumes_more(&p.param, &f.param)
                || consumes_more(&f.ret, &p.ret)
        }
        (Ty::Record(fs), Ty::Record(ps)) => {
            fs.iter().zip(ps.iter()).any(|((_, f), (_, p))| consumes_more(f, p))
        }
        _ => false,
    }
}

/// A region that two parts of a value have.
pub(super) fn repeated(alias: &Alias) -> Option<Region> {
    let mut all = Vec::new();
    alias.for_each_set(&mut |set| all.extend(set.iter()));
    all.sort_unstable();
    all.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
