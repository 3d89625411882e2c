//! Sizes of patterns.

use crate::checker::Checker;
use crate::errors::Expect;
use crate::ty::{Scheme, Ty, VarId};
use fehu_syntax::ast::{NodeId, Pat, PatKind};

impl Checker<'_> {
    /// Gives a pattern's variables their types, for a value of this type.
    pub(super) fn sized_pat(&mut self, pat: &Pat, ty: &Ty, why: Expect) {
        self.size_metas.node_types.push((pat.id, ty.clone()));
        match &pat.kind {
            PatKind::Var(_) => self.bind_sized(pat.id, ty),
            PatKind::Wildcard | PatKind::Lit(_) | PatKind::Error => {}
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => self.sized_pat(inner, ty, why),
            PatKind::Tuple(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    let part_ty = ty.field(&crate::ty::tuple_field(i)).cloned();
                    self.sized_pat(part, &part_ty.unwrap_or(Ty::Error), why);
                }
            }
            PatKind::Record(fields) => {
                for field in fields {
                    let field_ty = ty.field(&field.name.name).cloned().unwrap_or(Ty::Error);
                    self.size_metas.node_types.push((field.id, field_ty.clone()));
                    match &field.pat {
                        Some(pat) => self.sized_pat(pat, &field_ty, why),
                        None => self.bind_sized(field.id, &field_ty),
                    }
                }
            }
            PatKind::Ctor(name, payload) => {
                let types: Vec<Ty> = match ty {
                    Ty::Sum(ctors) => ctors
                        .iter()
                        .find(|(c, _)| *c == name.name)
                        .map(|(_, ts)| ts.clone())
                        .unwrap_or_default(),
                    Ty::Prim(_)
                    | Ty::Array(..)
                    | Ty::Record(_)
                    | Ty::Fun(_)
                    | Ty::Con(..)
                    | Ty::Meta(_)
                    | Ty::Unique(_)
                    | Ty::Error => Vec::new(),
                };
                for (i, part) in payload.iter().enumerate() {
                    let part_ty = types.get(i).cloned().unwrap_or(Ty::Error);
                    self.sized_pat(part, &part_ty, why);
                }
            }
            PatKind::Ascribe(inner, te) => {
                self.sized_written(te);
                let want = self.sized_type_exp(te.id, te.span).without_unique();
                self.require(inner.span, &want, ty, why);
                self.sized_pat(inner, &want, why);
            }
        }
    }

    fn bind_sized(&mut self, node: NodeId, ty: &Ty) {
        if let Some(&var) = self.tables.binders.get(&node) {
            self.program.vars[var].level = self.level;
            self.set_scheme(var, Scheme::mono(ty.clone()));
        }
    }

    /// The variable that a whole pattern binds, if it binds one.
    pub(super) fn pat_var(&self, pat: &Pat) -> Option<VarId> {
        match &pat.kind {
            PatKind::Var(_) => self.tables.binders.get(&pat.id).copied(),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) | PatKind::Ascribe(inner, _) => {
                self.pat_var(inner)
            }
            PatKind::Wildcard
            | PatKind::Lit(_)
            | PatKind::Tuple(_)
            | PatKind::Record(_)
            | PatKind::Ctor(..)
            | PatKind::Error => None,
        }
    }
}
