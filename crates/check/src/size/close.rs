//! Ends of scopes: sizes that mention what goes out of scope are replaced.

use crate::checker::Checker;
use crate::errors;
use crate::program::{Unknown, VarKind};
use crate::ty::{FunTy, Size, Ty, VarId};
use fehu_base::Span;
use fehu_syntax::ast::NodeId;
use std::sync::Arc;

/// A parameter of a function whose body is done.
pub(super) struct Param {
    /// The variable, if the whole parameter has a name.
    pub(super) name: Option<VarId>,
    pub(super) consumes: bool,
    pub(super) ty: Ty,
    pub(super) span: Span,
}

/// What is known outside of a function.
#[derive(Clone, Copy)]
pub(super) struct Outside<'a> {
    pub(super) level: u32,
    /// The function's own size parameters.
    pub(super) sizes: &'a [VarId],
    /// The function's name, for messages.
    pub(super) what: &'a str,
}

impl Checker<'_> {
    /// The type of a block of `node` outside of it, at `level`.
    pub(super) fn close(
        &mut self,
        ty: &Ty,
        level: u32,
        node: NodeId,
        span: Span,
        why: Unknown,
    ) -> Ty {
        let mut replaced: Vec<(Size, VarId)> = Vec::new();
        let ty = self.zonk_sized(ty);
        let closed = ty.map_sizes_scoped(&mut Vec::new(), &mut |size, bound| {
            self.replace_deep(size, bound, level, &mut |this, size| {
                if let Some((_, var)) = replaced.iter().find(|(s, _)| this.same_size(s, size)) {
                    return Size::Var(*var);
                }
                let here = std::mem::replace(&mut this.level, level);
                let var = this.unknown_size(span, why);
                this.level = here;
                replaced.push((size.clone(), var));
                Size::Var(var)
            })
        });
        self.note_unknowns(node, replaced.into_iter().map(|(_, var)| var));
        self.lower(&closed, level);
        closed
    }

    /// The size in terms of what is in scope at `level`, or as far as it can be expanded.
    pub(super) fn in_scope(
        &mut self,
        size: &Size,
        bound: &[VarId],
        level: u32,
    ) -> Result<Size, Size> {
        let size = self.zonk_size(size);
        let size = if self.mentions_deeper(&size, bound, level) {
            self.expand(&size, bound, level)
        } else {
            size
        };
        if self.mentions_deeper(&size, bound, level) { Err(size) } else { Ok(size) }
    }

    /// The size with the parts that mention something deeper than `level` replaced, but for those
    /// that are sums, differences and products, whose own parts are.
    fn replace_deep(
        &mut self,
        size: &Size,
        bound: &[VarId],
        level: u32,
        new: &mut dyn FnMut(&mut Self, &Size) -> Size,
    ) -> Size {
        let size = match self.in_scope(size, bound, level) {
            Ok(size) => return size,
            Err(size) => size,
        };
        let mut both = |ab: &[Size; 2]| {
            let a = self.replace_deep(&ab[0], bound, level, new);
            [a, self.replace_deep(&ab[1], bound, level, new)]
        };
        match &size {
            Size::Add(ab) => Size::Add(both(ab).into()),
            Size::Sub(ab) => Size::Sub(both(ab).into()),
            Size::Mul(ab) => Size::Mul(both(ab).into()),
            Size::Const(_) | Size::Var(_) | Size::Meta(_) | Size::Term(_) | Size::Any => {
                new(self, &size)
            }
        }
    }

    fn mentions_deeper(&self, size: &Size, bound: &[VarId], level: u32) -> bool {
        let mut deep = false;
        size.for_each_var(&mut |v| {
            deep |= self.program.vars[v].level > level && !bound.contains(&v);
        });
        deep
    }

    /// The size with deep variables replaced by what they are defined as.
    fn expand(&self, size: &Size, bound: &[VarId], level: u32) -> Size {
        let go = |s: &Size| self.expand(s, bound, level);
        match size {
            Size::Var(var) => match &self.program.vars[*var] {
                info if info.level > level && !bound.contains(var) => match &info.def {
                    Some(def) => go(&self.zonk_size(def)),
                    None => size.clone(),
                },
                _ => size.clone(),
            },
            Size::Add(ab) => Size::plus(go(&ab[0]), go(&ab[1])),
            Size::Sub(ab) => Size::minus(go(&ab[0]), go(&ab[1])),
            Size::Mul(ab) => Size::times(go(&ab[0]), go(&ab[1])),
            Size::Term(term) => Size::term(term.head.clone(), term.args.iter().map(go).collect()),
            Size::Const(_) | Size::Meta(_) | Size::Any => size.clone(),
        }
    }

    /// Moves the unknowns in a type up to a level.
    pub(super) fn lower(&mut self, ty: &Ty, level: u32) {
        let mut metas = Vec::new();
        ty.for_each_size(&mut |size| size.for_each_meta(&mut |m| metas.push(m)));
        for meta in metas {
            self.lower_level(meta, level);
        }
        self.lower_types(ty, level);
    }

    fn lower_types(&mut self, ty: &Ty, level: u32) {
        match ty {
            Ty::Meta(meta) => {
                let info = &mut self.size_metas.types[*meta];
                info.level = info.level.min(level);
            }
            Ty::Record(fields) => fields.iter().for_each(|(_, t)| self.lower_types(t, level)),
            Ty::Fun(fun) => {
                self.lower_types(&fun.param, level);
                self.lower_types(&fun.ret, level);
            }
            Ty::Unique(inner) => self.lower_types(inner, level),
            Ty::Prim(_) | Ty::Array(..) | Ty::Sum(_) | Ty::Con(..) | Ty::Error => {}
        }
    }

    /// The type of a function with these parameters, whose body has type `ret`. Sizes of the result
    /// that are not known outside become existential; `declared` are those the program declares.
    pub(super) fn close_function(
        &mut self,
        params: Vec<Param>,
        ret: &Ty,
        declared: Vec<VarId>,
        Outside { level, sizes, what }: Outside<'_>,
    ) -> Ty {
        let mut names: Vec<VarId> = params.iter().filter_map(|p| p.name).collect();
        names.extend(sizes);
        let mut exts = declared;
        let mut replaced: Vec<(Size, VarId)> = Vec::new();
        let ret = self.zonk_sized(ret);
        let mut visible = names.clone();
        visible.extend(&exts);
        let ret = ret.map_sizes_scoped(&mut visible, &mut |size, bound| {
            self.replace_deep(size, bound, level, &mut |this, size| {
                if let Some((_, var)) = replaced.iter().find(|(s, _)| this.same_size(s, size)) {
                    return Size::Var(*var);
                }
                let name = this.size_metas.next_name("k");
                let span = match size {
                    Size::Var(v) => this.program.vars[*v].span,
                    _ => None,
                };
                let var = this.new_var(name, span, VarKind::Ext, Some(Ty::I64));
                replaced.push((size.clone(), var));
                Size::Var(var)
            })
        });
        for (size, var) in replaced {
            if !crate::infer::used_constructively(&ret, var) && in_parameter(&ret, var) {
                let text = self.show_size(&size);
                let span = self.program.vars[var].span.unwrap_or(self.nowhere());
                self.report(errors::unknown_param_def(span, &text, what));
            }
            exts.push(var);
        }
        let count = params.len();
        let mut ty = ret;
        for (i, param) in params.into_iter().enumerate().rev() {
            let param_ty = self.close_param(&param, &names[..], level, what);
            ty = Ty::Fun(Arc::new(FunTy {
                name: param.name.filter(|&name| mentions(&ty, name)),
                consumes: param.consumes,
                param: param_ty,
                exts: if i + 1 == count { std::mem::take(&mut exts) } else { Vec::new() },
                ret: ty,
            }));
        }
        ty
    }

    fn close_param(&mut self, param: &Param, names: &[VarId], level: u32, what: &str) -> Ty {
        let ty = self.zonk_sized(&param.ty);
        let mut bad = None;
        let ty = ty.map_sizes_scoped(&mut names.to_vec(), &mut |size, bound| match self
            .in_scope(size, bound, level)
        {
            Ok(size) => size,
            Err(size) => {
                bad.get_or_insert(size.clone());
                size
            }
        });
        if let Some(size) = bad {
            let text = self.show_size(&size);
            let shown = self.show(&ty);
            self.report(errors::inaccessible_size(param.span, &text, &shown, what));
        }
        ty
    }
}

/// Whether a size in the type has the variable.
pub(crate) fn mentions(ty: &Ty, var: VarId) -> bool {
    let mut found = false;
    ty.for_each_size(&mut |size| size.for_each_var(&mut |v| found |= v == var));
    found
}

/// Whether the variable is in the type of a function's parameter.
pub(super) fn in_parameter(ty: &Ty, var: VarId) -> bool {
    match ty {
        Ty::Fun(fun) => mentions(&fun.param, var) || in_parameter(&fun.ret, var),
        Ty::Record(fields) => fields.iter().any(|(_, t)| in_parameter(t, var)),
        Ty::Sum(ctors) => ctors.iter().any(|(_, ts)| ts.iter().any(|t| in_parameter(t, var))),
        Ty::Unique(inner) | Ty::Array(_, inner) => in_parameter(inner, var),
        Ty::Prim(_) | Ty::Meta(_) | Ty::Error | Ty::Con(..) => false,
    }
}
