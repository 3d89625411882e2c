//! Forms of other languages that are read as something else here: `(|x| e)` as a section,
//! `[e | x <- xs]` as an array, `xs.map(f)` as a field. They are looked for only when a name that such
//! a form needs is unknown, so no program that means what it says is refused.

use crate::checker::Checker;
use crate::errors::foreign;
use crate::ty::Ty;
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{Exp, ExpKind, Operator};

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
        let text = |span: Span| self.sources.text(span);
        let given = match &first.kind {
            ExpKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| parenthesised(text(part.span)));
                parts.map(|part| format!("{part} ")).collect::<String>()
            }
            ExpKind::Paren(inner) => format!("{} ", parenthesised(text(inner.span))),
            _ => return true,
        };
        if !rest.is_empty() {
            return true;
        }
        let new = format!("{function} {given}{}", text(receiver));
        let place = fun.span.to(first.span);
        let error = self.diags.remove(reported);
        self.diags.insert(reported, error.fix("write it like this", [(place, new)]));
        true
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

/// The first operand of a chain of operators, if the operator after it is this one, and where that is.
fn first_operand<'e>(exp: &'e Exp, operator: &str) -> Option<(&'e Exp, Span)> {
    let ExpKind::BinOp(bin) = &exp.kind else { return None };
    match &bin.lhs.kind {
        ExpKind::BinOp(_) => first_operand(&bin.lhs, operator),
        _ => (bin.op.name.name.name == operator).then_some((&bin.lhs, bin.op.name.span)),
    }
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
