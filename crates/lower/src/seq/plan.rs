//! The plan of a pass: its sources, what it hands on from chunk to chunk, and what is done with a chunk.

use super::chunk::Col;
use super::recipe;
use crate::build::text;
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use fehu_base::{Prim, Span};
use fehu_ir::{Atom, CheckPart, CmpOp, Type};
use std::rc::Rc;

/// A pass that is being planned.
pub(super) struct Pass<'a> {
    /// How many elements the sources have.
    pub(super) width: Option<Atom>,
    /// The arrays that are cut.
    pub(super) sources: Vec<Val<'a>>,
    /// What the first chunk starts with.
    pub(super) states: Vec<Val<'a>>,
    pub(super) span: Span,
}

/// What is done with a chunk.
pub(super) enum Node<'a> {
    /// A source, by its number.
    Source(usize),
    /// Pieces of an array; the sources with their sizes and offsets.
    Segments {
        sizes: usize,
        offsets: usize,
        values: Val<'a>,
    },
    /// A function and the shape of its results, if that is known.
    Map(Val<'a>, Option<Shape>, Box<Node<'a>>),
    Zip(Box<[Node<'a>; 2]>),
    /// The number of the state that counts.
    Enumerate(usize, Box<Node<'a>>),
    Filter(Val<'a>, Box<Node<'a>>),
    Flat(Box<Node<'a>>),
    /// A function for chunks, the numbers of its state and of the one that counts elements of the sources, and the
    /// shape of the elements of its result.
    Chunks {
        f: Val<'a>,
        state: usize,
        at: usize,
        elem: Option<Shape>,
        node: Box<Node<'a>>,
    },
}

impl<'a> Pass<'a> {
    pub(super) fn new(span: Span) -> Pass<'a> {
        Pass { width: None, sources: Vec::new(), states: Vec::new(), span }
    }

    fn state(&mut self, init: Val<'a>) -> usize {
        self.states.push(init);
        self.states.len() - 1
    }
}

impl<'a> Lower<'a> {
    pub(super) fn plan(&mut self, seq: &Val<'a>, pass: &mut Pass<'a>) -> Res<Node<'a>> {
        let span = pass.span;
        let Val::Fun(closure) = seq else {
            self.bug(span, "a value that is not a sequence is read as one");
        };
        let Some((name, closure)) = recipe(closure) else {
            self.bug(span, "a function is read as a sequence");
        };
        let closure = closure.clone();
        let instance = closure.instance.clone();
        match (name, &closure.args[..]) {
            ("seq_of_array", [array]) => Ok(Node::Source(self.source(array, pass)?)),
            ("seq_of_segments", [sizes, values]) => self.segments(sizes, values, pass),
            ("seq_map", [f, inner]) => {
                let elem = self.type_arg(instance.as_ref(), 1, span)?;
                Ok(Node::Map(f.clone(), elem, Box::new(self.plan(inner, pass)?)))
            }
            ("seq_zip", [a, b]) => {
                let a = self.in_step(a, pass)?;
                let b = self.in_step(b, pass)?;
                Ok(Node::Zip(Box::new([a, b])))
            }
            ("seq_enumerate", [inner]) => {
                let counter = pass.state(Val::i64(Atom::i64(0)));
                Ok(Node::Enumerate(counter, Box::new(self.plan(inner, pass)?)))
            }
            ("seq_filter", [p, inner]) => {
                Ok(Node::Filter(p.clone(), Box::new(self.plan(inner, pass)?)))
            }
            ("seq_flat", [inner]) => Ok(Node::Flat(Box::new(self.plan(inner, pass)?))),
            ("seq_chunks" | "seq_carry", [f, init, inner]) => {
                let elem = self.type_arg(instance.as_ref(), 2, span)?;
                let state = pass.state(init.clone());
                let at = pass.state(Val::i64(Atom::i64(0)));
                let node = Box::new(self.plan(inner, pass)?);
                Ok(Node::Chunks { f: f.clone(), state, at, elem, node })
            }
            (name, _) => {
                self.bug(span, format!("the operator \"{name}\" on sequences is not implemented"))
            }
        }
    }

    /// An array that is cut together with the other sources.
    fn source(&mut self, array: &Val<'a>, pass: &mut Pass<'a>) -> Res<usize> {
        let Val::Array(size, elem, _) = array else {
            self.bug(pass.span, "the source of a sequence is not an array");
        };
        let array = match pass.width {
            None => {
                pass.width = Some(*size);
                array.clone()
            }
            Some(width) if width == *size => array.clone(),
            Some(width) => {
                let same = self.b().cmp(CmpOp::Eq, width, *size);
                let parts = vec![
                    text("Sequences that are read in step have different lengths: "),
                    CheckPart::Value(width),
                    text(" and "),
                    CheckPart::Value(*size),
                    text(" elements."),
                ];
                let places = self.places(pass.span);
                let cert = self.b().assert(same, parts, places);
                let shape = Shape::Array(width, elem.clone());
                self.with_checked_shape(array.clone(), &shape, Some(cert))
            }
        };
        pass.sources.push(array);
        Ok(pass.sources.len() - 1)
    }

    fn segments(
        &mut self,
        sizes: &Val<'a>,
        values: &Val<'a>,
        pass: &mut Pass<'a>,
    ) -> Res<Node<'a>> {
        let span = pass.span;
        let (Val::Array(count, _, size_parts), Val::Array(total, ..)) = (sizes, values) else {
            self.bug(span, "the pieces of a sequence are not arrays");
        };
        let (count, total) = (*count, *total);
        let array = self.array_var(size_parts[0]);
        let sum = self.sum_i64(count, array, span);
        let least = self.least_i64(count, array, span);
        let whole = self.b().cmp(CmpOp::Le, sum, total);
        let natural = self.b().cmp(CmpOp::Le, Atom::i64(0), least);
        let fits = self.b().and(whole, natural);
        let parts = vec![
            text("The pieces of a sequence have "),
            CheckPart::Value(sum),
            text(" elements together, and the smallest has "),
            CheckPart::Value(least),
            text("; the array has "),
            CheckPart::Value(total),
            text(" elements."),
        ];
        let places = self.places(span);
        let cert = self.b().assert(fits, parts, places);
        let offsets = self.offsets(count, array, span);
        let offsets = Val::Array(count, Rc::new(Shape::Prim(Prim::I64)), Rc::new([offsets]));
        let sizes = self.certify(sizes.clone(), Some(cert));
        let sizes = self.source(&sizes, pass)?;
        let offsets = self.source(&offsets, pass)?;
        Ok(Node::Segments { sizes, offsets, values: values.clone() })
    }

    /// A sequence whose elements correspond to those of the sources; what does not is put into an array first.
    fn in_step(&mut self, seq: &Val<'a>, pass: &mut Pass<'a>) -> Res<Node<'a>> {
        if !self.changes_rate(seq, pass.span) {
            return self.plan(seq, pass);
        }
        let chunk = self.elements(seq, None, pass.span)?;
        self.column_source(chunk.col, pass)
    }

    fn column_source(&mut self, col: Col<'a>, pass: &mut Pass<'a>) -> Res<Node<'a>> {
        match col {
            Col::Flat(array) => Ok(Node::Source(self.source(&array, pass)?)),
            Col::Rows { sizes, values, .. } => self.segments(&sizes, &values, pass),
            Col::Record(fields) => {
                // A pair, since only pairs are zipped; anything else is a limit.
                let mut nodes = Vec::with_capacity(fields.len());
                for (_, field) in fields {
                    nodes.push(self.column_source(field, pass)?);
                }
                match <[Node<'a>; 2]>::try_from(nodes) {
                    Ok(pair) => Ok(Node::Zip(Box::new(pair))),
                    Err(_) => self.limit(
                        pass.span,
                        "sequences of records with fields of differing sizes are not zipped yet after an operator that changes \
                         their number",
                    ),
                }
            }
        }
    }

    fn changes_rate(&self, seq: &Val<'a>, span: Span) -> bool {
        let Val::Fun(closure) = seq else {
            self.bug(span, "a value that is not a sequence is read as one");
        };
        let Some((name, closure)) = recipe(closure) else {
            self.bug(span, "a function is read as a sequence");
        };
        match name {
            "seq_filter" | "seq_flat" | "seq_chunks" => true,
            // The arguments that are no sequences are functions, arrays and states.
            _ => closure.args.iter().any(|arg| self.is_seq(arg) && self.changes_rate(arg, span)),
        }
    }

    /// The smallest of some numbers and zero.
    fn least_i64(&mut self, size: Atom, array: fehu_ir::Var, span: Span) -> Atom {
        let shape = Shape::Prim(Prim::I64);
        let map = self.identity(&shape);
        self.b().open();
        let params = ["a", "b"].map(|hint| self.b().var(hint, Type::I64));
        let exp = fehu_ir::Exp::BinOp(fehu_ir::BinOp::Min, params[0].into(), params[1].into());
        let least = self.b().one("least", Type::I64, exp);
        let body = self.b().close(vec![least]);
        let op = fehu_ir::Lambda { params: params.into(), body, ret: vec![Type::I64] };
        let red = fehu_ir::Red { op, neutral: vec![Atom::i64(i64::MAX)], commutative: true };
        let screma = fehu_ir::Screma {
            width: size,
            inputs: vec![array],
            map,
            scans: Vec::new(),
            reds: vec![red],
        };
        self.operator_stm(fehu_ir::Exp::Screma(Box::new(screma)), vec![Type::I64], span)[0]
    }
}
