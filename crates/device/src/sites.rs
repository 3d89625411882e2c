//! Allocations in kernels and in the functions that they call.

use fehu_base::IdVec;
use fehu_imp::rewrite::{bin, substitute};
use fehu_imp::visit::each_stm;
use fehu_imp::{Arg, Exp, Fun, Kernel, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pieces begin at multiples of this.
const ALIGNMENT: i64 = 16;

/// Who owns an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// A thread, in one piece.
    Thread,
    /// A thread block, whose threads allocate it together.
    Block,
    /// A thread, interleaved with those of its neighbours.
    Interleaved,
}

/// An allocation.
pub(super) struct Site {
    pub(super) handle: V,
    pub(super) prim: Prim,
    pub(super) count: Exp,
    /// Other handles that may hold an earlier result of this allocation.
    pub(super) others: Vec<V>,
    /// Whether these may point into the middle of it.
    pub(super) inner: bool,
    /// Who owns it, and how its elements are laid out.
    pub(super) kind: Owner,
    /// The number of bytes of a piece, if it is known outside.
    pub(super) bytes: Option<Exp>,
}

/// That the first handle may hold what the second one holds.
pub(super) struct Hold {
    pub(super) to: V,
    pub(super) from: V,
    /// Whether it may begin later.
    inner: bool,
}

/// The allocations of a body, in order.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements have no handles that matter")]
pub(super) fn find(
    body: &[Stm],
    vars: &IdVec<V, VarInfo>,
    by_block: bool,
    known: &Known<'_>,
) -> Vec<Site> {
    let holds = holds(body, vars);
    let mut found = Vec::new();
    allocations(body, false, &mut found);
    let own = set_in_sections(body, &|stm| match stm {
        Stm::Alloc(handle, ..) => Some(*handle),
        _ => None,
    });
    let inside = set_in_sections(body, &|stm| match stm {
        Stm::Declare(handle, None) => Some(*handle),
        _ => None,
    });
    let mut sites = Vec::with_capacity(found.len());
    for (handle, prim, count, again) in found {
        let (mut others, mut inner) = (vec![handle], false);
        let mut next = 0;
        while again && let Some(&from) = others.get(next) {
            for hold in holds.iter().filter(|hold| hold.from == from) {
                inner |= hold.inner;
                if !others.contains(&hold.to) {
                    others.push(hold.to);
                }
            }
            next += 1;
        }
        others.remove(0);
        let bytes = known.most(&count).map(|count| piece_bytes(count, prim));
        let kind = if by_block && !own.contains(&handle) { Owner::Block } else { Owner::Thread };
        // Each thread has other handles in its sections, and they are out of use when the block allocates; if they were
        // asked for, the threads would take different pieces.
        if kind == Owner::Block {
            others.retain(|other| !inside.contains(other));
        }
        sites.push(Site { handle, prim, count, others, inner, kind, bytes });
    }
    sites
}

pub(super) fn holds(body: &[Stm], vars: &IdVec<V, VarInfo>) -> Vec<Hold> {
    let mut holds = Vec::new();
    each_stm(body, &mut |stm| match stm {
        Stm::Share(to, from) => holds.push(Hold { to: *to, from: *from, inner: false }),
        Stm::Export { to, block: Some(from), index, .. } => {
            holds.push(Hold { to: *to, from: *from, inner: *index != Exp::int(0) });
        }
        // A result is in the frame of the function, or in an argument.
        Stm::Call(_, results, args) => {
            for to in results.iter().filter(|v| vars[**v].ty == Ty::Mem) {
                for arg in args {
                    if let Arg::Mem { block: Some(from), .. } = arg {
                        holds.push(Hold { to: *to, from: *from, inner: true });
                    }
                }
            }
        }
        Stm::Export { block: None, .. }
        | Stm::Comment(_)
        | Stm::Begin(_)
        | Stm::End
        | Stm::Declare(..)
        | Stm::Assign(..)
        | Stm::Store(..)
        | Stm::Alloc(..)
        | Stm::Free(_)
        | Stm::Point(..)
        | Stm::Copy { .. }
        | Stm::If(..)
        | Stm::Switch(..)
        | Stm::For { .. }
        | Stm::While(..)
        | Stm::Foreign(_)
        | Stm::Const(..)
        | Stm::Assert(..)
        | Stm::Trace(..)
        | Stm::TraceArray(..)
        | Stm::Atomic(..)
        | Stm::Locked(..)
        | Stm::Tasks(_)
        | Stm::Prefixes(..)
        | Stm::Chunks(..)
        | Stm::Tuning(..)
        | Stm::Threads(_)
        | Stm::Blocks(_)
        | Stm::Launch(_)
        | Stm::Fetch(..)
        | Stm::Ask(..)
        | Stm::Receive(_)
        | Stm::Barrier
        | Stm::WarpBarrier
        | Stm::Warp(_)
        | Stm::Shuffle { .. }
        | Stm::Poll(..)
        | Stm::Count(..)
        | Stm::Arrive { .. }
        | Stm::Exchange { .. }
        | Stm::Guarded(..)
        | Stm::Leave
        | Stm::Section(_) => {}
    });
    holds
}

/// The pointers of the handles that allocations ask for, and which must point somewhere from the beginning.
pub(super) fn asked(sites: &[Site], pointers: &FxHashMap<V, V>) -> FxHashSet<V> {
    let others = sites.iter().flat_map(|site| &site.others);
    others.filter_map(|other| pointers.get(other)).copied().collect()
}

/// The handles that the statements of sections allocate or declare.
fn set_in_sections(body: &[Stm], handle: &dyn Fn(&Stm) -> Option<V>) -> FxHashSet<V> {
    let mut found = FxHashSet::default();
    each_stm(body, &mut |stm| {
        if let Stm::Section(section) = stm {
            each_stm(section, &mut |stm| found.extend(handle(stm)));
        }
    });
    found
}

/// All allocations in order, and whether they are in loops.
fn allocations(body: &[Stm], again: bool, found: &mut Vec<(V, Prim, Exp, bool)>) {
    for stm in body {
        if let Stm::Alloc(handle, prim, count) = stm {
            found.push((*handle, *prim, count.clone(), again));
        }
        let again = again || matches!(stm, Stm::For { .. } | Stm::While(..) | Stm::Exchange { .. });
        stm.each_block(&mut |inner| allocations(inner, again, found));
    }
}

/// The number of bytes of a piece with this many elements.
pub(super) fn piece_bytes(count: Exp, prim: Prim) -> Exp {
    let width = i64::from(prim.bits() / 8);
    if let Exp::Const(Scalar::I64(count)) = count
        && let Some(bytes) = count.checked_mul(width)
        && let Some(up) = bytes.checked_add(ALIGNMENT - 1)
    {
        return Exp::int(up & -ALIGNMENT);
    }
    let up = bin(BinOp::Add, bin(BinOp::Mul, count, Exp::int(width)), Exp::int(ALIGNMENT - 1));
    bin(BinOp::And, up, Exp::int(-ALIGNMENT))
}

/// Which values of a body are known outside of it.
pub(super) struct Known<'a> {
    /// The scalars that the body declares, with their values, if they are never assigned.
    values: FxHashMap<V, Option<&'a Exp>>,
}

impl<'a> Known<'a> {
    /// What the host knows of a kernel.
    pub(super) fn of_kernel(kernel: &'a Kernel) -> Known<'a> {
        let mut known = Known { values: FxHashMap::default() };
        known.values.extend([(kernel.block, None), (kernel.thread, None)]);
        known.note(&kernel.body);
        known
    }

    /// What the caller knows of a function.
    pub(super) fn of_function(fun: &'a Fun) -> Known<'a> {
        let mut known = Known { values: FxHashMap::default() };
        known.note(&fun.body);
        known.values.extend(fun.results.iter().map(|result| (*result, None)));
        known
    }

    fn note(&mut self, body: &'a [Stm]) {
        let mut assigned: Vec<V> = Vec::new();
        each_stm(body, &mut |stm| {
            stm.each_set(&mut |v| assigned.push(v));
            stm.each_declared(&mut |v| {
                self.values.insert(v, None);
            });
            if let Stm::Declare(v, Some(e)) = stm {
                self.values.insert(*v, Some(e));
            }
        });
        for v in assigned {
            self.values.insert(v, None);
        }
    }

    /// An upper bound of a number of elements, in terms of what is declared outside. Products of sizes and the minima of sizes
    /// and numbers that are declared outside have one.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others have none, unless they are known"
    )]
    pub(super) fn most(&self, e: &Exp) -> Option<Exp> {
        if let Some(value) = self.value(e) {
            return Some(value);
        }
        match e {
            Exp::Var(v) => self.values.get(v).copied().flatten().and_then(|e| self.most(e)),
            Exp::Bin(BinOp::Min, Prim::I64, a, b) => self.most(a).or_else(|| self.most(b)),
            Exp::Bin(BinOp::Mul, Prim::I64, a, b) => {
                Some(bin(BinOp::Mul, self.most(a)?, self.most(b)?))
            }
            _ => None,
        }
    }

    /// The expression in terms of what is declared outside.
    pub(super) fn value(&self, e: &Exp) -> Option<Exp> {
        if e.any(&|e| matches!(e, Exp::Load(..))) {
            return None;
        }
        let mut known = true;
        let result = substitute(e, &|v| {
            let inner = self.values.get(&v)?;
            inner.and_then(|inner| self.value(inner))
        });
        result.each_var(&mut |v| known &= !self.values.contains_key(&v));
        known.then_some(result)
    }
}
