//! `while` loops in functions of operators: the first iterations are recorded while all of them are counted.
//!
//! ```text
//! r = loop (x = a) while c do f x
//! ==>                                                         with room for C iterations
//! (r, count, first, s) = loop (x = a, i = 0, first = scratch C, s = scratch 1) while c do
//!   (first, s) = if i < C then (first with [i] = x, s) else if i == C then (first, s with [0] = x) else (first, s)
//!   (f x, i + 1, first, s)
//! rest = max 0 (count - C)
//! (_, tape) = loop (x = if count > C then s[0] else a, tape = scratch rest) for j < rest do (f x, tape with [j] = x)
//! ```
//!
//! The return sweep reads `if i < C then first[i] else tape[i - C]`. So only iterations for which there was no room
//! are executed twice, and there are none of these if loops are short. `C` is a constant, for all positions of an
//! operator: then the host knows how much memory their tapes need, and neighbours have the same place in theirs.
//!
//! This is for loops whose state, and what is saved of it, are scalars, without other `while` loops inside, of which
//! there would be too many copies.

use super::Reverse;
use super::keep::{Kept, bytes};
use super::repeat::Taped;
use super::tape::Tape;
use crate::differentiate::num::{binary, select};
use fehu_base::OrBug;
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::free::free_in_body;
use fehu_ir::subst::copy_stm;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, LoopForm, LoopParam, Stm, Type, Var};

/// How many bytes the first iterations may take at one position.
const BYTES: u64 = 1 << 14;

/// What has been recorded of the first iterations.
pub(super) struct Ahead {
    /// How many iterations there was room for.
    room: Atom,
    /// The number of the others.
    pub(super) rest: Atom,
    /// Where these begin: the values of those parameters that they need.
    pub(super) state: Vec<(Var, Atom)>,
    /// Tapes of the saved values.
    tapes: Vec<Tape>,
}

impl Reverse {
    /// Counts the iterations of a loop, and records the first ones if that is possible.
    pub(super) fn record_ahead(
        &self,
        b: &mut Builder<'_>,
        stm: &Stm,
        taped: &mut Taped,
        kept: &Kept,
    ) -> Option<Ahead> {
        let counting = taped.counting.take()?;
        let is_scalar = |var: Var| matches!(b.ty(var), Type::Scalar(_));
        let fits = !taped.contributes
            && !kept.saved.is_empty()
            && kept.flat.is_empty()
            && taped.params.len() == counting.params
            && taped.params.iter().all(|param| is_scalar(param.var))
            && kept.saved.iter().all(|var| is_scalar(*var))
            && !has_while(&taped.body);
        if !fits {
            b.push(counting.stm);
            return None;
        }
        let count = *counting.stm.pat.last().or_bug("number of iterations");
        Some(recording(b, stm, taped, &kept.saved, (counting.condition, count)))
    }
}

impl Ahead {
    /// What was saved in an iteration, there or on the tapes of the rest.
    pub(super) fn read(&self, b: &mut Builder<'_>, rest: &[Tape], at: Atom) -> Vec<Var> {
        let types: Vec<Type> =
            rest.iter().map(|tape| b.ty(tape.result).row().or_bug("a tape")).collect();
        let is_first = b.exp("first", Exp::CmpOp(CmpOp::Lt, at, self.room));
        let first = b
            .body(|b| self.tapes.iter().map(|tape| tape.read(b, tape.result, at).into()).collect());
        let later = b.body(|b| {
            let at = binary(b, BinOp::Sub, at, self.room);
            rest.iter().map(|tape| tape.read(b, tape.result, at).into()).collect()
        });
        b.several("saved", types, Exp::If(is_first.into(), Box::new([first, later])))
    }
}

/// The loop with its condition, which counts, and has tapes for its first iterations. It binds the results of the loop.
fn recording(
    b: &mut Builder<'_>,
    stm: &Stm,
    taped: &Taped,
    saved: &[Var],
    (condition, count): (usize, Var),
) -> Ahead {
    let prims = saved.iter().map(|var| prim_of(b.ty(*var)).map_or(8, bytes));
    let room = BYTES / prims.sum::<u64>().max(1);
    let room = Atom::i64(i64::try_from(room).unwrap_or(1).max(1));
    let number = b.param("i", Type::I64);
    let (mut params, mut pat) = (taped.params.clone(), stm.pat.clone());
    let mut body = taped.body.clone();
    params.push(LoopParam { var: number, init: 0.into() });
    pat.push(count);
    let mut tapes = Vec::new();
    for var in saved {
        let ty = b.ty(*var).clone();
        let tape = Tape::new(b, &ty, (room, room));
        let init = tape.init(b, room);
        params.push(LoopParam { var: tape.param, init });
        pat.push(tape.result);
        tapes.push(tape);
    }
    // The state after that, of what the body needs.
    let needed = free_in_body(&taped.body, b.vars());
    let needed = taped.params.iter().filter(|param| needed.contains(&param.var));
    let needed: Vec<&LoopParam> = needed.collect();
    let mut states = Vec::new();
    for param in &needed {
        let ty = b.ty(param.var).clone();
        let state = Tape::new(b, &ty, (1.into(), 1.into()));
        let init = state.init(b, 1.into());
        params.push(LoopParam { var: state.param, init });
        pat.push(state.result);
        states.push(state);
    }

    let mut end = Builder::new(b.vars_mut());
    end.set_loc(stm.loc.clone());
    let all = || tapes.iter().chain(&states);
    let types: Vec<Type> = all().map(|tape| end.ty(tape.param).clone()).collect();
    let same =
        |tapes: &[Tape]| -> Vec<Atom> { tapes.iter().map(|tape| tape.param.into()).collect() };
    let fits = end.exp("fits", Exp::CmpOp(CmpOp::Lt, number.into(), room));
    let write = end.body(|b| {
        let write = |(tape, var): (&Tape, &Var)| {
            tape.write(b, tape.param, number.into(), (*var).into()).into()
        };
        let written: Vec<Atom> = tapes.iter().zip(saved).map(write).collect();
        [written, same(&states)].concat()
    });
    let keep = end.body(|b| {
        let is_full = b.exp("full", Exp::CmpOp(CmpOp::Eq, number.into(), room));
        let begin = b.body(|b| {
            let write = |(state, param): (&Tape, &&LoopParam)| {
                state.write(b, state.param, 0.into(), param.var.into()).into()
            };
            states.iter().zip(&needed).map(write).collect()
        });
        let other = b.body(|_| same(&states));
        let types = types[tapes.len()..].to_vec();
        let states = b.several("state", types, Exp::If(is_full.into(), Box::new([begin, other])));
        same(&tapes).into_iter().chain(states.into_iter().map(Atom::Var)).collect()
    });
    let after = end.several("tape", types, Exp::If(fits.into(), Box::new([write, keep])));
    body.results.push(binary(&mut end, BinOp::Add, number.into(), 1.into()));
    body.results.extend(after.into_iter().map(Atom::Var));
    body.stms.extend(end.finish(Vec::new()).stms);

    let form = LoopForm::While(params[condition].var);
    let exp = Exp::Loop(params, form, Box::new(body));
    let mut made = copy_stm(&Stm { pat: pat.clone(), exp, ..stm.clone() }, b.vars_mut());
    made.pat = pat;
    b.push(made);

    let more = Exp::CmpOp(CmpOp::Lt, room, count.into());
    let more = b.exp("more", more).into();
    let rest = |b: &mut Builder<'_>| binary(b, BinOp::Sub, count.into(), room);
    let rest = select(b, more, &Type::I64, rest, |_| 0.into());
    let mut state = Vec::new();
    for (param, tape) in needed.iter().zip(&states) {
        let ty = b.ty(param.var).clone();
        let begin = |b: &mut Builder<'_>| tape.read(b, tape.result, 0.into()).into();
        state.push((param.var, select(b, more, &ty, begin, |_| param.init)));
    }
    Ahead { room, rest, state, tapes }
}

fn has_while(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = matches!(stm.exp, Exp::Loop(_, LoopForm::While(_), _));
        stm.exp.for_each_body(&mut |body| found |= has_while(body));
        found
    })
}
