//! Files that tests name: data, perhaps compressed, and scripts.

use fehu_data::{Value, reader};
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::Path;

/// The values in a file, relative to a folder.
pub(crate) fn values(folder: &Path, file: &str) -> Result<Vec<Value>, String> {
    let bytes = bytes(folder, file)?;
    reader::read_all(&bytes).map_err(|error| format!("{file}:{error}"))
}

/// The contents of a file, relative to a folder. Files whose names end in `.gz` are decompressed.
pub(crate) fn bytes(folder: &Path, file: &str) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(folder.join(file))
        .map_err(|error| format!("cannot read \"{file}\": {error}"))?;
    if !file.ends_with(".gz") {
        return Ok(bytes);
    }
    let mut contents = Vec::new();
    match MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut contents) {
        Ok(_) => Ok(contents),
        Err(error) => Err(format!("cannot decompress \"{file}\": {error}")),
    }
}
