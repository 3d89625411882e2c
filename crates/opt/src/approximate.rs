//! `approximate`: quotients by roots have a form that devices approximate by one instruction.
//!
//! ```text
//! r = sqrt x
//! y = div 1.0 r             ==>    y = rsqrt x
//! ```
//!
//! That means the same: an inverse root is defined as that quotient, and processors compute it so. But with fast math
//! the compilers of kernels turn it into one approximate instruction, which not all of them do with a root and a
//! quotient, and none for `f64`. So this is run for `--fast-math` alone; in other programs users say which of both they
//! want.
//!
//! Only `1 / sqrt x`: of `y / sqrt x` the product with an inverse root would be rounded twice. And not of half numbers,
//! whose root is rounded before it divides.

use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::visit::{VisitMut, walk_exp_mut};
use fehu_ir::{Atom, BinOp, Body, Exp, MathFn, Scalar, Var};
use rustc_hash::FxHashMap;

/// The pass.
pub const APPROXIMATE: Pass = Pass {
    name: "approximate",
    about: "makes inverse roots of quotients by roots, which devices approximate",
    run: |prog, _: &mut Remarks| {
        prog.for_each_body(|_, _, body| Roots::default().body(body));
    },
};

/// What roots are the roots of. Whoever sees a root sees that, too.
#[derive(Default)]
struct Roots(FxHashMap<Var, Atom>);

impl VisitMut for Roots {
    fn body(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            if let (Exp::Math(MathFn::Sqrt, of), [root]) = (&stm.exp, &stm.pat[..]) {
                self.0.insert(*root, of[0]);
            }
            if let Exp::BinOp(BinOp::Div, Atom::Const(one), Atom::Var(root)) = &stm.exp
                && (*one == Scalar::F32(1.0) || *one == Scalar::F64(1.0))
                && let Some(of) = self.0.get(root)
            {
                stm.exp = Exp::Math(MathFn::Rsqrt, vec![*of]);
            }
            walk_exp_mut(self, &mut stm.exp);
        }
    }
}
