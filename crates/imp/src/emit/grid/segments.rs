//! Reductions of short segments: a block takes several of them.
//!
//! ```text
//! all threads:  stage[e] = f(element e of the block's segments), neighbouring threads at neighbouring elements
//! each team:    combines the elements of its segment, in order, and its first thread stores the result
//! ```
//!
//! Were a thread to load the elements of its own segment, neighbouring threads would load from places far apart, and a team
//! that is as large as a segment would do little else than to find out who it is. Here every thread loads several elements at
//! once, and shared memory brings them to the one that combines them. Positions in a block are 32 bits wide, and the
//! segment of an element is found by a multiplication.

use super::super::Emit;
use super::reduce::Reduction;
use super::team::{Parts, SHARED_BYTES};
use super::{THREADS, bin, lt, quot_up};
use crate::rewrite::Vars;
use crate::visit::each_stm;
use crate::{Block, Exp, Kind, Stm, Ty, V};
use fehu_base::Prim;
use fehu_ir::{BinOp, CmpOp, Scalar};

/// The most elements that a thread brings to shared memory.
const MOST_ITEMS: u32 = 8;

/// The bytes of shared memory that a block should not exceed, so that several blocks are at work at once.
const FEW_BYTES: u32 = 17 * 1024;

/// A lane of a team combines at least so many elements.
const LEAST_ITEMS: i64 = 4;

/// With fewer blocks than this a device is not busy.
const BLOCKS: i64 = 1056;

/// `e / width` is `(e * reciprocal) >> SHIFT`, where the reciprocal is rounded up: exact for `e < 2048` and `width <= 1024`, or a
/// power of two, and no product exceeds 32 bits.
pub(super) const SHIFT: u32 = 21;

/// After so many elements one is left out, so that threads at regular distances meet different banks.
pub(super) const PAD: u32 = 5;

/// A loop whose body has at most so many statements is unrolled.
const SHORT_BODY: usize = 40;

/// The sizes of a block's part.
pub(super) struct Stage {
    threads: u32,
    /// Elements of a thread.
    items: u32,
}

impl Stage {
    /// For values of so many bytes.
    pub(super) fn new(bytes: u32) -> Stage {
        let mut stage = Stage { threads: THREADS, items: MOST_ITEMS };
        while stage.items > 1 && stage.bytes(bytes) > FEW_BYTES {
            stage.items /= 2;
        }
        while stage.threads > 32 && stage.bytes(bytes) > SHARED_BYTES {
            stage.threads /= 2;
        }
        stage
    }

    fn bytes(&self, bytes: u32) -> u32 {
        self.places().saturating_mul(bytes)
    }

    fn elements(&self) -> u32 {
        self.threads * self.items
    }

    /// The elements of shared memory.
    fn places(&self) -> u32 {
        self.elements() + (self.elements() >> PAD)
    }

    /// The longest segments.
    pub(super) fn longest(&self) -> i64 {
        i64::from(self.elements() / 2)
    }
}

/// What the host has found out, as variables.
struct Sizes {
    /// Segments of a block.
    per_block: Exp,
    reciprocal: Exp,
    /// The threads of a team, a power of two, and its logarithm.
    team: Exp,
    log: Exp,
    /// The elements of a lane, if they follow each other.
    share: Exp,
    /// How often teams take segments.
    rounds: Exp,
}

impl<'a> Emit<'a> {
    /// A reduction of segments that are not longer than [`Stage::longest`].
    pub(super) fn reduce_staged(&mut self, all: &Reduction<'a, '_>, stage: &Stage, width: &Exp) {
        let sizes = self.stage_sizes(all, stage, width);
        let blocks = quot_up(all.segments.clone(), sizes.per_block.clone());
        self.launch("segments", blocks, stage.threads, |this, block, thread| {
            let mut arrays = Vec::with_capacity(all.prims.len());
            for prim in &all.prims {
                arrays.push(prim.map(|prim| this.shared_array("stage", prim, stage.places())));
            }
            let first = bin(BinOp::Mul, Exp::Var(block), sizes.per_block.clone());
            let first = this.simple("first", &first);
            let left = bin(BinOp::Sub, all.segments.clone(), first.clone());
            let here = this.short("here", &bin(BinOp::Min, left, sizes.per_block.clone()));
            let cx = Here {
                stage,
                sizes: &sizes,
                thread: this.short("thread", &Exp::Var(thread)),
                width: this.short("width", width),
                first,
                here,
                arrays,
            };
            this.bring_elements(all, &cx);
            this.out.push(Stm::Barrier);
            this.combine_segments(all, &cx, &Exp::Var(thread));
        });
    }

    fn stage_sizes(&mut self, all: &Reduction<'a, '_>, stage: &Stage, width: &Exp) -> Sizes {
        let threads = i64::from(stage.threads);
        let length = self.simple("length", &bin(BinOp::Max, width.clone(), Exp::int(1)));
        let fitting = bin(BinOp::Quot, Exp::int(i64::from(stage.elements())), length.clone());
        let busy = quot_up(all.segments.clone(), Exp::int(BLOCKS));
        let some = bin(BinOp::Max, bin(BinOp::Min, fitting, busy), Exp::int(1));
        let per_block = self.simple("per_block", &some);
        let reciprocal = quot_up(Exp::int(1 << SHIFT), length.clone());
        let reciprocal = self.simple("reciprocal", &reciprocal);
        let team = self.declare("team", Prim::I64, Some(Exp::int(1)));
        let log = self.declare("log", Prim::I64, Some(Exp::int(0)));
        let twice = bin(BinOp::Mul, Exp::Var(team), Exp::int(2));
        let needed = bin(BinOp::Mul, twice.clone(), per_block.clone());
        let items = bin(BinOp::Mul, Exp::Var(team), Exp::int(LEAST_ITEMS));
        let more = Exp::Bin(
            BinOp::And,
            Prim::Bool,
            Box::new(lt(needed, Exp::int(threads + 1))),
            Box::new(lt(items, length.clone())),
        );
        let body = vec![
            Stm::Assign(team, twice),
            Stm::Assign(log, bin(BinOp::Add, Exp::Var(log), Exp::int(1))),
        ];
        self.out.push(Stm::While(more, body));
        let (team, log) = (Exp::Var(team), Exp::Var(log));
        let share = self.simple("share", &quot_up(length, team.clone()));
        let at_once = bin(BinOp::Quot, Exp::int(threads), team.clone());
        let rounds = self.simple("rounds", &quot_up(per_block.clone(), at_once));
        Sizes { per_block, reciprocal, team, log, share, rounds }
    }

    /// All threads compute elements of the block's segments.
    fn bring_elements(&mut self, all: &Reduction<'a, '_>, cx: &Here<'_>) {
        let count = u32_bin(BinOp::Mul, cx.here.clone(), cx.width.clone());
        let count = self.number("count", count);
        let reciprocal = self.short("reciprocal", &cx.sizes.reciprocal);
        // The results of a thread, first of all in registers.
        let mut kept = Vec::with_capacity(all.prims.len());
        for prim in &all.prims {
            kept.push(prim.map(|prim| {
                let array = self.new_var("kept", Ty::Local(prim, cx.stage.items));
                self.out.push(Stm::Declare(array, None));
                array
            }));
        }
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let element = self.new_var("element", Ty::Scalar(Prim::U32));
        let body = self.block(|this| {
            let e = Exp::Var(element);
            let product = u32_bin(BinOp::Mul, e.clone(), reciprocal);
            let which = this.number("which", u32_bin(BinOp::Lshr, product, short_int(SHIFT)));
            let before = u32_bin(BinOp::Mul, which.clone(), cx.width.clone());
            let at = wide(u32_bin(BinOp::Sub, e.clone(), before));
            let segment = bin(BinOp::Add, cx.first.clone(), wide(which));
            let segment = this.simple("segment", &segment);
            let indices = this.unranked(segment, &all.dims);
            this.enter_levels(all.nest, &indices);
            let index = this.enter(all.pat, &all.op.inputs, &all.op.map, at);
            this.body(&all.op.map.body);
            let mut results = all.op.map.body.results[all.op.scanned()..].iter();
            for (array, result) in kept.iter().zip(results.by_ref()) {
                if let Some(array) = array {
                    let value = this.atom(*result);
                    this.out.push(Stm::Store(*array, Exp::Var(k), value));
                }
            }
            if all.with_maps {
                for (result, var) in results.zip(&all.pat[all.op.folded()..]) {
                    this.store_row(*var, index, *result);
                }
            }
        });
        let next = u32_bin(
            BinOp::Add,
            cx.thread.clone(),
            u32_bin(
                BinOp::Mul,
                Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k))),
                short_int(cx.stage.threads),
            ),
        );
        let mut put = Block::new();
        for (array, kept) in cx.arrays.iter().zip(&kept) {
            if let (Some(array), Some(kept)) = (array, kept) {
                let value = Exp::Load(*kept, Box::new(Exp::Var(k)));
                put.push(Stm::Store(*array, padded(Exp::Var(element)), value));
            }
        }
        let code = if self.is_plain(&body, &kept) {
            // A thread beyond the end may compute the last element once more. Without branches, and before anything is stored,
            // the loads of a thread are made all at once.
            let last = u32_bin(BinOp::Sub, count.clone(), short_int(1));
            let declare = Stm::Declare(element, Some(u32_bin(BinOp::Min, next, last)));
            let [body, put] = [body, put].map(|mut rest| {
                rest.insert(0, declare.clone());
                rest
            });
            let items = Exp::int(i64::from(cx.stage.items));
            let put = Vars(&mut self.vars).copy(&[up_to(k, items.clone(), put)]);
            let mut code = vec![up_to(k, items, body)];
            code.extend(put);
            code
        } else {
            let inside = u32_lt(Exp::Var(element), count.clone());
            let mut once = body;
            once.extend(put);
            let short = is_short(&once);
            let once = vec![Stm::Declare(element, Some(next)), Stm::If(inside, once, Block::new())];
            let items = Exp::int(i64::from(cx.stage.items));
            // If the bound is a variable, nothing is unrolled.
            let items = match short {
                true => items,
                false => Exp::Var(self.declare("items", Prim::I64, Some(items))),
            };
            vec![Stm::Section(vec![up_to(k, items, once)])]
        };
        self.out.push(Stm::If(u32_lt(short_int(0), count), code, Block::new()));
    }

    /// Whether code is short and computes nothing but scalars and elements of these arrays.
    fn is_plain(&self, body: &[Stm], arrays: &[Option<V>]) -> bool {
        let mut plain = true;
        each_stm(body, &mut |stm| {
            plain &= match stm {
                Stm::Comment(_) | Stm::Assign(..) | Stm::If(..) => true,
                Stm::Declare(v, _) => matches!(self.vars[*v].ty, Ty::Scalar(_)),
                Stm::Store(to, ..) => arrays.contains(&Some(*to)),
                _ => false,
            };
        });
        plain && is_short(body)
    }

    /// Teams combine what is in shared memory.
    fn combine_segments(&mut self, all: &Reduction<'a, '_>, cx: &Here<'_>, thread: &Exp) {
        let [team, log, share] =
            [("team", &cx.sizes.team), ("log", &cx.sizes.log), ("share", &cx.sizes.share)]
                .map(|(hint, size)| self.short(hint, size));
        let mask = u32_bin(BinOp::Sub, team.clone(), short_int(1));
        let lane = self.number("lane", u32_bin(BinOp::And, cx.thread.clone(), mask));
        let number = self.number("number", u32_bin(BinOp::Lshr, cx.thread.clone(), log.clone()));
        let at_once = u32_bin(BinOp::Lshr, short_int(cx.stage.threads), log.clone());
        let at_once = self.number("at_once", at_once);
        let round = self.new_var("round", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(round)));
            let before = u32_bin(BinOp::Mul, turn, at_once);
            let own = this.number("own", u32_bin(BinOp::Add, number, before));
            let works = u32_lt(own.clone(), cx.here.clone());
            // A team without a segment waits at the barriers of the others.
            let own = Exp::Select(Box::new([works.clone(), own, short_int(0)]));
            let own = this.number("own", own);
            let segment = bin(BinOp::Add, cx.first.clone(), wide(own.clone()));
            let segment = this.simple("segment", &segment);
            let indices = this.unranked(segment, &all.dims);
            this.enter_levels(all.nest, &indices);
            let mut arrays = cx.arrays.iter().copied();
            let mut parts = Vec::new();
            for (red, own) in all.op.reds.iter().zip(this.start_reds(all.op)) {
                let shared = arrays.by_ref().take(own.len()).collect();
                parts.push(Parts { op: &red.op, own, shared });
            }
            let begin = this.number("begin", u32_bin(BinOp::Mul, own, cx.width.clone()));
            // As signed numbers, since there may be less than nothing left.
            let (start, apart, trips) = match this.is_commutative(all.op) {
                true => {
                    let left = signed_bin(BinOp::Sub, cx.width.clone(), lane.clone());
                    let some = signed_bin(BinOp::Add, left, mask_of(&team));
                    let trips = signed_bin(BinOp::Ashr, some, log.clone());
                    (lane.clone(), team.clone(), trips)
                }
                false => {
                    let start = u32_bin(BinOp::Mul, lane.clone(), share.clone());
                    let start = this.number("start", start);
                    let left = signed_bin(BinOp::Sub, cx.width.clone(), start.clone());
                    (start, short_int(1), signed_bin(BinOp::Min, left, share.clone()))
                }
            };
            let start = this.number("start", u32_bin(BinOp::Add, begin, start));
            let none = Exp::Const(Scalar::I32(0));
            let trips = Exp::Select(Box::new([works.clone(), trips, none.clone()]));
            let trips = Exp::Var(this.declare("trips", Prim::I32, Some(trips)));
            let step = this.new_var("step", Ty::Scalar(Prim::I32));
            let combine = this.block(|this| {
                let turn = Exp::Convert(Prim::I32, Prim::U32, Box::new(Exp::Var(step)));
                let place = u32_bin(BinOp::Add, start, u32_bin(BinOp::Mul, turn, apart));
                let place = this.number("place", place);
                let place = this.number("place", padded(place));
                for part in &parts {
                    let right = this.get_parts(&part.shared, &place);
                    this.combine_parts(part.op, &part.own, &right);
                }
            });
            let kind = Kind::Sequential;
            let all_steps =
                Stm::For { var: step, from: none, to: trips, step: 1, kind, body: combine };
            this.out.push(Stm::Section(vec![all_steps]));
            let together = this.block(|this| {
                this.out.push(Stm::Barrier);
                this.team_reduce(&parts, &wide(lane.clone()), &cx.sizes.team, thread);
            });
            let several = lt(Exp::int(1), cx.sizes.team.clone());
            this.out.push(Stm::If(several, together, Block::new()));
            let finish = this.block(|this| this.finish(all, &parts));
            let first = Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(lane), Box::new(short_int(0)));
            let leads = Exp::Bin(BinOp::And, Prim::Bool, Box::new(works), Box::new(first));
            this.out.push(Stm::If(leads, finish, Block::new()));
        });
        let (from, to, kind) = (Exp::int(0), cx.sizes.rounds.clone(), Kind::Sequential);
        self.out.push(Stm::For { var: round, from, to, step: 1, kind, body });
    }

    /// A number of 32 bits as a variable.
    pub(super) fn number(&mut self, hint: &str, exp: Exp) -> Exp {
        match exp {
            Exp::Const(_) | Exp::Var(_) => exp,
            other => Exp::Var(self.declare(hint, Prim::U32, Some(other))),
        }
    }

    /// A number that is known to be small, in 32 bits.
    pub(super) fn short(&mut self, hint: &str, exp: &Exp) -> Exp {
        self.number(hint, Exp::Convert(Prim::I64, Prim::U32, Box::new(exp.clone())))
    }
}

/// What the parts of the kernel know.
struct Here<'b> {
    stage: &'b Stage,
    sizes: &'b Sizes,
    thread: Exp,
    width: Exp,
    /// The block's first segment, and the number of its segments.
    first: Exp,
    here: Exp,
    /// For each part of what is reduced, the elements.
    arrays: Vec<Option<V>>,
}

/// Whether several copies of code are not too much.
pub(super) fn is_short(body: &[Stm]) -> bool {
    let mut count = 0;
    each_stm(body, &mut |stm| {
        count += match stm {
            // Repeated code takes time anyway.
            Stm::For { .. } | Stm::While(..) | Stm::Call(..) => SHORT_BODY,
            _ => 1,
        }
    });
    count <= SHORT_BODY
}

/// `a op b` on unsigned numbers of 32 bits.
pub(super) fn u32_bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    Exp::Bin(op, Prim::U32, Box::new(a), Box::new(b))
}

/// `a < b` of unsigned numbers of 32 bits.
pub(super) fn u32_lt(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Lt, Prim::U32, Box::new(a), Box::new(b))
}

/// A constant of 32 bits.
pub(super) fn short_int(value: u32) -> Exp {
    Exp::Const(Scalar::U32(value))
}

/// A number of 32 bits as one of 64.
pub(super) fn wide(exp: Exp) -> Exp {
    Exp::Convert(Prim::U32, Prim::I64, Box::new(exp))
}

/// `a op b` on unsigned numbers that are taken as signed ones, or are such already.
fn signed_bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    let signed = |e: Exp| match e {
        Exp::Bin(_, Prim::I32, ..) => e,
        other => Exp::Convert(Prim::U32, Prim::I32, Box::new(other)),
    };
    Exp::Bin(op, Prim::I32, Box::new(signed(a)), Box::new(signed(b)))
}

/// A loop from zero.
pub(super) fn up_to(var: V, to: Exp, body: Block) -> Stm {
    Stm::For { var, from: Exp::int(0), to, step: 1, kind: Kind::Sequential, body }
}

fn mask_of(team: &Exp) -> Exp {
    u32_bin(BinOp::Sub, team.clone(), short_int(1))
}

/// Where an element is in shared memory.
pub(super) fn padded(element: Exp) -> Exp {
    u32_bin(BinOp::Add, element.clone(), u32_bin(BinOp::Lshr, element, short_int(PAD)))
}
