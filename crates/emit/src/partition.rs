//! Partitions: stable reordering by classes, of which a filter has one.
//!
//! **A filter** stores every element where the next one that is kept belongs, and moves on if it is kept: a store that is
//! overwritten costs less than a branch that nobody can predict.
//!
//! ```text
//! for i { ys[count] = f(xs[i]); count += keep(xs[i]) }
//! ```
//!
//! **With several classes**, the elements are first stored in order, beside their classes, which are counted; then each is moved
//! to where the next one of its class belongs. Elements of no class form a class of their own, the last one.
//!
//! **Tasks** have two rounds. In the first, each chunk filters its range by itself, at the beginning of that range in another
//! array; or it counts the elements of each class. The second one moves the elements, after it is known how many come before
//! those of each chunk. The function is evaluated once, and a single chunk needs no second round.

use super::Emit;
use super::grid::lt;
use super::screma::Over;
use fehu_base::{OrBug, Prim};
use fehu_facts::poly::Poly;
use fehu_imp::rewrite::{bin, sum};
use fehu_imp::{Block, Exp, From, Kind, Stm, Ty, V};
use fehu_ir::{Atom, BinOp, CmpOp, Partition, Var};
use fehu_mem::lmad::Lmad;
use fehu_mem::table::Place;

/// Where the elements of a result are stored: a pointer and their indices there; none if they have no contents.
type Stored = Option<(V, Lmad)>;

/// How many elements of each class come first, by class and then by chunk, and how many chunks there are.
#[derive(Clone, Copy)]
struct Offsets {
    array: V,
    chunks: V,
}

impl<'a> Emit<'a> {
    /// One position after the other.
    pub(super) fn partition(&mut self, pat: &[Var], op: &'a Partition) {
        let counts = self.declare_counts(op);
        self.partition_here(pat, op, &counts);
        self.bind_counts(pat, &counts);
    }

    /// By tasks.
    pub(super) fn partition_in_tasks(&mut self, pat: &[Var], op: &'a Partition) {
        let counts = self.declare_counts(op);
        self.partition_in_chunks(pat, op, &counts);
        self.bind_counts(pat, &counts);
    }

    /// The numbers of elements, zero so far.
    fn declare_counts(&mut self, op: &Partition) -> Vec<V> {
        (0..op.classes).map(|_| self.declare("count", Prim::I64, Some(Exp::int(0)))).collect()
    }

    fn bind_counts(&mut self, pat: &[Var], counts: &[V]) {
        for (var, count) in pat.iter().zip(counts) {
            self.scalars.insert(*var, Exp::Var(*count));
        }
    }

    fn partition_here(&mut self, pat: &[Var], op: &'a Partition, counts: &[V]) {
        let width = self.atom(op.width);
        let range = (Exp::int(0), width.clone());
        if let [count] = counts {
            let to = self.final_places(&pat[1..]);
            return self.keep_first(pat, op, range, (*count, None), &to);
        }
        let (classes, stored, handles) = self.room_for_all(pat, op);
        self.classify(pat, op, range.clone(), counts, (classes, &stored));
        let mut start = Exp::int(0);
        let mut next: Vec<V> = Vec::with_capacity(counts.len() + 1);
        for count in counts {
            let v = self.declare("next", Prim::I64, Some(start));
            start = bin(BinOp::Add, Exp::Var(v), Exp::Var(*count));
            next.push(v);
        }
        next.push(self.declare("next", Prim::I64, Some(start)));
        self.reorder(&pat[op.classes..], range, &next, (classes, &stored));
        self.out.extend(handles.into_iter().map(Stm::Free));
    }

    fn partition_in_chunks(&mut self, pat: &[Var], op: &'a Partition, counts: &[V]) {
        let site = self.site();
        let width = self.atom(op.width);
        let chunks = self.chunks(site, width.clone());
        // Those of no class are counted as well, unless they are not moved.
        let classes = if op.classes == 1 { 1 } else { op.classes + 1 };
        let entries = self.declare(
            "entries",
            Prim::I64,
            Some(Exp::Index(vec![(classes as i64, vec![chunks])])),
        );
        let (handle, array) = self.temporary("offsets", Prim::I64, sum(&[(1, entries)], 1));
        let offsets = Offsets { array, chunks };
        match op.classes {
            1 => self.filter_chunks(pat, op, (site, width), offsets, entries),
            _ => self.reorder_chunks(pat, op, (site, width), offsets, entries),
        }
        for (class, count) in (0i64..).zip(counts) {
            let from = Exp::Load(array, Box::new(Exp::Index(vec![(class, vec![chunks])])));
            let to = Exp::Load(array, Box::new(Exp::Index(vec![(class + 1, vec![chunks])])));
            self.out.push(Stm::Assign(*count, bin(BinOp::Sub, to, from)));
        }
        self.out.push(Stm::Free(handle));
    }

    /// A filter by chunks, each of which first filters for itself.
    fn filter_chunks(
        &mut self,
        pat: &[Var],
        op: &'a Partition,
        (site, width): (usize, Exp),
        offsets: Offsets,
        entries: V,
    ) {
        let arrays = &pat[1..];
        let several = lt(Exp::int(1), Exp::Var(offsets.chunks));
        let is_direct = arrays
            .iter()
            .all(|var| self.place(*var).is_none_or(|place| place.lmad.is_contiguous()));
        let mut handles: Vec<V> = Vec::new();
        let mut stored: Vec<Stored> = Vec::with_capacity(arrays.len());
        for var in arrays {
            let Some(place) = self.place(*var) else {
                stored.push(None);
                continue;
            };
            let (handle, ptr) = self.declare_temporary("kept", self.table.blocks[place.block].elem);
            let elsewhere = self.block(|this| this.allocate_temporary(handle, ptr, place));
            if is_direct {
                // A single chunk stores elements where they belong.
                let at = self.poly(&place.lmad.offset);
                let here = vec![Stm::Point(ptr, From::Ptr(self.mem(place.block).ptr), at)];
                self.out.push(Stm::If(several.clone(), elsewhere, here));
            } else {
                self.out.extend(elsewhere);
            }
            handles.push(handle);
            stored.push(Some((ptr, row_major(&place.lmad))));
        }
        self.tasks(site, width.clone(), Some(offsets.chunks), |this, [low, high, chunk]| {
            let count = this.declare("count", Prim::I64, Some(Exp::int(0)));
            let range = (Exp::Var(low), Exp::Var(high));
            this.keep_first(pat, op, range, (count, Some(low)), &stored);
            this.out.push(Stm::Store(offsets.array, Exp::Var(chunk), Exp::Var(count)));
        });
        self.add_up(offsets, entries);
        let site = self.site();
        let round = self.block(|this| {
            this.tasks(site, width, Some(offsets.chunks), |this, [low, _, chunk]| {
                let load = |at: Exp| Exp::Load(offsets.array, Box::new(at));
                let to = this.declare("to", Prim::I64, Some(load(Exp::Var(chunk))));
                let count = bin(BinOp::Sub, load(sum(&[(1, chunk)], 1)), Exp::Var(to));
                let count = this.declare("count", Prim::I64, Some(count));
                for (var, stored) in arrays.iter().zip(&stored) {
                    let (Some(place), Some(from)) = (this.place(*var), stored) else { continue };
                    this.move_rows((place, to), (from, low), count);
                }
            });
        });
        match is_direct {
            true => self.out.push(Stm::If(several, round, Block::new())),
            false => self.out.extend(round),
        }
        self.out.extend(handles.into_iter().map(Stm::Free));
    }

    /// A partition into several classes by chunks.
    fn reorder_chunks(
        &mut self,
        pat: &[Var],
        op: &'a Partition,
        (site, width): (usize, Exp),
        offsets: Offsets,
        entries: V,
    ) {
        let (classes, stored, handles) = self.room_for_all(pat, op);
        let numbers = || (0i64..).take(op.classes + 1);
        let entry = |class: i64, chunk: V| {
            Exp::Index(vec![(class, vec![offsets.chunks]), (1, vec![chunk])])
        };
        self.tasks(site, width.clone(), Some(offsets.chunks), |this, [low, high, chunk]| {
            let range = (Exp::Var(low), Exp::Var(high));
            let counts = this.declare_counts(op);
            this.classify(pat, op, range, &counts, (classes, &stored));
            let all = Exp::Index(vec![(1, vec![high]), (-1, vec![low])]);
            let minus = |all: Exp, count: &V| bin(BinOp::Sub, all, Exp::Var(*count));
            let rest = counts.iter().fold(all, minus);
            let values = counts.iter().map(|count| Exp::Var(*count)).chain([rest]);
            for (class, value) in numbers().zip(values) {
                this.out.push(Stm::Store(offsets.array, entry(class, chunk), value));
            }
        });
        self.add_up(offsets, entries);
        let site = self.site();
        self.tasks(site, width, Some(offsets.chunks), |this, [low, high, chunk]| {
            let mut next: Vec<V> = Vec::with_capacity(op.classes + 1);
            for class in numbers() {
                let start = Exp::Load(offsets.array, Box::new(entry(class, chunk)));
                next.push(this.declare("next", Prim::I64, Some(start)));
            }
            let range = (Exp::Var(low), Exp::Var(high));
            this.reorder(&pat[op.classes..], range, &next, (classes, &stored));
        });
        self.out.extend(handles.into_iter().map(Stm::Free));
    }

    /// Replaces numbers of elements by the sums of those before them; the last entry becomes the sum of all.
    fn add_up(&mut self, offsets: Offsets, entries: V) {
        let total = self.declare("total", Prim::I64, Some(Exp::int(0)));
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let here = Exp::Load(offsets.array, Box::new(Exp::Var(k)));
            let here = this.declare("here", Prim::I64, Some(here));
            this.out.push(Stm::Store(offsets.array, Exp::Var(k), Exp::Var(total)));
            this.out.push(Stm::Assign(total, bin(BinOp::Add, Exp::Var(total), Exp::Var(here))));
        });
        self.count_up(k, Exp::Var(entries), body);
        self.out.push(Stm::Store(offsets.array, Exp::Var(entries), Exp::Var(total)));
    }

    /// The elements of class 0 of a range, one after the other. They are counted from zero on; the first one is stored at the
    /// base.
    fn keep_first(
        &mut self,
        pat: &[Var],
        op: &'a Partition,
        range: (Exp, Exp),
        (count, base): (V, Option<V>),
        to: &[Stored],
    ) {
        let is_scalar = |atom: &Atom| self.place_of(*atom).is_none();
        let scalars = op.map.body.results.iter().all(is_scalar);
        // Threads of a device would store to different places at the same time.
        let always = scalars && !self.options.device;
        self.each_in(
            pat,
            Over::function(&op.inputs, &op.map),
            range,
            Kind::Sequential,
            |this, _, parts| {
                let is_kept = this.class_is(parts[0], 0);
                let at = match base {
                    None => Exp::Var(count),
                    Some(base) => {
                        let at = sum(&[(1, base), (1, count)], 0);
                        Exp::Var(this.declare("at", Prim::I64, Some(at)))
                    }
                };
                let mut body = this.block(|this| {
                    for (to, value) in to.iter().zip(&parts[1..]) {
                        let Some((ptr, lmad)) = to else { continue };
                        this.store_into(*ptr, lmad, at.clone(), *value);
                    }
                });
                if always {
                    this.out.append(&mut body);
                    this.out.push(increase(count, is_kept));
                } else {
                    body.push(Stm::Assign(count, bin(BinOp::Add, Exp::Var(count), Exp::int(1))));
                    this.out.push(Stm::If(is_kept, body, Vec::new()));
                }
            },
        );
    }

    /// Memory for the classes of all positions, and for the elements; and its handles.
    fn room_for_all(&mut self, pat: &[Var], op: &Partition) -> (V, Vec<Stored>, Vec<V>) {
        let width = self.atom(op.width);
        let (handle, classes) = self.temporary("classes", class_prim(op.classes), width);
        let mut handles = vec![handle];
        let mut stored: Vec<Stored> = Vec::with_capacity(pat.len() - op.classes);
        for var in &pat[op.classes..] {
            let Some(place) = self.place(*var) else {
                stored.push(None);
                continue;
            };
            let (handle, ptr) =
                self.declare_temporary("element", self.table.blocks[place.block].elem);
            self.allocate_temporary(handle, ptr, place);
            handles.push(handle);
            stored.push(Some((ptr, row_major(&place.lmad))));
        }
        (classes, stored, handles)
    }

    /// Stores the classes and elements of a range, and counts them.
    fn classify(
        &mut self,
        pat: &[Var],
        op: &'a Partition,
        range: (Exp, Exp),
        counts: &[V],
        (classes, stored): (V, &[Stored]),
    ) {
        let prim = class_prim(op.classes);
        self.each_in(
            pat,
            Over::function(&op.inputs, &op.map),
            range,
            Kind::Sequential,
            |this, index, parts| {
                let at = this.poly(&Poly::var(index));
                // As unsigned numbers, negative ones are large.
                let class = Exp::Convert(Prim::I64, Prim::U64, Box::new(this.atom(parts[0])));
                let last =
                    Exp::Convert(Prim::I64, Prim::U64, Box::new(Exp::int(op.classes as i64)));
                let class = Exp::Bin(BinOp::Min, Prim::U64, Box::new(class), Box::new(last));
                let class = Exp::Convert(Prim::U64, prim, Box::new(class));
                this.out.push(Stm::Store(classes, at.clone(), class));
                for (k, count) in counts.iter().enumerate() {
                    let is_class = this.class_is(parts[0], k);
                    this.out.push(increase(*count, is_class));
                }
                for (stored, value) in stored.iter().zip(&parts[1..]) {
                    let Some((ptr, lmad)) = stored else { continue };
                    this.store_into(*ptr, lmad, at.clone(), *value);
                }
            },
        );
    }

    /// Moves the elements of a range to the places that their classes determine; `next` are the next ones, of all classes.
    fn reorder(
        &mut self,
        arrays: &[Var],
        (from, to): (Exp, Exp),
        next: &[V],
        (classes, stored): (V, &[Stored]),
    ) {
        let prim = self.scalar_prim(classes);
        let i = self.new_var("i", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let class = Exp::Load(classes, Box::new(Exp::Var(i)));
            let class = Exp::Convert(prim, Prim::I64, Box::new(class));
            let class = this.declare("class", Prim::I64, Some(class));
            let is = |k: usize| {
                let k = Box::new(Exp::int(k as i64));
                Exp::Cmp(CmpOp::Eq, Prim::I64, Box::new(Exp::Var(class)), k)
            };
            let (last, others) = next.split_last().or_bug("a class");
            let choose = |rest: Exp, (k, next): (usize, &V)| {
                Exp::Select(Box::new([is(k), Exp::Var(*next), rest]))
            };
            let at = others.iter().enumerate().rev().fold(Exp::Var(*last), choose);
            let at = this.declare("at", Prim::I64, Some(at));
            for (var, stored) in arrays.iter().zip(stored) {
                let (Some(place), Some((from, lmad))) = (this.place(*var), stored) else {
                    continue;
                };
                this.move_row(place, Exp::Var(at), (*from, lmad), Exp::Var(i));
            }
            this.out.extend(next.iter().enumerate().map(|(k, next)| increase(*next, is(k))));
        });
        self.out.push(Stm::For { var: i, from, to, step: 1, kind: Kind::Sequential, body });
    }

    /// The places where the elements of results belong.
    fn final_places(&mut self, arrays: &[Var]) -> Vec<Stored> {
        let mut places = Vec::with_capacity(arrays.len());
        for var in arrays {
            // What has no contents is not stored.
            let place = self.place(*var);
            places.push(place.map(|place| (self.mem(place.block).ptr, place.lmad.clone())));
        }
        places
    }

    /// A handle and a pointer of a block that may be allocated later.
    fn declare_temporary(&mut self, hint: &str, elem: Prim) -> (V, V) {
        let handle = self.new_var(&super::hinted(hint, "_mem"), Ty::Mem);
        let ptr = self.new_var(hint, Ty::ptr(elem));
        self.out.extend([Stm::Declare(handle, None), Stm::Declare(ptr, None)]);
        (handle, ptr)
    }

    /// Memory for as many elements as another place has.
    fn allocate_temporary(&mut self, handle: V, ptr: V, like: &Place) {
        let elem = self.table.blocks[like.block].elem;
        self.out.push(Stm::Alloc(handle, elem, self.count(&like.lmad)));
        self.out.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
    }

    /// Moves some rows, from one position on to another.
    fn move_rows(&mut self, (place, to): (&Place, V), (from, low): (&(V, Lmad), V), count: V) {
        let (ptr, lmad) = from;
        if place.lmad.is_contiguous() {
            let row = Lmad { offset: Poly::default(), dims: lmad.dims[1..].to_vec() };
            let count = bin(BinOp::Mul, Exp::Var(count), self.count(&row));
            let to = (self.mem(place.block).ptr, self.address(&place.lmad, &[Exp::Var(to)]));
            let from = (*ptr, self.address(lmad, &[Exp::Var(low)]));
            return self.out.push(Stm::Copy { to, from, count });
        }
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let [to, from] = [to, low].map(|start| {
                let at = sum(&[(1, start), (1, k)], 0);
                Exp::Var(this.declare("at", Prim::I64, Some(at)))
            });
            this.move_row(place, to, (*ptr, lmad), from);
        });
        self.count_up(k, Exp::Var(count), body);
    }

    fn move_row(&mut self, place: &Place, at: Exp, (from, lmad): (V, &Lmad), i: Exp) {
        let to = self.mem(place.block).ptr;
        let row: Vec<Exp> = lmad.dims[1..].iter().map(|dim| self.poly(&dim.size)).collect();
        self.nest(&row, |this, indices| {
            let with = |first: &Exp| -> Vec<Exp> {
                std::iter::once(first.clone()).chain(indices.iter().cloned()).collect()
            };
            let value = Exp::Load(from, Box::new(this.address(lmad, &with(&i))));
            let at = this.address(&place.lmad, &with(&at));
            this.out.push(Stm::Store(to, at, value));
        });
    }

    fn class_is(&self, class: Atom, k: usize) -> Exp {
        let k = Exp::int(k as i64);
        Exp::Cmp(CmpOp::Eq, Prim::I64, Box::new(self.atom(class)), Box::new(k))
    }

    fn store_into(&mut self, ptr: V, lmad: &Lmad, at: Exp, value: Atom) {
        let Some(from) = self.place_of(value) else {
            self.prim_of(value);
            let (at, value) = (self.address(lmad, &[at]), self.atom(value));
            return self.out.push(Stm::Store(ptr, at, value));
        };
        let source = self.mem(from.block).ptr;
        let row: Vec<Exp> = from.lmad.dims.iter().map(|dim| self.poly(&dim.size)).collect();
        self.nest(&row, |this, indices| {
            let value = Exp::Load(source, Box::new(this.address(&from.lmad, indices)));
            let all: Vec<Exp> = std::iter::once(at).chain(indices.iter().cloned()).collect();
            let at = this.address(lmad, &all);
            this.out.push(Stm::Store(ptr, at, value));
        });
    }
}

/// The type in which classes, including the last one, are stored.
fn class_prim(classes: usize) -> Prim {
    if u8::try_from(classes).is_ok() { Prim::U8 } else { Prim::I64 }
}

/// The same elements in row-major order.
fn row_major(lmad: &Lmad) -> Lmad {
    Lmad::row_major(&lmad.shape()).or_bug("the indices of an array have too many terms")
}

/// Adds one if a condition holds.
fn increase(v: V, cond: Exp) -> Stm {
    let one = Exp::Convert(Prim::Bool, Prim::I64, Box::new(cond));
    Stm::Assign(v, bin(BinOp::Add, Exp::Var(v), one))
}
