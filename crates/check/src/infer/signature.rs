//! The types of values that are believed: read off their declarations, without their bodies.
//!
//! This is for the prelude; see [`crate::Depth`].

use crate::checker::Checker;
use crate::infer::Metas;
use crate::program::VarKind;
use crate::ty::{FunTy, Ty, VarId};
use fehu_syntax::ast::{Dec, Pat, PatKind, TypeExp, ValBind};
use std::sync::Arc;

/// A parameter whose type is written down.
struct Param {
    name: Option<VarId>,
    consumes: bool,
    ty: Ty,
}

impl Checker<'_> {
    /// The variable of a value with the type that is declared for it; `None` if anything about the
    /// type is left to inference.
    pub(crate) fn believed_value(&mut self, dec: &Dec, bind: &ValBind) -> Option<VarId> {
        let ret = bind.ret.as_ref()?;
        let mut typed = Vec::with_capacity(bind.params.len());
        for pat in &bind.params {
            typed.push(annotated(pat)?);
        }
        self.metas = Metas::default();
        self.size_metas = Default::default();
        let mark = self.scope.enter();
        self.level = 1;
        let explicit = self.bind_type_params(&bind.type_params);
        let ty = self.declared_type(&typed, ret);
        self.level = 0;
        self.scope.leave(&mark);
        self.finish_type_metas();
        let scheme = self.scheme_of(&explicit, ty?);

        let (name, span) = (bind.name.name.clone(), bind.name.span);
        let var = self.new_var(name, Some(span), VarKind::Global, None);
        self.tables.binders.insert(dec.id, var);
        self.set_scheme(var, scheme);
        Some(var)
    }

    fn declared_type(&mut self, params: &[(&Pat, &TypeExp)], ret: &TypeExp) -> Option<Ty> {
        let mut types = Vec::with_capacity(params.len());
        for (pat, te) in params {
            let (ty, anonymous) = self.type_exp(te);
            if !anonymous.is_empty() {
                return None;
            }
            let (consumes, ty) = (ty.has_unique(), ty.without_unique());
            let name = match &pat.kind {
                PatKind::Var(name) => Some(self.bind(pat.id, name, VarKind::Param, ty.clone())),
                PatKind::Wildcard
                | PatKind::Lit(_)
                | PatKind::Paren(_)
                | PatKind::Tuple(_)
                | PatKind::Record(_)
                | PatKind::Ctor(..)
                | PatKind::Ascribe(..)
                | PatKind::Attr(..)
                | PatKind::Error => None,
            };
            types.push(Param { name, consumes, ty });
        }
        let (mut ty, mut exts) = self.type_exp(ret);
        if params.is_empty() && !exts.is_empty() {
            return None;
        }
        for &ext in &exts {
            if self.program.vars[ext].kind == VarKind::Anonymous {
                self.program.vars[ext].kind = VarKind::Ext;
                self.program.vars[ext].name = self.size_metas.next_name("k");
            }
        }
        for Param { name, consumes, ty: param } in types.into_iter().rev() {
            let name = name.filter(|&name| crate::size::mentions(&ty, name));
            let exts = std::mem::take(&mut exts);
            ty = Ty::Fun(Arc::new(FunTy { name, consumes, param, exts, ret: ty }));
        }
        Some(ty)
    }
}

/// The pattern and the type of a parameter `(x: t)` or `(_: t)`.
fn annotated(pat: &Pat) -> Option<(&Pat, &TypeExp)> {
    match &pat.kind {
        PatKind::Paren(inner) | PatKind::Attr(_, inner) => annotated(inner),
        PatKind::Ascribe(inner, te) => {
            let simple = matches!(inner.kind, PatKind::Var(_) | PatKind::Wildcard);
            simple.then_some((&**inner, te))
        }
        PatKind::Var(_)
        | PatKind::Wildcard
        | PatKind::Lit(_)
        | PatKind::Tuple(_)
        | PatKind::Record(_)
        | PatKind::Ctor(..)
        | PatKind::Error => None,
    }
}
