//! The prelude is believed when programs are checked: here it is checked, and what it declares is
//! compared with what inference finds.

use fehu_check::ty::Printer;
use fehu_driver::files::Memory;
use fehu_driver::load::{self, Root, Share};
use fehu_driver::session::{self, Session};
use fehu_driver::stages;
use fehu_syntax::ast::{Dec, DecKind};

/// The messages about the prelude, and the type of every value at the top of its files.
fn check(share: Share<'_>) -> (Vec<String>, Vec<String>) {
    let files = Memory::new([("main.fut", "")]);
    let mut session = Session::default();
    let mut result = Default::default();
    session::run(&mut session, |session| {
        let loaded = load::load(session, &files, &Root::Path("main.fut".to_owned()), share);
        let (program, found) = stages::check(&loaded, &session.sources);
        let messages = found.into_iter().map(|d| d.message).collect();
        let printer = Printer { vars: &program.vars, types: &program.types };
        let mut types = Vec::new();
        for file in loaded.files.iter().filter(|file| file.in_prelude) {
            for dec in &file.ast.decs {
                let Some(var) = value(dec).and_then(|id| program.files[&file.id].binders.get(&id))
                else {
                    continue;
                };
                let info = &program.vars[*var];
                let scheme = info.scheme.as_ref().expect("a value has a type");
                let (sizes, parameters) = (scheme.sizes.len(), scheme.types.len());
                let ty = printer.ty(&scheme.ty);
                types.push(format!("{} {sizes} {parameters}: {ty}", info.name));
            }
        }
        result = (messages, types);
    });
    assert!(!session.crashed, "{:?}", session.diagnostics);
    result
}

/// A printed type in which the sizes that it binds have numbers instead of names.
fn without_names(ty: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for part in ty.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let (word, rest) =
            part.split_at(part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).len());
        words.extend([word, rest]);
    }
    let mut bound: Vec<&str> = Vec::new();
    let mut binding = false;
    for pair in words.windows(2) {
        binding = pair[0] == "?" || binding && pair[0] != ".";
        if binding && pair[0] == "[" && !bound.contains(&pair[1]) {
            bound.push(pair[1]);
        }
    }
    let number = |word: &&str| bound.iter().position(|name| name == word);
    words.iter().map(|word| number(word).map_or((*word).to_owned(), |i| format!("#{i}"))).collect()
}

fn value(dec: &Dec) -> Option<fehu_syntax::ast::NodeId> {
    match &dec.kind {
        DecKind::Val(_) => Some(dec.id),
        DecKind::Local(inner) => value(inner),
        _ => None,
    }
}

#[test]
fn the_prelude_is_what_it_declares() {
    let (messages, inferred) = check(Share::All);
    assert_eq!(messages, Vec::<String>::new());
    let (messages, declared) = check(Share::Declared);
    assert_eq!(messages, Vec::<String>::new());
    assert!(declared.len() > 100);
    for (inferred, declared) in inferred.iter().zip(&declared) {
        assert_eq!(without_names(inferred), without_names(declared));
    }
    assert_eq!(inferred.len(), declared.len());
}
