//! The folder `lib/`: what is in it, and how it is replaced as a whole.
//!
//! A new `lib/` is prepared as `lib~new/`. Then `lib` is renamed to `lib~old`, `lib~new` to `lib`, and `lib~old/` is removed.
//! The files of the package that is developed in the same folder are in `lib/`, too; the new folder has links to them, so that
//! they are never in only one place that is about to go. Whatever moment we are killed at, [`Lib::repair`] finds out which,
//! and either the old or the new `lib/` is there afterwards, whole.

use crate::{Error, PackagePath, Result};
use fehu_base::hash;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The files of a package: contents by name, relative to its folder.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// What a package consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Contents {
    /// Files of its own.
    Files(Files),
    /// The files of another folder.
    Link(PathBuf),
}

/// Something that is not a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A file with its contents.
    File(Vec<u8>),
    /// A link to something else.
    Link(PathBuf),
}

/// The folder `lib/` of a project.
#[derive(Clone, Debug)]
pub(crate) struct Lib {
    current: PathBuf,
    new: PathBuf,
    old: PathBuf,
}

/// The digest of the files of a package.
pub(crate) fn digest(files: &Files) -> String {
    hash::digest(files.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes.as_slice()]))
}

impl Lib {
    /// That of the project in a folder.
    pub(crate) fn new(project: &Path) -> Lib {
        let at = |name: &str| project.join(name);
        Lib { current: at("lib"), new: at("lib~new"), old: at("lib~old") }
    }

    /// Where a package is.
    pub(crate) fn package(&self, path: &PackagePath) -> PathBuf {
        self.current.join(path.as_str())
    }

    /// Brings order into what an interrupted run has left. `own` is the package that is developed here.
    pub(crate) fn repair(&self, own: Option<&PackagePath>) -> Result<()> {
        // It is not known to be whole.
        remove(&self.new)?;
        if !exists(&self.old) {
            return Ok(());
        }
        if !exists(&self.current) {
            return rename(&self.old, &self.current);
        }
        // The reference compiler moves the package's own files back at the very end.
        if let Some(own) = own {
            let (left, place) = (self.old.join(own.as_str()), self.package(own));
            if exists(&left) && !exists(&place) {
                make_parent(&place)?;
                rename(&left, &place)?;
            }
        }
        remove(&self.old)
    }

    /// Everything in it, by name; nothing of the package that is developed here.
    pub(crate) fn read(&self, own: Option<&PackagePath>) -> Result<BTreeMap<String, Found>> {
        let mut found = BTreeMap::new();
        if exists(&self.current) {
            let skip = own.map(|own| self.package(own));
            read(&self.current, "", skip.as_deref(), &mut found)?;
        }
        Ok(found)
    }

    /// Replaces it: packages, and what is there of the package that is developed here.
    pub(crate) fn replace(
        &self,
        packages: &BTreeMap<PackagePath, Contents>,
        own: Option<&PackagePath>,
    ) -> Result<()> {
        remove(&self.new)?;
        make(&self.new)?;
        for (path, contents) in packages {
            let folder = self.new.join(path.as_str());
            match contents {
                Contents::Files(files) => {
                    for (name, bytes) in files {
                        let file = folder.join(name);
                        make_parent(&file)?;
                        fs::write(&file, bytes).map_err(|why| Error::file("write", &file, &why))?;
                    }
                }
                Contents::Link(target) => {
                    make_parent(&folder)?;
                    link(target, &folder)?;
                }
            }
        }
        if let Some(own) = own
            && exists(&self.package(own))
        {
            link_all(&self.package(own), &self.new.join(own.as_str()))?;
        }
        if exists(&self.current) {
            rename(&self.current, &self.old)?;
        }
        rename(&self.new, &self.current)?;
        remove(&self.old)
    }
}

/// What of all that was found belongs to a package; nothing if there is a link among it.
pub(crate) fn part(all: &BTreeMap<String, Found>, path: &PackagePath) -> Option<Files> {
    let folder = format!("{path}/");
    let mut files = Files::new();
    let inside = all.range(folder.clone()..).take_while(|(name, _)| name.starts_with(&folder));
    for (name, found) in inside {
        match found {
            Found::File(bytes) => files.insert(name[folder.len()..].to_owned(), bytes.clone()),
            Found::Link(_) => return None,
        };
    }
    Some(files)
}

fn read(
    folder: &Path,
    name: &str,
    skip: Option<&Path>,
    found: &mut BTreeMap<String, Found>,
) -> Result<()> {
    let fail = |why| Error::file("read", folder, &why);
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let path = entry.path();
        if skip == Some(path.as_path()) {
            continue;
        }
        let inner = format!("{name}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(fail)?;
        if kind.is_dir() {
            read(&path, &format!("{inner}/"), skip, found)?;
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).map_err(|why| Error::file("read", &path, &why))?;
            found.insert(inner, Found::Link(target));
        } else {
            let bytes = fs::read(&path).map_err(|why| Error::file("read", &path, &why))?;
            found.insert(inner, Found::File(bytes));
        }
    }
    Ok(())
}

/// Gives files a second name, or copies them where that cannot be.
fn link_all(from: &Path, to: &Path) -> Result<()> {
    make(to)?;
    let fail = |why| Error::file("read", from, &why);
    for entry in fs::read_dir(from).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let (one, other) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(fail)?;
        if kind.is_dir() {
            link_all(&one, &other)?;
        } else if kind.is_symlink() {
            let target = fs::read_link(&one).map_err(|why| Error::file("read", &one, &why))?;
            link(&target, &other)?;
        } else if fs::hard_link(&one, &other).is_err() {
            fs::copy(&one, &other).map_err(|why| Error::file("copy", &one, &why))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> Result<()> {
    std::os::unix::fs::symlink(target, at).map_err(|why| Error::file("make the link", at, &why))
}

#[cfg(not(unix))]
fn link(_: &Path, at: &Path) -> Result<()> {
    Err(Error::new(format!("cannot make the link \"{}\": this system has none", at.display())))
}

/// Whether there is something, even if it is a link to nothing.
fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|why| Error::file("make the folder", folder, &why))
}

fn make_parent(path: &Path) -> Result<()> {
    path.parent().map_or(Ok(()), make)
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|why| Error::file("rename", from, &why))
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(why) if why.kind() != ErrorKind::NotFound => Err(Error::file("remove", folder, &why)),
        _ => Ok(()),
    }
}
