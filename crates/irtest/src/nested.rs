//! Segs as nested maps: what a program with Segs means, in terms of programs without. Rows that differ are a loop.

use fehu_base::{IdVec, Prim};
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{
    Atom, BinOp, Body, Dim, Exp, Lambda, LoopForm, LoopParam, Prog, Rows, Screma, Seg, Stage, Stm,
    Type, Var, VarInfo,
};

/// The program with a nest of maps in the place of every Seg, around its operator, and with so many threads.
pub fn nested_maps(prog: &Prog, threads: i64) -> Prog {
    let mut prog = prog.clone();
    prog.stage = Stage::Arrays;
    prog.for_each_body(|_, vars, body| Rewrite { vars, threads }.body(body));
    prog
}

struct Rewrite<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    threads: i64,
}

impl VisitMut for Rewrite<'_> {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        for mut stm in std::mem::take(&mut body.stms) {
            match stm.exp {
                Exp::Seg(seg) => {
                    self.seg(*seg, &stm.pat, &mut body.stms);
                    if let Some(last) = body.stms.last_mut() {
                        last.certs.append(&mut stm.certs);
                    }
                }
                Exp::Threads => {
                    stm.exp = Exp::Atom(Atom::i64(self.threads));
                    body.stms.push(stm);
                }
                _ => body.stms.push(stm),
            }
        }
    }
}

impl Rewrite<'_> {
    /// Adds the statements that bind the results of a Seg.
    fn seg(&mut self, seg: Seg, pat: &[Var], stms: &mut Vec<Stm>) {
        if let Some(rows) = seg.rows {
            return self.rows(seg, rows, pat, stms);
        }
        let returned = Seg::returned(&seg.body.body).unwrap_or_default();
        let Seg { space, inputs, mut body, .. } = seg;
        let elements = body.params.split_off(space.len());
        if space.is_empty() {
            let arguments = inputs.iter().map(|input| Atom::Var(*input));
            let subst: Subst = elements.into_iter().zip(arguments).collect();
            subst_body(&mut body.body, self.vars, &subst);
            let operators = Seg::operators(&body.body);
            let first = body.body.stms.len() - operators;
            let made = body.body.stms[first..].iter_mut().flat_map(|stm| &mut stm.pat);
            let mut made: Vec<&mut Var> = made.collect();
            let mut names = Subst::default();
            for (var, place) in pat.iter().zip(returned) {
                names.insert(*made[place], Atom::Var(*var));
                *made[place] = *var;
            }
            // The epilogue reads what the operator makes.
            subst_body(&mut body.body, self.vars, &names);
            stms.append(&mut body.body.stms);
            return;
        }
        let indices = std::mem::take(&mut body.params);
        self.map(&space, &indices, &inputs, elements, body, pat, stms);
    }

    /// A loop that stores the results of one row after the other.
    fn rows(&mut self, seg: Seg, rows: Rows, pat: &[Var], stms: &mut Vec<Stm>) {
        let (Some([start, width]), [count]) = (seg.row(), seg.space.as_slice()) else { return };
        let concatenated: Vec<bool> =
            seg.body.ret.iter().map(|ret| seg.is_concatenated(ret)).collect();
        let mut new = |hint: &str, ty: Type| self.vars.push(VarInfo { hint: hint.into(), ty });
        let [from, end] = ["from", "end"].map(|hint| new(hint, Type::I64));
        let mut params = vec![LoopParam { var: from, init: Atom::i64(0) }];
        let mut made = vec![new("last", Type::I64)];
        let mut accs = Vec::new();
        let index = seg.indices()[0];
        let mut body = vec![
            Stm::new(vec![start], Exp::Atom(from.into())),
            Stm::new(vec![end], Exp::Index(rows.ends, vec![Dim::Fix(index.into())])),
            Stm::new(vec![width], Exp::BinOp(BinOp::Sub, end.into(), start.into())),
        ];
        let whole = |ty: &Type| {
            let slice =
                |size: &Atom| Dim::Slice { start: Atom::i64(0), len: *size, stride: Atom::i64(1) };
            ty.shape().iter().map(slice).collect::<Vec<Dim>>()
        };
        for (param, input) in seg.elements().iter().zip(&seg.inputs) {
            let ty = &self.vars[*param].ty;
            if matches!(ty, Type::Acc(_)) {
                params.push(LoopParam { var: *param, init: (*input).into() });
                let same = |k: &usize| seg.body.ret[*k] == *ty;
                let k = (0..pat.len()).find(same).expect("a Seg returns its accumulators");
                accs.push(seg.body.body.results[k]);
                made.push(pat[k]);
                continue;
            }
            let rest = whole(ty);
            let at = [vec![Dim::Fix(index.into())], rest].concat();
            body.push(Stm::new(vec![*param], Exp::Index(*input, at)));
        }
        body.extend(seg.body.body.stms.iter().cloned());
        let mut results = [vec![Atom::Var(end)], accs].concat();
        for (k, var) in pat.iter().enumerate() {
            let ty = self.vars[*var].ty.clone();
            let Type::Array(elem, shape) = &ty else { continue };
            let mut new =
                |hint: &str| self.vars.push(VarInfo { hint: hint.into(), ty: ty.clone() });
            let [empty, param, after] = ["empty", "all", "after"].map(&mut new);
            stms.push(Stm::new(vec![empty], Exp::Scratch(*elem, shape.clone())));
            params.push(LoopParam { var: param, init: empty.into() });
            let row = &seg.body.ret[k];
            let at = if concatenated[k] {
                let mut at = whole(row);
                at[0] = Dim::Slice { start: start.into(), len: width.into(), stride: Atom::i64(1) };
                at
            } else {
                [vec![Dim::Fix(index.into())], whole(row)].concat()
            };
            let update = Exp::Update(param, at, seg.body.body.results[k]);
            body.push(Stm::new(vec![after], update));
            results.push(after.into());
            made.push(*var);
        }
        let form = LoopForm::For(index, *count);
        let body = Body { stms: body, results };
        stms.push(Stm::new(made, Exp::Loop(params, form, Box::new(body))));
    }

    /// A map over the first dimension, and inside of it the others.
    #[expect(clippy::too_many_arguments, reason = "all of them are parts of one Seg")]
    fn map(
        &mut self,
        space: &[Atom],
        indices: &[Var],
        inputs: &[Var],
        elements: Vec<Var>,
        inner: Lambda,
        pat: &[Var],
        stms: &mut Vec<Stm>,
    ) {
        let ([width, space @ ..], [index, indices @ ..]) = (space, indices) else { return };
        let whole = Type::Array(Prim::I64.into(), vec![*width]);
        let positions = self.vars.push(VarInfo { hint: "pos".into(), ty: whole });
        let iota = Exp::Iota(Prim::I64, *width, Atom::i64(0), Atom::i64(1));
        stms.push(Stm::new(vec![positions], iota));
        let map = if space.is_empty() {
            Lambda { params: [vec![*index], elements].concat(), ..inner }
        } else {
            let mut rows = Vec::new();
            for input in inputs {
                let ty = self.vars[*input].ty.clone();
                let ty = ty.row().unwrap_or(ty);
                rows.push(self.vars.push(VarInfo { hint: "row".into(), ty }));
            }
            let around = |ty: &Type| {
                let array = |ty: Type, size: &Atom| ty.array_of(*size).unwrap_or(ty);
                space.iter().rev().fold(ty.clone(), array)
            };
            let ret: Vec<Type> = inner.ret.iter().map(around).collect();
            let results: Vec<Var> = ret
                .iter()
                .map(|ty| self.vars.push(VarInfo { hint: "part".into(), ty: ty.clone() }))
                .collect();
            let mut body = Vec::new();
            self.map(space, indices, &rows, elements, inner, &results, &mut body);
            let results = results.into_iter().map(Atom::Var).collect();
            let body = Body { stms: body, results };
            Lambda { params: [vec![*index], rows].concat(), body, ret }
        };
        let inputs = [&[positions], inputs].concat();
        let (scans, reds) = (Vec::new(), Vec::new());
        let screma = Screma { width: *width, inputs, map, scans, reds };
        stms.push(Stm::new(pat.to_vec(), Exp::Screma(Box::new(screma))));
    }
}
