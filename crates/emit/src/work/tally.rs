//! Counting what an operator does.
//!
//! The code of the operator is walked with the number of times that it is executed, a polynomial in sizes that the host
//! knows. Of memory, what counts is what must be moved at least: of each array that exists outside of the operator, the
//! elements that are accessed, but no more than the array has, since what is read again is read from a cache. They
//! count for the line that accesses them first. Views are the array that they are of (its *root*), and memory that the
//! operator has for itself does not count.
//!
//! Where a number depends on the data, the operator is not *exact*: of two branches the more expensive one counts, all
//! elements that an access in a loop of unknown length could reach, and one iteration of such a loop.

use super::super::Emit;
use ecow::EcoString;
use fehu_base::Prim;
use fehu_facts::cost::weigh_stm;
use fehu_facts::poly::Poly;
use fehu_imp::{Exp as ImpExp, Share};
use fehu_ir::{
    self as ir, AccInput, Atom, BinOp, Body, Elem, Exp, Lambda, Loc, LoopForm, Scalar, Seg, Type,
    Var,
};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// More lines than this are not told apart: the others count for the operator's own.
const MOST_PARTS: usize = 24;

/// How often something is executed.
#[derive(Clone)]
struct Times {
    count: Poly,
    /// Whether it may be more.
    more: bool,
}

/// The elements of an array that are read or written.
struct Traffic {
    /// The number of the part that counts.
    part: usize,
    count: Poly,
    /// Whether there may be more accesses.
    more: bool,
}

/// What has been counted.
pub(super) struct Tally<'e, 'a> {
    emit: &'e Emit<'a>,
    /// The variables that amounts may mention, if not all that the host knows.
    sizes: Option<FxHashSet<Var>>,
    /// What the statement binds.
    pat: &'a [Var],
    /// The variables that are bound inside of it so far.
    inner: FxHashSet<Var>,
    /// The arrays that views are of, perhaps views themselves.
    roots: FxHashMap<Var, Var>,
    /// Integers of the operator's code in terms of what the host knows.
    known: FxHashMap<Var, Poly>,
    /// The inputs of accumulators, by their certificates.
    accs: FxHashMap<Var, &'a AccInput>,
    /// The lines, and a place on each.
    parts: IndexMap<(EcoString, usize), EcoString>,
    /// The operations of each.
    operations: Vec<Poly>,
    read: IndexMap<Var, Traffic>,
    written: IndexMap<Var, Traffic>,
    exact: bool,
    /// The part of the code that is being walked.
    at: usize,
}

impl<'e, 'a> Tally<'e, 'a> {
    pub(super) fn new(
        emit: &'e Emit<'a>,
        sizes: Option<FxHashSet<Var>>,
        stm: &'a ir::Stm,
        place: &EcoString,
    ) -> Self {
        let mut tally = Tally {
            emit,
            sizes,
            pat: &stm.pat,
            inner: FxHashSet::default(),
            roots: FxHashMap::default(),
            known: FxHashMap::default(),
            accs: emit.accs.clone(),
            parts: IndexMap::new(),
            operations: Vec::new(),
            read: IndexMap::new(),
            written: IndexMap::new(),
            exact: true,
            at: 0,
        };
        tally.at = tally.part(&Loc(place.clone()));
        tally
    }

    /// The whole operator, once.
    pub(super) fn whole(&mut self, stm: &'a ir::Stm) {
        self.exp(stm, &Times { count: Poly::constant(1), more: false });
    }

    /// The result, and whether it is exact. Lines that do nothing are left out, except for the operator's own.
    pub(super) fn shares(self) -> (Vec<Share>, bool) {
        let zero = || ImpExp::int(0);
        let amount = |poly: &Poly| self.emit.poly(poly);
        let mut shares: Vec<Share> = Vec::new();
        for (place, operations) in self.parts.values().zip(&self.operations) {
            let operations = amount(operations);
            shares.push(Share { place: place.clone(), read: zero(), written: zero(), operations });
        }
        for (all, is_read) in [(&self.read, true), (&self.written, false)] {
            for (array, traffic) in all {
                let (bytes, share) = (self.bytes(*array, traffic), &mut shares[traffic.part]);
                let sum = if is_read { &mut share.read } else { &mut share.written };
                *sum = plus(std::mem::replace(sum, zero()), bytes);
            }
        }
        let mut number = 0;
        shares.retain(|share| {
            number += 1;
            number == 1 || share.amounts().into_iter().any(|e| *e != zero())
        });
        (shares, self.exact)
    }

    /// The bytes of an array that are accessed.
    fn bytes(&self, array: Var, traffic: &Traffic) -> ImpExp {
        let size = match self.emit.ir[array].ty.elem() {
            Some(Elem::Prim(prim)) => i64::from(prim.bits() / 8),
            Some(Elem::Unit) | None => 0,
        };
        let count = self.emit.poly(&traffic.count);
        let elements = match self.product(self.emit.ir[array].ty.shape()) {
            Some(volume) if volume == traffic.count || traffic.more => self.emit.poly(&volume),
            Some(volume) => {
                let volume = self.emit.poly(&volume);
                bin(BinOp::Min, count, volume)
            }
            None => count,
        };
        if let ImpExp::Const(Scalar::I64(count)) = elements {
            return ImpExp::int(count.saturating_mul(size));
        }
        bin(BinOp::Mul, elements, ImpExp::int(size))
    }

    fn product(&self, sizes: &[Atom]) -> Option<Poly> {
        sizes.iter().try_fold(Poly::constant(1), |product, size| product.mul(&self.atom(*size)?))
    }

    /// An integer in terms of what the host knows.
    fn atom(&self, atom: Atom) -> Option<Poly> {
        match atom {
            Atom::Const(Scalar::I64(value)) => Some(Poly::constant(i128::from(value))),
            Atom::Const(_) => None,
            Atom::Var(var) => {
                let is_size = self.sizes.as_ref().is_none_or(|sizes| sizes.contains(&var));
                let is_operand = match self.emit.scalars.get(&var) {
                    Some(ImpExp::Var(v)) => self.emit.scalar_prim(*v) == Prim::I64,
                    Some(ImpExp::Const(Scalar::I64(_))) => true,
                    Some(_) | None => false,
                };
                let here = (is_size && is_operand).then(|| Poly::var(var));
                here.or_else(|| self.known.get(&var).cloned())
            }
        }
    }

    /// The number of the part for a place.
    fn part(&mut self, loc: &Loc) -> usize {
        let Some(place) = loc.place().filter(|_| !loc.in_prelude()) else {
            if self.parts.is_empty() {
                self.parts.insert((EcoString::new(), 0), loc.0.clone());
                self.operations.push(Poly::constant(0));
            }
            return self.at;
        };
        let key = (EcoString::from(place.file), place.line);
        if self.parts.len() >= MOST_PARTS && !self.parts.contains_key(&key) {
            return 0;
        }
        let entry = self.parts.entry(key);
        let number = entry.index();
        entry.or_insert_with(|| loc.0.clone());
        if number == self.operations.len() {
            self.operations.push(Poly::constant(0));
        }
        number
    }

    /// So many times as often.
    fn repeated(&mut self, times: &Times, by: Option<Poly>) -> Times {
        match by.and_then(|by| times.count.mul(&by)) {
            Some(count) => Times { count, more: times.more },
            None => {
                self.exact = false;
                Times { count: times.count.clone(), more: true }
            }
        }
    }

    fn operate(&mut self, weight: u32, times: &Times) {
        let more = times.count.scale(i128::from(weight));
        let sum = &mut self.operations[self.at];
        match more.and_then(|more| sum.add(&more)) {
            Some(total) => *sum = total,
            None => self.exact = false,
        }
    }

    /// The array of outside that an array is part of. What is made inside may be made where a result is.
    fn root(&self, array: Var) -> Option<Var> {
        let views = std::iter::successors(Some(array), |view| self.roots.get(view).copied());
        let root = views.last()?;
        let block = self.emit.table.place(root)?.block;
        match self.inner.contains(&root) {
            false => Some(root),
            true => {
                let is_there = |var: &&Var| {
                    self.emit.table.place(**var).is_some_and(|place| place.block == block)
                };
                self.pat.iter().find(is_there).copied()
            }
        }
    }

    /// A variable that is bound inside, and is a view of this array if it is one.
    fn bind(&mut self, var: Var, of: Option<Var>) {
        self.inner.insert(var);
        if let Some(of) = of.filter(|of| self.emit.ir[*of].ty.is_array()) {
            self.roots.insert(var, of);
        }
    }

    /// Elements of an array are read or written, so many each time.
    fn access(&mut self, array: Var, each: Option<Poly>, times: &Times, is_read: bool) {
        let Some(array) = self.root(array) else { return };
        let times = self.repeated(times, each);
        let at = self.at;
        let all = if is_read { &mut self.read } else { &mut self.written };
        let traffic = all.entry(array).or_insert_with(|| Traffic {
            part: at,
            count: Poly::constant(0),
            more: false,
        });
        match traffic.count.add(&times.count) {
            Some(count) => traffic.count = count,
            None => traffic.more = true,
        }
        traffic.more |= times.more;
    }

    fn read(&mut self, array: Var, each: Option<Poly>, times: &Times) {
        self.access(array, each, times, true);
    }

    fn write(&mut self, array: Var, each: Option<Poly>, times: &Times) {
        self.access(array, each, times, false);
    }

    /// What a statement makes is written as a whole.
    fn make(&mut self, pat: &[Var], times: &Times) {
        for var in pat.iter().filter(|var| self.emit.ir[**var].ty.is_array()) {
            let volume = self.product(self.emit.ir[*var].ty.shape());
            self.write(*var, volume, times);
        }
    }

    /// An array is copied to where another one is, unless it is there already.
    fn copy(&mut self, from: Atom, to: Var, times: &Times) {
        let Some(from) = from.var() else { return };
        let block = |var: Var| self.emit.table.place(var).map(|place| place.block);
        if block(from) != block(to) {
            let volume = self.product(self.emit.ir[from].ty.shape());
            self.read(from, volume, times);
        }
    }

    fn body(&mut self, body: &'a Body, times: &Times) {
        for stm in &body.stms {
            self.stm(stm, times);
        }
    }

    fn stm(&mut self, stm: &'a ir::Stm, times: &Times) {
        let around = self.at;
        if let Some(loc) = &stm.loc {
            self.at = self.part(loc);
        }
        self.inner.extend(&stm.pat);
        self.exp(stm, times);
        self.at = around;
    }

    fn exp(&mut self, stm: &'a ir::Stm, times: &Times) {
        match &stm.exp {
            Exp::UnOp(..) | Exp::BinOp(..) | Exp::CmpOp(..) | Exp::Math(..) | Exp::Convert(..) => {
                self.operate(weigh_stm(stm, self.emit.ir).unwrap_or(1), times);
                self.note(stm);
            }
            Exp::Index(array, _) => {
                if stm.pat.iter().any(|var| !self.emit.ir[*var].ty.is_array()) {
                    self.read(*array, Some(Poly::constant(1)), times);
                }
                self.view(&stm.pat, *array);
            }
            Exp::FlatIndex(array, ..) | Exp::Reshape(array, _) | Exp::Rearrange(array, _) => {
                self.view(&stm.pat, *array);
            }
            Exp::Update(array, _, value) => {
                let volume = match value {
                    Atom::Var(value) => self.product(self.emit.ir[*value].ty.shape()),
                    Atom::Const(_) => Some(Poly::constant(1)),
                };
                self.write(*array, volume, times);
                self.copy(*value, *array, times);
                self.view(&stm.pat, *array);
            }
            Exp::FlatUpdate(array, _, _, value) => {
                let volume = self.product(self.emit.ir[*value].ty.shape());
                self.write(*array, volume, times);
                self.copy((*value).into(), *array, times);
                self.view(&stm.pat, *array);
            }
            Exp::Array(_, values) => {
                self.make(&stm.pat, times);
                values.iter().for_each(|value| self.copy(*value, stm.pat[0], times));
            }
            Exp::Concat(_, arrays) => {
                self.make(&stm.pat, times);
                arrays.iter().for_each(|array| self.copy((*array).into(), stm.pat[0], times));
            }
            Exp::Copy(array) | Exp::Manifest(array) => {
                self.make(&stm.pat, times);
                self.copy((*array).into(), stm.pat[0], times);
            }
            Exp::Iota(..) | Exp::Replicate(..) => self.make(&stm.pat, times),
            Exp::If(_, bodies) => self.branches(bodies.iter(), times),
            Exp::Switch(_, switch) => {
                let cases = switch.cases.iter().map(|(_, body)| body);
                self.branches(cases.chain([&switch.default]), times);
            }
            Exp::Loop(params, form, body) => {
                params.iter().for_each(|param| self.bind(param.var, param.init.var()));
                let bound = match form {
                    LoopForm::For(var, bound) => {
                        let bound = self.atom(*bound);
                        // What depends on the counter is at most what it is at the end.
                        if let Some(bound) = &bound {
                            self.known.insert(*var, bound.clone());
                        }
                        bound
                    }
                    LoopForm::While(_) => None,
                };
                let times = self.repeated(times, bound);
                self.body(body, &times);
            }
            Exp::Screma(op) => {
                let inner = self.elements(op.width, &op.inputs, &op.map.params, times);
                self.body(&op.map.body, &inner);
                let scans = op.scans.iter().map(|scan| &scan.op);
                for combine in scans.chain(op.reds.iter().map(|red| &red.op)) {
                    self.body(&combine.body, &inner);
                }
                self.make(&stm.pat, times);
            }
            Exp::Hist(op) => {
                let inner = self.elements(op.width, &op.inputs, &op.map.params, times);
                self.body(&op.map.body, &inner);
                for bins in &op.ops {
                    self.body(&bins.op.body, &inner);
                    bins.dests.iter().for_each(|dest| self.update(*dest, &inner));
                }
            }
            Exp::Scatter(op) => {
                let inner = self.elements(op.width, &op.inputs, &op.map.params, times);
                self.body(&op.map.body, &inner);
                for (shape, dest) in &op.dests {
                    let row = self.product(&self.emit.ir[*dest].ty.shape()[shape.len()..]);
                    self.exact = false;
                    self.write(*dest, row, &inner);
                }
            }
            Exp::Partition(op) => {
                let inner = self.elements(op.width, &op.inputs, &op.map.params, times);
                self.body(&op.map.body, &inner);
                self.make(&stm.pat, times);
            }
            Exp::WithAcc(inputs, lambda) => {
                self.accs.extend(lambda.params.iter().copied().zip(inputs));
                self.body(&lambda.body, times);
            }
            Exp::UpdateAcc(acc, ..) => {
                let Type::Acc(cert) = self.emit.ir[*acc].ty else { return };
                let Some(input) = self.accs.get(&cert).copied() else { return };
                if let Some((op, _)) = &input.op {
                    self.body(&op.body, times);
                }
                input.arrays.iter().for_each(|array| self.update(*array, times));
            }
            Exp::Seg(seg) => self.seg(&stm.pat, seg, times),
            // What a function does is its own business, and not known here.
            Exp::Call(..) | Exp::Stream(_) | Exp::Flatmap(_) | Exp::Diff(_) => self.exact = false,
            Exp::Atom(_)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Scratch(..)
            | Exp::Const(_)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Opaque(_)
            | Exp::Tuning(..)
            | Exp::Threads
            | Exp::Fail(_) => {}
        }
    }

    /// What a statement inside binds is a view of this array.
    fn view(&mut self, pat: &[Var], of: Var) {
        for var in pat.iter().filter(|var| !self.pat.contains(var)) {
            self.bind(*var, Some(of));
        }
    }

    /// An integer that is computed from others.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no polynomial")]
    fn note(&mut self, stm: &ir::Stm) {
        let (Exp::BinOp(op, a, b), [var]) = (&stm.exp, stm.pat.as_slice()) else { return };
        if self.emit.ir[*var].ty != Type::I64 {
            return;
        }
        let (Some(a), Some(b)) = (self.atom(*a), self.atom(*b)) else { return };
        let value = match op {
            BinOp::Add => a.add(&b),
            BinOp::Sub => a.sub(&b),
            BinOp::Mul => a.mul(&b),
            _ => None,
        };
        if let Some(value) = value {
            self.known.insert(*var, value);
        }
    }

    /// Elements of an array that are read and written again, somewhere.
    fn update(&mut self, array: Var, times: &Times) {
        self.exact = false;
        let one = || Some(Poly::constant(1));
        self.read(array, one(), times);
        self.write(array, one(), times);
    }

    /// The positions of an operator, which reads its inputs.
    fn elements(&mut self, width: Atom, inputs: &[Var], params: &[Var], times: &Times) -> Times {
        let width = self.atom(width);
        let inner = self.repeated(times, width);
        for (param, input) in params.iter().zip(inputs) {
            self.bind(*param, Some(*input));
            if !self.emit.ir[*param].ty.is_array() {
                self.read(*input, Some(Poly::constant(1)), &inner);
            }
        }
        inner
    }

    fn seg(&mut self, pat: &[Var], seg: &'a Seg, times: &Times) {
        let Lambda { params, body, .. } = &seg.body;
        let indices = seg.space.len();
        let inner = match seg.rows {
            // All rows together are one operator of this width.
            Some(rows) => {
                self.exact = false;
                let total = self.atom(rows.total);
                if let (Some(width), Some(total)) = (params.get(indices + 1), total) {
                    self.known.insert(*width, total);
                }
                self.read(rows.ends, self.product(&seg.space), times);
                times.clone()
            }
            None => {
                let space = self.product(&seg.space);
                self.repeated(times, space)
            }
        };
        let before = indices + if seg.rows.is_some() { 2 } else { 0 };
        for (param, input) in params.iter().skip(before).zip(&seg.inputs) {
            self.bind(*param, Some(*input));
            if !self.emit.ir[*param].ty.is_array() {
                self.read(*input, Some(Poly::constant(1)), &inner);
            }
        }
        self.body(body, &inner);
        self.make(pat, times);
    }

    /// The more expensive of several bodies counts, and what any of them may access.
    fn branches(&mut self, bodies: impl Iterator<Item = &'a Body>, times: &Times) {
        let start = self.operations.clone();
        let mut most: Option<(i128, Vec<Poly>)> = None;
        for body in bodies {
            let known = self.operations.len();
            self.operations.clone_from(&start);
            self.operations.resize(known, Poly::constant(0));
            self.body(body, times);
            let cost = self.operations.iter().map(estimate).sum();
            self.exact &= most.as_ref().is_none_or(|(other, _)| *other == cost);
            if most.as_ref().is_none_or(|(other, _)| cost > *other) {
                most = Some((cost, self.operations.clone()));
            }
        }
        if let Some((_, operations)) = most {
            let known = self.operations.len();
            self.operations = operations;
            self.operations.resize(known, Poly::constant(0));
        }
    }
}

/// About how much a polynomial is, if all sizes are alike.
fn estimate(poly: &Poly) -> i128 {
    let power = |rank: usize| 64i128.saturating_pow(u32::try_from(rank).unwrap_or(u32::MAX));
    let value = |(monomial, factor): &(_, i128)| {
        let monomial: &fehu_facts::poly::Monomial = monomial;
        factor.saturating_mul(power(monomial.len()))
    };
    poly.terms().iter().map(value).fold(0, i128::saturating_add)
}

fn plus(a: ImpExp, b: ImpExp) -> ImpExp {
    match (a, b) {
        (ImpExp::Const(Scalar::I64(0)), other) | (other, ImpExp::Const(Scalar::I64(0))) => other,
        (a, b) => bin(BinOp::Add, a, b),
    }
}

fn bin(op: BinOp, a: ImpExp, b: ImpExp) -> ImpExp {
    ImpExp::Bin(op, Prim::I64, Box::new(a), Box::new(b))
}
