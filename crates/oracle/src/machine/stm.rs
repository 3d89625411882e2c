//! What statements do.

use super::device::elem;
use super::memory::{Handle, Slot, moved};
use super::{Frame, Machine, Res, wrong};
use crate::heap::store::{Mem, Mode};
use fehu_base::Prim;
use fehu_imp::{Arg, Block, Exp, From, Kind, RedOp, Stm, Tasks, Ty, V};
use fehu_interp::scalar;
use fehu_ir::Scalar;

/// The maximum number of threads and chunks.
const MOST: u64 = 4;

impl<'a> Machine<'a> {
    /// Statements; local arrays end with them.
    pub(super) fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Res<()> {
        let before = frame.locals.len();
        for stm in block {
            self.stm(frame, stm)?;
        }
        for local in frame.locals.drain(before..) {
            self.store.end(local);
        }
        Ok(())
    }

    fn stm(&mut self, frame: &mut Frame<'a>, stm: &'a Stm) -> Res<()> {
        self.store.step()?;
        match stm {
            Stm::Comment(_) | Stm::Trace(..) | Stm::TraceArray(..) | Stm::Begin(_) | Stm::End => {
                Ok(())
            }
            Stm::Declare(v, value) => self.declare(frame, *v, value.as_ref()),
            Stm::Assign(v, e) => {
                let value = self.exp(frame, e)?;
                self.assign(frame, *v, value)
            }
            Stm::Store(p, index, e) => {
                let value = self.exp(frame, e)?;
                let index = self.int(frame, index)?;
                self.store_at(frame.pointer(*p)?, index, value)
            }
            Stm::Alloc(v, prim, count) => {
                let count = self.int(frame, count)?;
                let handle = self.allocate(*prim, count)?;
                self.set_handle(frame, *v, handle)
            }
            Stm::Share(to, from) => {
                let handle = frame.handle(*from)?;
                self.retain(handle.block);
                self.set_handle(frame, *to, handle)
            }
            Stm::Export { to, block, ptr, index } => {
                let block = match block {
                    Some(block) => frame.handle(*block)?.block,
                    None => None,
                };
                let index = self.offset(frame, *ptr, index)?;
                self.retain(block);
                let start = moved(frame.pointer(*ptr)?, index);
                self.set_handle(frame, *to, Handle { block, start })
            }
            Stm::Free(v) => self.set_handle(frame, *v, Handle::EMPTY),
            Stm::Point(p, from, index) => {
                let index = self.offset(frame, *p, index)?;
                let start = match from {
                    From::Mem(v) => frame.handle(*v)?.start,
                    From::Ptr(v) => frame.pointer(*v)?,
                    From::Shared => return Err(wrong("the host has no shared memory")),
                };
                self.own(frame, *p)?;
                frame.slots[*p] = Slot::Pointer(moved(start, index));
                Ok(())
            }
            Stm::Copy { to, from, count } => self.copy(frame, to, from, count),
            Stm::If(cond, yes, no) => {
                let block = if self.truth(frame, cond)? { yes } else { no };
                self.block(frame, block)
            }
            Stm::Switch(on, cases, default) => {
                let on = self.exp(frame, on)?;
                let chosen = cases.iter().find(|(value, _)| *value == on);
                self.block(frame, chosen.map_or(default, |(_, block)| block))
            }
            Stm::For { var, from, to, step, kind, body } => {
                let (from, to) = (self.exp(frame, from)?, self.int(frame, to)?);
                self.for_(frame, (*var, from, to, *step), kind, body)
            }
            Stm::While(cond, body) => {
                while self.truth(frame, cond)? {
                    self.store.step()?;
                    self.block(frame, body)?;
                }
                Ok(())
            }
            Stm::Call(fun, results, args) => {
                let mut passed = Vec::with_capacity(args.len());
                for arg in args {
                    passed.push(self.arg(frame, arg)?);
                }
                let values = self.function(*fun, passed)?;
                results.iter().zip(values).try_for_each(|(v, slot)| self.receive(frame, *v, slot))
            }
            Stm::Foreign(call) => {
                Err(wrong(format!("\"{}\" is a function of another language", call.symbol)))
            }
            Stm::Const(number, results) => self.constant(frame, *number, results),
            Stm::Assert(cond, message) => {
                if self.truth(frame, cond)? {
                    Ok(())
                } else {
                    Err(self.failed(frame, message))
                }
            }
            Stm::Atomic(op, p, index, e) => {
                let (value, index) = (self.exp(frame, e)?, self.int(frame, index)?);
                let mode = self.store.set_mode(Mode::Contribution);
                let old = self.load(frame.pointer(*p)?, index)?;
                let new = scalar::binop(op.bin_op(), old, value)
                    .ok_or_else(|| wrong("an atomic operation has operands of wrong types"))?;
                let stored = self.store_at(frame.pointer(*p)?, index, new);
                self.store.restore_mode(mode);
                stored
            }
            Stm::Prefixes(op, array, sum) => self.prefixes(frame, *op, *array, *sum),
            Stm::Locked(number, body) => {
                self.int(frame, number)?;
                let mode = self.store.set_mode(Mode::Contribution);
                let result = self.block(frame, body);
                self.store.restore_mode(mode);
                result
            }
            Stm::Exchange { ptr, index, old, body, new } => {
                let index = self.int(frame, index)?;
                let mode = self.store.set_mode(Mode::Contribution);
                let result = self.exchange(frame, (*ptr, index), *old, body, new);
                self.store.restore_mode(mode);
                result
            }
            Stm::Guarded(p, index, body) => {
                let index = self.int(frame, index)?;
                let mode = self.store.set_mode(Mode::Contribution);
                let free = self.load(frame.pointer(*p)?, index)? == Scalar::I32(0);
                let result = match free {
                    true => self.block(frame, body),
                    false => Err(wrong("what guards a block is not zero at first")),
                };
                self.store.restore_mode(mode);
                result
            }
            Stm::Tasks(tasks) => self.tasks(frame, tasks),
            Stm::Chunks(v, _, total) => {
                self.int(frame, total)?;
                let chunks = 1 + self.below(MOST);
                self.assign(frame, *v, Scalar::I64(chunks as i64))
            }
            Stm::Threads(v) => {
                let threads = 1 + self.below(MOST);
                self.assign(frame, *v, Scalar::I64(threads as i64))
            }
            Stm::Blocks(v) => {
                let blocks = 1 + self.below(MOST);
                self.assign(frame, *v, Scalar::I64(blocks as i64))
            }
            Stm::Launch(kernel) => self.launch(frame, kernel),
            Stm::Fetch(v, p, index) => {
                let value = self.fetch(frame, *p, index)?;
                self.assign(frame, *v, value)
            }
            Stm::Ask(p, index) => self.ask(frame, *p, index),
            Stm::Receive(v) => {
                let value = self.receive_asked()?;
                self.assign(frame, *v, value)
            }
            Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Shuffle { .. }
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Arrive { .. }
            | Stm::Leave
            | Stm::Section(_) => Err(wrong("the host does what only kernels can do")),
            Stm::Tuning(v, number, standard) => {
                let name = &self.code.tuning[*number].name;
                let value = match self.device.as_ref().and_then(|device| device.tuning(name)) {
                    Some(value) => Scalar::I64(value),
                    None => self.exp(frame, standard)?,
                };
                self.assign(frame, *v, value)
            }
        }
    }

    fn prefixes(&mut self, frame: &mut Frame<'a>, op: RedOp, array: V, sum: V) -> Res<()> {
        let Ty::Local(_, size) = frame.fun.vars[array].ty else {
            return Err(wrong("prefixes of something that is no local array"));
        };
        let pointer = frame.pointer(array)?;
        let mut so_far = self.exp(frame, &Exp::Var(sum))?;
        for index in 0..i64::from(size) {
            let next = scalar::binop(op.bin_op(), so_far, self.load(pointer, index)?);
            so_far = next.ok_or_else(|| wrong("prefixes of something that is no number"))?;
            self.store_at(pointer, index, so_far)?;
        }
        self.assign(frame, sum, so_far)
    }

    fn exchange(
        &mut self,
        frame: &mut Frame<'a>,
        (ptr, index): (V, i64),
        old: V,
        body: &'a Block,
        new: &Exp,
    ) -> Res<()> {
        frame.declared[old] = self.levels;
        frame.slots[old] = Slot::Scalar(self.load(frame.pointer(ptr)?, index)?);
        self.block(frame, body)?;
        let value = self.exp(frame, new)?;
        self.store_at(frame.pointer(ptr)?, index, value)
    }

    fn declare(&mut self, frame: &mut Frame<'a>, v: V, value: Option<&Exp>) -> Res<()> {
        let slot = match frame.fun.vars[v].ty {
            // Declared once: in a loop it keeps its block.
            Ty::Mem => {
                if frame.slots[v] == Slot::Unset {
                    frame.owned.push(v);
                    frame.declared[v] = self.levels;
                    frame.slots[v] = Slot::Handle(Handle::EMPTY);
                }
                return Ok(());
            }
            Ty::Local(..) | Ty::Shared(..) if self.device.is_some() => {
                return Err(wrong("the host of a device has an array of its own"));
            }
            Ty::Local(prim, count) | Ty::Shared(prim, count) => {
                let block = self.store.fresh(prim, count.into())?;
                frame.locals.push(block);
                Slot::Pointer(Some(Mem { block, base: 0 }))
            }
            Ty::Ptr(..) => Slot::Unset,
            Ty::Scalar(_) => match value {
                Some(value) => Slot::Scalar(self.exp(frame, value)?),
                None => Slot::Unset,
            },
        };
        frame.declared[v] = self.levels;
        frame.slots[v] = slot;
        Ok(())
    }

    /// Whether a variable may be changed here: it belongs to the current task and iteration.
    fn own(&mut self, frame: &Frame<'a>, v: V) -> Res<()> {
        if frame.declared[v] == self.levels {
            return Ok(());
        }
        let hint = &frame.fun.vars[v].hint;
        Err(wrong(format!("\"{hint}\" (variable {}) belongs to what is around", v.0)))
    }

    fn assign(&mut self, frame: &mut Frame<'a>, v: V, value: Scalar) -> Res<()> {
        self.own(frame, v)?;
        let Ty::Scalar(prim) = frame.fun.vars[v].ty else {
            return Err(wrong("an assignment to something else than a scalar"));
        };
        if value.elem() != prim.into() {
            return Err(wrong(format!("{value:?} is assigned to a variable of type {prim}")));
        }
        frame.slots[v] = Slot::Scalar(value);
        Ok(())
    }

    /// Replaces a handle by another one; the old one is released.
    fn set_handle(&mut self, frame: &mut Frame<'a>, v: V, handle: Handle) -> Res<()> {
        self.own(frame, v)?;
        let old = std::mem::replace(&mut frame.slots[v], Slot::Handle(handle));
        self.drop_slot(old)
    }

    fn copy(&mut self, frame: &Frame<'a>, to: &(V, Exp), from: &(V, Exp), count: &Exp) -> Res<()> {
        let prim = elem(frame.fun.vars[to.0].ty);
        let target = self.offset(frame, to.0, &to.1)?;
        let source = self.offset(frame, from.0, &from.1)?;
        let count = self.int(frame, count)?;
        if count <= 0 {
            return Ok(());
        }
        let (to, from) =
            (moved(frame.pointer(to.0)?, target), moved(frame.pointer(from.0)?, source));
        if self.device.is_some() {
            return self.device_copy((to, from), prim, count);
        }
        if let (Some(to), Some(from)) = (to, from)
            && to.block == from.block
            && to.base != from.base
            && (to.base - from.base).abs() < count
        {
            return Err(wrong("the source and the target of a copy overlap"));
        }
        for at in 0..count {
            let value = self.load(from, at)?;
            self.store_at(to, at, value)?;
        }
        Ok(())
    }

    fn arg(&mut self, frame: &Frame<'a>, arg: &Arg) -> Res<Slot> {
        Ok(match arg {
            Arg::Scalar(e) => Slot::Scalar(self.exp(frame, e)?),
            Arg::Mem { block, ptr, index } => {
                let block = match block {
                    Some(block) => frame.handle(*block)?.block,
                    None => None,
                };
                let index = self.offset(frame, *ptr, index)?;
                Slot::Handle(Handle { block, start: moved(frame.pointer(*ptr)?, index) })
            }
        })
    }

    fn receive(&mut self, frame: &mut Frame<'a>, v: V, slot: Slot) -> Res<()> {
        match slot {
            Slot::Scalar(value) => self.assign(frame, v, value),
            Slot::Handle(handle) => self.set_handle(frame, v, handle),
            Slot::Unset | Slot::Pointer(_) => Err(wrong("a function leaves a result unset")),
        }
    }

    fn constant(
        &mut self,
        frame: &mut Frame<'a>,
        number: usize,
        results: &[(usize, V)],
    ) -> Res<()> {
        if self.consts[number].is_none() {
            let fun = self.code.consts[number].fun;
            let mode = self.store.set_mode(Mode::Quiet);
            let levels = std::mem::take(&mut self.levels);
            let values = self.function(fun, Vec::new());
            self.levels = levels;
            self.store.restore_mode(mode);
            self.consts[number] = Some(values?);
        }
        for (result, v) in results {
            let slot = self.consts[number].as_ref().and_then(|slots| slots.get(*result)).copied();
            let slot = slot.ok_or_else(|| wrong("a constant has too few results"))?;
            if let Slot::Handle(handle) = slot {
                self.retain(handle.block);
            }
            self.receive(frame, *v, slot)?;
        }
        Ok(())
    }

    /// An index as a distance of addresses.
    fn offset(&mut self, frame: &Frame<'a>, p: V, index: &Exp) -> Res<i64> {
        let unit = self.unit(elem(frame.fun.vars[p].ty));
        Ok(self.int(frame, index)?.wrapping_mul(unit))
    }

    fn for_(
        &mut self,
        frame: &mut Frame<'a>,
        (var, from, to, step): (V, Scalar, i64, i64),
        kind: &Kind,
        body: &'a Block,
    ) -> Res<()> {
        let (Ty::Scalar(prim), Some(from)) = (frame.fun.vars[var].ty, scalar::to_i64(from)) else {
            return Err(wrong("a loop counts with something else than integers"));
        };
        let mut values: Vec<i64> = Vec::new();
        let mut next = from;
        while next < to {
            self.store.step()?;
            values.push(next);
            next = next.saturating_add(step);
        }
        let Some(reductions) = kind.reductions() else {
            for value in values {
                self.iteration(frame, var, prim, value, body)?;
            }
            return Ok(());
        };
        // Sums of floats depend on the order.
        let is_float =
            |(v, _): &(V, _)| matches!(frame.fun.vars[*v].ty, Ty::Scalar(prim) if prim.is_float());
        if !reductions.iter().any(is_float) {
            self.shuffle(&mut values);
        }
        self.store.enter();
        self.levels += 1;
        let around: Vec<usize> = reductions.iter().map(|(v, _)| frame.declared[*v]).collect();
        for (v, _) in reductions {
            frame.declared[*v] = self.levels;
        }
        for value in values {
            self.store.iteration(value);
            self.iteration(frame, var, prim, value, body)?;
        }
        for ((v, _), level) in reductions.iter().zip(around) {
            frame.declared[*v] = level;
        }
        self.levels -= 1;
        self.store.leave();
        Ok(())
    }

    fn iteration(
        &mut self,
        frame: &mut Frame<'a>,
        var: V,
        prim: Prim,
        value: i64,
        body: &'a Block,
    ) -> Res<()> {
        let value = scalar::convert(prim, Scalar::I64(value));
        frame.declared[var] = self.levels;
        frame.slots[var] = value.map_or(Slot::Unset, Slot::Scalar);
        self.block(frame, body)
    }

    fn tasks(&mut self, frame: &mut Frame<'a>, tasks: &'a Tasks) -> Res<()> {
        let total = self.int(frame, &tasks.total)?.max(0);
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        match tasks.chunks {
            Some(chunks) => {
                let Scalar::I64(chunks) = frame.scalar(chunks)? else {
                    return Err(wrong("a number of chunks is no i64"));
                };
                let grains = (total + tasks.grain - 1) / tasks.grain;
                let cut = |k: i64| (grains * k / chunks * tasks.grain).min(total);
                ranges.extend((0..chunks).map(|k| (cut(k), cut(k + 1))));
            }
            None => {
                let mut low = 0;
                while low < total {
                    let grains = 1 + self.below(4) as i64;
                    let high = (low + grains * tasks.grain).min(total);
                    ranges.push((low, high));
                    low = high;
                }
            }
        }
        let mut order: Vec<i64> = (0..ranges.len() as i64).collect();
        self.shuffle(&mut order);
        self.store.enter();
        self.levels += 1;
        let before = frame.owned.len();
        for k in order {
            self.store.iteration(k);
            let (low, high) = ranges[k as usize];
            for (v, value) in [(tasks.chunk, k), (tasks.low, low), (tasks.high, high)] {
                frame.declared[v] = self.levels;
                frame.slots[v] = Slot::Scalar(Scalar::I64(value));
            }
            self.block(frame, &tasks.body)?;
            for v in frame.owned.drain(before..).collect::<Vec<_>>() {
                let slot = std::mem::take(&mut frame.slots[v]);
                self.drop_slot(slot)?;
            }
        }
        self.levels -= 1;
        self.store.leave();
        Ok(())
    }

    fn shuffle(&mut self, items: &mut [i64]) {
        for at in (1..items.len()).rev() {
            let other = self.below(at as u64 + 1) as usize;
            items.swap(at, other);
        }
    }
}
