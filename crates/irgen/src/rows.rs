//! Segs whose rows differ: many of them are empty.

use crate::seg::Plan;
use crate::state::{Gen, MAX_ELEMENTS};
use fehu_base::Prim;
use fehu_ir::{
    Atom, BinOp, Body, Dim, Exp, Lambda, Level, Red, Rows, Scan, Screma, Seg, Stm, Type, Var,
};

/// Rows have less positions than this.
const MAX_WIDTH: i64 = 7;

impl Gen<'_> {
    /// A Seg with rows that differ, of a level that may stand here, if there is one.
    pub(crate) fn rows_stm(&mut self) {
        let fits = |level: &Level| matches!(level, Level::Task | Level::Grid);
        let levels = Level::ALL.iter().copied().filter(fits);
        let levels: Vec<Level> = levels.filter(|level| level.within(self.level)).collect();
        let Some(level) = self.rng.pick(&levels) else { return };
        let count = self.size();
        let (times, positions) = (self.bound(count), self.bound(count) * MAX_WIDTH);
        if !self.affordable(positions * 60) || positions > MAX_ELEMENTS {
            return;
        }
        let (ends, total) = self.row_ends(count, positions);
        let mut inputs: Vec<Var> = Vec::new();
        for _ in 0..self.rng.below(3) {
            inputs.extend(self.element_input(&[count], times));
        }
        let mut data: Vec<Var> = Vec::new();
        for _ in 0..self.rng.below(3) {
            let prim = self.prim();
            data.push(self.array_of(&Type::Array(prim.into(), vec![total])));
        }
        data.iter().for_each(|array| self.shared(*array));
        // At least one result.
        let [scans, reds] = [(); 2].map(|()| {
            let count = self.rng.below(3);
            (0..count).map(|_| Type::prim(self.exact_prim())).collect::<Vec<Type>>()
        });
        let nothing = usize::from(scans.is_empty() && reds.is_empty());
        let maps = (0..nothing + self.rng.below(3)).map(|_| self.small_type(positions)).collect();
        let mut params = vec![Type::I64; 3];
        params.extend(inputs.iter().filter_map(|input| self.vars[*input].ty.row()));
        let outer = self.level.replace(level);
        let mut ret = Vec::new();
        let mut body = self.lambda(times, &params, Vec::new(), |g, params| {
            let (start, width) = (Atom::Var(params[1]), Atom::Var(params[2]));
            g.bounds.insert(params[2], MAX_WIDTH);
            for array in &data {
                let slice = Dim::Slice { start, len: width, stride: Atom::i64(1) };
                g.exp("part", Exp::Index(*array, vec![slice]));
            }
            for _ in 0..g.rng.below(3) {
                g.cheap_stm();
            }
            let op = g.operation(&Plan::Screma { width, scans, reds, maps }, None);
            let pat: Vec<Var> = op.pat.iter().map(|ty| g.var("q", ty.clone())).collect();
            g.stm(pat.clone(), op.exp);
            let kept = pat.into_iter().zip(op.pat).zip(op.kept).filter(|(_, kept)| *kept);
            let (results, types): (Vec<Var>, Vec<Type>) = kept.map(|(made, _)| made).unzip();
            ret = types;
            results.into_iter().map(Atom::Var).collect()
        });
        body.ret = ret;
        self.level = outer;
        let lanes = level == Level::Task && self.rng.below(2) == 0;
        let (space, rows) = (vec![count], Some(Rows { ends, total }));
        let seg = Seg { level, space, rows, inputs, body, tiling: None, lanes };
        let types = seg.body.ret.iter().map(|ty| seg.whole(ty.clone()));
        let types: Vec<Type> = types.collect();
        let pat: Vec<Var> = types.into_iter().map(|ty| self.var("sg", ty)).collect();
        for var in &pat {
            self.set_fresh(*var);
        }
        self.stm(pat, Exp::Seg(Box::new(seg)));
    }

    /// Where rows end, and where the last one does: widths that a progression gives, some of them negative before they
    /// become zero.
    fn row_ends(&mut self, count: Atom, positions: i64) -> (Var, Atom) {
        let (start, step) = (self.rng.range(0, 9), self.rng.range(0, 9));
        let (modulus, less) = (self.rng.range(1, MAX_WIDTH), self.rng.range(0, 4));
        let iota = Exp::Iota(Prim::I64, count, Atom::i64(start), Atom::i64(step));
        let numbers = self.fresh_exp("is", iota);
        let number = self.var("x", Type::I64);
        let mut before: Atom = number.into();
        let mut stms = Vec::new();
        for (op, by) in [(BinOp::Mod, modulus), (BinOp::Sub, less), (BinOp::Max, 0)] {
            let var = self.var("w", Type::I64);
            stms.push(Stm::new(vec![var], Exp::BinOp(op, before, Atom::i64(by))));
            before = var.into();
        }
        let ret = vec![Type::I64; 2];
        let map =
            Lambda { params: vec![number], body: Body { stms, results: vec![before; 2] }, ret };
        let mut add = || {
            let [a, b, c] = ["a", "b", "c"].map(|hint| self.var(hint, Type::I64));
            let sum = Stm::new(vec![c], Exp::BinOp(BinOp::Add, a.into(), b.into()));
            let body = Body { stms: vec![sum], results: vec![c.into()] };
            (Lambda { params: vec![a, b], body, ret: vec![Type::I64] }, vec![Atom::i64(0)])
        };
        let (op, neutral) = add();
        let scans = vec![Scan { op, neutral }];
        let (op, neutral) = add();
        let reds = vec![Red { op, neutral, commutative: true }];
        let ends = self.var("ends", Type::Array(Prim::I64.into(), vec![count]));
        let total = self.var("total", Type::I64);
        let op = Screma { width: count, inputs: vec![numbers], map, scans, reds };
        self.stm(vec![ends, total], Exp::Screma(Box::new(op)));
        self.bounds.insert(total, positions);
        self.shared(ends);
        (ends, total.into())
    }
}
