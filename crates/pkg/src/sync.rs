//! `lib/` becomes what the manifest says.
//!
//! Nothing is lost: what somebody has changed in `lib/`, or put there, is told, and only `--force` replaces it. What is in
//! `lib/` already is not fetched again.

use crate::folder::{self, Contents, Files, Found};
use crate::lock::{self, Lock, Locked};
use crate::project::{Project, write};
use crate::resolve::{Chosen, Graph};
use crate::{Error, PackagePath, Result, Version};
use std::collections::BTreeMap;

/// How to do it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether local changes are replaced.
    pub force: bool,
    /// What to do with the lock file.
    pub lock: Locking,
}

/// What to do with the lock file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locking {
    /// What it says is true; it is written.
    Keep,
    /// It is forgotten, and made again.
    Renew,
    /// As `Keep`, but none is made if there is none.
    IfPresent,
}

/// What has changed for a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Its name.
    pub path: PackagePath,
    /// The version that was there, as far as is known.
    pub old: Option<Version>,
    /// The version that is there now.
    pub new: Option<Version>,
}

/// What was done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Synced {
    /// Nothing: all was there.
    UpToDate,
    /// `lib/` was replaced.
    Replaced(Vec<Difference>),
}

/// The most files that are listed.
const LISTED: usize = 20;

impl Project {
    /// Makes `lib/` what the manifest says.
    pub fn sync(&mut self, options: Options) -> Result<Synced> {
        self.lib.repair(self.own())?;
        let found = self.lib.read(self.own())?;
        if options.lock != Locking::Renew && self.is_current(&found) {
            return Ok(Synced::UpToDate);
        }
        let previous = self.sources.lock.clone();
        if options.lock == Locking::Renew {
            self.sources.lock = None;
        }
        let graph = self.resolve()?;
        let mut contents = BTreeMap::new();
        let mut lock =
            Lock { requirements: lock::digest(&self.manifest), packages: BTreeMap::new() };
        for (path, chosen) in &graph.chosen {
            let one = self.contents(path, chosen, &found)?;
            if let (Contents::Files(files), Some(commit)) = (&one, &chosen.release.commit) {
                let locked = Locked {
                    version: chosen.version.clone(),
                    commit: commit.clone(),
                    files: folder::digest(files),
                    requirements: chosen.release.requirements.clone(),
                };
                lock.packages.insert(path.clone(), locked);
            }
            contents.insert(path.clone(), one);
        }
        if !options.force {
            self.refuse_losses(&found, &contents, previous.as_ref())?;
        }
        let same = is_same(&found, &contents);
        if !same {
            let own = self.own().cloned();
            self.lib.replace(&contents, own.as_ref())?;
        }
        if options.lock != Locking::IfPresent || previous.is_some() {
            write(&self.folder.join(lock::FILE), &lock.to_string())?;
        }
        self.sources.lock = Some(lock);
        match same {
            true => Ok(Synced::UpToDate),
            false => Ok(Synced::Replaced(differences(previous.as_ref(), &graph))),
        }
    }

    /// Whether all that the manifest requires is there, as far as the lock file tells. Nothing else is asked, not even git.
    fn is_current(&self, found: &BTreeMap<String, Found>) -> bool {
        let Some(lock) = &self.sources.lock else { return false };
        if lock.requirements != lock::digest(&self.manifest)
            || !self.sources.local.replaced.is_empty()
        {
            return false;
        }
        let mut count = 0;
        let whole = lock.packages.iter().all(|(path, locked)| match folder::part(found, path) {
            Some(files) => {
                count += files.len();
                folder::digest(&files) == locked.files
            }
            None => false,
        });
        whole && count == found.len()
    }

    /// What a package consists of: from `lib/` if it is there, or else from where it comes from.
    fn contents(
        &mut self,
        path: &PackagePath,
        chosen: &Chosen,
        found: &BTreeMap<String, Found>,
    ) -> Result<Contents> {
        let lock = self.sources.lock.as_ref();
        let locked = lock.and_then(|lock| lock.packages.get(path)).filter(|locked| {
            locked.version == chosen.version
                && Some(&locked.commit) == chosen.release.commit.as_ref()
        });
        let Some(expected) = locked.map(|locked| locked.files.clone()) else {
            return self.sources.contents(path, chosen.release.commit.as_deref());
        };
        if let Some(files) =
            folder::part(found, path).filter(|files| folder::digest(files) == expected)
        {
            return Ok(Contents::Files(files));
        }
        let contents = self.sources.contents(path, chosen.release.commit.as_deref())?;
        match &contents {
            Contents::Files(files) if folder::digest(files) != expected => {
                let message = format!(
                    "the files of {path} {} are not those that {} says",
                    chosen.version,
                    lock::FILE
                );
                Err(Error::new(message)
                    .help("if they are right nevertheless, do it with `--relock`"))
            }
            Contents::Files(_) | Contents::Link(_) => Ok(contents),
        }
    }

    /// Refuses to replace what nobody could bring back.
    fn refuse_losses(
        &mut self,
        found: &BTreeMap<String, Found>,
        new: &BTreeMap<PackagePath, Contents>,
        previous: Option<&Lock>,
    ) -> Result<()> {
        // What was installed by us, and is as it was.
        let mut known: BTreeMap<String, Option<Vec<u8>>> = BTreeMap::new();
        for (path, locked) in previous.iter().flat_map(|lock| &lock.packages) {
            let here = folder::part(found, path).unwrap_or_default();
            let original = match folder::digest(&here) == locked.files {
                true => Some(here),
                // Which of them were changed can be told if the cache has the version.
                false => self.original(path, locked),
            };
            for (name, bytes) in original.into_iter().flatten() {
                known.insert(format!("{path}/{name}"), Some(bytes));
            }
        }
        for (path, contents) in new {
            match contents {
                Contents::Files(files) => {
                    // A file that will be the same is not lost.
                    for (name, bytes) in files {
                        let name = format!("{path}/{name}");
                        if found.get(&name) == Some(&Found::File(bytes.clone())) {
                            known.insert(name, Some(bytes.clone()));
                        }
                    }
                }
                Contents::Link(_) => {}
            }
        }
        let lost: Vec<String> = found
            .iter()
            .filter(|(name, found)| match found {
                Found::File(bytes) => known.get(*name) != Some(&Some(bytes.clone())),
                // Links are ours, and nothing is lost with them.
                Found::Link(_) => false,
            })
            .map(|(name, _)| format!("lib/{name}"))
            .collect();
        if lost.is_empty() {
            return Ok(());
        }
        let mut list = lost[..lost.len().min(LISTED)].join("\n");
        if lost.len() > LISTED {
            list.push_str(&format!("\nand {} more", lost.len() - LISTED));
        }
        let error =
            Error::new("files in lib/ have been changed or added, and would be lost").note(list);
        let error = match previous {
            Some(_) => error,
            None => error.note(format!(
                "there is no {}, so all that is not needed counts as changed",
                lock::FILE
            )),
        };
        Err(error.help("save what you need of them, then do it with `--force`"))
    }

    /// The files of a version that was installed, if they can be had.
    fn original(&mut self, path: &PackagePath, locked: &Locked) -> Option<Files> {
        self.sources.files(path, &locked.commit).ok()
    }
}

/// Whether `lib/` is already what it should be.
fn is_same(found: &BTreeMap<String, Found>, new: &BTreeMap<PackagePath, Contents>) -> bool {
    let mut wanted: BTreeMap<String, Found> = BTreeMap::new();
    for (path, contents) in new {
        match contents {
            Contents::Files(files) => {
                for (name, bytes) in files {
                    wanted.insert(format!("{path}/{name}"), Found::File(bytes.clone()));
                }
            }
            Contents::Link(target) => {
                wanted.insert(path.to_string(), Found::Link(target.clone()));
            }
        }
    }
    wanted == *found
}

fn differences(previous: Option<&Lock>, graph: &Graph) -> Vec<Difference> {
    let mut versions: BTreeMap<&PackagePath, (Option<&Version>, Option<&Version>)> =
        BTreeMap::new();
    for (path, locked) in previous.iter().flat_map(|lock| &lock.packages) {
        versions.entry(path).or_default().0 = Some(&locked.version);
    }
    for (path, chosen) in &graph.chosen {
        versions.entry(path).or_default().1 = Some(&chosen.version);
    }
    let differs = versions.into_iter().filter(|(_, (old, new))| old != new);
    let difference = |(path, (old, new)): (&PackagePath, (Option<&Version>, Option<&Version>))| {
        Difference { path: path.clone(), old: old.cloned(), new: new.cloned() }
    };
    differs.map(difference).collect()
}
