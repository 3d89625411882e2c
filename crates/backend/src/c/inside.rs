//! Functions that kernels call.
//!
//! Such a function returns whether a check has failed in it, or in one that it calls. In OpenCL a pointer says in its type
//! which memory it points into, so a function has a version for each combination of memories of its arguments that occurs.
//! Each version is printed once, when it is first called, and is part of every kernel that comes to call it.

use super::exp::c_type;
use super::fun::{Frame, Shared, declared_type};
use super::kernel::Device;
use super::names::Names;
use crate::Target;
use fehu_base::OrBug;
use fehu_imp::spaces::Space;
use fehu_imp::{Arg, Block, From, Fun, FunId, Program, Stm, Ty, V, visit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// What the frame of a kernel, or of a function that kernels call, knows besides.
pub(super) struct Inside {
    /// What memory pointers point to.
    pub(super) spaces: Spaces,
    /// The labels at the ends of the sections around, and whether they are used.
    pub(super) sections: Vec<(String, bool)>,
    /// How it ends after a failed check.
    pub(super) end: &'static str,
    /// Whether it ends that way anywhere.
    pub(super) may_fail: bool,
    /// The numbers of the functions that it calls.
    calls: Vec<usize>,
}

impl Inside {
    pub(super) fn new(spaces: Spaces, end: &'static str) -> Inside {
        Inside { spaces, sections: Vec::new(), end, may_fail: false, calls: Vec::new() }
    }
}

/// The memories that pointers point into; those that are not listed point into global memory.
pub(super) type Spaces = FxHashMap<V, Space>;

/// A function of the device, and the memories that its pointer parameters point into.
type Version = (FunId, Vec<Space>);

/// The functions of the device program.
#[derive(Default)]
pub(super) struct Functions {
    /// The memories of the results, for those versions that were asked for.
    results: FxHashMap<Version, Vec<Space>>,
    /// The numbers of those that have been printed.
    numbers: FxHashMap<Version, usize>,
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

    /// The memories of the pointers of a body, if those of the parameters are these.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements give no pointer a value")]
    pub(super) fn spaces(
        &mut self,
        program: &Program,
        fun: &Fun,
        body: &Block,
        params: Spaces,
    ) -> Spaces {
        let mut spaces = params;
        let mut found: Vec<(V, Space)> = Vec::new();
        loop {
            visit::each_stm(body, &mut |stm| match stm {
                Stm::Point(p, From::Ptr(q), _) => found.push((*p, space_of(fun, &spaces, *q))),
                Stm::Call(callee, results, args) => {
                    let args = arg_spaces(fun, &spaces, args);
                    found.extend(results.iter().copied().zip(self.results(program, *callee, args)));
                }
                _ => {}
            });
            let mut changed = false;
            for (p, space) in found.drain(..) {
                if space != Space::Global && spaces.insert(p, space) != Some(space) {
                    changed = true;
                }
            }
            if !changed {
                return spaces;
            }
        }
    }

    /// The memories of the results of a function; those of scalars mean nothing.
    fn results(&mut self, program: &Program, callee: FunId, params: Vec<Space>) -> Vec<Space> {
        let version = (callee, params);
        if let Some(known) = self.results.get(&version) {
            return known.clone();
        }
        let fun = &program.funs[callee];
        let spaces = self.spaces(program, fun, &fun.body, param_spaces(fun, &version.1));
        let results: Vec<Space> =
            fun.results.iter().map(|result| space_of(fun, &spaces, *result)).collect();
        self.results.insert(version, results.clone());
        results
    }
}

/// The memory that a pointer points into, or that an array is in.
fn space_of(fun: &Fun, spaces: &Spaces, v: V) -> Space {
    match fun.vars[v].ty {
        Ty::Local(..) => Space::Own,
        Ty::Shared(..) => Space::Shared,
        Ty::Ptr(_) | Ty::Scalar(_) | Ty::Mem => spaces.get(&v).copied().unwrap_or(Space::Global),
    }
}

/// The memories of the arguments that are pointers.
fn arg_spaces(fun: &Fun, spaces: &Spaces, args: &[Arg]) -> Vec<Space> {
    let pointers = args.iter().filter_map(|arg| match arg {
        Arg::Scalar(_) => None,
        Arg::Mem { ptr, .. } => Some(*ptr),
    });
    pointers.map(|ptr| space_of(fun, spaces, ptr)).collect()
}

fn param_spaces(fun: &Fun, params: &[Space]) -> Spaces {
    let pointers = fun.params.iter().filter(|param| matches!(fun.vars[**param].ty, Ty::Ptr(_)));
    pointers.copied().zip(params.iter().copied()).collect()
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

/// A version of a function, printed; its number.
fn function(program: &Program, version: &Version, target: Target, device: &mut Device) -> usize {
    if let Some(number) = device.functions.numbers.get(version) {
        return *number;
    }
    let (id, params) = version;
    let fun = &program.funs[*id];
    let spaces = device.functions.spaces(program, fun, &fun.body, param_spaces(fun, params));
    let mut names = Names::new(fun);
    let mut outs: Vec<String> = Vec::new();
    for &result in &fun.results {
        let out = names.unused(&format!("out_{}", names.get(result)), &outs);
        names.reserve(&out);
        outs.push(out);
    }
    let mut shared = Shared {
        names,
        thresholds: Vec::new(),
        // Loops of kernels are not vectorised.
        negative_zeros: FxHashSet::default(),
        tasks: String::new(),
        count: 0,
    };
    let mut frame = Frame::new(program, fun, target, &mut shared, device);
    frame.inside = Some(Inside::new(spaces, "return true;"));
    let mut signature = String::from("FE_GLOBAL struct fe_failure *failure");
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
    let text = format!("FE_DEVICE bool {name}({signature}) {{\n  (void)failure;\n{text}}}\n");
    let (may_fail, calls) = inside.map_or((false, Vec::new()), |i| (i.may_fail, i.calls));
    device.functions.printed.push(Printed { name, text, may_fail, calls, kernels: Vec::new() });
    device.functions.numbers.insert(version.clone(), number);
    number
}

impl Frame<'_> {
    /// A call in a kernel, or in a function that kernels call.
    pub(super) fn call_inside(&mut self, fun: FunId, results: &[V], args: &[Arg]) {
        let inside = self.inside.as_ref().or_bug("kernel around this code");
        let version = (fun, arg_spaces(self.fun, &inside.spaces, args));
        let number = function(self.program, &version, self.target, self.device);
        let callee = &self.device.functions.printed[number];
        let (mut call, may_fail) = (format!("{}(failure", callee.name), callee.may_fail);
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
            Ty::Ptr(_) | Ty::Shared(..) => self.space_of(v),
            Ty::Scalar(_) | Ty::Mem | Ty::Local(..) => "",
        }
    }

    fn space_of(&self, v: V) -> &'static str {
        // The host has one kind of memory.
        let Some(inside) = &self.inside else { return "" };
        match space_of(self.fun, &inside.spaces, v) {
            Space::Global => "FE_GLOBAL ",
            Space::Shared => "FE_LOCAL ",
            Space::Own => "",
        }
    }

    /// Makes what this kernel has called part of it.
    pub(super) fn note_calls(&mut self, kernel: usize) {
        if let Some(inside) = &self.inside {
            self.device.functions.used(&inside.calls, kernel);
        }
    }
}
