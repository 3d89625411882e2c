//! Tokens: kinds and places, without text.
//!
//! A token is twelve bytes; its text is looked up in the source when it is needed, so a large file
//! costs little memory and no allocations before the tree is built.

use crate::ast::{Comment, Doc};

/// One token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Whether it follows its predecessor directly and that is a name, `)` or `]`. This makes a
    /// `[` an index rather than the start of an array.
    pub(crate) glued: bool,
    /// First byte.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
}

/// What the lexer makes of a file.
pub(crate) struct Tokens {
    /// The tokens; the last is [`TokenKind::Eof`].
    pub(crate) tokens: Vec<Token>,
    /// All comments in order.
    pub(crate) comments: Vec<Comment>,
    /// The documentation comments, each with the index of the token that follows it.
    pub(crate) docs: Vec<(Doc, usize)>,
}

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name.
    Ident,
    /// `_`
    Underscore,
    /// `#name`
    Ctor,
    /// An integer, with suffix if any.
    Int,
    /// A floating-point number, with suffix if any.
    Float,
    /// `'x'`
    Char,
    /// `"text"`
    String,
    /// Any operator but those with their own kind.
    Op,
    /// `m.n.+`
    QualOp,
    /// `-`
    Minus,
    /// `!`
    Bang,
    /// `=`
    Equals,
    /// `->`
    Arrow,
    /// `(`
    LParen,
    /// `)`
    RParen,
    /// `[`
    LBracket,
    /// `]`
    RBracket,
    /// `{`
    LBrace,
    /// `}`
    RBrace,
    /// `#[`
    AttrStart,
    /// `,`
    Comma,
    /// `;`, which is in no program; the parser knows best what was meant.
    Semicolon,
    /// `.`
    Dot,
    /// `..`
    DotDot,
    /// `...`
    Ellipsis,
    /// `..<`
    DotDotLess,
    /// `..>`
    DotDotGreater,
    /// `:`
    Colon,
    /// `:>`
    Coerce,
    /// `\`
    Backslash,
    /// `` ` ``
    Backtick,
    /// `'`
    Tick,
    /// `~`
    Tilde,
    /// `?`
    Question,
    /// `???`
    Hole,
    /// Text that the lexer refused; already reported.
    Bad,
    /// The end of the file.
    Eof,
    /// `assert`
    Assert,
    /// `case`
    Case,
    /// `def`
    Def,
    /// `do`
    Do,
    /// `else`
    Else,
    /// `entry`
    Entry,
    /// `false`
    False,
    /// `for`
    For,
    /// `if`
    If,
    /// `import`
    Import,
    /// `in`
    In,
    /// `include`
    Include,
    /// `let`
    Let,
    /// `local`
    Local,
    /// `loop`
    Loop,
    /// `match`
    Match,
    /// `module`
    Module,
    /// `open`
    Open,
    /// `then`
    Then,
    /// `true`
    True,
    /// `type`
    Type,
    /// `val`
    Val,
    /// `while`
    While,
    /// `with`
    With,
}

impl TokenKind {
    /// The keyword with this text.
    pub(crate) fn keyword(text: &str) -> Option<TokenKind> {
        Some(match text {
            "assert" => TokenKind::Assert,
            "case" => TokenKind::Case,
            "def" => TokenKind::Def,
            "do" => TokenKind::Do,
            "else" => TokenKind::Else,
            "entry" => TokenKind::Entry,
            "false" => TokenKind::False,
            "for" => TokenKind::For,
            "if" => TokenKind::If,
            "import" => TokenKind::Import,
            "in" => TokenKind::In,
            "include" => TokenKind::Include,
            "let" => TokenKind::Let,
            "local" => TokenKind::Local,
            "loop" => TokenKind::Loop,
            "match" => TokenKind::Match,
            "module" => TokenKind::Module,
            "open" => TokenKind::Open,
            "then" => TokenKind::Then,
            "true" => TokenKind::True,
            "type" => TokenKind::Type,
            "val" => TokenKind::Val,
            "while" => TokenKind::While,
            "with" => TokenKind::With,
            _ => return None,
        })
    }

    /// How messages name a token of this kind that was expected.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            TokenKind::Ident => "a name",
            TokenKind::Underscore => "`_`",
            TokenKind::Ctor => "a constructor such as `#c`",
            TokenKind::Int => "an integer",
            TokenKind::Float => "a number",
            TokenKind::Char => "a character",
            TokenKind::String => "a string",
            TokenKind::Op | TokenKind::QualOp => "an operator",
            TokenKind::Minus => "`-`",
            TokenKind::Bang => "`!`",
            TokenKind::Equals => "`=`",
            TokenKind::Arrow => "`->`",
            TokenKind::LParen => "`(`",
            TokenKind::RParen => "`)`",
            TokenKind::LBracket => "`[`",
            TokenKind::RBracket => "`]`",
            TokenKind::LBrace => "`{`",
            TokenKind::RBrace => "`}`",
            TokenKind::AttrStart => "an attribute",
            TokenKind::Comma => "`,`",
            TokenKind::Semicolon => "`;`",
            TokenKind::Dot => "`.`",
            TokenKind::DotDot => "`..`",
            TokenKind::Ellipsis => "`...`",
            TokenKind::DotDotLess => "`..<`",
            TokenKind::DotDotGreater => "`..>`",
            TokenKind::Colon => "`:`",
            TokenKind::Coerce => "`:>`",
            TokenKind::Backslash => "`\\`",
            TokenKind::Backtick => "a backtick",
            TokenKind::Tick => "`'`",
            TokenKind::Tilde => "`~`",
            TokenKind::Question => "`?`",
            TokenKind::Hole => "`???`",
            TokenKind::Bad => "a token",
            TokenKind::Eof => "the end of the file",
            TokenKind::Assert => "`assert`",
            TokenKind::Case => "`case`",
            TokenKind::Def => "`def`",
            TokenKind::Do => "`do`",
            TokenKind::Else => "`else`",
            TokenKind::Entry => "`entry`",
            TokenKind::False => "`false`",
            TokenKind::For => "`for`",
            TokenKind::If => "`if`",
            TokenKind::Import => "`import`",
            TokenKind::In => "`in`",
            TokenKind::Include => "`include`",
            TokenKind::Let => "`let`",
            TokenKind::Local => "`local`",
            TokenKind::Loop => "`loop`",
            TokenKind::Match => "`match`",
            TokenKind::Module => "`module`",
            TokenKind::Open => "`open`",
            TokenKind::Then => "`then`",
            TokenKind::True => "`true`",
            TokenKind::Type => "`type`",
            TokenKind::Val => "`val`",
            TokenKind::While => "`while`",
            TokenKind::With => "`with`",
        }
    }
}
