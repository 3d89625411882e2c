//! Passes over sequences, cut as the options say.

use super::map::{Input, Output, inputs};
use super::stream::append_chunk;
use super::{Frame, Machine, array, bind_all, size, take};
use crate::code::{Ret, Slot, Stream};
use crate::error::{Error, Res};
use crate::value::Value;
use fehu_ir::Scalar;

/// What becomes of a result of the chunks after the accumulators.
enum Sink {
    /// The number of elements of the arrays that follow.
    Count(i64),
    Rows(Output),
}

/// An input whose elements differ in size.
struct Pieces {
    sizes: Input,
    counts: Vec<i64>,
    values: Vec<Input>,
    /// Where the values of the next piece begin.
    from: i64,
}

impl<'p> Machine<'p> {
    pub(super) fn pass(
        &mut self,
        stream: &'p Stream,
        pieces: &'p [(Slot, Vec<Slot>)],
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        let width = size(frame, &stream.width)?;
        if width < 0 {
            return Err(Error::program(format!("array size {width} is negative")));
        }
        for slot in stream.inputs.iter().chain(pieces.iter().map(|(sizes, _)| sizes)) {
            let found = array(frame, *slot)?.outer_size();
            if found != width {
                return Err(Error::program(format!(
                    "Sequences that are read in step have different lengths: {width} and {found} elements."
                )));
            }
        }
        let whole = inputs(&stream.inputs, width, frame)?;
        let mut pieces = pieces
            .iter()
            .map(|(sizes, values)| self.pieces(*sizes, values, width, frame))
            .collect::<Res<Vec<_>>>()?;
        let (chunk, accs) = (&stream.chunk, stream.init.len());
        let results = &chunk.code.results;
        let more: usize = pieces.iter().map(|piece| 2 + piece.values.len()).sum();
        if chunk.params.len() != 2 + accs + whole.len() + more
            || results.len() != chunk.ret.len()
            || results.len() < accs
        {
            return Err(Error::internal("a pass's function does not fit it"));
        }
        let mut state: Vec<Value> = stream.init.iter().map(|arg| take(frame, arg)).collect();
        let mut sinks = Vec::new();
        for ret in &chunk.ret[accs..] {
            match ret {
                Ret::Data(_, shape) if shape.is_empty() => sinks.push(Sink::Count(0)),
                Ret::Data(elem, shape) => {
                    let row = Ret::Data(*elem, shape[1..].to_vec());
                    let made = self.outputs(&[0], &[row], std::iter::empty(), frame)?;
                    sinks.extend(made.into_iter().map(Sink::Rows));
                }
                Ret::Acc => return Err(Error::internal("a pass yields an accumulator")),
            }
        }
        let mut start = 0;
        loop {
            let len = if start < width { self.chunk_size(width - start) } else { 0 };
            let last = start + len == width;
            let mut args = vec![Value::Scalar(Scalar::I64(len)), Value::Scalar(Scalar::Bool(last))];
            args.append(&mut state);
            args.extend(whole.iter().map(|input| input.part(start, len)));
            for piece in &mut pieces {
                piece.chunk(start, len, &mut args);
            }
            for (&param, value) in chunk.params.iter().zip(args) {
                frame[param as usize] = value;
            }
            self.apply(chunk, frame)?;
            state.extend(results[..accs].iter().map(|arg| take(frame, arg)));
            let mut rows = len;
            for (sink, arg) in sinks.iter_mut().zip(&results[accs..]) {
                let value = take(frame, arg);
                match (sink, &value) {
                    (Sink::Count(total), Value::Scalar(Scalar::I64(count))) => {
                        *total += count;
                        rows = *count;
                    }
                    (Sink::Count(_), other) => return Err(super::unexpected("a size", other)),
                    (Sink::Rows(output), value) => append_chunk(output, value, rows)?,
                }
            }
            start += len;
            if last {
                break;
            }
        }
        let mut rows = width;
        let finished = sinks.into_iter().map(|sink| match sink {
            Sink::Count(total) => {
                rows = total;
                Value::Scalar(Scalar::I64(total))
            }
            Sink::Rows(output) => output.finish(&[rows]),
        });
        bind_all(frame, pat, state.into_iter().chain(finished))
    }

    fn pieces(&self, sizes: Slot, values: &[Slot], width: i64, frame: &Frame) -> Res<Pieces> {
        let found = array(frame, sizes)?;
        let counts = (0..width)
            .map(|i| match found.scalar(i) {
                Some(Scalar::I64(count)) => Ok(count),
                _ => Err(Error::internal("the size of a piece is no i64")),
            })
            .collect::<Res<Vec<i64>>>()?;
        let least = counts.iter().copied().min().unwrap_or(0);
        let sum = counts.iter().fold(0_i64, |sum, count| sum.wrapping_add(*count));
        let mut inputs = Vec::with_capacity(values.len());
        for slot in values {
            let total = array(frame, *slot)?.outer_size();
            // If none is larger than the array, then the sum is right.
            if least < 0 || sum > total || counts.iter().any(|count| *count > total) {
                return Err(Error::program(format!(
                    "The pieces of a sequence have {sum} elements together, and the smallest has {least}; the array has {total} \
                     elements."
                )));
            }
            inputs.extend(super::map::inputs(&[*slot], total, frame)?);
        }
        let sizes = super::map::inputs(&[sizes], width, frame)?.remove(0);
        Ok(Pieces { sizes, counts, values: inputs, from: 0 })
    }
}

impl Pieces {
    fn chunk(&mut self, start: i64, len: i64, args: &mut Vec<Value>) {
        let total: i64 = self.counts[start as usize..(start + len) as usize].iter().sum();
        args.push(self.sizes.part(start, len));
        args.push(Value::Scalar(Scalar::I64(total)));
        args.extend(self.values.iter().map(|values| values.part(self.from, total)));
        self.from += total;
    }
}
