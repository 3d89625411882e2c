//! Sizes that are expressions, evaluated.

use crate::access::{Index, Step};
use crate::env::{Frame, Term};
use crate::literals;
use crate::value::{Closure, Code, Shape, Val};
use crate::{Lower, Res};
use fehu_base::{OrBug, Prim, Span};
use fehu_check::ty::{Elem, Head, Size, TermDim, TermStep, Ty, VarId};
use fehu_ir::{Atom, BinOp, Exp, Scalar, Type, UnOp};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// A part of a size; `None` if something in it is not known here. Literals have lost their types: they
    /// have the one that is wanted, if it is known.
    pub(crate) fn term(
        &mut self,
        size: &Size,
        wanted: Option<Prim>,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Option<Val<'a>>> {
        let binary = |this: &mut Self, op: BinOp, ab: &[Size; 2]| {
            let (Some(a), Some(b)) =
                (this.term(&ab[0], wanted, frame, span)?, this.term(&ab[1], wanted, frame, span)?)
            else {
                return Ok(None);
            };
            Ok(this.size_binary(op, &a, &b))
        };
        match size {
            Size::Add(_) | Size::Sub(_) | Size::Mul(_) | Size::Term(_)
                if let Some(value) = frame.get_size(size) =>
            {
                Ok(Some(Val::i64(value)))
            }
            Size::Const(n) => Ok(Some(literal_as(Val::i64(Atom::i64(*n)), wanted))),
            Size::Add(ab) => binary(self, BinOp::Add, ab),
            Size::Sub(ab) => binary(self, BinOp::Sub, ab),
            Size::Mul(ab) => binary(self, BinOp::Mul, ab),
            Size::Var(var) => self.size_var(*var, frame, span),
            Size::Meta(_) | Size::Any => Ok(None),
            Size::Term(term) if term.head == Head::If => match &term.args[..] {
                [cond, then, other] => self.size_branch(cond, [then, other], wanted, frame, span),
                _ => self.bug(span, "a condition in a size does not have two sides"),
            },
            Size::Term(term) => {
                let inside = self.wanted_inside(&term.head, &term.args, wanted);
                let mut args = Vec::with_capacity(term.args.len());
                for (i, arg) in term.args.iter().enumerate() {
                    match self.term(arg, inside.get(i).copied().flatten(), frame, span)? {
                        Some(value) => args.push(value),
                        None => return Ok(None),
                    }
                }
                self.size_term(&term.head, args, wanted, frame, span)
            }
        }
    }

    /// The types that literals among the arguments of a term have.
    fn wanted_inside(&self, head: &Head, args: &[Size], wanted: Option<Prim>) -> Vec<Option<Prim>> {
        match head {
            Head::Apply => literals::of_arguments(&self.program.vars, args, wanted),
            // Operands have the type of the result.
            Head::Op(op) if op == "!" || crate::scalar::binary_operator(op).is_some() => {
                vec![wanted; args.len()]
            }
            Head::Array(_) => vec![wanted; args.len()],
            // An index is an i64; the array has the elements that are wanted.
            Head::Index => [wanted].into_iter().chain(vec![None; args.len() - 1]).collect(),
            Head::Op(_)
            | Head::Project(_)
            | Head::Record(_)
            | Head::Ctor(_)
            | Head::Lit(_)
            | Head::Number(..)
            | Head::Slice(_)
            | Head::Range(..)
            | Head::SectionRight
            | Head::Access(_)
            | Head::Update(_)
            | Head::Hole
            | Head::Code(_)
            | Head::If => Vec::new(),
        }
    }

    fn size_term(
        &mut self,
        head: &Head,
        args: Vec<Val<'a>>,
        wanted: Option<Prim>,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Option<Val<'a>>> {
        match head {
            Head::Apply => {
                let mut args = args.into_iter();
                let mut value = args.next().or_bug("function that is applied in a size");
                for arg in args {
                    value = self.apply(value, arg, span)?;
                }
                Ok(Some(value))
            }
            Head::Project(field) => Ok(args[0].field(field).cloned()),
            Head::Record(names) => Ok(Some(Val::Record(names.iter().cloned().zip(args).collect()))),
            Head::Op(op) => match &args[..] {
                [a] => Ok(Some(self.unary(UnOp::Not, a, span)?)),
                [a, b] => {
                    let (a, b) = same_type(a, b);
                    self.operator(op, &a, &b, span)
                }
                _ => self.bug(span, "an operator in a size has neither one nor two operands"),
            },
            Head::Index => {
                let mut args = args.into_iter();
                let array = args.next().or_bug("array that is indexed in a size");
                let dims = args.map(Index::Fix).collect::<Vec<_>>();
                Ok(Some(self.index_value(&array, &dims, span)?))
            }
            Head::Slice(form) => {
                let mut args = args.into_iter();
                let Some(array) = args.next() else { return Ok(None) };
                let dims = slice_dims(form, &mut args);
                Ok(Some(self.index_value(&array, &dims, span)?))
            }
            Head::Range(kind, second) => {
                let numbers: Vec<&Val<'a>> = args.iter().collect();
                let (start, second, end) = match (&numbers[..], second) {
                    ([start, second, end], true) => (*start, Some(*second), *end),
                    ([start, end], false) => (*start, None, *end),
                    _ => return Ok(None),
                };
                Ok(Some(self.range_of(*kind, start, second, end, span)?))
            }
            Head::SectionRight => Ok(Some(Val::Fun(Rc::new(Closure {
                code: Code::SectionRight,
                frame: frame.clone(),
                instance: None,
                args,
            })))),
            Head::Access(path) => {
                let known = self.paths.iter().position(|known| **known == **path);
                let index = known.unwrap_or_else(|| {
                    self.paths.push(path.as_slice().into());
                    self.paths.len() - 1
                });
                let code = Code::Path(index, args.len() + 1);
                let frame = frame.clone();
                Ok(Some(Val::Fun(Rc::new(Closure { code, frame, instance: None, args }))))
            }
            Head::Update(path) => {
                let mut args = args.into_iter();
                let base = args.next().or_bug("value that is updated in a size");
                let value = args.next().or_bug("new value in a size");
                let mut steps = Vec::with_capacity(path.len());
                for step in path {
                    steps.push(match step {
                        TermStep::Field(name) => Step::Field(name.clone()),
                        TermStep::Index(form) => Step::Index(slice_dims(form, &mut args)),
                    });
                }
                // The array belongs to the size: nothing that has a name is consumed in one.
                let value = literal_like(value, &base, &steps);
                Ok(Some(self.replace(base, &steps, value, span)?))
            }
            Head::Hole => Ok(Some(self.hole(span, &Ty::I64, frame)?)),
            Head::Code(code) => {
                let exp = *self.codes.get(&code.place).or_bug("expression of a size");
                let inside = Frame::new(code.place.0, Some(frame.clone()));
                for (&var, value) in code.free.iter().zip(args) {
                    inside.bind(var, Term::Val(value));
                }
                Ok(Some(self.exp(exp, &inside)?))
            }
            Head::Array(Elem(Some(elem))) if args.is_empty() => {
                let shape = self.loose_shape(elem, frame, span)?;
                Ok(Some(self.array_of_rows(Atom::i64(0), shape, &[])))
            }
            Head::Array(_) => Ok(self.size_array(args, wanted)),
            Head::Number(text, prim) => Ok(number(text, *prim)),
            Head::Lit(text) => Ok(match text.as_str() {
                "true" => Some(Val::bool(Atom::bool(true))),
                "false" => Some(Val::bool(Atom::bool(false))),
                number => match (number.parse(), wanted.filter(|prim| prim.is_float())) {
                    (Ok(number), Some(prim)) => {
                        let number = crate::literal::float(number, prim);
                        Some(Val::Scalar(prim, Atom::Const(number)))
                    }
                    _ => None,
                },
            }),
            Head::If | Head::Ctor(_) => Ok(None),
        }
    }

    /// Applies `(.f[i])`; the value is the last argument.
    pub(crate) fn follow_path(
        &mut self,
        path: usize,
        args: &[Val<'a>],
        span: Span,
    ) -> Res<Val<'a>> {
        let (value, parts) = args.split_last().or_bug("argument of a section");
        let mut value = value.clone();
        let mut parts = parts.iter().cloned();
        for step in self.paths[path].clone().iter() {
            value = match step {
                TermStep::Field(name) => self.project(&value, name, span)?,
                TermStep::Index(form) => {
                    let dims = slice_dims(form, &mut parts);
                    self.index_value(&value, &dims, span)?
                }
            };
        }
        Ok(value)
    }

    /// An array in a size. Its literals have the type of an element that is none.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only scalars have literals")]
    fn size_array(&mut self, elems: Vec<Val<'a>>, wanted: Option<Prim>) -> Option<Val<'a>> {
        let typed = elems.iter().find(|elem| !is_literal(elem)).map(Val::shape);
        let shape = match (typed, wanted) {
            (Some(shape), _) => shape,
            (None, Some(prim)) => Shape::Prim(prim),
            (None, None) => return None,
        };
        let prim = match &shape {
            Shape::Prim(prim) => Some(*prim),
            _ => None,
        };
        let rows: Vec<Vec<Atom>> =
            elems.into_iter().map(|elem| literal_as(elem, prim).parts()).collect();
        let size = Atom::i64(rows.len() as i64);
        Some(self.array_of_rows(size, shape, &rows))
    }

    /// One of two sizes. Only the one that is chosen is evaluated.
    fn size_branch(
        &mut self,
        cond: &Size,
        [then, other]: [&Size; 2],
        wanted: Option<Prim>,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Option<Val<'a>>> {
        let cond = match self.term(cond, None, frame, span)? {
            Some(Val::Scalar(_, cond)) => cond,
            Some(_) => self.bug(span, "a condition in a size is not a boolean"),
            None => return Ok(None),
        };
        if let Atom::Const(Scalar::Bool(holds)) = cond {
            return self.term(if holds { then } else { other }, wanted, frame, span);
        }
        let depth = self.b().depth();
        let mut side = |size: &Size| {
            self.b().open();
            let inner = Frame::new(frame.file, Some(frame.clone()));
            let value = self.term(size, wanted, &inner, span);
            let code = self.b().close(Vec::new());
            value.map(|value| value.map(|value| (value, code)))
        };
        // If one of them is not known, the code of the other is not used.
        let (Some((then, then_code)), Some((other, other_code))) = (side(then)?, side(other)?)
        else {
            return Ok(None);
        };
        let (then, other) = same_type(&then, &other);
        self.join(cond, depth, [(then, then_code), (other, other_code)], span).map(Some)
    }

    /// Arithmetic in a size. Arguments of functions in a size need not be of type i64.
    fn size_binary(&mut self, op: BinOp, a: &Val<'a>, b: &Val<'a>) -> Option<Val<'a>> {
        let (Val::Scalar(p, x), Val::Scalar(q, y)) = (a, b) else { return None };
        if (*p, *q) == (Prim::I64, Prim::I64) {
            return Some(Val::i64(self.b().size_op(op, *x, *y)));
        }
        let (Val::Scalar(prim, x), Val::Scalar(_, y)) = same_type(a, b) else { return None };
        Some(Val::Scalar(prim, self.b().one("n", Type::prim(prim), Exp::BinOp(op, x, y))))
    }

    fn size_var(&mut self, var: VarId, frame: &Rc<Frame<'a>>, span: Span) -> Res<Option<Val<'a>>> {
        match frame.get(var) {
            Some(Term::Size(size, frame)) => self.term(&size, Some(Prim::I64), &frame, span),
            Some(term) => self.term_value(&term, None, span),
            None => match self.program.vars[var].def.clone() {
                // What has a definition is a size.
                Some(def) => self.term(&def, Some(Prim::I64), frame, span),
                None => Ok(self.built_in(var, None, frame)),
            },
        }
    }
}

/// The dimensions of a slice, from the parts that are written.
fn slice_dims<'a>(form: &[TermDim], parts: &mut impl Iterator<Item = Val<'a>>) -> Vec<Index<'a>> {
    let mut dims = Vec::with_capacity(form.len());
    for dim in form {
        let mut part = |written: bool| match if written { parts.next() } else { None } {
            Some(Val::Scalar(_, atom)) => Some(atom),
            _ => None,
        };
        match dim {
            TermDim::Slice([start, end, step]) => {
                dims.push(Index::Slice { start: part(*start), end: part(*end), step: part(*step) });
            }
            TermDim::Fix => dims.extend(parts.next().map(Index::Fix)),
        }
    }
    dims
}

/// A number of a known type.
fn number<'a>(text: &str, prim: Prim) -> Option<Val<'a>> {
    let scalar = if prim.is_float() {
        crate::literal::float(text.parse().ok()?, prim)
    } else {
        // Integers wrap around.
        crate::literal::integer(text.parse::<i128>().ok()? as i64, prim)
    };
    Some(Val::Scalar(prim, Atom::Const(scalar)))
}

/// The operands with the type of the one that is not a literal.
fn same_type<'a>(a: &Val<'a>, b: &Val<'a>) -> (Val<'a>, Val<'a>) {
    let (Val::Scalar(p, _), Val::Scalar(q, _)) = (a, b) else { return (a.clone(), b.clone()) };
    let prim = if is_literal(a) { *q } else { *p };
    (literal_as(a.clone(), Some(prim)), literal_as(b.clone(), Some(prim)))
}

/// Whether a value is a literal that was read as i64. A constant of another type has its type already.
fn is_literal(value: &Val<'_>) -> bool {
    matches!(value, Val::Scalar(Prim::I64, Atom::Const(_)))
}

/// A new value in an update; if it is a literal, with the type of what it replaces.
#[expect(clippy::wildcard_enum_match_arm, reason = "other shapes stay as they are")]
fn literal_like<'a>(value: Val<'a>, base: &Val<'a>, path: &[Step<'a>]) -> Val<'a> {
    let mut shape = base.shape();
    for step in path {
        shape = match (step, shape) {
            (Step::Field(name), Shape::Record(fields)) => {
                let field = fields.iter().find(|(field, _)| field == name);
                field.or_bug("field that is updated in a size").1.clone()
            }
            (Step::Index(dims), mut shape) => {
                for _ in dims {
                    shape = match shape {
                        Shape::Array(_, elem) => (*elem).clone(),
                        other => other,
                    };
                }
                shape
            }
            (Step::Field(_), other) => other,
        };
    }
    let prim = if let Shape::Prim(prim) = shape { Some(prim) } else { None };
    literal_as(value, prim)
}

/// A literal in a size, which was read as i64, with the type that it has in the program.
fn literal_as(value: Val<'_>, prim: Option<Prim>) -> Val<'_> {
    match (&value, prim) {
        (Val::Scalar(Prim::I64, Atom::Const(Scalar::I64(n))), Some(prim)) if prim != Prim::I64 => {
            Val::Scalar(prim, Atom::Const(crate::literal::integer(*n, prim)))
        }
        _ => value,
    }
}
