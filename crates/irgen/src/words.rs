//! Words of programs that are made as text.

/// Names, each of them once.
#[derive(Default)]
pub(crate) struct Names(usize);

impl Names {
    pub(crate) fn fresh(&mut self) -> String {
        self.0 += 1;
        format!("v{}", self.0)
    }

    /// So many of them.
    pub(crate) fn several<const N: usize>(&mut self) -> [String; N] {
        std::array::from_fn(|_| self.fresh())
    }
}

/// A constant of an integer type.
pub(crate) fn constant(prim: &str, value: i64) -> String {
    match prim {
        "i64" => value.to_string(),
        prim => format!("{value}{prim}"),
    }
}
