//! Derivatives: functions become lambdas on the parts of their arguments, and the parts of values have tangents and adjoints like
//! any other numbers, except for the tags of sums. Those say which constructor a value has, which no small change of the arguments
//! changes: the tangent or adjoint of a value has the same constructor as the value.

use crate::value::{Shape, Val};
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
        let (fun, result) = self.function_of_one(f, &arg, expected, span)?;
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
        let (seed_shape, derived_shape) = (lift(from), lift(to));
        let seeds = self.with_shape(seeds.clone(), &seed_shape);
        let mut values = seeds.parts();
        // What the constructors of seeds are does not matter.
        for ((value, ty), is_tag) in values.iter_mut().zip(seed_shape.parts()).zip(tags(from)) {
            if is_tag {
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
        for (((part, is_tag), same), ty) in derived.iter_mut().zip(tags(to)).zip(same).zip(types) {
            if is_tag {
                *part = match directions {
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

/// For each part of a value of this shape, whether it is the tag of a sum.
fn tags(shape: &Shape) -> Vec<bool> {
    match shape {
        Shape::Prim(_) | Shape::Acc(_) => vec![false],
        Shape::Array(_, elem) => {
            let tags = tags(elem);
            if tags.is_empty() { vec![false] } else { tags }
        }
        Shape::Record(fields) => fields.iter().flat_map(|(_, shape)| tags(shape)).collect(),
        Shape::Sum(ctors) => {
            // A sum in the payload of another shares slots with numbers: its tag is treated as one of them.
            let mut all = vec![false; shape.parts().len()];
            if ctors.len() > 1 {
                all[0] = true;
            }
            all
        }
        Shape::Fun => Vec::new(),
    }
}
