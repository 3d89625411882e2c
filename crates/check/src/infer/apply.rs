//! Types of applications, operators and sections.

use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::ty::Ty;
use fehu_base::Span;
use fehu_syntax::ast::{BinOp, Exp, Operator};

impl Checker<'_> {
    pub(crate) fn infer_apply(&mut self, span: Span, fun: &Exp, args: &[Exp]) -> Ty {
        let reported = self.diags.len();
        let mut ty = self.infer(fun);
        if self.report_infix_word(&ty, fun, args) || self.suggest_method(reported, fun, args) {
            return Ty::Error;
        }
        // Arguments are inferred even if there are too many of them, for the errors inside them.
        for (i, arg) in args.iter().enumerate() {
            let arg_ty = self.infer(arg);
            if i == 0 {
                self.suggest_number_module(reported, fun, &arg_ty);
            }
            let before = self.diags.len();
            ty = self.apply(&ty, fun.span, span, (i, args.len()), arg.span, &arg_ty);
            if self.diags.len() > before {
                self.suggest_call(fun, args, i);
            }
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
            Ty::Fun(fun) if !fun.is_seq() => {
                let why = Expect::Argument { fun: fun_span, arg: arg_span };
                let before = self.diags.len();
                self.unify_or_report(arg_span, &fun.param, arg, why);
                // One wrong argument is one mistake; what follows from it is not reported.
                if self.diags.len() > before {
                    return Ty::Error;
                }
                fun.ret.without_unique()
            }
            unknown @ Ty::Meta(_) => {
                let ret = self.fresh(whole);
                let want = Ty::fun(arg.clone(), ret.clone());
                let why = Expect::Argument { fun: fun_span, arg: arg_span };
                self.unify_or_report(fun_span, &want, &unknown, why);
                ret
            }
            not_a_function @ (Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Record(_)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Con(..)
            | Ty::Unique(_)) => {
                let shown = self.zonk(&not_a_function);
                let shown = self.show(&shown);
                let fun_text = self.quote(fun_span);
                if not_a_function.as_seq().is_some() {
                    self.report(errors::seq_called(fun_span, arg_span, &fun_text, &shown));
                    return Ty::Error;
                }
                let arg_text = self.quote(arg_span);
                self.report(errors::not_a_function(
                    fun_span, arg_span, &fun_text, &arg_text, &shown, i, count,
                ));
                Ty::Error
            }
        }
    }

    pub(crate) fn infer_binop(&mut self, span: Span, bin: &BinOp) -> Ty {
        if self.report_bars_without_parentheses(bin) {
            return Ty::Error;
        }
        let op = self.infer_operator(&bin.op);
        let op_span = bin.op.name.span;
        // An operator of another language says what is wrong with its operands as well.
        if op == Ty::Error && errors::foreign::value(&bin.op.name.name.name).is_some() {
            self.suggest_let_for_arrow(&bin.lhs, &bin.op, &bin.rhs);
            return Ty::Error;
        }
        let lhs = self.infer(&bin.lhs);
        let before = self.diags.len();
        let partial = self.apply(&op, op_span, span, (0, 2), bin.lhs.span, &lhs);
        if self.diags.len() > before {
            if self.suggest_operator_as_argument(bin, &lhs) {
                // What follows are the other arguments, and no operand.
                return Ty::Error;
            }
            self.suggest_negative_argument(bin, &lhs);
            self.suggest_operator(bin, &lhs);
        }
        let rhs = self.infer(&bin.rhs);
        if partial == Ty::Error {
            // Most operators have operands of one type: so the other one is not reported as ambiguous, too.
            let _ = self.unify(&lhs, &rhs);
        }
        let before = self.diags.len();
        let result = self.apply(&partial, op_span, span, (1, 2), bin.rhs.span, &rhs);
        if self.diags.len() > before {
            self.suggest_operator(bin, &rhs);
        }
        // Even where the type of the result does not depend on the operands, as with `<`.
        if lhs == Ty::Error || rhs == Ty::Error { Ty::Error } else { result }
    }

    pub(crate) fn infer_section(
        &mut self,
        span: Span,
        op: &Operator,
        lhs: Option<&Exp>,
        rhs: Option<&Exp>,
    ) -> Ty {
        if rhs.is_some_and(|rhs| self.report_bars(op, rhs)) {
            return Ty::Error;
        }
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
