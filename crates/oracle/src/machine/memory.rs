//! Handles, pointers, and reference counts.

use super::{Machine, Res, wrong};
use crate::heap::store::Mem;
use fehu_ir::Scalar;

/// What a variable has.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) enum Slot {
    /// Nothing yet.
    #[default]
    Unset,
    Scalar(Scalar),
    Handle(Handle),
    /// A pointer; none if it is of an empty handle.
    Pointer(Option<Mem>),
}

/// A handle of a block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Handle {
    /// The block that it keeps alive, if it does that.
    pub(super) block: Option<usize>,
    /// Where its data begin.
    pub(super) start: Option<Mem>,
}

impl Handle {
    /// A handle of no block.
    pub(super) const EMPTY: Handle = Handle { block: None, start: None };

    /// A handle of a whole block.
    pub(super) fn of(block: usize) -> Handle {
        Handle { block: Some(block), start: Some(Mem { block, base: 0 }) }
    }
}

impl Machine<'_> {
    pub(super) fn load(&mut self, from: Option<Mem>, at: i64) -> Res<Scalar> {
        let mem = from.ok_or_else(|| wrong("a load through an empty pointer"))?;
        if self.device.is_some() {
            return Err(wrong("the host loads from the memory of the device"));
        }
        self.store.read(mem, at)
    }

    pub(super) fn store_at(&mut self, to: Option<Mem>, at: i64, value: Scalar) -> Res<()> {
        let mem = to.ok_or_else(|| wrong("a store through an empty pointer"))?;
        if self.device.is_some() {
            return Err(wrong("the host stores to the memory of the device"));
        }
        self.store.write(mem, at, value)
    }

    /// One handle more.
    pub(super) fn retain(&mut self, block: Option<usize>) {
        if let Some(count) = block.and_then(|block| self.references.get_mut(&block)) {
            *count += 1;
        }
    }

    /// One handle less.
    pub(super) fn release(&mut self, block: usize) -> Res<()> {
        let Some(count) = self.references.get_mut(&block) else { return Ok(()) };
        if *count == 0 {
            return Err(wrong("a block is released twice"));
        }
        *count -= 1;
        if *count == 0 {
            match &mut self.device {
                Some(device) => device.end(block),
                None => self.store.end(block),
            }
        }
        Ok(())
    }

    /// A variable's value is gone.
    pub(super) fn drop_slot(&mut self, slot: Slot) -> Res<()> {
        match slot {
            Slot::Handle(Handle { block: Some(block), .. }) => self.release(block),
            Slot::Handle(_) | Slot::Unset | Slot::Scalar(_) | Slot::Pointer(_) => Ok(()),
        }
    }
}

/// A pointer some elements further.
pub(super) fn moved(mem: Option<Mem>, by: i64) -> Option<Mem> {
    mem.map(|mem| Mem { block: mem.block, base: mem.base.wrapping_add(by) })
}
