//! The pages: one for each file, its source, and an index.

use crate::examples::{Segment, segments};
use crate::links::{Address, anchor, up};
use crate::model::{FileDoc, Item, Kind, Signature};
use crate::{Site, SiteFile};
use fehu_base::markup::escape;
use fehu_base::{FileId, Span};
use fehu_page::{code, code_with, markdown, page};
use fehu_syntax::ast::Doc;
use std::fmt::Write;

/// A page for each file, with what it declares.
pub fn file_page(site: &Site<'_>, file: &SiteFile) -> String {
    let mut writer = Writer { site, file, out: String::new() };
    let title = &file.title;
    let _ = writeln!(
        writer.out,
        "<h1>{} <a class=\"source\" href=\"{}\">source</a></h1>",
        escape(title),
        Address { page: file.source.clone(), anchor: String::new() }.from(&file.page)
    );
    writer.doc(file.doc.doc.as_ref());
    writer.synopsis(&file.doc);
    writer.items(&file.doc.items, "");
    frame(site, &file.page, title, &writer.out)
}

/// The text of a file, with links from all names.
pub fn source_page(site: &Site<'_>, file: &SiteFile) -> String {
    let text = &site.sources.file(file.id).text;
    let code = linked(site, file.id, &file.source, text, 0);
    let mut out = format!(
        "<h1>{} <a class=\"source\" href=\"{}\">documentation</a></h1>\n<pre class=\"lines\"><code>",
        escape(&site.sources.file(file.id).name),
        Address { page: file.page.clone(), anchor: String::new() }.from(&file.source)
    );
    // No piece of a program is longer than a line.
    for (index, line) in code.lines().enumerate() {
        let number = index + 1;
        let _ = writeln!(
            out,
            "<span class=\"line\" id=\"L{number}\"><a class=\"ln\" href=\"#L{number}\">{number}</a>{line}</span>"
        );
    }
    out.push_str("</code></pre>\n");
    frame(site, &file.source, &format!("{}: source", file.title), &out)
}

/// The first page: all files, with the first paragraph of their comments.
pub fn index_page(site: &Site<'_>) -> String {
    let mut out = format!("<h1>{}</h1>\n", escape(&site.title));
    let groups = [
        ("Files", site.files.iter().filter(|file| file.is_main).collect::<Vec<_>>()),
        (
            "Imported files",
            site.files.iter().filter(|file| !file.is_main && !file.in_prelude).collect(),
        ),
        ("Prelude", site.files.iter().filter(|file| !file.is_main && file.in_prelude).collect()),
    ];
    for (heading, files) in groups.iter().filter(|(_, files)| !files.is_empty()) {
        let _ = writeln!(out, "<h2>{heading}</h2>\n<dl class=\"files\">");
        for file in files {
            let address = Address { page: file.page.clone(), anchor: String::new() };
            let _ = writeln!(
                out,
                "<dt><a href=\"{}\">{}</a></dt>\n<dd>",
                address.from(INDEX),
                escape(&file.title)
            );
            let mut writer = Writer { site, file, out: String::new() };
            let first = file.doc.doc.as_ref().and_then(|doc| doc.text.trim().split("\n\n").next());
            writer.markdown(first.unwrap_or_default(), INDEX, 4);
            out.push_str(&writer.out);
            out.push_str("</dd>\n");
        }
        out.push_str("</dl>\n");
    }
    let _ = writeln!(out, "<p><a href=\"{NAMES}\">All names</a></p>");
    frame(site, INDEX, &site.title, &out)
}

/// The first page, and that of all names.
pub const INDEX: &str = "index.html";
/// See [`INDEX`].
pub const NAMES: &str = "doc-index.html";

/// All names in the order of the alphabet.
pub fn names_page(site: &Site<'_>) -> String {
    let mut names = site.names();
    names.sort_by_key(|name| (name.name.to_lowercase(), name.address.page.clone()));
    let mut out = String::from("<h1>All names</h1>\n<table class=\"names\">\n");
    for name in names {
        let _ = writeln!(
            out,
            "<tr><td><a href=\"{}\"><code>{}</code></a></td><td>{}</td><td>{}</td></tr>",
            name.address.from(NAMES),
            escape(&name.name),
            name.kind.name(),
            escape(&name.file)
        );
    }
    out.push_str("</table>\n");
    frame(site, NAMES, "All names", &out)
}

/// What all pages have around them.
fn frame(site: &Site<'_>, own: &str, title: &str, body: &str) -> String {
    let up = up(own);
    let head = format!(
        "<link rel=\"stylesheet\" href=\"{up}style.css\"/>\n\
         <script defer=\"\" src=\"{up}names.js\"></script>\n<script defer=\"\" src=\"{up}search.js\"></script>\n"
    );
    let body = format!(
        "<header data-top=\"{up}\"><a href=\"{up}{INDEX}\">{}</a>\n\
         <input id=\"search\" type=\"search\" placeholder=\"Search names (press /)\" aria-label=\"Search names\" autocomplete=\"off\"/>\n\
         <ol id=\"found\" hidden=\"\"></ol></header>\n<main>\n{body}</main>\n",
        escape(&site.title)
    );
    page(title, &head, &body)
}

/// A program with links, as seen from a page. The text is a part of a file, from this byte on.
fn linked(site: &Site<'_>, file: FileId, own: &str, text: &str, start: usize) -> String {
    code_with(text, &mut |at| {
        let address = site.links.at(file, start + at)?;
        Some(address.from(own))
    })
}

struct Writer<'a> {
    site: &'a Site<'a>,
    file: &'a SiteFile,
    out: String,
}

impl Writer<'_> {
    /// The names of a file, for an overview.
    fn synopsis(&mut self, file: &FileDoc) {
        let items: Vec<&Item> = file.items.iter().filter(|item| !item.name.is_empty()).collect();
        if items.len() < 4 {
            return;
        }
        self.out.push_str("<nav class=\"synopsis\"><ul>\n");
        for item in items {
            let _ = writeln!(
                self.out,
                "<li><a href=\"{}\"><code>{}</code></a></li>",
                Address { page: self.file.page.clone(), anchor: anchor(item, "") }
                    .from(&self.file.page),
                escape(&item.name)
            );
        }
        self.out.push_str("</ul></nav>\n");
    }

    fn items(&mut self, items: &[Item], inside: &str) {
        let mut rest = items;
        while let [first, ..] = rest {
            // What has no comment of its own belongs to what is before it: a family of functions.
            let count = 1 + rest[1..]
                .iter()
                .take_while(|item| {
                    item.doc.is_none() && item.children.is_empty() && first.children.is_empty()
                })
                .count();
            let (family, others) = rest.split_at(count);
            rest = others;
            self.out.push_str("<section class=\"item\">\n");
            for item in family {
                self.signature(item, inside);
            }
            self.doc(first.doc.as_ref());
            if !first.children.is_empty() {
                self.out.push_str("<div class=\"inside\">\n");
                self.items(&first.children, &format!("{inside}{}.", first.name));
                self.out.push_str("</div>\n");
            }
            self.out.push_str("</section>\n");
        }
    }

    fn signature(&mut self, item: &Item, inside: &str) {
        let own = &self.file.page;
        let shown = match &item.signature {
            Signature::Written(span) => self.written(*span, item),
            Signature::Inferred(text) => code(text),
        };
        let line = self.site.sources.file(item.place.file).line_col(item.place.start).0;
        let source = Address { page: self.file.source.clone(), anchor: format!("L{line}") };
        let id = match item.kind {
            Kind::Open => String::new(),
            Kind::Value | Kind::Entry | Kind::Type | Kind::Module | Kind::ModuleType => {
                format!(" id=\"{}\"", escape(&anchor(item, inside)))
            }
        };
        let _ = writeln!(
            self.out,
            "<div class=\"sig\"{id}><a class=\"source\" href=\"{}\">source</a><code>{shown}</code></div>",
            source.from(own)
        );
    }

    /// What is written in the file, with its name in bold.
    fn written(&self, span: Span, item: &Item) -> String {
        let text = self.site.sources.text(span);
        let start = span.start as usize;
        let shown = |text: &str, at: usize| linked(self.site, span.file, &self.file.page, text, at);
        let name = (item.place.start as usize - start, item.place.end as usize - start);
        // Lines after the first begin where the declaration does.
        let column = self.site.sources.file(span.file).line_col(span.start).1 - 1;
        let whole = match (text.get(..name.0), text.get(name.0..name.1), text.get(name.1..)) {
            (Some(before), Some(own), Some(after)) if item.kind != Kind::Open => {
                let (before, after) = (shown(before, start), shown(after, start + name.1));
                format!("{before}<b>{}</b>{after}", escape(own))
            }
            _ => shown(text, start),
        };
        whole.replace(&format!("\n{}", " ".repeat(column)), "\n")
    }

    fn doc(&mut self, doc: Option<&Doc>) {
        let Some(doc) = doc else { return };
        let own = self.file.page.clone();
        for segment in segments(&doc.text) {
            match segment {
                Segment::Text(text) => self.markdown(&text, &own, 2),
                Segment::Example(example) => {
                    let input: Vec<&str> = example.input.lines().collect();
                    let answer = match example.answer.is_empty() {
                        true => String::new(),
                        false => format!("\n{}", escape(&example.answer)),
                    };
                    let _ = writeln!(
                        self.out,
                        "<pre class=\"example\"><code><span class=\"prompt\">&gt; </span>{}{answer}</code></pre>",
                        code(&input.join("\n  "))
                    );
                }
            }
        }
    }

    fn markdown(&mut self, text: &str, own: &str, shift: usize) {
        let (site, id) = (self.site, self.file.id);
        let mut files = vec![id];
        files.extend(site.files.iter().map(|file| file.id).filter(|other| *other != id));
        let mut links = |word: &str, space: Option<&str>| {
            site.links.named(&files, word, space).map(|address| address.from(own))
        };
        self.out.push_str(&markdown(text, shift, &mut links));
    }
}
