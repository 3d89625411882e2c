//! Along which dimensions of a space values differ.
//!
//! Inside of a Seg, a variable has a value for every position. What it is computed from says along which dimensions of the space
//! these differ: where they do not, many positions have the same value, and if that is an element of an array, it need be read
//! only once.
//!
//! ```text
//! seg grid [n] \(i) -> { row = index a[i]; map (\column -> ... row[k] ... column[k] ... b[k] ...) columns }
//!                                                  0          1            neither
//! ```

use fehu_base::{IdVec, Prim};
use fehu_ir::free::free_in_stm;
use fehu_ir::{Atom, BinOp, Dim, Exp, Lambda, Screma, Seg, SegParts, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// How the values of a variable differ between positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Varies {
    /// The dimensions along which they do, one bit for each.
    dims: u64,
    /// Those along which neighbours may be far from each other: elements of arrays, and what is computed otherwise than by sums.
    far: u64,
    /// Whether they are computed or loaded at each position. Otherwise they are indices or views, or everywhere the same.
    pub is_made: bool,
}

impl Varies {
    /// Along this dimension only.
    pub fn along(dim: usize) -> Varies {
        Varies { dims: 1 << dim.min(63), far: 0, is_made: false }
    }

    /// Along this dimension, with neighbours that may be far from each other.
    pub fn far_along(dim: usize) -> Varies {
        Varies::along(dim).far()
    }

    /// Along all dimensions up to this one.
    #[must_use]
    pub fn up_to(last: usize) -> Varies {
        (0..=last).fold(Varies::default(), |all, dim| all.and(Varies::along(dim)))
    }

    /// Whether it differs along a dimension.
    pub fn is_along(self, dim: usize) -> bool {
        self.dims & Varies::along(dim).dims != 0
    }

    /// Whether neighbours along a dimension may be far from each other.
    pub fn is_far_along(self, dim: usize) -> bool {
        self.far & Varies::along(dim).dims != 0
    }

    /// What is computed from this and another one.
    #[must_use]
    pub fn and(self, other: Varies) -> Varies {
        let (dims, far) = (self.dims | other.dims, self.far | other.far);
        Varies { dims, far, is_made: self.is_made || other.is_made }
    }

    /// The same, with neighbours that may be far from each other.
    fn far(self) -> Varies {
        Varies { far: self.dims, is_made: true, ..self }
    }

    /// The same, stored before it is used.
    #[must_use]
    pub fn stored(self) -> Varies {
        Varies { is_made: false, ..self }
    }

    /// The same, computed at each position.
    #[must_use]
    pub fn made(self) -> Varies {
        Varies { is_made: true, ..self }
    }
}

/// What is known about the variables that are bound inside of a Seg.
#[derive(Clone)]
pub struct Variance<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    known: FxHashMap<Var, Varies>,
    /// Arrays whose elements are their own positions.
    positions: FxHashSet<Var>,
}

impl<'a> Variance<'a> {
    /// Nothing is known, so that nothing differs.
    pub fn new(vars: &'a IdVec<Var, VarInfo>) -> Variance<'a> {
        Variance { vars, known: FxHashMap::default(), positions: FxHashSet::default() }
    }

    /// In the function of a Seg, before its operator.
    pub fn in_seg(seg: &Seg, vars: &'a IdVec<Var, VarInfo>) -> Variance<'a> {
        let mut variance = Variance::new(vars);
        let mut all = Varies::default();
        for (dim, index) in seg.indices().iter().enumerate() {
            variance.known.insert(*index, Varies::along(dim));
            all = all.and(Varies::along(dim));
        }
        for (element, input) in seg.elements().iter().zip(&seg.inputs) {
            variance.element(*element, *input, all);
        }
        if let Some(SegParts { before, .. }) = seg.parts() {
            before.iter().for_each(|stm| variance.stm(stm));
        }
        variance
    }

    /// In a function that is applied to the elements of inputs, whose positions are this dimension.
    pub fn at_positions(
        map: &Lambda,
        inputs: &[Var],
        dim: usize,
        vars: &'a IdVec<Var, VarInfo>,
    ) -> Variance<'a> {
        let mut variance = Variance::new(vars);
        variance.enter_function(map, inputs, dim);
        variance
    }

    /// The parameters of an operator's function, where the operator's positions are this dimension.
    pub fn enter(&mut self, op: &Screma, dim: usize) {
        self.enter_function(&op.map, &op.inputs, dim);
    }

    /// Likewise, for any operator.
    pub fn enter_function(&mut self, map: &Lambda, inputs: &[Var], dim: usize) {
        for (param, input) in map.params.iter().zip(inputs) {
            self.element(*param, *input, Varies::along(dim));
        }
    }

    /// An element of an input at positions that vary.
    pub fn element(&mut self, element: Var, input: Var, at: Varies) {
        if self.positions.contains(&input) {
            self.known.insert(element, at);
            return;
        }
        let varies = self.atom(input.into()).and(at);
        let is_scalar = matches!(self.vars[element].ty, Type::Scalar(_));
        self.known.insert(element, if is_scalar { varies.far() } else { varies });
    }

    /// Learns that the elements of an array are their own positions.
    pub fn set_positions(&mut self, array: Var) {
        self.positions.insert(array);
    }

    /// Sets what is known about a variable.
    pub fn set(&mut self, var: Var, varies: Varies) {
        self.known.insert(var, varies);
    }

    /// Everything that is known has been computed. What is [made](Varies::is_made) from now on is computed after that.
    pub fn settle(&mut self) {
        self.known.values_mut().for_each(|varies| varies.is_made = false);
    }

    /// How an operand varies.
    pub fn atom(&self, atom: Atom) -> Varies {
        atom.var().and_then(|var| self.known.get(&var)).copied().unwrap_or_default()
    }

    /// How an element or a slice of an array varies.
    pub fn index(&self, array: Var, dims: &[Dim]) -> Varies {
        let mut varies = self.atom(array.into());
        for dim in dims {
            let atoms = match dim {
                Dim::Fix(at) => vec![*at],
                Dim::Slice { start, len, stride } => vec![*start, *len, *stride],
            };
            varies = atoms.into_iter().fold(varies, |all, atom| all.and(self.atom(atom)));
        }
        varies
    }

    /// Learns what a statement binds.
    pub fn stm(&mut self, stm: &Stm) {
        let free = free_in_stm(stm, self.vars);
        let varies =
            free.into_iter().fold(Varies::default(), |all, var| all.and(self.atom(var.into())));
        let binds_arrays = stm.pat.iter().all(|var| self.vars[*var].ty.is_array());
        let is_view = matches!(stm.exp, Exp::Atom(_)) || is_view(&stm.exp) && binds_arrays;
        for var in &stm.pat {
            if is_positions(&stm.exp) {
                self.positions.insert(*var);
            }
            let varies = if is_view {
                varies
            } else if keeps_distance(&stm.exp) {
                varies.made()
            } else {
                varies.far()
            };
            self.known.insert(*var, varies);
        }
    }
}

/// Whether the elements of an array are their own positions.
pub fn is_positions(exp: &Exp) -> bool {
    let [zero, one] = [0, 1].map(Atom::i64);
    matches!(exp, Exp::Iota(Prim::I64, _, start, step) if (*start, *step) == (zero, one))
}

/// Whether an array is nothing but a way to look at another one.
fn is_view(exp: &Exp) -> bool {
    matches!(exp, Exp::Index(..) | Exp::FlatIndex(..) | Exp::Reshape(..) | Exp::Rearrange(..))
}

/// Whether what is computed from neighbouring numbers is neighbours, too, or the same everywhere.
fn keeps_distance(exp: &Exp) -> bool {
    let op = |op: &BinOp| matches!(op, BinOp::Add | BinOp::Sub | BinOp::Min | BinOp::Max);
    matches!(exp, Exp::BinOp(known, ..) if op(known)) || matches!(exp, Exp::Convert(..))
}
