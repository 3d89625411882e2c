//! The functions that the compiler provides.

use crate::build::{Attach, text};
use crate::derive::Mode;
use crate::soac::Fold;
use crate::stream::StreamKind;
use crate::value::{Closure, Shape, Val};
use crate::{Lower, Res};
use fehu_base::Span;
use fehu_ir::{Atom, BinOp, CmpOp, Exp, Scalar, UnOp, Var};
use std::rc::Rc;

impl<'a> Lower<'a> {
    pub(crate) fn intrinsic(
        &mut self,
        name: &str,
        closure: &Closure<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let args = &closure.args[..];
        let instance = closure.instance.as_ref();
        if let [lhs, rhs] = args
            && !name.starts_with(|c: char| c.is_alphabetic())
            && let Some(value) = self.operator(name, lhs, rhs, span)?
        {
            return Ok(value);
        }
        match (name, args) {
            ("neg", [x]) => self.unary(UnOp::Neg, x, span),
            ("!", [x]) => self.unary(UnOp::Not, x, span),
            ("map", [f, array]) => self.map(f, array, instance, span),
            ("reduce", [op, ne, array]) => self.fold(Fold::Reduce, op, ne, array, span),
            ("reduce_comm", [op, ne, array]) => self.fold(Fold::ReduceComm, op, ne, array, span),
            ("scan", [op, ne, array]) => self.fold(Fold::Scan, op, ne, array, span),
            ("partition", [Val::Scalar(_, classes), f, array]) => match classes {
                Atom::Const(Scalar::I32(k)) if *k >= 0 => {
                    self.partition(*k as usize, f, array, span)
                }
                Atom::Var(_) | Atom::Const(_) => self.limit(
                    span,
                    "the number of classes of `intrinsics.partition` must be a constant",
                ),
            },
            ("flatmap", [f, array]) => self.flatmap(f, array, instance, span),
            ("scatter", [dest, is, vs]) => self.scatter(1, dest, is, vs, span),
            ("scatter_2d", [dest, is, vs]) => self.scatter(2, dest, is, vs, span),
            ("scatter_3d", [dest, is, vs]) => self.scatter(3, dest, is, vs, span),
            ("hist_1d", args) => self.hist(1, args, span),
            ("hist_2d", args) => self.hist(2, args, span),
            ("hist_3d", args) => self.hist(3, args, span),
            ("zip", [a, b]) => self.zip(a, b, span),
            ("unzip", [array]) => self.unzip(array, span),
            ("flatten", [array]) => self.flatten(array, span),
            ("unflatten", [n, m, array]) => self.unflatten(n, m, array, span),
            ("transpose", [array]) => self.transpose(array, span),
            ("concat", [a, b]) => self.concat(a, b, span),
            ("copy", [value]) => Ok(self.fresh(value, Exp::Copy)),
            ("manifest", [value]) => Ok(self.fresh(value, Exp::Manifest)),
            ("acc_write", [acc, index, value]) => self.acc_write(acc, index, value, span),
            ("scatter_stream", [dest, f, array]) => self.accumulate(dest, None, f, array, span),
            ("hist_stream", [dest, op, ne, f, array]) => {
                self.accumulate(dest, Some((op, ne)), f, array, span)
            }
            ("stream_map", [f, array]) => {
                self.stream(StreamKind::Map, f, &Val::unit(), array, instance, span)
            }
            ("stream_red", [op, f, ne, array]) => {
                self.stream(StreamKind::Red(op, false), f, ne, array, instance, span)
            }
            ("stream_red_comm", [op, f, ne, array]) => {
                self.stream(StreamKind::Red(op, true), f, ne, array, instance, span)
            }
            ("stream_seq", [f, init, array]) => {
                self.stream(StreamKind::Seq, f, init, array, instance, span)
            }
            ("seq_fold", [f, init, seq]) => self.seq_fold(f, init, seq, span),
            ("seq_array", [seq]) => {
                let elem = self.type_arg(instance, 0, span)?;
                self.seq_array(seq, elem, span)
            }
            ("seq_blank", [Val::Scalar(_, size)]) => {
                let Some(elem) = self.type_arg(instance, 0, span)? else {
                    self.bug(span, "the elements of a buffer have no known size");
                };
                Ok(self.blank_array(*size, Rc::new(elem)))
            }
            ("with_vjp", [f, adjoint, x]) => {
                let expected = self.type_arg(instance, 1, span)?;
                self.with_vjp(f, adjoint, x, expected.as_ref(), span)
            }
            ("jvp2" | "jmp2" | "vjp2" | "mjp2", [f, x, seeds]) => {
                let mode = if name.starts_with('j') { Mode::Forward } else { Mode::Reverse };
                let several = name.contains('m');
                let expected = self.type_arg(instance, 1, span)?;
                self.derivative(mode, several, (f, x, seeds), expected.as_ref(), span)
            }
            (name, args) if name.starts_with("flat_index_") => self.flat_index(args, span),
            (name, args) if name.starts_with("flat_update_") => self.flat_update(args, span),
            (name, args) => match self.scalar_intrinsic(name, args) {
                Some(value) => Ok(value),
                None => self.bug(span, format!("the intrinsic \"{name}\" is not implemented")),
            },
        }
    }

    pub(crate) fn fresh(&mut self, value: &Val<'a>, op: fn(Var) -> Exp) -> Val<'a> {
        self.map_data(value.clone(), &mut |this, value| {
            let shape = value.shape();
            let parts: Vec<Atom> = value
                .parts()
                .into_iter()
                .zip(shape.parts())
                .map(|(part, ty)| match part {
                    Atom::Var(var) if ty.is_array() => this.b().one("copy", ty, op(var)),
                    Atom::Var(_) | Atom::Const(_) => part,
                })
                .collect();
            Val::build(&shape, &mut parts.into_iter())
        })
    }

    fn zip(&mut self, a: &Val<'a>, b: &Val<'a>, span: Span) -> Res<Val<'a>> {
        let (Val::Array(n, x, _), Val::Array(_, y, _)) = (a, b) else {
            self.bug(span, "zip is applied to values that are not arrays");
        };
        let b = self.with_shape(b.clone(), &Shape::Array(*n, y.clone()));
        let elem = Shape::Record([("0".into(), (**x).clone()), ("1".into(), (**y).clone())].into());
        // The result is fresh: its parts are separate arrays even if the arguments are one.
        let originals: Vec<Atom> =
            self.array_parts(a).into_iter().chain(self.array_parts(&b)).collect();
        let mut parts = Vec::with_capacity(originals.len());
        for (index, part) in originals.iter().enumerate() {
            parts.push(match part {
                Atom::Var(var) => {
                    let is_again = originals[..index].contains(part);
                    let attrs = if is_again { Vec::new() } else { vec![crate::zip::mark()] };
                    let ty = self.b().type_of(*var).clone();
                    let with = Attach { attrs, ..Default::default() };
                    Atom::Var(self.b().emit(Exp::Copy(*var), vec![("copy", ty)], with)[0])
                }
                Atom::Const(_) => *part,
            });
        }
        Ok(self.make_array(*n, Rc::new(elem), parts))
    }

    fn unzip(&mut self, array: &Val<'a>, span: Span) -> Res<Val<'a>> {
        let Val::Array(n, elem, _) = array else {
            self.bug(span, "unzip is applied to something that is not an array");
        };
        let Shape::Record(fields) = &**elem else {
            self.bug(span, "unzip is applied to something that is not an array of pairs");
        };
        let mut parts = self.array_parts(array).into_iter();
        let mut arrays = Vec::with_capacity(fields.len());
        for (name, shape) in fields.iter() {
            let mine: Vec<Atom> = parts.by_ref().take(shape.parts().len()).collect();
            arrays.push((name.clone(), self.make_array(*n, Rc::new(shape.clone()), mine)));
        }
        Ok(Val::Record(arrays.into()))
    }

    fn reshaped(&mut self, array: &Val<'a>, shape: &Shape) -> Val<'a> {
        let parts: Vec<Atom> = array
            .parts()
            .into_iter()
            .zip(shape.parts())
            .map(|(part, ty)| {
                let var = self.array_var(part);
                let exp = Exp::Reshape(var, ty.shape().to_vec());
                self.b().one("x", ty, exp)
            })
            .collect();
        Val::build(shape, &mut parts.into_iter())
    }

    pub(crate) fn flatten(&mut self, array: &Val<'a>, span: Span) -> Res<Val<'a>> {
        let Val::Array(n, rows, _) = array else {
            self.bug(span, "flatten is applied to something that is not an array");
        };
        let Shape::Array(m, elem) = &**rows else {
            self.bug(span, "flatten is applied to something that is not an array of arrays");
        };
        let size = self.b().size_op(BinOp::Mul, *n, *m);
        Ok(self.reshaped(array, &Shape::Array(size, elem.clone())))
    }

    fn unflatten(&mut self, n: &Val<'a>, m: &Val<'a>, array: &Val<'a>, span: Span) -> Res<Val<'a>> {
        let (Val::Scalar(_, n), Val::Scalar(_, m), Val::Array(_, elem, _)) = (n, m, array) else {
            self.bug(span, "unflatten is applied to something that is not an array");
        };
        let rows = Shape::Array(*m, elem.clone());
        Ok(self.reshaped(array, &Shape::Array(*n, Rc::new(rows))))
    }

    fn transpose(&mut self, array: &Val<'a>, span: Span) -> Res<Val<'a>> {
        let Val::Array(n, rows, _) = array else {
            self.bug(span, "transpose is applied to something that is not an array");
        };
        let Shape::Array(m, elem) = &**rows else {
            self.bug(span, "transpose is applied to something that is not an array of arrays");
        };
        let shape = Shape::Array(*m, Rc::new(Shape::Array(*n, elem.clone())));
        let parts: Vec<Atom> = array
            .parts()
            .into_iter()
            .zip(shape.parts())
            .map(|(part, ty)| {
                let var = self.array_var(part);
                let mut perm: Vec<usize> = (0..ty.rank()).collect();
                perm.swap(0, 1);
                self.b().one("t", ty, Exp::Rearrange(var, perm))
            })
            .collect();
        Ok(Val::build(&shape, &mut parts.into_iter()))
    }

    pub(crate) fn concat(&mut self, a: &Val<'a>, b: &Val<'a>, span: Span) -> Res<Val<'a>> {
        let (Val::Array(n, elem, _), Val::Array(m, ..)) = (a, b) else {
            self.bug(span, "concat is applied to values that are not arrays");
        };
        let b = self.with_shape(b.clone(), &Shape::Array(*m, elem.clone()));
        let size = self.b().size_op(BinOp::Add, *n, *m);
        let shape = Shape::Array(size, elem.clone());
        let parts: Vec<Atom> = a
            .parts()
            .into_iter()
            .zip(b.parts())
            .zip(shape.parts())
            .map(|((a, b), ty)| {
                let arrays = vec![self.array_var(a), self.array_var(b)];
                self.b().one("c", ty, Exp::Concat(size, arrays))
            })
            .collect();
        Ok(Val::build(&shape, &mut parts.into_iter()))
    }

    /// The check that a view by strides stays inside its array.
    fn check_view(
        &mut self,
        size: Atom,
        offset: Atom,
        dims: &[(Atom, Atom)],
        span: Span,
    ) -> Option<Var> {
        if !self.safe {
            return None;
        }
        // The smallest and the largest position, if no dimension is empty.
        let zero = Atom::i64(0);
        let (mut low, mut high) = (offset, offset);
        let mut empty = Atom::bool(false);
        let mut shown = vec![text("Flat slice with offset "), fehu_ir::CheckPart::Value(offset)];
        for &(len, stride) in dims {
            let is_empty = self.b().cmp(CmpOp::Eq, len, zero);
            empty =
                if empty == Atom::bool(false) { is_empty } else { self.b().or(empty, is_empty) };
            let last = self.b().size_op(BinOp::Sub, len, Atom::i64(1));
            let reach = self.b().size_op(BinOp::Mul, last, stride);
            let ty = fehu_ir::Type::I64;
            let down = self.b().one("n", ty.clone(), Exp::BinOp(BinOp::Min, zero, reach));
            let up = self.b().one("n", ty, Exp::BinOp(BinOp::Max, zero, reach));
            low = self.b().size_op(BinOp::Add, low, down);
            high = self.b().size_op(BinOp::Add, high, up);
            shown.extend([
                text(", "),
                fehu_ir::CheckPart::Value(len),
                text(":"),
                fehu_ir::CheckPart::Value(stride),
            ]);
        }
        let fits_low = self.b().cmp(CmpOp::Le, zero, low);
        let fits_high = self.b().cmp(CmpOp::Lt, high, size);
        let inside = self.b().and(fits_low, fits_high);
        let valid = self.b().or(empty, inside);
        shown.extend([
            text(" out of bounds for array of shape ["),
            fehu_ir::CheckPart::Value(size),
            text("]."),
        ]);
        let places = self.places(span);
        Some(self.b().assert(valid, shown, places))
    }

    fn flat_index(&mut self, args: &[Val<'a>], span: Span) -> Res<Val<'a>> {
        let Some((Val::Array(size, elem, parts), numbers)) = args.split_first() else {
            self.bug(span, "flat indexing is applied to something that is not an array");
        };
        let numbers: Vec<Atom> = numbers.iter().flat_map(Val::parts).collect();
        let Some((offset, dims)) = numbers.split_first() else {
            self.bug(span, "flat indexing has no offset");
        };
        let dims: Vec<(Atom, Atom)> = dims.chunks(2).map(|c| (c[0], c[1])).collect();
        let cert = self.check_view(*size, *offset, &dims, span);
        let shape =
            dims.iter().rev().fold((**elem).clone(), |s, (n, _)| Shape::Array(*n, Rc::new(s)));
        let mut out = Vec::new();
        for (part, ty) in parts.iter().zip(shape.parts()) {
            let var = self.array_var(*part);
            let exp = Exp::FlatIndex(var, *offset, dims.clone());
            let with = Attach { certs: cert.into_iter().collect(), ..Default::default() };
            out.push(Atom::Var(self.b().emit(exp, vec![("v", ty)], with)[0]));
        }
        Ok(Val::build(&shape, &mut out.into_iter()))
    }

    fn flat_update(&mut self, args: &[Val<'a>], span: Span) -> Res<Val<'a>> {
        let (Some(array @ Val::Array(size, _, parts)), Some(values)) = (args.first(), args.last())
        else {
            self.bug(span, "a flat update is applied to something that is not an array");
        };
        let numbers: Vec<Atom> = args[1..args.len() - 1].iter().flat_map(Val::parts).collect();
        let Some((offset, strides)) = numbers.split_first() else {
            self.bug(span, "a flat update has no offset");
        };
        let mut dims = Vec::with_capacity(strides.len());
        let mut shape = values.shape();
        for stride in strides {
            let Shape::Array(n, elem) = &shape else {
                self.bug(span, "a flat update has more strides than its value has dimensions");
            };
            dims.push((*n, *stride));
            let elem = (**elem).clone();
            shape = elem;
        }
        let cert = self.check_view(*size, *offset, &dims, span);
        let mut out = Vec::new();
        for (part, value) in parts.iter().zip(values.parts()) {
            let var = self.array_var(*part);
            let value = self.array_var(value);
            let ty = self.b().type_of(var).clone();
            let exp = Exp::FlatUpdate(var, *offset, dims.clone(), value);
            let with = Attach { certs: cert.into_iter().collect(), ..Default::default() };
            out.push(Atom::Var(self.b().emit(exp, vec![("v", ty)], with)[0]));
        }
        Ok(Val::build(&array.shape(), &mut out.into_iter()))
    }
}
