//! New arrays that consist of others: concatenations, literals and copies.
//!
//! Rows may be concatenated as well, each by a thread, after their parts were made by other kernels. Then all rows of a
//! part are made where they belong:
//!
//! ```text
//! let a = seg grid [n] ...                         a: fresh m0                            a: m2, 0 + {(n : p+q), (p : 1)}
//! let b = seg grid [n] ...                         b: fresh m1                    ==>     b: m2, p + {(n : p+q), (q : 1)}
//! let c = seg grid [n] \i ->                       c: fresh m2
//!   let x = index a[i]
//!   let y = index b[i]
//!   let z = concat (x, y)
//!   in z
//! ```

use super::scope::Scope;
use super::{Circuit, Why};
use crate::lmad::Pick;
use crate::prove::Proof;
use crate::table::{Origin, Place, poly, small};
use fehu_base::OrBug;
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Dim, Exp, Seg, Stm, Var};

/// A part of a new array.
struct Gathered {
    /// What it is, if it may be made in its place.
    value: Option<Var>,
    /// Its size along the dimension in which parts follow one another.
    size: Option<Atom>,
    /// Where it is in the new array.
    picks: Vec<Pick>,
}

impl<'a> Circuit<'a, '_> {
    pub(super) fn concat(&mut self, scope: &Scope<'a>, index: usize, var: Var, parts: &[Var]) {
        let values: Vec<(Option<Var>, Var)> =
            parts.iter().map(|part| (Some(*part), *part)).collect();
        if let Some(parts) = self.one_after_the_other(&[], &values) {
            self.gather(scope, index, var, &parts);
        }
    }

    /// The elements of an array literal.
    pub(super) fn literal(&mut self, scope: &Scope<'a>, index: usize, var: Var, atoms: &[Atom]) {
        let parts = (0..).zip(atoms).filter_map(|(at, atom)| {
            let value = atom.var()?;
            let size = self.vars[value].ty.shape().first().copied();
            let picks = vec![Pick::Fix(Poly::constant(at))];
            Some(Gathered { value: Some(value), size, picks })
        });
        let parts: Vec<Gathered> = parts.collect();
        self.gather(scope, index, var, &parts);
    }

    /// A Seg whose operator concatenates rows of arrays that were made before.
    pub(super) fn concat_rows(&mut self, scope: &Scope<'a>, index: usize, stm: &Stm, seg: &Seg) {
        let Some(Stm { exp: Exp::Concat(_, parts), .. }) = seg.body.body.stms.last() else {
            return;
        };
        let (Some(var), None) = (stm.pat.first(), seg.rows) else { return };
        let mut values: Vec<(Option<Var>, Var)> = Vec::with_capacity(parts.len());
        for part in parts {
            // Rows that nobody concatenates would need a place, too.
            let is_whole = |array: &Var| self.vars[*array].ty.shape().starts_with(&seg.space);
            let array = row_of(seg, *part).filter(is_whole);
            let well = array.is_none_or(|array| self.is_made_well(scope, *var, array));
            if let (Some(array), false) = (array, well) {
                self.refused.insert(array, Why::Order);
            }
            values.push((array.filter(|_| well), *part));
        }
        let around: Vec<Pick> =
            seg.space.iter().map(|size| Pick::range(Poly::default(), poly(*size))).collect();
        if let Some(parts) = self.one_after_the_other(&around, &values) {
            self.gather(scope, index, *var, &parts);
        }
    }

    /// Arrays that follow one another in the dimension after others; nothing if their places cannot be described. Each
    /// comes with the one that knows its size.
    fn one_after_the_other(
        &self,
        around: &[Pick],
        values: &[(Option<Var>, Var)],
    ) -> Option<Vec<Gathered>> {
        let mut start = Poly::default();
        let mut placed = Vec::with_capacity(values.len());
        for (value, part) in values {
            let size = self.vars[*part].ty.shape().first().copied();
            let length = size.map(poly).or_bug("size of a part of a concatenation");
            let next = start.add(&length)?;
            let mut picks = around.to_vec();
            picks.push(Pick::range(start, length));
            placed.push(Gathered { value: *value, size, picks });
            start = next;
        }
        Some(placed)
    }

    /// A copy of an array that nobody needs afterwards is that array.
    pub(super) fn copied(&mut self, scope: &Scope<'a>, index: usize, copy: Var, array: Var) {
        let Some(size) = self.vars[copy].ty.shape().first().copied() else { return };
        if self.is_made_well(scope, copy, array) {
            let picks = vec![Pick::range(Poly::default(), poly(size))];
            let all = Gathered { value: Some(array), size: Some(size), picks };
            self.gather(scope, index, copy, &[all]);
        } else {
            self.refused.insert(array, Why::Order);
        }
    }

    /// Whether an array may be made where its copy is. If the copy has another order, neighbours are far apart there:
    /// that is what the copy is for, unless rows are so short that writing them means writing to a few places, each
    /// from one end to the other.
    fn is_made_well(&mut self, scope: &Scope<'a>, copy: Var, array: Var) -> bool {
        let Ok(source) = self.source(scope, array) else { return true };
        let shape = self.vars[copy].ty.shape();
        let row: Vec<Atom> = source.order.iter().skip(1).map(|dim| shape[*dim]).collect();
        let inner = match self.table.orders.get(&copy) {
            Some(order) => order.last().copied(),
            None => shape.len().checked_sub(1),
        };
        source.order.last().copied() == inner || (!self.own_memory && small(&row).is_some())
    }

    /// Parts of a new array: those that can be are constructed there, and the new array is allocated before the first of them.
    fn gather(&mut self, scope: &Scope<'a>, index: usize, var: Var, parts: &[Gathered]) {
        let Some(place) = self.table.place(var).cloned() else { return };
        let Origin::Fresh { before, size } = self.table.blocks[place.block].origin.clone() else {
            return;
        };
        // Otherwise it is part of something else, and there may be other arrays.
        let is_new = scope.bound.get(&before) == Some(&index);
        let needed: Vec<Var> = size.iter().filter_map(|size| size.var()).collect();
        let mut first = index;
        for part in parts {
            let Some(value) = part.value else { continue };
            let Some(lmad) = place.lmad.slice(&part.picks) else { continue };
            let to = Place { block: place.block, lmad };
            let done = self.source(scope, value).and_then(|source| {
                if !self.fits(scope, source.made, part, parts) {
                    return Err(Why::Unchecked);
                }
                if is_new && !scope.known_at(&needed, source.made) {
                    return Err(Why::Unknown);
                }
                self.redirect(scope, index, value, var, &to, !is_new)
            });
            match done {
                Ok(made) => first = first.min(made),
                Err(why) => _ = self.refused.insert(value, why),
            }
        }
        if let (true, Some(before)) = (is_new, scope.body.stms[first].pat.first()) {
            self.table.blocks[place.block].origin = Origin::Fresh { before: *before, size };
        }
    }

    /// Whether a part of an array fits into it before a statement: the sum of all sizes is at least that of the part if
    /// none is negative. That holds for arrays that exist, and for sizes of which it is known by then; the size of one
    /// that is made later may be checked until then.
    fn fits(
        &mut self,
        scope: &Scope<'a>,
        made: usize,
        part: &Gathered,
        parts: &[Gathered],
    ) -> bool {
        let vars = self.vars;
        let exists = |var: Var| scope.bound.get(&var).is_none_or(|at| *at < made);
        let has_array = |size: Atom| {
            let known = scope.mentioned.iter().flatten().copied().filter(|var| exists(*var));
            let mut known = known.map(|var| vars[var].ty.shape());
            known.any(|shape| shape.contains(&size))
        };
        parts.iter().all(|other| {
            other.size == part.size
                || match other.size {
                    Some(size @ Atom::Var(_)) => {
                        other.value.is_some_and(exists)
                            || has_array(size)
                            || self.is_size(scope, made, size)
                    }
                    Some(size @ Atom::Const(_)) => poly(size).as_constant().is_some_and(|n| n >= 0),
                    None => true,
                }
        })
    }

    /// Whether a number is known not to be negative before a statement.
    fn is_size(&mut self, scope: &Scope<'a>, made: usize, size: Atom) -> bool {
        let mut proof = Proof::new(self.known.ranges());
        let is_size = proof.nonneg(&poly(size));
        let certs = proof.certs();
        is_size && scope.known_at(&certs, made)
    }
}

/// The array of which a variable in the function of a Seg is the row at the position at hand.
fn row_of(seg: &Seg, var: Var) -> Option<Var> {
    let mut elements = seg.elements().iter().zip(&seg.inputs);
    if let Some((_, input)) = elements.find(|(element, _)| **element == var) {
        return Some(*input);
    }
    let stm = seg.body.body.stms.iter().find(|stm| stm.pat.contains(&var))?;
    let Exp::Index(array, dims) = &stm.exp else { return None };
    let position = seg.indices().iter().map(|index| Dim::Fix(Atom::Var(*index)));
    dims.iter().cloned().eq(position).then_some(*array)
}
