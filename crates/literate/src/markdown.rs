//! A literate program as Markdown, with its pictures in files beside it.

use crate::directive::Echo;
use crate::{Form, Part, Shown};
use std::fmt::Write;

/// The whole text. `folder` is where the files are, as seen from it.
pub fn markdown(parts: &[Part], folder: &str) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Text(text) => {
                let _ = writeln!(out, "{text}\n");
            }
            Part::Code(code) if code.trim().is_empty() => out.push('\n'),
            Part::Code(code) => {
                let _ = writeln!(out, "```futhark\n{}\n```\n", code.trim_matches('\n').trim_end());
            }
            Part::Shown { directive, result } => {
                if let Some(echo) = directive.echoed() {
                    let _ = writeln!(out, "```\n> {echo}\n```\n");
                }
                match result {
                    Err(why) => {
                        let _ = writeln!(out, "**FAILED**\n```\n{}\n```\n", why.trim_end());
                    }
                    Ok(shown) => result_of(&mut out, shown, folder),
                }
            }
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn result_of(out: &mut String, shown: &Shown, folder: &str) {
    let Shown { form, file, contents } = shown;
    let text = String::from_utf8_lossy(contents);
    let _ = match form {
        Form::Text => writeln!(out, "```\n{}\n```\n", text.trim_end_matches('\n')),
        Form::Table => writeln!(out, "{text}"),
        Form::Film { repeats, autoplay } => {
            let repeats = if *repeats { " loop" } else { "" };
            let autoplay = if *autoplay { " autoplay muted" } else { "" };
            writeln!(out, "<video src=\"{folder}/{file}\" controls{repeats}{autoplay}></video>\n")
        }
        Form::Picture | Form::Plot | Form::Sound => writeln!(out, "![]({folder}/{file})\n"),
    };
}

impl crate::directive::Directive {
    /// What is shown of a directive above its result.
    pub fn echoed(&self) -> Option<&str> {
        match self.echo {
            Echo::Full => Some(&self.source),
            // The parameters come after a semicolon.
            Echo::Brief => {
                let first = self.source.lines().next().unwrap_or_default();
                Some(first.trim_end().trim_end_matches(';'))
            }
            Echo::Covert => None,
        }
    }
}
