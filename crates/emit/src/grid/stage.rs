//! Staging elements in shared memory for the threads that combine them: all threads of a block compute elements,
//! neighbouring threads compute neighbouring elements and each thread several at once, and store them in shared memory.
//!
//! Positions in a block are 32-bit numbers, with which devices are faster.

use super::super::Emit;
use super::super::combine::{Kept, Room, SHARED_BYTES};
use super::reduce::Reduction;
use fehu_base::Prim;
use fehu_imp::device::DEVICE;
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Kind, Stm, Ty, V};
use fehu_ir::{BinOp, CmpOp, Scalar, Screma};

/// The maximum number of elements that a thread brings to shared memory.
const MOST_ITEMS: u32 = 8;

/// `e / width` is `(e * reciprocal) >> SHIFT`, where the reciprocal is rounded up: exact for `e < 2048` and `width <= 1024`, or a
/// power of two, and no product exceeds 32 bits.
pub(super) const SHIFT: u32 = 21;

/// After every `2^PAD` elements one place is left unused, so that threads at regular distances access different banks.
pub(super) const PAD: u32 = 5;

/// A loop whose body has at most this many statements is unrolled.
const SHORT_BODY: usize = 40;

/// An element that takes at most this many cycles may be computed once more for nothing, so that there are no branches.
const CHEAP: usize = 64;

/// The sizes of the part of a block.
pub(super) struct Stage {
    /// The threads of a block.
    pub(super) threads: u32,
    /// Elements per thread.
    pub(super) items: u32,
}

impl Stage {
    /// For values of this many bytes.
    pub(super) fn new(emit: &Emit<'_>, bytes: u32) -> Stage {
        let (threads, items) = (emit.threads(), emit.unless_few(MOST_ITEMS, 2));
        let mut stage = Stage { threads, items };
        while stage.items > 1 && stage.bytes(bytes) > DEVICE.stage_bytes {
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

    /// The number of elements of a block.
    pub(super) fn elements(&self) -> u32 {
        self.threads * self.items
    }

    /// The number of elements in shared memory.
    fn places(&self) -> u32 {
        self.elements() + (self.elements() >> PAD)
    }

    /// The longest segments.
    pub(super) fn longest(&self) -> i64 {
        i64::from(self.elements() / 2)
    }
}

impl<'a> Emit<'a> {
    /// Arrays for the reduced values.
    pub(super) fn stage_arrays(&mut self, op: &Screma, stage: &Stage) -> Vec<Kept> {
        let ops = op.reds.iter().map(|red| &red.op);
        self.keep_each("stage", ops, &Room::Shared(stage.places()))
    }

    /// All threads compute elements, by number. `locate` returns the position of an element, which is clamped to the
    /// last one on request; `inside` says whether it is before the end. There is at least one element.
    pub(super) fn stage_elements(
        &mut self,
        all: &Reduction<'a, '_>,
        stage: &Stage,
        arrays: &[Kept],
        thread: &Exp,
        locate: &dyn Fn(&mut Self, Exp, bool) -> Exp,
        inside: &dyn Fn(Exp) -> Exp,
    ) {
        // The results of a thread, in registers at first.
        let ops = all.op.reds.iter().map(|red| &red.op);
        let kept = self.keep_each("kept", ops, &Room::Registers(stage.items));
        let [k, l] = [0, 1].map(|_| self.new_var("k", Ty::Scalar(Prim::I64)));
        let numbered = |k: V| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
            u32_bin(BinOp::Add, thread.clone(), u32_bin(BinOp::Mul, turn, short_int(stage.threads)))
        };
        let items = Exp::int(i64::from(stage.items));
        // A thread beyond the end may recompute the last element, if that is cheap: short segments are few in a block
        // where there are not enough of them for all blocks. Without branches, and before anything is stored, all loads
        // of a thread can overlap.
        let body = self.block(|this| {
            let element = this.number("element", numbered(k));
            let at = locate(this, element, true);
            this.keep_element(all, at, &kept, k);
        });
        let registers: Vec<V> = kept.iter().flat_map(Kept::arrays).collect();
        if self.is_plain(&body, &registers) && is_cheap(&body) {
            self.out.push(up_to(k, items.clone(), body));
            let put = self.block(|this| this.put_element(&kept, arrays, l, numbered(l)));
            return self.out.push(up_to(l, items, put));
        }
        let body = self.block(|this| {
            let element = this.number("element", numbered(k));
            let body = this.block(|this| {
                let at = locate(this, element.clone(), false);
                this.keep_element(all, at, &kept, k);
                this.put_element(&kept, arrays, k, element.clone());
            });
            this.out.push(Stm::If(inside(element), body, Block::new()));
        });
        // If the bound is a variable, the loop is not unrolled.
        let items = match is_short(&body) {
            true => items,
            false => Exp::Var(self.declare("items", Prim::I64, Some(items))),
        };
        self.out.push(Stm::Section(vec![up_to(k, items, body)]));
    }

    /// Computes an element.
    fn keep_element(&mut self, all: &Reduction<'a, '_>, at: Exp, kept: &[Kept], k: V) {
        let op = all.op;
        let index = self.enter(all.pat, &op.inputs, &op.map, at);
        self.body(&op.map.body);
        let results = &op.map.body.results;
        self.store_atoms(&results[op.scanned()..], kept, &Exp::Var(k));
        if all.with_maps {
            for (result, var) in results.iter().zip(all.pat).skip(op.folded()) {
                self.store_row(*var, index, *result);
            }
        }
    }

    /// Brings an element to shared memory.
    fn put_element(&mut self, kept: &[Kept], arrays: &[Kept], k: V, number: Exp) {
        let number = self.number("element", number);
        let place = self.number("place", padded(number));
        self.move_kept((kept, &Exp::Var(k)), (arrays, &place));
    }

    /// Whether code is short and computes only scalars and elements of these arrays.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements are not plain")]
    pub(super) fn is_plain(&self, body: &[Stm], arrays: &[V]) -> bool {
        let mut plain = true;
        each_stm(body, &mut |stm| {
            plain &= match stm {
                Stm::Comment(_) | Stm::Assign(..) | Stm::If(..) => true,
                Stm::Declare(v, _) => matches!(self.vars[*v].ty, Ty::Scalar(_)),
                Stm::Store(to, ..) => arrays.contains(to),
                _ => false,
            };
        });
        plain && is_short(body)
    }

    /// A 32-bit number as a variable.
    pub(super) fn number(&mut self, hint: &str, exp: Exp) -> Exp {
        self.operand(hint, Prim::U32, exp)
    }

    /// A number that is known to be small, as a 32-bit number.
    pub(super) fn short(&mut self, hint: &str, exp: &Exp) -> Exp {
        self.number(hint, Exp::Convert(Prim::I64, Prim::U32, Box::new(exp.clone())))
    }
}

/// Whether a thread may execute code for nothing.
fn is_cheap(body: &[Stm]) -> bool {
    let (mut cycles, mut expensive) = (0, false);
    each_stm(body, &mut |stm| {
        stm.each_exp(&mut |e| {
            cycles += e.cycles();
            expensive |= e.is_expensive();
        });
    });
    !expensive && cycles <= CHEAP
}

/// Whether code is short enough to be repeated.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are one statement each")]
pub(super) fn is_short(body: &[Stm]) -> bool {
    let mut count = 0;
    each_stm(body, &mut |stm| {
        count += match stm {
            // Loops and calls take long anyway.
            Stm::For { .. } | Stm::While(..) | Stm::Call(..) | Stm::Foreign(_) => SHORT_BODY,
            _ => 1,
        }
    });
    count <= SHORT_BODY
}

/// `a op b` on unsigned 32-bit numbers.
pub(super) fn u32_bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    Exp::Bin(op, Prim::U32, Box::new(a), Box::new(b))
}

/// `a < b` on unsigned 32-bit numbers.
pub(super) fn u32_lt(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Lt, Prim::U32, Box::new(a), Box::new(b))
}

/// A 32-bit constant.
pub(super) fn short_int(value: u32) -> Exp {
    Exp::Const(Scalar::U32(value))
}

/// A 32-bit number extended to 64 bits.
pub(super) fn wide(exp: Exp) -> Exp {
    Exp::Convert(Prim::U32, Prim::I64, Box::new(exp))
}

/// A loop from zero.
pub(super) fn up_to(var: V, to: Exp, body: Block) -> Stm {
    Stm::For { var, from: Exp::int(0), to, step: 1, kind: Kind::Sequential, body }
}

/// Where an element is in shared memory.
pub(super) fn padded(element: Exp) -> Exp {
    u32_bin(BinOp::Add, element.clone(), u32_bin(BinOp::Lshr, element, short_int(PAD)))
}
