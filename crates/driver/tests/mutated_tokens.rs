//! No program makes the checker fail or run for ever: accepted programs with their tokens mixed up.
//!
//! Most of the mutants that still parse are wrong in their names, types, sizes or consumption, and so reach the corners of
//! the checker. Many mutants are checked together, as files of one program, because each run has to
//! check the prelude first.
//!
//! The same mutants are made in every run. `MUTANTS=100000 SEED=7 cargo test --release --test
//! mutated_tokens` looks further.

use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Exit, Warnings};
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_irgen::rng::Rng;
use fehu_srcgen::mutant::mutant;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// How many mutants that parse are checked, unless the environment says otherwise.
const MUTANTS: usize = 2000;
/// How many are checked together.
const BATCH: usize = 50;
/// The time after which a batch counts as endless. It takes about half a second.
const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn mixed_up_tokens_never_make_the_checker_fail() {
    let wanted = number("MUTANTS").unwrap_or(MUTANTS);
    let seed = number("SEED").unwrap_or(1) as u64;
    let mut random = Rng::new(seed);
    let programs = programs();
    let mut batch = Vec::new();
    let mut checked = 0;
    while checked < wanted {
        let mutant = mutant(&programs[random.below(programs.len())], &mut random);
        if parses(&mutant) {
            batch.push(mutant);
            checked += 1;
        }
        if batch.len() == BATCH || checked == wanted {
            check_all(std::mem::take(&mut batch));
        }
    }
}

/// Checks mutants as files of one program. If that fails, the one to blame is searched for.
fn check_all(mutants: Vec<String>) {
    let names = (0..mutants.len()).map(|i| format!("m{i}"));
    let root: String =
        names.clone().map(|name| format!("module {name} = import \"{name}\"\n")).collect();
    let files = names.map(|name| format!("{name}.fut")).zip(mutants.iter().map(String::as_str));
    let files = Memory::new(files.chain([("root.fut".to_owned(), root.as_str())]));
    let (done, result) = mpsc::channel();
    std::thread::spawn(move || {
        let outcome = check::check(&files, &Root::Path("root.fut".to_owned()), Warnings::Show);
        for diagnostic in outcome.diagnostics.iter().take(200) {
            let text = render::text(&outcome.sources, diagnostic, Style::Plain);
            assert!(text.len() < 100_000, "a message of {} bytes", text.len());
        }
        let failure =
            (outcome.exit == Exit::Internal).then(|| format!("{:?}", outcome.diagnostics));
        // Nobody listens any more after the time limit.
        let _ = done.send(failure);
    });
    let failure = match result.recv_timeout(LIMIT) {
        Ok(None) => return,
        Ok(Some(failure)) => failure,
        Err(_) => "it runs for too long, or a message cannot be drawn".to_owned(),
    };
    match mutants.as_slice() {
        [mutant] => panic!("{failure}\n\n{mutant}"),
        _ => {
            let half = mutants.len() / 2;
            check_all(mutants[..half].to_vec());
            check_all(mutants[half..].to_vec());
            panic!("only together:\n{failure}\n\n{}", mutants.join("\n----\n"));
        }
    }
}

fn parses(text: &str) -> bool {
    let root = Root::Bytes("mutant.fut".to_owned(), text.as_bytes().to_vec());
    check::check_syntax(&Memory::default(), &root).exit == Exit::Success
}

/// The programs that are accepted, sorted by path. Those with imports are left out: the files that
/// they import are not there.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders =
        vec![root.join("tests/check"), root.join("tests/prelude"), root.join("examples")];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fut")
                && path.parent().is_some_and(|folder| !folder.ends_with("reject"))
            {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let texts = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let small = |text: &String| text.len() < 5000 && !text.contains("import");
    let programs: Vec<String> = texts.filter(small).collect();
    assert!(programs.len() > 100, "the programs are not where they should be");
    programs
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}
