//! Statements that optimisers look for, denser than chance would make them: producers with one or several
//! consumers, a consumption in between, views of views, and checks that may fail.

use crate::array::whole;
use crate::state::{Gen, MAX_ELEMENTS};
use fehu_base::Prim;
use fehu_ir::{
    Atom, BinOp, Check, CheckPart, CmpOp, Dim, Elem, Exp, Loc, Red, Scan, Screma, Stm, Type, Var,
};

impl Gen<'_> {
    pub(crate) fn chain_stm(&mut self) {
        match self.rng.below(7) {
            0 | 1 => self.producer_consumer(),
            2 => self.views(),
            3 | 4 => self.nest_chain(),
            5 => self.stream_chain(),
            _ => self.checked_index(),
        }
    }

    /// Maps over a vector, and what uses their results: maps, reductions, scans, elements. In between, the vector
    /// that was read may be updated in place.
    fn producer_consumer(&mut self) {
        let prim = self.integer();
        let size = self.size();
        let ty = Type::Array(prim.into(), vec![size]);
        if !self.affordable(self.bound(size) * 20) {
            return;
        }
        let array = self.array_of(&ty);
        let source = if self.rng.chance(50) { self.own(array) } else { array };
        let mut made = vec![source];
        for _ in 0..1 + self.rng.below(2) {
            let input = made[self.rng.below(made.len())];
            made.push(self.element_map(&[input], &ty));
        }
        if self.is_own(source) {
            made.remove(0);
            self.update_own(source);
        }
        for _ in 0..1 + self.rng.below(3) {
            let input = made[self.rng.below(made.len())];
            let other = made[self.rng.below(made.len())];
            match self.rng.below(5) {
                0 => made.push(self.element_map(&[input, other], &ty)),
                1 => {
                    self.combine(&[input], prim, size, false);
                }
                2 => {
                    let scanned = self.combine(&[input], prim, size, true);
                    made.push(scanned);
                    if self.rng.chance(60) {
                        made.push(self.element_map(&[scanned, other], &ty));
                    }
                }
                3 => {
                    self.combine(&[input, other], prim, size, false);
                }
                _ => {
                    self.element(input);
                }
            }
        }
    }

    /// A map of short functions: an operation or two, and sometimes anything.
    pub(crate) fn element_map(&mut self, inputs: &[Var], ty: &Type) -> Var {
        let (Some(row), Some(width)) = (ty.row(), ty.shape().first().copied()) else {
            return inputs[0];
        };
        let params: Vec<Type> = inputs.iter().map(|_| row.clone()).collect();
        let map = self.lambda(self.bound(width), &params, vec![row.clone()], |g, params| {
            g.element_body(params, &row)
        });
        let inputs = inputs.to_vec();
        let screma = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let var = self.typed("ms", ty.clone(), Exp::Screma(Box::new(screma)));
        self.set_fresh(var);
        var
    }

    fn element_body(&mut self, params: &[Var], row: &Type) -> Vec<Atom> {
        let Some(Elem::Prim(prim)) = row.elem() else { return Vec::new() };
        if self.rng.chance(25) {
            return self.random_results(std::slice::from_ref(row));
        }
        if self.config.failing && self.rng.chance(15) {
            self.assertion_about(params[0].into(), prim);
        }
        let op = [BinOp::Add, BinOp::Mul, BinOp::Sub, BinOp::Xor][self.rng.below(4)];
        let last = Atom::Var(params[params.len() - 1]);
        let other = if params.len() > 1 { last } else { self.scalar(prim) };
        vec![self.exp("e", Exp::BinOp(op, params[0].into(), other)).into()]
    }

    /// A reduction or scan of vectors, directly or of a function of their elements.
    pub(crate) fn combine(&mut self, inputs: &[Var], prim: Prim, width: Atom, scan: bool) -> Var {
        let elem = Type::prim(prim);
        let (op, neutral) = self.exact_op(prim);
        let (op, neutral) = self.operator(&elem, op, neutral, 0);
        let params: Vec<Type> = inputs.iter().map(|_| elem.clone()).collect();
        let map = if inputs.len() == 1 && self.rng.chance(70) {
            self.lambda(1, &params, vec![elem.clone()], |_, params| vec![params[0].into()])
        } else {
            let times = self.bound(width);
            self.lambda(times, &params, vec![elem.clone()], |g, params| {
                g.element_body(params, &elem)
            })
        };
        let (mut scans, mut reds) = (Vec::new(), Vec::new());
        if scan {
            scans.push(Scan { op, neutral: vec![neutral] });
        } else {
            let commutative = self.rng.chance(50);
            reds.push(Red { op, neutral: vec![neutral], commutative });
        }
        let ty = if scan { Type::Array(prim.into(), vec![width]) } else { elem };
        let screma = Screma { width, inputs: inputs.to_vec(), map, scans, reds };
        self.typed("t", ty, Exp::Screma(Box::new(screma)))
    }

    /// Views of views of an array, then an element or a map of the last one.
    fn views(&mut self) {
        let mut array = self.any_array();
        for _ in 0..2 + self.rng.below(3) {
            let ty = self.vars[array].ty.clone();
            let shape = ty.shape().to_vec();
            self.shared(array);
            array = match self.rng.below(7) {
                0 => {
                    let dims = self.slice(&shape);
                    self.exp("view", Exp::Index(array, dims))
                }
                1 => {
                    let perm: Vec<usize> = (0..shape.len()).rev().collect();
                    self.exp("tr", Exp::Rearrange(array, perm))
                }
                2 => self.flatten(array),
                3 => {
                    let size = self.size();
                    let many = self.elements(&ty).saturating_mul(self.bound(size));
                    if many > MAX_ELEMENTS || shape.len() > 2 {
                        continue;
                    }
                    self.fresh_exp("rep", Exp::Replicate(vec![size], array.into()))
                }
                4 => match self.concat(array) {
                    Some(array) => array,
                    None => continue,
                },
                5 => self.fresh_exp("cp", Exp::Copy(array)),
                _ => {
                    // A rank more, and all of it again.
                    let mut new = vec![Atom::i64(1)];
                    new.extend(&shape);
                    if new.len() > 3 {
                        continue;
                    }
                    let wide = self.exp("wide", Exp::Reshape(array, new.clone()));
                    let dims = new.iter().map(|size| whole(*size)).collect();
                    self.exp("all", Exp::Index(wide, dims))
                }
            };
            if !self.vars[array].ty.is_array() {
                return;
            }
        }
        self.element(array);
    }

    /// An element at a position that is checked; the check fails sometimes, if that is asked for.
    fn checked_index(&mut self) {
        let array = self.any_array();
        let ty = self.vars[array].ty.clone();
        let (Some(Elem::Prim(prim)), Some(size)) = (ty.elem(), ty.shape().first().copied()) else {
            return;
        };
        if !self.config.failing || ty.rank() > 1 {
            self.element(array);
            return;
        }
        let index = self.scalar(Prim::I64);
        let index = if self.rng.chance(70) {
            // Small, so that the check has a chance to hold.
            self.exp("i", Exp::BinOp(BinOp::And, index, Atom::i64(3))).into()
        } else {
            index
        };
        let low = self.exp("low", Exp::CmpOp(CmpOp::Le, Atom::i64(0), index));
        let high = self.exp("high", Exp::CmpOp(CmpOp::Lt, index, size));
        let inside = self.exp("in", Exp::BinOp(BinOp::And, low.into(), high.into()));
        let parts = vec![
            CheckPart::Text("index ".into()),
            CheckPart::Value(index),
            CheckPart::Text(" out of bounds for size ".into()),
            CheckPart::Value(size),
        ];
        let check = Check { parts, trace: vec![Loc("random.fut:5:6-7".into())] };
        let cert = self.exp("cert", Exp::Assert(inside.into(), check));
        let var = self.var("el", Type::prim(prim));
        let mut stm = Stm::new(vec![var], Exp::Index(array, vec![Dim::Fix(index)]));
        stm.certs.push(cert);
        self.push(stm);
    }

    /// A check that fails for one of sixteen values.
    pub(crate) fn assertion_about(&mut self, value: Atom, prim: Prim) {
        let low = match prim {
            Prim::I64 => value,
            _ => self.exp("wide", Exp::Convert(Prim::I64, value)).into(),
        };
        let low = self.exp("low", Exp::BinOp(BinOp::And, low, Atom::i64(15)));
        let bad = Atom::i64(self.rng.range(0, 15));
        let is_bad = self.exp("bad", Exp::CmpOp(CmpOp::Eq, low.into(), bad));
        let good = self.exp("ok", Exp::UnOp(fehu_ir::UnOp::Not, is_bad.into()));
        let parts = vec![CheckPart::Text("bad value ".into()), CheckPart::Value(value)];
        let check = Check { parts, trace: vec![Loc("random.fut:7:8-9".into())] };
        self.exp("cert", Exp::Assert(good.into(), check));
    }
}
