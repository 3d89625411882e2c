//! Functions for records: constructing them from their fields, and projecting a field.

use super::code::{Code, commas};
use super::names::escape;
use super::opaque::{copy_part, new_object, take_out};
use super::types::{FieldDef, TypeDef, Types};

/// The functions of a record type.
pub(super) fn functions(code: &mut Code, types: &Types, ty: &TypeDef, fields: &[FieldDef]) {
    projections(code, types, ty, fields);
    let mut body = new_object(ty, "obj");
    let mut part = 0;
    for field in fields {
        let field_ty = types.get(field.ty);
        let name = format!("f_{}", escape(&field.name));
        for from in 0..field_ty.parts.len() {
            body.extend(copy_part((ty, "obj", part), (field_ty, &name, from)));
            part += 1;
        }
    }
    body.extend(unused(types, fields));
    body.extend(["*out = obj;".to_owned(), "return FUTHARK_SUCCESS;".to_owned()]);
    code.public(
        &format!(
            "int futhark_new_{}(struct futhark_context *ctx, struct {} **out{}{})",
            ty.suffix,
            ty.c_name,
            if fields.is_empty() { "" } else { ", " },
            inputs(types, fields)
        ),
        &body,
    );
}

/// The functions that take a field out, of records and of arrays of records.
pub(super) fn projections(code: &mut Code, types: &Types, ty: &TypeDef, fields: &[FieldDef]) {
    let mut first = 0;
    for field in fields {
        let field_ty = types.get(field.ty);
        let parts = field_ty.parts.len();
        let values = [(field.ty, (first..first + parts).collect(), "out".to_owned())];
        let mut body = Vec::new();
        if field_ty.is_prim() {
            body.push("(void)ctx;".to_owned());
        }
        if parts == 0 {
            body.push("(void)obj;".to_owned());
        }
        body.extend(take_out(types, (ty, "obj"), &values));
        code.public(
            &format!(
                "int {}(struct futhark_context *ctx, {}, const struct {} *obj)",
                project(ty, field),
                field_ty.output("out"),
                ty.c_name
            ),
            &body,
        );
        first += parts;
    }
}

/// The name of the function that takes a field out.
pub(super) fn project(ty: &TypeDef, field: &FieldDef) -> String {
    format!("{}_{}", ty.function("project"), escape(&field.name))
}

/// The fields as parameters.
pub(super) fn inputs(types: &Types, fields: &[FieldDef]) -> String {
    commas(fields, |field| types.get(field.ty).input(&format!("f_{}", escape(&field.name))))
}

/// Statements that use parameters of which nothing is stored.
pub(super) fn unused(types: &Types, fields: &[FieldDef]) -> Vec<String> {
    let empty = fields
        .iter()
        .filter(|field| !types.get(field.ty).parts.iter().any(super::types::Part::stored));
    empty.map(|field| format!("(void)f_{};", escape(&field.name))).collect()
}
