//! Layouts: in which order arrays lie in memory, so that neighbouring threads of a device access neighbouring elements.
//!
//! A thread that goes through a row of its own reads elements which are a row apart from those of its neighbours. If the rows lie
//! in memory as columns, the elements that neighbours read at the same time are neighbours as well, and one transaction gets
//! them all. So an array has an *order*: its dimensions as they lie in memory, the outermost first.
//!
//! ```text
//! map (\row -> loop over row) a          a: [n][m], read by thread i at [i, k]      the order (1, 0) suits it
//! map (\i -> array of a thread) is       r: [n][m], written likewise                the order (1, 0) suits it
//! map (map f) a                          a: [n][m], read by thread (i, j)           as it is
//! ```
//!
//! Each kernel says what would suit it, and what another order would cost it ([`kernel`], in estimates of [`cost`]).
//! Arrays that are one array under several names, because loops and branches pass them on, have one order ([`webs`]):
//! that in which all that make, read and return them cost least. So a kernel writes the order that those want which
//! read its results. What comes from elsewhere is in row-major order, and so is what goes elsewhere (`host` knows what
//! that is).
//!
//! Where the order of an array does not suit a kernel, it reads a copy, if that costs less. It is a `manifest` that is added to
//! the program, in front of the kernel, or of the outermost loop around it in which the array does not change.
//!
//! The orders are part of the table ([`Table::orders`](crate::table::Table)); `assign` obeys them.

mod copies;
mod cost;
mod host;
mod kernel;
mod webs;

use cost::{COPY, is_small};
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_facts::Origin;
use fehu_ir::{Body, Loc, Var, VarInfo};
use host::{Found, Step, Way, inverse, often};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How orders are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layouts {
    /// All arrays are in row-major order.
    RowMajor,
    /// So that neighbouring threads of a device access neighbouring elements.
    Coalesced,
    /// By chance, for tests: no result depends on it.
    Any(u64),
}

/// The orders of arrays that are not in row-major order.
pub type Orders = FxHashMap<Var, Vec<usize>>;

/// An order that was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// The array.
    pub array: Var,
    /// Its dimensions as they lie in memory.
    pub order: Vec<usize>,
    /// Whether it is a copy of another one. Otherwise it is made like this.
    pub is_copy: bool,
    /// Where it is made, or where the kernel is that reads the copy.
    pub loc: Option<Loc>,
}

/// Chooses orders for the arrays of a function, and adds copies.
pub(crate) fn choose(
    layouts: Layouts,
    params: &[Var],
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
) -> (Orders, Vec<Chosen>) {
    if layouts == Layouts::RowMajor {
        return (Orders::default(), Vec::new());
    }
    let found = host::look(params, body, vars);
    let (mut orders, mut chosen) = found.orders(layouts, vars);
    copies::copies(layouts, &found, body, vars, &mut orders, &mut chosen);
    (orders, chosen)
}

impl Layouts {
    /// If chance decides: an order of so many dimensions for something with this number.
    fn by_chance(self, number: usize, rank: usize) -> Option<Vec<usize>> {
        let Layouts::Any(seed) = self else { return None };
        let mut state = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number as u64;
        let mut order: Vec<usize> = (0..rank).collect();
        for last in (1..rank).rev() {
            state = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            order.swap(last, (state >> 33) as usize % (last + 1));
        }
        Some(order)
    }
}

/// Something that suits one order of an array.
struct Wish {
    order: Vec<usize>,
    /// Whether only this one suits it; otherwise all that end with the same dimension.
    is_exact: bool,
    /// What it costs if there is another one.
    cost: u64,
}

impl Wish {
    fn cost(&self, order: &[usize]) -> u64 {
        let suits = match self.is_exact {
            true => self.order == order,
            false => self.order.last() == order.last(),
        };
        if suits { 0 } else { self.cost }
    }
}

impl Found {
    /// The order of each array, by what suits those that make and use it.
    fn orders(&self, layouts: Layouts, vars: &IdVec<Var, VarInfo>) -> (Orders, Vec<Chosen>) {
        let mut best: FxHashMap<Var, Vec<usize>> = FxHashMap::default();
        for (web, wishes) in self.wishes(vars) {
            let shape = vars[web].ty.shape();
            if self.webs.is_pinned(web) {
                continue;
            }
            if let Some(order) = layouts.by_chance(web.index(), shape.len()) {
                best.insert(web, order);
                continue;
            }
            if is_small(shape) {
                continue;
            }
            let total = |order: &[usize]| wishes.iter().map(|wish| wish.cost(order)).sum::<u64>();
            let plain: Vec<usize> = (0..shape.len()).collect();
            let mut least = (total(&plain), plain);
            for wish in &wishes {
                let cost = total(&wish.order);
                if cost < least.0 {
                    least = (cost, wish.order.clone());
                }
            }
            best.insert(web, least.1);
        }
        let mut arrays: Vec<Var> = self.depth.keys().copied().collect();
        arrays.sort_unstable();
        let (mut orders, mut chosen) = (Orders::default(), Vec::new());
        for array in arrays {
            let (web, dims) = self.webs.find(array, vars[array].ty.rank());
            let places = inverse(&dims);
            let order = best.get(&web).map(|order| order.iter().map(|dim| places[*dim]).collect());
            let Some(order) = order.filter(|order: &Vec<usize>| !order.is_sorted()) else {
                continue;
            };
            orders.insert(array, order.clone());
            if self.writes.iter().any(|(access, _)| access.array == array) {
                let loc = self.locs.get(&array).cloned();
                chosen.push(Chosen { array, order, is_copy: false, loc });
            }
        }
        (orders, chosen)
    }

    /// What suits those that make and use the arrays of each web.
    fn wishes(&self, vars: &IdVec<Var, VarInfo>) -> BTreeMap<Var, Vec<Wish>> {
        let mut wishes: BTreeMap<Var, Vec<Wish>> = BTreeMap::new();
        let mut add = |array: Var, mut wish: Wish| {
            let (web, dims) = self.webs.find(array, wish.order.len());
            wish.order.iter_mut().for_each(|dim| *dim = dims[*dim]);
            wishes.entry(web).or_default().push(wish);
        };
        for (access, often) in &self.writes {
            let (order, cost) = (access.order.clone(), access.cost * often);
            add(access.array, Wish { order, is_exact: false, cost });
        }
        for kernel in &self.kernels {
            for read in kernel.reads_together() {
                let Origin { root, dims, .. } = self.views.origin(read.array, vars);
                // What is the same everywhere is outside.
                let rank = vars[root].ty.rank();
                let mut order: Vec<usize> = (0..rank).filter(|dim| !dims.contains(dim)).collect();
                order.extend(read.order.iter().map(|dim| dims[*dim]));
                // If another order is chosen, there can be a copy.
                let copy = COPY * often(self.before(read.array, &kernel.path).0);
                let cost = (read.cost * often(&kernel.path)).min(copy);
                add(root, Wish { order, is_exact: false, cost });
            }
        }
        for (array, order, often) in &self.moves {
            add(*array, Wish { order: order.clone(), is_exact: true, cost: COPY * often });
        }
        wishes
    }

    /// Where a copy of an array can be made for something: the way to the body, and the statement in front of which, if
    /// that is not the one that needs it.
    fn before<'p>(&self, array: Var, path: &'p [Step]) -> (&'p [Step], Option<Var>) {
        let depth = self.depth.get(&array).copied().unwrap_or(0).min(path.len());
        let outermost =
            (depth..path.len()).find(|k| path[*k].way == Way::Repeated && path[*k].stm.is_some());
        match outermost {
            Some(k) => (&path[..k], path[k].stm),
            None => (path, None),
        }
    }
}
