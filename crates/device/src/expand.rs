//! Memory for threads: expansion of allocations out of kernels.
//!
//! A handle in a kernel becomes a pointer, and an allocation takes a piece of the thread's part of one block that the
//! host has allocated for all threads. An allocation in a loop needs a piece that no other handle refers to, just as on
//! the host a handle keeps its block only if no other handle shares it. So there are as many pieces for such an
//! allocation as there are handles that may hold its result, and the first one that no other handle refers to is taken.
//! Other allocations need one piece.
//!
//! If the host can compute the sizes of all pieces in advance, it does. Otherwise it guesses how much a thread needs; a
//! thread that needs more reports this and ends, and the host retries with more, after it has restored what the kernel
//! changed in a way that depends on what was there ([`Kernel::changes`]). The number of active blocks is bounded,
//! because each thread needs its part: a block then does the work of several, one after the other.
//!
//! If the threads of a block work together ([`Kernel::by_block`]), an allocation outside sections is one piece for all
//! of them, in a second block of memory, which has a part for each thread block.

use super::interleave::{self, Placing};
use super::overlay::Blocks;
use super::pointers::{Piece, Pointers};
use super::sites::{self, Known, Owner, Site, piece_bytes};
use super::skew;
use fehu_base::{OrBug, bug};
use fehu_imp::device::DEVICE;
use fehu_imp::kernel;
use fehu_imp::rewrite::{bin, replace_stms};
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Extent, From, Fun, Kernel, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, CmpOp, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// So few blocks of a kernel whose threads need memory are all launched, without asking how many keep the device busy.
const FEW_BLOCKS: i64 = 16;

/// The bytes that blocks of few threads may need together, if there are to be more of them.
const SMALL_BYTES: i64 = 1 << 28;

/// The bytes that a block or a thread asks for that needs too many. What all of them need together does not wrap.
const IMPOSSIBLE: i64 = 1 << 44;

/// The bytes that a thread gets at first, if the host does not know how many it needs, beside those that it knows of; or
/// more if there are few threads. What all of them get is then [`FIRST_TOGETHER`].
const FIRST_BYTES: i64 = 4096;
const FIRST_TOGETHER: i64 = 1 << 24;

/// Removes handles from all kernels of a function.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
pub(super) fn expand(fun: &mut Fun, interleaved: bool) {
    let mut body = std::mem::take(&mut fun.body);
    let mut last: Option<Stm> = None;
    let mut moved: Vec<Stm> = Vec::new();
    replace_stms(&mut body, &mut |stm| match stm {
        Stm::Launch(kernel) if has_handles(fun, kernel) => {
            // What blocks tell each other is forgotten before each attempt.
            let clear = last.take().filter(|_| has_counter(kernel));
            let code = Expand::kernel(fun, kernel, interleaved, clear.clone());
            let inside = |clear: &Stm| {
                code.iter().any(|stm| matches!(stm, Stm::While(_, body) if body.contains(clear)))
            };
            moved.extend(clear.filter(inside));
            Some(code)
        }
        Stm::Launch(_) => {
            last = Some(stm.clone());
            Some(vec![stm.clone()])
        }
        _ => None,
    });
    // They are where they were, and in the attempts.
    replace_stms(&mut body, &mut |stm| match stm {
        Stm::Launch(kernel) => match moved.iter().position(|other| other == stm) {
            Some(place) => {
                moved.remove(place);
                Some(Block::new())
            }
            None => {
                let mut kernel = kernel.clone();
                kernel.changes.clear();
                Some(vec![Stm::Launch(kernel)])
            }
        },
        _ => None,
    });
    fun.body = body;
}

/// Whether the blocks of a kernel are numbered as they start, which the kernel before it prepares.
fn has_counter(kernel: &Kernel) -> bool {
    let mut found = false;
    each_stm(&kernel.body, &mut |stm| found |= matches!(stm, Stm::Count(..)));
    found
}

fn has_handles(fun: &Fun, kernel: &Kernel) -> bool {
    let mut found = false;
    each_stm(&kernel.body, &mut |stm| {
        let mut note = |v: V| found |= fun.vars[v].ty == Ty::Mem;
        stm.each_used(&mut note);
        stm.each_set(&mut note);
        stm.each_declared(&mut note);
    });
    found
}

/// The work on one kernel.
struct Expand<'a> {
    fun: &'a mut Fun,
    /// What the host does before the kernel.
    host: Block,
    /// The pointers that replace handles.
    pointers: FxHashMap<V, V>,
    sites: Vec<Site>,
    /// Whether indices of pieces of the block have 32 bits.
    has_near: bool,
}

impl Expand<'_> {
    fn kernel(fun: &mut Fun, kernel: &Kernel, interleaved: bool, clear: Option<Stm>) -> Block {
        let (host, pointers, sites) = (Block::new(), FxHashMap::default(), Vec::new());
        let mut this = Expand { fun, host, pointers, sites, has_near: false };
        let mut kernel = kernel.clone();
        let local = this.name_handles(&kernel.body);
        this.sites =
            sites::find(&kernel.body, &this.fun.vars, kernel.by_block, &Known::of_kernel(&kernel));
        if this.sites.is_empty() {
            kernel.body = this.body(&kernel.body, &mut |_, _| Block::new());
            this.declare_pointers(&local, None, &mut kernel.body);
            this.host.push(Stm::Launch(Box::new(kernel)));
            return this.host;
        }
        match this.sites.iter().all(|site| site.bytes.is_some()) {
            true => {
                if interleaved {
                    this.interleave(&mut kernel, |_| true);
                    this.skew(&mut kernel);
                }
                this.known_sizes(kernel, &local)
            }
            false => {
                if interleaved {
                    this.interleave_of_one_width(&mut kernel);
                }
                this.guessed_sizes(kernel, &local, clear)
            }
        }
    }

    fn new_var(&mut self, hint: &str, ty: Ty) -> V {
        self.fun.vars.push(VarInfo { hint: hint.into(), ty })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what is no operand gets a variable")]
    fn host_value(&mut self, hint: &str, e: Exp) -> Exp {
        match e {
            Exp::Const(_) | Exp::Var(_) => e,
            other => {
                let v = self.new_var(hint, Ty::Scalar(Prim::I64));
                self.host.push(Stm::Declare(v, Some(other)));
                Exp::Var(v)
            }
        }
    }

    /// Creates pointers for all handles; returns those of handles that belong to the kernel itself.
    fn name_handles(&mut self, body: &[Stm]) -> Vec<V> {
        let mut pointers = Pointers::new(&mut self.fun.vars);
        let (local, outer) = pointers.name(body);
        self.pointers = pointers.of;
        for (handle, ptr) in outer {
            self.host.push(Stm::Declare(ptr, None));
            self.host.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
        }
        local
    }

    /// A body in which handles are pointers; `alloc` says what an allocation becomes, by its number.
    fn body(
        &mut self,
        body: &[Stm],
        alloc: &mut dyn FnMut(&mut Pointers<'_>, usize) -> Block,
    ) -> Block {
        let of = std::mem::take(&mut self.pointers);
        let mut pointers = Pointers { vars: &mut self.fun.vars, of };
        let body = pointers.body(body, alloc);
        self.pointers = pointers.of;
        body
    }

    /// Declares the pointers of the kernel's own handles. Those that are asked for before they are set point to a place
    /// that is no piece.
    fn declare_pointers(&self, local: &[V], nowhere: Option<V>, body: &mut Block) {
        let asked = sites::asked(&self.sites, &self.pointers);
        let mut begin = Block::new();
        for ptr in local {
            begin.push(Stm::Declare(*ptr, None));
            if let Some(nowhere) = nowhere
                && asked.contains(ptr)
            {
                begin.push(Stm::Point(*ptr, From::Ptr(nowhere), Exp::int(0)));
            }
        }
        begin.append(body);
        *body = begin;
    }

    /// The sizes that each thread and each block needs are known to the host.
    fn known_sizes(mut self, mut kernel: Kernel, local: &[V]) -> Block {
        let (offsets, mut totals) = self.places(&kernel);
        if self.has_near {
            // More than there is: the program runs out of memory.
            let fits = Exp::Cmp(
                CmpOp::Lt,
                Prim::I64,
                Box::new(totals[1].clone()),
                Box::new(Exp::int(skew::MOST_BYTES)),
            );
            let bytes = Exp::Select(Box::new([fits, totals[1].clone(), Exp::int(IMPOSSIBLE)]));
            totals[1] = self.host_value("bytes", bytes);
        }
        let [own, of_block, interleaved] = totals.clone();
        let of_threads = bin(BinOp::Add, own, interleaved);
        let of_threads = bin(BinOp::Mul, of_threads, Exp::int(i64::from(kernel.threads)));
        let bytes = bin(BinOp::Add, of_threads, of_block);
        let launched = self.bound_blocks(&mut kernel, Some(bytes));
        let (arenas, bases, mut begin) = self.arenas(&kernel, &launched, &totals);
        if self.sites.iter().any(|site| site.kind == Owner::Block) {
            begin.push(Stm::Point(bases[1], From::Shared, Exp::int(0)));
            kernel.shared = Some(totals[1].clone());
        }
        let (threads, thread) = (i64::from(kernel.threads), kernel.thread);
        let body = kernel.body.clone();
        let sites = std::mem::take(&mut self.sites);
        let body = self.body(&body, &mut |pointers, number| {
            let (site, (offsets, bytes)) = (&sites[number], &offsets[number]);
            let (base, width) = (bases[site.kind as usize], i64::from(site.prim.bits() / 8));
            let pieces: Vec<Piece> = offsets
                .iter()
                .map(|offset| match site.kind {
                    Owner::Thread | Owner::Block => {
                        Piece { base, at: offset.clone(), bytes: bytes.clone() }
                    }
                    Owner::Interleaved => {
                        let of_block =
                            |bytes: &Exp| bin(BinOp::Mul, bytes.clone(), Exp::int(threads));
                        let own = bin(BinOp::Mul, Exp::Var(thread), Exp::int(width));
                        let at = bin(BinOp::Add, of_block(offset), own);
                        Piece { base, at, bytes: of_block(bytes) }
                    }
                })
                .collect();
            pointers.choose(site, &pieces)
        });
        self.sites = sites;
        let nowhere = self.new_var("nowhere", Ty::ptr(Prim::U8));
        kernel.body = begin;
        kernel.body.push(Stm::Declare(nowhere, None));
        let owner = owner_of_all(&kernel);
        kernel.body.push(Stm::Point(nowhere, From::Ptr(bases[owner]), totals[owner].clone()));
        let mut rest = body;
        self.declare_pointers(local, Some(nowhere), &mut rest);
        kernel.body.append(&mut rest);
        kernel.hoist_shared(&self.fun.vars);
        self.host.push(Stm::Launch(Box::new(kernel)));
        self.host.extend(arenas.into_iter().map(Stm::Free));
        self.host
    }

    /// Where the pieces of each allocation are, the bytes of one, and the bytes of all, by kind.
    fn places(&mut self, kernel: &Kernel) -> (Vec<(Vec<Exp>, Exp)>, [Exp; 3]) {
        let blocks = Blocks::of(&kernel.body, &self.fun.vars);
        let homes: Vec<usize> = self.sites.iter().map(|site| blocks.home(site)).collect();
        let mut totals = [Exp::int(0), Exp::int(0), Exp::int(0)];
        // Where the pieces of each block end.
        let mut ends: Vec<[Exp; 3]> = Vec::with_capacity(blocks.parents.len());
        let mut offsets: Vec<Option<(Vec<Exp>, Exp)>> = vec![None; self.sites.len()];
        for (block, parent) in blocks.parents.iter().enumerate() {
            let mut end = ends.get(*parent).cloned().unwrap_or_else(|| totals.clone());
            for number in (0..self.sites.len()).filter(|number| homes[*number] == block) {
                let site = &self.sites[number];
                let (bytes, pieces) =
                    (site.bytes.clone().or_bug("known size of a block"), site.others.len() + 1);
                let kind = site.kind as usize;
                let bytes = self.host_value("bytes", bytes);
                let mut own = Vec::with_capacity(pieces);
                for _ in 0..pieces {
                    own.push(end[kind].clone());
                    let more = bin(BinOp::Add, end[kind].clone(), bytes.clone());
                    end[kind] = self.host_value("bytes", more);
                }
                offsets[number] = Some((own, bytes));
            }
            ends.push(end);
        }
        for (kind, total) in totals.iter_mut().enumerate() {
            let sites =
                self.sites.iter().zip(&homes).filter(|(site, _)| site.kind as usize == kind);
            let innermost = blocks.innermost(sites.map(|(_, home)| *home).collect());
            let mut ends = innermost.iter().map(|block| ends[*block][kind].clone());
            if let Some(first) = ends.next() {
                *total = ends.fold(first, |largest, end| {
                    self.host_value("bytes", bin(BinOp::Max, largest, end))
                });
            }
        }
        let all = offsets.into_iter().map(|place| place.or_bug("the place of an allocation"));
        (all.collect(), totals)
    }

    /// Interleaves the pieces of threads whose sizes only these know. Then what begins at one place in one thread may
    /// be in the middle of a piece of another, so that all elements have the same size: that of most pieces.
    fn interleave_of_one_width(&mut self, kernel: &mut Kernel) {
        let own = |site: &&Site| site.kind == Owner::Thread;
        let widths = || self.sites.iter().filter(own).map(|site| site.prim.bits());
        let number = |width: &u32| (widths().filter(|other| other == width).count(), *width);
        if let Some(width) = widths().max_by_key(number) {
            self.interleave(kernel, |prim| prim.bits() == width);
        }
    }

    /// Interleaves the pieces of threads where possible, those of some types.
    fn interleave(&mut self, kernel: &mut Kernel, of: impl Fn(Prim) -> bool) {
        let own = |site: &&Site| site.kind == Owner::Thread && of(site.prim);
        let allocated: Vec<(V, Prim)> =
            self.sites.iter().filter(own).map(|site| (site.handle, site.prim)).collect();
        let placing = Placing::Interleaved(i64::from(kernel.threads));
        let found = interleave::find(self.fun, kernel, &allocated, placing);
        if found.is_empty() {
            return;
        }
        kernel.body = interleave::rewrite(self.fun, &kernel.body, &found, placing);
        for site in &mut self.sites {
            if site.kind == Owner::Thread && of(site.prim) && found.contains_key(&site.handle) {
                site.kind = Owner::Interleaved;
            }
        }
    }

    /// Indices of the pieces of blocks get 32 bits, and those pieces gaps whose elements would be in the same bank.
    fn skew(&mut self, kernel: &mut Kernel) {
        let of_block = |site: &&Site| site.kind == Owner::Block && skew::has_banks(site.prim);
        let allocated: Vec<(V, Prim)> =
            self.sites.iter().filter(of_block).map(|site| (site.handle, site.prim)).collect();
        if allocated.is_empty() {
            return;
        }
        let found = interleave::find(self.fun, kernel, &allocated, Placing::Skewed);
        let prim = |p: V| match self.fun.vars[p].ty {
            Ty::Ptr(_, prim) => Some(prim).filter(|_| found.contains_key(&p)),
            Ty::Scalar(_) | Ty::Mem | Ty::Local(..) | Ty::Shared(..) => None,
        };
        let conflicts: FxHashSet<V> =
            skew::conflicts(kernel, &prim).iter().map(|p| found[p]).collect();
        self.has_near = !found.is_empty();
        let (skewed, near): (FxHashMap<V, V>, FxHashMap<V, V>) =
            found.into_iter().partition(|(_, class)| conflicts.contains(class));
        for (pieces, placing) in [(&skewed, Placing::Skewed), (&near, Placing::Near)] {
            if !pieces.is_empty() {
                kernel.body = interleave::rewrite(self.fun, &kernel.body, pieces, placing);
            }
        }
        for site in self.sites.iter_mut().filter(|site| skewed.contains_key(&site.handle)) {
            site.bytes = site.bytes.take().map(|bytes| skew::bytes(site.prim, bytes));
        }
    }

    /// The memory of threads and blocks, by kind: for each, a pointer to the part of a thread or its block, and how the
    /// thread finds it.
    fn arenas(
        &mut self,
        kernel: &Kernel,
        launched: &Exp,
        needed: &[Exp; 3],
    ) -> (Vec<V>, [V; 3], Block) {
        let threads = Exp::int(i64::from(kernel.threads));
        let block = Exp::Var(kernel.block);
        let first = bin(BinOp::Mul, block.clone(), threads.clone());
        let thread = bin(BinOp::Add, first, Exp::Var(kernel.thread));
        let all = bin(BinOp::Mul, launched.clone(), threads.clone());
        let (arena, base, mut begin) = self.arena(all, thread, &needed[0]);
        let (mut arenas, mut bases) = (vec![arena], [base; 3]);
        let together = bin(BinOp::Mul, at_most_impossible(&needed[2]), threads);
        for (kind, size) in [(Owner::Block, needed[1].clone()), (Owner::Interleaved, together)] {
            if self.sites.iter().any(|site| site.kind == kind) {
                let size = self.host_value("bytes", size);
                let (arena, base, mut more) = self.arena(launched.clone(), block.clone(), &size);
                arenas.push(arena);
                bases[kind as usize] = base;
                begin.append(&mut more);
            }
        }
        (arenas, bases, begin)
    }

    /// Memory with parts of a given size, a pointer to one of them, and how it is set.
    fn arena(&mut self, count: Exp, number: Exp, size: &Exp) -> (V, V, Block) {
        let bytes = bin(BinOp::Mul, count, at_most_impossible(size));
        let bytes = self.host_value("arena_bytes", bytes);
        let arena = self.new_var("arena_mem", Ty::Mem);
        let ptr = self.new_var("arena", Ty::ptr(Prim::U8));
        self.host.push(Stm::Declare(arena, None));
        self.host.push(Stm::Declare(ptr, None));
        self.host.push(Stm::Alloc(arena, Prim::U8, bytes));
        self.host.push(Stm::Point(ptr, From::Mem(arena), Exp::int(0)));
        let base = self.new_var("base", Ty::ptr(Prim::U8));
        let at = bin(BinOp::Mul, number, size.clone());
        let begin = vec![Stm::Declare(base, None), Stm::Point(base, From::Ptr(ptr), at)];
        (arena, base, begin)
    }

    /// There is room for more blocks of fewer threads, if they need little memory, and it is known how much: all of
    /// them get some, whether they find room in shared memory or not.
    fn more_if_small(&mut self, busy: Exp, threads: u32, bytes: Option<Exp>) -> Exp {
        let more = i64::from(DEVICE.threads / threads.max(1));
        let Some(bytes) = bytes.filter(|_| more > 1) else { return busy };
        let fitting = bin(BinOp::Quot, Exp::int(SMALL_BYTES), bin(BinOp::Max, bytes, Exp::int(1)));
        let many = bin(BinOp::Mul, busy.clone(), Exp::int(more));
        bin(BinOp::Max, busy, bin(BinOp::Min, many, fitting))
    }

    /// Lets a block do the work of several; returns the number of blocks that are launched.
    fn bound_blocks(&mut self, kernel: &mut Kernel, bytes: Option<Exp>) -> Exp {
        if matches!(kernel.blocks, Exp::Const(Scalar::I64(n)) if n <= FEW_BLOCKS) {
            return kernel.blocks.clone();
        }
        let blocks = self.host_value("blocks", kernel.blocks.clone());
        let busy = self.new_var("busy", Ty::Scalar(Prim::I64));
        self.host.push(Stm::Declare(busy, None));
        self.host.push(Stm::Blocks(busy));
        let busy = self.more_if_small(Exp::Var(busy), kernel.threads, bytes);
        let launched = self.host_value("launched", bin(BinOp::Min, blocks.clone(), busy));
        let own = self.new_var("own_block", Ty::Scalar(Prim::I64));
        let work = std::mem::replace(&mut kernel.block, own);
        let mut body = std::mem::take(&mut kernel.body);
        if kernel::waits(&body) {
            // Threads that do the same come to the end together.
            if !kernel.by_block {
                kernel::gather(&mut body);
            }
            body.push(Stm::Barrier);
        }
        body.push(Stm::Assign(work, bin(BinOp::Add, Exp::Var(work), launched.clone())));
        let more = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::Var(work)), Box::new(blocks));
        kernel.body = vec![Stm::Declare(work, Some(Exp::Var(own))), Stm::While(more, body)];
        kernel.blocks = launched.clone();
        launched
    }

    /// The host does not know how much a thread needs.
    fn guessed_sizes(mut self, mut kernel: Kernel, local: &[V], clear: Option<Stm>) -> Block {
        let launched = self.bound_blocks(&mut kernel, None);
        let (threads, thread) = (i64::from(kernel.threads), kernel.thread);
        let capacity = self.new_var("capacity", Ty::Scalar(Prim::I64));
        let short = self.new_var("short", Ty::Scalar(Prim::I32));
        let (flag_mem, flag) =
            (self.new_var("flag_mem", Ty::Mem), self.new_var("flag", Ty::ptr(Prim::I32)));
        let (known, first) = self.first_bytes(&launched, threads);
        let before = std::mem::take(&mut self.host);
        // Kernels whose threads have no pieces of their own still have a place that is in none.
        let owners = [Owner::Thread, Owner::Block, Owner::Interleaved];
        let needed = owners.map(|owner| match self.sites.iter().any(|site| site.kind == owner) {
            true => Exp::Var(capacity),
            false => Exp::int(0),
        });
        let (arenas, bases, begin) = self.arenas(&kernel, &launched, &needed);
        // How much of them is in use.
        let cursors = owners.map(|_| self.new_var("cursor", Ty::Scalar(Prim::I64)));
        let mut slots: Vec<Vec<(V, V)>> = Vec::new();
        let mut declared: Block =
            cursors.iter().map(|cursor| Stm::Declare(*cursor, Some(Exp::int(0)))).collect();
        let nowhere = self.new_var("nowhere", Ty::ptr(Prim::U8));
        declared.push(Stm::Declare(nowhere, None));
        let owner = owner_of_all(&kernel);
        declared.push(Stm::Point(nowhere, From::Ptr(bases[owner]), needed[owner].clone()));
        for number in 0..self.sites.len() {
            let pieces = self.sites[number].others.len() + 1;
            let mut own = Vec::with_capacity(pieces);
            for _ in 0..pieces {
                let (ptr, size) = (
                    self.new_var("piece", Ty::ptr(Prim::U8)),
                    self.new_var("room", Ty::Scalar(Prim::I64)),
                );
                declared.push(Stm::Declare(ptr, None));
                declared.push(Stm::Point(ptr, From::Ptr(nowhere), Exp::int(0)));
                declared.push(Stm::Declare(size, Some(Exp::int(-1))));
                own.push((ptr, size));
            }
            slots.push(own);
        }
        let body = kernel.body.clone();
        let sites = std::mem::take(&mut self.sites);
        let body = self.body(&body, &mut |pointers, number| {
            let site = &sites[number];
            let kind = site.kind as usize;
            let width = i64::from(site.prim.bits() / 8);
            let between = match site.kind {
                Owner::Thread | Owner::Block => None,
                Owner::Interleaved => {
                    Some((threads, bin(BinOp::Mul, Exp::Var(thread), Exp::int(width))))
                }
            };
            let part = Part { base: bases[kind], cursor: cursors[kind], capacity, between };
            take(pointers, site, &slots[number], &part, flag)
        });
        self.sites = sites;
        kernel.body = begin;
        kernel.body.append(&mut declared);
        let mut rest = body;
        self.declare_pointers(local, Some(nowhere), &mut rest);
        kernel.body.append(&mut rest);
        kernel.hoist_shared(&self.fun.vars);
        // The host retries until all threads had enough, and begins with the same values every time.
        let changes = std::mem::take(&mut kernel.changes);
        let zero = Exp::Const(Scalar::I32(0));
        let is_short = Exp::Cmp(CmpOp::Lt, Prim::I32, Box::new(zero), Box::new(Exp::Var(short)));
        let guessed = bin(BinOp::Sub, Exp::Var(capacity), known.clone());
        let guessed = bin(BinOp::Mul, guessed, Exp::int(8));
        let mut attempt = std::mem::replace(&mut self.host, before);
        attempt.extend(clear);
        attempt.extend([
            Stm::Declare(flag_mem, None),
            Stm::Declare(flag, None),
            Stm::Alloc(flag_mem, Prim::I32, Exp::int(1)),
            Stm::Point(flag, From::Mem(flag_mem), Exp::int(0)),
            self.clear(flag),
            Stm::Launch(Box::new(kernel)),
            Stm::Fetch(short, flag, Exp::int(0)),
            Stm::Assign(capacity, bin(BinOp::Add, known, guessed)),
        ]);
        attempt.extend(arenas.into_iter().map(Stm::Free));
        let (saved, restore) = self.save(&changes);
        if !restore.is_empty() {
            attempt.push(Stm::If(is_short.clone(), restore, Block::new()));
        }
        self.host.extend([
            Stm::Declare(capacity, Some(first)),
            Stm::Declare(short, Some(Exp::Const(Scalar::I32(1)))),
            Stm::While(is_short, attempt),
            Stm::Free(flag_mem),
        ]);
        self.host.extend(saved.into_iter().map(Stm::Free));
        self.host
    }

    /// How many bytes the host knows that each thread may need, and how many it gets in the first attempt. What all of
    /// them together would need more room for than [`FIRST_TOGETHER`] may be that of a branch that nobody takes: then
    /// threads have to ask for it. An attempt in vain takes as long as what comes before the first allocation that finds
    /// no room.
    fn first_bytes(&mut self, launched: &Exp, threads: i64) -> (Exp, Exp) {
        let mut known = Exp::int(0);
        for site in &self.sites {
            let pieces = i64::try_from(site.others.len() + 1).unwrap_or(1);
            if let Some(bytes) = &site.bytes {
                let all = bin(BinOp::Mul, bytes.clone(), Exp::int(pieces));
                known = bin(BinOp::Add, known, all);
            }
        }
        let known = self.host_value("known", known);
        let all = bin(BinOp::Mul, launched.clone(), Exp::int(threads));
        let all = bin(BinOp::Max, all, Exp::int(1));
        let each = bin(BinOp::Quot, Exp::int(FIRST_TOGETHER), all);
        let each = self.host_value("each", bin(BinOp::And, each, Exp::int(-16)));
        let fits = fehu_imp::rewrite::le(known.clone(), each.clone());
        let known = self.host_value("sure", Exp::Select(Box::new([fits, known, Exp::int(0)])));
        let first = bin(BinOp::Add, known.clone(), Exp::int(FIRST_BYTES));
        (known, self.host_value("first", bin(BinOp::Max, each, first)))
    }

    /// Copies what a kernel changes; returns the handles of the copies, and how everything becomes what it was.
    fn save(&mut self, changes: &[Extent]) -> (Vec<V>, Block) {
        let (mut saved, mut restore) = (Vec::new(), Block::new());
        for Extent { ptr, first, count } in changes {
            let Ty::Ptr(_, prim) = self.fun.vars[*ptr].ty else {
                bug("what a kernel changes is in no block")
            };
            let first = self.host_value("first", first.clone());
            let count = self.host_value("count", count.clone());
            let handle = self.new_var("saved_mem", Ty::Mem);
            let copy = self.new_var("saved", Ty::ptr(prim));
            self.host.extend([
                Stm::Declare(handle, None),
                Stm::Declare(copy, None),
                Stm::Alloc(handle, prim, count.clone()),
                Stm::Point(copy, From::Mem(handle), Exp::int(0)),
            ]);
            let (own, other) = ((*ptr, first), (copy, Exp::int(0)));
            let (to, from) = (other.clone(), own.clone());
            self.host.push(Stm::Copy { to, from, count: count.clone() });
            restore.push(Stm::Copy { to: own, from: other, count });
            saved.push(handle);
        }
        (saved, restore)
    }

    /// A kernel that stores a zero.
    fn clear(&mut self, flag: V) -> Stm {
        let body = vec![Stm::Store(flag, Exp::int(0), Exp::Const(Scalar::I32(0)))];
        Stm::Launch(Box::new(Kernel::alone("clear", &mut self.fun.vars, body)))
    }
}

/// Whose memory a place is in that all threads of a kernel may compare with: if they do the same, it must be the same place.
fn owner_of_all(kernel: &Kernel) -> usize {
    (if kernel.by_block { Owner::Block } else { Owner::Thread }) as usize
}

/// The part of a thread in memory of which it takes pieces.
struct Part {
    base: V,
    /// How many bytes are taken, and how many there are.
    cursor: V,
    capacity: V,
    /// If its elements are between those of other threads: how many threads these are, and which bytes are its own.
    between: Option<(i64, Exp)>,
}

impl Part {
    /// The distance of two places of memory between which the thread has so many bytes.
    fn distance(&self, bytes: V) -> Exp {
        match &self.between {
            Some((threads, _)) => bin(BinOp::Mul, Exp::Var(bytes), Exp::int(*threads)),
            None => Exp::Var(bytes),
        }
    }

    /// Where the next piece begins.
    fn next(&self) -> Exp {
        match &self.between {
            Some((_, own)) => bin(BinOp::Add, self.distance(self.cursor), own.clone()),
            None => Exp::Var(self.cursor),
        }
    }
}

/// An allocation whose size the thread computes: a piece that is free and large enough, or a new one.
fn take(pointers: &mut Pointers<'_>, site: &Site, slots: &[(V, V)], part: &Part, flag: V) -> Block {
    let Part { base, cursor, capacity, .. } = *part;
    let to = pointers.of[&site.handle];
    let needed = pointers.new_var("needed", Ty::Scalar(Prim::I64));
    let mut out = vec![Stm::Declare(needed, Some(piece_bytes(site.count.clone(), site.prim)))];
    let mut chosen: Option<Block> = None;
    for (piece, room) in slots.iter().rev() {
        let end = bin(BinOp::Add, Exp::Var(cursor), Exp::Var(needed));
        let fits =
            Exp::Cmp(CmpOp::Le, Prim::I64, Box::new(end.clone()), Box::new(Exp::Var(capacity)));
        let one = Exp::Const(Scalar::I32(1));
        let enlarge = vec![
            Stm::If(fits, Block::new(), vec![Stm::Store(flag, Exp::int(0), one), Stm::Leave]),
            Stm::Point(*piece, From::Ptr(base), part.next()),
            Stm::Assign(*room, Exp::Var(needed)),
            Stm::Assign(cursor, end),
        ];
        let is_small =
            Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::Var(*room)), Box::new(Exp::Var(needed)));
        let use_it = vec![
            Stm::If(is_small, enlarge, Block::new()),
            Stm::Point(to, From::Ptr(*piece), Exp::int(0)),
        ];
        chosen = Some(match chosen {
            None => use_it,
            Some(next) => {
                let (mut asking, taken) = pointers.taken(site, *piece, &part.distance(*room));
                asking.push(Stm::If(taken, next, use_it));
                asking
            }
        });
    }
    out.extend(chosen.or_bug("place for an allocation"));
    out
}

/// As many bytes, but no more than are certainly too many, so that they can be multiplied.
fn at_most_impossible(bytes: &Exp) -> Exp {
    if let Exp::Const(Scalar::I64(bytes)) = bytes {
        return Exp::int((*bytes).min(IMPOSSIBLE));
    }
    bin(BinOp::Min, bytes.clone(), Exp::int(IMPOSSIBLE))
}
