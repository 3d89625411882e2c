//! The plan of a pass: its sources, what it hands on from chunk to chunk, and what is done with a chunk.

use super::chunk::Col;
use super::recipe;
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use fehu_base::Span;
use fehu_ir::Atom;

/// A pass that is being planned.
pub(super) struct Pass<'a> {
    /// How many elements the sources have.
    pub(super) width: Option<Atom>,
    /// The arrays that are cut.
    pub(super) sources: Vec<Val<'a>>,
    /// Those whose elements differ in size: the sizes, and what all of them consist of.
    pub(super) pieces: Vec<(Val<'a>, Val<'a>)>,
    /// What is handed on.
    pub(super) states: Vec<State<'a>>,
    pub(super) span: Span,
}

/// What is handed on from chunk to chunk.
pub(super) struct State<'a> {
    /// What the first chunk starts with.
    pub(super) init: Val<'a>,
    /// Whether it is an array of any size. That size is then handed on before it.
    pub(super) grows: bool,
}

impl<'a> State<'a> {
    /// Its parts when it has this value.
    pub(super) fn parts(&self, value: &Val<'a>) -> Vec<Atom> {
        let mut parts = value.parts();
        if self.grows
            && let Val::Array(size, ..) = value
        {
            parts.insert(0, *size);
        }
        parts
    }
}

/// What is done with a chunk.
pub(super) enum Node<'a> {
    /// A source, by its number.
    Source(usize),
    /// A source whose elements differ in size, by its number.
    Pieces(usize),
    /// A function and the shape of its results, if that is known.
    Map(Val<'a>, Option<Shape>, Box<Node<'a>>),
    Zip(Box<[Node<'a>; 2]>),
    /// The number of the state that counts.
    Enumerate(usize, Box<Node<'a>>),
    Filter(Val<'a>, Box<Node<'a>>),
    Flat(Box<Node<'a>>),
    /// A function for chunks, the number of its state, and the shape of the elements of its result.
    Chunks {
        f: Val<'a>,
        state: usize,
        elem: Option<Shape>,
        node: Box<Node<'a>>,
    },
    /// Two sequences that are not in step, and the numbers of the states with what they are ahead.
    Join(Box<[Node<'a>; 2]>, [usize; 2]),
    /// A function for chunks that yields pieces, and the number of the state with what is left for the next one.
    Regroup {
        f: Val<'a>,
        state: usize,
        node: Box<Node<'a>>,
    },
}

impl<'a> Pass<'a> {
    pub(super) fn new(span: Span) -> Pass<'a> {
        Pass { width: None, sources: Vec::new(), pieces: Vec::new(), states: Vec::new(), span }
    }

    fn state(&mut self, init: Val<'a>) -> usize {
        self.states.push(State { init, grows: false });
        self.states.len() - 1
    }

    /// A state that is an array of any size, and empty at first.
    pub(super) fn growing(&mut self, none: Val<'a>) -> usize {
        self.states.push(State { init: none, grows: true });
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
                if let Some(elems) = self.joined([a, b], instance.as_ref(), span)? {
                    return self.plan_join([a, b], elems, pass);
                }
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
                let node = Box::new(self.plan(inner, pass)?);
                Ok(Node::Chunks { f: f.clone(), state, elem, node })
            }
            ("seq_pieces", [f, none, inner]) => {
                let state = pass.growing(none.clone());
                let node = Box::new(self.plan(inner, pass)?);
                Ok(Node::Regroup { f: f.clone(), state, node })
            }
            (name, _) => {
                self.bug(span, format!("the operator \"{name}\" on sequences is not implemented"))
            }
        }
    }

    /// An array that is cut together with the other sources.
    fn source(&mut self, array: &Val<'a>, pass: &mut Pass<'a>) -> Res<usize> {
        let Val::Array(size, ..) = array else {
            self.bug(pass.span, "the source of a sequence is not an array");
        };
        pass.width.get_or_insert(*size);
        pass.sources.push(array.clone());
        Ok(pass.sources.len() - 1)
    }

    fn segments(
        &mut self,
        sizes: &Val<'a>,
        values: &Val<'a>,
        pass: &mut Pass<'a>,
    ) -> Res<Node<'a>> {
        let (Val::Array(count, ..), Val::Array(..)) = (sizes, values) else {
            self.bug(pass.span, "the pieces of a sequence are not arrays");
        };
        pass.width.get_or_insert(*count);
        pass.pieces.push((sizes.clone(), values.clone()));
        Ok(Node::Pieces(pass.pieces.len() - 1))
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

    pub(super) fn changes_rate(&self, seq: &Val<'a>, span: Span) -> bool {
        let Val::Fun(closure) = seq else {
            self.bug(span, "a value that is not a sequence is read as one");
        };
        let Some((name, closure)) = recipe(closure) else {
            self.bug(span, "a function is read as a sequence");
        };
        match name {
            "seq_filter" | "seq_flat" | "seq_chunks" | "seq_pieces" => true,
            // The arguments that are no sequences are functions, arrays and states.
            _ => closure.args.iter().any(|arg| self.is_seq(arg) && self.changes_rate(arg, span)),
        }
    }
}
