//! Compiled programs that are kept: things that were expensive to make, under names that say all that they
//! depend on.
//!
//! - `objects/KEY`: an executable, or what is known of a C compiler; the key is a digest of everything that
//!   went into it, so that an object is never wrong, only superfluous;
//! - `programs/KEY`: for a command line, the files that were read and the object that came out. It is valid
//!   as long as the files have the same contents; nothing has to be parsed to find that out.
//!
//! Several processes may use one cache: a file is written under a temporary name and then renamed. What a crash or a full
//! disk has damaged nevertheless is not used: `objects/KEY.sum` has the digest of an object, and a program's file ends with its
//! own. When there is too much, what was not used for the longest time goes.

use fehu_base::hash;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// A folder of things that were made before.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    limit: u64,
}

/// While this exists, others wait for an object.
#[derive(Debug)]
pub struct Turn {
    path: PathBuf,
    /// It is locked until it is closed.
    _file: File,
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Who waits has the file and finds the object. If it cannot be removed now, trimming will do it.
        let _ = fs::remove_file(&self.path);
    }
}

/// The most bytes that are kept.
const LIMIT: u64 = 1 << 29;
/// After this time a temporary file belongs to nobody any more.
const ABANDONED: Duration = Duration::from_secs(3600);

const OBJECTS: &str = "objects";
const PROGRAMS: &str = "programs";
/// What programs for devices keep here themselves (`gpu/cache.c` of the runtime); we only throw it away.
const KERNELS: &str = "kernels";
/// The start of temporary names; keys have no such sign.
const TEMPORARY: &str = "+";
/// The end of the name of an object's digest.
const SUM: &str = ".sum";

impl Cache {
    /// The user's cache.
    pub fn open() -> io::Result<Cache> {
        Cache::at(Cache::folder()?, LIMIT)
    }

    /// The folder of the user's cache: `fehu` in `$XDG_CACHE_HOME`, or else in `~/.cache`.
    pub fn folder() -> io::Result<PathBuf> {
        let absolute = |name: &str| {
            let value: Option<OsString> = std::env::var_os(name);
            value.map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let folder = absolute("XDG_CACHE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
            .ok_or_else(|| io::Error::other("neither XDG_CACHE_HOME nor HOME is set"))?;
        Ok(folder.join("fehu"))
    }

    /// A cache in a folder, with at most so many bytes.
    pub fn at(root: PathBuf, limit: u64) -> io::Result<Cache> {
        fs::create_dir_all(root.join(OBJECTS))?;
        fs::create_dir_all(root.join(PROGRAMS))?;
        Ok(Cache { root, limit })
    }

    /// Where it is, ...
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// ... how many bytes it has, ...
    pub fn size(&self) -> u64 {
        let entries = [OBJECTS, PROGRAMS, KERNELS]
            .into_iter()
            .filter_map(|folder| fs::read_dir(self.root.join(folder)).ok());
        let files = entries.flatten().flatten().filter_map(|entry| entry.metadata().ok());
        files.map(|data| data.len()).sum()
    }

    /// ... and how many it may have.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The object with this key, if there is one.
    pub fn object(&self, key: &str) -> Option<PathBuf> {
        let path = self.root.join(OBJECTS).join(key);
        let sum = fs::read_to_string(sum_of(&path)).ok()?;
        let whole = hash::digest([fs::read(&path).ok()?.as_slice()]) == sum;
        (whole && touch(&path)).then_some(path)
    }

    /// Waits until nobody else makes the object with this key; then it is there, or it is our turn. It is everybody's turn if
    /// there can be no such file: objects are good without it, too.
    pub fn turn(&self, key: &str) -> Option<Turn> {
        let path = self.root.join(OBJECTS).join(format!("{TEMPORARY}{key}"));
        let file = File::create(&path).ok()?;
        file.lock().is_ok().then_some(Turn { path, _file: file })
    }

    /// Makes an object: `make` writes it to the path that it is given.
    pub fn make_object<E: From<io::Error>>(
        &self,
        key: &str,
        make: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        let path = self.write(OBJECTS, key, |path| {
            make(path)?;
            // The sum comes first: without it, or with that of another object, an object is not used.
            let noted = fs::read(path).and_then(|bytes| {
                let sum = hash::digest([bytes.as_slice()]);
                self.write(OBJECTS, &format!("{key}{SUM}"), |path| fs::write(path, sum))
            });
            noted.map(|_| ()).map_err(E::from)
        })?;
        self.trim();
        Ok(path)
    }

    /// The object that a program became, if none of its files has changed since.
    pub fn program(&self, key: &str) -> Option<PathBuf> {
        let path = self.root.join(PROGRAMS).join(key);
        let text = fs::read_to_string(&path).ok()?;
        // Without its last lines it would not know all files.
        let (text, sum) = text.trim_end().rsplit_once('\n')?;
        if hash::digest([text.as_bytes()]) != sum {
            return None;
        }
        let mut lines = text.lines();
        let object = lines.next()?;
        for line in lines {
            let (digest, file) = line.split_once(' ')?;
            if hash::digest([fs::read(file).ok()?.as_slice()]) != digest {
                return None;
            }
        }
        touch(&path);
        self.object(object)
    }

    /// Remembers what a program became, and the files that it was made of: absolute paths and contents.
    pub fn set_program<'a>(
        &self,
        key: &str,
        object: &Path,
        files: impl Iterator<Item = (&'a Path, &'a str)>,
    ) -> io::Result<()> {
        let name = object.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let mut text = format!("{name}\n");
        for (path, contents) in files {
            let path = path.to_str().filter(|path| !path.contains('\n'));
            let Some(path) = path else {
                // Such a name cannot be written down; the program is compiled again next time.
                return Ok(());
            };
            text.push_str(&format!("{} {path}\n", hash::digest([contents.as_bytes()])));
        }
        let sum = hash::digest([text.trim_end().as_bytes()]);
        self.write(PROGRAMS, key, |path| fs::write(path, text + &sum)).map(|_| ())
    }

    fn write<E: From<io::Error>>(
        &self,
        folder: &str,
        key: &str,
        make: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let folder = self.root.join(folder);
        // Processes that see different machines may share a cache, and have the same number.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let unique = format!("{}-{number}-{:x}", std::process::id(), now.as_nanos());
        let temporary = folder.join(format!("{TEMPORARY}{unique}"));
        let made = make(&temporary);
        let path = folder.join(key);
        let renamed = made.and_then(|()| fs::rename(&temporary, &path).map_err(E::from));
        if renamed.is_err() {
            // What is left of the attempt is of no use; if it cannot be removed now, trimming will do it.
            let _ = fs::remove_file(&temporary);
        }
        renamed.map(|()| path)
    }

    /// Removes the oldest files until the rest is small enough. What others remove meanwhile is gone, too.
    fn trim(&self) {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for folder in [OBJECTS, PROGRAMS, KERNELS] {
            let Ok(entries) = fs::read_dir(self.root.join(folder)) else { continue };
            for entry in entries.flatten() {
                let Ok(data) = entry.metadata() else { continue };
                let age = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if name.ends_with(SUM) && !name.starts_with(TEMPORARY) {
                    // It goes when its object does.
                } else if !name.starts_with(TEMPORARY) {
                    files.push((age, data.len(), entry.path()));
                } else if age.elapsed().is_ok_and(|age| age > ABANDONED) {
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
        files.sort();
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        // The newest has just been made for somebody.
        files.pop();
        for (_, size, path) in files {
            if total <= self.limit {
                break;
            }
            total -= size;
            let _ = fs::remove_file(sum_of(&path));
            let _ = fs::remove_file(path);
        }
    }
}

/// Where the digest of an object is.
fn sum_of(object: &Path) -> PathBuf {
    let mut name = object.as_os_str().to_owned();
    name.push(SUM);
    PathBuf::from(name)
}

/// Whether a file exists; it then counts as used now.
fn touch(path: &Path) -> bool {
    // It may be running, so it is not opened for writing. A file of somebody else keeps its age.
    File::open(path).map(|file| file.set_modified(SystemTime::now())).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(name: &str, limit: u64) -> Cache {
        let folder = std::env::temp_dir().join(format!("fehu-cache-{}-{name}", std::process::id()));
        Cache::at(folder, limit).expect("the folder can be made")
    }

    fn put(cache: &Cache, key: &str, text: &str) -> PathBuf {
        let made = cache.make_object(key, |path| fs::write(path, text));
        made.expect("the file can be written")
    }

    #[test]
    fn objects_are_kept_and_failures_are_not() {
        let cache = cache("objects", 1000);
        assert_eq!(cache.object("a"), None);
        let path = put(&cache, "a", "text");
        assert_eq!(cache.object("a"), Some(path.clone()));
        assert_eq!(fs::read_to_string(path).expect("it is there"), "text");
        let failed = cache.make_object("b", |path| {
            fs::write(path, "half")?;
            Err(io::Error::other("no"))
        });
        assert!(failed.is_err() && cache.object("b").is_none());
        let left = fs::read_dir(cache.root.join(OBJECTS)).expect("it is there").count();
        assert_eq!(left, 2, "the object and its digest");
        fs::remove_dir_all(cache.root).expect("it can be removed");
    }

    #[test]
    fn what_is_damaged_is_not_used() {
        let cache = cache("damaged", 100_000);
        let path = put(&cache, "a", "all of it");
        for damaged in ["", "all of", "all of iT", "all of it, and more"] {
            fs::write(&path, damaged).expect("it can be written");
            assert_eq!(cache.object("a"), None, "{damaged}");
        }
        put(&cache, "a", "all of it");
        assert_eq!(cache.object("a"), Some(path.clone()));
        fs::remove_file(sum_of(&path)).expect("it is there");
        assert_eq!(cache.object("a"), None);
        // A program whose list of files was cut would not notice that they have changed.
        let files: Vec<PathBuf> = ["a.fut", "b.fut"].map(|name| cache.root.join(name)).into();
        for file in &files {
            fs::write(file, "text").expect("it can be written");
        }
        let object = put(&cache, "object", "code");
        let list = files.iter().map(|file| (file.as_path(), "text"));
        cache.set_program("p", &object, list).expect("it can be written");
        assert_eq!(cache.program("p"), Some(object));
        let path = cache.root.join(PROGRAMS).join("p");
        let text = fs::read(&path).expect("it is there");
        for end in 0..text.len() {
            fs::write(&path, &text[..end]).expect("it can be written");
            assert_eq!(cache.program("p"), None, "{end} of {} bytes", text.len());
        }
        fs::write(&path, b"\xff\n\n../../x\n").expect("it can be written");
        assert_eq!(cache.program("p"), None);
        fs::remove_dir_all(cache.root).expect("it can be removed");
    }

    #[test]
    fn what_was_not_used_for_long_goes_first() {
        let cache = cache("trim", 10);
        for (i, key) in ["a", "b"].into_iter().enumerate() {
            let path = put(&cache, key, "12345");
            let age = SystemTime::now() - Duration::from_secs(100 - i as u64);
            File::open(path).and_then(|file| file.set_modified(age)).expect("it is ours");
        }
        assert!(cache.object("a").is_some());
        put(&cache, "c", "12345");
        let left = ["a", "b", "c"].map(|key| cache.object(key).is_some());
        assert_eq!(left, [true, false, true]);
        fs::remove_dir_all(cache.root).expect("it can be removed");
    }

    #[test]
    fn compiled_kernels_go_when_they_are_old() {
        let cache = cache("kernels", 10);
        let folder = cache.root.join(KERNELS);
        fs::create_dir_all(&folder).expect("the folder can be made");
        fs::write(folder.join("k"), "12345678").expect("it can be written");
        let age = SystemTime::now() - Duration::from_secs(100);
        let file = File::open(folder.join("k"));
        file.and_then(|file| file.set_modified(age)).expect("it is ours");
        put(&cache, "a", "12345");
        assert!(!folder.join("k").exists() && cache.object("a").is_some());
        fs::remove_dir_all(cache.root).expect("it can be removed");
    }

    #[test]
    fn programs_are_valid_as_long_as_their_files_are() {
        let cache = cache("programs", 10_000);
        let file = cache.root.join("a.fut");
        fs::write(&file, "one").expect("it can be written");
        let object = put(&cache, "object", "code");
        let files = || [(file.as_path(), "one")].into_iter();
        cache.set_program("p", &object, files()).expect("it can be written");
        assert_eq!(cache.program("p"), Some(object.clone()));
        fs::write(&file, "two").expect("it can be written");
        assert_eq!(cache.program("p"), None);
        fs::write(&file, "one").expect("it can be written");
        assert_eq!(cache.program("p"), Some(object.clone()));
        fs::remove_file(&object).expect("it is there");
        assert_eq!(cache.program("p"), None);
        fs::remove_dir_all(cache.root).expect("it can be removed");
    }

    #[test]
    fn many_threads_may_write_the_same() {
        let cache = cache("threads", 100_000);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for i in 0..20 {
                        let path = put(&cache, &format!("k{i}"), &"x".repeat(1000));
                        assert_eq!(fs::read(path).expect("it is whole").len(), 1000);
                    }
                });
            }
        });
        fs::remove_dir_all(cache.root).expect("it can be removed");
    }
}
