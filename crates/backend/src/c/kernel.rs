//! Kernels: functions of the device program, and their launches by the host.
//!
//! The statements of a kernel are printed by the same code as those of the host; the differences are here. The device
//! program is text inside the C program, in a dialect that `runtime/device` maps to CUDA C or OpenCL C.
//!
//! Kernels that differ only in names have one text, which is compiled once; what they are called and where they come from
//! is still their own.
//!
//! A check has a number; when it fails, the values for its message are stored in the failure buffer. The host formats
//! the message with `fe_device_error`, which is also generated here.

use super::exp::{Text, c_type};
use super::fun::{Frame, declared_type};
use super::inside::{Functions, Inside};
use super::literal;
use super::message::Shown;
use super::profile::Operators;
use fehu_base::{OrBug, Prim};
use fehu_imp::kernel::maybe_written;
use fehu_imp::visit;
use fehu_imp::{Block, Exp, Kernel, Message, Part, Stm, Ty, V};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The most values in the message of a check in a kernel; the rest are shown as zero.
const MOST_VALUES: usize = 16;

/// A kernel does nothing after a check has failed in one before it. What fails in the same launch does not count, so that all
/// threads of a block, and all blocks, decide alike. Not needed if there are no checks in any kernel.
const AFTER_FAILURE: &str = "if (fe_failed(failure, launch)) return;";

/// What the functions of a program add to it: the device program, and the operators that profiles know.
#[derive(Default)]
pub(super) struct Device {
    kernels: Vec<Launched>,
    /// The kernels that have a text of their own, by that text without names.
    texts: FxHashMap<String, usize>,
    /// The functions that they call.
    pub(super) functions: Functions,
    /// The cases of `fe_device_error`.
    errors: IndexSet<String>,
    /// The operators of the host.
    pub(super) operators: Operators,
}

/// A kernel.
struct Launched {
    name: String,
    /// Where it is in the source.
    place: String,
    /// The number of the kernel that has the text: this one, or an earlier one.
    code: usize,
    /// The text, if it is its own.
    text: String,
}

/// A kernel as a function of the device program.
struct Printed {
    /// What comes before its name, and after it.
    text: [String; 2],
    /// The numbers of the functions that it calls.
    calls: Vec<usize>,
}

impl Device {
    /// The C text of the device program: its source, the table of kernels, and the messages of checks.
    pub(super) fn text(&self, kernel_code: &str) -> String {
        let mut source = format!("{kernel_code}{}", self.functions.text());
        let own = self.kernels.iter().enumerate().filter(|(number, kernel)| kernel.code == *number);
        for (number, kernel) in own {
            let wanted = format!("#if !defined FE_PART || FE_PART == {number}");
            let _ = writeln!(source, "{wanted}\n{}#endif\n", kernel.text);
        }
        if self.errors.is_empty() {
            source = source.replace(&format!("  {AFTER_FAILURE}\n"), "");
        }
        let mut text = crate::runtime::device_source(&source);
        text.push_str("\nstatic const struct fe_kernel fe_kernels[] = {\n");
        for Launched { name, place, code, .. } in &self.kernels {
            let _ = writeln!(text, "  {{\"{name}\", \"{}\", {code}}},", literal::string(place));
        }
        text.push_str("  {NULL, NULL, 0},\n};\n\n");
        let _ = writeln!(text, "enum {{ FE_NUM_CHECKS = {} }};\n", self.errors.len());
        text.push_str("static void fe_device_error(struct futhark_context *ctx, int check, const int64_t *values) {\n");
        text.push_str("  (void)values;\n  switch (check) {\n");
        for (number, error) in self.errors.iter().enumerate() {
            let _ = writeln!(text, "  case {number}:\n{error}    break;");
        }
        text.push_str("  default:\n    fe_fail(ctx, FUTHARK_PROGRAM_ERROR, \"a check of a kernel failed\");\n  }\n}\n\n");
        text
    }
}

impl Frame<'_> {
    /// The host's part of a kernel: arguments and the launch.
    pub(super) fn launch(&mut self, kernel: &Kernel) {
        let own = [kernel.block, kernel.thread];
        let mut captured = visit::free_vars(&kernel.body);
        captured.retain(|v| !own.contains(v));
        let printed = self.kernel_function(kernel, &captured);
        let number = self.add(kernel, printed);
        let written = maybe_written(&kernel.body);

        let scope = self.scope();
        let (blocks, threads) = (scope.text(&kernel.blocks), kernel.threads);
        let shared = match &kernel.shared {
            Some(bytes) => format!("fe_shared_wish(ctx, {})", scope.text(bytes)),
            None => "0".to_owned(),
        };
        let count = captured.len();
        if captured.is_empty() {
            return self.check_call(&format!(
                "fe_launch(ctx, {number}, {blocks}, {threads}, {shared}, 0, NULL)"
            ));
        }
        self.line("{");
        self.deeper(|frame| {
            frame.line("const struct fe_arg args[] = {");
            frame.deeper(|frame| {
                for &v in &captured {
                    let name = frame.name(v);
                    let used = match frame.fun.vars[v].ty {
                        Ty::Ptr(..) if written.contains(&v) => "FE_WRITTEN",
                        Ty::Ptr(..) => "FE_READ",
                        Ty::Scalar(_) | Ty::Mem | Ty::Local(..) | Ty::Shared(..) => "FE_VALUE",
                    };
                    frame.line(&format!("{{&{name}, sizeof {name}, {used}}},"));
                }
            });
            frame.line("};");
            frame.check_call(&format!(
                "fe_launch(ctx, {number}, {blocks}, {threads}, {shared}, {count}, args)"
            ));
        });
        self.line("}");
    }

    /// Adds a kernel to the device program; its number.
    fn add(&mut self, kernel: &Kernel, Printed { text: [before, after], calls }: Printed) -> usize {
        let number = self.device.kernels.len();
        let name = format!("{}_{}_{number}", self.fun.name, super::names::identifier(&kernel.hint));
        let alike = self.shared.names.without(&format!("{before}{after}"));
        let code = *self.device.texts.entry(alike).or_insert(number);
        let mut text = String::new();
        if code == number {
            self.device.functions.used(&calls, number);
            text = format!("{before}{name}{after}");
        }
        self.device.kernels.push(Launched { name, place: kernel.place.to_string(), code, text });
        number
    }

    /// The kernel as a function of the device program.
    fn kernel_function(&mut self, kernel: &Kernel, captured: &[V]) -> Printed {
        let fun = self.fun;
        let mut frame = Frame::new(self.program, fun, self.target, self.shared, self.device);
        frame.inside = Some(Inside { by_block: kernel.by_block, ..Inside::new("return;") });
        // Compilers divide numbers that cannot be negative by shifts alone.
        let own = [(kernel.block, "fe_block_id()"), (kernel.thread, "(uint32_t)fe_thread_id()")];
        for (v, value) in own {
            let name = frame.name(v);
            frame.line(&format!("const int64_t {name} = {value};"));
        }
        let (mut shuffles, mut arrives) = (false, false);
        visit::each_stm(&kernel.body, &mut |stm| {
            shuffles |= matches!(stm, Stm::Shuffle { .. });
            arrives |= matches!(stm, Stm::Arrive { .. });
        });
        if shuffles {
            frame.line(&format!("FE_LANES({})", kernel.threads));
        }
        if arrives {
            frame.line("FE_ARRIVALS()");
        }
        frame.line("FE_BEGIN();");
        frame.line(AFTER_FAILURE);
        frame.block(&kernel.body);
        let calls = frame.inside.take().map_or(Vec::new(), |inside| inside.calls);
        let mut params = String::from("FE_FAILURE");
        for &v in captured {
            let declared = match fun.vars[v].ty {
                // Booleans cannot be arguments.
                Ty::Scalar(Prim::Bool) => "uint8_t ".to_owned(),
                Ty::Ptr(_, prim) if kernel.read_only.contains(&v) => {
                    format!("FE_GLOBAL const {} *FE_RESTRICT ", c_type(prim))
                }
                ty @ Ty::Ptr(..) => format!("FE_GLOBAL {}", declared_type(ty)),
                ty @ (Ty::Scalar(_) | Ty::Mem | Ty::Local(..) | Ty::Shared(..)) => {
                    declared_type(ty)
                }
            };
            let _ = write!(params, ", {declared}{}", frame.name(v));
        }
        let (threads, residents) = (kernel.threads, kernel.residents);
        let bounds = match residents {
            0 | 1 => format!("FE_BOUNDS({threads})"),
            _ => format!("FE_BOUNDS_RESIDENTS({threads}, {residents})"),
        };
        let after = format!("({params}) {{\n{}}}\n", frame.into_text());
        Printed { text: [format!("FE_KERNEL {bounds} void "), after], calls }
    }

    /// A statement that is different in kernels; false if it is not.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others are printed as they are for the host"
    )]
    pub(super) fn stm_inside(&mut self, stm: &Stm) -> bool {
        match stm {
            Stm::Copy { to, from, count } => self.copy_inside(to, from, count),
            Stm::Assert(cond, message) => self.assert_inside(cond, message),
            Stm::Locked(number, body) => self.locked_inside(number, body),
            Stm::Atomic(op, p, index, e) => {
                let scope = self.scope();
                let prim = scope.elem(*p);
                let (element, value) = (scope.element(*p, index).text, scope.text(e));
                self.line(&format!("fe_atomic_{}_{prim}(&{element}, {value});", op.name()));
            }
            Stm::Exchange { ptr, index, old, body, new } => {
                self.exchange_inside((*ptr, index), *old, body, new);
            }
            Stm::Guarded(p, index, body) => self.guarded_inside(*p, index, body),
            Stm::Arrive { last, counter, of } => {
                let scope = self.scope();
                let (counter, of) = (scope.text(counter), scope.text(of));
                let name = self.name(*last);
                self.line(&format!("FE_ARRIVE({name}, {counter}, {of});"));
            }
            Stm::Barrier => self.line("FE_BARRIER();"),
            Stm::WarpBarrier => self.line("FE_WARP_BARRIER();"),
            Stm::Warp(body) => self.braced("if (FE_IN_FIRST_WARP())", body),
            Stm::Shuffle { to, lane, by, of } => {
                let scope = self.scope();
                let (by, of) = (scope.text(by), scope.text(of));
                let (name, lane) = (self.name(*to), lane.name().to_uppercase());
                let prim = self.scope().elem(*to);
                let ty = c_type(prim);
                self.line(&format!("FE_SHUFFLE_{lane}({prim}, {ty}, {name}, {by}, {of});"));
            }
            Stm::Leave => self.leave_inside(),
            Stm::Poll(v, p, index) => {
                let scope = self.scope();
                let (prim, element) = (scope.elem(*p), scope.element(*p, index).text);
                let name = self.name(*v);
                self.line(&format!("{name} = fe_volatile_load_{prim}(&{element});"));
            }
            Stm::Count(v, p, index) => {
                let (name, element) = (self.name(*v), self.scope().element(*p, index).text);
                self.line(&format!("{name} = fe_atomic_add_i32(&{element}, 1);"));
            }
            Stm::Section(body) => self.section(body),
            Stm::Call(fun, results, args) => self.call_inside(*fun, results, args),
            // There is nowhere to print to.
            Stm::Trace(..) | Stm::TraceArray(..) => {}
            _ => return false,
        }
        true
    }

    /// Copies element by element.
    fn copy_inside(&mut self, to: &(V, Exp), from: &(V, Exp), count: &Exp) {
        let scope = self.scope();
        let target = Text::atom(scope.address(scope.names.get(to.0), &to.1));
        let source = Text::atom(scope.address(scope.names.get(from.0), &from.1));
        let count = scope.text(count);
        let ty = c_type(scope.elem(to.0));
        let (to_space, from_space) = (self.space(to.0), self.space(from.0));
        self.line("{");
        self.deeper(|frame| {
            let names = ["to", "from", "count", "i"].map(|hint| frame.shared.names.fresh(hint));
            let [to, from, end, i] = &names;
            frame.line(&format!("{to_space}{ty} *const {to} = {};", target.text));
            frame.line(&format!("{from_space}const {ty} *const {from} = {};", source.text));
            frame.line(&format!("const int64_t {end} = {count};"));
            frame.line(&format!("for (int64_t {i} = 0; {i} < {end}; {i}++) {{"));
            frame.deeper(|frame| frame.line(&format!("{to}[{i}] = {from}[{i}];")));
            frame.line("}");
        });
        self.line("}");
    }

    fn assert_inside(&mut self, cond: &Exp, message: &Message) {
        let mut values: Vec<String> = Vec::new();
        let mut shown = Vec::new();
        for part in &message.parts {
            let Part::Value(e, prim) = part else { continue };
            let slot = values.len();
            if slot < MOST_VALUES {
                values.push(self.scope().text(&as_bits(e, *prim)));
            }
            shown.push(from_bits(slot.min(MOST_VALUES - 1), *prim));
        }
        let error = self.message_text(message, &Shown::Texts(shown));
        let mut case = String::new();
        for line in &error {
            let _ = writeln!(case, "    {line}");
        }
        let (number, _) = self.device.errors.insert_full(case);
        let cond = self.scope().negated(cond);
        self.line(&format!("if ({cond}) {{"));
        self.deeper(|frame| {
            if values.is_empty() {
                frame.line(&format!("fe_claim(failure, launch, {number});"));
            } else {
                frame.line(&format!("if (fe_claim(failure, launch, {number})) {{"));
                frame.deeper(|frame| {
                    for (slot, value) in values.iter().enumerate() {
                        frame.line(&format!("failure->values[{slot}] = {value};"));
                    }
                });
                frame.line("}");
            }
            frame.leave_inside();
        });
        self.line("}");
    }

    /// Ends the thread, the function or the section.
    pub(super) fn leave_inside(&mut self) {
        for unlock in self.held.clone().iter().rev() {
            self.line(unlock);
        }
        let inside = self.inside.as_mut().or_bug("kernel around this code");
        let line = match inside.sections.last_mut() {
            Some((label, used)) => {
                *used = true;
                format!("goto {label};")
            }
            None => {
                inside.may_fail = true;
                inside.end.to_owned()
            }
        };
        self.line(&line);
    }

    fn section(&mut self, body: &Block) {
        let label = self.shared.names.fresh("after");
        if let Some(inside) = &mut self.inside {
            inside.sections.push((label, false));
        }
        self.line("{");
        self.deeper(|frame| frame.block(body));
        self.line("}");
        let section = self.inside.as_mut().and_then(|inside| inside.sections.pop());
        if let Some((label, true)) = section {
            self.line(&format!("{label}:;"));
        }
    }

    /// What is there is read, and exchanged for the new value if it still is what was read. Where both are the same, there is
    /// nothing to exchange: a maximum is hardly ever a new one.
    fn exchange_inside(&mut self, (p, index): (V, &Exp), old: V, body: &Block, new: &Exp) {
        let scope = self.scope();
        let (prim, element) = (scope.elem(p), scope.element(p, index).text);
        let (space, ty) = (self.space(p), c_type(prim));
        let names = ["element", "new", "found"].map(|hint| self.shared.names.fresh(hint));
        let [at, wanted, found] = &names;
        self.line("{");
        self.deeper(|frame| {
            let old = frame.name(old);
            frame.line(&format!("{space}{ty} *const {at} = &{element};"));
            frame.line(&format!("{ty} {old} = fe_volatile_load_{prim}({at});"));
            frame.line("for (;;) {");
            frame.deeper(|frame| {
                frame.block(body);
                let value = frame.scope().text(new);
                frame.line(&format!("const {ty} {wanted} = {value};"));
                frame.line(&format!("if (fe_same_{prim}({old}, {wanted})) break;"));
                frame.line(&format!(
                    "const {ty} {found} = fe_atomic_cas_{prim}({at}, {old}, {wanted});"
                ));
                frame.line(&format!("if (fe_same_{prim}({old}, {found})) break;"));
                frame.line(&format!("{old} = {found};"));
            });
            frame.line("}");
        });
        self.line("}");
    }

    fn locked_inside(&mut self, number: &Exp, body: &Block) {
        let value = self.scope().text(number);
        let lock = self.shared.names.fresh("lock");
        self.line("{");
        self.deeper(|frame| {
            frame.line(&format!("const int64_t {lock} = {value};"));
            let both = ["fe_try_lock", "fe_unlock"].map(|call| format!("{call}(failure, {lock})"));
            frame.while_locked(&both, body);
        });
        self.line("}");
    }

    fn guarded_inside(&mut self, p: V, index: &Exp, body: &Block) {
        let element = self.scope().element(p, index).text;
        let (space, lock) = (self.space(p), self.shared.names.fresh("lock"));
        self.line("{");
        self.deeper(|frame| {
            frame.line(&format!("{space}int32_t *const {lock} = &{element};"));
            let both = ["fe_try_guard", "fe_unguard"].map(|call| format!("{call}({lock})"));
            frame.while_locked(&both, body);
        });
        self.line("}");
    }

    /// A thread that has the lock gives it back before it looks again at what the threads beside it do: they may wait for it.
    fn while_locked(&mut self, [try_lock, unlock]: &[String; 2], body: &Block) {
        let done = self.shared.names.fresh("done");
        self.line(&format!("bool {done} = false;"));
        self.line(&format!("while (!{done}) {{"));
        self.deeper(|frame| {
            frame.line(&format!("if ({try_lock}) {{"));
            frame.deeper(|frame| {
                frame.held.push(format!("{unlock};"));
                frame.line("{");
                frame.deeper(|frame| frame.block(body));
                frame.line("}");
                frame.held.pop();
                frame.line(&format!("{unlock};"));
                frame.line(&format!("{done} = true;"));
            });
            frame.line("}");
        });
        self.line("}");
    }
}

/// A value as 64 bits.
fn as_bits(e: &Exp, prim: Prim) -> Exp {
    let to = if prim.is_float() { Prim::F64 } else { Prim::I64 };
    let wide = match prim == to {
        true => e.clone(),
        false => Exp::Convert(prim, to, Box::new(e.clone())),
    };
    match to == Prim::F64 {
        true => Exp::Reinterpret(Prim::F64, Prim::U64, Box::new(wide)),
        false => wide,
    }
}

/// The value of a slot as an argument of `printf`.
fn from_bits(slot: usize, prim: Prim) -> String {
    let value = format!("values[{slot}]");
    match prim {
        Prim::I8 | Prim::I16 | Prim::I32 => format!("(int){value}"),
        Prim::U8 | Prim::U16 | Prim::U32 => format!("(unsigned){value}"),
        Prim::I64 => value,
        Prim::U64 => format!("(uint64_t){value}"),
        Prim::F16 | Prim::F32 | Prim::F64 => {
            format!("fe_shown(fe_bits_u64_f64((uint64_t){value}))")
        }
        Prim::Bool => format!("{value} != 0 ? \"true\" : \"false\""),
    }
}
