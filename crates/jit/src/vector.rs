//! The code of loops that are executed by vectors: `lanes` says which.
//!
//! ```text
//! while (i + 4 <= n) { vectors; i += 4 }
//! for (; i < n; i++) { ... }                 the rest, as scalars
//! ```
//!
//! Each lane gets what the scalar would be, to the bit. Truth values are masks: integers as wide as a lane, with all
//! bits set or none.

use crate::compile::clif;
use crate::exp::flags;
use crate::fun::Frame;
use crate::lanes::{Class, Plan, distance};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::Variable;
use fehu_base::Prim;
use fehu_base::bug::bug;
use fehu_imp::{Exp, Stm, V};
use fehu_ir::{BinOp, MathFn, Scalar, UnOp};
use rustc_hash::FxHashMap;

/// A loop in the making.
struct Vectors<'p, 'a> {
    plan: &'p mut Plan<'a>,
    /// The variables that vary.
    vars: FxHashMap<V, Variable>,
}

impl Frame<'_, '_> {
    /// Executes iterations from the value of a variable on, as long as there are enough for all lanes.
    pub(crate) fn vector_loop(
        &mut self,
        plan: &mut Plan<'_>,
        var: V,
        end: Value,
        asks: bool,
        body: &[Stm],
    ) {
        let lanes = plan.lanes();
        let mut vectors = Vectors { plan, vars: FxHashMap::default() };
        let [head, inside, next] = [(); 3].map(|()| self.builder.create_block());
        let number = self.var(var);
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let first = self.builder.use_var(number);
        let last = self.builder.ins().iadd_imm_s(first, lanes);
        let goes_on = self.builder.ins().icmp(IntCC::SignedLessThanOrEqual, last, end);
        self.builder.ins().brif(goes_on, inside, &[], next, &[]);
        self.builder.switch_to_block(inside);
        self.builder.seal_block(inside);
        if asks {
            self.ask();
        }
        for stm in body {
            self.vector_stm(&mut vectors, stm);
        }
        self.builder.def_var(number, last);
        self.builder.ins().jump(head, &[]);
        self.builder.seal_block(head);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the plan has no others")]
    fn vector_stm(&mut self, vectors: &mut Vectors<'_, '_>, stm: &Stm) {
        match stm {
            Stm::Comment(_) => {}
            Stm::Declare(v, Some(e)) | Stm::Assign(v, e) => match vectors.plan.class_of(*v) {
                Class::Same | Class::Steady => {
                    let value = self.exp(e);
                    self.set(*v, value);
                }
                Class::Varying(prim) => {
                    let value = self.vector(vectors, prim, e);
                    let ty = vectors.ty(prim);
                    let var =
                        *vectors.vars.entry(*v).or_insert_with(|| self.builder.declare_var(ty));
                    self.builder.def_var(var, value);
                }
            },
            Stm::Store(p, index, e) => {
                let address = self.element(*p, index);
                let value = self.vector(vectors, self.elem(*p), e);
                self.builder.ins().store(flags(), value, address, 0);
            }
            _ => bug("a statement is not for vectors"),
        }
    }

    /// The values of an expression of a type in all lanes.
    fn vector(&mut self, vectors: &mut Vectors<'_, '_>, prim: Prim, e: &Exp) -> Value {
        let ty = vectors.ty(prim);
        if vectors.plan.class(e) == Some(Class::Same) {
            let value = self.exp(e);
            return self.in_all_lanes(prim, ty, value);
        }
        match e {
            Exp::Var(v) => match vectors.vars.get(v) {
                Some(var) => self.builder.use_var(*var),
                None => bug("a variable varies before it is declared"),
            },
            Exp::Load(p, index) => {
                let address = self.element(*p, index);
                self.builder.ins().load(ty, flags(), address, 0)
            }
            Exp::Un(op, prim, a) => {
                let a = self.vector(vectors, *prim, a);
                match op {
                    UnOp::Neg if prim.is_float() => self.builder.ins().fneg(a),
                    UnOp::Neg => self.builder.ins().ineg(a),
                    UnOp::Abs if prim.is_float() => self.builder.ins().fabs(a),
                    UnOp::Abs => self.builder.ins().iabs(a),
                    UnOp::Not => self.builder.ins().bnot(a),
                    UnOp::Sgn => bug("vectors have no signs"),
                }
            }
            Exp::Bin(op, prim, a, b) => {
                let a = self.vector(vectors, *prim, a);
                if let Some(by) = distance(b) {
                    let by = self.builder.ins().iconst(types::I32, by);
                    match op {
                        BinOp::Shl => return self.builder.ins().ishl(a, by),
                        BinOp::Shr if prim.is_signed() => return self.builder.ins().sshr(a, by),
                        BinOp::Ashr => return self.builder.ins().sshr(a, by),
                        BinOp::Shr | BinOp::Lshr => return self.builder.ins().ushr(a, by),
                        BinOp::Add
                        | BinOp::Sub
                        | BinOp::Mul
                        | BinOp::Div
                        | BinOp::Mod
                        | BinOp::Quot
                        | BinOp::Rem
                        | BinOp::Pow
                        | BinOp::Min
                        | BinOp::Max
                        | BinOp::And
                        | BinOp::Or
                        | BinOp::Xor => {}
                    }
                }
                let b = self.vector(vectors, *prim, b);
                self.vector_binary(vectors, *op, *prim, a, b)
            }
            Exp::Cmp(op, prim, a, b) => {
                let (a, b) = (self.vector(vectors, *prim, a), self.vector(vectors, *prim, b));
                // As for scalars; the result is a mask.
                self.compare(*op, *prim, a, b)
            }
            Exp::Math(function, prim, args) => {
                let args: Vec<Value> =
                    args.iter().map(|arg| self.vector(vectors, *prim, arg)).collect();
                self.vector_math(*function, *prim, ty, &args)
            }
            Exp::Convert(from, to, a) => {
                let a = self.vector(vectors, *from, a);
                match (from, to) {
                    (Prim::I32, Prim::F32) => self.builder.ins().fcvt_from_sint(ty, a),
                    (Prim::U32, Prim::F32) => self.builder.ins().fcvt_from_uint(ty, a),
                    (Prim::Bool, _) => self.builder.ins().ineg(a),
                    _ => a,
                }
            }
            Exp::Reinterpret(from, _, a) => {
                let a = self.vector(vectors, *from, a);
                self.lanes_as(ty, a)
            }
            Exp::Select(parts) => {
                let [condition, yes, no] = &**parts;
                let mask = self.vector(vectors, Prim::Bool, condition);
                let (yes, no) = (self.vector(vectors, prim, yes), self.vector(vectors, prim, no));
                self.choose(mask, yes, no)
            }
            Exp::Const(_) | Exp::Index(_) => bug("an expression varies that cannot"),
        }
    }

    /// A scalar in all lanes.
    fn in_all_lanes(&mut self, prim: Prim, ty: Type, value: Value) -> Value {
        let value = match prim {
            Prim::Bool => {
                let wide = self.builder.ins().uextend(ty.lane_type(), value);
                self.builder.ins().ineg(wide)
            }
            Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 | Prim::F16 | Prim::F32 | Prim::F64 => {
                value
            }
            Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => value,
        };
        self.builder.ins().splat(ty, value)
    }

    fn vector_binary(
        &mut self,
        vectors: &Vectors<'_, '_>,
        op: BinOp,
        prim: Prim,
        a: Value,
        b: Value,
    ) -> Value {
        let signed = prim.is_signed();
        match op {
            BinOp::Add if prim.is_float() => self.builder.ins().fadd(a, b),
            BinOp::Sub if prim.is_float() => self.builder.ins().fsub(a, b),
            BinOp::Mul if prim.is_float() => self.builder.ins().fmul(a, b),
            BinOp::Div => self.builder.ins().fdiv(a, b),
            BinOp::Min | BinOp::Max if prim.is_float() => {
                let mask = vectors.ty(Prim::Bool);
                self.vector_extreme(op, mask, a, b)
            }
            BinOp::Add => self.builder.ins().iadd(a, b),
            BinOp::Sub => self.builder.ins().isub(a, b),
            BinOp::Mul => self.builder.ins().imul(a, b),
            BinOp::Min if signed => self.builder.ins().smin(a, b),
            BinOp::Min => self.builder.ins().umin(a, b),
            BinOp::Max if signed => self.builder.ins().smax(a, b),
            BinOp::Max => self.builder.ins().umax(a, b),
            BinOp::And => self.builder.ins().band(a, b),
            BinOp::Or => self.builder.ins().bor(a, b),
            BinOp::Xor => self.builder.ins().bxor(a, b),
            BinOp::Mod
            | BinOp::Quot
            | BinOp::Rem
            | BinOp::Pow
            | BinOp::Shl
            | BinOp::Shr
            | BinOp::Lshr
            | BinOp::Ashr => bug(format_args!("vectors have no {}", op.name())),
        }
    }

    /// As for scalars: never NaN if there is a choice, and -0 is less than 0.
    fn vector_extreme(&mut self, op: BinOp, mask: Type, a: Value, b: Value) -> Value {
        let (better, sign) = match op == BinOp::Min {
            true => (FloatCC::LessThan, a),
            false => (FloatCC::GreaterThan, b),
        };
        let better = self.builder.ins().fcmp(better, a, b);
        let equal = self.builder.ins().fcmp(FloatCC::Equal, a, b);
        let sign = self.lanes_as(mask, sign);
        let zero = self.zero(mask.lane_type());
        let zero = self.builder.ins().splat(mask, zero);
        let negative = self.builder.ins().icmp(IntCC::SignedLessThan, sign, zero);
        let equal = self.builder.ins().band(equal, negative);
        let chosen = self.builder.ins().bor(better, equal);
        let nothing = self.builder.ins().fcmp(FloatCC::Unordered, b, b);
        let chosen = self.builder.ins().bor(chosen, nothing);
        self.choose(chosen, a, b)
    }

    fn vector_math(&mut self, function: MathFn, prim: Prim, ty: Type, args: &[Value]) -> Value {
        match (function, args) {
            (MathFn::Rsqrt, [a]) => {
                let one = if prim == Prim::F32 { Scalar::F32(1.0) } else { Scalar::F64(1.0) };
                let one = self.constant(one);
                let one = self.builder.ins().splat(ty, one);
                let root = self.builder.ins().sqrt(*a);
                self.builder.ins().fdiv(one, root)
            }
            // These are instructions, of any number of lanes.
            (
                MathFn::Sqrt
                | MathFn::Ceil
                | MathFn::Floor
                | MathFn::Round
                | MathFn::Mad
                | MathFn::Lerp,
                args,
            ) => self.math(function, prim, args),
            _ => bug("vectors do not have this function"),
        }
    }

    /// In each lane, one of two values.
    fn choose(&mut self, mask: Value, yes: Value, no: Value) -> Value {
        let ty = self.builder.func.dfg.value_type(yes);
        let mask = self.lanes_as(ty, mask);
        self.builder.ins().bitselect(mask, yes, no)
    }

    /// The same bits in lanes of another type.
    fn lanes_as(&mut self, ty: Type, value: Value) -> Value {
        if self.builder.func.dfg.value_type(value) == ty {
            return value;
        }
        self.builder.ins().bitcast(ty, MemFlagsData::new(), value)
    }
}

impl Vectors<'_, '_> {
    /// The type of vectors whose lanes have values of a type.
    fn ty(&self, prim: Prim) -> Type {
        let lane = match (prim, self.plan.bits()) {
            (Prim::Bool, 32) => types::I32,
            (Prim::Bool, _) => types::I64,
            (prim, _) => clif(prim),
        };
        match lane.by(128 / lane.bits()) {
            Some(ty) => ty,
            None => bug("there are no such vectors"),
        }
    }
}
