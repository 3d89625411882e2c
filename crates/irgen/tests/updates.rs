//! Programs that change matrices in place, and nests with products: they are well formed, and have what they are for.

use fehu_ir::free::free_in_stm;
use fehu_ir::text::parse;
use fehu_ir::verify::{render, verify};
use fehu_ir::visit::{Visit, walk_body, walk_exp};
use fehu_ir::{Atom, Body, Dim, Exp, Family, Fun, Prog, Stm, Var};
use fehu_irgen::{product_text, update_text};
use std::collections::BTreeMap;

/// How often programs have what optimisers look at.
#[derive(Default)]
struct Counts {
    all: BTreeMap<&'static str, usize>,
    vars: fehu_base::IdVec<Var, fehu_ir::VarInfo>,
    /// What is around the present body.
    around: Vec<&'static str>,
}

impl Counts {
    fn of(&mut self, fun: &Fun) {
        self.vars.clone_from(&fun.vars);
        self.body(&fun.body);
    }

    fn note(&mut self, what: &'static str) {
        *self.all.entry(what).or_default() += 1;
    }

    /// A row or more is written to a matrix.
    fn rows(&self, stm: &Stm) -> Option<Var> {
        let Exp::Update(array, dims, value) = &stm.exp else { return None };
        let is_part = dims.iter().any(|dim| matches!(dim, Dim::Fix(_)))
            || dims.len() < self.vars[*array].ty.rank();
        let is_array = value.var().is_some_and(|var| self.vars[var].ty.is_array());
        (is_part && is_array).then_some(*array)
    }

    fn stms(&mut self, body: &Body) {
        let is_view = |this: &Counts, atom: &Atom| {
            let made =
                body.stms.iter().find(|stm| stm.pat.iter().any(|var| *atom == Atom::Var(*var)));
            made.is_some_and(|stm| {
                stm.exp.family() == Family::View && this.vars[stm.pat[0]].ty.is_array()
            })
        };
        for (at, stm) in body.stms.iter().enumerate() {
            if let Some(array) = self.rows(stm) {
                let Exp::Update(_, dims, _) = &stm.exp else { continue };
                let is_known = matches!(dims[0], Dim::Fix(Atom::Const(_)));
                let is_computed = matches!(dims[0], Dim::Fix(Atom::Var(_)));
                let kind = if is_known { "row, known" } else { "slice" };
                self.note(if is_computed { "row, computed" } else { kind });
                for place in self.around.clone() {
                    self.note(place);
                }
                let before = body.stms[..at].iter().position(|stm| stm.pat.contains(&array));
                if let Some(before) = before
                    && self.rows(&body.stms[before]).is_some()
                {
                    self.note("several");
                    let reads = |stm: &Stm| free_in_stm(stm, &self.vars).contains(&array);
                    if body.stms[before + 1..at].iter().any(reads) {
                        self.note("several, read between");
                    }
                }
            }
            if let Exp::Concat(_, arrays) = &stm.exp
                && arrays.iter().filter(|array| is_view(self, &Atom::Var(**array))).count() > 1
            {
                self.note("concatenation of slices");
            }
            if let Exp::If(..) = &stm.exp {
                let mut views = false;
                stm.exp.for_each_body(&mut |inner| {
                    for result in &inner.results {
                        let made = inner
                            .stms
                            .iter()
                            .find(|stm| stm.pat.iter().any(|var| *result == Atom::Var(*var)));
                        views |= made.is_some_and(|stm| {
                            stm.exp.family() == Family::View
                                && self.vars[stm.pat[0]].ty.is_array()
                                && !matches!(stm.exp, Exp::Atom(_))
                        });
                    }
                });
                if views {
                    self.note("branch that yields a view");
                }
            }
        }
    }
}

impl Visit for Counts {
    fn body(&mut self, body: &Body) {
        self.stms(body);
        walk_body(self, body);
    }

    fn exp(&mut self, exp: &Exp) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are no places of interest")]
        let place = match exp {
            Exp::Loop(..) => Some("in a loop"),
            Exp::If(..) | Exp::Switch(..) => Some("in a branch"),
            Exp::Screma(_) => Some("in a map"),
            _ => None,
        };
        self.around.extend(place);
        walk_exp(self, exp);
        if place.is_some() {
            self.around.pop();
        }
    }
}

fn counted(progs: impl Iterator<Item = Prog>) -> BTreeMap<&'static str, usize> {
    let mut counts = Counts::default();
    for prog in progs {
        prog.funs.iter().for_each(|(_, fun)| counts.of(fun));
    }
    counts.all
}

fn parsed(seed: u64, text: &str) -> Prog {
    let prog = parse(text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    verify(&prog).unwrap_or_else(|e| panic!("seed {seed}: {}\n{text}", render(&prog, &e)));
    prog
}

#[test]
fn programs_that_change_matrices_do_it_in_all_ways() {
    let all = counted((0..300).map(|seed| parsed(seed, &update_text(seed))));
    let ways = [
        "row, known",
        "row, computed",
        "slice",
        "several",
        "several, read between",
        "in a loop",
        "in a branch",
        "in a map",
        "concatenation of slices",
        "branch that yields a view",
    ];
    for way in ways {
        assert!(all.get(way).is_some_and(|count| *count >= 60), "{way}: {all:?}");
    }
}

#[test]
fn programs_with_products_are_well_formed() {
    let mut all = String::new();
    for seed in 0..200 {
        let text = product_text(seed);
        parsed(seed, &text);
        all.push_str(&text);
    }
    for word in ["screma 48 ", "screma p ", "screma 2 (bs)", "rearrange", "copy b"] {
        assert!(all.contains(word), "{word}");
    }
}
