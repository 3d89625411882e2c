//! Branches, loops, calls and constants.

use super::{Frame, Machine, bind_all, quick, scalar, take, truth};
use crate::code::{Arg, Code, Form, Loop, Slot, Switch};
use crate::error::{Error, Res};
use crate::value::Value;
use fehu_base::Prim;
use fehu_ir::{Elem, Scalar};
use smallvec::SmallVec;

impl<'p> Machine<'p> {
    /// Runs a body and binds its results.
    pub(super) fn branch(&mut self, code: &'p Code, pat: &[Slot], frame: &mut Frame) -> Res<()> {
        self.run(code, frame)?;
        if pat.len() != code.results.len() {
            return Err(Error::internal("a branch has the wrong number of results"));
        }
        // The variables of the pattern are new, so no result is overwritten before it is evaluated.
        for (&slot, result) in pat.iter().zip(&code.results) {
            quick::assign(frame, result, slot);
        }
        Ok(())
    }

    pub(super) fn switch(
        &mut self,
        value: &Arg,
        switch: &'p Switch,
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        let value = scalar(frame, value)?;
        let case = switch.cases.iter().find(|(key, _)| *key == value);
        self.branch(case.map_or(&switch.default, |(_, code)| code), pat, frame)
    }

    #[inline(never)]
    pub(super) fn repeat(
        &mut self,
        repetition: &'p Loop,
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        let Loop { params, inits, form, body, .. } = repetition;
        if body.results.len() != params.len() || pat.len() != params.len() {
            return Err(Error::internal("a loop has the wrong number of results"));
        }
        for (&param, init) in params.iter().zip(inits) {
            quick::assign(frame, init, param);
        }
        match form {
            Form::For(index, bound) => {
                let bound = scalar(frame, bound)?;
                let Elem::Prim(prim) = bound.elem() else {
                    return Err(Error::internal("the bound of a loop is not a number"));
                };
                for i in 0..iterations(bound)? {
                    frame[*index as usize] = Value::Scalar(index_of(prim, i));
                    self.round(repetition, frame)?;
                }
            }
            Form::While(condition) => {
                while truth(frame, &Arg::Slot(*condition))? {
                    self.round(repetition, frame)?;
                }
            }
        }
        for (&slot, &param) in pat.iter().zip(params) {
            frame[slot as usize] = std::mem::take(&mut frame[param as usize]);
        }
        Ok(())
    }

    /// Runs the body once and makes its results the next values of the parameters.
    fn round(&mut self, repetition: &'p Loop, frame: &mut Frame) -> Res<()> {
        // An empty body takes steps, too: otherwise it could run forever without being interrupted.
        self.tick()?;
        self.run(&repetition.body, frame)?;
        let results = &repetition.body.results;
        if repetition.entangled {
            let values: SmallVec<[Value; 8]> = results.iter().map(|r| take(frame, r)).collect();
            return bind_all(frame, &repetition.params, values);
        }
        for (&param, result) in repetition.params.iter().zip(results) {
            quick::assign(frame, result, param);
        }
        Ok(())
    }

    /// Counts a step outside of [`Machine::run`].
    #[inline]
    pub(super) fn tick(&mut self) -> Res<()> {
        self.steps += 1;
        if self.steps >= self.next_check { self.check() } else { Ok(()) }
    }

    #[inline(never)]
    pub(super) fn call_fun(
        &mut self,
        fun: usize,
        args: &[Arg],
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        let program = self.program;
        let unit = program.funs.get(fun).ok_or_else(|| Error::internal("no such function"))?;
        if args.len() != unit.params.len() || pat.len() != unit.code.results.len() {
            return Err(Error::internal(format!("\"{}\" is called wrongly", unit.name)));
        }
        let mut callee = self.frame(unit)?;
        for (&param, arg) in unit.params.iter().zip(args) {
            quick::assign_to(&mut callee[param as usize], frame, arg);
        }
        self.call_in(unit, callee, |i, result| frame[pat[i] as usize] = result)
    }

    /// The values of a constant, computed when they are first needed.
    #[inline(never)]
    pub(super) fn constant(&mut self, index: usize, pat: &[Slot], frame: &mut Frame) -> Res<()> {
        if let Some(Some(values)) = self.consts.get(index) {
            return bind_all(frame, pat, values.iter().cloned());
        }
        let program = self.program;
        let unit = program.consts.get(index).ok_or_else(|| Error::internal("no such constant"))?;
        let mut values = Vec::with_capacity(unit.code.results.len());
        self.call(unit, std::iter::empty(), |_, result| values.push(result))?;
        self.consts[index] = Some(values.clone());
        bind_all(frame, pat, values)
    }
}

/// How often a loop with this bound runs.
fn iterations(bound: Scalar) -> Res<u64> {
    match (bound, crate::scalar::to_i64(bound)) {
        (Scalar::U64(bound), _) => Ok(bound),
        (_, Some(bound)) => Ok(u64::try_from(bound).unwrap_or(0)),
        (_, None) => Err(Error::internal("the bound of a loop is not an integer")),
    }
}

/// The index of a loop, in the type of its bound.
#[inline]
#[expect(clippy::wildcard_enum_match_arm, reason = "all other counters are made of bits")]
fn index_of(prim: Prim, i: u64) -> Scalar {
    match prim {
        Prim::I64 => Scalar::I64(i as i64),
        _ => Scalar::from_bits(prim, i),
    }
}
