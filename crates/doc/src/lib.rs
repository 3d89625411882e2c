//! Documentation: pages from the comments `-- |` of programs, and the examples in these comments.
//!
//! [`site`] checks all files as one program, so that every name has a meaning, and makes a page of each: what it
//! declares, as it is written, with links from every name to its declaration; the source; an index, and a search box
//! that needs no server.
//!
//! - [`model`]: what is documented;
//! - [`links`]: where names lead;
//! - [`pages`]: the pages;
//! - [`examples`]: what people can type, and the answers, in comments; [`check`] tries them.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod check;
pub mod examples;
pub mod links;
pub mod model;
pub mod pages;
#[cfg(test)]
mod tests;

use fehu_base::{FileId, SourceMap};
use fehu_driver::check::{Exit, Outcome, Warnings};
use fehu_driver::files::Files;
use fehu_driver::load::Root;
use fehu_driver::prelude;
use links::{Address, Links};
use model::{FileDoc, Item, Kind};
use serde_json::json;
use std::fmt::Write;

/// What is documented, with all that its pages need.
pub struct Site<'a> {
    /// What it is called.
    pub title: String,
    /// The texts.
    pub sources: &'a SourceMap,
    /// The files, those that were asked for first.
    pub files: Vec<SiteFile>,
    /// Where names lead.
    pub links: Links,
}

/// A file of a [`Site`].
pub struct SiteFile {
    /// Its text.
    pub id: FileId,
    /// What it is called: its path, as one imports it.
    pub title: String,
    /// Its page.
    pub page: String,
    /// The page of its source.
    pub source: String,
    /// Whether it was asked for, and not only imported.
    pub is_main: bool,
    /// Whether it is part of the prelude.
    pub in_prelude: bool,
    /// What it declares.
    pub doc: FileDoc,
}

/// A name that is documented.
pub struct Name {
    /// The name: `m.f`.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The file.
    pub file: String,
    /// Where it is documented.
    pub address: Address,
}

/// What is documented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// What it is called.
    pub title: String,
    /// The programs, without `.fut`.
    pub programs: Vec<String>,
    /// The folder that the names of pages are relative to.
    pub folder: String,
    /// Whether the prelude is asked for.
    pub prelude: bool,
}

/// The files of a documentation, with their contents; none if the programs are wrong.
pub fn site(files: &dyn Files, wanted: &Wanted) -> (Outcome, Option<Vec<(String, String)>>) {
    // One program that imports all: then every name has one meaning.
    let mut text = String::new();
    let imported = wanted.programs.iter().cloned();
    let of_prelude = prelude::files().filter(|_| wanted.prelude);
    let of_prelude = of_prelude.map(|(name, _)| format!("/prelude/{name}"));
    let of_prelude = of_prelude.filter(|name| name != "/prelude/intrinsics");
    for (index, name) in imported.chain(of_prelude).enumerate() {
        let _ = writeln!(text, "module file_{index} = import \"{name}\"");
    }
    let root = Root::Bytes("documentation".to_owned(), text.into_bytes());
    let outcome = fehu_driver::check::check(files, &root, Warnings::Hide);
    if outcome.exit != Exit::Success {
        return (outcome, None);
    }
    let mut links = Links::new(&outcome.program);
    let mut documented = Vec::new();
    for (index, file) in outcome.loaded.files.iter().enumerate() {
        if Some(index) == outcome.loaded.root || model::is_ignored(file.ast.doc.as_ref()) {
            continue;
        }
        let is_main = match file.in_prelude {
            true => wanted.prelude,
            false => wanted.programs.contains(&file.key),
        };
        let path = match file.key.strip_prefix(&wanted.folder) {
            Some(inside) if !wanted.folder.is_empty() => inside.trim_start_matches('/').to_owned(),
            Some(_) | None => file.key.trim_start_matches('/').replace("../", ""),
        };
        let doc = model::file(index, file, &outcome.program, &outcome.sources);
        let (page, source) = (format!("{path}.html"), format!("{path}.fut.html"));
        links.add(&doc, file.id, &page);
        let title = if file.in_prelude { file.key.clone() } else { path };
        let (id, in_prelude) = (file.id, file.in_prelude);
        documented.push(SiteFile { id, title, page, source, is_main, in_prelude, doc });
    }
    documented.sort_by(|a, b| {
        (!a.is_main, a.in_prelude, &a.title).cmp(&(!b.is_main, b.in_prelude, &b.title))
    });
    let title = wanted.title.clone();
    let site = Site { title, sources: &outcome.sources, files: documented, links };
    let made = site.contents();
    (outcome, Some(made))
}

impl Site<'_> {
    fn contents(&self) -> Vec<(String, String)> {
        let mut made = vec![
            (pages::INDEX.to_owned(), pages::index_page(self)),
            (pages::NAMES.to_owned(), pages::names_page(self)),
            ("style.css".to_owned(), format!("{}{}", fehu_page::STYLE, include_str!("style.css"))),
            ("search.js".to_owned(), include_str!("search.js").to_owned()),
            ("names.js".to_owned(), format!("var NAMES = {};\n", self.index())),
            ("names.json".to_owned(), format!("{}\n", self.index())),
        ];
        for file in &self.files {
            made.push((file.page.clone(), pages::file_page(self, file)));
            made.push((file.source.clone(), pages::source_page(self, file)));
        }
        made
    }

    /// All names that are documented, in the order of the files.
    pub fn names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        for file in &self.files {
            collect(&file.doc.items, file, "", &mut names);
        }
        names
    }

    /// All names for the search box: the name, what it is, its address, and the file.
    fn index(&self) -> serde_json::Value {
        let row = |name: Name| {
            json!([name.name, name.kind.name(), name.address.from(pages::INDEX), name.file])
        };
        self.names().into_iter().map(row).collect()
    }
}

fn collect(items: &[Item], file: &SiteFile, inside: &str, names: &mut Vec<Name>) {
    for item in items.iter().filter(|item| !item.name.is_empty()) {
        let name = format!("{inside}{}", item.name);
        let anchor = links::anchor(item, inside);
        let address = Address { page: file.page.clone(), anchor };
        collect(&item.children, file, &format!("{name}."), names);
        names.push(Name { name, kind: item.kind, file: file.title.clone(), address });
    }
}
