//! Windows: positions that read elements near them, as the plan of their Seg says ([`WindowTiling`]).
//!
//! ```text
//! for all i, j:  acc = 0; for dy, dx: acc += a[clamp (i + dy - 4), clamp (j + dx - 4)]; out[i, j] = acc
//! ```
//!
//! A block has the positions of a box. Its threads first copy the elements at all coordinates that these positions can
//! have to shared memory:
//!
//! ```text
//! for all y < 32 + 8, x < 32 + 8:  box[y, x] = a[clamp (first_i + y - 4), clamp (first_j + x - 4)]
//! ```
//!
//! Then each of them executes the code for its positions, as it is, but for the reads: `box[i + dy - 4 - (first_i - 4),
//! ...]`. Coordinates that nobody reads may be outside of the array, and are left out; if there is something to read
//! there, it is stored.
//!
//! A thread has several positions, whose code it executes together where that is simple ([`super::jam`]): they have
//! most elements in common, and all weights. On an H200, 9 x 9 weights of 4096 x 4096 floats take 640 us without a
//! copy, 390 with one position at a time, and 190 with four; by hand, without the launch, 384 with one and 143 with
//! four (`bench/windows`).

use super::super::Emit;
use super::jam::{Jam, roll};
use super::seg::SegOp;
use super::stage::{short_int, u32_bin, u32_lt, up_to, wide};
use super::{bin, lt, quot_up};
use fehu_base::{OrBug, Prim, bug};
use fehu_imp::rewrite::{Vars, all, le, tidy};
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{
    Atom, Axis, BinOp, Border, CmpOp, Distance, Elem, Origin, Scalar, Screma, Var, Window,
    WindowTiling,
};

/// Sizes are smaller than this, so that coordinates have 32 bits.
const LARGE: i64 = 1 << 30;

/// The positions of a box along the dimensions in which it has several, if there are to be few.
const FEW: [&[u32]; 3] = [&[128], &[16, 8], &[4, 4, 8]];

/// An element that is read from shared memory.
#[derive(Clone)]
pub(crate) struct InBox {
    array: V,
    /// For each dimension of the box: the coordinate, the first one of the box, the distance of neighbours, which is a product.
    at: Vec<(Atom, V, (i64, Vec<V>))>,
}

/// The part of an array that a block copies.
struct Part<'b> {
    window: &'b Window,
    array: V,
    /// How many coordinates there are along each dimension, a constant or a variable.
    extents: Vec<Exp>,
    /// The first coordinates.
    first: Vec<V>,
    /// The type of the coordinates along each dimension.
    prims: Vec<Prim>,
}

/// The code for a position.
struct PositionCode {
    /// The indices of the position.
    indices: Vec<V>,
    block: Block,
}

impl<'a> Emit<'a> {
    /// A map whose positions read elements near them.
    pub(super) fn windows_on_grid(
        &mut self,
        seg: &SegOp<'a>,
        op: &'a Screma,
        tiling: &'a WindowTiling,
    ) {
        // An array without memory is computed, not read.
        if tiling.windows.iter().any(|window| self.place(window.array).is_none()) {
            return self.map_plain(seg, seg.pat, op);
        }
        let lengths = if self.options.few { few(&tiling.lengths) } else { tiling.lengths.clone() };
        let mut sizes = Vec::new();
        for size in self.sizes(seg, Some(self.atom(op.width))) {
            sizes.push(self.simple("size", &size));
        }
        let mut parts = Vec::with_capacity(tiling.windows.len());
        for window in &tiling.windows {
            parts.push(self.part(window, &lengths));
        }
        let code = self.position_code(seg, op);
        let within = self.code_within(seg, op, tiling);
        self.in_boxes.clear();
        let Some(code) = code else { return self.map_plain(seg, seg.pat, op) };
        let mut conditions = Vec::new();
        // All elements of a box are copied, also if no position reads them.
        for border in
            tiling.windows.iter().flat_map(|window| &window.axes).flat_map(|axis| &axis.border)
        {
            if let Border::Op(BinOp::Mod | BinOp::Rem, by) = border {
                let prim = self.prim(*by).or_bug("the type of a border");
                let (zero, by) = (Exp::Const(Scalar::zero(prim)), self.atom(*by));
                conditions.push(Exp::Cmp(CmpOp::Lt, prim, Box::new(zero), Box::new(by)));
            }
        }
        for (size, length) in sizes.iter().zip(&lengths) {
            conditions.push(lt(size.clone(), Exp::int(LARGE)));
            let least = self.unless_few(i64::from(*length), 2).min(i64::from(*length));
            conditions.push(lt(Exp::int(least - 1), size.clone()));
        }
        for part in &parts {
            if let Some(room) = part.window.room {
                self.has_room(part, room, &lengths, &mut conditions);
            }
        }
        let kernel =
            self.block(|this| this.boxes(&sizes, &lengths, &parts, (&code, within.as_ref())));
        let plain = self.block(|this| this.map_plain(seg, seg.pat, op));
        self.out.push(Stm::If(all(conditions), kernel, plain));
    }

    fn position_code(&mut self, seg: &SegOp<'a>, op: &'a Screma) -> Option<PositionCode> {
        let index = |_| self.new_var("i", Ty::Scalar(Prim::I64));
        let indices: Vec<V> = (0..=seg.space.len()).map(index).collect();
        let block = self.code_at(seg, op, &indices)?;
        Some(PositionCode { indices, block })
    }

    /// The code for a position of a box whose elements all exist, if that is known to be something else.
    fn code_within(
        &mut self,
        seg: &SegOp<'a>,
        op: &'a Screma,
        tiling: &WindowTiling,
    ) -> Option<PositionCode> {
        let guards = tiling.windows.iter().flat_map(|window| &window.guards);
        self.known_guards = guards.map(|guard| (guard.cond, guard.holds)).collect();
        let differs = !self.known_guards.is_empty();
        let code = if differs { self.position_code(seg, op) } else { None };
        self.known_guards.clear();
        code
    }

    /// The value of a condition, if it is known.
    pub(crate) fn known_guard(&self, cond: Atom) -> Option<bool> {
        self.known_guards.get(&cond.var()?).copied()
    }

    /// The part of an array that a block with these positions copies. The reads in the code for a position are from there.
    fn part<'b>(&mut self, window: &'b Window, lengths: &[u32]) -> Part<'b> {
        let mut extents = Vec::with_capacity(window.axes.len());
        for axis in &window.axes {
            let extent = self.distance(&axis.extent(lengths));
            extents.push(self.simple("extent", &extent));
        }
        let count = window.room.or_else(|| u32::try_from(window.volume(lengths)?).ok());
        let count = count.or_bug("a box that fits into shared memory");
        let Some(Elem::Prim(prim)) = self.ir[window.array].ty.elem() else {
            bug("elements near positions have no contents")
        };
        let array = self.new_var("box", Ty::Shared(prim, count));
        let first: Vec<V> =
            extents.iter().map(|_| self.new_var("first", Ty::Scalar(Prim::I64))).collect();
        let mut strides = vec![(1, Vec::new()); extents.len()];
        for dim in (1..extents.len()).rev() {
            let (mut number, mut vars) = strides[dim].clone();
            match (known_extent(&extents[dim]), &extents[dim]) {
                (Some(extent), _) => number *= extent,
                (None, Exp::Var(extent)) => vars.push(*extent),
                (None, other) => bug(format_args!("{other:?} is no simple extent")),
            }
            strides[dim - 1] = (number, vars);
        }
        let mut prims = vec![Prim::I64; extents.len()];
        for read in &window.reads {
            let at = read.at.iter().zip(&first).zip(&strides);
            let at = at.map(|((atom, first), stride)| (*atom, *first, stride.clone())).collect();
            self.in_boxes.insert(read.element, InBox { array, at });
            for (prim, atom) in prims.iter_mut().zip(&read.at) {
                *prim = self.prim(*atom).or_bug("the type of a coordinate");
            }
        }
        Part { window, array, extents, first, prims }
    }

    /// A distance.
    fn distance(&self, distance: &Distance) -> Exp {
        let mut sum = Exp::int(distance.plus);
        for (count, atom) in &distance.terms {
            let term = bin(BinOp::Mul, self.atom(*atom), Exp::int(*count));
            sum = bin(BinOp::Add, sum, term);
        }
        sum
    }

    /// The conditions under which a part whose size the host knows only now fits into its room, and pays.
    fn has_room(&mut self, part: &Part<'_>, room: u32, lengths: &[u32], conditions: &mut Vec<Exp>) {
        let [mut volume, mut reads] = [Exp::int(1), Exp::int(1)];
        for (axis, extent) in part.window.axes.iter().zip(&part.extents) {
            for distance in [&axis.low, &axis.high] {
                if distance.known().is_none() && matches!(axis.from, Origin::Position(_)) {
                    let distance = self.distance(distance);
                    let distance = self.simple("distance", &distance);
                    conditions.push(lt(Exp::int(-WindowTiling::LONGEST), distance.clone()));
                    conditions.push(lt(distance, Exp::int(WindowTiling::LONGEST)));
                }
            }
            let width = self.distance(&axis.width());
            let width = self.simple("width", &width);
            conditions.push(le(Exp::int(0), width.clone()));
            conditions.push(le(extent.clone(), Exp::int(i64::from(room))));
            volume = bin(BinOp::Mul, volume, extent.clone());
            reads = bin(BinOp::Mul, reads, bin(BinOp::Add, width, Exp::int(1)));
        }
        conditions.push(le(volume.clone(), Exp::int(i64::from(room))));
        let positions: i64 = lengths.iter().map(|length| i64::from(*length)).product();
        let least = self.unless_few(WindowTiling::LEAST_READS, 1) as i64;
        let reuse = self.unless_few(WindowTiling::LEAST_REUSE, 0) as i64;
        conditions.push(le(Exp::int(least), reads.clone()));
        let [copied, read] = [(volume, reuse), (reads, positions)]
            .map(|(count, times)| bin(BinOp::Mul, count, Exp::int(times)));
        conditions.push(le(copied, read));
    }

    /// The only thing that is bound, if it is in shared memory, and its value.
    pub(crate) fn in_box_alone(&mut self, pat: &[Var]) -> Option<(Var, Exp)> {
        let [var] = *pat else { return None };
        Some((var, self.in_box(var)?))
    }

    /// The value of an element that is in shared memory.
    pub(crate) fn in_box(&mut self, element: Var) -> Option<Exp> {
        let InBox { array, at } = self.in_boxes.get(&element)?.clone();
        let mut terms = Vec::new();
        for (atom, first, (stride, vars)) in at {
            let coordinate = match self.prim(atom) {
                Some(Prim::I64) => self.atom(atom),
                prim => {
                    let prim = prim.or_bug("the type of a coordinate");
                    let wide = Exp::Convert(prim, Prim::I64, Box::new(self.atom(atom)));
                    self.simple("at", &wide)
                }
            };
            if let Exp::Const(Scalar::I64(value)) = coordinate {
                terms.push((stride * value, vars.clone()));
            } else {
                let v = self.declare("at", Prim::I64, Some(coordinate));
                terms.push((stride, [&vars[..], &[v]].concat()));
            }
            terms.push((-stride, [&vars[..], &[first]].concat()));
        }
        Some(Exp::Load(array, Box::new(tidy(terms))))
    }

    /// The kernel.
    fn boxes(
        &mut self,
        sizes: &[Exp],
        lengths: &[u32],
        parts: &[Part<'_>],
        (code, within): (&PositionCode, Option<&PositionCode>),
    ) {
        let mut space = Vec::with_capacity(sizes.len());
        for (size, length) in sizes.iter().zip(lengths) {
            let count = quot_up(size.clone(), Exp::int(i64::from(*length)));
            space.push(self.simple("boxes", &count));
        }
        let (blocks, threads) = (self.total(&space), self.threads());
        self.launch("window", blocks, threads, |this, block, thread| {
            let thread = this.short("thread", &Exp::Var(thread));
            let mut first = Vec::with_capacity(sizes.len());
            for (number, length) in this.unranked(Exp::Var(block), &space).into_iter().zip(lengths)
            {
                let before = bin(BinOp::Mul, number, Exp::int(i64::from(*length)));
                first.push(this.simple("first", &before));
            }
            for part in parts {
                this.out.push(Stm::Declare(part.array, None));
                for (axis, v) in part.window.axes.iter().zip(&part.first) {
                    let from = match axis.from {
                        Origin::Position(dim) => first[dim].clone(),
                        Origin::Everywhere(atom) => this.atom(atom),
                    };
                    let low = this.distance(&axis.low);
                    let low = bin(BinOp::Add, from, low);
                    this.out.push(Stm::Declare(*v, Some(low)));
                }
                this.copy_part(part, &thread, threads);
            }
            this.out.push(Stm::Barrier);
            let own = |this: &mut Self, code: &PositionCode| {
                this.own_positions(sizes, &first, lengths, &thread, code);
            };
            let Some(within) = within else { return own(this, code) };
            let exist = this.all_exist(parts);
            let within = this.block(|this| own(this, within));
            let code = this.block(|this| own(this, code));
            this.out.push(Stm::If(exist, within, code));
        });
    }

    /// Whether all elements exist that branches ask for.
    fn all_exist(&mut self, parts: &[Part<'_>]) -> Exp {
        let mut exist = Vec::new();
        for part in parts.iter().filter(|part| !part.window.guards.is_empty()) {
            let shape = self.ir[part.window.array].ty.shape();
            for (dim, axis) in part.window.axes.iter().enumerate() {
                if axis.border.is_empty() {
                    let first = Exp::Var(part.first[dim]);
                    let after = bin(BinOp::Add, first.clone(), part.extents[dim].clone());
                    exist.push(le(Exp::int(0), first));
                    exist.push(le(after, self.atom(shape[dim])));
                }
            }
        }
        all(exist)
    }

    /// What a thread does with its positions: neighbours along the first dimension of the box, if it has several, so
    /// that they read many elements that are the same; otherwise neighbouring threads have neighbouring positions.
    fn own_positions(
        &mut self,
        sizes: &[Exp],
        first: &[Exp],
        lengths: &[u32],
        thread: &Exp,
        PositionCode { indices, block: code }: &PositionCode,
    ) {
        let threads = self.threads();
        let outer = lengths.iter().position(|length| *length > 1).or_bug("the lengths of a box");
        let inside: u32 = lengths[outer + 1..].iter().product();
        let positions = lengths[outer] * inside / threads;
        let [group, lane] =
            [BinOp::Quot, BinOp::Rem].map(|op| u32_bin(op, thread.clone(), short_int(inside)));
        let (step, group) = match inside {
            1 => (threads, group),
            _ => (1, u32_bin(BinOp::Mul, group, short_int(positions))),
        };
        let lane = self.number("lane", lane);
        let inner: Vec<Exp> =
            lengths[outer + 1..].iter().map(|length| short_int(*length)).collect();
        let own = self.split(lane, &inner);
        let own = std::iter::repeat_n(short_int(0), outer).chain([group]).chain(own);
        let mut start = Vec::with_capacity(lengths.len());
        for (first, own) in first.iter().zip(own) {
            start.push(self.simple("start", &bin(BinOp::Add, first.clone(), wide(own))));
        }
        let at = |dim: usize, number: Exp| match dim == outer {
            true => {
                let distance = bin(BinOp::Mul, number, Exp::int(i64::from(step)));
                bin(BinOp::Add, start[dim].clone(), distance)
            }
            false => start[dim].clone(),
        };
        let is_inside = |number: &Exp| {
            all((0..sizes.len()).map(|dim| lt(at(dim, number.clone()), sizes[dim].clone())))
        };
        let jam = Jam::new(Vars(&mut self.vars), code, indices, positions);
        let mut code = code.clone();
        let round = self.new_var("round", Ty::Scalar(Prim::I64));
        let each = self.block(|this| {
            // Boxes at the end have not all positions, but are few.
            if jam.is_some() {
                let before = roll(&mut Vars(&mut this.vars), &mut code);
                this.out.extend(before);
            }
            let (now, mut one) = (Exp::Var(round), Block::new());
            for (dim, v) in indices.iter().enumerate() {
                one.push(Stm::Declare(*v, Some(at(dim, now.clone()))));
            }
            one.append(&mut code);
            let one = vec![Stm::If(is_inside(&now), one, Block::new())];
            // If the bound is a variable, the loop is not unrolled: there are loops in the code already.
            let rounds = Exp::int(i64::from(positions));
            let rounds = this.declare("rounds", Prim::I64, Some(rounds));
            this.out.push(up_to(round, Exp::Var(rounds), one));
        });
        let Some(jam) = jam else { return self.out.extend(each) };
        let mut together = Block::new();
        for number in 0..positions {
            for (dim, v) in indices.iter().enumerate() {
                let index = at(dim, Exp::int(i64::from(number)));
                together.push(Stm::Declare(jam.index(number as usize, *v), Some(index)));
            }
        }
        together.extend(jam.code());
        let last = Exp::int(i64::from(positions) - 1);
        self.out.push(Stm::If(is_inside(&last), together, each));
    }

    /// The indices of an element of a box, by its number in row-major order, of 32 bits.
    fn split(&mut self, number: Exp, lengths: &[Exp]) -> Vec<Exp> {
        let mut indices = Vec::with_capacity(lengths.len());
        let mut rest = number;
        for length in lengths.iter().skip(1).rev() {
            let [index, whole] =
                [BinOp::Rem, BinOp::Quot].map(|op| u32_bin(op, rest.clone(), length.clone()));
            indices.push(self.number("own", index));
            rest = self.number("rest", whole);
        }
        indices.push(rest);
        indices.reverse();
        indices
    }

    /// Copies the part of an array that a block needs.
    fn copy_part(&mut self, part: &Part<'_>, thread: &Exp, threads: u32) {
        let mut extents = Vec::with_capacity(part.extents.len());
        for extent in &part.extents {
            extents.push(self.short_extent(extent));
        }
        let known: Option<i64> = part.extents.iter().map(known_extent).product();
        let count = match known {
            Some(count) => Exp::int(count),
            None => self.total(&part.extents),
        };
        let rounds = match known {
            Some(count) => Exp::int(count.unsigned_abs().div_ceil(u64::from(threads)) as i64),
            None => quot_up(count.clone(), Exp::int(i64::from(threads))),
        };
        let count = self.short_extent(&count);
        let round = self.new_var("round", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = this.short("turn", &Exp::Var(round));
            let before = u32_bin(BinOp::Mul, turn, short_int(threads));
            let number = this.number("number", u32_bin(BinOp::Add, before, thread.clone()));
            let body = this.block(|this| this.copy_element(part, &extents, &number));
            this.out.push(Stm::If(u32_lt(number, count.clone()), body, Block::new()));
        });
        self.out.push(up_to(round, rounds, body));
    }

    /// A number of elements, which fit into shared memory, of 32 bits.
    fn short_extent(&mut self, extent: &Exp) -> Exp {
        let known = known_extent(extent).and_then(|extent| u32::try_from(extent).ok());
        known.map_or_else(|| self.short("extent", extent), short_int)
    }

    /// Copies an element, by its number, if there is one.
    fn copy_element(&mut self, part: &Part<'_>, extents: &[Exp], number: &Exp) {
        let at = self.split(number.clone(), extents);
        let shape = self.ir[part.window.array].ty.shape();
        let (mut inside, mut picked) = (Vec::new(), Vec::new());
        for (dim, own) in at.into_iter().enumerate() {
            let coordinate = bin(BinOp::Add, Exp::Var(part.first[dim]), wide(own));
            let index = self.bordered(coordinate, part.prims[dim], &part.window.axes[dim]);
            inside.push(le(Exp::int(0), index.clone()));
            inside.push(lt(index.clone(), self.atom(shape[dim])));
            picked.push(index);
        }
        let copy = self.block(|this| {
            let place = this.place(part.window.array).or_bug("memory to read from");
            let from = this.address(&place.lmad, &picked);
            let value = Exp::Load(this.mem(place.block).ptr, Box::new(from));
            this.out.push(Stm::Store(part.array, wide(number.clone()), value));
        });
        let outside = part
            .window
            .outside
            .map(|value| Stm::Store(part.array, wide(number.clone()), Exp::Const(value)));
        self.out.push(Stm::If(all(inside), copy, outside.into_iter().collect()));
    }

    /// The index that a border makes of a coordinate.
    fn bordered(&mut self, coordinate: Exp, prim: Prim, axis: &Axis) -> Exp {
        let converted = |from: Prim, to: Prim, e: Exp| match from == to {
            true => e,
            false => Exp::Convert(from, to, Box::new(e)),
        };
        let (mut now, mut index) = (prim, converted(Prim::I64, prim, coordinate));
        for border in &axis.border {
            (now, index) = match *border {
                Border::Op(op, atom) => {
                    let [a, b] = [index, self.atom(atom)].map(Box::new);
                    (now, Exp::Bin(op, now, a, b))
                }
                Border::Convert(to) => (to, converted(now, to, index)),
            };
        }
        let index = converted(now, Prim::I64, index);
        self.simple("at", &index)
    }
}

/// A number of coordinates, if it is known.
fn known_extent(extent: &Exp) -> Option<i64> {
    if let Exp::Const(Scalar::I64(extent)) = extent { Some(*extent) } else { None }
}

/// Lengths of a box like another one, with few positions.
fn few(lengths: &[u32]) -> Vec<u32> {
    let several = lengths.iter().filter(|length| **length > 1).count();
    let mut few = FEW[several.clamp(1, FEW.len()) - 1].iter();
    let mut next = || few.next().copied().unwrap_or(1);
    lengths.iter().map(|length| if *length > 1 { next() } else { 1 }).collect()
}
