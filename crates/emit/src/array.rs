//! Operations that create, change or copy a single array.

use super::{Emit, part_of};
use fehu_base::{OrBug, Prim, bug};
use fehu_facts::poly::Poly;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::bin;
use fehu_imp::{Exp, From, Kind, Stm, Ty, V};
use fehu_ir::{self as ir, Atom, BinOp, CmpOp, Scalar, Var};
use fehu_mem::lmad::{Lmad, Pick};
use fehu_mem::table::{self, Computed, Place, flat, pick};

impl Emit<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(super) fn single(&mut self, var: Var, exp: &ir::Exp) {
        if let Some(value) = self.scalar(exp) {
            return self.bind(var, value);
        }
        match exp {
            ir::Exp::Assert(cond, check) => {
                let (cond, message) = (self.atom(*cond), self.message(check));
                self.out.push(Stm::Assert(cond, message));
            }
            ir::Exp::Index(array, dims) if !self.ir[var].ty.is_array() => {
                // What has no contents has no value.
                if self.prim(var.into()).is_some() {
                    let copied = self.in_box(var);
                    let value = copied.unwrap_or_else(|| self.element(*array, dims));
                    self.bind(var, value);
                }
            }
            ir::Exp::Update(array, dims, value) => {
                let picks: Vec<Pick> = dims.iter().map(pick).collect();
                self.update(*array, |lmad| lmad.slice(&picks), *value);
            }
            ir::Exp::FlatUpdate(array, offset, dims, value) => {
                let slice = flat(*offset, dims);
                self.update(*array, |lmad| lmad.flat_slice(&slice), Atom::Var(*value));
            }
            ir::Exp::Array(_, atoms) => self.literal(var, atoms),
            ir::Exp::Concat(_, arrays) => self.concat(var, arrays),
            ir::Exp::Iota(prim, count, start, step) => self.iota(var, *prim, *count, *start, *step),
            ir::Exp::Replicate(shape, value) => self.replicate(var, shape, *value),
            ir::Exp::Copy(array) | ir::Exp::Manifest(array) => {
                // What has no contents needs no copy.
                if let Some(to) = self.place(var) {
                    let from = self.place(*array).or_bug("memory to copy from");
                    self.copy(to, from);
                }
            }
            ir::Exp::Trace(tag, atom) => self.trace(var, tag, *atom),
            // Views cost nothing, and the contents of scratch do not matter.
            ir::Exp::Index(..)
            | ir::Exp::FlatIndex(..)
            | ir::Exp::Reshape(..)
            | ir::Exp::Rearrange(..)
            | ir::Exp::Scratch(..) => {}
            // Certificates and arrays under another name.
            ir::Exp::Atom(_) | ir::Exp::Opaque(_) => {}
            other => bug(format_args!("{other:?} is no operation on a single array")),
        }
    }

    /// The element of an array without memory.
    pub(super) fn computed(&self, array: Var, index: Exp) -> Option<Exp> {
        Some(match *self.table.computed.get(&array)? {
            Computed::Replicate(value) => self.atom(value),
            Computed::Iota(prim, start, step) => self.progression(prim, start, step, index),
        })
    }

    /// `start + index * step`
    #[expect(clippy::wildcard_enum_match_arm, reason = "other operands are computed with")]
    pub(super) fn progression(&self, prim: Prim, start: Atom, step: Atom, index: Exp) -> Exp {
        let position = match prim {
            Prim::I64 => index,
            prim => Exp::Convert(Prim::I64, prim, Box::new(index)),
        };
        let distance = match self.atom(step) {
            Exp::Const(step) if step == Scalar::from_bits(prim, 1) => position,
            step => Exp::Bin(BinOp::Mul, prim, Box::new(position), Box::new(step)),
        };
        match self.atom(start) {
            Exp::Const(start) if start == Scalar::zero(prim) => distance,
            start => Exp::Bin(BinOp::Add, prim, Box::new(start), Box::new(distance)),
        }
    }

    /// The value of an element.
    fn element(&mut self, array: Var, dims: &[ir::Dim]) -> Exp {
        if let [ir::Dim::Fix(index)] = dims
            && let Some(value) = self.computed(array, self.atom(*index))
        {
            return value;
        }
        let place = self.place(array).or_bug("memory to read from");
        let picks: Vec<Pick> = dims.iter().map(pick).collect();
        let element = part_of(place, |lmad| lmad.slice(&picks));
        self.load(place, &element.lmad.offset)
    }

    /// The element at an address of a place's block.
    pub(super) fn load(&mut self, place: &Place, address: &Poly) -> Exp {
        let index = self.poly(address);
        Exp::Load(self.mem(place.block).ptr, Box::new(index))
    }

    fn update(&mut self, array: Var, part: impl FnOnce(&Lmad) -> Option<Lmad>, value: Atom) {
        // Nothing changes in an array without contents.
        let Some(place) = self.place(array) else { return };
        self.write(&part_of(place, part), value);
    }

    /// Assigns an operand to the elements of a place: a scalar if the place is a single address.
    pub(super) fn write(&mut self, to: &Place, value: Atom) {
        match self.place_of(value) {
            Some(from) => self.copy(to, from),
            None if self.prim(value).is_some() => {
                let (value, index) = (self.atom(value), self.poly(&to.lmad.offset));
                let ptr = self.mem(to.block).ptr;
                self.alone(|this| this.out.push(Stm::Store(ptr, index, value)));
            }
            None => match value.var() {
                Some(var) if self.needs_no_memory(var) => {
                    bug(format_args!("{} has no memory to copy from", self.named(var)))
                }
                // What has no contents is nowhere.
                Some(_) | None => {}
            },
        }
    }

    /// Copies elements, unless they are there already.
    pub(super) fn copy(&mut self, to: &Place, from: &Place) {
        if to.same(from) {
            return;
        }
        let beside = self.runs.block().is_none() && self.is_beside_device();
        if (beside || !self.options.device) && is_turned(to, from) {
            return self.copy_turned(to, from);
        }
        self.copy_elements(to, from);
    }

    /// Copies a matrix whose rows are the columns of the other one. A single one is the same in both layouts.
    fn copy_turned(&mut self, to: &Place, from: &Place) {
        let [rows, columns] = [0, 1].map(|k| {
            let size = self.poly(&to.lmad.dims[k].size);
            self.simple("size", &size)
        });
        let is_known = |size: &Exp| matches!(size, Exp::Const(_));
        if is_known(&rows) && is_known(&columns) {
            return self.copy_elements(to, from);
        }
        let short = bin(BinOp::Min, rows.clone(), columns.clone());
        let several = self.block(|this| this.copy_elements(to, from));
        let single = self.block(|this| {
            let [target, source] = [to, from].map(|place| {
                let first = [Exp::int(0), Exp::int(0)];
                (this.mem(place.block).ptr, this.address(&place.lmad, &first))
            });
            this.copy_block(target, source, bin(BinOp::Mul, rows, columns));
        });
        let is_single = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(short), Box::new(Exp::int(2)));
        self.out.push(Stm::If(is_single, single, several));
    }

    /// Copies elements one by one, or rows of them.
    fn copy_elements(&mut self, to: &Place, from: &Place) {
        if self.runs.block().is_none()
            && self.is_beside_device()
            && self.transpose_on_grid(to, from)
        {
            return;
        }
        let (to_ptr, from_ptr) = (self.mem(to.block).ptr, self.mem(from.block).ptr);
        // Outer dimensions are loops, until what is left is contiguous on both sides.
        let rank = to.lmad.rank().min(from.lmad.rank());
        let inner =
            |lmad: &Lmad, k: usize| Lmad { offset: Poly::default(), dims: lmad.dims[k..].to_vec() };
        let contiguous =
            |k: usize| inner(&to.lmad, k).is_contiguous() && inner(&from.lmad, k).is_contiguous();
        let depth = match (0..rank).find(|k| contiguous(*k)).unwrap_or(rank) {
            // A thread of a device copies one element.
            _ if self.runs.block().is_some() => rank,
            some if some > 0 && self.is_beside_device() => rank,
            depth => depth,
        };
        let outer: Vec<Exp> =
            to.lmad.dims[..depth].iter().map(|dim| self.poly(&dim.size)).collect();
        self.nest(&outer, |this, indices| {
            let (to_index, from_index) =
                (this.address(&to.lmad, indices), this.address(&from.lmad, indices));
            if depth == rank {
                let value = Exp::Load(from_ptr, Box::new(from_index));
                this.alone(|this| this.out.push(Stm::Store(to_ptr, to_index, value)));
            } else {
                let count = this.count(&inner(&to.lmad, depth));
                this.copy_block((to_ptr, to_index), (from_ptr, from_index), count);
            }
        });
    }

    /// Loops over all indices below these sizes.
    pub(super) fn nest(&mut self, sizes: &[Exp], work: impl FnOnce(&mut Self, &[Exp])) {
        match sizes.first() {
            Some(_) if self.is_beside_device() => self.grid("copy", sizes, work),
            Some(total) if self.moves_in_tasks() && !matches!(total, Exp::Const(_)) => {
                let (site, total) = (self.site(), total.clone());
                self.tasks(site, total, None, |this, [low, high, _]| {
                    this.nest_in((Exp::Var(low), Exp::Var(high)), sizes, work);
                });
            }
            Some(total) => self.nest_in((Exp::int(0), total.clone()), sizes, work),
            None => work(self, &[]),
        }
    }

    /// Likewise, over a range of the outermost index.
    fn nest_in(&mut self, range: (Exp, Exp), sizes: &[Exp], work: impl FnOnce(&mut Self, &[Exp])) {
        let vars: Vec<V> = sizes.iter().map(|_| self.new_var("k", Ty::Scalar(Prim::I64))).collect();
        let indices: Vec<Exp> = vars.iter().map(|v| Exp::Var(*v)).collect();
        let mut body = self.block(|this| work(this, &indices));
        let inner = sizes[1..].iter().map(|size| (Exp::int(0), size.clone()));
        let ranges: Vec<(Exp, Exp)> = std::iter::once(range).chain(inner).collect();
        for (var, (from, to)) in vars.into_iter().zip(ranges).rev() {
            let kind = Kind::Independent(Vec::new());
            body = vec![Stm::For { var, from, to, step: 1, kind, body }];
        }
        self.out.append(&mut body);
    }

    /// Copies contiguous elements. A few are copied before other threads would know of it.
    pub(crate) fn copy_block(&mut self, to: (V, Exp), from: (V, Exp), count: Exp) {
        if !self.moves_in_tasks() || matches!(count, Exp::Const(_)) {
            return self.out.push(Stm::Copy { to, from, count });
        }
        let (Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) | Ty::Scalar(prim)) =
            self.vars[to.0].ty
        else {
            bug("elements are copied to a block as a whole");
        };
        let few = Exp::int(CPU.copied_bytes / i64::from(prim.bits() / 8).max(1));
        let is_few = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(count.clone()), Box::new(few));
        let (to_few, from_few, count_few) = (to.clone(), from.clone(), count.clone());
        let alone = vec![Stm::Copy { to: to_few, from: from_few, count: count_few }];
        let shared = self.block(|this| {
            let site = this.site();
            this.tasks(site, count, None, |this, [low, high, _]| {
                let start = |(ptr, index): (V, Exp)| (ptr, plus(index, Exp::Var(low)));
                let count = Exp::Index(vec![(1, vec![high]), (-1, vec![low])]);
                this.out.push(Stm::Copy { to: start(to), from: start(from), count });
            });
        });
        self.out.push(Stm::If(is_few, alone, shared));
    }

    fn literal(&mut self, var: Var, atoms: &[Atom]) {
        // What has no contents is not made.
        let Some(place) = self.place(var) else { return };
        for (index, atom) in (0i64..).zip(atoms) {
            let row = part_of(place, |lmad| lmad.fix(&[Poly::constant(index.into())]));
            self.write(&row, *atom);
        }
    }

    fn concat(&mut self, var: Var, arrays: &[Var]) {
        // What has no contents needs no copies.
        let Some(place) = self.place(var) else { return };
        for (part, array) in self.parts(place, arrays) {
            let from = self.place(array).or_bug("memory of a part of an array");
            self.copy(&part, from);
        }
    }

    /// Where the arrays of a concatenation are in its place.
    pub(super) fn parts(&self, place: &Place, arrays: &[Var]) -> Vec<(Place, Var)> {
        let mut start = Poly::default();
        let mut parts = Vec::with_capacity(arrays.len());
        for array in arrays {
            let size = table::poly(self.ir[*array].ty.shape()[0]);
            let end = start.add(&size).or_bug("sum of sizes with so many terms");
            let range = Pick::range(std::mem::replace(&mut start, end), size);
            parts.push((part_of(place, |lmad| lmad.slice(&[range])), *array));
        }
        parts
    }

    fn iota(&mut self, var: Var, prim: Prim, count: Atom, start: Atom, step: Atom) {
        // It may be computed where it is read.
        let Some(place) = self.place(var) else { return };
        let ptr = self.mem(place.block).ptr;
        let count = self.atom(count);
        self.nest(&[count], |this, indices| {
            let value = this.progression(prim, start, step, indices[0].clone());
            let index = this.address(&place.lmad, indices);
            this.out.push(Stm::Store(ptr, index, value));
        });
    }

    fn replicate(&mut self, var: Var, shape: &[Atom], value: Atom) {
        // It may be computed where it is read, or have no contents.
        let Some(place) = self.place(var) else { return };
        let ptr = self.mem(place.block).ptr;
        let sizes: Vec<Exp> = shape.iter().map(|size| self.atom(*size)).collect();
        let rank = place.lmad.rank();
        match self.place_of(value) {
            None => self.nest(&sizes, |this, indices| {
                let scalar = this.atom(value);
                let index = this.address(&place.lmad, indices);
                this.alone(|this| this.out.push(Stm::Store(ptr, index, scalar)));
            }),
            Some(from) => {
                let row: Vec<Exp> = from.lmad.dims.iter().map(|dim| self.poly(&dim.size)).collect();
                let all: Vec<Exp> = sizes.iter().cloned().chain(row).collect();
                let from_ptr = self.mem(from.block).ptr;
                self.nest(&all, |this, indices| {
                    let index = this.address(&place.lmad, indices);
                    let inner = &indices[rank - from.lmad.rank()..];
                    let value = Exp::Load(from_ptr, Box::new(this.address(&from.lmad, inner)));
                    this.out.push(Stm::Store(ptr, index, value));
                });
            }
        }
    }

    fn trace(&mut self, var: Var, tag: &ecow::EcoString, atom: Atom) {
        if let Some(prim) = self.prim(atom) {
            let value = self.atom(atom);
            self.out.push(Stm::Trace(tag.clone(), value.clone(), prim));
            self.scalars.insert(var, value);
        }
        if let Some(place) = self.place_of(atom) {
            let mem = self.mem(place.block);
            let elem = self.table.blocks[place.block].elem;
            let ptr = self.new_var("traced", self.vars[mem.ptr].ty.pointer_into(elem));
            let index = self.poly(&place.lmad.offset);
            self.out.push(Stm::Declare(ptr, None));
            self.out.push(Stm::Point(ptr, From::Ptr(mem.ptr), index));
            let shape = place.lmad.dims.iter().map(|dim| self.poly(&dim.size)).collect();
            self.out.push(Stm::TraceArray(tag.clone(), ptr, shape));
        }
    }
}

/// A sum of indices.
/// Whether two matrices have the same elements in a row, one by rows and the other one by columns.
fn is_turned(to: &Place, from: &Place) -> bool {
    let [one, other] = [to, from].map(|place| place.lmad.contiguous_order());
    to.lmad.rank() == 2 && one.is_some() && other.is_some() && one != other
}

fn plus(a: Exp, b: Exp) -> Exp {
    if a == Exp::int(0) {
        return b;
    }
    Exp::Bin(BinOp::Add, Prim::I64, Box::new(a), Box::new(b))
}
