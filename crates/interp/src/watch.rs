//! Where a program stops: what a session is told, and who is asked.

use crate::value::Value;

/// A place that the program has come to, and the values of the names that are visible there. What number the place has, and which
/// names these are, is known to whoever has made the program: see [`Notice`](fehu_ir::Notice).
#[derive(Clone, Debug)]
pub struct Activation {
    /// The number of the place.
    pub scene: u32,
    /// The values of its names.
    pub values: Vec<Value>,
}

/// Why a program stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It has come to a breakpoint.
    Breakpoint,
    /// It has made a NaN of other numbers.
    Nan,
}

/// Is asked where a program stops; the place, and the calls that it is in, are given from the innermost on. Whether to go on.
pub type Watch = Box<dyn FnMut(Cause, Vec<Activation>) -> bool + Send>;
