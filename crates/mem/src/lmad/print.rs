//! The text of an LMAD: `n + 1 + {(q : b*n), (b : 1)}`.

use super::Lmad;
use crate::arith;
use fehu_ir::Var;
use std::fmt;

impl Lmad {
    /// The text, with these names of variables.
    pub fn show(&self, name: &dyn Fn(Var) -> String) -> String {
        let dims: Vec<String> = self
            .dims
            .iter()
            .map(|dim| {
                format!("({} : {})", arith::show(&dim.size, name), arith::show(&dim.stride, name))
            })
            .collect();
        format!("{} + {{{}}}", arith::show(&self.offset, name), dims.join(", "))
    }
}

/// With the numbers of variables instead of names: `v3 + {(v1 : 1)}`.
impl fmt::Display for Lmad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show(&|var| format!("{var:?}")))
    }
}
