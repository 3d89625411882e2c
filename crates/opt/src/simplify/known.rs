//! What turned out to be simple of a constant of the program is put where the constant is referred to.
//!
//! Such a value was worth a computation before it was simplified; now it is worth less than the reference, and what uses it can
//! be simplified in turn. It leaves the constant:
//!
//! - A number is written where it is referred to. If it is a size of others, their types have it.
//! - A small array whose elements are all the same number is made again where it is referred to. What is left in the
//!   constant is the number, if it must be computed.

use fehu_base::IdVec;
use fehu_ir::subst::{Subst, subst_type};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{Atom, Body, Const, ConstId, Exp, Scalar, Stm, Type, Var, VarInfo};

/// Arrays with more elements than this are not made again.
const MOST_ELEMENTS: i64 = 1024;

/// What is known of a value of a constant.
pub(super) struct Known {
    /// The value, or its elements: it has left the constant.
    number: Option<Atom>,
    /// It is an array of this shape, all of whose elements are the same.
    shape: Option<Vec<Atom>>,
}

/// Takes from a constant what is known of its values: for each that it had, what that is.
pub(super) fn leave(item: &mut Const) -> Vec<Known> {
    let sizes: Vec<Atom> =
        item.results.iter().flat_map(|var| item.vars[*var].ty.shape()).copied().collect();
    let (results, values) = (std::mem::take(&mut item.results), item.body.results.clone());
    item.body.results.clear();
    let (mut all, mut subst) = (Vec::with_capacity(results.len()), Subst::default());
    for (var, value) in results.into_iter().zip(values) {
        let (shape, value) = match same_elements(item, value) {
            Some((shape, element)) => (Some(shape), element),
            None => (None, value),
        };
        if shape.is_some()
            && let Type::Array(elem, _) = item.vars[var].ty
        {
            item.vars[var].ty = Type::Scalar(elem);
        }
        let is_size = sizes.contains(&Atom::Var(var));
        let number = matches!(value, Atom::Const(_)) && !(is_size && is_negative(value));
        if number {
            subst.insert(var, value);
        } else {
            item.results.push(var);
            item.body.results.push(value);
        }
        all.push(Known { number: number.then_some(value), shape });
    }
    for var in &item.results {
        subst_type(&mut item.vars[*var].ty, &subst);
    }
    all
}

/// The shape of a small array and what all of its elements are.
fn same_elements(item: &Const, array: Atom) -> Option<(Vec<Atom>, Atom)> {
    let Atom::Var(array) = array else { return None };
    let stm = item.body.stms.iter().find(|stm| stm.pat.contains(&array))?;
    let Exp::Replicate(shape, element) = &stm.exp else { return None };
    // What is replicated may be a row, too.
    let is_scalar = |var: Var| matches!(item.vars[var].ty, Type::Scalar(_));
    if !stm.certs.is_empty() || matches!(element, Atom::Var(var) if !is_scalar(*var)) {
        return None;
    }
    let mut count = 1i64;
    for size in shape {
        let Atom::Const(Scalar::I64(size @ 0..)) = size else { return None };
        count = count.saturating_mul(*size);
    }
    (count <= MOST_ELEMENTS).then(|| (shape.clone(), *element))
}

fn is_negative(value: Atom) -> bool {
    matches!(value, Atom::Const(Scalar::I64(value)) if value < 0)
}

/// Puts what is known of constants in place of references to it.
pub(super) fn replace(
    known: &IdVec<ConstId, Vec<Known>>,
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
) {
    Replace { known, vars }.body(body);
}

struct Replace<'a> {
    known: &'a IdVec<ConstId, Vec<Known>>,
    vars: &'a mut IdVec<Var, VarInfo>,
}

impl VisitMut for Replace<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn body(&mut self, body: &mut Body) {
        let refers = |stm: &Stm| matches!(stm.exp, Exp::Const(_));
        if body.stms.iter().any(refers) {
            let mut stms = Vec::with_capacity(body.stms.len());
            for stm in std::mem::take(&mut body.stms) {
                match stm.exp {
                    Exp::Const(id) => self.reference(id, stm, &mut stms),
                    _ => stms.push(stm),
                }
            }
            body.stms = stms;
        }
        walk_body_mut(self, body);
    }
}

impl Replace<'_> {
    /// A reference to a constant: the numbers before it, since they may be sizes of the rest, and arrays after it.
    fn reference(&mut self, id: ConstId, mut stm: Stm, out: &mut Vec<Stm>) {
        let Some(known) = self.known.get(id) else { return out.push(stm) };
        let (mut left, mut after) = (Vec::new(), Vec::new());
        let like = |pat: Vec<Var>, exp: Exp| Stm { loc: stm.loc.clone(), ..Stm::new(pat, exp) };
        for (var, known) in stm.pat.iter().zip(known) {
            match (known.number, &known.shape) {
                (Some(number), None) => out.push(like(vec![*var], Exp::Atom(number))),
                (None, None) => left.push(*var),
                (number, Some(shape)) => {
                    let element = number.unwrap_or_else(|| {
                        let VarInfo { hint, ty } = self.vars[*var].clone();
                        let ty = ty.elem().map_or(ty, Type::Scalar);
                        let element = self.vars.push(VarInfo { hint, ty });
                        left.push(element);
                        Atom::Var(element)
                    });
                    after.push(like(vec![*var], Exp::Replicate(shape.clone(), element)));
                }
            }
        }
        stm.pat = left;
        out.push(stm);
        out.append(&mut after);
    }
}
