//! What a thread of a kernel does, up to the next place where it waits for others.

use super::code::{Code, Op, shown};
use super::memory::{Array, width};
use super::schedule::Team;
use super::watch::{Access, Does, Lock};
use super::{Ptr, World};
use crate::heap::Fault;
use crate::machine::exp::{Env, eval, failed, int, truth};
use crate::machine::{Res, wrong};
use fehu_base::Prim;
use fehu_imp::device::DEVICE;
use fehu_imp::{Exp, From, Lane, Space, Ty, V};
use fehu_interp::scalar;
use fehu_ir::{Elem, Scalar};

/// What a variable has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    Unset,
    Scalar(Scalar),
    /// Nothing, if it is the pointer of an empty handle.
    Ptr(Option<Ptr>),
}

/// The state of a thread.
pub(super) struct Thread {
    pub(super) number: u32,
    /// The next operation.
    pub(super) at: usize,
    pub(super) state: State,
    slots: Vec<Slot>,
    /// The bounds of the loops that it is in.
    bounds: Vec<i64>,
    /// What it is about to exchange.
    exchanged: Vec<Option<(V, i64)>>,
    locals: Vec<Option<Array>>,
    locks: Vec<Lock>,
    /// In a shuffle: the thread that it asks, and what it tells others.
    given: Option<(u32, Scalar)>,
    /// Where its block is counted: the counter, and how many come there.
    pub(super) arrives: Option<(i64, i64)>,
}

/// Whether a thread can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Ready,
    /// At the barrier that is this operation.
    Barrier(usize),
    WarpBarrier(usize),
    Ended,
}

impl Thread {
    pub(super) fn new(code: &Code, captured: &[Slot], block: u32, number: u32) -> Thread {
        let mut slots = vec![Slot::Unset; code.vars.len()];
        for ((_, v), slot) in code.captured.iter().zip(captured) {
            slots[v.0 as usize] = *slot;
        }
        slots[code.block.0 as usize] = Slot::Scalar(Scalar::I64(i64::from(block)));
        slots[code.thread.0 as usize] = Slot::Scalar(Scalar::I64(i64::from(number)));
        for (array, (v, ..)) in code.shared.iter().enumerate() {
            let ptr = Ptr { space: Space::Shared, array: array as u32, base: 0 };
            slots[v.0 as usize] = Slot::Ptr(Some(ptr));
        }
        Thread {
            number,
            at: 0,
            state: State::Ready,
            slots,
            bounds: vec![0; code.loops],
            exchanged: vec![None; code.exchanges],
            locals: (0..code.locals).map(|_| None).collect(),
            locks: Vec::new(),
            given: None,
            arrives: None,
        }
    }

    /// What it tells others, and whom it asks, in a shuffle that all threads of its warp have come to.
    pub(super) fn given(&self) -> Option<(u32, Scalar)> {
        self.given
    }

    /// It has been told.
    pub(super) fn told(&mut self, v: V, value: Scalar) {
        self.slots[v.0 as usize] = Slot::Scalar(value);
        self.given = None;
    }
}

/// A thread that is running.
pub(super) struct Run<'x> {
    pub(super) code: &'x Code,
    pub(super) world: &'x mut World,
    pub(super) team: &'x mut Team,
    pub(super) thread: &'x mut Thread,
}

impl Env for Run<'_> {
    fn scalar(&self, v: V) -> Res<Scalar> {
        match self.thread.slots[v.0 as usize] {
            Slot::Scalar(Scalar::Unit) => {
                Err(self.wrong(format!("{} is an element that nobody wrote", self.name(v))))
            }
            Slot::Scalar(scalar) => Ok(scalar),
            // Addresses are compared.
            Slot::Ptr(Some(ptr)) => {
                let array = u64::from(ptr.array) << 34 | (ptr.space as u64) << 32;
                Ok(Scalar::U64((array << 20).wrapping_add_signed(ptr.base)))
            }
            other @ (Slot::Unset | Slot::Ptr(None)) => Err(self.unexpected(v, other)),
        }
    }

    fn load(&mut self, p: V, index: i64) -> Res<Scalar> {
        self.read(p, index, false)
    }

    fn undefined(&self, exp: &Exp, prim: Prim) -> Res<Scalar> {
        match self.world.failure.is_some() || self.world.left {
            true => Ok(Scalar::zero(prim)),
            false => Err(Fault::Undefined(format!("no result: {exp:?}"))),
        }
    }
}

impl Run<'_> {
    /// Runs the thread until it waits, or lets others go first.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others need no thread")]
    pub(super) fn run(&mut self) -> Res<()> {
        loop {
            self.world.step()?;
            let at = self.thread.at;
            self.thread.at += 1;
            let code = self.code;
            match &code.ops[at] {
                Op::Declare(v, e) => {
                    let slot = match e {
                        // A copy of what is not set is not set.
                        Some(Exp::Var(other)) => self.thread.slots[other.0 as usize],
                        // An element may be stored somewhere else later.
                        Some(Exp::Load(from, at)) if !self.is_tolerant() => {
                            let at = int(self, at)?;
                            Slot::Scalar(self.moved(*from, at)?)
                        }
                        Some(e) => Slot::Scalar(eval(self, e)?),
                        None => Slot::Unset,
                    };
                    self.thread.slots[v.0 as usize] = slot;
                }
                Op::Local(v, number, prim, count) => {
                    self.thread.locals[*number] = Some(Array::new(*prim, i64::from(*count)));
                    let ptr = Ptr { space: Space::Own, array: *number as u32, base: 0 };
                    self.thread.slots[v.0 as usize] = Slot::Ptr(Some(ptr));
                }
                Op::Assign(v, e) => {
                    let value = eval(self, e)?;
                    self.assign(*v, value)?;
                }
                Op::Store(p, index, e) => {
                    let value = match e {
                        Exp::Load(from, at) => {
                            let at = int(self, at)?;
                            self.moved(*from, at)?
                        }
                        Exp::Var(v) if self.is_unwritten(*v) => Scalar::Unit,
                        e => eval(self, e)?,
                    };
                    let index = int(self, index)?;
                    self.write(*p, index, value, false)?;
                }
                Op::Point(p, from, index) => self.point(*p, *from, index)?,
                Op::Copy { to, from, count } => {
                    let (target, source) = (int(self, &to.1)?, int(self, &from.1)?);
                    for k in 0..int(self, count)? {
                        self.world.step()?;
                        let value = self.moved(from.0, source + k)?;
                        self.write(to.0, target + k, value, false)?;
                    }
                }
                Op::Jump(to) => self.thread.at = *to,
                Op::Unless(cond, to) => {
                    if !truth(self, cond)? {
                        self.thread.at = *to;
                    }
                }
                Op::Switch(on, cases, default) => {
                    let on = eval(self, on)?;
                    let chosen = cases.iter().find(|(value, _)| *value == on);
                    self.thread.at = chosen.map_or(*default, |(_, to)| *to);
                }
                Op::Begin(var, from, to, number) => {
                    let (from, to) = (eval(self, from)?, int(self, to)?);
                    self.thread.slots[var.0 as usize] = Slot::Unset;
                    self.thread.bounds[*number] = to;
                    self.count_with(*var, scalar::to_i64(from))?;
                }
                Op::Test(var, number, to) => {
                    let value = int(self, &Exp::Var(*var))?;
                    if value >= self.thread.bounds[*number] {
                        self.thread.at = *to;
                    }
                }
                Op::Step(var, step) => {
                    let value = int(self, &Exp::Var(*var))?;
                    self.count_with(*var, value.checked_add(*step))?;
                }
                Op::Assert(cond, message, to) => {
                    if truth(self, cond)? {
                        self.thread.at = *to;
                    } else {
                        let fault = failed(self, message);
                        self.world.fail(fault)?;
                    }
                }
                Op::Leave(to) => {
                    self.world.left = true;
                    self.thread.at = *to;
                }
                Op::Atomic(op, p, index, e) => {
                    let (value, index) = (eval(self, e)?, int(self, index)?);
                    let old = self.read(*p, index, true)?;
                    let new = scalar::binop(op.bin_op(), old, value)
                        .ok_or_else(|| wrong("an atomic operation has operands of wrong types"))?;
                    self.write(*p, index, new, true)?;
                    if self.yields() {
                        return Ok(());
                    }
                }
                Op::Lock(number) => {
                    let number = int(self, number)? as u64 & 0xffff;
                    if self.wait_for(Lock::Device(number), at) || self.yields() {
                        return Ok(());
                    }
                }
                Op::Guard(p, index) => {
                    let index = int(self, index)?;
                    let free = self.read(*p, index, true)?;
                    let (ptr, address) = self.address(*p, index)?;
                    if free != Scalar::I32(0) && !self.is_tolerant() {
                        return Err(self.wrong(format!(
                            "{}[{index}], which guards a block, is {free:?} at first",
                            self.name(*p)
                        )));
                    }
                    let array = ptr.array << 2 | ptr.space as u32;
                    let lock = Lock::Guard(self.team.block, array, address);
                    if self.wait_for(lock, at) || self.yields() {
                        return Ok(());
                    }
                }
                Op::Unlock => {
                    if let Some(lock) = self.thread.locks.pop() {
                        self.world.locks.remove(&lock);
                        self.world.progress += 1;
                    }
                }
                Op::Old { ptr, index, old, number } => {
                    let index = int(self, index)?;
                    let found = self.read(*ptr, index, true)?;
                    self.thread.slots[old.0 as usize] = Slot::Scalar(found);
                    self.thread.exchanged[*number] = Some((*ptr, index));
                    if self.yields() {
                        return Ok(());
                    }
                }
                Op::New { old, new, number, back } => {
                    let new = eval(self, new)?;
                    let old_value = self.scalar(*old)?;
                    let Some((ptr, index)) = self.thread.exchanged[*number] else {
                        return Err(wrong("an exchange of nothing"));
                    };
                    let found = self.read(ptr, index, true)?;
                    if new.bits() == old_value.bits() {
                        // Nothing to exchange.
                    } else if found.bits() == old_value.bits() {
                        self.write(ptr, index, new, true)?;
                    } else {
                        self.thread.slots[old.0 as usize] = Slot::Scalar(found);
                        self.thread.at = *back;
                    }
                }
                Op::Poll(v, p, index) => {
                    let index = int(self, index)?;
                    let value = self.peek(*p, index)?;
                    self.assign(*v, value)?;
                    return Ok(());
                }
                Op::Count(v, p, index) => {
                    let index = int(self, index)?;
                    let Scalar::I32(old) = self.read(*p, index, true)? else {
                        return Err(wrong("something else than an i32 is counted"));
                    };
                    self.write(*p, index, Scalar::I32(old.wrapping_add(1)), true)?;
                    self.assign(*v, Scalar::I32(old))?;
                    if self.yields() {
                        return Ok(());
                    }
                }
                Op::Arrive(_, counter, of) => {
                    self.thread.arrives = Some((int(self, counter)?, int(self, of)?));
                    self.thread.state = State::Barrier(at);
                    return Ok(());
                }
                Op::Barrier => {
                    self.thread.state = State::Barrier(at);
                    return Ok(());
                }
                Op::WarpBarrier => {
                    self.thread.state = State::WarpBarrier(at);
                    return Ok(());
                }
                Op::Shuffle(_, lane, by, of) => {
                    let (by, value) = (int(self, by)?, eval(self, of)?);
                    self.thread.given = Some((self.asked(*lane, by)?, value));
                    self.thread.state = State::WarpBarrier(at);
                    return Ok(());
                }
                Op::Warp(to) => {
                    if self.thread.number >= self.world.warp {
                        self.thread.at = *to;
                    }
                }
                Op::End => {
                    self.thread.state = State::Ended;
                    self.world.progress += 1;
                    return Ok(());
                }
            }
        }
    }

    /// The number of the thread that a lane is.
    fn asked(&self, lane: Lane, by: i64) -> Res<u32> {
        let own = i64::from(self.thread.number % DEVICE.warp);
        let found = match lane {
            Lane::Down => own.saturating_add(by),
            Lane::Up => own.saturating_sub(by),
            Lane::At => by,
        };
        let first = self.thread.number - self.thread.number % DEVICE.warp;
        match u32::try_from(found).ok().filter(|found| *found < DEVICE.warp) {
            Some(found) => Ok(first + found),
            None if lane != Lane::At && by >= 0 => Ok(self.thread.number),
            None => Err(self.wrong(format!("there is no lane {} {by}", lane.name()))),
        }
    }

    /// Now and then others go first.
    fn yields(&mut self) -> bool {
        self.world.below(4) == 0
    }

    /// Takes a lock; if another thread has it, this operation is repeated.
    fn wait_for(&mut self, lock: Lock, at: usize) -> bool {
        if !self.world.locks.insert(lock) {
            self.thread.at = at;
            return true;
        }
        self.thread.locks.push(lock);
        self.world.progress += 1;
        false
    }

    fn count_with(&mut self, var: V, value: Option<i64>) -> Res<()> {
        let Ty::Scalar(prim) = self.code.vars[var].ty else {
            return Err(wrong("a loop counts with something else than a scalar"));
        };
        let value = value.and_then(|value| scalar::convert(prim, Scalar::I64(value)));
        let value =
            value.ok_or_else(|| wrong("a loop counts with something else than integers"))?;
        self.thread.slots[var.0 as usize] = Slot::Scalar(value);
        Ok(())
    }

    fn assign(&mut self, v: V, value: Scalar) -> Res<()> {
        let Ty::Scalar(prim) = self.code.vars[v].ty else {
            return Err(self.wrong(format!("{} is no scalar", self.name(v))));
        };
        if value.elem() != Elem::Prim(prim) {
            return Err(self.wrong(format!("{value:?} is assigned to {}, a {prim}", self.name(v))));
        }
        self.thread.slots[v.0 as usize] = Slot::Scalar(value);
        Ok(())
    }

    fn point(&mut self, p: V, from: From, index: &Exp) -> Res<()> {
        let by = int(self, index)?.wrapping_mul(width(self.elem(p)));
        let start = match from {
            From::Ptr(q) => match self.thread.slots[q.0 as usize] {
                Slot::Ptr(ptr) => ptr,
                other @ (Slot::Unset | Slot::Scalar(_)) => return Err(self.unexpected(q, other)),
            },
            From::Shared => match self.team.dynamic {
                Some(array) => Some(Ptr { space: Space::Shared, array, base: 0 }),
                None => return Ok(()),
            },
            From::Mem(_) => return Err(self.wrong("a kernel has a handle".to_owned())),
        };
        let moved = start.map(|ptr| Ptr { base: ptr.base.wrapping_add(by), ..ptr });
        self.thread.slots[p.0 as usize] = Slot::Ptr(moved);
        Ok(())
    }

    /// The type of the elements of a pointer or array.
    fn elem(&self, p: V) -> Prim {
        match self.code.vars[p].ty {
            Ty::Scalar(prim) | Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => prim,
            Ty::Mem => Prim::U8,
        }
    }

    fn address(&self, p: V, index: i64) -> Res<(Ptr, i64)> {
        match self.thread.slots[p.0 as usize] {
            Slot::Ptr(Some(ptr)) => {
                let at = index.checked_mul(width(self.elem(p)));
                let at = at.and_then(|at| at.checked_add(ptr.base));
                Ok((ptr, at.unwrap_or(-1)))
            }
            other @ (Slot::Ptr(None) | Slot::Unset | Slot::Scalar(_)) => {
                Err(self.unexpected(p, other))
            }
        }
    }

    fn array(&mut self, ptr: Ptr) -> Option<&mut Array> {
        let number = ptr.array as usize;
        match ptr.space {
            Space::Global => self.world.arrays.get_mut(number).and_then(Option::as_mut),
            Space::Shared => self.team.arrays.get_mut(number),
            Space::Own => self.thread.locals.get_mut(number).and_then(Option::as_mut),
        }
    }

    /// An element that is stored somewhere else, and nothing more: whoever reads it there finds out that nobody wrote it.
    fn moved(&mut self, p: V, index: i64) -> Res<Scalar> {
        let value = self.found(p, index)?;
        self.watch(p, index, Does::Read, false)?;
        Ok(value)
    }

    /// Whether a variable has an element that nobody wrote.
    fn is_unwritten(&self, v: V) -> bool {
        matches!(self.thread.slots[v.0 as usize], Slot::Scalar(Scalar::Unit))
    }

    /// The element, whoever may be writing it.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only a unit stands for what was not written"
    )]
    fn peek(&mut self, p: V, index: i64) -> Res<Scalar> {
        match self.found(p, index)? {
            Scalar::Unit if self.is_tolerant() => Ok(Scalar::from_bits(self.elem(p), NONSENSE)),
            Scalar::Unit => {
                Err(self.wrong(format!("{}[{index}] is read, and nobody wrote it", self.name(p))))
            }
            value => Ok(value),
        }
    }

    /// The element, or the unit if nobody wrote it.
    fn found(&mut self, p: V, index: i64) -> Res<Scalar> {
        let prim = self.elem(p);
        let (ptr, at) = self.address(p, index)?;
        let found = match self.array(ptr) {
            Some(array) => array.get(at, prim),
            None => Err("is in memory that has been freed".to_owned()),
        };
        found.map_err(|why| self.wrong(format!("{}[{index}] {why}", self.name(p))))
    }

    fn read(&mut self, p: V, index: i64, atomic: bool) -> Res<Scalar> {
        let value = self.peek(p, index)?;
        self.watch(p, index, Does::Read, atomic)?;
        Ok(value)
    }

    fn write(&mut self, p: V, index: i64, value: Scalar, atomic: bool) -> Res<()> {
        let prim = self.elem(p);
        if value.elem() != Elem::Prim(prim) && value != Scalar::Unit {
            return Err(self.wrong(format!("{}[{index}] becomes {value:?}", self.name(p))));
        }
        let (ptr, at) = self.address(p, index)?;
        let done = match self.array(ptr) {
            Some(array) => match array.get(at, prim) {
                Ok(old) => array.set(at, prim, value).map(|()| old),
                // Memory for anything may be used again for elements of another type.
                Err(why) => array.set(at, prim, value).map_err(|_| why).map(|()| Scalar::Unit),
            },
            None => Err("is in memory that has been freed".to_owned()),
        };
        match done {
            Ok(old) => {
                let same = old.elem() == value.elem() && old.bits() == value.bits();
                self.world.progress += u64::from(ptr.space != Space::Own);
                self.watch(p, index, if same { Does::Same } else { Does::Write }, atomic)
            }
            Err(why) => Err(self.wrong(format!("{}[{index}] {why}", self.name(p)))),
        }
    }

    fn watch(&mut self, p: V, index: i64, does: Does, atomic: bool) -> Res<()> {
        let (ptr, at) = self.address(p, index)?;
        if ptr.space == Space::Own || self.is_tolerant() {
            return Ok(());
        }
        let (team, thread) = (&mut *self.team, &*self.thread);
        let warp = thread.number / self.world.warp;
        let now = Access {
            block: team.block,
            thread: thread.number,
            warp,
            epoch: team.epoch,
            warp_epoch: team.warp_epochs[warp as usize],
            atomic,
            lock: thread.locks.last().copied(),
            var: p,
        };
        let watch = match ptr.space {
            Space::Shared => &mut team.watch,
            Space::Global | Space::Own => &mut self.world.watch,
        };
        let key = (ptr.array, at);
        if does == Does::Read && self.code.read_only.contains(&p) {
            watch.constant(key);
        }
        let accessed = watch.access(key, does, now, &team.seen);
        if watch.is_changed(key) {
            return Err(self.wrong(format!(
                "{}[{index}] is an element that the launch reads through a read-only pointer, and writes",
                self.name(p)
            )));
        }
        accessed.map_err(|(old, wrote)| {
            let does = match does {
                Does::Read => "reads",
                Does::Write | Does::Same => "writes",
            };
            let did = if wrote { "wrote" } else { "read" };
            let other = self.name(old.var);
            self.wrong(format!(
                "a race: it {does} {}[{index}], which thread {} of block {} {did} as {other}; nothing orders them",
                self.name(p), old.thread, old.block
            ))
        })
    }

    /// Whether a check has failed: then what is computed is of no use, but still has to be in bounds.
    fn is_tolerant(&self) -> bool {
        self.world.failure.is_some() || self.world.left
    }

    fn name(&self, v: V) -> String {
        shown(&self.code.vars, v)
    }

    fn wrong(&self, message: String) -> Fault {
        wrong(format!(
            "kernel {}: thread {} of block {}: {message}",
            self.world.kernel, self.thread.number, self.team.block
        ))
    }

    fn unexpected(&self, v: V, found: Slot) -> Fault {
        self.wrong(format!("{} is {found:?}", self.name(v)))
    }
}

/// A number that nobody expects.
const NONSENSE: u64 = 0x5bad_c0de_5bad_c0de;
