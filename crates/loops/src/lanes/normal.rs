//! A body with fewer kinds of statements: no `switch`, no copies, and no `for` loop that begins at different numbers in
//! different lanes.

use crate::scalar::scalar;
use fehu_base::{IdVec, bug};
use fehu_imp::{Block, Exp, Prim, Stm, V, VarInfo};
use fehu_ir::{BinOp, CmpOp, Elem, Scalar, UnOp};

/// Choices among several blocks as choices between two, and copies of few elements as stores of each.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
pub(super) fn simpler(body: &Block) -> Block {
    let mut out = Block::with_capacity(body.len());
    for stm in body {
        out.push(match stm {
            Stm::Switch(on, cases, default) => {
                let mut rest = simpler(default);
                for (value, case) in cases.iter().rev() {
                    rest = vec![Stm::If(is(on, *value), simpler(case), rest)];
                }
                match rest.pop() {
                    Some(Stm::If(cond, yes, no)) if !cases.is_empty() => Stm::If(cond, yes, no),
                    last => {
                        rest.extend(last);
                        out.append(&mut rest);
                        continue;
                    }
                }
            }
            Stm::If(cond, yes, no) => Stm::If(cond.clone(), simpler(yes), simpler(no)),
            Stm::While(cond, body) => Stm::While(cond.clone(), simpler(body)),
            Stm::For { var, from, to, step, kind, body } => Stm::For {
                var: *var,
                from: from.clone(),
                to: to.clone(),
                step: *step,
                kind: kind.clone(),
                body: simpler(body),
            },
            Stm::Copy { to, from, count: Exp::Const(Scalar::I64(count)) } => {
                out.extend((0..*count).map(|k| {
                    let load = Exp::Load(from.0, Box::new(plus(&from.1, k)));
                    Stm::Store(to.0, plus(&to.1, k), load)
                }));
                continue;
            }
            Stm::Comment(_) => continue,
            other => other.clone(),
        });
    }
    out
}

/// An index further on.
#[expect(clippy::wildcard_enum_match_arm, reason = "other indices have no simpler sum")]
fn plus(index: &Exp, k: i64) -> Exp {
    match index {
        index if k == 0 => index.clone(),
        Exp::Const(Scalar::I64(at)) => Exp::int(at.wrapping_add(k)),
        Exp::Var(v) => Exp::Index(vec![(k, vec![]), (1, vec![*v])]),
        Exp::Index(terms) => Exp::Index([vec![(k, vec![])], terms.clone()].concat()),
        other => Exp::Bin(BinOp::Add, Prim::I64, Box::new(other.clone()), Box::new(Exp::int(k))),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only truth values are conditions")]
fn is(on: &Exp, value: Scalar) -> Exp {
    let on = Box::new(on.clone());
    match value {
        Scalar::Bool(true) => *on,
        Scalar::Bool(false) => Exp::Un(UnOp::Not, Prim::Bool, on),
        value => {
            let Elem::Prim(prim) = value.elem() else { bug("a unit is compared") };
            Exp::Cmp(CmpOp::Eq, prim, on, Box::new(Exp::Const(value)))
        }
    }
}

/// Loops with a counter that begins where `differs` says become `while` loops; whether there were any.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others contain what is looked for only in their bodies; other statements stay as they are"
)]
pub(super) fn without_ragged_starts(
    vars: &mut IdVec<V, VarInfo>,
    body: &mut Block,
    differs: &dyn Fn(&Exp) -> bool,
) -> bool {
    let mut found = false;
    let mut out = Block::with_capacity(body.len());
    for mut stm in std::mem::take(body) {
        match &mut stm {
            Stm::If(_, yes, no) => {
                found |= without_ragged_starts(vars, yes, differs);
                found |= without_ragged_starts(vars, no, differs);
            }
            Stm::While(_, body) | Stm::For { body, .. } => {
                found |= without_ragged_starts(vars, body, differs);
            }
            _ => {}
        }
        match stm {
            Stm::For { var, from, to, step, mut body, .. } if differs(&from) => {
                found = true;
                let ty = vars[var].ty;
                let prim = scalar(ty);
                let end = vars.push(VarInfo { hint: "end".into(), ty });
                let counter = || Box::new(Exp::Var(var));
                let step = Scalar::from_bits(prim, step.cast_unsigned());
                let next = Exp::Bin(BinOp::Add, prim, counter(), Box::new(Exp::Const(step)));
                body.push(Stm::Assign(var, next));
                let more = Exp::Cmp(CmpOp::Lt, prim, counter(), Box::new(Exp::Var(end)));
                out.push(Stm::Declare(var, Some(from)));
                out.push(Stm::Declare(end, Some(to)));
                out.push(Stm::While(more, body));
            }
            stm => out.push(stm),
        }
    }
    *body = out;
    found
}
