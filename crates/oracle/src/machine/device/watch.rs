//! Races: a record of the accesses of threads to an element, and what is ordered.
//!
//! Two accesses of different threads to an element conflict if one of them writes, unless both are atomic, or one of
//! them is a [`fehu_imp::Stm::Poll`]: what is polled is one word, which is either the old one or the new one. They are
//! ordered by a barrier of the block, or of the warp, that stands between them, or if both threads have the same lock.
//! Nothing orders blocks, except locks of the device.
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
}

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
    ) -> Result<(), (Access, bool)> {
        let record = self.records.entry(key).or_default();
        let conflicts = |old: &Access| !(old.is_before(&now) || old.atomic && now.atomic);
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
            Does::Read => keep(&mut record.reads, now),
            Does::Write | Does::Same => keep(&mut record.writes, now),
        }
        Ok(())
    }
}

impl Access {
    /// Whether something orders this access before a later one.
    fn is_before(&self, now: &Access) -> bool {
        if self.lock.is_some() && self.lock == now.lock {
            return true;
        }
        self.block == now.block
            && (self.thread == now.thread
                || self.epoch < now.epoch
                || self.warp == now.warp && self.warp_epoch < now.warp_epoch)
    }
}

fn keep(kept: &mut [Option<Access>; 2], now: Access) {
    for slot in kept.iter_mut() {
        if slot.is_some_and(|old| old.lock.is_none() && old.is_before(&now)) {
            *slot = None;
        }
    }
    match kept {
        [None, _] => kept[0] = Some(now),
        [_, None] => kept[1] = Some(now),
        [Some(a), Some(b)] => {
            let (same_block, same_warp) = (a.block == b.block, a.warp == b.warp);
            if same_block && (now.block != a.block || same_warp && now.warp != a.warp)
                || b.is_before(&now)
            {
                kept[1] = Some(now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(block: u32, thread: u32, epoch: u32) -> Access {
        let warp = thread / 32;
        let (atomic, lock, var) = (false, None, V(0));
        Access { block, thread, warp, epoch, warp_epoch: 0, atomic, lock, var }
    }

    #[test]
    fn threads_of_a_block_are_ordered_by_its_barriers_only() {
        let mut watch = Watch::default();
        assert!(watch.access((0, 0), Does::Write, by(0, 1, 0)).is_ok());
        assert!(watch.access((0, 0), Does::Read, by(0, 1, 0)).is_ok());
        assert!(watch.access((0, 8), Does::Read, by(0, 2, 0)).is_ok());
        let (old, wrote) = watch.access((0, 0), Does::Read, by(0, 2, 0)).expect_err("a race");
        assert_eq!((old.thread, wrote), (1, true));
        assert!(watch.access((0, 0), Does::Read, by(0, 2, 1)).is_ok());
        assert!(watch.access((0, 0), Does::Read, by(1, 2, 1)).is_err());
    }

    #[test]
    fn a_write_meets_any_of_many_reads() {
        let mut watch = Watch::default();
        for thread in 0..96 {
            assert!(watch.access((0, 0), Does::Read, by(0, thread, 3)).is_ok());
        }
        for writer in [0, 1, 31, 32, 95] {
            assert!(watch.access((0, 0), Does::Write, by(0, writer, 3)).is_err());
        }
        // A warp that has met orders its own reads, and not those of others.
        let later = Access { warp_epoch: 1, ..by(0, 5, 3) };
        assert!(watch.access((0, 0), Does::Write, later).is_err());
        assert!(watch.access((0, 0), Does::Write, by(0, 5, 4)).is_ok());
    }

    #[test]
    fn atomic_accesses_meet_each_other_and_locks_exclude() {
        let mut watch = Watch::default();
        let atomic = |block, thread| Access { atomic: true, ..by(block, thread, 0) };
        assert!(watch.access((0, 0), Does::Write, atomic(0, 0)).is_ok());
        assert!(watch.access((0, 0), Does::Write, atomic(1, 0)).is_ok());
        assert!(watch.access((0, 0), Does::Read, atomic(2, 0)).is_ok());
        assert!(watch.access((0, 0), Does::Read, by(2, 0, 0)).is_err());
        let locked = |block, lock| Access { lock: Some(Lock::Device(lock)), ..by(block, 0, 0) };
        assert!(watch.access((1, 0), Does::Write, locked(0, 7)).is_ok());
        assert!(watch.access((1, 0), Does::Write, locked(1, 7)).is_ok());
        assert!(watch.access((1, 0), Does::Write, locked(2, 8)).is_err());
    }

    #[test]
    fn several_may_write_the_same() {
        let mut watch = Watch::default();
        assert!(watch.access((0, 0), Does::Write, by(0, 0, 0)).is_ok());
        assert!(watch.access((0, 0), Does::Same, by(1, 0, 0)).is_ok());
        assert!(watch.access((0, 0), Does::Write, by(2, 0, 0)).is_err());
    }
}
