//! The program `git`: with it come the user's credentials, proxies and rewritten addresses.

use crate::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Whether a command may ask other machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    /// It may.
    Online,
    /// It may not.
    Offline,
}

/// Why a command of git came to nothing.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// It could not be started.
    Start(String),
    /// It failed: the command, and what it said.
    Failed(String, String),
}

impl Failure {
    /// The error: what was tried, and what git said.
    pub(crate) fn error(&self, tried: &str) -> Error {
        match self {
            Failure::Start(why) => {
                Error::new(format!("{tried}: the program git cannot be started: {why}"))
                    .help("packages are fetched with git; install it")
            }
            Failure::Failed(command, said) => {
                let error = Error::new(tried.to_owned()).note(format!("`{command}` failed"));
                if said.is_empty() { error } else { error.note(said.clone()) }
            }
        }
    }
}

/// Runs git, in a repository if one is given, and returns what it writes.
pub(crate) fn git(
    repository: Option<&Path>,
    arguments: &[&str],
    input: &[u8],
    network: Network,
) -> Result<Vec<u8>, Failure> {
    let mut command = Command::new("git");
    // A hook may have started us, and its repository is not meant.
    for name in
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"]
    {
        command.env_remove(name);
    }
    // Nobody is asked for passwords, messages are those that we know, and times are everybody's.
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").env("TZ", "UTC");
    if network == Network::Offline {
        command.env("GIT_NO_LAZY_FETCH", "1");
    }
    if let Some(folder) = repository {
        command.arg("--git-dir").arg(folder);
    }
    command.args(arguments);
    let output = run(&mut command, input).map_err(|why| Failure::Start(why.to_string()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> =
        said.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(4)..];
    Err(Failure::Failed(format!("git {}", arguments.join(" ")), last.join("\n")))
}

fn run(command: &mut Command, input: &[u8]) -> io::Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        // It may start to answer before it has read everything.
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // If it does not want it, its exit status tells why.
                let _ = stdin.write_all(input);
            }
        });
        child.wait_with_output()
    })
}
