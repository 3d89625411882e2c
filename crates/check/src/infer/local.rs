//! Types of expressions that bind variables: let, lambda, loop, match.

use super::Restriction;
use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::program::VarKind;
use crate::ty::{FunTy, Lifted, Needs, PrimSet, Scheme, SchemeType, Size, Ty, TypeFnParam};
use crate::walk::{PatLeaf, pat_value_type};
use fehu_base::Span;
use fehu_syntax::ast::{
    Case, Exp, Ident, Lambda, LetBind, LetKind, Loop, LoopForm, Pat, PatKind, QualName, TypeExp,
    TypeParam,
};
use std::sync::Arc;

/// What the types of parameters and body make of a function.
pub(crate) struct Function<'a> {
    pub(crate) type_params: &'a [TypeParam],
    pub(crate) params: &'a [Pat],
    pub(crate) ret: Option<&'a TypeExp>,
    pub(crate) body: &'a Exp,
    pub(crate) what: Expect,
}

impl Checker<'_> {
    pub(crate) fn infer_let(&mut self, binds: &[LetBind], body: &Exp) -> Ty {
        let mark = self.scope.enter();
        for bind in binds {
            self.infer_let_bind(bind);
        }
        let ty = self.infer(body);
        self.scope.leave(&mark);
        ty
    }

    fn infer_let_bind(&mut self, bind: &LetBind) {
        match &bind.kind {
            LetKind::Pat { sizes, pat, value } => {
                let value_ty = self.infer(value);
                for (i, size) in sizes.iter().enumerate() {
                    let earlier = sizes[..i].iter().find(|s| s.name.name == size.name.name);
                    if let Some(first) = earlier {
                        self.report(errors::also_bound(&size.name, first.name.span));
                    }
                    self.bind_size(size, VarKind::SizeParam);
                }
                let pat_ty = self.infer_pat_with(pat, VarKind::Local, sizes);
                self.unify_or_report(value.span, &pat_ty, &value_ty, Expect::LetPattern(pat.span));
            }
            LetKind::Fun { name, type_params, params, ret, body } => {
                let mark = self.scope.enter();
                self.level += 1;
                let bound = self.bind_type_params(type_params);
                let ret = ret.as_ref();
                let what = Expect::FunctionBody(ret.map(|ret| ret.span));
                let before = self.metas.restrictions.len();
                let ty = self.infer_function(&Function { type_params, params, ret, body, what });
                let inferred = self.generalise_results(&ty, params.len(), before);
                self.level -= 1;
                self.scope.leave(&mark);
                let ty = self.zonk(&ty);
                let mut scheme = self.scheme_of(&bound, ty);
                scheme.types.extend(inferred);
                let var = self.bind(bind.id, name, VarKind::Local, Ty::Error);
                self.set_scheme(var, scheme);
            }
            LetKind::Update { name, path, value } => {
                let qual = QualName { quals: Vec::new(), name: name.clone(), span: name.span };
                let base = match self.resolve_value(bind.id, &qual) {
                    Some(found) => self.instantiate(bind.id, found.var, name.span),
                    None => Ty::Error,
                };
                self.update_path(&base, path, value, name.span);
                self.metas.node_types.insert(bind.id, base.clone());
                self.bind(bind.id, name, VarKind::Local, base);
            }
        }
    }

    /// A scheme with these parameters.
    pub(crate) fn scheme_of(&self, params: &[TypeFnParam], ty: Ty) -> Scheme {
        let mut scheme = Scheme::mono(ty);
        for param in params {
            match *param {
                TypeFnParam::Size(var) => scheme.sizes.push(var),
                TypeFnParam::Type(id) => scheme.types.push(SchemeType {
                    id,
                    lifted: self.program.types[id].lifted,
                    needs: Needs::Nothing,
                }),
            }
        }
        scheme
    }

    /// The type of a function; its parameters are in scope of the body only.
    pub(crate) fn infer_function(&mut self, fun: &Function<'_>) -> Ty {
        let mark = self.scope.enter();
        let params = self.infer_pats(fun.params, VarKind::Param, fun.type_params);
        let declared = fun.ret.map(|ret| self.type_exp(ret).0);
        let body = self.infer(fun.body);
        if let Some(want) = &declared {
            self.unify_or_report(fun.body.span, want, &body, fun.what);
        }
        self.scope.leave(&mark);
        let ret = declared.unwrap_or(body);
        self.function_type(fun.params, params, ret)
    }

    /// `p -> q -> ret`, with `*` where the patterns are annotated so.
    pub(crate) fn function_type(&self, pats: &[Pat], params: Vec<Ty>, ret: Ty) -> Ty {
        pats.iter().zip(params).rev().fold(ret, |ret, (pat, param)| {
            Ty::Fun(Arc::new(FunTy {
                name: None,
                consumes: self.pat_consumes(pat),
                param,
                exts: Vec::new(),
                ret,
            }))
        })
    }

    /// Whether any type in the pattern is marked `*`.
    pub(crate) fn pat_consumes(&self, pat: &Pat) -> bool {
        pat.any_type(&mut |ty| {
            let annotated = self.tables.type_exps.get(&ty.id);
            annotated.is_some_and(|(ty, _)| ty.has_unique())
        })
    }

    pub(crate) fn infer_lambda(&mut self, lambda: &Lambda) -> Ty {
        self.infer_function(&Function {
            type_params: &[],
            params: &lambda.params,
            ret: lambda.ret.as_ref(),
            body: &lambda.body,
            what: Expect::FunctionBody(lambda.ret.as_ref().map(|ret| ret.span)),
        })
    }

    pub(crate) fn infer_loop(&mut self, span: Span, lp: &Loop) -> Ty {
        let init = match &lp.init {
            Some(init) => self.infer(init),
            None => self.implicit_init(&lp.pat),
        };
        // The bound is evaluated outside the loop; a `while` condition sees the parameters.
        let bound = match &lp.form {
            LoopForm::For(_, _, bound) => {
                let ty = self.infer(bound);
                self.need(bound.span, &ty, Needs::OneOf(PrimSet::INTEGER), "for");
                ty
            }
            LoopForm::ForIn(_, array) => {
                let elem = self.fresh(array.span);
                self.expect(array, &Ty::array(Size::Any, elem.clone()), Expect::ForIn);
                elem
            }
            LoopForm::While(_) => Ty::Error,
        };
        let mark = self.scope.enter();
        for size in &lp.sizes {
            self.bind_size(size, VarKind::SizeParam);
        }
        let pat = self.infer_pat_with(&lp.pat, VarKind::Local, &lp.sizes);
        let init_span = lp.init.as_ref().map_or(lp.pat.span, |init| init.span);
        self.unify_or_report(init_span, &pat, &init, Expect::LoopInit(lp.pat.span));
        match &lp.form {
            LoopForm::For(node, ident, _) => _ = self.bind(*node, ident, VarKind::Local, bound),
            LoopForm::ForIn(elem_pat, _) => {
                let ty = self.infer_pat(elem_pat, VarKind::Local);
                self.unify_or_report(elem_pat.span, &bound, &ty, Expect::ForIn);
            }
            LoopForm::While(cond) => self.expect(cond, &Ty::BOOL, Expect::Condition),
        }
        self.expect(&lp.body, &pat, Expect::LoopBody(lp.pat.span));
        self.scope.leave(&mark);
        self.restrict(&pat, Lifted::SizeLifted, span, Restriction::LoopParameter);
        pat
    }

    /// The type of a loop's initial value when it is left out: that of the variables with the same
    /// names as the loop parameters.
    fn implicit_init(&mut self, pat: &Pat) -> Ty {
        pat_value_type(pat, &mut |leaf| match leaf {
            PatLeaf::Name(node, ident) => {
                let ty = self.implicit_var(node, ident);
                self.metas.node_types.insert(node, ty.clone());
                ty
            }
            PatLeaf::Other(pat) => {
                if !matches!(pat.kind, PatKind::Error) {
                    self.report(errors::loop_needs_init(pat.span));
                }
                Ty::Error
            }
        })
    }

    fn implicit_var(&mut self, node: fehu_syntax::ast::NodeId, ident: &Ident) -> Ty {
        let name = QualName { quals: Vec::new(), name: ident.clone(), span: ident.span };
        match self.resolve_value(node, &name) {
            Some(resolved) => self.instantiate(node, resolved.var, ident.span),
            None => Ty::Error,
        }
    }

    pub(crate) fn infer_match(&mut self, span: Span, scrutinee: &Exp, cases: &[Case]) -> Ty {
        let value = self.infer(scrutinee);
        let mut result: Option<(Ty, Span)> = None;
        for case in cases {
            let mark = self.scope.enter();
            let pat = self.infer_pat(&case.pat, VarKind::Local);
            self.unify_or_report(case.pat.span, &value, &pat, Expect::CasePattern(scrutinee.span));
            match &result {
                None => {
                    let ty = self.infer(&case.body);
                    result = Some((ty, case.body.span));
                }
                Some((ty, first)) => {
                    let (ty, first) = (ty.clone(), *first);
                    self.expect_branch(&case.body, &ty, first);
                }
            }
            self.scope.leave(&mark);
        }
        let ty = result.map_or(Ty::Error, |(ty, _)| ty);
        self.restrict(&ty, Lifted::SizeLifted, span, Restriction::BranchResult);
        ty
    }
}
