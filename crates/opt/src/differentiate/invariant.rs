//! Scalars that are the same at all positions of an operator inside of another operator: they are computed before it.
//!
//! ```text
//! map (\x y -> x - row[k] / pivot * y) xs ys      =>      f = row[k] / pivot;  map (\x y -> x - f * y) xs ys
//! ```
//!
//! In reverse mode, the positions contribute to what they share: here to one number, which is a sum, where it would be
//! an element of an array and two divisions at each position otherwise. `hoist` comes too late for that.
//!
//! This is done where it is known that there is a position, so that nothing is evaluated that was not before: the
//! operator is in a loop that counts up to its width, or in the function of another one that is as wide. Checks go
//! along, unless something that stays could end the program before them. Out of operators that the host starts nothing
//! is taken: an element is better read by a kernel than before it.

use super::activity::Set;
use fehu_base::IdVec;
use fehu_ir::free::free_in_stm;
use fehu_ir::{Atom, Exp, Family, Lambda, LoopForm, Scalar, Stm, Type, Var, VarInfo};

/// The operators and loops around a body.
#[derive(Default)]
pub(super) struct Around {
    /// Sizes that are above zero inside of them.
    positive: Vec<Atom>,
    /// How many operators there are.
    operators: usize,
}

impl Around {
    /// Notes that what is looked at next is inside of an expression; the state to come back to.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing is known of the sizes of others")]
    pub(super) fn enter(&mut self, exp: &Exp) -> (usize, usize) {
        let before = (self.positive.len(), self.operators);
        match exp {
            Exp::Loop(_, LoopForm::For(_, bound), _) => self.positive.push(*bound),
            Exp::Screma(op) => self.positive.push(op.width),
            _ => {}
        }
        self.operators += usize::from(exp.family() == Family::Operator);
        before
    }

    pub(super) fn leave(&mut self, (positive, operators): (usize, usize)) {
        self.positive.truncate(positive);
        self.operators = operators;
    }

    /// Takes out of the function of an operator of this width what does not depend on the position.
    pub(super) fn take_out(
        &self,
        width: Atom,
        function: &mut Lambda,
        vars: &IdVec<Var, VarInfo>,
    ) -> Vec<Stm> {
        let is_positive = match width {
            Atom::Const(Scalar::I64(width)) => width > 0,
            Atom::Const(_) | Atom::Var(_) => self.positive.contains(&width),
        };
        if self.operators == 0 || !is_positive {
            return Vec::new();
        }
        let mut own: Set = function.params.iter().copied().collect();
        // Whether something that stays may end the program, or print.
        let mut stays = false;
        let (out, rest) = std::mem::take(&mut function.body.stms).into_iter().partition(|stm| {
            let is_fixed = !free_in_stm(stm, vars).iter().any(|var| own.contains(var));
            let is_check = matches!(stm.exp, Exp::Assert(..));
            let moves = is_fixed && (is_check && !stays || is_scalar(stm, vars));
            if !moves {
                own.extend(&stm.pat);
                stays |= !is_quiet(&stm.exp);
            }
            moves
        });
        function.body.stms = rest;
        out
    }
}

/// Whether a statement computes scalars from others, or reads an element.
fn is_scalar(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
    (stm.exp.family() == Family::Scalar || matches!(stm.exp, Exp::Index(..)))
        && stm.pat.iter().all(|var| matches!(vars[*var].ty, Type::Scalar(_)))
}

/// Whether an expression neither ends the program nor prints.
fn is_quiet(exp: &Exp) -> bool {
    match exp.family() {
        Family::Scalar | Family::View | Family::Fresh | Family::Change => true,
        Family::Asked
        | Family::Control
        | Family::Reference
        | Family::Operator
        | Family::Check
        | Family::Fixed => false,
    }
}
