//! How the threads of a kernel go through the arrays of the host.

use super::cost::{self, PASS, Use};
use fehu_base::IdVec;
use fehu_facts::{Element, Variance, Varies, Views};
use fehu_ir::{
    After, Atom, Body, Exp, Lambda, Level, LoopForm, LoopParam, Scalar, Screma, Seg, Stm, Type,
    Var, VarInfo,
};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// How neighbouring threads read an array.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// The array, as the kernel knows it.
    pub(super) array: Var,
    /// The order of its dimensions that suits them: the threads are neighbours along the last one.
    pub(super) order: Vec<usize>,
    /// What it costs more if elements along that dimension are not neighbours.
    pub(super) cost: u64,
}

/// What a kernel does with arrays of the host.
#[derive(Default)]
pub(super) struct Accesses {
    /// How its threads read them.
    pub(super) reads: Vec<Access>,
    /// Those of which it needs rows in row-major order: it passes pointers to them on, or changes them.
    pub(super) pinned: Vec<Var>,
}

/// Looks at a kernel. `host` are the arrays of the host.
pub(super) fn accesses(seg: &Seg, vars: &IdVec<Var, VarInfo>, host: &FxHashSet<Var>) -> Accesses {
    let (variance, views) = (Variance::new(vars), Views::default());
    let found = Accesses::default();
    let threads = 0..0;
    let mut look = Look {
        vars,
        host,
        variance,
        views,
        threads,
        by_block: false,
        next: 0,
        loops: Vec::new(),
        is_learning: false,
        found,
    };
    look.seg(seg);
    look.found
}

struct Look<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    host: &'a FxHashSet<Var>,
    variance: Variance<'a>,
    views: Views,
    /// The dimensions of the variance that are positions of threads which run together, the innermost last.
    threads: Range<usize>,
    /// Whether the threads of a block execute it together, but for what [`Look::threads`] are at.
    by_block: bool,
    /// The first dimension that stands for nothing yet.
    next: usize,
    /// The loops around the present statement inside of a thread: the dimension of each, and how often it is repeated.
    loops: Vec<(usize, u64)>,
    /// Whether we only want to know how values differ.
    is_learning: bool,
    found: Accesses,
}

impl Look<'_> {
    fn is_array(&self, var: Var) -> bool {
        self.vars[var].ty.is_array()
    }

    /// New dimensions.
    fn dims(&mut self, count: usize) -> Range<usize> {
        let first = self.next;
        self.next += count;
        first..self.next
    }

    fn seg(&mut self, seg: &Seg) {
        let dims = self.dims(seg.space.len() + 1);
        let op = dims.end - 1;
        for (dim, index) in dims.clone().zip(seg.indices()) {
            self.variance.set(*index, Varies::along(dim));
        }
        for (param, input) in seg.elements().iter().zip(&seg.inputs) {
            let space: Vec<usize> = (dims.start..op).collect();
            let at = space.iter().fold(Varies::default(), |all, dim| all.and(Varies::along(*dim)));
            match self.is_array(*param) {
                true => self.views.enter_at(*param, *input, &space, self.vars),
                false => self.read(*input, &[], &space),
            }
            self.variance.element(*param, *input, at);
        }
        let outer = self.threads.clone();
        let mut is_loop = false;
        match seg.level {
            Level::Grid | Level::Block => self.threads = dims,
            // All threads of a block are at the same position.
            Level::Blocks | Level::Warps => (self.threads, self.by_block) = (0..0, true),
            Level::Task | Level::Thread => is_loop = true,
        }
        let Some(parts) = seg.parts() else { return };
        for stm in parts.before {
            self.stm(stm);
            self.learn(stm);
        }
        for stm in parts.operators() {
            // Where rows differ, who reads which element is found out at run time.
            match seg.rows {
                Some(_) => self.pin_all(stm),
                None => self.operator(stm, op, is_loop),
            }
            self.learn(stm);
        }
        match parts.after {
            After::Nothing | After::Epilogue(_) => {}
            // One thread for each segment.
            After::Finish(stms) => {
                for stm in stms {
                    self.stm(stm);
                    self.learn(stm);
                }
            }
        }
        self.threads = outer;
    }

    /// An operator, whose positions are a dimension: a loop, or the positions of threads.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no positions")]
    fn operator(&mut self, stm: &Stm, dim: usize, is_loop: bool) {
        let width = match &stm.exp {
            Exp::Screma(op) => op.width,
            Exp::Hist(op) => op.width,
            Exp::Scatter(op) => op.width,
            Exp::Partition(op) => op.width,
            // A thread for each element.
            _ if !is_loop => return,
            _ => return self.single(stm),
        };
        if is_loop {
            self.loops.push((dim, trips(width)));
        }
        match &stm.exp {
            Exp::Screma(op) => self.screma(op, dim),
            Exp::Hist(op) => {
                self.function(&op.map, &op.inputs, dim);
                op.map.body.results.iter().for_each(|result| self.pin(*result));
                for op in &op.ops {
                    op.dests.iter().for_each(|dest| self.pin((*dest).into()));
                    self.combine(&op.op);
                }
            }
            Exp::Scatter(op) => {
                self.function(&op.map, &op.inputs, dim);
                self.copied(&op.map.body.results);
                op.dests.iter().for_each(|(_, dest)| self.pin((*dest).into()));
            }
            Exp::Partition(op) => {
                self.function(&op.map, &op.inputs, dim);
                self.copied(&op.map.body.results);
            }
            _ => {}
        }
        if is_loop {
            self.loops.pop();
        }
    }

    fn screma(&mut self, op: &Screma, dim: usize) {
        self.function(&op.map, &op.inputs, dim);
        self.copied(&op.map.body.results[op.folded()..]);
        op.map.body.results[..op.folded()].iter().for_each(|result| self.pin(*result));
        op.scans.iter().for_each(|scan| self.combine(&scan.op));
        op.reds.iter().for_each(|red| self.combine(&red.op));
    }

    /// A function that is applied to the elements of inputs.
    fn function(&mut self, map: &Lambda, inputs: &[Var], dim: usize) {
        for (param, input) in map.params.iter().zip(inputs) {
            if !self.is_array(*param) {
                self.read(*input, &[], &[dim]);
            }
        }
        self.variance.enter_function(map, inputs, dim);
        self.views.enter(map, inputs, Some(dim), self.vars);
        self.body(&map.body);
    }

    /// A function that combines values of which nothing is known.
    fn combine(&mut self, op: &Lambda) {
        let anything = self.anything();
        op.params.iter().for_each(|param| self.variance.set(*param, anything));
        self.body(&op.body);
    }

    /// What may be different for every thread, and far from its neighbours.
    fn anything(&self) -> Varies {
        let dims = self.threads.clone();
        dims.fold(Varies::default(), |all, dim| all.and(Varies::far_along(dim)))
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
            self.learn(stm);
        }
    }

    fn learn(&mut self, stm: &Stm) {
        self.variance.stm(stm);
        self.views.stm(stm, self.vars);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no bodies")]
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Screma(_) | Exp::Hist(_) | Exp::Scatter(_) | Exp::Partition(_) => {
                let dim = self.dims(1).start;
                self.operator(stm, dim, true);
            }
            Exp::Seg(seg) => self.seg(seg),
            Exp::Loop(params, form, body) => self.loop_(params, *form, body),
            Exp::If(..) | Exp::Switch(..) => stm.exp.for_each_body(&mut |body| {
                self.body(body);
                body.results.iter().for_each(|result| self.pin(*result));
            }),
            Exp::WithAcc(inputs, lambda) => {
                inputs
                    .iter()
                    .flat_map(|input| &input.arrays)
                    .for_each(|array| self.pin((*array).into()));
                self.body(&lambda.body);
            }
            _ => self.single(stm),
        }
    }

    /// A statement without bodies.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others read no elements")]
    fn single(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Index(array, dims) if stm.pat.iter().all(|var| !self.is_array(*var)) => {
                let element = self.views.element(*array, dims, &[], &self.variance, self.vars);
                self.found_read(&element);
            }
            Exp::Index(..) | Exp::Rearrange(..) | Exp::Atom(_) => {}
            Exp::Copy(array) | Exp::Manifest(array) => self.copied(&[(*array).into()]),
            Exp::Concat(_, arrays) => {
                arrays.iter().for_each(|array| self.copied(&[(*array).into()]));
            }
            Exp::Array(_, atoms) => self.copied(atoms),
            Exp::Replicate(_, value) => self.copied(&[*value]),
            Exp::Update(array, _, value) => {
                self.pin((*array).into());
                self.copied(&[*value]);
            }
            Exp::FlatUpdate(array, _, _, value) => {
                self.pin((*array).into());
                self.copied(&[(*value).into()]);
            }
            _ => self.pin_all(stm),
        }
    }

    fn loop_(&mut self, params: &[LoopParam], form: LoopForm, body: &Body) {
        let dim = self.dims(1).start;
        let mut count = cost::LOOP;
        if let LoopForm::For(counter, bound) = form {
            self.variance.set(counter, Varies::along(dim));
            count = trips(bound);
        }
        for param in params {
            self.pin(param.init);
            let varies = match self.is_array(param.var) {
                true => Varies::default(),
                // It changes from step to step; how it differs between threads, its first value and the body say.
                false => self.variance.atom(param.init).and(Varies::along(dim)),
            };
            self.variance.set(param.var, varies);
        }
        self.loops.push((dim, count));
        // Once to find out how the next values differ, and then with what they may be.
        let was_learning = std::mem::replace(&mut self.is_learning, true);
        self.body(body);
        self.is_learning = was_learning;
        for (param, result) in params.iter().zip(&body.results) {
            let varies = self.variance.atom(param.var.into()).and(self.variance.atom(*result));
            self.variance.set(param.var, varies);
        }
        if !was_learning {
            self.body(body);
        }
        self.loops.pop();
        body.results.iter().for_each(|result| self.pin(*result));
    }

    /// A thread reads these arrays from the first to the last element, or the threads of a block do so together.
    fn copied(&mut self, atoms: &[Atom]) {
        for array in atoms.iter().filter_map(|atom| atom.var()) {
            if self.is_array(array) && self.host.contains(&self.origin(array)) {
                let dims = self.dims(self.vars[array].ty.rank());
                let together = self.by_block && self.threads.is_empty();
                let outer = self.threads.clone();
                if together {
                    self.threads = dims.clone();
                }
                self.read(array, &[], &dims.collect::<Vec<usize>>());
                self.threads = outer;
            }
        }
    }

    fn read(&mut self, array: Var, dims: &[fehu_ir::Dim], rest: &[usize]) {
        if !self.is_array(array) {
            return;
        }
        let element = self.views.element(array, dims, rest, &self.variance, self.vars);
        self.found_read(&element);
    }

    fn origin(&self, array: Var) -> Var {
        self.views.origin(array, self.vars).root
    }

    fn pin(&mut self, atom: Atom) {
        let Some(array) = atom.var().filter(|var| self.is_array(*var)) else { return };
        let root = self.origin(array);
        if self.host.contains(&root) && !self.is_learning {
            self.found.pinned.push(root);
        }
    }

    fn pin_all(&mut self, stm: &Stm) {
        for var in fehu_ir::free::free_in_stm(stm, self.vars) {
            self.pin(var.into());
        }
    }

    fn found_read(&mut self, element: &Element) {
        let Element { root, at } = element;
        if !self.host.contains(root) || self.threads.is_empty() || self.is_learning {
            return;
        }
        let own = self.threads.end - 1;
        let mut along = (0..at.len()).filter(|dim| at[*dim].is_along(own));
        let (Some(inner), None) = (along.next(), along.next()) else { return };
        if at[inner].is_far_along(own) {
            return;
        }
        // What many rows of threads read is in the caches, or in a tile, and good as it is.
        let is_shared = |dim: usize| !at.iter().any(|varies| varies.is_along(dim));
        if inner + 1 < at.len() && self.threads.clone().any(is_shared) {
            return;
        }
        let is_thread =
            |varies: Varies| self.threads.clone().rev().find(|dim| varies.is_along(*dim));
        let is_outer = |varies: Varies| (0..self.threads.start).any(|dim| varies.is_along(dim));
        let mut order: Vec<usize> = (0..at.len()).collect();
        order.sort_by_key(|dim| match is_thread(at[*dim]) {
            Some(thread) => (2, thread),
            None if is_outer(at[*dim]) => (0, 0),
            None => (1, 0),
        });
        let cost = self.cost(*root, at, inner);
        self.found.reads.push(Access { array: *root, order, cost });
    }

    /// What it costs more if the elements of neighbours are not neighbours along this dimension.
    fn cost(&self, root: Var, at: &[Varies], inner: usize) -> u64 {
        let Type::Array(elem, shape) = &self.vars[root].ty else { return 0 };
        // Who reads the same index everywhere reads a part of the array.
        let fixed = at.iter().zip(shape).filter(|(varies, _)| **varies == Varies::default());
        let part = fixed.fold(1u64, |all, (_, size)| all.saturating_mul(trips(*size)));
        // A loop in which no index changes reads it again and again.
        let again = self.loops.iter().filter(|(dim, _)| !at.iter().any(|at| at.is_along(*dim)));
        let again = again.fold(1u64, |all, (_, count)| all.saturating_mul(*count));
        let passes = (PASS * again.min(cost::MOST)) / part;
        let walks = self.loops.iter().any(|(dim, _)| at.iter().any(|at| at.is_along(*dim)));
        let how = if walks { Use::Walk } else { Use::Read };
        cost::apart(how, *elem, &shape[inner + 1..], passes)
    }
}

/// How often a loop is repeated.
fn trips(count: Atom) -> u64 {
    match count {
        Atom::Const(Scalar::I64(count)) => u64::try_from(count).unwrap_or(0).max(1),
        Atom::Const(_) | Atom::Var(_) => cost::LOOP,
    }
}
