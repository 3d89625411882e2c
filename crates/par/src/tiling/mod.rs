//! Tiles: positions that are executed together because of what they read.
//!
//! Most plans begin in the same way: the function of a map *folds* (it has a reduction or a loop of scalars), and it is
//! known along which dimensions the elements differ that a step of the fold reads ([`Fold`]). `grid` decides by that
//! what the threads of a block of a device share, and `cpu` what one thread of a CPU does at a time. Positions that
//! read elements near them share these, too (`window`). All write it down in Segs ([`Tiling`]).

mod cpu;
mod grid;
mod window;

pub use cpu::TILING;
pub use grid::GRID_TILING;
pub(crate) use grid::{Square, square};

use fehu_base::IdVec;
use fehu_facts::{Reads, Variance, Varies};
use fehu_ir::{
    Atom, Body, Dim, Exp, Family, FoldTiling, LoopForm, Scalar, Screma, Stm, Tiling, Type, Var,
    VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A reduction or a loop of scalars.
struct Fold<'a> {
    code: Code<'a>,
    variance: Variance<'a>,
    /// What its variables are, other than arrays.
    own: FxHashSet<Var>,
    /// The dimension of the variance that its steps are.
    step: usize,
    trips: Varies,
    /// The number of its steps.
    steps: Atom,
    /// The registers of its accumulators, of 32 bits each.
    registers: u32,
    reads: Vec<Read>,
    /// How the variables vary that its values are computed from, besides its own and what it reads.
    uses: FxHashMap<Var, Varies>,
    /// How what its steps compute and read differs.
    values: Vec<Varies>,
    is_straight: bool,
    /// Whether there are no loops in it.
    is_flat: bool,
}

/// An element that it reads.
struct Read {
    array: Var,
    /// Its indices there; none for an element of an input.
    dims: Vec<Dim>,
    varies: Varies,
}

impl<'a> Fold<'a> {
    /// The first fold in the body of a function or loop, where its parameters are known, and the statements around it.
    fn within<'b>(
        body: &'b Body,
        mut variance: Variance<'a>,
        code: Code<'a>,
        step: usize,
    ) -> Option<(Fold<'a>, &'b [Stm], &'b [Stm])> {
        let stms = &body.stms;
        let at = first_fold(body)?;
        let (before, after) = (&stms[..at], &stms[at + 1..]);
        before.iter().for_each(|stm| variance.stm(stm));
        Some((Fold::of(&stms[at], variance, code, step)?, before, after))
    }

    /// The fold that a statement is.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is a fold")]
    fn of(stm: &Stm, variance: Variance<'a>, code: Code<'a>, step: usize) -> Option<Fold<'a>> {
        let vars = code.vars;
        let mut fold = Fold {
            code,
            own: FxHashSet::default(),
            step,
            trips: Varies::default(),
            steps: Atom::i64(0),
            registers: stm.pat.iter().map(|var| vars[*var].ty.registers()).sum(),
            reads: Vec::new(),
            uses: FxHashMap::default(),
            values: Vec::new(),
            is_straight: true,
            is_flat: true,
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
                    self.values.push(varies);
                    self.variance.set(*param, varies.made());
                    self.own.insert(*param);
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
        self.steps = steps;
    }

    /// The number of its steps, if that is known.
    fn known(&self) -> Option<i64> {
        match self.steps {
            Atom::Const(Scalar::I64(steps)) => Some(steps),
            Atom::Const(_) | Atom::Var(_) => None,
        }
    }

    /// A value that changes from step to step.
    fn param(&mut self, var: Var) {
        self.variance.set(var, Varies::along(self.acc()).made());
        self.own.insert(var);
    }

    /// The dimension of the variance along which everything differs that depends on earlier steps.
    fn acc(&self) -> usize {
        self.step + 1
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else reads elements")]
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.is_straight &= self.code.is_straight(stm);
            self.is_flat &= self.code.is_flat(stm);
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
            self.values.extend(stm.pat.iter().map(|var| self.variance.atom((*var).into())));
            self.own.extend(stm.pat.iter().filter(|var| !self.code.vars[**var].ty.is_array()));
        }
        body.results.iter().for_each(|result| self.used(*result));
    }

    fn used(&mut self, atom: Atom) {
        if let Some(var) = atom.var()
            && !self.own.contains(&var)
        {
            self.uses.insert(var, self.variance.atom(atom));
        }
    }

    /// A tile over these dimensions, the last of which is that of the innermost map; the fold is inside of loops.
    fn tiling(&self, dims: Vec<usize>, loops: usize) -> Tiling {
        let last = self.step - loops;
        let reads = self
            .reads
            .iter()
            .map(|read| (0..last).filter(|dim| read.varies.is_along(*dim)).collect::<Vec<usize>>());
        Tiling::Fold(FoldTiling { dims, loops, reads: reads.collect() })
    }
}

/// Where the first statement is that may be a fold.
fn first_fold(body: &Body) -> Option<usize> {
    body.stms.iter().position(|stm| matches!(stm.exp, Exp::Screma(_) | Exp::Loop(..)))
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

    /// Whether a statement computes scalars without loops: such code, or branches with it.
    fn is_flat(&self, stm: &Stm) -> bool {
        let mut inside =
            matches!(stm.exp, Exp::If(..) | Exp::Switch(..)) && self.binds_scalars(stm);
        if inside {
            stm.exp.for_each_body(&mut |body| {
                inside &= body.stms.iter().all(|stm| self.is_flat(stm));
            });
        }
        inside || self.is_straight(stm)
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
