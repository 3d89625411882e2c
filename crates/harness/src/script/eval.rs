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
    value(machine, &exp)
}

/// The value of an expression.
pub fn value(machine: &mut Machine<'_>, exp: &Exp) -> Result<ScriptValue, ScriptError> {
    machine.exp(exp, &mut Vec::new())
}

/// Applies a function of a script, such as one of those of a film.
pub fn apply(
    machine: &mut Machine<'_>,
    function: &ScriptValue,
    args: Vec<ScriptValue>,
) -> Result<ScriptValue, ScriptError> {
    match function {
        ScriptValue::Function(name, given) => {
            machine.entry(name, given.iter().cloned().chain(args).collect())
        }
        other => meaning(format!("{} is not a function", other.type_name())),
    }
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
    /// What programs cannot do themselves.
    pub builtins: &'a dyn Builtins,
}

/// Functions that read and write files. `$loaddata`, `$loadbytes` and `$restore` are there always.
pub trait Builtins {
    /// The contents of a file; the error says what is wrong.
    fn read(&self, file: &str) -> Result<Vec<u8>, String>;

    /// The names of further functions.
    fn others(&self) -> &'static [&'static str] {
        &[]
    }

    /// Calls one of them.
    fn call(
        &self,
        name: &str,
        _args: &[ScriptValue],
        _program: &mut dyn Executor,
    ) -> Result<ScriptValue, ScriptError> {
        Err(ScriptError::Meaning(format!("there is no builtin function `${name}`")))
    }
}

impl<F: Fn(&str) -> Result<Vec<u8>, String>> Builtins for F {
    fn read(&self, file: &str) -> Result<Vec<u8>, String> {
        self(file)
    }
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
                        self.entry(name, args)
                    }
                }
            }
            Exp::Call(Name::Builtin(name), args) => {
                let args = self.exps(args, scope)?;
                self.builtin(name, &args)
            }
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
                if values.iter().all(ScriptValue::is_untyped) {
                    return Ok(ScriptValue::Numbers(values));
                }
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

    /// The result of an entry point, or a function of the parameters that have no argument yet.
    fn entry(&mut self, name: &str, args: Vec<ScriptValue>) -> Res<ScriptValue> {
        let params = self.program.signature(name).map_err(ScriptError::Run)?.params;
        // One tuple may be several arguments.
        let all = match args.as_slice() {
            [only] => only.components(self.program).map_err(ScriptError::Run)?.map(|all| all.len()),
            _ => None,
        };
        if args.len() < params.len() && all != Some(params.len()) {
            return Ok(ScriptValue::Function(name.to_owned(), args));
        }
        let objects = value::arguments(name, &params, args, self.program)?;
        self.program.call(name, &objects).map(ScriptValue::Object).map_err(ScriptError::Run)
    }

    fn arguments(&mut self, name: &str, args: Vec<ScriptValue>) -> Res<Vec<Object>> {
        let signature = self.program.signature(name).map_err(ScriptError::Run)?;
        value::arguments(name, &signature.params, args, self.program)
    }

    fn builtin(&mut self, name: &str, args: &[ScriptValue]) -> Res<ScriptValue> {
        match (name, args) {
            ("loadbytes", [file]) => {
                let (_, bytes) = self.file(name, file)?;
                Ok(self::bytes(bytes))
            }
            ("loaddata", [file]) => {
                let values = self.data(name, file)?;
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
            ("restore", [ty, file]) => {
                let ty = text(ty).ok_or_else(|| no_text(name))?;
                let values = self.data(name, file)?;
                self.program.put(&ty, &values).map(ScriptValue::Object).map_err(ScriptError::Run)
            }
            ("loadbytes" | "loaddata", _) => meaning(format!("`${name}` takes a file name")),
            ("restore", _) => meaning("`$restore` takes the name of a type and that of a file"),
            _ if self.builtins.others().contains(&name) => {
                self.builtins.call(name, args, self.program)
            }
            _ => {
                let known = ["loadbytes", "loaddata", "restore"];
                let known = known.iter().chain(self.builtins.others());
                let known: Vec<String> = known.map(|name| format!("`${name}`")).collect();
                let known = known.join(", ");
                meaning(format!("there is no builtin function `${name}`; there are {known}"))
            }
        }
    }

    /// The name of a file, and what is in it.
    fn file(&mut self, function: &str, name: &ScriptValue) -> Res<(String, Vec<u8>)> {
        let file = text(name).ok_or_else(|| no_text(function))?;
        let bytes = self.builtins.read(&file).map_err(ScriptError::Meaning)?;
        Ok((file, bytes))
    }

    /// The values in a file.
    fn data(&mut self, function: &str, name: &ScriptValue) -> Res<Vec<Value>> {
        let (file, bytes) = self.file(function, name)?;
        let values = fehu_data::reader::read_all(&bytes);
        values.map_err(|error| ScriptError::Meaning(format!("{file}:{error}")))
    }
}

/// The text that a value is, if it is one: an array of bytes.
pub fn text(value: &ScriptValue) -> Option<String> {
    match value {
        ScriptValue::Value(Value::Array(array)) => {
            String::from_utf8(array.elements::<u8>()?.to_vec()).ok()
        }
        ScriptValue::Value(Value::Scalar(_))
        | ScriptValue::Object(_)
        | ScriptValue::Number(_)
        | ScriptValue::Numbers(_)
        | ScriptValue::Function(..)
        | ScriptValue::Tuple(_)
        | ScriptValue::Record(_) => None,
    }
}

fn no_text(function: &str) -> ScriptError {
    ScriptError::Meaning(format!("`${function}` takes a file name in quotes"))
}

fn bytes(bytes: Vec<u8>) -> ScriptValue {
    ScriptValue::Value(Array::from_vec(bytes).into())
}

fn meaning<T>(message: impl Into<String>) -> Res<T> {
    Err(ScriptError::Meaning(message.into()))
}
