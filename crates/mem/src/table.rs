//! The table: where each array of a function is stored.
//!
//! A *block* is memory for elements of one type. It is either allocated, immediately before a statement, or it comes
//! with a variable: the memory of a parameter, or of a result of a branch or a loop, is known only at run time. An
//! array is *placed* in a block by an LMAD. Several arrays may be placed in one block, and share elements.
//!
//! If an operation needs an array at a certain place (a row of a map's result, the next value of a loop parameter, the
//! part of an array that is updated) and it is elsewhere, its elements are copied there. If both places are the same,
//! nothing is done. Optimisations of memory are therefore changes of this table.
//!
//! Arrays without contents (whose elements have the unit type) have no place.

use crate::layout::{Chosen, Orders};
use crate::lmad::{Dim as Stride, Lmad, Pick};
use crate::short_circuit::Why;
use ecow::EcoString;
use fehu_base::{IdVec, OrBug, Prim, bug, define_id};
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, ConstId, Dim, FunId, Item, Lambda, Prog, Scalar, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

define_id!(
    /// A block of memory.
    pub struct BlockId, "m"
);

/// A program and where its arrays are.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// The program. This stage has added only copies and variables to it.
    pub prog: Prog,
    /// The table of each function.
    pub funs: IdVec<FunId, Table>,
    /// The table of each constant.
    pub consts: IdVec<ConstId, Table>,
    /// The orders of arrays that were chosen, in the order of the text of each function.
    pub chosen: Vec<(Item, Chosen)>,
}

/// Where the arrays of a function are.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// The blocks.
    pub blocks: IdVec<BlockId, Block>,
    /// The places of variables; variables without one are not arrays.
    places: FxHashMap<Var, Place>,
    /// The arrays that have no memory, because their elements are computed where they are read.
    pub computed: FxHashMap<Var, Computed>,
    /// The arrays that have no memory, because nothing but the epilogue of the operator that makes them reads them.
    pub elided: FxHashSet<Var>,
    /// The order in memory of the dimensions of arrays that are not in row-major order; see [`crate::layout`].
    pub orders: Orders,
    /// For each result of a function, the parameter that it is, if it is one, changed in place. Nothing is returned for
    /// it: it is where the argument is.
    pub returned: Vec<Option<usize>>,
    /// For each result that the function declared, the strides of the view that it is, if it is handed on as one. Those
    /// that only the function knows are further results, in this order.
    pub views: Vec<Option<Vec<Option<Poly>>>>,
    /// Arrays that are copied before a branch hands them on, although their strides could be handed on with them, and why.
    pub unjoined: FxHashMap<Var, Why>,
    /// When the host releases blocks; see [`crate::lifetimes`].
    pub ends: FxHashMap<Moment, Vec<BlockId>>,
    /// The variables that stand for the position of an operator's function; see [`Table::index`].
    indices: FxHashMap<Option<Var>, Var>,
}

/// A moment in the execution of a body. A statement is known by the first variable that it binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Moment {
    /// After a statement.
    After(Var),
    /// When a body of a branch, by its number, is entered; when the parameters of a loop have their first values.
    Entry(Var, usize),
    /// When what a body of a branch or loop yields has been handed on.
    Exit(Var, usize),
}

/// An array without memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Computed {
    /// Numbers of a type from a first one, a step apart.
    Iota(Prim, Atom, Atom),
    /// The same scalar everywhere.
    Replicate(Atom),
}

/// Where an array is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The block.
    pub block: BlockId,
    /// Where in it, in elements.
    pub lmad: Lmad,
}

/// A block.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The type of its elements.
    pub elem: Prim,
    /// Where it comes from.
    pub origin: Origin,
    /// A name for people.
    pub hint: EcoString,
    /// Whether it may still be needed at the end of the scope in which it is allocated: then it cannot be on the stack.
    pub heap: bool,
}

/// Where a block comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum Origin {
    /// It is allocated immediately before the statement that binds the variable, with room for this many elements. An
    /// allocation inside a loop or the function of an operator is executed anew every time.
    Fresh {
        /// A variable of the statement's pattern.
        before: Var,
        /// The number of elements, a product of sizes that are known there.
        size: Vec<Atom>,
    },
    /// It comes with the variable, whose first element is at its beginning. The elements are contiguous in the order of the
    /// variable ([`Table::orders`]), unless its place says otherwise.
    Carried(Var),
    /// Nothing is in it.
    Unused,
}

impl Place {
    /// Whether every element is where the other place has it, so that nothing needs to be copied.
    pub fn same(&self, other: &Place) -> bool {
        self.block == other.block && self.lmad.same(&other.lmad)
    }
}

impl Moment {
    /// The variable by which the statement is known.
    pub fn var(self) -> Var {
        match self {
            Moment::After(var) | Moment::Entry(var, _) | Moment::Exit(var, _) => var,
        }
    }
}

/// Blocks with more elements than this are not kept on the stack or in registers.
pub const MAX_LOCAL: i64 = 64;

impl Table {
    /// Where a variable is, if it is an array.
    pub fn place(&self, var: Var) -> Option<&Place> {
        self.places.get(&var)
    }

    /// Places a variable.
    pub fn set(&mut self, var: Var, place: Place) {
        self.places.insert(var, place);
    }

    /// All places, by variable.
    pub fn places(&self) -> Vec<(Var, &Place)> {
        let mut all: Vec<(Var, &Place)> =
            self.places.iter().map(|(var, place)| (*var, place)).collect();
        all.sort_unstable_by_key(|(var, _)| *var);
        all
    }

    /// Whether the elements are contiguous in the order of a variable.
    pub fn in_order_of(&self, var: Var, lmad: &Lmad) -> bool {
        match self.orders.get(&var) {
            None => lmad.is_contiguous(),
            Some(order) => lmad.rearrange(order).is_some_and(|lmad| lmad.is_contiguous()),
        }
    }

    /// Whether an array can become the value of a variable that carries its block: its elements are at the distances
    /// that the place of the variable says.
    pub fn can_carry(&self, to: Var, lmad: &Lmad) -> bool {
        let Some(place) = self.places.get(&to) else { return true };
        match self.is_strided(to) {
            false => self.in_order_of(to, lmad),
            true => {
                let mut dims = place.lmad.dims.iter().zip(&lmad.dims);
                dims.all(|(a, b)| a.stride == b.stride)
            }
        }
    }

    /// Whether a variable that carries a block has strides of its own, which are known where it is bound. Otherwise
    /// it is contiguous in its order.
    pub fn is_strided(&self, var: Var) -> bool {
        self.places.get(&var).is_some_and(|place| !self.in_order_of(var, &place.lmad))
    }

    /// A block that no longer contains anything is not allocated.
    pub fn forget(&mut self, block: BlockId) {
        self.blocks[block].origin = Origin::Unused;
    }

    /// Everything that is in a block is in another one instead, at the same places.
    pub fn move_all(&mut self, gone: BlockId, into: BlockId) {
        for place in self.places.values_mut().filter(|place| place.block == gone) {
            place.block = into;
        }
        self.blocks[into].heap |= self.blocks[gone].heap;
        self.forget(gone);
    }

    /// The variable that stands for the position at which the function of an operator is applied. The operator is identified by
    /// the variables it binds and the parameters of its function; all those that have neither share a variable, on which no
    /// array depends.
    pub fn index(&self, pat: &[Var], lambda: &Lambda) -> Var {
        let key = operator(pat, lambda);
        self.indices.get(&key).copied().or_bug(format_args!("position of the operator {key:?}"))
    }

    /// Notes such a variable.
    pub fn set_index(&mut self, pat: &[Var], lambda: &Lambda, index: Var) {
        self.indices.insert(operator(pat, lambda), index);
    }

    /// The operator that binds the first variable is also known as the one that binds the second.
    pub fn share_index(&mut self, first: Var, second: Var) {
        if let Some(index) = self.indices.get(&Some(first)).copied() {
            self.indices.insert(Some(second), index);
        }
    }

    /// The number of elements of a block that can be on the stack or in registers.
    pub fn local_size(&self, block: BlockId) -> Option<i64> {
        match &self.blocks[block].origin {
            Origin::Fresh { size, .. } if !self.blocks[block].heap => small(size),
            Origin::Fresh { .. } | Origin::Carried(_) | Origin::Unused => None,
        }
    }
}

/// What identifies an operator.
fn operator(pat: &[Var], lambda: &Lambda) -> Option<Var> {
    pat.first().or(lambda.params.first()).copied()
}

/// The number of elements of a shape if it is constant and small.
pub fn small(shape: &[Atom]) -> Option<i64> {
    let mut count = 1i64;
    for size in shape {
        match size {
            Atom::Const(Scalar::I64(size)) if *size >= 0 => count = count.checked_mul(*size)?,
            Atom::Const(_) | Atom::Var(_) => return None,
        }
    }
    (count <= MAX_LOCAL).then_some(count)
}

/// An operand of type `i64` as a polynomial.
pub fn poly(atom: Atom) -> Poly {
    match atom {
        Atom::Var(var) => Poly::var(var),
        Atom::Const(Scalar::I64(value)) => Poly::constant(value.into()),
        Atom::Const(other) => bug(format_args!("{other:?} is used as a size or an index")),
    }
}

/// The row-major LMAD of a shape.
pub fn row_major(shape: &[Atom]) -> Option<Lmad> {
    let shape: Vec<Poly> = shape.iter().map(|size| poly(*size)).collect();
    Lmad::row_major(&shape)
}

/// The type of the elements of an array that has contents.
pub fn contents(ty: &Type) -> Option<Prim> {
    match ty {
        Type::Array(fehu_ir::Elem::Prim(prim), _) => Some(*prim),
        Type::Array(fehu_ir::Elem::Unit, _) | Type::Scalar(_) | Type::Acc(_) => None,
    }
}

/// Likewise, of a variable.
pub fn contents_of(var: Var, vars: &IdVec<Var, VarInfo>) -> Option<Prim> {
    contents(&vars[var].ty)
}

/// What an index takes of a dimension.
pub fn pick(dim: &Dim) -> Pick {
    match dim {
        Dim::Fix(at) => Pick::Fix(poly(*at)),
        Dim::Slice { start, len, stride } => {
            Pick::Slice { start: poly(*start), len: poly(*len), stride: poly(*stride) }
        }
    }
}

/// The positions of a flat index.
pub fn flat(offset: Atom, dims: &[(Atom, Atom)]) -> Lmad {
    let dims =
        dims.iter().map(|(size, stride)| Stride { size: poly(*size), stride: poly(*stride) });
    Lmad { offset: poly(offset), dims: dims.collect() }
}
