//! A client of a server: sends commands, and waits for what is said.

use crate::fake;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server that is running.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// For the files of the test.
    pub(crate) directory: PathBuf,
}

impl Server {
    /// Starts the program written by hand.
    pub(crate) fn start(test: &str) -> Server {
        let program = fake::compile("program.c", &["-DFAKE_SERVER"]);
        Server::of(Command::new(program), test)
    }

    /// Starts what a command runs, in a directory for this test.
    pub(crate) fn of(mut command: Command, test: &str) -> Server {
        let directory = fake::directory(test);
        let mut child = command
            .current_dir(&directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server runs");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut server = Server { child, input, output, directory };
        assert_eq!(server.answer(), "");
        server
    }

    /// What comes before the next `%%% OK`.
    fn answer(&mut self) -> String {
        let mut answer = Vec::new();
        loop {
            let start = answer.len();
            let length = self.output.read_until(b'\n', &mut answer).expect("it answers");
            assert!(length > 0, "the server died: {}", String::from_utf8_lossy(&answer));
            if &answer[start..] == b"%%% OK\n" {
                answer.truncate(start);
                return String::from_utf8_lossy(&answer).into_owned();
            }
        }
    }

    /// The answer to any command.
    pub(crate) fn send(&mut self, command: &[u8]) -> String {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(command).and_then(|()| input.write_all(b"\n")).expect("it listens");
        self.answer()
    }

    /// The answer to a command that succeeds.
    pub(crate) fn ok(&mut self, command: &str) -> String {
        let answer = self.send(command.as_bytes());
        assert!(!answer.contains("%%% FAILURE"), "{command}: {answer}");
        answer
    }

    /// The reason why a command fails.
    pub(crate) fn fails(&mut self, command: &str) -> String {
        let answer = self.send(command.as_bytes());
        let reason = answer.strip_prefix("%%% FAILURE\n").and_then(|text| text.strip_suffix('\n'));
        reason.unwrap_or_else(|| panic!("{command}: {answer}")).to_owned()
    }

    /// The name of a file of this test.
    pub(crate) fn file(&self, name: &str) -> String {
        self.directory.join(name).to_string_lossy().into_owned()
    }

    /// Makes variables of a list of types from a text.
    pub(crate) fn set(&mut self, names: &str, types: &str, text: &str) {
        let file = self.file("input");
        std::fs::write(&file, text).expect("it can be written");
        let pairs = names.split(' ').zip(types.split(' '));
        let pairs: String = pairs.map(|(name, ty)| format!(" {name} {ty}")).collect();
        self.ok(&format!("restore {file}{pairs}"));
    }

    /// The value of a variable.
    pub(crate) fn get(&mut self, name: &str) -> String {
        let file = self.file("output");
        self.ok(&format!("store {file} {name}"));
        let bytes = std::fs::read(&file).expect("it is there");
        let values = fehu_data::reader::read_all(&bytes).expect("they are values");
        values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    /// Calls an entry point, which answers with the time it took.
    pub(crate) fn call(&mut self, command: &str) {
        let answer = self.ok(&format!("call {command}"));
        let time = answer.strip_prefix("runtime: ").and_then(|text| text.strip_suffix('\n'));
        assert!(time.is_some_and(|time| time.parse::<u64>().is_ok()), "{answer}");
    }

    /// Ends the input; the server frees everything and succeeds, and the sanitizers have seen nothing.
    pub(crate) fn end(mut self) -> String {
        self.input = None;
        let output = self.child.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        let _ = std::fs::remove_dir_all(&self.directory);
        errors
    }
}
