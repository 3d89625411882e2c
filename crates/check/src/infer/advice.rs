//! Advice about applications that do not fit: what people who come from other languages write.

use crate::checker::Checker;
use crate::errors;
use crate::ty::Ty;
use fehu_base::{Diagnostic, Prim, Span};
use fehu_syntax::ast::{BinOp, Exp, ExpKind};

impl Checker<'_> {
    /// Adds to the last message.
    pub(super) fn advise(&mut self, add: impl FnOnce(Diagnostic) -> Diagnostic) {
        if let Some(last) = self.diags.pop() {
            self.diags.push(add(last));
        }
    }

    /// `x and y`, `x mod 2`, `x as f32`: an application of a value to a word. Says whether it was one.
    pub(super) fn report_infix_word(&mut self, fun_ty: &Ty, fun: &Exp, args: &[Exp]) -> bool {
        let Some(ExpKind::Var(word)) = args.first().map(|arg| &arg.kind) else { return false };
        if !word.quals.is_empty() || args.len() < 2 {
            return false;
        }
        let is_value = match self.resolve(fun_ty) {
            Ty::Prim(_) | Ty::Array(..) => true,
            Ty::Meta(meta) => self.metas.infos[meta].literal,
            Ty::Fun(_) | Ty::Record(_) | Ty::Sum(_) | Ty::Con(..) | Ty::Unique(_) | Ty::Error => {
                false
            }
        };
        if !is_value {
            return false;
        }
        let name = word.name.name.as_str();
        if name == "as" {
            let place = fun.span.to(args[1].span);
            let (from, to) = (self.resolve(fun_ty), self.sources.text(args[1].span).to_owned());
            let fix = match from {
                Ty::Prim(from) if !self.number_modules_with(from.name()).is_empty() => {
                    let value = self.sources.text(fun.span);
                    Some((place, format!("{to}.{from} {value}")))
                }
                Ty::Prim(_)
                | Ty::Array(..)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Fun(_)
                | Ty::Con(..)
                | Ty::Meta(_)
                | Ty::Unique(_)
                | Ty::Error => None,
            };
            self.report(errors::foreign::conversion_by_word(word.span, fix));
            return true;
        }
        match errors::foreign::infix_word(name) {
            Some(operator) => {
                self.report(errors::foreign::word_as_operator(word.span, name, operator));
                true
            }
            None => false,
        }
    }

    /// `abs x` or `f32 x` where x is known to be an i32: proposes `i32.abs` or `f32.i32`. `reported` is how many messages
    /// there were before the function.
    pub(super) fn suggest_number_module(&mut self, reported: usize, fun: &Exp, arg: &Ty) {
        let ExpKind::Var(name) = &fun.kind else { return };
        let code = self.diags[reported..].first().map_or("", |d| d.code);
        let Ty::Prim(prim) = self.resolve(arg) else { return };
        let name = name.name.name.clone();
        let new = match code {
            "unknown-name" if self.number_modules_with(&name).contains(&prim.name()) => {
                Some(format!("{prim}.{name}"))
            }
            // `f32 x`
            "module-as-value" if Prim::from_name(&name).is_some() => Some(format!("{name}.{prim}")),
            _ => None,
        };
        if let Some(new) = new {
            let fix = |d: Diagnostic| d.fix(format!("write `{new}`"), [(fun.span, new.clone())]);
            let d = self.diags.remove(reported);
            self.diags.insert(reported, fix(d));
        }
    }

    /// `f(x, y)` for `f x y`, and `xs(0)` or `xs [0]` for `xs[0]`.
    pub(super) fn suggest_call(&mut self, fun: &Exp, args: &[Exp], i: usize) {
        let arg = &args[i];
        let code = self.diags.last().map_or("", |d| d.code);
        let text = |span: Span| self.sources.text(span).to_owned();
        if let ExpKind::Tuple(parts) = &arg.kind
            && code == "type-mismatch"
            && args.len() == 1
            && parts.len() > 1
        {
            let parts = parts.iter().map(|part| match is_atom(part) {
                true => text(part.span),
                false => format!("({})", text(part.span)),
            });
            let new = format!("{} {}", text(fun.span), parts.collect::<Vec<_>>().join(" "));
            if !new.contains('\n') {
                let place = fun.span.to(arg.span);
                self.advise(|d| {
                    d.help("Arguments are separated by spaces; commas make a tuple.")
                        .fix("write it like this", [(place, new)])
                });
            }
        } else if code != "not-a-function" || i > 0 {
            // The array is not what is applied.
        } else if matches!(&arg.kind, ExpKind::Array(elems) if !elems.is_empty()) {
            let gap = Span { start: fun.span.end, end: arg.span.start, ..fun.span };
            let is_literal = matches!(fun.kind, ExpKind::Lit(_));
            self.advise(|d| match is_literal {
                true => d
                    .help("A literal is indexed in parentheses; without them, what is in brackets is an argument.")
                    .fix("add them", [(fun.span.before(), "(".to_owned()), (gap, ")".to_owned())]),
                false => d
                    .help("An index directly follows its array, without a space.")
                    .fix("leave out the space", [(gap, String::new())]),
            });
        } else if let ExpKind::Paren(inner) = &arg.kind
            && args.len() == 1
            && fun.span.end == arg.span.start
        {
            let new = format!("[{}]", text(inner.span));
            self.advise(|d| {
                d.help("An element of an array is `xs[i]`.")
                    .fix("write brackets", [(arg.span, new)])
            });
        }
    }

    /// `xs + 1`, `"a" + "b"` and `x ^ 2.0`: operators that work on other types elsewhere.
    pub(super) fn suggest_operator(&mut self, bin: &BinOp, operand: &Ty) {
        let op = bin.op.name.name.name.as_str();
        let advice = match (op, self.resolve(operand)) {
            ("^", Ty::Prim(prim)) if prim.is_float() => Some("The power is `**`.".to_owned()),
            ("+" | "-" | "*" | "/" | "%" | "**", Ty::Array(..)) => Some(format!(
                "To operate on the elements of arrays, write `map2 ({op}) xs ys` or `map ({op} x) xs`; `++` concatenates arrays."
            )),
            _ => None,
        };
        if let Some(advice) = advice {
            self.advise(|d| d.help(advice));
        }
    }

    /// `reduce + 0 xs`, which adds to reduce. Says whether it is that.
    pub(super) fn suggest_operator_as_argument(&mut self, bin: &BinOp, lhs: &Ty) -> bool {
        let Ty::Fun(fun) = self.resolve(lhs) else { return false };
        let Ty::Fun(wanted) = self.resolve(&fun.param) else { return false };
        // Of two arguments.
        if !matches!(self.resolve(&wanted.ret), Ty::Fun(_)) {
            return false;
        }
        let (op, place) = (&bin.op.name.name.name, bin.op.name.span);
        self.advise(|d| {
            d.help("An operator that is an argument is written in parentheses.")
                .fix("add them", [(place, format!("({op})"))])
        });
        true
    }

    /// `f -x`, which subtracts x from f.
    pub(super) fn suggest_negative_argument(&mut self, bin: &BinOp, lhs: &Ty) {
        let op = bin.op.name.span;
        let touches = op.end == bin.rhs.span.start && bin.lhs.span.end < op.start;
        let is_function = matches!(self.resolve(lhs), Ty::Fun(_));
        if bin.op.name.name.name != "-" || !touches || !is_function {
            return;
        }
        let end = Span { start: bin.rhs.span.end, ..bin.rhs.span };
        self.advise(|d| {
            d.help("This subtracts; put a negative argument in parentheses.")
                .fix("add them", [(op.before(), "(".to_owned()), (end, ")".to_owned())])
        });
    }
}

/// Whether an expression needs no parentheses as an argument.
pub(super) fn is_atom(exp: &Exp) -> bool {
    matches!(
        exp.kind,
        ExpKind::Lit(_)
            | ExpKind::Var(_)
            | ExpKind::Paren(_)
            | ExpKind::Tuple(_)
            | ExpKind::Record(_)
            | ExpKind::Array(_)
            | ExpKind::Index(..)
            | ExpKind::Project(..)
            | ExpKind::Section(_)
            | ExpKind::SectionLeft(..)
            | ExpKind::SectionRight(..)
    )
}
