//! Reductions and scans of whole rows become reductions and scans of their elements (G5).
//!
//! ```text
//! reduce (map2 op) ns zss    ==>    map (\n zs -> reduce op n zs) ns (transpose zss)
//! scan (map2 op) ns zss      ==>    transpose (map (\n zs -> scan op n zs) ns (transpose zss))
//! ```
//!
//! The order of the operands is preserved. The operator may combine tuples of rows, and may consist of several maps.

use crate::context::{Cx, Home};
use fehu_base::IdVec;
use fehu_ir::VarInfo;
use fehu_ir::free::free_in_lambda;
use fehu_ir::pass::RemarkKind;
use fehu_ir::{Atom, Body, Exp, Lambda, Red, Scan, Screma, Stm, Type, Var};
use rustc_hash::FxHashMap;

/// The operator on elements of an operator that consists of maps over its operands and over each other's results, and
/// the width of these maps.
pub(crate) fn element_operator(op: &Lambda, vars: &IdVec<Var, VarInfo>) -> Option<(Lambda, Atom)> {
    let mut width = None;
    // What the element of an array is, once there is a name for it.
    let mut elements: FxHashMap<Var, Atom> = FxHashMap::default();
    let mut stms = Vec::new();
    for stm in &op.body.stms {
        let Exp::Screma(map) = &stm.exp else { return None };
        let whole = |var: &Var| op.params.contains(var) || elements.contains_key(var);
        if map.folded() > 0
            || !stm.certs.is_empty()
            || *width.get_or_insert(map.width) != map.width
            || free_in_lambda(&map.map, vars).iter().any(whole)
        {
            return None;
        }
        for (input, param) in map.inputs.iter().zip(&map.map.params) {
            match elements.get(input) {
                Some(element) => stms.push(Stm::new(vec![*param], Exp::Atom(*element))),
                None if op.params.contains(input) => {
                    elements.insert(*input, (*param).into());
                }
                None => return None,
            }
        }
        stms.extend(map.map.body.stms.iter().cloned());
        elements.extend(stm.pat.iter().copied().zip(map.map.body.results.iter().copied()));
    }
    let of = |var: Var| elements.get(&var).copied();
    let params: Option<Vec<Var>> = op.params.iter().map(|param| of(*param)?.var()).collect();
    let results: Option<Vec<Atom>> =
        op.body.results.iter().map(|result| of(result.var()?)).collect();
    let ret: Option<Vec<Type>> = op.ret.iter().map(|ty| ty.row()).collect();
    let body = Body { stms, results: results? };
    Some((Lambda { params: params?, body, ret: ret? }, width?))
}

/// One of the reductions and scans of an operator.
pub(crate) enum Fold {
    Scan(Scan),
    Red(Red),
}

impl Fold {
    pub(crate) fn op(&self) -> &Lambda {
        match self {
            Fold::Scan(scan) => &scan.op,
            Fold::Red(red) => &red.op,
        }
    }

    pub(crate) fn neutral(&self) -> &[Atom] {
        match self {
            Fold::Scan(scan) => &scan.neutral,
            Fold::Red(red) => &red.neutral,
        }
    }

    /// The operator on elements, with these neutral elements.
    fn with(&self, op: Lambda, neutral: Vec<Atom>) -> Fold {
        match self {
            Fold::Scan(_) => Fold::Scan(Scan { op, neutral }),
            Fold::Red(red) => Fold::Red(Red { op, neutral, commutative: red.commutative }),
        }
    }

    /// Whether it combines arrays.
    pub(crate) fn is_vector(&self) -> bool {
        self.op().ret.iter().any(|ty| ty.is_array())
    }
}

/// The function that returns the elements of inputs.
pub(crate) fn identity(cx: &mut Cx<'_>, inputs: &[Var]) -> Lambda {
    let types: Vec<Type> =
        inputs.iter().map(|input| cx.vars[*input].ty.row().unwrap_or(Type::CERT)).collect();
    let params: Vec<Var> = (inputs.iter().zip(&types))
        .map(|(input, ty)| cx.fresh((*input).into(), ty.clone()))
        .collect();
    let body = Body::of(params.iter().map(|param| Atom::Var(*param)).collect());
    cx.local.extend(&params);
    Lambda { params, body, ret: types }
}

/// The operator that applies folds to inputs.
pub(crate) fn folding(cx: &mut Cx<'_>, width: Atom, inputs: Vec<Var>, folds: Vec<Fold>) -> Screma {
    let map = identity(cx, &inputs);
    let (mut scans, mut reds) = (Vec::new(), Vec::new());
    for fold in folds {
        match fold {
            Fold::Scan(scan) => scans.push(scan),
            Fold::Red(red) => reds.push(red),
        }
    }
    Screma { width, inputs, map, scans, reds }
}

impl Cx<'_> {
    /// Reduces or scans rows of `inputs` by their elements; the arrays of the host for the results, or values if there are
    /// no levels. None if the operator is not a map.
    pub(crate) fn by_elements(
        &mut self,
        stm: &Stm,
        width: Atom,
        inputs: &[Var],
        fold: &Fold,
    ) -> Option<Vec<Var>> {
        let (op, inner) = element_operator(fold.op(), self.vars)?;
        let neutral: Option<Vec<Var>> = fold.neutral().iter().map(|atom| atom.var()).collect();
        let mut wide = neutral?;
        let mut params = Vec::new();
        for array in &wide.clone() {
            let ty = self.vars[*array].ty.row()?;
            params.push(self.fresh((*array).into(), ty));
        }
        let starts: Vec<Atom> = params.iter().map(|param| Atom::Var(*param)).collect();
        let mut columns = Vec::new();
        for input in inputs {
            let view = self.transposed(*input)?;
            let column = self.vars[view].ty.row()?;
            let column = self.fresh((*input).into(), column);
            wide.push(view);
            params.push(column);
            columns.push(column);
        }
        let text = "turned into reductions or scans of its columns";
        self.remark(RemarkKind::Done, stm.loc.as_ref(), text);
        let folds = vec![fold.with(op, starts)];
        let op = folding(self, width, columns, folds);
        let scans = !op.scans.is_empty();
        let ret: Vec<Type> = (op.map.ret.iter())
            .map(|ty| if scans { crate::context::array_of(ty, width) } else { ty.clone() })
            .collect();
        let pat: Vec<Var> = (ret.iter().zip(inputs))
            .map(|(ty, like)| self.fresh((*like).into(), ty.clone()))
            .collect();
        self.local.extend(params.iter().chain(&pat));
        let results = pat.iter().map(|var| Atom::Var(*var)).collect();
        let inside = Stm { loc: stm.loc.clone(), ..Stm::new(pat, Exp::Screma(Box::new(op))) };
        let map = Lambda { params, body: Body { stms: vec![inside], results }, ret: ret.clone() };
        let (none, no) = (Vec::new(), Vec::new());
        let op = Screma { width: inner, inputs: wide, map, scans: none, reds: no };
        let pat: Vec<Var> = (ret.iter().zip(inputs))
            .map(|(ty, like)| self.fresh((*like).into(), crate::context::array_of(ty, inner)))
            .collect();
        if !self.levels.is_empty() {
            self.local.extend(&pat);
        }
        let exp = Exp::Screma(Box::new(op));
        let map = Stm { pat: pat.clone(), exp, attrs: Vec::new(), ..stm.clone() };
        let arrays = self.map(&map);
        if !scans {
            return Some(arrays);
        }
        for (var, array) in pat.iter().zip(&arrays) {
            self.store(*var, *array);
        }
        let depth = self.levels.len();
        let turn = |cx: &mut Cx<'_>, array: Var| {
            let mut perm: Vec<usize> = (0..cx.vars[array].ty.rank()).collect();
            perm.swap(depth, depth + 1);
            let view = cx.bind(array.into(), Exp::Rearrange(array, perm));
            cx.alias(view, array);
            view
        };
        Some(arrays.into_iter().map(|array| turn(self, array)).collect())
    }

    /// The transposition of an array, at the host or as a definition of the innermost level.
    fn transposed(&mut self, array: Var) -> Option<Var> {
        let mut ty = self.vars[array].ty.clone();
        let Type::Array(_, shape) = &mut ty else { return None };
        if shape.len() < 2 {
            return None;
        }
        shape.swap(0, 1);
        let mut perm: Vec<usize> = (0..shape.len()).collect();
        perm.swap(0, 1);
        let view = self.fresh(array.into(), ty);
        let stm = Stm::new(vec![view], Exp::Rearrange(array, perm));
        self.share.join(view, array);
        self.alias(view, array);
        if self.is_host(array.into()) || self.levels.is_empty() {
            self.out.push(stm);
        } else {
            let level = self.levels.len() - 1;
            let index = self.levels[level].defs.len();
            self.levels[level].defs.push(stm);
            self.move_to(view, Home::Def(level, index));
            self.local.insert(view);
        }
        Some(view)
    }
}
