//! An operator and the space around it.
//!
//! Every thread that takes part in the operator enters the space: it executes the statements before the operator for its own
//! position.

use super::super::Emit;
use fehu_base::{IdVec, OrBug, Prim};
use fehu_facts::poly::Poly;
use fehu_imp::{Exp, Stm as Imp};
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::{
    After, Atom, Dim, Exp as IrExp, Lambda, Rows, Screma, Seg, SegParts, Stm, Tiling, Type, Var,
    VarInfo,
};

/// The operator of a Seg.
pub(crate) struct SegOp<'a> {
    /// The sizes around it, outermost first, and the variables that are the indices.
    pub(super) space: &'a [Atom],
    pub(super) indices: &'a [Var],
    /// The rows, if they differ, and all parameters that are no elements of inputs.
    pub(super) rows: Option<Rows>,
    leading: &'a [Var],
    /// The statements of its function.
    pub(super) parts: SegParts<'a>,
    /// Elements of inputs, and these inputs.
    elements: Vec<(Var, Var)>,
    /// The operator.
    pub(super) inner: &'a Stm,
    /// The names of its results.
    pub(super) pat: &'a [Var],
    /// What the Seg binds, and for each of that the number of the operator's result.
    results: Vec<(Var, usize)>,
    /// What its positions share.
    pub(super) tiling: Option<&'a Tiling>,
}

impl<'a> SegOp<'a> {
    pub(super) fn new(pat: &'a [Var], seg: &'a Seg) -> SegOp<'a> {
        let parts = seg.parts().or_bug("the operator of a seg");
        let returned = Seg::returned(&seg.body.body).or_bug("the results of a seg");
        let is_bare = seg.space.is_empty() && parts.is_bare();
        let inner = parts.op;
        SegOp {
            space: &seg.space,
            indices: seg.indices(),
            rows: seg.rows,
            leading: &seg.body.params[..seg.leading()],
            parts,
            elements: seg.elements().iter().copied().zip(seg.inputs.iter().copied()).collect(),
            inner,
            // Without dimensions, and if all results are used, they are those of the Seg.
            pat: if is_bare && pat.len() == inner.pat.len() { pat } else { &inner.pat },
            results: pat.iter().copied().zip(returned).collect(),
            tiling: seg.tiling.as_ref(),
        }
    }
}

impl SegOp<'_> {
    /// If rows differ: whether the function of a map, reduction or scan, or that of its epilogue, depends on the row of
    /// a position. It does not, if there is nothing but elements of arrays in which the rows are one after the other.
    pub(super) fn asks_for_row(&self, op: &Screma, vars: &IdVec<Var, VarInfo>) -> bool {
        let [_, start, width] = self.leading else { return true };
        let mut of_row: Vec<Var> = self.leading.to_vec();
        of_row.extend(self.elements.iter().map(|(param, _)| *param));
        let mut slices = Vec::new();
        let whole = Dim::Slice { start: (*start).into(), len: (*width).into(), stride: 1.into() };
        for stm in self.parts.before {
            let depends = |of_row: &[Var], stm: &Stm| {
                free_in_stm(stm, vars).iter().any(|var| of_row.contains(var))
            };
            if let IrExp::Index(array, dims) = &stm.exp
                && !of_row.contains(array)
                && dims.first() == Some(&whole)
            {
                let mut rest = stm.clone();
                rest.exp = IrExp::Index(*array, dims[1..].to_vec());
                let list = if depends(&of_row, &rest) { &mut of_row } else { &mut slices };
                list.extend(&stm.pat);
            } else if depends(&of_row, stm) || depends(&slices, stm) {
                of_row.extend(&stm.pat);
            }
        }
        let asks = |op: &Screma| {
            let free = free_in_lambda(&op.map, vars);
            free.iter().any(|var| of_row.contains(var) || slices.contains(var))
                || op.inputs.iter().any(|input| of_row.contains(input))
        };
        let second = |stm: &Stm| matches!(&stm.exp, IrExp::Screma(op) if asks(op));
        asks(op) || self.parts.operators().skip(1).any(second)
    }

    /// Whether an operator that combines elements, or its neutral element, mentions what belongs to a position of the space.
    pub(super) fn combines_by_position(&self, op: &Screma, vars: &IdVec<Var, VarInfo>) -> bool {
        let bound = self.parts.before.iter().flat_map(|stm| &stm.pat);
        let elements = self.elements.iter().map(|(param, _)| param);
        let own: Vec<Var> = self.leading.iter().chain(elements).chain(bound).copied().collect();
        let scans = op.scans.iter().map(|scan| (&scan.op, &scan.neutral));
        let reds = op.reds.iter().map(|red| (&red.op, &red.neutral));
        scans.chain(reds).any(|(op, neutral)| {
            let mut used = free_in_lambda(op, vars);
            used.extend(neutral.iter().filter_map(|atom| atom.var()));
            used.iter().any(|var| own.contains(var))
        })
    }
}

/// The index of an operator, which is the last one.
pub(super) fn innermost(indices: &[Exp]) -> Exp {
    indices.last().cloned().or_bug("index of an operator")
}

impl<'a> Emit<'a> {
    /// The sizes of a space, and one more.
    pub(super) fn sizes(&self, seg: &SegOp<'a>, last: Option<Exp>) -> Vec<Exp> {
        seg.space.iter().map(|size| self.atom(*size)).chain(last).collect()
    }

    /// Enters a space at these indices; the remaining one is that of the operator.
    pub(super) fn enter_operator(&mut self, seg: &SegOp<'a>, indices: &[Exp]) -> Exp {
        self.enter_space(seg, indices);
        innermost(indices)
    }

    /// Enters a space at these indices.
    pub(super) fn enter_space(&mut self, seg: &SegOp<'a>, indices: &[Exp]) {
        self.set_indices(seg, indices);
        self.before_operator(seg);
    }

    /// What is computed before the operator, where the indices are set.
    pub(super) fn before_operator(&mut self, seg: &SegOp<'a>) {
        let at: Vec<Poly> = seg.indices.iter().map(|index| Poly::var(*index)).collect();
        for (param, input) in &seg.elements {
            if let (Type::Scalar(_), Some(place)) = (&self.ir[*param].ty, self.place(*input)) {
                let lmad = place.lmad.fix(&at).or_bug("an element of an input");
                let value = self.load(place, &lmad.offset);
                self.bind(*param, value);
            }
        }
        seg.parts.before.iter().for_each(|stm| self.stm(stm));
    }

    /// Where a thread is in a space: the index for each of its dimensions, and where the row starts and how long it is, if rows
    /// differ.
    pub(super) fn set_indices(&mut self, seg: &SegOp<'a>, indices: &[Exp]) {
        for (index, at) in seg.leading.iter().zip(indices) {
            let at = self.simple("i", at);
            self.scalars.insert(*index, at);
        }
    }

    /// The parameters of an operator's function at a position; yields the variable that stands for it.
    pub(crate) fn enter(&mut self, pat: &[Var], inputs: &[Var], map: &Lambda, at: Exp) -> Var {
        let index = self.table.index(pat, map);
        let at = self.operand("i", Prim::I64, at);
        self.scalars.insert(index, at);
        for (param, input) in map.params.iter().zip(inputs) {
            self.element_param(*param, *input, index);
        }
        index
    }

    /// Stores a scalar result of the operator as an element of the Seg's result, at the position that has been entered.
    pub(super) fn store_result(&mut self, seg: &SegOp<'a>, number: usize, value: Exp) {
        // An unused result is not stored.
        let Some((var, _)) = seg.results.iter().find(|(_, result)| *result == number) else {
            return;
        };
        // What has no contents is not stored.
        let Some(place) = self.place(*var) else { return };
        let at: Vec<Poly> = seg.indices.iter().map(|index| Poly::var(*index)).collect();
        let lmad = place.lmad.fix(&at).or_bug("the element of a result");
        let (ptr, at) = (self.mem(place.block).ptr, self.poly(&lmad.offset));
        self.out.push(Imp::Store(ptr, at, value));
    }

    /// Stores what the Seg returns of a segment, at the position that has been entered, given what the operator has
    /// reduced, beginning with the result of this number; before that, computes what follows the reduction.
    pub(super) fn store_segment(
        &mut self,
        seg: &SegOp<'a>,
        first: usize,
        values: Vec<Option<Exp>>,
    ) {
        let finish = match seg.parts.after {
            After::Finish(stms) => stms,
            // An epilogue is executed with each element.
            After::Nothing | After::Epilogue(_) => {
                for (number, value) in values.into_iter().enumerate() {
                    if let Some(value) = value {
                        self.store_result(seg, first + number, value);
                    }
                }
                return;
            }
        };
        let named = seg.pat[first..].iter().copied().zip(values);
        self.scalars.extend(named.filter_map(|(var, value)| Some((var, value?))));
        finish.iter().for_each(|stm| self.stm(stm));
        let made: Vec<Var> = seg.parts.made().collect();
        let numbers = seg.results.iter().map(|(_, number)| *number);
        let results: Vec<(usize, Exp)> =
            numbers.map(|number| (number, self.atom(made[number].into()))).collect();
        for (number, value) in results {
            self.store_result(seg, number, value);
        }
    }

    /// What the operator of a Seg without dimensions has computed is what the Seg binds.
    pub(super) fn bind_results(&mut self, seg: &SegOp<'a>) {
        for (var, number) in &seg.results {
            if let Some(inner) = seg.pat.get(*number)
                && let Some(value) = self.scalars.get(inner).cloned()
                && seg.space.is_empty()
            {
                self.scalars.insert(*var, value);
            }
        }
    }
}
