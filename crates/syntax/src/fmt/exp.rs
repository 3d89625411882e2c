//! Expressions to instructions.

use super::build::{Builder, Items};
use crate::ast::{
    Access, DimIndex, Exp, ExpKind, Lambda, LetBind, LetKind, Loop, LoopForm, Operator, Range,
};
use crate::parser::level_of;
use crate::token::TokenKind;
use fehu_base::Span;

impl Builder<'_> {
    /// An expression.
    pub(super) fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Lit(_) | ExpKind::Var(_) | ExpKind::Hole | ExpKind::Error => {
                self.word(exp.span);
            }
            ExpKind::Section(op) => {
                self.tok();
                self.operator(op);
                self.expect(TokenKind::RParen);
            }
            ExpKind::Paren(inner) => self.bracketed(exp.span.end, |b| {
                b.exp(inner);
            }),
            ExpKind::Tuple(items) => self.exps(exp.span.end, items, Items::Vertical),
            ExpKind::Array(items) => {
                let table = items.iter().all(is_simple);
                let layout = if table { Items::AsWritten } else { Items::Vertical };
                self.exps(exp.span.end, items, layout);
            }
            ExpKind::Record(fields) => {
                self.list(exp.span.end, fields, Items::Vertical, |b, field| {
                    b.word(field.name.span);
                    if let Some(value) = &field.value {
                        b.space_tok(TokenKind::Equals);
                        b.body(|b| b.exp(value));
                    }
                });
            }
            ExpKind::Project(inner, field) => {
                self.exp(inner);
                self.word(field.span);
            }
            ExpKind::Index(inner, indices) => {
                self.exp(inner);
                self.indices(indices, exp.span);
            }
            ExpKind::LocalOpen(name, inner) => {
                self.word(name.span);
                self.expect(TokenKind::Dot);
                self.bracketed(exp.span.end, |b| {
                    b.exp(inner);
                });
            }
            ExpKind::Ascribe(inner, ty) | ExpKind::Coerce(inner, ty) => {
                self.align();
                let group = self.open();
                self.exp(inner);
                self.line_before_operator(group, 1);
                self.tok();
                self.space();
                self.ty(ty);
                self.close(group);
                self.pop();
            }
            ExpKind::Negate(inner) | ExpKind::Not(inner) => {
                self.tok();
                self.exp(inner);
            }
            ExpKind::BinOp(_) => self.chain(exp),
            ExpKind::Apply(function, args) => self.apply(|b| b.exp(function), args),
            ExpKind::Ctor(name, args) => self.apply(|b| b.word(name.span), args),
            ExpKind::Range(range) => self.range(range),
            ExpKind::If(_) => self.if_exp(exp),
            ExpKind::Let(binds, body) => self.let_exp(binds, body),
            ExpKind::Lambda(lambda) => {
                self.align();
                self.lambda(lambda);
                self.pop();
            }
            ExpKind::Loop(l) => self.loop_exp(l),
            ExpKind::Update(_) => self.update(exp),
            ExpKind::Match(scrutinee, cases) => {
                let before = self.broken_lines;
                self.align();
                let group = self.open();
                self.expect(TokenKind::Match);
                self.space();
                self.exp(scrutinee);
                for case in cases {
                    self.line_or_blank(group);
                    self.expect(TokenKind::Case);
                    self.space();
                    self.indent(4);
                    self.pat(&case.pat);
                    self.space_tok(TokenKind::Arrow);
                    self.pop();
                    self.body(|b| b.exp(&case.body));
                }
                self.close(group);
                self.pop();
                self.break_if_grown(group, before);
            }
            ExpKind::Assert(condition, inner) => {
                self.align();
                self.expect(TokenKind::Assert);
                self.space();
                self.exp(condition);
                self.body(|b| b.exp(inner));
                self.pop();
            }
            ExpKind::Attr(attr, inner) => {
                self.align();
                self.attr(attr);
                let group = self.open();
                self.line(group);
                let before = self.broken_lines;
                self.exp(inner);
                self.break_if_grown(group, before);
                self.close(group);
                self.pop();
            }
            ExpKind::SectionLeft(inner, op) => self.bracketed(exp.span.end, |b| {
                b.exp(inner);
                b.space();
                b.operator(op);
            }),
            ExpKind::SectionRight(op, inner) => self.bracketed(exp.span.end, |b| {
                b.operator(op);
                b.space();
                b.exp(inner);
            }),
            ExpKind::SectionAccess(path) => self.bracketed(exp.span.end, |b| b.path(path)),
        }
    }

    /// Breaks the group if anything was broken since `before`.
    fn break_if_grown(&mut self, group: u32, before: usize) {
        if self.broken_lines > before {
            self.break_group(group);
        }
    }

    fn exps(&mut self, end: u32, items: &[Exp], layout: Items) {
        self.list(end, items, layout, |b, e| {
            b.exp(e);
        })
    }

    fn operator(&mut self, op: &Operator) {
        if op.backticks {
            self.expect(TokenKind::Backtick);
            self.word(op.name.span);
            self.expect(TokenKind::Backtick);
        } else {
            self.word(op.name.span);
        }
    }

    /// `a + b - c`: all operators of one level.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are written as they are")]
    fn chain(&mut self, exp: &Exp) {
        let (first, rest) = operands(exp);
        self.align();
        let group = self.open();
        self.exp(first);
        for (op, operand) in rest {
            let tokens = if op.backticks { 3 + 2 * op.name.quals.len() } else { 1 };
            self.line_before_operator(group, tokens);
            self.operator(op);
            self.space();
            match &operand.kind {
                // The body is indented from the start of the chain, not from the lambda.
                ExpKind::Lambda(lambda) => self.lambda(lambda),
                _ => self.exp(operand),
            }
        }
        self.close(group);
        self.pop();
    }

    /// `f a b`: the arguments stand below each other, indented if the first is not on the line of
    /// the function.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others need nothing around them")]
    fn apply(&mut self, function: impl FnOnce(&mut Self), args: &[Exp]) {
        self.align();
        let group = self.open();
        function(self);
        let hangs = !args.is_empty() && !self.breaks_at(0);
        if hangs {
            self.space();
            self.align();
        } else {
            self.indent(2);
        }
        let mut popped = false;
        for (i, arg) in args.iter().enumerate() {
            match &arg.kind {
                // A last lambda on the line of what precedes it: its body is indented from the
                // function.
                ExpKind::Lambda(lambda) if !self.breaks_at(0) => {
                    self.pop();
                    popped = true;
                    if i > 0 {
                        self.space();
                    }
                    self.lambda(lambda);
                }
                _ => {
                    if i > 0 || !hangs {
                        self.line(group);
                    }
                    self.exp(arg);
                }
            }
        }
        if !popped {
            self.pop();
        }
        self.close(group);
        self.pop();
    }

    fn range(&mut self, range: &Range) {
        self.exp(&range.start);
        let spaced = self.spaced_at(0);
        let dots = |b: &mut Self| {
            if spaced {
                b.space();
            }
            b.tok();
            if spaced {
                b.space();
            }
        };
        dots(self);
        if let Some(second) = &range.second {
            self.exp(second);
            dots(self);
        }
        self.exp(&range.end);
    }

    /// `if a then b else if c then d else e`
    fn if_exp(&mut self, exp: &Exp) {
        let before = self.broken_lines;
        self.align();
        let group = self.open();
        let mut rest = exp;
        while let ExpKind::If(parts) = &rest.kind {
            let [condition, yes, no] = &**parts;
            self.expect(TokenKind::If);
            self.space();
            self.exp(condition);
            let then = self.open();
            self.line(then);
            self.expect(TokenKind::Then);
            self.branch(|b| b.exp(yes));
            self.close(then);
            self.line(group);
            self.expect(TokenKind::Else);
            rest = no;
            if !matches!(no.kind, ExpKind::If(_)) || self.comments_here() {
                self.branch(|b| b.exp(no));
                break;
            }
            self.space();
        }
        self.close(group);
        self.pop();
        self.break_if_grown(group, before);
    }

    fn let_exp(&mut self, binds: &[LetBind], body: &Exp) {
        let before = self.broken_lines;
        self.align();
        let group = self.open();
        for (i, bind) in binds.iter().enumerate() {
            if self.kind() == TokenKind::In {
                self.line_around_in(group);
                self.redundant_in(group);
            } else if i > 0 {
                self.line_or_blank(group);
            }
            self.let_bind(bind);
        }
        self.line_or_blank(group);
        self.expect(TokenKind::In);
        self.space();
        self.indent(3);
        self.exp(body);
        self.pop();
        self.close(group);
        self.pop();
        self.break_if_grown(group, before);
    }

    fn let_bind(&mut self, bind: &LetBind) {
        self.expect(TokenKind::Let);
        self.space();
        self.indent(4);
        let value = match &bind.kind {
            LetKind::Pat { sizes, pat, value } => {
                self.sizes(sizes);
                self.pat(pat);
                value
            }
            LetKind::Fun { name, type_params, params, ret, body } => {
                self.word(name.span);
                self.all_params(type_params, params);
                self.ret(ret.as_ref());
                body
            }
            LetKind::Update { name, path, value } => {
                self.word(name.span);
                self.path(path);
                value
            }
        };
        self.space_tok(TokenKind::Equals);
        self.pop();
        self.body(|b| b.exp(value));
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.expect(TokenKind::Backslash);
        self.indent(4);
        self.params(&lambda.params, true);
        self.ret(lambda.ret.as_ref());
        self.space_tok(TokenKind::Arrow);
        self.pop();
        self.body(|b| b.exp(&lambda.body));
    }

    fn loop_exp(&mut self, l: &Loop) {
        self.align();
        self.expect(TokenKind::Loop);
        self.space();
        self.indent(4);
        self.sizes(&l.sizes);
        self.pat(&l.pat);
        if let Some(init) = &l.init {
            self.space_tok(TokenKind::Equals);
            self.pop();
            self.body(|b| b.exp(init));
            self.indent(4);
        }
        self.pop();
        let group = self.open();
        self.line(group);
        match &l.form {
            LoopForm::For(_, name, bound) => {
                self.expect(TokenKind::For);
                self.space();
                self.word(name.span);
                self.space();
                self.tok();
                self.space();
                self.exp(bound);
            }
            LoopForm::ForIn(pat, array) => {
                self.expect(TokenKind::For);
                self.space();
                self.pat(pat);
                self.space_tok(TokenKind::In);
                self.space();
                self.exp(array);
            }
            LoopForm::While(condition) => {
                self.expect(TokenKind::While);
                self.space();
                self.exp(condition);
            }
        }
        self.space_tok(TokenKind::Do);
        self.close(group);
        self.body(|b| b.exp(&l.body));
        self.pop();
    }

    /// `r with a = 1 with b = 2`
    fn update(&mut self, exp: &Exp) {
        let mut base = exp;
        let mut updates = Vec::new();
        while let ExpKind::Update(update) = &base.kind {
            updates.push(update);
            base = &update.base;
        }
        self.align();
        let group = self.open();
        self.exp(base);
        for update in updates.iter().rev() {
            self.indent(2);
            self.line(group);
            self.expect(TokenKind::With);
            self.space();
            self.path(&update.path);
            self.space_tok(TokenKind::Equals);
            self.pop();
            self.body(|b| b.exp(&update.value));
        }
        self.close(group);
        self.pop();
    }

    /// `.f[i].g`; the first dot may be missing.
    fn path(&mut self, path: &[Access]) {
        for step in path {
            self.tok_if(TokenKind::Dot);
            match step {
                Access::Field(name) => self.word(name.span),
                Access::Index(indices, span) => self.indices(indices, *span),
            }
        }
    }

    /// `[i, j:k]`
    fn indices(&mut self, indices: &[DimIndex], span: Span) {
        self.list(span.end, indices, Items::AsWritten, |b, index| match index {
            DimIndex::Fix(index) => {
                b.exp(index);
            }
            DimIndex::Slice { start, end, step, .. } => {
                for (i, part) in [start, end, step].into_iter().enumerate() {
                    if i > 0 {
                        // The second colon is optional.
                        b.tok_if(TokenKind::Colon);
                    }
                    if let Some(part) = part {
                        b.exp(part);
                    }
                }
            }
        });
    }
}

/// Whether several such elements of an array may stand on one line of several: numbers, names,
/// and short tuples and the like of them.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are simple if they are words")]
fn is_simple(exp: &Exp) -> bool {
    match &exp.kind {
        ExpKind::Tuple(parts) | ExpKind::Array(parts) | ExpKind::Ctor(_, parts) => {
            parts.len() <= 8 && parts.iter().all(is_word)
        }
        ExpKind::Record(fields) => {
            fields.len() <= 8 && fields.iter().all(|f| f.value.as_ref().is_none_or(is_word))
        }
        _ => is_word(exp),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "others are listed")]
fn is_word(exp: &Exp) -> bool {
    match &exp.kind {
        ExpKind::Negate(inner) | ExpKind::Not(inner) => {
            matches!(inner.kind, ExpKind::Lit(_) | ExpKind::Var(_))
        }
        _ => matches!(exp.kind, ExpKind::Lit(_) | ExpKind::Var(_) | ExpKind::Hole),
    }
}

/// The operands of a chain of operators of the same level, with the operator before each but the
/// first. Nesting goes to the left, or to the right for `<|`.
#[expect(clippy::wildcard_enum_match_arm, reason = "others end a chain")]
fn operands(exp: &Exp) -> (&Exp, Vec<(&Operator, &Exp)>) {
    let ExpKind::BinOp(top) = &exp.kind else {
        return (exp, Vec::new());
    };
    let level = level_of(&top.op);
    let mut rest = Vec::new();
    let mut first = &top.lhs;
    while let ExpKind::BinOp(bin) = &first.kind {
        if level_of(&bin.op) != level {
            break;
        }
        rest.push((&bin.op, &bin.rhs));
        first = &bin.lhs;
    }
    rest.reverse();
    rest.push((&top.op, &top.rhs));
    while let Some((op, last)) = rest.pop() {
        match &last.kind {
            ExpKind::BinOp(bin) if level_of(&bin.op) == level => {
                rest.push((op, &bin.lhs));
                rest.push((&bin.op, &bin.rhs));
            }
            _ => {
                rest.push((op, last));
                break;
            }
        }
    }
    (first, rest)
}
