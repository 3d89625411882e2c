//! Which loops are executed by vectors.
//!
//! Vectors have 128 bits, which all processors have that Cranelift knows: the lanes of four or of two iterations. A
//! loop is executed by vectors if its iterations have nothing to do with each other, and its body is declarations,
//! assignments and stores of which each value is
//!
//! * the same in all iterations: a scalar, in all lanes where it meets others; or
//! * steady: it grows by one from one iteration to the next. It is an index, and the code has that of the first lane; or
//! * varying: it has a lane for each iteration. All such values of a loop have 32 bits, or all have 64; truth values have masks.
//!
//! What varies is made of loads and stores at steady indices, and of operations that have an instruction, or a few:
//! [`instruction`] has the list. Nothing is loaded that might not be there: choices between values that are loaded are
//! left to branches.

use fehu_base::Prim;
use fehu_imp::rewrite::stride;
use fehu_imp::{Exp, Fun, Stm, Ty, V};
use fehu_ir::{BinOp, CmpOp, MathFn, Scalar, UnOp};
use rustc_hash::FxHashMap;

/// What a value is in the iterations of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Same,
    Steady,
    /// Of this type in each lane.
    Varying(Prim),
}

/// How a loop is executed by vectors.
pub(crate) struct Plan<'a> {
    fun: &'a Fun,
    /// The variable of the loop, and those that the body declares.
    classes: FxHashMap<V, Class>,
    /// The bits of a lane, once something varies.
    bits: Option<u32>,
}

impl<'a> Plan<'a> {
    /// The plan for a loop with independent iterations, if there is one.
    pub(crate) fn of(fun: &'a Fun, var: V, body: &[Stm]) -> Option<Plan<'a>> {
        let classes = FxHashMap::from_iter([(var, Class::Steady)]);
        let mut plan = Plan { fun, classes, bits: None };
        let possible = fun.vars[var].ty == Ty::Scalar(Prim::I64)
            && body.iter().all(|stm| plan.stm(stm).is_some());
        (possible && plan.bits.is_some()).then_some(plan)
    }

    /// The bits of a lane.
    pub(crate) fn bits(&self) -> u32 {
        self.bits.unwrap_or(64)
    }

    /// The number of lanes.
    pub(crate) fn lanes(&self) -> i64 {
        i64::from(128 / self.bits())
    }

    /// What a variable is.
    pub(crate) fn class_of(&self, v: V) -> Class {
        self.classes.get(&v).copied().unwrap_or(Class::Same)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements are not for vectors")]
    fn stm(&mut self, stm: &Stm) -> Option<()> {
        match stm {
            Stm::Comment(_) => Some(()),
            Stm::Declare(v, Some(e)) => {
                let class = self.class(e)?;
                self.note(class)?;
                self.classes.insert(*v, class);
                Some(())
            }
            Stm::Assign(v, e) => match (*self.classes.get(v)?, self.class(e)?) {
                (Class::Varying(_), Class::Steady) => None,
                (Class::Varying(_), Class::Varying(_) | Class::Same) => Some(()),
                (before, now) => (before == now).then_some(()),
            },
            Stm::Store(p, index, e) => {
                let prim = self.elem(*p)?;
                let fits = self.class(index)? == Class::Steady && self.class(e)? != Class::Steady;
                self.note(Class::Varying(prim)).filter(|()| fits && prim != Prim::Bool)
            }
            _ => None,
        }
    }

    /// Sees to it that all lanes have the same bits.
    fn note(&mut self, class: Class) -> Option<()> {
        let Class::Varying(prim) = class else { return Some(()) };
        match prim {
            Prim::Bool => Some(()),
            Prim::F32 | Prim::F64 | Prim::I32 | Prim::I64 | Prim::U32 | Prim::U64 => {
                (*self.bits.get_or_insert(prim.bits()) == prim.bits()).then_some(())
            }
            Prim::I8 | Prim::I16 | Prim::U8 | Prim::U16 | Prim::F16 => None,
        }
    }

    fn elem(&self, p: V) -> Option<Prim> {
        match self.fun.vars[p].ty {
            Ty::Ptr(_, prim) | Ty::Local(prim, _) => Some(prim),
            Ty::Scalar(_) | Ty::Mem | Ty::Shared(..) => None,
        }
    }

    /// What an expression is. Nothing if it is not for vectors.
    pub(crate) fn class(&mut self, e: &Exp) -> Option<Class> {
        let mut same = true;
        e.each_var(&mut |v| same &= self.class_of(v) == Class::Same);
        if same {
            return Some(Class::Same);
        }
        let class = match e {
            Exp::Var(v) => self.class_of(*v),
            Exp::Const(_) => Class::Same,
            Exp::Index(terms) => {
                let mut moving = terms.iter().flat_map(|(_, vars)| vars);
                let v = *moving.find(|v| self.class_of(**v) != Class::Same)?;
                let alone = moving.all(|v| self.class_of(*v) == Class::Same);
                let grows = stride(e, v).is_some_and(|(by, vars)| by == 1 && vars.is_empty());
                let steady = self.class_of(v) == Class::Steady && alone && grows;
                return steady.then_some(Class::Steady);
            }
            Exp::Load(p, index) => {
                let prim = self.elem(*p)?;
                match self.class(index)? {
                    Class::Steady if prim != Prim::Bool => Class::Varying(prim),
                    Class::Steady | Class::Same | Class::Varying(_) => return None,
                }
            }
            Exp::Bin(BinOp::Add, Prim::I64, a, b) if self.is_step(a, b) => Class::Steady,
            Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Select(_) => Class::Varying(self.operation(e)?),
        };
        self.note(class)?;
        Some(class)
    }

    fn is_step(&mut self, a: &Exp, b: &Exp) -> bool {
        let classes = (self.class(a), self.class(b));
        matches!(
            classes,
            (Some(Class::Steady), Some(Class::Same)) | (Some(Class::Same), Some(Class::Steady))
        )
    }

    /// The type of the result of an operation in lanes.
    fn operation(&mut self, e: &Exp) -> Option<Prim> {
        let mut operands = true;
        e.each_child(&mut |child| {
            operands &= matches!(self.class(child), Some(Class::Same | Class::Varying(_)));
        });
        let loads = |e: &Exp| e.any(&|e| matches!(e, Exp::Load(..)));
        let prim = match e {
            Exp::Select(parts) => {
                let [_, yes, no] = &**parts;
                let prim = match (self.class(yes)?, self.class(no)?) {
                    (Class::Varying(prim), _) | (_, Class::Varying(prim)) => prim,
                    // The condition is all that is known of the type.
                    _ => return None,
                };
                (!loads(yes) && !loads(no)).then_some(prim)
            }
            Exp::Bin(BinOp::And | BinOp::Or, Prim::Bool, _, b) if loads(b) => None,
            Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Const(_)
            | Exp::Var(_)
            | Exp::Index(_)
            | Exp::Load(..) => instruction(e),
        };
        prim.filter(|_| operands)
    }
}

/// The type of the result of an operation, if vectors have it. What it takes has as many bits, or is a truth value.
fn instruction(e: &Exp) -> Option<Prim> {
    let is_float = |prim: Prim| matches!(prim, Prim::F32 | Prim::F64);
    let is_word = |prim: Prim| matches!(prim, Prim::I32 | Prim::U32);
    let is_long = |prim: Prim| matches!(prim, Prim::I64 | Prim::U64);
    match e {
        Exp::Un(op, prim, _) => {
            let fits = match op {
                UnOp::Neg => is_float(*prim) || is_word(*prim) || is_long(*prim),
                UnOp::Abs => is_float(*prim) || *prim == Prim::I32,
                UnOp::Not => is_word(*prim) || is_long(*prim) || *prim == Prim::Bool,
                UnOp::Sgn => false,
            };
            fits.then_some(*prim)
        }
        Exp::Bin(op, prim, _, b) => {
            let fits = match op {
                BinOp::Add | BinOp::Sub => is_float(*prim) || is_word(*prim) || is_long(*prim),
                BinOp::Mul => is_float(*prim) || is_word(*prim),
                BinOp::Min | BinOp::Max => is_float(*prim) || is_word(*prim),
                BinOp::Div => is_float(*prim),
                BinOp::And | BinOp::Or | BinOp::Xor => {
                    is_word(*prim) || is_long(*prim) || *prim == Prim::Bool
                }
                BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr => {
                    is_word(*prim) && distance(b).is_some()
                }
                BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow => false,
            };
            fits.then_some(*prim)
        }
        Exp::Cmp(op, prim, ..) => {
            let fits = is_float(*prim)
                || is_word(*prim)
                || *prim == Prim::I64
                || is_long(*prim) && *op == CmpOp::Eq;
            fits.then_some(Prim::Bool)
        }
        Exp::Math(function, prim, _) => {
            let fits = matches!(
                function,
                MathFn::Sqrt
                    | MathFn::Rsqrt
                    | MathFn::Ceil
                    | MathFn::Floor
                    | MathFn::Round
                    | MathFn::Mad
                    | MathFn::Lerp
            );
            (fits && is_float(*prim)).then_some(*prim)
        }
        Exp::Convert(from, to, _) => match (from, to) {
            (Prim::I32 | Prim::U32, Prim::F32 | Prim::I32 | Prim::U32) => Some(*to),
            (Prim::I64 | Prim::U64, Prim::I64 | Prim::U64) => Some(*to),
            (Prim::Bool, to) if is_word(*to) || is_long(*to) => Some(*to),
            _ => None,
        },
        Exp::Reinterpret(from, to, _) => {
            (from.bits() == to.bits() && from.bits() >= 32).then_some(*to)
        }
        Exp::Const(_) | Exp::Var(_) | Exp::Index(_) | Exp::Load(..) | Exp::Select(_) => None,
    }
}

/// The number by which words are shifted, if it is known and less than their bits.
pub(crate) fn distance(e: &Exp) -> Option<i64> {
    let Exp::Const(Scalar::I32(_) | Scalar::U32(_)) = e else { return None };
    let Exp::Const(by) = e else { return None };
    i64::try_from(by.bits()).ok().filter(|by| (0..32).contains(by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_imp::text::parse;

    /// The number of lanes of a loop over `i` with this body, where `x` is an array of floats, `y` one of words, and
    /// `z` one of long floats.
    fn lanes(body: &str) -> Option<i64> {
        let text = format!(
            "prog imp\nfun f(n: i64, x: *f32, y: *i32, z: *f64, c: f32) -> () {{\n\
             for i = 0 .. n independent {{ {body} }} }}"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let fun = &program.funs[fehu_imp::FunId(0)];
        let Some(Stm::For { var, body, .. }) = fun.body.first() else { panic!("there is a loop") };
        Plan::of(fun, *var, body).map(|plan| plan.lanes())
    }

    #[test]
    fn what_has_instructions_is_done_by_vectors() {
        assert_eq!(lanes("x[i] = add_f32(mul_f32(c, x[i]), x[(i + n)])"), Some(4));
        assert_eq!(
            lanes("var j: i64 = (i + 7) var a: f64 = z[j] a = sqrt_f64(a) z[i] = a"),
            Some(2)
        );
        assert_eq!(
            lanes("var w: f32 = i32_to_f32(y[i]) x[i] = select(lt_f32(w, c), c, w)"),
            Some(4)
        );
        assert_eq!(lanes("x[i] = x[n]"), Some(4));
    }

    #[test]
    fn all_else_is_not() {
        // Lanes of different widths, numbers of iterations, elements that are far apart, and functions.
        assert_eq!(lanes("z[i] = f32_to_f64(x[i])"), None);
        assert_eq!(lanes("x[i] = i64_to_f32(i)"), None);
        assert_eq!(lanes("x[i] = x[(2*i)]"), None);
        assert_eq!(lanes("x[(n*i)] = c"), None);
        assert_eq!(lanes("x[i] = exp_f32(x[i])"), None);
        // What is not chosen may not be there.
        assert_eq!(lanes("x[i] = select(lt_f32(x[i], c), x[(i + 1)], c)"), None);
        assert_eq!(lanes("if lt_f32(x[i], c) { x[i] = c } else { }"), None);
    }
}
