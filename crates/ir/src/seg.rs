//! Segs: operators of which it is decided who executes them.

use crate::{Atom, Body, Exp, Lambda, Stm, Var};

/// One operator at every position of a space, executed by the threads of a level.
///
/// The function's parameters are the indices of a position, one for each dimension of the space, and then the elements of the
/// inputs there, which are arrays with at least these dimensions. Its last statement is the operator, whose
/// results it returns (an unused scalar result may be left out); the statements before it are cheap and cannot fail, because every thread that takes part
/// in the operator executes them. The statement binds arrays of the results, with the space as their outer dimensions.
///
/// The positions of the operator itself belong to the space as well: a `seg` without dimensions around a map is just that
/// map, and one with a dimension around a reduction is a segmented reduction.
///
/// As for [`Screma`](crate::Screma), an input may be an accumulator, and inputs may be consumed.
///
/// ```text
/// let (ss: [n]i32) = seg grid [n] (xss) \(i: i64, xs: [m]i32) -> (i32) {
///   let (s: i32) = screma m (xs) map ... red ...
///   in (s)
/// }
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Seg {
    /// Who executes the operator.
    pub level: Level,
    /// The sizes of the space, outermost first.
    pub space: Vec<Atom>,
    /// Arrays whose outer dimensions are those of the space.
    pub inputs: Vec<Var>,
    /// Applied at each position.
    pub body: Lambda,
    /// What positions read in common, if threads are to share it.
    pub tiling: Option<Tiling>,
}

/// Positions whose threads share what they read: the function of a map over the last dimension of the space consists of a
/// *fold* (a reduction or a loop) of scalars with code around it, and at each step of the fold many positions read the same elements.
/// Results do not depend on it.
///
/// ```text
/// seg grid [n] tile [0, 1] ([0], [1]) () ...    a product of matrices: an element of a row and one of a column
/// seg grid [] tile [0] ([], []) () ...          all positions read the same elements
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tiling {
    /// The dimensions over which the positions of a tile extend, in ascending order. That of the operator is the last one.
    pub dims: Vec<usize>,
    /// For each element that a step of the fold reads, in the order of the text: the dimensions along which it differs, in
    /// ascending order. The inputs of a reduction come first.
    pub reads: Vec<Vec<usize>>,
}

/// Who executes an operator. What is in the functions of an operator without a level is sequential.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Level {
    /// The threads of a CPU: ranges of positions are tasks.
    Task,
    /// A device: a kernel, with a thread for each position, or whatever suits the operator.
    Grid,
    /// A device: a kernel with a block of threads for each position of a map.
    Blocks,
    /// The threads of one block, inside of [`Level::Blocks`].
    Block,
}

impl Level {
    /// All levels.
    pub const ALL: &[Level] = &[Level::Task, Level::Grid, Level::Blocks, Level::Block];

    /// Its word in the text.
    pub fn name(self) -> &'static str {
        match self {
            Level::Task => "task",
            Level::Grid => "grid",
            Level::Blocks => "blocks",
            Level::Block => "block",
        }
    }

    /// The level with this word.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.iter().copied().find(|level| level.name() == name)
    }

    /// Whether a Seg of this level may stand in the functions of one of another level; without one, outside of all.
    pub fn within(self, outer: Option<Level>) -> bool {
        match (self, outer) {
            (Level::Task, None | Some(Level::Task)) => true,
            (Level::Grid | Level::Blocks, None) => true,
            (Level::Block, Some(Level::Blocks)) => true,
            (Level::Task | Level::Grid | Level::Blocks, Some(_)) => false,
            (Level::Block, None | Some(Level::Task | Level::Grid | Level::Block)) => false,
        }
    }
}

impl Seg {
    /// The operator, and the statements before it; none if there is none, which the verifier refuses.
    pub fn op(&self) -> Option<(&Stm, &[Stm])> {
        self.body.body.stms.split_last()
    }

    /// The parameters of the function that are the indices.
    pub fn indices(&self) -> &[Var] {
        self.body.params.get(..self.space.len()).unwrap_or(&[])
    }

    /// The parameters of the function that are elements of the inputs.
    pub fn elements(&self) -> &[Var] {
        self.body.params.get(self.space.len()..).unwrap_or(&[])
    }

    /// Whether an expression can be the operator of a Seg: it has functions, or makes an array in a way that many threads
    /// can share.
    pub fn takes(exp: &Exp) -> bool {
        matches!(
            exp,
            Exp::Screma(_)
                | Exp::Hist(_)
                | Exp::Scatter(_)
                | Exp::Partition(_)
                | Exp::Replicate(..)
                | Exp::Iota(..)
                | Exp::Copy(_)
                | Exp::Manifest(_)
                | Exp::Concat(..)
        )
    }

    /// Which results of the operator the function returns, by number.
    pub fn returned(body: &Body) -> Option<Vec<usize>> {
        let pat = &body.stms.last()?.pat;
        let place = |result: &Atom| pat.iter().position(|var| Atom::Var(*var) == *result);
        body.results.iter().map(place).collect()
    }
}
