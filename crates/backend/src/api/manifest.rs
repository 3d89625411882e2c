//! The manifest: a description of the API for tools, in JSON.

use super::TuningParam;
use super::entry::c_function;
use super::record::project;
use super::sum::{construct, destruct};
use super::types::{FieldDef, Kind, TypeDef, Types};
use crate::Target;
use crate::foreign::Prototype;
use fehu_ir::{Atom, Attr, Elem, Entry, External, Fun, Prog, Scalar, Var};
use serde_json::{Map, Value, json};

/// The manifest of a program.
pub(super) fn manifest(
    types: &Types,
    prog: &Prog,
    target: Target,
    tuning: &[TuningParam],
    foreign: &[Prototype],
) -> String {
    let entries: Map<String, Value> = prog
        .entries
        .iter()
        .map(|entry| (entry.name.to_string(), entry_point(types, prog, entry, tuning)))
        .collect();
    let described: Map<String, Value> = types
        .objects()
        .into_iter()
        .map(|ty| (ty.name.to_string(), type_entry(types, ty)))
        .collect();
    let mut manifest = json!({
        "backend": target.name(),
        "version": concat!("fehu ", env!("CARGO_PKG_VERSION")),
        "entry_points": entries,
        "types": described,
    });
    // Tools from elsewhere do not expect it.
    if !foreign.is_empty() {
        let described = foreign.iter().map(|prototype| {
            let (name, text) = (&prototype.function, prototype.text());
            json!({"function": name, "symbol": prototype.symbol, "prototype": text})
        });
        manifest["foreign"] = described.collect();
    }
    format!("{manifest:#}\n")
}

fn entry_point(types: &Types, prog: &Prog, entry: &Entry, tuning: &[TuningParam]) -> Value {
    let name = |ty: &External| types.id(ty).map(|id| types.get(id).name.as_str());
    let inputs: Vec<Value> = entry
        .params
        .iter()
        .map(|(param, ty)| json!({"name": param.as_str(), "type": name(ty), "unique": ty.unique()}))
        .collect();
    let output = json!({"type": name(&entry.result), "unique": entry.result.unique()});
    let relevant = tuning.iter().filter(|param| param.entries.contains(&entry.name));
    let mut described = json!({
        "cfun": c_function(entry),
        "inputs": inputs,
        "output": output,
        // Clients from before 0.28 read a list, which was longer than one for tuples.
        "outputs": [output],
        "tuning_params": relevant.map(|param| param.name.as_str()).collect::<Vec<_>>(),
        "attributes": entry.attrs.iter().map(attribute).collect::<Vec<_>>(),
    });
    described["signature"] = signature(types, &prog.funs[entry.fun], entry);
    if let Some(doc) = &entry.doc {
        described["doc"] = json!(doc.as_str());
    }
    described
}

/// The types with the names of their sizes, for people and for tools that know what to do with them.
fn signature(types: &Types, fun: &Fun, entry: &Entry) -> Value {
    let leading = |all: usize, parts: usize| all.saturating_sub(parts);
    let parts = |ty: &External| types.id(ty).map_or(0, |id| types.get(id).parts.len());
    let count = entry.params.iter().map(|(_, ty)| parts(ty)).sum();
    let mut at = leading(fun.params.len(), count);
    let mut sizes: Vec<String> = Vec::new();
    let mut written = |ty: &External, var: Option<Var>, known: bool| {
        let (External::Transparent(..), Some(var)) = (ty, var) else {
            return types.id(ty).map_or(String::new(), |id| types.get(id).name.to_string());
        };
        let ty = &fun.vars[var].ty;
        let mut out = String::new();
        for size in ty.shape() {
            let name = match size {
                Atom::Const(Scalar::I64(size)) => size.to_string(),
                Atom::Const(_) => String::new(),
                Atom::Var(var) => fun.vars[*var].hint.to_string(),
            };
            // The names that the compiler gives: `d1`.
            let made = name.strip_prefix('d').is_some_and(|rest| rest.parse::<u32>().is_ok());
            let named = name.starts_with(|c: char| c.is_alphabetic());
            if named && known && !made && !sizes.contains(&name) {
                sizes.push(name.clone());
            }
            // What the caller cannot know has no name.
            let shown = !named || (sizes.contains(&name) && !made);
            out.push_str(&format!("[{}]", if shown { name.as_str() } else { "" }));
        }
        match ty.elem() {
            Some(Elem::Prim(prim)) => out + prim.name(),
            Some(Elem::Unit) | None => out + "()",
        }
    };
    let mut inputs = Vec::new();
    for (_, ty) in &entry.params {
        inputs.push(written(ty, fun.params.get(at).map(|param| param.var), true));
        at += parts(ty);
    }
    let first = leading(fun.results.len(), parts(&entry.result));
    let output = written(&entry.result, fun.results.get(first).copied(), false);
    json!({"sizes": sizes, "inputs": inputs, "output": output})
}

/// An attribute as it is written: `name(argument, ...)`.
pub(super) fn attribute(attr: &Attr) -> String {
    let args: Vec<String> = attr.args.iter().map(attribute).collect();
    match args.as_slice() {
        [] => attr.name.to_string(),
        args => format!("{}({})", attr.name, args.join(", ")),
    }
}

fn type_entry(types: &Types, ty: &TypeDef) -> Value {
    let ops = |names: &[&str]| -> Map<String, Value> {
        names.iter().map(|name| ((*name).to_owned(), json!(ty.function(name)))).collect()
    };
    let mut described = json!({"ctype": ty.c_type()});
    if let Kind::Array { elem, rank } = ty.kind {
        described["kind"] = json!("array");
        described["rank"] = json!(rank);
        described["elemtype"] = json!(elem.name());
        described["ops"] =
            ops(&["free", "shape", "values", "values_raw", "new", "new_raw", "index"]).into();
        return described;
    }
    described["kind"] = json!("opaque");
    described["ops"] = ops(&["free", "store", "restore"]).into();
    match &ty.kind {
        Kind::Prim(_) | Kind::Array { .. } | Kind::Plain => {}
        Kind::Record(record) => {
            described["record"] =
                json!({"new": ty.function("new"), "fields": fields(types, ty, record)});
        }
        Kind::Sum(variants) => {
            let variant = |variant: &super::types::VariantDef| {
                let payload = variant.payload.iter().map(|id| types.get(*id).name.as_str());
                json!({
                    "name": variant.name.as_str(),
                    "payload": payload.collect::<Vec<_>>(),
                    "construct": construct(ty, variant),
                    "destruct": destruct(ty, variant),
                })
            };
            described["sum"] = json!({
                "variant": ty.function("variant"),
                "variants": variants.iter().map(variant).collect::<Vec<_>>(),
            });
        }
        Kind::OpaqueArray { rank, elem, fields: own } => {
            let mut array = ops(&["index", "shape", "new", "set"]);
            array.insert("rank".to_owned(), json!(rank));
            array.insert("elemtype".to_owned(), json!(types.get(*elem).name.as_str()));
            if own.is_empty() {
                described["opaque_array"] = array.into();
            } else {
                array.insert("zip".to_owned(), json!(ty.function("zip")));
                array.insert("fields".to_owned(), fields(types, ty, own));
                described["record_array"] = array.into();
            }
        }
    }
    described
}

fn fields(types: &Types, ty: &TypeDef, fields: &[FieldDef]) -> Value {
    let field = |field: &FieldDef| {
        json!({
            "name": field.name.as_str(),
            "type": types.get(field.ty).name.as_str(),
            "project": project(ty, field),
        })
    };
    fields.iter().map(field).collect::<Vec<_>>().into()
}
