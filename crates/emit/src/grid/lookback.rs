//! The prefix of a tile in a scan: decoupled look-back.
//!
//! Every block publishes the combination of its own elements as soon as it has it (its aggregate), and that of all
//! elements up to its end as soon as it knows it (its inclusive prefix). Later blocks combine the aggregates that they
//! find, going backwards, until they find an inclusive prefix. Blocks are numbered in the order in which they start, so
//! that none waits for a block that has not started.
//!
//! The threads of one warp look at 32 blocks at once and combine what they find in five steps, while the others wait.
//! Since every block waits for the one before it, latency here slows all of them down; there are therefore no fences. A
//! value is published in pieces of 32 bits, each in one word together with the state of the value, so that a reader
//! that finds words with the same state has found a single consistent value.

use super::super::Emit;
use super::super::combine::{Kept, Partial, Room, Sofar};
use super::elements::{Thread, Tile};
use super::layout::Layout;
use super::prefix::Sums;
use super::{bin, eq, lt};
use fehu_base::{OrBug, Prim};
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::all;
use fehu_imp::{Block, Exp, Kind, Stm, Ty, V};
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};

/// How many blocks are inspected at the same time: one per thread of a warp.
const WINDOW: u32 = DEVICE.warp;

/// A block has published nothing.
const NOTHING: i32 = 0;

/// A block has published the combination of its own elements.
const OWN: i32 = 1;

/// A block has published the combination of all elements up to its end.
const ALL: i32 = 2;

/// Where blocks publish what they know: words in an array of the device, a fixed number for each block, with the state
/// in the upper half and a piece of the value in the lower half. A block that is the only one has nobody to tell.
pub(super) struct Told {
    words: V,
    pieces: usize,
    /// Whether there are several blocks: only then is the memory initialised.
    pub(super) several: Exp,
}

/// Shared arrays for the warp that looks back.
struct Window {
    values: Vec<Kept>,
    states: V,
}

impl<'a> Emit<'a> {
    /// The array in which this many blocks publish, and its handle. A kernel initialises it to "nothing published",
    /// unless there is only one block, which reads none of it.
    pub(super) fn told(
        &mut self,
        prims: &[Vec<Option<Prim>>],
        blocks: &Exp,
        counter: V,
        layout: &Layout,
    ) -> (Told, V) {
        let pieces = prims.iter().flatten().flatten().map(|prim| pieces(*prim)).sum();
        let count = bin(BinOp::Mul, blocks.clone(), Exp::int(pieces as i64));
        let count = self.simple("count", &count);
        let (handle, words) = self.temporary("told", Prim::U64, count.clone());
        let size = match layout {
            Layout::Even(_) => count.clone(),
            // The first steps of all tiles, and the end.
            Layout::Uneven(_) => {
                let steps = bin(BinOp::Add, blocks.clone(), Exp::int(1));
                self.simple("size", &bin(BinOp::Max, count.clone(), steps))
            }
        };
        let clear = self.block(|this| {
            this.grid("clear", std::slice::from_ref(&size), |this, indices| {
                let at = &indices[0];
                let mut clear = vec![Stm::Store(words, at.clone(), nothing())];
                match layout {
                    Layout::Even(_) => this.out.append(&mut clear),
                    Layout::Uneven(rows) => {
                        this.out.push(Stm::If(lt(at.clone(), count), clear, Block::new()));
                        let find = this.block(|this| this.find_path(rows, at));
                        let is_step = lt(at.clone(), bin(BinOp::Add, blocks.clone(), Exp::int(1)));
                        this.out.push(Stm::If(is_step, find, Block::new()));
                    }
                }
                let clear = vec![Stm::Store(counter, Exp::int(0), state(0))];
                this.out.push(Stm::If(eq(at.clone(), Exp::int(0)), clear, Block::new()));
            });
        });
        let several = match layout {
            Layout::Even(_) => self.several(blocks),
            Layout::Uneven(rows) => rows.several.clone(),
        };
        self.out.push(Stm::If(several.clone(), clear, Block::new()));
        (Told { words, pieces, several }, handle)
    }

    /// Whether there are several blocks, for the host and the kernel.
    pub(super) fn several(&mut self, blocks: &Exp) -> Exp {
        Exp::Var(self.declare("several", Prim::Bool, Some(lt(Exp::int(1), blocks.clone()))))
    }

    /// Finds the prefix of the tile, and publishes the prefix of the next one. Returns shared arrays with one element,
    /// which are valid after a barrier.
    pub(super) fn look_back(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        sums: &Sums<'a>,
    ) -> Vec<Kept> {
        let ops = || tile.folds.iter().map(|fold| fold.op);
        let found = self.keep_each("found", ops(), &Room::Shared(1));
        let values = self.keep_each("window", ops(), &Room::Shared(WINDOW));
        let states = self.shared_array("states", Prim::I32, WINDOW);
        let window = Window { values, states };
        let before = self.start_folds(&tile.folds);
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
        // Elements before the beginning of a segment do not count.
        let other = match self.begins_with_tile(&tile.layout, &own.ground) {
            None => other,
            Some(begins) => Exp::Select(Box::new([begins, Exp::int(-1), other])),
        };
        let other = self.declare("other", Prim::I64, Some(other));
        let looking = self.block(|this| this.collect(tile, own, &before, other, &window));
        self.out.push(Stm::Warp(looking));
        let end = self.block(|this| {
            let rest = this.block(|this| {
                let totals = this.start_folds(&tile.folds);
                let combine = this.block(|this| {
                    for ((before, all), total) in before.iter().zip(&sums.all).zip(&totals) {
                        this.copy_parts(&total.parts, &before.parts);
                        this.combine_parts(total.op, &total.parts, &all.parts);
                    }
                });
                this.out.push(Stm::Section(combine));
                this.tell(tile, own, &totals, ALL);
            });
            this.out.push(Stm::If(Exp::Var(knows), Block::new(), rest));
            this.store_each(&before, &found, &Exp::int(0));
        });
        self.out.push(Stm::If(leads, end, Block::new()));
        found
    }

    /// Publishes what this block knows.
    fn tell(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, values: &[Partial<'a>], what: i32) {
        let high = Exp::Const(Scalar::U64(u64::from(what.unsigned_abs()) << 32));
        let mut number = 0;
        for part in values.iter().flat_map(|value| &value.parts) {
            // What has no contents is not told.
            let Sofar::Scalar(v) = part else { continue };
            for piece in to_pieces(Exp::Var(*v), self.scalar_prim(*v)) {
                let low = Exp::Convert(Prim::U32, Prim::U64, Box::new(piece));
                let word = Exp::Bin(BinOp::Or, Prim::U64, Box::new(high.clone()), Box::new(low));
                let place = tile.told.place(&own.number, number);
                self.out.push(Stm::Store(tile.told.words, place, word));
                number += 1;
            }
        }
    }

    /// Combines what earlier blocks have published, the nearest first.
    fn collect(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        before: &[Partial<'a>],
        other: V,
        window: &Window,
    ) {
        let body = self.block(|this| {
            let looked =
                this.simple("looked", &bin(BinOp::Sub, Exp::Var(other), own.thread.clone()));
            let exists = lt(Exp::int(-1), looked.clone());
            let look = this.block(|this| this.look_at(tile, own, &looked, window));
            // The first block has the final value, so no thread looks for the value of a block before it.
            let none = vec![Stm::Store(window.states, own.thread.clone(), state(ALL))];
            let looks = lt(own.thread.clone(), Exp::int(i64::from(WINDOW)));
            let look = vec![Stm::If(exists, look, none)];
            this.out.push(Stm::If(looks, look, Block::new()));
            this.out.push(Stm::WarpBarrier);
            this.combine_window(tile, own, window);
            let add = this.block(|this| {
                for (before, arrays) in before.iter().zip(&window.values) {
                    let there = this.load_kept(arrays, &Exp::int(0));
                    this.combine_parts(before.op, &there, &before.parts);
                    this.copy_parts(&before.parts, &there);
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

    /// Combines what the threads have found, up to the nearest block with a final value: the first element becomes the
    /// result.
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
                for (fold, arrays) in tile.folds.iter().zip(&window.values) {
                    let left = this.load_kept(arrays, &far);
                    let near = this.load_kept(arrays, &own.thread);
                    this.combine_parts(fold.op, &left, &near);
                    this.store_kept(&left, arrays, &own.thread);
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

    /// A thread waits until a block has published something: until all words have the same state.
    fn look_at(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, looked: &Exp, window: &Window) {
        let told = &tile.told;
        let words: Vec<V> =
            (0..told.pieces).map(|_| self.declare("word", Prim::U64, Some(nothing()))).collect();
        let status = self.declare("status", Prim::I32, Some(state(NOTHING)));
        let ask = self.block(|this| {
            for (number, word) in words.iter().enumerate() {
                let place = told.place(looked, number);
                this.out.push(Stm::Poll(*word, told.words, place));
            }
            let states: Vec<Exp> = words.iter().map(|word| state_of(*word)).collect();
            // Where nothing is told, all is known.
            let mut same = states.first().cloned().unwrap_or(state(ALL));
            for pair in states.windows(2) {
                let [one, next] = pair else { continue };
                let (one, next) = (Box::new(one.clone()), Box::new(next.clone()));
                let agree = Exp::Cmp(CmpOp::Eq, Prim::I32, one, next);
                same = Exp::Select(Box::new([agree, same, state(NOTHING)]));
            }
            this.out.push(Stm::Assign(status, same));
        });
        self.out.push(Stm::While(is(Exp::Var(status), NOTHING), ask));
        self.out.push(Stm::Store(window.states, own.thread.clone(), Exp::Var(status)));
        let mut words =
            words.into_iter().map(|v| Exp::Convert(Prim::U64, Prim::U32, Box::new(Exp::Var(v))));
        for array in window.values.iter().flat_map(Kept::arrays) {
            let prim = self.scalar_prim(array);
            let there = from_pieces(words.by_ref().take(pieces(prim)), prim);
            self.out.push(Stm::Store(array, own.thread.clone(), there));
        }
    }
}

impl Told {
    /// Where a block publishes a piece.
    fn place(&self, block: &Exp, piece: usize) -> Exp {
        match self.pieces {
            1 => block.clone(),
            some => {
                let before = bin(BinOp::Mul, block.clone(), Exp::int(some as i64));
                bin(BinOp::Add, before, Exp::int(piece as i64))
            }
        }
    }
}

/// The number of 32-bit pieces of a value.
fn pieces(prim: Prim) -> usize {
    prim.bits().div_ceil(32) as usize
}

/// A value as pieces, the lower first.
fn to_pieces(value: Exp, prim: Prim) -> Vec<Exp> {
    let bits = match prim {
        Prim::Bool => {
            Exp::Select(Box::new([value, Exp::Const(Scalar::U32(1)), Exp::Const(Scalar::U32(0))]))
        }
        Prim::F16 => {
            return to_pieces(Exp::Convert(Prim::F16, Prim::F32, Box::new(value)), Prim::F32);
        }
        Prim::F32 => Exp::Reinterpret(Prim::F32, Prim::U32, Box::new(value)),
        Prim::F64 => Exp::Reinterpret(Prim::F64, Prim::U64, Box::new(value)),
        Prim::I64 => Exp::Convert(Prim::I64, Prim::U64, Box::new(value)),
        Prim::U32 | Prim::U64 => value,
        Prim::I8 | Prim::I16 | Prim::I32 | Prim::U8 | Prim::U16 => {
            Exp::Convert(prim, Prim::U32, Box::new(value))
        }
    };
    if pieces(prim) == 1 {
        return vec![bits];
    }
    let low = |bits: Exp| Exp::Convert(Prim::U64, Prim::U32, Box::new(bits));
    vec![low(bits.clone()), low(above(bits))]
}

/// The value, reassembled from its pieces.
fn from_pieces(mut pieces: impl Iterator<Item = Exp>, prim: Prim) -> Exp {
    let mut next = || pieces.next().or_bug("piece of a value");
    let mut both = || {
        let wide = |e: Exp| Box::new(Exp::Convert(Prim::U32, Prim::U64, Box::new(e)));
        let (low, high) = (wide(next()), wide(next()));
        let shift = Box::new(Exp::Const(Scalar::U64(32)));
        let high = Exp::Bin(BinOp::Shl, Prim::U64, high, shift);
        Box::new(Exp::Bin(BinOp::Or, Prim::U64, Box::new(high), low))
    };
    match prim {
        Prim::Bool => {
            let zero = Box::new(Exp::Const(Scalar::U32(0)));
            not(Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(next()), zero))
        }
        Prim::F16 => Exp::Convert(Prim::F32, Prim::F16, Box::new(from_pieces(pieces, Prim::F32))),
        Prim::F32 => Exp::Reinterpret(Prim::U32, Prim::F32, Box::new(next())),
        Prim::F64 => Exp::Reinterpret(Prim::U64, Prim::F64, both()),
        Prim::U64 => *both(),
        Prim::I64 => Exp::Convert(Prim::U64, Prim::I64, both()),
        Prim::U32 => next(),
        Prim::I8 | Prim::I16 | Prim::I32 | Prim::U8 | Prim::U16 => {
            Exp::Convert(Prim::U32, prim, Box::new(next()))
        }
    }
}

/// The upper half of 64 bits.
fn above(bits: Exp) -> Exp {
    let shift = Box::new(Exp::Const(Scalar::U64(32)));
    Exp::Bin(BinOp::Lshr, Prim::U64, Box::new(bits), shift)
}

/// The state in a word.
fn state_of(word: V) -> Exp {
    Exp::Convert(Prim::U64, Prim::I32, Box::new(above(Exp::Var(word))))
}

/// The word of a block that has published nothing.
fn nothing() -> Exp {
    Exp::Const(Scalar::U64(0))
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
