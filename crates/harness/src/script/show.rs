//! Values of scripts as people read them: tuples and records as such, arrays in the text format.

use super::{ScriptError, ScriptValue};
use crate::executor::Executor;
use fehu_data::ValueType;
use fehu_data::text::{self, Style};

/// A value as text: `(1i32, {x=2.0f32})`. What is opaque cannot be shown.
pub fn show(value: &ScriptValue, program: &mut dyn Executor) -> Result<String, ScriptError> {
    if let Some(value) = value.as_value(program).map_err(ScriptError::Run)? {
        return Ok(text::to_string(&value, Style::DATASET));
    }
    if let Some(parts) = value.components(program).map_err(ScriptError::Run)? {
        let parts = parts.iter().map(|part| show(part, program)).collect::<Result<Vec<_>, _>>()?;
        return Ok(format!("({})", parts.join(", ")));
    }
    let fields = value.named(program).map_err(ScriptError::Run)?;
    if let Some(fields) = fields {
        let field = |(name, field): &(String, ScriptValue)| {
            show(field, program).map(|shown| format!("{name}={shown}"))
        };
        let fields = fields.iter().map(field).collect::<Result<Vec<_>, _>>()?;
        return Ok(format!("{{{}}}", fields.join(", ")));
    }
    if value.type_name() == "()" {
        return Ok("()".to_owned());
    }
    Err(ScriptError::Meaning(format!("{} cannot be shown", named(value))))
}

/// What a value is that cannot be shown.
fn named(value: &ScriptValue) -> String {
    let ty = value.type_name();
    match value {
        ScriptValue::Object(_) if ValueType::parse(&ty).is_none() => {
            format!("a value of the opaque type \"{ty}\"")
        }
        ScriptValue::Object(_)
        | ScriptValue::Value(_)
        | ScriptValue::Number(_)
        | ScriptValue::Numbers(_)
        | ScriptValue::Function(..)
        | ScriptValue::Tuple(_)
        | ScriptValue::Record(_) => ty,
    }
}
