//! What is mutated: the programs of some folders, and programs of a thousand lines and more that are made of several.
//!
//! Imports of a program still mean the same files when it stands in another folder. Large programs are those of the random
//! generator, whose types are right, and files of the folders as modules of one program.

use fehu_irgen::rng::Rng;
use fehu_srcgen::{Config, program};
use std::path::{Path, PathBuf};

/// A large program has at least so many lines.
const LARGE: usize = 1000;

/// The programs.
pub(super) struct Corpus {
    files: Vec<PathBuf>,
    /// Where mutants will stand.
    folder: PathBuf,
}

/// A program to be mutated.
pub(super) struct Original {
    pub(super) text: String,
    /// Where it is from.
    pub(super) origin: String,
}

impl Corpus {
    /// The programs in folders, sorted by path; mutants will stand in `folder`.
    pub(super) fn new(given: &[PathBuf], folder: &Path) -> std::io::Result<Corpus> {
        let mut waiting = given.to_vec();
        let mut files = Vec::new();
        while let Some(path) = waiting.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
                waiting.extend(entries.map(|entry| entry.path()));
            } else if path.extension().is_some_and(|extension| extension == "fut")
                && std::fs::read_to_string(&path).is_ok()
            {
                files.push(path);
            }
        }
        if files.is_empty() {
            return Err(std::io::Error::other("there are no programs"));
        }
        files.sort();
        Ok(Corpus { files, folder: folder.canonicalize()? })
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// One of the programs, or one made of several.
    pub(super) fn program(&self, random: &mut Rng) -> std::io::Result<Original> {
        match random.below(12) {
            0 => Ok(generated(random)),
            1 => self.joined(random),
            _ => self.file(random),
        }
    }

    fn file(&self, random: &mut Rng) -> std::io::Result<Original> {
        let path = &self.files[random.below(self.files.len())];
        let text = std::fs::read_to_string(path)?;
        let home = path.parent().unwrap_or(Path::new("")).canonicalize()?;
        let text = match text.contains("import \"") {
            true => text.replace("import \"", &format!("import \"{}/", way(&self.folder, &home))),
            false => text,
        };
        Ok(Original { text, origin: path.display().to_string() })
    }

    /// Files as modules of one program. Modules have no entry points and no imports.
    fn joined(&self, random: &mut Rng) -> std::io::Result<Original> {
        let mut text = String::new();
        let mut lines = 0;
        let (mut parts, mut tries) = (0, 0);
        while lines < LARGE && tries < LARGE {
            tries += 1;
            let part = self.file(random)?.text;
            if part.contains("import ") {
                continue;
            }
            lines += part.lines().count();
            let part = part.replace("\nentry ", "\ndef ");
            let part =
                part.strip_prefix("entry ").map_or(part.clone(), |rest| format!("def {rest}"));
            text.push_str(&format!("module part{parts} = {{\n{part}\n}}\n"));
            parts += 1;
        }
        Ok(Original { text, origin: format!("{parts} files") })
    }
}

/// Random programs in one file.
fn generated(random: &mut Rng) -> Original {
    let first = random.below(1_000_000) as u64;
    let mut text = String::new();
    let mut seed = first;
    while text.lines().count() < LARGE {
        text.push_str(&program(seed, Config::of_seed(seed)).text);
        text.push('\n');
        seed += 1;
    }
    Original { text, origin: format!("the random programs {first} to {}", seed - 1) }
}

/// How one goes from a folder to another, both given from the root.
fn way(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[same..].iter().map(|_| "..".to_owned());
    let down = to[same..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let steps: Vec<String> = up.chain(down).collect();
    if steps.is_empty() { ".".to_owned() } else { steps.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_another_folder_goes_up_and_down() {
        assert_eq!(way(Path::new("/a/b/c"), Path::new("/a/d")), "../../d");
        assert_eq!(way(Path::new("/a"), Path::new("/a/b/c")), "b/c");
        assert_eq!(way(Path::new("/a"), Path::new("/a")), ".");
    }

    #[test]
    fn generated_programs_are_large() {
        let original = generated(&mut Rng::new(3));
        assert!(original.text.lines().count() >= LARGE, "{}", original.origin);
    }
}
