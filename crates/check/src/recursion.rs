//! The rules for functions that call themselves.
//!
//! A recursive function may not return functions; every recursive call has all its arguments; and an
//! argument for a parameter that is a function must be that very parameter, so that the function can
//! be specialised for its function arguments once.

use crate::checker::Checker;
use crate::errors;
use crate::ty::{Lifted, Ty, VarId};
use fehu_base::Span;
use fehu_syntax::ast::{
    Access, DimIndex, Exp, ExpKind, LetKind, LoopForm, NodeId, Operator, Pat, PatKind, ValBind,
};

impl Checker<'_> {
    pub(crate) fn check_recursion(&mut self, bind: &ValBind, var: VarId) {
        if bind.params.is_empty() {
            return;
        }
        let Some(scheme) = self.scheme(var) else { return };
        let mut higher_order = Vec::new();
        let mut ret = scheme.ty.clone();
        for pat in &bind.params {
            let Ty::Fun(fun) = &ret.clone() else { break };
            higher_order.push(self.functional(&fun.param).then(|| pat_var(pat)));
            ret = fun.ret.clone();
        }
        let returns_function = self.functional(&ret);
        let mut walk =
            Walk { checker: self, name: &bind.name.name, var, higher_order, returns_function };
        walk.exp(&bind.body);
    }

    fn functional(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Fun(_) => true,
            Ty::Record(fields) => fields.iter().any(|(_, t)| self.functional(t)),
            Ty::Unique(inner) => self.functional(inner),
            Ty::Con(id, _) => self.program.types[*id].lifted == Lifted::Lifted,
            Ty::Prim(_) | Ty::Array(..) | Ty::Sum(_) | Ty::Meta(_) | Ty::Error => false,
        }
    }
}

struct Walk<'a, 'b, 'c> {
    checker: &'a mut Checker<'b>,
    name: &'c str,
    var: VarId,
    /// For each parameter that is a function, its variable's node if it has one.
    higher_order: Vec<Option<Option<NodeId>>>,
    returns_function: bool,
}

fn pat_var(pat: &Pat) -> Option<NodeId> {
    match &pat.kind {
        PatKind::Var(_) => Some(pat.id),
        PatKind::Paren(inner) | PatKind::Attr(_, inner) | PatKind::Ascribe(inner, _) => {
            pat_var(inner)
        }
        PatKind::Wildcard
        | PatKind::Lit(_)
        | PatKind::Tuple(_)
        | PatKind::Record(_)
        | PatKind::Ctor(..)
        | PatKind::Error => None,
    }
}

impl Walk<'_, '_, '_> {
    fn is_self(&self, node: NodeId) -> bool {
        self.checker.tables.names.get(&node).is_some_and(|r| r.var == self.var)
    }

    fn problem(&mut self, span: Span, headline: &str, help: &str) {
        let d = errors::recursion(span, self.name, headline, help);
        self.checker.report(d);
    }

    /// A use of the function with these arguments.
    fn call(&mut self, span: Span, args: &[Option<&Exp>]) {
        if self.returns_function {
            self.problem(
                span,
                "its result is not first-order",
                "take the function's parameters as parameters, too",
            );
            return;
        }
        if self.higher_order.iter().any(Option::is_some) && args.len() < self.higher_order.len() {
            self.problem(
                span,
                "recursive call is not fully saturated, but the function has a higher-order \
                 parameter",
                "pass all arguments",
            );
            return;
        }
        for i in 0..self.higher_order.len() {
            let Some(param) = self.higher_order[i] else { continue };
            let same = match (args.get(i).copied().flatten(), param) {
                (Some(arg), Some(param)) => self.is_param(arg, param),
                _ => false,
            };
            if !same {
                self.problem(
                    span,
                    "a higher-order parameter must be passed unchanged in a recursive call",
                    "pass the parameter itself",
                );
            }
        }
    }

    fn is_param(&self, arg: &Exp, param: NodeId) -> bool {
        match &arg.kind {
            ExpKind::Paren(inner) | ExpKind::Attr(_, inner) => self.is_param(inner, param),
            ExpKind::Var(_) => {
                let tables = &self.checker.tables;
                match (tables.names.get(&arg.id), tables.binders.get(&param)) {
                    (Some(name), Some(var)) => name.var == *var && name.fields == 0,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn operator(&mut self, op: &Operator, args: &[Option<&Exp>]) {
        if self.is_self(op.id) {
            self.call(op.name.span, args);
        }
    }

    fn dims(&mut self, dims: &[DimIndex]) {
        for dim in dims {
            match dim {
                DimIndex::Fix(index) => self.exp(index),
                DimIndex::Slice { start, end, step, .. } => {
                    [start, end, step].into_iter().flatten().for_each(|e| self.exp(e));
                }
            }
        }
    }

    fn path(&mut self, path: &[Access]) {
        for step in path {
            match step {
                Access::Field(_) => {}
                Access::Index(dims, _) => self.dims(dims),
            }
        }
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Lit(_) | ExpKind::Error | ExpKind::Hole => {}
            ExpKind::Var(_) => {
                if self.is_self(exp.id) {
                    self.call(exp.span, &[]);
                }
            }
            ExpKind::Section(op) => self.operator(op, &[]),
            ExpKind::SectionAccess(path) => self.path(path),
            ExpKind::Paren(inner)
            | ExpKind::Attr(_, inner)
            | ExpKind::LocalOpen(_, inner)
            | ExpKind::Project(inner, _)
            | ExpKind::Negate(inner)
            | ExpKind::Not(inner)
            | ExpKind::Ascribe(inner, _)
            | ExpKind::Coerce(inner, _) => self.exp(inner),
            ExpKind::Array(parts) | ExpKind::Tuple(parts) | ExpKind::Ctor(_, parts) => {
                parts.iter().for_each(|p| self.exp(p));
            }
            ExpKind::Record(fields) => {
                for field in fields {
                    match &field.value {
                        Some(value) => self.exp(value),
                        None if self.is_self(field.id) => self.call(field.name.span, &[]),
                        None => {}
                    }
                }
            }
            ExpKind::Index(array, dims) => {
                self.exp(array);
                self.dims(dims);
            }
            ExpKind::BinOp(bin) => {
                self.operator(&bin.op, &[Some(&bin.lhs), Some(&bin.rhs)]);
                self.exp(&bin.lhs);
                self.exp(&bin.rhs);
            }
            ExpKind::Apply(fun, args) => {
                if matches!(fun.kind, ExpKind::Var(_)) && self.is_self(fun.id) {
                    let args: Vec<Option<&Exp>> = args.iter().map(Some).collect();
                    self.call(exp.span, &args);
                } else {
                    self.exp(fun);
                }
                args.iter().for_each(|arg| self.exp(arg));
            }
            ExpKind::Range(range) => {
                self.exp(&range.start);
                range.second.iter().for_each(|e| self.exp(e));
                self.exp(&range.end);
            }
            ExpKind::If(parts) => parts.iter().for_each(|p| self.exp(p)),
            ExpKind::Let(binds, body) => {
                for bind in binds {
                    match &bind.kind {
                        LetKind::Pat { value, .. } => self.exp(value),
                        LetKind::Fun { body, .. } => self.exp(body),
                        LetKind::Update { path, value, .. } => {
                            self.path(path);
                            self.exp(value);
                        }
                    }
                }
                self.exp(body);
            }
            ExpKind::Lambda(lambda) => self.exp(&lambda.body),
            ExpKind::Loop(lp) => {
                lp.init.iter().for_each(|e| self.exp(e));
                match &lp.form {
                    LoopForm::For(_, _, e) | LoopForm::ForIn(_, e) | LoopForm::While(e) => {
                        self.exp(e);
                    }
                }
                self.exp(&lp.body);
            }
            ExpKind::Update(update) => {
                self.exp(&update.base);
                self.path(&update.path);
                self.exp(&update.value);
            }
            ExpKind::Match(scrutinee, cases) => {
                self.exp(scrutinee);
                cases.iter().for_each(|case| self.exp(&case.body));
            }
            ExpKind::Assert(cond, inner) => {
                self.exp(cond);
                self.exp(inner);
            }
            ExpKind::SectionLeft(lhs, op) => {
                self.operator(op, &[Some(lhs)]);
                self.exp(lhs);
            }
            ExpKind::SectionRight(op, rhs) => {
                self.operator(op, &[None, Some(rhs)]);
                self.exp(rhs);
            }
        }
    }
}
