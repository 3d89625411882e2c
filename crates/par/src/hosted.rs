//! Functions that cannot become part of kernels, and so are called by the host only.
//!
//! Kernels contain the functions that they call, or call functions of the device (`fehu-device`). Neither is possible for a
//! function that comes to call itself: devices have little stack, and OpenCL forbids it. A function of the device gets its memory
//! from its caller, who must know how much; one for which that is not known is copied into kernels, which gets out of hand where
//! such functions call others several times at each of many levels: twelve functions that call each other twice are four thousand
//! bodies. Foreign functions that get addresses in the memory of the device are called by the host as well.

use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir as ir;
use rustc_hash::FxHashSet;

/// How many statements a call may bring into a kernel: some megabytes of C, which compilers for devices already need minutes
/// for. All benchmarks that were tried stay below.
const MOST: usize = 50_000;

/// The functions that are called by the host only.
pub fn hosted(prog: &ir::Prog) -> FxHashSet<ir::FunId> {
    let mut whole = Whole { prog, done: vec![Done::No; prog.funs.len()] };
    let ids: Vec<ir::FunId> = prog.funs.iter().map(|(id, _)| id).collect();
    ids.into_iter().filter(|id| whole.look(*id).size > MOST).collect()
}

/// Whether an expression calls one of these functions.
pub(crate) fn calls_any(exp: &ir::Exp, funs: &FxHashSet<ir::FunId>) -> bool {
    let mut found = matches!(exp, ir::Exp::Call(fun, _) if funs.contains(fun));
    exp.for_each_body(&mut |body| found = found || body_calls_any(body, funs));
    found
}

/// Whether a body calls one of these functions.
pub(crate) fn body_calls_any(body: &ir::Body, funs: &FxHashSet<ir::FunId>) -> bool {
    body.stms.iter().any(|stm| calls_any(&stm.exp, funs))
}

/// How far a function is known.
#[derive(Clone, Copy)]
enum Done {
    No,
    /// Who asks now is called by the function.
    Begun,
    Yes(Looks),
}

/// What matters about a function.
#[derive(Clone, Copy)]
struct Looks {
    /// The number of statements that it brings into a kernel where it is copied.
    size: usize,
    memory: Memory,
}

/// From what the caller of a function can know how much memory it needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    /// It always needs as much, or none.
    Fixed,
    /// From the arguments.
    Arguments,
    /// From nothing.
    Unknown,
}

struct Whole<'a> {
    prog: &'a ir::Prog,
    done: Vec<Done>,
}

impl Whole<'_> {
    /// What matters about a function, with everything that it calls; its size is without end if it calls itself. Functions call
    /// earlier ones or themselves, so this goes as deep as calls do.
    fn look(&mut self, id: ir::FunId) -> Looks {
        match self.done[id.index()] {
            Done::Yes(looks) => return looks,
            Done::Begun => return Looks { size: usize::MAX, memory: Memory::Unknown },
            Done::No => {}
        }
        let fun = &self.prog.funs[id];
        if fun.foreign.is_some() {
            let size = if fun.is_for_host() { usize::MAX } else { 1 };
            return Looks { size, memory: Memory::Fixed };
        }
        self.done[id.index()] = Done::Begun;
        let known = fun.params.iter().map(|param| param.var).collect();
        let mut body = Look {
            whole: self,
            vars: &fun.vars,
            known,
            looks: Looks { size: 0, memory: Memory::Fixed },
        };
        body.body(&fun.body);
        let looks = body.looks;
        self.done[id.index()] = Done::Yes(looks);
        looks
    }
}

/// A look at the body of a function.
struct Look<'a, 'b> {
    whole: &'b mut Whole<'a>,
    vars: &'a IdVec<ir::Var, ir::VarInfo>,
    /// The variables that callers can compute.
    known: FxHashSet<ir::Var>,
    looks: Looks,
}

impl Look<'_, '_> {
    fn body(&mut self, body: &ir::Body) {
        for stm in &body.stms {
            self.add(1);
            self.stm(stm);
            stm.exp.for_each_body(&mut |inner| self.body(inner));
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "of other expressions nothing is known")]
    fn stm(&mut self, stm: &ir::Stm) {
        match &stm.exp {
            ir::Exp::Call(fun, args) => {
                let callee = self.whole.look(*fun);
                let memory = match callee.memory {
                    Memory::Fixed => Memory::Fixed,
                    Memory::Arguments => {
                        args.iter().map(|arg| self.of(arg)).max().unwrap_or(Memory::Fixed)
                    }
                    Memory::Unknown => Memory::Unknown,
                };
                // One that can be called is a single statement.
                let is_copied = callee.memory == Memory::Unknown || callee.size > MOST;
                self.add(if is_copied { callee.size } else { 0 });
                self.looks.memory = self.looks.memory.max(memory);
                return;
            }
            ir::Exp::Atom(a) | ir::Exp::UnOp(_, a) | ir::Exp::Convert(_, a) => {
                self.scalar(&stm.pat, &[*a]);
            }
            ir::Exp::BinOp(_, a, b) => self.scalar(&stm.pat, &[*a, *b]),
            _ => {}
        }
        for var in &stm.pat {
            let shape = self.vars[*var].ty.shape();
            let memory = shape.iter().map(|size| self.of(size)).max().unwrap_or(Memory::Fixed);
            self.looks.memory = self.looks.memory.max(memory);
        }
    }

    /// Notes what is computed from what is known.
    fn scalar(&mut self, pat: &[ir::Var], operands: &[ir::Atom]) {
        if operands.iter().all(|operand| self.of(operand) != Memory::Unknown) {
            self.known.extend(pat);
        }
    }

    fn of(&self, atom: &ir::Atom) -> Memory {
        match atom {
            ir::Atom::Const(_) => Memory::Fixed,
            ir::Atom::Var(var) if self.known.contains(var) => Memory::Arguments,
            // Arrays and certificates say nothing about sizes.
            ir::Atom::Var(var) => match self.vars[*var].ty {
                ir::Type::Scalar(ir::Elem::Prim(_)) => Memory::Unknown,
                ir::Type::Scalar(ir::Elem::Unit) | ir::Type::Array(..) | ir::Type::Acc(_) => {
                    Memory::Fixed
                }
            },
        }
    }

    fn add(&mut self, statements: usize) {
        self.looks.size = self.looks.size.saturating_add(statements);
    }
}
