//! Arithmetic on tangents and adjoints: sums, products and zeros of all types. Of truth values, the sum is the
//! disjunction, and the product is the conjunction.

use fehu_base::{OrBug, Prim};
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::{Atom, BinOp, Body, Dim, Elem, Exp, Lambda, Red, Scalar, Screma, Type, UnOp, Var};

/// Whether values of a type have tangents and adjoints: not certificates, nor arrays that hold nothing.
pub(super) fn has_numbers(ty: &Type) -> bool {
    matches!(ty.elem(), Some(Elem::Prim(_)))
}

/// Zeros of a type.
pub(crate) fn zero(b: &mut Builder<'_>, ty: &Type) -> Atom {
    match (ty.elem(), ty.shape()) {
        (Some(Elem::Prim(prim)), []) => Scalar::zero(prim).into(),
        (Some(Elem::Prim(prim)), shape) => {
            let exp = Exp::Replicate(shape.to_vec(), Scalar::zero(prim).into());
            b.exp("zeros", exp).into()
        }
        (_, []) => Scalar::Unit.into(),
        (_, shape) => b.exp("unit", Exp::Scratch(Elem::Unit, shape.to_vec())).into(),
    }
}

/// The number as a constant of the type.
pub(super) fn number(prim: Prim, value: f64) -> Atom {
    Atom::Const(match prim {
        Prim::I8 => Scalar::I8(value as i8),
        Prim::I16 => Scalar::I16(value as i16),
        Prim::I32 => Scalar::I32(value as i32),
        Prim::I64 => Scalar::I64(value as i64),
        Prim::U8 => Scalar::U8(value as u8),
        Prim::U16 => Scalar::U16(value as u16),
        Prim::U32 => Scalar::U32(value as u32),
        Prim::U64 => Scalar::U64(value as u64),
        Prim::F16 => Scalar::F16(half::f16::from_f64(value)),
        Prim::F32 => Scalar::F32(value as f32),
        Prim::F64 => Scalar::F64(value),
        Prim::Bool => Scalar::Bool(value != 0.0),
    })
}

pub(super) fn binary(b: &mut Builder<'_>, op: BinOp, x: Atom, y: Atom) -> Atom {
    b.exp("d", Exp::BinOp(op, x, y)).into()
}

/// How many elements an array of these sizes has.
pub(super) fn product(b: &mut Builder<'_>, sizes: &[Atom]) -> Atom {
    let mut sizes = sizes.iter().copied();
    let first = sizes.next().unwrap_or(Atom::i64(1));
    sizes.fold(first, |product, size| binary(b, BinOp::Mul, product, size))
}

fn is_bool(b: &Builder<'_>, x: Atom) -> bool {
    prim_of(&b.atom_ty(x)) == Some(Prim::Bool)
}

pub(super) fn mul(b: &mut Builder<'_>, x: Atom, y: Atom) -> Atom {
    let op = if is_bool(b, x) { BinOp::And } else { BinOp::Mul };
    binary(b, op, x, y)
}

pub(super) fn neg(b: &mut Builder<'_>, x: Atom) -> Atom {
    if is_bool(b, x) { x } else { b.exp("d", Exp::UnOp(UnOp::Neg, x)).into() }
}

/// The sum of two values of one type, arrays included.
pub(crate) fn add(b: &mut Builder<'_>, x: Atom, y: Atom) -> Atom {
    let ty = b.atom_ty(x);
    match (ty.shape(), x, y) {
        (&[width, ..], Atom::Var(x), Atom::Var(y)) => {
            let row = ty.row().or_bug("row of an array");
            map(b, width, &[x, y], vec![row], |b, args| {
                vec![add(b, args[0].into(), args[1].into())]
            })[0]
                .into()
        }
        _ => {
            let op = if is_bool(b, x) { BinOp::Or } else { BinOp::Add };
            binary(b, op, x, y)
        }
    }
}

/// `x` if the condition holds, zero otherwise.
pub(super) fn when(b: &mut Builder<'_>, cond: Atom, x: Atom) -> Atom {
    let ty = b.atom_ty(x);
    select(b, cond, &ty, |_| x, |b| zero(b, &b.atom_ty(x)))
}

/// A branch with one result of this type.
pub(super) fn select(
    b: &mut Builder<'_>,
    cond: Atom,
    ty: &Type,
    yes: impl FnOnce(&mut Builder<'_>) -> Atom,
    no: impl FnOnce(&mut Builder<'_>) -> Atom,
) -> Atom {
    let yes = b.body(|b| vec![yes(b)]);
    let no = b.body(|b| vec![no(b)]);
    b.typed("d", ty.clone(), Exp::If(cond, Box::new([yes, no]))).into()
}

/// A map with this function, which has results of these types.
pub(super) fn map(
    b: &mut Builder<'_>,
    width: Atom,
    inputs: &[Var],
    ret: Vec<Type>,
    make: impl FnOnce(&mut Builder<'_>, &[Var]) -> Vec<Atom>,
) -> Vec<Var> {
    let params = inputs
        .iter()
        .map(|input| ("x".into(), b.ty(*input).row().unwrap_or_else(|| b.ty(*input).clone())))
        .collect();
    let lambda = b.lambda(params, ret, make);
    let types = outer(&lambda.ret, width);
    b.several("d", types, map_exp(width, inputs.to_vec(), lambda))
}

pub(super) fn map_exp(width: Atom, inputs: Vec<Var>, map: Lambda) -> Exp {
    Exp::Screma(Box::new(Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() }))
}

/// The types of arrays of things of these types; accumulators are one for all.
pub(crate) fn outer(types: &[Type], width: Atom) -> Vec<Type> {
    types.iter().map(|ty| ty.array_of(width).unwrap_or_else(|| ty.clone())).collect()
}

/// The operator that adds two values of a type.
pub(crate) fn add_lambda(b: &mut Builder<'_>, ty: &Type, indices: usize) -> Lambda {
    let mut params = vec![("i".into(), Type::I64); indices];
    params.extend([("x".into(), ty.clone()), ("y".into(), ty.clone())]);
    b.lambda(params, vec![ty.clone()], |b, args| {
        vec![add(b, args[indices].into(), args[indices + 1].into())]
    })
}

pub(crate) fn sum_red(b: &mut Builder<'_>, ty: &Type) -> Red {
    let neutral = vec![zero(b, ty)];
    Red { op: add_lambda(b, ty, 0), neutral, commutative: true }
}

pub(super) fn identity(b: &mut Builder<'_>, types: &[Type]) -> Lambda {
    let params = types.iter().map(|ty| ("x".into(), ty.clone())).collect();
    b.lambda(params, types.to_vec(), |_, args| args.iter().map(|arg| Atom::Var(*arg)).collect())
}

/// The operator on operands with one more part, the first, which says whether there is anything: if there is not, the
/// other operand is the result. So whatever is absent is neutral. The first parameters are indices.
pub(super) fn with_presence(b: &mut Builder<'_>, op: Lambda, indices: usize) -> Lambda {
    let Lambda { params, body: mut both, ret } = op;
    let (index, operands) = params.split_at(indices);
    let (left, right) = operands.split_at(ret.len());
    let [left, right] = [left, right].map(|operand| {
        let there = b.param("there", Type::BOOL);
        std::iter::once(there).chain(operand.iter().copied()).collect::<Vec<_>>()
    });
    let ret: Vec<Type> = std::iter::once(Type::BOOL).chain(ret).collect();
    let all = |vars: &[Var]| vars.iter().map(|var| Atom::Var(*var)).collect::<Vec<_>>();
    both.results.insert(0, Atom::bool(true));
    let second = b.body(|b| {
        let exp = Exp::If(right[0].into(), Box::new([both, Body::of(all(&left))]));
        all(&b.several("t", ret.clone(), exp))
    });
    let body = b.body(|b| {
        let exp = Exp::If(left[0].into(), Box::new([second, Body::of(all(&right))]));
        all(&b.several("t", ret.clone(), exp))
    });
    Lambda { params: [index, &left[..], &right[..]].concat(), body, ret }
}

/// The sum of the rows of an array.
pub(super) fn sum(b: &mut Builder<'_>, array: Var) -> Atom {
    let ty = b.ty(array).clone();
    let row = ty.row().or_bug("row of an array");
    let red = sum_red(b, &row);
    let map = identity(b, std::slice::from_ref(&row));
    let (inputs, reds) = (vec![array], vec![red]);
    let screma = Screma { width: ty.shape()[0], inputs, map, scans: Vec::new(), reds };
    b.typed("sum", row, Exp::Screma(Box::new(screma))).into()
}

/// All of a dimension.
pub(crate) fn whole(len: Atom) -> Dim {
    Dim::Slice { start: 0.into(), len, stride: 1.into() }
}

/// A slice of the outermost dimension.
pub(super) fn rows(b: &mut Builder<'_>, array: Var, start: Atom, len: Atom, stride: i64) -> Var {
    let shape = b.ty(array).shape()[1..].to_vec();
    let mut dims = vec![Dim::Slice { start, len, stride: stride.into() }];
    dims.extend(shape.into_iter().map(whole));
    b.exp("part", Exp::Index(array, dims))
}

/// The array with its rows in the other order.
pub(super) fn reverse(b: &mut Builder<'_>, array: Var) -> Var {
    let len = b.ty(array).shape()[0];
    let last = binary(b, BinOp::Sub, len, 1.into());
    rows(b, array, last, len, -1)
}

/// The body with more statements at its end, which `make` adds; their results are added to the body's.
pub(super) fn extend(
    b: &mut Builder<'_>,
    body: Body,
    make: impl FnOnce(&mut Builder<'_>) -> Vec<Atom>,
) -> Body {
    let mut inner = Builder::new(b.vars_mut());
    body.stms.into_iter().for_each(|stm| inner.push(stm));
    let mut results = body.results;
    results.extend(make(&mut inner));
    inner.finish(results)
}
