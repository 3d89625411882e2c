//! Memory for threads: expansion of allocations out of kernels.
//!
//! A handle in a kernel becomes a pointer, and an allocation takes a piece of the thread's part of one block that the
//! host has allocated for all threads. An allocation in a loop needs a piece that no other handle refers to, just as on
//! the host a handle keeps its block only if no other handle shares it. So there are as many pieces for such an
//! allocation as there are handles that may hold its result, and the first one that no other handle refers to is taken.
//! Other allocations need one piece.
//!
//! If the host can compute the sizes of all pieces in advance, it does. Otherwise it guesses how much a thread needs; a
//! thread that needs more reports this and ends, and the host retries with more. The number of active blocks is
//! bounded, because each thread needs its part: a block then does the work of several, one after the other.
//!
//! If the threads of a block work together ([`Kernel::by_block`]), an allocation outside sections is one piece for all
//! of them, in a second block of memory, which has a part for each thread block.

use super::{interleave, offload::elem};
use fehu_imp::rewrite::{bin, replace_stms, substitute};
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, From, Fun, Kernel, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, CmpOp, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of blocks of a kernel whose threads need memory.
const MOST_BLOCKS: i64 = 1056;

/// The bytes that a thread gets at first, if the host does not know how many it needs.
const FIRST_BYTES: i64 = 4096;

/// Pieces begin at multiples of this.
const ALIGNMENT: i64 = 16;

/// Removes handles from all kernels of a function.
pub(super) fn expand(fun: &mut Fun, interleaved: bool) {
    let mut body = std::mem::take(&mut fun.body);
    replace_stms(&mut body, &mut |stm| match stm {
        Stm::Launch(kernel) if has_handles(fun, kernel) => {
            Some(Expand::kernel(fun, kernel, interleaved))
        }
        Stm::Launch(_) => Some(vec![stm.clone()]),
        _ => None,
    });
    fun.body = body;
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

/// Who owns an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    /// A thread, in one piece.
    Thread,
    /// A thread block, whose threads allocate it together.
    Block,
    /// A thread, interleaved with those of its neighbours.
    Interleaved,
}

/// An allocation in a kernel.
struct Site {
    handle: V,
    prim: Prim,
    count: Exp,
    /// Other handles that may hold an earlier result of this allocation.
    others: Vec<V>,
    /// Who owns it, and how its elements are laid out.
    kind: Owner,
    /// The number of bytes of a piece, if the host can compute it.
    bytes: Option<Exp>,
}

/// The work on one kernel.
struct Expand<'a> {
    fun: &'a mut Fun,
    /// What the host does before the kernel.
    host: Block,
    /// The pointers that replace handles.
    pointers: FxHashMap<V, V>,
    sites: Vec<Site>,
}

impl Expand<'_> {
    fn kernel(fun: &mut Fun, kernel: &Kernel, interleaved: bool) -> Block {
        let mut this =
            Expand { fun, host: Block::new(), pointers: FxHashMap::default(), sites: Vec::new() };
        let mut kernel = kernel.clone();
        let local = this.name_handles(&kernel.body);
        this.find_sites(&kernel);
        if this.sites.is_empty() {
            kernel.body = this.body(&kernel.body, &mut |_, _| Block::new());
            this.declare_pointers(&local, None, &mut kernel.body);
            this.host.push(Stm::Launch(Box::new(kernel)));
            return this.host;
        }
        match this.sites.iter().all(|site| site.bytes.is_some()) {
            true => {
                if interleaved {
                    this.interleave(&mut kernel);
                }
                this.known_sizes(kernel, &local)
            }
            false => this.guessed_sizes(kernel, &local),
        }
    }

    fn new_var(&mut self, hint: &str, ty: Ty) -> V {
        self.fun.vars.push(VarInfo { hint: hint.into(), ty })
    }

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
        let (mut all, mut declared) = (Vec::new(), FxHashSet::default());
        each_stm(body, &mut |stm| {
            let mut note = |v: V| {
                if self.fun.vars[v].ty == Ty::Mem && !all.contains(&v) {
                    all.push(v);
                }
            };
            stm.each_used(&mut note);
            stm.each_set(&mut note);
            stm.each_declared(&mut note);
            stm.each_declared(&mut |v| {
                declared.insert(v);
            });
        });
        let mut local = Vec::new();
        for handle in all {
            let hint = self.fun.vars[handle].hint.clone();
            let ptr = self.new_var(&hint, Ty::Ptr(Prim::U8));
            self.pointers.insert(handle, ptr);
            if declared.contains(&handle) {
                local.push(ptr);
            } else {
                self.host.push(Stm::Declare(ptr, None));
                self.host.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
            }
        }
        local
    }

    fn find_sites(&mut self, kernel: &Kernel) {
        let mut holds: Vec<(V, V)> = Vec::new();
        let mut sites = Vec::new();
        each_stm(&kernel.body, &mut |stm| match stm {
            Stm::Share(to, from) | Stm::Export { to, block: Some(from), .. } => {
                holds.push((*to, *from));
            }
            _ => {}
        });
        allocations(&kernel.body, false, &mut sites);
        let own = allocated_in_sections(&kernel.body);
        let known = Known::new(kernel);
        for (handle, prim, count, again) in sites {
            let mut others = vec![handle];
            let mut next = 0;
            while again && let Some(&from) = others.get(next) {
                for (to, source) in &holds {
                    if *source == from && !others.contains(to) {
                        others.push(*to);
                    }
                }
                next += 1;
            }
            others.remove(0);
            let bytes = known.value(&count).map(|count| piece_bytes(count, prim));
            let kind = match kernel.by_block && !own.contains(&handle) {
                true => Owner::Block,
                false => Owner::Thread,
            };
            self.sites.push(Site { handle, prim, count, others, kind, bytes });
        }
    }

    /// A body in which handles are pointers; `alloc` says what an allocation becomes, by its number.
    fn body(&mut self, body: &[Stm], alloc: &mut dyn FnMut(&mut Self, usize) -> Block) -> Block {
        let mut body = body.to_vec();
        let mut number = 0;
        replace_stms(&mut body, &mut |stm| {
            Some(match stm {
                Stm::Declare(v, _) if self.pointers.contains_key(v) => Block::new(),
                Stm::Free(_) => Block::new(),
                Stm::Share(to, from) => {
                    vec![Stm::Point(self.pointers[to], From::Ptr(self.pointers[from]), Exp::int(0))]
                }
                Stm::Export { to, ptr, index, .. } => {
                    let prim = elem(self.fun.vars[*ptr].ty);
                    let there = self.new_var("there", Ty::Ptr(prim));
                    vec![
                        Stm::Declare(there, None),
                        Stm::Point(there, From::Ptr(*ptr), index.clone()),
                        Stm::Point(self.pointers[to], From::Ptr(there), Exp::int(0)),
                    ]
                }
                Stm::Point(p, From::Mem(handle), at) => {
                    vec![Stm::Point(*p, From::Ptr(self.pointers[handle]), at.clone())]
                }
                Stm::Alloc(..) => {
                    number += 1;
                    alloc(self, number - 1)
                }
                _ => return None,
            })
        });
        body
    }

    /// Declares the pointers of the kernel's own handles; initially they point to a place that is no piece.
    fn declare_pointers(&self, local: &[V], nowhere: Option<V>, body: &mut Block) {
        let mut begin = Block::new();
        for ptr in local {
            begin.push(Stm::Declare(*ptr, None));
            if let Some(nowhere) = nowhere {
                begin.push(Stm::Point(*ptr, From::Ptr(nowhere), Exp::int(0)));
            }
        }
        begin.append(body);
        *body = begin;
    }

    /// The sizes that each thread and each block needs are known to the host.
    fn known_sizes(mut self, mut kernel: Kernel, local: &[V]) -> Block {
        let mut totals = [Exp::int(0), Exp::int(0), Exp::int(0)];
        let mut offsets: Vec<Vec<Exp>> = Vec::new();
        for number in 0..self.sites.len() {
            let site = &self.sites[number];
            let (bytes, pieces) =
                (site.bytes.clone().unwrap_or(Exp::int(0)), site.others.len() + 1);
            let kind = site.kind as usize;
            let bytes = self.host_value("bytes", bytes);
            let mut own = Vec::with_capacity(pieces);
            for _ in 0..pieces {
                own.push(totals[kind].clone());
                let more = bin(BinOp::Add, totals[kind].clone(), bytes.clone());
                totals[kind] = self.host_value("bytes", more);
            }
            offsets.push(own);
        }
        let launched = self.bound_blocks(&mut kernel);
        let (arenas, bases, mut begin) = self.arenas(&kernel, &launched, &totals);
        if self.sites.iter().any(|site| site.kind == Owner::Block) {
            begin.push(Stm::Point(bases[1], From::Shared, Exp::int(0)));
            kernel.shared = Some(totals[1].clone());
        }
        let (threads, thread) = (i64::from(kernel.threads), kernel.thread);
        let body = kernel.body.clone();
        let body = self.body(&body, &mut |this, number| {
            let site = &this.sites[number];
            let (to, base) = (this.pointers[&site.handle], bases[site.kind as usize]);
            let others: Vec<V> = site.others.iter().map(|other| this.pointers[other]).collect();
            let (kind, width) = (site.kind, i64::from(site.prim.bits() / 8));
            let at = |offset: &Exp| {
                let at = match kind {
                    Owner::Thread | Owner::Block => offset.clone(),
                    Owner::Interleaved => bin(
                        BinOp::Add,
                        bin(BinOp::Mul, offset.clone(), Exp::int(threads)),
                        bin(BinOp::Mul, Exp::Var(thread), Exp::int(width)),
                    ),
                };
                Stm::Point(to, From::Ptr(base), at)
            };
            this.choose(&offsets[number], &others, &at)
        });
        let nowhere = self.new_var("nowhere", Ty::Ptr(Prim::U8));
        kernel.body = begin;
        kernel.body.push(Stm::Declare(nowhere, None));
        kernel.body.push(Stm::Point(nowhere, From::Ptr(bases[0]), totals[0].clone()));
        let mut rest = body;
        self.declare_pointers(local, Some(nowhere), &mut rest);
        kernel.body.append(&mut rest);
        kernel.hoist_shared(&self.fun.vars);
        self.host.push(Stm::Launch(Box::new(kernel)));
        self.host.extend(arenas.into_iter().map(Stm::Free));
        self.host
    }

    /// The first of several pieces that no other handle refers to.
    fn choose(&mut self, pieces: &[Exp], others: &[V], at: &dyn Fn(&Exp) -> Stm) -> Block {
        let mut out = Block::new();
        let Some((last, rest)) = pieces.split_last() else { return out };
        let mut chosen = vec![at(last)];
        for piece in rest.iter().rev() {
            // Where the handle would point, compared with where the others point.
            let mut attempt = vec![at(piece)];
            let taken = self.is_one_of(&attempt[0], others);
            attempt.push(Stm::If(taken, chosen, Block::new()));
            chosen = attempt;
        }
        out.append(&mut chosen);
        out
    }

    /// Whether the pointer that a statement sets is equal to one of others.
    fn is_one_of(&self, point: &Stm, others: &[V]) -> Exp {
        let Stm::Point(p, ..) = point else { return Exp::Const(Scalar::Bool(false)) };
        let same = |other: &V| {
            let (a, b) = (Box::new(Exp::Var(*p)), Box::new(Exp::Var(*other)));
            Exp::Cmp(CmpOp::Eq, Prim::U64, a, b)
        };
        let or = |a, b| Exp::Bin(BinOp::Or, Prim::Bool, Box::new(a), Box::new(b));
        others.iter().map(same).reduce(or).unwrap_or(Exp::Const(Scalar::Bool(false)))
    }

    /// Interleaves the pieces of threads where possible.
    fn interleave(&mut self, kernel: &mut Kernel) {
        let own = |site: &&Site| site.kind == Owner::Thread;
        let allocated: Vec<(V, Prim)> =
            self.sites.iter().filter(own).map(|site| (site.handle, site.prim)).collect();
        let found = interleave::find(self.fun, kernel, &allocated);
        if found.is_empty() {
            return;
        }
        kernel.body =
            interleave::rewrite(self.fun, &kernel.body, &found, i64::from(kernel.threads));
        for site in &mut self.sites {
            if site.kind == Owner::Thread && found.contains(&site.handle) {
                site.kind = Owner::Interleaved;
            }
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
        let together = bin(BinOp::Mul, needed[2].clone(), threads);
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
        let bytes = self.host_value("arena_bytes", bin(BinOp::Mul, count, size.clone()));
        let arena = self.new_var("arena_mem", Ty::Mem);
        let ptr = self.new_var("arena", Ty::Ptr(Prim::U8));
        self.host.push(Stm::Declare(arena, None));
        self.host.push(Stm::Declare(ptr, None));
        self.host.push(Stm::Alloc(arena, Prim::U8, bytes));
        self.host.push(Stm::Point(ptr, From::Mem(arena), Exp::int(0)));
        let base = self.new_var("base", Ty::Ptr(Prim::U8));
        let at = bin(BinOp::Mul, number, size.clone());
        let begin = vec![Stm::Declare(base, None), Stm::Point(base, From::Ptr(ptr), at)];
        (arena, base, begin)
    }

    /// Lets a block do the work of several; returns the number of blocks that are launched.
    fn bound_blocks(&mut self, kernel: &mut Kernel) -> Exp {
        if matches!(kernel.blocks, Exp::Const(Scalar::I64(n)) if n <= MOST_BLOCKS) {
            return kernel.blocks.clone();
        }
        let blocks = self.host_value("blocks", kernel.blocks.clone());
        let launched =
            self.host_value("launched", bin(BinOp::Min, blocks.clone(), Exp::int(MOST_BLOCKS)));
        let own = self.new_var("own_block", Ty::Scalar(Prim::I64));
        let work = std::mem::replace(&mut kernel.block, own);
        let mut body = std::mem::take(&mut kernel.body);
        let mut has_barrier = false;
        each_stm(&body, &mut |stm| has_barrier |= matches!(stm, Stm::Barrier));
        if has_barrier {
            body.push(Stm::Barrier);
        }
        body.push(Stm::Assign(work, bin(BinOp::Add, Exp::Var(work), launched.clone())));
        let more = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::Var(work)), Box::new(blocks));
        kernel.body = vec![Stm::Declare(work, Some(Exp::Var(own))), Stm::While(more, body)];
        kernel.blocks = launched.clone();
        launched
    }

    /// The host does not know how much a thread needs.
    fn guessed_sizes(mut self, mut kernel: Kernel, local: &[V]) -> Block {
        let launched = self.bound_blocks(&mut kernel);
        let capacity = self.new_var("capacity", Ty::Scalar(Prim::I64));
        let short = self.new_var("short", Ty::Scalar(Prim::I32));
        let (flag_mem, flag) =
            (self.new_var("flag_mem", Ty::Mem), self.new_var("flag", Ty::Ptr(Prim::I32)));
        let before = std::mem::take(&mut self.host);
        let needed = [Exp::Var(capacity), Exp::Var(capacity), Exp::int(0)];
        let (arenas, bases, begin) = self.arenas(&kernel, &launched, &needed);
        // How much of them is in use.
        let cursors = [0, 1].map(|_| self.new_var("cursor", Ty::Scalar(Prim::I64)));
        let mut slots: Vec<Vec<(V, V)>> = Vec::new();
        let mut declared: Block =
            cursors.iter().map(|cursor| Stm::Declare(*cursor, Some(Exp::int(0)))).collect();
        let nowhere = self.new_var("nowhere", Ty::Ptr(Prim::U8));
        declared.push(Stm::Declare(nowhere, None));
        declared.push(Stm::Point(nowhere, From::Ptr(bases[0]), Exp::Var(capacity)));
        for number in 0..self.sites.len() {
            let pieces = self.sites[number].others.len() + 1;
            let mut own = Vec::with_capacity(pieces);
            for _ in 0..pieces {
                let (ptr, size) = (
                    self.new_var("piece", Ty::Ptr(Prim::U8)),
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
        let body = self.body(&body, &mut |this, number| {
            let kind = this.sites[number].kind as usize;
            this.take(number, &slots[number], (bases[kind], cursors[kind], capacity), flag)
        });
        kernel.body = begin;
        kernel.body.append(&mut declared);
        let mut rest = body;
        self.declare_pointers(local, Some(nowhere), &mut rest);
        kernel.body.append(&mut rest);
        kernel.hoist_shared(&self.fun.vars);
        // The host retries until all threads had enough.
        let zero = Exp::Const(Scalar::I32(0));
        let mut attempt = std::mem::replace(&mut self.host, before);
        attempt.extend([
            Stm::Declare(flag_mem, None),
            Stm::Declare(flag, None),
            Stm::Alloc(flag_mem, Prim::I32, Exp::int(1)),
            Stm::Point(flag, From::Mem(flag_mem), Exp::int(0)),
            self.clear(flag),
            Stm::Launch(Box::new(kernel)),
            Stm::Fetch(short, flag, Exp::int(0)),
            Stm::Assign(capacity, bin(BinOp::Mul, Exp::Var(capacity), Exp::int(8))),
        ]);
        attempt.extend(arenas.into_iter().map(Stm::Free));
        let is_short = Exp::Cmp(CmpOp::Lt, Prim::I32, Box::new(zero), Box::new(Exp::Var(short)));
        self.host.extend([
            Stm::Declare(capacity, Some(Exp::int(FIRST_BYTES))),
            Stm::Declare(short, Some(Exp::Const(Scalar::I32(1)))),
            Stm::While(is_short, attempt),
            Stm::Free(flag_mem),
        ]);
        self.host
    }

    /// A kernel that stores a zero.
    fn clear(&mut self, flag: V) -> Stm {
        let block = self.new_var("block", Ty::Scalar(Prim::I64));
        let thread = self.new_var("thread", Ty::Scalar(Prim::I64));
        let body = vec![Stm::Store(flag, Exp::int(0), Exp::Const(Scalar::I32(0)))];
        let (hint, place) = ("clear".into(), ecow::EcoString::new());
        Stm::Launch(Box::new(Kernel {
            hint,
            place,
            blocks: Exp::int(1),
            threads: 1,
            residents: 1,
            block,
            thread,
            by_block: false,
            shared: None,
            body,
        }))
    }

    /// An allocation whose size the thread computes: a piece that is free and large enough, or a new one.
    fn take(
        &mut self,
        number: usize,
        slots: &[(V, V)],
        (base, cursor, capacity): (V, V, V),
        flag: V,
    ) -> Block {
        let site = &self.sites[number];
        let (to, prim, count) = (self.pointers[&site.handle], site.prim, site.count.clone());
        let others: Vec<V> = site.others.iter().map(|other| self.pointers[other]).collect();
        let needed = self.new_var("needed", Ty::Scalar(Prim::I64));
        let mut out = vec![Stm::Declare(needed, Some(piece_bytes(count, prim)))];
        let mut chosen: Option<Block> = None;
        for (piece, room) in slots.iter().rev() {
            let end = bin(BinOp::Add, Exp::Var(cursor), Exp::Var(needed));
            let fits =
                Exp::Cmp(CmpOp::Le, Prim::I64, Box::new(end.clone()), Box::new(Exp::Var(capacity)));
            let one = Exp::Const(Scalar::I32(1));
            let enlarge = vec![
                Stm::If(fits, Block::new(), vec![Stm::Store(flag, Exp::int(0), one), Stm::Leave]),
                Stm::Point(*piece, From::Ptr(base), Exp::Var(cursor)),
                Stm::Assign(*room, Exp::Var(needed)),
                Stm::Assign(cursor, end),
            ];
            let is_small = Exp::Cmp(
                CmpOp::Lt,
                Prim::I64,
                Box::new(Exp::Var(*room)),
                Box::new(Exp::Var(needed)),
            );
            let use_it = vec![
                Stm::If(is_small, enlarge, Block::new()),
                Stm::Point(to, From::Ptr(*piece), Exp::int(0)),
            ];
            chosen = Some(match chosen {
                None => use_it,
                Some(next) => {
                    let probe = Stm::Point(*piece, From::Ptr(*piece), Exp::int(0));
                    vec![Stm::If(self.is_one_of(&probe, &others), next, use_it)]
                }
            });
        }
        out.extend(chosen.unwrap_or_default());
        out
    }
}

/// The handles that are allocated in sections.
fn allocated_in_sections(body: &[Stm]) -> FxHashSet<V> {
    let mut found = FxHashSet::default();
    each_stm(body, &mut |stm| {
        if let Stm::Section(section) = stm {
            each_stm(section, &mut |stm| {
                if let Stm::Alloc(handle, ..) = stm {
                    found.insert(*handle);
                }
            });
        }
    });
    found
}

/// All allocations in order, and whether they are in loops.
fn allocations(body: &[Stm], again: bool, found: &mut Vec<(V, Prim, Exp, bool)>) {
    for stm in body {
        if let Stm::Alloc(handle, prim, count) = stm {
            found.push((*handle, *prim, count.clone(), again));
        }
        let again = again || matches!(stm, Stm::For { .. } | Stm::While(..) | Stm::Exchange { .. });
        stm.each_block(&mut |inner| allocations(inner, again, found));
    }
}

/// The number of bytes of a piece with this many elements.
fn piece_bytes(count: Exp, prim: Prim) -> Exp {
    let bytes = bin(BinOp::Mul, count, Exp::int(i64::from(prim.bits() / 8)));
    let up = bin(BinOp::Add, bytes, Exp::int(ALIGNMENT - 1));
    bin(BinOp::And, up, Exp::int(-ALIGNMENT))
}

/// Which values of a kernel the host can compute.
struct Known<'a> {
    /// The scalars that a kernel declares, with their values, if they are never assigned.
    values: FxHashMap<V, Option<&'a Exp>>,
}

impl<'a> Known<'a> {
    fn new(kernel: &'a Kernel) -> Known<'a> {
        let mut values: FxHashMap<V, Option<&'a Exp>> = FxHashMap::default();
        values.extend([(kernel.block, None), (kernel.thread, None)]);
        let mut assigned: Vec<V> = Vec::new();
        each_stm(&kernel.body, &mut |stm| {
            stm.each_set(&mut |v| assigned.push(v));
            stm.each_declared(&mut |v| {
                values.insert(v, None);
            });
            if let Stm::Declare(v, Some(e)) = stm {
                values.insert(*v, Some(e));
            }
        });
        for v in assigned {
            values.insert(v, None);
        }
        Known { values }
    }

    /// The expression in terms of what is declared outside the kernel.
    fn value(&self, e: &Exp) -> Option<Exp> {
        if e.any(&|e| matches!(e, Exp::Load(..))) {
            return None;
        }
        let mut known = true;
        let result = substitute(e, &|v| {
            let inner = self.values.get(&v)?;
            inner.and_then(|inner| self.value(inner))
        });
        result.each_var(&mut |v| known &= !self.values.contains_key(&v));
        known.then_some(result)
    }
}
