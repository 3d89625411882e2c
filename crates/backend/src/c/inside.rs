//! Functions that kernels call.
//!
//! Such a function returns whether a check has failed in it, or in one that it calls. It is printed once, when it is first
//! called, and is part of every kernel that comes to call it.

use super::exp::c_type;
use super::fun::{Frame, Shared, declared_type};
use super::kernel::Device;
use super::names::Names;
use crate::Target;
use fehu_imp::{Arg, FunId, Program, Space, Stm, Ty, V};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// What the frame of a kernel, or of a function that kernels call, knows besides.
pub(super) struct Inside {
    /// The labels at the ends of the sections around, and whether they are used.
    pub(super) sections: Vec<(String, bool)>,
    /// How it ends after a failed check.
    pub(super) end: &'static str,
    /// Whether it ends that way anywhere.
    pub(super) may_fail: bool,
    /// The numbers of the functions that it calls.
    pub(super) calls: Vec<usize>,
    /// Whether the threads of a block execute it together, and how many loops there are around, besides those whose
    /// iterations they share.
    pub(super) by_block: bool,
    pub(super) loops: usize,
}

impl Inside {
    pub(super) fn new(end: &'static str) -> Inside {
        let (sections, calls) = (Vec::new(), Vec::new());
        Inside { sections, end, may_fail: false, calls, by_block: false, loops: 0 }
    }
}

/// The functions of the device program.
#[derive(Default)]
pub(super) struct Functions {
    /// The numbers of those that have been printed.
    numbers: FxHashMap<FunId, usize>,
    printed: Vec<Printed>,
}

/// The text of a function.
struct Printed {
    name: String,
    text: String,
    may_fail: bool,
    /// The functions that it calls.
    calls: Vec<usize>,
    /// The kernels that it is a part of, in order.
    kernels: Vec<usize>,
}

impl Functions {
    /// The text of all functions, each after those that it calls.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for function in &self.printed {
            // A string takes whatever is written to it.
            let _ = writeln!(
                text,
                "#if !defined FE_PART{}\n{}#endif\n",
                parts(&function.kernels),
                function.text
            );
        }
        text
    }

    /// Makes functions part of a kernel, with all that they call.
    pub(super) fn used(&mut self, called: &[usize], kernel: usize) {
        let mut waiting = called.to_vec();
        while let Some(number) = waiting.pop() {
            let function = &mut self.printed[number];
            if function.kernels.last() != Some(&kernel) {
                function.kernels.push(kernel);
                waiting.extend(&function.calls);
            }
        }
    }
}

/// ` || FE_PART == ...` for each kernel of a list in order, neighbours together.
fn parts(kernels: &[usize]) -> String {
    let mut text = String::new();
    let mut rest = kernels;
    while let Some(&first) = rest.first() {
        let together = rest.iter().enumerate().take_while(|(i, kernel)| first + i == **kernel);
        let count = together.count();
        let last = first + count - 1;
        let _ = match count {
            1 => write!(text, " || FE_PART == {first}"),
            _ => write!(text, " || (FE_PART >= {first} && FE_PART <= {last})"),
        };
        rest = &rest[count..];
    }
    text
}

/// A function, printed; its number.
fn function(program: &Program, id: FunId, target: Target, device: &mut Device) -> usize {
    if let Some(number) = device.functions.numbers.get(&id) {
        return *number;
    }
    let fun = &program.funs[id];
    let mut names = Names::new(fun);
    let mut outs: Vec<String> = Vec::new();
    for &result in &fun.results {
        let out = names.unused(&format!("out_{}", names.get(result)), &outs);
        names.reserve(&out);
        outs.push(out);
    }
    let mut shared =
        Shared { names, thresholds: Vec::new(), tasks: String::new(), count: 0, stoppable: false };
    let mut frame = Frame::new(program, fun, target, &mut shared, device);
    frame.inside = Some(Inside::new("return true;"));
    let mut signature = String::from("FE_GLOBAL struct fe_failure *failure, int32_t launch");
    for (&result, out) in fun.results.iter().zip(&outs) {
        let (space, ty) = (frame.space(result), declared_type(fun.vars[result].ty));
        let _ = write!(signature, ", {space}{ty}*{out}");
    }
    for &param in &fun.params {
        let (space, ty) = (frame.space(param), declared_type(fun.vars[param].ty));
        let _ = write!(signature, ", {space}{ty}{}", frame.name(param));
    }
    for &result in &fun.results {
        frame.block(&[Stm::Declare(result, None)]);
    }
    frame.block(&fun.body);
    for (&result, out) in fun.results.iter().zip(&outs) {
        let name = frame.name(result);
        frame.line(&format!("*{out} = {name};"));
    }
    frame.line("return false;");
    let inside = frame.inside.take();
    let text = frame.into_text();
    let number = device.functions.printed.len();
    let name = format!("fe_inside_{}_{number}", fun.name);
    let text = format!(
        "FE_DEVICE bool {name}({signature}) {{\n  (void)failure;\n  (void)launch;\n{text}}}\n"
    );
    let (may_fail, calls) = inside.map_or((false, Vec::new()), |i| (i.may_fail, i.calls));
    device.functions.printed.push(Printed { name, text, may_fail, calls, kernels: Vec::new() });
    device.functions.numbers.insert(id, number);
    number
}

impl Frame<'_> {
    /// A call in a kernel, or in a function that kernels call.
    pub(super) fn call_inside(&mut self, fun: FunId, results: &[V], args: &[Arg]) {
        let number = function(self.program, fun, self.target, self.device);
        let callee = &self.device.functions.printed[number];
        let (mut call, may_fail) = (format!("{}(failure, launch", callee.name), callee.may_fail);
        for &result in results {
            let _ = write!(call, ", &{}", self.shared.names.get(result));
        }
        for arg in args {
            let text = match arg {
                Arg::Scalar(e) => self.scope().text(e),
                Arg::Mem { ptr, index, .. } => self.bytes_at(*ptr, index),
            };
            let _ = write!(call, ", {text}");
        }
        call.push(')');
        if let Some(inside) = &mut self.inside {
            inside.calls.push(number);
        }
        if !may_fail {
            return self.line(&format!("{call};"));
        }
        self.line(&format!("if ({call}) {{"));
        self.deeper(Frame::leave_inside);
        self.line("}");
    }

    /// The address of an element, as functions get it.
    fn bytes_at(&self, ptr: V, index: &fehu_imp::Exp) -> String {
        let scope = self.scope();
        let (address, space) = (scope.address(scope.names.get(ptr), index), self.space_of(ptr));
        format!("({space}{} *)({address})", c_type(fehu_base::Prim::U8))
    }

    /// What stands before a pointer to memory of a kind.
    pub(super) fn space(&self, v: V) -> &'static str {
        match self.fun.vars[v].ty {
            Ty::Ptr(..) | Ty::Shared(..) => self.space_of(v),
            Ty::Scalar(_) | Ty::Mem | Ty::Local(..) => "",
        }
    }

    fn space_of(&self, v: V) -> &'static str {
        if self.inside.is_none() {
            return "";
        }
        match self.fun.vars[v].ty.space() {
            Some(Space::Global) => "FE_GLOBAL ",
            Some(Space::Shared) => "FE_LOCAL ",
            Some(Space::Own) | None => "",
        }
    }
}
