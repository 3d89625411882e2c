//! `fehu test`: runs the tests that programs contain.

use crate::args::TestArgs;
use crate::commands::{FAILURE, SUCCESS};
use crate::dev::plan;
use crate::output;
use crate::run::{no_back_end, wrong};
use fehu_driver::pipelines;
use fehu_testing::run::{Options, ProgramResult, Verdict};
use fehu_testing::suite::{self, Summary};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// `fehu test`
pub(crate) fn test(args: &TestArgs) -> u8 {
    if !args.interpret {
        return no_back_end("test");
    }
    let mut paths = match suite::programs(&args.paths) {
        Ok(paths) => paths,
        Err(error) => return wrong(&format!("cannot list the programs: {error}")),
    };
    if let Some(list) = &args.list {
        match std::fs::read_to_string(list) {
            Ok(text) => {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                paths.extend(lines.map(str::to_owned));
            }
            Err(error) => return wrong(&format!("cannot read \"{list}\": {error}")),
        }
    }
    if paths.is_empty() {
        return wrong("there is nothing to test; name programs or folders");
    }
    let plan = match plan(&args.plan, pipelines::NONE.name) {
        Ok(plan) => plan,
        Err(error) => return wrong(&error),
    };
    let options = Options {
        plan,
        limit: Duration::from_secs(args.limit),
        compiled_too: args.compiled_too,
        seed: args.seed,
        ..Options::default()
    };
    let jobs = args
        .jobs
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let terminal = std::io::stderr().is_terminal();
    let (done, bad) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results = suite::run(&paths, jobs, &options, &|result| {
        let good = result.is_good();
        let bad = bad.fetch_add(usize::from(!good), Ordering::Relaxed) + usize::from(!good);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if terminal {
            let path = &result.path;
            output::stderr(&format!("\r\x1b[K{done} of {}, {bad} failed: {path}", paths.len()));
        }
    });
    if terminal {
        output::stderr("\r\x1b[K");
    }
    output::stdout(&report(&results, args.skipped));
    let failed = results.iter().any(|result| !result.is_good());
    if failed { FAILURE } else { SUCCESS }
}

fn report(results: &[ProgramResult], skipped: bool) -> String {
    let mut text = String::new();
    for result in results {
        let mut say = |name: &str, verdict: &Verdict| {
            let what = match verdict {
                // What is wrong with the program has been said.
                Verdict::Passed | Verdict::NotCompiled => return,
                Verdict::Skipped(why) if skipped => format!("skipped: {why}"),
                Verdict::Skipped(_) => return,
                Verdict::Failed(why) => why.clone(),
                Verdict::Timeout => "too slow: stopped at the time limit".to_owned(),
            };
            text.push_str(&format!("{}: {name}{}\n", result.path, what.replace('\n', "\n    ")));
        };
        say("", &result.verdict);
        for case in &result.cases {
            say(&format!("{}: ", case.name), &case.verdict);
        }
    }
    text.push_str(&format!("{}\n", Summary::of(results)));
    text
}
