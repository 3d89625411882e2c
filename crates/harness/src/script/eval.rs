//! What scripts mean.

use super::parse::{self, SyntaxError};
use super::value::{self, ScriptValue};
use super::{Exp, Name, Shape};
use crate::executor::{Executor, Failure, Object};
use fehu_data::{Array, Value};
use std::fmt;

/// The value of a script.
pub fn eval(machine: &mut Machine<'_>, script: &str) -> Result<ScriptValue, ScriptError> {
    let exp = parse::parse(script).map_err(ScriptError::Syntax)?;
    machine.exp(&exp, &mut Vec::new())
}

/// Evaluates a script, and calls an entry point with the result: a tuple is several arguments, unless
/// there is one parameter.
pub fn call(machine: &mut Machine<'_>, entry: &str, script: &str) -> Result<Object, ScriptError> {
    let args = arguments(machine, entry, script)?;
    machine.program.call(entry, &args).map_err(ScriptError::Run)
}

/// The arguments of an entry point that a script makes.
pub fn arguments(
    machine: &mut Machine<'_>,
    entry: &str,
    script: &str,
) -> Result<Vec<Object>, ScriptError> {
    let argument = eval(machine, script)?;
    // A unit is no argument at all.
    let none = matches!(&argument, ScriptValue::Tuple(parts) if parts.is_empty());
    machine.arguments(entry, if none { Vec::new() } else { vec![argument] })
}

/// The values that the value of a script consists of.
pub fn values(machine: &mut Machine<'_>, value: &ScriptValue) -> Result<Vec<Value>, ScriptError> {
    value.values(machine.program).map_err(ScriptError::Run)
}

/// What a script can use.
pub struct Machine<'a> {
    /// The program, whose entry points are the functions.
    pub program: &'a mut dyn Executor,
    /// Reads a file for `$loaddata` and `$loadbytes`; the error says what is wrong.
    pub read: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
}

/// Why a script has no value.
#[derive(Clone, PartialEq, Debug)]
pub enum ScriptError {
    /// It cannot be read.
    Syntax(SyntaxError),
    /// It makes no sense.
    Meaning(String),
    /// An entry point failed.
    Run(Failure),
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScriptError::Syntax(error) => write!(f, "{error}"),
            ScriptError::Meaning(message) => f.write_str(message),
            ScriptError::Run(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ScriptError {}

type Res<T> = Result<T, ScriptError>;
type Scope = Vec<(String, ScriptValue)>;

impl Machine<'_> {
    fn exp(&mut self, exp: &Exp, scope: &mut Scope) -> Res<ScriptValue> {
        match exp {
            Exp::Call(Name::Plain(name), args) => {
                let found = scope.iter().rev().find(|(bound, _)| bound == name);
                match (found, args.as_slice()) {
                    (Some((_, value)), []) => Ok(value.clone()),
                    (Some(_), _) => meaning(format!("\"{name}\" is a variable, not a function")),
                    (None, args) => {
                        let args = self.exps(args, scope)?;
                        self.entry(name, args).map(ScriptValue::Object)
                    }
                }
            }
            Exp::Call(Name::Builtin(name), args) => self.builtin(name, args),
            Exp::Let(names, shape, bound, body) => {
                let value = self.exp(bound, scope)?;
                let depth = scope.len();
                match shape {
                    Shape::Whole => scope.extend(names.first().cloned().map(|name| (name, value))),
                    Shape::Tuple => {
                        let parts = value.components(self.program).map_err(ScriptError::Run)?;
                        let parts = parts.filter(|parts| parts.len() == names.len());
                        let Some(parts) = parts else {
                            let (wanted, got) = (names.len(), value.type_name());
                            return meaning(format!("{got} is not a tuple of {wanted} components"));
                        };
                        scope.extend(names.iter().cloned().zip(parts));
                    }
                }
                let result = self.exp(body, scope);
                scope.truncate(depth);
                result
            }
            Exp::Number(text) => Ok(ScriptValue::Number(text.clone())),
            Exp::Literal(value) => Ok(ScriptValue::Value(value.clone())),
            Exp::String(text) => Ok(bytes(text.as_bytes().to_vec())),
            Exp::Tuple(parts) => Ok(ScriptValue::Tuple(self.exps(parts, scope)?)),
            Exp::Record(fields) => {
                let mut values: Scope = Vec::with_capacity(fields.len());
                for (name, field) in fields {
                    if values.iter().any(|(other, _)| other == name) {
                        return meaning(format!("the field \"{name}\" occurs twice"));
                    }
                    values.push((name.clone(), self.exp(field, scope)?));
                }
                Ok(ScriptValue::Record(values))
            }
            Exp::Array(elements) => {
                let values = self.exps(elements, scope)?;
                let made = value::array(&values, self.program).map_err(ScriptError::Run)?;
                made.map_or_else(
                    || meaning("the elements of an array must be values of one type and size"),
                    |value| Ok(ScriptValue::Value(value)),
                )
            }
            Exp::Field(record, name) => {
                let record = self.exp(record, scope)?;
                let field = record.field(name, self.program).map_err(ScriptError::Run)?;
                field.map_or_else(
                    || meaning(format!("{} has no field \"{name}\"", record.type_name())),
                    Ok,
                )
            }
            Exp::Index(array, indices) => {
                let array = self.exp(array, scope)?;
                let mut value = array.as_value(self.program).map_err(ScriptError::Run)?;
                for index in self.exps(indices, scope)? {
                    let number = index.as_value(self.program).map_err(ScriptError::Run)?;
                    let position = number
                        .as_ref()
                        .and_then(|number| usize::try_from(number.as_scalar()?.as_integer()?).ok());
                    let row = value.as_ref().and_then(|value| value.as_array()?.row(position?));
                    let Some(row) = row else {
                        let array = array.type_name();
                        let number = number.map_or(index.type_name(), |number| number.to_string());
                        return meaning(format!("{array} has no element at index {number}"));
                    };
                    value = Some(row);
                }
                value.map_or_else(
                    || meaning(format!("{} is not an array of scalars", array.type_name())),
                    |value| Ok(ScriptValue::Value(value)),
                )
            }
        }
    }

    fn exps(&mut self, exps: &[Exp], scope: &mut Scope) -> Res<Vec<ScriptValue>> {
        exps.iter().map(|exp| self.exp(exp, scope)).collect()
    }

    fn entry(&mut self, name: &str, args: Vec<ScriptValue>) -> Res<Object> {
        let objects = self.arguments(name, args)?;
        self.program.call(name, &objects).map_err(ScriptError::Run)
    }

    fn arguments(&mut self, name: &str, args: Vec<ScriptValue>) -> Res<Vec<Object>> {
        let signature = self.program.signature(name).map_err(ScriptError::Run)?;
        value::arguments(name, &signature.params, args, self.program)
    }

    /// Functions that read files, which no program can do itself.
    fn builtin(&mut self, name: &str, args: &[Exp]) -> Res<ScriptValue> {
        let file = match args {
            [Exp::String(file)] => file,
            _ => return meaning(format!("`${name}` takes a file name in quotes")),
        };
        let bytes = (self.read)(file).map_err(ScriptError::Meaning)?;
        match name {
            "loadbytes" => Ok(self::bytes(bytes)),
            "loaddata" => {
                let values = fehu_data::reader::read_all(&bytes);
                let values =
                    values.map_err(|error| ScriptError::Meaning(format!("{file}:{error}")))?;
                let mut values: Vec<ScriptValue> =
                    values.into_iter().map(ScriptValue::Value).collect();
                match values.pop() {
                    Some(only) if values.is_empty() => Ok(only),
                    last => {
                        values.extend(last);
                        Ok(ScriptValue::Tuple(values))
                    }
                }
            }
            _ => meaning(format!(
                "there is no builtin function `${name}`; the builtin functions are `$loaddata` and `$loadbytes`"
            )),
        }
    }
}

fn bytes(bytes: Vec<u8>) -> ScriptValue {
    ScriptValue::Value(Array::from_vec(bytes).into())
}

fn meaning<T>(message: impl Into<String>) -> Res<T> {
    Err(ScriptError::Meaning(message.into()))
}
