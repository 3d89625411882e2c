//! Sizes of loops.
//!
//! The sizes of a loop's parameters are unknown while its body is looked at. A size stays the same
//! if the body yields the size that the initial value has, provided that all sizes that stay had that
//! size at the beginning of the iteration; the largest set of sizes for which this holds is found by
//! assuming it of all, and giving up those that do not keep it. The others change from one iteration
//! to the next, and those of the result are unknown.

use super::{Change, Origin};
use crate::checker::Checker;
use crate::errors::{self, Expect};
use crate::program::{Unknown, VarKind};
use crate::ty::{Scheme, Size, SizeMeta, Subst, Ty, VarId};
use crate::walk::{PatLeaf, pat_value_type};
use fehu_base::{OrBug, Span};
use fehu_syntax::ast::{Exp, Loop, LoopForm, NodeId, Pat};

impl Checker<'_> {
    /// The type of a loop.
    pub(super) fn sized_loop(&mut self, exp: &Exp, lp: &Loop) -> Ty {
        let init = match &lp.init {
            Some(init) => self.sized(init),
            None => self.sized_implicit_init(&lp.pat),
        };
        let bound = match &lp.form {
            LoopForm::For(_, _, bound) => self.sized(bound),
            LoopForm::ForIn(_, array) => match self.sized(array) {
                Ty::Array(_, elem) => (*elem).clone(),
                Ty::Prim(_)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Fun(_)
                | Ty::Con(..)
                | Ty::Meta(_)
                | Ty::Unique(_)
                | Ty::Error => Ty::Error,
            },
            LoopForm::While(_) => Ty::Error,
        };
        let outer = self.level;
        let mark =
            Start { trail: self.size_metas.trail.len(), joined: self.size_metas.joined.len() };
        self.level += 1;
        for size in &lp.sizes {
            if let Some(&var) = self.tables.binders.get(&size.id) {
                self.program.vars[var].level = self.level;
            }
        }
        let explicit: Vec<VarId> = self.explicit_sizes(&lp.sizes);
        let (param, open) = self.loop_param(lp, &init);
        let init_span = lp.init.as_ref().map_or(lp.pat.span, |init| init.span);
        // Sizes written in the pattern are checked against the initial value at once.
        let start = self
            .replace_vars(&param, &explicit, |this| this.fresh_size(init_span, Origin::Inferred));
        self.check_loop_init(init_span, &start, &init, &open, Expect::LoopInit(lp.pat.span));
        self.level += 1;
        self.sized_pat(&lp.pat, &param, Expect::LoopInit(lp.pat.span));
        match &lp.form {
            LoopForm::For(node, _, _) => {
                if let Some(&var) = self.tables.binders.get(node) {
                    self.program.vars[var].level = self.level;
                    self.set_scheme(var, Scheme::mono(bound));
                }
            }
            LoopForm::ForIn(pat, _) => self.sized_pat(pat, &bound, Expect::ForIn),
            LoopForm::While(cond) => _ = self.sized(cond),
        }
        self.level += 1;
        self.size_metas.loops.push(self.level);
        let body = self.sized(&lp.body);
        self.size_metas.loops.pop();
        self.level = outer + 1;
        let ty = self.settle_loop(exp, lp, &param, &open, &init, &body, explicit, mark);
        self.level = outer;
        self.close(&ty, outer, exp.id, exp.span, Unknown::Loop)
    }

    fn sized_implicit_init(&mut self, pat: &Pat) -> Ty {
        pat_value_type(pat, &mut |leaf| match leaf {
            PatLeaf::Name(node, ident) => self.sized_implicit_var(node, &ident.name, ident.span),
            PatLeaf::Other(_) => Ty::Error,
        })
    }

    fn sized_implicit_var(&mut self, node: NodeId, name: &str, span: Span) -> Ty {
        match self.tables.names.get(&node).cloned() {
            Some(resolved) => self.sized_instance(node, resolved.var, name, span),
            None => Ty::Error,
        }
    }

    /// The type of the loop parameters: as annotated, anonymous and missing sizes to be found.
    fn loop_param(&mut self, lp: &Loop, init: &Ty) -> (Ty, Vec<SizeMeta>) {
        let first = self.size_metas.infos.len() as u32;
        let param = match lp.pat.any_type(&mut |_| true) {
            true => self.param_type(&lp.pat),
            false => self.dress(&init.clone(), lp.pat.span, &Origin::Inferred, false),
        };
        let open: Vec<SizeMeta> =
            (first..self.size_metas.infos.len() as u32).map(SizeMeta).collect();
        for &meta in &open {
            self.size_metas.infos[meta].looped = true;
        }
        (param, open)
    }

    /// Checks the sizes that are written in the loop's pattern against the initial value.
    fn check_loop_init(
        &mut self,
        span: Span,
        param: &Ty,
        init: &Ty,
        open: &[SizeMeta],
        why: Expect,
    ) {
        let mut subst: Vec<(SizeMeta, Size)> = Vec::new();
        let start = param.map_sizes(&mut |size| match size {
            Size::Meta(meta) if open.contains(meta) => {
                if let Some((_, new)) = subst.iter().find(|(m, _)| m == meta) {
                    return new.clone();
                }
                let new = self.fresh_size(span, Origin::Inferred);
                subst.push((*meta, new.clone()));
                new
            }
            other @ (Size::Const(_)
            | Size::Var(_)
            | Size::Meta(_)
            | Size::Add(_)
            | Size::Sub(_)
            | Size::Mul(_)
            | Size::Term(_)
            | Size::Any) => other.clone(),
        });
        self.require(span, &start, init, why);
    }

    /// Decides which sizes of the loop parameters change; returns the type of the loop's result.
    #[expect(clippy::too_many_arguments, reason = "everything that a loop is made of")]
    fn settle_loop(
        &mut self,
        exp: &Exp,
        lp: &Loop,
        param: &Ty,
        open: &[SizeMeta],
        init: &Ty,
        body: &Ty,
        explicit: Vec<VarId>,
        mark: Start,
    ) -> Ty {
        let mut changing: Vec<VarId> = explicit;
        let undecided = self.undecided(param, open, init, body);
        let mut staying = undecided.clone();
        self.drop_changing(&mut staying, mark);
        staying.retain(|size| {
            let before = self.mark();
            let fixed = size.starts.iter().all(|start| self.unify_size(&size.own, start).is_ok());
            if !fixed {
                self.roll_back(before);
            }
            fixed
        });
        self.settle_joined(mark.joined);
        for size in undecided {
            if staying.iter().any(|stays| stays.own == size.own) {
                continue;
            }
            let Size::Meta(meta) = self.resolve_size(&size.own) else { continue };
            let name = self.size_metas.next_name("d");
            let var = self.new_var(name, Some(lp.pat.span), VarKind::SizeParam, Some(Ty::I64));
            self.size_metas.infos[meta].solution = Some(Size::Var(var));
            changing.push(var);
        }
        // What was fixed must agree with the initial value and be kept by the body; what changes
        // may start and end as anything.
        let any = |this: &mut Self, span| {
            let mut subst = Subst::new();
            for &var in &changing {
                let size = this.fresh_size(span, Origin::Inferred);
                subst.var(var, size);
            }
            let param = this.zonk_sized(param);
            subst.apply(&param)
        };
        let init_span = lp.init.as_ref().map_or(lp.pat.span, |init| init.span);
        let start = any(self, init_span);
        self.require(init_span, &start, init, Expect::LoopInit(lp.pat.span));
        // The body's sizes may mention everything bound inside it.
        let here = std::mem::replace(&mut self.level, u32::MAX - 1);
        let end = any(self, lp.body.span);
        self.level = here;
        self.require(lp.body.span, &end, body, Expect::LoopBody(lp.pat.span));
        self.check_escaped(&changing, mark.trail);
        if !changing.is_empty() {
            self.tables.loop_sizes.insert(exp.id, changing);
        }
        self.zonk_sized(param)
    }

    /// The sizes of the loop parameters that nothing has determined, with those of the initial value
    /// and of the body at the same places.
    fn undecided(&self, param: &Ty, open: &[SizeMeta], init: &Ty, body: &Ty) -> Vec<LoopSize> {
        let mut sizes: Vec<LoopSize> = Vec::new();
        let ends = pair_sizes(param, body);
        for ((place, start), (_, end)) in pair_sizes(param, init).into_iter().zip(ends) {
            let own = self.resolve_size(&place);
            let Size::Meta(_) = own else { continue };
            if !open.iter().any(|&meta| self.resolve_size(&Size::Meta(meta)) == own) {
                continue;
            }
            match sizes.iter_mut().find(|size| size.own == own) {
                Some(size) => {
                    size.starts.push(start);
                    size.ends.push(end);
                }
                None => sizes.push(LoopSize { own, starts: vec![start], ends: vec![end] }),
            }
        }
        sizes
    }

    /// Leaves the sizes that stay the same. Each round gives up at least one, so this takes at most as
    /// many rounds as there are sizes, and rarely more than two.
    fn drop_changing(&self, sizes: &mut Vec<LoopSize>, mark: Start) {
        loop {
            let keeps = |size: &LoopSize| {
                let start = self.zonk_size(&size.starts[0]);
                size.ends.iter().all(|end| self.same_size(&self.assume(end, sizes), &start))
                    // What the outside already relies on must be the same size, not just as large.
                    && (size.ends.iter().all(|end| self.is_alike(end, &start, sizes))
                        || !self.is_used_outside(&size.own, mark.trail))
            };
            let kept: Vec<bool> = sizes.iter().map(keeps).collect();
            let mut keep = kept.iter();
            sizes.retain(|_| *keep.next().or_bug("one answer for each size"));
            if !kept.contains(&false) {
                return;
            }
        }
    }

    /// The size at the end of an iteration that began with these sizes as they are initially. Only
    /// whole sizes are replaced: that an array that is doubled again and again stays as large as it is
    /// if it is empty is true, but not what anybody means.
    fn assume(&self, size: &Size, sizes: &[LoopSize]) -> Size {
        if let Some(own) = sizes.iter().find(|own| self.same_size(&own.own, size)) {
            return self.zonk_size(&own.starts[0]);
        }
        // Branches that are equally large then are not different.
        match self.joined_of(size) {
            Some(of) => {
                let [a, b] = of.each_ref().map(|size| self.assume(size, sizes));
                if self.same_size(&a, &b) { a } else { size.clone() }
            }
            None => self.zonk_size(size),
        }
    }

    /// Whether a size at the end of an iteration is written like that at its beginning.
    fn is_alike(&self, end: &Size, start: &Size, sizes: &[LoopSize]) -> bool {
        let end = self.zonk_size(end);
        match self.joined_of(&end) {
            Some(of) => of.iter().all(|size| self.is_alike(size, start, sizes)),
            None => end == *start || sizes.iter().any(|size| size.own == end),
        }
    }

    /// The sizes of the branches that make up an unknown size.
    fn joined_of(&self, size: &Size) -> Option<&[Size; 2]> {
        let Size::Var(var) = self.resolve_size(size) else { return None };
        let joined = &self.size_metas.joined;
        let i = joined.binary_search_by_key(&var, |joined| joined.var).ok()?;
        Some(&joined[i].of)
    }

    /// Whether something outside of the loop has been found to have this size, or one made of it.
    fn is_used_outside(&self, own: &Size, mark: usize) -> bool {
        let Size::Meta(own) = own else { return false };
        self.size_metas.trail[mark..].iter().any(|change| {
            let Change::Size(meta, ..) = change else { return false };
            let info = &self.size_metas.infos[*meta];
            let Some(solution) = info.solution.as_ref().filter(|_| info.level < self.level) else {
                return false;
            };
            let mut found = false;
            self.zonk_size(solution).for_each_meta(&mut |m| found |= m == *own);
            found
        })
    }

    /// Reports sizes that change in a loop but are needed outside it.
    fn check_escaped(&mut self, changing: &[VarId], mark: usize) {
        let mut escaped = None;
        for change in &self.size_metas.trail[mark..] {
            let Change::Size(meta, ..) = change else { continue };
            let info = &self.size_metas.infos[*meta];
            let Some(solution) = info.solution.as_ref().filter(|_| info.level < self.level) else {
                continue;
            };
            self.zonk_size(solution).for_each_var(&mut |v| {
                if changing.contains(&v) {
                    escaped.get_or_insert((info.span, v));
                }
            });
        }
        if let Some((span, var)) = escaped {
            let name = self.program.vars[var].name.clone();
            self.report(errors::loop_variant_escape(span, &name));
        }
    }
}

/// Where the body of a loop began.
#[derive(Clone, Copy)]
struct Start {
    trail: usize,
    joined: usize,
}

/// A size of the parameters of a loop.
#[derive(Clone)]
struct LoopSize {
    own: Size,
    /// The sizes of the initial value where the parameters have this one.
    starts: Vec<Size>,
    /// Likewise, of the body.
    ends: Vec<Size>,
}

/// The sizes at the same places of two types of one shape.
pub(super) fn pair_sizes(a: &Ty, b: &Ty) -> Vec<(Size, Size)> {
    let mut first = Vec::new();
    a.for_each_size(&mut |size| first.push(size.clone()));
    let mut second = Vec::new();
    b.for_each_size(&mut |size| second.push(size.clone()));
    first.into_iter().zip(second).collect()
}
