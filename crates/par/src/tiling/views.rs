//! How elements of views lie in memory.

use fehu_base::IdVec;
use fehu_facts::{Variance, Varies};
use fehu_ir::{Atom, Dim, Exp, Lambda, Stm, Var, VarInfo};
use rustc_hash::FxHashMap;

/// The arrays that others are views of, and which dimensions of these they have. An array that is no view lies in row-major
/// order, as far as is known before there is memory.
#[derive(Default)]
pub(super) struct Views {
    known: FxHashMap<Var, View>,
}

/// An array as a part of another one.
#[derive(Clone)]
struct View {
    /// For each dimension of the other array, what determines the index there.
    at: Vec<Vec<At>>,
    /// Which of these dimensions are those of the view, in its order.
    dims: Vec<usize>,
}

/// A part of an index.
#[derive(Clone, Copy)]
enum At {
    Atom(Atom),
    /// The position along this dimension of a space.
    Position(usize),
}

impl Views {
    /// Learns what a statement binds.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else keeps dimensions apart")]
    pub(super) fn stm(&mut self, stm: &Stm, vars: &IdVec<Var, VarInfo>) {
        let [var] = stm.pat[..] else { return };
        if !vars[var].ty.is_array() {
            return;
        }
        let view = match &stm.exp {
            Exp::Atom(Atom::Var(array)) => self.of(*array, vars),
            Exp::Index(array, dims) => self.of(*array, vars).index(dims),
            Exp::Rearrange(array, order) => {
                let View { at, dims } = self.of(*array, vars);
                View { at, dims: order.iter().map(|dim| dims[*dim]).collect() }
            }
            _ => return,
        };
        self.known.insert(var, view);
    }

    /// The parameters of a function that is applied to the elements of inputs. Their positions are a dimension of the space, if one is given.
    pub(super) fn enter(
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

    /// How the index of an element in the innermost dimension in memory differs between positions. Without indices, it is an
    /// element of an input whose positions are the last dimension given.
    pub(super) fn innermost(
        &self,
        array: Var,
        dims: &[Dim],
        step: usize,
        variance: &Variance<'_>,
        vars: &IdVec<Var, VarInfo>,
    ) -> Varies {
        let view = self.of(array, vars);
        let element = if dims.is_empty() { view.row(Some(step)) } else { view.index(dims) };
        let at = element.at.last().into_iter().flatten();
        at.fold(Varies::default(), |all, at| match at {
            At::Atom(atom) => all.and(variance.atom(*atom)),
            At::Position(dim) => all.and(Varies::along(*dim)),
        })
    }

    fn of(&self, array: Var, vars: &IdVec<Var, VarInfo>) -> View {
        let rank = vars[array].ty.rank();
        let itself = || View { at: vec![Vec::new(); rank], dims: (0..rank).collect() };
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
        View { dims: left, ..self }
    }

    /// An element along the first dimension.
    fn row(mut self, dim: Option<usize>) -> View {
        if !self.dims.is_empty() {
            let first = self.dims.remove(0);
            self.at[first].extend(dim.map(At::Position));
        }
        self
    }
}
