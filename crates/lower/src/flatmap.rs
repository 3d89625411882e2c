//! `flatmap`: pieces of different sizes, one after the other.

use crate::value::{Instance, Shape, Val};
use crate::{Lower, Res};
use fehu_base::{Prim, Span};
use fehu_ir::{Atom, BinOp, CmpOp, Elem, Exp, Flatmap, Lambda, Scan, Scatter, Screma, Type, Var};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// `flatmap`: one operator makes the sizes and the concatenation. Where pieces begin, and which elements are the
    /// first of theirs, follows from the sizes.
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
        let mut piece_parts = Vec::new();
        let (mut map, shape) =
            self.lambda(&[(*elem).clone()], expected.as_ref(), span, |this, args| {
                let result = this.apply(f.clone(), args[0].clone(), span)?;
                let piece = this.project(&result, "0", span)?;
                let rest = this.project(&result, "1", span)?;
                let Shape::Array(n, _) = piece.shape() else {
                    this.bug(span, "the function of flatmap does not return an array");
                };
                piece_parts = this.piece_parts(piece, n, &piece_elem);
                Ok(Val::tuple([Val::i64(n), rest]))
            })?;
        let total = Atom::Var(Var(self.b().next_var()));
        let mut types = vec![Type::I64];
        types.extend(map.ret.iter().filter_map(|ty| ty.array_of(size)));
        let (pieces, elements) = (piece_parts.len(), piece_elem.parts());
        types.extend(elements.iter().filter_map(|ty| ty.array_of(total)));
        map.body.results.extend(piece_parts);
        map.ret.extend(elements);
        let exp = Exp::Flatmap(Box::new(Flatmap { width: size, inputs, map, pieces }));
        let mut vars = self.operator_stm(exp, types, span);
        let flat = vars.split_off(vars.len() - pieces);
        let rest_parts = vars.split_off(2);
        let sizes = vars[1];
        let Shape::Record(fields) = &shape else {
            self.bug(span, "the function of flatmap does not return a pair");
        };
        let rest_elem = Rc::new(fields[1].1.clone());
        let rest = self.make_array(size, rest_elem, rest_parts);

        let sizes_var = self.array_var(sizes);
        let offsets = self.offsets(size, sizes_var, span);
        let offsets_var = self.array_var(offsets);
        let flags = self.first_of_each(size, total, [sizes_var, offsets_var], span);
        let flat_shape = Shape::Array(total, Rc::new(piece_elem));
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

    /// Pieces one after the other, where each is what the function makes of the elements of some arrays, which have these shapes.
    pub(crate) fn pieces(
        &mut self,
        width: Atom,
        (inputs, shapes): (Vec<Var>, &[Shape]),
        piece_elem: &Shape,
        span: Span,
        piece: impl FnOnce(&mut Self, Vec<Val<'a>>) -> Res<Val<'a>>,
    ) -> Res<Pieces> {
        let mut parts = Vec::new();
        let (mut map, _) = self.lambda(shapes, None, span, |this, args| {
            let piece = piece(this, args)?;
            let Shape::Array(n, _) = piece.shape() else {
                this.bug(span, "a piece is not an array");
            };
            parts = this.piece_parts(piece, n, piece_elem);
            Ok(Val::i64(n))
        })?;
        let total = Atom::Var(Var(self.b().next_var()));
        let mut types = vec![Type::I64, Type::Array(Elem::Prim(Prim::I64), vec![width])];
        let elements = piece_elem.parts();
        types.extend(elements.iter().filter_map(|ty| ty.array_of(total)));
        let pieces = parts.len();
        map.body.results.extend(parts);
        map.ret.extend(elements);
        let exp = Exp::Flatmap(Box::new(Flatmap { width, inputs, map, pieces }));
        let mut vars = self.operator_stm(exp, types, span);
        let flat = vars.split_off(2);
        Ok(Pieces { total, sizes: vars[1], flat })
    }

    /// The arrays of a piece, of which the sizes of elements are known outside.
    fn piece_parts(&mut self, piece: Val<'a>, size: Atom, elem: &Shape) -> Vec<Atom> {
        let piece = self.with_shape(piece, &Shape::Array(size, Rc::new(elem.clone())));
        let parts = self.array_parts(&piece);
        self.array_vars(&parts).into_iter().map(Atom::Var).collect()
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

    fn add_i64(&mut self) -> Lambda {
        self.b().open();
        let params = ["a", "b"].map(|hint| self.b().var(hint, Type::I64));
        let sum = self.b().size_op(BinOp::Add, Atom::Var(params[0]), Atom::Var(params[1]));
        let body = self.b().close(vec![sum]);
        Lambda { params: params.into(), body, ret: vec![Type::I64] }
    }
}

/// Pieces one after the other: how many elements they have together, the size of each, and the arrays.
pub(crate) struct Pieces {
    pub(crate) total: Atom,
    pub(crate) sizes: Atom,
    pub(crate) flat: Vec<Atom>,
}
