//! Types of patterns, and the variables they bind.

use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::program::VarKind;
use crate::ty::{SmallMap, Ty};
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{Ident, NodeId, Pat, PatKind, TypeParam, TypeParamKind};

impl Checker<'_> {
    /// The type of a pattern; its variables come into scope.
    pub(crate) fn infer_pat(&mut self, pat: &Pat, kind: VarKind) -> Ty {
        self.infer_pat_with(pat, kind, &[])
    }

    /// As [`Self::infer_pat`], with sizes that are bound together with the pattern.
    pub(crate) fn infer_pat_with(&mut self, pat: &Pat, kind: VarKind, sizes: &[TypeParam]) -> Ty {
        let mut bound = size_names(sizes);
        self.pattern(pat, kind, &mut bound)
    }

    /// The types of several patterns whose variables must differ.
    pub(crate) fn infer_pats(
        &mut self,
        pats: &[Pat],
        kind: VarKind,
        sizes: &[TypeParam],
    ) -> Vec<Ty> {
        let mut bound = size_names(sizes);
        pats.iter().map(|pat| self.pattern(pat, kind, &mut bound)).collect()
    }

    fn pattern(&mut self, pat: &Pat, kind: VarKind, bound: &mut Vec<(EcoString, Span)>) -> Ty {
        let ty = self.pattern_kind(pat, kind, bound);
        self.metas.node_types.insert(pat.id, ty.clone());
        ty
    }

    fn pattern_kind(&mut self, pat: &Pat, kind: VarKind, bound: &mut Vec<(EcoString, Span)>) -> Ty {
        match &pat.kind {
            PatKind::Var(ident) => self.pattern_var(pat.id, ident, kind, bound),
            PatKind::Wildcard => self.fresh(pat.span),
            PatKind::Lit(lit) => self.literal_type(pat.span, &lit.lit, lit.negative),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => self.pattern(inner, kind, bound),
            PatKind::Tuple(parts) => {
                let parts: Vec<Ty> = parts.iter().map(|p| self.pattern(p, kind, bound)).collect();
                Ty::tuple(parts)
            }
            PatKind::Record(fields) => {
                let mut types = Vec::with_capacity(fields.len());
                let mut seen = SmallMap::default();
                for field in fields {
                    if let Some(first) = seen.first_span(&field.name) {
                        self.report(errors::duplicate_field(&field.name, first));
                        continue;
                    }
                    let ty = match &field.pat {
                        Some(pat) => self.pattern(pat, kind, bound),
                        None => self.pattern_var(field.id, &field.name, kind, bound),
                    };
                    self.metas.node_types.insert(field.id, ty.clone());
                    types.push((field.name.name.clone(), ty));
                }
                Ty::record(types)
            }
            PatKind::Ctor(name, payload) => {
                let payload: Vec<Ty> =
                    payload.iter().map(|p| self.pattern(p, kind, bound)).collect();
                let ty = self.fresh(pat.span);
                if let Ty::Meta(meta) = ty {
                    self.metas.infos[meta].ctors.push((name.name.clone(), payload));
                }
                ty
            }
            PatKind::Ascribe(inner, ty) => {
                let (want, _) = self.type_exp(ty);
                let want = want.without_unique();
                let found = self.pattern(inner, kind, bound);
                self.unify_or_report(inner.span, &want, &found, Expect::Pattern);
                want
            }
            PatKind::Error => {
                self.tainted = true;
                Ty::Error
            }
        }
    }

    fn pattern_var(
        &mut self,
        node: NodeId,
        ident: &Ident,
        kind: VarKind,
        bound: &mut Vec<(EcoString, Span)>,
    ) -> Ty {
        if let Some((_, first)) = bound.iter().find(|(name, _)| *name == ident.name) {
            self.report(errors::also_bound(ident, *first));
        }
        bound.push((ident.name.clone(), ident.span));
        let ty = self.fresh(ident.span);
        self.bind(node, ident, kind, ty.clone());
        ty
    }
}

/// The names of size parameters, which patterns beside them may not bind.
fn size_names(params: &[TypeParam]) -> Vec<(EcoString, Span)> {
    params
        .iter()
        .filter(|param| param.kind == TypeParamKind::Size)
        .map(|param| (param.name.name.clone(), param.name.span))
        .collect()
}
