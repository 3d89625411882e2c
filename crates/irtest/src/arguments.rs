//! Arguments for functions: random ones of the right types and sizes, or values that a test writes down.

use fehu_base::{IdVec, Prim};
use fehu_interp::{Buffer, Value};
use fehu_ir::{Atom, Elem, Fun, Scalar, Type, Var, VarInfo};
use fehu_irgen::rng::Rng;

/// How large the sizes among the arguments are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// All of them are this.
    All(i64),
    /// Each is from zero to this.
    UpTo(i64),
    /// One of them is up to the first number, the others up to the second.
    Long(i64, i64),
}

/// Random arguments for a function. An i64 parameter is a size if a type of the function mentions it, or if it
/// is called `n`; other numbers are small ones, the ends of their types, or anything.
pub fn random(fun: &Fun, sizes: Sizes, rng: &mut Rng) -> Result<Vec<Value>, String> {
    let mut known: IdVec<Var, i64> = IdVec::filled(0, fun.vars.len());
    let mut size_params = fun.params.iter().filter(|param| is_size(fun, param.var));
    let long = match sizes {
        Sizes::Long(..) => {
            size_params.nth(rng.below(fun.params.len().clamp(1, 3))).map(|param| param.var)
        }
        Sizes::All(_) | Sizes::UpTo(_) => None,
    };
    let mut args = Vec::new();
    for param in &fun.params {
        args.push(match &fun.vars[param.var].ty {
            Type::Scalar(Elem::Prim(Prim::I64)) => {
                let value = if is_size(fun, param.var) {
                    match sizes {
                        Sizes::All(size) => size,
                        Sizes::UpTo(most) => rng.range(0, most),
                        Sizes::Long(most, _) if long == Some(param.var) => rng.range(0, most),
                        Sizes::Long(_, most) => rng.range(0, most),
                    }
                } else {
                    match integer(Prim::I64, rng) {
                        Scalar::I64(value) => value,
                        other => return Err(format!("{other:?} is not an i64")),
                    }
                };
                known[param.var] = value;
                Value::Scalar(Scalar::I64(value))
            }
            Type::Scalar(elem) => Value::Scalar(scalar(*elem, rng)),
            Type::Array(elem, shape) => {
                let shape = extents(shape, &known)?;
                let mut buffer = Buffer::empty(*elem);
                for _ in 0..shape.iter().product::<i64>() {
                    buffer.push(scalar(*elem, rng)).ok_or("an element has the wrong type")?;
                }
                Value::array(&shape, buffer).ok_or("the elements do not fill the array")?
            }
            Type::Acc(_) => return Err("a parameter is an accumulator".to_owned()),
        });
    }
    Ok(args)
}

/// The same arguments with other floats: numbers whose sums depend on their order, and none that swallow all others.
pub fn rough(args: Vec<Value>, rng: &mut Rng) -> Option<Vec<Value>> {
    let mut float = |prim: Prim| {
        let value = rng.range(-1_000_000, 1_000_000) as f64 / 7.0 / rng.range(1, 5000) as f64;
        fehu_interp::scalar::convert(prim, Scalar::F64(value))
    };
    let mut changed = |arg: Value| match arg {
        Value::Scalar(scalar) => match scalar.elem() {
            Elem::Prim(prim) if prim.is_float() => float(prim).map(Value::Scalar),
            Elem::Prim(_) | Elem::Unit => Some(arg),
        },
        Value::Array(ref array) => match array.elem() {
            Elem::Prim(prim) if prim.is_float() => {
                let mut buffer = Buffer::empty(array.elem());
                for _ in 0..array.count() {
                    buffer.push(float(prim)?)?;
                }
                Value::array(&array.shape(), buffer)
            }
            Elem::Prim(_) | Elem::Unit => Some(arg),
        },
        Value::Acc(_) | Value::Gone => Some(arg),
    };
    args.into_iter().map(&mut changed).collect()
}

/// A random scalar.
pub fn scalar(elem: Elem, rng: &mut Rng) -> Scalar {
    match elem {
        Elem::Prim(Prim::Bool) => Scalar::Bool(rng.chance(50)),
        Elem::Prim(prim) if prim.is_float() => float(prim, rng),
        Elem::Prim(prim) => integer(prim, rng),
        Elem::Unit => Scalar::Unit,
    }
}

/// Mostly numbers that make good indices and counts.
fn integer(prim: Prim, rng: &mut Rng) -> Scalar {
    let bits = match rng.below(10) {
        0..6 => rng.range(0, 9) as u64,
        6 => rng.range(-9, -1) as u64,
        7 => *[0, u64::MAX, 1 << (prim.bits() - 1), (1 << (prim.bits() - 1)) - 1]
            .get(rng.below(4))
            .unwrap_or(&0),
        _ => rng.bits(),
    };
    Scalar::from_bits(prim, bits)
}

/// Mostly numbers with which sums and products are exact; sometimes those that rules for integers forget.
fn float(prim: Prim, rng: &mut Rng) -> Scalar {
    let value = match rng.below(20) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        3 => -0.0,
        4 => 0.0,
        5 | 6 => rng.range(-1000, 1000) as f64 / 7.0,
        _ => rng.range(-20, 20) as f64,
    };
    fehu_interp::scalar::convert(prim, Scalar::F64(value)).unwrap_or(Scalar::zero(prim))
}

fn is_size(fun: &Fun, var: Var) -> bool {
    let mentions = |info: &VarInfo| info.ty.shape().contains(&Atom::Var(var));
    fun.vars[var].hint == "n" || fun.vars.iter().any(|(_, info)| mentions(info))
}

fn extents(shape: &[Atom], known: &IdVec<Var, i64>) -> Result<Vec<i64>, String> {
    let extent = |size: &Atom| match size {
        Atom::Var(var) => Ok(known[*var]),
        Atom::Const(Scalar::I64(size)) => Ok(*size),
        Atom::Const(other) => Err(format!("{other:?} is not a size")),
    };
    shape.iter().map(extent).collect()
}

/// Arguments that a person writes: a value for each parameter, sizes included, separated by blanks. Numbers need
/// no types, as those of the parameters are known: `3 [1, 2, 3] true`.
pub fn written(fun: &Fun, text: &str) -> Result<Vec<Value>, String> {
    let mut known: IdVec<Var, i64> = IdVec::filled(0, fun.vars.len());
    let mut reader = Reader { rest: text.trim() };
    let mut args = Vec::new();
    for param in &fun.params {
        let info = &fun.vars[param.var];
        let elem = info.ty.elem().ok_or("a parameter is an accumulator")?;
        let mut items = Vec::new();
        let found = reader.value(elem, info.ty.rank(), &mut items)?;
        args.push(match &info.ty {
            Type::Array(_, shape) => {
                let shape = extents(shape, &known)?;
                // An empty array does not show its inner sizes.
                if items.len() as i64 != shape.iter().product::<i64>()
                    || found
                        .iter()
                        .zip(&shape)
                        .take_while(|(size, _)| **size != 0)
                        .any(|(a, b)| a != b)
                {
                    return Err(format!(
                        "\"{}\" has sizes {found:?} instead of {shape:?}",
                        info.hint
                    ));
                }
                let mut buffer = Buffer::empty(elem);
                for item in items {
                    buffer.push(item).ok_or("an element has the wrong type")?;
                }
                Value::array(&shape, buffer).ok_or("the elements do not fill the array")?
            }
            Type::Scalar(_) | Type::Acc(_) => {
                let value = *items.first().ok_or("a value is missing")?;
                if let Scalar::I64(size) = value {
                    known[param.var] = size;
                }
                Value::Scalar(value)
            }
        });
    }
    match reader.rest {
        "" => Ok(args),
        rest => Err(format!("`{rest}` is left after the last argument")),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Reads a value of this rank; its sizes.
    fn value(
        &mut self,
        elem: Elem,
        rank: usize,
        items: &mut Vec<Scalar>,
    ) -> Result<Vec<i64>, String> {
        if rank == 0 {
            items.push(self.scalar(elem)?);
            return Ok(Vec::new());
        }
        if !self.eat('[') {
            return Err(format!("an array was expected instead of `{}`", self.rest));
        }
        let (mut count, mut inner) = (0, vec![0; rank - 1]);
        while !self.eat(']') {
            let sizes = self.value(elem, rank - 1, items)?;
            if count > 0 && sizes != inner {
                return Err("the rows of an array differ in size".to_owned());
            }
            (count, inner) = (count + 1, sizes);
            if !self.eat(',') && !self.rest.starts_with(']') {
                return Err(format!("`,` or `]` was expected instead of `{}`", self.rest));
            }
        }
        inner.insert(0, count);
        Ok(inner)
    }

    fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn scalar(&mut self, elem: Elem) -> Result<Scalar, String> {
        let end = self.rest.find([' ', ',', ']']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        let number = match elem {
            Elem::Unit => (word == "()").then_some(Scalar::Unit),
            Elem::Prim(Prim::Bool) => word.parse().ok().map(Scalar::Bool),
            Elem::Prim(prim) if prim.is_float() => {
                let value = word.parse::<f64>().ok();
                value.and_then(|value| fehu_interp::scalar::convert(prim, Scalar::F64(value)))
            }
            Elem::Prim(prim) => {
                let value = word.parse::<i128>().ok();
                value.map(|value| Scalar::from_bits(prim, value as u64))
            }
        };
        number.ok_or_else(|| format!("`{word}` is not a value of type {elem}"))
    }
}
