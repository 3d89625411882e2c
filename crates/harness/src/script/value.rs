//! Values of scripts, and how they become arguments.

use super::ScriptError;
use crate::executor::{Executor, Failure, Object, Res};
use fehu_base::Prim;
use fehu_data::{Array, Data, Reader, Value, ValueType};

/// A value of a script.
#[derive(Clone, Debug)]
pub enum ScriptValue {
    /// What an entry point gave, perhaps opaque.
    Object(Object),
    /// A scalar, or an array of scalars.
    Value(Value),
    /// A number as it was written, without its type: it takes the one that is wanted.
    Number(String),
    /// An array of such numbers, or of such arrays; at least one.
    Numbers(Vec<ScriptValue>),
    /// An entry point with some of its arguments.
    Function(String, Vec<ScriptValue>),
    /// Several values.
    Tuple(Vec<ScriptValue>),
    /// Named values.
    Record(Vec<(String, ScriptValue)>),
}

impl ScriptValue {
    /// Whether it takes the type that is wanted: a number without its type, or an array of such numbers.
    pub(super) fn is_untyped(&self) -> bool {
        matches!(self, ScriptValue::Number(_) | ScriptValue::Numbers(_))
    }

    /// The components, if this is a tuple, be it the script's own or a program's.
    pub fn components(&self, program: &mut dyn Executor) -> Res<Option<Vec<ScriptValue>>> {
        match self {
            ScriptValue::Tuple(parts) => Ok(Some(parts.clone())),
            ScriptValue::Object(object) => {
                let fields = program.fields(&object.ty)?;
                if fields.len() < 2 || !is_tuple(&fields) {
                    return Ok(None);
                }
                let project = |(field, _): &(String, String)| {
                    program.project(object, field).map(ScriptValue::Object)
                };
                fields.iter().map(project).collect::<Res<_>>().map(Some)
            }
            ScriptValue::Value(_)
            | ScriptValue::Number(_)
            | ScriptValue::Numbers(_)
            | ScriptValue::Function(..)
            | ScriptValue::Record(_) => Ok(None),
        }
    }

    /// The named fields, if this is a record, be it the script's own or a program's; not those of an array of records.
    pub fn named(&self, program: &mut dyn Executor) -> Res<Option<Vec<(String, ScriptValue)>>> {
        match self {
            ScriptValue::Record(fields) => Ok(Some(fields.clone())),
            ScriptValue::Object(object) if !object.ty.starts_with('[') => {
                let fields = program.fields(&object.ty)?;
                let mut project = |(field, _): &(String, String)| {
                    let value = program.project(object, field)?;
                    Ok((field.clone(), ScriptValue::Object(value)))
                };
                match fields.is_empty() {
                    true => Ok(None),
                    false => fields.iter().map(&mut project).collect::<Res<_>>().map(Some),
                }
            }
            ScriptValue::Object(_)
            | ScriptValue::Value(_)
            | ScriptValue::Number(_)
            | ScriptValue::Numbers(_)
            | ScriptValue::Function(..)
            | ScriptValue::Tuple(_) => Ok(None),
        }
    }

    /// A field of a record, or a component of a tuple by its number.
    pub fn field(&self, wanted: &str, program: &mut dyn Executor) -> Res<Option<ScriptValue>> {
        match self {
            ScriptValue::Tuple(parts) => {
                let index = wanted.parse::<usize>().ok();
                Ok(index.and_then(|index| parts.get(index)).cloned())
            }
            ScriptValue::Record(fields) => {
                let field = fields.iter().find(|(name, _)| name == wanted);
                Ok(field.map(|(_, value)| value.clone()))
            }
            ScriptValue::Object(object) => {
                let fields = program.fields(&object.ty)?;
                match fields.iter().any(|(name, _)| name == wanted) {
                    true => program.project(object, wanted).map(ScriptValue::Object).map(Some),
                    false => Ok(None),
                }
            }
            ScriptValue::Value(_)
            | ScriptValue::Number(_)
            | ScriptValue::Numbers(_)
            | ScriptValue::Function(..) => Ok(None),
        }
    }

    /// The value, if it is a scalar or an array of scalars.
    pub fn as_value(&self, program: &mut dyn Executor) -> Res<Option<Value>> {
        match self {
            ScriptValue::Object(object) if ValueType::parse(&object.ty).is_some() => {
                program.values(object).map(|values| values.into_iter().next())
            }
            ScriptValue::Value(value) => Ok(Some(value.clone())),
            ScriptValue::Number(_) | ScriptValue::Numbers(_) => Ok(self.untyped(None)),
            ScriptValue::Object(_)
            | ScriptValue::Function(..)
            | ScriptValue::Tuple(_)
            | ScriptValue::Record(_) => Ok(None),
        }
    }

    /// The object of a type that this value can be, if it can.
    pub fn to_object(&self, ty: &str, program: &mut dyn Executor) -> Res<Option<Object>> {
        let value = match self {
            ScriptValue::Object(object) if object.ty == ty => return Ok(Some(object.clone())),
            // A record or tuple may have another name, or none.
            ScriptValue::Object(object) => {
                let (own, wanted) = (program.fields(&object.ty)?, program.fields(ty)?);
                let same =
                    own.len() == wanted.len() && own.iter().zip(&wanted).all(|(a, b)| a.0 == b.0);
                if own.is_empty() || !same {
                    return Ok(None);
                }
                let project = |(field, _): &(String, String)| {
                    program.project(object, field).map(ScriptValue::Object)
                };
                let parts = own.iter().map(project).collect::<Res<Vec<_>>>()?;
                return made(ty, parts.iter().zip(&wanted), program);
            }
            ScriptValue::Value(value) => {
                Some(value.clone()).filter(|value| value.value_type().to_string() == ty)
            }
            ScriptValue::Number(_) | ScriptValue::Numbers(_) => {
                let wanted = ValueType::parse(ty);
                let value = wanted.as_ref().and_then(|ty| self.untyped(Some(ty.elem)));
                value.filter(|value| Some(value.value_type()) == wanted)
            }
            ScriptValue::Function(..) => None,
            ScriptValue::Tuple(parts) => {
                let fields = program.fields(ty)?;
                if fields.len() != parts.len() || !is_tuple(&fields) {
                    return Ok(None);
                }
                return made(ty, parts.iter().zip(&fields), program);
            }
            ScriptValue::Record(given) => {
                let fields = program.fields(ty)?;
                // A program orders the fields by their names, a script as it likes.
                let pairs: Option<Vec<_>> = fields
                    .iter()
                    .map(|field| {
                        let (_, value) = given.iter().find(|(name, _)| *name == field.0)?;
                        Some((value, field))
                    })
                    .collect();
                return match pairs {
                    Some(pairs) if given.len() == fields.len() => {
                        made(ty, pairs.into_iter(), program)
                    }
                    Some(_) | None => Ok(None),
                };
            }
        };
        value.map(|value| program.put(ty, &[value])).transpose()
    }

    /// All values in it, in order: what a result of a program is when it is written.
    pub fn values(&self, program: &mut dyn Executor) -> Res<Vec<Value>> {
        let mut all = Vec::new();
        match self {
            ScriptValue::Object(object) => all = program.values(object)?,
            ScriptValue::Value(value) => all.push(value.clone()),
            ScriptValue::Number(_) | ScriptValue::Numbers(_) => all.extend(self.untyped(None)),
            ScriptValue::Function(name, _) => {
                let has = program.signature(name)?.params.len();
                let message =
                    format!("\"{name}\" has {has} parameters, of which some have no argument");
                return Err(Failure::Request(message));
            }
            ScriptValue::Tuple(parts) => {
                for part in parts {
                    all.extend(part.values(program)?);
                }
            }
            ScriptValue::Record(fields) => {
                for (_, field) in fields {
                    all.extend(field.values(program)?);
                }
            }
        }
        Ok(all)
    }

    /// The type, as messages say it.
    pub fn type_name(&self) -> String {
        match self {
            ScriptValue::Object(object) => object.ty.clone(),
            ScriptValue::Value(value) => value.value_type().to_string(),
            ScriptValue::Number(_) => "a number".to_owned(),
            ScriptValue::Numbers(_) => "an array of numbers".to_owned(),
            ScriptValue::Function(name, _) => format!("the function \"{name}\""),
            ScriptValue::Tuple(parts) => {
                let types: Vec<String> = parts.iter().map(ScriptValue::type_name).collect();
                format!("({})", types.join(", "))
            }
            ScriptValue::Record(fields) => {
                let types: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| format!("{name}: {}", value.type_name()))
                    .collect();
                format!("{{{}}}", types.join(", "))
            }
        }
    }

    /// The value of a number without its type, or of an array of such numbers, with this type of elements or the usual one:
    /// i32, or f64 if one of them has a point.
    pub(super) fn untyped(&self, elem: Option<Prim>) -> Option<Value> {
        match self {
            ScriptValue::Number(text) => number(text, elem),
            ScriptValue::Numbers(elements) => {
                let usual = || elements.iter().map(|e| e.untyped(None).map(|value| value.elem()));
                let float = usual().any(|elem| elem.is_some_and(Prim::is_float));
                let usual = if float { Prim::F64 } else { Prim::I32 };
                let elem = elem.or(Some(usual));
                let values = elements.iter().map(|element| element.untyped(elem)).collect();
                joined(elements, values)
            }
            ScriptValue::Object(_)
            | ScriptValue::Value(_)
            | ScriptValue::Function(..)
            | ScriptValue::Tuple(_)
            | ScriptValue::Record(_) => None,
        }
    }
}

/// The arguments for parameters of these types: one for each, or one tuple for all.
pub(super) fn arguments(
    function: &str,
    params: &[(String, String)],
    mut args: Vec<ScriptValue>,
    program: &mut dyn Executor,
) -> Result<Vec<Object>, ScriptError> {
    if let ([arg], 2..) = (args.as_slice(), params.len())
        && let Some(parts) = arg.components(program).map_err(ScriptError::Run)?
        && parts.len() == params.len()
    {
        args = parts;
    }
    if args.len() != params.len() {
        let (takes, got) = (params.len(), args.len());
        let message = format!("\"{function}\" has {takes} parameters, but got {got} arguments");
        return Err(ScriptError::Meaning(message));
    }
    let convert = |(arg, (name, ty)): (&ScriptValue, &(String, String))| {
        arg.to_object(ty, program).map_err(ScriptError::Run)?.ok_or_else(|| {
            let got = arg.type_name();
            let place = format!("the parameter \"{name}\" of \"{function}\"");
            ScriptError::Meaning(format!("{place} has type {ty}, but got {got}"))
        })
    };
    args.iter().zip(params).map(convert).collect()
}

/// The record of a type with these fields, if they have the right types.
fn made<'v>(
    ty: &str,
    fields: impl Iterator<Item = (&'v ScriptValue, &'v (String, String))>,
    program: &mut dyn Executor,
) -> Res<Option<Object>> {
    let mut objects = Vec::new();
    for (value, (_, ty)) in fields {
        match value.to_object(ty, program)? {
            Some(object) => objects.push(object),
            None => return Ok(None),
        }
    }
    program.record(ty, &objects).map(Some)
}

/// Whether fields are those of a tuple: 0, 1 and so on.
fn is_tuple(fields: &[(String, String)]) -> bool {
    fields.iter().enumerate().all(|(i, (name, _))| *name == i.to_string())
}

/// An array of values, all of the type of the first.
pub(super) fn array(elements: &[ScriptValue], program: &mut dyn Executor) -> Res<Option<Value>> {
    let values: Vec<Option<Value>> =
        elements.iter().map(|element| element.as_value(program)).collect::<Res<_>>()?;
    Ok(joined(elements, values))
}

fn joined(elements: &[ScriptValue], values: Vec<Option<Value>>) -> Option<Value> {
    let first = values.first()?.clone()?;
    let value = |(element, value): (&ScriptValue, Option<Value>)| {
        if element.is_untyped() { element.untyped(Some(first.elem())) } else { value }
    };
    let values: Vec<Value> = elements.iter().zip(values).map(value).collect::<Option<_>>()?;
    if values.iter().any(|value| value.sized_type() != first.sized_type()) {
        return None;
    }
    let mut shape = vec![values.len()];
    shape.extend(first.shape());
    let scalars = values.iter().flat_map(|value| match value {
        Value::Scalar(scalar) => vec![*scalar],
        Value::Array(array) => (0..array.len()).filter_map(|i| array.get_flat(i)).collect(),
    });
    let data = Data::from_scalars(first.elem(), scalars)?;
    Array::new(shape, data).ok().map(Value::Array)
}

/// A number of this type, or of the usual one of its kind, if it fits.
fn number(text: &str, prim: Option<Prim>) -> Option<Value> {
    let expected = prim.map(ValueType::scalar);
    Reader::new(text.as_bytes()).next_value(expected.as_ref()).ok()?
}
