//! Functions of imp as C functions.
//!
//! * `fun`: a function or task around its statements: declarations of handles, the epilogue;
//! * `stm`, `loops`, `tasks`, `kernel`, `message`, `profile`: statements; `inside`: functions that kernels call;
//! * `exp`, `op`, `literal`, `names`: their parts.
//!
//! The text relies on `runtime/`: `fe_alloc` and similar functions in `memory.h`, operators in `scalar.h` and `math.h`,
//! parallel execution in `tasks.h`, and what only generated code uses in `program.h`, `trace.h` and `atomics.h`.

mod exp;
mod fun;
mod inside;
mod kernel;
mod literal;
mod loops;
mod message;
pub(crate) mod names;
mod op;
mod profile;
mod recursion;
mod stm;
mod tasks;

use crate::{Mode, Target};
use fehu_base::id::Id;
use fehu_imp::{Fun, FunId, Program, Stm, Ty, visit};
use fun::Depth;
use std::fmt::Write;

/// C text of the functions of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Functions {
    /// The declaration of `struct fe_constants`, which the context points to.
    pub constants_struct: String,
    /// The functions, and `fe_constants_init` and `fe_constants_free`.
    pub text: String,
    /// Whether there are tables of operators, for profiles.
    pub profiled: bool,
}

/// Prints all functions of a program. The code of users precedes its kernels.
pub fn functions(program: &Program, target: Target, mode: Mode, kernel_code: &str) -> Functions {
    let mut device = kernel::Device::default();
    let recursive = recursion::recursive(program);
    let mut text = String::new();
    if recursive.contains(&true) {
        text.push_str(crate::runtime::STACK);
        text.push('\n');
    }
    text.push_str(&prototypes(program));
    let is_hosts = |id: &FunId, fun: &Fun| !fun.name.is_empty() && !program.inside.contains(id);
    for (id, fun) in program.funs.iter().filter(|(id, fun)| is_hosts(id, fun)) {
        let recursive = recursive.get(id.index()).copied().unwrap_or(false);
        let depth = if recursive { Depth::Checked } else { Depth::Bounded };
        text.push_str(&fun::function(program, fun, depth, (target, mode), &mut device));
        text.push('\n');
    }
    if target.is_gpu() {
        text.insert_str(0, &device.text(kernel_code));
    }
    let operators = device.operators.text();
    let profiled = !operators.is_empty();
    text.push_str(&operators);
    text.push_str(&constants_functions(program));
    Functions { constants_struct: constants_struct(program), text, profiled }
}

/// Functions that are called before they are defined; those that call themselves may do so in tasks, which come first.
fn prototypes(program: &Program) -> String {
    let mut early: Vec<FunId> = Vec::new();
    for (caller, fun) in program.funs.iter() {
        visit::each_stm(&fun.body, &mut |stm| {
            if let Stm::Call(callee, ..) = stm
                && callee.index() >= caller.index()
                && !program.inside.contains(callee)
                && !early.contains(callee)
            {
                early.push(*callee);
            }
        });
    }
    let mut text = String::new();
    for callee in early.iter().filter_map(|&callee| program.funs.get(callee)) {
        // A string takes whatever is written to it.
        let _ = writeln!(text, "{};", fun::signature(callee, &names::Names::new(callee)).0);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The members of `struct fe_constants` that hold the results of a constant's function, in their order. With the number at
/// the end they are no keywords, and different for different functions.
fn constant_members(fun: &Fun) -> Vec<String> {
    (0..fun.results.len()).map(|i| format!("{}_{i}", fun.name)).collect()
}

fn constants(program: &Program) -> impl Iterator<Item = (&Fun, Vec<String>)> {
    let funs = program.consts.iter().filter_map(|constant| program.funs.get(constant.fun));
    funs.map(|fun| (fun, constant_members(fun)))
}

fn constants_struct(program: &Program) -> String {
    let mut text = "struct fe_constants {\n".to_owned();
    let mut any = false;
    for (fun, members) in constants(program) {
        for (&result, member) in fun.results.iter().zip(members) {
            let ty = fun::declared_type(fun.vars[result].ty);
            let _ = writeln!(text, "  {ty}{member};");
            any = true;
        }
    }
    if !any {
        // C has no empty structures.
        text.push_str("  char none;\n");
    }
    text.push_str("};\n");
    text
}

fn constants_functions(program: &Program) -> String {
    let mut text =
        "static int fe_constants_init(struct futhark_context *ctx) {\n  int err = 0;\n".to_owned();
    for (fun, members) in constants(program) {
        let results: String =
            members.iter().map(|member| format!(", &ctx->constants->{member}")).collect();
        let name = &fun.name;
        let _ = writeln!(text, "  if (err == 0) {{\n    err = fe_fun_{name}(ctx{results});\n  }}");
    }
    text.push_str("  return err;\n}\n\n");
    text.push_str("static void fe_constants_free(struct futhark_context *ctx) {\n");
    let mut any = false;
    for (fun, members) in constants(program) {
        for (&result, member) in fun.results.iter().zip(members) {
            if fun.vars[result].ty == Ty::Mem {
                let _ = writeln!(text, "  fe_free(ctx, &ctx->constants->{member});");
                any = true;
            }
        }
    }
    if !any {
        text.push_str("  (void)ctx;\n");
    }
    text.push_str("}\n");
    text
}
