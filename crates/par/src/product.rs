//! Products in nests: the version in which square tiles can share what they read.
//!
//! ```text
//! map (\x -> reduce (+) 0 (map (\(a, mean) -> let c = map2 (-) x mean in norm (map (\row -> dot row c) a)) ...)) xs
//! ```
//!
//! Whoever gives a thread or a block of threads to each `x` reads every `a` again for each of them. A tile of several
//! `x` and several rows of one `a` reads both once ([`crate::tiling`]), but it is a map: its elements are stored, and
//! what uses them, such as the norm here, is an operator of its own. On an H200, such a product of 1000 points and 200
//! matrices of 64 x 64 takes 0.36 ms in tiles, and 3.7 ms with a block for each point.
//!
//! So where a fold is found whose elements differ either along one of the levels or along an operator inside, there is
//! a version in which everything around it is distributed. It is taken if the tiles are full and many, and the array is
//! not too large.

use crate::context::{Cx, Home};
use crate::distribute::{only_block, only_outer};
use crate::is_sequential;
use crate::tiling::{Square, square};
use ecow::eco_format;
use fehu_facts::{Reads, Variance, Varies};
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::pass::RemarkKind;
use fehu_ir::subst::copy_body;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, FoldTiling, Stm, Type, Var};
use rustc_hash::FxHashMap;

/// With fewer steps, storing an element and reading it again takes longer than what a tile saves.
const LEAST_STEPS: i64 = 16;

/// A share of a tile has at least so many steps.
const STEPS_OF_A_SHARE: i64 = 64;

/// This many elements are enough for the machine, unless the user says something else.
const ENOUGH: i64 = 1 << 15;

/// More bytes than this are not stored.
const MOST: i64 = 1 << 30;

/// What is done about products in the nest at hand.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Products {
    /// Nobody has looked for one yet.
    #[default]
    Open,
    /// This is the version in which one has tiles.
    Tiled,
    /// This is the other one.
    Untiled,
}

/// A fold in a function for square tiles, the rows of which are a level.
pub(crate) struct Product {
    row: usize,
    steps: Atom,
    /// The widths of the operators inside of the levels and around the fold; the last one has the columns.
    widths: Vec<Atom>,
    /// The bytes of an element.
    bytes: i64,
    /// Whether the last one is a map, so that nothing follows the tiles.
    is_map: bool,
}

impl Product {
    /// Whether the version for the outer parallelism has the tiles: there is but a map around the fold.
    fn is_outer(&self) -> bool {
        self.is_map && self.widths.len() == 1
    }
}

impl Cx<'_> {
    /// The product in the function of the innermost level.
    pub(crate) fn product(&self, body: &Body) -> Option<Product> {
        let (variance, reads) = (self.variance(body), Reads::of_body(body));
        self.product_in(body, variance, &reads, &mut Vec::new())
    }

    fn product_in(
        &self,
        body: &Body,
        mut variance: Variance<'_>,
        reads: &Reads,
        widths: &mut Vec<Atom>,
    ) -> Option<Product> {
        for stm in &body.stms {
            if let Exp::Screma(op) = &stm.exp
                && op.scans.is_empty()
                && !is_sequential(stm)
                && self.is_host(op.width)
            {
                let column = self.levels.len() + widths.len();
                let mut inside = variance.clone();
                inside.enter(op, column);
                let rows = 0..self.levels.len();
                widths.push(op.width);
                let map = &op.map.body;
                if let Some(found) = square(map, &inside, (self.vars, reads), rows, column)
                    && self.is_host(found.steps)
                {
                    let (row, steps, is_map) = (found.row, found.steps, op.folded() == 0);
                    // At least as much as is stored: what is only passed on is not.
                    let is_passed = |result: &Atom| {
                        result.var().is_some_and(|var| op.map.params.contains(&var))
                    };
                    let stored = map
                        .results
                        .iter()
                        .zip(&op.map.ret)
                        .filter(|(result, _)| !is_passed(result));
                    let registers: u32 = stored.map(|(_, ty)| ty.registers()).sum();
                    let (widths, bytes) = (widths.clone(), 4 * i64::from(registers.max(1)));
                    return Some(Product { row, steps, widths, bytes, is_map });
                }
                if let Some(found) = self.product_in(map, inside, reads, widths) {
                    return Some(found);
                }
                widths.pop();
            }
            variance.stm(stm);
            // In this version, arrays are there before the operators that use them.
            for var in stm.pat.iter().filter(|var| self.vars[**var].ty.is_array()) {
                variance.set(*var, variance.atom((*var).into()).stored());
            }
        }
        None
    }

    /// The fold of a product, if it is in the function of the innermost level, whose positions are the columns.
    fn fold_of_product(&self, body: &Body) -> Option<Square> {
        let column = self.levels.len().checked_sub(1)?;
        let (variance, reads) = (self.variance(body), Reads::of_body(body));
        square(body, &variance, (self.vars, &reads), 0..column, column)
    }

    /// Whether this is the fold of a product whose tiles are full, and whose shares of tiles are enough: a batch of a
    /// few rows with long sums. None if it is no such fold.
    pub(crate) fn are_shares_enough(
        &mut self,
        body: &Body,
        threshold: Var,
        par: Atom,
    ) -> Option<Var> {
        let fold = self.fold_of_product(body)?;
        let columns = self.levels.last()?.width;
        if !fold.may_divide || !self.is_host(fold.steps) {
            return None;
        }
        let steps = Atom::i64(STEPS_OF_A_SHARE);
        let shares = self.named("shares", Exp::BinOp(BinOp::Quot, fold.steps, steps));
        let all = self.named("par", Exp::BinOp(BinOp::Mul, par, shares.into()));
        let enough = self.named("enough", Exp::CmpOp(CmpOp::Le, threshold.into(), all.into()));
        Some(self.and_full(enough, self.levels[fold.row].width, columns))
    }

    /// A condition, and that tiles with so many rows and columns are full.
    fn and_full(&mut self, cond: Var, rows: Atom, columns: Atom) -> Var {
        let mut worth = cond;
        for number in [rows, columns] {
            let side = Atom::i64(FoldTiling::LEAST_NARROW);
            let holds = self.named("full", Exp::CmpOp(CmpOp::Le, side, number));
            worth = self.named("worth", Exp::BinOp(BinOp::And, worth.into(), holds.into()));
        }
        worth
    }

    /// Along which levels the variables differ that the function of the innermost level mentions.
    fn variance(&self, body: &Body) -> Variance<'_> {
        let mut known = FxHashMap::default();
        let mut variance = Variance::new(self.vars);
        for var in free_in_body(body, self.vars) {
            variance.set(var, self.varies(var, &mut known));
        }
        variance
    }

    /// Along which levels a variable differs.
    fn varies(&self, var: Var, known: &mut FxHashMap<Var, Varies>) -> Varies {
        if let Some(varies) = known.get(&var) {
            return *varies;
        }
        let varies = match self.homes.get(&var) {
            Some(Home::Param(level, input)) => {
                let varies = self.varies(*input, known).and(Varies::along(*level));
                if matches!(self.vars[var].ty, Type::Scalar(_)) { varies.made() } else { varies }
            }
            Some(Home::Def(level, index)) => {
                let stm = &self.levels[*level].defs[*index];
                let mut variance = Variance::new(self.vars);
                for free in free_in_stm(stm, self.vars) {
                    variance.set(free, self.varies(free, known));
                }
                variance.stm(stm);
                variance.atom(var.into())
            }
            Some(Home::Stored(level, _)) => Varies::up_to(*level),
            Some(Home::Passed) | None => Varies::default(),
        };
        known.insert(var, varies);
        varies
    }

    /// Whether this is the version for tiles, and the function of the innermost level has one or contains one.
    pub(crate) fn has_tiles(&self, body: &Body) -> bool {
        let is_tiled = self.products == Products::Tiled;
        is_tiled && (self.fold_of_product(body).is_some() || self.product(body).is_some())
    }

    /// The function of the innermost level in the version for tiles, as far as there are products in it; none if it is
    /// like any other.
    pub(crate) fn in_tiles(
        &mut self,
        body: &Body,
        flat: &mut dyn FnMut(&mut Self) -> Vec<Var>,
    ) -> Option<Vec<Var>> {
        if self.products != Products::Tiled {
            return None;
        }
        if self.fold_of_product(body).is_some() {
            return Some(self.whole(body));
        }
        self.product(body).map(|_| flat(self))
    }

    /// Both versions of some work on the function of the innermost level, if there is a product in it; none otherwise,
    /// or if this has been decided.
    pub(crate) fn choose_tiles(
        &mut self,
        stm: &Stm,
        body: &Body,
        work: impl Fn(&mut Self) -> Vec<Var>,
    ) -> Option<Vec<Var>> {
        let is_decided = self.products != Products::Open || only_outer(stm) || only_block(stm);
        if is_decided || !self.may_choose() {
            return None;
        }
        let product = self.product(body).filter(|product| !product.is_outer())?;
        let worth = self.is_worth_tiles(&product);
        let text = "added a version in which a product has tiles of its own, if they are full";
        self.remark(RemarkKind::Done, stm.loc.as_ref(), text);
        let arrays =
            self.either(worth, &mut |cx| cx.with_products(Products::Tiled, &work), &mut |cx| {
                cx.with_products(Products::Untiled, &work)
            });
        // What the host does for all positions it does in both versions, where it has a name of its own.
        if let Some(Stm { exp: Exp::If(_, bodies), .. }) = self.out.last_mut() {
            bodies[1] = copy_body(&bodies[1], self.vars);
        }
        Some(arrays)
    }

    fn with_products(
        &mut self,
        products: Products,
        work: &dyn Fn(&mut Self) -> Vec<Var>,
    ) -> Vec<Var> {
        let before = std::mem::replace(&mut self.products, products);
        let arrays = work(self);
        self.products = before;
        arrays
    }

    /// Whether tiles are full and many, at run time.
    fn is_worth_tiles(&mut self, product: &Product) -> Var {
        let mut all = self.parallelism();
        for width in &product.widths {
            all = self.named("par", Exp::BinOp(BinOp::Mul, all, *width)).into();
        }
        let name = eco_format!("{}.suff_tile_par_{}", self.name, self.thresholds);
        self.thresholds += 1;
        let threshold = self.named("suff_tile_par", Exp::Tuning(name, Atom::i64(ENOUGH)));
        let columns = product.widths.last().copied().unwrap_or(Atom::i64(0));
        let worth = self.named("enough", Exp::CmpOp(CmpOp::Le, threshold.into(), all));
        let mut worth = self.and_full(worth, self.levels[product.row].width, columns);
        let pairs =
            [(Atom::i64(LEAST_STEPS), product.steps), (all, Atom::i64(MOST / product.bytes))];
        for (least, number) in pairs {
            let holds = self.named("full", Exp::CmpOp(CmpOp::Le, least, number));
            worth = self.named("worth", Exp::BinOp(BinOp::And, worth.into(), holds.into()));
        }
        worth
    }
}
