//! Expressions.

use super::Compiler;
use crate::code::{
    Arg, Code, FlatUpdate, Form, Iota, Loop, Message, Op, Part, Place, Switch, Update,
};
use fehu_base::id::Id;
use fehu_ir::{Atom, Body, Check, CheckPart, Dim, Exp, LoopForm, LoopParam, Type, Var};

impl Compiler<'_> {
    /// An expression whose results are bound to `pat`.
    pub(super) fn exp(&mut self, exp: &Exp, pat: &[Var]) -> Op {
        match exp {
            // There is nothing to tune here.
            Exp::Atom(a) | Exp::Opaque(a) | Exp::Tuning(_, a) => Op::Atom(self.take(*a)),
            Exp::UnOp(op, a) => Op::Un(*op, self.read(*a)),
            Exp::BinOp(op, a, b) => Op::Bin(*op, self.read(*a), self.read(*b)),
            Exp::CmpOp(op, a, b) => Op::Cmp(*op, self.read(*a), self.read(*b)),
            Exp::Math(function, args) => Op::Math(*function, self.read_all(args)),
            Exp::Convert(to, a) => Op::Convert(*to, self.read(*a)),
            Exp::Reinterpret(to, a) => Op::Reinterpret(*to, self.read(*a)),
            Exp::Assert(condition, check) => {
                Op::Assert(self.read(*condition), Box::new(self.message(check)))
            }
            Exp::Fail(check) => Op::Fail(Box::new(self.message(check))),
            Exp::Array(elem, items) => {
                // The literal itself does not know the shape of its elements if there are none.
                let shape = pat.first().and_then(|&var| self.vars.get(var)).map(|info| &info.ty);
                let row: &[Atom] = match shape {
                    Some(Type::Array(_, shape)) => shape.get(1..).unwrap_or(&[]),
                    Some(Type::Scalar(_) | Type::Acc(_)) | None => &[],
                };
                Op::Array(*elem, self.read_all(items), self.read_all(row))
            }
            Exp::Index(array, dims) => self.index(*array, dims),
            Exp::Update(array, dims, value) => {
                let places = self.places(dims);
                let value = self.take(*value);
                let array = self.take(Atom::Var(*array));
                Op::Update(Box::new(Update { array, places, value }))
            }
            Exp::FlatIndex(array, offset, dims) => {
                Op::FlatIndex(self.read_var(*array), self.read(*offset), self.pairs(dims))
            }
            Exp::FlatUpdate(array, offset, dims, value) => {
                let (offset, dims) = (self.read(*offset), self.pairs(dims));
                let value = self.take(Atom::Var(*value));
                let array = self.take(Atom::Var(*array));
                Op::FlatUpdate(Box::new(FlatUpdate { array, offset, dims, value }))
            }
            Exp::Concat(size, arrays) => Op::Concat(self.read(*size), self.read_vars(arrays)),
            Exp::Iota(prim, count, start, step) => Op::Iota(Box::new(Iota {
                prim: *prim,
                count: self.read(*count),
                start: self.read(*start),
                step: self.read(*step),
            })),
            Exp::Replicate(shape, value) => Op::Replicate(self.read_all(shape), self.read(*value)),
            Exp::Scratch(elem, shape) => Op::Scratch(*elem, self.read_all(shape)),
            Exp::Reshape(array, shape) => Op::Reshape(self.read_var(*array), self.read_all(shape)),
            Exp::Rearrange(array, perm) => Op::Rearrange(self.read_var(*array), perm.clone()),
            Exp::Copy(array) => Op::Copy(self.take(Atom::Var(*array))),
            Exp::Manifest(array) => Op::Manifest(self.take(Atom::Var(*array))),
            Exp::If(condition, bodies) => {
                let mut codes = self.branches(bodies.iter());
                let condition = self.read(*condition);
                match (codes.pop(), codes.pop()) {
                    (Some(otherwise), Some(then)) => Op::If(condition, Box::new([then, otherwise])),
                    _ => Op::Atom(condition),
                }
            }
            Exp::Switch(value, switch) => {
                let bodies = switch.cases.iter().map(|(_, body)| body);
                let mut codes = self.branches(bodies.chain([&switch.default]));
                let value = self.read(*value);
                match codes.pop() {
                    Some(default) => {
                        let keys = switch.cases.iter().map(|(key, _)| *key);
                        let cases = keys.zip(codes).collect();
                        Op::Switch(value, Box::new(Switch { cases, default }))
                    }
                    None => Op::Atom(value),
                }
            }
            Exp::Loop(params, form, body) => self.repetition(params, form, body),
            Exp::Call(fun, args) => Op::Call(fun.index(), self.take_all(args)),
            Exp::Const(id) => Op::Const(id.index()),
            Exp::Screma(screma) => self.screma(screma),
            Exp::Hist(hist) => self.hist(hist),
            Exp::Scatter(scatter) => self.scatter(scatter),
            Exp::Stream(stream) => self.stream(stream),
            Exp::Partition(partition) => self.partition(partition),
            Exp::Flatmap(flatmap) => self.flatmap(flatmap),
            Exp::Diff(_) => fehu_base::bug("derivatives are taken before a program is interpreted"),
            Exp::Seg(seg) => self.seg(seg),
            Exp::WithAcc(inputs, lambda) => self.with_acc(inputs, lambda),
            Exp::UpdateAcc(acc, indices, values) => {
                let (indices, values) = (self.read_all(indices), self.read_all(values));
                Op::UpdateAcc(self.take(Atom::Var(*acc)), indices, values)
            }
            Exp::Trace(tag, a) => Op::Trace(tag.clone(), self.take(*a)),
            Exp::Notice(notice, values) => Op::Notice(*notice, self.take_all(values)),
            Exp::Threads => Op::Threads,
        }
    }

    /// Operands that are handed on and evaluated in order.
    pub(super) fn take_all(&mut self, atoms: &[Atom]) -> Vec<Arg> {
        let mut args: Vec<Arg> = atoms.iter().rev().map(|&atom| self.take(atom)).collect();
        args.reverse();
        args
    }

    fn message(&mut self, check: &Check) -> Message {
        let parts = check.parts.iter().map(|part| match part {
            CheckPart::Text(text) => Part::Text(text.clone()),
            CheckPart::Value(atom) => Part::Value(self.read(*atom)),
        });
        Message { parts: parts.collect(), trace: check.shown() }
    }

    fn index(&mut self, array: Var, dims: &[Dim]) -> Op {
        let rank = self.vars.get(array).map_or(0, |info| info.ty.rank());
        match dims {
            [Dim::Fix(index)] if rank == 1 => Op::Element(self.read_var(array), self.read(*index)),
            _ => Op::Index(self.read_var(array), self.places(dims)),
        }
    }

    fn places(&mut self, dims: &[Dim]) -> Vec<Place> {
        let place = |dim: &Dim| match dim {
            Dim::Fix(index) => Place::Fix(self.read(*index)),
            Dim::Slice { start, len, stride } => Place::Slice {
                start: self.read(*start),
                len: self.read(*len),
                stride: self.read(*stride),
            },
        };
        dims.iter().map(place).collect()
    }

    fn pairs(&mut self, dims: &[(Atom, Atom)]) -> Vec<(Arg, Arg)> {
        dims.iter().map(|&(a, b)| (self.read(a), self.read(b))).collect()
    }

    fn repetition(&mut self, params: &[LoopParam], form: &LoopForm, body: &Body) -> Op {
        let mut vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        if let LoopForm::For(var, _) = form {
            vars.push(*var);
        }
        let body = self.repeated(&vars, body);
        let params_slots: Vec<u32> = params.iter().map(|param| self.slot(param.var)).collect();
        let form = match form {
            LoopForm::For(var, bound) => Form::For(self.slot(*var), self.read(*bound)),
            LoopForm::While(var) => Form::While(self.slot(*var)),
        };
        let inits: Vec<Atom> = params.iter().map(|param| param.init).collect();
        let inits = self.take_all(&inits);
        let entangled = is_entangled(&params_slots, &body);
        Op::Loop(Box::new(Loop { params: params_slots, inits, form, body, entangled }))
    }
}

/// Whether a result is a parameter that stands before it.
fn is_entangled(params: &[u32], body: &Code) -> bool {
    body.results.iter().enumerate().any(|(i, result)| match result {
        Arg::Slot(slot) | Arg::Last(slot) => params.iter().take(i).any(|param| param == slot),
        Arg::Const(_) => false,
    })
}
