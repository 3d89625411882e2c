//! Segs: operators of which it is decided who executes them.

use crate::free::free_in_stm;
use crate::{Atom, Body, Exp, Family, Lambda, Stm, Tiling, Type, Var, VarInfo};
use fehu_base::IdVec;

/// One operator at every position of a space, executed by the threads of a level.
///
/// The function's parameters are the indices of a position, one for each dimension of the space, and then the elements of the
/// inputs there, which are arrays with at least these dimensions. Its last statement is the operator, whose
/// results it returns (an unused scalar may be left out); the statements before it are cheap and cannot fail, because
/// every thread that takes part in the operator executes them. The statement binds arrays of the results, with the space as
/// their outer dimensions.
///
/// An operator with scans may have an *epilogue*, the post-lambda of the literature: a second operator of the same width
/// that gets the elements of the first one's arrays at its own position, and nothing else of them. It is executed where
/// an element becomes final, so that arrays of the first operator that the function does not return are never stored,
/// and have no memory. It is a map or scatter; one thread can also combine elements in it, since it visits all positions
/// in order.
///
/// After a segmented reduction to scalars on a device, scalars may be computed of its results, the *finish* of a
/// segment: the thread that has the results does that, so that they are neither stored nor read again. The function
/// then returns what these statements bind, too.
///
/// The positions of the operator itself belong to the space as well: a `seg` without dimensions around a map is just that
/// map, and one with a dimension around a reduction is a segmented reduction.
///
/// If the operator has another number of positions in each element of the space, its dimension is *irregular*: the Seg has
/// [`Rows`], and its threads share the positions of all rows, however long each is.
///
/// As for [`Screma`](crate::Screma), an input may be an accumulator, and inputs may be consumed.
///
/// ```text
/// let (ss: [n]i32) = seg grid [n] (xss) \(i: i64, xs: [m]i32) -> (i32) {
///   let (s: i32) = screma m (xs) map ... red ...
///   in (s)
/// }
///
/// let (zs: [n]i32) = seg task [] () \() -> ([n]i32) {
///   let (ys: [n]i32) = screma n (xs) map ... scan ...
///   let (zs: [n]i32) = screma n (ys, us) map ...
///   in (zs)
/// }
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Seg {
    /// Who executes the operator.
    pub level: Level,
    /// The sizes of the space, outermost first.
    pub space: Vec<Atom>,
    /// How long the rows of the operator are, if they differ.
    pub rows: Option<Rows>,
    /// Arrays whose outer dimensions are those of the space.
    pub inputs: Vec<Var>,
    /// Applied at each position.
    pub body: Lambda,
    /// Which positions are executed together, because of what they read.
    pub tiling: Option<Tiling>,
    /// Whether a thread of a CPU executes several positions of the operator at once, in the lanes of vectors, where it can.
    pub lanes: bool,
}

/// An irregular dimension: the operator has another width in each of `n` rows, where `n` is the only dimension of the space.
///
/// After the index, the function gets two more numbers: how many positions all rows before this one have together, and
/// how many this one has. The latter is the width of the operator, a map, reduction or scan of scalars. Results
/// with a value for each row are arrays as elsewhere; those with a value for each position are concatenated. The epilogue of
/// a scan is a map, which can write to other places by way of an accumulator: that is one for all rows.
///
/// ```text
/// let (ss: [n]f32, ys: [total]f32) = seg grid [n] rows ends total (vs) \(i: i64, start: i64, m: i64, v: f32) -> (f32, [m]f32) {
///   let (xs: [m]f32) = index data [start : m : 1]
///   let (s: f32, ys: [m]f32) = screma m (xs) map ... red ...
///   in (s, ys)
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// For each row, the number of positions up to its end: the inclusive prefix sums of the widths, of type `[n]i64`.
    pub ends: Var,
    /// The last of them: the number of all positions.
    pub total: Atom,
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
    /// Likewise, with a block of no more threads than a warp has: for few positions inside.
    Warps,
    /// The threads of one block, inside of [`Level::Blocks`] or [`Level::Warps`].
    Block,
    /// One thread: only operators with an epilogue, or of which not all arrays are stored, or whose positions are lanes or
    /// tiles, have this level; other operators without a level are executed in the same way, one position after the other.
    Thread,
}

impl Level {
    /// All levels.
    pub const ALL: &[Level] =
        &[Level::Task, Level::Grid, Level::Blocks, Level::Warps, Level::Block, Level::Thread];

    /// Its word in the text.
    pub fn name(self) -> &'static str {
        match self {
            Level::Task => "task",
            Level::Grid => "grid",
            Level::Blocks => "blocks",
            Level::Warps => "warps",
            Level::Block => "block",
            Level::Thread => "thread",
        }
    }

    /// The level with this word.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.iter().copied().find(|level| level.name() == name)
    }

    /// Whether several threads execute the code of each position together.
    pub fn has_members(self) -> bool {
        match self {
            Level::Blocks | Level::Warps => true,
            Level::Task | Level::Grid | Level::Block | Level::Thread => false,
        }
    }

    /// Whether a Seg of this level may stand in the functions of one of another level; without one, outside of all.
    pub fn within(self, outer: Option<Level>) -> bool {
        match (self, outer) {
            (Level::Task, None | Some(Level::Task)) => true,
            (Level::Grid | Level::Blocks | Level::Warps, None) => true,
            (Level::Block, Some(Level::Blocks | Level::Warps)) => true,
            (Level::Thread, None | Some(_)) => !outer.is_some_and(Level::has_members),
            (
                Level::Task | Level::Grid | Level::Blocks | Level::Warps | Level::Block,
                None | Some(_),
            ) => false,
        }
    }

    /// Whether a function with a Seg of this level may be called in the functions of one of another level. It is as if the Seg
    /// stood there, but for a function with tasks: it has them wherever it is called on a CPU.
    pub fn callable_within(self, outer: Level) -> bool {
        self.within(Some(outer)) || (self, outer) == (Level::Task, Level::Thread)
    }
}

impl Seg {
    /// What the function consists of; none if there is no operator, which the verifier refuses.
    pub fn parts(&self) -> Option<SegParts<'_>> {
        SegParts::of(&self.body.body)
    }

    /// The number of statements at the end of a function that are operators, or the finish of one.
    pub fn operators(body: &Body) -> usize {
        match body.stms.as_slice() {
            [.., first, last] if has_scans(first) && Seg::takes(&last.exp) => 2,
            [.., last] if Seg::takes(&last.exp) => 1,
            stms => match stms.iter().rposition(reduces) {
                Some(op) => stms.len() - op,
                None => stms.len().min(1),
            },
        }
    }

    /// The parameters of the function that are the indices.
    pub fn indices(&self) -> &[Var] {
        self.body.params.get(..self.space.len()).unwrap_or(&[])
    }

    /// The number of parameters that are no elements of inputs.
    pub fn leading(&self) -> usize {
        self.space.len() + if self.rows.is_some() { 2 } else { 0 }
    }

    /// If rows differ: the parameters that say where a row starts, and how long it is.
    pub fn row(&self) -> Option<[Var; 2]> {
        self.rows?;
        self.body.params.get(self.space.len()..self.leading())?.try_into().ok()
    }

    /// Whether a result of the function, by its type, has a value for each position of a row, so that the rows are concatenated.
    pub fn is_concatenated(&self, ret: &Type) -> bool {
        self.row().is_some_and(|[_, width]| ret.shape().first() == Some(&width.into()))
    }

    /// The type of the array that has the results of this type from all positions.
    pub fn whole(&self, ret: Type) -> Type {
        if let (true, Some(rows), Type::Array(elem, shape)) =
            (self.is_concatenated(&ret), self.rows, &ret)
        {
            return Type::array(*elem, [&[rows.total], &shape[1..]].concat());
        }
        // Accumulators are one for all positions.
        let array = |ty: Type, size: &Atom| ty.array_of(*size).unwrap_or(ty);
        self.space.iter().rev().fold(ret, array)
    }

    /// The parameters of the function that are elements of the inputs.
    pub fn elements(&self) -> &[Var] {
        self.body.params.get(self.leading()..).unwrap_or(&[])
    }

    /// Whether a statement may stand before the operator of a Seg, where every thread executes it for itself: it makes
    /// no array and calls nothing. How much there may be of that is not the verifier's business. Where a view has no
    /// index function, memory is assigned to a copy of it.
    pub fn allows_before(stm: &Stm) -> bool {
        let fits = match stm.exp.family() {
            Family::Scalar | Family::View => true,
            Family::Fresh => {
                matches!(stm.exp, Exp::Iota(..) | Exp::Replicate(..) | Exp::Manifest(_))
            }
            Family::Control => !matches!(stm.exp, Exp::Loop(..)),
            Family::Fixed => matches!(stm.exp, Exp::Opaque(_)),
            Family::Asked
            | Family::Change
            | Family::Reference
            | Family::Operator
            | Family::Check => false,
        };
        let mut all = fits;
        stm.exp.for_each_body(&mut |body| all = all && body.stms.iter().all(Seg::allows_before));
        all
    }

    /// Whether a statement may belong to the finish of a segment: likewise, and it makes no array at all.
    pub fn allows_after(stm: &Stm) -> bool {
        let mut all = Seg::allows_before(stm) && stm.exp.family() != Family::Fresh;
        stm.exp.for_each_body(&mut |body| all = all && body.stms.iter().all(Seg::allows_after));
        all
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

    /// Which results the function returns, by number; those of the epilogue or of the finish come after those of the operator.
    pub fn returned(body: &Body) -> Option<Vec<usize>> {
        let parts = SegParts::of(body)?;
        let place = |result: &Atom| parts.made().position(|var| Atom::Var(var) == *result);
        body.results.iter().map(place).collect()
    }
}

/// The parts of a Seg's function.
#[derive(Clone, Copy, Debug)]
pub struct SegParts<'a> {
    /// What every thread executes first.
    pub before: &'a [Stm],
    /// The operator.
    pub op: &'a Stm,
    /// What makes the other results.
    pub after: After<'a>,
}

/// What follows the operator of a Seg. It is an enum because whoever executes an operator has to execute this, too:
/// another kind of it is an error of the compiler wherever it is forgotten.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum After<'a> {
    /// The results are those of the operator.
    Nothing,
    /// A second operator, which is executed with the final elements of the first one's arrays.
    Epilogue(&'a Stm),
    /// Scalars that are computed of the results of a segment.
    Finish(&'a [Stm]),
}

impl<'a> After<'a> {
    /// The statements, which bind the other results.
    pub fn stms(self) -> &'a [Stm] {
        match self {
            After::Nothing => &[],
            After::Epilogue(stm) => std::slice::from_ref(stm),
            After::Finish(stms) => stms,
        }
    }
}

impl<'a> SegParts<'a> {
    fn of(body: &'a Body) -> Option<SegParts<'a>> {
        let (before, operators) =
            body.stms.split_at_checked(body.stms.len() - Seg::operators(body))?;
        let (op, rest) = operators.split_first()?;
        let after = match rest {
            [] => After::Nothing,
            [epilogue, ..] if has_scans(op) => After::Epilogue(epilogue),
            finish => After::Finish(finish),
        };
        Some(SegParts { before, op, after })
    }

    /// All that the operator and what follows it bind.
    pub fn made(self) -> impl Iterator<Item = Var> + 'a {
        let rest = self.after.stms().iter().flat_map(|stm| &stm.pat);
        self.op.pat.iter().chain(rest).copied()
    }

    /// The operator, and the second one if there is one.
    pub fn operators(self) -> impl Iterator<Item = &'a Stm> {
        let second = match self.after {
            After::Nothing | After::Finish(_) => None,
            After::Epilogue(stm) => Some(stm),
        };
        [self.op].into_iter().chain(second)
    }

    /// Whether there is nothing but the operator.
    pub fn is_bare(self) -> bool {
        self.before.is_empty() && self.after == After::Nothing
    }
}

fn reduces(stm: &Stm) -> bool {
    matches!(&stm.exp, Exp::Screma(op) if !op.reds.is_empty())
}

fn has_scans(stm: &Stm) -> bool {
    matches!(&stm.exp, Exp::Screma(op) if !op.scans.is_empty())
}

/// Whether an operator uses nothing of these arrays but scalars at its own position.
pub fn takes_elements(stm: &Stm, arrays: &[Var], vars: &IdVec<Var, VarInfo>) -> bool {
    // Everything else that it mentions.
    let mut rest = stm.clone();
    let (mut inputs, mut map) = (Vec::new(), None);
    if let (Exp::Screma(rest), Exp::Screma(op)) = (&mut rest.exp, &stm.exp) {
        (inputs, map) = (std::mem::take(&mut rest.inputs), Some(&op.map));
    } else if let (Exp::Scatter(rest), Exp::Scatter(op)) = (&mut rest.exp, &stm.exp) {
        (inputs, map) = (std::mem::take(&mut rest.inputs), Some(&op.map));
    }
    let params = map.map_or(&[][..], |map| &map.params);
    let is_scalar = |param: &Var| matches!(vars[*param].ty, Type::Scalar(_));
    let elements = params
        .iter()
        .zip(&inputs)
        .all(|(param, input)| !arrays.contains(input) || is_scalar(param));
    elements && !free_in_stm(&rest, vars).iter().any(|var| arrays.contains(var))
}
