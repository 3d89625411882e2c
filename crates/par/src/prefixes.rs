//! Scans of arrays, and reductions beside them, in chunks.
//!
//! Threads cannot combine arrays as they combine scalars, so a scan of arrays would be one application of its operator after the
//! other. Instead it is cut into chunks; each of them is combined by one thread, the results are scanned, and each chunk is
//! then scanned by one thread, from where the one before ends:
//!
//! ```text
//! ys = screma n (xs) scan op (ne)
//! ==>
//! sums = screma (k-1) (iota (k-1)) map (\c -> loop (a = xs[c*m]) for j < m - 1 { op a xs[c*m + 1 + j] })      k chunks of m
//! (_, ends) = loop (a = ne, out = scratch) for c < k-1 { a' = op a sums[c] in (a', out with [c] = a') }
//! (as, yss) = screma k (iota k) map (\c -> start = if c == 0 then ne else ends[c - 1]
//!               loop (a = start, out = scratch) for j < m { a' = op a xs[c*m + j] in (a', out with [j] = a') })
//! (_, zs) = loop (a = as[k - 1], out = scratch) for j < n - k*m { ... xs[k*m + j] ... }           what remains
//! ys = concat n (reshape yss, zs)
//! ```
//!
//! The function of the operator is applied before, unless it only returns elements of inputs. The loop in the middle is
//! no scan, with which the map before it could be fused: then one thread would do everything. A device has so many
//! chunks that the scan of their results is cut in the same way.

use crate::chunks::{Machine, array_of, divided, own};
use ecow::EcoString;
use fehu_base::{OrBug, Prim, bug};
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, Lambda, LoopForm, LoopParam, Red, Scan, Screma, Stream,
    StreamForm, Type, Var,
};

/// How many chunks there are for each thread of a CPU.
const OF_THREAD: i64 = 4;

/// How many chunks there are for a device.
const OF_DEVICE: i64 = 2048;

/// How many chunks there are for the results of a device's chunks.
const OF_CHUNKS: i64 = 48;

/// The most elements of a value that one thread combines with others: if there are more, the operator itself has enough
/// parallelism.
fn most(machine: Machine) -> i64 {
    match machine {
        Machine::Threads => 1 << 16,
        Machine::Device => 1 << 12,
    }
}

/// Every element is combined twice: so few threads are not faster than one.
const FEWEST_THREADS: i64 = 4;

/// Whether chunks pay for an operator that combines values of these types.
pub(crate) fn pays(types: &[Type], machine: Machine, b: &mut Builder<'_>) -> Atom {
    let mut all: Atom = 0.into();
    for ty in types {
        let mut size: Atom = 1.into();
        for dim in ty.shape() {
            size = b.exp("size", Exp::BinOp(BinOp::Mul, size, *dim)).into();
        }
        all = b.exp("all", Exp::BinOp(BinOp::Add, all, size)).into();
    }
    let little = b.exp("little", Exp::CmpOp(CmpOp::Le, all, most(machine).into())).into();
    if machine == Machine::Device {
        return little;
    }
    let threads = b.exp("threads", Exp::Threads).into();
    let many = b.exp("many", Exp::CmpOp(CmpOp::Le, FEWEST_THREADS.into(), threads)).into();
    b.exp("pays", Exp::BinOp(BinOp::And, little, many)).into()
}

/// An operator that combines values, which are arrays of inputs.
pub(crate) struct Fold {
    op: Lambda,
    neutral: Vec<Atom>,
    inputs: Vec<Var>,
}

/// The scans and reductions of an operator, in this order. Elements that its function computes are stored before. What
/// else it computes is bound to the rest of `pat`.
pub(crate) fn folds(pat: &[Var], screma: Screma, b: &mut Builder<'_>) -> Vec<Fold> {
    let folded = screma.folded();
    let Screma { width, inputs, map, scans, reds } = screma;
    let Lambda { params, mut body, ret } = map;
    let input_of = |result: &Atom| {
        let place = params.iter().position(|param| Atom::Var(*param) == *result)?;
        Some(inputs[place])
    };
    // Results, and what they are bound to.
    let (mut elements, mut stored, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for (k, result) in body.results.iter().enumerate() {
        let array = match input_of(result) {
            Some(input) if k < folded => {
                elements.push(input);
                continue;
            }
            _ if k < folded => b.param("element", array_of(&ret[k], width)),
            _ => pat[k],
        };
        elements.push(array);
        stored.push(array);
        results.push((*result, ret[k].clone()));
    }
    if !stored.is_empty() {
        let ret = results.iter().map(|(_, ty)| ty.clone()).collect();
        body.results = results.into_iter().map(|(result, _)| result).collect();
        let map = Lambda { params, body, ret };
        let map = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
        b.stm(stored, Exp::Screma(Box::new(map)));
    }
    let scans = scans.into_iter().map(|scan| (scan.op, scan.neutral));
    let reds = reds.into_iter().map(|red| (red.op, red.neutral));
    let mut rest = elements.as_slice();
    let mut all = Vec::new();
    for (op, neutral) in scans.chain(reds) {
        let (inputs, others) = rest.split_at(neutral.len());
        rest = others;
        all.push(Fold { op, neutral, inputs: inputs.to_vec() });
    }
    all
}

/// Reductions as streams: each chunk is combined by one thread. With each of them, what its results are bound to.
pub(crate) fn streams(
    pat: &[Var],
    folds: Vec<Fold>,
    reds: &[Red],
    width: Atom,
    b: &mut Builder<'_>,
) -> Vec<(Vec<Var>, Stream)> {
    let mut rest = pat;
    let mut all = Vec::with_capacity(folds.len());
    for (fold, red) in folds.into_iter().zip(reds) {
        let (own, others) = rest.split_at(fold.neutral.len());
        rest = others;
        let op = copy_lambda(&fold.op, b.vars_mut());
        let (init, inputs) = (fold.neutral.clone(), fold.inputs.clone());
        let size = b.param("size", Type::I64);
        let mut params = vec![size];
        params.extend(fold.op.ret.iter().map(|ty| b.param("acc", ty.clone())));
        let chunks: Vec<Var> =
            fold.op.ret.iter().map(|ty| b.param("chunk", array_of(ty, size.into()))).collect();
        params.extend(&chunks);
        let (ret, fold) = (fold.op.ret.clone(), Fold { inputs: chunks, ..fold });
        let start: Vec<Atom> = params[1..=ret.len()].iter().map(|acc| Atom::Var(*acc)).collect();
        let body = b.body(|b| steps(&[fold], (0.into(), size.into()), &start, 0, b));
        let form = StreamForm::Red(op, red.commutative);
        let chunk = Lambda { params, body, ret };
        all.push((own.to_vec(), Stream { width, inputs, form, init, chunk }));
    }
    all
}

/// Scans these in chunks, and binds the results of the first ones, so many values, to arrays, and those of the others
/// to what they are all together.
pub(crate) fn in_chunks(
    pat: &[Var],
    (folds, scanned): (&[Fold], usize),
    width: Atom,
    (machine, name): (Machine, Option<EcoString>),
    b: &mut Builder<'_>,
) {
    let of_chunks = name.is_none();
    let count = count(width, machine, name, b);
    let size = b.param("size", Type::I64);
    let (size, rest) = divided(width, count, size, b);
    let types: Vec<Type> = folds.iter().flat_map(|fold| fold.op.ret.clone()).collect();
    let neutral: Vec<Atom> = folds.iter().flat_map(|fold| fold.neutral.clone()).collect();

    let last: Atom = b.exp("last", Exp::BinOp(BinOp::Sub, count, 1.into())).into();
    let sums = each_chunk(last, &types, b, |b, number| {
        let low = b.exp("low", Exp::BinOp(BinOp::Mul, number, size)).into();
        // If there are several chunks, all of them have elements.
        let inputs = folds.iter().flat_map(|fold| &fold.inputs);
        let first: Vec<Atom> = inputs.map(|input| at(*input, low, b).into()).collect();
        let second = b.exp("low", Exp::BinOp(BinOp::Add, low, 1.into())).into();
        let others = b.exp("others", Exp::BinOp(BinOp::Sub, size, 1.into())).into();
        steps(folds, (second, others), &first, 0, b)
    });
    let ends = match (machine, of_chunks) {
        (Machine::Threads, false) => {
            let sums = again(folds, &sums, b);
            let all = steps(&sums, (0.into(), last), &neutral, types.len(), b);
            let array = |atom: &Atom| atom.var().or_bug("array of what chunks are together");
            all[types.len()..].iter().map(array).collect()
        }
        _ => ends(folds, &sums, (last, machine), b),
    };
    let rows = types[..scanned].iter().map(|ty| array_of(ty, size));
    let all: Vec<Type> = types.iter().cloned().chain(rows).collect();
    let main = each_chunk(count, &all, b, |b, number| {
        let low = b.exp("low", Exp::BinOp(BinOp::Mul, number, size)).into();
        let is_first = b.exp("is_first", Exp::CmpOp(CmpOp::Eq, number, 0.into()));
        let later = b.body(|b| {
            let before = b.exp("before", Exp::BinOp(BinOp::Sub, number, 1.into())).into();
            ends.iter().map(|ends| at(*ends, before, b).into()).collect()
        });
        let first = Body::of(neutral.clone());
        let start = Exp::If(is_first.into(), Box::new([first, later]));
        let start = b.several("start", types.clone(), start);
        let start: Vec<Atom> = start.into_iter().map(Atom::Var).collect();
        steps(folds, (low, size), &start, scanned, b)
    });
    let start: Vec<Atom> = main[..types.len()].iter().map(|end| at(*end, last, b).into()).collect();
    let main = &main[types.len()..];
    let low = b.exp("low", Exp::BinOp(BinOp::Mul, count, size)).into();
    let remaining = steps(folds, (low, rest), &start, scanned, b);
    for (k, var) in pat.iter().enumerate().take(types.len()) {
        if k >= scanned {
            let all = own(remaining[k], b);
            b.stm(vec![*var], all);
            continue;
        }
        let Atom::Var(remaining) = remaining[types.len() + k] else {
            bug("an array is a constant")
        };
        let shape = std::iter::once(low).chain(types[k].shape().iter().copied()).collect();
        let whole = b.exp("chunks", Exp::Reshape(main[k], shape));
        b.stm(vec![*var], Exp::Concat(width, vec![whole, remaining]));
    }
}

/// At least one.
fn count(width: Atom, machine: Machine, name: Option<EcoString>, b: &mut Builder<'_>) -> Atom {
    let standard: Atom = match (machine, &name) {
        (_, None) => OF_CHUNKS.into(),
        (Machine::Device, Some(_)) => OF_DEVICE.into(),
        (Machine::Threads, Some(_)) => {
            let threads = b.exp("threads", Exp::Threads);
            b.exp("many", Exp::BinOp(BinOp::Mul, threads.into(), OF_THREAD.into())).into()
        }
    };
    let wanted = match name {
        Some(name) => b.exp("wanted", Exp::Tuning(name, standard)).into(),
        None => standard,
    };
    // Chunks of one element would be combined one after the other.
    let half = b.exp("half", Exp::BinOp(BinOp::Quot, width, 2.into()));
    let count = b.exp("most", Exp::BinOp(BinOp::Min, wanted, half.into()));
    b.exp("count", Exp::BinOp(BinOp::Max, count.into(), 1.into())).into()
}

/// The operators, for what chunks are together.
fn again(folds: &[Fold], sums: &[Var], b: &mut Builder<'_>) -> Vec<Fold> {
    let mut rest = sums;
    let of_sums = folds.iter().map(|fold| {
        let (inputs, others) = rest.split_at(fold.neutral.len());
        rest = others;
        let op = copy_lambda(&fold.op, b.vars_mut());
        Fold { op, neutral: fold.neutral.clone(), inputs: inputs.to_vec() }
    });
    of_sums.collect()
}

/// What all chunks of a device up to each one are together.
fn ends(
    folds: &[Fold],
    sums: &[Var],
    (count, machine): (Atom, Machine),
    b: &mut Builder<'_>,
) -> Vec<Var> {
    let types: Vec<Type> = folds.iter().flat_map(|fold| fold.op.ret.clone()).collect();
    let arrays = types.iter().map(|ty| array_of(ty, count));
    let pat: Vec<Var> = arrays.map(|ty| b.param("ends", ty)).collect();
    let copy = |fold: &Fold, b: &mut Builder<'_>| copy_lambda(&fold.op, b.vars_mut());
    if machine == Machine::Device {
        let again = again(folds, sums, b);
        // Those are scanned one after the other.
        in_chunks(&pat, (&again, types.len()), count, (Machine::Threads, None), b);
        return pat;
    }
    let params = types.into_iter().map(|ty| ("sum".into(), ty)).collect::<Vec<_>>();
    let ret = params.iter().map(|(_, ty): &(EcoString, Type)| ty.clone()).collect();
    let map = b.lambda(params, ret, |_, params| params.iter().map(|v| Atom::Var(*v)).collect());
    let scans = folds.iter().map(|fold| Scan { op: copy(fold, b), neutral: fold.neutral.clone() });
    let scans = scans.collect();
    let inputs = sums.to_vec();
    let screma = Screma { width: count, inputs, map, scans, reds: Vec::new() };
    b.stm(pat.clone(), Exp::Screma(Box::new(screma)));
    pat
}

/// The results of a function of a chunk's number for all chunks.
fn each_chunk(
    count: Atom,
    types: &[Type],
    b: &mut Builder<'_>,
    make: impl FnOnce(&mut Builder<'_>, Atom) -> Vec<Atom>,
) -> Vec<Var> {
    let numbers = b.exp("chunks", Exp::Iota(Prim::I64, count, 0.into(), 1.into()));
    let map = b.lambda(vec![("chunk".into(), Type::I64)], types.to_vec(), |b, number| {
        make(b, number[0].into())
    });
    let arrays = types.iter().map(|ty| array_of(ty, count)).collect();
    let inputs = vec![numbers];
    let screma = Screma { width: count, inputs, map, scans: Vec::new(), reds: Vec::new() };
    b.several("of_chunks", arrays, Exp::Screma(Box::new(screma)))
}

/// Combines elements one after the other, so many from `low` on. Returns what they are together, and of the first
/// `kept` values what they were at each of them.
fn steps(
    folds: &[Fold],
    (low, size): (Atom, Atom),
    start: &[Atom],
    kept: usize,
    b: &mut Builder<'_>,
) -> Vec<Atom> {
    let types: Vec<Type> = folds.iter().flat_map(|fold| fold.op.ret.clone()).collect();
    let mut params: Vec<LoopParam> = Vec::new();
    for (ty, start) in types.iter().zip(start) {
        // Steps work on one array, also where somebody else needs the first one: nothing is allocated in each of them.
        let init = match start.var() {
            Some(array) if ty.is_array() => Exp::Manifest(array),
            Some(_) | None => Exp::Atom(*start),
        };
        let init = b.typed("start", ty.clone(), init).into();
        params.push(LoopParam { var: b.param("so_far", ty.clone()), init });
    }
    for ty in &types[..kept] {
        let ty = array_of(ty, size);
        let Type::Array(elem, shape) = &ty else { bug("no array of values") };
        let init = b.exp("room", Exp::Scratch(*elem, shape.clone())).into();
        params.push(LoopParam { var: b.param("out", ty), init });
    }
    let (so_far, outs) = params.split_at(types.len());
    let counter = b.param("j", Type::I64);
    let body = b.body(|b| {
        let place = b.exp("at", Exp::BinOp(BinOp::Add, low, counter.into())).into();
        let mut news: Vec<Atom> = Vec::with_capacity(types.len());
        for fold in folds {
            let Lambda { params, body, .. } = copy_lambda(&fold.op, b.vars_mut());
            let (left, right) = params.split_at(fold.neutral.len());
            for (param, so_far) in left.iter().zip(&so_far[news.len()..]) {
                b.stm(vec![*param], Exp::Atom(so_far.var.into()));
            }
            for (param, input) in right.iter().zip(&fold.inputs) {
                let element = at(*input, place, b);
                b.stm(vec![*param], Exp::Atom(element.into()));
            }
            body.stms.into_iter().for_each(|stm| b.push(stm));
            news.extend(body.results);
        }
        for (out, new) in outs.iter().zip(news.clone()) {
            let with = Exp::Update(out.var, vec![Dim::Fix(counter.into())], new);
            news.push(b.exp("out", with).into());
        }
        news
    });
    let all = params.iter().map(|param| b.ty(param.var).clone()).collect();
    let steps = Exp::Loop(params, LoopForm::For(counter, size), Box::new(body));
    b.several("combined", all, steps).into_iter().map(Atom::Var).collect()
}

fn at(array: Var, place: Atom, b: &mut Builder<'_>) -> Var {
    b.exp("element", Exp::Index(array, vec![Dim::Fix(place)]))
}
