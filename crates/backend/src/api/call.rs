//! Functions of libraries for entry points on sequences: `futhark_stream_main` is `futhark_entry_main` with functions
//! of the caller instead of the sequences; see `runtime/stream_call.c`.

use super::code::{Code, commas, lines};
use super::names::{self, escape};
use super::opaque::place;
use super::steps::{self, Steps};
use super::types::{Part, TypeDef, Types};
use fehu_ir::Entry;

/// What an input of the entry point is here.
pub(super) enum Input<'a> {
    /// As it is, with the number of its first part.
    Value(&'a TypeDef, usize),
    /// A function for a sequence.
    Source,
    /// A part of the sequence before it.
    Rest,
}

/// The function of an entry point, and its tables. False if it has none.
pub(super) fn function(
    code: &mut Code,
    types: &Types,
    entries: &[Entry],
    steps: &Steps<'_>,
) -> bool {
    let entry = entries.iter().find(|entry| entry.name == steps.streaming.entry);
    let Some(entry) = entry else { return false };
    let (Some(inputs), Some(output)) =
        (super::entry::input_types(types, entry), types.id(&entry.result))
    else {
        return false;
    };
    let (inputs, output) = (inputs_of(entry, &inputs), types.get(output));
    let mut tables = String::new();
    steps::tables(steps, entry, code, &mut tables);
    code.definitions.push('\n');
    code.definitions.push_str(&tables);
    code.definitions.push_str(
        "FE_SHARED int fe_stream_call(struct futhark_context *ctx, const struct fe_streaming *streaming, \
         struct fe_held *params, const struct fe_pull *pulls, const struct fe_push *pushes, struct fe_held *results);\n",
    );
    let name = escape(&entry.name);
    let mut params = vec!["struct futhark_context *ctx".to_owned(), output.output("out0")];
    for sink in 0..entry.sinks.len() {
        params.push(format!("futhark_sink *sink{sink}"));
        params.push(format!("void *sink{sink}_state"));
    }
    for (i, input) in inputs.iter().enumerate() {
        match input {
            Input::Value(ty, _) => params.push(ty.input(&format!("in{i}"))),
            Input::Source => {
                params.push(format!("futhark_source *in{i}"));
                params.push(format!("void *in{i}_state"));
            }
            Input::Rest => {}
        }
    }
    let signature = format!("int futhark_stream_{name}({})", params.join(", "));
    code.public(&signature, &body(entry, &inputs, output, &name));
    true
}

/// What the inputs of an entry point on sequences are.
pub(super) fn inputs_of<'a>(entry: &Entry, types: &[&'a TypeDef]) -> Vec<Input<'a>> {
    let mut part = 0;
    let mut inputs = Vec::with_capacity(types.len());
    for ty in types {
        let sequence = entry
            .sources
            .iter()
            .find(|sequence| (sequence.first..sequence.first + sequence.count).contains(&part));
        inputs.push(match sequence {
            None => Input::Value(ty, part),
            Some(sequence) if sequence.first == part => Input::Source,
            Some(_) => Input::Rest,
        });
        part += ty.parts.len();
    }
    inputs
}

fn body(entry: &Entry, inputs: &[Input<'_>], output: &TypeDef, name: &str) -> Vec<String> {
    let count: usize = entry.params.iter().map(|(_, ty)| ty.parts().len()).sum();
    let mut body = lines![
        "if (fe_begin_call(ctx) != FUTHARK_SUCCESS) {{";
        "  return FUTHARK_PROGRAM_ERROR;";
        "}}";
        "struct fe_held params[{0}] = {{0}}, results[{1}] = {{0}};", count + 1, output.parts.len() + 1;
    ];
    if output.is_prim() {
        body.push(format!("{} result = 0;", output.c_name));
    } else {
        body.extend(super::opaque::new_object(output, "result"));
    }
    let held = |part: &Part, index: usize, list: &str| {
        part.prim()
            .map(|prim| format!("*({} *)(void *){list}[{index}].scalar.bytes", names::prim(prim)))
    };
    for (i, input) in inputs.iter().enumerate() {
        let Input::Value(ty, first) = input else { continue };
        for (p, part) in ty.parts.iter().enumerate() {
            let (place, index) = (place(ty, &format!("in{i}"), p), first + p);
            match (held(part, index, "params"), part.rank()) {
                (Some(held), 0) => body.push(format!("{held} = {place};")),
                (Some(_), _) => body.extend(lines![
                    "fe_share(ctx, &params[{index}].mem, &{place}.mem, 0);";
                    "memcpy(params[{index}].shape, {place}.shape, sizeof {place}.shape);";
                ]),
                (None, _) => {}
            }
        }
    }
    let sources = inputs.iter().enumerate().filter(|(_, input)| matches!(input, Input::Source));
    let pulls = sources.map(|(i, _)| format!("{{in{i}, in{i}_state}}"));
    let pushes = (0..entry.sinks.len()).map(|i| format!("{{sink{i}, sink{i}_state}}"));
    // One more than there are, since C has no empty arrays.
    let end = || ["{NULL, NULL}".to_owned()];
    body.extend(lines![
        "const struct fe_pull pulls[] = {{{0}}};", commas(pulls.chain(end()), std::convert::identity);
        "const struct fe_push pushes[] = {{{0}}};", commas(pushes.chain(end()), std::convert::identity);
    ]);
    body.extend(lines![
        "const int code = fe_stream_call(ctx, &fe_streaming_{name}, params, pulls, pushes, results);";
        "if (code != FUTHARK_SUCCESS) {{";
    ]);
    if !output.is_prim() {
        body.push(format!("  {}(ctx, result);", output.function("free")));
    }
    body.extend(lines!["  return code;"; "}}"]);
    for (p, part) in output.parts.iter().enumerate() {
        let place = place(output, "result", p);
        match (held(part, p, "results"), part.rank()) {
            (Some(held), 0) => body.push(format!("{place} = {held};")),
            (Some(_), _) => body.extend(lines![
                "{place}.mem = results[{p}].mem;";
                "memcpy({place}.shape, results[{p}].shape, sizeof {place}.shape);";
            ]),
            (None, _) => {}
        }
    }
    body.extend(lines!["*out0 = result;"; "return FUTHARK_SUCCESS;"]);
    body
}
