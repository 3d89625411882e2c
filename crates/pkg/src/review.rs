//! Whether a project is in order: its versions, its own files, and what those import.

use crate::project::Project;
use crate::resolve::Graph;
use crate::{Error, PackagePath, Result};
use fehu_driver::check;
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use fehu_driver::paths::normalise;
use std::fs;
use std::path::Path;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Review {
    /// The versions that are used.
    pub graph: Graph,
    /// What is wrong with the package itself.
    pub problem: Option<String>,
    /// What others should know.
    pub warnings: Vec<String>,
}

impl Project {
    /// Looks at everything.
    pub fn check(&mut self) -> Result<Review> {
        let graph = self.resolve()?;
        let problem = self.own().and_then(|own| self.problem(own));
        let warnings = self.imports(&graph)?;
        Ok(Review { graph, problem, warnings })
    }

    /// A package has files.
    fn problem(&self, own: &PackagePath) -> Option<String> {
        let folder = self.lib.package(own);
        if !folder.is_dir() {
            return Some(format!("the directory lib/{own} does not exist."));
        }
        let mut files = Vec::new();
        let found = programs(&folder, Path::new(""), &mut files);
        (found.is_err() || files.is_empty())
            .then(|| format!("the directory lib/{own} does not contain any .fut files."))
    }

    /// What the project imports of packages that it does not require itself: a change of what it requires may take them away.
    fn imports(&self, graph: &Graph) -> Result<Vec<String>> {
        let mut files = Vec::new();
        programs(&self.folder, Path::new(""), &mut files)?;
        let inside = |file: &String, path: &PackagePath| file.starts_with(&format!("lib/{path}/"));
        files.retain(|file| {
            !file.starts_with("lib/") || self.own().is_some_and(|own| inside(file, own))
        });
        let mut warnings = Vec::new();
        for file in files {
            let root = Root::Path(self.folder.join(&file).to_string_lossy().into_owned());
            for import in check::imports(&Disk, &root) {
                let folder = file.rfind('/').map_or("", |slash| &file[..=slash]);
                let target = normalise(&format!("{folder}{import}"));
                let used = graph.chosen.keys().find(|path| inside(&target, path));
                let Some(used) = used else { continue };
                if self.manifest.requirement(used).is_none() {
                    warnings.push(format!(
                        "{file} imports \"{import}\" of the package {used}, which is only there because others require it; \
                         `fehu pkg add {used} {}` makes sure that it stays",
                        graph.chosen[used].version
                    ));
                }
            }
        }
        warnings.sort();
        warnings.dedup();
        Ok(warnings)
    }
}

/// The programs below a folder, by names relative to it.
fn programs(folder: &Path, name: &Path, found: &mut Vec<String>) -> Result<()> {
    let here = folder.join(name);
    let fail = |why| Error::file("read", &here, &why);
    for entry in fs::read_dir(&here).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let inner = name.join(entry.file_name());
        let shown = inner.to_string_lossy();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let kind = entry.file_type().map_err(fail)?;
        if kind.is_dir() && !hidden && !shown.starts_with("lib~") {
            programs(folder, &inner, found)?;
        } else if kind.is_file() && shown.ends_with(".fut") {
            found.push(shown.into_owned());
        }
    }
    found.sort();
    Ok(())
}
