//! Tiles: which positions of a Seg are executed together, because of what they read.

use crate::{Atom, BinOp, Scalar, Var};
use fehu_base::Prim;

/// Positions that are executed together because of what they read. Results do not depend on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tiling {
    /// They read the same elements at each step of a fold.
    Fold(FoldTiling),
    /// They read elements near them.
    Windows(WindowTiling),
}

/// The function of a map consists of a *fold* (a reduction or a loop) of scalars with code around it, and at each step
/// of the fold many positions read the same elements.
///
/// On a device, the threads of a block share what they read, and the map is that over the last dimension of the space.
///
/// ```text
/// seg grid [n] tile [0, 1] ([0], [1]) () ...    a product of matrices: an element of a row and one of a column
/// seg grid [n, k] tile [0, 2] ([0, 1], [1, 2])  a product for each k, between whose rows those of the others are
/// seg grid [] tile [0] ([], []) () ...          all positions read the same elements
/// seg grid [n] tile [1] in 1 ([0]) () ...       all positions of a row do, in a loop around the fold
/// ```
///
/// On a CPU, a thread executes the positions. A tile with two dimensions is one of the operator and of the map that its function
/// is; one with a single dimension consists of neighbours that read neighbouring elements.
///
/// ```text
/// seg thread [] tile [0, 1] ([0], [1]) () ...   a product of matrices
/// seg thread [] tile [0] ([0]) () ...           sums of columns
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoldTiling {
    /// The dimensions over which the positions of a tile extend, in ascending order. That of the operator comes after those of
    /// the space; after it, that of a map inside.
    pub dims: Vec<usize>,
    /// How many loops or reductions there are around the fold: the first one of the function, the first one of its
    /// body, and so on. Only devices have folds inside of others.
    pub loops: usize,
    /// For each element that a step of the fold reads, in the order of the text: the dimensions along which it differs, in
    /// ascending order. The inputs of a reduction come first.
    pub reads: Vec<Vec<usize>>,
}

impl FoldTiling {
    /// With accumulators of more registers of 32 bits than this, a thread of a device has too few for many positions.
    pub const MOST_REGISTERS: u32 = 4;

    /// With fewer rows or columns than this, a tile of a device that is narrow in that direction is faster.
    pub const LEAST_SIDE: i64 = 33;

    /// With fewer, most of such a tile would be empty.
    pub const LEAST_NARROW: i64 = 24;
}

/// Positions of a map on a device that read elements near them: a stencil. A block has the positions of a box, and
/// first copies the elements that these need to shared memory: those of a larger box, with a border. The map is that
/// over the last dimension of the space.
///
/// ```text
/// seg grid [h] window [32, 32] (a[near 0 -4 4 (min m, max 0), near 1 -4 4 (min n, max 0)] x at (y, z)) () \(i: i64) -> ... {
///   ...                                         m and n are the last indices
///   let (y: i64) = add i dy                     the coordinates, where dy and dz are between -4 and 4
///   let (y1: i64) = min m y
///   let (y2: i64) = max y1 0                    the border: what is outside is like the nearest element inside
///   ...
///   let (x: f32) = index a[y2, z2]              the same as the copy of a[y2, z2] in shared memory, which is found by y and z
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WindowTiling {
    /// How many positions the box of a block has along each dimension of the positions.
    pub lengths: Vec<u32>,
    /// What is copied.
    pub windows: Vec<Window>,
}

/// An array of which positions read elements near them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// The array.
    pub array: Var,
    /// For each of its dimensions, where the elements are.
    pub axes: Vec<Axis>,
    /// What is read instead of elements that do not exist, if the reads are branches ([`Guarded`](crate::Guarded)). The
    /// copy has it there, so that nobody needs to ask.
    pub outside: Option<Scalar>,
    /// The elements that are read.
    pub reads: Vec<WindowRead>,
    /// For how many elements there is room, if it is not known before the program runs how many a block copies. If they
    /// are more, there is no copy.
    pub room: Option<u32>,
    /// The branches in which they are read, which ask whether they exist. Where all elements of the copy do, the answer is known.
    pub guards: Vec<Guard>,
}

/// A branch that is taken where elements of a window exist ([`exists`](crate::exists)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The condition, a variable in the function of the Seg ...
    pub cond: Var,
    /// ... and which value it has there.
    pub holds: bool,
}

/// Where elements are along a dimension of their array: a *coordinate* between `low` and `high` from somewhere, from
/// which the index is computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// From where.
    pub from: Origin,
    /// The least distance.
    pub low: Distance,
    /// The largest distance.
    pub high: Distance,
    /// The operations that make an index of a coordinate, one after the other. They cannot fail.
    pub border: Vec<Border>,
}

/// How far something is: a number that may not be known before the program runs, but is the same everywhere.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Distance {
    /// A constant ...
    pub plus: i64,
    /// ... and other numbers of 64 bits, how often each.
    pub terms: Vec<(i64, Atom)>,
}

/// From where distances are measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The index of the position along a dimension.
    Position(usize),
    /// The same everywhere.
    Everywhere(Atom),
}

/// An operation on a number that makes an index of a coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Border {
    /// The number and an operand, which is the same everywhere.
    Op(BinOp, Atom),
    /// A conversion of the number.
    Convert(Prim),
}

/// An element that is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WindowRead {
    /// The variable, in the function of the Seg, that is bound to it.
    pub element: Var,
    /// Its coordinates there, numbers of 32 or 64 bits.
    pub at: Vec<Atom>,
}

impl From<i64> for Distance {
    fn from(plus: i64) -> Distance {
        Distance { plus, terms: Vec::new() }
    }
}

impl Distance {
    /// The sum of two, the second one taken so many times.
    pub fn plus(&self, times: i64, other: &Distance) -> Distance {
        let mut sum = self.clone();
        sum.plus = sum.plus.saturating_add(other.plus.saturating_mul(times));
        for (count, atom) in &other.terms {
            let more = count.saturating_mul(times);
            match sum.terms.iter_mut().find(|(_, other)| other == atom) {
                Some((count, _)) => *count = count.saturating_add(more),
                None => sum.terms.push((more, *atom)),
            }
        }
        sum.terms.retain(|(count, _)| *count != 0);
        sum
    }

    /// The constant, if there is nothing else.
    pub fn known(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.plus)
    }
}

impl WindowTiling {
    /// With fewer elements of a position than this, caches do as well as copies.
    pub const LEAST_READS: u64 = 25;

    /// Each element that is copied is read at least this often.
    pub const LEAST_REUSE: u64 = 4;

    /// Distances are shorter than this, so that sums of them with positions of 30 bits have 32.
    pub const LONGEST: i64 = 1 << 20;
}

impl Axis {
    /// How many coordinates a position has less one.
    pub fn width(&self) -> Distance {
        self.high.plus(-1, &self.low)
    }

    /// The number of coordinates for this many positions.
    pub fn extent(&self, lengths: &[u32]) -> Distance {
        let positions = match self.from {
            Origin::Position(dim) => lengths.get(dim).map_or(1, |length| i64::from(*length)),
            Origin::Everywhere(_) => 1,
        };
        self.width().plus(1, &positions.into())
    }
}

impl Window {
    /// The number of elements that a block with this many positions copies, if that is known.
    pub fn volume(&self, lengths: &[u32]) -> Option<u64> {
        let mut all = 1_u64;
        for axis in &self.axes {
            all = all.saturating_mul(u64::try_from(axis.extent(lengths).known()?).ok()?);
        }
        Some(all)
    }
}
