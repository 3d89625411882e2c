//! Recognises nests.
//!
//! A nest is a map whose function consists of one operator, preceded only by cheap scalars and views that every thread
//! can compute for itself, and so on inwards. The results of each function are those of the operator, in order, without
//! unused scalars. The innermost operator is not such a map: it is a map with sequential code, a reduction or scan
//! (which is then segmented), a histogram, a scatter, something that creates an array without a function, such as
//! `replicate` and `copy`, or a map with the attribute [`BY_BLOCK`], whose operators are shared by the threads of a
//! block.
//!
//! ```text
//! let (ys: [n][m]i32) = screma n (xss) map \(xs: [m]i32) -> ([m]i32) {     -- a level
//!   let (k: i32) = index xs [0]                                             -- its prologue
//!   let (zs: [m]i32) = screma m (xs) map \(x: i32) -> (i32) {               -- the innermost operator
//!     let (z: i32) = add x k
//!     in (z)
//!   }
//!   in (zs)
//! }
//! ```

use crate::block::BY_BLOCK;
use crate::mark::{SEQUENTIAL, has_attr};
use fehu_base::IdVec;
use fehu_facts::cost;
use fehu_ir::text::show_stm;
use fehu_ir::visit::{Visit, walk_exp, walk_stm};
use fehu_ir::{Atom, Body, Exp, Prog, Screma, Stm, Type, Var, VarInfo};

/// A nest.
#[derive(Clone, Debug)]
pub struct Nest<'a> {
    /// The maps around the innermost operator, outermost first; there may be none.
    pub levels: Vec<Level<'a>>,
    /// The innermost operator. All operators inside its functions are sequential, or those of a block.
    pub innermost: &'a Stm,
}

/// A map around the innermost operator.
#[derive(Clone, Debug)]
pub struct Level<'a> {
    /// Its statement.
    pub stm: &'a Stm,
    /// The operator of that.
    pub op: &'a Screma,
    /// Scalars and views that the operator inside depends on, in order.
    pub prologue: Vec<&'a Stm>,
}

/// The nest that a statement of the host is; none if it is no operator that runs in parallel.
pub fn nest<'a>(stm: &'a Stm, vars: &IdVec<Var, VarInfo>) -> Option<Nest<'a>> {
    if !is_parallel(&stm.exp) || has_attr(stm, SEQUENTIAL) {
        return None;
    }
    let mut levels = Vec::new();
    let mut innermost = stm;
    while let Some((level, inside)) = level(innermost, vars) {
        levels.push(level);
        innermost = inside;
    }
    Some(Nest { levels, innermost })
}

impl Nest<'_> {
    /// The widths of the levels, outermost first.
    pub fn widths(&self) -> Vec<Atom> {
        self.levels.iter().map(|level| level.op.width).collect()
    }
}

/// Whether a program consists of nests: no operator in the functions of an innermost one would run in parallel. The first
/// statement that is not one, otherwise.
pub fn check(prog: &Prog) -> Result<(), String> {
    let consts = prog.consts.iter().map(|(_, item)| (&item.name, &item.body, &item.vars));
    let funs = prog.funs.iter().map(|(_, fun)| (&fun.name, &fun.body, &fun.vars));
    for (name, body, vars) in consts.chain(funs) {
        let mut check = Check { vars, wrong: None };
        check.body(body);
        if let Some(stm) = check.wrong {
            return Err(format!("in \"{name}\":\n{stm}"));
        }
    }
    Ok(())
}

struct Check<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    wrong: Option<String>,
}

impl Visit for Check<'_> {
    fn stm(&mut self, stm: &Stm) {
        let inner = nest(stm, self.vars).map(|nest| nest.innermost);
        match inner {
            _ if self.wrong.is_some() => {}
            // A thread executes what is inside the operators that its block shares.
            Some(inner) if has_attr(inner, BY_BLOCK) => {}
            Some(inner) => {
                let mut look = Parallel(false);
                walk_exp(&mut look, &inner.exp);
                if look.0 {
                    self.wrong = Some(show_stm(stm, self.vars));
                }
            }
            // What is in sequential operators was looked at with those that it is in.
            None if has_attr(stm, SEQUENTIAL) => {}
            None => walk_stm(self, stm),
        }
    }
}

/// Whether there is an operator that would run in parallel.
struct Parallel(bool);

impl Visit for Parallel {
    fn stm(&mut self, stm: &Stm) {
        self.0 |= stm.exp.operator().is_some() && !has_attr(stm, SEQUENTIAL);
        walk_stm(self, stm);
    }
}

/// Whether an expression is an operator or makes an array in a way that many threads can share.
fn is_parallel(exp: &Exp) -> bool {
    matches!(
        exp,
        Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Partition(_)
            | Exp::Replicate(..)
            | Exp::Iota(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::Concat(..)
    )
}

fn level<'a>(stm: &'a Stm, vars: &IdVec<Var, VarInfo>) -> Option<(Level<'a>, &'a Stm)> {
    let Exp::Screma(op) = &stm.exp else { return None };
    if op.folded() > 0 || has_attr(stm, BY_BLOCK) {
        return None;
    }
    let Body { stms, results } = &op.map.body;
    // Without results there are only checks inside.
    let inside = match results.first() {
        Some(Atom::Var(first)) => stms.iter().find(|stm| stm.pat.contains(first))?,
        Some(Atom::Const(_)) => return None,
        None => stms.iter().find(|stm| stm.pat.is_empty())?,
    };
    let is_result = |var: &Var| results.contains(&Atom::Var(*var));
    let names = inside.pat.iter().filter(|var| is_result(var)).map(|var| Atom::Var(*var));
    let same = names.eq(results.iter().copied())
        && inside.pat.iter().all(|var| is_result(var) || !vars[*var].ty.is_array());
    // A partition below a map is sequential.
    let operator = is_parallel(&inside.exp) && !matches!(inside.exp, Exp::Partition(_));
    if !same || !operator || has_attr(inside, SEQUENTIAL) {
        return None;
    }
    let prologue: Vec<&Stm> = stms.iter().filter(|stm| !std::ptr::eq(*stm, inside)).collect();
    if !prologue.iter().all(|stm| is_prologue(stm, vars)) {
        return None;
    }
    Some((Level { stm, op, prologue }, inside))
}

/// Whether every thread can compute a statement for itself.
fn is_prologue(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
    let scalars = stm.pat.iter().all(|var| matches!(vars[*var].ty, Type::Scalar(_)));
    match &stm.exp {
        Exp::Assert(..) | Exp::Scratch(..) => false,
        Exp::Index(..)
        | Exp::FlatIndex(..)
        | Exp::Reshape(..)
        | Exp::Rearrange(..)
        | Exp::Iota(..)
        | Exp::Atom(_) => true,
        Exp::Replicate(_, atom) => {
            atom.var().is_none_or(|var| matches!(vars[var].ty, Type::Scalar(_)))
        }
        _ => scalars && cost::weigh_stm(stm, vars).is_some(),
    }
}
