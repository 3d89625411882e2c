//! The arguments of an entry point's function: the sizes, read off the values, then the values.

use super::{RunError, convert};
use fehu_data::Value;
use fehu_ir::{Atom, Entry, Fun, Scalar, Type, Var};
use rustc_hash::FxHashMap;

/// The values for all parameters of the function, in order.
pub(super) fn arguments(
    entry: &Entry,
    fun: &Fun,
    parts: &[&Type],
    values: Vec<Value>,
) -> Result<Vec<fehu_interp::Value>, RunError> {
    if values.len() != parts.len() {
        let message = format!(
            "the entry point \"{}\" takes {}, but got {}",
            entry.name,
            count(parts.len()),
            values.len()
        );
        return Err(RunError::Arguments(message));
    }
    let leading = fun.params.len().saturating_sub(parts.len());
    let mut sizes: FxHashMap<Var, i64> = FxHashMap::default();
    // Sizes may also be arguments of their own, before or after the arrays that have them.
    for (param, value) in fun.params[leading..].iter().zip(&values) {
        if let Value::Scalar(fehu_data::Scalar::I64(size)) = value {
            sizes.insert(param.var, *size);
        }
    }
    for (i, (param, value)) in fun.params[leading..].iter().zip(&values).enumerate() {
        let ty = &fun.vars[param.var].ty;
        let wanted = convert::value_type(ty)?;
        if value.value_type() != wanted {
            let message = format!(
                "argument {} of the entry point \"{}\" has type {wanted}, but got {}",
                i + 1,
                entry.name,
                value.value_type()
            );
            return Err(RunError::Arguments(message));
        }
        for (dim, (expected, &found)) in ty.shape().iter().zip(value.shape()).enumerate() {
            let found = found as i64;
            let known = match expected {
                Atom::Const(Scalar::I64(size)) => *size,
                Atom::Const(_) => found,
                Atom::Var(var) => *sizes.entry(*var).or_insert(found),
            };
            if known != found {
                let size = match expected {
                    Atom::Var(var) => format!("\"{}\", which is {known}", fun.vars[*var].hint),
                    Atom::Const(_) => known.to_string(),
                };
                let message = format!(
                    "the arguments of the entry point \"{}\" have invalid sizes: dimension {dim} \
                     of argument {} is {found}, but should be {size}",
                    entry.name,
                    i + 1
                );
                return Err(RunError::Arguments(message));
            }
        }
    }
    let mut args = Vec::with_capacity(fun.params.len());
    for param in &fun.params[..leading] {
        let Some(size) = sizes.get(&param.var) else {
            let hint = &fun.vars[param.var].hint;
            let message = format!("no argument shows the size \"{hint}\"");
            return Err(RunError::Unrepresentable(message));
        };
        args.push(fehu_interp::Value::Scalar(Scalar::I64(*size)));
    }
    for value in values {
        args.push(convert::to_interp(value)?);
    }
    Ok(args)
}

fn count(n: usize) -> String {
    if n == 1 { "1 value".to_owned() } else { format!("{n} values") }
}
