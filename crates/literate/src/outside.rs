//! What only other programs can do: gnuplot, and ffmpeg for formats of films and sound that we do not write.

use fehu_driver::temporary::Folder;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The picture that gnuplot draws. Each file has columns of numbers, and a name by which the script calls it.
pub fn gnuplot(files: &[(String, Vec<Vec<f64>>)], script: &str) -> Result<Vec<u8>, String> {
    let folder = Folder::new().map_err(|error| error.to_string())?;
    let mut text = String::from("set terminal png size 640,480 enhanced\nset output 'plot.png'\n");
    for (name, columns) in files {
        let mut rows = String::new();
        for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
            let cells = columns.iter().map(|column| {
                column.get(row).map_or_else(|| "NaN".to_owned(), |number| format!("{number:e}"))
            });
            let cells: Vec<String> = cells.collect();
            rows.push_str(&cells.join(" "));
            rows.push('\n');
        }
        write(&folder.path().join(format!("{name}.data")), rows.as_bytes())?;
        let _ = writeln!(text, "{name} = '{name}.data'");
    }
    text.push_str(script);
    text.push('\n');
    write(&folder.path().join("script"), text.as_bytes())?;
    run(Command::new("gnuplot").arg("script"), folder.path(), "`:plot` draws without it")?;
    read(&folder.path().join("plot.png"))
}

/// A film in another format, from an animated PNG.
pub fn video(film: &[u8], rate: u16, end: &str) -> Result<Vec<u8>, String> {
    let folder = Folder::new().map_err(|error| error.to_string())?;
    write(&folder.path().join("in.apng"), film)?;
    let out = format!("out.{end}");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-i", "in.apng", "-r", &rate.to_string(), &out]);
    run(&mut command, folder.path(), "`format: png` and `format: gif` are written without it")?;
    read(&folder.path().join(out))
}

/// Sound in another format, from WAV.
pub fn audio(sound: &[u8], codec: &str) -> Result<Vec<u8>, String> {
    if !codec.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(format!("`codec: {codec}` is not the name of a format"));
    }
    let folder = Folder::new().map_err(|error| error.to_string())?;
    write(&folder.path().join("in.wav"), sound)?;
    let out = format!("out.{codec}");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-i", "in.wav", &out]);
    run(&mut command, folder.path(), "`codec: wav` is written without it")?;
    read(&folder.path().join(out))
}

fn run(command: &mut Command, folder: &Path, instead: &str) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command.current_dir(folder).stdin(Stdio::null()).output();
    let done = done.map_err(|error| {
        format!("this needs the program `{name}`, which cannot be started: {error}; {instead}")
    })?;
    match done.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&done.stderr);
            Err(format!("`{name}` failed ({}):\n{}", done.status, said.trim()))
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("nothing was written: {error}"))
}
