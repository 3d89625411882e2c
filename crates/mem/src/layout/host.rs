//! What the host does with arrays: who makes and reads them, and which of them are one array under several names.

use super::cost::{self, PASS, Use, apart, is_small};
use super::kernel::{Access, accesses};
use super::webs::Webs;
use fehu_base::IdVec;
use fehu_facts::{Origin, Views};
use fehu_ir::free::free_in_stm;
use fehu_ir::{After, Atom, Body, Exp, Level, Loc, LoopParam, Seg, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// What was found in a function.
pub(super) struct Found {
    pub(super) webs: Webs,
    /// The kernels, in the order of the text.
    pub(super) kernels: Vec<Kernel>,
    /// The arrays that are made: the order that suits the threads that write them, and how often that happens.
    pub(super) writes: Vec<(Access, u64)>,
    /// The arrays that go on, out of the function or as the values of variables: the order in which they can without
    /// being copied, and how often that happens.
    pub(super) moves: Vec<(Var, Vec<usize>, u64)>,
    /// What arrays are views of.
    pub(super) views: Views,
    /// In how many bodies the arrays are, the outermost included.
    pub(super) depth: FxHashMap<Var, usize>,
    /// Where arrays are made.
    pub(super) locs: FxHashMap<Var, Loc>,
}

/// A kernel that reads arrays.
pub(super) struct Kernel {
    /// What it is known by: the first variable that it binds.
    pub(super) seg: Var,
    /// Where it is.
    pub(super) path: Vec<Step>,
    pub(super) reads: Vec<Access>,
    /// Arrays that must stay as they are.
    pub(super) pinned: Vec<Var>,
    pub(super) loc: Option<Loc>,
}

impl Kernel {
    /// Its reads, with one for all of an array that the same orders suit.
    pub(super) fn reads_together(&self) -> Vec<Access> {
        let mut all: Vec<Access> = Vec::new();
        for read in &self.reads {
            let same = all
                .iter_mut()
                .find(|other| other.array == read.array && other.order.last() == read.order.last());
            match same {
                Some(other) => other.cost = other.cost.saturating_add(read.cost),
                None => all.push(read.clone()),
            }
        }
        all
    }
}

/// A way from a body into one inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// The statement, by the first variable that it binds.
    pub(super) stm: Option<Var>,
    /// The number of the body inside.
    pub(super) body: usize,
    pub(super) way: Way,
}

/// How often a body is executed when its statement is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Once,
    /// A loop.
    Repeated,
    /// So many of so many times: it stands for these of the alternatives between which branches choose.
    Branch(u64, u64),
}

/// The alternatives that a body is: those between which it chooses in the end, as versions do, or one.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others do not choose")]
fn alternatives(body: &Body) -> u64 {
    let Some(last) = body.stms.last() else { return 1 };
    let mut count = 0;
    match last.exp {
        Exp::If(..) | Exp::Switch(..)
            if last.pat.iter().copied().map(Atom::Var).eq(body.results.iter().copied()) =>
        {
            last.exp.for_each_body(&mut |body| count += alternatives(body));
        }
        _ => count = 1,
    }
    count
}

/// How often something is executed, in parts of [`ONCE`].
pub(super) fn often(path: &[Step]) -> u64 {
    let loops = path.iter().filter(|step| step.way == Way::Repeated);
    let loops = loops.fold(ONCE, |all, _| all.saturating_mul(cost::LOOP));
    let taken = path.iter().fold(loops.min(cost::MOST * ONCE), |all, step| match step.way {
        Way::Branch(part, of) => all * part / of,
        Way::Once | Way::Repeated => all,
    });
    taken.max(1)
}

/// For each dimension of an order, where it is.
pub(super) fn inverse(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (place, dim) in order.iter().enumerate() {
        places[*dim] = place;
    }
    places
}

/// Once.
const ONCE: u64 = 1 << 10;

/// Looks at a function or constant.
pub(super) fn look(params: &[Var], body: &Body, vars: &IdVec<Var, VarInfo>) -> Found {
    let found = Found {
        webs: Webs::default(),
        kernels: Vec::new(),
        writes: Vec::new(),
        moves: Vec::new(),
        views: Views::default(),
        depth: FxHashMap::default(),
        locs: FxHashMap::default(),
    };
    let (arrays, path, turned) = (FxHashSet::default(), Vec::new(), Vec::new());
    let mut host = Host { vars, arrays, path, bodies: 0, loc: None, turned, found };
    host.bind_pinned(params);
    host.body(body);
    for result in body.results.iter().filter_map(|atom| atom.var()) {
        let Origin { root, dims, is_whole } = host.found.views.origin(result, vars);
        if is_whole && vars[root].ty.is_array() {
            host.found.moves.push((root, dims, often(&[])));
        }
    }
    host.turned();
    host.found
}

struct Host<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    arrays: FxHashSet<Var>,
    path: Vec<Step>,
    bodies: usize,
    loc: Option<Loc>,
    /// Variables that are where an array is that has its dimensions in another order: these, and how often that happens.
    turned: Vec<(Var, Var, Vec<usize>, u64)>,
    found: Found,
}

impl Host<'_> {
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            let outer = self.loc.clone();
            if stm.loc.is_some() {
                self.loc.clone_from(&stm.loc);
            }
            self.stm(stm);
            self.loc = outer;
        }
    }

    fn inside(&mut self, stm: &Stm, body: &Body, way: Way) {
        self.bodies += 1;
        let step = Step { stm: stm.pat.first().copied(), body: self.bodies, way };
        self.path.push(step);
        self.body(body);
        self.path.pop();
    }

    fn bind(&mut self, var: Var) {
        if self.vars[var].ty.is_array() {
            self.arrays.insert(var);
            self.found.depth.insert(var, self.path.len());
            if let Some(loc) = &self.loc {
                self.found.locs.insert(var, loc.clone());
            }
        }
    }

    fn bind_pinned(&mut self, vars: &[Var]) {
        for var in vars {
            self.bind(*var);
            self.found.webs.pin(*var);
        }
    }

    /// What an operand is a view of.
    fn origin(&self, atom: Atom) -> Option<Origin> {
        let array = atom.var().filter(|var| self.vars[*var].ty.is_array())?;
        Some(self.found.views.origin(array, self.vars))
    }

    fn pin(&mut self, atom: Atom) {
        if let Some(origin) = self.origin(atom) {
            self.found.webs.pin(origin.root);
        }
    }

    /// A variable is where an operand is, or is to be there.
    fn join(&mut self, var: Var, atom: Atom) {
        let Some(Origin { root, dims, is_whole }) = self.origin(atom) else { return };
        if is_whole && dims.is_sorted() {
            self.found.webs.join(var, root, &dims);
        } else if is_whole {
            self.turned.push((var, root, dims, often(&self.path)));
        }
    }

    /// When all is known that must be in row-major order, arrays are joined that have their dimensions in different orders.
    fn turned(&mut self) {
        for (var, root, dims, often) in std::mem::take(&mut self.turned) {
            if self.found.webs.join(var, root, &dims) {
                continue;
            }
            if self.found.webs.is_pinned(root) {
                self.found.moves.push((var, inverse(&dims), often));
            } else if self.found.webs.is_pinned(var) {
                self.found.moves.push((root, dims, often));
            }
        }
    }

    /// An array that is written in row-major order.
    fn written(&mut self, var: Var) {
        let rank = self.vars[var].ty.rank();
        self.written_in(var, (0..rank).collect(), rank);
    }

    /// An array of which neighbouring threads write neighbouring elements if it has this order, and otherwise rows of its
    /// dimensions from this one on.
    fn written_in(&mut self, array: Var, order: Vec<usize>, row: usize) {
        let Type::Array(elem, shape) = &self.vars[array].ty else { return };
        let cost = apart(Use::Write, *elem, &shape[row..], PASS);
        self.found.writes.push((Access { array, order, cost }, often(&self.path)));
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Seg(seg) if matches!(seg.level, Level::Grid | Level::Blocks | Level::Warps) => {
                self.kernel(stm, seg);
            }
            Exp::If(..) | Exp::Switch(..) => {
                stm.pat.iter().for_each(|var| self.bind(*var));
                let mut all = 0;
                stm.exp.for_each_body(&mut |body| all += alternatives(body));
                stm.exp.for_each_body(&mut |body| {
                    self.inside(stm, body, Way::Branch(alternatives(body), all));
                    stm.pat
                        .iter()
                        .zip(&body.results)
                        .for_each(|(var, result)| self.join(*var, *result));
                });
            }
            Exp::Loop(params, _, body) => self.loop_(stm, params, body),
            Exp::Index(..) | Exp::Rearrange(..) | Exp::Atom(_) => {
                stm.pat.iter().for_each(|var| self.bind(*var));
                self.found.views.stm(stm, self.vars);
            }
            Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => {
                self.bind(stm.pat[0]);
                match self.origin((*array).into()) {
                    Some(origin) if origin.is_whole && origin.dims.is_sorted() => {
                        self.found.webs.join(stm.pat[0], origin.root, &origin.dims);
                    }
                    _ => {
                        self.pin((*array).into());
                        self.found.webs.pin(stm.pat[0]);
                    }
                }
            }
            Exp::Copy(_)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Array(..) => {
                self.bind(stm.pat[0]);
                self.written(stm.pat[0]);
            }
            Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Tuning(..)
            | Exp::Threads => {}
            // What is passed as a pointer, or what a loop of the host goes through, is in row-major order.
            Exp::Seg(_)
            | Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Partition(_)
            | Exp::Stream(_)
            | Exp::Flatmap(_)
            | Exp::Diff(_)
            | Exp::WithAcc(..)
            | Exp::UpdateAcc(..)
            | Exp::Call(..)
            | Exp::Const(_)
            | Exp::Fail(_)
            | Exp::Opaque(_)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Manifest(_)
            | Exp::Reshape(..)
            | Exp::FlatIndex(..) => {
                self.bind_pinned(&stm.pat);
                free_in_stm(stm, self.vars).iter().for_each(|var| self.pin((*var).into()));
                stm.exp.for_each_lambda(&mut |lambda| self.bind_pinned(&lambda.params));
                stm.exp.for_each_body(&mut |body| self.inside(stm, body, Way::Once));
            }
        }
    }

    fn loop_(&mut self, stm: &Stm, params: &[LoopParam], body: &Body) {
        self.bodies += 1;
        let step = Step { stm: stm.pat.first().copied(), body: self.bodies, way: Way::Repeated };
        self.path.push(step);
        params.iter().for_each(|param| self.bind(param.var));
        self.body(body);
        for (param, result) in params.iter().zip(&body.results) {
            self.join(param.var, *result);
        }
        self.path.pop();
        for (var, param) in stm.pat.iter().zip(params) {
            self.bind(*var);
            let dims: Vec<usize> = (0..self.vars[*var].ty.rank()).collect();
            self.found.webs.join(*var, param.var, &dims);
        }
    }

    fn kernel(&mut self, stm: &Stm, seg: &Seg) {
        let accesses = accesses(seg, self.vars, &self.arrays);
        accesses.pinned.iter().for_each(|array| self.pin((*array).into()));
        let is_small = |array: Var| is_small(self.vars[array].ty.shape());
        let reads = accesses.reads.into_iter().filter(|read| !is_small(read.array)).collect();
        if let Some(first) = stm.pat.first() {
            let (path, loc) = (self.path.clone(), self.loc.clone());
            let pinned = accesses.pinned.clone();
            self.found.kernels.push(Kernel { seg: *first, path, reads, pinned, loc });
        }
        for var in stm.pat.iter().filter(|var| self.vars[**var].ty.is_array()) {
            self.bind(*var);
            self.made(seg, *var);
            // It may be one that the kernel changes.
            if accesses.pinned.iter().any(|array| self.vars[*array].ty == self.vars[*var].ty) {
                self.found.webs.pin(*var);
            }
        }
    }

    /// A result of a kernel.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others fill an array")]
    fn made(&mut self, seg: &Seg, var: Var) {
        let Some(parts) = seg.parts() else { return };
        let outer = seg.space.len() + 1;
        let rank = self.vars[var].ty.rank();
        match &parts.op.exp {
            Exp::Screma(op) if seg.rows.is_none() && seg.level == Level::Grid => {
                let is_map = op.folded() == 0 && parts.after == After::Nothing;
                match is_map && rank > outer {
                    // Each thread writes an array.
                    true => self.written_in(var, (outer..rank).chain(0..outer).collect(), outer),
                    false => self.written(var),
                }
            }
            // What is changed is where it was.
            Exp::Hist(_) | Exp::Scatter(_) | Exp::Partition(_) => self.found.webs.pin(var),
            _ if seg.rows.is_some() => self.found.webs.pin(var),
            _ => self.written(var),
        }
    }
}
