//! Operations on arrays without functions.
//!
//! Two things must be right besides the values. A rule that reads an array later than the program did asks
//! whether the array is *fixed*, so that it cannot have changed ([`Share`](fehu_facts::Share)); only the source of a view
//! can be read wherever the view can. And a rule that makes something a view of an array, or the array itself, that had
//! memory of its own asks the same of both.
//!
//! Indices are in bounds because of the certificates of the statement, and those of a view because of the
//! certificates of the view: what reads its source instead needs both.

pub(super) mod concat;
pub(super) mod copy;
pub(super) mod fill;
pub(super) mod flat;
pub(super) mod index;
pub(super) mod map;
pub(super) mod parts;
pub(super) mod produced;
pub(super) mod shape;
pub(super) mod update;

use super::Rewrite;
use crate::simplify::cx::Cx;
use fehu_ir::builder::type_of;
use fehu_ir::{Atom, BinOp, Dim, Exp, Scalar, Stm, Type, Var};

/// The statements that take the place of one.
struct Make<'s> {
    stm: &'s Stm,
    certs: Vec<Var>,
    stms: Vec<Stm>,
}

impl<'s> Make<'s> {
    fn new(stm: &'s Stm) -> Make<'s> {
        Make { stm, certs: stm.certs.clone(), stms: Vec::new() }
    }

    /// Adds certificates to the statements to come.
    fn certify(&mut self, certs: &[Var]) {
        for cert in certs {
            if !self.certs.contains(cert) {
                self.certs.push(*cert);
            }
        }
    }

    /// Adds the certificates of what binds an array, which is looked through.
    fn through(&mut self, cx: &Cx<'_>, array: Var) {
        self.certify(cx.certs(array));
    }

    /// The sum of two numbers, which needs no certificates.
    fn add(&mut self, cx: &mut Cx<'_>, a: Atom, b: Atom) -> Atom {
        match (int(a), int(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(a), Some(b)) => Atom::i64(a.wrapping_add(b)),
            _ => self.arithmetic(cx, BinOp::Add, a, b),
        }
    }

    /// The product of two numbers.
    fn mul(&mut self, cx: &mut Cx<'_>, a: Atom, b: Atom) -> Atom {
        match (int(a), int(b)) {
            (Some(1), _) | (_, Some(0)) => b,
            (_, Some(1)) | (Some(0), _) => a,
            (Some(a), Some(b)) => Atom::i64(a.wrapping_mul(b)),
            _ => self.arithmetic(cx, BinOp::Mul, a, b),
        }
    }

    fn arithmetic(&mut self, cx: &mut Cx<'_>, op: BinOp, a: Atom, b: Atom) -> Atom {
        let var = cx.new_var("i", Type::I64);
        self.push(vec![var], Vec::new(), Exp::BinOp(op, a, b));
        var.into()
    }

    fn push(&mut self, pat: Vec<Var>, certs: Vec<Var>, exp: Exp) {
        self.stms.push(Stm { pat, certs, attrs: Vec::new(), loc: self.stm.loc.clone(), exp });
    }

    /// Binds the result of an expression, with the certificates.
    fn bind(&mut self, cx: &mut Cx<'_>, hint: &str, exp: Exp) -> Option<Var> {
        let ty = type_of(&exp, &cx.vars)?;
        let var = cx.new_var(hint, ty);
        if let Exp::Index(source, _) | Exp::Rearrange(source, _) | Exp::Reshape(source, _) = &exp
            && cx.vars[var].ty.is_array()
        {
            cx.share.join(var, *source);
        }
        let certs = self.certs.clone();
        self.push(vec![var], certs, exp);
        Some(var)
    }

    /// The statements, of which the last one binds what the original did. Nothing, if the types differ: sizes
    /// can be equal without having the same name.
    fn finish(mut self, cx: &Cx<'_>, exp: Exp) -> Option<Rewrite> {
        let [result] = self.stm.pat[..] else { return None };
        if type_of(&exp, &cx.vars)? != cx.vars[result].ty {
            return None;
        }
        if self.stms.is_empty() && self.certs == self.stm.certs {
            return Rewrite::exp(exp);
        }
        let mut last = Stm { exp, ..self.stm.clone() };
        last.certs = self.certs;
        self.stms.push(last);
        Some(Rewrite::Stms(self.stms))
    }
}

/// The result of a statement that has one.
fn result(stm: &Stm) -> Option<Var> {
    match stm.pat[..] {
        [var] => Some(var),
        _ => None,
    }
}

/// The array that stands for an array here.
fn array(cx: &Cx<'_>, var: Var) -> Var {
    cx.resolve(Atom::Var(var)).var().unwrap_or(var)
}

fn resolved(cx: &Cx<'_>, atoms: &[Atom]) -> Vec<Atom> {
    atoms.iter().map(|atom| cx.resolve(*atom)).collect()
}

fn resolved_dims(cx: &Cx<'_>, dims: &[Dim]) -> Vec<Dim> {
    let resolve = |dim: &Dim| match *dim {
        Dim::Fix(at) => Dim::Fix(cx.resolve(at)),
        Dim::Slice { start, len, stride } => Dim::Slice {
            start: cx.resolve(start),
            len: cx.resolve(len),
            stride: cx.resolve(stride),
        },
    };
    dims.iter().map(resolve).collect()
}

/// The positions of an index without slices.
fn fixed(dims: &[Dim]) -> Option<Vec<Atom>> {
    let position = |dim: &Dim| match dim {
        Dim::Fix(at) => Some(*at),
        Dim::Slice { .. } => None,
    };
    dims.iter().map(position).collect()
}

/// All of a dimension of this size.
fn whole(size: Atom) -> Dim {
    Dim::Slice { start: Atom::i64(0), len: size, stride: Atom::i64(1) }
}

/// The i64 constant.
fn int(atom: Atom) -> Option<i64> {
    match atom {
        Atom::Const(Scalar::I64(value)) => Some(value),
        Atom::Const(_) | Atom::Var(_) => None,
    }
}

fn is_array(cx: &Cx<'_>, atom: Atom) -> bool {
    atom.var().is_some_and(|var| cx.vars[var].ty.is_array())
}

/// Whether an operand has the value that it had when something was made of it: it is a number, or an array that
/// does not change any more.
fn unchanged(cx: &Cx<'_>, atom: Atom) -> bool {
    match atom {
        Atom::Var(var) => !cx.vars[var].ty.is_array() || cx.share.is_settled(var),
        Atom::Const(_) => true,
    }
}

/// Whether a variable that has memory of its own can be bound to an array, or a view of it, instead: neither changes
/// any more in this function, and the caller does not get the variable. Notes that they share memory then. A number can
/// always be read from an array that does not change any more.
fn may_view(cx: &mut Cx<'_>, result: Var, source: Var) -> bool {
    if !cx.share.is_settled(source) {
        return false;
    }
    if cx.vars[result].ty.is_array() {
        if !cx.share.is_final(result) {
            return false;
        }
        cx.share.join(result, source);
    }
    true
}

/// The operand itself instead of the result of a statement, which had memory of its own if it is an array.
fn instead(cx: &mut Cx<'_>, stm: &Stm, atom: Atom) -> Option<Rewrite> {
    let result = result(stm)?;
    if let Atom::Var(var) = atom
        && (cx.vars[var].ty != cx.vars[result].ty
            || (is_array(cx, atom) && !may_view(cx, result, var)))
    {
        return None;
    }
    Rewrite::atom(atom)
}

/// The array itself instead of a statement whose result shares its memory anyway.
fn same(cx: &Cx<'_>, stm: &Stm, array: Var) -> Option<Rewrite> {
    if cx.vars[array].ty == cx.vars[result(stm)?].ty { Rewrite::atom(array) } else { None }
}
