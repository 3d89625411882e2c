//! Which results are parameters, changed in place: of bodies that are repeated, and of functions.
//!
//! ```text
//! fun f (n: i64, *x: [n]f32) -> (r: [n]f32) =        the result is the second parameter
//!   let (y: [n]f32) = update x[0] = 1.0f32
//!   in (y)
//! ```
//!
//! Such a result needs no memory: it is where the parameter is.

use fehu_ir::{Body, Exp, FunId, Prog, Seg, Stm, Var};

/// Calls inside of calls that are looked at.
const MAX_DEPTH: usize = 8;

/// Whether a result of a body that is repeated is a parameter as it is, or updated in place. Then it needs no block of its own:
/// it is where its first value is.
pub fn in_place(prog: &Prog, param: Var, body: &Body, k: usize) -> bool {
    origin(prog, body, k, MAX_DEPTH).is_some_and(|origin| origin.var == param)
}

/// Whether it certainly is not the parameter as it was.
pub fn updated(prog: &Prog, param: Var, body: &Body, k: usize) -> bool {
    let origin = origin(prog, body, k, MAX_DEPTH);
    origin.is_some_and(|origin| origin.var == param && origin.is_changed)
}

/// The variable from outside of a body that a result is, as it is or changed in place.
pub fn handed_on(prog: &Prog, body: &Body, k: usize) -> Option<Var> {
    origin(prog, body, k, MAX_DEPTH).map(|from| from.var)
}

/// The array that something is, as it is or changed in place.
#[derive(Clone, Copy)]
struct From {
    var: Var,
    is_changed: bool,
}

/// The parameter of a function that a result is, changed in place. Results of functions that are called from outside,
/// or that others have written, are arrays of their own.
pub fn returned(prog: &Prog, fun: FunId, k: usize) -> Option<usize> {
    returned_in(prog, fun, k, MAX_DEPTH)
}

fn returned_in(prog: &Prog, id: FunId, k: usize, depth: usize) -> Option<usize> {
    let fun = prog.funs.get(id)?;
    if depth == 0 || fun.foreign.is_some() || prog.is_called_from_outside(id) {
        return None;
    }
    let from = origin(prog, &fun.body, k, depth - 1)?.var;
    let param = fun.params.iter().position(|param| param.consumed && param.var == from)?;
    (fun.vars[from].ty == fun.vars[*fun.results.get(k)?].ty).then_some(param)
}

/// The array that a statement makes a result of by changing it in place, or by giving it another name.
pub fn changed(prog: &Prog, stm: &Stm, k: usize) -> Option<Var> {
    changed_in(prog, stm, k, MAX_DEPTH).map(|from| from.var)
}

/// Likewise, with what is known of it.
fn origin(prog: &Prog, body: &Body, k: usize, depth: usize) -> Option<From> {
    let mut at = From { var: body.results.get(k)?.var()?, is_changed: false };
    for stm in body.stms.iter().rev() {
        if let Some(k) = stm.pat.iter().position(|var| *var == at.var) {
            let before = changed_in(prog, stm, k, depth)?;
            at = From { var: before.var, is_changed: at.is_changed || before.is_changed };
        }
    }
    Some(at)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others make an array of their own, or may")]
fn changed_in(prog: &Prog, stm: &Stm, k: usize, depth: usize) -> Option<From> {
    let changed = |var: Var| From { var, is_changed: true };
    match &stm.exp {
        Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => Some(changed(*array)),
        Exp::Atom(atom) => atom.var().map(|var| From { var, is_changed: false }),
        Exp::Scatter(op) => op.dests.get(k).map(|(_, dest)| changed(*dest)),
        Exp::Hist(op) => op.ops.iter().flat_map(|op| &op.dests).nth(k).map(|dest| changed(*dest)),
        Exp::Seg(seg) => written(prog, seg, k, depth).map(changed),
        Exp::Reshape(array, _) => Some(From { var: *array, is_changed: false }),
        Exp::If(_, bodies) => {
            let [yes, no] = &**bodies;
            let (yes, no) = (origin(prog, yes, k, depth)?, origin(prog, no, k, depth)?);
            let is_changed = yes.is_changed || no.is_changed;
            (yes.var == no.var).then_some(From { var: yes.var, is_changed })
        }
        Exp::Loop(params, _, body) => {
            let param = params.get(k)?;
            let from = origin(prog, body, k, depth)?;
            let init = param.init.var().filter(|_| from.var == param.var);
            init.map(|var| From { var, ..from })
        }
        Exp::Call(fun, args) => args.get(returned_in(prog, *fun, k, depth)?)?.var().map(changed),
        _ => None,
    }
}

/// The input whose elements a result of a Seg consists of, written to in place.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others make an array of their own, or may")]
fn written(prog: &Prog, seg: &Seg, k: usize, depth: usize) -> Option<Var> {
    let parts = seg.parts()?;
    let result = seg.body.body.results.get(k)?.var()?;
    let op = parts.operators().find(|op| op.pat.contains(&result))?;
    let number = op.pat.iter().position(|var| *var == result)?;
    let dest = match &op.exp {
        Exp::Scatter(op) => op.dests.get(number).map(|(_, dest)| *dest)?,
        Exp::Hist(op) => op.ops.iter().flat_map(|op| &op.dests).nth(number).copied()?,
        // The rows of an input, updated in place.
        Exp::Screma(op) if number >= op.folded() => {
            let from = origin(prog, &op.map.body, number, depth)?;
            let row = op.map.params.iter().position(|param| *param == from.var)?;
            op.inputs.get(row).copied().filter(|_| from.is_changed)?
        }
        _ => return None,
    };
    let element = seg.elements().iter().position(|param| *param == dest)?;
    seg.inputs.get(element).copied()
}
