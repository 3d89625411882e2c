//! The optimiser on whole programs: those of the repository at every stage. `random.rs` has random ones.

use fehu_driver::check::{Exit, Warnings};
use fehu_driver::dev;
use fehu_driver::files::Disk;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines::GPU;
use std::path::{Path, PathBuf};

/// The program that is wrong on purpose.
const REFUSED: &str = "tests/programs/refused.fut";
/// Programs that cannot be lowered yet. When they can, this test says so.
const LIMITED: [&str; 0] = [];

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests/programs", "tests/prelude", "examples"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder can be read");
        files.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "fut"));
    files.sort();
    assert!(files.len() > 20, "the programs are missing");
    files
}

#[test]
fn every_dump_of_every_program_reads_as_the_same_program() {
    let (mut translated, mut failures) = (0, Vec::new());
    // Every second program; with `FEHU_WAYS=all`, all.
    let thorough = std::env::var("FEHU_WAYS").is_ok_and(|value| value == "all");
    for (number, path) in programs().into_iter().enumerate() {
        if number % 2 == 1 && !thorough {
            continue;
        }
        let name = path.display().to_string();
        let check = |stage: &str, prog: &_| {
            if let Err(error) = dev::round_trip(prog) {
                panic!("{name} after {stage}: {error}");
            }
        };
        let mut done = false;
        let outcome = dev::run(
            &Disk,
            &name,
            Warnings::Hide,
            // It begins with what all have in common.
            &Plan::of(GPU.passes),
            |prog| check("lower", prog),
            &mut |pass, prog| {
                check(pass.name, prog);
            },
            |_, _, _| done = true,
        )
        .expect("it is a source file");
        let messages: Vec<_> = outcome.diagnostics.iter().map(|d| (&d.message, &d.notes)).collect();
        let wrong = name.ends_with(REFUSED);
        let limited = LIMITED.iter().any(|limited| name.ends_with(limited));
        let expected = match (wrong, limited) {
            (true, _) => Exit::Rejected,
            (false, true) => Exit::Internal,
            (false, false) => Exit::Success,
        };
        if outcome.exit != expected {
            failures
                .push(format!("{name}: {:?} instead of {expected:?}: {messages:?}", outcome.exit));
        }
        translated += usize::from(done);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(translated >= 20, "only {translated} programs were translated");
}
