//! Branches and loops with passes inside: steps with jumps between them.
//!
//! ```text
//! let r = if c then {..a} else {..b}
//! ==>
//! jump 3 unless c      let (x) = loop (p = a) for i < n do {..q}
//! ..; r := a           ==>
//! jump 4               p, i := a, 0
//! 3: ..; r := b        1: jump 4 unless i < n
//! 4:                   ..; p, i := q, i + 1
//!                      jump 1
//!                      4:
//! ```

use super::{Steps, Whole};
use fehu_base::bug;
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::streaming::{Slot, Step};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, LoopForm, LoopParam, Scalar, Stm, Type, Var};

/// The bodies of a branch or a loop.
pub(super) fn bodies(stm: &Stm) -> &[Body] {
    if let Exp::If(_, branches) = &stm.exp {
        &branches[..]
    } else if let Exp::Loop(_, _, body) = &stm.exp {
        std::slice::from_ref(body)
    } else {
        &[]
    }
}

impl<'a> Steps<'a> {
    /// The steps of a branch or a loop.
    pub(super) fn control(&mut self, stm: &'a Stm) -> Result<(), Whole> {
        let done = if let Exp::If(cond, branches) = &stm.exp {
            self.branch(stm, *cond, branches)
        } else if let Exp::Loop(params, form, body) = &stm.exp {
            self.repeat(stm, params, *form, body)
        } else {
            bug("only branches and loops are divided into steps")
        };
        done.map_err(|whole| Whole { loc: whole.loc.or_else(|| stm.loc.clone()), ..whole })
    }

    fn branch(&mut self, stm: &'a Stm, cond: Atom, branches: &'a [Body; 2]) -> Result<(), Whole> {
        let results = self.slots(&stm.pat)?;
        let cond = self.operand(cond)?;
        let [yes, no] = branches;
        let before = self.reads.clone();
        let otherwise = self.jump(Some(cond));
        self.body(yes)?;
        self.assign(stm, results.clone(), &yes.results)?;
        let reads = std::mem::replace(&mut self.reads, before);
        let end = self.jump(None);
        self.land(otherwise);
        self.body(no)?;
        self.assign(stm, results, &no.results)?;
        for (most, other) in self.reads.iter_mut().zip(reads) {
            *most = other.max(*most);
        }
        self.land(end);
        Ok(())
    }

    fn repeat(
        &mut self,
        stm: &'a Stm,
        params: &[LoopParam],
        form: LoopForm,
        body: &'a Body,
    ) -> Result<(), Whole> {
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        let mut slots = self.slots(&vars)?;
        let mut first: Vec<Atom> = params.iter().map(|param| param.init).collect();
        if let LoopForm::For(counter, _) = form {
            slots.push(self.slot(counter)?);
            first.push(Atom::Const(Scalar::zero(self.counted(counter))));
        }
        self.assign(stm, slots.clone(), &first)?;
        let again = self.steps.len();
        let goes_on = match form {
            LoopForm::While(var) => self.slot(var)?,
            LoopForm::For(counter, bound) => {
                let slot = self.fresh(&Type::BOOL)?;
                let less = Exp::CmpOp(CmpOp::Lt, counter.into(), bound);
                self.yielding(vec![slot], |b| vec![b.exp("goes_on", less).into()])?;
                slot
            }
        };
        let end = self.jump(Some(goes_on));
        let before = self.reads.clone();
        self.body(body)?;
        for (reads, before) in self.reads.iter_mut().zip(before) {
            // Those that are read in an iteration are read in others.
            *reads = if *reads > before { 2 } else { *reads };
        }
        let one = match form {
            LoopForm::While(_) => None,
            LoopForm::For(counter, _) => Some((counter, self.counted(counter))),
        };
        let mut results = body.results.clone();
        self.yielding(slots.clone(), |b| {
            results.extend(one.map(|(counter, prim)| {
                let one = Atom::Const(Scalar::from_bits(prim, 1));
                Atom::Var(b.exp("i", Exp::BinOp(BinOp::Add, counter.into(), one)))
            }));
            results
        })?;
        self.steps.push(Step::Jump { unless: None, to: again });
        self.land(end);
        // What the parameters are at the end is what the loop yields.
        self.slots.extend(stm.pat.iter().copied().zip(slots));
        Ok(())
    }

    /// The type of a loop's counter.
    fn counted(&self, counter: Var) -> fehu_base::Prim {
        match prim_of(&self.fun.vars[counter].ty) {
            Some(prim) => prim,
            None => bug("the counter of a loop is no number"),
        }
    }

    /// A step that puts operands into slots, if the statement's certificates hold.
    fn assign(&mut self, stm: &Stm, slots: Vec<Slot>, atoms: &[Atom]) -> Result<(), Whole> {
        self.yielding(slots, |b: &mut Builder<'_>| {
            if stm.certs.is_empty() {
                return atoms.to_vec();
            }
            let others = b.set_certs(stm.certs.clone());
            let checked = atoms.iter().map(|atom| b.exp("r", Exp::Atom(*atom)).into()).collect();
            b.set_certs(others);
            checked
        })
    }

    /// A jump, of which [`Steps::land`] says where it goes.
    fn jump(&mut self, unless: Option<Slot>) -> usize {
        self.steps.push(Step::Jump { unless, to: usize::MAX });
        self.steps.len() - 1
    }

    /// A jump goes to the next step.
    fn land(&mut self, jump: usize) {
        let next = self.steps.len();
        match &mut self.steps[jump] {
            Step::Jump { to, .. } => *to = next,
            Step::Call { .. } | Step::Pass(_) => bug("only jumps go somewhere"),
        }
    }
}
