//! Functions for opaque values: freeing, storing and restoring; and moving parts between objects, on which
//! all the others are based.

use super::code::{Code, lines};
use super::names;
use super::types::{Kind, TypeDef, Types};
use fehu_base::Prim;

/// The functions that every opaque type has.
pub(super) fn functions(code: &mut Code, types: &Types, ty: &TypeDef) {
    let (name, suffix) = (&ty.c_name, &ty.suffix);
    let ctx = "struct futhark_context *ctx";
    let stored = || ty.parts.iter().enumerate().filter(|(_, part)| part.stored());
    let mut body = lines!["if (obj == NULL) {{"; "  return FUTHARK_SUCCESS;"; "}}"];
    let mut uses_context = false;
    for (i, _) in stored().filter(|(_, part)| part.rank() > 0 && part.prim().is_some()) {
        body.push(format!("fe_free(ctx, &obj->p{i}.mem);"));
        uses_context = true;
    }
    if !uses_context {
        body.insert(0, "(void)ctx;".to_owned());
    }
    body.extend(lines!["free(obj);"; "return FUTHARK_SUCCESS;"]);
    code.public(&format!("int futhark_free_{suffix}({ctx}, struct {name} *obj)"), &body);

    let mut body = lines!["const struct {name} *obj = object;"];
    let mut any = false;
    for (i, part) in stored() {
        any = true;
        body.push(match (part.prim(), part.rank()) {
            (Some(_), 0) => format!("fe_pack(w, &obj->p{i}, sizeof obj->p{i});"),
            (Some(_), rank) => format!(
                "fe_pack_array(w, &obj->p{i}.mem, obj->p{i}.shape, {rank}, {});",
                part.elem_size()
            ),
            (None, _) => format!("fe_pack(w, obj->p{i}.shape, sizeof obj->p{i}.shape);"),
        });
    }
    if !any {
        body = lines!["(void)w;"; "(void)object;"];
    }
    code.private(&format!("void fe_pack_{suffix}(struct fe_writer *w, const void *object)"), &body);
    let hash = ty.hash();
    code.public(
        &format!(
            "int futhark_store_{suffix}({ctx}, const struct {name} *obj, void **p, size_t *n)"
        ),
        &lines!["return fe_store(ctx, UINT64_C(0x{hash:016x}), obj, fe_pack_{suffix}, p, n);"],
    );
    code.public(
        &format!("struct {name} *futhark_restore_{suffix}({ctx}, const void *p)"),
        &restore(types, ty, hash),
    );
}

fn restore(types: &Types, ty: &TypeDef, hash: u64) -> Vec<String> {
    let (name, suffix) = (&ty.c_name, &ty.suffix);
    let mut body = lines![
        "struct fe_reader r = fe_restore(p, UINT64_C(0x{hash:016x}));";
        "struct {name} *obj = fe_new_object(ctx, sizeof *obj);";
        "if (obj == NULL) {{";
        "  return NULL;";
        "}}";
    ];
    for (i, part) in ty.parts.iter().enumerate().filter(|(_, part)| part.stored()) {
        body.push(match (part.prim(), part.rank()) {
            (Some(Prim::Bool), 0) => format!("fe_get_bool(&r, &obj->p{i});"),
            (Some(_), 0) => format!("fe_get(&r, &obj->p{i}, sizeof obj->p{i});"),
            (Some(Prim::Bool), rank) => {
                format!("fe_get_bools(ctx, &r, &obj->p{i}.mem, obj->p{i}.shape, {rank});")
            }
            (Some(_), rank) => format!(
                "fe_get_array(ctx, &r, &obj->p{i}.mem, obj->p{i}.shape, {rank}, {});",
                part.elem_size()
            ),
            (None, rank) => format!("fe_get_shape(&r, obj->p{i}.shape, {rank});"),
        });
    }
    let parts: Vec<usize> = (0..ty.parts.len()).collect();
    body.extend(same_sizes(types, ty, &parts, 0));
    if let Kind::Sum(variants) = &ty.kind
        && variants.len() > 1
    {
        body.extend(lines![
            "if (obj->p0 >= {0}) {{", variants.len();
            "  r.code = FUTHARK_PROGRAM_ERROR;";
            "}}";
        ]);
    }
    body.extend(lines![
        "if (fe_restored(ctx, &r, {0}) != FUTHARK_SUCCESS) {{", names::quoted(&ty.name);
        "  futhark_free_{suffix}(ctx, obj);";
        "  return NULL;";
        "}}";
        "return obj;";
    ]);
    body
}

/// Statements that compare what the parts of an array of values have in common: the sizes of the array. The other functions
/// rely on it. `parts` are those of the value in the object, and `outer` is the number of dimensions around it.
fn same_sizes(types: &Types, ty: &TypeDef, parts: &[usize], outer: usize) -> Vec<String> {
    let of_values = |values: &mut dyn Iterator<Item = usize>, parts: &[usize]| {
        let mut first = 0;
        let mut body = Vec::new();
        for id in values {
            let value = types.get(id);
            let end = (first + value.parts.len()).min(parts.len());
            body.extend(same_sizes(types, value, &parts[first..end], outer));
            first = end;
        }
        body
    };
    match &ty.kind {
        Kind::Prim(_) | Kind::Array { .. } | Kind::Plain => Vec::new(),
        Kind::Record(fields) => of_values(&mut fields.iter().map(|field| field.ty), parts),
        Kind::Sum(variants) => variants
            .iter()
            .flat_map(|variant| {
                let slots = variant.slots.iter().filter_map(|slot| parts.get(*slot).copied());
                let slots: Vec<usize> = slots.collect();
                of_values(&mut variant.payload.iter().copied(), &slots)
            })
            .collect(),
        Kind::OpaqueArray { rank, elem, .. } => {
            let pairs = parts.windows(2).map(|pair| {
                let (a, b) = (pair[0], pair[1]);
                format!(
                    "fe_get_same(&r, obj->p{a}.shape + {outer}, obj->p{b}.shape + {outer}, {rank});"
                )
            });
            let inner = same_sizes(types, types.get(*elem), parts, outer + rank);
            pairs.chain(inner).collect()
        }
    }
}

/// Statements that copy a part of an object to a part of another one, sharing the memory of arrays. `from`
/// and `to` are the objects; a scalar that is no object is its only part.
pub(super) fn copy_part(
    (to_ty, to, to_part): (&TypeDef, &str, usize),
    (from_ty, from, from_part): (&TypeDef, &str, usize),
) -> Vec<String> {
    let Some(part) = to_ty.parts.get(to_part).filter(|part| part.stored()) else {
        return Vec::new();
    };
    let (to, from) = (place(to_ty, to, to_part), place(from_ty, from, from_part));
    match (part.prim(), part.rank()) {
        (_, 0) => lines!["{to} = {from};"],
        (Some(_), rank) => {
            lines!["fe_share_array(ctx, &{to}.mem, {to}.shape, &{from}.mem, {from}.shape, {rank});"]
        }
        (None, _) => lines!["memcpy({to}.shape, {from}.shape, sizeof {to}.shape);"],
    }
}

/// Where a part of a value is.
pub(super) fn place(ty: &TypeDef, value: &str, part: usize) -> String {
    if ty.is_prim() { value.to_owned() } else { format!("{value}->p{part}") }
}

/// `struct t *name = ...;` with a check, for an object that is to be made.
pub(super) fn new_object(ty: &TypeDef, name: &str) -> Vec<String> {
    lines![
        "struct {0} *{name} = fe_new_object(ctx, sizeof *{name});", ty.c_name;
        "if ({name} == NULL) {{";
        "  return FUTHARK_OUT_OF_MEMORY;";
        "}}";
    ]
}

/// Statements that take values out of an object and store them at `outs`. Each value has a type, and the
/// numbers of its parts in the object.
pub(super) fn take_out(
    types: &Types,
    (ty, object): (&TypeDef, &str),
    values: &[(usize, Vec<usize>, String)],
) -> Vec<String> {
    let mut body = Vec::new();
    let mut made: Vec<(usize, String)> = Vec::new();
    for (index, (id, parts, _)) in values.iter().enumerate() {
        let value = types.get(*id);
        if value.is_prim() {
            continue;
        }
        let name = format!("v{index}");
        body.extend(lines![
            "struct {0} *{name} = fe_new_object(ctx, sizeof *{name});", value.c_name;
            "if ({name} == NULL) {{";
        ]);
        body.extend(made.iter().rev().map(|(id, earlier)| {
            format!("  {}(ctx, {earlier});", types.get(*id).function("free"))
        }));
        body.extend(lines!["  return FUTHARK_OUT_OF_MEMORY;"; "}}"]);
        for (to, from) in parts.iter().enumerate() {
            body.extend(copy_part((value, &name, to), (ty, object, *from)));
        }
        made.push((*id, name));
    }
    for (index, (id, parts, out)) in values.iter().enumerate() {
        let value = types.get(*id);
        match (value.is_prim(), parts.first()) {
            (true, Some(from)) => body.push(format!("*{out} = {};", place(ty, object, *from))),
            (true, None) => {}
            (false, _) => body.push(format!("*{out} = v{index};")),
        }
    }
    body.push("return FUTHARK_SUCCESS;".to_owned());
    body
}
