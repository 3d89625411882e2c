//! What limits an operator.

use crate::machine::Machine;
use crate::report::{Operator, Report};
use crate::units::{percent, time};

/// What limits an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The bandwidth of memory, of which it reaches this share.
    Memory(f64),
    /// Arithmetic, of which it reaches this share.
    Arithmetic(f64),
    /// It is so short that starting it is what takes time: an execution in nanoseconds, and how many there are.
    Latency(f64, u64),
    /// One thread has this many times the work of the average one.
    Imbalance(f64),
    /// Memory is asked of the system for this share of the time.
    Allocation(f64),
    /// Neither memory nor arithmetic: the shares of both.
    Neither(f64, f64),
    /// The machine is not known, or what it did.
    Nothing,
}

/// From this share on, something is the limit.
const MUCH: f64 = 0.6;
/// Tasks and kernels that are shorter than this are mostly their start, in nanoseconds.
const SHORT: f64 = 20_000.0;
/// The busiest thread may have so many times the work of the average one.
const UNEVEN: f64 = 1.3;

/// What limits an operator that took so many nanoseconds.
pub fn of(operator: &Operator, took: f64, report: &Report, machine: Option<&Machine>) -> Verdict {
    if operator.calls == 0 || took <= 0.0 {
        return Verdict::Nothing;
    }
    let waited = operator.allocation as f64 / (took + operator.allocation as f64);
    if report.device.is_none() && waited > 0.5 {
        return Verdict::Allocation(waited);
    }
    let (Some(machine), false) = (machine, operator.parts.is_empty()) else {
        return Verdict::Nothing;
    };
    let calls = operator.calls.max(operator.kernels) as f64;
    let each = took / calls;
    let started = match report.device.is_some() || report.threads > 1 {
        true => SHORT.max(machine.latency),
        false => 2.0 * machine.latency,
    };
    let bytes = operator.bytes() as f64;
    let bandwidth = machine.bandwidth(bytes / operator.calls as f64);
    let memory = bytes / took * 1e9 / bandwidth;
    let arithmetic = operator.operations() as f64 / took * 1e9 / machine.arithmetic;
    let mean = operator.busy as f64 / report.threads as f64;
    match () {
        () if memory >= MUCH && memory >= arithmetic => Verdict::Memory(memory),
        () if arithmetic >= MUCH => Verdict::Arithmetic(arithmetic),
        () if each < started && operator.calls > 1 => Verdict::Latency(each, operator.calls),
        () if report.threads > 1 && each > SHORT && operator.busiest as f64 > UNEVEN * mean => {
            Verdict::Imbalance(operator.busiest as f64 / mean)
        }
        () => Verdict::Neither(memory, arithmetic),
    }
}

impl Verdict {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Memory(_) => "memory-bound",
            Verdict::Arithmetic(_) => "compute-bound",
            Verdict::Latency(..) => "latency-bound",
            Verdict::Imbalance(_) => "imbalanced",
            Verdict::Allocation(_) => "allocation-bound",
            Verdict::Neither(..) => "below both limits",
            Verdict::Nothing => "",
        }
    }

    /// What it is and what to do, with the numbers.
    pub fn advice(&self) -> String {
        let word = self.word();
        match self {
            Verdict::Memory(share) => {
                format!("{word}, {} of the bus: only fewer bytes help", percent(*share))
            }
            Verdict::Arithmetic(share) => format!(
                "{word}, {} of the arithmetic: only fewer or cheaper operations help",
                percent(*share)
            ),
            Verdict::Latency(each, calls) => format!(
                "{word}, {calls} executions of {}: do more in each, for example a batch at a time",
                time(*each)
            ),
            Verdict::Imbalance(ratio) => format!(
                "{word}: one thread has {ratio:.1} times the work of the average one; positions differ too much, or are too few"
            ),
            Verdict::Allocation(share) => format!(
                "{word}, {} of its time: let arrays be reused, for example by consuming them",
                percent(*share)
            ),
            Verdict::Neither(memory, arithmetic) => format!(
                "{word} ({} of the bus, {} of the arithmetic): sequential code, branches, divisions, or scattered accesses",
                percent(*memory),
                percent(*arithmetic)
            ),
            Verdict::Nothing => String::new(),
        }
    }
}
