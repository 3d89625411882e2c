//! The unknown types of a binding and what is known of them.

use crate::checker::Checker;
use crate::ty::{Arg, FunTy, Lifted, Meta, Needs, Ty, TypeId};
use ecow::EcoString;
use fehu_base::{IdMap, IdVec, Span};
use fehu_syntax::ast::NodeId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// All unknowns of the binding being inferred, and the questions left for its end.
#[derive(Default)]
pub(crate) struct Metas {
    pub(crate) infos: IdVec<Meta, MetaInfo>,
    /// The types of nodes, with unknowns; finished types go to the tables.
    pub(crate) node_types: IdMap<NodeId, Ty>,
    /// What was chosen for the type parameters of names.
    pub(crate) instances: Vec<(NodeId, Vec<Ty>)>,
    /// The type parameters of local functions that stand for one type in all uses, but for its sizes.
    pub(crate) shared: FxHashMap<TypeId, Meta>,
    /// Types that may not contain functions, or may only be of one size.
    pub(crate) restrictions: Vec<(Ty, Lifted, Span, Restriction)>,
    /// The types that later branches and those before them had when they met, unless both were known.
    pub(crate) branches: FxHashMap<NodeId, (Ty, Ty)>,
    /// Number literals without suffix, with their signs, to be compared with their types' bounds.
    pub(crate) literals: Vec<(Span, LitValue, bool, Ty)>,
}

/// The value of a number literal.
#[derive(Clone, Copy)]
pub(crate) enum LitValue {
    Int(u128),
    Float(f64),
}

/// An unknown type.
#[derive(Clone)]
pub(crate) struct MetaInfo {
    pub(crate) solution: Option<Ty>,
    /// Type parameters bound deeper than this are out of its scope.
    pub(crate) level: u32,
    pub(crate) needs: Needs,
    /// What it may be: less than [`Lifted::Lifted`] if it is, for instance, an array's element.
    pub(crate) lifted: Lifted,
    /// Fields it must have.
    pub(crate) fields: Vec<(EcoString, Ty)>,
    /// Constructors it must have.
    pub(crate) ctors: Vec<(EcoString, Vec<Ty>)>,
    /// The expression or pattern whose type it is.
    pub(crate) span: Span,
    /// Whether a number literal made it.
    pub(crate) literal: bool,
    /// Whether it is the type of an array index, which is i64 if nothing else decides it.
    pub(crate) index: bool,
}

/// Why a type may not contain functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Restriction {
    ArrayElement,
    BranchResult,
    LoopParameter,
    TypeArgument,
}

impl Checker<'_> {
    /// A new unknown type for something at `span`.
    pub(crate) fn fresh(&mut self, span: Span) -> Ty {
        self.fresh_with(span, Needs::Nothing)
    }

    /// A new unknown type with a condition.
    pub(crate) fn fresh_with(&mut self, span: Span, needs: Needs) -> Ty {
        let level = self.level;
        Ty::Meta(self.metas.infos.push(MetaInfo {
            solution: None,
            level,
            needs,
            lifted: Lifted::Lifted,
            fields: Vec::new(),
            ctors: Vec::new(),
            span,
            literal: false,
            index: false,
        }))
    }

    /// The type with a solved unknown at its top replaced, and without `*`.
    pub(crate) fn resolve(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Meta(meta) => match self.metas.infos[*meta].solution.clone() {
                Some(solution) => {
                    let end = self.resolve(&solution);
                    if end != solution {
                        self.metas.infos[*meta].solution = Some(end.clone());
                    }
                    end
                }
                None => ty.clone(),
            },
            Ty::Unique(inner) => self.resolve(inner),
            Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Record(_)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Con(..)
            | Ty::Error => ty.clone(),
        }
    }

    /// The type with all solved unknowns replaced.
    pub(crate) fn zonk(&mut self, ty: &Ty) -> Ty {
        // Most types have no unknowns, and then there is no need for a copy.
        if ty.has_meta() { self.zonk_parts(ty) } else { ty.clone() }
    }

    fn zonk_parts(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Prim(_) | Ty::Error => ty.clone(),
            Ty::Meta(_) => match self.resolve(ty) {
                unsolved @ Ty::Meta(_) => unsolved,
                solved @ (Ty::Prim(_)
                | Ty::Array(..)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Fun(_)
                | Ty::Con(..)
                | Ty::Unique(_)
                | Ty::Error) => self.zonk_parts(&solved),
            },
            Ty::Array(size, elem) => Ty::Array(size.clone(), Arc::new(self.zonk_parts(elem))),
            Ty::Unique(inner) => Ty::Unique(Arc::new(self.zonk_parts(inner))),
            Ty::Record(fields) => {
                Ty::Record(fields.iter().map(|(f, t)| (f.clone(), self.zonk_parts(t))).collect())
            }
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| (c.clone(), ts.iter().map(|t| self.zonk_parts(t)).collect()))
                    .collect(),
            ),
            Ty::Fun(fun) => {
                let param = self.zonk_parts(&fun.param);
                let ret = self.zonk_parts(&fun.ret);
                Ty::Fun(Arc::new(FunTy { param, ret, ..(**fun).clone() }))
            }
            Ty::Con(id, args) => Ty::Con(
                *id,
                args.iter()
                    .map(|arg| match arg {
                        Arg::Size(_) => arg.clone(),
                        Arg::Type(ty) => Arg::Type(self.zonk_parts(ty)),
                    })
                    .collect(),
            ),
        }
    }

    /// Notes that a type may not contain functions, or sizes that differ between values.
    pub(crate) fn restrict(&mut self, ty: &Ty, lifted: Lifted, span: Span, why: Restriction) {
        self.metas.restrictions.push((ty.clone(), lifted, span, why));
    }
}
