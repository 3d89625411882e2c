//! Sizes of expressions that bind variables: let, lambda, match.

use super::Origin;
use super::close::{Outside, Param};
use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::infer::used_constructively;
use crate::program::{Unknown, VarKind};
use crate::ty::{Scheme, Size, SizeMeta, Subst, Ty, VarId};
use fehu_base::Span;
use fehu_syntax::ast::{
    Case, Exp, Lambda, LetBind, LetKind, Pat, PatKind, TypeExp, TypeParam, TypeParamKind,
};

impl Checker<'_> {
    pub(super) fn sized_let(&mut self, exp: &Exp, binds: &[LetBind], body: &Exp) -> Ty {
        let outer = self.level;
        for bind in binds {
            self.sized_let_bind(bind);
        }
        let ty = self.sized(body);
        self.level = outer;
        self.close(&ty, outer, exp.id, body.span, Unknown::OutOfScope)
    }

    fn sized_let_bind(&mut self, bind: &LetBind) {
        match &bind.kind {
            LetKind::Pat { sizes, pat, value } => {
                let ty = self.sized(value);
                self.level += 1;
                self.bind_let_sizes(sizes);
                self.sized_pat(pat, &ty, Expect::LetPattern(pat.span));
                if let Some(var) = self.pat_var(pat)
                    && ty == Ty::I64
                {
                    self.program.vars[var].def = self.size_of_exp(value);
                }
                self.check_let_sizes(sizes, pat);
            }
            LetKind::Fun { name, type_params, params, ret, body } => {
                let outer = self.level;
                self.level += 1;
                self.sized_type_params(type_params);
                self.size_metas.local_params.extend(params.iter().map(|param| param.span));
                let mut sizes = self.explicit_sizes(type_params);
                let outside = Outside { level: outer, sizes: &sizes, what: &name.name };
                let ty = self.sized_function(params, ret.as_ref(), body, outside, None);
                self.level = outer + 1;
                let (ty, inferred) = self.generalise_sizes(&ty, outer, name.span);
                sizes.extend(inferred);
                let Some(&var) = self.tables.binders.get(&bind.id) else { return };
                let types = self.scheme(var).map(|s| s.types.clone()).unwrap_or_default();
                self.program.vars[var].level = self.level;
                self.set_scheme(var, Scheme { sizes, types, ty });
            }
            LetKind::Update { name, path, value } => {
                let Some(old) = self.tables.names.get(&bind.id).cloned() else { return };
                let base = self.sized_instance(bind.id, old.var, &name.name, name.span);
                let base = self.sized_update(bind.id, &base, path, value);
                self.level += 1;
                self.size_metas.node_types.push((bind.id, base.clone()));
                if let Some(&var) = self.tables.binders.get(&bind.id) {
                    self.program.vars[var].level = self.level;
                    self.set_scheme(var, Scheme::mono(base));
                }
            }
        }
    }

    /// The sizes that `let [n]` binds are whatever the value's are.
    fn bind_let_sizes(&mut self, sizes: &[TypeParam]) {
        for size in sizes {
            if let Some(&var) = self.tables.binders.get(&size.id) {
                self.program.vars[var].level = self.level;
                let origin = Origin::LetSize(size.name.name.clone());
                let meta = self.fresh_size(size.span, origin);
                self.program.vars[var].def = Some(meta);
                self.size_metas.let_sizes.push(var);
            }
        }
    }

    fn check_let_sizes(&mut self, sizes: &[TypeParam], pat: &Pat) {
        for size in sizes {
            let Some(&var) = self.tables.binders.get(&size.id) else { continue };
            if !self.pat_has(pat, &|ty| used_constructively(ty, var)) {
                let mentioned = self.pat_has(pat, &|ty| super::close::mentions(ty, var));
                self.report(match mentioned {
                    true => errors::unbound_let_size(size.span, &size.name.name),
                    false => errors::unused_size(size.span, &size.name.name, "pattern"),
                });
            }
        }
    }

    /// Whether a type that is written in the pattern is as asked.
    fn pat_has(&self, pat: &Pat, asked: &dyn Fn(&Ty) -> bool) -> bool {
        pat.any_type(&mut |te| asked(&self.read_type_exp(te.id).0))
    }

    /// Puts size parameters at the current level.
    pub(super) fn sized_type_params(&mut self, params: &[TypeParam]) {
        for var in self.explicit_sizes(params) {
            self.program.vars[var].level = self.level;
        }
    }

    pub(super) fn explicit_sizes(&self, params: &[TypeParam]) -> Vec<VarId> {
        params
            .iter()
            .filter(|p| p.kind == TypeParamKind::Size)
            .filter_map(|p| self.tables.binders.get(&p.id).copied())
            .collect()
    }

    /// The type of a function as it is known outside.
    pub(super) fn sized_function(
        &mut self,
        params: &[Pat],
        ret: Option<&TypeExp>,
        body: &Exp,
        outside: Outside<'_>,
        expected: Option<&Ty>,
    ) -> Ty {
        let params = self.sized_params(params, expected);
        self.sized_body(params, ret, body, outside)
    }

    /// The types of parameters, each in the scope of those before it, given the type that the
    /// function is expected to have.
    pub(super) fn sized_params(&mut self, params: &[Pat], expected: Option<&Ty>) -> Vec<Param> {
        let mut expected = Expected { ty: expected.cloned(), name: None };
        params
            .iter()
            .map(|pat| {
                self.level += 1;
                let ty = self.param_type(pat);
                self.mark_param(&ty);
                if let Some(want) = expected.next(self) {
                    // Only a hint: what does not fit is reported for the whole function.
                    let mark = self.mark();
                    if self.unify_sized(&want, &ty).is_err() {
                        self.roll_back(mark);
                    }
                }
                // The size of a parameter cannot depend on the parameter.
                self.level += 1;
                self.sized_pat(pat, &ty, Expect::Pattern);
                expected.bind(self.pat_var(pat));
                Param {
                    name: self.pat_var(pat),
                    consumes: self.pat_consumes(pat),
                    ty,
                    span: pat.span,
                }
            })
            .collect()
    }

    /// Notes that the unknown sizes in a type are those of a parameter.
    fn mark_param(&mut self, ty: &Ty) {
        let mut metas = Vec::new();
        ty.for_each_size(&mut |size| size.for_each_meta(&mut |meta| metas.push(meta)));
        for meta in metas {
            let info = &mut self.size_metas.infos[meta];
            info.param = Some(info.span);
        }
    }

    /// The type of a parameter: as annotated, and otherwise with unknown sizes.
    pub(super) fn param_type(&mut self, pat: &Pat) -> Ty {
        match &pat.kind {
            PatKind::Ascribe(_, te) => self.sized_type_exp(te.id, te.span).without_unique(),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => self.param_type(inner),
            PatKind::Tuple(parts) => {
                let parts: Vec<Ty> = parts.iter().map(|p| self.param_type(p)).collect();
                Ty::tuple(parts)
            }
            PatKind::Record(fields) => {
                let fields = fields
                    .iter()
                    .map(|field| {
                        let ty = match &field.pat {
                            Some(pat) => self.param_type(pat),
                            None => self.dress_node(field.id, field.name.span),
                        };
                        (field.name.name.clone(), ty)
                    })
                    .collect();
                Ty::record(fields)
            }
            PatKind::Var(_)
            | PatKind::Wildcard
            | PatKind::Lit(_)
            | PatKind::Ctor(..)
            | PatKind::Error => self.dress_node(pat.id, pat.span),
        }
    }

    /// Checks a function's body against its result type, and closes the function.
    pub(super) fn sized_body(
        &mut self,
        params: Vec<Param>,
        ret: Option<&TypeExp>,
        body: &Exp,
        outside: Outside<'_>,
    ) -> Ty {
        self.level += 1;
        let found = self.sized(body);
        self.level -= 1;
        let Some(ret) = ret else {
            return self.close_function(params, &found, Vec::new(), outside);
        };
        self.sized_written(ret);
        // Anonymous sizes of the declared type are those of the body.
        let (declared, exts) = self.read_type_exp(ret.id);
        self.check_result_names(&params, ret, &declared, outside);
        self.level += 1;
        let want = self.with_metas(&declared, &exts, ret.span);
        self.level -= 1;
        self.require(body.span, &want, &found, Expect::FunctionBody(Some(ret.span)));
        self.close_function(params, &want, Vec::new(), outside)
    }

    /// A written result type may name whole parameters, but not their parts, which callers cannot name.
    fn check_result_names(
        &mut self,
        params: &[Param],
        ret: &TypeExp,
        ty: &Ty,
        outside: Outside<'_>,
    ) {
        let mut part = None;
        ty.for_each_size(&mut |size| {
            size.for_each_var(&mut |var| {
                let info = &self.program.vars[var];
                let own = info.kind == VarKind::Param && info.level > outside.level;
                if own && !params.iter().any(|param| param.name == Some(var)) {
                    part.get_or_insert(var);
                }
            });
        });
        if let Some(var) = part {
            let info = &self.program.vars[var];
            let (name, bound) = (info.name.clone(), info.span);
            self.report(errors::result_names_part(ret.span, &name, bound, outside.what));
        }
    }

    pub(super) fn sized_lambda(&mut self, lambda: &Lambda, expected: Option<&Ty>) -> Ty {
        let outer = self.level;
        let outside = Outside { level: outer, sizes: &[], what: "lambda" };
        let ty = self.sized_function(
            &lambda.params,
            lambda.ret.as_ref(),
            &lambda.body,
            outside,
            expected,
        );
        self.level = outer;
        self.lower(&ty, outer);
        ty
    }

    /// Makes size parameters of the unknown sizes in a type that are deeper than `outer`.
    pub(super) fn generalise_sizes(&mut self, ty: &Ty, outer: u32, span: Span) -> (Ty, Vec<VarId>) {
        let ty = self.zonk_sized(ty);
        let mut metas: Vec<SizeMeta> = Vec::new();
        ty.for_each_size(&mut |size| {
            size.for_each_meta(&mut |m| {
                if self.size_metas.infos[m].level > outer && !metas.contains(&m) {
                    metas.push(m);
                }
            });
        });
        let mut params = Vec::with_capacity(metas.len());
        for meta in metas {
            let name = self.size_metas.next_name("d");
            let var = self.new_var(name, Some(span), VarKind::SizeParam, Some(Ty::I64));
            self.program.vars[var].level = outer + 1;
            self.size_metas.infos[meta].solution = Some(Size::Var(var));
            params.push(var);
        }
        (self.zonk_sized(&ty), params)
    }

    pub(super) fn sized_match(&mut self, exp: &Exp, scrutinee: &Exp, cases: &[Case]) -> Ty {
        let value = self.sized(scrutinee);
        let mut result: Option<Ty> = None;
        for case in cases {
            let outer = self.level;
            self.level += 1;
            self.sized_pat(&case.pat, &value, Expect::CasePattern(scrutinee.span));
            let ty = self.sized(&case.body);
            self.level = outer;
            let ty = self.close(&ty, outer, exp.id, case.body.span, Unknown::OutOfScope);
            result = Some(match result {
                Some(result) => self.join_branches(exp.id, exp.span, case.body.id, [&result, &ty]),
                None => ty,
            });
        }
        result.unwrap_or(Ty::Error)
    }
}

/// What is left of the type that a function is expected to have.
struct Expected {
    ty: Option<Ty>,
    /// The name of the last parameter in the type.
    name: Option<VarId>,
}

impl Expected {
    /// The type of the next parameter.
    fn next(&mut self, checker: &mut Checker<'_>) -> Option<Ty> {
        let Ty::Fun(fun) = checker.force(self.ty.as_ref()?) else {
            self.ty = None;
            return None;
        };
        self.name = fun.name;
        self.ty = Some(fun.ret.clone());
        Some(fun.param.clone())
    }

    /// The last parameter is this variable.
    fn bind(&mut self, var: Option<VarId>) {
        if let (Some(name), Some(ty)) = (self.name.take(), &self.ty) {
            self.ty = var.map(|var| {
                let mut subst = Subst::new();
                subst.var(name, Size::Var(var));
                subst.apply(ty)
            });
        }
    }
}
