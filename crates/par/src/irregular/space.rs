//! Spaces of positions, and where the variables of functions are to be found in them.
//!
//! The first space has the positions of the map itself. Inside an irregular operator whose function is lifted as well,
//! there is a space with all positions of all its rows; in a branch, or in an iteration of a loop, one with those
//! positions of the space around that take part. A variable has a [`Home`] in a space, which is found from that in the
//! space around when it is asked for: elements are repeated for each position of a row, or selected.

use super::Irregular;
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::{Subst, copy_stm, subst_stm};
use fehu_ir::{
    Atom, BinOp, Body, Dim, Exp, Lambda, Red, Rows, Scalar, Scan, Screma, Seg, Stm, Type, Var,
    VarInfo,
};
use rustc_hash::FxHashSet;

/// Positions.
#[derive(Clone, Debug)]
pub(super) struct Space {
    /// How many there are, known to the host.
    pub(super) count: Atom,
    pub(super) around: Option<Around>,
}

/// How the positions of a space follow from those of the space around it.
#[derive(Clone, Debug)]
pub(super) enum Around {
    /// Each position there has a row of them here.
    Rows(usize, RowsOf),
    /// They are some of those there, whose numbers this array has.
    Some(usize, Var),
}

/// Where the value of a variable at a position of a space is.
#[derive(Clone, Debug)]
pub(super) enum Home {
    /// It is an element of this array of the host, by the number of the position.
    Stored(Var),
    /// It is a row of this array of the host, from an element on whose number is a variable of the space.
    Row(Var, Var),
    /// It is computed wherever it is needed.
    Repeated(Stm),
    /// A check that was made.
    Passed,
}

/// The rows of an operator: their width at each position of a space, where they start, where they end, and how many
/// positions they have together. The first two are variables of the space.
#[derive(Clone, Debug)]
pub(super) struct RowsOf {
    pub(super) width: Var,
    pub(super) start: Var,
    pub(super) ends: Var,
    pub(super) total: Atom,
}

/// What code needs in a space.
#[derive(Default)]
pub(super) struct Needs {
    /// Parameters, and the arrays of which they are elements.
    inputs: Vec<(Var, Var)>,
    /// What is computed first.
    stms: Vec<Stm>,
    seen: FxHashSet<Var>,
}

impl Irregular<'_> {
    /// Where a variable is to be found in a space.
    pub(super) fn home(&mut self, var: Var, space: usize) -> Home {
        if let Some(home) = self.homes.get(&(var, space)) {
            return home.clone();
        }
        let around = self.spaces[space].around.clone().or_bug("home of a variable");
        let outer = match &around {
            Around::Rows(outer, _) | Around::Some(outer, _) => *outer,
        };
        let home = match (self.home(var, outer), &around) {
            (Home::Stored(array), Around::Rows(_, rows)) => {
                Home::Stored(self.repeat_elements(var, array, outer, rows))
            }
            (Home::Stored(array), Around::Some(_, order)) => {
                let ty = self.vars[var].ty.clone();
                Home::Stored(self.select(&ty, array, space, *order))
            }
            (home @ (Home::Row(..) | Home::Repeated(_) | Home::Passed), _) => home,
        };
        self.homes.insert((var, space), home.clone());
        home
    }

    /// Forgets what is to be found in this space and those after it, which are inside of it. Checks that were put off
    /// there are made.
    pub(super) fn leave(&mut self, space: usize) {
        if self.unchecked.as_ref().is_some_and(|(of, _)| *of >= space) {
            self.settle();
        }
        self.homes.retain(|(_, of), _| *of < space);
        self.rows.retain(|(_, of), _| *of < space);
        self.products.retain(|((_, _, of), _)| *of < space);
    }

    /// An element for each position of a row.
    fn repeat_elements(&mut self, var: Var, array: Var, outer: usize, rows: &RowsOf) -> Var {
        self.homes.insert((var, outer), Home::Stored(array));
        let ty = self.vars[var].ty.clone();
        let map = Lambda { params: Vec::new(), body: Body::of(vec![var.into()]), ret: vec![ty] };
        self.row_map(map, &[], outer, rows)[0]
    }

    /// A map over the positions of all rows, whose results become arrays of the host.
    pub(super) fn row_map(
        &mut self,
        map: Lambda,
        inputs: &[Var],
        space: usize,
        rows: &RowsOf,
    ) -> Vec<Var> {
        let width = Atom::Var(rows.width);
        let types: Vec<Type> = map.ret.iter().filter_map(|ty| ty.array_of(width)).collect();
        let pat: Vec<Var> = types.into_iter().map(|ty| self.local("elems", ty)).collect();
        let (scans, reds) = (Vec::new(), Vec::new());
        let inputs = self.as_wide(inputs, space, rows);
        let op = Screma { width, inputs, map, scans, reds };
        self.row_seg(Stm::new(pat, Exp::Screma(Box::new(op))), space, rows)
    }

    /// Arrays as views that are as wide as rows are, also if their sizes are the same everywhere.
    pub(super) fn as_wide(&mut self, arrays: &[Var], space: usize, rows: &RowsOf) -> Vec<Var> {
        let width = Atom::Var(rows.width);
        let mut views = Vec::with_capacity(arrays.len());
        for array in arrays {
            let VarInfo { hint, ty } = self.vars[*array].clone();
            let (Type::Array(elem, mut shape), false) =
                (ty.clone(), ty.shape().first() == Some(&width))
            else {
                views.push(*array);
                continue;
            };
            shape[0] = width;
            let dims = shape.iter().map(|size| whole(*size)).collect();
            let view = self.local(&hint, Type::Array(elem, shape));
            let stm = Stm::new(vec![view], Exp::Index(*array, dims));
            self.homes.insert((view, space), Home::Repeated(stm));
            views.push(view);
        }
        views
    }

    /// The elements of an array at some positions.
    pub(super) fn select(&mut self, ty: &Type, array: Var, space: usize, order: Var) -> Var {
        let width = self.spaces[space].count;
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("at".into(), Type::I64)], vec![ty.clone()], |b, at| {
            let mut dims = vec![Dim::Fix(at[0].into())];
            dims.extend(ty.shape().iter().map(|size| whole(*size)));
            vec![b.typed("elem", ty.clone(), Exp::Index(array, dims)).into()]
        });
        let (scans, reds) = (Vec::new(), Vec::new());
        let op = Screma { width, inputs: vec![order], map, scans, reds };
        let result = array_of(ty, width);
        self.bind("some", result, Exp::Screma(Box::new(op)))
    }

    /// A new variable of positions.
    pub(super) fn local(&mut self, hint: &str, ty: Type) -> Var {
        let var = self.vars.push(VarInfo { hint: hint.into(), ty });
        self.labels.differs(var, self.vars);
        var
    }

    /// Binds a result of the host.
    pub(super) fn bind(&mut self, hint: &str, ty: Type, exp: Exp) -> Var {
        let var = self.vars.push(VarInfo { hint: hint.into(), ty });
        self.out.push(Stm::new(vec![var], exp));
        var
    }

    /// A number of the host.
    pub(super) fn number(&mut self, hint: &str, exp: Exp) -> Atom {
        self.bind(hint, Type::I64, exp).into()
    }

    /// Finds out how a variable is to be had in a space.
    pub(super) fn need(&mut self, var: Var, space: usize, needs: &mut Needs) {
        if self.labels.is_avoided(var.into()) || !needs.seen.insert(var) {
            return;
        }
        if let Type::Acc(of) = &self.vars[var].ty {
            let acc = self.accs.get(of).or_bug("an accumulator of the host");
            return needs.inputs.push((var, *acc));
        }
        match self.home(var, space) {
            Home::Stored(array) => {
                // Its type may mention sizes, which are the host's.
                needs.inputs.push((var, array));
            }
            Home::Row(data, start) => {
                self.need(start, space, needs);
                let ty = self.vars[var].ty.clone();
                for size in ty.shape().iter().filter_map(|size| size.var()) {
                    self.need(size, space, needs);
                }
                self.row_view(var, data, start, &mut needs.stms);
            }
            Home::Repeated(stm) => {
                for var in free_in_stm(&stm, self.vars) {
                    self.need(var, space, needs);
                }
                needs.seen.extend(&stm.pat);
                needs.stms.push(stm);
            }
            Home::Passed => {}
        }
    }

    /// Binds a variable to a row of an array: consecutive elements, in the shape that its type has.
    fn row_view(&mut self, var: Var, data: Var, start: Var, stms: &mut Vec<Stm>) {
        let ty = self.vars[var].ty.clone();
        let whole_ty = self.vars[data].ty.clone();
        // The dimensions that all rows have in common are those of the array.
        let common = whole_ty.rank() - 1;
        let (own, inner) = ty.shape().split_at(ty.rank() - common);
        let mut size = own[0];
        for next in &own[1..] {
            let product = self.local("size", Type::I64);
            stms.push(Stm::new(vec![product], Exp::BinOp(BinOp::Mul, size, *next)));
            size = product.into();
        }
        let (start, stride) = (start.into(), Atom::i64(1));
        let mut dims = vec![Dim::Slice { start, len: size, stride }];
        dims.extend(inner.iter().map(|size| whole(*size)));
        if own.len() == 1 {
            stms.push(Stm::new(vec![var], Exp::Index(data, dims)));
            return;
        }
        let elem = ty.elem().or_bug("the elements of an array");
        let flat = self.local("flat", Type::array(elem, [&[size], inner].concat()));
        stms.push(Stm::new(vec![flat], Exp::Index(data, dims)));
        stms.push(Stm::new(vec![var], Exp::Reshape(flat, ty.shape().to_vec())));
    }

    /// Makes the checks that were put off.
    pub(super) fn settle(&mut self) {
        if let Some((space, _)) = self.unchecked {
            self.flat_map(&[], &[], space);
        }
    }

    /// Adds what statements need in a space, apart from what they bind themselves.
    fn add_needs(&mut self, stms: &[Stm], results: &[Atom], space: usize, needs: &mut Needs) {
        needs.seen.extend(stms.iter().flat_map(|stm| &stm.pat));
        let body = Body { stms: stms.to_vec(), results: results.to_vec() };
        for var in fehu_ir::free::free_in_body(&body, self.vars) {
            self.need(var, space, needs);
        }
    }

    /// A statement with variables of its own, without the checks that were made before.
    pub(super) fn finished(&mut self, stm: Stm, space: usize) -> Vec<Var> {
        let mut stm = copy_stm(&stm, self.vars);
        let mut passed = Subst::default();
        for var in free_in_stm(&stm, self.vars) {
            if self.vars[var].ty == Type::CERT
                && !self.labels.is_avoided(var.into())
                && matches!(self.home(var, space), Home::Passed)
            {
                passed.insert(var, Atom::Const(Scalar::Unit));
            }
        }
        subst_stm(&mut stm, self.vars, &passed);
        for var in &stm.pat {
            if let Type::Acc(of) = &self.vars[*var].ty {
                self.accs.insert(*of, *var);
            }
        }
        let pat = stm.pat.clone();
        self.out.push(stm);
        pat
    }

    /// A function of the positions of a space, around these statements, and the arrays that it is applied to. It also
    /// makes the checks that were put off.
    pub(super) fn function(
        &mut self,
        stms: &[Stm],
        results: Vec<Atom>,
        ret: Vec<Type>,
        space: usize,
    ) -> (Lambda, Vec<Var>) {
        let mut needs = Needs::default();
        if self.unchecked.as_ref().is_some_and(|(at, _)| *at != space) {
            self.settle();
        }
        if let Some((_, checks)) = self.unchecked.take() {
            // They come first: what follows may rely on them.
            self.add_needs(&checks, &[], space, &mut needs);
            needs.stms.extend(checks);
        }
        self.add_needs(stms, &results, space, &mut needs);
        let (params, inputs): (Vec<Var>, Vec<Var>) = needs.inputs.into_iter().unzip();
        let body = Body { stms: [needs.stms, stms.to_vec()].concat(), results };
        (Lambda { params, body, ret }, inputs)
    }

    /// A map over the positions of a space, around these statements; the arrays with its results.
    pub(super) fn flat_map(&mut self, stms: &[Stm], results: &[Var], space: usize) -> Vec<Var> {
        self.flat(stms, results, space, (Vec::new(), Vec::new()))
    }

    /// Likewise, where the first results are scanned or reduced.
    pub(super) fn flat(
        &mut self,
        stms: &[Stm],
        results: &[Var],
        space: usize,
        (scans, reds): (Vec<Scan>, Vec<Red>),
    ) -> Vec<Var> {
        let atoms: Vec<Atom> = results.iter().map(|var| Atom::Var(*var)).collect();
        let ret: Vec<Type> = results.iter().map(|var| self.vars[*var].ty.clone()).collect();
        let (map, inputs) = self.function(stms, atoms, ret.clone(), space);
        let width = self.spaces[space].count;
        let reduced = scans.len()..scans.len() + reds.len();
        let op = Screma { width, inputs, map, scans, reds };
        let mut pat = Vec::with_capacity(ret.len());
        for (k, (ty, like)) in ret.iter().zip(results).enumerate() {
            let hint = self.vars[*like].hint.clone();
            let ty = match ty {
                Type::Acc(_) => ty.clone(),
                Type::Scalar(_) | Type::Array(..) if reduced.contains(&k) => ty.clone(),
                Type::Scalar(_) | Type::Array(..) => array_of(ty, width),
            };
            pat.push(self.vars.push(VarInfo { hint, ty }));
        }
        self.finished(Stm::new(pat, Exp::Screma(Box::new(op))), space)
    }

    /// The array of a variable's values at all positions of a space.
    pub(super) fn stored(&mut self, atom: Atom, space: usize) -> Var {
        let count = self.spaces[space].count;
        match atom {
            Atom::Var(var) if !self.labels.is_avoided(atom) => match self.home(var, space) {
                Home::Stored(array) => array,
                Home::Row(..) | Home::Repeated(_) | Home::Passed => {
                    let array = self.flat_map(&[], &[var], space)[0];
                    self.homes.insert((var, space), Home::Stored(array));
                    array
                }
            },
            Atom::Var(_) | Atom::Const(_) => {
                let ty = array_of(&fehu_ir::builder::atom_type(atom, self.vars), count);
                self.bind("same", ty, Exp::Replicate(vec![count], atom))
            }
        }
    }

    /// Stores the values of variables at all positions of a space, by one map if they are not stored yet.
    pub(super) fn store(&mut self, vars: &[Var], space: usize) {
        let mut missing: Vec<Var> = Vec::new();
        for var in vars {
            let is_stored = self.labels.is_avoided((*var).into())
                || matches!(self.home(*var, space), Home::Stored(_));
            if !is_stored && !missing.contains(var) {
                missing.push(*var);
            }
        }
        if missing.is_empty() {
            return;
        }
        let arrays = self.flat_map(&[], &missing, space);
        for (var, array) in missing.into_iter().zip(arrays) {
            self.homes.insert((var, space), Home::Stored(array));
        }
    }

    /// An operator on numbers of positions.
    pub(super) fn operator(&mut self, op: BinOp) -> Lambda {
        let mut b = Builder::new(self.vars);
        let params = vec![("a".into(), Type::I64), ("b".into(), Type::I64)];
        b.lambda(params, vec![Type::I64], |b, of| {
            vec![b.exp("both", Exp::BinOp(op, of[0].into(), of[1].into())).into()]
        })
    }

    /// A Seg over rows: an operator that is as wide as they are, at each position of a space. The arrays of the host
    /// with its results.
    pub(super) fn row_seg(&mut self, op: Stm, space: usize, rows: &RowsOf) -> Vec<Var> {
        let results = op.pat.clone();
        self.row_seg_with(vec![op], &results, space, rows)
    }

    /// Likewise, of an operator and its epilogue, if there is one, with these results.
    pub(super) fn row_seg_with(
        &mut self,
        ops: Vec<Stm>,
        results: &[Var],
        space: usize,
        rows: &RowsOf,
    ) -> Vec<Var> {
        self.settle();
        let mut needs = Needs::default();
        needs.seen.extend([rows.width, rows.start]);
        self.add_needs(&ops, &[], space, &mut needs);
        let index = self.vars.push(VarInfo { hint: "i".into(), ty: Type::I64 });
        // Elements are read by indexing; only accumulators are inputs.
        let is_acc = |(param, _): &(Var, Var)| matches!(self.vars[*param].ty, Type::Acc(_));
        let (accs, elements): (Vec<_>, Vec<_>) = needs.inputs.into_iter().partition(is_acc);
        let mut stms = Vec::with_capacity(elements.len() + needs.stms.len() + ops.len());
        for (element, array) in elements {
            let rest = self.vars[element].ty.shape().iter().map(|size| whole(*size));
            let dims = std::iter::once(Dim::Fix(index.into())).chain(rest).collect();
            stms.push(Stm::new(vec![element], Exp::Index(array, dims)));
        }
        stms.append(&mut needs.stms);
        let (params, inputs): (Vec<Var>, Vec<Var>) = accs.into_iter().unzip();
        let params = [vec![index, rows.start, rows.width], params].concat();
        let ret: Vec<Type> = results.iter().map(|var| self.vars[*var].ty.clone()).collect();
        let hints: Vec<_> = results.iter().map(|var| self.vars[*var].hint.clone()).collect();
        let results = results.iter().map(|var| Atom::Var(*var)).collect();
        let loc = ops.first().and_then(|op| op.loc.clone());
        stms.extend(ops.into_iter().map(|op| Stm { attrs: Vec::new(), ..op }));
        let body = Lambda { params, body: Body { stms, results }, ret: ret.clone() };
        let seg = Seg {
            level: self.level,
            space: vec![self.spaces[space].count],
            rows: Some(Rows { ends: rows.ends, total: rows.total }),
            inputs,
            body,
            tiling: None,
            lanes: false,
        };
        let mut pat = Vec::with_capacity(ret.len());
        for (ty, hint) in ret.into_iter().zip(hints) {
            pat.push(self.vars.push(VarInfo { hint, ty: seg.whole(ty) }));
        }
        self.finished(Stm { loc, ..Stm::new(pat, Exp::Seg(Box::new(seg))) }, space)
    }

    /// Whether the elements of an operator's results have the same sizes at all positions.
    pub(super) fn has_regular_elements(&self, stm: &Stm, folded: usize) -> bool {
        stm.pat[folded..].iter().all(|var| {
            let shape = self.vars[*var].ty.shape();
            shape.iter().skip(1).all(|size| self.labels.is_avoided(*size))
        })
    }
}

/// All elements of a dimension.
pub(super) fn whole(size: Atom) -> Dim {
    Dim::Slice { start: Atom::i64(0), len: size, stride: Atom::i64(1) }
}

/// An array of so many.
pub(super) fn array_of(ty: &Type, count: Atom) -> Type {
    ty.array_of(count).or_bug("an array of what is no accumulator")
}

/// The type of numbers of positions.
pub(super) fn numbers(count: Atom) -> Type {
    Type::array(Prim::I64.into(), vec![count])
}
