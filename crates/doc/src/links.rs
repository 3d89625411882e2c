//! Where names lead: from a use to the declaration's place on its page.

use crate::model::{FileDoc, Item, Kind};
use fehu_base::{FileId, Span};
use fehu_check::program::{Program, Target};
use std::collections::BTreeMap;

/// An address in the documentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The page, from the top folder.
    pub page: String,
    /// The place on it; may be empty.
    pub anchor: String,
}

impl Address {
    /// The address, as seen from a page.
    pub fn from(&self, page: &str) -> String {
        let anchor = match self.anchor.is_empty() {
            true => String::new(),
            false => format!("#{}", encode(&self.anchor)),
        };
        if self.page == page {
            return if anchor.is_empty() { file_name(page).to_owned() } else { anchor };
        }
        format!("{}{}{anchor}", up(page), encode(&self.page))
    }
}

/// From a page to the top folder.
pub fn up(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

fn file_name(page: &str) -> &str {
    page.rsplit('/').next().unwrap_or(page)
}

/// Signs that mean something in addresses.
fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b':' | b'\'' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// All that can be linked to.
#[derive(Default)]
pub struct Links {
    /// From the place of a declared name to its address.
    declared: BTreeMap<(FileId, u32), Address>,
    /// From the place of a used name to that of its declaration.
    used: BTreeMap<(FileId, u32), Span>,
    /// From a name space, a file and a name (`m.f`) to its address.
    named: BTreeMap<(&'static str, FileId, String), Address>,
}

impl Links {
    /// Notes what all names of a program refer to.
    pub fn new(program: &Program) -> Links {
        let mut links = Links::default();
        let mut files: Vec<FileId> = program.files.keys().copied().collect();
        files.sort();
        for file in files {
            for mention in &program.files[&file].mentions {
                let target = match mention.target {
                    Target::Var(var) => program.vars[var].span,
                    Target::Type(span) | Target::ModType(span) => span,
                };
                if let Some(target) = target {
                    links.used.insert((mention.span.file, mention.span.start), target);
                }
            }
        }
        links
    }

    /// Notes where the declarations of a file are documented.
    pub fn add(&mut self, file: &FileDoc, id: FileId, page: &str) {
        self.items(&file.items, id, page, "");
    }

    fn items(&mut self, items: &[Item], id: FileId, page: &str, inside: &str) {
        for item in items.iter().filter(|item| !item.name.is_empty()) {
            let name = format!("{inside}{}", item.name);
            let address = Address { page: page.to_owned(), anchor: anchor(item, inside) };
            self.named.insert((item.kind.space(), id, name.clone()), address.clone());
            self.declared.insert((item.place.file, item.place.start), address);
            self.items(&item.children, id, page, &format!("{name}."));
        }
    }

    /// Where a name leads that is written at this place.
    pub fn at(&self, file: FileId, start: usize) -> Option<&Address> {
        let place = (file, start as u32);
        let target = self.used.get(&place)?;
        self.declared.get(&(target.file, target.start))
    }

    /// Where a name leads that a comment of a file mentions: to that file, or to one of the others, in their order.
    pub fn named(&self, files: &[FileId], name: &str, space: Option<&str>) -> Option<&Address> {
        let space = |candidate: &&str| space.is_none_or(|wanted| wanted == *candidate);
        let spaces = || ["term", "type", "mtype"].into_iter().filter(space);
        files
            .iter()
            .flat_map(|file| spaces().map(move |space| (space, *file, name.to_owned())))
            .find_map(|key| self.named.get(&key))
    }
}

/// The anchor of a declaration: `term:m.f`.
pub fn anchor(item: &Item, inside: &str) -> String {
    let space = match item.kind {
        Kind::ModuleType => "modtype",
        Kind::Value | Kind::Entry | Kind::Type | Kind::Module | Kind::Open => item.kind.space(),
    };
    format!("{space}:{inside}{}", item.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative() {
        let address =
            |page: &str, anchor: &str| Address { page: page.into(), anchor: anchor.into() };
        assert_eq!(address("a/b.html", "term:<=").from("a/c.html"), "../a/b.html#term:%3C%3D");
        assert_eq!(address("a/b.html", "type:t").from("a/b.html"), "#type:t");
        assert_eq!(address("b.html", "").from("b.html"), "b.html");
        assert_eq!(address("b c.html", "").from("d.html"), "b%20c.html");
    }
}
