//! Forms of other languages that are read as something else here: `(|x| e)` as a section,
//! `[e | x <- xs]` as an array, `xs.map(f)` as a field. They are looked for only when a name that such
//! a form needs is unknown, so no program that means what it says is refused.

use super::advice::is_atom;
use crate::checker::Checker;
use crate::errors::foreign;
use crate::ty::Ty;
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{BinOp, Exp, ExpKind, Operator};

impl Checker<'_> {
    /// `(|x| x + 1)`, a section of `|`. Says whether it was one.
    pub(super) fn report_bars(&mut self, op: &Operator, rhs: &Exp) -> bool {
        if op.name.name.name != "|" {
            return false;
        }
        let Some((param, bar)) = first_operand(rhs, "|") else { return false };
        let ExpKind::Var(name) = &param.kind else { return false };
        if !name.quals.is_empty() || self.scope.term(&name.name.name).is_some() {
            return false;
        }
        let place = op.name.span.to(bar);
        self.report(foreign::closure_between_bars(place, &name.name.name));
        true
    }

    /// `map |x| x + 1 xs`, two operators `|`. Says whether it was one.
    pub(super) fn report_bars_without_parentheses(&mut self, bin: &BinOp) -> bool {
        let ExpKind::BinOp(first) = &bin.lhs.kind else { return false };
        let ExpKind::Var(name) = &first.rhs.kind else { return false };
        let are_bars = [&bin.op, &first.op].iter().all(|op| op.name.name.name == "|");
        if !are_bars || !name.quals.is_empty() || self.scope.term(&name.name.name).is_some() {
            return false;
        }
        let bars = first.op.name.span.to(bin.op.name.span);
        let end = end_of_body(&bin.rhs);
        self.report(foreign::closure_without_parentheses(bars, &name.name.name, end));
        true
    }

    /// `[e | x <- xs, c]`. Says whether it was one.
    pub(super) fn report_comprehension(&mut self, whole: Span, elems: &[Exp]) -> bool {
        let Some(first) = elems.first() else { return false };
        if self.scope.term("<-").is_some() {
            return false;
        }
        let (Some(bar), Some(arrow)) = (find_operator(first, "|"), find_operator(first, "<-"))
        else {
            return false;
        };
        if bar.end > arrow.start {
            return false;
        }
        let text = |start: u32, end: u32| self.sources.text(Span { start, end, ..whole }).trim();
        let elem = text(whole.start + 1, bar.start);
        let param = text(bar.end, arrow.start);
        let source = text(arrow.end, first.span.end);
        let array = match elems {
            [_] => parenthesised(source),
            [_, condition] => {
                let condition = self.sources.text(condition.span);
                format!("(filter (\\{param} -> {condition}) {})", parenthesised(source))
            }
            _ => return false,
        };
        // A filter of elements that are not changed.
        let new = match (elem == param, elems.len()) {
            (true, 2) => array[1..array.len() - 1].to_owned(),
            _ => format!("map (\\{param} -> {elem}) {array}"),
        };
        self.report(foreign::comprehension(bar, whole, new));
        true
    }

    /// `y <- e` before other lines: proposes `let y = e in`. The operator was reported.
    pub(super) fn suggest_let_for_arrow(&mut self, lhs: &Exp, op: &Operator, rhs: &Exp) {
        if op.name.name.name != "<-" || !matches!(lhs.kind, ExpKind::Var(_)) {
            return;
        }
        let rest = self.sources.text(op.name.span.to(rhs.span));
        let Some(line) = rest.find('\n') else { return };
        let end = op.name.span.start + rest[..line].trim_end().len() as u32;
        let fix = [
            (lhs.span.before(), "let ".to_owned()),
            (op.name.span, "=".to_owned()),
            (Span { start: end, end, ..op.name.span }, " in".to_owned()),
        ];
        self.advise(|d| d.fix("write it like this", fix));
    }

    /// The function for a method: of the same name, or that of a number's module.
    pub(super) fn function_for_method(&self, receiver: &Ty, name: &str) -> Option<String> {
        if let Ty::Prim(prim) = receiver {
            let has = self.number_modules_with(name).contains(&prim.name());
            return has.then(|| format!("{prim}.{name}"));
        }
        match foreign::value(name) {
            Some(foreign::Instead::Write(word)) => Some(word.to_owned()),
            _ => self.scope.term(name).is_some().then(|| name.to_owned()),
        }
    }

    /// `xs.map(f)` or `xs.length()`: proposes `map (f) xs` and `length xs`, if "xs" has no such field. Says
    /// whether it was a method; its arguments are then part of the same mistake.
    pub(super) fn suggest_method(&mut self, reported: usize, fun: &Exp, args: &[Exp]) -> bool {
        if self.diags.get(reported).is_none_or(|d| d.code != "no-field") {
            return false;
        }
        let [first, rest @ ..] = args else { return false };
        if first.span.start != fun.span.end {
            return false;
        }
        let Some((receiver, ty, name)) = self.receiver(fun) else { return true };
        let Some(function) = self.function_for_method(&ty, &name) else { return true };
        let whole = fun.span.to(rest.last().unwrap_or(first).span);
        let text = self.sources.text(receiver);
        let new = match (&first.kind, rest) {
            (ExpKind::Project(..), _) => self.pipes(&function, args).map(|p| format!("{text}{p}")),
            (_, []) => self.given(first).map(|given| format!("{function} {given}{text}")),
            _ => None,
        };
        if let Some(new) = new {
            let error = self.diags.remove(reported);
            self.diags.insert(reported, error.fix("write it like this", [(whole, new)]));
        }
        true
    }

    /// What stands between the parentheses of a method call, as arguments.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions are not in parentheses")]
    fn given(&self, exp: &Exp) -> Option<String> {
        let argument = |exp: &Exp| match (is_atom(exp), self.sources.text(exp.span)) {
            (true, text) => format!("{text} "),
            (false, text) => format!("({text}) "),
        };
        match &exp.kind {
            ExpKind::Tuple(parts) => Some(parts.iter().map(argument).collect()),
            ExpKind::Paren(inner) => Some(argument(inner)),
            ExpKind::SectionLeft(..) | ExpKind::SectionRight(..) | ExpKind::Section(_) => {
                Some(argument(exp))
            }
            _ => None,
        }
    }

    /// The pipes for a chain of methods: ` |> map f |> filter p` for `.map(f).filter(p)`, which is read as the application of
    /// `.map` to `(f).filter` and `(p)`.
    fn pipes(&self, first: &str, args: &[Exp]) -> Option<String> {
        let mut pipes = format!(" |> {first}");
        let mut end = args.first()?.span.start;
        for (i, arg) in args.iter().enumerate() {
            if arg.span.start != end {
                return None;
            }
            end = arg.span.end;
            let (given, next) = if let ExpKind::Project(given, next) = &arg.kind {
                (&**given, Some(&next.name))
            } else {
                (arg, None)
            };
            pipes.push_str(format!(" {}", self.given(given)?).trim_end());
            match next {
                // The types of the arrays in between are not known.
                Some(name) => {
                    let function = self.function_for_method(&Ty::Error, name)?;
                    pipes.push_str(&format!(" |> {function}"));
                }
                None if i + 1 < args.len() => return None,
                None => {}
            }
        }
        Some(pipes)
    }

    /// `xs.length`: proposes `length xs`, for an array with a name.
    pub(super) fn suggest_length(&mut self, field: Span) {
        let text = &self.sources.file(field.file).text;
        let is_called = text[field.end as usize..].starts_with('(');
        let before = &text[..field.start as usize - 1];
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '.';
        let name = &before[before.trim_end_matches(is_word).len()..];
        if is_called || name.is_empty() {
            return;
        }
        let place = Span { start: field.start - 1 - name.len() as u32, ..field };
        let new = format!("(length {name})");
        self.advise(|d| d.fix("write it like this", [(place, new)]));
    }

    /// What is before the last field of a path, its type, and the field.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions have no last field")]
    fn receiver(&mut self, path: &Exp) -> Option<(Span, Ty, EcoString)> {
        let (span, ty, field) = match &path.kind {
            ExpKind::Var(name) => {
                let found = self.tables.names.get(&path.id).filter(|found| found.fields == 1)?;
                let ty = self.program.vars[found.var].scheme.as_ref()?.ty.clone();
                (Span { end: name.name.span.start - 1, ..path.span }, ty, &name.name)
            }
            ExpKind::Project(inner, field) => {
                (inner.span, self.metas.node_types.get(&inner.id)?.clone(), field)
            }
            _ => return None,
        };
        Some((span, self.resolve(&ty), field.name.clone()))
    }
}

/// Where the body of a function ends that was written without parentheses: before the last argument, or at the end.
#[expect(clippy::wildcard_enum_match_arm, reason = "other bodies end where the expression ends")]
fn end_of_body(exp: &Exp) -> Span {
    match &exp.kind {
        ExpKind::BinOp(bin) => end_of_body(&bin.rhs),
        ExpKind::Apply(fun, args) => match &args[..] {
            [_] if matches!(fun.kind, ExpKind::Lit(_)) => fun.span.after(),
            [.., before, _] => before.span.after(),
            _ => exp.span.after(),
        },
        _ => exp.span.after(),
    }
}

/// The first operand of a chain of operators, if the operator after it is this one, and where that is.
fn first_operand<'e>(exp: &'e Exp, operator: &str) -> Option<(&'e Exp, Span)> {
    let ExpKind::BinOp(bin) = &exp.kind else { return None };
    if matches!(bin.lhs.kind, ExpKind::BinOp(_)) {
        return first_operand(&bin.lhs, operator);
    }
    (bin.op.name.name.name == operator).then_some((&bin.lhs, bin.op.name.span))
}

/// Where an operator is in a chain of operators.
fn find_operator(exp: &Exp, operator: &str) -> Option<Span> {
    let ExpKind::BinOp(bin) = &exp.kind else { return None };
    if bin.op.name.name.name == operator {
        return Some(bin.op.name.span);
    }
    find_operator(&bin.lhs, operator).or_else(|| find_operator(&bin.rhs, operator))
}

/// The text as an argument.
fn parenthesised(text: &str) -> String {
    let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.'".contains(&b));
    if is_word { text.to_owned() } else { format!("({text})") }
}
