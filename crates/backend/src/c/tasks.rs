//! Parallel execution: tasks as separate functions, and operations of tasks on shared memory.
//!
//! On a single thread, the body of a task is printed in place, for the whole range, and nothing needs to be atomic.

use super::exp::Text;
use super::fun::{Frame, declared_type};
use super::op;
use fehu_base::Prim;
use fehu_imp::{Exp, RedOp, Stm, Tasks, Ty, V, visit};
use std::fmt::Write;

impl Frame<'_> {
    pub(super) fn tasks(&mut self, tasks: &Tasks) {
        match self.target.has_tasks() {
            true => self.tasks_outlined(tasks),
            false => self.tasks_in_place(tasks),
        }
    }

    fn tasks_in_place(&mut self, tasks: &Tasks) {
        let total = self.scope().text(&tasks.total);
        self.line("{");
        self.deeper(|frame| {
            for (v, value) in [(tasks.chunk, "0"), (tasks.low, "0"), (tasks.high, &total)] {
                let name = frame.name(v);
                frame.line(&format!("const int64_t {name} = {value};"));
            }
            frame.block(&tasks.body);
        });
        self.line("}");
    }

    fn tasks_outlined(&mut self, tasks: &Tasks) {
        let own = [tasks.chunk, tasks.low, tasks.high];
        let mut captured = visit::free_vars(&tasks.body);
        if tasks.grain > 1 {
            // The task itself finds out where its range ends.
            tasks.total.each_var(&mut |v| captured.push(v));
            captured.sort_unstable();
            captured.dedup();
        }
        captured.retain(|v| !own.contains(v));
        let number = self.shared.count;
        self.shared.count += 1;
        let place = format!("{}_{number}", self.fun.name);
        let text = self.task_function(tasks, &captured, &place);
        self.shared.tasks.push_str(&text);
        self.shared.tasks.push('\n');

        let scope = self.scope();
        let total = match tasks.grain {
            1 => scope.text(&tasks.total),
            grain => {
                let total = scope.exp(&tasks.total).at(super::exp::Prec::Add);
                format!("({total} + {}) / {grain}", grain - 1)
            }
        };
        let function = format!("fe_task_{place}");
        let site = tasks.site;
        let env = if captured.is_empty() { "NULL" } else { "&env" };
        let call = match tasks.chunks {
            Some(chunks) => {
                let chunks = scope.names.get(chunks);
                format!(
                    "fe_parallel_chunks(ctx, {site}, {function}, {env}, {total}, (int){chunks})"
                )
            }
            None => format!("fe_parallel_for(ctx, {site}, {function}, {env}, {total})"),
        };
        if captured.is_empty() {
            return self.check_call(&call);
        }
        self.line("{");
        self.deeper(|frame| {
            frame.line(&format!("struct fe_env_{place} env = {{"));
            frame.deeper(|frame| {
                for &v in &captured {
                    let name = frame.name(v);
                    let value = match frame.fun.vars[v].ty {
                        // Lent: tasks count no references of what is not theirs.
                        Ty::Mem => format!("{{{name}.data, NULL}}"),
                        Ty::Scalar(_) | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => {
                            name.clone()
                        }
                    };
                    frame.line(&format!(".{name} = {value},"));
                }
            });
            frame.line("};");
            frame.check_call(&call);
        });
        self.line("}");
    }

    /// The function of a task, after the structure with what it needs from outside.
    fn task_function(&mut self, tasks: &Tasks, captured: &[V], place: &str) -> String {
        let fun = self.fun;
        let mut text = String::new();
        if !captured.is_empty() {
            // A string takes whatever is written to it.
            let _ = writeln!(text, "struct fe_env_{place} {{");
            for &v in captured {
                let _ = writeln!(text, "  {}{};", declared_type(fun.vars[v].ty), self.name(v));
            }
            text.push_str("};\n\n");
        }
        let signature = format!(
            "static int fe_task_{place}(struct futhark_context *ctx, void *env_, int64_t {}, int64_t {}, int64_t {})",
            self.name(tasks.chunk),
            self.name(tasks.low),
            self.name(tasks.high)
        );
        let mut frame = Frame::new(self.program, fun, self.target, self.shared, self.device);
        if !captured.is_empty() {
            frame.line(&format!("const struct fe_env_{place} *env = env_;"));
        }
        for &v in captured {
            let name = frame.name(v);
            let declared = declared_type(fun.vars[v].ty);
            frame.line(&format!("{declared}{name} = env->{name};"));
        }
        if tasks.grain > 1 {
            let (low, high, grain) = (frame.name(tasks.low), frame.name(tasks.high), tasks.grain);
            let total = frame.scope().exp(&tasks.total).at(super::exp::Prec::Add);
            frame.line(&format!("{low} *= {grain};"));
            frame.line(&format!(
                "{high} = {high} * {grain} < {total} ? {high} * {grain} : {total};"
            ));
        }
        frame.add_handles(&tasks.body);
        frame.block(&tasks.body);
        text.push_str(&frame.finish(&signature));
        text
    }

    /// How many ranges a reduction should be cut into.
    pub(super) fn chunks(&self, site: usize, n: &Exp) -> String {
        match self.target.has_tasks() {
            true => format!("fe_chunks(ctx, {site}, {})", self.scope().text(n)),
            false => "1".to_owned(),
        }
    }

    pub(super) fn threads(&self) -> &'static str {
        if self.target.has_tasks() { "fe_num_workers(ctx)" } else { "1" }
    }

    pub(super) fn atomic(&mut self, op: RedOp, p: V, index: &Exp, e: &Exp) {
        let prim = self.scope().elem(p);
        if self.target.has_tasks() {
            let element = self.scope().element(p, index).text;
            let value = self.scope().text(e);
            self.line(&format!("fe_atomic_{}_{prim}(&{element}, {value});", op.name()));
            return;
        }
        if matches!(index, Exp::Const(_) | Exp::Var(_) | Exp::Index(_)) {
            let element = self.scope().element(p, index);
            let update = self.update(op, prim, element, e);
            return self.line(&update);
        }
        // The index is computed once.
        self.line("{");
        self.deeper(|frame| {
            let index = frame.scope().text(index);
            let at = frame.shared.names.fresh("at");
            frame.line(&format!("const int64_t {at} = {index};"));
            let element = Text::atom(format!("{}[{at}]", frame.name(p)));
            let update = frame.update(op, prim, element, e);
            frame.line(&update);
        });
        self.line("}");
    }

    /// `element = op(element, e);`
    fn update(&self, op: RedOp, prim: Prim, element: Text, e: &Exp) -> String {
        let value = self.scope().exp(e);
        let place = element.text.clone();
        match op::infix(op.bin_op(), prim) {
            Some((sign, _)) if prim != Prim::Bool => format!("{place} {sign}= {};", value.text),
            Some(_) | None => {
                format!("{place} = {};", op::binary(op.bin_op(), prim, element, value).text)
            }
        }
    }

    pub(super) fn locked(&mut self, number: &Exp, body: &[Stm]) {
        self.line("{");
        self.deeper(|frame| match frame.target.has_tasks() {
            false => frame.block(body),
            true => {
                let value = frame.scope().text(number);
                let lock = frame.shared.names.fresh("lock");
                frame.line(&format!("const int64_t {lock} = {value};"));
                frame.line(&format!("fe_lock(&ctx->locks, {lock});"));
                let unlock = format!("fe_unlock(&ctx->locks, {lock});");
                frame.held.push(unlock.clone());
                frame.block(body);
                frame.held.pop();
                frame.line(&unlock);
            }
        });
        self.line("}");
    }
}
