//! `short_circuit`: arrays are constructed where they would be copied to.
//!
//! The elements of an array that is created only to become part of another one (a row of a map's result, the part of an
//! array that an update replaces, an operand of a concatenation, what a copy is made of) are copied there.
//! Short-circuiting makes its block a part of the other array's block from the beginning, and the copy disappears.
//!
//! ```text
//! let r = map (\i ->                        r: fresh a
//!   let v = map (\j -> ...) (iota m)        v: fresh b, 0 + {(m : 1)}     ==>   v: a, i*m + {(m : 1)}
//!   in v) (iota n)
//! ```
//!
//! # The rule
//!
//! There is one rule for all of them. An array is to be at a place: a block and an LMAD in it, which may be a column, a
//! block of a matrix, or an anti-diagonal. It is made there if
//!
//! * it fills a block of its own that is allocated in the same body, or is a permutation or reversal of an array that
//!   does (`source`). All arrays in the block move, those in the bodies of statements too, and each must have an LMAD in
//!   the other block; arrays that are passed as pointers must stay contiguous;
//! * where it is to be is known when it is made, the other block exists by then, or can, and the check that there is
//!   such a part has passed (`early` moves checks and scalars up, and `late` moves updates down); for a concatenation,
//!   nothing can still show that another operand has a negative size: the part would not fit;
//! * nothing else reads or writes these elements of the other block until then, which is proved from what is known about
//!   sizes, indices and loops (`clear`);
//! * nothing reads the array after the copy, because the other one may change.
//!
//! The traversal goes from the outside in and backwards, so that a row of a row ends up where it belongs. Every array that
//! moves is compared with whatever is in the other block already, so that the order does not matter.
//!
//! Results of branches that carry a block get the destination instead: each branch fills it, and is short-circuited in
//! turn. Arrays that loops update in place are in the blocks of their initial values, which are constructed in the
//! destination.
//!
//! Files: `scope` and `nest` know where variables are bound, `boundary` which arrays are passed as pointers; `gather`
//! is about new arrays that consist of others.

mod boundary;
mod clear;
mod gather;
mod nest;
mod scope;
mod source;

use crate::lmad::{Lmad, Pick};
use crate::prove::{Proof, Sign};
use crate::roots::Roots;
use crate::table::{BlockId, Origin, Place, Placed, Table, flat, pick};
use boundary::Boundaries;
use clear::Part;
use fehu_base::{IdVec, OrBug};
use fehu_facts::Share;
use fehu_facts::flow::Known;
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Body, Exp, Item, Lambda, Prog, Stm, Var, VarInfo};
use nest::{BodyId, Nest};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scope;

/// Short-circuits a whole program as far as possible. With `own_memory`, the threads that execute the functions of maps
/// have private memory that is faster than shared memory: rows that loops update stay there until they are finished.
/// Returns why arrays are still copied.
pub fn short_circuit(placed: &mut Placed, own_memory: bool) -> Refusals {
    let Placed { prog, funs, consts, chosen: _ } = placed;
    let mut refusals = Refusals::default();
    for item in prog.items() {
        let table = match item {
            Item::Const(id) => &mut consts[id],
            Item::Fun(id) => &mut funs[id],
        };
        let body = prog.body(item);
        let mut circuit = Circuit::new(prog, item, table, own_memory);
        circuit.body(body, |_, _| {});
        refusals.0.extend(circuit.refused.into_iter().map(|(var, why)| ((item, var), why)));
    }
    refusals
}

/// Why arrays are copied to where they belong.
#[derive(Clone, Debug, Default)]
pub struct Refusals(FxHashMap<(Item, Var), Why>);

impl Refusals {
    /// Of an array of a function or constant.
    pub fn of(&self, item: Item, var: Var) -> Option<Why> {
        self.0.get(&(item, var)).copied()
    }
}

/// Why an array is not made where it would be copied to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Why {
    /// It has memory that comes from elsewhere: an argument, a result of a call or a loop, or an array of an outer body.
    Exists,
    /// It is only a part of what was made.
    Part,
    /// Its place depends on something that is computed later.
    Unknown,
    /// The array that it becomes a part of is made later.
    Later,
    /// Whether there is such a part is checked later.
    Unchecked,
    /// Something else is, or may be, read or written there in the meantime.
    Overlap,
    /// It is read afterwards.
    Read,
    /// It is passed on as a pointer, which a place with gaps is not.
    Boundary,
    /// Where its parts would be cannot be described.
    Form,
    /// Its elements may be in one place.
    Overlapping,
    /// It is made too far away for us to look at everything in between.
    Far,
    /// A thread keeps it in memory of its own until it is finished.
    Kept,
    /// It would be made column by column.
    Order,
    /// It is read too often for strides that are known only at run time.
    Often,
    /// Neighbouring threads of kernels, or callers one after the other, would read elements that are far apart.
    Turned,
}

impl Why {
    /// The reason in words, after "because".
    pub fn text(self) -> &'static str {
        match self {
            Why::Exists => "its memory comes from elsewhere",
            Why::Part => "it is only a part of what was made",
            Why::Unknown => "its place depends on something that is computed later",
            Why::Later => "the array that it becomes a part of is made later",
            Why::Unchecked => "whether there is such a part is checked later",
            Why::Overlap => "something else may be read or written there in the meantime",
            Why::Read => "it is read afterwards",
            Why::Boundary => "it is passed on as a pointer, which a place with gaps is not",
            Why::Form => "where its parts would be cannot be described",
            Why::Overlapping => "some of its elements may be in one place",
            Why::Far => "it is made too far away",
            Why::Kept => "a thread keeps it in memory of its own until it is finished",
            Why::Order => "its neighbours would be far apart while it is made",
            Why::Often => "it is read too often for strides that are known only at run time",
            Why::Turned => {
                "elements that are read one after the other, or by neighbouring threads, would be far apart"
            }
        }
    }
}

/// At most this many statements between the creation of an array and its copy are considered.
const MAX_DISTANCE: usize = 500;

struct Circuit<'a, 't> {
    vars: &'a IdVec<Var, VarInfo>,
    table: &'t mut Table,
    /// The arrays in each block.
    arrays: FxHashMap<BlockId, Vec<Var>>,
    /// Which arrays may share memory according to the program's semantics.
    meant: Share,
    /// The same, including arrays that share memory because of our decisions.
    shared: Share,
    /// Which blocks may be the same memory.
    roots: Roots,
    own_memory: bool,
    nest: Nest<'a>,
    /// What is known in the body at hand.
    known: Known<'a>,
    /// The body at hand.
    here: BodyId,
    /// Arrays that are passed as pointers, and those that are if a variable carries a block.
    boundary: FxHashSet<Var>,
    carried: FxHashMap<Var, Vec<Var>>,
    refused: FxHashMap<Var, Why>,
}

impl<'a, 't> Circuit<'a, 't> {
    fn new(prog: &'a Prog, item: Item, table: &'t mut Table, own_memory: bool) -> Circuit<'a, 't> {
        let (body, vars) = (prog.body(item), prog.vars(item));
        let params = prog.params(item);
        let mut arrays: FxHashMap<BlockId, Vec<Var>> = FxHashMap::default();
        for (var, place) in table.places() {
            arrays.entry(place.block).or_default().push(var);
        }
        let meant = Share::of(prog, body, vars);
        let Boundaries { always: boundary, into: carried } = Boundaries::of(body);
        Circuit {
            vars,
            arrays,
            shared: meant.clone(),
            meant,
            roots: Roots::new(prog, item, table),
            own_memory,
            nest: Nest::new(body, &params, table),
            known: Known::new(vars, &params),
            here: 0,
            boundary,
            carried,
            refused: FxHashMap::default(),
            table,
        }
    }

    /// Does something with a body's results, and then traverses it backwards.
    fn body(&mut self, body: &'a Body, results: impl FnOnce(&mut Self, &Scope<'a>)) {
        let outer = std::mem::replace(&mut self.here, self.nest.id(body));
        let mark = self.known.enter();
        self.nest.enter(self.here, &mut self.known);
        let scope = Scope::new(body, self);
        results(self, &scope);
        for (index, stm) in body.stms.iter().enumerate().rev() {
            self.statement(&scope, index, stm);
        }
        self.known.leave(mark);
        self.here = outer;
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other statements put no array into another"
    )]
    fn statement(&mut self, scope: &Scope<'a>, index: usize, stm: &'a Stm) {
        match &stm.exp {
            Exp::Update(array, dims, Atom::Var(value)) => {
                let picks: Vec<Pick> = dims.iter().map(pick).collect();
                self.update(scope, index, *array, *value, |lmad| lmad.slice(&picks));
            }
            Exp::FlatUpdate(array, offset, dims, value) => {
                let slice = flat(*offset, dims);
                self.update(scope, index, *array, *value, |lmad| lmad.flat_slice(&slice));
            }
            Exp::Concat(_, parts) => self.concat(scope, index, stm.pat[0], parts),
            Exp::Copy(array) | Exp::Manifest(array) => {
                self.copied(scope, index, stm.pat[0], *array);
            }
            Exp::Array(_, atoms) => self.literal(scope, index, stm.pat[0], atoms),
            Exp::Seg(seg) => self.concat_rows(scope, index, stm, seg),
            _ => {}
        }
        self.bodies(stm);
    }

    /// The bodies of a statement.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no bodies")]
    fn bodies(&mut self, stm: &'a Stm) {
        match &stm.exp {
            Exp::If(_, bodies) => bodies.iter().for_each(|body| self.branch(&stm.pat, body)),
            Exp::Switch(_, switch) => {
                let cases = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
                cases.for_each(|body| self.branch(&stm.pat, body));
            }
            Exp::Loop(_, _, body) => self.body(body, |_, _| {}),
            Exp::Screma(op) => {
                let results = &op.map.body.results[op.folded()..];
                self.rows(&stm.pat, &stm.pat[op.folded()..], results, &op.map);
                op.scans.iter().for_each(|scan| self.body(&scan.op.body, |_, _| {}));
                op.reds.iter().for_each(|red| self.body(&red.op.body, |_, _| {}));
            }
            Exp::Hist(op) => {
                self.body(&op.map.body, |_, _| {});
                op.ops.iter().for_each(|op| self.body(&op.op.body, |_, _| {}));
            }
            Exp::Scatter(op) => self.body(&op.map.body, |_, _| {}),
            Exp::Partition(op) => self.body(&op.map.body, |_, _| {}),
            Exp::Seg(seg) => self.body(&seg.body.body, |_, _| {}),
            Exp::WithAcc(inputs, lambda) => {
                let ops = inputs.iter().filter_map(|input| Some(&input.op.as_ref()?.0));
                ops.for_each(|op| self.body(&op.body, |_, _| {}));
                self.body(&lambda.body, |_, _| {});
            }
            _ => {}
        }
    }

    /// The results of a map's function become rows.
    fn rows(&mut self, pat: &[Var], arrays: &[Var], results: &[Atom], map: &'a Lambda) {
        let index = self.table.index(pat, map);
        self.body(&map.body, |this, scope| {
            for (array, result) in arrays.iter().zip(results) {
                let row = this.table.place(*array).and_then(|place| {
                    let lmad = place.lmad.fix(&[Poly::var(index)])?;
                    Some(Place { block: place.block, lmad })
                });
                let (Some(row), Some(value)) = (row, result.var()) else { continue };
                if this.stays(scope, value, &row) {
                    this.refused.insert(value, Why::Kept);
                } else {
                    this.attempt(scope, scope.body.stms.len(), value, *array, &row);
                }
            }
        });
    }

    /// Whether a row should be finished before it is copied: one that a loop updates, unless it is too large for
    /// registers, and the elements of the rows of neighbouring threads are neighbours, as in memory of their own, or
    /// the rows are in such memory.
    fn stays(&self, scope: &Scope<'a>, value: Var, row: &Place) -> bool {
        let by_loop = |at: &usize| matches!(scope.body.stms[*at].exp, Exp::Loop(..));
        let block = self.table.place(value).map(|place| place.block);
        let is_large = block.is_some_and(|block| self.table.local_size(block).is_none());
        let is_interleaved = !row.lmad.is_contiguous() || self.is_own(row.block);
        self.own_memory
            && scope.bound.get(&value).is_some_and(by_loop)
            && !(is_interleaved && is_large)
    }

    /// Whether a block is allocated by what executes the function of an operator.
    fn is_own(&self, block: BlockId) -> bool {
        match self.table.blocks[block].origin {
            Origin::Fresh { before, .. } => self.nest.is_in_operator(before),
            Origin::Carried(_) | Origin::Unused => false,
        }
    }

    /// The results of a branch that have places of their own are constructed there.
    fn branch(&mut self, pat: &[Var], body: &'a Body) {
        self.body(body, |this, scope| {
            for (var, result) in pat.iter().zip(&body.results) {
                let Some(place) = this.table.place(*var).cloned() else { continue };
                let is_own = this.table.blocks[place.block].origin != Origin::Carried(*var);
                if let (true, Some(value)) = (is_own, result.var()) {
                    this.attempt(scope, body.stms.len(), value, *var, &place);
                }
            }
        });
    }

    /// The array that an update stores becomes a part of the other one.
    fn update(
        &mut self,
        scope: &Scope<'a>,
        index: usize,
        array: Var,
        value: Var,
        part: impl FnOnce(&Lmad) -> Option<Lmad>,
    ) {
        let Some(place) = self.table.place(array) else { return };
        let Some(lmad) = part(&place.lmad) else { return };
        let to = Place { block: place.block, lmad };
        // Before its checks nobody knows that there is such a part.
        let certs = &scope.body.stms[index].certs;
        let checked = self.source(scope, value).map(|source| scope.known_at(certs, source.made));
        if checked == Ok(false) {
            self.refused.insert(value, Why::Unchecked);
        } else if self.is_flat(scope, index) && !self.has_distinct_elements(&to.lmad) {
            self.refused.insert(value, Why::Overlapping);
        } else {
            self.attempt(scope, index, value, array, &to);
        }
    }

    fn is_flat(&self, scope: &Scope<'a>, index: usize) -> bool {
        matches!(scope.body.stms[index].exp, Exp::FlatUpdate(..))
    }

    /// Whether no two indices have the same address, by the order of the dimensions: a step of one, in whichever
    /// direction, is longer than all those inside of it together, unless it has only one element.
    fn has_distinct_elements(&mut self, lmad: &Lmad) -> bool {
        let mut proof = Proof::new(self.known.ranges());
        let distinct = proof.scope(|proof| {
            proof.assume_elements(lmad);
            let mut inside = Poly::default();
            for dim in lmad.dims.iter().rev() {
                let Some(last) = dim.size.plus(-1) else { return false };
                if last == Poly::default() {
                    continue;
                }
                let step = proof.scope(|proof| {
                    last.plus(-1).iter().for_each(|more| proof.assume(more));
                    let step = match proof.sign(&dim.stride)? {
                        Sign::Positive => Some(dim.stride.clone()),
                        Sign::Negative => dim.stride.neg(),
                    };
                    step.filter(|step| proof.less(&inside, step))
                });
                let length = step.and_then(|step| last.mul(&step));
                match length.and_then(|length| inside.add(&length)) {
                    Some(sum) => inside = sum,
                    None => return false,
                }
            }
            true
        });
        let certs = proof.certs();
        let now = self.nest.end(self.here);
        distinct && certs.iter().all(|cert| self.nest.is_known(*cert, self.here, now))
    }

    /// Constructs an array at the place to which a statement of the body copies it, if that is possible.
    fn attempt(&mut self, scope: &Scope<'a>, index: usize, value: Var, array: Var, to: &Place) {
        if let Err(why) = self.redirect(scope, index, value, array, to, true) {
            self.refused.insert(value, why);
        }
    }

    /// Constructs an array at a place. Returns the statement that creates it.
    fn redirect(
        &mut self,
        scope: &Scope<'a>,
        index: usize,
        value: Var,
        array: Var,
        to: &Place,
        exists: bool,
    ) -> Result<usize, Why> {
        let source = self.source(scope, value)?;
        let made = source.made;
        let place = self.table.place(value).or_bug("an array with a block");
        if source.block == to.block {
            // It may be there already.
            return if place.lmad.same(&to.lmad) { Ok(made) } else { Err(Why::Part) };
        }
        if self.table.blocks[source.block].elem != self.table.blocks[to.block].elem {
            return Err(Why::Form);
        }
        let mut known: Vec<Var> = to.lmad.offset.vars().to_vec();
        known.extend(to.lmad.dims.iter().flat_map(|dim| dim.stride.vars()));
        if !scope.known_at(&known, made) {
            return Err(Why::Unknown);
        }
        if scope.used_after(self, value, index) {
            return Err(Why::Read);
        }
        let moved = self.moved(&source, value, to)?;
        let first = scope.body.stms[made].pat.first().copied().ok_or(Why::Later)?;
        if exists {
            let raised = self.exists(scope, made, to.block)?;
            let now = self.nest.when(first).or_bug("a variable of the function");
            let part = Part { place: to, array, made: now };
            self.is_clear(scope, (made, index), &part, &moved)?;
            if let (true, Origin::Fresh { before, .. }) =
                (raised, &mut self.table.blocks[to.block].origin)
            {
                *before = first;
            }
        }
        self.commit(&source, to.block, moved);
        self.shared.join(value, array);
        Ok(made)
    }

    /// Whether the allocation of a block must move up so that it exists before a statement.
    fn exists(&self, scope: &Scope<'a>, made: usize, block: BlockId) -> Result<bool, Why> {
        let is_before = |var: &Var| scope.bound.get(var).is_none_or(|at| *at < made);
        match &self.table.blocks[block].origin {
            Origin::Fresh { before, .. } if is_before(before) => Ok(false),
            Origin::Fresh { before, size } => {
                let sizes: Vec<Var> = size.iter().filter_map(|size| size.var()).collect();
                // If it is made there, it exists.
                let same = scope.bound.get(before) == Some(&made);
                if same || scope.known_at(&sizes, made) { Ok(!same) } else { Err(Why::Later) }
            }
            Origin::Carried(var) if is_before(var) => Ok(false),
            Origin::Carried(_) | Origin::Unused => Err(Why::Later),
        }
    }
}
