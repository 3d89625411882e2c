//! Running a program with a time limit.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a program did.
pub(crate) struct Finished {
    /// The exit code; `None` if it was killed, by the time limit or by a signal.
    pub(crate) code: Option<i32>,
    /// Whether the time limit was reached.
    pub(crate) timed_out: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `program`, gives it `input`, and kills it after `limit`.
pub(crate) fn run(
    program: &Path,
    args: &[&str],
    input: &[u8],
    limit: Duration,
) -> std::io::Result<Finished> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
    let stdout = child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
    let stderr = child.stderr.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
    let start = Instant::now();
    std::thread::scope(|scope| {
        // A program that does not read its input closes the pipe, which is fine.
        scope.spawn(move || drop(stdin.write_all(input)));
        let stdout = scope.spawn(move || read(stdout));
        let stderr = scope.spawn(move || read(stderr));
        let mut timed_out = false;
        let mut pause = Duration::from_micros(200);
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > limit && !timed_out {
                timed_out = true;
                child.kill()?;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        };
        let stdout = stdout.join().unwrap_or_default();
        let stderr = stderr.join().unwrap_or_default();
        Ok(Finished { code: status.code(), timed_out, stdout, stderr })
    })
}

fn read(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    // What arrived before a failure is still worth showing.
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
