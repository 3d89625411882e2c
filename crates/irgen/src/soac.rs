//! Array operators with functions.

use crate::array::whole;
use crate::state::{Gen, MAX_ELEMENTS};
use fehu_base::Prim;
use fehu_ir::{
    AccInput, Atom, BinOp, Elem, Exp, Flatmap, Hist, HistOp, Lambda, Partition, Red, Scalar, Scan,
    Scatter, Screma, Stage, Type, Var,
};

impl Gen<'_> {
    pub(crate) fn soac_stm(&mut self) {
        if self.stage == Stage::Segs && self.rng.chance(70) {
            return self.seg_stm();
        }
        match self.rng.below(13) {
            0..6 => self.screma(),
            6 => self.scatter(),
            7 => self.hist(),
            8 => self.stream_chain(),
            9 => self.partition(),
            10 => self.with_acc(),
            11 if self.stage == Stage::Arrays => self.flatmap(),
            _ => self.consume_rows(),
        }
    }

    /// Arrays with the same outermost size.
    fn inputs(&mut self) -> (Atom, Vec<Var>) {
        let first = self.any_array();
        let width = self.vars[first].ty.shape()[0];
        let mut inputs = vec![first];
        for _ in 0..self.rng.below(3) {
            let same = move |ty: &Type| ty.is_array() && ty.shape()[0] == width;
            let other = match self.pick(same) {
                Some(other) if self.rng.chance(60) => other,
                _ => {
                    let prim = self.prim();
                    self.array_of(&Type::Array(prim.into(), vec![width]))
                }
            };
            inputs.push(other);
        }
        (width, inputs)
    }

    pub(crate) fn rows(&self, inputs: &[Var]) -> Vec<Type> {
        inputs.iter().filter_map(|input| self.vars[*input].ty.row()).collect()
    }

    /// An operator that is exactly associative and commutative on an integer type or bool, and its
    /// neutral element.
    pub(crate) fn exact_op(&mut self, prim: Prim) -> (BinOp, Scalar) {
        let ones = Scalar::from_bits(prim, u64::MAX);
        if prim == Prim::Bool {
            return [
                (BinOp::And, Scalar::Bool(true)),
                (BinOp::Or, Scalar::Bool(false)),
                (BinOp::Xor, Scalar::Bool(false)),
            ][self.rng.below(3)];
        }
        [
            (BinOp::Add, Scalar::zero(prim)),
            (BinOp::Mul, Scalar::from_bits(prim, 1)),
            (BinOp::And, ones),
            (BinOp::Or, Scalar::zero(prim)),
            (BinOp::Xor, Scalar::zero(prim)),
        ][self.rng.below(5)]
    }

    pub(crate) fn exact_prim(&mut self) -> Prim {
        if self.rng.chance(20) { Prim::Bool } else { self.integer() }
    }

    /// The operator as a lambda on scalars, or on arrays element by element; and the neutral element.
    pub(crate) fn operator(
        &mut self,
        ty: &Type,
        op: BinOp,
        neutral: Scalar,
        indices: usize,
    ) -> (Lambda, Atom) {
        let mut params = vec![Type::I64; indices];
        params.extend([ty.clone(), ty.clone()]);
        let elem = Type::Scalar(neutral.elem());
        let shape = ty.shape().to_vec();
        let neutral = if shape.is_empty() {
            Atom::Const(neutral)
        } else {
            self.fresh_exp("ne", Exp::Replicate(shape.clone(), Atom::Const(neutral))).into()
        };
        let lambda = self.lambda(8, &params, vec![ty.clone()], |g, params| {
            let (a, b) = (params[indices], params[indices + 1]);
            if shape.is_empty() {
                return vec![g.exp("o", Exp::BinOp(op, a.into(), b.into())).into()];
            }
            let row = vec![elem.clone(), elem.clone()];
            let map = g.lambda(8, &row, vec![elem.clone()], |g, params| {
                vec![g.exp("o", Exp::BinOp(op, params[0].into(), params[1].into())).into()]
            });
            let (width, inputs) = (shape[0], vec![a, b]);
            let screma = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
            vec![g.typed("os", ty.clone(), Exp::Screma(Box::new(screma))).into()]
        });
        (lambda, neutral)
    }

    fn screma(&mut self) {
        let (width, inputs) = self.inputs();
        let times = self.bound(width);
        if !self.affordable(times * 20) {
            return;
        }
        let mut ret = Vec::new();
        let mut ops = Vec::new();
        for _ in 0..self.rng.below(3) {
            let prim = self.exact_prim();
            let vector = self.rng.chance(20);
            let shape = if vector { vec![Atom::i64(2)] } else { Vec::new() };
            let ty = Type::array(prim.into(), shape);
            let (op, neutral) = self.exact_op(prim);
            ops.push(self.operator(&ty, op, neutral, 0));
            ret.push(ty);
        }
        let scan_count = self.rng.below(ops.len() + 1);
        for _ in 0..self.rng.below(3) {
            let ty = self.any_type();
            if self.elements(&ty).saturating_mul(times) <= MAX_ELEMENTS && ty.rank() < 3 {
                ret.push(ty);
            }
        }
        let rows = self.rows(&inputs);
        let types = ret.clone();
        let map = self.lambda(times, &rows, ret.clone(), |g, _| g.random_results(&types));
        let mut scans = Vec::new();
        let mut reds = Vec::new();
        let op_count = ops.len();
        for (index, (op, neutral)) in ops.into_iter().enumerate() {
            let neutral = vec![neutral];
            if index < scan_count {
                scans.push(Scan { op, neutral });
            } else {
                let commutative = self.rng.chance(50);
                reds.push(Red { op, neutral, commutative });
            }
        }
        let mut pat = Vec::new();
        for (index, ty) in ret.iter().enumerate() {
            let reduced = (scan_count..op_count).contains(&index);
            let ty = if reduced { ty.clone() } else { ty.array_of(width).unwrap_or(Type::CERT) };
            pat.push(self.var("ys", ty));
        }
        for var in &pat {
            self.set_fresh(*var);
        }
        self.stm(pat, Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds })));
    }

    /// A map whose function updates its rows in place.
    fn consume_rows(&mut self) {
        let Some(array) = self.pick(|ty| ty.rank() > 1 && ty.elem() != Some(Elem::Unit)) else {
            return;
        };
        let own = self.own(array);
        self.consume(own);
        let ty = self.vars[own].ty.clone();
        let width = ty.shape()[0];
        let rows = self.rows(&[own]);
        let times = self.bound(width);
        let map = self.lambda(times, &rows, rows.clone(), |g, params| {
            g.set_fresh(params[0]);
            let count = g.rng.below(3);
            g.statements(count);
            let row = if g.is_own(params[0]) {
                g.update_own(params[0])
            } else {
                g.new_array(&rows[0].clone())
            };
            vec![row.into()]
        });
        let screma = Screma { width, inputs: vec![own], map, scans: Vec::new(), reds: Vec::new() };
        let var = self.typed("rows", ty, Exp::Screma(Box::new(screma)));
        self.set_fresh(var);
    }

    /// Positions 0, 1, ... and their number.
    fn positions(&mut self) -> (Atom, Var) {
        let width = self.size();
        let (zero, one) = (Atom::i64(0), Atom::i64(1));
        (width, self.fresh_exp("pos", Exp::Iota(Prim::I64, width, zero, one)))
    }

    /// An array to be consumed, and the types of its rows.
    fn destination(&mut self) -> (Var, Type) {
        let array = self.any_array();
        let own = self.own(array);
        self.consume(own);
        let row = self.vars[own].ty.row().unwrap_or(Type::CERT);
        (own, row)
    }

    /// Writes to different places, some of them out of bounds.
    fn scatter(&mut self) {
        let (dest, row) = self.destination();
        let (width, positions) = self.positions();
        let ty = self.vars[dest].ty.clone();
        let offset = Atom::i64(self.rng.range(-2, 2));
        let times = self.bound(width);
        let ret = vec![Type::I64, row.clone()];
        let map = self.lambda(times, &[Type::I64], ret, |g, params| {
            let index = g.exp("j", Exp::BinOp(BinOp::Add, params[0].into(), offset));
            let mut results = vec![index.into()];
            results.extend(g.random_results(std::slice::from_ref(&row)));
            results
        });
        let dests = vec![(vec![ty.shape()[0]], dest)];
        let op = Scatter { width, inputs: vec![positions], map, dests };
        let var = self.typed("sc", ty, Exp::Scatter(Box::new(op)));
        self.set_fresh(var);
    }

    fn hist(&mut self) {
        let prim = self.exact_prim();
        let size = self.size();
        let ty = Type::Array(prim.into(), vec![size]);
        let array = self.array_of(&ty);
        let dest = self.own(array);
        self.consume(dest);
        let (width, inputs) = self.inputs();
        let (op, neutral) = self.exact_op(prim);
        let (op, neutral) = self.operator(&Type::prim(prim), op, neutral, 0);
        let types = vec![Type::I64, Type::prim(prim)];
        let rows = self.rows(&inputs);
        let times = self.bound(width);
        let map = self.lambda(times, &rows, types.clone(), |g, _| g.random_results(&types));
        let ops = vec![HistOp {
            shape: vec![size],
            race_factor: Atom::i64(1),
            dests: vec![dest],
            op,
            neutral: vec![neutral],
        }];
        let var = self.typed("hist", ty, Exp::Hist(Box::new(Hist { width, inputs, map, ops })));
        self.set_fresh(var);
    }

    /// Some classes of one more; what stands behind them is not looked at.
    fn partition(&mut self) {
        let (width, inputs) = self.inputs();
        let rows = self.rows(&inputs);
        let times = self.bound(width);
        let classes = 1 + self.rng.below(2);
        let mut ret = vec![Type::I64];
        ret.extend(rows.iter().cloned());
        let map = self.lambda(times, &rows, ret.clone(), |g, _| {
            let mut values = g.random_results(&ret);
            values[0] = g
                .exp("class", Exp::BinOp(BinOp::Mod, values[0], Atom::i64(classes as i64 + 1)))
                .into();
            values
        });
        let counts: Vec<Var> = (0..classes).map(|_| self.var("k", Type::I64)).collect();
        let mut pat = counts.clone();
        let outputs: Vec<Var> =
            inputs.iter().map(|input| self.var("part", self.vars[*input].ty.clone())).collect();
        pat.extend_from_slice(&outputs);
        for count in &counts {
            self.bounds.insert(*count, times);
        }
        self.stm(pat, Exp::Partition(Box::new(Partition { width, classes, inputs, map })));
        let more = counts.get(1).map_or(Atom::i64(0), |count| (*count).into());
        let total = self.new_size("tot", times, Exp::BinOp(BinOp::Add, counts[0].into(), more));
        for output in outputs {
            self.consume(output);
            self.exp("kept", Exp::Index(output, vec![whole(total)]));
        }
    }

    /// Pieces of up to three elements.
    fn flatmap(&mut self) {
        let (width, inputs) = self.inputs();
        let times = self.bound(width);
        if !self.affordable(times * 20) {
            return;
        }
        let (rows, prim, other) = (self.rows(&inputs), self.prim(), self.prim());
        let ret = vec![Type::I64, Type::prim(other), Type::prim(prim)];
        let map = self.lambda(times, &rows, ret.clone(), |g, _| {
            let mut values = g.random_results(&ret);
            let size = g.new_size("size", 3, Exp::BinOp(BinOp::Mod, values[0], Atom::i64(4)));
            let piece = g.array_of(&Type::Array(prim.into(), vec![size]));
            values[0] = size;
            values[2] = piece.into();
            values
        });
        let total = self.var("total", Type::I64);
        self.bounds.insert(total, times * 3);
        let sizes = self.var("sizes", Type::Array(Prim::I64.into(), vec![width]));
        let others = self.var("others", Type::Array(other.into(), vec![width]));
        let flat = self.var("flat", Type::Array(prim.into(), vec![total.into()]));
        let exp = Exp::Flatmap(Box::new(Flatmap { width, inputs, map, pieces: 1 }));
        self.stm(vec![total, sizes, others, flat], exp);
    }

    /// Contributions that are added up in any order.
    fn with_acc(&mut self) {
        let prim = self.exact_prim();
        let size = self.size();
        let ty = Type::Array(prim.into(), vec![size]);
        let array = self.array_of(&ty);
        let dest = self.own(array);
        self.consume(dest);
        let (width, positions) = self.positions();
        let op = if self.rng.chance(70) {
            let (op, neutral) = self.exact_op(prim);
            let (lambda, neutral) = self.operator(&Type::prim(prim), op, neutral, 1);
            Some((lambda, vec![neutral]))
        } else {
            None
        };
        let inputs = vec![AccInput { shape: vec![size], arrays: vec![dest], op }];
        let cert = self.var("cert", Type::CERT);
        let acc_ty = Type::Acc(cert);
        let acc = self.var("acc", acc_ty.clone());
        let extra = self.any_type();
        let body = self.frame_body(1, |g| {
            let params = [Type::I64, acc_ty.clone()];
            let times = g.bound(width);
            let map = g.lambda(times, &params, vec![acc_ty.clone()], |g, params| {
                let value = g.scalar(prim);
                let update = Exp::UpdateAcc(params[1], vec![params[0].into()], vec![value]);
                let next = g.exp("acc", update);
                g.consume(params[1]);
                vec![next.into()]
            });
            let inputs = vec![positions, acc];
            let screma = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
            let after = g.typed("acc", acc_ty.clone(), Exp::Screma(Box::new(screma)));
            let mut results = vec![after.into()];
            results.extend(g.random_results(std::slice::from_ref(&extra)));
            results
        });
        let lambda = Lambda { params: vec![cert, acc], body, ret: vec![acc_ty, extra.clone()] };
        let pat = vec![self.var("ws", ty), self.var("extra", extra)];
        self.set_fresh(pat[0]);
        self.stm(pat, Exp::WithAcc(inputs, Box::new(lambda)));
    }
}
