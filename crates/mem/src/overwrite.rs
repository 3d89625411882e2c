//! `overwrite`: maps that may overwrite their input do, and loops their parameters.
//!
//! ```text
//! let b = map (\x -> x + 1) a           a: fresh m0, 0 + {(n : 1)}
//!                                       b: fresh m1, 0 + {(n : 1)}    ==>    b: m0, 0 + {(n : 1)}
//! ```
//!
//! # The rule
//!
//! The result of a map at a position is a scalar. It is stored where an input has its element at the position, if
//!
//! * both have elements of one type and the same sizes, and the result fills a block of its own in the way in which the
//!   input is in its block. Then everything in the former block is in the latter;
//! * the function reads nothing of what may be this memory but the element at its own position: as an element of an
//!   input, or by indexing with the position. All reads of a position come before its write, and positions have
//!   different elements, so that it does not matter who executes them, or when. Functions that allocate are left alone:
//!   on a device they may have to begin again;
//! * the memory is ours: allocated in this function, or an argument that is consumed, and not that of a constant or of
//!   what a call returned;
//! * nobody needs what was there (`Site::is_last_use`): nothing that may be this memory is used after the map, in its body or in
//!   those around it; nor in another iteration of a loop, or at another position of an operator, around the map.
//!
//! A parameter of a loop whose next value is a map of it is such an input, if its first value is not needed again: the
//! loop then works on a single block instead of two that alternate. So it does if the next value is made in any other
//! way, by a statement that has nothing to do with the parameter any more: a transposed copy of something that was made
//! of it, for instance. And so does a scan or reduction of arrays whose operator is a map: what it yields is stored where the
//! value so far is.
//!
//! [`crate::roots`] says which blocks may be the same memory at run time.

use crate::roots::Roots;
use crate::table::{BlockId, Computed, Origin, Place, Placed, Table};
use fehu_base::IdVec;
use fehu_ir::free::{bound_in_body, bound_in_stm, free_in_stm};
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{
    After, Atom, Body, Dim, Exp, Item, Lambda, Scalar, Screma, Seg, Stm, Type, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Lets all maps of a program overwrite their inputs that can.
pub fn overwrite(placed: &mut Placed) {
    let Placed { prog, funs, consts, chosen: _ } = placed;
    for item in prog.items() {
        let table = match item {
            Item::Const(id) => &mut consts[id],
            Item::Fun(id) => &mut funs[id],
        };
        let (body, vars) = (prog.body(item), prog.vars(item));
        let roots = Roots::new(prog, item, table);
        let (allocated, begun) = (allocated(table), begun(table));
        let mut work = Overwrite { vars, table, roots, allocated, begun };
        work.body(body, &mut Vec::new());
    }
}

/// At most this many statements after a map are looked at in each body.
const MAX_DISTANCE: usize = 500;

struct Overwrite<'a, 't> {
    vars: &'a IdVec<Var, VarInfo>,
    table: &'t mut Table,
    roots: Roots,
    /// The variables before whose statements blocks are allocated that are no registers.
    allocated: FxHashSet<Var>,
    /// The blocks that were allocated before the statement of a variable, or come with it, before anything was merged.
    begun: FxHashMap<Var, Vec<BlockId>>,
}

fn begun(table: &Table) -> FxHashMap<Var, Vec<BlockId>> {
    let mut begun: FxHashMap<Var, Vec<BlockId>> = FxHashMap::default();
    for (id, block) in table.blocks.iter() {
        match &block.origin {
            Origin::Fresh { before: var, .. } | Origin::Carried(var) => {
                begun.entry(*var).or_default().push(id);
            }
            Origin::Unused => {}
        }
    }
    begun
}

fn allocated(table: &Table) -> FxHashSet<Var> {
    let blocks = table.blocks.iter().filter(|(id, _)| table.local_size(*id).is_none());
    let before = blocks.filter_map(|(_, block)| match &block.origin {
        Origin::Fresh { before, .. } => Some(*before),
        Origin::Carried(_) | Origin::Unused => None,
    });
    before.collect()
}

/// A body on the way to a statement.
struct Site<'a> {
    body: &'a Body,
    /// The statement that the way goes through.
    index: usize,
    /// What the body is executed again for.
    repeats: Repeats<'a>,
}

/// How often a body is executed.
#[derive(Clone, Copy)]
enum Repeats<'a> {
    /// Once where the statement around it is executed once.
    Once,
    /// Once for each iteration of a loop with these parameters.
    Loop(&'a [fehu_ir::LoopParam]),
    /// Once for each position of an operator.
    Operator,
    /// Once for each element that this operator of a scan or reduction combines with what there is so far.
    Fold(&'a Lambda),
}

/// A map, and where its parts are.
struct Map<'a> {
    op: &'a Screma,
    /// The Seg around it.
    seg: Option<&'a Seg>,
    /// The arrays that it makes.
    made: &'a [Var],
}

impl<'a> Overwrite<'a, '_> {
    fn body(&mut self, body: &'a Body, way: &mut Vec<Site<'a>>) {
        self.body_of(body, Repeats::Once, way);
    }

    fn body_of(&mut self, body: &'a Body, repeats: Repeats<'a>, way: &mut Vec<Site<'a>>) {
        way.push(Site { body, index: 0, repeats });
        for (index, stm) in body.stms.iter().enumerate() {
            if let Some(site) = way.last_mut() {
                site.index = index;
            }
            self.stm(stm, way);
        }
        way.pop();
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others with bodies are operators")]
    fn stm(&mut self, stm: &'a Stm, way: &mut Vec<Site<'a>>) {
        if let Some(map) = Map::of(stm) {
            for number in 0..map.made.len() {
                self.result(stm, &map, number, way);
            }
        }
        self.next_values(stm, way);
        match &stm.exp {
            Exp::If(_, bodies) => bodies.iter().for_each(|body| self.body(body, way)),
            Exp::Switch(_, switch) => {
                switch.cases.iter().for_each(|(_, body)| self.body(body, way));
                self.body(&switch.default, way);
            }
            Exp::Loop(params, _, body) => self.body_of(body, Repeats::Loop(params), way),
            Exp::Screma(op) => {
                self.body_of(&op.map.body, Repeats::Operator, way);
                self.folds(op, way);
            }
            Exp::Hist(op) => self.body_of(&op.map.body, Repeats::Operator, way),
            Exp::Scatter(op) => self.body_of(&op.map.body, Repeats::Operator, way),
            Exp::Partition(op) => self.body_of(&op.map.body, Repeats::Operator, way),
            Exp::Seg(seg) => self.seg(seg, way),
            // What accumulators stand for is not looked at.
            _ => {}
        }
    }

    /// The functions of a Seg's operators: the operators themselves belong to the Seg.
    fn seg(&mut self, seg: &'a Seg, way: &mut Vec<Site<'a>>) {
        let body = &seg.body.body;
        way.push(Site { body, index: 0, repeats: Repeats::Operator });
        for (index, stm) in body.stms.iter().enumerate() {
            if let (Some(site), Exp::Screma(op)) = (way.last_mut(), &stm.exp) {
                site.index = index;
                self.body_of(&op.map.body, Repeats::Operator, way);
                self.folds(op, way);
            }
        }
        way.pop();
    }

    /// The operators of scans and reductions.
    fn folds(&mut self, op: &'a Screma, way: &mut Vec<Site<'a>>) {
        let scans = op.scans.iter().map(|scan| &scan.op);
        for fold in scans.chain(op.reds.iter().map(|red| &red.op)) {
            self.body_of(&fold.body, Repeats::Fold(fold), way);
        }
    }

    /// Stores a result of a map in an input, if there is one for it.
    fn result(&mut self, stm: &'a Stm, map: &Map<'a>, number: usize, way: &[Site<'a>]) {
        let outer = map.made[number];
        let Some(place) = self.table.place(outer).cloned() else { return };
        if !self.fills_own(stm, outer, &place) {
            return;
        }
        for (input, element) in map.inputs() {
            let Some(target) = self.table.place(input).cloned() else { continue };
            if !self.takes(input, &target, outer, &place)
                || self.is_of_another(outer, target.block, way)
            {
                continue;
            }
            let from = Source { input, element, target: &target, own: place.block };
            let is_free = stm.pat.iter().all(|var| self.block(*var) != Some(target.block));
            if is_free
                && !self.allocates(map)
                && self.reads_only_own(map, &from)
                && self.is_last_use(&from, way)
            {
                return self.merge(place.block, target.block);
            }
        }
    }

    /// Whether a block has a value so far of a scan or reduction, and an array is not the next one of it.
    fn is_of_another(&self, array: Var, block: BlockId, way: &[Site<'_>]) -> bool {
        let Some(Site { body, repeats: Repeats::Fold(op), .. }) = way.last() else { return false };
        let mut values = op.params.iter().zip(&body.results);
        values
            .any(|(param, result)| self.block(*param) == Some(block) && *result != Atom::Var(array))
    }

    /// Stores what a statement of a loop makes for the next iteration where this one has its value, if nobody needs
    /// that any more.
    fn next_values(&mut self, stm: &'a Stm, way: &[Site<'a>]) {
        let Some(Site { body, repeats: Repeats::Loop(params), .. }) = way.last() else { return };
        for (param, result) in params.iter().zip(&body.results) {
            let Some(value) = result.var() else { continue };
            let places = self.table.place(value).zip(self.table.place(param.var));
            let Some((place, target)) = places.map(|(a, b)| (a.clone(), b.clone())) else {
                continue;
            };
            let fits = self.fills_own(stm, value, &place)
                && self.table.blocks[target.block].origin == Origin::Carried(param.var)
                && self.takes(param.var, &target, value, &place);
            let from =
                Source { input: param.var, element: param.var, target: &target, own: place.block };
            let is_apart = |block: &BlockId| !self.may_be_block(*block, &from);
            if fits && self.blocks_of(stm).iter().all(is_apart) && self.is_last_use(&from, way) {
                self.merge(place.block, target.block);
            }
        }
    }

    /// Whether an array fills a block that is allocated for this statement.
    fn fills_own(&self, stm: &Stm, array: Var, place: &Place) -> bool {
        let is_own = match &self.table.blocks[place.block].origin {
            Origin::Fresh { before, size } => {
                stm.pat.contains(before) && size.as_slice() == self.vars[array].ty.shape()
            }
            Origin::Carried(_) | Origin::Unused => false,
        };
        is_own && self.table.local_size(place.block).is_none()
    }

    /// Whether there is room for one array where another one is.
    fn takes(&self, old: Var, target: &Place, new: Var, place: &Place) -> bool {
        target.block != place.block
            && self.vars[old].ty == self.vars[new].ty
            && self.table.local_size(target.block).is_none()
            && target.lmad == place.lmad
            && self.roots.is_ours(target.block)
    }

    fn allocates(&self, map: &Map<'_>) -> bool {
        bound_in_body(&map.op.map.body).iter().any(|var| self.allocated.contains(var))
    }

    /// Whether the map reads nothing of the memory but the element of each position.
    fn reads_only_own(&self, map: &Map<'_>, from: &Source<'_>) -> bool {
        // Inputs of the operator that are rows, or other parts of this memory, are other elements.
        let is_apart = |var: Var| !self.may_be(var, from);
        let others_apart = map.op.inputs.iter().zip(&map.op.map.params).all(|(input, param)| {
            let is_element = self.table.place(*input) == self.table.place(from.element)
                && !self.vars[*param].ty.is_array();
            is_element || is_apart(*input)
        });
        let before_apart = map.seg.is_none_or(|seg| {
            let elements = seg.elements().iter().zip(&seg.inputs);
            let mut elements = elements.filter(|(param, _)| **param != from.element);
            let mut before = seg.body.body.stms.iter().filter(|stm| !is(stm, map.op));
            elements.all(|(_, input)| is_apart(*input))
                && before.all(|stm| {
                    let mut vars = free_in_stm(stm, self.vars);
                    vars.extend(bound_in_stm(stm));
                    vars.into_iter().all(is_apart)
                })
        });
        let mut look = Reads { work: self, from, positions: self.positions(map), apart: true };
        look.body(&map.op.map.body);
        others_apart && before_apart && look.apart
    }

    /// The numbers of a position, outermost first, if the function knows them.
    fn positions(&self, map: &Map<'_>) -> Option<Vec<Var>> {
        let mut all: Vec<Var> = map.seg.map_or(&[][..], Seg::indices).to_vec();
        let mut inputs = map.op.inputs.iter().zip(&map.op.map.params);
        let zero_to = |input: &Var| {
            let (zero, one) = (Atom::Const(Scalar::I64(0)), Atom::Const(Scalar::I64(1)));
            matches!(self.table.computed.get(input),
                Some(Computed::Iota(fehu_base::Prim::I64, start, step)) if *start == zero && *step == one)
        };
        all.push(*inputs.find(|(input, _)| zero_to(input))?.1);
        Some(all)
    }

    /// Whether an array may be in the memory of the input.
    fn may_be(&self, var: Var, from: &Source<'_>) -> bool {
        let place = self.table.place(var);
        place.is_some_and(|place| self.may_be_block(place.block, from))
            || matches!(self.vars[var].ty, Type::Acc(_))
    }

    /// Whether a block, other than that of the result, may be the memory of the input.
    fn may_be_block(&self, block: BlockId, from: &Source<'_>) -> bool {
        block != from.own && self.roots.may_be_same(block, from.target.block)
    }

    /// Whether nobody needs what is in the memory of an input after a map, or in another iteration or at another position of what
    /// is around it.
    fn is_last_use(&self, from: &Source<'_>, way: &[Site<'_>]) -> bool {
        let block = from.target.block;
        // The bodies in which the memory is the same every time.
        let mut outside = true;
        for (depth, site) in way.iter().enumerate().rev() {
            let is_innermost = depth + 1 == way.len();
            let carries = match site.repeats {
                Repeats::Loop(params) => params
                    .iter()
                    .any(|param| self.table.blocks[block].origin == Origin::Carried(param.var)),
                Repeats::Fold(op) => {
                    let so_far = &op.params[..op.params.len() / 2];
                    so_far.iter().any(|param| self.block(*param) == Some(block))
                }
                Repeats::Once | Repeats::Operator => false,
            };
            let after = site.body.stms.get(site.index + 1..).unwrap_or_default();
            if after.len() > MAX_DISTANCE {
                return false;
            }
            let mut used = FxHashSet::default();
            after.iter().for_each(|stm| used.extend(self.blocks_of(stm)));
            used.extend(site.body.results.iter().filter_map(|atom| self.block(atom.var()?)));
            if !outside {
                // Its last value is what the loop yields.
                used.remove(&block);
            }
            if used.iter().any(|other| self.may_be_block(*other, from)) {
                return false;
            }
            if carries {
                if !is_innermost {
                    return false;
                }
                outside = false;
            }
            if !self.may_repeat(site, from, carries) {
                return false;
            }
        }
        true
    }

    /// Whether the iterations or positions of a body, if there are several, have nothing of the memory in common.
    fn may_repeat(&self, site: &Site<'_>, from: &Source<'_>, carries: bool) -> bool {
        let params: Vec<BlockId> = match site.repeats {
            Repeats::Once => return true,
            Repeats::Loop(params) => {
                params.iter().filter_map(|param| self.block(param.var)).collect()
            }
            Repeats::Operator => Vec::new(),
            Repeats::Fold(op) => op.params.iter().filter_map(|param| self.block(*param)).collect(),
        };
        let bound: FxHashSet<BlockId> =
            bound_in_body(site.body).into_iter().flat_map(|var| self.made_with(var)).collect();
        let mut used = FxHashSet::default();
        site.body.stms.iter().for_each(|stm| used.extend(self.blocks_of(stm)));
        used.extend(params);
        used.into_iter().all(|other| {
            let is_param = carries && other == from.target.block;
            is_param || bound.contains(&other) || !self.may_be_block(other, from)
        })
    }

    /// The blocks whose lifetime begins with a variable: its own, and what an operator keeps the value so far in.
    fn made_with(&self, var: Var) -> impl Iterator<Item = BlockId> {
        let begins = move |block: &BlockId| match &self.table.blocks[*block].origin {
            Origin::Fresh { before, .. } => *before == var,
            Origin::Carried(with) => *with == var,
            Origin::Unused => false,
        };
        self.begun.get(&var).into_iter().flatten().copied().filter(begins)
    }

    fn block(&self, var: Var) -> Option<BlockId> {
        Some(self.table.place(var)?.block)
    }

    /// The blocks in which a statement, or what is inside of it, has arrays.
    fn blocks_of(&self, stm: &Stm) -> Vec<BlockId> {
        let mut vars = free_in_stm(stm, self.vars);
        vars.extend(bound_in_stm(stm));
        vars.into_iter().filter_map(|var| self.block(var)).collect()
    }

    /// Everything in the block of a result is in that of an input.
    fn merge(&mut self, gone: BlockId, into: BlockId) {
        self.table.move_all(gone, into);
        self.roots.merge(gone, into);
    }
}

/// An input, or a parameter of a loop, that may be overwritten.
struct Source<'a> {
    /// The array.
    input: Var,
    /// The array as the operator sees it: the row of a Seg, or the input itself.
    element: Var,
    /// Where it is.
    target: &'a Place,
    /// The block of the result.
    own: BlockId,
}

impl<'a> Map<'a> {
    /// A statement as a map of scalars.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are no maps")]
    fn of(stm: &'a Stm) -> Option<Map<'a>> {
        let (op, seg) = match &stm.exp {
            Exp::Screma(op) => (op, None),
            Exp::Seg(seg) if seg.rows.is_none() => {
                let parts = seg.parts().filter(|parts| parts.after == After::Nothing)?;
                let Exp::Screma(op) = &parts.op.exp else { return None };
                (op, Some(seg.as_ref()))
            }
            _ => return None,
        };
        let is_map = op.scans.is_empty() && op.reds.is_empty();
        is_map.then_some(Map { op, seg, made: &stm.pat })
    }

    /// The arrays whose elements the operator gets, each with what the operator sees of it.
    fn inputs(&self) -> Vec<(Var, Var)> {
        let Some(seg) = self.seg.filter(|seg| !seg.space.is_empty()) else {
            return self.op.inputs.iter().map(|input| (*input, *input)).collect();
        };
        let elements: Vec<(Var, Var)> =
            seg.inputs.iter().copied().zip(seg.elements().iter().copied()).collect();
        elements.into_iter().filter(|(_, element)| self.op.inputs.contains(element)).collect()
    }
}

/// Whether a statement is this operator.
fn is(stm: &Stm, op: &Screma) -> bool {
    matches!(&stm.exp, Exp::Screma(other) if std::ptr::eq(other.as_ref(), op))
}

/// Whether the function of a map reads other elements of the input's memory than its own.
struct Reads<'a, 'w, 't> {
    work: &'w Overwrite<'a, 't>,
    from: &'w Source<'w>,
    /// The numbers of the position.
    positions: Option<Vec<Var>>,
    apart: bool,
}

impl Visit for Reads<'_, '_, '_> {
    fn use_var(&mut self, var: &Var) {
        self.apart &= !self.work.may_be(*var, self.from);
    }

    fn bind(&mut self, var: &Var) {
        self.use_var(var);
    }

    fn exp(&mut self, exp: &Exp) {
        if let (Exp::Index(array, dims), Some(positions)) = (exp, &self.positions) {
            let table = &self.work.table;
            let is_own = table.place(*array) == table.place(self.from.input)
                && dims.len() == positions.len()
                && dims.iter().zip(positions).all(|(dim, at)| *dim == Dim::Fix(Atom::Var(*at)));
            if is_own {
                return;
            }
        }
        walk_exp(self, exp);
    }
}
