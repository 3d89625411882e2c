//! What the result of an application shares.
//!
//! If the body of the function is known, that is what the body shares, with the arguments in place of
//! the parameters. Otherwise the type tells: a part without `*` may share whatever was not consumed.

use super::Checker;
use super::alias::{Alias, FunAlias, Region, Set};
use super::call::arrow;
use super::result::final_result;
use super::state::{Owner, has_function, may_alias};
use crate::ty::Ty;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What remains to be known of an argument when the result is computed.
pub(super) struct Passed {
    /// Its value.
    pub(super) alias: Alias,
    /// Whether it was consumed.
    pub(super) consumed: bool,
}

impl<'a> Checker<'a> {
    /// What the result of a call shares. The body of the function runs after `missing` arguments, if that
    /// is known.
    pub(super) fn result(
        &mut self,
        function: &Alias,
        ty: Option<&'a Ty>,
        args: &[Passed],
        missing: Option<usize>,
    ) -> Alias {
        if let Alias::Fun(fun) = function {
            let missing = fun.summary.params.len().saturating_sub(fun.bound.len());
            if args.len() < missing {
                return self.partial(fun, args);
            }
            let (now, later) = args.split_at(missing);
            let result = self.instantiate(fun, now);
            if later.is_empty() {
                return result;
            }
            let mut rest = ty;
            for _ in now {
                rest = arrow(rest).map(|fun| &fun.ret);
            }
            return self.result(&result, rest, later, None);
        }
        let mut ret = ty;
        // What a function has captured that returns no array, such as a predicate, stays there.
        let mut giving = Vec::new();
        for arg in args {
            let fun = arrow(ret);
            let keeps = |ty: &Ty| arrow(Some(ty)).is_some() && !may_alias(final_result(ty));
            if !fun.is_some_and(|fun| keeps(&fun.param)) {
                giving.push(arg);
            }
            ret = fun.map(|fun| &fun.ret);
        }
        match ret {
            Some(ret) if !may_alias(ret) => Alias::None,
            Some(ret) => {
                let base = self.base(function, giving, false);
                let mut base = self.derive(base);
                let mut captured = self.base(function, args, true);
                if has_function(ret) {
                    let missing = missing.filter(|&missing| missing <= args.len()).unwrap_or(0);
                    let (done, open) = args.split_at(missing);
                    if open.iter().any(|arg| arg.consumed) {
                        // The function that comes back may consume the argument when it is called.
                        captured = captured.union(&Set::one(self.region(Owner::Closure)));
                    }
                    if done.iter().any(|arg| arg.consumed) {
                        // It may have kept the argument, and return it from each call.
                        let kept = Set::one(self.region(Owner::Here));
                        captured = captured.union(&kept);
                        base = base.union(&kept);
                    }
                }
                let mut shared = None;
                self.typed_result(ret, &base, &captured, &mut shared)
            }
            // An error was reported before; whatever this is, it shares what the arguments share.
            None => Alias::set(self.base(function, args, true)),
        }
    }

    /// A known function with some of its arguments.
    fn partial(&mut self, fun: &FunAlias, args: &[Passed]) -> Alias {
        let mut fun = fun.clone();
        for arg in args {
            let alias = if arg.consumed {
                Alias::Set(Set::one(self.region(Owner::Closure)))
            } else {
                arg.alias.clone()
            };
            fun.bound.push(alias);
        }
        Alias::Fun(Rc::new(fun))
    }

    /// The result of a known function: its own regions become new ones, its parameters' regions
    /// become the arguments'.
    fn instantiate(&mut self, fun: &FunAlias, args: &[Passed]) -> Alias {
        let summary = &fun.summary;
        let mut map: FxHashMap<Region, Alias> = FxHashMap::default();
        let given = fun.bound.iter().chain(args.iter().map(|arg| &arg.alias));
        for ((param, arg), consumed) in summary.params.iter().zip(given).zip(&summary.consumes) {
            if !consumed {
                pair(param, arg, &mut map);
            }
        }
        self.substitute(&summary.result, (summary.start, summary.end), &mut map)
    }

    fn substitute(
        &mut self,
        alias: &Alias,
        own: (Region, Region),
        map: &mut FxHashMap<Region, Alias>,
    ) -> Alias {
        match alias {
            Alias::None => Alias::None,
            Alias::Set(set) => self.substitute_set(set, own, map),
            Alias::Record(fields) => Alias::Record(
                fields.iter().map(|(f, a)| (f.clone(), self.substitute(a, own, map))).collect(),
            ),
            Alias::Sum(ctors) => Alias::Sum(
                ctors
                    .iter()
                    .map(|(c, parts)| {
                        let parts = parts.iter().map(|a| self.substitute(a, own, map)).collect();
                        (c.clone(), parts)
                    })
                    .collect(),
            ),
            Alias::Fun(_) | Alias::Made(_) => {
                let captures = self.substitute_set(&alias.regions(), own, map).regions();
                let returns = self.returned_or_all(alias, false);
                Alias::made(captures, self.substitute_set(&returns, own, map).regions())
            }
        }
    }

    /// What stands for these regions. A parameter of polymorphic type has one region, and gets back
    /// the whole shape of the argument.
    fn substitute_set(
        &mut self,
        set: &Set,
        (start, end): (Region, Region),
        map: &mut FxHashMap<Region, Alias>,
    ) -> Alias {
        let mut free = Vec::new();
        let mut result = Alias::None;
        for region in set.iter() {
            let owner = self.regions[region].owner;
            if region < start || region >= end || owner == Owner::Global {
                free.push(region);
                continue;
            }
            let owner = if owner == Owner::Closure { owner } else { Owner::Here };
            let new = map.entry(region).or_insert_with(|| Alias::Set(Set::one(self.region(owner))));
            result = result.join(new);
        }
        if free.is_empty() { result } else { result.join(&Alias::Set(Set::of(free))) }
    }

    /// What a result may share by its type: everything that was not consumed.
    fn base<'p>(
        &self,
        function: &Alias,
        args: impl IntoIterator<Item = &'p Passed>,
        functions: bool,
    ) -> Set {
        let mut set = self.returned_or_all(function, functions);
        for arg in args.into_iter().filter(|arg| !arg.consumed) {
            set = set.union(&self.returned_or_all(&arg.alias, functions));
        }
        if set.iter().any(|r| self.regions[r].owner == Owner::Closure) {
            Set::of(set.iter().filter(|&r| self.regions[r].owner != Owner::Closure).collect())
        } else {
            set
        }
    }

    /// All regions of a value; of functions in it only those that they can return, unless
    /// `functions` is set because the functions themselves may be in the result.
    pub(super) fn returned_or_all(&self, alias: &Alias, functions: bool) -> Set {
        if functions {
            return alias.regions();
        }
        match alias {
            Alias::None => Set::of(Vec::new()),
            Alias::Set(set) => set.clone(),
            Alias::Record(fields) => Set::of(
                fields
                    .iter()
                    .flat_map(|(_, a)| self.returned_or_all(a, false).iter().collect::<Vec<_>>())
                    .collect(),
            ),
            Alias::Sum(_) => alias.regions(),
            Alias::Fun(fun) => self.returned(fun),
            Alias::Made(made) => made.returns.clone(),
        }
    }

    /// The regions of its surroundings that a known function can return.
    pub(super) fn returned(&self, fun: &FunAlias) -> Set {
        let mut all: Vec<Region> = self.returned_by_body(fun).iter().collect();
        fun.bound.iter().for_each(|alias| all.extend(alias.regions().iter()));
        Set::of(all)
    }

    /// As [`Self::returned`], without what the function was given.
    pub(super) fn returned_by_body(&self, fun: &FunAlias) -> Set {
        let summary = &fun.summary;
        let all: Vec<Region> = match &summary.result {
            Alias::Fun(inner) => self.returned(inner),
            Alias::Made(made) => made.returns.clone(),
            other @ (Alias::None | Alias::Set(_) | Alias::Record(_) | Alias::Sum(_)) => {
                other.regions()
            }
        }
        .iter()
        .filter(|&r| {
            r < summary.start || r >= summary.end || self.regions[r].owner == Owner::Global
        })
        .collect();
        Set::of(all)
    }

    fn typed_result(
        &mut self,
        ty: &Ty,
        base: &Set,
        captured: &Set,
        shared: &mut Option<Region>,
    ) -> Alias {
        match ty {
            Ty::Prim(_) | Ty::Error => Alias::None,
            Ty::Unique(inner) => match &**inner {
                Ty::Fun(_) => self.typed_result(inner, base, captured, shared),
                inner @ (Ty::Prim(_)
                | Ty::Array(..)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Con(..)
                | Ty::Meta(_)
                | Ty::Unique(_)
                | Ty::Error) => self.fresh(inner, Owner::Here),
            },
            Ty::Record(fields) => Alias::Record(
                fields
                    .iter()
                    .map(|(f, t)| (f.clone(), self.typed_result(t, base, captured, shared)))
                    .collect(),
            ),
            Ty::Sum(ctors) => Alias::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| {
                        let parts = ts
                            .iter()
                            .map(|t| self.typed_result(t, base, captured, shared))
                            .collect();
                        (c.clone(), parts)
                    })
                    .collect(),
            ),
            Ty::Fun(_) => Alias::made(captured.clone(), base.clone()),
            Ty::Array(..) | Ty::Con(..) | Ty::Meta(_) => {
                if base.is_empty() {
                    // Parts of one result may share memory that nobody else has.
                    let region = *shared.get_or_insert_with(|| self.region(Owner::Here));
                    Alias::Set(Set::one(region))
                } else {
                    Alias::Set(base.clone())
                }
            }
        }
    }
}

/// Maps the regions of a parameter to those of an argument.
fn pair(param: &Alias, arg: &Alias, map: &mut FxHashMap<Region, Alias>) {
    match param {
        Alias::None => {}
        Alias::Set(set) => {
            for region in set.iter() {
                map.insert(region, arg.clone());
            }
        }
        Alias::Record(fields) => {
            fields.iter().for_each(|(f, part)| pair(part, &arg.field(f), map));
        }
        Alias::Sum(ctors) => {
            for (c, parts) in ctors.iter() {
                for (i, part) in parts.iter().enumerate() {
                    pair(part, &arg.payload(c, i), map);
                }
            }
        }
        Alias::Fun(_) | Alias::Made(_) => {}
    }
}
