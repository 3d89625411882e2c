//! Source files in memory, and places in them.

use crate::define_id;
use crate::id::IdVec;

define_id!(
    /// A file of a [`SourceMap`].
    pub struct FileId, "file"
);

/// A range of bytes in one file: `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end }
    }

    /// The smallest span that covers both; they are in the same file.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at this one's end.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// The empty span at this one's start.
    pub fn before(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The span as a range of byte indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One file: the name shown to the user, the text, and where its lines start.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name as shown in messages.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// A file of its own, outside of any [`SourceMap`].
    pub fn new(name: String, text: String) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1),
        );
        SourceFile { name, text, line_starts }
    }

    /// Line and column (both from 1, columns in characters) of a byte offset.
    pub fn line_col(&self, offset: u32) -> (usize, usize) {
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(0, |t| t.chars().count());
        (line + 1, column + 1)
    }

    /// The number of lines; a file that ends with a line break has an empty last line.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The bytes of a line, counted from 0, without its line break; empty beyond the last.
    pub fn line_range(&self, line: usize) -> std::ops::Range<usize> {
        let end_of_text = self.text.len();
        let start = self.line_starts.get(line).map_or(end_of_text, |&start| start as usize);
        let end = self.line_starts.get(line + 1).map_or(end_of_text, |&next| next as usize - 1);
        let line = self.text.get(start..end).unwrap_or("");
        start..start + line.trim_end_matches('\r').len()
    }
}

/// All files of one run of the compiler.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: IdVec<FileId, SourceFile>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file. Texts are shorter than 4 GiB; the driver refuses longer ones.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name.into(), text.into()))
    }

    /// Gives a file another text. What refers to places in the old one means nothing any more.
    pub fn replace(&mut self, id: FileId, text: impl Into<String>) {
        let name = std::mem::take(&mut self.files[id].name);
        self.files[id] = SourceFile::new(name, text.into());
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &str {
        self.files[span.file].text.get(span.range()).unwrap_or("")
    }

    /// A place as `file:line:column-column`, or `file:line:column-line:column` over several lines.
    /// The second column is one past the last character, as test suites of the language expect.
    pub fn describe(&self, span: Span) -> String {
        let file = &self.files[span.file];
        let (line, column) = file.line_col(span.start);
        let (end_line, end_column) = file.line_col(span.end.max(span.start));
        if line != end_line {
            format!("{}:{line}:{column}-{end_line}:{end_column}", file.name)
        } else if column == end_column {
            format!("{}:{line}:{column}", file.name)
        } else {
            format!("{}:{line}:{column}-{end_column}", file.name)
        }
    }

    /// All files in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter()
    }
}
