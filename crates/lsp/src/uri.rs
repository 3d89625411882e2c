//! Names of files: `file:///a/b%20c.fut` is `/a/b c.fut`. Texts that are in no file have other schemes, and keep their name.

use std::fmt::Write;

/// The path of a file.
pub(crate) fn to_path(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else { return uri.to_owned() };
    // A host may stand before the path; it is this machine.
    let path = rest.find('/').map_or(rest, |at| &rest[at..]);
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let [first, rest @ ..] = left {
        let code = rest.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                left = &rest[2..];
            }
            _ => {
                bytes.push(*first);
                left = rest;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The name of a file by its path.
pub(crate) fn of_path(path: &str) -> String {
    let absolute = match path.starts_with('/') {
        true => path.to_owned(),
        false => {
            let folder = std::env::current_dir().unwrap_or_default();
            fehu_driver::paths::normalise(&format!("{}/{path}", folder.display()))
        }
    };
    let mut uri = String::from("file://");
    for byte in absolute.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => _ = write!(uri, "%{byte:02X}"),
        }
    }
    uri
}
