//! Sizes of applications.

use super::Origin;
use super::close::{in_parameter, mentions};
use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::program::{Unknown, VarKind};
use crate::ty::{FunTy, Size, SizeMeta, Subst, Ty, VarId};
use crate::walk::binds_names;
use fehu_base::Span;
use fehu_syntax::ast::{Exp, ExpKind, Lambda, NodeId, Operator};
use std::sync::Arc;

impl Checker<'_> {
    pub(super) fn sized_apply(&mut self, exp: &Exp, fun: &Exp, args: &[Exp]) -> Ty {
        let first = self.size_metas.infos.len();
        let mut ty = self.sized(fun);
        // Functions written as arguments come last, when the other arguments have said what sizes
        // their parameters have.
        let mut lambdas = Vec::new();
        // What is applied to the elements of a sequence comes after the sequence for the same reason, whatever it is.
        let takes_seq = takes_seq(&ty);
        let outer = std::mem::take(&mut self.size_metas.settled);
        for arg in args {
            if let Ty::Fun(fun) = self.force(&ty)
                && fun.name.is_none()
                && fun.exts.is_empty()
                && (lambda_of(arg).is_some() || takes_seq && is_function(&fun.param))
            {
                lambdas.push((arg, fun.param.clone()));
                ty = fun.ret.without_unique();
                continue;
            }
            let arg_ty = self.sized(arg);
            ty = self.sized_apply_one(exp.id, &ty, fun.span, Some(arg), &arg_ty, arg.span);
        }
        let late = !lambdas.is_empty();
        for (arg, want) in lambdas {
            ty = self.sized_apply_lambda(exp.id, fun.span, arg, &want, ty);
        }
        let settled = std::mem::replace(&mut self.size_metas.settled, outer);
        // Only now it is known that the elements of the result have the sizes of those of an argument.
        if late && !settled.is_empty() {
            ty = add_exts(&self.zonk_sized(&ty), &settled);
        }
        if takes_seq { self.any_elements(ty, first, exp.span) } else { ty }
    }

    /// A function that waits for a sequence, as `seq.map (\x -> length x)` does: if nothing says which sizes the
    /// elements have, then they may differ. Only unknowns that the application itself brought, from `first` on, are
    /// free to be anything.
    fn any_elements(&mut self, ty: Ty, first: usize, span: Span) -> Ty {
        let Ty::Fun(fun) = &ty else { return ty };
        if fun.param.as_seq().is_none() {
            return ty;
        }
        let param = self.zonk_sized(&fun.param);
        let Ty::Fun(seq) = &param else { return ty };
        let mut free = Vec::new();
        seq.ret.for_each_size(&mut |size| {
            if let Size::Meta(meta) = size
                && meta.0 as usize >= first
                && !free.contains(meta)
            {
                free.push(*meta);
            }
        });
        free.retain(|meta| {
            !(0..first).any(|older| {
                let solution = &self.size_metas.infos[SizeMeta(older as u32)].solution;
                solution.as_ref().is_some_and(|size| self.zonk_size(size) == Size::Meta(*meta))
            })
        });
        let mut exts = Vec::with_capacity(free.len());
        for meta in free {
            let var = self.unknown_size(span, Unknown::ArgumentResult);
            if self.unify_size(&Size::Meta(meta), &Size::Var(var)).is_ok() {
                exts.push(var);
            }
        }
        if exts.is_empty() {
            return ty;
        }
        self.make_existential(&exts);
        let mut fun = (**fun).clone();
        fun.param = add_exts(&self.zonk_sized(&fun.param), &exts);
        let ty = self.zonk_sized(&Ty::Fun(Arc::new(fun)));
        add_exts(&ty, &exts)
    }

    /// Checks a lambda against the parameter it is passed for; `ret` is what the application yields.
    fn sized_apply_lambda(
        &mut self,
        node: NodeId,
        fun_span: Span,
        arg: &Exp,
        want: &Ty,
        ret: Ty,
    ) -> Ty {
        let found = self.sized_lambda_arg(arg, want);
        self.size_metas.current = Some(arg.span);
        let outer = std::mem::take(&mut self.size_metas.opened);
        let why = Expect::Argument { fun: fun_span, arg: arg.span };
        self.require(arg.span, want, &found, why);
        let opened = std::mem::replace(&mut self.size_metas.opened, outer);
        if opened.is_empty() { ret } else { self.settle(node, ret, opened, fun_span, arg.span) }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other arguments are not lambdas")]
    fn sized_lambda_arg(&mut self, arg: &Exp, want: &Ty) -> Ty {
        let ty = match &arg.kind {
            ExpKind::Paren(inner) | ExpKind::Attr(_, inner) => self.sized_lambda_arg(inner, want),
            ExpKind::Lambda(lambda) => self.sized_lambda(lambda, Some(want)),
            _ => return self.sized(arg),
        };
        self.size_metas.node_types.push((arg.id, ty.clone()));
        ty
    }

    /// Unknown sizes that turn out to be sizes of a function's result.
    pub(super) fn make_existential(&mut self, vars: &[VarId]) {
        for &var in vars {
            self.program.vars[var].kind = VarKind::Ext;
        }
    }

    /// The type of a function applied to one argument. Without the argument's expression, nothing
    /// is known about its value.
    pub(super) fn sized_apply_one(
        &mut self,
        node: NodeId,
        fun: &Ty,
        fun_span: Span,
        arg: Option<&Exp>,
        arg_ty: &Ty,
        arg_span: Span,
    ) -> Ty {
        let Ty::Fun(fun) = self.force(fun) else { return Ty::Error };
        self.size_metas.current = Some(arg_span);
        let outer = std::mem::take(&mut self.size_metas.opened);
        let why = Expect::Argument { fun: fun_span, arg: arg_span };
        self.require(arg_span, &fun.param, arg_ty, why);
        let opened = std::mem::replace(&mut self.size_metas.opened, outer);

        let mut subst = Subst::new();
        if let Some(name) = fun.name
            && mentions(&fun.ret, name)
        {
            let term = arg.and_then(|arg| self.argument_size(arg));
            let term = term.unwrap_or_else(|| {
                if !self.in_prelude && arg.is_some_and(binds_names) {
                    self.report(errors::size_with_binding(arg_span));
                }
                let var = self.unknown_size(arg_span, Unknown::Expression);
                self.note_unknowns(node, [var]);
                Size::Var(var)
            });
            subst.var(name, term);
        }
        let mut unknowns = Vec::new();
        for &ext in &fun.exts {
            let var = self.unknown_size(fun_span.to(arg_span), Unknown::Result);
            unknowns.push(var);
            subst.var(ext, Size::Var(var));
        }
        self.note_unknowns(node, unknowns);
        let ret = subst.apply(&fun.ret).without_unique();
        if opened.is_empty() { ret } else { self.settle(node, ret, opened, fun_span, arg_span) }
    }

    /// What becomes of the sizes that an argument's result brought in: if the application is
    /// complete they are unknown sizes; otherwise they are sizes that the remaining function's
    /// result will have.
    fn settle(
        &mut self,
        node: NodeId,
        ret: Ty,
        mut opened: Vec<VarId>,
        fun_span: Span,
        arg_span: Span,
    ) -> Ty {
        let ret = self.zonk_sized(&ret);
        if let Some(&var) = opened.iter().find(|&&var| in_parameter(&ret, var)) {
            let fun = self.quote(fun_span);
            let arg = self.quote(arg_span);
            let size = self.program.vars[var].name.clone();
            let shown = self.show(&ret);
            self.report(errors::existential_param_ret(arg_span, &fun, &arg, &size, &shown));
            return Ty::Error;
        }
        let ret = self.split_repeated(&ret, &mut Vec::new(), &mut opened);
        if !matches!(ret, Ty::Fun(_)) {
            self.note_unknowns(node, opened);
            return ret;
        }
        self.make_existential(&opened);
        self.size_metas.settled.extend(&opened);
        add_exts(&ret, &opened)
    }

    /// The result with a size of its own for each part that may come from another call of the argument:
    /// in `def twice f = (f 2, f 3)` both parts have the type of what "f" yields, but not its size.
    fn split_repeated(&mut self, ty: &Ty, seen: &mut Vec<VarId>, opened: &mut Vec<VarId>) -> Ty {
        if self.size_metas.repeated.is_empty() {
            return ty.clone();
        }
        match ty {
            Ty::Fun(fun) => {
                let ret = self.split_repeated(&fun.ret, seen, opened);
                Ty::Fun(Arc::new(FunTy { ret, ..(**fun).clone() }))
            }
            Ty::Unique(inner) => Ty::Unique(self.split_repeated(inner, seen, opened).into()),
            Ty::Record(fields) => Ty::Record(
                fields
                    .iter()
                    .map(|(f, t)| (f.clone(), self.split_repeated(t, seen, opened)))
                    .collect(),
            ),
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| {
                        let ts = ts.iter().map(|t| self.split_repeated(t, seen, opened));
                        (c.clone(), ts.collect())
                    })
                    .collect(),
            ),
            Ty::Prim(_) | Ty::Array(..) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => {
                let mut subst = Subst::new();
                for var in opened.clone() {
                    if !self.size_metas.repeated.contains(&var) || !mentions(ty, var) {
                        continue;
                    }
                    if !seen.contains(&var) {
                        seen.push(var);
                        continue;
                    }
                    let span = self.program.vars[var].span.unwrap_or(self.nowhere());
                    let new = self.unknown_size(span, Unknown::ArgumentResult);
                    opened.push(new);
                    subst.var(var, Size::Var(new));
                }
                subst.apply(ty)
            }
        }
    }

    pub(super) fn sized_section_right(&mut self, exp: &Exp, op: &Operator, rhs: &Exp) -> Ty {
        let op_ty = self.sized_operator(op);
        let Ty::Fun(first) = self.force(&op_ty) else { return Ty::Error };
        let left = first.param.clone();
        let outer = self.level;
        self.level += 1;
        let partial = self.sized_apply_one(exp.id, &op_ty, op.name.span, None, &left, op.name.span);
        self.level = outer;
        let rhs_ty = self.sized(rhs);
        let ret =
            self.sized_apply_one(exp.id, &partial, op.name.span, Some(rhs), &rhs_ty, rhs.span);
        // Unknown sizes of the result depend on the missing operand.
        let mut exts = Vec::new();
        if let Some(unknowns) = self.tables.unknowns.remove(&exp.id) {
            exts.extend(unknowns.into_iter().filter(|&var| mentions(&ret, var)));
            self.make_existential(&exts);
        }
        Ty::Fun(Arc::new(FunTy { name: None, consumes: first.consumes, param: left, exts, ret }))
    }

    /// A type with unknown sizes for those of a type that the first phase found.
    pub(super) fn dress_node(&mut self, node: NodeId, span: Span) -> Ty {
        let shape = self.shape(node);
        self.dress(&shape, span, &Origin::Inferred, false)
    }
}

/// Whether a function takes a sequence.
fn takes_seq(ty: &Ty) -> bool {
    match ty {
        Ty::Fun(fun) if !fun.is_seq() => fun.param.as_seq().is_some() || takes_seq(&fun.ret),
        Ty::Prim(_)
        | Ty::Array(..)
        | Ty::Record(_)
        | Ty::Sum(_)
        | Ty::Fun(_)
        | Ty::Con(..)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error => false,
    }
}

fn is_function(ty: &Ty) -> bool {
    matches!(ty, Ty::Fun(fun) if !fun.is_seq())
}

/// The lambda that an argument is.
#[expect(clippy::wildcard_enum_match_arm, reason = "other arguments are not lambdas")]
fn lambda_of(arg: &Exp) -> Option<&Lambda> {
    match &arg.kind {
        ExpKind::Paren(inner) | ExpKind::Attr(_, inner) => lambda_of(inner),
        ExpKind::Lambda(lambda) => Some(lambda),
        _ => None,
    }
}

/// Adds existential sizes to the last arrow of a function type.
fn add_exts(ty: &Ty, exts: &[VarId]) -> Ty {
    match ty {
        Ty::Fun(fun) => {
            let mut fun = (**fun).clone();
            if matches!(fun.ret, Ty::Fun(_)) {
                fun.ret = add_exts(&fun.ret, exts);
            } else {
                let more = |var: &&VarId| mentions(&fun.ret, **var) && !fun.exts.contains(var);
                let more: Vec<VarId> = exts.iter().filter(more).copied().collect();
                fun.exts.extend(more);
            }
            Ty::Fun(Arc::new(fun))
        }
        other @ (Ty::Prim(_)
        | Ty::Array(..)
        | Ty::Record(_)
        | Ty::Sum(_)
        | Ty::Con(..)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error) => other.clone(),
    }
}
