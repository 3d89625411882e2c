//! Functions for arrays of opaque values.
//!
//! Such an array is a struct of arrays. Reading an element shares memory if the element contains arrays;
//! writing one copies it, after the array has been given memory of its own.

use super::code::{Code, braces, commas, lines, sizes};
use super::names::escape;
use super::opaque::{copy_part, new_object};
use super::record;
use super::types::{FieldDef, Part, TypeDef, TypeId, Types};

/// The functions of an array of opaque values.
pub(super) fn functions(
    code: &mut Code,
    types: &Types,
    ty: &TypeDef,
    (rank, elem, fields): (usize, TypeId, &[FieldDef]),
) {
    let elem = types.get(elem);
    let name = &ty.c_name;
    if !fields.is_empty() {
        record::projections(code, types, ty, fields);
        zip(code, types, ty, rank, fields);
    }
    let ctx = "struct futhark_context *ctx";
    code.public(
        &format!(
            "int {}({ctx}, struct {} **out, struct {name} *arr, {})",
            ty.function("index"),
            elem.c_name,
            sizes("i", rank)
        ),
        &index(ty, elem, rank),
    );
    code.public(
        &format!("const int64_t *{}({ctx}, struct {name} *arr)", ty.function("shape")),
        &lines!["(void)ctx;"; "return arr->p0.shape;"],
    );
    code.public(
        &format!(
            "int {}({ctx}, struct {name} **out, struct {} **elems, {})",
            ty.function("new"),
            elem.c_name,
            sizes("dim", rank)
        ),
        &make(ty, elem, rank),
    );
    code.public(
        &format!(
            "int {}({ctx}, struct {name} *arr, struct {} *elem, {})",
            ty.function("set"),
            elem.c_name,
            sizes("i", rank)
        ),
        &set(ty, elem, rank),
    );
}

/// The parts with contents: their numbers, the part, and that of an element.
fn contents<'a>(
    ty: &'a TypeDef,
    elem: &'a TypeDef,
) -> impl Iterator<Item = (usize, &'a Part, &'a Part)> {
    let parts = ty.parts.iter().zip(&elem.parts).enumerate();
    parts.filter(|(_, (part, _))| part.prim().is_some()).map(|(i, (part, elem))| (i, part, elem))
}

/// The bytes of an element's part, which may be an array itself.
fn elem_bytes(i: usize, part: &Part, rank: usize) -> String {
    match part.rank() - rank {
        0 => part.elem_size(),
        inner => format!("fe_volume(arr->p{i}.shape + {rank}, {inner}) * {}", part.elem_size()),
    }
}

fn index(ty: &TypeDef, elem: &TypeDef, rank: usize) -> Vec<String> {
    let mut body = lines![
        "const int64_t indices[] = {0};", braces("i", rank);
        "int64_t position;";
        "int code = fe_locate(ctx, arr->p0.shape, {rank}, indices, &position);";
        "if (code != FUTHARK_SUCCESS) {{";
        "  return code;";
        "}}";
    ];
    body.extend(new_object(elem, "elem"));
    let scalars = elem.parts.iter().any(|inner| inner.rank() == 0 && inner.prim().is_some());
    for (i, (part, inner)) in ty.parts.iter().zip(&elem.parts).enumerate() {
        let bytes = elem_bytes(i, part, rank);
        match (part.prim(), inner.rank()) {
            (Some(_), 0) => body.extend(lines![
                "if (code == FUTHARK_SUCCESS) {{";
                "  code = fe_copy_out(ctx, &elem->p{i}, &arr->p{i}.mem, position * {bytes}, {bytes});";
                "}}";
            ]),
            (Some(_), _) => body.extend(lines![
                "fe_share(ctx, &elem->p{i}.mem, &arr->p{i}.mem, position * {bytes});";
                "memcpy(elem->p{i}.shape, arr->p{i}.shape + {rank}, sizeof elem->p{i}.shape);";
            ]),
            (None, 0) => {}
            (None, _) => body.push(format!(
                "memcpy(elem->p{i}.shape, arr->p{i}.shape + {rank}, sizeof elem->p{i}.shape);"
            )),
        }
    }
    if scalars {
        body.extend(lines![
            "if (code != FUTHARK_SUCCESS) {{";
            "  {0}(ctx, elem);", elem.function("free");
            "  return code;";
            "}}";
        ]);
    }
    body.extend(lines!["*out = elem;"; "return FUTHARK_SUCCESS;"]);
    body
}

/// Statements that go to `fail` or return if an element has other sizes than those of the array.
fn check_elem(ty: &TypeDef, elem: &TypeDef, rank: usize, elem_name: &str) -> Vec<String> {
    let mut body = Vec::new();
    for (i, inner) in elem.parts.iter().enumerate().filter(|(_, inner)| inner.rank() > 0) {
        if ty.parts.get(i).is_none() {
            continue;
        }
        body.extend(lines![
            "if (code == FUTHARK_SUCCESS) {{";
            "  code = fe_same_shape(ctx, arr->p{i}.shape + {rank}, {elem_name}->p{i}.shape, {0}, \"the elements of an array\");", inner.rank();
            "}}";
        ]);
    }
    body
}

/// Statements that copy an element to a position, as long as nothing fails.
fn copy_elem(ty: &TypeDef, elem: &TypeDef, rank: usize, name: &str, position: &str) -> Vec<String> {
    let copy = |(i, part, inner): (usize, &Part, &Part)| {
        let bytes = elem_bytes(i, part, rank);
        let (function, from) = match inner.rank() {
            0 => ("fe_copy_in", format!("&{name}->p{i}")),
            _ => ("fe_copy_across", format!("&{name}->p{i}.mem")),
        };
        lines![
            "if (code == FUTHARK_SUCCESS) {{";
            "  code = {function}(ctx, &arr->p{i}.mem, {position} * ({bytes}), {from}, {bytes});";
            "}}";
        ]
    };
    contents(ty, elem).flat_map(copy).collect()
}

fn set(ty: &TypeDef, elem: &TypeDef, rank: usize) -> Vec<String> {
    let mut body = lines![
        "const int64_t indices[] = {0};", braces("i", rank);
        "int64_t position;";
        "int code = fe_locate(ctx, arr->p0.shape, {rank}, indices, &position);";
    ];
    body.extend(check_elem(ty, elem, rank, "elem"));
    for (i, part, _) in contents(ty, elem) {
        body.extend(lines![
            "if (code == FUTHARK_SUCCESS) {{";
            "  code = fe_own_array(ctx, &arr->p{i}.mem, fe_volume(arr->p{i}.shape, {0}) * {1});", part.rank(), part.elem_size();
            "}}";
        ]);
    }
    let copies = copy_elem(ty, elem, rank, "elem", "position");
    if copies.is_empty() {
        body.push("(void)elem;".to_owned());
    }
    body.extend(copies);
    body.push("return code;".to_owned());
    body
}

fn make(ty: &TypeDef, elem: &TypeDef, rank: usize) -> Vec<String> {
    let mut body = lines![
        "const int64_t shape[] = {0};", braces("dim", rank);
        "int64_t count = fe_volume(shape, {rank});";
        "if (count < 0) {{";
        "  return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, \"these sizes are not valid for an array\");";
        "}}";
    ];
    // Nobody looks at elements without contents.
    if elem.parts.iter().any(Part::stored) {
        body.extend(lines![
            "for (int64_t i = 0; i < count; i++) {{";
            "  if (elems == NULL || elems[i] == NULL) {{";
            "    fe_no_value(ctx, \"{0}\", \"elems\");", ty.function("new");
            "    return FUTHARK_PROGRAM_ERROR;";
            "  }}";
            "}}";
        ]);
    }
    body.extend(new_object(ty, "arr"));
    body.push("int code = FUTHARK_SUCCESS;".to_owned());
    // Without elements, only sizes that are always the same are known.
    for (i, part) in ty.parts.iter().enumerate() {
        let inner = part.rank() - rank;
        let known = commas(rank..part.rank(), |dim| {
            let known = part.known_size(dim).unwrap_or(0);
            format!("count > 0 ? elems[0]->p{i}.shape[{}] : {known}", dim - rank)
        });
        let outer = commas(0..rank, |dim| format!("dim{dim}"));
        let all = if inner == 0 { outer } else { format!("{outer}, {known}") };
        if part.prim().is_some() {
            body.extend(lines![
                "if (code == FUTHARK_SUCCESS) {{";
                "  const int64_t sizes[] = {{{all}}};";
                "  code = fe_make_array(ctx, &arr->p{i}.mem, arr->p{i}.shape, sizes, {0}, {1}, NULL);", part.rank(), part.elem_size();
                "}}";
            ]);
        } else {
            body.extend(lines![
                "const int64_t sizes{i}[] = {{{all}}};";
                "memcpy(arr->p{i}.shape, sizes{i}, sizeof sizes{i});";
            ]);
        }
    }
    let checks = check_elem(ty, elem, rank, "elems[i]");
    let copies = copy_elem(ty, elem, rank, "elems[i]", "i");
    if checks.is_empty() && copies.is_empty() {
        body.push("(void)elems;".to_owned());
    } else {
        body.push("for (int64_t i = 0; i < count && code == FUTHARK_SUCCESS; i++) {".to_owned());
        body.extend(checks.iter().chain(&copies).map(|line| format!("  {line}")));
        body.push("}".to_owned());
    }
    body.extend(lines![
        "if (code != FUTHARK_SUCCESS) {{";
        "  {0}(ctx, arr);", ty.function("free");
        "  return code;";
        "}}";
        "*out = arr;";
        "return FUTHARK_SUCCESS;";
    ]);
    body
}

fn zip(code: &mut Code, types: &Types, ty: &TypeDef, rank: usize, fields: &[FieldDef]) {
    // The first field with a shape is what the others are compared with.
    let mut first: Option<String> = None;
    let mut body = Vec::new();
    for field in fields {
        let name = format!("f_{}", escape(&field.name));
        let Some(part) = types.get(field.ty).parts.iter().position(|part| part.rank() >= rank)
        else {
            continue;
        };
        let shape = format!("{name}->p{part}.shape");
        match &first {
            None => first = Some(shape),
            Some(first) => body.extend(lines![
                "if (code == FUTHARK_SUCCESS) {{";
                "  code = fe_same_shape(ctx, {first}, {shape}, {rank}, \"the arrays\");";
                "}}";
            ]),
        }
    }
    if !body.is_empty() {
        body.insert(0, "int code = FUTHARK_SUCCESS;".to_owned());
        body.extend(lines!["if (code != FUTHARK_SUCCESS) {{"; "  return code;"; "}}"]);
    }
    body.extend(new_object(ty, "arr"));
    let mut part = 0;
    for field in fields {
        let field_ty = types.get(field.ty);
        let name = format!("f_{}", escape(&field.name));
        for from in 0..field_ty.parts.len() {
            body.extend(copy_part((ty, "arr", part), (field_ty, &name, from)));
            part += 1;
        }
    }
    body.extend(record::unused(types, fields));
    body.extend(lines!["*out = arr;"; "return FUTHARK_SUCCESS;"]);
    code.public(
        &format!(
            "int {}(struct futhark_context *ctx, struct {} **out, {})",
            ty.function("zip"),
            ty.c_name,
            record::inputs(types, fields)
        ),
        &body,
    );
}
