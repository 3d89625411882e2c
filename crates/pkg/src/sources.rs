//! Where versions of packages come from: what is known already, a local folder, or a repository.

use crate::folder::{Contents, Files};
use crate::local::{Local, Target};
use crate::lock::Lock;
use crate::manifest::{self, Manifest, Requirement};
use crate::resolve::{Registry, Release, commit_mismatch};
use crate::store::{Refs, Store, TreeFile};
use crate::{Error, PackagePath, Result, Version};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where versions come from.
#[derive(Debug)]
pub(crate) struct Sources {
    /// That of the project.
    pub(crate) folder: PathBuf,
    pub(crate) local: Local,
    pub(crate) lock: Option<Lock>,
    /// A folder or an address that has all repositories, under their names.
    pub(crate) mirror: Option<String>,
    pub(crate) store: Store,
    /// The manifests that have been read, by address and commit.
    pub(crate) manifests: BTreeMap<(String, String), Manifest>,
}

impl Registry for Sources {
    fn release(&mut self, wanted: &Requirement) -> Result<Release> {
        if let Some(folder) = self.replacement(&wanted.path) {
            let requirements = read_manifest(&folder)?.requirements().cloned().collect();
            return Ok(Release { commit: None, requirements });
        }
        let commit = self.commit(wanted)?;
        let locked = self.lock.as_ref().and_then(|lock| lock.packages.get(&wanted.path));
        if let Some(locked) = locked
            && locked.version == wanted.version
            && locked.commit == commit
        {
            let requirements = locked.requirements.clone();
            return Ok(Release { commit: Some(commit), requirements });
        }
        let manifest = self.manifest(&self.url(&wanted.path), &commit)?;
        let requirements = manifest.requirements().cloned().collect();
        Ok(Release { commit: Some(commit), requirements })
    }
}

impl Sources {
    /// The address of a package's repository.
    pub(crate) fn url(&self, path: &PackagePath) -> String {
        match (self.local.replaced.get(path), &self.mirror) {
            (Some(Target::Address(address)), _) => address.clone(),
            (_, Some(mirror)) => format!("{}/{}", mirror.trim_end_matches('/'), path.repository()),
            (_, None) => format!("https://{}", path.repository()),
        }
    }

    /// The local folder that takes a package's place.
    pub(crate) fn replacement(&self, path: &PackagePath) -> Option<PathBuf> {
        match self.local.replaced.get(path) {
            Some(Target::Folder(folder)) => Some(self.folder.join(folder)),
            Some(Target::Address(_)) | None => None,
        }
    }

    /// The commit of a version, which is the one that is required. What the lock says is not asked for again.
    pub(crate) fn commit(&mut self, wanted: &Requirement) -> Result<String> {
        let locked = self.lock.as_ref().and_then(|lock| lock.packages.get(&wanted.path));
        let locked = locked.filter(|locked| locked.version == wanted.version);
        if let Some(locked) = locked
            && wanted
                .commit
                .as_ref()
                .is_none_or(|commit| locked.commit.starts_with(commit.as_str()))
        {
            return Ok(locked.commit.clone());
        }
        let found = self.store.commit(&self.url(&wanted.path), wanted)?;
        match &wanted.commit {
            Some(commit) if !found.starts_with(commit.as_str()) => {
                Err(commit_mismatch(wanted, &found))
            }
            _ => Ok(found),
        }
    }

    /// The versions of a package, and its newest commit.
    pub(crate) fn refs(&mut self, path: &PackagePath) -> Result<Refs> {
        self.store.refs(&self.url(path))
    }

    /// The newest version of a package that its name allows, or its newest commit if there are no versions.
    pub(crate) fn newest(&mut self, path: &PackagePath) -> Result<Requirement> {
        let url = self.url(path);
        let refs = self.store.refs(&url)?;
        let newest = refs.tags.iter().rev().find(|(version, _)| path.allows(version));
        if let Some((version, commit)) = newest {
            let commit = Some(commit.clone());
            return Ok(Requirement { path: path.clone(), version: version.clone(), commit });
        }
        if !refs.tags.is_empty() {
            let last = refs.tags.keys().next_back().map_or(0, |version| version.major);
            let error = Error::new(format!("{path} has no versions; the repository has others"));
            return Err(error.help(format!("try {}", path.with_major(last))));
        }
        let Some(head) = refs.head else {
            return Err(Error::new(format!("the repository {url} is empty")));
        };
        let version = self.store.version_of(&url, &head)?;
        Ok(Requirement { path: path.clone(), version, commit: None })
    }

    /// The manifest of a commit.
    pub(crate) fn manifest(&mut self, url: &str, commit: &str) -> Result<Manifest> {
        let key = (url.to_owned(), commit.to_owned());
        if let Some(manifest) = self.manifests.get(&key) {
            return Ok(manifest.clone());
        }
        let files = self.store.files(url, commit)?;
        let Some(file) = files.iter().find(|file| file.path == manifest::FILE) else {
            let message = format!("{url} is no package: it has no file {}", manifest::FILE);
            return Err(Error::new(message).note(format!("the commit is {commit}")));
        };
        let bytes = self.store.contents(url, &[file])?.concat();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let name = format!("{url} ({}): {}", &commit[..commit.len().min(10)], manifest::FILE);
        let manifest = Manifest::parse(&name, &text)?;
        self.manifests.insert(key, manifest.clone());
        Ok(manifest)
    }

    /// What a package consists of.
    pub(crate) fn contents(
        &mut self,
        path: &PackagePath,
        commit: Option<&str>,
    ) -> Result<Contents> {
        match (self.replacement(path), commit) {
            (Some(folder), _) => self.linked(path, &folder),
            (None, Some(commit)) => self.files(path, commit).map(Contents::Files),
            (None, None) => Err(Error::new(format!("no commit is known for {path}"))),
        }
    }

    /// The files of a package at a commit: those in the folder that has the name of the package in its own manifest, which may
    /// be another than the one by which it is required.
    pub(crate) fn files(&mut self, path: &PackagePath, commit: &str) -> Result<Files> {
        let url = self.url(path);
        let manifest = self.manifest(&url, commit)?;
        let folder = package_folder(&manifest, &url)?;
        let all = self.store.files(&url, commit)?;
        let files: Vec<&TreeFile> =
            all.iter().filter(|file| file.path.starts_with(&folder)).collect();
        if files.is_empty() {
            let message = format!("{url} has no files in the folder \"{folder}\"");
            return Err(Error::new(message).note(format!("the commit is {commit}")));
        }
        for file in &files {
            refuse_odd(&url, file)?;
        }
        let contents = self.store.contents(&url, &files)?;
        let names = files.iter().map(|file| file.path[folder.len()..].to_owned());
        Ok(names.zip(contents).collect())
    }

    fn linked(&self, path: &PackagePath, folder: &Path) -> Result<Contents> {
        let manifest = read_manifest(folder)?;
        let inside = package_folder(&manifest, &folder.display().to_string())?;
        let target = folder.join(inside.trim_end_matches('/'));
        match fs::canonicalize(&target) {
            Ok(target) => Ok(Contents::Link(target)),
            Err(why) => {
                let error = Error::file("read", &target, &why);
                Err(error.note(format!("it takes the place of {path}")))
            }
        }
    }

    /// The versions that are newer than one: the newest that the name allows, and the newest of all.
    pub(crate) fn newer(
        &mut self,
        path: &PackagePath,
        version: &Version,
    ) -> Result<(Option<Version>, Option<Version>)> {
        let newest = self.newest(path)?.version;
        let last = self.refs(path)?.tags.keys().next_back().cloned();
        let beyond = last.filter(|last| !path.allows(last) && last > version);
        Ok(((newest > *version).then_some(newest), beyond))
    }
}

/// The folder of a package in its own repository.
fn package_folder(manifest: &Manifest, place: &str) -> Result<String> {
    match &manifest.package {
        Some(package) => Ok(format!("lib/{package}/")),
        None => {
            let message =
                format!("{place} is no package: its {} has no line `package`", manifest::FILE);
            Err(Error::new(message))
        }
    }
}

/// The manifest in a folder of this machine.
fn read_manifest(folder: &Path) -> Result<Manifest> {
    let file = folder.join(manifest::FILE);
    let text = fs::read_to_string(&file).map_err(|why| Error::file("read", &file, &why))?;
    Manifest::parse(&file.display().to_string(), &text)
}

/// Packages consist of usual files with usual names; nothing that is installed leads elsewhere.
fn refuse_odd(url: &str, file: &TreeFile) -> Result<()> {
    let what = match file.mode.as_str() {
        "120000" => "is a link",
        "160000" => "is another repository",
        _ if file.path.split('/').any(|part| matches!(part, "" | "." | ".." | ".git")) => {
            "has such a name"
        }
        _ => return Ok(()),
    };
    let message = format!("{url} cannot be installed, because \"{}\" {what}", file.path);
    Err(Error::new(message).note("packages may only contain usual files"))
}
