//! Names of packages: where their repository is, and which versions the name is for.

use crate::Version;
use ecow::EcoString;
use std::fmt;

/// The name of a package, such as `github.com/diku-dk/sorts`, or `github.com/diku-dk/sorts@2` for its second major version.
///
/// It is also the folder below `lib/` that the package is in, so no part of it leads elsewhere.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PackagePath(EcoString);

impl PackagePath {
    /// A name as it is written in manifests, or why it is none. A slash at the end is of no importance.
    pub fn parse(text: &str) -> Result<PackagePath, String> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let allowed = |c: char| c.is_alphanumeric() || "@-/.:_~".contains(c);
        if let Some(found) = path.chars().find(|&c| !allowed(c)) {
            return Err(format!("the package path \"{text}\" contains \"{found}\""));
        }
        if path.contains("://") {
            let bare = path.split_once("://").map_or(path, |(_, rest)| rest);
            return Err(format!("the package path \"{text}\" has a scheme; write \"{bare}\""));
        }
        for part in path.split('/') {
            match part {
                "" => return Err(format!("the package path \"{text}\" has an empty part")),
                "." | ".." | ".git" => {
                    return Err(format!("the package path \"{text}\" has a part \"{part}\""));
                }
                _ => {}
            }
        }
        Ok(PackagePath(path.into()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name without the major version: where the repository is.
    pub fn repository(&self) -> &str {
        self.split().0
    }

    /// The major version that the name asks for.
    pub fn major(&self) -> Option<u64> {
        self.split().1
    }

    /// The name for another major version of the same package.
    pub fn with_major(&self, major: u64) -> String {
        match major {
            0 | 1 => self.repository().to_owned(),
            _ => format!("{}@{major}", self.repository()),
        }
    }

    /// Whether a version can have this name. Commits without a version can be of any.
    pub fn allows(&self, version: &Version) -> bool {
        version.commit().is_some()
            || match self.major() {
                Some(major) => version.major == major,
                None => version.major <= 1,
            }
    }

    fn split(&self) -> (&str, Option<u64>) {
        match self.0.rsplit_once('@') {
            Some((start, major)) => match major.parse() {
                Ok(major) if !start.is_empty() => (start, Some(major)),
                _ => (&self.0, None),
            },
            None => (&self.0, None),
        }
    }
}

impl fmt::Display for PackagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn majors_are_part_of_the_name() {
        let path = |text| PackagePath::parse(text).expect(text);
        let version = |text| Version::parse(text).expect(text);
        let two = path("github.com/a/b@2");
        assert_eq!((two.repository(), two.major()), ("github.com/a/b", Some(2)));
        assert!(two.allows(&version("2.1.0")) && !two.allows(&version("1.0.0")));
        assert!(two.allows(&version("0.0.0-20200101000000+abcd")));
        let plain = path("github.com/a/b/");
        assert_eq!((plain.as_str(), plain.major()), ("github.com/a/b", None));
        assert!(plain.allows(&version("1.9.0")) && !plain.allows(&version("2.0.0")));
        assert_eq!(plain.with_major(2), "github.com/a/b@2");
        assert_eq!(two.with_major(1), "github.com/a/b");
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        for text in
            ["", "/a", "a//b", "../a", "a/../b", "a/.", "a/.git", "https://a/b", "a b", "a\\b"]
        {
            assert!(PackagePath::parse(text).is_err(), "{text}");
        }
    }
}
