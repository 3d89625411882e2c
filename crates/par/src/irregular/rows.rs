//! Rows: the irregular arrays of all positions, one after the other in an array of the host.
//!
//! The sizes that differ come first in a row's shape, up to the last of them: these dimensions are its *own*, and one
//! dimension of the host's array. What follows has the same sizes everywhere and is *common*.

use super::Irregular;
use super::space::{Home, RowsOf, whole};
use fehu_base::OrBug;
use fehu_ir::builder::{Builder, atom_type};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Dim, Exp, Scan, Stm, Type, Var};

/// An array, as the sequence of its elements, or of what its dimensions in common have.
#[derive(Clone, Debug)]
pub(super) enum Flat {
    /// An array with one dimension of its own.
    Whole(Var),
    /// One with several.
    Dims(Var, Vec<Atom>),
}

impl Irregular<'_> {
    /// How many dimensions rows of this type have in common.
    pub(super) fn common(&self, ty: &Type) -> usize {
        ty.shape().iter().rev().take_while(|size| self.labels.is_avoided(**size)).count()
    }

    /// How many elements there are in these dimensions.
    pub(super) fn product(&mut self, sizes: &[Atom], space: usize) -> Atom {
        let Some((first, rest)) = sizes.split_first() else { return Atom::i64(1) };
        let mut size = *first;
        for next in rest {
            let exp = Exp::BinOp(BinOp::Mul, size, *next);
            if self.labels.is_avoided(size) && self.labels.is_avoided(*next) {
                size = self.number("size", exp);
                continue;
            }
            let key = (size, *next, space);
            let known = self.products.iter().find(|(other, _)| *other == key);
            let product = match known {
                Some((_, product)) => *product,
                None => {
                    let product = self.local("size", Type::I64);
                    self.homes
                        .insert((product, space), Home::Repeated(Stm::new(vec![product], exp)));
                    self.products.push((key, product));
                    product
                }
            };
            size = product.into();
        }
        size
    }

    /// The rows of values of this type, which has so many dimensions in common.
    pub(super) fn rows_like(&mut self, ty: &Type, common: usize, space: usize) -> RowsOf {
        let width = self.product(&ty.shape()[..ty.rank() - common], space);
        self.rows_of(width, space)
    }

    /// The rows of operators of this width.
    pub(super) fn rows_of(&mut self, width: Atom, space: usize) -> RowsOf {
        let differs = !self.labels.is_avoided(width);
        let width = match width {
            Atom::Var(var) if !self.labels.is_avoided(width) => var,
            Atom::Var(_) | Atom::Const(_) => {
                let var = self.local("width", Type::I64);
                let stm = Stm::new(vec![var], Exp::Atom(width));
                self.homes.insert((var, space), Home::Repeated(stm));
                var
            }
        };
        if let Some(rows) = self.rows.get(&(width, space)) {
            return rows.clone();
        }
        let known = if differs { self.note_first(space, width) } else { None };
        let scan = Scan { op: self.operator(BinOp::Add), neutral: vec![Atom::i64(0)] };
        let ends = self.flat(&[], &[width], space, (vec![scan], Vec::new()))[0];
        self.vars[ends].hint = "ends".into();
        let count = self.spaces[space].count;
        let total = known.unwrap_or_else(|| self.last(ends, count));
        self.rows_ending(width, ends, total, space)
    }

    /// Rows of this width, if it is known where they end.
    pub(super) fn rows_ending(
        &mut self,
        width: Var,
        ends: Var,
        total: Atom,
        space: usize,
    ) -> RowsOf {
        let (end, start) = (self.local("end", Type::I64), self.local("start", Type::I64));
        self.homes.insert((end, space), Home::Stored(ends));
        let stm = Stm::new(vec![start], Exp::BinOp(BinOp::Sub, end.into(), width.into()));
        self.homes.insert((start, space), Home::Repeated(stm));
        let rows = RowsOf { width, start, ends, total };
        self.rows.insert((width, space), rows.clone());
        rows
    }

    /// The last of some numbers, or zero.
    fn last(&mut self, array: Var, count: Atom) -> Atom {
        let mut b = Builder::new(self.vars);
        let some = b.exp("some", Exp::CmpOp(CmpOp::Lt, Atom::i64(0), count));
        let yes = b.body(|b| {
            let last = b.exp("last", Exp::BinOp(BinOp::Sub, count, Atom::i64(1)));
            vec![b.exp("total", Exp::Index(array, vec![Dim::Fix(last.into())])).into()]
        });
        let exp = Exp::If(some.into(), Box::new([yes, Body::of(vec![Atom::i64(0)])]));
        let total = b.typed("total", Type::I64, exp);
        self.out.extend(b.finish(Vec::new()).stms);
        total.into()
    }

    /// An array as a sequence of what has this many dimensions.
    pub(super) fn flat_view(&mut self, array: Var, common: usize, space: usize) -> Flat {
        let ty = self.vars[array].ty.clone();
        let (own, inner) = ty.shape().split_at(ty.rank() - common);
        if let [_] = own {
            return Flat::Whole(array);
        }
        if !self.labels.is_avoided(array.into())
            && let Home::Row(data, start) = self.home(array, space)
            && self.vars[data].ty.rank() == common + 1
        {
            let size = self.product(own, space);
            let elem = ty.elem().or_bug("the elements of an array");
            let view = self.local("flat", Type::array(elem, [&[size], inner].concat()));
            self.homes.insert((view, space), Home::Row(data, start));
            return Flat::Whole(view);
        }
        Flat::Dims(array, own.to_vec())
    }

    /// An irregular value as rows of an array of the host: that array, and where each row starts.
    pub(super) fn as_row(&mut self, value: Atom, common: usize, space: usize) -> (Var, Var) {
        let var = value.var().or_bug("an array");
        if !self.labels.is_avoided(value)
            && let Home::Row(data, start) = self.home(var, space)
            && self.vars[data].ty.rank() == common + 1
        {
            return (data, start);
        }
        let ty = atom_type(value, self.vars);
        let rows = self.rows_like(&ty, common, space);
        (self.packed(value, common, space, &rows), rows.start)
    }

    /// An array of the host with these rows of an irregular value, one after the other.
    pub(super) fn packed(
        &mut self,
        value: Atom,
        common: usize,
        space: usize,
        rows: &RowsOf,
    ) -> Var {
        let var = value.var().or_bug("an array");
        if !self.labels.is_avoided(value)
            && let Home::Row(data, start) = self.home(var, space)
            && start == rows.start
            && self.vars[data].ty.rank() == common + 1
        {
            return data;
        }
        let row = inner_type(&self.vars[var].ty, common);
        match self.flat_view(var, common, space) {
            Flat::Whole(var) => {
                let identity = self.identity(&[row]);
                self.row_map(identity, &[var], space, rows)[0]
            }
            view @ Flat::Dims(..) => {
                let positions = self.positions(rows.width.into(), space);
                let mut b = Builder::new(self.vars);
                let map = b.lambda(vec![("at".into(), Type::I64)], vec![row.clone()], |b, at| {
                    vec![view.read(at[0].into(), &row, b)]
                });
                self.row_map(map, &[positions], space, rows)[0]
            }
        }
    }
}

impl Flat {
    /// What is at a position.
    pub(super) fn read(&self, at: Atom, row: &Type, b: &mut Builder<'_>) -> Atom {
        let (array, mut dims) = match self {
            Flat::Whole(array) => (*array, vec![Dim::Fix(at)]),
            Flat::Dims(array, sizes) => {
                (*array, coordinates(at, sizes, b).into_iter().map(Dim::Fix).collect())
            }
        };
        dims.extend(row.shape().iter().map(|size| whole(*size)));
        b.typed("elem", row.clone(), Exp::Index(array, dims)).into()
    }
}

/// The indices of a position in dimensions of these sizes.
pub(super) fn coordinates(at: Atom, sizes: &[Atom], b: &mut Builder<'_>) -> Vec<Atom> {
    let mut rest = at;
    let mut indices = Vec::with_capacity(sizes.len());
    for size in sizes.iter().skip(1).rev() {
        indices.push(b.exp("index", Exp::BinOp(BinOp::Rem, rest, *size)).into());
        rest = b.exp("rest", Exp::BinOp(BinOp::Quot, rest, *size)).into();
    }
    indices.push(rest);
    indices.reverse();
    indices
}

/// The position of these indices in dimensions of these sizes.
pub(super) fn position(indices: &[Atom], sizes: &[Atom], b: &mut Builder<'_>) -> Atom {
    let Some((first, rest)) = indices.split_first() else { return Atom::i64(0) };
    rest.iter().zip(&sizes[1..]).fold(*first, |at, (index, size)| {
        let before = b.exp("before", Exp::BinOp(BinOp::Mul, at, *size));
        b.exp("at", Exp::BinOp(BinOp::Add, before.into(), *index)).into()
    })
}

/// The type of what the last dimensions of an array have.
pub(super) fn inner_type(ty: &Type, common: usize) -> Type {
    let elem = ty.elem().or_bug("the elements of an array");
    match common {
        0 => Type::Scalar(elem),
        _ => Type::array(elem, ty.shape()[ty.rank() - common..].to_vec()),
    }
}
