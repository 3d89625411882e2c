//! Host operators on several threads.
//!
//! A map or a scatter is executed on ranges of any size. A reduction is split into chunks, a few for each thread, each
//! of which stores its partial result in an array ([`super::combine`]); these are combined in order, because the
//! operator need not be commutative. A scan has two rounds: the first computes the totals of all chunks; the second
//! processes each chunk again, starting from the total of the chunks before it. If the function of its map part is
//! expensive, then the first round stores the scan of each chunk by itself, and the second adds the preceding total.
//! Histograms are in [`super::bins`], partitions in [`super::partition`].

use super::Emit;
use super::combine::{Kept, Slot, Sofar};
use super::runs::Runs;
use super::screma::Over;
use fehu_base::{OrBug, Prim, bug};
use fehu_facts::cost::is_repeatable;
use fehu_imp::{Block, Exp, Kind, Stm, Tasks, Ty, V};
use fehu_ir::{self as ir, CmpOp, Screma, Seg, Var};

/// What a program takes for the number of a device's threads.
const DEVICE_THREADS: i64 = 1 << 16;

impl<'a> Emit<'a> {
    /// A Seg that threads of a CPU execute.
    pub(super) fn seg_in_tasks(&mut self, names: &'a [Var], seg: &'a Seg) {
        if let Some(rows) = seg.rows {
            return self.rows_in_tasks(names, seg, rows);
        }
        let parts = seg.parts().or_bug("the operator of a seg");
        if !seg.space.is_empty() || !parts.before.is_empty() {
            bug("tasks execute an operator with a space around it");
        }
        // Some results may have no name outside.
        let all = parts.is_bare() && names.len() == parts.op.pat.len();
        let pat = if all { names } else { &parts.op.pat };
        self.with_epilogue(parts, |this| this.operator_in_tasks(pat, parts.op));
        self.bind_seg(names, seg);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    fn operator_in_tasks(&mut self, pat: &'a [Var], op: &'a ir::Stm) {
        match &op.exp {
            ir::Exp::Screma(op) => self.screma(pat, op),
            ir::Exp::Hist(op) if self.can_copy_destinations(op) => self.hist_in_tasks(pat, op),
            ir::Exp::Hist(op) => self.hist_here(pat, op),
            ir::Exp::Scatter(op) => self.scatter(pat, op),
            ir::Exp::Partition(op) => self.partition_in_tasks(pat, op),
            _ => bug("tasks execute something else than an operator with functions"),
        }
    }

    /// Emits code that is executed for ranges; `work` gets the variables of the range and the number of the chunk.
    pub(super) fn tasks(
        &mut self,
        site: usize,
        total: Exp,
        chunks: Option<V>,
        work: impl FnOnce(&mut Self, [V; 3]),
    ) {
        let [low, high, chunk] =
            ["low", "high", "chunk"].map(|hint| self.new_var(hint, Ty::Scalar(Prim::I64)));
        let body =
            self.running(Runs::ALONE, |this| this.block(|this| work(this, [low, high, chunk])));
        self.out.push(Stm::Tasks(Box::new(Tasks {
            site,
            total,
            chunks,
            grain: 1,
            chunk,
            low,
            high,
            body,
        })));
    }

    /// A new site with tasks.
    pub(super) fn site(&mut self) -> usize {
        self.sites += 1;
        self.sites - 1
    }

    /// The number of chunks for a site.
    pub(super) fn chunks(&mut self, site: usize, total: Exp) -> V {
        let v = self.declare("chunks", Prim::I64, None);
        self.out.push(Stm::Chunks(v, site, total));
        v
    }

    /// How many threads there are. Those of a device are many: how many does not matter.
    pub(super) fn number_of_threads(&mut self, pat: &[Var]) {
        let [var] = pat else { bug("the number of threads is one number") };
        if self.options.device {
            self.scalars.insert(*var, Exp::int(DEVICE_THREADS));
            return;
        }
        let v = self.declare("threads", Prim::I64, None);
        self.out.push(Stm::Threads(v));
        self.scalars.insert(*var, Exp::Var(v));
    }

    /// A reduction, with or without a map.
    pub(super) fn reduce_in_tasks(&mut self, pat: &[Var], op: &'a Screma) {
        let width = self.atom(op.width);
        let site = self.site();
        let chunks = self.chunks(site, width.clone());
        let reduced = self.start_reds(op);
        let kept = self.keep_chunks(&reduced, chunks);
        self.tasks(site, width, Some(chunks), |this, [low, high, chunk]| {
            this.in_chunk(&reduced, &kept, chunk, |this| {
                let own = this.start_reds(op);
                this.reduce_range(pat, op, (Exp::Var(low), Exp::Var(high)), &own);
                this.store_each(&own, &kept, &Exp::Var(chunk));
            });
        });
        self.combine_chunks(pat, op, chunks, &reduced, &kept);
        self.bind_reduced(pat, op, &reduced);
    }

    pub(super) fn count_up(&mut self, var: V, to: Exp, body: Block) {
        self.out.push(Stm::For {
            var,
            from: Exp::int(0),
            to,
            step: 1,
            kind: Kind::Sequential,
            body,
        });
    }

    /// A scan, possibly with reductions and a map.
    pub(super) fn scan_in_tasks(&mut self, pat: &[Var], op: &'a Screma) {
        let width = self.atom(op.width);
        let site = self.site();
        let chunks = self.chunks(site, width.clone());
        let running = self.start_scans(op);
        let reduced = self.start_reds(op);
        let totals = self.keep_chunks(&running, chunks);
        let kept = self.keep_chunks(&reduced, chunks);
        // The first round cannot store what has no memory.
        let is_elided = |var: &Var| self.place(*var).is_none();
        let cheap = is_repeatable(&op.map.body) || pat[..op.scanned()].iter().any(is_elided);
        if cheap {
            self.totals_of_chunks(pat, op, (site, width.clone()), chunks, &totals);
            self.scan_chunks(chunks, &running, &totals);
        }
        self.tasks(site, width.clone(), Some(chunks), |this, [low, high, chunk]| {
            let scanned = this.start_scans(op);
            if cheap {
                let parts = scanned.iter().flat_map(|scan| &scan.parts);
                for (part, slot) in parts.zip(totals.iter().flat_map(|kept| &kept.slots)) {
                    if let (Sofar::Scalar(v), Slot::Scalars(array, _)) = (part, slot) {
                        let before = Exp::Load(*array, Box::new(Exp::Var(chunk)));
                        this.out.push(Stm::Assign(*v, before));
                    }
                }
            }
            let own = this.start_reds(op);
            let range = (Exp::Var(low), Exp::Var(high));
            this.scan_range(pat, op, range, &scanned, &own);
            if !cheap {
                this.store_each(&scanned, &totals, &Exp::Var(chunk));
            }
            this.store_each(&own, &kept, &Exp::Var(chunk));
        });
        if !cheap {
            self.scan_chunks(chunks, &running, &totals);
            self.add_prefixes(pat, op, width, chunks, &totals);
        }
        self.combine_chunks(pat, op, chunks, &reduced, &kept);
        self.bind_reduced(pat, op, &reduced);
    }

    /// The first round of a scan that is executed twice: the total of each chunk. With a single chunk, nothing needs to
    /// be computed.
    fn totals_of_chunks(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        (site, width): (usize, Exp),
        chunks: V,
        totals: &[Kept],
    ) {
        let round = self.block(|this| {
            this.tasks(site, width, Some(chunks), |this, [low, high, chunk]| {
                let scanned = this.start_scans(op);
                let range = (Exp::Var(low), Exp::Var(high));
                let kind = this.combined(&scanned);
                this.each_in(pat, Over::of(op), range, kind, |this, _, parts| {
                    this.combine_each(&scanned, parts);
                });
                this.store_each(&scanned, totals, &Exp::Var(chunk));
            });
        });
        self.if_several(chunks, round);
    }

    /// The second round of a scan whose chunks have been scanned by themselves.
    fn add_prefixes(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        width: Exp,
        chunks: V,
        totals: &[Kept],
    ) {
        let site = self.site();
        let round = self.block(|this| {
            this.tasks(site, width, Some(chunks), |this, [low, high, chunk]| {
                let loop_ = this.block(|this| {
                    let range = (Exp::Var(low), Exp::Var(high));
                    this.add_prefix(pat, op, range, totals, chunk);
                });
                let first = Exp::Cmp(
                    CmpOp::Lt,
                    Prim::I64,
                    Box::new(Exp::int(0)),
                    Box::new(Exp::Var(chunk)),
                );
                this.out.push(Stm::If(first, loop_, Block::new()));
            });
        });
        self.if_several(chunks, round);
    }

    /// Combines the elements of scanned arrays in a range with the value that a chunk has, which comes before them.
    pub(super) fn add_prefix(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        (from, to): (Exp, Exp),
        totals: &[Kept],
        chunk: V,
    ) {
        let i = self.new_var("i", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let mut bound = pat.iter().copied();
            for (scan, kept) in op.scans.iter().zip(totals) {
                let before = this.load_kept(kept, &Exp::Var(chunk));
                let (mut elements, mut stores) = (Vec::new(), Vec::new());
                for (part, var) in before.iter().zip(bound.by_ref()) {
                    let (Sofar::Scalar(v), Some(place)) = (part, this.place(var)) else {
                        elements.push(None);
                        continue;
                    };
                    let at = this.address(&place.lmad, &[Exp::Var(i)]);
                    let (ptr, prim) = (this.mem(place.block).ptr, this.scalar_prim(*v));
                    let here = Exp::Load(ptr, Box::new(at.clone()));
                    elements.push(Some(Exp::Var(this.declare("here", prim, Some(here)))));
                    stores.push(Stm::Store(ptr, at, Exp::Var(*v)));
                }
                this.combine_values(&scan.op, &before, &elements);
                this.out.append(&mut stores);
            }
        });
        self.out.push(Stm::For { var: i, from, to, step: 1, kind: Kind::Sequential, body });
    }

    /// Code that only several chunks need.
    pub(super) fn if_several(&mut self, chunks: V, body: Block) {
        let several =
            Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::int(1)), Box::new(Exp::Var(chunks)));
        self.out.push(Stm::If(several, body, Block::new()));
    }
}
