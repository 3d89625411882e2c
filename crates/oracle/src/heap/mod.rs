//! `heap`: runs a program according to its table, with a heap, and detects races.
//!
//! The interpreter defines what a program means; this machine shows what it does to memory if every array is where the
//! table says. Arrays have no values here: an element is read from, and written to, the address in its block that the
//! index function gives. Operations copy where, and only where, the back end would: into the rows of a map's result,
//! into the part of an array that is updated, into results of branches with places of their own. If a table is correct,
//! both give the same results. This machine is therefore the oracle for everything that changes tables.
//!
//! Besides wrong results, it reports ([`Fault::Memory`]):
//!
//! * an address outside its block, or in a block that does not exist (any more): blocks on the stack end with the body
//!   that creates them;
//! * a copy whose source and target overlap, unless each element is copied to itself;
//! * an array that must be contiguous because it crosses a boundary, and is not;
//! * a result of the operator of a Seg that is not where the Seg's own result has it, for nobody copies it there;
//! * a *race*: an iteration of a parallel operator, or a position of a Seg, writes what another one reads or writes.
//!   Only contributions to histograms and accumulators, and writes to destinations of scatters, may collide with each
//!   other.
//!
//! Uninitialised memory is filled with garbage rather than zeros, so that reading it makes a difference, except where
//! the interpreter promises zeros (`scratch`, and the unused part of a partition).
//!
//! Files: `store` has blocks and the record of accesses, `frame` the variables of a function call, and `array`,
//! `control`, `operators`, `seg` and `write` the operations, like the files of the same names in the back end.

mod array;
mod control;
mod frame;
mod operators;
mod seg;
pub mod store;
mod write;

use ecow::EcoString;
use fehu_base::stack::with_large_stack;
use fehu_interp::{Buffer, Value};
use fehu_ir::{Atom, Elem, FunId, Scalar, Type};
use fehu_mem::table::Placed;
use frame::{Frame, Item, addresses};
use store::{Mem, Store};

/// How a run ends without results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The program's own check failed: the message, and the places in the source that led there, innermost first.
    Check(String, Vec<EcoString>),
    /// The program does something that no check guards and that has no meaning, such as a division by zero.
    Undefined(String),
    /// The table is wrong, see the module's documentation.
    Memory(String),
    /// Too many steps, too deep a recursion, or too much memory.
    Limit,
}

/// What a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most statements and elements.
    pub steps: u64,
    /// The most elements of all blocks together.
    pub elements: usize,
    /// The deepest recursion.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 50_000_000, elements: 1 << 25, depth: 500 }
    }
}

/// Runs a function of a program with a table.
pub fn call(
    placed: &Placed,
    fun: FunId,
    args: &[Value],
    limits: Limits,
) -> Result<Vec<Value>, Fault> {
    with_large_stack(|| {
        let mut machine = Machine {
            placed,
            store: Store::new(limits),
            consts: vec![None; placed.prog.consts.len()],
            depth: 0,
            limits,
        };
        machine.outside(fun, args)
    })
}

/// The state of a run.
struct Machine<'a> {
    placed: &'a Placed,
    store: Store,
    /// The constants that have been computed.
    consts: Vec<Option<Vec<Item>>>,
    depth: usize,
    limits: Limits,
}

type Res<T> = Result<T, Fault>;

impl<'a> Machine<'a> {
    /// A call from outside: values become blocks, and blocks values.
    fn outside(&mut self, id: FunId, args: &[Value]) -> Res<Vec<Value>> {
        let mut items = Vec::with_capacity(args.len());
        for arg in args {
            items.push(match arg {
                Value::Scalar(scalar) => Item::Scalar(*scalar),
                Value::Array(array) => {
                    // Units have no contents.
                    let buffer = array.to_buffer();
                    let elements = (0..buffer.len().unwrap_or(0)).filter_map(|at| buffer.get(at));
                    Item::Array(Mem { block: self.store.filled(elements.collect())?, base: 0 })
                }
                Value::Acc(_) | Value::Gone => {
                    return Err(Fault::Undefined("an argument is no value".to_owned()));
                }
            });
        }
        let fun = &self.placed.prog.funs[id];
        let mut frame = self.frame(id);
        let results = self.run(&mut frame, items)?;
        for (var, item) in fun.results.iter().zip(&results) {
            if let Item::Scalar(scalar) = item {
                frame.scalars[*var] = Some(*scalar);
            }
        }
        // Strides of views are no results that anybody outside knows of.
        let declared = frame.table.views.len();
        let mut values = Vec::with_capacity(declared);
        for (k, (var, item)) in fun.results.iter().zip(results).take(declared).enumerate() {
            values.push(match (&fun.vars[*var].ty, item) {
                (_, Item::Scalar(scalar)) => Value::Scalar(scalar),
                (Type::Array(elem, shape), item) => {
                    let view = frame.view_strides(k)?;
                    self.value(&frame, *elem, shape, &item, view)?
                }
                (_, _) => Value::Scalar(Scalar::Unit),
            });
        }
        Ok(values)
    }

    /// The array with this shape from a place on; for a view, with these sizes and strides.
    fn value(
        &mut self,
        frame: &Frame<'a>,
        elem: Elem,
        shape: &[Atom],
        item: &Item,
        view: Option<Vec<(i64, i64)>>,
    ) -> Res<Value> {
        let mut sizes = Vec::with_capacity(shape.len());
        for size in shape {
            sizes.push(frame.size(*size)?);
        }
        let mut buffer = Buffer::empty(elem);
        if let Item::Array(mem) = item {
            let without_gaps = [(sizes.iter().product(), 1)];
            for at in addresses(0, view.as_deref().unwrap_or(&without_gaps))? {
                let element = self.store.read(*mem, at)?;
                buffer.push(element).ok_or_else(|| wrong("an element has the wrong type"))?;
            }
        }
        Value::array(&sizes, buffer).ok_or_else(|| wrong("a result has the wrong size"))
    }
}

/// The table is wrong.
fn wrong(message: impl Into<String>) -> Fault {
    Fault::Memory(message.into())
}
