//! Servers of real programs, compiled with sanitizers, so that a wrong access ends them, which is noticed.

use super::{ASAN_OPTIONS, SANITIZE, fehu, kept, repository, succeed};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A program of the library of the clients, made once for all tests.
pub(crate) fn program(mode: &str) -> PathBuf {
    let (folder, _lock) = kept(&format!("survival{mode}"));
    let mut command = fehu();
    let source = repository().join("tests/clients/library.fut");
    command.arg("c").args((!mode.is_empty()).then_some(mode)).arg(source).args(["-o", "program"]);
    command.current_dir(&folder).env("CFLAGS", format!("-O0 {SANITIZE}"));
    succeed(&mut command);
    folder.join("program")
}

/// A server, and what is connected to it.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server of the library of the clients.
    pub(crate) fn start() -> Server {
        Server::start_in(Path::new("."))
    }

    /// Likewise, in a folder.
    pub(crate) fn start_in(folder: &Path) -> Server {
        let mut command = Command::new(program("--server"));
        command.current_dir(folder);
        command.env("ASAN_OPTIONS", ASAN_OPTIONS).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it has an output"));
        let mut server = Server { child, input, output };
        assert_eq!(server.answer(), Ok(Vec::new()));
        server
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("it takes commands");
        input.write_all(line).and_then(|()| input.write_all(b"\n")).expect("it reads commands");
        input.flush().expect("it reads commands");
    }

    /// The lines of an answer, or those of a failure.
    pub(crate) fn answer(&mut self) -> Result<Vec<String>, String> {
        let (mut lines, mut failed) = (Vec::new(), false);
        loop {
            let mut line = Vec::new();
            let count = self.output.read_until(b'\n', &mut line).expect("it answers");
            assert!(count > 0, "the server has ended after {lines:?}: {:?}", self.child.wait());
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            match line.as_str() {
                "%%% OK" if failed => return Err(lines.join("\n")),
                "%%% OK" => return Ok(lines),
                "%%% FAILURE" => failed = true,
                _ => lines.push(line),
            }
        }
    }

    /// Sends a line and waits for the answer.
    pub(crate) fn command(&mut self, line: impl AsRef<[u8]>) -> Result<Vec<String>, String> {
        self.send(line.as_ref());
        self.answer()
    }

    /// A command that has to succeed.
    pub(crate) fn ok(&mut self, line: &str) -> Vec<String> {
        self.command(line).unwrap_or_else(|why| panic!("{line}: {why}"))
    }

    /// A command that has to fail, for this reason.
    pub(crate) fn fails(&mut self, line: &str, wanted: &str) {
        match self.command(line) {
            Ok(answer) => panic!("{line}: {answer:?}"),
            Err(why) => assert!(why.contains(wanted), "{line}: {why}"),
        }
    }

    /// Makes a variable of a value that is written as text.
    pub(crate) fn put(&mut self, folder: &Path, name: &str, ty: &str, value: &str) {
        let path = folder.join(name);
        std::fs::write(&path, value).expect("the value can be written");
        self.ok(&format!("restore {} {name} {ty}", path.display()));
    }

    /// The bytes of a variable.
    pub(crate) fn get(&mut self, folder: &Path, name: &str) -> Vec<u8> {
        let path = folder.join("stored");
        self.ok(&format!("store {} {name}", path.display()));
        std::fs::read(path).expect("the value was stored")
    }

    /// A server that is still well does this.
    pub(crate) fn works(&mut self, folder: &Path) {
        self.put(folder, "well_xs", "[]i32", "[1, 2, 3]");
        self.ok("call dot well well_xs well_xs");
        assert!(self.get(folder, "well").ends_with(&14i32.to_le_bytes()));
        self.ok("free well well_xs");
    }

    /// Closes its input; it must end well, with nothing lost.
    pub(crate) fn finish(mut self) {
        self.input = None;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("it can be read");
        let status = self.child.wait().expect("it ends");
        assert!(status.success() && rest.is_empty(), "{status}: {rest}");
    }
}
