//! Kernels that follow one another become one: each launch costs the host and the device some microseconds, which is
//! more than small kernels take.
//!
//! - Kernels of one thread: that thread executes the code of both, one after the other.
//! - Kernels that have nothing to do with each other: the blocks of the second have their numbers after those of the
//!   first. Neither writes what the other accesses ([`Owners`] knows that), and their code is short and needs no memory
//!   that a block shares, so that the blocks of one do not pay for what the other needs.
//!
//! What the host does between them it does before both: only computations, and allocations of blocks that the first does not use.

use super::owners::Owners;
use fehu_base::{IdVec, Prim};
use fehu_imp::rewrite::{Vars, rename};
use fehu_imp::visit::{Item, each_stm, free_vars};
use fehu_imp::{Block, Exp, Fun, Kernel, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, CmpOp};
use rustc_hash::FxHashSet;

/// The most statements of a kernel that is merged with an independent one.
const SHORT: usize = 30;

/// The most statements of a kernel of one thread.
const LONG: usize = 400;

/// The most variables of the host that a kernel uses: each is an argument.
const ARGUMENTS: usize = 40;

/// Merges kernels of a function.
pub(super) fn merge(fun: &mut Fun) {
    let owners = Owners::of(fun);
    let mut body = std::mem::take(&mut fun.body);
    block(&mut body, &owners, &mut fun.vars);
    fun.body = body;
}

fn block(stms: &mut Block, owners: &Owners, vars: &mut IdVec<V, VarInfo>) {
    let mut out = Block::with_capacity(stms.len());
    // Where the last kernel is, if nothing after it keeps it there.
    let mut last: Option<usize> = None;
    for mut stm in stms.drain(..) {
        if let Stm::Launch(second) = &stm {
            let merged = last.and_then(|at| {
                let Stm::Launch(first) = &out[at] else { return None };
                Some((at, merged(first, second, owners, vars)?))
            });
            if let Some((at, mut both)) = merged {
                out.remove(at);
                out.append(&mut both);
            } else {
                out.push(stm);
            }
            last = Some(out.len() - 1);
            continue;
        }
        if let Some(Stm::Launch(kernel)) = last.map(|at| &out[at])
            && !goes_before(&stm, kernel, owners, vars)
        {
            last = None;
        }
        stm.each_block_mut(&mut |inner| block(inner, owners, vars));
        out.push(stm);
    }
    *stms = out;
}

/// Whether the host may execute a statement before a kernel that it comes after.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have to do with the device")]
fn goes_before(stm: &Stm, kernel: &Kernel, owners: &Owners, vars: &IdVec<V, VarInfo>) -> bool {
    let used = used(kernel);
    let mut sets = false;
    stm.each_set(&mut |v| sets |= used.contains(&v));
    stm.each_declared(&mut |v| sets |= used.contains(&v));
    !sets
        && match stm {
            Stm::Comment(_)
            | Stm::Begin(_)
            | Stm::End
            | Stm::Declare(..)
            | Stm::Assign(..)
            | Stm::Point(..)
            | Stm::Blocks(_)
            | Stm::Tuning(..) => true,
            // It may give back a block that the handle has had.
            Stm::Alloc(handle, ..) => pointers(kernel, vars)
                .iter()
                .all(|p| owners.roots.get(p).is_some_and(|root| root != handle)),
            _ => false,
        }
}

/// The variables of the host that a kernel uses.
fn used(kernel: &Kernel) -> FxHashSet<V> {
    let mut used: FxHashSet<V> = free_vars(&kernel.body).into_iter().collect();
    kernel.blocks.each_var(&mut |v| {
        used.insert(v);
    });
    used
}

/// What the host does instead of two launches, if they can be one.
fn merged(
    first: &Kernel,
    second: &Kernel,
    owners: &Owners,
    vars: &mut IdVec<V, VarInfo>,
) -> Option<Block> {
    let simple = |k: &Kernel| k.shared.is_none() && k.changes.is_empty() && !k.by_block;
    let arguments = used(first).union(&used(second)).count();
    if !simple(first) || !simple(second) || arguments > ARGUMENTS {
        return None;
    }
    let hint = match first.hint == second.hint {
        true => first.hint.clone(),
        false => format!("{}_{}", first.hint, second.hint).into(),
    };
    let place = if first.place.is_empty() { &second.place } else { &first.place };
    let kernel = Kernel { hint, place: place.clone(), ..first.clone() };
    let sizes = [first, second].map(|kernel| size(&kernel.body, vars));
    if first.is_alone() && second.is_alone() && sizes.iter().flatten().sum::<usize>() <= LONG {
        if sizes.contains(&None) {
            return None;
        }
        let mut body = first.body.clone();
        body.extend(renamed(second, first.block, first.thread));
        return Some(vec![Stm::Launch(Box::new(Kernel { body, ..kernel }))]);
    }
    let short = sizes.iter().all(|size| size.is_some_and(|size| size <= SHORT));
    let alike = first.threads == second.threads && first.residents == second.residents;
    if !short || !alike || !are_independent(first, second, owners, vars) {
        return None;
    }
    // The numbers of the second's blocks begin where those of the first end.
    let start = Vars(vars).new_var("start", Ty::Scalar(Prim::I64));
    let own = Vars(vars).like(first.block);
    let at_least = |blocks: &Exp| bin(BinOp::Max, blocks.clone(), Exp::int(0));
    let mut other =
        vec![Stm::Declare(own, Some(bin(BinOp::Sub, Exp::Var(first.block), Exp::Var(start))))];
    other.extend(renamed(second, own, first.thread));
    let is_first =
        Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::Var(first.block)), Box::new(Exp::Var(start)));
    let body = vec![Stm::If(is_first, first.body.clone(), other)];
    let blocks = bin(BinOp::Add, Exp::Var(start), at_least(&second.blocks));
    Some(vec![
        Stm::Declare(start, Some(at_least(&first.blocks))),
        Stm::Launch(Box::new(Kernel { blocks, body, ..kernel })),
    ])
}

fn bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    Exp::Bin(op, Prim::I64, Box::new(a), Box::new(b))
}

/// The code of a kernel, with other variables for the numbers of its blocks and threads.
fn renamed(kernel: &Kernel, block: V, thread: V) -> Block {
    rename(&kernel.body, &|v| match v {
        v if v == kernel.block => Some(block),
        v if v == kernel.thread => Some(thread),
        _ => None,
    })
}

/// The number of statements of a kernel whose threads have nothing to do with each other; None if they have.
fn size(body: &[Stm], vars: &IdVec<V, VarInfo>) -> Option<usize> {
    let (mut count, mut apart) = (0, true);
    each_stm(body, &mut |stm| {
        count += 1;
        apart &= !matches!(
            stm,
            Stm::Barrier
                | Stm::WarpBarrier
                | Stm::Warp(_)
                | Stm::Shuffle { .. }
                | Stm::Arrive { .. }
                | Stm::Poll(..)
                | Stm::Count(..)
                | Stm::Call(..)
                | Stm::Foreign(_)
        );
        stm.each_declared(&mut |v| apart &= !matches!(vars[v].ty, Ty::Shared(..)));
    });
    apart.then_some(count)
}

/// Whether neither of two kernels writes what the other accesses.
fn are_independent(
    first: &Kernel,
    second: &Kernel,
    owners: &Owners,
    vars: &IdVec<V, VarInfo>,
) -> bool {
    let spares = |kernel: &Kernel, other: &Kernel| {
        let (written, others) = (written(kernel, vars), pointers(other, vars));
        pointers(kernel, vars).iter().filter(|p| written.contains(p)).all(|p| {
            let fresh = owners.roots.get(p).filter(|root| owners.fresh.contains(root));
            let differs = |other: &V| {
                owners.roots.get(other).is_some_and(|root| fresh.is_some_and(|own| own != root))
            };
            others.iter().all(differs)
        })
    };
    spares(first, second) && spares(second, first)
}

/// The pointers of the host that a kernel uses.
fn pointers(kernel: &Kernel, vars: &IdVec<V, VarInfo>) -> Vec<V> {
    let used = free_vars(&kernel.body).into_iter();
    used.filter(|v| matches!(vars[*v].ty, Ty::Ptr(..))).collect()
}

/// The pointers of the host through which a kernel may write.
fn written(kernel: &Kernel, vars: &IdVec<V, VarInfo>) -> FxHashSet<V> {
    let mut written = FxHashSet::default();
    each_stm(&kernel.body, &mut |stm| {
        // Whatever a statement uses it may write, or another pointer that is derived from it.
        stm.each_item(&mut |item| {
            if let Item::Use(v) = item
                && matches!(vars[*v].ty, Ty::Ptr(..))
            {
                written.insert(*v);
            }
        });
    });
    written
}
