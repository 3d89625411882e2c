//! What layouts cost: estimates, in passes over an array by threads whose neighbours read and write neighbouring elements.
//!
//! A transaction of a device's memory has 32 bytes, and if the elements of neighbouring threads are not neighbours, each of them
//! needs one of its own. Caches keep the rest until the thread reads it, if it goes through a row; if its next element is
//! far away, the rest was in vain. A write of a part of a transaction is worse than any read.
//!
//! The factors were measured on an H200, in multiples of a pass over 256 MiB of `f32`, 64 us: 4.4 for rows of 64 or
//! 1024 elements that threads go through (2.3 for `f64`, but 1.5 for rows of 8 elements), 7.5 for columns that blocks
//! read, more than 15 for rows that threads write, and 2.8 for a copy in another order.

use fehu_ir::{Atom, Elem, Scalar};

/// One pass.
pub(super) const PASS: u64 = 16;

/// A copy in another order.
pub(super) const COPY: u64 = 3 * PASS;

/// How often a loop is repeated that nothing is known about.
pub(super) const LOOP: u64 = 8;

/// No loop counts for more.
pub(super) const MOST: u64 = 1 << 12;

/// Arrays with fewer elements than this are not worth a kernel that copies them.
pub(super) const FEWEST: u64 = 4096;

/// What a thread does with elements that are not those beside its neighbours'.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// It reads one after the other.
    Walk,
    /// It reads some.
    Read,
    /// It writes them.
    Write,
}

/// How much longer so many passes take if the elements of neighbouring threads are rows of this shape apart.
pub(super) fn apart(how: Use, elem: Elem, row: &[Atom], passes: u64) -> u64 {
    let Elem::Prim(prim) = elem else { return 0 };
    let bytes = u64::from(prim.bits()).div_ceil(8);
    let longer = match how {
        Use::Walk => 3 * passes,
        Use::Read => 6 * passes,
        Use::Write => 12 * passes,
    };
    let longer = if bytes >= 8 { longer / 2 } else { longer };
    // Rows that fit into a transaction are in the cache when their next element is used.
    match size(row).map(|count| count.saturating_mul(bytes)) {
        Some(bytes) if !row.is_empty() && bytes <= 16 => 0,
        Some(bytes) if !row.is_empty() && bytes <= 32 => longer / 2,
        Some(_) | None => longer,
    }
}

/// The number of elements of a shape, if it is constant.
fn size(shape: &[Atom]) -> Option<u64> {
    shape.iter().try_fold(1u64, |count, size| match size {
        Atom::Const(Scalar::I64(size)) => count.checked_mul(u64::try_from(*size).ok()?),
        Atom::Const(_) | Atom::Var(_) => None,
    })
}

/// Whether an array of this shape is known to be small.
pub(super) fn is_small(shape: &[Atom]) -> bool {
    size(shape).is_some_and(|count| count < FEWEST)
}
