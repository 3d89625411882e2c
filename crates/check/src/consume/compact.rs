//! Keeping sets small.
//!
//! Programs, generated ones above all, have long chains of bindings in which every value may share
//! memory with all values before it. Two measures keep their sets short.
//!
//! - What an expression made for itself can be reached through its value only. Regions of its own
//!   that are in the same parts of the value cannot be told apart by anything that follows, and
//!   become one ([`Checker::compact`]).
//! - A large set becomes one *derived* region, which has the regions of the set as parents
//!   ([`Checker::derive`]). Consuming a region takes everything that is derived from it along, so a
//!   use looks at one region only. Whoever compares sets [expands](Checker::expand) them first.

use super::Checker;
use super::alias::{Alias, Region, Set};
use super::state::Owner;
use rustc_hash::{FxHashMap, FxHashSet};

/// Sets that are larger become a derived region.
const LARGE: usize = 32;

impl<'a> Checker<'a> {
    /// Merges the regions from `mark` on that are in the same parts of the value. They must all have
    /// been made while the value was computed.
    pub(super) fn compact(&mut self, alias: Alias, mark: Region) -> Alias {
        let mut part = 0;
        let mut parts: FxHashMap<Region, Vec<u32>> = FxHashMap::default();
        alias.for_each_set(&mut |set| {
            part += 1;
            for region in set.iter().filter(|&r| r >= mark && self.parents(r).is_none()) {
                parts.entry(region).or_default().push(part);
            }
        });
        if parts.len() < 2 {
            return alias;
        }
        let mut merged: FxHashMap<(Vec<u32>, bool, Owner), Region> = FxHashMap::default();
        alias.map(&mut |region| match parts.get(&region) {
            Some(parts) => {
                let info = &self.regions[region];
                let key = (parts.clone(), info.consumed.is_some(), info.owner);
                *merged.entry(key).or_insert(region)
            }
            None => region,
        })
    }

    /// The set, or a derived region for it if it is large.
    pub(super) fn derive(&mut self, set: Set) -> Set {
        if set.len() <= LARGE {
            return set;
        }
        let region = self.region(Owner::Here);
        for parent in set.iter() {
            self.children.entry(parent).or_default().push(region);
        }
        self.parents.insert(region, set);
        Set::one(region)
    }

    /// The set with all parents in place of derived regions.
    pub(super) fn expand(&self, set: &Set) -> Set {
        if set.iter().all(|region| self.parents(region).is_none()) {
            return set.clone();
        }
        let mut seen: FxHashSet<Region> = set.iter().collect();
        let mut work: Vec<Region> = set.iter().collect();
        let mut all = Vec::new();
        while let Some(region) = work.pop() {
            match self.parents(region) {
                Some(parents) => work.extend(parents.iter().filter(|&r| seen.insert(r))),
                None => all.push(region),
            }
        }
        Set::of(all)
    }

    /// The value with all sets expanded.
    pub(super) fn expand_all(&self, alias: Alias) -> Alias {
        if self.parents.is_empty() { alias } else { alias.map_sets(&mut |set| self.expand(set)) }
    }

    /// Everything derived from a region, the region included.
    pub(super) fn descendants(&self, region: Region) -> Vec<Region> {
        let mut all = vec![region];
        if self.children.contains_key(&region) {
            let mut seen = FxHashSet::default();
            let mut next = 0;
            while let Some(&region) = all.get(next) {
                next += 1;
                let children = self.children.get(&region).map_or(&[][..], Vec::as_slice);
                all.extend(children.iter().copied().filter(|&r| seen.insert(r)));
            }
        }
        all
    }

    fn parents(&self, region: Region) -> Option<&Set> {
        if self.parents.is_empty() { None } else { self.parents.get(&region) }
    }
}
