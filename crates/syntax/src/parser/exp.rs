//! Expressions above the operators: ascription, prefix operators, application, and the forms that
//! start with a keyword and extend as far to the right as possible.

use super::Parser;
use super::explain::Want;
use super::operator::{Context, RANGE};
use crate::ast::{
    Case, Exp, ExpKind, Lambda, LetBind, LetKind, Loop, LoopForm, Pat, PatKind, TypeParam,
};
use crate::errors;
use crate::token::TokenKind;

impl Parser<'_> {
    /// An expression.
    pub(super) fn exp(&mut self) -> Exp {
        self.exp_in(Context::Plain)
    }

    /// An expression; directly in parentheses it may end before an operator, see [`Context`].
    pub(super) fn exp_in(&mut self, context: Context) -> Exp {
        let chain = self.start_chain();
        let start = self.here();
        let mut exp = self.operators(RANGE, context);
        while matches!(self.kind(), TokenKind::Colon | TokenKind::Coerce) {
            if !self.deepen_chain() {
                exp = self.error_exp();
                break;
            }
            let coerces = self.bump().kind == TokenKind::Coerce;
            let ty = Box::new(self.type_exp());
            let kind = if coerces {
                ExpKind::Coerce(Box::new(exp), ty)
            } else {
                ExpKind::Ascribe(Box::new(exp), ty)
            };
            exp = self.mk_exp(start, kind);
        }
        self.end_chain(chain);
        exp
    }

    /// An operand of an operator.
    pub(super) fn operand(&mut self) -> Exp {
        let start = self.here();
        let kind = match self.kind() {
            TokenKind::Minus | TokenKind::Bang => {
                if !self.enter() {
                    return self.error_exp();
                }
                let negates = self.bump().kind == TokenKind::Minus;
                let operand = Box::new(self.operand());
                self.leave();
                if negates { ExpKind::Negate(operand) } else { ExpKind::Not(operand) }
            }
            TokenKind::If => self.if_exp(),
            TokenKind::Let => self.let_exp(),
            TokenKind::Def if self.is_local_def() => {
                self.report(errors::local_def(start));
                self.tokens[self.pos].kind = TokenKind::Let;
                self.let_exp()
            }
            TokenKind::Loop => self.loop_exp(),
            TokenKind::Match => self.match_exp(),
            TokenKind::Backslash => self.lambda(),
            TokenKind::Assert => {
                self.bump();
                let condition = Box::new(self.atom());
                ExpKind::Assert(condition, Box::new(self.exp()))
            }
            TokenKind::AttrStart => {
                let attr = self.attr();
                ExpKind::Attr(attr, Box::new(self.exp()))
            }
            _ => return self.application(),
        };
        self.mk_exp(start, kind)
    }

    /// `f a b`, `#c a b`, or an atom alone.
    fn application(&mut self) -> Exp {
        let start = self.here();
        if self.kind() == TokenKind::Ctor {
            let name = self.bump_ctor();
            let args = self.arguments();
            return self.mk_exp(start, ExpKind::Ctor(name, args));
        }
        let function = self.atom();
        let args = self.arguments();
        if args.is_empty() {
            return function;
        }
        self.mk_exp(start, ExpKind::Apply(Box::new(function), args))
    }

    fn arguments(&mut self) -> Vec<Exp> {
        let mut args = Vec::new();
        while self.at_atom() {
            args.push(self.atom());
        }
        // A lambda needs no parentheses when it is the last argument.
        if self.kind() == TokenKind::Backslash {
            let start = self.here();
            let kind = self.lambda();
            args.push(self.mk_exp(start, kind));
        }
        args
    }

    fn if_exp(&mut self) -> ExpKind {
        let at = self.pos;
        self.bump();
        let condition = self.exp();
        if !self.expect_for(Want::Then(at), TokenKind::Then, "`then`") {
            return ExpKind::Error;
        }
        let yes = self.exp();
        if !self.expect_for(Want::Else(at), TokenKind::Else, "`else`") {
            return ExpKind::Error;
        }
        let no = self.exp();
        ExpKind::If(Box::new([condition, yes, no]))
    }

    fn lambda(&mut self) -> ExpKind {
        self.bump();
        let mut params = Vec::new();
        while self.at_pattern_atom() {
            params.push(self.pattern_atom());
        }
        if params.is_empty() {
            self.unexpected("a parameter");
        }
        let ret = self.eat(TokenKind::Colon).then(|| self.type_without_arrow());
        let arrow = self.expect_for(Want::LambdaArrow, TokenKind::Arrow, "`->`");
        if !arrow || params.is_empty() {
            return ExpKind::Error;
        }
        let body = self.exp();
        ExpKind::Lambda(Box::new(Lambda { params, ret, body }))
    }

    fn match_exp(&mut self) -> ExpKind {
        let at = self.pos;
        self.bump();
        let scrutinee = Box::new(self.exp());
        let mut cases = Vec::new();
        if self.kind() != TokenKind::Case {
            self.unexpected_for(Want::Case(at), "`case`");
            self.skip_to(TokenKind::Case);
        }
        while self.kind() == TokenKind::Case {
            let start = self.here();
            self.bump();
            let pat = self.case_pattern();
            let body = match self.expect_for(Want::CaseArrow, TokenKind::Arrow, "`->`") {
                true => self.exp(),
                false => self.error_exp(),
            };
            cases.push(Case { span: self.span_from(start), pat, body });
        }
        ExpKind::Match(scrutinee, cases)
    }

    fn loop_exp(&mut self) -> ExpKind {
        let at = self.pos;
        self.bump();
        let sizes = self.sizes();
        let pat = self.pattern();
        let init = self.eat(TokenKind::Equals).then(|| self.exp());
        let form = match self.kind() {
            TokenKind::For => {
                self.bump();
                if self.kind() == TokenKind::Ident && self.is_op(1, "<") {
                    let id = self.node();
                    let name = self.bump_ident();
                    self.bump();
                    LoopForm::For(id, name, self.exp())
                } else {
                    let pat = self.pattern();
                    if !self.expect_for(Want::ForIn, TokenKind::In, "`in`") {
                        return ExpKind::Error;
                    }
                    LoopForm::ForIn(pat, self.exp())
                }
            }
            TokenKind::While => {
                self.bump();
                LoopForm::While(self.exp())
            }
            _ => {
                let expected = match init {
                    Some(_) => "`for` or `while`",
                    None => "`=`, `for` or `while`",
                };
                self.unexpected_for(Want::LoopForm, expected);
                if self.skip_to(TokenKind::Do) {
                    self.bump();
                    self.exp();
                }
                return ExpKind::Error;
            }
        };
        if !self.expect_for(Want::Do(at), TokenKind::Do, "`do`") {
            return ExpKind::Error;
        }
        let body = self.exp();
        ExpKind::Loop(Box::new(Loop { sizes, pat, init, form, body }))
    }

    /// `[n] [m]` before a pattern.
    fn sizes(&mut self) -> Vec<TypeParam> {
        let mut sizes = Vec::new();
        while self.kind() == TokenKind::LBracket {
            sizes.push(self.size_param());
        }
        sizes
    }

    /// A chain of bindings with its body.
    fn let_exp(&mut self) -> ExpKind {
        let mut binds = Vec::new();
        while self.kind() == TokenKind::Let {
            let start = self.here();
            let at = self.pos;
            self.bump();
            let id = self.node();
            let kind = self.let_bind();
            binds.push(LetBind { id, span: self.span_from(start), kind });
            if self.kind() == TokenKind::Semicolon {
                self.unexpected_for(Want::In(at), "`in` or `let`");
                self.bump();
            }
            if self.kind() == TokenKind::Let && !self.at_dec_keyword_after_error() {
                continue;
            }
            if self.expect_for(Want::In(at), TokenKind::In, "`in` or `let`") {
                // `let .. in let ..` is the same chain.
                continue;
            }
            let body = Box::new(self.error_exp());
            return ExpKind::Let(binds, body);
        }
        let body = Box::new(self.exp());
        ExpKind::Let(binds, body)
    }

    /// Whether an error was just met and the current token is better read as a declaration.
    fn at_dec_keyword_after_error(&self) -> bool {
        self.error_at.is_some() && self.at_dec_keyword()
    }

    /// Whether the `def` at the cursor, where an expression is needed, is indented like a part of the
    /// present declaration.
    fn is_local_def(&self) -> bool {
        self.column_on_line_start().is_some_and(|column| column > self.dec_column)
    }

    fn let_bind(&mut self) -> LetKind {
        if self.kind() == TokenKind::Ident {
            match self.kind_at(1) {
                TokenKind::Equals | TokenKind::Colon => {}
                TokenKind::Dot => return self.let_update(),
                TokenKind::LBracket if self.tokens[self.pos + 1].glued => return self.let_update(),
                TokenKind::Tick | TokenKind::LBracket => return self.let_function(),
                _ if self.is_pattern_atom_at(1) => return self.let_function(),
                _ => {}
            }
        }
        let sizes = self.sizes();
        let pat = self.pattern();
        let value = self.bound_value();
        LetKind::Pat { sizes, pat, value }
    }

    fn let_update(&mut self) -> LetKind {
        let name = self.bump_ident();
        let mut path = Vec::new();
        self.more_access(&mut path);
        let value = self.bound_value();
        LetKind::Update { name, path, value }
    }

    fn let_function(&mut self) -> LetKind {
        let start = self.here();
        let name = self.bump_ident();
        let type_params = self.type_params();
        let params = self.params();
        let ret = self.eat(TokenKind::Colon).then(|| self.type_exp());
        if params.is_empty() {
            self.unexpected("a parameter");
            let value = self.bound_value();
            let pat = Pat { id: self.node(), span: start, kind: PatKind::Var(name) };
            return LetKind::Pat { sizes: type_params, pat, value };
        }
        let body = self.bound_value();
        LetKind::Fun { name, type_params, params, ret, body }
    }

    /// `= e`
    fn bound_value(&mut self) -> Exp {
        match self.expect_for(Want::LetEquals, TokenKind::Equals, "`=`") {
            true => self.exp(),
            false => self.error_exp(),
        }
    }

    /// Parameters of a function, as many as there are.
    pub(super) fn params(&mut self) -> Vec<Pat> {
        let mut params = Vec::new();
        while self.at_pattern_atom() {
            params.push(self.pattern_atom());
        }
        params
    }
}
