//! Which arrays may share memory, and which memory never changes.
//!
//! The arrays of a function are divided into classes: two arrays that may share memory at any time are in the same
//! class. A class is *fixed* if none of its arrays is consumed in the function, nor a result of it, which the caller
//! might consume.
//!
//! A class consists of *versions*: an update consumes one and makes the next, and nothing that shares memory with the old one may
//! be used then. A version that nothing consumes is *settled*: whoever can name one of its arrays reads the same from it ever
//! after, although its memory may have changed before, as that of an array that a loop has filled.
//!
//! A settled array that is no result of the function, a *final* one, needs no memory of its own: another array with the
//! same elements can be read instead, wherever that is in scope, if it is settled; so two equal final arrays can be
//! merged.
//!
//! This analysis considers the whole function at once, and not the order of its statements, so it is linear and simple,
//! and remains valid when statements move. Views need no such analysis: as long as a view may be used, so may
//! the array that it refers to.

use crate::in_place::returned;
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{Atom, Body, Exp, Lambda, LoopParam, Prog, Seg, Stm, StreamForm, Var, VarInfo};

/// The parent of a variable of which nothing is known.
const UNKNOWN: u32 = u32::MAX;

/// The classes of a function's or a constant's arrays.
#[derive(Clone, Debug)]
pub struct Share {
    classes: Forest,
    /// Finer: what changes an array in place does not join it with what comes out.
    versions: Forest,
}

impl Share {
    /// Looks at a function or constant.
    pub fn of(prog: &Prog, body: &Body, vars: &IdVec<Var, VarInfo>) -> Share {
        let all = Forest::of(vars.len());
        let share = Share { classes: all.clone(), versions: all };
        let mut look = Look { share, prog, vars };
        look.body(body);
        for result in &body.results {
            look.mark(*result, |fate| fate.returned = true);
        }
        look.share
    }

    /// Whether the array's memory never changes while the function runs, nor afterwards because of its result.
    /// Nothing is known of variables that were made later, unless [`Share::join`] was told.
    pub fn is_fixed(&self, var: Var) -> bool {
        self.classes.fate(var).is_some_and(|fate| !fate.consumed && !fate.returned)
    }

    /// Whether the array's memory does not change any more in the function, wherever its name is in scope. As for
    /// [`Share::is_fixed`], nothing is known of variables that were made later.
    pub fn is_settled(&self, var: Var) -> bool {
        self.versions.fate(var).is_some_and(|fate| !fate.consumed)
    }

    /// Whether, besides, it is not a result of the function, whose caller might change it.
    pub fn is_final(&self, var: Var) -> bool {
        self.versions.fate(var).is_some_and(|fate| !fate.consumed && !fate.returned)
    }

    /// The number of an array's class.
    pub fn class(&self, var: Var) -> Option<usize> {
        self.classes.root(var)
    }

    /// Whether two arrays may share memory.
    pub fn may_share(&self, a: Var, b: Var) -> bool {
        match (self.classes.root(a), self.classes.root(b)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    }

    /// Notes that two variables may share memory.
    pub fn join(&mut self, a: Var, b: Var) {
        self.classes.join(a, b);
        self.versions.join(a, b);
    }
}

/// Sets of variables, and what becomes of them.
#[derive(Clone, Debug)]
struct Forest {
    /// The parent of every variable, and [`UNKNOWN`] of those that were made later.
    parent: Vec<u32>,
    /// For every root what becomes of its set.
    fates: Vec<Fate>,
}

/// What becomes of the arrays of a set.
#[derive(Clone, Copy, Debug, Default)]
struct Fate {
    /// One is consumed in the function.
    consumed: bool,
    /// One is a result of the function.
    returned: bool,
}

impl Forest {
    /// Each variable by itself.
    fn of(count: usize) -> Forest {
        Forest { parent: (0..count as u32).collect(), fates: vec![Fate::default(); count] }
    }

    fn fate(&self, var: Var) -> Option<Fate> {
        self.root(var).map(|root| self.fates[root])
    }

    fn mark(&mut self, var: Var, how: impl Fn(&mut Fate)) {
        if let Some(root) = self.root(var) {
            how(&mut self.fates[root]);
        }
    }

    fn join(&mut self, a: Var, b: Var) {
        self.grow(a);
        self.grow(b);
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            // The older one becomes the root: what is made later is found in one step.
            let (old, new) = (a.min(b), a.max(b));
            self.parent[new] = old as u32;
            self.fates[old].consumed |= self.fates[new].consumed;
            self.fates[old].returned |= self.fates[new].returned;
        }
    }

    /// The root, with the way to it cut short.
    fn find(&mut self, var: Var) -> usize {
        let mut at = var.index();
        while self.parent[at] as usize != at {
            let up = self.parent[at] as usize;
            self.parent[at] = self.parent[up];
            at = up;
        }
        at
    }

    /// Notes a variable that was made later, with memory of its own.
    fn grow(&mut self, var: Var) {
        if self.parent.len() <= var.index() {
            // Those in between are not known.
            self.parent.resize(var.index() + 1, UNKNOWN);
            self.fates.resize(var.index() + 1, Fate::default());
        }
        if self.parent[var.index()] == UNKNOWN {
            self.parent[var.index()] = var.index() as u32;
        }
    }

    fn root(&self, var: Var) -> Option<usize> {
        let mut at = var.index();
        loop {
            let up = *self.parent.get(at)?;
            if up == UNKNOWN {
                return None;
            }
            if up as usize == at {
                return Some(at);
            }
            at = up as usize;
        }
    }
}

struct Look<'a> {
    share: Share,
    prog: &'a Prog,
    vars: &'a IdVec<Var, VarInfo>,
}

impl Look<'_> {
    fn holds_memory(&self, var: Var) -> bool {
        // Accumulators stand for arrays.
        self.vars.get(var).is_some_and(|info| !matches!(info.ty, fehu_ir::Type::Scalar(_)))
    }

    fn same(&mut self, a: Var, b: Atom) {
        if let Atom::Var(b) = b
            && self.holds_memory(a)
            && self.holds_memory(b)
        {
            self.share.join(a, b);
        }
    }

    fn consume(&mut self, atom: Atom) {
        self.mark(atom, |fate| fate.consumed = true);
    }

    /// The first is the next version of the second, in the same memory.
    fn changes(&mut self, new: Var, old: Var) {
        self.consume(old.into());
        if self.holds_memory(new) && self.holds_memory(old) {
            self.share.classes.join(new, old);
        }
    }

    fn mark(&mut self, atom: Atom, how: impl Fn(&mut Fate)) {
        if let Atom::Var(var) = atom
            && self.holds_memory(var)
        {
            self.share.classes.mark(var, &how);
            self.share.versions.mark(var, &how);
        }
    }

    fn all_same(&mut self, vars: &[Var], atoms: &[Atom]) {
        for (var, atom) in vars.iter().zip(atoms) {
            self.same(*var, *atom);
        }
    }

    /// Parameters of a function that stand for rows or chunks of arrays.
    fn rows(&mut self, params: &[Var], arrays: &[Var]) {
        for (param, array) in params.iter().zip(arrays) {
            self.same(*param, Atom::Var(*array));
        }
    }

    /// After its body. A parameter that the body consumes is a version for each iteration, so the loop changes what it
    /// begins with.
    fn repeated(&mut self, pat: &[Var], params: &[LoopParam], body: &Body) {
        for (param, next) in params.iter().zip(&body.results) {
            self.same(param.var, *next);
        }
        for (param, var) in params.iter().zip(pat) {
            if self.share.is_settled(param.var) {
                self.same(param.var, param.init);
                self.same(*var, Atom::Var(param.var));
            } else {
                if let Atom::Var(init) = param.init {
                    self.changes(param.var, init);
                }
                self.changes(*var, param.var);
            }
        }
    }

    fn accumulators(&mut self, map: &Lambda, inputs: &[Var], pat: &[Var], skip: usize) {
        self.rows(&map.params, inputs);
        // An accumulator is passed through and bound as it is.
        for (var, result) in pat.iter().zip(map.body.results.get(skip..).unwrap_or(&[])) {
            if self.is_accumulator(*var) {
                self.same(*var, *result);
            }
        }
    }

    /// Elements are where the inputs are. What the operator makes is new, unless it writes to an element or accumulator.
    fn seg(&mut self, pat: &[Var], seg: &Seg) {
        self.rows(seg.elements(), &seg.inputs);
        let Some(parts) = seg.parts() else { return };
        let writes = |stm: &&Stm| matches!(stm.exp, Exp::Hist(_) | Exp::Scatter(_));
        let writers = parts.operators().filter(writes);
        let written: Vec<Atom> =
            writers.flat_map(|stm| &stm.pat).map(|var| Atom::Var(*var)).collect();
        for (var, result) in pat.iter().zip(&seg.body.body.results) {
            if written.contains(result) || self.is_accumulator(*var) {
                self.same(*var, *result);
            }
        }
    }

    fn is_accumulator(&self, var: Var) -> bool {
        self.vars.get(var).is_some_and(|info| matches!(info.ty, fehu_ir::Type::Acc(_)))
    }
}

impl Visit for Look<'_> {
    fn stm(&mut self, stm: &Stm) {
        let pat = &stm.pat;
        match &stm.exp {
            Exp::Atom(atom) | Exp::Opaque(atom) | Exp::Trace(_, atom) => {
                self.all_same(pat, &[*atom]);
            }
            Exp::Index(array, _)
            | Exp::FlatIndex(array, ..)
            | Exp::Reshape(array, _)
            | Exp::Rearrange(array, _) => self.all_same(pat, &[Atom::Var(*array)]),
            Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => {
                pat.iter().for_each(|var| self.changes(*var, *array));
            }
            Exp::UpdateAcc(array, ..) => {
                self.consume(Atom::Var(*array));
                self.all_same(pat, &[Atom::Var(*array)]);
            }
            Exp::If(_, bodies) => {
                for body in &**bodies {
                    self.all_same(pat, &body.results);
                }
            }
            Exp::Switch(_, switch) => {
                for (_, body) in &switch.cases {
                    self.all_same(pat, &body.results);
                }
                self.all_same(pat, &switch.default.results);
            }
            Exp::Loop(params, _, body) => {
                walk_stm(self, stm);
                return self.repeated(pat, params, body);
            }
            Exp::Call(fun, args) => {
                let mut others: Vec<Var> = Vec::with_capacity(pat.len());
                for (k, var) in pat.iter().enumerate() {
                    match returned(self.prog, *fun, k).and_then(|param| args.get(param)) {
                        Some(arg) => self.same(*var, *arg),
                        None => others.push(*var),
                    }
                }
                for (index, var) in others.iter().enumerate() {
                    for arg in args {
                        self.same(*var, *arg);
                    }
                    // Results may share with each other.
                    for other in &others[..index] {
                        self.same(*var, Atom::Var(*other));
                    }
                }
                let params = self.prog.funs.get(*fun).map_or(&[][..], |fun| &fun.params);
                for (param, arg) in params.iter().zip(args) {
                    if param.consumed {
                        self.consume(*arg);
                    }
                }
            }
            // A constant is never consumed, but it lives longer than anything of this function.
            Exp::Const(_) => {}
            Exp::Screma(op) => {
                let skip = op.scans.iter().map(|scan| scan.neutral.len()).sum::<usize>()
                    + op.reds.iter().map(|red| red.neutral.len()).sum::<usize>();
                let pat = pat.get(skip..).unwrap_or(&[]);
                self.accumulators(&op.map, &op.inputs, pat, skip);
            }
            Exp::Hist(op) => {
                self.rows(&op.map.params, &op.inputs);
                let dests = op.ops.iter().flat_map(|op| &op.dests);
                for (var, dest) in pat.iter().zip(dests) {
                    self.changes(*var, *dest);
                }
            }
            Exp::Scatter(op) => {
                self.rows(&op.map.params, &op.inputs);
                for (var, (_, dest)) in pat.iter().zip(&op.dests) {
                    self.changes(*var, *dest);
                }
            }
            Exp::Stream(op) => {
                self.rows(op.chunk_params(), &op.inputs);
                if let StreamForm::Pass(pieces) = &op.form {
                    let mut params = op.piece_params();
                    for piece in pieces {
                        let (own, rest) = params.split_at(2 + piece.values.len());
                        self.rows(&own[..1], &[piece.sizes]);
                        self.rows(&own[2..], &piece.values);
                        params = rest;
                    }
                }
                let params = op.acc_params();
                match op.form {
                    StreamForm::Seq | StreamForm::Pass(_) => {
                        for (index, param) in params.iter().enumerate() {
                            self.same(*param, op.init[index]);
                            self.all_same(&[*param], &op.chunk.body.results[index..][..1]);
                            self.same(pat[index], Atom::Var(*param));
                        }
                    }
                    // Every chunk starts with a copy of its own.
                    StreamForm::Map | StreamForm::Red(..) => {}
                }
            }
            Exp::Partition(op) => self.rows(&op.map.params, &op.inputs),
            Exp::Flatmap(op) => self.rows(&op.map.params, &op.inputs),
            Exp::Seg(seg) => self.seg(pat, seg),
            // The others yield new arrays.
            Exp::Diff(_) => {}
            Exp::WithAcc(inputs, lambda) => {
                let accs = lambda.params.get(inputs.len()..).unwrap_or(&[]).to_vec();
                let mut bound = pat.iter();
                for (index, input) in inputs.iter().enumerate() {
                    for array in &input.arrays {
                        self.consume(Atom::Var(*array));
                        if let Some(acc) = accs.get(index) {
                            self.same(*acc, Atom::Var(*array));
                        }
                        if let Some(var) = bound.next() {
                            self.changes(*var, *array);
                        }
                    }
                }
                let rest = lambda.body.results.get(inputs.len()..).unwrap_or(&[]);
                for (var, result) in bound.zip(rest) {
                    self.same(*var, *result);
                }
            }
            Exp::Tuning(..)
            | Exp::Notice(..)
            | Exp::Threads
            | Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Array(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::Fail(_) => {}
        }
        walk_stm(self, stm);
    }
}
