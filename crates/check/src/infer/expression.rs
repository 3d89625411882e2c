//! Types of expressions, without sizes.

use super::{Found, LitValue, Restriction};
use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::program::Instance;
use crate::ty::{Lifted, Needs, PrimSet, Size, SmallMap, Subst, Ty, VarId};
use fehu_base::{Prim, Span};
use fehu_syntax::ast::{Exp, ExpKind, Lit, NodeId, Operator, QualName, Range, RecordField};

impl Checker<'_> {
    /// The type of an expression, noted under its node.
    pub(crate) fn infer(&mut self, exp: &Exp) -> Ty {
        let ty = self.infer_kind(exp);
        self.metas.node_types.insert(exp.id, ty.clone());
        ty
    }

    /// Infers an expression and makes its type the wanted one.
    pub(crate) fn expect(&mut self, exp: &Exp, want: &Ty, why: Expect) {
        let found = self.infer(exp);
        self.unify_or_report(exp.span, want, &found, why);
    }

    /// Infers a branch and makes its type that of the ones before, noting what was known of both.
    pub(crate) fn expect_branch(&mut self, exp: &Exp, want: &Ty, first: Span) {
        let found = self.infer(exp);
        let seen = (self.zonk(want), self.zonk(&found));
        if seen.0.has_meta() || seen.1.has_meta() {
            self.metas.branches.insert(exp.id, seen);
        }
        self.unify_or_report(exp.span, want, &found, Expect::Branch(first));
    }

    /// Makes two types equal, or reports at the place.
    pub(crate) fn unify_or_report(&mut self, span: Span, want: &Ty, found: &Ty, why: Expect) {
        if let Err(clash) = self.unify(want, found) {
            let want = self.zonk(want);
            let found = self.zonk(found);
            self.report_clash(span, &want, &found, why, &clash);
            self.give_up(&want);
            self.give_up(&found);
        }
    }

    /// Notes that what is unknown in a type stays so because of an error that has been reported.
    fn give_up(&mut self, ty: &Ty) {
        match ty {
            Ty::Meta(meta) => self.metas.infos[*meta].solution = Some(Ty::Error),
            Ty::Array(_, inner) | Ty::Unique(inner) => self.give_up(inner),
            Ty::Record(fields) => fields.iter().for_each(|(_, ty)| self.give_up(ty)),
            Ty::Fun(fun) => {
                self.give_up(&fun.param);
                self.give_up(&fun.ret);
            }
            Ty::Prim(_) | Ty::Sum(_) | Ty::Con(..) | Ty::Error => {}
        }
    }

    fn infer_kind(&mut self, exp: &Exp) -> Ty {
        match &exp.kind {
            ExpKind::Lit(lit) => self.infer_lit(exp.span, lit, false),
            ExpKind::Var(name) => self.infer_var(exp.id, name),
            ExpKind::Hole => self.fresh(exp.span),
            ExpKind::Paren(inner) => self.infer(inner),
            ExpKind::Tuple(parts) => {
                let parts: Vec<Ty> = parts.iter().map(|p| self.infer(p)).collect();
                Ty::tuple(parts)
            }
            ExpKind::Record(fields) => self.infer_record(fields),
            ExpKind::Array(elems) => self.infer_array(exp.span, elems),
            ExpKind::Project(inner, field) => {
                let ty = self.infer(inner);
                self.project(&ty, field, exp.span)
            }
            ExpKind::Index(array, dims) => {
                let ty = self.infer(array);
                self.index(&ty, dims, array.span)
            }
            ExpKind::LocalOpen(module, inner) => self.infer_local_open(module, inner),
            ExpKind::Ascribe(inner, ty) | ExpKind::Coerce(inner, ty) => {
                let (want, _) = self.type_exp(ty);
                let why = if matches!(exp.kind, ExpKind::Coerce(..)) {
                    Expect::Coercion(ty.span)
                } else {
                    Expect::Ascription(ty.span)
                };
                self.expect(inner, &want, why);
                want.without_unique()
            }
            ExpKind::Negate(inner) => {
                if let ExpKind::Lit(lit @ (Lit::Int { .. } | Lit::Float { .. })) = &inner.kind {
                    let ty = self.infer_lit(exp.span, lit, true);
                    self.metas.node_types.insert(inner.id, ty.clone());
                    return ty;
                }
                let ty = self.infer(inner);
                self.need(inner.span, &ty, Needs::OneOf(PrimSet::NUMERIC), "-");
                ty
            }
            ExpKind::Not(inner) => {
                let ty = self.infer(inner);
                self.need(inner.span, &ty, Needs::OneOf(PrimSet::BITS), "!");
                ty
            }
            ExpKind::BinOp(bin) => self.infer_binop(exp.span, bin),
            ExpKind::Apply(fun, args) => self.infer_apply(exp.span, fun, args),
            ExpKind::Ctor(name, payload) => {
                let payload: Vec<Ty> = payload.iter().map(|p| self.infer(p)).collect();
                let ty = self.fresh(exp.span);
                if let Ty::Meta(meta) = ty {
                    self.metas.infos[meta].ctors.push((name.name.clone(), payload));
                }
                ty
            }
            ExpKind::Range(range) => self.infer_range(range),
            ExpKind::If(parts) => {
                let [cond, then, other] = &**parts;
                self.expect(cond, &Ty::BOOL, Expect::Condition);
                let ty = self.infer(then);
                self.expect_branch(other, &ty, then.span);
                self.restrict(&ty, Lifted::SizeLifted, exp.span, Restriction::BranchResult);
                ty
            }
            ExpKind::Let(binds, body) => self.infer_let(binds, body),
            ExpKind::Lambda(lambda) => self.infer_lambda(lambda),
            ExpKind::Loop(lp) => self.infer_loop(exp.span, lp),
            ExpKind::Update(update) => self.infer_update(update),
            ExpKind::Match(scrutinee, cases) => self.infer_match(exp.span, scrutinee, cases),
            ExpKind::Assert(cond, inner) => {
                self.expect(cond, &Ty::BOOL, Expect::Condition);
                self.infer(inner)
            }
            ExpKind::Attr(attr, inner) => {
                self.foreign_elsewhere(std::slice::from_ref(attr));
                self.infer(inner)
            }
            ExpKind::Section(op) => self.infer_operator(op),
            ExpKind::SectionLeft(lhs, op) => self.infer_section(exp.span, op, Some(lhs), None),
            ExpKind::SectionRight(op, rhs) => self.infer_section(exp.span, op, None, Some(rhs)),
            ExpKind::SectionAccess(path) => {
                let param = self.fresh(exp.span);
                let ret = self.access(&param, path, exp.span);
                Ty::fun(param, ret)
            }
            ExpKind::Error => {
                self.tainted = true;
                Ty::Error
            }
        }
    }

    fn infer_lit(&mut self, span: Span, lit: &Lit, negative: bool) -> Ty {
        let (needs, value) = match lit {
            Lit::Int { suffix: Some(prim), .. } | Lit::Float { suffix: Some(prim), .. } => {
                return Ty::Prim(*prim);
            }
            Lit::Bool(_) => return Ty::BOOL,
            Lit::String(text) => {
                return Ty::array(Size::Const(text.len() as i64), Ty::Prim(Prim::U8));
            }
            Lit::Int { value, .. } => (PrimSet::NUMERIC, LitValue::Int(*value)),
            Lit::Char(c) => (PrimSet::NUMERIC, LitValue::Int(u128::from(u32::from(*c)))),
            Lit::Float { value, .. } => (PrimSet::FLOAT, LitValue::Float(*value)),
        };
        let ty = self.fresh_with(span, Needs::OneOf(needs));
        if let Ty::Meta(meta) = ty {
            self.metas.infos[meta].literal = true;
        }
        self.metas.literals.push((span, value, negative, ty.clone()));
        ty
    }

    pub(crate) fn literal_type(&mut self, span: Span, lit: &Lit, negative: bool) -> Ty {
        self.infer_lit(span, lit, negative)
    }

    fn infer_var(&mut self, node: NodeId, name: &QualName) -> Ty {
        let Some(Found { var, fields }) = self.resolve_value(node, name) else { return Ty::Error };
        let mut ty = self.instantiate(node, var, name.span);
        for field in name.quals.iter().chain([&name.name]).skip(name.quals.len() + 1 - fields) {
            ty = self.project(&ty, field, field.span);
        }
        ty
    }

    /// The type of a variable, its type parameters replaced by new unknowns.
    pub(crate) fn instantiate(&mut self, node: NodeId, var: VarId, span: Span) -> Ty {
        if self.program.vars[var].poisoned {
            self.tainted = true;
            return Ty::Error;
        }
        let Some(scheme) = self.scheme(var) else { return Ty::Error };
        if scheme.is_mono() {
            return scheme.ty.clone();
        }
        let mut subst = Subst::new();
        let mut types = Vec::with_capacity(scheme.types.len());
        for param in &scheme.types {
            let ty = match self.metas.shared.get(&param.id) {
                Some(shared) => Ty::Meta(*shared),
                None => self.fresh_with(span, param.needs),
            };
            if param.lifted < Lifted::Lifted && param.needs == Needs::Nothing {
                if let Ty::Meta(meta) = ty {
                    self.metas.infos[meta].lifted = param.lifted;
                }
                self.restrict(&ty, param.lifted, span, Restriction::TypeArgument);
            }
            subst.ty(param.id, ty.clone());
            types.push(ty);
        }
        self.metas.instances.push((node, types));
        subst.apply(&scheme.ty)
    }

    /// The type of an operator.
    pub(crate) fn infer_operator(&mut self, op: &Operator) -> Ty {
        let ty = self.infer_var(op.id, &op.name);
        self.metas.node_types.insert(op.id, ty.clone());
        ty
    }

    fn infer_record(&mut self, fields: &[RecordField]) -> Ty {
        let mut types = Vec::with_capacity(fields.len());
        let mut seen = SmallMap::default();
        for field in fields {
            if let Some(first) = seen.first_span(&field.name) {
                self.report(errors::duplicate_field(&field.name, first));
                continue;
            }
            let ty = match &field.value {
                Some(value) => self.infer(value),
                None => {
                    let name = QualName {
                        quals: Vec::new(),
                        name: field.name.clone(),
                        span: field.name.span,
                    };
                    self.infer_var(field.id, &name)
                }
            };
            self.metas.node_types.insert(field.id, ty.clone());
            types.push((field.name.name.clone(), ty));
        }
        Ty::record(types)
    }

    fn infer_array(&mut self, span: Span, elems: &[Exp]) -> Ty {
        if self.report_comprehension(span, elems) {
            return Ty::Error;
        }
        let elem_ty = match elems.first() {
            Some(first) => self.infer(first),
            None => self.fresh(span),
        };
        for elem in elems.iter().skip(1) {
            self.expect(elem, &elem_ty, Expect::Element(elems[0].span));
        }
        self.restrict(&elem_ty, Lifted::Unlifted, span, Restriction::ArrayElement);
        Ty::array(Size::Any, elem_ty)
    }

    fn infer_local_open(&mut self, module: &QualName, inner: &Exp) -> Ty {
        let mark = self.scope.enter();
        if let Some((found, at)) = self.resolve_module(module) {
            match &*found {
                crate::scope::Module::Struct(env) => self.scope.open(env, at.root, &at.path),
                crate::scope::Module::Functor(_) => {
                    let name = self.quote(module.span);
                    self.report(errors::module_is_parametric(module.span, &name));
                }
            }
        } else {
            self.scope.leave(&mark);
            return Ty::Error;
        }
        let ty = self.infer(inner);
        self.scope.leave(&mark);
        ty
    }

    fn infer_range(&mut self, range: &Range) -> Ty {
        let ty = self.infer(&range.start);
        self.need(range.start.span, &ty, Needs::OneOf(PrimSet::INTEGER), "..");
        for part in range.second.iter().chain([&range.end]) {
            self.expect(part, &ty, Expect::Range(range.start.span));
        }
        Ty::array(Size::Any, ty)
    }

    /// Notes that a type must satisfy the condition of a built-in operator.
    pub(crate) fn need(&mut self, span: Span, ty: &Ty, needs: Needs, op: &'static str) {
        if let Err(clash) = self.satisfy(ty, needs) {
            let found = self.zonk(ty);
            let text = self.show(&found);
            let reason = self.clash_reason(&clash);
            self.report(errors::operand(span, op, &text, &reason));
        }
    }

    /// Notes the instances of type parameters; sizes are added by the second phase.
    pub(crate) fn note_instances(&mut self) {
        for (node, types) in std::mem::take(&mut self.metas.instances) {
            let types = types.iter().map(|ty| self.zonk(ty)).collect();
            self.tables.instances.insert(node, Instance { sizes: Vec::new(), types });
        }
    }
}
