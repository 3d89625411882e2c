//! Making sizes, and types with sizes, equal.
//!
//! Two sizes are made equal by solving for an unknown in them. If both are written alike, their
//! parts are made equal one by one. Arithmetic only says that sizes are equal, it never solves for an
//! unknown: from `[n + 1]t` and `[10]t` it does not follow that "n" is 9, which would be a
//! condition that nobody wrote. An equation whose sides are not written alike is postponed to
//! the end of the binding, when its unknowns may have become known otherwise.
//!
//! Functions are compared as "may the second be used where the first is expected": it may not
//! consume more, its result must be as fresh, and the sizes of its result must follow from the
//! expected ones. A size that the second function's result alone has (an existential size, or one
//! that depends on the argument) can only be matched by a size of a lifted type parameter, which
//! then stands for a new unknown size.

use super::close::in_parameter;
use super::{Change, Compared, Freeze, Origin, Postponed, TypeMetaInfo};
use crate::checker::Checker;
use crate::program::{Unknown, VarKind};
use crate::ty::{Arg, FunTy, Head, Meta, Size, SizeMeta, Subst, Ty, VarId};
use fehu_base::Span;

/// Why two types that are equal but for their sizes do not agree.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SizeClash {
    /// Two sizes that differ.
    Sizes(Size, Size),
    /// A variable that is not in scope where the unknown size was made: at a parameter here, if it is that of one.
    Escape(VarId, Size, Option<Span>),
    /// A size that only the function's result has, where one size for all calls is needed.
    Existential(VarId),
    /// As before, but something that is there already, at this place, needs the size.
    Early(VarId, Span),
    /// A size that only the function's result has would be that of a parameter of its result.
    ExistentialParam(VarId),
    /// A size that would have to contain itself; that of the parameter at this place, if it is one's.
    Infinite(Option<Span>, Size),
    /// A function that consumes its argument where one is expected that does not.
    Consumes,
    /// A function whose result is not fresh where a fresh one is expected.
    NotFresh,
    /// Types of different shape; only after an earlier error.
    Shape,
}

/// Variables of a function type that is being matched have this level: deeper than all.
pub(crate) const INSIDE: u32 = u32::MAX;

/// A state of inference that an attempt may return to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    trail: usize,
    pub(super) postponed: usize,
    pub(super) opened: usize,
}

impl Checker<'_> {
    /// Makes `found` usable where `want` is expected.
    pub(crate) fn unify_sized(&mut self, want: &Ty, found: &Ty) -> Result<(), SizeClash> {
        match (want, found) {
            (Ty::Unique(want), found) => self.unify_sized(want, found),
            (want, Ty::Unique(found)) => self.unify_sized(want, found),
            (Ty::Error, _) | (_, Ty::Error) => Ok(()),
            (Ty::Meta(m), Ty::Meta(n)) if m == n => Ok(()),
            (Ty::Meta(m), other) | (other, Ty::Meta(m)) => {
                match self.size_metas.types[*m].solution.clone() {
                    Some(solution) if matches!(want, Ty::Meta(w) if w == m) => {
                        self.unify_sized(&solution, other)
                    }
                    Some(solution) => self.unify_sized(other, &solution),
                    None => self.solve_type(*m, other),
                }
            }
            (Ty::Prim(_), Ty::Prim(_)) => Ok(()),
            (Ty::Array(m, t), Ty::Array(n, u)) => {
                self.unify_size(m, n)?;
                self.unify_sized(t, u)
            }
            (Ty::Record(fs), Ty::Record(gs)) => {
                fs.iter().zip(gs.iter()).try_for_each(|(f, g)| self.unify_sized(&f.1, &g.1))
            }
            (Ty::Sum(cs), Ty::Sum(ds)) => {
                let pairs = cs.iter().zip(ds.iter()).flat_map(|(c, d)| c.1.iter().zip(&d.1));
                pairs.into_iter().try_for_each(|(t, u)| self.unify_sized(t, u))
            }
            (Ty::Con(_, args), Ty::Con(_, brgs)) => {
                args.iter().zip(brgs.iter()).try_for_each(|pair| match pair {
                    (Arg::Type(t), Arg::Type(u)) => self.unify_sized(t, u),
                    (Arg::Size(m), Arg::Size(n)) => self.unify_size(m, n),
                    (Arg::Type(_) | Arg::Size(_), _) => Ok(()),
                })
            }
            (Ty::Fun(f), Ty::Fun(g)) => self.unify_fun(f, g),
            (
                Ty::Prim(_) | Ty::Array(..) | Ty::Record(_) | Ty::Sum(_) | Ty::Fun(_) | Ty::Con(..),
                _,
            ) => Err(SizeClash::Shape),
        }
    }

    fn unify_fun(&mut self, want: &FunTy, found: &FunTy) -> Result<(), SizeClash> {
        if found.consumes && !want.consumes {
            return Err(SizeClash::Consumes);
        }
        // The argument will be what is expected, and is used as what was found: which of them may have sizes that differ from
        // element to element matters for sequences.
        if self.zonk_sized(&want.param).as_seq().is_some() {
            self.unify_sized(&found.param, &want.param)?;
        } else {
            self.unify_sized(&want.param, &found.param)?;
        }
        // The sizes that only the found function's result has become constants that nothing
        // outside can mention; those of the expected one may be anything.
        let mut found_subst = Subst::new();
        let mut hidden = found.exts.clone();
        let mut want_subst = Subst::new();
        if let Some(name) = want.name {
            let constant = self.inside(name);
            // Both know it, so it is not a parameter of the found function only.
            self.program.vars[constant].kind = VarKind::Ext;
            want_subst.var(name, Size::Var(constant));
            if let Some(name) = found.name {
                found_subst.var(name, Size::Var(constant));
            }
        } else {
            hidden.extend(found.name);
        }
        for &var in &hidden {
            let constant = self.inside(var);
            found_subst.var(var, Size::Var(constant));
        }
        for &var in &want.exts {
            let span = self.program.vars[var].span.unwrap_or(self.nowhere());
            let size = self.fresh_size(span, Origin::Inferred);
            if let Size::Meta(meta) = size {
                self.size_metas.infos[meta].level = INSIDE;
            }
            want_subst.var(var, size);
        }
        let want_ret = want_subst.apply(&want.ret);
        let found_ret = found_subst.apply(&found.ret);
        self.fresh_enough(&want_ret, &found_ret)?;
        self.unify_sized(&want_ret, &found_ret)
    }

    /// A constant for a variable that a function type binds.
    fn inside(&mut self, var: VarId) -> VarId {
        let mut info = self.program.vars[var].clone();
        if info.kind != VarKind::Param {
            info.kind = VarKind::Ext;
        }
        info.level = INSIDE;
        info.def = None;
        self.program.vars.push(info)
    }

    /// Checks that what is expected to be fresh is fresh.
    fn fresh_enough(&self, want: &Ty, found: &Ty) -> Result<(), SizeClash> {
        match (want, found) {
            (Ty::Unique(_), Ty::Unique(_)) => Ok(()),
            (Ty::Unique(_), found) => {
                let parts = match found {
                    Ty::Record(fields) => fields.iter().all(|(_, t)| {
                        self.fresh_enough(&Ty::Unique(std::sync::Arc::new(t.clone())), t).is_ok()
                    }),
                    Ty::Prim(_) | Ty::Error | Ty::Meta(_) => true,
                    Ty::Array(..) | Ty::Sum(_) | Ty::Fun(_) | Ty::Con(..) | Ty::Unique(_) => false,
                };
                if parts { Ok(()) } else { Err(SizeClash::NotFresh) }
            }
            (Ty::Record(fs), Ty::Record(gs)) => {
                fs.iter().zip(gs.iter()).try_for_each(|(f, g)| self.fresh_enough(&f.1, &g.1))
            }
            _ => Ok(()),
        }
    }

    fn solve_type(&mut self, meta: Meta, ty: &Ty) -> Result<(), SizeClash> {
        let TypeMetaInfo { level, existential, .. } = self.size_metas.types[meta];
        if self.type_has_meta(ty, meta) {
            return Err(SizeClash::Shape);
        }
        // Sizes deeper than the unknown type are not in its scope, unless the type binds them, or they
        // are those of a function's result and the type is that of a lifted parameter.
        let mut clash = None;
        if existential {
            self.open_hidden(ty);
        }
        _ = self.zonk_sized(ty).map_sizes_scoped(&mut Vec::new(), &mut |size, bound| {
            if clash.is_none() {
                clash = self.check_scope(size, bound, level).err();
            }
            size.clone()
        });
        if let Some(clash) = clash {
            return Err(clash);
        }
        self.size_metas.trail.push(Change::Type(meta, None));
        self.size_metas.types[meta].solution = Some(ty.clone());
        Ok(())
    }

    /// Makes unknown sizes of those that only a function's result has, where no parameter has them.
    fn open_hidden(&mut self, ty: &Ty) {
        let mut hidden = Vec::new();
        _ = self.zonk_sized(ty).map_sizes_scoped(&mut Vec::new(), &mut |size, bound| {
            size.for_each_var(&mut |v| {
                let inside = self.program.vars[v].level == INSIDE;
                if inside && !bound.contains(&v) && !hidden.contains(&v) {
                    hidden.push(v);
                }
            });
            size.clone()
        });
        for var in hidden {
            if !in_parameter(ty, var) {
                self.open(var);
            }
        }
    }

    fn type_has_meta(&self, ty: &Ty, meta: Meta) -> bool {
        match ty {
            Ty::Meta(m) => {
                *m == meta
                    || self.size_metas.types[*m]
                        .solution
                        .as_ref()
                        .is_some_and(|t| self.type_has_meta(t, meta))
            }
            Ty::Prim(_) | Ty::Error => false,
            Ty::Array(_, elem) | Ty::Unique(elem) => self.type_has_meta(elem, meta),
            Ty::Record(fields) => fields.iter().any(|(_, t)| self.type_has_meta(t, meta)),
            Ty::Sum(ctors) => {
                ctors.iter().any(|(_, ts)| ts.iter().any(|t| self.type_has_meta(t, meta)))
            }
            Ty::Fun(fun) => {
                self.type_has_meta(&fun.param, meta) || self.type_has_meta(&fun.ret, meta)
            }
            Ty::Con(_, args) => {
                args.iter().any(|arg| matches!(arg, Arg::Type(ty) if self.type_has_meta(ty, meta)))
            }
        }
    }

    /// Checks that a size mentions nothing deeper than `level`; unknowns in it move up.
    fn check_scope(&mut self, size: &Size, bound: &[VarId], level: u32) -> Result<(), SizeClash> {
        let size = self.zonk_size(size);
        let mut deep = None;
        size.for_each_var(&mut |v| {
            if self.program.vars[v].level > level && !bound.contains(&v) {
                deep.get_or_insert(v);
            }
        });
        if let Some(var) = deep {
            return Err(match self.program.vars[var].level {
                INSIDE => SizeClash::ExistentialParam(var),
                _ => SizeClash::Escape(var, size, None),
            });
        }
        let mut metas = Vec::new();
        size.for_each_meta(&mut |m| metas.push(m));
        for meta in metas {
            self.lower_level(meta, level);
        }
        Ok(())
    }

    pub(super) fn lower_level(&mut self, meta: SizeMeta, level: u32) {
        let info = &mut self.size_metas.infos[meta];
        if info.level > level {
            self.size_metas.trail.push(Change::Size(meta, info.solution.clone(), info.level));
            info.level = level;
        }
    }

    /// Makes two sizes equal.
    pub(crate) fn unify_size(&mut self, a: &Size, b: &Size) -> Result<(), SizeClash> {
        let a = self.resolve_size(a);
        let b = self.resolve_size(b);
        if a == b || a == Size::Any || b == Size::Any {
            return Ok(());
        }
        match (&a, &b) {
            (Size::Meta(m), Size::Meta(n)) => {
                // What comes from something the user must say stays, for messages.
                let rank =
                    |m: SizeMeta| (self.is_frozen(m), self.size_metas.infos[m].origin.rank());
                let param = self.size_metas.infos[*m].param.or(self.size_metas.infos[*n].param);
                let looped = self.size_metas.infos[*m].looped || self.size_metas.infos[*n].looped;
                let solved = if rank(*m) > rank(*n) {
                    self.solve_size(*n, &a)
                } else {
                    self.solve_size(*m, &b)
                };
                // Whichever stays is the size of the parameter. This is a hint that need not be undone.
                for meta in [*m, *n] {
                    let info = &mut self.size_metas.infos[meta];
                    info.param = info.param.or(param.filter(|_| solved.is_ok()));
                    info.looped |= looped && solved.is_ok();
                }
                solved
            }
            (Size::Meta(m), other) | (other, Size::Meta(m)) => self.solve_size(*m, other),
            (Size::Const(_), Size::Const(_)) => Err(SizeClash::Sizes(a, b)),
            // The type of a literal may have been unknown when the other size was written.
            (Size::Const(n), Size::Term(term)) | (Size::Term(term), Size::Const(n)) if matches!(&term.head, Head::Number(text, _) if *text == n.to_string()) => {
                Ok(())
            }
            _ => self.unify_terms(&a, &b),
        }
    }

    fn unify_terms(&mut self, a: &Size, b: &Size) -> Result<(), SizeClash> {
        let difference = self.difference(a, b);
        if difference.is_zero() {
            return Ok(());
        }
        // Written alike: part by part, as long as that goes well.
        let parts: Option<Vec<(Size, Size)>> = match (a, b) {
            (Size::Add(x), Size::Add(y))
            | (Size::Sub(x), Size::Sub(y))
            | (Size::Mul(x), Size::Mul(y)) => {
                Some(vec![(x[0].clone(), y[0].clone()), (x[1].clone(), y[1].clone())])
            }
            (Size::Term(x), Size::Term(y)) if x.head == y.head && x.args.len() == y.args.len() => {
                Some(x.args.iter().cloned().zip(y.args.iter().cloned()).collect())
            }
            _ => None,
        };
        if let Some(parts) = parts {
            let mark = self.mark();
            if parts.iter().all(|(x, y)| self.unify_size(x, y).is_ok()) {
                return Ok(());
            }
            self.roll_back(mark);
        }
        if self.has_unsolved(a) || self.has_unsolved(b) {
            let types = None;
            self.size_metas.postponed.push(Postponed { a: a.clone(), b: b.clone(), types });
            Ok(())
        } else {
            Err(SizeClash::Sizes(a.clone(), b.clone()))
        }
    }

    fn has_unsolved(&self, size: &Size) -> bool {
        let mut found = false;
        self.zonk_size(size).for_each_meta(&mut |_| found = true);
        found
    }

    /// Gives an unknown size its solution.
    fn solve_size(&mut self, meta: SizeMeta, size: &Size) -> Result<(), SizeClash> {
        let mut size = self.zonk_size(size);
        if size == Size::Meta(meta) {
            return Ok(());
        }
        let mut occurs = false;
        size.for_each_meta(&mut |m| occurs |= m == meta);
        if occurs {
            // `n = n + 0` and the like are fine.
            if self.same_size(&Size::Meta(meta), &size) {
                return Ok(());
            }
            return Err(SizeClash::Infinite(self.size_metas.infos[meta].param, size));
        }
        if self.is_frozen(meta) {
            return Err(SizeClash::Sizes(Size::Meta(meta), size));
        }
        let (level, existential, repeated) = {
            let info = &self.size_metas.infos[meta];
            (info.level, info.existential, info.repeated)
        };
        let mut deep = Vec::new();
        size.for_each_var(&mut |v| {
            if self.program.vars[v].level > level && !deep.contains(&v) {
                deep.push(v);
            }
        });
        for var in deep {
            if self.program.vars[var].level != INSIDE {
                return Err(SizeClash::Escape(var, size, self.size_metas.infos[meta].param));
            }
            if !existential {
                let info = &self.size_metas.infos[meta];
                return Err(match info.origin {
                    Origin::Ctor | Origin::EmptyArray => SizeClash::Early(var, info.span),
                    Origin::SizeParam(..)
                    | Origin::TypeArg(_)
                    | Origin::Hole
                    | Origin::LetSize(_)
                    | Origin::Coerced
                    | Origin::Inferred => SizeClash::Existential(var),
                });
            }
            self.open(var);
            if repeated && let Some(Size::Var(unknown)) = self.program.vars[var].def {
                self.size_metas.repeated.push(unknown);
            }
            size = self.zonk_size(&size);
        }
        let mut metas = Vec::new();
        size.for_each_meta(&mut |m| metas.push(m));
        for other in metas {
            self.lower_level(other, level);
            let info = &mut self.size_metas.infos[other];
            info.existential &= existential;
        }
        let info = &mut self.size_metas.infos[meta];
        self.size_metas.trail.push(Change::Size(meta, info.solution.take(), info.level));
        self.size_metas.infos[meta].solution = Some(size);
        Ok(())
    }

    fn is_frozen(&self, meta: SizeMeta) -> bool {
        let info = &self.size_metas.infos[meta];
        match self.size_metas.freeze {
            Freeze::Nothing => false,
            Freeze::Loops => info.looped,
            Freeze::Params => info.looped || info.param.is_some(),
        }
    }

    /// Makes a size that a function argument's result has a new unknown size.
    fn open(&mut self, var: VarId) {
        if self.program.vars[var].def.is_some() {
            return;
        }
        let span = self.program.vars[var].span.unwrap_or(self.nowhere());
        let unknown = self.unknown_size(span, Unknown::ArgumentResult);
        self.size_metas.opened.push(unknown);
        self.size_metas.trail.push(Change::Def(var, None));
        self.program.vars[var].def = Some(Size::Var(unknown));
    }

    /// How far inference has got, to return to by [`roll_back`](Self::roll_back).
    pub(super) fn mark(&self) -> Mark {
        let metas = &self.size_metas;
        let (trail, postponed, opened) =
            (metas.trail.len(), metas.postponed.len(), metas.opened.len());
        Mark { trail, postponed, opened }
    }

    pub(super) fn roll_back(&mut self, mark: Mark) {
        self.size_metas.postponed.truncate(mark.postponed);
        self.size_metas.opened.truncate(mark.opened);
        for change in self.size_metas.trail.drain(mark.trail..).rev() {
            match change {
                Change::Size(meta, solution, level) => {
                    let info = &mut self.size_metas.infos[meta];
                    info.solution = solution;
                    info.level = level;
                }
                Change::Type(meta, solution) => self.size_metas.types[meta].solution = solution,
                Change::Def(var, def) => self.program.vars[var].def = def,
            }
        }
    }

    /// Tries the postponed equations again; what still cannot be solved differs.
    pub(super) fn solve_postponed(&mut self) -> Result<(), Box<(Option<Compared>, SizeClash)>> {
        loop {
            let postponed = std::mem::take(&mut self.size_metas.postponed);
            let before = postponed.len();
            for Postponed { a, b, types } in postponed {
                let first = self.size_metas.postponed.len();
                if let Err(clash) = self.unify_size(&a, &b) {
                    return Err(Box::new((types, clash)));
                }
                for postponed in &mut self.size_metas.postponed[first..] {
                    postponed.types.clone_from(&types);
                }
            }
            if self.size_metas.postponed.len() >= before {
                return match self.size_metas.postponed.drain(..).next() {
                    Some(Postponed { a, b, types }) => {
                        Err(Box::new((types, SizeClash::Sizes(a, b))))
                    }
                    None => Ok(()),
                };
            }
        }
    }

    /// Where equations without a better place are reported: the binding being checked.
    pub(super) fn nowhere(&self) -> Span {
        self.size_metas.current.unwrap_or(Span::new(fehu_base::FileId(0), 0, 0))
    }
}
