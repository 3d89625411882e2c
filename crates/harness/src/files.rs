//! Files that tests name: data, perhaps compressed, and scripts.

use fehu_data::{Value, ValueType, reader};
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::Path;

/// The values in a file, relative to a folder.
pub(crate) fn values(folder: &Path, file: &str) -> Result<Vec<Value>, String> {
    let bytes = bytes(folder, file)?;
    reader::read_all(&bytes).map_err(|error| format!("{file}:{error}"))
}

/// The values in a file as those of some types, if they can be; otherwise as they are.
pub(crate) fn arguments(
    folder: &Path,
    file: &str,
    types: &[ValueType],
) -> Result<Vec<Value>, String> {
    let bytes = bytes(folder, file)?;
    let values = reader::read_typed(&bytes, types).or_else(|_| reader::read_all(&bytes));
    values.map_err(|error| format!("{file}:{error}"))
}

/// The most bytes that a compressed file may have when it is decompressed: a small file can pretend to be anything.
const MOST: u64 = 1 << 33;

/// The contents of a file, relative to a folder. Files whose names end in `.gz` are decompressed.
///
/// Only usual files are read: pipes and devices may never end, and a test block may have been written by anybody.
pub(crate) fn bytes(folder: &Path, file: &str) -> Result<Vec<u8>, String> {
    let path = folder.join(file);
    let unreadable = |error: std::io::Error| format!("cannot read \"{file}\": {error}");
    // This comes first, since even opening a pipe may last for ever.
    let data = std::fs::metadata(&path).map_err(unreadable)?;
    if !data.is_file() {
        let what = if data.is_dir() { "it is a folder" } else { "it is not a regular file" };
        return Err(format!("cannot read \"{file}\": {what}"));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    if !file.ends_with(".gz") {
        return Ok(bytes);
    }
    let mut contents = Vec::new();
    match MultiGzDecoder::new(bytes.as_slice()).take(MOST + 1).read_to_end(&mut contents) {
        Ok(count) if count as u64 > MOST => {
            Err(format!("\"{file}\" has more than {MOST} bytes when it is decompressed"))
        }
        Ok(_) => Ok(contents),
        Err(error) => Err(format!("cannot decompress \"{file}\": {error}")),
    }
}
