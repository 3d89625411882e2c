//! The type of a variable that must be a scalar.

use fehu_base::bug;
use fehu_imp::{Prim, Ty};

/// The type of a variable that is a scalar.
#[track_caller]
pub(crate) fn scalar(ty: Ty) -> Prim {
    match ty {
        Ty::Scalar(prim) => prim,
        Ty::Mem | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => {
            bug("a variable is used as a scalar that is none")
        }
    }
}
