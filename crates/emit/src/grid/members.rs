//! How many threads work together on the function of a map that has a block for each position.

use super::super::Emit;
use super::seg::SegOp;
use fehu_base::bug;
use fehu_imp::device::DEVICE;
use fehu_ir::{Atom, Body, Exp, Family, Scalar, Stm, Var};

/// Their number, if there are reductions or scans: they cost more, the more warps there are. On an H200,
/// LocVolCalib takes 11.6 ms with these and 23.5 with twice as many.
const FOLDING: u32 = 128;

/// Their number, if there are none. Shared memory, not threads, limits the number of blocks then: transforms of 512 numbers
/// take 442 us with half as many.
const MAPPING: u32 = 256;

impl Emit<'_> {
    /// The number of threads. A single block has a multiprocessor for itself: it has as many threads as there may be,
    /// if all have something to do at the same time. With 1024 there are 64 registers for each, which nearly all such
    /// kernels get by with: of 16 in `bench/ad` and in three simulations, two spill, 8 and 140 bytes (NVRTC 12.4,
    /// sm_90).
    pub(super) fn members(&self, seg: &SegOp<'_>) -> u32 {
        let Exp::Screma(op) = &seg.inner.exp else { bug("blocks of threads execute no map") };
        if self.options.few {
            return 2 * DEVICE.warp;
        }
        let is_single = seg.space.is_empty() && op.width == Atom::i64(1);
        if !is_single {
            return if folds(&op.map.body) { FOLDING } else { MAPPING };
        }
        let most = self.options.block_threads.max(DEVICE.threads);
        let useful = self.widest(&op.map.body).and_then(u32::checked_next_power_of_two);
        useful.unwrap_or(most).clamp(DEVICE.warp, most)
    }

    /// The most positions of an operator or a copy that threads share in a body, if that is known of all of them.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no positions of their own")]
    fn widest(&self, body: &Body) -> Option<u32> {
        let elements = |var: Var| product(self.ir[var].ty.shape().iter().copied());
        let mut widest = Some(0);
        let mut note = |other: Option<u32>| widest = widest.zip(other).map(|(a, b)| a.max(b));
        for stm in &body.stms {
            match &stm.exp {
                Exp::Seg(seg) => {
                    let own = seg.parts().and_then(|parts| width(parts.op));
                    note(product(seg.space.iter().copied().chain(own)).filter(|_| own.is_some()));
                }
                Exp::Update(_, _, Atom::Var(value)) | Exp::FlatUpdate(_, _, _, value) => {
                    note(elements(*value));
                }
                exp if exp.family() == Family::Fresh => note(elements(stm.pat[0])),
                exp => exp.for_each_body(&mut |body| note(self.widest(body))),
            }
        }
        widest
    }
}

/// Whether there are reductions or scans in a body.
fn folds(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = matches!(&stm.exp, Exp::Screma(op) if op.folded() > 0);
        stm.exp.for_each_body(&mut |body| found |= folds(body));
        found
    })
}

/// How many positions an operator has itself.
#[expect(clippy::wildcard_enum_match_arm, reason = "threads of a block share no others")]
fn width(stm: &Stm) -> Option<Atom> {
    match &stm.exp {
        Exp::Screma(op) => Some(op.width),
        Exp::Scatter(op) => Some(op.width),
        Exp::Hist(op) => Some(op.width),
        _ => None,
    }
}

fn product(sizes: impl IntoIterator<Item = Atom>) -> Option<u32> {
    sizes.into_iter().try_fold(1u32, |product, size| match size {
        Atom::Const(Scalar::I64(size)) => product.checked_mul(u32::try_from(size).ok()?),
        Atom::Const(_) | Atom::Var(_) => None,
    })
}
