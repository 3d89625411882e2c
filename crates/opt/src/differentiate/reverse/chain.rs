//! Chained tapes: an array that a loop makes in each iteration for the next one, and saves, is made on its tape.
//!
//! ```text
//! (r, tape) = loop (x = a, t = scratch n) for i < n do (f x, t with [i] = x)
//! ==>
//! tape = loop (t = (scratch (n+1)) with [0] = a) for i < n do  x = t[i];  y = f x  in  t with [i+1] = y
//! r = tape[n]
//! ```
//!
//! Nothing is copied then, as what `f` makes is made where it is saved. The return sweep finds in `tape[i]` what the
//! iteration was given, and in `tape[i+1]` what it made.
//!
//! The row that is read must not be used any more when the next one is written, so no result of the iteration may be a
//! view of it. Arrays of so few elements that they may become scalars (`scalarise`) are left.

use super::keep::Kept;
use super::repeat::{Room, Taped};
use crate::differentiate::activity::Set;
use crate::differentiate::views::seen;
use crate::scalarise;
use fehu_base::IdVec;
use fehu_ir::{Atom, Body, Exp, Scalar, Type, Var, VarInfo};

/// A parameter whose tape is chained.
#[derive(Clone, Copy)]
pub(super) struct Link {
    /// Its position.
    pub(super) index: usize,
    pub(super) param: Var,
    /// The result of the body that it is in the next iteration, by its first name.
    pub(super) next: Var,
}

/// Those of the saved values that are parameters with chained tapes.
pub(super) fn links(taped: &Taped, kept: &Kept, vars: &IdVec<Var, VarInfo>) -> Vec<Link> {
    if taped.room != Room::Count {
        return Vec::new();
    }
    let made: Set = taped.body.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
    let seen = seen(&taped.body, vars);
    let params = taped.params.iter().enumerate().zip(&taped.body.results);
    let links = params.filter_map(|((index, param), result)| {
        let (param, next) = (param.var, named(&taped.body, result.var()?));
        let ty = &vars[param].ty;
        let is_known = |size: &Atom| size.var().is_none_or(|var| !kept.outside.contains_key(&var));
        let fits = kept.saved.contains(&param)
            && made.contains(&next)
            && vars[next].ty == *ty
            && ty.shape().iter().all(is_known)
            && is_long(ty)
            && !seen.contains(&param);
        fits.then_some(Link { index, param, next })
    });
    links.collect()
}

/// The parameter that a variable of the body is in the next iteration.
pub(super) fn next_of<'l>(links: &'l [Link], taped: &Taped, var: Var) -> Option<&'l Link> {
    if links.is_empty() {
        return None;
    }
    let var = named(&taped.body, var);
    links.iter().find(|link| link.next == var)
}

/// What a variable is another name of.
fn named(body: &Body, mut var: Var) -> Var {
    for stm in body.stms.iter().rev() {
        if let Exp::Atom(Atom::Var(other)) = stm.exp
            && stm.pat == [var]
        {
            var = other;
        }
    }
    var
}

fn is_long(ty: &Type) -> bool {
    let Type::Array(_, shape) = ty else { return false };
    let sizes = shape.iter().map(|size| match size {
        Atom::Const(Scalar::I64(size)) => usize::try_from(*size).ok(),
        Atom::Const(_) | Atom::Var(_) => None,
    });
    let known: Option<usize> = sizes.product();
    known.is_none_or(|elements| elements > scalarise::MOST)
}
