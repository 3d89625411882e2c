//! What a value may share memory with.
//!
//! A [`Region`] is a piece of memory as the check knows it: the array of a parameter, the result of
//! one expression, the elements of one global. A [`Set`] of regions belongs to every part of a value
//! that is an array or may contain one; an [`Alias`] has the shape of the value's type, so that the
//! parts of records, tuples and sums are known apart. Two live values that may share memory have
//! sets that meet: this is the invariant everything else rests on.
//!
//! Sets and shapes are shared, never copied, because long chains of bindings pass them on.

use crate::ty::Ty;
use ecow::EcoString;
use fehu_base::define_id;
use std::rc::Rc;

define_id!(
    /// A piece of memory.
    pub struct Region, "r"
);

/// A sorted set of regions.
#[derive(Clone, PartialEq, Debug)]
pub struct Set(Rc<[Region]>);

/// The regions of each part of a value.
#[derive(Clone, Debug)]
pub enum Alias {
    /// No part shares anything: scalars, and functions without captured arrays.
    None,
    /// Every part may share each of these.
    Set(Set),
    /// A record or tuple, field by field; fields that are left out share nothing.
    Record(Rc<[(EcoString, Alias)]>),
    /// A sum, by constructor; constructors that are left out are impossible or share nothing.
    Sum(Rc<[(EcoString, Vec<Alias>)]>),
    /// A function whose body is known.
    Fun(Rc<FunAlias>),
    /// A function that another one has made: `f >-> g`, `(op x)`.
    Made(Rc<Made>),
}

/// A function whose body is not known, but what it was made of.
#[derive(Clone, Debug)]
pub struct Made {
    /// What it may use, including what it may return.
    pub captures: Set,
    /// What it may return, apart from its arguments.
    pub returns: Set,
}

/// A function whose body was seen.
#[derive(Clone, Debug)]
pub struct FunAlias {
    /// What the body and the arguments given so far use.
    pub captures: Set,
    /// The arguments given so far.
    pub bound: Vec<Alias>,
    /// What a call does.
    pub summary: Rc<Summary>,
}

/// What a call of a function does, in terms of the regions that its body was checked with.
#[derive(Debug)]
pub struct Summary {
    /// The regions of the parameters.
    pub params: Vec<Alias>,
    /// Which parameters are consumed.
    pub consumes: Vec<bool>,
    /// The result.
    pub result: Alias,
    /// The regions from `start` up to `end` were made for the parameters and by the body.
    pub start: Region,
    /// See `start`.
    pub end: Region,
}

impl Set {
    /// The set of one region.
    pub fn one(region: Region) -> Set {
        Set(Rc::new([region]))
    }

    /// The set of these regions, in any order.
    pub fn of(mut regions: Vec<Region>) -> Set {
        regions.sort_unstable();
        regions.dedup();
        Set(regions.into())
    }

    /// The regions in order.
    pub fn iter(&self) -> impl Iterator<Item = Region> + '_ {
        self.0.iter().copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the region is in the set.
    pub fn has(&self, region: Region) -> bool {
        self.0.binary_search(&region).is_ok()
    }

    /// A region that both have.
    pub fn common(&self, other: &Set) -> Option<Region> {
        let (small, large) =
            if self.0.len() < other.0.len() { (self, other) } else { (other, self) };
        small.iter().find(|&r| large.has(r))
    }

    /// What either has. A set that contains the other is shared, not copied.
    pub fn union(&self, other: &Set) -> Set {
        if Rc::ptr_eq(&self.0, &other.0) || other.iter().all(|r| self.has(r)) {
            return self.clone();
        }
        if self.iter().all(|r| other.has(r)) {
            return other.clone();
        }
        Set::of(self.iter().chain(other.iter()).collect())
    }
}

impl Alias {
    /// Every part shares these; nothing if there are none.
    pub fn set(set: Set) -> Alias {
        if set.is_empty() { Alias::None } else { Alias::Set(set) }
    }

    /// A function that was made of others.
    pub fn made(captures: Set, returns: Set) -> Alias {
        if captures.is_empty() && returns.is_empty() {
            return Alias::None;
        }
        Alias::Made(Rc::new(Made { captures: captures.union(&returns), returns }))
    }

    /// A value of this type whose parts share these; scalars share nothing.
    pub fn of_type(ty: &Ty, set: &Set) -> Alias {
        match ty {
            Ty::Prim(_) | Ty::Error => Alias::None,
            Ty::Unique(inner) => Alias::of_type(inner, set),
            Ty::Record(fields) => Alias::Record(
                fields.iter().map(|(f, t)| (f.clone(), Alias::of_type(t, set))).collect(),
            ),
            Ty::Sum(ctors) => Alias::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| (c.clone(), ts.iter().map(|t| Alias::of_type(t, set)).collect()))
                    .collect(),
            ),
            Ty::Array(..) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) => Alias::set(set.clone()),
        }
    }

    /// The field of a record.
    pub fn field(&self, name: &str) -> Alias {
        match self {
            Alias::None => Alias::None,
            Alias::Set(_) => self.clone(),
            Alias::Record(fields) => fields
                .iter()
                .find(|(f, _)| f == name)
                .map_or(Alias::None, |(_, alias)| alias.clone()),
            Alias::Sum(_) | Alias::Fun(_) | Alias::Made(_) => Alias::set(self.regions()),
        }
    }

    /// The i-th part of a constructor's payload.
    pub fn payload(&self, ctor: &str, i: usize) -> Alias {
        match self {
            Alias::None => Alias::None,
            Alias::Set(_) => self.clone(),
            Alias::Sum(ctors) => ctors
                .iter()
                .find(|(c, _)| c == ctor)
                .and_then(|(_, parts)| parts.get(i).cloned())
                .unwrap_or(Alias::None),
            Alias::Record(_) | Alias::Fun(_) | Alias::Made(_) => Alias::set(self.regions()),
        }
    }

    /// The same value with another field.
    pub fn with_field(&self, name: &str, fields: &[EcoString], new: Alias) -> Alias {
        let field =
            |f: &EcoString| (f.clone(), if f == name { new.clone() } else { self.field(f) });
        Alias::Record(fields.iter().map(field).collect())
    }

    /// What either shares, part by part.
    pub fn join(&self, other: &Alias) -> Alias {
        match (self, other) {
            (Alias::None, alias) | (alias, Alias::None) => alias.clone(),
            (Alias::Set(a), Alias::Set(b)) => Alias::Set(a.union(b)),
            (Alias::Record(a), Alias::Record(_)) => {
                let mut fields: Vec<(EcoString, Alias)> =
                    a.iter().map(|(f, alias)| (f.clone(), alias.join(&other.field(f)))).collect();
                if let Alias::Record(b) = other {
                    fields
                        .extend(b.iter().filter(|(f, _)| !a.iter().any(|(g, _)| f == g)).cloned());
                }
                Alias::Record(fields.into())
            }
            (Alias::Record(fields), set @ Alias::Set(_))
            | (set @ Alias::Set(_), Alias::Record(fields)) => Alias::Record(
                fields.iter().map(|(f, alias)| (f.clone(), alias.join(set))).collect(),
            ),
            (Alias::Sum(a), Alias::Sum(b)) => {
                let mut ctors: Vec<(EcoString, Vec<Alias>)> = a.to_vec();
                for (name, parts) in b.iter() {
                    match ctors.iter_mut().find(|(c, _)| c == name) {
                        Some((_, mine)) => {
                            mine.iter_mut().zip(parts).for_each(|(x, y)| *x = x.join(y));
                        }
                        None => ctors.push((name.clone(), parts.clone())),
                    }
                }
                Alias::Sum(ctors.into())
            }
            (Alias::Sum(_) | Alias::Fun(_) | Alias::Made(_) | Alias::Record(_), _)
            | (_, Alias::Sum(_) | Alias::Fun(_) | Alias::Made(_)) => {
                Alias::set(self.regions().union(&other.regions()))
            }
        }
    }

    /// Calls `f` with the set of every part, functions' captured regions included.
    pub fn for_each_set(&self, f: &mut dyn FnMut(&Set)) {
        match self {
            Alias::None => {}
            Alias::Set(set) => f(set),
            Alias::Record(fields) => fields.iter().for_each(|(_, alias)| alias.for_each_set(f)),
            Alias::Sum(ctors) => {
                ctors.iter().flat_map(|(_, parts)| parts).for_each(|alias| alias.for_each_set(f));
            }
            Alias::Fun(fun) => {
                f(&fun.captures);
                fun.bound.iter().for_each(|alias| alias.for_each_set(f));
            }
            Alias::Made(made) => f(&made.captures),
        }
    }

    /// All regions of all parts.
    pub fn regions(&self) -> Set {
        if let Alias::Set(set) = self {
            return set.clone();
        }
        let mut all = Vec::new();
        self.for_each_set(&mut |set| all.extend(set.iter()));
        Set::of(all)
    }

    /// The value with every region replaced.
    pub fn map(&self, f: &mut dyn FnMut(Region) -> Region) -> Alias {
        self.map_sets(&mut |set| map_set(set, f))
    }

    /// The value with every set replaced.
    pub fn map_sets(&self, f: &mut dyn FnMut(&Set) -> Set) -> Alias {
        match self {
            Alias::None => Alias::None,
            Alias::Set(set) => Alias::Set(f(set)),
            Alias::Record(fields) => Alias::Record(
                fields.iter().map(|(n, alias)| (n.clone(), alias.map_sets(f))).collect(),
            ),
            Alias::Sum(ctors) => Alias::Sum(
                ctors
                    .iter()
                    .map(|(c, parts)| {
                        (c.clone(), parts.iter().map(|alias| alias.map_sets(f)).collect())
                    })
                    .collect(),
            ),
            Alias::Fun(fun) => Alias::Fun(Rc::new(FunAlias {
                captures: f(&fun.captures),
                bound: fun.bound.iter().map(|alias| alias.map_sets(f)).collect(),
                summary: Rc::new(Summary {
                    params: fun.summary.params.clone(),
                    consumes: fun.summary.consumes.clone(),
                    result: fun.summary.result.map_sets(f),
                    start: fun.summary.start,
                    end: fun.summary.end,
                }),
            })),
            Alias::Made(made) => Alias::made(f(&made.captures), f(&made.returns)),
        }
    }
}

fn map_set(set: &Set, f: &mut dyn FnMut(Region) -> Region) -> Set {
    let mapped: Vec<Region> = set.iter().map(&mut *f).collect();
    if mapped.iter().copied().eq(set.iter()) { set.clone() } else { Set::of(mapped) }
}
