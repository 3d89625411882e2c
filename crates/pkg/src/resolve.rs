//! Which version of each package is used: minimal version selection.
//!
//! Every requirement names the oldest version that will do. Of all that are named for a package, the newest is chosen, so
//! that the result depends on nothing but the manifests: no version that somebody publishes changes it. The requirements of a
//! version that was passed over may have brought packages in that nobody needs in the end; those are dropped.

use crate::manifest::Requirement;
use crate::{Error, PackagePath, Result, Version};
use std::collections::{BTreeMap, BTreeSet};

/// Knows what versions of packages require.
pub trait Registry {
    /// A version of a package.
    fn release(&mut self, wanted: &Requirement) -> Result<Release>;
}

/// A version of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// The commit that it is; none if a local folder takes its place.
    pub commit: Option<String>,
    /// What it requires.
    pub requirements: Vec<Requirement>,
}

/// What is refused beyond what cannot be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// Packages that require each other, and two major versions of one package that nobody asked for.
    Ours,
    /// Nothing, as in the reference compiler.
    Peer,
}

/// The versions that were chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// What the root requires.
    pub root: Vec<Requirement>,
    /// What was chosen for each package.
    pub chosen: BTreeMap<PackagePath, Chosen>,
}

/// The version of a package that was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// The version.
    pub version: Version,
    /// What it is.
    pub release: Release,
}

/// Chooses versions for what a root requires. `own` is the name of the root, if it is a package itself.
pub fn resolve(
    root: &[Requirement],
    own: Option<&PackagePath>,
    registry: &mut dyn Registry,
    rules: Rules,
) -> Result<Graph> {
    let mut chosen: BTreeMap<PackagePath, Chosen> = BTreeMap::new();
    // What is left to do, with those who ask for it, from the root on.
    let mut open: Vec<(Requirement, Vec<String>)> = Vec::new();
    let push = |open: &mut Vec<_>, requirements: &[Requirement], chain: &[String]| {
        // The first is to be done first.
        open.extend(requirements.iter().rev().map(|wanted| (wanted.clone(), chain.to_vec())));
    };
    push(&mut open, root, &[]);
    while let Some((wanted, mut chain)) = open.pop() {
        if own == Some(&wanted.path) {
            chain.push(format!("{wanted}"));
            return Err(own_cycle(&wanted.path, &chain));
        }
        match chosen.get(&wanted.path) {
            Some(old) if old.version == wanted.version => {
                agree(&wanted, &old.release, &chain)?;
                continue;
            }
            Some(old) if old.version > wanted.version => continue,
            Some(_) | None => {}
        }
        if !wanted.path.allows(&wanted.version) {
            return Err(required_by(wrong_major(&wanted), &chain));
        }
        let release = registry.release(&wanted).map_err(|error| required_by(error, &chain))?;
        chain.push(format!("{} {}", wanted.path, wanted.version));
        push(&mut open, &release.requirements, &chain);
        chosen.insert(wanted.path, Chosen { version: wanted.version, release });
    }
    let mut graph = Graph { root: root.to_vec(), chosen };
    graph.drop_unreachable();
    graph.refuse_nesting(own)?;
    if rules == Rules::Ours {
        graph.refuse_cycles()?;
        graph.refuse_majors()?;
    }
    Ok(graph)
}

impl Graph {
    /// What a package requires; the root, if there is no name.
    pub fn requirements(&self, path: Option<&PackagePath>) -> &[Requirement] {
        match path {
            None => &self.root,
            Some(path) => match self.chosen.get(path) {
                Some(chosen) => &chosen.release.requirements,
                None => &[],
            },
        }
    }

    /// The shortest ways from the root to a package, one for each of those that require it: names, that of the package last.
    pub fn why(&self, path: &PackagePath) -> Vec<Vec<PackagePath>> {
        // The way to each package by which it was found first, in breadth-first order.
        let mut ways: BTreeMap<&PackagePath, Vec<PackagePath>> = BTreeMap::new();
        let mut order: Vec<&PackagePath> = Vec::new();
        let mut found = Vec::new();
        let mut next = 0;
        let mut current: Option<&PackagePath> = None;
        loop {
            let way = current.and_then(|current| ways.get(current)).cloned().unwrap_or_default();
            for required in self.requirements(current) {
                let mut longer = way.clone();
                longer.push(required.path.clone());
                if required.path == *path {
                    found.push(longer.clone());
                }
                if !ways.contains_key(&required.path) {
                    ways.insert(&required.path, longer);
                    order.push(&required.path);
                }
            }
            current = order.get(next).copied();
            next += 1;
            if current.is_none() {
                return found;
            }
        }
    }

    fn drop_unreachable(&mut self) {
        let mut reached = BTreeSet::new();
        let mut open: Vec<PackagePath> = self.root.iter().map(|r| r.path.clone()).collect();
        while let Some(path) = open.pop() {
            open.extend(
                self.requirements(Some(&path))
                    .iter()
                    .map(|r| r.path.clone())
                    .filter(|path| !reached.contains(path)),
            );
            reached.insert(path);
        }
        self.chosen.retain(|path, _| reached.contains(path));
    }

    /// The folder of a package is its own.
    fn refuse_nesting(&self, own: Option<&PackagePath>) -> Result<()> {
        let paths: Vec<&PackagePath> = self.chosen.keys().chain(own).collect();
        for outer in &paths {
            let folder = format!("{outer}/");
            if let Some(inner) = paths.iter().find(|path| path.as_str().starts_with(&folder)) {
                let message = format!("the folder of {inner} is inside the folder of {outer}");
                return Err(Error::new(message)
                    .note("packages that are used together have folders of their own"));
            }
        }
        Ok(())
    }

    fn refuse_cycles(&self) -> Result<()> {
        let mut done = BTreeSet::new();
        for start in self.chosen.keys() {
            self.walk(start, &mut Vec::new(), &mut done)?;
        }
        Ok(())
    }

    fn walk<'a>(
        &'a self,
        path: &'a PackagePath,
        above: &mut Vec<&'a PackagePath>,
        done: &mut BTreeSet<&'a PackagePath>,
    ) -> Result<()> {
        if let Some(at) = above.iter().position(|&other| other == path) {
            let mut cycle: Vec<String> = above[at..].iter().map(|path| self.shown(path)).collect();
            cycle.push(path.to_string());
            let message = format!("{path} requires itself, through other packages");
            return Err(Error::new(message).note(cycle.join(" -> ")).help(
                "use a version in which one of them does not require the other, or move what both need to a package of its own",
            ));
        }
        if !done.insert(path) {
            return Ok(());
        }
        above.push(path);
        for required in self.requirements(Some(path)) {
            self.walk(&required.path, above, done)?;
        }
        above.pop();
        Ok(())
    }

    /// Two major versions are two packages, whose types do not fit; whoever wants both says so in the manifest.
    fn refuse_majors(&self) -> Result<()> {
        let mut repositories: BTreeMap<&str, &PackagePath> = BTreeMap::new();
        for path in self.chosen.keys() {
            let Some(other) = repositories.insert(path.repository(), path) else { continue };
            let missing =
                [other, path].into_iter().find(|p| self.root.iter().all(|r| r.path != **p));
            if let Some(missing) = missing {
                let message = format!("two major versions of {} are required", path.repository());
                let mut error = Error::new(message);
                for one in [other, path] {
                    for way in self.why(one).iter().take(3) {
                        let way: Vec<String> = way.iter().map(|path| self.shown(path)).collect();
                        error = error.note(way.join(" -> "));
                    }
                }
                return Err(error.help(format!(
                    "use versions of the packages that agree; if both are wanted, require {} in the manifest, too",
                    self.shown(missing)
                )));
            }
        }
        Ok(())
    }

    fn shown(&self, path: &PackagePath) -> String {
        match self.chosen.get(path) {
            Some(chosen) => format!("{path} {}", chosen.version),
            None => path.to_string(),
        }
    }
}

/// Two who require the same version mean the same commit.
fn agree(wanted: &Requirement, release: &Release, chain: &[String]) -> Result<()> {
    match (&wanted.commit, &release.commit) {
        (Some(wanted_commit), Some(found)) if !found.starts_with(wanted_commit.as_str()) => {
            Err(required_by(commit_mismatch(wanted, found), chain))
        }
        _ => Ok(()),
    }
}

/// A version is another commit than it should be.
pub(crate) fn commit_mismatch(wanted: &Requirement, found: &str) -> Error {
    let Requirement { path, version, commit } = wanted;
    let commit = commit.as_deref().unwrap_or_default();
    Error::new(format!("version {version} of {path} is not the commit that is required"))
        .note(format!("required: {commit}"))
        .note(format!("found:    {found}"))
        .note("somebody has moved the tag, or it is another repository")
        .help("if the new commit is right, correct or remove what follows the `#`")
}

fn wrong_major(wanted: &Requirement) -> Error {
    let Requirement { path, version, .. } = wanted;
    let of = match path.major() {
        Some(major) => format!("versions {major}.x.y"),
        None => "versions 0.x.y and 1.x.y".to_owned(),
    };
    Error::new(format!("the path {path} is for {of}, not for {version}")).help(format!(
        "each further major version is a package of its own: {} {version}",
        path.with_major(version.major)
    ))
}

fn own_cycle(path: &PackagePath, chain: &[String]) -> Error {
    Error::new(format!("{path}, the package in this folder, is required by what it requires"))
        .note(chain.join(" -> "))
        .help("a package cannot use another version of itself; remove the requirement")
}

/// Says who asked.
fn required_by(error: Error, chain: &[String]) -> Error {
    match chain {
        [] => error,
        chain => error.note(format!("required by {}", chain.join(" -> "))),
    }
}

#[cfg(test)]
mod tests;
