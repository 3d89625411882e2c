//! The sizes of a top-level value or function, and the end of inference.

use super::{Compared, FunctionHead, Origin, SizeMetas};
use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::infer::Outline;
use crate::program::VarKind;
use crate::ty::{Scheme, Size, SizeMeta, Ty, TypeFnParam, VarId};
use fehu_syntax::ast::ValBind;

impl Checker<'_> {
    /// The second phase for a binding whose types are known.
    pub(crate) fn size_binding(&mut self, bind: &ValBind, outline: &Outline) {
        self.size_metas = SizeMetas {
            counters: std::mem::take(&mut self.size_metas.counters),
            ..Default::default()
        };
        self.size_metas.current = Some(bind.body.span);
        self.size_metas.head = Some(FunctionHead {
            sizes: match bind.infix {
                true => None,
                false => Some(bind.type_params.last().map_or(bind.name.span, |p| p.span).after()),
            },
            params: bind.params.iter().map(|param| param.span).collect(),
            whole: bind.name.span.to(bind.body.span),
        });
        self.level = 1;
        self.sized_type_params(&bind.type_params);
        let explicit = self.explicit_sizes(&bind.type_params);
        let ty = if bind.params.is_empty() {
            self.size_value(bind)
        } else {
            self.size_function(bind, outline, &explicit)
        };
        if let Err(error) = self.solve_postponed() {
            let (types, clash) = *error;
            let Compared { span, want, found, why } = types.unwrap_or(Compared {
                span: self.nowhere(),
                want: Ty::Error,
                found: Ty::Error,
                why: Expect::Nothing,
            });
            let (want, found) = (self.zonk_sized(&want), self.zonk_sized(&found));
            let d = self.size_clash(span, &want, &found, why, &clash);
            self.report(d);
        }
        let (ty, inferred) = self.generalise_sizes(&ty, 0, bind.name.span);
        self.level = 0;
        self.check_explicit_sizes(bind, &ty, &explicit);
        if bind.params.is_empty() && !explicit.is_empty() {
            self.check_polymorphic_value(bind, &ty);
        }
        let mut sizes = explicit;
        sizes.extend(inferred);
        let mut types = Vec::new();
        for param in &outline.explicit {
            if let TypeFnParam::Type(id) = param {
                let lifted = self.program.types[*id].lifted;
                types.push(crate::ty::SchemeType {
                    id: *id,
                    lifted,
                    needs: crate::ty::Needs::Nothing,
                });
            }
        }
        types.extend(outline.inferred.iter().cloned());
        self.finish_sizes();
        self.set_scheme(outline.var, Scheme { sizes, types, ty });
    }

    fn size_function(&mut self, bind: &ValBind, outline: &Outline, explicit: &[VarId]) -> Ty {
        let params = self.sized_params(&bind.params, None);
        // Inside its body the function has the type it is declared with; sizes of an undeclared
        // result are different at every call.
        let ret = match &bind.ret {
            Some(ret) => self.read_type_exp(ret.id),
            None => {
                let shape = self.scheme(outline.var).map_or(Ty::Error, |s| s.ty.clone());
                let shape = result_of(&shape, bind.params.len());
                let mut exts = Vec::new();
                let ty = shape.map_sizes(&mut |_| {
                    let name = self.size_metas.next_name("k");
                    let var = self.new_var(name, None, VarKind::Ext, Some(Ty::I64));
                    exts.push(var);
                    Size::Var(var)
                });
                (ty, exts)
            }
        };
        let mut own = ret.0;
        let mut exts = ret.1;
        for param in params.iter().rev() {
            own = Ty::Fun(std::sync::Arc::new(crate::ty::FunTy {
                name: param.name.filter(|&name| super::close::mentions(&own, name)),
                consumes: param.consumes,
                param: param.ty.clone(),
                exts: std::mem::take(&mut exts),
                ret: own,
            }));
        }
        let scheme = Scheme { sizes: explicit.to_vec(), types: Vec::new(), ty: own };
        self.set_scheme(outline.var, scheme);
        let outside = super::close::Outside { level: 0, sizes: explicit, what: &bind.name.name };
        self.sized_body(params, bind.ret.as_ref(), &bind.body, outside)
    }

    fn size_value(&mut self, bind: &ValBind) -> Ty {
        let found = self.sized(&bind.body);
        let Some(ret) = &bind.ret else {
            // Unknown sizes of a constant are sizes like any other.
            return self.globalise(&found);
        };
        self.sized_written(ret);
        let (declared, exts) = self.read_type_exp(ret.id);
        let want = self.with_metas(&declared, &exts, ret.span);
        self.require(bind.body.span, &want, &found, Expect::ValueBody(Some(ret.span)));
        self.globalise(&want)
    }

    /// The type of a constant: the unknown sizes in it are known to the whole program.
    fn globalise(&mut self, ty: &Ty) -> Ty {
        let ty = self.zonk_sized(ty);
        ty.map_sizes_scoped(&mut Vec::new(), &mut |size, bound| {
            let size = match self.in_scope(size, bound, 0) {
                Ok(size) => return size,
                Err(size) => size,
            };
            let mut vars = Vec::new();
            size.for_each_var(&mut |v| vars.push(v));
            for var in vars {
                if matches!(self.program.vars[var].kind, VarKind::Unknown(_)) {
                    self.program.vars[var].level = 0;
                }
            }
            size
        })
    }

    /// Every size parameter of a function must be the size of something in its parameters.
    fn check_explicit_sizes(&mut self, bind: &ValBind, ty: &Ty, explicit: &[VarId]) {
        for &var in explicit {
            if !super::close::mentions(ty, var) {
                let info = &self.program.vars[var];
                let span = info.span.unwrap_or(bind.name.span);
                let name = info.name.clone();
                self.report(errors::unused_size(span, &name, &bind.name.name));
            }
        }
    }

    fn check_polymorphic_value(&mut self, bind: &ValBind, ty: &Ty) {
        let mut unknown = None;
        ty.for_each_size(&mut |size| {
            size.for_each_var(&mut |v| {
                if matches!(self.program.vars[v].kind, VarKind::Unknown(_)) {
                    unknown.get_or_insert(v);
                }
            });
        });
        if unknown.is_some() {
            self.report(errors::unknown_in_polymorphic_value(bind.name.span, &bind.name.name));
        }
    }

    /// Finishes the types of all nodes, and reports sizes that nothing determines.
    fn finish_sizes(&mut self) {
        for i in 0..self.size_metas.infos.len() {
            let meta = SizeMeta(i as u32);
            if self.size_metas.infos[meta].solution.is_none() {
                self.undetermined(meta);
            }
        }
        for var in std::mem::take(&mut self.size_metas.let_sizes) {
            let def = self.program.vars[var].def.as_ref().map(|size| self.zonk_size(size));
            self.program.vars[var].def = def;
        }
        for (node, ty) in std::mem::take(&mut self.size_metas.node_types) {
            let ty = self.finish_type(&ty);
            self.tables.types.insert(node, ty);
        }
        for (span, ty) in std::mem::take(&mut self.size_metas.holes) {
            let ty = self.finish_type(&ty);
            let text = self.show(&ty);
            self.report(errors::typed_hole(span, &text));
        }
        for (node, sizes, types) in std::mem::take(&mut self.size_metas.instances) {
            let sizes = sizes.iter().map(|s| self.zonk_size(s)).collect();
            let types = types.iter().map(|t| self.finish_type(t)).collect();
            self.tables.instances.insert(node, crate::program::Instance { sizes, types });
        }
    }

    fn finish_type(&mut self, ty: &Ty) -> Ty {
        let ty = self.zonk_sized(ty);
        self.force_all(&ty)
    }

    /// Function types that nothing determined are as the first phase left them.
    fn force_all(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Meta(_) => {
                let forced = self.force(ty);
                self.zonk_sized(&forced)
            }
            Ty::Record(fields) => {
                Ty::Record(fields.iter().map(|(f, t)| (f.clone(), self.force_all(t))).collect())
            }
            other @ (Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Con(..)
            | Ty::Unique(_)
            | Ty::Error) => other.clone(),
        }
    }

    /// A hole whose type has this unknown size.
    fn hole_of_size(&self, meta: SizeMeta) -> Option<fehu_base::Span> {
        let has = |ty: &Ty| {
            let mut found = false;
            self.zonk_sized(ty).for_each_size(&mut |size| found |= *size == Size::Meta(meta));
            found
        };
        self.size_metas.holes.iter().find(|(_, ty)| has(ty)).map(|(span, _)| *span)
    }

    /// A size that nothing determines: an error if the program would need it.
    fn undetermined(&mut self, meta: SizeMeta) {
        let info = &self.size_metas.infos[meta];
        let (span, origin) = (info.span, info.origin.clone());
        let hole = self.hole_of_size(meta);
        self.size_metas.infos[meta].solution = Some(Size::Const(0));
        if self.failing() {
            return;
        }
        match origin {
            Origin::SizeParam(param, fun) => {
                let name = self.program.vars[param].name.clone();
                if let Some(hole) = hole {
                    self.report(errors::ambiguous_size_of_hole(hole, &name, &fun));
                    return;
                }
                self.report(errors::ambiguous_size_param(span, &name, &fun));
            }
            Origin::EmptyArray => self.report(errors::ambiguous_size(span, "d", "empty array")),
            Origin::Hole => self.report(errors::ambiguous_size(span, "d", "typed hole")),
            Origin::LetSize(name) => self.report(errors::ambiguous_size(span, &name, "pattern")),
            Origin::Coerced => self.report(errors::ambiguous_size(span, "d", "size coercion")),
            Origin::Ctor => self.report(errors::ambiguous_size(span, "d", "constructor")),
            Origin::TypeArg(_) | Origin::Inferred => {}
        }
    }
}

/// The result type of a function after `count` arguments.
fn result_of(ty: &Ty, count: usize) -> Ty {
    if let Ty::Fun(fun) = ty
        && count > 0
    {
        return result_of(&fun.ret, count - 1);
    }
    ty.clone()
}
