//! Loops. Each asks before an iteration whether it should go on, unless it is over before anybody notices.

use crate::compile::clif;
use crate::context::STOP;
use crate::exp::flags;
use crate::fun::{Frame, bytes};
use crate::lanes::Plan;
use crate::library::Function;
use crate::outline::count;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use fehu_base::bug::bug;
use fehu_imp::{Exp, Kind, RedOp, Stm, Ty, V};

/// A loop with no more iterations than this is over before anybody notices.
const FEW_ITERATIONS: i64 = 64;

impl Frame<'_, '_> {
    pub(crate) fn for_loop(
        &mut self,
        var: V,
        (from, to, step): (&Exp, &Exp, i64),
        kind: &Kind,
        body: &[Stm],
    ) {
        let count = count(from, to);
        if count.is_none_or(|count| count > FEW_ITERATIONS)
            && self.shared_loop(var, (from, to, step), kind, body)
        {
            return;
        }
        let (from, end) = (self.exp(from), self.exp(to));
        self.set(var, from);
        self.iterations(var, end, (step, count), kind, body);
    }

    /// Executes iterations from the value of the variable on; how many there are may be known.
    pub(crate) fn iterations(
        &mut self,
        var: V,
        end: Value,
        (step, count): (i64, Option<i64>),
        kind: &Kind,
        body: &[Stm],
    ) {
        let asks = count.is_none_or(|count| count > FEW_ITERATIONS);
        let plan = if step == 1 && kind.is_map() { Plan::of(self.fun, var, body) } else { None };
        if let Some(mut plan) = plan.filter(|plan| count.is_none_or(|count| count >= plan.lanes()))
        {
            self.vector_loop(&mut plan, var, end, asks, body);
            if count.is_some_and(|count| count % plan.lanes() == 0) {
                return;
            }
        }
        self.scalar_loop(var, end, step, asks, body);
    }

    /// Executes iterations from the value of the variable on.
    fn scalar_loop(&mut self, var: V, end: Value, step: i64, asks: bool, body: &[Stm]) {
        let Ty::Scalar(prim) = self.fun.vars[var].ty else { bug("a loop has no number") };
        let [head, inside, next] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let number = self.var(var);
        let value = self.builder.use_var(number);
        let less = if prim.is_signed() { IntCC::SignedLessThan } else { IntCC::UnsignedLessThan };
        let goes_on = self.builder.ins().icmp(less, value, end);
        self.builder.ins().brif(goes_on, inside, &[], next, &[]);
        self.builder.switch_to_block(inside);
        self.builder.seal_block(inside);
        if asks {
            self.ask();
        }
        self.block(body);
        let value = self.builder.use_var(number);
        let value = self.builder.ins().iadd_imm_s(value, step);
        self.set(var, value);
        self.builder.ins().jump(head, &[]);
        self.builder.seal_block(head);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    pub(crate) fn while_loop(&mut self, condition: &Exp, body: &[Stm]) {
        let [head, inside, next] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let goes_on = self.exp(condition);
        self.builder.ins().brif(goes_on, inside, &[], next, &[]);
        self.builder.switch_to_block(inside);
        self.builder.seal_block(inside);
        self.ask();
        self.block(body);
        self.builder.ins().jump(head, &[]);
        self.builder.seal_block(head);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    /// Whether somebody wants the program to stop.
    pub(crate) fn ask(&mut self) {
        let fixed = MemFlagsData::trusted().with_readonly().with_can_move();
        let flag = self.builder.ins().load(types::I64, fixed, self.context, STOP);
        let stops = self.builder.ins().load(types::I8, flags(), flag, 0);
        self.leave_if(stops, |frame| {
            frame.call_library(Function::Stopped, &[frame.context]);
        });
    }

    /// Replaces each element of an array by the sum of a variable and all elements up to it, and the variable by the last.
    pub(crate) fn prefixes(&mut self, op: RedOp, array: V, sum: V) {
        let Ty::Local(prim, count) = self.fun.vars[array].ty else {
            bug("prefixes are those of local arrays");
        };
        let start = self.start(array);
        let size = i64::from(bytes(prim));
        let end = self.builder.ins().iadd_imm_s(start, size * i64::from(count));
        let [head, next] = [(); 2].map(|()| self.builder.create_block());
        let at = self.builder.declare_var(types::I64);
        self.builder.def_var(at, start);
        // There is at least one element.
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let total = self.var(sum);
        let (address, before) = (self.builder.use_var(at), self.builder.use_var(total));
        let element = self.builder.ins().load(clif(prim), flags(), address, 0);
        let value = self.binary(op.bin_op(), prim, before, element);
        self.builder.ins().store(flags(), value, address, 0);
        self.builder.def_var(total, value);
        let address = self.builder.ins().iadd_imm_s(address, size);
        self.builder.def_var(at, address);
        let goes_on = self.builder.ins().icmp(IntCC::UnsignedLessThan, address, end);
        self.builder.ins().brif(goes_on, head, &[], next, &[]);
        self.builder.seal_block(head);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }
}
