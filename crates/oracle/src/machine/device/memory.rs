//! The memory of a device: arrays whose elements are written or not.
//!
//! Addresses are bytes from the beginning of an array. An array that was allocated with elements of a type other than
//! `u8` has elements of that type at multiples of their size. An array of `u8` may be memory for anything, as the
//! memory of threads is: each address has the value that was written there last.

use fehu_base::Prim;
use fehu_ir::{Elem, Scalar};
use rustc_hash::FxHashMap;

/// Some memory.
pub(super) struct Array {
    cells: Cells,
    /// In bytes.
    size: i64,
}

enum Cells {
    /// Elements of one type; the unit where nothing was written.
    Typed(Prim, Vec<Scalar>),
    /// What was written, by address.
    Any(FxHashMap<i64, Scalar>),
}

/// The bytes of an element.
pub(super) fn width(prim: Prim) -> i64 {
    i64::from(prim.bits() / 8)
}

impl Array {
    /// Elements that nobody has written.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other types have no cells of their own")]
    pub(super) fn new(prim: Prim, count: i64) -> Array {
        let count = count.max(0);
        let cells = match prim {
            Prim::U8 => Cells::Any(FxHashMap::default()),
            _ => Cells::Typed(prim, vec![Scalar::Unit; count as usize]),
        };
        Array { cells, size: count.saturating_mul(width(prim)) }
    }

    /// The elements of an argument.
    pub(super) fn filled(elements: &[Scalar]) -> Array {
        let prim = match elements.first().map(|element| element.elem()) {
            Some(Elem::Prim(prim)) => prim,
            Some(Elem::Unit) | None => Prim::I64,
        };
        let mut array = Array::new(prim, elements.len() as i64);
        match &mut array.cells {
            Cells::Typed(_, cells) => cells.copy_from_slice(elements),
            Cells::Any(cells) => cells.extend((0..).zip(elements.iter().copied())),
        }
        array
    }

    /// Its size in elements or bytes, for the limit of memory.
    pub(super) fn count(&self) -> usize {
        match &self.cells {
            Cells::Typed(_, cells) => cells.len(),
            Cells::Any(_) => 0,
        }
    }

    /// The element of a type at an address; the unit if nobody has written it. The error says what is wrong.
    pub(super) fn get(&self, at: i64, prim: Prim) -> Result<Scalar, String> {
        self.check(at, prim)?;
        let found = match &self.cells {
            Cells::Typed(_, cells) => cells[(at / width(prim)) as usize],
            Cells::Any(cells) => cells.get(&at).copied().unwrap_or(Scalar::Unit),
        };
        match found.elem() {
            Elem::Unit => Ok(found),
            Elem::Prim(other) if other == prim => Ok(found),
            Elem::Prim(other) => Err(format!("has a value of type {other}")),
        }
    }

    /// The element at an address becomes this one; the unit makes it unwritten again.
    pub(super) fn set(&mut self, at: i64, prim: Prim, value: Scalar) -> Result<(), String> {
        self.check(at, prim)?;
        match &mut self.cells {
            Cells::Typed(_, cells) => cells[(at / width(prim)) as usize] = value,
            Cells::Any(cells) => drop(cells.insert(at, value)),
        }
        Ok(())
    }

    fn check(&self, at: i64, prim: Prim) -> Result<(), String> {
        let width = width(prim);
        if at < 0 || at > self.size - width {
            return Err(format!("is outside of the {} bytes that there are", self.size));
        }
        if at % width != 0 {
            return Err(format!("is not aligned: it is at byte {at}"));
        }
        match self.cells {
            Cells::Typed(other, _) if other != prim => {
                Err(format!("is in memory for elements of type {other}"))
            }
            Cells::Typed(..) | Cells::Any(_) => Ok(()),
        }
    }
}
