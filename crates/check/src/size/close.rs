//! Ends of scopes: sizes that mention what goes out of scope are replaced.

use super::join::Joined;
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
        let ty = self.zonk_sized(ty);
        let mut unknowns = Vec::new();
        let closed = self.hide(&ty, Vec::new(), level, &mut |this, size| {
            let here = std::mem::replace(&mut this.level, level);
            let var = this.unknown_size(span, why);
            this.level = here;
            this.size_metas.joined.push(Joined { of: [size.clone(), size.clone()], var });
            unknowns.push(var);
            var
        });
        self.note_unknowns(node, unknowns);
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

    /// The type with new variables for the sizes that mention something deeper than `level`. A size
    /// is replaced as a whole: what is left of "m + 1" when "m" is gone is just some size. But if
    /// "m" is a size of the type, too, then both stay related. `bound` are variables that are known.
    fn hide(
        &mut self,
        ty: &Ty,
        bound: Vec<VarId>,
        level: u32,
        new: &mut dyn FnMut(&mut Self, &Size) -> VarId,
    ) -> Ty {
        let mut deep: Vec<Size> = Vec::new();
        let mut all_known = true;
        let known = ty.map_sizes_scoped(&mut bound.clone(), &mut |size, inside| {
            self.in_scope(size, inside, level).unwrap_or_else(|size| {
                all_known = false;
                if !mentions_any(&size, &inside[bound.len()..]) {
                    deep.push(size);
                }
                Size::Any
            })
        });
        if all_known {
            return known;
        }
        // The parts of a size come before it.
        deep.sort_by_key(count_parts);
        let mut hidden: Vec<(Size, VarId)> = Vec::new();
        for size in &deep {
            let size = self.replace_hidden(size, &hidden);
            if self.mentions_deeper(&size, &bound_and(&bound, &hidden), level) {
                let var = new(self, &size);
                hidden.push((size, var));
            }
        }
        ty.map_sizes_scoped(&mut bound.clone(), &mut |size, inside| {
            let size = match self.in_scope(size, inside, level) {
                Ok(size) => return size,
                Err(size) => self.replace_hidden(&size, &hidden),
            };
            // What depends on the parameter of a function inside of the type keeps that part.
            self.replace_deep(&size, &bound_and(inside, &hidden), level, &mut |this, part| {
                if let Some((_, var)) = hidden.iter().find(|(s, _)| this.same_size(s, part)) {
                    return Size::Var(*var);
                }
                let var = new(this, part);
                hidden.push((part.clone(), var));
                Size::Var(var)
            })
        })
    }

    /// The size with the parts that are hidden replaced.
    fn replace_hidden(&self, size: &Size, hidden: &[(Size, VarId)]) -> Size {
        if let Some((_, var)) = hidden.iter().find(|(s, _)| self.same_size(s, size)) {
            return Size::Var(*var);
        }
        size.map_parts(&mut |part| self.replace_hidden(part, hidden))
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
        if !self.mentions_deeper(size, bound, level) {
            return size.clone();
        }
        match size {
            Size::Add(_) | Size::Sub(_) | Size::Mul(_) => {
                size.map_parts(&mut |part| self.replace_deep(part, bound, level, new))
            }
            Size::Const(_) | Size::Var(_) | Size::Meta(_) | Size::Term(_) | Size::Any => {
                new(self, size)
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
        let Size::Var(var) = size else {
            return size.map_parts(&mut |part| self.expand(part, bound, level));
        };
        match &self.program.vars[*var] {
            info if info.level > level && !bound.contains(var) => match &info.def {
                Some(def) => self.expand(&self.zonk_size(def), bound, level),
                None => size.clone(),
            },
            _ => size.clone(),
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
        let ret = self.zonk_sized(ret);
        let mut visible = names.clone();
        visible.extend(&exts);
        let mut hidden: Vec<(Size, VarId)> = Vec::new();
        let ret = self.hide(&ret, visible, level, &mut |this, size| {
            let name = this.size_metas.next_name("k");
            let span = match size {
                Size::Var(v) => this.program.vars[*v].span,
                Size::Const(_)
                | Size::Meta(_)
                | Size::Add(_)
                | Size::Sub(_)
                | Size::Mul(_)
                | Size::Term(_)
                | Size::Any => None,
            };
            let var = this.new_var(name, span, VarKind::Ext, Some(Ty::I64));
            hidden.push((size.clone(), var));
            var
        });
        for (size, var) in hidden {
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
        if let Some(size) = bad
            && !self.failing()
        {
            let text = self.show_size(&size);
            let shown = self.show(&ty);
            self.report(errors::inaccessible_size(param.span, &text, &shown, what));
        }
        ty
    }
}

fn bound_and(bound: &[VarId], hidden: &[(Size, VarId)]) -> Vec<VarId> {
    bound.iter().copied().chain(hidden.iter().map(|(_, var)| *var)).collect()
}

fn mentions_any(size: &Size, vars: &[VarId]) -> bool {
    let mut found = false;
    size.for_each_var(&mut |v| found |= vars.contains(&v));
    found
}

fn count_parts(size: &Size) -> usize {
    let mut count = 1;
    _ = size.map_parts(&mut |part| {
        count += count_parts(part);
        part.clone()
    });
    count
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
