//! `fehu dev reduce`: makes a program smaller as long as passes fail with it in the same way.

use crate::pipelines;
use crate::session::{self, Session};
use crate::temporary::Folder;
use fehu_ir::Prog;
use fehu_ir::pass::Pass;
use fehu_irtest::oracle::Oracle;
use fehu_irtest::passes::{FailureKind, examine, transform};
use fehu_irtest::reduce::reduce;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a program has to show.
#[derive(Clone, Debug)]
pub enum Question {
    /// Passes fail in this way.
    Passes(FailureKind, Vec<Pass>),
    /// A command, called with the name of a file that has the program, ends with the same code as at first.
    Command(String),
}

impl Question {
    /// Reads `agree PASSES`, `verify PASSES`, `panic PASSES`, or a command; the passes are names with commas, or a
    /// pipeline.
    pub fn read(text: &str) -> Result<Question, String> {
        let Some((word, names)) = text.trim().split_once(' ') else {
            return Ok(Question::Command(text.trim().to_owned()));
        };
        let kind = match word {
            "agree" => FailureKind::Differs,
            "verify" => FailureKind::Refused,
            "panic" => FailureKind::Panic,
            _ => return Ok(Question::Command(text.trim().to_owned())),
        };
        let passes = match pipelines::pipeline(names.trim()) {
            Ok(pipeline) => pipeline.passes.to_vec(),
            Err(_) => pipelines::passes(names)?,
        };
        Ok(Question::Passes(kind, passes))
    }
}

/// Reduces a program, asking at most `budget` times. The error is that it does not show what it has to.
pub fn run(prog: &Prog, question: &Question, budget: usize, seed: u64) -> Result<Prog, String> {
    let mut result = Err("the reduction failed".to_owned());
    let mut session = Session::default();
    session::run(&mut session, |_| result = on_large_stack(prog, question, budget, seed));
    match session.diagnostics.first() {
        Some(error) => Err(format!("{}: {}", error.message, error.notes.join("; "))),
        None => result,
    }
}

fn on_large_stack(
    prog: &Prog,
    question: &Question,
    budget: usize,
    seed: u64,
) -> Result<Prog, String> {
    match question {
        Question::Passes(kind, passes) => {
            let oracle = Oracle { seed, rounds: 12, ..Oracle::default() };
            let mut fails = |prog: &Prog| {
                let failure = match kind {
                    FailureKind::Differs => examine(prog, passes, &oracle).err(),
                    FailureKind::Refused | FailureKind::Panic => transform(prog, passes).err(),
                };
                failure.is_some_and(|failure| failure.kind() == *kind)
            };
            if !fails(prog) {
                return Err("the passes do not show this fault with this program".to_owned());
            }
            Ok(reduce(prog, budget, &mut fails))
        }
        Question::Command(command) => {
            let folder = Folder::new().map_err(|why| format!("there is no folder: {why}"))?;
            let path = folder.path().join("reduced.ir");
            let first = exit_code(command, &path, prog)?;
            if first == Some(0) {
                return Err("the command succeeds with this program".to_owned());
            }
            let mut fails = |prog: &Prog| exit_code(command, &path, prog) == Ok(first);
            Ok(reduce(prog, budget, &mut fails))
        }
    }
}

fn exit_code(command: &str, path: &PathBuf, prog: &Prog) -> Result<Option<i32>, String> {
    std::fs::write(path, prog.to_string())
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{command} \"$0\""))
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("cannot run `{command}`: {error}"))?;
    Ok(status.code())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_ir::text::parse;

    const PROG: &str = "prog arrays
fun f (n: i64, xs: [n]i32, y: i32) -> (r: i32, s: [n]i32) =
  let (a: i32) = mul y 3i32
  let (b: i32) = sub a y
  let (ys: [n]i32) = replicate (n) b
  in (b, ys)
";

    #[test]
    fn a_command_decides() {
        let prog = parse(PROG).expect("it is a program");
        let question = Question::read("! grep -q mul").expect("it is a command");
        let small = run(&prog, &question, 1000, 0).expect("the command fails at first");
        assert_eq!(
            small.to_string(),
            "prog arrays\n\nfun f () -> () =\n  let (a_0: i32) = mul 0i32 0i32\n  in ()\n"
        );
        let question = Question::read("! grep -q nothing").expect("it is a command");
        assert!(run(&prog, &question, 1000, 0).is_err());
    }

    #[test]
    fn questions_about_passes() {
        let prog = parse(PROG).expect("it is a program");
        let question = Question::read("agree default").expect("it is a question");
        assert!(matches!(question, Question::Passes(FailureKind::Differs, _)));
        let error = run(&prog, &question, 1000, 0).expect_err("nothing is wrong");
        assert!(error.contains("do not show this fault"), "{error}");
        assert!(Question::read("panic nonsense").is_err());
    }
}
