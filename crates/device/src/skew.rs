//! Skewed memory of thread blocks: there is a gap of one element after each row of the banks of shared memory.
//!
//! Shared memory has a bank for each thread of a warp, and neighbouring words are in neighbouring banks. Threads that
//! access elements of different rows of one bank wait for each other. That happens when neighbouring threads go along a
//! column or an antidiagonal of a matrix whose rows have an unfortunate length, for example 32 or 64 and 65. With the
//! gaps, the element with the number `k` is
//!
//! ```text
//! k + k / 32
//! ```
//!
//! for words, so that elements at a distance of a row are in neighbouring banks. Neighbours stay neighbours but for one in 32. It
//! costs a shift and an addition for each access, so [`conflicts`] looks for those where threads could wait.
//!
//! The rows that programs walk through are seldom of a known length; the gaps are right for all of them, other than
//! rows that are made longer.
//!
//! Indices of such memory have 32 bits, whether there are gaps or not. A loop of a block is a chain of short steps, in
//! each of which threads wait for the arithmetic of their indices, and a product of 64 bits takes several instructions
//! (nw on an H200: 2.43 ms, and 2.06 with this). Larger pieces than [`MOST_BYTES`] do not exist.

use fehu_base::Prim;
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::bin;
use fehu_imp::visit::each_stm;
use fehu_imp::{Exp, Kernel, Stm, V};
use fehu_ir::{BinOp, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// The bytes of a word, of which each bank delivers one at a time.
const WORD: u32 = 4;

/// So many threads of a warp may wait for each other without being worth the gaps.
const FEW: u64 = 4;

/// The binary logarithm of the number of elements of a row of banks.
fn row(prim: Prim) -> u32 {
    (DEVICE.warp * WORD * 8 / prim.bits()).ilog2()
}

/// Whether a gap moves elements of this type by whole banks.
pub(super) fn has_banks(prim: Prim) -> bool {
    prim.bits() >= 8 * WORD
}

/// The memory of a block is smaller than this, so that each piece has less than 2^32 elements, of a word or more.
pub(super) const MOST_BYTES: i64 = 1 << 33;

/// The index of an element.
pub(super) fn index(prim: Prim, at: &Exp) -> Exp {
    if let Exp::Const(Scalar::I64(at)) = at {
        return Exp::int(at + (at >> row(prim)));
    }
    let shift = Exp::Const(Scalar::U32(row(prim)));
    let gaps = Exp::Bin(BinOp::Lshr, Prim::U32, Box::new(near(at)), Box::new(shift));
    wide(Exp::Bin(BinOp::Add, Prim::U32, Box::new(near(at)), Box::new(gaps)))
}

/// An index of an element with 32 bits.
pub(super) fn near(at: &Exp) -> Exp {
    Exp::Convert(Prim::I64, Prim::U32, Box::new(at.clone()))
}

/// And back.
pub(super) fn wide(at: Exp) -> Exp {
    Exp::Convert(Prim::U32, Prim::I64, Box::new(at))
}

/// The bytes of a piece, which had a multiple of 16.
pub(super) fn bytes(prim: Prim, bytes: Exp) -> Exp {
    let (shift, width) = ((DEVICE.warp * WORD).ilog2(), i64::from(prim.bits() / 8));
    if let Exp::Const(Scalar::I64(bytes)) = bytes {
        return Exp::int((bytes + (bytes >> shift) * width + 15) & -16);
    }
    let rows = bin(BinOp::Ashr, bytes.clone(), Exp::int(i64::from(shift)));
    let gaps = bin(BinOp::Mul, rows, Exp::int(width));
    bin(BinOp::And, bin(BinOp::Add, bin(BinOp::Add, bytes, gaps), Exp::int(15)), Exp::int(-16))
}

/// How much more a number is in the next thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// So much.
    Known(i64),
    /// As much as a size, or a multiple of it.
    Size,
    /// Anything.
    Any,
}

impl Step {
    const SAME: Step = Step::Known(0);

    fn plus(self, other: Step) -> Step {
        match (self, other) {
            (Step::Any, _) | (_, Step::Any) => Step::Any,
            (Step::Known(a), Step::Known(b)) => Step::Known(a.wrapping_add(b)),
            (Step::Size, _) | (_, Step::Size) => Step::Size,
        }
    }

    fn times(self, factor: i64) -> Step {
        match self {
            Step::Known(step) => Step::Known(step.wrapping_mul(factor)),
            Step::Size | Step::Any => self,
        }
    }

    /// The step of a product with something that is the same in all threads.
    fn scaled(self) -> Step {
        match self {
            Step::Known(0) => Step::SAME,
            Step::Known(_) | Step::Size => Step::Size,
            Step::Any => Step::Any,
        }
    }

    /// Whether elements at this distance may be in the same bank.
    fn conflicts(self, prim: Prim) -> bool {
        match self {
            Step::Known(0) | Step::Any => false,
            Step::Known(step) => {
                let words = step.unsigned_abs().wrapping_mul(u64::from(prim.bits() / (8 * WORD)));
                let together = 1 << words.trailing_zeros().min(DEVICE.warp.ilog2());
                together > FEW
            }
            Step::Size => true,
        }
    }
}

/// The pointers through which the threads of a block may wait for each other.
pub(super) fn conflicts(kernel: &Kernel, prim: &dyn Fn(V) -> Option<Prim>) -> FxHashSet<V> {
    let mut steps = Steps { of: FxHashMap::default() };
    steps.of.insert(kernel.thread, Step::Known(1));
    // Variables are declared before they are used, and sections do not assign to what is declared outside of them.
    each_stm(&kernel.body, &mut |stm| steps.note(stm));
    let mut found = FxHashSet::default();
    each_stm(&kernel.body, &mut |stm| {
        let mut access = |p: V, at: &Exp| {
            if prim(p).is_some_and(|prim| steps.exp(at).conflicts(prim)) {
                found.insert(p);
            }
        };
        if let Stm::Store(p, at, _) | Stm::Atomic(_, p, at, _) = stm {
            access(*p, at);
        }
        stm.each_exp(&mut |e| loads(e, &mut access));
    });
    found
}

fn loads(e: &Exp, access: &mut dyn FnMut(V, &Exp)) {
    if let Exp::Load(p, at) = e {
        access(*p, at);
    }
    e.each_child(&mut |child| loads(child, access));
}

/// The steps of scalars that are not the same in all threads.
struct Steps {
    of: FxHashMap<V, Step>,
}

impl Steps {
    #[expect(clippy::wildcard_enum_match_arm, reason = "what others set comes from memory")]
    fn note(&mut self, stm: &Stm) {
        match stm {
            Stm::Declare(v, Some(e)) => {
                let step = self.exp(e);
                self.of.insert(*v, step);
            }
            Stm::For { var, from, .. } => {
                let step = self.exp(from);
                self.of.insert(*var, step);
            }
            // The branches of a condition mostly differ in what is beyond the end.
            Stm::Assign(v, e) => {
                let step = self.exp(e);
                let old = self.of.entry(*v).or_insert(step);
                *old = if *old == Step::SAME { step } else { *old };
            }
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "others are no arithmetic of indices")]
    fn exp(&self, e: &Exp) -> Step {
        match e {
            Exp::Const(_) => Step::SAME,
            Exp::Var(v) => self.of.get(v).copied().unwrap_or(Step::SAME),
            Exp::Convert(_, _, e) => self.exp(e),
            Exp::Bin(BinOp::Add, _, a, b) => self.exp(a).plus(self.exp(b)),
            Exp::Bin(BinOp::Sub, _, a, b) => self.exp(a).plus(self.exp(b).times(-1)),
            Exp::Bin(BinOp::Mul, _, a, b) => match (Steps::constant(a), Steps::constant(b)) {
                (Some(factor), _) => self.exp(b).times(factor),
                (_, Some(factor)) => self.exp(a).times(factor),
                (None, None) => match (self.exp(a), self.exp(b)) {
                    (Step::SAME, step) | (step, Step::SAME) => step.scaled(),
                    _ => Step::Any,
                },
            },
            Exp::Index(terms) => terms.iter().fold(Step::SAME, |sum, (factor, vars)| {
                let mut steps = vars.iter().map(|v| self.exp(&Exp::Var(*v)));
                let differing: Vec<Step> = steps.by_ref().filter(|s| *s != Step::SAME).collect();
                sum.plus(match differing.as_slice() {
                    [] => Step::SAME,
                    [step] if vars.len() == 1 => step.times(*factor),
                    [step] => step.scaled(),
                    _ => Step::Any,
                })
            }),
            other => {
                let mut differs = false;
                other.each_child(&mut |child| differs |= self.exp(child) != Step::SAME);
                let is_load = matches!(other, Exp::Load(..));
                if differs || is_load { Step::Any } else { Step::SAME }
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "others are not constant")]
    fn constant(e: &Exp) -> Option<i64> {
        match e {
            Exp::Const(Scalar::I64(value)) => Some(*value),
            Exp::Const(Scalar::I32(value)) => Some(i64::from(*value)),
            _ => None,
        }
    }
}
