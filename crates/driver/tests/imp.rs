//! Imperative code of whole programs and of random ones, for all back ends, after every stage: it reads back as it was
//! printed, and the verifier accepts it.

use fehu_backend::Target;
use fehu_driver::check::Warnings;
use fehu_driver::code::{Code, Form, Settings, Stage};
use fehu_driver::dev;
use fehu_driver::files::Disk;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines::of_target;
use fehu_driver::without::Without;
use fehu_imp::text::{parse, renumber};
use fehu_ir::Prog;
use fehu_ir::pass::Remarks;
use fehu_irtest::oracle::Runs;
use fehu_irtest::random::{ALL, each_program, each_way};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const TARGETS: [Target; 3] = [Target::C, Target::Multicore, Target::OpenCl];

/// Our programs, and whether they become code for all targets. Those that test the prelude are the longest, and alike:
/// they become code for one thread only.
fn programs() -> Vec<(PathBuf, bool)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests/programs", "tests/kernels", "tests/vector", "examples", "tests/prelude"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder can be read");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        files.extend(paths.map(|path| (path, folder != "tests/prelude")));
    }
    files.retain(|(path, _)| path.extension().is_some_and(|extension| extension == "fut"));
    files.sort();
    assert!(files.len() > 40, "the programs are missing");
    files
}

/// Whether code can be printed and read, and keeps the rules. Many stages leave a program as it was, and most programs are the
/// same without a part of the compiler: each text is examined once.
fn examine(stage: &str, code: &Code, seen: &mut BTreeSet<String>) -> Result<(), String> {
    let Code::Imp(_, program, _) = code else { return Ok(()) };
    let text = program.to_string();
    if !seen.insert(text.clone()) {
        return Ok(());
    }
    let again = parse(&text).map_err(|error| format!("after {stage}: {error}\n{text}"))?;
    if again != renumber(program) {
        return Err(format!("after {stage}: it reads as another program\n{text}"));
    }
    if again.to_string() != text {
        return Err(format!("after {stage}: it prints differently when it was read\n{text}"));
    }
    code.verify().map_err(|error| format!("after {stage}: {error}\n{text}"))
}

/// The parts of the compiler that code for GPUs is made without. Each program takes one of them in turn; with `FEHU_WAYS=all`,
/// all.
const WAYS: [&str; 3] = ["", "coalescing", "inlining"];

fn is_thorough() -> bool {
    std::env::var("FEHU_WAYS").is_ok_and(|value| value == "all")
}

fn ways(target: Target, number: usize) -> &'static [&'static str] {
    let all = is_thorough();
    match number / 2 % WAYS.len() {
        _ if !target.is_gpu() => &WAYS[..1],
        _ if all => &WAYS,
        way => &WAYS[way..=way],
    }
}

/// Makes code of an optimised program; what is wrong with it after one of the stages.
fn make(prog: &Prog, target: Target, ways: &[&str]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for without in ways {
        let without = Without::parse(without).expect("there is such a part");
        let settings = Settings { without, ..Settings::of(target) };
        let mut code = Code::Arrays(Box::new(prog.clone()));
        // All can be printed as C for one thread; what is printed for others is seen where it is compiled.
        let wanted = |stage: &&Stage| stage.gives() != Form::C || target == Target::C;
        for stage in of_target(target).stages.iter().filter(wanted) {
            // What is too complex for a table has no code.
            let Ok(next) = stage.apply(code, &settings) else { return Ok(()) };
            code = next;
            examine(stage.name, &code, &mut seen)?;
        }
    }
    Ok(())
}

/// Optimises a program, and makes code of it.
fn optimise_and_make(prog: &Prog, target: Target, ways: &[&str]) -> Result<(), String> {
    let mut optimised = prog.clone();
    for pass in of_target(target).passes {
        (pass.run)(&mut optimised, &mut Remarks::default());
    }
    make(&optimised, target, ways)
}

/// All targets in one test, so that each program is checked and lowered once. It takes every second program; with
/// `FEHU_WAYS=all`, all.
#[test]
fn code_of_our_programs_reads_back_and_keeps_the_rules() {
    let mut failures = Vec::new();
    let mut made = 0;
    for (number, (path, for_all)) in programs().into_iter().enumerate() {
        if number % 2 == 0 && !is_thorough() {
            continue;
        }
        let name = path.display().to_string();
        let targets = if for_all { &TARGETS[..] } else { &TARGETS[..1] };
        let outcome = dev::run(
            &Disk,
            &name,
            Warnings::Hide,
            &Plan::of(&[]),
            |_| {},
            &mut |_, _| {},
            |_, prog, _| {
                for target in targets {
                    made += 1;
                    if let Err(message) = optimise_and_make(&prog, *target, ways(*target, number)) {
                        failures.push(format!("{name} for {target:?} {message}"));
                    }
                }
            },
        );
        outcome.expect("it is a source file");
    }
    assert!(made > 80, "only {made} programs were translated");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn code_of_random_programs_reads_back_and_keeps_the_rules() {
    let try_one = |prog: &Prog, target: Target| {
        let ways = if target.is_gpu() { &WAYS[..] } else { &WAYS[..1] };
        optimise_and_make(prog, target, ways).map(|()| Runs { succeeded: 1, ..Runs::default() })
    };
    let all =
        each_program(ALL, 60, 4, |prog, _| each_way(prog, &TARGETS, try_one, |_, _| String::new()));
    let all = all.unwrap_or_else(|message| panic!("{message}"));
    assert!(all.succeeded > 160, "{all:?}");
}
