//! Segs: what the operator makes at a position is made where the Seg's result has its element, so that nothing is copied.
//!
//! ```text
//! let rss = seg grid [n] () \(i) -> {         rss: fresh, 0 + {(n : m), (m : 1)}
//!   let rs = screma m ... in (rs)             rs: where rss is, i*m + {(m : 1)}
//! }
//! ```
//!
//! Where rows differ, the results of all of them are one after the other: a row has the positions from its start to its end.
//!
//! An array that the Seg does not return has no place: its elements go to the epilogue, if anywhere.

use super::Assign;
use crate::lmad::{Lmad, Pick};
use crate::table::{Place, contents};
use fehu_base::{OrBug, bug};
use fehu_facts::poly::Poly;
use fehu_ir::{Seg, Type, Var};

impl Assign<'_> {
    pub(super) fn seg(&mut self, pat: &[Var], seg: &mut Seg) {
        let at: Vec<Poly> = seg.indices().iter().map(|index| Poly::var(*index)).collect();
        let elements: Vec<(Var, Var)> =
            seg.elements().iter().copied().zip(seg.inputs.iter().copied()).collect();
        for (param, input) in &elements {
            if self.vars[*param].ty.is_array() {
                self.view(*param, *input, |lmad| lmad.fix(&at));
            }
        }
        let results = seg.body.body.results.clone();
        for (var, result) in pat.iter().zip(&results) {
            self.fresh(*var, *var);
            let made = result.var().filter(|made| contents(&self.vars[*made].ty).is_some());
            let (Some(made), Some(place)) = (made, self.table.place(*var).cloned()) else {
                continue;
            };
            let lmad = part_of(seg, &place.lmad, &self.vars[made].ty);
            let lmad = self.known(made, lmad);
            self.destined.insert(made, Place { block: place.block, lmad });
        }
        let parts = seg.parts().or_bug("the operator of a seg");
        let op: Vec<Var> = parts.op.pat.clone();
        let elided = op.iter().copied().filter(|var| !results.contains(&(*var).into()));
        self.table.elided.extend(elided);
        let outside = std::mem::replace(&mut self.beside_kernels, false);
        self.plain_body(&mut seg.body.body);
        self.beside_kernels = outside;
        // What is left was not made but changed: an element of an input.
        for (var, result) in pat.iter().zip(&results) {
            let Some(made) = result.var().filter(|made| self.destined.remove(made).is_some())
            else {
                continue;
            };
            let place = self.table.place(made);
            let is_changed = |(param, _): &&(Var, Var)| self.table.place(*param) == place;
            let Some((_, input)) = elements.iter().find(is_changed) else {
                bug("the operator of a seg makes an array elsewhere")
            };
            let block = self.table.place(*var).map(|place| place.block);
            self.same(*var, (*input).into());
            block.into_iter().for_each(|block| self.table.forget(block));
        }
        // Without dimensions the operator is known by the names of the Seg's results, too.
        if let (true, Some(inner), Some(outer)) = (seg.space.is_empty(), op.first(), pat.first()) {
            self.table.share_index(*inner, *outer);
        }
    }
}

/// Where the array of a Seg's result has what the function returns, by the type of the latter, at the present position.
fn part_of(seg: &Seg, whole: &Lmad, ret: &Type) -> Option<Lmad> {
    if let (true, Some([start, width])) = (seg.is_concatenated(ret), seg.row()) {
        return whole.slice(&[Pick::range(Poly::var(start), Poly::var(width))]);
    }
    whole.fix(&seg.indices().iter().map(|index| Poly::var(*index)).collect::<Vec<Poly>>())
}
