//! Array operators with functions.

use crate::{Atom, Lambda, Var};

/// The one operator for map, reduce and scan.
///
/// For each of `width` positions the `map` function is applied to the elements of the inputs. Its
/// results are, in order: the inputs of the scans, then those of the reductions, then the elements of
/// the plain results. The statement binds: the scanned arrays, the reduced values, the mapped arrays.
///
/// A `map` has no scans and reductions; a `reduce` an identity `map` and nothing else, and so on.
///
/// An input may also be an accumulator: the function gets it at every position and returns it among its
/// plain results, and the statement binds it as it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Screma {
    /// The number of positions.
    pub width: Atom,
    /// Arrays of that outermost size.
    pub inputs: Vec<Var>,
    /// Applied at each position.
    pub map: Lambda,
    /// Prefix combinations.
    pub scans: Vec<Scan>,
    /// Total combinations.
    pub reds: Vec<Red>,
}

impl Screma {
    /// The number of its results that are scanned arrays.
    pub fn scanned(&self) -> usize {
        self.scans.iter().map(|scan| scan.neutral.len()).sum()
    }

    /// The number of its results that are scanned arrays or reduced values.
    pub fn folded(&self) -> usize {
        self.scanned() + self.reds.iter().map(|red| red.neutral.len()).sum::<usize>()
    }
}

/// A scan: an associative operator on tuples of values, and its neutral element.
#[derive(Clone, PartialEq, Debug)]
pub struct Scan {
    /// From two values (all parts of the first, then of the second) to one.
    pub op: Lambda,
    /// The neutral element.
    pub neutral: Vec<Atom>,
}

/// A reduction, likewise.
#[derive(Clone, PartialEq, Debug)]
pub struct Red {
    /// From two values to one.
    pub op: Lambda,
    /// The neutral element.
    pub neutral: Vec<Atom>,
    /// Whether the operator is also commutative.
    pub commutative: bool,
}

/// Histograms: for each position the function yields, for each operator in turn, the indices, and then
/// for each operator in turn the values that are combined into its destinations there. Indices out of
/// bounds are ignored. Consumes the destinations; binds them.
#[derive(Clone, PartialEq, Debug)]
pub struct Hist {
    /// The number of positions.
    pub width: Atom,
    /// Arrays of that outermost size.
    pub inputs: Vec<Var>,
    /// Applied at each position.
    pub map: Lambda,
    /// What is combined where.
    pub ops: Vec<HistOp>,
}

/// A destination of a histogram.
#[derive(Clone, PartialEq, Debug)]
pub struct HistOp {
    /// The number of dimensions that are indexed, and their sizes.
    pub shape: Vec<Atom>,
    /// By how much collisions are likelier than with uniformly distributed indices; a hint.
    pub race_factor: Atom,
    /// The arrays, one for each part of a value.
    pub dests: Vec<Var>,
    /// An associative and commutative operator.
    pub op: Lambda,
    /// Its neutral element.
    pub neutral: Vec<Atom>,
}

/// Parallel writes: for each position the function yields, for each destination in turn, the indices,
/// and then for each destination in turn the value. Writes out of bounds are ignored; different values
/// for one place are the program's mistake. Consumes the destinations; binds them.
#[derive(Clone, PartialEq, Debug)]
pub struct Scatter {
    /// The number of positions.
    pub width: Atom,
    /// Arrays of that outermost size.
    pub inputs: Vec<Var>,
    /// Applied at each position.
    pub map: Lambda,
    /// The arrays, each with the sizes of the dimensions that are indexed.
    pub dests: Vec<(Vec<Atom>, Var)>,
}

/// A computation on chunks of the inputs, which are all cut alike, in any way the compiler likes.
/// The function's parameters are the size of the chunk, the accumulators, and the chunks; its results
/// are the accumulators and the chunks of the array results. Binds the accumulators and the arrays. (The form `Pass` has more
/// parameters, and array results of other sizes.)
#[derive(Clone, PartialEq, Debug)]
pub struct Stream {
    /// The total size.
    pub width: Atom,
    /// Arrays of that outermost size. Those of a pass are only known to have it when they have been read.
    pub inputs: Vec<Var>,
    /// How chunks relate.
    pub form: StreamForm,
    /// The initial accumulators.
    pub init: Vec<Atom>,
    /// Applied to each chunk.
    pub chunk: Lambda,
}

/// How the chunks of a stream relate.
#[derive(Clone, PartialEq, Debug)]
pub enum StreamForm {
    /// They are independent, and there are no accumulators.
    Map,
    /// Every chunk starts from the initial accumulators; their results are combined by the operator,
    /// in order unless it is commutative.
    Red(Lambda, bool),
    /// Every chunk starts from the accumulators of the one before.
    Seq,
    /// A pass over sequences: as `Seq`, but the arrays that a chunk yields have sizes of their own.
    ///
    /// This is what the operators of the module `seq` become, up to one that asks for a value: all of them are in the
    /// one function, which is applied to a chunk at a time, so that only chunks need be in memory. What they carry from
    /// chunk to chunk (the last element of a scan, the beginning of a window, the sum so far) are accumulators. After
    /// the accumulators, the function returns *sinks*: a number, and arrays of that many elements. The pass binds the
    /// sum of the numbers, and the concatenations of the arrays, whose types mention the number that is bound before
    /// them:
    ///
    /// ```text
    /// (sum: i64, k: i64, ys: [k]f64) =
    ///   stream n (xs) pass init (0) chunk (\m last sum xs -> ... in (sum', m', ys'))
    /// ```
    ///
    /// The second parameter says whether the chunk is the last one. Inputs are read in step; that one ends before the
    /// others is an error of the pass, which is noticed when it happens. [`Pieces`] are inputs whose elements differ in
    /// size.
    ///
    ///
    /// In [`Lambda::ret`] the size of the chunk stands for that number. Elements of differing sizes are two sinks: the
    /// sizes, and the elements of all of them.
    ///
    /// The law of a pass: the results do not depend on how the inputs are cut, a chunk may be empty, and an empty one
    /// changes nothing. A single chunk is therefore always right; the pass `unpass` makes it that, for machines that
    /// hold all of it in memory. Passes are executed by the host, and are in no other operator.
    Pass(Vec<Pieces>),
}

/// An input of a pass whose elements are arrays of differing sizes: these sizes, and all elements one after the other.
/// A chunk has the parameters `sizes: [m]i64`, `t: i64`, and for each of the values `c: [t]...`, after those of the
/// other inputs. Sizes that are negative, or more than there are values, are an error of the pass.
#[derive(Clone, PartialEq, Debug)]
pub struct Pieces {
    /// How large each of them is.
    pub sizes: Var,
    /// What they consist of.
    pub values: Vec<Var>,
}

impl Stream {
    /// Whether it is a pass over sequences.
    pub fn is_pass(&self) -> bool {
        matches!(self.form, StreamForm::Pass(_))
    }

    /// How many parameters of the function come before the accumulators.
    pub fn leading(&self) -> usize {
        if self.is_pass() { 2 } else { 1 }
    }

    /// The parameters for the accumulators.
    pub fn acc_params(&self) -> &[Var] {
        let first = self.leading();
        self.chunk.params.get(first..first + self.init.len()).unwrap_or(&[])
    }

    /// The parameters for the chunks of `inputs`.
    pub fn chunk_params(&self) -> &[Var] {
        let first = self.leading() + self.init.len();
        self.chunk.params.get(first..first + self.inputs.len()).unwrap_or(&[])
    }

    /// The parameters for pieces, in the order of the pieces: sizes, total, values.
    pub fn piece_params(&self) -> &[Var] {
        let first = self.leading() + self.init.len() + self.inputs.len();
        self.chunk.params.get(first..).unwrap_or(&[])
    }
}

/// Stable reordering: the function yields for each position a class, an i64, and then elements. Binds the
/// number of positions of each of the classes (scalars, first), then the arrays of the elements: all those
/// of class 0 in order, then those of class 1, and so on. Elements of other classes are dropped, and what
/// stands in the rest of the arrays does not matter.
#[derive(Clone, PartialEq, Debug)]
pub struct Partition {
    /// The number of positions.
    pub width: Atom,
    /// How many classes.
    pub classes: usize,
    /// Arrays of that outermost size.
    pub inputs: Vec<Var>,
    /// From an element of each input to the class and the elements to be reordered.
    pub map: Lambda,
}

/// Pieces of different sizes, one after the other: the function yields, for each position, the size of its piece, an
/// i64, then other results, and then the arrays of the piece, of which this is the outermost size. Binds the number of
/// elements that all pieces have together, the array of their sizes, the arrays of the other results, and the
/// concatenations of the pieces.
///
/// ```text
/// let (total: i64, sizes: [n]i64, kept: [total]i32) = flatmap n (xss) 1 \(xs: [m]i32) -> (i64, i32) {
///   let (count: i64, all: [m]i32) = partition m (xs) 1 ...
///   let (kept: [count]i32) = index all[0:count:1]
///   in (count, kept)
/// }
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Flatmap {
    /// The number of positions.
    pub width: Atom,
    /// Arrays of that outermost size.
    pub inputs: Vec<Var>,
    /// From an element of each input to the size of a piece, the other results, and the arrays of the piece. Of the
    /// latter, its types are those of their elements: their size is known inside only.
    pub map: Lambda,
    /// How many of its results are arrays of the piece.
    pub pieces: usize,
}

impl Flatmap {
    /// How many results of the function come before the arrays of the piece. The statement binds one more before
    /// their concatenations.
    pub fn plain(&self) -> usize {
        self.map.body.results.len().saturating_sub(self.pieces)
    }
}

/// Arrays that become one accumulator in [`Exp::WithAcc`](crate::Exp::WithAcc).
#[derive(Clone, PartialEq, Debug)]
pub struct AccInput {
    /// The sizes of the dimensions that are indexed.
    pub shape: Vec<Atom>,
    /// The arrays; consumed.
    pub arrays: Vec<Var>,
    /// How contributions are combined, and the neutral element; without it they overwrite. The
    /// operator's first parameters are the indices.
    pub op: Option<(Lambda, Vec<Atom>)>,
}
