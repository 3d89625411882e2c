//! `tiling`: plans what the threads of a block share.
//!
//! Where a map's function folds (a reduction or a loop of scalars), and the elements that a step of the fold reads are the same along
//! some dimensions of the space, the threads of a block can read them once for all their positions. A Seg says over
//! which dimensions such a tile extends, and along which dimensions each element differs ([`Tiling`]); it is the same code otherwise.
//!
//! ```text
//! seg grid [n] () \(i) -> {                      seg grid [n] tile [0, 1] ([0], [1]) () \(i) -> {
//!   row = index a[i]                               row = index a[i]
//!   map (\column -> reduce over (row, column))     map (\column -> reduce over (row, column))
//! }                                              }
//! ```
//!
//! A tile extends over the last two dimensions if each element differs along at most one of them, and both kinds are there: a
//! matrix product, or the distances between all pairs of rows of two matrices. The code around and in the fold must be straight-line
//! code on scalars, and a step must use nothing but the elements and accumulators, because a thread has many positions.
//!
//! Otherwise it extends over as many of the last dimensions as possible if no element differs along any of these: the forces between
//! all pairs of bodies. A thread has one position, so that a step may use what belongs to it, and have branches and loops.

use fehu_base::IdVec;
use fehu_facts::{Reads, Variance, Varies};
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::{
    Atom, Body, Dim, Exp, Family, Level, LoopForm, Scalar, Screma, Seg, SegParts, Stm, Tiling,
    Type, Var, VarInfo,
};
use rustc_hash::FxHashSet;

/// More accumulators or elements than this do not fit into the registers of a thread with many positions, or into shared memory.
const MOST_ACCS: usize = 2;
const MOST_READS: usize = 6;

/// More elements than this do not fit into shared memory if all positions read the same.
const MOST_COMMON: usize = 8;

/// With fewer steps than a block has threads, most of these would have nothing to bring, and the caches of a device serve threads
/// that read the same element well.
const FEWEST_STEPS: i64 = 256;

/// The pass.
pub const TILING: Pass = Pass {
    name: "tiling",
    about: "plans which elements the threads of a block share",
    run: |prog, _: &mut Remarks| prog.for_each_body(|_, vars, body| in_body(body, vars)),
};

/// The Segs of a body. There are no kernels inside of kernels.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have no kernel")]
fn in_body(body: &mut Body, vars: &IdVec<Var, VarInfo>) {
    for stm in &mut body.stms {
        match &mut stm.exp {
            // Neighbouring positions of rows that differ have nothing in common for sure.
            Exp::Seg(seg) if seg.rows.is_none() => seg.tiling = plan(seg, vars),
            exp => exp.map_bodies(&mut |body| in_body(body, vars)),
        }
    }
}

/// What the threads of a Seg can share.
fn plan(seg: &Seg, vars: &IdVec<Var, VarInfo>) -> Option<Tiling> {
    let SegParts { before, op, epilogue: None } = seg.parts()? else { return None };
    let Exp::Screma(op) = &op.exp else { return None };
    let is_scalar = |ty: &Type| matches!(ty, Type::Scalar(_));
    if seg.level != Level::Grid
        || op.folded() > 0
        || !seg.inputs.is_empty()
        || !op.map.ret.iter().all(is_scalar)
    {
        return None;
    }
    let stms = &op.map.body.stms;
    let at = stms.iter().position(|stm| matches!(stm.exp, Exp::Screma(_) | Exp::Loop(..)))?;
    let own = seg.space.len();
    let mut variance = Variance::in_seg(seg, vars);
    variance.enter(op, own);
    stms[..at].iter().for_each(|stm| variance.stm(stm));
    let code = Code { vars, reads: &Reads::of_body(&seg.body.body) };
    let fold = Fold::of(&stms[at], variance, code, own + 1)?;
    let is_straight = before.iter().chain(&stms[..at]).all(|stm| code.is_straight(stm))
        && stms[at + 1..].iter().all(|stm| code.is_plain(stm));
    if is_straight && fold.is_square(own) {
        return Some(fold.tiling(vec![own - 1, own]));
    }
    let is_tame = before.iter().chain(stms).all(|stm| code.is_tame(stm));
    let first = fold.common(own).filter(|_| is_tame)?;
    Some(fold.tiling((first..=own).collect()))
}

/// A reduction or a loop of scalars.
struct Fold<'a> {
    code: Code<'a>,
    variance: Variance<'a>,
    /// What its variables are, other than arrays.
    own: FxHashSet<Var>,
    /// The dimension of the variance that its steps are.
    step: usize,
    trips: Varies,
    /// The number of its steps, if that is known.
    known: Option<i64>,
    accs: usize,
    reads: Vec<Read>,
    /// What its values are computed from besides its own variables and what it reads.
    uses: Varies,
    is_straight: bool,
}

/// An element that it reads.
struct Read {
    array: Var,
    /// Its indices there; none for an element of an input.
    dims: Vec<Dim>,
    varies: Varies,
}

impl<'a> Fold<'a> {
    /// The fold that a statement is.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is a fold")]
    fn of(stm: &Stm, variance: Variance<'a>, code: Code<'a>, step: usize) -> Option<Fold<'a>> {
        let vars = code.vars;
        let mut fold = Fold {
            code,
            own: FxHashSet::default(),
            step,
            trips: Varies::default(),
            known: None,
            accs: stm.pat.len(),
            reads: Vec::new(),
            uses: Varies::default(),
            is_straight: true,
            variance,
        };
        if stm.pat.iter().any(|var| !matches!(vars[*var].ty, Type::Scalar(_))) {
            return None;
        }
        match &stm.exp {
            Exp::Screma(op) => fold.screma(op),
            Exp::Loop(params, LoopForm::For(counter, bound), body)
                if vars[*counter].ty == Type::I64 =>
            {
                fold.count(*bound);
                fold.variance.set(*counter, Varies::along(step));
                fold.own.insert(*counter);
                params.iter().for_each(|param| fold.param(param.var));
                fold.body(body);
            }
            _ => return None,
        }
        Some(fold)
    }

    fn screma(&mut self, op: &Screma) {
        self.count(op.width);
        for (param, input) in op.map.params.iter().zip(&op.inputs) {
            let varies = self.variance.atom((*input).into()).and(Varies::along(self.step));
            match self.code.vars[*param].ty {
                Type::Scalar(_) => {
                    self.reads.push(Read { array: *input, dims: Vec::new(), varies });
                    self.param(*param);
                }
                Type::Array(..) | Type::Acc(_) => self.variance.set(*param, varies),
            }
        }
        self.body(&op.map.body);
        for red in &op.reds {
            red.op.params.iter().for_each(|param| self.param(*param));
            self.body(&red.op.body);
        }
    }

    fn count(&mut self, steps: Atom) {
        self.trips = self.variance.atom(steps);
        self.known = match steps {
            Atom::Const(Scalar::I64(steps)) => Some(steps),
            Atom::Const(_) | Atom::Var(_) => None,
        };
    }

    fn param(&mut self, var: Var) {
        self.variance.set(var, Varies::default().made());
        self.own.insert(var);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else reads elements")]
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.is_straight &= self.code.is_straight(stm);
            let is_scalar = stm.pat.iter().all(|var| !self.code.vars[*var].ty.is_array());
            match &stm.exp {
                Exp::Index(array, dims) if is_scalar => {
                    let varies = self.variance.index(*array, dims);
                    self.reads.push(Read { array: *array, dims: dims.clone(), varies });
                }
                _ if is_scalar => {
                    for var in fehu_ir::free::free_in_stm(stm, self.code.vars) {
                        self.used(var.into());
                    }
                }
                _ => {}
            }
            self.variance.stm(stm);
            self.own.extend(stm.pat.iter().filter(|var| !self.code.vars[**var].ty.is_array()));
        }
        body.results.iter().for_each(|result| self.used(*result));
    }

    fn used(&mut self, atom: Atom) {
        if !atom.var().is_some_and(|var| self.own.contains(&var)) {
            self.uses = self.uses.and(self.variance.atom(atom));
        }
    }

    /// Whether a tile can extend over the last two dimensions, the last of which is given.
    fn is_square(&self, column: usize) -> bool {
        let Some(row) = column.checked_sub(1) else { return false };
        let sides = |varies: Varies| (varies.is_along(row), varies.is_along(column));
        let is_same = |varies: Varies| !varies.is_made && sides(varies) == (false, false);
        let fits = |read: &Read| !read.varies.is_made && sides(read.varies) != (true, true);
        let mut shared: Vec<(Var, &[Dim])> = Vec::new();
        for read in self.reads.iter().filter(|read| !is_same(read.varies)) {
            let element = (read.array, &read.dims[..]);
            if !shared.contains(&element) {
                shared.push(element);
            }
        }
        self.is_straight
            && is_same(self.trips)
            && is_same(self.uses)
            && (1..=MOST_ACCS).contains(&self.accs)
            && shared.len() <= MOST_READS
            && self.reads.iter().all(fits)
            && self.reads.iter().any(|read| read.varies.is_along(row))
            && self.reads.iter().any(|read| read.varies.is_along(column))
    }

    /// The dimension, up to the last one, from which on all positions read the same.
    fn common(&self, last: usize) -> Option<usize> {
        let first = |varies: Varies| {
            (0..=last).rev().find(|dim| varies.is_along(*dim)).map_or(0, |dim| dim + 1)
        };
        let mut reads = self.reads.iter().filter(|read| read.varies.is_along(self.step)).peekable();
        reads.peek()?;
        let from = reads.map(|read| first(read.varies)).max()?.max(first(self.trips));
        let is_made = self.trips.is_made || self.reads.iter().any(|read| read.varies.is_made);
        let is_long = self.known.is_none_or(|steps| steps >= FEWEST_STEPS);
        let fits = from <= last && !is_made && is_long && self.reads.len() <= MOST_COMMON;
        fits.then_some(from)
    }

    fn tiling(&self, dims: Vec<usize>) -> Tiling {
        let reads = self.reads.iter().map(|read| {
            (0..self.step).filter(|dim| read.varies.is_along(*dim)).collect::<Vec<usize>>()
        });
        Tiling { dims, reads: reads.collect() }
    }
}

/// Judges the code of a Seg.
#[derive(Clone, Copy)]
struct Code<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    reads: &'a Reads,
}

impl Code<'_> {
    fn binds_scalars(&self, stm: &Stm) -> bool {
        stm.pat.iter().all(|var| matches!(self.vars[*var].ty, Type::Scalar(_)))
    }

    /// Whether a statement computes a scalar, or an array that needs no memory: code without branches and loops.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is a view or scalar")]
    fn is_straight(&self, stm: &Stm) -> bool {
        match &stm.exp {
            exp if exp.family() == Family::Scalar => self.binds_scalars(stm),
            Exp::Opaque(_) => self.binds_scalars(stm),
            Exp::Index(..) | Exp::FlatIndex(..) | Exp::Reshape(..) | Exp::Rearrange(..) => true,
            Exp::Iota(..) | Exp::Replicate(..) => stm
                .pat
                .iter()
                .all(|var| self.vars[*var].ty.rank() == 1 && self.reads.only_elements(*var)),
            _ => false,
        }
    }

    /// Whether threads are together again after a statement: nothing in it ends one of them, or needs memory.
    fn is_tame(&self, stm: &Stm) -> bool {
        let has_bodies =
            matches!(stm.exp, Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) | Exp::Screma(_));
        let mut inside = has_bodies && self.binds_scalars(stm);
        if inside {
            stm.exp.for_each_body(&mut |body| {
                inside &= body.stms.iter().all(|stm| self.is_tame(stm));
            });
        }
        inside || self.is_straight(stm)
    }

    /// Whether it is such code, or loops over it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else has steps")]
    fn is_plain(&self, stm: &Stm) -> bool {
        let is_loop = match &stm.exp {
            Exp::Screma(_) => true,
            exp => matches!(exp, Exp::Loop(_, LoopForm::For(..), _)),
        };
        let mut inside = is_loop && self.binds_scalars(stm);
        if inside {
            stm.exp.for_each_body(&mut |body| {
                inside &= body.stms.iter().all(|stm| self.is_plain(stm));
            });
        }
        inside || self.is_straight(stm)
    }
}
