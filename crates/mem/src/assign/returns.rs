//! Views as results of functions, which are handed to the caller as they are.
//!
//! ```text
//! fun f (n: i64, m: i64, k: i64, c: bool, a: [n][m]f32, b: [n]f32) -> [n]f32 =
//!   let r = if c then {let v = index a[0:n:1, k] in v} else {b}
//!   in r                                                    r: 0 + {(n : d)}; f returns d as well
//!
//! let (y, e) = call f (n, m, k, c, a, b)                    y carries its block, 0 + {(n : e)}
//! ```
//!
//! Strides that are polynomials of the parameters stay in the table, and the caller has them from its arguments
//! ([`Table::views`]). Others are further results: numbers like any others. The caller decides whether that pays: if it
//! reads the elements often, or passes the array on, it makes a copy of its own, which the function would have made otherwise.
//!
//! What a function has made itself is handed on like this only if all of it is: a view of a part would keep the rest
//! alive. Functions that are called from outside, or call themselves, return arrays without gaps, and so do all
//! functions of programs that have kernels: there, [`crate::layout`] chooses orders, and kernels must know them.
//!
//! [`Table::views`]: crate::table::Table::views

use super::calls::calls_itself;
use super::joins::{Strides, strides_of};
use super::uses::Copied;
use super::{Assign, TooComplex};
use crate::arith::{product_of, substitute};
use crate::table::{Origin, Place, poly, small};
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Body, Exp, FunId, Item, Prog, Stm, Var};

/// How a function returns its arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Returns {
    /// Without gaps.
    Copies,
    /// As they are, if that pays.
    Views,
}

impl Returns {
    /// How an item of a program without kernels does.
    pub(super) fn of(prog: &Prog, item: Item) -> Returns {
        let Item::Fun(id) = item else { return Returns::Copies };
        let is_fixed = prog.is_called_from_outside(id)
            || prog.funs[id].foreign.is_some()
            || calls_itself(prog, id);
        if is_fixed { Returns::Copies } else { Returns::Views }
    }
}

impl Assign<'_> {
    /// The results of a function leave it.
    pub(super) fn leave(&mut self, params: &[Var], body: &mut Body) {
        let mut strides_too = Vec::new();
        for result in &mut body.results {
            let strides = self.handed_on(*result, params);
            match &strides {
                Some(strides) => strides_too.extend(self.unknown_strides(*result, strides)),
                None => *result = self.contiguous(*result),
            }
            self.escapes(*result);
            self.table.views.push(strides);
        }
        body.results.extend(strides_too);
    }

    /// The strides of a view that a function returns as it is.
    fn handed_on(&self, result: Atom, params: &[Var]) -> Option<Strides> {
        let (var, place) = self.array(result)?;
        let is_view = self.returns == Returns::Views
            && !place.lmad.is_contiguous()
            && small(self.vars[var].ty.shape()).is_none();
        if !is_view || !self.keeps_nothing_else(result, &place, params) {
            return None;
        }
        let is_known = |stride: &Poly| stride.vars().iter().all(|var| params.contains(var));
        Some(
            strides_of(&place.lmad)
                .into_iter()
                .map(|stride| Some(stride).filter(is_known))
                .collect(),
        )
    }

    /// Whether a view is all of every array in which it may be, except those that the function was given.
    fn keeps_nothing_else(&self, view: Atom, place: &Place, params: &[Var]) -> bool {
        let count = |sizes: &[Atom]| {
            product_of(&sizes.iter().map(|size| poly(*size)).collect::<Vec<Poly>>())
        };
        let sizes: Vec<Poly> = place.lmad.dims.iter().map(|dim| dim.size.clone()).collect();
        let all = product_of(&sizes);
        self.roots_of(view).into_iter().all(|root| match &self.table.blocks[root].origin {
            Origin::Fresh { size, .. } => all.is_some() && count(size) == all,
            Origin::Carried(var) => {
                params.contains(var) || all.is_some() && count(self.vars[*var].ty.shape()) == all
            }
            Origin::Unused => true,
        })
    }

    /// A result of a call, if the function hands it on as a view: what is bound besides are its strides.
    pub(super) fn received(
        &mut self,
        result: &mut Var,
        k: usize,
        (fun, args): (FunId, &[Atom]),
    ) -> Option<Vec<Var>> {
        let strides = self.tables.get(&Item::Fun(fun))?.views.get(k)?.as_ref()?;
        let params = &self.prog.funs[fun].params;
        let given = |param: Var| {
            let k = params.iter().position(|other| other.var == param)?;
            args.get(k).map(|arg| poly(*arg))
        };
        let here: Option<Strides> = strides
            .iter()
            .map(|stride| {
                stride.as_ref().map_or(Some(None), |stride| substitute(stride, &given).map(Some))
            })
            .collect();
        let var = *result;
        let here = here.unwrap_or_else(|| {
            self.failed.get_or_insert(TooComplex { array: self.vars[var].hint.clone() });
            strides.clone()
        });
        let refused = self.can_join(var, Copied::Here, []).err();
        if let Some(why) = refused {
            // The view is another variable, of which this one is a copy.
            *result = self.vars.push(self.vars[var].clone());
            why.into_iter().for_each(|why| _ = self.table.unjoined.insert(*result, why));
            self.later.push(Stm::new(vec![var], Exp::Manifest(*result)));
        }
        self.carried(*result);
        self.may_be_argument(*result, args);
        if refused.is_some() {
            self.fresh(var, var);
        }
        Some(self.carried_by(*result, &here).1)
    }

    /// Whether a function hands on views.
    pub(super) fn hands_on_views(&self, fun: FunId) -> bool {
        let table = self.tables.get(&Item::Fun(fun));
        table.is_some_and(|table| table.views.iter().any(Option::is_some))
    }
}
