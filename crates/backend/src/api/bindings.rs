//! What shared libraries tell of their entry points to those who load them; the layout is in `runtime/bindings.h`.

use super::call::{Input, inputs_of};
use super::code::lines;
use super::names::{self, quoted};
use super::tables::{CTX, Described, Tables, list};
use super::types::{Kind, Part, TypeDef};
use fehu_ir::Entry;
use fehu_ir::streaming::Sequence;

/// The place of a sequence that is the whole result, or deeper inside of it than in a field.
const WHOLE: i64 = -1;
const INSIDE: i64 = -2;

impl Tables<'_> {
    /// How an entry point on sequences is called with functions for them; nothing for others.
    pub(super) fn binding(
        &mut self,
        index: usize,
        entry: &Entry,
        described: &Described,
    ) -> Vec<String> {
        if !self.steps.iter().any(|steps| steps.streaming.entry == entry.name) {
            return Vec::new();
        }
        let types = self.types;
        let inputs: Vec<&TypeDef> = described.inputs.iter().map(|id| types.get(*id)).collect();
        let output = types.get(described.output);
        let stream = format!("fe_stream_{}", names::escape(&entry.name));
        let places = self.stream(&stream, entry, &inputs, described);
        let params: Vec<&Part> = inputs.iter().flat_map(|ty| &ty.parts).collect();
        let results: Vec<&Part> = output.parts.iter().collect();
        let places = places.into_iter().map(|place| place as i64);
        let sources = entry.sources.iter().zip(places).collect();
        let sinks = entry.sinks.iter().map(|sink| (sink, self.place(output, sink))).collect();
        let sources = self.sequences(&format!("fe_sources_{index}"), sources, &params);
        let sinks = self.sequences(&format!("fe_sinks_{index}"), sinks, &results);
        lines![
            ".stream = {stream}";
            ".num_sources = {0}", entry.sources.len();
            ".num_sinks = {0}", entry.sinks.len();
            ".sources = {sources}";
            ".sinks = {sinks}";
        ]
    }

    /// Where in the result a sequence is.
    fn place(&self, output: &TypeDef, sink: &Sequence) -> i64 {
        if sink.count == output.parts.len() {
            return WHOLE;
        }
        let Kind::Record(fields) = &output.kind else { return INSIDE };
        let mut first = 0;
        for (i, field) in (0..).zip(fields) {
            let count = self.types.get(field.ty).parts.len();
            if (first, count) == (sink.first, sink.count) {
                return i;
            }
            first += count;
        }
        INSIDE
    }

    /// A table of sequences.
    fn sequences(
        &mut self,
        name: &str,
        sequences: Vec<(&Sequence, i64)>,
        parts: &[&Part],
    ) -> String {
        let mut rows = Vec::new();
        for (i, (sequence, place)) in sequences.into_iter().enumerate() {
            let own = parts.iter().skip(sequence.first).take(sequence.count);
            let columns = own.map(|part| match part.prim() {
                Some(prim) => format!("{{&fe_prim_{}, {}}}", prim.name(), part.rank()),
                None => "{NULL, 0}".to_owned(),
            });
            let columns = list(columns, "{NULL, 0}");
            self.data.push_str(&format!(
                "static const struct fehu_column {name}_{i}[] = {{{columns}}};\n"
            ));
            let (pieces, count) = (sequence.pieces, sequence.count);
            let title = quoted(&sequence.name);
            rows.push(format!("{{{title}, {place}, {pieces}, {count}, {name}_{i}}}"));
        }
        let rows = list(rows.into_iter(), "{NULL, 0, false, 0, NULL}");
        self.data.push_str(&format!("static const struct fehu_sequence {name}[] = {{{rows}}};\n"));
        name.to_owned()
    }

    /// The function of an entry point on sequences that takes lists; yields which inputs are sequences.
    fn stream(
        &mut self,
        name: &str,
        entry: &Entry,
        inputs: &[&TypeDef],
        described: &Described,
    ) -> Vec<usize> {
        let pushes =
            (0..entry.sinks.len()).map(|i| format!(", pushes[{i}].sink, pushes[{i}].state"));
        let mut rest = pushes.collect::<String>();
        let mut sources = Vec::new();
        for (i, (input, id)) in inputs_of(entry, inputs).iter().zip(&described.inputs).enumerate() {
            match input {
                Input::Value(..) => {
                    rest.push_str(&format!(", {}", self.load(*id, &format!("inputs[{i}]"))));
                }
                Input::Source => {
                    let pull = sources.len();
                    rest.push_str(&format!(", pulls[{pull}].source, pulls[{pull}].state"));
                    sources.push(i);
                }
                Input::Rest => {}
            }
        }
        let function = format!("futhark_stream_{}", names::escape(&entry.name));
        let mut body = lines!["(void)inputs;"; "(void)pulls;"; "(void)pushes;"];
        body.extend(self.call(&function, &[(described.output, "out".to_owned())], &rest));
        self.code.private(
            &format!(
                "int {name}({CTX}, void *out, const void *const *inputs, \
                 const struct fe_pull *pulls, const struct fe_push *pushes)"
            ),
            &body,
        );
        sources
    }
}
