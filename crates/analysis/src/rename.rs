//! Giving a thing another name.
//!
//! The edits are easy to find, and not always right: the new name may be taken, or hide another. Whether a renamed program means
//! what it meant is decided by checking it: [`same`] compares what every name refers to, before and after.

use crate::View;
use crate::index::{self, Index, Occurrence};
use fehu_base::{FileId, Span};
use fehu_check::program::Target;
use fehu_syntax::ast::{DecKind, SpecKind};
use fehu_syntax::lexeme::{Class, lexemes};
use rustc_hash::FxHashMap;

/// What can be renamed at a place: the name's place, and where it is declared. Otherwise the reason why not.
pub fn target(view: &View<'_>, index: &Index, offset: u32) -> Result<(Span, Span), String> {
    let found = index.at(offset).ok_or("there is no name here that is declared somewhere")?;
    let name = index::name_of(view, found.target);
    let place = index::place(view.program, found.target)
        .ok_or_else(|| format!("\"{name}\" is part of the compiler"))?;
    let unit = view.unit(place.file).ok_or("its declaration is not part of the program")?;
    if unit.in_prelude {
        return Err(format!("\"{name}\" is part of the prelude"));
    }
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return Err(format!("\"{name}\" is an operator; its name decides how it binds"));
    }
    if view.text(found.span) != name {
        return Err(format!("this is another name of \"{name}\""));
    }
    if let Some(crate::tree::Node::Spec(spec)) = crate::declared::site(view, place)
        && !matches!(spec.kind, SpecKind::Error)
    {
        return Err(format!(
            "\"{name}\" is asked for by a module type; all modules of that type would have to change"
        ));
    }
    Ok((found.span, index.representative(place)))
}

/// Whether a text can be a name; otherwise what is wrong with it.
pub fn check_name(name: &str) -> Result<(), String> {
    let found = lexemes(FileId(0), name);
    match found.as_slice() {
        [one] if one.class == Class::Name && one.span.end as usize == name.len() && name != "_" => {
            Ok(())
        }
        [one] if one.class == Class::Keyword => {
            Err(format!("\"{name}\" is a word of the language"))
        }
        _ => Err(format!("\"{name}\" is not a name")),
    }
}

/// The edits of one file: what is declared at a place gets another name.
pub fn edits(view: &View<'_>, index: &Index, place: Span, name: &str) -> Vec<(Span, String)> {
    let edit = |found: Occurrence| {
        let text = match index.is_pun(found.span) {
            true => format!("{} = {name}", view.text(found.span)),
            false => name.to_owned(),
        };
        (found.span, text)
    };
    index.of(view, place).map(edit).collect()
}

/// Whether what is declared here can be used by other files: then those must change, too.
pub fn is_exported(view: &View<'_>, place: Span) -> bool {
    let site = crate::declared::site(view, place);
    match site {
        Some(crate::tree::Node::Dec(dec)) => !matches!(dec.kind, DecKind::Error),
        Some(_) | None => false,
    }
}

/// Where a byte is after edits, which are in order.
fn moved(edits: &[(Span, String)], span: Span) -> Span {
    let mut shift = 0i64;
    let mut length = i64::from(span.end) - i64::from(span.start);
    for (place, text) in edits {
        let growth = text.len() as i64 - i64::from(place.end - place.start);
        if place.end <= span.start && *place != span {
            shift += growth;
        } else if *place == span {
            // In `{x = y}` the name is the last word.
            let word = text.rsplit(' ').next().unwrap_or("").len() as i64;
            shift += text.len() as i64 - word;
            length = word;
        }
    }
    let start = i64::from(span.start) + shift;
    Span::new(span.file, start as u32, (start + length) as u32)
}

/// What every name of a program refers to, by place; the key of a file is what identifies it in both programs.
pub type Meaning = FxHashMap<Span, Option<Span>>;

/// What the names of a file refer to. Files are numbered as the function says.
pub fn meaning(view: &View<'_>, index: &Index) -> Meaning {
    let of = |found: &Occurrence| {
        let place = match found.target {
            Target::Var(_) | Target::Type(_) | Target::ModType(_) => {
                index::place(view.program, found.target)
            }
        };
        (found.span, place.map(|place| index.representative(place)))
    };
    index.iter().map(of).collect()
}

/// Whether a program means the same after edits: each name refers to what it referred to. Otherwise the place, before
/// the edits, of a name that does not.
pub fn same(
    before: &Meaning,
    after: &Meaning,
    edits: &FxHashMap<FileId, Vec<(Span, String)>>,
) -> Result<(), Span> {
    let shifted = |span: Span| edits.get(&span.file).map_or(span, |edits| moved(edits, span));
    let mut places: Vec<(&Span, &Option<Span>)> = before.iter().collect();
    places.sort_unstable();
    for (span, place) in places {
        let wanted = place.map(shifted);
        if after.get(&shifted(*span)) != Some(&wanted) {
            return Err(*span);
        }
    }
    Ok(())
}
