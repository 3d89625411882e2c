//! `futhark.pkg`: what a package is called, and what it requires.
//!
//! ```text
//! package github.com/diku-dk/sorts
//!
//! require {
//!   github.com/diku-dk/segmented 0.5.1 #8246db5c9ac1a5bd20a5f24d9b03a2fd44e9d164
//! }
//! ```
//!
//! Both parts may be missing. Comments (`-- …`) stay where they are when the file is written again.

use crate::scan::{Scanner, Token};
use crate::{PackagePath, Result, Version};
use std::collections::BTreeSet;
use std::fmt;

/// The name of the file.
pub const FILE: &str = "futhark.pkg";

/// A manifest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    /// The comments before the name.
    head: Vec<String>,
    /// The name of the package; none for a program that only uses others.
    pub package: Option<PackagePath>,
    /// The comments before what is required.
    middle: Vec<String>,
    items: Vec<Item>,
    /// The comments at the end.
    tail: Vec<String>,
}

/// One line of what is required.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Item {
    Comment(String),
    Required(Requirement, Option<String>),
}

/// A package that is required: this version, or a later one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Requirement {
    /// Its name.
    pub path: PackagePath,
    /// The oldest version that will do.
    pub version: Version,
    /// The commit that the version has to be, or the start of its name.
    pub commit: Option<String>,
}

impl Manifest {
    /// A new manifest.
    pub fn new(package: PackagePath) -> Manifest {
        Manifest { package: Some(package), ..Manifest::default() }
    }

    /// Reads a manifest; `file` is its name in messages.
    pub fn parse(file: &str, text: &str) -> Result<Manifest> {
        let mut scanner = Scanner::new(file, text);
        let mut manifest = Manifest { head: scanner.comments(), ..Manifest::default() };
        if scanner.takes(Token::Word("package")) {
            manifest.package = Some(scanner.path()?);
            manifest.middle = scanner.comments();
        }
        if scanner.takes(Token::Word("require")) {
            scanner.expect(Token::Open, "\"{\"")?;
            manifest.items = items(&mut scanner)?;
            manifest.tail = scanner.comments();
        }
        scanner.expect(Token::End, "\"package\", \"require\" or the end of the file")?;
        Ok(manifest)
    }

    /// What is required, in the order in which it is written.
    pub fn requirements(&self) -> impl Iterator<Item = &Requirement> {
        self.items.iter().filter_map(|item| match item {
            Item::Required(requirement, _) => Some(requirement),
            Item::Comment(_) => None,
        })
    }

    /// What is required of a package.
    pub fn requirement(&self, path: &PackagePath) -> Option<&Requirement> {
        self.requirements().find(|requirement| requirement.path == *path)
    }

    /// Requires a package, in place of what was required of it before, which is returned.
    pub fn require(&mut self, new: Requirement) -> Option<Requirement> {
        for item in &mut self.items {
            if let Item::Required(old, _) = item
                && old.path == new.path
            {
                return Some(std::mem::replace(old, new));
            }
        }
        self.items.push(Item::Required(new, None));
        None
    }

    /// Requires a package no longer.
    pub fn remove(&mut self, path: &PackagePath) -> Option<Requirement> {
        let is_it = |item: &Item| matches!(item, Item::Required(old, _) if old.path == *path);
        let at = self.items.iter().position(is_it)?;
        match self.items.remove(at) {
            Item::Required(old, _) => Some(old),
            Item::Comment(_) => None,
        }
    }
}

/// What is required, up to the closing brace.
fn items(scanner: &mut Scanner<'_>) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    let mut paths = BTreeSet::new();
    loop {
        match scanner.peek() {
            Token::Comment(text) => {
                scanner.take();
                items.push(Item::Comment(text.trim_end().to_owned()));
            }
            Token::Close => {
                scanner.take();
                return Ok(items);
            }
            Token::Word(_) | Token::Open | Token::Hash | Token::End => {
                let at = scanner.position();
                let requirement = requirement(scanner)?;
                if !paths.insert(requirement.path.clone()) {
                    let message = format!("{} is required twice", requirement.path);
                    let error = scanner.error(at, &message);
                    return Err(error.help("remove one of the two lines"));
                }
                let comment = scanner.comment_beside();
                items.push(Item::Required(requirement, comment));
            }
        }
    }
}

/// `PATH VERSION [#COMMIT]`
pub(crate) fn requirement(scanner: &mut Scanner<'_>) -> Result<Requirement> {
    let path = scanner.path()?;
    let version = scanner.version()?;
    let commit = scanner.commit()?;
    Ok(Requirement { path, version, commit })
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path, self.version)?;
        match &self.commit {
            Some(commit) => write!(f, " #{commit}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |f: &mut fmt::Formatter<'_>, comments: &[String]| {
            comments.iter().try_for_each(|comment| writeln!(f, "{comment}"))
        };
        lines(f, &self.head)?;
        if let Some(package) = &self.package {
            writeln!(f, "package {package}\n")?;
        }
        lines(f, &self.middle)?;
        f.write_str("require {\n")?;
        for item in &self.items {
            match item {
                Item::Comment(text) => writeln!(f, "  {text}")?,
                Item::Required(requirement, None) => writeln!(f, "  {requirement}")?,
                Item::Required(requirement, Some(text)) => writeln!(f, "  {requirement} {text}")?,
            }
        }
        f.write_str("}\n")?;
        lines(f, &self.tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stay_where_they_are() {
        let text = "-- head\npackage   github.com/a/b/ -- name\nrequire{ -- all\n github.com/c/d 1.2.3 #ABCDEF -- beside\n\n-- own\ngithub.com/e/f@2 2.0.0\n} -- tail\n";
        let manifest = Manifest::parse(FILE, text).expect("it is right");
        let printed = "-- head\npackage github.com/a/b\n\n-- name\nrequire {\n  -- all\n  github.com/c/d 1.2.3 #abcdef -- beside\n  -- own\n  github.com/e/f@2 2.0.0\n}\n-- tail\n";
        assert_eq!(manifest.to_string(), printed);
        assert_eq!(Manifest::parse(FILE, printed).expect("it is right"), manifest);
        assert_eq!(Manifest::parse(FILE, "").expect("it is right").to_string(), "require {\n}\n");
    }

    #[test]
    fn mistakes_have_places() {
        let cases = [
            ("require {\n  a/b 1.0.0\n  a/b 1.1.0\n}", "futhark.pkg:3:3: a/b is required twice"),
            (
                "require {\n  a/b 1.0\n}",
                "futhark.pkg:2:7: expected a version, such as 1.2.3, but found \"1.0\"",
            ),
            (
                "require {\n  a/b 1.0.0 #xyz\n}",
                "futhark.pkg:2:14: expected a commit, in hexadecimal digits, but found \"xyz\"",
            ),
            (
                "require {\n  ../b 1.0.0\n}",
                "futhark.pkg:2:3: the package path \"../b\" has a part \"..\"",
            ),
            (
                "require {\n  a/b 1.0.0\n",
                "futhark.pkg:3:1: expected the path of a package, such as github.com/diku-dk/sorts, but found the end of the file",
            ),
            (
                "requires {}",
                "futhark.pkg:1:1: expected \"package\", \"require\" or the end of the file, but found \"requires\"",
            ),
        ];
        for (text, expected) in cases {
            let error = Manifest::parse(FILE, text).expect_err(text).to_string();
            assert_eq!(error.lines().next(), Some(expected));
        }
    }
}
