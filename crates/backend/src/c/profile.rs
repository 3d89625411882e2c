//! What profiles know of a program: its operators, and where the parts of each are in the source.

use super::fun::Frame;
use super::literal;
use fehu_imp::{Share, Work};
use indexmap::IndexSet;
use std::fmt::Write;

/// The operators of a program so far.
#[derive(Default)]
pub(super) struct Operators(IndexSet<Operator>);

/// An operator, without what it does at run time.
#[derive(PartialEq, Eq, Hash)]
struct Operator {
    name: String,
    function: String,
    place: String,
    exact: bool,
    parts: Vec<String>,
}

impl Operators {
    /// The tables `fe_operators` and `fe_operator_parts`, if there are any operators.
    pub(super) fn text(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let mut parts = String::from("static const char *const fe_operator_parts[] = {\n");
        let mut text = String::from("static const struct fe_operator fe_operators[] = {\n");
        let mut first = 0;
        for operator in &self.0 {
            let [name, function, place] = [&operator.name, &operator.function, &operator.place]
                .map(|text| literal::string(text));
            let (exact, count) = (operator.exact, operator.parts.len());
            // A string takes whatever is written to it.
            let _ = writeln!(
                text,
                "  {{\"{name}\", \"{function}\", \"{place}\", {exact}, {first}, {count}}},"
            );
            for part in &operator.parts {
                let _ = writeln!(parts, "  \"{}\",", literal::string(part));
            }
            first += count;
        }
        format!("{parts}  NULL,\n}};\n\n{text}}};\n\n")
    }
}

impl Frame<'_> {
    /// An operator begins.
    pub(super) fn begin(&mut self, work: &Work) {
        let operator = Operator {
            name: work.name.to_string(),
            function: self.fun.name.to_string(),
            place: work.place.to_string(),
            exact: work.exact,
            parts: work.parts.iter().map(|part| part.place.to_string()).collect(),
        };
        let (number, _) = self.device.operators.0.insert_full(operator);
        let amounts = work.parts.iter().flat_map(Share::amounts);
        let amounts: Vec<String> = amounts.map(|e| self.scope().text(e)).collect();
        self.line("if (ctx->profiling) {");
        self.deeper(|frame| match amounts.is_empty() {
            true => frame.line(&format!("fe_begin(ctx, {number}, NULL);")),
            false => {
                let name = frame.shared.names.fresh("work");
                frame.line(&format!("const int64_t {name}[] = {{{}}};", amounts.join(", ")));
                frame.line(&format!("fe_begin(ctx, {number}, {name});"));
            }
        });
        self.line("}");
    }

    /// The operator that began last ends.
    pub(super) fn end(&mut self) {
        self.line("if (ctx->profiling) {");
        self.deeper(|frame| frame.line("fe_end(ctx);"));
        self.line("}");
    }
}
