//! A top-level value: both phases of inference, and the checks that follow them.

use crate::checker::Checker;
use crate::errors::Expect;
use crate::infer::Metas;
use crate::program::VarKind;
use crate::scope::{ScopedTerm, Term};
use crate::ty::{Scheme, Ty, TypeFnParam, VarId};
use fehu_syntax::ast::{Dec, ValBind};

/// What the first phase finds out about a binding; the second goes on from here.
pub(crate) struct Outline {
    pub(crate) var: VarId,
    /// The parameters written in the program.
    pub(crate) explicit: Vec<TypeFnParam>,
    /// The type parameters that inference adds.
    pub(crate) inferred: Vec<crate::ty::SchemeType>,
}

impl Checker<'_> {
    /// Checks a value or function and gives its variable its type scheme.
    pub(crate) fn value_binding(&mut self, dec: &Dec, bind: &ValBind) -> VarId {
        if self.trusted
            && let Some(var) = self.believed_value(dec, bind)
        {
            return var;
        }
        self.metas = Metas::default();
        self.size_metas = Default::default();
        self.binding_start = self.diags.len();
        self.tainted = false;
        let var = self.new_var(bind.name.name.clone(), Some(bind.name.span), VarKind::Global, None);
        self.tables.binders.insert(dec.id, var);

        let mark = self.scope.enter();
        self.level = 1;
        let outline = self.outline(var, bind);
        self.scope.leave(&mark);
        self.level = 0;

        if self.failing() {
            self.drop_warnings();
            // What is known of the type is kept, so that uses of the name are still checked.
            let scheme = self.program.vars[var].scheme.clone();
            let ty = scheme.map_or(Ty::Error, |s| s.ty.clone());
            let ty = self.zonk(&ty);
            let ty = self.poison(&ty);
            let mut scheme = self.scheme_of(&outline.explicit, ty);
            scheme.types.extend(outline.inferred);
            self.set_scheme(var, scheme);
            self.program.vars[var].poisoned = true;
            return var;
        }
        self.size_binding(bind, &outline);
        if self.failing() {
            self.drop_warnings();
            self.program.vars[var].poisoned = true;
        } else {
            self.after_inference(dec, bind, var);
        }
        var
    }

    /// Warnings about a binding that is refused are beside the point.
    fn drop_warnings(&mut self) {
        let found = self.diags.split_off(self.binding_start);
        self.diags.extend(found.into_iter().filter(|d| d.is_error()));
    }

    /// The first phase: types without sizes, generalised.
    fn outline(&mut self, var: VarId, bind: &ValBind) -> Outline {
        if !bind.params.is_empty() {
            let term = ScopedTerm::local(Term::Val(var));
            self.scope.bind_term(bind.name.name.clone(), term);
        }
        let explicit = self.bind_type_params(&bind.type_params);
        let params = self.infer_pats(&bind.params, VarKind::Param, &bind.type_params);
        let declared = bind.ret.as_ref().map(|ret| self.type_exp(ret).0);
        let ret = match &declared {
            Some(ret) => ret.clone(),
            None => self.fresh(bind.body.span),
        };
        let ty = self.function_type(&bind.params, params, ret.clone());
        if !bind.params.is_empty() {
            self.set_scheme(var, Scheme::mono(ty.clone()));
        }
        let what = match bind.params.is_empty() {
            true => Expect::ValueBody(bind.ret.as_ref().map(|ret| ret.span)),
            false => Expect::FunctionBody(bind.ret.as_ref().map(|ret| ret.span)),
        };
        self.expect(&bind.body, &ret, what);
        self.finish();
        let inferred = self.generalise(&ty);
        let ty = self.zonk(&ty);
        self.note_instances();
        let mut scheme = self.scheme_of(&explicit, ty);
        scheme.types.extend(inferred.iter().cloned());
        self.set_scheme(var, scheme);
        Outline { var, explicit, inferred }
    }
}
