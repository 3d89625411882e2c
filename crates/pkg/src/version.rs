//! Versions: `1.2.3`, `1.2.3-4+abc`, and commits that have no version of their own, `0.0.0-20240131235959+COMMIT`.

use ecow::EcoString;
use std::cmp::Ordering;
use std::fmt;

/// A version. The order is that of age: numbers first; what has a number after `-` comes before what has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Version {
    /// A new one of these breaks programs.
    pub major: u64,
    minor: u64,
    patch: u64,
    /// The digits after `-`: for a commit, its time.
    before: Option<u64>,
    /// What comes after `+`: for a commit, its name.
    build: Option<EcoString>,
}

impl Version {
    /// A commit that has no version of its own. `time` is YYYYMMDDHHMMSS.
    pub fn of_commit(time: u64, commit: &str) -> Version {
        let (before, build) = (Some(time), Some(commit.into()));
        Version { major: 0, minor: 0, patch: 0, before, build }
    }

    /// The commit that this names, if it names one.
    pub fn commit(&self) -> Option<&str> {
        let zero = (self.major, self.minor, self.patch) == (0, 0, 0);
        self.build.as_deref().filter(|build| zero && self.before.is_some() && is_commit(build))
    }

    /// A version as it is written in manifests.
    pub fn parse(text: &str) -> Option<Version> {
        let (text, build) = match text.split_once('+') {
            Some((text, build)) => (text, Some(build)),
            None => (text, None),
        };
        if let Some(build) = build
            && (build.is_empty() || !build.bytes().all(|b| b.is_ascii_alphanumeric()))
        {
            return None;
        }
        let (text, before) = match text.split_once('-') {
            Some((text, before)) => (text, Some(number(before)?)),
            None => (text, None),
        };
        let mut numbers = text.split('.').map(number);
        let mut next = || numbers.next().flatten();
        let (major, minor, patch) = (next()?, next()?, next()?);
        let end = numbers.next().is_none();
        end.then(|| Version { major, minor, patch, before, build: build.map(EcoString::from) })
    }

    /// The version that a tag of a repository stands for: `v1.2.3`.
    pub fn of_tag(tag: &str) -> Option<Version> {
        Version::parse(tag.strip_prefix('v')?)
    }
}

/// Whether this can be the name of a commit, or the start of one.
pub(crate) fn is_commit(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A number without leading zeros.
fn number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        let numbers = |v: &Version| (v.major, v.minor, v.patch);
        // `false` is smaller: there is something before the version itself.
        let age = |v: &Version| (v.before.is_none(), v.before);
        numbers(self)
            .cmp(&numbers(other))
            .then_with(|| age(self).cmp(&age(other)))
            .then_with(|| self.build.cmp(&other.build))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if let Some(before) = self.before {
            write!(f, "-{before}")?;
        }
        if let Some(build) = &self.build {
            write!(f, "+{build}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_age() {
        let ordered = [
            "0.0.0-20200101000000+abcd",
            "0.0.0-20210101000000+0123",
            "0.0.9",
            "0.1.0-3",
            "0.1.0",
            "0.2.0",
            "0.10.0",
            "1.0.0",
            "10.0.0",
        ];
        let versions: Vec<Version> =
            ordered.iter().map(|text| Version::parse(text).expect(text)).collect();
        assert!(versions.is_sorted());
        for (version, text) in versions.iter().zip(ordered) {
            assert_eq!(version.to_string(), text);
        }
        assert_eq!(versions[0].commit(), Some("abcd"));
        assert_eq!(versions[2].commit(), None);
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in [
            "",
            "1",
            "1.2",
            "1.2.3.4",
            "01.2.3",
            "1.2.03",
            "v1.2.3",
            "1.2.x",
            "1.2.3-",
            "1.2.3-a",
            "1.2.3+",
            "1.2.3+a_b",
            "1.2.99999999999999999999",
        ] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
        assert_eq!(Version::of_tag("v0.1.2"), Version::parse("0.1.2"));
        assert_eq!(Version::of_tag("0.1.2"), None);
    }
}
