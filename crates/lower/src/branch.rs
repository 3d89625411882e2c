//! Branches.

use crate::env::Frame;
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use fehu_base::{Span, bug};
use fehu_ir::{Atom, Body, Exp, Scalar, Type, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// One of two values. Sizes that differ, or are only known inside, become results as well.
    pub(crate) fn branch(
        &mut self,
        cond: &Val<'a>,
        frame: &Rc<Frame<'a>>,
        span: Span,
        then: impl FnOnce(&mut Self, &Rc<Frame<'a>>) -> Res<Val<'a>>,
        other: impl FnOnce(&mut Self, &Rc<Frame<'a>>) -> Res<Val<'a>>,
    ) -> Res<Val<'a>> {
        let Val::Scalar(_, cond) = cond else {
            self.bug(span, "a condition is not a boolean");
        };
        if let Atom::Const(Scalar::Bool(known)) = cond {
            let inner = Frame::new(frame.file, Some(frame.clone()));
            return if *known { then(self, &inner) } else { other(self, &inner) };
        }
        let depth = self.b().depth();
        self.b().open();
        let first = then(self, &Frame::new(frame.file, Some(frame.clone())))?;
        let first_stms = self.b().close(Vec::new());
        self.b().open();
        let second = other(self, &Frame::new(frame.file, Some(frame.clone())))?;
        let second_stms = self.b().close(Vec::new());
        self.join(*cond, depth, [(first, first_stms), (second, second_stms)], span)
    }

    /// One of two values, each with the code that computes it; `depth` is that of the code around the branch.
    pub(crate) fn join(
        &mut self,
        cond: Atom,
        depth: u32,
        sides: [(Val<'a>, Body); 2],
        span: Span,
    ) -> Res<Val<'a>> {
        let [(first, first_stms), (second, second_stms)] = sides;
        self.no_function(&first, span, "the result of a branch")?;
        self.no_function(&second, span, "the result of a branch")?;

        let (a, b) = (first.shape(), second.shape());
        let mut sizes: Vec<(Atom, Atom)> = Vec::new();
        let joined = self.join_shapes(&a, &b, depth, &mut sizes);
        let size_vars: Vec<Var> = sizes.iter().map(|_| self.b().var("k", Type::I64)).collect();
        // The joined shape has placeholders for the sizes that are results.
        let shape = joined.map_sizes(&mut |size| placeholder(size, &size_vars));
        let part_types = shape.parts();
        let mut pat = size_vars.clone();
        for ty in &part_types {
            pat.push(self.b().var("x", ty.clone()));
        }
        let mut first_results: Vec<Atom> = sizes.iter().map(|(a, _)| *a).collect();
        first_results.extend(first.parts());
        let mut second_results: Vec<Atom> = sizes.iter().map(|(_, b)| *b).collect();
        second_results.extend(second.parts());
        let first = self.finish_branch(first_stms, first_results, &pat);
        let second = self.finish_branch(second_stms, second_results, &pat);
        self.b().push(fehu_ir::Stm::new(pat.clone(), Exp::If(cond, Box::new([first, second]))));
        let parts = pat[size_vars.len()..].iter().map(|&v| Atom::Var(v)).collect::<Vec<_>>();
        Ok(Val::build(&shape, &mut parts.into_iter()))
    }

    /// Gives the results of a branch the sizes that the pattern has.
    fn finish_branch(&mut self, body: Body, results: Vec<Atom>, pat: &[Var]) -> Body {
        let mut sizes: FxHashMap<Var, Atom> = FxHashMap::default();
        for (&var, &result) in pat.iter().zip(&results) {
            sizes.insert(var, result);
        }
        self.b().open();
        for stm in body.stms {
            self.b().push(stm);
        }
        let mut finished = Vec::with_capacity(results.len());
        for (&var, result) in pat.iter().zip(results) {
            let ty = self.b().type_of(var).clone();
            let wanted = substitute(&ty, &sizes);
            finished.push(self.with_type(result, &wanted, None));
        }
        self.b().close(finished)
    }

    /// The common shape. A size that is not the same known operand in both becomes a placeholder,
    /// counted down from the largest variable, for the pair in `sizes`.
    fn join_shapes(
        &mut self,
        a: &Shape,
        b: &Shape,
        depth: u32,
        sizes: &mut Vec<(Atom, Atom)>,
    ) -> Shape {
        match (a, b) {
            (Shape::Array(m, s), Shape::Array(n, t)) => {
                let size = if m == n && self.b().known_at(*m, depth) {
                    *m
                } else {
                    let pair = (*m, *n);
                    let index = sizes.iter().position(|p| *p == pair).unwrap_or_else(|| {
                        sizes.push(pair);
                        sizes.len() - 1
                    });
                    Atom::Var(Var(u32::MAX - index as u32))
                };
                Shape::Array(size, Rc::new(self.join_shapes(s, t, depth, sizes)))
            }
            (Shape::Record(fs), Shape::Record(gs)) => Shape::Record(
                fs.iter()
                    .zip(gs.iter())
                    .map(|(f, g)| (f.0.clone(), self.join_shapes(&f.1, &g.1, depth, sizes)))
                    .collect(),
            ),
            (Shape::Sum(cs), Shape::Sum(ds)) => Shape::Sum(
                cs.iter()
                    .zip(ds.iter())
                    .map(|(c, d)| {
                        let payload = c.1.iter().zip(&d.1);
                        let joined =
                            payload.map(|(s, t)| self.join_shapes(s, t, depth, sizes)).collect();
                        (c.0.clone(), joined)
                    })
                    .collect(),
            ),
            (Shape::Prim(p), Shape::Prim(q)) if p == q => a.clone(),
            (Shape::Acc(p), Shape::Acc(q)) if p == q => a.clone(),
            (
                Shape::Array(..)
                | Shape::Record(_)
                | Shape::Sum(_)
                | Shape::Prim(_)
                | Shape::Acc(_)
                | Shape::Fun,
                _,
            ) => bug("the values of two branches do not have one type"),
        }
    }
}

/// The variable for a placeholder of [`Lower::join_shapes`].
pub(crate) fn placeholder(size: Atom, vars: &[Var]) -> Atom {
    match size {
        Atom::Var(Var(n)) if u32::MAX - n < vars.len() as u32 => {
            Atom::Var(vars[(u32::MAX - n) as usize])
        }
        Atom::Var(_) | Atom::Const(_) => size,
    }
}

/// The type with sizes replaced.
pub(crate) fn substitute(ty: &Type, sizes: &FxHashMap<Var, Atom>) -> Type {
    match ty {
        Type::Array(elem, shape) => Type::Array(
            *elem,
            shape
                .iter()
                .map(|size| match size {
                    Atom::Var(var) => sizes.get(var).copied().unwrap_or(*size),
                    Atom::Const(_) => *size,
                })
                .collect(),
        ),
        Type::Scalar(_) | Type::Acc(_) => ty.clone(),
    }
}
