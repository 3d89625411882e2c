//! The program being built: functions under construction and their open bodies.

use fehu_base::{IdVec, Prim};
use fehu_ir::{
    Atom, BinOp, Body, Check, CheckPart, CmpOp, Exp, Loc, Scalar, Stm, Type, Var, VarInfo,
};

/// A function or constant under construction.
pub(crate) struct Building {
    pub(crate) vars: IdVec<Var, VarInfo>,
    /// How many bodies were open when each variable was bound.
    depths: Vec<u32>,
    /// The open bodies, innermost last.
    open: Vec<Vec<Stm>>,
}

/// The state of an emission: what statements get attached.
#[derive(Default)]
pub(crate) struct Attach {
    pub(crate) certs: Vec<Var>,
    pub(crate) attrs: Vec<fehu_ir::Attr>,
    pub(crate) loc: Option<Loc>,
}

impl Building {
    pub(crate) fn new() -> Building {
        Building { vars: IdVec::new(), depths: Vec::new(), open: vec![Vec::new()] }
    }

    /// A new variable, bound at the current depth.
    pub(crate) fn var(&mut self, hint: &str, ty: Type) -> Var {
        self.depths.push(self.open.len() as u32);
        self.vars.push(VarInfo { hint: hint.into(), ty })
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
            Atom::Var(var) => self.depths[var.0 as usize] <= depth,
        }
    }

    pub(crate) fn open(&mut self) {
        self.open.push(Vec::new());
    }

    /// Closes the innermost body.
    pub(crate) fn close(&mut self, results: Vec<Atom>) -> Body {
        let stms = self.open.pop().unwrap_or_default();
        Body { stms, results }
    }

    pub(crate) fn push(&mut self, stm: Stm) {
        if let Some(body) = self.open.last_mut() {
            body.push(stm);
        }
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
        &self.vars[var].ty
    }

    /// `a op b` on i64, folded where that is obvious.
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
