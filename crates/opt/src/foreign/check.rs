//! Compares what foreign functions compute with what their bodies do.
//!
//! ```text
//! fun f (x) -> (r) = body         foreign (c g)
//! ==>
//! fun f_1 (x) -> (r) = body       foreign (c g)
//! fun f_body (x) -> (r) = body
//! fun f (x) -> (r) =
//!   r = call f_1 (x)
//!   s = call f_body (x)
//!   assert (r is close to s) "the foreign function \"g\" ..."
//!   in (r)
//! ```
//!
//! Integers and truth values must be equal. Floats may differ by the square root of the distance between 1 and the next number,
//! times the largest finite float among the arguments and the results of the body: about half of the digits, where a library
//! adds in another order, and numbers cancel each other.

use fehu_base::id::Id;
use fehu_base::{IdVec, OrBug, Prim};
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::{
    Atom, Attr, BinOp, Check, CheckPart, CmpOp, Dim, Elem, Exp, Fun, FunId, Prog, Red, Scalar,
    Screma, Type, UnOp, Var,
};

/// Puts a comparison around all foreign functions of a program.
pub(super) fn check(prog: &mut Prog) {
    let foreign: Vec<FunId> =
        prog.funs.iter().filter(|(_, fun)| fun.foreign.is_some()).map(|(id, _)| id).collect();
    for id in foreign {
        let symbol = prog.funs[id].clone();
        let mut body = symbol.clone();
        body.foreign = None;
        body.name = ecow::eco_format!("{}_body", body.name);
        let first = prog.funs.len();
        prog.funs[id] = compared(&prog.funs[id], [first, first + 1].map(FunId::from_index));
        prog.funs.push(symbol);
        prog.funs.push(body);
    }
}

/// The function that calls both, the symbol and the body.
fn compared(fun: &Fun, [symbol, body]: [FunId; 2]) -> Fun {
    let foreign = fun.foreign.as_ref().or_bug("symbol of a foreign function");
    let both = foreign.symbols.iter().chain(&foreign.vectorised);
    let names: Vec<String> = both.map(|symbol| format!("\"{}\"", symbol.name)).collect();
    let names = names.join(" or ");
    let what = format!("the foreign function {names} differs from the body of \"{}\"", fun.name);
    let (mut vars, of) = interface(fun);
    let mut b = Builder::new(&mut vars);
    let args: Vec<Atom> = fun.params.iter().map(|param| Atom::Var(of[&param.var])).collect();
    // Each may have arrays of its own.
    let own: Vec<Atom> = fun
        .params
        .iter()
        .zip(&args)
        .map(|(param, arg)| match arg {
            Atom::Var(var) if param.consumed => b.exp("own", Exp::Copy(*var)).into(),
            Atom::Var(_) | Atom::Const(_) => *arg,
        })
        .collect();
    let results: Vec<Var> = fun.results.iter().map(|var| of[var]).collect();
    let types: Vec<Type> = results.iter().map(|var| b.ty(*var).clone()).collect();
    let expected = b.several("expected", types.clone(), Exp::Call(body, own));
    let found = b.several("found", types, Exp::Call(symbol, args.clone()));
    let values = args.iter().copied().chain(expected.iter().map(|var| Atom::Var(*var)));
    let scale = largest(&mut b, values.collect());
    for ((found, expected), result) in found.iter().zip(&expected).zip(&fun.results) {
        let hint = fun.vars[*result].hint.clone();
        let several = fun.results.len() > 1;
        let what = if several { format!("{what}, in the result \"{hint}\"") } else { what.clone() };
        compare(&mut b, &what, *found, *expected, scale);
    }
    let body = b.finish(found.into_iter().map(Atom::Var).collect());
    let params = fun.params.iter().map(|param| fehu_ir::Param { var: of[&param.var], ..*param });
    Fun {
        name: fun.name.clone(),
        params: params.collect(),
        results,
        body,
        vars,
        attrs: vec![Attr::named("inline")],
        foreign: None,
    }
}

type Vars = IdVec<Var, fehu_ir::VarInfo>;

/// Variables for the parameters and results of a function like another one, and which are which.
fn interface(fun: &Fun) -> (Vars, rustc_hash::FxHashMap<Var, Var>) {
    let mut vars = Vars::new();
    let mut of = rustc_hash::FxHashMap::default();
    let mut subst = fehu_ir::subst::Subst::default();
    for var in fun.params.iter().map(|param| param.var).chain(fun.results.iter().copied()) {
        let mut info = fun.vars[var].clone();
        fehu_ir::subst::subst_type(&mut info.ty, &subst);
        let new = vars.push(info);
        of.insert(var, new);
        subst.insert(var, Atom::Var(new));
    }
    (vars, of)
}

/// Checks that a result is what is expected; the scale is that of the floats that it is computed from.
fn compare(b: &mut Builder<'_>, what: &str, found: Var, expected: Var, scale: Atom) {
    let limit = limit(b, found, scale);
    let Type::Array(elem, shape) = b.ty(found).clone() else {
        let fine = close(b, found.into(), expected.into(), limit);
        let parts = vec![
            text(format!("{what}: it yields ")),
            CheckPart::Value(found.into()),
            text(", the body "),
            CheckPart::Value(expected.into()),
        ];
        b.assert(fine, Check { parts, trace: Vec::new() });
        return;
    };
    let width = width(b, found);
    let (found, expected) = (flat(b, found, width), flat(b, expected, width));
    let row = Type::Scalar(elem);
    let at = b.exp("at", Exp::Iota(Prim::I64, width, Atom::i64(0), Atom::i64(1)));
    let params = [("x", row.clone()), ("y", row.clone()), ("i", Type::I64)];
    let params = params.map(|(hint, ty)| (hint.into(), ty)).to_vec();
    let map = b.lambda(params, vec![Type::I64], |b, params| {
        let fine = close(b, params[0].into(), params[1].into(), limit);
        vec![either(b, fine, width, params[2].into()).into()]
    });
    // Where they first differ; the width if nowhere.
    let first = fold(b, (width, vec![found, expected, at]), map, BinOp::Min, width, &Type::I64);
    let fine: Atom = b.exp("fine", Exp::CmpOp(CmpOp::Eq, first.into(), width)).into();
    let zero = Atom::Const(Scalar::zero(prim_of(&row).or_bug("element with contents")));
    let same = b.body(|_| vec![zero, zero]);
    let differ = b.body(|b| {
        let at = vec![Dim::Fix(first.into())];
        let element = |b: &mut Builder<'_>, array| b.exp("element", Exp::Index(array, at.clone()));
        vec![element(b, found).into(), element(b, expected).into()]
    });
    let bodies = Box::new([same, differ]);
    let shown = b.several("shown", vec![row.clone(), row], Exp::If(fine, bodies));
    let order = if shape.len() > 1 { " in row-major order" } else { "" };
    let parts = vec![
        text(format!("{what}: element ")),
        CheckPart::Value(first.into()),
        text(format!("{order} is ")),
        CheckPart::Value(shown[0].into()),
        text(", the body yields "),
        CheckPart::Value(shown[1].into()),
    ];
    b.assert(fine, Check { parts, trace: Vec::new() });
}

fn text(text: impl Into<ecow::EcoString>) -> CheckPart {
    CheckPart::Text(text.into())
}

/// The number of elements of an array.
fn width(b: &mut Builder<'_>, array: Var) -> Atom {
    let shape = b.ty(array).shape().to_vec();
    let mut width = shape[0];
    for size in &shape[1..] {
        width = b.exp("width", Exp::BinOp(BinOp::Mul, width, *size)).into();
    }
    width
}

/// An array with one dimension, of this size.
fn flat(b: &mut Builder<'_>, array: Var, width: Atom) -> Var {
    match b.ty(array).rank() {
        1 => array,
        _ => b.exp("flat", Exp::Reshape(array, vec![width])),
    }
}

/// By how much a value may differ, if it is made of floats.
fn limit(b: &mut Builder<'_>, value: Var, scale: Atom) -> Option<Atom> {
    let Some(Elem::Prim(prim)) = b.ty(value).elem() else { return None };
    let relative = match prim {
        Prim::F32 => f64::from(f32::EPSILON).sqrt(),
        Prim::F64 => f64::EPSILON.sqrt(),
        // Those of 16 bits do not cross.
        Prim::F16 | Prim::Bool => return None,
        Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 => return None,
        Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => return None,
    };
    let relative = Atom::Const(Scalar::F64(relative));
    let limit = b.exp("limit", Exp::BinOp(BinOp::Mul, scale, relative));
    Some(b.exp("limit", Exp::Convert(prim, limit.into())).into())
}

/// The largest finite magnitude of the floats among some values, an f64.
fn largest(b: &mut Builder<'_>, values: Vec<Atom>) -> Atom {
    let zero = Atom::Const(Scalar::F64(0.0));
    let mut scale = zero;
    for value in values {
        let ty = b.atom_ty(value);
        if !ty.elem().is_some_and(Elem::is_float) {
            continue;
        }
        let size = match value.var().filter(|_| ty.is_array()) {
            None => magnitude(b, value),
            Some(array) => {
                let width = width(b, array);
                let array = flat(b, array, width);
                let row = Type::array(ty.elem().or_bug("type of elements"), Vec::new());
                let ret = vec![Type::prim(Prim::F64)];
                let map = b.lambda(vec![("y".into(), row)], ret, |b, params| {
                    vec![magnitude(b, params[0].into())]
                });
                let f64 = Type::prim(Prim::F64);
                fold(b, (width, vec![array]), map, BinOp::Max, zero, &f64).into()
            }
        };
        scale = b.exp("scale", Exp::BinOp(BinOp::Max, scale, size)).into();
    }
    scale
}

/// The absolute value of a float, or zero if it is not finite; an f64.
fn magnitude(b: &mut Builder<'_>, value: Atom) -> Atom {
    let wide = b.exp("wide", Exp::Convert(Prim::F64, value));
    let size = b.exp("size", Exp::UnOp(UnOp::Abs, wide.into()));
    let most = Atom::Const(Scalar::F64(f64::MAX));
    let finite = b.exp("finite", Exp::CmpOp(CmpOp::Le, size.into(), most));
    either(b, finite.into(), size.into(), Atom::Const(Scalar::F64(0.0))).into()
}

/// Whether two scalars are equal or, if they are floats, close enough.
fn close(b: &mut Builder<'_>, found: Atom, expected: Atom, limit: Option<Atom>) -> Atom {
    let equal = b.exp("equal", Exp::CmpOp(CmpOp::Eq, found, expected));
    let Some(limit) = limit else { return equal.into() };
    let difference = b.exp("difference", Exp::BinOp(BinOp::Sub, found, expected));
    let distance = b.exp("distance", Exp::UnOp(UnOp::Abs, difference.into()));
    let near = b.exp("near", Exp::CmpOp(CmpOp::Le, distance.into(), limit));
    // Only what is not a number differs from itself.
    let numbers = [found, expected].map(|x| b.exp("number", Exp::CmpOp(CmpOp::Eq, x, x)).into());
    let any = b.exp("any", Exp::BinOp(BinOp::Or, numbers[0], numbers[1]));
    let neither = b.exp("neither", Exp::UnOp(UnOp::Not, any.into()));
    let fine = b.exp("fine", Exp::BinOp(BinOp::Or, equal.into(), near.into()));
    b.exp("fine", Exp::BinOp(BinOp::Or, fine.into(), neither.into())).into()
}

/// One of two scalars.
fn either(b: &mut Builder<'_>, cond: Atom, yes: Atom, no: Atom) -> Var {
    let ty = b.atom_ty(yes);
    let bodies = Box::new([b.body(|_| vec![yes]), b.body(|_| vec![no])]);
    b.typed("either", ty, Exp::If(cond, bodies))
}

/// A reduction by an operator that is commutative, too.
fn fold(
    b: &mut Builder<'_>,
    (width, inputs): (Atom, Vec<Var>),
    map: fehu_ir::Lambda,
    op: BinOp,
    neutral: Atom,
    ty: &Type,
) -> Var {
    let params = vec![("x".into(), ty.clone()), ("y".into(), ty.clone())];
    let op = b.lambda(params, vec![ty.clone()], |b, params| {
        vec![b.exp("x", Exp::BinOp(op, params[0].into(), params[1].into())).into()]
    });
    let reds = vec![Red { op, neutral: vec![neutral], commutative: true }];
    let screma = Screma { width, inputs, map, scans: Vec::new(), reds };
    b.typed("fold", ty.clone(), Exp::Screma(Box::new(screma)))
}
