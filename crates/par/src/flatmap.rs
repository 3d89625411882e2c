//! `unflatmap`, `unflatmap_inside`: flatmaps are written out as maps that write their pieces to where these begin.
//!
//! ```text
//! (total, sizes, rest, ys) = flatmap n 1 (xs) (\x -> let .. in (size, rest, piece))
//! ==>
//! (ends, total, sizes, rest) = screma n (xs) scan (+) red (+) (\x -> let .. in (size, size, size, rest))
//! starts = map (-) ends sizes
//! ys = withacc (scratch total) (\acc -> map (\start x -> let .. in write piece start acc) starts xs)
//! ```
//!
//! Each map has only that part of the function that its results need. If a size depends on what is computed, as that of
//! a filter does, that is still computed twice. So flatmaps outside of operators stay until
//! [`irregular`](crate::irregular) lifts their functions, whose rows then are the concatenation. `unflatmap_inside`
//! writes out those in functions of operators, and those whose pieces all have one size; `unflatmap`, for programs that
//! one thread executes, writes out all.

use fehu_base::{IdVec, OrBug, bug};
use fehu_facts::Effects;
use fehu_ir::builder::Builder;
use fehu_ir::free::{bound_in_lambda, free_in_stm};
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::copy_lambda;
use fehu_ir::{
    AccInput, Atom, BinOp, Body, Exp, Flatmap, Lambda, Prog, Red, Scan, Screma, Stm, Type, Var,
    VarInfo,
};
use rustc_hash::FxHashSet;

/// The pass for programs that one thread executes.
pub const UNFLATMAP: Pass = Pass {
    name: "unflatmap",
    about: "writes out flatmaps as maps",
    run: |prog, _: &mut Remarks| run(prog, Which::All),
};

/// The pass for several threads, and for devices.
pub const UNFLATMAP_INSIDE: Pass = Pass {
    name: "unflatmap_inside",
    about: "writes out flatmaps as maps inside of operators, and where all pieces have one size",
    run: |prog, _: &mut Remarks| run(prog, Which::Inside),
};

/// Which flatmaps are written out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    /// Those in functions of operators, and those whose pieces have one size.
    Inside,
}

fn run(prog: &mut Prog, which: Which) {
    let effects = Effects::of(prog);
    prog.for_each_body(|_, vars, body| written_out(body, which, &effects, vars));
}

/// Writes out all flatmaps of a body, which is to be cut into Segs.
pub(crate) fn write_out_all(body: &mut Body, effects: &Effects, vars: &mut IdVec<Var, VarInfo>) {
    written_out(body, Which::All, effects, vars);
}

fn written_out(body: &mut Body, which: Which, effects: &Effects, vars: &mut IdVec<Var, VarInfo>) {
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        // What else has bodies has functions that are applied to elements.
        let is_control = matches!(stm.exp, Exp::If(..) | Exp::Switch(..) | Exp::Loop(..));
        let inside = if is_control { which } else { Which::All };
        stm.exp.map_bodies(&mut |body| written_out(body, inside, effects, vars));
        let goes = |op: &Flatmap| which == Which::All || has_one_size(op);
        if matches!(&stm.exp, Exp::Flatmap(op) if goes(op)) {
            out.extend(write_out(stm, effects, vars));
        } else {
            out.push(stm);
        }
    }
    body.stms = out;
}

/// Whether the size of pieces is known outside.
fn has_one_size(op: &Flatmap) -> bool {
    let size = op.map.body.results.first().and_then(|size| size.var());
    size.is_none_or(|size| !bound_in_lambda(&op.map).contains(&size))
}

/// The part of a body that some results need, with all that has effects.
fn part_of(body: &Body, results: &[Atom], effects: &Effects, vars: &IdVec<Var, VarInfo>) -> Body {
    let mut needed: FxHashSet<Var> = results.iter().filter_map(|atom| atom.var()).collect();
    let mut stms = Vec::new();
    for stm in body.stms.iter().rev() {
        if stm.pat.iter().any(|var| needed.contains(var)) || effects.exp(&stm.exp) {
            needed.extend(free_in_stm(stm, vars));
            stms.push(stm.clone());
        }
    }
    stms.reverse();
    Body { stms, results: results.to_vec() }
}

/// The statements that a flatmap is written out as.
pub(crate) fn write_out(stm: Stm, effects: &Effects, vars: &mut IdVec<Var, VarInfo>) -> Vec<Stm> {
    let Stm { pat, exp, certs, attrs, loc } = stm;
    let Exp::Flatmap(op) = exp else { bug("it is no flatmap") };
    let plain = op.plain();
    let [total, rest @ ..] = pat.as_slice() else { bug("a flatmap binds nothing") };
    let (plain_pat, flat) = rest.split_at(plain);
    let (plain_results, _) = op.map.body.results.split_at(plain);
    let first = Lambda {
        body: part_of(&op.map.body, plain_results, effects, vars),
        ret: op.map.ret[..plain].to_vec(),
        params: op.map.params.clone(),
    };
    let first = copy_lambda(&first, vars);
    let mut b = Builder::new(vars);
    b.set_certs(certs.clone());
    b.set_loc(loc.clone());
    let starts = sizes(&op, first, (*total, plain_pat), flat.is_empty(), &mut b);
    if let Some(starts) = starts {
        pieces(*op, *total, starts, (flat, effects), &mut b);
    }
    let mut stms = b.finish(Vec::new()).stms;
    for stm in &mut stms {
        stm.attrs.clone_from(&attrs);
    }
    stms
}

/// Binds the sizes of pieces, the other results, and the number of all elements; the array of where pieces start, unless nobody
/// asks.
fn sizes(
    op: &Flatmap,
    mut map: Lambda,
    (total, plain): (Var, &[Var]),
    unasked: bool,
    b: &mut Builder<'_>,
) -> Option<Var> {
    let numbers = Type::array(fehu_base::Prim::I64.into(), vec![op.width]);
    let folded = if unasked { 1 } else { 2 };
    let size = *map.body.results.first().or_bug("the size of a piece");
    map.body.results.splice(0..0, std::iter::repeat_n(size, folded));
    map.ret.splice(0..0, std::iter::repeat_n(Type::I64, folded));
    let (mut scans, neutral) = (Vec::new(), vec![Atom::i64(0)]);
    let ends = b.param("ends", numbers.clone());
    if !unasked {
        scans.push(Scan { op: sum(b), neutral: neutral.clone() });
    }
    let reds = vec![Red { op: sum(b), neutral, commutative: true }];
    let pat = (!unasked).then_some(ends).into_iter().chain([total]).chain(plain.iter().copied());
    let pat = pat.collect();
    let screma = Screma { width: op.width, inputs: op.inputs.clone(), map, scans, reds };
    b.stm(pat, Exp::Screma(Box::new(screma)));
    if unasked {
        return None;
    }
    let params = vec![("end".into(), Type::I64), ("size".into(), Type::I64)];
    let map = b.lambda(params, vec![Type::I64], |b, of| {
        vec![b.exp("start", Exp::BinOp(BinOp::Sub, of[0].into(), of[1].into())).into()]
    });
    let inputs = vec![ends, *plain.first().or_bug("the sizes of pieces")];
    let screma = Screma { width: op.width, inputs, map, scans: Vec::new(), reds: Vec::new() };
    Some(b.typed("starts", numbers, Exp::Screma(Box::new(screma))))
}

fn sum(b: &mut Builder<'_>) -> Lambda {
    let params = vec![("a".into(), Type::I64), ("b".into(), Type::I64)];
    b.lambda(params, vec![Type::I64], |b, of| {
        vec![b.exp("sum", Exp::BinOp(BinOp::Add, of[0].into(), of[1].into())).into()]
    })
}

/// Writes the pieces to where they start.
fn pieces(
    op: Flatmap,
    total: Var,
    starts: Var,
    (flat, effects): (&[Var], &Effects),
    b: &mut Builder<'_>,
) {
    let plain = op.plain();
    let Flatmap { width, inputs, map, .. } = op;
    let size = *map.body.results.first().or_bug("the size of a piece");
    let mut wanted = vec![size];
    wanted.extend_from_slice(&map.body.results[plain..]);
    let body = part_of(&map.body, &wanted, effects, b.vars());
    let mut arrays = Vec::with_capacity(flat.len());
    for var in flat {
        let ty = b.ty(*var).clone();
        let elem = ty.elem().or_bug("the elements of an array");
        arrays.push(b.typed("flat", ty.clone(), Exp::Scratch(elem, ty.shape().to_vec())));
    }
    let cert = b.param("cert", Type::CERT);
    let acc = b.param("acc", Type::Acc(cert));
    let own = b.param("acc", Type::Acc(cert));
    let start = b.param("start", Type::I64);
    let written = b.body(|b| {
        for stm in body.stms {
            b.push(stm);
        }
        let piece: Vec<Var> =
            body.results[1..].iter().map(|part| part.var().or_bug("a piece")).collect();
        vec![write_piece((cert, own), start, size, &piece, b).into()]
    });
    let params = [own, start].into_iter().chain(map.params).collect();
    let ret = vec![Type::Acc(cert)];
    let map = Lambda { params, body: written, ret: ret.clone() };
    let inputs = [acc, starts].into_iter().chain(inputs).collect();
    let screma = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
    let body =
        b.body(|b| vec![b.typed("acc", Type::Acc(cert), Exp::Screma(Box::new(screma))).into()]);
    let lambda = Lambda { params: vec![cert, acc], body, ret };
    let input = AccInput { shape: vec![total.into()], arrays, op: None };
    b.stm(flat.to_vec(), Exp::WithAcc(vec![input], Box::new(lambda)));
}

/// Writes the elements of a piece to an accumulator, from a position on.
fn write_piece(
    (cert, acc): (Var, Var),
    start: Var,
    size: Atom,
    piece: &[Var],
    b: &mut Builder<'_>,
) -> Var {
    let iota = Exp::Iota(fehu_base::Prim::I64, size, start.into(), Atom::i64(1));
    let places = b.exp("places", iota);
    let mut params = vec![("acc".into(), Type::Acc(cert)), ("place".into(), Type::I64)];
    for part in piece {
        params.push(("x".into(), b.ty(*part).row().or_bug("the elements of a piece")));
    }
    let map = b.lambda(params, vec![Type::Acc(cert)], |b, params| {
        let values = params[2..].iter().map(|var| Atom::Var(*var)).collect();
        let exp = Exp::UpdateAcc(params[0], vec![params[1].into()], values);
        vec![b.typed("acc", Type::Acc(cert), exp).into()]
    });
    let inputs = [acc, places].into_iter().chain(piece.iter().copied()).collect();
    let screma = Screma { width: size, inputs, map, scans: Vec::new(), reds: Vec::new() };
    b.typed("acc", Type::Acc(cert), Exp::Screma(Box::new(screma)))
}
