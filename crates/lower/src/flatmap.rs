//! `flatmap`: pieces of different sizes, one after the other.

use crate::value::{Instance, Shape, Val};
use crate::{Lower, Res};
use fehu_base::{OrBug, Prim, Span};
use fehu_ir::{
    AccInput, Atom, BinOp, CmpOp, Elem, Exp, Lambda, Red, Scan, Scatter, Screma, Type, Var,
};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// `flatmap`: the sizes of all pieces come first. Where a size depends on less than the piece does, as that of `iota n` or of a
    /// slice, the rest of the function is not needed for it, and is evaluated once.
    pub(crate) fn flatmap(
        &mut self,
        f: &Val<'a>,
        array: &Val<'a>,
        instance: Option<&Rc<Instance<'a>>>,
        span: Span,
    ) -> Res<Val<'a>> {
        let Val::Array(size, elem, _) = array else {
            self.bug(span, "flatmap is applied to something that is not an array");
        };
        let (size, elem) = (*size, elem.clone());
        let piece_elem = self.type_arg(instance, 1, span)?;
        let other = self.type_arg(instance, 2, span)?;
        let Some(piece_elem) = piece_elem else {
            self.bug(span, "the element type of flatmap's result is not known");
        };
        let parts = self.array_parts(array);
        let inputs = self.array_vars(&parts);
        let expected = other.map(|other| {
            Shape::Record([("0".into(), Shape::Prim(Prim::I64)), ("1".into(), other)].into())
        });
        let (map, shape) =
            self.lambda(&[(*elem).clone()], expected.as_ref(), span, |this, args| {
                let result = this.apply(f.clone(), args[0].clone(), span)?;
                let piece = this.project(&result, "0", span)?;
                let rest = this.project(&result, "1", span)?;
                let Shape::Array(n, _) = piece.shape() else {
                    this.bug(span, "the function of flatmap does not return an array");
                };
                Ok(Val::tuple([Val::i64(n), rest]))
            })?;
        let types = map.ret.iter().filter_map(|ty| ty.array_of(size)).collect();
        let screma = Screma { width: size, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let mut vars = self.operator_stm(Exp::Screma(Box::new(screma)), types, span);
        let rest_parts = vars.split_off(1);
        let sizes = vars[0];
        let Shape::Record(fields) = &shape else {
            self.bug(span, "the function of flatmap does not return a pair");
        };
        let rest_elem = Rc::new(fields[1].1.clone());
        let rest = self.make_array(size, rest_elem, rest_parts);

        let sizes_var = self.array_var(sizes);
        let total = self.sum_i64(size, sizes_var, span);
        let offsets = self.offsets(size, sizes_var, span);
        let offsets_var = self.array_var(offsets);
        let flags = self.first_of_each(size, total, [sizes_var, offsets_var], span);
        let flat_shape = Shape::Array(total, Rc::new(piece_elem.clone()));
        let elements = self.array_parts(array);
        let elements = self.array_vars(&elements);
        let places = Places { width: size, total, offsets: offsets_var };
        let shapes = [(*elem).clone()];
        let flat =
            self.pieces(places, (elements, &shapes), &piece_elem, span, &mut |this, args| {
                let result = this.apply(f.clone(), args[0].clone(), span)?;
                this.project(&result, "0", span)
            })?;
        let i64s = Rc::new(Shape::Prim(Prim::I64));
        let bools = Rc::new(Shape::Prim(Prim::Bool));
        Ok(Val::tuple([
            Val::Array(size, i64s.clone(), Rc::new([sizes])),
            Val::Array(total, bools, Rc::new([flags])),
            Val::Array(size, i64s, Rc::new([offsets])),
            Val::build(&flat_shape, &mut flat.into_iter()),
            rest,
        ]))
    }

    /// Where each piece begins.
    pub(crate) fn offsets(&mut self, size: Atom, sizes: Var, span: Span) -> Atom {
        let ty = Type::Array(Elem::Prim(Prim::I64), vec![size]);
        let map = self.identity(&Shape::Prim(Prim::I64));
        let op = self.add_i64();
        let scans = vec![Scan { op, neutral: vec![Atom::i64(0)] }];
        let screma = Screma { width: size, inputs: vec![sizes], map, scans, reds: Vec::new() };
        let ends = self.operator_stm(Exp::Screma(Box::new(screma)), vec![ty.clone()], span)[0];
        let ends = self.array_var(ends);
        self.b().open();
        let params = ["end", "n"].map(|hint| self.b().var(hint, Type::I64));
        let at = self.b().size_op(BinOp::Sub, Atom::Var(params[0]), Atom::Var(params[1]));
        let body = self.b().close(vec![at]);
        let map = Lambda { params: params.into(), body, ret: vec![Type::I64] };
        let inputs = vec![ends, sizes];
        let screma = Screma { width: size, inputs, map, scans: Vec::new(), reds: Vec::new() };
        self.operator_stm(Exp::Screma(Box::new(screma)), vec![ty], span)[0]
    }

    /// For each element of the concatenation, whether it is the first of a piece.
    fn first_of_each(
        &mut self,
        size: Atom,
        total: Atom,
        [sizes, offsets]: [Var; 2],
        span: Span,
    ) -> Atom {
        let ty = Type::Array(Elem::Prim(Prim::Bool), vec![total]);
        let flags =
            self.b().one("flags", ty.clone(), Exp::Replicate(vec![total], Atom::bool(false)));
        let dest = self.array_var(flags);
        self.b().open();
        let params = ["n", "at"].map(|hint| self.b().var(hint, Type::I64));
        // An empty piece has no first element.
        let empty = self.b().cmp(CmpOp::Eq, Atom::Var(params[0]), Atom::i64(0));
        self.b().open();
        let nowhere = self.b().close(vec![Atom::i64(-1)]);
        self.b().open();
        let there = self.b().close(vec![Atom::Var(params[1])]);
        let at = self.b().one("at", Type::I64, Exp::If(empty, Box::new([nowhere, there])));
        let body = self.b().close(vec![at, Atom::bool(true)]);
        let map = Lambda { params: params.into(), body, ret: vec![Type::I64, Type::BOOL] };
        let dests = vec![(vec![total], dest)];
        let scatter = Scatter { width: size, inputs: vec![sizes, offsets], map, dests };
        self.operator_stm(Exp::Scatter(Box::new(scatter)), vec![ty], span)[0]
    }

    /// The concatenation: the elements of each piece are written to where it begins. A piece is what the function makes of the elements of some arrays,
    /// which have these shapes.
    pub(crate) fn pieces(
        &mut self,
        Places { width, total, offsets }: Places,
        (elements, shapes): (Vec<Var>, &[Shape]),
        piece_elem: &Shape,
        span: Span,
        piece: &mut dyn FnMut(&mut Self, Vec<Val<'a>>) -> Res<Val<'a>>,
    ) -> Res<Vec<Atom>> {
        let flat_shape = Shape::Array(total, Rc::new(piece_elem.clone()));
        let scratch = |this: &mut Self, ty: Type| {
            let elem = ty.elem().or_bug("type for the elements of an array");
            let exp = Exp::Scratch(elem, ty.shape().to_vec());
            this.b().one("flat", ty, exp)
        };
        let flat: Vec<Atom> = flat_shape.parts().into_iter().map(|ty| scratch(self, ty)).collect();
        // Pieces whose elements hold nothing are written nowhere.
        if piece_elem.parts().is_empty() {
            return Ok(flat);
        }
        let arrays = self.array_vars(&flat);
        let types = arrays.iter().map(|&v| self.b().type_of(v).clone()).collect();
        self.b().open();
        let cert = self.b().var("cert", Type::CERT);
        let acc = self.b().var("acc", Type::Acc(cert));
        let mut all = vec![Shape::Acc(cert), Shape::Prim(Prim::I64)];
        all.extend(shapes.iter().cloned());
        let (map, _) = self.lambda(&all, None, span, |this, mut args| {
            let elements = args.split_off(2);
            let [Val::Acc(_, acc), Val::Scalar(_, at)] = args.as_slice() else {
                this.bug(span, "the arguments of a function are of another kind");
            };
            let piece = piece(this, elements)?;
            let Shape::Array(n, _) = piece.shape() else {
                this.bug(span, "a piece is not an array");
            };
            let piece = this.with_shape(piece, &Shape::Array(n, Rc::new(piece_elem.clone())));
            let acc = this.write_piece((cert, *acc), *at, n, &piece, span);
            Ok(Val::Acc(cert, acc))
        })?;
        let inputs = [acc, offsets].into_iter().chain(elements).collect();
        let screma = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let exp = Exp::Screma(Box::new(screma));
        let last = self.operator_stm(exp, vec![Type::Acc(cert)], span);
        let body = self.b().close(last);
        let lambda = Lambda { params: vec![cert, acc], body, ret: vec![Type::Acc(cert)] };
        let input = AccInput { shape: vec![total], arrays, op: None };
        Ok(self.operator_stm(Exp::WithAcc(vec![input], Box::new(lambda)), types, span))
    }

    /// Writes the elements of a piece to an accumulator, from a position on.
    fn write_piece(
        &mut self,
        (cert, acc): (Var, Var),
        at: Atom,
        n: Atom,
        piece: &Val<'a>,
        span: Span,
    ) -> Var {
        let parts = self.array_parts(piece);
        let parts = self.array_vars(&parts);
        let ty = Type::Array(Elem::Prim(Prim::I64), vec![n]);
        let places = self.b().one("places", ty, Exp::Iota(Prim::I64, n, at, Atom::i64(1)));
        let places = self.array_var(places);
        self.b().open();
        let inner = self.b().var("acc", Type::Acc(cert));
        let place = self.b().var("place", Type::I64);
        let mut params = vec![inner, place];
        for part in &parts {
            let ty = self.b().type_of(*part).row().or_bug("the elements of a piece");
            params.push(self.b().var("x", ty));
        }
        let values = params[2..].iter().map(|&v| Atom::Var(v)).collect();
        let exp = Exp::UpdateAcc(inner, vec![Atom::Var(place)], values);
        let new = self.b().one("acc", Type::Acc(cert), exp);
        let body = self.b().close(vec![new]);
        let map = Lambda { params, body, ret: vec![Type::Acc(cert)] };
        let inputs = [acc, places].into_iter().chain(parts).collect();
        let screma = Screma { width: n, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let exp = Exp::Screma(Box::new(screma));
        let last = self.operator_stm(exp, vec![Type::Acc(cert)], span)[0];
        last.var().or_bug("an accumulator")
    }

    fn add_i64(&mut self) -> Lambda {
        self.b().open();
        let params = ["a", "b"].map(|hint| self.b().var(hint, Type::I64));
        let sum = self.b().size_op(BinOp::Add, Atom::Var(params[0]), Atom::Var(params[1]));
        let body = self.b().close(vec![sum]);
        Lambda { params: params.into(), body, ret: vec![Type::I64] }
    }

    pub(crate) fn sum_i64(&mut self, size: Atom, array: Var, span: Span) -> Atom {
        let shape = Shape::Prim(Prim::I64);
        let map = self.identity(&shape);
        let op = self.add_i64();
        let red = Red { op, neutral: vec![Atom::i64(0)], commutative: true };
        let screma =
            Screma { width: size, inputs: vec![array], map, scans: Vec::new(), reds: vec![red] };
        self.operator_stm(Exp::Screma(Box::new(screma)), vec![Type::I64], span)[0]
    }
}

/// Where pieces go: how many there are, how many elements they have together, and where each begins.
pub(crate) struct Places {
    pub(crate) width: Atom,
    pub(crate) total: Atom,
    pub(crate) offsets: Var,
}
