//! `unpartition`: partitions become scans and scatters, for machines with many threads.
//!
//! ```text
//! (k, ys) = partition n 1 (xs) (\x -> f)
//! ==>
//! (places, classes, zs) = screma n (xs) scan (+) (\x -> f; in (i64 (class == 0), class, z))
//! (ys, last) = scatter n (classes, places, zs, iota n)
//!                (\class place z i -> (if class == 0 then place - 1 else -1, if i == n-1 then 0 else -1, z, place)) scratch scratch
//! k = if 0 < n then last[0] else 0
//! ```
//!
//! The number of elements is also written by the scatter, and not read from `places`, so that only the scatter needs
//! `places`, and back ends that execute scan and scatter together need no memory for it. With several classes there is
//! a scan for each, and the places of a class begin where those of the previous one end, so all counts must be known
//! first. If the function is short, a reduction counts them before, so that the scatter needs nothing of the scan but
//! the places at its own positions, and again no memory is needed for them; to execute a short function twice is
//! faster. Inside the functions of operators, which a single thread executes, partitions stay.

use fehu_base::bug;
use fehu_base::{IdVec, Prim};
use fehu_facts::cost;
use fehu_ir::builder::Builder;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::copy_lambda;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, Lambda, Partition, Red, Scan, Scatter, Screma, Type, Var,
    VarInfo,
};

/// The pass.
pub const UNPARTITION: Pass = Pass {
    name: "unpartition",
    about: "turns partitions outside operators into scans and scatters",
    run: |prog, _: &mut Remarks| prog.for_each_body(|_, vars, body| host(body, vars)),
};

/// A body outside all operators' functions.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others contain what is looked for only in their bodies"
)]
pub(crate) fn host(body: &mut Body, vars: &mut IdVec<Var, VarInfo>) {
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        match &mut stm.exp {
            Exp::If(_, bodies) => bodies.iter_mut().for_each(|body| host(body, vars)),
            Exp::Switch(_, switch) => {
                switch.cases.iter_mut().for_each(|(_, body)| host(body, vars));
                host(&mut switch.default, vars);
            }
            Exp::Loop(_, _, body) => host(body, vars),
            Exp::WithAcc(_, lambda) => host(&mut lambda.body, vars),
            Exp::Partition(_) => {
                let Exp::Partition(op) = stm.exp else { bug("it was a partition") };
                let again =
                    op.classes > 1 && op.map.ret.len() > 1 && cost::is_repeatable(&op.map.body);
                let again = again.then(|| copy_lambda(&op.map, vars));
                let mut builder = Builder::new(vars);
                builder.set_certs(stm.certs);
                builder.set_loc(stm.loc);
                partition(&stm.pat, *op, again, &mut builder);
                out.extend(builder.finish(Vec::new()).stms);
                continue;
            }
            _ => {}
        }
        out.push(stm);
    }
    body.stms = out;
}

/// `again` is a copy of the function if it may be executed twice.
fn partition(pat: &[Var], op: Partition, again: Option<Lambda>, b: &mut Builder<'_>) {
    let Partition { width, classes, inputs, map, .. } = op;
    let (counts, arrays) = pat.split_at(classes);
    let elements: Vec<Type> = map.ret[1..].to_vec();
    let starts = again.map(|map| count_first(counts, (width, &inputs), map, b));

    // The class and the elements of each position, and how many of each class there are up to it.
    let mut counted = counting(map, classes, b);
    let is_filter = classes == 1 && !arrays.is_empty();
    if is_filter {
        // Whether an element is kept says all that its class does, and has been counted: nobody needs to find it out again.
        counted.body.results[classes] = counted.body.results[0];
    }
    let scans = (0..classes).map(|_| Scan { op: sum(b), neutral: vec![0.into()] }).collect();
    let of = |ty: &Type| array_of(ty, width);
    let mut types = vec![of(&Type::I64); classes + 1];
    types.extend(elements.iter().map(of));
    let screma = Screma { width, inputs, map: counted, scans, reds: Vec::new() };
    let made = b.several("place", types, Exp::Screma(Box::new(screma)));
    let (places, made) = made.split_at(classes);

    let last = b.exp("last", Exp::BinOp(BinOp::Sub, width, 1.into()));
    let some = b.exp("some", Exp::CmpOp(CmpOp::Lt, 0.into(), width));
    if let ([count], true) = (counts, is_filter) {
        return filter(*count, (arrays, &elements), (width, last, some), (places[0], made), b);
    }
    let starts = starts.unwrap_or_else(|| {
        for (count, places) in counts.iter().zip(places) {
            let yes = b.body(|b| {
                vec![b.exp("count", Exp::Index(*places, vec![Dim::Fix(last.into())])).into()]
            });
            let no = Body::of(vec![0.into()]);
            b.stm(vec![*count], Exp::If(some.into(), Box::new([yes, no])));
        }
        starts_of(counts, b)
    });
    let dests = destinations(arrays, width, b);
    let map = placing(&starts, 0, &elements, b);
    let inputs = made[..1].iter().chain(places).chain(&made[1..]).copied().collect();
    b.stm(arrays.to_vec(), Exp::Scatter(Box::new(Scatter { width, inputs, map, dests })));
}

/// Counts the elements of each class. Returns where those of each class begin.
fn count_first(
    counts: &[Var],
    (width, inputs): (Atom, &[Var]),
    map: Lambda,
    b: &mut Builder<'_>,
) -> Vec<Atom> {
    let classes = counts.len();
    let mut map = counting(map, classes, b);
    map.body.results.truncate(classes);
    map.ret.truncate(classes);
    let red = |b: &mut Builder<'_>| Red { op: sum(b), neutral: vec![0.into()], commutative: true };
    let reds = (0..classes).map(|_| red(b)).collect();
    let screma = Screma { width, inputs: inputs.to_vec(), map, scans: Vec::new(), reds };
    b.stm(counts.to_vec(), Exp::Screma(Box::new(screma)));
    starts_of(counts, b)
}

/// Where the elements of each class begin.
fn starts_of(counts: &[Var], b: &mut Builder<'_>) -> Vec<Atom> {
    let mut starts: Vec<Atom> = vec![0.into()];
    for count in &counts[..counts.len() - 1] {
        let start = starts[starts.len() - 1];
        starts.push(b.exp("start", Exp::BinOp(BinOp::Add, start, (*count).into())).into());
    }
    starts
}

fn destinations(arrays: &[Var], width: Atom, b: &mut Builder<'_>) -> Vec<(Vec<Atom>, Var)> {
    let mut dests = Vec::with_capacity(arrays.len());
    for array in arrays {
        let Type::Array(elem, shape) = b.ty(*array).clone() else {
            bug("a result of a partition is no array");
        };
        let dest = b.exp("all", Exp::Scratch(elem, shape));
        dests.push((vec![width], dest));
    }
    dests
}

/// What is left to do for one class, where `made` are ones for the elements that are kept, and the elements.
fn filter(
    count: Var,
    (arrays, elements): (&[Var], &[Type]),
    (width, last, some): (Atom, Var, Var),
    (places, made): (Var, &[Var]),
    b: &mut Builder<'_>,
) {
    let mut dests = destinations(arrays, width, b);
    let one = b.exp("all", Exp::Scratch(Prim::I64.into(), vec![1.into()]));
    dests.push((vec![1.into()], one));
    let positions = b.exp("positions", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
    let mut map = placing(&[0.into()], 1, elements, b);
    let position = b.param("position", Type::I64);
    let end = b.body(|b| {
        let is = b.exp("is_last", Exp::CmpOp(CmpOp::Eq, position.into(), last.into()));
        let (yes, no) = (Body::of(vec![0.into()]), Body::of(vec![Atom::i64(-1)]));
        vec![b.typed("at_end", Type::I64, Exp::If(is.into(), Box::new([yes, no]))).into()]
    });
    map.body.stms.extend(end.stms);
    map.body.results.splice(elements.len()..elements.len(), end.results);
    map.body.results.push(map.params[1].into());
    map.ret.insert(elements.len(), Type::I64);
    map.ret.push(Type::I64);
    map.params.push(position);
    let mut inputs = vec![made[0], places];
    inputs.extend(&made[1..]);
    inputs.push(positions);
    let counted = b.param("counted", Type::array(Prim::I64.into(), vec![1.into()]));
    let pat = arrays.iter().copied().chain([counted]).collect();
    b.stm(pat, Exp::Scatter(Box::new(Scatter { width, inputs, map, dests })));
    let yes =
        b.body(|b| vec![b.exp("count", Exp::Index(counted, vec![Dim::Fix(0.into())])).into()]);
    let no = Body::of(vec![0.into()]);
    b.stm(vec![count], Exp::If(some.into(), Box::new([yes, no])));
}

fn array_of(ty: &Type, width: Atom) -> Type {
    match ty {
        Type::Scalar(elem) => Type::Array(*elem, vec![width]),
        Type::Array(elem, shape) => {
            let shape = std::iter::once(width).chain(shape.iter().copied()).collect();
            Type::Array(*elem, shape)
        }
        Type::Acc(_) => bug("there are no arrays of accumulators"),
    }
}

/// The function of a partition with the number of elements of each class before its results.
fn counting(mut map: Lambda, classes: usize, b: &mut Builder<'_>) -> Lambda {
    let class = map.body.results[0];
    let counts = b.body(|b| {
        let numbers = (0i64..).take(classes);
        numbers
            .map(|k| {
                let is = b.exp("is", Exp::CmpOp(CmpOp::Eq, class, k.into()));
                b.exp("one", Exp::Convert(Prim::I64, is.into())).into()
            })
            .collect()
    });
    map.body.stms.extend(counts.stms);
    map.body.results.splice(0..0, counts.results);
    map.ret.splice(0..0, vec![Type::I64; classes]);
    map
}

fn sum(b: &mut Builder<'_>) -> Lambda {
    let params = vec![("a".into(), Type::I64), ("b".into(), Type::I64)];
    b.lambda(params, vec![Type::I64], |b, params| {
        vec![b.exp("c", Exp::BinOp(BinOp::Add, params[0].into(), params[1].into())).into()]
    })
}

/// From a class, the places for all classes, and elements to the place for each element, and the elements. Classes are
/// numbered from `first` on.
fn placing(starts: &[Atom], first: i64, elements: &[Type], b: &mut Builder<'_>) -> Lambda {
    let mut params = vec![("class".into(), Type::I64)];
    params.extend(starts.iter().map(|_| ("place".into(), Type::I64)));
    params.extend(elements.iter().map(|ty| ("element".into(), ty.clone())));
    let mut ret = vec![Type::I64; elements.len()];
    ret.extend(elements.iter().cloned());
    b.lambda(params, ret, |b, params| {
        let mut at: Atom = Atom::i64(-1);
        let classes: Vec<(i64, (&Var, &Atom))> =
            (first..).zip(params[1..].iter().zip(starts)).collect();
        for (k, (place, start)) in classes.into_iter().rev() {
            let is = b.exp("is", Exp::CmpOp(CmpOp::Eq, params[0].into(), k.into()));
            let yes = b.body(|b| {
                let after = b.exp("after", Exp::BinOp(BinOp::Add, (*place).into(), *start));
                vec![b.exp("at", Exp::BinOp(BinOp::Sub, after.into(), 1.into())).into()]
            });
            let no = Body::of(vec![at]);
            at = b.typed("at", Type::I64, Exp::If(is.into(), Box::new([yes, no]))).into();
        }
        let values = params[1 + starts.len()..].iter().map(|value| Atom::Var(*value));
        elements.iter().map(|_| at).chain(values).collect()
    })
}
