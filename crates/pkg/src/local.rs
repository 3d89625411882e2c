//! `fehu.pkg.local`: what takes the place of packages, on this machine only.
//!
//! ```text
//! replace {
//!   github.com/diku-dk/sorts => ../sorts
//!   example.com/team/secret => ssh://git@example.com/team/secret
//! }
//! ```
//!
//! A folder is used as it is, whatever version is required: `lib/` has a link to it. An address is where the
//! repository is. The file is not for publishing, and packages that are used do not have a say by theirs.

use crate::scan::{Scanner, Token};
use crate::{PackagePath, Result};
use std::collections::BTreeMap;

/// The name of the file.
pub const FILE: &str = "fehu.pkg.local";

/// What takes the place of packages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Local {
    /// For each package.
    pub replaced: BTreeMap<PackagePath, Target>,
}

/// What takes the place of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A folder with a manifest, relative to the folder of this file.
    Folder(String),
    /// The address of a repository.
    Address(String),
}

impl Target {
    /// An address has a scheme.
    pub fn parse(text: &str) -> Target {
        match text.contains("://") {
            true => Target::Address(text.to_owned()),
            false => Target::Folder(text.to_owned()),
        }
    }
}

impl Local {
    /// Reads the file.
    pub fn parse(text: &str) -> Result<Local> {
        let mut scanner = Scanner::new(FILE, text);
        let mut local = Local::default();
        scanner.comments();
        scanner.expect(Token::Word("replace"), "\"replace\"")?;
        scanner.expect(Token::Open, "\"{\"")?;
        loop {
            scanner.comments();
            if scanner.takes(Token::Close) {
                break;
            }
            let at = scanner.position();
            let path = scanner.path()?;
            scanner.expect(Token::Word("=>"), "\"=>\"")?;
            let target = Target::parse(scanner.word("a folder or an address")?);
            if local.replaced.insert(path.clone(), target).is_some() {
                return Err(scanner.error(at, &format!("{path} is replaced twice")));
            }
        }
        scanner.comments();
        scanner.expect(Token::End, "the end of the file")?;
        Ok(local)
    }
}

/// The text of the file with one more line; `text` is what it was, if there was one.
pub(crate) fn with_line(text: Option<&str>, path: &PackagePath, target: &str) -> String {
    let line = format!("  {path} => {target}\n");
    match text.and_then(|text| text.rsplit_once('}')) {
        Some((before, after)) => {
            let before = before.trim_end();
            format!("{before}\n{line}}}{after}")
        }
        None => format!("replace {{\n{line}}}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_addresses() {
        let text = "-- mine\nreplace {\n  a/b => ../b\n  c/d => ssh://git@c/d\n}\n";
        let local = Local::parse(text).expect("it is right");
        let path = PackagePath::parse("a/b").expect("a path");
        let more = with_line(Some(text), &PackagePath::parse("e").expect("a path"), "f");
        assert_eq!(more, text.replace("}\n", "  e => f\n}\n"));
        assert_eq!(with_line(None, &path, "../b"), "replace {\n  a/b => ../b\n}\n");
        assert_eq!(local.replaced[&path], Target::Folder("../b".to_owned()));
        for wrong in
            ["", "replace {", "replace { a/b }", "replace { a/b => c a/b => d }", "replace {} x"]
        {
            assert!(Local::parse(wrong).is_err(), "{wrong}");
        }
    }
}
