//! Kernels learn which elements nobody changes while they run: those that they read through pointers into other memory
//! than all that they write to.
//!
//! ```text
//! loop x = a  { y = alloc n;  launch { y[i] = (x[i - 1] + x[i + 1]) / 2 };  x = y }
//! ```
//!
//! Nothing says that the block of `y` is not that of `x`, which has come from an earlier iteration, but the order of
//! events does: `y` was allocated when the block of `x` existed already. So each pointer has an *origin*: when its block
//! was there at the latest, and whether that is when it was allocated. Two blocks are not the same if one was allocated
//! when the other was there. Times are those of one execution of the body that encloses a statement; what a loop hands
//! on to the next iteration is there when it begins.

use fehu_base::IdVec;
use fehu_imp::kernel::maybe_written;
use fehu_imp::visit::{free_vars, set_vars};
use fehu_imp::{Block, From, Fun, Kernel, Stm, Ty, V, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// Completes the kernels of a function of the host.
pub(super) fn read_only(fun: &mut Fun) {
    let mut find = Find { vars: &fun.vars, origins: FxHashMap::default(), now: 0 };
    find.block(&mut fun.body);
}

/// Where the block of a handle or pointer comes from.
#[derive(Clone, Copy, Default)]
struct Origin {
    /// It was there at this time, ...
    time: u32,
    /// ... when it was allocated.
    fresh: bool,
}

impl Origin {
    fn is_apart(self, other: Origin) -> bool {
        self.fresh && other.time < self.time || other.fresh && self.time < other.time
    }
}

struct Find<'a> {
    vars: &'a IdVec<V, VarInfo>,
    /// Those that are not here are parameters.
    origins: FxHashMap<V, Origin>,
    now: u32,
}

impl Find<'_> {
    fn block(&mut self, block: &mut Block) {
        block.iter_mut().for_each(|stm| self.stm(stm));
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others may set handles and pointers to anything"
    )]
    fn stm(&mut self, stm: &mut Stm) {
        match stm {
            Stm::Alloc(handle, ..) => {
                self.now += 1;
                self.origins.insert(*handle, Origin { time: self.now, fresh: true });
            }
            Stm::Share(to, from) | Stm::Point(to, From::Mem(from) | From::Ptr(from), _) => {
                let origin = self.origin(*from);
                self.origins.insert(*to, origin);
            }
            Stm::Launch(kernel) => kernel.read_only = self.of(kernel),
            stm => {
                let set = set_vars(std::slice::from_ref(stm));
                if !matches!(stm, Stm::If(..) | Stm::Switch(..)) {
                    self.unknown(&set);
                }
                let before: Vec<(V, Origin)> = set.iter().map(|v| (*v, self.origin(*v))).collect();
                stm.each_block_mut(&mut |block| {
                    self.origins.extend(before.iter().copied());
                    self.block(block);
                });
                self.unknown(&set);
            }
        }
    }

    /// Variables that have been set to what is there by now.
    fn unknown(&mut self, set: &FxHashSet<V>) {
        let origin = Origin { time: self.now, fresh: false };
        self.origins.extend(set.iter().map(|v| (*v, origin)));
    }

    /// The pointers through which a kernel only loads, and which are apart from all others.
    fn of(&self, kernel: &Kernel) -> Vec<V> {
        let written = maybe_written(&kernel.body);
        let is_pointer = |v: &V| matches!(self.vars[*v].ty, Ty::Ptr(..));
        let captured = free_vars(&kernel.body).into_iter().filter(is_pointer);
        let (written, read): (Vec<V>, Vec<V>) = captured.partition(|v| written.contains(v));
        let is_apart =
            |v: &V| written.iter().all(|other| self.origin(*other).is_apart(self.origin(*v)));
        read.into_iter().filter(is_apart).collect()
    }

    fn origin(&self, v: V) -> Origin {
        self.origins.get(&v).copied().unwrap_or_default()
    }
}
