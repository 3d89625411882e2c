//! Segs: their positions are independent of each other, and the operator writes its arrays where they belong.

use super::array::view;
use super::frame::Frame;
use super::{Fault, Machine, Res, wrong};
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Scalar, Seg, Type, Var};
use fehu_mem::table::Place;

impl<'a> Machine<'a> {
    /// Executes the function of a Seg at each position, as if at the same time.
    pub(super) fn seg(&mut self, frame: &mut Frame<'a>, pat: &[Var], seg: &'a Seg) -> Res<()> {
        let mut space = Vec::with_capacity(seg.space.len());
        for size in &seg.space {
            space.push(frame.size(*size)?.max(0));
        }
        let count = space.iter().try_fold(1i64, |count, size| count.checked_mul(*size));
        self.store.enter();
        for position in 0..count.ok_or(Fault::Limit)? {
            self.store.step()?;
            self.store.iteration(position);
            let mut rest = position;
            for (index, size) in seg.indices().iter().zip(&space).rev() {
                frame.scalars[*index] = Some(Scalar::I64(rest % size));
                rest /= size;
            }
            self.scope(frame, |machine, frame| {
                for (param, input) in seg.elements().iter().zip(&seg.inputs) {
                    machine.seg_element(frame, seg, *param, *input)?;
                }
                machine.body(frame, &seg.body.body)?;
                for (var, result) in pat.iter().zip(&seg.body.body.results) {
                    machine.seg_result(frame, seg, *var, *result)?;
                }
                Ok(())
            })?;
        }
        self.store.leave();
        Ok(())
    }

    /// Reads the scalar at the present position of an input. Arrays are views in the table.
    fn seg_element(&mut self, frame: &mut Frame<'a>, seg: &Seg, param: Var, input: Var) -> Res<()> {
        let Type::Scalar(_) = frame.vars[param].ty else { return Ok(()) };
        if let [index] = seg.indices()
            && let Some(value) = frame.computed(input, frame.size(Atom::Var(*index))?)
        {
            frame.scalars[param] = Some(value?);
        } else if let Some(row) = row_of(frame, seg, input)? {
            let at = frame.poly(&row.lmad.offset)?;
            frame.scalars[param] = Some(self.store.read(frame.mem(row.block)?, at)?);
        }
        Ok(())
    }

    /// Stores a scalar result of the operator at the present position; an array has to be there already.
    fn seg_result(&mut self, frame: &mut Frame<'a>, seg: &Seg, var: Var, result: Atom) -> Res<()> {
        let Some(row) = row_of(frame, seg, var)? else {
            if seg.space.is_empty() && frame.prim(result).is_some() {
                frame.scalars[var] = Some(frame.scalar(result)?);
            }
            return Ok(());
        };
        if frame.prim(result).is_some() {
            return self.put(frame, &row, result);
        }
        let Some(from) = frame.place_of(result) else {
            return Err(wrong("a result of a seg's operator is nowhere"));
        };
        if same_elements(frame, &row, from)? {
            Ok(())
        } else {
            let hint = &frame.vars[var].hint;
            Err(wrong(format!("the operator of a seg does not write \"{hint}\" where it belongs")))
        }
    }
}

/// What is at the present position of an array.
fn row_of(frame: &Frame<'_>, seg: &Seg, array: Var) -> Res<Option<Place>> {
    let Some(place) = frame.place(array) else { return Ok(None) };
    let indices: Vec<Poly> = seg.indices().iter().map(|index| Poly::var(*index)).collect();
    Ok(Some(Place { block: place.block, lmad: view(place.lmad.fix(&indices))? }))
}

/// Whether two places have the same elements in the same order.
fn same_elements(frame: &Frame<'_>, a: &Place, b: &Place) -> Res<bool> {
    let (ours, theirs) = (frame.addresses(&a.lmad)?, frame.addresses(&b.lmad)?);
    if ours.is_empty() || theirs.is_empty() {
        return Ok(ours.len() == theirs.len());
    }
    let (a, b) = (frame.mem(a.block)?, frame.mem(b.block)?);
    let shift = a.base - b.base;
    Ok(a.block == b.block && ours.iter().map(|at| at + shift).eq(theirs))
}
