//! Histograms, scatters, partitions and accumulators: writes at computed positions.

use super::array::view;
use super::frame::Frame;
use super::operators::Sofar;
use super::store::{Mem, Mode};
use super::{Machine, Res, wrong};
use fehu_facts::poly::Poly;
use fehu_ir::{AccInput, Atom, Hist, Lambda, Partition, Scalar, Scatter, Type, Var};
use fehu_mem::table::{Place, poly};

impl<'a> Machine<'a> {
    pub(super) fn hist(&mut self, frame: &mut Frame<'a>, pat: &[Var], op: &'a Hist) -> Res<()> {
        let indexed: usize = op.ops.iter().map(|op| op.shape.len()).sum();
        let width = frame.size(op.width)?;
        self.each(frame, pat, &op.inputs, &op.map, width, |machine, frame, _, _| {
            let (indices, values) = op.map.body.results.split_at(indexed);
            let (mut indices, mut values) = (indices.iter().copied(), values.iter().copied());
            for op in &op.ops {
                let indices: Vec<Atom> = indices.by_ref().take(op.shape.len()).collect();
                let values: Vec<Atom> = values.by_ref().take(op.dests.len()).collect();
                let dests =
                    Dests { arrays: &op.dests, shape: &op.shape, op: Some(&op.op), given: 0 };
                machine.contribute(frame, &dests, &indices, &values)?;
            }
            Ok(())
        })
    }

    pub(super) fn scatter(
        &mut self,
        frame: &mut Frame<'a>,
        pat: &[Var],
        op: &'a Scatter,
    ) -> Res<()> {
        let indexed: usize = op.dests.iter().map(|(shape, _)| shape.len()).sum();
        let width = frame.size(op.width)?;
        self.each(frame, pat, &op.inputs, &op.map, width, |machine, frame, _, _| {
            let (indices, values) = op.map.body.results.split_at(indexed);
            let mut indices = indices.iter().copied();
            for ((shape, dest), value) in op.dests.iter().zip(values) {
                let at: Vec<Atom> = indices.by_ref().take(shape.len()).collect();
                let arrays = std::slice::from_ref(dest);
                let dests = Dests { arrays, shape, op: None, given: 0 };
                machine.contribute(frame, &dests, &at, &[*value])?;
            }
            Ok(())
        })
    }

    pub(super) fn with_acc(
        &mut self,
        frame: &mut Frame<'a>,
        pat: &[Var],
        inputs: &'a [AccInput],
        lambda: &'a Lambda,
    ) -> Res<()> {
        for (cert, input) in lambda.params.iter().zip(inputs) {
            frame.accs.insert(*cert, input);
        }
        self.body(frame, &lambda.body)?;
        let arrays: usize = inputs.iter().map(|input| input.arrays.len()).sum();
        for (var, result) in pat[arrays..].iter().zip(&lambda.body.results[inputs.len()..]) {
            if frame.prim(*result).is_some() {
                frame.scalars[*var] = Some(frame.scalar(*result)?);
            }
        }
        Ok(())
    }

    pub(super) fn update_acc(
        &mut self,
        frame: &mut Frame<'a>,
        acc: Var,
        indices: &[Atom],
        values: &[Atom],
    ) -> Res<()> {
        let Type::Acc(cert) = frame.vars[acc].ty else {
            return Err(wrong("a contribution to no accumulator"));
        };
        let input = frame.accs.get(&cert).copied();
        let input = input.ok_or_else(|| wrong("a contribution to an unknown accumulator"))?;
        let (shape, op) = (&input.shape, input.op.as_ref().map(|(op, _)| op));
        let given = if op.is_some() { shape.len() } else { 0 };
        self.contribute(frame, &Dests { arrays: &input.arrays, shape, op, given }, indices, values)
    }

    /// Combines values with what is at a position of arrays, or overwrites it; nothing is done out of bounds.
    fn contribute(
        &mut self,
        frame: &mut Frame<'a>,
        dests: &Dests<'a>,
        indices: &[Atom],
        values: &[Atom],
    ) -> Res<()> {
        for (index, size) in indices.iter().zip(dests.shape) {
            if !(0..frame.size(*size)?).contains(&frame.size(*index)?) {
                return Ok(());
            }
        }
        let mode = self.store.set_mode(Mode::Contribution);
        let result = self.scope(frame, |machine, frame| match dests.op {
            None => {
                for (array, value) in dests.arrays.iter().zip(values) {
                    if let Some(row) = row(frame, *array, indices)? {
                        machine.put(frame, &row, *value)?;
                    }
                }
                Ok(())
            }
            Some(op) => {
                for (param, index) in op.params[..dests.given].iter().zip(indices) {
                    frame.scalars[*param] = Some(frame.scalar(*index)?);
                }
                machine.combine_rows(frame, dests, op, indices, values)
            }
        });
        self.store.restore_mode(mode);
        result
    }

    fn combine_rows(
        &mut self,
        frame: &mut Frame<'a>,
        dests: &Dests<'a>,
        op: &'a Lambda,
        indices: &[Atom],
        values: &[Atom],
    ) -> Res<()> {
        let params = &op.params[dests.given..];
        let mut sofar: Vec<Sofar<'a>> = Vec::with_capacity(dests.arrays.len());
        let mut stores: Vec<Option<(Mem, i64)>> = Vec::with_capacity(dests.arrays.len());
        for (param, array) in params.iter().zip(dests.arrays) {
            let mut store = None;
            sofar.push(match (row(frame, *array, indices)?, frame.place(*param)) {
                (Some(row), Some(place)) => {
                    let (mem, at) = (frame.mem(row.block)?, frame.poly(&row.lmad.offset)?);
                    frame.blocks.insert(place.block, Mem { block: mem.block, base: mem.base + at });
                    Sofar::Array(place)
                }
                (Some(row), None) => {
                    let (mem, at) = (frame.mem(row.block)?, frame.poly(&row.lmad.offset)?);
                    store = Some((mem, at));
                    Sofar::Scalar(self.store.read(mem, at)?)
                }
                (None, _) => Sofar::Nothing,
            });
            stores.push(store);
        }
        for (param, value) in params[dests.arrays.len()..].iter().zip(values) {
            if let (Some(to), Some(from)) = (frame.place(*param), frame.place_of(*value))
                && to.block != from.block
                && !frame.addresses(&from.lmad)?.is_empty()
            {
                let (mem, at) = (frame.mem(from.block)?, frame.poly(&from.lmad.offset)?);
                frame.blocks.insert(to.block, Mem { block: mem.block, base: mem.base + at });
            }
        }
        self.combine(frame, op, params, &mut sofar, values)?;
        for (part, store) in sofar.iter().zip(stores) {
            if let (Sofar::Scalar(value), Some((mem, at))) = (part, store) {
                self.store.write(mem, at, *value)?;
            }
        }
        Ok(())
    }

    /// The elements are kept somewhere else until the classes of all of them are known; what is left over is zero, as in
    /// the interpreter.
    pub(super) fn partition(
        &mut self,
        frame: &mut Frame<'a>,
        pat: &[Var],
        op: &'a Partition,
    ) -> Res<()> {
        let (counts, arrays) = pat.split_at(op.classes);
        let mut classes: Vec<Vec<usize>> = vec![Vec::new(); op.classes];
        let mut elements: Vec<Vec<Vec<Scalar>>> = vec![Vec::new(); arrays.len()];
        let width = frame.size(op.width)?;
        self.each(frame, pat, &op.inputs, &op.map, width, |machine, frame, _, i| {
            let results = &op.map.body.results;
            let class = usize::try_from(frame.size(results[0])?).ok();
            if let (Some(class), Ok(i)) =
                (class.and_then(|k| classes.get_mut(k)), usize::try_from(i))
            {
                class.push(i);
            }
            for (all, value) in elements.iter_mut().zip(&results[1..]) {
                all.push(machine.contents(frame, *value)?);
            }
            Ok(())
        })?;
        for (var, class) in counts.iter().zip(&classes) {
            frame.scalars[*var] = Some(Scalar::I64(i64::try_from(class.len()).unwrap_or(i64::MAX)));
        }
        for (var, elements) in arrays.iter().zip(elements) {
            let Some(place) = frame.place(*var) else { continue };
            let zero = Scalar::zero(frame.table.blocks[place.block].elem);
            let order = classes.iter().flatten().flat_map(|i| elements[*i].iter().copied());
            let all = order.chain(std::iter::repeat(zero));
            for (at, value) in frame.addresses(&place.lmad)?.into_iter().zip(all) {
                self.store.write(frame.mem(place.block)?, at, value)?;
            }
        }
        Ok(())
    }

    /// The elements of an operand.
    fn contents(&mut self, frame: &Frame<'a>, value: Atom) -> Res<Vec<Scalar>> {
        let Some(place) = frame.place_of(value) else {
            return Ok(match frame.prim(value) {
                Some(_) => vec![frame.scalar(value)?],
                None => Vec::new(),
            });
        };
        let addresses = frame.addresses(&place.lmad)?;
        let mut all = Vec::with_capacity(addresses.len());
        for at in addresses {
            all.push(self.store.read(frame.mem(place.block)?, at)?);
        }
        Ok(all)
    }
}

/// Arrays that many places contribute to.
struct Dests<'a> {
    arrays: &'a [Var],
    /// The sizes of the dimensions that are indexed.
    shape: &'a [Atom],
    op: Option<&'a Lambda>,
    /// How many of the operator's parameters are indices.
    given: usize,
}

/// The row of an array at a position.
fn row(frame: &Frame<'_>, array: Var, indices: &[Atom]) -> Res<Option<Place>> {
    let Some(place) = frame.place(array) else { return Ok(None) };
    let indices: Vec<Poly> = indices.iter().map(|index| poly(*index)).collect();
    Ok(Some(Place { block: place.block, lmad: view(place.lmad.fix(&indices))? }))
}
