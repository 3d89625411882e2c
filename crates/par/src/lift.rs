//! Code that does not depend on the levels is lifted to the host, and executed once.
//!
//! Scalars that can be computed anywhere are always lifted. Operators, views and checks would not have been evaluated
//! if there are no positions, so the host evaluates them only where it is known that there are some: [`Cx::guarded`]
//! tests that, if it is worthwhile.
//!
//! ```text
//! map (\x -> map (\y -> y * sum zs + x) ys) xs    ==>    if 0 < n then let s = sum zs in map (\x -> ...) xs else ...
//! ```
//!
//! The host does not read elements of arrays, because it would have to wait for the device, and code that costs nothing
//! in a nest stays there: views, `iota`, `replicate`.

use crate::context::Cx;
use fehu_ir::free::free_in_stm;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Atom, Body, CmpOp, Exp, Family, Lambda, Stm, Type, Var};

impl Cx<'_> {
    /// Whether the host can do a statement of the innermost level.
    pub(crate) fn lifts(&self, stm: &Stm) -> bool {
        let plain = stm.pat.iter().all(|var| !matches!(self.vars[*var].ty, Type::Acc(_)));
        let host = || free_in_stm(stm, self.vars).iter().all(|var| self.is_host((*var).into()));
        let anywhere = is_plain(&stm.exp) && self.effects.speculable(&stm.exp, self.vars);
        plain && host() && (anywhere || self.evaluated() && self.lifts_here(stm))
    }

    /// Whether all levels are known to have positions, so that what is in the innermost one is evaluated.
    pub(crate) fn evaluated(&self) -> bool {
        self.nonempty >= self.levels.len()
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others are cheap enough to be repeated"
    )]
    fn lifts_here(&self, stm: &Stm) -> bool {
        let arrays = stm.pat.iter().any(|var| self.vars[*var].ty.is_array());
        let fits = match &stm.exp {
            Exp::Assert(..) => true,
            Exp::Screma(_) | Exp::Partition(_) => true,
            Exp::Copy(_) | Exp::Manifest(_) | Exp::Concat(..) => true,
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) | Exp::Call(..) => arrays,
            _ => false,
        };
        let changed = |var: &Var| self.vars[*var].ty.is_array() && self.is_consumed(*var);
        fits && !stm.pat.iter().any(changed) && !prints(&stm.exp) && !crate::is_sequential(stm)
    }

    /// The host does a statement.
    pub(crate) fn lift(&mut self, stm: &Stm) {
        if !is_plain(&stm.exp) {
            self.assumed = true;
        }
        let mut bound = HostBound(Vec::new());
        bound.stm(stm);
        for var in bound.0 {
            self.local.remove(&var);
        }
        let levels = std::mem::take(&mut self.levels);
        let consumed = std::mem::take(&mut self.consumed);
        let nonempty = std::mem::replace(&mut self.nonempty, 0);
        self.host_stm(stm.clone());
        (self.levels, self.consumed, self.nonempty) = (levels, consumed, nonempty);
    }

    /// Does something under the assumption that all levels have positions; also whether that was of use.
    pub(crate) fn assuming<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        let nonempty = std::mem::replace(&mut self.nonempty, self.levels.len());
        let assumed = std::mem::replace(&mut self.assumed, false);
        let result = work(self);
        self.nonempty = nonempty;
        (result, std::mem::replace(&mut self.assumed, assumed))
    }

    /// The same, and a test of it if necessary. Without positions there are no elements.
    pub(crate) fn guarded(
        &mut self,
        pat: &[Var],
        work: impl FnOnce(&mut Self) -> Vec<Var>,
    ) -> Vec<Var> {
        if !pat.iter().all(|var| self.vars[*var].ty.is_array()) {
            return work(self);
        }
        let (stms, (arrays, used)) = self.inside(|cx| cx.assuming(work));
        if !used {
            self.out.extend(stms);
            return arrays;
        }
        let some = self.some();
        let (none, results) = self.inside(|cx| {
            let mut empty = Vec::new();
            for array in &arrays {
                if let Type::Array(elem, shape) = cx.vars[*array].ty.clone() {
                    empty.push(cx.bind((*array).into(), Exp::Scratch(elem, shape)).into());
                }
            }
            empty
        });
        let no = Body { stms: none, results };
        let yes = Body { stms, results: arrays.iter().map(|array| Atom::Var(*array)).collect() };
        let mut pat = Vec::new();
        for array in arrays {
            let var = self.fresh(array.into(), self.vars[array].ty.clone());
            self.alias(var, array);
            pat.push(var);
        }
        self.out.push(Stm::new(pat.clone(), Exp::If(some, Box::new([yes, no]))));
        pat
    }

    /// Whether there are positions, as a value.
    pub(crate) fn some(&mut self) -> Atom {
        let par = self.parallelism();
        self.named("some", Exp::CmpOp(CmpOp::Lt, Atom::i64(0), par)).into()
    }
}

/// Whether an expression is an operation on scalars or another view, which the host can do at any time.
pub(crate) fn is_plain(exp: &Exp) -> bool {
    exp.family() == Family::Scalar
        || matches!(exp, Exp::Rearrange(..) | Exp::Const(_) | Exp::Tuning(..))
}

/// Whether an expression prints, or may by a call.
fn prints(exp: &Exp) -> bool {
    struct Look(bool);
    impl Visit for Look {
        fn exp(&mut self, exp: &Exp) {
            self.0 |= matches!(exp, Exp::Trace(..) | Exp::Opaque(_) | Exp::Call(..));
            walk_exp(self, exp);
        }
    }
    let mut look = Look(false);
    look.exp(exp);
    look.0
}

/// What the host binds when it executes a fragment.
struct HostBound(Vec<Var>);

impl Visit for HostBound {
    fn bind(&mut self, var: &Var) {
        self.0.push(*var);
    }

    fn lambda(&mut self, _: &Lambda) {}
}
