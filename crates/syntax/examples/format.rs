//! Formats the programs that are named on the command line, or the standard input, to the standard
//! output.

use fehu_base::FileId;
use fehu_base::stack::with_large_stack;
use fehu_syntax::fmt::format_source;
use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let mut texts = Vec::new();
    for path in std::env::args().skip(1) {
        texts.push(std::fs::read_to_string(path)?);
    }
    if texts.is_empty() {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        texts.push(text);
    }
    for text in texts {
        match with_large_stack(|| format_source(FileId(0), &text)) {
            Ok(formatted) => std::io::stdout().write_all(formatted.as_bytes())?,
            Err(problems) => {
                for problem in problems {
                    writeln!(std::io::stderr(), "{}: {}", problem.code, problem.message)?;
                }
            }
        }
    }
    Ok(())
}
