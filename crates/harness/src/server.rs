//! A client of the server protocol: starts a compiled program, sends commands, reads answers.
//!
//! One command is one line of words; the answer is lines up to `%%% OK`, or after `%%% FAILURE` the reason. Answers are
//! waited for until a deadline. A server that ends, whatever the reason, is an error of the command that
//! met it, with what it said last; a server never outlives its client.
//!
//! Two dialects are spoken: since 0.28 of the language an entry point has one output (`output`), before it had
//! several (`outputs`), one for each component of a tuple.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How a server is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The executable.
    pub program: PathBuf,
    /// A program that starts it: it gets the executable as its first argument.
    pub runner: Option<String>,
    /// Options for it.
    pub options: Vec<String>,
}

/// How many outputs entry points have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// One.
    One,
    /// Several.
    Several,
}

/// A running server.
pub struct Server {
    child: Child,
    /// Nothing once the server has been given up.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    said: Arc<Mutex<VecDeque<u8>>>,
    listener: Option<JoinHandle<()>>,
    dialect: Dialect,
    deadline: Option<Instant>,
}

/// Why a command has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerError {
    /// The server says that it failed, and why.
    Failure(String),
    /// The server has ended, or could not be started.
    Ended(String),
    /// The time is over; the server has been stopped.
    TooSlow,
    /// The command cannot be written down.
    Unspeakable(String),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerError::Failure(why) | ServerError::Ended(why) => f.write_str(why),
            ServerError::TooSlow => f.write_str("stopped at the time limit"),
            ServerError::Unspeakable(word) => {
                write!(f, "the server protocol cannot represent `{word}`")
            }
        }
    }
}

impl std::error::Error for ServerError {}

type Res<T> = Result<T, ServerError>;

const READY: &str = "%%% OK";
const FAILED: &str = "%%% FAILURE";
/// How much is kept of what a server writes to standard error.
const SAID: usize = 1 << 16;
/// How much of it is shown when it ends.
const SHOWN: usize = 2000;

impl Server {
    /// Starts a server and finds out which dialect it speaks. All of this has to be over in time.
    pub fn start(launch: &Launch, limit: Duration) -> Res<Server> {
        let deadline = Instant::now().checked_add(limit);
        let mut server = Server::spawn(launch, deadline)?;
        let entries = server.command(&["entry_points"])?;
        let Some(entry) = entries.first() else { return Ok(server) };
        match server.command(&["output", entry]) {
            Ok(_) => Ok(server),
            Err(ServerError::TooSlow) => Err(ServerError::TooSlow),
            // Older servers end at once when they are told what they do not know.
            Err(_) => {
                let mut server = Server::spawn(launch, deadline)?;
                server.dialect = Dialect::Several;
                server.command(&["outputs", entry])?;
                Ok(server)
            }
        }
    }

    /// Answers are waited for as long as this from now on; for ever without a limit.
    pub fn set_limit(&mut self, limit: Option<Duration>) {
        self.deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether it can take commands.
    pub fn is_alive(&self) -> bool {
        self.input.is_some()
    }

    /// Sends a command; the answer is lines.
    pub fn command(&mut self, words: &[&str]) -> Res<Vec<String>> {
        let mut line = words.iter().map(|word| quoted(word)).collect::<Res<Vec<_>>>()?.join(" ");
        line.push('\n');
        let Some(input) = &mut self.input else {
            return Err(ServerError::Ended("the server had already ended".to_owned()));
        };
        // If this fails, the server has ended, and reading will tell more.
        let sent = input.write_all(line.as_bytes()).and_then(|()| input.flush());
        let answer = self.answer();
        match (answer, sent) {
            (Ok(_), Err(why)) => Err(self.ended(&format!("it does not read commands: {why}"))),
            (answer, _) => answer,
        }
    }

    /// What it has written to standard error, as far as that is kept.
    pub fn said(&self) -> String {
        let Ok(mut said) = self.said.lock() else { return String::new() };
        String::from_utf8_lossy(said.make_contiguous()).into_owned()
    }

    /// Ends it in good order: it is told that there are no more commands, and has to end well. This is where
    /// sanitizers report what was never freed.
    pub fn finish(mut self, limit: Duration) -> Res<()> {
        self.input = None;
        match self.wait(limit) {
            Ok(Some(status)) if status.success() => Ok(()),
            Ok(Some(status)) => Err(self.told(&status.to_string(), "")),
            Ok(None) => {
                let why = "it did not exit at the end of its input";
                Err(self.told("it had to be stopped", why))
            }
            Err(error) => Err(self.told(&error.to_string(), "")),
        }
    }

    fn spawn(launch: &Launch, deadline: Option<Instant>) -> Res<Server> {
        // A name without a folder would be looked for in the folders of PATH.
        let program = std::path::absolute(&launch.program).unwrap_or(launch.program.clone());
        let mut command = match &launch.runner {
            Some(runner) => {
                let mut command = Command::new(runner);
                command.arg(&program);
                command
            }
            None => Command::new(&program),
        };
        command.args(&launch.options);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|why| {
            let program = launch.program.display();
            ServerError::Ended(format!("the server \"{program}\" cannot be started: {why}"))
        })?;
        let (sender, lines) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            // It ends when the server does, or when nobody listens any more.
            std::thread::spawn(move || {
                let mut reader = BufReader::new(output);
                let mut line = Vec::new();
                while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                    let text = String::from_utf8_lossy(&line);
                    let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
                    if sender.send(text).is_err() {
                        break;
                    }
                    line.clear();
                }
            });
        }
        let said = Arc::new(Mutex::new(VecDeque::new()));
        let listener = child.stderr.take().map(|stream| {
            let said = Arc::clone(&said);
            std::thread::spawn(move || listen(stream, &said))
        });
        let input = child.stdin.take();
        let dialect = Dialect::One;
        let mut server = Server { child, input, lines, said, listener, dialect, deadline };
        server.answer()?;
        Ok(server)
    }

    /// The lines up to the sign that the server is ready.
    fn answer(&mut self) -> Res<Vec<String>> {
        let mut lines = Vec::new();
        let mut failure: Option<Vec<String>> = None;
        loop {
            let line = match self.deadline {
                None => self.lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    self.lines.recv_timeout(left)
                }
            };
            let line = match line {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    self.give_up();
                    return Err(ServerError::TooSlow);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended("")),
            };
            match (line.as_str(), &mut failure) {
                (READY, Some(why)) => {
                    return Err(ServerError::Failure(why.join("\n").trim_end().to_owned()));
                }
                (READY, None) => return Ok(lines),
                (FAILED, _) => failure = Some(Vec::new()),
                (_, Some(why)) => why.push(line),
                (_, None) => lines.push(line),
            }
        }
    }

    /// Stops a server that cannot be used any more, and says how it ended.
    fn ended(&mut self, why: &str) -> ServerError {
        self.input = None;
        // It closed its output, so it ends by itself or never will.
        let status = match self.wait(Duration::from_millis(500)) {
            Ok(Some(status)) => status.to_string(),
            Ok(None) => "no longer answering".to_owned(),
            Err(error) => error.to_string(),
        };
        self.told(&status, why)
    }

    /// Waits until it has ended by itself; nothing if it has not in time.
    fn wait(&mut self, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
        let waited = Instant::now();
        loop {
            match self.child.try_wait()? {
                None if waited.elapsed() < limit => std::thread::sleep(Duration::from_millis(2)),
                status => return Ok(status),
            }
        }
    }

    /// The error of a server that has ended like this, with its last words.
    fn told(&mut self, status: &str, why: &str) -> ServerError {
        self.give_up();
        let said = self.said();
        let start = said.char_indices().rev().nth(SHOWN - 1).map_or(0, |(start, _)| start);
        let mut text = format!("the server ended ({status})");
        for more in [why.trim(), said[start..].trim()] {
            if !more.is_empty() {
                text.push_str(": ");
                text.push_str(more);
            }
        }
        ServerError::Ended(text)
    }

    fn give_up(&mut self) {
        self.input = None;
        // It may have ended already; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(listener) = self.listener.take() {
            // A child of the server may hold the stream; then what it says is not waited for.
            let waited = Instant::now();
            while !listener.is_finished() && waited.elapsed() < Duration::from_millis(200) {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.give_up();
    }
}

fn listen(mut stream: impl Read, said: &Mutex<VecDeque<u8>>) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut bytes) {
        let Ok(mut said) = said.lock() else { return };
        said.extend(&bytes[..count]);
        let surplus = said.len().saturating_sub(SAID);
        said.drain(..surplus);
    }
}

/// A word as the protocol has it.
fn quoted(word: &str) -> Res<String> {
    match () {
        () if word.contains(['"', '\n', '\r']) => Err(ServerError::Unspeakable(word.to_owned())),
        () if word.is_empty() || word.contains(char::is_whitespace) => Ok(format!("\"{word}\"")),
        () => Ok(word.to_owned()),
    }
}
