//! How elements of views lie in memory.

use crate::{Variance, Varies};
use fehu_base::IdVec;
use fehu_ir::{Atom, Dim, Exp, Lambda, Stm, Var, VarInfo};
use rustc_hash::FxHashMap;

/// The arrays that others are views of, and which dimensions of these they have. An array that is no view lies in row-major
/// order, as far as is known before there is memory.
#[derive(Default)]
pub struct Views {
    known: FxHashMap<Var, View>,
}

/// An array as a part of another one.
#[derive(Clone)]
struct View {
    /// The other array.
    root: Var,
    /// For each dimension of the other array, what determines the index there.
    at: Vec<Vec<At>>,
    /// Which of these dimensions are those of the view, in its order.
    dims: Vec<usize>,
    /// Whether it has all elements of the other one.
    is_whole: bool,
}

/// A part of an index.
#[derive(Clone, Copy)]
enum At {
    Atom(Atom),
    /// The position along this dimension of a space.
    Position(usize),
}

/// What an array is a view of.
pub struct Origin {
    /// An array that is no view.
    pub root: Var,
    /// Which of its dimensions the view has, in the order of the view.
    pub dims: Vec<usize>,
    /// Whether the view has all its elements.
    pub is_whole: bool,
}

/// An element of an array that is no view.
pub struct Element {
    /// The array.
    pub root: Var,
    /// How its index in each dimension differs between positions.
    pub at: Vec<Varies>,
}

impl Views {
    /// Learns what a statement binds.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else keeps dimensions apart")]
    pub fn stm(&mut self, stm: &Stm, vars: &IdVec<Var, VarInfo>) {
        let [var] = stm.pat[..] else { return };
        if !vars[var].ty.is_array() {
            return;
        }
        let view = match &stm.exp {
            Exp::Atom(Atom::Var(array)) => self.of(*array, vars),
            Exp::Index(array, dims) => self.of(*array, vars).index(dims),
            Exp::Rearrange(array, order) => {
                let view = self.of(*array, vars);
                let dims = order.iter().map(|dim| view.dims[*dim]).collect();
                View { dims, ..view }
            }
            _ => return,
        };
        self.known.insert(var, view);
    }

    /// The parameters of a function that is applied to the elements of inputs. Their positions are a dimension of the
    /// space, if one is given.
    pub fn enter(
        &mut self,
        map: &Lambda,
        inputs: &[Var],
        dim: Option<usize>,
        vars: &IdVec<Var, VarInfo>,
    ) {
        for (param, input) in map.params.iter().zip(inputs) {
            if vars[*param].ty.is_array() {
                let row = self.of(*input, vars).row(dim);
                self.known.insert(*param, row);
            }
        }
    }

    /// An element of an input along these dimensions of the space, which is an array.
    pub fn enter_at(&mut self, param: Var, input: Var, dims: &[usize], vars: &IdVec<Var, VarInfo>) {
        let element = dims.iter().fold(self.of(input, vars), |view, dim| view.row(Some(*dim)));
        self.known.insert(param, element);
    }

    /// The array that another one is a view of.
    pub fn origin(&self, array: Var, vars: &IdVec<Var, VarInfo>) -> Origin {
        let View { root, dims, is_whole, .. } = self.of(array, vars);
        Origin { root, dims, is_whole }
    }

    /// An element of an array. What is left of its dimensions goes with these dimensions of the space: an element of an input
    /// has no indices, and goes with one.
    pub fn element(
        &self,
        array: Var,
        dims: &[Dim],
        rest: &[usize],
        variance: &Variance<'_>,
        vars: &IdVec<Var, VarInfo>,
    ) -> Element {
        let view = self.of(array, vars).index(dims);
        let View { root, at, .. } = rest.iter().fold(view, |view, dim| view.row(Some(*dim)));
        let varies = |at: &Vec<At>| {
            at.iter().fold(Varies::default(), |all, at| match at {
                At::Atom(atom) => all.and(variance.atom(*atom)),
                At::Position(dim) => all.and(Varies::along(*dim)),
            })
        };
        Element { root, at: at.iter().map(varies).collect() }
    }

    /// How the index of an element in the innermost dimension in memory differs between positions. Without indices, it is an
    /// element of an input whose positions are the last dimension given.
    pub fn innermost(
        &self,
        array: Var,
        dims: &[Dim],
        step: usize,
        variance: &Variance<'_>,
        vars: &IdVec<Var, VarInfo>,
    ) -> Varies {
        let rest: &[usize] = if dims.is_empty() { &[step] } else { &[] };
        self.element(array, dims, rest, variance, vars).at.last().copied().unwrap_or_default()
    }

    fn of(&self, array: Var, vars: &IdVec<Var, VarInfo>) -> View {
        let rank = vars[array].ty.rank();
        let itself = || View {
            root: array,
            at: vec![Vec::new(); rank],
            dims: (0..rank).collect(),
            is_whole: true,
        };
        self.known.get(&array).cloned().unwrap_or_else(itself)
    }
}

impl View {
    fn index(mut self, dims: &[Dim]) -> View {
        let mut left = Vec::new();
        for (own, dim) in self.dims.iter().zip(dims) {
            match dim {
                Dim::Fix(at) => self.at[*own].push(At::Atom(*at)),
                Dim::Slice { start, stride, .. } => {
                    self.at[*own].extend([*start, *stride].map(At::Atom));
                    left.push(*own);
                }
            }
        }
        left.extend(self.dims.iter().skip(dims.len()));
        View { dims: left, is_whole: self.is_whole && dims.is_empty(), ..self }
    }

    /// An element along the first dimension.
    fn row(mut self, dim: Option<usize>) -> View {
        if !self.dims.is_empty() {
            let first = self.dims.remove(0);
            self.at[first].extend(dim.map(At::Position));
        }
        self.is_whole = false;
        self
    }
}
