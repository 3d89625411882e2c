//! What begins with a colon.

use super::input::{self, Input};
use super::{Answer, Outcome, Repl};
use crate::check::Exit;
use crate::load::Root;
use fehu_base::stack;
use std::fmt::Write;

/// The commands: names, what follows them, and what they do.
pub(super) const COMMANDS: [(&str, &str, &str); 5] = [
    ("help", "", "list the commands"),
    ("load", "FILE", "load a file; its declarations replace all others"),
    ("quit", "", "leave; so does Ctrl-D"),
    ("reload", "", "load the file and its imports again, then repeat the declarations"),
    ("type", "EXPR", "show the type of an expression, or the contents of a module"),
];

const MORE_HELP: &str = "
Anything else is evaluated, if it is an expression, or added to the session, if it is a declaration.
Incomplete input continues on the next line; after a line that starts with `case`, an empty
line ends it. Ctrl-C interrupts an evaluation.
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
        let mut found = COMMANDS.iter().filter(|(full, _, _)| full.starts_with(name));
        let (full, takes) = match (found.next(), found.next()) {
            (Some((full, takes, _)), None) if !name.is_empty() => (*full, *takes),
            _ => return misused(format!("there is no command \":{name}\"; try :help")),
        };
        if takes.is_empty() != argument.is_empty() {
            let should = format!(":{full} {takes}");
            return misused(format!("write `{}`", should.trim_end()));
        }
        match full {
            "help" => Outcome::Text(help()).into(),
            "quit" => Outcome::Quit.into(),
            "load" => {
                let path = argument.trim_matches('"').to_owned();
                let answer = self.load(&path);
                loaded(answer, &path)
            }
            "reload" => {
                let answer = self.reload();
                match self.path.clone() {
                    Some(path) => loaded(answer, &path),
                    None => answer,
                }
            }
            _ => self.show_type(argument),
        }
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

    fn show_type(&mut self, text: &str) -> Answer {
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

fn help() -> String {
    let mut out = String::new();
    for (name, takes, does) in COMMANDS {
        _ = writeln!(out, "{:<12} {does}", format!(":{name} {takes}"));
    }
    out.push_str(MORE_HELP);
    out.trim_end().to_owned()
}
