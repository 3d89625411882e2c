//! A function or task: the code around its statements.
//!
//! Handles are declared at the top and released at the label `cleanup` at the end; failing statements jump there. A
//! function without handles returns immediately. Results are local variables, which are passed to the caller on
//! success; this makes it safe for a handle to be both an argument and a result of a call.

use super::exp::{Scope, c_type};
use super::inside::Inside;
use super::kernel::Device;
use super::names::Names;
use crate::{Mode, Target};
use fehu_imp::{Fun, Program, Stm, Ty, V, visit};
use std::fmt::Write;

/// How deep calls of a function are on the stack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// As deep as the text of the program.
    Bounded,
    /// It calls itself, so it looks whether there is room.
    Checked,
}

/// A function, with the tasks inside it before it.
pub(super) fn function(
    program: &Program,
    fun: &Fun,
    depth: Depth,
    (target, mode): (Target, Mode),
    device: &mut Device,
) -> String {
    let mut names = Names::new(fun);
    let (signature, outs) = signature(fun, &names);
    outs.iter().for_each(|out| names.reserve(out));
    let thresholds = thresholds(program, fun);
    let (tasks, stoppable) = (String::new(), mode == Mode::Shared);
    let mut shared = Shared { names, thresholds, tasks, count: 0, stoppable };
    let mut frame = Frame::new(program, fun, target, &mut shared, device);
    for &result in &fun.results {
        match fun.vars[result].ty {
            Ty::Mem => frame.handles.push(result),
            Ty::Scalar(prim) => {
                let name = frame.name(result);
                frame.line(&format!("{} {name} = {};", c_type(prim), zero(prim)));
            }
            // Results are scalars and handles.
            Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => {}
        }
    }
    frame.add_handles(&fun.body);
    if depth == Depth::Checked {
        let message = format!("recursion of \\\"{}\\\" is too deep", fun.name);
        let fail = format!("err = fe_fail(ctx, FUTHARK_PROGRAM_ERROR, \"{message}\");");
        frame.leave_if("fe_stack_low()", &[fail]);
    }
    frame.block(&fun.body);
    for (&result, out) in fun.results.iter().zip(&outs) {
        let name = frame.name(result);
        match fun.vars[result].ty {
            Ty::Mem => frame.line(&format!("fe_move(ctx, {out}, &{name});")),
            Ty::Scalar(_) => frame.line(&format!("*{out} = {name};")),
            Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => {}
        }
    }
    let text = frame.finish(&signature);
    let mut tasks = shared.tasks;
    tasks.push_str(&text);
    tasks
}

/// The variables of a function that are thresholds.
fn thresholds(program: &Program, fun: &Fun) -> Vec<(V, usize)> {
    let mut found = Vec::new();
    visit::each_stm(&fun.body, &mut |stm| {
        if let Stm::Tuning(v, number, _) = stm
            && program.tuning.get(*number).is_some_and(fehu_imp::Tuning::is_threshold)
        {
            found.push((*v, *number));
        }
    });
    found
}

/// The first line of a function, and the names of the parameters for its results.
pub(super) fn signature(fun: &Fun, names: &Names) -> (String, Vec<String>) {
    let mut text = format!("static int fe_fun_{}(struct futhark_context *ctx", fun.name);
    let mut outs = Vec::new();
    for &result in &fun.results {
        let out = names.unused(&format!("out_{}", names.get(result)), &outs);
        // A string takes whatever is written to it.
        let _ = write!(text, ", {}*{out}", declared_type(fun.vars[result].ty));
        outs.push(out);
    }
    for &param in &fun.params {
        let _ = write!(text, ", {}{}", declared_type(fun.vars[param].ty), names.get(param));
    }
    text.push(')');
    (text, outs)
}

/// A type in front of a name, with a blank unless it is a pointer's.
pub(super) fn declared_type(ty: Ty) -> String {
    match ty {
        Ty::Scalar(prim) => format!("{} ", c_type(prim)),
        Ty::Mem => "struct fe_mem ".to_owned(),
        // Elsewhere a local array is known by the address of its first element.
        Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => {
            format!("{} *", c_type(prim))
        }
    }
}

fn zero(prim: fehu_base::Prim) -> String {
    super::literal::scalar(fehu_ir::Scalar::zero(prim)).text
}

/// What the frames of one function have in common.
pub(super) struct Shared {
    pub(super) names: Names,
    /// The variables that are thresholds, with the numbers of their parameters.
    pub(super) thresholds: Vec<(V, usize)>,
    /// The text of the tasks so far, each with the structure of what it needs from outside.
    pub(super) tasks: String,
    /// How many tasks have a number.
    pub(super) count: usize,
    /// Whether loops around others ask whether they should go on.
    pub(super) stoppable: bool,
}

/// A C function in the making.
pub(super) struct Frame<'a> {
    pub(super) program: &'a Program,
    pub(super) fun: &'a Fun,
    pub(super) target: Target,
    pub(super) shared: &'a mut Shared,
    pub(super) device: &'a mut Device,
    /// What is known of the kernel that this is, or the function that kernels call.
    pub(super) inside: Option<Inside>,
    /// The handles that are released at the end.
    pub(super) handles: Vec<V>,
    /// The statements that give back the locks that are held.
    pub(super) held: Vec<String>,
    /// Whether this is inside a loop with `omp simd`.
    pub(super) in_simd: bool,
    /// Whether this is inside a loop that compilers may vectorise, told to or not.
    pub(super) in_vectors: bool,
    pub(super) uses_err: bool,
    uses_cleanup: bool,
    text: String,
    depth: usize,
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        program: &'a Program,
        fun: &'a Fun,
        target: Target,
        shared: &'a mut Shared,
        device: &'a mut Device,
    ) -> Frame<'a> {
        Frame {
            program,
            fun,
            target,
            shared,
            device,
            inside: None,
            handles: Vec::new(),
            held: Vec::new(),
            in_simd: false,
            in_vectors: false,
            uses_err: false,
            uses_cleanup: false,
            text: String::new(),
            depth: 1,
        }
    }

    /// The handles that a block declares are this frame's, but not those of tasks that become functions.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others contain what is looked for only in their bodies"
    )]
    pub(super) fn add_handles(&mut self, block: &[Stm]) {
        for stm in block {
            match stm {
                Stm::Declare(v, _) if self.fun.vars[*v].ty == Ty::Mem => self.handles.push(*v),
                Stm::Tasks(_) if self.target.has_tasks() => {}
                Stm::Launch(_) => {}
                _ => stm.each_block(&mut |inner| self.add_handles(inner)),
            }
        }
    }

    /// The finished C function.
    pub(super) fn finish(self, signature: &str) -> String {
        let mut text = format!("{signature} {{\n");
        if self.uses_err {
            text.push_str("  int err = 0;\n");
        }
        for &handle in &self.handles {
            // A string takes whatever is written to it.
            let _ = writeln!(text, "  struct fe_mem {} = {{0}};", self.shared.names.get(handle));
        }
        text.push_str(&self.text);
        if self.uses_cleanup {
            text.push_str("cleanup:\n");
        }
        for &handle in &self.handles {
            let _ = writeln!(text, "  fe_free(ctx, &{});", self.shared.names.get(handle));
        }
        text.push_str(if self.uses_cleanup { "  return err;\n}\n" } else { "  return 0;\n}\n" });
        text
    }

    /// The statements alone.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// What expressions refer to.
    pub(super) fn scope(&self) -> Scope<'_> {
        // A kernel has no context.
        let thresholds = if self.inside.is_some() { &[][..] } else { &self.shared.thresholds };
        let is_alone = !self.in_vectors && self.inside.is_none();
        Scope { fun: self.fun, names: &self.shared.names, thresholds, is_alone }
    }

    /// The name of a variable.
    pub(super) fn name(&self, v: V) -> String {
        self.shared.names.get(v).to_owned()
    }

    /// A line at the current depth.
    pub(super) fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// What is written inside is indented further.
    pub(super) fn deeper(&mut self, inside: impl FnOnce(&mut Self)) {
        self.depth += 1;
        inside(self);
        self.depth -= 1;
    }

    /// `if (condition) { before; leave }`, where `before` has set `err`.
    pub(super) fn leave_if(&mut self, condition: &str, before: &[String]) {
        self.line(&format!("if ({condition}) {{"));
        self.deeper(|frame| {
            for line in before {
                frame.line(line);
            }
            for unlock in frame.held.clone().iter().rev() {
                frame.line(unlock);
            }
            if frame.handles.is_empty() {
                frame.line("return err;");
            } else {
                frame.uses_cleanup = true;
                frame.line("goto cleanup;");
            }
        });
        self.line("}");
        self.uses_err = true;
    }

    /// A call of something that returns an error code.
    pub(super) fn check_call(&mut self, call: &str) {
        self.leave_if(&format!("(err = {call}) != 0"), &[]);
    }
}
