//! Values of scripts, and how they become arguments.

use ecow::EcoString;
use fehu_base::Prim;
use fehu_data::{Array, Data, Reader, Value, ValueType};
use fehu_driver::run::{Object, RunError, type_name};
use fehu_ir::{Elem, External, Field, Type};

/// A value of a script.
#[derive(Clone, Debug)]
pub enum ScriptValue {
    /// A value as programs have it, perhaps opaque.
    Object(Object),
    /// A number as it was written, without its type: it takes the one that is wanted.
    Number(String),
    /// Several values.
    Tuple(Vec<ScriptValue>),
    /// Named values.
    Record(Vec<(String, ScriptValue)>),
}

impl ScriptValue {
    /// The components, if this is a tuple, be it the script's own or a program's.
    pub fn components(&self) -> Option<Vec<ScriptValue>> {
        match self {
            ScriptValue::Tuple(parts) => Some(parts.clone()),
            ScriptValue::Object(object) => {
                let fields = object.fields()?;
                let numbered = |(i, (name, _)): (usize, &(String, Object))| *name == i.to_string();
                let is_tuple = fields.len() > 1 && fields.iter().enumerate().all(numbered);
                let values = fields.into_iter().map(|(_, field)| ScriptValue::Object(field));
                is_tuple.then(|| values.collect())
            }
            ScriptValue::Number(_) | ScriptValue::Record(_) => None,
        }
    }

    /// A field of a record, or a component of a tuple by its number.
    pub fn field(&self, wanted: &str) -> Option<ScriptValue> {
        match self {
            ScriptValue::Tuple(parts) => parts.get(wanted.parse::<usize>().ok()?).cloned(),
            ScriptValue::Record(fields) => {
                fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
            }
            ScriptValue::Object(object) => {
                let mut fields = object.fields()?.into_iter();
                fields.find(|(name, _)| name == wanted).map(|(_, field)| ScriptValue::Object(field))
            }
            ScriptValue::Number(_) => None,
        }
    }

    /// The value, if it is a scalar or an array of scalars.
    pub fn as_value(&self) -> Option<Value> {
        match self {
            ScriptValue::Object(object) => object.as_value(),
            ScriptValue::Number(text) => number(text, None),
            ScriptValue::Tuple(_) | ScriptValue::Record(_) => None,
        }
    }

    /// The object of a type that this value can be, if it can.
    pub fn to_object(&self, ty: &External) -> Option<Object> {
        match self {
            ScriptValue::Object(object) => object.has_type(ty).then(|| object.clone()),
            ScriptValue::Number(text) => {
                let External::Transparent(Type::Scalar(Elem::Prim(prim)), _) = ty else {
                    return None;
                };
                Object::from_value(number(text, Some(*prim))?).ok()
            }
            ScriptValue::Tuple(parts) => {
                let fields = fields_of(ty)?;
                let numbered = |(i, field): (usize, &Field)| field.name == i.to_string();
                if fields.len() != parts.len() || !fields.iter().enumerate().all(numbered) {
                    return None;
                }
                let objects =
                    parts.iter().zip(fields).map(|(part, field)| part.to_object(&field.ty));
                Object::record(ty, objects.collect::<Option<_>>()?)
            }
            ScriptValue::Record(given) => {
                let fields = fields_of(ty)?;
                if fields.len() != given.len() {
                    return None;
                }
                // A program orders the fields by their names, a script as it likes.
                let object = |field: &Field| {
                    let (_, value) = given.iter().find(|(name, _)| field.name == *name)?;
                    value.to_object(&field.ty)
                };
                Object::record(ty, fields.iter().map(object).collect::<Option<_>>()?)
            }
        }
    }

    /// All values in it, in order: what a result of a program is when it is written.
    pub fn into_values(self) -> Result<Vec<Value>, RunError> {
        match self {
            ScriptValue::Object(object) => object.into_values(),
            ScriptValue::Number(text) => Ok(number(&text, None).into_iter().collect()),
            ScriptValue::Tuple(parts) => flat(parts),
            ScriptValue::Record(fields) => {
                flat(fields.into_iter().map(|(_, value)| value).collect())
            }
        }
    }

    /// The type, as messages say it.
    pub fn type_name(&self) -> String {
        match self {
            ScriptValue::Object(object) => object.type_name(),
            ScriptValue::Number(_) => "a number".to_owned(),
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
}

/// The arguments for parameters of these types: one for each, or one tuple for all.
pub(super) fn arguments(
    function: &str,
    params: &[(EcoString, External)],
    mut args: Vec<ScriptValue>,
) -> Result<Vec<Object>, String> {
    if let ([arg], 2..) = (args.as_slice(), params.len())
        && let Some(parts) = arg.components()
        && parts.len() == params.len()
    {
        args = parts;
    }
    if args.len() != params.len() {
        let (takes, got) = (params.len(), args.len());
        return Err(format!("\"{function}\" has {takes} parameters, but got {got} arguments"));
    }
    let convert = |(arg, (name, ty)): (&ScriptValue, &(EcoString, External))| {
        arg.to_object(ty).ok_or_else(|| {
            let (wanted, got) = (type_name(ty), arg.type_name());
            format!("the parameter \"{name}\" of \"{function}\" has type {wanted}, but got {got}")
        })
    };
    args.iter().zip(params).map(convert).collect()
}

/// An array of values, all of the type of the first.
pub(super) fn array(elements: &[ScriptValue]) -> Option<Value> {
    let first = elements.first()?.as_value()?;
    let value = |element: &ScriptValue| match element {
        ScriptValue::Number(text) => number(text, Some(first.elem())),
        other => other.as_value(),
    };
    let values: Vec<Value> = elements.iter().map(value).collect::<Option<_>>()?;
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

fn fields_of(ty: &External) -> Option<&[Field]> {
    match ty {
        External::Opaque(opaque, _) => Some(opaque.fields()),
        External::Transparent(..) => None,
    }
}

fn flat(values: Vec<ScriptValue>) -> Result<Vec<Value>, RunError> {
    let mut all = Vec::new();
    for value in values {
        all.extend(value.into_values()?);
    }
    Ok(all)
}
