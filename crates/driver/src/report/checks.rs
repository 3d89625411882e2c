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
    /// Those that are made in every iteration of a loop outside of operators.
    pub repeated: usize,
    /// Those that are made at every position of an operator: where time is spent.
    pub positions: usize,
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
        let (count, became) = match (seen.often, left.map(|left| left.often)) {
            (_, None) => (&mut counts.proved, "proved at compile time"),
            (Often::Once, Some(Often::Once)) => (&mut counts.once, "tested once"),
            (_, Some(Often::Once)) => (&mut counts.hoisted, "tested once, before the loop"),
            (_, Some(Often::Iterations)) => (&mut counts.repeated, "tested in every iteration"),
            (_, Some(Often::Positions)) => (&mut counts.positions, "tested at every position"),
        };
        *count += 1;
        let kind = if left.is_none() { NoteKind::Done } else { NoteKind::Check };
        let text = format!("check: {what}: {became}");
        let loc = place.clone().map(Loc);
        add(loc.as_ref(), Note { line: 0, column: 0, kind, text });
    }
    counts
}

/// How often something is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
enum Often {
    /// Outside of loops.
    #[default]
    Once,
    /// In every iteration of a loop, outside of operators.
    Iterations,
    /// At every position of an operator.
    Positions,
}

/// How a check occurs.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// How often it is made, at most.
    often: Often,
    /// Whether it is written in the user's code, and not in a prelude function that is called there.
    own: bool,
}

/// Checks by their places and by what they are about.
type Checks = BTreeMap<(Option<EcoString>, &'static str), Seen>;

/// The checks of a program.
fn collect(prog: &Prog) -> Checks {
    let mut search = Search {
        prog,
        often: Often::Once,
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
    /// How often what is looked at is evaluated.
    often: Often,
    funs: FxHashSet<(FunId, Often)>,
    consts: FxHashSet<ConstId>,
    found: Checks,
}

impl Search<'_> {
    fn fun(&mut self, id: FunId) {
        if self.funs.insert((id, self.often)) {
            let prog = self.prog;
            self.body(&prog.funs[id].body);
        }
    }

    fn check(&mut self, check: &Check) {
        let user = check.trace.iter().find(|loc| !loc.in_prelude());
        let place = user.map(|loc| loc.0.clone());
        let own = !check.trace.first().is_some_and(Loc::in_prelude);
        let seen = self.found.entry((place, about(check))).or_default();
        seen.often = seen.often.max(self.often);
        seen.own |= own;
    }
}

impl Visit for Search<'_> {
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Assert(_, check) => self.check(check),
            Exp::Call(id, _) => self.fun(*id),
            Exp::Const(id) if self.consts.insert(*id) => {
                let often = std::mem::take(&mut self.often);
                let prog = self.prog;
                self.body(&prog.consts[*id].body);
                self.often = often;
            }
            _ => {}
        }
        let inside = match exp {
            Exp::Loop(..) => Often::Iterations,
            // Its function is evaluated once.
            Exp::WithAcc(..) => Often::Once,
            _ if exp.operator().is_some() => Often::Positions,
            _ => Often::Once,
        };
        let often = self.often;
        self.often = often.max(inside);
        walk_exp(self, exp);
        self.often = often;
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
        assert_eq!(
            counts,
            CheckCounts { proved: 1, hoisted: 1, once: 1, repeated: 1, positions: 0 }
        );
        let expected = [
            "a.fut:1:1-2 check: index in bounds: proved at compile time",
            "a.fut:2:1-2 check: index in bounds: tested once, before the loop",
            "a.fut:3:1-2 check: index in bounds: tested in every iteration",
            "a.fut:4:1-2 check: index in bounds: tested once",
        ];
        assert_eq!(notes, expected);
    }
}
