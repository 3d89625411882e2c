//! Arrays of -1, in which scatters and histograms note who writes where. A loop hands such an array on from iteration
//! to iteration, and leaves it as it was: so a scatter of a few elements takes the time of a few, however large the
//! array is that it writes to.

use super::Reverse;
use crate::differentiate::activity::Set;
use fehu_base::Prim;
use fehu_ir::builder::Builder;
use fehu_ir::free::bound_in_body;
use fehu_ir::{Atom, Body, Exp, LoopParam, Type, Var};

/// A loop whose forward sweep is being made.
pub(super) struct Frame {
    /// What it binds.
    own: Set,
    blanks: Vec<Blank>,
}

/// An array of -1 of a loop: its parameter, and what it is at present.
struct Blank {
    shape: Vec<Atom>,
    param: Var,
    current: Var,
}

impl Frame {
    pub(super) fn of(params: &[LoopParam], counter: Var, body: &Body) -> Frame {
        let mut own: Set = bound_in_body(body).into_iter().collect();
        own.extend(params.iter().map(|param| param.var));
        own.insert(counter);
        Frame { own, blanks: Vec::new() }
    }
}

impl Reverse {
    /// Whether a loop hands on arrays of this shape.
    pub(super) fn hands_on(&self, shape: &[Atom]) -> bool {
        let is_own =
            |frame: &Frame, size: &Atom| size.var().is_some_and(|v| frame.own.contains(&v));
        self.frames.last().is_some_and(|frame| !shape.iter().any(|size| is_own(frame, size)))
    }

    /// An array of -1, and whether [`cleaned`](Reverse::cleaned) has to be told what it is afterwards, when all of it
    /// is -1 again.
    pub(super) fn blank(&mut self, b: &mut Builder<'_>, shape: &[Atom]) -> (Var, bool) {
        let ty = Type::array(Prim::I64.into(), shape.to_vec());
        if self.hands_on(shape)
            && let Some(frame) = self.frames.last_mut()
        {
            let mut known = frame.blanks.iter();
            if let Some(blank) = known.find(|blank| blank.shape == shape) {
                return (blank.current, true);
            }
            let param = b.param("blank", ty);
            frame.blanks.push(Blank { shape: shape.to_vec(), param, current: param });
            return (param, true);
        }
        (b.exp("blank", Exp::Replicate(shape.to_vec(), Atom::i64(-1))), false)
    }

    pub(super) fn cleaned(&mut self, shape: &[Atom], array: Var) {
        let blanks = self.frames.last_mut().into_iter().flat_map(|frame| &mut frame.blanks);
        for blank in blanks.filter(|blank| blank.shape == shape) {
            blank.current = array;
        }
    }

    /// Adds what the body of a loop has asked for: parameters, results of the body, and results of the loop.
    pub(super) fn hand_on(
        &mut self,
        b: &mut Builder<'_>,
        frame: Frame,
        params: &mut Vec<LoopParam>,
        (results, pat): (&mut Vec<Atom>, &mut Vec<Var>),
    ) {
        for Blank { shape, param, current } in frame.blanks {
            let (init, is_handed_on) = self.blank(b, &shape);
            let after = b.param("blank", b.ty(param).clone());
            params.push(LoopParam { var: param, init: init.into() });
            results.push(current.into());
            pat.push(after);
            if is_handed_on {
                self.cleaned(&shape, after);
            }
        }
    }
}
