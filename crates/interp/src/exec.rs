//! Running code: frames, instructions, scalars. The other constructs are in the files below.

mod acc;
mod arrays;
mod control;
mod flatmap;
mod map;
mod notice;
mod pass;
mod quick;
mod seg;
mod stream;
mod write;

use crate::array::{Array, Copies, Shape, count_of};
use crate::buffer::{Buffer, bytes};
use crate::code::{Arg, Code, Instr, Message, Op, Part, Program, Slot, Unit};
use crate::error::{Error, ErrorKind, Res};
use crate::interp::Stats;
use crate::options::{Chunking, Options, Sink};
use crate::scalar;
use crate::value::Value;
use crate::watch::{Activation, Watch};
use fehu_ir::{BinOp, Elem, MathFn, Scalar};
use smallvec::SmallVec;
use std::sync::atomic::Ordering;

/// The variables of a function that is being run.
type Frame = [Value];

/// How many instructions are executed between looks at limits and interruption.
const CHECK_EVERY: u64 = 1 << 12;

/// The most bytes of stack that are left when recursion is refused.
const MOST_RESERVE: usize = 64 << 20;

/// The state of a run.
pub(crate) struct Machine<'p> {
    program: &'p Program,
    options: &'p Options,
    consts: &'p mut Vec<Option<Vec<Value>>>,
    sink: &'p mut Sink,
    /// Who is told where the program stops, and the calls that it is in, outermost first.
    watch: Option<&'p mut Watch>,
    calls: Vec<Activation>,
    steps: u64,
    next_check: u64,
    copies: Copies,
    /// The accumulators that are open, innermost last.
    accs: Vec<acc::Acc<'p>>,
    /// The state of the generator of random chunk sizes.
    random: u64,
    /// Frames that can be used again.
    pool: Vec<Vec<Value>>,
    /// Where the stack began.
    stack_start: usize,
    /// How many bytes of it calls may use.
    stack_limit: usize,
}

impl<'p> Machine<'p> {
    pub(crate) fn new(
        program: &'p Program,
        options: &'p Options,
        consts: &'p mut Vec<Option<Vec<Value>>>,
        sink: &'p mut Sink,
        watch: Option<&'p mut Watch>,
        stack_bytes: usize,
    ) -> Machine<'p> {
        let random = match options.chunking {
            Chunking::Random(seed) => seed,
            Chunking::Whole | Chunking::Size(_) => 0,
        };
        Machine {
            program,
            options,
            consts,
            sink,
            watch,
            calls: Vec::new(),
            steps: 0,
            next_check: 0,
            copies: Copies::default(),
            accs: Vec::new(),
            random,
            pool: Vec::new(),
            stack_start: stack_position(),
            // The rest is for what does not look at the limit: bodies nested in bodies.
            stack_limit: stack_bytes - (stack_bytes / 4).min(MOST_RESERVE),
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats { steps: self.steps, copies: self.copies }
    }

    /// Runs a unit in a new frame and hands over its results, with their numbers.
    pub(crate) fn call(
        &mut self,
        unit: &'p Unit,
        args: impl ExactSizeIterator<Item = Value>,
        result: impl FnMut(usize, Value),
    ) -> Res<()> {
        if args.len() != unit.params.len() {
            return Err(Error::internal(format!(
                "\"{}\" gets {} arguments",
                unit.name,
                args.len()
            )));
        }
        let mut frame = self.frame(unit)?;
        for (&param, arg) in unit.params.iter().zip(args) {
            frame[param as usize] = arg;
        }
        self.call_in(unit, frame, result)
    }

    /// A frame for a unit, if there is room on the stack to run it.
    fn frame(&mut self, unit: &Unit) -> Res<Vec<Value>> {
        let used = self.stack_start.abs_diff(stack_position());
        if used > self.stack_limit {
            return Err(Error::program(format!("recursion of \"{}\" is too deep", unit.name)));
        }
        let mut frame = self.pool.pop().unwrap_or_default();
        frame.resize_with(unit.slots, || Value::Gone);
        Ok(frame)
    }

    /// Runs a unit in a frame that has its arguments.
    fn call_in(
        &mut self,
        unit: &'p Unit,
        mut frame: Vec<Value>,
        mut result: impl FnMut(usize, Value),
    ) -> Res<()> {
        self.run(&unit.code, &mut frame)?;
        for (i, arg) in unit.code.results.iter().enumerate() {
            result(i, take(&mut frame, arg));
        }
        frame.clear();
        self.pool.push(frame);
        Ok(())
    }

    /// Runs the instructions of a body; its results are then evaluated by the caller.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others say where they are")]
    fn run(&mut self, code: &'p Code, frame: &mut Frame) -> Res<()> {
        for &slot in &code.drops {
            frame[slot as usize] = Value::Gone;
        }
        for instr in &code.instrs {
            self.steps += 1;
            if self.steps >= self.next_check {
                self.check()?;
            }
            self.step(instr, frame).map_err(|error| match instr.op {
                Op::Call(..) => error.called_from(instr.loc.as_ref()),
                _ => error.at(instr.loc.as_ref()),
            })?;
            for &slot in &instr.drops {
                frame[slot as usize] = Value::Gone;
            }
        }
        Ok(())
    }

    /// Looks at what may end a program from outside.
    #[cold]
    fn check(&mut self) -> Res<()> {
        self.next_check = self.steps + CHECK_EVERY;
        if let Some(limit) = self.options.max_steps {
            if self.steps > limit {
                return Err(Error::resource(format!("the program took more than {limit} steps")));
            }
            self.next_check = self.next_check.min(limit + 1);
        }
        match &self.options.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) => {
                Err(Error::boxed(ErrorKind::Interrupt, "interrupted"))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn step(&mut self, instr: &'p Instr, frame: &mut Frame) -> Res<()> {
        let value = match &instr.op {
            Op::Atom(arg) => take(frame, arg),
            Op::Un(op, a) => {
                let a = scalar(frame, a)?;
                Value::Scalar(scalar::unop(*op, a).ok_or_else(|| ill_typed("an operation"))?)
            }
            Op::Bin(op, a, b) => return quick::bin(frame, *op, a, b, instr.only()?),
            Op::Cmp(op, a, b) => return quick::cmp(frame, *op, a, b, instr.only()?),
            Op::Math(function, args) => Value::Scalar(math(*function, args, frame)?),
            Op::Convert(to, a) => {
                let result = scalar::convert(*to, scalar(frame, a)?);
                Value::Scalar(result.ok_or_else(|| ill_typed("a conversion"))?)
            }
            Op::Reinterpret(to, a) => {
                let result = scalar::reinterpret(*to, scalar(frame, a)?);
                Value::Scalar(result.ok_or_else(|| ill_typed("a conversion of bits"))?)
            }
            Op::Assert(condition, message) => {
                if !truth(frame, condition)? {
                    return Err(failure(message, frame));
                }
                Value::Scalar(Scalar::Unit)
            }
            Op::Fail(message) => return Err(failure(message, frame)),
            Op::Element(slot, index) => {
                return arrays::element(frame, *slot, index, instr.only()?);
            }
            Op::Index(slot, places) => arrays::index(frame, *slot, places)?,
            Op::Update(update) => self.update(update, frame)?,
            Op::FlatIndex(slot, offset, dims) => arrays::flat_index(frame, *slot, offset, dims)?,
            Op::FlatUpdate(update) => self.flat_update(update, frame)?,
            Op::Array(elem, items, row) => self.literal(*elem, items, row, frame)?,
            Op::Concat(total, slots) => self.concat(total, slots, frame)?,
            Op::Iota(iota) => self.iota(iota, frame)?,
            Op::Replicate(shape, arg) => self.replicate(shape, arg, frame)?,
            Op::Scratch(elem, shape) => self.scratch(*elem, shape, frame)?,
            Op::Reshape(slot, shape) => self.reshape(*slot, shape, frame)?,
            Op::Rearrange(slot, perm) => arrays::rearrange(frame, *slot, perm)?,
            Op::Copy(arg) => self.copy(arg, frame)?,
            Op::Manifest(arg) => self.manifest(arg, frame)?,
            Op::If(condition, codes) => {
                let code = if truth(frame, condition)? { &codes[0] } else { &codes[1] };
                return self.branch(code, &instr.pat, frame);
            }
            Op::Switch(value, switch) => return self.switch(value, switch, &instr.pat, frame),
            Op::Loop(repetition) => return self.repeat(repetition, &instr.pat, frame),
            Op::Call(fun, args) => return self.call_fun(*fun, args, &instr.pat, frame),
            Op::Const(index) => return self.constant(*index, &instr.pat, frame),
            Op::Screma(screma) => return self.screma(screma, &instr.pat, frame),
            Op::Hist(hist) => return self.hist(hist, &instr.pat, frame),
            Op::Scatter(scatter) => return self.scatter(scatter, &instr.pat, frame),
            Op::Stream(stream) => return self.stream(stream, &instr.pat, frame),
            Op::Partition(partition) => return self.partition(partition, &instr.pat, frame),
            Op::Flatmap(flatmap) => return self.flatmap(flatmap, &instr.pat, frame),
            Op::Seg(seg) => return self.seg(seg, &instr.pat, frame),
            Op::WithAcc(with_acc) => return self.with_acc(with_acc, &instr.pat, frame),
            Op::UpdateAcc(acc, indices, values) => {
                let acc = take(frame, acc);
                self.update_acc(&acc, indices, values, frame)?;
                acc
            }
            Op::Trace(tag, arg) => {
                let value = take(frame, arg);
                (self.sink)(tag, &value);
                value
            }
            Op::Notice(notice, args) => {
                self.notice(*notice, args, frame)?;
                Value::Scalar(Scalar::Unit)
            }
            Op::Threads => Value::Scalar(Scalar::I64(self.options.threads)),
        };
        frame[instr.only()? as usize] = value;
        Ok(())
    }

    /// An empty buffer for an array of this shape, which is within the limits.
    fn allocate(&self, elem: Elem, shape: &[i64]) -> Res<Buffer> {
        if let Some(size) = shape.iter().find(|&&size| size < 0) {
            return Err(Error::program(format!("array size {size} is negative")));
        }
        let limit = self.options.max_array_bytes;
        let count = count_of(shape).filter(|&count| {
            (count as u64).checked_mul(bytes(elem)).is_some_and(|bytes| bytes <= limit)
        });
        // Arrays of no information may have any number of elements that can be counted.
        let Some(count) = count.filter(|&count| count <= i64::MAX as usize) else {
            let shape = shape.iter().map(|size| format!("[{size}]")).collect::<String>();
            return Err(Error::resource(format!(
                "an array {shape}{elem} is larger than the limit of {limit} bytes"
            )));
        };
        Buffer::with_capacity(elem, count).ok_or_else(|| Error::resource("out of memory"))
    }
}

impl Instr {
    /// The variable that the only result is bound to.
    #[inline]
    fn only(&self) -> Res<Slot> {
        match self.pat[..] {
            [slot] => Ok(slot),
            _ => Err(Error::internal("one result is bound to several variables")),
        }
    }
}

/// The current position of the stack, roughly.
#[inline(never)]
fn stack_position() -> usize {
    let marker = 0u8;
    std::hint::black_box(&raw const marker) as usize
}

/// The value of an operand; taken out of the frame if it is not needed again.
#[inline]
fn take(frame: &mut Frame, arg: &Arg) -> Value {
    match arg {
        Arg::Const(scalar) => Value::Scalar(*scalar),
        Arg::Slot(slot) => frame[*slot as usize].clone(),
        Arg::Last(slot) => std::mem::take(&mut frame[*slot as usize]),
    }
}

/// The value of an operand that is a scalar.
#[inline]
#[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
fn scalar(frame: &Frame, arg: &Arg) -> Res<Scalar> {
    match arg {
        Arg::Const(scalar) => Ok(*scalar),
        Arg::Slot(slot) | Arg::Last(slot) => match &frame[*slot as usize] {
            Value::Scalar(scalar) => Ok(*scalar),
            other => Err(unexpected("a scalar", other)),
        },
    }
}

/// The value of an operand that is a size or an index.
#[inline]
#[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
fn size(frame: &Frame, arg: &Arg) -> Res<i64> {
    match scalar(frame, arg)? {
        Scalar::I64(size) => Ok(size),
        other => Err(Error::internal(format!("{other:?} instead of a size"))),
    }
}

fn sizes(frame: &Frame, args: &[Arg]) -> Res<Shape> {
    args.iter().map(|arg| size(frame, arg)).collect()
}

/// The value of an operand that is a truth value.
#[inline]
#[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
fn truth(frame: &Frame, arg: &Arg) -> Res<bool> {
    match scalar(frame, arg)? {
        Scalar::Bool(truth) => Ok(truth),
        other => Err(Error::internal(format!("{other:?} instead of a boolean"))),
    }
}

/// The array of a variable.
#[inline]
#[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
fn array(frame: &Frame, slot: Slot) -> Res<&Array> {
    match &frame[slot as usize] {
        Value::Array(array) => Ok(array),
        other => Err(unexpected("an array", other)),
    }
}

/// The value of an operand that is an array, as one's own.
#[inline]
#[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
fn take_array(frame: &mut Frame, arg: &Arg) -> Res<Box<Array>> {
    match take(frame, arg) {
        Value::Array(array) => Ok(array),
        other => Err(unexpected("an array", &other)),
    }
}

/// Binds results to the variables of a pattern.
fn bind_all(frame: &mut Frame, pat: &[Slot], values: impl IntoIterator<Item = Value>) -> Res<()> {
    let mut values = values.into_iter();
    for &slot in pat {
        let value = values.next().ok_or_else(|| Error::internal("too few results"))?;
        frame[slot as usize] = value;
    }
    match values.next() {
        None => Ok(()),
        Some(_) => Err(Error::internal("too many results")),
    }
}

/// An operation on two scalars.
#[inline]
fn binop(op: BinOp, a: Scalar, b: Scalar) -> Res<Scalar> {
    match scalar::binop(op, a, b) {
        Some(result) => Ok(result),
        None if scalar::divides_by_zero(op, b) => Err(Error::program("division by zero")),
        None => Err(ill_typed("an operation")),
    }
}

#[inline(never)]
fn math(function: MathFn, args: &[Arg], frame: &Frame) -> Res<Scalar> {
    let args = args.iter().map(|arg| scalar(frame, arg)).collect::<Res<SmallVec<[Scalar; 3]>>>()?;
    scalar::math(function, &args).ok_or_else(|| ill_typed(function.name()))
}

#[cold]
fn ill_typed(what: &str) -> Box<Error> {
    Error::internal(format!("{what} has operands of the wrong types"))
}

#[cold]
fn unexpected(expected: &str, found: &Value) -> Box<Error> {
    let found = match found {
        Value::Scalar(scalar) => format!("{scalar:?}"),
        Value::Array(_) => "an array".to_owned(),
        Value::Acc(_) => "an accumulator".to_owned(),
        Value::Gone => "a variable that is not bound or has been given up".to_owned(),
    };
    Error::internal(format!("{found} instead of {expected}"))
}

/// The error of a check, with the values put in.
#[cold]
fn failure(message: &Message, frame: &Frame) -> Box<Error> {
    let mut text = String::new();
    for part in &message.parts {
        match part {
            Part::Text(fixed) => text.push_str(fixed),
            Part::Value(arg) => match scalar(frame, arg) {
                Ok(value) => text.push_str(&scalar::show(value)),
                Err(error) => return error,
            },
        }
    }
    Box::new(Error { kind: ErrorKind::Program, message: text, trace: message.trace.clone() })
}
