//! Contributions to an accumulator, as columns.

use crate::differentiate::num::{binary, outer, product};
use fehu_base::Prim;
use fehu_interp::scalar::to_i64;
use fehu_ir::builder::Builder;
use fehu_ir::{AccInput, Atom, BinOp, Exp, Type, Var};

/// A number of contributions: a sum of products of widths and bounds of loops, for each of which [`size`] is meant.
pub(super) type Count = Vec<Vec<Atom>>;

/// Contributions, the columns of which are scalars or rows, or arrays of so many.
#[derive(Clone)]
pub(super) enum Piece {
    One(Vec<Atom>),
    Many(Count, Vec<Var>),
}

impl Piece {
    fn count(&self) -> Count {
        match self {
            Piece::One(_) => vec![Vec::new()],
            Piece::Many(count, _) => count.clone(),
        }
    }
}

fn sum(b: &mut Builder<'_>, count: &Count) -> Atom {
    let mut sum = None;
    for bounds in count {
        let sizes: Vec<Atom> = bounds.iter().map(|bound| size(b, *bound)).collect();
        let term = product(b, &sizes);
        sum = Some(match sum {
            Some(sum) => binary(b, BinOp::Add, sum, term),
            None => term,
        });
    }
    sum.unwrap_or(0.into())
}

/// How often something is done: the bound of a loop may be negative, and of any integer type.
pub(super) fn size(b: &mut Builder<'_>, bound: Atom) -> Atom {
    if let Atom::Const(bound) = bound {
        return to_i64(bound).unwrap_or(0).max(0).into();
    }
    let bound = match b.atom_ty(bound) == Type::I64 {
        true => bound,
        false => b.exp("n", Exp::Convert(Prim::I64, bound)).into(),
    };
    b.exp("n", Exp::BinOp(BinOp::Max, bound, 0.into())).into()
}

/// What several bodies, of which one is evaluated, yield.
#[derive(Clone)]
pub(super) enum Plan {
    Nothing,
    /// One contribution at most.
    One,
    /// The contributions of all bodies one after the other, and how many these are together.
    Many(Vec<Count>, Atom),
}

impl Plan {
    /// Nothing if a number of contributions refers to one of these variables.
    pub(super) fn of(b: &mut Builder<'_>, bodies: &[&[Piece]], inside: &[Var]) -> Option<Plan> {
        if bodies.iter().all(|pieces| pieces.is_empty()) {
            return Some(Plan::Nothing);
        }
        if bodies.iter().all(|pieces| matches!(pieces, [] | [Piece::One(_)])) {
            return Some(Plan::One);
        }
        let counts = bodies.iter().map(|pieces| pieces.iter().flat_map(Piece::count).collect());
        let counts: Vec<Count> = counts.collect();
        let mut sizes = counts.iter().flatten().flatten();
        if sizes.any(|size| size.var().is_some_and(|size| inside.contains(&size))) {
            return None;
        }
        let total = sum(b, &counts.concat());
        Some(Plan::Many(counts, total))
    }

    /// The results of these bodies.
    pub(super) fn piece(&self, columns: Vec<Var>) -> Option<Piece> {
        match self {
            Plan::Nothing => None,
            Plan::One => Some(Piece::One(columns.into_iter().map(Atom::Var).collect())),
            Plan::Many(counts, _) => Some(Piece::Many(counts.concat(), columns)),
        }
    }
}

/// How contributions to an accumulator are recorded.
pub(super) struct Contributions {
    /// The types of the indices and of the parts of a value.
    pub(super) columns: Vec<Type>,
    /// A contribution that is ignored.
    ignored: Vec<Atom>,
}

impl Contributions {
    pub(super) fn new(input: &AccInput, columns: Vec<Type>) -> Contributions {
        let mut ignored = vec![Atom::i64(-1); input.shape.len()];
        ignored.extend(input.op.iter().flat_map(|(_, neutral)| neutral));
        Contributions { columns, ignored }
    }

    /// The types of what bodies yield.
    pub(super) fn types(&self, plan: &Plan) -> Vec<Type> {
        match plan {
            Plan::Nothing => Vec::new(),
            Plan::One => self.columns.clone(),
            Plan::Many(_, total) => outer(&self.columns, *total),
        }
    }

    /// What the body at this place among several yields, after its contributions.
    pub(super) fn joined(
        &self,
        b: &mut Builder<'_>,
        plan: &Plan,
        mut made: Vec<Piece>,
        at: usize,
    ) -> Vec<Atom> {
        match plan {
            Plan::Nothing => Vec::new(),
            Plan::One => match made.pop() {
                Some(Piece::One(row)) => row,
                _ => self.ignored.clone(),
            },
            Plan::Many(counts, total) => {
                let columns = 0..self.columns.len();
                let column = |number| self.column(b, number, counts, *total, (&made, at)).into();
                columns.map(column).collect()
            }
        }
    }

    fn column(
        &self,
        b: &mut Builder<'_>,
        number: usize,
        counts: &[Count],
        total: Atom,
        (made, at): (&[Piece], usize),
    ) -> Var {
        let mut arrays = Vec::new();
        for (body, count) in counts.iter().enumerate() {
            if body == at {
                arrays.extend(made.iter().map(|piece| match piece {
                    Piece::One(row) => copies(b, vec![1.into()], row[number]),
                    Piece::Many(_, columns) => columns[number],
                }));
            } else if !count.is_empty() {
                let size = sum(b, count);
                arrays.push(copies(b, vec![size], self.ignored[number]));
            }
        }
        match arrays[..] {
            [array] => self.resized(b, number, array, total),
            _ => b.exp("column", Exp::Concat(total, arrays)),
        }
    }

    /// A column as an array of so many rows.
    fn resized(&self, b: &mut Builder<'_>, number: usize, array: Var, size: Atom) -> Var {
        let shape = [&[size][..], self.columns[number].shape()].concat();
        if b.ty(array).shape() == shape {
            array
        } else {
            b.exp("column", Exp::Reshape(array, shape))
        }
    }

    /// So many times what bodies yield, with nothing in it.
    pub(super) fn ignored(&self, b: &mut Builder<'_>, plan: &Plan, times: Atom) -> Vec<Atom> {
        let shape = match plan {
            Plan::Nothing => return Vec::new(),
            Plan::One => vec![times],
            Plan::Many(_, total) => vec![times, *total],
        };
        self.ignored.iter().map(|atom| copies(b, shape.clone(), *atom).into()).collect()
    }

    /// What bodies have yielded so many times, as one.
    pub(super) fn flat(
        &self,
        b: &mut Builder<'_>,
        plan: &Plan,
        bound: Atom,
        columns: Vec<Var>,
    ) -> Option<Piece> {
        match plan {
            Plan::Nothing => None,
            Plan::One => Some(Piece::Many(vec![vec![bound]], columns)),
            Plan::Many(counts, total) => {
                let mut count = counts.concat();
                count.iter_mut().for_each(|sizes| sizes.push(bound));
                let times = size(b, bound);
                let size = product(b, &[times, *total]);
                let all = columns.into_iter().enumerate();
                let flat = all.map(|(number, array)| self.resized(b, number, array, size));
                Some(Piece::Many(count, flat.collect()))
            }
        }
    }
}

fn copies(b: &mut Builder<'_>, shape: Vec<Atom>, of: Atom) -> Var {
    b.exp("column", Exp::Replicate(shape, of))
}
