//! Keys: what two statements have in common if they compute the same.
//!
//! The key of a statement is its expression in a canonical form, and the types of everything that it binds. The
//! variables that the statement and its bodies bind are numbered in the order of the text; free variables that
//! are copies are replaced by what they are copies of; operands of commutative operations are ordered. Messages
//! of checks, places and certificates inside bodies are left out: they do not change what is computed.

use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::subst::Subst;
use fehu_ir::visit::{Visit, VisitMut, walk_exp, walk_exp_mut, walk_stm_mut, walk_type_mut};
use fehu_ir::{Atom, BinOp, Check, CmpOp, Elem, Exp, Lambda, Stm, Type, Var, VarInfo};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

/// The first number of bound variables in keys: no function has as many.
const BOUND: u32 = 1 << 31;

/// The key of a statement.
#[derive(PartialEq, Debug)]
pub(super) struct Key {
    exp: Exp,
    types: Vec<Type>,
}

/// The numbers of bound variables while a key is made; kept, because a new table for each key takes time.
#[derive(Default)]
pub(super) struct Numbers(Vec<u32>);

/// The key and its hash.
pub(super) fn key(
    stm: &Stm,
    vars: &IdVec<Var, VarInfo>,
    copies: &Subst,
    numbers: &mut Numbers,
) -> (u64, Key) {
    numbers.0.resize(vars.len(), 0);
    let mut canon = Canon { copies, numbers: &mut numbers.0, bound: Vec::new() };
    for var in &stm.pat {
        canon.number(*var);
    }
    let mut exp = stm.exp.clone();
    canon.exp(&mut exp);
    if integer_bound(stm, vars) {
        order(&mut exp);
    }
    let bound = std::mem::take(&mut canon.bound);
    let mut types = Vec::with_capacity(bound.len());
    for var in &bound {
        let mut ty = vars[*var].ty.clone();
        walk_type_mut(&mut canon, &mut ty);
        types.push(ty);
    }
    for var in bound {
        numbers.0[var.index()] = 0;
    }
    let mut hash = Hashing(FxHasher::default());
    hash.exp(&exp);
    types.hash(&mut hash.0);
    (hash.0.finish(), Key { exp, types })
}

struct Canon<'a> {
    copies: &'a Subst,
    /// For each variable its number in the key, or zero.
    numbers: &'a mut Vec<u32>,
    /// In the order of their numbers.
    bound: Vec<Var>,
}

impl Canon<'_> {
    fn number(&mut self, var: Var) -> Var {
        let new = Var(BOUND + self.bound.len() as u32);
        self.bound.push(var);
        self.numbers[var.index()] = new.0;
        new
    }

    fn numbered(&self, var: Var) -> Option<Var> {
        let number = self.numbers.get(var.index()).copied().unwrap_or(0);
        (number != 0).then_some(Var(number))
    }
}

fn no_check() -> Check {
    Check { parts: Vec::new(), trace: Vec::new() }
}

impl VisitMut for Canon<'_> {
    fn use_var(&mut self, var: &mut Var) {
        if let Some(new) = self.numbered(*var) {
            *var = new;
        } else if let Some(Atom::Var(new)) = self.copies.get(var) {
            *var = *new;
        }
    }

    fn use_atom(&mut self, atom: &mut Atom) {
        let Atom::Var(var) = atom else { return };
        if let Some(new) = self.numbered(*var) {
            *var = new;
        } else if let Some(new) = self.copies.get(var) {
            *atom = *new;
        }
    }

    fn bind(&mut self, var: &mut Var) {
        *var = self.number(*var);
    }

    fn stm(&mut self, stm: &mut Stm) {
        stm.loc = None;
        stm.certs.clear();
        walk_stm_mut(self, stm);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions stay as they are")]
    fn exp(&mut self, exp: &mut Exp) {
        match exp {
            Exp::Assert(_, check) | Exp::Fail(check) => *check = no_check(),
            _ => {}
        }
        walk_exp_mut(self, exp);
        if commutative(exp) {
            order(exp);
        }
    }
}

/// Whether the operands of an expression may be swapped, whatever their type.
fn commutative(exp: &Exp) -> bool {
    matches!(
        exp,
        Exp::BinOp(BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor, ..)
            | Exp::CmpOp(CmpOp::Eq, ..)
    )
}

/// Whether it is a minimum or maximum of integers: of floats, that of `-0` and `0` depends on the order.
fn integer_bound(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> bool {
    let elem = stm.pat.first().and_then(|var| vars[*var].ty.elem());
    matches!(stm.exp, Exp::BinOp(BinOp::Min | BinOp::Max, ..)) && !elem.is_some_and(Elem::is_float)
}

fn order(exp: &mut Exp) {
    if let Exp::BinOp(_, a, b) | Exp::CmpOp(_, a, b) = exp
        && rank(*b) < rank(*a)
    {
        std::mem::swap(a, b);
    }
}

/// Any order will do.
fn rank(atom: Atom) -> (bool, u64) {
    match atom {
        Atom::Var(var) => (false, u64::from(var.0)),
        Atom::Const(value) => (true, value.bits()),
    }
}

struct Hashing(FxHasher);

impl Visit for Hashing {
    fn use_var(&mut self, var: &Var) {
        var.hash(&mut self.0);
    }

    fn use_atom(&mut self, atom: &Atom) {
        atom.hash(&mut self.0);
    }

    fn ty(&mut self, ty: &Type) {
        ty.hash(&mut self.0);
    }

    fn lambda(&mut self, lambda: &Lambda) {
        lambda.params.len().hash(&mut self.0);
        fehu_ir::visit::walk_lambda(self, lambda);
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what else they differ in is found when keys are compared"
    )]
    fn exp(&mut self, exp: &Exp) {
        discriminant(exp).hash(&mut self.0);
        match exp {
            Exp::UnOp(op, _) => op.hash(&mut self.0),
            Exp::BinOp(op, ..) => op.hash(&mut self.0),
            Exp::CmpOp(op, ..) => op.hash(&mut self.0),
            Exp::Math(op, _) => op.hash(&mut self.0),
            Exp::Convert(prim, _) | Exp::Reinterpret(prim, _) | Exp::Iota(prim, ..) => {
                prim.hash(&mut self.0);
            }
            Exp::Call(id, _) => id.hash(&mut self.0),
            Exp::Const(id) => id.hash(&mut self.0),
            Exp::Rearrange(_, perm) => perm.hash(&mut self.0),
            Exp::Switch(_, switch) => {
                for (value, _) in &switch.cases {
                    value.hash(&mut self.0);
                }
            }
            // What else they differ in is found when keys are compared.
            _ => {}
        }
        walk_exp(self, exp);
    }
}
