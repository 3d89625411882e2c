//! Imperative code of whole programs and of random ones, for all back ends, after every stage: it reads back as it was
//! printed, and the verifier accepts it.

use fehu_backend::Target;
use fehu_driver::check::Warnings;
use fehu_driver::dev;
use fehu_driver::files::Disk;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines::of_target;
use fehu_imp::Program;
use fehu_imp::text::{parse, renumber};
use fehu_imp::verify::{Phase, verify};
use fehu_ir::Prog;
use fehu_ir::pass::Remarks;
use fehu_irtest::oracle::Runs;
use fehu_irtest::random::{ALL, each_program, each_way};
use std::path::{Path, PathBuf};

const TARGETS: [Target; 3] = [Target::C, Target::Multicore, Target::OpenCl];

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests/programs", "tests/kernels", "tests/vector", "examples"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder can be read");
        files.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "fut"));
    files.sort();
    assert!(files.len() > 40, "the programs are missing");
    files
}

/// Whether code can be printed and read, and keeps the rules.
fn examine(stage: &str, program: &Program, phase: Phase) -> Result<(), String> {
    let text = program.to_string();
    let again = parse(&text).map_err(|error| format!("after {stage}: {error}\n{text}"))?;
    if again != renumber(program) {
        return Err(format!("after {stage}: it reads as another program\n{text}"));
    }
    if again.to_string() != text {
        return Err(format!("after {stage}: it prints differently when it was read\n{text}"));
    }
    verify(program, phase).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        format!("after {stage}:\n{}\n{text}", errors.join("\n"))
    })
}

/// Makes code of an optimised program; what is wrong with it after one of the stages.
fn make(prog: &Prog, target: Target) -> Result<(), String> {
    let mut prog = prog.clone();
    (fehu_opt::UNSTREAM.run)(&mut prog, &mut Remarks::default());
    // What is too complex for a table has no code.
    let Ok(mut placed) = fehu_mem::assign::assign(prog) else { return Ok(()) };
    let (parallel, device) = (target == Target::Multicore, target.is_gpu());
    fehu_mem::circuit::circuit(&mut placed, device);
    let options = fehu_emit::Options { parallel, device, strict_float: false, tiling: true };
    let mut program = fehu_emit::emit(&placed, options);
    if device {
        examine("emit", &program, Phase::Emitted)?;
        for interleaved in [true, false] {
            let mut program = program.clone();
            fehu_device::device(&mut program, interleaved);
            examine("device", &program, Phase::Device)?;
        }
        return Ok(());
    }
    examine("emit", &program, Phase::Cpu)?;
    fehu_loops::TRANSFORMATIONS.into_iter().try_for_each(|(name, transform)| {
        transform(&mut program);
        examine(name, &program, Phase::Cpu)
    })
}

fn check_programs(target: Target) {
    let mut failures = Vec::new();
    let mut made = 0;
    for path in programs() {
        let name = path.display().to_string();
        let mut result = Ok(());
        let outcome = dev::run(
            &Disk,
            &name,
            Warnings::Hide,
            &Plan::of(of_target(target).passes),
            |_| {},
            &mut |_, _| {},
            |_, prog, _| {
                made += 1;
                result = make(&prog, target);
            },
        );
        outcome.expect("it is a source file");
        if let Err(message) = result {
            failures.push(format!("{name} {message}"));
        }
    }
    assert!(made > 40, "only {made} programs were translated");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn code_for_one_thread_reads_back_and_keeps_the_rules() {
    check_programs(Target::C);
}

#[test]
fn code_for_several_threads_reads_back_and_keeps_the_rules() {
    check_programs(Target::Multicore);
}

#[test]
fn code_for_devices_reads_back_and_keeps_the_rules() {
    check_programs(Target::OpenCl);
}

#[test]
fn code_of_random_programs_reads_back_and_keeps_the_rules() {
    let try_one = |prog: &Prog, target: Target| {
        let mut optimised = prog.clone();
        for pass in of_target(target).passes {
            (pass.run)(&mut optimised, &mut Remarks::default());
        }
        make(&optimised, target).map(|()| Runs { succeeded: 1, ..Runs::default() })
    };
    let all = each_program(ALL, 150, 4, |prog, _| {
        each_way(prog, &TARGETS, try_one, |_, _| String::new())
    });
    let all = all.unwrap_or_else(|message| panic!("{message}"));
    assert!(all.succeeded > 400, "{all:?}");
}
