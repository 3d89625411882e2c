//! What `fehu dev` does: looks at programs in the core IR, between passes and after them.
//!
//! A program comes from a source file, or from a file `NAME.ir` with the text form of the IR.

pub mod reduce;

use crate::check::{Outcome, Warnings};
use crate::files::{Files, ReadError};
use crate::foreign;
use crate::load::Root;
use crate::passes::{Observer, Plan};
use crate::session::Session;
use crate::translate::{Changes, Job, translate, translate_ir};
use fehu_ir::pass::{Remark, RemarkKind, Remarks};
use fehu_ir::text::{parse, renumber};
use fehu_ir::verify::{render, verify};
use fehu_ir::{Loc, Prog};
use fehu_irtest::count;
use fehu_opt::foreign::Choice;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Translates a program and runs passes; like [`translate`], for both kinds of files. The error is that an `.ir`
/// file has no valid program.
pub fn run(
    files: &dyn Files,
    path: &str,
    warnings: Warnings,
    plan: &Plan,
    lowered: impl FnOnce(&Prog) + Send,
    observer: &mut Observer<'_>,
    finish: impl FnOnce(&mut Session, Prog, Remarks) + Send,
) -> Result<Outcome, String> {
    if !path.ends_with(".ir") {
        let root = Root::Path(path.to_owned());
        // Whoever asks for the stages of a back end sees what it does.
        let foreign = match plan.stages.is_empty() {
            true => Choice::Bodies,
            false => Choice::Symbols(foreign::platform(plan.target)),
        };
        let changes = Changes { foreign, ..Changes::default() };
        let job = Job { files, root: &root, warnings, plan, changes };
        return Ok(translate(&job, lowered, observer, finish));
    }
    let prog = read_ir(files, path)?;
    lowered(&prog);
    Ok(translate_ir(&prog, plan, observer, finish))
}

/// Reads a file with the text form of a program, and verifies it.
pub fn read_ir(files: &dyn Files, path: &str) -> Result<Prog, String> {
    let bytes = files.read(path).map_err(|error| match error {
        ReadError::NotFound => format!("there is no file \"{path}\""),
        ReadError::Directory => format!("\"{path}\" is a folder"),
        ReadError::TooLarge => format!("\"{path}\" is too large"),
        ReadError::Refused(why) => format!("cannot read \"{path}\": {why}"),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| format!("\"{path}\" is not text"))?;
    // What stands after this line in a test of passes is the result.
    let (text, _) = fehu_irtest::folder::split(&text);
    let prog = parse(text).map_err(|error| format!("{path}:{error}"))?;
    match verify(&prog) {
        Ok(()) => Ok(prog),
        Err(errors) => Err(format!("{path}: the program is rejected:\n{}", render(&prog, &errors))),
    }
}

/// Whether a program is valid, and its text reads as the same program.
pub fn round_trip(prog: &Prog) -> Result<(), String> {
    if let Err(errors) = verify(prog) {
        return Err(format!("it is rejected:\n{}", render(prog, &errors)));
    }
    let text = prog.to_string();
    let again =
        parse(&text).map_err(|error| format!("its text cannot be parsed: {error}\n{text}"))?;
    if again != renumber(prog) {
        return Err(format!("its text parses as a different program:\n{text}"));
    }
    if again.to_string() != text {
        return Err(format!("printing the parsed program gives different text:\n{text}"));
    }
    Ok(())
}

/// How often each operator occurs in a program.
pub type Counts = BTreeMap<&'static str, usize>;

/// Counts the operators of a program.
pub fn count(prog: &Prog) -> Counts {
    count::count(prog)
}

/// A table of operators, with a column for each program.
pub fn count_table(columns: &[(&str, Counts)]) -> String {
    let counts: Vec<&Counts> = columns.iter().map(|(_, counts)| counts).collect();
    let mut rows: Vec<(&str, Vec<usize>)> = Vec::new();
    for name in count::NAMES {
        let row = counts.iter().map(|counts| counts.get(name).copied().unwrap_or(0));
        rows.push((name, row.collect()));
    }
    let scalar = counts.iter().map(|counts| {
        let others = counts.iter().filter(|(name, _)| !count::NAMES.contains(name));
        others.map(|(_, number)| number).sum()
    });
    rows.push(("scalar", scalar.collect()));
    rows.retain(|(_, numbers)| numbers.iter().any(|number| *number > 0));
    let mut text = format!("{:12}", "");
    for (name, _) in columns {
        let _ = write!(text, " {name:>10}");
    }
    text.push('\n');
    for (name, numbers) in rows {
        let _ = write!(text, "{name:12}");
        for number in numbers {
            let _ = write!(text, " {number:>10}");
        }
        text.push('\n');
    }
    text
}

/// What passes decided, a line for each remark.
pub fn show_remarks(remarks: &Remarks) -> String {
    remarks.list.iter().map(show_remark).collect()
}

fn show_remark(remark: &Remark) -> String {
    let kind = match remark.kind {
        RemarkKind::Done => "done",
        RemarkKind::Missed => "missed",
        RemarkKind::Check => "check",
    };
    let place = remark.loc.as_ref().map_or(String::new(), |loc| format!("{}: ", loc.0));
    let other = |loc: Option<&Loc>| loc.map_or("elsewhere".into(), |loc| format!("at {}", loc.0));
    format!("{place}{}: {kind}: {}\n", remark.pass, remark.sentence(other))
}
