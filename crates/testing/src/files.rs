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
