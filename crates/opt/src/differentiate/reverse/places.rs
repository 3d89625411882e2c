//! Where an accumulation writes: its code without accumulators, which yields the indices of all contributions in place
//! of their values.
//!
//! ```text
//! ys = withacc (xs) \acc -> map (\i v acc -> update_acc acc [i + 1] v) is vs acc
//! ==>
//! places = map (\i -> i + 1) is
//! ```
//!
//! A contribution in the functions of maps has a place for each of their positions, whatever else it depends on, and
//! one in a loop for each iteration; in a branch that is not taken, the place is outside of the array. How often a loop
//! is repeated whose number of iterations differs is found out by running it before: there is room for the most.

use super::place_code::{Code, Wanted, is_acc_of, only_live, trips};
use crate::differentiate::activity::Set;
use crate::differentiate::num::{binary, product};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::free::bound_in_lambda;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{AccInput, Atom, BinOp, Body, Exp, Lambda, LoopForm, Var};

/// An accumulation to an array.
#[derive(Clone)]
pub(super) struct Accumulation {
    lambda: Lambda,
    /// Which of its accumulators is that of the array.
    index: usize,
    /// For each contribution, what is around it.
    sites: Vec<Vec<Width>>,
    /// The loops with contributions, from outside and the first on: how often they are repeated, if that is known
    /// before the accumulation.
    loops: Vec<Option<Atom>>,
}

/// How many places there are because of a map or loop.
#[derive(Clone, Copy)]
enum Width {
    Map(Atom),
    /// As a loop has, by number.
    Loop(usize),
}

/// How many places an accumulation has.
pub(super) struct Measured {
    /// Of each loop.
    loops: Vec<Atom>,
    /// Of each contribution, by what is around it.
    sites: Vec<Vec<Atom>>,
    /// Altogether.
    pub(super) count: Atom,
}

impl Accumulation {
    /// That of an expression to one of its arrays.
    pub(super) fn of(
        b: &Builder<'_>,
        inputs: &[AccInput],
        lambda: &Lambda,
        index: usize,
    ) -> Option<Accumulation> {
        let own =
            bound_in_lambda(lambda).into_iter().chain(lambda.params.iter().copied()).collect();
        let (cert, sites, loops) = (lambda.params[index], Vec::new(), Vec::new());
        let mut find = Find { b, cert, own, sites, loops };
        let found = index < inputs.len() && find.sites(&lambda.body, &[]);
        let Find { sites, loops, .. } = find;
        let lambda = lambda.clone();
        (found && !sites.is_empty()).then_some(Accumulation { lambda, index, sites, loops })
    }

    /// How many places there are. Loops whose number of iterations differs are executed for that.
    pub(super) fn measure(&self, b: &mut Builder<'_>) -> Measured {
        let differs = self.loops.iter().any(Option::is_none);
        let differing = if differs { self.code(b, Wanted::Trips) } else { Vec::new() };
        let mut differing = differing.into_iter();
        let loops: Vec<Atom> = self
            .loops
            .iter()
            .map(|bound| match bound {
                Some(bound) => trips(b, *bound),
                None => differing.next().or_bug("how often a loop is repeated"),
            })
            .collect();
        let width = |width: &Width| match width {
            Width::Map(width) => *width,
            Width::Loop(number) => loops[*number],
        };
        let sites: Vec<Vec<Atom>> =
            self.sites.iter().map(|around| around.iter().map(width).collect()).collect();
        let mut total: Option<Atom> = None;
        for widths in &sites {
            let count = product(b, widths);
            total = Some(match total {
                Some(total) => binary(b, BinOp::Add, total, count),
                None => count,
            });
        }
        let count = total.or_bug("contributions to an accumulator");
        Measured { loops, sites, count }
    }

    /// For each dimension, the indices of all places.
    pub(super) fn indices(&self, b: &mut Builder<'_>, measured: &Measured) -> Vec<Var> {
        let places = self.code(b, Wanted::Places(&measured.loops));
        let rank = places.len() / measured.sites.len();
        (0..rank)
            .map(|dim| {
                let of_site = places.iter().skip(dim).step_by(rank);
                let parts: Vec<Var> = of_site
                    .zip(&measured.sites)
                    .map(|(index, widths)| flat(b, *index, widths))
                    .collect();
                match parts[..] {
                    [one] => one,
                    _ => b.exp("places", Exp::Concat(measured.count, parts)),
                }
            })
            .collect()
    }

    /// What the code of the accumulation yields in place of contributions.
    fn code(&self, b: &mut Builder<'_>, wanted: Wanted<'_>) -> Vec<Atom> {
        let lambda = copy_lambda(&self.lambda, b.vars_mut());
        let cert = lambda.params[self.index];
        let mut code = Code { b: &mut *b, cert, wanted, loops: &self.loops, met: 0 };
        let mut body = code.body(lambda.body, &|_| false);
        only_live(b, &mut body);
        body.stms.into_iter().for_each(|stm| b.push(stm));
        body.results
    }
}

/// Looks for the contributions to an accumulator.
struct Find<'b, 'a> {
    b: &'b Builder<'a>,
    cert: Var,
    /// What is bound inside of the accumulation.
    own: Set,
    sites: Vec<Vec<Width>>,
    loops: Vec<Option<Atom>>,
}

impl Find<'_, '_> {
    fn is_ours(&self, var: &Var) -> bool {
        is_acc_of(self.b, *var, self.cert)
    }

    fn is_known(&self, size: Atom) -> bool {
        size.var().is_none_or(|var| !self.own.contains(&var))
    }

    /// Whether all of them are known.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what has accumulators of its own is not looked into"
    )]
    fn sites(&mut self, body: &Body, widths: &[Width]) -> bool {
        body.stms.iter().all(|stm| match &stm.exp {
            Exp::UpdateAcc(acc, ..) => {
                if self.is_ours(acc) {
                    self.sites.push(widths.to_vec());
                }
                true
            }
            Exp::Screma(op) if op.inputs.iter().any(|input| self.is_ours(input)) => {
                let widths = [widths, &[Width::Map(op.width)]].concat();
                self.is_known(op.width) && self.sites(&op.map.body, &widths)
            }
            Exp::Loop(params, form, body) if params.iter().any(|p| self.is_ours(&p.var)) => {
                let widths = [widths, &[Width::Loop(self.loops.len())]].concat();
                self.loops.push(match form {
                    LoopForm::For(_, bound) => Some(*bound).filter(|bound| self.is_known(*bound)),
                    LoopForm::While(_) => None,
                });
                self.sites(body, &widths)
            }
            Exp::If(..) | Exp::Switch(..) => {
                let mut all = true;
                stm.exp.for_each_body(&mut |body| all &= self.sites(body, widths));
                all
            }
            Exp::Atom(_) => true,
            _ => !stm.pat.iter().any(|var| self.is_ours(var)),
        })
    }
}

/// Indices for all positions of the maps and iterations of the loops around a contribution, as one dimension.
fn flat(b: &mut Builder<'_>, index: Atom, widths: &[Atom]) -> Var {
    match (index, widths) {
        (Atom::Var(indices), [_, ..]) if b.ty(indices).is_array() => {
            let count = product(b, widths);
            b.exp("places", Exp::Reshape(indices, vec![count]))
        }
        _ => b.exp("places", Exp::Array(Prim::I64.into(), vec![index])),
    }
}
