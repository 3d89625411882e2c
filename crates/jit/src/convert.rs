//! Conversions, as `interp/src/scalar/convert.rs` defines them.

use crate::compile::clif;
use crate::fun::Frame;
use crate::library::Operation;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use fehu_base::Prim;
use fehu_ir::Scalar;

impl Frame<'_, '_> {
    /// A number as one of another type.
    pub(crate) fn convert(&mut self, from: Prim, to: Prim, a: Value) -> Value {
        if from == to {
            return a;
        }
        if from == Prim::F16 || to == Prim::F16 || (from.is_float() && to == Prim::U64) {
            return self.operation(Operation::Convert(from, to), &[a], to);
        }
        match (from.is_float(), to.is_float()) {
            (true, true) if to == Prim::F64 => self.builder.ins().fpromote(types::F64, a),
            (true, true) => self.builder.ins().fdemote(types::F32, a),
            (true, false) if to == Prim::Bool => {
                let zero = self.zero(clif(from));
                self.builder.ins().fcmp(FloatCC::NotEqual, a, zero)
            }
            (true, false) => self.truncated(from, to, a),
            (false, true) => {
                // Conversions take whole words.
                let a = match (from.bits() < 32, from.is_signed()) {
                    (true, true) => self.builder.ins().sextend(types::I32, a),
                    (true, false) => self.builder.ins().uextend(types::I32, a),
                    (false, _) => a,
                };
                match from.is_signed() {
                    true => self.builder.ins().fcvt_from_sint(clif(to), a),
                    false => self.builder.ins().fcvt_from_uint(clif(to), a),
                }
            }
            (false, false) if to == Prim::Bool => {
                let zero = self.zero(clif(from));
                self.builder.ins().icmp(IntCC::NotEqual, a, zero)
            }
            (false, false) => {
                self.resized(a, clif(from), clif(to), from.is_signed() && to.is_signed())
            }
        }
    }

    fn resized(&mut self, a: Value, from: Type, to: Type, signed: bool) -> Value {
        match (from.bits().cmp(&to.bits()), signed) {
            (std::cmp::Ordering::Equal, _) => a,
            (std::cmp::Ordering::Greater, _) => self.builder.ins().ireduce(to, a),
            (std::cmp::Ordering::Less, true) => self.builder.ins().sextend(to, a),
            (std::cmp::Ordering::Less, false) => self.builder.ins().uextend(to, a),
        }
    }

    /// A float, rounded towards zero. What is no finite number is zero; what does not fit is the least number of 32
    /// bits, or of 64.
    fn truncated(&mut self, from: Prim, to: Prim, a: Value) -> Value {
        let single = from == Prim::F32;
        let float = |x: f64| if single { Scalar::F32(x as f32) } else { Scalar::F64(x) };
        let whole = self.builder.ins().fcvt_to_sint_sat(types::I64, a);
        let (least, end) = if to == Prim::I64 {
            (i64::MIN, -(i64::MIN as f64))
        } else {
            let end = if to.is_signed() { -1.0 } else { -2.0 };
            (i64::from(i32::MIN), end * f64::from(i32::MIN))
        };
        let least_int = self.int(least);
        // The end is a power of two, which all floats have; one below the least becomes the least, rounded towards zero or not.
        let end = self.constant(float(end));
        let below = self.builder.ins().fcmp(FloatCC::LessThan, a, end);
        let above = self.builder.ins().icmp(IntCC::SignedGreaterThanOrEqual, whole, least_int);
        let fits = self.builder.ins().band(below, above);
        let value = self.builder.ins().select(fits, whole, least_int);
        let infinity = self.constant(float(f64::INFINITY));
        let magnitude = self.builder.ins().fabs(a);
        let finite = self.builder.ins().fcmp(FloatCC::LessThan, magnitude, infinity);
        let zero = self.int(0);
        let value = self.builder.ins().select(finite, value, zero);
        self.resized(value, types::I64, clif(to), true)
    }

    /// The bits of a number as one of another type of the same size.
    pub(crate) fn reinterpret(&mut self, from: Prim, to: Prim, a: Value) -> Value {
        match clif(from) == clif(to) {
            true => a,
            false => self.builder.ins().bitcast(clif(to), MemFlagsData::new(), a),
        }
    }
}
