//! Profiles from files: results of `bench --profile --json`, and reports of programs, ours and others'.

use super::{ProfileArgs, write};
use crate::commands::SUCCESS;
use crate::output;
use fehu_driver::save::save;
use fehu_harness::bench::json;
use fehu_profile::report::Report;
use fehu_profile::spread::Spread;
use fehu_profile::{Run, centres, lines, page, table};
use std::path::Path;

/// A report, and what it is about.
struct Named {
    program: String,
    dataset: String,
    report: Report,
    stderr: String,
}

/// Shows files, or writes a folder for each if the program is called `futhark`.
pub(super) fn show(args: &ProfileArgs, program_name: &str) -> Result<u8, String> {
    for file in &args.files {
        let all = read(file)?;
        if program_name == "futhark" {
            folder(file, &all)?;
            continue;
        }
        for (number, named) in all.iter().enumerate() {
            let gap = if number == 0 { "" } else { "\n" };
            let run = run(named);
            let text = match named.report.operators.is_empty() {
                true => format!("{}\n\n{}", table::title(&run), centres::summary(&named.report)),
                false => table::table(&run, args.top),
            };
            output::stdout(&format!("{gap}{text}"));
        }
        let runs = all.iter().map(run);
        if let Some(run) = runs.max_by(|a, b| a.profile.total.total_cmp(&b.profile.total)) {
            write(args, &run)?;
        }
    }
    Ok(SUCCESS)
}

fn read(file: &str) -> Result<Vec<Named>, String> {
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| format!("cannot read \"{file}\": {error}"))?;
    let told = |error: String| format!("\"{file}\": {error}");
    let Ok(groups) = json::read(&text) else {
        let report = Report::parse(&text).map_err(told)?;
        let (program, dataset) = (file.to_owned(), String::new());
        return Ok(vec![Named { program, dataset, report, stderr: String::new() }]);
    };
    let mut all = Vec::new();
    for group in groups {
        for (dataset, measured) in group.datasets {
            let Ok(measured) = measured else { continue };
            let Some(report) = &measured.profiling else { continue };
            let report = Report::read(report).map_err(told)?;
            let program = group.name.clone();
            all.push(Named { program, dataset, report, stderr: measured.stderr });
        }
    }
    match all.is_empty() {
        true => Err(format!(
            "\"{file}\" has no profiles; `fehu bench --profile --json {file}` writes them"
        )),
        false => Ok(all),
    }
}

fn run(named: &Named) -> Run {
    let profile = lines::profile(&named.report, None);
    Run {
        program: named.program.clone(),
        entry: String::new(),
        dataset: named.dataset.clone(),
        backend: "reported".to_owned(),
        failed: None,
        spread: Spread::of(std::slice::from_ref(&profile)),
        profile,
        report: named.report.clone(),
        machine: None,
        sources: Vec::new(),
    }
}

/// A folder beside the file, with the log, a summary, the events in order, and a page for each data set.
fn folder(file: &str, all: &[Named]) -> Result<(), String> {
    let root = Path::new(file.strip_suffix(".json").unwrap_or(file)).with_extension("prof");
    let plain = |text: &str| -> String {
        let sign = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        text.chars().map(sign).collect()
    };
    output::stdout(&format!("Writing results to {}/\n", root.display()));
    for named in all {
        let folder = match named.dataset.is_empty() {
            true => root.clone(),
            false => root.join(plain(&named.program)),
        };
        let told =
            |error: std::io::Error| format!("cannot write to \"{}\": {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(told)?;
        let stem = if named.dataset.is_empty() { &named.program } else { &named.dataset };
        let stem =
            plain(Path::new(stem).file_name().and_then(|name| name.to_str()).unwrap_or(stem));
        let texts = [
            (format!("{stem}.log"), named.stderr.clone()),
            (format!("{stem}.summary"), centres::summary(&named.report)),
            (format!("{stem}.timeline"), centres::timeline(&named.report)),
            (format!("{stem}-index.html"), page::page(&run(named))),
        ];
        for (name, text) in texts {
            save(folder.join(name), text).map_err(told)?;
        }
    }
    Ok(())
}
