//! Lines and columns as editors count them: both from 0, columns in units of an encoding.

use fehu_base::SourceFile;

/// In what units columns are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits: a character beyond the first 65,536 has two.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

/// A place in a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Encoding {
    fn width(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }

    /// The position of a byte; one beyond the end is the end.
    pub fn position(self, file: &SourceFile, offset: u32) -> Position {
        let (line, _) = file.line_col(offset.min(file.text.len() as u32));
        let range = file.line_range(line - 1);
        let end = (offset as usize).clamp(range.start, range.end);
        let before = file.text.get(range.start..end).unwrap_or("");
        let column = match self {
            Encoding::Utf8 => before.len(),
            Encoding::Utf16 | Encoding::Utf32 => before.chars().map(|c| self.width(c)).sum(),
        };
        Position { line: (line - 1) as u32, column: column as u32 }
    }

    /// The byte at a position; a column beyond the end of the line is that end.
    pub fn offset(self, file: &SourceFile, position: Position) -> u32 {
        let range = file.line_range(position.line as usize);
        let mut column = 0;
        let line = file.text.get(range.clone()).unwrap_or("");
        for (at, c) in line.char_indices() {
            if column >= position.column as usize {
                return (range.start + at) as u32;
            }
            column += self.width(c);
        }
        range.end as u32
    }
}
