//! Arrays without a function.

use super::Irregular;
use super::rows::{Flat, inner_type};
use super::space::{Home, array_of};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::{Builder, atom_type};
use fehu_ir::{Atom, BinOp, CmpOp, Elem, Exp, Lambda, Stm, Type, Var, VarInfo};

impl Irregular<'_> {
    /// The only variable of a statement, an irregular array, with the type of what its dimensions in common have.
    fn made(&self, stm: &Stm) -> (Var, Type) {
        let var = *stm.pat.first().or_bug("what a statement binds");
        let ty = &self.vars[var].ty;
        (var, inner_type(ty, self.common(ty)))
    }

    /// A map over rows that makes an array.
    fn fill(&mut self, stm: &Stm, map: Lambda, inputs: &[Var], space: usize) {
        let (var, row) = self.made(stm);
        let ty = self.vars[var].ty.clone();
        let rows = self.rows_like(&ty, row.rank(), space);
        let data = self.row_map(map, inputs, space, &rows)[0];
        self.homes.insert((var, space), Home::Row(data, rows.start));
    }

    /// A map over the numbers of a row's positions that makes an array.
    fn tabulate(
        &mut self,
        stm: &Stm,
        space: usize,
        element: impl FnOnce(Atom, &Type, &mut Builder<'_>) -> Atom,
    ) {
        let (var, row) = self.made(stm);
        let sizes = self.vars[var].ty.shape().to_vec();
        let size = self.product(&sizes[..sizes.len() - row.rank()], space);
        let positions = self.positions(size, space);
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("at".into(), Type::I64)], vec![row.clone()], |b, at| {
            vec![element(at[0].into(), &row, b)]
        });
        self.fill(stm, map, &[positions], space);
    }

    pub(super) fn replicate(&mut self, stm: &Stm, shape: &[Atom], value: Atom, space: usize) {
        let (_, row) = self.made(stm);
        let own = atom_type(value, self.vars);
        if own.rank() > row.rank() {
            // Each of its elements, again and again.
            let value = value.var().or_bug("an array");
            let size = self.product(&own.shape()[..own.rank() - row.rank()], space);
            let view = self.flat_view(value, row.rank(), space);
            self.tabulate(stm, space, |at, row, b| {
                let at = b.exp("at", Exp::BinOp(BinOp::Rem, at, size));
                view.read(at.into(), row, b)
            });
            return;
        }
        let outer = shape[shape.len() - (row.rank() - own.rank())..].to_vec();
        let mut b = Builder::new(self.vars);
        let body = b.body(|b| match outer.is_empty() {
            true => vec![value],
            false => vec![b.typed("row", row.clone(), Exp::Replicate(outer, value)).into()],
        });
        let map = Lambda { params: Vec::new(), body, ret: vec![row] };
        self.fill(stm, map, &[], space);
    }

    pub(super) fn copy(&mut self, stm: &Stm, array: Var, space: usize) {
        let (var, row) = self.made(stm);
        let ty = self.vars[var].ty.clone();
        let rows = self.rows_like(&ty, row.rank(), space);
        let data = self.packed(array.into(), row.rank(), space, &rows);
        let ty = self.vars[data].ty.clone();
        let data = self.bind("all", ty, Exp::Copy(data));
        self.homes.insert((var, space), Home::Row(data, rows.start));
    }

    /// A view of an array that changes later: its elements as they are now.
    pub(super) fn view(&mut self, stm: &Stm, space: usize) {
        let var = *stm.pat.first().or_bug("what a statement binds");
        let VarInfo { hint, ty } = self.vars[var].clone();
        let view = self.local(&hint, ty);
        let repeated = Stm { pat: vec![view], ..stm.clone() };
        self.homes.insert((view, space), Home::Repeated(repeated));
        self.copy(stm, view, space);
        self.homes.remove(&(view, space));
    }

    /// Memory that is written later.
    pub(super) fn scratch(&mut self, stm: &Stm, space: usize) {
        let (var, row) = self.made(stm);
        let ty = self.vars[var].ty.clone();
        let rows = self.rows_like(&ty, row.rank(), space);
        let ty = array_of(&row, rows.total);
        let elem = ty.elem().or_bug("the elements of an array");
        let data = self.bind("all", ty.clone(), Exp::Scratch(elem, ty.shape().to_vec()));
        self.homes.insert((var, space), Home::Row(data, rows.start));
    }

    /// Each position asks which array it is in.
    pub(super) fn concat(&mut self, stm: &Stm, arrays: &[Var], space: usize) {
        let (_, row) = self.made(stm);
        let mut parts = Vec::new();
        for array in arrays {
            let sizes = self.vars[*array].ty.shape().to_vec();
            let size = self.product(&sizes[..sizes.len() - row.rank()], space);
            parts.push((self.flat_view(*array, row.rank(), space), size));
        }
        self.tabulate(stm, space, |at, row, b| element_of(&parts, at, row, b));
    }

    /// The numbers of the positions of a row.
    pub(super) fn positions(&mut self, size: Atom, space: usize) -> Var {
        let positions = self.local("positions", Type::array(Prim::I64.into(), vec![size]));
        let iota = Exp::Iota(Prim::I64, size, Atom::i64(0), Atom::i64(1));
        let home = Home::Repeated(Stm::new(vec![positions], iota));
        self.homes.insert((positions, space), home);
        positions
    }
}

/// The element at a position of several arrays, one after the other.
pub(super) fn element_of(
    parts: &[(Flat, Atom)],
    at: Atom,
    row: &Type,
    b: &mut Builder<'_>,
) -> Atom {
    let [(array, size), rest @ ..] = parts else { return at };
    if rest.is_empty() {
        return array.read(at, row, b);
    }
    let here = b.exp("here", Exp::CmpOp(CmpOp::Lt, at, *size));
    let yes = b.body(|b| vec![array.read(at, row, b)]);
    let no = b.body(|b| {
        let beyond = b.exp("beyond", Exp::BinOp(BinOp::Sub, at, *size));
        vec![element_of(rest, beyond.into(), row, b)]
    });
    b.typed("elem", row.clone(), Exp::If(here.into(), Box::new([yes, no]))).into()
}

/// The type of truth values.
pub(super) const BOOL: Type = Type::Scalar(Elem::Prim(Prim::Bool));
