//! What layouts cost: estimates, in passes over an array by threads whose neighbours read and write neighbouring elements.
//!
//! A transaction of a device's memory has 32 bytes, and if the elements of neighbouring threads are not neighbours, each of them
//! needs one of its own; caches keep a part of the rest until it is needed.

use fehu_ir::{Atom, Elem, Scalar};

/// One pass.
pub(super) const PASS: u64 = 16;

/// A copy in another order reads and writes each element once.
pub(super) const COPY: u64 = 2 * PASS;

/// How often a loop is repeated that nothing is known about.
pub(super) const LOOP: u64 = 8;

/// No loop counts for more.
pub(super) const MOST: u64 = 1 << 12;

/// Arrays with fewer elements than this are not worth a kernel that copies them.
pub(super) const FEWEST: i64 = 4096;

/// How much longer so many passes take if the elements of neighbouring threads are rows of this shape apart.
pub(super) fn apart(elem: Elem, row: &[Atom], passes: u64) -> u64 {
    let Elem::Prim(prim) = elem else { return 0 };
    let bytes = u64::from(prim.bits()).div_ceil(8);
    let factor = match bytes {
        0..=2 => 4,
        3..=4 => 3,
        _ => 2,
    };
    // Rows that fit into a transaction are in the cache when their next element is read.
    let row_bytes = size(row).map(|count| count.saturating_mul(bytes));
    match row_bytes {
        Some(bytes) if !row.is_empty() && bytes <= 16 => 0,
        Some(bytes) if !row.is_empty() && bytes <= 32 => factor * passes / 2,
        _ => factor * passes,
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
    size(shape).is_some_and(|count| count < FEWEST as u64)
}
