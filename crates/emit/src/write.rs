//! Histograms, scatters and accumulators: writes at computed positions.

use super::combine::Sofar;
use super::screma::Over;
use super::screma::if_within;
use super::{Emit, part_of};
use fehu_base::{OrBug, Prim, bug};
use fehu_facts::poly::Poly;
use fehu_imp::{Block, Exp, From, Kind, RedOp, Space, Stm, Ty, V};
use fehu_ir::{self as ir, AccInput, Atom, BinOp, CmpOp, Hist, HistOp, Lambda, Scatter, Type, Var};
use fehu_mem::table::{Place, poly};

/// Scalars that are combined: their variables and types, and the pointers and positions where they are stored.
type Stores = Vec<(V, Prim, V, Exp)>;

impl<'a> Emit<'a> {
    /// One position after the other.
    pub(super) fn hist_here(&mut self, pat: &[Var], op: &'a Hist) {
        let width = self.atom(op.width);
        self.hist_in(pat, op, (Exp::int(0), width));
    }

    pub(super) fn hist_in(&mut self, pat: &[Var], op: &'a Hist, range: (Exp, Exp)) {
        let rest = self.hist_ahead(pat, op, range);
        self.each_in(
            pat,
            Over::function(&op.inputs, &op.map),
            rest,
            Kind::Sequential,
            |this, _, parts| {
                this.contribute_parts(op, parts);
            },
        );
    }

    /// One position of histograms.
    pub(super) fn contribute_parts(&mut self, op: &'a Hist, parts: &[Atom]) {
        for (op, indices, values) in hist_parts(op, parts) {
            self.contribute(&op.dests, &op.shape, &indices, Some(&op.op), &[], &values);
        }
    }

    /// One position of histograms to which other threads contribute at the same time.
    pub(super) fn hist_at(&mut self, pat: &[Var], op: &'a Hist, at: Exp) {
        self.enter(pat, &op.inputs, &op.map, at);
        self.body(&op.map.body);
        for (op, indices, values) in hist_parts(op, &op.map.body.results) {
            self.contribute_shared(&op.dests, &op.shape, &indices, &op.op, &[], &values);
        }
    }

    /// Combines values with the elements at a position of arrays, or overwrites them; does nothing if the position is
    /// out of bounds.
    fn contribute(
        &mut self,
        arrays: &[Var],
        shape: &[Atom],
        indices: &[Atom],
        op: Option<&'a Lambda>,
        given_indices: &[Var],
        values: &[Atom],
    ) {
        let body = self.block(|this| match op {
            None => {
                for (array, value) in arrays.iter().zip(values) {
                    if let Some(row) = this.row(*array, indices) {
                        this.write(&row, *value);
                    }
                }
            }
            Some(op) => {
                for (param, index) in given_indices.iter().zip(indices) {
                    let value = this.atom(*index);
                    this.scalars.insert(*param, value);
                }
                this.combine_rows(arrays, indices, op, given_indices.len(), values);
            }
        });
        let at: Vec<Exp> = indices.iter().map(|index| self.atom(*index)).collect();
        let shape: Vec<Exp> = shape.iter().map(|size| self.atom(*size)).collect();
        self.out.push(if_within(&at, &shape, body));
    }

    /// The row of an array at a position; none if the array has no contents.
    fn row(&self, array: Var, indices: &[Atom]) -> Option<Place> {
        let place = self.place(array)?;
        let indices: Vec<Poly> = indices.iter().map(|index| poly(*index)).collect();
        Some(part_of(place, |lmad| lmad.fix(&indices)))
    }

    fn combine_rows(
        &mut self,
        arrays: &[Var],
        indices: &[Atom],
        op: &'a Lambda,
        skip: usize,
        values: &[Atom],
    ) {
        let params = &op.params[skip..];
        let (sofar, stores) = self.rows_so_far(arrays, indices, params);
        for (param, value) in params[arrays.len()..].iter().zip(values) {
            self.value_param(*param, *value);
        }
        let elements: Vec<Option<Exp>> = values.iter().map(|value| self.value(*value)).collect();
        let before = match stores.as_slice() {
            [(v, prim, ..)] if prim.is_integer() && often_keeps(op, params) => {
                Some(self.declare("before", *prim, Some(Exp::Var(*v))))
            }
            _ => None,
        };
        self.combine_params(op, params, &sofar, &elements);
        for (v, prim, ptr, at) in stores {
            let store = Stm::Store(ptr, at, Exp::Var(v));
            self.out.push(match before {
                None => store,
                Some(before) => {
                    let (old, new) = (Box::new(Exp::Var(before)), Box::new(Exp::Var(v)));
                    let same = Exp::Cmp(CmpOp::Eq, prim, old, new);
                    Stm::If(same, Block::new(), vec![store])
                }
            });
        }
    }

    /// The elements at a position of arrays, as the first parameters of an operator; and for scalars, the variables
    /// that hold them, and where they are to be stored.
    pub(super) fn rows_so_far(
        &mut self,
        arrays: &[Var],
        indices: &[Atom],
        params: &[Var],
    ) -> (Vec<Sofar<'a>>, Stores) {
        let mut sofar: Vec<Sofar<'a>> = Vec::with_capacity(arrays.len());
        let mut stores: Stores = Vec::new();
        for (param, array) in params.iter().zip(arrays) {
            let Some(row) = self.row(*array, indices) else {
                sofar.push(Sofar::Nothing);
                continue;
            };
            let (ptr, at) = (self.mem(row.block).ptr, self.poly(&row.lmad.offset));
            if let Some(place) = self.place(*param) {
                self.redirect(&self.ir[*param].hint.clone(), place, ptr, at);
                sofar.push(Sofar::Array(place));
            } else if let Some(prim) = self.prim((*param).into()) {
                let old = Exp::Load(ptr, Box::new(at.clone()));
                let v = self.declare(&self.ir[*param].hint.clone(), prim, Some(old));
                stores.push((v, prim, ptr, at));
                sofar.push(Sofar::Scalar(v));
            } else {
                sofar.push(Sofar::Nothing);
            }
        }
        (sofar, stores)
    }

    /// A contribution that is an array, and whose block comes with the parameter according to the table.
    fn value_param(&mut self, param: Var, value: Atom) {
        // Scalars have no block, nor has what has no contents.
        let (Some(to), Some(from)) = (self.place(param), self.place_of(value)) else { return };
        if to.block != from.block {
            let (mem, index) = (self.mem(from.block), self.poly(&from.lmad.offset));
            self.redirect(&self.ir[param].hint.clone(), to, mem.ptr, index);
        }
    }

    /// By tasks.
    pub(super) fn scatter(&mut self, pat: &[Var], op: &'a Scatter) {
        let (width, site) = (self.atom(op.width), self.site());
        self.tasks(site, width, None, |this, [low, high, _]| {
            this.scatter_in(pat, op, (Exp::Var(low), Exp::Var(high)));
        });
    }

    /// One position after the other.
    pub(super) fn scatter_here(&mut self, pat: &[Var], op: &'a Scatter) {
        let width = self.atom(op.width);
        self.scatter_in(pat, op, (Exp::int(0), width));
    }

    fn scatter_in(&mut self, pat: &[Var], op: &'a Scatter, range: (Exp, Exp)) {
        let kind = Kind::Independent(Vec::new());
        self.each_in(pat, Over::function(&op.inputs, &op.map), range, kind, |this, _, parts| {
            this.scatter_parts(op, parts);
        });
    }

    /// One position of a scatter.
    pub(super) fn scatter_at(&mut self, pat: &[Var], op: &'a Scatter, at: Exp) {
        self.enter(pat, &op.inputs, &op.map, at);
        self.body(&op.map.body);
        self.scatter_parts(op, &op.map.body.results);
    }

    pub(super) fn scatter_parts(&mut self, op: &'a Scatter, parts: &[Atom]) {
        let indexed: usize = op.dests.iter().map(|(shape, _)| shape.len()).sum();
        let (indices, values) = parts.split_at(indexed);
        let mut indices = indices.iter().copied();
        for ((shape, dest), value) in op.dests.iter().zip(values) {
            let at: Vec<Atom> = indices.by_ref().take(shape.len()).collect();
            self.contribute(&[*dest], shape, &at, None, &[], &[*value]);
        }
    }

    pub(super) fn with_acc(&mut self, pat: &[Var], inputs: &'a [AccInput], lambda: &'a Lambda) {
        for (cert, input) in lambda.params.iter().zip(inputs) {
            self.accs.insert(*cert, input);
        }
        self.body(&lambda.body);
        let arrays: usize = inputs.iter().map(|input| input.arrays.len()).sum();
        for (var, result) in pat[arrays..].iter().zip(&lambda.body.results[inputs.len()..]) {
            if self.prim(*result).is_some() {
                let value = self.atom(*result);
                self.bind(*var, value);
            }
        }
    }

    pub(super) fn update_acc(&mut self, acc: Var, indices: &[Atom], values: &[Atom]) {
        let Type::Acc(cert) = self.ir[acc].ty else {
            bug(format_args!("{} is no accumulator", self.named(acc)))
        };
        if self.update_own(cert, indices, values) {
            return;
        }
        let input = self.accs.get(&cert).copied().or_bug("arrays of an accumulator");
        let op = input.op.as_ref().map(|(op, _)| op);
        let given: Vec<Var> = op.map_or(Vec::new(), |op| op.params[..input.shape.len()].to_vec());
        let is_shared = self.runs.is_shared() && !input.arrays.iter().all(|a| self.is_own(*a));
        let Some(op) = op.filter(|_| is_shared) else {
            return self.contribute(&input.arrays, &input.shape, indices, op, &given, values);
        };
        self.contribute_shared(&input.arrays, &input.shape, indices, op, &given, values);
    }

    /// Whether an array is in memory of a device that no other thread can reach.
    fn is_own(&self, array: Var) -> bool {
        let mem = self.place(array).and_then(|place| self.blocks.get(&place.block));
        self.options.device
            && mem.is_some_and(|mem| self.vars[mem.ptr].ty.space() == Some(Space::Own))
    }

    /// Like `contribute`, where other threads may contribute to the same place.
    fn contribute_shared(
        &mut self,
        arrays: &[Var],
        shape: &[Atom],
        indices: &[Atom],
        op: &'a Lambda,
        given: &[Var],
        values: &[Atom],
    ) {
        // What has no contents does not change.
        let Some(row) = arrays.first().and_then(|array| self.row(*array, indices)) else {
            return;
        };
        let at = self.poly(&row.lmad.offset);
        let body = match (self.simple_operator(op, given.len()), values) {
            (Some(atomic), [value]) => {
                vec![Stm::Atomic(atomic, self.mem(row.block).ptr, at, self.atom(*value))]
            }
            (None, [value])
                if let (Some(atomic), Some(from)) =
                    (self.vector_atomic_op(op, given.len()), self.place_of(*value)) =>
            {
                self.block(|this| this.contribute_row(atomic, &row, from))
            }
            (None, [value])
                if self.options.device
                    && self.prim(*value).is_some()
                    && !self.is_beside_device() =>
            {
                let (ptr, value) = (self.mem(row.block).ptr, self.atom(*value));
                for (param, index) in given.iter().zip(indices) {
                    let index = self.atom(*index);
                    self.scalars.insert(*param, index);
                }
                self.block(|this| this.exchange((op, given.len()), (ptr, at), value))
            }
            (None, [_, _, ..])
                if self.options.device
                    && let Some(ops) = self.part_operators(op, given.len()) =>
            {
                self.block(|this| {
                    for ((array, red), value) in arrays.iter().zip(ops).zip(values) {
                        let Some(row) = this.row(*array, indices) else { continue };
                        let (ptr, at) = (this.mem(row.block).ptr, this.poly(&row.lmad.offset));
                        let value = this.atom(*value);
                        this.out.push(Stm::Atomic(red, ptr, at, value));
                    }
                })
            }
            _ => {
                let body = self.block(|this| {
                    this.contribute(arrays, shape, indices, Some(op), given, values);
                });
                vec![Stm::Locked(at, body)]
            }
        };
        let indices: Vec<Exp> = indices.iter().map(|index| self.atom(*index)).collect();
        let shape: Vec<Exp> = shape.iter().map(|size| self.atom(*size)).collect();
        self.out.push(if_within(&indices, &shape, body));
    }

    /// The operator of an accumulator of rows, if it combines them element by element by a simple operator.
    fn vector_atomic_op(&self, op: &Lambda, indices: usize) -> Option<RedOp> {
        let [old, new] = op.params[indices..] else { return None };
        let (stm, before) = op.body.stms.split_last()?;
        let fehu_ir::Exp::Screma(map) = &stm.exp else { return None };
        let is_plain = map.inputs == [old, new] || map.inputs == [new, old];
        let is_result =
            op.body.results == stm.pat.iter().map(|var| Atom::Var(*var)).collect::<Vec<_>>();
        if !before.is_empty() || !is_plain || !is_result || map.folded() > 0 {
            return None;
        }
        self.simple_operator(&map.map, 0).or_else(|| self.vector_atomic_op(&map.map, 0))
    }

    /// Combines the elements of a row with others, each atomically.
    fn contribute_row(&mut self, op: RedOp, to: &Place, from: &Place) {
        let (to_ptr, from_ptr) = (self.mem(to.block).ptr, self.mem(from.block).ptr);
        let sizes: Vec<Exp> = to.lmad.dims.iter().map(|dim| self.poly(&dim.size)).collect();
        self.nest(&sizes, |this, indices| {
            let value = Exp::Load(from_ptr, Box::new(this.address(&from.lmad, indices)));
            let at = this.address(&to.lmad, indices);
            this.out.push(Stm::Atomic(op, to_ptr, at, value));
        });
    }

    /// A block that the program does not know about.
    pub(super) fn temporary(&mut self, hint: &str, elem: Prim, count: Exp) -> (V, V) {
        let handle = self.new_var(&super::hinted(hint, "_mem"), Ty::Mem);
        let ptr = self.new_var(hint, Ty::ptr(elem));
        self.out.extend([Stm::Declare(handle, None), Stm::Declare(ptr, None)]);
        self.out.push(Stm::Alloc(handle, elem, count));
        self.out.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
        (handle, ptr)
    }
}

/// For each operator of histograms, the indices and the values at a position.
pub(super) fn hist_parts<'a, T: Clone>(
    op: &'a Hist,
    parts: &[T],
) -> Vec<(&'a HistOp, Vec<T>, Vec<T>)> {
    let indexed: usize = op.ops.iter().map(|op| op.shape.len()).sum();
    let (indices, values) = parts.split_at(indexed);
    let (mut indices, mut values) = (indices.iter().cloned(), values.iter().cloned());
    let one = |op: &'a HistOp| {
        let indices = indices.by_ref().take(op.shape.len()).collect();
        (op, indices, values.by_ref().take(op.dests.len()).collect())
    };
    op.ops.iter().map(one).collect()
}

/// Whether an operator often returns its first operand, as the maximum of many numbers rarely changes. Then there is
/// nothing to store, and the next read of the element need not wait for it.
fn often_keeps(op: &Lambda, params: &[Var]) -> bool {
    let ([Atom::Var(result)], Some(first)) = (op.body.results.as_slice(), params.first()) else {
        return false;
    };
    match op.body.stms.iter().find(|stm| stm.pat == [*result]).map(|stm| &stm.exp) {
        Some(ir::Exp::BinOp(BinOp::Min | BinOp::Max, ..)) => true,
        Some(ir::Exp::If(_, branches)) => {
            branches.iter().any(|branch| branch.results == [Atom::Var(*first)])
        }
        _ => false,
    }
}
