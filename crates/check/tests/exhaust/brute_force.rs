//! The algorithm against trying every value, on random patterns of small types.

use super::{definition, ty};
use fehu_check::exhaust::form::{ANY, FormId, Forms, Head};
use fehu_check::exhaust::matrix::{MAX_WITNESSES, solve};
use fehu_check::exhaust::witness::{Numbers, Witness};
use fehu_check::ty::Ty;
use fehu_syntax::ast::ExpKind;
use std::fmt::Write;

/// A value of a small type.
#[derive(Clone, PartialEq, Debug)]
struct Value(Head, Vec<Value>);

#[expect(clippy::wildcard_enum_match_arm, reason = "other types are not tested here")]
fn values(ty: &Ty) -> Vec<Value> {
    match ty {
        Ty::Prim(_) => [false, true].into_iter().map(|b| Value(Head::Bool(b), vec![])).collect(),
        Ty::Record(fields) => {
            let types: Vec<&Ty> = fields.iter().map(|(_, t)| t).collect();
            products(&types).into_iter().map(|parts| Value(Head::Record, parts)).collect()
        }
        Ty::Sum(ctors) => {
            let mut all = Vec::new();
            for (i, (_, payload)) in ctors.iter().enumerate() {
                let types: Vec<&Ty> = payload.iter().collect();
                all.extend(products(&types).into_iter().map(|p| Value(Head::Ctor(i), p)));
            }
            all
        }
        _ => Vec::new(),
    }
}

fn products(types: &[&Ty]) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    for ty in types {
        let heads = values(ty);
        all = all
            .into_iter()
            .flat_map(|v: Vec<Value>| {
                heads.iter().map(move |h| {
                    let mut v = v.clone();
                    v.push(h.clone());
                    v
                })
            })
            .collect();
    }
    all
}

fn matches(forms: &Forms, form: FormId, value: &Value) -> bool {
    match forms.get(form) {
        None => true,
        // A lone constructor may have been reduced to its parts only if all match.
        Some((head, parts)) => {
            head == value.0 && parts.iter().zip(&value.1).all(|(&p, v)| matches(forms, p, v))
        }
    }
}

fn agrees(witness: &Witness<'_>, value: &Value) -> bool {
    match witness {
        Witness::Any => true,
        Witness::Other(head) => *head == value.0,
        Witness::Node(head, _, parts) => {
            *head == value.0 && parts.iter().zip(&value.1).all(|(p, v)| agrees(p, v))
        }
    }
}

/// A small generator of random numbers; the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other patterns are not tested here")]
    fn pattern(&mut self, out: &mut String, ty: &Ty) {
        if self.below(3) == 0 {
            out.push('_');
            return;
        }
        match ty {
            Ty::Prim(_) => out.push_str(if self.below(2) == 0 { "true" } else { "false" }),
            Ty::Record(fields) => {
                out.push('(');
                for (i, (_, ty)) in fields.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    self.pattern(out, ty);
                }
                out.push(')');
            }
            Ty::Sum(ctors) => {
                let (name, payload) = &ctors[self.below(ctors.len())];
                _ = write!(out, "(#{name}");
                for ty in payload {
                    out.push(' ');
                    self.pattern(out, ty);
                }
                out.push(')');
            }
            _ => out.push('_'),
        }
    }
}

#[test]
fn agrees_with_trying_every_value() {
    let types = [
        "(bool, bool, bool)",
        "#a | #b bool | #c (bool, bool)",
        "(#a | #b bool, #c | #d bool bool)",
        "#only bool (#x | #y (#z bool | #w))",
        "(#only bool, (bool, #p | #q | #r))",
    ];
    let mut random = Random(7);
    let (mut exhaustive, mut unreachable) = (0, 0);
    for round in 0..3000 {
        let ty = ty(types[round % types.len()]);
        let all = values(&ty);
        let mut text = "def f x = match x".to_owned();
        for _ in 0..=random.below(7) {
            text.push_str(" case ");
            random.pattern(&mut text, &ty);
            text.push_str(" -> x");
        }
        let (_, bind) = definition(&text);
        let ExpKind::Match(_, cases) = &bind.body.kind else { panic!("not a match") };
        let mut forms = Forms::default();
        let arms: Vec<FormId> =
            cases.iter().map(|c| forms.lower(&c.pat, &ty).unwrap_or(ANY)).collect();
        let answer = solve(&forms, &arms, &ty).unwrap_or_else(|_| panic!("{text}"));
        let first = |v: &Value| arms.iter().position(|&arm| matches(&forms, arm, v));
        let missed: Vec<&Value> = all.iter().filter(|v| first(v).is_none()).collect();
        assert_eq!(missed.is_empty(), answer.unmatched.is_empty(), "{text}");
        for witness in &answer.unmatched {
            let covered = all.iter().filter(|v| agrees(witness, v)).collect::<Vec<_>>();
            let shown = witness.text(Numbers::Example);
            assert!(!covered.is_empty(), "{text}: {shown} is no value");
            assert!(covered.iter().all(|v| first(v).is_none()), "{text}: {shown} is matched");
        }
        if answer.unmatched.len() < MAX_WITNESSES {
            let shown = |v: &&Value| answer.unmatched.iter().any(|w| agrees(w, v));
            assert!(missed.iter().all(shown), "{text}: not all are shown");
        }
        for (i, &reached) in answer.reached.iter().enumerate() {
            let truth = all.iter().any(|v| first(v) == Some(i));
            assert_eq!(reached, truth, "{text}: case {i}");
            unreachable += usize::from(!truth);
        }
        exhaustive += usize::from(missed.is_empty());
    }
    assert!(exhaustive > 300 && unreachable > 300, "{exhaustive}, {unreachable}");
}
