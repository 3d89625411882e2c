//! A minimal evaluator for the tests of transformations: `i64`, `i32` and `bool`, memory as vectors.
//!
//! It fails on indices outside memory, on reads of uninitialised memory, and on checks that do not hold.

use fehu_base::IdVec;
use fehu_imp::{Block, Exp, From, Fun, Kind, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};
use rustc_hash::FxHashMap;

/// A function under test: variables by name.
pub(crate) struct Maker(pub(crate) IdVec<V, VarInfo>);

impl Maker {
    pub(crate) fn new() -> Maker {
        Maker(IdVec::default())
    }

    pub(crate) fn scalar(&mut self, hint: &str) -> V {
        self.0.push(VarInfo { hint: hint.into(), ty: Ty::Scalar(Prim::I64) })
    }

    pub(crate) fn truth(&mut self, hint: &str) -> V {
        self.0.push(VarInfo { hint: hint.into(), ty: Ty::Scalar(Prim::Bool) })
    }

    pub(crate) fn ptr(&mut self, hint: &str) -> V {
        self.0.push(VarInfo { hint: hint.into(), ty: Ty::Ptr(Prim::I64) })
    }

    pub(crate) fn fun(self, body: Block) -> Fun {
        Fun { name: "f".into(), vars: self.0, params: Vec::new(), results: Vec::new(), body }
    }
}

pub(crate) fn var(v: V) -> Exp {
    Exp::Var(v)
}

pub(crate) fn load(p: V, at: Exp) -> Exp {
    Exp::Load(p, Box::new(at))
}

/// `a * b + c`
pub(crate) fn at(a: V, b: V, c: V) -> Exp {
    Exp::Index(vec![(1, vec![a, b]), (1, vec![c])])
}

/// An independent loop from zero.
pub(crate) fn each(var: V, to: Exp, body: Block) -> Stm {
    let kind = Kind::Independent(Vec::new());
    Stm::For { var, from: Exp::int(0), to, step: 1, kind, body }
}

/// A program of one function.
pub(crate) fn program(fun: Fun) -> fehu_imp::Program {
    let mut program = fehu_imp::Program::default();
    program.funs.push(fun);
    program
}

/// The function of a program of one.
pub(crate) fn only(program: &fehu_imp::Program) -> &Fun {
    program.funs.iter().next().map(|(_, fun)| fun).expect("a function")
}

/// The state of an execution.
#[derive(Clone, Default)]
pub(crate) struct Machine {
    pub(crate) scalars: FxHashMap<V, i64>,
    /// The contents of pointers and handles; none where nothing was written.
    pub(crate) memory: FxHashMap<V, Vec<Option<i64>>>,
    /// How often a check was evaluated.
    pub(crate) checks: usize,
}

impl Machine {
    pub(crate) fn with(mut self, v: V, value: i64) -> Machine {
        self.scalars.insert(v, value);
        self
    }

    pub(crate) fn filled(mut self, v: V, values: impl IntoIterator<Item = i64>) -> Machine {
        self.memory.insert(v, values.into_iter().map(Some).collect());
        self
    }

    pub(crate) fn empty(mut self, v: V, size: usize) -> Machine {
        self.memory.insert(v, vec![None; size]);
        self
    }

    /// Executes a function; the message of the check that does not hold.
    pub(crate) fn run(&mut self, fun: &Fun) -> Result<(), String> {
        self.block(fun, &fun.body)
    }

    fn block(&mut self, fun: &Fun, block: &[Stm]) -> Result<(), String> {
        block.iter().try_for_each(|stm| self.stm(fun, stm))
    }

    fn stm(&mut self, fun: &Fun, stm: &Stm) -> Result<(), String> {
        match stm {
            Stm::Comment(_) => {}
            Stm::Declare(v, None) => {
                if let Ty::Local(_, n) = fun.vars[*v].ty {
                    self.memory.insert(*v, vec![None; n as usize]);
                }
            }
            Stm::Declare(v, Some(e)) | Stm::Assign(v, e) => {
                let value = self.exp(e);
                self.scalars.insert(*v, value);
            }
            Stm::Store(p, index, e) => {
                let (index, value) = (self.exp(index) as usize, self.exp(e));
                self.memory.get_mut(p).expect("memory")[index] = Some(value);
            }
            Stm::Alloc(v, _, size) => {
                let size = self.exp(size) as usize;
                self.memory.insert(*v, vec![None; size]);
            }
            // Whoever points to a whole block is its only user in these tests.
            Stm::Point(p, From::Mem(m), index) => {
                assert_eq!(self.exp(index), 0);
                let memory = self.memory[m].clone();
                self.memory.insert(*p, memory);
            }
            Stm::If(e, yes, no) => {
                let chosen = if self.exp(e) != 0 { yes } else { no };
                self.block(fun, chosen)?;
            }
            Stm::For { var, from, to, step, body, .. } => {
                let (mut x, to) = (self.exp(from), self.exp(to));
                while x < to {
                    self.scalars.insert(*var, x);
                    self.block(fun, body)?;
                    x += step;
                }
            }
            Stm::While(e, body) => {
                while self.exp(e) != 0 {
                    self.block(fun, body)?;
                }
            }
            Stm::Assert(e, message) => {
                self.checks += 1;
                if self.exp(e) == 0 {
                    return Err(format!("{:?}", message.trace));
                }
            }
            other => panic!("{other:?}"),
        }
        Ok(())
    }

    fn exp(&self, e: &Exp) -> i64 {
        match e {
            Exp::Const(Scalar::I64(value)) => *value,
            Exp::Const(Scalar::I32(value)) => i64::from(*value),
            Exp::Const(Scalar::Bool(value)) => i64::from(*value),
            Exp::Var(v) => self.scalars[v],
            Exp::Un(UnOp::Not, Prim::Bool, a) => 1 - self.exp(a),
            Exp::Bin(op, prim, a, b) => {
                let (a, b) = (self.exp(a), self.exp(b));
                let result = match op {
                    BinOp::Add => a.wrapping_add(b),
                    BinOp::Sub => a.wrapping_sub(b),
                    BinOp::Mul => a.wrapping_mul(b),
                    BinOp::Div => a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0),
                    BinOp::Mod => (a % b + b) % b,
                    BinOp::Min => a.min(b),
                    BinOp::Max => a.max(b),
                    BinOp::And => a & b,
                    BinOp::Or => a | b,
                    other => panic!("{other:?}"),
                };
                if *prim == Prim::I32 { i64::from(result as i32) } else { result }
            }
            Exp::Convert(Prim::I64, Prim::I32, a) => i64::from(self.exp(a) as i32),
            Exp::Convert(Prim::I32, Prim::I64, a) => self.exp(a),
            Exp::Cmp(op, _, a, b) => {
                let (a, b) = (self.exp(a), self.exp(b));
                i64::from(match op {
                    CmpOp::Eq => a == b,
                    CmpOp::Lt => a < b,
                    CmpOp::Le => a <= b,
                })
            }
            Exp::Index(terms) => terms
                .iter()
                .map(|(f, vars)| f * vars.iter().map(|v| self.scalars[v]).product::<i64>())
                .sum(),
            Exp::Load(p, index) => {
                self.memory[p][self.exp(index) as usize].expect("something was written here")
            }
            Exp::Select(parts) => {
                let [cond, yes, no] = &**parts;
                if self.exp(cond) != 0 { self.exp(yes) } else { self.exp(no) }
            }
            other => panic!("{other:?}"),
        }
    }
}
