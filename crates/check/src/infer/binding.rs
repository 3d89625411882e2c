//! A top-level value: both phases of inference, and the checks that follow them.

use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::infer::Metas;
use crate::program::{Instance, VarKind};
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

/// What the name of a function means in the function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Itself {
    /// The function: the rule.
    InScope,
    /// What it meant before.
    NotInScope,
}

/// A binding that was checked.
struct Attempt {
    var: VarId,
    /// Whether all types and sizes were inferred.
    inferred: bool,
}

impl Checker<'_> {
    /// Checks a value or function and gives its variable its type scheme.
    pub(crate) fn value_binding(&mut self, dec: &Dec, bind: &ValBind) -> VarId {
        if !self.is_needed(&bind.name.name)
            && let Some(var) = self.believed_value(dec, bind)
        {
            return var;
        }
        self.binding_start = self.diags.len();
        let Some(earlier) = self.earlier_definition(bind) else {
            return self.attempt(dec, bind, Itself::InScope).var;
        };
        let unknowns = std::mem::take(&mut self.tables.unknowns);
        let loop_sizes = std::mem::take(&mut self.tables.loop_sizes);
        let var = self.attempt_or_earlier(dec, bind, earlier);
        // What one binding adds is less than what all before it did.
        let new = std::mem::replace(&mut self.tables.unknowns, unknowns);
        self.tables.unknowns.extend(new);
        let new = std::mem::replace(&mut self.tables.loop_sizes, loop_sizes);
        self.tables.loop_sizes.extend(new);
        var
    }

    /// The value that the name of a function means before the function is defined.
    fn earlier_definition(&self, bind: &ValBind) -> Option<VarId> {
        if bind.params.is_empty() {
            return None;
        }
        match &self.scope.term(&bind.name.name)?.term {
            Term::Val(var) if !self.program.vars[*var].poisoned => Some(*var),
            Term::Val(_) | Term::Mod(..) => None,
        }
    }

    /// Checks a function whose name means another value until here. A function is in scope of itself,
    /// but this has not always been so: existing programs have functions such as
    /// `def area (s: square) = area s.width s.height`. Where the uses of the name cannot be recursive
    /// because of their types, and are right as uses of the earlier definition, they are these, and
    /// a warning says so.
    fn attempt_or_earlier(&mut self, dec: &Dec, bind: &ValBind, earlier: VarId) -> VarId {
        let Attempt { var, inferred } = self.attempt(dec, bind, Itself::InScope);
        let uses = std::mem::take(&mut self.self_uses);
        let Some(&(_, first)) = uses.first() else { return var };
        let found = &self.diags[self.binding_start..];
        if inferred && !found.iter().any(|d| d.code == "recursion") {
            return var;
        }
        self.forget_attempt();
        let Attempt { var, .. } = self.attempt(dec, bind, Itself::NotInScope);
        if !self.failing() {
            let defined = self.program.vars[earlier].span;
            self.report(errors::earlier_definition(first, &bind.name.name, defined));
            return var;
        }
        // Neither is right. The messages are those of the rule, so it is the last attempt again.
        self.forget_attempt();
        for (node, _) in uses {
            self.tables.instances.insert(node, Instance::default());
        }
        self.attempt(dec, bind, Itself::InScope).var
    }

    fn forget_attempt(&mut self) {
        self.diags.truncate(self.binding_start);
        self.tables.unknowns.clear();
        self.tables.loop_sizes.clear();
    }

    /// Checks a value or function in one way to read its name.
    fn attempt(&mut self, dec: &Dec, bind: &ValBind, itself: Itself) -> Attempt {
        self.metas = Metas::default();
        self.size_metas = Default::default();
        self.self_uses.clear();
        self.current = None;
        self.tainted = false;
        let var = self.new_var(bind.name.name.clone(), Some(bind.name.span), VarKind::Global, None);
        self.tables.binders.insert(dec.id, var);

        let mark = self.scope.enter();
        self.level = 1;
        let outline = self.outline(var, bind, itself);
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
            self.note_outline_types();
            return Attempt { var, inferred: false };
        }
        self.size_binding(bind, &outline);
        let inferred = !self.failing();
        if inferred {
            self.after_inference(dec, bind, var);
        } else {
            self.drop_warnings();
            self.program.vars[var].poisoned = true;
        }
        Attempt { var, inferred }
    }

    /// Notes what types the nodes of a refused binding have, as far as they are known and without sizes, for those who look
    /// at programs that are being written.
    fn note_outline_types(&mut self) {
        let types = std::mem::take(&mut self.metas.node_types);
        for (node, ty) in types.iter() {
            let ty = self.zonk(ty);
            self.tables.types.insert(*node, ty);
        }
    }

    /// Warnings about a binding that is refused are beside the point.
    fn drop_warnings(&mut self) {
        let found = self.diags.split_off(self.binding_start);
        self.diags.extend(found.into_iter().filter(|d| d.is_error()));
    }

    /// The first phase: types without sizes, generalised.
    fn outline(&mut self, var: VarId, bind: &ValBind, itself: Itself) -> Outline {
        if !bind.params.is_empty() && itself == Itself::InScope {
            let term = ScopedTerm::local(Term::Val(var));
            self.scope.bind_term(bind.name.name.clone(), term);
            self.current = Some(var);
        }
        let explicit = self.bind_type_params(&bind.type_params);
        let params = self.infer_pats(&bind.params, VarKind::Param, &bind.type_params);
        let declared = bind.ret.as_ref().map(|ret| self.type_exp(ret).0);
        if let (true, Some(ty), Some(ret)) = (bind.params.is_empty(), &declared, &bind.ret)
            && unique_outside_functions(ty)
        {
            self.report(errors::unique_constant(ret.span, &bind.name.name));
        }
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

/// Whether a part of the type that is not inside of a function's is unique, and not only scalars.
fn unique_outside_functions(ty: &Ty) -> bool {
    match ty {
        Ty::Unique(inner) => !super::type_exp::only_scalars(inner),
        Ty::Record(fields) => fields.iter().any(|(_, t)| unique_outside_functions(t)),
        Ty::Sum(ctors) => ctors.iter().flat_map(|(_, ts)| ts).any(unique_outside_functions),
        Ty::Prim(_) | Ty::Array(..) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => false,
    }
}
