//! Sizes of branches.
//!
//! Sizes that differ between branches are unknown: a branch decides nothing about the sizes of what
//! was bound outside of it. Two things are different. Unknowns that belong to the branch itself (of an
//! empty array, a constructor, a size parameter of a function) become the size of the other
//! branch. And where the type of a branch was not known at all when it met that of the other, as that
//! of a parameter without annotation in `\x -> if c then xs else x`, it *is* that of the other, sizes
//! included.

use super::{Change, Freeze};
use crate::checker::Checker;
use crate::errors::Expect;
use crate::program::Unknown;
use crate::ty::{Arg, Size, Ty, VarId};
use fehu_base::Span;
use fehu_syntax::ast::NodeId;

/// A size of two branches together that is none of theirs.
pub(super) struct Joined {
    /// The sizes of the branches.
    pub(super) of: [Size; 2],
    pub(super) var: VarId,
}

/// What the first phase knew of the types of two branches when it compared them; nothing is said
/// about types that it knew.
type Seen<'a> = Option<(&'a Ty, &'a Ty)>;

impl Checker<'_> {
    /// The type of two branches together; `second` is the expression of the second.
    pub(super) fn join_branches(
        &mut self,
        node: NodeId,
        span: Span,
        second: NodeId,
        [a, b]: [&Ty; 2],
    ) -> Ty {
        let seen = self.metas.branches.get(&second).cloned();
        let first = self.size_metas.joined.len();
        let ty = self.join(a, b, span, seen.as_ref().map(|(a, b)| (a, b)), first);
        let new: Vec<VarId> = self.size_metas.joined[first..].iter().map(|j| j.var).collect();
        self.note_unknowns(node, new);
        ty
    }

    fn join(&mut self, a: &Ty, b: &Ty, span: Span, seen: Seen<'_>, first: usize) -> Ty {
        if let Some((Ty::Meta(_), _) | (_, Ty::Meta(_))) = seen
            && self.try_equal(Freeze::Loops, |this| this.unify_sized(a, b).is_ok())
        {
            return a.clone();
        }
        match (a, b) {
            (Ty::Error, other) | (other, Ty::Error) => other.clone(),
            (Ty::Array(m, t), Ty::Array(n, u)) => {
                let size = self.join_size(m, n, span, first);
                Ty::array(size, self.join(t, u, span, elements(seen), first))
            }
            (Ty::Record(fs), Ty::Record(gs)) => Ty::Record(
                fs.iter()
                    .zip(gs.iter())
                    .map(|(f, g)| {
                        let seen = seen.and_then(|(s, t)| Some((s.field(&f.0)?, t.field(&f.0)?)));
                        (f.0.clone(), self.join(&f.1, &g.1, span, seen, first))
                    })
                    .collect(),
            ),
            (Ty::Sum(cs), Ty::Sum(ds)) => Ty::Sum(
                cs.iter()
                    .zip(ds.iter())
                    .map(|(c, d)| {
                        let parts = c.1.iter().zip(&d.1).enumerate().map(|(i, (t, u))| {
                            let seen = seen.and_then(|(s, t)| {
                                Some((payload(s, &c.0, i)?, payload(t, &c.0, i)?))
                            });
                            self.join(t, u, span, seen, first)
                        });
                        (c.0.clone(), parts.collect())
                    })
                    .collect(),
            ),
            (Ty::Con(id, args), Ty::Con(_, brgs)) => Ty::Con(
                *id,
                args.iter()
                    .zip(brgs.iter())
                    .enumerate()
                    .map(|(i, pair)| match pair {
                        (Arg::Size(m), Arg::Size(n)) => {
                            Arg::Size(self.join_size(m, n, span, first))
                        }
                        (Arg::Type(t), Arg::Type(u)) => {
                            let seen =
                                seen.and_then(|(s, t)| Some((argument(s, i)?, argument(t, i)?)));
                            Arg::Type(self.join(t, u, span, seen, first))
                        }
                        (other, _) => other.clone(),
                    })
                    .collect(),
            ),
            _ => {
                self.require(span, a, b, Expect::Branch(span));
                a.clone()
            }
        }
    }

    fn join_size(&mut self, m: &Size, n: &Size, span: Span, first: usize) -> Size {
        if self.same_size(m, n)
            || self.try_equal(Freeze::Params, |this| this.unify_size(m, n).is_ok())
        {
            return m.clone();
        }
        let same = |j: &&Joined| self.same_size(&j.of[0], m) && self.same_size(&j.of[1], n);
        if let Some(joined) = self.size_metas.joined[first..].iter().find(same) {
            return Size::Var(joined.var);
        }
        let var = self.unknown_size(span, Unknown::Branches);
        self.size_metas.joined.push(Joined { of: [m.clone(), n.clone()], var });
        Size::Var(var)
    }

    /// Tries to make sizes equal, at once and without touching those that are frozen.
    fn try_equal(&mut self, freeze: Freeze, attempt: impl FnOnce(&mut Self) -> bool) -> bool {
        let mark = self.mark();
        let outer = std::mem::replace(&mut self.size_metas.freeze, freeze);
        let equal = attempt(self)
            && self.size_metas.postponed.len() == mark.postponed
            && self.size_metas.opened.len() == mark.opened;
        self.size_metas.freeze = outer;
        if !equal {
            self.roll_back(mark);
        }
        equal
    }

    /// Sizes of branches that turn out to be equal are no longer unknown.
    pub(super) fn settle_joined(&mut self, first: usize) {
        for i in first..self.size_metas.joined.len() {
            let Joined { of: [a, b], var } = &self.size_metas.joined[i];
            if self.program.vars[*var].def.is_none() && self.same_size(a, b) {
                let (var, size) = (*var, self.zonk_size(a));
                self.size_metas.trail.push(Change::Def(var, None));
                self.program.vars[var].def = Some(size);
            }
        }
    }
}

fn elements(seen: Seen<'_>) -> Seen<'_> {
    match seen.map(|(s, t)| (s.unwrap_unique(), t.unwrap_unique())) {
        Some((Ty::Array(_, s), Ty::Array(_, t))) => Some((s, t)),
        _ => None,
    }
}

fn payload<'a>(ty: &'a Ty, ctor: &str, i: usize) -> Option<&'a Ty> {
    match ty.unwrap_unique() {
        Ty::Sum(ctors) => ctors.iter().find(|(c, _)| c == ctor)?.1.get(i),
        Ty::Prim(_)
        | Ty::Array(..)
        | Ty::Record(_)
        | Ty::Fun(_)
        | Ty::Con(..)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error => None,
    }
}

fn argument(ty: &Ty, i: usize) -> Option<&Ty> {
    match ty.unwrap_unique() {
        Ty::Con(_, args) => match args.get(i)? {
            Arg::Type(ty) => Some(ty),
            Arg::Size(_) => None,
        },
        Ty::Prim(_)
        | Ty::Array(..)
        | Ty::Record(_)
        | Ty::Sum(_)
        | Ty::Fun(_)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error => None,
    }
}
