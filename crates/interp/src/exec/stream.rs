//! Computations on chunks, cut as the options say.

use super::map::{Output, inputs};
use super::{Frame, Machine, bind_all, size, take};
use crate::code::{Ret, Slot, Stream, StreamForm};
use crate::error::{Error, Res};
use crate::options::Chunking;
use crate::value::Value;
use fehu_ir::Scalar;

impl<'p> Machine<'p> {
    #[inline(never)]
    pub(super) fn stream(
        &mut self,
        stream: &'p Stream,
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        if let StreamForm::Pass(pieces) = &stream.form {
            return self.pass(stream, pieces, pat, frame);
        }
        let width = size(frame, &stream.width)?;
        if width < 0 {
            return Err(Error::program(format!("array size {width} is negative")));
        }
        let inputs = inputs(&stream.inputs, width, frame)?;
        let (chunk, accs) = (&stream.chunk, stream.init.len());
        let results = &chunk.code.results;
        if chunk.params.len() != 1 + accs + inputs.len()
            || results.len() != chunk.ret.len()
            || results.len() < accs
        {
            return Err(Error::internal("a stream's function does not fit it"));
        }
        let init: Vec<Value> = stream.init.iter().map(|arg| take(frame, arg)).collect();
        let mut outputs = Vec::new();
        for ret in &chunk.ret[accs..] {
            // The outermost size is the chunk's; the sum of them is the width.
            let row = match ret {
                Ret::Data(elem, shape) => Ret::Data(*elem, shape.get(1..).unwrap_or(&[]).to_vec()),
                Ret::Acc => Ret::Acc,
            };
            outputs.extend(self.outputs(&[width], &[row], std::iter::empty(), frame)?);
        }
        // A sequence of chunks hands its state on; otherwise there is none before the first.
        let (init, mut state) = match &stream.form {
            StreamForm::Seq => (Vec::new(), Some(init)),
            StreamForm::Map | StreamForm::Red(_) | StreamForm::Pass(_) => (init, None),
        };
        let mut start = 0;
        while start < width {
            let len = self.chunk_size(width - start);
            let first = match (&stream.form, &mut state) {
                (StreamForm::Seq, Some(state)) => std::mem::take(state),
                (
                    StreamForm::Seq | StreamForm::Map | StreamForm::Red(_) | StreamForm::Pass(_),
                    _,
                ) => init.clone(),
            };
            frame[chunk.params[0] as usize] = Value::Scalar(Scalar::I64(len));
            for (&param, value) in chunk.params[1..].iter().zip(first) {
                frame[param as usize] = value;
            }
            for (&param, input) in chunk.params[1 + accs..].iter().zip(&inputs) {
                frame[param as usize] = input.part(start, len);
            }
            self.apply(chunk, frame)?;
            match (&stream.form, &mut state) {
                (StreamForm::Red(op), Some(state)) => {
                    self.fold(op, state, &results[..accs], frame)?;
                }
                (
                    StreamForm::Seq | StreamForm::Map | StreamForm::Red(_) | StreamForm::Pass(_),
                    state,
                ) => {
                    let values = results[..accs].iter().map(|arg| take(frame, arg));
                    *state = Some(values.collect());
                }
            }
            for (output, arg) in outputs.iter_mut().zip(&results[accs..]) {
                let value = take(frame, arg);
                append_chunk(output, &value, len)?;
            }
            start += len;
        }
        let finished = outputs.into_iter().map(|output| output.finish(&[width]));
        bind_all(frame, pat, state.unwrap_or(init).into_iter().chain(finished))
    }

    /// The size of the next chunk, if so much is left.
    pub(super) fn chunk_size(&mut self, left: i64) -> i64 {
        match self.options.chunking {
            Chunking::Whole => left,
            Chunking::Size(size) => size.clamp(1, left),
            Chunking::Random(_) => {
                // A linear congruential generator; the upper bits are the better ones.
                self.random = self
                    .random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let most = left.min(1 << 10);
                1 + ((self.random >> 33) as i64) % most
            }
        }
    }
}

/// Takes in a chunk of a result.
pub(super) fn append_chunk(output: &mut Output, value: &Value, len: i64) -> Res<()> {
    match (output, value) {
        (Output::Data { buffer, row }, Value::Array(_)) => {
            let mut shape = crate::array::Shape::from_slice(&[len]);
            shape.extend_from_slice(row);
            value.append_to(buffer, &shape)
        }
        (Output::Acc(_), _) => Ok(()),
        (Output::Data { .. }, other) => Err(super::unexpected("an array", other)),
    }
}
