//! Sizes and types with what is known of the unknowns in them.

use super::unify::INSIDE;
use crate::checker::Checker;
use crate::program::VarKind;
use crate::ty::{Arg, FunTy, Size, Ty};

impl Checker<'_> {
    /// The size with a solved unknown at its top replaced.
    pub(crate) fn resolve_size(&self, size: &Size) -> Size {
        match size {
            Size::Meta(meta) => match &self.size_metas.infos[*meta].solution {
                Some(solution) => self.resolve_size(solution),
                None => size.clone(),
            },
            Size::Var(var) => match &self.program.vars[*var] {
                info if info.level == INSIDE => match &info.def {
                    Some(def) => self.resolve_size(def),
                    None => size.clone(),
                },
                info if info.kind == VarKind::SizeParam => match &info.def {
                    Some(def) => self.resolve_size(def),
                    None => size.clone(),
                },
                _ => size.clone(),
            },
            Size::Const(_)
            | Size::Add(_)
            | Size::Sub(_)
            | Size::Mul(_)
            | Size::Term(_)
            | Size::Any => size.clone(),
        }
    }

    /// The size with all solved unknowns replaced.
    pub(crate) fn zonk_size(&self, size: &Size) -> Size {
        if self.is_settled_size(size) { size.clone() } else { self.zonk_parts_size(size) }
    }

    fn zonk_parts_size(&self, size: &Size) -> Size {
        let both = |ab: &[Size; 2]| [self.zonk_parts_size(&ab[0]), self.zonk_parts_size(&ab[1])];
        match size {
            Size::Const(_) | Size::Any => size.clone(),
            Size::Var(_) | Size::Meta(_) => {
                let resolved = self.resolve_size(size);
                if resolved == *size { resolved } else { self.zonk_parts_size(&resolved) }
            }
            Size::Add(ab) => Size::Add(both(ab).into()),
            Size::Sub(ab) => Size::Sub(both(ab).into()),
            Size::Mul(ab) => Size::Mul(both(ab).into()),
            Size::Term(term) => Size::term(
                term.head.clone(),
                term.args.iter().map(|arg| self.zonk_parts_size(arg)).collect(),
            ),
        }
    }

    /// The type with all solved unknowns replaced.
    pub(crate) fn zonk_sized(&self, ty: &Ty) -> Ty {
        // Most types are finished, and then there is no need for a copy.
        if self.is_settled(ty) { ty.clone() } else { self.zonk_parts_sized(ty) }
    }

    /// Whether a type has no solved unknowns.
    fn is_settled(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Prim(_) | Ty::Error => true,
            Ty::Meta(meta) => self.size_metas.types[*meta].solution.is_none(),
            Ty::Array(size, elem) => self.is_settled_size(size) && self.is_settled(elem),
            Ty::Unique(inner) => self.is_settled(inner),
            Ty::Record(fields) => fields.iter().all(|(_, t)| self.is_settled(t)),
            Ty::Sum(ctors) => ctors.iter().all(|(_, ts)| ts.iter().all(|t| self.is_settled(t))),
            Ty::Fun(fun) => self.is_settled(&fun.param) && self.is_settled(&fun.ret),
            Ty::Con(_, args) => args.iter().all(|arg| match arg {
                Arg::Size(size) => self.is_settled_size(size),
                Arg::Type(ty) => self.is_settled(ty),
            }),
        }
    }

    fn is_settled_size(&self, size: &Size) -> bool {
        match size {
            Size::Const(_) | Size::Any => true,
            Size::Var(_) | Size::Meta(_) => self.resolve_size(size) == *size,
            Size::Add(ab) | Size::Sub(ab) | Size::Mul(ab) => {
                ab.iter().all(|size| self.is_settled_size(size))
            }
            Size::Term(term) => term.args.iter().all(|size| self.is_settled_size(size)),
        }
    }

    fn zonk_parts_sized(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Meta(meta) => match &self.size_metas.types[*meta].solution {
                Some(solution) => self.zonk_parts_sized(solution),
                None => ty.clone(),
            },
            Ty::Prim(_) | Ty::Error => ty.clone(),
            Ty::Array(size, elem) => Ty::array(self.zonk_size(size), self.zonk_parts_sized(elem)),
            Ty::Unique(inner) => Ty::Unique(self.zonk_parts_sized(inner).into()),
            Ty::Record(fields) => Ty::Record(
                fields.iter().map(|(f, t)| (f.clone(), self.zonk_parts_sized(t))).collect(),
            ),
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| {
                        (c.clone(), ts.iter().map(|t| self.zonk_parts_sized(t)).collect())
                    })
                    .collect(),
            ),
            Ty::Fun(fun) => Ty::Fun(
                FunTy {
                    name: fun.name,
                    consumes: fun.consumes,
                    param: self.zonk_parts_sized(&fun.param),
                    exts: fun.exts.clone(),
                    ret: self.zonk_parts_sized(&fun.ret),
                }
                .into(),
            ),
            Ty::Con(id, args) => Ty::Con(
                *id,
                args.iter()
                    .map(|arg| match arg {
                        Arg::Size(size) => Arg::Size(self.zonk_size(size)),
                        Arg::Type(ty) => Arg::Type(self.zonk_parts_sized(ty)),
                    })
                    .collect(),
            ),
        }
    }
}
