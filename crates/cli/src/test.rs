//! `fehu test`: runs the tests that programs contain.

use crate::args::suites::TestArgs;
use crate::commands::{FAILURE, SUCCESS};
use crate::dev::plan;
use crate::doc;
use crate::output;
use crate::run::wrong;
use fehu_driver::foreign::Calls;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines;
use fehu_harness::executor::Limit;
use fehu_harness::prepare::Compile;
use fehu_harness::run::{Depth, Options, ProgramResult, Verdict};
use fehu_harness::suite::{self, Summary};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// `fehu test`
pub(crate) fn test(args: &TestArgs) -> u8 {
    if args.doc {
        return doc::examples(&args.paths);
    }
    let depth = match (args.check, args.compile || args.translate) {
        (true, _) => Depth::Check,
        (false, true) => Depth::Compile,
        (false, false) => Depth::Run,
    };
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
        return wrong("nothing to test: give programs or folders");
    }
    if args.structure {
        output::stderr("fehu: warning: `structure` blocks are not tested\n");
    }
    let compiled = !args.interpret && !args.jit && !args.translate && !args.check;
    let usual =
        if compiled { pipelines::of_target(args.backend.target()) } else { pipelines::NONE };
    let plan = match plan(&args.plan, usual.name) {
        Ok(_) if args.jit => Plan::at_once(),
        Ok(plan) => plan,
        Err(error) => return wrong(&error),
    };
    let server = &args.server;
    let foreign = match server.foreign.read(Calls::Checked) {
        Ok(foreign) => foreign,
        Err(error) => return wrong(&error.message),
    };
    let compile = compiled.then(|| Compile {
        futhark: server.futhark.clone(),
        compiler_options: server.pass_compiler_option.clone(),
        floats: server.floats.choice(),
        foreign,
        plan: plan.clone(),
        skip_compilation: false,
        runner: server.runner.clone().filter(|runner| !runner.is_empty()),
        program_options: server.pass_option.clone(),
        tuning: server.tuning_extension(),
        cache_files: server.cache_extension.clone(),
        ..Compile::new(args.backend.target())
    });
    let options = Options {
        depth,
        plan,
        compile,
        limit: Duration::from_secs(args.limit),
        compiled_too: args.compiled_too,
        max_array_bytes: args.max_array.saturating_mul(1 << 20),
        seed: args.seed,
        exclude: args.exclude.clone(),
        entry: args.entry.clone(),
    };
    let jobs = args
        .jobs
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let progress = Progress::new(paths.len(), args.no_terminal);
    let results = suite::run(&paths, jobs, &options, &|result| progress.step(result));
    progress.end();
    output::stdout(&report(&results, &options, args.skipped));
    let failed = results.iter().any(|result| !result.is_good());
    if failed { FAILURE } else { SUCCESS }
}

/// Says how far we are: on a terminal in a line that is written again and again, otherwise now and
/// then.
struct Progress {
    terminal: bool,
    programs: usize,
    counts: Mutex<Counts>,
}

struct Counts {
    done: usize,
    bad: usize,
    said: Instant,
}

/// How often there is a status where there is no terminal.
const STATUS: Duration = Duration::from_secs(60);

impl Progress {
    fn new(programs: usize, no_terminal: bool) -> Progress {
        let terminal = !no_terminal && std::io::stderr().is_terminal();
        let counts = Mutex::new(Counts { done: 0, bad: 0, said: Instant::now() });
        Progress { terminal, programs, counts }
    }

    fn step(&self, result: &ProgramResult) {
        // Whoever holds the lock writes, so that no line is older than the one before.
        let Ok(mut counts) = self.counts.lock() else { return };
        counts.done += 1;
        counts.bad += usize::from(!result.is_good());
        let text = format!("{} of {}, {} failed", counts.done, self.programs, counts.bad);
        if self.terminal {
            output::stderr(&format!("\r\x1b[K{text}: {}", result.path));
        } else if counts.said.elapsed() >= STATUS {
            counts.said = Instant::now();
            output::stderr(&format!("{text}\n"));
        }
    }

    fn end(&self) {
        if self.terminal {
            output::stderr("\r\x1b[K");
        }
    }
}

fn report(results: &[ProgramResult], options: &Options, skipped: bool) -> String {
    let mut text = String::new();
    for result in results {
        let mut say = |name: &str, verdict: &Verdict| {
            let what = match verdict {
                // What is wrong with the program has been said.
                Verdict::Passed | Verdict::NotCompiled => return,
                Verdict::Skipped(why) if skipped => format!("skipped: {why}"),
                Verdict::Skipped(_) => return,
                Verdict::Failed(why) => why.clone(),
                Verdict::Limit(which @ (Limit::Time | Limit::Start)) => {
                    which.explain(options.limit, "--limit")
                }
                Verdict::Limit(Limit::Resources(why)) => {
                    let why = why.strip_prefix("Error: ").unwrap_or(why);
                    format!("{why}\n(`--max-array MIB` allows larger arrays)")
                }
            };
            text.push_str(&format!("{}: {name}{}\n", result.path, what.replace('\n', "\n    ")));
        };
        let warnings = result.warnings.iter();
        let warnings: String =
            warnings.map(|text| format!("{}: warning: {text}\n", result.path)).collect();
        say("", &result.verdict);
        for case in &result.cases {
            say(&format!("{}: ", case.name), &case.verdict);
        }
        text.push_str(&warnings);
    }
    text.push_str(&format!("{}\n", Summary::of(results)));
    text
}
