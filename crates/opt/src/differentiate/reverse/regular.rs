//! Products inside of the functions of maps.
//!
//! Whether a product can be divided by its factors (`product`) is decided for all positions of a map at once, by the
//! host: the map of the forward sweep says where products are normal numbers, and there are two return sweeps, one with
//! quotients, and one by the rule for any operator.
//!
//! ```text
//! ys = map (\a -> f (product a)) as
//! ==>
//! (ys, rs) = map (\a -> let p = product a in (f p, is_normal p)) as;  r = and rs
//! if r then map (.. quotients ..) as gys else map (.. two scans ..) as gys
//! ```

use super::{Reverse, Saved, Step, product};
use crate::differentiate::Res;
use crate::differentiate::num::{binary, identity};
use fehu_base::{IdVec, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::{Atom, BinOp, Body, Exp, Lambda, Red, Screma, Stm, Type, Var, VarInfo};

/// What is known about the products of floating-point numbers in a body.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Products {
    /// Nothing: maps of the host find out about those in their functions.
    #[default]
    Undecided,
    /// Those of the body itself, and those in the functions of its maps, are normal numbers.
    Normal,
    /// Nothing, and nobody wants to know.
    Any,
}

impl Products {
    /// What is known about a statement of the body, and what is inside of it.
    pub(super) fn inside(self, stm: &Stm, vars: &IdVec<Var, VarInfo>) -> Products {
        let is_tested = matches!(&stm.exp, Exp::Screma(op) if is_map(op));
        match self {
            Products::Normal if !is_tested && multiplied(stm, vars).is_none() => Products::Any,
            Products::Normal | Products::Undecided | Products::Any => self,
        }
    }
}

impl Reverse {
    /// Whether the products in the function of a map are to be tested.
    pub(super) fn tests_products(&self, op: &Screma, vars: &IdVec<Var, VarInfo>) -> bool {
        let wants = self.is_host && self.products == Products::Undecided;
        wants && is_map(op) && has_products(&op.map.body, vars)
    }

    pub(super) fn products_forward(
        &mut self,
        b: &mut Builder<'_>,
        stm: Stm,
        steps: &mut Vec<Step>,
    ) -> Res<()> {
        let mut tested = stm.clone();
        let all = test_in_map(b, &mut tested);
        b.push(tested);
        let all = all_true(b, all);
        steps.push(Step { stm, saved: Saved::Normal(all) });
        Ok(())
    }

    /// A branch with two copies of the map. `all` says whether all products are normal numbers.
    pub(super) fn products_back(&mut self, b: &mut Builder<'_>, stm: &Stm, all: Var) -> Res<()> {
        let results = stm.pat.iter().map(|var| Atom::Var(*var)).collect();
        let map = Body { stms: vec![stm.clone()], results };
        let exp = Exp::If(all.into(), Box::new([map.clone(), map]));
        let chosen = Stm { exp, ..stm.clone() };
        self.bodies_back(b, &chosen, &[Products::Normal, Products::Any])
    }
}

fn is_map(op: &Screma) -> bool {
    op.folded() == 0
}

/// The type of the numbers that a statement multiplies.
fn multiplied(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> Option<Prim> {
    let Exp::Screma(op) = &stm.exp else { return None };
    let [red] = &op.reds[..] else { return None };
    product::of_floats(&red.op, vars).filter(|_| op.scans.is_empty() && stm.pat.len() == 1)
}

/// Whether there are products in a body, or in the functions of its maps.
fn has_products(body: &Body, vars: &IdVec<Var, VarInfo>) -> bool {
    body.stms.iter().any(|stm| {
        let inside =
            matches!(&stm.exp, Exp::Screma(op) if is_map(op) && has_products(&op.map.body, vars));
        inside || multiplied(stm, vars).is_some()
    })
}

/// The map yields at each position whether all products in its function are normal numbers.
fn test_in_map(b: &mut Builder<'_>, stm: &mut Stm) -> Var {
    let Exp::Screma(op) = &mut stm.exp else { return stm.pat[0] };
    let all = test(b, &mut op.map.body);
    op.map.body.results.push(all);
    op.map.ret.push(Type::BOOL);
    let each = b.param("normal", Type::array(Prim::Bool.into(), vec![op.width]));
    stm.pat.push(each);
    each
}

/// Whether all products in a body are normal numbers.
fn test(b: &mut Builder<'_>, body: &mut Body) -> Atom {
    let mut inner = Builder::new(b.vars_mut());
    let mut all = Atom::bool(true);
    for mut stm in std::mem::take(&mut body.stms) {
        let prim = multiplied(&stm, inner.vars());
        let has_more = matches!(&stm.exp, Exp::Screma(op) if is_map(op) && has_products(&op.map.body, inner.vars()));
        let each = has_more.then(|| test_in_map(&mut inner, &mut stm));
        let value = stm.pat[0].into();
        inner.push(stm);
        let is_normal = match (prim, each) {
            (Some(prim), _) => product::regular(&mut inner, value, prim),
            (None, Some(each)) => all_true(&mut inner, each).into(),
            (None, None) => continue,
        };
        all = binary(&mut inner, BinOp::And, all, is_normal);
    }
    body.stms = inner.finish(Vec::new()).stms;
    all
}

/// Whether all elements are true.
fn all_true(b: &mut Builder<'_>, array: Var) -> Var {
    let same = identity(b, &[Type::BOOL]);
    holds_of_all(b, "normal", array, same)
}

/// Whether something holds of all elements.
pub(super) fn holds_of_all(b: &mut Builder<'_>, hint: &str, array: Var, map: Lambda) -> Var {
    let width = b.ty(array).shape()[0];
    let params = vec![("x".into(), Type::BOOL), ("y".into(), Type::BOOL)];
    let op = b.lambda(params, vec![Type::BOOL], |b, p| {
        vec![binary(b, BinOp::And, p[0].into(), p[1].into())]
    });
    let reds = vec![Red { op, neutral: vec![Atom::bool(true)], commutative: true }];
    let screma = Screma { width, inputs: vec![array], map, scans: Vec::new(), reds };
    b.typed(hint, Type::BOOL, Exp::Screma(Box::new(screma)))
}
