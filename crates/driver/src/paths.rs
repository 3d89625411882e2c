//! What an import means: from the text of an `import` to a file.

use std::fmt;

/// The folder of the embedded standard library, as imports write it.
pub const PRELUDE: &str = "/prelude/";

/// Where a file is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// In the embedded prelude; the path after `/prelude/`, without extension.
    Prelude(String),
    /// A path for [`crate::files::Files`], with extension.
    File(String),
}

impl Location {
    /// The file that `import "name"` means in the file at this location.
    pub fn import(&self, name: &str) -> Location {
        if name.starts_with(PRELUDE) {
            return prelude_location(name);
        }
        if name.starts_with('/') {
            return Location::File(format!("{}.fut", normalise(name)));
        }
        match self {
            Location::Prelude(path) => {
                prelude_location(&format!("{PRELUDE}{}{name}", parent(path)))
            }
            Location::File(path) => {
                Location::File(format!("{}.fut", normalise(&format!("{}{name}", parent(path)))))
            }
        }
    }

    /// The name of the file as a module: its normalised path without extension.
    pub fn key(&self) -> String {
        match self {
            Location::Prelude(path) => format!("{PRELUDE}{path}"),
            Location::File(path) => {
                let path = normalise(path);
                path.strip_suffix(".fut").map_or(path.clone(), str::to_owned)
            }
        }
    }
}

/// The name shown in messages.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Prelude(path) => write!(f, "{PRELUDE}{path}.fut"),
            Location::File(path) => f.write_str(path),
        }
    }
}

/// A path without `.`, empty parts, and `..` where there is something to go up from.
pub fn normalise(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => {
                    parts.pop();
                }
                // The folder above the top folder is the top folder.
                None if absolute => {}
                _ => parts.push(".."),
            },
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

/// An absolute path that starts in the prelude; `..` does not lead out of it.
fn prelude_location(path: &str) -> Location {
    let inside = path.strip_prefix(PRELUDE).unwrap_or(path);
    let normal = normalise(&format!("/{inside}"));
    Location::Prelude(normal.trim_start_matches('/').to_owned())
}

/// The folder of the package that a file belongs to, as package managers lay them out:
/// `lib/github.com/owner/name`. `None` for other files.
pub fn package(path: &str) -> Option<&str> {
    let mut end = 0;
    let mut parts = path.split_inclusive('/').peekable();
    while let Some(part) = parts.next() {
        end += part.len();
        let host = parts.peek().is_some_and(|host| is_host(host.trim_end_matches('/')));
        if part == "lib/" && host {
            let rest = &path[end..];
            let folders: Vec<(usize, &str)> = rest.match_indices('/').collect();
            // The host, the owner and the name.
            return folders.get(2).map(|(at, _)| &path[..end + at]);
        }
    }
    None
}

/// Whether a folder has the name of a computer in the internet.
fn is_host(folder: &str) -> bool {
    let last = folder.rsplit_once('.').map_or("", |(_, last)| last);
    last.len() > 1
        && last.bytes().all(|b| b.is_ascii_alphabetic())
        && !folder.starts_with('.')
        && last != "fut"
}

/// The folder part of a path, with its final slash; empty for a plain file name.
fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..=slash])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised() {
        let cases = [
            ("a/../b", "b"),
            ("./a//b/.", "a/b"),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("../../a/..", "../.."),
            ("/../a", "/a"),
            ("", ""),
        ];
        for (path, normal) in cases {
            assert_eq!(normalise(path), normal, "{path}");
        }
    }

    #[test]
    fn packages_are_below_a_host() {
        let cases = [
            ("lib/github.com/a/b/c.fut", Some("lib/github.com/a/b")),
            ("src/lib/gitlab.com/a/b/c/d.fut", Some("src/lib/gitlab.com/a/b")),
            ("../lib/github.com/a/b/c.fut", Some("../lib/github.com/a/b")),
            ("lib/mine/a/b/c.fut", None),
            ("lib/a.fut", None),
            ("mylib/github.com/a/b/c.fut", None),
            ("main.fut", None),
        ];
        for (path, expected) in cases {
            assert_eq!(package(path), expected, "{path}");
        }
    }

    #[test]
    fn imports_are_relative_to_the_importing_file() {
        let root = Location::File("src/main.fut".to_owned());
        let cases = [
            ("a", "src/a.fut", "src/a"),
            ("lib/a", "src/lib/a.fut", "src/lib/a"),
            ("../a", "a.fut", "a"),
            ("/abs/a", "/abs/a.fut", "/abs/a"),
            ("/prelude/math", "/prelude/math.fut", "/prelude/math"),
            ("/prelude/../math", "/prelude/math.fut", "/prelude/math"),
        ];
        for (import, shown, key) in cases {
            let location = root.import(import);
            assert_eq!((location.to_string(), location.key()), (shown.to_owned(), key.to_owned()));
        }
        let prelude = Location::Prelude("a/b".to_owned());
        assert_eq!(prelude.import("c").key(), "/prelude/a/c");
        assert_eq!(prelude.import("../../../c").key(), "/prelude/c");
    }
}
