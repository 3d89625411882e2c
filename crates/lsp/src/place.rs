//! Places as the protocol has them.

use fehu_analysis::position::{Encoding, Position};
use fehu_base::{SourceFile, SourceMap, Span};
use serde_json::{Value, json};

/// `{"line": ..., "character": ...}`
pub(crate) fn position(encoding: Encoding, file: &SourceFile, offset: u32) -> Value {
    let Position { line, column } = encoding.position(file, offset);
    json!({"line": line, "character": column})
}

/// `{"start": ..., "end": ...}`
pub(crate) fn range(encoding: Encoding, sources: &SourceMap, span: Span) -> Value {
    range_in(encoding, sources.file(span.file), span.start, span.end)
}

/// Likewise, for bytes of a file.
pub(crate) fn range_in(encoding: Encoding, file: &SourceFile, start: u32, end: u32) -> Value {
    json!({
        "start": position(encoding, file, start),
        "end": position(encoding, file, end.max(start)),
    })
}

/// The byte at a position of the protocol.
pub(crate) fn offset(encoding: Encoding, file: &SourceFile, position: &Value) -> u32 {
    let number = |key: &str| {
        let number = position[key].as_u64().unwrap_or(0);
        u32::try_from(number).unwrap_or(u32::MAX)
    };
    let position = Position { line: number("line"), column: number("character") };
    encoding.offset(file, position)
}
