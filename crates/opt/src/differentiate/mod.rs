//! `differentiate`: derivatives become code.
//!
//! ```text
//! (y, dy) = jvp (a) (da) (\x -> y = x * x in (y))
//! ==>
//! x = a;  y = x * x;  d1 = x * da;  d2 = x * da;  dy = d1 + d2
//! ```
//!
//! It runs before all other passes, in every pipeline, and leaves no derivative. Those inside of others are expanded
//! first, so that what is differentiated is always plain code; and since a derivative is taken with respect to the
//! parameters of a function, what the function captures is constant for it, and cannot be confused with them.
//!
//! * `prepare`: the function in a form that is easy to differentiate; `invariant`: what its operators need not compute
//!   at each position;
//! * `record`: accumulations that reverse mode needs as histograms;
//! * `activity`: which variables take part;
//! * `num`, `scalar`: arithmetic on tangents and adjoints, and the derivatives of scalar operations;
//! * `forward`: every statement is followed by one for its tangents;
//! * `reverse`: the statements, and then, from the last to the first, what each contributes to the adjoints of its operands.
//! * `spread`: several directions at once;
//! * `calls`: recursive functions; `common`: what all derivatives of a program share;
//! * `once`: what is evaluated in both sweeps is checked once, and what nothing needs is not evaluated;
//! * `reuse`: what is expensive in functions that both sweeps evaluate is kept;
//! * `own`: what needs no copy is updated in place again; `views`: what may share memory with results.
//!
//! What cannot be differentiated is refused, with the place in the source: no derivative is wrong silently.

mod activity;
mod calls;
mod common;
mod forward;
mod invariant;
pub(crate) mod num;
mod once;
mod own;
mod prepare;
mod record;
mod reuse;
mod reverse;
mod scalar;
mod spread;
mod views;

use self::activity::Set;
use self::common::{Common, Note};
use self::forward::Forward;
use self::prepare::{bind, bind_new, prepare, without_custom};
use self::reverse::Reverse;
use fehu_base::{IdVec, OrBug};
use fehu_ir::builder::Builder;
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::{
    Atom, Body, Diff, DiffForm, Exp, Family, Item, Lambda, Loc, Prog, Stm, Var, VarInfo,
};
use std::rc::Rc;

/// The pass. What cannot be differentiated stays as it is; [`differentiate`] says why.
pub const DIFFERENTIATE: Pass = Pass {
    name: "differentiate",
    about: "turns derivatives into code",
    run: |prog, remarks: &mut Remarks| match derivatives(prog) {
        Ok(notes) => {
            for Note { loc, text } in notes {
                remarks.add("differentiate", RemarkKind::Done, loc.as_ref(), None, text);
            }
        }
        Err(refused) => {
            let loc = refused.loc.as_ref();
            remarks.add("differentiate", RemarkKind::Missed, loc, None, refused.what);
        }
    },
};

/// What cannot be differentiated, and where.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The place in the source, if it is known.
    pub loc: Option<Loc>,
    /// What it is, as in "the derivative of ...".
    pub what: String,
}

pub use self::reverse::limit_memory;

type Res<T> = Result<T, Refused>;

/// Turns all derivatives of a program into code.
pub fn differentiate(prog: &mut Prog) -> Res<()> {
    derivatives(prog).map(|_| ())
}

/// Likewise; what there is to tell about them.
fn derivatives(prog: &mut Prog) -> Res<Vec<Note>> {
    // Functions that are called in a derivative are copied there, with the derivatives inside of them.
    let original = prog.clone();
    let common = Rc::new(Common::new(&original));
    for item in prog.items() {
        if !prog.body(item).has_derivatives() {
            continue;
        }
        let done = prog.change(item, |_, vars, body| {
            let is_host = match item {
                Item::Fun(id) => common.is_host(id),
                Item::Const(_) => true,
            };
            expand(body, &original, &common, vars, is_host)?;
            without_custom(body, vars);
            once::once(body, vars, &common);
            reuse::reuse(body, vars, &common);
            own::own(body, vars, &common, &Set::default());
            Ok(())
        });
        if let Err(refused) = done {
            // Nothing is left half done.
            *prog = original;
            return Err(refused);
        }
    }
    calls::make_all(prog, &original, &common).inspect_err(|_| *prog = original)?;
    Ok(common.notes.take())
}

/// Turns the derivatives of a body into code, those inside of others first; functions with adjoints of their own stay.
/// `is_host` says whether the body is executed by the host, and not in an operator.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
fn expand(
    body: &mut Body,
    prog: &Prog,
    common: &Rc<Common>,
    vars: &mut IdVec<Var, VarInfo>,
    is_host: bool,
) -> Res<()> {
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        let mut done = Ok(());
        let is_seeded = |op: &Diff| op.form.seeds().is_some();
        if let Exp::Diff(op) = &mut stm.exp
            && is_seeded(op)
        {
            prepare(&mut op.fun.body, prog, common, vars)?;
        }
        let inside = is_host && stm.exp.family() == Family::Control;
        stm.exp.map_bodies(&mut |body| {
            if done.is_ok() {
                done = expand(body, prog, common, vars, inside);
            }
        });
        done?;
        match stm.exp {
            Exp::Diff(op) if is_seeded(&op) => {
                let mut b = Builder::new(vars);
                b.set_loc(stm.loc.clone());
                let unroll = stm.attrs.iter().any(|attr| attr.name == "unroll");
                let asked = Asked { is_host, unroll, loc: stm.loc };
                let results = derive(&mut b, *op, prog, common, asked)?;
                let made = b.finish(Vec::new());
                out.extend(made.stms);
                bind_new(&stm.pat, results, vars, &mut out);
            }
            exp => out.push(Stm { exp, ..stm }),
        }
    }
    body.stms = out;
    Ok(())
}

/// The circumstances of a derivative.
struct Asked {
    /// Whether it is executed by the host, and not in an operator.
    is_host: bool,
    /// Whether several directions are as many variables.
    unroll: bool,
    loc: Option<Loc>,
}

/// A variable for one direction of each of the seeds.
fn one_direction(b: &mut Builder<'_>, seeds: &[Atom]) -> Vec<(Var, Atom)> {
    let mut all = Vec::new();
    for seed in seeds {
        let row = b.atom_ty(*seed).row().or_bug("seeds of several directions");
        all.push((b.param("seed", row), *seed));
    }
    all
}

/// The results of the function, and its derivative.
fn derive(
    b: &mut Builder<'_>,
    op: Diff,
    prog: &Prog,
    common: &Rc<Common>,
    Asked { is_host, unroll, loc }: Asked,
) -> Res<Vec<Atom>> {
    let Diff { args, mut fun, form } = op;
    // What derivatives inside of this one became.
    prepare(&mut fun.body, prog, common, b.vars_mut())?;
    match form {
        DiffForm::Forward(seeds) => {
            without_custom(&mut fun.body, b.vars_mut());
            let mut forward = Forward::new(common.clone(), loc.clone());
            let Some(directions) = seeds.directions else {
                return forward::jvp(b, forward, fun, &args, &seeds.values);
            };
            forward.is_shared = true;
            let ones = one_direction(b, &seeds.values);
            let mut inner = Builder::new(b.vars_mut());
            let values: Vec<Atom> = ones.iter().map(|(seed, _)| Atom::Var(*seed)).collect();
            let results = forward::jvp(&mut inner, forward, fun, &args, &values)?;
            let shared = results.len() / 2;
            let body = inner.finish(results);
            let (results, _) = spread::spread(b, body, &ones, shared, (directions, unroll, loc))?;
            Ok(results)
        }
        DiffForm::Reverse(seeds) => {
            record::record(&mut fun.body, b.vars_mut(), common);
            let mut reverse = Reverse::of(common.clone(), loc);
            reverse.is_host = is_host;
            reverse::vjp(b, reverse, fun, &args, &seeds, unroll)
        }
        DiffForm::Custom(_) => Ok(inline(b, fun, args)),
    }
}

/// The results of a function that is applied here, once.
fn inline(b: &mut Builder<'_>, fun: Lambda, args: Vec<Atom>) -> Vec<Atom> {
    let mut stms = Vec::new();
    bind(&fun.params, args, b.vars(), &mut stms);
    stms.into_iter().chain(fun.body.stms).for_each(|stm| b.push(stm));
    fun.body.results
}
