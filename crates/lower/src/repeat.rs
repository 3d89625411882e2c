//! Loops.

use crate::branch::substitute;
use crate::env::{Frame, Term};
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use fehu_base::Prim;
use fehu_check::ty::{Lifted, Size, Ty, VarId};
use fehu_ir::{Atom, Exp, LoopForm, LoopParam, Stm, Type, Var};
use fehu_syntax::ast::{self, PatKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// A loop. Sizes that change from one iteration to the next are loop parameters, before those
    /// for the parts of the value.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(crate) fn repeat(
        &mut self,
        exp: &'a ast::Exp,
        lp: &'a ast::Loop,
        frame: &Rc<Frame<'a>>,
    ) -> Res<Val<'a>> {
        let init = match &lp.init {
            Some(init) => self.exp(init, frame)?,
            None => self.implicit_init(&lp.pat, frame)?,
        };
        self.no_function(&init, exp.span, "a loop parameter")?;
        let ty = self.node_type(lp.pat.id, frame);
        // A loop without changing sizes is not in the table.
        let changing: Vec<VarId> =
            self.tables(frame.file).loop_sizes.get(&exp.id).cloned().unwrap_or_default();
        let bound = match &lp.form {
            ast::LoopForm::For(_, _, bound) => Some(self.exp(bound, frame)?),
            ast::LoopForm::ForIn(_, array) => Some(self.exp(array, frame)?),
            ast::LoopForm::While(_) => None,
        };

        // The sizes of the initial value for those that change.
        let Sizes { named: starts, hidden } = self.changing_sizes(&ty, &init.shape(), &changing);
        // Two arrays may have the same size that changes, but other operands for it.
        let shape =
            self.map_changing(&ty, &init.shape(), &changing, &mut |size, atom| match size {
                Changing::Named(var) => starts.get(&var).copied().unwrap_or(atom),
                Changing::Hidden => atom,
            });
        let init = self.with_shape(init, &shape);
        let present: Vec<VarId> =
            changing.iter().copied().filter(|var| starts.contains_key(var)).collect();
        let while_cond = match &lp.form {
            ast::LoopForm::While(cond) => {
                let inner = Frame::new(frame.file, Some(frame.clone()));
                self.bind_changing(&present, &|var| starts[&var], &inner);
                self.bind_param(&lp.pat, init.clone(), &inner)?;
                let Val::Scalar(_, cond) = self.exp(cond, &inner)? else {
                    self.bug(exp.span, "a condition is not a boolean");
                };
                Some(cond)
            }
            ast::LoopForm::For(..) | ast::LoopForm::ForIn(..) => None,
        };

        self.b().open();
        let inner = Frame::new(frame.file, Some(frame.clone()));
        let mut params = Vec::new();
        if let Some(init) = while_cond {
            params.push(LoopParam { var: self.b().var("go", Type::BOOL), init });
        }
        let mut size_vars: FxHashMap<VarId, Var> = FxHashMap::default();
        for var in &present {
            let hint = self.program.vars[*var].name.clone();
            let param = self.b().var(&hint, Type::I64);
            size_vars.insert(*var, param);
            params.push(LoopParam { var: param, init: starts[var] });
        }
        let first_hidden = params.len();
        for init in hidden {
            params.push(LoopParam { var: self.b().var("k", Type::I64), init });
        }
        let hidden: Vec<Var> = params[first_hidden..].iter().map(|param| param.var).collect();
        let mut next_hidden = hidden.iter();
        let shape = self.map_changing(&ty, &init.shape(), &changing, &mut |size, atom| {
            let param = match size {
                Changing::Named(var) => size_vars.get(&var),
                Changing::Hidden => next_hidden.next(),
            };
            param.map_or(atom, |var| Atom::Var(*var))
        });
        let first_part = params.len();
        for (init, ty) in init.parts().into_iter().zip(shape.parts()) {
            params.push(LoopParam { var: self.b().var("x", ty), init });
        }
        let parts = params[first_part..].iter().map(|p| Atom::Var(p.var)).collect::<Vec<_>>();
        let value = Val::build(&shape, &mut parts.into_iter());
        self.bind_changing(&present, &|var| Atom::Var(size_vars[&var]), &inner);
        self.bind_param(&lp.pat, value, &inner)?;
        let form = self.loop_form(lp, bound, &inner, params.first().map(|p| p.var))?;

        let result = self.exp(&lp.body, &inner)?;
        let Sizes { named: ends, hidden: hidden_ends } =
            self.changing_sizes(&ty, &result.shape(), &changing);
        let mut results = Vec::with_capacity(params.len());
        if let ast::LoopForm::While(cond) = &lp.form {
            let next = Frame::new(frame.file, Some(frame.clone()));
            self.bind_changing(&present, &|var| ends[&var], &next);
            self.bind_param(&lp.pat, result.clone(), &next)?;
            match self.exp(cond, &next)? {
                Val::Scalar(_, cond) => results.push(cond),
                _ => self.bug(exp.span, "a condition is not a boolean"),
            }
        }
        let mut substitution: FxHashMap<Var, Atom> = FxHashMap::default();
        for var in &present {
            results.push(ends[var]);
            substitution.insert(size_vars[var], ends[var]);
        }
        for (&var, end) in hidden.iter().zip(hidden_ends) {
            results.push(end);
            substitution.insert(var, end);
        }
        for (result, param) in result.parts().into_iter().zip(&params[first_part..]) {
            let ty = self.b().type_of(param.var).clone();
            results.push(self.with_type(result, &substitute(&ty, &substitution), None));
        }
        let body = self.b().close(results);

        let mut pat = Vec::with_capacity(params.len());
        let mut outer: FxHashMap<Var, Atom> = FxHashMap::default();
        for param in &params {
            let ty = substitute(&self.b().type_of(param.var).clone(), &outer);
            let var = self.b().var("x", ty);
            outer.insert(param.var, Atom::Var(var));
            pat.push(var);
        }
        let mut stm = Stm::new(pat.clone(), Exp::Loop(params, form, Box::new(body)));
        stm.attrs = self.attrs.clone();
        stm.loc = Some(self.loc(self.user_place(exp.span)));
        self.b().push(stm);
        let shape = shape.map_sizes(&mut |size| match size {
            Atom::Var(var) => outer.get(&var).copied().unwrap_or(size),
            Atom::Const(_) => size,
        });
        let parts = pat[first_part..].iter().map(|&v| Atom::Var(v)).collect::<Vec<_>>();
        Ok(Val::build(&shape, &mut parts.into_iter()))
    }

    fn bind_changing(
        &mut self,
        vars: &[VarId],
        size: &dyn Fn(VarId) -> Atom,
        frame: &Rc<Frame<'a>>,
    ) {
        for &var in vars {
            frame.bind(var, Term::Val(Val::i64(size(var))));
        }
    }

    fn loop_form(
        &mut self,
        lp: &'a ast::Loop,
        bound: Option<Val<'a>>,
        frame: &Rc<Frame<'a>>,
        first: Option<Var>,
    ) -> Res<LoopForm> {
        match (&lp.form, bound) {
            (ast::LoopForm::For(node, ident, _), Some(Val::Scalar(prim, bound))) => {
                let index = self.b().var(&ident.name, Type::I64);
                let value = self.i64_as(prim, Atom::Var(index));
                frame.bind(self.binder(*node, frame), Term::Val(Val::Scalar(prim, value)));
                // The bound is converted outside; see `hoist`.
                let bound = self.hoisted_i64(prim, bound);
                Ok(LoopForm::For(index, bound))
            }
            (ast::LoopForm::ForIn(pat, _), Some(array)) => {
                let Val::Array(size, ..) = &array else {
                    self.bug(pat.span, "a loop is not over an array");
                };
                let index = self.b().var("i", Type::I64);
                let dims = [crate::access::Index::Fix(Val::i64(Atom::Var(index)))];
                let outer = std::mem::replace(&mut self.safe, false);
                let elem = self.index_value(&array, &dims, pat.span)?;
                self.safe = outer;
                self.bind_param(pat, elem, frame)?;
                Ok(LoopForm::For(index, *size))
            }
            (ast::LoopForm::While(_), _) => match first {
                Some(var) => Ok(LoopForm::While(var)),
                None => self.bug(lp.pat.span, "a loop has no parameters"),
            },
            (ast::LoopForm::For(..) | ast::LoopForm::ForIn(..), _) => {
                self.bug(lp.pat.span, "a loop has no bound")
            }
        }
    }

    /// The bound of a loop as i64. It is evaluated before the loop, so the conversion belongs to the
    /// body around the one that is open.
    fn hoisted_i64(&mut self, prim: Prim, bound: Atom) -> Atom {
        if prim == Prim::I64 {
            return bound;
        }
        if let Atom::Const(scalar) = bound {
            let value = scalar.bits() as i64;
            let bits = 64 - prim.bits();
            let value = if prim.is_signed() { (value << bits) >> bits } else { value };
            return Atom::i64(value);
        }
        let body = self.b().close(Vec::new());
        let bound = self.as_i64(prim, bound);
        self.b().open();
        for stm in body.stms {
            self.b().push(stm);
        }
        bound
    }

    fn implicit_init(&mut self, pat: &'a ast::Pat, frame: &Rc<Frame<'a>>) -> Res<Val<'a>> {
        match &pat.kind {
            PatKind::Var(_) => self.name(pat.id, frame, pat.span),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) | PatKind::Ascribe(inner, _) => {
                self.implicit_init(inner, frame)
            }
            PatKind::Tuple(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(self.implicit_init(part, frame)?);
                }
                Ok(Val::tuple(values))
            }
            PatKind::Record(fields) => {
                let mut values = Vec::with_capacity(fields.len());
                for field in fields {
                    let value = match &field.pat {
                        Some(pat) => self.implicit_init(pat, frame)?,
                        None => self.name(field.id, frame, field.name.span)?,
                    };
                    values.push((field.name.name.clone(), value));
                }
                values.sort_by(|a, b| fehu_check::ty::field_order(&a.0, &b.0));
                Ok(Val::Record(values.into()))
            }
            PatKind::Wildcard | PatKind::Lit(_) | PatKind::Ctor(..) | PatKind::Error => {
                self.bug(pat.span, "a loop parameter has no initial value")
            }
        }
    }
}

/// A size of a loop parameter that may change from one iteration to the next.
#[derive(Clone, Copy)]
enum Changing {
    /// One that the checker knows as a variable.
    Named(VarId),
    /// One inside of a type that hides it: where the type is abstract, the checker does not know its sizes.
    Hidden,
}

/// The sizes of a value that the loop's parameters have to carry.
#[derive(Default)]
struct Sizes {
    named: FxHashMap<VarId, Atom>,
    hidden: Vec<Atom>,
}

impl<'a> Lower<'a> {
    fn changing_sizes(&self, ty: &Ty, shape: &Shape, vars: &[VarId]) -> Sizes {
        let mut sizes = Sizes::default();
        self.map_changing(ty, shape, vars, &mut |size, atom| {
            match size {
                Changing::Named(var) => _ = sizes.named.entry(var).or_insert(atom),
                Changing::Hidden => sizes.hidden.push(atom),
            }
            atom
        });
        sizes
    }

    /// The shape with those of its sizes replaced that may change.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only variables change")]
    fn map_changing(
        &self,
        ty: &Ty,
        shape: &Shape,
        vars: &[VarId],
        new: &mut dyn FnMut(Changing, Atom) -> Atom,
    ) -> Shape {
        match (ty.unwrap_unique(), shape) {
            (Ty::Array(size, ty), Shape::Array(atom, elem)) => {
                let size = match size {
                    Size::Var(var) if vars.contains(var) => new(Changing::Named(*var), *atom),
                    _ => *atom,
                };
                Shape::Array(size, Rc::new(self.map_changing(ty, elem, vars, new)))
            }
            (Ty::Record(types), Shape::Record(fields)) => Shape::Record(
                types
                    .iter()
                    .zip(fields.iter())
                    .map(|((_, ty), (name, shape))| {
                        (name.clone(), self.map_changing(ty, shape, vars, new))
                    })
                    .collect(),
            ),
            (Ty::Sum(types), Shape::Sum(ctors)) => Shape::Sum(
                types
                    .iter()
                    .zip(ctors.iter())
                    .map(|((_, types), (name, shapes))| {
                        let parts = types.iter().zip(shapes);
                        let parts = parts.map(|(t, s)| self.map_changing(t, s, vars, new));
                        (name.clone(), parts.collect())
                    })
                    .collect(),
            ),
            (Ty::Con(id, _), shape) => {
                let mut changes = self.program.types[*id].lifted > Lifted::Unlifted;
                ty.for_each_size(&mut |size| {
                    size.for_each_var(&mut |var| changes |= vars.contains(&var));
                });
                match changes {
                    true => shape.map_sizes(&mut |atom| new(Changing::Hidden, atom)),
                    false => shape.clone(),
                }
            }
            (_, shape) => shape.clone(),
        }
    }
}
