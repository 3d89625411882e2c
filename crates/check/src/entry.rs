//! The rules for entry points: functions that other languages can call.

use crate::checker::Checker;
use crate::errors;
use crate::infer::used_constructively;
use crate::ty::{Arg, Lifted, Ty, VarId};
use fehu_syntax::ast::ValBind;

impl Checker<'_> {
    /// Checks that a value can be an entry point.
    pub(crate) fn entry_point(&mut self, bind: &ValBind, var: VarId) {
        if self.program.vars[var].poisoned {
            return;
        }
        let Some(scheme) = self.scheme(var) else { return };
        let name = &bind.name.name;
        let span = bind.name.span;
        if name.contains('\'') {
            self.report(errors::entry_name(span, name));
        }
        if !scheme.types.is_empty() {
            self.report(errors::polymorphic_entry(span, name));
            return;
        }
        let (params, ret) = parts(&scheme.ty);
        if params.iter().chain([&ret]).any(|ty| self.higher_order(ty)) {
            self.report(errors::higher_order_entry(span, name));
            return;
        }
        for (pat, ty) in bind.params.iter().zip(&params) {
            if pat.is_streamed() && !matches!(ty.unwrap_unique(), Ty::Array(..)) {
                let text = self.show(ty);
                self.report(errors::stream_of_no_array(pat.span, &text));
            }
        }
        for &size in &scheme.sizes {
            let text = self.program.vars[size].name.clone();
            if params.iter().any(|ty| used_constructively(ty, size)) {
                continue;
            }
            if params.iter().any(|ty| mentions(ty, size)) {
                self.report(errors::nonconstructive_entry(span, name, &text));
            } else {
                self.report(errors::size_polymorphic_entry(span, name, &text));
            }
        }
    }

    fn higher_order(&self, ty: &Ty) -> bool {
        match ty {
            // A sequence is read or written while the program runs.
            Ty::Fun(fun) => !fun.is_seq(),
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error => false,
            Ty::Array(_, inner) | Ty::Unique(inner) => self.higher_order(inner),
            Ty::Record(fields) => fields.iter().any(|(_, t)| self.higher_order(t)),
            Ty::Sum(ctors) => ctors.iter().any(|(_, ts)| ts.iter().any(|t| self.higher_order(t))),
            Ty::Con(id, args) => {
                self.program.types[*id].lifted == Lifted::Lifted
                    || args.iter().any(|arg| matches!(arg, Arg::Type(ty) if self.higher_order(ty)))
            }
        }
    }
}

/// The parameters and result of a function; all of them, since a value that is a function is called
/// like one.
fn parts(ty: &Ty) -> (Vec<Ty>, Ty) {
    let mut params = Vec::new();
    let mut ret = ty.clone();
    while let Ty::Fun(fun) = &ret.clone()
        && !fun.is_seq()
    {
        params.push(fun.param.clone());
        ret = fun.ret.clone();
    }
    (params, ret)
}

fn mentions(ty: &Ty, var: VarId) -> bool {
    let mut found = false;
    ty.for_each_size(&mut |size| size.for_each_var(&mut |v| found |= v == var));
    found
}
