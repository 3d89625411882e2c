//! Segs: their positions are independent of each other, and the operator writes its arrays where they belong.

use super::array::view;
use super::frame::Frame;
use super::{Fault, Machine, Res, wrong};
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Scalar, Seg, Type, Var};
use fehu_mem::lmad::Pick;
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
        let count = count.ok_or(Fault::Limit)?;
        let ends = self.ends(frame, seg, count)?;
        for position in 0..count {
            self.store.step()?;
            self.store.iteration(position);
            if let (Some([start, width]), Some(end)) = (seg.row(), ends.get(position as usize)) {
                let from = if position == 0 { 0 } else { ends[position as usize - 1] };
                frame.scalars[start] = Some(Scalar::I64(from));
                frame.scalars[width] = Some(Scalar::I64(end - from));
            }
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

    /// Where the rows end, if they differ.
    fn ends(&mut self, frame: &Frame<'a>, seg: &Seg, count: i64) -> Res<Vec<i64>> {
        let Some(rows) = seg.rows else { return Ok(Vec::new()) };
        let (mut ends, mut last) = (Vec::new(), 0);
        let total = frame.size(rows.total)?;
        for position in 0..count {
            let end = match (frame.computed(rows.ends, position), frame.place(rows.ends)) {
                (Some(value), _) => value?,
                (None, Some(place)) => {
                    let end = view(place.lmad.fix(&[Poly::constant(position.into())]))?;
                    self.store.read(frame.mem(place.block)?, frame.poly(&end.offset)?)?
                }
                (None, None) => return Err(wrong("the ends of a seg's rows are nowhere")),
            };
            let Scalar::I64(end) = end else { return Err(wrong("the end of a row is no number")) };
            if !(last..=total).contains(&end) {
                return Err(wrong("the rows of a seg are not where it says"));
            }
            ends.push(end);
            last = end;
        }
        if last == total { Ok(ends) } else { Err(wrong("the rows of a seg are not all there are")) }
    }

    /// Reads the scalar at the present position of an input. Arrays are views in the table.
    fn seg_element(&mut self, frame: &mut Frame<'a>, seg: &Seg, param: Var, input: Var) -> Res<()> {
        let Type::Scalar(_) = frame.vars[param].ty else { return Ok(()) };
        if let [index] = seg.indices()
            && let Some(value) = frame.computed(input, frame.size(Atom::Var(*index))?)
        {
            frame.scalars[param] = Some(value?);
        } else if let Some(row) = row_of(frame, seg, input, &frame.vars[param].ty)? {
            let at = frame.poly(&row.lmad.offset)?;
            frame.scalars[param] = Some(self.store.read(frame.mem(row.block)?, at)?);
        }
        Ok(())
    }

    /// Stores a scalar result of the operator at the present position; an array has to be there already.
    fn seg_result(&mut self, frame: &mut Frame<'a>, seg: &Seg, var: Var, result: Atom) -> Res<()> {
        let ty = fehu_ir::builder::atom_type(result, frame.vars);
        let Some(row) = row_of(frame, seg, var, &ty)? else {
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

/// What is at the present position of an array, by the type of that.
fn row_of(frame: &Frame<'_>, seg: &Seg, array: Var, ty: &Type) -> Res<Option<Place>> {
    let Some(place) = frame.place(array) else { return Ok(None) };
    let lmad = if let (true, Some([start, width])) = (seg.is_concatenated(ty), seg.row()) {
        place.lmad.slice(&[Pick::range(Poly::var(start), Poly::var(width))])
    } else {
        let indices: Vec<Poly> = seg.indices().iter().map(|index| Poly::var(*index)).collect();
        place.lmad.fix(&indices)
    };
    Ok(Some(Place { block: place.block, lmad: view(lmad)? }))
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
