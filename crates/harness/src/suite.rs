//! Many programs at once, and counts of what came out.

use crate::run::{self, Kind, Options, ProgramResult, Verdict};
use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tests programs with a few threads. The results are in the order of the programs; `progress` sees
/// each as soon as it is there.
pub fn run(
    paths: &[String],
    jobs: usize,
    options: &Options,
    progress: &(dyn Fn(&ProgramResult) + Sync),
) -> Vec<ProgramResult> {
    parallel(paths, jobs, |path| {
        let result = run::program(path, options);
        progress(&result);
        result
    })
}

/// Does something with each of many programs, with a few threads. The results are in their order.
pub fn parallel<T: Send>(paths: &[String], jobs: usize, work: impl Fn(&str) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = paths.get(index) else { break };
                    let result = work(path);
                    if let Ok(mut results) = results.lock() {
                        results.push((index, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The programs that paths name: files as they are, and all programs in folders, sorted.
pub fn programs(paths: &[String]) -> std::io::Result<Vec<String>> {
    let mut programs = Vec::new();
    for path in paths {
        if Path::new(path).is_dir() {
            let mut found = Vec::new();
            collect(Path::new(path), &mut found)?;
            found.sort();
            programs.extend(found);
        } else {
            programs.push(path.clone());
        }
    }
    Ok(programs)
}

fn collect(folder: &Path, programs: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Links to folders are not followed: they may lead in circles.
        if entry.file_type()?.is_dir() {
            collect(&path, programs)?;
        } else if path.extension().is_some_and(|extension| extension == "fut") {
            programs.push(path.display().to_string());
        }
    }
    Ok(())
}

/// How often something passed, failed, took too long, or was skipped.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Count {
    /// As it should be.
    pub passed: usize,
    /// Not so.
    pub failed: usize,
    /// Not within a limit of time or memory.
    pub limits: usize,
    /// Not tested.
    pub skipped: usize,
}

/// Counts of everything.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// Programs, with all their cases. One that was not tested in full is counted as skipped.
    pub programs: Count,
    /// What the compiler should say to programs, without their cases.
    pub compiled: Count,
    /// Cases with expected values.
    pub values: Count,
    /// Cases with expected errors.
    pub errors: Count,
    /// Cases that should just succeed.
    pub successes: Count,
    /// Properties.
    pub properties: Count,
}

impl Summary {
    /// Counts results.
    pub fn of(results: &[ProgramResult]) -> Summary {
        let mut summary = Summary::default();
        for result in results {
            let over = result.verdicts().any(|verdict| matches!(verdict, Verdict::Limit(_)));
            let failed =
                |verdict: &Verdict| matches!(verdict, Verdict::Failed(_) | Verdict::NotCompiled);
            match result.is_good() {
                true if result.verdicts().any(|verdict| matches!(verdict, Verdict::Skipped(_))) => {
                    summary.programs.skipped += 1;
                }
                true => summary.programs.passed += 1,
                false if over && !result.verdicts().any(failed) => summary.programs.limits += 1,
                false => summary.programs.failed += 1,
            }
            summary.compiled.add(&result.verdict);
            for case in &result.cases {
                match case.kind {
                    Kind::Values => summary.values.add(&case.verdict),
                    Kind::Error => summary.errors.add(&case.verdict),
                    Kind::Success => summary.successes.add(&case.verdict),
                    Kind::Property => summary.properties.add(&case.verdict),
                }
            }
        }
        summary
    }
}

impl Count {
    fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) | Verdict::NotCompiled => self.failed += 1,
            Verdict::Limit(_) => self.limits += 1,
            Verdict::Skipped(_) => self.skipped += 1,
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { passed, failed, limits, skipped } = self;
        write!(
            f,
            "{passed:6} passed {failed:6} failed {limits:4} out of time or memory {skipped:5} skipped"
        )
    }
}

/// How wide the names of rows are.
const WIDTH: usize = 36;

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:WIDTH$}{}", "programs", self.programs)?;
        // What no program has is not worth a line.
        let rows = [
            ("  accepted or rejected as expected", self.compiled),
            ("cases with an expected result", self.values),
            ("cases with an expected error", self.errors),
            ("cases that only have to succeed", self.successes),
            ("properties", self.properties),
        ];
        for (name, count) in rows.into_iter().filter(|(_, count)| *count != Count::default()) {
            write!(f, "\n{name:WIDTH$}{count}")?;
        }
        Ok(())
    }
}
