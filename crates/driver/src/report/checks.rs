//! What became of the checks that a program makes: indices in bounds, divisors not zero, sizes equal.
//!
//! A check is known by its place in the source and by what it is about. Copies of it, made by inlining, are one check.

use super::model::{Note, NoteKind};
use ecow::EcoString;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Check, CheckPart, ConstId, Exp, FunId, Loc, Prog};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What became of the checks, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CheckCounts {
    /// Those that always pass, and are gone.
    pub proved: usize,
    /// Those that are made once, before the loop that they were in.
    pub hoisted: usize,
    /// Those outside of loops, made once.
    pub once: usize,
    /// Those that are made in every iteration of a loop or at every position of an operator.
    pub repeated: usize,
}

/// Compares the checks before and after optimisation. Adds notes about them, with the place of each.
pub(super) fn compare(
    before: &Prog,
    after: &Prog,
    add: &mut dyn FnMut(Option<&Loc>, Note),
) -> CheckCounts {
    let (old, new) = (collect(before), collect(after));
    let mut counts = CheckCounts::default();
    for ((place, what), seen) in &old {
        let left = new.get(&(place.clone(), *what));
        if left.is_none() && !seen.own {
            // How the prelude convinces itself is nothing to bother people with.
            continue;
        }
        let (kind, text) = match (seen.repeated, left.map(|left| left.repeated)) {
            (_, None) => {
                counts.proved += 1;
                (NoteKind::Done, format!("check: {what}: proved at compile time"))
            }
            (true, Some(false)) => {
                counts.hoisted += 1;
                (NoteKind::Check, format!("check: {what}: tested once, before the loop"))
            }
            (false, Some(false)) => {
                counts.once += 1;
                (NoteKind::Check, format!("check: {what}: tested once"))
            }
            (_, Some(true)) => {
                counts.repeated += 1;
                (NoteKind::Check, format!("check: {what}: tested in every iteration"))
            }
        };
        let loc = place.clone().map(Loc);
        add(loc.as_ref(), Note { line: 0, column: 0, kind, text });
    }
    counts
}

/// How a check occurs.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Whether it is made repeatedly.
    repeated: bool,
    /// Whether it is written in the user's code, and not in a prelude function that is called there.
    own: bool,
}

/// Checks by their places and by what they are about.
type Checks = BTreeMap<(Option<EcoString>, &'static str), Seen>;

/// The checks of a program.
fn collect(prog: &Prog) -> Checks {
    let mut search = Search {
        prog,
        repeated: false,
        funs: FxHashSet::default(),
        consts: FxHashSet::default(),
        found: BTreeMap::new(),
    };
    for entry in &prog.entries {
        search.fun(entry.fun);
    }
    search.found
}

struct Search<'a> {
    prog: &'a Prog,
    /// Whether what is looked at is evaluated repeatedly.
    repeated: bool,
    funs: FxHashSet<(FunId, bool)>,
    consts: FxHashSet<ConstId>,
    found: Checks,
}

impl Search<'_> {
    fn fun(&mut self, id: FunId) {
        if self.funs.insert((id, self.repeated)) {
            let prog = self.prog;
            self.body(&prog.funs[id].body);
        }
    }

    fn check(&mut self, check: &Check) {
        let user = check.trace.iter().find(|loc| !loc.in_prelude());
        let place = user.map(|loc| loc.0.clone());
        let own = !check.trace.first().is_some_and(Loc::in_prelude);
        let seen = self.found.entry((place, about(check))).or_default();
        seen.repeated |= self.repeated;
        seen.own |= own;
    }
}

impl Visit for Search<'_> {
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Assert(_, check) => self.check(check),
            Exp::Call(id, _) => self.fun(*id),
            Exp::Const(id) if self.consts.insert(*id) => {
                let repeated = std::mem::replace(&mut self.repeated, false);
                let prog = self.prog;
                self.body(&prog.consts[*id].body);
                self.repeated = repeated;
            }
            _ => {}
        }
        let again = match exp {
            Exp::Loop(..) => true,
            // Its function is evaluated once.
            Exp::WithAcc(..) => false,
            _ => exp.operator().is_some(),
        };
        let repeated = self.repeated;
        self.repeated |= again;
        walk_exp(self, exp);
        self.repeated = repeated;
    }
}

/// What a check is about, in words; its message tells.
fn about(check: &Check) -> &'static str {
    let first = check.parts.iter().find_map(|part| match part {
        CheckPart::Text(text) if !text.is_empty() => Some(text.as_str()),
        CheckPart::Text(_) | CheckPart::Value(_) => None,
    });
    let known = [
        ("Index [", "index in bounds"),
        ("Flat slice", "slice in bounds"),
        ("division by zero", "divisor not zero"),
        ("negative exponent", "exponent not negative"),
        ("Range ", "range well formed"),
        ("Cannot write array", "sizes equal"),
        ("Value of", "sizes equal"),
        ("Assertion", "assertion"),
    ];
    let found = known.iter().find(|(start, _)| first.is_some_and(|text| text.starts_with(start)));
    found.map_or("condition", |(_, about)| about)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_ir::text::parse;

    fn prog(outside: &str, inside: &str) -> Prog {
        let text = format!(
            "prog arrays
fun f (n: i64, c: bool, d: bool) -> (r: i64) =
  {outside}
  let (x: i64) = loop (a: i64 = 0) for i: i64 < n {{
    {inside}
    let (b: i64) = add a i
    in (b) }}
  in (x)
entry \"f\" = f (\"n\": i64, \"c\": bool, \"d\": bool) -> i64
"
        );
        parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn checks_are_proved_hoisted_or_left() {
        let check = |name: &str, cond: &str, line: usize| {
            format!("let (e{name}: unit) = assert {cond} \"Index [\" at \"a.fut:{line}:1-2\"\n")
        };
        let (one, two, three) = (check("1", "c", 1), check("2", "c", 2), check("3", "d", 3));
        let four = check("4", "d", 4);
        let before = prog(&four, &format!("{one}{two}{three}"));
        let after = prog(&format!("{two}{four}"), &three);
        let mut notes = Vec::new();
        let counts = compare(&before, &after, &mut |loc, note| {
            notes.push(format!("{} {}", loc.map_or("", |loc| &loc.0), note.text));
        });
        assert_eq!(counts, CheckCounts { proved: 1, hoisted: 1, once: 1, repeated: 1 });
        let expected = [
            "a.fut:1:1-2 check: index in bounds: proved at compile time",
            "a.fut:2:1-2 check: index in bounds: tested once, before the loop",
            "a.fut:3:1-2 check: index in bounds: tested in every iteration",
            "a.fut:4:1-2 check: index in bounds: tested once",
        ];
        assert_eq!(notes, expected);
    }
}
