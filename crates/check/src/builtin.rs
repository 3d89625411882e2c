//! The operators that are built into the language: overloaded, and so not definable in it.

use crate::checker::Checker;
use crate::program::{TypeSort, VarKind};
use crate::scope::{ModEnv, Term};
use crate::ty::{Lifted, Needs, PrimSet, Scheme, SchemeType, Ty};
use std::sync::Arc;

/// Operators on two values of one type, and what that type must be.
const ARITHMETIC: &[(&str, PrimSet)] = &[
    ("+", PrimSet::NUMERIC),
    ("-", PrimSet::NUMERIC),
    ("*", PrimSet::NUMERIC),
    ("/", PrimSet::NUMERIC),
    ("%", PrimSet::NUMERIC),
    ("**", PrimSet::NUMERIC),
    ("//", PrimSet::INTEGER),
    ("%%", PrimSet::INTEGER),
    ("&", PrimSet::BITS),
    ("|", PrimSet::BITS),
    ("^", PrimSet::BITS),
    ("<<", PrimSet::INTEGER),
    (">>", PrimSet::INTEGER),
];

const COMPARISON: &[&str] = &["<", "<=", ">", ">="];

impl Checker<'_> {
    /// The built-in operators.
    pub(crate) fn builtin_operators(&mut self) -> ModEnv {
        let mut env = ModEnv::default();
        for &(name, set) in ARITHMETIC {
            let (param, ty) = self.overloaded(Needs::OneOf(set));
            let fun = Ty::fun(ty.clone(), Ty::fun(ty.clone(), ty));
            self.builtin(&mut env, name, Some(param), fun);
        }
        for &name in COMPARISON {
            let (param, ty) = self.overloaded(Needs::OneOf(PrimSet::ALL));
            let fun = Ty::fun(ty.clone(), Ty::fun(ty, Ty::BOOL));
            self.builtin(&mut env, name, Some(param), fun);
        }
        for name in ["==", "!="] {
            let (param, ty) = self.overloaded(Needs::Equality);
            let fun = Ty::fun(ty.clone(), Ty::fun(ty, Ty::BOOL));
            self.builtin(&mut env, name, Some(param), fun);
        }
        for name in ["&&", "||"] {
            let fun = Ty::fun(Ty::BOOL, Ty::fun(Ty::BOOL, Ty::BOOL));
            self.builtin(&mut env, name, None, fun);
        }
        for (name, set) in [("neg", PrimSet::NUMERIC), ("!", PrimSet::BITS)] {
            let (param, ty) = self.overloaded(Needs::OneOf(set));
            self.builtin(&mut env, name, Some(param), Ty::fun(ty.clone(), ty));
        }
        env
    }

    fn overloaded(&mut self, needs: Needs) -> (SchemeType, Ty) {
        let id = self.new_type("a", None, Lifted::Unlifted, Vec::new(), TypeSort::Parameter);
        let param = SchemeType { id, lifted: Lifted::Unlifted, needs };
        (param, Ty::Con(id, Arc::new([])))
    }

    fn builtin(&mut self, env: &mut ModEnv, name: &str, param: Option<SchemeType>, ty: Ty) {
        let var = self.new_var(name, None, VarKind::Builtin, None);
        let types = param.into_iter().collect();
        self.set_scheme(var, Scheme { sizes: Vec::new(), types, ty });
        env.terms.insert(name.into(), Term::Val(var));
    }
}
