//! What is known inside of a body, without a walk over the whole function.
//!
//! A client that goes through a function in an order of its own (backwards, or from the outside in) enters the bodies on its
//! way itself. What is known in a body is what its own statements say and those around it: all of them, also those
//! that come later, because a body is executed from its beginning to its end. What rests on a check that comes later
//! says so by its certificate. Bodies inside of others are not looked at until they are entered.

use super::Flow;
use crate::Ranges;
use crate::poly::Poly;
use crate::ranges::{Certs, Mark};
use fehu_base::IdVec;
use fehu_ir::{Atom, Body, Lambda, LoopForm, LoopParam, Scalar, Seg, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// What is known in the bodies that were entered.
pub struct Known<'a> {
    flow: Flow<'a, 'static>,
}

impl<'a> Known<'a> {
    /// Of a function or constant with these parameters, in none of its bodies yet.
    pub fn new(vars: &'a IdVec<Var, VarInfo>, params: &[Var]) -> Known<'a> {
        let mut flow = Flow {
            spared: 1,
            ranges: Ranges::new(vars),
            client: None,
            path: Vec::new(),
            iotas: FxHashMap::default(),
            certs: FxHashMap::default(),
            trial: 0,
        };
        params.iter().for_each(|param| flow.ranges.bind(*param));
        params.iter().for_each(|param| flow.argument(*param));
        Known { flow }
    }

    /// The facts, for proofs.
    pub fn ranges(&mut self) -> &mut Ranges<'a> {
        &mut self.flow.ranges
    }

    /// Before something is entered; [`Known::leave`] goes back to here.
    pub fn enter(&self) -> Mark {
        self.flow.ranges.enter()
    }

    /// Forgets what was entered.
    pub fn leave(&mut self, mark: Mark) {
        self.flow.ranges.leave(mark);
    }

    /// Enters a body.
    pub fn body(&mut self, body: &'a Body) {
        self.flow.body(body);
    }

    /// A branch that is taken if a condition has this value.
    pub fn condition(&mut self, cond: Atom, truth: bool) {
        self.flow.ranges.assume(cond, truth, &Certs::new());
    }

    /// A case that is taken if both are equal.
    pub fn case(&mut self, value: Atom, case: Scalar) {
        self.flow.assume_equal(value, Atom::Const(case));
    }

    /// An iteration of a loop.
    pub fn iteration(&mut self, params: &[LoopParam], form: LoopForm) {
        for param in params {
            self.flow.ranges.bind(param.var);
        }
        match form {
            LoopForm::For(var, bound) => {
                self.flow.ranges.bind(var);
                self.position(var, bound);
            }
            LoopForm::While(var) => self.condition(Atom::Var(var), true),
        }
    }

    /// A position of an operator, called `index`: elements of `iota` are equal to it.
    pub fn element(&mut self, index: Var, width: Atom, inputs: &[Var], map: &Lambda) {
        self.flow.ranges.bind(index);
        self.flow.params(map);
        self.position(index, width);
        for (param, input) in map.params.iter().zip(inputs) {
            let plain = self
                .flow
                .iotas
                .get(input)
                .is_some_and(|iota| iota.start == Atom::i64(0) && iota.step == Atom::i64(1));
            if plain && self.flow.ranges.vars()[*param].ty == Type::I64 {
                self.flow.ranges.define(*param, Poly::var(index), Certs::new());
            } else {
                self.flow.progression(*param, *input);
            }
        }
    }

    /// A position of a Seg's space.
    pub fn seg(&mut self, seg: &Seg) {
        self.flow.params(&seg.body);
        for (index, size) in seg.indices().iter().zip(&seg.space) {
            self.position(*index, *size);
        }
        for number in seg.row().into_iter().flatten() {
            self.flow.ranges.between(number, Some(Poly::default()), None, &Certs::new());
        }
    }

    /// A function of which nothing is known but that it is applied.
    pub fn function(&mut self, lambda: &Lambda) {
        self.flow.params(lambda);
    }

    /// `0 <= index < bound`
    fn position(&mut self, index: Var, bound: Atom) {
        let ranges = &mut self.flow.ranges;
        let (last, certs) = match ranges.settled(bound) {
            Some((bound, certs)) => {
                // There is at least one position, since this is one.
                ranges.assume_some(&bound, &certs);
                (bound.plus(-1), certs)
            }
            None => (None, Certs::new()),
        };
        ranges.between(index, Some(Poly::default()), last, &certs);
    }
}

impl Flow<'_, '_> {
    /// Whether the bodies of a statement are looked at.
    pub(super) fn enters(&self, stm: &fehu_ir::Stm) -> bool {
        self.client.as_ref().is_some_and(|client| client.enters(stm))
    }

    /// Branches are looked at by those who look at statements.
    pub(super) fn is_shallow(&self) -> bool {
        self.client.is_none()
    }
}
