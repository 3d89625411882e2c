//! What a directive depends on: the declarations that its names can lead to.
//!
//! A result is computed again only if something changes that it depends on. Which declarations these are is found by words
//! alone: a declaration can use only what it mentions. So the declarations with the names of the directive are taken, then
//! those whose names occur in them, and so on; `open` and `import` give names to all, and are always taken, with all of the
//! files that are imported.

use fehu_base::id::Id;
use fehu_base::{FileId, hash, stack};
use fehu_driver::check::Outcome;
use fehu_syntax::ast::{self, Dec, DecKind};
use fehu_syntax::lexeme::{Class, lexemes};
use std::collections::BTreeSet;

/// The declarations of a program.
pub struct Reach {
    declarations: Vec<Declaration>,
    /// The names of values among them.
    values: Vec<String>,
    /// All other files, which count as a whole.
    others: String,
}

struct Declaration {
    /// The names that it declares; none if they cannot be told.
    names: Vec<String>,
    /// Its words, without comments and blanks.
    words: Vec<String>,
}

impl Reach {
    /// The declarations of a checked program.
    pub fn new(outcome: &Outcome) -> Reach {
        let loaded = &outcome.loaded;
        let (mut declarations, mut values) = (Vec::new(), Vec::new());
        let mut others = String::new();
        for (index, file) in loaded.files.iter().enumerate().filter(|(_, file)| !file.in_prelude) {
            let text = &outcome.sources.file(file.id).text;
            if Some(index) != loaded.root {
                others.push_str(&words(text).join(" "));
                others.push('\n');
                continue;
            }
            values = self::values(&file.ast);
            for dec in &file.ast.decs {
                let span = dec.span;
                let own = text.get(span.start as usize..span.end as usize).unwrap_or_default();
                declarations.push(Declaration { names: names(dec), words: words(own) });
            }
        }
        Reach { declarations, values, others }
    }

    /// A digest of all that these names can lead to.
    pub fn digest(&self, names: &[String]) -> String {
        let mut wanted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let mut taken = vec![false; self.declarations.len()];
        // What is declared before is used after; but modules may be in any order inside of one another, so until nothing
        // changes. Each round takes a declaration.
        loop {
            let next = self.declarations.iter().enumerate().find(|(index, dec)| {
                let used = dec.names.iter().any(|name| wanted.contains(name.as_str()));
                !taken[*index] && (used || dec.names.is_empty())
            });
            let Some((index, dec)) = next else { break };
            taken[index] = true;
            wanted.extend(dec.words.iter().map(String::as_str));
        }
        let reached = self.declarations.iter().zip(&taken).filter(|(_, taken)| **taken);
        let reached: Vec<String> = reached.map(|(dec, _)| dec.words.join(" ")).collect();
        let parts = reached.iter().map(String::as_bytes);
        hash::digest(parts.chain([self.others.as_bytes()]))
    }

    /// Whether the program declares a value of this name, which can be an entry point.
    pub fn declares(&self, name: &str) -> bool {
        self.values.iter().any(|other| other == name)
    }
}

/// The names of the values that a program's own file declares, which can be entry points.
pub fn values(file: &ast::File) -> Vec<String> {
    let value = |dec: &Dec| match &dec.kind {
        DecKind::Val(bind) => Some(bind.name.name.to_string()),
        DecKind::Type(_)
        | DecKind::Module(_)
        | DecKind::ModuleType(_)
        | DecKind::Local(_)
        | DecKind::Open(_)
        | DecKind::Import(..)
        | DecKind::Error => None,
    };
    file.decs.iter().filter_map(value).collect()
}

fn names(dec: &Dec) -> Vec<String> {
    match &dec.kind {
        DecKind::Val(bind) => vec![bind.name.name.to_string()],
        DecKind::Type(bind) => vec![bind.name.name.to_string()],
        DecKind::Module(bind) => vec![bind.name.name.to_string()],
        DecKind::ModuleType(bind) => vec![bind.name.name.to_string()],
        DecKind::Local(inner) => stack::with_large_stack(|| names(inner)),
        DecKind::Open(_) | DecKind::Import(..) | DecKind::Error => Vec::new(),
    }
}

fn words(text: &str) -> Vec<String> {
    let all = lexemes(FileId::from_index(0), text);
    let own = all.into_iter().filter(|lexeme| lexeme.class != Class::Comment);
    own.flat_map(|lexeme| {
        let word = text.get(lexeme.span.range()).unwrap_or_default();
        // `m.+` is one word to the lexer, and names the module, too.
        let parts: Vec<String> = match (lexeme.class, word.rsplit_once('.')) {
            (Class::Operator, Some((path, last))) if !path.is_empty() => {
                path.split('.').chain([last]).map(str::to_owned).collect()
            }
            _ => vec![word.to_owned()],
        };
        parts
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_driver::check::{Warnings, check};
    use fehu_driver::files::Memory;
    use fehu_driver::load::Root;

    fn digest(text: &str, names: &[&str]) -> String {
        let files = Memory::new([("a.fut", text), ("b.fut", "def other = 1i32")]);
        let outcome = check(&files, &Root::Path("a.fut".to_owned()), Warnings::Hide);
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Reach::new(&outcome).digest(&names)
    }

    const PROGRAM: &str = "def a = 1i64\ndef b = a + 1\nmodule m = { def (+) (x: i64) y = x i64.+ b }\n\
        def c = 1i64 m.+ 2\ndef d = 3i64";

    #[test]
    fn what_is_not_reached_does_not_matter() {
        let change = |from: &str, to: &str| PROGRAM.replace(from, to);
        let before = |names: &[&str]| digest(PROGRAM, names);
        assert_eq!(digest(&change("3i64", "4i64"), &["b"]), before(&["b"]));
        assert_eq!(digest(&change("def d", "-- note\n\ndef d"), &["d"]), before(&["d"]));
        assert_ne!(digest(&change("1i64\n", "2i64\n"), &["b"]), before(&["b"]));
        // Through a module, and by way of an operator.
        assert_ne!(digest(&change("1i64\n", "2i64\n"), &["c"]), before(&["c"]));
        assert_eq!(digest(&change("1i64\n", "2i64\n"), &["d"]), before(&["d"]));
    }

    #[test]
    fn what_is_imported_matters() {
        let with = format!("open import \"b\"\n{PROGRAM}");
        assert_ne!(digest(&with, &["d"]), digest(PROGRAM, &["d"]));
    }
}
