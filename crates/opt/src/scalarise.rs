//! `scalarise`: reductions and scans of small arrays become reductions and scans of their elements.
//!
//! Threads combine values that are in registers. An array is in memory, so a reduction or scan of arrays is one
//! application of the operator after the other, unless the operator is a map. If the arrays have few elements, and it
//! is known how many, the operator can combine tuples of them instead, and builds the arrays itself, where they are
//! registers as well:
//!
//! ```text
//! ys = screma n (xs) map (\x -> (f x)) scan (\a b -> c) neutral (e)                 f x, a, b, c, e: [2]t
//! ==>
//! (y0, y1) = screma n (xs) map (\x -> x' = f x in (x'[0], x'[1]))
//!              scan (\a0 a1 b0 b1 -> a = [a0, a1]; b = [b0, b1]; ... in (c[0], c[1])) neutral (e[0], e[1])
//! ys = screma n (y0, y1) map (\y0 y1 -> [y0, y1])
//! ```
//!
//! The products of 2 x 2 matrices by which linear recurrences are solved in parallel are an example.

use fehu_base::{IdVec, bug};
use fehu_ir::builder::Builder;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{
    Atom, Body, Dim, Elem, Exp, Lambda, Red, Scalar, Scan, Screma, Stm, Type, Var, VarInfo,
};

/// The most elements of the values that an operator combines.
pub(crate) const MOST: usize = 16;

/// The pass.
pub const SCALARISE: Pass = Pass {
    name: "scalarise",
    about: "turns reductions and scans of small arrays into those of their elements",
    run: |prog, _: &mut Remarks| prog.for_each_body(|_, vars, body| Small { vars }.body(body)),
};

struct Small<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
}

impl VisitMut for Small<'_> {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        if !body.stms.iter().any(has_small_arrays) {
            return;
        }
        let mut out = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            match has_small_arrays(&stm) {
                true => out.extend(scalarise(stm, self.vars)),
                false => out.push(stm),
            }
        }
        body.stms = out;
    }
}

/// Whether a statement combines arrays, and all that it combines have few elements.
fn has_small_arrays(stm: &Stm) -> bool {
    let Exp::Screma(op) = &stm.exp else { return false };
    let scans = op.scans.iter().map(|scan| &scan.op);
    let operators: Vec<&Lambda> = scans.chain(op.reds.iter().map(|red| &red.op)).collect();
    let are_few = |op: &&Lambda| {
        let sizes: Option<Vec<usize>> = op.ret.iter().map(|ty| Some(places(ty)?.len())).collect();
        sizes.is_some_and(|sizes| (1..=MOST).contains(&sizes.iter().sum()))
    };
    let elements = &op.map.ret[..op.folded()];
    elements.iter().any(Type::is_array)
        && operators.iter().all(are_few)
        // Sizes are written in the same way everywhere.
        && operators.iter().flat_map(|op| &op.ret).eq(elements)
}

/// The indices of all elements of a value; a scalar has one, which needs no index. None if there are too many, or it is not known
/// how many.
fn places(ty: &Type) -> Option<Vec<Vec<i64>>> {
    let (Type::Scalar(Elem::Prim(_)) | Type::Array(Elem::Prim(_), _)) = ty else { return None };
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for size in ty.shape() {
        let Atom::Const(Scalar::I64(size @ 1..)) = size else { return None };
        if all.len().checked_mul(usize::try_from(*size).ok()?)? > MOST {
            return None;
        }
        let longer = |place: &Vec<i64>, k: i64| place.iter().copied().chain([k]).collect();
        all = all.iter().flat_map(|place| (0..*size).map(move |k| longer(place, k))).collect();
    }
    Some(all)
}

fn places_of(ty: &Type) -> Vec<Vec<i64>> {
    places(ty).unwrap_or_else(|| bug("an array that is not small"))
}

fn element(ty: &Type) -> Type {
    match ty.elem() {
        Some(elem) => Type::Scalar(elem),
        None => bug("elements of no type"),
    }
}

/// The elements of these values, which have these types.
fn elements(values: &[Atom], types: &[Type], b: &mut Builder<'_>) -> Vec<Atom> {
    let mut all = Vec::new();
    for (value, ty) in values.iter().zip(types) {
        for place in places_of(ty) {
            all.push(match (place.is_empty(), value) {
                (true, _) => *value,
                (false, Atom::Var(array)) => {
                    let at = place.into_iter().map(|k| Dim::Fix(k.into())).collect();
                    b.exp("element", Exp::Index(*array, at)).into()
                }
                (false, Atom::Const(_)) => bug("an array that is a constant"),
            });
        }
    }
    all
}

/// Binds variables to values that consist of these elements.
fn rebuild(vars: &[Var], elements: &[Atom], b: &mut Builder<'_>) {
    let mut rest = elements;
    for var in vars {
        let ty = b.ty(*var).clone();
        let (own, others) = rest.split_at(places_of(&ty).len());
        rest = others;
        let exp = match (own, ty.elem()) {
            ([value], _) if !ty.is_array() => Exp::Atom(*value),
            (_, Some(elem)) => literal(elem, ty.shape(), own, b),
            (_, None) => bug("elements of no type"),
        };
        b.stm(vec![*var], exp);
    }
}

/// An array of this shape.
fn literal(elem: Elem, shape: &[Atom], elements: &[Atom], b: &mut Builder<'_>) -> Exp {
    let [_, inner @ ..] = shape else { bug("an array without dimensions") };
    if inner.is_empty() {
        return Exp::Array(elem, elements.to_vec());
    }
    let of_row = places_of(&Type::array(elem, inner.to_vec())).len();
    let rows = elements.chunks(of_row).map(|row| {
        let row = literal(elem, inner, row, b);
        Atom::Var(b.exp("row", row))
    });
    let rows = rows.collect();
    Exp::Array(elem, rows)
}

/// The types of the elements of values.
fn flat(types: &[Type]) -> Vec<Type> {
    types.iter().flat_map(|ty| std::iter::repeat_n(element(ty), places_of(ty).len())).collect()
}

/// An operator on the elements of what this one combines.
fn operator(op: Lambda, b: &mut Builder<'_>) -> Lambda {
    let Lambda { params, body, ret } = op;
    let types: Vec<Type> = params.iter().map(|param| b.ty(*param).clone()).collect();
    let scalars = flat(&types).into_iter().map(|ty| ("x".into(), ty)).collect();
    b.lambda(scalars, flat(&ret), |b, scalars| {
        rebuild(&params, &atoms(scalars), b);
        body.stms.into_iter().for_each(|stm| b.push(stm));
        elements(&body.results, &ret, b)
    })
}

fn scalarise(stm: Stm, vars: &mut IdVec<Var, VarInfo>) -> Vec<Stm> {
    let Exp::Screma(op) = stm.exp.clone() else { bug("it was an operator") };
    let (scanned, folded) = (op.scanned(), op.folded());
    let Screma { width, inputs, map, scans, reds } = *op;
    let mut b = Builder::new(vars);
    b.set_certs(stm.certs.clone());
    b.set_loc(stm.loc.clone());
    let combined = map.ret[..folded].to_vec();
    let mut scalar_scans = Vec::with_capacity(scans.len());
    for Scan { op, neutral } in scans {
        let neutral = elements(&neutral, &op.ret, &mut b);
        scalar_scans.push(Scan { op: operator(op, &mut b), neutral });
    }
    let mut scalar_reds = Vec::with_capacity(reds.len());
    for Red { op, neutral, commutative } in reds {
        let neutral = elements(&neutral, &op.ret, &mut b);
        scalar_reds.push(Red { op: operator(op, &mut b), neutral, commutative });
    }
    let map = {
        let Lambda { params, body, ret } = map;
        let body = b.body(|b| {
            body.stms.into_iter().for_each(|stm| b.push(stm));
            let mut results = elements(&body.results[..folded], &combined, b);
            results.extend(&body.results[folded..]);
            results
        });
        let types = flat(&combined).into_iter().chain(ret[folded..].iter().cloned()).collect();
        Lambda { params, body, ret: types }
    };

    // A result that is an array now has parts, which are put together.
    let mut parts: Vec<Vec<Var>> = Vec::with_capacity(folded);
    for (k, (var, ty)) in stm.pat.iter().zip(&combined).enumerate() {
        parts.push(match ty.is_array() {
            false => vec![*var],
            true => {
                let part = match element(ty).array_of(width) {
                    Some(scanned_part) if k < scanned => scanned_part,
                    _ => element(ty),
                };
                places_of(ty).iter().map(|_| b.param("part", part.clone())).collect()
            }
        });
    }
    let pat = parts.iter().flatten().chain(&stm.pat[folded..]).copied().collect();
    let screma = Screma { width, inputs, map, scans: scalar_scans, reds: scalar_reds };
    b.push(Stm { pat, exp: Exp::Screma(Box::new(screma)), ..stm.clone() });
    for (k, (parts, ty)) in parts.into_iter().zip(&combined).enumerate() {
        let var = stm.pat[k];
        if !ty.is_array() {
            continue;
        }
        if k >= scanned {
            rebuild(&[var], &atoms(&parts), &mut b);
            continue;
        }
        let scalars = parts.iter().map(|_| ("part".into(), element(ty))).collect();
        let map = b.lambda(scalars, vec![ty.clone()], |b, scalars| {
            let whole = b.param("whole", ty.clone());
            rebuild(&[whole], &atoms(scalars), b);
            vec![whole.into()]
        });
        let screma = Screma { width, inputs: parts, map, scans: Vec::new(), reds: Vec::new() };
        b.stm(vec![var], Exp::Screma(Box::new(screma)));
    }
    b.finish(Vec::new()).stms
}

fn atoms(vars: &[Var]) -> Vec<Atom> {
    vars.iter().map(|var| Atom::Var(*var)).collect()
}
