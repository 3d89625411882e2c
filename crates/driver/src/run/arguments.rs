//! The arguments of an entry point's function: the sizes, read off the values, then the values.

use super::RunError;
use fehu_interp::Value;
use fehu_ir::{Atom, Elem, Entry, Fun, Scalar, Type, Var};
use rustc_hash::FxHashMap;

/// The values for all parameters of the function, in order. Parts that are units are not among the
/// values, because there is nothing to write down for them.
pub(super) fn from_values(
    entry: &Entry,
    fun: &Fun,
    parts: &[&Type],
    values: Vec<Value>,
) -> Result<Vec<Value>, RunError> {
    let is_unit = |ty: &Type| matches!(ty, Type::Scalar(Elem::Unit));
    let wanted = parts.iter().filter(|ty| !is_unit(ty)).count();
    if values.len() != wanted {
        let message = format!(
            "the entry point \"{}\" takes {}, but got {}",
            entry.name,
            count(wanted),
            values.len()
        );
        return Err(RunError::Arguments(message));
    }
    let mut values = values.into_iter();
    let with_units = parts.iter().map(|ty| match is_unit(ty) {
        true => Value::Scalar(Scalar::Unit),
        false => values.next().unwrap_or_default(),
    });
    from_parts(entry, fun, with_units.collect())
}

/// Likewise, from the values of all parts.
pub(super) fn from_parts(
    entry: &Entry,
    fun: &Fun,
    values: Vec<Value>,
) -> Result<Vec<Value>, RunError> {
    let leading = fun.params.len().saturating_sub(values.len());
    let mut sizes: FxHashMap<Var, i64> = FxHashMap::default();
    // Sizes may also be arguments of their own, before or after the arrays that have them.
    for (param, value) in fun.params[leading..].iter().zip(&values) {
        if let Value::Scalar(Scalar::I64(size)) = value {
            sizes.insert(param.var, *size);
        }
    }
    for (i, (param, value)) in fun.params[leading..].iter().zip(&values).enumerate() {
        let ty = &fun.vars[param.var].ty;
        if !has_type(value, ty) {
            let message = format!(
                "{} of the entry point \"{}\" has type {}, but got {}",
                entry.argument(i),
                entry.name,
                type_name(ty.elem(), ty.rank()),
                value_type_name(value)
            );
            return Err(RunError::Arguments(message));
        }
        let shape = value.as_array().map(fehu_interp::Array::shape).unwrap_or_default();
        for (dim, (expected, &found)) in ty.shape().iter().zip(&shape).enumerate() {
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
                    "entry point arguments have invalid sizes: dimension {dim} of {} of \
                     \"{}\" is {found}, but should be {size}",
                    entry.argument(i),
                    entry.name
                );
                return Err(RunError::Arguments(message));
            }
        }
    }
    let mut args = Vec::with_capacity(fun.params.len());
    for param in &fun.params[..leading] {
        let Some(size) = sizes.get(&param.var) else {
            let hint = &fun.vars[param.var].hint;
            let message = format!("no argument determines the size \"{hint}\"");
            return Err(RunError::Unrepresentable(message));
        };
        args.push(Value::Scalar(Scalar::I64(*size)));
    }
    args.extend(values);
    Ok(args)
}

/// Whether a value has this type, whatever its sizes.
pub(super) fn has_type(value: &Value, ty: &Type) -> bool {
    match value {
        Value::Scalar(scalar) => ty.elem() == Some(scalar.elem()) && ty.rank() == 0,
        Value::Array(array) => ty.elem() == Some(array.elem()) && ty.rank() == array.rank(),
        Value::Acc(_) | Value::Gone => false,
    }
}

/// The type of a value without sizes: `[][]i32`.
pub(super) fn value_type_name(value: &Value) -> String {
    match value {
        Value::Scalar(scalar) => type_name(Some(scalar.elem()), 0),
        Value::Array(array) => type_name(Some(array.elem()), array.rank()),
        Value::Acc(_) | Value::Gone => type_name(None, 0),
    }
}

/// A type without sizes: `[][]i32`.
pub(super) fn type_name(elem: Option<Elem>, rank: usize) -> String {
    let elem = elem.map_or("accumulator".to_owned(), |elem| match elem {
        Elem::Prim(prim) => prim.name().to_owned(),
        Elem::Unit => "()".to_owned(),
    });
    format!("{}{elem}", "[]".repeat(rank))
}

fn count(n: usize) -> String {
    if n == 1 { "1 value".to_owned() } else { format!("{n} values") }
}
