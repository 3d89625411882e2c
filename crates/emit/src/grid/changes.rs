//! What a kernel changes in a way that depends on what was there.
//!
//! Threads that allocate may run short of memory; the kernel is then tried again with more (`fehu-device`). What a
//! thread wrote until then is written again, which does no harm unless the new value depends on the old one:
//! contributions to accumulators and histograms, and elements that are replaced by values computed from them. The
//! kernel lists the memory where this may be so, and the host restores it.

use super::super::Emit;
use super::bin;
use fehu_base::Prim;
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Arg, Exp, Extent, From, Stm, V};
use fehu_ir::{BinOp, CmpOp};
use fehu_mem::lmad::Lmad;
use fehu_mem::table::{BlockId, Origin};
use rustc_hash::{FxHashMap, FxHashSet};

impl Emit<'_> {
    /// What the body of a kernel changes, of the memory that exists outside of it.
    pub(super) fn changes(&self, body: &[Stm]) -> Vec<Extent> {
        let mut may_end = false;
        each_stm(body, &mut |stm| may_end |= matches!(stm, Stm::Alloc(..) | Stm::Call(..)));
        if !may_end {
            return Vec::new();
        }
        let mut accesses = Accesses::default();
        each_stm(body, &mut |stm| accesses.derive(stm));
        each_stm(body, &mut |stm| accesses.note(stm));
        let own = set_vars(body);
        let mut found = Vec::new();
        for (id, block) in self.table.blocks.iter() {
            let Some(mem) = self.blocks.get(&id).filter(|mem| !own.contains(&mem.ptr)) else {
                continue;
            };
            let handles = mem.handle.into_iter().chain([mem.ptr]);
            let (mut read, mut written, mut updated) = (false, false, false);
            for v in handles {
                read |= accesses.read.contains(&v);
                written |= accesses.written.contains(&v);
                updated |= accesses.updated.contains(&v);
            }
            if updated || read && written && !self.is_untouched(id) {
                found.extend(self.extent(mem.ptr, &block.origin));
            }
        }
        found
    }

    /// Whether a block has just been allocated, so that nothing is in it.
    fn is_untouched(&self, id: BlockId) -> bool {
        let Some(mem) = self.blocks.get(&id) else { return false };
        let is_allocation =
            |stm: &Stm| matches!(stm, Stm::Alloc(handle, ..) if Some(*handle) == mem.handle);
        let Some(at) = self.out.iter().rposition(is_allocation) else { return false };
        let mut used = false;
        for stm in &self.out[at + 1..] {
            let is_point = matches!(stm, Stm::Point(ptr, From::Mem(_), _) if *ptr == mem.ptr);
            if !is_point {
                each_stm(std::slice::from_ref(stm), &mut |stm| {
                    stm.each_used(&mut |v| used |= v == mem.ptr || Some(v) == mem.handle);
                });
            }
        }
        !used
    }

    fn extent(&self, ptr: V, origin: &Origin) -> Option<Extent> {
        match origin {
            Origin::Fresh { size, .. } => {
                let count = size.iter().fold(Exp::int(1), |count, size| self.product(count, *size));
                Some(Extent { ptr, first: Exp::int(0), count })
            }
            Origin::Carried(var) => self.place(*var).map(|place| self.extent_of(ptr, &place.lmad)),
            Origin::Unused => None,
        }
    }

    /// All elements between the first and the last of an LMAD.
    fn extent_of(&self, ptr: V, lmad: &Lmad) -> Extent {
        let (mut first, mut reach) = (self.poly(&lmad.offset), Exp::int(1));
        for dim in &lmad.dims {
            let last = bin(BinOp::Sub, self.poly(&dim.size), Exp::int(1));
            let span = bin(BinOp::Mul, last, self.poly(&dim.stride));
            first = bin(BinOp::Add, first, bin(BinOp::Min, span.clone(), Exp::int(0)));
            let span = Exp::Un(fehu_ir::UnOp::Abs, Prim::I64, Box::new(span));
            reach = bin(BinOp::Add, reach, span);
        }
        let is_some =
            Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::int(0)), Box::new(self.count(lmad)));
        let either = |some: Exp| Exp::Select(Box::new([is_some.clone(), some, Exp::int(0)]));
        Extent { ptr, first: either(first), count: either(reach) }
    }
}

/// Through which variables of the outside a kernel accesses memory.
#[derive(Default)]
struct Accesses {
    /// For handles and pointers of the kernel, what they may be derived from.
    from: FxHashMap<V, Vec<V>>,
    read: FxHashSet<V>,
    written: FxHashSet<V>,
    /// Atomically changed.
    updated: FxHashSet<V>,
}

impl Accesses {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others derive nothing")]
    fn derive(&mut self, stm: &Stm) {
        let mut add = |to: V, from: V| self.from.entry(to).or_default().push(from);
        match stm {
            Stm::Point(to, From::Mem(from) | From::Ptr(from), _) | Stm::Share(to, from) => {
                add(*to, *from);
            }
            Stm::Export { to, block, ptr, .. } => {
                block.iter().chain([ptr]).for_each(|from| add(*to, *from));
            }
            Stm::Call(_, results, args) => {
                for (result, arg) in results.iter().flat_map(|v| args.iter().map(move |a| (v, a))) {
                    if let Arg::Mem { block, ptr, .. } = arg {
                        block.iter().chain([ptr]).for_each(|from| add(*result, *from));
                    }
                }
            }
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others write nothing")]
    fn note(&mut self, stm: &Stm) {
        stm.each_exp(&mut |exp| self.loads(exp));
        match stm {
            Stm::Store(ptr, ..) => self.written.extend(roots(&self.from, *ptr)),
            Stm::Copy { to, from, .. } => {
                self.written.extend(roots(&self.from, to.0));
                self.read.extend(roots(&self.from, from.0));
            }
            Stm::Poll(_, ptr, _) => self.read.extend(roots(&self.from, *ptr)),
            Stm::Atomic(_, ptr, ..) | Stm::Count(_, ptr, _) | Stm::Exchange { ptr, .. } => {
                self.updated.extend(roots(&self.from, *ptr));
            }
            Stm::Call(_, _, args) => {
                for arg in args {
                    if let Arg::Mem { ptr, .. } = arg {
                        self.read.extend(roots(&self.from, *ptr));
                        self.written.extend(roots(&self.from, *ptr));
                    }
                }
            }
            _ => {}
        }
    }

    fn loads(&mut self, exp: &Exp) {
        if let Exp::Load(ptr, _) = exp {
            self.read.extend(roots(&self.from, *ptr));
        }
        exp.each_child(&mut |child| self.loads(child));
    }
}

/// Everything that a handle or pointer may be derived from, and itself.
fn roots(from: &FxHashMap<V, Vec<V>>, v: V) -> Vec<V> {
    let mut found = vec![v];
    let mut next = 0;
    while let Some(at) = found.get(next) {
        for other in from.get(at).into_iter().flatten() {
            if !found.contains(other) {
                found.push(*other);
            }
        }
        next += 1;
    }
    found
}
