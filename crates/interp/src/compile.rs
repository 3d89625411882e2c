//! From the IR to [`code`](crate::code): slots for variables, and the last use of every array.
//!
//! Bodies are walked backwards with the set of variables that are live. A variable that is not live
//! yet is used for the last time. Two things need care:
//!
//! - Branches: what one branch uses and another does not, the other gives up when it begins.
//! - Bodies that run many times (loops and lambdas): a variable from outside is used again in the
//!   next round, so its last use is the whole loop. Every variable has a level, the number of such
//!   bodies around its binding; only uses at that very level can be last ones.
//!
//! The work is linear in the size of the program: the set of live variables is one table with a log
//! of additions, which are undone between branches.

mod exp;
mod levels;
mod soac;

use crate::code::{Arg, Code, Instr, Lambda, Op, Program, Ret, Slot, Unit};
use ecow::EcoString;
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::{Atom, Body, Prog, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// Prepares a program for running.
pub(crate) fn compile(prog: &Prog) -> Program {
    let funs = prog.funs.iter().map(|(_, fun)| {
        let params: Vec<Var> = fun.params.iter().map(|param| param.var).collect();
        unit(&fun.name, &fun.vars, &params, &fun.body)
    });
    let consts = prog
        .consts
        .iter()
        .map(|(_, constant)| unit(&constant.name, &constant.vars, &[], &constant.body));
    Program { funs: funs.collect(), consts: consts.collect() }
}

fn unit(name: &EcoString, vars: &IdVec<Var, VarInfo>, params: &[Var], body: &Body) -> Unit {
    let mut compiler = Compiler {
        vars,
        levels: levels::levels(vars.len(), params, body),
        level: 0,
        live: vec![false; vars.len()],
        log: Vec::new(),
        slots: FxHashMap::default(),
        drops: Vec::new(),
        marks: vec![false; vars.len()],
    };
    let code = compiler.body(params, body);
    let params = params.iter().map(|&param| compiler.slot(param)).collect();
    Unit { name: name.clone(), slots: compiler.slots.len(), params, code }
}

struct Compiler<'p> {
    vars: &'p IdVec<Var, VarInfo>,
    /// For each variable, how many bodies that run many times are around its binding.
    levels: Vec<u32>,
    /// How many are around the present place.
    level: u32,
    live: Vec<bool>,
    /// The variables that became live, in this order.
    log: Vec<Var>,
    slots: FxHashMap<Var, Slot>,
    /// The arrays that are used for the last time by the present instruction, but not taken.
    drops: Vec<Slot>,
    /// For membership tests; all false in between.
    marks: Vec<bool>,
}

impl Compiler<'_> {
    /// Compiles a body whose parameters are bound at the present level.
    fn body(&mut self, params: &[Var], body: &Body) -> Code {
        let mut results: Vec<Arg> =
            body.results.iter().rev().map(|&atom| self.take(atom)).collect();
        results.reverse();
        let mut instrs: Vec<Instr> = body.stms.iter().rev().map(|stm| self.stm(stm)).collect();
        instrs.reverse();
        let mut drops = Vec::new();
        for &param in params {
            self.bind(param, &mut drops);
        }
        Code { drops, instrs, results }
    }

    fn stm(&mut self, stm: &Stm) -> Instr {
        let outer = std::mem::take(&mut self.drops);
        let mut drops = Vec::new();
        let pat = stm
            .pat
            .iter()
            .map(|&var| {
                self.bind(var, &mut drops);
                self.slot(var)
            })
            .collect();
        let op: Op = self.exp(&stm.exp, &stm.pat);
        drops.append(&mut self.drops);
        self.drops = outer;
        Instr { op, pat, drops, loc: stm.loc.as_ref().map(|loc| loc.0.clone()) }
    }

    /// Passes the binding of a variable; if nothing uses it, it is given up at once.
    fn bind(&mut self, var: Var, drops: &mut Vec<Slot>) {
        let live = self.live.get_mut(var.index()).map(std::mem::take).unwrap_or(false);
        if !live && self.is_array(var) {
            drops.push(self.slot(var));
        }
    }

    /// A use that hands the value on. Operands of one instruction are passed in reverse order of
    /// their evaluation, after those that are only read.
    fn take(&mut self, atom: Atom) -> Arg {
        match atom {
            Atom::Const(scalar) => Arg::Const(scalar),
            Atom::Var(var) => {
                if self.is_last(var) {
                    Arg::Last(self.slot(var))
                } else {
                    Arg::Slot(self.slot(var))
                }
            }
        }
    }

    /// A use that leaves the value where it is.
    fn read(&mut self, atom: Atom) -> Arg {
        match atom {
            Atom::Const(scalar) => Arg::Const(scalar),
            Atom::Var(var) => Arg::Slot(self.read_var(var)),
        }
    }

    fn read_all(&mut self, atoms: &[Atom]) -> Vec<Arg> {
        atoms.iter().map(|&atom| self.read(atom)).collect()
    }

    fn read_var(&mut self, var: Var) -> Slot {
        let slot = self.slot(var);
        if self.is_last(var) {
            self.drops.push(slot);
        }
        slot
    }

    fn read_vars(&mut self, vars: &[Var]) -> Vec<Slot> {
        vars.iter().map(|&var| self.read_var(var)).collect()
    }

    /// Makes a variable live. Says whether it is an array that is used here for the last time.
    fn is_last(&mut self, var: Var) -> bool {
        self.make_live(var) && self.dies_here(var)
    }

    fn make_live(&mut self, var: Var) -> bool {
        match self.live.get_mut(var.index()) {
            Some(live) if !*live => {
                *live = true;
                self.log.push(var);
                true
            }
            Some(_) | None => false,
        }
    }

    /// Whether the variable is an array that was bound at the present level.
    fn dies_here(&self, var: Var) -> bool {
        self.is_array(var) && self.levels.get(var.index()) == Some(&self.level)
    }

    fn is_array(&self, var: Var) -> bool {
        self.vars.get(var).is_some_and(|info| info.ty.is_array())
    }

    fn slot(&mut self, var: Var) -> Slot {
        let next = self.slots.len() as Slot;
        *self.slots.entry(var).or_insert(next)
    }

    /// A body that may run many times. The arrays from here that it uses for the last time are given
    /// up after the present instruction.
    fn repeated(&mut self, params: &[Var], body: &Body) -> Code {
        let start = self.log.len();
        self.level += 1;
        let code = self.body(params, body);
        self.level -= 1;
        for i in start..self.log.len() {
            let var = self.log[i];
            if self.live[var.index()] && self.dies_here(var) {
                let slot = self.slot(var);
                self.drops.push(slot);
            }
        }
        code
    }

    /// Bodies of which one runs. What the others use for the last time is given up in each.
    fn branches<'b>(&mut self, bodies: impl IntoIterator<Item = &'b Body>) -> Vec<Code> {
        let start = self.log.len();
        let mut codes = Vec::new();
        let mut uses: Vec<Vec<Var>> = Vec::new();
        for body in bodies {
            codes.push(self.body(&[], body));
            let used: Vec<Var> = self.log.drain(start..).filter(|v| self.live[v.index()]).collect();
            for var in &used {
                self.live[var.index()] = false;
            }
            uses.push(used);
        }
        for used in &uses {
            for &var in used {
                self.make_live(var);
            }
        }
        let all: Vec<Var> =
            self.log[start..].iter().copied().filter(|&var| self.dies_here(var)).collect();
        for (code, used) in codes.iter_mut().zip(&uses) {
            used.iter().for_each(|var| self.marks[var.index()] = true);
            let unused = all.iter().filter(|var| !self.marks[var.index()]);
            code.drops = unused.map(|&var| self.slots[&var]).collect();
            used.iter().for_each(|var| self.marks[var.index()] = false);
        }
        codes
    }

    /// A function of an array operator.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other operators have no shortcut")]
    fn lambda(&mut self, lambda: &fehu_ir::Lambda) -> Lambda {
        let code = self.repeated(&lambda.params, &lambda.body);
        let params: Vec<Slot> = lambda.params.iter().map(|&param| self.slot(param)).collect();
        let ret = lambda.ret.iter().map(|ty| self.ret(ty)).collect();
        let bin = match (&code.instrs[..], &code.results[..], &params[..]) {
            ([instr], [Arg::Slot(result)], [a, b]) => match &instr.op {
                Op::Bin(op, Arg::Slot(x), Arg::Slot(y))
                    if instr.pat == [*result] && x == a && y == b =>
                {
                    Some(*op)
                }
                _ => None,
            },
            _ => None,
        };
        Lambda { params, code, ret, bin }
    }

    fn ret(&mut self, ty: &Type) -> Ret {
        match ty {
            Type::Scalar(elem) => Ret::Data(*elem, Vec::new()),
            Type::Array(elem, shape) => Ret::Data(*elem, self.read_all(shape)),
            Type::Acc(_) => Ret::Acc,
        }
    }
}
