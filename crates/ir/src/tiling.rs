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

/// The function of a map consists of a *fold* (a reduction or a loop) of scalars with code around it, and at each step of the fold many
/// positions read the same elements.
///
/// On a device, the threads of a block share what they read, and the map is that over the last dimension of the space.
///
/// ```text
/// seg grid [n] tile [0, 1] ([0], [1]) () ...    a product of matrices: an element of a row and one of a column
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
    /// How many loops or reductions there are around the fold: the first one of the function, the first one of its body, and so on.
    /// Only devices have folds inside of others.
    pub loops: usize,
    /// For each element that a step of the fold reads, in the order of the text: the dimensions along which it differs, in
    /// ascending order. The inputs of a reduction come first.
    pub reads: Vec<Vec<usize>>,
}

impl FoldTiling {
    /// With accumulators of more registers of 32 bits than this, a thread of a device has too few for many positions.
    pub const MOST_REGISTERS: u32 = 4;
}

/// Positions of a map on a device that read elements near them: a stencil. A block has the positions of a box, and first copies the elements that
/// these need to shared memory: those of a larger box, with a border. The map is that over the last dimension of the space.
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
    /// What is read instead of elements that do not exist, if the reads are branches ([`Guarded`](crate::Guarded)). The copy has it there, so that
    /// nobody needs to ask.
    pub outside: Option<Scalar>,
    /// The elements that are read.
    pub reads: Vec<WindowRead>,
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

/// Where elements are along a dimension of their array: a *coordinate* between `low` and `high` from somewhere, from which the index is computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// From where.
    pub from: Origin,
    /// The least distance.
    pub low: i64,
    /// The largest distance.
    pub high: i64,
    /// The operations that make an index of a coordinate, one after the other. They cannot fail.
    pub border: Vec<Border>,
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

impl Axis {
    /// The number of coordinates for this many positions.
    pub fn extent(&self, lengths: &[u32]) -> u64 {
        let positions = match self.from {
            Origin::Position(dim) => lengths.get(dim).map_or(1, |length| u64::from(*length)),
            Origin::Everywhere(_) => 1,
        };
        positions.saturating_add(self.high.abs_diff(self.low))
    }
}

impl Window {
    /// The number of elements that a block with this many positions copies.
    pub fn volume(&self, lengths: &[u32]) -> u64 {
        let extents = self.axes.iter().map(|axis| axis.extent(lengths));
        extents.fold(1, u64::saturating_mul)
    }
}
