//! What a literate program consists of: comments that are text, code, and directives.
//!
//! Everything begins in the first column. A comment whose first line is `-- > ...`, after an empty line or at the start, is a
//! directive. One that begins with `-- ==` is a test block, and belongs to the code. All others are text in Markdown.

use crate::directive::{self, Directive};

/// A part of a literate program.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// Markdown.
    Text(String),
    /// A part of the program, or empty lines between other blocks.
    Code(String),
    /// Something to show.
    Directive(Box<Directive>),
}

/// The parts of a program.
pub fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let is_comment = |line: &str| line.starts_with("--");
        let comment = is_comment(lines[at]);
        let count = lines[at..].iter().take_while(|line| is_comment(line) == comment).count();
        let part = &lines[at..at + count];
        let after_blank = at == 0 || lines[at - 1].trim().is_empty();
        match comment {
            false => code(&mut blocks, &part.join("\n")),
            true if part[0].trim_end() == "-- ==" => code(&mut blocks, &part.join("\n")),
            true if part[0].starts_with("-- >") && after_blank => {
                let body: Vec<&str> = part.iter().map(|line| uncomment(line)).collect();
                blocks.push(Block::Directive(Box::new(directive::read(&body.join("\n"), at + 1))));
            }
            true => {
                let body: Vec<&str> = part.iter().map(|line| uncomment(line)).collect();
                blocks.push(Block::Text(body.join("\n")));
            }
        }
        at += count;
    }
    blocks
}

/// Adds code. Test blocks belong to what is around them.
fn code(blocks: &mut Vec<Block>, text: &str) {
    match blocks.last_mut() {
        Some(Block::Code(before)) => {
            before.push('\n');
            before.push_str(text);
        }
        Some(Block::Text(_) | Block::Directive(_)) | None => {
            blocks.push(Block::Code(text.to_owned()));
        }
    }
}

fn uncomment(line: &str) -> &str {
    let rest = line.strip_prefix("--").unwrap_or(line);
    rest.strip_prefix(' ').unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_text_code_is_code() {
        let text = "-- # Title\n--\n--  indented\n\ndef x = 1\n\n-- ==\n-- input {}\n\n-- > x\n\n-- a\n-- > quoted";
        let blocks = blocks(text);
        let [
            Block::Text(title),
            Block::Code(code),
            Block::Directive(shown),
            Block::Code(gap),
            Block::Text(last),
        ] = blocks.as_slice()
        else {
            panic!("{blocks:?}");
        };
        assert_eq!(title, "# Title\n\n indented");
        assert_eq!(code, "\ndef x = 1\n\n-- ==\n-- input {}\n");
        assert_eq!((shown.source.as_str(), shown.line), ("x", 10));
        assert_eq!(gap, "");
        assert_eq!(last, "a\n> quoted");
    }
}
