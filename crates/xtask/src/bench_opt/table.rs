//! Prints what was measured.

use super::measure::{Measured, Size, Verdict};
use fehu_driver::pipelines::DEFAULT;
use std::time::Duration;

/// Prints a row for each program, the totals, and what is wrong.
pub(super) fn print(rows: &[Measured], limit: Duration) {
    let stages = stages();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(8);
    print!("{:width$} {:>8} {:>8}", "program", "total ms", "cpu ms");
    for stage in &stages {
        print!(" {stage:>8}");
    }
    println!("   {:>14} {:>11} {:>11} {:>11}", "statements", "operators", "asserts", "in loops");
    for row in rows {
        print!("{:width$} {} {}", row.name, milliseconds(row.total), milliseconds(row.cpu));
        for stage in &stages {
            print!(" {}", milliseconds(row.time(stage)));
        }
        println!("   {}{}", sizes(row.before, row.after), flag(row, limit));
    }
    totals(rows, &stages, width);
    wrong(rows, limit);
}

/// The stages in the order in which they first run, verification last.
fn stages() -> Vec<&'static str> {
    let mut stages = vec!["load", "parse", "check", "lower"];
    for pass in DEFAULT.passes {
        if !stages.contains(&pass.name) {
            stages.push(pass.name);
        }
    }
    stages.push("verify");
    stages
}

fn milliseconds(time: Duration) -> String {
    format!("{:8.1}", time.as_secs_f64() * 1e3)
}

fn sizes(before: Size, after: Size) -> String {
    let pair = |width, a: usize, b: usize| format!("{:>width$}", format!("{a}>{b}"));
    [
        pair(14, before.stms, after.stms),
        pair(11, before.operators, after.operators),
        pair(11, before.asserts, after.asserts),
        pair(11, before.inner_asserts, after.inner_asserts),
    ]
    .join(" ")
}

fn flag(row: &Measured, limit: Duration) -> &'static str {
    match row.verdict {
        Verdict::Refused(_) => "  REFUSED",
        Verdict::Failed(_) => "  FAILED",
        Verdict::Done if row.cpu > limit => "  SLOW",
        Verdict::Done => "",
    }
}

/// The sums over the programs that went through.
fn totals(rows: &[Measured], stages: &[&str], width: usize) {
    let done = || rows.iter().filter(|row| matches!(row.verdict, Verdict::Done));
    let (mut before, mut after) = (Size::default(), Size::default());
    for row in done() {
        before.add(row.before);
        after.add(row.after);
    }
    let total = done().map(|row| row.total).sum();
    let cpu = milliseconds(done().map(|row| row.cpu).sum());
    print!("{:width$} {} {cpu}", format!("total of {}", done().count()), milliseconds(total));
    for stage in stages {
        print!(" {}", milliseconds(done().map(|row| row.time(stage)).sum()));
    }
    println!("   {}", sizes(before, after));
}

fn wrong(rows: &[Measured], limit: Duration) {
    let (mut refused, mut failed, mut slow) = (0, 0, 0);
    println!();
    for row in rows {
        match &row.verdict {
            Verdict::Refused(why) => {
                refused += 1;
                println!("refused: {}: {}", row.name, short(why));
            }
            Verdict::Failed(why) => {
                failed += 1;
                println!("failed: {}: {}", row.name, short(why));
            }
            Verdict::Done => {}
        }
        if row.cpu > limit {
            slow += 1;
            println!("slow: {}: {} ms", row.name, milliseconds(row.cpu).trim());
        }
    }
    let sum = |part: fn(&Measured) -> usize| rows.iter().map(part).sum::<usize>();
    let (good, ends) = (sum(|row| row.runs.succeeded), sum(|row| row.runs.failed));
    if good + ends > 0 {
        let open = sum(|row| row.runs.undefined);
        println!(
            "calls: {good} with the same results, {ends} with an error in both, {open} undefined"
        );
    }
    println!(
        "{} programs: {refused} refused, {failed} failed, {slow} over {} ms",
        rows.len(),
        limit.as_millis()
    );
}

/// The first few lines, none of them long.
fn short(text: &str) -> String {
    let lines = text.lines().take(3).map(|line| line.chars().take(400).collect::<String>());
    lines.collect::<Vec<_>>().join(" | ")
}
