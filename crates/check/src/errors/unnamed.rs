//! Messages about sizes of parameters that have no name: `(xs: []t)`.

use super::Expect;
use super::sizes::help_with_selection;
use crate::checker::Checker;
use crate::ty::Size;
use fehu_base::{Diagnostic, Span};

impl Checker<'_> {
    /// The size of the parameter would have to be one that comes later.
    pub(super) fn unnamed_size(&self, d: Diagnostic, param: Span, size: &Size) -> Diagnostic {
        let shown = self.show_size(size);
        let d = d.label(param, "the size of this parameter has no name").note(format!(
            "The parameter has a size of its own, which is known before \"{shown}\" is: the two do not match."
        ));
        let d = self.explain_sizes(d, [size]);
        match self.size_of_a_selection([size]) {
            Some(name) => help_with_selection(d, name),
            None => d.help(
                "if the sizes are equal at run time, give the parameter's a name, as in `f [n] (xs: [n]t)`, and coerce the \
                 array with `:> [n]t`",
            ),
        }
    }

    /// Whether it is the size of a parameter of a function that has a name; those of lambdas follow from their uses.
    pub(super) fn is_of_named_function(&self, param: Option<Span>) -> bool {
        let head = self.size_metas.head.iter().flat_map(|head| &head.params);
        let mut params = head.chain(&self.size_metas.local_params);
        param.is_some_and(|param| params.any(|whole| whole.to(param) == *whole))
    }

    /// Whether the function that is being checked is applied, also by `xs |> f`.
    pub(super) fn is_recursive_call(&self, why: Expect) -> bool {
        let Expect::Argument { fun, arg } = why else { return false };
        self.self_uses.iter().any(|(_, used)| [fun, arg].contains(used))
    }

    /// A recursive call with another size than that of the parameter here.
    pub(super) fn name_sizes(&self, d: Diagnostic, param: Span) -> Diagnostic {
        let d = d.label(param, "the size of this parameter has no name").note(
            "Recursive calls may differ only in sizes that have names: one without a name is the same in all of them.",
        );
        let what = "name the sizes of the parameters";
        match self.named_sizes() {
            Some(edits) => d.fix(what, edits),
            None => d.help(format!("{what}, as in `def f [n] (xs: [n]i32)`")),
        }
    }

    /// Size parameters for all `[]` in the parameters of the function that is being checked.
    fn named_sizes(&self) -> Option<Vec<(Span, String)>> {
        let head = self.size_metas.head.as_ref()?;
        let used = self.sources.text(head.whole);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_free = |name: &&str| used.split(|c| !is_word(c)).all(|word| word != *name);
        let mut names = ["n", "m", "k", "l", "p", "q", "r", "s"].into_iter().filter(is_free);
        let (mut sizes, mut edits) = (String::new(), Vec::new());
        for param in &head.params {
            let text = self.sources.text(*param);
            // Sizes in the types of functions mean something else.
            if text.contains("->") {
                continue;
            }
            for (place, _) in text.match_indices("[]") {
                let name = names.next()?;
                let start = param.start + place as u32 + 1;
                sizes += &format!(" [{name}]");
                edits.push((Span { start, end: start, ..*param }, name.to_owned()));
            }
        }
        edits.insert(0, (head.sizes?, sizes));
        (edits.len() > 1).then_some(edits)
    }
}
