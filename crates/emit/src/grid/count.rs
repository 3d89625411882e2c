//! Scans that count, such as those by which a filter finds the places of the elements that it keeps.
//!
//! A tile is as in any scan, but what a thread knows of its elements is a word with a bit for each of them, so that nothing
//! needs to be redistributed: neighbouring threads have neighbouring elements all the time. The threads of a warp transpose
//! their words, 32 x 32 bits, in five steps; each of them then has the bits of 32 consecutive elements. How many of these are
//! set is what the threads of the block scan, a number for each thread; the prefix of the tile is found by
//! [`super::lookback`]. The count up to an element is the sum of both and of the bits before its own.
//!
//! ```text
//! item 0:  warp 0: bits of elements 0 to 31, warp 1: bits of elements 32 to 63, ...
//! item 1:  warp 0: ...
//! ```
//!
//! The elements of input arrays stay in registers for the epilogue: the arrays are read once.
//!
//! Where rows differ, the count up to an element of a row is that in the tile, less the count where the row begins in
//! it, which the same words tell; only the row in which the tile starts has a prefix.

use super::super::Emit;
use super::super::combine::{Kept, Partial, Room, Slot, Sofar};
use super::super::epilogue::Epilogue;
use super::elements::{Fold, Order, Thread, Tile, WARP, loop_body};
use super::layout::RowsHere;
use super::prefix::Sums;
use super::rows::Here;
use super::seg::SegOp;
use super::stage::{is_short, short_int, u32_bin, u32_lt, wide};
use fehu_base::Prim;
use fehu_imp::{Block, Exp, Lane, Stm, V};
use fehu_ir::{self as ir, Atom, BinOp, CmpOp, MathFn, Scalar, Screma, Var};

/// The number of registers that the elements of a thread may occupy.
const REGISTERS: u32 = 64;

/// The most scans that are counted at the same time.
const MOST_SCANS: usize = 8;

/// What the threads know of the elements of a tile.
struct Counted {
    /// For each scan, the word of the thread, and a shared array with the words of all threads.
    words: Vec<(V, V)>,
    /// The elements of the thread: of arrays that the function gets, if they are kept, and of its plain results.
    inputs: Option<Kept>,
    plain: Kept,
}

impl<'a> Emit<'a> {
    /// A scan that counts; false if this is none.
    pub(super) fn count_on_grid(
        &mut self,
        seg: &SegOp<'a>,
        pat: &'a [Var],
        op: &'a Screma,
    ) -> bool {
        let Some(flags) = self.flags(op) else { return false };
        let plain = seg.space.is_empty() || seg.rows.is_some();
        if !plain || op.scans.len() > MOST_SCANS {
            return false;
        }
        let start = self.out.len();
        // Elements are not kept if what is done with them is too long for a loop that is unrolled.
        if !self.count_tiles(seg, pat, op, &flags, true) {
            self.out.truncate(start);
            self.count_tiles(seg, pat, op, &flags, false);
        }
        true
    }

    /// For each scan, which elements it counts; none if there is a scan that does something else.
    fn flags(&self, op: &Screma) -> Option<Vec<Atom>> {
        let of_result = |result: &Atom| {
            let var = result.var()?;
            op.map.body.stms.iter().find(|stm| stm.pat == [var]).map(|stm| &stm.exp)
        };
        let each = op.scans.iter().zip(&op.map.body.results).map(|(scan, result)| {
            let [first, second] = scan.op.params.as_slice() else { return None };
            let [stm] = scan.op.body.stms.as_slice() else { return None };
            let adds = stm.exp == ir::Exp::BinOp(BinOp::Add, (*first).into(), (*second).into())
                && [scan.op.body.results[0]] == [Atom::from(stm.pat[0])];
            let wide = self.prim((*first).into()) == Some(Prim::I64);
            match of_result(result) {
                Some(ir::Exp::Convert(_, flag)) if self.prim(*flag) == Some(Prim::Bool) => {
                    (adds && wide).then_some(*flag)
                }
                Some(_) | None => None,
            }
        });
        each.collect()
    }

    /// The kernel; whether the loops over elements that are kept are short.
    fn count_tiles(
        &mut self,
        seg: &SegOp<'a>,
        pat: &'a [Var],
        op: &'a Screma,
        flags: &[Atom],
        keeps: bool,
    ) -> bool {
        let of_scan = |scan: &'a ir::Scan| Fold { op: &scan.op, neutral: &scan.neutral };
        let folds: Vec<Fold<'a>> = op.scans.iter().map(of_scan).collect();
        let prims = self.folded_prims(&folds);
        let inputs = self.kept_inputs(op, keeps && self.epilogue(pat).is_some());
        let uneven = seg.rows.is_some();
        let (threads, items) = (self.threads(), self.counted_items(pat, op, &inputs, uneven));
        let (layout, blocks) = self.layout(seg, op, threads, items);
        let (counter_mem, counter) = self.temporary("counter", Prim::I32, Exp::int(1));
        let (told, told_mem) = self.told(&prims, &blocks, counter, &layout);
        let (skipped, with_maps) = (0, true);
        let tile = Tile {
            seg,
            pat,
            op,
            folds,
            skipped,
            with_maps,
            layout,
            threads,
            items,
            in_turn: false,
            told,
            counter,
        };
        let mut short = true;
        self.launch("scan", blocks, threads, |this, _, thread| {
            let own = this.begin_tile(&tile, thread);
            let counted = this.find_flags(&tile, &own, flags, &inputs);
            let counts = this.count_words(&tile, &own, &counted);
            let (mut sums, bases) = this.scan_counts(&tile, &own, &counts);
            if let RowsHere::Uneven(here) = &own.ground.rows {
                this.out.push(Stm::Barrier);
                this.count_last_row(&tile, &own, here, (&counted, &bases), &mut sums);
            }
            let found = this.look_back(&tile, &own, &sums);
            this.out.push(Stm::Barrier);
            short = this.store_counted(&tile, &own, &counted, &bases, &found);
        });
        self.out.extend([told_mem, counter_mem].map(Stm::Free));
        self.free_layout(&tile.layout);
        short || inputs.iter().all(Option::is_none)
    }

    /// The types of the inputs whose elements are kept.
    fn kept_inputs(&self, op: &Screma, keeps: bool) -> Vec<Option<Prim>> {
        let kept = op.map.params.iter().zip(&op.inputs).map(|(param, input)| {
            // What has no place is computed where it is needed.
            (keeps && self.place(*input).is_some()).then(|| self.prim((*param).into())).flatten()
        });
        kept.collect()
    }

    /// The number of elements of a thread: at most one for each bit of a word.
    fn counted_items(
        &self,
        pat: &[Var],
        op: &Screma,
        inputs: &[Option<Prim>],
        uneven: bool,
    ) -> u32 {
        let plain = pat.iter().zip(&op.map.body.results).skip(op.folded());
        let plain = plain.filter(|(var, _)| self.place(**var).is_some());
        let plain = plain.filter_map(|(_, result)| self.prim(*result));
        let words: u32 =
            inputs.iter().flatten().copied().chain(plain).map(|p| p.bits().div_ceil(32)).sum();
        if uneven {
            // The number of its row is another word of each element, and there is a thread for every 32nd place.
            return self.unless_few((REGISTERS / 2 / (words + 1)).clamp(4, 16), 3);
        }
        self.unless_few((REGISTERS / words.max(1)).clamp(4, 32), 3)
    }

    /// The map function, for all elements of the tile; plain results are stored.
    fn find_flags(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        flags: &[Atom],
        inputs: &[Option<Prim>],
    ) -> Counted {
        let op = tile.op;
        let zero = || Some(short_int(0));
        let mut words = Vec::new();
        for _ in flags {
            let word = self.declare("word", Prim::U32, zero());
            words.push((word, self.shared_array("words", Prim::U32, tile.threads)));
        }
        let before = self.out.len();
        let plain = &tile.pat[op.folded()..];
        let results = &op.map.body.results[op.folded()..];
        let stored = |var: &Var, result: &Atom| {
            self.place(*var).is_some().then(|| self.prim(*result)).flatten()
        };
        let prims: Vec<_> = plain.iter().zip(results).map(|(v, r)| stored(v, r)).collect();
        let scalars =
            plain.iter().zip(&prims).all(|(v, p)| self.place(*v).is_none() || p.is_some());
        let room = Room::Registers(tile.items);
        let kept = self.keep_prims("kept", inputs, None, &room);
        let kept_plain = self.keep_prims("kept", &prims, None, &room);
        let params: Vec<Atom> = op.map.params.iter().map(|param| Atom::from(*param)).collect();
        let arrays: Vec<V> = kept.arrays().chain(kept_plain.arrays()).collect();
        let last = u32_bin(BinOp::Sub, own.ground.here.clone(), short_int(1));
        let last = self.number("last", last);
        let [all, some] = [true, false].map(|full| {
            self.block(|this| {
                this.each_item(tile, own, Order::Apart, |this, k, place| {
                    // A thread beyond the end computes the last element again.
                    let place = match full {
                        true => place,
                        false => this.number("place", u32_bin(BinOp::Min, place, last.clone())),
                    };
                    this.enter_element(tile, own, k, place);
                    this.store_atoms(&params, std::slice::from_ref(&kept), &Exp::Var(k));
                    this.body(&op.map.body);
                    this.set_bits(flags, &words, k);
                    this.store_atoms(results, std::slice::from_ref(&kept_plain), &Exp::Var(k));
                });
            })
        });
        if scalars && self.is_plain(loop_body(&some), &arrays) {
            let full = Stm::If(is_full(tile, own), all, some);
            // Where rows differ, a tile may have nothing but ends of rows.
            self.out.push(match tile.layout.is_even() {
                true => full,
                false => {
                    let some = u32_lt(short_int(0), own.ground.here.clone());
                    Stm::If(some, vec![full], Block::new())
                }
            });
            let inputs = inputs.iter().any(Option::is_some).then_some(kept);
            return Counted { words, inputs, plain: kept_plain };
        }
        self.out.truncate(before);
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let section = this.block(|this| {
                let index = this.enter_element(tile, own, k, place.clone());
                this.body(&op.map.body);
                this.set_bits(flags, &words, k);
                for (result, var) in results.iter().zip(plain) {
                    this.store_row(*var, index, *result);
                }
            });
            let within = u32_lt(place, own.ground.here.clone());
            this.out.push(Stm::If(within, vec![Stm::Section(section)], Block::new()));
        });
        Counted { words, inputs: None, plain: self.keep_prims("kept", &[], None, &room) }
    }

    /// The bits of an element.
    fn set_bits(&mut self, flags: &[Atom], words: &[(V, V)], k: V) {
        for (flag, (word, _)) in flags.iter().zip(words) {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
            let bit = u32_bin(BinOp::Shl, short_int(1), turn);
            let bit = Exp::Select(Box::new([self.atom(*flag), bit, short_int(0)]));
            self.out.push(Stm::Assign(*word, u32_bin(BinOp::Or, Exp::Var(*word), bit)));
        }
    }

    /// The threads of each warp transpose their words. Returns for each scan a shared array with the numbers of bits of
    /// all groups of 32 elements, in their order.
    fn count_words(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, counted: &Counted) -> Vec<V> {
        let lane = self.number("lane", u32_bin(BinOp::And, own.short.clone(), short_int(WARP - 1)));
        let warp = self.number("warp", warp_of(own));
        let group = u32_bin(BinOp::Mul, lane.clone(), short_int(tile.threads / WARP));
        let group = self.number("group", u32_bin(BinOp::Add, group, warp));
        let mut counts = Vec::new();
        for (word, words) in &counted.words {
            for (distance, low) in HALVES {
                let from = u32_bin(BinOp::Xor, lane.clone(), short_int(distance));
                let other = self.word_of(Lane::At, from, *word);
                let and = |e: Exp, bits: u32| u32_bin(BinOp::And, e, short_int(bits));
                let here = || Exp::Var(*word);
                let up = u32_bin(BinOp::Shl, and(other.clone(), low), short_int(distance));
                let down = and(u32_bin(BinOp::Lshr, other, short_int(distance)), low);
                let first = u32_bin(BinOp::Or, and(here(), low), up);
                let second = u32_bin(BinOp::Or, and(here(), !low), down);
                let is_first = Exp::Cmp(
                    CmpOp::Eq,
                    Prim::U32,
                    Box::new(and(lane.clone(), distance)),
                    Box::new(short_int(0)),
                );
                let next = Exp::Select(Box::new([is_first, first, second]));
                self.out.push(Stm::Assign(*word, next));
            }
            self.out.push(Stm::Store(*words, own.short.clone(), Exp::Var(*word)));
            let count = self.shared_array("counts", Prim::U32, tile.threads);
            self.out.push(Stm::Store(count, group.clone(), bits_of(Exp::Var(*word))));
            counts.push(count);
        }
        self.out.push(Stm::Barrier);
        counts
    }

    /// The word that another lane has.
    fn word_of(&mut self, lane: Lane, by: Exp, word: V) -> Exp {
        let to = self.declare("other", Prim::U32, None);
        self.out.push(Stm::Shuffle { to, lane, by: wide(by), of: Exp::Var(word) });
        Exp::Var(to)
    }

    /// The threads of the block scan these numbers, one for each thread. Returns their sums, and shared arrays with the
    /// sum before each of them, which are valid after a barrier. This is what [`super::prefix`] does, for numbers of 32
    /// bits.
    fn scan_counts(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        counts: &[V],
    ) -> (Sums<'a>, Vec<V>) {
        let lane = self.number("lane", u32_bin(BinOp::And, own.short.clone(), short_int(WARP - 1)));
        let warp = self.number("warp", warp_of(own));
        let mut sums = Vec::new();
        for count in counts {
            let here = Exp::Load(*count, Box::new(own.short.clone()));
            let here = self.number("here", here);
            let sum = self.declare("sum", Prim::U32, Some(here.clone()));
            for step in 0..WARP.trailing_zeros() {
                let distance = short_int(1 << step);
                let none =
                    self.declare("none", Prim::Bool, Some(u32_lt(lane.clone(), distance.clone())));
                let left = self.word_of(Lane::Up, distance, sum);
                let left = Exp::Select(Box::new([Exp::Var(none), short_int(0), left]));
                self.out.push(Stm::Assign(sum, u32_bin(BinOp::Add, Exp::Var(sum), left)));
            }
            self.out.push(Stm::Store(*count, own.short.clone(), Exp::Var(sum)));
            sums.push((here, sum));
        }
        self.out.push(Stm::Barrier);
        let no = Exp::Const(Scalar::Bool(false));
        let (mut all, mut bases) = (Vec::new(), Vec::new());
        for ((count, (here, sum)), fold) in counts.iter().zip(sums).zip(&tile.folds) {
            let total = self.declare("total", Prim::U32, Some(short_int(0)));
            let before = u32_bin(BinOp::Sub, Exp::Var(sum), here);
            let before = self.declare("before", Prim::U32, Some(before));
            for w in 0..tile.threads / WARP {
                let earlier = u32_lt(short_int(w), warp.clone());
                let of_warp = Exp::Load(*count, Box::new(short_int(w * WARP + WARP - 1)));
                let of_warp = self.number("of_warp", of_warp);
                let some = Exp::Select(Box::new([earlier, of_warp.clone(), short_int(0)]));
                self.out.push(Stm::Assign(before, u32_bin(BinOp::Add, Exp::Var(before), some)));
                self.out.push(Stm::Assign(total, u32_bin(BinOp::Add, Exp::Var(total), of_warp)));
            }
            let base = self.shared_array("bases", Prim::U32, tile.threads);
            self.out.push(Stm::Store(base, own.short.clone(), Exp::Var(before)));
            bases.push(base);
            let total = self.declare("all", Prim::I64, Some(wide(Exp::Var(total))));
            all.push(Partial { op: fold.op, parts: vec![Sofar::Scalar(total)] });
        }
        let cut = self.declare("cut", Prim::Bool, Some(no));
        (Sums { before: Vec::new(), before_cut: cut, all, cut }, bases)
    }

    /// How many bits are set before a place of the tile.
    fn counted_before(&mut self, tile: &Tile<'a, '_>, words: V, bases: V, place: Exp) -> Exp {
        let place = self.number("place", place);
        let none = Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(place.clone()), Box::new(short_int(0)));
        let none = Exp::Var(self.declare("none", Prim::Bool, Some(none)));
        let last = u32_bin(BinOp::Sub, place, short_int(1));
        let last = Exp::Select(Box::new([none.clone(), short_int(0), last]));
        let last = self.number("last", last);
        let group = u32_bin(BinOp::Lshr, last.clone(), short_int(WARP.trailing_zeros()));
        let group = self.number("group", group);
        let warps = tile.threads / WARP;
        let warp = u32_bin(BinOp::And, group.clone(), short_int(warps - 1));
        let lane = u32_bin(BinOp::Lshr, group.clone(), short_int(warps.trailing_zeros()));
        let at = u32_bin(BinOp::Add, u32_bin(BinOp::Mul, warp, short_int(WARP)), lane);
        let at = self.number("at", at);
        let bit = u32_bin(BinOp::And, last, short_int(WARP - 1));
        let up_to = u32_bin(BinOp::Sub, u32_bin(BinOp::Shl, short_int(2), bit), short_int(1));
        let bits = bits_of(u32_bin(BinOp::And, Exp::Load(words, Box::new(at)), up_to));
        let sum = u32_bin(BinOp::Add, Exp::Load(bases, Box::new(group)), bits);
        self.number("counted", Exp::Select(Box::new([none, short_int(0), sum])))
    }

    /// If rows differ, a tile tells what it has of the row in which it ends.
    fn count_last_row(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        here: &Here,
        (counted, bases): (&Counted, &[V]),
        sums: &mut Sums<'a>,
    ) {
        let (some, begin) = self.last_row(here);
        let begin = self.number("begin", begin);
        for ((all, (_, words)), base) in sums.all.iter_mut().zip(&counted.words).zip(bases) {
            let end = self.counted_before(tile, *words, *base, own.ground.here.clone());
            let before = self.counted_before(tile, *words, *base, begin.clone());
            let count = wide(u32_bin(BinOp::Sub, end, before));
            all.parts = vec![Sofar::Scalar(self.declare("all", Prim::I64, Some(count)))];
        }
        sums.cut = self.declare("cut", Prim::Bool, Some(some));
    }

    /// Stores the counts and the plain results, and executes the epilogue; whether this is a short loop.
    fn store_counted(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        counted: &Counted,
        bases: &[V],
        found: &[Kept],
    ) -> bool {
        let mut short = true;
        let [all, some] = [true, false].map(|full| {
            self.block(|this| {
                short &= this.store_elements(tile, own, counted, bases, found, full);
            })
        });
        self.out.push(Stm::If(is_full(tile, own), all, some));
        short
    }

    /// The same, for a tile that is full or not.
    fn store_elements(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        counted: &Counted,
        bases: &[V],
        found: &[Kept],
        full: bool,
    ) -> bool {
        let mut before = Vec::new();
        for array in found.iter().flat_map(Kept::arrays) {
            before.push(self.simple("before", &Exp::Load(array, Box::new(Exp::int(0)))));
        }
        let warp = self.number("warp", warp_of(own));
        let lane = self.number("lane", u32_bin(BinOp::And, own.short.clone(), short_int(WARP - 1)));
        // The bits up to that of an element: all for the last lane.
        let up_to =
            u32_bin(BinOp::Sub, u32_bin(BinOp::Shl, short_int(2), lane.clone()), short_int(1));
        let up_to = self.number("up_to", up_to);
        let epilogue = self.epilogue(tile.pat);
        let plain = &tile.pat[tile.op.folded()..];
        let start = self.out.len();
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let store = this.block(|this| {
                let index = this.find_element(tile, own, k, place.clone());
                let turn = || Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
                let group = u32_bin(BinOp::Mul, turn(), short_int(tile.threads / WARP));
                let group = this.number("group", u32_bin(BinOp::Add, group, warp.clone()));
                let at = u32_bin(BinOp::Mul, warp.clone(), short_int(WARP));
                let at = this.number("at", u32_bin(BinOp::Add, at, turn()));
                let row = match &own.ground.rows {
                    RowsHere::Even(_) => None,
                    RowsHere::Uneven(here) => Some(this.row_in_tile(here, &place, k)),
                };
                let (mut finished, mut ones) = (Vec::new(), Vec::new());
                for (number, (_, words)) in counted.words.iter().enumerate() {
                    let base = Exp::Load(bases[number], Box::new(group.clone()));
                    let word = this.number("word", Exp::Load(*words, Box::new(at.clone())));
                    let own_bit = u32_bin(BinOp::Lshr, word.clone(), lane.clone());
                    ones.push(wide(u32_bin(BinOp::And, own_bit, short_int(1))));
                    let bits = bits_of(u32_bin(BinOp::And, word, up_to.clone()));
                    let sum = u32_bin(BinOp::Add, base, bits);
                    let (sum, before) = match &row {
                        None => (sum, before[number].clone()),
                        Some((is_first, begin)) => {
                            let others =
                                this.counted_before(tile, *words, bases[number], begin.clone());
                            let before = [is_first.clone(), before[number].clone(), Exp::int(0)];
                            let before = Exp::Select(Box::new(before));
                            (u32_bin(BinOp::Sub, sum, others), before)
                        }
                    };
                    let sum = super::bin(BinOp::Add, before, wide(sum));
                    let part = Sofar::Scalar(this.declare("sum", Prim::I64, Some(sum)));
                    this.store_sofar(tile.pat[number], index, &part);
                    finished.push(Partial { op: tile.folds[number].op, parts: vec![part] });
                }
                let parts = this.load_kept(&counted.plain, &Exp::Var(k));
                for (var, part) in plain.iter().zip(&parts) {
                    this.store_sofar(*var, index, part);
                }
                if let Some(epilogue) = &epilogue {
                    let section = this.block(|this| {
                        this.before_operator(tile.seg);
                        let known = (finished.as_slice(), ones.as_slice());
                        this.epilogue_of_counted(tile, epilogue, index, counted, k, known);
                    });
                    this.out.push(Stm::Section(section));
                }
            });
            match full {
                true => this.out.extend(store),
                false => {
                    let within = u32_lt(place, own.ground.here.clone());
                    this.out.push(Stm::If(within, store, Block::new()));
                }
            }
        });
        is_short(loop_body(&self.out[start..]))
    }

    /// The epilogue at one position, with the elements that were kept, and what is known of the scans: their results,
    /// and what they count there, one or zero.
    fn epilogue_of_counted(
        &mut self,
        tile: &Tile<'a, '_>,
        epilogue: &Epilogue<'a>,
        index: Var,
        counted: &Counted,
        k: V,
        (finished, ones): (&[Partial<'a>], &[Exp]),
    ) {
        let op = tile.op;
        let at = self.atom(index.into());
        let Some(kept) = &counted.inputs else {
            return self.epilogue_at(tile, epilogue, at, finished);
        };
        let mut given = Self::scanned_elements(tile.pat, finished);
        for ((param, input), slot) in op.map.params.iter().zip(&op.inputs).zip(&kept.slots) {
            match slot {
                Slot::Scalars(array, _) => {
                    self.bind(*param, Exp::Load(*array, Box::new(Exp::Var(k))));
                    given.push((*input, self.atom((*param).into())));
                }
                Slot::Rows(..) | Slot::Nothing => self.element_param(*param, *input, index),
            }
        }
        if epilogue.reads_plain(tile.pat, op) {
            match self.counted_elements(tile.pat, op, ones) {
                Some(plain) => given.extend(plain),
                None => {
                    self.body(&op.map.body);
                    given.extend(self.plain_elements(tile.pat, op));
                }
            }
        }
        self.execute_epilogue(epilogue, at, &given);
    }
}

impl<'a> Emit<'a> {
    /// The plain results of an operator, if they are what its scans count, or elements of its inputs.
    fn counted_elements(
        &mut self,
        pat: &'a [Var],
        op: &'a Screma,
        ones: &[Exp],
    ) -> Option<Vec<(Var, Exp)>> {
        let (counted, plain) = op.map.body.results.split_at(op.folded());
        let mut found = Vec::new();
        for (var, result) in pat[op.folded()..].iter().zip(plain) {
            let given = op.map.params.iter().any(|param| Atom::Var(*param) == *result);
            let value = match counted.iter().position(|other| other == result) {
                Some(scan) => self.operand("one", Prim::I64, ones[scan].clone()),
                None if given => self.value(*result)?,
                None => return None,
            };
            found.push((*var, value));
        }
        Some(found)
    }
}

/// The steps of a transposition: the distance between threads that exchange halves, and the lower half of each pair.
const HALVES: [(u32, u32); 5] =
    [(16, 0x0000_ffff), (8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)];

/// Whether a tile has as many elements as it has room for.
fn is_full(tile: &Tile<'_, '_>, own: &Thread<'_>) -> Exp {
    let (here, size) = (own.ground.here.clone(), short_int(tile.threads * tile.items));
    Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(here), Box::new(size))
}

/// The number of a thread's warp.
fn warp_of(own: &Thread<'_>) -> Exp {
    u32_bin(BinOp::Lshr, own.short.clone(), short_int(WARP.trailing_zeros()))
}

/// The number of bits of a word that are set.
fn bits_of(word: Exp) -> Exp {
    let count = Exp::Math(MathFn::Popc, Prim::U32, vec![word]);
    Exp::Convert(Prim::I32, Prim::U32, Box::new(count))
}
