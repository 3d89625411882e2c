//! Functions of numbers: instructions for those that are instructions, the interpreter's for all others.

use crate::fun::Frame;
use crate::library::Operation;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use fehu_base::Prim;
use fehu_ir::{MathFn, Scalar};

impl Frame<'_, '_> {
    /// A function of numbers; the type is that of the first.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are no instructions")]
    pub(crate) fn math(&mut self, function: MathFn, prim: Prim, args: &[Value]) -> Value {
        let result = match function {
            MathFn::Isnan | MathFn::Isinf => Prim::Bool,
            MathFn::Popc | MathFn::Clz | MathFn::Ctz => Prim::I32,
            _ => prim,
        };
        if !matches!(prim, Prim::F32 | Prim::F64) {
            return self.operation(Operation::Math(function, prim), args, result);
        }
        match (function, args) {
            (MathFn::Sqrt, [a]) => self.builder.ins().sqrt(*a),
            (MathFn::Rsqrt, [a]) => {
                let one = if prim == Prim::F32 { Scalar::F32(1.0) } else { Scalar::F64(1.0) };
                let one = self.constant(one);
                let root = self.builder.ins().sqrt(*a);
                self.builder.ins().fdiv(one, root)
            }
            (MathFn::Ceil, [a]) => self.builder.ins().ceil(*a),
            (MathFn::Floor, [a]) => self.builder.ins().floor(*a),
            (MathFn::Round, [a]) => self.builder.ins().nearest(*a),
            (MathFn::Copysign, [a, b]) => self.builder.ins().fcopysign(*a, *b),
            (MathFn::Mad, [a, b, c]) => {
                let product = self.builder.ins().fmul(*a, *b);
                self.builder.ins().fadd(product, *c)
            }
            (MathFn::Lerp, [a, b, c]) => {
                let whole = self.builder.ins().fsub(*b, *a);
                let part = self.builder.ins().fmul(whole, *c);
                self.builder.ins().fadd(*a, part)
            }
            (MathFn::Isnan, [a]) => self.builder.ins().fcmp(FloatCC::Unordered, *a, *a),
            (MathFn::Isinf, [a]) => {
                let infinity = match prim {
                    Prim::F32 => Scalar::F32(f32::INFINITY),
                    _ => Scalar::F64(f64::INFINITY),
                };
                let (infinity, magnitude) = (self.constant(infinity), self.builder.ins().fabs(*a));
                self.builder.ins().fcmp(FloatCC::Equal, magnitude, infinity)
            }
            _ => self.operation(Operation::Math(function, prim), args, result),
        }
    }
}
