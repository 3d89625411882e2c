//! Streams: a function that gets an array in chunks.

use crate::value::{Instance, Shape, Val};
use crate::{Lower, Res};
use fehu_base::Span;
use fehu_ir::{Atom, Exp, Lambda, Stream, StreamForm, Type};
use std::rc::Rc;

impl<'a> Lower<'a> {
    pub(crate) fn stream(
        &mut self,
        form: StreamKind<'_, 'a>,
        f: &Val<'a>,
        init: &Val<'a>,
        array: &Val<'a>,
        instance: Option<&Rc<Instance<'a>>>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Val::Array(size, elem, _) = array else {
            self.bug(span, "a stream is applied to something that is not an array");
        };
        let (size, elem) = (*size, elem.clone());
        let result_index = if matches!(form, StreamKind::Map) { 1 } else { 2 };
        let expected = self.type_arg(instance, result_index, span)?;
        let acc = init.shape();
        let op = match &form {
            StreamKind::Red(op, commutative) => {
                StreamForm::Red(self.operator_lambda(op, &acc, span)?, *commutative)
            }
            StreamKind::Map => StreamForm::Map,
            StreamKind::Seq => StreamForm::Seq,
        };
        let parts = self.array_parts(array);
        let inputs = self.array_vars(&parts);
        self.b().open();
        let chunk_size = self.b().var("m", Type::I64);
        let mut params = vec![chunk_size];
        let mut shaped = |this: &mut Self, shape: &Shape| {
            let mut atoms = Vec::new();
            for ty in shape.parts() {
                let var = this.b().var("x", ty);
                params.push(var);
                atoms.push(Atom::Var(var));
            }
            Val::build(shape, &mut atoms.into_iter())
        };
        let acc_value = shaped(self, &acc);
        let chunk = if parts.is_empty() {
            self.make_array(Atom::Var(chunk_size), elem, Vec::new())
        } else {
            shaped(self, &Shape::Array(Atom::Var(chunk_size), elem))
        };
        let mut value = self.apply(f.clone(), Val::i64(Atom::Var(chunk_size)), span)?;
        if !matches!(form, StreamKind::Map) {
            value = self.apply(value, acc_value, span)?;
        }
        value = self.apply(value, chunk, span)?;
        let (new_acc, out) = match form {
            StreamKind::Map => (Val::unit(), value),
            StreamKind::Red(..) | StreamKind::Seq => {
                (self.project(&value, "0", span)?, self.project(&value, "1", span)?)
            }
        };
        let Shape::Array(_, out_elem) = out.shape() else {
            self.bug(span, "the function of a stream does not return an array");
        };
        let out_elem = expected.unwrap_or((*out_elem).clone());
        let new_acc = self.with_shape(new_acc, &acc);
        let out_shape = Shape::Array(Atom::Var(chunk_size), Rc::new(out_elem.clone()));
        let out = self.with_shape(out, &out_shape);
        let mut results = new_acc.parts();
        let out_parts = self.array_parts(&out);
        results.extend(&out_parts);
        let body = self.b().close(results);
        let mut ret = acc.parts();
        if !out_parts.is_empty() {
            ret.extend(out_shape.parts());
        }
        let chunk = Lambda { params, body, ret };
        let mut types = acc.parts();
        if !out_parts.is_empty() {
            types.extend(Shape::Array(size, Rc::new(out_elem.clone())).parts());
        }
        let stream = Stream { width: size, inputs, form: op, init: init.parts(), chunk };
        let mut vars = self.operator_stm(Exp::Stream(Box::new(stream)), types, span).into_iter();
        let acc_result = Val::build(&acc, &mut vars);
        let rest: Vec<Atom> = vars.collect();
        let array = self.make_array(size, Rc::new(out_elem), rest);
        Ok(if result_index == 1 { array } else { Val::tuple([acc_result, array]) })
    }
}

/// How the chunks of a stream relate; for a reduction the operator and whether it is commutative.
pub(crate) enum StreamKind<'v, 'a> {
    Map,
    Red(&'v Val<'a>, bool),
    Seq,
}
