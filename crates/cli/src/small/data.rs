//! `fehu datacmp` and `fehu dataget`: values of files and of test blocks.

use crate::args::small::{DatacmpArgs, DatagetArgs};
use crate::commands::{FAILURE, SUCCESS};
use crate::run::{stdin, write, wrong};
use crate::{output, program_name};
use fehu_data::compare::{self, Comparison, Difference, Options};
use fehu_data::{Value, npy, reader, text};
use fehu_driver::save::save;
use fehu_driver::stages::Target;
use fehu_harness::dataget::{self, Data, NoData, Which};
use fehu_harness::prepare::Compile;
use fehu_harness::run;
use std::path::Path;

/// The exit code of values that differ.
const DIFFERENT: u8 = 2;

/// `fehu datacmp`
pub(crate) fn datacmp(args: &DatacmpArgs) -> u8 {
    let (got, expected) = match (values(&args.got), values(&args.expected)) {
        (Ok(got), Ok(expected)) => (got, expected),
        (Err(why), _) | (_, Err(why)) => return wrong(&why),
    };
    let options = Options { tolerance: args.tolerance, limit: args.limit.unwrap_or(usize::MAX) };
    let comparison = compare::compare(&expected, &got, &options);
    let mut lines: String = comparison.differences.iter().map(line).collect();
    if program_name() != "futhark" {
        lines.push_str(&summary(&comparison));
    }
    output::stdout(&lines);
    if comparison.is_equal() { SUCCESS } else { DIFFERENT }
}

/// One difference, with the capital letter that existing tools look for.
fn line(difference: &Difference) -> String {
    let text = difference.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    format!("{}{}\n", first.map(String::from).unwrap_or_default(), chars.as_str())
}

/// What there is to say at the end.
fn summary(comparison: &Comparison) -> String {
    let Comparison { differences, total, compared, largest_error } = comparison;
    let hidden = total - differences.len();
    let more = if hidden > 0 { format!("and {hidden} more differences\n") } else { String::new() };
    let error = match *largest_error > 0.0 {
        true => format!("; the largest error of a number is {largest_error:e}"),
        false => String::new(),
    };
    let verdict = if *total == 0 { "equal".to_owned() } else { format!("{total} differ") };
    format!("{more}{compared} elements compared: {verdict}{error}\n")
}

/// The values of a file, in whatever format.
fn values(file: &str) -> Result<Vec<Value>, String> {
    let bytes = match file {
        "-" => stdin().ok_or_else(|| "there is nothing to compare".to_owned())?,
        file => std::fs::read(file).map_err(|why| format!("{file}: {why}"))?,
    };
    let values = match bytes.starts_with(b"\x93NUMPY") {
        true => npy::read(&bytes).map(|value| vec![value]),
        false => reader::read_all(&bytes),
    };
    values.map_err(|why| format!("Error reading values from {file}: {why}"))
}

/// `fehu dataget`
pub(crate) fn dataget(args: &DatagetArgs) -> u8 {
    let which = if args.output { Which::Output } else { Which::Input };
    let options = run::Options {
        compile: Some(Compile::new(Target::C)),
        max_array_bytes: u64::MAX,
        ..run::Options::default()
    };
    let Data { values, literal } = match dataget::get(&args.program, &args.name, which, &options) {
        Ok(data) => data,
        Err(NoData::Failed(why)) => return wrong(&why),
        Err(NoData::Unknown(names)) => {
            let list = list(&names);
            output::stderr(&format!("No dataset '{}'.\nAvailable datasets:\n{list}", args.name));
            return FAILURE;
        }
        Err(NoData::Ambiguous(names)) => {
            output::stderr(&format!("Dataset '{}' ambiguous:\n{}", args.name, list(&names)));
            return FAILURE;
        }
    };
    let Some(folder) = &args.npy else {
        let binary = args.binary || (!literal && !args.text);
        write(&values, binary, text::Style::DATASET);
        return SUCCESS;
    };
    match save_npy(Path::new(folder), &values) {
        Ok(()) => SUCCESS,
        Err(why) => wrong(&format!("{folder}: {why}")),
    }
}

fn save_npy(folder: &Path, values: &[Value]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (i, value) in values.iter().enumerate() {
        let mut bytes = Vec::new();
        npy::write(&mut bytes, value)?;
        save(folder.join(format!("{i}.npy")), bytes)?;
    }
    Ok(())
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("  {name}\n")).collect()
}
