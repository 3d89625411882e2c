//! A report as one HTML page, which needs nothing from elsewhere: the source with the notes beside its lines, and the
//! dataflow of each entry point before and after optimisation.

use super::flow::Flow;
use super::model::{FileNotes, NoteKind, Report};
use super::svg::{Anchor, svg};
use super::text::{by_line, summary};
use fehu_ir::Loc;
use std::fmt::Write;

/// The whole page.
pub fn html(report: &Report) -> String {
    let title = escape(&report.program);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width\"/>\n\
         <title>{title}: report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<ul class=\"summary\">\n"
    );
    for (what, number) in summary(report) {
        let _ = writeln!(out, "<li>{what}: {}</li>", escape(&number));
    }
    out.push_str("</ul>\n");
    legend(&mut out);
    for (index, file) in report.files.iter().enumerate() {
        source(&mut out, index, file);
    }
    if !report.elsewhere.is_empty() {
        out.push_str("<h2>Without a location in the source</h2>\n<ul>\n");
        for note in &report.elsewhere {
            let _ = writeln!(out, "<li class=\"{}\">{}</li>", note.kind.name(), escape(&note.text));
        }
        out.push_str("</ul>\n");
    }
    if !report.entries.is_empty() {
        out.push_str(TIP);
    }
    for entry in &report.entries {
        let name = escape(&entry.name);
        let _ = writeln!(out, "<h2>Dataflow of <code>{name}</code></h2>\n<div class=\"flows\">");
        picture(&mut out, report, "before", &entry.before);
        picture(&mut out, report, "after", &entry.after);
        out.push_str("</div>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// Text that means itself in HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Others than these are not allowed in pages.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn legend(out: &mut String) {
    let kinds = [
        (NoteKind::Done, "optimised"),
        (NoteKind::Missed, "could not be optimised"),
        (NoteKind::Made, "creates an array in memory"),
        (NoteKind::Copy, "copies an array"),
        (NoteKind::Memory, "uses the most memory"),
        (NoteKind::Layout, "stores an array in another order"),
        (NoteKind::Check, "is checked at run time"),
        (NoteKind::Nest, "is repeated at each position of another operator"),
    ];
    out.push_str("<ul class=\"legend\">\n");
    for (kind, words) in kinds {
        let _ = writeln!(out, "<li class=\"{}\">{words}</li>", kind.name());
    }
    out.push_str("</ul>\n");
}

fn source(out: &mut String, index: usize, file: &FileNotes) {
    let _ = writeln!(out, "<h2>{}</h2>\n<table>\n<tbody>", escape(&file.name));
    let mut notes = by_line(&file.notes).peekable();
    for (number, line) in (1..).zip(&file.lines) {
        let _ = write!(
            out,
            "<tr id=\"{}\"><th>{number}</th><td><pre>{}</pre></td><td>",
            id(index, number),
            escape(line)
        );
        while let Some((_, notes)) = notes.next_if(|(at, _)| *at <= number) {
            out.push_str("<ul>");
            for note in notes {
                let _ =
                    write!(out, "<li class=\"{}\">{}</li>", note.kind.name(), escape(&note.text));
            }
            out.push_str("</ul>");
        }
        out.push_str("</td></tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
}

fn picture(out: &mut String, report: &Report, when: &str, flow: &Flow) {
    let anchor = |loc: &Loc| {
        let place = loc.place()?;
        let file = report.files.iter().position(|file| file.name == place.file)?;
        let text = match file {
            0 => format!("line {}", place.line),
            _ => format!("{}:{}", place.file, place.line),
        };
        Some(Anchor { link: format!("#{}", id(file, place.line)), text })
    };
    let _ = writeln!(out, "<figure>\n<figcaption>{when}</figcaption>");
    match svg(flow, &anchor) {
        Some(text) => {
            let _ = write!(out, "<div class=\"scroll\">\n{text}</div>\n");
        }
        None => {
            let count = flow.nodes.len();
            let _ = writeln!(out, "<p>The graph has {count} nodes, too many to draw.</p>");
        }
    }
    out.push_str("</figure>\n");
}

/// The name of a line in the page.
fn id(file: usize, line: usize) -> String {
    format!("f{file}l{line}")
}

/// The tip of all arrows of the page.
const TIP: &str = "<svg width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\
<marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
<path class=\"tip\" d=\"M0 0L8 4L0 8Z\"/></marker></defs></svg>\n";

const STYLE: &str = "\
:root { color-scheme: light dark; --back: #fff; --text: #1c1e21; --soft: #6a737d; --rule: #d8dee4; --box: #f6f8fa;
  --done: #1a7f37; --missed: #cf222e; --made: #0969a8; --check: #9a6700; --operator: #ddf4e4; --control: #eee6fa; --data: #e4eefa; }
@media (prefers-color-scheme: dark) { :root { --back: #15181c; --text: #e3e6ea; --soft: #8d96a0; --rule: #343b43;
  --box: #20252b; --done: #4cc267; --missed: #ff7b72; --made: #6cb6ff; --check: #e0b040; --operator: #1b3d27;
  --control: #342a4d; --data: #1d3350; } }
body { background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 110em; padding: 0 1.5em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; width: 100%; }
tr:target { background: var(--box); }
th { color: var(--soft); font: 13px monospace; text-align: right; padding: 0 0.8em; vertical-align: top; width: 1%; user-select: none; }
td { vertical-align: top; padding: 0 1em 0 0; } td:last-child { border-left: 1px solid var(--rule); padding-left: 1em; width: 45%; }
pre { margin: 0; font: 13px/1.5 monospace; white-space: pre-wrap; }
ul { margin: 0; padding: 0; list-style: none; font-size: 13px; } .summary { font-size: 15px; }
.legend { margin: 1em 0; } .legend li { display: inline; margin-right: 1.5em; }
li.done { color: var(--done); } li.done::before { content: '+ '; }
li.missed { color: var(--missed); } li.missed::before { content: '\\2212  '; }
li.made { color: var(--made); } li.made::before { content: '= '; }
li.check { color: var(--check); } li.check::before { content: '? '; }
li.copy { color: var(--made); } li.copy::before { content: '* '; }
li.memory { color: var(--made); } li.memory::before { content: '^ '; }
li.layout { color: var(--made); } li.layout::before { content: '% '; }
li.nest { color: var(--made); } li.nest::before { content: '~ '; }
.flows { display: flex; flex-wrap: wrap; gap: 2em; align-items: flex-start; }
figure { margin: 0; min-width: 0; max-width: 100%; } figcaption { color: var(--soft); }
.scroll { overflow: auto; max-height: 60em; border: 1px solid var(--rule); border-radius: 6px; }
.flow text { fill: var(--text); font: 600 13px system-ui, sans-serif; text-anchor: middle; }
.flow text.place { fill: var(--soft); font-weight: 400; font-size: 12px; }
.flow rect { fill: var(--box); stroke: var(--rule); }
.flow g.operator > rect, .flow g.operator > a > rect { fill: var(--operator); stroke: var(--done); }
.flow g.control > rect, .flow g.control > a > rect { fill: var(--control); stroke: var(--soft); }
.flow g.data > rect, .flow g.data > a > rect { fill: var(--data); }
.flow path { fill: none; stroke: var(--soft); stroke-width: 1.6; } .flow path.scalar { stroke-dasharray: 4 4; stroke-width: 1; }
path.tip { fill: var(--soft); }
.flow path:hover { stroke: var(--made); stroke-width: 3; }
";

/// Whether every tag is closed, in order, and every attribute is quoted: for tests. Says where it is not.
#[cfg(test)]
pub(crate) fn well_formed(page: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find(['<', '>']) {
        let near = || rest[start..].chars().take(60).collect::<String>();
        let (Some(after), Some(end)) = (rest[start..].strip_prefix('<'), rest[start..].find('>'))
        else {
            return Err(format!("a bracket without a partner: {}", near()));
        };
        let tag = &after[..end - 1];
        rest = &rest[start + end + 1..];
        if tag.starts_with('!') || tag.ends_with('/') {
            continue;
        }
        if tag.contains('<') || tag.matches('"').count() % 2 != 0 {
            return Err(format!("a tag that does not end: <{tag}>"));
        }
        match tag.strip_prefix('/') {
            Some(name) => match open.pop() {
                Some(last) if last == name => {}
                last => return Err(format!("</{name}> closes {last:?}")),
            },
            None => {
                let name = tag.split_whitespace().next().unwrap_or("");
                open.push(name);
                if name == "style" {
                    // Its text has brackets of its own.
                    rest = &rest[rest.find("</style>").unwrap_or(rest.len())..];
                }
            }
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("still open: {open:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checker_finds_what_is_not_closed() {
        assert_eq!(well_formed("<!DOCTYPE html><a b=\"c\"><d/>&lt;</a>"), Ok(()));
        for wrong in ["<a>", "<a></b>", "</a>", "<a><b></a></b>", "<a", "a > b", "<a b=\"></a>"] {
            assert!(well_formed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn text_means_itself() {
        assert_eq!(escape("a<b && \"c\"\u{1}"), "a&lt;b &amp;&amp; &quot;c&quot;\u{fffd}");
    }
}
