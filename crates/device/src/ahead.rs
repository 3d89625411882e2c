//! Loops that the device decides about: what their iterations hand on stays there, and the host does not wait for it.
//!
//! A loop hands on scalars, and a `while` loop the condition under which it goes on. Where these come from kernels, the
//! host would fetch them in each iteration. Instead they have *cells* in the memory of the device: kernels load from
//! there what they need (`defer` sees to that), and a kernel of one thread at the end of an iteration stores what the
//! next one gets.
//!
//! If a condition is in a cell, the host is one iteration *ahead*: it launches an iteration before it knows whether
//! there is one, and then waits for the condition of the one before. All kernels of the loop look at the cell first. In
//! an iteration that should not be, they do nothing, and the host takes back what it has done itself: its handles,
//! pointers and scalars are what they were. An iteration in vain costs as much as the waiting in several, so the host
//! is not ahead in the first few.
//!
//! ```text
//! while go {              next: cell = x, going = go
//!   ... kernel f(x) ...   while on {
//!   y = fetch ...           before = state
//!   x = g(x, y)             ... kernel if going { f(cell) } ...
//!   go = h(y)               next: if going { cell = g(cell, y), going = h(y) }
//! }                         ask going;  on = receive
//!                           if ahead { if !on { state = before } }
//!                           else { turns += 1;  if on && turns == 8 { ask going;  ahead = true } }
//!                         }
//! ```
//!
//! The host does nothing in such a loop that others could see, nor anything that could fail, except for allocations,
//! whose sizes are the same in all iterations: kernels of one thread check what it would, and kernels copy what it
//! would have copied. A loop in which the host itself needs a value of the device stays as it is.

use super::cells::{Cell, Left, declared, depending, each_of_host, fetched, store};
use super::defer;
use super::owners::Owners;
use fehu_base::IdVec;
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::{Vars, bin, rename, substitute};
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Block, Exp, From, Kernel, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// In so many iterations the host is not ahead.
const FIRST_TURNS: i64 = 8;

/// A loop whose scalars stay on the device, if it has any and the host need not know them.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no loops")]
pub(super) fn ahead(stm: &Stm, owners: &mut Owners, vars: &mut IdVec<V, VarInfo>) -> Option<Left> {
    let (body, cond) = match stm {
        Stm::For { body, .. } => (body, None),
        Stm::While(Exp::Var(go), body) => (body, Some(*go)),
        _ => return None,
    };
    if fetched(body).is_empty() {
        return None;
    }
    let carried = carried(body)?;
    let is_ahead = cond.is_some_and(|go| carried.contains(&go));
    let mut body = body.clone();
    if is_ahead {
        leave_copies(&mut body, vars);
        if !is_quiet(&body, true) {
            return None;
        }
    }
    let cells: Vec<Cell> = carried.iter().map(|var| Cell::of(*var, owners, vars)).collect();
    let body = with_cells(&body, &cells, owners, vars);
    let mut body = defer::block(body, owners, vars);
    if is_ahead {
        leave_checks(&mut body, vars);
    }
    if !fetched(&body).is_empty()
        || is_ahead && !(is_quiet(&body, false) && has_constant_sizes(&body))
    {
        return None;
    }
    let going = cells.iter().find(|cell| Some(cell.var) == cond);
    let mut code = Block::new();
    cells.iter().for_each(|cell| cell.make(vars, &mut code));
    let values = cells.iter().map(|cell| (cell, Exp::Var(cell.var))).collect();
    code.push(store("cells", values, vars));
    match (stm, going) {
        (_, Some(going)) => {
            guard(&mut body, going.ptr, vars);
            one_ahead(body, going, vars, &mut code);
        }
        (Stm::For { var, from, to, step, kind, .. }, None) => {
            let (from, to, kind) = (from.clone(), to.clone(), kind.clone());
            code.push(Stm::For { var: *var, from, to, step: *step, kind, body });
        }
        (Stm::While(cond, _), None) => code.push(Stm::While(cond.clone(), body)),
        _ => return None,
    }
    let cells = cells.into_iter().filter(|cell| Some(cell.var) != cond).collect();
    Some(Left { code, cells })
}

/// Whether the host does only what can be taken back, and waits for nothing. In the beginning there may be checks and
/// fetches that are in no other loop, of which nothing must be left.
fn is_quiet(body: &[Stm], in_the_beginning: bool) -> bool {
    body.iter().all(|stm| {
        let mut quiet = match stm {
            Stm::Comment(_)
            | Stm::Begin(_)
            | Stm::End
            | Stm::Declare(..)
            | Stm::Assign(..)
            | Stm::Alloc(..)
            | Stm::Share(..)
            | Stm::Export { .. }
            | Stm::Free(_)
            | Stm::Point(..)
            | Stm::If(..)
            | Stm::Switch(..)
            | Stm::For { .. }
            | Stm::While(..)
            | Stm::Tuning(..)
            | Stm::Blocks(_) => true,
            Stm::Launch(_) => return true,
            Stm::Fetch(..) | Stm::Assert(..) => in_the_beginning,
            Stm::Store(..)
            | Stm::Copy { .. }
            | Stm::Call(..)
            | Stm::Foreign(_)
            | Stm::Const(..)
            | Stm::Trace(..)
            | Stm::TraceArray(..)
            | Stm::Atomic(..)
            | Stm::Locked(..)
            | Stm::Tasks(_)
            | Stm::Prefixes(..)
            | Stm::Chunks(..)
            | Stm::Threads(_)
            | Stm::Ask(..)
            | Stm::Receive(_)
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Shuffle { .. }
            | Stm::Warp(_)
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Arrive { .. }
            | Stm::Exchange { .. }
            | Stm::Guarded(..)
            | Stm::Leave
            | Stm::Section(_) => false,
        };
        let once = in_the_beginning && matches!(stm, Stm::If(..) | Stm::Switch(..));
        stm.each_block(&mut |block| quiet = quiet && is_quiet(block, once));
        quiet
    })
}

/// The scalars from kernels that iterations hand on, in the order in which they are assigned: once each, directly in
/// the body, and nobody needs them after that. None if there are none, or others.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others assign no scalars")]
fn carried(body: &[Stm]) -> Option<Vec<V>> {
    let declared = declared(body);
    let fetched = fetched(body);
    let found = depending(body, fetched.clone());
    if fetched.iter().any(|v| !declared.contains(v)) {
        return None;
    }
    let carried: FxHashSet<V> = found.into_iter().filter(|v| !declared.contains(v)).collect();
    let mut order = Vec::new();
    for (at, stm) in body.iter().enumerate() {
        match stm {
            Stm::Assign(v, _) if carried.contains(v) => {
                let mut used = false;
                each_stm(&body[at + 1..], &mut |stm| {
                    stm.each_used(&mut |u| used |= u == *v);
                    stm.each_set(&mut |u| used |= u == *v);
                });
                if used {
                    return None;
                }
                order.push(*v);
            }
            other => {
                let set = set_vars(std::slice::from_ref(other));
                if set.iter().any(|v| carried.contains(v)) {
                    return None;
                }
            }
        }
    }
    (!order.is_empty() && order.len() == carried.len()).then_some(order)
}

/// The body with cells: what is in them is fetched at the beginning, and a kernel stores what comes next instead of assignments.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others stay as they are")]
fn with_cells(
    body: &[Stm],
    cells: &[Cell],
    owners: &mut Owners,
    vars: &mut IdVec<V, VarInfo>,
) -> Block {
    let mut out = Block::new();
    let mut own: FxHashMap<V, V> = FxHashMap::default();
    for cell in cells {
        let var = Vars(vars).like(cell.var);
        owners.constant.insert(var);
        own.insert(cell.var, var);
        out.extend([Stm::Declare(var, None), Stm::Fetch(var, cell.ptr, Exp::int(0))]);
    }
    let mut next = Vec::new();
    for stm in body {
        match stm {
            Stm::Assign(v, e) if own.contains_key(v) => {
                let e = substitute(e, &|v| own.get(&v).copied().map(Exp::Var));
                let cell = cells.iter().filter(|cell| cell.var == *v);
                next.extend(cell.map(|cell| (cell, e.clone())));
                if next.len() == cells.len() {
                    out.push(store("next", std::mem::take(&mut next), vars));
                }
            }
            other => out.extend(rename(std::slice::from_ref(other), &|v| own.get(&v).copied())),
        }
    }
    out
}

/// Whether an iteration that should not be allocates no more than others.
fn has_constant_sizes(body: &[Stm]) -> bool {
    let declared = declared(body);
    let changing = set_vars(body).into_iter().filter(|v| !declared.contains(v)).collect();
    let changing = depending(body, changing);
    let mut constant = true;
    each_of_host(body, &mut |stm| {
        if let Stm::Alloc(_, _, size) = stm {
            size.each_var(&mut |v| constant &= !changing.contains(&v));
        }
    });
    constant
}

/// Kernels check what the host would: an iteration that should not be must not fail.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others stay as they are")]
fn leave_checks(body: &mut Block, vars: &mut IdVec<V, VarInfo>) {
    for stm in body {
        match stm {
            Stm::Launch(_) => {}
            Stm::Assert(..) => {
                let check = std::mem::replace(stm, Stm::Barrier);
                *stm = Stm::Launch(Box::new(Kernel::alone("check", vars, vec![check])));
            }
            other => other.each_block_mut(&mut |block| leave_checks(block, vars)),
        }
    }
}

/// Kernels copy what the host would: what an iteration that should not be copies cannot be taken back.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others stay as they are")]
fn leave_copies(body: &mut Block, vars: &mut IdVec<V, VarInfo>) {
    for stm in body {
        match stm {
            Stm::Launch(_) => {}
            Stm::Copy { to, from, count } => {
                let kernel = copying(to, from, count, vars);
                *stm = Stm::Launch(Box::new(kernel));
            }
            other => other.each_block_mut(&mut |block| leave_copies(block, vars)),
        }
    }
}

/// A kernel with a thread for each element that is copied.
fn copying(to: &(V, Exp), from: &(V, Exp), count: &Exp, vars: &mut IdVec<V, VarInfo>) -> Kernel {
    let mut kernel = Kernel::alone("copy", vars, Block::new());
    let threads = Exp::int(i64::from(DEVICE.threads));
    let up = bin(BinOp::Add, count.clone(), Exp::int(i64::from(DEVICE.threads) - 1));
    kernel.blocks = bin(BinOp::Quot, up, threads.clone());
    kernel.threads = DEVICE.threads;
    let at = Vars(vars).new_var("at", Ty::Scalar(Prim::I64));
    let before = bin(BinOp::Mul, Exp::Var(kernel.block), threads);
    let number = bin(BinOp::Add, before, Exp::Var(kernel.thread));
    let place = |first: &Exp| bin(BinOp::Add, first.clone(), Exp::Var(at));
    let value = Exp::Load(from.0, Box::new(place(&from.1)));
    let copy = vec![Stm::Store(to.0, place(&to.1), value)];
    let is_there = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::Var(at)), Box::new(count.clone()));
    kernel.body = vec![Stm::Declare(at, Some(number)), Stm::If(is_there, copy, Block::new())];
    kernel
}

/// Kernels do nothing if a cell does not say so.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others stay as they are")]
fn guard(body: &mut Block, going: V, vars: &IdVec<V, VarInfo>) {
    for stm in body {
        match stm {
            Stm::Launch(kernel) => {
                let code = std::mem::take(&mut kernel.body);
                let goes_on = Exp::Load(going, Box::new(Exp::int(0)));
                kernel.body = vec![Stm::If(goes_on, code, Block::new())];
                kernel.hoist_shared(vars);
            }
            other => other.each_block_mut(&mut |block| guard(block, going, vars)),
        }
    }
}

/// The loop, one iteration ahead of what is known.
fn one_ahead(body: Block, going: &Cell, vars: &mut IdVec<V, VarInfo>, code: &mut Block) {
    let declared = declared(&body);
    let mut state: Vec<V> = Vec::new();
    each_of_host(&body, &mut |stm| {
        stm.each_set(&mut |v| {
            if !declared.contains(&v) && !state.contains(&v) {
                state.push(v);
            }
        });
    });
    let saved: Vec<(V, V)> = state.into_iter().map(|v| (v, Vars(vars).like(v))).collect();
    let [on, is_ahead, last] =
        ["on", "is_ahead", "last"].map(|hint| Vars(vars).new_var(hint, Ty::Scalar(Prim::Bool)));
    let turns = Vars(vars).new_var("turns", Ty::Scalar(Prim::I64));
    let ask = || Stm::Ask(going.ptr, Exp::int(0));
    code.extend(saved.iter().map(|(_, saved)| Stm::Declare(*saved, None)));
    code.push(Stm::Declare(on, Some(Exp::Var(going.var))));
    code.push(Stm::Declare(is_ahead, Some(Exp::Const(Scalar::Bool(false)))));
    code.push(Stm::Declare(turns, Some(Exp::int(0))));
    let mut turn: Block = saved.iter().map(|(v, saved)| set(*saved, *v, vars)).collect();
    turn.extend(body);
    turn.extend([ask(), Stm::Receive(on)]);
    let back = saved.iter().map(|(v, saved)| set(*v, *saved, vars)).collect();
    let ends = Exp::Un(UnOp::Not, Prim::Bool, Box::new(Exp::Var(on)));
    let back = vec![Stm::If(ends, back, Block::new())];
    // The answer is the same as before: from now on there is one that nobody has received.
    let begin = vec![ask(), Stm::Assign(is_ahead, Exp::Const(Scalar::Bool(true)))];
    let [done, first] = [Exp::Var(turns), Exp::int(FIRST_TURNS)].map(Box::new);
    let enough = Exp::Cmp(CmpOp::Eq, Prim::I64, done, first);
    let begin = Stm::If(Exp::Var(on), vec![Stm::If(enough, begin, Block::new())], Block::new());
    let count = Stm::Assign(turns, bin(BinOp::Add, Exp::Var(turns), Exp::int(1)));
    turn.push(Stm::If(Exp::Var(is_ahead), back, vec![count, begin]));
    code.push(Stm::While(Exp::Var(on), turn));
    // The iteration that should not have been has a condition, too.
    let rest = vec![Stm::Declare(last, None), Stm::Receive(last)];
    code.push(Stm::If(Exp::Var(is_ahead), rest, Block::new()));
    let handles = saved.iter().filter(|(_, saved)| vars[*saved].ty == Ty::Mem);
    code.extend(handles.map(|(_, saved)| Stm::Free(*saved)));
    code.push(Stm::Free(going.handle));
}

/// Gives a variable what another one has.
fn set(to: V, from: V, vars: &IdVec<V, VarInfo>) -> Stm {
    match vars[to].ty {
        Ty::Mem => Stm::Share(to, from),
        Ty::Ptr(..) => Stm::Point(to, From::Ptr(from), Exp::int(0)),
        Ty::Scalar(_) | Ty::Local(..) | Ty::Shared(..) => Stm::Assign(to, Exp::Var(from)),
    }
}
