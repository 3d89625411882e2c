//! Races: a record of the accesses of threads to an element, and what is ordered.
//!
//! Two accesses of different threads to an element conflict if one of them writes, unless both are atomic, or one of
//! them is a [`fehu_imp::Stm::Poll`]: what is polled is one word, which is either the old one or the new one. They are
//! ordered by a barrier of the block, or of the warp, that stands between them, or if both threads have the same lock.
//! Nothing orders blocks, except locks of the device, and where they are counted: the last one to come sees what the
//! others did before.
//!
//! Of the unordered accesses of several threads to an element two are kept: of different blocks if there are such,
//! otherwise of different warps. Whatever conflicts with one of them all conflicts with one of these two.

use fehu_imp::V;
use rustc_hash::FxHashMap;

/// An access, by whom and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) block: u32,
    pub(super) thread: u32,
    pub(super) warp: u32,
    /// How many barriers the block had passed ...
    pub(super) epoch: u32,
    /// ... and its warp.
    pub(super) warp_epoch: u32,
    pub(super) atomic: bool,
    pub(super) lock: Option<Lock>,
    /// The pointer.
    pub(super) var: V,
}

/// A lock that a thread has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Lock {
    /// One of the device, for all blocks.
    Device(u64),
    /// An element that guards code of the threads of a block: its block, array and address.
    Guard(u32, u32, i64),
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Does {
    Read,
    Write,
    /// Writes the value that is there already.
    Same,
}

#[derive(Default)]
struct Record {
    reads: [Option<Access>; 2],
    writes: [Option<Access>; 2],
    /// Whether it has been written at all, ...
    written: bool,
    /// ... and whether it has been read as what nobody changes.
    constant: bool,
}

/// The blocks that a block has seen come before it as the last one, and how many barriers each of them had passed then.
pub(super) type Seen = FxHashMap<u32, u32>;

/// The accesses to some memory in one launch.
#[derive(Default)]
pub(super) struct Watch {
    records: FxHashMap<(u32, i64), Record>,
}

impl Watch {
    /// Records an access to an element, by its array and address; the error is an earlier one that conflicts, and
    /// whether that was a write.
    pub(super) fn access(
        &mut self,
        key: (u32, i64),
        what: Does,
        now: Access,
        seen: &Seen,
    ) -> Result<(), (Access, bool)> {
        let record = self.records.entry(key).or_default();
        record.written |= what != Does::Read;
        let conflicts = |old: &Access| !(old.is_before(&now, seen) || old.atomic && now.atomic);
        if what != Does::Read
            && let Some(old) = record.reads.iter().flatten().find(|old| conflicts(old))
        {
            return Err((*old, false));
        }
        let meets = |old: &Access| conflicts(old) && (what != Does::Same || old.atomic);
        if let Some(old) = record.writes.iter().flatten().find(|old| meets(old)) {
            return Err((*old, true));
        }
        match what {
            Does::Read => keep(&mut record.reads, now, seen),
            Does::Write | Does::Same => keep(&mut record.writes, now, seen),
        }
        Ok(())
    }

    /// Notes that an element was read as what nobody changes.
    pub(super) fn constant(&mut self, key: (u32, i64)) {
        self.records.entry(key).or_default().constant = true;
    }

    /// Whether one that was read as what nobody changes is written in the same launch, before or after that.
    pub(super) fn is_changed(&self, key: (u32, i64)) -> bool {
        self.records.get(&key).is_some_and(|record| record.constant && record.written)
    }
}

impl Access {
    /// Whether something orders this access before a later one.
    fn is_before(&self, now: &Access, seen: &Seen) -> bool {
        if self.lock.is_some() && self.lock == now.lock
            || seen.get(&self.block).is_some_and(|epoch| self.epoch <= *epoch)
        {
            return true;
        }
        self.block == now.block
            && (self.thread == now.thread
                || self.epoch < now.epoch
                || self.warp == now.warp && self.warp_epoch < now.warp_epoch)
    }
}

fn keep(kept: &mut [Option<Access>; 2], now: Access, seen: &Seen) {
    for slot in kept.iter_mut() {
        if slot.is_some_and(|old| old.lock.is_none() && old.is_before(&now, seen)) {
            *slot = None;
        }
    }
    match kept {
        [None, _] => kept[0] = Some(now),
        [_, None] => kept[1] = Some(now),
        [Some(a), Some(b)] => {
            let (same_block, same_warp) = (a.block == b.block, a.warp == b.warp);
            if same_block && (now.block != a.block || same_warp && now.warp != a.warp)
                || b.is_before(&now, seen)
            {
                kept[1] = Some(now);
            }
        }
    }
}
