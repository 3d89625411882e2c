//! `unroll`: loops that the user has marked are replaced by their iterations, one after the other.
//!
//! ```text
//! #[unroll] loop x = a for i < 2 { f i x }    ==>    y = f 0 a; x = f 1 y
//! ```
//!
//! Conditions: the number of iterations is a constant, the result is not too long, and no type depends on a parameter
//! of the loop. Inner loops are unrolled first. Marks without effect are reported as remarks (`fehu report`).

use fehu_base::IdVec;
use fehu_base::bug;
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::subst::{Subst, copy_body, subst_body};
use fehu_ir::visit::{Visit, VisitMut, walk_body_mut, walk_stm, walk_type};
use fehu_ir::{Atom, Body, Exp, LoopForm, Scalar, Stm, Var, VarInfo};

/// The attribute that marks loops.
const MARK: &str = "unroll";

/// The most statements that a loop becomes.
const MOST: usize = 20_000;

/// The pass.
pub const UNROLL: Pass = Pass {
    name: "unroll",
    about: "unrolls loops marked #[unroll]",
    run: |prog, remarks| prog.for_each_body(|_, vars, body| Loops { vars, remarks }.body(body)),
};

struct Loops<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    remarks: &'a mut Remarks,
}

impl VisitMut for Loops<'_> {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        let marked = |stm: &Stm| stm.attrs.iter().any(|attr| attr.name == MARK);
        if !body.stms.iter().any(marked) {
            return;
        }
        let mut out = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            match marked(&stm) {
                true => self.marked(stm, &mut out),
                false => out.push(stm),
            }
        }
        body.stms = out;
    }
}

impl Loops<'_> {
    fn marked(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        if !matches!(stm.exp, Exp::Loop(..)) {
            return out.push(stm);
        }
        let (kind, text) = match counters(&stm, self.vars) {
            Ok(counters) => {
                stm.attrs.retain(|attr| attr.name != MARK);
                unroll(&stm, counters, self.vars, out);
                (RemarkKind::Done, "the loop is unrolled")
            }
            Err(why) => {
                out.push(stm.clone());
                (RemarkKind::Missed, why)
            }
        };
        self.remarks.add(UNROLL.name, kind, stm.loc.as_ref(), None, text);
    }
}

/// The counters of the iterations of a loop, or why it cannot be unrolled.
pub(crate) fn counters(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> Result<Vec<Scalar>, &'static str> {
    const UNKNOWN: &str = "the loop is not unrolled: the number of iterations is not known";
    let Exp::Loop(params, LoopForm::For(_, Atom::Const(bound)), body) = &stm.exp else {
        return Err(UNKNOWN);
    };
    let fehu_ir::Elem::Prim(prim) = bound.elem() else { return Err(UNKNOWN) };
    let mut size = Size(1);
    size.body(body);
    let most = i64::try_from(MOST / size.0).unwrap_or(0);
    let count = fehu_interp::scalar::to_i64(*bound).filter(|count| *count <= most);
    let count = count.ok_or("the loop is not unrolled: the code would become too large")?;
    let mut mentioned = Mentioned(Vec::new());
    for param in params {
        walk_type(&mut mentioned, &vars[param.var].ty);
    }
    if params.iter().any(|param| mentioned.0.contains(&param.var)) {
        return Err("the loop is not unrolled: the sizes of its arrays change");
    }
    Ok((0..count).map(|i| Scalar::from_bits(prim, i as u64)).collect())
}

/// The iterations of a loop, one after the other.
pub(crate) fn unroll(
    stm: &Stm,
    counters: Vec<Scalar>,
    vars: &mut IdVec<Var, VarInfo>,
    out: &mut Vec<Stm>,
) {
    let Exp::Loop(params, LoopForm::For(var, _), body) = &stm.exp else {
        bug("what is unrolled is no loop");
    };
    let mut now: Vec<Atom> = params.iter().map(|param| param.init).collect();
    for counter in counters {
        let bound = std::iter::once((*var, Atom::Const(counter)))
            .chain(params.iter().map(|param| param.var).zip(now));
        now = copy(bound.collect(), body, &stm.certs, vars, out);
    }
    let results = stm.pat.iter().zip(now);
    out.extend(results.map(|(var, atom)| Stm::new(vec![*var], Exp::Atom(atom))));
}

/// A copy of a body in which some of its variables are known; yields its results.
pub(crate) fn copy(
    known: Subst,
    body: &Body,
    certs: &[Var],
    vars: &mut IdVec<Var, VarInfo>,
    out: &mut Vec<Stm>,
) -> Vec<Atom> {
    let mut body = copy_body(body, vars);
    subst_body(&mut body, vars, &known);
    for inner in &mut body.stms {
        inner.certs.extend(certs.iter().copied());
    }
    out.append(&mut body.stms);
    body.results
}

/// Counts statements.
struct Size(usize);

impl Visit for Size {
    fn stm(&mut self, stm: &Stm) {
        self.0 += 1;
        walk_stm(self, stm);
    }
}

/// Collects variables.
struct Mentioned(Vec<Var>);

impl Visit for Mentioned {
    fn use_var(&mut self, var: &Var) {
        self.0.push(*var);
    }
}
