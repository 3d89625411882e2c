//! Integers of a loop that the return sweep computes backwards, from their last values.
//!
//! ```text
//! loop (xs = a, ..) for i < n do                     xs = map (\x -> x * 5 + i) xs;  ..
//! ==>
//! loop (.., ys = last) for j < n do  i = n-1-j;      xs = map (\y -> (y - i) * 0xcccccccd) ys;  ..;  (.., xs)
//! ```
//!
//! So counters, and the states of random number generators, are not kept for each iteration. Arithmetic of integers is
//! exact modulo a power of two, where sums, differences, complements, products by odd numbers, and exclusive
//! disjunctions with what is shifted have inverses. The other operands are the same in all iterations, or come from the
//! number of the iteration alone.

use super::keep::{is_scalar, is_total, without_certs};
use super::repeat::Taped;
use super::undo::{Carried, Undone};
use crate::differentiate::activity::Set;
use crate::differentiate::num::{binary, map};
use fehu_base::Prim;
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::subst::{Subst, copy_stm, subst_atom, subst_stm};
use fehu_ir::{Atom, BinOp, Body, Elem, Exp, Scalar, Screma, Stm, UnOp, Var};

/// Parameters of a loop that the return sweep computes from their next values.
#[derive(Default)]
pub(super) struct Inverted {
    all: Vec<Inverse>,
    vars: Set,
}

struct Inverse {
    /// The position of the parameter.
    index: usize,
    before: Var,
    after: Var,
    /// Statements of the body that the other operands come from.
    first: Vec<Stm>,
    how: How,
}

enum How {
    /// Of a number.
    Scalar(Vec<Step>),
    /// Of each element: the width, the other arrays with their parameters, the statements of the function that operands
    /// come from.
    Map { width: Atom, others: Vec<(Var, Var)>, first: Vec<Stm>, steps: Vec<Step> },
}

/// From the result `y` of an operation to its operand.
enum Step {
    /// `y op c`
    With(BinOp, Atom),
    /// `c - y`
    From(Atom),
    Same(UnOp),
    Convert(Prim),
    Reinterpret(Prim),
    /// The operand of `x ^ (x shifted)`: `y ^ (y shifted)` repeatedly, each time by twice as many bits, beginning with as many as
    /// in the operation. For, with `s` for
    /// shifting, `(1 + s^4) (1 + s^2) (1 + s) = 1 + s^8` modulo two, and a shift of all bits is zero.
    Shifted(BinOp, Vec<Atom>),
}

impl Inverted {
    /// The parameters that the return sweep of the body needs, or what comes from them, and that can be had in this way.
    pub(super) fn find(b: &Builder<'_>, taped: &Taped, back: &Body, undone: &Undone) -> Inverted {
        let body = &taped.body;
        let mut own: Set = body.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        own.extend(taped.params.iter().map(|param| param.var));
        let known = Known::of(b, body, own);
        let mut needed: Set = free_in_body(back, b.vars()).into_iter().collect();
        needed.extend(undone.needs());
        for stm in body.stms.iter().rev() {
            if stm.pat.iter().any(|var| needed.contains(var)) {
                needed.extend(free_in_stm(stm, b.vars()));
            }
        }
        let mut inverted = Inverted::default();
        for (index, param) in taped.params.iter().enumerate() {
            let Some(after) = body.results[index].var() else { continue };
            let (before, is_other) = (param.var, after != param.var);
            let is_needed = needed.contains(&before) || needed.contains(&after);
            let changes = |size: &Atom| size.var().is_some_and(|var| known.own.contains(&var));
            let is_integer =
                matches!(b.ty(before).elem(), Some(Elem::Prim(prim)) if prim.is_integer());
            if !is_integer
                || before == taped.counter
                || !is_other
                || !is_needed
                || undone.provides(before)
                || b.ty(before).shape().iter().any(changes)
            {
                continue;
            }
            let Some((first, how)) = known.inverse(b, body, before, after) else { continue };
            inverted.vars.extend([before, after]);
            inverted.all.push(Inverse { index, before, after, first, how });
        }
        inverted
    }

    /// Whether the return sweep has this variable without anything being saved.
    pub(super) fn provides(&self, var: Var) -> bool {
        self.vars.contains(&var)
    }

    /// Computes them; what the return sweep carries for that.
    pub(super) fn compute(&self, b: &mut Builder<'_>, names: &mut Subst) -> Vec<Carried> {
        let mut carried = Vec::new();
        for Inverse { index, before, after, first, how } in &self.all {
            let param = b.param("next", b.ty(*after).clone());
            let mut inside = names.clone();
            again(b, first, &mut inside);
            let value = match how {
                How::Scalar(steps) => run(b, steps, param.into(), &inside),
                How::Map { width, others, first, steps } => {
                    let arrays = others.iter().map(|(array, _)| {
                        inside.get(array).and_then(|atom| atom.var()).unwrap_or(*array)
                    });
                    let inputs: Vec<Var> = std::iter::once(param).chain(arrays).collect();
                    let row = b.ty(*before).row().into_iter().collect();
                    let width = subst_atom(*width, names);
                    map(b, width, &inputs, row, |b, args| {
                        let params = others.iter().map(|(_, param)| *param);
                        inside.extend(params.zip(args[1..].iter().map(|arg| Atom::Var(*arg))));
                        again(b, first, &mut inside);
                        vec![run(b, steps, args[0].into(), &inside)]
                    })[0]
                        .into()
                }
            };
            names.extend([(*before, value), (*after, param.into())]);
            carried.push(Carried { index: *index, param, next: value });
        }
        carried
    }
}

/// Statements once more, under new names.
fn again(b: &mut Builder<'_>, stms: &[Stm], names: &mut Subst) {
    for stm in stms {
        // What was checked then holds now.
        let mut copy = copy_stm(&without_certs(stm), b.vars_mut());
        subst_stm(&mut copy, b.vars_mut(), names);
        names.extend(stm.pat.iter().copied().zip(copy.pat.iter().map(|var| Atom::Var(*var))));
        b.push(copy);
    }
}

fn run(b: &mut Builder<'_>, steps: &[Step], mut y: Atom, names: &Subst) -> Atom {
    for step in steps {
        y = match step {
            Step::With(op, c) => binary(b, *op, y, subst_atom(*c, names)),
            Step::From(c) => binary(b, BinOp::Sub, subst_atom(*c, names), y),
            Step::Same(op) => b.exp("x", Exp::UnOp(*op, y)).into(),
            Step::Convert(prim) => b.exp("x", Exp::Convert(*prim, y)).into(),
            Step::Reinterpret(prim) => b.exp("x", Exp::Reinterpret(*prim, y)).into(),
            Step::Shifted(op, distances) => distances.iter().fold(y, |y, distance| {
                let shifted = binary(b, *op, y, *distance);
                binary(b, BinOp::Xor, y, shifted)
            }),
        };
    }
    y
}

/// What does not depend on the values of parameters.
struct Known {
    /// What the loop binds, its counter aside.
    own: Set,
    /// What of that comes from the number of the iteration alone.
    free: Set,
}

impl Known {
    fn of(b: &Builder<'_>, body: &Body, own: Set) -> Known {
        let mut known = Known { own, free: Set::default() };
        for stm in &body.stms {
            if known.comes_from_free(b, stm) {
                known.free.extend(&stm.pat);
            }
        }
        known
    }

    fn is_free(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| !self.own.contains(&var) || self.free.contains(&var))
    }

    fn comes_from_free(&self, b: &Builder<'_>, stm: &Stm) -> bool {
        let is_simple = is_scalar(b, stm) && is_total(&stm.exp);
        let is_plain = matches!(stm.exp, Exp::Iota(..) | Exp::Atom(_) | Exp::Reshape(..));
        let mut all = is_simple || is_plain;
        stm.exp.for_each_operand(&mut |atom| all &= self.is_free(atom));
        all
    }

    /// How a variable of the body is computed from one of its results, if it is, and the statements that other operands
    /// come from.
    fn inverse(
        &self,
        b: &Builder<'_>,
        body: &Body,
        before: Var,
        after: Var,
    ) -> Option<(Vec<Stm>, How)> {
        let mut wanted: Vec<Var> = Vec::new();
        let how = match b.ty(before).row() {
            None => How::Scalar(self.steps(b, body, before, after, &mut wanted)?),
            Some(_) => {
                let stm = body.stms.iter().find(|stm| stm.pat.contains(&after))?;
                let Exp::Screma(op) = &stm.exp else { return None };
                let place = stm.pat.iter().position(|var| *var == after)?;
                self.map(b, op, (before, place), &mut wanted)?
            }
        };
        let first = slice(b, body, wanted, &self.free);
        Some((first, how))
    }

    fn map(
        &self,
        b: &Builder<'_>,
        op: &Screma,
        (before, result): (Var, usize),
        wanted: &mut Vec<Var>,
    ) -> Option<How> {
        let inputs = op.inputs.iter().copied().zip(op.map.params.iter().copied());
        let is_map = op.scans.is_empty() && op.reds.is_empty();
        let is_ours = |(array, _): &(Var, Var)| *array == before;
        let (_, x) = inputs.clone().find(is_ours).filter(|_| is_map)?;
        // Elements of arrays that are the same in all iterations are free, and what comes from them.
        let mut inside = Known { own: self.own.iter().copied().collect(), free: self.free.clone() };
        inside.own.extend(&op.map.params);
        inside.own.extend(op.map.body.stms.iter().flat_map(|stm| &stm.pat));
        for (array, param) in inputs.clone() {
            if b.ty(array).is_array() && self.is_free(array.into()) {
                inside.free.insert(param);
            }
        }
        for stm in &op.map.body.stms {
            if inside.comes_from_free(b, stm) {
                inside.free.extend(&stm.pat);
            }
        }
        let y = op.map.body.results[result].var()?;
        let mut operands = Vec::new();
        let steps = inside.steps(b, &op.map.body, x, y, &mut operands)?;
        let first = slice(b, &op.map.body, operands.clone(), &inside.free);
        let used: Vec<Var> = first
            .iter()
            .flat_map(|stm| free_in_stm(stm, b.vars()))
            .chain(operands)
            .chain(op.width.var())
            .collect();
        let others: Vec<(Var, Var)> =
            inputs.filter(|input| !is_ours(input) && used.contains(&input.1)).collect();
        wanted.extend(used);
        wanted.extend(others.iter().map(|(array, _)| *array));
        Some(How::Map { width: op.width, others, first, steps })
    }

    /// The operations that lead from one variable of a body to another, backwards; `wanted` are their other operands.
    fn steps(
        &self,
        b: &Builder<'_>,
        body: &Body,
        x: Var,
        y: Var,
        wanted: &mut Vec<Var>,
    ) -> Option<Vec<Step>> {
        let (mut steps, mut current) = (Vec::new(), y);
        while current != x {
            let stm = body.stms.iter().find(|stm| stm.pat[..] == [current])?;
            let (step, from) = self.step(b, body, &stm.exp)?;
            if let Some(Step::With(_, c) | Step::From(c)) = &step {
                wanted.extend(c.var());
            }
            steps.extend(step);
            current = from.var()?;
        }
        Some(steps)
    }

    /// From the result of an operation to the operand that is not free; nothing to do if they are the same.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no inverse")]
    fn step(&self, b: &Builder<'_>, body: &Body, exp: &Exp) -> Option<(Option<Step>, Atom)> {
        let (step, from) = match *exp {
            Exp::Atom(x) => return Some((None, x)),
            Exp::UnOp(op @ (UnOp::Neg | UnOp::Not), x) => (Step::Same(op), x),
            Exp::Convert(prim, x) => {
                let source = prim_of(&b.atom_ty(x)).filter(|prim| prim.is_integer())?;
                let is_same = prim.is_integer() && source.bits() == prim.bits();
                is_same.then_some((Step::Convert(source), x))?
            }
            Exp::Reinterpret(prim, x) if prim.is_integer() => {
                let source = prim_of(&b.atom_ty(x)).filter(|prim| prim.is_integer())?;
                (Step::Reinterpret(source), x)
            }
            Exp::BinOp(BinOp::Xor, x, s) | Exp::BinOp(BinOp::Xor, s, x)
                if let Some(step) = shifted(b, body, x, s) =>
            {
                (step, x)
            }
            Exp::BinOp(op, x, c) if self.is_free(c) => (inverse_of(op, c)?, x),
            Exp::BinOp(BinOp::Sub, c, x) if self.is_free(c) => (Step::From(c), x),
            Exp::BinOp(op @ (BinOp::Add | BinOp::Xor | BinOp::Mul), c, x) if self.is_free(c) => {
                (inverse_of(op, c)?, x)
            }
            _ => return None,
        };
        Some((Some(step), from))
    }
}

/// The inverse of an operation with this right operand.
fn inverse_of(op: BinOp, c: Atom) -> Option<Step> {
    match (op, c) {
        (BinOp::Add, _) => Some(Step::With(BinOp::Sub, c)),
        (BinOp::Sub, _) => Some(Step::With(BinOp::Add, c)),
        (BinOp::Xor, _) => Some(Step::With(BinOp::Xor, c)),
        (BinOp::Mul, Atom::Const(factor)) => {
            let (Elem::Prim(prim), bits) = (factor.elem(), factor.bits()) else { return None };
            (bits % 2 == 1).then(|| {
                let inverse = Scalar::from_bits(prim, odd_inverse(bits));
                Step::With(BinOp::Mul, inverse.into())
            })
        }
        _ => None,
    }
}

/// The inverse of an odd number modulo 2^64: each step of Newton's method doubles the bits that are right, three at first.
fn odd_inverse(odd: u64) -> u64 {
    (0..5)
        .fold(odd, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse))))
}

/// How `x` is had from its exclusive disjunction with `s`, if that is `x` shifted.
fn shifted(b: &Builder<'_>, body: &Body, x: Atom, s: Atom) -> Option<Step> {
    let stm = body.stms.iter().find(|stm| s.var().is_some_and(|s| stm.pat[..] == [s]))?;
    let Exp::BinOp(op, of, Atom::Const(distance)) = stm.exp else { return None };
    let prim = prim_of(&b.atom_ty(x))?;
    let is_logical = match op {
        BinOp::Shl | BinOp::Lshr => true,
        BinOp::Shr => prim.is_unsigned(),
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
        | BinOp::Xor
        | BinOp::Ashr => false,
    };
    let (bits, width) = (distance.bits(), u64::from(prim.bits()));
    let fits = of == x && is_logical && (1..width).contains(&bits);
    let Elem::Prim(of) = distance.elem() else { return None };
    fits.then(|| {
        let distances = std::iter::successors(Some(bits), |bits| Some(2 * bits));
        let distances = distances.take_while(|bits| *bits < width);
        Step::Shifted(op, distances.map(|bits| Scalar::from_bits(of, bits).into()).collect())
    })
}

/// The statements of a body that these variables come from.
fn slice(b: &Builder<'_>, body: &Body, mut wanted: Vec<Var>, free: &Set) -> Vec<Stm> {
    let mut all = Vec::new();
    for stm in body.stms.iter().rev() {
        let is_wanted = |var: &Var| free.contains(var) && wanted.contains(var);
        if stm.pat.iter().any(is_wanted) {
            wanted.extend(free_in_stm(stm, b.vars()));
            all.push(stm.clone());
        }
    }
    all.reverse();
    all
}
