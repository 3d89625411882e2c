//! Sessions on pages: commands, run by a shell in a folder with the files of the page, and what they print.

use super::page::{Kind, Page, Part};
use super::programs::trimmed;
use crate::common::{fehu, folder, path_with_futhark};
use std::path::PathBuf;
use std::process::Command;

/// The folder in which the sessions of a page run.
pub(super) struct Sandbox {
    folder: PathBuf,
}

impl Sandbox {
    /// A folder with the files of a page.
    pub(super) fn new(name: &str, page: &Page) -> Sandbox {
        let folder = folder(&format!("book-{}", name.replace(['/', '.'], "-")));
        for block in page.blocks() {
            if let Some(file) = &block.file {
                let path = folder.join(file);
                std::fs::create_dir_all(path.parent().expect("it is in a folder"))
                    .expect("the folder can be made");
                std::fs::write(path, block.contents()).expect("the file can be written");
            }
        }
        Sandbox { folder }
    }

    /// Runs the commands of a page, and writes down what they print.
    pub(super) fn renew(&self, page: &mut Page) {
        for part in &mut page.parts {
            let Part::Block(block) = part else { continue };
            if block.kind != Kind::Session {
                continue;
            }
            let place = format!("{}:{}", page.name, block.line);
            assert!(block.body.starts_with("$ "), "{place}: a session begins with a command");
            let mut renewed = String::new();
            let mut lines = block.body.lines().peekable();
            while let Some(line) = lines.next() {
                let Some(first) = line.strip_prefix("$ ") else { continue };
                let mut command = first.to_owned();
                while command.ends_with('\\')
                    && let Some(more) = lines.next()
                {
                    command.push('\n');
                    command.push_str(more);
                }
                renewed.push_str(&format!("$ {command}\n{}", self.run(&command)));
            }
            block.body = renewed;
        }
    }

    /// What a command prints.
    fn run(&self, command: &str) -> String {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec 2>&1\n{command}")).current_dir(&self.folder);
        // With the surroundings that our compiler has in all tests.
        for (name, value) in fehu().get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let bin = self.folder.join("bin");
        let path = path_with_futhark(&self.folder);
        let link = bin.join("fehu");
        if !link.exists() {
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fehu"), link)
                .expect("a link can be made");
        }
        let output = shell.env("PATH", path).output().expect("there is a shell");
        trimmed(&String::from_utf8_lossy(&output.stdout))
    }
}
