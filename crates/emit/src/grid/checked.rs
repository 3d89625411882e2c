//! Elements whose function has checks.
//!
//! What comes after a check is not done if the check fails, so that a thread with several elements would wait for memory once for
//! each of them. So the function is cut at its checks, and the thread executes each part for all its elements before it goes on to
//! the next. Scalars that a later part needs are kept in registers.
//!
//! ```text
//! for k: c = columns[k]         for k: c[k] = columns[k]
//!        check c          ==>   for k: check c[k]
//!        y[k] = x[c]            for k: y[k] = x[c[k]]
//! ```

use super::super::Emit;
use super::super::combine::{Kept, Room};
use super::elements::{Order, Thread, Tile, loop_body};
use super::stage::u32_bin;
use fehu_imp::{Block, Exp, Stm, V};
use fehu_ir::free::free_in_stm;
use fehu_ir::{self as ir, Atom, BinOp, Type, Var};

/// Where a thread keeps the results of a function.
pub(super) struct Target<'k> {
    /// Results, and where they go.
    pub(super) results: Vec<(&'k [Atom], &'k [Kept])>,
    /// The number of the last element of the tile.
    pub(super) last: Exp,
}

impl Target<'_> {
    fn arrays(&self) -> Vec<V> {
        self.results.iter().flat_map(|(_, kept)| kept.iter()).flat_map(Kept::arrays).collect()
    }
}

impl<'a> Emit<'a> {
    /// Code that computes all elements of a thread, where those beyond the end repeat the last one; none if the function is too
    /// long, or does more than compute scalars and check them.
    pub(super) fn compute_all(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        to: &Target<'_>,
    ) -> Option<Block> {
        let body = &tile.op.map.body;
        let parts: Vec<&'a [ir::Stm]> =
            body.stms.chunk_by(|one, next| is_check(one) == is_check(next)).collect();
        match parts.iter().any(|part| is_check(&part[0])) {
            false => self.compute_part(tile, own, to, &[&body.stms], 0, &mut Vec::new()),
            true => self.compute_parts(tile, own, to, &parts),
        }
    }

    fn compute_parts(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        to: &Target<'_>,
        parts: &[&'a [ir::Stm]],
    ) -> Option<Block> {
        // Where an array is may depend on scalars that its name does not mention.
        let bound = parts.iter().flat_map(|part| part.iter()).flat_map(|stm| &stm.pat);
        if bound.copied().any(|var| matches!(self.ir[var].ty, Type::Array(..) | Type::Acc(_))) {
            return None;
        }
        let (mut code, mut carried) = (Block::new(), Vec::new());
        for number in 0..parts.len() {
            code.extend(self.compute_part(tile, own, to, parts, number, &mut carried)?);
        }
        if is_check(&parts[parts.len() - 1][0]) {
            let number = parts.len();
            code.extend(self.compute_part(tile, own, to, parts, number, &mut carried)?);
        }
        Some(vec![Stm::Section(code)])
    }

    /// One part of the function, for all elements of a thread. `carried` has the scalars of earlier parts that later ones need.
    fn compute_part(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        to: &Target<'_>,
        parts: &[&'a [ir::Stm]],
        number: usize,
        carried: &mut Vec<(Var, Kept)>,
    ) -> Option<Block> {
        let map = &tile.op.map;
        let part = parts.get(number).copied().unwrap_or_default();
        let later = parts.get(number + 1..).unwrap_or_default();
        let mut needed: Vec<Var> = Vec::new();
        for stm in later.iter().flat_map(|part| part.iter()) {
            needed.extend(free_in_stm(stm, self.ir));
        }
        // The last part has the results.
        let is_last =
            parts[parts.len().min(number + 1)..].is_empty() && !part.first().is_some_and(is_check);
        if !is_last {
            needed.extend(map.body.results.iter().filter_map(|result| result.var()));
        }
        let params: &[Var] = if number == 0 { &map.params } else { &[] };
        let bound = part.iter().flat_map(|stm| &stm.pat).chain(params).copied();
        let bound: Vec<Var> = bound.filter(|var| needed.contains(var)).collect();
        let mut kept: Vec<(Var, Kept)> = Vec::new();
        let mut code = self.block(|this| {
            for var in bound {
                if let Some(prim) = this.prim(var.into()) {
                    let room = Room::Registers(tile.items);
                    kept.push((var, this.keep_prims("carried", &[Some(prim)], None, &room)));
                }
            }
        });
        let work = self.block(|this| {
            this.each_item(tile, own, Order::Apart, |this, k, place| {
                let place = this.number("place", u32_bin(BinOp::Min, place, to.last.clone()));
                this.enter_element(tile, own, k, place);
                for (var, kept) in &*carried {
                    if let Some(value) = this.load_kept(kept, &Exp::Var(k))[0].value() {
                        this.scalars.insert(*var, value);
                    }
                }
                part.iter().for_each(|stm| this.stm(stm));
                for (var, kept) in &kept {
                    this.store_atoms(&[(*var).into()], std::slice::from_ref(kept), &Exp::Var(k));
                }
                for (results, kept) in to.results.iter().filter(|_| is_last) {
                    this.store_atoms(results, kept, &Exp::Var(k));
                }
            });
        });
        let mut arrays = to.arrays();
        arrays.extend(kept.iter().flat_map(|(_, kept)| kept.arrays()));
        let checks = part.first().is_some_and(is_check);
        let plain: Block = loop_body(&work)
            .iter()
            .filter(|stm| !checks || !matches!(stm, Stm::Assert(..)))
            .cloned()
            .collect();
        carried.append(&mut kept);
        code.extend(work);
        self.is_plain(&plain, &arrays).then_some(code)
    }
}

fn is_check(stm: &ir::Stm) -> bool {
    matches!(stm.exp, ir::Exp::Assert(..))
}
