//! Epilogues: what is done with the elements of a scan where they become final.
//!
//! ```text
//! ys = scan (+) 0 xs          for i:  sum = sum + xs[i]
//! zs = map f ys us      ==>           zs[i] = f sum us[i]
//! ```
//!
//! One thread does that in its only loop; tasks do it in the second round, and devices once a block knows the prefix of its
//! tile. Which operator is the epilogue of which is decided before (`fehu_par::EPILOGUE`).

use super::Emit;
use super::combine::Partial;
use super::strip_mine::is_short;
use fehu_base::{OrBug, bug};
use fehu_imp::Exp;
use fehu_ir::{self as ir, After, Lambda, Screma, Seg, SegParts, Var};

/// An operator that gets the final elements of a scan.
#[derive(Clone)]
pub(super) struct Epilogue<'a> {
    stm: &'a ir::Stm,
    /// The current values of its own scans and reductions.
    scanned: Vec<Partial<'a>>,
    reduced: Vec<Partial<'a>>,
}

impl<'a> Epilogue<'a> {
    /// Whether it is a map of a few operations that cannot fail.
    pub(super) fn is_short(&self) -> bool {
        matches!(&self.stm.exp, ir::Exp::Screma(op) if op.folded() == 0 && is_short(&op.map.body))
    }

    /// Its inputs and its function.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    fn map(&self) -> (&'a [Var], &'a Lambda) {
        match &self.stm.exp {
            ir::Exp::Screma(op) => (&op.inputs, &op.map),
            ir::Exp::Scatter(op) => (&op.inputs, &op.map),
            _ => bug("an epilogue is no map or scatter"),
        }
    }

    /// Whether it reads plain results of an operator that binds these variables.
    pub(super) fn reads_plain(&self, pat: &[Var], op: &Screma) -> bool {
        self.map().0.iter().any(|input| pat[op.folded()..].contains(input))
    }
}

impl<'a> Emit<'a> {
    /// A Seg that one thread executes.
    pub(super) fn seg_here(&mut self, pat: &[Var], seg: &'a Seg) {
        let parts = seg.parts().or_bug("the operator of a seg");
        if !seg.space.is_empty() || !parts.before.is_empty() {
            bug("one thread executes an operator with a space around it");
        }
        self.with_epilogue(parts, |this| this.plain_stm(parts.op));
        self.bind_seg(pat, seg);
    }

    /// The scalars that the operator of a Seg without dimensions has computed are what the Seg binds.
    pub(super) fn bind_seg(&mut self, pat: &[Var], seg: &Seg) {
        for (var, result) in pat.iter().zip(&seg.body.body.results) {
            let value = result.var().and_then(|inner| self.scalars.get(&inner)).cloned();
            value.into_iter().for_each(|value| drop(self.scalars.insert(*var, value)));
        }
    }

    /// Executes an operator with its epilogue, if it has one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else combines elements")]
    pub(super) fn with_epilogue(&mut self, parts: SegParts<'a>, work: impl FnOnce(&mut Self)) {
        self.allocate_for(parts.op);
        let stm = match parts.after {
            After::Nothing => return work(self),
            After::Epilogue(stm) => stm,
            After::Finish(_) => bug("a segment has a finish where nothing is reduced by segments"),
        };
        let key = *parts.op.pat.first().or_bug("the result of a scan");
        self.allocate_for(stm);
        let op = match &stm.exp {
            ir::Exp::Screma(op) => Some(&**op),
            _ => None,
        };
        let scanned = op.map_or(Vec::new(), |op| self.start_scans(op));
        let reduced = op.map_or(Vec::new(), |op| self.start_reds(op));
        self.epilogues.insert(key, Epilogue { stm, scanned, reduced: reduced.clone() });
        work(self);
        // The same Seg may be emitted again.
        self.epilogues.remove(&key);
        if let Some(op) = op {
            self.bind_reduced(&stm.pat, op, &reduced);
        }
    }

    /// The epilogue of the scan that binds these variables, if it has one.
    pub(super) fn epilogue(&self, pat: &[Var]) -> Option<Epilogue<'a>> {
        self.epilogues.get(pat.first()?).cloned()
    }

    /// Executes an epilogue at a position, where these are the elements of the scan's arrays.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(super) fn execute_epilogue(
        &mut self,
        epilogue: &Epilogue<'a>,
        at: Exp,
        given: &[(Var, Exp)],
    ) {
        let Epilogue { stm, scanned, reduced } = epilogue;
        let (inputs, map) = epilogue.map();
        let index = self.table.index(&stm.pat, map);
        self.scalars.insert(index, at);
        for (param, input) in map.params.iter().zip(inputs) {
            match given.iter().find(|(var, _)| var == input) {
                Some((_, value)) => self.bind(*param, value.clone()),
                None => self.element_param(*param, *input, index),
            }
        }
        self.body(&map.body);
        let results = &map.body.results;
        match &stm.exp {
            ir::Exp::Scatter(op) => self.scatter_parts(op, results),
            ir::Exp::Screma(op) => {
                self.combine_all(&stm.pat, index, op, results, scanned, reduced);
            }
            _ => bug("an epilogue is no map or scatter"),
        }
    }

    /// The elements of scanned arrays.
    pub(super) fn scanned_elements(pat: &[Var], scanned: &[Partial<'a>]) -> Vec<(Var, Exp)> {
        let parts = pat.iter().zip(scanned.iter().flat_map(|scan| &scan.parts));
        parts.filter_map(|(var, part)| Some((*var, part.value()?))).collect()
    }

    /// The elements of plain results, where the function has been executed.
    pub(super) fn plain_elements(&self, pat: &[Var], op: &Screma) -> Vec<(Var, Exp)> {
        let results = op.map.body.results.iter().zip(pat).skip(op.folded());
        results.filter_map(|(result, var)| Some((*var, self.value(*result)?))).collect()
    }
}
