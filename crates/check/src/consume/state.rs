//! What is known at one point of the program: which regions exist, which were consumed, and when
//! each was last used.
//!
//! Consumption depends on the path of execution. Instead of copying tables, branches write into one
//! table and a trail remembers what they wrote, so that it can be taken back ([`Checker::rollback`])
//! and joined with the other branches ([`Checker::join_branches`]).

use super::alias::{Alias, Region, Set};
use super::{Checker, errors};
use crate::ty::{Arg, Ty, VarId};
use ecow::EcoString;
use fehu_base::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::rc::Rc;

/// What is known about a region.
#[derive(Clone, Debug)]
pub(super) struct RegionInfo {
    /// The first variable it was bound to.
    pub(super) name: Option<VarId>,
    /// The part of that variable: `.world.cells`, or nothing for all of it.
    pub(super) path: EcoString,
    /// Whose memory it is.
    pub(super) owner: Owner,
    /// How it was consumed, if it was on the current path.
    pub(super) consumed: Option<Rc<Consumption>>,
    /// Its last use.
    pub(super) used: Option<Use>,
    /// Whether an error about it was reported; one is enough.
    pub(super) reported: bool,
}

/// Whose memory a region is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Owner {
    /// Ours: fresh, or a parameter marked `*`.
    Here,
    /// The caller's: a parameter without `*`.
    Caller,
    /// Everybody's: a global.
    Global,
    /// A loop parameter whose type was written without `*`.
    Loop,
    /// A function's, which consumes it when it is called: `f x` where more arguments are to come.
    Closure,
}

/// A use of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// When, by [`Checker::clock`].
    pub(super) time: u32,
    /// Where.
    pub(super) span: Span,
    /// Through which variable.
    pub(super) var: Option<VarId>,
}

/// How something was consumed.
#[derive(Clone, Debug)]
pub(super) struct Consumption {
    /// Where.
    pub(super) span: Span,
    /// What was written there, if it is a variable.
    pub(super) var: Option<VarId>,
    /// By what.
    pub(super) by: By,
    /// The edits that make it consume a copy instead.
    pub(super) copy: Vec<(Span, String)>,
    /// Whether a use after it was reported.
    pub(super) reported: Cell<bool>,
}

impl Consumption {
    /// A consumption.
    pub(super) fn new(
        span: Span,
        var: Option<VarId>,
        by: By,
        copy: Vec<(Span, String)>,
    ) -> Rc<Consumption> {
        Rc::new(Consumption { span, var, by, copy, reported: Cell::new(false) })
    }
}

/// What consumed something.
#[derive(Clone, Debug)]
pub(super) enum By {
    /// An in-place update.
    Update,
    /// A call of the function with this name, if it has one.
    Call(Option<EcoString>),
    /// A call of a function that had been given the value before.
    LaterCall,
    /// A loop whose parameter with this name is consumed.
    Loop(Option<EcoString>),
}

/// Why something cannot be consumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Obstacle {
    /// A parameter without `*`.
    Parameter,
    /// A global.
    Global,
    /// Free in a function.
    FreeInFunction,
    /// Free in the size of a type.
    FreeInSize,
    /// Free in a loop.
    FreeInLoop,
    /// A loop parameter written without `*`.
    LoopParameter,
}

/// What a [`Scope`] is the body of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A lambda or local function.
    Function,
    /// A loop.
    Loop,
    /// The size of a type.
    Size,
}

/// The body of a function or loop, which must not consume what is older than `floor`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The first region of its own.
    pub(super) floor: Region,
    /// Whose body it is.
    pub(super) kind: Kind,
}

/// What one of several alternatives did.
pub(super) struct Branch {
    alias: Alias,
    consumed: Vec<(Region, Rc<Consumption>)>,
}

impl<'a> Checker<'a> {
    /// A new region without a name.
    pub(super) fn region(&mut self, owner: Owner) -> Region {
        self.regions.push(RegionInfo {
            name: None,
            path: EcoString::new(),
            owner,
            consumed: None,
            used: None,
            reported: false,
        })
    }

    /// The region that the next call of [`Checker::region`] makes.
    pub(super) fn next_region(&self) -> Region {
        Region(self.regions.len() as u32)
    }

    /// A new region for every part of a value of the type that can share memory.
    pub(super) fn fresh(&mut self, ty: &Ty, owner: Owner) -> Alias {
        match ty {
            Ty::Prim(_) | Ty::Error => Alias::None,
            Ty::Unique(inner) => self.fresh(inner, owner),
            Ty::Record(fields) => Alias::Record(
                fields.iter().map(|(f, t)| (f.clone(), self.fresh(t, owner))).collect(),
            ),
            Ty::Sum(ctors) => Alias::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| (c.clone(), ts.iter().map(|t| self.fresh(t, owner)).collect()))
                    .collect(),
            ),
            Ty::Array(..) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) => {
                Alias::Set(Set::one(self.region(owner)))
            }
        }
    }

    /// A new region for a fresh result of the type; functions capture nothing.
    pub(super) fn fresh_value(&mut self, ty: Option<&Ty>) -> Alias {
        match ty {
            Some(Ty::Fun(_)) | None => Alias::None,
            Some(ty) => self.fresh(ty, Owner::Here),
        }
    }

    /// Gives the regions that have no name yet the variable's.
    pub(super) fn name(&mut self, var: VarId, alias: &Alias) {
        self.name_part(var, alias, &mut Vec::new());
    }

    fn name_part(&mut self, var: VarId, alias: &Alias, path: &mut Vec<EcoString>) {
        match alias {
            Alias::None | Alias::Fun(_) | Alias::Made(_) => {}
            Alias::Set(set) => {
                for region in set.iter() {
                    let info = &mut self.regions[region];
                    if info.name.is_none() {
                        info.name = Some(var);
                        info.path = path.iter().map(|f| ecow::eco_format!(".{f}")).collect();
                    }
                }
            }
            Alias::Record(fields) => {
                for (field, alias) in fields.iter() {
                    path.push(field.clone());
                    self.name_part(var, alias, path);
                    path.pop();
                }
            }
            Alias::Sum(ctors) => {
                for alias in ctors.iter().flat_map(|(_, parts)| parts) {
                    self.name_part(var, alias, path);
                }
            }
        }
    }

    /// Notes a use of the value, which must not have been consumed.
    pub(super) fn observe(&mut self, alias: &Alias, span: Span, var: Option<VarId>) {
        self.clock += 1;
        let time = self.clock;
        let in_function = self.function_depth > 0;
        alias.for_each_set(&mut |set| {
            for region in set.iter() {
                self.regions[region].used = Some(Use { time, span, var });
                if in_function {
                    self.log.push(region);
                }
                self.require_alive(region, span, var);
            }
        });
    }

    /// Checks that a value which was computed earlier has not been consumed since.
    pub(super) fn still_alive(&mut self, alias: &Alias, span: Span) {
        alias.for_each_set(&mut |set| {
            for region in set.iter() {
                self.require_alive(region, span, None);
            }
        });
    }

    fn require_alive(&mut self, region: Region, span: Span, var: Option<VarId>) {
        let info = &mut self.regions[region];
        let Some(consumption) = info.consumed.clone() else { return };
        // A value without a name was made from something whose use was reported, if it was.
        if info.reported || (var.is_none() && consumption.reported.get()) {
            return;
        }
        info.reported = true;
        consumption.reported.set(true);
        let error = errors::use_after_consume(self, region, span, var, &consumption);
        self.diagnostics.push(error);
    }

    /// Consumes every region of the set, as far as that is allowed.
    pub(super) fn consume(&mut self, set: &Set, consumption: &Rc<Consumption>) {
        let mut refused = false;
        for region in self.expand(set).iter() {
            if let Some(obstacle) = self.obstacle(region) {
                if !refused && !self.regions[region].reported {
                    refused = true;
                    self.regions[region].reported = true;
                    let error = errors::not_consumable(self, region, obstacle, consumption);
                    self.diagnostics.push(error);
                }
            } else {
                self.require_alive(region, consumption.span, consumption.var);
                self.mark_consumed(region, consumption);
            }
        }
    }

    /// Why the region cannot be consumed here.
    pub(super) fn obstacle(&self, region: Region) -> Option<Obstacle> {
        match self.regions[region].owner {
            Owner::Global => return Some(Obstacle::Global),
            Owner::Caller => return Some(Obstacle::Parameter),
            Owner::Loop => return Some(Obstacle::LoopParameter),
            Owner::Here | Owner::Closure => {}
        }
        match self.scopes.last() {
            Some(scope) if region < scope.floor => {
                // The innermost function or size decides on the words: a loop inside it changes nothing.
                let mut outer = self.scopes.iter().rev().filter(|scope| region < scope.floor);
                Some(match outer.find(|scope| scope.kind != Kind::Loop).map(|scope| scope.kind) {
                    Some(Kind::Function) => Obstacle::FreeInFunction,
                    Some(Kind::Size) => Obstacle::FreeInSize,
                    Some(Kind::Loop) | None => Obstacle::FreeInLoop,
                })
            }
            Some(_) | None => None,
        }
    }

    /// Whether the region belongs to the surroundings of the innermost function or loop.
    pub(super) fn is_free(&self, region: Region) -> bool {
        self.regions[region].owner == Owner::Global
            || self.scopes.last().is_some_and(|scope| region < scope.floor)
    }

    /// Marks the region as consumed on this path.
    pub(super) fn mark_consumed(&mut self, region: Region, consumption: &Rc<Consumption>) {
        for region in self.descendants(region) {
            let info = &mut self.regions[region];
            if info.consumed.is_none() {
                info.consumed = Some(consumption.clone());
                self.trail.push(region);
            }
        }
    }

    /// Takes back every consumption since the trail had this length.
    pub(super) fn rollback(&mut self, mark: usize) -> Vec<(Region, Rc<Consumption>)> {
        let regions: Vec<Region> = self.trail.drain(mark..).collect();
        regions.into_iter().filter_map(|r| Some((r, self.regions[r].consumed.take()?))).collect()
    }

    /// Runs one of several alternatives and takes its consumption back.
    pub(super) fn branch(&mut self, run: impl FnOnce(&mut Self) -> Alias) -> Branch {
        let mark = self.trail.len();
        let alias = run(self);
        Branch { alias, consumed: self.rollback(mark) }
    }

    /// The state and the value after one of the alternatives has run.
    ///
    /// What any of them consumed is consumed. If an alternative that left a region alone yields it,
    /// then the value is alive on that path, although the region's other names are not: it gets a
    /// new region, the same one in all parts, so that parts that share memory still meet.
    pub(super) fn join_branches(&mut self, branches: Vec<Branch>) -> Alias {
        let mut all = FxHashSet::default();
        for (region, consumption) in branches.iter().flat_map(|b| &b.consumed) {
            all.insert(*region);
            self.mark_consumed(*region, consumption);
        }
        let mut ghosts: FxHashMap<Region, Region> = FxHashMap::default();
        let mut result = Alias::None;
        for branch in branches {
            let own: FxHashSet<Region> = branch.consumed.iter().map(|(r, _)| *r).collect();
            let alias = if own.len() == all.len() {
                branch.alias
            } else {
                self.expand_all(branch.alias).map(&mut |region| {
                    if !all.contains(&region) || own.contains(&region) {
                        return region;
                    }
                    *ghosts.entry(region).or_insert_with(|| self.ghost(region))
                })
            };
            result = result.join(&alias);
        }
        result
    }

    /// A new region for memory whose old names must not be used any more.
    pub(super) fn ghost(&mut self, region: Region) -> Region {
        let info = RegionInfo {
            consumed: None,
            used: None,
            reported: false,
            ..self.regions[region].clone()
        };
        self.regions.push(info)
    }

    /// The name of the region's variable.
    pub(super) fn region_name(&self, region: Region) -> Option<&'a EcoString> {
        self.regions[region].name.map(|var| &self.vars[var].name)
    }
}

/// Whether values of the type can share memory.
pub(super) fn may_alias(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(_) | Ty::Error => false,
        Ty::Unique(inner) => may_alias(inner),
        Ty::Record(fields) => fields.iter().any(|(_, t)| may_alias(t)),
        Ty::Sum(ctors) => ctors.iter().any(|(_, ts)| ts.iter().any(may_alias)),
        Ty::Array(..) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) => true,
    }
}

/// Whether values of the type are or contain functions.
pub(super) fn has_function(ty: &Ty) -> bool {
    match ty {
        Ty::Fun(_) => true,
        Ty::Prim(_) | Ty::Error | Ty::Meta(_) => false,
        Ty::Unique(inner) | Ty::Array(_, inner) => has_function(inner),
        Ty::Record(fields) => fields.iter().any(|(_, t)| has_function(t)),
        Ty::Sum(ctors) => ctors.iter().any(|(_, ts)| ts.iter().any(has_function)),
        Ty::Con(_, args) => args.iter().any(|arg| match arg {
            Arg::Type(ty) => has_function(ty),
            Arg::Size(_) => false,
        }),
    }
}
