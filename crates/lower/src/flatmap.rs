//! `flatmap`: pieces of different sizes, one after the other.

use crate::value::{Instance, Shape, Val};
use crate::{Lower, Res};
use fehu_base::{Prim, Span};
use fehu_ir::{Atom, BinOp, Elem, Exp, Lambda, LoopForm, LoopParam, Red, Screma, Type, Var};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// `flatmap`: the function is applied twice, to find the sizes and to fill the result.
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
        let Shape::Array(n, _) = piece.shape() else {
            self.bug(span, "the function of flatmap does not return an array");
        };
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
}
