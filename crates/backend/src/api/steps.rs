//! Tables of the steps of entry points on sequences; see `struct fe_streaming` in `runtime/streams.h`.

use super::code::{Code, commas, lines};
use super::names::{self, quoted};
use fehu_base::Prim;
use fehu_ir::streaming::{Sequence, Step, Streaming, slot_type};
use fehu_ir::{Atom, Elem, Entry, Fun, FunId, Prog, Scalar, Type, Var};

/// The largest number of dimensions; `FE_PART_RANK` in C.
const MAX_RANK: usize = 16;

/// The steps of an entry point, with the functions that they call and the names of these in C.
pub(super) struct Steps<'a> {
    pub(super) streaming: &'a Streaming,
    fun: &'a Fun,
    /// By the numbers of steps.
    funs: Vec<(usize, &'a Fun, String)>,
}

/// The steps of all entry points that have some.
pub(super) fn all<'a>(prog: &'a Prog, functions: &dyn Fn(FunId) -> String) -> Vec<Steps<'a>> {
    let mut all = Vec::new();
    for streaming in &prog.streams {
        let Some(entry) = prog.entries.iter().find(|entry| entry.name == streaming.entry) else {
            continue;
        };
        let fun = &prog.funs[entry.fun];
        let vars = fun.params.iter().map(|param| param.var).chain(fun.results.iter().copied());
        let simple =
            |var: Var| slot_type(&fun.vars[var].ty).is_some_and(|(_, rank)| rank <= MAX_RANK);
        let slots = streaming.slots.iter().all(|(_, rank)| *rank <= MAX_RANK);
        if slots && vars.into_iter().all(simple) {
            let steps = streaming.steps.iter().enumerate();
            let funs = steps.filter_map(|(index, step)| Some((index, step.fun()?)));
            let funs = funs.map(|(index, id)| (index, &prog.funs[id], functions(id))).collect();
            all.push(Steps { streaming, fun, funs });
        }
    }
    all
}

/// The tables of an entry point; a pointer to them.
pub(super) fn tables(
    steps: &Steps<'_>,
    entry: &Entry,
    code: &mut Code,
    data: &mut String,
) -> String {
    let name = names::escape(&entry.name);
    let Steps { streaming, fun, funs } = steps;
    for (index, fun, c_name) in funs {
        wrapper(&format!("fe_step_{name}_{index}"), fun, c_name, code);
    }
    let mut put = |kind: &str, suffix: &str, items: Vec<String>| {
        // One more than there are, since C has no empty arrays.
        let end = match kind {
            "int" => "-1",
            "bool" => "false",
            _ => "{0}",
        };
        let items = commas(items.into_iter().chain([end.to_owned()]), std::convert::identity);
        data.push_str(&format!("static const {kind} fe_{suffix}[] = {{{items}}};\n"));
        format!("fe_{suffix}")
    };
    let slot_of = |var: Var| {
        let index = fun.params.iter().position(|param| param.var == var);
        index.and_then(|index| streaming.params[index])
    };
    let params: Vec<Var> = fun.params.iter().map(|param| param.var).collect();
    let leading = params.len() - entry.params.iter().map(|(_, ty)| ty.parts().len()).sum::<usize>();
    let param_columns: Vec<String> =
        params[leading..].iter().map(|var| column(&fun.vars[*var].ty, &slot_of)).collect();
    let sizes = fun.results.len() - entry.result.parts().len();
    // The sizes of results come with them.
    let part_columns: Vec<String> =
        fun.results[sizes..].iter().map(|var| column(&fun.vars[*var].ty, &|_| None)).collect();

    let sequences = |all: &[Sequence],
                     columns: &[String],
                     which: &str,
                     put: &mut dyn FnMut(&str, &str, Vec<String>) -> String| {
        let rows = all.iter().enumerate().map(|(i, sequence)| {
            let own = columns[sequence.first..][..sequence.count].to_vec();
            let list = put("struct fe_column", &format!("{which}_{name}_{i}"), own);
            format!(
                "{{{}, {}, {}, {}, {list}}}",
                quoted(&sequence.name),
                sequence.first,
                sequence.pieces,
                sequence.count
            )
        });
        let rows: Vec<String> = rows.collect();
        put("struct fe_sequence", &format!("{which}s_{name}"), rows)
    };
    let sources = sequences(&entry.sources, &param_columns, "source", &mut put);
    let sinks = sequences(&entry.sinks, &part_columns, "sink", &mut put);
    let param_list = put("struct fe_column", &format!("params_{name}"), param_columns);
    let part_list = put("struct fe_column", &format!("parts_{name}"), part_columns);
    let place = |slot: &Option<usize>| slot.map_or("-1".to_owned(), |slot| slot.to_string());
    let param_slots = streaming.params[leading..].iter().map(place).collect();
    let param_slots = put("int", &format!("param_slots_{name}"), param_slots);
    let part_slots = streaming.results.iter().map(place).collect();
    let part_slots = put("int", &format!("part_slots_{name}"), part_slots);
    let slots = streaming.slots.iter().map(|(prim, rank)| slot(*prim, *rank)).collect();
    let slots = put("struct fe_column", &format!("slots_{name}"), slots);
    let rows = streaming.steps.iter().enumerate();
    let rows = rows.map(|(i, step)| step_row(step, &format!("{name}_{i}"), &mut put)).collect();
    let rows = put("struct fe_step", &format!("steps_{name}"), rows);
    let again = (0..entry.sources.len()).map(|i| streaming.again.contains(&i).to_string());
    let again = put("bool", &format!("again_{name}"), again.collect());
    let members = lines![
        ".num_sources = {0}", entry.sources.len();
        ".num_sinks = {0}", entry.sinks.len();
        ".num_slots = {0}", streaming.slots.len();
        ".num_steps = {0}", streaming.steps.len();
        ".num_params = {0}", params.len() - leading;
        ".num_parts = {0}", streaming.results.len();
        ".sources = {sources}";
        ".sinks = {sinks}";
        ".again = {again}";
        ".slots = {slots}";
        ".steps = {rows}";
        ".params = {param_list}";
        ".param_slots = {param_slots}";
        ".parts = {part_list}";
        ".part_slots = {part_slots}";
    ];
    let members: String = members.iter().map(|member| format!("  {member},\n")).collect();
    data.push_str(&format!(
        "static const struct fe_streaming fe_streaming_{name} = {{\n{members}}};\n"
    ));
    format!("&fe_streaming_{name}")
}

fn step_row(
    step: &Step,
    name: &str,
    put: &mut dyn FnMut(&str, &str, Vec<String>) -> String,
) -> String {
    let list =
        |what: &str, slots: &[usize], put: &mut dyn FnMut(&str, &str, Vec<String>) -> String| {
            put("int", &format!("step_{what}_{name}"), slots.iter().map(usize::to_string).collect())
        };
    let mut members = match step {
        Step::Jump { unless, to } => lines![
            ".jump = true";
            ".unless = {0}", unless.map_or("-1".to_owned(), |slot| slot.to_string());
            ".to = {to}";
        ],
        Step::Call { args, results, .. } => lines![
            ".num_args = {0}", args.len();
            ".args = {0}", list("args", args, put);
            ".num_results = {0}", results.len();
            ".results = {0}", list("results", results, put);
        ],
        Step::Pass(pass) => {
            let rows = pass.sinks.iter().enumerate().map(|(i, sink)| {
                let arrays = match &sink.arrays {
                    Some(arrays) => list(&format!("sink{i}"), arrays, put),
                    None => "NULL".to_owned(),
                };
                let (out, column) = match sink.out {
                    Some((out, column)) => (out.to_string(), column),
                    None => ("-1".to_owned(), 0),
                };
                format!("{{{}, {}, {arrays}, {out}, {column}}}", sink.count, sink.parts)
            });
            let rows = rows.collect();
            let sinks = put("struct fe_sink", &format!("step_sinks_{name}"), rows);
            lines![
                ".pass = true";
                ".num_args = {0}", pass.args.len();
                ".args = {0}", list("args", &pass.args, put);
                ".num_sources = {0}", pass.sources.len();
                ".sources = {0}", list("sources", &pass.sources, put);
                ".num_states = {0}", pass.states.len();
                ".states = {0}", list("states", &pass.states, put);
                ".num_sinks = {0}", pass.sinks.len();
                ".sinks = {sinks}";
                ".width = {0}", pass.width.map_or("-1".to_owned(), |slot| slot.to_string());
            ]
        }
    };
    members.extend(step.fun().map(|_| format!(".call = fe_step_{name}")));
    format!("\n  {{{}}}", members.join(", "))
}

/// A function that calls that of a step with slots.
fn wrapper(name: &str, fun: &Fun, c_name: &str, code: &mut Code) {
    let scalar = |place: &str, index: usize, prim: Prim| {
        format!("({} *)(void *){place}[{index}]->scalar.bytes", names::prim(prim))
    };
    let mut args = vec!["ctx".to_owned()];
    for (index, var) in fun.results.iter().enumerate() {
        let ty = &fun.vars[*var].ty;
        args.extend(part(ty).map(|(prim, rank)| match rank {
            0 => scalar("out", index, prim),
            _ => format!("&out[{index}]->mem"),
        }));
    }
    for (index, param) in fun.params.iter().enumerate() {
        let ty = &fun.vars[param.var].ty;
        args.extend(part(ty).map(|(prim, rank)| match rank {
            0 => format!("*{}", scalar("in", index, prim)),
            _ => format!("in[{index}]->mem"),
        }));
    }
    let mut body = Vec::new();
    if fun.params.is_empty() {
        body.push("(void)in;".to_owned());
    }
    if fun.results.is_empty() {
        body.push("(void)out;".to_owned());
    }
    body.extend(lines![
        "if (fe_begin_call(ctx) != FUTHARK_SUCCESS) {{";
        "  return FUTHARK_PROGRAM_ERROR;";
        "}}";
        "const int code = {c_name}({0});", args.join(", ");
        "if (code != FUTHARK_SUCCESS) {{";
        "  return fe_call_failed(ctx, code);";
        "}}";
    ]);
    for (index, var) in fun.results.iter().enumerate() {
        for (dim, size) in fun.vars[*var].ty.shape().iter().enumerate() {
            let size = match size {
                Atom::Const(Scalar::I64(size)) => size.to_string(),
                Atom::Const(_) => "0".to_owned(),
                Atom::Var(size) => {
                    let result = fun.results.iter().position(|var| var == size);
                    let param = fun.params.iter().position(|param| param.var == *size);
                    match (result, param) {
                        (Some(i), _) => format!("out[{i}]->scalar.i64"),
                        (None, Some(i)) => format!("in[{i}]->scalar.i64"),
                        (None, None) => "0".to_owned(),
                    }
                }
            };
            body.push(format!("out[{index}]->shape[{dim}] = {size};"));
        }
    }
    body.push("return FUTHARK_SUCCESS;".to_owned());
    let signature = format!(
        "int {name}(struct futhark_context *ctx, struct fe_held *const *out, struct fe_held *const *in)"
    );
    code.private(&signature, &body);
}

/// The element and the rank of what is an argument in C; units are none.
fn part(ty: &Type) -> Option<(Prim, usize)> {
    match ty.elem() {
        Some(Elem::Prim(prim)) => Some((prim, ty.rank())),
        Some(Elem::Unit) | None => None,
    }
}

fn slot(prim: Prim, rank: usize) -> String {
    format!("{{&fe_prim_{}, {rank}, {{0}}, {{0}}}}", prim.name())
}

/// A type, with the slots of its sizes.
fn column(ty: &Type, slot_of: &dyn Fn(Var) -> Option<usize>) -> String {
    let Some((prim, rank)) = part(ty) else { return "{0}".to_owned() };
    let mut slots = Vec::new();
    let mut sizes = Vec::new();
    for size in ty.shape() {
        let (slot, size) = match size {
            Atom::Const(Scalar::I64(size)) => (None, *size),
            Atom::Const(_) => (None, 0),
            Atom::Var(var) => (slot_of(*var), -1),
        };
        slots.push(slot.map_or("-1".to_owned(), |slot| slot.to_string()));
        sizes.push(size.to_string());
    }
    let list = |items: Vec<String>| match items.is_empty() {
        true => "{0}".to_owned(),
        false => format!("{{{}}}", items.join(", ")),
    };
    format!("{{&fe_prim_{}, {rank}, {}, {}}}", prim.name(), list(slots), list(sizes))
}
