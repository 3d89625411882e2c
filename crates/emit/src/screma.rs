//! Maps, reductions and scans.

use super::combine::{Partial, Sofar};
use super::runs::{has_tasks, starts_tasks};
use super::{Emit, part_of};
use fehu_base::{OrBug, Prim};
use fehu_facts::operators::componentwise;
use fehu_facts::poly::Poly;
use fehu_imp::{Block, Exp, Kind, RedOp, Stm, Ty};
use fehu_ir::{Atom, BinOp, Lambda, Screma, Type, Var};

/// What is done at each position of an operator.
#[derive(Clone, Copy)]
pub(super) struct Over<'i, 'a> {
    /// The arrays whose elements the function gets.
    inputs: &'i [Var],
    map: &'a Lambda,
    /// Whether functions of the operator start tasks.
    forks: bool,
}

impl<'a> Over<'a, 'a> {
    pub(super) fn of(op: &'a Screma) -> Self {
        Over { inputs: &op.inputs, map: &op.map, forks: has_tasks(op) }
    }
}

impl<'i, 'a> Over<'i, 'a> {
    /// A function of an operator that has no others.
    pub(super) fn function(inputs: &'i [Var], map: &'a Lambda) -> Self {
        Over { inputs, map, forks: starts_tasks(&map.body) }
    }
}

impl<'a> Emit<'a> {
    /// By tasks.
    pub(super) fn screma(&mut self, pat: &[Var], op: &'a Screma) {
        if op.folded() == 0 {
            self.map_in_tasks(pat, op);
        } else if !self.has_partials(op) {
            self.screma_here(pat, op);
        } else if op.scans.is_empty() {
            self.reduce_in_tasks(pat, op);
        } else {
            self.scan_in_tasks(pat, op);
        }
    }

    fn map_in_tasks(&mut self, pat: &[Var], op: &'a Screma) {
        let (width, site) = (self.atom(op.width), self.site());
        self.tasks(site, width, None, |this, [low, high, _]| {
            let (range, kind) = ((Exp::Var(low), Exp::Var(high)), this.kind(op, &[]));
            this.each_in(pat, Over::of(op), range, kind, |this, index, parts| {
                this.combine_all(pat, index, op, parts, &[], &[]);
            });
        });
    }

    /// One position after the other, on this thread.
    pub(super) fn screma_here(&mut self, pat: &[Var], op: &'a Screma) {
        let scanned = self.start_scans(op);
        let reduced = self.start_reds(op);
        let width = self.atom(op.width);
        if !scanned.is_empty() && self.runs.forks() {
            self.scan_range(pat, op, (Exp::int(0), width), &scanned, &reduced);
        } else if scanned.is_empty() {
            self.reduce_range(pat, op, (Exp::int(0), width), &reduced);
        } else {
            let kind = self.kind(op, &reduced);
            self.each(pat, Over::of(op), width, kind, |this, index, parts| {
                this.combine_all(pat, index, op, parts, &scanned, &reduced);
            });
        }
        self.bind_reduced(pat, op, &reduced);
    }

    pub(super) fn bind_reduced(&mut self, pat: &[Var], op: &Screma, reduced: &[Partial<'a>]) {
        for (var, sofar) in
            pat[op.scanned()..].iter().zip(reduced.iter().flat_map(|red| &red.parts))
        {
            if let Sofar::Scalar(v) = sofar {
                self.scalars.insert(*var, Exp::Var(*v));
            }
        }
    }

    /// What happens at each position after the map function: scans, reductions, and plain results.
    pub(super) fn combine_all(
        &mut self,
        pat: &[Var],
        index: Var,
        op: &'a Screma,
        parts: &[Atom],
        scanned: &[Partial<'a>],
        reduced: &[Partial<'a>],
    ) {
        let rest = self.combine_each(scanned, parts);
        self.combine_each(reduced, rest);
        self.give(pat, index, op, parts, scanned);
    }

    /// Stores the values of scans at a position and the plain results, and executes the epilogue.
    pub(super) fn give(
        &mut self,
        pat: &[Var],
        index: Var,
        op: &'a Screma,
        parts: &[Atom],
        scanned: &[Partial<'a>],
    ) {
        for (part, var) in scanned.iter().flat_map(|scan| &scan.parts).zip(pat) {
            self.store_sofar(*var, index, part);
        }
        for (part, var) in parts.iter().zip(pat).skip(op.folded()) {
            self.store_row(*var, index, *part);
        }
        if let Some(epilogue) = self.epilogue(pat) {
            let mut given = Self::scanned_elements(pat, scanned);
            given.extend(self.plain_elements(pat, op));
            self.execute_epilogue(&epilogue, self.atom(index.into()), &given);
        }
    }

    /// Executes a function for each element of the inputs; `then` gets its results.
    pub(super) fn each(
        &mut self,
        pat: &[Var],
        over: Over<'_, 'a>,
        width: Exp,
        kind: Kind,
        then: impl FnOnce(&mut Self, Var, &[Atom]),
    ) {
        self.each_in(pat, over, (Exp::int(0), width), kind, then);
    }

    /// The same, for a range.
    pub(super) fn each_in(
        &mut self,
        pat: &[Var],
        over: Over<'_, 'a>,
        (from, to): (Exp, Exp),
        kind: Kind,
        then: impl FnOnce(&mut Self, Var, &[Atom]),
    ) {
        let i = self.new_var("i", Ty::Scalar(Prim::I64));
        let body = self.block(|this| this.at_position(pat, over, Exp::Var(i), then));
        let kind = self.together.kind(kind);
        self.out.push(Stm::For { var: i, from, to, step: 1, kind, body });
    }

    /// The same, at one position.
    pub(super) fn at_position(
        &mut self,
        pat: &[Var],
        over: Over<'_, 'a>,
        position: Exp,
        then: impl FnOnce(&mut Self, Var, &[Atom]),
    ) {
        let map = over.map;
        let index = self.table.index(pat, map);
        self.scalars.insert(index, position);
        self.running(self.inside(over.forks), |this| {
            for (param, input) in map.params.iter().zip(over.inputs) {
                this.element_param(*param, *input, index);
            }
            this.body(&map.body);
            then(this, index, &map.body.results);
        });
    }

    pub(super) fn element_param(&mut self, param: Var, input: Var, index: Var) {
        // Rows are where the table says, and what has no contents has no value.
        if self.prim(param.into()).is_none() {
            return;
        }
        if let Some(value) = self.computed(input, self.atom(index.into())) {
            return self.bind(param, value);
        }
        let place = self.place(input).or_bug("memory to read from");
        let element = part_of(place, |lmad| lmad.fix(&[Poly::var(index)]));
        let value = self.load(place, &element.lmad.offset);
        self.bind(param, value);
    }

    pub(super) fn store_sofar(&mut self, var: Var, index: Var, part: &Sofar<'a>) {
        // An array that nobody needs, or without contents, is not stored.
        let Some(place) = self.place(var) else { return };
        let row = part_of(place, |lmad| lmad.fix(&[Poly::var(index)]));
        match part {
            Sofar::Scalar(v) => {
                let (ptr, at) = (self.mem(row.block).ptr, self.poly(&row.lmad.offset));
                self.out.push(Stm::Store(ptr, at, Exp::Var(*v)));
            }
            Sofar::Array(from) => self.copy(&row, from),
            Sofar::Nothing => {}
        }
    }

    /// A result of the function becomes an element or row of an array.
    pub(super) fn store_row(&mut self, var: Var, index: Var, value: Atom) {
        // An array that nobody needs, or without contents, is not stored.
        let Some(place) = self.place(var) else { return };
        self.write(&part_of(place, |lmad| lmad.fix(&[Poly::var(index)])), value);
    }

    /// Whether the positions of an operator are independent of each other.
    pub(super) fn kind(&self, op: &Screma, reduced: &[Partial<'_>]) -> Kind {
        let has_acc = op.inputs.iter().any(|input| matches!(self.ir[*input].ty, Type::Acc(_)));
        if has_acc || !op.scans.is_empty() {
            return Kind::Sequential;
        }
        self.combined(reduced)
    }

    /// The kind of a loop in which every position combines an element with the current values of operators.
    pub(super) fn combined(&self, partials: &[Partial<'_>]) -> Kind {
        let mut reductions = Vec::new();
        for partial in partials {
            let Some(ops) = self.vector_ops(partial.op) else { return Kind::Sequential };
            for (part, op) in partial.parts.iter().zip(ops) {
                match part {
                    Sofar::Scalar(v) => reductions.push((*v, op)),
                    Sofar::Array(_) | Sofar::Nothing => return Kind::Sequential,
                }
            }
        }
        Kind::Independent(reductions)
    }

    /// The operators of a reduction or scan, if it combines scalars, each component separately, with operators whose
    /// partial results may be combined in any order.
    pub(super) fn vector_ops(&self, op: &Lambda) -> Option<Vec<RedOp>> {
        let ops = componentwise(op, 0, self.ir)?.into_iter();
        ops.map(|(op, prim)| red_op(op, prim, self.options.strict_float)).collect()
    }
}

/// The operator as one that may be applied in any order.
pub(super) fn red_op(op: BinOp, prim: Prim, strict_float: bool) -> Option<RedOp> {
    let red = match op {
        BinOp::Add => RedOp::Add,
        BinOp::Mul => RedOp::Mul,
        BinOp::Min => RedOp::Min,
        BinOp::Max => RedOp::Max,
        BinOp::And => RedOp::And,
        BinOp::Or => RedOp::Or,
        BinOp::Xor => RedOp::Xor,
        BinOp::Sub | BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow => {
            return None;
        }
        BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr => return None,
    };
    let exact = !prim.is_float() || matches!(red, RedOp::Min | RedOp::Max);
    (exact || !strict_float).then_some(red)
}

/// A block that is executed if indices are within the bounds of a shape.
pub(super) fn if_within(indices: &[Exp], shape: &[Exp], body: Block) -> Stm {
    use fehu_ir::CmpOp;
    let mut cond: Option<Exp> = None;
    for (index, size) in indices.iter().zip(shape) {
        // As unsigned numbers, negative ones are large.
        let unsigned =
            |exp: &Exp| Box::new(Exp::Convert(Prim::I64, Prim::U64, Box::new(exp.clone())));
        let within = Exp::Cmp(CmpOp::Lt, Prim::U64, unsigned(index), unsigned(size));
        cond = Some(match cond {
            None => within,
            Some(cond) => Exp::Bin(BinOp::And, Prim::Bool, Box::new(cond), Box::new(within)),
        });
    }
    let cond = cond.or_bug("dimension of an array");
    Stm::If(cond, body, Block::new())
}
