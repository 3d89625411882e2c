//! Results of functions: the promise of `*`, and that they share nothing with globals.

use super::alias::{Alias, Region, Set};
use super::call::arrow;
use super::state::{Owner, has_function, may_alias};
use super::{Checker, errors};
use crate::ty::Ty;
use fehu_syntax::ast::{Exp, TypeParamKind, ValBind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// Checks a top-level value. Yields what the result shares, and the result type of a function with `*` on
    /// the parts that are fresh, if no type is written, or one that has `*` on some parts.
    pub(super) fn top_level(&mut self, bind: &'a ValBind) -> (Alias, Option<Ty>) {
        for pat in &bind.params {
            self.param(pat);
        }
        bind.ret.iter().for_each(|ret| self.sizes(ret));
        let result = self.exp(&bind.body);
        let result = self.expand_all(result);
        self.still_alive(&result, errors::result_span(&bind.body));
        let sized = bind.type_params.iter().any(|param| param.kind == TypeParamKind::Size);
        let ty = self.ty(bind.body.id);
        if sized || !bind.params.is_empty() {
            self.no_globals(&result, ty, &bind.body);
        } else {
            self.no_globals_in_lambda(&result, ty, &bind.body);
        }
        let written = bind.ret.as_ref().and_then(|ret| self.written(ret));
        self.declared_result(&result, written, &bind.body);
        let marked = written.is_some_and(|ty| matches!(ty, Ty::Record(_)) && ty.has_unique());
        if bind.params.is_empty() || (bind.ret.is_some() && !marked) {
            return (result, None);
        }
        let inferred = self.ty(bind.body.id).map(|ty| self.infer_unique(ty, &result));
        (result, inferred)
    }

    /// Whether functions in the result of a top-level function can be called often: none of them owns an
    /// array that it would consume.
    pub(super) fn is_complete(&self, result: &Alias, bind: &ValBind) -> bool {
        !bind.params.is_empty()
            && self.ty(bind.body.id).is_some_and(has_function)
            && !result.regions().iter().any(|r| self.regions[r].owner == Owner::Closure)
    }

    /// Checks a result against the `*` in its written type: such a part shares nothing with what is
    /// not ours, and nothing with the other parts.
    pub(super) fn declared_result(&mut self, result: &Alias, written: Option<&Ty>, body: &Exp) {
        let Some(written) = written else { return };
        if !written.has_unique() {
            return;
        }
        let mut parts: Vec<(bool, Set)> = Vec::new();
        self.unique_parts(written, result, false, &mut |unique, set| {
            parts.push((unique, set.clone()));
        });
        let mut seen: FxHashMap<Region, bool> = FxHashMap::default();
        for (unique, set) in &parts {
            for region in set.iter() {
                let foreign = self.obstacle(region);
                if *unique && let Some(obstacle) = foreign {
                    self.report_once(region, |this| {
                        errors::return_aliased(this, region, obstacle, body)
                    });
                } else if let Some(other) = seen.insert(region, *unique)
                    && (other || *unique)
                {
                    self.report_once(region, |this| {
                        errors::unique_return_aliased(this, region, body)
                    });
                }
            }
        }
    }

    /// Calls `f` for every part that may share memory, with whether it is marked `*`.
    pub(super) fn unique_parts(
        &self,
        ty: &Ty,
        alias: &Alias,
        unique: bool,
        f: &mut dyn FnMut(bool, &Set),
    ) {
        match ty {
            Ty::Prim(_) | Ty::Error => {}
            Ty::Unique(inner) => self.unique_parts(inner, alias, true, f),
            Ty::Record(fields) => {
                for (name, ty) in fields.iter() {
                    self.unique_parts(ty, &alias.field(name), unique, f);
                }
            }
            Ty::Sum(ctors) => {
                for (name, tys) in ctors.iter() {
                    for (i, ty) in tys.iter().enumerate() {
                        self.unique_parts(ty, &alias.payload(name, i), unique, f);
                    }
                }
            }
            Ty::Fun(_) => f(false, &alias.regions()),
            Ty::Array(..) | Ty::Con(..) | Ty::Meta(_) => f(unique, &alias.regions()),
        }
    }

    /// Callers think that the result of a function shares memory with arguments only, so it must not with
    /// globals.
    fn no_globals(&mut self, result: &Alias, ty: Option<&Ty>, body: &Exp) {
        let found = match (result, ty) {
            (Alias::Record(fields), Some(Ty::Record(_))) => {
                let fields = fields.clone();
                for (name, alias) in fields.iter() {
                    let ty = ty.and_then(|ty| ty.field(name));
                    self.no_globals(alias, ty, body);
                }
                return;
            }
            (Alias::Fun(fun), _) => {
                if ty.is_some_and(|ty| !may_alias(final_result(ty))) {
                    return;
                }
                self.returned(fun)
            }
            (alias, Some(ty @ Ty::Fun(_))) => {
                if !may_alias(final_result(ty)) {
                    return;
                }
                self.returned_or_all(alias, false)
            }
            (alias, _) => alias.regions(),
        };
        self.report_global(&found, body);
    }

    /// A value may share memory with globals. If it is a lambda, that is a function with parameters like any
    /// other. Functions that are made of globals in another way, as in `def g = f table`, copy what they
    /// return: see the lowering.
    fn no_globals_in_lambda(&mut self, result: &Alias, ty: Option<&Ty>, body: &Exp) {
        match result {
            Alias::Record(fields) => {
                for (name, alias) in fields.clone().iter() {
                    let ty = ty.and_then(|ty| ty.field(name));
                    self.no_globals_in_lambda(alias, ty, body);
                }
            }
            Alias::Fun(fun) if ty.is_none_or(|ty| may_alias(final_result(ty))) => {
                let found = self.returned_by_body(fun);
                self.report_global(&found, body);
            }
            Alias::Fun(_) | Alias::Made(_) | Alias::None | Alias::Set(_) | Alias::Sum(_) => {}
        }
    }

    fn report_global(&mut self, found: &Set, body: &Exp) {
        let global = found.iter().find(|&r| self.regions[r].owner == Owner::Global);
        if let Some(region) = global {
            self.report_once(region, |this| errors::alias_free_variable(this, region, body));
        }
    }

    /// The type with `*` on the parts that are fresh.
    fn infer_unique(&self, ty: &Ty, result: &Alias) -> Ty {
        let mut count: FxHashMap<Region, u32> = FxHashMap::default();
        self.unique_parts(ty, result, false, &mut |_, set| {
            set.iter().for_each(|region| *count.entry(region).or_default() += 1);
        });
        self.mark_unique(ty, result, &count)
    }

    fn mark_unique(&self, ty: &Ty, alias: &Alias, count: &FxHashMap<Region, u32>) -> Ty {
        match ty {
            Ty::Record(fields) => Ty::Record(
                fields
                    .iter()
                    .map(|(f, t)| (f.clone(), self.mark_unique(t, &alias.field(f), count)))
                    .collect(),
            ),
            Ty::Array(..) | Ty::Sum(_) | Ty::Con(..) if may_alias(ty) => {
                let fresh = |region| {
                    self.obstacle(region).is_none() && count.get(&region).is_none_or(|&n| n == 1)
                };
                if alias.regions().iter().all(fresh) {
                    Ty::Unique(Arc::new(ty.clone()))
                } else {
                    ty.clone()
                }
            }
            Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Sum(_)
            | Ty::Con(..)
            | Ty::Fun(_)
            | Ty::Meta(_)
            | Ty::Unique(_)
            | Ty::Error => ty.clone(),
        }
    }
}

/// The type with the `*` of `marked`, which has the same shape.
pub(super) fn copy_marks(ty: &Ty, marked: &Ty) -> Ty {
    match (ty, marked) {
        (Ty::Unique(_), _) => ty.clone(),
        (_, Ty::Unique(_)) => Ty::Unique(Arc::new(ty.clone())),
        (Ty::Record(fields), Ty::Record(_)) => Ty::Record(
            fields
                .iter()
                .map(|(f, t)| {
                    (f.clone(), marked.field(f).map_or_else(|| t.clone(), |m| copy_marks(t, m)))
                })
                .collect(),
        ),
        _ => ty.clone(),
    }
}

/// What a function yields when it has all its arguments.
pub(super) fn final_result(ty: &Ty) -> &Ty {
    match arrow(Some(ty)) {
        Some(fun) => final_result(&fun.ret),
        None => match ty {
            // A fresh result shares nothing.
            Ty::Unique(_) => &Ty::BOOL,
            other @ (Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Record(_)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Con(..)
            | Ty::Meta(_)
            | Ty::Error) => other,
        },
    }
}
