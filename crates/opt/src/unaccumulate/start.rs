//! Accumulations that begin with what their result is added to.
//!
//! ```text
//! (s, x) = withacc acc [n] (zeros) in \acc -> map (\.. -> .. update_acc acc [k] (v) .. y)
//! d = map2 (+) s x
//! ==>
//! x = map (\.. -> y)
//! d = x with [k] = x[k] + sum (v)
//! ```
//!
//! Reverse mode makes this of a map that reads an array at its own position and somewhere else, as elimination does:
//! one row of the adjoint gets a sum, and there are neither zeros for all others nor an addition of them.
//!
//! The other operand must be an array that the function of the accumulation makes with a map, and that nobody else
//! uses: then it is new, and may be changed.

use super::pull::Known;
use fehu_base::IdVec;
use fehu_facts::operators::is_sum;
use fehu_ir::free::free_in_stm;
use fehu_ir::{AccInput, Atom, Body, Exp, Lambda, Screma, Stm, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an array of an accumulation begins with instead of zeros.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// The number of the array.
    pub(super) input: usize,
    /// The number of the other operand, among the results that are no accumulators.
    pub(super) other: usize,
    /// The sum of both.
    pub(super) sum: Var,
    /// The position of the statement that adds them.
    pub(super) at: usize,
}

/// The starts of the accumulations of a body, by the position of the accumulation.
pub(super) fn starts(
    body: &Body,
    known: &Known,
    vars: &IdVec<Var, VarInfo>,
) -> FxHashMap<usize, Vec<Start>> {
    let mut all = FxHashMap::default();
    if !body.stms.iter().any(|stm| matches!(stm.exp, Exp::WithAcc(..))) {
        return all;
    }
    let users = Users::of(body, vars);
    for (place, stm) in body.stms.iter().enumerate() {
        let Exp::WithAcc(inputs, lambda) = &stm.exp else { continue };
        let mut found: Vec<Start> = Vec::new();
        for input in 0..inputs.len() {
            let start = start(body, stm, (inputs, lambda), input, &users, vars);
            let is_zero = known.zeros.contains(&inputs[input].arrays[0]);
            // Two accumulators may be added to each other's arrays, but an array is changed only once.
            found.extend(
                start.filter(|start| {
                    is_zero && found.iter().all(|other| other.other != start.other)
                }),
            );
        }
        if !found.is_empty() {
            all.insert(place, found);
        }
    }
    all
}

fn start(
    body: &Body,
    stm: &Stm,
    (inputs, lambda): (&[AccInput], &Lambda),
    input: usize,
    users: &Users,
    vars: &IdVec<Var, VarInfo>,
) -> Option<Start> {
    let (arrays, others) = stm.pat.split_at(inputs.len());
    let at = users.only(arrays[input])?;
    let adds = &body.stms[at];
    let Exp::Screma(op) = &adds.exp else { return None };
    let other = match op.inputs[..] {
        [x, y] if x == arrays[input] => y,
        [x, y] if y == arrays[input] => x,
        _ => return None,
    };
    let fits = is_addition(op) && adds.certs.is_empty() && users.only(other) == Some(at);
    let other = others.iter().position(|var| *var == other)?;
    (fits && is_made(lambda, lambda.body.results[inputs.len() + other], vars)).then_some(Start {
        input,
        other,
        sum: adds.pat[0],
        at,
    })
}

/// Whether a map adds the elements of its two inputs.
fn is_addition(op: &Screma) -> bool {
    op.scans.is_empty() && op.reds.is_empty() && op.inputs[0] != op.inputs[1] && is_sum(&op.map)
}

/// Whether a result is an array that a map in the function makes, and that the function itself does not use.
fn is_made(lambda: &Lambda, result: Atom, vars: &IdVec<Var, VarInfo>) -> bool {
    let Some(var) = result.var() else { return false };
    let is_once = lambda.body.results.iter().filter(|other| **other == result).count() == 1;
    let is_map =
        |stm: &Stm| matches!(&stm.exp, Exp::Screma(op) if stm.pat[op.folded()..].contains(&var));
    let Some(made) = lambda.body.stms.iter().position(is_map) else { return false };
    let mut later = lambda.body.stms[made + 1..].iter();
    is_once && !later.any(|stm| free_in_stm(stm, vars).contains(&var))
}

/// The statement that uses a variable, if there is one, and the results do not use it.
struct Users {
    by: FxHashMap<Var, usize>,
    several: FxHashSet<Var>,
}

impl Users {
    fn of(body: &Body, vars: &IdVec<Var, VarInfo>) -> Users {
        let mut users = Users { by: FxHashMap::default(), several: FxHashSet::default() };
        users.several.extend(body.results.iter().filter_map(|result| result.var()));
        for (at, stm) in body.stms.iter().enumerate() {
            for var in free_in_stm(stm, vars) {
                if users.by.insert(var, at).is_some_and(|before| before != at) {
                    users.several.insert(var);
                }
            }
        }
        users
    }

    fn only(&self, var: Var) -> Option<usize> {
        self.by.get(&var).copied().filter(|_| !self.several.contains(&var))
    }
}
