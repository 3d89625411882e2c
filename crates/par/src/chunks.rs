//! `chunks`, `grid_chunks`: parallel streams are cut into chunks, as many as the machine wants.
//!
//! A stream outside of all operators becomes a map over chunks, each of which one thread treats from beginning to end, with
//! accumulators of its own; their results are combined by a reduction. How many there are is a tuning parameter. Without array
//! results, the sizes of chunks differ by one at most:
//!
//! ```text
//! s = stream n (xs) red op (\m a c -> f) init (ne)
//! ==>
//! k = min n (max 1 (tuning "main.chunks_0" (16 * threads)))
//! s = screma k (iota k) map (\i -> low = ...; m = ...; a = copy ne; c = xs[low : m]; f) red op (ne)
//! ```
//!
//! For a device, the chunks of a commutative operator are not contiguous: every k-th element belongs to the same one,
//! so that threads read neighbouring elements at the same time.
//!
//! With array results they are all equal, so that the results are the rows of an array, and the few elements that remain are
//! chunks of one element:
//!
//! ```text
//! ys = stream n (xs) map (\m c -> f)
//! ==>
//! m = n / k
//! yss = screma k (iota k) map (\i -> f of xs[i*m : m])            k rows of m elements
//! zss = screma (n - k*m) (iota (n - k*m)) map (\j -> f of xs[k*m + j : 1])
//! ys = concat n (reshape yss, reshape zss)
//! ```
//!
//! Accumulators that are arrays are combined by a tree, since a reduction of arrays would be one operator after the
//! other: neighbours are combined by a map, until one is left. They are not much larger than the inputs.
//!
//! For a device, streams whose functions only add to their accumulators have no chunks ([`accumulate`]).
//!
//! Scans of arrays are cut as well ([`prefixes`]), and for a device also reductions of arrays, which become streams: threads
//! of a CPU have a partial result each. If the operator is a map, a device combines elements instead (`vector`).
//!
//! Streams inside of operators, those that the source wants to be sequential, and those in functions that operators
//! call stay: the threads are busy with what is around them. `unstream` makes a single chunk of them.

use crate::accumulate::accumulate;
use crate::is_sequential;
use crate::prefixes;
use crate::vector::element_operator;
use ecow::{EcoString, eco_format};
use fehu_base::{IdVec, Prim, bug};
use fehu_facts::Share;
use fehu_ir::builder::Builder;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::{Subst, copy_lambda, copy_stm, subst_lambda, subst_type};
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, FunId, Item, Lambda, LoopForm, LoopParam, Prog, Red,
    Screma, Stm, Stream, StreamForm, Type, Var, VarInfo,
};
use rustc_hash::FxHashSet;

/// The pass for several threads of a CPU.
pub const CHUNKS: Pass = Pass {
    name: "chunks",
    about: "cuts parallel streams into chunks for the threads of a CPU",
    run: |prog, _: &mut Remarks| run(prog, Machine::Threads),
};

/// The pass for devices.
pub const GRID_CHUNKS: Pass = Pass {
    name: "grid_chunks",
    about: "cuts parallel streams into chunks for the threads of a device",
    run: |prog, _: &mut Remarks| run(prog, Machine::Device),
};

/// How many chunks there are for each thread of a CPU: some take longer than others, and nobody should wait long for
/// the one that begins last.
const OF_THREAD: i64 = 16;

/// How many chunks there are for a device: enough to keep it busy, if each is a thread.
const OF_DEVICE: i64 = 1 << 16;

/// How much larger than the inputs the accumulators of a device may be: its threads are many, and few of them do not
/// keep it busy.
const ROOM: i64 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Machine {
    Threads,
    Device,
}

fn run(prog: &mut Prog, machine: Machine) {
    let inside = called_inside(prog);
    for item in prog.items() {
        if matches!(item, Item::Fun(id) if inside.contains(&id)) {
            continue;
        }
        let name = prog.known_name(item).clone();
        prog.change(item, |prog, vars, body| {
            Chunks { prog, vars, machine, name, streams: 0 }.host(body);
        });
    }
}

/// The functions that are called inside of operators, also by others.
pub(crate) fn called_inside(prog: &Prog) -> FxHashSet<FunId> {
    struct Look {
        inside: bool,
        found: Vec<FunId>,
    }
    impl Visit for Look {
        fn exp(&mut self, exp: &Exp) {
            let before = self.inside;
            self.inside |= exp.operator().is_some() && !matches!(exp, Exp::WithAcc(..));
            if let (true, Exp::Call(fun, _)) = (self.inside, exp) {
                self.found.push(*fun);
            }
            walk_exp(self, exp);
            self.inside = before;
        }
    }
    let mut look = Look { inside: false, found: Vec::new() };
    prog.bodies().for_each(|body| look.body(body));
    look.inside = true;
    let mut all = FxHashSet::default();
    while let Some(id) = look.found.pop() {
        if all.insert(id) {
            look.body(&prog.funs[id].body);
        }
    }
    all
}

/// The work on one function.
struct Chunks<'a> {
    prog: &'a Prog,
    vars: &'a mut IdVec<Var, VarInfo>,
    machine: Machine,
    /// The name of the function or entry point, after which parameters are named.
    name: EcoString,
    /// How many streams there were.
    streams: usize,
}

/// Chunks of a stream: how many, where each begins and how large it is, by its number, and the distance of its elements.
struct Cut<'f> {
    count: Atom,
    place: &'f dyn Fn(&mut Builder<'_>, Atom) -> (Atom, Atom),
    stride: Atom,
}

impl Chunks<'_> {
    /// A body outside of all operators.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others contain what is looked for only in their bodies"
    )]
    fn host(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            let sequential = is_sequential(&stm);
            match stm.exp {
                Exp::Stream(stream)
                    if !matches!(stream.form, StreamForm::Seq | StreamForm::Pass(_))
                        && !sequential =>
                {
                    let rest = Stm { exp: Exp::Threads, ..stm };
                    out.extend(self.stream(rest, *stream));
                    continue;
                }
                Exp::Screma(ref op) if !sequential && self.combines_arrays(op) => {
                    out.extend(self.operator_on_arrays(stm));
                    continue;
                }
                Exp::If(_, ref mut bodies) => bodies.iter_mut().for_each(|body| self.host(body)),
                Exp::Switch(_, ref mut switch) => {
                    switch.cases.iter_mut().for_each(|(_, body)| self.host(body));
                    self.host(&mut switch.default);
                }
                Exp::Loop(_, _, ref mut body) => self.host(body),
                Exp::WithAcc(_, ref mut lambda) => self.host(&mut lambda.body),
                _ => {}
            }
            out.push(stm);
        }
        body.stms = out;
    }

    /// Whether an operator scans arrays, or a device would have to combine arrays in it one after the other.
    fn combines_arrays(&self, op: &Screma) -> bool {
        let is_array = |op: &Lambda| op.params.iter().any(|param| self.vars[*param].ty.is_array());
        let is_hard = |op: &Lambda| match self.machine {
            Machine::Threads => is_array(op),
            Machine::Device => is_array(op) && element_operator(op, self.vars).is_none(),
        };
        let reds = op.reds.iter().any(|red| is_hard(&red.op));
        op.scans.iter().any(|scan| is_hard(&scan.op))
            || (reds && (self.machine == Machine::Device || !op.scans.is_empty()))
    }

    /// A scan of arrays, or a reduction for a device, in chunks if that pays.
    fn operator_on_arrays(&mut self, stm: Stm) -> Vec<Stm> {
        let Exp::Screma(op) = &stm.exp else { bug("it was an operator") };
        let machine = self.machine;
        let combined = op.map.ret[..op.folded()].to_vec();
        let mut b = Builder::new(self.vars);
        b.set_loc(stm.loc.clone());
        let pays = prefixes::pays(&combined, machine, &mut b);
        let mut out = b.finish(Vec::new()).stms;
        let plain = copy_stm(&stm, self.vars);
        let pat = stm.pat.clone();
        let inner = copy_stm(&stm, self.vars);
        let results = inner.pat.iter().map(|var| Atom::Var(*var)).collect();
        let chunks = Body { stms: self.arrays_in_chunks(inner), results };
        let results = plain.pat.iter().map(|var| Atom::Var(*var)).collect();
        let plain = Body { stms: vec![plain], results };
        out.push(Stm { pat, exp: Exp::If(pays, Box::new([chunks, plain])), ..stm });
        out
    }

    fn arrays_in_chunks(&mut self, stm: Stm) -> Vec<Stm> {
        let Exp::Screma(op) = stm.exp.clone() else { bug("it was an operator") };
        let (width, scanned, folded) = (op.width, op.scanned(), op.folded());
        let reds: Vec<Red> = op.reds.clone();
        let mut b = Builder::new(self.vars);
        b.set_loc(stm.loc.clone());
        let folds = prefixes::folds(&stm.pat, *op, &mut b);
        if scanned > 0 {
            let name = eco_format!("{}.chunks_{}", self.name, self.streams);
            self.streams += 1;
            let of = (self.machine, Some(name));
            prefixes::in_chunks(&stm.pat[..folded], (&folds, scanned), width, of, &mut b);
            return b.finish(Vec::new()).stms;
        }
        let streams = prefixes::streams(&stm.pat[..folded], folds, &reds, width, &mut b);
        let mut out = b.finish(Vec::new()).stms;
        for (pat, stream) in streams {
            out.extend(self.stream(Stm { pat, exp: Exp::Threads, ..stm.clone() }, stream));
        }
        out
    }

    fn stream(&mut self, stm: Stm, stream: Stream) -> Vec<Stm> {
        let chunk_stm = Stm { exp: Exp::Stream(Box::new(stream.clone())), ..stm.clone() };
        let whole = Body { stms: vec![chunk_stm], results: Vec::new() };
        let share = Share::of(self.prog, &whole, self.vars);
        let name = eco_format!("{}.chunks_{}", self.name, self.streams);
        self.streams += 1;
        let (accs, machine) = (stream.init.len(), self.machine);
        let size = self.vars.push(VarInfo { hint: "size".into(), ty: Type::I64 });
        let inputs = &stream.chunk.params[1 + accs..];
        let changed: Vec<bool> = inputs.iter().map(|param| !share.is_fixed(*param)).collect();
        let of = Of { stream: &stream, changed: &changed };

        if machine == Machine::Device
            && stm.pat.len() == accs
            && !changed.contains(&true)
            && let Some(stms) = accumulate(&stm, &stream, self.vars)
        {
            return stms;
        }
        let (pat, width) = (stm.pat, stream.width);
        if pat.len() == accs {
            let chunk = stream.chunk.clone();
            let op = self.operator(&stream);
            let mut b = Builder::new(self.vars);
            b.set_certs(stm.certs);
            b.set_loc(stm.loc);
            let count = wanted(&stream, name, machine, &mut b);
            let (quot, rest) = divided(width, count, size, &mut b);
            let place = |b: &mut Builder<'_>, number: Atom| {
                let low = start(number, quot, rest, b);
                let next = b.exp("next", Exp::BinOp(BinOp::Add, number, 1.into())).into();
                let high = start(next, quot, rest, b);
                (low, b.exp("size", Exp::BinOp(BinOp::Sub, high, low)).into())
            };
            // Neighbouring threads of a device read neighbouring elements.
            let between = |b: &mut Builder<'_>, number: Atom| {
                let is_longer = b.exp("is_longer", Exp::CmpOp(CmpOp::Lt, number, rest));
                let more = b.exp("more", Exp::Convert(Prim::I64, is_longer.into()));
                (number, b.exp("size", Exp::BinOp(BinOp::Add, quot, more.into())).into())
            };
            let cut = match (machine, &stream.form) {
                (Machine::Device, StreamForm::Red(_, true)) => {
                    Cut { count, place: &between, stride: count }
                }
                _ => Cut { count, place: &place, stride: 1.into() },
            };
            let results = of.chunks((chunk, op), &cut, &mut b);
            bind(&pat, &results, &mut b);
            return b.finish(Vec::new()).stms;
        }
        let single = copy_lambda(&stream.chunk, self.vars);
        let single = (self.of_size(&single, 1.into()), self.operator(&stream));
        let equal = (self.of_size(&stream.chunk, size.into()), self.operator(&stream));
        let op = self.operator(&stream);
        let mut b = Builder::new(self.vars);
        b.set_certs(stm.certs);
        b.set_loc(stm.loc);
        let count = wanted(&stream, name, machine, &mut b);
        let (quot, rest) = divided(width, count, size, &mut b);
        let main = b.exp("main", Exp::BinOp(BinOp::Mul, count, quot)).into();
        let place = |b: &mut Builder<'_>, number: Atom| {
            (b.exp("low", Exp::BinOp(BinOp::Mul, number, quot)).into(), quot)
        };
        let first = of.chunks(equal, &Cut { count, place: &place, stride: 1.into() }, &mut b);
        let place = |b: &mut Builder<'_>, number: Atom| {
            (b.exp("low", Exp::BinOp(BinOp::Add, main, number)).into(), Atom::i64(1))
        };
        let second =
            of.chunks(single, &Cut { count: rest, place: &place, stride: 1.into() }, &mut b);
        if let Some(op) = op {
            let both = first[..accs].iter().chain(&second[..accs]);
            for (param, value) in op.params.iter().zip(both) {
                b.stm(vec![*param], Exp::Atom(*value));
            }
            op.body.stms.into_iter().for_each(|stm| b.push(stm));
            bind(&pat[..accs], &op.body.results, &mut b);
        }
        for (var, (first, second)) in pat.iter().zip(first.iter().zip(&second)).skip(accs) {
            let shape = b.ty(*var).shape().to_vec();
            let parts = [(main, *first), (rest, *second)].map(|(size, part)| {
                let Atom::Var(part) = part else { bug("a result of a stream is no array") };
                let shape = std::iter::once(size).chain(shape.iter().skip(1).copied()).collect();
                b.exp("part", Exp::Reshape(part, shape))
            });
            b.stm(vec![*var], Exp::Concat(width, parts.to_vec()));
        }
        b.finish(Vec::new()).stms
    }

    /// A copy of the operator that combines accumulators.
    fn operator(&mut self, stream: &Stream) -> Option<Lambda> {
        match &stream.form {
            StreamForm::Red(op, _) => Some(copy_lambda(op, self.vars)),
            StreamForm::Map | StreamForm::Seq | StreamForm::Pass(_) => None,
        }
    }

    /// The function for chunks of a size.
    fn of_size(&mut self, chunk: &Lambda, size: Atom) -> Lambda {
        let mut chunk = chunk.clone();
        let subst: Subst = [(chunk.params[0], size)].into_iter().collect();
        for param in &chunk.params {
            subst_type(&mut self.vars[*param].ty, &subst);
        }
        subst_lambda(&mut chunk, self.vars, &subst);
        chunk
    }
}

/// A stream, and which of its inputs the function changes.
#[derive(Clone, Copy)]
struct Of<'s> {
    stream: &'s Stream,
    changed: &'s [bool],
}

impl Of<'_> {
    /// All results of some chunks: accumulators, and arrays with a row for each chunk.
    fn chunks(
        self,
        (chunk, op): (Lambda, Option<Lambda>),
        cut: &Cut<'_>,
        b: &mut Builder<'_>,
    ) -> Vec<Atom> {
        let Stream { inputs, form, init, .. } = self.stream;
        let accs = init.len();
        let numbers = b.exp("chunks", Exp::Iota(Prim::I64, cut.count, 0.into(), 1.into()));
        let Lambda { params, body, ret } = chunk;
        let map = b.lambda(vec![("chunk".into(), Type::I64)], ret.clone(), |b, number| {
            let (low, size) = (cut.place)(b, number[0].into());
            b.stm(vec![params[0]], Exp::Atom(size));
            for (param, init) in params[1..].iter().zip(init) {
                // The function owns its accumulators.
                let exp = own(*init, b);
                b.stm(vec![*param], exp);
            }
            let part = Dim::Slice { start: low, len: size, stride: cut.stride };
            for ((param, input), changed) in params[1 + accs..].iter().zip(inputs).zip(self.changed)
            {
                let view = Exp::Index(*input, vec![part.clone()]);
                if *changed {
                    let view = b.exp("view", view);
                    b.stm(vec![*param], Exp::Copy(view));
                } else {
                    b.stm(vec![*param], view);
                }
            }
            body.stms.into_iter().for_each(|stm| b.push(stm));
            body.results
        });
        let is_array = |atom: &Atom| atom.var().is_some_and(|var| b.ty(var).is_array());
        let rows = init.iter().any(is_array);
        let mut types: Vec<Type> = ret.iter().map(|ty| array_of(ty, cut.count)).collect();
        let (mut reds, mut tree) = (Vec::new(), None);
        match op {
            Some(op) if rows => tree = Some(op),
            Some(op) => {
                types[..accs].clone_from_slice(&ret[..accs]);
                let commutative = matches!(form, StreamForm::Red(_, true));
                reds.push(Red { op, neutral: init.clone(), commutative });
            }
            None => {}
        }
        let screma =
            Screma { width: cut.count, inputs: vec![numbers], map, scans: Vec::new(), reds };
        let made = b.several("of_chunks", types, Exp::Screma(Box::new(screma)));
        let mut results: Vec<Atom> = made.iter().map(|var| Atom::Var(*var)).collect();
        if let Some(op) = tree {
            let combined = self.tree(op, &made[..accs], cut.count, b);
            results.splice(..accs, combined.into_iter().map(Atom::Var));
        }
        results
    }

    /// Combines rows by a tree, in order.
    fn tree(self, op: Lambda, rows: &[Var], count: Atom, b: &mut Builder<'_>) -> Vec<Var> {
        let init = &self.stream.init;
        let accs = init.len();
        let several = b.exp("several", Exp::CmpOp(CmpOp::Lt, 1.into(), count));
        let (go, left) = (b.param("go", Type::BOOL), b.param("left", Type::I64));
        let mut params =
            vec![LoopParam { var: go, init: several.into() }, LoopParam { var: left, init: count }];
        for (row, ty) in rows.iter().zip(&op.ret) {
            let var = b.param("rows", array_of(ty, left.into()));
            params.push(LoopParam { var, init: (*row).into() });
        }
        let olds: Vec<Var> = params[2..].iter().map(|param| param.var).collect();
        let body = b.body(|b| {
            let pairs = b.exp("pairs", Exp::BinOp(BinOp::Quot, left.into(), 2.into()));
            let take = |start: i64| Dim::Slice {
                start: start.into(),
                len: pairs.into(),
                stride: 2.into(),
            };
            let mut inputs = Vec::with_capacity(2 * accs);
            for start in [0, 1] {
                for old in &olds {
                    inputs.push(b.exp("half", Exp::Index(*old, vec![take(start)])));
                }
            }
            let types: Vec<Type> = op.ret.iter().map(|ty| array_of(ty, pairs.into())).collect();
            let width = pairs.into();
            let map = Screma { width, inputs, map: op, scans: Vec::new(), reds: Vec::new() };
            let news = b.several("pair", types, Exp::Screma(Box::new(map)));
            let done = b.exp("done", Exp::BinOp(BinOp::Mul, pairs.into(), 2.into()));
            let rest = b.exp("rest", Exp::BinOp(BinOp::Sub, left.into(), done.into()));
            let next = b.exp("next", Exp::BinOp(BinOp::Add, pairs.into(), rest.into()));
            let more = b.exp("more", Exp::CmpOp(CmpOp::Lt, 1.into(), next.into()));
            let mut results: Vec<Atom> = vec![more.into(), next.into()];
            for (new, old) in news.iter().zip(&olds) {
                let last = Dim::Slice { start: done.into(), len: rest.into(), stride: 1.into() };
                let last = b.exp("last", Exp::Index(*old, vec![last]));
                results.push(b.exp("rows", Exp::Concat(next.into(), vec![*new, last])).into());
            }
            results
        });
        let (went, one) = (b.param("went", Type::BOOL), b.param("left", Type::I64));
        let mut pat = vec![went, one];
        for old in &olds {
            let Some(row) = b.ty(*old).row() else { bug("rows are no array") };
            pat.push(b.param("rows", array_of(&row, one.into())));
        }
        b.stm(pat.clone(), Exp::Loop(params, LoopForm::While(go), Box::new(body)));
        let some = b.exp("some", Exp::CmpOp(CmpOp::Lt, 0.into(), count));
        let first = b.body(|b| {
            let first = |rows: &Var| Exp::Index(*rows, vec![Dim::Fix(0.into())]);
            pat[2..].iter().map(|rows| b.exp("first", first(rows)).into()).collect()
        });
        let none = Body::of(init.clone());
        let types: Vec<Type> = olds.iter().filter_map(|old| b.ty(*old).row()).collect();
        b.several("acc", types, Exp::If(some.into(), Box::new([first, none])))
    }
}

/// How many chunks there are: none if there is nothing to cut.
fn wanted(stream: &Stream, name: EcoString, machine: Machine, b: &mut Builder<'_>) -> Atom {
    let standard = match machine {
        Machine::Threads => {
            let threads = b.exp("threads", Exp::Threads);
            b.exp("many", Exp::BinOp(BinOp::Mul, threads.into(), OF_THREAD.into())).into()
        }
        Machine::Device => Atom::i64(OF_DEVICE),
    };
    let standard = affordable(stream, standard, machine, b);
    let wanted = b.exp("wanted", Exp::Tuning(name, standard));
    let some = b.exp("some", Exp::BinOp(BinOp::Max, wanted.into(), 1.into()));
    b.exp("count", Exp::BinOp(BinOp::Min, some.into(), stream.width)).into()
}

/// A number of chunks for which the accumulators, if they are arrays, are not larger than the inputs all together, or not much.
fn affordable(stream: &Stream, count: Atom, machine: Machine, b: &mut Builder<'_>) -> Atom {
    let shape = |var: Var, b: &Builder<'_>| b.ty(var).shape().to_vec();
    let accs: Vec<Vec<Atom>> =
        stream.init.iter().filter_map(|init| Some(shape(init.var()?, b))).collect();
    if accs.iter().all(Vec::is_empty) {
        return count;
    }
    let inputs: Vec<Vec<Atom>> = match stream.inputs.as_slice() {
        [] => vec![vec![stream.width]],
        inputs => inputs.iter().map(|input| shape(*input, b)).collect(),
    };
    let total = |shapes: Vec<Vec<Atom>>, b: &mut Builder<'_>| {
        let mut total: Atom = 0.into();
        for shape in shapes {
            let mut size: Atom = 1.into();
            for dim in shape {
                size = b.exp("size", Exp::BinOp(BinOp::Mul, size, dim)).into();
            }
            total = b.exp("total", Exp::BinOp(BinOp::Add, total, size)).into();
        }
        total
    };
    let (inputs, accs) = (total(inputs, b), total(accs, b));
    let inputs = match machine {
        Machine::Threads => inputs,
        Machine::Device => b.exp("room", Exp::BinOp(BinOp::Mul, inputs, ROOM.into())).into(),
    };
    let accs = b.exp("some", Exp::BinOp(BinOp::Max, accs, 1.into()));
    let most = b.exp("most", Exp::BinOp(BinOp::Quot, inputs, accs.into()));
    b.exp("affordable", Exp::BinOp(BinOp::Min, count, most.into())).into()
}

/// The size of chunks, and how many elements remain.
pub(crate) fn divided(width: Atom, count: Atom, size: Var, b: &mut Builder<'_>) -> (Atom, Atom) {
    let divisor = b.exp("divisor", Exp::BinOp(BinOp::Max, count, 1.into()));
    b.stm(vec![size], Exp::BinOp(BinOp::Quot, width, divisor.into()));
    let main = b.exp("covered", Exp::BinOp(BinOp::Mul, size.into(), count));
    (size.into(), b.exp("rest", Exp::BinOp(BinOp::Sub, width, main.into())).into())
}

/// Where a chunk begins if the first ones have one element more than the others.
fn start(number: Atom, quot: Atom, rest: Atom, b: &mut Builder<'_>) -> Atom {
    let plain = b.exp("plain", Exp::BinOp(BinOp::Mul, number, quot));
    let more = b.exp("more", Exp::BinOp(BinOp::Min, number, rest));
    b.exp("start", Exp::BinOp(BinOp::Add, plain.into(), more.into())).into()
}

/// A value that shares memory with nothing.
pub(crate) fn own(value: Atom, b: &Builder<'_>) -> Exp {
    match value.var().filter(|var| b.ty(*var).is_array()) {
        Some(array) => Exp::Copy(array),
        None => Exp::Atom(value),
    }
}

/// The results of a stream share memory with nothing.
fn bind(pat: &[Var], results: &[Atom], b: &mut Builder<'_>) {
    for (var, result) in pat.iter().zip(results) {
        let exp = own(*result, b);
        b.stm(vec![*var], exp);
    }
}

/// An array of values.
pub(crate) fn array_of(ty: &Type, count: Atom) -> Type {
    match ty.array_of(count) {
        Some(ty) => ty,
        None => bug("there are no arrays of accumulators"),
    }
}
