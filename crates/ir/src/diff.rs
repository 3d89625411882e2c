//! Derivatives.

use crate::visit::{Visit, walk_exp};
use crate::{Atom, Body, Exp, Lambda, Prog};

/// A function applied to arguments, together with what its derivative is asked for.
///
/// The statement binds the results of the function, and after them, unless the form is [`DiffForm::Custom`], what the
/// derivative yields. The function consumes nothing but what it makes itself, and the sizes of its results are in scope
/// outside of it. All arrays that the statement binds are new, whatever the function returns: they may be consumed.
///
/// The tangent and the adjoint of a value have the type of the value; integers and truth values are differentiated formally.
/// With several directions, seeds and derivatives have one more dimension, the outermost, of that size.
///
/// The pass `differentiate` turns all of them into code; no other pass meets them.
///
/// ```text
/// let (y: f64, dy: f64) = jvp (x) (dx) \(x: f64) -> (f64) { ... }
/// let (y: f64, gx: f64) = vjp (x) (gy) \(x: f64) -> (f64) { ... }
/// let (y: f64, gxs: [n]f64) = mjp n (x) (gys) \(x: f64) -> (f64) { ... }
/// let (y: f64) = with_vjp (x) \(x: f64) -> (f64) { ... } \(y: f64, gy: f64) -> (f64) { ... }
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Diff {
    /// The arguments.
    pub args: Vec<Atom>,
    /// The function. What it captures is constant for this derivative.
    pub fun: Lambda,
    /// What is asked for.
    pub form: DiffForm,
}

/// What a [`Diff`] yields after the results of its function.
#[derive(Clone, PartialEq, Debug)]
pub enum DiffForm {
    /// The tangents of the results, for tangents of the arguments.
    Forward(Seeds),
    /// The adjoints of the arguments, for adjoints of the results.
    Reverse(Seeds),
    /// Nothing: but in reverse mode, this function says what the adjoints of the arguments are. Its parameters are the
    /// results, and then their adjoints.
    Custom(Lambda),
}

/// Where a derivative is taken to.
#[derive(Clone, PartialEq, Debug)]
pub struct Seeds {
    /// One for each argument (forward) or result (reverse).
    pub values: Vec<Atom>,
    /// How many directions there are, if they are several at once.
    pub directions: Option<Atom>,
}

impl Diff {
    /// Calls `f` with the function, and with that of the adjoint.
    pub fn for_each_lambda(&self, f: &mut dyn FnMut(&Lambda)) {
        f(&self.fun);
        if let DiffForm::Custom(adjoint) = &self.form {
            f(adjoint);
        }
    }
}

impl DiffForm {
    /// The seeds, if there are any.
    pub fn seeds(&self) -> Option<&Seeds> {
        match self {
            DiffForm::Forward(seeds) | DiffForm::Reverse(seeds) => Some(seeds),
            DiffForm::Custom(_) => None,
        }
    }

    /// The word of the text form.
    pub fn name(&self) -> &'static str {
        match self {
            DiffForm::Forward(Seeds { directions: None, .. }) => "jvp",
            DiffForm::Forward(_) => "jmp",
            DiffForm::Reverse(Seeds { directions: None, .. }) => "vjp",
            DiffForm::Reverse(_) => "mjp",
            DiffForm::Custom(_) => "with_vjp",
        }
    }
}

impl Body {
    /// Whether there are derivatives in it.
    pub fn has_derivatives(&self) -> bool {
        struct Find(bool);
        impl Visit for Find {
            fn exp(&mut self, exp: &Exp) {
                self.0 |= matches!(exp, Exp::Diff(_));
                walk_exp(self, exp);
            }
        }
        let mut find = Find(false);
        find.body(self);
        find.0
    }
}

impl Prog {
    /// Whether there are derivatives in it.
    pub fn has_derivatives(&self) -> bool {
        self.bodies().any(Body::has_derivatives)
    }
}
