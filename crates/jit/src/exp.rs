//! Expressions.

use crate::compile::clif;
use crate::fun::{Frame, bytes};
use crate::library::{Function, Operation};
use cranelift_codegen::ir::{BlockArg, InstBuilder, MemFlagsData, Value, types};
use fehu_base::Prim;
use fehu_base::bug::bug;
use fehu_imp::{Exp, Ty, V};
use fehu_ir::{BinOp, Scalar};

/// How memory of the program is accessed: it is there.
pub(crate) fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl Frame<'_, '_> {
    /// The type of the elements that a pointer or local array has.
    pub(crate) fn elem(&self, v: V) -> Prim {
        match self.fun.vars[v].ty {
            Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => prim,
            Ty::Scalar(_) | Ty::Mem => bug("a scalar or handle has no elements"),
        }
    }

    /// The value of an expression.
    pub(crate) fn exp(&mut self, e: &Exp) -> Value {
        match e {
            Exp::Const(value) => self.constant(*value),
            Exp::Var(v) => {
                let var = self.var(*v);
                self.builder.use_var(var)
            }
            Exp::Un(op, prim, a) => {
                let a = self.exp(a);
                self.unary(*op, *prim, a)
            }
            Exp::Bin(BinOp::And, Prim::Bool, a, b) if !is_harmless(b) => {
                self.choice(a, b, &Exp::Const(Scalar::Bool(false)))
            }
            Exp::Bin(BinOp::Or, Prim::Bool, a, b) if !is_harmless(b) => {
                self.choice(a, &Exp::Const(Scalar::Bool(true)), b)
            }
            Exp::Bin(op, prim, a, b) => {
                let a = self.exp(a);
                if let Exp::Const(b) = **b
                    && self.is_simpler_by(*op, b)
                {
                    return self.binary_by(*op, *prim, a, b);
                }
                let b = self.exp(b);
                self.binary(*op, *prim, a, b)
            }
            Exp::Cmp(op, prim, a, b) => {
                let (a, b) = (self.exp(a), self.exp(b));
                self.compare(*op, *prim, a, b)
            }
            Exp::Math(function, prim, args) => {
                let args: Vec<Value> = args.iter().map(|arg| self.exp(arg)).collect();
                self.math(*function, *prim, &args)
            }
            Exp::Convert(from, to, a) => {
                let a = self.exp(a);
                self.convert(*from, *to, a)
            }
            Exp::Reinterpret(from, to, a) => {
                let a = self.exp(a);
                self.reinterpret(*from, *to, a)
            }
            Exp::Index(terms) => self.index(terms),
            Exp::Load(p, index) => {
                let prim = self.elem(*p);
                let address = self.element(*p, index);
                self.builder.ins().load(clif(prim), flags(), address, 0)
            }
            Exp::Select(parts) => {
                let [condition, yes, no] = &**parts;
                if is_harmless(yes) && is_harmless(no) {
                    let condition = self.exp(condition);
                    let (yes, no) = (self.exp(yes), self.exp(no));
                    self.builder.ins().select(condition, yes, no)
                } else {
                    self.choice(condition, yes, no)
                }
            }
        }
    }

    /// One of two values; the other is not evaluated.
    fn choice(&mut self, condition: &Exp, yes: &Exp, no: &Exp) -> Value {
        let condition = self.exp(condition);
        let [if_yes, if_no, next] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().brif(condition, if_yes, &[], if_no, &[]);
        for (block, e) in [(if_yes, yes), (if_no, no)] {
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            let value = self.exp(e);
            if self.builder.block_params(next).is_empty() {
                let ty = self.builder.func.dfg.value_type(value);
                self.builder.append_block_param(next, ty);
            }
            self.builder.ins().jump(next, &[BlockArg::Value(value)]);
        }
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
        self.builder.block_params(next)[0]
    }

    /// A constant.
    pub(crate) fn constant(&mut self, value: Scalar) -> Value {
        match value {
            Scalar::F32(x) => self.builder.ins().f32const(x),
            Scalar::F64(x) => self.builder.ins().f64const(x),
            Scalar::I8(_) | Scalar::U8(_) | Scalar::Bool(_) => {
                self.builder.ins().iconst(types::I8, value.bits() as i64)
            }
            Scalar::I16(_) | Scalar::U16(_) | Scalar::F16(_) => {
                self.builder.ins().iconst(types::I16, value.bits() as i64)
            }
            Scalar::I32(_) | Scalar::U32(_) => {
                self.builder.ins().iconst(types::I32, value.bits() as i64)
            }
            Scalar::I64(_) | Scalar::U64(_) => self.int(value.bits() as i64),
            Scalar::Unit => bug("imp has no units"),
        }
    }

    /// Index arithmetic: a sum of products.
    fn index(&mut self, terms: &[(i64, Vec<V>)]) -> Value {
        let mut sum = None;
        for (factor, vars) in terms.iter().filter(|(factor, _)| *factor != 0) {
            let mut product = (*factor != 1 || vars.is_empty()).then(|| self.int(*factor));
            for v in vars {
                let var = self.var(*v);
                let value = self.builder.use_var(var);
                product = Some(match product {
                    None => value,
                    Some(product) => self.builder.ins().imul(value, product),
                });
            }
            sum = match (sum, product) {
                (Some(sum), Some(product)) => Some(self.builder.ins().iadd(sum, product)),
                (sum, product) => sum.or(product),
            };
        }
        sum.unwrap_or_else(|| self.int(0))
    }

    /// The address of an element of a pointer or local array.
    pub(crate) fn element(&mut self, p: V, index: &Exp) -> Value {
        let (start, size) = (self.start(p), bytes(self.elem(p)));
        self.offset(start, size, index)
    }

    /// The address of an element of so many bytes, from the first one's.
    pub(crate) fn offset(&mut self, start: Value, size: u32, index: &Exp) -> Value {
        if *index == Exp::int(0) {
            return start;
        }
        let index = self.exp(index);
        let distance = self.builder.ins().ishl_imm_u(index, i64::from(size.trailing_zeros()));
        self.builder.ins().iadd(start, distance)
    }

    /// The bits of a value, as the library takes them.
    pub(crate) fn bits(&mut self, value: Value) -> Value {
        let ty = self.builder.func.dfg.value_type(value);
        let ints = match ty {
            types::F32 => self.builder.ins().bitcast(types::I32, MemFlagsData::new(), value),
            types::F64 => self.builder.ins().bitcast(types::I64, MemFlagsData::new(), value),
            _ => value,
        };
        match ty.bits() {
            64 => ints,
            _ => self.builder.ins().uextend(types::I64, ints),
        }
    }

    /// The value of a type with these bits.
    fn of_bits(&mut self, prim: Prim, bits: Value) -> Value {
        let reduced = match prim.bits() {
            8 => self.builder.ins().ireduce(types::I8, bits),
            16 => self.builder.ins().ireduce(types::I16, bits),
            32 => self.builder.ins().ireduce(types::I32, bits),
            _ => bits,
        };
        match prim {
            Prim::F32 | Prim::F64 => {
                self.builder.ins().bitcast(clif(prim), MemFlagsData::new(), reduced)
            }
            Prim::I8
            | Prim::I16
            | Prim::I32
            | Prim::I64
            | Prim::U8
            | Prim::U16
            | Prim::U32
            | Prim::U64
            | Prim::F16
            | Prim::Bool => reduced,
        }
    }

    /// An operation as the interpreter does it; the result is of the given type.
    pub(crate) fn operation(&mut self, op: Operation, args: &[Value], result: Prim) -> Value {
        let mut passed = vec![self.int(op.number())];
        for arg in args {
            passed.push(self.bits(*arg));
        }
        while passed.len() < 4 {
            passed.push(self.int(0));
        }
        let bits = self.call_library(Function::Scalar, &passed);
        self.of_bits(result, bits)
    }
}

/// Whether an expression may be evaluated although nobody needs its value: it reads no memory, and is no more than some
/// instructions.
fn is_harmless(e: &Exp) -> bool {
    let own = match e {
        Exp::Load(..) | Exp::Math(..) => false,
        Exp::Bin(op, prim, ..) => {
            let divides =
                matches!(op, BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow);
            !divides && *prim != Prim::F16
        }
        Exp::Un(_, prim, _) | Exp::Cmp(_, prim, ..) => *prim != Prim::F16,
        Exp::Convert(from, to, _) => *from != Prim::F16 && *to != Prim::F16,
        Exp::Const(_) | Exp::Var(_) | Exp::Reinterpret(..) | Exp::Index(_) | Exp::Select(_) => true,
    };
    let mut harmless = own;
    e.each_child(&mut |child| harmless = harmless && is_harmless(child));
    harmless
}
