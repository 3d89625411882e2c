//! The stages of a program on its way to code.

/// Which operations a program consists of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Array operators with functions: what lowering yields and the optimiser works on.
    Arrays,
}

impl Stage {
    /// All stages.
    pub const ALL: &[Stage] = &[Stage::Arrays];

    /// The word a program's text begins with.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Arrays => "arrays",
        }
    }
}
