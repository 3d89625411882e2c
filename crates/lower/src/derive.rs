//! Derivatives: functions become lambdas on the parts of their arguments, and the parts of values have tangents and
//! adjoints like any other numbers, except for the tags of sums. Those say which constructor a value has, which no
//! small change of the arguments changes: the tangent or adjoint of a value has the same constructor as the value.

use crate::value::{Shape, Val, payload_slots};
use crate::{Lower, Res};
use fehu_base::{Span, bug};
use fehu_ir::{Atom, Diff, DiffForm, Elem, Exp, Lambda, Scalar, Seeds, Type};
use std::rc::Rc;

/// Which derivative.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Forward,
    Reverse,
}

impl<'a> Lower<'a> {
    /// The value of a function, and its derivative; of several directions if the seeds are an array of them.
    pub(crate) fn derivative(
        &mut self,
        mode: Mode,
        several: bool,
        (f, x, seeds): (&Val<'a>, &Val<'a>, &Val<'a>),
        expected: Option<&Shape>,
        span: Span,
    ) -> Res<Val<'a>> {
        let arg = x.shape();
        let (fun, result) = self.unwatched(|this| this.function_of_one(f, &arg, expected, span))?;
        let directions =
            if let (Val::Array(size, ..), true) = (seeds, several) { Some(*size) } else { None };
        let lift = |shape: &Shape| match directions {
            Some(size) => Shape::Array(size, Rc::new(shape.clone())),
            None => shape.clone(),
        };
        let (from, to) = match mode {
            Mode::Forward => (&arg, &result),
            Mode::Reverse => (&result, &arg),
        };
        if kinds(from).into_iter().chain(kinds(to)).any(|kind| kind == Kind::Either) {
            let what = "the derivative of a sum with a constructor that holds another sum where one of its constructors holds an `u8`";
            return self.limit(span, what);
        }
        let (seed_shape, derived_shape) = (lift(from), lift(to));
        let seeds = self.with_shape(seeds.clone(), &seed_shape);
        let mut values = seeds.parts();
        // What the constructors of seeds are does not matter.
        for ((value, ty), kind) in values.iter_mut().zip(seed_shape.parts()).zip(kinds(from)) {
            if kind == Kind::Tag {
                *value = self.zeros(&ty);
            }
        }
        let seeds = Seeds { values, directions };
        let form = match mode {
            Mode::Forward => DiffForm::Forward(seeds),
            Mode::Reverse => DiffForm::Reverse(seeds),
        };
        let mut types = result.parts();
        types.extend(derived_shape.parts());
        let primal = x.parts();
        let diff = Diff { args: primal.clone(), fun, form };
        let mut parts = self.operator_stm(Exp::Diff(Box::new(diff)), types, span);
        let mut derived = parts.split_off(result.parts().len());
        let same = match mode {
            Mode::Forward => parts.clone(),
            Mode::Reverse => primal,
        };
        let types = derived_shape.parts();
        for (((value, kind), same), ty) in derived.iter_mut().zip(kinds(to)).zip(same).zip(types) {
            if kind == Kind::Tag {
                *value = match directions {
                    None => same,
                    Some(size) => self.b().one("tags", ty, Exp::Replicate(vec![size], same)),
                };
            }
        }
        let value = Val::build(&result, &mut parts.into_iter());
        let derived = Val::build(&derived_shape, &mut derived.into_iter());
        Ok(Val::Record([("0".into(), value), ("1".into(), derived)].into()))
    }

    /// A function with the adjoint that the program says it has.
    pub(crate) fn with_vjp(
        &mut self,
        f: &Val<'a>,
        adjoint: &Val<'a>,
        x: &Val<'a>,
        expected: Option<&Shape>,
        span: Span,
    ) -> Res<Val<'a>> {
        let arg = x.shape();
        let (fun, result) = self.function_of_one(f, &arg, expected, span)?;
        let both = [result.clone(), result.clone()];
        let (adjoint, _) = self.lambda(&both, Some(&arg), span, |this, args| {
            let partial = this.apply(adjoint.clone(), args[0].clone(), span)?;
            let value = this.apply(partial, args[1].clone(), span)?;
            Ok(this.with_shape(value, &arg))
        })?;
        let diff = Diff { args: x.parts(), fun, form: DiffForm::Custom(adjoint) };
        let parts = self.operator_stm(Exp::Diff(Box::new(diff)), result.parts(), span);
        Ok(Val::build(&result, &mut parts.into_iter()))
    }

    /// A function that is differentiated, on a value of this shape, and the shape of its result.
    fn function_of_one(
        &mut self,
        f: &Val<'a>,
        arg: &Shape,
        expected: Option<&Shape>,
        span: Span,
    ) -> Res<(Lambda, Shape)> {
        self.lambda(std::slice::from_ref(arg), expected, span, |this, args| {
            this.apply(f.clone(), args[0].clone(), span)
        })
    }

    /// Zeros of a type.
    fn zeros(&mut self, ty: &Type) -> Atom {
        let Some(Elem::Prim(prim)) = ty.elem() else {
            bug("a tag is a number");
        };
        let zero = Atom::Const(Scalar::zero(prim));
        match ty.shape() {
            [] => zero,
            shape => {
                let exp = Exp::Replicate(shape.to_vec(), zero);
                self.b().one("zeros", ty.clone(), exp)
            }
        }
    }
}

/// What a part of a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// The tag of a sum.
    Tag,
    /// One or the other: constructors of a sum share it.
    Either,
}

/// What each part of a value of this shape is.
fn kinds(shape: &Shape) -> Vec<Kind> {
    match shape {
        Shape::Prim(_) | Shape::Acc(_) => vec![Kind::Number],
        Shape::Array(_, elem) => {
            let kinds = kinds(elem);
            if kinds.is_empty() { vec![Kind::Number] } else { kinds }
        }
        Shape::Record(fields) => fields.iter().flat_map(|(_, shape)| kinds(shape)).collect(),
        Shape::Sum(ctors) => {
            let first = usize::from(ctors.len() > 1);
            let mut all = vec![None; shape.parts().len()];
            if first > 0 {
                all[0] = Some(Kind::Tag);
            }
            for (name, payload) in ctors.iter() {
                let payload = payload.iter().flat_map(kinds);
                for (slot, part) in payload_slots(ctors, name).into_iter().zip(payload) {
                    let known = &mut all[first + slot];
                    *known = Some(match known {
                        Some(known) if *known != part => Kind::Either,
                        Some(_) | None => part,
                    });
                }
            }
            all.into_iter().map(|part| part.unwrap_or(Kind::Number)).collect()
        }
        Shape::Fun => Vec::new(),
    }
}
