//! Strips: positions that all read the same elements, see [`super::tile`].
//!
//! ```text
//! for all i:  acc = start; for k: acc = f(acc, x, a[k], b[k]); out[i] = g(acc)
//! ```
//!
//! Each thread of a block has one position. A block has positions that read the same, all of which are there if the
//! elements differ along other dimensions: these are the numbers of blocks. The block executes the loop in steps: each
//! thread copies one element of every array to shared memory, and then all of them walk through these. Positions beyond
//! the end are copies of the last one, and not stored.
//!
//! There may be loops around it, which all threads of a block execute in the same way:
//!
//! ```text
//! for all i, j:  sum = start; for l: row = rows[i, l]; acc = 0; for k: acc = f(acc, x, a[row, k]); sum = g(sum, acc); out[i, j] = sum
//! ```

use super::super::Emit;
use super::seg::SegOp;
use super::stage::{is_short, up_to};
use super::tile::{Around, Fold};
use super::{THREADS, bin, lt, quot_up};
use fehu_base::Prim;
use fehu_imp::cost::calls_functions;
use fehu_imp::rewrite::{Vars, all, replace, sum};
use fehu_imp::verify::varying;
use fehu_imp::visit::set_vars;
use fehu_imp::{Block, Exp, Kind, Stm, Ty, V};
use fehu_ir::{BinOp, Screma};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// With fewer steps than this, it is not worth waiting for each other.
const LEAST_STEPS: i64 = 64;

/// The steps that are done without a test between them, if each is short. On an H200, the forces between 100,000 bodies
/// take 7.3 ms with eight, 7.7 with four, and 10.5 with one.
const AT_ONCE: i64 = 8;

/// Of the threads of blocks for positions that are one row among many, at least two thirds have a position.
const USED: (i64, i64) = (2, 3);

/// The code for a position, and the loads that are the same for all positions.
pub(super) struct Strip {
    fold: Fold,
    common: Vec<(V, Exp)>,
}

impl Strip {
    /// Whether steps are so short that it matters how long their loads and tests take. (With exponentials, as in
    /// lavaMD, it takes 6% longer to have elements side by side.)
    fn is_light(&self) -> bool {
        is_short(&self.fold.body) && !calls_functions(&self.fold.body)
    }
}

/// The block that executes it.
struct Team<'b> {
    strip: &'b Strip,
    threads: u32,
    thread: V,
    /// For each load, the elements in shared memory.
    shared: Vec<Shared>,
}

/// Elements in shared memory; of light strips, side by side with those of other arrays, so that a thread loads what a
/// step needs at once: on an H200, the forces between 100,000 bodies take 6.6 ms then, and 7.3 otherwise.
#[derive(Clone, Copy)]
struct Shared {
    array: V,
    stride: i64,
    offset: i64,
}

impl Shared {
    /// The bytes that a thread loads at once.
    const BYTES: u32 = 16;

    fn index(self, step: V) -> Exp {
        sum(&[(self.stride, step)], self.offset)
    }
}

impl<'a> Emit<'a> {
    /// The parts of the code for a position, where threads have other values of these indices; the fold is inside of loops.
    pub(super) fn strip(&self, code: Block, indices: &[V], loops: usize) -> Strip {
        let varying = varying(&self.vars, &code, indices);
        let fold = Fold::of(code, loops);
        let own = set_vars(&fold.body);
        let mut common: Vec<(V, Exp)> = Vec::new();
        for stm in &fold.body {
            let Stm::Declare(_, Some(Exp::Load(ptr, index))) = stm else { continue };
            let mut is_common = index.mentions(fold.k);
            index.each_var(&mut |v| is_common &= !varying.contains(&v) && !own.contains(&v));
            let load = (*ptr, (**index).clone());
            if is_common && !common.contains(&load) {
                common.push(load);
            }
        }
        Strip { fold, common }
    }

    /// The kernel, or that of a plain map if there is too little to share. The indices from the first one of these are
    /// those of a strip.
    pub(super) fn strip_on_grid(
        &mut self,
        seg: &SegOp<'a>,
        op: &'a Screma,
        (sizes, indices): (&[Exp], &[V]),
        first: usize,
        strip: Strip,
    ) {
        let made = strip.fold.set_before();
        let mut is_known = true;
        strip.fold.trips.each_var(&mut |v| is_known &= !made.contains(&v));
        // Arrays without memory are computed, not read. The host cannot ask for a number of steps that only threads know.
        if strip.common.is_empty() || !is_known {
            return self.map_plain(seg, seg.pat, op);
        }
        let positions = self.total(&sizes[first..]);
        // Rows are often shorter than a block is otherwise.
        let threads = if first > 0 { self.threads().min(THREADS / 2) } else { self.threads() };
        let wide = Exp::int(i64::from(threads));
        let strips = self.simple("strips", &quot_up(positions.clone(), wide.clone()));
        let is_filled = if self.options.few {
            lt(Exp::int(1), positions.clone())
        } else if first > 0 {
            let all = bin(BinOp::Mul, strips.clone(), Exp::int(i64::from(threads) * USED.0));
            lt(
                all,
                bin(BinOp::Add, bin(BinOp::Mul, positions.clone(), Exp::int(USED.1)), Exp::int(1)),
            )
        } else {
            lt(Exp::int(i64::from(threads) - 1), positions.clone())
        };
        let steps = self.unless_few(LEAST_STEPS, 2);
        let worthwhile = all([is_filled, lt(Exp::int(steps - 1), strip.fold.trips.clone())]);
        let mut space = sizes[..first].to_vec();
        space.push(strips);
        let kernel = self.block(|this| {
            let blocks = this.total(&space);
            let inside = this.space(&sizes[first..]);
            this.launch("strip", blocks, threads, |this, block, thread| {
                let shared = this.share_steps(&strip, threads);
                let which = this.unranked(Exp::Var(block), &space);
                let before = bin(BinOp::Mul, which[first].clone(), wide);
                let at = this.simple("at", &bin(BinOp::Add, before, Exp::Var(thread)));
                let last = bin(BinOp::Sub, positions.clone(), Exp::int(1));
                let there = this.simple("there", &bin(BinOp::Min, at.clone(), last));
                let own = this.position_in(there, &inside);
                for (v, index) in indices.iter().zip(which[..first].iter().chain(&own)) {
                    this.out.push(Stm::Declare(*v, Some(index.clone())));
                }
                let after = this
                    .loops(&strip.fold.around, &Team { strip: &strip, threads, thread, shared });
                this.out.push(Stm::If(lt(at, positions.clone()), after, Block::new()));
            });
        });
        let plain = self.block(|this| this.map_plain(seg, seg.pat, op));
        self.out.push(Stm::If(worthwhile, kernel, plain));
    }

    /// Room for the elements of as many steps as there are threads.
    fn share_steps(&mut self, strip: &Strip, threads: u32) -> Vec<Shared> {
        let mut by_type: IndexMap<Prim, Vec<usize>> = IndexMap::new();
        for (number, (ptr, _)) in strip.common.iter().enumerate() {
            by_type.entry(self.scalar_prim(*ptr)).or_default().push(number);
        }
        let mut shared = BTreeMap::new();
        for (prim, loads) in by_type {
            let at_once = if strip.is_light() { Shared::BYTES * 8 / prim.bits() } else { 1 };
            for group in loads.chunks(at_once.max(1) as usize) {
                let stride = group.len().next_power_of_two() as u32;
                let array = self.shared_array("step", prim, threads * stride);
                for (offset, number) in (0..).zip(group) {
                    shared.insert(*number, Shared { array, stride: i64::from(stride), offset });
                }
            }
        }
        shared.into_values().collect()
    }

    /// The fold inside of these loops, and what comes before it; yields the code that follows.
    fn loops(&mut self, around: &[Around], team: &Team<'_>) -> Block {
        let fold = &team.strip.fold;
        let Some((outermost, others)) = around.split_first() else {
            self.out.extend(fold.before.iter().cloned());
            self.steps(team);
            return fold.after.clone();
        };
        self.out.extend(outermost.before.iter().cloned());
        let body = self.block(|this| {
            let after = this.loops(others, team);
            this.out.extend(after);
        });
        self.out.push(up_to(outermost.counter, outermost.trips.clone(), body));
        outermost.after.clone()
    }

    /// The fold, as many steps at a time as there are threads.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn steps(&mut self, team: &Team<'_>) {
        let Team { strip, threads, thread, shared } = team;
        let Fold { k, trips, .. } = &strip.fold;
        let wide = i64::from(*threads);
        let start = self.new_var("start", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            // Nobody reads the elements of the steps before any more.
            this.out.push(Stm::Barrier);
            let own = bin(BinOp::Add, Exp::Var(start), Exp::Var(*thread));
            let own = this.simple("own", &own);
            let bring = this.block(|this| {
                this.afresh(|this| {
                    this.out.push(Stm::Declare(*k, Some(own.clone())));
                    for ((ptr, index), shared) in strip.common.iter().zip(shared) {
                        let value = Exp::Load(*ptr, Box::new(index.clone()));
                        this.out.push(Stm::Store(shared.array, shared.index(*thread), value));
                    }
                });
            });
            this.out.push(Stm::If(lt(own, trips.clone()), bring, Block::new()));
            this.out.push(Stm::Barrier);
            let left = bin(BinOp::Sub, trips.clone(), Exp::Var(start));
            let count = bin(BinOp::Min, left, Exp::int(wide));
            let count = this.simple("count", &count);
            let kk = this.new_var("kk", Ty::Scalar(Prim::I64));
            let walk = this.block(|this| {
                let now = bin(BinOp::Add, Exp::Var(start), Exp::Var(kk));
                this.out.push(Stm::Declare(*k, Some(now)));
                for stm in &strip.fold.body {
                    this.out.push(match stm {
                        Stm::Declare(v, Some(e)) => {
                            Stm::Declare(*v, Some(from_shared(e, strip, shared, kk)))
                        }
                        other => other.clone(),
                    });
                }
            });
            if !strip.is_light() {
                return this.out.push(up_to(kk, count, walk));
            }
            let groups = bin(BinOp::Quot, count.clone(), Exp::int(AT_ONCE));
            let groups = this.simple("groups", &groups);
            let [group, one] =
                ["group", "one"].map(|hint| this.new_var(hint, Ty::Scalar(Prim::I64)));
            let first = |group: Exp| bin(BinOp::Mul, group, Exp::int(AT_ONCE));
            let now = bin(BinOp::Add, first(Exp::Var(group)), Exp::Var(one));
            let mut several = vec![Stm::Declare(kk, Some(now))];
            several.extend(walk.iter().cloned());
            let several = Vars(&mut this.vars).copy(&several);
            let inside = up_to(one, Exp::int(AT_ONCE), several);
            this.out.push(up_to(group, groups.clone(), vec![inside]));
            let (var, from, kind) = (kk, first(groups), Kind::Sequential);
            this.out.push(Stm::For { var, from, to: count, step: 1, kind, body: walk });
        });
        self.out.push(Stm::For {
            var: start,
            from: Exp::int(0),
            to: trips.clone(),
            step: wide,
            kind: Kind::Sequential,
            body,
        });
    }
}

/// An expression with the elements in shared memory in place of the loads that are common.
fn from_shared(e: &Exp, strip: &Strip, shared: &[Shared], kk: V) -> Exp {
    replace(e, &|e| {
        let Exp::Load(ptr, index) = e else { return None };
        let same = |load: &(V, Exp)| load.0 == *ptr && load.1 == **index;
        let which = strip.common.iter().position(same)?;
        Some(Exp::Load(shared[which].array, Box::new(shared[which].index(kk))))
    })
}
