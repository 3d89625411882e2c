//! Maps, reductions and scans.

use super::array::view;
use super::frame::Frame;
use super::store::Mode;
use super::{Machine, Res};
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Lambda, Scalar, Screma, Type, Var};
use fehu_mem::table::Place;

/// What an operator has combined so far.
#[derive(Clone, Copy)]
pub(super) enum Sofar<'a> {
    Scalar(Scalar),
    Array(&'a Place),
    Nothing,
}

impl<'a> Machine<'a> {
    pub(super) fn screma(&mut self, frame: &mut Frame<'a>, pat: &[Var], op: &'a Screma) -> Res<()> {
        let mut scanned = Vec::with_capacity(op.scans.len());
        for scan in &op.scans {
            scanned.push(self.start(frame, &scan.op, &scan.neutral)?);
        }
        let mut reduced = Vec::with_capacity(op.reds.len());
        for red in &op.reds {
            reduced.push(self.start(frame, &red.op, &red.neutral)?);
        }
        let width = frame.size(op.width)?;
        pat.iter().for_each(|var| drop(frame.elided.remove(var)));
        self.each(frame, pat, &op.inputs, &op.map, width, |machine, frame, index, _| {
            let mut parts = op.map.body.results.iter().copied();
            let mut bound = pat.iter().copied();
            for (scan, sofar) in op.scans.iter().zip(&mut scanned) {
                let elements: Vec<Atom> = parts.by_ref().take(sofar.len()).collect();
                machine.quietly(|machine| {
                    machine.combine(frame, &scan.op, &scan.op.params, sofar, &elements)
                })?;
                for (part, var) in sofar.iter().zip(bound.by_ref().take(sofar.len())) {
                    machine.quietly(|machine| machine.store_sofar(frame, var, index, *part))?;
                }
            }
            for (red, sofar) in op.reds.iter().zip(&mut reduced) {
                let elements: Vec<Atom> = parts.by_ref().take(sofar.len()).collect();
                bound.by_ref().take(sofar.len()).for_each(drop);
                machine.quietly(|machine| {
                    machine.combine(frame, &red.op, &red.op.params, sofar, &elements)
                })?;
            }
            for (part, var) in parts.zip(bound) {
                if let Some(row) = row_of(frame, var, index)? {
                    machine.put(frame, &row, part)?;
                } else if frame.prim(part).is_some() {
                    let value = frame.scalar(part)?;
                    frame.elided.entry(var).or_default().push(value);
                }
            }
            Ok(())
        })?;
        for (var, sofar) in pat[op.scanned()..].iter().zip(reduced.iter().flatten()) {
            if let Sofar::Scalar(value) = sofar {
                frame.scalars[*var] = Some(*value);
            }
        }
        Ok(())
    }

    /// Executes a function for each element of the inputs, as if at the same time; `then` gets the variable of the position
    /// and the position.
    pub(super) fn each(
        &mut self,
        frame: &mut Frame<'a>,
        pat: &[Var],
        inputs: &[Var],
        map: &'a Lambda,
        width: i64,
        mut then: impl FnMut(&mut Self, &mut Frame<'a>, Var, i64) -> Res<()>,
    ) -> Res<()> {
        let index = frame.table.index(pat, map);
        self.store.enter();
        for i in 0..width {
            self.store.step()?;
            self.store.iteration(i);
            frame.scalars[index] = Some(Scalar::I64(i));
            self.scope(frame, |machine, frame| {
                for (param, input) in map.params.iter().zip(inputs) {
                    machine.element_param(frame, *param, *input, index, i)?;
                }
                machine.body(frame, &map.body)?;
                then(machine, frame, index, i)
            })?;
        }
        self.store.leave();
        Ok(())
    }

    fn element_param(
        &mut self,
        frame: &mut Frame<'a>,
        param: Var,
        input: Var,
        index: Var,
        i: i64,
    ) -> Res<()> {
        if let Some(value) = frame.computed(input, i) {
            frame.scalars[param] = Some(value?);
        } else if let Some(values) = frame.elided.get(&input) {
            frame.scalars[param] = usize::try_from(i).ok().and_then(|i| values.get(i)).copied();
        } else if let (Type::Scalar(_), Some(row)) =
            (&frame.vars[param].ty, row_of(frame, input, index)?)
        {
            let at = frame.poly(&row.lmad.offset)?;
            frame.scalars[param] = Some(self.store.read(frame.mem(row.block)?, at)?);
        }
        Ok(())
    }

    /// The neutral element as what there is so far.
    fn start(&mut self, frame: &Frame<'a>, op: &Lambda, neutral: &[Atom]) -> Res<Vec<Sofar<'a>>> {
        let mut parts = Vec::with_capacity(neutral.len());
        for (param, neutral) in op.params.iter().zip(neutral) {
            parts.push(if let Some(place) = frame.place(*param) {
                self.put(frame, place, *neutral)?;
                Sofar::Array(place)
            } else if frame.prim((*param).into()).is_some() {
                Sofar::Scalar(frame.scalar(*neutral)?)
            } else {
                Sofar::Nothing
            });
        }
        Ok(parts)
    }

    /// One application of an operator to what there is so far and an element; `params` are those of the two.
    pub(super) fn combine(
        &mut self,
        frame: &mut Frame<'a>,
        op: &'a Lambda,
        params: &[Var],
        sofar: &mut [Sofar<'a>],
        elements: &[Atom],
    ) -> Res<()> {
        let (first, second) = params.split_at(sofar.len());
        let mut values = Vec::with_capacity(elements.len());
        for (param, element) in second.iter().zip(elements) {
            if frame.prim((*param).into()).is_some() {
                values.push((*param, frame.scalar(*element)?));
            }
        }
        for (param, part) in first.iter().zip(sofar.iter()) {
            if let Sofar::Scalar(value) = part {
                frame.scalars[*param] = Some(*value);
            }
        }
        for (param, value) in values {
            frame.scalars[param] = Some(value);
        }
        self.body(frame, &op.body)?;
        for (part, result) in sofar.iter_mut().zip(&op.body.results) {
            match part {
                Sofar::Scalar(value) => *value = frame.scalar(*result)?,
                Sofar::Array(place) => self.put(frame, place, *result)?,
                Sofar::Nothing => {}
            }
        }
        Ok(())
    }

    fn store_sofar(
        &mut self,
        frame: &mut Frame<'a>,
        var: Var,
        index: Var,
        part: Sofar<'a>,
    ) -> Res<()> {
        let Some(row) = row_of(frame, var, index)? else {
            if let Sofar::Scalar(value) = part {
                frame.elided.entry(var).or_default().push(value);
            }
            return Ok(());
        };
        match part {
            Sofar::Scalar(value) => {
                let at = frame.poly(&row.lmad.offset)?;
                self.store.write(frame.mem(row.block)?, at, value)
            }
            Sofar::Array(from) => self.copy(frame, &row, from),
            Sofar::Nothing => Ok(()),
        }
    }

    /// Does something that happens in order even if what is around it does not.
    pub(super) fn quietly(&mut self, work: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        let mode = self.store.set_mode(Mode::Quiet);
        let result = work(self);
        self.store.restore_mode(mode);
        result
    }
}

/// The element or row of an array at the position of an operator.
fn row_of(frame: &Frame<'_>, array: Var, index: Var) -> Res<Option<Place>> {
    let Some(place) = frame.place(array) else { return Ok(None) };
    Ok(Some(Place { block: place.block, lmad: view(place.lmad.fix(&[Poly::var(index)]))? }))
}
