//! A builder for C text.

use fehu_base::OrBug;

/// `[format!(..), ..]` as a vector: the lines of a body.
macro_rules! lines {
    ($($line:literal $(, $arg:expr)*);* $(;)?) => { Vec::from([$(format!($line $(, $arg)*)),*]) };
}
pub(super) use lines;

/// Prototypes for the header, and definitions.
#[derive(Default)]
pub(super) struct Code {
    pub(super) prototypes: String,
    pub(super) definitions: String,
}

impl Code {
    /// A function of the interface. Lines of the body are indented by one level. Values that are NULL are refused before
    /// the body sees them, since clients often pass on what an earlier function has failed to make.
    pub(super) fn public(&mut self, signature: &str, body: &[String]) {
        self.prototypes.push_str(signature);
        self.prototypes.push_str(";\n");
        let mut all = refusals(signature);
        all.extend_from_slice(body);
        self.definition(signature, &all);
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

/// Statements that return if a value is NULL. Freeing nothing is fine.
fn refusals(signature: &str) -> Vec<String> {
    let (start, params) = signature.split_once('(').or_bug("parameter list of a function");
    let function = start.rsplit([' ', '*']).next().unwrap_or(start);
    if function.starts_with("futhark_free_") {
        return Vec::new();
    }
    let result = match () {
        () if function.starts_with("futhark_variant_") => "-1",
        () if start.starts_with("int ") => "FUTHARK_PROGRAM_ERROR",
        () => "NULL",
    };
    let params = params.trim_end_matches(')').split(", ");
    let values = params.filter_map(|param| {
        let param = param.strip_prefix("const ").unwrap_or(param);
        let (ty, name) = param.strip_prefix("struct ")?.split_once(" *")?;
        (ty != "futhark_context" && !name.starts_with('*')).then_some(name)
    });
    let refusal = |name: &str| {
        lines![
            "if ({name} == NULL) {{";
            "  fe_no_value(ctx, \"{function}\", \"{name}\");";
            "  return {result};";
            "}}";
        ]
    };
    values.flat_map(refusal).collect()
}

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
