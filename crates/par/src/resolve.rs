//! Finds arrays of the host that already contain what the levels together would compute, so that nothing is copied.
//!
//! The elements of an input of the innermost level together form the input itself, and a transposition of something
//! that has such an array is a transposition of the array (G6). Something that is the same at all positions is
//! replicated.
//!
//! Expressions that the host would evaluate, but the levels would not if there are no positions, are excluded: slices
//! whose indices are out of bounds, and negative sizes, if the surrounding array is empty.

use crate::build::Inside;
use crate::context::{Cx, Home};
use fehu_ir::{Atom, Body, Dim, Exp, Scalar, Stm, Type, Var};

impl Cx<'_> {
    /// The arrays of the host for operands of the innermost level, made where there are none.
    pub(crate) fn results(&mut self, results: &[Atom]) -> Vec<Var> {
        let mut found: Vec<Option<Var>> = Vec::new();
        let mut scalars: Vec<Atom> = Vec::new();
        for result in results {
            let array = self.resolve(*result, self.levels.len());
            found.push(match (array, *result) {
                (Some(array), _) => Some(array),
                (None, Atom::Var(var)) if self.vars[var].ty.is_array() => Some(self.manifest(var)),
                (None, atom) => {
                    if !scalars.contains(&atom) {
                        scalars.push(atom);
                    }
                    None
                }
            });
        }
        if scalars.is_empty() {
            return found.into_iter().flatten().collect();
        }
        // All that is left together.
        let arrays = self.nest(Vec::new(), &scalars);
        for (atom, array) in scalars.iter().zip(&arrays) {
            if let Atom::Var(var) = atom {
                self.keep(*var, *array);
            }
        }
        let made = |atom: &Atom| scalars.iter().position(|other| other == atom);
        (results.iter().zip(found))
            .filter_map(|(result, found)| found.or_else(|| Some(arrays[made(result)?])))
            .collect()
    }

    /// The array of the host for an operand of the outermost `depth` levels, if there is one, or it is a matter of the
    /// host to make it.
    pub(crate) fn resolve(&mut self, atom: Atom, depth: usize) -> Option<Var> {
        if depth == 0 {
            return atom.var();
        }
        if self.is_host(atom) {
            return self.repeat(atom, depth);
        }
        let var = atom.var()?;
        match self.homes.get(&var).copied()? {
            Home::Param(level, input) if level + 1 == depth => {
                // What the level around does not vary is not repeated for nothing.
                let repeats = level > 0 && self.is_host(input.into());
                if repeats { None } else { self.resolve(input.into(), level) }
            }
            Home::Stored(level, array) if level + 1 == depth => Some(array),
            Home::Def(level, index) if level + 1 == depth => {
                let stm = self.levels[level].defs[index].clone();
                self.view(var, &stm, depth)
            }
            Home::Passed => self.repeat(Atom::Const(Scalar::Unit), depth),
            Home::Param(..) | Home::Stored(..) | Home::Def(..) => None,
        }
    }

    fn repeat(&mut self, atom: Atom, depth: usize) -> Option<Var> {
        let widths = self.widths()[..depth].to_vec();
        let known = widths[1..].iter().all(|width| matches!(width, Atom::Const(_)));
        known.then(|| self.bind(atom, Exp::Replicate(widths, atom)))
    }

    /// A view of the array of the host for what a definition looks at.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other arrays need a nest")]
    fn view(&mut self, var: Var, stm: &Stm, depth: usize) -> Option<Var> {
        match &stm.exp {
            Exp::Atom(atom) => self.resolve(*atom, depth),
            Exp::Index(base, dims)
                if !self.is_host((*base).into())
                    && self.evaluated()
                    && dims.iter().all(|dim| self.is_host_dim(dim)) =>
            {
                let array = self.resolve((*base).into(), depth)?;
                let widths = self.widths()[..depth].to_vec();
                let (start, stride) = (Atom::i64(0), Atom::i64(1));
                let whole = widths.iter().map(|len| Dim::Slice { start, len: *len, stride });
                let all = whole.chain(dims.iter().cloned()).collect();
                self.assumed = true;
                let view = self.bind(var.into(), Exp::Index(array, all));
                self.alias(view, array);
                Some(view)
            }
            Exp::Reshape(base, shape)
                if !self.is_host((*base).into())
                    && self.evaluated()
                    && shape.iter().all(|size| self.is_host(*size)) =>
            {
                let array = self.resolve((*base).into(), depth)?;
                let sizes = self.widths()[..depth].iter().chain(shape).copied().collect();
                self.assumed = true;
                let view = self.bind(var.into(), Exp::Reshape(array, sizes));
                self.alias(view, array);
                Some(view)
            }
            Exp::Rearrange(base, perm) if !self.is_host((*base).into()) => {
                let array = self.resolve((*base).into(), depth)?;
                let all = (0..depth).chain(perm.iter().map(|dim| depth + dim));
                let view = self.bind(var.into(), Exp::Rearrange(array, all.collect()));
                self.alias(view, array);
                Some(view)
            }
            _ => None,
        }
    }

    /// Copies an array of the innermost level to the host.
    pub(crate) fn manifest(&mut self, var: Var) -> Var {
        let ty = self.vars[var].ty.clone();
        let copy = self.fresh(var.into(), ty);
        let arrays = self.nest_of(
            Inside::Operator,
            vec![Stm::new(vec![copy], Exp::Copy(var))],
            &[copy.into()],
        );
        let array = arrays.first().copied().unwrap_or(copy);
        self.keep(var, array);
        array
    }

    /// Updates all rows at once, in place.
    pub(crate) fn update(&mut self, stm: &Stm) -> Vec<Var> {
        let Exp::Update(array, dims, value) = &stm.exp else { return Vec::new() };
        let arrays = self.results(&[(*array).into(), *value]);
        let [array, value] = arrays[..] else { return Vec::new() };
        let widths = self.widths();
        let (start, stride) = (Atom::i64(0), Atom::i64(1));
        let whole = widths.iter().map(|len| Dim::Slice { start, len: *len, stride });
        let exp = Exp::Update(array, whole.chain(dims.iter().cloned()).collect(), value.into());
        // Without positions nothing says that the place is there.
        let (stms, updated) = self.inside(|cx| cx.bind(array.into(), exp));
        self.alias(updated, array);
        let unknown = |width: &Atom| matches!(width, Atom::Var(_));
        if self.evaluated() || !widths.iter().any(unknown) {
            self.assumed |= widths.iter().any(unknown);
            self.out.extend(stms);
            return vec![updated];
        }
        let some = self.some();
        let result = self.fresh(array.into(), self.vars[array].ty.clone());
        self.alias(result, updated);
        let yes = Body { stms, results: vec![updated.into()] };
        let exp = Exp::If(some, Box::new([yes, Body::of(vec![array.into()])]));
        self.out.push(Stm { loc: stm.loc.clone(), ..Stm::new(vec![result], exp) });
        vec![result]
    }

    pub(crate) fn is_host_dim(&self, dim: &Dim) -> bool {
        match dim {
            Dim::Fix(atom) => self.is_host(*atom),
            Dim::Slice { start, len, stride } => {
                [start, len, stride].iter().all(|atom| self.is_host(**atom))
            }
        }
    }

    /// Notes that what the innermost level has is also in an array of the host.
    fn keep(&mut self, var: Var, array: Var) {
        match self.homes.get(&var) {
            Some(Home::Param(level, _) | Home::Stored(level, _) | Home::Def(level, _))
                if level + 1 == self.levels.len() =>
            {
                self.store(var, array);
            }
            _ => {}
        }
    }

    /// The results of a map have memory of their own. Where `arrays`, found for the variables of its pattern, may share
    /// some that is older than `mark`, and somebody changes either, there is a copy.
    pub(crate) fn own(&mut self, arrays: Vec<Var>, pat: &[Var], mark: usize) -> Vec<Var> {
        let mut all: Vec<Var> = Vec::new();
        for (array, var) in arrays.into_iter().zip(pat) {
            if !matches!(self.vars[array].ty, Type::Array(..)) {
                all.push(array);
                continue;
            }
            let class = self.aliases.class(array, &self.share);
            let other = all.iter().any(|other| self.aliases.same(*other, array));
            let stays = self.share.is_fixed(*var);
            if stays && !class.changes {
                all.push(array);
            } else if class.oldest >= mark && !other {
                all.push(array);
                // Another result may be found in the same array.
                if !stays {
                    self.aliases.change(array, &self.share);
                }
            } else {
                let copy = self.bind((*var).into(), Exp::Copy(array));
                all.push(copy);
            }
        }
        all
    }
}
