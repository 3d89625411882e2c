//! Test blocks as data.
//!
//! ```text
//! block   = [`tags` `{` words `}`] ( `error:` REGEX | { entry | case | other } )
//! entry   = `entry:` names                                 to the end of the line
//! case    = [string] { tag } `input` ( `{` values `}` | `@` file ) [ expected ]
//! expected = `output` ( `{` values `}` | `@` file ) | `auto` `output` | `error:` REGEX
//! other   = `structure` [word] `{` ... `}` | `warning:` REGEX | `property:` names
//! ```
//!
//! A block is the rest of a comment after a line that is exactly `-- ==`. Only the first block of a
//! program may have tags or expect an error of the compiler; then there are no others. Names that are
//! given to the cases of a block are unique in it. With the tag `random` the input consists
//! of types and values, with `script` of an expression. A regular expression goes to the end of its
//! line. Comments inside a block start with `--` like everywhere.

mod parser;
#[cfg(test)]
mod tests;

use fehu_data::Value;
use fehu_data::generate;
use std::fmt;

/// Reads all test blocks of a program.
pub fn read(program: &str) -> Result<Test, BlockError> {
    let mut test = Test::default();
    for (index, block) in texts(program).into_iter().enumerate() {
        parser::block(&block, index == 0, &mut test)?;
    }
    Ok(test)
}

/// What the blocks of a program say.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Test {
    /// What kind of program it is.
    pub tags: Vec<String>,
    /// The expression that must be found in the compiler's error, if there must be one.
    pub error: Option<String>,
    /// Expressions that must be found among the warnings.
    pub warnings: Vec<String>,
    /// Entry points that are properties.
    pub properties: Vec<String>,
    /// What to run.
    pub cases: Vec<Case>,
}

/// A case: arguments for one or more entry points.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The entry points, each of which is tested.
    pub entries: Vec<String>,
    /// The name: the one that is given, or one made from the input.
    pub name: String,
    /// Its tags, such as `compiled`.
    pub tags: Vec<String>,
    /// The line of the program where it starts, from 1.
    pub line: usize,
    /// The arguments.
    pub input: Input,
    /// What should come out.
    pub expected: Expected,
}

/// The arguments of a case.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// These values.
    Values(Vec<Value>),
    /// The values of a file, relative to the program.
    File(String),
    /// Random values.
    Random(Vec<generate::Spec>),
    /// The value of an expression of the script language.
    Script(String),
    /// The same, from a file, relative to the program.
    ScriptFile(String),
}

/// What should come out.
#[derive(Clone, PartialEq, Debug)]
pub enum Expected {
    /// Anything but an error.
    Success,
    /// Whatever a reference gives: anything but an error, too.
    Auto,
    /// These values.
    Values(Vec<Value>),
    /// The values of a file, relative to the program.
    File(String),
    /// An error in which the expression is found; an empty one is always found.
    Error(String),
}

/// A block that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockError {
    /// The line of the program, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for BlockError {}

/// The text of a block, without the signs of the comment.
struct Text {
    /// The line of the program on which the text begins, from 1.
    line: usize,
    text: String,
}

fn texts(program: &str) -> Vec<Text> {
    let mut texts: Vec<Text> = Vec::new();
    let mut inside = false;
    for (index, line) in program.lines().enumerate() {
        match line.strip_prefix("--") {
            Some(rest) if inside => {
                if let Some(last) = texts.last_mut() {
                    last.text.push_str(rest);
                    last.text.push('\n');
                }
            }
            Some(rest) if rest.trim_end() == " ==" => {
                texts.push(Text { line: index + 2, text: String::new() });
                inside = true;
            }
            Some(_) => {}
            None => inside = false,
        }
    }
    texts
}
