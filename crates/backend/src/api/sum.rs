//! Functions for sum types: finding the constructor of a value, constructing one, and extracting its payload.

use super::code::{Code, commas, lines};
use super::names::{escape, quoted};
use super::opaque::{copy_part, new_object, take_out};
use super::types::{Part, TypeDef, Types, VariantDef};
use fehu_ir::{Atom, Scalar, Var};
use rustc_hash::FxHashMap;

/// The functions of a sum type.
pub(super) fn functions(code: &mut Code, types: &Types, ty: &TypeDef, variants: &[VariantDef]) {
    let tagged = variants.len() > 1;
    for (index, variant) in variants.iter().enumerate() {
        let inputs = variant
            .payload
            .iter()
            .enumerate()
            .map(|(i, id)| format!(", {}", types.get(*id).input(&format!("v{i}"))));
        code.public(
            &format!(
                "int {}(struct futhark_context *ctx, struct {} **out{})",
                construct(ty, variant),
                ty.c_name,
                inputs.collect::<String>()
            ),
            &construct_body(types, ty, variant, tagged.then_some(index)),
        );
        let outs = variant
            .payload
            .iter()
            .enumerate()
            .map(|(i, id)| format!("{}, ", types.get(*id).output(&format!("out{i}"))));
        code.public(
            &format!(
                "int {}(struct futhark_context *ctx, {}const struct {} *obj)",
                destruct(ty, variant),
                outs.collect::<String>(),
                ty.c_name
            ),
            &destruct_body(types, ty, variant, tagged.then_some(index)),
        );
    }
    let result = if tagged { "obj->p0" } else { "0" };
    code.public(
        &format!(
            "int {}(struct futhark_context *ctx, const struct {} *obj)",
            ty.function("variant"),
            ty.c_name
        ),
        &lines!["(void)ctx;"; "(void)obj;"; "return {result};"],
    );
}

/// The name of the function that makes a variant.
pub(super) fn construct(ty: &TypeDef, variant: &VariantDef) -> String {
    format!("{}_{}", ty.function("new"), escape(&variant.name))
}

/// The name of the function that takes the payload of a variant out.
pub(super) fn destruct(ty: &TypeDef, variant: &VariantDef) -> String {
    format!("{}_{}", ty.function("destruct"), escape(&variant.name))
}

/// The parts of the payload: the number of the value, its part, and the part of the sum.
fn payload_parts(types: &Types, variant: &VariantDef) -> Vec<(usize, usize, usize)> {
    let parts = variant
        .payload
        .iter()
        .enumerate()
        .flat_map(|(value, id)| (0..types.get(*id).parts.len()).map(move |part| (value, part)));
    parts.zip(&variant.slots).map(|((value, part), slot)| (value, part, *slot)).collect()
}

fn construct_body(
    types: &Types,
    ty: &TypeDef,
    variant: &VariantDef,
    tag: Option<usize>,
) -> Vec<String> {
    let mut body = new_object(ty, "obj");
    body.extend(tag.map(|tag| format!("obj->p0 = {tag};")));
    // Arrays that other variants use are there, too. The payload may show how large they are.
    let mut known: FxHashMap<Var, String> = FxHashMap::default();
    let parts = payload_parts(types, variant);
    for &(value, part, slot) in &parts {
        let from = types.get(variant.payload[value]);
        body.extend(copy_part((ty, "obj", slot), (from, &format!("v{value}"), part)));
        for (dim, size) in ty.parts.get(slot).map_or(&[][..], |p| &p.shape).iter().enumerate() {
            if let Atom::Var(var) = size {
                known.entry(*var).or_insert_with(|| format!("obj->p{slot}.shape[{dim}]"));
            }
        }
    }
    for (i, id) in variant.payload.iter().enumerate() {
        if !types.get(*id).parts.iter().any(Part::stored) {
            body.push(format!("(void)v{i};"));
        }
    }
    let others = ty
        .parts
        .iter()
        .enumerate()
        .filter(|(i, part)| part.rank() > 0 && !parts.iter().any(|(_, _, slot)| slot == i));
    let mut makes = Vec::new();
    for (i, part) in others {
        let size = |size: &Atom| match size {
            Atom::Const(Scalar::I64(size)) => size.to_string(),
            Atom::Const(_) => "0".to_owned(),
            Atom::Var(var) => known.get(var).cloned().unwrap_or_else(|| "0".to_owned()),
        };
        let rank = part.rank();
        body.push(format!("const int64_t shape{i}[] = {{{}}};", commas(&part.shape, size)));
        if part.prim().is_some() {
            let elem = part.elem_size();
            makes.push(format!(
                "fe_make_array(ctx, &obj->p{i}.mem, obj->p{i}.shape, shape{i}, {rank}, {elem}, NULL)"
            ));
        } else {
            body.push(format!("memcpy(obj->p{i}.shape, shape{i}, sizeof shape{i});"));
        }
    }
    if !makes.is_empty() {
        body.push("int code = FUTHARK_SUCCESS;".to_owned());
        for make in makes {
            body.extend(lines![
                "if (code == FUTHARK_SUCCESS) {{";
                "  code = {make};";
                "}}";
            ]);
        }
        body.extend(lines![
            "if (code != FUTHARK_SUCCESS) {{";
            "  {0}(ctx, obj);", ty.function("free");
            "  return code;";
            "}}";
        ]);
    }
    body.extend(lines!["*out = obj;"; "return FUTHARK_SUCCESS;"]);
    body
}

fn destruct_body(
    types: &Types,
    ty: &TypeDef,
    variant: &VariantDef,
    tag: Option<usize>,
) -> Vec<String> {
    let mut body = lines!["(void)ctx;"; "(void)obj;"];
    if let Some(tag) = tag {
        let message = quoted(&format!("this value is not the variant #{}", variant.name));
        body = lines![
            "if (obj->p0 != {tag}) {{";
            "  return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, \"%s\", {message});";
            "}}";
        ];
    }
    let parts = payload_parts(types, variant);
    let values: Vec<_> = variant
        .payload
        .iter()
        .enumerate()
        .map(|(i, id)| {
            let slots = parts.iter().filter(|(value, ..)| *value == i).map(|(.., slot)| *slot);
            (*id, slots.collect(), format!("out{i}"))
        })
        .collect();
    body.extend(take_out(types, (ty, "obj"), &values));
    body
}
