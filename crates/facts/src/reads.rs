//! Which arrays are only read element by element: as inputs of operators, or by indexing.

use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Body, Dim, Exp, Stm, Var};
use rustc_hash::FxHashMap;

/// How the arrays of a fragment are used.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// How often a variable is used other than by reading elements.
    others: FxHashMap<Var, isize>,
}

impl Reads {
    /// Looks at a body.
    pub fn of_body(body: &Body) -> Reads {
        let mut reads = Reads::default();
        reads.body(body);
        reads
    }

    /// Looks at a statement.
    pub fn of_stm(stm: &Stm) -> Reads {
        let mut reads = Reads::default();
        reads.stm(stm);
        reads
    }

    /// Whether nothing but elements of an array is read.
    pub fn only_elements(&self, var: Var) -> bool {
        self.others.get(&var).is_none_or(|others| *others == 0)
    }

    fn elements(&mut self, vars: &[Var]) {
        for var in vars {
            *self.others.entry(*var).or_default() -= 1;
        }
    }
}

impl Visit for Reads {
    fn use_var(&mut self, var: &Var) {
        *self.others.entry(*var).or_default() += 1;
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other expressions may use the array as a whole"
    )]
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Index(array, dims) if dims.iter().all(|dim| matches!(dim, Dim::Fix(_))) => {
                self.elements(&[*array]);
            }
            Exp::Screma(op) => self.elements(&op.inputs),
            Exp::Hist(op) => self.elements(&op.inputs),
            Exp::Scatter(op) => self.elements(&op.inputs),
            Exp::Partition(op) => self.elements(&op.inputs),
            Exp::Flatmap(op) => self.elements(&op.inputs),
            _ => {}
        }
        walk_exp(self, exp);
    }
}
