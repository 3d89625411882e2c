//! Types of projections, indexing and updates.

use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::ty::{Needs, PrimSet, Size, Ty};
use fehu_base::Span;
use fehu_syntax::ast::{Access, DimIndex, Exp, ExpKind, Ident, Lit, Update};

impl Checker<'_> {
    /// The type of a field. If the record's type is not known yet, it is noted that it must have
    /// this field.
    pub(crate) fn project(&mut self, record: &Ty, field: &Ident, span: Span) -> Ty {
        let record = self.resolve(record);
        match &record {
            Ty::Error => Ty::Error,
            Ty::Meta(meta) => {
                let known = self.metas.infos[*meta].fields.iter().find(|(f, _)| *f == field.name);
                if let Some((_, ty)) = known {
                    return ty.clone();
                }
                let ty = self.fresh(span);
                self.metas.infos[*meta].fields.push((field.name.clone(), ty.clone()));
                ty
            }
            Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Record(_)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Con(..)
            | Ty::Unique(_) => match record.field(&field.name) {
                Some(ty) => ty.clone(),
                None => {
                    let shown = self.zonk(&record);
                    let text = self.show(&shown);
                    let method = self.function_for_method(&record, &field.name);
                    self.report(errors::no_field(field, &text, &shown, method.as_deref()));
                    if method.as_deref() == Some("length") {
                        self.suggest_length(field.span);
                    }
                    Ty::Error
                }
            },
        }
    }

    fn warn_negative_index(&mut self, index: &Exp, whole: Span) {
        let ExpKind::Negate(inner) = &index.kind else { return };
        let ExpKind::Lit(Lit::Int { value, .. }) = &inner.kind else { return };
        if *value > 0 && self.needed.is_none() {
            let text = self.quote(whole);
            let array = text.split('[').next().unwrap_or_default();
            let is_name = array.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            let array = if is_name && !array.is_empty() { array } else { "xs" };
            self.report(errors::foreign::negative_index(index.span, array));
        }
    }

    /// The type of an array indexed or sliced.
    pub(crate) fn index(&mut self, array: &Ty, dims: &[DimIndex], span: Span) -> Ty {
        for dim in dims {
            match dim {
                DimIndex::Fix(index) => {
                    let ty = self.infer(index);
                    self.warn_negative_index(index, span);
                    self.need(index.span, &ty, Needs::OneOf(PrimSet::SIGNED), "index");
                    if let Ty::Meta(meta) = self.resolve(&ty) {
                        self.metas.infos[meta].index = true;
                    }
                }
                DimIndex::Slice { start, end, step, .. } => {
                    for part in [start, end, step].into_iter().flatten() {
                        self.expect(part, &Ty::I64, Expect::Slice);
                    }
                }
            }
        }
        let mut ty = array.clone();
        let mut elems = Vec::with_capacity(dims.len());
        for depth in 0..dims.len() {
            match self.resolve(&ty) {
                Ty::Error => return Ty::Error,
                Ty::Array(_, elem) => ty = (*elem).clone(),
                unknown @ Ty::Meta(_) => {
                    let elem = self.fresh(span);
                    let why = Expect::Indexed;
                    let want = Ty::array(Size::Any, elem.clone());
                    self.unify_or_report(span, &want, &unknown, why);
                    ty = elem;
                }
                Ty::Prim(_)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Fun(_)
                | Ty::Con(..)
                | Ty::Unique(_) => {
                    let found = self.zonk(array);
                    let text = self.show(&found);
                    if found.as_seq().is_some() {
                        self.report(errors::seq_indexed(span, &text));
                        return Ty::Error;
                    }
                    self.report(errors::too_many_indices(span, &text, depth, dims.len()));
                    return Ty::Error;
                }
            }
            elems.push(matches!(dims[depth], DimIndex::Slice { .. }));
        }
        for &sliced in elems.iter().rev() {
            if sliced {
                ty = Ty::array(Size::Any, ty);
            }
        }
        ty
    }

    /// The type of the part of a value that a path leads to.
    pub(crate) fn access(&mut self, base: &Ty, path: &[Access], span: Span) -> Ty {
        path.iter().fold(base.clone(), |ty, step| match step {
            Access::Field(field) => self.project(&ty, field, field.span),
            Access::Index(dims, dims_span) => self.index(&ty, dims, span.to(*dims_span)),
        })
    }

    pub(crate) fn infer_update(&mut self, update: &Update) -> Ty {
        let base = self.infer(&update.base);
        self.update_path(&base, &update.path, &update.value, update.base.span);
        base
    }

    /// Checks that the value fits where the path leads.
    pub(crate) fn update_path(&mut self, base: &Ty, path: &[Access], value: &Exp, span: Span) {
        let part = self.access(base, path, span);
        self.expect(value, &part, Expect::Update);
    }
}
