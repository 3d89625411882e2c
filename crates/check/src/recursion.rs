//! The rules for functions that call themselves.
//!
//! A recursive function may not return functions; every recursive call has all its arguments; and an
//! argument for a parameter that is a function must be that very parameter, so that the function can
//! be specialised for its function arguments once.

use crate::checker::Checker;
use crate::errors;
use crate::ty::{Lifted, Ty, VarId};
use crate::walk::{Visitor, walk_exp};
use fehu_base::Span;
use fehu_syntax::ast::{Exp, ExpKind, NodeId, Pat, PatKind, ValBind};

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
                "make the parameters of the returned function parameters of this function",
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

    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions are not parameters")]
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
}

impl<'a> Visitor<'a> for Walk<'_, '_, '_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions call nothing themselves")]
    fn exp(&mut self, exp: &'a Exp) {
        match &exp.kind {
            ExpKind::Var(_) if self.is_self(exp.id) => self.call(exp.span, &[]),
            ExpKind::Section(op) if self.is_self(op.id) => self.call(exp.span, &[]),
            ExpKind::SectionLeft(lhs, op) if self.is_self(op.id) => {
                self.call(op.name.span, &[Some(lhs)]);
            }
            ExpKind::SectionRight(op, rhs) if self.is_self(op.id) => {
                self.call(op.name.span, &[None, Some(rhs)]);
            }
            ExpKind::BinOp(bin) if self.is_self(bin.op.id) => {
                self.call(bin.op.name.span, &[Some(&bin.lhs), Some(&bin.rhs)]);
            }
            ExpKind::Record(fields) => {
                for field in fields {
                    if field.value.is_none() && self.is_self(field.id) {
                        self.call(field.name.span, &[]);
                    }
                }
            }
            ExpKind::Apply(fun, args)
                if matches!(fun.kind, ExpKind::Var(_)) && self.is_self(fun.id) =>
            {
                let values: Vec<Option<&Exp>> = args.iter().map(Some).collect();
                self.call(exp.span, &values);
                // Not the function itself, which would be a use without arguments.
                args.iter().for_each(|arg| self.exp(arg));
                return;
            }
            _ => {}
        }
        walk_exp(self, exp);
    }
}
