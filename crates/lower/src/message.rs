//! Shapes and types in the messages of checks: with the values that sizes have when the check fails.

use crate::build::text;
use crate::value::Shape;
use fehu_ir::{Atom, CheckPart, Scalar};

/// `[n][m]`
pub(crate) fn sizes(sizes: &[Atom]) -> Vec<CheckPart> {
    let mut parts = Vec::with_capacity(3 * sizes.len());
    for size in sizes {
        parts.extend([text("["), CheckPart::Value(*size), text("]")]);
    }
    parts
}

/// The sizes of each array in a value: `[2][3], [4]`.
pub(crate) fn shape(shape: &Shape) -> Vec<CheckPart> {
    let mut arrays = Vec::new();
    collect_arrays(shape, &mut Vec::new(), &mut arrays);
    let mut parts = Vec::new();
    for (i, array) in arrays.iter().enumerate() {
        if i > 0 {
            parts.push(text(", "));
        }
        parts.extend(sizes(array));
    }
    parts
}

fn collect_arrays(shape: &Shape, outer: &mut Vec<Atom>, arrays: &mut Vec<Vec<Atom>>) {
    match shape {
        Shape::Array(size, elem) => {
            outer.push(*size);
            if has_array(elem) {
                collect_arrays(elem, outer, arrays);
            } else {
                arrays.push(outer.clone());
            }
            outer.pop();
        }
        Shape::Record(fields) => {
            fields.iter().for_each(|(_, part)| collect_arrays(part, outer, arrays));
        }
        Shape::Sum(ctors) => {
            for part in ctors.iter().flat_map(|(_, payload)| payload) {
                collect_arrays(part, outer, arrays);
            }
        }
        Shape::Prim(_) | Shape::Acc(_) | Shape::Fun => {}
    }
}

fn has_array(shape: &Shape) -> bool {
    let mut any = false;
    shape.for_each_size(&mut |_| any = true);
    any
}

/// The type that a shape is of: `[2]i32`, `([2]i32, f64)`, `{a: i32}`, `#some i32 | #none`.
pub(crate) fn type_of(shape: &Shape) -> Vec<CheckPart> {
    let mut parts = Vec::new();
    write_type(shape, &mut parts);
    // Texts in a row would be as good, but one is easier to read in the IR.
    let mut merged: Vec<CheckPart> = Vec::with_capacity(parts.len());
    for part in parts {
        match (merged.last_mut(), part) {
            (Some(CheckPart::Text(before)), CheckPart::Text(after)) => before.push_str(&after),
            (_, part) => merged.push(part),
        }
    }
    merged
}

fn write_type(shape: &Shape, parts: &mut Vec<CheckPart>) {
    match shape {
        Shape::Prim(prim) => parts.push(text(prim.to_string())),
        Shape::Array(size, elem) => {
            parts.extend([text("["), CheckPart::Value(*size), text("]")]);
            match &**elem {
                Shape::Sum(_) => write_between("(", elem, ")", parts),
                Shape::Prim(_) | Shape::Array(..) | Shape::Record(_) => write_type(elem, parts),
                Shape::Acc(_) | Shape::Fun => write_type(elem, parts),
            }
        }
        Shape::Record(fields) => {
            let tuple = fields.len() != 1
                && fields.iter().enumerate().all(|(i, (name, _))| *name == i.to_string());
            parts.push(text(if tuple { "(" } else { "{" }));
            for (i, (name, part)) in fields.iter().enumerate() {
                if i > 0 {
                    parts.push(text(", "));
                }
                if !tuple {
                    parts.push(text(format!("{name}: ")));
                }
                write_type(part, parts);
            }
            parts.push(text(if tuple { ")" } else { "}" }));
        }
        Shape::Sum(ctors) => {
            for (i, (name, payload)) in ctors.iter().enumerate() {
                parts.push(text(format!("{}#{name}", if i > 0 { " | " } else { "" })));
                for part in payload {
                    match part {
                        Shape::Sum(_) => write_between(" (", part, ")", parts),
                        Shape::Prim(_) | Shape::Array(..) | Shape::Record(_) => {
                            write_between(" ", part, "", parts);
                        }
                        Shape::Acc(_) | Shape::Fun => write_between(" ", part, "", parts),
                    }
                }
            }
        }
        Shape::Acc(_) => parts.push(text("acc")),
        Shape::Fun => parts.push(text("function")),
    }
}

/// The text of a message without values that are only known at run time.
pub(crate) fn constant(parts: &[CheckPart]) -> Option<String> {
    let mut out = String::new();
    for part in parts {
        match part {
            CheckPart::Text(text) => out.push_str(text),
            CheckPart::Value(Atom::Const(Scalar::I64(size))) => out.push_str(&size.to_string()),
            CheckPart::Value(Atom::Const(_) | Atom::Var(_)) => return None,
        }
    }
    Some(out)
}

fn write_between(before: &str, shape: &Shape, after: &str, parts: &mut Vec<CheckPart>) {
    parts.push(text(before));
    write_type(shape, parts);
    parts.push(text(after));
}
