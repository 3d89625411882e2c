//! Operators. What they compute is defined by `interp/src/scalar`; none of them ever traps.

use crate::compile::clif;
use crate::fun::Frame;
use crate::library::Operation;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use fehu_base::Prim;
use fehu_base::bug::bug;
use fehu_interp::scalar::to_i64;
use fehu_ir::{BinOp, CmpOp, Elem, Scalar, UnOp};

impl Frame<'_, '_> {
    /// `op a`
    pub(crate) fn unary(&mut self, op: UnOp, prim: Prim, a: Value) -> Value {
        if prim == Prim::F16 {
            return self.operation(Operation::Un(op, prim), &[a], prim);
        }
        let ty = clif(prim);
        match op {
            UnOp::Not if prim == Prim::Bool => {
                let yes = self.builder.ins().iconst(types::I8, 1);
                self.builder.ins().bxor(a, yes)
            }
            UnOp::Not => self.builder.ins().bnot(a),
            UnOp::Neg if prim.is_float() => self.builder.ins().fneg(a),
            UnOp::Neg => self.builder.ins().ineg(a),
            UnOp::Abs if prim.is_float() => self.builder.ins().fabs(a),
            UnOp::Abs if prim.is_unsigned() => a,
            UnOp::Abs => self.builder.ins().iabs(a),
            UnOp::Sgn if prim.is_float() => {
                let zero = self.zero(ty);
                let one = self.constant(one(prim));
                let minus = self.builder.ins().fneg(one);
                let more = self.builder.ins().fcmp(FloatCC::GreaterThan, a, zero);
                let less = self.builder.ins().fcmp(FloatCC::LessThan, a, zero);
                let equal = self.builder.ins().fcmp(FloatCC::Equal, a, zero);
                // What is left is no number, and stays as it is.
                let rest = self.builder.ins().select(equal, zero, a);
                let rest = self.builder.ins().select(less, minus, rest);
                self.builder.ins().select(more, one, rest)
            }
            UnOp::Sgn => {
                let zero = self.zero(ty);
                let more = match prim.is_signed() {
                    true => IntCC::SignedGreaterThan,
                    false => IntCC::UnsignedGreaterThan,
                };
                let more = self.builder.ins().icmp(more, a, zero);
                let result = match prim.is_signed() {
                    true => {
                        let less = self.builder.ins().icmp(IntCC::SignedLessThan, a, zero);
                        self.builder.ins().isub(more, less)
                    }
                    false => more,
                };
                if ty == types::I8 { result } else { self.builder.ins().sextend(ty, result) }
            }
        }
    }

    /// `a op b`
    pub(crate) fn binary(&mut self, op: BinOp, prim: Prim, a: Value, b: Value) -> Value {
        match prim {
            Prim::F32 | Prim::F64 => self.binary_float(op, prim, a, b),
            Prim::F16 => self.operation(Operation::Bin(op, prim), &[a, b], prim),
            Prim::I8
            | Prim::I16
            | Prim::I32
            | Prim::I64
            | Prim::U8
            | Prim::U16
            | Prim::U32
            | Prim::U64
            | Prim::Bool => self.binary_int(op, prim, a, b),
        }
    }

    fn binary_float(&mut self, op: BinOp, prim: Prim, a: Value, b: Value) -> Value {
        match op {
            BinOp::Add => self.builder.ins().fadd(a, b),
            BinOp::Sub => self.builder.ins().fsub(a, b),
            BinOp::Mul => self.builder.ins().fmul(a, b),
            BinOp::Div => self.builder.ins().fdiv(a, b),
            BinOp::Min | BinOp::Max => self.extreme(op, prim, a, b),
            BinOp::Mod | BinOp::Pow => self.operation(Operation::Bin(op, prim), &[a, b], prim),
            BinOp::Quot
            | BinOp::Rem
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor
            | BinOp::Shl
            | BinOp::Shr
            | BinOp::Lshr
            | BinOp::Ashr => bug(format_args!("floats have no {}", op.name())),
        }
    }

    /// The smaller or larger float: never NaN if there is a choice, and -0 is less than 0.
    fn extreme(&mut self, op: BinOp, prim: Prim, a: Value, b: Value) -> Value {
        let (better, sign) = match op == BinOp::Min {
            true => (FloatCC::LessThan, a),
            false => (FloatCC::GreaterThan, b),
        };
        let ints = if prim == Prim::F32 { types::I32 } else { types::I64 };
        let better = self.builder.ins().fcmp(better, a, b);
        let equal = self.builder.ins().fcmp(FloatCC::Equal, a, b);
        let sign = self.builder.ins().bitcast(ints, MemFlagsData::new(), sign);
        let zero = self.zero(ints);
        let negative = self.builder.ins().icmp(IntCC::SignedLessThan, sign, zero);
        let equal = self.builder.ins().band(equal, negative);
        let chosen = self.builder.ins().bor(better, equal);
        let nothing = self.builder.ins().fcmp(FloatCC::Unordered, b, b);
        let chosen = self.builder.ins().bor(chosen, nothing);
        self.builder.ins().select(chosen, a, b)
    }

    fn binary_int(&mut self, op: BinOp, prim: Prim, a: Value, b: Value) -> Value {
        let signed = prim.is_signed();
        match op {
            BinOp::Add => self.builder.ins().iadd(a, b),
            BinOp::Sub => self.builder.ins().isub(a, b),
            BinOp::Mul => self.builder.ins().imul(a, b),
            BinOp::And => self.builder.ins().band(a, b),
            BinOp::Or => self.builder.ins().bor(a, b),
            BinOp::Xor => self.builder.ins().bxor(a, b),
            BinOp::Min if signed => self.builder.ins().smin(a, b),
            BinOp::Min => self.builder.ins().umin(a, b),
            BinOp::Max if signed => self.builder.ins().smax(a, b),
            BinOp::Max => self.builder.ins().umax(a, b),
            BinOp::Pow => self.operation(Operation::Bin(op, prim), &[a, b], prim),
            BinOp::Shl | BinOp::Lshr => self.shift(op, prim, a, b),
            BinOp::Shr if !signed => self.shift(BinOp::Lshr, prim, a, b),
            BinOp::Shr | BinOp::Ashr => {
                let most = self.builder.ins().iconst(clif(prim), i64::from(prim.bits()) - 1);
                let by = self.builder.ins().umin(b, most);
                self.builder.ins().sshr(a, by)
            }
            BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => {
                let b = self.divisor(prim, b);
                self.divide(op, prim, a, b)
            }
        }
    }

    /// By a distance that may be negative or too far; Cranelift takes it modulo the number of bits.
    fn shift(&mut self, op: BinOp, prim: Prim, a: Value, b: Value) -> Value {
        let ty = clif(prim);
        let shifted = match op == BinOp::Shl {
            true => self.builder.ins().ishl(a, b),
            false => self.builder.ins().ushr(a, b),
        };
        let bits = self.builder.ins().iconst(ty, i64::from(prim.bits()));
        let near = self.builder.ins().icmp(IntCC::UnsignedLessThan, b, bits);
        let zero = self.zero(ty);
        self.builder.ins().select(near, shifted, zero)
    }

    /// A divisor that is not zero.
    fn divisor(&mut self, prim: Prim, b: Value) -> Value {
        let ty = clif(prim);
        let (zero, one) = (self.zero(ty), self.builder.ins().iconst(ty, 1));
        let is_zero = self.builder.ins().icmp(IntCC::Equal, b, zero);
        self.builder.ins().select(is_zero, one, b)
    }

    /// A division by what is not zero.
    fn divide(&mut self, op: BinOp, prim: Prim, a: Value, b: Value) -> Value {
        let ty = clif(prim);
        if !prim.is_signed() {
            return match matches!(op, BinOp::Div | BinOp::Quot) {
                true => self.builder.ins().udiv(a, b),
                false => self.builder.ins().urem(a, b),
            };
        }
        // The quotient of the least number and -1 traps: a number that is divided by -1 is negated.
        let (one, minus) =
            (self.builder.ins().iconst(ty, 1), self.builder.ins().iconst(ty, ones(ty)));
        let negates = self.builder.ins().icmp(IntCC::Equal, b, minus);
        let divisor = self.builder.ins().select(negates, one, b);
        let quotient = self.builder.ins().sdiv(a, divisor);
        let negated = self.builder.ins().ineg(a);
        let quotient = self.builder.ins().select(negates, negated, quotient);
        self.rounded(op, ty, a, b, quotient)
    }

    /// What a signed division yields, given the quotient towards zero.
    fn rounded(&mut self, op: BinOp, ty: Type, a: Value, b: Value, quotient: Value) -> Value {
        if op == BinOp::Quot {
            return quotient;
        }
        let product = self.builder.ins().imul(quotient, b);
        let remainder = self.builder.ins().isub(a, product);
        if op == BinOp::Rem {
            return remainder;
        }
        // Rounding towards zero has rounded up if there is a remainder whose sign is not the divisor's.
        let zero = self.zero(ty);
        let some = self.builder.ins().icmp(IntCC::NotEqual, remainder, zero);
        let signs = self.builder.ins().bxor(remainder, b);
        let differ = self.builder.ins().icmp(IntCC::SignedLessThan, signs, zero);
        let up = self.builder.ins().band(some, differ);
        match op == BinOp::Div {
            true => {
                let less = self.builder.ins().iadd_imm_s(quotient, -1);
                self.builder.ins().select(up, less, quotient)
            }
            false => {
                let more = self.builder.ins().iadd(remainder, b);
                self.builder.ins().select(up, more, remainder)
            }
        }
    }

    /// Whether an operator is simpler for this second operand: divisions by other constants than 0 and -1, and shifts
    /// by distances within the number.
    pub(crate) fn is_simpler_by(&self, op: BinOp, b: Scalar) -> bool {
        let (Some(value), Elem::Prim(prim)) = (to_i64(b), b.elem()) else { return false };
        match op {
            BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => ![0, -1].contains(&value),
            BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr => {
                (0..i64::from(prim.bits())).contains(&value)
            }
            BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::Pow
            | BinOp::Min
            | BinOp::Max
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor => false,
        }
    }

    /// `a op b` for such a number.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are divisions")]
    pub(crate) fn binary_by(&mut self, op: BinOp, prim: Prim, a: Value, b: Scalar) -> Value {
        let (ty, by) = (clif(prim), self.constant(b));
        let power = to_i64(b).filter(|b| *b > 0 && b.count_ones() == 1);
        match op {
            BinOp::Shl => self.builder.ins().ishl(a, by),
            BinOp::Shr if prim.is_signed() => self.builder.ins().sshr(a, by),
            BinOp::Shr | BinOp::Lshr => self.builder.ins().ushr(a, by),
            BinOp::Ashr => self.builder.ins().sshr(a, by),
            // Rounded downwards, as shifts do.
            BinOp::Div
                if prim.is_signed()
                    && let Some(power) = power =>
            {
                let by = self.builder.ins().iconst(ty, i64::from(power.trailing_zeros()));
                self.builder.ins().sshr(a, by)
            }
            BinOp::Mod
                if prim.is_signed()
                    && let Some(power) = power =>
            {
                let mask = self.builder.ins().iconst(ty, power - 1);
                self.builder.ins().band(a, mask)
            }
            _ if prim.is_signed() => {
                let quotient = self.builder.ins().sdiv(a, by);
                self.rounded(op, ty, a, by, quotient)
            }
            _ => self.divide(op, prim, a, by),
        }
    }

    /// `a op b`
    pub(crate) fn compare(&mut self, op: CmpOp, prim: Prim, a: Value, b: Value) -> Value {
        if prim == Prim::F16 {
            return self.operation(Operation::Cmp(op, prim), &[a, b], Prim::Bool);
        }
        if prim.is_float() {
            let op = match op {
                CmpOp::Eq => FloatCC::Equal,
                CmpOp::Lt => FloatCC::LessThan,
                CmpOp::Le => FloatCC::LessThanOrEqual,
            };
            return self.builder.ins().fcmp(op, a, b);
        }
        let op = match (op, prim.is_signed()) {
            (CmpOp::Eq, _) => IntCC::Equal,
            (CmpOp::Lt, true) => IntCC::SignedLessThan,
            (CmpOp::Le, true) => IntCC::SignedLessThanOrEqual,
            (CmpOp::Lt, false) => IntCC::UnsignedLessThan,
            (CmpOp::Le, false) => IntCC::UnsignedLessThanOrEqual,
        };
        self.builder.ins().icmp(op, a, b)
    }
}

/// All bits of a type set, as constants are written.
fn ones(ty: Type) -> i64 {
    if ty == types::I64 { -1 } else { (1 << ty.bits()) - 1 }
}

/// One, as a float.
fn one(prim: Prim) -> Scalar {
    if prim == Prim::F32 { Scalar::F32(1.0) } else { Scalar::F64(1.0) }
}
