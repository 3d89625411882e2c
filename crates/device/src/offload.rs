//! Elements that the host reads or writes.
//!
//! An element in an expression of the host is fetched. Consecutive stores, and branches and loops that contain neither
//! kernels nor anything else that only the host can do, are executed by a kernel with one thread; the scalars that they
//! assign are fetched. So a sequential loop over an array costs one kernel rather than a fetch for each element. A
//! branch that only loads a single element, like the last one of an array that may be empty, is the host's: it costs a
//! fetch either way.

use super::calls::closed;
use fehu_base::OrBug;
use fehu_imp::rewrite::{change_exps, replace};
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, From, Fun, Kernel, Prim, Stm, Ty, V, VarInfo};
use std::cell::RefCell;

/// The maximum number of stores in one kernel: their operands are its arguments.
const MOST_STORES: usize = 32;

/// Handles the code of a function outside kernels.
pub(super) fn offload(fun: &mut Fun) {
    let body = std::mem::take(&mut fun.body);
    fun.body = Offload { fun }.block(body);
}

struct Offload<'a> {
    fun: &'a mut Fun,
}

impl Offload<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Block::with_capacity(block.len());
        let mut stores = Block::new();
        for stm in block {
            let is_store = matches!(
                stm,
                Stm::Store(..) | Stm::Atomic(..) | Stm::Locked(..) | Stm::Exchange { .. }
            );
            if !is_store || stores.len() >= MOST_STORES {
                self.kernel(std::mem::take(&mut stores), &mut out);
            }
            if is_store {
                stores.push(stm);
            } else {
                self.stm(stm, &mut out);
            }
        }
        self.kernel(stores, &mut out);
        out
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "statements without blocks are all alike")]
    fn stm(&mut self, mut stm: Stm, out: &mut Block) {
        let has_blocks =
            matches!(stm, Stm::If(..) | Stm::Switch(..) | Stm::For { .. } | Stm::While(..));
        if has_blocks && !needs_host(&stm, self.fun) && touches_memory(&stm) && !is_one_load(&stm) {
            return self.kernel(vec![stm], out);
        }
        match &mut stm {
            Stm::Launch(_) => {}
            Stm::If(cond, yes, no) => {
                *cond = self.fetched(cond, out);
                *yes = self.block(std::mem::take(yes));
                *no = self.block(std::mem::take(no));
            }
            Stm::Switch(on, cases, default) => {
                *on = self.fetched(on, out);
                for (_, body) in cases {
                    *body = self.block(std::mem::take(body));
                }
                *default = self.block(std::mem::take(default));
            }
            Stm::For { from, to, body, .. } => {
                *from = self.fetched(from, out);
                *to = self.fetched(to, out);
                *body = self.block(std::mem::take(body));
            }
            // The conditions of loops are variables.
            Stm::While(_, body) => *body = self.block(std::mem::take(body)),
            Stm::Declare(v, Some(Exp::Load(p, at))) | Stm::Assign(v, Exp::Load(p, at)) => {
                let at = self.fetched(at, out);
                let (v, p) = (*v, *p);
                if let Stm::Declare(..) = stm {
                    out.push(Stm::Declare(v, None));
                }
                out.push(Stm::Fetch(v, p, at));
                return;
            }
            other => {
                let mut exps: Vec<Exp> = Vec::new();
                other.each_exp(&mut |e| exps.push(e.clone()));
                if exps.iter().any(loads) {
                    *other = self.with_fetched(other, out);
                }
            }
        }
        out.push(stm);
    }

    /// A statement without blocks whose expressions do not load.
    fn with_fetched(&mut self, stm: &Stm, out: &mut Block) -> Stm {
        let state = RefCell::new((self, out));
        let changed = change_exps(std::slice::from_ref(stm), &|e| {
            let (this, out) = &mut *state.borrow_mut();
            this.fetched(e, out)
        });
        changed.into_iter().next().or_bug("statement")
    }

    /// The expression with variables for what it loads.
    fn fetched(&mut self, e: &Exp, out: &mut Block) -> Exp {
        let found: RefCell<Vec<(V, V, Exp)>> = RefCell::new(Vec::new());
        let vars = RefCell::new(&mut self.fun.vars);
        let result = replace(e, &|e| {
            let Exp::Load(p, at) = e else { return None };
            let prim = elem(vars.borrow()[*p].ty);
            let info = VarInfo { hint: "element".into(), ty: Ty::Scalar(prim) };
            let v = vars.borrow_mut().push(info);
            found.borrow_mut().push((v, *p, (**at).clone()));
            Some(Exp::Var(v))
        });
        for (v, p, at) in found.into_inner() {
            let at = if loads(&at) { self.fetched(&at, out) } else { at };
            out.push(Stm::Declare(v, None));
            out.push(Stm::Fetch(v, p, at));
        }
        result
    }

    /// Statements that one thread of the device executes.
    fn kernel(&mut self, stms: Block, out: &mut Block) {
        if stms.is_empty() {
            return;
        }
        let (mut body, copies) = closed(stms, &mut self.fun.vars);
        let mut begin = Block::new();
        let mut fetches = Block::new();
        for (outer, inner) in copies {
            begin.push(Stm::Declare(inner, Some(Exp::Var(outer))));
            let prim = elem(self.fun.vars[outer].ty);
            let (handle, ptr) =
                (self.new_var("result_mem", Ty::Mem), self.new_var("result", Ty::ptr(prim)));
            out.push(Stm::Declare(handle, None));
            out.push(Stm::Declare(ptr, None));
            out.push(Stm::Alloc(handle, prim, Exp::int(1)));
            out.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
            body.push(Stm::Store(ptr, Exp::int(0), Exp::Var(inner)));
            fetches.push(Stm::Fetch(outer, ptr, Exp::int(0)));
            fetches.push(Stm::Free(handle));
        }
        begin.append(&mut body);
        out.push(Stm::Launch(Box::new(Kernel::alone("alone", &mut self.fun.vars, begin))));
        out.append(&mut fetches);
    }

    fn new_var(&mut self, hint: &str, ty: Ty) -> V {
        self.fun.vars.push(VarInfo { hint: hint.into(), ty })
    }
}

/// The type of the elements that a variable has or points to.
pub(super) fn elem(ty: Ty) -> Prim {
    match ty {
        Ty::Scalar(prim) | Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => prim,
        Ty::Mem => Prim::U8,
    }
}

fn loads(e: &Exp) -> bool {
    e.any(&|e| matches!(e, Exp::Load(..)))
}

/// Whether a statement contains something that only the host can do.
fn needs_host(stm: &Stm, fun: &Fun) -> bool {
    let mut found = false;
    each_stm(std::slice::from_ref(stm), &mut |stm| {
        found |= match stm {
            Stm::Launch(_)
            | Stm::Alloc(..)
            | Stm::Share(..)
            | Stm::Export { .. }
            | Stm::Free(_)
            | Stm::Call(..)
            | Stm::Const(..)
            | Stm::Trace(..)
            | Stm::TraceArray(..)
            | Stm::Tasks(_)
            | Stm::Chunks(..)
            | Stm::Threads(_)
            | Stm::Blocks(_)
            | Stm::Begin(_)
            | Stm::End
            | Stm::Copy { .. } => true,
            Stm::Foreign(call) => call.stream,
            Stm::Point(_, From::Mem(_), _) => true,
            Stm::Point(p, ..) => !matches!(fun.vars[*p].ty, Ty::Ptr(..)),
            Stm::Comment(_)
            | Stm::Declare(..)
            | Stm::Assign(..)
            | Stm::Store(..)
            | Stm::If(..)
            | Stm::Switch(..)
            | Stm::For { .. }
            | Stm::While(..)
            | Stm::Assert(..)
            | Stm::Atomic(..)
            | Stm::Locked(..)
            | Stm::Prefixes(..)
            | Stm::Tuning(..)
            | Stm::Fetch(..)
            | Stm::Ask(..)
            | Stm::Receive(_)
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Shuffle { .. }
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Arrive { .. }
            | Stm::Exchange { .. }
            | Stm::Guarded(..)
            | Stm::Leave
            | Stm::Section(_) => false,
        };
    });
    found || sets_outer_pointer(stm, fun)
}

/// A kernel cannot set pointers and handles that exist outside.
fn sets_outer_pointer(stm: &Stm, fun: &Fun) -> bool {
    let mut declared: Vec<V> = Vec::new();
    each_stm(std::slice::from_ref(stm), &mut |stm| stm.each_declared(&mut |v| declared.push(v)));
    let mut found = false;
    each_stm(std::slice::from_ref(stm), &mut |stm| {
        stm.each_set(&mut |v| {
            found |= !matches!(fun.vars[v].ty, Ty::Scalar(_)) && !declared.contains(&v);
        });
    });
    found
}

/// Whether a statement is a branch in which at most one element is loaded, and nothing else is done with memory.
fn is_one_load(stm: &Stm) -> bool {
    let Stm::If(cond, yes, no) = stm else { return false };
    let scalars = |stm: &Stm| matches!(stm, Stm::Comment(_) | Stm::Declare(..) | Stm::Assign(..));
    let one_load = |block: &Block| {
        let mut exps = Vec::new();
        block.iter().for_each(|stm| stm.each_exp(&mut |e| exps.push(e)));
        let is_element = |e: &Exp| matches!(e, Exp::Load(_, at) if !loads(at));
        let elements = exps.iter().filter(|e| is_element(e)).count();
        let loading = exps.iter().filter(|e| loads(e)).count();
        block.iter().all(scalars) && elements <= 1 && elements == loading
    };
    !loads(cond) && one_load(yes) && one_load(no)
}

fn touches_memory(stm: &Stm) -> bool {
    let mut found = false;
    each_stm(std::slice::from_ref(stm), &mut |stm| {
        found |= matches!(
            stm,
            Stm::Store(..) | Stm::Atomic(..) | Stm::Locked(..) | Stm::Exchange { .. }
        );
        stm.each_exp(&mut |e| found |= loads(e));
    });
    found
}
