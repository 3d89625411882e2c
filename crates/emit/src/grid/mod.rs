//! Host operators on a device.
//!
//! A Seg becomes kernels over the whole space of its positions ([`seg`]). A map or a write has a thread for each
//! position; a reduction has a thread block for each segment ([`reduce`]), or for several ([`segments`]); a scan
//! processes all segments at once ([`scan`]), as does any operator whose segments differ in length ([`rows`]); the
//! thread blocks of a histogram have private copies of its bins ([`hist`]). A Seg of level `blocks` has a thread block
//! for each position ([`cooperative`]). Code inside the innermost operator's function is executed by one thread.
//!
//! Whatever cannot be a kernel remains host code: a loop around the kernels inside it. Scalars that such code loads
//! from memory or stores there are handled by `fehu-device`.

mod atomic;
mod changes;
mod coarsen;
mod cooperative;
mod count;
mod elements;
mod hist;
mod jam;
mod layout;
mod lookback;
mod members;
mod merge;
mod ordered;
mod own;
mod prefix;
mod reduce;
mod rows;
mod scan;
mod seg;
mod segments;
mod space;
mod split;
mod square;
mod stage;
mod strip;
mod tile;
mod transpose;
mod window;

use super::Emit;
use super::runs::Runs;
pub(super) use cooperative::Cooperative;
use fehu_base::{OrBug, Prim, bug};
use fehu_imp::device::DEVICE;
pub(super) use fehu_imp::rewrite::bin;
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Kernel, Stm, Ty, V};
use fehu_ir::{self as ir, After, BinOp, CmpOp, Family, Level, Scalar, Screma, Tiling, Var};
use fehu_mem::table::Place;
pub(super) use own::OwnAcc;
use rustc_hash::FxHashSet;
use seg::SegOp;
pub(super) use window::InBox;

/// The threads of a block.
const THREADS: u32 = DEVICE.threads;

/// Likewise, if they are to be few: more than a warp.
const FEW_THREADS: u32 = 64;

impl<'a> Emit<'a> {
    /// Whether the code is the host's, of a program for a device, or that of threads that work together.
    pub(super) fn is_beside_device(&self) -> bool {
        self.runs.block().is_some() || self.options.device && self.is_host()
    }

    /// The threads of a block.
    fn threads(&self) -> u32 {
        if self.options.few { FEW_THREADS } else { THREADS }
    }

    /// How many blocks keep the device busy. The host asks it.
    fn busy_blocks(&mut self) -> Exp {
        let blocks = self.declare("busy", Prim::I64, None);
        self.out.push(Stm::Blocks(blocks));
        Exp::Var(blocks)
    }

    /// This many, unless there are to be few.
    fn unless_few<T: Ord>(&self, many: T, few: T) -> T {
        if self.options.few { many.min(few) } else { many }
    }

    /// A kernel; `work` gets the numbers of the block and of the thread in it.
    pub(super) fn launch(
        &mut self,
        hint: &str,
        blocks: Exp,
        threads: u32,
        work: impl FnOnce(&mut Self, V, V),
    ) {
        let [block, thread] =
            ["block", "thread"].map(|hint| self.new_var(hint, Ty::Scalar(Prim::I64)));
        let (scalars, place) = (self.scalars.clone(), self.loc.clone());
        let body = self.running(Runs::ALONE, |this| this.block(|this| work(this, block, thread)));
        self.scalars = scalars;
        let hint = hint.into();
        let changes = self.changes(&body);
        self.out.push(Stm::Launch(Box::new(Kernel {
            hint,
            place,
            blocks,
            threads,
            residents: 1,
            block,
            thread,
            by_block: false,
            shared: None,
            changes,
            read_only: Vec::new(),
            body,
        })));
    }

    /// A kernel with a thread for each index below these sizes, or for several ([`coarsen`]); or the threads that work
    /// together share them.
    pub(super) fn grid(&mut self, hint: &str, sizes: &[Exp], work: impl FnOnce(&mut Self, &[Exp])) {
        if let Some(cooperative) = self.runs.block() {
            return self.share_out(cooperative, sizes, work);
        }
        let sizes: Vec<Exp> = sizes.iter().map(|size| self.simple("size", size)).collect();
        let space = self.space(&sizes);
        let threads = self.threads();
        let blocks = quot_up(space.total.clone(), Exp::int(i64::from(threads)));
        let mut code = None;
        self.launch(hint, blocks, threads, |this, block, thread| {
            let at = this.flat(block, thread);
            let body = this.block(|this| {
                let indices = this.position_in(Exp::Var(at), &space);
                work(this, &indices);
            });
            code = Some((at, body.clone()));
            this.out.push(Stm::If(lt(Exp::Var(at), space.total.clone()), body, Block::new()));
        });
        if let Some((at, body)) = code {
            self.coarsen(at, &body, &space.total);
        }
    }

    /// The number of a thread among those of all blocks.
    fn flat(&mut self, block: V, thread: V) -> V {
        let threads = i64::from(self.threads());
        let at = Exp::Index(vec![(threads, vec![block]), (1, vec![thread])]);
        self.declare("at", Prim::I64, Some(at))
    }

    /// The value of an expression as a variable or constant.
    pub(super) fn simple(&mut self, hint: &str, exp: &Exp) -> Exp {
        self.operand(hint, Prim::I64, exp.clone())
    }

    /// The product of sizes, in a variable.
    fn total(&mut self, sizes: &[Exp]) -> Exp {
        let product = sizes.iter().cloned().reduce(times).unwrap_or(Exp::int(1));
        self.simple("total", &product)
    }

    /// The indices of a position in a space, by its number in row-major order.
    fn unranked(&mut self, at: Exp, sizes: &[Exp]) -> Vec<Exp> {
        let mut indices = Vec::with_capacity(sizes.len());
        let mut rest = at;
        for size in sizes.iter().skip(1).rev() {
            let whole = self.simple("rest", &quick_quot(rest.clone(), size.clone()));
            let before = bin(BinOp::Mul, whole.clone(), size.clone());
            indices.push(self.simple("i", &bin(BinOp::Sub, rest, before)));
            rest = whole;
        }
        if !sizes.is_empty() {
            indices.push(rest);
        }
        indices.reverse();
        indices
    }

    /// A Seg as kernels, or by the threads that work together.
    pub(super) fn seg_on_device(&mut self, pat: &'a [Var], seg: &'a ir::Seg) {
        let op = SegOp::new(pat, seg);
        match seg.level {
            Level::Grid => self.seg_on_grid(&op),
            Level::Blocks => {
                let members = self.members(&op);
                self.blocks_on_grid(&op, members);
            }
            Level::Warps => self.blocks_on_grid(&op, DEVICE.warp),
            Level::Block => self.seg_cooperative(&op),
            Level::Task | Level::Thread => bug("a device executes what belongs to the host"),
        }
        self.bind_results(&op);
    }

    /// A Seg, by what its operator is.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have a single result")]
    pub(super) fn seg_on_grid(&mut self, seg: &SegOp<'a>) {
        if seg.rows.is_some() {
            return self.uneven_on_grid(seg);
        }
        let (inner, pat) = (seg.inner, seg.pat);
        match &inner.exp {
            ir::Exp::Screma(op) if op.folded() > 0 => match seg.parts.after {
                After::Nothing | After::Finish(_) if self.copies_before(seg) => {
                    self.fold_alone(seg, op);
                }
                After::Nothing | After::Finish(_) => {
                    self.allocate_for(inner);
                    self.folds_on_grid(seg, pat, op);
                }
                After::Epilogue(_) => {
                    self.with_epilogue(seg.parts, |this| this.folds_on_grid(seg, pat, op));
                }
            },
            ir::Exp::Screma(op) => self.map_on_grid(seg, pat, op),
            ir::Exp::Scatter(op) => {
                let sizes = self.sizes(seg, Some(self.atom(op.width)));
                self.grid("scatter", &sizes, |this, indices| {
                    let at = this.enter_operator(seg, indices);
                    this.scatter_at(pat, op, at);
                });
            }
            ir::Exp::Hist(op) => self.hist_on_grid(seg, pat, op),
            exp => match pat {
                [var] => self.make_on_grid(seg, *var, exp),
                _ => bug("an array operation has several results"),
            },
        }
    }

    /// An array that is made in the function of the innermost level, by a thread for each element.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    fn make_on_grid(&mut self, seg: &SegOp<'a>, var: Var, exp: &'a ir::Exp) {
        // What has no contents is not made, nor what is computed where it is read.
        let Some(to) = self.place(var) else { return };
        match exp {
            ir::Exp::Copy(array) | ir::Exp::Manifest(array) => self.rows_on_grid(seg, to, *array),
            ir::Exp::Concat(_, arrays) => {
                for (part, array) in self.parts(to, arrays) {
                    self.rows_on_grid(seg, &part, array);
                }
            }
            ir::Exp::Replicate(_, value) => {
                let value = *value;
                self.elements_on_grid(seg, to, |this, indices| match this.place_of(value) {
                    None => this.atom(value),
                    Some(from) => {
                        let inner = &indices[indices.len() - from.lmad.rank()..];
                        let at = this.address(&from.lmad, inner);
                        Exp::Load(this.mem(from.block).ptr, Box::new(at))
                    }
                });
            }
            ir::Exp::Iota(prim, _, start, step) => {
                self.elements_on_grid(seg, to, |this, indices| {
                    this.progression(*prim, *start, *step, indices[0].clone())
                });
            }
            other => bug(format_args!("{other:?} makes an array on a device")),
        }
    }

    /// Copies of arrays in the function of the innermost level, unless they are there already: what the function makes
    /// itself is not.
    fn rows_on_grid(&mut self, seg: &SegOp<'a>, to: &Place, array: Var) {
        let from = self.place(array);
        let only_looks = |stm: &ir::Stm| matches!(stm.exp.family(), Family::Scalar | Family::View);
        if from.is_some_and(|from| to.same(from)) && seg.parts.before.iter().all(only_looks) {
            return;
        }
        self.elements_on_grid(seg, to, |this, indices| match from {
            Some(from) => {
                let at = this.address(&from.lmad, indices);
                Exp::Load(this.mem(from.block).ptr, Box::new(at))
            }
            None => this.computed(array, indices[0].clone()).or_bug("element of an array"),
        });
    }

    /// Elements of a place, each computed by a thread at a position of the nest.
    fn elements_on_grid(
        &mut self,
        seg: &SegOp<'a>,
        to: &Place,
        value: impl FnOnce(&mut Self, &[Exp]) -> Exp,
    ) {
        let mut sizes = self.sizes(seg, None);
        let levels = sizes.len();
        sizes.extend(to.lmad.dims.iter().map(|dim| self.poly(&dim.size)));
        self.grid("copy", &sizes, |this, indices| {
            this.enter_space(seg, &indices[..levels]);
            let indices = &indices[levels..];
            let value = value(this, indices);
            let at = this.address(&to.lmad, indices);
            let ptr = this.mem(to.block).ptr;
            this.out.push(Stm::Store(ptr, at, value));
        });
    }

    fn map_on_grid(&mut self, seg: &SegOp<'a>, pat: &'a [Var], op: &'a Screma) {
        match seg.tiling.filter(|_| self.options.tiling) {
            Some(Tiling::Fold(tiling)) => self.tile_on_grid(seg, op, tiling),
            Some(Tiling::Windows(tiling)) => self.windows_on_grid(seg, op, tiling),
            None => self.map_plain(seg, pat, op),
        }
    }

    /// A thread for each position.
    fn map_plain(&mut self, seg: &SegOp<'a>, pat: &'a [Var], op: &'a Screma) {
        if self.runs.block().is_none() && self.collect_on_grid(seg, pat, op) {
            return;
        }
        let sizes = self.sizes(seg, Some(self.atom(op.width)));
        self.grid("map", &sizes, |this, indices| this.map_at(seg, pat, op, indices));
    }

    /// The code for one position of a map.
    fn map_at(&mut self, seg: &SegOp<'a>, pat: &'a [Var], op: &'a Screma, indices: &[Exp]) {
        let at = self.enter_operator(seg, indices);
        let index = self.enter(pat, &op.inputs, &op.map, at);
        self.body(&op.map.body);
        self.combine_all(pat, index, op, &op.map.body.results, &[], &[]);
    }

    /// Whether an array that is needed before a segmented operator has to be copied at each position, as for a reshape
    /// of a transposed matrix.
    fn copies_before(&mut self, seg: &SegOp<'a>) -> bool {
        if seg.space.is_empty() || seg.parts.before.is_empty() {
            return false;
        }
        let at: Vec<Exp> =
            seg.space.iter().map(|_| Exp::Var(self.new_var("i", Ty::Scalar(Prim::I64)))).collect();
        let scalars = self.scalars.clone();
        let code = self.running(Runs::ALONE, |this| this.block(|this| this.enter_space(seg, &at)));
        self.scalars = scalars;
        let mut copies = false;
        each_stm(&code, &mut |stm| copies |= matches!(stm, Stm::Alloc(..)));
        copies
    }

    /// A thread for each position of the space, which executes the operator: it has the copy for itself.
    fn fold_alone(&mut self, seg: &SegOp<'a>, op: &'a Screma) {
        let sizes = self.sizes(seg, None);
        self.grid("map", &sizes, |this, indices| {
            this.enter_space(seg, indices);
            this.stm(seg.inner);
            let folded = seg.pat[op.scanned()..op.folded()].iter();
            let values = folded.map(|var| this.scalars.get(var).cloned()).collect();
            this.store_segment(seg, op.scanned(), values);
        });
    }

    /// Reductions and scans of scalars. Where both are there, the map function is executed for each of them.
    fn folds_on_grid(&mut self, seg: &SegOp<'a>, pat: &'a [Var], op: &'a Screma) {
        if !op.reds.is_empty() {
            self.reduce_on_grid(seg, pat, op, op.scans.is_empty());
        }
        if !op.scans.is_empty() {
            self.scan_on_grid(seg, pat, op);
        }
    }
}

/// The functions that the functions of operators call, by way of others, too.
pub(super) fn called_by_kernels(prog: &ir::Prog) -> FxHashSet<ir::FunId> {
    let mut found: Vec<ir::FunId> = Vec::new();
    prog.bodies().for_each(|body| called_inside(body, &mut found));
    let mut next = 0;
    // Kernels call foreign functions as such.
    found.retain(|fun| prog.funs[*fun].foreign.is_none());
    while let Some(&fun) = found.get(next) {
        called(&prog.funs[fun].body, &mut found);
        found.retain(|fun| prog.funs[*fun].foreign.is_none());
        next += 1;
    }
    found.into_iter().collect()
}

/// Likewise, those that they call directly.
fn called_inside(body: &ir::Body, found: &mut Vec<ir::FunId>) {
    for stm in &body.stms {
        let is_seg = matches!(&stm.exp, ir::Exp::Seg(_));
        stm.exp.for_each_body(&mut |body| match is_seg {
            true => called(body, found),
            false => called_inside(body, found),
        });
    }
}

fn called(body: &ir::Body, callees: &mut Vec<ir::FunId>) {
    for stm in &body.stms {
        if let ir::Exp::Call(fun, _) = stm.exp
            && !callees.contains(&fun)
        {
            callees.push(fun);
        }
        stm.exp.for_each_body(&mut |body| called(body, callees));
    }
}

/// `a < b`
pub(super) fn lt(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(a), Box::new(b))
}

/// `a == b`
pub(super) fn eq(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Eq, Prim::I64, Box::new(a), Box::new(b))
}

fn times(a: Exp, b: Exp) -> Exp {
    match (a, b) {
        (Exp::Const(Scalar::I64(1)), b) => b,
        (a, Exp::Const(Scalar::I64(1))) => a,
        (a, b) => bin(BinOp::Mul, a, b),
    }
}

/// The quotient of numbers that are not negative, by 32 bits where these are enough: devices have no
/// instruction for 64 bits. What that is worth has not been measured by itself.
fn quick_quot(a: Exp, b: Exp) -> Exp {
    let is_small = |e: &Exp| lt(e.clone(), Exp::int(1 << 32));
    let short = |e: &Exp| Box::new(Exp::Convert(Prim::I64, Prim::U32, Box::new(e.clone())));
    let quot = Exp::Bin(BinOp::Quot, Prim::U32, short(&a), short(&b));
    let quick = Exp::Convert(Prim::U32, Prim::I64, Box::new(quot));
    let both = Exp::Bin(BinOp::And, Prim::Bool, Box::new(is_small(&a)), Box::new(is_small(&b)));
    Exp::Select(Box::new([both, quick, bin(BinOp::Quot, a, b)]))
}

/// The quotient of numbers that are not negative, rounded up.
fn quot_up(a: Exp, b: Exp) -> Exp {
    bin(BinOp::Quot, bin(BinOp::Add, a, bin(BinOp::Sub, b.clone(), Exp::int(1))), b)
}
