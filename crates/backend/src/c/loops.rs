//! Loops, and which of them the C compiler is told to vectorise.
//!
//! `omp simd` requires a loop without early exits, in which no functions with effects are called; its reductions have
//! the semantics of C arithmetic, where signed integers must not overflow and NaN is not considered, and no order.
//! Independent loops for which it is not suitable get `FE_INDEPENDENT`, which only says that there are no dependencies
//! through memory. This would be wrong for loops with atomic updates, which are ordinary updates on a single thread, or
//! with memory that is private to an iteration.

use super::exp::c_type;
use super::fun::Frame;
use fehu_base::Prim;
use fehu_imp::cost::calls_functions;
use fehu_imp::straight::{is_straight, unrolled_iterations};
use fehu_imp::{Exp, Fun, Kind, RedOp, Stm, Ty, V, visit};
use fehu_ir::Scalar;

/// A loop of a kernel with this many iterations is unrolled.
const MOST_INNER: i64 = 16;

/// Of loops of kernels that have no more statements than this, longer ones are unrolled, too.
const FEW_STMS: usize = 24;

/// A loop with no more iterations than this is over before anybody notices.
const FEW_ITERATIONS: i64 = 64;

impl Frame<'_> {
    pub(super) fn for_loop(
        &mut self,
        var: V,
        from: &Exp,
        to: &Exp,
        step: i64,
        kind: &Kind,
        body: &[Stm],
    ) {
        let ty = match self.fun.vars[var].ty {
            Ty::Scalar(prim) => c_type(prim),
            Ty::Mem | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => "int64_t",
        };
        let bound = if is_fixed(to, body) {
            self.scope().exp(to).at(super::exp::Prec::Add)
        } else {
            let value = self.scope().text(to);
            let end = format!("{}_end", self.name(var));
            let end = self.shared.names.fresh(&end);
            self.line(&format!("const {ty} {end} = {value};"));
            end
        };
        let from_exp = from;
        let (name, from) = (self.name(var), self.scope().text(from));
        let growth = if step == 1 { format!("{name}++") } else { format!("{name} += {step}") };
        let (was_in_simd, was_in_vectors) = (self.in_simd, self.in_vectors);
        self.in_vectors |= kind.reductions().is_some() && is_straight(body);
        if let Some(reductions) = kind.reductions()
            && !self.in_simd
            && self.inside.is_none()
        {
            match simd_clauses(self, reductions) {
                Some(clauses) if is_straight(body) => {
                    let clause =
                        |(v, sign): &(V, &str)| format!(" reduction({sign}: {})", self.name(*v));
                    let clauses: String = clauses.iter().map(clause).collect();
                    self.line(&format!("#pragma omp simd{clauses}"));
                    self.in_simd = true;
                }
                Some(_) | None if !shares_memory(self.fun, body) => self.line("FE_INDEPENDENT"),
                Some(_) | None => {}
            }
        }
        if was_in_simd && unrolled_iterations(from_exp, to, step).is_some() {
            self.line("FE_UNROLL");
        }
        if let Some(inside) = &self.inside {
            let is_step = inside.by_block && inside.loops > 0;
            if is_short(from_exp, to, step, body)
                && (!calls_functions(body) || has_arrays(self.fun, body))
            {
                self.line("FE_UNROLL");
            } else if step != 1 {
                // The threads of a block share the iterations.
                self.line(if is_step { "FE_STRIDED_STEP" } else { "FE_STRIDED" });
            }
        }
        self.line(&format!("for ({ty} {name} = {from}; {name} < {bound}; {growth}) {{"));
        let around = usize::from(step == 1);
        self.inside.iter_mut().for_each(|inside| inside.loops += around);
        if *kind == Kind::Few {
            self.deeper(|frame| frame.line("FE_FEW"));
        }
        self.loop_body(body);
        self.inside.iter_mut().for_each(|inside| inside.loops -= around);
        (self.in_simd, self.in_vectors) = (was_in_simd, was_in_vectors);
    }
}

impl Frame<'_> {
    /// The statements of a loop, to the closing brace. If there are loops among them, and C compilers will not
    /// vectorise this one, then it takes the time to ask whether somebody wants it to stop.
    pub(super) fn loop_body(&mut self, body: &[Stm]) {
        let asks = self.shared.stoppable
            && !(self.in_simd || self.in_vectors || self.inside.is_some())
            && body.iter().any(has_loop);
        self.deeper(|frame| {
            if asks {
                frame.leave_if("ctx->cancelled", &["err = fe_stop(ctx);".to_owned()]);
            }
            frame.block(body);
        });
        self.line("}");
    }
}

/// Whether there is a loop in it that may take long: others are lanes of vectors, and tiles.
fn has_loop(stm: &Stm) -> bool {
    let mut found = false;
    visit::each_stm(std::slice::from_ref(stm), &mut |stm| {
        if let Stm::For { from, to, .. } = stm {
            found |= match (from, to) {
                (Exp::Const(Scalar::I64(from)), Exp::Const(Scalar::I64(to))) => {
                    to.saturating_sub(*from) > FEW_ITERATIONS
                }
                _ => true,
            };
        }
        found |= matches!(stm, Stm::While(..));
    });
    found
}

/// Whether a loop of a kernel is unrolled, so that small arrays in it can be registers.
fn is_short(from: &Exp, to: &Exp, step: i64, body: &[Stm]) -> bool {
    let (Exp::Const(Scalar::I64(from)), Exp::Const(Scalar::I64(to))) = (from, to) else {
        return false;
    };
    let mut stms = 0;
    visit::each_stm(body, &mut |_| stms += 1);
    let most = if stms <= FEW_STMS { 2 * MOST_INNER } else { MOST_INNER };
    to.saturating_sub(*from) <= most.saturating_mul(step)
}

/// Whether it uses arrays that can be registers.
fn has_arrays(fun: &Fun, body: &[Stm]) -> bool {
    visit::free_vars(body).iter().any(|v| matches!(fun.vars[*v].ty, Ty::Local(..)))
}

/// Whether iterations use the same memory one after the other: by updates that are whole only if they are not
/// vectorised, or by blocks and arrays of their own, which are at the same place in every iteration.
fn shares_memory(fun: &Fun, body: &[Stm]) -> bool {
    let mut found = false;
    visit::each_stm(body, &mut |stm| {
        found |= match stm {
            Stm::Atomic(..)
            | Stm::Locked(..)
            | Stm::Alloc(..)
            | Stm::Call(..)
            | Stm::Foreign(_) => true,
            Stm::Declare(v, _) => matches!(fun.vars[*v].ty, Ty::Local(..)),
            Stm::Comment(_)
            | Stm::Assign(..)
            | Stm::Store(..)
            | Stm::Share(..)
            | Stm::Export { .. }
            | Stm::Free(_)
            | Stm::Point(..)
            | Stm::Copy { .. }
            | Stm::If(..)
            | Stm::Switch(..)
            | Stm::For { .. }
            | Stm::While(..)
            | Stm::Const(..)
            | Stm::Assert(..)
            | Stm::Trace(..)
            | Stm::TraceArray(..)
            | Stm::Tasks(_)
            | Stm::Prefixes(..)
            | Stm::Chunks(..)
            | Stm::Tuning(..)
            | Stm::Threads(_)
            | Stm::Blocks(_)
            | Stm::Begin(_)
            | Stm::End
            | Stm::Launch(_)
            | Stm::Fetch(..)
            | Stm::Ask(..)
            | Stm::Receive(_)
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Shuffle { .. }
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Arrive { .. }
            | Stm::Exchange { .. }
            | Stm::Guarded(..)
            | Stm::Leave
            | Stm::Section(_) => false,
        }
    });
    found
}

/// Whether an expression is cheap and keeps its value while the body is executed.
fn is_fixed(e: &Exp, body: &[Stm]) -> bool {
    match e {
        Exp::Const(_) => true,
        Exp::Var(_) | Exp::Index(_) => {
            let set = visit::set_vars(body);
            let mut fixed = true;
            e.each_var(&mut |v| fixed &= !set.contains(&v));
            fixed
        }
        Exp::Un(..)
        | Exp::Bin(..)
        | Exp::Cmp(..)
        | Exp::Math(..)
        | Exp::Convert(..)
        | Exp::Reinterpret(..)
        | Exp::Load(..)
        | Exp::Select(_) => false,
    }
}

/// The operators for reductions, if all of them mean in OpenMP what they mean here.
fn simd_clauses(frame: &Frame<'_>, reductions: &[(V, RedOp)]) -> Option<Vec<(V, &'static str)>> {
    reductions.iter().map(|(v, op)| Some((*v, simd_operator(frame.fun, *v, *op)?))).collect()
}

fn simd_operator(fun: &Fun, v: V, op: RedOp) -> Option<&'static str> {
    let Ty::Scalar(prim) = fun.vars[v].ty else { return None };
    // Floats are combined in the order of the code: `loops::partials` has made it one for vectors.
    let plain = matches!(prim, Prim::U32 | Prim::U64);
    match op {
        RedOp::Add => plain.then_some("+"),
        RedOp::Mul => plain.then_some("*"),
        RedOp::Min => prim.is_integer().then_some("min"),
        RedOp::Max => prim.is_integer().then_some("max"),
        RedOp::And if prim == Prim::Bool => Some("&&"),
        RedOp::Or if prim == Prim::Bool => Some("||"),
        RedOp::And => prim.is_integer().then_some("&"),
        RedOp::Or => prim.is_integer().then_some("|"),
        RedOp::Xor => prim.is_integer().then_some("^"),
    }
}
