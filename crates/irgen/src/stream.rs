//! Streams, with producers and consumers that they can be fused with.
//!
//! What a stream yields does not depend on how its input is cut: chunk functions treat elements one by one, combine them
//! with the stream's own operators, or scan what is the same whatever comes before. So they use nothing that is random and
//! could look at the chunk otherwise.

use crate::state::Gen;
use fehu_base::Prim;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Elem, Exp, Lambda, LoopForm, LoopParam, Red, Scalar, Scan,
    Screma, Stage, Stream, StreamForm, Type, Var,
};

/// The type of all elements: positions are among them.
const ELEM: Type = Type::Scalar(Elem::Prim(Prim::I64));

/// A chunk function in the making.
struct Chunk {
    size: Var,
    /// Arrays of the chunk's size.
    arrays: Vec<Var>,
    /// Among the chunks the one of the positions.
    positions: Option<Var>,
    /// A chunk that may be updated.
    own: Option<Var>,
}

impl Gen<'_> {
    /// Arrays of one size and streams, maps, reductions and scans of them; some are updated in between.
    pub(crate) fn stream_chain(&mut self) {
        if self.stage == Stage::Segs {
            return;
        }
        let size = self.size();
        let ty = Type::Array(Prim::I64.into(), vec![size]);
        if !self.affordable(self.bound(size) * 60) {
            return;
        }
        let mut made = vec![self.array_of(&ty)];
        let (zero, one) = (Atom::i64(0), Atom::i64(1));
        made.push(self.fresh_exp("pos", Exp::Iota(Prim::I64, size, zero, one)));
        let positions = made[1];
        if self.rng.chance(50) {
            made.push(self.element_map(&[made[0]], &ty));
        }
        for _ in 0..1 + self.rng.below(4) {
            let input = self.one_of(&made);
            let other = self.one_of(&made);
            match self.rng.below(8) {
                0 => made.push(self.element_map(&[input, other], &ty)),
                1 => {
                    let scan = self.rng.chance(40);
                    self.combine(&[input], Prim::I64, size, scan);
                }
                2 if input != positions && self.is_own(input) => {
                    made.retain(|array| *array != input);
                    made.push(self.update_own(input));
                }
                3 => {
                    self.element(input);
                }
                _ => {
                    let mut inputs = vec![input];
                    if self.rng.chance(40) && !inputs.contains(&positions) {
                        inputs.push(positions);
                    } else if self.rng.chance(30) {
                        inputs.push(other);
                    }
                    let outputs = self.stream(&mut inputs, size, positions);
                    made.retain(|array| inputs.contains(array) || *array != input);
                    made.extend(outputs);
                }
            }
        }
    }

    fn one_of(&mut self, vars: &[Var]) -> Var {
        // Later ones are likelier, so that chains become long.
        let (a, b) = (self.rng.below(vars.len()), self.rng.below(vars.len()));
        vars[a.max(b)]
    }

    /// A stream; the first input may be consumed, and is then not among the inputs any more.
    fn stream(&mut self, inputs: &mut Vec<Var>, width: Atom, positions: Var) -> Vec<Var> {
        let updates = inputs[0] != positions
            && !inputs[1..].contains(&inputs[0])
            && self.is_own(inputs[0])
            && self.rng.chance(25);
        let count = if self.rng.chance(30) { 0 } else { 1 + self.rng.below(2) };
        let ops: Vec<(BinOp, Scalar)> = (0..count).map(|_| self.exact_op(Prim::I64)).collect();
        let form = match (count, self.rng.below(3)) {
            (0, _) => StreamForm::Map,
            (_, 0) => StreamForm::Seq,
            _ => StreamForm::Red(self.side_by_side(&ops), self.rng.chance(50)),
        };
        let init: Vec<Atom> = match form {
            StreamForm::Map | StreamForm::Red(..) => {
                ops.iter().map(|(_, neutral)| Atom::Const(*neutral)).collect()
            }
            StreamForm::Seq | StreamForm::Pass(_) => {
                ops.iter().map(|_| self.scalar(Prim::I64)).collect()
            }
        };
        let constants = [self.scalar(Prim::I64), self.scalar(Prim::I64)];
        let arrays = 1 + self.rng.below(2);
        let chunk = self.chunk(inputs, positions, updates, &ops, &constants, arrays);
        let mut pat: Vec<Var> = init.iter().map(|_| self.var("total", ELEM)).collect();
        let ty = Type::Array(Prim::I64.into(), vec![width]);
        let outputs: Vec<Var> = (0..arrays).map(|_| self.var("st", ty.clone())).collect();
        pat.extend_from_slice(&outputs);
        let op = Stream { width, inputs: inputs.clone(), form, init, chunk };
        self.stm(pat, Exp::Stream(Box::new(op)));
        if updates {
            let gone = inputs.remove(0);
            self.consume(gone);
        }
        for output in &outputs {
            self.set_fresh(*output);
        }
        outputs
    }

    fn chunk(
        &mut self,
        inputs: &[Var],
        positions: Var,
        updates: bool,
        ops: &[(BinOp, Scalar)],
        constants: &[Atom],
        results: usize,
    ) -> Lambda {
        let size = self.var("chunk", Type::I64);
        let ty = Type::Array(Prim::I64.into(), vec![size.into()]);
        let accs: Vec<Var> = ops.iter().map(|_| self.var("acc", ELEM)).collect();
        let chunks: Vec<Var> = inputs.iter().map(|_| self.var("xs", ty.clone())).collect();
        let at = inputs.iter().position(|input| *input == positions);
        let mut chunk = Chunk {
            size,
            arrays: chunks.clone(),
            positions: at.map(|at| chunks[at]),
            own: updates.then_some(chunks[0]),
        };
        // The function's own variables are not brought into scope, so that nothing random uses them.
        let times = inputs.first().map_or(1, |input| self.elements(&self.vars[*input].ty.clone()));
        let body = self.frame_body(times, |g| {
            for _ in 0..1 + g.rng.below(4) {
                g.chunk_step(&mut chunk, constants);
            }
            let mut values = Vec::new();
            for (acc, (op, neutral)) in accs.iter().zip(ops) {
                let array = g.one_of(&chunk.arrays);
                let sum = g.total(&chunk, array, *op, *neutral);
                values
                    .push(g.hidden("acc", ELEM, Exp::BinOp(*op, (*acc).into(), sum.into())).into());
            }
            values.extend((0..results).map(|_| Atom::Var(g.one_of(&chunk.arrays))));
            values
        });
        let mut ret = vec![ELEM; ops.len()];
        ret.extend((0..results).map(|_| ty.clone()));
        let params = [&[size][..], &accs, &chunks].concat();
        Lambda { params, body, ret }
    }

    /// One more array of the chunk's size.
    fn chunk_step(&mut self, chunk: &mut Chunk, constants: &[Atom]) {
        let input = self.one_of(&chunk.arrays);
        let other = self.one_of(&chunk.arrays);
        let ty = Type::Array(Prim::I64.into(), vec![chunk.size.into()]);
        let array = match (self.rng.below(6), chunk.positions) {
            (0, _) => self.hidden("copy", ty, Exp::Copy(input)),
            (1 | 2, Some(positions)) => self.recurrence(chunk, positions, constants[0]),
            (3, _) => self.updated(chunk, input, constants[1]),
            (kind, _) => {
                let inputs = if kind == 4 { vec![input] } else { vec![input, other] };
                let op = [BinOp::Add, BinOp::Mul, BinOp::Sub, BinOp::Xor][self.rng.below(4)];
                let params: Vec<Type> = inputs.iter().map(|_| ELEM).collect();
                let map = self.hidden_lambda(&params, |g, params| {
                    let left = params[0].into();
                    let right = params.get(1).map_or(constants[0], |var| Atom::Var(*var));
                    g.hidden("e", ELEM, Exp::BinOp(op, left, right)).into()
                });
                let width = chunk.size.into();
                let op = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
                self.hidden("ms", ty, Exp::Screma(Box::new(op)))
            }
        };
        chunk.arrays.push(array);
    }

    /// The multiples of a constant at the chunk's positions, by a product for the first one and sums for the others.
    fn recurrence(&mut self, chunk: &Chunk, positions: Var, step: Atom) -> Var {
        let ty = Type::Array(Prim::I64.into(), vec![chunk.size.into()]);
        let first = Exp::Index(positions, vec![Dim::Fix(Atom::i64(0))]);
        let first = self.hidden("first", ELEM, first);
        let start = self.hidden("start", ELEM, Exp::BinOp(BinOp::Mul, first.into(), step));
        let map = self.hidden_lambda(&[ELEM], |g, params| {
            let equal = Exp::CmpOp(CmpOp::Eq, params[0].into(), first.into());
            let equal = g.hidden("eq", Type::BOOL, equal);
            let bodies = [Body::of(vec![start.into()]), Body::of(vec![step])];
            g.hidden("t", ELEM, Exp::If(equal.into(), Box::new(bodies))).into()
        });
        let (op, neutral) = self.hidden_operator(BinOp::Add, Scalar::I64(0));
        let scans = vec![Scan { op, neutral: vec![neutral] }];
        let (width, inputs) = (chunk.size.into(), vec![positions]);
        let op = Screma { width, inputs, map, scans, reds: Vec::new() };
        self.hidden("rec", ty, Exp::Screma(Box::new(op)))
    }

    /// An array that is updated element by element: one that may be, or a copy.
    fn updated(&mut self, chunk: &mut Chunk, array: Var, constant: Atom) -> Var {
        let ty = self.vars[array].ty.clone();
        let own = match chunk.own.take() {
            Some(own) => {
                chunk.arrays.retain(|array| *array != own);
                own
            }
            None => self.hidden("copy", ty.clone(), Exp::Copy(array)),
        };
        let position = self.var("i", Type::I64);
        let param = self.var("a", ty.clone());
        let body = self.frame_body(1, |g| {
            let at = || vec![Dim::Fix(position.into())];
            let old = g.hidden("old", ELEM, Exp::Index(param, at()));
            let new = g.hidden("new", ELEM, Exp::BinOp(BinOp::Sub, constant, old.into()));
            vec![g.hidden("a", ty.clone(), Exp::Update(param, at(), new.into())).into()]
        });
        let params = vec![LoopParam { var: param, init: own.into() }];
        let form = LoopForm::For(position, chunk.size.into());
        let new = self.hidden("up", ty, Exp::Loop(params, form, Box::new(body)));
        if chunk.arrays.is_empty() {
            chunk.arrays.push(new);
        }
        new
    }

    fn total(&mut self, chunk: &Chunk, array: Var, op: BinOp, neutral: Scalar) -> Var {
        let map = self.hidden_lambda(&[ELEM], |_, params| params[0].into());
        let (op, neutral) = self.hidden_operator(op, neutral);
        let reds = vec![Red { op, neutral: vec![neutral], commutative: self.rng.chance(50) }];
        let (width, inputs) = (chunk.size.into(), vec![array]);
        let op = Screma { width, inputs, map, scans: Vec::new(), reds };
        self.hidden("sum", ELEM, Exp::Screma(Box::new(op)))
    }

    /// The operators as one on tuples.
    fn side_by_side(&mut self, ops: &[(BinOp, Scalar)]) -> Lambda {
        let types = vec![ELEM; ops.len()];
        self.lambda(8, &[types.clone(), types.clone()].concat(), types, |g, params| {
            let (left, right) = params.split_at(ops.len());
            let operands = left.iter().zip(right).zip(ops);
            operands
                .map(|((a, b), (op, _))| {
                    g.exp("o", Exp::BinOp(*op, (*a).into(), (*b).into())).into()
                })
                .collect()
        })
    }

    /// Binds a variable that stays out of sight of what is random.
    fn hidden(&mut self, hint: &str, ty: Type, exp: Exp) -> Var {
        let var = self.typed(hint, ty, exp);
        self.env.retain(|other| *other != var);
        var
    }

    fn hidden_lambda(
        &mut self,
        params: &[Type],
        make: impl FnOnce(&mut Self, &[Var]) -> Atom,
    ) -> Lambda {
        let params: Vec<Var> = params.iter().map(|ty| self.var("x", ty.clone())).collect();
        let body = self.frame_body(8, |g| vec![make(g, &params)]);
        Lambda { params, body, ret: vec![ELEM] }
    }

    fn hidden_operator(&mut self, op: BinOp, neutral: Scalar) -> (Lambda, Atom) {
        self.operator(&ELEM, op, neutral, 0)
    }
}
