//! Puts a statement where it belongs.

use super::frame::{Facts, Trips};
use super::rules::{Class, Cross};
use super::walk::Hoist;
use fehu_ir::builder::prim_of;
use fehu_ir::visit::Visit;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, Scalar, Stm, Type, UnOp, Var, VarInfo};

impl Hoist<'_> {
    /// Puts a statement of the body at a level there, or as far out as it may go.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other statements cannot wait for a condition"
    )]
    pub(super) fn place(&mut self, mut stm: Stm, mut facts: Facts, level: usize) {
        let class = self.class(&stm, &facts);
        let lazy = class != Class::Stays && self.is_lazy(&stm);
        let mut at = level;
        let mut guards = Vec::new();
        while at > 0 && facts.could.highest() < at {
            match self.cross(&stm, class, at) {
                Cross::No => break,
                Cross::Plain => {}
                Cross::Guard => match &mut stm.exp {
                    Exp::Assert(cond, _) => {
                        let empty = self.empty(at);
                        let either = Exp::BinOp(BinOp::Or, empty, *cond);
                        *cond = self.scalar("ok", Type::BOOL, either, at - 1);
                        self.use_atom(&mut facts, *cond);
                    }
                    _ => {
                        let full = self.full(at);
                        self.use_atom(&mut facts, full);
                        guards.push(full);
                    }
                },
            }
            at -= 1;
        }
        if at == level || lazy {
            let index = self.frames[level].stms.len();
            for var in &stm.pat {
                self.bind(*var, level, at);
                if at < level {
                    self.lazy.insert(*var, (level, index));
                }
            }
            self.frames[level].facts.join(facts);
            self.frames[level].stms.push(Some(stm));
            return;
        }
        self.pull(&stm, at);
        if let Some(guard) = self.both(guards, at) {
            stm = self.guarded(stm, guard);
        }
        self.push(stm, facts, at);
    }

    /// Adds a statement to the body at a level.
    fn push(&mut self, stm: Stm, facts: Facts, at: usize) {
        for var in &stm.pat {
            self.bind(*var, at, at);
        }
        let frame = &mut self.frames[at];
        frame.facts.join(Facts { now: facts.now.up_to(at), could: facts.could.up_to(at), ..facts });
        frame.stms.push(Some(stm));
    }

    /// Takes along what a statement needs and what waited for that.
    fn pull(&mut self, stm: &Stm, at: usize) {
        let mut used = Used(Vec::new());
        used.stm(stm);
        for var in used.0 {
            let Some((level, index)) = self.lazy.get(&var).copied() else { continue };
            let Some(first) = self.level(var).filter(|(now, _)| *now > at).map(|(_, could)| could)
            else {
                continue;
            };
            // What stands inside the statement has no place of its own any more.
            let slot = self.frames.get_mut(level).and_then(|frame| frame.stms.get_mut(index));
            let binds = |stm: &mut Stm| stm.pat.contains(&var);
            let Some(needed) = slot.and_then(|slot| slot.take_if(binds)) else { continue };
            self.pull(&needed, at);
            let mut facts = Facts::NONE;
            self.uses(&mut facts, &needed);
            let index = self.frames[at].stms.len();
            for var in &needed.pat {
                self.bind(*var, at, first);
                self.lazy.insert(*var, (at, index));
            }
            let frame = &mut self.frames[at];
            frame.facts.join(facts);
            frame.stms.push(Some(needed));
        }
    }

    /// A new scalar, computed before the body at the next level, or further out.
    fn scalar(&mut self, hint: &str, ty: Type, exp: Exp, level: usize) -> Atom {
        let var = self.vars.push(VarInfo { hint: hint.into(), ty });
        let stm = Stm::new(vec![var], exp);
        let mut facts = Facts::NONE;
        self.uses(&mut facts, &stm);
        self.place(stm, facts, level);
        Atom::Var(var)
    }

    /// Whether the body at a level is never evaluated.
    fn empty(&mut self, level: usize) -> Atom {
        if let Some(empty) = self.frames[level].empty {
            return empty;
        }
        let exp = match self.frames[level].trips {
            Trips::Above(count) => Exp::CmpOp(CmpOp::Le, count, self.zero(count)),
            Trips::If(first) => Exp::UnOp(UnOp::Not, first),
            Trips::Once | Trips::Unknown | Trips::Some => Exp::Atom(Atom::bool(false)),
        };
        let empty = self.scalar("empty", Type::BOOL, exp, level - 1);
        self.frames[level].empty = Some(empty);
        empty
    }

    /// Whether it is.
    fn full(&mut self, level: usize) -> Atom {
        if let Some(full) = self.frames[level].full {
            return full;
        }
        let full = match self.frames[level].trips {
            Trips::Above(count) => {
                let exp = Exp::CmpOp(CmpOp::Lt, self.zero(count), count);
                self.scalar("full", Type::BOOL, exp, level - 1)
            }
            Trips::If(first) => first,
            Trips::Once | Trips::Unknown | Trips::Some => Atom::bool(true),
        };
        self.frames[level].full = Some(full);
        full
    }

    fn zero(&self, number: Atom) -> Atom {
        let prim = number.var().and_then(|var| prim_of(&self.vars[var].ty));
        Atom::Const(prim.map_or(Scalar::I64(0), Scalar::zero))
    }

    /// All of several guards.
    fn both(&mut self, guards: Vec<Atom>, level: usize) -> Option<Atom> {
        let mut guards = guards.into_iter();
        let mut all = guards.next()?;
        for guard in guards {
            all = self.scalar("full", Type::BOOL, Exp::BinOp(BinOp::And, all, guard), level);
        }
        Some(all)
    }

    /// The statement under a condition; without it, zeros that nobody looks at.
    fn guarded(&mut self, mut stm: Stm, guard: Atom) -> Stm {
        let pat = std::mem::take(&mut stm.pat);
        let loc = stm.loc.clone();
        let mut zeros = Vec::new();
        for var in &pat {
            let info = self.vars[*var].clone();
            let prim = prim_of(&info.ty);
            zeros.push(Atom::Const(prim.map_or(Scalar::Unit, Scalar::zero)));
            stm.pat.push(self.vars.push(info));
        }
        let results = stm.pat.iter().map(|var| Atom::Var(*var)).collect();
        let bodies = Box::new([Body { stms: vec![stm], results }, Body::of(zeros)]);
        Stm { loc, ..Stm::new(pat, Exp::If(guard, bodies)) }
    }
}

struct Used(Vec<Var>);

impl Visit for Used {
    fn use_var(&mut self, var: &Var) {
        self.0.push(*var);
    }
}
