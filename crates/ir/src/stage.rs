//! The stages of a program on its way to code.

/// Which operations a program consists of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Array operators with functions: what lowering yields and the optimiser works on.
    Arrays,
    /// Likewise, and it is decided who executes each operator: [`Seg`](crate::Seg)s of a level. All other operators are
    /// sequential.
    Segs,
}

impl Stage {
    /// All stages.
    pub const ALL: &[Stage] = &[Stage::Arrays, Stage::Segs];

    /// The word a program's text begins with.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Arrays => "arrays",
            Stage::Segs => "segs",
        }
    }
}
