//! `fehu repl` at a terminal, as a person meets it: the program runs on a pseudo-terminal, keys are
//! pressed, and what appears is read. Likewise what other commands say while something takes long.
//!
//! Nothing waits for time to pass. Each step waits for something that only appears when the step before
//! is done: a result that is not among the keys that were pressed, or the next prompt, whose number is
//! new. Keys are pressed at a prompt, because between prompts the terminal has other rules, but for the test that is about
//! this.
#![cfg(unix)]

use crate::common::screen::Screen;
use std::path::{Path, PathBuf};
use std::process::Command;

const UP: &str = "\x1b[A";
const ENTER: &str = "\r";
const TAB: &str = "\t";

/// A session, with a folder of its own to work in.
struct Terminal {
    screen: Screen,
    folder: PathBuf,
}

impl Terminal {
    /// Starts a session. Its history is in the folder.
    fn start(name: &str) -> Terminal {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // What an earlier run has left.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        Terminal { screen: spawn(&folder), folder }
    }

    /// Starts another session in the same folder.
    fn start_again(self) -> Terminal {
        Terminal { screen: spawn(&self.folder), folder: self.folder }
    }

    fn press(&mut self, keys: &str) {
        self.screen.press(keys);
    }

    /// Waits until this appears.
    #[track_caller]
    fn wait_for(&mut self, text: &str) {
        self.screen.wait_for(text);
    }

    #[track_caller]
    fn wait_for_prompt(&mut self, number: usize) {
        self.wait_for(&format!("[{number}]> "));
    }

    /// Presses a letter together with the key Ctrl.
    fn press_ctrl(&mut self, key: char) {
        let code = u8::try_from(key).expect("a letter of ASCII") & 0x1f;
        self.press(&char::from(code).to_string());
    }

    /// Presses Ctrl-C while a line is edited, which does not count as input.
    #[track_caller]
    fn clear_line(&mut self, number: usize) {
        self.press_ctrl('c');
        // The line editor is done with a line: it hands paste back to the terminal.
        self.wait_for("\x1b[?2004l");
        self.wait_for_prompt(number);
    }

    /// Presses Ctrl-D and waits until the program has ended, well.
    #[track_caller]
    fn leave(&mut self) {
        self.press_ctrl('d');
        self.ended_well();
    }

    #[track_caller]
    fn ended_well(&mut self) {
        let status = self.screen.end();
        assert!(status.success(), "{status}");
    }
}

fn spawn(folder: &Path) -> Screen {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
    command.arg("repl").current_dir(folder).env("TERM", "xterm").env("NO_COLOR", "1");
    command.env("FEHU_HISTORY", folder.join("history"));
    Screen::start(&command)
}

#[test]
fn definitions_expressions_and_errors() {
    let mut terminal = Terminal::start("definitions");
    terminal.wait_for_prompt(0);
    terminal.press("20 + 22\r");
    terminal.wait_for("42");
    terminal.wait_for_prompt(1);
    // A definition over several lines: the prompt stays the same until it is complete.
    terminal.press("def twice x =\r");
    terminal.press("  x *\r");
    terminal.press("  2i32\r");
    terminal.wait_for_prompt(2);
    terminal.press("twice 77\r");
    terminal.wait_for("154");
    terminal.wait_for_prompt(3);
    // An error ends nothing, and names the input.
    terminal.press("twice true\r");
    terminal.wait_for("error[type-mismatch]");
    terminal.wait_for("--> [3]:1:7-11");
    terminal.wait_for_prompt(4);
    terminal.press("[1, 2][twice 4]\r");
    terminal.wait_for("Index [8] out of bounds for array of shape [2].");
    terminal.wait_for_prompt(5);
    terminal.press(":type twice\r");
    terminal.wait_for("i32 -> i32");
    terminal.wait_for_prompt(6);
    terminal.press(":nonsense\r");
    terminal.wait_for("there is no command");
    terminal.wait_for_prompt(7);
    terminal.press("#[trace(seen)] (twice 50)\r");
    terminal.wait_for("seen: 100i32");
    terminal.wait_for("\n100");
    terminal.wait_for_prompt(8);
    terminal.leave();
}

#[test]
fn files_are_loaded() {
    let mut terminal = Terminal::start("files");
    let file = terminal.folder.join("program.fut");
    std::fs::write(&file, "def answer (x: i32) = x + 1000\n").expect("a file can be written");
    terminal.wait_for_prompt(0);
    // Tab completes the name of the command, and that of the file.
    terminal.press(":lo\t");
    terminal.wait_for(":load");
    terminal.press(" prog\t");
    terminal.wait_for("program.fut");
    terminal.press(ENTER);
    terminal.wait_for("loaded \"program.fut\"");
    terminal.wait_for_prompt(1);
    terminal.press("answer 234\r");
    terminal.wait_for("1234");
    terminal.wait_for_prompt(2);
    std::fs::write(&file, "def answer (x: i32) = x + 5000\n").expect("a file can be written");
    terminal.press(":reload\r");
    terminal.wait_for("loaded \"program.fut\"");
    terminal.wait_for_prompt(3);
    terminal.press("answer 678\r");
    terminal.wait_for("5678");
    terminal.wait_for_prompt(4);
    terminal.press(":quit\r");
    terminal.ended_well();
}

#[test]
fn tab_completes_and_up_recalls() {
    let mut terminal = Terminal::start("keys");
    terminal.wait_for_prompt(0);
    terminal.press("def fortune (x: i32) = x * 3\r");
    terminal.wait_for_prompt(1);
    terminal.press("fortu");
    terminal.press(TAB);
    terminal.wait_for("fortune");
    terminal.press(" 111\r");
    terminal.wait_for("333");
    terminal.wait_for_prompt(2);
    // Two candidates are listed, after a second press.
    terminal.press("reduce_by_index_");
    terminal.press("\t\t");
    terminal.wait_for("reduce_by_index_2d");
    terminal.wait_for("reduce_by_index_3d");
    // The line is drawn again below the list.
    terminal.wait_for("[2]> reduce_by_index_");
    terminal.clear_line(2);
    terminal.press(UP);
    terminal.wait_for("fortune 111");
    terminal.press("0\r");
    terminal.wait_for("3330");
    terminal.wait_for_prompt(3);
    terminal.leave();
    // The next session remembers, too.
    let mut terminal = terminal.start_again();
    terminal.wait_for_prompt(0);
    terminal.press(UP);
    terminal.wait_for("fortune 1110");
    terminal.press(UP);
    // One digit less.
    terminal.wait_for("fortune 111\r");
    terminal.clear_line(0);
    terminal.leave();
}

#[test]
fn lines_that_are_typed_or_pasted_ahead_are_kept() {
    let mut terminal = Terminal::start("ahead");
    terminal.wait_for_prompt(0);
    // All at once, as a slow machine or a quick typist would have it.
    terminal.press("def a = 1000i32\ra + 11\ra + 22\ra + 33\r");
    terminal.wait_for("1011");
    terminal.wait_for("1022");
    terminal.wait_for("1033");
    terminal.wait_for_prompt(4);
    // While something runs, between prompts.
    terminal.press("let s = #[trace(started)] 0i64 in loop x = s for i < 300000 do x + i\r");
    terminal.wait_for("started: 0i64");
    terminal.press("a + 44\ra + 55");
    terminal.wait_for("44999850000");
    terminal.wait_for("1044");
    terminal.wait_for_prompt(6);
    terminal.press("0\r");
    terminal.wait_for("1550");
    terminal.wait_for_prompt(7);
    // The terminal says that this is pasted.
    terminal.press("\x1b[200~def b = 2000i32\nb + 66\nb + 77\x1b[201~\r");
    terminal.wait_for("2066");
    terminal.wait_for("2077");
    terminal.wait_for_prompt(10);
    terminal.leave();
}

#[test]
fn ctrl_c_stops_what_runs_and_nothing_else() {
    let mut terminal = Terminal::start("interrupt");
    terminal.wait_for_prompt(0);
    terminal.press("def kept = 4321i32\r");
    terminal.wait_for_prompt(1);
    // The trace appears when the expression runs, and so after the terminal has left the mode in
    // which Ctrl-C is a key like others.
    terminal.press("let s = #[trace(started)] 0i32 in loop x = s while true do x + 1\r");
    terminal.wait_for("started: 0i32");
    terminal.press_ctrl('c');
    terminal.wait_for("interrupted");
    terminal.wait_for_prompt(2);
    terminal.press("def never = let s = #[trace(begun)] 0i32 in loop x = s while true do x + 1\r");
    terminal.wait_for("begun: 0i32");
    terminal.press_ctrl('c');
    terminal.wait_for("interrupted");
    terminal.wait_for_prompt(3);
    terminal.press("kept + 1\r");
    terminal.wait_for("4322");
    terminal.wait_for_prompt(4);
    terminal.leave();
}

/// A C compiler that takes its time: the usual one, after a while, when it comes to the program itself.
fn slow_compiler(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("slow-cc");
    let text = "#!/bin/sh\ncase \"$*\" in *-DFE_SEPARATE*) sleep 4;; esac\nexec cc \"$@\"\n";
    std::fs::write(&path, text).expect("it can be written");
    let all = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, all).expect("it can be executed");
    path
}

/// A command in a folder of its own, with a slow C compiler and nothing in the cache.
fn slow(name: &str, args: &[&str]) -> Command {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run has left.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let text = "-- ==\n-- input { 20 } output { 21 }\nentry main (x: i32): i32 = x + 1\n";
    std::fs::write(folder.join("a.fut"), text).expect("it can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
    command.args(args).current_dir(&folder).env("TERM", "xterm").env("NO_COLOR", "1");
    command.env("CC", slow_compiler(&folder)).env("XDG_CACHE_HOME", folder.join("cache"));
    command.env("CFLAGS", "-O0");
    command
}

#[test]
fn a_slow_c_compiler_is_mentioned_and_then_forgotten() {
    // Both at the same time: most of it is waiting.
    let screens = [&["c", "a.fut"][..], &["bench", "-r", "2", "a.fut"]].map(|args| {
        let name = format!("progress-{}", args[0]);
        Screen::start(&slow(&name, args))
    });
    for mut screen in screens {
        // A line is drawn, and the seconds are counted.
        screen.wait_for("\r\x1b[K");
        let line = screen.wait_for(" s");
        assert!(line.contains("ompil"), "{line:?}");
        // The line goes when it is done.
        screen.wait_for("\r\x1b[K");
        screen.end();
    }
}

#[test]
fn nobody_is_told_where_there_is_no_terminal() {
    let output = slow("progress-none", &["c", "a.fut"]).output().expect("it runs");
    assert!(output.status.success());
    assert_eq!((output.stdout, output.stderr), (Vec::new(), Vec::new()));
}
