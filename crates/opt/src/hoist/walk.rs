//! The traversal: bodies, and what their statements use.

use super::frame::{Facts, Frame, Trips};
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_facts::{Effects, Prints, Share};
use fehu_ir::{
    Atom, Body, Exp, Lambda, LoopForm, LoopParam, Scalar, Stm, StreamForm, Type, Var, VarInfo,
};
use rustc_hash::FxHashMap;

/// A level that no variable has.
const NOWHERE: u32 = u32::MAX;

pub(super) struct Hoist<'a> {
    pub(super) effects: &'a Effects,
    pub(super) prints: &'a Prints,
    pub(super) vars: &'a mut IdVec<Var, VarInfo>,
    pub(super) share: Share,
    pub(super) frames: Vec<Frame>,
    /// The level of each variable, and the one where it would be if something needed it there.
    levels: Vec<(u32, u32)>,
    /// The statements that move only along with others, by what they bind: level and position.
    pub(super) lazy: FxHashMap<Var, (usize, usize)>,
    /// The outermost level at which a size is known not to be negative, with those before for the end of a scope.
    known: FxHashMap<Var, usize>,
    trail: Vec<(Var, Option<usize>)>,
}

impl<'a> Hoist<'a> {
    pub(super) fn new(
        effects: &'a Effects,
        prints: &'a Prints,
        vars: &'a mut IdVec<Var, VarInfo>,
        share: Share,
    ) -> Hoist<'a> {
        let levels = vec![(NOWHERE, NOWHERE); vars.len()];
        Hoist {
            effects,
            prints,
            vars,
            share,
            frames: Vec::new(),
            levels,
            lazy: FxHashMap::default(),
            known: FxHashMap::default(),
            trail: Vec::new(),
        }
    }

    /// A function or constant.
    pub(super) fn whole(mut self, params: &[Var], body: &mut Body) {
        self.body(params, &[], body, Trips::Once, false);
    }

    /// A body inside; also what the statement around it has to know of it.
    fn body(
        &mut self,
        params: &[Var],
        ret: &[Type],
        body: &mut Body,
        trips: Trips,
        lambda: bool,
    ) -> Facts {
        let level = self.frames.len();
        let stms = Vec::with_capacity(body.stms.len());
        let (facts, sizes) = (Facts::NONE, self.trail.len());
        self.frames.push(Frame { stms, trips, lambda, facts, empty: None, full: None, sizes });
        for param in params {
            self.bind(*param, level, level);
        }
        let mut facts = Facts::NONE;
        for param in params {
            self.use_type(&mut facts, &self.vars[*param].ty);
        }
        for ty in ret {
            self.use_type(&mut facts, ty);
        }
        self.frames[level].facts.join(facts);
        for stm in std::mem::take(&mut body.stms) {
            self.stm(stm);
        }
        let mut facts = Facts::NONE;
        for atom in &body.results {
            self.use_atom(&mut facts, *atom);
        }
        let Some(frame) = self.frames.pop() else { return facts };
        facts.join(frame.facts);
        body.stms = frame.stms.into_iter().flatten().collect();
        while self.trail.len() > frame.sizes {
            if let Some((size, before)) = self.trail.pop() {
                match before {
                    Some(before) => self.known.insert(size, before),
                    None => self.known.remove(&size),
                };
            }
        }
        match level.checked_sub(1) {
            Some(outer) => {
                facts.now = facts.now.up_to(outer);
                facts.could = facts.could.up_to(outer);
                facts
            }
            None => facts,
        }
    }

    fn stm(&mut self, mut stm: Stm) {
        let level = self.frames.len() - 1;
        let mut facts = self.inside(&mut stm.exp);
        facts.speculable &= self.speculable(&stm.exp);
        facts.ends |= self.ends(&stm.exp);
        facts.prints |= self.prints.shallow(&stm.exp);
        self.uses(&mut facts, &stm);
        facts.now = facts.now.up_to(level);
        facts.could = facts.could.up_to(level);
        self.place(stm, facts, level);
    }

    /// Adds what a statement uses outside its bodies.
    pub(super) fn uses(&self, facts: &mut Facts, stm: &Stm) {
        stm.exp.for_each_operand(&mut |atom| self.use_atom(facts, atom));
        for cert in &stm.certs {
            self.use_atom(facts, Atom::Var(*cert));
        }
        for var in &stm.pat {
            self.use_type(facts, &self.vars[*var].ty);
        }
    }

    fn use_type(&self, facts: &mut Facts, ty: &Type) {
        match ty {
            Type::Scalar(_) => {}
            Type::Array(_, shape) => shape.iter().for_each(|atom| self.use_atom(facts, *atom)),
            Type::Acc(cert) => self.use_atom(facts, Atom::Var(*cert)),
        }
    }

    pub(super) fn use_atom(&self, facts: &mut Facts, atom: Atom) {
        let Atom::Var(var) = atom else { return };
        // The variables of a pattern that mention each other have no level yet.
        if let Some((now, could)) = self.level(var) {
            facts.now.add(now);
            facts.could.add(could);
        }
    }

    /// The level of a variable, and the one where it would be if something needed it there.
    pub(super) fn level(&self, var: Var) -> Option<(usize, usize)> {
        let (now, could) = *self.levels.get(var.index())?;
        (now != NOWHERE).then_some((now as usize, could as usize))
    }

    /// Sets them; the sizes of an array are not negative from there on.
    pub(super) fn bind(&mut self, var: Var, now: usize, could: usize) {
        if self.levels.len() <= var.index() {
            self.levels.resize(var.index() + 1, (NOWHERE, NOWHERE));
        }
        self.levels[var.index()] = (now as u32, could as u32);
        let Type::Array(_, shape) = &self.vars[var].ty else { return };
        for size in shape {
            if let Atom::Var(size) = size {
                let before = self.known.get(size).copied();
                if before.is_none_or(|level| now < level) {
                    self.known.insert(*size, now);
                    self.trail.push((*size, before));
                }
            }
        }
    }

    /// Whether an array of this size can be made at a level.
    pub(super) fn is_size(&self, size: Atom, level: usize) -> bool {
        match size {
            Atom::Const(Scalar::I64(value)) => value >= 0,
            Atom::Const(_) => false,
            Atom::Var(var) => self.known.get(&var).is_some_and(|known| *known <= level),
        }
    }

    /// The bodies of an expression.
    fn inside(&mut self, exp: &mut Exp) -> Facts {
        let mut facts = Facts::NONE;
        match exp {
            Exp::If(_, bodies) => {
                for body in &mut **bodies {
                    facts.join(self.body(&[], &[], body, Trips::Once, false));
                }
            }
            Exp::Switch(_, switch) => {
                for (_, body) in &mut switch.cases {
                    facts.join(self.body(&[], &[], body, Trips::Once, false));
                }
                facts.join(self.body(&[], &[], &mut switch.default, Trips::Once, false));
            }
            Exp::Loop(params, form, body) => {
                let mut vars: Vec<Var> = params.iter().map(|param| param.var).collect();
                if let LoopForm::For(var, _) = form {
                    vars.push(*var);
                }
                let trips = loop_trips(params, *form);
                facts.join(self.body(&vars, &[], body, trips, false));
            }
            Exp::Screma(op) => {
                let trips = above(op.width);
                facts.join(self.lambda(&mut op.map, trips));
                for scan in &mut op.scans {
                    facts.join(self.lambda(&mut scan.op, trips));
                }
                for red in &mut op.reds {
                    facts.join(self.lambda(&mut red.op, trips));
                }
            }
            Exp::Hist(op) => {
                facts.join(self.lambda(&mut op.map, above(op.width)));
                for hist in &mut op.ops {
                    facts.join(self.lambda(&mut hist.op, Trips::Unknown));
                }
            }
            Exp::Scatter(op) => facts.join(self.lambda(&mut op.map, above(op.width))),
            Exp::Stream(op) => {
                if let StreamForm::Red(lambda, _) = &mut op.form {
                    facts.join(self.lambda(lambda, Trips::Unknown));
                }
                facts.join(self.lambda(&mut op.chunk, Trips::Unknown));
            }
            Exp::Partition(op) => facts.join(self.lambda(&mut op.map, above(op.width))),
            Exp::Flatmap(op) => facts.join(self.lambda(&mut op.map, above(op.width))),
            // Derivatives are gone before anything is hoisted.
            Exp::Diff(_) => {}
            Exp::WithAcc(inputs, lambda) => {
                for input in inputs {
                    if let Some((op, _)) = &mut input.op {
                        facts.join(self.lambda(op, Trips::Unknown));
                    }
                }
                facts.join(self.lambda(lambda, Trips::Once));
            }
            Exp::Atom(_)
            | Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Array(..)
            | Exp::Index(..)
            | Exp::Update(..)
            | Exp::FlatIndex(..)
            | Exp::FlatUpdate(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::Call(..)
            | Exp::Const(_)
            | Exp::UpdateAcc(..)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Opaque(_)
            | Exp::Tuning(..)
            | Exp::Threads
            | Exp::Fail(_) => {}
            // It stays as it is.
            Exp::Seg(_) => {
                facts.join(Facts { speculable: false, ends: true, prints: true, ..Facts::NONE });
            }
        }
        facts
    }

    fn lambda(&mut self, lambda: &mut Lambda, trips: Trips) -> Facts {
        self.body(&lambda.params, &lambda.ret, &mut lambda.body, trips, true)
    }
}

/// Whether a body is evaluated at all that is evaluated this many times.
#[expect(clippy::wildcard_enum_match_arm, reason = "other numbers tell nothing")]
fn above(count: Atom) -> Trips {
    match count {
        Atom::Var(_) => Trips::Above(count),
        Atom::Const(value) => match value {
            Scalar::I8(1..) | Scalar::I16(1..) | Scalar::I32(1..) | Scalar::I64(1..) => Trips::Some,
            Scalar::U8(1..) | Scalar::U16(1..) | Scalar::U32(1..) | Scalar::U64(1..) => Trips::Some,
            _ => Trips::Unknown,
        },
    }
}

fn loop_trips(params: &[LoopParam], form: LoopForm) -> Trips {
    match form {
        LoopForm::For(_, bound) => above(bound),
        LoopForm::While(var) => {
            let first = params.iter().find(|param| param.var == var).map(|param| param.init);
            match first {
                Some(Atom::Const(Scalar::Bool(true))) => Trips::Some,
                Some(init @ Atom::Var(_)) => Trips::If(init),
                Some(Atom::Const(_)) | None => Trips::Unknown,
            }
        }
    }
}
