//! `fehu profile`: where the time of a program goes, line by line.

mod calibrate;
mod files;

use crate::args::profile::ProfileArgs;
use crate::commands::{FAILURE, SUCCESS};
use crate::output;
use crate::progress;
use crate::run::wrong;
use fehu_driver::foreign::Calls;
use fehu_driver::save::save;
use fehu_harness::bench::Options;
use fehu_harness::bench::measure::Limits;
use fehu_harness::prepare::Compile;
use fehu_harness::profile::{self, Ran};
use fehu_profile::lines::Profile;
use fehu_profile::machine::Machine;
use fehu_profile::report::Report;
use fehu_profile::spread::{self, Spread};
use fehu_profile::{Run, compare, flame, json, lines, page, table, trace};
use std::io::Read;
use std::time::Duration;

/// `fehu profile`
pub(crate) fn profile(args: &ProfileArgs, program_name: &str) -> u8 {
    match run(args, program_name) {
        Ok(code) => code,
        Err(error) => wrong(&error),
    }
}

fn run(args: &ProfileArgs, program_name: &str) -> Result<u8, String> {
    let before = match &args.compare {
        Some(file) => {
            let text = std::fs::read_to_string(file);
            let text = text.map_err(|error| format!("cannot read \"{file}\": {error}"))?;
            Some(compare::read(&text).map_err(|error| format!("\"{file}\": {error}"))?)
        }
        None => None,
    };
    if args.files.iter().any(|file| file.ends_with(".json")) {
        return files::show(args, program_name);
    }
    let compile = compile(args)?;
    let machine = machine(args, &compile)?;
    if args.files.is_empty() {
        let told = machine.map_or(String::new(), |machine| machine.write());
        output::stdout(&told);
        return Ok(SUCCESS);
    }
    let mut runs = Vec::new();
    for file in &args.files {
        runs.extend(profiled(args, file, &compile, machine.as_ref())?);
    }
    if runs.is_empty() {
        return Err("none of the data sets has such a name".to_owned());
    }
    for (number, run) in runs.iter().enumerate() {
        let gap = if number == 0 { "" } else { "\n" };
        output::stdout(&format!("{gap}{}", table::table(run, args.top)));
    }
    let slowest = runs.iter().max_by(|a, b| a.profile.total.total_cmp(&b.profile.total));
    if let Some(run) = slowest {
        if let Some(before) = &before {
            output::stdout(&format!("\n{}", compare::text(before, run)));
        }
        write(args, run)?;
    }
    Ok(if runs.iter().any(|run| run.failed.is_some()) { FAILURE } else { SUCCESS })
}

/// Writes the files that were asked for.
fn write(args: &ProfileArgs, run: &Run) -> Result<(), String> {
    type Format = fn(&Run) -> String;
    let wanted: [(&Option<String>, Format); 4] = [
        (&args.html, page::page),
        (&args.trace, trace::trace),
        (&args.flame, flame::folded),
        (&args.json, json::json),
    ];
    for (file, format) in wanted {
        if let Some(file) = file {
            save(file, format(run)).map_err(|error| format!("cannot write \"{file}\": {error}"))?;
        }
    }
    Ok(())
}

fn compile(args: &ProfileArgs) -> Result<Compile, String> {
    let server = &args.server;
    if server.futhark.is_some() {
        return Err("programs of another compiler do not know the lines of their operators; \
                    `fehu bench --futhark PROGRAM --profile --json FILE` and `fehu profile FILE` show what they report"
            .to_owned());
    }
    let foreign = server.foreign.read(Calls::Symbols).map_err(|error| error.message)?;
    Ok(Compile {
        floats: server.floats.choice(),
        foreign,
        runner: server.runner.clone().filter(|runner| !runner.is_empty()),
        program_options: server.pass_option.clone(),
        tuning: server.tuning_extension(),
        cache_files: server.cache_extension.clone(),
        profiled: true,
        ..Compile::new(args.backend.target())
    })
}

/// What the machine can do: as it is kept, or measured now.
fn machine(args: &ProfileArgs, compile: &Compile) -> Result<Option<Machine>, String> {
    if !args.calibrate
        && let Some(machine) = calibrate::kept(compile)
    {
        return Ok(Some(machine));
    }
    if args.no_calibration {
        return Ok(None);
    }
    let machine =
        progress::during("measuring what this machine can do", || calibrate::measure(compile))?;
    calibrate::keep(compile, &machine);
    Ok(Some(machine))
}

/// The runs of a program.
fn profiled(
    args: &ProfileArgs,
    file: &str,
    compile: &Compile,
    machine: Option<&Machine>,
) -> Result<Vec<Run>, String> {
    let options = Options {
        compile: compile.clone(),
        limits: Limits::default(),
        timeout: u64::try_from(args.timeout).ok().map(Duration::from_secs),
        entry: args.entry.clone(),
        exclude: Vec::new(),
        spec: None,
        seed: args.seed,
        profile: true,
    };
    let values = || match args.input.as_deref() {
        Some(file) if file != "-" => {
            std::fs::read(file).map_err(|error| format!("cannot read \"{file}\": {error}"))
        }
        Some(_) | None => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().read_to_end(&mut bytes);
            read.map_err(|error| format!("cannot read standard input: {error}"))?;
            Ok(bytes)
        }
    };
    let what = format!("profiling {file}");
    let (times, only_values) = (usize::from(args.runs), args.input.is_some());
    let all = progress::during(&what, || profile::run(file, &options, times, only_values, values))
        .map_err(|error| format!("\"{file}\": {error}"))?;
    let wanted = |ran: &&Ran| args.dataset.as_ref().is_none_or(|name| ran.dataset.contains(name));
    let mut runs = Vec::new();
    for ran in all.runs.iter().filter(wanted) {
        let reports = ran.reports.iter().map(Report::read).collect::<Result<Vec<Report>, _>>();
        let mut reports = reports.map_err(|error| format!("\"{file}\": {error}"))?;
        let mut profiles: Vec<Profile> =
            reports.iter().map(|report| lines::profile(report, machine)).collect();
        let spread = Spread::of(&profiles);
        // There is at least one run.
        let median = spread::median(&profiles).unwrap_or(0);
        runs.push(Run {
            program: file.to_owned(),
            entry: ran.entry.clone(),
            dataset: ran.dataset.clone(),
            backend: compile.target.name().to_owned(),
            failed: ran.failed.clone(),
            profile: profiles.swap_remove(median),
            report: reports.swap_remove(median),
            spread,
            machine: machine.cloned(),
            sources: all.sources.clone(),
        });
    }
    Ok(runs)
}
