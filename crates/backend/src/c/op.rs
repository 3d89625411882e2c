//! Operators: C's own if they compute the right thing without undefined behaviour, otherwise functions of the runtime.
//!
//! In C, arithmetic on signed integers must not overflow, and small integers are promoted to `int`; so both are left to
//! functions (`fe_add_i32`), which compilers see through. Bit operations on sign-extended numbers are correct in any
//! width.

use super::exp::{Prec, Scope, Text, c_type};
use fehu_base::Prim;
use fehu_imp::Exp;
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};

/// Whether C's arithmetic operators are those of the language.
fn is_plain(prim: Prim) -> bool {
    match prim {
        Prim::U32 | Prim::U64 | Prim::F32 | Prim::F64 => true,
        Prim::I8
        | Prim::I16
        | Prim::I32
        | Prim::I64
        | Prim::U8
        | Prim::U16
        | Prim::F16
        | Prim::Bool => false,
    }
}

/// `a op b`
pub(super) fn binary(op: BinOp, prim: Prim, a: Text, b: Text) -> Text {
    match infix(op, prim) {
        Some((sign, prec)) => infix_text(sign, prec, a, b),
        None => Text::call(&format!("fe_{}_{prim}", op.name()), &[a, b]),
    }
}

/// The distance of a shift, if it is known, and shorter than the type.
pub(super) fn distance(op: BinOp, prim: Prim, b: &Exp) -> Option<u32> {
    let is_shift = matches!(op, BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr);
    let Exp::Const(value) = b else { return None };
    let known = u32::try_from(value.bits()).ok()?;
    (is_shift && known < prim.bits()).then_some(known)
}

/// A shift by a known distance.
pub(super) fn shift(op: BinOp, prim: Prim, a: Text, distance: u32) -> Text {
    Text::call(&format!("fe_{}_by_{prim}", op.name()), &[a, Text::atom(distance.to_string())])
}

/// C's operator for an operator of the language, if there is one.
pub(super) fn infix(op: BinOp, prim: Prim) -> Option<(&'static str, Prec)> {
    let is_bool = prim == Prim::Bool;
    match op {
        BinOp::Add => is_plain(prim).then_some(("+", Prec::Add)),
        BinOp::Sub => is_plain(prim).then_some(("-", Prec::Add)),
        BinOp::Mul => is_plain(prim).then_some(("*", Prec::Mul)),
        // Divisions of integers must not trap in vector lanes that are switched off.
        BinOp::Div => matches!(prim, Prim::F32 | Prim::F64).then_some(("/", Prec::Mul)),
        BinOp::And if is_bool => Some(("&&", Prec::And)),
        BinOp::Or if is_bool => Some(("||", Prec::Or)),
        BinOp::Xor if is_bool => Some(("!=", Prec::Equality)),
        BinOp::And => Some(("&", Prec::BitAnd)),
        BinOp::Or => Some(("|", Prec::BitOr)),
        BinOp::Xor => Some(("^", Prec::BitXor)),
        BinOp::Quot
        | BinOp::Mod
        | BinOp::Rem
        | BinOp::Pow
        | BinOp::Min
        | BinOp::Max
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Lshr
        | BinOp::Ashr => None,
    }
}

/// Left-associative. Mixtures of operators whose precedence few people know have parentheses, which is also what compilers
/// ask for.
fn infix_text(sign: &str, prec: Prec, a: Text, b: Text) -> Text {
    let (left, right) = match prec {
        // These two are associative; one inside the other has parentheses.
        Prec::Or | Prec::And => {
            let side = |text: &Text| if text.prec == prec { prec } else { Prec::BitOr };
            (side(&a), side(&b))
        }
        Prec::BitOr | Prec::BitXor | Prec::BitAnd => {
            (if a.prec == prec { prec } else { Prec::Unary }, Prec::Unary)
        }
        Prec::Equality | Prec::Relation => (Prec::Add, Prec::Add),
        Prec::Add => (Prec::Add, Prec::Mul),
        Prec::Mul | Prec::Cond | Prec::Unary | Prec::Postfix => (Prec::Mul, Prec::Unary),
    };
    Text { text: format!("{} {sign} {}", a.at(left), b.at(right)), prec }
}

/// `op a`
pub(super) fn unary(scope: &Scope<'_>, op: UnOp, prim: Prim, a: &Exp) -> Text {
    match op {
        UnOp::Not if prim == Prim::Bool => not(scope, a),
        // Compilers take the complement of a small number, or of a boolean, for a mistake.
        UnOp::Not if prim.bits() >= 32 && !matches!(a, Exp::Convert(Prim::Bool, ..)) => {
            prefix("~", scope.exp(a))
        }
        UnOp::Neg if is_plain(prim) => prefix("-", scope.exp(a)),
        UnOp::Abs if prim.is_unsigned() => scope.exp(a),
        UnOp::Neg | UnOp::Not | UnOp::Abs | UnOp::Sgn => {
            Text::call(&format!("fe_{}_{prim}", op.name()), &[scope.exp(a)])
        }
    }
}

fn prefix(sign: &str, a: Text) -> Text {
    // `--a` is something else.
    Text { text: format!("{sign}{}", a.at(Prec::Postfix)), prec: Prec::Unary }
}

/// The negation of a boolean, pushed into comparisons where that is right.
pub(super) fn not(scope: &Scope<'_>, e: &Exp) -> Text {
    match e {
        Exp::Un(UnOp::Not, Prim::Bool, a) => scope.exp(a),
        Exp::Const(Scalar::Bool(a)) => Text::atom((!a).to_string()),
        // The opposite of "less" is not "greater or equal" for what is no number.
        Exp::Cmp(op, prim, a, b)
            if (*op == CmpOp::Eq || prim.is_integer()) && *prim != Prim::F16 =>
        {
            compare(scope, *op, *prim, a, b, false)
        }
        Exp::Cmp(..)
        | Exp::Const(_)
        | Exp::Var(_)
        | Exp::Un(..)
        | Exp::Bin(..)
        | Exp::Math(..)
        | Exp::Convert(..)
        | Exp::Reinterpret(..)
        | Exp::Index(_)
        | Exp::Load(..)
        | Exp::Select(_) => prefix("!", scope.exp(e)),
    }
}

/// `a op b`, or its negation if it is not to hold.
pub(super) fn compare(
    scope: &Scope<'_>,
    op: CmpOp,
    prim: Prim,
    a: &Exp,
    b: &Exp,
    holds: bool,
) -> Text {
    // What looks the same is the same; compilers warn of this, too.
    let same = !prim.is_float() && scope.text(a) == scope.text(b);
    if let Some(value) = if same { Some(op != CmpOp::Lt) } else { known(op, prim, a, b) } {
        return Text::atom((value == holds).to_string());
    }
    if prim == Prim::Bool {
        return compare_bool(scope, op, a, b, holds);
    }
    let (a, b) = (compared(scope, a, b), compared(scope, b, a));
    if prim == Prim::F16 {
        return Text::call(&format!("fe_{}_f16", op.name()), &[a, b]);
    }
    let (sign, prec) = match (op, holds) {
        (CmpOp::Eq, true) => ("==", Prec::Equality),
        (CmpOp::Eq, false) => ("!=", Prec::Equality),
        (CmpOp::Lt, true) => ("<", Prec::Relation),
        (CmpOp::Lt, false) => (">=", Prec::Relation),
        (CmpOp::Le, true) => ("<=", Prec::Relation),
        (CmpOp::Le, false) => (">", Prec::Relation),
    };
    infix_text(sign, prec, a, b)
}

/// An operand of a comparison with another one. If that is a threshold, the program takes note of it, for those who tune it.
fn compared(scope: &Scope<'_>, e: &Exp, other: &Exp) -> Text {
    let threshold =
        scope.thresholds.iter().find(|(v, _)| matches!(other, Exp::Var(var) if var == v));
    match threshold {
        None => scope.exp(e),
        Some((_, number)) => {
            let args = [Text::atom("ctx"), Text::atom(number.to_string()), scope.exp(e)];
            Text::call("fe_compared", &args)
        }
    }
}

/// False is less than true.
fn compare_bool(scope: &Scope<'_>, op: CmpOp, a: &Exp, b: &Exp, holds: bool) -> Text {
    let text = match (op, a, b) {
        (CmpOp::Eq, e, Exp::Const(Scalar::Bool(value)))
        | (CmpOp::Eq, Exp::Const(Scalar::Bool(value)), e) => {
            return if *value == holds { scope.exp(e) } else { not(scope, e) };
        }
        (CmpOp::Eq, ..) => {
            let sign = if holds { "==" } else { "!=" };
            return infix_text(sign, Prec::Equality, scope.exp(a), scope.exp(b));
        }
        (CmpOp::Lt, ..) => infix_text("&&", Prec::And, not(scope, a), scope.exp(b)),
        (CmpOp::Le, ..) => infix_text("||", Prec::Or, not(scope, a), scope.exp(b)),
    };
    if holds { text } else { prefix("!", text) }
}

/// What a comparison with the smallest or largest number of a type says of any number; compilers warn of these.
#[expect(clippy::wildcard_enum_match_arm, reason = "other expressions are no constants")]
fn known(op: CmpOp, prim: Prim, a: &Exp, b: &Exp) -> Option<bool> {
    let (least, most) = range(prim)?;
    let constant = |e: &Exp| match e {
        Exp::Const(value) => integer(*value),
        _ => None,
    };
    match op {
        CmpOp::Lt if constant(a) == Some(most) || constant(b) == Some(least) => Some(false),
        CmpOp::Le if constant(a) == Some(least) || constant(b) == Some(most) => Some(true),
        CmpOp::Eq | CmpOp::Lt | CmpOp::Le => None,
    }
}

fn range(prim: Prim) -> Option<(i128, i128)> {
    let bits = prim.bits();
    if prim.is_signed() {
        Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
    } else if prim.is_unsigned() {
        Some((0, (1 << bits) - 1))
    } else {
        None
    }
}

fn integer(value: Scalar) -> Option<i128> {
    match value {
        Scalar::I8(a) => Some(a.into()),
        Scalar::I16(a) => Some(a.into()),
        Scalar::I32(a) => Some(a.into()),
        Scalar::I64(a) => Some(a.into()),
        Scalar::U8(a) => Some(a.into()),
        Scalar::U16(a) => Some(a.into()),
        Scalar::U32(a) => Some(a.into()),
        Scalar::U64(a) => Some(a.into()),
        Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) | Scalar::Bool(_) | Scalar::Unit => None,
    }
}

/// A number as one of another type.
pub(super) fn convert(from: Prim, to: Prim, a: Text) -> Text {
    if from == to {
        return a;
    }
    let half = from == Prim::F16 || to == Prim::F16;
    let truncates = from.is_float() && to.is_integer();
    // The language extends by zeros where C extends by the sign.
    let extends = from.is_signed() && to.is_unsigned() && from.bits() < to.bits();
    if half || truncates || extends {
        Text::call(&format!("fe_conv_{from}_{to}"), &[a])
    } else if to == Prim::Bool {
        infix_text("!=", Prec::Equality, a, Text::atom("0"))
    } else {
        cast(to, a)
    }
}

/// The bits of a number as one of another type of the same size.
pub(super) fn reinterpret(from: Prim, to: Prim, a: Text) -> Text {
    if from == to {
        a
    } else if from.is_integer() && to.is_integer() {
        cast(to, a)
    } else {
        Text::call(&format!("fe_bits_{from}_{to}"), &[a])
    }
}

fn cast(to: Prim, a: Text) -> Text {
    Text { text: format!("({}){}", c_type(to), a.at(Prec::Unary)), prec: Prec::Unary }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cast_is_a_conversion_only_where_c_extends_as_the_language_does() {
        let text = |from, to| convert(from, to, Text::atom("x")).text;
        assert_eq!(text(Prim::I16, Prim::I32), "(int32_t)x");
        assert_eq!(text(Prim::U16, Prim::I32), "(int32_t)x");
        assert_eq!(text(Prim::I32, Prim::U16), "(uint16_t)x");
        assert_eq!(text(Prim::I16, Prim::U32), "fe_conv_i16_u32(x)");
        assert_eq!(text(Prim::F32, Prim::I32), "fe_conv_f32_i32(x)");
        assert_eq!(text(Prim::F32, Prim::Bool), "x != 0");
    }
}
