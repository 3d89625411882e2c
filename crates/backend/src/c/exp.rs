//! Expressions as C, with no more parentheses than C or its readers need.

use super::names::Names;
use super::{literal, op};
use fehu_base::Prim;
use fehu_imp::{Exp, Fun, Ty, V};
use fehu_ir::{BinOp, CmpOp, MathFn};

/// How tightly an expression holds together, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Prec {
    Cond,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Add,
    Mul,
    Unary,
    Postfix,
}

/// An expression as text.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) prec: Prec,
}

impl Text {
    /// Something that never needs parentheses.
    pub(super) fn atom(text: impl Into<String>) -> Text {
        Text { text: text.into(), prec: Prec::Postfix }
    }

    /// A call.
    pub(super) fn call(name: &str, args: &[Text]) -> Text {
        let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        Text::atom(format!("{name}({})", args.join(", ")))
    }

    /// The text where something of at least this precedence is expected.
    pub(super) fn at(self, least: Prec) -> String {
        if self.prec < least { format!("({})", self.text) } else { self.text }
    }
}

/// What expressions refer to.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) fun: &'a Fun,
    pub(super) names: &'a Names,
    /// The variables that are thresholds, with the numbers of their parameters, where comparisons can be noted.
    pub(super) thresholds: &'a [(V, usize)],
    /// Whether this is not in a loop that is to be vectorised, nor in a kernel.
    pub(super) is_alone: bool,
}

impl Scope<'_> {
    /// The type of the elements that a pointer or local array has.
    pub(super) fn elem(&self, v: V) -> Prim {
        match self.fun.vars[v].ty {
            Ty::Scalar(prim) | Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => prim,
            Ty::Mem => Prim::U8,
        }
    }

    /// An expression that stands alone.
    pub(super) fn text(&self, e: &Exp) -> String {
        self.exp(e).text
    }

    /// A condition that holds when the expression does not.
    pub(super) fn negated(&self, e: &Exp) -> String {
        op::not(self, e).text
    }

    /// An expression.
    pub(super) fn exp(&self, e: &Exp) -> Text {
        match e {
            Exp::Const(value) => literal::scalar(*value),
            Exp::Var(v) => Text::atom(self.names.get(*v)),
            Exp::Un(op, prim, a) => op::unary(self, *op, *prim, a),
            // That booleans differ.
            Exp::Bin(BinOp::Xor, Prim::Bool, a, b) => {
                op::compare(self, CmpOp::Eq, Prim::Bool, a, b, false)
            }
            Exp::Bin(op, prim, a, b) => match op::distance(*op, *prim, b) {
                Some(distance) => op::shift(*op, *prim, self.exp(a), distance),
                None => op::binary(*op, *prim, self.exp(a), self.exp(b)),
            },
            Exp::Cmp(op, prim, a, b) => op::compare(self, *op, *prim, a, b, true),
            Exp::Math(function, prim, args) => {
                let args: Vec<Text> = args.iter().map(|arg| self.exp(arg)).collect();
                let alone =
                    if self.is_alone && differs_alone(*function, *prim) { "alone_" } else { "" };
                Text::call(&format!("fe_{alone}{}_{prim}", function.name()), &args)
            }
            Exp::Convert(from, to, a) => op::convert(*from, *to, self.exp(a)),
            Exp::Reinterpret(from, to, a) => op::reinterpret(*from, *to, self.exp(a)),
            Exp::Index(terms) => self.index(terms),
            Exp::Load(p, index) => self.element(*p, index),
            Exp::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let cond = self.exp(cond).at(Prec::Or);
                let yes = self.exp(yes).at(Prec::Or);
                let no = self.exp(no).at(Prec::Cond);
                Text { text: format!("{cond} ? {yes} : {no}"), prec: Prec::Cond }
            }
        }
    }

    /// `p[index]`
    pub(super) fn element(&self, p: V, index: &Exp) -> Text {
        Text::atom(format!("{}[{}]", self.names.get(p), self.text(index)))
    }

    /// `p + index`
    pub(super) fn address(&self, p: &str, index: &Exp) -> String {
        if is_zero(index) {
            return p.to_owned();
        }
        // A sum may be added term by term, but a difference of pointers' neighbours is read best in one piece.
        format!("{p} + {}", self.exp(index).at(Prec::Mul))
    }

    fn index(&self, terms: &[(i64, Vec<V>)]) -> Text {
        let mut text = String::new();
        let mut prec = Prec::Postfix;
        for (factor, vars) in terms.iter().filter(|(factor, _)| *factor != 0) {
            // The smallest number has no opposite.
            let negative = *factor < 0 && *factor != i64::MIN;
            let magnitude = if negative { -factor } else { *factor };
            let mut factors: Vec<String> =
                vars.iter().map(|&v| self.names.get(v).to_owned()).collect();
            if magnitude != 1 || factors.is_empty() {
                let number = literal::scalar(fehu_ir::Scalar::I64(magnitude));
                factors.insert(0, number.at(Prec::Postfix));
            }
            let first = text.is_empty();
            text.push_str(match (first, negative) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            text.push_str(&factors.join(" * "));
            prec = match (first, factors.len() > 1, negative) {
                (false, ..) => Prec::Add,
                (true, true, _) => Prec::Mul,
                (true, false, true) => Prec::Unary,
                (true, false, false) => Prec::Postfix,
            };
        }
        if text.is_empty() { Text::atom("0") } else { Text { text, prec } }
    }
}

/// Whether an index is the constant zero.
pub(super) fn is_zero(index: &Exp) -> bool {
    match index {
        Exp::Const(value) => *value == fehu_ir::Scalar::I64(0),
        Exp::Index(terms) => terms.iter().all(|(factor, _)| *factor == 0),
        Exp::Var(_)
        | Exp::Un(..)
        | Exp::Bin(..)
        | Exp::Cmp(..)
        | Exp::Math(..)
        | Exp::Convert(..)
        | Exp::Reinterpret(..)
        | Exp::Load(..)
        | Exp::Select(_) => false,
    }
}

/// The C type of a scalar.
pub(super) fn c_type(prim: Prim) -> &'static str {
    match prim {
        Prim::I8 => "int8_t",
        Prim::I16 => "int16_t",
        Prim::I32 => "int32_t",
        Prim::I64 => "int64_t",
        Prim::U8 => "uint8_t",
        Prim::U16 => "uint16_t",
        Prim::U32 => "uint32_t",
        Prim::U64 => "uint64_t",
        Prim::F16 => "FE_F16",
        Prim::F32 => "float",
        Prim::F64 => "double",
        Prim::Bool => "bool",
    }
}

/// Whether a function has a version for where no loop is vectorised.
fn differs_alone(function: MathFn, prim: Prim) -> bool {
    let is_circular = matches!(function, MathFn::Sin | MathFn::Cos);
    let is_exponential =
        matches!(function, MathFn::Exp | MathFn::Log | MathFn::Log2 | MathFn::Log10);
    (is_circular && matches!(prim, Prim::F32 | Prim::F64)) || (is_exponential && prim == Prim::F32)
}
