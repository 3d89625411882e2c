//! A page in Markdown, as text and blocks.
//!
//! | the fence says | the block is |
//! | --- | --- |
//! | `futhark` | a program that the checker has nothing to say about |
//! | `futhark run` | such a program, with examples (`-- >>> expression` and the answer) or test blocks (`-- ==`) |
//! | `futhark error=CODE` | a program that is refused; the block after it, `text`, is the message |
//! | `console` | commands after `$ `, and what they print |
//! | `c`, `rust` | a file that is used by a session, or an included one that is tested elsewhere |
//! | `python` | run by the tests of the Python package |
//! | `text`, `toml` and so on | only to be read |
//!
//! `file=NAME` after any of them puts the block into the folder in which the sessions of the page run. A block that is
//! not checked has a comment in the line before it that says why: `<!-- not run: it needs a GPU -->`. The only line of
//! a block may be `{{#include PATH}}`.

use regex_lite::Regex;
use std::fmt;
use std::path::Path;

/// A page.
pub(super) struct Page {
    pub(super) name: String,
    pub(super) parts: Vec<Part>,
}

/// A part of a page.
pub(super) enum Part {
    /// Text, with its line breaks.
    Text(String),
    Block(Block),
}

/// A fenced block.
pub(super) struct Block {
    /// What stands after the fence.
    info: String,
    /// What is between the fences, as it is written.
    pub(super) body: String,
    /// Its first line in the page, from 1.
    pub(super) line: usize,
    pub(super) kind: Kind,
    /// The name under which sessions find it.
    pub(super) file: Option<String>,
    /// The folder of the page, which includes are relative to.
    folder: String,
}

/// What is done with a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It must be accepted.
    Program,
    /// It must be accepted, and what it says about its values must be so.
    Examples,
    /// It must be refused for this reason.
    Refused(String),
    /// Commands and what they print.
    Session,
    /// Nothing.
    Plain,
}

impl Page {
    /// Reads a page. What cannot be meant is a failure of the test.
    pub(super) fn parse(name: &str, text: &str) -> Page {
        let folder =
            Path::new(name).parent().map_or(String::new(), |path| path.display().to_string());
        let mut parts = Vec::new();
        let mut words = String::new();
        let mut lines = text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            let Some(info) = line.strip_prefix("```") else {
                assert!(
                    !line.trim_start().starts_with("```"),
                    "{name}:{}: a fence begins in the first column",
                    number + 1
                );
                words.push_str(line);
                words.push('\n');
                continue;
            };
            let mut body = String::new();
            loop {
                let (_, line) = lines
                    .next()
                    .unwrap_or_else(|| panic!("{name}:{}: the block has no end", number + 1));
                if line == "```" {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            let excused =
                words.lines().last().is_some_and(|line| line.starts_with("<!-- not run: "));
            let place = format!("{name}:{}", number + 1);
            let mut block = Block::new(&place, info, body, excused);
            block.line = number + 1;
            block.folder.clone_from(&folder);
            parts.push(Part::Text(std::mem::take(&mut words)));
            parts.push(Part::Block(block));
        }
        parts.push(Part::Text(words));
        Page { name: name.to_owned(), parts }
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.parts.iter().filter_map(|part| match part {
            Part::Block(block) => Some(block),
            Part::Text(_) => None,
        })
    }

    /// The programs with test blocks.
    pub(super) fn with_cases(&self) -> impl Iterator<Item = String> {
        let run = self.blocks().filter(|block| block.kind == Kind::Examples);
        run.map(Block::contents)
            .filter(|text| text.contains("\n-- ==\n") || text.starts_with("-- ==\n"))
    }

    /// Where links lead, except to other sites and within the page.
    pub(super) fn links(&self) -> Vec<String> {
        let link =
            Regex::new(r#"(?:\]\(|(?:src|href)=")([^)#"\s]+)[^)"]*[)"]"#).expect("it is a pattern");
        let mut found = Vec::new();
        for part in &self.parts {
            let Part::Text(text) = part else { continue };
            // What is between backticks is no link.
            let plain: String = text.split('`').step_by(2).collect();
            let targets = link.captures_iter(&plain).map(|caught| caught[1].to_owned());
            found.extend(targets.filter(|target| !target.contains("://")));
        }
        found
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Block(block) => write!(f, "```{}\n{}```\n", block.info, block.body)?,
            }
        }
        Ok(())
    }
}

impl Block {
    fn new(place: &str, info: &str, body: String, excused: bool) -> Block {
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or_else(|| panic!("{place}: a block says what it is"));
        let (mut file, mut run, mut code) = (None, false, None);
        for word in words {
            match word.split_once('=') {
                Some(("file", name)) => file = Some(name.to_owned()),
                Some(("error", name)) => code = Some(name.to_owned()),
                None if word == "run" => run = true,
                _ => panic!("{place}: `{word}` is not known"),
            }
        }
        let included = body.starts_with("{{#include ");
        let kind = match (language, excused) {
            (_, true) => Kind::Plain,
            ("futhark", _) => match (code, run) {
                (Some(code), _) => Kind::Refused(code),
                (None, true) => Kind::Examples,
                (None, false) => Kind::Program,
            },
            ("console", _) => Kind::Session,
            ("c" | "rust", _) => {
                assert!(
                    file.is_some() || included,
                    "{place}: a block that nobody compiles says why"
                );
                Kind::Plain
            }
            ("python" | "text" | "json" | "toml" | "lua" | "elisp" | "sh", _) => Kind::Plain,
            _ => panic!("{place}: `{language}` is not known"),
        };
        Block { info: info.to_owned(), body, line: 0, kind, file, folder: String::new() }
    }

    /// The text of the block, or that of the file that it includes.
    pub(super) fn contents(&self) -> String {
        let Some(path) = self.body.strip_prefix("{{#include ") else { return self.body.clone() };
        let path = path.trim_end().trim_end_matches("}}");
        let place = crate::common::repository().join("docs/book/src").join(&self.folder).join(path);
        std::fs::read_to_string(&place).unwrap_or_else(|why| panic!("{}: {why}", place.display()))
    }
}
