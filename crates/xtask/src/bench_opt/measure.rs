//! Translates one program in this process, and measures it.

use fehu_base::stack::with_large_stack;
use fehu_driver::check::{Exit, Outcome, Warnings};
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines::DEFAULT;
use fehu_driver::translate::{Changes, Job, translate};
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Exp, Prog, Stm};
use fehu_irtest::oracle::{Oracle, Runs};
use fehu_syntax::ast::{Dec, DecKind, ValKeyword};
use std::time::{Duration, Instant};

/// Translates a program from its source to optimised IR; afterwards calls its functions so often with random
/// arguments, before and after the passes.
pub(super) fn measure(name: String, root: &Root, calls: usize) -> Measured {
    let plan = Plan::of(DEFAULT.passes);
    let job = Job {
        files: &Disk,
        root,
        warnings: Warnings::Hide,
        plan: &plan,
        changes: Changes::default(),
    };
    let (mut before, mut after) = (Size::default(), Size::default());
    let mut counting = Duration::ZERO;
    let (mut lowered, mut optimised) = (None, None);
    let mut has_entry = None;
    let cpu = cpu_time();
    let start = Instant::now();
    let outcome = translate(
        &job,
        |prog| {
            let start = Instant::now();
            before = Size::of(prog);
            has_entry = Some(!prog.entries.is_empty());
            lowered = (calls > 0).then(|| prog.clone());
            counting = start.elapsed();
        },
        &mut |_, _| {},
        |_, prog, _| {
            after = Size::of(&prog);
            optimised = (calls > 0).then_some(prog);
        },
    );
    let total = start.elapsed().saturating_sub(counting);
    // On a busy machine, the time that the processor worked tells more.
    let cpu = cpu_time().zip(cpu).map_or(total, |(now, before)| now.saturating_sub(before));
    let mut verdict = verdict(&outcome);
    let mut runs = Runs::default();
    if let (Some(lowered), Some(optimised)) = (&lowered, &optimised) {
        match with_large_stack(|| compare(lowered, optimised, calls)) {
            Ok(found) => runs = found,
            Err(difference) => verdict = Verdict::Failed(format!("disagreement: {difference}")),
        }
    }
    let has_entry = has_entry.unwrap_or_else(|| declares_entry(&outcome));
    let times = outcome.timings.rows().to_vec();
    Measured { name, has_entry, times, total, cpu: cpu.min(total), before, after, runs, verdict }
}

/// What one program took, and what became of it.
pub(super) struct Measured {
    /// The path, or what the program is made of.
    pub(super) name: String,
    /// Whether it has an entry point, and so is a program.
    pub(super) has_entry: bool,
    /// The times of the stages.
    pub(super) times: Vec<(&'static str, Duration)>,
    /// The time from the start to the end, which is more than all stages together.
    pub(super) total: Duration,
    /// The part of it in which the processor worked for us, to about 10 ms, if the system tells.
    pub(super) cpu: Duration,
    /// What the lowered program consists of.
    pub(super) before: Size,
    /// What is left of it.
    pub(super) after: Size,
    /// The calls in which the program was the same before and after the passes.
    pub(super) runs: Runs,
    /// How it ended.
    pub(super) verdict: Verdict,
}

/// How a translation ended.
pub(super) enum Verdict {
    /// All is well.
    Done,
    /// The program is refused, and this is the first reason.
    Refused(String),
    /// A stage failed, or cannot go on.
    Failed(String),
}

impl Measured {
    /// The time of a stage, zero if it did not run.
    pub(super) fn time(&self, stage: &str) -> Duration {
        self.times.iter().find(|(name, _)| *name == stage).map_or(Duration::ZERO, |(_, time)| *time)
    }
}

/// Whether a program means the same before and after the passes. Sums may be regrouped, so floats may differ a little.
fn compare(lowered: &Prog, optimised: &Prog, calls: usize) -> Result<Runs, String> {
    let tolerance = Some(1e-3);
    let oracle = Oracle { rounds: calls, max_size: 12, tolerance, ..Oracle::default() };
    oracle.agree(lowered, optimised)
}

/// The processor time of this process, as Linux counts it.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the name, in parentheses; user and system time are the 14th and the 15th.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

/// What a program consists of.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    /// All statements, those of functions of operators included.
    pub(super) stms: usize,
    /// Array operators with functions.
    pub(super) operators: usize,
    /// Checks.
    pub(super) asserts: usize,
    /// Checks that are inside loops or functions of operators.
    pub(super) inner_asserts: usize,
}

impl Size {
    fn of(prog: &Prog) -> Size {
        let mut counter = Counter::default();
        prog.bodies().for_each(|body| counter.body(body));
        counter.size
    }

    /// Adds what another program consists of.
    pub(super) fn add(&mut self, other: Size) {
        self.stms += other.stms;
        self.operators += other.operators;
        self.asserts += other.asserts;
        self.inner_asserts += other.inner_asserts;
    }
}

#[derive(Default)]
struct Counter {
    size: Size,
    /// The number of loops and operators around.
    depth: usize,
}

impl Visit for Counter {
    fn stm(&mut self, stm: &Stm) {
        self.size.stms += 1;
        self.exp(&stm.exp);
    }

    fn exp(&mut self, exp: &Exp) {
        let operator = is_operator(exp);
        self.size.operators += usize::from(operator);
        if matches!(exp, Exp::Assert(..)) {
            self.size.asserts += 1;
            self.size.inner_asserts += usize::from(self.depth > 0);
        }
        let repeats = usize::from(operator || matches!(exp, Exp::Loop(..)));
        self.depth += repeats;
        walk_exp(self, exp);
        self.depth -= repeats;
    }
}

fn is_operator(exp: &Exp) -> bool {
    matches!(
        exp,
        Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Stream(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
            | Exp::WithAcc(..)
    )
}

fn verdict(outcome: &Outcome) -> Verdict {
    let reason = || {
        let Some(found) = outcome.diagnostics.iter().find(|found| found.is_error()) else {
            return String::new();
        };
        let place = found.primary.as_ref().map(|label| outcome.sources.describe(label.span));
        let note = found.notes.first().map_or(String::new(), |note| format!(" ({note})"));
        let place = place.map_or(String::new(), |place| format!(" at {place}"));
        format!("{}: {}{place}{note}", found.code, found.message)
    };
    match outcome.exit {
        Exit::Success => Verdict::Done,
        Exit::Rejected => Verdict::Refused(reason()),
        Exit::Internal => Verdict::Failed(reason()),
    }
}

/// Whether the tree of a program that did not get far has an entry point.
fn declares_entry(outcome: &Outcome) -> bool {
    let root = outcome.loaded.root.and_then(|root| outcome.loaded.files.get(root));
    root.is_some_and(|file| file.ast.decs.iter().any(is_entry))
}

fn is_entry(dec: &Dec) -> bool {
    match &dec.kind {
        DecKind::Val(bind) => bind.keyword == ValKeyword::Entry || bind.name.name == "main",
        DecKind::Local(dec) => is_entry(dec),
        DecKind::Type(_)
        | DecKind::Module(_)
        | DecKind::ModuleType(_)
        | DecKind::Open(_)
        | DecKind::Import(..)
        | DecKind::Error => false,
    }
}
