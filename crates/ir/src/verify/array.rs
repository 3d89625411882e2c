//! Types of operations on arrays without functions.
//!
//! Whether sizes fit is a matter of values, and so of checks at run time, also where the values are
//! constants: after a check that is known to fail there may be `reshape`s of three elements to four, and
//! sizes below zero. Such code is never reached, but it is there, and it is well formed.

use super::scope::Checker;
use crate::{Atom, Dim, Elem, Exp, Type, Var};

impl Checker<'_> {
    /// The type of the result, if it can be known.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other files have the others")]
    pub(super) fn array_exp(&mut self, exp: &Exp) -> Option<Type> {
        match exp {
            Exp::Array(elem, atoms) => self.literal(*elem, atoms),
            Exp::Index(array, dims) => self.index(*array, dims),
            Exp::Update(array, dims, value) => {
                let slice = self.index(*array, dims)?;
                self.want(*value, &slice, "the new value");
                self.declared(*array)
            }
            Exp::FlatIndex(array, offset, dims) => self.flat_index(*array, *offset, dims),
            Exp::FlatUpdate(array, offset, dims, value) => {
                let slice = self.flat_index(*array, *offset, dims)?;
                self.want(Atom::Var(*value), &slice, "the new value");
                self.declared(*array)
            }
            Exp::Concat(size, arrays) => self.concat(*size, arrays),
            Exp::Iota(prim, count, start, step) => {
                self.want(*count, &Type::I64, "the number of elements");
                self.want(*start, &Type::prim(*prim), "the first element");
                self.want(*step, &Type::prim(*prim), "the step");
                if !prim.is_integer() {
                    self.fail(format!("`iota` is not defined for {prim}"));
                }
                Some(Type::array(Elem::Prim(*prim), vec![*count]))
            }
            Exp::Replicate(shape, value) => {
                self.want_i64(shape, "a size");
                match self.atom(*value)? {
                    Type::Acc(_) => {
                        self.fail("an accumulator cannot be replicated".to_owned());
                        None
                    }
                    ty @ (Type::Scalar(_) | Type::Array(..)) => {
                        let mut all = shape.clone();
                        all.extend_from_slice(ty.shape());
                        if all.is_empty() {
                            self.fail("`replicate` makes arrays, not scalars".to_owned());
                        }
                        Some(Type::array(ty.elem()?, all))
                    }
                }
            }
            Exp::Scratch(elem, shape) => {
                self.want_i64(shape, "a size");
                if shape.is_empty() {
                    self.fail("`scratch` makes arrays, not scalars".to_owned());
                }
                Some(Type::array(*elem, shape.clone()))
            }
            Exp::Reshape(array, shape) => {
                self.want_i64(shape, "a size");
                let (elem, _) = self.array(*array)?;
                if shape.is_empty() {
                    self.fail("`reshape` makes arrays, not scalars".to_owned());
                }
                Some(Type::array(elem, shape.clone()))
            }
            Exp::Rearrange(array, perm) => {
                let (elem, shape) = self.array(*array)?;
                let mut sorted = perm.clone();
                sorted.sort_unstable();
                if !sorted.iter().copied().eq(0..shape.len()) {
                    let rank = shape.len();
                    self.fail(format!("{perm:?} is not an order of {rank} dimensions"));
                    return None;
                }
                Some(Type::array(elem, perm.iter().map(|dim| shape[*dim]).collect()))
            }
            Exp::Copy(array) | Exp::Manifest(array) => {
                let (elem, shape) = self.array(*array)?;
                Some(Type::array(elem, shape))
            }
            _ => None,
        }
    }

    fn literal(&mut self, elem: Elem, atoms: &[Atom]) -> Option<Type> {
        let types = self.atoms(atoms);
        let mut row = Type::Scalar(elem);
        if let Some(first) = types.first() {
            let first = first.clone()?;
            if first.elem() != Some(elem) {
                let ty = self.show(&first);
                self.fail(format!("an element has type {ty}, but should consist of {elem}"));
                return None;
            }
            row = first;
        }
        for (atom, ty) in atoms.iter().zip(&types) {
            if let Some(ty) = ty {
                self.same(ty, &row, || "the element".to_owned(), Some(*atom));
            }
        }
        row.array_of(Atom::i64(atoms.len() as i64))
    }

    fn index(&mut self, array: Var, dims: &[Dim]) -> Option<Type> {
        for dim in dims {
            match dim {
                Dim::Fix(atom) => self.want(*atom, &Type::I64, "an index"),
                Dim::Slice { start, len, stride } => {
                    self.want_i64(&[*start, *len, *stride], "a part of a slice");
                }
            }
        }
        let (elem, shape) = self.array(array)?;
        if dims.len() > shape.len() {
            let (dims, rank) = (dims.len(), shape.len());
            self.fail(format!("{dims} indices for an array of rank {rank}"));
            return None;
        }
        let mut sizes = Vec::new();
        for dim in dims {
            match dim {
                Dim::Fix(_) => {}
                Dim::Slice { len, .. } => sizes.push(*len),
            }
        }
        sizes.extend_from_slice(&shape[dims.len()..]);
        Some(Type::array(elem, sizes))
    }

    fn flat_index(&mut self, array: Var, offset: Atom, dims: &[(Atom, Atom)]) -> Option<Type> {
        self.want(offset, &Type::I64, "the offset");
        for (len, stride) in dims {
            self.want_i64(&[*len, *stride], "a part of a slice");
        }
        let (elem, shape) = self.array(array)?;
        if dims.is_empty() {
            self.fail("a view by strides needs dimensions".to_owned());
        }
        let mut sizes: Vec<Atom> = dims.iter().map(|(len, _)| *len).collect();
        sizes.extend_from_slice(&shape[1..]);
        Some(Type::array(elem, sizes))
    }

    fn concat(&mut self, size: Atom, arrays: &[Var]) -> Option<Type> {
        self.want(size, &Type::I64, "the total size");
        let Some((first, rest)) = arrays.split_first() else {
            self.fail("nothing to concatenate".to_owned());
            return None;
        };
        let (elem, shape) = self.array(*first)?;
        for array in rest {
            let (other, other_shape) = self.array(*array)?;
            let mut wanted = shape.clone();
            wanted[0] = other_shape[0];
            let found = Type::Array(other, other_shape.clone());
            let what = || "the array".to_owned();
            self.same(&found, &Type::Array(elem, wanted), what, Some(Atom::Var(*array)));
        }
        let mut sizes = shape;
        sizes[0] = size;
        Some(Type::Array(elem, sizes))
    }
}
