//! Making two types equal, sizes left aside.

use super::meta::MetaInfo;
use crate::checker::Checker;
use crate::ty::{Arg, Lifted, Meta, Needs, Ty, TypeId};
use ecow::EcoString;

/// Why two types cannot be equal. Types in it are parts of the two, as they were met.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Clash {
    /// Two types of different shape.
    Different(Ty, Ty),
    /// Records with different fields: those only in the first, and only in the second.
    Fields(Vec<EcoString>, Vec<EcoString>),
    /// Sums with different constructors: those only in the first, and only in the second.
    Ctors(Vec<EcoString>, Vec<EcoString>),
    /// A constructor with different numbers of payloads.
    CtorArity(EcoString, usize, usize),
    /// A type that would have to contain itself.
    Infinite(Ty, Ty),
    /// A type parameter that is bound deeper than the unknown it would stand for.
    Escape(TypeId),
    /// A type that lacks what is needed.
    Needs(Ty, Needs),
    /// No primitive type satisfies both conditions.
    NoCommon(Needs, Needs),
    /// A field is needed of a type that is no record, or that lacks it.
    NoField(Ty, EcoString),
    /// A number is needed and a field of it.
    NotNumber(Needs, EcoString),
    /// A constructor is needed of a type that is no sum, or that lacks it.
    NoCtor(Ty, EcoString),
}

impl Checker<'_> {
    /// Makes the types equal, or says why that cannot be.
    pub(crate) fn unify(&mut self, a: &Ty, b: &Ty) -> Result<(), Clash> {
        let a = self.resolve(a);
        let b = self.resolve(b);
        match (&a, &b) {
            // What stands for something that was reported is not to be reported again.
            (Ty::Error, Ty::Meta(m)) | (Ty::Meta(m), Ty::Error) => {
                self.metas.infos[*m].solution = Some(Ty::Error);
                Ok(())
            }
            (Ty::Error, _) | (_, Ty::Error) => Ok(()),
            (Ty::Meta(m), Ty::Meta(n)) if m == n => Ok(()),
            (Ty::Meta(m), Ty::Meta(n)) => self.join_metas(*m, *n),
            (Ty::Meta(m), ty) | (ty, Ty::Meta(m)) => self.solve(*m, ty),
            (Ty::Prim(p), Ty::Prim(q)) if p == q => Ok(()),
            (Ty::Array(_, t), Ty::Array(_, u)) => self.unify(t, u),
            (Ty::Record(fs), Ty::Record(gs)) => {
                if fs.len() != gs.len() || fs.iter().zip(gs.iter()).any(|(f, g)| f.0 != g.0) {
                    return Err(Clash::Fields(missing(fs, gs), missing(gs, fs)));
                }
                fs.iter().zip(gs.iter()).try_for_each(|(f, g)| self.unify(&f.1, &g.1))
            }
            (Ty::Sum(cs), Ty::Sum(ds)) => {
                if cs.len() != ds.len() || cs.iter().zip(ds.iter()).any(|(c, d)| c.0 != d.0) {
                    return Err(Clash::Ctors(missing(cs, ds), missing(ds, cs)));
                }
                cs.iter().zip(ds.iter()).try_for_each(|(c, d)| self.unify_ctor(&c.0, &c.1, &d.1))
            }
            // No unknown is solved by the position in a sequence: what is called is no sequence.
            (Ty::Fun(f), Ty::Fun(g)) if f.is_seq() != g.is_seq() => {
                Err(Clash::Different(a.clone(), b.clone()))
            }
            (Ty::Fun(f), Ty::Fun(g)) => {
                self.unify(&f.param, &g.param)?;
                self.unify(&f.ret, &g.ret)
            }
            (Ty::Con(t, args), Ty::Con(u, brgs)) if t == u => {
                args.iter().zip(brgs.iter()).try_for_each(|pair| match pair {
                    (Arg::Type(t), Arg::Type(u)) => self.unify(t, u),
                    (Arg::Size(_) | Arg::Type(_), _) => Ok(()),
                })
            }
            (
                Ty::Prim(_)
                | Ty::Array(..)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Fun(_)
                | Ty::Con(..)
                | Ty::Unique(_),
                _,
            ) => Err(Clash::Different(a.clone(), b.clone())),
        }
    }

    fn unify_ctor(&mut self, name: &EcoString, ts: &[Ty], us: &[Ty]) -> Result<(), Clash> {
        if ts.len() != us.len() {
            return Err(Clash::CtorArity(name.clone(), ts.len(), us.len()));
        }
        ts.iter().zip(us).try_for_each(|(t, u)| self.unify(t, u))
    }

    /// Makes two unknowns one, which has to satisfy the conditions of both.
    fn join_metas(&mut self, m: Meta, n: Meta) -> Result<(), Clash> {
        let from = self.metas.infos[m].clone();
        let to = &mut self.metas.infos[n];
        to.needs = join_needs(from.needs, to.needs)?;
        to.level = to.level.min(from.level);
        to.lifted = to.lifted.min(from.lifted);
        to.literal |= from.literal;
        to.index |= from.index;
        let (needs, joined_fields) = (to.needs, from.fields.first().or(to.fields.first()));
        if let (Needs::OneOf(_), Some((field, _))) = (needs, joined_fields) {
            return Err(Clash::NotNumber(needs, field.clone()));
        }
        self.metas.infos[m].solution = Some(Ty::Meta(n));
        let MetaInfo { fields, ctors, .. } = from;
        fields.into_iter().try_for_each(|(name, ty)| self.require_field(n, &name, &ty))?;
        ctors.into_iter().try_for_each(|(name, tys)| self.require_ctor(n, &name, &tys))
    }

    fn require_field(&mut self, meta: Meta, name: &EcoString, ty: &Ty) -> Result<(), Clash> {
        let known = self.metas.infos[meta].fields.iter().find(|(f, _)| f == name);
        match known.map(|(_, t)| t.clone()) {
            Some(other) => self.unify(&other, ty),
            None => {
                self.metas.infos[meta].fields.push((name.clone(), ty.clone()));
                Ok(())
            }
        }
    }

    fn require_ctor(&mut self, meta: Meta, name: &EcoString, tys: &[Ty]) -> Result<(), Clash> {
        let known = self.metas.infos[meta].ctors.iter().find(|(c, _)| c == name);
        match known.map(|(_, ts)| ts.clone()) {
            Some(other) => self.unify_ctor(name, &other, tys),
            None => {
                self.metas.infos[meta].ctors.push((name.clone(), tys.to_vec()));
                Ok(())
            }
        }
    }

    /// Gives an unknown its solution.
    fn solve(&mut self, meta: Meta, ty: &Ty) -> Result<(), Clash> {
        let info = self.metas.infos[meta].clone();
        if let Err(clash) = self.adopt(meta, info.level, ty) {
            return Err(match clash {
                Clash::Infinite(..) => Clash::Infinite(Ty::Meta(meta), ty.clone()),
                other @ (Clash::Different(..)
                | Clash::Fields(..)
                | Clash::Ctors(..)
                | Clash::CtorArity(..)
                | Clash::Escape(_)
                | Clash::Needs(..)
                | Clash::NoCommon(..)
                | Clash::NoField(..)
                | Clash::NotNumber(..)
                | Clash::NoCtor(..)) => other,
            });
        }
        self.metas.infos[meta].solution = Some(ty.clone());
        let result = self.meet_conditions(&info, ty);
        if result.is_err() {
            // A message has to say what was known of it before.
            self.metas.infos[meta].solution = None;
        }
        result
    }

    /// Checks that a type is what an unknown has to be.
    fn meet_conditions(&mut self, info: &MetaInfo, ty: &Ty) -> Result<(), Clash> {
        self.satisfy(ty, info.needs)?;
        if info.lifted < Lifted::Lifted {
            let why = super::Restriction::TypeArgument;
            self.metas.restrictions.push((ty.clone(), info.lifted, info.span, why));
        }
        for (name, field_ty) in &info.fields {
            match ty.field(name) {
                Some(t) => self.unify(&t.clone(), field_ty)?,
                None => return Err(Clash::NoField(ty.clone(), name.clone())),
            }
        }
        for (name, payload) in &info.ctors {
            match ty {
                Ty::Sum(ctors) => match ctors.iter().find(|(c, _)| c == name) {
                    Some((_, tys)) => self.unify_ctor(name, &tys.clone(), payload)?,
                    None => return Err(Clash::NoCtor(ty.clone(), name.clone())),
                },
                Ty::Prim(_)
                | Ty::Array(..)
                | Ty::Record(_)
                | Ty::Fun(_)
                | Ty::Con(..)
                | Ty::Meta(_)
                | Ty::Unique(_)
                | Ty::Error => return Err(Clash::NoCtor(ty.clone(), name.clone())),
            }
        }
        Ok(())
    }

    /// Checks that `ty` neither contains `meta` nor anything bound deeper than `level`; unknowns
    /// in it move up to that level.
    fn adopt(&mut self, meta: Meta, level: u32, ty: &Ty) -> Result<(), Clash> {
        match ty {
            Ty::Prim(_) | Ty::Error => Ok(()),
            Ty::Meta(other) => {
                if let Some(solution) = self.metas.infos[*other].solution.clone() {
                    return self.adopt(meta, level, &solution);
                }
                if *other == meta {
                    return Err(Clash::Infinite(Ty::Error, Ty::Error));
                }
                let info = &mut self.metas.infos[*other];
                info.level = info.level.min(level);
                Ok(())
            }
            Ty::Array(_, elem) | Ty::Unique(elem) => self.adopt(meta, level, elem),
            Ty::Record(fields) => fields.iter().try_for_each(|(_, t)| self.adopt(meta, level, t)),
            Ty::Sum(ctors) => {
                ctors.iter().flat_map(|(_, ts)| ts).try_for_each(|t| self.adopt(meta, level, t))
            }
            Ty::Fun(fun) => {
                self.adopt(meta, level, &fun.param)?;
                self.adopt(meta, level, &fun.ret)
            }
            Ty::Con(id, args) => {
                if self.program.types[*id].level > level {
                    return Err(Clash::Escape(*id));
                }
                args.iter().try_for_each(|arg| match arg {
                    Arg::Size(_) => Ok(()),
                    Arg::Type(ty) => self.adopt(meta, level, ty),
                })
            }
        }
    }

    /// Checks that the type can do what is needed, or passes the need on to the unknowns in it.
    pub(crate) fn satisfy(&mut self, ty: &Ty, needs: Needs) -> Result<(), Clash> {
        if needs == Needs::Nothing {
            return Ok(());
        }
        let ty = self.resolve(ty);
        match (&ty, needs) {
            (Ty::Error, _) => Ok(()),
            (Ty::Meta(meta), _) => {
                let joined = join_needs(self.metas.infos[*meta].needs, needs)?;
                self.metas.infos[*meta].needs = joined;
                Ok(())
            }
            (Ty::Prim(prim), Needs::OneOf(set)) if set.contains(*prim) => Ok(()),
            (_, Needs::OneOf(_)) => Err(Clash::Needs(ty.clone(), needs)),
            (Ty::Prim(_), _) => Ok(()),
            (Ty::Array(_, elem) | Ty::Unique(elem), _) => self.satisfy(elem, needs),
            (Ty::Record(fields), _) => fields.iter().try_for_each(|(_, t)| self.satisfy(t, needs)),
            (Ty::Sum(ctors), _) => {
                ctors.iter().flat_map(|(_, ts)| ts).try_for_each(|t| self.satisfy(t, needs))
            }
            // Nothing is known about the values of a type parameter or an abstract type.
            (Ty::Con(..) | Ty::Fun(_), _) => Err(Clash::Needs(ty.clone(), needs)),
        }
    }
}

fn join_needs(a: Needs, b: Needs) -> Result<Needs, Clash> {
    match (a, b) {
        (Needs::Nothing, other) | (other, Needs::Nothing) => Ok(other),
        (Needs::Equality, other) | (other, Needs::Equality) => Ok(other),
        (Needs::OneOf(s), Needs::OneOf(t)) => {
            let both = s.and(t);
            if both.is_empty() { Err(Clash::NoCommon(a, b)) } else { Ok(Needs::OneOf(both)) }
        }
    }
}

/// The names in `a` that are not in `b`.
fn missing<T, U>(a: &[(EcoString, T)], b: &[(EcoString, U)]) -> Vec<EcoString> {
    a.iter().map(|(n, _)| n).filter(|n| b.iter().all(|(m, _)| m != *n)).cloned().collect()
}
