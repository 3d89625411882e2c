//! Typed indices: things that are referred to have an id; tables are keyed by ids.
//!
//! `define_id!(pub struct Var, "v");` makes a `u32` newtype that prints as `v12`. [`IdVec`] is a
//! vector indexed by one id type, used both for owners (`IdVec<Var, VarInfo>`) and, when every
//! entity has a value, for side tables.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// What an id type provides; implemented by [`crate::define_id!`].
pub trait Id: Copy + Eq {
    /// The id with this index.
    fn from_index(index: usize) -> Self;
    /// The index of this id.
    fn index(self) -> usize;
}

/// Declares a newtype over `u32` that implements [`Id`] and prints as prefix and number.
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $vis:vis struct $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis struct $name(pub u32);

        impl $crate::id::Id for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 ids"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A vector whose index type is `I`.
#[derive(Clone, Debug)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    _index: PhantomData<fn(I)>,
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        IdVec { items: Vec::new(), _index: PhantomData }
    }
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self::default()
    }

    /// A vector of `len` copies of `value`.
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        IdVec { items: vec![value; len], _index: PhantomData }
    }

    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// Removes the items from this number on.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// Removes and returns the items from this number on.
    pub fn split_off(&mut self, len: usize) -> Vec<T> {
        self.items.split_off(len)
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item with this id, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All items, in order, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }

    /// All ids with their items, in order.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T: PartialEq> PartialEq for IdVec<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}
