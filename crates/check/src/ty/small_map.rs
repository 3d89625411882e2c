//! A map for substitutions and fields, which mostly have a handful of entries.
//!
//! Up to [`FEW`] entries are in a vector that is searched from the start, which costs one small
//! allocation; only the substitutions that copy whole modules become hash maps.

use fehu_base::Span;
use fehu_syntax::ast::Ident;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The most entries that are searched one by one.
const FEW: usize = 8;

/// See the module.
#[derive(Clone, Debug)]
pub struct SmallMap<K, V> {
    entries: Vec<(K, V)>,
    /// Where the keys are, if there are many.
    positions: FxHashMap<K, usize>,
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        SmallMap { entries: Vec::new(), positions: FxHashMap::default() }
    }
}

impl<K: Copy + Eq + Hash, V> SmallMap<K, V> {
    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.position(key).map(|i| &self.entries[i].1)
    }

    /// Whether a key has a value.
    pub fn contains_key(&self, key: &K) -> bool {
        self.position(key).is_some()
    }

    /// Gives a key a value, in place of the one it had.
    pub fn insert(&mut self, key: K, value: V) {
        if let Some(i) = self.position(&key) {
            self.entries[i].1 = value;
            return;
        }
        self.entries.push((key, value));
        let len = self.entries.len();
        if len == FEW + 1 {
            self.positions = self.entries.iter().enumerate().map(|(i, (k, _))| (*k, i)).collect();
        } else if len > FEW {
            self.positions.insert(key, len - 1);
        }
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries, in the order in which their keys came.
    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.entries.iter()
    }

    /// The values, in the order in which their keys came.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }

    fn position(&self, key: &K) -> Option<usize> {
        if self.entries.len() > FEW {
            return self.positions.get(key).copied();
        }
        self.entries.iter().position(|(k, _)| k == key)
    }
}

impl<'a> SmallMap<&'a str, Span> {
    /// The place at which a name was met first, if it was met before; otherwise it is now.
    pub fn first_span(&mut self, name: &'a Ident) -> Option<Span> {
        let first = self.get(&name.name.as_str()).copied();
        if first.is_none() {
            self.insert(&name.name, name.span);
        }
        first
    }
}
