//! What begins with a colon.

use super::input::{self, Input};
use super::{Answer, Outcome, Repl};
use crate::check::Exit;
use crate::files::ReadError;
use crate::load::Root;
use fehu_base::stack;
use fehu_data::{Array, Value};
use std::fmt::Write;

/// A command.
pub(super) struct Command {
    pub(super) name: &'static str,
    /// What follows it; empty if nothing does.
    takes: &'static str,
    does: &'static str,
    run: fn(&mut Repl, &str) -> Answer,
}

const fn command(
    name: &'static str,
    takes: &'static str,
    does: &'static str,
    run: fn(&mut Repl, &str) -> Answer,
) -> Command {
    Command { name, takes, does, run }
}

/// The commands, sorted. Every one can be abbreviated, as long as no other begins so.
pub(super) const COMMANDS: [Command; 13] = [
    command("abort", "", "give up the evaluation that waits at a breakpoint", |r, _| r.abort()),
    command("cd", "FOLDER", "go to a folder, where files are then looked for", Repl::enter),
    command("format", "TEXT", "show a text, with values for {expressions}", Repl::format),
    command("frame", "N", "at a breakpoint, look at another frame of the stack", Repl::frame),
    command("help", "", "list the commands", |_, _| Outcome::Text(help()).into()),
    command("load", "FILE", "load a file; its declarations replace all others", |repl, file| {
        let path = file.trim_matches('"');
        let answer = repl.load(path);
        loaded(answer, path)
    }),
    command(
        "nanbreak",
        "",
        "also stop where NaN is made of other numbers, or no longer",
        |r, _| {
            r.stops_at_nan = !r.stops_at_nan;
            let text = match r.stops_at_nan {
                true => "operations that make NaN of other numbers are breakpoints",
                false => "operations that make NaN are no breakpoints any more",
            };
            Outcome::Text(text.to_owned()).into()
        },
    ),
    command("pwd", "", "show the folder where files are looked for", |repl, _| {
        match repl.files.folder() {
            Ok(folder) => Outcome::Text(folder).into(),
            Err(error) => misused(why("the folder cannot be told", &error)),
        }
    }),
    command("quit", "", "leave; so does Ctrl-D", |_, _| Outcome::Quit.into()),
    command(
        "reload",
        "",
        "load the file and its imports again, then repeat the declarations",
        |repl, _| {
            let answer = repl.reload();
            match repl.path.clone() {
                Some(path) => loaded(answer, &path),
                None => answer,
            }
        },
    ),
    command("string", "EXPR", "show an array of bytes as text", Repl::string),
    command(
        "type",
        "EXPR",
        "show the type of an expression, or the contents of a module",
        |r, e| r.show_type(e),
    ),
    command("unbreak", "", "go on, and do not stop at this breakpoint again", |r, _| r.pass_by()),
];

const MORE_HELP: &str = "
Anything else is evaluated, if it is an expression, or added to the session, if it is a declaration.
Incomplete input continues on the next line; after a line that starts with `case`, an empty
line ends it. Ctrl-C interrupts an evaluation.
An evaluation waits where there is `#[break] e` or `break e`. The names that are visible there can then be
used; an empty line goes on.
Commands can be abbreviated: `:t` is `:type`.
";

impl Repl {
    pub(super) fn command(&mut self, command: &str) -> Answer {
        let (name, argument) = match command.split_once(char::is_whitespace) {
            Some((name, argument)) => (name, argument.trim()),
            None => (command, ""),
        };
        // The name that the peer has for the types of modules.
        let name = if name == "mtype" { "type" } else { name };
        let mut found = COMMANDS.iter().filter(|command| command.name.starts_with(name));
        let command = match (found.next(), found.next()) {
            (Some(command), None) if !name.is_empty() => command,
            (Some(one), Some(other)) if !name.is_empty() => {
                return misused(format!(
                    "\":{name}\" can be \":{}\" and \":{}\"",
                    one.name, other.name
                ));
            }
            _ => return misused(format!("there is no command \":{name}\"; try :help")),
        };
        if command.takes.is_empty() != argument.is_empty() {
            let should = format!(":{} {}", command.name, command.takes);
            return misused(format!("write `{}`", should.trim_end()));
        }
        (command.run)(self, argument)
    }

    /// Reads all files again and repeats the declarations; those that are refused now are forgotten.
    pub(super) fn reload(&mut self) -> Answer {
        let root = match &self.path {
            Some(path) => Root::Path(path.clone()),
            None => Root::Bytes(String::new(), Vec::new()),
        };
        let declared = self.declared.clone();
        let mut answer = self.start(&root);
        if !matches!(answer.outcome, Outcome::Done) {
            return answer;
        }
        for text in declared {
            let again = self.feed(&text);
            answer.diagnostics.extend(again.diagnostics);
            if matches!(answer.outcome, Outcome::Done) {
                answer.outcome = again.outcome;
            }
        }
        answer
    }

    pub(super) fn show_type(&mut self, text: &str) -> Answer {
        let path: Vec<&str> = text.split('.').collect();
        if let Some(shown) = self.checking.program.show_module(&path) {
            return Outcome::Text(shown).into();
        }
        let file = self.sources.add(format!("[{}]", self.number), text);
        match stack::with_large_stack(|| input::read_expression(file, text)) {
            Input::Expression(tree) | Input::Declarations(tree) => self.type_of(file, tree),
            Input::Incomplete(diagnostics) | Input::Wrong(diagnostics) => {
                Answer { outcome: Outcome::Refused(Exit::Rejected), diagnostics }
            }
        }
    }

    /// Goes to a folder. The file that was loaded can still be loaded again.
    fn enter(&mut self, folder: &str) -> Answer {
        let folder = folder.trim_matches('"');
        let path = self.path.as_ref().map(|path| self.files.identity(path));
        match self.files.enter(folder) {
            Ok(()) => {
                self.path = path;
                Outcome::Done.into()
            }
            Err(error) => misused(why(&format!("cannot go to \"{folder}\""), &error)),
        }
    }

    /// Shows an array of bytes as text.
    fn string(&mut self, text: &str) -> Answer {
        let answer = self.evaluate(&format!("[{}]", self.number), text);
        let Outcome::Value(shown) = &answer.outcome else { return answer };
        let value = shown.primitive();
        let array = value.as_ref().and_then(Value::as_array).filter(|array| array.rank() == 1);
        match array.and_then(Array::elements::<u8>) {
            Some(bytes) => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                Answer { outcome: Outcome::Text(text), ..answer }
            }
            None => {
                let ty = shown.ty().unwrap_or_else(|| "a function".to_owned());
                misused(format!("write `:string` with an array of type []u8; this is {ty}"))
            }
        }
    }

    /// Shows a text in which values stand for expressions in braces.
    fn format(&mut self, text: &str) -> Answer {
        let pieces = match pieces(text) {
            Ok(pieces) => pieces,
            Err(wrong) => return misused(wrong),
        };
        let (mut out, mut diagnostics) = (String::new(), Vec::new());
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Expression(text) => {
                    let answer = self.evaluate(&format!("[{}]", self.number), text);
                    diagnostics.extend(answer.diagnostics);
                    match answer.outcome {
                        Outcome::Value(shown) => out.push_str(&shown.text),
                        outcome => return Answer { outcome, diagnostics },
                    }
                }
            }
        }
        Answer { outcome: Outcome::Text(out), diagnostics }
    }
}

/// A part of what `:format` shows.
enum Piece<'a> {
    Text(&'a str),
    Expression(&'a str),
}

/// Takes a text apart at its outermost braces.
fn pieces(text: &str) -> Result<Vec<Piece<'_>>, String> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (at, c) in text.char_indices() {
        match c {
            '{' => {
                if depth == 0 {
                    pieces.push(Piece::Text(&text[start..at]));
                    start = at + 1;
                }
                depth += 1;
            }
            '}' if depth == 0 => return Err("there is a `}` without its `{`".to_owned()),
            '}' => {
                depth -= 1;
                if depth == 0 {
                    pieces.push(Piece::Expression(&text[start..at]));
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err("there is a `{` without its `}`".to_owned());
    }
    pieces.push(Piece::Text(&text[start..]));
    Ok(pieces)
}

fn loaded(answer: Answer, path: &str) -> Answer {
    match answer.outcome {
        Outcome::Done => Answer { outcome: Outcome::Text(format!("loaded \"{path}\"")), ..answer },
        _ => answer,
    }
}

fn misused(message: String) -> Answer {
    Outcome::Misused(message).into()
}

/// What did not work, and why.
fn why(what: &str, error: &ReadError) -> String {
    match error {
        ReadError::NotFound => format!("{what}: there is no such folder"),
        ReadError::Directory | ReadError::TooLarge => format!("{what}: it is no folder"),
        ReadError::Refused(reason) => format!("{what}: {reason}"),
    }
}

fn help() -> String {
    let mut out = String::new();
    for Command { name, takes, does, .. } in COMMANDS {
        _ = writeln!(out, "{:<13} {does}", format!(":{name} {takes}"));
    }
    out.push_str(MORE_HELP);
    out.trim_end().to_owned()
}
