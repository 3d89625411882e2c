//! Waiting for files to change: they are looked at several times a second, which works everywhere and costs nothing that anybody
//! would notice.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What files looked like at some time: when they were changed, and how many bytes they had.
pub(super) type Look = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// How often files are looked at.
const PERIOD: Duration = Duration::from_millis(200);

/// The files that a page depends on: those of the program, and all others in its folder, which directives may read, except
/// for pages.
pub(super) fn look(folder: &Path, files: &[PathBuf]) -> Look {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let beside = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md" || end == "html");
    let beside = beside.map(|entry| entry.path()).filter(|path| path.is_file() && !is_page(path));
    let seen = files.iter().cloned().chain(beside).filter_map(|path| {
        // Files of the prelude are nowhere, and what is gone comes back when an editor has saved it.
        let data = std::fs::metadata(&path).ok()?;
        Some((path, (data.modified().ok(), data.len())))
    });
    seen.collect()
}

/// Waits until they look otherwise than before, as far as they were looked at; some have become known since.
pub(super) fn wait(folder: &Path, files: &[PathBuf], before: Look) {
    let mut known = look(folder, files);
    known.extend(before);
    while look(folder, files) == known {
        std::thread::sleep(PERIOD);
    }
}
