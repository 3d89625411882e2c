//! Expressions that bind names, as sizes.
//!
//! `let`, `match`, `loop` and lambdas are no terms: what they bind has no meaning outside of them. As the size in a type
//! such an expression is kept as it is written, as code whose parameters are its free variables. Two of them are equal if
//! they are written alike and their free variables are.

use ecow::EcoString;
use fehu_base::FileId;
use fehu_syntax::ast::NodeId;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// The head of a term whose `args` are the free variables of an expression.
#[derive(Clone, Debug)]
pub struct Code {
    /// The file and the node of the expression.
    pub place: (FileId, NodeId),
    /// The variables that the expression names for the arguments.
    pub free: Vec<super::VarId>,
    /// Its text up to the last free variable.
    pub parts: Vec<Part>,
    /// The text after the last of them.
    pub rest: EcoString,
    /// What codes are compared by: the tree without its places.
    pub key: EcoString,
}

/// A free variable in the text of a [`Code`].
#[derive(Clone, Debug)]
pub struct Part {
    /// What stands between the last one and this one.
    pub before: EcoString,
    /// How it is written.
    pub written: EcoString,
    /// Which argument it is.
    pub arg: usize,
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.key == other.key
    }
}

impl Eq for Code {}

impl PartialOrd for Code {
    fn partial_cmp(&self, other: &Code) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Code {
    fn cmp(&self, other: &Code) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}
