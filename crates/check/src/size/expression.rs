//! Sizes of expressions.

use super::{Compared, Origin};
use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::program::{Unknown, VarKind};
use crate::ty::{Arg, FunTy, Lifted, Size, Subst, Ty, TypeId, VarId};
use fehu_base::Span;
use fehu_syntax::ast::{
    Attr, AttrKind, Exp, ExpKind, Lit, NodeId, Operator, QualName, Range, RangeKind, RecordField,
};

impl Checker<'_> {
    /// The type of an expression with its sizes, noted under its node.
    pub(super) fn sized(&mut self, exp: &Exp) -> Ty {
        self.size_metas.current = Some(exp.span);
        let ty = self.sized_kind(exp);
        self.size_metas.node_types.push((exp.id, ty.clone()));
        ty
    }

    /// The type without sizes that the first phase found for a node.
    pub(super) fn shape(&mut self, node: NodeId) -> Ty {
        match self.metas.node_types.get(&node).cloned() {
            Some(ty) => self.zonk(&ty),
            None => Ty::Error,
        }
    }

    fn sized_kind(&mut self, exp: &Exp) -> Ty {
        match &exp.kind {
            ExpKind::Lit(Lit::String(text)) => {
                Ty::array(Size::Const(text.len() as i64), Ty::Prim(fehu_base::Prim::U8))
            }
            ExpKind::Lit(_) => self.shape(exp.id),
            ExpKind::Var(name) => self.sized_name(exp.id, name),
            ExpKind::Hole => {
                let shape = self.shape(exp.id);
                let ty = self.dress(&shape, exp.span, &Origin::Hole, false);
                self.size_metas.holes.push((exp.span, ty.clone()));
                ty
            }
            ExpKind::Paren(inner) => self.sized(inner),
            ExpKind::Attr(attr, inner) => {
                if watches(attr) {
                    self.tables.watched.push(inner.span);
                }
                self.sized(inner)
            }
            ExpKind::LocalOpen(_, inner) => self.sized(inner),
            ExpKind::Tuple(parts) => {
                let parts: Vec<Ty> = parts.iter().map(|p| self.sized(p)).collect();
                Ty::tuple(parts)
            }
            ExpKind::Record(fields) => self.sized_record(fields),
            ExpKind::Array(elems) => self.sized_array(exp, elems),
            ExpKind::Project(inner, field) => {
                let ty = self.sized(inner);
                self.sized_field(&ty, &field.name)
            }
            ExpKind::Index(array, dims) => {
                let ty = self.sized(array);
                self.sized_index(exp.id, &ty, dims)
            }
            ExpKind::Ascribe(inner, te) => {
                self.sized_written(te);
                let want = self.sized_type_exp(te.id, te.span);
                let found = self.sized(inner);
                self.require(inner.span, &want, &found, Expect::Ascription(te.span));
                want.without_unique()
            }
            ExpKind::Coerce(inner, te) => {
                let found = self.sized(inner);
                self.sized_written(te);
                self.coerce(&found, te.id, inner.span)
            }
            ExpKind::Negate(inner) | ExpKind::Not(inner) => self.sized(inner),
            ExpKind::BinOp(bin) => {
                let lhs = self.sized(&bin.lhs);
                let op = self.sized_operator(&bin.op);
                let op_span = bin.op.name.span;
                let partial =
                    self.sized_apply_one(exp.id, &op, op_span, Some(&bin.lhs), &lhs, bin.lhs.span);
                self.warn_comparison(&bin.op, &lhs);
                let rhs = self.sized(&bin.rhs);
                self.sized_apply_one(exp.id, &partial, op_span, Some(&bin.rhs), &rhs, bin.rhs.span)
            }
            ExpKind::Apply(fun, args) => self.sized_apply(exp, fun, args),
            ExpKind::Ctor(name, payload) => {
                let shape = self.shape(exp.id);
                let ty = self.dress(&shape, exp.span, &Origin::Ctor, false);
                let found: Vec<Ty> = payload.iter().map(|p| self.sized(p)).collect();
                if let Ty::Sum(ctors) = &ty
                    && let Some((_, wants)) = ctors.iter().find(|(c, _)| *c == name.name)
                {
                    for ((want, found), arg) in wants.iter().zip(&found).zip(payload) {
                        self.require(arg.span, want, found, Expect::Payload);
                    }
                }
                ty
            }
            ExpKind::Range(range) => self.sized_range(exp, range),
            ExpKind::If(parts) => {
                let [cond, then, other] = &**parts;
                self.sized(cond);
                let then_ty = self.sized_block(exp.id, then);
                let other_ty = self.sized_block(exp.id, other);
                self.join_branches(exp.id, exp.span, other.id, [&then_ty, &other_ty])
            }
            ExpKind::Let(binds, body) => self.sized_let(exp, binds, body),
            ExpKind::Lambda(lambda) => self.sized_lambda(lambda, None),
            ExpKind::Loop(lp) => self.sized_loop(exp, lp),
            ExpKind::Update(update) => {
                let base = self.sized(&update.base);
                self.sized_update(exp.id, &base, &update.path, &update.value)
            }
            ExpKind::Match(scrutinee, cases) => self.sized_match(exp, scrutinee, cases),
            ExpKind::Assert(cond, inner) => {
                self.sized(cond);
                self.sized(inner)
            }
            ExpKind::Section(op) => self.sized_operator(op),
            ExpKind::SectionLeft(lhs, op) => {
                let lhs_ty = self.sized(lhs);
                let op_ty = self.sized_operator(op);
                self.sized_apply_one(exp.id, &op_ty, op.name.span, Some(lhs), &lhs_ty, lhs.span)
            }
            ExpKind::SectionRight(op, rhs) => self.sized_section_right(exp, op, rhs),
            ExpKind::SectionAccess(path) => {
                let shape = self.shape(exp.id);
                let Ty::Fun(fun) = &shape else { return Ty::Error };
                let param = self.dress(&fun.param, exp.span, &Origin::Inferred, false);
                let ret = self.sized_access(exp.id, &param, path);
                let exts = self.tables.unknowns.remove(&exp.id).unwrap_or_default();
                self.make_existential(&exts);
                Ty::Fun(FunTy { name: None, consumes: false, param, exts, ret }.into())
            }
            ExpKind::Error => Ty::Error,
        }
    }

    /// The type after `:>`: its sizes are checked at run time, except that anonymous ones are those
    /// of the value.
    fn coerce(&mut self, found: &Ty, te: NodeId, span: Span) -> Ty {
        let (ty, anonymous) = self.read_type_exp(te);
        let first = self.size_metas.infos.len() as u32;
        let want = self.with_metas(&ty, &anonymous, span).without_unique();
        for (new, old) in super::loops::pair_sizes(&want, found) {
            match new {
                Size::Meta(meta) if meta.0 >= first => _ = self.unify_size(&new, &old),
                Size::Const(_)
                | Size::Var(_)
                | Size::Meta(_)
                | Size::Add(_)
                | Size::Sub(_)
                | Size::Mul(_)
                | Size::Term(_)
                | Size::Any => self.note_coerced(&old, span),
            }
        }
        want
    }

    /// A size that is still unknown when it is coerced to another stays so.
    fn note_coerced(&mut self, size: &Size, span: Span) {
        let mut metas = Vec::new();
        self.zonk_size(size).for_each_meta(&mut |m| metas.push(m));
        for meta in metas {
            let info = &mut self.size_metas.infos[meta];
            if info.origin.rank() <= 1 {
                info.origin = Origin::Coerced;
                info.span = span;
            }
        }
    }

    /// A type expression as the first phase read it.
    pub(super) fn read_type_exp(&self, node: NodeId) -> (Ty, Vec<VarId>) {
        self.tables.type_exps.get(&node).cloned().unwrap_or((Ty::Error, Vec::new()))
    }

    /// A type expression, its anonymous sizes to be found.
    pub(super) fn sized_type_exp(&mut self, node: NodeId, span: Span) -> Ty {
        let (ty, anonymous) = self.read_type_exp(node);
        self.with_metas(&ty, &anonymous, span)
    }

    /// Makes a type usable where another is expected, or reports at the place.
    pub(super) fn require(&mut self, span: Span, want: &Ty, found: &Ty, why: Expect) {
        let mark = self.mark();
        if let Err(clash) = self.unify_sized(want, found) {
            // Shown as far as they got, before that is undone.
            let (want, found) = (self.zonk_sized(want), self.zonk_sized(found));
            let diagnostic = self.size_clash(span, &want, &found, why, &clash);
            self.roll_back(mark);
            self.report(diagnostic);
            return;
        }
        for postponed in &mut self.size_metas.postponed[mark.postponed..] {
            let (want, found) = (want.clone(), found.clone());
            postponed.types = Some(Compared { span, want, found, why });
        }
    }

    fn sized_name(&mut self, node: NodeId, name: &QualName) -> Ty {
        let Some(resolved) = self.tables.names.get(&node) else { return Ty::Error };
        let var = resolved.var;
        let count = name.quals.len() + 1 - resolved.fields;
        let mut parts = name.quals.iter().chain([&name.name]);
        let first = parts.next().map_or("", |part| &part.name);
        let mut ty = if count == 1 {
            self.sized_instance(node, var, first, name.span)
        } else {
            let parts = name.quals.iter().chain([&name.name]);
            let owner: Vec<&str> = parts.take(count).map(|part| part.name.as_str()).collect();
            self.sized_instance(node, var, &owner.join("."), name.span)
        };
        for field in parts.skip(count - 1) {
            ty = self.sized_field(&ty, &field.name);
        }
        ty
    }

    /// The type of a variable at a use, its parameters replaced.
    pub(super) fn sized_instance(
        &mut self,
        node: NodeId,
        var: VarId,
        name: &str,
        span: Span,
    ) -> Ty {
        if self.program.vars[var].poisoned {
            return Ty::Error;
        }
        let Some(scheme) = self.scheme(var) else { return Ty::Error };
        if scheme.is_mono() {
            return scheme.ty.clone();
        }
        let shapes = self.tables.instances.get(&node).map(|i| i.types.clone()).unwrap_or_default();
        let mut subst = Subst::new();
        let mut sizes = Vec::with_capacity(scheme.sizes.len());
        for &param in &scheme.sizes {
            let origin = Origin::SizeParam(param, name.into());
            let size = self.fresh_size(span, origin);
            sizes.push(size.clone());
            subst.var(param, size);
        }
        let mut types = Vec::with_capacity(scheme.types.len());
        for (param, shape) in scheme.types.iter().zip(&shapes) {
            let existential = param.lifted > Lifted::Unlifted;
            let ty = self.dress(shape, span, &Origin::TypeArg(name.into()), existential);
            if existential && occurrences(result_of(&scheme.ty), param.id) > 1 {
                self.mark_repeated(&ty);
            }
            types.push(ty.clone());
            subst.ty(param.id, ty);
        }
        self.size_metas.instances.push((node, sizes, types));
        self.rename_bound(&scheme.ty, &mut subst);
        subst.apply(&scheme.ty)
    }

    fn mark_repeated(&mut self, ty: &Ty) {
        let mut metas = Vec::new();
        ty.for_each_size(&mut |size| size.for_each_meta(&mut |meta| metas.push(meta)));
        for meta in metas {
            self.size_metas.infos[meta].repeated = true;
        }
    }

    /// Comparing whole arrays still works, but should not be relied on.
    fn warn_comparison(&mut self, op: &Operator, operand: &Ty) {
        let name = &op.name.name.name;
        let built_in = self
            .tables
            .names
            .get(&op.id)
            .is_some_and(|found| self.program.vars[found.var].kind == VarKind::Builtin);
        if built_in
            && !self.in_prelude
            && matches!(operand, Ty::Array(..))
            && matches!(name.as_str(), "==" | "!=")
        {
            self.report(errors::array_comparison(op.name.span, name));
        }
    }

    pub(super) fn sized_operator(&mut self, op: &Operator) -> Ty {
        let ty = self.sized_name(op.id, &op.name);
        self.size_metas.node_types.push((op.id, ty.clone()));
        ty
    }

    fn sized_record(&mut self, fields: &[RecordField]) -> Ty {
        let mut types = Vec::with_capacity(fields.len());
        for field in fields {
            let ty = match &field.value {
                Some(value) => self.sized(value),
                None => {
                    let name = QualName {
                        quals: Vec::new(),
                        name: field.name.clone(),
                        span: field.name.span,
                    };
                    self.sized_name(field.id, &name)
                }
            };
            self.size_metas.node_types.push((field.id, ty.clone()));
            types.push((field.name.name.clone(), ty));
        }
        Ty::record(types)
    }

    fn sized_array(&mut self, exp: &Exp, elems: &[Exp]) -> Ty {
        let Some(first) = elems.first() else {
            let shape = self.shape(exp.id);
            let Ty::Array(_, elem) = &shape else { return Ty::Error };
            let elem = self.dress(elem, exp.span, &Origin::EmptyArray, false);
            return Ty::array(Size::Const(0), elem);
        };
        let elem_ty = self.sized(first);
        for elem in &elems[1..] {
            let found = self.sized(elem);
            self.require(elem.span, &elem_ty, &found, Expect::Element(first.span));
        }
        Ty::array(Size::Const(elems.len() as i64), elem_ty)
    }

    fn sized_range(&mut self, exp: &Exp, range: &Range) -> Ty {
        let elem = self.sized(&range.start);
        if let Some(second) = &range.second {
            self.sized(second);
        }
        self.sized(&range.end);
        let size = if matches!(elem, Ty::I64) { self.range_size(range) } else { None };
        let size = size.unwrap_or_else(|| {
            let var = self.unknown_size(exp.span, Unknown::Range);
            self.note_unknowns(exp.id, [var]);
            Size::Var(var)
        });
        Ty::array(size, elem)
    }

    /// The size of the ranges whose size is a term.
    fn range_size(&mut self, range: &Range) -> Option<Size> {
        let start = self.argument_size(&range.start)?;
        let end = self.argument_size(&range.end)?;
        let second = match &range.second {
            Some(second) => Some(self.argument_size(second)?),
            None => None,
        };
        let (zero, one, two) = (Size::Const(0), Size::Const(1), Size::Const(2));
        match (range.kind, second) {
            (RangeKind::UpTo, None) if start == zero => Some(end),
            (RangeKind::UpTo, Some(second)) if start == zero && second == one => Some(end),
            (RangeKind::UpTo, None) => Some(Size::minus(end, start)),
            (RangeKind::Inclusive, None) => Some(Size::plus(Size::minus(end, start), one)),
            (RangeKind::Inclusive, Some(second)) if start == one && second == two => Some(end),
            (RangeKind::UpTo | RangeKind::Inclusive | RangeKind::DownTo, _) => None,
        }
    }

    /// The type of a branch, in a scope of its own.
    pub(super) fn sized_block(&mut self, node: NodeId, exp: &Exp) -> Ty {
        let outer = self.level;
        self.level += 1;
        let ty = self.sized(exp);
        self.level = outer;
        self.close(&ty, outer, node, exp.span, Unknown::Branches)
    }
}

/// What a function yields when it has all its arguments.
fn result_of(ty: &Ty) -> &Ty {
    match ty {
        Ty::Fun(fun) => result_of(&fun.ret),
        other @ (Ty::Prim(_)
        | Ty::Array(..)
        | Ty::Record(_)
        | Ty::Sum(_)
        | Ty::Con(..)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error) => other,
    }
}

/// How often a nominal type is in a type.
fn occurrences(ty: &Ty, id: TypeId) -> usize {
    match ty {
        Ty::Prim(_) | Ty::Meta(_) | Ty::Error => 0,
        Ty::Array(_, elem) | Ty::Unique(elem) => occurrences(elem, id),
        Ty::Record(fields) => fields.iter().map(|(_, t)| occurrences(t, id)).sum(),
        Ty::Sum(ctors) => ctors.iter().flat_map(|(_, ts)| ts).map(|t| occurrences(t, id)).sum(),
        Ty::Fun(fun) => occurrences(&fun.param, id) + occurrences(&fun.ret, id),
        Ty::Con(other, args) => {
            let inner: usize = args
                .iter()
                .map(|arg| match arg {
                    Arg::Size(_) => 0,
                    Arg::Type(ty) => occurrences(ty, id),
                })
                .sum();
            inner + usize::from(*other == id)
        }
    }
}

/// Whether an attribute is `warn(safety_checks)`.
fn watches(attr: &Attr) -> bool {
    let AttrKind::Call(name, args) = &attr.kind else { return false };
    let names = |arg: &Attr| matches!(&arg.kind, AttrKind::Name(name) if name == "safety_checks");
    name == "warn" && args.iter().any(names)
}
