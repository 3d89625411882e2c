//! Short ways to write imp by hand.

use ecow::EcoString;
use fehu_imp::{Block, Exp, Fun, Kind, Message, Part, Prim, RedOp, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, CmpOp, Scalar};

pub(crate) const I64: Ty = Ty::Scalar(Prim::I64);
pub(crate) const F64: Ty = Ty::Scalar(Prim::F64);
pub(crate) const I32: Ty = Ty::Scalar(Prim::I32);
pub(crate) const BOOL: Ty = Ty::Scalar(Prim::Bool);

/// A function in the making.
pub(crate) struct Build(pub(crate) Fun);

impl Build {
    pub(crate) fn new(name: &str) -> Build {
        Build(Fun {
            name: name.into(),
            vars: Default::default(),
            params: Vec::new(),
            results: Vec::new(),
            body: Vec::new(),
        })
    }

    pub(crate) fn var(&mut self, hint: &str, ty: Ty) -> V {
        self.0.vars.push(VarInfo { hint: hint.into(), ty })
    }

    pub(crate) fn param(&mut self, hint: &str, ty: Ty) -> V {
        let v = self.var(hint, ty);
        self.0.params.push(v);
        v
    }

    pub(crate) fn result(&mut self, hint: &str, ty: Ty) -> V {
        let v = self.var(hint, ty);
        self.0.results.push(v);
        v
    }

    pub(crate) fn body(mut self, body: Block) -> Fun {
        self.0.body = body;
        self.0
    }
}

pub(crate) fn var(v: V) -> Exp {
    Exp::Var(v)
}

pub(crate) fn int(n: i64) -> Exp {
    Exp::int(n)
}

pub(crate) fn f64(x: f64) -> Exp {
    Exp::Const(Scalar::F64(x))
}

pub(crate) fn load(p: V, index: Exp) -> Exp {
    Exp::Load(p, Box::new(index))
}

pub(crate) fn bin(op: BinOp, prim: Prim, a: Exp, b: Exp) -> Exp {
    Exp::Bin(op, prim, Box::new(a), Box::new(b))
}

pub(crate) fn add(prim: Prim, a: Exp, b: Exp) -> Exp {
    bin(BinOp::Add, prim, a, b)
}

pub(crate) fn mul(prim: Prim, a: Exp, b: Exp) -> Exp {
    bin(BinOp::Mul, prim, a, b)
}

pub(crate) fn cmp(op: CmpOp, prim: Prim, a: Exp, b: Exp) -> Exp {
    Exp::Cmp(op, prim, Box::new(a), Box::new(b))
}

pub(crate) fn and(a: Exp, b: Exp) -> Exp {
    bin(BinOp::And, Prim::Bool, a, b)
}

/// `0 <= i < n`
pub(crate) fn in_bounds(i: Exp, n: Exp) -> Exp {
    and(cmp(CmpOp::Le, Prim::I64, int(0), i.clone()), cmp(CmpOp::Lt, Prim::I64, i, n))
}

pub(crate) fn for_loop(var: V, to: Exp, kind: Kind, body: Block) -> Stm {
    Stm::For { var, from: int(0), to, step: 1, kind, body }
}

pub(crate) fn independent(reductions: &[(V, RedOp)]) -> Kind {
    Kind::Independent(reductions.to_vec())
}

pub(crate) fn declare(v: V) -> Stm {
    Stm::Declare(v, None)
}

pub(crate) fn text(text: &str) -> Part {
    Part::Text(text.into())
}

pub(crate) fn message(parts: Vec<Part>, trace: &[&str]) -> Message {
    Message { parts, trace: trace.iter().map(|&place| EcoString::from(place)).collect() }
}
