//! A builder for C text.

/// Prototypes for the header, and definitions.
#[derive(Default)]
pub(super) struct Code {
    pub(super) prototypes: String,
    pub(super) definitions: String,
}

impl Code {
    /// A function of the interface. Lines of the body are indented by one level.
    pub(super) fn public(&mut self, signature: &str, body: &[String]) {
        self.prototypes.push_str(signature);
        self.prototypes.push_str(";\n");
        self.definition(signature, body);
    }

    /// A function that only this file knows.
    pub(super) fn private(&mut self, signature: &str, body: &[String]) {
        self.definition(&format!("static {signature}"), body);
    }

    fn definition(&mut self, signature: &str, body: &[String]) {
        self.definitions.push('\n');
        self.definitions.push_str(signature);
        self.definitions.push_str(" {\n");
        for line in body.iter().flat_map(|text| text.lines()) {
            if !line.is_empty() {
                self.definitions.push_str("  ");
            }
            self.definitions.push_str(line);
            self.definitions.push('\n');
        }
        self.definitions.push_str("}\n");
    }
}

/// `[format!(..), ..]` as a vector: the lines of a body.
macro_rules! lines {
    ($($line:literal $(, $arg:expr)*);* $(;)?) => { Vec::from([$(format!($line $(, $arg)*)),*]) };
}
pub(super) use lines;

/// A list with commas.
pub(super) fn commas<T>(
    items: impl IntoIterator<Item = T>,
    show: impl FnMut(T) -> String,
) -> String {
    items.into_iter().map(show).collect::<Vec<_>>().join(", ")
}

/// `int64_t dim0, int64_t dim1`
pub(super) fn sizes(prefix: &str, rank: usize) -> String {
    commas(0..rank, |i| format!("int64_t {prefix}{i}"))
}

/// `{dim0, dim1}`
pub(super) fn braces(prefix: &str, rank: usize) -> String {
    format!("{{{}}}", commas(0..rank, |i| format!("{prefix}{i}")))
}
