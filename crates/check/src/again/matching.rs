//! Which declarations of a file are those of the file before an edit.

use super::{Kept, KeptDec, Sort, nodes, place, sort};
use fehu_syntax::ast;

/// For each declaration, the old one with the same text, if it is among the first or the last that are all the same.
pub(super) fn matching(file: &ast::File, text: &str, old: &Kept) -> Vec<Option<usize>> {
    let is_same = |index: usize, kept: &KeptDec| {
        let dec = &file.decs[index];
        let nodes = nodes(file, index);
        let place = place(dec);
        let text = text.get(place.start as usize..place.end as usize);
        let before = old.text.get(kept.place.start as usize..kept.place.end as usize);
        nodes.len() == kept.nodes.len()
            && text.is_some()
            && text == before
            && kept.sort != Sort::Broken
            && kept.sort == sort(file, dec, &nodes)
    };
    let (new_count, old_count) = (file.decs.len(), old.decs.len());
    let shared = new_count.min(old_count);
    let first = (0..shared).take_while(|&index| is_same(index, &old.decs[index])).count();
    let is_same_from_end = |back: &usize| is_same(new_count - back, &old.decs[old_count - back]);
    let last = (1..=shared - first).take_while(is_same_from_end).count();
    let found = |index: usize| match index {
        _ if index < first => Some(index),
        _ if index >= new_count - last => Some(index + old_count - new_count),
        _ => None,
    };
    (0..new_count).map(found).collect()
}
