//! `copyupdates`: every update works on a copy, as if there were no in-place updates.
//!
//! ```text
//! ys = xs with [i] = v    ==>    copy = copy xs; ys = copy with [i] = v
//! ```
//!
//! No pipeline contains it. It serves to measure the benefit of in-place updates (`--without in-place`).

use fehu_base::IdVec;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{Body, Exp, Stm, Var, VarInfo};

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
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            match &mut stm.exp {
                Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => self.copy(array, &mut out),
                Exp::Scatter(op) => {
                    op.dests.iter_mut().for_each(|(_, array)| self.copy(array, &mut out));
                }
                _ => {}
            }
            out.push(stm);
        }
        body.stms = out;
    }
}

impl Copies<'_> {
    fn copy(&mut self, array: &mut Var, out: &mut Vec<Stm>) {
        let info = VarInfo { hint: "copy".into(), ty: self.vars[*array].ty.clone() };
        let copy = self.vars.push(info);
        out.push(Stm::new(vec![copy], Exp::Copy(*array)));
        *array = copy;
    }
}
