//! `fehu.pkg.lock`: what the versions were when they were installed.
//!
//! Versions follow from the manifests alone, so this file does not choose any. It says what each was: the commit, a digest of
//! the files, and what it required. With it, `lib/` is known to be what it should be without asking anybody, and a tag that
//! has been moved is noticed.

use crate::manifest::{self, Manifest, Requirement};
use crate::scan::{Scanner, Token};
use crate::{PackagePath, Result, Version};
use fehu_base::hash;
use std::collections::BTreeMap;
use std::fmt;

/// The name of the file.
pub const FILE: &str = "fehu.pkg.lock";

/// The number of its format.
const FORMAT: &str = "1";

/// What was installed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lock {
    /// A digest of what the manifest required.
    pub requirements: String,
    /// The packages.
    pub packages: BTreeMap<PackagePath, Locked>,
}

/// A package that was installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Locked {
    /// The version.
    pub version: Version,
    /// The commit that it was.
    pub commit: String,
    /// A digest of its files.
    pub files: String,
    /// What it required.
    pub requirements: Vec<Requirement>,
}

/// The digest of what a manifest requires.
pub fn digest(manifest: &Manifest) -> String {
    let mut lines: Vec<String> = manifest.requirements().map(|r| r.to_string()).collect();
    lines.sort();
    hash::digest(lines.iter().map(|line| line.as_bytes()))
}

impl Lock {
    /// Reads the file.
    pub fn parse(text: &str) -> Result<Lock> {
        let mut scanner = Scanner::new(FILE, text);
        scanner.comments();
        scanner.expect(Token::Word("format"), "\"format\"")?;
        let at = scanner.position();
        let format = scanner.word("the number of the format")?;
        if format != FORMAT {
            let message =
                format!("this is format {format}, and this version of fehu knows format {FORMAT}");
            return Err(scanner
                .error(at, &message)
                .help("remove the file, or use another version of fehu"));
        }
        scanner.expect(Token::Word("requirements"), "\"requirements\"")?;
        let requirements = scanner.word("a digest")?.to_owned();
        let mut packages = BTreeMap::new();
        while scanner.peek() != Token::End {
            let path = scanner.path()?;
            let version = scanner.version()?;
            let Some(commit) = scanner.commit()? else {
                return Err(scanner.unexpected("`#` and a commit"));
            };
            let files = scanner.word("a digest")?.to_owned();
            scanner.expect(Token::Open, "\"{\"")?;
            let mut requirements = Vec::new();
            while !scanner.takes(Token::Close) {
                requirements.push(manifest::requirement(&mut scanner)?);
            }
            packages.insert(path, Locked { version, commit, files, requirements });
        }
        Ok(Lock { requirements, packages })
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "-- Written by `fehu pkg sync`. Keep this file together with futhark.pkg; do not edit it."
        )?;
        writeln!(f, "format {FORMAT}\nrequirements {}", self.requirements)?;
        for (path, package) in &self.packages {
            let Locked { version, commit, files, requirements } = package;
            writeln!(f, "\n{path} {version} #{commit} {files} {{")?;
            for requirement in requirements {
                writeln!(f, "  {requirement}")?;
            }
            f.write_str("}\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let text = "require {\n a/b 1.0.0 #abcd\n c/d 2.0.0\n}\n";
        let manifest = Manifest::parse("", text).expect("it is right");
        let requirements: Vec<Requirement> = manifest.requirements().cloned().collect();
        let version = Version::parse("1.0.0").expect("a version");
        let (commit, files) = ("c0ffee".to_owned(), "f00".to_owned());
        let locked = Locked { version, commit, files, requirements };
        let path = PackagePath::parse("a/b").expect("a path");
        let lock =
            Lock { requirements: digest(&manifest), packages: BTreeMap::from([(path, locked)]) };
        assert_eq!(Lock::parse(&lock.to_string()), Ok(lock));
        assert!(Lock::parse("format 2\n").is_err());
        assert!(Lock::parse("").is_err());
    }
}
