//! Array operators with functions.

use super::Compiler;
use crate::code::{
    AccInput, AccOp, Flatmap, Fold, Hist, HistOp, Lambda, Op, Partition, Rows, Scatter, Screma,
    Seg, Slot, Stream, StreamForm, Unit, WithAcc,
};
use fehu_base::id::Id;
use fehu_ir::{Atom, Type, Var};

impl Compiler<'_> {
    pub(super) fn screma(&mut self, screma: &fehu_ir::Screma) -> Op {
        let map = self.lambda(&screma.map);
        let scans = screma.scans.iter().map(|scan| self.fold(&scan.op, &scan.neutral)).collect();
        let reds = screma.reds.iter().map(|red| self.fold(&red.op, &red.neutral)).collect();
        let inputs = self.read_vars(&screma.inputs);
        Op::Screma(Box::new(Screma { width: self.read(screma.width), inputs, map, scans, reds }))
    }

    pub(super) fn hist(&mut self, hist: &fehu_ir::Hist) -> Op {
        let map = self.lambda(&hist.map);
        let lambdas: Vec<Lambda> = hist.ops.iter().map(|op| self.lambda(&op.op)).collect();
        let inputs = self.read_vars(&hist.inputs);
        let mut ops = Vec::new();
        for (op, lambda) in hist.ops.iter().zip(lambdas).rev() {
            let dests: Vec<Atom> = op.dests.iter().map(|&dest| Atom::Var(dest)).collect();
            let (shape, dests) = (self.read_all(&op.shape), self.take_all(&dests));
            ops.push(HistOp { shape, dests, op: lambda });
        }
        ops.reverse();
        Op::Hist(Box::new(Hist { width: self.read(hist.width), inputs, map, ops }))
    }

    pub(super) fn scatter(&mut self, scatter: &fehu_ir::Scatter) -> Op {
        let map = self.lambda(&scatter.map);
        let inputs = self.read_vars(&scatter.inputs);
        let mut dests = Vec::new();
        for (shape, dest) in scatter.dests.iter().rev() {
            dests.push((self.read_all(shape), self.take(Atom::Var(*dest))));
        }
        dests.reverse();
        Op::Scatter(Box::new(Scatter { width: self.read(scatter.width), inputs, map, dests }))
    }

    pub(super) fn stream(&mut self, stream: &fehu_ir::Stream) -> Op {
        let chunk = self.lambda(&stream.chunk);
        let form = match &stream.form {
            fehu_ir::StreamForm::Map => StreamForm::Map,
            fehu_ir::StreamForm::Red(op, _) => StreamForm::Red(self.lambda(op)),
            fehu_ir::StreamForm::Seq => StreamForm::Seq,
            fehu_ir::StreamForm::Pass(pieces) => {
                let pieces = pieces.iter().map(|piece| {
                    (self.read_vars(&[piece.sizes])[0], self.read_vars(&piece.values))
                });
                StreamForm::Pass(pieces.collect())
            }
        };
        let inputs = self.read_vars(&stream.inputs);
        let width = self.read(stream.width);
        let init = self.take_all(&stream.init);
        Op::Stream(Box::new(Stream { width, inputs, form, init, chunk }))
    }

    pub(super) fn partition(&mut self, partition: &fehu_ir::Partition) -> Op {
        let map = self.lambda(&partition.map);
        let inputs = self.read_vars(&partition.inputs);
        let width = self.read(partition.width);
        Op::Partition(Box::new(Partition { width, classes: partition.classes, inputs, map }))
    }

    pub(super) fn flatmap(&mut self, flatmap: &fehu_ir::Flatmap) -> Op {
        let map = self.lambda(&flatmap.map);
        let inputs = self.read_vars(&flatmap.inputs);
        let width = self.read(flatmap.width);
        Op::Flatmap(Box::new(Flatmap { width, inputs, map, plain: flatmap.plain() }))
    }

    pub(super) fn seg(&mut self, seg: &fehu_ir::Seg) -> Op {
        let body = self.lambda(&seg.body);
        let space = self.read_all(&seg.space);
        let rows = seg.rows.map(|rows| Rows {
            ends: self.read(rows.ends.into()),
            total: self.read(rows.total),
            concatenated: seg.body.ret.iter().map(|ty| seg.is_concatenated(ty)).collect(),
        });
        let inputs: Vec<Atom> = seg.inputs.iter().map(|&input| Atom::Var(input)).collect();
        Op::Seg(Box::new(Seg { space, rows, inputs: self.take_all(&inputs), body }))
    }

    pub(super) fn with_acc(
        &mut self,
        inputs: &[fehu_ir::AccInput],
        lambda: &fehu_ir::Lambda,
    ) -> Op {
        let is_acc =
            |var: &Var| self.vars.get(*var).is_some_and(|info| matches!(info.ty, Type::Acc(_)));
        let acc_params = lambda.params.iter().map(is_acc).collect();
        let lambda = self.lambda(lambda);
        let ops: Vec<Option<AccOp>> =
            inputs.iter().map(|input| input.op.as_ref().map(|(op, _)| self.acc_op(op))).collect();
        let mut compiled = Vec::new();
        for (input, op) in inputs.iter().zip(ops).rev() {
            let arrays: Vec<Atom> = input.arrays.iter().map(|&array| Atom::Var(array)).collect();
            let (shape, arrays) = (self.read_all(&input.shape), self.take_all(&arrays));
            compiled.push(AccInput { shape, arrays, op });
        }
        compiled.reverse();
        Op::WithAcc(Box::new(WithAcc { inputs: compiled, acc_params, lambda }))
    }

    fn fold(&mut self, op: &fehu_ir::Lambda, neutral: &[Atom]) -> Fold {
        Fold { op: self.lambda(op), neutral: self.read_all(neutral) }
    }

    /// The operator of an accumulator becomes a unit of its own, with slots of its own.
    fn acc_op(&mut self, op: &fehu_ir::Lambda) -> AccOp {
        let outer = std::mem::take(&mut self.slots);
        let outer_drops = std::mem::take(&mut self.drops);
        let start = self.log.len();
        self.level += 1;
        let code = self.body(&op.params, &op.body);
        self.level -= 1;
        let params = op.params.iter().map(|&param| self.slot(param)).collect();
        let inner = std::mem::replace(&mut self.slots, outer);
        self.drops = outer_drops;
        for i in start..self.log.len() {
            let var = self.log[i];
            if self.live[var.index()] && self.dies_here(var) {
                let slot = self.slot(var);
                self.drops.push(slot);
            }
        }
        // What was bound outside is copied in. In order of slots, for the order of a hash table is none.
        let mut inner_vars: Vec<(Slot, Var)> =
            inner.iter().map(|(&var, &slot)| (slot, var)).collect();
        inner_vars.sort_unstable();
        let outside = |&(_, var): &(Slot, Var)| self.levels[var.index()] <= self.level;
        let free: Vec<(Slot, Var)> = inner_vars.into_iter().filter(outside).collect();
        let captures = free.into_iter().map(|(inside, var)| (self.slot(var), inside)).collect();
        let unit = Unit { name: "operator".into(), slots: inner.len(), params, code };
        AccOp { unit, captures }
    }
}
