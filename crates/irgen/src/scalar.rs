//! Operations on scalars.

use crate::state::Gen;
use fehu_base::Prim;
use fehu_ir::verify::scalar::{binop_applies, math_result, unop_applies};
use fehu_ir::{Atom, BinOp, Check, CheckPart, CmpOp, Exp, Loc, MathFn, Scalar, Stage, Type, UnOp};
use half::f16;

/// Functions whose results are the same on all machines.
const EXACT: &[MathFn] = &[
    MathFn::Sqrt,
    MathFn::Ceil,
    MathFn::Floor,
    MathFn::Round,
    MathFn::Copysign,
    MathFn::Ldexp,
    MathFn::Isnan,
    MathFn::Isinf,
    MathFn::Popc,
    MathFn::Clz,
    MathFn::Ctz,
    MathFn::MulHi,
    MathFn::MadHi,
];

impl Gen<'_> {
    /// A random constant.
    pub(crate) fn constant(&mut self, prim: Prim) -> Scalar {
        let small = self.rng.range(-4, 9);
        let special = self.rng.chance(5);
        match prim {
            Prim::Bool => Scalar::Bool(small % 2 == 0),
            Prim::F16 if special => Scalar::F16(f16::from_bits(self.rng.bits() as u16)),
            Prim::F32 if special => Scalar::F32(f32::from_bits(self.rng.bits() as u32)),
            Prim::F64 if special => Scalar::F64(f64::from_bits(self.rng.bits())),
            Prim::F16 => Scalar::F16(f16::from_f64(small as f64 / 4.0)),
            Prim::F32 => Scalar::F32(small as f32 / 8.0),
            Prim::F64 => Scalar::F64(small as f64 / 16.0),
            _ if special => Scalar::from_bits(prim, self.rng.bits()),
            _ if prim.is_unsigned() => Scalar::from_bits(prim, small.unsigned_abs()),
            _ => Scalar::from_bits(prim, small as u64),
        }
    }

    /// A variable or constant of this type.
    pub(crate) fn scalar(&mut self, prim: Prim) -> Atom {
        if self.rng.chance(75)
            && let Some(var) = self.pick(|ty| *ty == Type::prim(prim))
        {
            return Atom::Var(var);
        }
        Atom::Const(self.constant(prim))
    }

    pub(crate) fn scalar_stm(&mut self) {
        let prim = self.prim();
        let a = self.scalar(prim);
        match self.rng.below(12) {
            0 => {
                let ops: Vec<UnOp> =
                    UnOp::ALL.iter().copied().filter(|op| unop_applies(*op, prim)).collect();
                if let Some(op) = self.rng.pick(&ops) {
                    self.exp("a", Exp::UnOp(op, a));
                }
            }
            1..6 => self.binop(prim, a),
            6 => {
                let op = CmpOp::ALL[self.rng.below(3)];
                let b = self.scalar(prim);
                self.exp("c", Exp::CmpOp(op, a, b));
            }
            7 => self.math(prim, a),
            8 => {
                let to = self.prim();
                self.exp("k", Exp::Convert(to, a));
            }
            9 => {
                let fits =
                    |to: &Prim| to.bits() == prim.bits() && *to != Prim::Bool && prim != Prim::Bool;
                let targets: Vec<Prim> = Prim::ALL.into_iter().filter(fits).collect();
                if let Some(to) = self.rng.pick(&targets).filter(|to| !to.is_float()) {
                    self.exp("bits", Exp::Reinterpret(to, a));
                }
            }
            10 if self.config.failing && prim.is_integer() && self.rng.chance(40) => {
                self.assertion_about(a, prim);
            }
            10 => self.assertion(a),
            11 if self.stage == Stage::Segs && self.rng.chance(40) => self.threads(),
            _ => {
                let exp = match self.rng.below(4) {
                    0 => Exp::Atom(a),
                    1 => Exp::Opaque(a),
                    2 if prim == Prim::I64 => Exp::Tuning("tuned".into(), a),
                    _ => Exp::Trace("trace".into(), a),
                };
                self.exp("b", exp);
            }
        }
    }

    /// Asks for the number of threads, which makes no difference.
    fn threads(&mut self) {
        let count = self.exp("thr", Exp::Threads);
        let several = self.exp("c", Exp::CmpOp(CmpOp::Lt, Atom::i64(1), count.into()));
        self.hide(&[count, several]);
        let prim = self.integer();
        let (a, b) = (self.scalar(prim), self.scalar(prim));
        let sum = |g: &mut Self, a, b| g.exp("s", Exp::BinOp(BinOp::Add, a, b)).into();
        let versions = [self.body(|g| vec![sum(g, a, b)]), self.body(|g| vec![sum(g, b, a)])];
        self.typed("v", Type::prim(prim), Exp::If(several.into(), Box::new(versions)));
    }

    fn binop(&mut self, prim: Prim, a: Atom) {
        let ops: Vec<BinOp> =
            BinOp::ALL.iter().copied().filter(|op| binop_applies(*op, prim)).collect();
        let Some(op) = self.rng.pick(&ops) else { return };
        let mut b = self.scalar(prim);
        let division = matches!(op, BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem);
        if prim.is_float() && (op == BinOp::Pow || op == BinOp::Mod) && !self.config.inexact {
            return;
        }
        if prim.is_integer() && (division || op == BinOp::Pow) {
            // From 1 to 7, so that nothing is divided by zero and powers stay defined.
            let seven = Atom::Const(Scalar::from_bits(prim, 7));
            let one = Atom::Const(Scalar::from_bits(prim, 1));
            let low = self.exp("d", Exp::BinOp(BinOp::And, b, seven));
            b = Atom::Var(self.exp("d", Exp::BinOp(BinOp::Or, low.into(), one)));
        }
        self.exp("s", Exp::BinOp(op, a, b));
    }

    fn math(&mut self, prim: Prim, a: Atom) {
        let all = if self.config.inexact { MathFn::ALL } else { EXACT };
        let fits: Vec<MathFn> =
            all.iter().copied().filter(|f| math_result(*f, prim).is_some()).collect();
        let Some(f) = self.rng.pick(&fits) else { return };
        let mut atoms = vec![a];
        for _ in 1..f.arity() {
            let other = if f == MathFn::Ldexp { Prim::I32 } else { prim };
            atoms.push(self.scalar(other));
        }
        self.exp("m", Exp::Math(f, atoms));
    }

    /// Something that holds: a certificate.
    fn assertion(&mut self, value: Atom) {
        let low = self.scalar(Prim::I64);
        let low = self.exp("low", Exp::BinOp(BinOp::And, low, Atom::i64(7)));
        let holds = self.exp("ok", Exp::CmpOp(CmpOp::Le, low.into(), Atom::i64(7)));
        let parts = vec![CheckPart::Text("value ".into()), CheckPart::Value(value)];
        let trace = vec![Loc("random.fut:3:4-5".into())];
        self.exp("cert", Exp::Assert(holds.into(), Check { parts, trace }));
    }
}
