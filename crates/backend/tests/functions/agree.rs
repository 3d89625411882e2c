//! Random expressions, whose values as C and in the interpreter are the same: operators, literals, and parentheses.

use super::build::*;
use super::{Test, compile, file};
use fehu_backend::Target;
use fehu_imp::{Exp, From, Prim, Program, Stm, Ty, V};
use fehu_interp::scalar::{binop, cmpop, convert, reinterpret, unop};
use fehu_ir::{BinOp, CmpOp, Elem, Scalar, UnOp};
use std::process::Command;

/// How many functions, and how many expressions in each.
const FUNCTIONS: u64 = 4;
const EXPRESSIONS: usize = 400;

#[test]
fn random_expressions_have_the_values_that_the_interpreter_computes() {
    let mut program = Program::default();
    let mut tests = Vec::new();
    let mut expected = Vec::new();
    for number in 0..FUNCTIONS {
        let mut random = Random::new(number);
        let name = format!("agree_{number}");
        let values = random.fun(&name, &mut program);
        let main = format!(
            "struct fe_mem results = {{0}};
  report(ctx, fe_fun_{name}(ctx, &results));
  for (int i = 0; i < {}; i++) {{
    printf(\"%\" PRIu64 \"\\n\", ((uint64_t *)results.data)[i]);
  }}
  fe_free(ctx, &results);",
            values.len()
        );
        tests.push(Test { name, main });
        expected.extend(values);
    }
    let text = file(&program, Target::C, "", &tests);
    // Random programs do ask what is known before.
    let foolish = ["-Wno-type-limits", "-Wno-tautological-compare"];
    let sanitized = ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"];
    let options = [&foolish[..], &sanitized[..]].concat();
    let binary = compile("random_expressions", &text, &options);
    let output = Command::new(&binary).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let lines = stdout.lines().filter(|line| !line.is_empty() && !line.starts_with('='));
    let results: Vec<u64> = lines.map(|line| line.parse().expect("a number")).collect();
    assert_eq!(results.len(), expected.len());
    for (bits, (value, e)) in results.into_iter().zip(expected) {
        let Elem::Prim(prim) = value.elem() else { panic!("an expression of no type") };
        let found = Scalar::from_bits(prim, bits);
        assert!(same(found, value), "{found:?}, not {value:?}, is\n{e:?}");
    }
}

/// Which NaN it is depends on the processor.
fn same(a: Scalar, b: Scalar) -> bool {
    is_nan(a) && is_nan(b) || a.bits() == b.bits()
}

fn is_nan(a: Scalar) -> bool {
    match a {
        Scalar::F16(a) => a.is_nan(),
        Scalar::F32(a) => a.is_nan(),
        Scalar::F64(a) => a.is_nan(),
        _ => false,
    }
}

/// Variables with values, and numbers that look random.
struct Random {
    state: u64,
    vars: Vec<(V, Scalar)>,
}

impl Random {
    fn new(seed: u64) -> Random {
        Random { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, vars: Vec::new() }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) % n
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// A function that stores the bits of expressions, and their values.
    fn fun(&mut self, name: &str, program: &mut Program) -> Vec<(Scalar, Exp)> {
        let mut b = Build::new(name);
        let out = b.result("out", Ty::Mem);
        let p = b.var("p", Ty::ptr(Prim::U64));
        let mut body = Vec::new();
        for prim in Prim::ALL {
            for _ in 0..4 {
                let v = b.var(prim.name(), Ty::Scalar(prim));
                let value = self.value(prim);
                body.push(Stm::Declare(v, Some(Exp::Const(value))));
                self.vars.push((v, value));
            }
        }
        body.push(Stm::Alloc(out, Prim::U64, int(EXPRESSIONS as i64)));
        body.push(declare(p));
        body.push(Stm::Point(p, From::Mem(out), int(0)));
        let mut values = Vec::new();
        while values.len() < EXPRESSIONS {
            let prim = self.pick(&Prim::ALL);
            let e = self.exp(prim, 4);
            if let Some(value) = self.eval(&e) {
                body.push(Stm::Store(p, int(values.len() as i64), bits(prim, e.clone())));
                values.push((value, e));
            }
        }
        program.funs.push(b.body(body));
        values
    }

    fn value(&mut self, prim: Prim) -> Scalar {
        let special = [0, 1, 2, 7, u64::MAX, u64::MAX - 1, 1 << (prim.bits() - 1)];
        match prim {
            Prim::Bool => Scalar::Bool(self.below(2) == 1),
            Prim::F16 | Prim::F32 | Prim::F64 => {
                let floats = [0.0, -0.0, 1.0, -2.5, 0.1, 1e10, f64::INFINITY, f64::NAN, -1e-3];
                let value = Scalar::F64(self.pick(&floats));
                convert(prim, value).unwrap_or(value)
            }
            _ if self.below(2) == 0 => Scalar::from_bits(prim, self.pick(&special)),
            _ => Scalar::from_bits(prim, self.below(1 << 30) << self.below(33)),
        }
    }

    /// An expression of this type, at most so deep.
    fn exp(&mut self, prim: Prim, depth: u32) -> Exp {
        if depth == 0 || self.below(8) == 0 {
            if self.below(3) == 0 {
                return Exp::Const(self.value(prim));
            }
            let of_type = |(_, value): &&(V, Scalar)| value.elem() == Elem::Prim(prim);
            let vars: Vec<V> = self.vars.iter().filter(of_type).map(|(v, _)| *v).collect();
            return Exp::Var(self.pick(&vars));
        }
        let depth = depth - 1;
        match self.below(8) {
            0 => {
                let op = self.pick(&[UnOp::Neg, UnOp::Not, UnOp::Abs, UnOp::Sgn]);
                Exp::Un(op, prim, Box::new(self.exp(prim, depth)))
            }
            1 => {
                let from = self.pick(&Prim::ALL);
                Exp::Convert(from, prim, Box::new(self.exp(from, depth)))
            }
            2 => {
                let from = self.pick(&Prim::ALL);
                Exp::Reinterpret(from, prim, Box::new(self.exp(from, depth)))
            }
            3 => {
                let cond = self.exp(Prim::Bool, depth);
                let (yes, no) = (self.exp(prim, depth), self.exp(prim, depth));
                Exp::Select(Box::new([cond, yes, no]))
            }
            4 | 5 if prim == Prim::Bool => {
                let of = self.pick(&Prim::ALL);
                let op = self.pick(&[CmpOp::Eq, CmpOp::Lt, CmpOp::Le]);
                cmp(op, of, self.exp(of, depth), self.exp(of, depth))
            }
            _ => {
                let op = self.pick(BIN_OPS);
                bin(op, prim, self.exp(prim, depth), self.exp(prim, depth))
            }
        }
    }

    /// The value, if the interpreter defines it and it does not depend on which NaN something is.
    fn eval(&self, e: &Exp) -> Option<Scalar> {
        match e {
            Exp::Const(value) => Some(*value),
            Exp::Var(v) => self.vars.iter().find(|(var, _)| var == v).map(|(_, value)| *value),
            Exp::Un(op, _, a) => unop(*op, self.eval(a)?),
            // The power of floats is an approximation.
            Exp::Bin(BinOp::Pow, prim, ..) if prim.is_float() => None,
            Exp::Bin(op, _, a, b) => binop(*op, self.eval(a)?, self.eval(b)?),
            Exp::Cmp(op, _, a, b) => cmpop(*op, self.eval(a)?, self.eval(b)?).map(Scalar::Bool),
            Exp::Convert(_, to, a) => convert(*to, self.eval(a)?),
            Exp::Reinterpret(_, to, a) => {
                let a = self.eval(a)?;
                if is_nan(a) { None } else { reinterpret(*to, a) }
            }
            Exp::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let (yes, no) = (self.eval(yes)?, self.eval(no)?);
                match self.eval(cond)? {
                    Scalar::Bool(cond) => Some(if cond { yes } else { no }),
                    _ => None,
                }
            }
            Exp::Math(..) | Exp::Index(_) | Exp::Load(..) => None,
        }
    }
}

/// The bits of an expression as a 64-bit number.
fn bits(prim: Prim, e: Exp) -> Exp {
    let unsigned = match prim {
        Prim::Bool => return Exp::Convert(Prim::Bool, Prim::U64, Box::new(e)),
        Prim::I8 | Prim::U8 => Prim::U8,
        Prim::I16 | Prim::U16 | Prim::F16 => Prim::U16,
        Prim::I32 | Prim::U32 | Prim::F32 => Prim::U32,
        Prim::I64 | Prim::U64 | Prim::F64 => Prim::U64,
    };
    let e = Exp::Reinterpret(prim, unsigned, Box::new(e));
    Exp::Convert(unsigned, Prim::U64, Box::new(e))
}

const BIN_OPS: &[BinOp] = &[
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Mod,
    BinOp::Quot,
    BinOp::Rem,
    BinOp::Pow,
    BinOp::Min,
    BinOp::Max,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::Lshr,
    BinOp::Ashr,
];
