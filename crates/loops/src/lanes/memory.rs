//! Blocks of memory that iterations allocate for themselves: tapes of derivatives, for example.
//!
//! The lanes of a block of iterations have one block of memory together, with an element for each lane where one
//! iteration would have one, as local arrays do; so lanes that are at the same index access neighbours. Where lanes
//! want different sizes, all get the largest:
//!
//! ```text
//! m = alloc f64[n]; p = data m[k]; p[i] = x
//! ==>
//! most = the maximum of n over the lanes that are on
//! m = alloc f64[16 * most]; p = data m[16 * k]; for each lane: p[16 * i + lane] = x
//! ```
//!
//! A handle is the same for all lanes, so it is changed only where all lanes that know it are on. If there are loops
//! inside whose own iterations are independent, as where each iteration makes an image, these are better off in lanes:
//! what they write is contiguous, and there are more of them.

use super::control::Lanes;
use super::rule::is_unrolled;
use super::uniform::varies;
use fehu_base::bug;
use fehu_imp::rewrite::{bin, is_total, substitute};
use fehu_imp::{Block, Exp, From, Kind, Prim, RedOp, Stm, Ty, V, visit};
use fehu_ir::{BinOp, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a body has no memory of its own, or all that is needed for it: long loops inside are sequential, handles and
/// pointers are set where all lanes are on that are on where they are declared, and pointers lead to memory of the
/// body, to the same element in all lanes.
pub(super) fn fits(varying: &FxHashSet<V>, body: &Block) -> bool {
    let (mut allocates, mut sequential) = (false, true);
    visit::each_stm(body, &mut |stm| {
        allocates |= matches!(stm, Stm::Alloc(..));
        if let Stm::For { from, to, step, kind, body, .. } = stm {
            sequential &= *kind == Kind::Sequential || is_unrolled(from, to, *step, body);
        }
    });
    (!allocates || sequential)
        && Fits { varying, levels: FxHashMap::default(), level: 0 }.block(body)
}

struct Fits<'a> {
    varying: &'a FxHashSet<V>,
    /// In how many regions that not all lanes execute a variable is declared.
    levels: FxHashMap<V, usize>,
    level: usize,
}

impl Fits<'_> {
    fn block(&mut self, block: &Block) -> bool {
        block.iter().all(|stm| self.stm(stm))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others do nothing with memory")]
    fn stm(&mut self, stm: &Stm) -> bool {
        stm.each_declared(&mut |v| {
            self.levels.insert(v, self.level);
        });
        let is_here = |v: &V| self.levels.get(v) == Some(&self.level);
        let here = match stm {
            Stm::Alloc(handle, ..) | Stm::Free(handle) => is_here(handle),
            Stm::Point(ptr, From::Mem(of) | From::Ptr(of), index) => {
                is_here(ptr) && self.levels.contains_key(of) && !varies(self.varying, index)
            }
            Stm::Point(_, From::Shared, _) => false,
            _ => true,
        };
        let some = match stm {
            Stm::If(on, ..) | Stm::While(on, _) => varies(self.varying, on),
            Stm::For { from, to, .. } => varies(self.varying, from) || varies(self.varying, to),
            _ => false,
        };
        self.level += usize::from(some);
        let mut all = here;
        stm.each_block(&mut |inner| all = all && self.block(inner));
        self.level -= usize::from(some);
        all
    }
}

/// How many bytes an iteration allocates, as far as that is known before the loop. What is allocated again and again
/// counts once: it is freed in between.
pub(super) fn bytes(var: V, body: &Block) -> Option<Exp> {
    let mut inside = visit::set_vars(body);
    inside.insert(var);
    let mut assigned = FxHashSet::default();
    visit::each_stm(body, &mut |stm| stm.each_set(&mut |v| _ = assigned.insert(v)));
    let mut known: FxHashMap<V, Exp> = FxHashMap::default();
    let mut all: Vec<Exp> = Vec::new();
    visit::each_stm(body, &mut |stm| {
        let before = |e: &Exp, known: &FxHashMap<V, Exp>| {
            let mut fits = !e.any(&|e| !is_total(e));
            e.each_var(&mut |v| fits &= !inside.contains(&v) || known.contains_key(&v));
            let expanded = fits.then(|| substitute(e, &|v| known.get(&v).cloned()));
            expanded.filter(|e| e.size() <= MOST_SIZE)
        };
        if let Stm::Declare(v, Some(e)) = stm
            && !assigned.contains(v)
            && let Some(e) = before(e, &known)
        {
            known.insert(*v, e);
        }
        if let Stm::Alloc(_, prim, size) = stm
            && let Some(size) = before(size, &known)
        {
            all.push(bin(BinOp::Mul, size, Exp::int(i64::from(prim.bits().max(8)) / 8)));
        }
    });
    all.into_iter().reduce(|a, b| bin(BinOp::Add, a, b))
}

/// Sizes of more operations than this are not computed before the loop.
const MOST_SIZE: usize = 20;

impl Lanes<'_> {
    /// A handle or a pointer of the body.
    pub(super) fn declare_memory(&mut self, v: V) {
        let copy = self.copy(v);
        if let Ty::Ptr(..) = self.vars[v].ty {
            self.locals.insert(v, copy);
        }
        self.out.push(Stm::Declare(copy, None));
    }

    pub(super) fn allocate(&mut self, handle: V, prim: Prim, size: &Exp) {
        let size = match varies(&self.varying, size) {
            true => {
                let size = self.lane_exp(size);
                self.most("most", Exp::int(0), size)
            }
            false => self.uniform(size),
        };
        self.flush();
        let (handle, size) = (self.copy(handle), self.for_all_lanes(size));
        self.out.push(Stm::Alloc(handle, prim, size));
    }

    pub(super) fn point(&mut self, ptr: V, from: From, index: &Exp) {
        self.flush();
        let from = match from {
            From::Mem(handle) => From::Mem(self.copy(handle)),
            From::Ptr(array) => From::Ptr(self.locals.get(&array).copied().unwrap_or(array)),
            From::Shared => bug("a loop of a processor has shared memory"),
        };
        let index = self.uniform(index);
        let (ptr, index) = (self.copy(ptr), self.for_all_lanes(index));
        self.out.push(Stm::Point(ptr, from, index));
    }

    /// As many elements for each lane.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others have no simpler product")]
    fn for_all_lanes(&self, count: Exp) -> Exp {
        let width = i64::from(self.width);
        match count {
            Exp::Const(Scalar::I64(k)) => Exp::int(k.wrapping_mul(width)),
            Exp::Var(v) => Exp::Index(vec![(width, vec![v])]),
            count => bin(BinOp::Mul, count, Exp::int(width)),
        }
    }

    /// A variable with the largest value of an `i64` in the lanes that are on, or `least`, if that is larger. It has
    /// its value when the loop over lanes at hand has ended.
    pub(super) fn most(&mut self, hint: &str, least: Exp, value: Exp) -> Exp {
        let v = self.new_var(hint, Ty::Scalar(Prim::I64));
        self.out.push(Stm::Declare(v, Some(least.clone())));
        let value = match self.full_mask() {
            Some(on) => Exp::Select(Box::new([on, value, least])),
            None => value,
        };
        self.reduce(v, RedOp::Max, bin(BinOp::Max, Exp::Var(v), value));
        Exp::Var(v)
    }
}
