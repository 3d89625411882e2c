//! Array operators that take functions.

use crate::value::{Instance, Shape, Val};
use crate::{Lower, Res};
use fehu_base::{Prim, Span};
use fehu_ir::{
    AccInput, Atom, BinOp, Elem, Exp, Hist, HistOp, Lambda, LoopForm, LoopParam, Partition, Red,
    Scan, Scatter, Screma, Stm, Stream, StreamForm, Type, Var,
};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// The operands of an array's elements: none if the elements hold nothing.
    pub(crate) fn array_parts(&self, array: &Val<'a>) -> Vec<Atom> {
        match array {
            Val::Array(_, elem, parts) if !elem.parts().is_empty() => parts.to_vec(),
            _ => Vec::new(),
        }
    }

    /// An array from the operands of its elements.
    pub(crate) fn make_array(&mut self, size: Atom, elem: Rc<Shape>, parts: Vec<Atom>) -> Val<'a> {
        if !parts.is_empty() {
            return Val::Array(size, elem, parts.into());
        }
        // Elements that hold nothing, or arrays of such: only the shape is kept.
        let ty = Shape::Array(size, elem.clone()).parts().remove(0);
        let exp = Exp::Scratch(Elem::Unit, ty.shape().to_vec());
        let part = self.b().one("unit", ty, exp);
        Val::Array(size, elem, Rc::new([part]))
    }

    fn array_vars(&mut self, parts: &[Atom]) -> Vec<Var> {
        parts.iter().map(|part| self.array_var(*part)).collect()
    }

    /// The shape of a type argument of an operator, if it has sizes.
    fn type_arg(
        &mut self,
        instance: Option<&Rc<Instance<'a>>>,
        index: usize,
        span: Span,
    ) -> Option<Shape> {
        let instance = instance?;
        let ty = instance.types.get(index)?.clone();
        self.shape_of(&ty, &instance.frame.clone(), span).ok()
    }

    /// A function as a lambda on values of these shapes, whose result has sizes known outside: its
    /// own if they are, and otherwise those of `expected`.
    fn lambda(
        &mut self,
        params: &[Shape],
        expected: Option<&Shape>,
        span: Span,
        body: impl FnOnce(&mut Self, Vec<Val<'a>>) -> Res<Val<'a>>,
    ) -> Res<(Lambda, Shape)> {
        let depth = self.b().depth();
        self.b().open();
        let mut vars = Vec::new();
        let mut args = Vec::with_capacity(params.len());
        for shape in params {
            let mut parts = Vec::new();
            for ty in shape.parts() {
                let var = self.b().var("x", ty);
                vars.push(var);
                parts.push(Atom::Var(var));
            }
            args.push(Val::build(shape, &mut parts.into_iter()));
        }
        let attrs = std::mem::take(&mut self.attrs);
        let value = body(self, args)?;
        self.attrs = attrs;
        if value.has_function() {
            return self.limit(span, "an array operator's function returns a function");
        }
        let mut shape = value.shape();
        let mut known = true;
        shape.for_each_size(&mut |size| known &= self.b().known_at(size, depth));
        if !known {
            match expected {
                Some(expected) => shape = expected.clone(),
                None => {
                    return self
                        .limit(span, "the size of a function's result is not known outside");
                }
            }
        }
        let value = self.with_shape(value, &shape);
        let body = self.b().close(value.parts());
        Ok((Lambda { params: vars, body, ret: shape.parts() }, shape))
    }

    pub(crate) fn map(
        &mut self,
        f: &Val<'a>,
        array: &Val<'a>,
        instance: Option<&Rc<Instance<'a>>>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Val::Array(size, elem, _) = array else {
            return self.limit(span, "map is applied to something that is not an array");
        };
        let (size, elem) = (*size, elem.clone());
        let expected = self.type_arg(instance, 1, span);
        let parts = self.array_parts(array);
        let inputs = self.array_vars(&parts);
        let (map, shape) =
            self.lambda(&[(*elem).clone()], expected.as_ref(), span, |this, args| {
                this.apply(f.clone(), args[0].clone(), span)
            })?;
        if map.ret.is_empty() && map.body.stms.is_empty() {
            return Ok(self.make_array(size, Rc::new(shape), Vec::new()));
        }
        let types = map.ret.iter().filter_map(|ty| ty.array_of(size)).collect();
        let screma = Screma { width: size, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let vars = self.operator_stm(Exp::Screma(Box::new(screma)), types, span);
        Ok(self.make_array(size, Rc::new(shape), vars))
    }

    /// A statement of an array operator, with the attributes in force.
    fn operator_stm(&mut self, exp: Exp, types: Vec<Type>, span: Span) -> Vec<Atom> {
        let attrs = self.attrs.clone();
        // Most operators are written in the prelude; people know the calls that led there.
        let loc = Some(self.loc(self.user_place(span)));
        let named = types.into_iter().map(|ty| ("x", ty)).collect();
        let with = crate::build::Attach { certs: Vec::new(), attrs, loc };
        self.b().emit(exp, named, with).into_iter().map(Atom::Var).collect()
    }

    /// An associative operator on values of a shape.
    fn operator_lambda(&mut self, op: &Val<'a>, shape: &Shape, span: Span) -> Res<Lambda> {
        let (lambda, result) =
            self.lambda(&[shape.clone(), shape.clone()], Some(shape), span, |this, args| {
                let partial = this.apply(op.clone(), args[0].clone(), span)?;
                let value = this.apply(partial, args[1].clone(), span)?;
                Ok(this.with_shape(value, shape))
            })?;
        _ = result;
        Ok(lambda)
    }

    /// The function that returns its arguments.
    fn identity(&mut self, shape: &Shape) -> Lambda {
        self.b().open();
        let types = shape.parts();
        let params: Vec<Var> = types.iter().map(|ty| self.b().var("x", ty.clone())).collect();
        let results = params.iter().map(|&v| Atom::Var(v)).collect();
        let body = self.b().close(results);
        Lambda { params, body, ret: types }
    }

    pub(crate) fn fold(
        &mut self,
        kind: Fold,
        op: &Val<'a>,
        neutral: &Val<'a>,
        array: &Val<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Val::Array(size, ..) = array else {
            return self.limit(span, "a reduction is applied to something that is not an array");
        };
        let size = *size;
        let shape = neutral.shape();
        let array = self.with_shape(array.clone(), &Shape::Array(size, Rc::new(shape.clone())));
        let op = self.operator_lambda(op, &shape, span)?;
        let parts = self.array_parts(&array);
        let inputs = self.array_vars(&parts);
        let map = self.identity(&shape);
        let neutral_parts = neutral.parts();
        if parts.is_empty() {
            return Ok(match kind {
                Fold::Scan => self.make_array(size, Rc::new(shape), Vec::new()),
                Fold::Reduce | Fold::ReduceComm => neutral.clone(),
            });
        }
        let types = match kind {
            Fold::Scan => shape.parts().iter().filter_map(|ty| ty.array_of(size)).collect(),
            Fold::Reduce | Fold::ReduceComm => shape.parts(),
        };
        let (scans, reds) = match kind {
            Fold::Scan => (vec![Scan { op, neutral: neutral_parts }], Vec::new()),
            Fold::Reduce | Fold::ReduceComm => {
                let commutative = kind == Fold::ReduceComm;
                (Vec::new(), vec![Red { op, neutral: neutral_parts, commutative }])
            }
        };
        let screma = Screma { width: size, inputs, map, scans, reds };
        let vars = self.operator_stm(Exp::Screma(Box::new(screma)), types, span);
        Ok(match kind {
            Fold::Scan => self.make_array(size, Rc::new(shape), vars),
            Fold::Reduce | Fold::ReduceComm => Val::build(&shape, &mut vars.into_iter()),
        })
    }

    /// `scatter` with this many indices.
    pub(crate) fn scatter(
        &mut self,
        rank: usize,
        dest: &Val<'a>,
        indices: &Val<'a>,
        values: &Val<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Val::Array(width, ..) = indices else {
            return self.limit(span, "scatter has no indices");
        };
        let width = *width;
        let (sizes, elem) = outer(&dest.shape(), rank);
        let values = self.with_shape(values.clone(), &Shape::Array(width, Rc::new(elem.clone())));
        let dests = dest.parts();
        if elem.parts().is_empty() {
            return Ok(dest.clone());
        }
        let index_parts = indices.parts();
        let value_parts = self.array_parts(&values);
        let mut inputs = self.array_vars(&index_parts);
        inputs.extend(self.array_vars(&value_parts));
        self.b().open();
        let index_vars: Vec<Var> = (0..rank).map(|_| self.b().var("i", Type::I64)).collect();
        let value_types = elem.parts();
        let value_vars: Vec<Var> =
            value_types.iter().map(|ty| self.b().var("v", ty.clone())).collect();
        let mut results = Vec::new();
        for _ in &value_vars {
            results.extend(index_vars.iter().map(|&v| Atom::Var(v)));
        }
        results.extend(value_vars.iter().map(|&v| Atom::Var(v)));
        let body = self.b().close(results);
        let mut ret = vec![Type::I64; rank * value_vars.len()];
        ret.extend(value_types);
        let params = index_vars.into_iter().chain(value_vars).collect();
        let map = Lambda { params, body, ret };
        let dest_vars = self.array_vars(&dests);
        let types = dest_vars.iter().map(|&v| self.b().type_of(v).clone()).collect();
        let dests = dest_vars.into_iter().map(|v| (sizes.clone(), v)).collect();
        let scatter = Scatter { width, inputs, map, dests };
        let vars = self.operator_stm(Exp::Scatter(Box::new(scatter)), types, span);
        Ok(Val::build(&dest.shape(), &mut vars.into_iter()))
    }

    /// `reduce_by_index` with this many indices. The arguments are the race factor, the destination,
    /// the operator, its neutral element, the indices and the values.
    pub(crate) fn hist(&mut self, rank: usize, args: &[Val<'a>], span: Span) -> Res<Val<'a>> {
        let [Val::Scalar(_, race_factor), dest, op, neutral, indices, values] = args else {
            return self.limit(span, "a histogram lacks arguments");
        };
        let Val::Array(width, ..) = indices else {
            return self.limit(span, "a histogram has no indices");
        };
        let width = *width;
        let shape = neutral.shape();
        let (sizes, _) = outer(&dest.shape(), rank);
        let whole = sizes.iter().rev().fold(shape.clone(), |s, n| Shape::Array(*n, Rc::new(s)));
        let dest = self.with_shape(dest.clone(), &whole);
        let values = self.with_shape(values.clone(), &Shape::Array(width, Rc::new(shape.clone())));
        if shape.parts().is_empty() {
            return Ok(dest);
        }
        let op = self.operator_lambda(op, &shape, span)?;
        let index_parts = indices.parts();
        let value_parts = self.array_parts(&values);
        let mut inputs = self.array_vars(&index_parts);
        inputs.extend(self.array_vars(&value_parts));
        let mut elem = vec![(ecow::EcoString::from("0"), Shape::Prim(Prim::I64)); rank];
        elem.push(("1".into(), shape.clone()));
        let map = self.identity(&Shape::Record(elem.into()));
        let dest_parts = dest.parts();
        let dests = self.array_vars(&dest_parts);
        let types = dests.iter().map(|&v| self.b().type_of(v).clone()).collect();
        let op =
            HistOp { shape: sizes, race_factor: *race_factor, dests, op, neutral: neutral.parts() };
        let hist = Hist { width, inputs, map, ops: vec![op] };
        let vars = self.operator_stm(Exp::Hist(Box::new(hist)), types, span);
        Ok(Val::build(&dest.shape(), &mut vars.into_iter()))
    }

    pub(crate) fn partition(
        &mut self,
        classes: usize,
        f: &Val<'a>,
        array: &Val<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Val::Array(size, elem, _) = array else {
            return self.limit(span, "partition is applied to something that is not an array");
        };
        let (size, elem) = (*size, elem.clone());
        let parts = self.array_parts(array);
        let inputs = self.array_vars(&parts);
        let (map, _) = self.lambda(&[(*elem).clone()], None, span, |this, args| {
            let class = this.apply(f.clone(), args[0].clone(), span)?;
            Ok(Val::tuple([class, args[0].clone()]))
        })?;
        let mut types = vec![Type::I64; classes];
        types.extend(inputs.iter().map(|&v| self.b().type_of(v).clone()));
        let partition = Partition { width: size, classes, inputs, map };
        let mut vars = self.operator_stm(Exp::Partition(Box::new(partition)), types, span);
        let arrays = vars.split_off(classes);
        let rows: Vec<Vec<Atom>> = vars.into_iter().map(|count| vec![count]).collect();
        let counts = self.array_of_rows(Atom::i64(classes as i64), Shape::Prim(Prim::I64), &rows);
        let sorted = self.make_array(size, elem, arrays);
        Ok(Val::tuple([sorted, counts]))
    }

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
            return self.limit(span, "a stream is applied to something that is not an array");
        };
        let (size, elem) = (*size, elem.clone());
        let result_index = if matches!(form, StreamKind::Map) { 1 } else { 2 };
        let expected = self.type_arg(instance, result_index, span);
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
        let chunk_shape = Shape::Array(Atom::Var(chunk_size), elem);
        let chunk = if parts.is_empty() {
            let Shape::Array(n, elem) = &chunk_shape else { return Ok(array.clone()) };
            self.make_array(*n, elem.clone(), Vec::new())
        } else {
            shaped(self, &chunk_shape)
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
            return self.limit(span, "the function of a stream does not return an array");
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

    /// A function applied to every element in turn, with an accumulator made of `dest`.
    pub(crate) fn accumulate(
        &mut self,
        dest: &Val<'a>,
        op: Option<(&Val<'a>, &Val<'a>)>,
        f: &Val<'a>,
        array: &Val<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Val::Array(size, elem, _) = dest else {
            return self
                .limit(span, "an accumulator is created from something that is not an array");
        };
        let (dest_size, dest_elem) = (*size, elem.clone());
        let Val::Array(width, ..) = array else {
            return self.limit(span, "an accumulation is over something that is not an array");
        };
        let width = *width;
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
        self.b().open();
        let inner = self.b().var("acc", Type::Acc(cert));
        let index = self.b().var("i", Type::I64);
        let dims = [crate::access::Index::Fix(Val::i64(Atom::Var(index)))];
        let safe = std::mem::replace(&mut self.safe, false);
        let elem = self.index_value(array, &dims, span)?;
        self.safe = safe;
        let partial = self.apply(f.clone(), Val::Acc(cert, inner), span)?;
        let result = self.apply(partial, elem, span)?;
        let body = self.b().close(result.parts());
        let last = self.b().var("acc", Type::Acc(cert));
        let param = LoopParam { var: inner, init: Atom::Var(acc) };
        let form = LoopForm::For(index, width);
        self.b().push(Stm::new(vec![last], Exp::Loop(vec![param], form, Box::new(body))));
        let body = self.b().close(vec![Atom::Var(last)]);
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
            return self.limit(span, "a write goes to something that is not an accumulator");
        };
        let value = match self.acc_elems.get(cert).cloned() {
            Some((_, elem)) => self.with_shape(value.clone(), &elem),
            None => value.clone(),
        };
        let exp = Exp::UpdateAcc(*var, vec![*index], value.parts());
        let new = self.b().emit(exp, vec![("acc", Type::Acc(*cert))], Default::default())[0];
        Ok(Val::Acc(*cert, new))
    }

    /// `flatmap`: the function is applied twice, to find the sizes and to fill the result.
    pub(crate) fn flatmap(
        &mut self,
        f: &Val<'a>,
        array: &Val<'a>,
        instance: Option<&Rc<Instance<'a>>>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Val::Array(size, elem, _) = array else {
            return self.limit(span, "flatmap is applied to something that is not an array");
        };
        let (size, elem) = (*size, elem.clone());
        let piece_elem = self.type_arg(instance, 1, span);
        let other = self.type_arg(instance, 2, span);
        let Some(piece_elem) = piece_elem else {
            return self.limit(span, "the element type of flatmap's result is not known");
        };
        let parts = self.array_parts(array);
        let inputs = self.array_vars(&parts);
        let expected = Shape::Record(
            [("0".into(), Shape::Prim(Prim::I64)), ("1".into(), other.unwrap_or(Shape::unit()))]
                .into(),
        );
        let (map, shape) =
            self.lambda(&[(*elem).clone()], Some(&expected), span, |this, args| {
                let result = this.apply(f.clone(), args[0].clone(), span)?;
                let piece = this.project(&result, "0", span)?;
                let rest = this.project(&result, "1", span)?;
                let Shape::Array(n, _) = piece.shape() else {
                    return this.limit(span, "the function of flatmap does not return an array");
                };
                Ok(Val::tuple([Val::i64(n), rest]))
            })?;
        let types = map.ret.iter().filter_map(|ty| ty.array_of(size)).collect();
        let screma = Screma { width: size, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let mut vars = self.operator_stm(Exp::Screma(Box::new(screma)), types, span);
        let rest_parts = vars.split_off(1);
        let sizes = vars[0];
        let Shape::Record(fields) = &shape else { return Ok(array.clone()) };
        let rest_elem = Rc::new(fields[1].1.clone());
        let rest = self.make_array(size, rest_elem, rest_parts);

        // Total and offsets by a loop that also fills the pieces.
        let sizes_var = self.array_var(sizes);
        let total = self.sum_i64(size, sizes_var, span);
        let flat_shape = Shape::Array(total, Rc::new(piece_elem.clone()));
        let flag_ty = Type::Array(Elem::Prim(Prim::Bool), vec![total]);
        let flags =
            self.b().one("flags", flag_ty.clone(), Exp::Replicate(vec![total], Atom::bool(false)));
        let offset_ty = Type::Array(Elem::Prim(Prim::I64), vec![size]);
        let offsets =
            self.b().one("offsets", offset_ty.clone(), Exp::Replicate(vec![size], Atom::i64(0)));
        let blanks: Vec<Atom> = flat_shape.parts().iter().map(|ty| self.blank(ty)).collect();

        self.b().open();
        let mut params = Vec::new();
        let mut param = |this: &mut Self, hint: &str, ty: Type, init: Atom| {
            let var = this.b().var(hint, ty);
            params.push(LoopParam { var, init });
            var
        };
        let at = param(self, "at", Type::I64, Atom::i64(0));
        let flags_in = param(self, "flags", flag_ty.clone(), flags);
        let offsets_in = param(self, "offsets", offset_ty.clone(), offsets);
        let flat_in: Vec<Var> = flat_shape
            .parts()
            .into_iter()
            .zip(&blanks)
            .map(|(ty, init)| param(self, "flat", ty, *init))
            .collect();
        let index = self.b().var("i", Type::I64);
        let dims = [crate::access::Index::Fix(Val::i64(Atom::Var(index)))];
        let safe = std::mem::replace(&mut self.safe, false);
        let element = self.index_value(array, &dims, span)?;
        self.safe = safe;
        let result = self.apply(f.clone(), element, span)?;
        let piece = self.project(&result, "0", span)?;
        let Shape::Array(n, _) = piece.shape() else { return Ok(array.clone()) };
        let piece = self.with_shape(piece, &Shape::Array(n, Rc::new(piece_elem.clone())));
        let fix = |a: Atom| vec![fehu_ir::Dim::Fix(a)];
        let offsets_out = self.b().one(
            "offsets",
            offset_ty,
            Exp::Update(offsets_in, fix(Atom::Var(index)), Atom::Var(at)),
        );
        let empty = self.b().cmp(fehu_ir::CmpOp::Eq, n, Atom::i64(0));
        self.b().open();
        let keep = self.b().close(vec![Atom::Var(flags_in)]);
        self.b().open();
        let marked = self.b().one(
            "flags",
            flag_ty.clone(),
            Exp::Update(flags_in, fix(Atom::Var(at)), Atom::bool(true)),
        );
        let mark = self.b().close(vec![marked]);
        let flags_out = self.b().one("flags", flag_ty, Exp::If(empty, Box::new([keep, mark])));
        let slice =
            vec![fehu_ir::Dim::Slice { start: Atom::Var(at), len: n, stride: Atom::i64(1) }];
        let mut results = Vec::new();
        let next = self.b().size_op(BinOp::Add, Atom::Var(at), n);
        results.extend([next, flags_out, offsets_out]);
        let piece_parts = self.array_parts(&piece);
        for (flat, part) in flat_in.iter().zip(piece_parts) {
            let ty = self.b().type_of(*flat).clone();
            results.push(self.b().one("flat", ty, Exp::Update(*flat, slice.clone(), part)));
        }
        // Pieces whose elements hold nothing leave the array as it is.
        for flat in &flat_in[results.len() - 3..] {
            results.push(Atom::Var(*flat));
        }
        let body = self.b().close(results);
        let types: Vec<Type> = params.iter().map(|p| self.b().type_of(p.var).clone()).collect();
        let form = LoopForm::For(index, size);
        let out = self.operator_stm(Exp::Loop(params, form, Box::new(body)), types, span);
        let flat = Val::build(&flat_shape, &mut out[3..].iter().copied());
        let i64s = Rc::new(Shape::Prim(Prim::I64));
        let bools = Rc::new(Shape::Prim(Prim::Bool));
        Ok(Val::tuple([
            Val::Array(size, i64s.clone(), Rc::new([sizes])),
            Val::Array(total, bools, Rc::new([out[1]])),
            Val::Array(size, i64s, Rc::new([out[2]])),
            flat,
            rest,
        ]))
    }

    fn sum_i64(&mut self, size: Atom, array: Var, span: Span) -> Atom {
        let shape = Shape::Prim(Prim::I64);
        let map = self.identity(&shape);
        self.b().open();
        let a = self.b().var("a", Type::I64);
        let b = self.b().var("b", Type::I64);
        let sum = self.b().size_op(BinOp::Add, Atom::Var(a), Atom::Var(b));
        let body = self.b().close(vec![sum]);
        let op = Lambda { params: vec![a, b], body, ret: vec![Type::I64] };
        let red = Red { op, neutral: vec![Atom::i64(0)], commutative: true };
        let screma =
            Screma { width: size, inputs: vec![array], map, scans: Vec::new(), reds: vec![red] };
        self.operator_stm(Exp::Screma(Box::new(screma)), vec![Type::I64], span)[0]
    }

    /// Whether two arrays are equal: their sizes, and then all elements.
    pub(crate) fn equal_arrays(&mut self, a: &Val<'a>, b: &Val<'a>, span: Span) -> Res<Atom> {
        let (Val::Array(n, elem, _), Val::Array(m, ..)) = (a, b) else {
            return self.limit(span, "these values are not arrays");
        };
        let (n, elem) = (*n, elem.clone());
        let b = self.with_shape(b.clone(), &a.shape());
        _ = m;
        let mut inputs = self.array_parts(a);
        inputs.extend(self.array_parts(&b));
        let inputs = self.array_vars(&inputs);
        let shapes = [(*elem).clone(), (*elem).clone()];
        let (map, _) = self.lambda(&shapes, None, span, |this, args| {
            let equal = this.operator("==", &args[0], &args[1], span)?;
            match equal {
                Some(equal) => Ok(equal),
                None => this.limit(span, "these values cannot be compared"),
            }
        })?;
        self.b().open();
        let x = self.b().var("x", Type::BOOL);
        let y = self.b().var("y", Type::BOOL);
        let both = self.b().and(Atom::Var(x), Atom::Var(y));
        let body = self.b().close(vec![both]);
        let op = Lambda { params: vec![x, y], body, ret: vec![Type::BOOL] };
        let red = Red { op, neutral: vec![Atom::bool(true)], commutative: true };
        let screma = Screma { width: n, inputs, map, scans: Vec::new(), reds: vec![red] };
        Ok(self.operator_stm(Exp::Screma(Box::new(screma)), vec![Type::BOOL], span)[0])
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fold {
    Reduce,
    ReduceComm,
    Scan,
}

/// How the chunks of a stream relate; for a reduction the operator and whether it is commutative.
pub(crate) enum StreamKind<'v, 'a> {
    Map,
    Red(&'v Val<'a>, bool),
    Seq,
}

/// The outer sizes of a shape, and what is inside.
fn outer(shape: &Shape, rank: usize) -> (Vec<Atom>, Shape) {
    let mut sizes = Vec::with_capacity(rank);
    let mut inner = shape.clone();
    for _ in 0..rank {
        let Shape::Array(size, elem) = &inner else { break };
        sizes.push(*size);
        let elem = (**elem).clone();
        inner = elem;
    }
    (sizes, inner)
}
