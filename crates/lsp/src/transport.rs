//! Messages on streams: a header with the length, an empty line, and JSON.

use serde_json::Value;
use std::io::{BufRead, Write};

/// No message is longer: files of this size are refused anyway.
const MAX_BYTES: usize = 1 << 30;

/// The next message; `None` at the end of the stream, or if it is not the protocol. Text that is not JSON is skipped.
pub(crate) fn read(input: &mut dyn BufRead) -> Option<Value> {
    loop {
        let mut length = None;
        loop {
            let mut line = String::new();
            if input.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse::<usize>().ok();
            }
        }
        let length = length.filter(|length| *length <= MAX_BYTES)?;
        let mut bytes = vec![0; length];
        input.read_exact(&mut bytes).ok()?;
        if let Ok(message) = serde_json::from_slice(&bytes) {
            return Some(message);
        }
    }
}

/// Writes a message. A client that is gone will end the stream of its own messages, too.
pub(crate) fn write(output: &mut dyn Write, message: &Value) {
    let text = message.to_string();
    _ = write!(output, "Content-Length: {}\r\n\r\n{text}", text.len());
    _ = output.flush();
}
