//! A program on a pseudo-terminal: keys are pressed, and what appears is waited for. Python has pseudo-terminals in its
//! standard library; a crate for them would take longer to compile than all of these tests.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// It only ends a test that has failed.
const LIMIT: Duration = Duration::from_secs(60);

/// A running program.
pub(crate) struct Screen {
    child: Child,
    keys: ChildStdin,
    /// What appears, as it appears. It is closed when the program ends.
    shown: Receiver<Vec<u8>>,
    /// What has appeared and was not waited for yet.
    unread: Vec<u8>,
}

impl Screen {
    /// Starts a program.
    pub(crate) fn start(program: &Command) -> Screen {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/on_terminal.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = program.get_current_dir() {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Python is installed");
        let keys = child.stdin.take().expect("it is a pipe");
        let mut output = child.stdout.take().expect("it is a pipe");
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Screen { child, keys, shown, unread: Vec::new() }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys can be pressed");
    }

    /// Waits until a text appears; returns what appeared before.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        let deadline = Instant::now() + LIMIT;
        let position =
            |unread: &[u8]| unread.windows(text.len()).position(|at| at == text.as_bytes());
        loop {
            if let Some(place) = position(&self.unread) {
                let before = String::from_utf8_lossy(&self.unread[..place]).into_owned();
                self.unread.drain(..place + text.len());
                return before;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.shown.recv_timeout(left) {
                Ok(bytes) => self.unread.extend(bytes),
                Err(why) => panic!(
                    "{text:?} does not appear ({why}), but {:?}",
                    String::from_utf8_lossy(&self.unread)
                ),
            }
        }
    }

    /// Waits until the program has ended.
    #[track_caller]
    pub(crate) fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + LIMIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.shown.recv_timeout(left) {
                Ok(bytes) => self.unread.extend(bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the program does not end"),
            }
        }
        self.child.wait().expect("it has ended")
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Only where a test has failed there is something to end: the terminal goes, and the program with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
