//! The data of one case of a program's test blocks: its input, or what should come out.

use crate::blocks::{self, Case, Expected, Input};
use crate::case::{self, Arguments, Wanted};
use crate::files;
use crate::prepare::{self, Programs};
use crate::run::Options;
use crate::script::{self, Machine};
use fehu_data::Value;
use std::path::Path;

/// Why there is no data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoData {
    /// No case has this name; these are there.
    Unknown(Vec<String>),
    /// Several cases have this in their names.
    Ambiguous(Vec<String>),
    /// Something else, in words.
    Failed(String),
}

/// What is wanted of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// Its input.
    Input,
    /// What should come out; where the test does not say it, what comes out.
    Output,
}

/// Data, and how it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Data {
    /// The values.
    pub values: Vec<Value>,
    /// Whether the program itself contains them, as text.
    pub literal: bool,
}

/// The data of the case with this name, or of the only one whose name contains it.
pub fn get(path: &str, name: &str, which: Which, options: &Options) -> Result<Data, NoData> {
    let failed = |why: String| NoData::Failed(why);
    let text = std::fs::read_to_string(path).map_err(|why| failed(format!("{path}: {why}")))?;
    let test = blocks::read(&text).map_err(|why| failed(format!("{path}: {why}")))?;
    let case = find(&test.cases, name)?;
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    match (which, &case.input, &case.expected) {
        (Which::Input, Input::Values(values), _) | (Which::Output, _, Expected::Values(values)) => {
            return Ok(Data { values: values.clone(), literal: true });
        }
        (Which::Output, _, Expected::File(file)) => {
            let values = files::values(folder, file).map_err(failed)?;
            return Ok(Data { values, literal: false });
        }
        (Which::Output, _, Expected::Error(expected)) => {
            return Err(failed(format!("this case should fail, with `{expected}`")));
        }
        (Which::Input, _, _) | (Which::Output, _, Expected::Success | Expected::Auto) => {}
    }
    let entry = case.entries.first().map_or("main", String::as_str);
    let (_, prepared) = prepare::prepare(path, options, false);
    let mut programs: Programs = prepared.map_err(failed)?;
    let program = programs.tested.as_mut();
    let arguments =
        case::read_input(program, folder, entry, &case.input, options.seed).map_err(failed)?;
    let values = match (which, arguments) {
        (Which::Input, Arguments::Values(values)) => values,
        (Which::Input, Arguments::Script(text)) => {
            let read = |file: &str| files::bytes(folder, file);
            let mut machine = Machine { program, read: &read };
            let value = script::eval::eval(&mut machine, &text);
            let values = value.and_then(|value| script::eval::values(&mut machine, &value));
            values.map_err(|error| failed(case::failure(&error)))?
        }
        (Which::Output, arguments) => {
            let result = case::execute(program, folder, entry, &arguments, options, Wanted::All);
            result.map_err(|error| failed(case::failure(&error)))?
        }
    };
    Ok(Data { values, literal: false })
}

/// The case with this name, or the only one whose name contains it.
fn find<'a>(cases: &'a [Case], name: &str) -> Result<&'a Case, NoData> {
    if let Some(case) = cases.iter().find(|case| case.name == name) {
        return Ok(case);
    }
    let names = |cases: &[&Case]| cases.iter().map(|case| case.name.clone()).collect();
    let similar: Vec<&Case> = cases.iter().filter(|case| case.name.contains(name)).collect();
    match similar.as_slice() {
        [] => Err(NoData::Unknown(names(&cases.iter().collect::<Vec<_>>()))),
        [case] => Ok(case),
        several => Err(NoData::Ambiguous(names(several))),
    }
}
