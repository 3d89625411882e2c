//! Partial results: what a thread, a block or a chunk has combined so far.
//!
//! A [`Partial`] is the current value of an operator: for each component a scalar variable, or the place of an array.
//! It is kept in arrays ([`Kept`]), one for each component, with an element or a row for each position, thread, block
//! or chunk; they are in registers, in the shared memory of a block, or in memory ([`Room`]). Reductions, segmented
//! reductions, scans and histograms differ in what they combine and when. How values are stored, loaded and combined is
//! here, and how those of a whole level become one is in a file for each level:
//!
//! | level | file | how |
//! | --- | --- | --- |
//! | tasks | [`tasks`] | one chunk after the other |
//! | a block | [`block`] | a tree of the threads, through shared memory |
//! | a warp | [`lanes`] | a tree of its lanes, by shuffles, if values are scalars |
//! | the grid | [`block`], in a second kernel | a share of the chunks for each thread, then the tree |
//!
//! Operators need not be commutative: the operand with the lower position is always the first, unless it is said that the
//! order is free.

mod block;
mod lanes;
mod tasks;

use super::{Emit, Mem};
pub(super) use block::{SHARED_BYTES, Tree};
use fehu_base::{Prim, bug};
use fehu_imp::{Exp, From, Stm, Ty, V};
use fehu_ir::{Atom, Lambda, Screma, Var};
use fehu_mem::table::Place;
pub(super) use lanes::{LANES, fit_lanes};

/// A component of the current value of an operator: a scalar variable, or a place.
#[derive(Clone)]
pub(super) enum Sofar<'a> {
    /// A scalar.
    Scalar(V),
    /// An array.
    Array(&'a Place),
    /// No contents.
    Nothing,
}

impl Sofar<'_> {
    /// The value of a scalar.
    pub(super) fn value(&self) -> Option<Exp> {
        match self {
            Sofar::Scalar(v) => Some(Exp::Var(*v)),
            Sofar::Array(_) | Sofar::Nothing => None,
        }
    }
}

/// The current value of an operator.
#[derive(Clone)]
pub(super) struct Partial<'a> {
    pub(super) op: &'a Lambda,
    pub(super) parts: Vec<Sofar<'a>>,
}

/// Where values of an operator are kept.
#[derive(Clone)]
pub(super) struct Kept {
    /// For each component.
    pub(super) slots: Vec<Slot>,
    /// The handles of the arrays, if they are in memory.
    handles: Vec<V>,
}

/// Where a component is kept.
#[derive(Clone, Copy)]
pub(super) enum Slot {
    /// Scalars in an array, and the type of the component: what is stored may be narrower.
    Scalars(V, Prim),
    /// Arrays, one after the other in this one, and the distance between them.
    Rows(V, V),
    /// No contents.
    Nothing,
}

/// What kind of memory values are kept in, and how many of them there are.
pub(super) enum Room {
    /// Registers of a thread.
    Registers(u32),
    /// Memory that the threads of a block share.
    Shared(u32),
    /// Memory.
    Memory(Exp),
}

impl Kept {
    /// The arrays of scalars.
    pub(super) fn arrays(&self) -> impl Iterator<Item = V> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Scalars(array, _) => Some(*array),
            Slot::Rows(..) | Slot::Nothing => None,
        })
    }
}

impl<'a> Emit<'a> {
    /// The values of scans before the first element: neutral.
    pub(super) fn start_scans(&mut self, op: &'a Screma) -> Vec<Partial<'a>> {
        op.scans.iter().map(|scan| self.start(&scan.op, &scan.neutral)).collect()
    }

    /// The values of reductions before the first element.
    pub(super) fn start_reds(&mut self, op: &'a Screma) -> Vec<Partial<'a>> {
        op.reds.iter().map(|red| self.start(&red.op, &red.neutral)).collect()
    }

    /// A neutral value.
    pub(super) fn start(&mut self, op: &'a Lambda, neutral: &[Atom]) -> Partial<'a> {
        let parts = op.params.iter().zip(neutral);
        let parts = parts.map(|(param, neutral)| self.start_part(*param, *neutral)).collect();
        Partial { op, parts }
    }

    fn start_part(&mut self, param: Var, neutral: Atom) -> Sofar<'a> {
        if let Some(place) = self.place(param) {
            self.write(place, neutral);
            return Sofar::Array(place);
        }
        // What has no contents is not combined.
        let Some(prim) = self.prim(param.into()) else { return Sofar::Nothing };
        let value = self.atom(neutral);
        Sofar::Scalar(self.declare(&self.ir[param].hint.clone(), prim, Some(value)))
    }

    /// The types of the components that an operator combines; none for those that are no scalars.
    pub(super) fn part_prims(&self, op: &Lambda) -> Vec<Option<Prim>> {
        let parts = &op.params[..op.params.len() / 2];
        parts.iter().map(|param| self.prim((*param).into())).collect()
    }

    /// Arrays for values of an operator.
    pub(super) fn keep(&mut self, hint: &str, op: &Lambda, room: &Room) -> Kept {
        let prims = self.part_prims(op);
        self.keep_prims(hint, &prims, None, room)
    }

    /// The same, for each of several operators.
    pub(super) fn keep_each<'b>(
        &mut self,
        hint: &str,
        ops: impl Iterator<Item = &'b Lambda>,
        room: &Room,
    ) -> Vec<Kept> {
        ops.map(|op| self.keep(hint, op, room)).collect()
    }

    /// Arrays for values of these types, which are stored as values of another one if that is given.
    pub(super) fn keep_prims(
        &mut self,
        hint: &str,
        prims: &[Option<Prim>],
        stored: Option<Prim>,
        room: &Room,
    ) -> Kept {
        let mut kept = Kept { slots: Vec::with_capacity(prims.len()), handles: Vec::new() };
        for prim in prims {
            let Some(prim) = *prim else {
                kept.slots.push(Slot::Nothing);
                continue;
            };
            let elem = stored.unwrap_or(prim);
            let array = match room {
                Room::Registers(count) => self.array_of(hint, Ty::Local(elem, *count)),
                Room::Shared(count) => self.array_of(hint, Ty::Shared(elem, *count)),
                Room::Memory(count) => {
                    let (handle, ptr) = self.temporary(hint, elem, count.clone());
                    kept.handles.push(handle);
                    ptr
                }
            };
            kept.slots.push(Slot::Scalars(array, prim));
        }
        kept
    }

    /// Memory for one value of each operator: neighbouring elements, if all are of one type, so that one copy brings
    /// all of them to the host. Returns also where they are: for each component, a pointer and an index.
    pub(super) fn keep_together<'b>(
        &mut self,
        hint: &str,
        ops: impl Iterator<Item = &'b Lambda> + Clone,
    ) -> (Vec<Kept>, Vec<(V, i64)>) {
        let prims: Vec<Option<Prim>> = ops.clone().flat_map(|op| self.part_prims(op)).collect();
        let count = prims.len() as i64;
        let first = prims.first().copied().flatten();
        let Some(prim) = first.filter(|_| count > 1 && prims.iter().all(|prim| *prim == first))
        else {
            let kept = self.keep_each(hint, ops, &Room::Memory(Exp::int(1)));
            let places = kept.iter().flat_map(Kept::arrays).map(|array| (array, 0)).collect();
            return (kept, places);
        };
        let (handle, all) = self.temporary(hint, prim, Exp::int(count));
        let (mut kept, mut places) = (Vec::new(), Vec::new());
        for op in ops {
            let mut own = Kept { slots: Vec::new(), handles: Vec::new() };
            for _ in self.part_prims(op) {
                let number = places.len() as i64;
                let ptr = self.array_of(hint, Ty::ptr(prim));
                self.out.push(Stm::Point(ptr, From::Ptr(all), Exp::int(number)));
                own.slots.push(Slot::Scalars(ptr, prim));
                places.push((all, number));
            }
            kept.push(own);
        }
        kept[0].handles.push(handle);
        (kept, places)
    }

    fn array_of(&mut self, hint: &str, ty: Ty) -> V {
        let array = self.new_var(hint, ty);
        self.out.push(Stm::Declare(array, None));
        array
    }

    /// An array that the threads of a block share.
    pub(super) fn shared_array(&mut self, hint: &str, prim: Prim, count: u32) -> V {
        self.array_of(hint, Ty::Shared(prim, count))
    }

    /// Frees arrays in memory.
    pub(super) fn free(&mut self, all: &[Kept]) {
        self.out.extend(all.iter().flat_map(|kept| &kept.handles).map(|handle| Stm::Free(*handle)));
    }

    /// The element type of a variable or array.
    pub(super) fn scalar_prim(&self, v: V) -> Prim {
        match self.vars[v].ty {
            Ty::Scalar(prim) | Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => prim,
            Ty::Mem => bug(format_args!("{v:?} is a handle")),
        }
    }

    /// Stores the scalars of a value; its arrays are already where they belong.
    pub(super) fn store_kept(&mut self, parts: &[Sofar<'a>], kept: &Kept, at: &Exp) {
        for (part, slot) in parts.iter().zip(&kept.slots) {
            if let (Sofar::Scalar(v), Slot::Scalars(array, prim)) = (part, slot) {
                let value = converted(Exp::Var(*v), *prim, self.scalar_prim(*array));
                self.out.push(Stm::Store(*array, at.clone(), value));
            }
        }
    }

    /// The same, for each of several operators.
    pub(super) fn store_each(&mut self, partials: &[Partial<'a>], kept: &[Kept], at: &Exp) {
        for (partial, kept) in partials.iter().zip(kept) {
            self.store_kept(&partial.parts, kept, at);
        }
    }

    /// Stores operands; they are the components of the operators, one after the other.
    pub(super) fn store_atoms(&mut self, atoms: &[Atom], kept: &[Kept], at: &Exp) {
        for (atom, slot) in atoms.iter().zip(kept.iter().flat_map(|kept| &kept.slots)) {
            if let Slot::Scalars(array, prim) = slot {
                let value = converted(self.atom(*atom), *prim, self.scalar_prim(*array));
                self.out.push(Stm::Store(*array, at.clone(), value));
            }
        }
    }

    /// Copies values from one place to another.
    pub(super) fn move_kept(&mut self, (from, at): (&[Kept], &Exp), (to, place): (&[Kept], &Exp)) {
        let arrays = from.iter().flat_map(Kept::arrays).zip(to.iter().flat_map(Kept::arrays));
        for (from, to) in arrays {
            let value = Exp::Load(from, Box::new(at.clone()));
            self.out.push(Stm::Store(to, place.clone(), value));
        }
    }

    /// The scalars of a value, as variables of the thread.
    pub(super) fn load_kept(&mut self, kept: &Kept, at: &Exp) -> Vec<Sofar<'a>> {
        let mut parts = Vec::with_capacity(kept.slots.len());
        for slot in &kept.slots {
            parts.push(match slot {
                Slot::Scalars(array, prim) => {
                    let value = Exp::Load(*array, Box::new(at.clone()));
                    let value = converted(value, self.scalar_prim(*array), *prim);
                    Sofar::Scalar(self.declare("part", *prim, Some(value)))
                }
                Slot::Rows(..) | Slot::Nothing => Sofar::Nothing,
            });
        }
        parts
    }

    /// Combines values with those that are kept at a position, which come after them.
    pub(super) fn append(&mut self, partials: &[Partial<'a>], kept: &[Kept], at: &Exp) {
        for (partial, kept) in partials.iter().zip(kept) {
            let right = self.load_kept(kept, at);
            self.combine_parts(partial.op, &partial.parts, &right);
        }
    }

    /// Combines the current values with the elements of a position; returns the remaining elements.
    pub(super) fn combine_each<'b>(
        &mut self,
        partials: &[Partial<'a>],
        mut elements: &'b [Atom],
    ) -> &'b [Atom] {
        for partial in partials {
            let (own, rest) = elements.split_at(partial.parts.len().min(elements.len()));
            let values: Vec<Option<Exp>> = own.iter().map(|element| self.value(*element)).collect();
            self.combine_values(partial.op, &partial.parts, &values);
            elements = rest;
        }
        elements
    }

    /// `left = left op right`
    pub(super) fn combine_parts(
        &mut self,
        op: &'a Lambda,
        left: &[Sofar<'a>],
        right: &[Sofar<'a>],
    ) {
        let right: Vec<Option<Exp>> = right.iter().map(Sofar::value).collect();
        self.combine_values(op, left, &right);
    }

    /// The same, where the scalars on the right are expressions; arrays are where their parameters are.
    pub(super) fn combine_values(
        &mut self,
        op: &'a Lambda,
        left: &[Sofar<'a>],
        right: &[Option<Exp>],
    ) {
        self.combine_params(op, &op.params, left, right);
    }

    /// The same, where the operator has other parameters before these.
    pub(super) fn combine_params(
        &mut self,
        op: &'a Lambda,
        params: &[Var],
        left: &[Sofar<'a>],
        right: &[Option<Exp>],
    ) {
        let values = left.iter().map(Sofar::value).chain(right.iter().cloned());
        for (param, value) in params.iter().zip(values) {
            if let Some(value) = value {
                self.scalars.insert(*param, value);
            }
        }
        self.body(&op.body);
        self.assign_all(left, &op.body.results);
    }

    /// An operator applied to scalars, which are variables or constants.
    pub(super) fn apply(
        &mut self,
        (op, skip): (&'a Lambda, usize),
        left: &[Exp],
        right: &[Exp],
    ) -> Vec<Exp> {
        for (param, value) in op.params[skip..].iter().zip(left.iter().chain(right)) {
            self.scalars.insert(*param, value.clone());
        }
        self.body(&op.body);
        op.body.results.iter().map(|result| self.atom(*result)).collect()
    }

    /// Assigns operands to the current values, all at the same time.
    pub(super) fn assign_all(&mut self, to: &[Sofar<'a>], results: &[Atom]) {
        let mut moves = Vec::new();
        for (part, result) in to.iter().zip(results) {
            match part {
                Sofar::Scalar(v) => {
                    let mut value = self.atom(*result);
                    let is_other = |part: &Sofar<'_>| matches!(part, Sofar::Scalar(w) if value == Exp::Var(*w) && w != v);
                    if to.iter().any(is_other) {
                        let prim = self.scalar_prim(*v);
                        value = Exp::Var(self.declare("next", prim, Some(value)));
                    }
                    if value != Exp::Var(*v) {
                        moves.push(Stm::Assign(*v, value));
                    }
                }
                Sofar::Array(place) => self.write(place, *result),
                Sofar::Nothing => {}
            }
        }
        self.out.append(&mut moves);
    }

    /// Assigns the second value to the first.
    pub(super) fn copy_parts(&mut self, to: &[Sofar<'a>], from: &[Sofar<'a>]) {
        for (to, from) in to.iter().zip(from) {
            if let (Sofar::Scalar(to), Sofar::Scalar(from)) = (to, from) {
                self.out.push(Stm::Assign(*to, Exp::Var(*from)));
            }
        }
    }

    /// New variables with the same values.
    pub(super) fn copied(&mut self, parts: &[Sofar<'a>]) -> Vec<Sofar<'a>> {
        let mut copies = Vec::with_capacity(parts.len());
        for part in parts {
            copies.push(match part {
                Sofar::Scalar(v) => {
                    Sofar::Scalar(self.declare("sum", self.scalar_prim(*v), Some(Exp::Var(*v))))
                }
                Sofar::Array(_) | Sofar::Nothing => Sofar::Nothing,
            });
        }
        copies
    }

    /// From here on, the block of a place is somewhere else: a pointer into an array.
    pub(super) fn redirect(&mut self, hint: &str, place: &Place, from: V, start: Exp) -> V {
        let elem = self.table.blocks[place.block].elem;
        let ptr = self.new_var(hint, self.vars[from].ty.pointer_into(elem));
        self.out.push(Stm::Declare(ptr, None));
        self.out.push(Stm::Point(ptr, From::Ptr(from), start));
        self.blocks.insert(place.block, Mem { ptr, handle: None });
        ptr
    }
}

/// A value converted to another type.
pub(super) fn converted(value: Exp, from: Prim, to: Prim) -> Exp {
    match from == to {
        true => value,
        false => Exp::Convert(from, to, Box::new(value)),
    }
}
