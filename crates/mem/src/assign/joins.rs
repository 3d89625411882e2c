//! Joins: arrays that a branch or a loop hands on as they are, although their strides differ, or are not known outside.
//!
//! ```text
//! let t = rearrange (1, 0) a                                t: where a is, 0 + {(n : 1), (n : n)}
//! let r = if c then {in t} else {in a}                      r carries its block
//! let s = map f r
//!
//! let (r, d, e) = if c then {in (t, 1, n)} else {in (a, n, 1)}
//!                                                           r carries its block, 0 + {(n : d), (n : e)}
//! ```
//!
//! Strides that all values have, and that are known outside, stay in the table. The others are further results of the
//! branch, or further parameters of the loop: numbers like any others. The offset needs none of that, since what
//! carries a block begins where its pointer points to.
//!
//! This pays if elements are read about once ([`super::uses`]): on processors, loops that read them have a version for
//! each order that the dimensions may turn out to have (`unit` in `fehu-loops`), so that a large array is not read
//! across. For the kernels of a host, moreover, the dimensions must lie in memory in the order of the variable: a
//! transposed array is copied, since neighbouring threads would read elements that are far apart. So is one that a
//! function returns: nobody knows how large it is and how often callers read it, and a copy in blocks costs less than
//! reading a large one across.

use super::Assign;
use super::uses::{Copied, Reader, Slow};
use crate::arith::{self, divide_exactly};
use crate::lmad::Lmad;
use crate::short_circuit::Why;
use crate::table::small;
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Body, Exp, LoopParam, Stm, Type, Var};
use rustc_hash::FxHashSet;

/// For each dimension its stride, or nothing if that is known only at run time.
pub(super) type Strides = Vec<Option<Poly>>;

pub(super) fn strides_of(lmad: &Lmad) -> Vec<Poly> {
    lmad.dims.iter().map(|dim| dim.stride.clone()).collect()
}

impl Assign<'_> {
    /// The strides with which a variable becomes one of these values as it is, if that pays. The variables are not known outside.
    pub(super) fn joined(
        &mut self,
        var: Var,
        values: &[Atom],
        bound: &FxHashSet<Var>,
    ) -> Option<Strides> {
        let mut places = Vec::with_capacity(values.len());
        for value in values {
            let (array, place) = self.array(*value)?;
            places.push((array, place.lmad));
        }
        let is_in_order = |(_, lmad): &(Var, Lmad)| self.table.in_order_of(var, lmad);
        if places.iter().all(is_in_order) {
            return None;
        }
        let mut strides: Strides = strides_of(&places.first()?.1).into_iter().map(Some).collect();
        for (_, lmad) in &places {
            for (known, stride) in strides.iter_mut().zip(strides_of(lmad)) {
                let is_known = !stride.vars().iter().any(|var| bound.contains(var));
                *known = known.take().filter(|known| is_known && *known == stride);
            }
        }
        let is_one_form = strides.iter().all(Option::is_some);
        if is_one_form && !self.beside_kernels && !places.iter().any(is_in_order) {
            return Some(strides);
        }
        match self.can_join(var, Copied::Here, places.iter().map(|(_, lmad)| lmad)) {
            Ok(()) => Some(strides),
            Err(why) => {
                let copied = places.iter().filter(|place| !is_in_order(place));
                let copied: Vec<Var> = copied.map(|(array, _)| *array).collect();
                for (array, why) in copied.into_iter().zip(std::iter::repeat(why)) {
                    why.into_iter().for_each(|why| _ = self.table.unjoined.insert(array, why));
                }
                None
            }
        }
    }

    /// Whether it pays that the strides of a variable are those of one of these. If not, the reason, unless it is copied anyway.
    pub(super) fn can_join<'l>(
        &self,
        var: Var,
        copied: Copied,
        lmads: impl IntoIterator<Item = &'l Lmad>,
    ) -> Result<(), Option<Why>> {
        let is_thread = self.has_kernels && !self.beside_kernels;
        let reader =
            match self.uses.may_be_strided(var, self.vars[var].ty.rank(), copied, is_thread) {
                Err(Slow::Moved) => return Err(None),
                Err(Slow::Often) => return Err(Some(Why::Often)),
                Ok(reader) => reader,
            };
        let order = self.table.orders.get(&var);
        let turned = |lmad: &Lmad| match (self.beside_kernels, order) {
            (true, None) => !lies_in_order(lmad),
            (true, Some(order)) => !lmad.rearrange(order).is_some_and(|lmad| lies_in_order(&lmad)),
            (false, _) => reader == Reader::Caller && !is_thread && is_turned(lmad),
        };
        match lmads.into_iter().any(turned) {
            true => Err(Some(Why::Turned)),
            false => Ok(()),
        }
    }

    /// The array comes with a block, in which its elements have these strides. Variables for those that are not known are new.
    pub(super) fn carried_by(&mut self, var: Var, strides: &Strides) -> (Vec<Poly>, Vec<Var>) {
        let (mut all, mut new) = (Vec::with_capacity(strides.len()), Vec::new());
        for stride in strides {
            all.push(stride.clone().unwrap_or_else(|| {
                let stride = self.new_var("stride", Type::I64);
                new.push(stride);
                Poly::var(stride)
            }));
        }
        if let Some(mut place) = self.table.place(var).cloned() {
            for (dim, stride) in place.lmad.dims.iter_mut().zip(&all) {
                dim.stride = stride.clone();
            }
            self.table.set(var, place);
        }
        (all, new)
    }

    /// The strides of an array that are not known, computed here.
    pub(super) fn unknown_strides(&mut self, array: Atom, strides: &[Option<Poly>]) -> Vec<Atom> {
        let Some((_, place)) = self.array(array) else { return Vec::new() };
        let unknown = place.lmad.dims.iter().zip(strides).filter(|(_, known)| known.is_none());
        let unknown: Vec<Poly> = unknown.map(|(dim, _)| dim.stride.clone()).collect();
        unknown.iter().map(|stride| self.value_of(stride)).collect()
    }

    /// The value of a polynomial. What does not fit into 64 bits is a distance between elements that do not exist.
    fn value_of(&mut self, poly: &Poly) -> Atom {
        arith::value_of(poly, &mut |op, first, second| {
            let var = self.new_var("stride", Type::I64);
            self.out.push(Stm::new(vec![var], Exp::BinOp(op, first, second)));
            Atom::Var(var)
        })
    }

    /// Whether the values of a loop's parameters may have strides that differ.
    pub(super) fn may_differ(&self, params: &[LoopParam], body: &Body) -> bool {
        let is_view = |stm: &&Stm| {
            matches!(
                stm.exp,
                Exp::Index(..) | Exp::Rearrange(..) | Exp::If(..) | Exp::Switch(..) | Exp::Loop(..)
            ) || matches!(stm.exp, Exp::Call(fun, _) if self.hands_on_views(fun))
        };
        let large = |param: &LoopParam| {
            let ty = &self.vars[param.var].ty;
            ty.is_array() && small(ty.shape()).is_none()
        };
        params.iter().zip(&body.results).filter(|(param, _)| large(param)).any(|(param, result)| {
            let made = |stm: &&Stm| result.var().is_some_and(|var| stm.pat.contains(&var));
            let init = self.array(param.init);
            init.is_some_and(|(_, place)| !self.table.in_order_of(param.var, &place.lmad))
                || body.stms.iter().filter(is_view).any(|stm| made(&stm))
        })
    }
}

/// Whether the dimensions lie in memory in this order: a step of one is a multiple of a step of the next one.
fn lies_in_order(lmad: &Lmad) -> bool {
    steps(lmad).windows(2).all(|pair| divide_exactly(&pair[0], &pair[1]).is_some())
}

/// Whether they are known not to: a step of one is a part of a step of the next one.
fn is_turned(lmad: &Lmad) -> bool {
    let is_part =
        |pair: &[Poly]| divide_exactly(&pair[1], &pair[0]).is_some_and(|times| !is_unit(&times));
    steps(lmad).windows(2).any(is_part)
}

/// The strides of the dimensions that have more than one element, as far as that is known.
fn steps(lmad: &Lmad) -> Vec<Poly> {
    let dims = lmad.dims.iter().filter(|dim| dim.size.as_constant() != Some(1));
    dims.map(|dim| dim.stride.clone()).collect()
}

fn is_unit(times: &Poly) -> bool {
    matches!(times.as_constant(), Some(1 | -1))
}

/// What to do after a loop has got its places.
pub(super) enum Next {
    /// Nothing more.
    Done,
    /// It should be tried again, with other strides of its parameters.
    Again(Attempt),
    /// All that is not contiguous should be copied.
    Copies,
}

/// What is known after a loop has got its places, in which its parameters had certain strides.
pub(super) struct Attempt {
    /// The strides that the parameters should have.
    strides: Vec<Option<Strides>>,
    /// Whether these are others than they have.
    changed: bool,
    /// Whether it does not pay.
    failed: bool,
    /// Whether all parameters are contiguous.
    is_plain: bool,
    /// When views would be copied.
    copied: Copied,
    /// The views that are copied, and why.
    pub(super) unjoined: Vec<(Var, Why)>,
}

impl Attempt {
    /// The first one.
    pub(super) fn plain(params: usize) -> Attempt {
        let strides = vec![None; params];
        let copied = Copied::BeforeLoop;
        let unjoined = Vec::new();
        Attempt { strides, changed: false, failed: false, is_plain: true, copied, unjoined }
    }

    /// The next one.
    fn again(&self) -> Attempt {
        let (strides, copied, unjoined) = (self.strides.clone(), self.copied, Vec::new());
        Attempt { strides, changed: false, failed: false, is_plain: false, copied, unjoined }
    }

    /// The strides of a parameter, if it is not contiguous.
    pub(super) fn strides(&self, k: usize) -> Option<Strides> {
        self.strides[k].clone()
    }

    /// A parameter that should be contiguous is given its first value, or the next one.
    pub(super) fn copies(
        &mut self,
        work: &Assign<'_>,
        k: usize,
        param: &LoopParam,
        value: Atom,
        copied: Copied,
    ) {
        let Some((_, place)) = work.array(value) else { return };
        let first = work.array(param.init);
        if work.table.in_order_of(param.var, &place.lmad) {
            return;
        }
        // Those that differ from one another are looked at when all are known.
        let fits = match self.is_plain {
            true => !work.beside_kernels || self.fits(work, param, copied, value),
            false => self.fits(work, param, self.copied, value),
        };
        match first {
            Some((_, first)) if fits => {
                self.strides[k] = Some(strides_of(&first.lmad).into_iter().map(Some).collect());
                self.changed = true;
                if self.is_plain && copied == Copied::Here {
                    self.copied = Copied::Here;
                }
            }
            // It would be copied where others are not.
            _ => self.failed |= !self.is_plain,
        }
    }

    /// A parameter with strides is given its next value.
    pub(super) fn hands_on(&mut self, work: &Assign<'_>, k: usize, param: &LoopParam, value: Atom) {
        let (Some((_, place)), Some(strides)) = (work.array(value), &mut self.strides[k]) else {
            self.failed = true;
            return;
        };
        let mut differs = false;
        for (known, stride) in strides.iter_mut().zip(strides_of(&place.lmad)) {
            if known.as_ref().is_some_and(|known| *known != stride) {
                *known = None;
                differs = true;
            }
        }
        self.changed |= differs;
        self.failed |= differs && !self.fits(work, param, self.copied, value);
    }

    /// Whether it pays that a value is handed on as it is.
    fn fits(&mut self, work: &Assign<'_>, param: &LoopParam, copied: Copied, value: Atom) -> bool {
        let Some((array, place)) = work.array(value) else { return false };
        let refused = work.can_join(param.var, copied, [&place.lmad]).err();
        if let Some(Some(why)) = refused {
            let views = param.init.var().into_iter().chain([array]);
            self.unjoined.extend(views.map(|view| (view, why)));
        }
        refused.is_none()
    }

    /// What to try next, if anything.
    pub(super) fn next(&self) -> Next {
        match (self.failed, self.changed) {
            (true, _) => Next::Copies,
            (false, false) => Next::Done,
            (false, true) => Next::Again(self.again()),
        }
    }
}
