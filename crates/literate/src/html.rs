//! A literate program as one page that needs nothing else: pictures, films and sound are inside of it.

use crate::{Form, Part, Shown};
use fehu_base::markup::escape;
use fehu_media::base64;
use fehu_page::{STYLE, code, page, plain_markdown};
use std::fmt::Write;

/// The whole page.
pub fn html(parts: &[Part], name: &str) -> String {
    let parts_of_body: String = parts.iter().map(part).collect();
    let body = format!("<main>\n{parts_of_body}</main>\n");
    page(&title(parts, name), &format!("<style>\n{STYLE}{OWN_STYLE}</style>\n"), &body)
}

/// A part, to stand in a page.
pub fn part(part: &Part) -> String {
    match part {
        Part::Text(text) => plain_markdown(text, 0),
        Part::Code(text) if text.trim().is_empty() => String::new(),
        Part::Code(text) => {
            let text = code(text.trim_matches('\n').trim_end());
            format!("<pre class=\"code\"><code>{text}</code></pre>\n")
        }
        Part::Shown { directive, result } => {
            let mut out = String::from("<figure>\n");
            if let Some(echo) = directive.echoed() {
                let _ = writeln!(out, "<pre class=\"echo\"><code>{}</code></pre>", code(echo));
            }
            match result {
                Ok(shown) => result_of(&mut out, shown),
                Err(why) => {
                    let (line, why) = (directive.line, escape(why.trim_end()));
                    let _ = writeln!(
                        out,
                        "<pre class=\"failed\"><code><strong>Line {line} failed.</strong>\n{why}</code></pre>"
                    );
                }
            }
            out.push_str("</figure>\n");
            out
        }
    }
}

/// The first heading, or the name of the program.
fn title(parts: &[Part], name: &str) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text),
        Part::Code(_) | Part::Shown { .. } => None,
    });
    let heading = texts.flat_map(|text| text.lines()).find_map(|line| line.strip_prefix("# "));
    heading.map_or_else(|| name.to_owned(), |heading| heading.replace('`', ""))
}

fn result_of(out: &mut String, shown: &Shown) {
    let Shown { form, file, contents } = shown;
    let text = || String::from_utf8_lossy(contents);
    let address = || format!("data:{};base64,{}", media_type(file), base64(contents));
    let _ = match form {
        Form::Text => {
            let text = escape(text().trim_end_matches('\n'));
            writeln!(out, "<pre class=\"result\"><code>{text}</code></pre>")
        }
        Form::Table => writeln!(out, "{}", plain_markdown(&text(), 0)),
        Form::Plot => writeln!(out, "{}", text()),
        Form::Picture => writeln!(out, "<img alt=\"\" src=\"{}\"/>", address()),
        Form::Film { repeats, autoplay } => {
            let repeats = if *repeats { " loop=\"\"" } else { "" };
            let autoplay = if *autoplay { " autoplay=\"\" muted=\"\"" } else { "" };
            let address = address();
            writeln!(out, "<video src=\"{address}\" controls=\"\"{repeats}{autoplay}></video>")
        }
        Form::Sound => writeln!(out, "<audio src=\"{}\" controls=\"\"></audio>", address()),
    };
}

fn media_type(file: &str) -> String {
    match file.rsplit_once('.').map(|(_, end)| end) {
        Some("svg") => "image/svg+xml".to_owned(),
        Some("gif") => "image/gif".to_owned(),
        Some(end @ ("webm" | "mp4")) => format!("video/{end}"),
        Some(end @ ("wav" | "ogg" | "flac" | "aac")) => format!("audio/{end}"),
        Some("mp3") => "audio/mpeg".to_owned(),
        Some(_) | None => "image/png".to_owned(),
    }
}

/// What only these pages have.
const OWN_STYLE: &str = "\
figure { margin: 1.2em 0; }
figure > pre { margin: 0; }
figure > pre.echo { border-color: transparent; background: none; padding: 0 0 .4rem; color: var(--soft); }
figure > pre.echo code::before { content: \"> \"; }
figure > pre.result { border-left: 3px solid var(--accent); }
figure > pre.failed { border-color: var(--wr); color: var(--wr); white-space: pre-wrap; }
figure > img { image-rendering: auto; border-radius: 4px; }
";
