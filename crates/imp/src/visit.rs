//! Traversals of expressions and statements, and what follows from them: which variables a block needs and sets.
//!
//! There is one place that knows what a statement consists of ([`Stm::each_item`], and the same for changes); all other
//! traversals are made of it.
//!
//! A variable is declared in one place of its function, so "free" means: used inside, and not declared inside.

use crate::{Arg, Block, Exp, From, Kind, Out, Part, Stm, V};
use rustc_hash::FxHashSet;

/// The variables that a block uses or sets and that are declared outside it, in the order of their first occurrence.
pub fn free_vars(block: &[Stm]) -> Vec<V> {
    let mut declared = FxHashSet::default();
    each_stm(block, &mut |stm| {
        stm.each_declared(&mut |v| {
            declared.insert(v);
        })
    });
    let mut free = Vec::new();
    let mut seen = FxHashSet::default();
    each_stm(block, &mut |stm| {
        let mut note = |v| {
            if !declared.contains(&v) && seen.insert(v) {
                free.push(v);
            }
        };
        stm.each_used(&mut note);
        stm.each_set(&mut note);
    });
    free
}

/// The variables that a block sets, at any depth: assigned or declared.
pub fn set_vars(block: &[Stm]) -> FxHashSet<V> {
    let mut set = FxHashSet::default();
    each_stm(block, &mut |stm| {
        stm.each_set(&mut |v| {
            set.insert(v);
        });
        stm.each_declared(&mut |v| {
            set.insert(v);
        });
    });
    set
}

/// All statements of a block, at any depth; each before those inside it.
pub fn each_stm<'a>(block: &'a [Stm], visit: &mut dyn FnMut(&'a Stm)) {
    for stm in block {
        visit(stm);
        stm.each_block(&mut |inner| each_stm(inner, visit));
    }
}

/// What a statement itself consists of: `B` is a reference to a block, `E` to an expression, `R` to a variable.
#[derive(Debug)]
pub enum Item<B, E, R> {
    /// A block inside it.
    Block(B),
    /// An expression.
    Exp(E),
    /// A variable whose value it uses, also one that it reads or writes memory through.
    Use(R),
    /// A variable that it gives a value to.
    Set(R),
    /// A variable whose value it uses, and that it gives another one to.
    Update(R),
    /// A variable that it declares: for the rest of its block, or for the block inside it.
    Declare(R),
}

/// Writes a traversal twice: for reading, and for changes.
macro_rules! traversals {
    ($items:ident, $children:ident, $amounts:ident, $iter:ident, ($($mutable:tt)?)) => {
        impl Exp {
            /// The expressions directly inside this one.
            pub fn $children<'a>(
                &'a $($mutable)? self,
                visit: &mut dyn FnMut(&'a $($mutable)? Exp),
            ) {
                match self {
                    Exp::Const(_) | Exp::Var(_) | Exp::Index(_) => {}
                    Exp::Un(_, _, a)
                    | Exp::Convert(_, _, a)
                    | Exp::Reinterpret(_, _, a)
                    | Exp::Load(_, a) => visit(a),
                    Exp::Bin(_, _, a, b) | Exp::Cmp(_, _, a, b) => {
                        visit(a);
                        visit(b);
                    }
                    Exp::Math(_, _, args) => args.$iter().for_each(visit),
                    Exp::Select(parts) => parts.$iter().for_each(visit),
                }
            }
        }

        impl Stm {
            /// What this statement itself consists of, without what is in the blocks inside it.
            #[allow(clippy::type_complexity, reason = "the type is written once")]
            pub fn $items<'a>(
                &'a $($mutable)? self,
                visit: &mut dyn FnMut(
                    Item<&'a $($mutable)? Block, &'a $($mutable)? Exp, &'a $($mutable)? V>,
                ),
            ) {
                match self {
                    Stm::Comment(_) | Stm::End | Stm::Barrier | Stm::WarpBarrier | Stm::Leave => {}
                    Stm::Begin(work) => work.parts.$iter().for_each(|part| {
                        part.$amounts().into_iter().for_each(|e| visit(Item::Exp(e)));
                    }),
                    Stm::Declare(v, e) => {
                        visit(Item::Declare(v));
                        e.$iter().for_each(|e| visit(Item::Exp(e)));
                    }
                    Stm::Assign(v, e)
                    | Stm::Alloc(v, _, e)
                    | Stm::Chunks(v, _, e)
                    | Stm::Tuning(v, _, e)
                    | Stm::Point(v, From::Shared, e) => {
                        visit(Item::Set(v));
                        visit(Item::Exp(e));
                    }
                    Stm::Point(v, From::Mem(p) | From::Ptr(p), e)
                    | Stm::Fetch(v, p, e)
                    | Stm::Poll(v, p, e)
                    | Stm::Count(v, p, e) => {
                        visit(Item::Set(v));
                        visit(Item::Use(p));
                        visit(Item::Exp(e));
                    }
                    Stm::Shuffle { to, by: e, of, .. } | Stm::Arrive { last: to, counter: e, of } => {
                        visit(Item::Set(to));
                        visit(Item::Exp(e));
                        visit(Item::Exp(of));
                    }
                    Stm::Store(p, index, e) | Stm::Atomic(_, p, index, e) => {
                        visit(Item::Use(p));
                        visit(Item::Exp(index));
                        visit(Item::Exp(e));
                    }
                    Stm::Share(to, from) => {
                        visit(Item::Set(to));
                        visit(Item::Use(from));
                    }
                    Stm::Export { to, block, ptr, index } => {
                        visit(Item::Set(to));
                        block.$iter().for_each(|v| visit(Item::Use(v)));
                        visit(Item::Use(ptr));
                        visit(Item::Exp(index));
                    }
                    Stm::Free(v) => visit(Item::Update(v)),
                    Stm::Copy { to, from, count } => {
                        visit(Item::Use(& $($mutable)? to.0));
                        visit(Item::Exp(& $($mutable)? to.1));
                        visit(Item::Use(& $($mutable)? from.0));
                        visit(Item::Exp(& $($mutable)? from.1));
                        visit(Item::Exp(count));
                    }
                    Stm::If(e, yes, no) => {
                        visit(Item::Exp(e));
                        visit(Item::Block(yes));
                        visit(Item::Block(no));
                    }
                    Stm::Switch(e, cases, default) => {
                        visit(Item::Exp(e));
                        cases.$iter().for_each(|(_, block)| visit(Item::Block(block)));
                        visit(Item::Block(default));
                    }
                    Stm::For { var, from, to, step: _, kind, body } => {
                        visit(Item::Declare(var));
                        visit(Item::Exp(from));
                        visit(Item::Exp(to));
                        match kind {
                            Kind::Sequential | Kind::Few | Kind::Tiles(..) => {}
                            Kind::Independent(reductions) | Kind::Lanes(reductions, _) => {
                                reductions.$iter().for_each(|(v, _)| visit(Item::Use(v)));
                            }
                        }
                        visit(Item::Block(body));
                    }
                    Stm::While(e, body) | Stm::Locked(e, body) => {
                        visit(Item::Exp(e));
                        visit(Item::Block(body));
                    }
                    Stm::Call(_, results, args) => {
                        results.$iter().for_each(|v| visit(Item::Set(v)));
                        args.$iter().for_each(|arg| match arg {
                            Arg::Scalar(e) => visit(Item::Exp(e)),
                            Arg::Mem { block, ptr, index } => {
                                block.$iter().for_each(|v| visit(Item::Use(v)));
                                visit(Item::Use(ptr));
                                visit(Item::Exp(index));
                            }
                        });
                    }
                    Stm::Foreign(call) => {
                        let call = & $($mutable)? **call;
                        call.status.$iter().for_each(|v| visit(Item::Set(v)));
                        call.results.$iter().for_each(|out| match out {
                            Out::Scalar(v) => visit(Item::Set(v)),
                            Out::Elements(v) => visit(Item::Use(v)),
                        });
                        call.args.$iter().for_each(|arg| match arg {
                            Arg::Scalar(e) => visit(Item::Exp(e)),
                            Arg::Mem { block, ptr, index } => {
                                block.$iter().for_each(|v| visit(Item::Use(v)));
                                visit(Item::Use(ptr));
                                visit(Item::Exp(index));
                            }
                        });
                    }
                    Stm::Const(_, results) => {
                        results.$iter().for_each(|(_, v)| visit(Item::Set(v)));
                    }
                    Stm::Assert(e, message) => {
                        visit(Item::Exp(e));
                        message.parts.$iter().for_each(|part| match part {
                            Part::Value(e, _) => visit(Item::Exp(e)),
                            Part::Text(_) => {}
                        });
                    }
                    Stm::Trace(_, e, _) => visit(Item::Exp(e)),
                    Stm::TraceArray(_, p, shape) => {
                        visit(Item::Use(p));
                        shape.$iter().for_each(|e| visit(Item::Exp(e)));
                    }
                    Stm::Prefixes(_, array, sum) => {
                        visit(Item::Use(array));
                        visit(Item::Update(sum));
                    }
                    Stm::Threads(v) | Stm::Blocks(v) | Stm::Receive(v) => visit(Item::Set(v)),
                    Stm::Ask(p, index) => {
                        visit(Item::Use(p));
                        visit(Item::Exp(index));
                    }
                    Stm::Tasks(tasks) => {
                        visit(Item::Declare(& $($mutable)? tasks.low));
                        visit(Item::Declare(& $($mutable)? tasks.high));
                        visit(Item::Declare(& $($mutable)? tasks.chunk));
                        tasks.chunks.$iter().for_each(|v| visit(Item::Use(v)));
                        visit(Item::Exp(& $($mutable)? tasks.total));
                        visit(Item::Block(& $($mutable)? tasks.body));
                    }
                    Stm::Launch(kernel) => {
                        visit(Item::Declare(& $($mutable)? kernel.block));
                        visit(Item::Declare(& $($mutable)? kernel.thread));
                        visit(Item::Exp(& $($mutable)? kernel.blocks));
                        kernel.shared.$iter().for_each(|e| visit(Item::Exp(e)));
                        kernel.changes.$iter().for_each(|extent| {
                            visit(Item::Use(& $($mutable)? extent.ptr));
                            visit(Item::Exp(& $($mutable)? extent.first));
                            visit(Item::Exp(& $($mutable)? extent.count));
                        });
                        kernel.read_only.$iter().for_each(|ptr| visit(Item::Use(ptr)));
                        visit(Item::Block(& $($mutable)? kernel.body));
                    }
                    Stm::Exchange { ptr, index, old, body, new } => {
                        visit(Item::Declare(old));
                        visit(Item::Use(ptr));
                        visit(Item::Exp(index));
                        visit(Item::Block(body));
                        visit(Item::Exp(new));
                    }
                    Stm::Guarded(p, e, body) => {
                        visit(Item::Use(p));
                        visit(Item::Exp(e));
                        visit(Item::Block(body));
                    }
                    Stm::Warp(body) | Stm::Section(body) => visit(Item::Block(body)),
                }
            }
        }
    };
}

traversals!(each_item, each_child, amounts, iter, ());
traversals!(each_item_mut, each_child_mut, amounts_mut, iter_mut, (mut));

impl Exp {
    /// The variables of this expression, as often as they occur: scalars, and what is loaded from.
    pub fn each_var(&self, visit: &mut dyn FnMut(V)) {
        match self {
            Exp::Var(v) | Exp::Load(v, _) => visit(*v),
            Exp::Index(terms) => {
                terms.iter().flat_map(|(_, vars)| vars).for_each(|&v| visit(v));
            }
            Exp::Const(_)
            | Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Select(_) => {}
        }
        self.each_child(&mut |child| child.each_var(visit));
    }

    /// The same for changes: unlike a substitution, this keeps the form of the expression.
    pub fn each_var_mut(&mut self, visit: &mut dyn FnMut(&mut V)) {
        match self {
            Exp::Var(v) | Exp::Load(v, _) => visit(v),
            Exp::Index(terms) => {
                terms.iter_mut().flat_map(|(_, vars)| vars).for_each(&mut *visit);
            }
            Exp::Const(_)
            | Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Select(_) => {}
        }
        self.each_child_mut(&mut |child| child.each_var_mut(visit));
    }

    /// Whether this expression or one inside it satisfies a condition.
    pub fn any(&self, holds: &dyn Fn(&Exp) -> bool) -> bool {
        let mut found = holds(self);
        self.each_child(&mut |child| found = found || child.any(holds));
        found
    }

    /// Whether the value depends on a variable.
    pub fn mentions(&self, var: V) -> bool {
        let mut found = false;
        self.each_var(&mut |v| found |= v == var);
        found
    }
}

impl Stm {
    /// The blocks directly inside this statement.
    pub fn each_block<'a>(&'a self, visit: &mut dyn FnMut(&'a Block)) {
        self.each_item(&mut |item| {
            if let Item::Block(block) = item {
                visit(block);
            }
        });
    }

    /// The same for changes.
    pub fn each_block_mut<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut Block)) {
        self.each_item_mut(&mut |item| {
            if let Item::Block(block) = item {
                visit(block);
            }
        });
    }

    /// The expressions of this statement itself, without those of the blocks inside it.
    pub fn each_exp<'a>(&'a self, visit: &mut dyn FnMut(&'a Exp)) {
        self.each_item(&mut |item| {
            if let Item::Exp(e) = item {
                visit(e);
            }
        });
    }

    /// The variables whose value this statement itself uses, also those that it reads or writes memory through, and
    /// those in its expressions, which come last.
    pub fn each_used(&self, visit: &mut dyn FnMut(V)) {
        self.each_item(&mut |item| {
            if let Item::Use(v) | Item::Update(v) = item {
                visit(*v);
            }
        });
        self.each_exp(&mut |e| e.each_var(visit));
    }

    /// The variables that this statement itself gives a value to without declaring them.
    pub fn each_set(&self, visit: &mut dyn FnMut(V)) {
        self.each_item(&mut |item| {
            if let Item::Set(v) | Item::Update(v) = item {
                visit(*v);
            }
        });
    }

    /// The variables that this statement itself declares: for the rest of its block, or for the block inside it.
    pub fn each_declared(&self, visit: &mut dyn FnMut(V)) {
        self.each_item(&mut |item| {
            if let Item::Declare(v) = item {
                visit(*v);
            }
        });
    }
}
