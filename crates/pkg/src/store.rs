//! The repositories of packages: asked where they are, and kept in the cache.
//!
//! The versions of a package are its tags, for which the remote repository is asked (`git ls-remote`). What a version contains
//! comes from a bare clone in the cache folder, without the contents of files at first (`--filter=blob:none`); those that are
//! needed are fetched together. What the clone knows is not asked for again, so that no network is needed for versions that have
//! been used before. A clone is made under another name and then renamed, one process at a time; one that turns out to be damaged
//! is made again.

use crate::git::{Failure, Network, git};
use crate::manifest::Requirement;
use crate::{Error, Result, Version};
use fehu_base::hash;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The clones of this machine.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    network: Network,
    /// What remote repositories have said in this run.
    asked: BTreeMap<String, Refs>,
}

/// What a repository consists of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refs {
    /// The newest commit of the main branch.
    pub head: Option<String>,
    /// The commits of tagged versions.
    pub tags: BTreeMap<Version, String>,
}

/// A file of a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TreeFile {
    /// What it is: `100644` is a usual file.
    pub(crate) mode: String,
    /// The name of its contents.
    pub(crate) object: String,
    /// Where it is.
    pub(crate) path: String,
}

const BLOBLESS: &str = "--filter=blob:none";

impl Store {
    /// The store in a folder.
    pub fn new(root: PathBuf, network: Network) -> Store {
        Store { root, network, asked: BTreeMap::new() }
    }

    /// The tags and the newest commit, as the remote repository has them now; without a network, as the clone has them.
    pub fn refs(&mut self, url: &str) -> Result<Refs> {
        if self.network == Network::Offline {
            let known = self.cloned_refs(url);
            return known.ok_or_else(|| offline(url, "its versions are not known"));
        }
        if let Some(refs) = self.asked.get(url) {
            return Ok(refs.clone());
        }
        let listed = git(None, &["ls-remote", "--", url], &[], self.network);
        let listed = listed.map_err(|why| unreachable_error(url, &why))?;
        let refs = parse_refs(&String::from_utf8_lossy(&listed));
        self.asked.insert(url.to_owned(), refs.clone());
        Ok(refs)
    }

    /// The commit of a version.
    pub(crate) fn commit(&mut self, url: &str, wanted: &Requirement) -> Result<String> {
        let version = &wanted.version;
        if let Some(commit) = version.commit() {
            return self.whole_commit(url, commit);
        }
        let fits = |found: &String| match &wanted.commit {
            Some(commit) => found.starts_with(commit.as_str()),
            None => true,
        };
        // A tag that does not fit may have been moved since it was fetched.
        let known = self.cloned_refs(url).and_then(|refs| refs.tags.get(version).cloned());
        if let Some(commit) = known.filter(|found| fits(found) || self.network == Network::Offline)
        {
            return Ok(commit);
        }
        let refs = self.refs(url)?;
        match refs.tags.get(version) {
            Some(commit) => self.whole_commit(url, commit),
            None => Err(no_such_version(url, wanted, &refs)),
        }
    }

    /// The version of a commit that has none.
    pub(crate) fn version_of(&mut self, url: &str, commit: &str) -> Result<Version> {
        let commit = self.whole_commit(url, commit)?;
        let time = self.read(url, |clone| {
            let format =
                ["show", "-s", "--date=format-local:%Y%m%d%H%M%S", "--format=%cd", &commit];
            git(Some(clone), &format, &[], Network::Offline)
        })?;
        let time = String::from_utf8_lossy(&time).trim().parse();
        let time = time.map_err(|_| {
            Error::new(format!("git tells no time for the commit {commit} of {url}"))
        })?;
        Ok(Version::of_commit(time, &commit))
    }

    /// The files of a commit.
    pub(crate) fn files(&mut self, url: &str, commit: &str) -> Result<Vec<TreeFile>> {
        let listed = self.read(url, |clone| {
            git(Some(clone), &["ls-tree", "-r", "-z", commit], &[], Network::Offline)
        })?;
        let listed = String::from_utf8_lossy(&listed);
        let file = |line: &str| {
            let (facts, path) = line.split_once('\t')?;
            let mut facts = facts.split(' ');
            let (mode, _, object) = (facts.next()?, facts.next()?, facts.next()?);
            Some(TreeFile { mode: mode.into(), object: object.into(), path: path.into() })
        };
        Ok(listed.split('\0').filter_map(file).collect())
    }

    /// The contents of files, all at once.
    pub(crate) fn contents(&mut self, url: &str, files: &[&TreeFile]) -> Result<Vec<Vec<u8>>> {
        let names: String = files.iter().map(|file| format!("{}\n", file.object)).collect();
        let known = self.read(url, |clone| {
            git(Some(clone), &["cat-file", "--batch-check"], names.as_bytes(), Network::Offline)
        })?;
        let known = String::from_utf8_lossy(&known);
        let missing: String = known
            .lines()
            .filter_map(|line| line.strip_suffix(" missing"))
            .map(|name| format!("{name}\n"))
            .collect();
        if !missing.is_empty() {
            self.fetch_objects(url, &missing)?;
        }
        self.read(url, |clone| {
            let bytes = git(Some(clone), &["cat-file", "--batch"], names.as_bytes(), self.network)?;
            parse_contents(&bytes, files.len()).ok_or_else(|| {
                Failure::Failed("git cat-file".to_owned(), "a file is missing".to_owned())
            })
        })
    }

    fn fetch_objects(&self, url: &str, names: &str) -> Result<()> {
        if self.network == Network::Offline {
            return Err(offline(url, "files of the version that is needed are not in the cache"));
        }
        let clone = self.clone_of(url);
        let _turn = self.turn(url)?;
        let fetch = [
            "-c",
            "fetch.negotiationAlgorithm=noop",
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            BLOBLESS,
            "--stdin",
            "origin",
        ];
        match git(Some(&clone), &fetch, names.as_bytes(), self.network) {
            Ok(_) => Ok(()),
            // Perhaps what is there is damaged, or the other side does not give single files.
            Err(_) => self.clone_again(url, Contents::All),
        }
    }

    /// The whole name of a commit, which the clone has afterwards.
    fn whole_commit(&self, url: &str, commit: &str) -> Result<String> {
        let look = |clone: &Path| {
            let name = format!("{commit}^{{commit}}");
            let found = git(
                Some(clone),
                &["rev-parse", "--verify", "--quiet", &name],
                &[],
                Network::Offline,
            );
            found.ok().map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
        };
        let clone = self.clone_of(url);
        if clone.exists()
            && let Some(found) = look(&clone)
        {
            return Ok(found);
        }
        self.refresh(url)?;
        look(&clone)
            .ok_or_else(|| Error::new(format!("the repository {url} has no commit {commit}")))
    }

    /// What the clone knows, if there is one.
    fn cloned_refs(&self, url: &str) -> Option<Refs> {
        let clone = self.clone_of(url);
        let format = "--format=%(objectname) %(refname)%0a%(*objectname) %(refname)^{}";
        let tags = git(Some(&clone), &["for-each-ref", format, "refs/tags"], &[], Network::Offline);
        let head = git(Some(&clone), &["rev-parse", "HEAD"], &[], Network::Offline).ok()?;
        let head = String::from_utf8_lossy(&head).trim().to_owned();
        let mut refs = parse_refs(&String::from_utf8_lossy(&tags.ok()?));
        refs.head = Some(head);
        Some(refs)
    }

    /// Fetches what is new, or makes the clone.
    fn refresh(&self, url: &str) -> Result<()> {
        if self.network == Network::Offline {
            return Err(offline(url, "the version that is needed is not in the cache"));
        }
        let _turn = self.turn(url)?;
        let clone = self.clone_of(url);
        let (heads, tags) = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*");
        let fetch = ["fetch", "--quiet", "--force", BLOBLESS, "origin", heads, tags];
        if clone.exists() && git(Some(&clone), &fetch, &[], self.network).is_ok() {
            return Ok(());
        }
        self.clone_again(url, Contents::None)
    }

    /// Makes the clone, in place of one that may be there.
    fn clone_again(&self, url: &str, contents: Contents) -> Result<()> {
        let clone = self.clone_of(url);
        let fresh = clone.with_extension("new");
        remove(&fresh)?;
        let target = fresh.to_string_lossy().into_owned();
        let mut arguments = vec!["clone", "--quiet", "--bare", "--template="];
        arguments.extend((contents == Contents::None).then_some(BLOBLESS));
        arguments.extend(["--", url, &target]);
        let made = git(None, &arguments, &[], self.network);
        made.map_err(|why| unreachable_error(url, &why))?;
        remove(&clone)?;
        fs::rename(&fresh, &clone).map_err(|why| Error::file("rename", &fresh, &why))
    }

    /// Reads from the clone. If that fails, it is damaged, and made again.
    fn read<T>(
        &self,
        url: &str,
        work: impl Fn(&Path) -> std::result::Result<T, Failure>,
    ) -> Result<T> {
        let clone = self.clone_of(url);
        if !clone.exists() {
            self.refresh(url)?;
        }
        let why = match work(&clone) {
            Ok(found) => return Ok(found),
            Err(why) => why,
        };
        if self.network == Network::Offline {
            let tried = format!("the clone of {url} in the cache cannot be read");
            return Err(why
                .error(&tried)
                .help(format!("remove the folder \"{}\"", clone.display())));
        }
        {
            let _turn = self.turn(url)?;
            self.clone_again(url, Contents::All)?;
        }
        work(&clone).map_err(|why| why.error(&format!("the repository {url} is damaged")))
    }

    /// Waits until nobody else changes a clone.
    fn turn(&self, url: &str) -> Result<File> {
        fs::create_dir_all(&self.root)
            .map_err(|why| Error::file("make the folder", &self.root, &why))?;
        let path = self.clone_of(url).with_extension("lock");
        let file = File::create(&path).and_then(|file| file.lock().map(|()| file));
        file.map_err(|why| Error::file("lock", &path, &why))
    }

    /// Where the clone is.
    fn clone_of(&self, url: &str) -> PathBuf {
        let last = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let safe: String =
            last.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        let digest = hash::digest([url.as_bytes()]);
        self.root.join(format!("{safe}-{}.git", &digest[..16]))
    }
}

/// What a new clone has from the start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    /// Commits and the names of files.
    None,
    /// The contents of all files, too.
    All,
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::file("remove", folder, &why))
        }
        _ => Ok(()),
    }
}

/// Lines `COMMIT REF`; for a tag with a message, one with `^{}` after its name has the commit.
fn parse_refs(text: &str) -> Refs {
    let mut refs = Refs::default();
    let mut peeled = BTreeMap::new();
    for line in text.lines() {
        let Some((commit, name)) = line.split_once(['\t', ' ']) else { continue };
        if commit.is_empty() {
            continue;
        }
        if name == "HEAD" {
            refs.head = Some(commit.to_owned());
        }
        let Some(tag) = name.strip_prefix("refs/tags/") else { continue };
        let (tag, tags) = match tag.strip_suffix("^{}") {
            Some(tag) => (tag, &mut peeled),
            None => (tag, &mut refs.tags),
        };
        if let Some(version) = Version::of_tag(tag) {
            tags.insert(version, commit.to_owned());
        }
    }
    refs.tags.append(&mut peeled);
    refs
}

/// What `git cat-file --batch` writes: for each file a line that ends in its length, its bytes, and the end of a line.
fn parse_contents(mut bytes: &[u8], count: usize) -> Option<Vec<Vec<u8>>> {
    let mut contents = Vec::new();
    for _ in 0..count {
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let line = std::str::from_utf8(&bytes[..end]).ok()?;
        let length: usize = line.rsplit(' ').next()?.parse().ok()?;
        let start = end + 1;
        contents.push(bytes.get(start..start + length)?.to_vec());
        bytes = bytes.get(start + length + 1..)?;
    }
    Some(contents)
}

fn unreachable_error(url: &str, why: &Failure) -> Error {
    why.error(&format!("the repository {url} cannot be read"))
}

fn offline(url: &str, what: &str) -> Error {
    Error::new(format!("{what}, and no network may be used: {url}"))
        .help("do it once without `--offline`")
}

fn no_such_version(url: &str, wanted: &Requirement, refs: &Refs) -> Error {
    let Requirement { path, version, .. } = wanted;
    let error = Error::new(format!("{path} has no version {version}"))
        .note(format!("the repository {url} has no tag v{version}"));
    let known: Vec<String> = refs
        .tags
        .keys()
        .filter(|known| path.allows(known))
        .map(|known| known.to_string())
        .collect();
    match known.len() {
        0 => error.note("it has no versions for this path at all; without a version, `add` takes its newest commit"),
        n => error.note(format!("the newest versions are {}", known[n.saturating_sub(8)..].join(", "))),
    }
}
