//! Versions: the outer parallelism alone, if there is enough of it, or all of it (incremental flattening).
//!
//! ```text
//! let (t: i64) = tuning "main.suff_outer_par_0" 32768
//! let (enough: bool) = le t par
//! let (xs: ...) = if enough then { one nest, sequential inside } else { flattened }
//! ```

use crate::block::is_view;
use crate::context::{Cx, Home};
use ecow::eco_format;
use fehu_facts::cost;
use fehu_ir::pass::RemarkKind;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, Scalar, Stm, Var};

/// This many positions are enough for the machine, unless the user says something else, if what their functions compute
/// stays in registers.
const ENOUGH: i64 = 1 << 15;
/// And if it does not: arrays of single threads are in the memory of the device, as those between kernels are, so that
/// nothing is gained by one thread for each position, and only many threads hide how long that memory takes. The
/// estimates of bfast for 67,968 pixels take 7.2 ms on an H200 with a thread for each, and 3.8 ms otherwise; 57,600
/// tridiagonal systems of 115 equations 526 and 255 us.
const ENOUGH_IN_MEMORY: i64 = 1 << 17;
/// Arrays with more elements than this are in memory.
const MOST_IN_REGISTERS: i64 = 64;
/// Fewer positions than these, known to be so few, are never enough.
const NEVER: i64 = 256;
/// The most thresholds of a function.
pub(crate) const MAX_THRESHOLDS: usize = 96;

impl Cx<'_> {
    /// Whether the levels may have enough positions for a version that needs nothing else.
    pub(crate) fn may_suffice(&self) -> bool {
        let known = self.levels.iter().try_fold(1i64, |product, level| match level.width {
            Atom::Const(Scalar::I64(width)) => product.checked_mul(width),
            Atom::Const(_) | Atom::Var(_) => None,
        });
        known.is_none_or(|known| known >= NEVER) && self.may_choose()
    }

    /// Whether there may be another threshold.
    pub(crate) fn may_choose(&self) -> bool {
        self.thresholds < MAX_THRESHOLDS
    }

    /// Whether a function is nothing but a reduction or scan of rows that are those of one position. Then the segmented one reads
    /// every element once as well, and neighbouring threads read neighbouring elements.
    pub(crate) fn is_segmented(&self, body: &Body) -> bool {
        let mut operators = body.stms.iter().filter(|stm| stm.exp.operator().is_some());
        let (Some(stm), None) = (operators.next(), operators.next()) else { return false };
        let Exp::Screma(op) = &stm.exp else { return false };
        let is_cheap =
            |other: &Stm| other.pat == stm.pat || cost::weigh_stm(other, self.vars).is_some();
        let is_simple = |stm: &Stm| cost::weigh_stm(stm, self.vars).is_some();
        op.folded() > 0
            && body.stms.iter().all(is_cheap)
            && op.map.body.stms.iter().all(is_simple)
            && op.inputs.iter().all(|input| self.is_own_row(*input))
    }

    /// Whether an array is, at each level, an element of an input, and its own elements are neighbours.
    fn is_own_row(&self, var: Var) -> bool {
        let mut var = var;
        for level in (0..self.levels.len()).rev() {
            match self.homes.get(&var) {
                Some(Home::Param(at, input)) if *at == level => var = *input,
                _ => return false,
            }
        }
        let is_turned = |stm: &Stm| stm.pat == [var] && matches!(stm.exp, Exp::Rearrange(..));
        !self.out.iter().any(is_turned)
    }

    /// Both of two versions; the first, whose threads execute a body, if the levels have enough positions.
    pub(crate) fn choose(
        &mut self,
        body: &Body,
        outer: &mut dyn FnMut(&mut Self) -> Vec<Var>,
        flat: &mut dyn FnMut(&mut Self) -> Vec<Var>,
    ) -> Vec<Var> {
        let least = if self.keeps_arrays(body) { ENOUGH_IN_MEMORY } else { ENOUGH };
        let enough = self.is_enough(least, Some(body));
        let loc = self.levels.last().and_then(|level| level.loc.clone());
        let text = "created two versions: one uses only the outer parallelism, if that is sufficient, the other all of it";
        self.remark(RemarkKind::Done, loc.as_ref(), text);
        self.either(enough, outer, flat)
    }

    /// Whether a thread that executes a body has arrays of its own in memory. What the body yields is where it belongs.
    fn keeps_arrays(&self, body: &Body) -> bool {
        body.stms.iter().any(|stm| {
            let is_computed = is_view(&stm.exp) || matches!(stm.exp, Exp::Iota(..));
            let mut keeps = !is_computed
                && stm.pat.iter().any(|var| {
                    !body.results.contains(&Atom::Var(*var)) && !self.fits_registers(*var)
                });
            stm.exp.for_each_body(&mut |body| keeps = keeps || self.keeps_arrays(body));
            keeps
        })
    }

    fn fits_registers(&self, var: Var) -> bool {
        let elements =
            self.vars[var].ty.shape().iter().try_fold(1i64, |product, size| match size {
                Atom::Const(Scalar::I64(size)) => product.checked_mul(*size),
                Atom::Const(_) | Atom::Var(_) => None,
            });
        elements.is_some_and(|elements| elements <= MOST_IN_REGISTERS)
    }

    /// Whether the levels have enough positions for a machine whose threads share nothing and keep little.
    pub(crate) fn is_enough_for_loops(&mut self) -> Var {
        self.is_enough(ENOUGH, None)
    }

    /// Whether the levels have so many positions, at run time, or so many shares of tiles that execute a function.
    fn is_enough(&mut self, least: i64, body: Option<&Body>) -> Var {
        let par = self.parallelism();
        let name = eco_format!("{}.suff_outer_par_{}", self.name, self.thresholds);
        self.thresholds += 1;
        let threshold = self.named("suff_outer_par", Exp::Tuning(name, Atom::i64(least)));
        let enough = self.named("enough", Exp::CmpOp(CmpOp::Le, threshold.into(), par));
        let shares = body.and_then(|body| self.are_shares_enough(body, threshold, par));
        match shares {
            Some(shares) => {
                self.named("either", Exp::BinOp(BinOp::Or, enough.into(), shares.into()))
            }
            None => enough,
        }
    }

    /// Both of two versions; the first if a condition holds.
    pub(crate) fn either(
        &mut self,
        cond: Var,
        first: &mut dyn FnMut(&mut Self) -> Vec<Var>,
        second: &mut dyn FnMut(&mut Self) -> Vec<Var>,
    ) -> Vec<Var> {
        let mut cond = cond;
        let (yes, first) = self.inside(|cx| first(cx));
        let (no, (second, assumed)) = self.inside(|cx| cx.assuming(|cx| second(cx)));
        if assumed {
            // The second version relies on positions, the first one does not.
            let par = self.parallelism();
            let none = self.named("none", Exp::CmpOp(CmpOp::Le, par, Atom::i64(0)));
            let exp = Exp::BinOp(BinOp::Or, none.into(), cond.into());
            cond = self.named("either", exp);
        }
        let mut pat = Vec::new();
        for (a, b) in first.iter().zip(&second) {
            let var = self.fresh((*a).into(), self.vars[*a].ty.clone());
            self.alias(var, *b);
            pat.push(var);
        }
        let results = |vars: Vec<Var>| vars.into_iter().map(Atom::Var).collect();
        let yes = Body { stms: yes, results: results(first) };
        let no = Body { stms: no, results: results(second) };
        let exp = Exp::If(cond.into(), Box::new([yes, no]));
        let loc = self.levels.last().and_then(|level| level.loc.clone());
        self.out.push(Stm { loc, ..Stm::new(pat.clone(), exp) });
        pat
    }

    /// The number of positions of all levels together.
    pub(crate) fn parallelism(&mut self) -> Atom {
        let widths = self.widths();
        let mut product = widths.first().copied().unwrap_or(Atom::i64(1));
        for width in widths.iter().skip(1) {
            product = self.named("par", Exp::BinOp(BinOp::Mul, product, *width)).into();
        }
        product
    }

    pub(crate) fn named(&mut self, hint: &str, exp: Exp) -> Var {
        let var = self.bind(Atom::i64(0), exp);
        self.vars[var].hint = hint.into();
        var
    }
}
