//! A map from ids to values, for side tables in which many ids, but not all, have a value.

use crate::id::Id;

/// A map keyed by ids: a vector of positions, indexed by id, and the entries in the order in which
/// they came. Looking up is two array accesses; iteration is in that order, the same in every run.
///
/// The vector reaches from the least to the greatest id that has a value, so that a map for a small
/// part of a large tree is small.
#[derive(Clone, Debug)]
pub struct IdMap<I, T> {
    /// One more than the position of an id's entry; 0 if it has none.
    positions: Vec<u32>,
    /// The index of the id to which the first position belongs.
    first: usize,
    entries: Vec<(I, T)>,
}

impl<I, T> Default for IdMap<I, T> {
    fn default() -> Self {
        IdMap { positions: Vec::new(), first: 0, entries: Vec::new() }
    }
}

impl<I: Id, T> IdMap<I, T> {
    /// Gives an id a value, and returns the one it had.
    pub fn insert(&mut self, id: I, value: T) -> Option<T> {
        let offset = self.reach(id.index());
        match self.positions[offset] {
            0 => {
                self.entries.push((id, value));
                self.positions[offset] = self.entries.len() as u32;
                None
            }
            position => {
                let entry = &mut self.entries[position as usize - 1];
                Some(std::mem::replace(&mut entry.1, value))
            }
        }
    }

    /// Puts what another map has before what is here; `new_id` says what ids become, and `None` for what is left out.
    pub fn adopt(&mut self, other: IdMap<I, T>, new_id: impl Fn(I) -> Option<I>) {
        let here = std::mem::take(self);
        for (id, value) in other.entries {
            if let Some(id) = new_id(id) {
                self.insert(id, value);
            }
        }
        for (id, value) in here.entries {
            self.insert(id, value);
        }
    }

    /// Where an id's position stands; the vector is extended to have one.
    fn reach(&mut self, index: usize) -> usize {
        if self.positions.is_empty() {
            self.first = index;
        } else if index < self.first {
            // At least as many as there are, so that many extensions cost little.
            let more = (self.first - index).max(self.positions.len()).min(self.first);
            self.positions.splice(0..0, std::iter::repeat_n(0, more));
            self.first -= more;
        }
        let offset = index - self.first;
        if offset >= self.positions.len() {
            self.positions.resize(offset + 1, 0);
        }
        offset
    }

    /// The value of an id.
    pub fn get(&self, id: &I) -> Option<&T> {
        let offset = id.index().wrapping_sub(self.first);
        let position = *self.positions.get(offset)? as usize;
        self.entries.get(position.wrapping_sub(1)).map(|(_, value)| value)
    }

    /// Whether an id has a value.
    pub fn contains_key(&self, id: &I) -> bool {
        self.get(id).is_some()
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The ids with their values, in the order in which the ids were first given one.
    pub fn iter(&self) -> impl Iterator<Item = &(I, T)> {
        self.entries.iter()
    }

    /// The values, in the order in which their ids were first given one.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::define_id!(
        struct Node, "n"
    );

    #[test]
    fn a_map_of_ids() {
        let mut map = IdMap::default();
        assert_eq!(map.insert(Node(70), "a"), None);
        assert_eq!(map.insert(Node(72), "b"), None);
        assert_eq!(map.insert(Node(70), "c"), Some("a"));
        assert_eq!(map.insert(Node(69), "d"), None);
        assert_eq!(map.insert(Node(3), "e"), None);
        assert_eq!(map.get(&Node(70)), Some(&"c"));
        assert_eq!(map.get(&Node(72)), Some(&"b"));
        assert_eq!(map.get(&Node(3)), Some(&"e"));
        for absent in [0, 2, 4, 68, 71, 73, 1000] {
            assert!(!map.contains_key(&Node(absent)), "{absent}");
        }
        let order = [(Node(70), "c"), (Node(72), "b"), (Node(69), "d"), (Node(3), "e")];
        assert!(map.iter().eq(&order));
        assert_eq!((map.len(), map.is_empty()), (4, false));
        let mut next = IdMap::default();
        next.insert(Node(72), "f");
        next.adopt(map, |Node(n)| (n < 72).then_some(Node(n + 10)));
        let order = [(Node(80), "c"), (Node(79), "d"), (Node(13), "e"), (Node(72), "f")];
        assert!(next.iter().eq(&order));
    }
}
