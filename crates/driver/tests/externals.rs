//! The types of entry points as the outside world sees them: names from the source, fields, variants, elements.

use fehu_driver::check::{Exit, Warnings};
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_driver::run::compile;
use fehu_interp::Options;
use fehu_ir::{External, OpaqueKind, Prog};

fn lowered(text: &str) -> Prog {
    let root = Root::Bytes("test.fut".to_owned(), text.as_bytes().to_vec());
    let (outcome, program) = compile(&Memory::default(), &root, Warnings::Hide, Options::default());
    assert_eq!(outcome.exit, Exit::Success, "{:?}", outcome.diagnostics);
    program.and_then(|program| program.prog().cloned()).expect("it is compiled")
}

/// The type with everything it is made of.
fn show(ty: &External) -> String {
    let star = if ty.unique() { "*" } else { "" };
    let list = |types: Vec<String>| types.join("; ");
    let fields = |fields: &[fehu_ir::Field]| {
        list(fields.iter().map(|field| format!("{} {}", field.name, show(&field.ty))).collect())
    };
    match ty {
        External::Transparent(ty, _) => {
            let elem = ty.elem().map_or("acc".to_owned(), |elem| elem.to_string());
            format!("{star}{}{elem}", "[]".repeat(ty.rank()))
        }
        External::Opaque(opaque, _) => match &opaque.kind {
            OpaqueKind::Plain => format!("{star}<{}>", opaque.name),
            OpaqueKind::Record(own) => format!("{star}<{}: {}>", opaque.name, fields(own)),
            OpaqueKind::Sum(variants) => {
                let variant = |variant: &fehu_ir::Variant| {
                    let payload = variant.payload.iter().map(show).collect::<Vec<_>>();
                    format!("#{}({}) at {:?}", variant.name, payload.join(", "), variant.slots)
                };
                format!("{star}<{}: {}>", opaque.name, list(variants.iter().map(variant).collect()))
            }
            OpaqueKind::Array(array) => {
                let zip = if array.fields.is_empty() {
                    String::new()
                } else {
                    format!(" zips {}", fields(&array.fields))
                };
                format!("{star}<{}: {} of {}{zip}>", opaque.name, array.rank, show(&array.elem))
            }
        },
    }
}

/// The parameters and the result of the entry point `f`, after these declarations.
fn check(declarations: &str, params: &[&str], result: &str) {
    let prog = lowered(declarations);
    let entry = prog.entries.iter().find(|entry| entry.name == "f").expect("there is an f");
    let found: Vec<String> = entry.params.iter().map(|(_, ty)| show(ty)).collect();
    assert_eq!(found, params, "{declarations}");
    assert_eq!(show(&entry.result), result, "{declarations}");
}

const POINT: &str = "type point = {x: f32, y: f32}\n";

#[test]
fn names_of_the_source_are_kept() {
    let text =
        format!("{POINT}type line = {{a: point, b: [2]point}}\nentry f (l: line): point = l.a");
    check(
        &text,
        &[
            "<line: a <point: x f32; y f32>; b <[]point: 1 of <point: x f32; y f32> zips x []f32; y []f32>>",
        ],
        "<point: x f32; y f32>",
    );
}

#[test]
fn without_a_type_the_name_is_the_structure() {
    check(
        &format!("{POINT}entry f (p: point) = p"),
        &["<point: x f32; y f32>"],
        "<{x: f32, y: f32}: x f32; y f32>",
    );
    check("entry f (x: i32) = (x, true)", &["i32"], "<(i32, bool): 0 i32; 1 bool>");
    check("entry f (_: i32) = ()", &["i32"], "<()>");
}

#[test]
fn abbreviations_of_transparent_types_are_not_seen() {
    let text = "type num = i32\ntype nums [n] = [n]num\nentry f [n] (xs: nums [n]): num = i32.i64 n + xs[0]";
    check(text, &["[]i32"], "i32");
}

#[test]
fn sums_tell_where_their_payload_is() {
    check(
        &format!("{POINT}type s = #a point | #b i32 | #c\nentry f (s: s): s = s"),
        &["<s: #a(<point: x f32; y f32>) at [1, 2]; #b(i32) at [3]; #c() at []>"],
        "<s: #a(<point: x f32; y f32>) at [1, 2]; #b(i32) at [3]; #c() at []>",
    );
    check(
        "entry f (s: #only i32) = match s case #only x -> x",
        &["<#only i32: #only(i32) at [0]>"],
        "i32",
    );
    check(
        "entry f [n] (ss: [n](#foo i32 | #bar)) = length ss",
        &["<[](#bar | #foo i32): 1 of <#bar | #foo i32: #bar() at []; #foo(i32) at [1]>>"],
        "i64",
    );
}

#[test]
fn arrays_of_records_have_arrays_as_fields() {
    check(
        &format!("{POINT}entry f [n] (ps: *[n][2](i32, point)) = length ps"),
        &["*<[][](i32, point): 2 of *<(i32, point): 0 *i32; 1 *<point: x *f32; y *f32>> \
           zips 0 *[][]i32; 1 *<[][]point: 2 of *<point: x *f32; y *f32> zips x *[][]f32; y *[][]f32>>"],
        "i64",
    );
    // A field without parts has no array.
    check(
        "entry f [n] (ps: [n](i32, ())) = length ps",
        &["<[](i32, ()): 1 of <(i32, ()): 0 i32; 1 <()>>>"],
        "i64",
    );
    check("entry f [n] (us: [n]()): [n]() = us", &["<[](): 1 of <()>>"], "<[](): 1 of <()>>");
}

#[test]
fn types_with_arguments_and_of_modules_are_named_as_written() {
    check("type wrap 't = {w: t}\nentry f (p: wrap i32) = p.w", &["<wrap i32: w i32>"], "i32");
    check(
        "module m = { type t = {q: i32} }\nentry f (p: [2]m.t) = p[0].q",
        &["<[]m.t: 1 of <m.t: q i32> zips q []i32>"],
        "i32",
    );
    check(
        "module m : { type t val mk : i32 -> t } = { type t = (i32, bool) def mk x = (x, true) }\n\
         entry f (x: i32): m.t = m.mk x",
        &["i32"],
        "<m.t: 0 i32; 1 bool>",
    );
}

#[test]
fn a_type_that_may_be_hidden_by_another_one_is_not_looked_into() {
    let text = "type p = {a: i32}\ntype t = {a: p}\nmodule m = { type t = {a: {c: bool}} }\nopen m\n\
                entry f (y: t) = y.a.c";
    check(text, &["<t: a <{c: bool}: c bool>>"], "bool");
}

#[test]
fn results_of_functions_that_are_written_as_values_have_names() {
    check(
        &format!("{POINT}entry f : point -> [2]point = \\p -> [p, p]"),
        &["<point: x f32; y f32>"],
        "<[]point: 1 of <point: x f32; y f32> zips x []f32; y []f32>",
    );
}

#[test]
fn documentation_and_attributes_come_along() {
    let prog = lowered("-- | Adds one.\n#[fast]\n#[level(3)]\nentry f (x: i32) = x + 1");
    let entry = &prog.entries[0];
    assert_eq!(entry.doc.as_deref(), Some("Adds one."));
    let names: Vec<&str> = entry.attrs.iter().map(|attr| attr.name.as_str()).collect();
    assert_eq!(names, ["fast", "level"]);
    assert_eq!(entry.attrs[1].args[0].name, "3");
}
