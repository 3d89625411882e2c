//! The program being built: functions under construction and their open bodies.

use crate::capture::{self, Captured};
use fehu_base::{IdVec, OrBug, Prim};
use fehu_ir::{
    Atom, BinOp, Body, Check, CheckPart, CmpOp, Exp, Loc, Scalar, Stm, Type, Var, VarInfo,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A function or constant under construction, and the functions under construction inside it.
///
/// Functions inside, made for closures, use the variables of those around them. All have one
/// numbering: what is smaller than the first variable of a function comes from outside.
pub(crate) struct Building {
    vars: Vec<Known>,
    /// The open bodies, innermost last.
    open: Vec<Vec<Stm>>,
    /// The functions inside, innermost last: the first variable, and how many bodies were open.
    inner: Vec<(u32, usize)>,
    /// What all functions of the program have in common.
    common: Common,
}

/// What all functions under construction have in common.
#[derive(Clone, Default)]
pub(crate) struct Common {
    /// The number of the next variable of the whole program.
    pub(crate) serial: Rc<Cell<u64>>,
    /// The place of the expression that is being evaluated, if every statement is to have one.
    pub(crate) here: Rc<RefCell<Option<Loc>>>,
}

/// What is known of a variable under construction.
struct Known {
    info: VarInfo,
    /// How many bodies were open when it was bound.
    depth: u32,
    /// Tells it from all other variables of the program, those of finished functions included.
    stamp: u64,
}

/// A function inside another that is finished.
pub(crate) struct Finished {
    pub(crate) vars: IdVec<Var, VarInfo>,
    pub(crate) body: Body,
    pub(crate) captured: Captured,
}

/// The state of an emission: what statements get attached.
#[derive(Default)]
pub(crate) struct Attach {
    pub(crate) certs: Vec<Var>,
    pub(crate) attrs: Vec<fehu_ir::Attr>,
    pub(crate) loc: Option<Loc>,
}

impl Building {
    pub(crate) fn new(common: &Common) -> Building {
        Building {
            vars: Vec::new(),
            open: vec![Vec::new()],
            inner: Vec::new(),
            common: common.clone(),
        }
    }

    /// The variables and the body, whose results are given.
    pub(crate) fn finish(mut self, results: Vec<Atom>) -> (IdVec<Var, VarInfo>, Body) {
        let body = self.close(results);
        let mut vars = IdVec::new();
        for known in self.vars {
            vars.push(known.info);
        }
        (vars, body)
    }

    /// Begins a function inside.
    pub(crate) fn enter(&mut self) {
        self.inner.push((self.next_var(), self.open.len()));
        self.open.push(Vec::new());
    }

    /// Ends the innermost function.
    pub(crate) fn leave(&mut self, results: Vec<Atom>) -> Finished {
        let body = self.close(results);
        let (first, open) = self.inner.pop().or_bug("function inside");
        self.open.truncate(open);
        let own = self.vars.split_off(first as usize);
        let mut vars = IdVec::new();
        for known in own {
            vars.push(known.info);
        }
        let captured = capture::find(first, &body, &vars, |var| {
            let known = &self.vars[var.0 as usize];
            (known.info.clone(), known.stamp)
        });
        Finished { vars, body, captured }
    }

    /// Gives up the innermost function.
    pub(crate) fn abandon(&mut self) {
        let (first, open) = self.inner.pop().or_bug("function inside");
        self.open.truncate(open);
        self.vars.truncate(first as usize);
    }

    /// How many functions are under construction inside.
    pub(crate) fn levels(&self) -> usize {
        self.inner.len()
    }

    /// Whether the variable belongs to a function around the innermost one.
    pub(crate) fn is_outer(&self, var: Var) -> bool {
        self.inner.last().is_some_and(|(first, _)| var.0 < *first)
    }

    /// What tells a variable from all others.
    pub(crate) fn stamp(&self, var: Var) -> u64 {
        self.vars[var.0 as usize].stamp
    }

    /// A new variable, bound at the current depth.
    pub(crate) fn var(&mut self, hint: &str, ty: Type) -> Var {
        let stamp = self.common.serial.get();
        self.common.serial.set(stamp + 1);
        let var = Var(self.next_var());
        let info = VarInfo { hint: hint.into(), ty };
        self.vars.push(Known { info, depth: self.depth(), stamp });
        var
    }

    /// The index of the next variable.
    pub(crate) fn next_var(&self) -> u32 {
        self.vars.len() as u32
    }

    pub(crate) fn depth(&self) -> u32 {
        self.open.len() as u32
    }

    /// Whether the operand was bound outside of the bodies opened since `depth`.
    pub(crate) fn known_at(&self, atom: Atom, depth: u32) -> bool {
        match atom {
            Atom::Const(_) => true,
            Atom::Var(var) => self.vars[var.0 as usize].depth <= depth,
        }
    }

    pub(crate) fn open(&mut self) {
        self.open.push(Vec::new());
    }

    /// Closes the innermost body.
    pub(crate) fn close(&mut self, results: Vec<Atom>) -> Body {
        let stms = self.open.pop().or_bug("open body");
        Body { stms, results }
    }

    pub(crate) fn push(&mut self, mut stm: Stm) {
        if stm.loc.is_none() {
            stm.loc.clone_from(&self.common.here.borrow());
        }
        self.open.last_mut().or_bug("open body").push(stm);
    }

    /// Where the next statement will be.
    pub(crate) fn position(&self) -> usize {
        self.open.last().or_bug("open body").len()
    }

    /// Removes a statement of the open body, whose results nobody uses.
    pub(crate) fn remove(&mut self, position: usize) {
        self.open.last_mut().or_bug("open body").remove(position);
    }

    /// Binds the results of an expression to new variables.
    pub(crate) fn emit(&mut self, exp: Exp, types: Vec<(&str, Type)>, with: Attach) -> Vec<Var> {
        let pat: Vec<Var> = types.into_iter().map(|(hint, ty)| self.var(hint, ty)).collect();
        self.push(Stm {
            pat: pat.clone(),
            certs: with.certs,
            attrs: with.attrs,
            loc: with.loc,
            exp,
        });
        pat
    }

    /// Binds the one result of an expression.
    pub(crate) fn one(&mut self, hint: &str, ty: Type, exp: Exp) -> Atom {
        Atom::Var(self.emit(exp, vec![(hint, ty)], Attach::default())[0])
    }

    pub(crate) fn type_of(&self, var: Var) -> &Type {
        &self.vars[var.0 as usize].info.ty
    }

    /// `a op b` on i64, folded where that is obvious.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are not folded here")]
    pub(crate) fn size_op(&mut self, op: BinOp, a: Atom, b: Atom) -> Atom {
        match (op, a, b) {
            (_, Atom::Const(Scalar::I64(a)), Atom::Const(Scalar::I64(b))) => match op {
                BinOp::Add => return Atom::i64(a.wrapping_add(b)),
                BinOp::Sub => return Atom::i64(a.wrapping_sub(b)),
                BinOp::Mul => return Atom::i64(a.wrapping_mul(b)),
                _ => {}
            },
            (BinOp::Add | BinOp::Sub, a, Atom::Const(Scalar::I64(0))) => return a,
            (BinOp::Add, Atom::Const(Scalar::I64(0)), b) => return b,
            (BinOp::Mul, a, Atom::Const(Scalar::I64(1))) => return a,
            (BinOp::Mul, Atom::Const(Scalar::I64(1)), b) => return b,
            _ => {}
        }
        self.one("n", Type::I64, Exp::BinOp(op, a, b))
    }

    pub(crate) fn cmp(&mut self, op: CmpOp, a: Atom, b: Atom) -> Atom {
        self.one("c", Type::BOOL, Exp::CmpOp(op, a, b))
    }

    pub(crate) fn and(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Const(Scalar::Bool(true)), b) => b,
            (a, Atom::Const(Scalar::Bool(true))) => a,
            _ => self.one("c", Type::BOOL, Exp::BinOp(BinOp::And, a, b)),
        }
    }

    pub(crate) fn or(&mut self, a: Atom, b: Atom) -> Atom {
        self.one("c", Type::BOOL, Exp::BinOp(BinOp::Or, a, b))
    }

    pub(crate) fn not(&mut self, a: Atom) -> Atom {
        self.one("c", Type::BOOL, Exp::UnOp(fehu_ir::UnOp::Not, a))
    }

    /// A certificate that the condition holds.
    pub(crate) fn assert(&mut self, cond: Atom, parts: Vec<CheckPart>, trace: Vec<Loc>) -> Var {
        let check = Check { parts, trace };
        self.emit(Exp::Assert(cond, check), vec![("cert", Type::CERT)], Attach::default())[0]
    }
}

/// Fixed text in a message.
pub(crate) fn text(text: impl Into<ecow::EcoString>) -> CheckPart {
    CheckPart::Text(text.into())
}

/// The zero of a type.
pub(crate) fn zero(prim: Prim) -> Atom {
    Atom::Const(Scalar::zero(prim))
}
