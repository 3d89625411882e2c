//! Tuning parameters in kernels.
//!
//! The host looks up a parameter before it launches a kernel. The default may depend on the thread, so the kernel
//! decides between the two.

use fehu_imp::rewrite::replace_stms;
use fehu_imp::{Exp, Fun, Kernel, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::{CmpOp, Scalar};

/// The value of a parameter that was not set: a number that makes no sense for one.
pub(super) const NOT_SET: Exp = Exp::Const(Scalar::I64(i64::MIN));

/// Looks up the parameters of kernels before they are launched.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
pub(super) fn tuning(fun: &mut Fun) {
    let mut body = std::mem::take(&mut fun.body);
    replace_stms(&mut body, &mut |stm| match stm {
        Stm::Launch(kernel) => Some(of_kernel(fun, kernel)),
        _ => None,
    });
    fun.body = body;
}

fn of_kernel(fun: &mut Fun, kernel: &Kernel) -> Vec<Stm> {
    let (mut host, mut kernel) = (Vec::new(), kernel.clone());
    replace_stms(&mut kernel.body, &mut |stm| {
        let Stm::Tuning(v, number, standard) = stm else { return None };
        let set = fun.vars.push(VarInfo { hint: "set".into(), ty: Ty::Scalar(Prim::I64) });
        host.push(Stm::Declare(set, None));
        host.push(Stm::Tuning(set, *number, NOT_SET));
        Some(vec![Stm::Assign(*v, chosen(set, standard))])
    });
    host.push(Stm::Launch(Box::new(kernel)));
    host
}

/// The value of a parameter that was looked up, or the default.
pub(super) fn chosen(set: V, standard: &Exp) -> Exp {
    let not_set = Exp::Cmp(CmpOp::Eq, Prim::I64, Box::new(Exp::Var(set)), Box::new(NOT_SET));
    Exp::Select(Box::new([not_set, standard.clone(), Exp::Var(set)]))
}
