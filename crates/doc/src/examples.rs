//! Examples in documentation comments.
//!
//! ```text
//! -- | The sum of two numbers.
//! --
//! -- >>> add 1 2
//! -- 3
//! ```
//!
//! A line that begins with `>>> ` is what somebody could type in an interactive session, and lines that begin with `...
//! ` go on with it. The lines after it, up to an empty one or the next example, are what the session answers;
//! declarations have no answer. If these begin with `Error`, the program is expected to stop with this message.

/// A part of a documentation comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Segment {
    /// Markdown.
    Text(String),
    /// An example.
    Example(Example),
}

/// An example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// What is typed.
    pub input: String,
    /// What is answered; may be empty.
    pub answer: String,
    /// Its line in the comment, from 0.
    pub line: usize,
}

/// What somebody types begins with this.
const PROMPT: &str = ">>> ";
/// And goes on with this.
const MORE: &str = "... ";

/// The parts of a comment.
pub fn segments(text: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut words = String::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((line, content)) = lines.next() {
        let Some(first) = content.trim_start().strip_prefix(PROMPT) else {
            words.push_str(content);
            words.push('\n');
            continue;
        };
        let mut example = Example { input: first.to_owned(), answer: String::new(), line };
        while let Some((_, more)) = lines.peek()
            && let Some(more) = more.trim_start().strip_prefix(MORE)
        {
            example.input.push('\n');
            example.input.push_str(more);
            lines.next();
        }
        while let Some((_, answer)) = lines.peek()
            && !answer.trim().is_empty()
            && !answer.trim_start().starts_with(PROMPT)
        {
            if !example.answer.is_empty() {
                example.answer.push('\n');
            }
            example.answer.push_str(answer.trim());
            lines.next();
        }
        if !words.trim().is_empty() {
            segments.push(Segment::Text(std::mem::take(&mut words)));
        }
        segments.push(Segment::Example(example));
        words.clear();
    }
    if !words.trim().is_empty() {
        segments.push(Segment::Text(words));
    }
    segments
}

/// The examples of a comment.
pub fn examples(text: &str) -> Vec<Example> {
    let example = |segment| match segment {
        Segment::Example(example) => Some(example),
        Segment::Text(_) => None,
    };
    segments(text).into_iter().filter_map(example).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found_between_words() {
        let text = "Adds.\n\n>>> add 1 2\n3\n>>> map\n... (add 1)\n[1,\n2]\n\nAnd so on.\n> quoted";
        let example = |input: &str, answer: &str, line| {
            Segment::Example(Example { input: input.into(), answer: answer.into(), line })
        };
        assert_eq!(
            segments(text),
            [
                Segment::Text("Adds.\n\n".to_owned()),
                example("add 1 2", "3", 2),
                example("map\n(add 1)", "[1,\n2]", 4),
                Segment::Text("\nAnd so on.\n> quoted\n".to_owned()),
            ]
        );
        assert_eq!(examples(text).len(), 2);
    }
}
