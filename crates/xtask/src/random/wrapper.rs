//! Functions that ask for derivatives of others.

use fehu_base::IdVec;
use fehu_ir::subst::{Subst, subst_type};
use fehu_ir::{
    Atom, Body, Diff, DiffForm, Dim, Elem, Exp, Fun, FunId, Lambda, Param, Scalar, Seeds, Stm, Var,
    VarInfo,
};

/// A function that yields results of another one and its derivative, for seeds that are its last parameters. With
/// several directions, these are the second one, and the others are zero.
pub(super) fn wrapper(
    fun: &Fun,
    id: FunId,
    (active, chosen): (&[usize], &[usize]),
    forward: bool,
    directions: Option<usize>,
) -> Fun {
    let mut vars = fun.vars.clone();
    let mut fresh = |hint: &str, like: Var| {
        let mut info = vars[like].clone();
        info.hint = hint.into();
        vars.push(info)
    };
    let by: Vec<Var> = active.iter().map(|index| fun.params[*index].var).collect();
    let of: Vec<Var> = chosen.iter().map(|index| fun.results[*index]).collect();
    let (towards, derivative) = if forward { (&by, &of) } else { (&of, &by) };
    let seeds: Vec<Var> = towards.iter().map(|var| fresh("seed", *var)).collect();
    let inner: Vec<Var> = by.iter().map(|var| fresh("a", *var)).collect();
    let yielded: Vec<Var> = of.iter().chain(derivative).map(|var| fresh("d", *var)).collect();
    let results = of.iter().chain(derivative).map(|var| fresh("r", *var)).collect();
    let mut args: Vec<Var> = fun.params.iter().map(|param| param.var).collect();
    for (index, var) in active.iter().zip(&inner) {
        args[*index] = *var;
    }
    let mut stms = Vec::new();
    for (arg, param) in args.iter_mut().zip(&fun.params) {
        if param.consumed {
            let copy = fresh("copy", *arg);
            stms.push(Stm::new(vec![copy], Exp::Copy(*arg)));
            *arg = copy;
        }
    }
    let atoms = |vars: &[Var]| vars.iter().map(|var| Atom::Var(*var)).collect::<Vec<_>>();
    // Here, the sizes of results have other names.
    let values: Vec<Var> = fun.results.iter().map(|var| fresh("y", *var)).collect();
    let names: Subst = fun.results.iter().copied().zip(atoms(&values)).collect();
    for var in &values {
        subst_type(&mut vars[*var].ty, &names);
    }
    let ret = of.iter().map(|var| fun.vars[*var].ty.clone()).collect();
    stms.push(Stm::new(values.clone(), Exp::Call(id, atoms(&args))));
    let returned: Vec<Var> = chosen.iter().map(|index| values[*index]).collect();
    let body = Body { stms, results: atoms(&returned) };
    let mut outside = Vec::new();
    let (mut values, mut bound, mut picked) = (seeds.clone(), yielded.clone(), Vec::new());
    if let Some(count) = directions {
        for value in &mut values {
            *value = among_zeros(*value, count, &mut vars, &mut outside);
        }
        for var in &mut bound[of.len()..] {
            let all = several(*var, count, &mut vars);
            let mut dims = vec![Dim::Fix(1.into())];
            let whole = |len: &Atom| Dim::Slice { start: 0.into(), len: *len, stride: 1.into() };
            dims.extend(vars[*var].ty.shape().iter().map(whole));
            picked.push(Stm::new(vec![*var], Exp::Index(all, dims)));
            *var = all;
        }
    }
    let directions = directions.map(|count| Atom::from(count as i64));
    let given = Seeds { values: atoms(&values), directions };
    let form = if forward { DiffForm::Forward(given) } else { DiffForm::Reverse(given) };
    let diff = Diff { args: atoms(&by), fun: Lambda { params: inner, body, ret }, form };
    outside.push(Stm::new(bound, Exp::Diff(Box::new(diff))));
    outside.extend(picked);
    let all = fun.params.iter().map(|param| param.var).chain(seeds);
    let params = all.map(|var| Param { var, consumed: false }).collect();
    let name = if forward { "forward" } else { "reverse" };
    let body = Body { stms: outside, results: atoms(&yielded) };
    Fun { name: name.into(), vars, params, results, body, attrs: Vec::new(), foreign: None }
}

/// A variable for so many values like this one.
fn several(var: Var, count: usize, vars: &mut IdVec<Var, VarInfo>) -> Var {
    let ty = vars[var].ty.array_of((count as i64).into());
    let ty = ty.unwrap_or_else(|| unreachable!("no accumulator"));
    vars.push(VarInfo { hint: "directions".into(), ty })
}

/// So many directions, of which the second one is the seed, and the others are zero.
fn among_zeros(
    seed: Var,
    count: usize,
    vars: &mut IdVec<Var, VarInfo>,
    stms: &mut Vec<Stm>,
) -> Var {
    let ty = vars[seed].ty.clone();
    let Some(elem @ Elem::Prim(prim)) = ty.elem() else { unreachable!("seeds are numbers") };
    let mut zero = Atom::Const(Scalar::zero(prim));
    if ty.is_array() {
        let exp = Exp::Replicate(ty.shape().to_vec(), zero);
        let zeros = vars.push(VarInfo { hint: "zeros".into(), ty });
        stms.push(Stm::new(vec![zeros], exp));
        zero = zeros.into();
    }
    let mut rows = vec![zero; count];
    rows[1] = seed.into();
    let all = several(seed, count, vars);
    stms.push(Stm::new(vec![all], Exp::Array(elem, rows)));
    all
}
