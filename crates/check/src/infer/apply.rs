//! Types of applications, operators and sections.

use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::ty::Ty;
use fehu_base::Span;
use fehu_syntax::ast::{BinOp, Exp, Operator};

impl Checker<'_> {
    pub(crate) fn infer_apply(&mut self, span: Span, fun: &Exp, args: &[Exp]) -> Ty {
        let mut ty = self.infer(fun);
        // Arguments are inferred even if there are too many of them, for the errors inside them.
        for (i, arg) in args.iter().enumerate() {
            let arg_ty = self.infer(arg);
            ty = self.apply(&ty, fun.span, span, (i, args.len()), arg.span, &arg_ty);
        }
        ty
    }

    /// The type of a function applied to its `i`-th argument.
    fn apply(
        &mut self,
        fun: &Ty,
        fun_span: Span,
        whole: Span,
        (i, count): (usize, usize),
        arg_span: Span,
        arg: &Ty,
    ) -> Ty {
        match self.resolve(fun) {
            Ty::Error => Ty::Error,
            Ty::Fun(fun) => {
                let why = Expect::Argument { fun: fun_span, arg: arg_span };
                self.unify_or_report(arg_span, &fun.param, arg, why);
                fun.ret.without_unique()
            }
            unknown @ Ty::Meta(_) => {
                let ret = self.fresh(whole);
                let want = Ty::fun(arg.clone(), ret.clone());
                let why = Expect::Argument { fun: fun_span, arg: arg_span };
                self.unify_or_report(fun_span, &want, &unknown, why);
                ret
            }
            not_a_function => {
                let shown = self.zonk(&not_a_function);
                let shown = self.show(&shown);
                let fun_text = self.quote(fun_span);
                let arg_text = self.quote(arg_span);
                self.report(errors::not_a_function(
                    fun_span, arg_span, &fun_text, &arg_text, &shown, i, count,
                ));
                Ty::Error
            }
        }
    }

    pub(crate) fn infer_binop(&mut self, span: Span, bin: &BinOp) -> Ty {
        let op = self.infer_operator(&bin.op);
        let lhs = self.infer(&bin.lhs);
        let op_span = bin.op.name.span;
        let partial = self.apply(&op, op_span, span, (0, 2), bin.lhs.span, &lhs);
        let rhs = self.infer(&bin.rhs);
        self.apply(&partial, op_span, span, (1, 2), bin.rhs.span, &rhs)
    }

    pub(crate) fn infer_section(
        &mut self,
        span: Span,
        op: &Operator,
        lhs: Option<&Exp>,
        rhs: Option<&Exp>,
    ) -> Ty {
        let op_ty = self.infer_operator(op);
        let op_span = op.name.span;
        if let Some(lhs) = lhs {
            let lhs_ty = self.infer(lhs);
            return self.apply(&op_ty, op_span, span, (0, 1), lhs.span, &lhs_ty);
        }
        let left = self.fresh(span);
        let partial = self.apply(&op_ty, op_span, span, (0, 2), op_span, &left);
        match rhs {
            Some(rhs) => {
                let rhs_ty = self.infer(rhs);
                let ret = self.apply(&partial, op_span, span, (1, 2), rhs.span, &rhs_ty);
                Ty::fun(left, ret)
            }
            None => op_ty,
        }
    }
}
