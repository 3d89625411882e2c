//! Types of the first phase with new unknowns for their sizes.

use super::{Origin, TypeMetaInfo};
use crate::checker::Checker;
use crate::ty::{Arg, FunTy, Size, Ty, VarId};
use fehu_base::Span;
use std::sync::Arc;

impl Checker<'_> {
    /// The type with every size replaced by a new unknown. A type that contains functions is itself
    /// an unknown, to be solved as a whole, since a function type can also say how sizes depend on
    /// arguments.
    pub(crate) fn dress(
        &mut self,
        shape: &Ty,
        span: Span,
        origin: &Origin,
        existential: bool,
    ) -> Ty {
        if has_function(shape) {
            return self.dress_parts(shape, span, origin, existential);
        }
        shape.map_sizes(&mut |_| {
            let size = self.fresh_size(span, origin.clone());
            if let Size::Meta(meta) = size {
                self.size_metas.infos[meta].existential = existential;
            }
            size
        })
    }

    fn dress_parts(&mut self, shape: &Ty, span: Span, origin: &Origin, existential: bool) -> Ty {
        match shape {
            Ty::Fun(_) => {
                let level = self.level;
                let shape = shape.clone();
                let info = TypeMetaInfo { solution: None, level, existential, span, shape };
                Ty::Meta(self.size_metas.types.push(info))
            }
            Ty::Record(fields) => Ty::Record(
                fields
                    .iter()
                    .map(|(f, t)| (f.clone(), self.dress(t, span, origin, existential)))
                    .collect(),
            ),
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| {
                        let ts = ts.iter().map(|t| self.dress(t, span, origin, existential));
                        (c.clone(), ts.collect())
                    })
                    .collect(),
            ),
            Ty::Unique(inner) => self.dress(inner, span, origin, existential),
            Ty::Con(id, args) => Ty::Con(
                *id,
                args.iter()
                    .map(|arg| match arg {
                        Arg::Size(_) => Arg::Size(self.fresh_size(span, origin.clone())),
                        Arg::Type(ty) => Arg::Type(self.dress(ty, span, origin, existential)),
                    })
                    .collect(),
            ),
            // Arrays of functions were refused by the first phase.
            Ty::Array(..) | Ty::Prim(_) | Ty::Meta(_) | Ty::Error => shape.clone(),
        }
    }

    /// The type with an unknown at its top made a function type, if it is one.
    pub(super) fn force(&mut self, ty: &Ty) -> Ty {
        let Ty::Meta(meta) = ty else { return ty.clone() };
        let info = &self.size_metas.types[*meta];
        if let Some(solution) = info.solution.clone() {
            return self.force(&solution);
        }
        let (shape, span, existential, level) =
            (info.shape.clone(), info.span, info.existential, info.level);
        let Ty::Fun(fun) = &shape else { return Ty::Error };
        let here = std::mem::replace(&mut self.level, level);
        let forced = Ty::Fun(Arc::new(FunTy {
            name: None,
            consumes: fun.consumes,
            param: self.dress(&fun.param, span, &Origin::Inferred, existential),
            exts: Vec::new(),
            ret: self.dress_result(&fun.ret, span, existential),
        }));
        self.level = here;
        self.size_metas.types[*meta].solution = Some(forced.clone());
        forced
    }

    fn dress_result(&mut self, shape: &Ty, span: Span, existential: bool) -> Ty {
        let dressed = self.dress(shape, span, &Origin::Inferred, existential);
        keep_unique(shape, dressed)
    }

    /// A type expression with its anonymous sizes as new unknowns.
    pub(super) fn with_metas(&mut self, ty: &Ty, anonymous: &[VarId], span: Span) -> Ty {
        self.replace_vars(ty, anonymous, |this| this.fresh_size(span, Origin::Inferred))
    }

    /// The type with each of the variables replaced by a new size.
    pub(super) fn replace_vars(
        &mut self,
        ty: &Ty,
        vars: &[VarId],
        mut new: impl FnMut(&mut Self) -> Size,
    ) -> Ty {
        if vars.is_empty() {
            return ty.clone();
        }
        let mut subst = crate::ty::Subst::new();
        for &var in vars {
            let size = new(self);
            subst.var(var, size);
        }
        subst.apply(ty)
    }
}

/// The dressed type with `*` where the shape has it.
fn keep_unique(shape: &Ty, dressed: Ty) -> Ty {
    match (shape, dressed) {
        (Ty::Unique(_), unique @ Ty::Unique(_)) => unique,
        (Ty::Unique(_), dressed) => Ty::Unique(Arc::new(dressed)),
        (Ty::Record(fs), Ty::Record(gs)) => Ty::Record(
            fs.iter()
                .zip(gs.iter())
                .map(|(f, g)| (f.0.clone(), keep_unique(&f.1, g.1.clone())))
                .collect(),
        ),
        (_, dressed) => dressed,
    }
}

/// Whether the type contains a function.
pub(super) fn has_function(ty: &Ty) -> bool {
    match ty {
        Ty::Fun(_) => true,
        Ty::Prim(_) | Ty::Meta(_) | Ty::Error => false,
        Ty::Array(_, elem) | Ty::Unique(elem) => has_function(elem),
        Ty::Record(fields) => fields.iter().any(|(_, t)| has_function(t)),
        Ty::Sum(ctors) => ctors.iter().any(|(_, ts)| ts.iter().any(has_function)),
        Ty::Con(_, args) => args.iter().any(|arg| matches!(arg, Arg::Type(ty) if has_function(ty))),
    }
}

impl Checker<'_> {
    /// A type argument for comparing a value with its spec.
    pub(crate) fn dress_for_match(&mut self, shape: &Ty, span: Span, existential: bool) -> Ty {
        self.dress(shape, span, &Origin::Inferred, existential)
    }

    /// New unknowns for size parameters.
    pub(crate) fn sizes_for_params(
        &mut self,
        params: &[VarId],
        span: Span,
        subst: &mut crate::ty::Subst,
    ) {
        for &param in params {
            let size = self.fresh_size(span, Origin::Inferred);
            subst.var(param, size);
        }
    }

    /// The type with new unknowns for variables.
    pub(crate) fn sizes_for_vars(&mut self, ty: &Ty, vars: &[VarId], span: Span) -> Ty {
        self.with_metas(ty, vars, span)
    }
}
