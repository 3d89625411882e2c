//! Array operators that take functions.

use crate::value::{Instance, Shape, Val};
use crate::{Lower, Res};
use fehu_base::{OrBug, Prim, Span, bug};
use fehu_ir::{
    Atom, Elem, Exp, Hist, HistOp, Lambda, Partition, Red, Scan, Scatter, Screma, Type, Var,
};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// The operands of an array's elements: none if the elements hold nothing.
    pub(crate) fn array_parts(&self, array: &Val<'a>) -> Vec<Atom> {
        match array {
            Val::Array(_, elem, parts) if !elem.parts().is_empty() => parts.to_vec(),
            // Elements that hold nothing: the one part is there for the size.
            Val::Array(..) => Vec::new(),
            Val::Scalar(..)
            | Val::Record(_)
            | Val::Sum(..)
            | Val::Choice(..)
            | Val::Acc(..)
            | Val::Fun(_) => bug("the parts of an array are asked of another value"),
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

    pub(crate) fn array_vars(&mut self, parts: &[Atom]) -> Vec<Var> {
        parts.iter().map(|part| self.array_var(*part)).collect()
    }

    /// The shape of a type argument of an operator, if it has sizes.
    pub(crate) fn type_arg(
        &mut self,
        instance: Option<&Rc<Instance<'a>>>,
        index: usize,
        span: Span,
    ) -> Res<Option<Shape>> {
        let instance = instance.or_bug("instance of an operator");
        let ty = instance.types.get(index).or_bug("type argument of an operator").clone();
        self.known_shape(&ty, &instance.frame.clone(), span)
    }

    /// A function as a lambda on values of these shapes, whose result has sizes known outside: its
    /// own if they are, and otherwise those of `expected`.
    pub(crate) fn lambda(
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
            self.bug(span, "an array operator's function returns a function");
        }
        let mut shape = value.shape();
        let mut known = true;
        shape.for_each_size(&mut |size| known &= self.b().known_at(size, depth));
        if !known {
            match expected {
                Some(expected) => shape = expected.clone(),
                None => {
                    self.bug(span, "the size of a function's result is not known outside");
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
            self.bug(span, "map is applied to something that is not an array");
        };
        let (size, elem) = (*size, elem.clone());
        let expected = self.type_arg(instance, 1, span)?;
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
    pub(crate) fn operator_stm(&mut self, exp: Exp, types: Vec<Type>, span: Span) -> Vec<Atom> {
        let attrs = self.attrs.clone();
        // Most operators are written in the prelude; people know the calls that led there.
        let loc = Some(self.loc(self.user_place(span)));
        let named = types.into_iter().map(|ty| ("x", ty)).collect();
        let with = crate::build::Attach { certs: Vec::new(), attrs, loc };
        self.b().emit(exp, named, with).into_iter().map(Atom::Var).collect()
    }

    /// An associative operator on values of a shape.
    pub(crate) fn operator_lambda(
        &mut self,
        op: &Val<'a>,
        shape: &Shape,
        span: Span,
    ) -> Res<Lambda> {
        let (lambda, _) =
            self.lambda(&[shape.clone(), shape.clone()], Some(shape), span, |this, args| {
                let partial = this.apply(op.clone(), args[0].clone(), span)?;
                let value = this.apply(partial, args[1].clone(), span)?;
                Ok(this.with_shape(value, shape))
            })?;
        Ok(lambda)
    }

    /// The function that returns its arguments.
    pub(crate) fn identity(&mut self, shape: &Shape) -> Lambda {
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
            self.bug(span, "a reduction is applied to something that is not an array");
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
            // The elements hold nothing.
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
            self.bug(span, "scatter has no indices");
        };
        let width = *width;
        let (sizes, elem) = outer(&dest.shape(), rank);
        let values = self.with_shape(values.clone(), &Shape::Array(width, Rc::new(elem.clone())));
        let dests = dest.parts();
        if elem.parts().is_empty() {
            // There is nothing to write.
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
            self.bug(span, "a histogram lacks arguments");
        };
        let Val::Array(width, ..) = indices else {
            self.bug(span, "a histogram has no indices");
        };
        let width = *width;
        let shape = neutral.shape();
        let (sizes, _) = outer(&dest.shape(), rank);
        let whole = sizes.iter().rev().fold(shape.clone(), |s, n| Shape::Array(*n, Rc::new(s)));
        let dest = self.with_shape(dest.clone(), &whole);
        let values = self.with_shape(values.clone(), &Shape::Array(width, Rc::new(shape.clone())));
        if shape.parts().is_empty() {
            // There is nothing to combine.
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
            self.bug(span, "partition is applied to something that is not an array");
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

    /// Whether two arrays are equal: their sizes, and then all elements.
    pub(crate) fn equal_arrays(&mut self, a: &Val<'a>, b: &Val<'a>, span: Span) -> Res<Atom> {
        let (Val::Array(n, elem, _), Val::Array(..)) = (a, b) else {
            self.bug(span, "these values are not arrays");
        };
        let (n, elem) = (*n, elem.clone());
        let b = self.with_shape(b.clone(), &a.shape());
        let mut inputs = self.array_parts(a);
        inputs.extend(self.array_parts(&b));
        let inputs = self.array_vars(&inputs);
        let shapes = [(*elem).clone(), (*elem).clone()];
        let (map, _) = self.lambda(&shapes, None, span, |this, args| {
            let equal = this.operator("==", &args[0], &args[1], span)?;
            match equal {
                Some(equal) => Ok(equal),
                None => this.bug(span, "these values cannot be compared"),
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

/// The outer sizes of a shape, and what is inside.
fn outer(shape: &Shape, rank: usize) -> (Vec<Atom>, Shape) {
    let mut sizes = Vec::with_capacity(rank);
    let mut inner = shape.clone();
    for _ in 0..rank {
        let Shape::Array(size, elem) = &inner else {
            bug("an array has fewer dimensions than indices")
        };
        sizes.push(*size);
        let elem = (**elem).clone();
        inner = elem;
    }
    (sizes, inner)
}
