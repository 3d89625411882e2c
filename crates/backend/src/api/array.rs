//! Functions for arrays of primitive types, and the structs of all objects.

use super::code::{Code, braces, lines, sizes};
use super::names;
use super::types::{Part, TypeDef, Types};
use fehu_base::Prim;

/// The structs of arrays, for every number of dimensions, and of all objects.
pub(super) fn structs(types: &Types) -> String {
    let ranks = types.list.iter().flat_map(|ty| &ty.parts).map(Part::rank);
    let mut out = String::new();
    for rank in 1..=ranks.max().unwrap_or(0) {
        out.push_str(&format!(
            "struct fe_array{rank} {{\n  struct fe_mem mem;\n  int64_t shape[{rank}];\n}};\n"
        ));
    }
    for ty in types.objects() {
        out.push_str(&format!("\n// {}\nstruct {} {{\n", comment(&ty.name), ty.c_name));
        for (i, part) in ty.parts.iter().enumerate().filter(|(_, part)| part.stored()) {
            match part.prim() {
                Some(prim) if part.rank() == 0 => {
                    out.push_str(&format!("  {} p{i};\n", names::prim(prim)));
                }
                Some(_) => out.push_str(&format!("  struct fe_array{} p{i};\n", part.rank())),
                None => {
                    out.push_str(&format!("  struct fe_array{} p{i}; // no data\n", part.rank()))
                }
            }
        }
        if !ty.parts.iter().any(Part::stored) {
            out.push_str("  char nothing;\n");
        }
        out.push_str("};\n");
    }
    out
}

/// The functions of an array type.
pub(super) fn functions(code: &mut Code, ty: &TypeDef, elem: Prim, rank: usize) {
    let (c_elem, name, suffix) = (names::prim(elem), &ty.c_name, &ty.suffix);
    let (dims, ctx) = (sizes("dim", rank), "struct futhark_context *ctx");
    let shape = braces("dim", rank);
    code.public(
        &format!("struct {name} *futhark_new_{suffix}({ctx}, const {c_elem} *data, {dims})"),
        &lines![
            "struct {name} *arr = fe_new_object(ctx, sizeof *arr);";
            "const int64_t shape[] = {shape};";
            "if (arr != NULL && fe_make_array(ctx, &arr->p0.mem, arr->p0.shape, shape, {rank}, sizeof *data, data) != 0) {{";
            "  fe_free(ctx, &arr->p0.mem);";
            "  free(arr);";
            "  return NULL;";
            "}}";
            "return arr;";
        ],
    );
    code.public(
        &format!("struct {name} *futhark_new_raw_{suffix}({ctx}, unsigned char *data, {dims})"),
        &lines![
            "struct {name} *arr = fe_new_object(ctx, sizeof *arr);";
            "const int64_t shape[] = {shape};";
            "if (arr != NULL && fe_bytes(fe_volume(shape, {rank}), (int64_t)sizeof({c_elem})) < 0) {{";
            "  fe_fail(ctx, FUTHARK_PROGRAM_ERROR, \"an array cannot have these sizes\");";
            "  free(arr);";
            "  return NULL;";
            "}}";
            "if (arr != NULL) {{";
            "  arr->p0.mem.data = data; // borrowed";
            "  memcpy(arr->p0.shape, shape, sizeof shape);";
            "}}";
            "return arr;";
        ],
    );
    code.public(
        &format!("int futhark_free_{suffix}({ctx}, struct {name} *arr)"),
        &lines![
            "if (arr != NULL) {{";
            "  fe_free(ctx, &arr->p0.mem);";
            "  free(arr);";
            "}}";
            "return FUTHARK_SUCCESS;";
        ],
    );
    code.public(
        &format!("int futhark_values_{suffix}({ctx}, struct {name} *arr, {c_elem} *data)"),
        &lines![
            "int64_t count = fe_volume(arr->p0.shape, {rank});";
            "return fe_copy_out(ctx, data, &arr->p0.mem, 0, count * (int64_t)sizeof *data);";
        ],
    );
    code.public(
        &format!(
            "int futhark_index_{suffix}({ctx}, {c_elem} *out, struct {name} *arr, {})",
            sizes("i", rank)
        ),
        &lines![
            "const int64_t indices[] = {0};", braces("i", rank);
            "int64_t position;";
            "int code = fe_locate(ctx, arr->p0.shape, {rank}, indices, &position);";
            "if (code == FUTHARK_SUCCESS) {{";
            "  code = fe_copy_out(ctx, out, &arr->p0.mem, position * (int64_t)sizeof *out, sizeof *out);";
            "}}";
            "return code;";
        ],
    );
    code.public(
        &format!("unsigned char *futhark_values_raw_{suffix}({ctx}, struct {name} *arr)"),
        &lines!["return fe_pin(ctx, &arr->p0.mem);"],
    );
    code.public(
        &format!("const int64_t *futhark_shape_{suffix}({ctx}, struct {name} *arr)"),
        &lines!["(void)ctx;"; "return arr->p0.shape;"],
    );
}

/// A text that ends no comment and begins no other one.
pub(super) fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || c == '\\' { ' ' } else { c }).collect()
}
