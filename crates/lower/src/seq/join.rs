//! Zips of sequences that are not in step with each other.
//!
//! Of each chunk, as many pairs are taken as there are; what one of the two has more waits for the next chunk, in a
//! state that is an array of any size. At the end nothing may be left. Both read sources of the same length, so that
//! they are cut alike.

use super::chunk::{Chunk, Col, Run};
use super::plan::{Node, Pass};
use super::recipe;
use crate::build::{Attach, text};
use crate::value::{Instance, Shape, Val};
use crate::{Lower, Res};
use fehu_base::{OrBug, Span};
use fehu_ir::{Atom, BinOp, CheckPart, CmpOp, Exp, Type};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// The shapes of the elements of two sequences, if they are to be joined: they are not in step, but their sources
    /// have one length, and their elements one size each.
    pub(super) fn joined(
        &mut self,
        pair: [&Val<'a>; 2],
        instance: Option<&Rc<Instance<'a>>>,
        span: Span,
    ) -> Res<Option<[Shape; 2]>> {
        if !pair.iter().any(|seq| self.changes_rate(seq, span)) {
            return Ok(None);
        }
        let mut lengths = Vec::new();
        pair.iter().for_each(|seq| self.lengths(seq, &mut lengths));
        if lengths.windows(2).any(|two| two[0] != two[1]) {
            return Ok(None);
        }
        let first = self.type_arg(instance, 0, span)?;
        Ok(first.zip(self.type_arg(instance, 1, span)?).map(|(a, b)| [a, b]))
    }

    /// The lengths of all sources.
    fn lengths(&self, seq: &Val<'a>, lengths: &mut Vec<Atom>) {
        let Val::Fun(closure) = seq else { return };
        let Some((name, closure)) = recipe(closure) else { return };
        match (name, &closure.args[..]) {
            ("seq_of_array" | "seq_of_segments", [Val::Array(size, ..), ..]) => lengths.push(*size),
            (_, args) => args.iter().for_each(|arg| self.lengths(arg, lengths)),
        }
    }

    pub(super) fn plan_join(
        &mut self,
        [a, b]: [&Val<'a>; 2],
        elems: [Shape; 2],
        pass: &mut Pass<'a>,
    ) -> Res<Node<'a>> {
        let nodes = [self.plan(a, pass)?, self.plan(b, pass)?];
        let states = elems.map(|elem| {
            let none = self.blank_array(Atom::i64(0), Rc::new(elem));
            pass.growing(none)
        });
        Ok(Node::Join(Box::new(nodes), states))
    }

    pub(super) fn join_chunk(
        &mut self,
        nodes: &[Node<'a>; 2],
        states: [usize; 2],
        run: &mut Run<'a>,
    ) -> Res<Chunk<'a>> {
        let mut sides = Vec::with_capacity(2);
        for (node, state) in nodes.iter().zip(states) {
            let chunk = self.chunk(node, run)?;
            let array = self.regular(chunk.col, chunk.size, run.span);
            let ahead = run.states[state].clone();
            let all = self.concat(&ahead, &array, run.span)?;
            let Val::Array(size, ..) = all else {
                self.bug(run.span, "what is ahead is not an array");
            };
            sides.push((size, all));
        }
        let (a, b) = (sides[0].0, sides[1].0);
        let count = self.pairs([a, b], run);
        let mut columns = Vec::with_capacity(2);
        for ((size, all), state) in sides.iter().zip(states) {
            let left = self.b().size_op(BinOp::Sub, *size, count);
            run.states[state] = self.slice_of(all, count, left);
            columns.push(Col::Flat(self.slice_of(all, Atom::i64(0), count)));
        }
        let second = columns.pop().or_bug("second column of a pair");
        let first = columns.pop().or_bug("first column of a pair");
        let fields = vec![("0".into(), first), ("1".into(), second)];
        Ok(Chunk { size: count, col: Col::Record(fields) })
    }

    /// How many pairs there are of so many elements; at the end that must be all.
    fn pairs(&mut self, [a, b]: [Atom; 2], run: &Run<'a>) -> Atom {
        let same = self.b().cmp(CmpOp::Eq, a, b);
        let more = self.b().not(run.last);
        let fine = self.b().or(more, same);
        let parts = vec![
            text("Sequences that are zipped have different lengths: at the end there are "),
            CheckPart::Value(a),
            text(" and "),
            CheckPart::Value(b),
            text(" elements left."),
        ];
        let trace = vec![self.loc(self.user_place(run.span))];
        let cert = self.b().assert(fine, parts, trace);
        let with = Attach { certs: vec![cert], ..Attach::default() };
        let least = Exp::BinOp(BinOp::Min, a, b);
        Atom::Var(self.b().emit(least, vec![("pairs", Type::I64)], with)[0])
    }

    /// An array whose elements nobody knows.
    pub(crate) fn blank_array(&mut self, size: Atom, elem: Rc<Shape>) -> Val<'a> {
        let shape = Shape::Array(size, elem);
        let mut parts = Vec::new();
        for ty in shape.parts() {
            let elem = ty.elem().or_bug("type for the elements of an array");
            let exp = Exp::Scratch(elem, ty.shape().to_vec());
            parts.push(self.b().one("blank", ty, exp));
        }
        Val::build(&shape, &mut parts.into_iter())
    }
}
