//! Type abbreviations.

use crate::checker::Checker;
use crate::errors;
use crate::infer::used_constructively;
use crate::program::{ParamKind, TypeSort};
use crate::scope::{TypeDef, TypeDefParam};
use crate::ty::{Arg, Lifted, Size, Ty, TypeFnParam, TypeId, VarId};
use fehu_syntax::ast::{Ident, TypeBind, TypeParam, TypeParamKind};
use std::sync::Arc;

impl Checker<'_> {
    /// The meaning of `type t 'a [n] = ...`.
    pub(super) fn type_binding(&mut self, bind: &TypeBind) -> Arc<TypeDef> {
        self.metas = Default::default();
        let mark = self.scope.enter();
        let params = self.type_def_params(&bind.params);
        let before = self.diags.len();
        let (ty, exts) = self.type_in_declaration(&bind.body);
        let is_read = self.diags.len() == before;
        let lifted = self.declared_lifted(&bind.body);
        self.scope.leave(&mark);
        self.finish_type_metas();
        for &var in &exts {
            if !used_constructively(&ty, var) {
                self.report(errors::anonymous_nonconstructive(bind.body.span, &bind.name.name));
            }
        }
        if bind.lifted == Lifted::Unlifted && !exts.is_empty() {
            self.report(errors::unlifted_abbreviation(bind.name.span, &bind.name.name, false));
        }
        match (lifted, bind.lifted) {
            (Lifted::Lifted, Lifted::Unlifted | Lifted::SizeLifted) => {
                self.report(errors::unlifted_abbreviation(bind.name.span, &bind.name.name, true));
            }
            (Lifted::SizeLifted, Lifted::Unlifted) if exts.is_empty() => {
                self.report(errors::unlifted_abbreviation(bind.name.span, &bind.name.name, false));
            }
            _ => {}
        }
        for (param, written) in params.iter().zip(&bind.params) {
            // What is missing in a type with errors may be what is wrong with it.
            if let TypeFnParam::Size(var) = param.param
                && is_read
                && !mentions(&ty, var)
            {
                self.report(errors::unused_size_param(
                    written.span,
                    &written.name.name,
                    &bind.name.name,
                ));
            }
        }
        Arc::new(TypeDef {
            name: bind.name.name.clone(),
            span: Some(bind.name.span),
            lifted: bind.lifted,
            params,
            exts,
            ty: ty.without_unique(),
        })
    }

    /// Types of literals in size expressions outside of values.
    pub(crate) fn finish_type_metas(&mut self) {
        for i in 0..self.metas.infos.len() {
            let info = &mut self.metas.infos[crate::ty::Meta(i as u32)];
            if info.solution.is_none() {
                info.solution = Some(Ty::I64);
            }
        }
        self.note_instances();
    }

    pub(super) fn type_def_params(&mut self, params: &[TypeParam]) -> Vec<TypeDefParam> {
        let bound = self.bind_type_params(params);
        params
            .iter()
            .zip(bound)
            .map(|(param, bound)| TypeDefParam {
                param: bound,
                lifted: match param.kind {
                    TypeParamKind::Size => Lifted::Unlifted,
                    TypeParamKind::Type(lifted) => lifted,
                },
                name: param.name.name.clone(),
            })
            .collect()
    }

    /// A new abstract type.
    pub(super) fn abstract_type(
        &mut self,
        name: &Ident,
        lifted: Lifted,
        params: &[TypeParam],
    ) -> (TypeId, Arc<TypeDef>) {
        let mark = self.scope.enter();
        let params = self.type_def_params(params);
        self.scope.leave(&mark);
        let kinds = params
            .iter()
            .map(|p| match p.param {
                TypeFnParam::Size(_) => ParamKind::Size,
                TypeFnParam::Type(_) => ParamKind::Type(p.lifted),
            })
            .collect();
        let full_name = self.qualified(&name.name);
        let id = self.new_type(full_name, Some(name.span), lifted, kinds, TypeSort::Abstract);
        let args: Vec<Arg> = params.iter().map(|p| own_arg(p.param)).collect();
        let def = TypeDef {
            name: name.name.clone(),
            span: Some(name.span),
            lifted,
            params,
            exts: Vec::new(),
            ty: Ty::Con(id, args.into()),
        };
        (id, Arc::new(def))
    }
}

/// A parameter as the argument for itself.
pub(super) fn own_arg(param: TypeFnParam) -> Arg {
    match param {
        TypeFnParam::Size(var) => Arg::Size(Size::Var(var)),
        TypeFnParam::Type(id) => Arg::Type(Ty::Con(id, Arc::new([]))),
    }
}

fn mentions(ty: &Ty, var: VarId) -> bool {
    let mut found = false;
    ty.for_each_size(&mut |size| size.for_each_var(&mut |v| found |= v == var));
    found
}
