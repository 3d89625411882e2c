//! Repositories of packages in a folder, which is the mirror for all paths, and a project beside them.

use fehu_pkg::resolve::Rules;
use fehu_pkg::sync::{Locking, Options, Synced};
use fehu_pkg::{Network, PackagePath, Project, Settings, Version};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct World {
    root: PathBuf,
}

pub(crate) const SYNC: Options = Options { force: false, lock: Locking::Keep };

impl World {
    pub(crate) fn new(name: &str) -> World {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // What an earlier run has left would hide what is not written.
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("project")).expect("the folder can be made");
        World { root }
    }

    /// A file of the project.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.root.join("project").join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.file(name), text);
    }

    /// Publishes a version of a package: a commit and a tag. `requires` are the lines of its manifest. The files are `a.fut`,
    /// whose text is the version, and what the package had before.
    pub(crate) fn publish(&self, package: &str, version: &str, requires: &str) -> String {
        self.publish_as(package, package, version, requires)
    }

    /// The same, if the repository has another name than the package.
    pub(crate) fn publish_as(
        &self,
        repository: &str,
        package: &str,
        version: &str,
        requires: &str,
    ) -> String {
        let folder = self.repository(repository);
        if !folder.exists() {
            fs::create_dir_all(&folder).expect("the folder can be made");
            self.git(repository, &["init", "--quiet", "--initial-branch=main"]);
            self.git(repository, &["config", "uploadpack.allowFilter", "true"]);
            self.git(repository, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
        }
        write(
            &folder.join("futhark.pkg"),
            &format!("package {package}\nrequire {{\n{requires}\n}}\n"),
        );
        write(&folder.join("lib").join(package).join("a.fut"), &format!("-- {version}\n"));
        self.git(repository, &["add", "."]);
        self.git(repository, &["commit", "--quiet", "-m", "a version"]);
        if !version.is_empty() {
            self.git(repository, &["tag", &format!("v{version}")]);
        }
        self.git(repository, &["rev-parse", "HEAD"])
    }

    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        self.root.join("mirror").join(name)
    }

    pub(crate) fn git(&self, repository: &str, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.repository(repository)).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@b");
            command.env(format!("GIT_{who}_DATE"), "2024-01-31T23:59:59Z");
        }
        let output = command.output().expect("git is installed");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Nothing can be fetched any more.
    pub(crate) fn cut_off(&self) {
        fs::rename(self.root.join("mirror"), self.root.join("gone")).expect("it can be renamed");
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    pub(crate) fn project(&self) -> Project {
        self.project_with(Network::Online, Rules::Ours)
    }

    pub(crate) fn project_with(&self, network: Network, rules: Rules) -> Project {
        let mirror = Some(format!("file://{}", self.root.join("mirror").display()));
        let settings = Settings { network, rules, cache: self.cache(), mirror };
        Project::open(&self.root.join("project"), settings).expect("its files can be read")
    }

    /// Requires a version.
    pub(crate) fn add(&self, package: &str, wanted: &str) {
        let added = self.project().add(package, Some(version(wanted)));
        added.unwrap_or_else(|why| panic!("{package} {wanted}: {why}"));
    }

    pub(crate) fn sync(&self) -> Synced {
        self.project().sync(SYNC).unwrap_or_else(|why| panic!("{why}"))
    }

    pub(crate) fn refused(&self) -> String {
        self.project().sync(SYNC).expect_err("it is refused").to_string()
    }

    /// What is in `lib/`: names of files with their texts.
    pub(crate) fn lib(&self) -> String {
        let mut lines = Vec::new();
        list(&self.file("lib"), "", &mut lines);
        lines.sort();
        lines.join(" ")
    }
}

pub(crate) fn version(text: &str) -> Version {
    Version::parse(text).expect(text)
}

pub(crate) fn path(text: &str) -> PackagePath {
    PackagePath::parse(text).expect(text)
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
    fs::write(path, text).expect("it can be written");
}

fn list(folder: &Path, name: &str, lines: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.expect("it can be read");
        let inner = format!("{name}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => list(&entry.path(), &format!("{inner}/"), lines),
            false => {
                let text = fs::read_to_string(entry.path()).expect("it can be read");
                lines.push(format!("{inner}={}", text.trim().trim_start_matches("-- ")));
            }
        }
    }
}
