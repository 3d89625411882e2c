//! What is a race between threads of a device, and what is not.

#[expect(dead_code, reason = "the machine uses all of it")]
#[path = "../src/machine/device/watch.rs"]
mod watch;

use fehu_imp::V;
use watch::{Access, Does, Lock, Seen, Watch};

fn by(block: u32, thread: u32, epoch: u32) -> Access {
    let warp = thread / 32;
    let (atomic, lock, var) = (false, None, V(0));
    Access { block, thread, warp, epoch, warp_epoch: 0, atomic, lock, var }
}

#[test]
fn threads_of_a_block_are_ordered_by_its_barriers_only() {
    let mut watch = Watch::default();
    assert!(watch.access((0, 0), Does::Write, by(0, 1, 0), &Seen::default()).is_ok());
    assert!(watch.access((0, 0), Does::Read, by(0, 1, 0), &Seen::default()).is_ok());
    assert!(watch.access((0, 8), Does::Read, by(0, 2, 0), &Seen::default()).is_ok());
    let (old, wrote) =
        watch.access((0, 0), Does::Read, by(0, 2, 0), &Seen::default()).expect_err("a race");
    assert_eq!((old.thread, wrote), (1, true));
    assert!(watch.access((0, 0), Does::Read, by(0, 2, 1), &Seen::default()).is_ok());
    assert!(watch.access((0, 0), Does::Read, by(1, 2, 1), &Seen::default()).is_err());
}

#[test]
fn a_write_meets_any_of_many_reads() {
    let mut watch = Watch::default();
    for thread in 0..96 {
        assert!(watch.access((0, 0), Does::Read, by(0, thread, 3), &Seen::default()).is_ok());
    }
    for writer in [0, 1, 31, 32, 95] {
        assert!(watch.access((0, 0), Does::Write, by(0, writer, 3), &Seen::default()).is_err());
    }
    // A warp that has met orders its own reads, and not those of others.
    let later = Access { warp_epoch: 1, ..by(0, 5, 3) };
    assert!(watch.access((0, 0), Does::Write, later, &Seen::default()).is_err());
    assert!(watch.access((0, 0), Does::Write, by(0, 5, 4), &Seen::default()).is_ok());
}

#[test]
fn atomic_accesses_meet_each_other_and_locks_exclude() {
    let mut watch = Watch::default();
    let atomic = |block, thread| Access { atomic: true, ..by(block, thread, 0) };
    assert!(watch.access((0, 0), Does::Write, atomic(0, 0), &Seen::default()).is_ok());
    assert!(watch.access((0, 0), Does::Write, atomic(1, 0), &Seen::default()).is_ok());
    assert!(watch.access((0, 0), Does::Read, atomic(2, 0), &Seen::default()).is_ok());
    assert!(watch.access((0, 0), Does::Read, by(2, 0, 0), &Seen::default()).is_err());
    let locked = |block, lock| Access { lock: Some(Lock::Device(lock)), ..by(block, 0, 0) };
    assert!(watch.access((1, 0), Does::Write, locked(0, 7), &Seen::default()).is_ok());
    assert!(watch.access((1, 0), Does::Write, locked(1, 7), &Seen::default()).is_ok());
    assert!(watch.access((1, 0), Does::Write, locked(2, 8), &Seen::default()).is_err());
}

#[test]
fn several_may_write_the_same() {
    let mut watch = Watch::default();
    assert!(watch.access((0, 0), Does::Write, by(0, 0, 0), &Seen::default()).is_ok());
    assert!(watch.access((0, 0), Does::Same, by(1, 0, 0), &Seen::default()).is_ok());
    assert!(watch.access((0, 0), Does::Write, by(2, 0, 0), &Seen::default()).is_err());
}

#[test]
fn the_last_of_several_blocks_comes_after_the_others() {
    let mut watch = Watch::default();
    assert!(watch.access((0, 0), Does::Write, by(1, 0, 2), &Seen::default()).is_ok());
    let mut seen = Seen::default();
    seen.insert(1, 1);
    // What it wrote after it came.
    assert!(watch.access((0, 0), Does::Read, by(3, 0, 5), &seen).is_err());
    seen.insert(1, 2);
    assert!(watch.access((0, 0), Does::Read, by(3, 0, 5), &seen).is_ok());
}
