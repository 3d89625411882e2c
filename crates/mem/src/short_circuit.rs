//! `short_circuit`: arrays are constructed where they would be copied to.
//!
//! The elements of an array that is created only to become part of another one (a row of a map's result, the part of an
//! array that an update replaces, an operand of a concatenation) are copied there. Short-circuiting makes its block a
//! part of the other array's block from the beginning, and the copy disappears.
//!
//! ```text
//! let r = map (\i ->                        r: fresh a
//!   let v = map (\j -> ...) (iota m)        v: fresh b, 0 + {(m : 1)}     ==>   v: a, i*m + {(m : 1)}
//!   in v) (iota n)
//! ```
//!
//! The traversal goes from the outside in and backwards, so that a row of a row ends up where it belongs. The
//! conditions:
//!
//! * the array fills a block of its own, in row-major order, and the part that it becomes is contiguous;
//! * the block is allocated in the same body, at a point where the variables that describe the part are known, and the
//!   other block exists; for an update, the check of its index comes before that point (`early` sees to it), and for a
//!   concatenation nothing can still show that another operand has a negative size: the part would not fit;
//! * between that point and the copy nothing reads or writes the other block, not even to make the other array, which may
//!   have been given its place before; and after the copy nothing reads the array any more, because the other one may
//!   change. For rows of a map's result this holds trivially: nothing can access the row before the function returns it,
//!   nor change it before all rows exist.
//!
//! Results of branches that carry a block get the destination instead: each branch fills it, and is short-circuited in
//! turn. Arrays that loops update in place are in the blocks of their initial values, which are constructed in the
//! destination.

use crate::lmad::{Lmad, Pick};
use crate::table::{BlockId, Origin, Place, Placed, Table, pick, poly};
use fehu_base::{IdVec, OrBug};
use fehu_facts::Share;
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Body, Exp, Item, Lambda, Prog, Stm, Var, VarInfo, free};
use rustc_hash::FxHashMap;

/// Short-circuits a whole program as far as possible. With `own_memory`, the threads that execute the functions of maps
/// have private memory that is faster than shared memory: rows that loops update stay there until they are finished.
pub fn short_circuit(placed: &mut Placed, own_memory: bool) {
    let Placed { prog, funs, consts } = placed;
    for item in prog.items() {
        let table = match item {
            Item::Const(id) => &mut consts[id],
            Item::Fun(id) => &mut funs[id],
        };
        let (body, vars) = (prog.body(item), prog.vars(item));
        Circuit::new(prog, body, vars, table, own_memory).body(body);
    }
}

struct Circuit<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    table: &'a mut Table,
    /// The arrays in each block.
    arrays: FxHashMap<BlockId, Vec<Var>>,
    /// Which arrays may share memory according to the program's semantics.
    meant: Share,
    /// The same, including arrays that share memory because of our decisions.
    shared: Share,
    own_memory: bool,
}

/// A body and where its variables are bound and mentioned.
struct Scope<'b> {
    body: &'b Body,
    bound: FxHashMap<Var, usize>,
    /// The arrays that each statement mentions.
    mentioned: Vec<Vec<Var>>,
    /// The last statement that mentions an array of a class of [`Circuit::meant`]; the body's results count as one more.
    last: FxHashMap<usize, usize>,
}

/// At most this many statements between the creation of an array and its copy are considered.
const MAX_DISTANCE: usize = 500;

impl<'b> Scope<'b> {
    fn new(body: &'b Body, circuit: &Circuit<'_>) -> Scope<'b> {
        let mut scope = Scope {
            body,
            bound: FxHashMap::default(),
            mentioned: Vec::with_capacity(body.stms.len()),
            last: FxHashMap::default(),
        };
        let is_array = |var: &Var| circuit.table.place(*var).is_some();
        for (index, stm) in body.stms.iter().enumerate() {
            scope.bound.extend(stm.pat.iter().map(|var| (*var, index)));
            let mentioned: Vec<Var> =
                free::free_in_stm(stm, circuit.vars).into_iter().filter(is_array).collect();
            scope.note(circuit, &mentioned, index);
            scope.mentioned.push(mentioned);
        }
        let results: Vec<Var> =
            body.results.iter().filter_map(|atom| atom.var()).filter(is_array).collect();
        scope.note(circuit, &results, body.stms.len());
        scope
    }

    fn note(&mut self, circuit: &Circuit<'_>, vars: &[Var], index: usize) {
        for class in vars.iter().filter_map(|var| circuit.meant.class(*var)) {
            self.last.insert(class, index);
        }
    }

    /// Whether an array, or one that may share its memory, is mentioned after a statement.
    fn used_after(&self, circuit: &Circuit<'_>, var: Var, index: usize) -> bool {
        let last = circuit.meant.class(var).and_then(|class| self.last.get(&class));
        last.is_none_or(|last| *last > index)
    }

    /// Whether the variables are known before a statement.
    fn known_at(&self, vars: &[Var], index: usize) -> bool {
        vars.iter().all(|var| self.bound.get(var).is_none_or(|at| *at < index))
    }
}

impl<'a> Circuit<'a> {
    fn new(
        prog: &Prog,
        body: &Body,
        vars: &'a IdVec<Var, VarInfo>,
        table: &'a mut Table,
        own_memory: bool,
    ) -> Circuit<'a> {
        let mut arrays: FxHashMap<BlockId, Vec<Var>> = FxHashMap::default();
        for (var, place) in table.places() {
            arrays.entry(place.block).or_default().push(var);
        }
        let meant = Share::of(prog, body, vars);
        Circuit { vars, table, arrays, shared: meant.clone(), meant, own_memory }
    }

    /// Traverses a body backwards whose results are where they should be.
    fn body(&mut self, body: &Body) {
        let scope = Scope::new(body, self);
        for (index, stm) in body.stms.iter().enumerate().rev() {
            self.stm(&scope, index, stm);
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other statements put no array into another"
    )]
    fn stm(&mut self, scope: &Scope<'_>, index: usize, stm: &Stm) {
        match &stm.exp {
            Exp::Update(array, dims, Atom::Var(value)) => {
                let picks: Vec<Pick> = dims.iter().map(pick).collect();
                let part = self.table.place(*array).and_then(|place| {
                    Some(Place { block: place.block, lmad: place.lmad.slice(&picks)? })
                });
                // Before its checks nobody knows that there is such a part.
                let checked = self
                    .made_at(scope, *value)
                    .is_some_and(|made| scope.known_at(&stm.certs, made));
                if let (Some(part), true) = (part, checked) {
                    self.within_existing(scope, index, (*value, &[]), *array, part);
                }
            }
            Exp::Concat(_, parts) => self.concat(scope, index, stm.pat[0], parts),
            Exp::Array(_, atoms) => {
                let picks = (0..atoms.len()).map(|k| Pick::Fix(Poly::constant(k as i128)));
                let parts = atoms.iter().zip(picks);
                let parts = parts.filter_map(|(atom, pick)| Some((atom.var()?, pick)));
                self.gather(scope, index, stm.pat[0], parts.collect());
            }
            Exp::Screma(op) => {
                let results = &op.map.body.results[op.folded()..];
                self.rows(&stm.pat, &stm.pat[op.folded()..], results, &op.map);
                for lambda in
                    op.scans.iter().map(|scan| &scan.op).chain(op.reds.iter().map(|red| &red.op))
                {
                    self.body(&lambda.body);
                }
                return;
            }
            Exp::If(_, bodies) => {
                return bodies.iter().for_each(|body| self.branch(&stm.pat, body));
            }
            Exp::Switch(_, switch) => {
                let cases = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
                return cases.for_each(|body| self.branch(&stm.pat, body));
            }
            _ => {}
        }
        stm.exp.for_each_body(&mut |body| self.body(body));
    }

    /// The results of a map's function become rows.
    fn rows(&mut self, pat: &[Var], arrays: &[Var], results: &[Atom], map: &Lambda) {
        let index = self.table.index(pat, map);
        let scope = Scope::new(&map.body, self);
        for (array, result) in arrays.iter().zip(results) {
            let row = self.table.place(*array).and_then(|place| {
                let lmad = place.lmad.fix(&[Poly::var(index)])?;
                Some(Place { block: place.block, lmad })
            });
            if let (Some(row), Some(value)) = (row, result.var())
                && !self.stays(&scope, value)
            {
                self.redirect(&scope, value, *array, &row);
            }
        }
        self.body(&map.body);
    }

    /// Whether a row should be finished before it is copied: one that a loop updates.
    fn stays(&self, scope: &Scope<'_>, value: Var) -> bool {
        let by_loop = |at: &usize| matches!(scope.body.stms[*at].exp, Exp::Loop(..));
        self.own_memory && scope.bound.get(&value).is_some_and(by_loop)
    }

    /// The results of a branch that have places of their own are constructed there.
    fn branch(&mut self, pat: &[Var], body: &Body) {
        let scope = Scope::new(body, self);
        for (var, result) in pat.iter().zip(&body.results) {
            let Some(place) = self.table.place(*var).cloned() else { continue };
            let is_own = self.table.blocks[place.block].origin != Origin::Carried(*var);
            if let (true, Some(value)) = (is_own, result.var()) {
                self.redirect(&scope, value, *var, &place);
            }
        }
        self.body(body);
    }

    /// Constructs an array, which a statement of the body copies to a place that nothing reads before, at that place.
    /// Returns the statement that creates it, if that was possible.
    fn redirect(&mut self, scope: &Scope<'_>, value: Var, array: Var, to: &Place) -> Option<usize> {
        let made = self.made_at(scope, value)?;
        (to.lmad.is_contiguous() && scope.known_at(&to.lmad.offset.vars(), made)).then_some(())?;
        let from = self.table.place(value)?.block;
        (from != to.block && self.table.blocks[from].elem == self.table.blocks[to.block].elem)
            .then_some(())?;
        self.merge(from, to)?;
        self.shared.join(value, array);
        Some(made)
    }

    /// The statement before which the block that an array fills is allocated.
    fn made_at(&self, scope: &Scope<'_>, value: Var) -> Option<usize> {
        let place = self.table.place(value)?;
        let elements = |sizes: &[Atom]| {
            crate::arith::product_of(&sizes.iter().map(|size| poly(*size)).collect::<Vec<_>>())
        };
        // An array of another size is in the block after a check, and the block is there before that check.
        let fills = |sizes: &[Atom]| {
            let all = elements(self.vars[value].ty.shape());
            place.lmad.is_row_major() && all.is_some() && all == elements(sizes)
        };
        match &self.table.blocks[place.block].origin {
            Origin::Fresh { before, size } => {
                if fills(size) {
                    scope.bound.get(before).copied()
                } else {
                    None
                }
            }
            // A variable that carries a block can be given one, if it is bound by a branch, and if its size is known before:
            // otherwise nobody has checked yet that it fits.
            Origin::Carried(var) => {
                let at = *scope.bound.get(var)?;
                let is_branch = matches!(scope.body.stms[at].exp, Exp::If(..) | Exp::Switch(..));
                let shape = self.vars[*var].ty.shape();
                let sizes = shape.iter().filter_map(|size| size.var());
                let known = scope.known_at(&sizes.collect::<Vec<_>>(), at);
                (is_branch && known && fills(shape)).then_some(at)
            }
            Origin::Unused => None,
        }
    }

    /// Moves all arrays of a block into a contiguous part of another one.
    fn merge(&mut self, from: BlockId, to: &Place) -> Option<()> {
        let arrays = self.arrays.get(&from).cloned().unwrap_or_default();
        let mut moved = Vec::with_capacity(arrays.len());
        for var in &arrays {
            let lmad = &self.table.place(*var)?.lmad;
            let offset = lmad.offset.add(&to.lmad.offset)?;
            moved.push(Place { block: to.block, lmad: Lmad { offset, dims: lmad.dims.clone() } });
        }
        for (var, place) in arrays.iter().zip(moved) {
            self.table.set(*var, place);
        }
        if self.table.blocks[from].heap {
            self.table.blocks[to.block].heap = true;
        }
        self.arrays.remove(&from);
        self.arrays.entry(to.block).or_default().extend(arrays);
        self.table.forget(from);
        Some(())
    }

    /// A part of an array that already exists, and must not be accessed in between, other than by the other parts, which
    /// have places of their own.
    fn within_existing(
        &mut self,
        scope: &Scope<'_>,
        index: usize,
        (value, others): (Var, &[(Var, Pick)]),
        array: Var,
        part: Place,
    ) {
        let Some(made) = self.made_at(scope, value) else { return };
        let exists = match &self.table.blocks[part.block].origin {
            Origin::Fresh { before: var, .. } | Origin::Carried(var) => {
                scope.bound.get(var).is_none_or(|at| *at < made)
            }
            Origin::Unused => false,
        };
        if exists
            && !scope.used_after(self, value, index)
            && !self.used_between(scope, made, index, array, part.block)
            && !self.filled_between(scope, made, index, others, part.block)
        {
            self.redirect(scope, value, array, &part);
        }
    }

    /// Whether an array's block, or one that may be the same, is used by the statements of a range.
    fn used_between(
        &self,
        scope: &Scope<'_>,
        from: usize,
        to: usize,
        array: Var,
        block: BlockId,
    ) -> bool {
        let may_be = |var: &Var| {
            self.shared.may_share(*var, array)
                || self.table.place(*var).is_some_and(|place| place.block == block)
        };
        to - from > MAX_DISTANCE || scope.mentioned[from..to].iter().flatten().any(may_be)
    }

    /// Whether an array other than these is made in the block by the statements of a range.
    fn filled_between(
        &self,
        scope: &Scope<'_>,
        from: usize,
        to: usize,
        others: &[(Var, Pick)],
        block: BlockId,
    ) -> bool {
        let within = |var: &Var| self.table.place(*var).is_some_and(|place| place.block == block);
        let other = |var: &Var| others.iter().any(|(other, _)| other == var);
        let made = scope.body.stms[from..to].iter().flat_map(|stm| &stm.pat);
        made.into_iter().any(|var| within(var) && !other(var))
    }

    fn concat(&mut self, scope: &Scope<'_>, index: usize, var: Var, parts: &[Var]) {
        let mut start = Poly::default();
        let mut placed = Vec::with_capacity(parts.len());
        for part in parts {
            let size = self.vars[*part].ty.shape().first().copied().map(poly);
            let size = size.or_bug("size of a part of a concatenation");
            let Some(next) = start.add(&size) else { return };
            placed.push((*part, Pick::range(start, size)));
            start = next;
        }
        self.gather(scope, index, var, placed);
    }

    /// Parts of a new array, each at a position of its outermost dimension: those that can be are constructed there,
    /// and the new array is allocated before the first of them.
    fn gather(&mut self, scope: &Scope<'_>, index: usize, var: Var, parts: Vec<(Var, Pick)>) {
        let Some(place) = self.table.place(var).cloned() else { return };
        let Origin::Fresh { before, size } = self.table.blocks[place.block].origin.clone() else {
            return;
        };
        if scope.bound.get(&before) != Some(&index) {
            // It is part of something else; the allocation stays where it is.
            let allocated = scope.bound.get(&before).copied();
            for (part, pick) in &parts {
                if let Some(lmad) = place.lmad.slice(std::slice::from_ref(pick))
                    && self.made_at(scope, *part).is_some_and(|made| {
                        allocated.is_none_or(|at| at < made)
                            && self.fits(scope, made, *part, &parts)
                    })
                {
                    let to = Place { block: place.block, lmad };
                    self.within_existing(scope, index, (*part, &parts), var, to);
                }
            }
            return;
        }
        let needed: Vec<Var> = size.iter().filter_map(|size| size.var()).collect();
        let mut first = index;
        for (part, pick) in &parts {
            let Some(made) = self.made_at(scope, *part) else { continue };
            let Some(lmad) = place.lmad.slice(std::slice::from_ref(pick)) else { continue };
            let to = Place { block: place.block, lmad };
            if scope.known_at(&needed, made)
                && self.fits(scope, made, *part, &parts)
                && !scope.used_after(self, *part, index)
                && self.redirect(scope, *part, var, &to).is_some()
            {
                first = first.min(made);
            }
        }
        if let Some(before) = scope.body.stms[first].pat.first() {
            self.table.blocks[place.block].origin = Origin::Fresh { before: *before, size };
        }
    }

    /// Whether a part of an array fits into it before a statement: the sum of all sizes is at least that of the part if
    /// none is negative. That holds for arrays that exist; the size of one that is made later may be checked until then.
    fn fits(&self, scope: &Scope<'_>, made: usize, part: Var, parts: &[(Var, Pick)]) -> bool {
        let outer = |var: Var| self.vars[var].ty.shape().first().copied();
        let exists = |var: Var| scope.bound.get(&var).is_none_or(|at| *at < made);
        let has_array = |size: Atom| {
            let known = scope.mentioned.iter().flatten().copied().filter(|var| exists(*var));
            let mut known = known.map(|var| self.vars[var].ty.shape());
            known.any(|shape| shape.contains(&size))
        };
        parts.iter().all(|(other, _)| {
            let size = outer(*other);
            size == outer(part)
                || match size {
                    Some(size @ Atom::Var(_)) => exists(*other) || has_array(size),
                    Some(size @ Atom::Const(_)) => poly(size).as_constant().is_some_and(|n| n >= 0),
                    None => true,
                }
        })
    }
}
