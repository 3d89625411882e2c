//! Map, scan and reduce: the inputs and outputs of array operators, and [`Screma`].

use super::arrays::bad_write;
use super::{Frame, Machine, array, bind_all, quick, size, sizes, take};
use crate::array::{Array, Shape};
use crate::buffer::Buffer;
use crate::code::{Arg, Fold, Lambda, Ret, Screma, Slot};
use crate::error::{Error, Res};
use crate::value::Value;
use fehu_ir::{BinOp, Scalar};
use smallvec::SmallVec;

/// An input of an array operator.
pub(super) enum Input {
    /// Rank one: the elements are scalars, from an offset and a stride apart.
    Vector(Array, i64, i64),
    /// The elements are rows.
    Rows(Array),
    /// Every position gets the accumulator itself.
    Acc(usize),
}

/// A result of an array operator, element by element.
pub(super) enum Output {
    Data {
        buffer: Buffer,
        row: Shape,
    },
    /// The accumulator, which has been written to.
    Acc(Value),
}

/// The parts of a value that an operator combines.
type Parts = SmallVec<[Value; 4]>;

/// A scan or reduction under way.
struct Running<'p> {
    fold: &'p Fold,
    parts: Parts,
    /// If the operator is a single operation on scalars: that, and the state instead of `parts`.
    quick: Option<(BinOp, Scalar)>,
}

/// More rows than anybody waits for, if they have no elements: an array can have any number of these.
const MANY_ROWS: i64 = 1 << 24;

impl Input {
    /// Whether its elements are rows without elements.
    fn has_empty_rows(&self) -> bool {
        match self {
            Input::Rows(array) => array.axes()[1..].iter().any(|axis| axis.size == 0),
            Input::Vector(..) | Input::Acc(_) => false,
        }
    }

    /// Puts the element at a position, which is in bounds, into a variable.
    #[inline]
    fn load(&self, i: i64, target: &mut Value) -> Res<()> {
        match self {
            Input::Vector(array, offset, stride) => {
                if !quick::load(target, array, offset + i * stride) {
                    return Err(Error::internal("a view is wrong"));
                }
            }
            Input::Rows(array) => *target = Value::from(array.row(i)),
            Input::Acc(acc) => *target = Value::Acc(*acc),
        }
        Ok(())
    }

    /// Part of the input.
    pub(super) fn part(&self, start: i64, len: i64) -> Value {
        match self {
            Input::Vector(array, ..) | Input::Rows(array) => Value::from(array.part(start, len)),
            Input::Acc(acc) => Value::Acc(*acc),
        }
    }
}

/// The inputs of an operator of this width.
pub(super) fn inputs(slots: &[Slot], width: i64, frame: &Frame) -> Res<Vec<Input>> {
    let input = |&slot: &Slot| {
        if let Value::Acc(acc) = &frame[slot as usize] {
            return Ok(Input::Acc(*acc));
        }
        let array = array(frame, slot)?;
        if array.outer_size() != width {
            return Err(Error::internal("an input does not have the operator's width"));
        }
        Ok(match array.axes()[..] {
            [axis] => Input::Vector(array.clone(), array.offset(), axis.stride),
            _ => Input::Rows(array.clone()),
        })
    };
    slots.iter().map(input).collect()
}

/// The accumulators among inputs. The results that are accumulators are these, in order.
fn accs(inputs: &[Input]) -> impl Iterator<Item = usize> {
    inputs.iter().filter_map(|input| match input {
        Input::Acc(acc) => Some(*acc),
        Input::Vector(..) | Input::Rows(_) => None,
    })
}

impl Output {
    /// Whether its elements are rows without elements.
    fn has_empty_rows(&self) -> bool {
        match self {
            Output::Data { row, .. } => row.contains(&0),
            Output::Acc(_) => false,
        }
    }

    /// Takes in the next element.
    #[inline]
    pub(super) fn push(&mut self, value: &Value) -> Res<()> {
        match (self, value) {
            (output, Value::Scalar(scalar)) => output.push_scalar(scalar),
            (Output::Data { buffer, row }, value) => value.append_to(buffer, row),
            (Output::Acc(_), _) => Ok(()),
        }
    }

    /// Takes in several elements: an array of them, of this shape.
    pub(super) fn push_rows(&mut self, value: &Value, shape: &[i64]) -> Res<()> {
        match self {
            Output::Data { buffer, .. } => value.append_to(buffer, shape),
            Output::Acc(_) => Ok(()),
        }
    }

    /// Takes in the next element, which is a scalar.
    #[inline]
    fn push_scalar(&mut self, scalar: &Scalar) -> Res<()> {
        let appended = match self {
            Output::Data { buffer, row } => row.is_empty() && quick::append(buffer, scalar),
            Output::Acc(_) => true,
        };
        if appended { Ok(()) } else { Err(bad_write()) }
    }

    /// The array of the elements, with these outer dimensions.
    pub(super) fn finish(self, space: &[i64]) -> Value {
        match self {
            Output::Data { buffer, row } => {
                let mut shape = Shape::from_slice(space);
                shape.extend(row);
                Value::from(Array::row_major(&shape, buffer))
            }
            Output::Acc(acc) => acc,
        }
    }
}

impl<'p> Machine<'p> {
    /// Runs a function whose parameters are in the frame.
    #[inline]
    pub(super) fn apply(&mut self, lambda: &'p Lambda, frame: &mut Frame) -> Res<()> {
        if lambda.code.instrs.is_empty() { self.tick() } else { self.run(&lambda.code, frame) }
    }

    /// Puts the elements at a position into the parameters of a function and runs it.
    #[inline]
    pub(super) fn apply_at(
        &mut self,
        lambda: &'p Lambda,
        inputs: &[Input],
        i: i64,
        frame: &mut Frame,
    ) -> Res<()> {
        for (&param, input) in lambda.params.iter().zip(inputs) {
            input.load(i, &mut frame[param as usize])?;
        }
        self.apply(lambda, frame)
    }

    /// Empty outputs for results of these types at all positions of a space.
    pub(super) fn outputs(
        &mut self,
        space: &[i64],
        rets: &[Ret],
        mut accs: impl Iterator<Item = usize>,
        frame: &Frame,
    ) -> Res<Vec<Output>> {
        let mut outputs = Vec::with_capacity(rets.len());
        for ret in rets {
            outputs.push(match ret {
                Ret::Data(elem, row) => {
                    let mut row = sizes(frame, row)?;
                    // Either nobody computes a row, so that nothing says that it has a size, or a check
                    // in what computes it fails, and says more than could be said here.
                    row.iter_mut().for_each(|size| *size = (*size).max(0));
                    let mut shape = Shape::from_slice(space);
                    shape.extend_from_slice(&row);
                    Output::Data { buffer: self.allocate(*elem, &shape)?, row }
                }
                Ret::Acc => match accs.next() {
                    Some(acc) => Output::Acc(Value::Acc(acc)),
                    None => return Err(Error::internal("an accumulator has no origin")),
                },
            });
        }
        Ok(outputs)
    }

    #[inline(never)]
    pub(super) fn screma(
        &mut self,
        screma: &'p Screma,
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        let width = size(frame, &screma.width)?;
        let inputs = inputs(&screma.inputs, width, frame)?;
        let map = &screma.map;
        if map.params.len() != inputs.len() || map.code.results.len() != map.ret.len() {
            return Err(Error::internal("an operator's function does not fit it"));
        }
        let mut scans = running(&screma.scans, frame);
        let mut reds = running(&screma.reds, frame);
        let scanned: usize = screma.scans.iter().map(|scan| scan.neutral.len()).sum();
        let reduced: usize = screma.reds.iter().map(|red| red.neutral.len()).sum();
        if scanned + reduced > map.ret.len() {
            return Err(Error::internal("an operator's function has too few results"));
        }
        let mut scan_outputs =
            self.outputs(&[width], &map.ret[..scanned], std::iter::empty(), frame)?;
        let mut outputs =
            self.outputs(&[width], &map.ret[scanned + reduced..], accs(&inputs), frame)?;
        let (for_scans, rest) = map.code.results.split_at(scanned);
        let (for_reds, for_map) = rest.split_at(reduced);
        // Rows without elements are all alike, so each iteration does what the first one does.
        let folds = scans.iter().chain(&reds);
        let alike = width > MANY_ROWS
            && inputs.iter().all(Input::has_empty_rows)
            && outputs.iter().chain(&scan_outputs).all(Output::has_empty_rows)
            && folds.flat_map(|fold| &fold.parts).all(Value::is_empty_array);
        let iterations = if alike { 1 } else { width };
        for i in 0..iterations {
            self.apply_at(map, &inputs, i, frame)?;
            let (mut args, mut targets) = (for_scans, &mut scan_outputs[..]);
            for scan in &mut scans {
                let (own, later) = args.split_at(scan.fold.neutral.len());
                let (own_targets, later_targets) = targets.split_at_mut(own.len());
                self.combine(scan, own, frame)?;
                scan.show(own_targets)?;
                (args, targets) = (later, later_targets);
            }
            let mut args = for_reds;
            for red in &mut reds {
                let (own, later) = args.split_at(red.fold.neutral.len());
                self.combine(red, own, frame)?;
                args = later;
            }
            self.push_all(&mut outputs, for_map, frame)?;
        }
        let scanned = scan_outputs.into_iter().map(|output| output.finish(&[width]));
        let reduced = reds.into_iter().flat_map(Running::finish);
        let mapped = outputs.into_iter().map(|output| output.finish(&[width]));
        bind_all(frame, pat, scanned.chain(reduced).chain(mapped))
    }

    /// Gives the results of a function to the outputs.
    #[inline]
    pub(super) fn push_all(
        &mut self,
        outputs: &mut [Output],
        results: &[Arg],
        frame: &mut Frame,
    ) -> Res<()> {
        for (output, arg) in outputs.iter_mut().zip(results) {
            match arg {
                Arg::Const(scalar) => output.push_scalar(scalar)?,
                Arg::Slot(slot) => output.push(&frame[*slot as usize])?,
                // Taken, so that no view of an input stays behind in the frame.
                Arg::Last(slot) => output.push(&std::mem::take(&mut frame[*slot as usize]))?,
            }
        }
        Ok(())
    }

    /// Combines the state of a scan or reduction with the next value.
    #[inline]
    fn combine(&mut self, running: &mut Running<'p>, args: &[Arg], frame: &mut Frame) -> Res<()> {
        if let (Some((op, state)), [arg]) = (&mut running.quick, args) {
            return quick::accumulate(state, *op, frame, arg);
        }
        self.fold(&running.fold.op, &mut running.parts, args, frame)
    }

    /// Replaces parts by what an operator makes of them and of operands.
    pub(super) fn fold(
        &mut self,
        op: &'p Lambda,
        parts: &mut [Value],
        args: &[Arg],
        frame: &mut Frame,
    ) -> Res<()> {
        if op.params.len() != 2 * parts.len() || op.code.results.len() != parts.len() {
            return Err(Error::internal("an operator does not fit its neutral element"));
        }
        let (first, second) = op.params.split_at(parts.len());
        for (&param, arg) in second.iter().zip(args) {
            quick::assign(frame, arg, param);
        }
        for (&param, part) in first.iter().zip(parts.iter_mut()) {
            frame[param as usize] = std::mem::take(part);
        }
        self.apply(op, frame)?;
        for (part, result) in parts.iter_mut().zip(&op.code.results) {
            quick::assign_to(part, frame, result);
        }
        Ok(())
    }
}

/// Scans or reductions that begin with their neutral elements.
fn running<'p>(folds: &'p [Fold], frame: &mut Frame) -> Vec<Running<'p>> {
    let start = |fold: &'p Fold| {
        let parts: Parts = fold.neutral.iter().map(|arg| take(frame, arg)).collect();
        let quick = match (fold.op.bin, &parts[..]) {
            (Some(op), [Value::Scalar(state)]) => Some((op, *state)),
            _ => None,
        };
        Running { fold, parts, quick }
    };
    folds.iter().map(start).collect()
}

impl Running<'_> {
    /// Gives the present state to the outputs of a scan.
    #[inline]
    fn show(&self, outputs: &mut [Output]) -> Res<()> {
        if let Some((_, state)) = &self.quick {
            return outputs.iter_mut().try_for_each(|output| output.push_scalar(state));
        }
        outputs.iter_mut().zip(&self.parts).try_for_each(|(output, part)| output.push(part))
    }

    fn finish(self) -> Parts {
        match self.quick {
            Some((_, state)) => smallvec::smallvec![Value::Scalar(state)],
            None => self.parts,
        }
    }
}
