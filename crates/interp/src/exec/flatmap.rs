//! Pieces of different sizes, one after the other.

use super::map::{Output, inputs};
use super::{Frame, Machine, bind_all, size, sizes, take};
use crate::array::Shape;
use crate::code::{Flatmap, Ret, Slot};
use crate::error::{Error, Res};
use crate::value::Value;
use fehu_ir::Scalar;

impl<'p> Machine<'p> {
    #[inline(never)]
    pub(super) fn flatmap(
        &mut self,
        flatmap: &'p Flatmap,
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        let wrong = || Error::internal("the function of a flatmap does not fit it");
        let width = size(frame, &flatmap.width)?;
        let inputs = inputs(&flatmap.inputs, width, frame)?;
        let map = &flatmap.map;
        let results = &map.code.results;
        let (Some((plain, arrays)), Some((types, elements))) =
            (results.split_at_checked(flatmap.plain), map.ret.split_at_checked(flatmap.plain))
        else {
            return Err(wrong());
        };
        let mut outputs = self.outputs(&[width], types, std::iter::empty(), frame)?;
        let (mut total, mut pieces) = (0_i64, Vec::new());
        for i in 0..width {
            self.apply_at(map, &inputs, i, frame)?;
            let count = size(frame, plain.first().ok_or_else(wrong)?)?;
            total = total.checked_add(count).ok_or_else(wrong)?;
            self.push_all(&mut outputs, plain, frame)?;
            let piece: Vec<Value> = arrays.iter().map(|array| take(frame, array)).collect();
            pieces.push((count, piece));
        }
        let mut flat = Vec::with_capacity(elements.len());
        for ret in elements {
            let Ret::Data(elem, row) = ret else { return Err(wrong()) };
            let row = sizes(frame, row)?;
            let whole = [&[total], row.as_slice()].concat();
            flat.push(Output::Data { buffer: self.allocate(*elem, &whole)?, row });
        }
        for (count, piece) in &pieces {
            for (output, value) in flat.iter_mut().zip(piece) {
                let Output::Data { row, .. } = &*output else { return Err(wrong()) };
                let shape: Shape = std::iter::once(*count).chain(row.iter().copied()).collect();
                output.push_rows(value, &shape)?;
            }
        }
        let total_value = Value::Scalar(Scalar::I64(total));
        let plain = outputs.into_iter().map(|output| output.finish(&[width]));
        let flat = flat.into_iter().map(|output| output.finish(&[total]));
        bind_all(frame, pat, std::iter::once(total_value).chain(plain).chain(flat))
    }
}
