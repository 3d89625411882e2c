//! Operators that choose: of two operands, the one whose key is smaller, or larger.
//!
//! ```text
//! \(a, i) (b, j) -> if a < b || (a == b && i < j) then (a, i) else (b, j)
//! ```
//!
//! People write this in many ways, with branches, minima or conditions that are put together, so the text of an operator says
//! little. Its meaning is found out: it is evaluated three times, where the first key is known to be smaller, larger and equal, with
//! operands of which nothing else is known. The operator chooses if it yields one operand whole in the first two cases, and the
//! other one in the other.

use fehu_base::{IdVec, Prim};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Elem, Exp, Lambda, Scalar, Stm, Type, UnOp, Var, VarInfo};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// What an operator chooses by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extremum {
    /// The component that is compared, ...
    pub key: usize,
    /// ... and its type.
    pub prim: Prim,
    /// The operand with the larger key is chosen.
    pub largest: bool,
    /// Which one is if keys are equal.
    pub tie: Tie,
}

/// Which of two operands with the same key is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tie {
    /// The first operand.
    First,
    /// The second one.
    Last,
    /// That with the smaller value of this component.
    Smaller(usize),
    /// That with the larger value of this component.
    Larger(usize),
}

/// How an operator on scalars chooses between its operands, if that is what it does.
pub fn extremum(op: &Lambda, vars: &IdVec<Var, VarInfo>) -> Option<Extremum> {
    let count = op.body.results.len();
    if op.params.len() != 2 * count {
        return None;
    }
    op.params[..count].iter().enumerate().find_map(|(key, param)| {
        let Type::Scalar(Elem::Prim(prim)) = vars[*param].ty else { return None };
        if prim == Prim::Bool {
            return None;
        }
        let chosen = |order| Case { op, key, order }.evaluate();
        let side = |order| side(&chosen(order)?);
        let largest = match (side(Ordering::Less)?, side(Ordering::Greater)?) {
            (Side::First, Side::Second) => false,
            (Side::Second, Side::First) => true,
            (Side::First, Side::First) | (Side::Second, Side::Second) => return None,
        };
        let tie = tie(&chosen(Ordering::Equal)?, key)?;
        Some(Extremum { key, prim, largest, tie })
    })
}

/// One of the two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    First,
    Second,
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// A component of an operand.
    Part(Side, usize),
    /// A truth value.
    Known(bool),
    /// Whether this operand has the smaller value of a component.
    Smaller(Side, usize),
    /// A component of the operand that has the smaller value, or the larger one, of another component.
    Chosen { part: usize, by: usize, smaller: bool },
}

/// The operand that all results are.
fn side(results: &[Value]) -> Option<Side> {
    let of = |(component, value): (usize, &Value)| match value {
        Value::Part(side, part) if *part == component => Some(*side),
        Value::Part(..) | Value::Known(_) | Value::Smaller(..) | Value::Chosen { .. } => None,
    };
    let mut sides = results.iter().enumerate().map(of);
    let first = sides.next()??;
    sides.all(|side| side == Some(first)).then_some(first)
}

/// Which operand the results are where keys are equal, so that it does not matter whose key it is.
fn tie(results: &[Value], key: usize) -> Option<Tie> {
    let mut ties =
        results.iter().enumerate().filter(|(part, _)| *part != key).map(|(component, value)| {
            match value {
                Value::Part(Side::First, part) if *part == component => Some(Tie::First),
                Value::Part(Side::Second, part) if *part == component => Some(Tie::Last),
                Value::Chosen { part, by, smaller } if *part == component => {
                    Some(if *smaller { Tie::Smaller(*by) } else { Tie::Larger(*by) })
                }
                Value::Part(..) | Value::Known(_) | Value::Smaller(..) | Value::Chosen { .. } => {
                    None
                }
            }
        });
    // Where there is only a key, the first one is as good as the other.
    let Some(first) = ties.next() else { return Some(Tie::First) };
    let first = first?;
    ties.all(|tie| tie == Some(first)).then_some(first)
}

/// How the keys of the operands compare.
struct Case<'a> {
    op: &'a Lambda,
    key: usize,
    order: Ordering,
}

impl Case<'_> {
    fn evaluate(&self) -> Option<Vec<Value>> {
        let (first, second) = self.op.params.split_at(self.op.params.len() / 2);
        let mut known = FxHashMap::default();
        for (side, params) in [(Side::First, first), (Side::Second, second)] {
            let parts = params.iter().enumerate();
            known.extend(parts.map(|(part, param)| (*param, Value::Part(side, part))));
        }
        self.body(&self.op.body, &mut known)
    }

    fn body(&self, body: &Body, known: &mut FxHashMap<Var, Value>) -> Option<Vec<Value>> {
        for stm in &body.stms {
            let values = self.stm(stm, known)?;
            known.extend(stm.pat.iter().copied().zip(values));
        }
        body.results.iter().map(|result| value(*result, known)).collect()
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "no other operation chooses")]
    fn stm(&self, stm: &Stm, known: &mut FxHashMap<Var, Value>) -> Option<Vec<Value>> {
        if !stm.certs.is_empty() {
            return None;
        }
        let of = |atom: &Atom| value(*atom, known);
        Some(vec![match &stm.exp {
            Exp::Atom(atom) => of(atom)?,
            Exp::UnOp(UnOp::Not, a) => match of(a)? {
                Value::Known(truth) => Value::Known(!truth),
                // Where neither is smaller, the components are equal, and it does not matter which one is chosen.
                Value::Smaller(side, part) => Value::Smaller(side.other(), part),
                Value::Part(..) | Value::Chosen { .. } => return None,
            },
            Exp::CmpOp(op, a, b) => self.compare(*op, of(a)?, of(b)?)?,
            Exp::BinOp(BinOp::And, a, b) => both(of(a)?, of(b)?, true)?,
            Exp::BinOp(BinOp::Or, a, b) => both(of(a)?, of(b)?, false)?,
            Exp::BinOp(BinOp::Min, a, b) => self.extreme(of(a)?, of(b)?, true)?,
            Exp::BinOp(BinOp::Max, a, b) => self.extreme(of(a)?, of(b)?, false)?,
            Exp::If(cond, bodies) => {
                let cond = of(cond)?;
                let [yes, no] = &**bodies;
                return match cond {
                    Value::Known(true) => self.body(yes, known),
                    Value::Known(false) => self.body(no, known),
                    Value::Smaller(side, by) => {
                        let (yes, no) = (self.body(yes, known)?, self.body(no, known)?);
                        let smaller = side == Side::First;
                        yes.into_iter()
                            .zip(no)
                            .map(|(yes, no)| selected(yes, no, by, smaller))
                            .collect()
                    }
                    Value::Part(..) | Value::Chosen { .. } => None,
                };
            }
            _ => return None,
        }])
    }

    fn compare(&self, op: CmpOp, a: Value, b: Value) -> Option<Value> {
        let (Value::Part(left, x), Value::Part(right, y)) = (a, b) else { return None };
        if x != y || left == right {
            return None;
        }
        if x == self.key {
            let order = if left == Side::First { self.order } else { self.order.reverse() };
            return Some(Value::Known(match op {
                CmpOp::Eq => order == Ordering::Equal,
                CmpOp::Lt => order == Ordering::Less,
                CmpOp::Le => order != Ordering::Greater,
            }));
        }
        match op {
            CmpOp::Lt | CmpOp::Le => Some(Value::Smaller(left, x)),
            CmpOp::Eq => None,
        }
    }

    /// The minimum or maximum.
    fn extreme(&self, a: Value, b: Value, smaller: bool) -> Option<Value> {
        let (Value::Part(left, x), Value::Part(right, y)) = (a, b) else { return None };
        if x != y || left == right {
            return None;
        }
        if x != self.key {
            return Some(Value::Chosen { part: x, by: x, smaller });
        }
        let is_first = (self.order == Ordering::Less) == smaller;
        Some(Value::Part(if is_first { Side::First } else { Side::Second }, x))
    }
}

fn value(atom: Atom, known: &FxHashMap<Var, Value>) -> Option<Value> {
    match atom {
        Atom::Const(Scalar::Bool(truth)) => Some(Value::Known(truth)),
        Atom::Const(_) => None,
        Atom::Var(var) => known.get(&var).copied(),
    }
}

/// `a && b` if `unit` is true, and `a || b` otherwise.
fn both(a: Value, b: Value, unit: bool) -> Option<Value> {
    match (a, b) {
        (Value::Known(truth), other) | (other, Value::Known(truth)) => {
            Some(if truth == unit { other } else { Value::Known(truth) })
        }
        (a, b) => (a == b).then_some(a),
    }
}

/// One of two values: the first if the first operand has the smaller value of a component, or, if `smaller` is false, the second one
/// has.
fn selected(yes: Value, no: Value, by: usize, smaller: bool) -> Option<Value> {
    match (yes, no) {
        _ if yes == no => Some(yes),
        (Value::Part(Side::First, part), Value::Part(Side::Second, other)) if part == other => {
            Some(Value::Chosen { part, by, smaller })
        }
        (Value::Part(Side::Second, part), Value::Part(Side::First, other)) if part == other => {
            Some(Value::Chosen { part, by, smaller: !smaller })
        }
        _ => None,
    }
}
