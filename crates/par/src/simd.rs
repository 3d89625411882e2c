//! `simd`: chooses the operators of which a thread of a CPU executes several positions at once, in the lanes of vectors.
//!
//! C compilers vectorise innermost loops of straight-line code by themselves. What they do not see is that positions with loops
//! inside can be executed side by side: the points of a Mandelbrot set, each with as many iterations as it needs. Which
//! operator of a nest has the lanes is a matter of levels, and is decided here; whether a vector unit can do what its function
//! does, and how many lanes there are, is known when there is code (`fehu_loops::lanes`). If it cannot, operators inside may.
//!
//! ```text
//! map (\c -> loop z = c while ... do ...) cs   ==>   seg thread lanes { map (\c -> loop ...) cs }
//! ```
//!
//! An operator has lanes if its function has loops or operators, unless the lanes of an operator inside are better: one
//! that is long, has no order, and reads elements of arrays, which are neighbours there, but not for the positions
//! outside. The outer lanes are better nevertheless if what they read are neighbours as well, as in stencils, or if
//! something expensive inside is the same for all of them: a sum of a few waves at each of many points computes the
//! directions of the waves once for all lanes. And an operator without loops inside has lanes if it finds the smallest
//! or largest of floats, or combines scalars in any order by something that no vector unit has, such as the position of the
//! smallest: C compilers do not vectorise these either.
//!
//! Operators with loops inside that only a thread as a whole can execute are reported as remarks.

use crate::seg::Segs;
use fehu_base::{IdVec, Prim};
use fehu_facts::extremum::extremum;
use fehu_facts::operators::{commutes, componentwise};
use fehu_facts::{Variance, Varies, is_positions};
use fehu_imp::cpu::CPU;
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::{
    Atom, BinOp, Body, Dim, Elem, Exp, Lambda, Level, LoopForm, MathFn, Prog, Red, Scalar, Screma,
    Stm, Type, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The dimension of the positions that may be lanes, and that of everything inside.
const LANE: usize = 0;
const INSIDE: usize = 1;

/// The pass.
pub const SIMD: Pass =
    Pass { name: "simd", about: "chooses the operators whose positions are lanes of vectors", run };

fn run(prog: &mut Prog, remarks: &mut Remarks) {
    let (hosted, equal) = (FxHashSet::default(), FxHashMap::default());
    prog.for_each_body(|prog, vars, body| {
        let mut computed = Computed::default();
        computed.find(body);
        let segs = Segs { prog, vars, hosted: &hosted, equal: &equal };
        Lanes { segs, computed, remarks: &mut *remarks }.body(body);
    });
}

/// Arrays whose elements are computed from their positions where they are read.
#[derive(Default)]
struct Computed {
    all: FxHashSet<Var>,
    /// Those whose elements are their positions.
    positions: FxHashSet<Var>,
}

impl Computed {
    fn find(&mut self, body: &Body) {
        for stm in &body.stms {
            if matches!(stm.exp, Exp::Iota(..) | Exp::Replicate(..)) {
                self.all.extend(&stm.pat);
            }
            if is_positions(&stm.exp) {
                self.positions.extend(&stm.pat);
            }
            stm.exp.for_each_body(&mut |body| self.find(body));
        }
    }
}

struct Lanes<'a> {
    segs: Segs<'a>,
    computed: Computed,
    remarks: &'a mut Remarks,
}

impl Lanes<'_> {
    fn body(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            let worth = self.is_worth(stm);
            if let Exp::Seg(seg) = &mut stm.exp {
                let fits = seg.level == Level::Task || seg.level == Level::Thread;
                seg.lanes = fits && seg.parts().is_some_and(|parts| self.is_worth(parts.op));
                // Its operators have what it says; what is inside of them may have its own.
                for op in &mut seg.body.body.stms {
                    op.exp.map_bodies(&mut |body| self.body(body));
                }
                continue;
            }
            stm.exp.map_bodies(&mut |body| self.body(body));
            if worth {
                let op = std::mem::replace(stm, Stm::new(Vec::new(), Exp::Threads));
                *stm = self.segs.seg(op, 0, Level::Thread);
                if let Exp::Seg(seg) = &mut stm.exp {
                    seg.lanes = true;
                }
            }
        }
    }

    /// Whether the positions of a statement's operator should be lanes.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no positions")]
    fn is_worth(&mut self, stm: &Stm) -> bool {
        let (inputs, map) = match &stm.exp {
            Exp::Screma(op) => (&op.inputs, &op.map),
            Exp::Hist(op) => (&op.inputs, &op.map),
            Exp::Scatter(op) => (&op.inputs, &op.map),
            _ => return false,
        };
        let vars = &*self.segs.vars;
        // Operators of scans and reductions are not judged, but they may share work with other threads, too.
        let is_acc = |input: &Var| matches!(vars[*input].ty, Type::Acc(_));
        let mut obstacle = inputs.iter().any(is_acc).then_some(ADDS);
        if has_tasks(stm) {
            obstacle = obstacle.or(Some(SHARED));
        }
        let mut judge = Judge {
            vars,
            computed: &self.computed,
            variance: Variance::new(vars),
            obstacle,
            loops: false,
            better: true,
            found: Found::default(),
        };
        judge.enter(map, inputs, LANE);
        judge.body(&map.body);
        let folds = |op: &Screma| finds_extrema(op, vars) || combines_in_any_order(op, vars);
        let folds = matches!(&stm.exp, Exp::Screma(op) if folds(op));
        let Judge { obstacle, loops, better, .. } = judge;
        if let (Some(why), true, Some(name)) = (obstacle, loops, stm.exp.operator()) {
            let text = format!("{name}: one position at a time, without lanes: {why}");
            self.remarks.add(SIMD.name, RemarkKind::Missed, stm.loc.as_ref(), None, text);
        }
        obstacle.is_none() && better && (loops || folds)
    }
}

/// What only a thread as a whole can do.
const ADDS: &str = "its positions add to arrays that all of them share";
const SHARED: &str = "several threads share a position";
const FAILS: &str = "a check inside may fail";
const CALLS: &str = "it calls a function that is not inlined";
const PRINTS: &str = "it says something while it runs";
const SELECTS: &str = "there is something inside whose results have as many elements as it finds";
const HOST: &str = "it needs what only the program as a whole knows";

/// Whether there is a Seg in a statement that is not for one thread.
fn has_tasks(stm: &Stm) -> bool {
    let mut found = false;
    stm.exp.for_each_body(&mut |body| {
        let is_shared = |stm: &Stm| matches!(&stm.exp, Exp::Seg(seg) if seg.level != Level::Thread);
        found |= body.stms.iter().any(|stm| is_shared(stm) || has_tasks(stm));
    });
    found
}

/// What there is in a body.
#[derive(Clone, Copy, Default)]
struct Found {
    /// Elements of arrays in memory are read.
    loads: bool,
    /// Neighbouring lanes read neighbouring elements ...
    near: bool,
    /// ... or others.
    far: bool,
    /// Something expensive is the same for all lanes.
    saves: bool,
    /// About the number of operations.
    cost: i64,
}

/// Looks at the function of an operator.
struct Judge<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    computed: &'a Computed,
    variance: Variance<'a>,
    /// Something that only a thread as a whole can do.
    obstacle: Option<&'static str>,
    /// Whether there are loops or operators.
    loops: bool,
    /// Whether no operator inside should have the lanes instead.
    better: bool,
    found: Found,
}

impl Judge<'_> {
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
            self.variance.stm(stm);
        }
    }

    fn stm(&mut self, stm: &Stm) {
        self.found.cost += 2;
        match &stm.exp {
            Exp::Call(..) => self.refuse(CALLS),
            Exp::Assert(..) | Exp::Fail(_) => self.refuse(FAILS),
            Exp::Notice(..) | Exp::Trace(..) => self.refuse(PRINTS),
            Exp::Stream(_) | Exp::Partition(_) | Exp::Flatmap(_) => self.refuse(SELECTS),
            Exp::WithAcc(..) | Exp::UpdateAcc(..) => self.refuse(ADDS),
            Exp::Const(_) | Exp::Diff(_) | Exp::Tuning(..) | Exp::Threads => self.refuse(HOST),
            Exp::Seg(seg) if seg.level == Level::Thread => self.body(&seg.body.body),
            Exp::Seg(_) => self.refuse(SHARED),
            Exp::Screma(op) => {
                let has_order = !op.scans.is_empty()
                    || op.reds.iter().any(|red| !has_no_order(&red.op, self.vars));
                let (inputs, map) = (&op.inputs, &op.map);
                let folds = op.scans.iter().map(|scan| &scan.op);
                let folds = folds.chain(op.reds.iter().map(|red| &red.op)).collect();
                self.operator(op.width, inputs, map, folds, has_order);
            }
            Exp::Scatter(op) => self.operator(op.width, &op.inputs, &op.map, Vec::new(), false),
            Exp::Hist(op) => self.operator(op.width, &op.inputs, &op.map, Vec::new(), true),
            Exp::Loop(params, form, body) => {
                self.loops = true;
                for param in params {
                    self.variance.set(param.var, Varies::along(LANE).made());
                }
                if let LoopForm::For(counter, bound) = form {
                    let varies = self.variance.atom(*bound).is_along(LANE);
                    let start = if varies { Varies::along(LANE) } else { Varies::default() };
                    self.variance.set(*counter, start.and(Varies::along(INSIDE)));
                }
                self.body(body);
            }
            Exp::If(..) | Exp::Switch(..) => stm.exp.for_each_body(&mut |body| self.body(body)),
            Exp::Index(array, dims) => {
                let is_element = stm.pat.iter().all(|var| !self.vars[*var].ty.is_array());
                if is_element && !self.computed.all.contains(array) {
                    self.load(*array, dims);
                    self.found.cost += 4;
                }
            }
            Exp::Math(f, operands) => self.expensive(is_expensive(*f), operands, 16),
            Exp::BinOp(BinOp::Pow, a, b) => self.expensive(true, &[*a, *b], 16),
            Exp::BinOp(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, ..) => {
                self.found.cost += 8;
            }
            // Arrays that are made or moved have loops of their own.
            Exp::Update(..)
            | Exp::FlatUpdate(..)
            | Exp::Concat(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::Replicate(..)
            | Exp::Array(..) => {
                let is_small = |size: &Atom| matches!(size, Atom::Const(Scalar::I64(n)) if *n <= CPU.unrolled_iterations);
                let mut sizes = stm.pat.iter().flat_map(|var| self.vars[*var].ty.shape());
                let elements = stm.pat.iter().all(|var| self.computed.all.contains(var));
                let is_write = matches!(stm.exp, Exp::Update(..) | Exp::FlatUpdate(..));
                self.better &= is_write || elements || sizes.all(is_small);
            }
            Exp::Atom(_)
            | Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::FlatIndex(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..)
            | Exp::Iota(..)
            | Exp::Scratch(..)
            | Exp::Opaque(_) => {}
        }
    }

    /// Only a thread as a whole can do something.
    fn refuse(&mut self, why: &'static str) {
        self.obstacle = self.obstacle.or(Some(why));
    }

    /// The parameters of an operator's function.
    fn enter(&mut self, map: &Lambda, inputs: &[Var], dim: usize) {
        let counted = inputs.iter().filter(|input| self.computed.positions.contains(*input));
        counted.for_each(|input| self.variance.set_positions(*input));
        self.variance.enter_function(map, inputs, dim);
    }

    /// An element of an array.
    fn load(&mut self, array: Var, dims: &[Dim]) {
        self.found.loads = true;
        let along = |dims: &[Dim]| self.variance.index(array, dims).is_along(LANE);
        let Some((last, outer)) = dims.split_last().filter(|_| along(dims)) else { return };
        let at = self.variance.index(array, std::slice::from_ref(last));
        let is_near = !along(outer) && !at.is_far_along(LANE);
        self.found.near |= is_near;
        self.found.far |= !is_near;
    }

    fn expensive(&mut self, is_expensive: bool, operands: &[Atom], cost: i64) {
        let varies = operands.iter().any(|atom| self.variance.atom(*atom).is_along(LANE));
        self.found.saves |= is_expensive && !varies;
        self.found.cost += cost;
    }

    fn operator(
        &mut self,
        width: Atom,
        inputs: &[Var],
        map: &Lambda,
        folds: Vec<&Lambda>,
        has_order: bool,
    ) {
        self.loops = true;
        let is_same = !self.variance.atom(width).is_along(LANE);
        self.enter(map, inputs, INSIDE);
        let around = std::mem::take(&mut self.found);
        for (param, input) in map.params.iter().zip(inputs) {
            let is_element = !self.vars[*param].ty.is_array();
            if is_element && !self.computed.all.contains(input) {
                self.found.loads = true;
                self.found.far |= self.variance.atom((*input).into()).is_along(LANE);
            }
        }
        self.body(&map.body);
        for fold in folds {
            for param in &fold.params {
                self.variance.set(*param, Varies::along(LANE).made());
            }
            self.body(&fold.body);
        }
        let found = self.found;
        let is_short = matches!(width, Atom::Const(Scalar::I64(width))
            if width <= CPU.unrolled_iterations
                && width.saturating_mul(found.cost) <= CPU.unrolled_cost);
        if !has_order && !is_short {
            let is_near = found.near && !found.far;
            self.better &= is_same && (found.saves || !found.loads || is_near);
        }
        self.found = Found {
            loads: around.loads || found.loads,
            near: around.near || found.near,
            far: around.far || found.far,
            saves: around.saves || found.saves,
            cost: around.cost.saturating_add(found.cost.saturating_mul(2)),
        };
    }
}

fn is_expensive(f: MathFn) -> bool {
    !matches!(f, MathFn::Sqrt | MathFn::Fma | MathFn::Mad | MathFn::Lerp)
}

/// Whether an operator combines scalars, each component by itself, in any order.
fn has_no_order(op: &Lambda, vars: &IdVec<Var, VarInfo>) -> bool {
    componentwise(op, 0, vars).is_some_and(|ops| ops.into_iter().all(|(op, _)| commutes(op)))
}

/// Whether an operator reduces floats to the smallest or largest one.
fn finds_extrema(op: &Screma, vars: &IdVec<Var, VarInfo>) -> bool {
    let is_extremum = |(op, prim): (BinOp, Prim)| {
        matches!(op, BinOp::Min | BinOp::Max) && matches!(prim, Prim::F32 | Prim::F64)
    };
    let ops = op.reds.iter().filter_map(|red| componentwise(&red.op, 0, vars));
    ops.flatten().any(is_extremum)
}

/// Whether an operator reduces scalars by operators that choose an operand, or whose operands may come in any order, and that are
/// not those of vector units.
fn combines_in_any_order(op: &Screma, vars: &IdVec<Var, VarInfo>) -> bool {
    let is_scalar = |param: &Var| matches!(vars[*param].ty, Type::Scalar(Elem::Prim(_)));
    let scalars = op.reds.iter().flat_map(|red| &red.op.params).all(is_scalar);
    let fits = |red: &Red| red.commutative || extremum(&red.op, vars).is_some();
    let folds = |red: &Red| has_no_order(&red.op, vars) || fits(red);
    let is_new = |red: &Red| !has_no_order(&red.op, vars);
    op.scans.is_empty() && scalars && op.reds.iter().all(folds) && op.reds.iter().any(is_new)
}
