//! Branches, loops and calls.

use super::frame::{Frame, Item};
use super::store::Mem;
use super::{Machine, Res, wrong};
use fehu_interp::scalar;
use fehu_ir::{Atom, Body, Exp, LoopForm, LoopParam, Scalar, Var};
use fehu_mem::table::{BlockId, Origin, Place};

/// Where a result of a body goes.
#[derive(Clone, Copy)]
enum Target<'a> {
    /// A scalar variable.
    Scalar(Var),
    /// A place of its own, into which elements are copied.
    Own(&'a Place),
    /// A block that becomes whatever block the result is in.
    Carried(BlockId),
    /// There is nothing to be moved.
    Nothing,
}

impl<'a> Machine<'a> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
    pub(super) fn control(&mut self, frame: &mut Frame<'a>, pat: &[Var], exp: &'a Exp) -> Res<()> {
        match exp {
            Exp::If(cond, bodies) => {
                let body = if frame.truth(*cond)? { &bodies[0] } else { &bodies[1] };
                self.branch(frame, body, &targets(frame, pat))
            }
            Exp::Switch(on, switch) => {
                let on = frame.scalar(*on)?;
                let chosen = switch.cases.iter().find(|(value, _)| *value == on);
                let body = chosen.map_or(&switch.default, |(_, body)| body);
                self.branch(frame, body, &targets(frame, pat))
            }
            Exp::Loop(params, form, body) => self.loop_(frame, pat, params, *form, body),
            Exp::Call(fun, args) => {
                let mut items = Vec::with_capacity(args.len());
                for arg in args {
                    items.push(self.item(frame, *arg)?);
                }
                let mut inner = self.frame(*fun);
                let results = self.run(&mut inner, items)?;
                let returned = &inner.table.returned;
                self.receive(frame, pat, results, |k| {
                    returned.get(k).is_some_and(Option::is_some)
                })?;
                views_agree(&inner, frame, pat)
            }
            Exp::Const(id) => {
                let results = self.constant(*id)?;
                self.receive(frame, pat, results, |_| false)
            }
            _ => Err(wrong("this is no control flow")),
        }
    }

    fn branch(&mut self, frame: &mut Frame<'a>, body: &'a Body, targets: &[Target<'a>]) -> Res<()> {
        self.scope(frame, |machine, frame| {
            machine.body(frame, body)?;
            machine.move_to(frame, targets, &body.results)
        })
    }

    /// Moves the results of a body to where they belong, all at the same time.
    fn move_to(
        &mut self,
        frame: &mut Frame<'a>,
        targets: &[Target<'a>],
        results: &[Atom],
    ) -> Res<()> {
        let mut scalars: Vec<(Var, Scalar)> = Vec::new();
        for (target, result) in targets.iter().zip(results) {
            if let Target::Scalar(var) = *target {
                scalars.push((var, frame.scalar(*result)?));
            }
        }
        let mut blocks: Vec<(BlockId, Mem)> = Vec::new();
        for (target, result) in targets.iter().zip(results) {
            match *target {
                Target::Nothing | Target::Scalar(_) => {}
                Target::Own(place) => self.put(frame, place, *result)?,
                Target::Carried(block) => {
                    let to = match frame.table.blocks[block].origin {
                        Origin::Carried(var) => Some(var),
                        Origin::Fresh { .. } | Origin::Unused => None,
                    };
                    if let Item::Array(mem) = self.item_for(frame, *result, to, &scalars)? {
                        blocks.push((block, mem));
                    }
                }
            }
        }
        for (var, value) in scalars {
            frame.scalars[var] = Some(value);
        }
        frame.blocks.extend(blocks);
        Ok(())
    }

    /// Binds results that come from elsewhere, some of which are arguments that were changed in place.
    fn receive(
        &mut self,
        frame: &mut Frame<'a>,
        pat: &[Var],
        results: Vec<Item>,
        is_argument: impl Fn(usize) -> bool,
    ) -> Res<()> {
        for (k, (var, item)) in pat.iter().zip(results).enumerate() {
            match (item, frame.place(*var)) {
                (Item::Scalar(scalar), _) => frame.scalars[*var] = Some(scalar),
                (Item::Array(mem), Some(place)) => {
                    if frame.table.blocks[place.block].origin == Origin::Carried(*var) {
                        frame.blocks.insert(place.block, mem);
                        continue;
                    }
                    let to = frame.mem(place.block)?;
                    if is_argument(k) {
                        let first = frame.addresses(&place.lmad)?.first().copied();
                        let there = first.map(|first| Mem { base: to.base + first, ..to });
                        if there.is_some_and(|there| there != mem) {
                            return Err(wrong("a result is not where the argument is"));
                        }
                        continue;
                    }
                    // A foreign function writes to where its results are to be.
                    for (from, at) in (0..).zip(frame.addresses(&place.lmad)?) {
                        let value = self.store.read(mem, from)?;
                        self.store.write(to, at, value)?;
                    }
                }
                (Item::Array(_) | Item::Nothing, _) => {}
            }
        }
        Ok(())
    }

    fn loop_(
        &mut self,
        frame: &mut Frame<'a>,
        pat: &[Var],
        params: &[LoopParam],
        form: LoopForm,
        body: &'a Body,
    ) -> Res<()> {
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        let targets = targets(frame, &vars);
        let inits: Vec<Atom> = params.iter().map(|param| param.init).collect();
        self.move_to(frame, &targets, &inits)?;
        match form {
            LoopForm::For(var, bound) => {
                let bound = frame.scalar(bound)?;
                let prim = frame.prim(var.into()).ok_or_else(|| wrong("a loop counts nothing"))?;
                let count = scalar::to_i64(bound);
                let count = count.ok_or_else(|| wrong("the bound of a loop is no integer"))?;
                for i in 0..count {
                    self.store.step()?;
                    frame.scalars[var] = scalar::convert(prim, Scalar::I64(i));
                    self.branch(frame, body, &targets)?;
                }
            }
            LoopForm::While(var) => {
                while frame.truth(var.into())? {
                    self.store.step()?;
                    self.branch(frame, body, &targets)?;
                }
            }
        }
        for (var, param) in pat.iter().zip(&vars) {
            frame.scalars[*var] = frame.scalars[*param];
        }
        Ok(())
    }
}

/// Whether a caller knows the strides of the views that a function has handed on.
fn views_agree(inner: &Frame<'_>, frame: &Frame<'_>, pat: &[Var]) -> Res<()> {
    for (k, var) in pat.iter().enumerate() {
        let (Some(handed), Some(place)) = (inner.view_strides(k)?, frame.place(*var)) else {
            continue;
        };
        let known = frame.sizes_and_strides(&place.lmad)?;
        let is_empty = handed.iter().any(|(size, _)| *size == 0);
        let agree =
            |((size, there), (_, here)): (&(i64, i64), &(i64, i64))| *size == 1 || there == here;
        if !is_empty && !handed.iter().zip(&known).all(agree) {
            return Err(wrong("a caller does not know the strides of a view"));
        }
    }
    Ok(())
}

/// What the results of a body are moved to.
fn targets<'a>(frame: &Frame<'a>, pat: &[Var]) -> Vec<Target<'a>> {
    let target = |var: &Var| match (frame.place(*var), frame.prim((*var).into())) {
        (Some(place), _) if frame.table.blocks[place.block].origin == Origin::Carried(*var) => {
            Target::Carried(place.block)
        }
        (Some(place), _) => Target::Own(place),
        (None, Some(_)) => Target::Scalar(*var),
        (None, None) => Target::Nothing,
    };
    pat.iter().map(target).collect()
}
