//! A folder with a manifest, and what can be done with it.

use crate::folder::Lib;
use crate::local::{self, Local, Target};
use crate::lock::{self, Lock};
use crate::manifest::{self, Manifest, Requirement};
use crate::resolve::{self, Graph, Rules};
use crate::sources::Sources;
use crate::store::Store;
use crate::{Error, Network, PackagePath, Result, Version};
use fehu_driver::save::save;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How packages are dealt with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether other machines may be asked.
    pub network: Network,
    /// What is refused.
    pub rules: Rules,
    /// Where clones are kept.
    pub cache: PathBuf,
    /// A folder or an address that has all repositories, under their names.
    pub mirror: Option<String>,
}

/// A folder with a manifest.
#[derive(Debug)]
pub struct Project {
    pub(crate) folder: PathBuf,
    /// What it requires.
    pub manifest: Manifest,
    /// Whether there is a manifest.
    pub exists: bool,
    pub(crate) rules: Rules,
    pub(crate) lib: Lib,
    pub(crate) sources: Sources,
}

/// A requirement that was added or changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What is required now.
    pub new: Requirement,
    /// What was required before.
    pub old: Option<Requirement>,
}

/// A package of which there are newer versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outdated {
    /// Its name.
    pub path: PackagePath,
    /// The version that is used.
    pub version: Version,
    /// The newest that can be used instead.
    pub newest: Option<Version>,
    /// The newest of all, if it is a package of its own.
    pub beyond: Option<Version>,
}

impl Project {
    /// The project in a folder.
    pub fn open(folder: &Path, settings: Settings) -> Result<Project> {
        let text = read(&folder.join(manifest::FILE))?;
        let manifest = Manifest::parse(manifest::FILE, text.as_deref().unwrap_or_default())?;
        let lock = read(&folder.join(lock::FILE))?.map(|text| Lock::parse(&text)).transpose()?;
        let local = read(&folder.join(local::FILE))?.map(|text| Local::parse(&text)).transpose()?;
        let sources = Sources {
            folder: folder.to_owned(),
            local: local.unwrap_or_default(),
            lock,
            mirror: settings.mirror,
            store: Store::new(settings.cache, settings.network),
            manifests: Default::default(),
        };
        let (lib, exists) = (Lib::new(folder), text.is_some());
        let rules = settings.rules;
        Ok(Project { folder: folder.to_owned(), manifest, exists, rules, lib, sources })
    }

    /// Makes a new package: a manifest, and a folder for its files, whose name is returned.
    pub fn init(folder: &Path, path: &PackagePath) -> Result<PathBuf> {
        let file = folder.join(manifest::FILE);
        if file.exists() {
            return Err(Error::new(format!("{} already exists.", manifest::FILE)));
        }
        let inside = Path::new("lib").join(path.as_str());
        let made = fs::create_dir_all(folder.join(&inside));
        made.map_err(|why| Error::file("make the folder", &inside, &why))?;
        write(&file, &Manifest::new(path.clone()).to_string())?;
        Ok(inside)
    }

    /// Chooses the versions.
    pub fn resolve(&mut self) -> Result<Graph> {
        let manifest = self.manifest.clone();
        self.resolve_with(&manifest)
    }

    /// Requires a package: by name or address, with a version or the newest that there is.
    pub fn add(&mut self, what: &str, version: Option<Version>) -> Result<Change> {
        let (path, address) = self.name_of(what)?;
        if let Some(address) = &address {
            let target = Target::Address(address.clone());
            self.sources.local.replaced.insert(path.clone(), target);
        }
        let new = match version {
            None if self.sources.replacement(&path).is_some() => {
                let message = format!(
                    "a local folder takes the place of {path}, so it has no newest version"
                );
                return Err(Error::new(message).help("name the version that is to be required"));
            }
            None => self.sources.newest(&path)?,
            Some(version) => {
                let mut new = Requirement { path, version, commit: None };
                let pinned =
                    new.version.commit().is_none() && self.sources.replacement(&new.path).is_none();
                if pinned && new.path.allows(&new.version) {
                    new.commit = Some(self.sources.commit(&new)?);
                }
                new
            }
        };
        let mut manifest = self.manifest.clone();
        let old = manifest.require(new.clone());
        // What cannot be resolved is not written.
        self.resolve_with(&manifest)?;
        if let Some(address) = address {
            self.replace(&new.path, &address)?;
        }
        self.write_manifest(manifest)?;
        Ok(Change { new, old })
    }

    /// Requires a package no longer.
    pub fn remove(&mut self, path: &PackagePath) -> Result<Requirement> {
        let mut manifest = self.manifest.clone();
        let Some(old) = manifest.remove(path) else {
            return Err(Error::new(format!("No package {path} found in {}.", manifest::FILE)));
        };
        self.write_manifest(manifest)?;
        Ok(old)
    }

    /// Requires the newest version of everything that is required, within the major version of each.
    pub fn upgrade(&mut self) -> Result<Vec<Change>> {
        let mut manifest = self.manifest.clone();
        let mut changes = Vec::new();
        for old in self.manifest.requirements() {
            if self.sources.replacement(&old.path).is_some() {
                continue;
            }
            let new = self.sources.newest(&old.path)?;
            if new.version > old.version {
                let old = manifest.require(new.clone());
                changes.push(Change { new, old });
            }
        }
        if !changes.is_empty() {
            self.resolve_with(&manifest)?;
            self.write_manifest(manifest)?;
        }
        Ok(changes)
    }

    /// All versions of a package, from the oldest to the newest.
    pub fn versions(&mut self, what: &str) -> Result<Vec<Version>> {
        let refs = match what.contains("://") {
            true => self.sources.store.refs(what)?,
            false => self.sources.refs(&PackagePath::parse(what).map_err(Error::new)?)?,
        };
        Ok(refs.tags.into_keys().collect())
    }

    /// The packages of which there are newer versions.
    pub fn outdated(&mut self) -> Result<Vec<Outdated>> {
        let graph = self.resolve()?;
        let mut outdated = Vec::new();
        for (path, chosen) in graph.chosen {
            if self.sources.replacement(&path).is_some() {
                continue;
            }
            let (newest, beyond) = self.sources.newer(&path, &chosen.version)?;
            if newest.is_some() || beyond.is_some() {
                outdated.push(Outdated { path, version: chosen.version, newest, beyond });
            }
        }
        Ok(outdated)
    }

    /// Writes the manifest as it is printed.
    pub fn format(&self) -> Result<()> {
        self.save_manifest(&self.manifest)
    }

    pub(crate) fn own(&self) -> Option<&PackagePath> {
        self.manifest.package.as_ref()
    }

    fn resolve_with(&mut self, manifest: &Manifest) -> Result<Graph> {
        let root: Vec<Requirement> = manifest.requirements().cloned().collect();
        resolve::resolve(&root, manifest.package.as_ref(), &mut self.sources, self.rules)
    }

    fn write_manifest(&mut self, manifest: Manifest) -> Result<()> {
        self.save_manifest(&manifest)?;
        (self.manifest, self.exists) = (manifest, true);
        Ok(())
    }

    fn save_manifest(&self, manifest: &Manifest) -> Result<()> {
        write(&self.folder.join(manifest::FILE), &manifest.to_string())
    }

    /// Notes where the repository of a package is, if that does not follow from its name.
    fn replace(&mut self, path: &PackagePath, address: &str) -> Result<()> {
        let file = self.folder.join(local::FILE);
        let text = read(&file)?;
        let known = text.as_deref().map(Local::parse).transpose()?.unwrap_or_default();
        match known.replaced.get(path) {
            Some(Target::Address(old)) if old == address => Ok(()),
            Some(_) => {
                let message =
                    format!("{} already says what takes the place of {path}", local::FILE);
                Err(Error::new(message).help("change or remove that line"))
            }
            None => write(&file, &local::with_line(text.as_deref(), path, address)),
        }
    }

    /// The package that somebody means, and its address if it is not the usual one.
    fn name_of(&mut self, what: &str) -> Result<(PackagePath, Option<String>)> {
        let Some((scheme, rest)) = what.split_once("://") else {
            return Ok((PackagePath::parse(what).map_err(Error::new)?, None));
        };
        let address = what.to_owned();
        if scheme == "file" {
            // The place on this machine is no name; the package knows its own.
            let head = self.sources.store.refs(what)?.head;
            let Some(head) = head else {
                return Err(Error::new(format!("the repository {what} is empty")));
            };
            self.sources.store.version_of(what, &head)?;
            let manifest = self.sources.manifest(what, &head)?;
            return match manifest.package {
                Some(path) => Ok((path, Some(address))),
                None => Err(Error::new(format!(
                    "{what} is no package: its manifest has no line `package`"
                ))),
            };
        }
        // `ssh://git@host:22/owner/name.git`
        let rest = rest.trim_end_matches('/');
        let rest = rest.strip_suffix(".git").unwrap_or(rest);
        let (host, name) = rest.split_once('/').unwrap_or((rest, ""));
        let host = host.rsplit('@').next().unwrap_or(host);
        let host = host.split(':').next().unwrap_or(host);
        let path = PackagePath::parse(&format!("{host}/{name}")).map_err(Error::new)?;
        let usual = self.sources.url(&path) == address;
        Ok((path, (!usual).then_some(address)))
    }
}

/// The text of a file, if there is one.
fn read(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        Err(why) => Err(Error::file("read", path, &why)),
    }
}

/// Writes a file, whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    save(path, text).map_err(|why| Error::file("write", path, &why))
}
