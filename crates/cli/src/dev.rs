//! `fehu dev`: programs between the passes, for people who change the compiler.

use crate::args::PlanArgs;
use crate::args::dev::{DevArgs, DevCommand, ReduceArgs};
use crate::commands::{FAILURE, SUCCESS, exit};
use crate::output;
use crate::run::{values_in, values_out, wrong};
use fehu_driver::check::{Exit, Warnings};
use fehu_driver::dev::{self, reduce};
use fehu_driver::files::Disk;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines;
use fehu_driver::run::Compiled;
use fehu_driver::save::save;
use fehu_driver::without::Without;

/// `fehu dev`
pub(crate) fn dev(args: &DevArgs) -> u8 {
    if let Some(DevCommand::Reduce(args)) = &args.command {
        return reduce(args);
    }
    let plan = match dev_plan(args) {
        Ok(plan) => plan,
        Err(error) => return wrong(&error),
    };
    for name in &args.dump_after {
        let mut names =
            plan.passes.iter().map(|pass| pass.name).chain(plan.stages.iter().map(|it| it.name));
        if !names.any(|found| found == name) {
            return wrong(&format!("\"{name}\" does not run, so there is no program after it"));
        }
    }
    if args.verify {
        return verify(args, &plan);
    }
    match &args.files[..] {
        [file] => one(args, &plan, file),
        [] => wrong("no program was given"),
        _ => wrong("only `--verify` takes more than one program"),
    }
}

/// The passes and stages that options ask for.
fn dev_plan(args: &DevArgs) -> Result<Plan, String> {
    let mut plan = plan(&args.plan, pipelines::NONE.name)?;
    plan.target = args.backend.target();
    if let Some(name) = &args.after {
        (plan.passes, plan.stages) = pipelines::up_to(plan.target, name)?;
        plan = plan.leaving_out(Without::parse(args.plan.without.as_deref().unwrap_or_default())?);
    }
    Ok(plan)
}

/// The passes that options ask for.
pub(crate) fn plan(args: &PlanArgs, default: &str) -> Result<Plan, String> {
    let passes = match (&args.passes, &args.pipeline) {
        (Some(names), _) => pipelines::passes(names)?,
        (None, name) => pipelines::pipeline(name.as_deref().unwrap_or(default))?.passes.to_vec(),
    };
    let stages = pipelines::stages(args.stages.as_deref().unwrap_or_default())?;
    let without = Without::parse(args.without.as_deref().unwrap_or_default())?;
    let plan = Plan {
        verify: !args.no_verify,
        stages,
        chunk: args.chunk,
        derivative_memory: args.derivative_memory,
        ..Plan::of(&passes)
    };
    Ok(plan.leaving_out(without))
}

fn one(args: &DevArgs, plan: &Plan, file: &str) -> u8 {
    let (mut before, mut after) = (None, None);
    let mut number = 0;
    let mut failed = None;
    let mut compiled = None;
    let (mut text, mut print_code) = (String::new(), false);
    // What comes after the passes, and what is wanted of it.
    let mut late: Vec<(&str, Option<String>)> = Vec::new();
    let mut observe = |pass: &str, printed: &dyn Fn() -> String| {
        number += 1;
        if !args.dump_after.iter().any(|name| name == pass) {
            return;
        }
        match &args.dump_to {
            None => output::stdout(&format!("-- after {pass}\n{}\n", printed())),
            Some(folder) => {
                let path = format!("{folder}/{number:02}-{pass}.ir");
                if let Err(error) = save(&path, printed()) {
                    failed = Some(format!("cannot write \"{path}\": {error}"));
                }
            }
        }
    };
    let outcome = dev::run(
        &Disk,
        file,
        Warnings::Hide,
        plan,
        |prog| before = args.count.then(|| dev::count(prog)),
        &mut |pass, prog| observe(pass.name, &|| prog.to_string()),
        |session, prog, remarks| {
            after = args.count.then(|| dev::count(&prog));
            if args.remarks {
                text.push_str(&dev::show_remarks(&remarks));
            }
            let asked = args.count || args.remarks || args.interpret || args.timings;
            if args.print || !asked && args.dump_after.is_empty() {
                if plan.stages.is_empty() {
                    text.push_str(&prog.to_string());
                }
                print_code = true;
            }
            let prepared = Compiled::prepare(session, prog, Default::default());
            compiled = prepared.staged(session, plan, &mut |stage, code| {
                let wanted = args.dump_after.iter().any(|name| name == stage.name);
                late.push((stage.name, wanted.then(|| code.to_string())));
            });
            if let (true, Some(code)) = (print_code, compiled.as_ref().and_then(Compiled::code)) {
                text.push_str(&code.to_string());
            }
        },
    );
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return wrong(&error),
    };
    for (stage, printed) in &late {
        observe(stage, &|| printed.clone().unwrap_or_default());
    }
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    if let (Some(before), Some(after)) = (before, after) {
        let mut columns = vec![("before", before)];
        if !plan.passes.is_empty() {
            columns.push(("after", after));
        }
        output::stdout(&dev::count_table(&columns));
    }
    output::stdout(&text);
    if args.timings {
        output::stderr(&outcome.timings.to_string());
    }
    if let Some(error) = failed {
        return wrong(&error);
    }
    let Some(mut compiled) = compiled.filter(|_| outcome.exit == Exit::Success) else {
        return exit(outcome);
    };
    if !args.interpret {
        return SUCCESS;
    }
    let values = match values_in(&compiled, &args.entry) {
        Ok(values) => values,
        Err(code) => return code,
    };
    values_out(&mut compiled, &args.entry, values, false)
}

/// Whether programs are valid and their texts read back, lowered and after each pass.
fn verify(args: &DevArgs, plan: &Plan) -> u8 {
    let mut files = args.files.clone();
    if let Some(list) = &args.list {
        match std::fs::read_to_string(list) {
            Ok(text) => {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                files.extend(lines.map(str::to_owned));
            }
            Err(error) => return wrong(&format!("cannot read \"{list}\": {error}")),
        }
    }
    let (mut good, mut refused, mut bad) = (0, 0, 0);
    for file in &files {
        let (mut first, mut problems) = (None, Vec::new());
        let outcome = dev::run(
            &Disk,
            file,
            Warnings::Hide,
            plan,
            |prog| first = dev::round_trip(prog).err(),
            &mut |pass, prog| {
                problems.extend(dev::round_trip(prog).err().map(|error| (pass.name, error)));
            },
            |_, _, _| {},
        );
        problems.extend(first.map(|error| ("lower", error)));
        let code = match outcome {
            Ok(outcome) => {
                let message = outcome.diagnostics.first().map_or("", |d| d.message.as_str());
                if outcome.exit == Exit::Internal {
                    output::stdout(&format!("{file}: {message}\n"));
                }
                outcome.exit
            }
            Err(error) => {
                output::stdout(&format!("{error}\n"));
                Exit::Internal
            }
        };
        for (stage, error) in &problems {
            output::stdout(&format!("{file}: after {stage}: {error}\n"));
        }
        match code {
            Exit::Success if problems.is_empty() => good += 1,
            // Not a program for the compiler: some tests are wrong on purpose.
            Exit::Rejected => refused += 1,
            Exit::Success | Exit::Internal => bad += 1,
        }
    }
    output::stdout(&format!("{good} good, {bad} bad, {refused} rejected by the checker\n"));
    if bad == 0 && good > 0 { SUCCESS } else { FAILURE }
}

fn reduce(args: &ReduceArgs) -> u8 {
    let work = || -> Result<String, String> {
        let question = reduce::Question::read(&args.check)?;
        let prog = dev::read_ir(&Disk, &args.file)?;
        Ok(reduce::run(&prog, &question, args.budget, args.seed)?.to_string())
    };
    match work() {
        Ok(text) => {
            output::stdout(&text);
            SUCCESS
        }
        Err(error) => wrong(&error),
    }
}
