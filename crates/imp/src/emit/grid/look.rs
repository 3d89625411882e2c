//! What comes before the tile of a scan: found by looking back.
//!
//! Every block tells the combination of its own elements as soon as it has it, and that of all elements up to its end as soon as it
//! knows it, and who comes later combines what it finds until it finds the latter. Blocks take their numbers in the order in
//! which they begin, so that nobody waits for a block that has not begun.
//!
//! The threads of a warp look at 32 blocks at once and combine what they find in five steps, while the others wait. A block
//! waits for the one before it, so that what takes long here makes all of them slow. Where a value has no more than 32 bits,
//! it is told together with what it is in one word; otherwise it is stored first, and then there is a fence.

use super::super::Emit;
use super::super::screma::Sofar;
use super::prefix::Sums;
use super::scan::{Thread, Tile};
use super::stage::short_int;
use super::team::value;
use super::{bin, eq, lt};
use crate::rewrite::all;
use crate::{Block, Exp, Kind, Stm, Ty, V};
use fehu_base::Prim;
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};

/// How many blocks are looked at at the same time: the threads of a warp.
const WINDOW: u32 = 32;

/// A block has said nothing.
const NOTHING: i32 = 0;

/// A block knows the combination of its own elements.
const OWN: i32 = 1;

/// A block knows the combination of all elements up to its end.
const ALL: i32 = 2;

/// Where blocks tell what they know: arrays of the device with an element for each block.
pub(super) enum Told {
    /// The state above and the value below, of a type.
    Word(V, Prim),
    /// For each scan and part of a value, what blocks know of their own elements, and of all up to their end; and the states.
    Apart { own: Vec<Vec<Option<V>>>, all: Vec<Vec<Option<V>>>, status: V },
}

/// Shared arrays of those who look back.
struct Window {
    values: Vec<Vec<Option<V>>>,
    states: V,
}

impl Told {
    /// A block has said nothing.
    pub(super) fn clear(&self, block: Exp) -> Stm {
        match self {
            Told::Word(words, _) => Stm::Store(*words, block, Exp::Const(Scalar::U64(0))),
            Told::Apart { status, .. } => Stm::Store(*status, block, state(NOTHING)),
        }
    }
}

impl<'a> Emit<'a> {
    /// Where so many blocks tell what they know, and the handles.
    pub(super) fn told(&mut self, prims: &[Vec<Option<Prim>>], blocks: &Exp) -> (Told, Vec<V>) {
        if let [only] = prims
            && let [Some(prim)] = only.as_slice()
            && prim.bits() <= 32
            && *prim != Prim::F16
        {
            let (handle, words) = self.temporary("told", Prim::U64, blocks.clone());
            return (Told::Word(words, *prim), vec![handle]);
        }
        let mut handles = Vec::new();
        let mut buffers = |this: &mut Self, hint: &str| -> Vec<Vec<Option<V>>> {
            let mut all = Vec::new();
            for prims in prims {
                let mut arrays = Vec::new();
                for prim in prims {
                    arrays.push(prim.map(|prim| {
                        let (handle, ptr) = this.temporary(hint, prim, blocks.clone());
                        handles.push(handle);
                        ptr
                    }));
                }
                all.push(arrays);
            }
            all
        };
        let (own, all) = (buffers(self, "own"), buffers(self, "before"));
        let (handle, status) = self.temporary("status", Prim::I32, blocks.clone());
        handles.push(handle);
        (Told::Apart { own, all, status }, handles)
    }

    /// Finds what comes before the tile, and tells what comes before the next one. Yields shared arrays of one element, which
    /// are there after a barrier.
    pub(super) fn look_back(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        sums: &Sums<'a>,
    ) -> Vec<Vec<Option<V>>> {
        let found: Vec<Vec<Option<V>>> =
            sums.all.iter().map(|parts| self.shared("found", parts, 1)).collect();
        let values = sums.all.iter().map(|parts| self.shared("window", parts, WINDOW)).collect();
        let states = self.shared_array("states", Prim::I32, WINDOW);
        let window = Window { values, states };
        let before = self.start_scans(tile.op);
        let is_first = eq(own.number.clone(), Exp::int(0));
        let knows =
            Exp::Bin(BinOp::Or, Prim::Bool, Box::new(is_first), Box::new(Exp::Var(sums.cut)));
        let knows = self.declare("knows", Prim::Bool, Some(knows));
        let leads = eq(own.thread.clone(), Exp::int(0));
        let begin = self.block(|this| {
            let all = this.block(|this| this.tell(tile, own, &sums.all, ALL));
            let some = this.block(|this| this.tell(tile, own, &sums.all, OWN));
            this.out.push(Stm::If(Exp::Var(knows), all, some));
        });
        self.out.push(Stm::If(leads.clone(), begin, Block::new()));
        let other = bin(BinOp::Sub, own.number.clone(), Exp::int(1));
        // Nothing counts that is before a segment.
        let other = match tile.nest.levels.is_empty() {
            true => other,
            false => {
                let indices = self.indices_in_tile(tile, own, short_int(0));
                let position = indices.last().cloned().unwrap_or(Exp::int(0));
                let begins = eq(position, Exp::int(0));
                Exp::Select(Box::new([begins, Exp::int(-1), other]))
            }
        };
        let other = self.declare("other", Prim::I64, Some(other));
        let looking = self.block(|this| this.collect(tile, own, &before, other, &window));
        self.out.push(Stm::Warp(looking));
        let end = self.block(|this| {
            let rest = this.block(|this| {
                let totals = this.start_scans(tile.op);
                let combine = this.block(|this| {
                    for (((scan, before), all), total) in
                        tile.op.scans.iter().zip(&before).zip(&sums.all).zip(&totals)
                    {
                        this.copy_parts(total, before);
                        this.combine_parts(&scan.op, total, all);
                    }
                });
                this.out.push(Stm::Section(combine));
                this.tell(tile, own, &totals, ALL);
            });
            this.out.push(Stm::If(Exp::Var(knows), Block::new(), rest));
            for (before, found) in before.iter().zip(&found) {
                this.put_parts(before, found, &Exp::int(0));
            }
        });
        self.out.push(Stm::If(leads, end, Block::new()));
        found
    }

    /// Tells other blocks what this one knows.
    fn tell(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        values: &[Vec<Sofar<'a>>],
        what: i32,
    ) {
        match &tile.told {
            Told::Word(words, prim) => {
                let Some(part) = values.iter().flatten().next() else { return };
                let low = Exp::Convert(Prim::U32, Prim::U64, Box::new(as_word(value(part), *prim)));
                let high = Exp::Const(Scalar::U64(u64::from(what.unsigned_abs()) << 32));
                let word = Exp::Bin(BinOp::Or, Prim::U64, Box::new(high), Box::new(low));
                self.out.push(Stm::Store(*words, own.number.clone(), word));
            }
            Told::Apart { own: parts, all, status } => {
                let arrays = if what == ALL { all } else { parts };
                for (values, arrays) in values.iter().zip(arrays) {
                    self.put_parts(values, arrays, &own.number);
                }
                self.out.push(Stm::Fence);
                self.out.push(Stm::Store(*status, own.number.clone(), state(what)));
            }
        }
    }

    /// Combines what blocks before this one tell, the nearest first.
    fn collect(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        before: &[Vec<Sofar<'a>>],
        other: V,
        window: &Window,
    ) {
        let body = self.block(|this| {
            let looked =
                this.simple("looked", &bin(BinOp::Sub, Exp::Var(other), own.thread.clone()));
            let exists = lt(Exp::int(-1), looked.clone());
            let look = this.block(|this| this.look_at(tile, own, &looked, window));
            // The first block knows all, so that nobody asks for the value of one before it.
            let none = vec![Stm::Store(window.states, own.thread.clone(), state(ALL))];
            let looks = lt(own.thread.clone(), Exp::int(i64::from(WINDOW)));
            let look = vec![Stm::If(exists, look, none)];
            this.out.push(Stm::If(looks, look, Block::new()));
            this.out.push(Stm::WarpBarrier);
            this.combine_window(tile, own, window);
            let add = this.block(|this| {
                for ((scan, before), arrays) in tile.op.scans.iter().zip(before).zip(&window.values)
                {
                    let there = this.get_parts(arrays, &Exp::int(0));
                    this.combine_parts(&scan.op, &there, before);
                    this.copy_parts(before, &there);
                }
            });
            let leads = eq(own.thread.clone(), Exp::int(0));
            this.out.push(Stm::Section(vec![Stm::If(leads, add, Block::new())]));
            let is_over = is(Exp::Load(window.states, Box::new(Exp::int(0))), ALL);
            let next = bin(BinOp::Sub, Exp::Var(other), Exp::int(i64::from(WINDOW)));
            let next = Exp::Select(Box::new([is_over, Exp::int(-1), next]));
            this.out.push(Stm::Assign(other, next));
            this.out.push(Stm::WarpBarrier);
        });
        self.out.push(Stm::While(lt(Exp::int(-1), Exp::Var(other)), body));
    }

    /// What the threads have found is combined, up to the nearest block that knows all: the first element becomes the result.
    fn combine_window(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, window: &Window) {
        let s = self.new_var("s", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let distance = bin(BinOp::Shl, Exp::int(1), Exp::Var(s));
            let distance = this.simple("distance", &distance);
            let far = bin(BinOp::Add, own.thread.clone(), distance.clone());
            let combine = this.block(|this| {
                let far = this.simple("far", &far);
                let there = Exp::Load(window.states, Box::new(far.clone()));
                this.out.push(Stm::Store(window.states, own.thread.clone(), there));
                for (scan, arrays) in tile.op.scans.iter().zip(&window.values) {
                    let left = this.get_parts(arrays, &far);
                    let near = this.get_parts(arrays, &own.thread);
                    this.combine_parts(&scan.op, &left, &near);
                    this.put_parts(&left, arrays, &own.thread);
                }
            });
            let mask = bin(BinOp::Sub, bin(BinOp::Mul, distance, Exp::int(2)), Exp::int(1));
            let is_done = is(Exp::Load(window.states, Box::new(own.thread.clone())), ALL);
            let takes_part = all([
                lt(own.thread.clone(), Exp::int(i64::from(WINDOW))),
                eq(bin(BinOp::And, own.thread.clone(), mask), Exp::int(0)),
            ]);
            let combine = vec![Stm::If(not(is_done), combine, Block::new())];
            let combine = vec![Stm::If(takes_part, combine, Block::new())];
            this.out.push(Stm::Section(combine));
            this.out.push(Stm::WarpBarrier);
        });
        let to = self.few(Exp::int(i64::from(WINDOW.trailing_zeros())), &body);
        let (from, kind) = (Exp::int(0), Kind::Sequential);
        self.out.push(Stm::For { var: s, from, to, step: 1, kind, body });
    }

    /// A thread waits until a block has told something.
    fn look_at(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, looked: &Exp, window: &Window) {
        match &tile.told {
            Told::Word(words, prim) => {
                let zero = Exp::Const(Scalar::U64(0));
                let word = self.declare("word", Prim::U64, Some(zero.clone()));
                let nothing =
                    Exp::Cmp(CmpOp::Eq, Prim::U64, Box::new(Exp::Var(word)), Box::new(zero));
                let ask = vec![Stm::Poll(word, *words, looked.clone())];
                self.out.push(Stm::While(nothing, ask));
                let shift = Box::new(Exp::Const(Scalar::U64(32)));
                let high = Exp::Bin(BinOp::Lshr, Prim::U64, Box::new(Exp::Var(word)), shift);
                let status = Exp::Convert(Prim::U64, Prim::I32, Box::new(high));
                self.out.push(Stm::Store(window.states, own.thread.clone(), status));
                let low = Exp::Convert(Prim::U64, Prim::U32, Box::new(Exp::Var(word)));
                for array in window.values.iter().flatten().flatten() {
                    let there = from_word(low.clone(), *prim);
                    self.out.push(Stm::Store(*array, own.thread.clone(), there));
                }
            }
            Told::Apart { own: parts, all, status: states } => {
                let status = self.declare("status_there", Prim::I32, Some(state(NOTHING)));
                let ask = vec![Stm::Poll(status, *states, looked.clone())];
                self.out.push(Stm::While(is(Exp::Var(status), NOTHING), ask));
                self.out.push(Stm::Fence);
                self.out.push(Stm::Store(window.states, own.thread.clone(), Exp::Var(status)));
                let all = self.block(|this| this.hear(own, looked, window, all));
                let some = self.block(|this| this.hear(own, looked, window, parts));
                self.out.push(Stm::If(is(Exp::Var(status), ALL), all, some));
            }
        }
    }

    /// What a block has told becomes what the thread has in the window.
    fn hear(&mut self, own: &Thread<'a>, looked: &Exp, window: &Window, arrays: &[Vec<Option<V>>]) {
        for (window, array) in window.values.iter().flatten().zip(arrays.iter().flatten()) {
            if let (Some(window), Some(array)) = (window, array) {
                let v = self.declare("there", self.scalar_prim(*array), None);
                self.out.push(Stm::Poll(v, *array, looked.clone()));
                self.out.push(Stm::Store(*window, own.thread.clone(), Exp::Var(v)));
            }
        }
    }
}

/// The bits of a value of at most 32.
fn as_word(value: Exp, prim: Prim) -> Exp {
    match prim {
        Prim::Bool => {
            Exp::Select(Box::new([value, Exp::Const(Scalar::U32(1)), Exp::Const(Scalar::U32(0))]))
        }
        Prim::F32 => Exp::Reinterpret(Prim::F32, Prim::U32, Box::new(value)),
        prim => Exp::Convert(prim, Prim::U32, Box::new(value)),
    }
}

/// The value again.
fn from_word(word: Exp, prim: Prim) -> Exp {
    match prim {
        Prim::Bool => {
            let zero = Box::new(Exp::Const(Scalar::U32(0)));
            not(Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(word), zero))
        }
        Prim::F32 => Exp::Reinterpret(Prim::U32, Prim::F32, Box::new(word)),
        prim => Exp::Convert(Prim::U32, prim, Box::new(word)),
    }
}

fn state(what: i32) -> Exp {
    Exp::Const(Scalar::I32(what))
}

/// Whether a block is in a state.
fn is(there: Exp, what: i32) -> Exp {
    Exp::Cmp(CmpOp::Eq, Prim::I32, Box::new(there), Box::new(state(what)))
}

fn not(e: Exp) -> Exp {
    Exp::Un(UnOp::Not, Prim::Bool, Box::new(e))
}
