//! What evaluating an expression does besides yielding values.
//!
//! Two questions are answered. May a statement be *removed* when nobody uses its results? Not if it can end the
//! program with an error or prints something. May an expression be *speculated*, evaluated where the program
//! would not have evaluated it? Not if that, nor if it relies on a condition: an index in bounds, a divisor that
//! is not zero, a size that is not negative, a loop that ends.

use fehu_base::IdVec;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Atom, BinOp, Body, ConstId, Elem, Exp, Family, FunId, LoopForm, Prog, Var, VarInfo};

/// Which functions and constants of a program can fail or print.
#[derive(Clone, Debug)]
pub struct Effects {
    funs: IdVec<FunId, bool>,
    consts: IdVec<ConstId, bool>,
}

impl Effects {
    /// Looks at a whole program; for recursive functions the least fixed point.
    pub fn of(prog: &Prog) -> Effects {
        let mut effects = Effects {
            funs: IdVec::filled(false, prog.funs.len()),
            consts: IdVec::filled(false, prog.consts.len()),
        };
        loop {
            let mut changed = false;
            for (id, item) in prog.consts.iter() {
                if !effects.consts[id] && effects.body(&item.body) {
                    effects.consts[id] = true;
                    changed = true;
                }
            }
            for (id, fun) in prog.funs.iter() {
                // Foreign functions are pure by contract, whatever their bodies check.
                if fun.foreign.is_none() && !effects.funs[id] && effects.body(&fun.body) {
                    effects.funs[id] = true;
                    changed = true;
                }
            }
            if !changed {
                return effects;
            }
        }
    }

    /// Whether an expression, with all bodies inside, can end the program or prints something.
    pub fn exp(&self, exp: &Exp) -> bool {
        let mut look = Look { effects: self, found: false };
        look.exp(exp);
        look.found
    }

    /// Whether an expression itself does, not what is in its bodies.
    pub fn shallow(&self, exp: &Exp) -> bool {
        match exp.family() {
            Family::Check => !matches!(exp, Exp::Assert(cond, _) if *cond == Atom::bool(true)),
            Family::Fixed => matches!(exp, Exp::Trace(..) | Exp::Notice(..)),
            Family::Reference => {
                matches!(exp, Exp::Call(fun, _) if self.fun(*fun))
                    || matches!(exp, Exp::Const(id) if self.constant(*id))
            }
            Family::Scalar
            | Family::Asked
            | Family::View
            | Family::Fresh
            | Family::Change
            | Family::Control
            | Family::Operator => false,
        }
    }

    /// Whether a body does.
    pub fn body(&self, body: &Body) -> bool {
        let mut look = Look { effects: self, found: false };
        look.body(body);
        look.found
    }

    /// Whether calling a function can.
    pub fn fun(&self, id: FunId) -> bool {
        self.funs.get(id).is_none_or(|effect| *effect)
    }

    /// Whether referring to a constant can.
    pub fn constant(&self, id: ConstId) -> bool {
        self.consts.get(id).is_none_or(|effect| *effect)
    }

    /// Whether an expression can be evaluated anywhere: it has no effects, ends, and relies on no condition.
    pub fn speculable(&self, exp: &Exp, vars: &IdVec<Var, VarInfo>) -> bool {
        let mut look = Speculate { effects: self, vars, fine: true };
        look.exp(exp);
        look.fine
    }
}

struct Look<'a> {
    effects: &'a Effects,
    found: bool,
}

impl Visit for Look<'_> {
    fn exp(&mut self, exp: &Exp) {
        if self.found {
            return;
        }
        self.found = self.effects.shallow(exp);
        walk_exp(self, exp);
    }
}

struct Speculate<'a> {
    effects: &'a Effects,
    vars: &'a IdVec<Var, VarInfo>,
    fine: bool,
}

impl Visit for Speculate<'_> {
    fn exp(&mut self, exp: &Exp) {
        if !self.fine {
            return;
        }
        self.fine = match exp {
            Exp::Atom(_)
            | Exp::UnOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Array(..)
            | Exp::Rearrange(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::If(..)
            | Exp::Switch(..)
            | Exp::Screma(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
            | Exp::Diff(_)
            | Exp::Seg(_)
            | Exp::Opaque(_)
            | Exp::Tuning(..)
            | Exp::Threads => true,
            Exp::BinOp(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, _, divisor) => {
                divides(*divisor, self.vars)
            }
            Exp::BinOp(..) => true,
            Exp::Assert(cond, _) => *cond == Atom::bool(true),
            Exp::Const(id) => !self.effects.constant(*id),
            // The sizes of arrays rest on checks.
            Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Concat(..)
            | Exp::Reshape(..) => false,
            Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Update(..)
            | Exp::FlatUpdate(..)
            | Exp::Call(..)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Stream(_)
            | Exp::WithAcc(..)
            | Exp::UpdateAcc(..)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Fail(_) => false,
            Exp::Loop(_, form, _) => matches!(form, LoopForm::For(..)),
        };
        walk_exp(self, exp);
    }
}

/// Whether dividing by the operand always has a result.
fn divides(divisor: Atom, vars: &IdVec<Var, VarInfo>) -> bool {
    match divisor {
        Atom::Const(value) => value.elem().is_float() || value.bits() != 0,
        Atom::Var(var) => vars[var].ty.elem().is_some_and(Elem::is_float),
    }
}
