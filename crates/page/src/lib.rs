//! Pages: what literate programs and documentation have in common when they become HTML.
//!
//! Pages need nothing from elsewhere, neither fonts nor scripts, follow the reader's choice of light or dark, and can be read on
//! a phone.
//!
//! - [`code`]: programs with colours, and links where the caller knows of any;
//! - [`markdown`]: comments, which are in Markdown;
//! - [`page`]: the whole of a page, with the style sheet [`STYLE`].

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

use fehu_base::id::Id;
use fehu_base::markup::escape;
use fehu_base::{FileId, Prim};
use fehu_syntax::lexeme::{Class, lexemes};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::fmt::Write;

/// What all pages look like.
pub const STYLE: &str = include_str!("style.css");

/// A page with this title, further elements of its head, and this body.
pub fn page(title: &str, head: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <title>{}</title>\n{head}</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// A program with colours, as the contents of `<pre>`.
pub fn code(text: &str) -> String {
    code_with(text, &mut |_| None)
}

/// Likewise. A word for which there is an address becomes a link; the function gets its first byte.
pub fn code_with(text: &str, link: &mut dyn FnMut(usize) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut at = 0;
    for lexeme in lexemes(FileId::from_index(0), text) {
        let (start, end) = (lexeme.span.start as usize, lexeme.span.end as usize);
        let (Some(before), Some(word)) = (text.get(at..start), text.get(start..end)) else {
            continue;
        };
        out.push_str(&escape(before));
        at = end;
        let class = class(lexeme.class, word);
        let shown = escape(word);
        let _ = match (link(start), class) {
            (Some(address), class) => {
                let (class, address) = (class.unwrap_or("nm"), escape(&address));
                write!(out, "<a class=\"{class}\" href=\"{address}\">{shown}</a>")
            }
            (None, None) => write!(out, "{shown}"),
            (None, Some(class)) => write!(out, "<span class=\"{class}\">{shown}</span>"),
        };
    }
    out.push_str(&escape(text.get(at..).unwrap_or_default()));
    out
}

/// The name of a class in the style sheet; most of a program has the colour of the page.
fn class(class: Class, word: &str) -> Option<&'static str> {
    match class {
        Class::Keyword if matches!(word, "true" | "false") => Some("nu"),
        Class::Keyword => Some("kw"),
        Class::Name if Prim::from_name(word).is_some() => Some("pt"),
        Class::Constructor | Class::Character | Class::String => Some("st"),
        Class::Number => Some("nu"),
        Class::Comment => Some("co"),
        Class::Bad => Some("wr"),
        Class::Name | Class::Operator | Class::Punctuation => None,
    }
}

/// Where a word between backticks leads, if the caller knows: the word, and the name space written after it (`` `x`@term ``).
pub type Links<'a> = dyn FnMut(&str, Option<&str>) -> Option<String> + 'a;

/// Markdown as HTML. Fenced blocks of code without a language, and those in `futhark`, have colours. Headings are `shift` levels
/// below those that were written. HTML in the text is shown, not obeyed: pages come from anybody's comments.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the crate's events are its own; all that is not named here stays as it is"
)]
pub fn markdown(text: &str, shift: usize, links: &mut Links<'_>) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut events = Vec::new();
    let mut block: Option<String> = None;
    let mut name_space: Option<(usize, String)> = None;
    for event in Parser::new_ext(text, options) {
        // A name space follows its word directly.
        if let (Some((at, word)), Event::Text(next)) = (&name_space, &event) {
            let space = ["@term", "@type", "@mtype"].into_iter().find(|s| next.starts_with(s));
            let (at, word) = (*at, word.clone());
            if let Some(space) = space {
                events[at] = linked(&word, links(&word, Some(&space[1..])));
                let rest: String = next[space.len()..].to_owned();
                events.push(Event::Text(rest.into()));
                name_space = None;
                continue;
            }
        }
        name_space = None;
        match event {
            Event::Code(word) => {
                name_space = Some((events.len(), word.to_string()));
                let address = links(&word, None);
                events.push(linked(&word, address));
            }
            Event::Html(text) | Event::InlineHtml(text) => events.push(Event::Text(text)),
            Event::Start(Tag::HtmlBlock) => events.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => events.push(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::CodeBlock(ref kind)) if is_program(kind) => {
                block = Some(String::new());
            }
            Event::Text(part) if block.is_some() => {
                if let Some(text) = &mut block {
                    text.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) if block.is_some() => {
                let text = code(&block.take().unwrap_or_default());
                events.push(raw(format!("<pre class=\"code\"><code>{text}</code></pre>\n")));
            }
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                let level = lower(level as usize + shift);
                events.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::End(TagEnd::Heading(level)) => {
                events.push(Event::End(TagEnd::Heading(lower(level as usize + shift))));
            }
            other => events.push(other),
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out
}

/// Markdown without links of our own.
pub fn plain_markdown(text: &str, shift: usize) -> String {
    markdown(text, shift, &mut |_, _| None)
}

fn linked(word: &str, address: Option<String>) -> Event<'static> {
    let word = escape(word);
    raw(match address {
        Some(address) => format!("<a href=\"{}\"><code>{word}</code></a>", escape(&address)),
        None => format!("<code>{word}</code>"),
    })
}

fn raw(text: String) -> Event<'static> {
    Event::InlineHtml(CowStr::from(text))
}

fn lower(level: usize) -> pulldown_cmark::HeadingLevel {
    use pulldown_cmark::HeadingLevel::{H1, H2, H3, H4, H5, H6};
    match level {
        0 | 1 => H1,
        2 => H2,
        3 => H3,
        4 => H4,
        5 => H5,
        _ => H6,
    }
}

/// Whether a block is in our language; a fenced one that does not say is.
fn is_program(kind: &CodeBlockKind<'_>) -> bool {
    match kind {
        CodeBlockKind::Indented => false,
        CodeBlockKind::Fenced(info) => {
            let language = info.split([' ', ',']).next().unwrap_or_default();
            matches!(language, "" | "futhark" | "fut")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_colours() {
        let shown = code("def f (x: i64) = \"<\" -- a & b");
        assert_eq!(
            shown,
            "<span class=\"kw\">def</span> f (x: <span class=\"pt\">i64</span>) = \
             <span class=\"st\">&quot;&lt;&quot;</span> <span class=\"co\">-- a &amp; b</span>"
        );
        let linked = code_with("f x", &mut |at| (at == 0).then(|| "a#b".to_owned()));
        assert_eq!(linked, "<a class=\"nm\" href=\"a#b\">f</a> x");
    }

    #[test]
    fn comments_have_links_and_no_html() {
        let mut links = |word: &str, space: Option<&str>| {
            let space = space.unwrap_or("any");
            (word == "map").then(|| format!("{space}.html"))
        };
        let shown = markdown("See `map`, `map`@term and `x`. <b>&amp;</b>", 0, &mut links);
        assert_eq!(
            shown,
            "<p>See <a href=\"any.html\"><code>map</code></a>, \
             <a href=\"term.html\"><code>map</code></a> and <code>x</code>. &lt;b&gt;&amp;&lt;/b&gt;</p>\n"
        );
        let block = plain_markdown("# Title\n\n<script>x</script>\n\n```\ndef\n```", 1);
        assert!(block.starts_with("<h2>Title</h2>"), "{block}");
        assert!(block.contains("&lt;script&gt;"), "{block}");
        assert!(
            block.contains("<pre class=\"code\"><code><span class=\"kw\">def</span>"),
            "{block}"
        );
        assert!(plain_markdown("| a |\n|---|\n| 1 |", 0).contains("<table>"));
    }
}
