//! The variables of a function that is being run, and the statements of its bodies.

use super::store::Mem;
use super::{Fault, Machine, Res, wrong};
use fehu_base::id::Id;
use fehu_base::{IdVec, Prim};
use fehu_facts::poly::Poly;
use fehu_interp::scalar;
use fehu_ir::{
    AccInput, Atom, BinOp, Body, ConstId, Elem, Exp, FunId, Scalar, Stm, Type, Var, VarInfo,
};
use fehu_mem::lmad::Lmad;
use fehu_mem::table::{BlockId, Computed, Origin, Place, Table};
use rustc_hash::FxHashMap;

/// What is handed from function to function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Scalar(Scalar),
    /// An array from here on: contiguous, unless it is a view that a function hands on.
    Array(Mem),
    /// Nothing: an array without contents, or a certificate.
    Nothing,
}

/// A function that is being run.
pub(super) struct Frame<'a> {
    pub(super) vars: &'a IdVec<Var, VarInfo>,
    pub(super) table: &'a Table,
    params: Vec<Var>,
    results: &'a [Var],
    pub(super) body: &'a Body,
    pub(super) scalars: IdVec<Var, Option<Scalar>>,
    /// Where blocks are now. Like the pointers of a compiled program, they change.
    pub(super) blocks: FxHashMap<BlockId, Mem>,
    /// The blocks that are made before the statement that binds a variable.
    allocations: FxHashMap<Var, Vec<BlockId>>,
    /// The inputs of the accumulators that exist, by their certificates.
    pub(super) accs: FxHashMap<Var, &'a AccInput>,
    /// The elements of arrays that are never stored.
    pub(super) elided: FxHashMap<Var, Vec<Scalar>>,
    /// The blocks on the stack.
    locals: Vec<usize>,
}

impl<'a> Frame<'a> {
    fn new(
        vars: &'a IdVec<Var, VarInfo>,
        table: &'a Table,
        params: Vec<Var>,
        results: &'a [Var],
        body: &'a Body,
    ) -> Frame<'a> {
        let mut allocations: FxHashMap<Var, Vec<BlockId>> = FxHashMap::default();
        for (id, block) in table.blocks.iter() {
            if let Origin::Fresh { before, .. } = &block.origin {
                allocations.entry(*before).or_default().push(id);
            }
        }
        Frame {
            vars,
            table,
            params,
            results,
            body,
            scalars: IdVec::filled(None, vars.len()),
            blocks: FxHashMap::default(),
            allocations,
            accs: FxHashMap::default(),
            elided: FxHashMap::default(),
            locals: Vec::new(),
        }
    }

    pub(super) fn scalar(&self, atom: Atom) -> Res<Scalar> {
        match atom {
            Atom::Const(scalar) => Ok(scalar),
            Atom::Var(var) => self.scalars[var].ok_or_else(|| {
                wrong(format!("\"{}\" (variable {}) has no value", self.vars[var].hint, var.0))
            }),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
    pub(super) fn size(&self, atom: Atom) -> Res<i64> {
        match self.scalar(atom)? {
            Scalar::I64(size) => Ok(size),
            other => Err(wrong(format!("{other:?} is no size"))),
        }
    }

    pub(super) fn truth(&self, atom: Atom) -> Res<bool> {
        Ok(self.scalar(atom)? == Scalar::Bool(true))
    }

    /// The value of a polynomial.
    pub(super) fn poly(&self, poly: &Poly) -> Res<i64> {
        self.poly_after(poly, &[])
    }

    /// The value of a polynomial when variables have got these values.
    fn poly_after(&self, poly: &Poly, new: &[(Var, Scalar)]) -> Res<i64> {
        let mut sum: i128 = 0;
        for (monomial, coefficient) in poly.terms() {
            let mut product = *coefficient;
            for var in monomial {
                let new = new.iter().find(|(other, _)| other == var);
                let factor = new.map_or(Atom::Var(*var), |(_, scalar)| Atom::Const(*scalar));
                product = product.wrapping_mul(self.size(factor)?.into());
            }
            sum = sum.wrapping_add(product);
        }
        Ok(sum as i64)
    }

    pub(super) fn place(&self, var: Var) -> Option<&'a Place> {
        self.table.place(var)
    }

    pub(super) fn place_of(&self, atom: Atom) -> Option<&'a Place> {
        self.place(atom.var()?)
    }

    /// Where a block is.
    pub(super) fn mem(&self, block: BlockId) -> Res<Mem> {
        let missing = || {
            let hint = &self.table.blocks[block].hint;
            wrong(format!("the block of \"{hint}\" ({block:?}) is used before it is made"))
        };
        self.blocks.get(&block).copied().ok_or_else(missing)
    }

    /// The addresses of the elements, in row-major order of their indices.
    pub(super) fn addresses(&self, lmad: &Lmad) -> Res<Vec<i64>> {
        let dims = self.sizes_and_strides(lmad)?;
        // Where there are no elements, nothing has to make sense.
        if dims.iter().any(|(size, _)| *size <= 0) {
            return Ok(Vec::new());
        }
        addresses(self.poly(&lmad.offset)?, &dims)
    }

    /// The sizes and strides of a result that is a view, after the function has run.
    pub(super) fn view_strides(&self, k: usize) -> Res<Option<Vec<(i64, i64)>>> {
        let Some(Some(_)) = self.table.views.get(k) else { return Ok(None) };
        let place = self.place_of(self.body.results[k]);
        let place = place.ok_or_else(|| wrong("a view is nowhere"))?;
        self.sizes_and_strides(&place.lmad).map(Some)
    }

    /// The sizes of an array, and the distances between its elements.
    pub(super) fn sizes_and_strides(&self, lmad: &Lmad) -> Res<Vec<(i64, i64)>> {
        let dims = lmad.dims.iter();
        dims.map(|dim| Ok((self.poly(&dim.size)?, self.poly(&dim.stride)?))).collect()
    }

    /// The type of a scalar operand; none for certificates and arrays.
    pub(super) fn prim(&self, atom: Atom) -> Option<Prim> {
        match fehu_ir::builder::atom_type(atom, self.vars) {
            Type::Scalar(Elem::Prim(prim)) => Some(prim),
            Type::Scalar(Elem::Unit) | Type::Array(..) | Type::Acc(_) => None,
        }
    }

    /// The element of an array without memory.
    pub(super) fn computed(&self, array: Var, index: i64) -> Option<Res<Scalar>> {
        Some(match *self.table.computed.get(&array)? {
            Computed::Replicate(value) => self.scalar(value),
            Computed::Iota(prim, start, step) => self.progression(prim, start, step, index),
        })
    }

    /// `start + index * step`
    pub(super) fn progression(
        &self,
        prim: Prim,
        start: Atom,
        step: Atom,
        index: i64,
    ) -> Res<Scalar> {
        let (start, step) = (self.scalar(start)?, self.scalar(step)?);
        let index = scalar::convert(prim, Scalar::I64(index));
        index
            .and_then(|index| scalar::binop(BinOp::Mul, index, step))
            .and_then(|distance| scalar::binop(BinOp::Add, start, distance))
            .ok_or_else(|| wrong("a progression has operands of the wrong types"))
    }
}

/// The addresses of the elements of an array with these sizes and strides, in row-major order of their indices.
pub(super) fn addresses(first: i64, dims: &[(i64, i64)]) -> Res<Vec<i64>> {
    let mut all = vec![first];
    for (size, stride) in dims {
        let next = |base: &i64| {
            let base = *base;
            (0..*size).map(move |index| base.wrapping_add(index.wrapping_mul(*stride)))
        };
        all = all.iter().flat_map(next).collect();
        if all.len() > 1 << 24 {
            return Err(Fault::Limit);
        }
    }
    Ok(all)
}

impl<'a> Machine<'a> {
    pub(super) fn frame(&self, id: FunId) -> Frame<'a> {
        let fun = &self.placed.prog.funs[id];
        let params = fun.params.iter().map(|param| param.var).collect();
        Frame::new(&fun.vars, &self.placed.funs[id], params, &fun.results, &fun.body)
    }

    pub(super) fn constant(&mut self, id: ConstId) -> Res<Vec<Item>> {
        if let Some(items) = &self.consts[id.index()] {
            return Ok(items.clone());
        }
        let constant = &self.placed.prog.consts[id];
        let table = &self.placed.consts[id];
        let mut frame =
            Frame::new(&constant.vars, table, Vec::new(), &constant.results, &constant.body);
        // Constants are there before anything else.
        let mode = self.store.set_mode(super::store::Mode::Quiet);
        let items = self.run(&mut frame, Vec::new());
        self.store.restore_mode(mode);
        let items = items?;
        self.consts[id.index()] = Some(items.clone());
        Ok(items)
    }

    /// Runs a function; its results are contiguous, or views whose strides its table tells.
    pub(super) fn run(&mut self, frame: &mut Frame<'a>, args: Vec<Item>) -> Res<Vec<Item>> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            return Err(Fault::Limit);
        }
        for (param, arg) in frame.params.clone().into_iter().zip(args) {
            match arg {
                Item::Scalar(scalar) => frame.scalars[param] = Some(scalar),
                Item::Array(mem) => {
                    if let Some(place) = frame.place(param) {
                        frame.blocks.insert(place.block, mem);
                    }
                }
                Item::Nothing => {}
            }
        }
        let body = frame.body;
        let items = self.scope(frame, |machine, frame| {
            machine.body(frame, body)?;
            let mut items = Vec::with_capacity(body.results.len());
            for (k, atom) in body.results.iter().enumerate() {
                items.push(match frame.view_strides(k)? {
                    Some(_) => machine.beginning(frame, *atom)?,
                    None => machine.item(frame, *atom)?,
                });
            }
            assert_eq!(items.len(), frame.results.len());
            Ok(items)
        });
        self.depth -= 1;
        items
    }

    /// Where a view begins that is handed on as it is.
    fn beginning(&mut self, frame: &Frame<'a>, atom: Atom) -> Res<Item> {
        let place = frame.place_of(atom).ok_or_else(|| wrong("a view is nowhere"))?;
        let first = frame.addresses(&place.lmad)?.first().copied();
        if first.is_none() && !frame.blocks.contains_key(&place.block) {
            return Ok(Item::Nothing);
        }
        let mem = frame.mem(place.block)?;
        Ok(Item::Array(Mem { block: mem.block, base: mem.base + first.unwrap_or(0) }))
    }

    /// An operand that crosses a border in row-major order.
    pub(super) fn item(&mut self, frame: &Frame<'a>, atom: Atom) -> Res<Item> {
        self.item_for(frame, atom, None, &[])
    }

    /// An operand that crosses a border to become the value of a variable, if one is given, while others get these
    /// values, among which may be its strides.
    pub(super) fn item_for(
        &mut self,
        frame: &Frame<'a>,
        atom: Atom,
        to: Option<Var>,
        new: &[(Var, Scalar)],
    ) -> Res<Item> {
        if let Some(place) = frame.place_of(atom) {
            let order = to.and_then(|to| frame.table.orders.get(&to));
            let turned = order.and_then(|order| place.lmad.rearrange(order));
            let addresses = frame.addresses(turned.as_ref().unwrap_or(&place.lmad))?;
            let strided = to.filter(|to| frame.table.is_strided(*to));
            let first = match addresses.first() {
                Some(first) => *first,
                // The address of nothing does not matter, nor does its block.
                None => 0,
            };
            let fits = match strided.and_then(|to| frame.place(to)) {
                Some(to) => {
                    let mut expected = place.lmad.clone();
                    for (dim, to) in expected.dims.iter_mut().zip(&to.lmad.dims) {
                        dim.stride = Poly::constant(frame.poly_after(&to.stride, new)?.into());
                    }
                    frame.addresses(&expected)? == addresses
                }
                None => addresses.iter().zip(first..).all(|(at, expected)| *at == expected),
            };
            if !fits {
                return Err(wrong("an array that has to be contiguous is not"));
            }
            if addresses.is_empty() && !frame.blocks.contains_key(&place.block) {
                return Ok(Item::Nothing);
            }
            let mem = frame.mem(place.block)?;
            return Ok(Item::Array(Mem { block: mem.block, base: mem.base + first }));
        }
        if frame.prim(atom).is_some() {
            return Ok(Item::Scalar(frame.scalar(atom)?));
        }
        if let Atom::Var(var) = atom
            && frame.table.computed.contains_key(&var)
        {
            return Err(wrong("an array without memory crosses a border"));
        }
        Ok(Item::Nothing)
    }

    /// Does something in a scope: blocks on the stack end with it.
    pub(super) fn scope<T>(
        &mut self,
        frame: &mut Frame<'a>,
        work: impl FnOnce(&mut Self, &mut Frame<'a>) -> Res<T>,
    ) -> Res<T> {
        let before = frame.locals.len();
        let result = work(self, frame)?;
        for block in frame.locals.drain(before..) {
            self.store.end(block);
        }
        Ok(result)
    }

    /// The statements of a body.
    pub(super) fn body(&mut self, frame: &mut Frame<'a>, body: &'a Body) -> Res<()> {
        body.stms.iter().try_for_each(|stm| self.stm(frame, stm))
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others have one result; what they are is looked at there"
    )]
    fn stm(&mut self, frame: &mut Frame<'a>, stm: &'a Stm) -> Res<()> {
        self.store.step()?;
        for var in &stm.pat {
            for block in frame.allocations.get(var).cloned().unwrap_or_default() {
                self.allocate(frame, block)?;
            }
        }
        match &stm.exp {
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) | Exp::Call(..) | Exp::Const(_) => {
                self.control(frame, &stm.pat, &stm.exp)
            }
            Exp::Screma(op) => self.screma(frame, &stm.pat, op),
            Exp::Hist(op) => self.hist(frame, &stm.pat, op),
            Exp::Scatter(op) => self.scatter(frame, &stm.pat, op),
            Exp::Partition(op) => self.partition(frame, &stm.pat, op),
            Exp::Seg(seg) => self.seg(frame, &stm.pat, seg),
            Exp::WithAcc(inputs, lambda) => self.with_acc(frame, &stm.pat, inputs, lambda),
            Exp::UpdateAcc(acc, indices, values) => self.update_acc(frame, *acc, indices, values),
            Exp::Stream(_) => Err(wrong("there are streams")),
            Exp::Diff(_) => Err(wrong("there are derivatives")),
            Exp::Flatmap(_) => Err(wrong("there are flatmaps")),
            Exp::Fail(check) => Err(self.failed(frame, check)),
            exp => match stm.pat.as_slice() {
                [var] => self.single(frame, *var, exp),
                _ => Err(wrong("an operation has the wrong number of results")),
            },
        }
    }

    fn allocate(&mut self, frame: &mut Frame<'a>, id: BlockId) -> Res<()> {
        let Origin::Fresh { size, .. } = &frame.table.blocks[id].origin else { return Ok(()) };
        let mut count: i64 = 1;
        for size in size {
            count = count.checked_mul(frame.size(*size)?.max(0)).ok_or(Fault::Limit)?;
        }
        let block = self.store.fresh(frame.table.blocks[id].elem, count)?;
        if frame.table.local_size(id).is_some() {
            frame.locals.push(block);
        }
        frame.blocks.insert(id, Mem { block, base: 0 });
        Ok(())
    }
}
