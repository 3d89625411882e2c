//! Sequences: recipes for passes, which are made when something is asked of them.
//!
//! A sequence is a static value, as a function is: an operator of the module `seq` with its arguments, applied to
//! everything but a position ([`fehu_check::ty::POSITION`]). It computes nothing. What yields a value instead (a fold, an array,
//! the result of an entry point) makes a *pass* ([`StreamForm::Pass`]): the recipe is planned, outside of the
//! pass, where its sources and the shapes of elements are found (`plan`), and then executed for a chunk, in the
//! function of the pass (`chunk`), where each operator is an ordinary one on arrays.
//!
//! All sources of a pass are cut alike. Sequences are zipped as they are as long as they are in step with their
//! sources. After an operator that changes how many elements there are (`filter`, `flat`, `windows`), what one of them
//! is ahead is handed on to the next chunk (`join`), if their sources have the same length and their elements one size;
//! otherwise they are put into arrays first, by a pass of their own, and these are sources in step again.

mod chunk;
mod join;
mod plan;
mod sinks;

use crate::build::Attach;
use crate::env::Frame;
use crate::value::{Closure, Code, Shape, Val};
use crate::{Lower, Res};
use ecow::EcoString;
use fehu_base::{OrBug, Span};
use fehu_ir::{Atom, Exp, Lambda, Pieces, Stm, Stream, StreamForm, Type, Var};
use std::rc::Rc;

use chunk::{Chunk, Col};
use plan::{Pass, State};

/// What a pass is made for.
enum Want<'v, 'a> {
    /// A state that is handed on: the function for a chunk, and what it starts with.
    Fold(&'v Val<'a>, &'v Val<'a>),
    /// All elements; of this shape, if that is known.
    Elements(Option<Shape>),
}

/// What it yields.
enum Got<'a> {
    State(Val<'a>),
    Elements(Chunk<'a>),
}

impl<'a> Lower<'a> {
    /// `seq_fold f init seq`
    pub(crate) fn seq_fold(
        &mut self,
        f: &Val<'a>,
        init: &Val<'a>,
        seq: &Val<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        match self.pass(seq, &Want::Fold(f, init), span)? {
            Got::State(state) => Ok(state),
            Got::Elements(_) => self.bug(span, "a fold yields elements"),
        }
    }

    /// `seq_array seq`, whose elements have this shape.
    pub(crate) fn seq_array(
        &mut self,
        seq: &Val<'a>,
        elem: Option<Shape>,
        span: Span,
    ) -> Res<Val<'a>> {
        match self.elements(seq, elem, span)?.col {
            Col::Flat(array) => Ok(array),
            Col::Rows { .. } | Col::Record(_) => {
                self.bug(span, "elements of differing sizes are put into an array")
            }
        }
    }

    /// All elements of a sequence, as data: an array, or for elements of differing sizes the sizes and an array of what is
    /// in all of them.
    pub(crate) fn seq_data(&mut self, seq: &Val<'a>, span: Span) -> Res<Val<'a>> {
        let chunk = self.elements(seq, None, span)?;
        Ok(self.column_data(chunk.col))
    }

    /// The sequences in a value as data.
    pub(crate) fn without_seqs(&mut self, value: Val<'a>, span: Span) -> Res<Val<'a>> {
        match value {
            Val::Fun(_) if self.is_seq(&value) => self.seq_data(&value, span),
            Val::Record(fields) => {
                let mut new = Vec::with_capacity(fields.len());
                for (name, value) in fields.iter() {
                    new.push((name.clone(), self.without_seqs(value.clone(), span)?));
                }
                Ok(Val::Record(new.into()))
            }
            Val::Fun(_)
            | Val::Scalar(..)
            | Val::Array(..)
            | Val::Sum(..)
            | Val::Choice(..)
            | Val::Acc(..) => Ok(value),
        }
    }

    /// The sequence of the elements of an array.
    pub(crate) fn seq_of_array(&mut self, array: Val<'a>, frame: &Rc<Frame<'a>>) -> Val<'a> {
        let code = Code::Intrinsic("seq_of_array", 2);
        Val::Fun(Rc::new(Closure { code, frame: frame.clone(), instance: None, args: vec![array] }))
    }

    /// The sequence of pieces of an array.
    pub(crate) fn seq_of_segments(
        &mut self,
        sizes: Val<'a>,
        values: Val<'a>,
        frame: &Rc<Frame<'a>>,
    ) -> Val<'a> {
        let code = Code::Intrinsic("seq_of_segments", 3);
        let args = vec![sizes, values];
        Val::Fun(Rc::new(Closure { code, frame: frame.clone(), instance: None, args }))
    }

    /// Which fields of a result are sequences; a result that is no record is its own only field, 0.
    pub(crate) fn seq_fields(&self, value: &Val<'a>) -> Vec<(EcoString, bool)> {
        match value {
            Val::Record(fields) if fields.len() != 1 => {
                fields.iter().map(|(name, field)| (name.clone(), self.is_seq(field))).collect()
            }
            Val::Record(_)
            | Val::Fun(_)
            | Val::Scalar(..)
            | Val::Array(..)
            | Val::Sum(..)
            | Val::Choice(..)
            | Val::Acc(..) => vec![("0".into(), self.is_seq(value))],
        }
    }

    fn is_seq(&self, value: &Val<'a>) -> bool {
        matches!(value, Val::Fun(closure) if recipe(closure).is_some())
    }

    fn elements(&mut self, seq: &Val<'a>, elem: Option<Shape>, span: Span) -> Res<Chunk<'a>> {
        match self.pass(seq, &Want::Elements(elem), span)? {
            Got::Elements(chunk) => Ok(chunk),
            Got::State(_) => self.bug(span, "a pass does not yield its elements"),
        }
    }

    fn pass(&mut self, seq: &Val<'a>, want: &Want<'_, 'a>, span: Span) -> Res<Got<'a>> {
        let mut pass = Pass::new(span);
        let node = self.plan(seq, &mut pass)?;
        let width = pass.width.or_bug("source of a sequence");
        let depth = self.b().depth();
        if let Want::Fold(_, init) = want {
            pass.states.push(State { init: (*init).clone(), grows: false });
        }
        let inputs: Vec<Atom> = pass.sources.iter().flat_map(|s| self.array_parts(s)).collect();
        let inputs = self.array_vars(&inputs);

        self.b().open();
        let size = self.b().var("m", Type::I64);
        let last = self.b().var("last", Type::BOOL);
        let mut params = vec![size, last];
        let mut types = Vec::new();
        let mut states = Vec::with_capacity(pass.states.len());
        for state in &pass.states {
            let first = params.len();
            states.push(self.state("s", state, &mut params));
            types.extend(params[first..].iter().map(|var| self.b().type_of(*var).clone()));
        }
        let mut sources = Vec::with_capacity(pass.sources.len());
        for source in &pass.sources {
            let Val::Array(_, elem, _) = source else {
                self.bug(span, "the source of a sequence is not an array");
            };
            let elem = elem.clone();
            sources.push(match elem.parts().is_empty() {
                true => self.make_array(Atom::Var(size), elem, Vec::new()),
                false => {
                    let shape = Shape::Array(Atom::Var(size), elem);
                    self.parameter("c", &shape, &mut params)
                }
            });
        }
        let pieces = self.piece_params(&pass, Atom::Var(size), &mut params);
        let last = Atom::Var(last);
        let mut run = chunk::Run { size: Atom::Var(size), last, sources, pieces, states, span };
        let chunk = self.chunk(&node, &mut run)?;
        let mut sinks = Vec::new();
        let elements = match want {
            Want::Fold(f, _) => {
                let array = self.regular(chunk.col, chunk.size, span);
                let state = run.states.pop().or_bug("state of a fold");
                let shape = state.shape();
                let mut value = self.apply((*f).clone(), Val::i64(chunk.size), span)?;
                value = self.apply(value, state, span)?;
                value = self.apply(value, array, span)?;
                let value = self.with_shape(value, &shape);
                run.states.push(value);
                None
            }
            Want::Elements(elem) => {
                let chunk = self.known_outside(chunk, elem.as_ref(), depth, span)?;
                self.sinks(&chunk, &mut sinks);
                Some(chunk)
            }
        };
        let after = pass.states.iter().zip(&run.states);
        let mut results: Vec<Atom> = after.flat_map(|(state, value)| state.parts(value)).collect();
        let mut ret = types;
        for sink in &sinks {
            results.push(sink.size);
            results.extend(&sink.parts);
            ret.push(Type::I64);
            ret.extend(sink.rows.iter().filter_map(|row| row.array_of(Atom::Var(size))));
        }
        let body = self.b().close(results);
        let init = pass.states.iter().flat_map(|state| state.parts(&state.init)).collect();
        let chunk = Lambda { params, body, ret };
        let form = StreamForm::Pass(self.pieces_of(&pass));
        let exp = Exp::Stream(Box::new(Stream { width, inputs, form, init, chunk }));

        let mut pat = Vec::new();
        let mut last = Val::unit();
        for state in &pass.states {
            last = self.state("s", state, &mut pat);
        }
        let mut bound = Vec::with_capacity(sinks.len());
        for sink in &sinks {
            let count = self.b().var("k", Type::I64);
            pat.push(count);
            let mut arrays = Vec::with_capacity(sink.rows.len());
            for row in &sink.rows {
                let ty = row.array_of(Atom::Var(count)).or_bug("array of elements");
                let var = self.b().var("ys", ty);
                pat.push(var);
                arrays.push(Atom::Var(var));
            }
            bound.push((Atom::Var(count), arrays));
        }
        let loc = Some(self.loc(self.user_place(span)));
        let Attach { certs, attrs, .. } = Attach::default();
        self.b().push(Stm { pat: pat.clone(), certs, attrs, loc, exp });
        Ok(match elements {
            Some(chunk) => {
                let mut bound = bound.into_iter();
                let size = bound.clone().next().or_bug("size of a sequence").0;
                let col = self.bound(&chunk.col, size, &mut bound)?;
                Got::Elements(Chunk { size, col })
            }
            None => Got::State(last),
        })
    }

    /// The parameters for pieces: sizes, how many values there are, and these.
    fn piece_params(
        &mut self,
        pass: &Pass<'a>,
        size: Atom,
        params: &mut Vec<Var>,
    ) -> Vec<(Val<'a>, Val<'a>)> {
        let mut pieces = Vec::with_capacity(pass.pieces.len());
        for (sizes, values) in &pass.pieces {
            let (Val::Array(_, int, _), Val::Array(_, elem, _)) = (sizes, values) else {
                self.bug(pass.span, "the pieces of a sequence are not arrays");
            };
            let sizes = self.parameter("sizes", &Shape::Array(size, int.clone()), params);
            let total = self.b().var("t", Type::I64);
            params.push(total);
            let shape = Shape::Array(Atom::Var(total), elem.clone());
            pieces.push((sizes, self.parameter("c", &shape, params)));
        }
        pieces
    }

    fn pieces_of(&mut self, pass: &Pass<'a>) -> Vec<Pieces> {
        let mut pieces = Vec::with_capacity(pass.pieces.len());
        for (sizes, values) in &pass.pieces {
            let (sizes, values) = (self.array_parts(sizes), self.array_parts(values));
            let sizes = self.array_vars(&sizes)[0];
            pieces.push(Pieces { sizes, values: self.array_vars(&values) });
        }
        pieces
    }

    /// A state whose parts are new variables.
    fn state(&mut self, hint: &str, state: &State<'a>, vars: &mut Vec<Var>) -> Val<'a> {
        match (&state.init, state.grows) {
            (Val::Array(_, elem, _), true) => {
                let size = self.b().var("k", Type::I64);
                vars.push(size);
                self.parameter(hint, &Shape::Array(Atom::Var(size), elem.clone()), vars)
            }
            (init, _) => self.parameter(hint, &init.shape(), vars),
        }
    }

    /// A value of a shape whose parts are new parameters.
    fn parameter(&mut self, hint: &str, shape: &Shape, params: &mut Vec<Var>) -> Val<'a> {
        let mut parts = Vec::new();
        for ty in shape.parts() {
            let var = self.b().var(hint, ty);
            params.push(var);
            parts.push(Atom::Var(var));
        }
        Val::build(shape, &mut parts.into_iter())
    }
}

/// The name and the arguments of the operator that a sequence is.
fn recipe<'v, 'a>(closure: &'v Closure<'a>) -> Option<(&'a str, &'v Closure<'a>)> {
    match closure.code {
        // Its elements are computed anew whenever they are asked for.
        Code::Owning => match closure.args.first() {
            Some(Val::Fun(inner)) => recipe(inner),
            Some(_) | None => None,
        },
        Code::Intrinsic(name, arity)
            if name.starts_with("seq_") && closure.args.len() + 1 == arity =>
        {
            Some((name, closure))
        }
        Code::Intrinsic(..)
        | Code::Def(..)
        | Code::Local(..)
        | Code::Lambda(..)
        | Code::SectionRight
        | Code::Access(..)
        | Code::Path(..)
        | Code::Hole(..) => None,
    }
}
