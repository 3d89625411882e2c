//! Operators of the host on several threads.
//!
//! A map or a scatter is executed on ranges of any size. A reduction is cut into chunks, a few for each thread, each of
//! which leaves its partial result in an array ([`super::partials`]); these are combined in order, as the operator need not
//! be commutative. A
//! scan has two rounds: the totals of all chunks first, then, from the total of what comes before it, each chunk
//! again. If the function of its map part is expensive, then the first round stores the scan of each chunk by itself, and
//! the second one adds what comes before. A histogram has a copy of its destinations for each chunk, unless these
//! would be larger than the input.
//!
//! An operator whose function contains others is executed on several threads by its own positions if there is one for each
//! thread; otherwise the operators inside become tasks, too. That is decided when the program runs.

use super::partials::Partial;
use super::screma::Sofar;
use super::{Emit, hinted};
use crate::{Block, Exp, From, Kind, Stm, Tasks, Ty, V};
use fehu_base::Prim;
use fehu_ir::{self as ir, BinOp, Body, CmpOp, Hist, Lambda, Screma, Type, Var};

/// Up to how many elements of arrays each chunk of a reduction may have. With more there is enough to do for the threads in
/// combining two of them.
const ROOM: i64 = 1 << 16;

/// A function of no more statements than this, without loops and operators, is cheap enough to be executed twice.
const CHEAP: usize = 16;

impl<'a> Emit<'a> {
    /// Whether an operator may become tasks here.
    pub(super) fn is_parallel(&self) -> bool {
        self.options.parallel && self.depth == 0
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
        self.depth += 1;
        let inside = std::mem::replace(&mut self.in_tasks, true);
        let body = self.block(|this| work(this, [low, high, chunk]));
        self.in_tasks = inside;
        self.depth -= 1;
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

    /// Emits tasks in whose functions' functions operators become tasks, too.
    pub(super) fn nested(&mut self, work: impl FnOnce(&mut Self)) {
        // One level is the range, the other one the position in it.
        self.depth -= 2;
        work(self);
        self.depth += 2;
    }

    /// A new place with tasks.
    pub(super) fn site(&mut self) -> usize {
        self.sites += 1;
        self.sites - 1
    }

    /// The number of chunks for a place.
    fn chunks(&mut self, site: usize, total: Exp) -> V {
        let v = self.declare("chunks", Prim::I64, None);
        self.out.push(Stm::Chunks(v, site, total));
        v
    }

    /// Executes one of two versions: by the positions of the operator, or by what is inside of its functions. `room` is
    /// what the first one needs for the arrays that a chunk combines.
    pub(super) fn versions(
        &mut self,
        lambda: &Lambda,
        width: &Exp,
        room: Option<Exp>,
        outer: impl FnOnce(&mut Self),
        inner: impl FnOnce(&mut Self),
    ) {
        if room.is_none() && !has_operators(&lambda.body) {
            return outer(self);
        }
        let threads = self.declare("threads", Prim::I64, None);
        self.out.push(Stm::Threads(threads));
        let (threads, width) = (Box::new(Exp::Var(threads)), Box::new(width.clone()));
        let mut many = Exp::Cmp(CmpOp::Le, Prim::I64, threads, width);
        if let Some(room) = room {
            let little = Exp::Cmp(CmpOp::Le, Prim::I64, Box::new(room), Box::new(Exp::int(ROOM)));
            many = Exp::Bin(BinOp::And, Prim::Bool, Box::new(many), Box::new(little));
        }
        let (outer, inner) = (self.block(outer), self.block(inner));
        self.out.push(Stm::If(many, outer, inner));
    }

    /// A reduction, with or without a map.
    pub(super) fn reduce_in_tasks(&mut self, pat: &[Var], op: &'a Screma) {
        let width = self.atom(op.width);
        let site = self.site();
        let chunks = self.chunks(site, width.clone());
        let reduced = self.start_reds(op);
        let partials = self.partials(&reduced, chunks);
        self.tasks(site, width, Some(chunks), |this, [low, high, chunk]| {
            let places = this.arrays_of(&reduced);
            this.with_rows(places, partials.iter().flatten(), chunk, |this| {
                let own = this.start_reds(op);
                let kind = this.kind(op, &own);
                let range = (Exp::Var(low), Exp::Var(high));
                this.each_in(pat, &op.inputs, &op.map, range, kind, |this, index, parts| {
                    this.combine_all(pat, index, op, parts, &[], &own);
                });
                this.save(&own, &partials, &Exp::Var(chunk));
            });
        });
        self.combine_partials(pat, op, chunks, &reduced, &partials);
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

    /// A scan, perhaps with reductions and a map.
    pub(super) fn scan_in_tasks(&mut self, pat: &[Var], op: &'a Screma) {
        let width = self.atom(op.width);
        let site = self.site();
        let chunks = self.chunks(site, width.clone());
        let running = self.start_scans(op);
        let reduced = self.start_reds(op);
        let totals = self.partials(&running, chunks);
        let partials = self.partials(&reduced, chunks);
        let cheap = is_cheap(&op.map.body);
        if cheap {
            self.totals_of_chunks(pat, op, (site, width.clone()), chunks, &totals);
            self.prefixes(op, chunks, &running, &totals);
        }
        self.tasks(site, width.clone(), Some(chunks), |this, [low, high, chunk]| {
            let scanned = this.start_scans(op);
            if cheap {
                for (part, array) in scanned.iter().flatten().zip(totals.iter().flatten()) {
                    if let (Sofar::Scalar(v), Partial::Elements(array)) = (part, array) {
                        let before = Exp::Load(*array, Box::new(Exp::Var(chunk)));
                        this.out.push(Stm::Assign(*v, before));
                    }
                }
            }
            let own = this.start_reds(op);
            let range = (Exp::Var(low), Exp::Var(high));
            this.each_in(
                pat,
                &op.inputs,
                &op.map,
                range,
                Kind::Sequential,
                |this, index, parts| {
                    this.combine_all(pat, index, op, parts, &scanned, &own);
                },
            );
            if !cheap {
                this.save(&scanned, &totals, &Exp::Var(chunk));
            }
            this.save(&own, &partials, &Exp::Var(chunk));
        });
        if !cheap {
            self.prefixes(op, chunks, &running, &totals);
            self.add_prefixes(pat, op, width, chunks, &totals);
        }
        self.combine_partials(pat, op, chunks, &reduced, &partials);
        self.bind_reduced(pat, op, &reduced);
    }

    /// The first round of a scan that is executed twice: the total of each chunk. With one chunk there is nothing to be known.
    fn totals_of_chunks(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        (site, width): (usize, Exp),
        chunks: V,
        totals: &[Vec<Partial>],
    ) {
        let round = self.block(|this| {
            this.tasks(site, width, Some(chunks), |this, [low, high, chunk]| {
                let scanned = this.start_scans(op);
                let range = (Exp::Var(low), Exp::Var(high));
                this.each_in(
                    pat,
                    &op.inputs,
                    &op.map,
                    range,
                    Kind::Sequential,
                    |this, _, parts| {
                        let mut parts = parts.iter().copied();
                        for (scan, sofar) in op.scans.iter().zip(&scanned) {
                            let elements: Vec<ir::Atom> =
                                parts.by_ref().take(sofar.len()).collect();
                            this.combine(&scan.op, sofar, &elements);
                        }
                    },
                );
                this.save(&scanned, totals, &Exp::Var(chunk));
            });
        });
        let several =
            Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::int(1)), Box::new(Exp::Var(chunks)));
        self.out.push(Stm::If(several, round, Block::new()));
    }

    /// The total of each chunk becomes that of all chunks before it. What there is of the only chunk does not matter.
    fn prefixes(
        &mut self,
        op: &'a Screma,
        chunks: V,
        running: &[Vec<Sofar<'a>>],
        totals: &[Vec<Partial>],
    ) {
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            for ((scan, sofar), arrays) in op.scans.iter().zip(running).zip(totals) {
                let elements = this.loaded(arrays, k);
                let (one, arrays) = (std::slice::from_ref(sofar), std::slice::from_ref(arrays));
                this.save(one, arrays, &Exp::Var(k));
                let last = Exp::Bin(
                    BinOp::Sub,
                    Prim::I64,
                    Box::new(Exp::Var(chunks)),
                    Box::new(Exp::int(1)),
                );
                let more = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::Var(k)), Box::new(last));
                let combine = this.block(|this| this.combine_values(&scan.op, sofar, &elements));
                this.out.push(Stm::If(more, combine, Block::new()));
            }
        });
        self.count_up(k, Exp::Var(chunks), body);
    }

    /// The second round of a scan whose chunks have been scanned by themselves.
    fn add_prefixes(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        width: Exp,
        chunks: V,
        totals: &[Vec<Partial>],
    ) {
        let site = self.site();
        let round = self.block(|this| {
            this.tasks(site, width, Some(chunks), |this, [low, high, chunk]| {
                let i = this.new_var("i", Ty::Scalar(Prim::I64));
                let body = this.block(|this| {
                    let mut bound = pat.iter().copied();
                    for (scan, arrays) in op.scans.iter().zip(totals) {
                        let mut sofar: Vec<Sofar<'a>> = Vec::new();
                        let (mut elements, mut stores) = (Vec::new(), Vec::new());
                        for (array, var) in arrays.iter().zip(bound.by_ref().take(arrays.len())) {
                            let (Partial::Elements(array), Some(place)) = (array, this.place(var))
                            else {
                                sofar.push(Sofar::Nothing);
                                elements.push(Exp::int(0));
                                continue;
                            };
                            let Ty::Ptr(prim) = this.vars[*array].ty else { continue };
                            let before = Exp::Load(*array, Box::new(Exp::Var(chunk)));
                            let v = this.declare("before", prim, Some(before));
                            let (ptr, at) = (
                                this.mem(place.block).ptr,
                                this.address(&place.lmad, &[Exp::Var(i)]),
                            );
                            let here = Exp::Load(ptr, Box::new(at.clone()));
                            elements.push(Exp::Var(this.declare("here", prim, Some(here))));
                            stores.push(Stm::Store(ptr, at, Exp::Var(v)));
                            sofar.push(Sofar::Scalar(v));
                        }
                        this.combine_values(&scan.op, &sofar, &elements);
                        this.out.append(&mut stores);
                    }
                });
                let (from, to) = (Exp::Var(low), Exp::Var(high));
                let loop_ = Stm::For { var: i, from, to, step: 1, kind: Kind::Sequential, body };
                let first = Exp::Cmp(
                    CmpOp::Lt,
                    Prim::I64,
                    Box::new(Exp::int(0)),
                    Box::new(Exp::Var(chunk)),
                );
                this.out.push(Stm::If(first, vec![loop_], Block::new()));
            });
        });
        let several =
            Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::int(1)), Box::new(Exp::Var(chunks)));
        self.out.push(Stm::If(several, round, Block::new()));
    }

    /// Histograms with a copy of the destinations for each chunk. Only for scalars.
    pub(super) fn hist_in_tasks(&mut self, pat: &[Var], op: &'a Hist) {
        let width = self.atom(op.width);
        let site = self.site();
        let chunks = self.chunks(site, width.clone());
        // A copy for each thread is enough: more of them would cost more to combine than balance gains.
        let threads = self.declare("threads", Prim::I64, None);
        self.out.push(Stm::Threads(threads));
        let more =
            Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::Var(threads)), Box::new(Exp::Var(chunks)));
        self.out.push(Stm::If(more, vec![Stm::Assign(chunks, Exp::Var(threads))], Block::new()));
        // With too many bins there is only one chunk.
        let mut bins = Exp::int(0);
        for op in &op.ops {
            let size = op.shape.iter().fold(Exp::int(1), |size, dim| self.product(size, *dim));
            bins = Exp::Bin(BinOp::Add, Prim::I64, Box::new(bins), Box::new(size));
        }
        let all = Exp::Bin(BinOp::Mul, Prim::I64, Box::new(bins), Box::new(Exp::Var(chunks)));
        let large = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(width.clone()), Box::new(all));
        self.out.push(Stm::If(large, vec![Stm::Assign(chunks, Exp::int(1))], Block::new()));
        let copies = self.copies_of_destinations(op, chunks);
        self.tasks(site, width, Some(chunks), |this, [low, high, chunk]| {
            this.with_copies(op, &copies, chunk, |this| {
                this.hist_in(pat, op, (Exp::Var(low), Exp::Var(high)));
            });
        });
        self.add_copies(op, chunks, &copies);
    }

    /// For each destination the copies for all chunks but the first, which has the destination itself.
    fn copies_of_destinations(&mut self, op: &'a Hist, chunks: V) -> Vec<Option<Copies>> {
        let mut copies = Vec::new();
        for op in &op.ops {
            let size = op.shape.iter().fold(Exp::int(1), |size, dim| self.product(size, *dim));
            for dest in &op.dests {
                let Some(place) = self.place(*dest) else {
                    copies.push(None);
                    continue;
                };
                let size = self.declare("bins", Prim::I64, Some(size.clone()));
                let others = Exp::Bin(
                    BinOp::Sub,
                    Prim::I64,
                    Box::new(Exp::Var(chunks)),
                    Box::new(Exp::int(1)),
                );
                let stride = self.apart(size);
                let count =
                    Exp::Bin(BinOp::Mul, Prim::I64, Box::new(others), Box::new(Exp::Var(stride)));
                let count = self.declare("count", Prim::I64, Some(count));
                let elem = self.table.blocks[place.block].elem;
                let (_, ptr) = self.temporary("copies", elem, Exp::Var(count));
                copies.push(Some(Copies { ptr, size, stride }));
            }
        }
        copies
    }

    fn count_up_independent(&mut self, var: V, to: Exp, body: Block) {
        let kind = Kind::Independent(Vec::new());
        self.out.push(Stm::For { var, from: Exp::int(0), to, step: 1, kind, body });
    }

    /// Executes code in which destinations are the copies of a chunk.
    fn with_copies(
        &mut self,
        op: &'a Hist,
        copies: &[Option<Copies>],
        chunk: V,
        work: impl FnOnce(&mut Self),
    ) {
        let saved = self.blocks.clone();
        let dests = op.ops.iter().flat_map(|op| op.dests.iter().zip(&op.neutral));
        for ((dest, neutral), copy) in dests.zip(copies) {
            let (Some(place), Some(copies)) = (self.place(*dest), copy) else { continue };
            let mem = self.mem(place.block);
            let elem = self.table.blocks[place.block].elem;
            let ptr = self.new_var(&hinted(&self.ir[*dest].hint, "_own"), Ty::Ptr(elem));
            self.out.push(Stm::Declare(ptr, None));
            self.out.push(Stm::Point(ptr, From::Ptr(mem.ptr), Exp::int(0)));
            // Places are counted from the beginning of the destination's block.
            let before =
                Exp::Bin(BinOp::Sub, Prim::I64, Box::new(Exp::Var(chunk)), Box::new(Exp::int(1)));
            let start = Exp::Bin(
                BinOp::Mul,
                Prim::I64,
                Box::new(before),
                Box::new(Exp::Var(copies.stride)),
            );
            let offset = self.poly(&place.lmad.offset);
            let start = Exp::Bin(BinOp::Sub, Prim::I64, Box::new(start), Box::new(offset));
            let other =
                Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::int(0)), Box::new(Exp::Var(chunk)));
            let value = self.atom(*neutral);
            let begin = self.block(|this| {
                this.out.push(Stm::Point(ptr, From::Ptr(copies.ptr), start));
                let bin = this.new_var("bin", Ty::Scalar(Prim::I64));
                let first = this.poly(&place.lmad.offset);
                let at = Exp::Bin(BinOp::Add, Prim::I64, Box::new(first), Box::new(Exp::Var(bin)));
                this.count_up_independent(
                    bin,
                    Exp::Var(copies.size),
                    vec![Stm::Store(ptr, at, value)],
                );
            });
            self.out.push(Stm::If(other, begin, Block::new()));
            self.blocks.insert(place.block, super::Mem { ptr, handle: None });
        }
        work(self);
        self.blocks = saved;
    }

    /// Combines the copies of all chunks with the destinations.
    fn add_copies(&mut self, op: &'a Hist, chunks: V, copies: &[Option<Copies>]) {
        let mut copies = copies.iter();
        for op in &op.ops {
            let copies: Vec<&Option<Copies>> = copies.by_ref().take(op.dests.len()).collect();
            let Some(size) = copies.iter().copied().flatten().next().map(|copies| copies.size)
            else {
                continue;
            };
            let (k, bin) = (
                self.new_var("k", Ty::Scalar(Prim::I64)),
                self.new_var("bin", Ty::Scalar(Prim::I64)),
            );
            let body = self.block(|this| {
                let mut sofar: Vec<Sofar<'a>> = Vec::new();
                let (mut elements, mut stores) = (Vec::new(), Vec::new());
                for (dest, copy) in op.dests.iter().zip(&copies) {
                    let (Some(place), Some(copies)) = (this.place(*dest), copy) else {
                        sofar.push(Sofar::Nothing);
                        elements.push(Exp::int(0));
                        continue;
                    };
                    let elem = this.table.blocks[place.block].elem;
                    let ptr = this.mem(place.block).ptr;
                    // Only contiguous destinations come here, so that bins can be counted through.
                    let offset = this.poly(&place.lmad.offset);
                    let at =
                        Exp::Bin(BinOp::Add, Prim::I64, Box::new(offset), Box::new(Exp::Var(bin)));
                    let v = this.declare("total", elem, Some(Exp::Load(ptr, Box::new(at.clone()))));
                    let own = Exp::Index(vec![(1, vec![k, copies.stride]), (1, vec![bin])]);
                    let part = Exp::Load(copies.ptr, Box::new(own));
                    let part = this.declare("part", elem, Some(part));
                    elements.push(Exp::Var(part));
                    stores.push(Stm::Store(ptr, at, Exp::Var(v)));
                    sofar.push(Sofar::Scalar(v));
                }
                this.combine_values(&op.op, &sofar, &elements);
                this.out.append(&mut stores);
            });
            // Bins are independent of each other.
            let site = self.site();
            self.tasks(site, Exp::Var(size), None, |this, [low, high, _]| {
                let (from, to) = (Exp::Var(low), Exp::Var(high));
                let kind = Kind::Independent(Vec::new());
                let bins = vec![Stm::For { var: bin, from, to, step: 1, kind, body }];
                let others = Exp::Bin(
                    BinOp::Sub,
                    Prim::I64,
                    Box::new(Exp::Var(chunks)),
                    Box::new(Exp::int(1)),
                );
                this.count_up(k, others, bins);
            });
        }
    }

    /// Whether the destinations of histograms are arrays of scalars that can be copied for each chunk.
    pub(super) fn can_copy_destinations(&self, op: &Hist) -> bool {
        op.ops.iter().all(|op| {
            op.op.params.iter().all(|param| matches!(self.ir[*param].ty, Type::Scalar(_)))
                && op
                    .dests
                    .iter()
                    .all(|dest| self.place(*dest).is_none_or(|place| place.lmad.is_contiguous()))
        })
    }
}

/// The copies of a histogram's destination, one after the other.
struct Copies {
    ptr: V,
    /// The number of bins.
    size: V,
    /// How far copies are apart.
    stride: V,
}

/// Whether there are array operators in a body that are worth threads of their own.
pub(super) fn has_operators(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = stm.exp.operator().is_some();
        stm.exp.for_each_body(&mut |body| found |= has_operators(body));
        found
    })
}

/// Whether a function may well be executed twice.
pub(super) fn is_cheap(body: &Body) -> bool {
    cheap_stms(body).is_some_and(|count| count <= CHEAP)
}

/// The number of statements, those of branches included; none if there are loops, operators, or calls.
fn cheap_stms(body: &Body) -> Option<usize> {
    let mut count = body.stms.len();
    for stm in &body.stms {
        let mut inside = Some(0);
        stm.exp.for_each_body(&mut |body| {
            inside = inside.zip(cheap_stms(body)).map(|(sum, more)| sum + more);
        });
        let branches = matches!(stm.exp, ir::Exp::If(..) | ir::Exp::Switch(..));
        let once =
            matches!(stm.exp, ir::Exp::Call(..) | ir::Exp::Trace(..) | ir::Exp::UpdateAcc(..));
        let mut bodies = 0;
        stm.exp.for_each_body(&mut |_| bodies += 1);
        if once || bodies > 0 && !branches {
            return None;
        }
        count += inside?;
    }
    Some(count)
}
