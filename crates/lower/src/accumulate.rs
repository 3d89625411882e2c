//! Accumulators: arrays to which iterations contribute in any order.

use crate::value::{Shape, Val};
use crate::{Lower, Res};
use fehu_base::{OrBug, Span};
use fehu_ir::{AccInput, Exp, Lambda, Screma, Type};

impl<'a> Lower<'a> {
    /// A function applied to every element, in any order, with an accumulator made of `dest`.
    pub(crate) fn accumulate(
        &mut self,
        dest: &Val<'a>,
        op: Option<(&Val<'a>, &Val<'a>)>,
        f: &Val<'a>,
        array: &Val<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Val::Array(size, elem, _) = dest else {
            self.bug(span, "an accumulator is created from something that is not an array");
        };
        let (dest_size, dest_elem) = (*size, elem.clone());
        let Val::Array(width, elem, _) = array else {
            self.bug(span, "an accumulation is over something that is not an array");
        };
        let (width, elem) = (*width, elem.clone());
        let elements = self.array_parts(array);
        let elements = self.array_vars(&elements);
        let operator = match op {
            None => None,
            Some((op, neutral)) => {
                let shape = neutral.shape();
                let mut lambda = self.operator_lambda(op, &shape, span)?;
                // The operator also gets the index, which it ignores.
                let index = self.b().var("i", Type::I64);
                lambda.params.insert(0, index);
                Some((lambda, neutral.parts()))
            }
        };
        let parts = dest.parts();
        let arrays = self.array_vars(&parts);
        self.b().open();
        let cert = self.b().var("cert", Type::CERT);
        let acc = self.b().var("acc", Type::Acc(cert));
        self.acc_elems.insert(cert, (dest_size, dest_elem));
        let (map, _) =
            self.lambda(&[Shape::Acc(cert), (*elem).clone()], None, span, |this, args| {
                let partial = this.apply(f.clone(), args[0].clone(), span)?;
                this.apply(partial, args[1].clone(), span)
            })?;
        let inputs = [acc].into_iter().chain(elements).collect();
        let screma = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let exp = Exp::Screma(Box::new(screma));
        let last = self.operator_stm(exp, vec![Type::Acc(cert)], span)[0];
        let body = self.b().close(vec![last]);
        let lambda = Lambda { params: vec![cert, acc], body, ret: vec![Type::Acc(cert)] };
        let types = arrays.iter().map(|&v| self.b().type_of(v).clone()).collect();
        let input = AccInput { shape: vec![dest_size], arrays, op: operator };
        let vars = self.operator_stm(Exp::WithAcc(vec![input], Box::new(lambda)), types, span);
        Ok(Val::build(&dest.shape(), &mut vars.into_iter()))
    }

    /// One contribution to an accumulator.
    pub(crate) fn acc_write(
        &mut self,
        acc: &Val<'a>,
        index: &Val<'a>,
        value: &Val<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let (Val::Acc(cert, var), Val::Scalar(_, index)) = (acc, index) else {
            self.bug(span, "a write goes to something that is not an accumulator");
        };
        let (_, elem) = self.acc_elems.get(cert).or_bug("array of an accumulator").clone();
        let value = self.with_shape(value.clone(), &elem);
        let exp = Exp::UpdateAcc(*var, vec![*index], value.parts());
        let new = self.b().emit(exp, vec![("acc", Type::Acc(*cert))], Default::default())[0];
        Ok(Val::Acc(*cert, new))
    }
}
