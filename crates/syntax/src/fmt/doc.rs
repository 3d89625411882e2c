//! The instructions between the tree and the text.

/// A group of line breaks, all of which are taken or none. Groups are numbered in the order in
/// which they open.
pub(super) type GroupId = u32;

/// One instruction. Tokens have no number: they are printed in order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// The next token, after the comments before it.
    Token,
    /// The next token, a comma: comments before it wait for the token after it.
    Comma,
    /// The next token, the `in` of `in let`: it is left out if the group is broken.
    RedundantIn(GroupId),
    /// The next token, a comma without use: it is left out, its comments wait.
    Skip,
    /// The comments before this byte.
    Comments(u32),
    /// A space.
    Space,
    /// A line break if the group is broken, a space otherwise.
    Line(GroupId),
    /// The same; an empty line of the source is kept.
    LineOrBlank(GroupId),
    /// A line break if the group is broken, nothing otherwise.
    SoftLine(GroupId),
    /// A space if the group is broken, nothing otherwise.
    SpaceIfBroken(GroupId),
    /// The start of a group.
    Open(GroupId),
    /// The end of a group.
    Close(GroupId),
    /// New lines are indented this much more.
    Indent(u32),
    /// New lines are indented two columns more if the group is broken.
    IndentIfBroken(GroupId),
    /// New lines are indented to the column of the next token.
    Align,
    /// Ends the last `Indent` or `Align`.
    Pop,
}

/// What is known of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// Whether its line breaks are taken.
    pub(super) broken: bool,
    /// Whether it has any.
    pub(super) has_lines: bool,
}

/// All instructions for a file.
pub(super) struct Doc {
    /// The instructions.
    pub(super) ops: Vec<Op>,
    /// The groups, by number.
    pub(super) groups: Vec<Group>,
}

/// The number of line breaks in the white space directly before a byte.
pub(super) fn breaks_before(text: &str, at: u32) -> usize {
    let before = text.as_bytes().get(..at as usize).unwrap_or_default();
    before
        .iter()
        .rev()
        .take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c))
        .filter(|&&b| b == b'\n')
        .count()
}
