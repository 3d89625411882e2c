//! `copyupdates`: every update works on a copy, as if there were no in-place updates.
//!
//! ```text
//! ys = xs with [i] = v    ==>    copy = copy xs; ys = copy with [i] = v
//! ```
//!
//! No pipeline contains it. It serves to measure the benefit of in-place updates (`--without in-place`).

use fehu_base::IdVec;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::visit::{VisitMut, walk_exp_mut};
use fehu_ir::{Body, Exp, Seg, Stm, Var, VarInfo};

/// The pass.
pub const COPYUPDATES: Pass = Pass {
    name: "copyupdates",
    about: "makes updates and scatters work on copies, to measure the benefit of in-place updates",
    run: |prog, _: &mut Remarks| prog.for_each_body(|_, vars, body| Copies { vars }.body(body)),
};

struct Copies<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
}

impl VisitMut for Copies<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            if let Exp::Seg(seg) = &mut stm.exp {
                self.seg(seg, &mut out);
            } else {
                walk_exp_mut(self, &mut stm.exp);
                written(&mut stm.exp).into_iter().for_each(|array| self.copy(array, &mut out));
            }
            out.push(stm);
        }
        body.stms = out;
    }
}

impl Copies<'_> {
    /// Nothing is copied in front of the operator of a Seg: what it writes to is copied in front of the Seg, for all
    /// positions at once.
    fn seg(&mut self, seg: &mut Seg, out: &mut Vec<Stm>) {
        let elements = seg.elements().to_vec();
        for stm in &mut seg.body.body.stms {
            walk_exp_mut(self, &mut stm.exp);
            for array in written(&mut stm.exp) {
                let input = elements.iter().position(|element| element == array);
                self.copy(input.map_or(array, |input| &mut seg.inputs[input]), out);
            }
        }
    }

    fn copy(&mut self, array: &mut Var, out: &mut Vec<Stm>) {
        let info = VarInfo { hint: "copy".into(), ty: self.vars[*array].ty.clone() };
        let copy = self.vars.push(info);
        out.push(Stm::new(vec![copy], Exp::Copy(*array)));
        *array = copy;
    }
}

/// The arrays that an operation updates.
#[expect(clippy::wildcard_enum_match_arm, reason = "others update nothing")]
fn written(exp: &mut Exp) -> Vec<&mut Var> {
    match exp {
        Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => vec![array],
        Exp::Scatter(op) => op.dests.iter_mut().map(|(_, array)| array).collect(),
        _ => Vec::new(),
    }
}
