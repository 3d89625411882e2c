//! Operations on arrays without functions.

use crate::state::{Gen, MAX_ELEMENTS};
use fehu_base::Prim;
use fehu_ir::{Atom, BinOp, CmpOp, Dim, Elem, Exp, Scalar, Type, Var};

impl Gen<'_> {
    /// An array of exactly this type.
    pub(crate) fn array_of(&mut self, ty: &Type) -> Var {
        if self.rng.chance(75)
            && let Some(var) = self.pick(|found| found == ty)
        {
            return var;
        }
        self.new_array(ty)
    }

    /// A new array of exactly this type.
    pub(crate) fn new_array(&mut self, ty: &Type) -> Var {
        let shape = ty.shape().to_vec();
        let elem = ty.elem().unwrap_or(Elem::Unit);
        match (elem, shape.as_slice()) {
            (Elem::Prim(prim), [size]) if prim.is_integer() && self.rng.chance(60) => {
                let start = self.scalar(prim);
                let step = Atom::Const(self.constant(prim));
                self.fresh_exp("is", Exp::Iota(prim, *size, start, step))
            }
            (Elem::Prim(prim), _) => {
                let value = self.scalar(prim);
                self.fresh_exp("rs", Exp::Replicate(shape, value))
            }
            (Elem::Unit, _) => {
                self.fresh_exp("us", Exp::Replicate(shape, Atom::Const(Scalar::Unit)))
            }
        }
    }

    /// Any array of primitive type.
    pub(crate) fn any_array(&mut self) -> Var {
        let prims = |ty: &Type| ty.is_array() && ty.elem() != Some(Elem::Unit);
        if self.rng.chance(80)
            && let Some(var) = self.pick(prims)
        {
            return var;
        }
        loop {
            let ty = self.any_type();
            if prims(&ty) {
                return self.new_array(&ty);
            }
        }
    }

    fn shape_of(&self, var: Var) -> Vec<Atom> {
        self.vars[var].ty.shape().to_vec()
    }

    pub(crate) fn array_stm(&mut self) {
        let array = self.any_array();
        let ty = self.vars[array].ty.clone();
        let shape = self.shape_of(array);
        match self.rng.below(17) {
            0 => {
                let new = self.any_type();
                if new.is_array() {
                    self.new_array(&new);
                }
            }
            1 | 2 => {
                self.element(array);
            }
            3 => {
                let dims = self.slice(&shape);
                self.shared(array);
                self.exp("view", Exp::Index(array, dims));
            }
            4 | 5 => self.update(array),
            6 => self.flat(),
            7 => {
                self.concat(array);
            }
            8 => {
                let size = self.size();
                if self.elements(&ty).saturating_mul(self.bound(size)) <= MAX_ELEMENTS
                    && shape.len() < 3
                {
                    self.fresh_exp("rep", Exp::Replicate(vec![size], array.into()));
                }
            }
            9 => {
                // Contents that do not matter, replaced as a whole before anyone looks.
                let elem = ty.elem().unwrap_or(Elem::Unit);
                let scratch = self.exp("scr", Exp::Scratch(elem, shape.clone()));
                let dims = shape.iter().map(|size| whole(*size)).collect();
                self.fresh_exp("full", Exp::Update(scratch, dims, array.into()));
                self.consume(scratch);
            }
            10 => {
                self.flatten(array);
            }
            11 => {
                let mut perm: Vec<usize> = (0..shape.len()).collect();
                for index in 1..perm.len() {
                    let other = self.rng.below(index + 1);
                    perm.swap(index, other);
                }
                self.shared(array);
                self.exp("tr", Exp::Rearrange(array, perm));
            }
            12 => {
                let exp = if self.rng.chance(50) { Exp::Copy(array) } else { Exp::Manifest(array) };
                self.fresh_exp("cp", exp);
            }
            13 => {
                self.shared(array);
                let exp = match self.rng.below(3) {
                    0 => Exp::Atom(array.into()),
                    1 => Exp::Opaque(array.into()),
                    _ => Exp::Trace("array".into(), array.into()),
                };
                self.exp("same", exp);
            }
            14 => {
                let prim = self.prim();
                let count = self.rng.below(4);
                let atoms = (0..count).map(|_| self.scalar(prim)).collect();
                self.fresh_exp("lit", Exp::Array(prim.into(), atoms));
            }
            15 if shape.len() < 3 => {
                let other = self.array_of(&ty);
                let elem = ty.elem().unwrap_or(Elem::Unit);
                self.fresh_exp("lits", Exp::Array(elem, vec![array.into(), other.into()]));
            }
            _ => {
                let unit = Type::Array(Elem::Unit, vec![self.size()]);
                self.array_of(&unit);
            }
        }
    }

    /// A whole slice, forwards or backwards, or a row if the size is known.
    pub(crate) fn slice(&mut self, shape: &[Atom]) -> Vec<Dim> {
        let count = 1 + self.rng.below(shape.len());
        let mut dims = Vec::new();
        for size in &shape[..count] {
            dims.push(match size {
                Atom::Const(Scalar::I64(known)) if *known > 0 => {
                    let start = self.rng.range(0, known - 1);
                    if dims.len() + 1 < count && self.rng.chance(40) {
                        Dim::Fix(Atom::i64(start))
                    } else {
                        let len = self.rng.range(0, known - start);
                        Dim::Slice {
                            start: Atom::i64(start),
                            len: Atom::i64(len),
                            stride: Atom::i64(1),
                        }
                    }
                }
                _ if self.rng.chance(30) => {
                    let last = self.exp("last", Exp::BinOp(BinOp::Sub, *size, Atom::i64(1)));
                    Dim::Slice { start: last.into(), len: *size, stride: Atom::i64(-1) }
                }
                _ => whole(*size),
            });
        }
        dims
    }

    /// A position that is in bounds if the sizes are not zero.
    fn position(&mut self, shape: &[Atom]) -> Vec<Dim> {
        let mut dims = Vec::new();
        for size in shape {
            dims.push(Dim::Fix(match size {
                Atom::Const(Scalar::I64(known)) if *known > 0 && self.rng.chance(60) => {
                    Atom::i64(self.rng.range(0, known - 1))
                }
                _ => {
                    let any = self.scalar(Prim::I64);
                    let size =
                        Atom::Var(self.exp("sz", Exp::BinOp(BinOp::Max, *size, Atom::i64(1))));
                    self.exp("i", Exp::BinOp(BinOp::Mod, any, size)).into()
                }
            }));
        }
        dims
    }

    /// Whether none of the sizes is zero; nothing if that is known.
    fn not_empty(&mut self, shape: &[Atom]) -> Option<Atom> {
        let mut result = None;
        for size in shape {
            if matches!(size, Atom::Const(Scalar::I64(known)) if *known > 0) {
                continue;
            }
            let positive = Atom::Var(self.exp("pos", Exp::CmpOp(CmpOp::Lt, Atom::i64(0), *size)));
            result = Some(match result {
                None => positive,
                Some(before) => self.exp("pos", Exp::BinOp(BinOp::And, before, positive)).into(),
            });
        }
        result
    }

    /// An element of an array, or something else if there is none.
    pub(crate) fn element(&mut self, array: Var) -> Option<Var> {
        let Some(Elem::Prim(prim)) = self.vars[array].ty.elem() else { return None };
        let shape = self.shape_of(array);
        let cond = self.not_empty(&shape);
        let dims = self.position(&shape);
        let Some(cond) = cond else {
            return Some(self.exp("el", Exp::Index(array, dims)));
        };
        let there = self.body(|g| vec![g.exp("el", Exp::Index(array, dims)).into()]);
        let not_there = self.body(|g| vec![Atom::Const(g.constant(prim))]);
        Some(self.typed("el", Type::prim(prim), Exp::If(cond, Box::new([there, not_there]))))
    }

    /// An update in place of an element or of everything.
    pub(crate) fn update(&mut self, array: Var) {
        let own = self.own(array);
        self.update_own(own);
    }

    /// Consumes the array; the updated one.
    pub(crate) fn update_own(&mut self, own: Var) -> Var {
        let ty = self.vars[own].ty.clone();
        let Some(Elem::Prim(prim)) = ty.elem() else { return own };
        let shape = self.shape_of(own);
        if self.rng.chance(20) {
            self.consume(own);
            let value = self.array_of(&ty);
            let dims = shape.iter().map(|size| whole(*size)).collect();
            return self.fresh_exp("up", Exp::Update(own, dims, value.into()));
        }
        let cond = self.not_empty(&shape);
        let dims = self.position(&shape);
        let value = self.scalar(prim);
        self.consume(own);
        let Some(cond) = cond else {
            return self.fresh_exp("up", Exp::Update(own, dims, value));
        };
        // One branch updates in place, the other one returns the array as it is.
        let there = self.body(|g| vec![g.exp("up", Exp::Update(own, dims, value)).into()]);
        let not_there = fehu_ir::Body::of(vec![own.into()]);
        let result = self.typed("up", ty, Exp::If(cond, Box::new([there, not_there])));
        self.set_fresh(result);
        result
    }

    /// Views by strides, of arrays with known size.
    fn flat(&mut self) {
        let prim = self.prim();
        let ty = Type::Array(prim.into(), vec![Atom::i64(12)]);
        let array = self.array_of(&ty);
        let offset = Atom::i64(self.rng.range(0, 2));
        let dims = vec![(Atom::i64(3), Atom::i64(3)), (Atom::i64(2), Atom::i64(2))];
        if self.rng.chance(60) {
            self.shared(array);
            self.exp("flat", Exp::FlatIndex(array, offset, dims));
        } else {
            let own = self.own(array);
            self.consume(own);
            let value = self.array_of(&Type::Array(prim.into(), vec![Atom::i64(3), Atom::i64(2)]));
            self.fresh_exp("flat", Exp::FlatUpdate(own, offset, dims, value));
        }
    }

    pub(crate) fn concat(&mut self, array: Var) -> Option<Var> {
        let ty = self.vars[array].ty.clone();
        let other = self.array_of(&ty);
        if self.elements(&ty) * 2 > MAX_ELEMENTS {
            return None;
        }
        let size = ty.shape()[0];
        let total = match size {
            Atom::Const(Scalar::I64(known)) => Atom::i64(known * 2),
            _ => {
                let bound = self.bound(size) * 2;
                self.new_size("tot", bound, Exp::BinOp(BinOp::Add, size, size))
            }
        };
        Some(self.fresh_exp("cat", Exp::Concat(total, vec![array, other])))
    }

    pub(crate) fn flatten(&mut self, array: Var) -> Var {
        let shape = self.shape_of(array);
        let mut total = Atom::i64(1);
        for size in &shape {
            total = match (total, size) {
                (Atom::Const(Scalar::I64(a)), Atom::Const(Scalar::I64(b))) => Atom::i64(a * b),
                _ => {
                    let bound = self.bound(total).saturating_mul(self.bound(*size));
                    self.new_size("prod", bound, Exp::BinOp(BinOp::Mul, total, *size))
                }
            };
        }
        self.shared(array);
        let flat = self.exp("line", Exp::Reshape(array, vec![total]));
        if self.rng.chance(40) {
            return self.exp("back", Exp::Reshape(flat, shape));
        }
        flat
    }
}

/// A whole dimension.
pub(crate) fn whole(size: Atom) -> Dim {
    Dim::Slice { start: Atom::i64(0), len: size, stride: Atom::i64(1) }
}
